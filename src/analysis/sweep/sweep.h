/* sweep.h: many runs of one model, one row of numbers for each.
 *
 *   design    the values that the varied parameters and initial values take at point i: random access, no memory
 *   method    what is computed at a point: measures of a run (measure.c), the attractor it ends on (basin.c)
 *   worker    a model and a simulation of its own, for one thread
 *   run       threads that take points, compute them and hand over rows
 *
 * A row depends on its point alone: not on threads, on the order of points, or on what was computed before. */
#ifndef CAROM_SWEEP_H
#define CAROM_SWEEP_H

#include "carom_analysis.h"
#include "core/core.h"

enum { CAROM_SWEEP_TEXT = 240, CAROM_SWEEP_CHUNK = 256 };

struct carom_sweep_worker;
typedef struct carom_sweep_method {
    size_t bytes; /* of a worker's own data, zeroed at first */
    /* The simulation is new, or the model's expressions are: observe, read expressions. */
    carom_status (*attach)(struct carom_sweep_worker *worker, carom_error *error);
    /* The model stands at the point and the simulation at its start. value [ncolumn] is NAN everywhere before. */
    carom_status (*point)(struct carom_sweep_worker *worker, double *value, carom_error *error);
    void (*release)(struct carom_sweep_worker *worker); /* what attach has made; NULL: nothing */
    /* These points come next: what is better done for many at once; NULL: nothing. */
    void (*ahead)(struct carom_sweep_worker *worker, const long long *index, int n);
} carom_sweep_method;

typedef struct carom_sweep { /* what is asked for; constant while it runs */
    const char *path;             /* of the model: every worker loads its own ... */
    const carom_model *model;     /* ... or copies this one, which was filled by hand, if path is NULL */
    carom_load_options load;      /* its size need not be set */
    const char *const *fixed;     /* [nfixed] parameters and initial values that stay ... */
    const double *fixed_value;    /* ... at these */
    const carom_setting *setting; /* [nsetting] options of a run that win over the model's */
    int nfixed, nsetting;
    carom_sweep_design design;
    carom_sweep_axis axis[CAROM_SWEEP_AXES];
    int naxis;
    long long points; /* of the whole design */
    int seed;         /* of random points, and a shift of Sobol points; 0: none */
    long shard, nshard; /* this one takes the points with index mod nshard = shard */
    carom_sweep_span span;
    const carom_sweep_method *method;
    const void *task;                        /* for the method: carom_measure [ncolumn], carom_basin */
    const char *column[CAROM_SWEEP_COLUMNS]; /* names of what the method computes */
    int ncolumn;
} carom_sweep;

/* The number of points that the axes make as a grid; -1: more than 1e15. */
long long carom_sweep_grid_points(const carom_sweep *sweep);
/* The values of the axes at a point: x [naxis]. */
void carom_sweep_point(const carom_sweep *sweep, long long index, double *x);
/* Point i of the Sobol sequence in [0, 1)^n with Joe and Kuo's direction numbers, n <= 10, i < 2^52. */
void carom_sobol(long long i, int n, double *x);

/* "not_converged", and back (-1: no such word). */
const char *carom_sweep_status_word(carom_status status, char word[32]);
int carom_sweep_status(const char *word);

/* ---- workers ---- */
/* A model of one's own, with what is fixed; carom_model_free. */
carom_status carom_sweep_model(const carom_sweep *sweep, carom_model **model, carom_error *error);
typedef struct carom_sweep_row {
    long long index;
    carom_status status;         /* CAROM_OK or CAROM_STOPPED: values are there; others: why in text */
    double *value;               /* [ncolumn] */
    char text[CAROM_SWEEP_TEXT]; /* "" if all went well */
} carom_sweep_row;

typedef struct carom_sweep_worker {
    const carom_sweep *sweep;
    carom_model *model;
    const void *source;    /* of the model when sim was made: it may be built anew */
    carom_options options; /* of sim */
    carom_sim *sim;
    void *own;             /* of the method, for this sim */
    struct carom_sweep_lanes *lanes; /* points computed ahead; NULL: none */
    long long index;       /* of the present point */
    bool (*stop)(void *user); /* NULL: never */
    void *user;
} carom_sweep_worker;

