/* test_expr_graph.c: equal expressions are one node, simplification keeps values, and printed text reads back. */
#include "test_expr.h"

static const double at[NVAR] = {0.7, 1.3, -0.4, 2.25, 0.9, -1.1, 3.0, 2.0, 9.81, 0.5};

START_TEST(printed_text_reads_back_as_the_same_value_with_few_parentheses)
{
    const struct {
        const char *text, *printed;
    } table[] = {
        {"x + y + z", "x + y + z"},
        {"x + (y + z)", "y + z + x"},
        {"m*g*y", "m*g*y"},
        {"x - (y + z)", "x - (y + z)"},
        {"(x*y)/z", "x*y/z"},
        {"x/(y*z)", "x/(y*z)"},
        {"(x + y)*z", "z*(x + y)"},
        {"(x + 1)^2", "(x + 1)^2"},
        {"x^(y + 1)", "x^(y + 1)"},
        {"(x^y)^z", "(x^y)^z"},
        {"x^y^z", "x^y^z"},
        {"-(x*y)", "-x*y"},
        {"x - 3", "x - 3"},
        {"3 - x", "3 - x"},
        {"x*-3", "-3*x"},
        {"x^-2", "x^-2"},
        {"not (x < y and z > 1)", "not (x < y and 1 < z)"},
        {"if(x <= y, x, -y)", "if(x <= y, x, -y)"},
        {"(x or y) and z", "z and (x or y)"},
        {"x'^2*0.1", "0.1*x'^2"},
        {"(-x)^y", "(-x)^y"},
        {"x - -3*y", "x + 3*y"},
        {"min(x, y, z)", "min(min(x, y), z)"},
        {"-(x + y)/z", "-(x + y)/z"},
        {"1/x", "1/x"},
        {"x/3", "x/3"},
        {"mod(atan2(y, x), pi)", "mod(atan2(y, x), 3.141592653589793)"},
    };
    carom_expr_pool *pool = carom_expr_pool_new(10000);
    for (int i = 0; i < NVAR; i++)
        carom_expr_var(pool, i);
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        char buffer[200];
        carom_expr e = parse(pool, table[i].text);
        carom_expr_print(pool, e, name_of, pool, buffer, sizeof buffer);
        ck_assert_str_eq(buffer, table[i].printed);
        double a = carom_expr_value(pool, e, at), b = carom_expr_value(pool, parse(pool, buffer), at);
        ck_assert_msg(fabs(a - b) <= 4e-16 * fabs(a) || (isnan(a) && isnan(b)), "%s: %.17g %.17g", buffer, a,
                      b);
    }
    char small[8];
    carom_expr_print(pool, parse(pool, "x + y + z"), name_of, pool, small, sizeof small);
    ck_assert_str_eq(small, "x + ...");
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(equal_expressions_are_one_node_however_they_are_written)
{
    const char *const pairs[][2] = {
        {"x*y", "y*x"},
        {"x + y", "y + x"},
        {"x + x", "2*x"},
        {"x - x", "0"},
        {"x*x*x", "x^3"},
        {"--x", "x"},
        {"0*x", "0"},
        {"x*1", "x"},
        {"x + 0", "x"},
        {"2*(3*x)", "6*x"},
        {"x/2", "0.5*x"},
        {"-(x - y)", "y - x"},
        {"sin(-x)", "-sin(x)"},
        {"cos(-x)", "cos(x)"},
        {"x + 1 + 2", "x + 3"},
        {"3*x - 2*x", "x"},
        {"(-x)*(-y)", "x*y"},
        {"x^0", "1"},
        {"x^1", "x"},
        {"sqrt(x)", "x^0.5"},
        {"x^-1", "1/x"},
        {"abs(-x)", "abs(x)"},
        {"if(1, x, y)", "x"},
        {"if(z, x, x)", "x"},
        {"hypot(x, y)", "hypot(y, x)"},
        {"(x^2)^3", "x^6"},
        {"(-x)^2", "x^2"},
        {"(-x)^3", "-x^3"},
        {"abs(x)^2", "x^2"},
        {"x > y", "y < x"},
        {"x - -y", "x + y"},
    };
    carom_expr_pool *pool = carom_expr_pool_new(10000);
    for (int i = 0; i < CAROM_COUNT(pairs); i++)
        ck_assert_msg(parse(pool, pairs[i][0]) == parse(pool, pairs[i][1]), "%s is not %s", pairs[i][0],
                      pairs[i][1]);
    ck_assert_int_ne(parse(pool, "x*y/y"), parse(pool, "x")); /* not at y = 0 */
    ck_assert_int_ne(parse(pool, "0/x"), parse(pool, "0"));
    carom_expr_pool_free(pool);
}
END_TEST

