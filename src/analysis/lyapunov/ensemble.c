/* ensemble.c: many starts through ensembles of eight lanes. What a start yields depends on the start alone, so that
 * which thread takes it, and beside which others it runs, does not show in the result. */
#include <math.h>
#include <stdlib.h>

#ifdef _OPENMP
#define PARALLEL(words) _Pragma(#words)
#else
#define PARALLEL(words)
#endif

#include "analysis/lanes/ensemble.h"
#include "analysis/lyapunov/lyapunov.h"
#include "schemes/scheme.h"

typedef struct lanes { /* shared by the threads */
    carom_lyapunov_team *team;
    carom_lyapunov_request request;
    int dim, columns;
    carom_averages *averages; /* [n] */
    long *impacts;            /* [n] before counting began */
    double *memory, *X;       /* of the averages; columns at the start */
} lanes;

static bool next(void *user, carom_job *job)
{
    lanes *w = user;
    int i = atomic_fetch_add(&w->team->next, 1);
    if (i >= w->team->n || w->team->stopped)
        return false;
    *job = (carom_job){.id = i, .v = w->team->v + i * w->team->model->nv, .X = w->X, .transient = w->request.transient,
                       .strobes = w->request.length};
    return true;
}

static bool strobe(void *user, const carom_strobe *s)
{
    lanes *w = user;
    carom_averages *a = &w->averages[s->id];
    if (!s->counts)
        w->impacts[s->id] = s->impacts;
    else if (carom_averages_add(a, s->log_r) && s->id == 0 && w->request.history) {
        double mean[CAROM_EXPONENTS_MAX];
        for (int i = 0; i < a->n; i++)
            mean[i] = a->sum[i] / (double)a->done;
        w->request.history(w->request.user, a->done, a->n, mean);
    }
    w->team->each[s->id].impacts = (double)(s->impacts - w->impacts[s->id]);
    return carom_lyapunov_may_go_on(w->team);
}

static bool stop(void *user)
{
    carom_lyapunov_team *t = ((lanes *)user)->team;
    if (t->request->stop && t->request->stop(t->request->user))
        t->stopped = true;
    return t->stopped;
}

static void done(void *user, const carom_job_result *result)
{
    lanes *w = user;
    carom_lyapunov_result *r = &w->team->each[result->id];
    const carom_averages *a = &w->averages[result->id];
    double sum = 0;
    for (int i = 0; i < a->n; i++)
        sum += a->sum[i];
    const bool stopped = result->status == CAROM_STOPPED && w->team->stopped;
    w->team->status[result->id] = stopped ? CAROM_INTERRUPTED : result->status;
    if (result->status != CAROM_OK && !stopped)
        carom_fail(&w->team->error[result->id], result->status, "%s",
                   result->status == CAROM_STOPPED ? "the stop condition of the model ends the run" : result->text);
    r->flags = result->flags & ~(unsigned)CAROM_TANGENT_GRAZING;
    r->slowest = result->slowest;
    r->radius = NAN;
    carom_lyapunov_conclude(a, r);
    if (a->done == 0)
        return;
    r->impacts /= (double)a->done;
    r->sum_rule_defect = w->columns == w->dim && isfinite(sum) ? fabs(sum - result->log_det) / (double)a->done : NAN;
}

static carom_status allocate(lanes *w, carom_error *error)
{
    int n = w->team->n;
    size_t each = carom_averages_doubles(w->columns, (int)CAROM_MIN((long)w->request.blocks, w->request.length));
    double r[CAROM_EXPONENTS_MAX], unit = w->team->model->period > 0 ? w->team->model->period : 1;
    w->averages = calloc((size_t)n, sizeof *w->averages);
    w->impacts = calloc((size_t)n, sizeof *w->impacts);
    w->memory = calloc((size_t)n * each + (size_t)(w->dim * w->columns), sizeof(double));
    if (!w->averages || !w->impacts || !w->memory)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d starts", n);
    w->X = w->memory + (size_t)n * each;
    carom_columns_begin(w->dim, w->columns, w->X);
    carom_orthonormalize(w->dim, w->columns, w->X, r);
    for (int i = 0; i < n; i++) {
        carom_averages_begin(&w->averages[i], w->columns, w->request.blocks, w->request.length,
                             w->memory + (size_t)i * each);
        w->team->each[i] = (carom_lyapunov_result){.n = w->columns, .per = unit};
        w->team->status[i] = CAROM_INTERRUPTED; /* until it is done */
    }
    return CAROM_OK;
}

static carom_status run(lanes *w, carom_error *error)
{
    carom_status status = CAROM_OK;
    const carom_ensemble_calls calls = {.user = w, .next = next, .done = done, .strobe = strobe, .stop = stop};
    PARALLEL(omp parallel num_threads(w->team->threads))
    {
        carom_ensemble *ensemble = NULL;
        carom_error own = {0};
        carom_status mine = carom_ensemble_new(&ensemble, w->team->model, w->team->options, w->columns, &own);
        if (mine == CAROM_OK)
            mine = carom_ensemble_run(ensemble, &calls);
        PARALLEL(omp critical(carom_lyapunov_lanes))
        if (mine != CAROM_OK && status == CAROM_OK) {
            status = mine;
            if (error)
                *error = own;
        }
        carom_ensemble_free(ensemble);
    }
    return status;
}

carom_status carom_lyapunov_lanes(carom_lyapunov_team *team, carom_error *error)
{
    lanes w = {.team = team, .request = *team->request, .dim = team->model->nq + team->model->nv};
    CAROM_TRY(carom_lyapunov_check(&w.request, error));
    w.columns = CAROM_MIN(w.request.exponents ? CAROM_MIN(w.request.exponents, w.dim) : w.dim, CAROM_EXPONENTS_MAX);
    if (w.request.method != CAROM_LYAPUNOV_TANGENT || w.request.parts > 1 || team->model->njoint ||
        !carom_scheme_is(team->options, CAROM_KEEPS_TOLERANCE | CAROM_CLOSED_FORM))
        return CAROM_UNSUPPORTED;
    carom_status status = allocate(&w, error);
    if (status == CAROM_OK)
        status = run(&w, error);
    free(w.averages);
    free(w.impacts);
    free(w.memory);
    return status;
}
