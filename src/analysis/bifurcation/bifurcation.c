/* bifurcation.c: what is left of a motion in a map, for one value of a parameter after the other.
 *
 * A pass carries the state on: each value begins where the one before has ended, after whole periods, so that the
 * phase of the forcing is 0 there as at a start; a position that the new value does not allow (a stop has moved) is
 * moved onto its boundary. Passes begin at the model's start at their first value and know nothing of each other:
 * they run side by side, and so do all values when none is carried on. Where a value fails, the next one begins at
 * the model's start. Where the model has no start (its gap would be negative) a state that is carried on comes
 * through, and one that begins there fails. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/bifurcation/bifurcation.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"
#include "model/model.h"

#define MOST_POINTS 1e8 /* 1.6 GB */

typedef carom_bifurcation_job job;

typedef struct worker { /* of one thread */
    carom_mapper *mapper;
    carom_lyapunov *lyapunov;
    carom_admissible admissible;
    double *q, *v, *slopes; /* [nq] [nv] [np] */
    bool carried;       /* q and v hold the end of the value before */
} worker;

void carom_bifurcation_free(carom_bifurcation *b)
{
    if (!b)
        return;
    free(b->value);
    free(b->count);
    free(b->t);
    free(b);
}

static carom_bifurcation *allocate(const carom_bifurcation_request *r)
{
    carom_bifurcation *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->passes = r->direction == 0 && !r->fresh ? 2 : 1;
    b->direction[0] = r->direction < 0 ? -1 : 1;
    b->direction[1] = -1;
    b->n = r->n;
    b->show = r->show > 0 ? r->show : 100;
    size_t n = (size_t)b->n, runs = n * (size_t)b->passes, points = runs * (size_t)b->show;
    b->value = calloc(n + runs, sizeof(double));
    b->count = calloc(runs, sizeof(long));
    b->t = calloc(2 * points, sizeof(double));
    if (!b->value || !b->count || !b->t) {
        carom_bifurcation_free(b);
        return NULL;
    }
    b->exponent = b->value + n;
    b->x = b->t + points;
    for (size_t i = 0; i < runs; i++)
        b->count[i] = -1, b->exponent[i] = NAN;
    return b;
}

static double value_at(const carom_bifurcation_request *r, long i)
{
    if (i == 0 || r->n == 1)
        return r->from;
    return i == r->n - 1 ? r->to : r->from + (double)i * ((r->to - r->from) / (double)(r->n - 1));
}

/* The parameter's place in p; -1: an initial value. */
static int place_of(const carom_model *m, const char *name)
{
    for (int i = 0; i < m->np; i++)
        if (m->p_name && !strcmp(m->p_name[i], name))
            return i;
    return -1;
}

/* The first value of a parameter that depended on others gives the model one parameter more: sizes are known after
 * it. */
static carom_status set_first(const carom_bifurcation_request *r, carom_model *m, carom_error *error)
{
    carom_error own = {0};
    for (long i = 0; i < r->n; i++) {
        double x = value_at(r, i);
        carom_status status = carom_model_set(m, &r->name, &x, 1, i ? NULL : &own);
        if (status == CAROM_OK)
            return CAROM_OK;
        if (status == CAROM_BAD_ARGUMENT || status == CAROM_NO_MEMORY)
            break;
        if (r->stop && r->stop(r->user))
            break;
    }
    CAROM_FAIL(error, own.status, "%s", own.text);
}

