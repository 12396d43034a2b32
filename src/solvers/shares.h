/* shares.h: which forces, where many give the same motion. A table on four legs, a stack of boxes: the equations of the
 * modes leave the shares of redundant contacts open, and with slip they even decide the motion. The choice made here:
 * for the modes found, the normal forces of least norm in the metric of W's diagonal, coincident contacts counted once.
 * It is unique, so it does not depend on the order of the contacts or on the solution a solver came upon; with friction
 * the set of solutions is not convex, and this is a stated choice, not 'the' solution. Any scheme may ask for it. */
#ifndef CAROM_SHARES_H
#define CAROM_SHARES_H

#include "problem/problem.h"

typedef enum carom_shared {
    CAROM_SHARED_UNIQUE, /* there was nothing to choose: x is left alone, to the bit */
    CAROM_SHARED,        /* x is the share of least norm, u = W x + b */
    CAROM_SHARED_KEPT    /* it could not be found (a law without equations, no convergence): x is left alone */
} carom_shared;

/* Bytes of work for problems up to this size. */
size_t carom_share_work(int n, int nblock);
/* x [n] is a solution of the problem, or solves the equations of its modes alone. The mode of a block is its pin, or
 * what u = W x + b says: open where u_n is above `still` of the problem's scale (1e-9 is usual), slip where u_t is,
 * otherwise it sticks or is closed, whether it carries a force or not. Equations whose pivot is below the part `rank`
 * of the largest are redundant. The residual of the share is no larger than tol or that of a solution x, relative to
 * the scale. */
carom_shared carom_problem_share(const carom_problem *problem, double still, double rank, double tol, double *x,
                                 double *u, void *work);

#endif
