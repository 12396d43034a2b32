/* serial.c: a simulation of the scheme `tolerance` with its tangent goes on where a lane cannot.
 *
 * It takes the state at the start of the lane's step and returns the lane once it has passed the event in doubt and
 * all contacts are open, but not before a part of the longest step: where a contact opens, gap and normal velocity
 * are still zero, and the lane would give the state back at once, for ever. All of that is decided by the job's own
 * state: what runs beside it does not matter. */
#include <math.h>

#include "analysis/lanes/lanes.h"
#include "schemes/piecewise/piecewise.h"

void carom_lane_gather(carom_ensemble *e, int lane)
{
    int nv = e->nv, m = e->columns;
    for (int i = 0; i < nv; i++) {
        e->q[i] = e->start.q[i][lane], e->v[i] = e->start.v[i][lane];
        for (int c = 0; c < m; c++) {
            e->X[i * m + c] = e->start.q[(c + 1) * nv + i][lane];
            e->X[(nv + i) * m + c] = e->start.v[(c + 1) * nv + i][lane];
        }
    }
}

/* And back into its rows. */
static void scatter(carom_ensemble *e, int lane, const double *q, const double *v, const double *X)
{
    int nv = e->nv, m = e->columns;
    for (int i = 0; i < nv; i++) {
        *carom_lane_at(e->start.q, i, lane) = q[i];
        *carom_lane_at(e->start.v, i, lane) = v[i];
        for (int c = 0; c < m; c++) {
            *carom_lane_at(e->start.q, (c + 1) * nv + i, lane) = X[i * m + c];
            *carom_lane_at(e->start.v, (c + 1) * nv + i, lane) = X[(nv + i) * m + c];
        }
    }
}

static carom_status begin(carom_ensemble *e, int lane)
{
    carom_sim *sim = e->sim;
    double *p = e->p_one;
    for (int i = 0; i < e->np; i++)
        p[i] = e->p[i][lane];
    carom_lane_gather(e, lane);
    CAROM_TRY(carom_sim_restart(sim, e->q, e->v, p));
    sim->now.clock->t = carom_lane_time(e, lane);
    sim->now.clock->h = e->proposed[lane];
    carom_sim_sync_time(sim);
    carom_contact_start(&sim->system, &sim->now.state); /* gaps may depend on time */
    return e->columns ? carom_tangent_start(e->tangent, e->X, NULL) : CAROM_OK;
}

static bool all_open(const carom_sim *sim)
{
    for (int c = 0; c < sim->model->ncontact; c++)
        if (sim->now.state.mode[c] != CAROM_OPEN)
            return false;
    return true;
}

static carom_status step(carom_sim *sim, double t_end)
{
    if (sim->model->stops || sim->model->stop)
        return carom_sim_run(sim, t_end);
    double left = (t_end - sim->now.clock->t) - sim->now.clock->t_low, h = sim->now.clock->h;
    if (left <= h * (1 + 1e-6))
        sim->now.clock->h = left;
    CAROM_TRY(carom_sim_step(sim));
    sim->now.clock->h = fmax(sim->now.clock->h, left <= h * (1 + 1e-6) ? fmin(h, sim->options.t_end) : 0);
    return CAROM_OK;
}

/* What the simulation has seen since `begin` or the last strobe. */
static void account(carom_ensemble *e, int lane, long impacts_before)
{
    carom_lane *l = &e->lane[lane];
    long impacts = e->sim->info.events[CAROM_EVENT_IMPACT] - impacts_before;
    l->impacts += impacts;
    if (l->k >= l->job.transient)
        l->result.impacts += impacts;
    if (!e->columns)
        return;
    const carom_tangent_info *info = carom_tangent_report(e->tangent);
    l->result.flags |= info->flags;
    if (l->k >= l->job.transient && impacts)
        l->result.slowest = fmin(l->result.slowest, info->slowest);
}

static carom_status failed(carom_ensemble *e, int lane, carom_status status)
{
    carom_lane *l = &e->lane[lane];
    bool tangent = e->columns && carom_tangent_error(e->tangent)->status != CAROM_OK;
    l->result.status = status;
    l->result.text = status == CAROM_STOPPED ? ""
                     : tangent               ? carom_tangent_error(e->tangent)->text
                                             : carom_sim_error(e->sim)->text;
    return status;
}

/* The strobe is reached, to rounding of the time. */
static bool reached(const carom_sim *sim, double t_end, double strobe)
{
    const carom_clock *clock = sim->now.clock;
    double left = (t_end - clock->t) - clock->t_low;
    return !(left > 1e-12 * strobe) || clock->t + left == clock->t;
}

/* To the strobe, or until the lane can go on (*back). */
static carom_status interval(carom_ensemble *e, int lane, bool *back)
{
    carom_lane *l = &e->lane[lane];
    carom_sim *sim = e->sim;
    long impacts = sim->info.events[CAROM_EVENT_IMPACT], steps = sim->info.steps;
    double base = e->base[lane], t_end = base + e->strobe[lane],
           log_det = e->columns ? carom_tangent_report(e->tangent)->log_det : 0;
    carom_status status = CAROM_OK;
    *back = false;
    while (status == CAROM_OK && !*back && !e->interrupted && !reached(sim, t_end, e->strobe[lane])) {
        if (e->calls->stop && e->calls->stop(e->calls->user))
            carom_ensemble_interrupt(e);
        status = step(sim, t_end);
        if (e->columns && status == CAROM_OK)
            status = carom_tangent_error(e->tangent)->status;
        *back = !e->all_serial && !l->stiff && sim->now.clock->t - base >= l->resume_at && all_open(sim);
    }
    l->serial += sim->info.steps - steps;
    account(e, lane, impacts);
    if (e->columns)
        e->log_det[lane] += carom_tangent_report(e->tangent)->log_det - log_det;
    scatter(e, lane, sim->now.state.q, sim->now.state.v, e->columns ? carom_tangent_columns(e->tangent) : NULL);
    e->s[lane] =
        reached(sim, t_end, e->strobe[lane]) ? e->strobe[lane] : (sim->now.clock->t - base) + sim->now.clock->t_low;
    e->proposed[lane] = sim->now.clock->h;
    return status == CAROM_OK ? CAROM_OK : failed(e, lane, status);
}

carom_status carom_lane_serial(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    bool back = false;
    carom_status status = begin(e, lane);
    if (status != CAROM_OK)
        return failed(e, lane, status);
    l->resume_at = fmax(l->resume_at, e->s[lane] + e->cap[lane] / 64);
    while (!back && !e->interrupted) {
        CAROM_TRY(interval(e, lane, &back));
        if (e->s[lane] < e->strobe[lane] * (1 - 1e-12))
            continue;
        l->resume_at = 0;
        if (!carom_lane_strobe(e, lane))
            return CAROM_STOPPED;
        if (!back && e->columns) {
            carom_lane_gather(e, lane);
            CAROM_TRY(carom_tangent_replace(e->tangent, e->X));
        }
    }
    return CAROM_OK;
}
