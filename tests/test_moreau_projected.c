/* test_moreau_projected.c: no penetration at the nodes, nearest positions, orders, energy, rest. */
#include "stepping.h"

#define PROJECTED "moreau-jean-projected"

typedef struct watch {
    double penetration, energy, most_gain;
    int segments;
} watch;

static void watch_segment(void *user, const carom_segment *s)
{
    watch *w = user;
    if (w->segments++)
        w->most_gain = fmax(w->most_gain, s->energy - w->energy);
    w->energy = s->energy;
    w->penetration = fmax(w->penetration, s->penetration);
}

static watch watched(const carom_model *model, const char *scheme, double h, double T)
{
    watch w = {0};
    carom_sim *sim = start(model, scheme, h);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w, .segment = watch_segment});
    RUN(sim, T);
    CHECK_NEAR(w.penetration, carom_sim_info(sim)->max_penetration, 0);
    carom_sim_free(sim);
    return w;
}

START_TEST(nothing_penetrates_at_the_nodes)
{
    const char *const schemes[] = {PROJECTED, PROJECTED ":gamma=0", PROJECTED ":theta=1:gamma=1",
                                   PROJECTED ":theta=0.7", PROJECTED ":catch=0"};
    point_store ball_store;
    box_store box_store_;
    cartesian_store rod;
    const struct { carom_model m; double T; } cases[] = {
        {point_model(&ball_store, 1, -2, 0, 0, 0.5, 1, 0), 4}, {double_pendulum(), 3},          {stacked_balls(), 2},
        {box_model(&box_store_, 0.4, 0.3), 2},                 {walled_pendulum(&rod, 1), 3},
    };
    for (int c = 0; c < 5; c++)
        for (int k = 0; k < 5; k++) {
            CHECK_AT_MOST(watched(&cases[c].m, schemes[k], 0.0037, cases[c].T).penetration, 1e-14);
            CHECK_AT_LEAST(watched(&cases[c].m, "moreau-jean", 0.0037, cases[c].T).penetration, 1e-5);
        }
}
END_TEST

/* ---- the projection itself: the nearest admissible position ---- */

static void heavy_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 3, M[1] = M[2] = 0.5, M[3] = 1;
}

static void no_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = F[1] = 0;
}

static void ellipse_gap(const carom_point *at,
                        double *g) /* inside of an ellipse, twice; and a line that does not touch */
{
    g[0] = 1 - at->q[0] * at->q[0] / 4 - at->q[1] * at->q[1];
    g[1] = 3 * g[0];
    g[2] = at->q[0] + 10;
}

static const carom_contact three[] = {{.name = "ellipse"}, {.name = "again"}, {.name = "line"}};

/* q' - q* is M^-1 G^T tau with tau >= 0, for a contact that is curved and redundant; e = 0, so v' is tangential. */
START_TEST(positions_move_by_the_nearest_way_in_the_metric_of_the_mass)
{
    const double q[] = {1.2, 0.75}, v[] = {2.0, 1.5}, h = 0.05;
    carom_model m = {.size = sizeof m, .name = "ellipse",
                     .nq = 2,
                     .nv = 2,
                     .ncontact = 3,
                     .contact = three,
                     .q = q,
                     .v = v,
                     .mass = heavy_mass,
                     .force = no_force,
                     .gap = ellipse_gap,
                     .constant = CAROM_MASS | CAROM_LAW};
    carom_sim *plain = start(&m, "moreau-jean:gamma=1", h), *sim = start(&m, PROJECTED ":gamma=1", h);
    STEP(plain), STEP(sim);
    const carom_state *s = carom_sim_state(sim), *p = carom_sim_state(plain);
    ck_assert(s->v[0] == p->v[0] && s->v[1] == p->v[1]); /* the velocities are the same */
    double d[] = {s->q[0] - p->q[0], s->q[1] - p->q[1]}, G[] = {-s->q[0] / 2, -2 * s->q[1]};
    double Md[] = {3 * d[0] + 0.5 * d[1], 0.5 * d[0] + d[1]};
    CHECK_AT_LEAST(hypot(d[0], d[1]), 1e-3);
    CHECK_NEAR(Md[0] * G[1] - Md[1] * G[0], 0, 1e-8);
    CHECK_AT_LEAST(Md[0] * G[0] + Md[1] * G[1], 1e-3);
    double g[3];
    ellipse_gap(&(carom_point){.q = s->q}, g);
    CHECK_NEAR(g[0], 0, 1e-14);
    carom_sim_free(plain), carom_sim_free(sim);
}
END_TEST

