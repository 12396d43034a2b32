/* draw.h: the section draw of a model file: a planar picture of the mechanism, in terms of expressions.
 *     draw:
 *       rod:   {line: [[0, 0], [l*sin(th), -l*cos(th)]]}
 *       bob:   {circle: [l*sin(th), -l*cos(th), 0.1], contact: wall}
 *       wall:  {line: [[wall, -1.2], [wall, 0.2]], style: ground} */
#ifndef CAROM_DRAW_H
#define CAROM_DRAW_H

#include "core/core.h"

typedef enum carom_shape_kind {
    CAROM_SHAPE_POINT,   /* x y */
    CAROM_SHAPE_LINE,    /* x y of two or more points */
    CAROM_SHAPE_CIRCLE,  /* x y r, and an angle that turns a radius */
    CAROM_SHAPE_POLYGON, /* x y of three or more points */
    CAROM_SHAPE_SPRING   /* x y of its two ends */
} carom_shape_kind;

typedef struct carom_shape {
    const char *name;
    carom_shape_kind kind;
    const char *style; /* body, ground, thin, dashed */
    int contact;       /* whose status it shows; -1: none */
    const int *value;  /* [n] expressions for carom_model_value */
    int n;
} carom_shape;

typedef struct carom_drawing {
    const carom_shape *shape; /* [nshape], drawn in this order */
    int nshape;
} carom_drawing;

/* NULL: the file has no section draw, or the model is native code. Valid until the model is set or freed. */
const carom_drawing *carom_model_drawing(const carom_model *model);

const char *carom_shape_name(carom_shape_kind kind);

#endif
