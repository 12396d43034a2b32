/* freeze.c: expressions with their branches held fast, so that they go on smoothly where a branch would change.
 *
 * A switch is a function f with a partition of the real line; its branch d is constant on each part:
 *   x < y, x <= y, min, max      f = x - y,   d = -1 | 1                                              (1)
 *   abs(x), sign(x)              f = x,       d = -1 | 1:       d x,  d                               (2)
 *   floor(x)                     f = x,       d = floor(x):     d                                     (3)
 *   mod(x, y)                    f = x/y,     d = floor(x/y):   x - y d                               (4)
 *   table of kind linear, pchip  f = x,       d inside the interval of x between two points:
 *                                the cubic of that interval, by Taylor's formula about d              (5)
 * What depends on branches alone (floor(t) < 3) is no switch: it follows from them. Equality is none either.
 * sqrt, log and powers that stand behind a switch take |x|: what lies beyond the end of a branch must only be finite.
 * Values of f are frozen as well: a switch inside another one is an input of it. */
#include <stdlib.h>
#include <string.h>

#include "expr/pool.h"

static bool is_zero(const carom_expr_pool *pool, carom_expr e)
{
    return pool->node[e].op == CAROM_OP_CONST && pool->node[e].value == 0;
}

/* The switch that a node makes; *reversed: its f is the negative of the node's x - y. */
static bool switch_of(const carom_expr_pool *pool, const carom_node *n, carom_switch *s, bool *reversed)
{
    *reversed = false;
    *s = (carom_switch){.kind = CAROM_SWITCH_SIGN, .a = n->a, .b = CAROM_EXPR_NONE, .table = -1};
    switch (n->op) {
    case CAROM_OP_ABS:
    case CAROM_OP_SIGN:                                                                         /* (2) */
        return true;
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
    case CAROM_OP_LT:
    case CAROM_OP_LE:                                                                           /* (1) */
        *reversed = is_zero(pool, n->a) || (!is_zero(pool, n->b) && n->b < n->a);
        s->a = *reversed ? n->b : n->a;
        s->b = *reversed ? n->a : n->b;
        s->b = is_zero(pool, s->b) ? CAROM_EXPR_NONE : s->b;
        return true;
    case CAROM_OP_FLOOR:                                                                        /* (3) */
        s->kind = CAROM_SWITCH_FLOOR;
        return true;
    case CAROM_OP_MOD:                                                                          /* (4) */
        s->kind = CAROM_SWITCH_MOD, s->b = n->b;
        return true;
    case CAROM_OP_TABLE:                                                                        /* (5) */
        s->kind = CAROM_SWITCH_TABLE, s->table = n->b;
        return pool->table[n->b]->kinks;
    default:
        return false;
    }
}

static int find(const carom_switch *list, int n, const carom_switch *s)
{
    for (int i = 0; i < n; i++)
        if (list[i].kind == s->kind && list[i].a == s->a && list[i].b == s->b && list[i].table == s->table)
            return i;
    return -1;
}

static int end_of(const carom_expr *e, int n)
{
    int end = 0;
    for (int i = 0; i < n; i++)
        end = CAROM_MAX(end, e[i] + 1);
    return end;
}

/* Marks all that the expressions are made of. */
static void reach(const carom_expr_pool *pool, const carom_expr *e, int n, int end, unsigned char *mark)
{
    for (int i = 0; i < n; i++)
        if (e[i] != CAROM_EXPR_NONE)
            mark[e[i]] = 1;
    for (int i = end - 1; i >= 0; i--)
        for (int k = 0; mark[i] && k < carom_op_children(pool->node[i].op); k++)
            mark[carom_expr_child(pool, i, k)] = 1;
}

/* Does a node vary within its branches? Those of its children are known. */
static bool varies(const carom_expr_pool *pool, int i, int end, const unsigned char *vary)
{
    const carom_node *n = &pool->node[i];
    bool any = n->op == CAROM_OP_VAR && n->a < end;
    switch (n->op) {
    case CAROM_OP_SIGN: case CAROM_OP_FLOOR: case CAROM_OP_LT: case CAROM_OP_LE: case CAROM_OP_EQ: case CAROM_OP_NE:
    case CAROM_OP_AND: case CAROM_OP_OR: case CAROM_OP_NOT:
        return false;
    default:
        for (int k = 0; k < carom_op_children(n->op); k++)
            any |= vary[carom_expr_child(pool, i, k)];
        return any;
    }
}

