/* delassus.h: the operator W of a one-step problem in one of three forms: dense, block-sparse by the graph of contacts
 * (blocks k and l are neighbours when an impulse at l moves k; what is not stored is 0), or as the product W = G Y^T of
 * rows that have one or two column blocks: contacts of many bodies, and soft rows beside them. Everybody but those who
 * fill W comes through these functions; a solver says in its `forms` what it takes. */
#ifndef CAROM_DELASSUS_H
#define CAROM_DELASSUS_H

#include "model/structure.h"

struct carom_problem;

enum { CAROM_DENSE = 1, CAROM_SPARSE = 2, CAROM_PRODUCT = 4 }; /* forms */

typedef struct carom_product { /* the rows of a block stand one behind the other, in G and in Y alike */
    const carom_span *span; /* of each row of G and Y; NULL: W has another form */
    const int *row;         /* [nblock] the first row of a block */
    const double *G, *Y;
    double *diagonal;       /* [9*nblock] W_kk, rows x rows numbers each */
    double *v, *push;       /* [nv] Y^T x; of its terms the largest in each component */
    int nv;
    int nsoft;              /* the last blocks, of one row each, which yield: W_kk is G_k Y_k^T + soft */
    const double *soft;     /* [nsoft] > 0 */
} carom_product;

/* Of block k of nblock; 0: it does not yield. */
static inline double carom_product_soft(const carom_product *W, int nblock, int k)
{
    return k < nblock - W->nsoft ? 0 : W->soft[k - (nblock - W->nsoft)];
}

typedef struct carom_delassus {
    double *dense;  /* [n*n] row-major; NULL: one of the others */
    size_t *start;  /* [nblock + 1] entries of block row k: start[k] <= e < start[k + 1] */
    int *column;    /* [entries] block column l, ascending in each row; the diagonal block is always there */
    size_t *offset; /* [entries + 1] of the first value of an entry */
    double *value;  /* [offset[entries]] rows(k) x rows(l) numbers of each entry, row-major */
    carom_product product;
} carom_delassus;

/* A block (k, l): its values with rows `stride` apart; NULL where it vanishes. Of a product only (k, k). */
const double *carom_delassus_block(const struct carom_problem *problem, int k, int l, int *stride);
/* Sum of the diagonal of W in block k. */
double carom_delassus_trace(const struct carom_problem *problem, int k);
/* u <- u + W x */
void carom_delassus_add(const struct carom_problem *problem, const double *x, double *u);
/* q = b_k + sum of W_kl x_l over l != k; q [rows of k] */
void carom_delassus_others(const struct carom_problem *problem, int k, const double *x, double *q);
/* The largest |W_ij x_j| in the rows of block k; NaN do not count. */
double carom_delassus_term(const struct carom_problem *problem, int k, const double *x);
/* u_k <- u_k + (W x)_k, u [rows of k]; returns the same. */
double carom_delassus_add_block(const struct carom_problem *problem, int k, const double *x, double *u);
bool carom_delassus_finite(const struct carom_problem *problem);
/* The block-sparse W of a problem whose blocks are known, from values at (row, column); those at the same place add. */
carom_status carom_delassus_assemble(struct carom_problem *problem, carom_arena *arena, size_t count, const int *row,
                                     const int *column, const double *value, carom_error *error);

/* A product as a block-sparse W: all in the arena but the blocks, b and x0, which are shared. */
carom_status carom_delassus_expand(const struct carom_problem *problem, carom_arena *arena, struct carom_problem *out,
                                   carom_error *error);
/* Of a product whose G and Y are filled: its diagonal blocks. */
void carom_product_diagonal(struct carom_problem *problem);
/* Of a product: v [nv] = Y^T x; push [nv] (may be NULL) the largest of the terms that are added up in v. */
void carom_product_velocities(const struct carom_problem *problem, const double *x, double *v, double *push);
/* u of block k, G_k v added to what is there, without what is soft. */
void carom_product_add(const struct carom_problem *problem, int k, const double *v, double *u);
/* Before carom_delassus_add_block is called for some x. */
static inline void carom_delassus_begin(const struct carom_problem *problem, const carom_delassus *W, const double *x)
{
    if (W->product.span)
        carom_product_velocities(problem, x, W->product.v, W->product.push);
}

/* The neighbours of block k, itself included, in ascending order:
 *     carom_neighbour l = {0};
 *     while (carom_delassus_next(problem, k, &l)) ... l.block, l.W, l.stride ... */
typedef struct carom_neighbour {
    int block;
    const double *W;
    int stride;
    size_t next;
} carom_neighbour;
bool carom_delassus_next(const struct carom_problem *problem, int k, carom_neighbour *neighbour);

#endif
