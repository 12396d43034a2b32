/* test_dense.c: linear algebra against matrices whose answers are known by construction. */
#include <float.h>
#include <string.h>

#include "core/anderson.h"
#include "core/core.h"
#include "core/dense.h"
#include "core/least_distance.h"
#include "testing.h"

enum { N = 30 };

static double noise(unsigned long *seed) /* uniform in (-1, 1) */
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void fill(int n, double *a, unsigned long *seed)
{
    for (int i = 0; i < n; i++)
        a[i] = noise(seed);
}

START_TEST(cholesky_and_lu_recover_the_solution_for_every_size)
{
    unsigned long seed = 1;
    for (int n = 1; n <= N; n++) {
        double B[N * N], A[N * N], F[N * N], x[N], y[N];
        int pivot[N];
        fill(n * n, B, &seed);
        fill(n, x, &seed);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i * n + j] = carom_dot(n, B + i * n, B + j * n) + (i == j);
        memcpy(F, A, sizeof F);
        carom_multiply(n, n, A, x, y);
        ck_assert(carom_cholesky(n, F));
        carom_cholesky_solve(n, F, y);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(y[i], x[i], 1e-13);
        for (int i = 0; i < n; i++)
            B[i * n + i] += i % 2 ? 3 : -3;
        memcpy(F, B, sizeof F);
        carom_multiply(n, n, B, x, y);
        ck_assert(carom_lu(n, F, pivot));
        carom_lu_solve(n, F, pivot, y);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(y[i], x[i], 1e-12);
    }
}
END_TEST

/* Matrices of bodies that are not joined: blocks on the diagonal, and one row that touches all. */
START_TEST(cholesky_without_the_zeros_of_rows_has_the_same_bits)
{
    unsigned long seed = 7;
    for (int n = 1; n <= N; n++) {
        double A[N * N] = {0}, F[N * N], x[N], y[N];
        int first[N];
        fill(n, x, &seed);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                A[i * n + j] = A[j * n + i] = i == j ? 9 : i / 6 == j / 6 || i == n - 1 ? noise(&seed) : 0;
        memcpy(F, A, sizeof F);
        memcpy(y, x, sizeof y);
        ck_assert(carom_cholesky(n, A) && carom_cholesky_from(n, F, first));
        carom_cholesky_solve(n, A, x);
        carom_cholesky_solve_from(n, F, first, y);
        ck_assert(memcmp(A, F, sizeof *A * (size_t)(n * n)) == 0 && memcmp(x, y, sizeof *x * (size_t)n) == 0);
        ck_assert_int_eq(first[n - 1], 0);
        ck_assert(n < 9 || first[7] == 6);
    }
}
END_TEST

START_TEST(lu_pivots_when_the_diagonal_is_zero)
{
    for (int n = 2; n <= 5; n++) {
        double A[25] = {0}, x[5];
        int pivot[5];
        for (int i = 0; i < n; i++) {
            A[i * n + (i + 1) % n] = i + 1; /* A x = ((i+1) x_{i+1}) */
            x[i] = (i + 1) * 10.0 * ((i + 1) % n);
        }
        ck_assert(carom_lu(n, A, pivot));
        carom_lu_solve(n, A, pivot, x);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(x[i], 10.0 * i, 1e-14);
    }
}
END_TEST

START_TEST(a_kept_lu_is_made_anew_when_a_bit_has_changed_and_only_then)
{
    double A[4] = {2, 1, 1, 3}, x[2], memory[8];
    int pivot[2];
    carom_kept_lu kept = {.A = memory, .LU = memory + 4, .pivot = pivot};
    for (int k = 0; k < 6; k++) {
        A[0] = k < 3 ? 2 : nextafter(2, 3); /* the other one from k = 3 on */
        ck_assert(carom_kept_lu_factor(&kept, 2, A));
        ck_assert_int_eq(kept.made, k < 3 ? 1 : 2);
        x[0] = 3, x[1] = 4;
        carom_kept_lu_solve(&kept, x);
        CHECK_NEAR(x[0], 1, 1e-15);
        CHECK_NEAR(x[1], 1, 1e-15);
    }
    A[0] = A[1] = 0;
    ck_assert(!carom_kept_lu_factor(&kept, 2, A) && !carom_kept_lu_factor(&kept, 2, A));
}
END_TEST

