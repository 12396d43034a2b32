/* starts.c: several starts at once. Start 0 is the model's; start i has velocities that differ by a tenth of their size
 * plus one, drawn from seed and i alone, so that no result depends on which thread did what. Positions stay: gaps and
 * joints hold, and what remains of joint velocities is taken out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define PARALLEL(words) _Pragma(#words)
#else
#define PARALLEL(words)
#endif

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"

typedef carom_lyapunov_team team;

enum { LANES_FROM = 8 }; /* starts */

typedef struct member { /* one thread's view */
    team *team;
    int start;
} member;

/* Nobody waits: whoever finds that nobody is asking asks for all. */
bool carom_lyapunov_may_go_on(team *t)
{
    long total = atomic_fetch_add(&t->done, 1) + 1;
    if (!t->stopped && t->request->go_on && !atomic_flag_test_and_set(&t->asking)) {
        if (!t->request->go_on(t->request->user, total))
            t->stopped = true;
        atomic_flag_clear(&t->asking);
    }
    return !t->stopped;
}

static bool may_go_on(void *user, long done)
{
    (void)done;
    return carom_lyapunov_may_go_on(((member *)user)->team);
}

static bool stops(void *user)
{
    const team *t = ((member *)user)->team;
    return t->request->stop && t->request->stop(t->request->user);
}

static void pass_history(void *user, long done, int n, const double *mean)
{
    const member *m = user;
    if (m->start == 0 && m->team->request->history)
        m->team->request->history(m->team->request->user, done, n, mean);
}

static void work(team *t, carom_lyapunov *l, member *me, int i)
{
    me->start = i;
    t->each[i] = (carom_lyapunov_result){0};
    t->status[i] = t->stopped
                       ? CAROM_INTERRUPTED
                       : carom_lyapunov_follow(l, NULL, t->v + i * t->model->nv, NULL, &t->each[i], &t->error[i]);
}

/* One by one, those of wanted [n] (NULL: all). */
static void work_all(team *t, const bool *wanted)
{
    PARALLEL(omp parallel num_threads(t->threads))
    {
        member me = {t, 0};
        carom_lyapunov_request request = *t->request;
        carom_lyapunov *l = NULL;
        carom_error error = {0};
        request.go_on = may_go_on, request.stop = stops, request.history = pass_history, request.user = &me;
        carom_status status = carom_lyapunov_new(&l, t->model, t->options, &request, &error);
        PARALLEL(omp for schedule(dynamic, 1))
        for (int i = 0; i < t->n; i++) {
            if (wanted && !wanted[i])
                continue;
            t->status[i] = status, t->error[i] = error;
            if (status == CAROM_OK)
                work(t, l, &me, i);
        }
        carom_lyapunov_free(l);
    }
}

/* Many starts run eight at a time; those that lose directions are done again, with columns that begin after the
 * transient. */
static carom_status work_lanes(team *t, carom_error *error)
{
    if (t->n < LANES_FROM)
        return CAROM_UNSUPPORTED;
    CAROM_TRY(carom_lyapunov_lanes(t, error));
    bool *again = calloc((size_t)t->n, sizeof *again), any = false;
    if (!again)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d starts", t->n);
    for (int i = 0; i < t->n; i++)
        any |= again[i] = t->each[i].flags & CAROM_TANGENT_RANK;
    if (any && !t->stopped)
        work_all(t, again);
    free(again);
    return CAROM_OK;
}

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
            carom_copy(m->nq, m->q, a.probe.q);
            status = carom_admissible_move(&a, 0, a.probe.q, v, m->p, error);
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
    CAROM_SIZED(request, carom_lyapunov_request, error);
    CAROM_NEED(each, error);
    CAROM_NEED(mean, error);
    if (n < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d starts", n);
    team t = {.model = model,
              .options = options,
              .request = request,
              .each = each,
              .n = n,
              .threads = threads,
              .asking = ATOMIC_FLAG_INIT};
#ifdef _OPENMP
    t.threads = CAROM_MIN(threads > 0 ? threads : omp_get_num_procs(), n);
#endif
    t.status = calloc((size_t)n, sizeof *t.status);
    t.error = calloc((size_t)n, sizeof *t.error);
    t.v = calloc((size_t)(n * model->nv), sizeof *t.v);
    carom_status status = t.status && t.error && t.v ? choose_starts(&t, seed, error)
                                                     : carom_fail(error, CAROM_NO_MEMORY, "no memory for %d starts", n);
    if (status == CAROM_OK) {
        status = work_lanes(&t, error);
        if (status == CAROM_UNSUPPORTED) {
            work_all(&t, NULL);
            status = CAROM_OK;
        }
    }
    if (status == CAROM_OK) {
        status = judge(&t, mean, error);
    }
    free(t.status);
    free(t.error);
    free(t.v);
    return status;
}
