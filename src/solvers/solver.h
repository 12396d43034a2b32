/* solver.h: problem -> impulses or forces. One method per file behind one interface. */
#ifndef CAROM_SOLVER_H
#define CAROM_SOLVER_H

#include <signal.h>

#include "problem/problem.h"

/* Relative residual of x; u [n] receives W x + b, *worst the block with the largest. */
typedef double carom_judge(const carom_problem *problem, const double *x, double *u, int *worst);

typedef struct carom_solve {  /* one call: what is asked and what came back */
    const double *field;      /* values of the named solver's fields, in the order of its table; NULL: standard */
    double tol;               /* a relative residual up to this is a solution */
    double better;            /* iterations go on to this as long as they gain much; 0: tol is enough */
    double enough;            /* what is asked for where tol is less: iterations that gain little end there */
    bool near;                /* of several solutions one near the first guess: proximal points come first */
    double *x;                /* [n] in: first guess, out: the best found */
    double *u;                /* [n] out: W x + b */
    void *work;               /* at least carom_solver_work bytes */
    carom_arena *arena;       /* of methods whose memory follows the problem, for the call; NULL: without those */
    int threads;              /* that may share the work of large problems; no bit depends on it. 0: one */
    double time_limit;        /* seconds for all that is tried; 0: none. Small problems do not look at it */
    double deadline;          /* when they are over: set by carom_problem_solve for the calls within it; 0: none */
    const volatile sig_atomic_t *cancel; /* not 0: iterations end, CAROM_INTERRUPTED; may be NULL */
    carom_judge *judge;       /* relative residual; NULL: carom_problem_relative */
    double residual;          /* out: relative, by the judge */
    int iterations;           /* out */
    int factorisations;       /* out, of those methods */
    const char *by;           /* out: the method that has decided */
    int worst;                /* out: block of the largest residual */
    bool none;                /* out, on failure: it was shown that there is no solution */
} carom_solve;

static inline bool carom_cancelled(const carom_solve *solve)
{
    return solve->cancel && *solve->cancel;
}

typedef struct carom_solver {
    carom_method method;
    unsigned forms;                                          /* of W: CAROM_DENSE, CAROM_SPARSE, CAROM_PRODUCT */
    bool (*takes)(const carom_problem *problem);             /* can it solve problems of this kind and size? */
    bool whole;                                              /* eliminates nothing; takes memory of solve->arena */
    size_t (*work)(int n, int nblock);                       /* bytes for problems up to this size */
    /* Fills x; the caller judges. Called by carom_problem_solve only, after the elimination of joints, pins and x0: all
     * blocks are contacts with mu > 0 or without friction. */
    void (*solve)(const carom_problem *problem, carom_solve *solve);
} carom_solver;

static inline size_t carom_no_work(int n, int nblock) /* of methods that take all their memory of the arena */
{
    (void)n, (void)nblock;
    return 0;
}

/* Up to so many rows a problem is small: dense, from a cold start, by methods that are exact. Beyond it is sparse and
 * starts from what the last step has left. */
enum { CAROM_SMALL_ROWS = 60 };

extern const carom_solver carom_solver_enumeration, carom_solver_lemke, carom_solver_nsgs;
extern const carom_solver carom_solver_pgs, carom_solver_newton;
extern const carom_solver carom_solver_proximal, carom_solver_interior, carom_solver_mixed;
extern const carom_solver carom_solver_condensed, carom_solver_alart_curnier, carom_solver_swept, carom_solver_gradient;

double carom_problem_judge(const carom_problem *problem, const carom_solve *solve, const double *x, double *u,
                           int *worst);
const carom_solver *carom_solver_list(int i);                /* NULL after the last */
const carom_solver *carom_solver_find(const char *name);
/* Bytes that the solver (NULL: any of the list) needs for problems up to this size. */
size_t carom_solver_work(const carom_solver *solver, int n, int nblock);
/* Solves with the given solver, or with the fitting ones in turn (solver NULL) until one's result passes the residual;
 * judges every result outside of the solver. Failures leave the best x: CAROM_NO_SOLUTION when it was shown that there
 * is none, CAROM_NOT_CONVERGED otherwise, CAROM_NOT_FINITE, CAROM_UNSUPPORTED, CAROM_INTERRUPTED
 * (`cancel`). CAROM_NO_MEMORY: the arena is too small (carom_arena_missing), nothing is said of the problem. Allocates
 * nothing but through the arena; without work (NULL) only the methods run that take memory of it. */
carom_status carom_problem_solve(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                 carom_error *error);
/* z [n] that shows that there is no solution (certificate.c); false: none was found. */
bool carom_problem_certificate(const carom_problem *problem, carom_arena *arena, double *z);

#endif
