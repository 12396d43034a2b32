/* test_schatzman_paoli_systems.c: the fixed grid, several contacts, friction, joints. */
#include "stepping.h"

#define PAOLI "schatzman-paoli"

/* ---- the grid ---- */

START_TEST(a_short_step_ends_on_the_path_and_does_not_disturb_it)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *straight = start(&ball, PAOLI, 0.01), *halting = start(&ball, PAOLI, 0.01);
    const carom_state *a = carom_sim_state(straight), *b = carom_sim_state(halting);
    RUN(halting, 0.4567);
    CHECK_NEAR(b->t, 0.4567, 1e-15);
    CHECK_NEAR(b->q[0], 1 - 0.4567 * 0.4567, 1e-12);
    CHECK_NEAR(b->v[0], -2 * (0.4567 - 0.01), 1e-12);
    for (double t = 0.987; t < 1.05; t += 0.00337) /* halts inside of the impact */
        RUN(halting, t);
    RUN(straight, 2);
    RUN(halting, 2);
    CHECK_NEAR(b->q[0], a->q[0], 1e-12);
    CHECK_NEAR(b->v[0], a->v[0], 1e-10);
    ck_assert_int_eq(carom_sim_info(halting)->events[CAROM_EVENT_IMPACT],
                     carom_sim_info(straight)->events[CAROM_EVENT_IMPACT]);
    CHECK_NEAR(carom_sim_info(halting)->dissipated_impact, carom_sim_info(straight)->dissipated_impact, 1e-10);
    carom_sim_free(straight), carom_sim_free(halting);
}
END_TEST

START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    box_store store;
    point_store ball_store;
    carom_model box = box_model(&store, 0.4, 0.3), ball = point_model(&ball_store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_model wall = double_pendulum();
    check_restart(&box, PAOLI, 0.001, 700, 900);
    check_restart(&wall, PAOLI, 0.001, 500, 700);
    for (int k = 98; k < 106; k++) /* between the two steps of the impact, too */
        check_restart(&ball, PAOLI, 0.01, k, 50);
}
END_TEST

START_TEST(a_failing_step_leaves_the_state_alone)
{
    point_store store;
    carom_model ball = failing_ball(&store);
    carom_sim *sim = start(&ball, PAOLI ":theta=0", 0.01);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NOT_FINITE);
    const carom_state *s = carom_sim_state(sim);
    double t = s->t, q = s->q[0], v = s->v[0];
    ck_assert_int_eq(carom_sim_step(sim), CAROM_NOT_FINITE);
    ck_assert(strstr(carom_sim_error(sim)->text, "not finite") != NULL);
    ck_assert(s->t == t && s->q[0] == q && s->v[0] == v);
    CHECK_NEAR(q, 5 - 5 * t * t, 1e-12);
    carom_sim_free(sim);
}
END_TEST

/* ---- several contacts, friction, joints ---- */

START_TEST(two_balls_come_to_rest_on_each_other)
{
    carom_model stack = stacked_balls();
    carom_sim *sim = start(&stack, PAOLI, 0.0005);
    RUN(sim, 3);
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(s->q[i], 0, 1e-9);
        CHECK_NEAR(s->v[i], 0, 1e-9);
        ck_assert_int_eq(s->mode[i], CAROM_CLOSED);
    }
    CHECK_NEAR(s->impulse[0], 1.5 * 9.81 * 0.0005, 1e-9);
    CHECK_NEAR(s->impulse[1], 0.5 * 9.81 * 0.0005, 1e-9);
    carom_sim_free(sim);
}
END_TEST

/* Coulomb's law holds for an impact as a whole, so the end does not depend on where impacts fall in their steps. */
START_TEST(a_box_with_friction_comes_to_rest_where_other_methods_leave_it)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    carom_sim *other = start(&box, "moreau-jean", 2e-5);
    RUN(other, 3);
    double x = carom_sim_state(other)->q[0];
    for (int k = 0; k < 8; k++) {
        double h = 0.001 / pow(1.31, k);
        carom_sim *sim = start(&box, PAOLI, h);
        RUN(sim, 3);
        const carom_state *s = carom_sim_state(sim);
        printf("box, h = %.2e: x = %.5f, other method %.5f\n", h, s->q[0], x);
        CHECK_NEAR(s->q[0], x, 10 * h);
        CHECK_NEAR(s->q[1], 0.3, 1e-8);
        CHECK_NEAR(s->q[2], 0, 1e-8);
        ck_assert(s->mode[0] == CAROM_STICK && s->mode[1] == CAROM_STICK);
        const carom_info *i = carom_sim_info(sim);
        CHECK_NEAR(i->energy_final, 9.81 * 0.3, 1e-7);
        CHECK_NEAR(i->balance_error, 0, 20 * h);
        CHECK_AT_MOST(i->max_residual, 1e-10);
        carom_sim_free(sim);
    }
    carom_sim_free(other);
}
END_TEST

static void belt_gap(const carom_point *at, double *g)
{
    g[0] = at->q[1];
}

static void belt_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0] - 0.5;
}

