/* test_moreau_jean.c: orders in smooth motion and through impacts, energy, friction, joints. */
#include <stdio.h>
#include <unistd.h>

#include "problem/problem.h"
#include "stepping.h"

static const char *spec(double theta, double gamma)
{
    static char text[64];
    snprintf(text, sizeof text, "moreau-jean:theta=%g:gamma=%g", theta, gamma);
    return text;
}

/* ---- smooth motion ---- */

static double smooth_error(const carom_model *model, double theta, double h, double T)
{
    double x[2 * REFERENCE_MAX] = {0};
    int n = model->nv;
    memcpy(x, model->q, sizeof(double) * (size_t)n);
    if (model->v)
        memcpy(x + n, model->v, sizeof(double) * (size_t)n);
    reference_run(model, 0, T, 1e-4, x);
    carom_sim *sim = start(model, spec(theta, 0.5), h);
    RUN(sim, T);
    const carom_state *s = carom_sim_state(sim);
    double error = 0;
    for (int i = 0; i < n; i++)
        error = fmax(error, fmax(fabs(s->q[i] - x[i]), fabs(s->v[i] - x[n + i])));
    carom_sim_free(sim);
    return error;
}

static double smooth_order(const carom_model *model, double theta, double T)
{
    double h[5], error[5];
    for (int i = 0; i < 5; i++) {
        h[i] = 0.02 / (1 << i);
        error[i] = smooth_error(model, theta, h[i], T);
    }
    return fitted_order(5, h, error);
}

START_TEST(smooth_order_is_two_for_the_midpoint_and_one_otherwise)
{
    carom_model free_double = double_pendulum();
    free_double.ncontact = 0;
    const carom_model systems[] = {pendulum(), free_double};
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(smooth_order(&systems[i], 0.5, 1), 2, 0.1);
        CHECK_NEAR(smooth_order(&systems[i], 1, 1), 1, 0.15);
        CHECK_NEAR(smooth_order(&systems[i], 0, 1), 1, 0.15);
    }
}
END_TEST

START_TEST(a_joint_keeps_order_two_and_closes_to_rounding)
{
    double h[5], error[5], x[2] = {pendulum_start[0], pendulum_speed[0]};
    cartesian_store store;
    carom_model angle = pendulum(), cartesian = cartesian_pendulum(&store);
    reference_run(&angle, 0, 1, 1e-4, x);
    for (int i = 0; i < 5; i++) {
        h[i] = 0.02 / (1 << i);
        carom_sim *sim = start(&cartesian, spec(0.5, 0.5), h[i]);
        RUN(sim, 1);
        const carom_state *s = carom_sim_state(sim);
        double e[] = {s->q[0] - sin(x[0]), s->q[1] + cos(x[0]), s->v[0] - x[1] * cos(x[0]), s->v[1] - x[1] * sin(x[0])};
        error[i] = carom_norm_max(4, e);
        CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-14);
        CHECK_AT_MOST(fabs(s->q[0] * s->v[0] + s->q[1] * s->v[1]), 1e-3 * h[i]);
        carom_sim_free(sim);
    }
    CHECK_NEAR(fitted_order(5, h, error), 2, 0.1);
}
END_TEST

/* ---- through impacts: L1 on the nodes, fitted over many steps that do not divide the impact times ---- */

START_TEST(order_one_through_impacts_in_L1)
{
    check_order_one_through_impacts(spec(0.5, 0.5));
    check_order_one_through_impacts(spec(1, 0.5));
}
END_TEST

START_TEST(the_closed_forms_agree_with_the_independent_integrator)
{
    double q, v, x[2] = {1, 0};
    point_store store;
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    reference_run(&osc, 0, 3.1, 1e-4, x);
    exact_oscillator(3.1, &q, &v);
    CHECK_NEAR(x[0], q, 1e-11);
    CHECK_NEAR(x[1], v, 1e-11);
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    x[0] = 1, x[1] = 0;
    reference_run(&ball, 0, 2.6, 1e-3, x);
    exact_ball(2.6, &q, &v);
    CHECK_NEAR(x[0], q, 1e-11);
    CHECK_NEAR(x[1], v, 1e-11);
}
END_TEST

/* Errors of v at N = 5003 steps over T = 5, as published for these problems. */
START_TEST(l1_errors_at_a_given_step_have_the_published_size)
{
    point_store store;
    double e_q, e_v;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    l1_errors(&ball, "moreau-jean", exact_ball, 5.0 / 5003, 5, 0, &e_q, &e_v);
    CHECK_NEAR(e_v, 1.03e-2, 0.03e-2);
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    l1_errors(&osc, "moreau-jean", exact_oscillator, 5.0 / 5003, 5, 0, &e_q, &e_v);
    CHECK_NEAR(e_v, 1.02e-2, 0.03e-2);
}
END_TEST

