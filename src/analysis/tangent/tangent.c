/* tangent.c: a tangent follows a simulation: its life, its columns, and the order in which it meets what happens.
 *
 * It observes; the simulation does not know of it. A step is told after it was committed: its segments first in time
 * and the jumps between them. Modes along a segment are those of the stage (tolerance) or of the segment (exact); after
 * the last event they are those of the present state. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tangent/follow.h"
#include "model/model.h"

/* ---- life ---- */

static void place(carom_layout *layout, carom_tangent *t, const carom_sim *sim)
{
    const carom_model *m = sim->model;
    size_t nc = m->ncontact, nx = 2 * m->nv;
    carom_system_layout(layout, &t->system, m, CAROM_LINEAR_WANT | (m->nswitch ? CAROM_SWITCH : 0));
    carom_flow_layout(layout, &t->flow, &t->system, t->n);
    carom_saltation_layout(layout, &t->saltation, &t->system);
    carom_group_layout(layout, &t->group, &t->system, t->n);
    CAROM_PLACE(layout, t->X, nx * t->n);
    CAROM_PLACE(layout, t->dp, m->np * t->n);
    CAROM_PLACE(layout, t->dt, t->n);
    CAROM_PLACE(layout, t->modes, nc);
    CAROM_PLACE(layout, t->modes_after, nc);
    CAROM_PLACE(layout, t->modes_jump, nc);
    CAROM_PLACE(layout, t->e, nc);
    CAROM_PLACE(layout, t->branch, m->nswitch);
    CAROM_PLACE(layout, t->slope, 1 + nx + m->np);
    CAROM_PLACE(layout, t->q, m->nq);
    CAROM_PLACE(layout, t->v, m->nv);
    CAROM_PLACE(layout, t->u_after, t->system.nrow);
    CAROM_PLACE(layout, t->u, t->system.nrow);
    CAROM_PLACE(layout, t->u_start, t->system.nrow);
    CAROM_PLACE(layout, t->a, m->nv);
    CAROM_PLACE(layout, t->force, t->system.nrow);
}

void carom_tangent_free(carom_tangent *tangent)
{
    if (!tangent)
        return;
    carom_layout_free(tangent->layout);
}

const double *carom_tangent_columns(const carom_tangent *tangent)
{
    return tangent ? tangent->X : NULL;
}

const carom_tangent_info *carom_tangent_report(const carom_tangent *tangent)
{
    return tangent ? &tangent->report : NULL;
}

void carom_tangent_observe(carom_tangent *tangent, carom_tangent_watch *watch, void *user)
{
    if (tangent)
        tangent->watch = watch, tangent->user = user;
}

const carom_error *carom_tangent_error(const carom_tangent *tangent)
{
    return tangent ? &tangent->error : NULL;
}

void carom_tangent_flag(carom_tangent *tangent, unsigned flag, const char *format, ...)
{
    bool new = !(tangent->report.flags & flag);
    tangent->report.flags |= flag;
    if (!new || !format || (*tangent->note && flag < CAROM_TANGENT_NONE))
        return; /* the first sentence of each kind is kept; a graver one replaces it */
    va_list list;
    va_start(list, format);
    vsnprintf(tangent->note, sizeof tangent->note, format, list);
    va_end(list);
}

double carom_tangent_scale(const carom_tangent *tangent)
{
    const carom_sim *sim = tangent->sim;
    double size = carom_norm_max(sim->model->nq, sim->now.state.q);
    return tangent->exact ? 1e-13 * (1 + size) : sim->options.atol + sim->options.rtol * size;
}

double carom_tangent_rest(const carom_tangent *tangent, const double *v)
{
    return 4e-12 * (1 + carom_norm_max(tangent->system.nv, v));
}

/* ---- modes ---- */

void carom_tangent_modes(const carom_tangent *t, carom_link_mode *modes)
{
    const carom_sim *sim = t->sim;
    if (t->exact)
        carom_modes_start(sim->model->ncontact, sim->now.state.mode, modes);
    else
        carom_modes_copy(sim->model->ncontact, sim->now.modes, modes);
}

static void modes_along(const carom_tangent *t, const carom_segment *segment, carom_link_mode *modes)
{
    if (t->exact)
        carom_modes_start(t->sim->model->ncontact, segment->mode, modes);
    else
        carom_modes_copy(t->sim->model->ncontact, t->sim->record.modes, modes);
}

