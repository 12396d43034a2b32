/* test_expr_random.h: random graphs, and the check that every way to evaluate them gives the same bits. */
#ifndef CAROM_TEST_EXPR_RANDOM_H
#define CAROM_TEST_EXPR_RANDOM_H

#include "test_expr.h"

enum { LANES = 8, MOST = 64 };
static const carom_tape_slot variable_slot[NVAR] = {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0},
                                                    {2, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}};
static const carom_tape_slot output_slot[MOST] = {
    {0, 0}, {0, 1}, {1, 0},  {0, 2},  {0, 3},  {1, 1},  {1, 2},  {1, 3},  {0, 4},  {0, 5},  {0, 6},  {0, 7},
    {0, 8}, {0, 9}, {0, 10}, {0, 11}, {0, 12}, {0, 13}, {0, 14}, {0, 15}, {0, 16}, {0, 17}, {0, 18}, {0, 19}};
enum { PARAMETERS = 1 << 3 };

typedef struct bench { /* inputs and outputs of eight lanes */
    double in[4][3][LANES], out[2][MOST][LANES];
} bench;

static inline carom_tape *tape_of(carom_expr_pool *pool, const carom_expr *outputs, int n)
{
    carom_tape *tape = NULL;
    carom_error error = {0};
    CHECK_OK(carom_tape_new(&tape, pool, outputs, output_slot, n, variable_slot, PARAMETERS, &error), error);
    return tape;
}

static inline void fill(bench *b, unsigned long long *random)
{
    static const double special[] = {0, 1, -1, 2, 0.5, -0.25, 1e-8, 30};
    for (int v = 0; v < NVAR; v++) {
        for (int k = 0; k < LANES; k++) {
            double value = below(random, 3) ? 4 * uniform(random) - 2 : special[below(random, 8)];
            b->in[variable_slot[v].group][variable_slot[v].row][k] = value;
        }
    }
}

static inline void evaluate_wide(const carom_tape *tape, bench *b)
{
    const double *in[4] = {b->in[0][0], b->in[1][0], b->in[2][0], b->in[3][0]};
    double *out[2] = {b->out[0][0], b->out[1][0]};
    double *work = malloc(sizeof *work * carom_tape_work(tape, LANES));
    carom_tape_begin(tape, LANES, in, work);
    carom_tape_eval(tape, LANES, in, work, out);
    free(work);
}

/* One lane of b, alone. */
static inline void evaluate_lane(const carom_tape *tape, const bench *b, int lane, double variables[NVAR],
                                 double out[2][MOST])
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

static inline bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Eight lanes, each lane alone, and the graph: the same bits. */
static inline void check_bits(const carom_expr_pool *pool, const carom_tape *tape, const carom_expr *outputs,
                              int n, bench *b)
{
    double variables[NVAR], out[2][MOST];
    evaluate_wide(tape, b);
    for (int k = 0; k < LANES; k++) {
        evaluate_lane(tape, b, k, variables, out);
        for (int i = 0; i < n; i++) {
            double wide = b->out[output_slot[i].group][output_slot[i].row][k],
                   one = out[output_slot[i].group][output_slot[i].row];
            double value = carom_expr_value(pool, outputs[i], variables);
            char text[2000];
            if (!same(wide, one) || !same(one, value)) {
                carom_expr_print(pool, outputs[i], name_of, NULL, text, sizeof text);
                ck_abort_msg("output %d, lane %d: eight %.17g, one %.17g, graph %.17g: %s", i, k, wide, one,
                             value, text);
            }
        }
    }
}

static inline carom_expr random_node(carom_expr_pool *pool, const carom_expr *e, int n,
                                     unsigned long long *random)
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
    const carom_op two[] = {CAROM_OP_POW, CAROM_OP_ATAN2, CAROM_OP_HYPOT, CAROM_OP_MIN,
                            CAROM_OP_MAX, CAROM_OP_MOD,   CAROM_OP_LT,    CAROM_OP_LE,
                            CAROM_OP_EQ,  CAROM_OP_NE,    CAROM_OP_AND,   CAROM_OP_OR,
                            CAROM_OP_ADD, CAROM_OP_SUB,   CAROM_OP_MUL,   CAROM_OP_DIV};
    for (int i = 0; i < CAROM_COUNT(two); i++) {
        if (op == (int)two[i])
            return carom_expr_binary(pool, two[i], a, b);
    }
    return carom_expr_unary(pool, (carom_op)op, a);
}

/* A pool with two tables and a random graph; the outputs are its last nodes, a constant and an input. */
static inline carom_expr_pool *random_graph(unsigned long long *random, int size, carom_expr *outputs, int n)
{
    const double x[] = {-1, -0.5, 0, 0.7, 1}, y[] = {0.3, -0.2, 0.8, 0.1, 0.3};
    carom_expr e[400];
    carom_expr_pool *pool = carom_expr_pool_new(100000);
    carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = 5, .x = x, .y = y});
    carom_expr_add_table(
        pool, "push", &(carom_expr_data){.n = 5, .x = x, .y = y, .kind = CAROM_TABLE_PCHIP, .periodic = true});
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

#endif
