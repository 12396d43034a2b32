/* print.c: expressions as infix text that the parser reads back. A stack of things to print instead of recursion:
 * graphs may be deep, and written out they may be longer than any buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/pool.h"

enum { OR = 1, AND, NOT, COMPARISON, SUM, PRODUCT, POWER, ATOM };

typedef struct item { /* text, or a node that must bind at least as tight as need; flipped: print its negative */
    const char *text;
    int node, need;
    bool flipped;
} item;

typedef struct printer {
    const carom_expr_pool *pool;
    const char *(*name)(void *user, int variable);
    void *user;
    char *buffer;
    size_t size, used;
    item *stack;
    int depth, capacity;
    bool full;
} printer;

static void put(printer *p, const char *text)
{
    size_t n = strlen(text);
    if (p->full || n >= p->size - p->used) {
        p->full = true;
        return;
    }
    memcpy(p->buffer + p->used, text, n + 1);
    p->used += n;
}

static void push(printer *p, item i)
{
    if (p->depth == p->capacity) {
        int capacity = p->capacity * 2 + 64;
        item *stack = realloc(p->stack, sizeof *stack * (size_t)capacity);
        if (!stack) {
            p->full = true;
            return;
        }
        p->stack = stack;
        p->capacity = capacity;
    }
    p->stack[p->depth++] = i;
}

static void push_text(printer *p, const char *text)
{
    push(p, (item){.text = text});
}

static void push_node(printer *p, int node, int need)
{
    push(p, (item){.node = node, .need = need});
}

/* Does it print with a leading minus? */
static bool negative(const printer *p, int e)
{
    const carom_node *n = &p->pool->node[e];
    if (n->op == CAROM_OP_CONST)
        return n->value < 0;
    return n->op == CAROM_OP_NEG ||
           (n->op == CAROM_OP_MUL && p->pool->node[n->a].op == CAROM_OP_CONST && p->pool->node[n->a].value < 0);
}

static int binding(const printer *p, int e)
{
    if (negative(p, e))
        return SUM;
    switch (p->pool->node[e].op) {
    case CAROM_OP_OR: return OR;
    case CAROM_OP_AND: return AND;
    case CAROM_OP_NOT: return NOT;
    case CAROM_OP_LT:
    case CAROM_OP_LE:
    case CAROM_OP_EQ:
    case CAROM_OP_NE: return COMPARISON;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB: return SUM;
    case CAROM_OP_MUL:
    case CAROM_OP_DIV: return PRODUCT;
    case CAROM_OP_POW: return POWER;
    default: return ATOM;
    }
}

static const char *function_name(int op)
{
    static const char *const name[CAROM_OPS] = {
        [CAROM_OP_SIN] = "sin",   [CAROM_OP_COS] = "cos",   [CAROM_OP_TAN] = "tan",     [CAROM_OP_ASIN] = "asin",
        [CAROM_OP_ACOS] = "acos", [CAROM_OP_ATAN] = "atan", [CAROM_OP_ATAN2] = "atan2", [CAROM_OP_SINH] = "sinh",
        [CAROM_OP_COSH] = "cosh", [CAROM_OP_TANH] = "tanh", [CAROM_OP_EXP] = "exp",     [CAROM_OP_LOG] = "log",
        [CAROM_OP_SQRT] = "sqrt", [CAROM_OP_CBRT] = "cbrt", [CAROM_OP_HYPOT] = "hypot", [CAROM_OP_ABS] = "abs",
        [CAROM_OP_SIGN] = "sign", [CAROM_OP_MIN] = "min",   [CAROM_OP_MAX] = "max",     [CAROM_OP_FLOOR] = "floor",
        [CAROM_OP_MOD] = "mod",   [CAROM_OP_IF] = "if",
    };
    return name[op];
}

static void call(printer *p, const carom_node *n)
{
    const int child[3] = {n->a, n->b, n->c};
    if (n->op == CAROM_OP_TABLE) {
        put(p, p->pool->table[n->b]->name);
        for (int i = 0; i < n->c; i++)
            put(p, "'");
    } else {
        put(p, function_name(n->op));
    }
    put(p, "(");
    push_text(p, ")");
    for (int i = carom_op_children(n->op) - 1; i >= 0; i--) {
        push_node(p, child[i], 0);
        if (i > 0)
            push_text(p, ", ");
    }
}

