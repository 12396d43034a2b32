/* test_expr_diff.c: derivatives against differences of the function itself, and what happens at kinks. */
#include "test_expr.h"

/* Five-point difference of e by variable at point; error of order h^4. */
static double difference(const carom_expr_pool *pool, carom_expr e, int variable, const double *point, double h)
{
    double at[NVAR], f[5];
    memcpy(at, point, sizeof at);
    for (int i = -2; i <= 2; i++) {
        at[variable] = point[variable] + i * h;
        f[i + 2] = carom_expr_value(pool, e, at);
    }
    return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
}

static const char *const formulas[] = {
    "-x",
    "x + y",
    "x - y",
    "x*y",
    "x/y",
    "y/x",
    "x^2",
    "x^3",
    "x^-2",
    "x^0.7",
    "x^y",
    "2^x",
    "y^x",
    "x^k",
    "k^x",
    "sin(x)",
    "cos(x*y)",
    "tan(x/2)",
    "asin(x/3)",
    "acos(x/3)",
    "atan(x*y)",
    "atan2(x, y)",
    "atan2(y, x)",
    "sinh(x)",
    "cosh(x)",
    "tanh(x*y)",
    "exp(-x*y)",
    "log(x)",
    "sqrt(x)",
    "cbrt(x)",
    "hypot(x, y)",
    "hypot(x, 3)",
    "abs(x - 5)",
    "abs(y - x)",
    "sign(x)*x",
    "min(x, y)",
    "max(x, y)",
    "min(y, x^2)",
    "max(sin(x), cos(x))",
    "floor(x + 0.31)",
    "mod(x, 0.737)",
    "mod(7.3, x)",
    "mod(x*y, x + 1)",
    "if(x < y, x^2, y*x)",
    "if(x > y, sin(x), cos(x))",
    "(x < y)*x",
    "(x == y) + (x != y)*x",
    "(x <= y and y <= x) + x",
    "(x < 0 or y < 0) + (not x)",
    "x*x/(1 + y^2)",
    "sqrt(x^2 + y^2)",
    "exp(sin(x)*y)/x",
    "log(1 + x^2*y^2)^3",
    "cam(x)",
    "cam(x*y)^2",
    "sin(cam(x))",
    "m*x*sin(y)^2*cos(x) - g*x^2/2",
    "((x + y)*(x - y))^5",
    "x^31",
    "x^-7",
};

static void add_cam(carom_expr_pool *pool)
{
    double x[60], y[60]; /* fine: points of the test stay clear of the knots' jumps in the third derivative */
    for (int i = 0; i < 60; i++)
        x[i] = 0.25 * i - 1, y[i] = sin(x[i]);
    carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = 60, .x = x, .y = y});
}

/* Each derivative against the difference of the one before, up to the third. */
START_TEST(derivatives_of_every_operation_agree_with_differences_up_to_the_third)
{
    const double points[][2] = {{0.613, 1.29}, {1.4142, 0.577}, {2.171, 2.719}, {0.9, 0.31}};
    carom_expr_pool *pool = carom_expr_pool_new(100000);
    add_cam(pool);
    for (int i = 0; i < CAROM_COUNT(formulas); i++) {
        for (int variable = 1; variable <= 2; variable++) {
            carom_expr e = parse(pool, formulas[i]);
            for (int order = 1; order <= 3; order++) {
                carom_expr d = carom_expr_diff(pool, e, variable);
                for (int p = 0; p < CAROM_COUNT(points); p++) {
                    double at[NVAR] = {0.2, points[p][0], points[p][1], 0, 0, 0, 0, 1.5, 9.81, 2.3};
                    double exact = carom_expr_value(pool, d, at),
                           near = difference(pool, e, variable, at, 5e-4);
                    double size = fabs(carom_expr_value(pool, e, at)) + fabs(exact) + 1;
                    ck_assert_msg(fabs(exact - near) < 2e-7 * size,
                                  "derivative %d of %s by %s at %g, %g: %.12g, differences %.12g", order,
                                  formulas[i], variable_name[variable], at[1], at[2], exact, near);
                }
                e = d;
            }
        }
    }
    carom_expr_pool_free(pool);
}
END_TEST

