/* lyapunov.c: Lyapunov exponents of one start, by the tangent flow or by displaced copies, with QR.
 *
 *   X <- (derivative of the flow over a part of the period) Q,   X = Q R,   lambda_i = mean of ln r_ii per period   (1)
 *   |sum lambda_i - rate of the volume (trace and determinants at the events)|      the sum rule                    (2)
 *
 * With joints the columns live on their manifold, and the volume is that of the whole space: the ratio is the volume
 * of the joints' own derivative C = d(g, g_dot)/d(q, v) at both ends,
 *   sum over a run of ln r_ii = ln det + ln |C(end)| - ln |C(begin)|                                                (3)
 *
 * The rule (2) sees an error in any diagonal block but no shear; it is reported, never used. A direction is lost when
 * the motion comes to rest, sticks or chatters to a stop: the tangent says so, and columns with r_ii < 1e-12 are
 * dropped for good, with exponent -infinity. When all are lost there is nothing more to measure.
 *
 * Where the columns become nearly dependent within a part (r_ii below 1e-8 of the largest), parts are halved from the
 * next period on. The last periods of the transient already carry columns, so that they are aligned when counting
 * begins. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"
#include "model/model.h"
#include "sim/sim.h"

enum { ALIGNING = 20, PARTS_MOST = 4096 };
static const double LOST = 1e-12, NEARLY = 1e-8;

struct carom_lyapunov {
    const carom_model *model;
    carom_lyapunov_request request;
    carom_sim *plain;          /* runs the transient */
    carom_sim *sim;            /* is followed */
    carom_tangent *tangent;    /* one of the two */
    carom_displaced *displaced;
    carom_admissible admissible;
    int dim, n, alive;         /* 2 nv, columns, those that are not lost */
    bool complete;             /* n is all there are: the sum rule holds */
    double *X, *r, *log_r;     /* [dim*n] [n] [n] */
    const double *p;           /* [np] of this run */
    double *slopes;            /* [np] of the period, not used */
    double *memory;            /* of the averages */
    carom_averages averages;
    void *saved;               /* a state on its way from plain to sim */
    size_t bytes;
    double *block;             /* everything above */
    double unit, volume;       /* the period or 1; sum of log det */
    int parts;
    long periods;              /* since t = 0 */
};

carom_lyapunov_request carom_lyapunov_request_default(void)
{
    return (carom_lyapunov_request){.size = sizeof(carom_lyapunov_request), .length = 1000, .transient = 100,
                                    .blocks = 100, .epsilon = 1e-6};
}

/* ---- set-up ------------------------------------------------------------------------------------------ */

void carom_lyapunov_free(carom_lyapunov *l)
{
    if (!l)
        return;
    carom_admissible_free(&l->admissible);
    carom_displaced_free(l->displaced);
    carom_tangent_free(l->tangent);
    carom_sim_free(l->plain);
    carom_sim_free(l->sim);
    free(l->saved);
    free(l->block);
    free(l);
}

carom_status carom_lyapunov_check(carom_lyapunov_request *r, carom_error *error)
{
    const carom_lyapunov_request standard = carom_lyapunov_request_default();
    r->length = r->length ? r->length : standard.length;
    r->transient = r->transient >= 0 ? r->transient : standard.transient;
    r->blocks = r->blocks ? r->blocks : standard.blocks;
    r->epsilon = r->epsilon != 0 ? r->epsilon : standard.epsilon;
    if (r->length < 1 || r->blocks < 1 || r->parts < 0 || r->exponents < 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a length of %ld, %d blocks, %d parts or %d exponents make no sense",
                   r->length, r->blocks, r->parts, r->exponents);
    if (!(r->epsilon > 0 && r->epsilon <= DBL_MAX))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a displacement of %g is not a positive number", r->epsilon);
    return CAROM_OK;
}

static carom_status count_columns(carom_lyapunov *l, carom_error *error)
{
    CAROM_TRY(carom_admissible_new(&l->admissible, l->model, error));
    int all = l->dim - 2 * l->admissible.joints, wanted = l->request.exponents ? l->request.exponents : all;
    l->n = CAROM_MIN(CAROM_MIN(all, wanted), CAROM_EXPONENTS_MAX);
    l->complete = l->n == all;
    if (l->n < 1)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the model has no motion: %d coordinates and %d independent joints",
                   l->model->nq, (l->dim - all) / 2);
    return CAROM_OK;
}