START_TEST(two_balls_that_are_pushed_apart_keep_their_centre_of_mass)
{
    const double q[] = {0, 0.01}, v[] = {2, -1};
    static const carom_contact contacts[] = {{.name = "floor"}, {.name = "between"}};
    carom_model stack = stacked_balls();
    double h = 0.05, centre = (1 * (0 + h * 2) + 0.5 * (0.01 - h * 1)) / 1.5;
    stack.q = q, stack.v = v, stack.contact = contacts, stack.force = no_force;
    carom_sim *sim = start(&stack, PROJECTED, h);
    STEP(sim);
    const carom_state *s = carom_sim_state(sim);
    CHECK_NEAR(s->q[1] - s->q[0], 0, 1e-15);
    CHECK_NEAR((s->q[0] + 0.5 * s->q[1]) / 1.5, centre, 1e-15);
    carom_sim_free(sim);
}
END_TEST

/* ---- orders ---- */

START_TEST(smooth_order_is_two_for_the_midpoint_and_one_otherwise)
{
    carom_model m = double_pendulum();
    const struct { const char *scheme; double order; } cases[] = {{PROJECTED, 2}, {PROJECTED ":theta=1", 1}};
    double x[2 * REFERENCE_MAX] = {double_start[0], double_start[1]};
    m.ncontact = 0;
    reference_run(&m, 0, 1, 1e-4, x);
    for (int c = 0; c < 2; c++) {
        double h[5], error[5] = {0};
        for (int k = 0; k < 5; k++) {
            h[k] = 0.02 / (1 << k);
            carom_sim *sim = start(&m, cases[c].scheme, h[k]);
            RUN(sim, 1);
            const carom_state *s = carom_sim_state(sim);
            for (int i = 0; i < 2; i++)
                error[k] = fmax(error[k], fmax(fabs(s->q[i] - x[i]), fabs(s->v[i] - x[2 + i])));
            carom_sim_free(sim);
        }
        CHECK_NEAR(fitted_order(5, h, error), cases[c].order, 0.15);
    }
}
END_TEST

START_TEST(order_one_through_impacts_in_L1)
{
    check_order_one_through_impacts(PROJECTED);
}
END_TEST

/* ---- restitution, rest, energy ---- */