START_TEST(indefinite_singular_and_not_finite_matrices_are_refused)
{
    for (int n = 1; n <= 4; n++) {
        int pivot[4];
        for (int kind = 0; kind < 4; kind++) {
            double A[16] = {0}, B[16];
            for (int i = 0; i < n; i++)
                A[i * n + i] = 1;
            double bad[] = {0, -1, NAN, INFINITY};
            A[n * n - 1] = bad[kind];
            memcpy(B, A, sizeof B);
            ck_assert_msg(!carom_cholesky(n, A), "cholesky n=%d accepts a pivot %g", n, bad[kind]);
            ck_assert_msg(carom_lu(n, B, pivot) == (kind == 1), "lu n=%d, pivot %g", n, bad[kind]);
        }
    }
}
END_TEST

/* A = B C with B m x r, C r x n has rank r; x = C^T z is of minimum norm because it lies in the row space. */
START_TEST(least_squares_finds_rank_and_minimum_norm_of_every_shape)
{
    unsigned long seed = 2;
    for (int m = 1; m <= 8; m++)
        for (int n = 1; n <= 8; n++)
            for (int r = 1; r <= (m < n ? m : n); r++) {
                double B[64], C[64], A[64], b[8], x[8], z[8], e[8], work[32];
                int order[8];
                fill(m * r, B, &seed);
                fill(r * n, C, &seed);
                fill(r, z, &seed);
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++) {
                        A[i * n + j] = 0;
                        for (int k = 0; k < r; k++)
                            A[i * n + j] += B[i * r + k] * C[k * n + j];
                    }
                carom_multiply_t(r, n, C, z, e);
                carom_multiply(m, n, A, e, b);
                ck_assert_int_eq(carom_least_squares(m, n, A, b, x, 1e-10, work, order), r);
                for (int j = 0; j < n; j++)
                    CHECK_NEAR(x[j], e[j], 1e-9);
            }
}
END_TEST

START_TEST(least_squares_leaves_a_residual_normal_to_the_columns)
{
    unsigned long seed = 3;
    double A[7 * 4], K[7 * 4], b[7], c[7], x[4], r[7], normal[4], work[19];
    int order[4];
    fill(28, A, &seed);
    fill(7, b, &seed);
    memcpy(K, A, sizeof K);
    memcpy(c, b, sizeof c);
    ck_assert_int_eq(carom_least_squares(7, 4, A, b, x, 1e-12, work, order), 4);
    carom_multiply(7, 4, K, x, r);
    for (int i = 0; i < 7; i++)
        r[i] -= c[i];
    CHECK_AT_LEAST(carom_norm_max(7, r), 1e-2);
    carom_multiply_t(7, 4, K, r, normal);
    CHECK_AT_MOST(carom_norm_max(4, normal), 1e-14);
}
END_TEST

START_TEST(least_squares_survives_zero_and_extreme_matrices)
{
    double work[12], x[2], zero[4] = {0}, b[2] = {1, 2};
    int order[2];
    ck_assert_int_eq(carom_least_squares(2, 2, zero, b, x, 1e-12, work, order), 0);
    ck_assert(x[0] == 0 && x[1] == 0);
    double sizes[] = {1e-250, 1e250};
    for (int k = 0; k < 2; k++) {
        double s = sizes[k], A[4] = {2 * s, s, 0, 4 * s}, c[2] = {5 * s, 12 * s};
        ck_assert_int_eq(carom_least_squares(2, 2, A, c, x, 1e-12, work, order), 2);
        CHECK_NEAR(x[0], 1, 1e-14);
        CHECK_NEAR(x[1], 3, 1e-14);
    }
}
END_TEST

