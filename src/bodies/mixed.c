/* mixed.c: bodies with joints, forces, coordinates and formulas of their own, whose contacts are found before every
 * step. All but the contacts of pairs is a model of formulas; positions and velocities are those of its coordinates.
 *
 * With the velocities V_k = (v, w) of a body, affine in the velocities of the model, and the rows of src/geometry,
 *   V_k = B_k(t, q) v + V0_k(t, q),   C_k = dV_k/dt at v' = 0                                               (1)
 *   u = sum_k H_k V_k    =>   G = sum_k H_k B_k,   w = sum_k H_k V0_k                                        (2)
 *   du/dt = sum_k H_k V_k' + eta    =>   gamma = eta + sum_k H_k C_k                                         (3)
 * where H_k and eta are the rows and the curvature of a touch.
 *
 * The contacts of a step: those of the formulas (stops and dry friction of joints, contacts of the file), always all of
 * them and with negative ids, then those found. R_q is without the curvature of the latter: Newton's method of a step
 * takes a few iterations more, its solution is the same. Matrices are in full. */
#include <string.h>

#include "bodies/many/parts.h"
#include "bodies/section.h"
#include "core/dense.h"
#include "core/layout.h"

enum { BITS = 11 };
static const unsigned bits[BITS] = {CAROM_MASS,   CAROM_FORCE,   CAROM_GAP,  CAROM_JACOBIAN, CAROM_GAMMA, CAROM_LAW,
                                    CAROM_ENERGY, CAROM_OUTPUTS, CAROM_STOP, CAROM_R_Q,      CAROM_R_V};
static const unsigned of_rows = CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW;

typedef struct entry { /* of B_k */
    int row, column;
} entry;

typedef struct carom_mixed {
    carom_model formulas;     /* its contacts are those that are always there */
    int nrow, nlaw;           /* of the formulas */
    carom_many *many;         /* shapes, kernels, broad phase */
    int nbody, n;             /* n: 3 or 6 velocities of a body */
    carom_tape *where, *how;  /* poses; V, B, V0, C */
    entry *entry;             /* [first[nbody]] */
    int *first;               /* [nbody+1] entries of a body */
} carom_mixed;

typedef struct work { /* of one simulation */
    void *formulas;                       /* what their evaluator needs */
    double *where, *how;                  /* scratch of the tapes */
    double *V, *B, *V0, *C;               /* [n*nbody] [first[nbody]] [n*nbody] [n*nbody] */
    double *g, *G, *w, *gamma, *law, *x;  /* of the formulas */
    carom_many_work many;
} work;

static work work_at(const carom_model *m, void *memory, size_t *bytes)
{
    const carom_mixed *mixed = m->source->bodies->mixed;
    const carom_model *f = &mixed->formulas;
    size_t room = (size_t)(mixed->n * mixed->nbody), rows = (size_t)mixed->nrow;
    size_t links = (size_t)carom_model_links(f), before = f->evaluator->work_bytes(f, 1), many;
    carom_layout layout = {.base = memory};
    work w;
    w.formulas = carom_place(&layout, before);
    CAROM_PLACE(&layout, w.where, carom_tape_work(mixed->where, 1));
    CAROM_PLACE(&layout, w.how, carom_tape_work(mixed->how, 1));
    CAROM_PLACE(&layout, w.V, room);
    CAROM_PLACE(&layout, w.B, mixed->first[mixed->nbody]);
    CAROM_PLACE(&layout, w.V0, room);
    CAROM_PLACE(&layout, w.C, room);
    CAROM_PLACE(&layout, w.g, links);
    CAROM_PLACE(&layout, w.G, rows * (size_t)m->nv);
    CAROM_PLACE(&layout, w.w, rows);
    CAROM_PLACE(&layout, w.gamma, rows);
    CAROM_PLACE(&layout, w.law, mixed->nlaw);
    CAROM_PLACE(&layout, w.x, rows);
    w.many = carom_many_work_at(mixed->many, m->ncontact, memory ? (char *)memory + layout.used : NULL, &many);
    if (bytes)
        *bytes = layout.used + many;
    return w;
}