static carom_status allocate(carom_lyapunov *l, const carom_options *options, carom_error *error)
{
    carom_options own = *options;
    own.energy = false;
    if (carom_scheme_is(&own, CAROM_CLOSED_FORM)) /* its flights are exact for any step: the longer, the cheaper */
        own.h = (l->model->period > 0 ? l->model->period : 1) / 4;
    CAROM_TRY(count_columns(l, error));
    CAROM_TRY(carom_sim_new(&l->plain, l->model, &own, error));
    CAROM_TRY(carom_sim_new(&l->sim, l->model, &own, error));
    if (l->request.method == CAROM_LYAPUNOV_TANGENT)
        CAROM_TRY(carom_tangent_new(&l->tangent, l->sim, l->n, error));
    else
        CAROM_TRY(carom_displaced_new(&l->displaced, l->sim, l->n, l->request.epsilon, error));
    carom_sim_set_interrupt(l->plain, l->request.stop, l->request.user);
    carom_sim_set_interrupt(l->sim, l->request.stop, l->request.user);
    size_t n = (size_t)l->n, doubles = (size_t)l->dim * n + 2 * n + (size_t)l->model->np;
    doubles += carom_averages_doubles(l->n, (int)CAROM_MIN((long)l->request.blocks, l->request.length));
    l->bytes = carom_sim_save(l->sim, NULL, 0);
    l->saved = malloc(l->bytes);
    l->block = calloc(doubles, sizeof(double));
    if (!l->saved || !l->block)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d columns", l->n);
    l->X = l->block;
    l->r = l->X + (size_t)l->dim * n;
    l->log_r = l->r + n;
    l->slopes = l->log_r + n;
    l->memory = l->slopes + l->model->np;
    return CAROM_OK;
}

carom_status carom_lyapunov_new(carom_lyapunov **result, const carom_model *model, const carom_options *options,
                                const carom_lyapunov_request *request, carom_error *error)
{
    CAROM_SIZED(model, carom_model, error);
    CAROM_SIZED(options, carom_options, error);
    CAROM_SIZED(request, carom_lyapunov_request, error);
    carom_lyapunov *l = *result = calloc(1, sizeof *l);
    if (!l)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for Lyapunov exponents");
    l->model = model;
    l->request = *request;
    l->dim = 2 * model->nv;
    carom_status status = carom_lyapunov_check(&l->request, error);
    if (status == CAROM_OK)
        status = allocate(l, options, error);
    if (status != CAROM_OK) {
        carom_lyapunov_free(l);
        *result = NULL;
    }
    return status;
}

/* ---- columns ----------------------------------------------------------------------------------------- */

static void begin_columns(carom_lyapunov *l)
{
    carom_columns_begin(l->dim, l->n, l->X);
    l->alive = l->n;
    const carom_state *s = carom_sim_state(l->sim);
    carom_admissible_columns(&l->admissible, s->t, s->q, s->v, l->p, l->n, l->X);
    carom_orthonormalize(l->dim, l->n, l->X, l->r);
}

static double joint_volume(carom_lyapunov *l)
{
    const carom_state *s = carom_sim_state(l->sim);
    return l->model->njoint ? carom_admissible_volume(&l->admissible, s->t, s->q, s->v, l->p) : 0;
}

/* Columns that have vanished go, the others close up. */
static void drop_lost(carom_lyapunov *l)
{
    double most = 1;
    int kept = 0;
    for (int j = 0; j < l->alive; j++)
        most = fmax(most, l->r[j]);
    for (int j = 0; j < l->alive; j++) {
        if (!(l->r[j] >= LOST * most))
            continue;
        for (int i = 0; i < l->dim; i++)
            l->X[i * l->n + kept] = l->X[i * l->n + j];
        l->r[kept++] = l->r[j];
    }
    for (int j = kept; j < l->n; j++)
        for (int i = 0; i < l->dim; i++)
            l->X[i * l->n + j] = 0;
    l->alive = kept;
}

