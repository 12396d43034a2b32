/* test_tolerance_cases.c: hard cases of `tolerance`: spatial friction, accumulations, dips, restarts, no solution. */
#include "systems.h"
#include "tolerance_testing.h"

/* ---- friction ---- */

/* Crank-Nicolson, extrapolated from the steps h and h/2, at a time that both have as a node. */
typedef struct pair {
    run coarse, fine;
} pair;

static void extrapolated(const void *user, double t, double *q)
{
    const pair *p = user;
    double other[MOST_Q];
    of_run(&p->coarse, t, other);
    of_run(&p->fine, t, q);
    for (int i = 0; i < p->fine.model->nq; i++)
        q[i] = (4 * q[i] - other[i]) / 3;
}

/* The largest difference on a grid. */
static double difference(const run *r, positions *exact, const void *user, double t_end)
{
    double most = 0, q[MOST_Q], x[MOST_Q];
    for (int k = 1; k <= 200; k++) {
        of_run(r, t_end * k / 200, q);
        exact(user, t_end * k / 200, x);
        for (int i = 0; i < r->model->nq; i++)
            most = fmax(most, fabs(q[i] - x[i]));
    }
    return most;
}

static const char pushed[] =
    "carom: 1\n"
    "parameters: {mu: 0.3, mus: 0.4}\n"
    "coordinates: {x: 0, y: 0, z: 0}\n"
    "kinetic: (x'^2 + y'^2 + z'^2)/2\n"
    "potential: 10*z\n"
    "forces: {x: 4*sin(2*t), y: 2.5*sin(3.1*t + 0.7)}\n"
    "contacts:\n"
    "  plane: {gap: z, slip: [\"x'\", \"y'\"], friction: mu, friction_static: mus, restitution: 0}\n"
    "run: {t_end: 10}\n";

START_TEST(a_point_pushed_over_a_plane_keeps_the_tolerance_with_and_without_static_friction)
{
    NEEDS_MODELS;
    for (int more = 0; more < 2; more++) {
        carom_error error = {0};
        carom_model *model;
        CHECK_OK(carom_model_parse(&model, "pushed", pushed, strlen(pushed), NULL, &error), error);
        CHECK_OK(carom_model_set(model, &(const char *){"mus"}, &(double){more ? 0.4 : 0.3}, 1, &error), error);
        pair cn = {begin(model, "crank-nicolson", 1, 1.0 / 2000, 10),
                   begin(model, "crank-nicolson", 1, 1.0 / 4000, 10)};
        ck_assert_int_eq(carom_sim_run(cn.coarse.sim, 10), CAROM_OK);
        ck_assert_int_eq(carom_sim_run(cn.fine.sim, 10), CAROM_OK);
        run fine = begin(model, "tolerance", 1e-12, 0, 10);
        ck_assert_int_eq(carom_sim_run(fine.sim, 10), CAROM_OK);
        printf("point on a plane, mu_s %s mu: 1e-12 against extrapolated Crank-Nicolson: %.1e\n", more ? ">" : "=",
               difference(&fine, extrapolated, &cn, 10));
        CHECK_AT_MOST(difference(&fine, extrapolated, &cn, 10), more ? 2e-4 : 1e-6);
        for (int k = 0; k < TOLERANCES; k++) {
            run r = begin(model, "tolerance", tolerances[k], 0, 10);
            ck_assert_msg(carom_sim_run(r.sim, 10) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            CHECK_AT_MOST(error_of(&r, 3, of_run, &fine), 10 * tolerances[k]);
            CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 100 * tolerances[k]);
            end(&r);
        }
        end(&fine), end(&cn.coarse), end(&cn.fine);
        carom_model_free(model);
    }
}
END_TEST

START_TEST(tiny_slip_that_friction_stops_sticks_at_once)
{
    NEEDS_MODELS;
    static const char *const starts[] = {"v.x=1e-8", "v.x=-1e-6", "v.y=1e-7"};
    for (int i = 0; i < 3; i++) {
        run r = by_tolerance("point-on-plane", starts[i], 1e-9, 0.2);
        CHECK_AT_MOST((double)carom_sim_info(r.sim)->steps, 100);
        ck_assert_int_eq(carom_sim_state(r.sim)->mode[0], CAROM_STICK);
        end(&r);
    }
}
END_TEST

START_TEST(a_box_that_tumbles_slides_and_rests_does_not_depend_on_the_tolerance)
{
    NEEDS_MODELS;
    run fine = by_tolerance("box", "", 1e-12, 2);
    for (int k = 0; k < TOLERANCES; k++) {
        run r = by_tolerance("box", "", tolerances[k], 2);
        CHECK_AT_MOST(error_of(&r, 3, of_run, &fine), fmin(1e-9, 10 * tolerances[k]));
        CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
        end(&r);
    }
    end(&fine);
}
END_TEST