static size_t work_bytes(const carom_model *m, int lanes)
{
    size_t bytes;
    (void)lanes;
    work_at(m, NULL, &bytes);
    return bytes;
}

static carom_status prepare(const carom_model *m, unsigned want, carom_error *error)
{
    unsigned known = CAROM_MARGIN | CAROM_SWITCH;
    for (int i = 0; i < BITS; i++)
        known |= bits[i];
    if (want & ~known)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "model '%s': its contacts are found per step, and there are no derivatives of its motion", m->name);
    const carom_model *f = &m->source->bodies->mixed->formulas;
    for (int i = 0; want & CAROM_SWITCH && i < BITS; i++) /* bits alone are prepared from the start */
        CAROM_TRY(f->evaluator->prepare(f, bits[i] | CAROM_SWITCH, error));
    if (want & CAROM_SWITCH)
        CAROM_TRY(f->evaluator->prepare(f, CAROM_SWITCH, error));
    return CAROM_OK;
}

static void begin(const carom_model *m, int lanes, const double *p, void *memory)
{
    const carom_mixed *mixed = m->source->bodies->mixed;
    work w = work_at(m, memory, NULL);
    double t = 0;
    const double *in[] = {&t, m->q, m->q, p};
    mixed->formulas.evaluator->begin(&mixed->formulas, lanes, p, w.formulas);
    carom_tape_begin(mixed->where, 1, in, w.where);
    carom_tape_begin(mixed->how, 1, in, w.how);
}

/* ---- where bodies are and how they move ---- */
static void poses(const carom_mixed *mixed, double t, const double *q, const double *v, const double *p, work *w)
{
    const double *in[] = {&t, q, v, p};
    double *out[] = {(double *)w->many.pose};
    carom_tape_eval(mixed->where, 1, in, w->where, out);
}

static void motion(const carom_mixed *mixed, double t, const double *q, const double *v, const double *p, work *w)
{
    const double *in[] = {&t, q, v, p};
    double *out[] = {w->V, w->B, w->V0, w->C};
    carom_tape_eval(mixed->how, 1, in, w->how, out);                                                     /* (1) */
}

static double speed(const carom_point *at)
{
    const carom_mixed *mixed = at->model->source->bodies->mixed;
    work w = work_at(at->model, at->work, NULL);
    double most = 0;
    motion(mixed, at->t, at->q, at->v, at->p, &w);
    poses(mixed, at->t, at->q, at->v, at->p, &w);
    for (int k = 0; k < mixed->nbody; k++) {
        const double *V = w.V + mixed->n * k;
        double turn = mixed->n == 3 ? fabs(V[2]) : norm3(V + 3), along = mixed->n == 3 ? hypot(V[0], V[1]) : norm3(V);
        most = fmax(most, along + (turn > 0 ? turn * carom_many_reach(mixed->many, w.many.pose, k) : 0));
    }
    return most;
}

static int links(const carom_point *at, double reach, carom_found *found, int most)
{
    const carom_mixed *mixed = at->model->source->bodies->mixed;
    const carom_model *f = &mixed->formulas;
    work w = work_at(at->model, at->work, NULL);
    for (int i = 0; i < CAROM_MIN(f->ncontact, most); i++)
        found[i] = (carom_found){.id = -1 - i, .contact = f->contact[i]};
    poses(mixed, at->t, at->q, at->v, at->p, &w);
    int room = CAROM_MAX(most - f->ncontact, 0);
    int n = carom_many_find(mixed->many, &w.many, reach, at->model->exact, room ? found + f->ncontact : found, room);
    return n < 0 ? n : f->ncontact + n;
}

