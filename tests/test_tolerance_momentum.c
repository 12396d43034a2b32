/* test_tolerance_momentum.c: the impulses of the steps are what changes the momentum, freezing and stopping
 * included. */
#include "tolerance_testing.h"

/* Sums of the impulses over the steps, change of the velocities, and after them the time reached. */
static void sums(const char *model, const char *set, const char *scheme, double tol, double t_end, int rows,
                 double *sum, double *dv)
{
    carom_error error = {0};
    carom_model *m = load(model, set);
    carom_options o = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_options_from_model(&o, m, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.rtol = o.atol = tol, o.t_end = t_end;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    const carom_state *s = carom_sim_state(sim);
    for (int r = 0; r < rows; r++)
        sum[r] = 0;
    for (int i = 0; i < m->nv; i++)
        dv[i] = -s->v[i];
    while (s->t < t_end) {
        ck_assert_msg(carom_sim_step(sim) == CAROM_OK, "%s", carom_sim_error(sim)->text);
        for (int r = 0; r < rows; r++)
            sum[r] += s->impulse[r];
    }
    for (int i = 0; i < m->nv; i++)
        dv[i] += s->v[i];
    dv[m->nv] = s->t; /* steps of carom_sim_step may end later */
    carom_sim_free(sim);
    carom_model_free(m);
}

static const char *const schemes[] = {"tolerance:method=dp5", "tolerance:method=radau5", "tolerance"};

START_TEST(a_ball_that_comes_to_rest_has_got_the_impulse_of_its_weight)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            double sum[1], dv[2];
            sums("ball", "", schemes[i], tolerances[k], 5, 1, sum, dv);
            CHECK_NEAR(sum[0], dv[0] + 2 * dv[1], 1e-12);
        }
}
END_TEST

/* It bounces, slips while it bounces, and is frozen slipping: friction has its part. */
START_TEST(a_disc_that_bounces_and_rolls_keeps_the_balance_of_momentum)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            double sum[2], dv[4];
            sums("disc", "", schemes[i], tolerances[k], 4, 2, sum, dv);
            CHECK_NEAR(sum[0], dv[1] + 9.81 * dv[3], 1e-11); /* m = 1 */
            CHECK_NEAR(sum[1], dv[0], 1e-11);
        }
}
END_TEST

/* Spatial slip is stopped a little early. Steps are limited: while the point sticks it has no error that would
 * shorten them, but the impulse of the force that holds it has. */
START_TEST(a_point_that_stops_slipping_keeps_the_balance_of_momentum)
{
    static const char *const methods[] = {"dp5", "radau5", "auto"};
    for (int k = 0; k < 3 * TOLERANCES; k++) {
        double sum[3], dv[4], tol = tolerances[k % TOLERANCES];
        char scheme[60];
        snprintf(scheme, sizeof scheme, "tolerance:max_step=0.02:method=%s", methods[k / TOLERANCES]);
        sums("point-on-plane", "", scheme, tol, 10, 3, sum, dv);
        double x = 2 * (1 - cos(2 * dv[3])), y = 2.5 / 3.1 * (cos(0.7) - cos(3.1 * dv[3] + 0.7));
        printf("%s, tol %g: off by %.1e %.1e\n", scheme, tol, sum[1] + x - dv[0], sum[2] + y - dv[1]);
        CHECK_NEAR(sum[1] + x, dv[0], 5e-10);
        CHECK_NEAR(sum[2] + y, dv[1], 5e-10);
    }
}
END_TEST

TEST_MAIN_MODELS("tolerance, momentum", a_ball_that_comes_to_rest_has_got_the_impulse_of_its_weight,
                 a_disc_that_bounces_and_rolls_keeps_the_balance_of_momentum,
                 a_point_that_stops_slipping_keeps_the_balance_of_momentum)