/* The model's start and parameters at every value; CAROM_INTERRUPTED: not at all of them. */
static carom_status collect_starts(job *j, carom_model *m)
{
    const carom_bifurcation_request *r = j->request;
    const int place = place_of(m, r->name);
    carom_error error = {0};
    for (long i = 0; i < r->n; i++)
        j->result->value[i] = value_at(r, i);
    for (long i = 0; i < r->n; i++) {
        double x = value_at(r, i), *at = j->start + i * j->each;
        if (r->stop && r->stop(r->user))
            return CAROM_INTERRUPTED;
        carom_status status = carom_model_set(m, &r->name, &x, 1, &error);
        if (status == CAROM_NO_MEMORY) {
            carom_bifurcation_fail(j, status, &error);
            return status;
        }
        j->missing[i] = status != CAROM_OK;
        carom_copy(m->nq, m->q, at);
        if (m->v)
            carom_copy(m->nv, m->v, at + m->nq);
        carom_copy(m->np, m->p, at + m->nq + m->nv);
        if (!j->missing[i])
            continue;
        if (place >= 0)
            at[m->nq + m->nv + place] = x;
        if (!j->why[0])
            snprintf(j->why, sizeof j->why, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    }
    return CAROM_OK;
}

carom_status carom_bifurcation_exponent(const job *j, carom_lyapunov **lyapunov, carom_error *error)
{
    carom_lyapunov_request request = {.size = sizeof request, .exponents = 1,
                                      .length = j->request->exponent,
                                      .transient = CAROM_BIFURCATION_ALIGNING,
                                      .stop = j->request->stop,
                                      .user = j->request->user};
    carom_error own = {0};
    carom_status status = carom_lyapunov_new(lyapunov, j->model, j->options, &request, &own);
    if (status == CAROM_UNSUPPORTED) { /* the scheme does not locate its events */
        request.method = CAROM_LYAPUNOV_PERTURBATION;
        status = carom_lyapunov_new(lyapunov, j->model, j->options, &request, &own);
    }
    if (status != CAROM_OK && error)
        *error = own;
    return status;
}

static carom_status begin(worker *w, const job *j, carom_error *error)
{
    CAROM_TRY(carom_mapper_new(&w->mapper, j->model, j->options, j->request, error));
    if (j->request->exponent > 0)
        CAROM_TRY(carom_bifurcation_exponent(j, &w->lyapunov, error));
    CAROM_TRY(carom_admissible_new(&w->admissible, j->model, error));
    w->q = calloc((size_t)j->each, sizeof(double));
    if (!w->q)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a state");
    w->v = w->q + j->model->nq;
    w->slopes = w->v + j->model->nv;
    return CAROM_OK;
}

static void end(worker *w)
{
    carom_mapper_free(w->mapper);
    carom_lyapunov_free(w->lyapunov);
    carom_admissible_free(&w->admissible);
    free(w->q);
}

/* The model has no start at this value; is the state that is carried on one that it allows? */
static carom_status validate(const worker *w, const job *j, const double *p, carom_error *error)
{
    carom_model m = *j->model;
    double period = carom_model_period(&m, p, w->slopes);
    if (m.period > 0 && !(period > 0 && isfinite(period)))
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the period is %g; it must be positive", period);
    m.q = w->q, m.v = w->v, m.p = p;
    return carom_model_validate(&m, error);
}

static carom_status compute(worker *w, const job *j, int pass, long i, carom_error *error)
{
    const carom_model *m = j->model;
    carom_bifurcation *b = j->result;
    const double *start = j->start + i * j->each, *p = start + m->nq + m->nv;
    long slot = pass * b->n + i, count = 0;
    if (!w->carried && j->missing[i])
        CAROM_FAIL(error, CAROM_BAD_MODEL, "%s", j->why);
    if (!w->carried)
        carom_copy(m->nq + m->nv, start, w->q);
    else
        CAROM_TRY(carom_admissible_move(&w->admissible, 0, w->q, w->v, p, error));
    if (j->missing[i])
        CAROM_TRY(validate(w, j, p, error));
    CAROM_TRY(carom_mapper_run(w->mapper, w->q, w->v, p, &count, b->t + slot * b->show, b->x + slot * b->show, error));
    w->carried = !j->request->fresh;
    if (w->lyapunov) {
        carom_lyapunov_result exponents;
        CAROM_TRY(carom_lyapunov_follow(w->lyapunov, w->q, w->v, p, &exponents, error));
        b->exponent[slot] = exponents.exponent[0];
    }
    b->count[slot] = count;
    return CAROM_OK;
}

void carom_bifurcation_note(job *j, int pass, long i, carom_status status, const char *text)
{
    carom_bifurcation *b = j->result;
    const bool failed = status != CAROM_OK && status != CAROM_INTERRUPTED;
    if (status == CAROM_NO_MEMORY) { /* that says nothing of the value: the diagram ends */
        carom_error error;
        carom_fail(&error, status, "%s", text);
        carom_bifurcation_fail(j, status, &error);
        return;
    }
    long slot = pass * b->n + i;
    carom_lock_take(&j->lock);
    j->done += status == CAROM_OK ? 1 : failed ? (b->count[slot] >= 0 ? 1 : j->parts) : 0;
    if (status == CAROM_INTERRUPTED)
        j->stopped = true;
    if (failed) {
        b->count[slot] = -2;
        b->failed++;
        if (j->first < 0 || slot < j->first) {
            j->first = slot;
            snprintf(b->failure, sizeof b->failure, "%s = %.10g: %.200s", j->request->name, b->value[i], text);
        }
    }
    if (j->request->go_on && !j->request->go_on(j->request->user, j->done / j->parts, b->passes * b->n))
        j->stopped = true;
    carom_lock_release(&j->lock);
}

void carom_bifurcation_fail(job *j, carom_status status, const carom_error *error)
{
    carom_lock_take(&j->lock);
    if (j->status == CAROM_OK)
        j->status = status, j->error = *error;
    carom_lock_release(&j->lock);
    j->stopped = true;
}

/* One task: a whole pass, or a single value when none is carried on. */
static void work(job *j, worker *w, long task)
{
    const carom_bifurcation *b = j->result;
    const bool fresh = j->request->fresh;
    long first = fresh ? task : 0, count = fresh ? 1 : b->n;
    int pass = fresh ? 0 : (int)task;
    w->carried = false;
    for (long k = 0; k < count && !j->stopped; k++) {
        long i = !fresh && b->direction[pass] < 0 ? b->n - 1 - k : first + k;
        carom_error error = {0};
        errno = 0;
        carom_status status = compute(w, j, pass, i, &error);
        if (errno == ENOMEM && status != CAROM_NO_MEMORY) /* an expression was not evaluated */
            status = carom_fail(&error, CAROM_NO_MEMORY, "out of memory for an expression");
        if (status != CAROM_OK)
            w->carried = false;
        carom_bifurcation_note(j, pass, i, status, error.text);
    }
}

static long tasks(const job *j)
{
    return j->request->fresh ? j->result->n : j->result->passes;
}

/* On every thread: tasks until there are none. */
static void work_on(void *user)
{
    job *j = user;
    worker w = {0};
    carom_error error = {0};
    carom_status status = begin(&w, j, &error);
    if (status != CAROM_OK)
        carom_bifurcation_fail(j, status, &error);
    for (long i; status == CAROM_OK && (i = atomic_fetch_add(&j->next, 1)) < tasks(j);)
        work(j, &w, i);
    end(&w);
}

static carom_status check(const carom_bifurcation_request *r, carom_error *error)
{
    if (!r->name || r->n < 1 || !isfinite(r->from) || !isfinite(r->to))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a diagram needs a name and at least one value, not %ld from %g to %g",
                   r->n, r->from, r->to);
    if (!r->fresh && (!strncmp(r->name, "q.", 2) || !strncmp(r->name, "v.", 2)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "'%s' is an initial value: a state that is carried on does not depend on it", r->name);
    const double points =
        (double)r->n * (double)(r->show > 0 ? r->show : 100) * (r->direction == 0 && !r->fresh ? 2 : 1);
    if (points > MOST_POINTS)
        CAROM_FAIL(
            error, CAROM_BAD_ARGUMENT,
            "%ld values with %ld points each are too many for one diagram, which is kept in memory: at most %g points",
            r->n, r->show > 0 ? r->show : 100, MOST_POINTS);
    return CAROM_OK;
}

static carom_status compute_all(job *j, carom_model *model)
{
    CAROM_TRY(collect_starts(j, model));
    if (carom_bifurcation_lanes(j) == CAROM_UNSUPPORTED)
        carom_parallel(carom_threads(j->request->threads, tasks(j)), work_on, j);
    if (j->status != CAROM_OK)
        return j->status;
    return j->stopped && j->done < j->parts * j->result->passes * j->result->n ? CAROM_INTERRUPTED : CAROM_OK;
}

carom_status carom_bifurcation_run(carom_bifurcation **result, carom_model *model, const carom_options *options,
                                   const carom_bifurcation_request *request, carom_error *error)
{
    CAROM_NEED(result, error);
    *result = NULL;
    CAROM_SIZED(model, carom_model, error);
    CAROM_SIZED(options, carom_options, error);
    CAROM_SIZED(request, carom_bifurcation_request, error);
    CAROM_TRY(check(request, error));
    CAROM_TRY(set_first(request, model, error));
    job j = {.model = model, .options = options, .request = request, .first = -1, .parts = 1,
             .lock = CAROM_LOCK_OPEN, .each = model->nq + model->nv + model->np};
    carom_bifurcation *b = j.result = allocate(request);
    j.start = calloc((size_t)request->n * (size_t)j.each, sizeof(double));
    j.missing = calloc((size_t)request->n, sizeof(bool));
    carom_status status = b && j.start && j.missing ? compute_all(&j, model) : CAROM_NO_MEMORY;
    if (status == CAROM_NO_MEMORY && j.status == CAROM_OK)
        carom_fail(&j.error, status, "no memory for a diagram of %ld values", request->n);
    free(j.start);
    free(j.missing);
    if (status == CAROM_OK || status == CAROM_INTERRUPTED) {
        *result = b;
        return status;
    }
    if (error)
        *error = j.error;
    carom_bifurcation_free(b);
    return status;
}
