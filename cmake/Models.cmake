# models/*.yaml become one C file in the build folder, so that `carom run NAME` needs no files at run time.
file(GLOB carom_models CONFIGURE_DEPENDS models/*.yaml)
set(carom_models_source ${CMAKE_BINARY_DIR}/models.c)
add_custom_command(OUTPUT ${carom_models_source}
                   COMMAND sh ${CMAKE_SOURCE_DIR}/tools/embed.sh ${carom_models} > ${carom_models_source}
                   DEPENDS tools/embed.sh ${carom_models} VERBATIM)
