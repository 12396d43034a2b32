/* lanes.c: values that begin at starts of their own, through ensembles of eight lanes: their points in the strobe map
 * first, then the largest exponent from where each has ended.
 *
 * Lanes know the state at strobes, not the dense output between them nor the impacts of the simulation that helps
 * them out: sections and impacts are left to the mapper. What a value yields depends on the value alone, not on its
 * neighbours or the thread. Motions that lose directions are measured again one by one, with columns that begin after
 * the transient (as in analysis/lyapunov/starts.c). */
#include <math.h>
#include <stdlib.h>

#ifdef _OPENMP
#define PARALLEL(words) _Pragma(#words)
#else
#define PARALLEL(words)
#endif

#include "analysis/bifurcation/bifurcation.h"
#include "analysis/lanes/ensemble.h"
#include "core/dense.h"
#include "schemes/scheme.h"

enum { LANES_FROM = 8, BLOCKS = 100, LANES = 8 };

typedef struct lanes { /* shared by the threads */
    carom_bifurcation_job *job;
    long transient, strobes; /* of the points */
    atomic_long next;
    bool *again;             /* [n] the exponent is to be measured one by one */
    double *column;          /* [nq+nv] where exponents begin */
} lanes;

typedef struct crew { /* of one thread */
    lanes *all;
    carom_mapper *mapper;
    carom_ensemble *ensemble;
    bool exponents;          /* that is what the ensemble is for now */
    long id[LANES];          /* values whose exponents are under way; -1: none */
    carom_averages averages[LANES];
    double memory[LANES][CAROM_AVERAGES_DOUBLES(1, BLOCKS)];
} crew;

static double *start_of(const lanes *w, long i)
{
    return w->job->start + i * w->job->each;
}

/* The place of a value among those under way; of -1 a free one. */
static int place_of(const crew *c, long id)
{
    int k = 0;
    while (k < LANES - 1 && c->id[k] != id)
        k++;
    return k;
}

static bool next(void *user, carom_job *out)
{
    crew *c = user;
    lanes *w = c->all;
    carom_bifurcation_job *j = w->job;
    const carom_model *m = j->model;
    for (;;) {
        long i = atomic_fetch_add(&w->next, 1);
        if (i >= j->result->n || j->stopped)
            return false;
        if (!c->exponents && j->missing[i]) {
            carom_bifurcation_note(j, 0, i, CAROM_BAD_MODEL, j->why);
            continue;
        }
        if (c->exponents && j->result->count[i] < 0)
            continue;
        const double *start = start_of(w, i);
        *out = (carom_job){.id = i,
                           .q = start,
                           .v = start + m->nq,
                           .p = start + m->nq + m->nv,
                           .transient = w->transient,
                           .strobes = w->strobes};
        if (c->exponents) {
            int k = place_of(c, -1);
            c->id[k] = i;
            carom_averages_begin(&c->averages[k], 1, BLOCKS, j->request->exponent, c->memory[k]);
            out->X = w->column, out->transient = CAROM_BIFURCATION_ALIGNING, out->strobes = j->request->exponent;
        }
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
    if (c->exponents) {
        carom_averages_add(&c->averages[place_of(c, at->id)], at->log_r);
        return true;
    }
    long k = at->k - w->transient - 1;
    b->t[at->id * b->show + k] = at->t;
    b->x[at->id * b->show + k] = carom_mapper_value(c->mapper, at->t, at->q, at->v, start + m->nq + m->nv);
    if (k == w->strobes - 1) { /* where the exponent begins */
        carom_copy(m->nq, at->q, start);
        carom_copy(m->nv, at->v, start + m->nq);
    }
    return true;
}

static void done(void *user, const carom_job_result *result)
{
    crew *c = user;
    lanes *w = c->all;
    carom_bifurcation *b = w->job->result;
    long i = result->id;
    carom_status status = result->status;
    if (c->exponents) {
        int k = place_of(c, i);
        double error;
        c->id[k] = -1;
        w->again[i] = status == CAROM_OK && result->flags & CAROM_TANGENT_RANK;
        if (status == CAROM_OK)
            carom_averages_end(&c->averages[k], &b->exponent[i], &error);
    } else if (status == CAROM_OK) {
        b->count[i] = w->strobes;
    }
    if (!w->again[i])
        carom_bifurcation_note(w->job, 0, i, status,
                               status == CAROM_STOPPED ? "the stop condition of the model ends the run" : result->text);
}

/* One kind of work, by all threads. */
static void work_lanes(lanes *w, crew *c, bool exponents)
{
    const carom_ensemble_calls calls = {.user = c, .next = next, .done = done, .strobe = strobe, .stop = stop};
    carom_error error = {0};
    c->exponents = exponents;
    for (int k = 0; k < LANES; k++)
        c->id[k] = -1;
    PARALLEL(omp barrier)
    PARALLEL(omp single)
    w->next = 0;
    carom_status status = carom_ensemble_new(&c->ensemble, w->job->model, w->job->options, exponents, &error);
    if (status == CAROM_OK)
        status = carom_ensemble_run(c->ensemble, &calls);
    if (status != CAROM_OK && status != CAROM_INTERRUPTED)
        carom_bifurcation_fail(w->job, status, &error);
    carom_ensemble_free(c->ensemble);
    c->ensemble = NULL;
    PARALLEL(omp barrier)
}

static void work_again(lanes *w)
{
    carom_bifurcation_job *j = w->job;
    carom_lyapunov *lyapunov = NULL;
    PARALLEL(omp for schedule(dynamic, 1))
    for (long i = 0; i < j->result->n; i++) {
        carom_error error = {0};
        carom_lyapunov_result exponents = {.exponent = {NAN}};
        const double *start = start_of(w, i);
        if (!w->again[i] || j->stopped)
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

static void work_all(lanes *w)
{
    PARALLEL(omp parallel num_threads(w->job->threads))
    {
        crew *c = calloc(1, sizeof *c);
        carom_error error = {0};
        carom_status status = c ? carom_mapper_new(&c->mapper, w->job->model, w->job->options, w->job->request, &error)
                                : carom_fail(&error, CAROM_NO_MEMORY, "no memory for eight lanes");
        if (status != CAROM_OK)
            carom_bifurcation_fail(w->job, status, &error);
        PARALLEL(omp barrier)
        if (w->job->status == CAROM_OK) { /* of all threads or of none: there are barriers ahead */
            c->all = w;
            work_lanes(w, c, false);
            if (w->job->request->exponent > 0) {
                work_lanes(w, c, true);
                work_again(w);
            }
        }
        if (c)
            carom_mapper_free(c->mapper);
        free(c);
    }
}

carom_status carom_bifurcation_lanes(carom_bifurcation_job *j)
{
    const carom_bifurcation_request *r = j->request;
    const carom_model *m = j->model;
    carom_ensemble *probe = NULL;
    if (!r->fresh || r->map != CAROM_MAP_STROBE || r->n < LANES_FROM || m->njoint ||
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
        j->threads = (int)CAROM_MIN((long)j->threads, r->n);
        work_all(&w);
    } else {
        carom_error error = {0};
        carom_bifurcation_fail(j, carom_fail(&error, CAROM_NO_MEMORY, "no memory for %ld values", r->n), &error);
    }
    free(w.again);
    free(w.column);
    return CAROM_OK;
}
