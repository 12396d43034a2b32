/* test_galerkin_impact.c: the Galerkin families through impacts: order, energy, rest after infinitely many impacts,
 * dense output with jumps, and friction in space. */
#include "galerkin_testing.h"
#include "reference.h"
#include "systems.h"

/* ---- order through impacts ---- */
static double l1_error(const carom_model *m, const char *scheme, double h, double T)
{
    double x[2 * REFERENCE_MAX] = {0}, t = 0, sum = 0;
    int n = m->nv;
    memcpy(x, m->q, sizeof(double) * (size_t)n);
    if (m->v)
        memcpy(x + n, m->v, sizeof(double) * (size_t)n);
    carom_sim *sim = start_fields(m, scheme, h);
    const carom_state *s = carom_sim_state(sim);
    while (s->t < T - h) {
        STEP(sim);
        reference_run(m, t, s->t, 5e-4, x), t = s->t;
        for (int i = 0; i < n; i++)
            sum += h * (fabs(s->q[i] - x[i]) + fabs(s->v[i] - x[n + i]));
    }
    carom_sim_free(sim);
    return sum;
}

START_TEST(order_one_through_impacts_in_L1)
{
    point_store store;
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0), wall = double_pendulum();
    const struct { const carom_model *m; double T; } cases[] = {{&osc, 5}, {&wall, 1.5}};
    for (int c = 0; c < 2; c++)
        for (int f = 0; f < 2; f++)
            for (int M = 0; M <= 3; M++) {
                enum { N = 16 };
                double h[N], error[N];
                char scheme[64];
                snprintf(scheme, sizeof scheme, "%s:degree=%d", families[f], M);
                for (int i = 0; i < N; i++)
                    error[i] = l1_error(cases[c].m, scheme, h[i] = 0.02 / pow(1.37, i) / 1.0137, cases[c].T);
                double order = fitted_order(N, h, error);
                printf("case %d %s: order %.3f, %.3g at h = %.2g\n", c, scheme, order, error[N - 1], h[N - 1]);
                CHECK_NEAR(order, 1, 0.25);
            }
}
END_TEST

/* ---- rest ---- */
START_TEST(the_ball_rests_after_its_accumulation_point)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
    for (int f = 0; f < 2; f++)
        for (int M = 0; M <= 4; M++)
            for (double h = 0.013; h > 1e-4; h /= 7) {
                carom_sim *sim = start(&ball, f, M, h);
                const carom_state *s = carom_sim_state(sim);
                while (s->t < (M == 0 ? 14 : 7)) /* after the last bounces M = 0 slows down geometrically */
                    STEP(sim);
                CHECK_NEAR(s->v[0], 0, M == 0 ? 1e-3 : 1e-12);
                CHECK_AT_MOST(fabs(s->q[0]), 10 * h * h + 1e-13 + (M == 0) * h);
                ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
                STEP(sim);
                if (M > 0)
                    CHECK_NEAR(s->impulse[0], 10 * h, 1e-13);
                carom_sim_free(sim);
            }
}
END_TEST

/* Without the rule for short flights D- goes on bouncing, v+ = e g h/(1 + e), and sinks with g h (1 - e)/(2 (1 +
 * e)). */
START_TEST(without_kappa_the_ball_ends_in_the_known_cycle)
{
    point_store store;
    const double e = 0.5, g = 2, h = 0.01;
    carom_model ball = point_model(&store, 1, -g, 0, 0, e, 1, 0);
    carom_sim *sim = start_fields(&ball, "dg-minus:degree=1:kappa=0", h);
    RUN(sim, 3.5);
    const carom_state *s = carom_sim_state(sim);
    CHECK_NEAR(s->v[0], e * g * h / (1 + e), 1e-12);
    double before = s->q[0];
    STEP(sim);
    CHECK_NEAR((s->q[0] - before) / h, -g * h * (1 - e) / (2 * (1 + e)), 1e-12);
    CHECK_NEAR(s->v[0], e * g * h / (1 + e), 1e-12);
    carom_sim_free(sim);
}
END_TEST

/* A ball with e = 0.8 bounces with u, 0.8 u, ... for 2 * 0.8 u/g each: it comes to rest with the first bounce of less
 * than kappa steps, after all that are longer, in every degree that knows accelerations. */