int carom_expr_switches(const carom_expr_pool *pool, const carom_expr *e, int n, int varying, carom_switch *list,
                        int most)
{
    int end = end_of(e, n), count = 0;
    unsigned char *mark = calloc(2 * (size_t)end + 1, 1), *vary = mark ? mark + end : NULL;
    if (!mark)
        return -1;
    reach(pool, e, n, end, mark);
    for (int i = 0; i < end; i++) {
        carom_switch s;
        bool reversed;
        if (!mark[i])
            continue;
        vary[i] = varies(pool, i, varying, vary);
        if (!switch_of(pool, &pool->node[i], &s, &reversed) || find(list, count, &s) >= 0 ||
            !(vary[s.a] || (s.b != CAROM_EXPR_NONE && vary[s.b])))
            continue;
        if (count == most) {
            count++;
            break;
        }
        s.branch = count;
        list[count++] = s;
    }
    free(mark);
    return count;
}

carom_expr carom_switch_function(carom_expr_pool *pool, const carom_switch *s)
{
    if (s->b == CAROM_EXPR_NONE)
        return s->a;
    return carom_expr_binary(pool, s->kind == CAROM_SWITCH_MOD ? CAROM_OP_DIV : CAROM_OP_SUB, s->a, s->b);
}

/* The interval of a table that holds x, and a point inside it; below and above the data it goes on linearly. */
static double interval(const carom_spline *t, double x, double *low, double *high)
{
    double first = t->x[0], last = t->x[t->n - 1], shift = 0;
    if (t->periodic)
        shift = floor((x - first) / (last - first)) * (last - first);
    x -= shift;
    *low = -INFINITY, *high = INFINITY;
    if (!t->periodic && x < first) {
        *high = first;
        return first - (last - first);
    }
    if (!t->periodic && x >= last) {
        *low = last;
        return last + (last - first);
    }
    int k = 0;
    while (k < t->n - 2 && x >= t->x[k + 1])
        k++;
    *low = t->x[k] + shift, *high = t->x[k + 1] + shift;
    return 0.5 * (*low + *high);
}

double carom_switch_branch(const carom_expr_pool *pool, const carom_switch *s, double f, double *low, double *high)
{
    if (s && s->kind == CAROM_SWITCH_TABLE)
        return interval(pool->table[s->table], f, low, high);
    if (s && s->kind != CAROM_SWITCH_SIGN) {
        *low = floor(f), *high = *low + 1;
        return *low;
    }
    *low = f < 0 ? -INFINITY : 0, *high = f < 0 ? 0 : INFINITY;
    return f < 0 ? -1 : 1;
}

typedef struct freezer {
    carom_expr_pool *pool;
    const carom_switch *list;
    int n, first;          /* switches; the variable of the first branch */
    carom_expr *map;       /* [end] what a node has become */
    unsigned char *inside; /* [end] it is part of a branch of an if */
} freezer;

/* (5): sum_k T^(order+k)(d) (x - d)^k/k! */
static carom_expr piece(carom_expr_pool *pool, int table, int order, carom_expr d, carom_expr x)
{
    carom_expr distance = carom_expr_binary(pool, CAROM_OP_SUB, x, d), sum = carom_expr_const(pool, 0);
    for (int k = 3 - order; k >= 0; k--) {
        if (k < 3 - order)
            sum = carom_expr_binary(pool, CAROM_OP_MUL, sum, carom_expr_binary(pool, CAROM_OP_DIV, distance,
                                                                                carom_expr_const(pool, k + 1)));
        sum = carom_expr_binary(pool, CAROM_OP_ADD, carom_expr_table(pool, table, order + k, d), sum);
    }
    return sum;
}

