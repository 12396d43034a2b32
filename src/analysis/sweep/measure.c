/* measure.c: numbers from the run of a point, taken from its dense output between the transient and the end.
 *
 * max, min   on every segment at its ends and in between, then the vertex of a parabola through the best three until
 *            it stays: both limits at a jump count
 * A reaction is that of the contacts as they are along the segment: impulses of jumps are no forces.
 * mean       five Gauss points on every segment: exact for polynomials of degree 9 in the states' own polynomials */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep/sweep.h"
#include "carom_analysis.h"
#include "model/model.h"
#include "sim/quantity.h"

typedef struct watch {
    bool on;
    double t_on;
    const carom_model *model;
    const carom_measure *measure; /* [n] */
    int n;
    carom_quantity of[CAROM_SWEEP_COLUMNS];
    double value[CAROM_SWEEP_COLUMNS];
    double *x;                 /* [nq + nv] */
    unsigned char *closed;     /* [ncontact] */
    unsigned char *mode;       /* [ncontact] along the present segment */
    int nclosed;
    double since, rest;        /* closed since; for how long in all before */
} watch;

static const struct kind {
    const char *name, *doc;
    bool expression;
} kinds[CAROM_MEASURES] = {
    [CAROM_MEASURE_LYAPUNOV] = {"lyapunov",
                                "largest Lyapunov exponent, per period where the model has one, else per time", false},
    [CAROM_MEASURE_IMPACTS] = {"impacts", "number of impacts", false},
    [CAROM_MEASURE_ZENO] = {"zeno", "number of accumulations of impacts that were passed", false},
    [CAROM_MEASURE_REST] = {"rest", "share of the time in which a contact is closed", false},
    [CAROM_MEASURE_TIME] = {"time", "when the run ended: earlier than asked where the model's stop condition was met",
                            false},
    [CAROM_MEASURE_MAX] = {"max", "largest value of an expression or reaction", true},
    [CAROM_MEASURE_MIN] = {"min", "smallest value of an expression or reaction", true},
    [CAROM_MEASURE_MEAN] = {"mean", "mean value of an expression or reaction over time", true},
    [CAROM_MEASURE_FINAL] = {"final", "value of an expression or reaction at the end", true},
};

const char *carom_measure_name(int kind, const char **doc)
{
    const bool known = kind >= 0 && kind < CAROM_MEASURES;
    if (doc)
        *doc = known ? kinds[kind].doc : NULL;
    return known ? kinds[kind].name : NULL;
}

carom_status carom_measure_read(carom_measure *measure, const char *text, carom_error *error)
{
    const char *names[CAROM_MEASURES], *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    for (int k = 0; k < CAROM_MEASURES; k++) {
        names[k] = kinds[k].name;
        if (strlen(names[k]) != length || strncmp(names[k], text, length) != 0)
            continue;
        *measure = (carom_measure){.kind = (carom_measure_kind)k, .expression = colon ? colon + 1 : NULL};
        if (kinds[k].expression && !(colon && colon[1]))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "the measure '%s' needs an expression, as in %s:x", names[k], names[k]);
        if (!kinds[k].expression && colon)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "the measure '%s' takes no expression", names[k]);
        return CAROM_OK;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)CAROM_MIN(length, sizeof word - 1), text);
    const char *near = carom_nearest(word, names, CAROM_MEASURES);
    CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown measure '%s'%s%s%s", word, near ? "; did you mean '" : "",
               near ? near : "", near ? "'?" : "");
}

/* ---- watching a run ---- */

static double value_at(watch *w, int k, const carom_segment *g, double s)
{
    const carom_model *m = w->model;
    double *q = w->x, *v = w->x + m->nq;
    carom_segment_at(m, g, s, q, v);
    return carom_quantity_value(&w->of[k], m, g->t0 + s * (g->t1 - g->t0), q, v, w->mode, m->p);
}

