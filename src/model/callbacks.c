/* callbacks.c: the adapter that makes an evaluator of plain callbacks.
 *
 * One lane with what the callbacks give directly is a chain of straight calls; eight lanes are gathered, evaluated
 * one after the other and scattered. What the callbacks do not give comes from differences.c. */
#include <stdint.h>
#include <string.h>

#include "core/dense.h"
#include "model/differences.h"

int carom_model_rows(const carom_model *model)
{
    int rows = carom_model_links(model);
    if (model->links && !model->contact)
        return rows + 2 * model->ncontact; /* room for any of them */
    for (int i = 0; i < model->ncontact; i++)
        rows += model->contact[i].directions;
    return rows;
}

int carom_model_link_row(const carom_model *model, int link)
{
    int row = link, contact = carom_model_contact(model, link);
    for (int i = 0; i < contact; i++)
        row += model->contact[i].directions;
    return row;
}

const carom_law *carom_model_law(const carom_model *model, int contact)
{
    return carom_law_find(model->contact[contact].law, model->contact[contact].directions);
}

int carom_model_coefficient(const carom_model *model, int contact)
{
    int at = 0;
    if (model->links && !model->contact)
        return contact * CAROM_COEFFICIENTS_MAX; /* room for any of them */
    for (int i = 0; i < contact; i++)
        at += carom_law_coefficients(carom_model_law(model, i));
    return at;
}

const carom_evaluator *carom_model_evaluator(const carom_model *model)
{
    return model->evaluator ? model->evaluator : &carom_callbacks;
}

unsigned carom_model_differenced(const carom_model *m)
{
    if (m->evaluator)
        return 0;
    bool rows = carom_model_rows(m) > 0;
    unsigned mask = m->np > 0 ? CAROM_R_P : 0;
    if (!m->force_q || !(m->constant & CAROM_MASS) || (rows && !(m->constant & CAROM_JACOBIAN)))
        mask |= CAROM_R_Q;
    if (!m->force_v)
        mask |= CAROM_R_V;
    if (m->potential || !(m->constant & CAROM_MASS))
        mask |= CAROM_ENERGY;
    if (!rows)
        return mask;
    mask |= m->jacobian ? 0 : CAROM_JACOBIAN;
    mask |= m->np > 0 ? CAROM_U_P | CAROM_A_P : 0;
    if (m->constant & CAROM_JACOBIAN)
        return mask; /* gamma and the derivatives by q and v vanish */
    return mask | (m->gamma ? 0 : CAROM_GAMMA) | CAROM_U_Q | CAROM_A_Q | CAROM_A_V;
}

/* ---- memory: the same walk measures and places ---- */
static void *take(uintptr_t *at, size_t bytes)
{
    uintptr_t here = *at;
    *at += (bytes + 63) / 64 * 64;
    return (void *)here;
}

static void place_moved(const carom_model *m, carom_moved *moved, int width, int longest, uintptr_t *at)
{
    size_t word = sizeof(double);
    moved->q = take(at, word * (size_t)m->nq);
    moved->v = take(at, word * (size_t)m->nv);
    moved->p = take(at, word * (size_t)m->np);
    moved->xi = take(at, word * (size_t)m->nv);
    moved->unit = take(at, word * (size_t)longest);
    moved->value = take(at, word * (size_t)width);
}

static size_t place(const carom_model *m, carom_scratch *k, uintptr_t start)
{
    size_t word = sizeof(double);
    size_t nv = (size_t)m->nv, np = (size_t)m->np;
    uintptr_t at = start;
    k->model = m;
    k->nrow = carom_model_rows(m);
    k->ngap = carom_model_links(m);
    k->nslip = k->nrow - k->ngap;
    k->width = CAROM_MAX(CAROM_MAX(m->nv, k->nrow), 1);
    size_t rows = (size_t)k->width, longest = CAROM_MAX(nv, np);
    size_t output = rows * CAROM_MAX(longest, 4);
    take(&at, sizeof *k);
    k->gap_row = take(&at, sizeof(int) * (size_t)k->ngap);
    k->slip_row = take(&at, sizeof(int) * (size_t)k->nslip);
    k->M = take(&at, word * nv * nv);
    k->F = take(&at, word * nv);
    k->G = take(&at, word * rows * nv);
    k->w = take(&at, word * rows);
    k->gap = take(&at, word * rows);
    k->slip = take(&at, word * rows);
    k->column = take(&at, word * rows);
    place_moved(m, &k->outer, k->width, (int)longest, &at);
    place_moved(m, &k->inner, k->width, (int)longest, &at);
    k->lane = take(&at, word * (2 + (size_t)m->nq + 2 * nv + np + rows));
    k->out = take(&at, word * CAROM_MAX(output, (size_t)m->noutput));
    return at - start;
}

