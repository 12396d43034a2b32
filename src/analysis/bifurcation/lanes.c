/* lanes.c: values that begin at starts of their own, through ensembles of eight lanes: their points in the strobe map
 * first, then the largest exponent from where each has ended.
 *
 * Lanes know the state at strobes, not the dense output between them nor the impacts of the simulation that helps
 * them out: sections and impacts are left to the mapper. What a value yields depends on the value alone, not on its
 * neighbours or the thread. Motions that lose directions are measured again one by one, with columns that begin after
 * the transient (as in analysis/lyapunov/starts.c). */
#include <math.h>
#include <stdlib.h>

#include "analysis/bifurcation/bifurcation.h"
#include "analysis/lanes/ensemble.h"
#include "core/dense.h"
#include "schemes/scheme.h"
#include "sim/reactions.h"

enum { LANES_FROM = 8, BLOCKS = 100 };

typedef struct lanes { /* shared by the threads */
    carom_bifurcation_job *job;
    long transient, strobes; /* of the points */
    bool exponents;          /* that is what the ensembles are for now */
    bool *again;             /* [n] the exponent is to be measured one by one */
    double *column;          /* [nq+nv] where exponents begin */
} lanes;

typedef struct crew { /* of one thread */
    lanes *all;
    carom_mapper *mapper; /* NULL with exponents */
} crew;

static double *start_of(const lanes *w, long i)
{
    return w->job->start + i * w->job->each;
}

static bool next(void *user, carom_job *out)
{
    lanes *w = ((crew *)user)->all;
    carom_bifurcation_job *j = w->job;
    const carom_model *m = j->model;
    for (;;) {
        long i = atomic_fetch_add(&j->next, 1);
        if (i >= j->result->n || j->stopped)
            return false;
        if (!w->exponents && j->missing[i]) {
            carom_bifurcation_note(j, 0, i, CAROM_BAD_MODEL, j->why);
            continue;
        }
        if (w->exponents && j->result->count[i] < 0)
            continue;
        const double *start = start_of(w, i);
        *out = (carom_job){.id = i, .q = start, .v = start + m->nq, .p = start + m->nq + m->nv,
                           .transient = w->transient, .strobes = w->strobes};
        if (w->exponents)
            out->X = w->column, out->transient = CAROM_BIFURCATION_ALIGNING, out->strobes = j->request->exponent,
            out->blocks = BLOCKS;
        return true;
    }
}

static bool stop(void *user)
{
    carom_bifurcation_job *j = ((crew *)user)->all->job;
    if (j->request->stop && j->request->stop(j->request->user))
        j->stopped = true;
    return j->stopped;
}

static bool strobe(void *user, const carom_strobe *at)
{
    crew *c = user;
    lanes *w = c->all;
    carom_bifurcation_job *j = w->job;
    carom_bifurcation *b = j->result;
    const carom_model *m = j->model;
    double *start = start_of(w, at->id);
    if (!at->counts)
        return true;
    long k = at->k - w->transient - 1;
    b->t[at->id * b->show + k] = at->t;
    b->x[at->id * b->show + k] = carom_mapper_value(c->mapper, at->t, at->q, at->v, NULL, start + m->nq + m->nv);
    if (k == w->strobes - 1) { /* where the exponent begins */
        carom_copy(m->nq, at->q, start);
        carom_copy(m->nv, at->v, start + m->nq);
    }
    return true;
}

static void done(void *user, const carom_job_result *result)
{
    lanes *w = ((crew *)user)->all;
    carom_bifurcation *b = w->job->result;
    long i = result->id;
    carom_status status = result->status;
    if (w->exponents) {
        double error;
        w->again[i] = status == CAROM_OK && result->flags & CAROM_TANGENT_RANK;
        if (status == CAROM_OK)
            carom_averages_end(result->averages, &b->exponent[i], &error);
    } else if (status == CAROM_OK) {
        b->count[i] = w->strobes;
    }
    if (!w->again[i])
        carom_bifurcation_note(w->job, 0, i, status,
                               status == CAROM_STOPPED ? "the stop condition of the model ends the run" : result->text);
}