/* ---- rows ---- */
static double along(const carom_mixed *mixed, const carom_touch *t, const double *H, const double *V)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < mixed->n; i++)
            sum += H[side * mixed->n + i] * V[mixed->n * t->body[side] + i];
    return sum;
}

static void row_of(const carom_mixed *mixed, const carom_touch *t, const double *H, const double *B, double *G)
{
    memset(G, 0, sizeof *G * (size_t)mixed->formulas.nv);
    for (int side = 0; side < 2; side++)
        for (int e = mixed->first[t->body[side]]; e < mixed->first[t->body[side] + 1]; e++)
            G[mixed->entry[e].column] += H[side * mixed->n + mixed->entry[e].row] * B[e];                /* (2) */
}

/* Gaps, rows and curvature of the contacts that were found, from link and row number on. */
static void touches(const carom_model *m, const carom_eval *e, work *w, int link, int row)
{
    const carom_mixed *mixed = m->source->bodies->mixed;
    int n = mixed->n, rows = n == 3 ? 2 : 3, fixed = mixed->formulas.ncontact, count = m->ncontact - fixed;
    unsigned want = (e->want & CAROM_GAP ? CAROM_TOUCH_GAP : 0u) |
                    (e->want & CAROM_JACOBIAN ? CAROM_TOUCH_JACOBIAN : 0u) |
                    (e->want & CAROM_GAMMA ? CAROM_TOUCH_GAMMA | CAROM_TOUCH_JACOBIAN : 0u);
    double *values = w->many.values, *H = values, *eta = values + CAROM_CHUNK * rows * 2 * n;
    const carom_touch_values to = {.G = H, .gamma = eta, .g = eta + CAROM_CHUNK * rows};
    const carom_touch_motion at = {.pose = w->many.pose, .v = w->V};
    const unsigned char *from = w->many.packed;
    for (int first = 0; first < count; first += CAROM_CHUNK) {
        int some = CAROM_MIN(CAROM_CHUNK, count - first);
        const carom_touch *touch = carom_many_unpack(&w->many, &from, some);
        carom_error error;
        if (carom_kernels_eval(mixed->many->kernels, want, some, touch, &at, &to, w->many.scratch, &error) != CAROM_OK)
            to.g[0] = H[0] = NAN;
        for (int i = 0; i < some; i++) {
            if (e->want & CAROM_GAP)
                e->g[link + first + i] = to.g[i];
            for (int r = 0; r <= m->contact[fixed + first + i].directions; r++, row++) {
                const double *h = H + (i * rows + r) * 2 * n;
                if (e->want & CAROM_JACOBIAN) {
                    row_of(mixed, &touch[i], h, w->B, e->G + (size_t)row * (size_t)m->nv);
                    e->w[row] = along(mixed, &touch[i], h, w->V0);
                }
                if (e->want & CAROM_GAMMA)
                    e->gamma[row] = eta[i * rows + r] + along(mixed, &touch[i], h, w->C);                /* (3) */
            }
        }
    }
}

/* What the formulas say of their own rows, as far as the model has them: contacts may not have been found yet. */
static void own_rows(const carom_model *m, const carom_eval *e, work *w, int rows)
{
    const carom_mixed *mixed = m->source->bodies->mixed;
    const carom_model *f = &mixed->formulas;
    bool all = m->ncontact >= f->ncontact && m->contact;
    int nlink = f->njoint + (all ? f->ncontact : 0), laws = all ? mixed->nlaw : 0;
    if (e->want & CAROM_GAP)
        carom_copy(nlink, w->g, e->g);
    if (e->want & CAROM_JACOBIAN) {
        carom_copy(rows, w->w, e->w);
        memcpy(e->G, w->G, sizeof *e->G * (size_t)rows * (size_t)m->nv);
    }
    if (e->want & CAROM_GAMMA)
        carom_copy(rows, w->gamma, e->gamma);
    if (e->want & CAROM_LAW)
        carom_copy(laws, w->law, e->law);
    double *law = e->law + laws;
    for (int i = f->ncontact; e->want & CAROM_LAW && all && i < m->ncontact; i++) {
        int n = carom_law_coefficients(carom_model_law(m, i));
        carom_copy(n, m->contact[i].coefficient, law);
        law += n;
    }
}

