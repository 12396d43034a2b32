/* Joints as constraints move bodies as the same joints do that provide a coordinate; bodies of several shapes. */
#include <string.h>

#include "courses.h"

static course run(const char *text, double t_end)
{
    return run_by(text, "tolerance", 0, 1e-10, t_end);
}

static const char arm[] =
    "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  a: {shape: {box: [0.4, 0.2]}, mass: 2, at: [0, 0]}\n"
    "  b: {shape: {box: [0.1, 0.6]}, mass: 1, at: [0.3, -0.2], angle: 0.4}\n"
    "joints:\n  pin: {hinge: [ground, a], at: [-0.2, 0.05], coordinate: relative}\n";
static const char swing[] =
    "carom: 1\nspace: spatial\ngravity: [0, 1, -9.81]\nbodies:\n"
    "  a: {shape: {box: [0.4, 0.2, 0.3]}, mass: 2, at: [0, 0, 0]}\n"
    "  b: {shape: {box: [0.1, 0.6, 0.2]}, mass: 1, at: [0.3, -0.2, 0.1], turn: {x: 0.3, z: -0.2}, spin: [0, 0, 0]}\n"
    "joints:\n  pin: {hinge: [ground, a], at: [-0.2, 0, 0.1], axis: y, coordinate: relative}\n";

START_TEST(a_joint_as_constraint_and_as_coordinate_give_the_same_motion)
{
    static const struct { const char *base, *joint; } cases[] = {
        {arm, "{hinge: [a, b], at: [0.25, -0.1]"},
        {arm, "{slider: [a, b], at: [0.3, -0.2], axis: [0.6, 0.8], stiffness: 40"},
        {arm, "{weld: [a, b], at: [0.3, -0.2]"},
        {swing, "{hinge: [a, b], at: [0.25, -0.1, 0.1], axis: [0.6, 0, 0.8]"},
        {swing, "{slider: [a, b], at: [0.3, -0.2, 0.1], axis: [0.6, 0, 0.8], stiffness: 40"},
        {swing, "{weld: [a, b], at: [0.3, -0.2, 0.1]"},
        {swing, "{ball: [a, b], at: [0.25, -0.1, 0.1]"},
    };
    static const char *const of_b[] = {"b.x", "b.y", "b.x'", "b.y'", "b.angle", "b.z", "b.wx", "b.wy", "b.wz"};
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        char text[2][900];
        for (int k = 0; k < 2; k++)
            snprintf(text[k], sizeof text[k], "%s  j: %s%s}\n", cases[i].base, cases[i].joint,
                     k ? ", coordinate: relative" : "");
        course constrained = run(text[0], 0.8), free = run(text[1], 0.8);
        ck_assert_int_gt(constrained.model->nv, free.model->nv);
        for (int n = 0; n < CAROM_COUNT(of_b); n++) {
            if (cases[i].base == arm ? n > 4 : n == 4)
                continue;
            for (int k = 1; k <= 8; k++) {
                double one = value(&constrained, 0.1 * k, of_b[n]), other = value(&free, 0.1 * k, of_b[n]);
                ck_assert_msg(fabs(one - other) <= 1e-7, "%s}: %s at %g: %.12g, %.12g", cases[i].joint, of_b[n],
                              0.1 * k, one, other);
            }
        }
        finish(&constrained);
        finish(&free);
    }
}
END_TEST