/* On every thread: an ensemble that takes values until there are none. */
static void work_lanes(void *user)
{
    lanes *w = user;
    carom_bifurcation_job *j = w->job;
    crew c = {.all = w};
    carom_ensemble_calls calls = {.user = &c, .next = next, .done = done, .stop = stop};
    carom_ensemble *ensemble = NULL;
    carom_error error = {0};
    carom_status status = CAROM_OK;
    if (!w->exponents) {
        calls.strobe = strobe;
        status = carom_mapper_new(&c.mapper, j->model, j->options, j->request, &error);
    }
    if (status == CAROM_OK)
        status = carom_ensemble_new(&ensemble, j->model, j->options, w->exponents, &error);
    if (status == CAROM_OK)
        status = carom_ensemble_run(ensemble, &calls);
    if (status != CAROM_OK && status != CAROM_INTERRUPTED)
        carom_bifurcation_fail(j, status, &error);
    carom_ensemble_free(ensemble);
    carom_mapper_free(c.mapper);
}

static void work_again(void *user)
{
    lanes *w = user;
    carom_bifurcation_job *j = w->job;
    carom_lyapunov *lyapunov = NULL;
    for (long i; (i = atomic_fetch_add(&j->next, 1)) < j->result->n && !j->stopped;) {
        carom_error error = {0};
        carom_lyapunov_result exponents = {.exponent = {NAN}};
        const double *start = start_of(w, i);
        if (!w->again[i])
            continue;
        carom_status status = lyapunov ? CAROM_OK : carom_bifurcation_exponent(j, &lyapunov, &error);
        if (status == CAROM_OK)
            status = carom_lyapunov_follow(lyapunov, start, start + j->model->nq, start + j->model->nq + j->model->nv,
                                           &exponents, &error);
        j->result->exponent[i] = status == CAROM_OK ? exponents.exponent[0] : NAN;
        carom_bifurcation_note(j, 0, i, status, error.text);
    }
    carom_lyapunov_free(lyapunov);
}

/* The points, then the exponents, then those that need more care. */
static void work_all(lanes *w)
{
    carom_bifurcation_job *j = w->job;
    void (*const work[])(void *) = {work_lanes, work_lanes, work_again};
    for (int k = 0; k < (j->request->exponent > 0 ? 3 : 1) && j->status == CAROM_OK; k++) {
        w->exponents = k > 0;
        j->next = 0;
        carom_parallel(carom_threads(j->request->threads, j->result->n), work[k], w);
    }
}

carom_status carom_bifurcation_lanes(carom_bifurcation_job *j)
{
    const carom_bifurcation_request *r = j->request;
    const carom_model *m = j->model;
    carom_ensemble *probe = NULL;
    if (!r->fresh || r->map != CAROM_MAP_STROBE || r->n < LANES_FROM || m->njoint ||
        (r->of && carom_reaction_row(m, r->of) >= 0) || /* modes are asked for */
        !carom_scheme_is(j->options, CAROM_KEEPS_TOLERANCE | CAROM_CLOSED_FORM) ||
        carom_ensemble_new(&probe, m, j->options, r->exponent > 0, NULL) != CAROM_OK)
        return CAROM_UNSUPPORTED;
    carom_ensemble_free(probe);
    lanes w = {.job = j, .transient = r->transient >= 0 ? r->transient : 200};
    w.strobes = r->limit > 0 ? CAROM_MIN(r->limit, j->result->show) : j->result->show;
    w.again = calloc((size_t)r->n, sizeof(bool));
    w.column = calloc((size_t)(m->nq + m->nv), sizeof(double));
    if (w.again && w.column) {
        double length;
        carom_columns_begin(m->nq + m->nv, 1, w.column);
        carom_orthonormalize(m->nq + m->nv, 1, w.column, &length);
        j->parts = r->exponent > 0 ? 2 : 1;
        work_all(&w);
    } else {
        carom_error error = {0};
        carom_bifurcation_fail(j, carom_fail(&error, CAROM_NO_MEMORY, "no memory for %ld values", r->n), &error);
    }
    free(w.again);
    free(w.column);
    return CAROM_OK;
}
