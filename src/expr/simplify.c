/* simplify.c: the constructors of the graph. Constants fold, equal things meet, and no rule turns a finite value
 * into NaN or back, except 0*x = 0 and x - x = 0. Only constants between 1e-100 and 1e100 are regrouped, so that
 * values short of 1e200 cannot overflow by it. Commutative operands have one order: a*b and b*a are one node. */
#include "expr/pool.h"

#define NONE CAROM_EXPR_NONE

static carom_expr raw(carom_expr_pool *pool, carom_op op, carom_expr a, carom_expr b)
{
    return carom_pool_node(pool, op, a, b, NONE, 0);
}

static bool is(const carom_expr_pool *pool, carom_expr e, carom_op op)
{
    return pool->node[e].op == (int)op;
}

static bool is_value(const carom_expr_pool *pool, carom_expr e, double value)
{
    return is(pool, e, CAROM_OP_CONST) && pool->node[e].value == value;
}

static bool moderate(double c)
{
    return c == 0 || (fabs(c) > 1e-100 && fabs(c) < 1e100);
}

/* e = c * rest with a moderate constant c; 1 * e otherwise. */
static double split(const carom_expr_pool *pool, carom_expr e, carom_expr *rest)
{
    const carom_node *n = &pool->node[e];
    *rest = e;
    if (n->op == CAROM_OP_NEG) {
        *rest = n->a;
        return -1;
    }
    if (n->op == CAROM_OP_MUL && is(pool, n->a, CAROM_OP_CONST) && moderate(pool->node[n->a].value)) {
        *rest = n->b;
        return pool->node[n->a].value;
    }
    return 1;
}

/* -x or -2*x: better added or subtracted the other way round. */
static bool negative(const carom_expr_pool *pool, carom_expr e)
{
    carom_expr rest;
    return split(pool, e, &rest) < 0;
}

static carom_expr scale(carom_expr_pool *pool, double c, carom_expr e)
{
    return carom_expr_binary(pool, CAROM_OP_MUL, carom_expr_const(pool, c), e);
}

static carom_expr negate(carom_expr_pool *pool, carom_expr a)
{
    carom_node n = pool->node[a];
    switch (n.op) {
    case CAROM_OP_CONST:
        return carom_expr_const(pool, -n.value);
    case CAROM_OP_NEG:
        return n.a;
    case CAROM_OP_SUB:
        return carom_expr_binary(pool, CAROM_OP_SUB, n.b, n.a);
    case CAROM_OP_MUL:
        if (is(pool, n.a, CAROM_OP_CONST))
            return scale(pool, -pool->node[n.a].value, n.b);
        break;
    case CAROM_OP_ADD:
        if (is(pool, n.b, CAROM_OP_CONST))
            return carom_expr_binary(pool, CAROM_OP_SUB, carom_expr_const(pool, -pool->node[n.b].value), n.a);
        break;
    default:
        break;
    }
    return raw(pool, CAROM_OP_NEG, a, NONE);
}

/* a + b or a - b of multiples of the same thing. */
static bool collect(carom_expr_pool *pool, carom_op op, carom_expr a, carom_expr b, carom_expr *result)
{
    carom_expr x, y;
    double ca = split(pool, a, &x), cb = split(pool, b, &y);
    if (x != y)
        return false;
    *result = scale(pool, op == CAROM_OP_ADD ? ca + cb : ca - cb, x);
    return true;
}

/* One order for a commutative pair: chains of the same kind first, so that a + b + c prints as written, then by age. */
static bool reversed(const carom_expr_pool *pool, carom_op op, carom_op inverse, carom_expr a, carom_expr b)
{
    bool chain_a = is(pool, a, op) || is(pool, a, inverse), chain_b = is(pool, b, op) || is(pool, b, inverse);
    return chain_a != chain_b ? chain_b : a > b;
}

static carom_expr add(carom_expr_pool *pool, carom_expr a, carom_expr b)
{
    carom_expr result;
    if (is(pool, a, CAROM_OP_CONST) ||
        (!is(pool, b, CAROM_OP_CONST) && reversed(pool, CAROM_OP_ADD, CAROM_OP_SUB, a, b))) {
        carom_expr swap = a;
        a = b, b = swap;
    }
    carom_node na = pool->node[a], nb = pool->node[b];
    if (is_value(pool, b, 0))
        return a;
    if (nb.op == CAROM_OP_CONST && na.op == CAROM_OP_ADD && is(pool, na.b, CAROM_OP_CONST)) {
        double c = pool->node[na.b].value;
        if (moderate(c) && moderate(nb.value))
            return carom_expr_binary(pool, CAROM_OP_ADD, na.a, carom_expr_const(pool, c + nb.value));
    }
    if (collect(pool, CAROM_OP_ADD, a, b, &result))
        return result;
    if (negative(pool, b))
        return carom_expr_binary(pool, CAROM_OP_SUB, a, negate(pool, b));
    if (negative(pool, a))
        return carom_expr_binary(pool, CAROM_OP_SUB, b, negate(pool, a));
    return raw(pool, CAROM_OP_ADD, a, b);
}

