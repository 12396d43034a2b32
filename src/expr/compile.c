/* compile.c: a tape from expressions: lowering (lower.c), then registers by linear scan over last uses. */
#include <stdlib.h>
#include <string.h>

#include "expr/tape.h"

enum { UNASSIGNED = -1, NEVER = -1 };

static int arity(uint32_t op)
{
    switch (op) {
    case CAROM_TAPE_DOTADD:
    case CAROM_TAPE_DOTSUB:
        return 4;
    case CAROM_TAPE_MULADD:
    case CAROM_TAPE_MULSUB:
    case CAROM_TAPE_SUBMUL:
    case CAROM_TAPE_ADDADD:
    case CAROM_TAPE_SUBADD:
    case CAROM_TAPE_ADDSUB:
    case CAROM_TAPE_MULMUL:
    case CAROM_TAPE_ADDMUL:
    case CAROM_TAPE_SUBTIMES:
    case CAROM_TAPE_MULDIV:
    case CAROM_TAPE_DIVMUL:
    case CAROM_TAPE_IF:
        return 3;
    case CAROM_TAPE_ADD:
    case CAROM_TAPE_SUB:
    case CAROM_TAPE_MUL:
    case CAROM_TAPE_DIV:
    case CAROM_TAPE_MULNEG:
    case CAROM_TAPE_MIN:
    case CAROM_TAPE_MAX:
    case CAROM_TAPE_MOD:
    case CAROM_TAPE_LT:
    case CAROM_TAPE_LE:
    case CAROM_TAPE_EQ:
    case CAROM_TAPE_NE:
    case CAROM_TAPE_AND:
    case CAROM_TAPE_OR:
    case CAROM_TAPE_POW:
    case CAROM_TAPE_ATAN2:
    case CAROM_TAPE_HYPOT:
        return 2;
    default:
        return 1;
    }
}

int carom_instruction_reads(const carom_instruction *i, const uint32_t **operand)
{
    int n = arity(i->op);
    const uint32_t *all[4] = {&i->a, &i->b, &i->c, &i->e};
    memcpy(operand, all, sizeof *all * (size_t)n);
    return n;
}

typedef struct allocation { /* registers of values */
    carom_tape *tape;
    const carom_lowering *lowering;
    int *reg;  /* [nvalue] */
    int *last; /* [nvalue]: the instruction that reads it last in the part at hand */
    int *free; /* [nvalue]: a stack of free registers */
    int nfree, next;
} allocation;

static int take(allocation *s)
{
    int reg = s->nfree > 0 ? s->free[--s->nfree] : s->next++;
    s->tape->nregister = CAROM_MAX(s->tape->nregister, s->next);
    return reg;
}

/* Gives a place to a constant or an input that is read or stored somewhere. */
static void source(allocation *s, int value, bool constants)
{
    const carom_lowering *l = s->lowering;
    if (value >= l->end || s->reg[value] != UNASSIGNED)
        return;
    const carom_node *n = &l->pool->node[value];
    carom_tape *t = s->tape;
    if (constants && n->op == CAROM_OP_CONST) {
        t->constant[t->nconstant] = n->value;
        s->reg[value] = t->nconstant++;
        s->next = t->nconstant;
    } else if (!constants && n->op == CAROM_OP_VAR && l->class[value] == CAROM_CLASS_FIXED) {
        carom_tape_slot slot = l->variable_slot[n->a];
        s->reg[value] = s->next++;
        t->fixed[t->nfixed_load++] = (carom_transfer){slot.group, slot.row, s->reg[value]};
    }
}

static void sources(allocation *s, const carom_expr *outputs, int n, bool constants)
{
    const uint32_t *operand[4];
    for (int part = CAROM_CLASS_FIXED; part <= CAROM_CLASS_VARYING; part++) {
        for (int i = 0; i < s->lowering->ncode[part]; i++) {
            int count = carom_instruction_reads(&s->lowering->code[part][i], operand);
            for (int k = 0; k < count; k++)
                source(s, (int)*operand[k], constants);
        }
    }
    for (int i = 0; i < n; i++)
        source(s, outputs[i], constants);
}

