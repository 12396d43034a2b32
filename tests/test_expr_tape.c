/* test_expr_tape.c: the tape, one lane or eight, interpreted or native, gives the bits of the walk over the graph. */
#include <dirent.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_expr.h"

enum { LANES = 8, MOST = 64 };
static const carom_tape_slot variable_slot[NVAR] = {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}};
static const carom_tape_slot output_slot[MOST] = {{0, 0},  {0, 1},  {1, 0},  {0, 2},  {0, 3},  {1, 1},  {1, 2},  {1, 3},
                                                  {0, 4},  {0, 5},  {0, 6},  {0, 7},  {0, 8},  {0, 9},  {0, 10}, {0, 11},
                                                  {0, 12}, {0, 13}, {0, 14}, {0, 15}, {0, 16}, {0, 17}, {0, 18}, {0, 19}};
enum { PARAMETERS = 1 << 3 };

typedef struct bench { /* inputs and outputs of eight lanes */
    double in[4][3][LANES], out[2][MOST][LANES];
} bench;

static carom_tape *tape_of(carom_expr_pool *pool, const carom_expr *outputs, int n)
{
    carom_tape *tape = NULL;
    carom_error error = {0};
    CHECK_OK(carom_tape_new(&tape, pool, outputs, output_slot, n, variable_slot, PARAMETERS, &error), error);
    return tape;
}

static void fill(bench *b, unsigned long long *random)
{
    static const double special[] = {0, 1, -1, 2, 0.5, -0.25, 1e-8, 30};
    for (int v = 0; v < NVAR; v++) {
        for (int k = 0; k < LANES; k++) {
            double value = below(random, 3) ? 4 * uniform(random) - 2 : special[below(random, 8)];
            b->in[variable_slot[v].group][variable_slot[v].row][k] = value;
        }
    }
}

static void evaluate_wide(const carom_tape *tape, bench *b)
{
    const double *in[4] = {b->in[0][0], b->in[1][0], b->in[2][0], b->in[3][0]};
    double *out[2] = {b->out[0][0], b->out[1][0]};
    double *work = malloc(sizeof *work * carom_tape_work(tape, LANES));
    carom_tape_begin(tape, LANES, in, work);
    carom_tape_eval(tape, LANES, in, work, out);
    free(work);
}

