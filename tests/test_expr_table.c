/* test_expr_table.c: measured functions against the polynomials they must reproduce. */
#include "test_expr.h"

static double table_at(carom_expr_pool *pool, int table, int order, double x)
{
    double at[NVAR] = {0, x};
    return carom_expr_value(pool, carom_expr_table(pool, table, order, carom_expr_var(pool, 1)), at);
}

/* 1 - 2x + 0.5x^2 + 0.25x^3 and its derivatives. */
static double cubic(int order, double x)
{
    switch (order) {
    case 0: return 1 - 2 * x + 0.5 * x * x + 0.25 * x * x * x;
    case 1: return -2 + x + 0.75 * x * x;
    case 2: return 1 + 1.5 * x;
    case 3: return 1.5;
    default: return 0;
    }
}

START_TEST(a_spline_through_points_of_a_cubic_is_that_cubic)
{
    const double x[] = {-1, -0.3, 0.2, 1.1, 1.7, 3, 3.2};
    double y[7];
    for (int i = 0; i < 7; i++)
        y[i] = cubic(0, x[i]);
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    for (int n = 4; n <= 7; n++) {
        int table = carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = n, .x = x, .y = y});
        for (double s = x[0]; s <= x[n - 1]; s += 0.037) {
            for (int order = 0; order <= 4; order++)
                CHECK_NEAR(table_at(pool, table, order, s), cubic(order, s), 1e-12);
        }
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(three_points_make_a_parabola_two_a_line_and_one_a_constant)
{
    const double x[] = {-1, 0.5, 2}, y[] = {1, 0.25, 4};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    int parabola = carom_expr_add_table(pool, "a", &(carom_expr_data){.n = 3, .x = x, .y = y});
    int line = carom_expr_add_table(pool, "b", &(carom_expr_data){.n = 2, .x = x, .y = y});
    int constant = carom_expr_add_table(pool, "c", &(carom_expr_data){.n = 1, .x = x, .y = y});
    for (double s = -1; s <= 2; s += 0.1)
        CHECK_NEAR(table_at(pool, parabola, 0, s), s * s, 1e-14);
    CHECK_NEAR(table_at(pool, line, 0, 2), 1 - 0.5 * 3, 1e-15);
    CHECK_NEAR(table_at(pool, constant, 0, 7), 1, 0);
    CHECK_NEAR(table_at(pool, constant, 1, -7), 0, 0);
    carom_expr_pool_free(pool);
}
END_TEST

/* The largest jump of a derivative over inner knots, from the two sides. */
static double jump(carom_expr_pool *pool, int table, int order, const double *x, int n)
{
    double largest = 0;
    for (int i = 1; i < n - 1; i++) {
        double left = table_at(pool, table, order, nextafter(x[i], -10)),
               right = table_at(pool, table, order, x[i]);
        largest = fmax(largest, fabs(left - right));
    }
    return largest;
}