static double slope(carom_expr_pool *pool, const char *text, int variable, double x, double y)
{
    double at[NVAR] = {0, x, y, 0, 0, 0, 0, 1, 1, 1};
    return carom_expr_value(pool, carom_expr_diff(pool, parse(pool, text), variable), at);
}

START_TEST(at_kinks_the_derivative_is_that_of_the_branch_the_value_takes)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    CHECK_NEAR(slope(pool, "abs(x)", 1, 0, 0), 0, 0);
    CHECK_NEAR(slope(pool, "abs(x)", 1, -2, 0), -1, 0);
    CHECK_NEAR(slope(pool, "min(3*x, y)", 1, 1, 3), 3, 0);
    CHECK_NEAR(slope(pool, "max(3*x, y)", 1, 1, 3), 3, 0);
    CHECK_NEAR(slope(pool, "max(y, 3*x)", 1, 1, 3), 0, 0);
    CHECK_NEAR(slope(pool, "floor(x)", 1, 2, 0), 0, 0);
    CHECK_NEAR(slope(pool, "sign(x)", 1, 0, 0), 0, 0);
    CHECK_NEAR(slope(pool, "mod(x, y)", 1, 4, 2), 1, 0);
    CHECK_NEAR(slope(pool, "mod(x, y)", 2, 5, 2), -2, 0);
    CHECK_NEAR(slope(pool, "if(x < y, 5*x, 7*x)", 1, 1, 1), 7, 0);
    CHECK_NEAR(slope(pool, "x < y", 1, 1, 1), 0, 0);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(derivatives_are_finite_where_the_limit_exists)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    CHECK_NEAR(slope(pool, "x^2", 1, 0, 0), 0, 0);
    CHECK_NEAR(slope(pool, "x^y", 1, 0, 2), 0, 0); /* y x^(y-1), not x^y y/x */
    CHECK_NEAR(slope(pool, "x^y", 1, 0, 1), 1, 0);
    CHECK_NEAR(slope(pool, "x^y", 2, 0, 2), 0, 0); /* 0 log 0 */
    CHECK_NEAR(slope(pool, "hypot(x, y)", 1, 0, 0), 0, 0);
    CHECK_NEAR(slope(pool, "x^3*y/3", 1, 0, 1), 0, 0);
    CHECK_NEAR(slope(pool, "(1 + y)/x", 2, 4, 1), 0.25, 0);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(derivatives_come_out_short)
{
    const char *const table[][2] = {
        {"m*x'^2/2", "x'*m"},         {"m*g*x", "0"},  {"sin(x')", "cos(x')"}, {"k*(x' - z)^2/2", "k*(x' - z)"},
        {"exp(2*x')", "2*exp(2*x')"}, {"x'/m", "1/m"},
    };
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    for (int i = 0; i < NVAR; i++)
        carom_expr_var(pool, i);
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        char text[100];
        carom_expr_print(pool, carom_expr_diff(pool, parse(pool, table[i][0]), 4), name_of, pool, text,
                         sizeof text);
        ck_assert_str_eq(text, table[i][1]);
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(mixed_derivatives_commute)
{
    carom_expr_pool *pool = carom_expr_pool_new(100000);
    unsigned long long random = 7;
    carom_expr e = parse(pool, "sin(x*y)*exp(z*x)/(1 + y^2 + z^2) + hypot(x, y*z)^3");
    carom_expr one = carom_expr_diff(pool, carom_expr_diff(pool, carom_expr_diff(pool, e, 1), 2), 3);
    carom_expr other = carom_expr_diff(pool, carom_expr_diff(pool, carom_expr_diff(pool, e, 3), 1), 2);
    for (int i = 0; i < 100; i++) {
        double at[NVAR] = {0};
        for (int k = 1; k < 4; k++)
            at[k] = 0.2 + uniform(&random);
        double a = carom_expr_value(pool, one, at), b = carom_expr_value(pool, other, at);
        CHECK_NEAR(a, b, 1e-12 * (1 + fabs(a)));
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(replacement_is_composition)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_expr e = parse(pool, "sin(x)*y + x^2*z"), value[2] = {parse(pool, "y + 1"), parse(pool, "x*2")};
    ck_assert_int_eq(carom_expr_replace(pool, e, 1, 2, value), parse(pool, "sin(y + 1)*(x*2) + (y + 1)^2*z"));
    ck_assert_int_eq(carom_expr_replace(pool, e, 4, 2, value), e);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(dependence_is_exact)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_expr e = parse(pool, "t + k*sin(y)"), f = parse(pool, "z*0 + x - x + t + y'*k");
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int first = 0; first < NVAR; first++) {
            for (int end = first; end <= NVAR; end++) {
                bool expected = false, expected_f = false;
                for (int i = first; i < end; i++) {
                    expected |= i == 0 || i == 9 || i == 2;
                    expected_f |= i == 0 || i == 5 || i == 9;
                }
                ck_assert_int_eq(carom_expr_depends(pool, e, first, end), expected);
                ck_assert_int_eq(carom_expr_depends(pool, f, first, end), expected_f);
            }
        }
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(growth_without_end_exhausts_the_pool_and_says_so)
{
    carom_expr_pool *pool = carom_expr_pool_new(20000);
    carom_expr e = parse(pool, "1");
    for (int i = 0; i < 60; i++) { /* a product of sixty factors, derived again and again */
        char factor[100];
        snprintf(factor, sizeof factor, "sin(%d.5*x + y)*exp(x*y/%d) + hypot(x, %d)", i, i + 3, i + 1);
        e = carom_expr_binary(pool, CAROM_OP_MUL, e, parse(pool, factor));
    }
    for (int i = 0; i < 50; i++)
        e = carom_expr_diff(pool, e, 1 + i % 2);
    ck_assert_int_eq(e, CAROM_EXPR_NONE);
    ck_assert(carom_expr_exhausted(pool));
    ck_assert_int_eq(carom_expr_unary(pool, CAROM_OP_SIN, e), CAROM_EXPR_NONE);
    ck_assert_int_eq(carom_expr_binary(pool, CAROM_OP_ADD, e, 0), CAROM_EXPR_NONE);
    ck_assert_int_eq(carom_expr_if(pool, 0, e, 0), CAROM_EXPR_NONE);
    ck_assert_int_eq(carom_expr_diff(pool, e, 1), CAROM_EXPR_NONE);
    ck_assert(isnan(carom_expr_value(pool, e, NULL)));
    carom_tape *tape;
    carom_error error = {0};
    ck_assert_int_eq(carom_tape_new(&tape, pool, &e, &(carom_tape_slot){0, 0}, 1, NULL, 0, &error),
                     CAROM_BAD_MODEL);
    carom_expr_pool_free(pool);
}
END_TEST

/* What only chooses a branch, or steps, is never differentiated: its derivatives would fill the pool for nothing. */
START_TEST(conditions_have_no_derivatives)
{
    const char *const text[3] = {"if(sin(x*y)*exp(x) < sqrt(y), x, y)", "floor(sin(x*y)*exp(x))",
                                 "sign(sin(x*y)*exp(x))"};
    for (int i = 0; i < 3; i++) {
        carom_expr_pool *pool = carom_expr_pool_new(1000);
        carom_expr e = parse(pool, text[i]), zero = carom_expr_const(pool, 0);
        carom_expr_const(pool, 1);
        carom_expr before = carom_expr_const(pool, 0.125), slope = carom_expr_diff(pool, e, 1);
        ck_assert_int_ge(slope, 0);
        ck_assert_int_le(carom_expr_const(pool, 0.375), before + 2); /* itself and if(c, 1, 0) */
        ck_assert(i == 0 || slope == zero);
        carom_expr_pool_free(pool);
    }
}
END_TEST

TEST_MAIN("derivatives", derivatives_of_every_operation_agree_with_differences_up_to_the_third,
          at_kinks_the_derivative_is_that_of_the_branch_the_value_takes,
          derivatives_are_finite_where_the_limit_exists, derivatives_come_out_short, mixed_derivatives_commute,
          replacement_is_composition, dependence_is_exact, growth_without_end_exhausts_the_pool_and_says_so,
          conditions_have_no_derivatives)