static void eval(const carom_model *m, const carom_eval *e, void *memory)
{
    const carom_mixed *mixed = m->source->bodies->mixed;
    const carom_model *f = &mixed->formulas;
    work w = work_at(m, memory, NULL);
    bool found = m->contact && m->ncontact >= f->ncontact;
    int rows = found ? mixed->nrow : f->njoint;
    carom_eval own = *e;
    own.g = w.g, own.G = w.G, own.w = w.w, own.gamma = w.gamma, own.law = w.law, own.x = w.x;
    if (e->want & (CAROM_R_Q | CAROM_R_V)) {
        memset(w.x, 0, sizeof *w.x * (size_t)mixed->nrow);
        carom_copy(rows, e->x, w.x);
    }
    for (int i = 0; i < BITS; i++)
        if ((own.want = e->want & bits[i])) {
            own.want |= e->want & CAROM_SWITCH;
            f->evaluator->eval(f, &own, w.formulas);
        }
    if (e->want == CAROM_SWITCH)
        f->evaluator->eval(f, e, w.formulas);
    if (e->want & of_rows)
        own_rows(m, e, &w, rows);
    for (int i = 0; found && e->want & CAROM_MARGIN && i < f->ncontact; i++)
        e->margin[i] = INFINITY;
    if (!found || m->ncontact == f->ncontact || !(e->want & (CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA)))
        return;
    poses(mixed, *e->t, e->q, e->v, e->p, &w);
    if (e->want & CAROM_MARGIN)
        carom_many_margins(mixed->many, &w.many, m->ncontact - f->ncontact, m->contact_id + f->ncontact,
                           e->margin + f->ncontact);
    if (e->want & (CAROM_JACOBIAN | CAROM_GAMMA))
        motion(mixed, *e->t, e->q, e->v, e->p, &w);
    touches(m, e, &w, f->njoint + f->ncontact, rows);
}

const carom_contact *carom_mixed_contact(const carom_source *s, long long id)
{
    const carom_mixed *mixed = s && s->bodies ? s->bodies->mixed : NULL;
    return mixed && id < 0 && -1 - id < mixed->formulas.ncontact ? &mixed->formulas.contact[-1 - id] : NULL;
}

void carom_mixed_places(const carom_point *at, double *out)
{
    const carom_mixed *mixed = at->model->source->bodies->mixed;
    int own = mixed->formulas.ncontact;
    work w = work_at(at->model, at->work, NULL);
    poses(mixed, at->t, at->q, at->v, at->p, &w);
    memset(out, 0, sizeof *out * 15 * (size_t)own);
    carom_many_places(mixed->many, &w.many, at->model->ncontact - own, out + 15 * own);
}

double carom_mixed_length(const carom_point *at)
{
    const carom_mixed *mixed = at->model->source->bodies->mixed;
    work w = work_at(at->model, at->work, NULL);
    poses(mixed, at->t, at->q, at->v, at->p, &w);
    return carom_many_length(mixed->many, w.many.pose);
}

static const carom_evaluator evaluator = {prepare, work_bytes, begin, eval};

/* ---- tapes ---- */
typedef struct outputs { /* of a tape, while they are listed */
    carom_expr *e;
    carom_tape_slot *to;
    int n;
} outputs;

static void put(outputs *x, carom_expr e, int group, int index)
{
    x->e[x->n] = e;
    x->to[x->n++] = (carom_tape_slot){group, index};
}

static carom_status outputs_new(carom_loader *l, outputs *x, size_t most)
{
    x->n = 0;
    x->e = CAROM_NEW(l->s->arena, carom_expr, most);
    x->to = CAROM_NEW(l->s->arena, carom_tape_slot, most);
    return x->e && x->to ? CAROM_OK : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the bodies");
}

