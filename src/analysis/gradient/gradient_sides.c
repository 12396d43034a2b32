/* gradient_sides.c: where a derivative holds for one side only, because the run begins or ends at a kink.
 *
 * A direction (dx, dp) leaves a kink c = 0 when
 *     c(x + h dx, p + h dp) - c(x - h dx, p - h dp)  is not 0                                                   (1)
 * where c is
 *     at the start   the gap of a contact that is touched; its velocity, too, when it is closed                 (2)
 *                    f of a switch that is on the border of its branch; where it stays there for a moment,
 *                    its f after that moment                                                                    (3)
 *     at the end     the gap of an open contact that would be struck within a moment                            (4)
 *                    the time of an event that has just been passed                                             (5)
 * A moment is what no event's time is known better than. */
#include <float.h>
#include <math.h>

#include "analysis/gradient/gradient.h"
#include "core/dense.h"
#include "model/manifold.h"

static const double MOMENT = 1e-9, TOUCH = 1e-12, STEP = 1e-5, MOVED = 1e-6, AHEAD = 1e-3;
enum { NESTED = 4 };

typedef struct place { /* a point of the run, and the directions there */
    carom_probe probe;
    const carom_model *model;
    double t, ahead;         /* a little later, along the velocities */
    const double *q, *v, *p; /* [nq] [nv] [np] */
    const double *X, *dp;    /* [2*nv*n] [np*n] */
    int n;
} place;

typedef double kink(const place *at, int i); /* c, as the probe has it */

static double gap(const place *at, int i)
{
    return at->probe.at.g[carom_model_link(at->model, i)];
}

static double gap_velocity(const place *at, int i)
{
    int row = carom_model_link_row(at->model, carom_model_link(at->model, i)), nv = at->model->nv;
    return at->probe.at.w[row] + carom_dot(nv, at->probe.at.G + row * nv, at->probe.v);
}

static double switch_value(const place *at, int i)
{
    return at->probe.at.f[i];
}

/* The probe at the place moved by h times direction k; k < 0: there. */
static void look(place *at, int k, double h)
{
    const carom_model *m = at->model;
    carom_probe *o = &at->probe;
    o->t = at->t + at->ahead;
    for (int i = 0; i < m->nv; i++) { /* o->v is free until it is filled */
        double v = at->v[i] + (k < 0 ? 0 : h * at->X[(m->nv + i) * at->n + k]);
        o->v[i] = (k < 0 ? 0 : h * at->X[i * at->n + k]) + at->ahead * v;
    }
    carom_model_drift(m, at->q, o->v, o->q);
    for (int i = 0; i < m->nv; i++)
        o->v[i] = at->v[i] + (k < 0 ? 0 : h * at->X[(m->nv + i) * at->n + k]);
    for (int i = 0; i < m->np; i++)
        o->p[i] = at->p[i] + (k < 0 ? 0 : h * at->dp[i * at->n + k]);
    carom_probe_eval(o);
}

/* A step along direction k that moves what it moves by a small part of its size. */
static double step(const place *at, int k)
{
    const carom_model *m = at->model;
    double most = 0, size = 1;
    for (int i = 0; i < 2 * m->nv; i++) {
        double dx = at->X[i * at->n + k], length = i < m->nv && !m->manifold ? fabs(at->q[i]) : 1;
        most = fmax(most, fabs(dx));
        size = fmax(size, dx != 0 ? i < m->nv ? length : fabs(at->v[i - m->nv]) : 0);
    }
    for (int i = 0; i < m->np; i++) {
        most = fmax(most, fabs(at->dp[i * at->n + k]));
        size = fmax(size, at->dp[i * at->n + k] != 0 ? fabs(at->p[i]) : 0);
    }
    return most > 0 ? STEP * size / most : 0;
}

static bool leaves(place *at, kink *c, int i, int k)
{
    double h = step(at, k);
    look(at, k, h);
    double ahead = c(at, i);
    look(at, k, -h);
    double change = ahead - c(at, i);
    look(at, -1, 0);
    return fabs(change) > MOVED * STEP;                                                              /* (1) */
}

static void mark(carom_gradient *g, place *at, kink *c, int i, unsigned side)
{
    for (int k = 0; k < at->n; k++)
        if (leaves(at, c, i, k)) {
            g->side[k] |= (unsigned char)side;
            if (c != switch_value)
                *(side == CAROM_SIDE_END ? &g->end_contact : &g->start_contact) = i;
        }
}

