/* lower.c: from the graph to a list of tape operations.
 *
 * Nodes that depend on constant inputs alone go to the prologue, the rest to the evaluation. Products and sums that are
 * used once melt into their user (a*b + c), sine and cosine of one argument are computed together, and small whole
 * powers become multiplications. Operands are values here; compile.c gives them registers. */
#include <stdlib.h>
#include <string.h>

#include "expr/tape.h"

enum { UNREACHED = 0xff };

/* e as a product of two values, if it is one. */
static bool as_product(const carom_expr_pool *pool, int e, int *a, int *b)
{
    const carom_node *n = &pool->node[e];
    *a = n->a;
    *b = n->op == CAROM_OP_MUL ? n->b : n->a;
    return n->op == CAROM_OP_MUL || (n->op == CAROM_OP_POW && carom_expr_is_const(pool, n->b, NULL) &&
                                     pool->node[n->b].value == 2);
}

/* A power that is unrolled does not read its exponent. */
static int whole_exponent(const carom_expr_pool *pool, const carom_node *n)
{
    int exponent;
    if (n->op != CAROM_OP_POW || pool->node[n->b].op != CAROM_OP_CONST ||
        !carom_power_small(pool->node[n->b].value, &exponent))
        return 0;
    return exponent;
}

static int children(const carom_expr_pool *pool, int e, int child[3])
{
    const carom_node *n = &pool->node[e];
    child[0] = n->a, child[1] = n->b, child[2] = n->c;
    if (n->op == CAROM_OP_DIV && pool->node[n->a].op == CAROM_OP_CONST && pool->node[n->a].value == 1) {
        child[0] = n->b;
        return 1;
    }
    return whole_exponent(pool, n) ? 1 : carom_op_children(n->op);
}

/* Of nodes that are inputs: none. */
static int inputs_of(const carom_lowering *l, int e, int child[3])
{
    return carom_is_cut(l, e) ? 0 : children(l->pool, e, child);
}

static void classify(carom_lowering *l, const carom_expr *outputs, int n)
{
    const carom_expr_pool *pool = l->pool;
    int child[3];
    for (int i = 0; i < n; i++)
        l->class[outputs[i]] = CAROM_CLASS_LITERAL, l->uses[outputs[i]] = 2; /* kept: never melts away */
    for (int i = l->end - 1; i >= 0; i--) {
        int count = l->class[i] == UNREACHED ? 0 : inputs_of(l, i, child);
        for (int k = 0; k < count; k++)
            l->class[child[k]] = CAROM_CLASS_LITERAL, l->uses[child[k]]++;
    }
    for (int i = 0; i < l->end; i++) {
        const carom_node *node = &pool->node[i];
        if (l->class[i] == UNREACHED)
            continue;
        if (node->op == CAROM_OP_VAR) {
            int group = l->variable_slot[node->a].group;
            l->class[i] = group < 32 && (l->constant_groups >> group & 1) ? CAROM_CLASS_FIXED : CAROM_CLASS_VARYING;
        }
        if (carom_is_cut(l, i))
            l->class[i] = CAROM_CLASS_VARYING, l->uses[i] = 2; /* never melts away either */
        int count = inputs_of(l, i, child);
        for (int k = 0; k < count; k++)
            l->class[i] = CAROM_MAX(l->class[i], l->class[child[k]]);
    }
}

static bool melts(const carom_lowering *l, int child, int parent)
{
    return l->uses[child] == 1 && l->class[child] == l->class[parent] && !l->fused[child];
}

static bool product_melts(const carom_lowering *l, int child, int parent)
{
    int a, b;
    return melts(l, child, parent) && as_product(l->pool, child, &a, &b);
}

static bool sum_melts(const carom_lowering *l, int child, int parent)
{
    int op = l->pool->node[child].op;
    return melts(l, child, parent) && (op == CAROM_OP_ADD || op == CAROM_OP_SUB);
}

