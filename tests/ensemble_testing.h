/* ensemble_testing.h: jobs for an ensemble, what came of them, and the same runs one by one. */
#ifndef CAROM_ENSEMBLE_TESTING_H
#define CAROM_ENSEMBLE_TESTING_H

#include <string.h>

#include "analysis/lanes/ensemble.h"
#include "testing.h"

enum { MOST = 64 };

typedef struct answer {
    double q[8], v[8], X[64], log_r[8], log_det, time, slowest;
    long impacts, serial, steps;
    carom_status status;
    char text[200];
    unsigned flags;
} answer;

typedef struct plan { /* jobs and what came of them */
    int n, next, nv, np, columns, transient, strobes;
    double strobe;
    double q[MOST][8], v[MOST][8], p[MOST][32];
    bool with_p;
    answer answer[MOST];
    long strobes_seen, impacts_seen;
    double last_log_r[8];
    int order[MOST]; /* in which they are handed out */
} plan;

static inline bool next(void *user, carom_job *job)
{
    plan *w = user;
    if (w->next == w->n)
        return false;
    int i = w->order[w->next++];
    *job = (carom_job){.id = i, .q = w->q[i], .v = w->v[i], .p = w->with_p ? w->p[i] : NULL, .strobe = w->strobe,
                       .transient = w->transient, .strobes = w->strobes};
    return true;
}

static inline void done(void *user, const carom_job_result *r)
{
    plan *w = user;
    answer *a = &w->answer[r->id];
    memcpy(a->q, r->q, sizeof(double) * (size_t)w->nv);
    memcpy(a->v, r->v, sizeof(double) * (size_t)w->nv);
    memcpy(a->X, r->X, sizeof(double) * (size_t)(2 * w->nv * w->columns));
    memcpy(a->log_r, r->log_r, sizeof(double) * (size_t)w->columns);
    a->log_det = r->log_det, a->time = r->time, a->slowest = r->slowest;
    a->impacts = r->impacts, a->serial = r->serial, a->steps = r->steps;
    a->status = r->status, a->flags = r->flags;
    snprintf(a->text, sizeof a->text, "%.190s", r->text);
}

static inline bool strobe(void *user, const carom_strobe *s)
{
    plan *w = user;
    w->strobes_seen++;
    memcpy(w->last_log_r, s->log_r, sizeof(double) * (size_t)w->columns);
    return true;
}

static inline void impact(void *user, const carom_impact *i)
{
    plan *w = user;
    w->impacts_seen++;
    ck_assert(i->u_before < 0 && i->u_after > 0);
}

static inline carom_model *load(const char *name, bool jit)
{
    carom_model *model;
    carom_error error;
    carom_load_options options = {.size = sizeof options, .jit = jit};
    CHECK_OK(carom_model_load(&model, name, &options, &error), error);
    return model;
}

static inline carom_model *parse(const char *text)
{
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static inline plan *plan_of(const carom_model *m, int n, int columns, int transient, int strobes)
{
    plan *w = calloc(1, sizeof *w);
    ck_assert_ptr_nonnull(w);
    ck_assert(m->nv <= 8 && m->np <= 32);
    w->n = n, w->nv = m->nv, w->np = m->np, w->columns = columns, w->transient = transient, w->strobes = strobes;
    for (int i = 0; i < n; i++) {
        w->order[i] = i;
        for (int k = 0; k < m->nv; k++)
            w->q[i][k] = m->q[k], w->v[i][k] = m->v ? m->v[k] : 0;
        for (int k = 0; k < m->np; k++)
            w->p[i][k] = m->p[k];
    }
    return w;
}

/* The jobs of a plan, which need not succeed; tol 0: in closed form. */
static inline void attempt(plan *w, const carom_model *m, double tol)
{
    carom_ensemble *e;
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", tol > 0 ? "tolerance" : "exact", &error), error);
    if (tol > 0)
        o.rtol = o.atol = tol;
    CHECK_OK(carom_ensemble_new(&e, m, &o, w->columns, &error), error);
    const carom_ensemble_calls calls = {.user = w, .next = next, .done = done, .strobe = strobe, .impact = impact};
    w->next = 0;
    w->strobes_seen = w->impacts_seen = 0;
    ck_assert_int_eq(carom_ensemble_run(e, &calls), CAROM_OK);
    carom_ensemble_free(e);
}

static inline void run(plan *w, const carom_model *m, double tol)
{
    attempt(w, m, tol);
    for (int i = 0; i < w->n; i++)
        ck_assert_msg(w->answer[i].status == CAROM_OK, "job %d: %s", i, w->answer[i].text);
}

/* The same run by the simulation and its tangent, with Gram-Schmidt left out: state and columns at the end. */
static inline void alone(const plan *w, int i, const carom_model *m, const char *scheme, double tol, double t,
                         double *q, double *v, double *X)
{
    carom_sim *sim;
    carom_tangent *tangent;
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.rtol = o.atol = tol;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    CHECK_OK(carom_sim_restart(sim, w->q[i], w->v[i], w->p[i]), *carom_sim_error(sim));
    double start[64] = {0};
    for (int k = 0; k < 2 * m->nv; k++)
        start[k * 2 * m->nv + k] = 1;
    CHECK_OK(carom_tangent_new(&tangent, sim, 2 * m->nv, &error), error);
    CHECK_OK(carom_tangent_start(tangent, start, NULL), *carom_tangent_error(tangent));
    CHECK_OK(carom_sim_run(sim, t), *carom_sim_error(sim));
    memcpy(q, carom_sim_state(sim)->q, sizeof(double) * (size_t)m->nv);
    memcpy(v, carom_sim_state(sim)->v, sizeof(double) * (size_t)m->nv);
    memcpy(X, carom_tangent_columns(tangent), sizeof(double) * (size_t)(4 * m->nv * m->nv));
    carom_tangent_free(tangent);
    carom_sim_free(sim);
}

/* ln of the volumes that the first k columns span are the sums of ln r_1 .. ln r_k. */
static inline void log_diagonal(int n, double *X, double *log_r)
{
    for (int c = 0; c < n; c++) {
        double square = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int d = 0; d < c; d++) {
                double along = 0;
                for (int i = 0; i < n; i++)
                    along += X[i * n + c] * X[i * n + d];
                for (int i = 0; i < n; i++)
                    X[i * n + c] -= along * X[i * n + d];
            }
        for (int i = 0; i < n; i++)
            square += X[i * n + c] * X[i * n + c];
        log_r[c] = 0.5 * log(square);
        for (int i = 0; i < n; i++)
            X[i * n + c] /= sqrt(square);
    }
}

/* Columns that were not orthonormalised in between know the small r_ii to 1e-9 only. */
static inline void compare(const plan *w, const carom_model *m, const char *scheme, double tol, double strobe_time,
                           double bound)
{
    for (int i = 0; i < w->n; i++) {
        double q[8], v[8], X[64], log_r[8];
        const answer *a = &w->answer[i];
        alone(w, i, m, scheme, tol, strobe_time * w->strobes, q, v, X);
        log_diagonal(2 * m->nv, X, log_r);
        for (int k = 0; k < m->nv; k++) {
            CHECK_NEAR(a->q[k], q[k], bound * (1 + fabs(q[k])));
            CHECK_NEAR(a->v[k], v[k], bound * (1 + fabs(v[k])));
        }
        for (int k = 0; k < w->columns; k++)
            CHECK_NEAR(a->log_r[k], log_r[k], fmax(100 * bound, 5e-9));
    }
}

#endif