static carom_expr subtract(carom_expr_pool *pool, carom_expr a, carom_expr b)
{
    carom_expr result;
    carom_node na = pool->node[a], nb = pool->node[b];
    if (nb.op == CAROM_OP_CONST)
        return carom_expr_binary(pool, CAROM_OP_ADD, a, carom_expr_const(pool, -nb.value));
    if (is_value(pool, a, 0))
        return negate(pool, b);
    if (collect(pool, CAROM_OP_SUB, a, b, &result))
        return result;
    if (negative(pool, b))
        return carom_expr_binary(pool, CAROM_OP_ADD, a, negate(pool, b));
    if (na.op == CAROM_OP_NEG)
        return carom_expr_unary(pool, CAROM_OP_NEG, carom_expr_binary(pool, CAROM_OP_ADD, na.a, b));
    return raw(pool, CAROM_OP_SUB, a, b);
}

static carom_expr multiply_const(carom_expr_pool *pool, carom_expr constant, carom_expr b)
{
    double c = pool->node[constant].value;
    carom_node n = pool->node[b];
    if (c == 0)
        return constant;
    if (c == 1)
        return b;
    if (c == -1)
        return negate(pool, b);
    if (n.op == CAROM_OP_NEG)
        return scale(pool, -c, n.a);
    if (n.op == CAROM_OP_MUL && is(pool, n.a, CAROM_OP_CONST)) {
        double d = pool->node[n.a].value;
        if (moderate(c) && moderate(d))
            return scale(pool, c * d, n.b);
    }
    if (n.op == CAROM_OP_DIV && is(pool, n.b, CAROM_OP_CONST)) {
        double d = pool->node[n.b].value;
        if (moderate(c) && moderate(d) && d != 0)
            return scale(pool, c / d, n.a);
    }
    return raw(pool, CAROM_OP_MUL, constant, b);
}

/* e = base^n with a positive whole n (1 for anything else). */
static int whole_power(const carom_expr_pool *pool, carom_expr e, carom_expr *base)
{
    const carom_node *node = &pool->node[e];
    int n;
    *base = e;
    if (node->op != CAROM_OP_POW || !is(pool, node->b, CAROM_OP_CONST) ||
        !carom_power_small(pool->node[node->b].value, &n) || n < 1)
        return 1;
    *base = node->a;
    return n;
}

static carom_expr multiply(carom_expr_pool *pool, carom_expr a, carom_expr b)
{
    if (is(pool, b, CAROM_OP_CONST) ||
        (!is(pool, a, CAROM_OP_CONST) && reversed(pool, CAROM_OP_MUL, CAROM_OP_DIV, a, b))) {
        carom_expr swap = a;
        a = b, b = swap;
    }
    if (is(pool, a, CAROM_OP_CONST))
        return multiply_const(pool, a, b);
    carom_expr x, y;
    double ca = split(pool, a, &x), cb = split(pool, b, &y);
    if (ca * cb != 1 || x != a) {
        carom_expr product = carom_expr_binary(pool, CAROM_OP_MUL, x, y);
        return scale(pool, ca * cb, product);
    }
    int n = whole_power(pool, a, &x), m = whole_power(pool, b, &y);
    if (x == y && n + m <= CAROM_POWER_MAX)
        return carom_expr_binary(pool, CAROM_OP_POW, x, carom_expr_const(pool, n + m));
    return raw(pool, CAROM_OP_MUL, a, b);
}

static carom_expr divide(carom_expr_pool *pool, carom_expr a, carom_expr b)
{
    double cb;
    int exponent;
    carom_expr x;
    double ca = split(pool, a, &x);
    if (carom_expr_is_const(pool, b, &cb) && moderate(cb) && cb != 0 &&
        (fabs(ca) != 1 || fabs(frexp(cb, &exponent)) == 0.5))
        return scale(pool, ca / cb, x); /* exact for a power of two */
    if (ca != 1)
        return scale(pool, ca, carom_expr_binary(pool, CAROM_OP_DIV, x, b));
    if (is(pool, b, CAROM_OP_NEG))
        return carom_expr_unary(pool, CAROM_OP_NEG, carom_expr_binary(pool, CAROM_OP_DIV, a, pool->node[b].a));
    return raw(pool, CAROM_OP_DIV, a, b);
}

