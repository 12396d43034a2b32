/* gradient.c: derivatives of an expression of the final state, of a reaction there, or of the time of an event.
 *
 *     dE/dz of what is asked at t_end: directions.c;        d t_n/dz from the tangent's event times              (1)
 * The check repeats the run at z +- h, z +- 2 h:
 *     E' = (8 (E(h) - E(-h)) - (E(2h) - E(-2h)))/(12 h)                                                         (2)
 * for two sizes of h; if both agree poorly, an event lies within h and (2) says nothing, nor where a start that touches
 * along a curved gap would leave it. */
#include "analysis/gradient/gradient.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "model/manifold.h"

typedef struct work {
    carom_quantity of;
    carom_gradient *gradient;
    const carom_model *model;
    const carom_options *options;
    carom_arena *arena;
    int N, n;
    carom_direction *direction; /* [n] */
    double *follow;       /* [N*np] initial values with parameters */
    double *X, *dp;       /* [2*nv*n] (room for N*n), [np*n] */
    double *E;            /* [1+N+np] */
    double *x, *xi, *p;   /* of a run that differs */
    double *event_slope;  /* [n] */
    double *last_slope;   /* [n] of the last event */
    long seen;
    carom_event event, last;
    carom_error *error;
} work;

static carom_status prepare(work *w)
{
    carom_gradient *g = w->gradient;
    const carom_model *m = w->model;
    w->N = m->nq + m->nv, w->n = g->n;
    const size_t N = (size_t)w->N, n = (size_t)w->n, np = (size_t)m->np;
    const carom_array arrays[] = {{&w->follow, N * np}, {&w->X, N * n}, {&w->dp, np * n}, {&w->E, 1 + N + np},
                                  {&w->x, N},
                                  {&w->xi, (size_t)m->nv}, {&w->p, np}, {&w->event_slope, n}, {&w->last_slope, n}};
    w->direction = CAROM_NEW(w->arena, carom_direction, w->n);
    if (!w->direction || !carom_arena_arrays(w->arena, arrays, CAROM_COUNT(arrays)))
        CAROM_FAIL(w->error, CAROM_NO_MEMORY, "no memory for a gradient of %d entries", w->n);
    CAROM_TRY(carom_directions_find(m, g->name, w->n, w->arena, w->direction, w->error));
    return carom_directions_start(m, w->direction, w->n, w->follow, w->X, w->dp, w->error);
}

/* ---- events ---- */

static void on_event(void *user, const carom_event *event)
{
    work *w = user;
    if (++w->seen == w->gradient->event)
        w->event = *event;
}

static void on_slope(void *user, const carom_event *event, const double *dt)
{
    work *w = user;
    w->last = *event;
    carom_copy(w->n, dt, w->last_slope);
    if (w->gradient->event && w->event.t == event->t && w->event.contact == event->contact &&
        w->event.type == event->type)
        carom_copy(w->n, dt, w->event_slope);
}

static carom_status value(work *w, carom_sim *sim, double *result)
{
    const carom_state *s = carom_sim_state(sim);
    if (w->gradient->event > w->seen)
        CAROM_FAIL(w->error, CAROM_BAD_ARGUMENT, "event %ld is asked for, the run until t = %.6g has %ld",
                   w->gradient->event, s->t, w->seen);
    *result = w->gradient->event ? w->event.t
                                 : carom_quantity_value(&w->of, w->model, s->t, s->q, s->v, s->mode, w->p);
    return CAROM_OK;
}

static carom_status run(work *w, carom_sim *sim)
{
    w->seen = 0;
    carom_status status = carom_sim_run(sim, carom_sim_options(sim)->t_end);
    if (status != CAROM_OK)
        CAROM_FAIL(w->error, status, "%s",
                   status == CAROM_STOPPED ? "the model's stop condition ends the run before t_end"
                                           : carom_sim_error(sim)->text);
    return CAROM_OK;
}

/* ---- (1) ---- */

static carom_status differentiate(work *w, carom_sim *sim, carom_tangent *tangent)
{
    carom_gradient *g = w->gradient;
    const carom_model *m = w->model;
    carom_copy(m->np, m->p, w->p);
    if (g->side)
        CAROM_TRY(carom_gradient_start_sides(g, m, carom_sim_state(sim)->v, w->X, w->dp, w->error));
    carom_tangent_observe(tangent, on_slope, w);
    carom_status status = carom_tangent_start(tangent, w->X, w->dp);
    if (status == CAROM_OK)
        CAROM_TRY(run(w, sim));
    if (carom_tangent_error(tangent)->status != CAROM_OK)
        CAROM_FAIL(w->error, carom_tangent_error(tangent)->status, "%s", carom_tangent_error(tangent)->text);
    CAROM_TRY(value(w, sim, &g->value));
    g->flags = carom_tangent_report(tangent)->flags;
    g->radius = carom_tangent_report(tangent)->radius;
    g->at = w->event;
    if (g->event) {
        carom_copy(w->n, w->event_slope, g->slope);
        return CAROM_OK;
    }
    const carom_state *s = carom_sim_state(sim);
    if (g->side)
        CAROM_TRY(carom_gradient_end_sides(g, m, s, w->p, carom_tangent_columns(tangent), w->dp,
                                           w->seen ? &w->last : NULL, w->last_slope, w->error));
    return carom_directions_slope(&w->of, sim, tangent, w->n, w->dp, w->E, g->slope, w->error);
}

