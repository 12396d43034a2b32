/* test_crank_nicolson_contacts.c: the consistent variant on systems of more coordinates, with joints, several
 * contacts and friction. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "reference.h"
#include "running.h"
#include "systems.h"
#include "testing.h"

static carom_sim *start(const carom_model *model, double h, bool energy)
{
    return start_scheme(model, "crank-nicolson", h, energy);
}

/* ---- order two ---- */

static double end_error(const carom_model *model, double h, double T, const double *x)
{
    carom_sim *sim = start(model, h, true);
    RUN(sim, T);
    const carom_state *s = carom_sim_state(sim);
    double error = 0;
    for (int i = 0; i < model->nv; i++)
        error = fmax(error, fmax(fabs(s->q[i] - x[i]), fabs(s->v[i] - x[model->nv + i])));
    CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, 1e-14);
    carom_sim_free(sim);
    return error;
}

static double end_order(const carom_model *model, double T, const double *x)
{
    enum { N = 20 };
    double h[N], error[N];
    for (int i = 0; i < N; i++) {
        h[i] = 0.02 / pow(1.25, i) / 1.0137;
        error[i] = end_error(model, h[i], T, x);
    }
    double order = fitted_order(N, h, error);
    printf("%s: order %.3f, errors %.1e ... %.1e\n", model->name, order, error[0], error[N - 1]);
    return order;
}

static void reference(const carom_model *model, double T, double *x)
{
    int n = model->nv;
    memcpy(x, model->q, sizeof(double) * (size_t)n);
    memset(x + n, 0, sizeof(double) * (size_t)n);
    if (model->v)
        memcpy(x + n, model->v, sizeof(double) * (size_t)n);
    reference_run(model, 0, T, 1e-4, x);
}

START_TEST(smooth_motion_is_of_order_two_with_constant_and_variable_mass)
{
    double x[2 * REFERENCE_MAX];
    carom_model free_double = double_pendulum();
    free_double.ncontact = 0;
    const carom_model systems[] = {pendulum(), free_double};
    for (int i = 0; i < 2; i++) {
        reference(&systems[i], 1, x);
        CHECK_NEAR(end_order(&systems[i], 1, x), 2, 0.1);
    }
}
END_TEST

static void wall_gap(const carom_point *at, double *g)
{
    g[0] = sin(at->q[0]) + 0.25;
}

static void wall_jacobian(const carom_point *at, double *G)
{
    G[0] = cos(at->q[0]);
}

START_TEST(nonlinear_systems_keep_order_two_through_impacts)
{
    double x[2 * REFERENCE_MAX];
    carom_contact wall = {.name = "wall", .restitution = 0.7};
    carom_model one = pendulum();
    one.name = "pendulum and wall";
    one.ncontact = 1, one.contact = &wall, one.gap = wall_gap, one.jacobian = wall_jacobian;
    const struct { carom_model model; double T; } cases[] = {{one, 4}, {double_pendulum(), 1.5}};
    for (int i = 0; i < 2; i++) {
        reference(&cases[i].model, cases[i].T, x);
        carom_sim *sim = start(&cases[i].model, 0.01, false);
        RUN(sim, cases[i].T);
        ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 2 - i);
        carom_sim_free(sim);
        CHECK_NEAR(end_order(&cases[i].model, cases[i].T, x), 2, 0.15);
    }
}
END_TEST

static void rod_and_wall(const carom_point *at, double *g)
{
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1);
    g[1] = at->q[0] + 0.25;
}

static void rod_and_wall_jacobian(const carom_point *at, double *G)
{
    G[0] = at->q[0], G[1] = at->q[1], G[2] = 1, G[3] = 0;
}

START_TEST(a_joint_keeps_order_two_through_impacts_and_closes_to_rounding)
{
    double x[2] = {pendulum_start[0], pendulum_speed[0]}, h[14], error[14];
    carom_contact wall = {.name = "wall", .restitution = 0.7};
    cartesian_store store;
    carom_model angle = pendulum(), rod = cartesian_pendulum(&store);
    angle.ncontact = 1, angle.contact = &wall, angle.gap = wall_gap, angle.jacobian = wall_jacobian;
    rod.ncontact = 1, rod.contact = &wall, rod.gap = rod_and_wall, rod.jacobian = rod_and_wall_jacobian;
    reference_run(&angle, 0, 2.5, 1e-4, x);
    for (int i = 0; i < 14; i++) {
        h[i] = 0.02 / pow(1.3, i) / 1.0137;
        carom_sim *sim = start(&rod, h[i], true);
        RUN(sim, 2.5);
        const carom_state *s = carom_sim_state(sim);
        double e[] = {s->q[0] - sin(x[0]), s->q[1] + cos(x[0]), s->v[0] - x[1] * cos(x[0]), s->v[1] - x[1] * sin(x[0])};
        error[i] = carom_norm_max(4, e);
        CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-14);
        CHECK_AT_MOST(fabs(s->q[0] * s->v[0] + s->q[1] * s->v[1]), 1e-13);
        ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 1);
        CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, 1e-14);
        carom_sim_free(sim);
    }
    CHECK_NEAR(fitted_order(14, h, error), 2, 0.15);
}
END_TEST