/* ---- energy ---- */

START_TEST(the_energy_balance_of_an_elastic_ball_closes_to_rounding)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    carom_sim *sim = start(&ball, spec(0.5, 0.5), 0.00137);
    RUN(sim, 20);
    const carom_info *i = carom_sim_info(sim);
    CHECK_AT_LEAST(i->events[CAROM_EVENT_IMPACT], 20);
    CHECK_NEAR(i->balance_error, 0, 1e-12 * i->energy_initial);
    CHECK_NEAR(i->energy_final, i->energy_initial, 1e-12 * i->energy_initial);
    CHECK_NEAR(i->dissipated_impact, 0, 1e-12 * i->energy_initial);
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_energy_balance_of_a_damped_oscillator_with_a_stop_closes_to_rounding)
{
    point_store store;
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    carom_sim *sim = start(&osc, spec(0.5, 0.5), 0.00137);
    RUN(sim, 5);
    const carom_info *i = carom_sim_info(sim);
    ck_assert_int_eq(i->events[CAROM_EVENT_IMPACT], 5);
    CHECK_NEAR(i->balance_error, 0, 1e-13);
    CHECK_AT_LEAST(i->dissipated_impact, 3);
    CHECK_AT_LEAST(i->dissipated_viscous, 0.3);
    CHECK_NEAR(i->work_external, 0, 1e-13);
    carom_sim_free(sim);
}
END_TEST

/* The most that one step gains, and the end of the run. */
static double most_gained(const carom_model *box, double theta, double h)
{
    energy_watch w = {0};
    carom_sim *sim = start(box, spec(theta, 0.5), h);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w, .segment = watch_energy});
    RUN(sim, 6);
    const carom_info *i = carom_sim_info(sim);
    CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-9);
    CHECK_AT_MOST(i->max_penetration, 10 * h);
    CHECK_AT_MOST(i->max_residual, 1e-10);
    CHECK_AT_MOST(i->energy_final, i->energy_initial);
    if (theta == 0.5)
        CHECK_NEAR(i->balance_error, 0, 1e-9);
    carom_sim_free(sim);
    return w.most;
}

START_TEST(a_box_with_two_corners_never_gains_energy_and_comes_to_rest)
{
    for (int k = 0; k < 6; k++) {
        box_store store;
        double h = 0.001;
        carom_model box = box_model(&store, 0.1 + 0.15 * k, 0.1 * k);
        CHECK_AT_MOST(most_gained(&box, 1 / (1 + 0.1 * k), h), 1e-13);
        CHECK_AT_MOST(most_gained(&box, 0.5, h), pow(9.81 * h, 2) / 8);
    }
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    CHECK_AT_MOST(most_gained(&box, 0.5, 0.001), 1e-13);
    CHECK_AT_MOST(most_gained(&box, 0.5, 0.00037), 1e-13);
}
END_TEST

/* ---- rest, restart, failure ---- */

START_TEST(the_ball_rests_after_its_accumulation_point)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start(&ball, spec(0.5, 0.5), 0.001);
    RUN(sim, 5);
    const carom_state *s = carom_sim_state(sim);
    CHECK_NEAR(s->v[0], 0, 1e-12);
    CHECK_NEAR(s->impulse[0], 2 * 0.001, 1e-12);
    ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
    CHECK_NEAR(s->q[0], 0, 0.002);
    carom_sim_free(sim);
}
END_TEST

START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    check_restart(&box, "moreau-jean", 0.001, 700, 900);
}
END_TEST

START_TEST(foreign_bytes_are_not_loaded)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    carom_sim *sim = start(&box, "moreau-jean", 0.001);
    unsigned char bytes[4096] = "no state";
    ck_assert_int_eq(carom_sim_load(sim, bytes, 7), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_sim_load(sim, bytes, sizeof bytes), CAROM_BAD_ARGUMENT);
    carom_sim_free(sim);
}
END_TEST

