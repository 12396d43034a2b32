/* map.h: a function on a grid as a picture: cells of colour, axes with ticks, a bar or a list that explains the
 * colours. */
#ifndef CAROM_MAP_H
#define CAROM_MAP_H

#include "output/chart/engine.h"
#include "output/raster/raster.h"

typedef struct carom_map_side {
    const char *name;
    double from, to; /* the first and the last point: cells reach half a step beyond */
    int n;
} carom_map_side;

typedef struct carom_heatmap {
    const char *title, *name;      /* of the whole; of the values */
    carom_map_side x, y;
    const double *value;           /* [x.n*y.n], x varies slowest; NAN failed, HUGE_VAL and -HUGE_VAL infinite */
    const unsigned char *known;    /* [x.n*y.n] 0: not computed; NULL: all are */
    bool signs;                    /* colours change at 0 */
    const char *const *category;   /* [ncategory] values are numbers of these; NULL: a bar of values */
    int ncategory;
} carom_heatmap;
/* By the ending of path: .png, .svg, or .html: a page in which one can zoom and read values. */
bool carom_map_drawable(const char *path); /* has it one of these endings? NULL has none */
carom_status carom_map_write(const char *path, const carom_heatmap *map, carom_error *error);

/* ---- the parts ---- */
typedef struct carom_map_scale { /* from values to colours */
    const carom_heatmap *map;
    double low, high;          /* of the bar; values beyond take the colour of the end */
    bool negative, positive, failed, missing; /* which of the colours of their own occur: -inf, inf, ... */
} carom_map_scale;
carom_status carom_map_scale_fit(carom_map_scale *scale, const carom_heatmap *map, carom_error *error);
carom_colour carom_map_colour(const carom_map_scale *scale, double value);
carom_colour carom_map_cell(const carom_map_scale *scale, int i, int j); /* i along x, j along y */
/* The k-th line of the list beside the picture: categories, then the colours of their own; false: no more. */
bool carom_map_legend(const carom_map_scale *scale, int k, carom_colour *colour, const char **text);

void carom_map_svg_put(carom_stream *out, const carom_map_scale *scale); /* the element <svg> */
carom_status carom_map_page(const char *path, const carom_map_scale *scale, carom_error *error); /* page/map.c */
carom_status carom_map_svg(const char *path, const carom_map_scale *scale, carom_error *error);

#endif