static void infix(printer *p, int a, int left, const char *text, int b, int right)
{
    push_node(p, b, right);
    push_text(p, text);
    push_node(p, a, left);
}

static void sum(printer *p, const carom_node *n)
{
    bool minus = n->op == CAROM_OP_SUB;
    if (!minus && negative(p, n->b)) {
        push(p, (item){.node = n->b, .need = PRODUCT, .flipped = true});
        push_text(p, " - ");
        push_node(p, n->a, SUM);
    } else if (!minus && negative(p, n->a)) {
        push(p, (item){.node = n->a, .need = PRODUCT, .flipped = true});
        push_text(p, " - ");
        push_node(p, n->b, SUM);
    } else {
        infix(p, n->a, SUM, minus ? " - " : " + ", n->b, minus ? PRODUCT : SUM);
    }
}

static void leaf(printer *p, const carom_node *n, bool flipped)
{
    char text[40];
    if (n->op == CAROM_OP_CONST)
        put(p, carom_shortest(flipped ? -n->value : n->value, text));
    else
        put(p, p->name(p->user, n->a));
}

static void product(printer *p, const carom_node *n, bool flipped)
{
    const carom_node *a = &p->pool->node[n->a];
    if (n->op == CAROM_OP_MUL && a->op == CAROM_OP_CONST) {
        leaf(p, a, flipped);
        push_node(p, n->b, PRODUCT);
        push_text(p, "*");
    } else {
        infix(p, n->a, PRODUCT, n->op == CAROM_OP_MUL ? "*" : "/", n->b, n->op == CAROM_OP_MUL ? PRODUCT : POWER);
    }
}

static void comparison(printer *p, const carom_node *n)
{
    static const char *const text[CAROM_OPS] = {
        [CAROM_OP_LT] = " < ", [CAROM_OP_LE] = " <= ", [CAROM_OP_EQ] = " == ", [CAROM_OP_NE] = " != "};
    infix(p, n->a, SUM, text[n->op], n->b, SUM);
}

static void print_node(printer *p, item i)
{
    const carom_node *n = &p->pool->node[i.node];
    if (!i.flipped && binding(p, i.node) < i.need) {
        put(p, "(");
        push_text(p, ")");
    }
    switch (n->op) {
    case CAROM_OP_CONST:
    case CAROM_OP_VAR: leaf(p, n, i.flipped); break;
    case CAROM_OP_NEG:
        if (!i.flipped)
            put(p, "-");
        push_node(p, n->a, PRODUCT);
        break;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB: sum(p, n); break;
    case CAROM_OP_MUL:
    case CAROM_OP_DIV: product(p, n, i.flipped); break;
    case CAROM_OP_POW: infix(p, n->a, ATOM, "^", n->b, p->pool->node[n->b].op == CAROM_OP_CONST ? 0 : POWER); break;
    case CAROM_OP_AND: infix(p, n->a, AND, " and ", n->b, NOT); break;
    case CAROM_OP_OR: infix(p, n->a, OR, " or ", n->b, AND); break;
    case CAROM_OP_NOT:
        put(p, "not ");
        push_node(p, n->a, COMPARISON);
        break;
    case CAROM_OP_LT:
    case CAROM_OP_LE:
    case CAROM_OP_EQ:
    case CAROM_OP_NE: comparison(p, n); break;
    default: call(p, n); break;
    }
}

void carom_expr_print(const carom_expr_pool *pool, carom_expr e, const char *(*name)(void *user, int variable),
                      void *user, char *buffer, size_t size)
{
    if (size == 0)
        return;
    printer p = {.pool = pool, .name = name, .user = user, .buffer = buffer, .size = size};
    buffer[0] = 0;
    if (e == CAROM_EXPR_NONE)
        put(&p, "(none)");
    else
        push_node(&p, e, 0);
    while (p.depth > 0 && !p.full) {
        item i = p.stack[--p.depth];
        if (i.text)
            put(&p, i.text);
        else
            print_node(&p, i);
    }
    free(p.stack);
    if (p.full && size > 3)
        memcpy(buffer + CAROM_MIN(p.used, size - 4), "...", 4);
}
