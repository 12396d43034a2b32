# ctest: tests/test_*.c (unit), tests/test_*.sh (the command and the tools), examples/*.c (each must run).
# Labels: unit, command, tool; `ctest -L unit`. All tests run in the source folder.
pkg_check_modules(CHECK QUIET IMPORTED_TARGET check)
file(GLOB unit_tests CONFIGURE_DEPENDS tests/test_*.c)
file(GLOB script_tests CONFIGURE_DEPENDS tests/test_*.sh)
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
if(NOT CHECK_FOUND)
    message(STATUS "Unit tests: left out (no libcheck)")
    set(unit_tests "")
endif()

foreach(source ${unit_tests})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE src tests)
    # The tests see CAROM_NO_YAML and the like, and the headers of the optional libraries.
    target_link_libraries(${name} PRIVATE carom_flags carom_dependencies carom_static PkgConfig::CHECK)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 400 SKIP_RETURN_CODE 77)
endforeach()

# Calls that fail on purpose: a library to be preloaded, for glibc and programs without sanitizers.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    add_library(inject SHARED tests/inject.c)
    target_link_libraries(inject PRIVATE ${CMAKE_DL_LIBS})
    set_target_properties(inject PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests PREFIX "")
endif()

if(HAVE_HDF5)
    add_executable(same_hdf5 tests/same_hdf5.c)
    target_link_libraries(same_hdf5 PRIVATE carom_dependencies ${carom_link_libraries})
    set_target_properties(same_hdf5 PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()

foreach(source ${examples})
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} loads REGEX "carom_model_(load|parse)")
    if(loads AND NOT HAVE_YAML)
        continue() # there are no model files in this build
    endif()
    add_executable(example-${name} ${source})
    target_link_libraries(example-${name} PRIVATE carom_flags carom_static)
    set_target_properties(example-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples
                          OUTPUT_NAME ${name})
    add_test(NAME example-${name} COMMAND example-${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
    set_tests_properties(example-${name} PROPERTIES LABELS unit TIMEOUT 100)
endforeach()

foreach(source ${script_tests})
    get_filename_component(name ${source} NAME_WE)
    set(label command)
    if(name MATCHES "^test_(tools|install)$")
        set(label tool)
    endif()
    add_test(NAME ${name} COMMAND sh ${source} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set(environment "BUILD=${CMAKE_BINARY_DIR};CAROM=${CMAKE_BINARY_DIR}/carom;CC=${CMAKE_C_COMPILER};LC_ALL=C")
    if(HAVE_YAML)
        list(APPEND environment YAML=1)
    endif()
    foreach(library HDF5 SQLITE PNG MPI)
        if(HAVE_${library})
            list(APPEND environment ${library}=1)
        endif()
    endforeach()
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 400 ENVIRONMENT "${environment}"
                         SKIP_RETURN_CODE 77)
endforeach()

add_test(NAME includes COMMAND sh tools/check-includes.sh WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_test(NAME text COMMAND sh tools/check-text.sh WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(includes text PROPERTIES LABELS tool)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Sanitize") # sanitizers add symbols of their own
    add_test(NAME symbols COMMAND sh tools/check-symbols.sh $<TARGET_FILE:carom_static> $<TARGET_FILE:carom_shared>
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(symbols PROPERTIES LABELS tool)
endif()