/* One lane of b, alone. */
static void evaluate_lane(const carom_tape *tape, const bench *b, int lane, double variables[NVAR], double out[2][MOST])
{
    double rows[4][3];
    for (int g = 0; g < 4; g++) {
        for (int r = 0; r < 3; r++)
            rows[g][r] = b->in[g][r][lane];
    }
    for (int v = 0; v < NVAR; v++)
        variables[v] = rows[variable_slot[v].group][variable_slot[v].row];
    const double *in[4] = {rows[0], rows[1], rows[2], rows[3]};
    double *outs[2] = {out[0], out[1]}, *work = malloc(sizeof *work * carom_tape_work(tape, 1));
    carom_tape_begin(tape, 1, in, work);
    carom_tape_eval(tape, 1, in, work, outs);
    free(work);
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Eight lanes, each lane alone, and the graph: the same bits. */
static void check_bits(const carom_expr_pool *pool, const carom_tape *tape, const carom_expr *outputs, int n, bench *b)
{
    double variables[NVAR], out[2][MOST];
    evaluate_wide(tape, b);
    for (int k = 0; k < LANES; k++) {
        evaluate_lane(tape, b, k, variables, out);
        for (int i = 0; i < n; i++) {
            double wide = b->out[output_slot[i].group][output_slot[i].row][k], one = out[output_slot[i].group][output_slot[i].row];
            double value = carom_expr_value(pool, outputs[i], variables);
            char text[2000];
            if (!same(wide, one) || !same(one, value)) {
                carom_expr_print(pool, outputs[i], name_of, NULL, text, sizeof text);
                ck_abort_msg("output %d, lane %d: eight %.17g, one %.17g, graph %.17g: %s", i, k, wide, one, value, text);
            }
        }
    }
}

static carom_expr random_node(carom_expr_pool *pool, const carom_expr *e, int n, unsigned long long *random)
{
    carom_expr a = e[below(random, n)], b = e[below(random, n)], c = e[below(random, n)];
    if (below(random, 2)) /* plain arithmetic is the most of it */
        return carom_expr_binary(pool, (carom_op)(CAROM_OP_ADD + below(random, 4)), a, b);
    int op = CAROM_OP_NEG + below(random, CAROM_OPS - CAROM_OP_NEG);
    if (op == CAROM_OP_IF)
        return carom_expr_if(pool, a, b, c);
    if (op == CAROM_OP_TABLE)
        return carom_expr_table(pool, below(random, 2), below(random, 4), a);
    if (op == CAROM_OP_POW && below(random, 2))
        return carom_expr_binary(pool, CAROM_OP_POW, a, carom_expr_const(pool, below(random, 80) - 40));
    const carom_op two[] = {CAROM_OP_POW, CAROM_OP_ATAN2, CAROM_OP_HYPOT, CAROM_OP_MIN, CAROM_OP_MAX, CAROM_OP_MOD, CAROM_OP_LT,
                            CAROM_OP_LE, CAROM_OP_EQ, CAROM_OP_NE, CAROM_OP_AND, CAROM_OP_OR, CAROM_OP_ADD, CAROM_OP_SUB,
                            CAROM_OP_MUL, CAROM_OP_DIV};
    for (int i = 0; i < CAROM_COUNT(two); i++) {
        if (op == (int)two[i])
            return carom_expr_binary(pool, two[i], a, b);
    }
    return carom_expr_unary(pool, (carom_op)op, a);
}

/* A pool with two tables and a random graph; the outputs are its last nodes, a constant and an input. */
static carom_expr_pool *random_graph(unsigned long long *random, int size, carom_expr *outputs, int n)
{
    const double x[] = {-1, -0.5, 0, 0.7, 1}, y[] = {0.3, -0.2, 0.8, 0.1, 0.3};
    carom_expr e[400];
    carom_expr_pool *pool = carom_expr_pool_new(100000);
    carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = 5, .x = x, .y = y});
    carom_expr_add_table(pool, "push", &(carom_expr_data){.n = 5, .x = x, .y = y, .kind = CAROM_TABLE_PCHIP, .periodic = true});
    int count = 0;
    for (int i = 0; i < NVAR; i++)
        e[count++] = carom_expr_var(pool, i);
    e[count++] = carom_expr_const(pool, 0.37);
    e[count++] = carom_expr_const(pool, -3);
    while (count < size)
        e[count] = random_node(pool, e, count, random), count++;
    for (int i = 0; i < n - 2; i++)
        outputs[i] = e[count - 1 - i];
    outputs[n - 2] = carom_expr_const(pool, 4.5);
    outputs[n - 1] = carom_expr_var(pool, 2);
    return pool;
}

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
    carom_expr heavy[] = {parse(pool, "sqrt(m*g/k)^3 + sin(m)*exp(g)"), parse(pool, "7"), parse(pool, "m"), parse(pool, "x")};
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

/* ---- native code ---- */

static char scratch[64];

static void enter_scratch(void)
{
    strcpy(scratch, "/tmp/carom-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    setenv("XDG_CACHE_HOME", scratch, 1);
    setenv("TMPDIR", scratch, 1);
}

/* The number of entries of scratch/sub; removes them when asked; path of the last one. */
static int entries(const char *sub, bool erase, char *last)
{
    char folder[200], path[500];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/%s", scratch, sub);
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.250s", folder, entry->d_name);
        if (last)
            strcpy(last, path);
        if (erase)
            unlink(path);
        count++;
    }
    if (d)
        closedir(d);
    if (erase)
        rmdir(folder);
    return count;
}

static void leave_scratch(void)
{
    entries("carom", true, NULL);
    entries("", true, NULL);
    ck_assert_int_ne(access(scratch, F_OK), 0); /* nothing else was left behind */
}

START_TEST(native_code_gives_the_bits_of_the_tape)
{
    enum { TAPES = 25, N = 12 };
    unsigned long long random = 777;
    static bench b;
    carom_expr outputs[TAPES][N];
    carom_expr_pool *pool[TAPES];
    carom_tape *tape[TAPES];
    carom_jit *jit;
    carom_error error = {0};
    enter_scratch();
    for (int i = 0; i < TAPES; i++) {
        pool[i] = random_graph(&random, 40 + below(&random, 60), outputs[i], N);
        tape[i] = tape_of(pool[i], outputs[i], N);
    }
    CHECK_OK(carom_jit_new(&jit, tape, TAPES, &error), error);
    for (int i = 0; i < TAPES * 8; i++) {
        fill(&b, &random);
        check_bits(pool[i % TAPES], tape[i % TAPES], outputs[i % TAPES], N, &b);
    }
    for (int i = 0; i < TAPES; i++) {
        carom_tape_free(tape[i]);
        carom_expr_pool_free(pool[i]);
    }
    carom_jit_free(jit);
    leave_scratch();
}
END_TEST

