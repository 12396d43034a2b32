# web/ becomes one C file in the build folder: style sheet and script of the pages of `carom report` and `carom reproduce`.
# Made again only when a file of web/ changes; see web/build.sh for what happens without npm or esbuild.
set(WITH_WEB AUTO CACHE STRING "Interactive plots in pages (npm, esbuild): ON, OFF or AUTO")
set_property(CACHE WITH_WEB PROPERTY STRINGS AUTO ON OFF)
file(GLOB carom_web CONFIGURE_DEPENDS web/*.js web/*.css web/package*.json)
set(carom_web_source ${PROJECT_BINARY_DIR}/web.c)
add_custom_command(OUTPUT ${carom_web_source}
                   COMMAND sh ${PROJECT_SOURCE_DIR}/web/build.sh ${PROJECT_BINARY_DIR} ${WITH_WEB}
                   DEPENDS web/build.sh ${carom_web} COMMENT "Pages" VERBATIM)
