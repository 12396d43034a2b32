/* couplings.h: a Newton matrix with forces between two blocks of velocities (couplings.c). */
#ifndef CAROM_COUPLINGS_H
#define CAROM_COUPLINGS_H

#include "core/sparse/sparse.h"
#include "model/structure.h"

typedef struct carom_couplings { /* of the matrix that was factored last */
    carom_arena *arena;    /* it lives in */
    int n;                 /* those with K > 0 */
    int *which;            /* [ncoupling] their numbers in the model */
    double *soft;          /* [ncoupling] 1/K of those */
    double *C;             /* as in the evaluation: the rows of all */
    const carom_span *span; /* [ncoupling] where they stand in C */
    carom_pattern pattern; /* of blocks that are coupled, and of each alone */
    size_t *offset;        /* [entries + 1] first value of an entry */
    double *value;         /* the matrix */
    carom_sparse *lu;
} carom_couplings;

/* For the blocks and couplings of a model. NULL: no memory. */
carom_couplings *carom_couplings_new(const carom_model *model);
void carom_couplings_free(carom_couplings *couplings); /* NULL is fine */
/* A = A_0 + sum of K C^T C factored, A_0 by blocks, K [ncoupling] and C of all; false: it is singular. */
bool carom_couplings_factor(carom_couplings *couplings, const carom_model *model, const double *A0, const double *K,
                            const double *C);
void carom_couplings_solve(const carom_couplings *couplings, double *x); /* x <- A^-1 x */

#endif