/* A box given by plain functions, derivatives by differences: one corner slips, and slips back within the same step. */
START_TEST(slip_that_begins_and_reverses_in_one_step_is_found)
{
    box_store store;
    carom_model model = box_model(&store, 0.2, 0.6);
    run fine = begin(&model, "tolerance", 1e-12, 0, 1.5);
    ck_assert_int_eq(carom_sim_run(fine.sim, 1.5), CAROM_OK);
    for (int k = 0; k < TOLERANCES; k++) {
        run r = begin(&model, "tolerance", tolerances[k], 0, 1.5);
        ck_assert_msg(carom_sim_run(r.sim, 1.5) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        CHECK_AT_MOST(error_of(&r, 3, of_run, &fine), 10 * tolerances[k]);
        end(&r);
    }
    end(&fine);
}
END_TEST

/* ---- accumulations ---- */

START_TEST(a_bouncing_ball_rests_after_as_many_impacts_as_the_tolerance_asks_for)
{
    NEEDS_MODELS;
    for (int k = 0; k < TOLERANCES; k++) {
        run r = by_tolerance("ball", "", tolerances[k], 5);
        const carom_info *info = carom_sim_info(r.sim);
        const carom_state *s = carom_sim_state(r.sim);
        double least =
            log2(1 / (0.1 * tolerances[k])) / 2; /* heights 4^-n/4 down to kappa tol, or twice that at q = 1 */
        CHECK_AT_LEAST((double)info->events[CAROM_EVENT_IMPACT], least - 2);
        CHECK_AT_MOST((double)info->events[CAROM_EVENT_IMPACT], least + 2);
        ck_assert_int_eq(info->nzeno, 1);
        CHECK_NEAR(info->zeno[0].t, 3, 1e-9);
        ck_assert(fabs(s->q[0]) <= 1e-15 && fabs(s->v[0]) <= 1e-15 && s->mode[0] == CAROM_CLOSED);
        end(&r);
    }
}
END_TEST

/* The lower ball bounces with decreasing height; the upper one comes down on it before it rests, or after. */
START_TEST(a_ball_is_not_frozen_when_another_one_will_hit_it)
{
    NEEDS_MODELS;
    for (int i = 0; i < 6; i++) {
        char set[64];
        snprintf(set, sizeof set, "q.y1=0.3 q.y2=%.3f", 1.2 + 0.35 * i);
        run exact = simulate("stacked-balls", set, "exact", 1, 0.01, 3);
        for (int k = 0; k < TOLERANCES; k++) {
            run r = by_tolerance("stacked-balls", set, tolerances[k], 3);
            CHECK_AT_MOST(error_of(&r, 2, of_run, &exact), 10 * tolerances[k]);
            end(&r);
        }
        end(&exact);
    }
}
END_TEST

START_TEST(freezing_counts_what_a_small_gap_moves)
{
    NEEDS_MODELS;
    run fine = by_tolerance("dimer", "", 1e-12, 0.2);
    for (int k = 1; k < TOLERANCES; k++) {
        run r = by_tolerance("dimer", "", tolerances[k], 0.2);
        CHECK_AT_MOST(error_of(&r, 3, of_run, &fine), 10 * tolerances[k]);
        end(&r);
    }
    end(&fine);
}
END_TEST

/* Hundreds of impacts; the lowest bead would rest many times if the others were not above it. */
START_TEST(a_column_of_beads_keeps_the_tolerance)
{
    NEEDS_MODELS;
    run exact = simulate("bead-column", "", "exact", 1, 0.002, 0.95);
    for (int k = 0; k < 5; k++) {
        run r = by_tolerance("bead-column", "", pow(10, -4 - k), 0.95);
        CHECK_AT_MOST(error_of(&r, 10, of_run, &exact), 10 * r.tol);
        end(&r);
    }
    end(&exact);
}
END_TEST

START_TEST(a_gap_that_opens_slowly_costs_no_steps)
{
    NEEDS_MODELS;
    for (int k = 0; k < 4; k++) {
        run cam = by_tolerance("cam-follower", "", pow(10, -4 - k), 1),
            dimer = by_tolerance("dimer", "", pow(10, -4 - k), 1);
        CHECK_AT_MOST((double)carom_sim_info(cam.sim)->steps, 1600);
        CHECK_AT_MOST((double)carom_sim_info(dimer.sim)->steps, 3000);
        end(&cam), end(&dimer);
    }
}
END_TEST

START_TEST(joints_that_are_closed_again_do_not_open_the_gap_that_is_hit)
{
    NEEDS_MODELS;
    static const char *const models[] = {"pendulum-wall-cartesian", "rocking-block", "slider-crank", "woodpecker"};
    for (int i = 0; i < 4; i++)
        for (int k = 1; k < 3; k++) {
            run r = by_tolerance(models[i], "", tolerances[k], i < 2 ? 4 : 0.2);
            CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-13);
            end(&r);
        }
}
END_TEST

