/* ensemble.c: the lanes and their jobs: who takes a step, who waits for nothing, who is done.
 *
 * All lanes go through the stages of a step together; everything else is each lane's own: time, length of the step,
 * events, strobes. A lane that has finished its job takes the next one at once. The length of a step divides the time
 * to the strobe evenly, so that none is wasted on a remainder. */
#include <float.h>
#include <math.h>

#include "analysis/lanes/lanes.h"
#include "model/model.h"
#include "schemes/piecewise/piecewise.h"

#define INLINE static inline __attribute__((always_inline))

enum { W = CAROM_LANES };

/* ---- jobs ---- */

static void place_job(carom_ensemble *e, int lane, const carom_job *job)
{
    const carom_model *m = e->model;
    int nv = e->nv, columns = e->columns;
    for (int i = 0; i < nv; i++) {
        *carom_lane_at(e->start.q, i, lane) = (job->q ? job->q : m->q)[i];
        *carom_lane_at(e->start.v, i, lane) = job->v ? job->v[i] : m->v ? m->v[i] : 0;
    }
    for (int i = 0; i < 2 * nv; i++)
        for (int c = 0; c < columns; c++)
            *carom_lane_at(i < nv ? e->start.q : e->start.v, (c + 1) * nv + i % nv, lane) =
                job->X ? job->X[i * columns + c] : i == c;
    for (int i = 0; i < e->np; i++) {
        double p = (job->p ? job->p : m->p)[i], *here = carom_lane_at(e->p, i, lane);
        e->new_parameters |= p != *here;
        *here = p;
    }
}

static double period_of(carom_ensemble *e, int lane)
{
    bool same = true;
    for (int i = 0; i < e->np; i++) {
        e->p_one[i] = e->p[i][lane];
        same &= e->p_one[i] == e->model->p[i];
    }
    return same ? e->model->period : carom_model_period(e->model, e->p_one, e->p_one + e->np);
}

static void begin_job(carom_ensemble *e, int lane, const carom_job *job)
{
    carom_lane *l = &e->lane[lane];
    place_job(e, lane, job);
    double period = period_of(e, lane);
    e->active |= 1u << lane;
    l->job = *job;
    double strobe = job->strobe > 0 ? job->strobe : period > 0 ? period : 1;
    e->strobe[lane] = strobe;
    double twentieth = (period > 0 ? fmin(period, strobe) : strobe) / 20;
    double longest = e->exact ? strobe : e->max_step > 0 ? e->max_step : twentieth;
    e->new_parameters |= longest != e->cap[lane]; /* whether forces are stiff depends on the steps */
    e->cap[lane] = longest;
    e->proposed[lane] = fmin(longest, strobe / 50);
    e->log_det[lane] = e->steps[lane] = e->stiff_sum[lane] = e->stiff_count[lane] = 0;
    l->result = (carom_job_result){.id = job->id, .slowest = INFINITY, .text = ""};
    e->base[lane] = e->s[lane] = 0;
    carom_lane_run(e, lane, true);
    for (int c = 0; c < e->columns; c++)
        e->sum[lane * e->columns + c] = 0, e->product[lane * e->columns + c] = 1;
}

/* Averages of a job, in memory that the next one uses again. */
static bool begin_averages(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    const size_t needed = carom_averages_doubles(e->columns, (int)CAROM_MIN((long)l->job.blocks, l->job.strobes));
    if (needed > e->room[lane]) {
        e->memory[lane] = CAROM_NEW(e->arena, double, needed);
        e->room[lane] = e->memory[lane] ? needed : 0;
    }
    if (!e->memory[lane])
        return false;
    carom_averages_begin(&l->averages, e->columns, l->job.blocks, l->job.strobes, e->memory[lane]);
    l->result.averages = &l->averages;
    return true;
}

