/* test_eigen.c: eigenvalues of small matrices that are not symmetric. */
#include <complex.h>
#include <stdlib.h>

#include "core/eigen.h"
#include "testing.h"

static double complex work[64 * 64], value[64];

START_TEST(eigenvalues_of_a_companion_matrix_are_the_roots_of_its_polynomial)
{
    const double complex root[] = {-3, 2, 1, I, -I};
    double complex c[6] = {1};
    for (int k = 0; k < 5; k++)
        for (int i = k + 1; i > 0; i--)
            c[i] -= root[k] * c[i - 1];
    double A[25] = {0};
    for (int i = 0; i < 5; i++)
        A[i] = -creal(c[i + 1]);
    for (int i = 1; i < 5; i++)
        A[i * 5 + i - 1] = 1;
    ck_assert(carom_eigenvalues(5, A, work, value));
    ck_assert_double_eq_tol(creal(value[0]), -3, 1e-13);
    ck_assert_double_eq_tol(creal(value[1]), 2, 1e-13);
    for (int i = 2; i < 5; i++)
        ck_assert_double_eq_tol(cabs(value[i]), 1, 1e-13);
}
END_TEST

START_TEST(trace_and_determinant_are_kept_for_random_matrices)
{
    unsigned seed = 1;
    for (int n = 1; n <= 40; n++) {
        double A[40 * 40], trace = 0, trace2 = 0;
        for (int i = 0; i < n * n; i++)
            A[i] = (seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5;
        for (int i = 0; i < n; i++) {
            trace += A[i * n + i];
            for (int j = 0; j < n; j++)
                trace2 += A[i * n + j] * A[j * n + i];
        }
        ck_assert(carom_eigenvalues(n, A, work, value));
        double complex sum = 0, sum2 = 0;
        for (int i = 0; i < n; i++)
            sum += value[i], sum2 += value[i] * value[i];
        ck_assert_double_le(cabs(sum - trace), 1e-12 * n);
        ck_assert_double_le(cabs(sum2 - trace2), 1e-12 * n * n);
        for (int i = 1; i < n; i++)
            ck_assert_double_le(cabs(value[i]), cabs(value[i - 1]) * (1 + 1e-11));
    }
}
END_TEST

START_TEST(a_rotation_and_a_jordan_block_and_zero)
{
    const double rotation[] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, jordan[] = {2, 1, 0, 2}, zero[4] = {0},
                 bad[] = {0. / 0., 0, 0, 1};
    ck_assert(carom_eigenvalues(3, rotation, work, value)); /* roots of unity */
    for (int i = 0; i < 3; i++)
        ck_assert_double_le(cabs(value[i] * value[i] * value[i] - 1), 1e-13);
    ck_assert(carom_eigenvalues(2, jordan, work, value));
    ck_assert_double_le(cabs(value[0] - 2), 1e-7);
    ck_assert(carom_eigenvalues(2, zero, work, value));
    ck_assert(value[0] == 0 && value[1] == 0);
    ck_assert(!carom_eigenvalues(2, bad, work, value));
}
END_TEST

TEST_MAIN("eigenvalues", eigenvalues_of_a_companion_matrix_are_the_roots_of_its_polynomial,
          trace_and_determinant_are_kept_for_random_matrices, a_rotation_and_a_jordan_block_and_zero)