/* Fails where every point would: the model cannot be loaded, an option or an expression is wrong. */
carom_status carom_sweep_worker_new(carom_sweep_worker **worker, const carom_sweep *sweep, carom_error *error);
void carom_sweep_worker_free(carom_sweep_worker *worker); /* NULL is fine */
/* row->index is given, row->value is the caller's; false: interrupted, there is no row. */
bool carom_sweep_worker_run(carom_sweep_worker *worker, carom_sweep_row *row);
/* Puts the model at a point. */
carom_status carom_sweep_worker_set(carom_sweep_worker *worker, long long index, carom_error *error);
/* The options of a run of the model as it stands. */
carom_status carom_sweep_options(const carom_sweep *sweep, const carom_model *model, carom_options *options,
                                 carom_error *error);
bool carom_sweep_same_options(const carom_options *a, const carom_options *b);
/* Runs sim to time t: CAROM_STOPPED where the model's stop condition ends it; asks stop on the way. */
carom_status carom_sweep_worker_advance(carom_sweep_worker *worker, double t, carom_error *error);
/* The transient and the whole time of the model's present point, with its options; periods of a model that has none
 * fail. */
carom_status carom_sweep_worker_span(const carom_sweep_worker *worker, const carom_options *options, double *transient,
                                     double *end, carom_error *error);

/* ---- the points that are left ---- */
typedef struct carom_sweep_todo {
    const carom_sweep *sweep;
    long long next;      /* k-th point of the shard */
    long long count;     /* points of the shard */
    long long done;      /* marked */
    unsigned char *mark; /* bits of those that are done; NULL: none */
} carom_sweep_todo;
carom_status carom_sweep_todo_new(carom_sweep_todo *todo, const carom_sweep *sweep, carom_error *error);
carom_status carom_sweep_todo_mark(carom_sweep_todo *todo, long long index, carom_error *error); /* it is done */
int carom_sweep_todo_take(carom_sweep_todo *todo, long long *index, int most);                  /* 0: nothing is left */
void carom_sweep_todo_free(carom_sweep_todo *todo);

/* ---- running ---- */
/* where points come from and rows go; take and put are called by one thread at a time */
typedef struct carom_sweep_feed {
    void *user;
    int (*take)(void *user, long long *index, int most); /* 0: no more */
    /* a failure ends the sweep */
    carom_status (*put)(void *user, const carom_sweep_row *rows, int n, carom_error *error);
    bool (*stop)(void *user);                            /* asked by all threads */
} carom_sweep_feed;
/* threads 0: one for each core. CAROM_INTERRUPTED when stop said so. */
carom_status carom_sweep_run(const carom_sweep *sweep, int threads, const carom_sweep_feed *feed, carom_error *error);

/* ---- measures ---- */
typedef enum carom_measure_kind {
    CAROM_MEASURE_LYAPUNOV, CAROM_MEASURE_IMPACTS, CAROM_MEASURE_ZENO, CAROM_MEASURE_REST, CAROM_MEASURE_TIME,
    CAROM_MEASURE_MAX, CAROM_MEASURE_MIN, CAROM_MEASURE_MEAN, CAROM_MEASURE_FINAL, /* these take an expression */
    CAROM_MEASURES
} carom_measure_kind;
typedef struct carom_measure {
    carom_measure_kind kind;
    const char *expression; /* of "max:u"; NULL: takes none */
} carom_measure;
/* ---- lanes.c: exponents of many points at once, on the lanes of an ensemble ---- */
typedef struct carom_sweep_exponent {
    long transient, length; /* given: in units of the period, or of time */
    carom_status status;
    const char *text;
    double largest, impacts;
} carom_sweep_exponent;
/* How long to measure an exponent at the present point, in whole periods. */
carom_status carom_sweep_exponent_span(const carom_sweep_worker *worker, const carom_options *options, long *transient,
                                       long *length, carom_error *error);
void carom_sweep_lanes_ahead(carom_sweep_worker *worker, const long long *index, int n);
/* NULL: not computed */
const carom_sweep_exponent *carom_sweep_lanes_find(const carom_sweep_worker *worker, long long index);
void carom_sweep_lanes_free(struct carom_sweep_lanes *lanes);

extern const carom_sweep_method carom_sweep_measures; /* task: carom_measure [ncolumn] */
carom_status carom_measure_read(carom_measure *measure, const char *text, carom_error *error);

#endif
