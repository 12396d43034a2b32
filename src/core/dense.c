/* dense.c: linear algebra for systems of one to some thirty unknowns. Sizes 1 and 2 are written out: most mechanical
 * systems with contact are that small, and then a loop costs more than the arithmetic. */
#include "core/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

void carom_multiply(int m, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < m; i++)
        y[i] = carom_dot(n, A + i * n, x);
}

void carom_multiply_t(int m, int n, const double *A, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i * n + j] * x[i];
}

/* ---- Cholesky: L_ij = (A_ij - sum_k<j L_ik L_jk)/L_jj, L_ii^2 = A_ii - sum_k<i L_ik^2 ---- */

static bool positive(double pivot)
{
    return pivot > 0 && pivot <= DBL_MAX;
}

static bool cholesky2(double *A)
{
    if (!positive(A[0]))
        return false;
    A[0] = sqrt(A[0]);
    A[2] /= A[0];
    double pivot = A[3] - A[2] * A[2];
    A[3] = sqrt(pivot);
    return positive(pivot);
}

bool carom_cholesky(int n, double *A)
{
    if (n == 1) {
        bool good = positive(A[0]);
        A[0] = sqrt(A[0]);
        return good;
    }
    if (n == 2)
        return cholesky2(A);
    for (int i = 0; i < n; i++) {
        double *row = A + i * n;
        for (int j = 0; j < i; j++) {
            const double *above = A + j * n;
            row[j] = (row[j] - carom_dot(j, row, above)) / above[j];
        }
        double pivot = row[i] - carom_dot(i, row, row);
        if (!positive(pivot))
            return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

void carom_cholesky_solve(int n, const double *L, double *x)
{
    if (n == 1) {
        x[0] = x[0] / L[0] / L[0];
        return;
    }
    if (n == 2) {
        double y0 = x[0] / L[0], y1 = (x[1] - L[2] * y0) / L[3];
        x[1] = y1 / L[3];
        x[0] = (y0 - L[2] * x[1]) / L[0];
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *row = L + i * n;
        x[i] = (x[i] - carom_dot(i, row, x)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + i * n;
        x[i] /= row[i];
        for (int j = 0; j < i; j++)
            x[j] -= row[j] * x[i];
    }
}

bool carom_cholesky_from(int n, double *A, int *first)
{
    for (int i = 0; i < n; i++) {
        first[i] = 0;
        while (first[i] < i && A[i * n + first[i]] == 0)
            first[i]++;
    }
    if (n <= 2)
        return carom_cholesky(n, A);
    for (int i = 0; i < n; i++) {
        double *row = A + i * n;
        for (int j = first[i]; j < i; j++) {
            int from = first[i] > first[j] ? first[i] : first[j];
            const double *above = A + j * n;
            row[j] = (row[j] - carom_dot(j - from, row + from, above + from)) / above[j];
        }
        double pivot = row[i] - carom_dot(i - first[i], row + first[i], row + first[i]);
        if (!positive(pivot))
            return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

void carom_cholesky_solve_from(int n, const double *L, const int *first, double *x)
{
    if (n <= 2) {
        carom_cholesky_solve(n, L, x);
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *row = L + i * n;
        x[i] = (x[i] - carom_dot(i - first[i], row + first[i], x + first[i])) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + i * n;
        x[i] /= row[i];
        for (int j = first[i]; j < i; j++)
            x[j] -= row[j] * x[i];
    }
}

/* ---- LU with partial pivoting: whole rows are swapped, L has a unit diagonal ---- */

static bool usable(double pivot)
{
    return pivot != 0 && fabs(pivot) <= DBL_MAX;
}

static void swap_rows(int n, double *a, double *b)
{
    for (int j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

static bool lu2(double *A, int *pivot)
{
    pivot[0] = fabs(A[2]) > fabs(A[0]);
    pivot[1] = 1;
    if (pivot[0])
        swap_rows(2, A, A + 2);
    if (!usable(A[0]))
        return false;
    A[2] /= A[0];
    A[3] -= A[2] * A[1];
    return usable(A[3]);
}

bool carom_lu(int n, double *A, int *pivot)
{
    if (n == 1) {
        pivot[0] = 0;
        return usable(A[0]);
    }
    if (n == 2)
        return lu2(A, pivot);
    for (int k = 0; k < n; k++) {
        double *top = A + k * n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        pivot[k] = best;
        if (best != k)
            swap_rows(n, top, A + best * n);
        if (!usable(top[k]))
            return false;
        for (int i = k + 1; i < n; i++) {
            double *row = A + i * n;
            double factor = row[k] /= top[k];
            for (int j = k + 1; j < n; j++)
                row[j] -= factor * top[j];
        }
    }
    return true;
}

void carom_lu_solve(int n, const double *LU, const int *pivot, double *x)
{
    if (n == 1) {
        x[0] /= LU[0];
        return;
    }
    for (int k = 0; k < n; k++) {
        double t = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = t;
    }
    for (int i = 1; i < n; i++)
        x[i] -= carom_dot(i, LU + i * n, x);
    for (int i = n - 1; i >= 0; i--) {
        const double *row = LU + i * n;
        x[i] = (x[i] - carom_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

bool carom_lu_pivots(int n, const double *LU, double part)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        double pivot = fabs(LU[(size_t)i * (size_t)(n + 1)]);
        least = pivot < least ? pivot : least;
        most = pivot > most ? pivot : most;
    }
    return least > part * most;
}

void carom_kept_lu_place(carom_layout *layout, carom_kept_lu *kept, size_t most)
{
    CAROM_PLACE(layout, kept->A, most * most);
    CAROM_PLACE(layout, kept->LU, most * most);
    CAROM_PLACE(layout, kept->pivot, most);
    kept->n = 0;
}

bool carom_kept_lu_factor(carom_kept_lu *kept, int n, const double *A)
{
    size_t bytes = sizeof *A * (size_t)n * (size_t)n;
    if (n == kept->n && memcmp(A, kept->A, bytes) == 0)
        return true;
    memcpy(kept->A, A, bytes);
    memcpy(kept->LU, A, bytes);
    kept->made++;
    bool regular = carom_lu(n, kept->LU, kept->pivot);
    kept->n = regular ? n : 0;
    return regular;
}

/* ---- least squares:  A P = Q (R11 R12; 0 0),  (R11 R12) = (T 0) Z,  x = P Z^T (T^-1 (Q^T b)_1; 0) ----
 * Q and Z are products of reflections 1 - v v^T/h with h = v.v/2. Norms of the remaining columns are computed anew at
 * every step (updating them cancels, and the rank is decided by them). */

static void column_norms(int m, int n, const double *A, int first, double *norm)
{
    for (int j = first; j < n; j++)
        norm[j] = 0;
    for (int i = first; i < m; i++)
        for (int j = first; j < n; j++)
            norm[j] += A[i * n + j] * A[i * n + j];
    for (int j = first; j < n; j++)
        norm[j] = sqrt(norm[j]);
}

static void swap_columns(int m, int n, double *A, int a, int b)
{
    for (int i = 0; i < m; i++) {
        double *row = A + i * n, t = row[a];
        row[a] = row[b];
        row[b] = t;
    }
}

/* Reflects column k, from row k on, onto (alpha, 0, ..., 0), and the columns to its right and b with it; s [n]. */
static void reflect_left(int m, int n, double *A, double *b, int k, double norm, double *s)
{
    double *pivot = A + k * n + k, sb = 0;
    double alpha = *pivot > 0 ? -norm : norm;
    double h = norm * norm - *pivot * alpha;
    *pivot -= alpha;
    for (int j = k + 1; j < n; j++)
        s[j] = 0;
    for (int i = k; i < m; i++) {
        const double *row = A + i * n;
        for (int j = k + 1; j < n; j++)
            s[j] += row[k] * row[j];
        sb += row[k] * b[i];
    }
    for (int i = k; i < m; i++) {
        double *row = A + i * n, v = row[k] / h;
        for (int j = k + 1; j < n; j++)
            row[j] -= v * s[j];
        b[i] -= v * sb;
    }
    *pivot = alpha;
}

static int pivoted_qr(int m, int n, double *A, double *b, double rtol, double *work, int *order)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        order[j] = j;
    for (int k = 0; k < m && k < n; k++) {
        int best = k;
        column_norms(m, n, A, k, work);
        for (int j = k + 1; j < n; j++)
            if (work[j] > work[best])
                best = j;
        double norm = work[best];
        if (k == 0)
            largest = norm;
        if (!(norm > rtol * largest))
            return k;
        if (best != k) {
            int t = order[k];
            order[k] = order[best];
            order[best] = t;
            swap_columns(m, n, A, k, best);
        }
        reflect_left(m, n, A, b, k, norm, work);
    }
    return m < n ? m : n;
}

/* v = (v0; z), z in columns rank.. of row k, acts on entry k and the entries rank.. of w. */
static void reflect_right(int n, int rank, int k, double v0, double h, const double *z, double *w)
{
    double s = v0 * w[k] + carom_dot(n - rank, z, w + rank);
    s /= h;
    w[k] -= s * v0;
    for (int j = rank; j < n; j++)
        w[j] -= s * z[j - rank];
}

static void eliminate_right(int n, double *A, int rank, double *v0, double *h)
{
    for (int k = rank - 1; k >= 0; k--) {
        double *row = A + k * n;
        double norm = sqrt(row[k] * row[k] + carom_dot(n - rank, row + rank, row + rank));
        double alpha = row[k] > 0 ? -norm : norm;
        v0[k] = row[k] - alpha;
        h[k] = norm * norm - row[k] * alpha;
        row[k] = alpha;
        for (int i = 0; i < k; i++)
            reflect_right(n, rank, k, v0[k], h[k], row + rank, A + i * n);
    }
}

/* Keeps the squares of very large and very small entries in range. */
static double range_factor(int m, int n, double *A)
{
    double most = carom_norm_max(m * n, A);
    if (!(most > 0 && most <= DBL_MAX) || (most > 1e-100 && most < 1e100))
        return 1;
    int exponent;
    frexp(most, &exponent);
    for (int i = 0; i < m * n; i++)
        A[i] = ldexp(A[i], -exponent);
    return ldexp(1, -exponent < 1000 ? -exponent : 1000);
}

int carom_least_squares(int m, int n, double *A, double *b, double *x, double rtol, double *work, int *order)
{
    double factor = range_factor(m, n, A);
    double *v0 = work, *h = work + n, *w = work + 2 * n; /* each [n] */
    int rank = pivoted_qr(m, n, A, b, rtol, work, order);
    if (rank < n)
        eliminate_right(n, A, rank, v0, h);
    for (int i = rank - 1; i >= 0; i--) {
        const double *row = A + i * n;
        w[i] = (b[i] - carom_dot(rank - 1 - i, row + i + 1, w + i + 1)) / row[i];
    }
    for (int j = rank; j < n; j++)
        w[j] = 0;
    if (rank < n)
        for (int k = 0; k < rank; k++)
            reflect_right(n, rank, k, v0[k], h[k], A + k * n + rank, w);
    for (int j = 0; j < n; j++)
        x[order[j]] = w[j] * factor;
    return rank;
}
