/* diff.c: exact derivatives, forward over the graph with one memo per (node, variable). A walk with a stack of its
 * own, so that deep graphs are safe. The forms avoid 0/0 where the limit exists; conventions at kinks: see expr.h. */
#include <stdlib.h>
#include <string.h>

#include "expr/pool.h"

enum { FIRST_MEMO = 1024 };

static carom_expr num(carom_expr_pool *p, double value)
{
    return carom_expr_const(p, value);
}
static carom_expr add(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_ADD, a, b);
}
static carom_expr sub(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_SUB, a, b);
}
static carom_expr mul(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_MUL, a, b);
}
static carom_expr divide(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    double value; /* 0 divided by anything is no slope at all */
    return carom_expr_is_const(p, a, &value) && value == 0 ? a : carom_expr_binary(p, CAROM_OP_DIV, a, b);
}
static carom_expr square(carom_expr_pool *p, carom_expr a)
{
    return carom_expr_binary(p, CAROM_OP_POW, a, num(p, 2));
}
static bool zero(const carom_expr_pool *p, carom_expr e)
{
    double value;
    return carom_expr_is_const(p, e, &value) && value == 0;
}

/* Of x^y: y x^(y-1) x' + x^y log(x) y', the second term 0 where x^y is. */
static carom_expr of_power(carom_expr_pool *p, carom_expr e, carom_expr x, carom_expr y, carom_expr dx, carom_expr dy)
{
    carom_expr by_x = num(p, 0), by_y = num(p, 0);
    if (!zero(p, dx))
        by_x = mul(p, mul(p, y, carom_expr_binary(p, CAROM_OP_POW, x, add(p, y, num(p, -1)))), dx);
    if (!zero(p, dy)) {
        carom_expr slope = mul(p, e, carom_expr_unary(p, CAROM_OP_LOG, x));
        carom_expr at_zero = carom_expr_binary(p, CAROM_OP_EQ, e, num(p, 0));
        by_y = mul(p, carom_expr_if(p, at_zero, num(p, 0), slope), dy);
    }
    return add(p, by_x, by_y);
}

/* Of hypot(a, b): (a a' + b b')/hypot, 0 at the origin, as for abs. */
static carom_expr of_hypot(carom_expr_pool *p, carom_expr e, carom_expr a, carom_expr b, carom_expr da, carom_expr db)
{
    carom_expr at_zero = carom_expr_binary(p, CAROM_OP_EQ, e, num(p, 0));
    return divide(p, add(p, mul(p, a, da), mul(p, b, db)), carom_expr_if(p, at_zero, num(p, 1), e));
}

static carom_expr slope_of_unary(carom_expr_pool *p, carom_expr e, int op, carom_expr x) /* de/dx */
{
    carom_expr one = num(p, 1);
    switch (op) {
    case CAROM_OP_SIN: return carom_expr_unary(p, CAROM_OP_COS, x);
    case CAROM_OP_COS: return carom_expr_unary(p, CAROM_OP_NEG, carom_expr_unary(p, CAROM_OP_SIN, x));
    case CAROM_OP_TAN: return add(p, one, square(p, e));
    case CAROM_OP_SINH: return carom_expr_unary(p, CAROM_OP_COSH, x);
    case CAROM_OP_COSH: return carom_expr_unary(p, CAROM_OP_SINH, x);
    case CAROM_OP_TANH: return sub(p, one, square(p, e));
    case CAROM_OP_EXP: return e;
    case CAROM_OP_ABS: return carom_expr_unary(p, CAROM_OP_SIGN, x);
    default: return num(p, 0); /* sign, floor, not */
    }
}

static carom_expr of_unary(carom_expr_pool *p, carom_expr e, carom_node n, carom_expr da)
{
    carom_expr one = num(p, 1), root;
    switch (n.op) {
    case CAROM_OP_NEG:
        return carom_expr_unary(p, CAROM_OP_NEG, da);
    case CAROM_OP_ASIN:
    case CAROM_OP_ACOS:
        root = carom_expr_unary(p, CAROM_OP_SQRT, mul(p, sub(p, one, n.a), add(p, one, n.a)));
        da = divide(p, da, root);
        return n.op == CAROM_OP_ASIN ? da : carom_expr_unary(p, CAROM_OP_NEG, da);
    case CAROM_OP_ATAN:
        return divide(p, da, add(p, one, square(p, n.a)));
    case CAROM_OP_LOG:
        return divide(p, da, n.a);
    case CAROM_OP_SQRT:
        return divide(p, mul(p, num(p, 0.5), da), e);
    case CAROM_OP_CBRT:
        return divide(p, da, mul(p, num(p, 3), square(p, e)));
    case CAROM_OP_TABLE:
        return mul(p, carom_expr_table(p, n.b, n.c + 1, n.a), da);
    default:
        return mul(p, slope_of_unary(p, e, n.op, n.a), da);
    }
}

