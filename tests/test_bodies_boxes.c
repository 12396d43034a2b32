/* Boxes on boxes in space by formulas: vertices, edges that cross, and what the motion does where one hands over to the
 * other. References: closed forms, the same system in the plane, Moreau-Jean with contacts that are found. */
#include <string.h>

#include "carom_output.h"
#include "courses.h"
#include "model/check.h"

/* Two bars that meet crosswise at their centres: four crossings of edges, and a central impact of two masses. */
START_TEST(bars_that_meet_crosswise_are_two_masses)
{
    NEEDS_MODELS;
    course r = run_by("carom: 1\nspace: spatial\n"
                      "bodies:\n  one: {shape: {box: [2, 0.1, 0.1]}, mass: 1}\n"
                      "  two: {shape: {box: [2, 0.1, 0.1]}, mass: 3, at: [0, 0, 0.6], turn: {z: pi/2},\n"
                      "        velocity: [0, 0, -2]}\n"
                      "laws: {default: {friction: 0.3, restitution: 0.5}}\n", "tolerance", 0.01, 1e-8, 1);
    CHECK_NEAR(value(&r, 1, "one.z'"), -1.5 * 1.5, 1e-12); /* 3 (1 + e) v/4 */
    CHECK_NEAR(value(&r, 1, "two.z'"), -2 + 0.75, 1e-12);
    CHECK_NEAR(value(&r, 1, "one.z"), -1.5 * 1.5 * 0.75, 1e-12); /* since t = 0.25 */
    CHECK_NEAR(value(&r, 1, "hypot(one.wx, one.wy) + hypot(two.wx, two.wy)"), 0, 1e-12);
    finish(&r);
}
END_TEST

/* On a bar that is held it bounces with all its accumulation, t = sqrt(2 H/g) (1 + e)/(1 - e), and lies there. */
START_TEST(a_bar_comes_to_rest_across_another)
{
    NEEDS_MODELS;
    course r = run_by("carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
                      "bodies:\n  low: {fixed: true, shape: {box: [2, 0.1, 0.1]}}\n"
                      "  bar: {shape: {box: [2, 0.1, 0.1]}, density: 1000, at: [0, 0, 0.4], turn: {z: pi/2}}\n"
                      "laws: {default: {friction: 0.3, restitution: 0.5}}\n", "tolerance", 0.01, 1e-8, 2);
    const carom_info *info = carom_sim_info(r.sim);
    ck_assert_int_ge(info->nzeno, 1);
    CHECK_NEAR(info->zeno[0].t, 3 * sqrt(0.06), 1e-9);
    CHECK_NEAR(value(&r, 2, "bar.z"), 0.1, 1e-12);
    CHECK_NEAR(value(&r, 2, "hypot(bar.e1, bar.e2)"), 0, 1e-12);
    finish(&r);
}
END_TEST

/* It slides over the edge of the other, tips, and falls off: in the plane only corners touch, in space edges cross. */
START_TEST(a_box_tips_over_an_edge_as_in_the_plane)
{
    NEEDS_MODELS;
    course plane = run_by("carom: 1\nspace: planar\ngravity: [0, -10]\n"
                          "bodies:\n  low: {fixed: true, shape: {box: [1, 1]}, at: [0, 0.5]}\n"
                          "  box: {shape: {box: [0.4, 0.2]}, density: 1000, at: [0, 1.1], velocity: [2, 0]}\n"
                          "laws: {default: {friction: 0.1, restitution: 0}}\n", "tolerance", 0.01, 1e-8, 0.7);
    course space = run_by("carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
                          "bodies:\n  low: {fixed: true, shape: {box: [1, 1, 1]}, at: [0, 0, 0.5]}\n"
                          "  box: {shape: {box: [0.4, 0.3, 0.2]}, density: 1000, at: [0, 0, 1.1],\n"
                          "        velocity: [2, 0, 0]}\n"
                          "laws: {default: {friction: 0.1, restitution: 0}}\n", "tolerance", 0.01, 1e-8, 0.7);
    CHECK_NEAR(value(&plane, 0.7, "box.x"), 1.23177, 1e-5); /* Moreau-Jean in the plane, h -> 0 */
    CHECK_NEAR(value(&space, 0.7, "box.x"), value(&plane, 0.7, "box.x"), 1e-7);
    CHECK_NEAR(value(&space, 0.7, "box.z"), value(&plane, 0.7, "box.y"), 1e-7);
    CHECK_NEAR(value(&space, 0.7, "2*atan2(box.e2, box.e0)"), -value(&plane, 0.7, "box.angle"), 1e-7);
    CHECK_NEAR(value(&space, 0.7, "box.y"), 0, 1e-9);
    finish(&plane);
    finish(&space);
}
END_TEST

#define TUMBLES                                                                                                        \
    "carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"                                                                 \
    "bodies:\n  low: {fixed: true, shape: {box: [1, 1, 1]}, at: [0, 0, -0.5]}\n"                                       \
    "  box: {shape: {box: [0.5, 0.3, 0.4]}, density: 1000, at: [0.45, 0.1, 0.5], turn: {x: 0.4, y: 0.9, z: 0.3},\n"    \
    "        velocity: [0.3, 0.1, 0], spin: [0.5, 1, 0.2]}\n"                                                          \
    "laws: {default: {friction: 0.3, restitution: 0.3}}\n"