static carom_status begin(place *at, carom_error *error)
{
    unsigned want = at->model->ncontact + at->model->njoint ? CAROM_GAP | CAROM_JACOBIAN : 0;
    return carom_probe_new(&at->probe, at->model, want, error);
}

static void look_at_switches(carom_gradient *g, place *at)
{
    const carom_model *m = at->model;
    double low, high;
    for (int i = 0; i < m->nswitch; i++)
        at->probe.d[i] = 1;
    for (int pass = 0; pass < NESTED; pass++) { /* a switch may depend on another */
        look(at, -1, 0);
        for (int i = 0; i < m->nswitch; i++)
            at->probe.d[i] = carom_model_branch(m, i, at->probe.at.f[i], &low, &high);
    }
    for (int i = 0; i < m->nswitch; i++) {
        double f = at->probe.at.f[i], near = TOUCH * (1 + fabs(f));
        carom_model_branch(m, i, f, &low, &high);
        if (!(f - low <= near || high - f <= near))
            continue;
        mark(g, at, switch_value, i, CAROM_SIDE_SWITCH);                                             /* (3) */
        at->ahead = AHEAD;
        look(at, -1, 0);
        if (fabs(at->probe.at.f[i] - f) <= MOVED * AHEAD)
            mark(g, at, switch_value, i, CAROM_SIDE_SWITCH);
        at->ahead = 0;
        look(at, -1, 0);
    }
}

carom_status carom_gradient_start_sides(carom_gradient *g, const carom_model *m, const double *v, const double *X,
                                        const double *dp, carom_error *error)
{
    place at = {.model = m, .q = m->q, .v = v, .p = m->p, .X = X, .dp = dp, .n = g->n};
    double size = 1 + carom_norm_max(m->nq, m->q), speed = 1 + carom_norm_max(m->nv, v);
    CAROM_TRY(begin(&at, error));
    look(&at, -1, 0);
    for (int i = 0; i < m->ncontact; i++) {
        const bool touched = fabs(gap(&at, i)) <= TOUCH * size;
        const bool closed = touched && fabs(gap_velocity(&at, i)) <= TOUCH * speed;
        if (touched)
            mark(g, &at, gap, i, closed ? CAROM_SIDE_REST : CAROM_SIDE_START);                       /* (2) */
        if (closed)
            mark(g, &at, gap_velocity, i, CAROM_SIDE_REST);
    }
    carom_probe_free(&at.probe);
    if (m->nswitch == 0)
        return CAROM_OK;
    CAROM_TRY(carom_probe_new(&at.probe, m, CAROM_SWITCH, error));
    look_at_switches(g, &at);
    carom_probe_free(&at.probe);
    return CAROM_OK;
}

carom_status carom_gradient_keeps(const carom_model *m, const double *v, const double *X, const double *dp, int n,
                                  int k, double h, bool *keeps, carom_error *error)
{
    place at = {.model = m, .q = m->q, .v = v, .p = m->p, .X = X, .dp = dp, .n = n};
    double size = 1 + carom_norm_max(m->nq, m->q);
    CAROM_TRY(begin(&at, error));
    *keeps = true;
    for (int i = 0; i < m->ncontact; i++) {
        look(&at, -1, 0);
        bool touched = fabs(gap(&at, i)) <= TOUCH * size;
        look(&at, k, h);
        *keeps = *keeps && (!touched || fabs(gap(&at, i)) <= 10 * TOUCH * size);
    }
    carom_probe_free(&at.probe);
    return CAROM_OK;
}

carom_status carom_gradient_end_sides(carom_gradient *g, const carom_model *m, const carom_state *s, const double *p,
                                      const double *X, const double *dp, const carom_event *last,
                                      const double *last_slope, carom_error *error)
{
    place at = {.model = m, .t = s->t, .q = s->q, .v = s->v, .p = p, .X = X, .dp = dp, .n = g->n};
    const double moment = MOMENT * fmax(1, s->t);
    CAROM_TRY(begin(&at, error));
    look(&at, -1, 0);
    for (int i = 0; i < m->ncontact; i++)
        if (s->mode[i] == CAROM_OPEN && gap_velocity(&at, i) < 0 && gap(&at, i) <= -moment * gap_velocity(&at, i))
            mark(g, &at, gap, i, CAROM_SIDE_END);                                                    /* (4) */
    carom_probe_free(&at.probe);
    for (int k = 0; k < g->n && last && s->t - last->t <= moment; k++)
        if (last_slope[k] != 0) {                                                                    /* (5) */
            g->side[k] |= CAROM_SIDE_END;
            g->end_contact = last->contact;
        }
    return CAROM_OK;
}
