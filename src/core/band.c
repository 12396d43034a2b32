/* band.c: factors of larger matrices with few entries: a band, a skyline, and an order that keeps them narrow.
 *
 * LU, row k below its pivot:   l = a_ik/a_kk,  a_ij -= l a_kj                    as dense.c, within the band
 * Multipliers stay where they arise: after a swap they belong to the order of rows at that step, and the solution
 * repeats the swaps one by one. Without swaps the rows of L are complete, and the sums are those of dense.c.
 *
 * Order: from a node at the end of a longest shortest path, level by level, those with few neighbours first; reversed.
 * Source: E. Cuthill, J. McKee, Proc. 24th Nat. Conf. ACM (1969) 157-172, and the reversal of A. George (1971). */
#include "core/band.h"

#include <math.h>

#include "core/core.h"
#include "core/dense.h"

static void swap_rows(double *a, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

bool carom_band_lu(int n, int lower, int upper, double *A, int *pivot, bool *swapped)
{
    size_t width = carom_band_width(lower, upper);
    *swapped = false;
    for (int k = 0; k < n; k++) {
        double *top = A + (size_t)k * width + lower; /* (k, k); (i, k) stands i - k rows down, i - k to the left */
        int last = CAROM_MIN(n - 1, k + lower), right = CAROM_MIN(n - 1 - k, lower + upper), best = k;
        for (int i = k + 1; i <= last; i++)
            if (fabs(A[(size_t)i * width + (size_t)(lower - (i - k))]) >
                fabs(A[(size_t)best * width + (size_t)(lower - (best - k))]))
                best = i;
        pivot[k] = best;
        if (best != k) {
            swap_rows(top, A + (size_t)best * width + (lower - (best - k)), right + 1);
            *swapped = true;
        }
        if (!(*top != 0 && fabs(*top) <= DBL_MAX))
            return false;
        for (int i = k + 1; i <= last; i++) {
            double *row = A + (size_t)i * width + (lower - (i - k)), factor = *row /= *top;
            for (int j = 1; factor != 0 && j <= right; j++)
                row[j] -= factor * top[j];
        }
    }
    return true;
}

void carom_band_lu_solve(int n, int lower, int upper, const double *LU, const int *pivot, bool swapped, double *x)
{
    size_t width = carom_band_width(lower, upper);
    int beyond = swapped ? lower + upper : upper;
    if (swapped)
        for (int k = 0; k < n; k++) {
            double t = x[pivot[k]];
            x[pivot[k]] = x[k], x[k] = t;
            for (int i = k + 1; i <= CAROM_MIN(n - 1, k + lower); i++)
                x[i] -= LU[(size_t)i * width + (size_t)(lower - (i - k))] * t;
        }
    else
        for (int i = 1; i < n; i++) {
            int m = CAROM_MIN(i, lower);
            x[i] -= carom_dot(m, LU + (size_t)i * width + (lower - m), x + i - m);
        }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = LU + (size_t)i * width + lower;
        int m = CAROM_MIN(n - 1 - i, beyond);
        x[i] = (x[i] - carom_dot(m, row + 1, x + i + 1)) / row[0];
    }
}

bool carom_skyline_cholesky(int n, const int *first, const size_t *start, double *A)
{
    for (int i = 0; i < n; i++) {
        double *row = A + start[i];
        for (int j = first[i]; j < i; j++) {
            int from = CAROM_MAX(first[i], first[j]);
            const double *above = A + start[j];
            double sum = carom_dot(j - from, row + (from - first[i]), above + (from - first[j]));
            row[j - first[i]] = (row[j - first[i]] - sum) / above[j - first[j]];
        }
        double *diagonal = row + (i - first[i]), pivot = *diagonal - carom_dot(i - first[i], row, row);
        if (!(pivot > 0 && pivot <= DBL_MAX))
            return false;
        *diagonal = sqrt(pivot);
    }
    return true;
}

void carom_skyline_solve(int n, const int *first, const size_t *start, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = L + start[i];
        int m = i - first[i];
        x[i] = (x[i] - carom_dot(m, row, x + first[i])) / row[m];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + start[i];
        int m = i - first[i];
        x[i] /= row[m];
        for (int j = 0; j < m; j++)
            x[first[i] + j] -= row[j] * x[i];
    }
}

/* ---- the order ---- */

/* All nodes that can be reached from `root` and are not numbered yet (degree >= 0), level by level, behind order[from];
 * returns their end. Marks them by ~degree. */
static int levels(int n, const unsigned char *near, int root, int *order, int from, int *degree)
{
    int end = from;
    order[end++] = root;
    degree[root] = ~degree[root];
    for (int k = from; k < end; k++) {
        int begin = end;
        for (int j = 0; j < n; j++) {
            if (degree[j] < 0 || !near[(size_t)order[k] * (size_t)n + (size_t)j])
                continue;
            int at = end++;
            for (; at > begin && ~degree[order[at - 1]] > degree[j]; at--) /* few neighbours first */
                order[at] = order[at - 1];
            order[at] = j;
            degree[j] = ~degree[j];
        }
    }
    return end;
}

void carom_band_order(int n, const unsigned char *near, int *order, int *degree)
{
    int done = 0;
    for (int i = 0; i < n; i++) {
        degree[i] = 0;
        for (int j = 0; j < n; j++)
            degree[i] += j != i && near[(size_t)i * (size_t)n + (size_t)j];
    }
    for (int root = 0; root < n; root++) {
        if (degree[root] < 0)
            continue;
        int from = root, end = done;
        for (int pass = 0; pass < 3; pass++) { /* twice to the far end, then the order itself */
            end = levels(n, near, from, order, done, degree);
            from = order[end - 1];
            for (int k = done; pass < 2 && k < end; k++)
                degree[order[k]] = ~degree[order[k]];
        }
        done = end;
    }
    for (int k = 0; k < n / 2; k++) {
        int t = order[k];
        order[k] = order[n - 1 - k], order[n - 1 - k] = t;
    }
}