static void note(carom_lyapunov *l, carom_lyapunov_result *result)
{
    const carom_tangent_info *info = carom_tangent_report(l->tangent);
    l->volume += info->log_det;
    result->flags |= info->flags & ~(unsigned)CAROM_TANGENT_GRAZING;
    result->grazing += (info->flags & CAROM_TANGENT_GRAZING) != 0;
    result->slowest = fmin(result->slowest, info->slowest);
    result->radius = fmin(result->radius, info->radius);
}

static carom_status follow_to(carom_lyapunov *l, double t, carom_error *error)
{
    if (l->displaced)
        return carom_displaced_run(l->displaced, t, l->X, error);
    CAROM_TRY(carom_tangent_start(l->tangent, l->X, NULL));
    carom_status status = carom_sim_run(l->sim, t);
    if (status == CAROM_INTERRUPTED)
        return status;
    CAROM_TRY(carom_sim_pass(l->sim, status, error));
    if (carom_tangent_error(l->tangent)->status != CAROM_OK) {
        if (error)
            *error = *carom_tangent_error(l->tangent);
        return carom_tangent_error(l->tangent)->status;
    }
    memcpy(l->X, carom_tangent_columns(l->tangent), sizeof(double) * (size_t)(l->dim * l->n));
    return CAROM_OK;
}

/* One period: log_r [n] are its terms in (1). */
static carom_status follow_period(carom_lyapunov *l, carom_lyapunov_result *result, carom_error *error)
{
    int parts = l->parts;
    bool nearly = false;
    memset(l->log_r, 0, sizeof(double) * (size_t)l->n);
    for (int k = 1; k <= parts && l->alive > 0; k++) {
        CAROM_TRY(follow_to(l, ((double)l->periods + (double)k / parts) * l->unit, error));
        carom_orthonormalize(l->dim, l->n, l->X, l->r);
        bool lost = l->displaced || carom_tangent_report(l->tangent)->flags & CAROM_TANGENT_RANK;
        double most = 0, least = INFINITY;
        if (l->tangent)
            note(l, result);
        if (lost)
            drop_lost(l);
        for (int j = 0; j < l->alive; j++) {
            l->log_r[j] += log(l->r[j]);                                                         /* (1) */
            most = fmax(most, l->r[j]);
            least = fmin(least, l->r[j]);
        }
        if (!(most <= DBL_MAX))
            CAROM_FAIL(error, CAROM_NOT_FINITE, "the columns are not finite at t = %.6g", carom_sim_state(l->sim)->t);
        nearly |= least < NEARLY * most;
    }
    for (int j = l->alive; j < l->n; j++)
        l->log_r[j] = -INFINITY;
    if (l->alive < l->n)
        result->flags |= CAROM_TANGENT_RANK;
    if (nearly && l->request.parts == 0 && l->tangent && parts < PARTS_MOST)
        l->parts = 2 * parts;
    l->periods++;
    return CAROM_OK;
}

/* ---- a run ------------------------------------------------------------------------------------------- */

static bool go_on(carom_lyapunov *l)
{
    return !l->request.go_on || l->request.go_on(l->request.user, l->periods);
}

static carom_status run_transient(carom_lyapunov *l, const double *q, const double *v, const double *p,
                                  carom_lyapunov_result *result, carom_error *error)
{
    long aligning = CAROM_MIN(l->request.transient, ALIGNING);
    CAROM_TRY(carom_sim_pass(l->plain, carom_sim_restart(l->plain, q, v, p), error));
    for (; l->periods < l->request.transient - aligning; l->periods++) {
        CAROM_TRY(carom_sim_pass(l->plain, carom_sim_run(l->plain, (double)(l->periods + 1) * l->unit), error));
        if (!go_on(l))
            return CAROM_INTERRUPTED;
    }
    carom_sim_save(l->plain, l->saved, l->bytes);
    CAROM_TRY(carom_sim_pass(l->sim, carom_sim_load(l->sim, l->saved, l->bytes), error));
    begin_columns(l);
    carom_lyapunov_result ignored = *result;
    while (l->periods < l->request.transient) {
        CAROM_TRY(follow_period(l, &ignored, error));
        if (l->alive < l->n)
            begin_columns(l);
        if (!go_on(l))
            return CAROM_INTERRUPTED;
    }
    return CAROM_OK;
}

