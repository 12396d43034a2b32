/* test_model_physics.c: the built-in models do what their comments promise.
 * Bounds are those of Moreau-Jean at the step used: O(h) through impacts, O(h^2) or rounding where nothing is hit. */
#include "model_runs.h"

#define PI 3.14159265358979323846

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

/* ---- one degree of freedom ------------------------------------------------------------------------------- */

START_TEST(the_ball_loses_three_quarters_of_its_energy_per_impact_and_rests_with_reaction_two)
{
    run r = simulate("ball", 1e-3, 5, NULL);
    const double t[] = {0.5, 1.5, 2.25, 2.625}, energy[] = {2, 0.5, 0.125, 0.03125};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(pow(at(&r, "q'", t[i]), 2) / 2 + 2 * at(&r, "q", t[i]), energy[i], 4e-3);
    CHECK_NEAR(last(&r, "q"), 0, 1e-3);
    CHECK_NEAR(last(&r, "q'"), 0, 1e-12);
    CHECK_NEAR(carom_sim_state(r.sim)->impulse[0], 2e-3, 1e-12);
    end(&r);
}
END_TEST

START_TEST(take_off_is_where_the_force_changes_sign)
{
    run r = simulate("take-off", 1e-3, 10, NULL);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_OPENING, 0, 0), 6.567852506613, 4e-3);
    end(&r);
}
END_TEST

START_TEST(the_linear_oscillator_hits_its_stop_at_equal_distances)
{
    const double t[] = {0.5069846364299193, 1.500940565280607, 2.4948964941312943};
    const double u[] = {-3.0059512777137427, -1.3607708074919005, -0.6160103805576373};
    run r = simulate("linear-oscillator", 1e-4, 3, NULL);
    for (int i = 0; i < 3; i++) {
        const carom_event *e = event(&r, CAROM_EVENT_IMPACT, 0, i);
        ck_assert_ptr_nonnull(e);
        CHECK_NEAR(e->t, t[i], 5e-4);
        CHECK_NEAR(e->u_before[0], u[i], 2e-3);
    }
    end(&r);
}
END_TEST

/* P1: one impact per period with v- = -0.703745586353 at w t = 5.7923881459. */
START_TEST(the_impact_oscillator_finds_its_periodic_orbit)
{
    double period = 2 * PI / 2.5;
    run r = simulate("impact-oscillator", 5e-4, 20 * period, "alpha=0.05 e=0.5 umin=0");
    const carom_event *e = event(&r, CAROM_EVENT_IMPACT, 19 * period, 0);
    ck_assert_ptr_nonnull(e);
    CHECK_NEAR(e->u_before[0], -0.703745586353, 2e-3);
    CHECK_NEAR(fmod(2.5 * e->t, 2 * PI), 5.7923881459, 5e-3);
    ck_assert_ptr_null(event(&r, CAROM_EVENT_IMPACT, 19 * period, 1));
    end(&r);
}
END_TEST

/* One impact per period: v+ = pi g/w at the phase with cos = pi g (1 - e)/(1 + e)/(A w^2). */
START_TEST(the_ball_on_the_table_jumps_once_per_period)
{
    double period = 2 * PI / 40, phase = acos(PI * 9.81 * 0.2 / 1.8 / (0.005 * 1600));
    run r = simulate("vibrating-table", 1e-4, 40 * period, NULL);
    const carom_event *e = event(&r, CAROM_EVENT_IMPACT, 39 * period, 0);
    ck_assert_ptr_nonnull(e);
    CHECK_NEAR(fmod(40 * e->t, 2 * PI), phase, 2e-2);
    CHECK_NEAR(at(&r, "y'", e->t), PI * 9.81 / 40, 1e-2);
    ck_assert_ptr_null(event(&r, CAROM_EVENT_IMPACT, 39 * period, 1));
    end(&r);
}
END_TEST

/* One impact on each side per period: between them the mass crosses at the constant speed V, so that with the phase
 * th of a right impact  V = (d + 2 A sin th) w/pi  and  V (1 - e) = -(1 + e) A w cos th. */
