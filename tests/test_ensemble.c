/* test_ensemble.c: runs side by side are the runs one by one. */
#include <string.h>

#include "analysis/ensemble.h"
#include "expr/op_trig.h"
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

static bool next(void *user, carom_job *job)
{
    plan *w = user;
    if (w->next == w->n)
        return false;
    int i = w->order[w->next++];
    *job = (carom_job){.id = i, .q = w->q[i], .v = w->v[i], .p = w->with_p ? w->p[i] : NULL, .strobe = w->strobe,
                       .transient = w->transient, .strobes = w->strobes};
    return true;
}

static void done(void *user, const carom_job_result *r)
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

static bool strobe(void *user, const carom_strobe *s)
{
    plan *w = user;
    w->strobes_seen++;
    memcpy(w->last_log_r, s->log_r, sizeof(double) * (size_t)w->columns);
    return true;
}

static void impact(void *user, const carom_impact *i)
{
    plan *w = user;
    w->impacts_seen++;
    ck_assert(i->u_before < 0 && i->u_after > 0);
}

static carom_model *load(const char *name, bool jit)
{
    carom_model *model;
    carom_error error;
    carom_load_options options = {.jit = jit};
    CHECK_OK(carom_model_load(&model, name, &options, &error), error);
    return model;
}

static carom_model *parse(const char *text)
{
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static plan *plan_of(const carom_model *m, int n, int columns, int transient, int strobes)
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

/* tol 0: in closed form */
static void run(plan *w, const carom_model *m, double tol)
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
    for (int i = 0; i < w->n; i++)
        ck_assert_msg(w->answer[i].status == CAROM_OK, "job %d: %s", i, w->answer[i].text);
}

/* The same run by the simulation and its tangent, with Gram-Schmidt left out: state and columns at the end. */
static void alone(const plan *w, int i, const carom_model *m, const char *scheme, double tol, double t, double *q, double *v, double *X)
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
static void log_diagonal(int n, double *X, double *log_r)
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
static void compare(const plan *w, const carom_model *m, const char *scheme, double tol, double strobe_time, double bound)
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

/* ---- the oscillator ---- */

static plan *oscillators(const carom_model *m, int n, int transient, int strobes)
{
    plan *w = plan_of(m, n, 2, transient, strobes);
    for (int i = 0; i < n; i++)
        w->q[i][0] = 0.6 + 0.05 * i;
    return w;
}

START_TEST(states_and_columns_are_those_of_the_exact_flights)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false);
    plan *w = oscillators(m, 20, 0, 2); /* two periods: chaos has not amplified anything yet */
    for (double tol = 1e-6; tol > 1e-9; tol /= 100) {
        run(w, m, tol);
        compare(w, m, "exact", tol, m->period, 100 * tol);
    }
    ck_assert_int_eq(w->strobes_seen, 40);
    long impacts = 0;
    for (int i = 0; i < w->n; i++)
        impacts += w->answer[i].impacts;
    ck_assert_int_eq(w->impacts_seen, impacts);
    free(w);
    carom_model_free(m);
}
END_TEST

static const char linear_chain[] = "carom: 1\n"
                                   "parameters: {w: 1.4, d: 0.5, b: 0.1, e: 0.8}\n"
                                   "coordinates: {x: 0.1, y: -0.2}\n"
                                   "mass: [[1, 0.1], [0.1, 2]]\n"
                                   "force: {x: -2*x + y + b*(-2*x' + y') + cos(w*t) - 0.3*sin(2*t) + 0.01*t, y: x - y + b*(x' - y')}\n"
                                   "contacts: {stop: {gap: d - y, restitution: e}, floor: {gap: y + 3, restitution: e}}\n"
                                   "period: 2*pi/w\n";