static carom_expr choose(freezer *z, const carom_node *n, int k, bool reversed, carom_expr a, carom_expr b)
{
    carom_expr_pool *p = z->pool;
    carom_expr d = carom_expr_var(p, z->first + z->list[k].branch), zero = carom_expr_const(p, 0);
    reversed ^= z->list[k].opposite;
    carom_expr less =
        reversed ? carom_expr_binary(p, CAROM_OP_LT, zero, d) : carom_expr_binary(p, CAROM_OP_LT, d, zero);
    carom_expr signed_d = reversed ? carom_expr_unary(p, CAROM_OP_NEG, d) : d;
    switch (n->op) {
    case CAROM_OP_ABS: return carom_expr_binary(p, CAROM_OP_MUL, signed_d, a);
    case CAROM_OP_SIGN: return signed_d;
    case CAROM_OP_MIN: return carom_expr_if(p, less, a, b);
    case CAROM_OP_MAX: return carom_expr_if(p, less, b, a);
    case CAROM_OP_LT:
    case CAROM_OP_LE: return less;
    case CAROM_OP_MOD: return carom_expr_binary(p, CAROM_OP_SUB, a, carom_expr_binary(p, CAROM_OP_MUL, b, d));
    case CAROM_OP_TABLE: return piece(p, n->b, n->c, d, a);
    default: return d; /* floor */
    }
}

static bool whole(const carom_expr_pool *pool, carom_expr exponent)
{
    double c;
    return carom_expr_is_const(pool, exponent, &c) && c == floor(c);
}

static carom_expr rebuild(freezer *z, int i, const carom_node *n, const carom_expr *x, bool *extended)
{
    carom_expr_pool *p = z->pool;
    bool bounded = n->op == CAROM_OP_SQRT || n->op == CAROM_OP_LOG || (n->op == CAROM_OP_POW && !whole(p, n->b));
    bool extend = bounded && (z->inside[i] || x[0] != n->a);
    carom_expr a = extend ? carom_expr_unary(p, CAROM_OP_ABS, x[0]) : x[0];
    int count = carom_op_children(n->op);
    *extended |= extend;
    if (!count || (a == n->a && (count < 2 || x[1] == n->b) && (count < 3 || x[2] == n->c)))
        return i;
    if (n->op == CAROM_OP_TABLE)
        return carom_expr_table(p, n->b, n->c, a);
    return count == 1   ? carom_expr_unary(p, (carom_op)n->op, a)
           : count == 2 ? carom_expr_binary(p, (carom_op)n->op, a, x[1])
                        : carom_expr_if(p, a, x[1], x[2]);
}

static void freeze_node(freezer *z, int i, bool *extended)
{
    const carom_node n = z->pool->node[i];
    const int child[3] = {n.a, n.b, n.c};
    carom_expr x[3] = {CAROM_EXPR_NONE, CAROM_EXPR_NONE, CAROM_EXPR_NONE};
    carom_switch s;
    bool reversed;
    for (int k = 0; k < carom_op_children(n.op); k++)
        x[k] = z->map[child[k]];
    int k = switch_of(z->pool, &n, &s, &reversed) ? find(z->list, z->n, &s) : -1;
    z->map[i] = k >= 0 ? choose(z, &n, k, reversed, x[0], x[1]) : rebuild(z, i, &n, x, extended);
}

static void mark_inside(freezer *z, int end, const unsigned char *mark)
{
    for (int i = end - 1; i >= 0; i--) {
        const carom_node *n = &z->pool->node[i];
        for (int k = 0; mark[i] && k < carom_op_children(n->op); k++)
            z->inside[carom_expr_child(z->pool, i, k)] |= z->inside[i] || (n->op == CAROM_OP_IF && k > 0);
    }
}

bool carom_expr_freeze(carom_expr_pool *pool, const carom_switch *list, int n, int first, carom_expr *e, int ne,
                       bool *extended)
{
    int end = end_of(e, ne);
    unsigned char *mark = calloc(2 * (size_t)end + 1, 1);
    carom_expr *map = malloc(sizeof *map * ((size_t)end + 1));
    freezer z = {pool, list, n, first, map, mark ? mark + end : NULL};
    bool fine = mark && map;
    *extended = false;
    if (fine) {
        reach(pool, e, ne, end, mark);
        mark_inside(&z, end, mark);
        for (int i = 0; i < end; i++)
            if (mark[i])
                freeze_node(&z, i, extended);
        for (int i = 0; i < ne; i++)
            e[i] = e[i] == CAROM_EXPR_NONE ? e[i] : map[e[i]];
    }
    free(mark);
    free(map);
    return fine;
}
