/* Where bodies start: what is to be found (touch, rolling), what overlaps, and the way out of it; by formulas and where
 * contacts are found. */
#include <string.h>

#include "carom.h"
#include "model/model.h"
#include "testing.h"

static carom_status load(carom_model **m, const char *text, bool found, bool assemble, carom_error *error)
{
    char whole[4000];
    carom_load_options options = {.size = sizeof options, .assemble = assemble};
    int n = snprintf(whole, sizeof whole, "carom: 1\n%s%s", text, found ? "contacts: found\n" : "");
    return carom_model_parse(m, "start", whole, (size_t)n, &options, error);
}

#define PLANE_WORLD                                                                                                    \
    "space: planar\ngravity: [0, -9.81]\nlaws: {default: {friction: 0.7, restitution: 0}}\n"                        \
    "bodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
#define SPACE_WORLD                                                                                                    \
    "space: spatial\ngravity: [0, 0, -9.81]\nlaws: {default: {friction: 0.7, restitution: 0}}\n" \
    "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"

static const char *const to_be_found[] = {
    SPACE_WORLD "  celt: {mass: 1, inertia: [2e-4, 16e-4, 17e-4, 2e-5, 0, 0], at: [0, 0, touch], velocity: rolling,\n"
                "         shape: {ellipsoid: [0.2, 0.03, 0.02], offset: [0, 0, 0.01]}, turn: {x: 0.01, y: -0.02},\n"
                "         spin: [0, 0, 5]}\n",
    PLANE_WORLD "  ramp: {fixed: true, shape: {polygon: [[0, 0], [2, 0], [2, 1]]}}\n"
                "  a: {shape: {box: [0.3, 0.2]}, density: 1, at: [0.7, touch], angle: 0.3}\n" /* on the ramp, */
                "  b: {shape: {circle: 0.1}, density: 1, at: [0.75, touch], spin: 2, velocity: rolling}\n" /* on a */
                "  c: {shape: {capsule: [0.3, 0.02]}, density: 1, at: [1.2, touch], angle: 0.1}\n"
                "  thin: {fixed: true, shape: {box: [0.4, 0.001]}, at: [-1, 0.5]}\n"
                "  d: {shape: {circle: 0.05}, density: 1, at: [-1, touch]}\n", /* starts below, and is found below */
    PLANE_WORLD "  arm: {shape: {capsule: [0.3, 0.02]}, density: 100, at: [0.15, 0.2]}\n"
                "  ball: {shape: {circle: 0.1}, density: 1, at: [0.85, touch], spin: 2, velocity: rolling}\n"
                "joints: {shoulder: {hinge: [ground, arm], at: [0, 0.2], coordinate: phi}}\nstart: {phi: touch}\n",
};

START_TEST(touch_and_rolling_are_found_among_formulas_and_among_contacts_found)
{
    for (int i = 0; i < CAROM_COUNT(to_be_found); i++) {
        carom_model *m[2];
        carom_error error = {0};
        double apart = 0;
        for (int k = 0; k < 2; k++) {
            CHECK_OK(load(&m[k], to_be_found[i], k == 1, false, &error), error);
            ck_assert_int_eq(m[k]->links != NULL, k);
        }
        for (int j = 0; j < m[0]->nq; j++)
            apart = fmax(apart, fabs(m[1]->q[j] - m[0]->q[j]));
        for (int j = 0; j < m[0]->nv; j++)
            apart = fmax(apart, fabs(m[1]->v[j] - m[0]->v[j]));
        printf("start %d: apart by %.1g\n", i, apart);
        CHECK_AT_MOST(apart, 1e-13);
        if (i == 1) { /* a on the ramp with its lower corner, b on a, d on the floor */
            CHECK_NEAR(m[1]->q[13 - 3], 0.05, 1e-14);
            CHECK_NEAR(hypot(m[1]->v[3], m[1]->v[4]), 2 * 0.1, 1e-14);
            CHECK_NEAR(m[1]->v[4] / m[1]->v[3], tan(0.3), 1e-13);
        }
        if (i == 2) /* the end of the arm: 0.2 - 0.3 sin = 0.02 */
            CHECK_NEAR(m[1]->q[0], -asin(0.6), 1e-14);
        carom_model_free(m[0]);
        carom_model_free(m[1]);
    }
}
END_TEST

START_TEST(a_start_found_by_touch_follows_its_parameters)
{
    carom_model *m;
    carom_error error = {0};
    CHECK_OK(load(&m, "parameters: {r: 0.1}\n" PLANE_WORLD
                  "  b: {shape: {circle: r}, density: 1, at: [0, touch], spin: 3, velocity: rolling}\n", true, false,
                  &error), error);
    CHECK_NEAR(m->q[1], 0.1, 1e-15);
    CHECK_OK(carom_model_set(m, (const char *const[]){"r"}, (const double[]){0.25}, 1, &error), error);
    CHECK_NEAR(m->q[1], 0.25, 1e-15);
    CHECK_NEAR(m->v[0], -0.75, 1e-15);
    carom_model_free(m);
}
END_TEST

