/* local_error.c: the error of one step that begins on the reference.
 * Source: V. Acary, INRIA RR-7151 (2009), section 4.
 *
 *   e_q = q(t + h) - q_1,   e_v = v(t + h) - v_1,   from q_0 = q(t), v_0 = v(t)                               (28)
 *   the impact of the reference is at t* = t + sigma h, 0 < sigma <= 1; or t is given, for a smooth step
 *
 * What the paper proves for Moreau's scheme: e_q = O(h) with an impact in the step and no better (proposition 1);
 * both O(h^2) without one, contacts closed or open (proposition 2; O(h^3) for theta = 1/2, but e_v = O(h) on a curved
 * surface, unless theta = 1); e_v = O(h) if the scheme sees the impact in its step, otherwise e_v is the whole jump
 * (1 + e) |u-| (proposition 3). Whether it does depends on gamma: the gap is predicted at t + gamma h, so an impact at
 * sigma <= gamma is seen, up to O(h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge/converge.h"
#include "sim/sim.h"

typedef struct local {
    const carom_local_request *r;
    carom_local_result *out;
    const carom_reference *reference;
    double *x, *y; /* [n] of the reference */
} local;

/* The state (t, q, v), as if the run had started there. */
static carom_status begin(carom_sim *sim, double t, const double *q, const double *v)
{
    CAROM_TRY(carom_sim_restart(sim, q, v, NULL));
    sim->now.clock->t = t;
    carom_sim_sync_time(sim);
    carom_system_begin(&sim->system, t, sim->now.state.q, sim->now.state.v);
    carom_contact_start(&sim->system, &sim->now.state);
    carom_modes_start(sim->nmodes, sim->now.state.mode, sim->now.modes);
    return sim->scheme->start ? carom_sim_start_scheme(sim) : CAROM_OK;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static carom_status one_step(local *l, const carom_options *options, double t, carom_local_row *row, carom_error *error)
{
    const carom_path *p = l->reference->path;
    carom_sim *sim;
    size_t near = 0;
    if (!(t >= 0 && t + row->h <= carom_path_end(p)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "a step from t = %.10g with h = %.3g leaves the time [0, %g] of the reference", t, row->h,
                   carom_path_end(p));
    carom_path_at(p, t, 1, &near, l->x);
    carom_path_at(p, t + row->h, 1, &near, l->y);
    CAROM_TRY(carom_sim_new(&sim, l->r->model, options, error));
    carom_status status = begin(sim, t, l->x, l->x + p->nq);
    if (status == CAROM_OK)
        status = carom_sim_step(sim);
    if (status == CAROM_OK) {
        const carom_state *s = carom_sim_state(sim);
        row->e_q = apart(p->nq, s->q, l->y), row->e_v = apart(p->nv, s->v, l->y + p->nq);
        for (int r = 0; r < p->ni; r++)
            row->impulse = fmax(row->impulse, fabs(s->impulse[r]));
    } else {
        *error = *carom_sim_error(sim);
    }
    carom_sim_free(sim);
    return status;
}

/* The slope of the errors that are more than rounding. */
static double order(const carom_local_row *row, int n, bool velocity, double size)
{
    double x[64] = {0}, y[64] = {0};
    int points = 0;
    for (int k = 0; k < n && points < 64; k++) {
        double e = velocity ? row[k].e_v : row[k].e_q;
        if (e > 200 * DBL_EPSILON * size)
            x[points] = row[k].h, y[points++] = e;
    }
    return carom_converge_slope(points, x, y, NULL);
}

static carom_status measure(local *l, const carom_options *base, carom_error *error)
{
    const carom_local_request *r = l->r;
    carom_local_result *out = l->out;
    const carom_path *p = l->reference->path;
    for (int i = 0; i < r->nscheme; i++) {
        carom_options o = *base;
        CAROM_TRY(carom_options_set(&o, "scheme", r->schemes[i], error));
        for (int j = 0; j < r->nplace; j++) {
            carom_local_row *first = &out->row[out->nrow], *last = first;
            for (int k = 0; k < r->nh; k++) {
                last = &out->row[out->nrow++];
                *last = (carom_local_row){.scheme = i, .place = j, .h = o.h = r->h[k]};
                CAROM_TRY(one_step(l, &o, r->from ? r->place[j] : out->t_impact - r->place[j] * o.h, last, error));
            }
            for (carom_local_row *row = first; row < &out->row[out->nrow]; row++)
                last = row->h < last->h ? row : last;
            out->order[out->norder++] = (carom_local_order){
                .scheme = i, .place = j, .order_q = order(first, r->nh, false, carom_path_size(p, 0, p->nq)),
                .order_v = order(first, r->nh, true, carom_path_size(p, p->nq, p->nv)), .activated = last->impulse > 0};
        }
    }
    return CAROM_OK;
}

static carom_status find_impact(local *l, carom_error *error)
{
    const carom_path *p = l->reference->path;
    carom_local_result *out = l->out;
    size_t near = 0;
    out->t_impact = carom_reference_impact(l->reference, l->r->impact);
    if (l->r->from)
        return CAROM_OK;
    if (isnan(out->t_impact))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the reference has no impact number %d until t = %g", l->r->impact + 1,
                   carom_path_end(p));
    carom_path_at(p, out->t_impact, -1, &near, l->x);
    carom_path_at(p, out->t_impact, 1, &near, l->y);
    out->jump = apart(p->nv, l->x + p->nq, l->y + p->nq);
    for (int j = 0; j < l->r->nplace; j++)
        if (!(l->r->place[j] > 0 && l->r->place[j] <= 1))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "an impact at %g of the step: it has to be in (0, 1]", l->r->place[j]);
    return CAROM_OK;
}

carom_status carom_local_run(const carom_local_request *request, carom_local_result *result, carom_error *error)
{
    CAROM_SIZED(request, carom_local_request, error);
    CAROM_SIZED(request->model, carom_model, error);
    CAROM_NEED(result, error);
    carom_options base = carom_options_default();
    carom_error own = {0};
    carom_reference *reference = NULL;
    memset(result, 0, sizeof *result);
    if (request->nscheme < 1 || request->nh < 1 || request->nplace < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "nothing to measure: %d schemes, %d step sizes, %d places",
                   request->nscheme, request->nh, request->nplace);
    if (request->options)
        base = *request->options;
    else
        CAROM_TRY(carom_options_from_model(&base, request->model, error));
    base.energy = false;
    CAROM_TRY(carom_reference_new(&reference, request->model, &base, request->reference, error));
    local l = {.r = request, .out = result, .reference = reference};
    int n = request->nscheme * request->nplace, size = reference->path->n;
    snprintf(result->reference, sizeof result->reference, "%s", carom_reference_text(reference));
    result->row = calloc((size_t)(n * request->nh), sizeof *result->row);
    result->order = calloc((size_t)n, sizeof *result->order);
    l.x = calloc((size_t)(2 * size), sizeof *l.x);
    carom_status status = CAROM_OK;
    if (!result->row || !result->order || !l.x) {
        status = carom_fail(&own, CAROM_NO_MEMORY, "no memory for %d steps", n * request->nh);
    } else {
        l.y = l.x + size;
        status = find_impact(&l, &own);
        if (status == CAROM_OK)
            status = measure(&l, &base, &own);
    }
    free(l.x);
    carom_reference_free(reference);
    if (status != CAROM_OK) {
        carom_local_free(result);
        if (error)
            *error = own;
    }
    return status;
}

void carom_local_free(carom_local_result *result)
{
    free(result->row), free(result->order);
    result->row = NULL, result->order = NULL;
}