START_TEST(velocities_of_the_file_are_those_of_joints_that_provide_coordinates)
{
    static const char *const cases[] = { /* %s: `, coordinate: ...` or nothing */
        "space: planar\nbodies:\n  a: {shape: {box: [1, 1]}, mass: 1, at: [0, 0], velocity: [0, -w], spin: w}\n"
        "  b: {shape: {box: [1, 1]}, mass: 1, at: [-1, 0], velocity: [0, -2*w - 0.3], spin: w}\njoints:\n"
        "  k: {slider: [b, a], at: [0, 0], axis: y%s}\n  j: {hinge: [ground, a], at: [1, 0]%s}\n",
        "space: spatial\nbodies:\n  a: {shape: {box: [1, 1, 1]}, mass: 1, at: [0, 0, 0], velocity: [0, -w, 0],\n"
        "      spin: [0, 0, w]}\n  b: {shape: {box: [1, 2, 1]}, mass: 1, at: [-1, 0, 0], velocity: [0, -w, 0.5],\n"
        "      spin: [0, 1, -w]}\njoints:\n  k: {ball: [b, a], at: [-0.5, 0, 0]%s}\n"
        "  j: {hinge: [ground, a], at: [1, 0, 0], axis: z%s}\n"};
    static const char *const of_b[] = {"b.x", "b.y", "b.x'", "b.y'"};
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        char text[2][900];
        for (int k = 0; k < 2; k++) {
            int n = snprintf(text[k], sizeof text[k], "carom: 1\nparameters: {w: 1.5}\n");
            snprintf(text[k] + n, sizeof text[k] - (size_t)n, cases[i], k ? ", coordinate: relative" : "",
                     k ? ", coordinate: relative" : "");
        }
        course constrained = run(text[0], 0.5), free = run(text[1], 0.5);
        for (int n = 0; n < CAROM_COUNT(of_b); n++)
            CHECK_NEAR(value(&free, 0.5, of_b[n]), value(&constrained, 0.5, of_b[n]), 1e-7);
        finish(&constrained);
        finish(&free);
    }
}
END_TEST

START_TEST(a_joint_follows_the_motion_that_is_given)
{
    char text[900];
    for (int relative = 0; relative < 2; relative++) {
        snprintf(text, sizeof text, "%s  j: {hinge: [a, b], at: [0.25, -0.1], motion: 0.3*t^2%s}\n", arm,
                 relative ? ", coordinate: relative" : "");
        course r = run(text, 0.8);
        CHECK_NEAR(value(&r, 0.8, "b.angle - a.angle"), 0.4 + 0.3 * 0.64, 1e-8);
        CHECK_NEAR(value(&r, 0.8, "b.angle' - a.angle'"), 0.6 * 0.8, 1e-8);
        CHECK_AT_LEAST(fabs(value(&r, 0.8, "a.angle'")), 0.5); /* it swings */
        finish(&r);
    }
}
END_TEST

/* A bob falls from beside the hook of a rope until it is taut, or hangs on one that is let out. */
START_TEST(a_rope_is_slack_until_its_range_ends_and_follows_its_motion)
{
    static const char text[] =
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  bob: {shape: {circle: 0.1}, mass: 2, at: [0.6, 0]}\n"
        "joints:\n  rope: {distance: [ground, bob], points: [[0, 0], bob], %s}\n%s";
    char one[600], two[600];
    snprintf(one, sizeof one, text, "range: [0, 1], restitution: 0", "");
    course r = run(one, 0.6);
    const carom_event *taut = carom_trajectory_event(r.path, 0);
    ck_assert_ptr_nonnull(taut);
    double t = sqrt(2 * 0.8 / 9.81), along = 9.81 * t * 0.6; /* taut at (0.6, -0.8); it keeps the speed across */
    CHECK_NEAR(taut->t, t, 1e-9);
    CHECK_NEAR(value(&r, t + 1e-9, "bob.x'"), -0.8 * along, 1e-6);
    CHECK_NEAR(value(&r, 0.6, "hypot(bob.x, bob.y)"), 1, 1e-9);
    finish(&r);
    for (int found = 0; found < 2; found++) {
        snprintf(two, sizeof two, text, "motion: 0.6 + 0.1*t^2", found ? "contacts: found\n" : "");
        r = run_by(two, found ? "moreau-jean" : "tolerance", 1e-3, 1e-10, 1);
        CHECK_NEAR(value(&r, 1, "hypot(bob.x, bob.y)"), 0.7, found ? 1e-5 : 1e-9);
        CHECK_AT_MOST(value(&r, 0.5, "bob.y"), -0.5);
        finish(&r);
    }
}
END_TEST