START_TEST(norm_max_sees_nan_and_all_finite_sees_both)
{
    double good[] = {1, -3, 2}, nan[] = {1, NAN, 2}, infinite[] = {1, 2, -INFINITY};
    ck_assert(carom_norm_max(3, good) == 3 && carom_all_finite(3, good));
    ck_assert(isinf(carom_norm_max(3, nan)) && !carom_all_finite(3, nan));
    ck_assert(isinf(carom_norm_max(3, infinite)) && !carom_all_finite(3, infinite));
    ck_assert(carom_norm_max(0, NULL) == 0 && carom_all_finite(0, NULL));
}
END_TEST

/* g_j . t >= h_j with the t of least norm: t = sum of l_j g_j, l_j >= 0, and l_j = 0 where t is beyond plane j. */
static double check_nearest(int n, int c, const double *E, const double *t, const double *y)
{
    double over = 1, worst = 0, sum[16] = {0};
    for (int j = 0; j < c; j++)
        over -= y[j] * E[j * (n + 1) + n];
    for (int j = 0; j < c; j++) {
        const double *g = E + j * (n + 1);
        double room = carom_dot(n, g, t) - g[n], l = y[j] / over;
        worst = fmax(worst, fmax(-room, fmax(-l, fabs(l * room))));
        for (int i = 0; i < n; i++)
            sum[i] += l * g[i];
    }
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(t[i] - sum[i]));
    return worst / (1 + carom_dot(n, t, t)); /* of planes far away y has fewer digits */
}

START_TEST(the_nearest_point_of_a_polyhedron_meets_the_conditions_of_least_norm)
{
    enum { MOST = 12, C = 40 };
    static double E[(MOST + 1) * C], work[10000], t[MOST], y[C], inside[MOST];
    int order[MOST + 1 + 2 * C], none = 0;
    double worst = 0;
    unsigned long seed = 5;
    for (int k = 0; k < 2000; k++) {
        int n = 1 + k % MOST, c = 1 + k * 7 % C;
        ck_assert_uint_le(carom_least_distance_work(n, c), 10000);
        for (int i = 0; i < n; i++)
            inside[i] = noise(&seed);
        for (int j = 0; j < c; j++) {
            double *g = E + j * (n + 1);
            for (int i = 0; i < n; i++)
                g[i] = j % 5 == 4 ? g[i - n - 1] : noise(&seed); /* some are parallel */
            g[n] = carom_dot(n, g, inside) - (k % 3 ? fabs(noise(&seed)) : 0) + (k % 10 == 9);
        }
        if (carom_least_distance(n, c, E, t, y, work, order)) {
            worst = fmax(worst, check_nearest(n, c, E, t, y));
            continue;
        }
        double sum[MOST + 1] = {0}; /* y shows that they contradict each other */
        for (int j = 0; j < c; j++)
            for (int i = 0; i <= n; i++)
                sum[i] += y[j] * E[j * (n + 1) + i];
        for (int i = 0; i < n; i++)
            CHECK_NEAR(sum[i], 0, 1e-9);
        CHECK_NEAR(sum[n], 1, 1e-9);
        ck_assert(k % 10 == 9);
        none++;
    }
    printf("nearest points: worst condition %.1e, %d contradictions\n", worst, none);
    CHECK_AT_MOST(worst, 1e-9);
    CHECK_AT_LEAST(none, 50);
}
END_TEST

/* (1) and (2) of anderson.h with everything kept that they speak of, the latest difference last. */
typedef struct kept {
    double df[CAROM_ANDERSON_MEMORY][7], ds[CAROM_ANDERSON_MEMORY][7], f[7], s[7], before;
    int have;
    bool started;
} kept;

