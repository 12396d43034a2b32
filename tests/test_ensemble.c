/* test_ensemble.c: runs of the impact oscillator side by side are the runs one by one. */
#include "ensemble_testing.h"

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
                                   "force: {x: -2*x + y + b*(-2*x' + y') + cos(w*t) - 0.3*sin(2*t) + 0.01*t, y: x - y "
                                   "+ b*(x' - y')}\n"
                                   "contacts: {stop: {gap: d - y, restitution: e}, floor: {gap: y + 3, restitution: "
                                   "e}}\n"
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

TEST_MAIN("ensemble", states_and_columns_are_those_of_the_exact_flights, closed_form_in_lanes_is_the_scheme_exact,
          multipliers_of_a_periodic_orbit, exponents_of_chaos_and_the_sum_rule,
          neighbours_and_order_do_not_change_a_bit)
