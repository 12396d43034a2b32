/* test_crank_nicolson.c: orders of both variants, the robust step on random oscillators, the deadlocks of the printed
 * one. */
#include <stdio.h>
#include <string.h>

#include "oscillator.h"
#include "reference.h"
#include "running.h"
#include "systems.h"
#include "core/core.h"
#include "testing.h"

static const char consistent[] = "crank-nicolson", printed[] = "crank-nicolson:variant=printed";

/* ---- the impact oscillator ---- */

static const oscillator chaotic = {2.5, 0.25, 0.8, 0.5, 1, INFINITY}, regular = {2.5, 0.05, 0.5, 0, 1, INFINITY};

static void end_errors(const oscillator *o, const char *scheme, double u, double v, double T, double h, double *e_u,
                       double *e_v)
{
    oscillator_store store;
    carom_model model = oscillator_model(&store, o, u, v);
    carom_sim *sim = start_scheme(&model, scheme, h, true);
    RUN(sim, T);
    oscillator_run(o, 0, T, &u, &v);
    *e_u = fabs(carom_sim_state(sim)->q[0] - u);
    *e_v = fabs(carom_sim_state(sim)->v[0] - v);
    CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, 1e-15);
    carom_sim_free(sim);
}

/* Fitted over many N that are in no relation to the impact times; that of the larger error, too: one may pass through
 * 0. */
static void end_orders(const oscillator *o, const char *scheme, double u, double v, double T, double *order_u,
                       double *order_v, double *order)
{
    enum { N = 40 };
    double h[N], e_u[N], e_v[N], e[N];
    for (int i = 0; i < N; i++) {
        h[i] = T / floor(300 * pow(1.13, i) + 0.37 * i);
        end_errors(o, scheme, u, v, T, h[i], &e_u[i], &e_v[i]);
        e[i] = fmax(e_u[i], e_v[i]);
    }
    *order_u = fitted_order(N, h, e_u);
    *order_v = fitted_order(N, h, e_v);
    *order = fitted_order(N, h, e);
    printf("%s: orders u %.3f v %.3f, larger %.3f\n", scheme, *order_u, *order_v, *order);
}

START_TEST(the_exact_oscillator_agrees_with_the_independent_integrator)
{
    const oscillator cases[] = {chaotic, regular};
    for (int i = 0; i < 2; i++) {
        oscillator_store store;
        double u = 1, v = 0.5, x[2] = {1, 0.5};
        carom_model model = oscillator_model(&store, &cases[i], u, v);
        ck_assert_int_ge(oscillator_run(&cases[i], 0, 8, &u, &v), 2);
        reference_run(&model, 0, 8, 1e-3, x);
        CHECK_NEAR(x[0], u, 1e-10);
        CHECK_NEAR(x[1], v, 1e-10);
    }
}
END_TEST

START_TEST(the_consistent_variant_is_of_order_two_through_impacts_and_the_printed_one_of_order_one)
{
    const struct { const oscillator *o; double u, v, T; } cases[] = {
        {&chaotic, 1.5, 0, 6}, {&chaotic, 1, 0.5, 6}, {&chaotic, 1, 0, 4}, {&chaotic, 1, 1, 10}, {&regular, 1, 0, 12}};
    for (int i = 0; i < 5; i++) {
        double order_u, order_v, order;
        end_orders(cases[i].o, consistent, cases[i].u, cases[i].v, cases[i].T, &order_u, &order_v, &order);
        CHECK_NEAR(order_u, 2, 0.1);
        CHECK_NEAR(order_v, 2, 0.1);
        end_orders(cases[i].o, printed, cases[i].u, cases[i].v, cases[i].T, &order_u, &order_v, &order);
        CHECK_NEAR(order, 1, 0.1);
    }
}
END_TEST

START_TEST(the_consistent_variant_gains_as_many_digits_again)
{
    double first_c = 0, first_p = 0, c_u, c_v, p_u, p_v, T = 4;
    printf("      N  consistent  printed     final |dv|; |du|\n");
    for (int n = 1600; n <= 51200; n *= 2) {
        end_errors(&chaotic, consistent, 1, 0, T, T / n, &c_u, &c_v);
        end_errors(&chaotic, printed, 1, 0, T, T / n, &p_u, &p_v);
        printf("%7d  %.2e    %.2e    %.2e    %.2e\n", n, c_v, p_v, c_u, p_u);
        if (n == 1600)
            first_c = c_v, first_p = p_v;
    }
    CHECK_NEAR(log(first_c / c_v) / log(32), 2, 0.1);
    CHECK_NEAR(log(first_p / p_v) / log(32), 1, 0.05);
    CHECK_AT_MOST(c_v, 2.5e-4 * p_v);
}
END_TEST

START_TEST(two_stops_keep_order_two)
{
    const oscillator o = {1.7, 0.1, 0.7, -0.3, 1, 0.5};
    double order_u, order_v, order, u = 0.1, v = 1;
    ck_assert_int_eq(oscillator_run(&o, 0, 9, &u, &v), 5);
    end_orders(&o, consistent, 0.1, 1, 9, &order_u, &order_v, &order);
    CHECK_NEAR(order_u, 2, 0.15);
    CHECK_NEAR(order_v, 2, 0.15);
}
END_TEST