/* Prologue results that the evaluation reads or stores keep their registers. */
static void keep(allocation *s, const carom_expr *outputs, int n)
{
    const carom_lowering *l = s->lowering;
    const uint32_t *operand[4];
    for (int i = 0; i < l->ncode[CAROM_CLASS_VARYING]; i++) {
        int count = carom_instruction_reads(&l->code[CAROM_CLASS_VARYING][i], operand);
        for (int k = 0; k < count; k++) {
            int value = (int)*operand[k];
            if (value < l->end && l->class[value] == CAROM_CLASS_FIXED && s->reg[value] == UNASSIGNED)
                s->reg[value] = s->next++;
        }
    }
    for (int i = 0; i < n; i++) {
        if (l->class[outputs[i]] == CAROM_CLASS_FIXED && s->reg[outputs[i]] == UNASSIGNED)
            s->reg[outputs[i]] = s->next++;
    }
    s->tape->nfixed = s->tape->nregister = s->next;
}

static void find_last_uses(allocation *s, int part)
{
    const carom_lowering *l = s->lowering;
    const uint32_t *operand[4];
    for (int i = 0; i < l->nvalue; i++)
        s->last[i] = NEVER;
    for (int i = 0; i < l->ncode[part]; i++) {
        int count = carom_instruction_reads(&l->code[part][i], operand);
        for (int k = 0; k < count; k++)
            s->last[*operand[k]] = i;
    }
}

static uint32_t target(allocation *s, uint32_t value)
{
    if (s->reg[value] == UNASSIGNED)
        s->reg[value] = take(s);
    return (uint32_t)s->reg[value];
}

static carom_instruction assign(allocation *s, int part, int i)
{
    carom_instruction in = s->lowering->code[part][i], out = in;
    const uint32_t *value[4];
    uint32_t *place[4] = {&out.a, &out.b, &out.c, &out.e};
    int count = carom_instruction_reads(&in, value);
    for (int k = 0; k < count; k++)
        *place[k] = (uint32_t)s->reg[*value[k]];
    for (int k = count; k < 4 && in.op != CAROM_TAPE_TABLE; k++)
        *place[k] = 0;
    for (int k = 0; k < count; k++) {
        int reg = s->reg[*value[k]];
        if (s->last[*value[k]] == i && reg >= s->tape->nfixed) {
            s->last[*value[k]] = NEVER; /* an operand read twice is freed once */
            s->free[s->nfree++] = reg;
        }
    }
    out.d = target(s, in.d);
    if (in.op == CAROM_TAPE_SINCOS)
        out.b = target(s, in.b);
    return out;
}

static carom_instruction *scan(allocation *s, int part)
{
    int n = s->lowering->ncode[part];
    carom_instruction *code = malloc(sizeof *code * ((size_t)n + 1));
    if (!code)
        return NULL;
    for (int i = 0; i < n; i++)
        code[i] = assign(s, part, i);
    code[n] = (carom_instruction){.op = CAROM_TAPE_END};
    return code;
}

/* Inputs that vary, in the order of variables. */
static void loads(allocation *s)
{
    const carom_lowering *l = s->lowering;
    carom_tape *t = s->tape;
    for (int i = 0; i < l->end; i++) {
        const carom_node *n = &l->pool->node[i];
        bool cut = carom_is_cut(l, i);
        if ((n->op != CAROM_OP_VAR && !cut) || l->class[i] != CAROM_CLASS_VARYING)
            continue;
        carom_tape_slot slot = cut ? (carom_tape_slot){l->cut_group, l->cut[i]} : l->variable_slot[n->a];
        s->reg[i] = take(s);
        t->load[t->nload++] = (carom_transfer){slot.group, slot.row, s->reg[i]};
    }
}

static bool build(allocation *s, const carom_expr *outputs, const carom_tape_slot *slot, int n)
{
    carom_tape *t = s->tape;
    const carom_lowering *l = s->lowering;
    for (int i = 0; i < l->nvalue; i++)
        s->reg[i] = UNASSIGNED;
    sources(s, outputs, n, true);
    sources(s, outputs, n, false);
    keep(s, outputs, n);
    find_last_uses(s, CAROM_CLASS_FIXED);
    t->prologue = scan(s, CAROM_CLASS_FIXED);
    t->nprologue = l->ncode[CAROM_CLASS_FIXED];
    s->next = t->nfixed;
    s->nfree = 0;
    loads(s);
    find_last_uses(s, CAROM_CLASS_VARYING);
    for (int i = 0; i < n; i++)
        s->last[outputs[i]] = INT_MAX;
    t->code = scan(s, CAROM_CLASS_VARYING);
    t->ncode = l->ncode[CAROM_CLASS_VARYING];
    for (int i = 0; i < n; i++)
        t->store[i] = (carom_transfer){slot[i].group, slot[i].row, s->reg[outputs[i]]};
    t->nstore = n;
    return t->prologue && t->code;
}

