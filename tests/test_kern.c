/* test_kern.c: Kern's two examples to the digits of his listing, and the exact height of the bounces. */
#include <stdio.h>

#include "carom.h"
#include "systems.h"
#include "testing.h"

static void take_off_force(const carom_point *at, double *F)
{
    F[0] = (-1.2 * sin(at->t * 2 * M_PI / 10) - 1) * 10;
}

typedef struct run {
    double impact[64], apex[64], first_impulse, impulses, lowest, highest, t_highest, t_last_force, t_first_up,
        t_first_above;
    int nimpact, napex;
    double y, v;
} run;

/* Impacts are steps that reverse a velocity larger than gravity's change in one step; an apex is a node where the
 * velocity changes sign. */
static run simulate(const carom_model *model)
{
    carom_error error;
    carom_sim *sim;
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_set(&options, "scheme", "kern", &error), error);
    CHECK_OK(carom_options_set(&options, "h", "0.01", &error), error);
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    const carom_state *s = carom_sim_state(sim);
    run r = {.t_first_up = -1, .t_first_above = -1};
    for (int n = 0; n < 1000; n++) {
        double v = s->v[0], y = s->q[0];
        ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
        r.impulses += s->impulse[0];
        if (s->impulse[0] > 0) {
            r.t_last_force = s->t;
            if (v < -0.5 && r.nimpact < 64)
                r.impact[r.nimpact++] = s->t;
            if (r.first_impulse == 0)
                r.first_impulse = s->impulse[0];
        }
        if (v > 0 && s->v[0] <= 0 && y > 0.01 && r.napex < 64)
            r.apex[r.napex++] = fmax(y, s->q[0]);
        r.lowest = fmin(r.lowest, s->q[0]);
        if (s->q[0] > r.highest)
            r.highest = s->q[0], r.t_highest = s->t;
        if (r.t_first_up < 0 && s->v[0] > 1e-12)
            r.t_first_up = s->t;
        if (r.t_first_above < 0 && s->q[0] > 1e-12)
            r.t_first_above = s->t;
    }
    CHECK_NEAR(s->t, 10, 1e-14);
    r.y = s->q[0], r.v = s->v[0];
    carom_sim_free(sim);
    return r;
}

START_TEST(the_landing_agrees_with_the_listing_to_all_digits)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
    run r = simulate(&ball);
    const double impact[] = {.33, .91, 1.43, 1.90, 2.32, 2.70, 3.04, 3.34, 3.61, 3.86};
    const double apex[] = {.401200, .324280, .260552, .209490, .169116};
    CHECK_AT_LEAST(r.nimpact, 10);
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(r.impact[i], impact[i], 1e-12);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(r.apex[i], apex[i], 5e-7);
        CHECK_NEAR(r.apex[i], 0.5 * pow(0.81, i + 1), 0.01); /* exact height of the bounce */
    }
    CHECK_NEAR(r.first_impulse, 6.18, 1e-12);
    CHECK_NEAR(r.lowest, -0.028, 5e-4);
    CHECK_NEAR(r.y, -1.900591579e-4, 5e-14);
    CHECK_NEAR(r.impulses, 100, 1e-11);
}
END_TEST

START_TEST(the_take_off_agrees_with_the_listing_to_all_digits)
{
    point_store store;
    carom_model ball = point_model(&store, 1, 0, 0, 0, 0.9, 0, 0);
    ball.force = take_off_force;
    ball.force_q = ball.force_v = zero_matrix;
    run r = simulate(&ball);
    CHECK_NEAR(r.t_last_force, 6.56, 1e-12);
    CHECK_NEAR(r.t_first_up, 6.57, 1e-12);
    CHECK_NEAR(r.t_first_above, 6.58, 1e-12);
    CHECK_NEAR(r.highest, 3.93479260756, 5e-12);
    CHECK_NEAR(r.t_highest, 9.40, 1e-12);
    CHECK_NEAR(r.y, 2.66587610344, 5e-12);
    CHECK_NEAR(r.v, -4.71579955820, 5e-12);
    CHECK_NEAR(r.impulses, 95.2842004418, 5e-11);
}
END_TEST

START_TEST(every_step_follows_the_listing_to_rounding)
{
    double y = 0.5, v = 0, h = 0.01, F = h * -10, rc = 0.9;
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, rc, 0.5, 0);
    carom_error error;
    carom_sim *sim;
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_set(&options, "scheme", "kern", &error), error);
    options.h = h;
    CHECK_OK(carom_sim_new(&sim, &ball, &options, &error), error);
    for (int n = 0; n < 1000; n++) {
        double y1 = y + v * h, v1 = v + F;
        if (y1 <= 0 && -(1 + rc) * v > F)
            v1 = v - (1 + rc) * v;
        y = y1, v = v1;
        ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
        /* the impact is computed as v_free + P/m: one rounding apart */
        CHECK_NEAR(carom_sim_state(sim)->q[0], y, 1e-13);
        CHECK_NEAR(carom_sim_state(sim)->v[0], v, 1e-13);
    }
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("kern", the_landing_agrees_with_the_listing_to_all_digits, the_take_off_agrees_with_the_listing_to_all_digits,
          every_step_follows_the_listing_to_rounding)