/* ---- random oscillators, impacting, resting, released ---- */

static double uniform(unsigned long long *seed, double low, double high) /* xorshift64* */
{
    *seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
    return low + (high - low) * (double)((*seed * 2685821657736338717ull) >> 11) * 0x1p-53;
}

START_TEST(twenty_thousand_random_oscillators_neither_hang_nor_penetrate)
{
    enum { STEP = SANITIZED ? 11 : 1 };
    unsigned long long seed = 20240607;
    long impacts = 0, closings = 0, openings = 0, steps = 0, most = 0;
    double work = 0;
    for (int i = 0; i < 20000; i += STEP) {
        oscillator o = {uniform(&seed, 0.2, 6), uniform(&seed, 0, 0.9), uniform(&seed, 0, 1), uniform(&seed, -1.5, 1.5),
                        uniform(&seed, 0, 3), INFINITY};
        if (i % 7 == 0)
            o.e = i % 2;
        bool touching = i % 5 == 0;
        double u = o.umin + (touching ? 0 : uniform(&seed, 0, 2)),
               v = touching ? uniform(&seed, 0, 0.3) * (i % 3) : uniform(&seed, -2, 2);
        double period = 2 * M_PI / o.w, per = exp(uniform(&seed, log(8), log(400))),
               T = uniform(&seed, 0.7, 3.2) * period;
        oscillator_store store;
        carom_model model = oscillator_model(&store, &o, u, v);
        carom_sim *sim = start_scheme(&model, consistent, period / per, true);
        carom_status status = carom_sim_run(sim, T);
        const carom_info *info = carom_sim_info(sim);
        ck_assert_msg(status == CAROM_OK, "case %d: %s", i, carom_sim_error(sim)->text);
        ck_assert_msg(info->max_penetration <= 1e-12, "case %d: penetration %g", i, info->max_penetration);
        long allowed = (long)(T / (period / per)) + 2;
        ck_assert_msg(info->steps <= allowed, "case %d: %ld steps, %ld expected", i, info->steps, allowed);
        CHECK_NEAR(carom_sim_state(sim)->t, T, 1e-12 * T);
        work = fmax(work, (double)info->contact_problems / (double)(info->steps + info->events[CAROM_EVENT_IMPACT]));
        impacts += info->events[CAROM_EVENT_IMPACT], steps += info->steps;
        closings += info->events[CAROM_EVENT_CLOSING], openings += info->events[CAROM_EVENT_OPENING];
        most = CAROM_MAX(most, info->events[CAROM_EVENT_IMPACT]);
        carom_sim_free(sim);
    }
    printf("random: %ld steps, %ld impacts (at most %ld), %ld closings, %ld openings, at most %.1f contact problems "
           "each\n",
           steps, impacts, most, closings, openings, work);
    ck_assert_int_ge(impacts, 50000 / STEP);
    ck_assert_int_ge(closings, 5000 / STEP);
    ck_assert_int_ge(openings, 5000 / STEP);
}
END_TEST

static void opening(void *user, const carom_event *event)
{
    if (event->type == CAROM_EVENT_OPENING)
        *(double *)user = event->t;
}

/* At rest until -cos(t) exceeds umin = 0.3; then it leaves with u = 0. */
START_TEST(release_from_rest_happens_when_the_force_turns_and_keeps_order_two)
{
    const oscillator o = {1, 0.2, 0.5, 0.3, -1, INFINITY};
    double release = acos(-0.3), T = release + 0.8, h[12], error[12], u, v, opened = 0;
    oscillator_flight(&o, release, 0.3, 0, T, &u, &v);
    for (int i = 0; i < 12; i++) {
        oscillator_store store;
        carom_model model = oscillator_model(&store, &o, 0.3, 0);
        h[i] = 0.05 / pow(1.4, i);
        carom_sim *sim = start_scheme(&model, consistent, h[i], true);
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &opened, .event = opening});
        RUN(sim, T);
        CHECK_NEAR(opened, release, 2e-8 * h[i]);
        ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_OPENING], 1);
        ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 0);
        CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, 1e-15);
        error[i] = fmax(fabs(carom_sim_state(sim)->q[0] - u), fabs(carom_sim_state(sim)->v[0] - v));
        carom_sim_free(sim);
    }
    CHECK_NEAR(fitted_order(12, h, error), 2, 0.15);
}
END_TEST

static void growing_load(const carom_point *at, double *F)
{
    F[0] = -10 * at->t * at->t;
}

static void add_force(void *user, const carom_segment *s)
{
    *(double *)user += s->force[0] * (s->t1 - s->t0);
}

