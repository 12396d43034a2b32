/* bifurcation.h: the points that a run leaves in a map, and a diagram on its way. */
#ifndef CAROM_BIFURCATION_H
#define CAROM_BIFURCATION_H

#include <stdatomic.h>

#include "analysis/lyapunov/lyapunov.h"
#include "carom_analysis.h"
#include "core/core.h"
#include "core/parallel.h"

typedef struct carom_mapper carom_mapper;
/* One simulation for many runs. The expressions of the request are compiled here; model and request must outlive it. */
carom_status carom_mapper_new(carom_mapper **mapper, const carom_model *model, const carom_options *options,
                              const carom_bifurcation_request *request, carom_error *error);
void carom_mapper_free(carom_mapper *mapper);
/* Runs from q, v at t = 0 with parameters p: transient, then points t, x [show] until there are enough or the limit
 * is reached. q, v become the state at the end, after whole periods. */
carom_status carom_mapper_run(carom_mapper *mapper, double *q, double *v, const double *p, long *n, double *t,
                              double *x, carom_error *error);
/* What is drawn, at a point of a run with parameters p. */
double carom_mapper_value(carom_mapper *mapper, double t, const double *q, const double *v, const unsigned char *mode,
                          const double *p);

/* ---- bifurcation.c: shared by the threads ---- */
enum { CAROM_BIFURCATION_ALIGNING = 20 }; /* periods before an exponent is counted */
typedef struct carom_bifurcation_job {
    const carom_model *model;
    const carom_options *options;
    const carom_bifurcation_request *request;
    carom_bifurcation *result;
    double *start;       /* [n*each] q, v, p of the model at each value */
    bool *missing;       /* [n] the model has no start there, only parameters */
    char why[240];       /* of the first of these */
    int each;            /* nq + nv + np */
    atomic_long next;    /* task or value to be taken */
    carom_lock lock;
    long parts, done;    /* of a value (its points, its exponent: 1 or 2); of all values, computed */
    long first;          /* value that failed, -1: none */
    atomic_bool stopped;
    carom_status status; /* of setting up */
    carom_error error;
} carom_bifurcation_job;
/* Notes that a part of value i is done, or the whole when it has failed, and asks whether to go on. */
void carom_bifurcation_note(carom_bifurcation_job *job, int pass, long i, carom_status status, const char *text);
void carom_bifurcation_fail(carom_bifurcation_job *job, carom_status status, const carom_error *error);
/* The worker for the largest exponent after a run. */
carom_status carom_bifurcation_exponent(const carom_bifurcation_job *job, carom_lyapunov **lyapunov,
                                        carom_error *error);

/* ---- lanes.c: values that begin at starts of their own, eight at a time on each thread ---- */
/* CAROM_UNSUPPORTED: not this map, model or scheme, and nothing was done. */
carom_status carom_bifurcation_lanes(carom_bifurcation_job *job);

#endif