static void finish_job(carom_ensemble *e, int lane, carom_status status)
{
    carom_lane *l = &e->lane[lane];
    int columns = e->columns;
    carom_job_result *r = &l->result;
    carom_lane_gather(e, lane);
    r->status = status;
    r->t = carom_lane_time(e, lane);
    r->q = e->q, r->v = e->v, r->X = e->X;
    for (int c = lane * columns; c < (lane + 1) * columns; c++)
        e->sum[c] += 0.5 * log(e->product[c]), e->product[c] = 1;
    r->log_r = e->sum + lane * columns;
    r->time = (double)CAROM_MAX(l->k - l->job.transient, 0) * e->strobe[lane];
    r->steps = (long)e->steps[lane], r->serial = l->serial;
    e->calls->done(e->calls->user, r);
}

/* false: there are no more jobs */
static bool take_job(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    carom_job job = {0};
    for (;;) {
        *l = (carom_lane){0};
        e->active &= ~(1u << lane);
        carom_lane_run(e, lane, false);
        e->h[lane] = 0;
        e->more = e->more && e->calls->next(e->calls->user, &job);
        if (!e->more)
            return false;
        begin_job(e, lane, &job);
        bool finite = isfinite(e->strobe[lane]), room = job.blocks == 0 || begin_averages(e, lane);
        if (finite && room)
            return true;
        l->result.text = finite ? "no memory for averages" : "the period of the model is not finite";
        finish_job(e, lane, finite ? CAROM_NO_MEMORY : CAROM_NOT_FINITE);
    }
}

/* ---- strobes ---- */

/* Gram-Schmidt, each column twice; the accelerations of the columns follow. Returns r_ii^2 in e->square; 0: it is
 * lost. */
INLINE void orthonormalize(carom_ensemble *e, int lane, bool lost, int nv, int columns, double *X)
{
    int length = 3 * nv; /* of a column of X: dq, dv, da */
    carom_wide *const part[3] = {e->start.q, e->start.v, e->accel};
    for (int c = 0; c < columns; c++) {
        double *x = X + c * length, before = 0, square = 0;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < nv; i++)
                x[k * nv + i] = part[k][(c + 1) * nv + i][lane];
        for (int i = 0; i < 2 * nv; i++)
            before += x[i] * x[i];
        for (int d = 0; d < 2 * c; d++) {
            const double *y = X + (d < c ? d : d - c) * length;
            double along = 0;
            for (int i = 0; i < 2 * nv; i++)
                along += x[i] * y[i];
            for (int i = 0; i < length; i++)
                x[i] -= along * y[i];
        }
        for (int i = 0; i < 2 * nv; i++)
            square += x[i] * x[i];
        bool none = !(square > (lost ? 1e-20 * before : 0));
        double inverse = none ? 0 : 1 / sqrt(square);
        e->square[c] = none ? 0 : square;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < nv; i++)
                *carom_lane_at(part[k], (c + 1) * nv + i, lane) = x[k * nv + i] *= inverse;
    }
}

static void orthonormal(carom_ensemble *e, int lane, bool lost)
{
    if (e->nv == 1 && e->columns == 2)
        orthonormalize(e, lane, lost, 1, 2, (double[6]){0});
    else
        orthonormalize(e, lane, lost, e->nv, e->columns, e->X);
}

/* ln r_ii by the logarithm of a product: one for many strobes. */
static void add_logarithms(carom_ensemble *e, int lane)
{
    for (int c = 0; c < e->columns; c++) {
        double square = e->square[c], *product = &e->product[lane * e->columns + c],
               *sum = &e->sum[lane * e->columns + c];
        bool plain = square > 1e-100 && square < 1e100;
        *product *= plain ? square : 1;
        if (!plain)
            *sum += 0.5 * log(square);
        if (*product > 1e-100 && *product < 1e100)
            continue;
        *sum += 0.5 * log(*product);
        *product = 1;
    }
}

