/* parts.h: what the solvers share: the exact solve of one contact, the solve with given modes, and the reduction of a
 * problem to its undecided contacts. */
#ifndef CAROM_SOLVER_PARTS_H
#define CAROM_SOLVER_PARTS_H

#include "core/layout.h"
#include "solvers/solver.h"

/* Pivots below this part of the largest count as dependent: redundant rows are exact copies up to rounding. */
#define CAROM_RANK_TOL 1e-11

/* One contact: y with (W y + b, y) in the law; W is the diagonal block inside of a matrix with rows of length stride.
 * The best found if there is no solution. */
void carom_one_unilateral(double mu, const double *W, int stride, const double *b, double *y);
void carom_one_planar(double mu, const double *W, int stride, const double *b, double *y);
void carom_one_spatial(double mu, const double *W, int stride, const double *b, double *y);
static inline void carom_one(const carom_block *block, const double *W, int stride, const double *b, double *y)
{
    if (block->law->rows == 1)
        carom_one_unilateral(block->mu, W, stride, b, y);
    else if (block->law->rows == 2)
        carom_one_planar(block->mu, W, stride, b, y);
    else
        carom_one_spatial(block->mu, W, stride, b, y);
}

/* ---- given modes ---- */
enum { CAROM_FIX_STICK, CAROM_FIX_SLIP_PLUS, CAROM_FIX_SLIP_MINUS, CAROM_FIX_OPEN }; /* stick: also closed */
typedef struct carom_modes {
    unsigned char *mode;      /* [nblock] */
    bool nearest;             /* among many solutions: the nearest to y instead of the smallest */
    double *A;                /* [active*active] */
    double *F, *work;         /* [n] [5n] */
    int *row, *order;         /* [n] [n] */
} carom_modes;
/* For problems of n rows, of which at most `active` belong to contacts that are not open. */
void carom_modes_place(carom_modes *modes, carom_layout *layout, int n, int nblock, int active);
/* Reads the modes off y. */
void carom_modes_guess(carom_modes *modes, const carom_problem *problem, const double *y);
/* Changes the modes to those of the law at (u, y): closed where y_n - rho u_n > 0, slip where y_t - rho u_t leaves the
 * disc. False when nothing changes. */
bool carom_modes_exchange(carom_modes *modes, const carom_problem *problem, const double *u, double *y);
/* Solves the equations of the modes (Newton's method, since the direction of a spatial slip is unknown), starting from
 * y; the inequalities are left to the residual. False when it does not converge. */
bool carom_modes_solve(carom_modes *modes, const carom_problem *problem, double *y);

/* ---- reduction: joints, pins and x0 disappear, what remains is a problem of undecided contacts ---- */
typedef struct carom_reduced {
    carom_problem problem; /* W, b after elimination; law unilateral or Coulomb; no pins, no x0 */
    int njoint;            /* rows that are held: joints and stick pins */
    int nrow;              /* njoint + problem.n */
    int *row;              /* [nrow] of the original problem */
    int *slip;             /* [nrow] pinned slip block of the original problem that the column belongs to, or -1 */
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

/* Counts the undecided contacts by kind, as the reduction leaves them. */
typedef struct carom_census {
    int frictionless, planar, spatial;
} carom_census;
carom_census carom_problem_census(const carom_problem *problem);

#endif