START_TEST(bounces_of_less_than_kappa_steps_end_at_rest)
{
    const double h = 1.0 / 512, g = 10, e = 0.8, u = sqrt(2 * g * 0.5);
    for (int f = 0; f < 2; f++)
        for (int degree = 1; degree <= 4; degree++)
            for (int kappa = 10; kappa <= 90; kappa += 40) {
                point_store store;
                const carom_model ball = point_model(&store, 1, -g, 0, 0, e, 0.5, 0);
                char scheme[64];
                int longer = 0;
                for (double v = e * u; 2 * v / g > kappa * h; v *= e)
                    longer++;
                snprintf(scheme, sizeof scheme, "%s:degree=%d:kappa=%d", families[f], degree, kappa);
                carom_sim *sim = start_fields(&ball, scheme, h);
                RUN(sim, 5);
                long impacts = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT];
                ck_assert_msg(impacts == longer + 1, "%s: %ld impacts, expected %d", scheme, impacts,
                              longer + 1);
                ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_CLOSED);
                carom_sim_free(sim);
            }
}
END_TEST

/* A stiff damper presses a mass on the ground: where stages feel the impulse, the impulse must know how they answer. */
START_TEST(impulses_and_stiff_stages_are_found_together)
{
    point_store store;
    for (int M = 0; M <= 3; M += 1 + (M == 0)) { /* M = 1 does not damp the impulses that its stages feel */
        carom_model m = point_model(&store, 1, -10, 2000, 200, 0.5, 0.02, -3); /* h^2 k = 0.8, h c = 4 */
        carom_sim *sim = start(&m, 1, M, 0.02);
        const carom_state *s = carom_sim_state(sim);
        for (int k = 0; k < 60; k++)
            STEP(sim);
        CHECK_AT_LEAST(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 1);
        CHECK_NEAR(s->v[0], 0, 1e-9);
        CHECK_NEAR(s->q[0], 0, 2e-3);
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
        carom_sim_free(sim);
    }
}
END_TEST

/* ---- energy ---- */
START_TEST(elastic_impacts_keep_the_energy)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 5; M++) {
            carom_sim *sim = start(&ball, f, M, 0.00137);
            RUN(sim, 20);
            const carom_info *i = carom_sim_info(sim);
            CHECK_AT_LEAST(i->events[CAROM_EVENT_IMPACT], 20);
            CHECK_NEAR(i->energy_final, i->energy_initial, 2e-12 * i->energy_initial);
            CHECK_NEAR(i->balance_error, 0, 2e-12 * i->energy_initial);
            carom_sim_free(sim);
        }
}
END_TEST

START_TEST(a_box_with_two_corners_never_gains_energy_and_comes_to_rest)
{
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++)
            for (int k = 0; k < 6; k += SANITIZED ? 3 : 1) {
                box_store store;
                energy_watch w = {0};
                carom_model box = box_model(&store, 0.1 + 0.15 * k, 0.1 * k);
                carom_sim *sim = start(&box, f, M, 0.001);
                carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w,
                                                         .segment = watch_energy});
                RUN(sim, 6);
                const carom_info *i = carom_sim_info(sim);
                CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-9);
                CHECK_AT_MOST(i->energy_final, i->energy_initial);
                CHECK_AT_MOST(i->max_residual, 1e-10);
                bool quiet = k < 4 || (k == 4 && M > 1); /* no stop of a slip that lifts the box, order 2 of M = 1 */
                CHECK_AT_MOST(w.most, quiet ? 1e-13 : pow(9.81 * 0.001, 2) / 8);
                carom_sim_free(sim);
            }
}
END_TEST

/* ---- restart, failure ---- */
START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    box_store store;
    carom_model box = box_model(&store, 0.4, 0.3);
    for (int f = 0; f < 2; f++) {
        const char *scheme = f ? "dg-plus:degree=1:alternate=3" : "dg-minus:degree=2:alternate=0";
        carom_sim *a = start_fields(&box, scheme, 0.001), *b = start_fields(&box, scheme, 0.001);
        for (int k = 0; k < 601; k++)
            STEP(a);
        check_same_after_load(a, b, 900);
    }
}
END_TEST

