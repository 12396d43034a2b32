/* starts.c: several starts at once. Start 0 is the model's; start i has velocities that differ by a tenth of their size
 * plus one, drawn from seed and i alone, so that no result depends on which thread did what. Positions stay: gaps and
 * joints hold, and what remains of joint velocities is taken out.
 *
 * Many starts run through ensembles of eight lanes on each thread; those that lose directions are measured again one by
 * one, with columns that begin after the transient. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lanes/ensemble.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"
#include "core/parallel.h"
#include "schemes/scheme.h"

enum { LANES_FROM = 8 }; /* starts */

typedef struct team { /* shared by the threads */
    const carom_model *model;
    const carom_options *options;
    carom_lyapunov_request request;
    carom_lyapunov_result *each; /* [n] */
    carom_status *status;        /* [n] */
    carom_error *error;          /* [n] */
    double *v;                   /* [n*nv] */
    int n, threads;
    const bool *wanted;          /* [n] those to be measured one by one; NULL: all */
    atomic_long done;            /* periods of all starts */
    atomic_int next;             /* the start that is to be taken next */
    atomic_bool stopped;
    atomic_flag asking;          /* somebody is in go_on */
    int dim, columns;            /* of the lanes */
    double *X;                   /* [dim*columns] at the start */
    carom_lock lock;
    carom_status fault;          /* of an ensemble, and why */
    carom_error why;
} team;

typedef struct member { /* one thread's view */
    team *team;
    int start;
} member;

/* One period of one start is done. Nobody waits: whoever finds that nobody is asking asks for all. */
static bool ask(team *t)
{
    long total = atomic_fetch_add(&t->done, 1) + 1;
    if (!t->stopped && t->request.go_on && !atomic_flag_test_and_set(&t->asking)) {
        if (!t->request.go_on(t->request.user, total))
            t->stopped = true;
        atomic_flag_clear(&t->asking);
    }
    return !t->stopped;
}

static bool may_go_on(void *user, long done)
{
    (void)done;
    return ask(((member *)user)->team);
}

static bool stops(void *user)
{
    const team *t = ((member *)user)->team;
    return t->request.stop && t->request.stop(t->request.user);
}

static void pass_history(void *user, long done, int n, const double *mean)
{
    const member *m = user;
    if (m->start == 0 && m->team->request.history)
        m->team->request.history(m->team->request.user, done, n, mean);
}

/* ---- one by one ---- */

/* On every thread: starts until there are none. */
static void work_singly(void *user)
{
    team *t = user;
    member me = {t, 0};
    carom_lyapunov_request request = t->request;
    carom_lyapunov *l = NULL;
    carom_error error = {0};
    request.go_on = may_go_on, request.stop = stops, request.history = pass_history, request.user = &me;
    carom_status status = carom_lyapunov_new(&l, t->model, t->options, &request, &error);
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->n;) {
        if (t->wanted && !t->wanted[i])
            continue;
        me.start = i;
        t->status[i] = status, t->error[i] = error;
        if (status != CAROM_OK)
            continue;
        t->each[i] = (carom_lyapunov_result){0};
        t->status[i] = t->stopped ? CAROM_INTERRUPTED
                                  : carom_lyapunov_follow(l, NULL, t->v + i * t->model->nv, NULL, &t->each[i],
                                                          &t->error[i]);
    }
    carom_lyapunov_free(l);
}

static void all_singly(team *t, const bool *wanted)
{
    t->wanted = wanted;
    t->next = 0;
    carom_parallel(t->threads, work_singly, t);
}

/* ---- on lanes ---- */

static bool next(void *user, carom_job *job)
{
    team *t = user;
    int i = atomic_fetch_add(&t->next, 1);
    if (i >= t->n || t->stopped)
        return false;
    *job = (carom_job){.id = i, .v = t->v + i * t->model->nv, .X = t->X, .transient = t->request.transient,
                       .strobes = t->request.length, .blocks = t->request.blocks};
    return true;
}

static bool strobe(void *user, const carom_strobe *s)
{
    team *t = user;
    const carom_averages *a = s->averages;
    if (a && s->id == 0 && t->request.history) {
        double mean[CAROM_EXPONENTS_MAX];
        for (int i = 0; i < a->n; i++)
            mean[i] = a->sum[i] / (double)a->done;
        t->request.history(t->request.user, a->done, a->n, mean);
    }
    return ask(t);
}