START_TEST(the_impact_pair_strikes_both_sides_once_per_period)
{
    double period = 2 * PI / 20;
    run r = simulate("impact-pair", 1e-4, 40 * period, NULL);
    for (int i = 0; i < 2; i++) {
        const carom_event *e = event(&r, CAROM_EVENT_IMPACT, 39 * period, i);
        const carom_event *other = event(&r, CAROM_EVENT_IMPACT, 39 * period, 1 - i);
        ck_assert(e && other && e->contact != other->contact);
        double th = 20 * e->t + (e->contact == 0 ? PI : 0), speed = fabs(at(&r, "x'", e->t));
        CHECK_NEAR(speed, (0.03 + 0.02 * sin(th)) * 20 / PI, 1e-3);
        CHECK_NEAR(speed * (1 - 0.6), -(1 + 0.6) * 0.01 * 20 * cos(th), 2e-3);
    }
    ck_assert_ptr_null(event(&r, CAROM_EVENT_IMPACT, 39 * period, 2));
    end(&r);
}
END_TEST

START_TEST(the_follower_leaves_a_fast_cam_and_stays_on_a_slow_one)
{
    run slow = simulate("cam-follower", 0, 0.3, "w=50"), fast = simulate("cam-follower", 0, 0.3, NULL);
    const carom_event *e = event(&slow, CAROM_EVENT_IMPACT, 0.1, 0);
    for (int i = 0; e; e = event(&slow, CAROM_EVENT_IMPACT, 0.1, ++i))
        CHECK_AT_LEAST(e->u_before[0], -0.02);
    e = event(&fast, CAROM_EVENT_IMPACT, 0.1, 0);
    ck_assert_ptr_nonnull(e);
    CHECK_AT_MOST(e->u_before[0], -0.2);
    end(&slow);
    end(&fast);
}
END_TEST

/* ---- pendulums and curved contacts ----------------------------------------------------------------------- */

START_TEST(the_pendulum_is_the_same_in_its_angle_and_with_a_joint)
{
    run a = simulate("pendulum-wall", 1e-3, 2, NULL), c = simulate("pendulum-wall-cartesian", 1e-3, 2, NULL);
    for (double t = 0.05; t < 2; t += 0.1) {
        CHECK_NEAR(sin(at(&a, "th", t)), at(&c, "x", t), 5e-3);
        CHECK_NEAR(hypot(at(&c, "x", t), at(&c, "y", t)), 1, 1e-5);
    }
    ck_assert_int_eq(carom_sim_info(a.sim)->events[CAROM_EVENT_IMPACT],
                     carom_sim_info(c.sim)->events[CAROM_EVENT_IMPACT]);
    end(&a);
    end(&c);
}
END_TEST

/* Far from the wall, equal masses and rods: th2 = sqrt(2) th1, w^2 = g/l (2 - sqrt(2)). */
START_TEST(the_double_pendulum_has_its_slow_mode)
{
    double period = 2 * PI / sqrt(9.81 * (2 - sqrt(2)));
    run r = simulate("double-pendulum-wall", 1e-3, period, "wall=-9 q.th1=0.001 q.th2=0.0014142135623730951");
    CHECK_NEAR(at(&r, "th1", period / 2), -0.001, 1e-8);
    CHECK_NEAR(at(&r, "th2", period / 4), 0, 2e-8);
    CHECK_NEAR(at(&r, "th2", period), 0.0014142135623730951, 1e-8);
    end(&r);
}
END_TEST

START_TEST(the_point_leaves_the_dome_where_the_cosine_is_two_thirds_of_the_first)
{
    run r = simulate("dome", 1e-5, 0.6, NULL);
    double t = 0; /* of the last opening: on a curve the scheme opens and closes the contact now and then */
    for (int i = 0; event(&r, CAROM_EVENT_OPENING, 0, i); i++)
        t = event(&r, CAROM_EVENT_OPENING, 0, i)->t;
    CHECK_NEAR(t, 0.5634036016, 1e-3);
    CHECK_NEAR(cos(atan2(at(&r, "x", t), at(&r, "y", t))), 2 * cos(0.3) / 3, 2e-3);
    CHECK_NEAR(at(&r, "x", 0.5), 0.6716227, 1e-5);
    CHECK_NEAR(at(&r, "y", 0.5), 0.74089334, 1e-5);
    end(&r);
}
END_TEST

