/* parts.h: what the files of many bodies share. */
#ifndef CAROM_BODIES_PARTS_H
#define CAROM_BODIES_PARTS_H

#include <stdatomic.h>

#include "bodies/many/many.h"
#include "geometry/vector.h"

enum { CAROM_MOVED = 16 };   /* bodies that may be moved */
/* What is known of each, [CAROM_MOTION]: r | v, w | a, w' | R; spins in body axes. */
enum { CAROM_MOTION = 24, CAROM_OF_SPEED = 3, CAROM_OF_CHANGE = 9, CAROM_OF_TURN = 15 };
enum { CAROM_FINDERS = 4 }; /* threads that look for contacts without waiting for memory */

typedef struct carom_start { /* of a body: how high, whether it moves, mass, place, turns, velocity, inertia */
    double key[15];
} carom_start;

typedef struct carom_posed_shape { /* a shape of a body */
    carom_shape shape;
    int body, number; /* number: among those of the body */
    double thickness;
    const carom_body_shape *source;
    const carom_start *start;
} carom_posed_shape;

typedef struct carom_many {
    const carom_bodies *bodies;
    int nblock;               /* bodies that move freely: their velocities */
    int nshape;
    carom_posed_shape *shape; /* [nshape] in the order of their starts */
    int *block;               /* [nbody] the block of a body, -1: it has none */
    int nmoved, *move_of;     /* [nbody] its number among those that are moved, -1: it is not */
    double *extent;           /* [nbody] how far its surface is from its centre; infinite for planes and slabs */
    double size;              /* the largest extent of a shape that ends */
    double *coefficient;      /* [nlaw*CAROM_COEFFICIENTS_MAX] */
    double *inertia;          /* [6*nbody] */
    double *mass;             /* [nbody] */
    double gravity[3];
    carom_kernels *kernels;
    struct {
        atomic_flag taken;
        carom_broad *broad;
    } finder[CAROM_FINDERS];
    bool blocks;              /* rows have the blocks of their bodies; else they are the caller's */
    int *first_joined, *joined; /* [nbody+1] [first_joined[nbody]] bodies that a joint connects with a body */
    struct carom_joint_row *joint; /* [njoint+nstop] joints.c: rows of all joints, then ends of ranges and friction */
    int njoint, nstop;
    const int *joint_block;   /* [2*(njoint+nstop)] as in the model */
    carom_contact *stop;      /* [nstop] ends of ranges, dry friction: the first of the contacts, always there, with
                               * ids -1, -2 ... */
    struct carom_act *act;    /* [nact] acts.c: springs, dampers, motors */
    int nact;
} carom_many;

enum {
    CAROM_CHUNK = 128,        /* touches that are evaluated together */
    CAROM_PAIR_TOUCHES = 1024 /* of one pair that are looked at for its smallest gap */
};

typedef struct carom_overlap {
    int body[2];
    double depth, normal[3]; /* the way out of the second */
} carom_overlap;

typedef struct carom_many_work { /* of one simulation */
    carom_pose *pose;   /* [nbody] */
    double *speed;      /* [nbody*(3 | 6)] velocities by body, 0 of those that have none */
    double *boxes;      /* [6*nshape] */
    double *values;     /* [CAROM_CHUNK*(rows*columns + rows + 1)] what the kernels give */
    double *scratch;    /* of the kernels */
    double *acts;       /* [nexpression] what the expressions of the file give */
    double *act_scratch;
    carom_touch *chunk;  /* [CAROM_CHUNK] touches that are evaluated */
    carom_touch *touch;  /* [capacity+1] room to find touches; carom_many_find leaves them packed: */
    unsigned char *packed; /* the same memory: those of the step, in the order of its contacts. The last array */
} carom_many_work;

static inline const carom_many *carom_many_of(const carom_model *model)
{
    return model->user;
}
static inline int carom_many_freedoms(const carom_many *many)
{
    return many->bodies->planar ? 3 : 6;
}
/* Shapes, kernels, laws and which bodies move, without a model of their motion; all but what carom_many_end frees lives
 * in the arena. Without kernels: for a look at the start only. */
carom_status carom_many_new(carom_many **many, carom_bodies *bodies, bool kernels, carom_arena *arena,
                            carom_error *error);
