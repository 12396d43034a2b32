/* test_expr_tape.c: the tape, one lane or eight, gives the bits of the walk over the graph, with as little work
 * as it can. */
#include "test_expr_random.h"

START_TEST(random_graphs_give_the_same_bits_in_one_lane_in_eight_and_by_walking)
{
    enum { N = 12 };
    unsigned long long random = 12345;
    static bench b;
    for (int i = 0; i < 1500; i++) {
        carom_expr outputs[N];
        carom_expr_pool *pool = random_graph(&random, 20 + below(&random, 120), outputs, N);
        carom_tape *tape = tape_of(pool, outputs, N);
        fill(&b, &random);
        check_bits(pool, tape, outputs, N, &b);
        carom_tape_free(tape);
        carom_expr_pool_free(pool);
    }
}
END_TEST

START_TEST(derivatives_of_random_graphs_give_the_same_bits_too)
{
    enum { N = 8 };
    unsigned long long random = 99;
    static bench b;
    for (int i = 0; i < 200; i++) {
        carom_expr outputs[N];
        carom_expr_pool *pool = random_graph(&random, 20 + below(&random, 15), outputs, N);
        for (int k = 0; k < N; k++)
            outputs[k] = carom_expr_diff(pool, outputs[k], 1 + k % 3);
        ck_assert(!carom_expr_exhausted(pool));
        carom_tape *tape = tape_of(pool, outputs, N);
        fill(&b, &random);
        check_bits(pool, tape, outputs, N, &b);
        carom_tape_free(tape);
        carom_expr_pool_free(pool);
    }
}
END_TEST

START_TEST(sine_and_cosine_together_have_the_bits_of_each_alone)
{
    unsigned long long random = 5;
    for (int i = 0; i < 2000000; i++) {
        double x = (uniform(&random) - 0.5) * pow(10, 12 * uniform(&random) - 4), s, c;
        sincos(x, &s, &c);
        double (*volatile one)(double) = sin, (*volatile other)(double) = cos;
        ck_assert_msg(s == one(x) && c == other(x), "at %.17g", x);
    }
}
END_TEST

START_TEST(work_on_parameters_alone_is_done_once)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_expr heavy[] = {parse(pool, "sqrt(m*g/k)^3 + sin(m)*exp(g)"), parse(pool, "7"), parse(pool, "m"),
                          parse(pool, "x")};
    carom_tape *tape = tape_of(pool, heavy, 4);
    ck_assert_int_eq(carom_tape_length(tape), 0);
    double t = 0, q[3] = {1.5, 0, 0}, v[3] = {0}, p[3] = {2, 9.81, 0.5}, out0[8] = {0}, out1[8] = {0};
    const double *in[] = {&t, q, v, p};
    double *out[] = {out0, out1}, work[64];
    ck_assert_uint_le(carom_tape_work(tape, 1), 64);
    carom_tape_begin(tape, 1, in, work);
    p[0] = 1e9; /* not looked at before the next begin */
    carom_tape_eval(tape, 1, in, work, out);
    CHECK_NEAR(out0[0], pow(sqrt(2 * 9.81 / 0.5), 3) + sin(2) * exp(9.81), 1e-9);
    CHECK_NEAR(out0[1], 7, 0);
    CHECK_NEAR(out1[0], 2, 0);
    CHECK_NEAR(out0[2], 1.5, 0);
    carom_tape_free(tape);
    carom_expr mixed = parse(pool, "x*(sqrt(m*g/k)^3 + sin(m)*exp(g))");
    tape = tape_of(pool, &mixed, 1);
    ck_assert_int_eq(carom_tape_length(tape), 1);
    carom_tape_free(tape);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(registers_are_reused_and_products_melt_into_sums)
{
    carom_expr_pool *pool = carom_expr_pool_new(100000);
    carom_expr e = carom_expr_var(pool, 1);
    for (int i = 0; i < 1000; i++)
        e = carom_expr_unary(pool, i % 2 ? CAROM_OP_SIN : CAROM_OP_ATAN, e);
    carom_tape *tape = tape_of(pool, &e, 1);
    ck_assert_int_eq(carom_tape_length(tape), 1000);
    ck_assert_uint_le(carom_tape_work(tape, 1), 3);
    carom_tape_free(tape);
    carom_expr dot = parse(pool, "x*x' + y*y'"), pair[] = {parse(pool, "sin(x)"), parse(pool, "cos(x)")};
    tape = tape_of(pool, &dot, 1);
    ck_assert_int_eq(carom_tape_length(tape), 1);
    carom_tape_free(tape);
    tape = tape_of(pool, pair, 2);
    ck_assert_int_eq(carom_tape_length(tape), 1);
    carom_tape_free(tape);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(outputs_may_overwrite_inputs_and_a_tape_outlives_its_pool)
{
    const double x[] = {0, 1, 2}, y[] = {0, 1, 4};
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = 3, .x = x, .y = y});
    carom_expr swap[] = {parse(pool, "y"), parse(pool, "x"), parse(pool, "cam(x) + 2*y")};
    carom_tape_slot slot[] = {{0, 0}, {0, 1}, {0, 2}};
    carom_tape *tape;
    carom_error error = {0};
    CHECK_OK(carom_tape_new(&tape, pool, swap, slot, 3, variable_slot, PARAMETERS, &error), error);
    carom_expr_pool_free(pool);
    double q[3] = {1.5, 7, 0}, work[32], *out[] = {q};
    const double *in[] = {NULL, q, NULL, NULL};
    carom_tape_begin(tape, 1, in, work);
    carom_tape_eval(tape, 1, in, work, out);
    CHECK_NEAR(q[0], 7, 0);
    CHECK_NEAR(q[1], 1.5, 0);
    CHECK_NEAR(q[2], 1.5 * 1.5 + 14, 1e-14);
    carom_tape_free(tape);
}
END_TEST