/* ---- several contacts ------------------------------------------------------------------------------------ */

START_TEST(the_cradle_hands_the_momentum_of_its_first_ball_to_the_last)
{
    run r = simulate("newton-cradle", 0, 0.2, NULL); /* a quarter of a swing is 0.159 s */
    double first = 0.05 * sqrt(9.81 / 0.1);
    CHECK_NEAR(pow(at(&r, "x5'", 0.2), 2) + 98.1 * pow(at(&r, "x5", 0.2), 2), first * first, 1e-3 * first * first);
    CHECK_NEAR(at(&r, "x1'", 0.2), 0, 1e-2 * first);
    CHECK_NEAR(at(&r, "x3'", 0.2), 0, 1e-2 * first);
    end(&r);
}
END_TEST

START_TEST(touching_balls_share_the_momentum_under_the_simultaneous_law)
{
    run r = simulate("newton-cradle", 1e-5, 0.16, "d=0"); /* -3/5 and 2/5 of the first velocity for five balls */
    double first = 0.05 * sqrt(9.81 / 0.1);
    CHECK_NEAR(last(&r, "x1'"), -0.6 * first, 5e-3 * first);
    CHECK_NEAR(last(&r, "x2'"), 0.4 * first, 5e-3 * first);
    CHECK_NEAR(last(&r, "x5'"), 0.4 * first, 5e-3 * first);
    end(&r);
}
END_TEST

START_TEST(stacked_balls_come_to_rest_on_each_other)
{
    run r = simulate("stacked-balls", 0, 3, NULL);
    CHECK_NEAR(last(&r, "y1"), 0.1, 1e-3);
    CHECK_NEAR(last(&r, "y2"), 0.3, 1e-3);
    CHECK_NEAR(last(&r, "y1'"), 0, 1e-9);
    CHECK_NEAR(last(&r, "y2'"), 0, 1e-9);
    ck_assert_ptr_null(event(&r, CAROM_EVENT_IMPACT, 2.5, 0));
    end(&r);
}
END_TEST

START_TEST(the_box_and_the_rocking_block_come_to_rest_on_both_corners)
{
    const char *names[] = {"box", "rocking-block"};
    for (int i = 0; i < 2; i++) {
        run r = simulate(names[i], 0, i ? 4 : 2, NULL);
        CHECK_NEAR(last(&r, "phi"), 0, 1e-3);
        CHECK_NEAR(last(&r, "y"), i ? 0.6 : 0.25, 1e-3);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(carom_sim_state(r.sim)->v[k], 0, 1e-9);
        end(&r);
    }
}
END_TEST

START_TEST(the_rocking_block_keeps_the_speed_that_housner_says)
{
    run r = simulate("rocking-block", 1e-5, 0.7, NULL);
    double t = event_time(&r, CAROM_EVENT_IMPACT, 0.1, 0), sine = 0.4 / hypot(0.4, 1.2);
    CHECK_NEAR(at(&r, "phi'", t + 1e-4) / at(&r, "phi'", t - 1e-4), 1 - 1.5 * sine * sine, 2e-3);
    end(&r);
}
END_TEST

/* ---- friction -------------------------------------------------------------------------------------------- */

START_TEST(the_block_stops_after_v0_squared_over_two_mu_g)
{
    run r = simulate("sliding-block", 1e-3, 1, NULL);
    CHECK_NEAR(last(&r, "x"), 0.6795786612, 0.3 * 9.81 * 1e-6);
    CHECK_NEAR(last(&r, "x'"), 0, 1e-12);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_STICK, 0, 0), 0.6795786612, 1.1e-3);
    end(&r);
}
END_TEST