static void parabola(const carom_point *at, double *g)
{
    g[0] = at->q[1] - 0.5 * at->q[0] * at->q[0];
}

static void parabola_jacobian(const carom_point *at, double *G)
{
    G[0] = -at->q[0], G[1] = 1;
}

START_TEST(a_bead_on_a_curve_stays_on_it_and_moves_along_it_to_rounding)
{
    static const double q[] = {1, 0.5}, v[] = {0.5, 0.5};
    cartesian_store store;
    carom_model bead = cartesian_pendulum(&store);
    bead.q = q, bead.v = v, bead.gap = parabola, bead.jacobian = parabola_jacobian;
    carom_sim *sim = start(&bead, 0.03, false);
    const carom_state *s = carom_sim_state(sim);
    for (int k = 0; k < 200; k++) {
        STEP(sim);
        CHECK_NEAR(s->q[1], 0.5 * s->q[0] * s->q[0], 1e-14);
        CHECK_NEAR(s->v[1], s->q[0] * s->v[0], 1e-13);
    }
    carom_sim_free(sim);
}
END_TEST

/* ---- flights under constant forces are exact: so is everything until contacts come to rest ---- */

/* Two balls (unit mass, gravity 9.81, gaps q0 and q1 - q0, e = 1/2) by closed forms. */
static void exact_stack(double T, double *q, double *v)
{
    double t = 0, g = 9.81, e = 0.5;
    for (int impacts = 0; impacts < 1000; impacts++) {
        double floor_in = (v[0] + sqrt(v[0] * v[0] + 2 * g * fmax(q[0], 0))) / g;
        double meet_in = v[1] < v[0] ? (q[1] - q[0]) / (v[0] - v[1]) : INFINITY,
               s = fmin(T - t, fmin(floor_in, meet_in));
        for (int i = 0; i < 2; i++)
            q[i] += s * v[i] - 0.5 * g * s * s, v[i] -= g * s;
        t += s;
        if (t >= T)
            return;
        if (s == floor_in) {
            q[0] = 0, v[0] *= -e;
        } else {
            double mean = 0.5 * (v[0] + v[1]), part = 0.5 * e * (v[1] - v[0]);
            q[1] = q[0], v[0] = mean + part, v[1] = mean - part;
        }
    }
    ck_abort_msg("the stack collapses before %g", T);
}

static void stack_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = M[3] = 1, M[1] = M[2] = 0;
}

static void stack_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = F[1] = -9.81;
}

static void stack_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0], g[1] = at->q[1] - at->q[0];
}

static void stack_jacobian(const carom_point *at, double *G)
{
    (void)at;
    G[0] = 1, G[1] = 0, G[2] = -1, G[3] = 1;
}

START_TEST(two_stacked_balls_follow_the_exact_motion_and_come_to_rest_on_each_other)
{
    static const carom_contact contacts[] = {{.name = "floor", .restitution = 0.5},
                                             {.name = "between", .restitution = 0.5}};
    static const double heights[] = {1, 1.5};
    carom_model stack = {.size = sizeof stack, .name = "stack", .nq = 2, .nv = 2, .ncontact = 2, .contact = contacts,
                         .q = heights,
                         .constant = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, .mass = stack_mass, .force = stack_force,
                         .gap = stack_gap, .jacobian = stack_jacobian};
    double q[] = {1, 1.5}, v[] = {0, 0}, T = 0.75;
    exact_stack(T, q, v);
    carom_sim *sim = start(&stack, 0.00137, true);
    RUN(sim, T);
    const carom_state *s = carom_sim_state(sim);
    ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 4);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(s->q[i], q[i], 1e-12);
        CHECK_NEAR(s->v[i], v[i], 1e-11);
    }
    RUN(sim, 3);
    ck_assert(s->mode[0] == CAROM_CLOSED && s->mode[1] == CAROM_CLOSED);
    CHECK_AT_MOST(carom_norm_max(2, s->v), 1e-17);
    CHECK_AT_MOST(carom_norm_max(2, s->q), 1e-15);
    STEP(sim);
    CHECK_NEAR(s->impulse[0], 2 * 9.81 * 0.00137, 1e-12);
    CHECK_NEAR(s->impulse[1], 9.81 * 0.00137, 1e-12);
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-11);
    carom_sim_free(sim);
}
END_TEST

