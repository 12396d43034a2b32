/* value.c: the arithmetic of each operation, and the questions that are answered by walking the graph. */
#include <stdlib.h>
#include <string.h>

#include "expr/op_trig.h"
#include "expr/pool.h"

bool carom_power_small(double exponent, int *n)
{
    if (!(fabs(exponent) <= CAROM_POWER_MAX) || exponent != floor(exponent))
        return false;
    *n = (int)exponent;
    return true;
}

/* The chain that the tape unrolls: halve the exponent, square, multiply by x when it was odd. */
static double positive_power(double x, int n)
{
    double result = x;
    int bit = 1;
    while (bit <= n / 2)
        bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2) {
        result *= result;
        if (n & bit)
            result *= x;
    }
    return result;
}

double carom_power(double x, int n)
{
    if (n == 0)
        return 1;
    return n > 0 ? positive_power(x, n) : 1 / positive_power(x, -n);
}

static double power(double x, double y)
{
    int n;
    return carom_power_small(y, &n) ? carom_power(x, n) : pow(x, y);
}

static double arithmetic(int op, double a, double b, double c)
{
    switch (op) {
    case CAROM_OP_NEG: return -a;
    case CAROM_OP_ADD: return a + b;
    case CAROM_OP_SUB: return a - b;
    case CAROM_OP_MUL: return a * b;
    case CAROM_OP_DIV: return a / b;
    case CAROM_OP_MIN: return carom_op_min(a, b);
    case CAROM_OP_MAX: return carom_op_max(a, b);
    case CAROM_OP_MOD: return carom_op_mod(a, b);
    case CAROM_OP_LT: return a < b;
    case CAROM_OP_LE: return a <= b;
    case CAROM_OP_EQ: return a == b;
    case CAROM_OP_NE: return a != b;
    case CAROM_OP_AND: return a != 0 && b != 0;
    case CAROM_OP_OR: return a != 0 || b != 0;
    case CAROM_OP_NOT: return a == 0;
    case CAROM_OP_IF: return a != 0 ? b : c;
    default: return NAN;
    }
}

double carom_op_value(int op, double a, double b, double c)
{
    switch (op) {
    case CAROM_OP_POW: return power(a, b);
    case CAROM_OP_SIN: return carom_op_sin(a);
    case CAROM_OP_COS: return carom_op_cos(a);
    case CAROM_OP_TAN: return tan(a);
    case CAROM_OP_ASIN: return asin(a);
    case CAROM_OP_ACOS: return acos(a);
    case CAROM_OP_ATAN: return atan(a);
    case CAROM_OP_ATAN2: return atan2(a, b);
    case CAROM_OP_SINH: return sinh(a);
    case CAROM_OP_COSH: return cosh(a);
    case CAROM_OP_TANH: return tanh(a);
    case CAROM_OP_EXP: return exp(a);
    case CAROM_OP_LOG: return log(a);
    case CAROM_OP_SQRT: return sqrt(a);
    case CAROM_OP_CBRT: return cbrt(a);
    case CAROM_OP_HYPOT: return hypot(a, b);
    case CAROM_OP_ABS: return fabs(a);
    case CAROM_OP_SIGN: return carom_op_sign(a);
    case CAROM_OP_FLOOR: return floor(a);
    default: return arithmetic(op, a, b, c);
    }
}

static double node_value(const carom_expr_pool *pool, const carom_node *n, const double *variables, const double *value)
{
    if (n->op == CAROM_OP_CONST)
        return n->value;
    if (n->op == CAROM_OP_VAR)
        return variables[n->a];
    if (n->op == CAROM_OP_TABLE)
        return carom_spline_value(pool->table[n->b], n->c, value[n->a]);
    if (n->op == CAROM_OP_POW && pool->node[n->b].op != CAROM_OP_CONST)
        return pow(value[n->a], value[n->b]); /* multiplications are for exponents known beforehand, as on the tape */
    int children = carom_op_children(n->op);
    return carom_op_value(n->op, value[n->a], children > 1 ? value[n->b] : 0, children > 2 ? value[n->c] : 0);
}

double carom_expr_value(const carom_expr_pool *pool, carom_expr e, const double *variables)
{
    double *room = e == CAROM_EXPR_NONE ? NULL : malloc(sizeof *room * carom_expr_room(e));
    double value = room ? carom_expr_value_in(pool, e, variables, room) : NAN;
    free(room);
    return value;
}

size_t carom_expr_room(carom_expr e) /* a value for each node up to e, then a byte for each */
{
    const size_t nodes = (size_t)e + 1;
    return nodes + (nodes + sizeof(double) - 1) / sizeof(double);
}

/* The values of what is marked up to e, and of what it is made of. */
static void evaluate(const carom_expr_pool *pool, carom_expr e, const double *variables, double *room)
{
    unsigned char *mark = (unsigned char *)(room + e + 1);
    carom_pool_reach(pool, e, mark);
    for (int i = 0; i <= e; i++)
        if (mark[i])
            room[i] = node_value(pool, &pool->node[i], variables, room);
}

double carom_expr_value_in(const carom_expr_pool *pool, carom_expr e, const double *variables, double *room)
{
    memset(room + e + 1, 0, (size_t)e + 1);
    evaluate(pool, e, variables, room);
    return room[e];
}