static carom_status prepare(const carom_model *m, unsigned want, carom_error *error)
{
    (void)want;
    if (!m->mass || !m->force)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "model '%s' has no %s callback", m->name ? m->name : "",
                   m->mass ? "force" : "mass");
    return CAROM_OK;
}

static size_t work_bytes(const carom_model *m, int lanes)
{
    (void)lanes;
    carom_scratch k;
    return place(m, &k, 0);
}

static void begin(const carom_model *m, int lanes, const double *p, void *work)
{
    (void)lanes, (void)p;
    carom_scratch *k = work;
    place(m, k, (uintptr_t)work);
    int *gap_row = (int *)(uintptr_t)k->gap_row, *slip_row = (int *)(uintptr_t)k->slip_row;
    for (int i = 0; i < m->njoint; i++)
        gap_row[i] = i;
    int row = m->njoint;
    for (int c = 0; c < m->ncontact; c++) {
        gap_row[carom_model_link(m, c)] = row++;
        for (int d = 0; d < m->contact[c].directions; d++)
            *slip_row++ = row++;
    }
}

/* ---- one quantity at one point ---- */
void carom_callback_jacobian(carom_scratch *k, const carom_point *at, double *G, double *w)
{
    const carom_model *m = k->model;
    if (!m->jacobian) {
        carom_difference_jacobian(k, at, G, w);
        return;
    }
    m->jacobian(at, G);
    if (m->offset)
        m->offset(at, w);
    else
        memset(w, 0, sizeof *w * (size_t)k->nrow);
}

static void law(const carom_model *m, const carom_point *at, double *out)
{
    if (m->law) {
        m->law(at, out);
        return;
    }
    for (int i = 0; i < m->ncontact; i++) {
        const carom_contact *c = &m->contact[i];
        const double standard[] = {c->restitution, c->restitution_t, c->friction,
                                   c->friction_static != 0 ? c->friction_static : c->friction};
        const double *from = c->coefficient ? c->coefficient : standard;
        for (int k = 0, n = carom_law_coefficients(carom_model_law(m, i)); k < n; k++)
            *out++ = from[k];
    }
}

static void rare(carom_scratch *k, const carom_point *at, const carom_eval *e)
{
    const carom_model *m = k->model;
    unsigned want = e->want;
    if (want & CAROM_LAW && m->ncontact)
        law(m, at, e->law);
    if (want & CAROM_ENERGY)
        carom_difference_energy(k, at, e->energy);
    if (want & CAROM_OUTPUTS && m->noutput)
        m->outputs(at, e->outputs);
    if (want & CAROM_STOP) {
        *e->stop = 0;
        if (m->stop)
            m->stop(at, e->stop);
    }
    if (want < CAROM_R_Q)
        return;
    double *const matrix[8] = {e->R_q, e->R_v, e->R_p, e->U_q, e->U_p, e->A_q, e->A_v, e->A_p};
    k->a = e->a;
    k->x = e->x;
    k->s = e->s ? *e->s : 1;
    for (int i = 0; i < 8; i++)
        if (want & (unsigned)CAROM_R_Q << i)
            carom_difference_matrix(k, at, (unsigned)CAROM_R_Q << i, matrix[i]);
}

static void eval_one(carom_scratch *k, const carom_eval *e)
{
    const carom_model *m = k->model;
    const carom_point at = {*e->t, e->q, e->v, e->p, m->user, m, NULL};
    unsigned want = e->want;
    if (want & CAROM_MASS)
        m->mass(&at, e->M);
    if (want & CAROM_FORCE)
        m->force(&at, e->F);
    if (want & CAROM_GAP && k->ngap)
        m->gap(&at, e->g);
    if (want & CAROM_JACOBIAN && k->nrow)
        carom_callback_jacobian(k, &at, e->G, e->w);
    if (want & CAROM_GAMMA && k->nrow) {
        if (m->gamma)
            m->gamma(&at, e->gamma);
        else if (m->constant & CAROM_JACOBIAN)
            memset(e->gamma, 0, sizeof *e->gamma * (size_t)k->nrow);
        else
            carom_difference_gamma(k, &at, e->gamma);
    }
    for (int i = 0; want & CAROM_MARGIN && i < m->ncontact; i++)
        e->margin[i] = INFINITY; /* they are contacts wherever their gaps say so */
    if (want >= CAROM_LAW)
        rare(k, &at, e);
}