/* One small tape, compiled; the status. */
static carom_status try_native(double *value, carom_error *error)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    carom_expr e = parse(pool, "m*x^2 + sin(y)");
    carom_tape *tape = tape_of(pool, &e, 1);
    carom_jit *jit;
    carom_status status = carom_jit_new(&jit, &tape, 1, error);
    ck_assert((status == CAROM_OK) == (jit != NULL));
    double q[3] = {2, 0.5, 0}, p[3] = {3, 0, 0}, work[32], *out[] = {value};
    const double *in[] = {NULL, q, NULL, p};
    carom_tape_begin(tape, 1, in, work);
    carom_tape_eval(tape, 1, in, work, out);
    carom_tape_free(tape);
    carom_jit_free(jit);
    carom_expr_pool_free(pool);
    return status;
}

START_TEST(without_a_compiler_the_reason_is_given_and_the_tape_still_works)
{
    const char *const compilers[] = {"/nonexistent", "false", "  /nonexistent  -O2", "true"};
    const char *const reasons[] = {"'/nonexistent' cannot be run: No such file or directory", "'false --version' ends with code 1",
                                   "'/nonexistent' cannot be run", "native code: "};
    enter_scratch();
    for (int i = 0; i < CAROM_COUNT(compilers); i++) {
        double value = 0;
        carom_error error = {0};
        setenv("CC", compilers[i], 1);
        ck_assert_int_eq(try_native(&value, &error), CAROM_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, reasons[i]), "%s", error.text);
        CHECK_NEAR(value, 12 + sin(0.5), 0);
    }
    leave_scratch();
}
END_TEST

START_TEST(objects_are_cached_reused_and_replaced_when_broken)
{
    double value = 0;
    carom_error error = {0};
    struct stat first, second;
    char path[500];
    enter_scratch();
    CHECK_OK(try_native(&value, &error), error);
    ck_assert_int_eq(entries("carom", false, path), 1);
    ck_assert_int_eq(stat(path, &first), 0);
    CHECK_OK(try_native(&value, &error), error);
    ck_assert_int_eq(stat(path, &second), 0);
    ck_assert_uint_eq(first.st_ino, second.st_ino);
    FILE *f = fopen(path, "w"); /* a broken object */
    fputs("nonsense", f);
    fclose(f);
    CHECK_OK(try_native(&value, &error), error);
    CHECK_NEAR(value, 12 + sin(0.5), 0);
    ck_assert_int_eq(entries("carom", false, path), 1);
    ck_assert_int_eq(stat(path, &second), 0);
    ck_assert_int_gt((int)second.st_size, 1000);
    leave_scratch();
}
END_TEST

START_TEST(without_a_cache_a_temporary_directory_serves_and_is_removed)
{
    double value = 0;
    carom_error error = {0};
    enter_scratch();
    setenv("XDG_CACHE_HOME", "/proc/no/such/place", 1);
    CHECK_OK(try_native(&value, &error), error);
    CHECK_NEAR(value, 12 + sin(0.5), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    CHECK_OK(try_native(&value, &error), error);
    setenv("TMPDIR", "/proc/no/such/place", 1);
    ck_assert_int_eq(try_native(&value, &error), CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "no directory to compile in"), "%s", error.text);
    leave_scratch();
}
END_TEST

TEST_MAIN("tape", random_graphs_give_the_same_bits_in_one_lane_in_eight_and_by_walking,
          derivatives_of_random_graphs_give_the_same_bits_too, sine_and_cosine_together_have_the_bits_of_each_alone,
          work_on_parameters_alone_is_done_once, registers_are_reused_and_products_melt_into_sums,
          outputs_may_overwrite_inputs_and_a_tape_outlives_its_pool, native_code_gives_the_bits_of_the_tape,
          without_a_compiler_the_reason_is_given_and_the_tape_still_works, objects_are_cached_reused_and_replaced_when_broken,
          without_a_cache_a_temporary_directory_serves_and_is_removed)