/* Random arithmetic on few special values, as the constructors make it and as C computes it step by step. */
START_TEST(simplification_keeps_values_and_never_trades_a_finite_value_for_nan)
{
    static const double special[] = {0, 1, -1, 2, -2, 0.5, 3, -7.25, 1e8, 1e-8};
    const carom_op ops[] = {CAROM_OP_ADD, CAROM_OP_SUB, CAROM_OP_MUL, CAROM_OP_DIV};
    unsigned long long random = 31;
    for (int round = 0; round < 300; round++) {
        carom_expr_pool *pool = carom_expr_pool_new(10000);
        carom_expr e[60];
        double value[60], point[NVAR];
        for (int i = 0; i < NVAR; i++)
            point[i] = special[below(&random, CAROM_COUNT(special))];
        for (int i = 0; i < 60; i++) {
            if (i < 4 || i % 7 == 0) {
                int v = below(&random, 4);
                bool constant = below(&random, 2);
                value[i] = constant ? special[below(&random, CAROM_COUNT(special))] : point[v];
                e[i] = constant ? carom_expr_const(pool, value[i]) : carom_expr_var(pool, v);
            } else {
                int k = below(&random, 4), a = below(&random, i), b = below(&random, i);
                double x = value[a], y = value[b];
                value[i] = k == 0 ? x + y : k == 1 ? x - y : k == 2 ? x * y : x / y;
                e[i] = carom_expr_binary(pool, ops[k], e[a], e[b]);
                if (!isfinite(value[i]) || fabs(value[i]) > 1e30) { /* keep to finite values */
                    e[i] = e[a], value[i] = value[a];
                    continue;
                }
                double scale = fabs(x) + fabs(y) + fabs(value[i]), got = carom_expr_value(pool, e[i], point);
                ck_assert_msg(fabs(got - value[i]) <= 1e-11 * scale, "round %d, node %d: %.17g, expected %.17g",
                              round, i, got, value[i]);
                value[i] = got;
            }
        }
        carom_expr_pool_free(pool);
    }
}
END_TEST

START_TEST(values_of_several_expressions_are_those_of_each)
{
    const char *const text[] = {"x*y + sin(x)", "x", "3", "if(x < y, sin(x), 1/0)", "(x*y + sin(x))^2/y"};
    enum { N = sizeof text / sizeof text[0] };
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_expr e[N + 1];
    double value[N + 1];
    for (int i = 0; i < N; i++)
        e[N - i] = parse(pool, text[i]);
    e[0] = CAROM_EXPR_NONE;
    carom_expr_values(pool, N + 1, e, at, value);
    ck_assert(isnan(value[0]));
    for (int i = 1; i <= N; i++) {
        double alone = carom_expr_value(pool, e[i], at);
        ck_assert_msg(memcmp(&value[i], &alone, sizeof alone) == 0, "%s: %g, alone %g", text[N - i], value[i], alone);
    }
    carom_expr_values(pool, 1, e, at, value);
    ck_assert(isnan(value[0]));
    carom_expr_pool_free(pool);
}
END_TEST

TEST_MAIN("expression graph", printed_text_reads_back_as_the_same_value_with_few_parentheses,
          equal_expressions_are_one_node_however_they_are_written,
          simplification_keeps_values_and_never_trades_a_finite_value_for_nan,
          values_of_several_expressions_are_those_of_each)