static bool share_tables(carom_tape *t, const carom_expr_pool *pool)
{
    t->table = malloc(sizeof *t->table * ((size_t)pool->ntable + 1));
    if (!t->table)
        return false;
    for (t->ntable = 0; t->ntable < pool->ntable; t->ntable++) {
        t->table[t->ntable] = pool->table[t->ntable];
        __atomic_add_fetch(&t->table[t->ntable]->references, 1, __ATOMIC_RELAXED);
    }
    return true;
}

static bool fill(carom_tape *t, const carom_lowering *l, const carom_expr *outputs, const carom_tape_slot *slot, int n)
{
    size_t end = (size_t)l->end + 1, values = (size_t)l->nvalue + 1, inputs = 1;
    size_t constants = (size_t)n + 1;
    for (int i = 0; i < l->end; i++) {
        inputs += l->pool->node[i].op == CAROM_OP_VAR || carom_is_cut(l, i);
        constants += l->pool->node[i].op == CAROM_OP_CONST;
    }
    allocation s = {.tape = t, .lowering = l};
    s.reg = malloc(sizeof *s.reg * values);
    s.last = malloc(sizeof *s.last * values);
    s.free = malloc(sizeof *s.free * (values + end));
    t->constant = malloc(sizeof *t->constant * constants);
    t->fixed = malloc(sizeof *t->fixed * inputs);
    t->load = malloc(sizeof *t->load * inputs);
    t->store = malloc(sizeof *t->store * ((size_t)n + 1));
    bool fine = s.reg && s.last && s.free && t->constant && t->fixed && t->load && t->store &&
                share_tables(t, l->pool) && build(&s, outputs, slot, n);
    free(s.reg);
    free(s.last);
    free(s.free);
    return fine;
}

static carom_status check(const carom_expr_pool *pool, const carom_expr *outputs, int n, carom_error *error)
{
    for (int i = 0; i < n; i++) {
        if (outputs[i] == CAROM_EXPR_NONE)
            CAROM_FAIL(error, CAROM_BAD_MODEL, "the model's expressions need more than %d nodes", pool->limit);
    }
    return CAROM_OK;
}

carom_status carom_tape_new(carom_tape **tape, carom_expr_pool *pool, const carom_expr *outputs,
                            const carom_tape_slot *output_slot, int n, const carom_tape_slot *variable_slot,
                            unsigned constant_groups, carom_error *error)
{
    carom_lowering lowering = {.pool = pool, .variable_slot = variable_slot, .constant_groups = constant_groups};
    return carom_tape_from(tape, &lowering, outputs, output_slot, n, error);
}

carom_status carom_tape_from(carom_tape **tape, carom_lowering *l, const carom_expr *outputs,
                             const carom_tape_slot *output_slot, int n, carom_error *error)
{
    *tape = NULL;
    CAROM_TRY(check(l->pool, outputs, n, error));
    carom_tape *t = calloc(1, sizeof *t);
    bool fine = t && carom_lower(l, outputs, n) && fill(t, l, outputs, output_slot, n);
    int count = l->ncode[CAROM_CLASS_FIXED] + l->ncode[CAROM_CLASS_VARYING];
    carom_lowering_free(l);
    if (!fine) {
        carom_tape_free(t);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a tape of %d outputs and %d operations", n, count);
    }
    *tape = t;
    return CAROM_OK;
}

void carom_tape_free(carom_tape *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->ntable; i++)
        carom_spline_release(t->table[i]);
    free(t->table);
    free(t->constant);
    free(t->fixed);
    free(t->load);
    free(t->store);
    free(t->prologue);
    free(t->code);
    free(t);
}