bool carom_lane_strobe(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    bool counts = l->k++ >= l->job.transient, go_on = true;
    orthonormal(e, lane, l->result.flags & CAROM_TANGENT_RANK);
    if (counts) {
        add_logarithms(e, lane);
        l->result.log_det += e->log_det[lane];
    }
    e->log_det[lane] = 0;
    e->base[lane] = (double)l->k * e->strobe[lane];
    e->s[lane] = 0;
    bool averages = counts && l->job.blocks;
    for (int c = 0; (e->calls->strobe || averages) && c < e->columns; c++)
        e->log_r[c] = 0.5 * log(e->square[c]);
    bool part = averages && carom_averages_add(&l->averages, e->log_r);
    if (e->calls->strobe) {
        for (int i = 0; i < e->nv; i++)
            e->q[i] = e->start.q[i][lane], e->v[i] = e->start.v[i][lane];
        go_on = e->calls->strobe(e->calls->user, &(carom_strobe){l->job.id, l->k, counts, e->base[lane], e->q, e->v,
                                                                 e->log_r, l->impacts, part ? &l->averages : NULL});
    }
    if (!go_on)
        l->result.status = CAROM_STOPPED;
    return go_on && l->k < l->job.transient + l->job.strobes;
}

/* ---- lanes ---- */

/* Contacts that are closed, or about to be: the simulation's. As in schemes/piecewise/modes.c (4), with a margin. */
static bool settled(carom_ensemble *e, int lane)
{
    double q = 0, rest = carom_lane_rest(e, e->start.v, lane);
    for (int i = 0; i < e->nv; i++)
        q = CAROM_MAX(q, fabs(e->start.q[i][lane]));
    double k = e->exact ? 1e-8 * (1 + q) : 4 * CAROM_TOL_KAPPA * (e->options.atol + e->options.rtol * q);
    for (int c = 0; c < e->nc; c++) {
        double g = e->start.g[c][lane], u = e->start.u[c][lane], fall = -e->start.udot[c][lane];
        if ((g <= 64 * DBL_EPSILON * (1 + q) && !(u > rest)) || g < -k)
            return false;
        if (g <= k && fall > 0 && g + u * u / (2 * fall) <= k)
            return false;
    }
    return true;
}

typedef struct round { /* of all lanes */
    unsigned take, fresh, serial, ended;
} round_of;

/* A step that has been taken: was it one of too many, does it end at the strobe? */
static void taken(carom_ensemble *e, int lane, round_of *r)
{
    if (e->s[lane] >= e->strobe[lane])
        r->ended |= 1u << lane;
    if (e->stiff_count[lane] < CAROM_STIFF_STEPS)
        return;
    /* schemes/piecewise/stiff.c (4), squared */
    e->lane[lane].stiff = e->stiff_sum[lane] > 2.5 * 2.5 * e->stiff_count[lane];
    e->stiff_sum[lane] = e->stiff_count[lane] = 0;
    if (e->lane[lane].stiff)
        r->serial |= 1u << lane;
}

static void rejected(carom_ensemble *e, int lane, round_of *r)
{
    double t = carom_lane_time(e, lane), h = e->proposed[lane];
    if (t + h == t || h < 1e-14 * e->longest[lane]) {
        e->lane[lane].stiff = true; /* the simulation finds out, or says why not */
        r->serial |= 1u << lane;
    }
}

static void look(carom_ensemble *e, int lane, round_of *r)
{
    carom_sight sight = carom_lane_look(e, lane);
    if (sight == CAROM_SIGHT_FREE) {
        r->take |= 1u << lane;
    } else if (sight == CAROM_SIGHT_IMPACT) {
        e->locating |= 1u << lane;
        carom_lane_run(e, lane, false);
    } else {
        r->serial |= 1u << lane;
    }
}

static void tell_impact(carom_ensemble *e, int lane)
{
    const carom_lane *l = &e->lane[lane];
    double *before = e->X;
    for (int i = 0; i < e->nv; i++) {
        e->q[i] = e->start.q[i][lane], e->v[i] = e->start.v[i][lane];
        before[i] = e->before[i][lane];
    }
    e->calls->impact(e->calls->user, &(carom_impact){l->job.id, l->contact, carom_lane_time(e, lane), e->q, before,
                                                     e->v, l->u, -l->e * l->u});
}

