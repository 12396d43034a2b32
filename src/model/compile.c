/* compile.c: the evaluator of models in text: one tape for each set of quantities that is asked for.
 *
 * prepare appends a tape to a short table and never changes what is there, so that simulations which run on other
 * threads keep their tapes and the places of their scratch. The work memory of a simulation:
 *     begun (one bit per tape), tapes of 32 masks from FOUND on | parameters of the last begin [np][lanes] | scratch of
 *     tape 0 | of tape 1 | ...
 * The part of a tape that depends on parameters alone runs at its first evaluation after begin. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "model/model.h"
#include "model/source.h"
#include "model/structure.h"

enum { TAPES = 64, SPLITS = 16, OUTPUTS = 19, GROUP_T = 0, GROUP_P = 3, FOUND = 16 };

typedef struct entry {
    unsigned want;
    carom_tape *tape;
    carom_jit *jit;
    size_t offset[2]; /* of its scratch, in bytes, for 1 and for 8 lanes */
} entry;

struct carom_compiled {
    entry entry[TAPES];
    _Atomic int count;
    carom_split split[SPLITS];
    carom_jit *split_jit[SPLITS];
    int nsplit;
    _Atomic bool extended; /* frozen branches have values where the model has none */
    carom_source *s;
    const carom_structure *structure;
    carom_lock lock;
    char note[200];
};

/* Groups of the tape are the pointers of carom_eval in their order. */
_Static_assert(offsetof(carom_eval, d) == offsetof(carom_eval, t) + 7 * sizeof(double *), "inputs are in a row");
_Static_assert(offsetof(carom_eval, f) == offsetof(carom_eval, M) + (OUTPUTS - 1) * sizeof(double *),
               "outputs are in a row");

typedef struct part { /* an output array of carom_eval */
    unsigned bit;
    int rows, columns;
    const carom_expr *e; /* NULL: a derivative, see carom_source_entry */
} part;

static void parts(const carom_source *s, int np, part *to)
{
    int n = s->nv, r = s->nrow;
    const part list[OUTPUTS] = {
        {CAROM_MASS, n, n, s->M},       {CAROM_FORCE, n, 1, s->F},       {CAROM_GAP, carom_source_links(s), 1, s->g},
        {CAROM_JACOBIAN, r, n, s->G},   {CAROM_JACOBIAN, r, 1, s->w},    {CAROM_GAMMA, r, 1, s->gamma},
        {CAROM_LAW, s->nlaw, 1, s->law}, {CAROM_ENERGY, 5, 1, s->energy}, {CAROM_OUTPUTS, s->noutput, 1, NULL},
        {CAROM_STOP, 1, 1, &s->stop.e}, {CAROM_R_Q, n, n, NULL},         {CAROM_R_V, n, n, NULL},
        {CAROM_R_P, n, np, NULL},       {CAROM_U_Q, r, n, NULL},         {CAROM_U_P, r, np, NULL},
        {CAROM_A_Q, r, n, NULL},        {CAROM_A_V, r, n, NULL},         {CAROM_A_P, r, np, NULL},
        {CAROM_SWITCH, s->nswitch, 1, NULL},
    };
    memcpy(to, list, sizeof list);
}

static carom_expr element(const carom_source *s, const part *x, int i)
{
    if (x->e)
        return x->e[i];
    if (x->bit == CAROM_OUTPUTS)
        return s->output[i].e;
    if (x->bit == CAROM_SWITCH)
        return carom_switch_function(s->pool, &s->switches[s->switch_of[i]]);
    return carom_source_entry(s, x->bit, i / x->columns, i % x->columns);
}

static void slots_of_variables(const carom_source *s, carom_tape_slot *slot)
{
    slot[0] = (carom_tape_slot){0, 0};
    for (int i = 0; i < s->nq; i++)
        slot[s->var_q + i] = (carom_tape_slot){1, i};
    for (int i = 0; i < s->nv; i++) {
        slot[s->var_v + i] = (carom_tape_slot){2, i};
        slot[s->var_a + i] = (carom_tape_slot){4, i};
    }
    for (int i = 0; i < s->nparameter; i++)
        slot[s->var_p + i] = (carom_tape_slot){GROUP_P, CAROM_MAX(s->parameter[i].index, 0)};
    for (int i = 0; i < s->nrow; i++)
        slot[s->var_x + i] = (carom_tape_slot){5, i};
    slot[s->var_s] = (carom_tape_slot){6, 0};
    for (int i = 0; i < s->nswitch; i++)
        slot[s->nvar + i] = (carom_tape_slot){7, i};
}