/* Marks what melts into e; e itself has not melted. Top down, so that a melted node keeps plain operands. */
static void melt(carom_lowering *l, int e)
{
    const carom_node *n = &l->pool->node[e];
    int a = n->a, b = n->b;
    switch (n->op) {
    case CAROM_OP_NEG:
        l->fused[a] |= product_melts(l, a, e);
        break;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        if (product_melts(l, a, e) || product_melts(l, b, e)) {
            bool first = product_melts(l, a, e), second = product_melts(l, b, e);
            l->fused[a] |= first;
            l->fused[b] |= second;
        } else if (sum_melts(l, a, e)) {
            if (n->op == CAROM_OP_ADD || l->pool->node[a].op == CAROM_OP_ADD)
                l->fused[a] = 1;
        } else if (n->op == CAROM_OP_ADD && sum_melts(l, b, e)) {
            l->fused[b] = 1;
        }
        break;
    case CAROM_OP_MUL:
        if (product_melts(l, a, e) || sum_melts(l, a, e))
            l->fused[a] = 1;
        else if (product_melts(l, b, e) || sum_melts(l, b, e))
            l->fused[b] = 1;
        break;
    case CAROM_OP_DIV:
        if (product_melts(l, b, e) && a != b)
            l->fused[b] = l->pool->node[a].op != CAROM_OP_CONST || l->pool->node[a].value != 1;
        else
            l->fused[a] |= product_melts(l, a, e);
        break;
    default:
        break;
    }
}

static void emit(carom_lowering *l, int class, carom_instruction i)
{
    if (l->ncode[class] == l->capacity[class]) {
        int capacity = l->capacity[class] ? l->capacity[class] * 2 : 64;
        carom_instruction *code = realloc(l->code[class], sizeof *code * (size_t)capacity);
        if (!code) {
            l->failed = true;
            return;
        }
        l->code[class] = code;
        l->capacity[class] = capacity;
    }
    l->code[class][l->ncode[class]++] = i;
}

static carom_instruction make(int op, int d, int a, int b, int c, int e)
{
    return (carom_instruction){(uint32_t)op, (uint32_t)d, (uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)e};
}

/* The instruction of a sum or difference of melted products or sums. */
static carom_instruction fused_sum(const carom_lowering *l, int e)
{
    const carom_expr_pool *pool = l->pool;
    const carom_node *n = &pool->node[e];
    int a1, b1, a2, b2;
    bool minus = n->op == CAROM_OP_SUB;
    bool first = l->fused[n->a] && as_product(pool, n->a, &a1, &b1);
    bool second = l->fused[n->b] && as_product(pool, n->b, &a2, &b2);
    if (first && second)
        return make(minus ? CAROM_TAPE_DOTSUB : CAROM_TAPE_DOTADD, e, a1, b1, a2, b2);
    if (first)
        return make(minus ? CAROM_TAPE_MULSUB : CAROM_TAPE_MULADD, e, a1, b1, n->b, 0);
    if (second)
        return make(minus ? CAROM_TAPE_SUBMUL : CAROM_TAPE_MULADD, e, a2, b2, n->a, 0);
    if (l->fused[n->a] || l->fused[n->b]) {
        int inner = l->fused[n->a] ? n->a : n->b, other = l->fused[n->a] ? n->b : n->a;
        const carom_node *m = &pool->node[inner];
        int op = minus ? CAROM_TAPE_ADDSUB : m->op == CAROM_OP_ADD ? CAROM_TAPE_ADDADD : CAROM_TAPE_SUBADD;
        return make(op, e, m->a, m->b, other, 0);
    }
    return make(minus ? CAROM_TAPE_SUB : CAROM_TAPE_ADD, e, n->a, n->b, 0, 0);
}

static carom_instruction fused_product(const carom_lowering *l, int e)
{
    const carom_node *n = &l->pool->node[e];
    int a, b;
    if (!l->fused[n->a] && !l->fused[n->b])
        return make(CAROM_TAPE_MUL, e, n->a, n->b, 0, 0);
    int inner = l->fused[n->a] ? n->a : n->b, other = l->fused[n->a] ? n->b : n->a;
    if (as_product(l->pool, inner, &a, &b))
        return make(CAROM_TAPE_MULMUL, e, a, b, other, 0);
    const carom_node *m = &l->pool->node[inner];
    return make(m->op == CAROM_OP_ADD ? CAROM_TAPE_ADDMUL : CAROM_TAPE_SUBTIMES, e, m->a, m->b, other, 0);
}