START_TEST(a_ball_rebounds_to_e_squared_of_its_height)
{
    for (int k = 0; k <= 10; k++) {
        double e = 0.1 * k, h = 1e-4, top = 0, T = sqrt(0.2);
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, e, 1, 0);
        carom_sim *sim = start(&ball, PROJECTED, h);
        const carom_state *s = carom_sim_state(sim);
        while (s->t < T * (1 + 2 * e) - 5 * h) {
            STEP(sim);
            if (s->t > T + 3 * h)
                top = fmax(top, s->q[0]);
        }
        CHECK_NEAR(top, e * e, 10 * h);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(a_ball_at_rest_stays_where_it_is)
{
    point_store store;
    carom_model ball = point_model(&store, 2, -20, 0, 0, 0.9, 0, 0);
    carom_sim *sim = start(&ball, PROJECTED, 0.01);
    for (int n = 0; n < 100; n++) {
        STEP(sim);
        ck_assert_double_eq(carom_sim_state(sim)->q[0], 0);
        CHECK_NEAR(carom_sim_state(sim)->impulse[0], 0.2, 1e-15);
        ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_CLOSED);
    }
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_ball_rests_after_its_accumulation_point_within_a_h_squared_of_the_ground)
{
    const struct { double force, e, height, zeno; } cases[] = {{-2, 0.5, 1, 3}, {-10, 0.9, 0.5, 6.0083}};
    const char *const schemes[] = {PROJECTED, PROJECTED ":gamma=0", PROJECTED ":gamma=1"};
    for (int c = 0; c < 6; c++) {
        double h = 0.0013, force = cases[c % 2].force;
        point_store store;
        carom_model ball = point_model(&store, 1, force, 0, 0, cases[c % 2].e, cases[c % 2].height, 0);
        carom_sim *sim = start(&ball, schemes[c / 2], h);
        const carom_state *s = carom_sim_state(sim);
        while (s->t < cases[c % 2].zeno + 1)
            STEP(sim);
        CHECK_NEAR(s->v[0], 0, 1e-12);
        CHECK_NEAR(s->impulse[0], -force * h, 1e-9);
        CHECK_NEAR(s->q[0], 0, -force * h * h / 2);
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
        RUN(sim, s->t + h / 50); /* a part of a step: free fall would not touch the ground */
        CHECK_NEAR(s->v[0], 0, 1e-12);
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(an_elastic_ball_keeps_its_energy_to_rounding)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    carom_sim *sim = start(&ball, PROJECTED, 0.00137);
    RUN(sim, 20);
    const carom_info *i = carom_sim_info(sim);
    CHECK_AT_LEAST(i->events[CAROM_EVENT_IMPACT], 20);
    CHECK_NEAR(i->energy_final, i->energy_initial, 1e-12 * i->energy_initial);
    CHECK_NEAR(i->balance_error, 0, 1e-12 * i->energy_initial);
    carom_sim_free(sim);
}
END_TEST

/* Without `catch`: the ball is lifted and not slowed down, so it goes on bouncing. This is the scheme as printed. */
START_TEST(late_impacts_feed_energy_in_and_it_is_accounted_for)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
    carom_sim *printed = start(&ball, PROJECTED ":catch=0", 0.01), *caught = start(&ball, PROJECTED, 0.01);
    RUN(printed, 10);
    RUN(caught, 10);
    const carom_info *p = carom_sim_info(printed), *c = carom_sim_info(caught);
    CHECK_AT_LEAST(p->work_constraints, 0.5);
    CHECK_AT_LEAST(p->events[CAROM_EVENT_IMPACT], 2 * c->events[CAROM_EVENT_IMPACT]);
    CHECK_AT_MOST(c->work_constraints, 0.02);
    CHECK_NEAR(p->balance_error, 0, 1e-13);
    CHECK_NEAR(c->balance_error, 0, 1e-13);
    carom_sim_free(printed), carom_sim_free(caught);
}
END_TEST

START_TEST(a_box_with_friction_gains_no_more_than_one_step_of_gravity_and_rests)
{
    for (int k = 0; k < 6; k++) {
        box_store store;
        double h = 0.001;
        carom_model box = box_model(&store, 0.1 + 0.15 * k, 0.1 * k);
        watch w = watched(&box, PROJECTED, h, 6);
        CHECK_AT_MOST(w.most_gain, pow(9.81 * h, 2));
        CHECK_AT_MOST(w.penetration, 1e-14);
        carom_sim *sim = start(&box, PROJECTED, h);
        RUN(sim, 6);
        CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-9);
        CHECK_AT_MOST(carom_sim_info(sim)->energy_final, carom_sim_info(sim)->energy_initial);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-9);
        CHECK_NEAR(carom_sim_state(sim)->q[1], 0.3, 9.81 * h * h);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(two_balls_come_to_rest_on_each_other)
{
    carom_model stack = stacked_balls();
    double h = 0.0005;
    carom_sim *sim = start(&stack, PROJECTED, h);
    RUN(sim, 3);
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(s->q[i], 0, 2 * 9.81 * h * h);
        CHECK_NEAR(s->v[i], 0, 1e-9);
    }
    CHECK_NEAR(s->impulse[0], 1.5 * 9.81 * h, 1e-9);
    carom_sim_free(sim);
}
END_TEST

/* ---- joints ---- */