static bool stop(void *user)
{
    team *t = user;
    if (t->request.stop && t->request.stop(t->request.user))
        t->stopped = true;
    return t->stopped;
}

static void done(void *user, const carom_job_result *result)
{
    team *t = user;
    carom_lyapunov_result *r = &t->each[result->id];
    const carom_averages *a = result->averages;
    const bool stopped = result->status == CAROM_STOPPED && t->stopped;
    double sum = 0;
    t->status[result->id] = stopped ? CAROM_INTERRUPTED : result->status;
    if (result->status != CAROM_OK && !stopped)
        carom_fail(&t->error[result->id], result->status, "%s",
                   result->status == CAROM_STOPPED ? "the stop condition of the model ends the run" : result->text);
    if (!a)
        return;
    r->flags = result->flags & ~(unsigned)CAROM_TANGENT_GRAZING;
    r->slowest = result->slowest;
    r->radius = NAN;
    carom_lyapunov_conclude(a, r);
    if (a->done == 0)
        return;
    for (int i = 0; i < a->n; i++)
        sum += a->sum[i];
    r->impacts = (double)result->impacts / (double)a->done;
    r->sum_rule_defect = t->columns == t->dim && isfinite(sum) ? fabs(sum - result->log_det) / (double)a->done : NAN;
}

/* On every thread: an ensemble that takes starts until there are none. */
static void work_lanes(void *user)
{
    team *t = user;
    const carom_ensemble_calls calls = {.user = t, .next = next, .done = done, .strobe = strobe, .stop = stop};
    carom_ensemble *ensemble = NULL;
    carom_error error = {0};
    carom_status status = carom_ensemble_new(&ensemble, t->model, t->options, t->columns, &error);
    if (status == CAROM_OK)
        status = carom_ensemble_run(ensemble, &calls);
    carom_lock_take(&t->lock);
    if (status != CAROM_OK && t->fault == CAROM_OK)
        t->fault = status, t->why = error;
    carom_lock_release(&t->lock);
    carom_ensemble_free(ensemble);
}

/* CAROM_UNSUPPORTED: not for this model, scheme or request. */
static carom_status all_on_lanes(team *t)
{
    double r[CAROM_EXPONENTS_MAX];
    if (t->n < LANES_FROM || t->request.method != CAROM_LYAPUNOV_TANGENT || t->request.parts > 1 ||
        t->model->njoint || !carom_scheme_is(t->options, CAROM_KEEPS_TOLERANCE | CAROM_CLOSED_FORM))
        return CAROM_UNSUPPORTED;
    CAROM_TRY(carom_lyapunov_check(&t->request, &t->why));
    t->dim = t->model->nq + t->model->nv;
    t->columns = CAROM_MIN(t->request.exponents ? CAROM_MIN(t->request.exponents, t->dim) : t->dim,
                           CAROM_EXPONENTS_MAX);
    t->X = calloc((size_t)t->dim * (size_t)t->columns, sizeof *t->X);
    bool *again = calloc((size_t)t->n, sizeof *again), any = false;
    if (t->X && again) {
        carom_columns_begin(t->dim, t->columns, t->X);
        carom_orthonormalize(t->dim, t->columns, t->X, r);
        for (int i = 0; i < t->n; i++) {
            t->each[i] = (carom_lyapunov_result){.n = t->columns, .per = t->model->period > 0 ? t->model->period : 1};
            t->status[i] = CAROM_INTERRUPTED; /* until it is done */
        }
        carom_parallel(t->threads, work_lanes, t);
        for (int i = 0; i < t->n; i++)
            any |= again[i] = t->each[i].flags & CAROM_TANGENT_RANK;
        if (t->fault == CAROM_OK && any && !t->stopped)
            all_singly(t, again);
    } else {
        t->fault = carom_fail(&t->why, CAROM_NO_MEMORY, "no memory for %d starts", t->n);
    }
    free(t->X);
    free(again);
    return t->fault;
}

/* ---- starts ---- */

