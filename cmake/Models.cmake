# What the build turns into C. models/*.yaml become one C file in the build folder, so that `carom run NAME` needs no files at run time.
file(GLOB carom_models CONFIGURE_DEPENDS models/*.yaml)
set(carom_models_source ${PROJECT_BINARY_DIR}/models.c)
add_custom_command(OUTPUT ${carom_models_source}
                   COMMAND sh ${PROJECT_SOURCE_DIR}/tools/embed.sh ${carom_models} > ${carom_models_source}
                   DEPENDS tools/embed.sh ${carom_models} VERBATIM)
# The public headers become another: a binding asks the library what it looks like.
set(carom_interface_source ${PROJECT_BINARY_DIR}/interface.c)
set(carom_interface_headers ${PROJECT_SOURCE_DIR}/include/carom.h ${PROJECT_SOURCE_DIR}/include/carom_analysis.h
    ${PROJECT_SOURCE_DIR}/include/carom_output.h)
add_custom_command(OUTPUT ${carom_interface_source}
                   COMMAND sh ${PROJECT_SOURCE_DIR}/tools/interface.sh ${carom_interface_headers} > ${carom_interface_source}
                   DEPENDS tools/interface.sh ${carom_interface_headers} VERBATIM)