START_TEST(smoothness_is_as_promised_and_values_are_interpolated)
{
    const double x[] = {0, 0.4, 1, 1.3, 2, 2.8, 3}, y[] = {0, 1, 0.5, -1, 2, 2.5, 0};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    const int smooth[] = {[CAROM_TABLE_SPLINE] = 2, [CAROM_TABLE_PCHIP] = 1, [CAROM_TABLE_LINEAR] = 0};
    for (int kind = CAROM_TABLE_SPLINE; kind <= CAROM_TABLE_LINEAR; kind++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            carom_expr_data data = {.n = 7, .x = x, .y = y, .kind = kind, .periodic = periodic};
            int table = carom_expr_add_table(pool, "f", &data);
            for (int i = 0; i < 7; i++)
                CHECK_NEAR(table_at(pool, table, 0, x[i]), y[i], 1e-14);
            for (int order = 0; order <= smooth[kind]; order++)
                CHECK_AT_MOST(jump(pool, table, order, x, 7), 1e-11);
            CHECK_AT_LEAST(jump(pool, table, smooth[kind] + 1, x, 7), 0.1);
        }
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(a_periodic_table_repeats_smoothly)
{
    enum { N = 25 };
    double x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = 2 * M_PI * (i + (i > 0 && i < N - 1 ? 0.3 * sin(2.0 * i) : 0)) / (N - 1), y[i] = sin(x[i]);
    y[N - 1] = y[0];
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    int table = carom_expr_add_table(pool, "f", &(carom_expr_data){.n = N, .x = x, .y = y, .periodic = true});
    for (int order = 0; order <= 2; order++) {
        double below_end = table_at(pool, table, order, nextafter(x[N - 1], 0)),
               above = table_at(pool, table, order, x[0]);
        CHECK_NEAR(below_end, above, 1e-10);
        CHECK_NEAR(table_at(pool, table, order, 1 + 6 * M_PI), table_at(pool, table, order, 1), 1e-11);
        CHECK_NEAR(table_at(pool, table, order, 1 - 4 * M_PI), table_at(pool, table, order, 1), 1e-11);
    }
    for (double s = -9; s < 9; s += 0.1)
        CHECK_NEAR(table_at(pool, table, 0, s), sin(s), 1e-3);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(small_rings_close_smoothly)
{
    const double x[] = {0, 1, 2.5, 3}, y[] = {1, 2, 0.5, 1}, z[] = {1, 2, 1}, w[] = {1, 1};
    const double *values[] = {w, z, y};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    for (int n = 2; n <= 4; n++) {
        int table = carom_expr_add_table(
            pool, "f", &(carom_expr_data){.n = n, .x = x, .y = values[n - 2], .periodic = true});
        for (int order = 0; order <= 2; order++) {
            double end = table_at(pool, table, order, nextafter(x[n - 1], 0)),
                   start = table_at(pool, table, order, x[0]);
            CHECK_NEAR(end, start, 1e-11);
            CHECK_AT_MOST(jump(pool, table, order, x, n), 1e-11);
        }
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(pchip_keeps_monotone_data_monotone_and_does_not_overshoot)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 0.01, 0.02, 5, 5, 5.01, 9};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    int pchip =
        carom_expr_add_table(pool, "f", &(carom_expr_data){.n = 7, .x = x, .y = y, .kind = CAROM_TABLE_PCHIP});
    int spline = carom_expr_add_table(pool, "g", &(carom_expr_data){.n = 7, .x = x, .y = y});
    double lowest = 1, lowest_spline = 1;
    for (double s = 0; s < 6; s += 0.01) {
        lowest = fmin(lowest, table_at(pool, pchip, 1, s));
        lowest_spline = fmin(lowest_spline, table_at(pool, spline, 1, s));
    }
    CHECK_AT_LEAST(lowest, 0);
    CHECK_AT_MOST(lowest_spline, -0.1); /* the same data make a spline overshoot */
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(outside_the_data_value_and_slope_go_on_linearly)
{
    const double x[] = {0, 1, 2, 3}, y[] = {1, 3, 2, 5};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    for (int kind = CAROM_TABLE_SPLINE; kind <= CAROM_TABLE_LINEAR; kind++) {
        int table = carom_expr_add_table(pool, "f", &(carom_expr_data){.n = 4, .x = x, .y = y, .kind = kind});
        double first = table_at(pool, table, 1, 0), last = table_at(pool, table, 1, 3);
        for (double d = 0.5; d < 1e6; d *= 7) {
            CHECK_NEAR(table_at(pool, table, 0, -d), 1 - d * first, 1e-12 * d);
            CHECK_NEAR(table_at(pool, table, 0, 3 + d), 5 + d * last, 1e-12 * d);
            CHECK_NEAR(table_at(pool, table, 1, 3 + d), last, 1e-14);
            CHECK_NEAR(table_at(pool, table, 1, -d), first, 1e-14);
            CHECK_NEAR(table_at(pool, table, 2, 3 + d), 0, 0);
        }
        ck_assert(isnan(table_at(pool, table, 0, NAN)));
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(unsorted_or_empty_data_are_refused)
{
    const double x[] = {0, 1, 1}, y[] = {0, 0, 0}, bad[] = {0, NAN, 1};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    ck_assert_int_eq(carom_expr_add_table(pool, "f", &(carom_expr_data){.n = 3, .x = x, .y = y}), -1);
    ck_assert_int_eq(carom_expr_add_table(pool, "f", &(carom_expr_data){.n = 3, .x = bad, .y = y}), -1);
    ck_assert_int_eq(carom_expr_add_table(pool, "f", &(carom_expr_data){.n = 0, .x = x, .y = y}), -1);
    carom_expr_pool_free(pool);
}
END_TEST

TEST_MAIN("tables", a_spline_through_points_of_a_cubic_is_that_cubic,
          three_points_make_a_parabola_two_a_line_and_one_a_constant,
          smoothness_is_as_promised_and_values_are_interpolated, a_periodic_table_repeats_smoothly,
          small_rings_close_smoothly, pchip_keeps_monotone_data_monotone_and_does_not_overshoot,
          outside_the_data_value_and_slope_go_on_linearly, unsorted_or_empty_data_are_refused)