static carom_instruction fused_quotient(const carom_lowering *l, int e)
{
    const carom_node *n = &l->pool->node[e];
    int a, b;
    if (l->fused[n->a] && as_product(l->pool, n->a, &a, &b))
        return make(CAROM_TAPE_MULDIV, e, a, b, n->b, 0);
    if (l->fused[n->b] && as_product(l->pool, n->b, &a, &b))
        return make(CAROM_TAPE_DIVMUL, e, a, b, n->a, 0);
    if (l->pool->node[n->a].op == CAROM_OP_CONST && l->pool->node[n->a].value == 1)
        return make(CAROM_TAPE_INVERSE, e, n->b, 0, 0, 0);
    return make(CAROM_TAPE_DIV, e, n->a, n->b, 0, 0);
}

/* x^n by squaring, in the order of carom_power. */
static void unroll(carom_lowering *l, int e, int x, int n)
{
    int class = l->class[e], result = x, bit = 1, positive = abs(n);
    while (bit <= positive / 2)
        bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2) {
        int next = bit == 1 && n > 0 ? e : l->nvalue++;
        if (positive & bit)
            emit(l, class, make(CAROM_TAPE_MULMUL, next, result, result, x, 0));
        else
            emit(l, class, make(CAROM_TAPE_MUL, next, result, result, 0, 0));
        result = next;
    }
    if (n < 0)
        emit(l, class, make(CAROM_TAPE_INVERSE, e, result, 0, 0, 0));
}

static void trigonometric(carom_lowering *l, int e)
{
    const carom_node *n = &l->pool->node[e];
    bool sine = n->op == CAROM_OP_SIN;
    carom_op other = sine ? CAROM_OP_COS : CAROM_OP_SIN;
    carom_expr twin = carom_pool_find(l->pool, other, n->a, CAROM_EXPR_NONE, CAROM_EXPR_NONE);
    if (twin == CAROM_EXPR_NONE || twin >= l->end || l->class[twin] == UNREACHED) {
        emit(l, l->class[e], make(sine ? CAROM_TAPE_SIN : CAROM_TAPE_COS, e, n->a, 0, 0, 0));
        return;
    }
    emit(l, l->class[e], make(CAROM_TAPE_SINCOS, sine ? e : twin, n->a, sine ? twin : e, 0, 0));
    l->done[twin] = 1;
}

/* Operations that are one to one. */
static int plain(int op)
{
    static const unsigned char table[CAROM_OPS] = {
        [CAROM_OP_TAN] = CAROM_TAPE_TAN,     [CAROM_OP_ASIN] = CAROM_TAPE_ASIN, [CAROM_OP_ACOS] = CAROM_TAPE_ACOS,
        [CAROM_OP_ATAN] = CAROM_TAPE_ATAN,   [CAROM_OP_ATAN2] = CAROM_TAPE_ATAN2, [CAROM_OP_SINH] = CAROM_TAPE_SINH,
        [CAROM_OP_COSH] = CAROM_TAPE_COSH,   [CAROM_OP_TANH] = CAROM_TAPE_TANH, [CAROM_OP_EXP] = CAROM_TAPE_EXP,
        [CAROM_OP_LOG] = CAROM_TAPE_LOG,     [CAROM_OP_SQRT] = CAROM_TAPE_SQRT, [CAROM_OP_CBRT] = CAROM_TAPE_CBRT,
        [CAROM_OP_HYPOT] = CAROM_TAPE_HYPOT, [CAROM_OP_ABS] = CAROM_TAPE_ABS,   [CAROM_OP_SIGN] = CAROM_TAPE_SIGN,
        [CAROM_OP_MIN] = CAROM_TAPE_MIN,     [CAROM_OP_MAX] = CAROM_TAPE_MAX,   [CAROM_OP_FLOOR] = CAROM_TAPE_FLOOR,
        [CAROM_OP_MOD] = CAROM_TAPE_MOD,     [CAROM_OP_LT] = CAROM_TAPE_LT,     [CAROM_OP_LE] = CAROM_TAPE_LE,
        [CAROM_OP_EQ] = CAROM_TAPE_EQ,       [CAROM_OP_NE] = CAROM_TAPE_NE,     [CAROM_OP_AND] = CAROM_TAPE_AND,
        [CAROM_OP_OR] = CAROM_TAPE_OR,       [CAROM_OP_NOT] = CAROM_TAPE_NOT,   [CAROM_OP_IF] = CAROM_TAPE_IF,
        [CAROM_OP_POW] = CAROM_TAPE_POW,
    };
    return table[op];
}