/* What pulls up to 20 holds a ball of weight 9.81 at a ceiling, and not one of 29.43. */
START_TEST(cohesion_among_the_laws_is_enough_to_be_glued)
{
    for (int heavy = 0; heavy < 2; heavy++) {
        char text[500];
        snprintf(text, sizeof text,
                 "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                 "  ceiling: {fixed: true, shape: {plane: [0, -1]}}\n"
                 "  ball: {shape: {circle: 0.1}, mass: %d, at: [0, -0.1]}\n"
                 "laws: {default: {friction: 0.3, restitution: 0, cohesion: 20}}\n", heavy ? 3 : 1);
        course r = run(text, 1);
        CHECK_NEAR(value(&r, 1, "ball.y"), heavy ? -0.1 - 9.81 / 2 : -0.1, 1e-9);
        finish(&r);
    }
}
END_TEST

/* Three cubes of side 1 and density 2, at the origin, at x = 1 and at y = 1: centre (1/3, 1/3, 0). */
START_TEST(the_inertia_of_several_shapes_is_the_sum_about_the_common_centre)
{
    static const char text[] = "carom: 1\nspace: spatial\nbodies:\n  a:\n    density: 2\n    shape: [{box: [1, 1, 1]}, "
                               "{box: [1, 1, 1], offset: [1, 0, 0]}, {box: [1, 1, 1], offset: [0, 1, 0]}]\n";
    static const double d[3][3] = {{-1. / 3, -1. / 3, 0}, {2. / 3, -1. / 3, 0}, {-1. / 3, 2. / 3, 0}};
    carom_model *m;
    carom_error error = {0};
    carom_probe k;
    CHECK_OK(carom_model_parse(&m, "corner", text, sizeof text - 1, NULL, &error), error);
    CHECK_OK(carom_probe_new(&k, m, CAROM_MASS, &error), error);
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.M[0], 6, 1e-14);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(m->q[i], i < 2 ? 1. / 3 : 0, 1e-15); /* its place is that of its centre */
        for (int j = 0; j < 3; j++) {
            double I = 0;
            for (int n = 0; n < 3; n++) {
                double square = d[n][0] * d[n][0] + d[n][1] * d[n][1] + d[n][2] * d[n][2];
                I += 2 * ((i == j ? 1. / 6 + square : 0) - d[n][i] * d[n][j]);
            }
            CHECK_NEAR(k.at.M[(3 + i) * m->nv + 3 + j], I, 1e-14);
        }
    }
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(a_coordinate_starts_where_its_motion_does)
{
    char text[900];
    snprintf(text, sizeof text,
             "%s  j: {hinge: [a, b], at: [0.25, -0.1], motion: 0.3*cos(2*t) + t, coordinate: bend}\n", arm);
    course r = run(text, 0.8);
    for (int k = 0; k <= 8; k++)
        CHECK_NEAR(value(&r, 0.1 * k, "bend"), 0.3 * cos(0.2 * k) + 0.1 * k, 1e-9);
    finish(&r);
}
END_TEST

