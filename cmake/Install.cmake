# `cmake --install`: libraries, headers, command, man page, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)
install(TARGETS carom_static carom_shared EXPORT carom
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET carom)
    install(TARGETS carom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${carom_man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${carom_completions}/carom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${carom_completions}/_carom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# Relative to itself, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/carom.pc.in carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(EXPORT carom FILE caromTargets.cmake NAMESPACE carom:: DESTINATION ${package_dir})
configure_package_config_file(cmake/caromConfig.cmake.in caromConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caromConfig.cmake ${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${package_dir})