static void after_location(carom_ensemble *e, int lane, round_of *r)
{
    carom_lane *l = &e->lane[lane];
    carom_sight sight = carom_lane_locate(e, lane);
    if (sight == CAROM_SIGHT_FREE)
        return;
    e->locating &= ~(1u << lane);
    carom_lane_run(e, lane, true);
    l->resume_at = e->s[lane] + l->high;
    if (sight == CAROM_SIGHT_UNCLEAR) {
        r->serial |= 1u << lane;
        return;
    }
    carom_lane_strike(e, lane);
    e->steps[lane]++;
    if (l->hit) {
        r->fresh |= 1u << lane;
    } else if (!settled(e, lane)) {
        l->resume_at = e->s[lane];
        r->serial |= 1u << lane;
    }
    if (e->calls->impact)
        tell_impact(e, lane);
}

/* The job of the lane is over, or the simulation has to go on with it: until the lane has something to do. */
static void settle_lane(carom_ensemble *e, int lane, bool over, round_of *r)
{
    carom_lane *l = &e->lane[lane];
    carom_status status = CAROM_OK;
    r->fresh |= 1u << lane;
    for (;;) {
        if (!over) {
            status = carom_lane_serial(e, lane);
            over = status != CAROM_OK;
        }
        if (!over || e->interrupted)
            return;
        finish_job(e, lane, l->result.status);
        if (!take_job(e, lane)) {
            r->fresh &= ~(1u << lane);
            return;
        }
        over = false;
        if (!e->all_serial)
            return;
    }
}

/* Accelerations where a flight begins, until no lane has to be handed over. */
static void begin_flights(carom_ensemble *e, round_of *r)
{
    while (r->fresh && !e->interrupted) {
        unsigned fresh = r->fresh;
        r->fresh = 0;
        carom_lanes_begin(e, fresh);
        CAROM_EACH_LANE(l, fresh) {
            e->lane[l].hit = false;
            if (e->all_serial || e->lane[l].stiff || !settled(e, (int)l)) {
                e->lane[l].resume_at = e->s[l];
                settle_lane(e, (int)l, false, r);
            }
        }
    }
}

static bool one_round(carom_ensemble *e, round_of *r)
{
    begin_flights(e, r);
    if (!e->active)
        return false; /* everything went its way one by one */
    *r = (round_of){0};
    carom_lanes_lengths(e);
    carom_lanes_trial(e);
    carom_verdict seen = carom_lanes_judge(e);
    const unsigned active = e->active, locating = e->locating, attention = seen.attention & active & ~locating;
    CAROM_EACH_LANE(l, locating)
        after_location(e, (int)l, r);
    CAROM_EACH_LANE(l, attention & seen.rejected)
        rejected(e, (int)l, r);
    CAROM_EACH_LANE(l, attention & ~seen.rejected & seen.near)
        look(e, (int)l, r);
    if (r->take)
        carom_lanes_take(e, r->take);
    CAROM_EACH_LANE(l, r->take | (attention & ~seen.rejected & ~seen.near))
        taken(e, (int)l, r);
    CAROM_EACH_LANE(l, r->ended | r->serial) {
        bool over = r->ended & (1u << l) && !carom_lane_strobe(e, (int)l);
        if (over || r->serial & (1u << l))
            settle_lane(e, (int)l, over, r);
    }
    return active != 0;
}

carom_status carom_ensemble_run(carom_ensemble *e, const carom_ensemble_calls *calls)
{
    round_of r = {0};
    e->calls = calls;
    e->interrupted = 0;
    e->more = true;
    e->locating = 0;
    for (int l = 0; l < W; l++)
        if (take_job(e, l))
            r.fresh |= 1u << l;
    e->new_parameters = true;
    for (unsigned k = 1; !e->interrupted && one_round(e, &r); k++)
        if (calls->stop && k % 64 == 0 && calls->stop(calls->user))
            carom_ensemble_interrupt(e);
    return e->interrupted ? CAROM_INTERRUPTED : CAROM_OK;
}
