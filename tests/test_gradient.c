/* test_gradient.c: derivatives of results against closed forms. A ball dropped from y0 under g, restitution e:
 * first impact T = sqrt(2 y0/g), n-th impact T (1 + 2 (e + ... + e^(n-1))), after the first one
 * y = e sqrt(2 g y0) (t - T) - g (t - T)^2/2. */
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "testing.h"

static const char *const ball =
    "carom: 1\nparameters: {g: 10, e: 0.8, y0: 0.5}\ncoordinates: {y: y0}\nmass: {y: 1}\nforce: {y: -g}\n"
    "contacts: {ground: {gap: y, restitution: e}}\n";
static carom_error error;

static carom_model *load(const char *text)
{
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static carom_options until(double t_end)
{
    carom_options options = carom_options_default();
    options.rtol = options.atol = 1e-11;
    options.t_end = t_end;
    return options;
}

START_TEST(the_height_after_an_impact_has_the_derivatives_of_its_closed_form)
{
    const char *const names[] = {"e", "g", "y0", "q.y", "v.y"};
    double slope[5], difference[5];
    carom_model *model = load(ball);
    carom_gradient g = {.size = sizeof g, .name = names, .n = 5, .check = true, .slope = slope,
                        .difference = difference};
    carom_options options = until(0.7);
    g.of = "y + g*y'";
    CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
    /* y = e V s - G s^2/2, y' = e V - G s, with s = t - T */
    const double y0 = .5, G = 10, e = .8, T = sqrt(2 * y0 / G), V = sqrt(2 * G * y0), s = .7 - T;
    CHECK_NEAR(g.value, e * V * s - G * s * s / 2 + G * (e * V - G * s), 1e-10);
    CHECK_NEAR(slope[0], V * s + G * V, 1e-9);
    const double T_g = -T / (2 * G), V_g = V / (2 * G), T_y = T / (2 * y0), V_y = V / (2 * y0);
    const double speed = e * V - G * s; /* dy/ds */
    CHECK_NEAR(slope[1], e * V_g * s - s * s / 2 - speed * T_g + speed + G * (e * V_g - s + G * T_g), 1e-9);
    CHECK_NEAR(slope[2], e * V_y * s - speed * T_y + G * (e * V_y + G * T_y), 1e-9);
    CHECK_NEAR(slope[3], slope[2], 1e-12); /* the parameter carries the start along */
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(difference[i], slope[i], 1e-7 * (1 + fabs(slope[i])));
    carom_model_free(model);
}
END_TEST

START_TEST(times_of_impacts_have_the_derivatives_of_their_closed_form)
{
    const char *const names[] = {"e", "g", "q.y"};
    double slope[3], difference[3];
    carom_model *model = load(ball);
    const double y0 = .5, G = 10, e = .8, T = sqrt(2 * y0 / G);
    for (long n = 1; n <= 4; n++) {
        carom_gradient g = {.size = sizeof g, .event = n, .name = names, .n = 3, .check = true, .slope = slope,
                            .difference = difference};
        carom_options options = until(2);
        CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
        double sum = 0.5, by_e = 0; /* (1 + 2 (e + ...))/2 */
        for (int k = 1; k < n; k++)
            sum += pow(e, k), by_e += k * pow(e, k - 1);
        CHECK_NEAR(g.value, 2 * T * sum, 1e-12);
        CHECK_NEAR(slope[0], 2 * T * by_e, 1e-9);
        CHECK_NEAR(slope[1], -T * sum / G, 1e-9);
        CHECK_NEAR(slope[2], T * sum / y0, 1e-9);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(difference[i], slope[i], 1e-7);
    }
    carom_model_free(model);
}
END_TEST

/* A rod whose tip falls on the ground, stays there (e = 0) and is lifted by a growing force: M is constant, G turns
 * with the rod. */
static const char *const rod =
    "carom: 1\ncoordinates: {y: 0.5, phi: 0.3}\nvelocities: {phi: 0.4}\nkinetic: y'^2/2 + phi'^2/8\n"
    "forces: {y: -5 + 6*t^2}\ncontacts: {tip: {gap: y - 0.5*sin(phi), restitution: 0}}\n";

START_TEST(derivatives_through_closing_and_opening_are_those_of_differences)
{
    const char *const names[] = {"q.y", "q.phi", "v.y", "v.phi"}, *const of[] = {"y", "phi", "phi'"};
    double slope[4], difference[4];
    carom_model *model = load(rod);
    carom_options options = until(2);
    for (int k = 0; k < 3; k++) {
        carom_gradient g = {.size = sizeof g, .name = names, .n = 4, .check = true, .slope = slope,
                            .difference = difference};
        g.of = of[k];
        CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
        ck_assert(g.flags & CAROM_TANGENT_RANK);
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(slope[i], difference[i], 1e-7 * (1 + fabs(slope[i])));
    }
    carom_model_free(model);
}
END_TEST

/* The force of a contact that was closed when the last run ended has no place in a flight that begins anew. */
START_TEST(a_tangent_that_is_used_again_has_forgotten_the_forces_of_the_run_before)
{
    carom_model *model = load(rod);
    const carom_options options = until(2);
    const double identity[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1}, high[] = {50, 0.3}, turning[] = {0, 0.4},
                 T = 0.75;
    carom_sim *sim;
    carom_tangent *tangent;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    CHECK_OK(carom_tangent_new(&tangent, sim, 4, &error), error);
    CHECK_OK(carom_tangent_start(tangent, identity, NULL), error);
    CHECK_OK(carom_sim_run(sim, T), error);
    ck_assert_int_ne(carom_sim_state(sim)->mode[0], CAROM_OPEN);
    CHECK_OK(carom_sim_restart(sim, high, turning, NULL), error);
    CHECK_OK(carom_tangent_start(tangent, identity, NULL), error);
    CHECK_OK(carom_sim_run(sim, T), error);
    const double *X = carom_tangent_columns(tangent);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            CHECK_NEAR(X[4 * i + j], i == j ? 1 : j == i + 2 ? T : 0, 1e-13);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

/* Which derivatives hold for one side only is told, and only of those. From y, v at the ground of the ball above. */
static void check_sides(const char *text, const char *of, const double *start, double t_end,
                        const unsigned char *expected)
{
    const char *const names[] = {"e", "g", "q.y", "v.y"}, *const initial[] = {"q.y", "v.y"};
    double slope[4], difference[4];
    unsigned char side[4] = {0};
    carom_model *model = load(text);
    carom_gradient g = {.size = sizeof g, .name = names, .n = 4, .slope = slope, .difference = difference,
                        .side = side};
    const carom_options options = until(t_end);
    if (start)
        CHECK_OK(carom_model_set(model, initial, start, 2, &error), error);
    g.of = of;
    CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
    for (int k = 0; k < 4; k++)
        ck_assert_msg(side[k] == expected[k], "%s until %g, %s: %d, expected %d", of, t_end, names[k], side[k],
                      expected[k]);
    carom_model_free(model);
}

START_TEST(derivatives_of_one_side_are_told_where_the_run_begins_or_ends_at_a_kink)
{
    const double T = sqrt(2 * .5 / 10), still[] = {0, 0}, up[] = {0, 3}, down[] = {0, -3}, above[] = {1e-3, 0};
    const unsigned char none[4] = {0}, end[] = {0, CAROM_SIDE_END, CAROM_SIDE_END, CAROM_SIDE_END},
                        touched[] = {0, 0, CAROM_SIDE_START, 0}, rest[] = {0, 0, CAROM_SIDE_REST, CAROM_SIDE_REST},
                        branch[] = {0, 0, CAROM_SIDE_SWITCH, CAROM_SIDE_SWITCH};
    check_sides(ball, "y", NULL, 0.7, none);
    check_sides(ball, "y", NULL, T, end);             /* the impact is the last thing that is seen ... */
    check_sides(ball, "y", NULL, T * (1 - 1e-13), end); /* ... or the first that is not */
    check_sides(ball, "y", NULL, T * (1 + 1e-13), end);
    check_sides(ball, "y", NULL, T * (1 - 1e-4), none);
    check_sides(ball, "y", NULL, T * (1 + 1e-4), none);
    check_sides(ball, "y", still, 0.3, rest);
    check_sides(ball, "y", up, 0.3, touched);
    check_sides(ball, "y", down, 0.3, touched);
    check_sides(ball, "y", above, 1e-3, none);
    const char *const step =
        "carom: 1\nparameters: {g: 1, e: 3}\ncoordinates: {y: 0}\nmass: {y: 1}\nforce: {y: \"if(y < 0, e, g)\"}\n";
    check_sides(step, "y", NULL, 1, branch);
    check_sides(step, "y", up, 1, (const unsigned char[]){0, 0, CAROM_SIDE_SWITCH, 0});
    check_sides(step, "y", above, 1, none);
}
END_TEST

/* ---- bodies ---- */
static void slopes(const char *text, const char *of, double t_end, const char *const *names, int n, double *slope,
                   double *difference)
{
    carom_model *model = load(text);
    carom_options options = until(t_end);
    carom_gradient g = {.size = sizeof g, .of = of, .name = names, .n = n, .check = difference != NULL,
                        .slope = slope, .difference = difference};
    CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
    carom_model_free(model);
}

/* A ball slides with u = (3, 1 + 4 r) until t* = 2 |u|/(7 mu g), then rolls: x = (v - 2/7 u) t + t* u/7. */
START_TEST(a_ball_that_comes_to_roll_has_the_derivatives_of_its_closed_form)
{
    static const char text[] =
        "carom: 1\nparameters: {r: 0.2, mu: 0.1}\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  ball: {shape: {sphere: r}, density: 1000, at: [0, 0, touch], velocity: [3, 1, 0], spin: [4, 0, 7]}\n"
        "laws: {default: {friction: mu, restitution: 0}}\n";
    const char *const names[] = {"mu", "r", "v.ball.y"};
    double slope[3], r = 0.2, mu = 0.1, u[2] = {3, 1 + 4 * r}, size = hypot(u[0], u[1]), t = 2;
    double stop = 2 * size / (7 * mu * 9.81), along = u[1] / size; /* d|u| by u_y */
    slopes(text, "ball.y", t, names, 3, slope, NULL);
    CHECK_NEAR(slope[0], -stop / mu * u[1] / 7, 1e-7);
    CHECK_NEAR(slope[1], 4 * (-2.0 / 7 * t + stop / 7 + stop / size * along * u[1] / 7), 1e-7);
    CHECK_NEAR(slope[2], t + (-2.0 / 7 * t + stop / 7 + stop / size * along * u[1] / 7), 1e-7);
}
END_TEST

START_TEST(bodies_that_turn_in_space_have_the_derivatives_of_differences)
{
    static const char text[] =
        "carom: 1\nparameters: {h: 0.3, a: 0.4, w: 0.2, I: 2e-4}\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  box: {shape: {box: [w, h, 0.1]}, mass: 1, at: [0, 0, 0.5], turn: {x: a, y: 0.3}, spin: [1, 2, 0]}\n"
        "  top: {mass: 1, inertia: [I, 16e-4, 17e-4], at: [3, 0, 9], spin: [1, 2, 3]}\n"
        "laws: {default: {friction: 0.4, restitution: 0.3}}\n";
    const char *const names[] = {"h", "a", "w", "I", "v.box.wx", "q.box.e1"};
    const char *const of[] = {"box.z", "box.wy", "point(box, [w/2, h/2, 0]).y", "top.spin.z", "top.e1"};
    for (int k = 0; k < CAROM_COUNT(of); k++) {
        double slope[6], difference[6];
        slopes(text, of[k], 0.4, names, CAROM_COUNT(names), slope, difference);
        for (int i = 0; i < CAROM_COUNT(names); i++)
            if ((i == 3) == (k > 2)) /* the box has nothing from the top, nor the other way round */
                CHECK_NEAR(slope[i], difference[i], 1e-7 * (1 + fabs(slope[i])));
            else
                CHECK_NEAR(slope[i], 0, 1e-9);
    }
}
END_TEST

/* A start that rolls changes with the radius and the spin: x = -w r t for as long as it rolls, and from there. */
START_TEST(a_start_that_rolls_follows_its_parameters)
{
    static const char text[] =
        "carom: 1\nparameters: {r: 0.3, w: 4, mu: %g}\nspace: planar\ngravity: [0.5, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  disc: {shape: {circle: r}, mass: 1, at: [0, touch], spin: w, velocity: rolling}\n"
        "laws: {default: {friction: mu, restitution: 0}}\n";
    const char *const names[] = {"r", "w"};
    for (int k = 0; k < 2; k++) { /* the second slips at once: the slope is too steep */
        char one[600];
        double slope[2];
        snprintf(one, sizeof one, text, k ? 0.01 : 0.9);
        slopes(one, "disc.x", 0.2, names, 2, slope, NULL);
        CHECK_NEAR(slope[0], -0.8, 1e-9);
        CHECK_NEAR(slope[1], -0.06, 1e-9);
    }
}
END_TEST

START_TEST(there_are_no_derivatives_by_how_many_there_are)
{
    static const char *const texts[] = {
        "carom: 1\nparameters: {n: 3}\nspace: planar\ngravity: [0, -10]\nbodies:\n"
        "  b: {repeat: {i: n}, shape: {circle: 0.1}, mass: 1, at: [i, n]}\noutputs: {height: 'b[0].y'}\n",
        "carom: 1\nparameters: {n: 1}\ncoordinates: {x: [1, 2]}\nkinetic: x[0]'^2 + x[1]'^2\n"
        "potential: x[0]\noutputs: {height: 'x[n]'}\n"};
    for (int i = 0; i < 2; i++) {
        const char *const names[] = {"n"};
        double slope[1];
        carom_model *model = load(texts[i]);
        carom_gradient g = {.size = sizeof g, .name = names, .n = 1, .of = "height", .slope = slope};
        carom_options options = until(0.1);
        ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_BAD_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "no derivatives by 'n'"));
        carom_model_free(model);
    }
}
END_TEST

START_TEST(unknown_names_and_events_that_do_not_happen_are_errors)
{
    const char *const names[] = {"q.z"};
    double slope[1], difference[1];
    carom_model *model = load(ball);
    carom_gradient g = {.size = sizeof g, .event = 1, .name = names, .n = 1, .slope = slope, .difference = difference};
    carom_options options = until(0.1);
    ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "did you mean 'q.y'?"));
    const char *const known[] = {"e"};
    g.name = known;
    ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "has 0"));
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("gradient", the_height_after_an_impact_has_the_derivatives_of_its_closed_form,
                 times_of_impacts_have_the_derivatives_of_their_closed_form,
                 derivatives_through_closing_and_opening_are_those_of_differences,
                 a_tangent_that_is_used_again_has_forgotten_the_forces_of_the_run_before,
                 derivatives_of_one_side_are_told_where_the_run_begins_or_ends_at_a_kink,
                 a_ball_that_comes_to_roll_has_the_derivatives_of_its_closed_form,
                 bodies_that_turn_in_space_have_the_derivatives_of_differences,
                 a_start_that_rolls_follows_its_parameters,
                 there_are_no_derivatives_by_how_many_there_are,
                 unknown_names_and_events_that_do_not_happen_are_errors)