typedef struct inside {
    const char *text, *words; /* what the error says */
} inside;
static const inside deep[] = {
    {PLANE_WORLD "  big: {shape: {box: [2, 2]}, density: 1, at: [0, 1]}\n"
                 "  small: {shape: {circle: 0.1}, density: 1, at: [0.3, 1.2]}\n",
     "'big' and 'small' overlap at the start by 0.8;"},
    {PLANE_WORLD "  big: {shape: {box: [2, 2]}, density: 1, at: [0, 1]}\n"
                 "  small: {shape: {box: [0.1, 0.2]}, density: 1, at: [0.3, 1.2]}\n",
     "'big' and 'small' overlap at the start by 0.75;"},
    {PLANE_WORLD "  big: {shape: {capsule: [2, 0.1]}, density: 1, at: [0, 2]}\n" /* a cross: no end is inside */
                 "  small: {shape: {capsule: [1, 0.2]}, density: 1, at: [0.2, 2], angle: pi/2}\n",
     "'big' and 'small' overlap at the start by 0.8;"},
    {SPACE_WORLD "  big: {shape: {box: [2, 2, 2]}, density: 1, at: [0, 0, 1]}\n"
                 "  small: {shape: {sphere: 0.1}, density: 1, at: [0.3, 0.1, 1.2]}\n",
     "'big' and 'small' overlap at the start by 0.8;"},
    {SPACE_WORLD "  big: {shape: {box: [2, 2, 2]}, density: 1, at: [0, 0, 1]}\n"
                 "  small: {shape: {cylinder: [0.1, 0.2]}, density: 1, at: [0.3, 0.1, 1.4]}\n",
     "'big' and 'small' overlap at the start by 0.65;"},
    {SPACE_WORLD "  big: {shape: {box: [2, 0.2, 0.2]}, density: 1, at: [0, 0, 1]}\n" /* no corner is inside */
                 "  small: {shape: {box: [0.2, 0.4, 2]}, density: 1, at: [0.1, 0, 1.2]}\n",
     "'big' and 'small' overlap at the start by 0.3;"},
    {PLANE_WORLD "  big: {shape: {box: [2, 2]}, density: 1, at: [0, 1]}\n"
                 "  small: {shape: {circle: 0.1}, density: 1, at: [0.3, 1.2]}\n"
                 "  tail: {shape: {circle: 0.1}, density: 1, at: [0.3, 2.6]}\n"
                 "joints: {rod: {distance: [small, tail], points: [small, tail]}}\n",
     "'big' and 'small' overlap at the start by 0.8;"},
};

START_TEST(a_body_inside_another_is_an_error_with_the_depth_and_assembly_moves_it_out)
{
    for (int i = 0; i < CAROM_COUNT(deep); i++)
        for (int found = 0; found < 2; found++) {
            carom_model *m;
            carom_error error = {0};
            ck_assert_int_eq(load(&m, deep[i].text, found, false, &error), CAROM_BAD_MODEL);
            ck_assert_msg(strstr(error.text, deep[i].words), "%d: %s", i, error.text);
            CHECK_OK(load(&m, deep[i].text, found, true, &error), error);
            double most = 0;
            for (int j = 0; j < m->nq; j++)
                most = fmax(most, fabs(m->q[j]));
            CHECK_AT_MOST(most, 4); /* out, not away */
            carom_model_free(m);
        }
}
END_TEST

/* A pile thrown into one place comes apart. */
START_TEST(assembly_opens_a_heap)
{
    carom_model *m;
    carom_error error = {0};
    static const char heap[] = PLANE_WORLD
        "  disc: {repeat: {i: 30}, shape: {circle: 0.1}, density: 1, at: [0.05*mod(i, 6), 0.1 + 0.04*i]}\n";
    ck_assert_int_eq(load(&m, heap, true, false, &error), CAROM_BAD_MODEL);
    CHECK_OK(load(&m, heap, true, true, &error), error);
    double least = INFINITY;
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < i; j++)
            least = fmin(least, hypot(m->q[3 * i] - m->q[3 * j], m->q[3 * i + 1] - m->q[3 * j + 1]) - 0.2);
    printf("heap: the smallest gap is %.1g\n", least);
    CHECK_AT_LEAST(least, -2e-9);
    carom_model_free(m);
}
END_TEST

START_TEST(a_loop_that_cannot_close_is_shown_where_the_file_has_it)
{
    NEEDS_MODELS;
    carom_model *m;
    carom_error error = {0};
    carom_status status = load(&m, "space: planar\nbodies:\n  rod: {shape: {box: [1, 0.1]}, mass: 1, at: [0.5, 0]}\n"
                                   "joints:\n  pin: {hinge: [ground, rod], at: [0, 0], coordinate: relative}\n"
                                   "  rope: {distance: [rod, ground], points: [[0.5, 0], [5, 0]], length: 0.5}\n",
                               false, true, &error);
    ck_assert_int_eq(status, CAROM_NOT_CONVERGED);
    ck_assert_msg(strstr(error.text, "start:7:9: assembly:") && strstr(error.text, "most of all 'rope'"), "%s",
                  error.text);
}
END_TEST

TEST_MAIN_MODELS("the start of bodies", a_loop_that_cannot_close_is_shown_where_the_file_has_it,
                 touch_and_rolling_are_found_among_formulas_and_among_contacts_found,
                 a_start_found_by_touch_follows_its_parameters,
                 a_body_inside_another_is_an_error_with_the_depth_and_assembly_moves_it_out, assembly_opens_a_heap)