START_TEST(a_failing_step_leaves_the_state_alone)
{
    point_store store;
    carom_model ball = failing_ball(&store);
    carom_sim *sim = start(&ball, spec(0.5, 0.5), 0.01);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NOT_FINITE);
    size_t size = carom_sim_save(sim, NULL, 0);
    void *before = malloc(size), *after = malloc(size);
    carom_sim_save(sim, before, size);
    ck_assert_int_eq(carom_sim_step(sim), CAROM_NOT_FINITE);
    ck_assert(strstr(carom_sim_error(sim)->text, "not finite") != NULL);
    carom_sim_save(sim, after, size);
    /* counters of work may differ; the state may not */
    const carom_state *s = carom_sim_state(sim);
    CHECK_NEAR(s->t, 0.5, 0.011);
    CHECK_NEAR(s->q[0], 5 - 5 * s->t * s->t, 1e-12);
    free(before), free(after);
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_trajectory_follows_the_nodes_and_the_jumps)
{
    point_store store;
    carom_error error;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start(&ball, spec(0.5, 0.5), 0.013);
    carom_trajectory *tr;
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    double q, v;
    for (int k = 0; k < 100; k++) {
        STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        ck_assert_int_eq(carom_trajectory_at(tr, s->t, 1, &q, &v), CAROM_OK);
        CHECK_NEAR(q, s->q[0], 1e-15);
        CHECK_NEAR(v, s->v[0], 1e-15);
    }
    const carom_jump *jump = carom_trajectory_jump(tr, 0);
    ck_assert_ptr_nonnull(jump);
    ck_assert(jump->v_before[0] < -1.9 && jump->v_after[0] > 0.9 && jump->impulse[0] > 2.9);
    ck_assert_int_eq(carom_trajectory_at(tr, jump->t, -1, &q, &v), CAROM_OK);
    CHECK_NEAR(v, jump->v_before[0], 1e-15);
    ck_assert_int_eq(carom_trajectory_at(tr, jump->t, 1, &q, &v), CAROM_OK);
    CHECK_NEAR(v, jump->v_after[0], 1e-15);
    ck_assert_int_eq(carom_trajectory_at(tr, 0.5, 1, &q, &v), CAROM_OK);
    CHECK_NEAR(q, 0.75, 1e-4);
    CHECK_NEAR(v, -1, 1e-12);
    ck_assert_int_eq(carom_trajectory_at(tr, 99, 1, &q, &v), CAROM_BAD_ARGUMENT);
    const carom_event *event = carom_trajectory_event(tr, 0);
    ck_assert(event && event->type == CAROM_EVENT_IMPACT && event->t == jump->t);
    CHECK_NEAR(event->impulse[0], jump->impulse[0], 0);
    carom_trajectory_free(tr);
    carom_sim_free(sim);
}
END_TEST

/* Two joints that agree at the start and contradict each other afterwards: q = 0 and q = t^2. */
static void quarrel_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0], g[1] = at->q[0] - at->t * at->t;
}

static void quarrel_jacobian(const carom_point *at, double *G)
{
    (void)at;
    G[0] = G[1] = 1;
}

static void quarrel_offset(const carom_point *at, double *w)
{
    w[0] = 0, w[1] = -2 * at->t;
}

START_TEST(a_contact_problem_without_solution_is_reported_and_dumped)
{
    static const char *const name[] = {"still", "moving"};
    const double q[] = {0};
    const carom_model cart = {.size = sizeof cart, .name = "cart",
                              .nq = 1,
                              .nv = 1,
                              .njoint = 2,
                              .joint_name = name,
                              .q = q,
                              .constant = CAROM_MASS,
                              .mass = unit_mass,
                              .force = zero_matrix,
                              .gap = quarrel_gap,
                              .jacobian = quarrel_jacobian,
                              .offset = quarrel_offset};
    carom_sim *sim = start(&cart, spec(0.5, 0.5), 1e-3);
    char path[SCRATCH];
    int file = mkstemp(scratch_name(path, "problem"));
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(carom_sim_dump(sim, path), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NO_SOLUTION);
    ck_assert_msg(strstr(carom_sim_error(sim)->text, "contact problem") != NULL, "%s", carom_sim_error(sim)->text);
    ck_assert_int_eq(carom_sim_dump(sim, path), CAROM_OK);
    carom_error error;
    carom_problem *problem;
    double *x, u[2];
    carom_arena *arena = carom_arena_new(0);
    FILE *dump = fdopen(file, "r");
    CHECK_OK(carom_problem_read(&problem, &x, arena, dump, &error), error);
    ck_assert_int_eq(problem->n, 2);
    CHECK_AT_LEAST(carom_problem_residual(problem, x, u, NULL) / carom_problem_scale(problem, x), 1e-10);
    fclose(dump);
    carom_arena_free(arena);
    unlink(path);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("moreau-jean", a_contact_problem_without_solution_is_reported_and_dumped,
          smooth_order_is_two_for_the_midpoint_and_one_otherwise, a_joint_keeps_order_two_and_closes_to_rounding,
          order_one_through_impacts_in_L1, the_closed_forms_agree_with_the_independent_integrator,
          l1_errors_at_a_given_step_have_the_published_size, the_energy_balance_of_an_elastic_ball_closes_to_rounding,
          the_energy_balance_of_a_damped_oscillator_with_a_stop_closes_to_rounding,
          a_box_with_two_corners_never_gains_energy_and_comes_to_rest, the_ball_rests_after_its_accumulation_point,
          going_on_after_a_load_gives_the_same_bits, foreign_bytes_are_not_loaded,
          a_failing_step_leaves_the_state_alone, the_trajectory_follows_the_nodes_and_the_jumps)
