/* ensemble.h: many independent runs of one model, eight at a time.
 *
 * A job is one run: initial values, parameters, how long. An ensemble works on eight jobs at once, one per lane of the
 * evaluator; each lane has its own time, step and events, and takes the next job when it has finished one. What a job
 * yields depends on the job alone: not on its neighbours, the order, or the number of ensembles (one per thread) that
 * share the work. Steps, error control, tolerances and events are those of the scheme `tolerance`; what is not a free
 * flight or an isolated impact (rest, chatter about to end, friction at an impact, joints, stiff forces, several
 * contacts at once) is computed by a carom_sim of that scheme with a carom_tangent, after which the lane goes on.
 * With options.scheme = "exact" flights and their tangents are in closed form (exact.c). */
#ifndef CAROM_ENSEMBLE_H
#define CAROM_ENSEMBLE_H

#include "analysis/lyapunov/lyapunov.h"

typedef struct carom_job { /* copied when it is taken */
    long id;
    const double *q, *v, *p; /* [nq] [nv] [np]; NULL: the model's */
    const double *X;         /* [(nq+nv)*columns] columns at t = 0, row-major; NULL: those of the identity */
    double strobe;         /* time between two strobes: columns are orthonormalised there; 0: the period with p, or 1 */
    long transient, strobes; /* strobes before anything is counted; strobes that count */
    int blocks;              /* of the averages of ln r_ii over the strobes that count; 0: no averages */
} carom_job;

typedef struct carom_job_result {
    long id;
    carom_status status; /* CAROM_OK, CAROM_STOPPED by a callback or the model, or a failure */
    const char *text;    /* one sentence about a failure; "" */
    double t;            /* reached */
    const double *q, *v; /* [nq] [nv] there */
    const double *X;     /* [(nq+nv)*columns] there, orthonormal */
    const double *log_r; /* [columns] sums of ln r_ii over the strobes that count; -INFINITY after a loss of rank */
    const carom_averages *averages; /* of the same, with error bars; if the job wants blocks */
    double time;         /* that counts */
    double log_det;      /* over that time: integral of tr(da/dv) + sum of ln|det S| */
    double slowest;      /* smallest |gdot| of an impact */
    long impacts;
    unsigned flags;      /* CAROM_TANGENT_* */
    long steps, serial;  /* accepted steps of the lane; of the simulation that took over */
} carom_job_result;

typedef struct carom_strobe {
    long id, k;          /* k = 1 .. transient + strobes */
    bool counts;         /* not part of the transient */
    double t;
    const double *q, *v; /* [nq] [nv] */
    const double *log_r; /* [columns] of this interval */
    long impacts;        /* since the start of the job, the transient included */
    const carom_averages *averages; /* so far; NULL: another part of their length is not yet done */
} carom_strobe;

typedef struct carom_impact {
    long id;
    int contact;
    double t;
    const double *q, *v_before, *v_after; /* [nq] [nv] [nv] */
    double u_before, u_after;             /* gdot */
} carom_impact;

typedef struct carom_ensemble_calls {
    void *user;
    bool (*next)(void *user, carom_job *job);                      /* false: there are no more */
    void (*done)(void *user, const carom_job_result *result);
    bool (*strobe)(void *user, const carom_strobe *strobe);        /* may be NULL; false ends the job: CAROM_STOPPED */
    void (*impact)(void *user, const carom_impact *impact);        /* may be NULL */
    bool (*stop)(void *user);                               /* asked on the way: true interrupts the run; may be NULL */
} carom_ensemble_calls;

typedef struct carom_ensemble carom_ensemble;
/* columns: 0 .. nq+nv directions of initial values. options NULL: the defaults. One object per thread; the model is
 * shared. */
carom_status carom_ensemble_new(carom_ensemble **ensemble, const carom_model *model, const carom_options *options,
                                int columns, carom_error *error);
void carom_ensemble_free(carom_ensemble *ensemble); /* NULL is fine */
/* Works until next says false and every job is done. Failures of a job are part of its result. CAROM_INTERRUPTED:
 * jobs that were under way are dropped without a call of done. */
carom_status carom_ensemble_run(carom_ensemble *ensemble, const carom_ensemble_calls *calls);
void carom_ensemble_interrupt(carom_ensemble *ensemble); /* from a signal handler or another thread */

#endif