START_TEST(joints_and_contacts_are_projected_together_and_may_be_redundant)
{
    cartesian_store store;
    for (int rods = 1; rods <= 2; rods++) {
        carom_model walled = walled_pendulum(&store, rods), one = walled_angle();
        double y[2] = {pendulum_start[0], pendulum_speed[0]}, worst = 0, h = 0.0005, t = 0;
        carom_sim *sim = start(&walled, PROJECTED, h);
        const carom_state *s = carom_sim_state(sim);
        while (s->t < 3) {
            STEP(sim);
            reference_run(&one, t, s->t, 1e-3, y), t = s->t;
            worst = fmax(worst, hypot(s->q[0] - sin(y[0]), s->q[1] + cos(y[0])));
            CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-14);
            CHECK_AT_LEAST(s->q[0], -0.25 - 1e-14);
        }
        const carom_info *i = carom_sim_info(sim);
        ck_assert_int_ge(i->events[CAROM_EVENT_IMPACT], 2);
        CHECK_AT_MOST(worst, 10 * h);
        CHECK_NEAR(i->balance_error, 0, 1e-11);
        carom_sim_free(sim);
    }
}
END_TEST

static void vice_gap(const carom_point *at, double *g) /* shut at t = 0.005 */
{
    g[0] = at->q[0], g[1] = 0.5 - 100 * at->t - at->q[0];
}

START_TEST(positions_that_cannot_be_are_an_error_that_says_so)
{
    static const carom_contact contacts[] = {{.name = "left"}, {.name = "right"}};
    point_store store;
    carom_model m = point_model(&store, 1, 0, 0, 0, 0, 0.25, 0);
    m.ncontact = 2, m.contact = contacts, m.gap = vice_gap, m.jacobian = NULL, m.constant = CAROM_MASS;
    carom_sim *sim = start(&m, PROJECTED ":gamma=0:catch=0", 0.01);
    ck_assert_int_ne(carom_sim_step(sim), CAROM_OK);
    ck_assert_msg(strstr(carom_sim_error(sim)->text, "projection of positions") != NULL, "%s",
                  carom_sim_error(sim)->text);
    ck_assert_double_eq(carom_sim_state(sim)->q[0], 0.25);
    carom_sim_free(sim);
}
END_TEST

START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3), wall = double_pendulum();
    check_restart(&box, PROJECTED, 0.001, 700, 900);
    check_restart(&wall, PROJECTED, 0.001, 500, 700);
}
END_TEST

START_TEST(the_trajectory_ends_its_segments_at_the_projected_nodes)
{
    point_store store;
    carom_error error;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start(&ball, PROJECTED, 0.013);
    carom_trajectory *tr;
    double q, v;
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    for (int k = 0; k < 200; k++) {
        STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        ck_assert_int_eq(carom_trajectory_at(tr, s->t, 1, &q, &v), CAROM_OK);
        CHECK_NEAR(q, s->q[0], 1e-15);
        CHECK_NEAR(v, s->v[0], 1e-15);
    }
    const carom_jump *jump = carom_trajectory_jump(tr, 0);
    ck_assert(jump && jump->v_before[0] < -1.9 && jump->v_after[0] > 0.9 && jump->impulse[0] > 2.9);
    carom_trajectory_free(tr);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("moreau-jean-projected", nothing_penetrates_at_the_nodes,
          positions_move_by_the_nearest_way_in_the_metric_of_the_mass,
          two_balls_that_are_pushed_apart_keep_their_centre_of_mass,
          smooth_order_is_two_for_the_midpoint_and_one_otherwise, order_one_through_impacts_in_L1,
          a_ball_rebounds_to_e_squared_of_its_height, a_ball_at_rest_stays_where_it_is,
          the_ball_rests_after_its_accumulation_point_within_a_h_squared_of_the_ground,
          an_elastic_ball_keeps_its_energy_to_rounding, late_impacts_feed_energy_in_and_it_is_accounted_for,
          a_box_with_friction_gains_no_more_than_one_step_of_gravity_and_rests, two_balls_come_to_rest_on_each_other,
          joints_and_contacts_are_projected_together_and_may_be_redundant,
          positions_that_cannot_be_are_an_error_that_says_so, going_on_after_a_load_gives_the_same_bits,
          the_trajectory_ends_its_segments_at_the_projected_nodes)