void carom_many_end(carom_many *many);
/* Its arrays in the memory; bytes (may be NULL): how much of it they need, with room for so many touches. */
carom_many_work carom_many_work_at(const carom_many *many, int touches, void *memory, size_t *bytes);
/* Poses of all bodies at (t, q). */
void carom_many_poses(const carom_many *many, double t, const double *q, carom_pose *pose);
/* As carom_bodies_length. */
double carom_many_length(const carom_many *many, const carom_pose *pose);
/* How far from its centre a body's surface is, as far as another body that is free may touch it: planes have no end. */
double carom_many_reach(const carom_many *many, const carom_pose *pose, int body);
/* packed.c: a touch at a place in memory, all but gap and point, and back, where these are left alone; both return
 * where the next one is. It takes no more than a carom_touch. */
unsigned char *carom_touch_pack(const carom_touch *touch, unsigned char *to);
const unsigned char *carom_touch_unpack(const unsigned char *from, carom_touch *touch);
/* The next n of those of the step, at most CAROM_CHUNK; *at is work->packed for the first. They live in the chunk. */
const carom_touch *carom_many_unpack(const carom_many_work *work, const unsigned char **at, int n);
/* links.c: the touches within reach at the poses of the work, and the contacts they are; returns their number, which
 * may be more than most, or -1. */
int carom_many_find(carom_many *many, carom_many_work *work, double reach, bool exact, carom_found *found, int most);
/* carom_touch_inside of the first n touches of the work with these ids, at its poses. */
void carom_many_margins(const carom_many *many, const carom_many_work *work, int n, const long long *id, double *out);
carom_find_links carom_many_links; /* of the model */
/* The bodies of a contact that was found, in the order of its touch. */
void carom_many_pair_of(const carom_many *many, long long id, int body[2]);
/* Where the first n touches of the work are, at its poses: out [15*n], as CAROM_TOUCH_PLACE. */
void carom_many_places(const carom_many *many, const carom_many_work *work, int n, double *out);
/* The law of two shapes of different bodies that do not both stand still; NULL: they do not touch. */
const carom_pair_law *carom_many_law(const carom_many *many, const carom_posed_shape *a, const carom_posed_shape *b);
/* ---- joints.c ---- */
/* Is it one that is given by rows of two bodies and forces between them? Others need formulas. */
bool carom_many_takes(const carom_bodies *bodies, const carom_joint *joint);
/* All joints as rows: their number, names and blocks in the model. */
carom_status carom_many_joints_new(carom_many *many, carom_model *model, carom_arena *arena, carom_error *error);
const carom_text_node *carom_many_joint_node(const carom_many *many, int i); /* where the file says row i */
/* Gaps, rows and curvature of so many of them, at the poses and speeds of the work; motion: of the moved bodies.
 * Returns where the rows that follow begin. */
double *carom_many_joints(const carom_many *many, int rows, const carom_eval *e, const carom_many_work *work,
                          const double *motion);
/* R_q -= d(G^T x)/dq of so many of them, by bodies. */
void carom_many_joint_gradients(const carom_many *many, int rows, const double *x, const carom_many_work *work,
                                double *R_q);
/* ---- acts.c ---- */
carom_status carom_many_acts_new(carom_many *many, carom_model *model, carom_arena *arena, carom_error *error);
/* Into the acts of the work. */
void carom_many_expressions(const carom_many *many, double t, const double *q, const double *v, carom_many_work *work);
/* F, energy, and C with R_q, at the poses of the work: what is there grows by what they give. */
void carom_many_act_forces(const carom_many *many, const carom_eval *e, const carom_many_work *work,
                           const double *motion);
void carom_many_act_energy(const carom_many *many, const carom_eval *e, const carom_many_work *work,
                           const double *motion);
void carom_many_act_gradients(const carom_many *many, const carom_eval *e, const carom_many_work *work,
                              const double *motion);
/* ---- */
void carom_many_stop(const carom_many *many, int i, carom_found *found); /* as one of the contacts of a step */
carom_status carom_many_join(carom_many *many, carom_arena *arena, carom_error *error);
bool carom_many_joined(const carom_many *many, int i, int j); /* by a joint that connects them */

/* The smallest gap of two shapes at the poses of the work, INFINITY if it is larger than reach, as negative as they
 * overlap, however deep; how: with its normal. The work has room for CAROM_PAIR_TOUCHES. */
double carom_many_gap(const carom_many *many, const carom_many_work *work, int first, int second, double reach,
                      carom_overlap *how);
/* The pairs of shapes that overlap by more than least; returns their number, which may be more than most. */
int carom_many_overlaps(carom_many *many, carom_many_work *work, double least, carom_overlap *list, int most);

#endif