static double uniform(unsigned long long *state) /* in [-1, 1) */
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static carom_status choose_starts(team *t, int seed, carom_error *error)
{
    const carom_model *m = t->model;
    carom_admissible a;
    CAROM_TRY(carom_admissible_new(&a, m, error));
    carom_status status = CAROM_OK;
    for (int i = 0; i < t->n && status == CAROM_OK; i++) {
        double *v = t->v + i * m->nv;
        unsigned long long state = ((unsigned long long)(unsigned)seed << 32) + (unsigned)i;
        if (m->v)
            carom_copy(m->nv, m->v, v);
        double size = i ? 0.1 * (1 + carom_norm_max(m->nv, v)) : 0;
        for (int k = 0; k < m->nv; k++)
            v[k] += size * uniform(&state);
        if (i && m->njoint) {
            carom_copy(m->nq, m->q, a.assembly.probe.q);
            status = carom_admissible_move(&a, 0, a.assembly.probe.q, v, m->p, error);
        }
    }
    carom_admissible_free(&a);
    return status;
}

static void combine(const team *t, carom_lyapunov_result *mean)
{
    int count = 0;
    *mean = (carom_lyapunov_result){.slowest = INFINITY, .radius = INFINITY, .regular = true};
    for (int k = 0; k < t->n; k++) {
        const carom_lyapunov_result *r = &t->each[k];
        if (r->length == 0)
            continue;
        count++;
        mean->n = r->n, mean->per = r->per;
        for (int i = 0; i < r->n; i++) {
            mean->exponent[i] += r->exponent[i];
            mean->error[i] += r->error[i] * r->error[i];
        }
        mean->length += r->length;
        mean->regular = mean->regular && r->regular;
        mean->impacts += r->impacts;
        mean->sum_rule_defect = isnan(r->sum_rule_defect) ? NAN : fmax(mean->sum_rule_defect, r->sum_rule_defect);
        mean->slowest = isnan(r->slowest) ? NAN : fmin(mean->slowest, r->slowest);
        mean->radius = isnan(r->radius) ? NAN : fmin(mean->radius, r->radius);
        mean->grazing += r->grazing;
        mean->flags |= r->flags;
        mean->flag = mean->flag ? mean->flag : r->flag;
    }
    mean->regular = mean->regular && count > 0;
    for (int i = 0; i < mean->n; i++) {
        mean->exponent[i] /= count;
        mean->error[i] = sqrt(mean->error[i]) / count;
    }
    mean->impacts /= count;
    mean->kaplan_yorke = carom_kaplan_yorke(mean->n, mean->exponent);
}

static carom_status judge(const team *t, carom_lyapunov_result *mean, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < t->n; i++) {
        if (t->status[i] == CAROM_OK)
            continue;
        if (t->status[i] != CAROM_INTERRUPTED) {
            if (error)
                *error = t->error[i];
            return t->status[i];
        }
        status = CAROM_INTERRUPTED;
    }
    combine(t, mean);
    return status;
}

carom_status carom_lyapunov_starts(const carom_model *model, const carom_options *options,
                                   const carom_lyapunov_request *request, int n, int seed, int threads,
                                   carom_lyapunov_result *each, carom_lyapunov_result *mean, carom_error *error)
{
    CAROM_SIZED(model, carom_model, error);
    CAROM_SIZED(options, carom_options, error);
    CAROM_SIZED(request, carom_lyapunov_request, error);
    CAROM_NEED(each, error);
    CAROM_NEED(mean, error);
    if (n < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d starts", n);
    team t = {.model = model, .options = options, .request = *request, .each = each, .n = n,
              .threads = carom_threads(threads, n), .asking = ATOMIC_FLAG_INIT, .lock = CAROM_LOCK_OPEN};
    t.status = calloc((size_t)n, sizeof *t.status);
    t.error = calloc((size_t)n, sizeof *t.error);
    t.v = calloc((size_t)n * (size_t)model->nv, sizeof *t.v);
    carom_status status = t.status && t.error && t.v ? choose_starts(&t, seed, error)
                                                     : carom_fail(error, CAROM_NO_MEMORY, "no memory for %d starts", n);
    if (status == CAROM_OK) {
        status = all_on_lanes(&t);
        if (status == CAROM_UNSUPPORTED)
            all_singly(&t, NULL), status = CAROM_OK;
        else if (status != CAROM_OK && error)
            *error = t.why;
    }
    if (status == CAROM_OK)
        status = judge(&t, mean, error);
    free(t.status);
    free(t.error);
    free(t.v);
    return status;
}