/* The tape, or the two tapes of a split, for these quantities. */
static carom_status make_tape(struct carom_compiled *c, int np, unsigned want, carom_tape **tape, carom_split *split,
                              carom_error *error)
{
    const carom_source *s = c->s;
    part list[OUTPUTS];
    size_t n = 0;
    parts(s, np, list);
    for (int k = 0; k < OUTPUTS; k++)
        n += want & list[k].bit ? (size_t)(list[k].rows * list[k].columns) : 0;
    carom_arena *arena = carom_arena_new(0);
    carom_expr *e = arena ? CAROM_NEW(arena, carom_expr, n) : NULL;
    carom_tape_slot *slot = e ? CAROM_NEW(arena, carom_tape_slot, n) : NULL;
    carom_tape_slot *variable = slot ? CAROM_NEW(arena, carom_tape_slot, s->nvar + s->nswitch) : NULL;
    carom_status status = CAROM_OK;
    n = 0;
    for (int k = 0; variable && k < OUTPUTS; k++)
        for (int i = 0; want & list[k].bit && i < list[k].rows * list[k].columns; i++) {
            slot[n] = (carom_tape_slot){k, i};
            e[n++] = element(s, &list[k], i);
        }
    bool extended = false, frozen = !(want & CAROM_SWITCH) || !variable ||
                            carom_expr_freeze(s->pool, s->switches, s->nswitches, s->nvar, e, (int)n, &extended);
    if (!variable || !frozen || carom_expr_no_memory(s->pool)) {
        status = carom_fail(error, CAROM_NO_MEMORY, "out of memory for a tape");
    } else if (carom_expr_exhausted(s->pool)) {
        status = carom_fail(error, CAROM_BAD_MODEL,
                            "the derivatives of the model are too large: more than %d nodes of expressions",
                            s->nodes);
    } else {
        slots_of_variables(s, variable);
        status = split ? carom_tape_split(&split->clock, &split->rest, &split->rows, s->pool, e, slot, (int)n, variable,
                                          1u << GROUP_P, 1u << GROUP_T, CAROM_SPLIT_GROUP, error)
                       : carom_tape_new(tape, s->pool, e, slot, (int)n, variable, 1u << GROUP_P, error);
    }
    if (extended)
        atomic_store(&c->extended, true);
    carom_arena_free(arena);
    return status;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t end_of(const struct carom_compiled *c, int np, int count, int lanes)
{
    if (count == 0)
        return 64 + round_up(sizeof(double) * (size_t)(np * lanes));
    const entry *last = &c->entry[count - 1];
    return last->offset[lanes == 8] + round_up(sizeof(double) * carom_tape_work(last->tape, lanes));
}

static void make_native(struct carom_compiled *c, carom_tape *const *tapes, int n, carom_jit **jit)
{
    carom_error why;
    if (carom_jit_new(jit, tapes, n, &why) == CAROM_OK)
        return;
    *jit = NULL;
    snprintf(c->note, sizeof c->note, "expressions are interpreted: %.170s", why.text);
}

static carom_status prepare(const carom_model *m, unsigned want, carom_error *error)
{
    struct carom_compiled *c = m->source->compiled;
    carom_status status = CAROM_OK;
    carom_lock_take(&c->lock);
    int count = atomic_load(&c->count), k = 0;
    while (k < count && c->entry[k].want != want)
        k++;
    if (k == TAPES) {
        status = carom_fail(error, CAROM_UNSUPPORTED,
                            "more than %d different sets of quantities are asked of model '%s'", TAPES, m->name);
    } else if (k == count) {
        entry *new = &c->entry[count];
        *new = (entry){.want = want, .offset = {end_of(c, m->np, count, 1), end_of(c, m->np, count, 8)}};
        status = make_tape(c, m->np, want, &new->tape, NULL, error);
        if (status == CAROM_OK && c->s->jit)
            make_native(c, &new->tape, 1, &new->jit);
        if (status == CAROM_OK)
            atomic_store(&c->count, count + 1);
    }
    carom_lock_release(&c->lock);
    return status;
}

carom_status carom_model_split(const carom_model *m, unsigned want, const carom_split **split, carom_error *error)
{
    *split = NULL;
    if (m->evaluator != &carom_compiled_evaluator ||
        !m->source->jit) /* two tapes cost the interpreter more than they save */
        return CAROM_OK;
    struct carom_compiled *c = m->source->compiled;
    carom_status status = CAROM_OK;
    carom_lock_take(&c->lock);
    int k = 0;
    while (k < c->nsplit && c->split[k].want != want)
        k++;
    if (k == c->nsplit && k < SPLITS) {
        c->split[k] = (carom_split){.want = want};
        status = make_tape(c, m->np, want, NULL, &c->split[k], error);
        if (status == CAROM_OK && c->split[k].rows)
            make_native(c, (carom_tape *const[]){c->split[k].clock, c->split[k].rest}, 2, &c->split_jit[k]);
        c->nsplit += status == CAROM_OK;
    }
    if (k < c->nsplit && c->split[k].rows)
        *split = &c->split[k];
    carom_lock_release(&c->lock);
    return status;
}

static size_t work_bytes(const carom_model *m, int lanes)
{
    struct carom_compiled *c = m->source->compiled;
    return end_of(c, m->np, atomic_load(&c->count), lanes);
}

static void begin(const carom_model *m, int lanes, const double *p, void *work)
{
    *(uint64_t *)work = 0;
    if (m->np)
        memcpy((char *)work + 64, p, sizeof *p * (size_t)(m->np * lanes));
}

static void begin_tape(const entry *x, const carom_eval *e, void *work, double *scratch)
{
    const double *in[] = {e->t, e->q, e->v, (const double *)((char *)work + 64), e->a, e->x, e->s, e->d};
    carom_tape_begin(x->tape, e->lanes, in, scratch);
}

/* Nobody prepared for this: make it visible. */
static void not_prepared(const carom_model *m, const carom_eval *e)
{
    part list[OUTPUTS];
    double *const *out = &e->M;
    parts(m->source, m->np, list);
    for (int k = 0; k < OUTPUTS; k++)
        for (int i = 0; e->want & list[k].bit && out[k] && i < list[k].rows * list[k].columns * e->lanes; i++)
            out[k][i] = NAN;
}

static void eval(const carom_model *m, const carom_eval *e, void *work)
{
    const struct carom_compiled *c = m->source->compiled;
    int count = atomic_load_explicit(&c->count, memory_order_acquire);
    unsigned char *found = (unsigned char *)work + FOUND + (e->want * 0x9e3779b1u >> 27);
    int k = *found; /* the tape of this mask, unless another mask has the same place */
    if (k >= count || c->entry[k].want != e->want) {
        for (k = 0; k < count && c->entry[k].want != e->want; k++)
            ;
        if (k == count) {
            not_prepared(m, e);
            return;
        }
        *found = (unsigned char)k;
    }
    const entry *x = &c->entry[k];
    uint64_t *begun = work, bit = (uint64_t)1 << k;
    double *scratch = (double *)((char *)work + x->offset[e->lanes == 8]);
    if (!(*begun & bit)) {
        begin_tape(x, e, work, scratch);
        *begun |= bit;
    }
    carom_tape_eval(x->tape, e->lanes, &e->t, scratch, &e->M);
}

const carom_evaluator carom_compiled_evaluator = {prepare, work_bytes, begin, eval};

carom_status carom_compiled_new(carom_source *s, carom_error *error)
{
    struct carom_compiled *c = calloc(1, sizeof *c);
    if (!c)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the evaluator of the model");
    c->lock = (carom_lock)CAROM_LOCK_OPEN;
    c->s = s;
    s->compiled = c;
    return carom_structure_new(s, &c->structure, error);
}

const carom_structure *carom_model_structure(const carom_model *m)
{
    return m->evaluator == &carom_compiled_evaluator ? m->source->compiled->structure : NULL;
}

bool carom_model_extended(const carom_model *m)
{
    return m->source && m->source->compiled && atomic_load(&m->source->compiled->extended);
}

const char *carom_compiled_note(const struct carom_compiled *c)
{
    return c->note;
}

void carom_compiled_lock(struct carom_compiled *c)
{
    carom_lock_take(&c->lock);
}

void carom_compiled_unlock(struct carom_compiled *c)
{
    carom_lock_release(&c->lock);
}

void carom_compiled_free(struct carom_compiled *c)
{
    if (!c)
        return;
    for (int k = 0; k < c->count; k++)
        carom_tape_free(c->entry[k].tape);
    for (int k = 0; k < c->count; k++)
        carom_jit_free(c->entry[k].jit);
    for (int k = 0; k < c->nsplit; k++) {
        carom_tape_free(c->split[k].clock);
        carom_tape_free(c->split[k].rest);
        carom_jit_free(c->split_jit[k]);
    }
    free(c);
}