/* A mass in a box that shakes: 0.015 to either side of 0.01 sin(20 t). Free flights, so the impact times are roots of
 * sines. */
static double play(double t, double x, int side)
{
    return 0.015 - side * (x - 0.01 * sin(20 * t));
}

static void exact_pair(double T, double *x, double *v)
{
    double t = 0;
    for (double ahead = 1e-5;; ahead += 1e-5) {
        double to = fmin(ahead, T), at = *x + (to - t) * *v, moving = *v - 0.2 * cos(20 * to);
        int side = play(to, at, 1) < 0 && moving > 0 ? 1 : play(to, at, -1) < 0 && moving < 0 ? -1 : 0;
        if (side) {
            double low = fmax(to - 1e-5, t), high = to;
            for (int k = 0; k < 60; k++) {
                double middle = 0.5 * (low + high);
                *(play(middle, *x + (middle - t) * *v, side) < 0 ? &high : &low) = middle;
            }
            double frame = 0.2 * cos(20 * high);
            *x += (high - t) * *v, *v = frame - 0.6 * (*v - frame), t = ahead = high;
        } else if (to == T) {
            *x = at;
            return;
        }
    }
}

static void pair_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = 0;
}

static void pair_gap(const carom_point *at, double *g)
{
    g[0] = play(at->t, at->q[0], -1), g[1] = play(at->t, at->q[0], 1);
}

START_TEST(an_impact_pair_follows_the_exact_motion)
{
    static const carom_contact contacts[] = {{.name = "left", .restitution = 0.6},
                                             {.name = "right", .restitution = 0.6}};
    static const double x0 = 0, v0 = 0.3;
    carom_model pair = {.size = sizeof pair, .name = "pair", .nq = 1, .nv = 1, .ncontact = 2, .contact = contacts,
                        .q = &x0, .v = &v0,
                        .constant = CAROM_MASS | CAROM_LAW, .mass = unit_mass, .force = pair_force, .gap = pair_gap};
    double x = x0, v = v0, T = 1.5;
    exact_pair(T, &x, &v);
    carom_sim *sim = start(&pair, 0.00373, true);
    RUN(sim, T);
    ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 8);
    CHECK_NEAR(carom_sim_state(sim)->q[0], x, 1e-8); /* gap velocities by finite differences */
    CHECK_NEAR(carom_sim_state(sim)->v[0], v, 1e-7);
    CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, 1e-14);
    carom_sim_free(sim);
}
END_TEST

/* ---- rest and energy ---- */

START_TEST(kerns_ball_passes_its_accumulation_point_and_rests)
{
    const double zeno = sqrt(0.1) * (1 + 2 * 0.9 / 0.1), h[] = {0.01, 0.001, 0.000137};
    for (int i = 0; i < 3; i++) {
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
        carom_sim *sim = start(&ball, h[i], true);
        const carom_state *s = carom_sim_state(sim);
        RUN(sim, 5);
        /* the 12th flight: exact */
        double t = sqrt(0.1), u = sqrt(10);
        while (t + 0.2 * 0.9 * u <= s->t)
            u *= 0.9, t += 0.2 * u;
        u *= 0.9;
        CHECK_NEAR(s->q[0], (s->t - t) * u - 5 * pow(s->t - t, 2), 1e-12);
        CHECK_NEAR(s->v[0], u - 10 * (s->t - t), 1e-11);
        while (s->mode[0] == CAROM_OPEN)
            STEP(sim);
        ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT],
                         (int)ceil(log(1.25 * h[i] / sqrt(10)) / log(0.9)));
        CHECK_NEAR(s->t, zeno, 2.5 * h[i]); /* u <= 10 h/8 when it is frozen: 2 u/(10 (1 - e)) = 2.5 h are left */
        RUN(sim, 10);
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
        CHECK_NEAR(s->q[0], 0, 1e-18);
        CHECK_NEAR(s->v[0], 0, 1e-18);
        STEP(sim);
        CHECK_NEAR(s->impulse[0], 10 * h[i], 1e-14);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-12);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(an_elastic_ball_and_a_linear_oscillator_keep_their_energy_to_rounding)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    carom_sim *sim = start(&ball, 0.00137, true);
    RUN(sim, 20);
    const carom_info *i = carom_sim_info(sim);
    CHECK_AT_LEAST(i->events[CAROM_EVENT_IMPACT], 30);
    CHECK_NEAR(i->energy_final, i->energy_initial, 1e-12 * i->energy_initial);
    CHECK_NEAR(i->dissipated_impact, 0, 1e-12 * i->energy_initial);
    carom_sim_free(sim);
    carom_model spring = point_model(&store, 1, 0, 10, 0, 1, 1, 0);
    spring.ncontact = 0, spring.jacobian = NULL, spring.constant = CAROM_MASS | CAROM_R_Q | CAROM_R_V;
    sim = start(&spring, 0.0137, true);
    RUN(sim, 100);
    CHECK_NEAR(carom_sim_info(sim)->energy_final, carom_sim_info(sim)->energy_initial, 1e-11);
    carom_sim_free(sim);
}
END_TEST

