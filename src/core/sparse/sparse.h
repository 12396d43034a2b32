/* sparse.h: LU of a sparse matrix of small blocks with a symmetric pattern (the values need not be symmetric).
 *
 *     order    approximate minimum degree on the graph of blocks; what is eliminated at once is a front
 *     factor   multifrontal: each front is a small dense matrix, pivots are sought among its own rows
 *     solve    forward and backward through the fronts
 *
 * The pattern is analysed once and factored for many values. All memory comes from the arena that the object was made
 * in, and goes with it. */
#ifndef CAROM_SPARSE_H
#define CAROM_SPARSE_H

#include "core/core.h"

typedef struct carom_pattern { /* block rows k: entries start[k] <= e < start[k + 1] in columns column[e] */
    int nblock;
    const int *row;            /* [nblock + 1] first row of a block */
    const size_t *start;       /* [nblock + 1] */
    const int *column;         /* [start[nblock]] the diagonal is there, and (l, k) whenever (k, l) is */
} carom_pattern;

/* Writes block (k, l), rows x columns row-major, of the matrix to be factored; e is its entry in the pattern. */
typedef void carom_sparse_fill(void *context, int k, int l, size_t e, double *block);

typedef struct carom_sparse carom_sparse;

carom_sparse *carom_sparse_new(carom_arena *arena); /* NULL: no memory */
/* So many threads factor what is begun from now on, with the same bits as one; at first one. */
void carom_sparse_share(carom_sparse *sparse, int threads);
/* The pattern must live as long as it is used; blocks with a 0 in `in` [nblock] are left out (in NULL: none).
 * false: no memory. */
bool carom_sparse_begin(carom_sparse *sparse, const carom_pattern *pattern);
bool carom_sparse_analyse(carom_sparse *sparse, const unsigned char *in);
/* A pivot below 1e-13 of its front is replaced by that. false: a value is not finite, or there was no memory. */
bool carom_sparse_factor(carom_sparse *sparse, carom_sparse_fill *fill, void *context);
/* x <- A^-1 x in the rows of the blocks that are in. */
void carom_sparse_solve(const carom_sparse *sparse, double *x);
size_t carom_sparse_bytes(const carom_sparse *sparse);   /* of the factor */

#endif
