/* draw.h: the picture of a mechanism in terms of expressions: the section draw of a model file, which is planar,
 *     draw:
 *       rod:   {line: [[0, 0], [l*sin(th), -l*cos(th)]]}
 *       bob:   {circle: [l*sin(th), -l*cos(th), 0.1], contact: wall}
 *       wall:  {line: [[wall, -1.2], [wall, 0.2]], style: ground}
 * or what bodies look like by themselves. */
#ifndef CAROM_DRAW_H
#define CAROM_DRAW_H

#include "core/core.h"

typedef enum carom_mark_kind {
    CAROM_MARK_POINT,   /* x y */
    CAROM_MARK_LINE,    /* x y of two or more points */
    CAROM_MARK_CIRCLE,  /* x y r, and an angle that turns a radius */
    CAROM_MARK_POLYGON, /* x y of three or more points */
    CAROM_MARK_SPRING   /* x y of its two ends */
} carom_mark_kind;

typedef struct carom_mark {
    const char *name;
    carom_mark_kind kind;
    const char *style; /* body, ground, thin, dashed */
    int contact;       /* whose status it shows; -1: none */
    int body;          /* that it is the outline of; -1: none */
    bool endless;      /* a line that goes on beyond the picture: it does not count for its size */
    const int *value;  /* [n] expressions for carom_model_value */
    int n;
} carom_mark;

typedef struct carom_drawing { /* every number here is an expression */
    const carom_mark *shape; /* [nshape], drawn in this order; a spatial picture has none */
    int nshape;
    const struct carom_bodies *bodies; /* of a spatial picture, with the shapes; else NULL */
    const int *pose;         /* [12*nbody] of each body: its centre of mass, then its rotation by rows */
    int nbody;
    const int *rod;          /* [6*nrod] ends of springs, distances and arms */
    int nrod;
} carom_drawing;

/* NULL: the file has no section draw, or the model is native code. Valid until the model is set or freed. */
const carom_drawing *carom_model_drawing(const carom_model *model);

const char *carom_mark_name(carom_mark_kind kind);

#endif