START_TEST(an_axis_follows_its_parameters)
{
    static const char text[] =
        "carom: 1\nparameters: {a: 0}\nspace: spatial\ngravity: [0, 0, -10]\nbodies:\n"
        "  rod: {shape: {box: [0.1, 0.1, 1]}, mass: 1, at: [0, 0, 0.5], spin: [1 - a, a, 0], "
        "velocity: [a/2, (a - 1)/2, 0]}\n"
        "joints:\n  pin: {hinge: [ground, rod], at: [0, 0, 0], axis: [1 - a, a, 0]}\noutputs: {angle: pin}\n";
    double angle = 0;
    for (int a = 0; a < 2; a++) {
        course r = {0};
        carom_error error = {0};
        const double value_of_a = a;
        CHECK_OK(carom_model_parse(&r.model, "text", text, sizeof text - 1, NULL, &error), error);
        CHECK_OK(carom_model_set(r.model, (const char *const[]){"a"}, &value_of_a, 1, &error), error);
        carom_options options = carom_options_default();
        options.rtol = options.atol = 1e-10;
        CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
        CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
        CHECK_OK(carom_sim_run(r.sim, 0.3), *carom_sim_error(r.sim));
        CHECK_NEAR(value(&r, 0.3, "angle"), a ? angle : value(&r, 0.3, "angle"), 1e-8);
        angle = value(&r, 0.3, "angle");
        finish(&r);
    }
}
END_TEST

static const char wheel[] =
    "carom: 1\nspace: spatial\nbodies:\n"
    "  a: {shape: {box: [1, 0.1, 0.2]}, mass: 2, at: [0.5, 0, 0], velocity: [0, 10, 0], spin: [0, 0, 20]}\n"
    "joints:\n  pin: {hinge: [ground, a], at: [0, 0, 0], axis: z, %s}\noutputs: {angle: pin, rate: pin'}\n";

START_TEST(a_motion_in_space_goes_round_and_round)
{
    char text[900];
    snprintf(text, sizeof text, wheel, "motion: 20*sin(t)");
    course r = run(text, 2);
    for (int k = 1; k <= 20; k++) { /* three turns */
        double t = 0.1 * k, turn = value(&r, t, "angle");
        CHECK_NEAR(turn, 20 * sin(t), 1e-8);
        CHECK_NEAR(value(&r, t, "a.x"), 0.5 * cos(20 * sin(t)), 1e-8);
        CHECK_NEAR(value(&r, t, "rate"), 20 * cos(t), 1e-7);
    }
    finish(&r);
}
END_TEST

/* J phi'' = -k phi with J = 2 (1.01/12 + 1/4): it would swing to 20 sqrt(J/k), more than half a turn if k is 3. */
START_TEST(a_spring_of_a_hinge_in_space_ends_the_run_before_it_lets_go)
{
    char text[900];
    const double J = 2 * (1.01 / 12 + 0.25);
    for (int soft = 0; soft < 2; soft++) {
        snprintf(text, sizeof text, wheel, soft ? "stiffness: 3" : "stiffness: 300");
        course r = {0};
        carom_error error = {0};
        carom_options options = carom_options_default();
        options.rtol = options.atol = 1e-10;
        CHECK_OK(carom_model_parse(&r.model, "text", text, strlen(text), NULL, &error), error);
        CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
        CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
        ck_assert_int_eq(carom_sim_run(r.sim, 1), soft ? CAROM_STOPPED : CAROM_OK);
        double t = carom_sim_state(r.sim)->t, w = sqrt((soft ? 3 : 300) / J);
        double angle = 20 / w * sin(w * t);
        CHECK_NEAR(value(&r, t, "angle"), angle, 1e-7);
        CHECK_NEAR(soft ? cos(angle) : t, soft ? -0.995 : 1, 1e-7);
        finish(&r);
    }
}
END_TEST

TEST_MAIN_MODELS("joints of bodies", a_joint_as_constraint_and_as_coordinate_give_the_same_motion,
                 velocities_of_the_file_are_those_of_joints_that_provide_coordinates,
                 a_joint_follows_the_motion_that_is_given, a_motion_in_space_goes_round_and_round,
                 a_coordinate_starts_where_its_motion_does, an_axis_follows_its_parameters,
                 a_spring_of_a_hinge_in_space_ends_the_run_before_it_lets_go,
                 a_rope_is_slack_until_its_range_ends_and_follows_its_motion,
                 cohesion_among_the_laws_is_enough_to_be_glued,
                 the_inertia_of_several_shapes_is_the_sum_about_the_common_centre)
