/* parts.h: what the solvers share: modes that are tried, and the reduction of a problem to its undecided contacts. */
#ifndef CAROM_SOLVER_PARTS_H
#define CAROM_SOLVER_PARTS_H

#include "core/layout.h"
#include "problem/modes.h"
#include "solvers/solver.h"

/* ---- modes that are tried ---- */
/* All combinations of modes one after the other, like a number whose digits are the modes; false after the last. */
void carom_modes_first(carom_modes *modes, const carom_problem *problem);
bool carom_modes_next(carom_modes *modes, const carom_problem *problem);
/* Reads the modes off y. */
void carom_modes_guess(carom_modes *modes, const carom_problem *problem, const double *y);
/* Changes the modes to those of the law at (u, y): closed where y_n - rho u_n > 0, slip where y_t - rho u_t leaves the
 * disc. False when nothing changes. */
bool carom_modes_exchange(carom_modes *modes, const carom_problem *problem, const double *u, double *y);

/* ---- reduction: joints, pins and x0 disappear, what remains is a problem of undecided contacts ---- */
typedef struct carom_reduced {
    carom_problem problem; /* W, b after elimination, in the rows of the simpler laws; no pins, no x0 */
    int njoint;            /* rows that are held: joints and stick pins */
    int nrow;              /* njoint + problem.n */
    int *row;              /* [nrow] of the original problem */
    int *slip;             /* [nrow] pinned slip block of the original problem that the column belongs to, or -1 */
    double *friction;      /* [2*nrow] of such a block: x_t for x_n = 1 */
    double *given;         /* [n] y of slips pinned without a normal, otherwise 0 */
    bool any_given;
    bool exact;            /* the joints could be eliminated alone: the problem has no solution if this one has none */
    double *scale;         /* [nrow] of rows, see carom_law.simpler */
    double *coefficient;   /* [nblock*CAROM_COEFFICIENTS_MAX] of the simpler laws */
    double *K;             /* [nrow*nrow] before elimination of the joints; without any it is problem.W */
    double *c;             /* [nrow] */
    double *X;             /* [(1 + problem.n)*njoint] columns of K_JJ^-1 (c_J, K_JC), one per row */
    double *A;             /* [njoint*njoint] */
    double *line, *work;   /* [n] a row of a sparse W, [6*nrow] */
    int *order;            /* [nrow] */
} carom_reduced;
/* problem NULL: room for any problem of up to n rows and nblock blocks. */
void carom_reduce_place(carom_reduced *reduced, carom_layout *layout, int n, int nblock, const carom_problem *problem);
void carom_reduce(carom_reduced *reduced, const carom_problem *problem);
void carom_reduce_guess(const carom_reduced *reduced, const carom_problem *problem, const double *x, double *y);
void carom_reduce_expand(carom_reduced *reduced, const carom_problem *problem, const double *y, double *x);

/* Counts the undecided contacts by what they decide, as the reduction leaves them. */
typedef struct carom_census {
    int frictionless; /* contact or not */
    int line, plane;  /* and the sense, or the direction of slip */
    int other;        /* laws whose slip has no equations in modes.c */
} carom_census;
carom_census carom_problem_census(const carom_problem *problem);
bool carom_census_few(const carom_census *count); /* combinations of modes: all can be tried */

/* ---- components ---- */
/* label [nblock]: the number of the group that a block belongs to, counted by their first blocks; returns how many. */
int carom_problem_components(const carom_problem *problem, int *label);
/* Solves each group alone, if there are several (*apart); x and the counts of solve are filled, it is not judged. */
carom_status carom_components_solve(const carom_problem *problem, carom_solve *solve, bool *apart, carom_error *error);


/* ---- groups of bodies ---- */
/* Solves each group alone, if W is a product of several (*apart): x, u, the residual and the counts of solve are
 * filled. It has an arena and no judge of its own. */
carom_status carom_groups_solve(const carom_problem *problem, carom_solve *solve, bool *apart, carom_error *error);

#endif