/* Those after what ends the segment. */
static void modes_next(carom_tangent *t, const carom_segment *segment)
{
    const carom_record *record = &t->sim->record;
    int i = (int)(segment - record->segment);
    if (i + 1 < record->nsegment)
        modes_along(t, &record->segment[i + 1], t->modes_after);
    else
        carom_tangent_modes(t, t->modes_after);
}

/* ---- columns ---- */

static int dimension(const carom_tangent *t)
{
    const carom_system *sys = &t->system;
    int rank = 2 * sys->nv;
    for (int k = 0; k < sys->nlink; k++) {
        int is = carom_mode_of(&sys->link[k], t->modes);
        if (carom_mode_carries(is))
            rank -= 2 + (is == CAROM_STICK ? sys->link[k].rows - 1 : 0);
    }
    return CAROM_MAX(rank, 0);
}

static carom_status fail_once(carom_tangent *t, carom_status status)
{
    if (status != CAROM_OK && t->error.status == CAROM_OK)
        t->error.status = status;
    return status;
}

static carom_status put_on_manifold(carom_tangent *t)
{
    const carom_state *s = &t->sim->now.state;
    carom_tangent_modes(t, t->modes);
    return carom_tangent_project(t, s->t, s->q, s->v, t->modes);
}

carom_status carom_tangent_start(carom_tangent *tangent, const double *X, const double *dp)
{
    CAROM_NEED(tangent, NULL);
    CAROM_NEED(X, &tangent->error);
    carom_tangent *t = tangent;
    const carom_state *s = &t->sim->now.state;
    int np = t->system.model->np, nc = t->system.model->ncontact;
    t->error = (carom_error){0};
    *t->note = 0;
    t->report = (carom_tangent_info){.radius = INFINITY, .slowest = INFINITY, .radius_time = s->t, .note = t->note};
    t->branched = t->rates = false;
    t->step = t->sim->now.clock->h;
    carom_copy(2 * t->system.nv * t->n, X, t->X);
    t->parameters = dp && carom_norm_max(np * t->n, dp) > 0;
    if (t->parameters)
        carom_copy(np * t->n, dp, t->dp);
    carom_copy(np, t->sim->system.p, t->system.p);
    carom_system_begin(&t->system, s->t, s->q, s->v);
    if (t->parameters)
        carom_saltation_parameters(&t->saltation, s->t, s->q, s->v);
    carom_tangent_modes(t, t->modes);
    t->report.rank = dimension(t);
    for (int c = 0; c < nc; c++)
        if (t->modes[c].mode != CAROM_OPEN)
            carom_tangent_flag(t, CAROM_TANGENT_RANK, "a contact is closed from the start");
    return fail_once(t, put_on_manifold(t));
}

carom_status carom_tangent_replace(carom_tangent *tangent, const double *X)
{
    CAROM_NEED(tangent, NULL);
    CAROM_NEED(X, &tangent->error);
    carom_copy(2 * tangent->system.nv * tangent->n, X, tangent->X);
    return fail_once(tangent, put_on_manifold(tangent));
}

/* ---- what is told ---- */

/* What comes after an event is what is. */
static void take_modes(carom_tangent *t)
{
    carom_modes_copy(t->system.model->ncontact, t->modes_after, t->modes);
}

/* The jumps of the step until some time, in their order. */
static carom_status jumps_until(carom_tangent *t, double until)
{
    const carom_record *record = &t->sim->record;
    for (; t->njump < record->njump && record->jump[t->njump].t <= until; t->njump++) {
        CAROM_TRY(carom_tangent_impact(t, &record->jump[t->njump]));
        take_modes(t);
    }
    return CAROM_OK;
}