void carom_expr_values(const carom_expr_pool *pool, int n, const carom_expr *e, const double *variables, double *out)
{
    carom_expr last = CAROM_EXPR_NONE;
    for (int i = 0; i < n; i++)
        last = CAROM_MAX(last, e[i]);
    double *room = last == CAROM_EXPR_NONE ? NULL : calloc(carom_expr_room(last), sizeof *room);
    for (int i = 0; room && i < n; i++)
        if (e[i] != CAROM_EXPR_NONE)
            ((unsigned char *)(room + last + 1))[e[i]] = 1;
    if (room)
        evaluate(pool, last, variables, room);
    for (int i = 0; i < n; i++)
        out[i] = room && e[i] != CAROM_EXPR_NONE ? room[e[i]] : NAN;
    free(room);
}

static unsigned char *no_marks(carom_expr_pool *pool, carom_expr e)
{
    unsigned char *mark = carom_pool_scratch(&pool->mark, (size_t)e + 1);
    return mark ? memset(mark, 0, (size_t)e + 1) : NULL;
}

static carom_expr rebuild(carom_expr_pool *pool, carom_node n, const carom_expr *made)
{
    switch (carom_op_children(n.op)) {
    case 1:
        if (n.op == CAROM_OP_TABLE)
            return carom_expr_table(pool, n.b, n.c, made[n.a]);
        return carom_expr_unary(pool, (carom_op)n.op, made[n.a]);
    case 2:
        return carom_expr_binary(pool, (carom_op)n.op, made[n.a], made[n.b]);
    default:
        return carom_expr_if(pool, made[n.a], made[n.b], made[n.c]);
    }
}

carom_expr carom_expr_replace(carom_expr_pool *pool, carom_expr e, int first, int n, const carom_expr *value)
{
    if (e == CAROM_EXPR_NONE || !carom_expr_depends(pool, e, first, first + n))
        return e;
    carom_expr *made = carom_pool_scratch(&pool->made, sizeof *made * ((size_t)e + 1)), result = CAROM_EXPR_NONE;
    unsigned char *mark = no_marks(pool, e);
    if (made && mark) {
        carom_pool_reach(pool, e, mark);
        for (int i = 0; i <= e; i++) {
            if (!mark[i])
                continue;
            carom_node node = pool->node[i];
            if (node.op == CAROM_OP_VAR && node.a >= first && node.a < first + n)
                made[i] = value[node.a - first];
            else if (node.high < first || node.low >= first + n)
                made[i] = i;
            else
                made[i] = rebuild(pool, node, made);
        }
        result = made[e];
    } else {
        pool->exhausted = true;
    }
    return result;
}

/* 0 unknown, 1 no, 2 yes; the span of a node answers most questions. */
static int quick(const carom_expr_pool *pool, carom_expr e)
{
    const carom_node *n = &pool->node[e];
    int first = pool->depends_first, end = pool->depends_end;
    if (n->high < first || n->low >= end)
        return 1;
    if (n->low >= first || n->high < end)
        return 2;
    return pool->depends[e];
}

static bool ask(carom_expr_pool *pool, int first, int end)
{
    if (pool->depends_size < pool->count) {
        unsigned char *depends = realloc(pool->depends, (size_t)pool->capacity);
        if (!depends)
            return false;
        memset(depends + pool->depends_size, 0, (size_t)(pool->capacity - pool->depends_size));
        pool->depends = depends;
        pool->depends_size = pool->capacity;
    }
    if (pool->depends_first != first || pool->depends_end != end)
        memset(pool->depends, 0, (size_t)pool->depends_size);
    pool->depends_first = first;
    pool->depends_end = end;
    return true;
}

bool carom_expr_depends(carom_expr_pool *pool, carom_expr e, int first, int end)
{
    if (e == CAROM_EXPR_NONE || first >= end)
        return false;
    const carom_node *n = &pool->node[e];
    if (n->high < first || n->low >= end)
        return false;
    if (n->low >= first || n->high < end)
        return true;
    if (!ask(pool, first, end))
        return true; /* out of memory: the safe answer */
    if (pool->depends[e])
        return pool->depends[e] == 2;
    unsigned char *mark = no_marks(pool, e);
    if (!mark)
        return true;
    carom_pool_reach(pool, e, mark);
    for (int i = 0; i <= e; i++) {
        if (!mark[i] || quick(pool, i))
            continue;
        n = &pool->node[i];
        const int child[3] = {n->a, n->b, n->c};
        int answer = 1;
        for (int k = 0; k < carom_op_children(n->op); k++)
            answer = CAROM_MAX(answer, quick(pool, child[k]));
        pool->depends[i] = (unsigned char)answer;
    }
    return pool->depends[e] == 2;
}

bool carom_expr_variables(const carom_expr_pool *pool, carom_expr e, int first, int end, unsigned char *present)
{
    unsigned char *mark = e == CAROM_EXPR_NONE ? NULL : calloc((size_t)e + 1, 1);
    if (!mark)
        return e == CAROM_EXPR_NONE;
    carom_pool_reach(pool, e, mark);
    for (int i = 0; i <= e; i++)
        if (mark[i] && pool->node[i].op == CAROM_OP_VAR && pool->node[i].a >= first && pool->node[i].a < end)
            present[pool->node[i].a - first] = 1;
    free(mark);
    return true;
}
