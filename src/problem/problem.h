/* problem.h: the one-step problem
 *
 *     u = W x + b,   (u, x + x0) in the law of each block
 *
 * for impulses x at velocity level and for forces x at acceleration level alike. A block is a joint or a contact; its
 * law tells its rows, normal first. Restitution and moving
 * surfaces are in b. W may be singular (redundant contacts) and nonsymmetric (implicit forces, pinned slip). */
#ifndef CAROM_PROBLEM_H
#define CAROM_PROBLEM_H

#include <stdio.h>

#include "laws/law.h"
#include "problem/delassus.h"

typedef struct carom_block {
    const carom_law *law;
    int row;                 /* first row */
    const double *c;         /* coefficients of the law, in the order of its fields */
    bool pinned;             /* held in a mode instead of being decided: */
    carom_mode mode;         /* open: x + x0 = 0; stick: u = 0 in all rows, x of any sign; slip: x_t is the law's for
                              * slip along direction, the normal row keeps its law */
    double direction[2];     /* of slip, unit */
} carom_block;

static inline void carom_block_pin(carom_block *block, carom_mode mode)
{
    block->pinned = true, block->mode = mode;
}
static inline bool carom_block_is(const carom_block *block, carom_mode mode) /* pinned to it? */
{
    return block->pinned && block->mode == mode;
}
/* Is slip pinned, of a law that can? */
static inline bool carom_block_slips(const carom_block *block)
{
    return carom_block_is(block, CAROM_SLIP) && block->law->tangents > 0;
}

/* Coulomb's coefficient of a block whose law has one, 0 without friction. */
static inline double carom_block_mu(const carom_block *block)
{
    return block->law->mu ? block->law->mu(block->c) : 0;
}

typedef struct carom_problem {
    int n, nblock;
    carom_block *block;      /* [nblock], rows in ascending order */
    carom_delassus W;        /* n x n */
    double *b;               /* [n] */
    double *x0;              /* [n], or NULL for 0 */
} carom_problem;

/* THE judge: u = W x + b (stored in u [n]) and the largest residual of any block, in the units of u; *worst (may be
 * NULL) is its block. +infinity if a value is not finite. */
double carom_problem_residual(const carom_problem *problem, const double *x, double *u, int *worst);
/* The same relative to the scale of the block, which depends on the tolerance asked for: x is a solution if this is not
 * above tol. Blocks of other units or of other masses do not hide each other; see residual.c. */
double carom_problem_relative(const carom_problem *problem, double tol, const double *x, double *u, int *worst);
/* The size of the problem as a whole: the largest |b| and |W_ij x_j|, or 1e-300. */
double carom_problem_scale(const carom_problem *problem, const double *x);

/* A text that holds the problem (and x, may be NULL) to the last bit, and back again: replays a step. */
carom_status carom_problem_dump(const carom_problem *problem, const double *x, FILE *file);
carom_status carom_problem_read(carom_problem **problem, double **x, carom_arena *arena, FILE *file,
                                carom_error *error);

#endif
