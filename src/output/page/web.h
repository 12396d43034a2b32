/* web.h: style sheet and script of a page, made from the files of web/ when Carom is built. */
#ifndef CAROM_PAGE_WEB_H
#define CAROM_PAGE_WEB_H

#include <stdbool.h>

extern const bool carom_web_interactive; /* the script has uPlot in it; else it only plays animations */
extern const char carom_web_style[], carom_web_script[];
extern const char carom_web_licence[];   /* of uPlot */

#endif
