/* qr.c: columns made orthonormal.
 *
 *   x_j <- x_j - sum_{i<j} q_i (q_i . x_j)   twice,   r_jj = |x_j|,   q_j = x_j/r_jj
 *
 * Once loses orthogonality in proportion to how dependent the columns have become; twice is enough for rounding. A
 * column that depends on those before it, or is 0, becomes 0 with r_jj = 0 or what rounding has left. */
#include <math.h>

#include "analysis/lyapunov/lyapunov.h"

/* A generator of its own makes them the same everywhere. */
void carom_columns_begin(int rows, int n, double *X)
{
    unsigned long long seed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < rows * n; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        X[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
}

static double product(int rows, int n, const double *X, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < rows; k++)
        sum += X[k * n + i] * X[k * n + j];
    return sum;
}

void carom_orthonormalize(int rows, int n, double *X, double *r)
{
    for (int j = 0; j < n; j++) {
        for (int twice = 0; twice < 2 && j > 0; twice++)
            for (int i = 0; i < j; i++) {
                double part = product(rows, n, X, i, j);
                for (int k = 0; k < rows; k++)
                    X[k * n + j] -= part * X[k * n + i];
            }
        r[j] = sqrt(product(rows, n, X, j, j));
        for (int k = 0; k < rows; k++)
            X[k * n + j] = r[j] > 0 ? X[k * n + j] / r[j] : 0;
    }
}