START_TEST(the_belt_takes_the_block_along_and_lets_it_go_at_the_known_times)
{
    run r = simulate("belt", 1e-3, 10, NULL);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_SLIP, 0, 0), 8.0 / 3, 3e-3);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_STICK, 3, 0), 7.773846766751, 5e-3);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_SLIP, 8, 0), 9.107180100084, 8e-3);
    end(&r);
}
END_TEST

START_TEST(the_disc_rolls_with_a_third_of_its_first_rim_speed)
{
    run r = simulate("disc", 1e-3, 4, NULL);
    CHECK_NEAR(at(&r, "x'", 1.9), 0.05 * 9.81 * 1.9, 5e-3); /* mu times the normal impulse, bounced or not */
    CHECK_NEAR(event_time(&r, CAROM_EVENT_STICK, 2, 0), 40 * 0.1 / (3 * 0.05 * 9.81), 1e-2);
    CHECK_NEAR(last(&r, "x'"), 0.1 * 40 / 3.0, 1e-9);
    CHECK_NEAR(last(&r, "x'"), -0.1 * last(&r, "phi'"), 1e-9);
    end(&r);
}
END_TEST

START_TEST(the_billiard_ball_keeps_five_sevenths_of_its_speed)
{
    run r = simulate("billiard-ball", 1e-3, 1, NULL);
    CHECK_NEAR(event_time(&r, CAROM_EVENT_STICK, 0, 0), 0.460503518, 2e-3);
    CHECK_NEAR(last(&r, "x'"), 3 * 5 / 7.0, 1e-8);
    CHECK_NEAR(last(&r, "y'"), 1 * 5 / 7.0, 1e-8);
    end(&r);
}
END_TEST

/* The inclusion v' in f - mu N v/|v| by the implicit Euler method: v_new = (v + h f) shortened by h mu N. */
START_TEST(the_point_on_the_plane_sticks_and_slips_as_the_inclusion_says)
{
    const int n = 1000000;
    double h = 1e-5, v[2] = {0}, q[2] = {0}, onset = 0;
    run r = simulate("point-on-plane", 2e-4, n * h, NULL);
    for (int i = 1; i <= n; i++) {
        double t = i * h, f[2] = {4 * sin(2 * t), 2.5 * sin(3.1 * t + 0.7)};
        double w[2] = {v[0] + h * f[0], v[1] + h * f[1]}, speed = hypot(w[0], w[1]);
        double keep = speed > 3 * h ? 1 - 3 * h / speed : 0;
        onset = onset > 0 || keep == 0 ? onset : t;
        for (int k = 0; k < 2; k++)
            v[k] = keep * w[k], q[k] += h * v[k];
    }
    CHECK_NEAR(event_time(&r, CAROM_EVENT_SLIP, 0, 0), onset, 4e-4);
    CHECK_NEAR(last(&r, "x"), q[0], 1e-3);
    CHECK_NEAR(last(&r, "y"), q[1], 1e-3);
    end(&r);
}
END_TEST

/* ---- machines -------------------------------------------------------------------------------------------- */

/* Centres and angles without play: their squared speeds times `weight` are twice the kinetic energy. */
static const double weight[] = {0.038, 0.038, 0.038, 0.038, 0.076, 5.9e-4, 7.4e-5};
static void ideal_crank(double th, double *r)
{
    double l1 = 0.153, l2 = 0.306, rod = -asin(l1 / l2 * sin(th));
    r[0] = l1 / 2 * cos(th), r[1] = l1 / 2 * sin(th);
    r[2] = l1 * cos(th) + l2 / 2 * cos(rod), r[3] = l1 * sin(th) + l2 / 2 * sin(rod);
    r[4] = l1 * cos(th) + l2 * cos(rod), r[5] = rod, r[6] = th;
}

static double ideal_speed(double energy, double th)
{
    double d = 1e-6, before[7], after[7], inertia = 0;
    ideal_crank(th - d, before);
    ideal_crank(th + d, after);
    for (int i = 0; i < 7; i++)
        inertia += weight[i] * pow((after[i] - before[i]) / (2 * d), 2);
    return sqrt(2 * (energy - 0.038 * 9.81 * (after[1] + after[3])) / inertia);
}