static carom_expr component(const carom_section_of_bodies *x, int k, int i) /* of V_k */
{
    const carom_frame *f = &x->frame[k];
    if (x->b.planar)
        return i == 2 ? f->w.x[2] : f->v.x[i];
    return i < 3 ? f->v.x[i] : f->w.x[i - 3];
}

static carom_status how_tape(carom_loader *l, carom_mixed *mixed, const carom_tape_slot *variable)
{
    carom_source *s = l->s;
    int n = mixed->n, count = n * mixed->nbody;
    carom_expr *zero = CAROM_NEW(s->arena, carom_expr, s->nv + 1);
    outputs to;
    CAROM_TRY(outputs_new(l, &to, (size_t)count * (size_t)(3 + s->nv)));
    mixed->entry = CAROM_NEW(s->arena, entry, (size_t)count * (size_t)s->nv + 1);
    mixed->first = CAROM_NEW(s->arena, int, mixed->nbody + 1);
    if (!zero || !mixed->entry || !mixed->first)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the bodies");
    for (int j = 0; j < s->nv; j++)
        zero[j] = carom_expr_const(s->pool, 0);
    for (int i = 0, entries = 0; i < count; i++) {
        carom_expr V = component(s->bodies, i / n, i % n);
        put(&to, V, 0, i);
        put(&to, carom_expr_replace(s->pool, V, s->var_v, s->nv, zero), 2, i);
        put(&to, carom_source_rate(s, V), 3, i);
        for (int j = 0; j < s->nv; j++) {
            carom_expr B = carom_expr_depends(s->pool, V, s->var_v + j, s->var_v + j + 1)
                               ? carom_expr_diff(s->pool, V, s->var_v + j) : zero[j];
            if (carom_e_is(s->pool, B, 0))
                continue;
            mixed->entry[entries] = (entry){i % n, j};
            put(&to, B, 1, entries++);
        }
        mixed->first[i / n + 1] = entries;
    }
    return carom_tape_new(&mixed->how, s->pool, to.e, to.to, to.n, variable, 1u << 3, l->error);
}

/* ---- the model ---- */
carom_status carom_bodies_mix(carom_loader *l)
{
    carom_source *s = l->s;
    carom_model *m = l->m;
    carom_section_of_bodies *x = s->bodies;
    carom_mixed *mixed = CAROM_NEW(s->arena, carom_mixed, 1);
    const carom_tape_slot *variable = carom_bodies_slots(s);
    CAROM_TRY(carom_laws_of_found(l));
    if (!mixed || !variable)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d bodies", x->b.nbody);
    x->mixed = mixed;
    *mixed = (carom_mixed){.formulas = *m, .nrow = s->nrow, .nlaw = s->nlaw, .nbody = x->b.nbody,
                           .n = x->b.planar ? 3 : 6};
    CAROM_TRY(carom_many_new(&mixed->many, &x->b, true, s->arena, l->error));
    x->many = mixed->many;
    mixed->where = x->where;
    CAROM_TRY(how_tape(l, mixed, variable));
    for (int i = 0; i < BITS; i++)
        CAROM_TRY(m->evaluator->prepare(&mixed->formulas, bits[i], l->error));
    s->start_is_found = true;
    m->evaluator = &evaluator;
    m->links = links, m->speed = speed;
    m->contact = NULL, m->ncontact = 0; /* none lasts */
    m->constant &= CAROM_MASS | CAROM_LAW | CAROM_R_Q | CAROM_R_V;
    return carom_bodies_settle(l);
}

void carom_bodies_unmix(carom_source *s)
{
    carom_mixed *mixed = s->bodies ? s->bodies->mixed : NULL;
    if (!mixed)
        return;
    carom_tape_free(mixed->how);
    carom_many_end(mixed->many);
}
