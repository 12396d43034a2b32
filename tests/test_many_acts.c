/* What acts on the coordinates of joints between many bodies, and between their points: springs, dampers, motors, dry
 * friction, forces of expressions. */
#include "many_joints_testing.h"

enum { ACTS = 9 };
static const char *const acts[ACTS] = {
    ", stiffness: 30, rest: 0.1, damping: 0.4", ", stiffness: 4e5, damping: 20", ", damping: 3", /* steps are long */
    ", friction_torque: 0.5", ", friction_torque: 50", ", torque: 2*sin(20*t) - 0.3*j - 0.1*j'", ", motion: -0.3*t^2",
    ", range: [-0.05, 0.05], restitution: 0.3, stiffness: 5", ", torque: -4e5*j - 20*j'"};

/* Nothing acts along what is fixed, expressions know no angle of a ball in space, dry friction needs moreau-jean. */
static bool makes_sense(int set, int kind, int act, int scheme)
{
    bool weld = kind == 3, ball = kind == 2 && set > 1, distance = kind == 4, dry = act == 3 || act == 4;
    return !weld && !distance && !(ball && (act == 5 || act == 6 || act == 8)) && !(dry && scheme > 0);
}

START_TEST(springs_dampers_motors_and_friction_move_bodies_as_by_formulas)
{
    double most = 0;
    for (int set = 0; set < SETS - 1; set++) /* boxes on corners have no unique impulses in space */
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < ACTS; i++)
                for (int s = 0; s < SCHEMES; s++) {
                    int impacts;
                    if (!makes_sense(set, kind, i, s) || (SANITIZED && (set + kind + i + s) % 7))
                        continue;
                    double off = apart_with(of_kinds[set][kind], acts[i], schemes[s], 1e-3, 0.1, &impacts);
                    CHECK_AT_MOST(off, 1e-9);
                    most = fmax(most, off);
                }
    printf("apart by %.1e at most\n", most);
}
END_TEST

START_TEST(springs_between_points_and_forces_of_expressions_move_bodies_as_by_formulas)
{
    static const char *const texts[] = {
        PLANAR("box: [0.3, 0.1]", TOUCHING) "spring: [a, b], points: [[0.2, 0.1], [0.8, 0.1]], length: 0.5, "
        "stiffness: 200, damping: 1%s}\n  s: {spring: [shaker, c], points: [[2, 1], [1.8, 0]], length: 1, "
        "stiffness: 3e4}\nforces: {a: {force: [3*t, -b.x], at: [0.1, 0], torque: 0.2*cos(9*t), axes: body}, "
        "c.x: -9e3*c.x', b.angle: -40*b.angle, k: 0.5 - k - 0.2*k'}\n",
        SPATIAL("sphere: 0.15", TOUCHING) "spring: [a, b], points: [[0.2, 0.1, 0.1], [0.8, 0.1, 0]], length: 0.5, "
        "stiffness: 200, damping: 1%s}\n  s: {spring: [shaker, c], points: [[2, 1, 0], [1.8, 0, 0]], length: 1, "
        "stiffness: 3e4}\nforces: {a: {force: [3*t, -b.x, 1], at: [0.1, 0, 0], torque: [0.2*cos(9*t), 0, 0.1], "
        "axes: body}, b.x: -0.4*b.x', c: {torque: [0, -1e5*c.e2 - 9e3*c.wy, 0], axes: body}}\n"};
    int all = 0;
    for (int i = 0; i < CAROM_COUNT(texts); i++)
        for (int s = 0; s < SCHEMES; s++) {
            char text[TEXT];
            int impacts;
            snprintf(text, sizeof text, "%.*s  shaker: {moved: [0.1*sin(9*t)^2, t^2%s], at: [2, 1%s]}\n%s",
                     (int)(strstr(texts[i], "joints:") - texts[i]), texts[i], i ? ", 0" : "", i ? ", 0" : "",
                     strstr(texts[i], "joints:"));
            double off = apart(text, schemes[s], 1e-3, 0.3, &impacts);
            printf("%d, %s: apart by %.1e, %d impacts\n", i, schemes[s], off, impacts);
            CHECK_AT_MOST(off, 1e-9);
            all += impacts;
        }
    ck_assert_int_gt(all, 0);
}
END_TEST

