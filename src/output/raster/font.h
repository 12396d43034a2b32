/* font.h: letters as outlines. */
#ifndef CAROM_FONT_H
#define CAROM_FONT_H

#include <stddef.h>

enum { CAROM_FONT_EM = 120 }; /* units of a font's size; the origin is the left end of the line that letters stand on */

/* Outlines of a character (Latin, Greek small letters, a few signs): number of points, then x and y of each, y upwards;
 * 0 ends them. Inside is what is enclosed an odd number of times. NULL: there is no such letter here. */
const signed char *carom_font_glyph(unsigned code, int *width);

#endif