START_TEST(a_failing_step_leaves_the_state_alone)
{
    point_store store;
    carom_model ball = failing_ball(&store);
    for (int f = 0; f < 2; f++)
        for (int M = 0; M <= 3; M++) {
            carom_sim *sim = start(&ball, f, M, 0.01);
            ck_assert_int_ne(carom_sim_run(sim, 1), CAROM_OK);
            double t = carom_sim_state(sim)->t, q = carom_sim_state(sim)->q[0];
            ck_assert_int_eq(carom_sim_step(sim), CAROM_NOT_FINITE);
            ck_assert(strstr(carom_sim_error(sim)->text, "not finite") != NULL);
            CHECK_NEAR(t, 0.5, 0.011);
            CHECK_NEAR(carom_sim_state(sim)->t, t, 0);
            CHECK_NEAR(carom_sim_state(sim)->q[0], q, 0);
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- dense output ---- */
START_TEST(segments_meet_the_nodes_and_jumps_are_told)
{
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 12; M += 4) {
            point_store store;
            carom_error error;
            carom_trajectory *tr;
            carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
            carom_sim *sim = start(&ball, f, M, 0.013);
            CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
            for (int k = 0; k < 100; k++) {
                double q, v;
                STEP(sim);
                const carom_state *s = carom_sim_state(sim);
                ck_assert_int_eq(carom_trajectory_at(tr, s->t, 1, &q, &v), CAROM_OK);
                CHECK_NEAR(q, s->q[0], 1e-14);
                CHECK_NEAR(v, s->v[0], 1e-14);
            }
            const carom_jump *jump = carom_trajectory_jump(tr, 0);
            ck_assert_ptr_nonnull(jump);
            ck_assert_ptr_null(carom_trajectory_jump(tr, 1));
            CHECK_NEAR(jump->v_before[0], -2 * jump->t, 1e-13);
            CHECK_NEAR(jump->v_after[0], jump->t, 1e-13);
            CHECK_NEAR(jump->impulse[0], 3 * jump->t, 1e-13);
            const carom_segment *segment = carom_trajectory_segment(tr, 5);
            ck_assert_int_eq(segment->v_degree, M);
            ck_assert_int_eq(segment->q_degree, M + 1);
            const carom_event *event = carom_trajectory_event(tr, 0);
            ck_assert(event && event->type == CAROM_EVENT_IMPACT && event->t == jump->t);
            carom_trajectory_free(tr);
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- friction in space: a point on the plane z = 0, pushed about ---- */
static void plane_mass(const carom_point *at, double *M)
{
    (void)at;
    for (int i = 0; i < 9; i++)
        M[i] = i % 4 == 0;
}

static void plane_force(const carom_point *at, double *F)
{
    F[0] = 4 * sin(2 * at->t) - at->q[0], F[1] = 2.5 * sin(3.1 * at->t + 0.7), F[2] = -10;
}

static void plane_gap(const carom_point *at, double *g)
{
    g[0] = at->q[2];
}

static void plane_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0], u[1] = at->v[1];
}

static const carom_contact plane_ground[] = {{.name = "plane", .directions = 2, .friction = 0.3}};

/* The same with friction written as a force, while it slips */
static void sliding_force(const carom_point *at, double *F)
{
    double size = hypot(at->v[0], at->v[1]);
    F[0] = 4 * sin(2 * at->t) - at->q[0] - 3 * at->v[0] / size;
    F[1] = 2.5 * sin(3.1 * at->t + 0.7) - 3 * at->v[1] / size;
}

START_TEST(slip_in_space_keeps_the_order_while_it_turns)
{
    const double q[] = {0, 0, 0}, v[] = {3, 2, 0}, T = 0.6;
    carom_model m = {.size = sizeof m, .name = "point", .nq = 3, .nv = 3, .ncontact = 1, .contact = plane_ground,
                     .q = q, .v = v,
                     .constant = CAROM_MASS | CAROM_LAW, .mass = plane_mass, .force = plane_force, .gap = plane_gap,
                     .slip = plane_slip};
    carom_model free = {.size = sizeof free, .nq = 2, .nv = 2, .mass = cartesian_mass, .force = sliding_force};
    double x[4] = {0, 0, 3, 2};
    reference_run(&free, 0, T, 1e-4, x);
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++) {
            double h[4], error[4];
            for (int k = 0; k < 4; k++) {
                carom_sim *sim = start(&m, f, M, h[k] = T / (6 << k));
                RUN(sim, T);
                const carom_state *s = carom_sim_state(sim);
                double e[] = {s->q[0] - x[0], s->q[1] - x[1], s->v[0] - x[2], s->v[1] - x[3]};
                ck_assert_int_eq(s->mode[0], CAROM_SLIP);
                error[k] = carom_norm_max(4, e);
                carom_sim_free(sim);
            }
            double order = fitted_order(4, h, error);
            printf("plane %s M%d: order %.3f, %.3g .. %.3g\n", families[f], M, order, error[0], error[3]);
            CHECK_NEAR(order, M == 1 ? 2 : 4, 0.4);
        }
}
END_TEST

TEST_MAIN("Galerkin, impacts", order_one_through_impacts_in_L1, the_ball_rests_after_its_accumulation_point,
          without_kappa_the_ball_ends_in_the_known_cycle,
          bounces_of_less_than_kappa_steps_end_at_rest, impulses_and_stiff_stages_are_found_together,
          elastic_impacts_keep_the_energy,
          a_box_with_two_corners_never_gains_energy_and_comes_to_rest, going_on_after_a_load_gives_the_same_bits,
          a_failing_step_leaves_the_state_alone, segments_meet_the_nodes_and_jumps_are_told,
          slip_in_space_keeps_the_order_while_it_turns)
