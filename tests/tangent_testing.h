/* tangent_testing.h: tangents against differences of the flow map, and their determinant against the sum rule. */
#ifndef CAROM_TANGENT_TESTING_H
#define CAROM_TANGENT_TESTING_H

#include <string.h>

#include "carom_analysis.h"
#include "testing.h"

enum { NX = 16, NP = 8, COLUMNS = 2 * (NX + NP) };

typedef struct tangent_case { /* what is run and what must come of it */
    const char *name, *text, *scheme; /* NULL: tolerance */
    double t_end, delta; /* of the differences; 0: 1e-4 */
    double rtol;         /* of the tangent; 0: 1e-12, as of the differences */
    unsigned skip;       /* directions (initial values, then parameters) that leave a closed contact */
    bool one_sided;      /* forward differences in both directions */
    double bound;        /* of the relative error; 0: 1e-8 */
    int rank;
    unsigned flags;
    int impacts, closings, openings, sticks, slips; /* at least */
} tangent_case;

static inline carom_model *load(const char *text)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static inline carom_sim *new_sim(const carom_model *model, const char *scheme, double t_end, double rtol)
{
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.rtol = rtol, options.atol = rtol / 10, options.t_end = t_end;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    return sim;
}

/* The flow map of a start that is perturbed by s times a direction (initial values, parameters). */
static inline void flow(carom_sim *sim, const carom_model *m, const double *direction, double s, double t_end,
                        double *x)
{
    double y[NX + NP];
    for (int i = 0; i < m->nq + m->nv + m->np; i++) {
        int k = i - m->nq - m->nv;
        y[i] = k >= 0 ? m->p[k] : i < m->nq ? m->q[i] : m->v ? m->v[i - m->nq] : 0;
        y[i] += s * direction[i];
    }
    CHECK_OK(carom_sim_restart(sim, y, y + m->nq, m->np ? y + m->nq + m->nv : NULL), *carom_sim_error(sim));
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    memcpy(x, carom_sim_state(sim)->q, sizeof(double) * (size_t)m->nq);
    memcpy(x + m->nq, carom_sim_state(sim)->v, sizeof(double) * (size_t)m->nv);
}

/* Central differences of order 4, or forward ones of order 3. */
static inline void differences(carom_sim *sim, const carom_model *m, const double *direction, double delta,
                               bool forward, double t_end, double *dx)
{
    static const double s[2][4] = {{-2, -1, 1, 2}, {0, 1, 2, 3}};
    static const double w[2][4] = {{1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, {-11.0 / 6, 3, -1.5, 1.0 / 3}};
    double x[NX];
    memset(dx, 0, sizeof(double) * NX);
    for (int k = 0; k < 4; k++) {
        flow(sim, m, direction, s[forward][k] * delta, t_end, x);
        for (int i = 0; i < m->nq + m->nv; i++)
            dx[i] += w[forward][k] * x[i] / delta;
    }
}

/* ln|det| of the first n columns of X [n*columns]. */
static inline double log_determinant(int n, int columns, const double *X)
{
    double A[NX][NX], sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = X[i * columns + j];
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        for (int j = 0; j < n; j++) {
            double y = A[k][j];
            A[k][j] = A[p][j], A[p][j] = y;
        }
        sum += log(fabs(A[k][k]));
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    return sum;
}

static inline void check_events(const tangent_case *c, carom_sim *sim)
{
    const int least[CAROM_EVENT_TYPES] = {c->impacts, c->closings, c->openings, c->sticks, c->slips};
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        ck_assert_msg(carom_sim_info(sim)->events[i] >= least[i], "%s: %ld events %s, expected %d", c->name,
                      carom_sim_info(sim)->events[i], carom_event_name((carom_event_type)i), least[i]);
}

/* Runs the case and checks all of it. */
static inline carom_tangent_info check_case(const tangent_case *c)
{
    carom_error error = {0};
    carom_model *m = load(c->text);
    int nx = m->nq + m->nv, half = nx + m->np, n = c->one_sided ? 2 * half : half;
    double delta = c->delta > 0 ? c->delta : 1e-4, most = 0, size = 0;
    double X[NX * COLUMNS] = {0}, dp[NP * COLUMNS] = {0};
    carom_sim *plain = new_sim(m, "tolerance", c->t_end, 1e-12);
    carom_sim *sim = new_sim(m, c->scheme ? c->scheme : "tolerance", c->t_end, c->rtol > 0 ? c->rtol : 1e-12);
    carom_tangent *tangent;
    CHECK_OK(carom_tangent_new(&tangent, sim, n, &error), error);
    for (int j = 0; j < n; j++)
        *(j % half < nx ? &X[j % half * n + j] : &dp[(j % half - nx) * n + j]) = j < half ? 1 : -1;
    CHECK_OK(carom_tangent_start(tangent, X, m->np ? dp : NULL), *carom_tangent_error(tangent));
    CHECK_OK(carom_sim_run(sim, c->t_end), *carom_sim_error(sim));
    ck_assert_msg(carom_tangent_error(tangent)->status == CAROM_OK, "%s: %s", c->name,
                  carom_tangent_error(tangent)->text);
    const double *Y = carom_tangent_columns(tangent);
    for (int j = 0; j < n; j++) {
        double direction[NX + NP] = {0}, dx[NX];
        if (c->skip & 1u << j % half)
            continue;
        direction[j % half] = j < half ? 1 : -1;
        differences(plain, m, direction, delta, c->one_sided, c->t_end, dx);
        for (int i = 0; i < nx; i++)
            most = fmax(most, fabs(dx[i] - Y[i * n + j])), size = fmax(size, fabs(dx[i]));
    }
    carom_tangent_info info = *carom_tangent_report(tangent);
    printf("%s: relative error %.1e; rank %d, ln det %.10g, flags %x%s%s\n", c->name, most / size, info.rank,
           info.log_det, info.flags, *info.note ? ": " : "", info.note);
    CHECK_AT_MOST(most / size, c->bound > 0 ? c->bound : 1e-8);
    ck_assert_int_eq(info.rank, c->rank);
    ck_assert_uint_eq(info.flags, c->flags);
    check_events(c, sim);
    if (info.rank == nx && info.log_det > -30 && !(info.flags & (CAROM_TANGENT_NONE | CAROM_TANGENT_ONE_SIDED)))
        CHECK_NEAR(log_determinant(nx, n, Y), info.log_det, fmax(1e-9, 100 * c->rtol));
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_sim_free(plain);
    carom_model_free(m);
    info.note = "";
    return info;
}

#define TANGENT_TEST(test, ...)                                                                        \
    START_TEST(test)                                                                                   \
    {                                                                                                  \
        check_case(&(tangent_case){.name = #test, __VA_ARGS__});                                       \
    }                                                                                                  \
    END_TEST

#define MODEL "carom: 1\nname: a\n"

#endif