typedef struct bracket { /* a < b < c */
    double a, b, c, fa, fb, fc;
} bracket;

static double vertex(const bracket *x)
{
    double p = (x->b - x->a) * (x->b - x->a) * (x->fb - x->fc) - (x->b - x->c) * (x->b - x->c) * (x->fb - x->fa);
    double q = (x->b - x->a) * (x->fb - x->fc) - (x->b - x->c) * (x->fb - x->fa);
    return x->b - 0.5 * p / q;
}

/* b moves to x, or a or c does: whichever keeps the largest in the middle. */
static void narrow(bracket *k, double x, double fx)
{
    const bracket old = *k;
    if (fx > old.fb)
        *k =
            x > old.b ? (bracket){old.b, x, old.c, old.fb, fx, old.fc} : (bracket){old.a, x, old.b, old.fa, fx, old.fb};
    else if (x > old.b)
        k->c = x, k->fc = fx;
    else
        k->a = x, k->fa = fx;
}

/* The largest sign*f on a segment. */
static double extreme(watch *w, int column, const carom_segment *g, double sign)
{
    enum { PARTS = 4, ROUNDS = 12 };
    double f[PARTS + 1];
    int best = 0;
    for (int k = 0; k <= PARTS; k++) {
        f[k] = sign * value_at(w, column, g, (double)k / PARTS);
        if (f[k] > f[best])
            best = k;
    }
    const int i = CAROM_MIN(CAROM_MAX(best, 1), PARTS - 1);
    bracket k = {(i - 1.) / PARTS, (double)i / PARTS, (i + 1.) / PARTS, f[i - 1], f[i], f[i + 1]};
    for (int round = 0; round < ROUNDS; round++) {
        const double x = vertex(&k);
        if (!(x > k.a && x < k.c) || fabs(x - k.b) < 1e-9)
            break;
        const double fx = sign * value_at(w, column, g, x);
        if (round == 0 && best != i && !(fx > f[best])) /* the end is the largest */
            break;
        narrow(&k, x, fx);
    }
    return fmax(k.fb, f[best]);
}

static double integral(watch *w, int column, const carom_segment *g)
{
    static const double node[] = {0.04691007703066802, 0.23076534494715845, 0.5, 0.76923465505284155,
                                  0.95308992296933198};
    static const double weight[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
                                    0.11846344252809454};
    double sum = 0;
    for (int k = 0; k < CAROM_COUNT(node); k++)
        sum += weight[k] * value_at(w, column, g, node[k]);
    return sum * (g->t1 - g->t0);
}

static void see_segment(void *user, const carom_segment *g)
{
    watch *w = user;
    for (int k = 0; k < w->n && w->on; k++) {
        double *value = &w->value[k];
        switch (w->measure[k].kind) {
        case CAROM_MEASURE_MAX: *value = fmax(*value, extreme(w, k, g, 1)); break;
        case CAROM_MEASURE_MIN: *value = fmin(*value, -extreme(w, k, g, -1)); break;
        case CAROM_MEASURE_MEAN: *value += integral(w, k, g); break;
        default: break;
        }
    }
    memcpy(w->mode, g->mode, (size_t)w->model->ncontact);
}

static void see_event(void *user, const carom_event *event)
{
    watch *w = user;
    bool found = w->model->links; /* contacts come and go: their number is all that is kept */
    if (event->type == CAROM_EVENT_IMPACT || (found && event->type > CAROM_EVENT_OPENING))
        return;
    unsigned char closed = event->type != CAROM_EVENT_OPENING, *was = found ? NULL : &w->closed[event->contact];
    if (found ? !closed && w->nclosed == 0 : closed == *was)
        return;
    if (was)
        *was = closed;
    if (closed && w->nclosed++ == 0)
        w->since = event->t;
    if (!closed && --w->nclosed == 0)
        w->rest += event->t - w->since;
}

/* ---- a point ---- */