START_TEST(closed_form_in_lanes_is_the_scheme_exact)
{
    NEEDS_MODELS;
    carom_model *one = load("impact-oscillator", false), *two = parse(linear_chain);
    plan *w = oscillators(one, 20, 0, 2);
    run(w, one, 0);
    compare(w, one, "exact", 1e-13, one->period, 2e-12);
    free(w);
    w = plan_of(two, 12, 4, 0, 3);
    for (int i = 0; i < w->n; i++)
        w->q[i][0] = 0.1 * i - 0.5, w->v[i][1] = 0.02 * i;
    run(w, two, 0);
    compare(w, two, "exact", 1e-13, two->period, 1e-11);
    for (int i = 0; i < w->n; i++) {
        const answer *a = &w->answer[i];
        CHECK_NEAR(a->log_det, a->log_r[0] + a->log_r[1] + a->log_r[2] + a->log_r[3], 1e-11);
        ck_assert_int_eq(a->serial, 0);
    }
    run(w, two, 1e-9); /* and so are the steps with error control, to their accuracy */
    compare(w, two, "exact", 1e-13, two->period, 1e-7);
    free(w);
    carom_model_free(one);
    carom_model_free(two);
}
END_TEST

START_TEST(multipliers_of_a_periodic_orbit)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false);
    plan *w = oscillators(m, 9, 60, 20);
    w->with_p = true;
    for (int i = 0; i < w->n; i++) { /* w alpha e umin a */
        const double p[] = {2.5, 0.05, 0.5, 0, 1};
        memcpy(w->p[i], p, sizeof p);
        w->q[i][0] = 0.05 + 0.02 * i;
    }
    for (double tol = 1e-9; tol >= 0; tol -= 1e-9) {
        run(w, m, tol);
        for (int i = 0; i < w->n; i++) {
            const answer *a = &w->answer[i];
            CHECK_NEAR(a->log_r[0] + a->log_r[1], 20 * 2 * -0.81881089, 2e-7);
            CHECK_NEAR(a->log_det, a->log_r[0] + a->log_r[1], tol > 0 ? 1e-8 : 1e-11);
            ck_assert_int_eq(a->impacts, 20);
            CHECK_NEAR(a->slowest, 0.703745586353, tol > 0 ? 1e-8 : 2e-12);
        }
    }
    free(w);
    carom_model_free(m);
}
END_TEST

START_TEST(exponents_of_chaos_and_the_sum_rule)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false);
    plan *w = oscillators(m, 48, 20, 3200);
    double sum[2] = {0};
    long impacts = 0;
    run(w, m, 1e-6);
    for (int i = 0; i < w->n; i++) {
        const answer *a = &w->answer[i];
        sum[0] += a->log_r[0], sum[1] += a->log_r[1];
        impacts += a->impacts;
        CHECK_NEAR(a->log_det, a->log_r[0] + a->log_r[1], 1e-5 * 3200);
        CHECK_NEAR(a->log_det, -0.5 * a->time + 2 * log(0.8) * (double)a->impacts, 1e-9 * a->time);
    }
    double n = 48 * 3200;
    printf("exponents %.4f %.4f, impacts per period %.4f\n", sum[0] / n, sum[1] / n, (double)impacts / n);
    CHECK_NEAR(sum[0] / n, 0.8613, 0.01); /* the spread of so many periods is 0.003 */
    CHECK_NEAR(sum[1] / n, -2.9035, 0.01);
    CHECK_NEAR((double)impacts / n, 1.7601, 0.01);
    free(w);
    carom_model_free(m);
}
END_TEST

/* ---- the same whatever runs beside it ---- */

static void same(const answer *a, const answer *b, int nv, int columns)
{
    ck_assert_mem_eq(a->q, b->q, sizeof(double) * (size_t)nv);
    ck_assert_mem_eq(a->v, b->v, sizeof(double) * (size_t)nv);
    ck_assert_mem_eq(a->log_r, b->log_r, sizeof(double) * (size_t)columns);
    ck_assert_int_eq(a->impacts, b->impacts);
    ck_assert_int_eq(a->serial, b->serial);
    ck_assert(a->log_det == b->log_det && a->slowest == b->slowest);
}

START_TEST(neighbours_and_order_do_not_change_a_bit)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false), *native = load("impact-oscillator", true);
    plan *one = oscillators(m, 24, 3, 20);
    one->with_p = true;
    for (int i = 0; i < one->n; i++) {
        one->p[i][0] = 2.5 + 0.01 * (i % 5); /* frequency: periods and constants differ between lanes */
        one->p[i][2] = i % 3 ? 0.8 : 0.3;
    }
    plan *other = malloc(sizeof *other);
    ck_assert_ptr_nonnull(other);
    run(one, m, 1e-6);
    *other = *one;
    for (int i = 0; i < other->n; i++)
        other->order[i] = (i * 7 + 5) % other->n;
    run(other, m, 1e-6);
    for (int i = 0; i < one->n; i++)
        same(&one->answer[i], &other->answer[i], 1, 2);
    run(other, native, 1e-6); /* native code has the bits of the tape */
    for (int i = 0; i < one->n; i++)
        same(&one->answer[i], &other->answer[i], 1, 2);
    for (int i = 0; i < 3; i++) { /* alone */
        other->n = 1;
        other->order[0] = i * 7;
        run(other, m, 1e-6);
        same(&one->answer[i * 7], &other->answer[i * 7], 1, 2);
    }
    free(one);
    free(other);
    carom_model_free(m);
    carom_model_free(native);
}
END_TEST