static double elastic_drift(double h)
{
    point_store store;
    carom_model spring = point_model(&store, 1, 0, 10, 0, 1, 1, 0);
    carom_sim *sim = start(&spring, h, true);
    RUN(sim, 10);
    const carom_info *i = carom_sim_info(sim);
    ck_assert_int_eq(i->events[CAROM_EVENT_IMPACT], 10);
    double drift = fabs(i->energy_final - i->energy_initial);
    carom_sim_free(sim);
    return drift;
}

START_TEST(an_elastic_stop_changes_the_energy_of_an_oscillator_by_no_more_than_h_squared)
{
    for (double h = 0.02 / 1.0137; h > 1e-4; h /= 1.7)
        CHECK_AT_MOST(elastic_drift(h),
                      10 * 12.5 * h * h); /* 10 impacts, |u| = sqrt(10), |da/dt| = 10 |u|: |u da/dt| h^2/8 each */
}
END_TEST

/* A table with branches, but none whose velocity jumps: c t^3 from t = 0 on. */
START_TEST(a_table_that_speeds_up_smoothly_neither_strikes_nor_leaves_what_lies_on_it)
{
    NEEDS_MODELS;
    for (double c = 1e-4; c < 1e5; c *= 100) {
        char text[300];
        carom_model *model;
        carom_error error = {0};
        snprintf(text, sizeof text, "carom: 1\ncoordinates: {y: 0}\nkinetic: y'^2/2\npotential: 10*y\n"
                 "contacts:\n  table: {gap: 'y - %g*max(t - 0.05, 0)^3', restitution: 0.5}\n", c);
        CHECK_OK(carom_model_parse(&model, "table", text, strlen(text), NULL, &error), error);
        carom_sim *sim = start(model, 0.1, false);
        RUN(sim, 1.05);
        const carom_info *info = carom_sim_info(sim);
        for (int i = 0; i < CAROM_EVENT_TYPES; i++)
            ck_assert_int_eq((int)info->events[i], 0);
        CHECK_NEAR(carom_sim_state(sim)->q[0], c, 1e-12 * c);
        CHECK_NEAR(carom_sim_state(sim)->v[0], 3 * c, 1e-12 * c);
        carom_sim_free(sim);
        carom_model_free(model);
    }
}
END_TEST

TEST_MAIN("crank-nicolson on contacts", smooth_motion_is_of_order_two_with_constant_and_variable_mass,
          nonlinear_systems_keep_order_two_through_impacts,
          a_joint_keeps_order_two_through_impacts_and_closes_to_rounding,
          a_bead_on_a_curve_stays_on_it_and_moves_along_it_to_rounding,
          two_stacked_balls_follow_the_exact_motion_and_come_to_rest_on_each_other,
          an_impact_pair_follows_the_exact_motion, kerns_ball_passes_its_accumulation_point_and_rests,
          an_elastic_ball_and_a_linear_oscillator_keep_their_energy_to_rounding,
          an_elastic_stop_changes_the_energy_of_an_oscillator_by_no_more_than_h_squared,
          a_table_that_speeds_up_smoothly_neither_strikes_nor_leaves_what_lies_on_it)