/* A vertical chain of masses on springs is linear: theta = 1/2 keeps its energy, however long the steps are. */
static const char *const on_springs =
    "carom: 1\nparameters: {n: %d, l: 0.1, m: 0.05, k: 1e8}\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"
    "laws: {default: none}\nbodies:\n  link: {repeat: {i: n}, shape: {circle: 0.01}, mass: m, at: [0, -l*(i + 1)]}\n"
    "joints:\n  top: {spring: [ground, \"link[0]\"], points: [[0, 0], [0, -l]], length: l, stiffness: k}\n"
    "  knee: {repeat: {i: n - 1}, spring: [\"link[i]\", \"link[i+1]\"], points: [[0, -(i + 1)*l], [0, -(i + 2)*l]],\n"
    "    length: l, stiffness: k}\n";

static double energy_of(const carom_model *m, const carom_state *s)
{
    double energy[2];
    carom_error error = {0};
    CHECK_OK(carom_model_observe(m, NULL, 1, &s->t, s->q, s->v, NULL, energy, &error), error);
    return energy[0] + energy[1];
}

START_TEST(a_thousand_masses_on_stiff_springs_keep_their_energy_in_long_steps)
{
    const int n = SANITIZED ? 100 : 1000; /* h sqrt(k/m) = 90 */
    carom_model *m = chain(on_springs, n);
    ck_assert_int_eq(m->njoint, 0);
    ck_assert_int_eq(m->ncoupling, 2 * n);
    carom_sim *sim = run_to(m, "moreau-jean", 2e-3, 0);
    double begin = energy_of(m, carom_sim_state(sim)), kinetic = 0;
    CHECK_OK(carom_sim_run(sim, 0.1), *carom_sim_error(sim));
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < n; i++) {
        kinetic += 0.025 * s->v[3 * i + 1] * s->v[3 * i + 1];
        CHECK_AT_MOST(fabs(s->q[3 * i]), 1e-9);
    }
    CHECK_AT_LEAST(kinetic, 1e-6 * n);
    CHECK_NEAR(energy_of(m, s), begin, 1e-8 * kinetic);
    /* what a step takes does not grow with the chain: iterations of Newton's method */
    CHECK_AT_MOST((double)carom_sim_info(sim)->newton_iterations, 6.0 * 50);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(a_chain_whose_joints_have_dry_friction_is_struck_all_along)
{
    carom_model *m = model_of("carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\nbodies:\n"
                              "  link: {repeat: {i: 30}, shape: {box: [0.1, 0.1]}, mass: 1, at: [0.12*i, 0.3]}\n"
                              "  table: {moved: [0, 0.02*sin(20*t)], shape: {box: [10, 0.1]}, at: [0, 0.05]}\n"
                              "joints:\n"
                              "  knee: {repeat: {i: 29}, hinge: [\"link[i]\", \"link[i+1]\"], at: [0.12*i + 0.06, 0.3],"
                              " range: [-0.5, 0.5], friction_torque: 0.01}\n"
                              "laws: {default: {restitution: 0.3, friction: 0.2}}%s\n", false);
    carom_sim *sim = run_to(m, "moreau-jean", 1e-3, 0.3);
    printf("chain: %ld impacts, residual %.1e\n", carom_sim_info(sim)->events[CAROM_EVENT_IMPACT],
           carom_sim_info(sim)->max_residual);
    CHECK_AT_MOST(carom_sim_info(sim)->max_residual, 1e-10);
    CHECK_AT_LEAST(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 60);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("many_acts", springs_dampers_motors_and_friction_move_bodies_as_by_formulas,
          springs_between_points_and_forces_of_expressions_move_bodies_as_by_formulas,
          a_thousand_masses_on_stiff_springs_keep_their_energy_in_long_steps,
          a_chain_whose_joints_have_dry_friction_is_struck_all_along)