static carom_status follow(carom_tangent *t, const carom_segment *g)
{
    const carom_record *record = &t->sim->record;
    int index = (int)(g - record->segment);
    bool last = index == record->nsegment - 1;
    t->njump = index == 0 ? 0 : t->njump;
    t->flow.given.slow = t->saltation.given.slow = 0.2 * carom_tangent_scale(t); /* as in the scheme */
    modes_along(t, g, t->modes_after);
    if (g->t1 > g->t0) {
        CAROM_TRY(jumps_until(t, g->t0)); /* one at the very start is told after the segment */
        t->step = CAROM_MAX(g->t1 - g->t0, 0.1 * t->step);
    }
    take_modes(t);
    if (t->system.model->nswitch && !t->exact)
        CAROM_TRY(carom_tangent_switch(t, g));
    modes_next(t, g);
    for (int c = 0; c < t->system.model->ncontact;
         c++) /* the scheme stops spatial slip along the direction of its last step */
        t->flow.given.holds[c] = t->modes[c].mode == CAROM_SLIP && t->modes_after[c].mode == CAROM_STICK;
    CAROM_TRY(carom_flow_segment(&t->flow, g, t->modes, t->n, t->X, t->parameters ? t->dp : NULL,
                                 t->saltation.law_p, t->exact ? 1e-13 : t->sim->options.rtol, &t->error));
    t->report.log_det += t->flow.log_det;
    memset(t->flow.given.holds, 0, sizeof(bool) * (size_t)t->system.model->ncontact);
    carom_segment_at(t->system.model, g, 1, t->q, t->v);
    CAROM_TRY(carom_tangent_gaps(t, g));
    if (t->njump < record->njump && (last || record->jump[t->njump].t <= g->t1))
        return jumps_until(t, last ? INFINITY : g->t1);
    CAROM_TRY(carom_tangent_transition(t, g->t1));
    take_modes(t);
    return CAROM_OK;
}

static void on_segment(void *user, const carom_segment *segment)
{
    carom_tangent *t = user;
    if (t->error.status == CAROM_OK)
        fail_once(t, follow(t, segment));
}

static void on_event(void *user, const carom_event *event)
{
    carom_tangent *t = user;
    if (t->watch && t->error.status == CAROM_OK)
        t->watch(t->user, event, t->group.count ? t->group.dt + event->contact * t->n : t->dt);
}

carom_status carom_tangent_new(carom_tangent **result, carom_sim *sim, int n, carom_error *error)
{
    CAROM_NEED(result, error);
    CAROM_NEED(sim, error);
    const carom_scheme *scheme = sim->scheme;
    bool exact = (scheme->traits & CAROM_CLOSED_FORM) != 0;
    *result = NULL;
    if (n < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a tangent of %d columns", n);
    if (!exact && !(scheme->traits & CAROM_TELLS_MODES))
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "scheme '%s' does not %s its events: a tangent follows 'tolerance' and 'exact'", scheme->method.name,
                   carom_scheme_is(carom_sim_options(sim), CAROM_LOCATES_EVENTS) ? "tell the modes between" : "locate");
    if (sim->model->links)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "model '%s' finds its contacts step by step: there are no derivatives of such a motion "
                   "(contacts: formulas)",
                   sim->model->name ? sim->model->name : "");
    for (int i = 0; i < sim->model->ncontact; i++)
        if (!carom_law_plain(carom_model_law(sim->model, i)))
            CAROM_FAIL(error, CAROM_UNSUPPORTED, "a tangent does not know the law '%s' of contact '%s'",
                       carom_model_law(sim->model, i)->method.name, carom_contact_link(&sim->system, i)->name);
    CAROM_TRY(carom_linear_prepare(sim->model, error));
    carom_tangent measure = {.n = n}, *t;
    carom_place(&measure.layout, sizeof *t);
    place(&measure.layout, &measure, sim);
    carom_layout layout;
    if (!carom_layout_new(&layout, &measure.layout))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a tangent of %.3g bytes", (double)measure.layout.used);
    t = carom_place(&layout, sizeof *t);
    *t = (carom_tangent){.sim = sim, .n = n, .exact = exact};
    place(&layout, t, sim);
    t->layout = layout;
    t->system.info = &t->info;
    t->flow.linear_motion = exact;
    t->flow.laws = &t->saltation;
    t->saltation.contacts.solve.tol = sim->contacts.solve.tol;
    t->saltation.contacts.solve.arena = sim->arena; /* between steps it may grow */
    t->report = (carom_tangent_info){.radius = INFINITY, .slowest = INFINITY, .note = t->note};
    carom_status status = carom_tangent_start(t, t->X, NULL);
    if (status == CAROM_OK)
        status = carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = t,
                                                          .segment = on_segment, .event = on_event});
    if (status != CAROM_OK) {
        carom_fail(error, status, "%s", t->error.status != CAROM_OK ? t->error.text : carom_sim_error(sim)->text);
        carom_tangent_free(t);
        return status;
    }
    *result = t;
    return CAROM_OK;
}