static carom_expr of_binary(carom_expr_pool *p, carom_expr e, carom_node n, carom_expr da, carom_expr db)
{
    carom_expr quotient;
    switch (n.op) {
    case CAROM_OP_ADD:
        return add(p, da, db);
    case CAROM_OP_SUB:
        return sub(p, da, db);
    case CAROM_OP_MUL:
        return add(p, mul(p, da, n.b), mul(p, n.a, db));
    case CAROM_OP_DIV:
        return divide(p, sub(p, da, mul(p, e, db)), n.b);
    case CAROM_OP_POW:
        return of_power(p, e, n.a, n.b, da, db);
    case CAROM_OP_ATAN2:
        return divide(p, sub(p, mul(p, n.b, da), mul(p, n.a, db)), add(p, square(p, n.a), square(p, n.b)));
    case CAROM_OP_HYPOT:
        return of_hypot(p, e, n.a, n.b, da, db);
    case CAROM_OP_MIN:
        return carom_expr_if(p, carom_expr_binary(p, CAROM_OP_LT, n.b, n.a), db, da);
    case CAROM_OP_MAX:
        return carom_expr_if(p, carom_expr_binary(p, CAROM_OP_LT, n.a, n.b), db, da);
    case CAROM_OP_MOD:
        quotient = carom_expr_binary(p, CAROM_OP_DIV, n.a, n.b);
        return sub(p, da, mul(p, carom_expr_unary(p, CAROM_OP_FLOOR, quotient), db));
    default:
        return num(p, 0); /* comparisons, and, or */
    }
}

static carom_memo_entry *probe(const carom_expr_pool *pool, int node, int variable)
{
    unsigned mask = (unsigned)pool->nmemo - 1;
    uint64_t key = ((uint64_t)(uint32_t)node << 32 | (uint32_t)variable) * 0x9e3779b97f4a7c15u;
    unsigned i = (unsigned)(key >> 33) & mask;
    while (pool->memo[i].result != CAROM_EXPR_NONE &&
           (pool->memo[i].node != node || pool->memo[i].variable != variable))
        i = (i + 1) & mask;
    return &pool->memo[i];
}

static bool new_memo(carom_expr_pool *pool, int size)
{
    carom_memo_entry *before = pool->memo, *memo = malloc(sizeof *memo * (size_t)size);
    int n = pool->nmemo;
    if (!memo)
        return false;
    memset(memo, 0xff, sizeof *memo * (size_t)size);
    pool->memo = memo;
    pool->nmemo = size;
    for (int i = 0; i < n; i++) {
        if (before[i].result != CAROM_EXPR_NONE)
            *probe(pool, before[i].node, before[i].variable) = before[i];
    }
    free(before);
    return true;
}

/* Constant between jumps, whatever it is made of: what is below it needs no derivatives. */
static bool steps(int op)
{
    return (op >= CAROM_OP_LT && op <= CAROM_OP_NOT) || op == CAROM_OP_SIGN || op == CAROM_OP_FLOOR;
}

/* The derivative if it is known without work, else CAROM_EXPR_NONE. */
static carom_expr known(carom_expr_pool *pool, carom_expr e, int variable)
{
    const carom_node *n = &pool->node[e];
    if (variable < n->low || variable > n->high || steps(n->op))
        return num(pool, 0);
    if (n->op == CAROM_OP_VAR)
        return num(pool, 1);
    return probe(pool, e, variable)->result;
}

static bool remember(carom_expr_pool *pool, carom_expr e, int variable, carom_expr result)
{
    *probe(pool, e, variable) = (carom_memo_entry){e, variable, result};
    return ++pool->memo_count <= pool->nmemo / 2 || (pool->nmemo < INT_MAX / 4 && new_memo(pool, pool->nmemo * 2));
}

static carom_expr derive(carom_expr_pool *pool, carom_expr e, const carom_expr *d)
{
    carom_node n = pool->node[e];
    switch (carom_op_children(n.op)) {
    case 1: return of_unary(pool, e, n, d[0]);
    case 2: return of_binary(pool, e, n, d[0], d[1]);
    default: return carom_expr_if(pool, n.a, d[1], d[2]);
    }
}

/* One visit: pushes children whose derivatives are missing, or settles e. */
static bool visit(carom_expr_pool *pool, int variable, int *stack, int *depth)
{
    carom_expr e = stack[*depth - 1];
    const carom_node n = pool->node[e];
    const int child[3] = {n.a, n.b, n.c};
    carom_expr d[3] = {CAROM_EXPR_NONE, CAROM_EXPR_NONE, CAROM_EXPR_NONE};
    bool missing = false;
    for (int i = n.op == CAROM_OP_IF; i < carom_op_children(n.op); i++) { /* a condition only chooses */
        d[i] = known(pool, child[i], variable);
        if (d[i] == CAROM_EXPR_NONE) {
            stack[(*depth)++] = child[i];
            missing = true;
        }
    }
    if (missing)
        return !pool->exhausted;
    --*depth;
    if (probe(pool, e, variable)->result != CAROM_EXPR_NONE)
        return true;
    carom_expr result = derive(pool, e, d);
    return result != CAROM_EXPR_NONE && remember(pool, e, variable, result);
}

carom_expr carom_expr_diff(carom_expr_pool *pool, carom_expr e, int variable)
{
    if (e == CAROM_EXPR_NONE || pool->exhausted)
        return CAROM_EXPR_NONE;
    if (pool->memo_count / 4 > pool->limit) { /* many variables of a large pool: start anew */
        free(pool->memo);
        pool->memo = NULL;
        pool->nmemo = pool->memo_count = 0;
    }
    if (!pool->memo && !new_memo(pool, FIRST_MEMO)) {
        pool->exhausted = true;
        return CAROM_EXPR_NONE;
    }
    carom_expr result = known(pool, e, variable);
    if (result != CAROM_EXPR_NONE)
        return result;
    /* A node's children are smaller, and each visit leaves at most two waiting beside the path. */
    int *stack = carom_pool_scratch(&pool->stack, sizeof *stack * (3 * (size_t)e + 4)), depth = 0;
    bool fine = stack != NULL;
    if (fine)
        stack[depth++] = e;
    while (fine && depth > 0)
        fine = visit(pool, variable, stack, &depth);
    if (!fine)
        pool->exhausted = true;
    return fine ? known(pool, e, variable) : CAROM_EXPR_NONE;
}
