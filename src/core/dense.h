/* dense.h: small dense linear algebra, row-major, for n up to about 30: factors live in the caller's memory. */
#ifndef CAROM_DENSE_H
#define CAROM_DENSE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "core/layout.h"

/* A = L L^T in the lower triangle of A; false when A is not positive definite (or not finite). */
bool carom_cholesky(int n, double *A);
void carom_cholesky_solve(int n, const double *L, double *x); /* x <- A^-1 x */

/* The same bits, without what is 0 at the begin of rows: first [n] is set, then used. */
bool carom_cholesky_from(int n, double *A, int *first);
void carom_cholesky_solve_from(int n, const double *L, const int *first, double *x);

/* Partial pivoting; false when a pivot vanishes or is not finite. pivot [n] */
bool carom_lu(int n, double *A, int *pivot);
void carom_lu_solve(int n, const double *LU, const int *pivot, double *x); /* x <- A^-1 x */
/* Are the pivots of a factored matrix all above this part of the largest? */
bool carom_lu_pivots(int n, const double *LU, double part);
static inline bool carom_lu_clear(int n, double *A, int *pivot, double part) /* factors a matrix that is regular so */
{
    return carom_lu(n, A, pivot) && carom_lu_pivots(n, A, part);
}
/* Of a matrix that is often the one of last time, as with constant coefficients and steps: factored only if a bit of it
 * has changed. */
typedef struct carom_kept_lu {
    int n;            /* 0: none is kept */
    double *A, *LU;   /* [most*most] */
    int *pivot;       /* [most] */
    long made;        /* factorisations so far */
} carom_kept_lu;
void carom_kept_lu_place(carom_layout *layout, carom_kept_lu *kept, size_t most);
bool carom_kept_lu_factor(carom_kept_lu *kept, int n, const double *A);
static inline void carom_kept_lu_solve(const carom_kept_lu *kept, double *x)
{
    carom_lu_solve(kept->n, kept->LU, kept->pivot, x);
}

/* Minimum-norm least-squares solution x of A x = b for any m x n matrix A of any rank (A and b are destroyed),
 * by a complete orthogonal decomposition with column pivoting; work [m + 3 n], order [n]. Returns the rank:
 * columns whose pivot falls below rtol times the largest count as dependent. */
int carom_least_squares(int m, int n, double *A, double *b, double *x, double rtol, double *work, int *order);

/* y = A x, y = A^T x with A m x n */
void carom_multiply(int m, int n, const double *A, const double *x, double *y);
void carom_multiply_t(int m, int n, const double *A, const double *x, double *y);

/* Written here because systems are often so small that a call costs more than the arithmetic. */
static inline double carom_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static inline double carom_norm_max(int n, const double *x) /* +infinity if an entry is NaN */
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(x[i]);
        if (!(size <= most))
            most = size == size ? size : INFINITY;
    }
    return most;
}

static inline bool carom_all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= DBL_MAX))
            return false;
    return true;
}

static inline void carom_copy(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

#endif