/* The largest difference of two motions in positions at the end. */
static double apart(const course *a, const course *b)
{
    const carom_state *x = carom_sim_state(a->sim), *y = carom_sim_state(b->sim);
    double most = 0;
    for (int i = 0; i < 7; i++)
        most = fmax(most, fabs(x->q[i] - y->q[i]));
    return most;
}

START_TEST(a_box_tumbles_over_an_edge_as_with_contacts_that_are_found)
{
    NEEDS_MODELS;
    course sharp = run_by(TUMBLES, "tolerance", 0.01, 1e-10, 0.6);
    course loose = run_by(TUMBLES, "tolerance", 0.01, 1e-7, 0.6);
    ck_assert_double_lt(apart(&sharp, &loose), 1e-6);
    double before = 0;
    for (int i = 0; i < 3; i++) {
        course found = run_by(TUMBLES "contacts: found\n", "moreau-jean", 4e-4 / (1 << 2 * i), 1e-8, 0.6);
        double now = apart(&sharp, &found);
        ck_assert_msg(i == 0 || now < 0.6 * before, "%g, then %g: no order 1", before, now);
        before = now;
        finish(&found);
    }
    ck_assert_double_lt(before, 3e-4);
    finish(&sharp);
    finish(&loose);
}
END_TEST

START_TEST(derivatives_of_boxes_are_those_of_differences)
{
    NEEDS_MODELS;
    carom_model *model;
    carom_error error = {0};
    carom_verdict verdict[CAROM_VERDICTS];
    int n;
    CHECK_OK(carom_model_parse(&model, "text", TUMBLES, strlen(TUMBLES), NULL, &error), error);
    CHECK_OK(carom_model_verify(model, 20, 1, verdict, &n, &error), error);
    for (int i = 0; i < n; i++)
        ck_assert_msg(verdict[i].ok, "%s is off by %g", verdict[i].name, verdict[i].error);
    carom_model_free(model);
}
END_TEST

START_TEST(a_box_stays_flush_on_another)
{
    NEEDS_MODELS;
    course r = run_by("carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
                      "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                      "  low: {shape: {box: [1, 1, 1]}, density: 1000, at: [0, 0, 0.5]}\n"
                      "  box: {shape: {box: [1, 1, 1]}, density: 1000, at: [0, 0, 1.5]}\n"
                      "laws: {default: {friction: 0.5, restitution: 0}}\n", "tolerance", 0.01, 1e-8, 2);
    CHECK_NEAR(value(&r, 2, "hypot(box.x, box.y) + hypot(box.e1, box.e2)"), 0, 1e-12);
    CHECK_NEAR(value(&r, 2, "box.z"), 1.5, 1e-12);
    finish(&r);
}
END_TEST

/* Edges of boxes that lie flat are parallel: no contact, wherever the other box is. */
START_TEST(boxes_far_apart_on_a_floor_stay)
{
    NEEDS_MODELS;
    const char *const place[4] = {"-5, -4", "5, 4", "-5, 4", "0, -5"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text, "carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
                 "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                 "  one: {fixed: true, shape: {box: [1, 1, 1]}, at: [0, 0, 0.5]}\n"
                 "  two: {shape: {box: [1, 1, 1]}, density: 1, at: [%s, touch]}\n"
                 "laws: {default: {friction: 0.3, restitution: 0}}\n", place[i]);
        course r = run_by(text, "moreau-jean", 0.01, 1e-8, 0.05);
        CHECK_NEAR(value(&r, 0.05, "two.z"), 0.5, 1e-12);
        CHECK_NEAR(value(&r, 0.05, "hypot(two.x', two.y') + abs(two.z')"), 0, 1e-12);
        finish(&r);
    }
}
END_TEST

/* The feet of edges that are all but parallel run along them at any speed, which is none of the bodies. */
START_TEST(a_box_that_turns_far_from_another_flies_freely)
{
    NEEDS_MODELS;
    const char *const spin[4] = {"20, 3, 5", "-20, 3, 5", "3, -20, 5", "-5, 3, 20"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text, "carom: 1\nspace: spatial\n"
                 "bodies:\n  one: {fixed: true, shape: {box: [1, 1, 1]}}\n"
                 "  two: {shape: {box: [1, 1, 1]}, density: 1, at: [12, 9, 3], turn: {x: 0.01, y: -0.02},\n"
                 "        velocity: [0.1, 0, 0], spin: [%s]}\n"
                 "laws: {default: {friction: 0.3, restitution: 0.5}}\n", spin[i]);
        course r = run_by(text, "moreau-jean", 0.01, 1e-8, 1);
        CHECK_NEAR(value(&r, 1, "two.x'"), 0.1, 1e-12);
        CHECK_NEAR(value(&r, 1, "abs(two.y') + abs(two.z')"), 0, 1e-12);
        finish(&r);
    }
}
END_TEST

TEST_MAIN_MODELS("boxes on boxes in space", bars_that_meet_crosswise_are_two_masses,
                 a_bar_comes_to_rest_across_another, a_box_tips_over_an_edge_as_in_the_plane,
                 a_box_tumbles_over_an_edge_as_with_contacts_that_are_found,
                 derivatives_of_boxes_are_those_of_differences, a_box_stays_flush_on_another,
                 boxes_far_apart_on_a_floor_stay, a_box_that_turns_far_from_another_flies_freely)
