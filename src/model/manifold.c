/* manifold.c: what follows from the functions of a manifold, and whether they fit together. */
#include <math.h>
#include <string.h>

#include "model/manifold.h"

void carom_model_bracket(const carom_model *model, const double *v, const double *d, double *room, double *out)
{
    const carom_manifold *manifold = model->manifold;
    size_t bytes = sizeof *out * (size_t)model->nv;
    memset(out, 0, bytes);
    if (!manifold)
        return;
    double *zero = room + model->nv;
    memset(zero, 0, bytes);
    manifold->rate_change(model->user, zero, v, d, out);
    manifold->rate_change(model->user, zero, d, v, room);
    for (int i = 0; i < model->nv; i++)
        out[i] -= room[i];                                                                       /* (3) */
}

void carom_segment_at(const carom_model *model, const carom_segment *segment, double s, double *q, double *v)
{
    const carom_segment *g = segment;
    int nv = model->nv;
    for (int i = 0; q && i < nv; i++) { /* v is free until it is filled */
        double xi = 0;
        for (int k = g->q_degree - 1; k >= 0; k--)
            xi = (xi + g->xi[k * nv + i]) * s;
        *(model->manifold ? &v[i] : &q[i]) = model->manifold ? xi : g->q0[i] + xi;
    }
    if (q && model->manifold)
        model->manifold->drift(model->user, g->q0, v, q);
    for (int i = 0; v && i < nv; i++) {
        v[i] = g->v[g->v_degree * nv + i];
        for (int k = g->v_degree - 1; k >= 0; k--)
            v[i] = v[i] * s + g->v[k * nv + i];
    }
}

carom_status carom_manifold_refuse(const carom_model *model, const char *what, carom_error *error)
{
    if (!model->manifold)
        return CAROM_OK;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "%s does not take the model '%s': its %d positions are no vectors", what,
               model->name ? model->name : "", model->nq);
}

/* ---- the check ---- */

typedef struct bench {
    const carom_model *model;
    double *q, *to;                      /* [nq] */
    double *xi, *v, *d, *a, *b, *c, *e;  /* [nv] */
} bench;

static double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i] - y[i]) <= most ? most : fabs(x[i] - y[i]);
    return most;
}

/* What is wrong with it, or NULL; directions without meaning. */
static const char *fault(bench *k, double *off)
{
    const carom_model *m = k->model;
    const carom_manifold *f = m->manifold;
    const double h = 0x1p-13;
    int nv = m->nv;
    for (int i = 0; i < nv; i++)
        k->xi[i] = 0.3 * cos(1 + 2 * i), k->v[i] = sin(1 + 3 * i), k->d[i] = cos(2 + 5 * i);
    f->drift(m->user, m->q, k->xi, k->to);
    f->local(m->user, m->q, k->to, k->a);
    if (!((*off = apart(nv, k->a, k->xi)) <= 1e-9))
        return "local is not the inverse of drift";
    f->rate(m->user, k->xi, k->xi, k->a);
    if (!((*off = apart(nv, k->a, k->xi)) <= 1e-9))
        return "rate: K(xi) xi is not xi";
    f->rate(m->user, k->xi, k->v, k->a);
    f->velocity(m->user, k->xi, k->a, k->b);
    if (!((*off = apart(nv, k->b, k->v)) <= 1e-9))
        return "velocity is not the inverse of rate";
    for (int side = -1; side <= 1; side += 2) { /* K(xi) v by a difference of positions */
        for (int i = 0; i < nv; i++)
            k->e[i] = side * h * k->v[i];
        f->drift(m->user, k->to, k->e, k->q);
        f->local(m->user, m->q, k->q, side < 0 ? k->b : k->c);
    }
    for (int i = 0; i < nv; i++)
        k->b[i] = (k->c[i] - k->b[i]) / (2 * h);
    if (!((*off = apart(nv, k->a, k->b)) <= 1e-6))
        return "rate is not the rate of the local coordinates";
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < nv; i++)
            k->e[i] = k->xi[i] + side * h * k->d[i];
        f->rate(m->user, k->e, k->v, side < 0 ? k->b : k->c);
    }
    for (int i = 0; i < nv; i++)
        k->b[i] = (k->c[i] - k->b[i]) / (2 * h);
    f->rate_change(m->user, k->xi, k->v, k->d, k->a);
    return (*off = apart(nv, k->a, k->b)) <= 1e-6 ? NULL : "rate_change is not the derivative of rate";
}

carom_status carom_manifold_check(const carom_model *m, carom_error *error)
{
    const carom_manifold *f = m->manifold;
    double off = 0;
    if (!f)
        return CAROM_OK;
    if (!f->drift || !f->local || !f->rate || !f->velocity || !f->rate_change || !f->size)
        CAROM_FAIL(error, CAROM_BAD_MODEL,
                   "the manifold is incomplete: drift, local, rate, velocity, rate_change and size are needed");
    carom_arena *arena = carom_arena_new(0);
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    double *room = arena ? CAROM_NEW(arena, double, 2 * nq + 7 * nv) : NULL;
    if (!room) {
        carom_arena_free(arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the check of a manifold");
    }
    bench k = {.model = m, .q = room, .to = room + nq};
    double **const part[] = {&k.xi, &k.v, &k.d, &k.a, &k.b, &k.c, &k.e};
    for (size_t i = 0; i < CAROM_COUNT(part); i++)
        *part[i] = room + 2 * nq + i * nv;
    const char *wrong = fault(&k, &off);
    carom_arena_free(arena);
    if (wrong)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the manifold: %s (off by %.2g)", wrong, off);
    return CAROM_OK;
}