static bool has(const carom_sweep *s, carom_measure_kind kind)
{
    const carom_measure *measure = s->task;
    for (int k = 0; k < s->ncolumn; k++)
        if (measure[k].kind == kind)
            return true;
    return false;
}

static bool needs_run(const carom_sweep *s)
{
    const carom_measure *measure = s->task;
    const bool lyapunov = has(s, CAROM_MEASURE_LYAPUNOV);
    for (int k = 0; k < s->ncolumn; k++)
        if (measure[k].kind != CAROM_MEASURE_LYAPUNOV && !(lyapunov && measure[k].kind == CAROM_MEASURE_IMPACTS))
            return true;
    return false;
}

static carom_status attach(carom_sweep_worker *worker, carom_error *error)
{
    const carom_sweep *s = worker->sweep;
    const carom_model *m = worker->model;
    watch *w = worker->own;
    bool looks = false;
    *w = (watch){.model = m, .measure = s->task, .n = s->ncolumn};
    w->x = calloc((size_t)(m->nq + m->nv), sizeof *w->x);
    w->closed = calloc(2 * (size_t)m->ncontact + 1, 1);
    w->mode = w->closed + m->ncontact;
    if (!w->x || !w->closed)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to measure");
    for (int k = 0; k < w->n; k++) {
        const carom_measure *measure = &w->measure[k];
        looks = looks || kinds[measure->kind].expression;
        if (!measure->expression)
            continue;
        carom_status status = carom_quantity_find(&w->of[k], m, measure->expression, error);
        if (status != CAROM_OK) /* one for all points, whatever kind of mistake */
            return status == CAROM_BAD_MODEL ? CAROM_BAD_OPTION : status;
    }
    const carom_observer observer = {.size = sizeof observer, .user = w, .segment = looks ? see_segment : NULL,
                                     .event = see_event};
    return carom_sim_observe(worker->sim, &observer);
}

static void release(carom_sweep_worker *worker)
{
    watch *w = worker->own;
    for (int k = 0; k < w->n; k++)
        carom_quantity_free(&w->of[k]);
    free(w->x);
    free(w->closed);
}

static void look(watch *w, const carom_state *state)
{
    w->on = true;
    w->t_on = w->since = state->t;
    w->rest = 0;
    for (int k = 0; k < w->n; k++) {
        carom_measure_kind kind = w->measure[k].kind;
        w->value[k] = kind == CAROM_MEASURE_MAX ? -INFINITY : kind == CAROM_MEASURE_MIN ? INFINITY : 0;
    }
}

static void forget(watch *w, const carom_state *state)
{
    w->on = false;
    w->nclosed = 0;
    memcpy(w->mode, state->mode, (size_t)w->model->ncontact);
    for (int c = 0; c < (w->model->links ? state->ncontact : w->model->ncontact); c++) {
        unsigned char closed = state->mode[c] != CAROM_OPEN;
        if (!w->model->links)
            w->closed[c] = closed;
        w->nclosed += closed;
    }
}

static void finish(const carom_sweep_worker *worker, const carom_info *before, double *value)
{
    watch *w = worker->own;
    const carom_state *s = carom_sim_state(worker->sim);
    const carom_info *info = carom_sim_info(worker->sim);
    const double duration = s->t - w->t_on;
    for (int k = 0; k < w->n; k++)
        switch (w->measure[k].kind) {
        case CAROM_MEASURE_IMPACTS:
            value[k] = (double)(info->events[CAROM_EVENT_IMPACT] - before->events[CAROM_EVENT_IMPACT]);
            break;
        case CAROM_MEASURE_ZENO: value[k] = info->nzeno - before->nzeno; break;
        case CAROM_MEASURE_REST: value[k] = (w->rest + (w->nclosed ? s->t - w->since : 0)) / duration; break;
        case CAROM_MEASURE_TIME: value[k] = s->t; break;
        case CAROM_MEASURE_MEAN: value[k] = w->value[k] / duration; break;
        case CAROM_MEASURE_FINAL:
            value[k] = carom_quantity_value(&w->of[k], w->model, s->t, s->q, s->v, s->mode, w->model->p);
            break;
        case CAROM_MEASURE_MAX:
        case CAROM_MEASURE_MIN: value[k] = duration > 0 ? w->value[k] : NAN; break;
        default: break;
        }
}

