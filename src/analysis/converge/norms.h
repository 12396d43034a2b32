/* norms.h: how far two motions are apart.
 *
 *   path    a motion as pieces of polynomials in time, x = (q, v, i); it jumps where two pieces do not meet
 *   graph   a polyline in the space of t and some components of x, monotone in t: the filled-in graph of a path
 *   norm    a distance of two paths, by name
 *
 * i is the interaction: the primitive of the impulse measure, i(t) = sum of the impulses of all jumps up to t,
 * included, plus the integral of the contact forces; one entry for each row of joints and contacts. Computed motions
 * give the mean force on each segment, so that i is linear there, or the force along it as a polynomial. */
#ifndef CAROM_NORMS_H
#define CAROM_NORMS_H

#include "carom_analysis.h"
#include "core/core.h"

/* ---- paths ---- */
typedef struct carom_stop { /* whether to end a run under way: asked after each step, on any thread */
    bool (*asked)(void *user); /* NULL: nobody does */
    void *user;
} carom_stop;

#define CAROM_PATH_BYTES ((size_t)1 << 31) /* of one path at most, without its table of pieces */
typedef struct carom_piece {
    double t0, t1;   /* t0 < t1 */
    int degree;
    long step;       /* of the simulation that made it: the last piece of a step ends at a node of the grid */
    const double *c; /* [(degree+1)*n]: powers of s = (t - t0)/(t1 - t0) */
} carom_piece;

typedef struct carom_path {
    carom_arena *arena;
    int nq, nv, ni, n;  /* n = nq + nv + ni */
    carom_piece *piece; /* [npiece], each begins where the one before ends */
    size_t npiece, room;
    double *end;        /* [n] after the jumps at the end */
    double *work;       /* [2*n] */
    bool full;          /* memory ran out: not to be used */
    carom_sim *sim;     /* while it is observed */
    const carom_stop *stop; /* then; may be NULL */
} carom_path;

carom_status carom_path_new(carom_path **path, int nq, int nv, int ni, carom_error *error);
void carom_path_free(carom_path *path); /* NULL is fine */
/* Room for the coefficients of a piece behind the last one; NULL: no memory. t1 <= t0: dropped, the room is scratch. */
double *carom_path_add(carom_path *path, double t0, double t1, int degree);
/* Records what sim will do, for as long as sim lives. */
carom_status carom_path_observe(carom_path *path, carom_sim *sim, carom_error *error);
/* Runs the model; *path and the counts are the caller's. CAROM_STOPPED counts as success. stop may be NULL. A run
 * that would take more memory than CAROM_PATH_BYTES fails. */
carom_status carom_path_run(carom_path **path, const carom_model *model, const carom_options *options,
                            const carom_stop *stop, carom_info *info, carom_error *error);
/* A path made from the nodes of another alone: q is linear between them, v and i keep the value at the beginning of
 * each step (hold: functions continuous from the right) or at its end all along it. */
carom_status carom_path_nodes(carom_path **nodes, const carom_path *path, bool hold, carom_error *error);
double carom_path_end(const carom_path *path);
/* Not below the largest value of these components; rounding is relative to it. */
double carom_path_size(const carom_path *path, int first, int count);
/* x(t), its left limit for side < 0. near: the piece where to begin to look, updated. */
void carom_path_at(const carom_path *path, double t, int side, size_t *near, double *x);
void carom_piece_at(const carom_piece *piece, int n, double s, double *x);

/* ---- norms ---- */
typedef enum carom_norm_kind {
    CAROM_NORM_L1,        /* integral of |x - y|, summed over components */
    CAROM_NORM_L2,        /* square root of the integral of |x - y|^2 */
    CAROM_NORM_MAX,       /* largest component of x - y at any time, one-sided limits included */
    CAROM_NORM_HAUSDORFF, /* of the filled-in graphs */
    CAROM_NORM_END        /* largest component of x - y at the end */
} carom_norm_kind;
typedef enum carom_norm_over {
    CAROM_NORM_OWN,   /* what the scheme defines: DENSE, or GRID for schemes that define nodes only */
    CAROM_NORM_DENSE, /* all times */
    /* nodes of the first path, weighted with the steps before them; Hausdorff: values held from node to node */
    CAROM_NORM_GRID,
    CAROM_NORM_STEP   /* all times, the first path with the values at the ends of its steps */
} carom_norm_over;
typedef struct carom_norm {
    carom_norm_kind kind;
    carom_norm_over over;
    int first, count; /* components of x = (q, v, i) */
} carom_norm;

/* "L1.q", "max.v", "grid-L2.v", "dense-L1.v", "step-L1.i", "hausdorff.v", "end.q"; one component: "L1.q.NAME"
 * (v.NAME, i.CONTACT). */
carom_status carom_norm_parse(carom_norm *norm, const char *name, const carom_model *model, carom_error *error);
/* What CAROM_NORM_OWN stands for in runs with these options. */
carom_norm_over carom_norm_own(const carom_options *options);
/* The distance on [0, the earlier end]; OWN counts as DENSE. rtol bounds the error of its computation. */
carom_status carom_norm_distance(const carom_norm *norm, const carom_path *path, const carom_path *reference,
                                 double rtol, double *distance, carom_error *error);

/* ---- graphs ---- */
/* The filled-in graph of components first ... first+count-1 on [0, end]. Arcs become chords that are off by at most
 * sagitta (returned; at least what rounding allows), with at most `most` points. Free t. */
carom_status carom_graph_of_path(carom_graph *graph, const carom_path *path, int first, int count, double end,
                                 double *sagitta, size_t most, carom_error *error);
/* carom_hausdorff, but distances below floor need not be known: upper may then be floor. */
carom_status carom_hausdorff_above(const carom_graph *a, const carom_graph *b, double rtol, double floor,
                                   carom_hausdorff_bounds *bounds, carom_error *error);
/* The Hausdorff distance of two filled-in graphs to rtol, with arcs as fine as that needs and 20000 chords allow (4
 * for each piece if that is more): for small distances of curved motions, below about 1e-6 of their size, the bounds
 * are wider. */
carom_status carom_path_hausdorff(const carom_path *a, const carom_path *b, int first, int count, double rtol,
                                  carom_hausdorff_bounds *bounds, carom_error *error);

#endif