START_TEST(a_belt_carries_a_block_along)
{
    static const carom_contact belt = {.name = "belt", .directions = 1, .friction = 0.25, .restitution = 0.5};
    const double q[] = {0, 0}, v[] = {0, 0}, h = 0.001, a = 0.25 * 9.81, t = 0.5 / a;
    carom_model block = {.size = sizeof block, .name = "block",
                         .nq = 2,
                         .nv = 2,
                         .ncontact = 1,
                         .contact = &belt,
                         .q = q,
                         .v = v,
                         .mass = cartesian_mass,
                         .force = cartesian_force,
                         .gap = belt_gap,
                         .slip = belt_slip,
                         .constant = CAROM_MASS | CAROM_LAW};
    carom_sim *sim = start(&block, PAOLI, h);
    const carom_state *s = carom_sim_state(sim);
    RUN(sim, 0.1);
    ck_assert_int_eq(s->mode[0], CAROM_SLIP);
    CHECK_NEAR(s->q[0], a * 0.01 / 2, 1e-12);
    RUN(sim, 1);
    ck_assert_int_eq(s->mode[0], CAROM_STICK);
    CHECK_NEAR(s->v[0], 0.5, 1e-9);
    CHECK_NEAR(s->q[0], a * t * t / 2 + 0.5 * (1 - t), h * h);
    carom_sim_free(sim);
}
END_TEST

typedef struct watch {
    double energy[3], most_gain; /* of the last three steps; over the largest of them */
    int segments;
} watch;

static void watch_three_steps(void *user, const carom_segment *s)
{
    watch *w = user;
    if (w->segments++ >= 3)
        w->most_gain = fmax(w->most_gain, s->energy - fmax(w->energy[0], fmax(w->energy[1], w->energy[2])));
    w->energy[w->segments % 3] = s->energy;
}

START_TEST(a_box_gains_no_energy_over_the_three_steps_of_an_impact)
{
    for (int k = 0; k < 6; k++) {
        box_store store;
        watch w = {0};
        double h = 0.0007;
        carom_model box = box_model(&store, 0.1 + 0.15 * k, 0.1 * k);
        carom_sim *sim = start(&box, PAOLI, h);
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w,
                                                 .segment = watch_three_steps});
        RUN(sim, 6);
        CHECK_AT_MOST(w.most_gain, pow(9.81 * h, 2));
        CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-9);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(tangential_restitution_is_refused)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    store.corner[0].restitution_t = store.corner[1].restitution_t = 0.2;
    carom_sim *sim = start(&box, PAOLI, 0.001);
    ck_assert_int_eq(carom_sim_run(sim, 3), CAROM_UNSUPPORTED);
    ck_assert(strstr(carom_sim_error(sim)->text, "tangential restitution") != NULL);
    carom_sim_free(sim);
}
END_TEST

START_TEST(joints_are_closed_to_rounding_and_keep_order_two_and_may_be_redundant)
{
    double h[5], error[5], x[2] = {pendulum_start[0], pendulum_speed[0]};
    cartesian_store store;
    carom_model angle = pendulum(), cartesian = cartesian_pendulum(&store);
    reference_run(&angle, 0, 1, 1e-4, x);
    for (int k = 0; k < 5; k++) {
        h[k] = 0.02 / (1 << k);
        carom_sim *sim = start(&cartesian, PAOLI, h[k]);
        RUN(sim, 1);
        const carom_state *s = carom_sim_state(sim);
        error[k] = fmax(fabs(s->q[0] - sin(x[0])), fabs(s->q[1] + cos(x[0])));
        CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-13);
        carom_sim_free(sim);
    }
    CHECK_NEAR(fitted_order(5, h, error), 2, 0.1);
    for (int rods = 1; rods <= 2; rods++) {
        carom_model walled = walled_pendulum(&store, rods), one = walled_angle();
        double y[2] = {pendulum_start[0], pendulum_speed[0]}, worst = 0, step = 0.0005, t = 0;
        carom_sim *sim = start(&walled, PAOLI, step);
        const carom_state *s = carom_sim_state(sim);
        while (s->t < 3) {
            STEP(sim);
            reference_run(&one, t, s->t, 1e-3, y), t = s->t;
            worst = fmax(worst, hypot(s->q[0] - sin(y[0]), s->q[1] + cos(y[0])));
            CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-13);
        }
        ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 2);
        CHECK_AT_MOST(worst, 20 * step);
        carom_sim_free(sim);
    }
}
END_TEST

TEST_MAIN("schatzman-paoli, systems", a_short_step_ends_on_the_path_and_does_not_disturb_it,
          going_on_after_a_load_gives_the_same_bits,
          a_failing_step_leaves_the_state_alone,
          two_balls_come_to_rest_on_each_other,
          a_box_with_friction_comes_to_rest_where_other_methods_leave_it,
          a_box_gains_no_energy_over_the_three_steps_of_an_impact,
          tangential_restitution_is_refused,
          a_belt_carries_a_block_along,
          joints_are_closed_to_rounding_and_keep_order_two_and_may_be_redundant)
