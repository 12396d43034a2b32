/* system.h: a model together with the memory to evaluate it: what contact blocks and schemes work on. */
#ifndef CAROM_SYSTEM_H
#define CAROM_SYSTEM_H

#include "core/core.h"
#include "core/dense.h"
#include "core/layout.h"
#include "laws/law.h"

typedef struct carom_link { /* a joint or a contact: one block of rows */
    const char *name;
    const carom_law *law;
    int row, rows;
    int contact; /* its number, -1 for a joint */
} carom_link;

typedef struct carom_factor { /* of the matrix that maps velocities to impulses: M, or M with implicit forces */
    int n;
    bool symmetric; /* Cholesky, else LU */
    double *A;      /* [n*n]; the matrix itself for n = 1 */
    int *pivot;     /* [n] */
} carom_factor;

typedef struct carom_system {
    const carom_model *model;
    const carom_evaluator *evaluator;
    void *evaluator_work;
    int nq, nv, nrow, nlink, njoint;
    carom_link *link; /* [nlink]: the joints, then the contacts */
    double *p;        /* [np] */
    unsigned room;    /* what there are arrays for */
    unsigned known;   /* constants that have been evaluated: never again */
    double *zero;     /* [max(nv, nrow)] stands in for a and x where nobody gives them */
    carom_eval at;    /* what was evaluated last, in arrays of the system's own */
    carom_factor mass;
    unsigned frozen;    /* CAROM_SWITCH: evaluated with the branches at.d; 0: with its own */
    bool mass_factored; /* and constant */
    bool no_gradients;  /* R_q and R_v are constant and 0: F depends on t alone */
    carom_info *info;
} carom_system;

/* Places the arrays that the masks in want need. */
void carom_system_layout(carom_layout *layout, carom_system *system, const carom_model *model, unsigned want);
/* New parameters: the evaluator's prologue, then everything constant. at a start (t, q, v). */
void carom_system_begin(carom_system *system, double t, const double *q, const double *v);
/* Fills system->at with what is wanted and not constant. a, x, s of the derivatives are set by the caller. */
static inline void carom_system_eval(carom_system *system, unsigned want, double t, const double *q, const double *v)
{
    carom_eval *at = &system->at;
    want &= ~system->known;
    if (!want)
        return;
    at->want = want | system->frozen;
    at->t = &t, at->q = q, at->v = v;
    system->evaluator->eval(system->model, at, system->evaluator_work);
    if (want & CAROM_FORCE)
        system->info->rhs_evaluations++;
}
/* q + h v: positions move through here alone. out may be q. */
static inline void carom_system_drift(const carom_system *system, const double *q, const double *v, double h,
                                      double *out)
{
    for (int i = 0; i < system->nq; i++)
        out[i] = q[i] + h * v[i];
}

/* Factors the M evaluated last; a constant one only once. */
carom_status carom_mass_refactor(carom_system *system, double t, carom_error *error);
static inline carom_status carom_mass_factor(carom_system *system, double t, carom_error *error)
{
    return system->mass_factored ? CAROM_OK : carom_mass_refactor(system, t, error);
}

/* x <- A^-1 x */
static inline void carom_factor_solve(const carom_system *system, const carom_factor *factor, double *x)
{
    system->info->linear_solves++;
    if (factor->n == 1)
        x[0] /= factor->A[0];
    else if (factor->symmetric)
        carom_cholesky_solve(factor->n, factor->A, x);
    else
        carom_lu_solve(factor->n, factor->A, factor->pivot, x);
}

#endif
