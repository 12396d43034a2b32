/* test_ensemble_systems.c: runs side by side of systems for which the lanes need the simulation now and then, or
 * always. */
#include "ensemble_testing.h"

/* ---- more than one coordinate, forces that are not linear ---- */

static const char chain[] = "carom: 1\n"
                            "parameters: {w: 1.4, d: 0.5, b: 0.1, e: 0.8, c: 0.02}\n"
                            "coordinates: {x: 0.1, y: -0.2}\n"
                            "mass: [[1, 0.1], [0.1, 2]]\n"
                            "force: {x: -2*x + y + b*(-2*x' + y') + cos(w*t) - c*x^3, y: x - y + b*(x' - y') - "
                            "c*y'*x}\n"
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

/* ---- between a lane and the simulation ---- */

/* A job of one coordinate ends where the simulation does. */
static void check_one_alone(const plan *w, int i, const carom_model *m, double t)
{
    double q, v, X[4];
    alone(w, i, m, "tolerance", 1e-11, t, &q, &v, X);
    CHECK_NEAR(w->answer[i].q[0], q, 1e-6);
    CHECK_NEAR(w->answer[i].v[0], v, 1e-6);
}

/* A mass that sticks at its stop leaves it where the force turns, at gap and velocity zero: neither free nor closed.
 * The third of these once went to and fro between the lane and the simulation for ever. */
START_TEST(mass_that_leaves_its_stop_goes_on)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false);
    plan *w = plan_of(m, 3, 2, 0, 120);
    w->with_p = true;
    for (int i = 0; i < w->n; i++)
        w->p[i][0] = 2 + 4. / 59, w->p[i][1] = 0.05 + 0.45 * (int[]){0, 1, 4}[i] / 59;
    run(w, m, 1e-6);
    for (int i = 0; i < w->n; i++)
        CHECK_AT_LEAST((double)w->answer[i].serial, 1);
    run(w, m, 1e-8);
    for (int i = 0; i < w->n; i++) /* so accurate, each rest forgets what chaos has made of the errors */
        check_one_alone(w, i, m, 120 * 2 * M_PI / w->p[i][0]);
    free(w);
    carom_model_free(m);
}
END_TEST

/* What the scheme makes of a gap that is negative from the start is not for the lane to decide. */
START_TEST(start_below_the_table_is_the_simulations)
{
    NEEDS_MODELS;
    carom_model *m = load("vibrating-table", false);
    plan *w = plan_of(m, 12, 2, 0, 2);
    for (int i = 0; i < w->n; i++)
        w->q[i][0] = -0.0003 * i, w->v[i][0] = 0.5 + 0.05 * i;
    run(w, m, 1e-9);
    for (int i = 0; i < w->n; i++)
        check_one_alone(w, i, m, 2 * m->period);
    free(w);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("ensemble of systems", two_coordinates_with_nonlinear_forces, moving_table_is_followed_with_the_simulation,
          chatter_and_rest_lose_the_columns, joints_and_friction_are_the_simulations, mass_that_leaves_its_stop_goes_on,
          start_below_the_table_is_the_simulations)