START_TEST(the_crank_turns_like_one_without_play_when_the_play_is_small)
{
    run r = simulate("slider-crank", 0, 0.035, "c=5e-5 mu=0");
    for (double t = 0.002; t < 0.034; t += 0.004) {
        double lost = carom_sim_info(r.sim)->dissipated_impact, energy = carom_sim_info(r.sim)->energy_initial;
        CHECK_AT_MOST(lost, 0.01 * energy);
        CHECK_NEAR(at(&r, "th1'", t), ideal_speed(energy, at(&r, "th1", t)), 0.01 * at(&r, "th1'", t));
    }
    end(&r);
}
END_TEST

START_TEST(the_slider_stays_in_its_guide_and_the_crank_keeps_turning)
{
    run r = begin("slider-crank", 0, NULL);
    double sum = 0;
    while (carom_sim_state(r.sim)->t < 0.1) {
        CHECK_OK(carom_sim_step(r.sim), *carom_sim_error(r.sim));
        CHECK_AT_LEAST(carom_sim_state(r.sim)->v[0], 30);
        sum += carom_sim_state(r.sim)->impulse[0] + carom_sim_state(r.sim)->impulse[4];
    }
    CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 0.02 * 0.001); /* of the clearance */
    CHECK_AT_LEAST(carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], 10);
    CHECK_AT_LEAST(sum, 1e-6);
    CHECK_AT_LEAST(last(&r, "th1"), 2 * PI);
    end(&r);
}
END_TEST

/* The literature has a period of about 0.145 s for these data; here it converges to 0.1460 s as h goes to 0. */
START_TEST(the_woodpecker_repeats_itself_and_descends)
{
    double t[8], y[8];
    int n = 0;
    run r = simulate("woodpecker", 5e-5, 1.2, NULL);
    for (double s = 0; s < 1.2 - 1e-4 && n < 8; s += 1e-4) { /* turning points of the swing away from the pole */
        if (at(&r, "phiS'", s) < 0 && at(&r, "phiS'", s + 1e-4) >= 0 && at(&r, "phiS", s) < -0.4)
            t[n] = s, y[n++] = at(&r, "y", s);
    }
    ck_assert_int_ge(n, 7);
    for (int i = 2; i < n; i++) {
        CHECK_NEAR(t[i] - t[i - 1], 0.146, 1.5e-3);
        CHECK_NEAR(y[i] - y[i - 1], -0.0195, 1e-3);
    }
    end(&r);
}
END_TEST

TEST_MAIN("physics of the models", the_ball_loses_three_quarters_of_its_energy_per_impact_and_rests_with_reaction_two,
          take_off_is_where_the_force_changes_sign, the_linear_oscillator_hits_its_stop_at_equal_distances,
          the_impact_oscillator_finds_its_periodic_orbit, the_ball_on_the_table_jumps_once_per_period,
          the_impact_pair_strikes_both_sides_once_per_period, the_follower_leaves_a_fast_cam_and_stays_on_a_slow_one,
          the_pendulum_is_the_same_in_its_angle_and_with_a_joint, the_double_pendulum_has_its_slow_mode,
          the_point_leaves_the_dome_where_the_cosine_is_two_thirds_of_the_first,
          the_cradle_hands_the_momentum_of_its_first_ball_to_the_last,
          touching_balls_share_the_momentum_under_the_simultaneous_law, stacked_balls_come_to_rest_on_each_other,
          the_box_and_the_rocking_block_come_to_rest_on_both_corners,
          the_rocking_block_keeps_the_speed_that_housner_says, the_block_stops_after_v0_squared_over_two_mu_g,
          the_belt_takes_the_block_along_and_lets_it_go_at_the_known_times,
          the_disc_rolls_with_a_third_of_its_first_rim_speed, the_billiard_ball_keeps_five_sevenths_of_its_speed,
          the_point_on_the_plane_sticks_and_slips_as_the_inclusion_says,
          the_crank_turns_like_one_without_play_when_the_play_is_small,
          the_slider_stays_in_its_guide_and_the_crank_keeps_turning, the_woodpecker_repeats_itself_and_descends)
#endif