/* ---- more than one coordinate, forces that are not linear ---- */

static const char chain[] = "carom: 1\n"
                            "parameters: {w: 1.4, d: 0.5, b: 0.1, e: 0.8, c: 0.02}\n"
                            "coordinates: {x: 0.1, y: -0.2}\n"
                            "mass: [[1, 0.1], [0.1, 2]]\n"
                            "force: {x: -2*x + y + b*(-2*x' + y') + cos(w*t) - c*x^3, y: x - y + b*(x' - y') - c*y'*x}\n"
                            "contacts: {stop: {gap: d - y, restitution: e}}\n"
                            "period: 2*pi/w\n";

START_TEST(two_coordinates_with_nonlinear_forces)
{
    NEEDS_MODELS;
    carom_model *m = parse(chain);
    plan *w = plan_of(m, 12, 4, 0, 3);
    for (int i = 0; i < w->n; i++)
        w->q[i][0] = 0.1 * i - 0.5, w->v[i][1] = 0.02 * i;
    run(w, m, 1e-8);
    compare(w, m, "tolerance", 1e-11, m->period, 1e-6);
    long impacts = 0;
    for (int i = 0; i < w->n; i++) {
        const answer *a = &w->answer[i];
        impacts += a->impacts;
        CHECK_NEAR(a->log_det, a->log_r[0] + a->log_r[1] + a->log_r[2] + a->log_r[3], 1e-6);
    }
    CHECK_AT_LEAST((double)impacts, 12);
    free(w);
    carom_model_free(m);
}
END_TEST

static const char table[] = "carom: 1\n"
                            "parameters: {G: 1.3, e: 0.5}\n"
                            "coordinates: {y: 1.4}\n"
                            "mass: [[1]]\n"
                            "force: {y: -1}\n"
                            "contacts: {table: {gap: y - G*sin(t), restitution: e}}\n"
                            "period: 2*pi\n";

START_TEST(moving_table_is_followed_with_the_simulation)
{
    NEEDS_MODELS;
    carom_model *m = parse(table);
    plan *w = plan_of(m, 10, 2, 40, 4);
    double phase = acos(M_PI / (3 * 1.3)); /* of the impact of the periodic orbit: G cos = pi (1 - e)/(1 + e) */
    for (int i = 0; i < w->n; i++) {
        w->q[i][0] = 1.3 * sin(phase) + phase * (M_PI - 0.5 * phase) + 0.002 * i;
        w->v[i][0] = phase - M_PI;
    }
    run(w, m, 1e-9);
    for (int i = 0; i < w->n; i++) { /* one impact per period: the product of the multipliers is e^2 */
        const answer *a = &w->answer[i];
        ck_assert_int_eq(a->impacts, 4);
        CHECK_NEAR(a->log_r[0] + a->log_r[1], 4 * 2 * log(0.5), 1e-6);
        CHECK_NEAR(a->slowest, 2 * M_PI / 1.5, 1e-7);
    }
    free(w);
    carom_model_free(m);
}
END_TEST

START_TEST(chatter_and_rest_lose_the_columns)
{
    NEEDS_MODELS;
    carom_model *m = parse(table);
    plan *w = plan_of(m, 9, 2, 2, 4);
    w->with_p = true;
    for (int i = 0; i < w->n; i++)
        w->p[i][0] = 0.5, w->p[i][1] = 0.3, w->q[i][0] = 1 + 0.1 * i; /* G < 1: it comes to rest for good */
    run(w, m, 1e-8);
    for (int i = 0; i < w->n; i++) {
        const answer *a = &w->answer[i];
        ck_assert(a->flags & CAROM_TANGENT_RANK);
        ck_assert(isinf(a->log_r[0]) && a->log_r[0] < 0);
        CHECK_NEAR(a->q[0], 0.5 * sin(12 * M_PI), 1e-7);
        CHECK_NEAR(a->v[0], 0.5, 1e-7);
    }
    free(w);
    carom_model_free(m);
}
END_TEST

