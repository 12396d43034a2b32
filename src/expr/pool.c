/* pool.c: the shared graph. Equal nodes are one node (hash consing), so common subexpressions cost nothing, and
 * equality is the equality of two numbers. Simplification stands in simplify.c. */
#include <stdlib.h>
#include <string.h>

#include "expr/pool.h"

enum { FIRST_NODES = 256, FIRST_SLOTS = 1024 };

carom_expr_pool *carom_expr_pool_new(int max_nodes)
{
    carom_expr_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->limit = max_nodes;
    pool->capacity = FIRST_NODES;
    pool->nslot = FIRST_SLOTS;
    pool->node = malloc(sizeof *pool->node * FIRST_NODES);
    pool->slot = malloc(sizeof *pool->slot * FIRST_SLOTS);
    if (!pool->node || !pool->slot) {
        carom_expr_pool_free(pool);
        return NULL;
    }
    memset(pool->slot, 0xff, sizeof *pool->slot * FIRST_SLOTS);
    return pool;
}

void carom_expr_pool_free(carom_expr_pool *pool)
{
    if (!pool)
        return;
    for (int i = 0; i < pool->ntable; i++)
        carom_spline_release(pool->table[i]);
    free(pool->table);
    free(pool->memo);
    free(pool->depends);
    free(pool->stack.memory);
    free(pool->mark.memory);
    free(pool->made.memory);
    free(pool->slot);
    free(pool->node);
    free(pool);
}

bool carom_expr_exhausted(const carom_expr_pool *pool)
{
    return pool->exhausted;
}

bool carom_expr_no_memory(const carom_expr_pool *pool)
{
    return pool->exhausted && pool->count < pool->limit;
}