static void lower_node(carom_lowering *l, int e)
{
    const carom_node *n = &l->pool->node[e];
    int class = l->class[e], exponent, a, b;
    switch (n->op) {
    case CAROM_OP_CONST:
    case CAROM_OP_VAR:
        return;
    case CAROM_OP_NEG:
        if (l->fused[n->a] && as_product(l->pool, n->a, &a, &b))
            emit(l, class, make(CAROM_TAPE_MULNEG, e, a, b, 0, 0));
        else
            emit(l, class, make(CAROM_TAPE_NEG, e, n->a, 0, 0, 0));
        return;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        emit(l, class, fused_sum(l, e));
        return;
    case CAROM_OP_MUL:
        emit(l, class, fused_product(l, e));
        return;
    case CAROM_OP_DIV:
        emit(l, class, fused_quotient(l, e));
        return;
    case CAROM_OP_SIN:
    case CAROM_OP_COS:
        trigonometric(l, e);
        return;
    case CAROM_OP_TABLE:
        emit(l, class, make(CAROM_TAPE_TABLE, e, n->a, n->b, n->c, 0));
        return;
    default:
        exponent = whole_exponent(l->pool, n);
        if (exponent)
            unroll(l, e, n->a, exponent);
        else
            emit(l, class, make(plain(n->op), e, n->a, n->b, n->c, 0));
    }
}

/* Depth first from one output, so that what belongs together stands together and registers die early. */
static void descend(carom_lowering *l, int output, int *stack)
{
    int depth = 0, child[3];
    stack[depth++] = output;
    while (depth > 0) {
        int e = stack[depth - 1], before = depth;
        if (l->done[e]) {
            depth--;
            continue;
        }
        int count = inputs_of(l, e, child);
        for (int k = count - 1; k >= 0; k--) {
            if (!l->done[child[k]])
                stack[depth++] = child[k];
        }
        if (depth > before)
            continue;
        depth--;
        l->done[e] = 1;
        if (!l->fused[e] && !carom_is_cut(l, e))
            lower_node(l, e);
    }
}

bool carom_lower(carom_lowering *l, const carom_expr *outputs, int n)
{
    for (int i = 0; i < n; i++)
        l->end = CAROM_MAX(l->end, outputs[i] + 1);
    size_t end = (size_t)l->end + 1;
    int *stack = malloc(sizeof *stack * (3 * end + 4));
    l->class = malloc(end);
    l->uses = calloc(end, sizeof *l->uses);
    l->fused = calloc(end, 1);
    l->done = calloc(end, 1);
    l->nvalue = l->end;
    l->failed = !stack || !l->class || !l->uses || !l->fused || !l->done;
    if (!l->failed) {
        memset(l->class, UNREACHED, end);
        classify(l, outputs, n);
        for (int i = l->end - 1; i >= 0; i--) {
            if (l->class[i] != UNREACHED && !l->fused[i] && !carom_is_cut(l, i))
                melt(l, i);
        }
        for (int i = 0; i < n; i++)
            descend(l, outputs[i], stack);
    }
    free(stack);
    return !l->failed;
}

void carom_lowering_free(carom_lowering *l)
{
    free(l->class);
    free(l->uses);
    free(l->fused);
    free(l->done);
    for (int i = 0; i < 3; i++)
        free(l->code[i]);
}