START_TEST(joints_and_friction_are_the_simulations)
{
    NEEDS_MODELS;
    const struct { const char *name; double strobe; } cases[] = {{"slider-crank", 0.05}, {"pendulum-wall", 0.5}};
    for (int k = 0; k < 2; k++) {
        carom_model *m = load(cases[k].name, false);
        plan *w = plan_of(m, 3, 0, 0, 4);
        w->strobe = cases[k].strobe;
        run(w, m, 1e-7);
        for (int i = 0; i < w->n; i++) {
            double q[8], v[8];
            carom_sim *sim;
            carom_error error;
            carom_options o = carom_options_default();
            o.rtol = o.atol = 1e-9;
            CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
            CHECK_OK(carom_sim_run(sim, 4 * cases[k].strobe), *carom_sim_error(sim));
            memcpy(q, carom_sim_state(sim)->q, sizeof(double) * (size_t)m->nv);
            memcpy(v, carom_sim_state(sim)->v, sizeof(double) * (size_t)m->nv);
            for (int c = 0; c < m->nv; c++) {
                CHECK_NEAR(w->answer[i].q[c], q[c], 1e-5 * (1 + fabs(q[c])));
                CHECK_NEAR(w->answer[i].v[c], v[c], 1e-5 * (1 + fabs(v[c])));
            }
            carom_sim_free(sim);
        }
        free(w);
        carom_model_free(m);
    }
}
END_TEST

/* ---- sine and cosine ---- */

START_TEST(sine_and_cosine_are_within_one_unit_in_the_last_place)
{
    double worst = 0;
    unsigned long long seed = 88172645463325252ull;
    for (int i = 0; i < 100000; i++) {
        double x[8], s[8], c[8];
        for (int l = 0; l < 8; l++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            double u = (double)(seed >> 11) * 0x1p-53;
            x[l] = ldexp(u - 0.5, (int)(seed % 30)); /* up to 2^28: also beyond the limit */
            if (l == 7)
                x[l] = floor(u * 1e7) * M_PI_2; /* near the zeros */
        }
        if (i == 0)
            x[0] = 0, x[1] = -0.0, x[2] = 1e-300, x[3] = NAN, x[4] = INFINITY, x[5] = 1e22;
        carom_trig_wide(x, s, c);
        for (int l = 0; l < 8; l++) {
            double s_one = carom_op_sin(x[l]), c_one = carom_op_cos(x[l]), s_both, c_both;
            carom_op_sincos(x[l], &s_both, &c_both);
            ck_assert(memcmp(&s_one, &s[l], 8) == 0 || (isnan(s_one) && isnan(s[l])));
            ck_assert(memcmp(&c_one, &c[l], 8) == 0 || (isnan(c_one) && isnan(c[l])));
            ck_assert(memcmp(&s_both, &s[l], 8) == 0 || isnan(s_both));
            if (!(fabs(x[l]) <= 1e300))
                continue;
            long double s_true = sinl(x[l]), c_true = cosl(x[l]);
            double unit_s = nextafter(fabs((double)s_true), INFINITY) - fabs((double)s_true);
            double unit_c = nextafter(fabs((double)c_true), INFINITY) - fabs((double)c_true);
            worst = fmax(worst, fmax((double)fabsl((s[l] - s_true) / unit_s), (double)fabsl((c[l] - c_true) / unit_c)));
        }
    }
    printf("sine and cosine: at most %.3f units\n", worst);
    CHECK_AT_MOST(worst, 0.85);
}
END_TEST

TEST_MAIN("ensemble", states_and_columns_are_those_of_the_exact_flights, closed_form_in_lanes_is_the_scheme_exact, multipliers_of_a_periodic_orbit,
          exponents_of_chaos_and_the_sum_rule, neighbours_and_order_do_not_change_a_bit, two_coordinates_with_nonlinear_forces,
          moving_table_is_followed_with_the_simulation, chatter_and_rest_lose_the_columns, joints_and_friction_are_the_simulations,
          sine_and_cosine_are_within_one_unit_in_the_last_place)