static carom_status follow(carom_sweep_worker *worker, double *value, carom_error *error)
{
    watch *w = worker->own;
    double transient, end;
    CAROM_TRY(carom_sweep_worker_span(worker, &worker->options, &transient, &end, error));
    forget(w, carom_sim_state(worker->sim));
    carom_status status = transient > 0 ? carom_sweep_worker_advance(worker, transient, error) : CAROM_OK;
    if (status == CAROM_STOPPED)
        CAROM_FAIL(error, CAROM_STOPPED, "stopped at t = %g, within the transient", carom_sim_state(worker->sim)->t);
    CAROM_TRY(status);
    const carom_info before = *carom_sim_info(worker->sim);
    look(w, carom_sim_state(worker->sim));
    status = carom_sweep_worker_advance(worker, end, error);
    if (status == CAROM_OK || status == CAROM_STOPPED)
        finish(worker, &before, value);
    return status;
}

static bool stop(void *user)
{
    const carom_sweep_worker *worker = user;
    return worker->stop && worker->stop(worker->user);
}

/* The largest exponent, along a run of its own. */
static carom_status exponent(carom_sweep_worker *worker, double *largest, double *impacts, carom_error *error)
{
    const carom_sweep_exponent *ahead = carom_sweep_lanes_find(worker, worker->index);
    if (ahead) {
        if (ahead->status != CAROM_OK)
            CAROM_FAIL(error, ahead->status, "%s", ahead->text);
        *largest = ahead->largest;
        *impacts = ahead->impacts;
        return CAROM_OK;
    }
    carom_lyapunov_request request = carom_lyapunov_request_default();
    carom_lyapunov_result result;
    CAROM_TRY(carom_sweep_exponent_span(worker, &worker->options, &request.transient, &request.length, error));
    request.exponents = 1;
    request.stop = stop;
    request.user = worker;
    CAROM_TRY(carom_lyapunov_run(worker->model, &worker->options, &request, &result, error));
    *largest = result.exponent[0];
    *impacts = floor(result.impacts * (double)result.length + 0.5);
    return CAROM_OK;
}

/* With an exponent, impacts are those of its run: the only other measure that does not need a second one. */
static carom_status point(carom_sweep_worker *worker, double *value, carom_error *error)
{
    const carom_measure *measure = worker->sweep->task;
    const int n = worker->sweep->ncolumn;
    carom_status status = needs_run(worker->sweep) ? follow(worker, value, error) : CAROM_OK;
    if (!has(worker->sweep, CAROM_MEASURE_LYAPUNOV) || (status != CAROM_OK && status != CAROM_STOPPED))
        return status;
    double largest, impacts;
    carom_status lyapunov = exponent(worker, &largest, &impacts, error);
    for (int k = 0; k < n && lyapunov == CAROM_OK; k++)
        if (measure[k].kind == CAROM_MEASURE_LYAPUNOV || measure[k].kind == CAROM_MEASURE_IMPACTS)
            value[k] = measure[k].kind == CAROM_MEASURE_LYAPUNOV ? largest : impacts;
    return lyapunov != CAROM_OK ? lyapunov : status;
}

static void ahead(carom_sweep_worker *worker, const long long *index, int n)
{
    if (has(worker->sweep, CAROM_MEASURE_LYAPUNOV))
        carom_sweep_lanes_ahead(worker, index, n);
}

const carom_sweep_method carom_sweep_measures = {sizeof(watch), attach, point, release, ahead};
