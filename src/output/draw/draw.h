/* draw.h: the mechanism in motion: the shapes of a model's drawing at the times of a trajectory.
 *
 *   frames.c   a trajectory and a drawing -> frames: values of shapes, or poses of bodies in space
 *   scene.c    the solids of a spatial drawing as triangles */
#ifndef CAROM_OUTPUT_DRAW_H
#define CAROM_OUTPUT_DRAW_H

#include "model/draw.h"
#include "output/output.h"

typedef struct carom_draw_force {
    double point[3], force[3]; /* that acts on the second body */
    double mode;               /* carom_mode */
    double body[2];
} carom_draw_force;
typedef struct carom_touched { /* a contact that was found, at the time of a row */
    double t;
    carom_draw_force force;
} carom_touched;

typedef struct carom_animated { /* one trajectory */
    const char *name;
    const carom_model *model;   /* with a drawing */
    const carom_columns *table;
    const carom_touched *touched; /* [ntouched] in the order of time */
    size_t ntouched;
} carom_animated;

typedef struct carom_animation {
    const char *title;
    const carom_animated *run;  /* [nrun] drawn over each other */
    int nrun;
} carom_animation;

/* Why this run cannot be drawn, as a sentence; NULL: it can. reason >= 300 bytes holds the sentence. */
const char *carom_draw_obstacle(const carom_animated *run, char *reason);

/* The values of the model's shapes at times between the rows of a table. */
typedef struct carom_draw_frames {
    double *t;              /* [n] */
    size_t n;
    int nshape;
    double **value;         /* [nshape][n * shape.n], or [shape.n] where it never moves */
    bool *still;            /* [nshape] */
    unsigned char *mode;    /* [n * ncontact] carom_mode */
    double *hit;            /* [nhit] times of impacts */
    size_t nhit;
    double box[6];          /* x and y of its corners; in space x, y and z */
    int nbody, nrod;        /* of a spatial picture */
    double *pose;           /* [n*nbody*7] centre of mass and unit quaternion */
    double *rod;            /* [n*nrod*6] */
    carom_draw_force *force; /* [nforce] contact forces of all frames, one frame after the other */
    size_t nforce, room;
    double *forces;         /* [n] how many of them each frame has */
} carom_draw_frames;
/* t [n]: the times, common to all runs. */
carom_status carom_draw_sample(carom_draw_frames *frames, const carom_animated *run, const double *t, size_t n,
                               carom_error *error);
void carom_draw_free(carom_draw_frames *frames);

#endif