START_TEST(the_impulse_of_a_rest_phase_is_the_trapezoidal_sum_of_the_load)
{
    point_store store;
    carom_model resting = point_model(&store, 1, 0, 0, 0, 0.5, 0, 0);
    resting.force = growing_load, resting.potential = NULL;
    double h = 1.0 / 37, sum = 0, recorded = 0;
    carom_sim *sim = start_scheme(&resting, consistent, h, false);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &recorded, .segment = add_force});
    for (int k = 0; k < 37; k++) {
        ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
        sum += carom_sim_state(sim)->impulse[0];
    }
    CHECK_NEAR(sum, 10.0 / 3 + 10 * h * h / 6, 1e-13);
    CHECK_NEAR(recorded, sum, 1e-13);
    carom_sim_free(sim);
}
END_TEST

/* An impact at t = 1.45 in a step of 2, e = 0: cos t pushes outward until pi/2, but not for the rest of the step. */
START_TEST(a_contact_whose_force_turns_within_the_step_rests_at_once)
{
    const oscillator o = {1, 0, 0, 0, 1, INFINITY};
    oscillator_store store;
    carom_model model = oscillator_model(&store, &o, 1, -0.68);
    carom_sim *sim = start_scheme(&model, consistent, 2, false);
    ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
    ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_CLOSED);
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 1);
    ck_assert_int_le(carom_sim_info(sim)->contact_problems, 5);
    carom_sim_free(sim);
}
END_TEST

/* ---- the printed variant stands still, and says so ---- */

START_TEST(a_deadlock_of_the_printed_variant_is_reported)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.1, 1, 0); /* falls for 1, accumulates at 1 + 2/9 */
    carom_sim *sim = start_scheme(&ball, printed, 0.001, false);
    ck_assert_int_eq(carom_sim_run(sim, 5), CAROM_NOT_CONVERGED);
    const char *text = carom_sim_error(sim)->text;
    printf("%s\n", text);
    ck_assert(strstr(text, "stands still") && strstr(text, "'ground'") && strstr(text, "s = 0"));
    CHECK_NEAR(carom_sim_state(sim)->t, 1 + 2.0 / 9, 0.005);
    double before = carom_sim_state(sim)->q[0];
    ck_assert_int_eq(carom_sim_step(sim), CAROM_NOT_CONVERGED);
    CHECK_NEAR(carom_sim_state(sim)->q[0], before, 0);
    carom_sim_free(sim);
    carom_model resting = point_model(&store, 1, -2, 0, 0, 0.5, 0, 0);
    sim = start_scheme(&resting, printed, 0.001, false);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NOT_CONVERGED);
    carom_sim_free(sim);
}
END_TEST

/* With this force phi has no zero for any of the eleven lengths, so (38) applies: V <- -e V, nothing else. */
static void hyperbolic_force(const carom_point *at, double *F)
{
    F[0] = at->t > 0 ? 2 / at->t : 0;
}

START_TEST(the_fallback_of_the_printed_variant_reverses_the_velocity_in_place)
{
    point_store store;
    const double dt = 0.01, k = 1.0 / 600, u = -k - 0.5;
    carom_model model = point_model(&store, 1, 0, 0, 0, 0.5, k * dt / 1100, u);
    model.force = hyperbolic_force;
    model.potential = NULL;
    carom_error error;
    carom_sim *sim = start_scheme(&model, printed, dt, false);
    carom_trajectory *trajectory;
    CHECK_OK(carom_trajectory_new(&trajectory, sim, &error), error);
    ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
    const carom_jump *jump = carom_trajectory_jump(trajectory, 0);
    ck_assert_ptr_nonnull(jump);
    CHECK_NEAR(jump->t, 0, 0);
    CHECK_NEAR(jump->q[0], k * dt / 1100, 0);
    CHECK_NEAR(jump->v_after[0], -0.5 * u, 1e-15);
    carom_trajectory_free(trajectory);
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_printed_variant_refuses_what_it_cannot_do)
{
    box_store corners;
    cartesian_store rod;
    const carom_model models[] = {double_pendulum(), box_model(&corners, 0.4, 0.3), cartesian_pendulum(&rod)};
    for (int i = 0; i < 3; i++) {
        carom_error error;
        carom_sim *sim;
        carom_options o = carom_options_default();
        CHECK_OK(carom_options_set(&o, "scheme", printed, &error), error);
        ck_assert_int_eq(carom_sim_new(&sim, &models[i], &o, &error), CAROM_UNSUPPORTED);
        ck_assert(strstr(error.text, "as printed") && strstr(error.text, "variant=consistent"));
    }
}
END_TEST

TEST_MAIN("crank-nicolson", the_exact_oscillator_agrees_with_the_independent_integrator,
          the_consistent_variant_is_of_order_two_through_impacts_and_the_printed_one_of_order_one,
          the_consistent_variant_gains_as_many_digits_again, two_stops_keep_order_two,
          twenty_thousand_random_oscillators_neither_hang_nor_penetrate,
          release_from_rest_happens_when_the_force_turns_and_keeps_order_two,
          the_impulse_of_a_rest_phase_is_the_trapezoidal_sum_of_the_load,
          a_contact_whose_force_turns_within_the_step_rests_at_once, a_deadlock_of_the_printed_variant_is_reported,
          the_fallback_of_the_printed_variant_reverses_the_velocity_in_place,
          the_printed_variant_refuses_what_it_cannot_do)