/* ---- eight lanes ---- */
typedef struct port { /* an output array: the bit that asks for it, where it goes, how long one lane is */
    unsigned bit;
    size_t member;
    int length;
} port;

static double *gather(const double *from, int n, int lanes, int lane, double **room)
{
    double *to = *room;
    for (int i = 0; from && i < n; i++)
        to[i] = from[i * lanes + lane];
    *room += n;
    return to;
}

static void scatter(const double *from, double *to, int n, int lanes, int lane)
{
    for (int i = 0; i < n; i++)
        to[i * lanes + lane] = from[i];
}

static void eval_lane(carom_scratch *k, const carom_eval *e, int lane, const port *ports, int nport)
{
    const carom_model *m = k->model;
    double *room = k->lane;
    carom_eval one = {.lanes = 1};
    one.t = gather(e->t, 1, e->lanes, lane, &room);
    one.s = e->s ? gather(e->s, 1, e->lanes, lane, &room) : NULL;
    one.q = gather(e->q, m->nq, e->lanes, lane, &room);
    one.v = gather(e->v, m->nv, e->lanes, lane, &room);
    one.p = gather(e->p, m->np, e->lanes, lane, &room);
    one.a = gather(e->a, m->nv, e->lanes, lane, &room);
    one.x = gather(e->x, k->nrow, e->lanes, lane, &room);
    for (int i = 0; i < nport; i++) {
        double *to = *(double *const *)((const char *)e + ports[i].member);
        if (!(e->want & ports[i].bit) || !to)
            continue;
        one.want = ports[i].bit;
        one.G = k->G, one.w = k->w;
        *(double **)((char *)&one + ports[i].member) = k->out;
        eval_one(k, &one);
        scatter(k->out, to, ports[i].length, e->lanes, lane);
    }
}

static void eval_lanes(const carom_model *m, const carom_eval *e, carom_scratch *k)
{
#define PORT(bit, member, length) {bit, offsetof(carom_eval, member), length}
    const port ports[] = {
        PORT(CAROM_MASS, M, m->nv * m->nv),
        PORT(CAROM_FORCE, F, m->nv),
        PORT(CAROM_GAP, g, k->ngap),
        PORT(CAROM_JACOBIAN, G, k->nrow * m->nv),
        PORT(CAROM_JACOBIAN, w, k->nrow),
        PORT(CAROM_GAMMA, gamma, k->nrow),
        PORT(CAROM_LAW, law, carom_model_coefficient(m, m->ncontact)),
        PORT(CAROM_ENERGY, energy, 5),
        PORT(CAROM_OUTPUTS, outputs, m->noutput),
        PORT(CAROM_STOP, stop, 1),
        PORT(CAROM_R_Q, R_q, m->nv * m->nv),
        PORT(CAROM_R_V, R_v, m->nv * m->nv),
        PORT(CAROM_R_P, R_p, m->nv * m->np),
        PORT(CAROM_U_Q, U_q, k->nrow * m->nv),
        PORT(CAROM_U_P, U_p, k->nrow * m->np),
        PORT(CAROM_A_Q, A_q, k->nrow * m->nv),
        PORT(CAROM_A_V, A_v, k->nrow * m->nv),
        PORT(CAROM_A_P, A_p, k->nrow * m->np),
    };
#undef PORT
    carom_eval rest = *e;
    if (m->lanes)
        rest.want &= ~m->lanes(m, e);
    for (int lane = 0; lane < e->lanes; lane++)
        eval_lane(k, &rest, lane, ports, CAROM_COUNT(ports));
}

/* What is asked for alone, and most often, first. */
static void eval(const carom_model *m, const carom_eval *e, void *work)
{
    if (e->lanes != 1)
        eval_lanes(m, e, work);
    else if (e->want == CAROM_FORCE)
        m->force(&(carom_point){*e->t, e->q, e->v, e->p, m->user, m, NULL}, e->F);
    else if (e->want == CAROM_GAP && m->gap)
        m->gap(&(carom_point){*e->t, e->q, e->v, e->p, m->user, m, NULL}, e->g);
    else
        eval_one(work, e);
}

const carom_evaluator carom_callbacks = {prepare, work_bytes, begin, eval};