/* ---- (2) ---- */

static carom_status displaced(work *w, carom_sim *sim, int k, double h, double *result)
{
    const carom_model *m = w->model;
    for (int i = 0; i < m->nv; i++) {
        w->xi[i] = h * w->X[i * w->n + k];
        w->x[m->nq + i] = (m->v ? m->v[i] : 0) + h * w->X[(m->nv + i) * w->n + k];
    }
    carom_model_drift(m, m->q, w->xi, w->x);
    for (int i = 0; i < m->np; i++)
        w->p[i] = m->p[i] + h * w->dp[i * w->n + k];
    carom_status status = carom_sim_restart(sim, w->x, w->x + m->nq, w->p);
    if (status != CAROM_OK)
        CAROM_FAIL(w->error, status, "%s", carom_sim_error(sim)->text);
    CAROM_TRY(run(w, sim));
    return value(w, sim, result);
}

static carom_status difference(work *w, carom_sim *sim, int k, double h, double *slope)
{
    double at[4];
    const double where[] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++)
        CAROM_TRY(displaced(w, sim, k, where[i] * h, &at[i]));
    *slope = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * h);
    return CAROM_OK;
}

static double size(const work *w, int k)
{
    const double x = carom_direction_value(w->model, &w->direction[k]);
    const bool parameter = w->direction[k].parameter >= 0 && x != 0; /* a small one may be a length, an inertia ... */
    return fabs(x) > 1e-3 || parameter ? fabs(x) : 1;
}

static carom_status check(work *w, carom_sim *sim)
{
    carom_gradient *g = w->gradient;
    for (int k = 0; k < w->n; k++) {
        double wide = NAN, narrow = NAN;
        const double h = 1e-4 * size(w, k);
        bool keeps = true; /* else the displaced runs are of another kind: they start above the contact, or in it */
        for (int i = 0; i < w->model->nv; i++)
            w->xi[i] = w->model->v ? w->model->v[i] : 0;
        if (w->model->ncontact && !(g->side && g->side[k]))
            CAROM_TRY(carom_gradient_keeps(w->model, w->xi, w->X, w->dp, w->n, k, h, &keeps, w->error));
        carom_status status = keeps ? difference(w, sim, k, h, &wide) : CAROM_UNSUPPORTED;
        if (status == CAROM_OK)
            status = difference(w, sim, k, h / 4, &narrow);
        g->difference[k] =
            status == CAROM_OK && fabs(wide - narrow) <= 1e-3 * (fabs(narrow) + 1e-6 * fabs(g->value)) ? narrow : NAN;
    }
    w->error->status = CAROM_OK; /* a run that fails nearby makes no gradient wrong */
    return CAROM_OK;
}

carom_status carom_gradient_run(carom_gradient *g, const carom_model *model, const carom_options *options,
                                carom_error *error)
{
    carom_error ignored;
    CAROM_SIZED(g, carom_gradient, error);
    CAROM_SIZED(model, carom_model, error);
    CAROM_SIZED(options, carom_options, error);
    if (g->n < 1 || !g->name || !g->slope || (g->check && !g->difference) || g->event < 0 || (!g->event && !g->of))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a gradient with respect to %d names: something is missing", g->n);
    work w = {.gradient = g,
              .model = model,
              .options = options,
              .error = error ? error : &ignored};
    carom_sim *sim = NULL;
    carom_tangent *tangent = NULL;
    const carom_observer observer = {.size = sizeof observer, .user = &w, .event = on_event};
    if (!g->event)
        CAROM_TRY(carom_quantity_find(&w.of, model, g->of, error));
    w.arena = carom_arena_new(0);
    carom_status status = w.arena ? prepare(&w) : carom_fail(w.error, CAROM_NO_MEMORY, "no memory for a gradient");
    if (status == CAROM_OK)
        status = carom_sim_new(&sim, model, options, w.error);
    if (status == CAROM_OK)
        status = carom_sim_observe(sim, &observer); /* before the tangent, which then finds the event counted */
    if (status == CAROM_OK)
        status = carom_tangent_new(&tangent, sim, g->n, w.error);
    if (status == CAROM_OK)
        status = differentiate(&w, sim, tangent);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    sim = NULL;
    if (status == CAROM_OK && g->check) {
        status = carom_sim_new(&sim, model, options, w.error);
        if (status == CAROM_OK)
            status = carom_sim_observe(sim, &observer);
        if (status == CAROM_OK)
            status = check(&w, sim);
        carom_sim_free(sim);
    }
    carom_quantity_free(&w.of);
    carom_arena_free(w.arena);
    return status;
}
