/* bifurcation.c: what is left of a motion in a map, for one value of a parameter after the other.
 *
 * A pass carries the state on: each value begins where the one before has ended, after whole periods, so that the phase of the
 * forcing is 0 there as at a start; a position that the new value does not allow (a stop has moved) is moved onto its boundary.
 * Passes begin at the model's start at their first value and know nothing of each other: they run side by side, and so do all
 * values when none is carried on. Where a value fails, the next one begins at the model's start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define PARALLEL(words) _Pragma(#words)
#else
#define PARALLEL(words)
#endif

#include "analysis/admissible.h"
#include "analysis/bifurcation.h"
#include "analysis/lyapunov.h"
#include "core/dense.h"

#define MOST_POINTS 1e8 /* 1.6 GB */

typedef struct job { /* shared by the threads */
    const carom_model *model;
    const carom_options *options;
    const carom_bifurcation_request *request;
    carom_bifurcation *result;
    double *start;      /* [n*(nq+nv+np)] q, v, p of the model at each value */
    int each;           /* nq + nv + np */
    long done, first;   /* values computed; the first that failed, -1: none */
    bool stopped;
    carom_status status; /* of setting up */
    carom_error error;
} job;

typedef struct worker { /* of one thread */
    carom_mapper *mapper;
    carom_lyapunov *lyapunov;
    carom_admissible admissible;
    double *q, *v;
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

/* The model's start and parameters at every value. */
static carom_status collect_starts(job *j, carom_model *m, carom_error *error)
{
    const carom_bifurcation_request *r = j->request;
    for (long i = 0; i < r->n; i++) {
        double x = r->n > 1 ? r->from + (double)i * ((r->to - r->from) / (double)(r->n - 1)) : r->from;
        x = i && i == r->n - 1 ? r->to : x;
        CAROM_TRY(carom_model_set(m, &r->name, &x, 1, error));
        double *at = j->start + i * j->each;
        j->result->value[i] = x;
        carom_copy(m->nq, m->q, at);
        if (m->v)
            carom_copy(m->nv, m->v, at + m->nq);
        carom_copy(m->np, m->p, at + m->nq + m->nv);
    }
    return CAROM_OK;
}

static bool go_on(void *user, long done)
{
    const carom_bifurcation_request *r = user;
    (void)done;
    return !(r->stop && r->stop(r->user));
}

static carom_status begin_lyapunov(worker *w, const job *j, carom_error *error)
{
    carom_lyapunov_request request = {.exponents = 1, .length = j->request->exponent, .transient = 20, .go_on = go_on,
                                      .user = (void *)j->request};
    carom_error own = {0};
    if (j->request->exponent <= 0)
        return CAROM_OK;
    carom_status status = carom_lyapunov_new(&w->lyapunov, j->model, j->options, &request, &own);
    if (status == CAROM_UNSUPPORTED) { /* the scheme does not locate its events */
        request.method = CAROM_LYAPUNOV_PERTURBATION;
        status = carom_lyapunov_new(&w->lyapunov, j->model, j->options, &request, &own);
    }
    if (status != CAROM_OK && error)
        *error = own;
    return status;
}

static carom_status begin(worker *w, const job *j, carom_error *error)
{
    CAROM_TRY(carom_mapper_new(&w->mapper, j->model, j->options, j->request, error));
    CAROM_TRY(begin_lyapunov(w, j, error));
    CAROM_TRY(carom_admissible_new(&w->admissible, j->model, error));
    w->q = calloc((size_t)(j->model->nq + j->model->nv), sizeof(double));
    if (!w->q)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a state");
    w->v = w->q + j->model->nq;
    return CAROM_OK;
}

static void end(worker *w)
{
    carom_mapper_free(w->mapper);
    carom_lyapunov_free(w->lyapunov);
    carom_admissible_free(&w->admissible);
    free(w->q);
}

static carom_status compute(worker *w, const job *j, int pass, long i, carom_error *error)
{
    const carom_model *m = j->model;
    carom_bifurcation *b = j->result;
    const double *start = j->start + i * j->each, *p = start + m->nq + m->nv;
    long slot = pass * b->n + i, count = 0;
    if (!w->carried)
        carom_copy(m->nq + m->nv, start, w->q);
    else
        CAROM_TRY(carom_admissible_move(&w->admissible, 0, w->q, w->v, p, error));
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

/* Notes how a value ended, and asks whether to go on. */
static void finish(job *j, int pass, long i, carom_status status, const carom_error *error)
{
    carom_bifurcation *b = j->result;
    long slot = pass * b->n + i;
    PARALLEL(omp critical(carom_bifurcation))
    {
        j->done += status != CAROM_INTERRUPTED;
        j->stopped = j->stopped || status == CAROM_INTERRUPTED;
        if (status != CAROM_OK && status != CAROM_INTERRUPTED) {
            b->count[slot] = -2;
            b->failed++;
            if (j->first < 0 || slot < j->first) {
                j->first = slot;
                snprintf(b->failure, sizeof b->failure, "%s = %.10g: %.200s", j->request->name, b->value[i], error->text);
            }
        }
        if (j->request->go_on && !j->request->go_on(j->request->user, j->done, b->passes * b->n))
            j->stopped = true;
    }
}

static bool stopped(job *j)
{
    bool yes;
    PARALLEL(omp critical(carom_bifurcation))
    yes = j->stopped || j->status != CAROM_OK;
    return yes;
}

static void fail(job *j, carom_status status, const carom_error *error)
{
    PARALLEL(omp critical(carom_bifurcation))
    if (j->status == CAROM_OK)
        j->status = status, j->error = *error;
}

/* One task: a whole pass, or a single value when none is carried on. */
static void work(job *j, worker *w, long task)
{
    const carom_bifurcation *b = j->result;
    const bool fresh = j->request->fresh;
    long first = fresh ? task : 0, count = fresh ? 1 : b->n;
    int pass = fresh ? 0 : (int)task;
    w->carried = false;
    for (long k = 0; k < count && !stopped(j); k++) {
        long i = !fresh && b->direction[pass] < 0 ? b->n - 1 - k : first + k;
        carom_error error = {0};
        carom_status status = compute(w, j, pass, i, &error);
        if (status != CAROM_OK)
            w->carried = false;
        finish(j, pass, i, status, &error);
    }
}

static void work_all(job *j)
{
    long tasks = j->request->fresh ? j->result->n : j->result->passes;
#ifdef _OPENMP
    int threads = j->request->threads > 0 ? j->request->threads : omp_get_num_procs();
    threads = (int)CAROM_MIN((long)threads, tasks);
#endif
    PARALLEL(omp parallel num_threads(threads))
    {
        worker w = {0};
        carom_error error = {0};
        carom_status status = begin(&w, j, &error);
        if (status != CAROM_OK)
            fail(j, status, &error);
        PARALLEL(omp for schedule(dynamic, 1))
        for (long i = 0; i < tasks; i++)
            if (status == CAROM_OK)
                work(j, &w, i);
        end(&w);
    }
}

static carom_status check(const carom_bifurcation_request *r, carom_error *error)
{
    if (!r->name || r->n < 1 || !isfinite(r->from) || !isfinite(r->to))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a diagram needs a name and at least one value, not %ld from %g to %g", r->n, r->from, r->to);
    if (!r->fresh && (!strncmp(r->name, "q.", 2) || !strncmp(r->name, "v.", 2)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' is an initial value: a state that is carried on does not depend on it", r->name);
    const double points = (double)r->n * (double)(r->show > 0 ? r->show : 100) * (r->direction == 0 && !r->fresh ? 2 : 1);
    if (points > MOST_POINTS)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%ld values with %ld points each are too many for one diagram, which is kept in memory: at most %g points",
                   r->n, r->show > 0 ? r->show : 100, MOST_POINTS);
    return CAROM_OK;
}

carom_status carom_bifurcation_run(carom_bifurcation **result, carom_model *model, const carom_options *options,
                                   const carom_bifurcation_request *request, carom_error *error)
{
    *result = NULL;
    CAROM_TRY(check(request, error));
    job j = {.model = model, .options = options, .request = request, .first = -1, .each = model->nq + model->nv + model->np};
    carom_bifurcation *b = j.result = allocate(request);
    j.start = calloc((size_t)request->n * (size_t)j.each, sizeof(double));
    carom_status status = b && j.start ? collect_starts(&j, model, error)
                                       : carom_fail(error, CAROM_NO_MEMORY, "no memory for a diagram of %ld values", request->n);
    if (status == CAROM_OK) {
        work_all(&j);
        status = j.status;
        if (status != CAROM_OK && error)
            *error = j.error;
        else if (j.stopped && j.done < b->passes * b->n)
            status = CAROM_INTERRUPTED;
    }
    free(j.start);
    if (status != CAROM_OK && status != CAROM_INTERRUPTED) {
        carom_bifurcation_free(b);
        return status;
    }
    *result = b;
    return status;
}