int carom_op_children(int op)
{
    switch (op) {
    case CAROM_OP_CONST:
    case CAROM_OP_VAR:
        return 0;
    case CAROM_OP_IF:
        return 3;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
    case CAROM_OP_MUL:
    case CAROM_OP_DIV:
    case CAROM_OP_POW:
    case CAROM_OP_ATAN2:
    case CAROM_OP_HYPOT:
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
    case CAROM_OP_MOD:
    case CAROM_OP_LT:
    case CAROM_OP_LE:
    case CAROM_OP_EQ:
    case CAROM_OP_NE:
    case CAROM_OP_AND:
    case CAROM_OP_OR:
        return 2;
    default:
        return 1;
    }
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static unsigned hash(int op, int a, int b, int c, double value)
{
    uint64_t bits, h;
    memcpy(&bits, &value, sizeof bits);
    h = mix(mix(mix((uint64_t)op + 1, (uint32_t)a), (uint32_t)b), (uint32_t)c);
    return (unsigned)(mix(h, bits) >> 16);
}

static bool same(const carom_node *n, int op, int a, int b, int c, double value)
{
    return n->op == op && n->a == a && n->b == b && n->c == c && memcmp(&n->value, &value, sizeof value) == 0;
}

/* The slot that holds the node, or the empty one where it belongs. */
static int *probe(const carom_expr_pool *pool, int op, int a, int b, int c, double value)
{
    unsigned mask = (unsigned)pool->nslot - 1, i = hash(op, a, b, c, value) & mask;
    while (pool->slot[i] >= 0 && !same(&pool->node[pool->slot[i]], op, a, b, c, value))
        i = (i + 1) & mask;
    return &pool->slot[i];
}

static bool grow_slots(carom_expr_pool *pool)
{
    if (pool->nslot > INT_MAX / 4)
        return false;
    int *before = pool->slot, *slot = malloc(sizeof *slot * (size_t)pool->nslot * 2);
    if (!slot)
        return false;
    pool->nslot *= 2;
    pool->slot = slot;
    memset(slot, 0xff, sizeof *slot * (size_t)pool->nslot);
    for (int i = 0; i < pool->count; i++) {
        const carom_node *n = &pool->node[i];
        *probe(pool, n->op, n->a, n->b, n->c, n->value) = i;
    }
    free(before);
    return true;
}

static bool grow_nodes(carom_expr_pool *pool)
{
    int capacity = pool->capacity > INT_MAX / 4 ? INT_MAX / 2 : pool->capacity * 2;
    carom_node *node = capacity > pool->capacity ? realloc(pool->node, sizeof *node * (size_t)capacity) : NULL;
    if (!node)
        return false;
    pool->node = node;
    pool->capacity = capacity;
    return true;
}

static void span(const carom_expr_pool *pool, carom_node *n)
{
    n->low = INT_MAX, n->high = -1;
    if (n->op == CAROM_OP_VAR)
        n->low = n->high = n->a;
    const int child[3] = {n->a, n->b, n->c};
    for (int i = 0; i < carom_op_children(n->op); i++) {
        n->low = CAROM_MIN(n->low, pool->node[child[i]].low);
        n->high = CAROM_MAX(n->high, pool->node[child[i]].high);
    }
}

carom_expr carom_pool_node(carom_expr_pool *pool, carom_op op, int a, int b, int c, double value)
{
    int *slot = probe(pool, op, a, b, c, value);
    if (*slot >= 0)
        return *slot;
    if (pool->exhausted || pool->count >= pool->limit || (pool->count == pool->capacity && !grow_nodes(pool))) {
        pool->exhausted = true;
        return CAROM_EXPR_NONE;
    }
    carom_node *n = &pool->node[pool->count];
    *n = (carom_node){.op = op, .a = a, .b = b, .c = c, .value = value};
    span(pool, n);
    *slot = pool->count++;
    if (pool->count > pool->nslot / 2 && !grow_slots(pool))
        pool->exhausted = true;
    return pool->count - 1;
}

carom_expr carom_pool_find(const carom_expr_pool *pool, carom_op op, int a, int b, int c)
{
    return *probe(pool, op, a, b, c, 0);
}

carom_expr carom_expr_const(carom_expr_pool *pool, double value)
{
    if (value == 0)
        value = 0; /* one zero */
    return carom_pool_node(pool, CAROM_OP_CONST, CAROM_EXPR_NONE, CAROM_EXPR_NONE, CAROM_EXPR_NONE, value);
}

carom_expr carom_expr_var(carom_expr_pool *pool, int variable)
{
    return carom_pool_node(pool, CAROM_OP_VAR, variable, CAROM_EXPR_NONE, CAROM_EXPR_NONE, 0);
}

carom_expr carom_expr_table(carom_expr_pool *pool, int table, int derivative, carom_expr x)
{
    double value;
    if (x == CAROM_EXPR_NONE)
        return CAROM_EXPR_NONE;
    if (derivative > pool->table[table]->degree)
        return carom_expr_const(pool, 0);
    if (carom_expr_is_const(pool, x, &value))
        return carom_expr_const(pool, carom_spline_value(pool->table[table], derivative, value));
    return carom_pool_node(pool, CAROM_OP_TABLE, x, table, derivative, 0);
}

carom_op carom_expr_op(const carom_expr_pool *pool, carom_expr e)
{
    return (carom_op)pool->node[e].op;
}

bool carom_expr_is_const(const carom_expr_pool *pool, carom_expr e, double *value)
{
    if (e == CAROM_EXPR_NONE || pool->node[e].op != CAROM_OP_CONST)
        return false;
    if (value)
        *value = pool->node[e].value;
    return true;
}

int carom_expr_child(const carom_expr_pool *pool, carom_expr e, int i)
{
    const carom_node *n = &pool->node[e];
    if (i < 0 || i >= carom_op_children(n->op))
        return CAROM_EXPR_NONE;
    return i == 0 ? n->a : i == 1 ? n->b : n->c;
}

int carom_expr_variable(const carom_expr_pool *pool, carom_expr e)
{
    return pool->node[e].op == CAROM_OP_VAR ? pool->node[e].a : -1;
}

void *carom_pool_scratch(carom_scratch *scratch, size_t bytes)
{
    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = malloc(2 * bytes);
        scratch->bytes = scratch->memory ? 2 * bytes : 0;
    }
    return scratch->memory;
}

void carom_pool_reach(const carom_expr_pool *pool, carom_expr e, unsigned char *mark)
{
    mark[e] = 1;
    for (int i = e; i >= 0; i--) {
        if (!mark[i])
            continue;
        const carom_node *n = &pool->node[i];
        const int child[3] = {n->a, n->b, n->c};
        for (int k = 0; k < carom_op_children(n->op); k++)
            mark[child[k]] = 1;
    }
}
