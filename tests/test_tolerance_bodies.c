/* test_tolerance_bodies.c: `tolerance` on rows, walls and heaps of bodies, where slip begins and ends at many corners
 * at a time: they go on, keep their energy, and are where time stepping with small steps is. */
#include "tolerance_testing.h"

static double apart(const run *a, const run *b)
{
    double most = 0;
    for (int i = 0; i < a->model->nq; i++)
        most = fmax(most, fabs(carom_sim_state(a->sim)->q[i] - carom_sim_state(b->sim)->q[i]));
    return most;
}

static run taken_to(const carom_model *model, const char *scheme, double tol, double h, double t)
{
    run r = begin(model, scheme, tol, h, t);
    ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "%s, tol %g: %s", scheme, tol, carom_sim_error(r.sim)->text);
    return r;
}

static void check_rest(const run *r)
{
    for (int i = 0; i < r->model->nv; i++)
        CHECK_NEAR(carom_sim_state(r->sim)->v[i], 0, 1e-8);
}

/* The first of them moves the last by 1e-10 of its own acceleration: what slips there does so by less than modes are
 * judged by, and no force of sticking holds it. */
START_TEST(a_row_of_fallen_dominoes_comes_to_rest)
{
    static const char text[] =
        "carom: 1\nparameters: {n: 11, w: 0.008, h: 0.045, gap: 0.016, push: 8}\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n  table: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  domino: {repeat: {i: n}, shape: {box: [w, h]}, density: 800, at: [i*(w + gap), h/2]}\n"
        "laws: {default: {friction: 0.4, restitution: 0}}\n"
        "start: {\"domino[0].angle'\": -push, \"domino[0].x'\": push*h/2, \"domino[0].y'\": push*w/2}\n";
    carom_model *model = parse_text(text);
    run best = taken_to(model, "tolerance", 1e-6, 0, SANITIZED ? 0.55 : 1);
    if (!SANITIZED) {
        run steps = taken_to(model, "moreau-jean", 1e-8, 1e-3, 1);
        printf("11 dominoes: off by %.2g, balance %.2g\n", apart(&steps, &best),
               carom_sim_info(best.sim)->balance_error);
        CHECK_AT_MOST(apart(&steps, &best), 0.03);
        check_rest(&best);
        end(&steps);
    }
    CHECK_NEAR(carom_sim_info(best.sim)->balance_error, 0, 1e-6);
    end(&best);
    carom_model_free(model);
}
END_TEST

#define SPACE "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"

/* Both ends of a capsule slip to a halt; one of them could begin to slip again by the share that it has alone. */
START_TEST(feet_that_come_to_a_halt_do_not_begin_to_slip)
{
    static const char text[] = SPACE
        "  slope: {fixed: true, shape: {plane: [-0.247404, 0, 0.968912]}}\n"
        "  capsule: {shape: {capsule: [0.083, 0.028]}, density: 1000, at: [-0.017, 0.0271, 0.16], turn: {z: -0.054},\n"
        "            velocity: [0.210, -0.079, 0], spin: [0, 0, -0.846]}\n"
        "laws: {default: {friction: 0.3, restitution: 0}}\n";
    carom_model *model = parse_text(text);
    run r = begin(model, "tolerance", 1e-6, 0, 1.2);
    for (int k = 0; k < 400 && carom_sim_state(r.sim)->t < 1; k++)
        ck_assert_int_eq(carom_sim_step(r.sim), CAROM_OK);
    CHECK_AT_LEAST(carom_sim_state(r.sim)->t, 1);
    ck_assert_int_eq(carom_sim_run(r.sim, 1.2), CAROM_OK);
    run best = taken_to(model, "tolerance", 1e-9, 0, 1.2), steps = taken_to(model, "moreau-jean", 1e-8, 1e-4, 1.2);
    printf("a capsule on a slope: off by %.2g, time stepping by %.2g\n", apart(&r, &best), apart(&steps, &best));
    CHECK_AT_MOST(apart(&r, &best), 1e-6);
    CHECK_AT_MOST(apart(&steps, &best), 5e-3);
    end(&r), end(&best), end(&steps);
    carom_model_free(model);
}
END_TEST

/* What one foot still has of its slip when the other halts is taken at once, and pushes what slides on it. */
START_TEST(slip_that_ends_at_several_feet_keeps_its_account)
{
    static const char text[] = SPACE
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  a: {shape: {capsule: [0.112, 0.037]}, density: 1000, at: [-0.0533, -0.0305, 0.16], turn: {z: 0.128},\n"
        "      velocity: [-0.247, 0.238, 0], spin: [0, 0, -0.879]}\n"
        "  b: {shape: {capsule: [0.098, 0.033]}, density: 1000, at: [0.0212, 0.0338, 0.38], turn: {z: -0.104},\n"
        "      velocity: [0.216, -0.430, 0], spin: [0, 0, -1.086]}\n"
        "  c: {shape: {capsule: [0.096, 0.032]}, density: 1000, at: [0.0451, -0.0261, 0.6],\n"
        "      turn: {x: 0.329, y: -0.167, z: 0.497}, velocity: [-0.243, -0.090, 0], spin: [1.720, -0.390, 0.864]}\n"
        "laws: {default: {friction: 0.3, restitution: 0.3}}\n";
    carom_model *model = parse_text(text);
    run r = taken_to(model, "tolerance", 1e-6, 0, 1.2);
    printf("three capsules: balance %.2g\n", carom_sim_info(r.sim)->balance_error);
    CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-6);
    end(&r);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("tolerance, many bodies", a_row_of_fallen_dominoes_comes_to_rest,
          feet_that_come_to_a_halt_do_not_begin_to_slip, slip_that_ends_at_several_feet_keeps_its_account)
