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

/* Found contacts of faces with faces: edges of the one that cross those of the other become parallel. */
START_TEST(edges_that_become_parallel_touch_no_more)
{
    static const char text[] = SPACE
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  b0: {shape: {box: [0.109, 0.092, 0.126]}, density: 1000,\n"
        "      at: [-0.0487, 0.0099, 0.16], turn: {x: -0.342, y: -0.497, z: -0.098},\n"
        "      velocity: [-0.441, 0.065, 0], spin: [2.685, 0.784, 0.498]}\n"
        "  b1: {shape: {box: [0.064, 0.047, 0.046]}, density: 1000,\n"
        "      at: [0.0103, -0.054, 0.38], turn: {x: 0, y: 0.0, z: -0.252},\n"
        "      velocity: [-0.192, 0.316, 0], spin: [0, 0.000, 0.833]}\n"
        "  b2: {shape: {box: [0.082, 0.113, 0.088]}, density: 1000,\n"
        "      at: [0.0057, -0.0525, 0.6], turn: {x: 0.0, y: 0, z: 0.038},\n"
        "      velocity: [0.423, -0.138, 0], spin: [0, 0, 1.679]}\n"
        "  b3: {shape: {box: [0.065, 0.047, 0.066]}, density: 1000,\n"
        "      at: [-0.024, 06, 0.82], turn: {x: 0.0, y: 0, z: 0.576},\n"
        "      velocity: [0.257, -0.348, 0], spin: [0, 0, 1.009]}\n"
        "  b4: {shape: {box: [0.106, 0.148, 0.071]}, density: 1000,\n"
        "      at: [0.0088, 0.0451, 1.04], turn: {x: 0, y: 0, z: -0.004},\n"
        "      velocity: [-0.406, -0.230, 0], spin: [0.000, 0, 1.387]}\n"
        "laws: {default: {friction: 0.3, restitution: 0}}\ncontacts: found\n";
    carom_model *model = parse_text(text);
    for (double tol = 1e-5; tol > 5e-7; tol /= 10) {
        run r = taken_to(model, "tolerance", tol, 0, 1.2);
        printf("boxes: balance %.2g\n", carom_sim_info(r.sim)->balance_error);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, tol);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

/* Feet without friction do not stick, however slow they are: rows of sticking are forces that the law does not know. */
START_TEST(smooth_polygons_pile_up_without_friction)
{
    static const char text[] = "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [-0.247404, 0.968912]}}\n"
        "  b0: {shape: {polygon: [[-0.057, -0.038], [0.057, -0.038], [0.038, 0.038], [0, 0.057]]}, density: 1000,\n"
        "      at: [-0.002, 0.12], angle: 0.000, velocity: [-0.118, 0], spin: 0.000}\n"
        "  b1: {shape: {polygon: [[-0.056, -0.038], [0.056, -0.038], [0.038, 0.038], [0, 0.056]]}, density: 1000,\n"
        "      at: [0.0358, 0.34], angle: 0.000, velocity: [-0.047, 0], spin: 0}\n"
        "  b2: {shape: {polygon: [[-0.040, -0.027], [0.040, -0.027], [0.027, 0.027], [0, 0.040]]}, density: 1000,\n"
        "      at: [-0.0331, 0.56], angle: -0.715, velocity: [0.500, 0], spin: -1.911}\n"
        "  b3: {shape: {polygon: [[-0.038, -0.026], [0.038, -0.026], [0.026, 0.026], [0, 0.038]]}, density: 1000,\n"
        "      at: [-0.01, 0.78], angle: 0, velocity: [-0.234, 0], spin: 0}\n"
        "  b4: {shape: {polygon: [[-0.031, -0.020], [0.031, -0.020], [0.020, 0.020], [0, 0.031]]}, density: 1000,\n"
        "      at: [0.0628, 1.0], angle: 0.000, velocity: [-0.474, 0], spin: 0}\n"
        "  b5: {shape: {polygon: [[-0.041, -0.028], [0.041, -0.028], [0.028, 0.028], [0, 0.041]]}, density: 1000,\n"
        "      at: [-0.0517, 1.22], angle: 0.263, velocity: [-0.484, 0], spin: -0.120}\n"
        "  b6: {shape: {polygon: [[-0.037, -0.025], [0.037, -0.025], [0.025, 0.025], [0, 0.037]]}, density: 1000,\n"
        "      at: [-0.0256, 1.44], angle: -0.223, velocity: [0.438, 0], spin: 0.410}\n"
        "  b7: {shape: {polygon: [[-0.055, -0.037], [0.055, -0.037], [0.037, 0.037], [0, 0.055]]}, density: 1000,\n"
        "      at: [-0.0042, 1.66], angle: -0.290, velocity: [0.266, 0], spin: -3.350}\n"
        "  b8: {shape: {polygon: [[-0.032, -0.021], [0.032, -0.021], [0.021, 0.021], [0, 0.032]]}, density: 1000,\n"
        "      at: [0.0009, 1.88], angle: 0.000, velocity: [0.430, 0], spin: 0.000}\n"
        "  b9: {shape: {polygon: [[-0.048, -0.032], [0.048, -0.032], [0.032, 0.032], [0, 0.048]]}, density: 1000,\n"
        "      at: [0.0003, 2.1], angle: 0.564, velocity: [0.297, 0], spin: 2.323}\n"
        "laws: {default: {friction: 0, restitution: 0.3}}\ncontacts: found\n";
    carom_model *model = parse_text(text);
    run r = taken_to(model, "tolerance", 1e-6, 0, 0.9);
    printf("polygons: balance %.2g, friction %.2g\n", carom_sim_info(r.sim)->balance_error,
           carom_sim_info(r.sim)->dissipated_friction);
    CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-5);
    CHECK_NEAR(carom_sim_info(r.sim)->dissipated_friction, 0, 1e-10);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* Corners of voussoirs meet those of the next: of the two touches at one place one is inside its face. */
START_TEST(corners_that_meet_are_one_contact_that_is_not_lost)
{
    static const char text[] =
        "carom: 1\nparameters: {n: 7, R: 5, d: 0.75, beta: pi/n, ag: 0.6, Tp: 0.5}\nspace: planar\n"
        "gravity: [0, -9.81]\nbodies:\n"
        "  base: {moved: [\"if(t < Tp, ag*9.81*(t*Tp/(2*pi) - (Tp/(2*pi))^2*sin(2*pi*t/Tp)), ag*9.81*Tp^2/(2*pi))\",\n"
        "         0], shape: {plane: [0, 1]}}\n"
        "  voussoir: {repeat: {i: n}, shape: {ring: [R - d/2, R + d/2, i*beta, (i + 1)*beta], sides: flat},\n"
        "             density: 2400}\n"
        "laws: {default: {friction: 0.7, restitution: 0}}\ncontacts: found\n";
    carom_model *model = parse_text(text);
    run r = begin(model, "tolerance", 1e-6, 0, 2);
    while (carom_sim_state(r.sim)->t < 0.36)
        ck_assert_msg(carom_sim_step(r.sim) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
    const carom_info *info = carom_sim_info(r.sim);
    printf("arch: balance %.2g of %.2g\n", info->balance_error, info->energy_initial);
    CHECK_NEAR(info->balance_error, 0, 1e-9 * info->energy_initial); /* bounces that pass in one step lose theirs */
    CHECK_AT_MOST(info->max_penetration, 1e-9);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* Corners of voussoirs strike in turn, each lifting the next, thousands of times below the tolerance: the arch rocks
 * and comes to rest where it stood. Contacts are found without being asked for: formulas take longer. */
START_TEST(an_arch_that_a_pulse_has_rocked_comes_to_rest)
{
    static const char arch[] =
        "carom: 1\nparameters: {n: 9, R: 5, d: 0.75, beta: pi/n, ag: 0.3, Tp: 0.5}\nspace: planar\n"
        "gravity: [0, -9.81]\nbodies:\n"
        "  base: {moved: [\"if(t < Tp, ag*9.81*(t*Tp/(2*pi) - (Tp/(2*pi))^2*sin(2*pi*t/Tp)), ag*9.81*Tp^2/(2*pi))\",\n"
        "         0], shape: {plane: [0, 1]}}\n"
        "  voussoir: {repeat: {i: n}, shape: {ring: [R - d/2, R + d/2, i*beta, (i + 1)*beta], sides: flat},\n"
        "             density: 2400}\n"
        "laws: {default: {friction: 0.7, restitution: 0}}\n";
    carom_model *model = parse_text(arch);
    ck_assert(model->links != NULL);
    run r = taken_to(model, "tolerance", 1e-6, 0, 6), best = taken_to(model, "tolerance", 1e-7, 0, 6);
    const carom_info *info = carom_sim_info(r.sim);
    const carom_state *state = carom_sim_state(r.sim);
    double speed = 0, off = 0;
    for (int i = 0; i < model->nv; i++) {
        double q = carom_sim_state(best.sim)->q[i];
        speed = fmax(speed, fabs(state->v[i]));
        off = fmax(off, fabs(state->q[i] - q) / fmax(1, fabs(q)));
    }
    printf("arch of 9: %ld steps, speed %.2g, off by %.2g, balance %.2g of %.3g\n", info->steps, speed, off,
           info->balance_error, info->work_constraints);
    CHECK_AT_MOST(speed, 1e-9);
    CHECK_AT_MOST(off, 3e-6);
    CHECK_AT_MOST(info->steps, 4000);
    CHECK_NEAR(info->balance_error, 0, 1e-6 * info->energy_initial);
    CHECK_AT_MOST(info->max_penetration, 1e-8);
    end(&r), end(&best);
    carom_model_free(model);
    char text[1000];
    snprintf(text, sizeof text, "%scontacts: formulas\n", arch);
    model = parse_text(text);
    ck_assert(model->links == NULL);
    carom_model_free(model);
}
END_TEST

/* With much friction the columns of many feet that slip are nearly dependent: closing gaps of rounding along them moved
 * boxes by millimetres. */
START_TEST(gaps_are_closed_along_normals_where_friction_would_open_others)
{
    static const char text[] = SPACE
        "  slope: {fixed: true, shape: {plane: [-0.247404, 0, 0.968912]}}\n"
        "  b0: {shape: {box: [0.091, 0.086, 0.145]}, density: 1000, at: [-0.0187, -0.0101, 0.16],\n"
        "      turn: {x: 0, y: 0, z: -0.33},\n"
        "      velocity: [-0.171, 0.108, 0], spin: [0, 0.000, -0.317]}\n"
        "  b1: {shape: {box: [0.070, 0.063, 0.078]}, density: 1000, at: [-0.0079, -0.011, 0.38],\n"
        "      turn: {x: 0.075, y: -0.364, z: 0.209},\n"
        "      velocity: [-0.280, -0.089, 0], spin: [1.717, 0.094, 1.514]}\n"
        "  b2: {shape: {box: [0.105, 0.140, 0.157]}, density: 1000, at: [0.0105, 0.0174, 0.6],\n"
        "      turn: {x: 0.0, y: 0.0, z: 0.474},\n"
        "      velocity: [0.357, -0.236, 0], spin: [0.000, 0.000, 0.313]}\n"
        "  b3: {shape: {box: [0.070, 0.103, 0.091]}, density: 1000, at: [0.015, -0.0089, 0.82],\n"
        "      turn: {x: 0.0, y: 0.0, z: -0.215},\n"
        "      velocity: [0.467, 0.234, 0], spin: [0.000, 0, -1.330]}\n"
        "laws: {default: {friction: 0.8, restitution: 0}}\ncontacts: found\n";
    carom_model *model = parse_text(text);
    run r = taken_to(model, "tolerance", 1e-6, 0, 0.5546);
    printf("boxes on a slope: balance %.2g\n", carom_sim_info(r.sim)->balance_error);
    CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-6);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* The corner of a box that lies on the tip of a wedge slides over that tip: for a moment it is on the line of the face
 * behind, which it leaves at once. By formulas it was struck there, at one tolerance or another; and faces on which
 * a corner could not land as it started were 1e-6 of their size farther off than they are. */
START_TEST(a_corner_that_slides_over_another_is_not_struck)
{
    static const char text[] =
        "carom: 1\nparameters: {mu: 0.1}\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  wedge: {shape: {polygon: [[0, 0], [1, 0], [0, 0.6]]}, mass: 4, at: [0.4, touch]}\n"
        "  box: {shape: {box: [0.2, 0.2]}, mass: 3, at: [0.35, 1.0], angle: -0.5404195}\n"
        "laws: {default: {friction: mu, restitution: 0}}\n%s";
    char both[2][800];
    snprintf(both[0], sizeof both[0], text, ""), snprintf(both[1], sizeof both[1], text, "contacts: found\n");
    carom_model *formulas = parse_text(both[0]), *found = parse_text(both[1]);
    carom_error error = {0};
    for (double mu = 0.1; mu < 0.43; mu += 0.1) {
        CHECK_OK(carom_model_set(formulas, (const char *const[]){"mu"}, &mu, 1, &error), error);
        CHECK_OK(carom_model_set(found, (const char *const[]){"mu"}, &mu, 1, &error), error);
        run best = taken_to(found, "tolerance", 1e-10, 0, 0.4);
        for (double tol = 1e-4; tol > 5e-9; tol *= 0.1) {
            run a = taken_to(formulas, "tolerance", tol, 0, 0.4), b = taken_to(found, "tolerance", tol, 0, 0.4);
            ck_assert_msg(apart(&a, &best) < 3 * tol && apart(&b, &best) < 3 * tol, "friction %g, tol %g: %g and %g",
                          mu, tol, apart(&a, &best), apart(&b, &best));
            end(&a), end(&b);
        }
        end(&best);
    }
    carom_model_free(formulas), carom_model_free(found);
}
END_TEST

/* Where a face of the one slides off the tip of the other its corner passes that tip: for a moment it is on two faces,
 * the one that it leaves and the one that it comes to. */
START_TEST(a_face_slides_off_a_tip_without_a_blow)
{
    static const char *const scenes[] = {
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  base: {fixed: true, shape: {polygon: [[-1, 0], [1, 0], [0.1, 0.6]]}, at: [0, 0.2], angle: 0.2072}\n"
        "  it: {shape: {polygon: [[0.7746, 0.0327], [0.1654, 0.3199], [-0.6723, 0.1650], [-0.581, -0.2179],\n"
        "                         [0.3133, -0.2997]]}, density: 1, at: [0.0264, 1.6744], angle: -1.2263,\n"
        "       velocity: [-0.9305, -0.3405], spin: 3.4041}\nlaws: {default: {friction: 0.3, restitution: 0}}\n%s",
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  base: {fixed: true, shape: {polygon: [[-1, 0], [1, 0], [0.1, 0.6]]}, at: [0, 0.2], angle: 0.0461}\n"
        "  it: {shape: {ring: [0.2499, 0.4499, -0.5, 0.2275], sides: flat}, density: 1, at: [-0.2266, 1.6647],\n"
        "       angle: 1.8238, velocity: [0.1482, -0.1543], spin: -1.325}\n"
        "laws: {default: {friction: 0, restitution: 0}}\n%s",
        /* a point slides off a tip, another comes around one */
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  base: {fixed: true, shape: {polygon: [[-1, 0], [1, 0], [-0.43077, 0.66497]]}, at: [0, 0.2],\n"
        "         angle: -0.21995}\n"
        "  it: {mass: 1, inertia: 0.05, points: {a: [0.4, 0], b: [-0.2, 0.1], c: [0, -0.3]},\n"
        "       at: [0.29139, 1.82282],\n"
        "       angle: -0.4159, velocity: [0.95809, -0.25968], spin: -0.18999}\n"
        "laws: {default: {friction: 0, restitution: 0}}\n%s",
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  base: {fixed: true, shape: {box: [1, 1]}, at: [0, 0.2], angle: -0.22271}\n"
        "  it: {mass: 1, inertia: 0.05, points: {a: [0.4, 0], b: [-0.2, 0.1], c: [0, -0.3]},\n"
        "       at: [-0.05527, 2.12535],\n"
        "       angle: 0.19659, velocity: [-0.25292, -0.2548], spin: 1.27673}\n"
        "laws: {default: {friction: 0.3, restitution: 0.5}}\n%s"};
    const double t_end[] = {1, 1.1, 0.8, 0.55};
    for (int i = 0; i < 4; i++) {
        char both[2][900];
        snprintf(both[0], sizeof both[0], scenes[i], "");
        snprintf(both[1], sizeof both[1], scenes[i], "contacts: found\n");
        carom_model *formulas = parse_text(both[0]), *found = parse_text(both[1]);
        run best = taken_to(found, "tolerance", 1e-10, 0, t_end[i]);
        for (double tol = 1e-4; tol > 5e-12; tol *= 0.1) {
            run a = taken_to(formulas, "tolerance", tol, 0, t_end[i]);
            run b = taken_to(found, "tolerance", tol, 0, t_end[i]);
            printf("scene %d, tol %g: %.2g and %.2g\n", i, tol, apart(&a, &best), apart(&b, &best));
            CHECK_AT_MOST(apart(&a, &best), 3 * tol + 1e-9);
            CHECK_AT_MOST(apart(&b, &best), 3 * tol + 1e-9);
            end(&a), end(&b);
        }
        end(&best);
        carom_model_free(formulas), carom_model_free(found);
    }
}
END_TEST

/* Down a flight of stairs: corners land on faces that they could not land on as they started. */
START_TEST(a_box_on_stairs_moves_as_with_contacts_that_are_found)
{
    static const char text[] =
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  step: {repeat: {i: 5}, fixed: true, shape: {box: [0.4, 0.2]}, at: [0.4*i, -0.2*i]}\n"
        "  box: {shape: {box: [0.2, 0.14]}, density: 500, at: [-0.1, 0.5], velocity: [1.6, 0], spin: -4}\n"
        "laws: {default: {friction: %g, restitution: %g}}\n%s";
    for (int i = 0; i < 3; i++) {
        const double mu[] = {0.1, 0.5, 0.3}, e[] = {0, 0.3, 0.7};
        run r[2];
        for (int k = 0; k < 2; k++) {
            char whole[800];
            snprintf(whole, sizeof whole, text, mu[i], e[i], k ? "contacts: found\n" : "");
            r[k] = taken_to(parse_text(whole), "tolerance", 1e-8, 0, 1.5);
            r[k].loaded = (carom_model *)r[k].model;
        }
        printf("stairs: formulas and contacts found are %.2g apart\n", apart(&r[0], &r[1]));
        CHECK_AT_MOST(apart(&r[0], &r[1]), 1e-7);
        end(&r[0]), end(&r[1]);
    }
}
END_TEST

TEST_MAIN("tolerance, many bodies", a_row_of_fallen_dominoes_comes_to_rest,
          feet_that_come_to_a_halt_do_not_begin_to_slip, slip_that_ends_at_several_feet_keeps_its_account,
          edges_that_become_parallel_touch_no_more, smooth_polygons_pile_up_without_friction,
          corners_that_meet_are_one_contact_that_is_not_lost,
          an_arch_that_a_pulse_has_rocked_comes_to_rest,
          gaps_are_closed_along_normals_where_friction_would_open_others,
          a_corner_that_slides_over_another_is_not_struck, a_face_slides_off_a_tip_without_a_blow,
          a_box_on_stairs_moves_as_with_contacts_that_are_found)