/* The next x; slot: where the oldest difference lies, which tells the order of the equations. */
static bool next_of_all_kept(kept *k, int n, const double *weight, double growth, int *slot, double *x,
                             const double *s)
{
    double f[7], size = 0, A[64], c[8] = {0};
    for (int i = 0; i < n; i++)
        f[i] = s[i] - x[i], size += weight[i] * f[i] * f[i];
    if (size > growth * k->before) {
        carom_copy(n, k->s, x);
        *k = (kept){.before = INFINITY}, *slot = 0;
        return false;
    }
    for (int i = 0; k->started && i < n; i++)
        k->df[*slot][i] = f[i] - k->f[i], k->ds[*slot][i] = s[i] - k->s[i];
    if (k->started)
        k->have = CAROM_MIN(k->have + 1, CAROM_ANDERSON_MEMORY), *slot = (*slot + 1) % CAROM_ANDERSON_MEMORY;
    k->before = size, k->started = true;
    for (int i = 0; i < k->have; i++) {
        for (int l = 0; l < n; l++)
            c[i] += weight[l] * k->df[i][l] * f[l];
        for (int j = 0; j < k->have; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += weight[l] * k->df[CAROM_MAX(i, j)][l] * k->df[CAROM_MIN(i, j)][l];
            A[i * k->have + j] = i == j ? sum * (1 + 1e-10) : sum;
        }
    }
    bool any = k->have > 0 && carom_cholesky(k->have, A);
    if (any)
        carom_cholesky_solve(k->have, A, c);
    for (int i = 0; i < n; i++) {
        x[i] = s[i];
        for (int j = 0; any && j < k->have; j++)
            x[i] -= c[j] * k->ds[j][i];
        k->f[i] = f[i], k->s[i] = s[i];
    }
    return true;
}

/* A map that contracts along some directions, and more and more along others: histories are forgotten on the way. */
static void some_map(int n, const double *x, int k, double *s)
{
    for (int i = 0; i < n; i++)
        s[i] = 0.9 * sin((i + 1) * x[i]) + 0.3 * x[(i + 1) % n] + (k % 23 == 22 ? 3 : 1);
}

START_TEST(andersons_history_has_the_bits_of_one_with_all_arrays)
{
    enum { ROWS = 7, STEPS = 200 };
    const double weight[ROWS] = {1, 2, 0.5, 3, 1, 0.1, 7};
    _Alignas(16) static unsigned char memory[4096];
    carom_anderson a;
    carom_layout layout = {.base = memory};
    kept all = {.before = INFINITY};
    double x[ROWS] = {0}, y[ROWS] = {0}, s[ROWS];
    int slot = 0, forgotten = 0, full = 0;
    carom_anderson_place(&a, &layout, ROWS);
    ck_assert_uint_le(layout.used, sizeof memory);
    carom_anderson_begin(&a, weight);
    for (int k = 0; k < STEPS; k++) {
        some_map(ROWS, x, k, s);
        carom_anderson_next(&a, x, s);
        forgotten += !next_of_all_kept(&all, ROWS, weight, 100, &slot, y, s);
        full += all.have == CAROM_ANDERSON_MEMORY;
        ck_assert_msg(memcmp(x, y, sizeof x) == 0, "step %d", k);
    }
    printf("Anderson: %d steps with all differences, %d histories forgotten\n", full, forgotten);
    CHECK_AT_LEAST(full, 50);
    CHECK_AT_LEAST(forgotten, 2);
}
END_TEST

TEST_MAIN("dense", cholesky_and_lu_recover_the_solution_for_every_size,
          cholesky_without_the_zeros_of_rows_has_the_same_bits, lu_pivots_when_the_diagonal_is_zero,
          a_kept_lu_is_made_anew_when_a_bit_has_changed_and_only_then,
          indefinite_singular_and_not_finite_matrices_are_refused,
          least_squares_finds_rank_and_minimum_norm_of_every_shape,
          least_squares_leaves_a_residual_normal_to_the_columns, least_squares_survives_zero_and_extreme_matrices,
          norm_max_sees_nan_and_all_finite_sees_both,
          the_nearest_point_of_a_polyhedron_meets_the_conditions_of_least_norm,
          andersons_history_has_the_bits_of_one_with_all_arrays)