static carom_expr power(carom_expr_pool *pool, carom_expr a, carom_expr b)
{
    double c;
    int n, m;
    if (is_value(pool, a, 1))
        return a;
    if (!carom_expr_is_const(pool, b, &c))
        return raw(pool, CAROM_OP_POW, a, b);
    if (c == 0)
        return carom_expr_const(pool, 1);
    if (c == 1)
        return a;
    if (c == -1)
        return carom_expr_binary(pool, CAROM_OP_DIV, carom_expr_const(pool, 1), a);
    if (c == 0.5)
        return carom_expr_unary(pool, CAROM_OP_SQRT, a);
    if (carom_power_small(c, &n) && n > 1) {
        carom_expr base;
        if ((m = whole_power(pool, a, &base)) > 1 && n * m <= CAROM_POWER_MAX)
            return carom_expr_binary(pool, CAROM_OP_POW, base, carom_expr_const(pool, n * m));
        if (is(pool, a, CAROM_OP_NEG) || (is(pool, a, CAROM_OP_ABS) && n % 2 == 0)) {
            carom_expr p = carom_expr_binary(pool, CAROM_OP_POW, pool->node[a].a, b);
            return n % 2 ? carom_expr_unary(pool, CAROM_OP_NEG, p) : p;
        }
    }
    return raw(pool, CAROM_OP_POW, a, b);
}

carom_expr carom_expr_binary(carom_expr_pool *pool, carom_op op, carom_expr a, carom_expr b)
{
    if (a == NONE || b == NONE)
        return NONE;
    if (is(pool, a, CAROM_OP_CONST) && is(pool, b, CAROM_OP_CONST))
        return carom_expr_const(pool, carom_op_value((int)op, pool->node[a].value, pool->node[b].value, 0));
    switch (op) {
    case CAROM_OP_ADD: return add(pool, a, b);
    case CAROM_OP_SUB: return subtract(pool, a, b);
    case CAROM_OP_MUL: return multiply(pool, a, b);
    case CAROM_OP_DIV: return divide(pool, a, b);
    case CAROM_OP_POW: return power(pool, a, b);
    case CAROM_OP_MIN:
    case CAROM_OP_MAX: return a == b ? a : raw(pool, op, a, b);
    case CAROM_OP_HYPOT:
    case CAROM_OP_EQ:
    case CAROM_OP_NE:
    case CAROM_OP_AND:
    case CAROM_OP_OR: return raw(pool, op, CAROM_MIN(a, b), CAROM_MAX(a, b));
    default: return raw(pool, op, a, b);
    }
}

carom_expr carom_expr_unary(carom_expr_pool *pool, carom_op op, carom_expr a)
{
    if (a == NONE)
        return NONE;
    carom_node n = pool->node[a];
    if (n.op == CAROM_OP_CONST)
        return carom_expr_const(pool, carom_op_value((int)op, n.value, 0, 0));
    switch (op) {
    case CAROM_OP_NEG:
        return negate(pool, a);
    case CAROM_OP_SIN: /* odd */
    case CAROM_OP_TAN:
    case CAROM_OP_ASIN:
    case CAROM_OP_ATAN:
    case CAROM_OP_SINH:
    case CAROM_OP_TANH:
    case CAROM_OP_CBRT:
    case CAROM_OP_SIGN:
        if (n.op == CAROM_OP_NEG)
            return carom_expr_unary(pool, CAROM_OP_NEG, carom_expr_unary(pool, op, n.a));
        break;
    case CAROM_OP_ABS:
        if (n.op == CAROM_OP_ABS)
            return a;
        /* fall through */
    case CAROM_OP_COS: /* even */
    case CAROM_OP_COSH:
        if (n.op == CAROM_OP_NEG)
            return carom_expr_unary(pool, op, n.a);
        break;
    default:
        break;
    }
    return raw(pool, op, a, NONE);
}

carom_expr carom_expr_if(carom_expr_pool *pool, carom_expr c, carom_expr a, carom_expr b)
{
    double value;
    if (c == NONE || a == NONE || b == NONE)
        return NONE;
    if (carom_expr_is_const(pool, c, &value))
        return value != 0 ? a : b;
    if (a == b)
        return a;
    return carom_pool_node(pool, CAROM_OP_IF, c, a, b, 0);
}
