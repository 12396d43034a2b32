/* What bodies and their points are called: in forces, in the section start, at the ends of joints; what is noted. */
#include <stdio.h>
#include <string.h>

#include "courses.h"
#include "model/check.h"

static course run(const char *text)
{
    return run_by(text, "tolerance", 0, 1e-10, 0.7);
}

/* Both texts behind the same beginning give the same motion. */
static void alike(const char *begin, const char *one, const char *two, const char *const *names, int n)
{
    const char *const end[] = {one, two};
    char text[2][900];
    for (int k = 0; k < 2; k++)
        snprintf(text[k], sizeof text[k], "carom: 1\n%s%s\n", begin, end[k]);
    course a = run(text[0]), b = run(text[1]);
    for (int i = 0; i < n; i++)
        CHECK_NEAR(value(&b, 0.7, names[i]), value(&a, 0.7, names[i]), 1e-8);
    finish(&a);
    finish(&b);
}

static const char stone[] =
    "space: spatial\nbodies:\n  b: {shape: {box: [0.2, 0.4, 0.3]}, mass: 2, turn: {x: 0.3, z: 0.5}, spin: [1, 2, 3]}\n";
static const char plate[] = "space: planar\nbodies:\n  b: {shape: {box: [0.2, 0.4]}, mass: 2, angle: 0.3}\n";
static const char *const of_stone[] = {"b.x", "b.z", "b.wx", "b.wy", "b.wz", "b.spin.x"};
static const char *const of_plate[] = {"b.x", "b.y", "b.angle", "b.spin"};

START_TEST(forces_act_along_every_name_that_has_a_velocity)
{
    alike(stone, "forces: {b: {torque: [0.1, 0, 0.3]}}", "forces: {b.spin.x: 0.1, b.spin.z: 0.3}", of_stone, 6);
    alike(stone, "forces: {b: {torque: [0.1, 0, 0.3], axes: body}}", "forces: {b.wx: 0.1, b.wz: 0.3}", of_stone, 6);
    alike(stone, "forces: {b: {force: [0, 0, 2*t], at: [0.1, 0, 0]}}", "forces: {'point(b, [0.1, 0, 0]).z': 2*t}",
          of_stone, 6);
    alike(plate, "forces: {b: {torque: 0.2}}", "forces: {b.spin: 0.2}", of_plate, 4);
    alike(plate, "forces: {b: {force: [3, 0], at: [0, 0.2]}}", "forces: {'point(b, [0, 0.2]).x': 3}", of_plate, 4);
}
END_TEST

START_TEST(the_start_sets_spins)
{
    alike(plate, "start: {\"b.angle'\": 2}", "start: {b.spin: 2}", of_plate, 4);
    course r = run("carom: 1\nspace: spatial\nbodies:\n  b: {shape: {sphere: 0.2}, mass: 2}\n"
                   "start: {b.wx: 2, b.wz: -1}\n");
    CHECK_NEAR(value(&r, 0.7, "b.spin.x"), 2, 1e-12);
    CHECK_NEAR(value(&r, 0.7, "b.spin.y"), 0, 1e-12);
    CHECK_NEAR(value(&r, 0.7, "b.spin.z"), -1, 1e-12);
    finish(&r);
}
END_TEST

START_TEST(joints_of_arrays_are_at_points_of_their_members)
{
    static const char chain[] =
        "parameters: {n: 3}\nspace: planar\ngravity: [1, -9.81]\nbodies:\n"
        "  b: {repeat: {i: n}, shape: {box: [0.2, 0.1]}, mass: 1 + i, at: [i, 0],\n"
        "      points: {l: [-0.1, 0], r: [0.1, 0]}}\n"
        "laws: {default: none}\njoints:\n  root: {hinge: [ground, 'b[0]'], at: ";
    static const char *const of_chain[] = {"b[0].x", "b[1].x", "b[1].angle", "b[2].x", "b[2].y"};
    alike(chain,
          "[-0.1, 0]}\n"
          "  rod: {repeat: {i: n - 1}, distance: ['b[i]', 'b[i+1]'], points: [[i + 0.1, 0], [i + 0.9, 0]]}\n"
          "  coil: {repeat: {i: n}, spring: [ground, 'b[i]'], points: [[0, 1], [i, 0]], stiffness: 9, length: 1}",
          "'b[n-3].l'}\n"
          "  rod: {repeat: {i: n - 1}, distance: ['b[i]', 'b[i+1]'], points: ['b[i].r', 'b[i+1].l']}\n"
          "  coil: {repeat: {i: n}, spring: [ground, 'b[i]'], points: [[0, 1], 'b[i]'], stiffness: 9, length: 1}",
          of_chain, 5);
}
END_TEST

START_TEST(a_description_calls_masses_and_forces_by_their_velocities)
{
    char text[400], said[8000];
    carom_model *m;
    carom_error error = {0};
    FILE *file = tmpfile();
    snprintf(text, sizeof text, "carom: 1\n%s  c: {mass: 7, at: [1, 0, 0]}\n", stone);
    CHECK_OK(carom_model_parse(&m, "text", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_model_describe(m, file, &error), error);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    bool all = strstr(said, "M[b.wx, b.wx]") && strstr(said, "M[c.z, c.z] = 7") && strstr(said, "F[b.wz]");
    ck_assert_msg(all && !strstr(said, "e0]"), "%s", said);
    carom_model_free(m);
}
END_TEST

/* What loading has to say of bodies without laws. */
static bool is_noted(const char *rest)
{
    char text[600];
    carom_model *m;
    carom_error error = {0};
    carom_load_options load = {.size = sizeof load};
    snprintf(text, sizeof text, "carom: 1\nspace: planar\nbodies:\n  b: {shape: {circle: 1}, mass: 1}\n%s", rest);
    CHECK_OK(carom_model_parse(&m, "text", text, strlen(text), &load, &error), error);
    carom_model_free(m);
    return strstr(load.note, "there are no laws, so no two bodies touch");
}

START_TEST(bodies_that_meet_nothing_for_want_of_laws_are_noted)
{
    static const char floor[] = "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -2]}\n";
    static const char other[] = "  c: {shape: {circle: 1}, mass: 1, at: [3, 0]}\n";
    static const char joined[] = "  c: {shape: {circle: 1}, mass: 1, at: [3, 0]}\n"
                                 "joints: {j: {hinge: [b, c], at: [1, 0]}}\n";
    ck_assert(is_noted(floor));
    ck_assert(is_noted(other));
    ck_assert(!is_noted(joined)); /* shapes may be there for masses alone */
    ck_assert(!is_noted("  pivot: {fixed: true, points: {p: [0, 2]}}\n"));
    ck_assert(!is_noted("  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -2]}\nlaws: {default: none}\n"));
}
END_TEST

TEST_MAIN_MODELS("names of bodies", forces_act_along_every_name_that_has_a_velocity, the_start_sets_spins,
                 joints_of_arrays_are_at_points_of_their_members,
                 a_description_calls_masses_and_forces_by_their_velocities,
                 bodies_that_meet_nothing_for_want_of_laws_are_noted)