/* What depends on t and x, y, z alone first, then everything else. */
START_TEST(tape_in_two_parts_has_the_bits_of_one)
{
    enum { N = 12, CLOCK = 1 << 0 | 1 << 1, GROUP = 4 };
    unsigned long long random = 777;
    static bench b, whole;
    int splits = 0;
    for (int i = 0; i < 500; i++) {
        carom_expr outputs[N];
        carom_error error = {0};
        carom_expr_pool *pool = random_graph(&random, 20 + below(&random, 120), outputs, N);
        carom_tape *tape = tape_of(pool, outputs, N), *clock, *rest;
        int rows;
        CHECK_OK(carom_tape_split(&clock, &rest, &rows, pool, outputs, output_slot, N, variable_slot, PARAMETERS, CLOCK,
                                  GROUP, &error),
                 error);
        fill(&b, &random);
        whole = b;
        evaluate_wide(tape, &whole);
        if (rows) {
            double *between = malloc(sizeof *between * LANES * (size_t)rows);
            double *first = malloc(sizeof *first * carom_tape_work(clock, LANES));
            double *second = malloc(sizeof *second * carom_tape_work(rest, LANES));
            const double *in[] = {b.in[0][0], b.in[1][0], b.in[2][0], b.in[3][0], between};
            double *out[] = {b.out[0][0], b.out[1][0]};
            carom_tape_begin(clock, LANES, in, first);
            carom_tape_begin(rest, LANES, in, second);
            carom_tape_eval(clock, LANES, (const double *const[]){in[0], in[1], NULL, in[3]}, first, &between);
            carom_tape_eval(rest, LANES, in, second, out);
            for (int k = 0; k < N * LANES; k++) {
                int g = output_slot[k / LANES].group, r = output_slot[k / LANES].row;
                ck_assert_msg(same(b.out[g][r][k % LANES], whole.out[g][r][k % LANES]), "graph %d, output %d", i,
                              k / LANES);
            }
            free(between), free(first), free(second);
            splits++;
        }
        carom_tape_free(tape), carom_tape_free(clock), carom_tape_free(rest);
        carom_expr_pool_free(pool);
    }
    CHECK_AT_LEAST(splits, 300);
}
END_TEST

START_TEST(functions_of_time_are_cut_out_and_arithmetic_is_not)
{
    carom_expr_pool *pool = carom_expr_pool_new(1000);
    carom_tape *clock, *rest;
    carom_error error = {0};
    int rows;
    carom_expr force[] = {parse(pool, "m*cos(k*t) - g*x - x'"), parse(pool, "sin(k*t)*y")},
               plain = parse(pool, "x + m*t^2");
    CHECK_OK(carom_tape_split(&clock, &rest, &rows, pool, force, output_slot, 2, variable_slot, PARAMETERS, 1, 4,
                              &error),
             error);
    double t[3 * LANES], p[3 * LANES], work[20 * LANES], each[2 * LANES], all[6 * LANES], *to = all, *to_each = each;
    const double *in[] = {t, NULL, NULL, p};
    for (int i = 0; i < 3 * LANES; i++)
        t[i] = 0.3 * i, p[i] = 1 + 0.1 * i;
    ck_assert_uint_le(carom_tape_work(clock, LANES), sizeof work / sizeof *work);
    carom_tape_begin(clock, LANES, in, work);
    carom_tape_eval_row(clock, in, work, &to, 3);
    for (int i = 0; i < 3; i++) {
        carom_tape_eval(clock, LANES, (const double *const[]){t + i * LANES}, work, &to_each);
        ck_assert_mem_eq(each, all + 2 * i * LANES, sizeof each);
    }
    ck_assert_int_eq(rows, 2); /* m cos(k t) and sin(k t) */
    ck_assert_int_eq(carom_tape_length(clock), 3);
    ck_assert_int_eq(carom_tape_length(rest), 3);
    carom_tape_free(clock), carom_tape_free(rest);
    CHECK_OK(carom_tape_split(&clock, &rest, &rows, pool, &plain, output_slot, 1, variable_slot, PARAMETERS, 1, 4,
                              &error),
             error);
    ck_assert(rows == 0 && !clock && !rest);
    carom_expr_pool_free(pool);
}
END_TEST

TEST_MAIN("tape", random_graphs_give_the_same_bits_in_one_lane_in_eight_and_by_walking,
          derivatives_of_random_graphs_give_the_same_bits_too,
          sine_and_cosine_together_have_the_bits_of_each_alone, work_on_parameters_alone_is_done_once,
          registers_are_reused_and_products_melt_into_sums,
          outputs_may_overwrite_inputs_and_a_tape_outlives_its_pool, tape_in_two_parts_has_the_bits_of_one,
          functions_of_time_are_cut_out_and_arithmetic_is_not)