/* ---- dips ---- */

static const char rough[] = "carom: 1\n"
                            "parameters: {depth: 1e-3, w: 20, x0: 0.5}\n"
                            "coordinates: {x: 0, y: 0}\n"
                            "velocities: {x: 1, y: 0}\n"
                            "kinetic: (x'^2 + y'^2)/2\n"
                            "contacts:\n"
                            "  floor: {gap: \"y + 0.01 - (0.01 + depth)*exp(-w^2*(x - x0)^2)\", restitution: 0.5}\n"
                            "run: {t_end: 1}\n";

/* Steps are 0.05 long; a bump is 2/w wide and its tip, which is hit, far narrower. */
START_TEST(a_bump_shorter_than_a_step_is_not_missed)
{
    NEEDS_MODELS;
    static const double bumps[][2] = {{1e-3, 20},  {1e-6, 20},  {1e-3, 40},  {1e-6, 40},
                                      {1e-4, 100}, {1e-6, 200}, {1e-3, 400}, {1e-6, 400}};
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "bump", rough, strlen(rough), NULL, &error), error);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 20; k++) {
            double x0 = 0.4 + 0.0157 * k;
            CHECK_OK(carom_model_set(model, (const char *const[]){"depth", "w", "x0"},
                                     (const double[]){bumps[i][0], bumps[i][1], x0}, 3, &error),
                     error);
            run r = begin(model, "tolerance", 1e-6, 0, 1);
            ck_assert_msg(carom_sim_run(r.sim, 1) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            ck_assert_msg(carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT] >= 1, "a bump of depth %g at %g was missed",
                          bumps[i][0], x0);
            CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

static const char ripples[] = "carom: 1\n"
                              "parameters: {A: 0.01, w: 60, h0: 0.0099}\n"
                              "coordinates: {y: h0}\n"
                              "kinetic: y'^2/2\n"
                              "contacts:\n"
                              "  table: {gap: \"y - A*sin(w*t)\", restitution: 0.5}\n"
                              "run: {t_end: 1}\n";

START_TEST(a_table_that_shakes_many_times_in_a_step_hits_at_its_first_rise)
{
    NEEDS_MODELS;
    static const double steps[] = {0.01, 0.05, 0.1};
    for (int i = 0; i < 3; i++) {
        carom_error error = {0};
        carom_model *model;
        char scheme[64];
        CHECK_OK(carom_model_parse(&model, "ripples", ripples, strlen(ripples), NULL, &error), error);
        snprintf(scheme, sizeof scheme, "tolerance:max_step=%g", steps[i]);
        run r = begin(model, scheme, 1e-6, 0, 1);
        ck_assert_msg(carom_sim_run(r.sim, 0.5) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        CHECK_NEAR(event(&r, CAROM_EVENT_IMPACT, 0)->t, asin(0.99) / 60, 1e-12);
        end(&r);
        carom_model_free(model);
    }
}
END_TEST

/* ---- energy, restarts, failure ---- */

START_TEST(the_energy_balance_closes_to_the_tolerance)
{
    NEEDS_MODELS;
    static const struct {
        const char *model;
        double t_end;
    } cases[] = {
        {"ball", 5},          {"linear-oscillator", 5}, {"belt", 9},          {"disc", 4},
        {"box", 2},           {"stacked-balls", 3},     {"dome", 0.7},        {"sliding-block", 1},
        {"rocking-block", 4}, {"newton-cradle", 2},     {"billiard-ball", 1}, {"woodpecker", 1},
    };
    for (int i = 0; i < 12; i++)
        for (int k = 1; k < TOLERANCES; k++) {
            run r = by_tolerance(cases[i].model, "", tolerances[k], cases[i].t_end);
            const carom_info *info = carom_sim_info(r.sim);
            double size = 1 + fabs(info->energy_initial);
            ck_assert_msg(fabs(info->balance_error) <= 30 * size * tolerances[k] + 1e-13 * size,
                          "%s: balance %.2g at tol %g", cases[i].model, info->balance_error, tolerances[k]);
            end(&r);
        }
}
END_TEST

START_TEST(a_restart_goes_on_with_the_same_bits)
{
    NEEDS_MODELS;
    static const char *const models[] = {"ball", "box",           "point-on-plane", "pendulum-wall-cartesian",
                                         "belt", "rocking-block", "slider-crank"};
    for (int i = 0; i < 7; i++)
        for (int before = 3; before < 60; before += 14) {
            carom_model *model = load(models[i], "");
            run a = begin(model, "tolerance", 1e-6, 0, 20), b = begin(model, "tolerance", 1e-6, 0, 20);
            for (int k = 0; k < before; k++)
                ck_assert_int_eq(carom_sim_step(a.sim), CAROM_OK);
            size_t size = carom_sim_save(a.sim, NULL, 0);
            char *saved = malloc(size), *end_a = malloc(size), *end_b = malloc(size);
            carom_sim_save(a.sim, saved, size);
            ck_assert_int_eq(carom_sim_load(b.sim, saved, size), CAROM_OK);
            for (int k = 0; k < 20; k++) {
                ck_assert_int_eq(carom_sim_step(a.sim), CAROM_OK);
                ck_assert_int_eq(carom_sim_step(b.sim), CAROM_OK);
            }
            carom_sim_save(a.sim, end_a, size), carom_sim_save(b.sim, end_b, size);
            ck_assert_mem_eq(end_a, end_b, size);
            free(saved), free(end_a), free(end_b);
            end(&a), end(&b);
            carom_model_free(model);
        }
}
END_TEST

static const char rod[] = "carom: 1\n"
                          "parameters: {mu: 5/3, th0: 0.5410520681182421, w0: 1}\n"
                          "coordinates: {x: 0, y: sin(th0), th: th0}\n"
                          "velocities: {x: 30, y: cos(th0)*w0, th: w0}\n"
                          "kinetic: (x'^2 + y'^2)/2 + th'^2/6\n"
                          "potential: 10*y\n"
                          "contacts:\n"
                          "  tip: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
                          "run: {t_end: 1}\n";

START_TEST(a_rod_whose_slip_has_no_solution_stops_with_a_reason_and_keeps_its_state)
{
    NEEDS_MODELS;
    static const double starts[][2] = {{1, 0.161029}, {3, 0.076957}};
    for (int i = 0; i < 2; i++) {
        carom_error error = {0};
        carom_model *model;
        CHECK_OK(carom_model_parse(&model, "rod", rod, strlen(rod), NULL, &error), error);
        CHECK_OK(carom_model_set(model, &(const char *){"w0"}, &starts[i][0], 1, &error), error);
        run r = begin(model, "tolerance", 1e-8, 0, 1);
        carom_status status = carom_sim_run(r.sim, 1);
        const carom_state *s = carom_sim_state(r.sim);
        printf("rod, w0 = %g: stops at t = %.6f (%.6f): %s\n", starts[i][0], s->t, starts[i][1],
               carom_sim_error(r.sim)->text);
        ck_assert_msg(status != CAROM_OK && status != CAROM_STOPPED, "the rod goes on to t = %g", s->t);
        ck_assert_uint_gt(strlen(carom_sim_error(r.sim)->text), 20);
        CHECK_NEAR(s->t, starts[i][1], 1e-3);
        for (int k = 0; k < 3; k++)
            ck_assert(isfinite(s->q[k]) && isfinite(s->v[k]));
        end(&r);
        carom_model_free(model);
    }
}
END_TEST

TEST_MAIN("tolerance, hard cases", a_point_pushed_over_a_plane_keeps_the_tolerance_with_and_without_static_friction,
          tiny_slip_that_friction_stops_sticks_at_once,
          a_box_that_tumbles_slides_and_rests_does_not_depend_on_the_tolerance,
          slip_that_begins_and_reverses_in_one_step_is_found,
          a_bouncing_ball_rests_after_as_many_impacts_as_the_tolerance_asks_for,
          a_ball_is_not_frozen_when_another_one_will_hit_it, freezing_counts_what_a_small_gap_moves,
          a_column_of_beads_keeps_the_tolerance, a_gap_that_opens_slowly_costs_no_steps,
          joints_that_are_closed_again_do_not_open_the_gap_that_is_hit, a_bump_shorter_than_a_step_is_not_missed,
          a_table_that_shakes_many_times_in_a_step_hits_at_its_first_rise, the_energy_balance_closes_to_the_tolerance,
          a_restart_goes_on_with_the_same_bits,
          a_rod_whose_slip_has_no_solution_stops_with_a_reason_and_keeps_its_state)