static carom_status measure(carom_lyapunov *l, carom_lyapunov_result *result, carom_error *error)
{
    carom_averages *a = &l->averages;
    double mean[CAROM_EXPONENTS_MAX];
    l->volume = -joint_volume(l);
    while (a->done < l->request.length) {
        CAROM_TRY(follow_period(l, result, error));
        bool whole = carom_averages_add(a, l->log_r);
        if (whole && l->request.history) {
            for (int i = 0; i < l->n; i++)
                mean[i] = a->sum[i] / (double)a->done;
            l->request.history(l->request.user, a->done, l->n, mean);
        }
        if (l->alive == 0)
            break;
        if (!go_on(l))
            return CAROM_INTERRUPTED;
    }
    return CAROM_OK;
}

static const char *gravest(const carom_lyapunov_result *r)
{
    return r->flags & CAROM_TANGENT_RANK ? "rest" : r->flags & CAROM_TANGENT_NONE ? "jump"
           : r->flags & CAROM_TANGENT_BEYOND ? "beyond" : r->flags & CAROM_TANGENT_ONE_SIDED ? "one-sided"
           : r->flags & CAROM_TANGENT_GRAZING ? "grazing" : NULL;
}

static void sort(carom_lyapunov_result *r)
{
    for (int i = 1; i < r->n; i++)
        for (int j = i; j > 0 && r->exponent[j] > r->exponent[j - 1]; j--) {
            double x = r->exponent[j], e = r->error[j];
            r->exponent[j] = r->exponent[j - 1], r->error[j] = r->error[j - 1];
            r->exponent[j - 1] = x, r->error[j - 1] = e;
        }
}

void carom_lyapunov_conclude(const carom_averages *a, carom_lyapunov_result *r)
{
    r->n = a->n;
    r->length = a->done;
    if (a->done == 0)
        return;
    r->regular = carom_averages_end(a, r->exponent, r->error);
    sort(r);
    r->kaplan_yorke = carom_kaplan_yorke(r->n, r->exponent);
    if (2 * r->grazing > a->done) /* of a chaotic motion some impacts always graze */
        r->flags |= CAROM_TANGENT_GRAZING;
    r->flag = gravest(r);
}

static void conclude(carom_lyapunov *l, long impacts, carom_lyapunov_result *r)
{
    const carom_averages *a = &l->averages;
    double sum = 0;
    carom_lyapunov_conclude(a, r);
    if (a->done == 0)
        return;
    for (int i = 0; i < l->n; i++)
        sum += a->sum[i];
    l->volume += joint_volume(l);                                                                /* (3) */
    r->impacts = (double)impacts / (double)a->done;
    if (l->tangent && l->complete && l->alive == l->n)
        r->sum_rule_defect = fabs(sum - l->volume) / (double)a->done;                            /* (2) */
}

carom_status carom_lyapunov_follow(carom_lyapunov *l, const double *q, const double *v, const double *p,
                                   carom_lyapunov_result *result, carom_error *error)
{
    l->p = p ? p : l->model->p;
    double period = carom_model_period(l->model, l->p, l->slopes);
    if (isnan(period))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the period of the forcing");
    *result = (carom_lyapunov_result){.n = l->n, .sum_rule_defect = NAN, .slowest = l->tangent ? INFINITY : NAN,
                                      .radius = l->tangent ? INFINITY : NAN, .kaplan_yorke = NAN, .impacts = NAN};
    l->unit = result->per = period > 0 ? period : 1;
    l->periods = 0;
    l->parts = l->request.parts ? l->request.parts : 1;
    carom_averages_begin(&l->averages, l->n, l->request.blocks, l->request.length, l->memory);
    carom_status status = run_transient(l, q, v, p, result, error);
    if (status != CAROM_OK)
        return status;
    long before = carom_sim_info(l->sim)->events[CAROM_EVENT_IMPACT];
    status = measure(l, result, error);
    conclude(l, carom_sim_info(l->sim)->events[CAROM_EVENT_IMPACT] - before, result);
    return status;
}

carom_status carom_lyapunov_run(const carom_model *model, const carom_options *options,
                                const carom_lyapunov_request *request, carom_lyapunov_result *result,
                                carom_error *error)
{
    carom_lyapunov *l = NULL;
    CAROM_NEED(result, error);
    CAROM_TRY(carom_lyapunov_new(&l, model, options, request, error));
    carom_status status = carom_lyapunov_follow(l, NULL, NULL, NULL, result, error);
    carom_lyapunov_free(l);
    return status;
}
