/* raster.h: pictures of pixels: polygons and letters with smooth edges, triangles that hide each other; PNG and GIF. */
#ifndef CAROM_RASTER_H
#define CAROM_RASTER_H

#include "core/core.h"
#include "output/stream.h"

typedef struct carom_colour {
    unsigned char r, g, b;
} carom_colour;

typedef struct carom_canvas {
    int width, height;
    unsigned char *rgb; /* [3*width*height] */
    float *depth;       /* [width*height] of carom_canvas_triangle; NULL: there are none */
    bool failed;        /* something is missing in it for want of memory: it will not be written */
} carom_canvas;
void carom_canvas_box(carom_canvas *canvas, int x, int y, int width, int height, carom_colour colour);
/* Fills the polygons xy [2*count[0] + 2*count[1] + ...], y downwards, where an odd number of them overlap. */
void carom_canvas_fill(carom_canvas *canvas, const double *xy, const int *count, int polygons, carom_colour colour);
/* A line through n points with round ends; closed: back to the first. */
void carom_canvas_line(carom_canvas *canvas, const double *xy, int n, bool closed, double width, carom_colour colour);
void carom_canvas_disc(carom_canvas *canvas, double x, double y, double radius, carom_colour colour);
/* Text in UTF-8, which stands on y and begins at x; upright: is read from below. A letter that is not there is a ?. */
void carom_canvas_text(carom_canvas *canvas, double x, double y, double size, bool upright, const char *text,
                       carom_colour colour);
double carom_text_width(const char *text, double size);

/* x y and depth of three corners, and how bright each is; what is nearer than all before is painted. */
void carom_canvas_triangle(carom_canvas *canvas, const double corner[3][3], const double *light, carom_colour colour);

carom_status carom_png_write(const char *path, const carom_canvas *canvas, carom_error *error);

/* ---- GIF: 255 colours for all frames; a frame holds what differs from the one before ---- */
typedef struct carom_gif carom_gif;
/* Counts the colours of a canvas for the palette; before the first frame. */
carom_status carom_gif_new(carom_gif **gif, const char *path, int width, int height, int centiseconds,
                           carom_error *error);
void carom_gif_count(carom_gif *gif, const carom_canvas *canvas);
carom_status carom_gif_frame(carom_gif *gif, const carom_canvas *canvas, carom_error *error);
/* The file appears; NULL is fine. Not whole: it does not, and what was there stays. Frees the GIF. */
carom_status carom_gif_close(carom_gif *gif, bool whole, carom_error *error);

#endif
