/* test_tolerance_scenes.c: `tolerance` on small scenes of bodies as people write them: stacks that are pushed, walls
 * that are hit. Each went wrong at one place or stopped there. */
#include "tolerance_testing.h"

#define PLANE "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"

/* A run that was meant for t_end, as far as t. */
static run as_far_as(const carom_model *model, double tol, double t, double t_end)
{
    run r = begin(model, "tolerance", tol, 1e-4, t_end);
    ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "tol %g: %s", tol, carom_sim_error(r.sim)->text);
    return r;
}

static const char pushed_stack[] =
    "carom: 1\nparameters: {push: 90}\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
    "  box: {repeat: {i: 3}, shape: {box: [0.2, 0.2, 0.1]}, density: 800, at: [0.01*i, 0.02*i, 0.05 + 0.1*i]}\n"
    "laws: {default: {friction: 0.3, restitution: 0}}\n"
    "forces: {\"box[1]\": {force: [\"if(t < 0.3, push, 0)\", 10, 0], at: [-0.1, 0.02, 0]}}\ncontacts: found\n";

/* Where edges cross no longer their contact has no gap that could be closed: trying to pushed boxes that lie flat on
 * each other into each other, out of rounding. Nothing is struck here. */
START_TEST(a_contact_that_has_ended_is_not_closed_again)
{
    carom_model *model = parse_text(pushed_stack);
    carom_error error = {0};
    for (double push = 70; push < 115; push += 20) {
        CHECK_OK(carom_model_set(model, (const char *const[]){"push"}, &push, 1, &error), error);
        run r = as_far_as(model, 1e-6, 0.1, 0.1);
        const carom_info *info = carom_sim_info(r.sim);
        printf("pushed stack: %g by impacts, %.4g by friction\n", info->dissipated_impact, info->dissipated_friction);
        CHECK_NEAR(info->dissipated_impact, 0, 1e-12);
        CHECK_NEAR(info->balance_error, 0, 1e-5);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

/* Forces after the last of many bounces hold their gaps but for rounding of the forces that act there: a contact that
 * carries next to nothing among others that carry much was told to be wrong. */
START_TEST(a_force_next_to_none_holds_its_gap_but_for_rounding)
{
    carom_model *stack = parse_text(pushed_stack);
    carom_model *wall = parse_text(PLANE
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  brick: {repeat: {j: 4, i: 3}, shape: {box: [0.2, 0.1]}, density: 1800,\n"
        "          at: [(i + 0.5*mod(j, 2))*0.2, (j + 0.5)*0.1]}\n"
        "  ball: {shape: {circle: 0.06}, density: 3000, at: [-0.4, 0.23], velocity: [4, 0.5]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\ncontacts: found\n");
    run a = as_far_as(stack, 1e-4, 0.13, 0.8), b = as_far_as(wall, 1e-6, 0.0615, 0.6);
    CHECK_NEAR(carom_sim_info(a.sim)->balance_error, 0, 1e-3);
    CHECK_NEAR(carom_sim_info(b.sim)->balance_error, 0, 1e-6);
    end(&a), end(&b);
    carom_model_free(stack), carom_model_free(wall);
}
END_TEST

/* A flail strikes a box and comes to rest on it, with dry friction in its joint: first that slips, while feet share a
 * load; then all sticks, and what the joint holds is a part of the share. Either ended the run. */
START_TEST(feet_and_dry_friction_of_a_joint_share_a_load)
{
    carom_model *model = parse_text(PLANE
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  a: {shape: {capsule: [0.5, 0.05]}, mass: 2, at: [0.25, 1]}\n"
        "  b: {shape: {box: [0.5, 0.1]}, mass: 2, at: [0.75, 1]}\n"
        "  c: {shape: {box: [0.2, 0.3]}, mass: 1, at: [0.6, 0.15]}\n"
        "joints:\n  p: {hinge: [ground, a], at: [0, 1], range: [-1.4, 1], restitution: 0.3}\n"
        "  k: {hinge: [a, b], at: [0.5, 1], range: [-1, 1.5], restitution: 0, friction_torque: 0.2}\n"
        "laws: {default: {friction: 0.4, restitution: 0.2}}\n");
    run best = as_far_as(model, 1e-9, 1.5, 1.5);
    for (double tol = 1e-5; tol > 5e-9; tol *= 0.1) {
        run r = as_far_as(model, tol, 1.5, 1.5);
        double most = 0;
        for (int i = 0; i < model->nq; i++)
            most = fmax(most, fabs(carom_sim_state(r.sim)->q[i] - carom_sim_state(best.sim)->q[i]));
        printf("flail: off by %.2g at %g\n", most, tol);
        CHECK_AT_MOST(most, 10 * tol);
        end(&r);
    }
    for (int i = 0; i < model->nv; i++)
        CHECK_NEAR(carom_sim_state(best.sim)->v[i], 0, 1e-12);
    end(&best);
    carom_model_free(model);
}
END_TEST

/* Three boxes on a belt fall flush against a stop and each other, where they stay while the belt slides on. The upright
 * of one box and its foot are then one place but for the rounding of its pose: velocities of rounding, and forces, that
 * were divided by that ended the run. */
START_TEST(boxes_on_a_belt_come_to_rest_against_a_stop)
{
    carom_model *model = parse_text(
        "carom: 1\nparameters: {mu: 0.4}\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  belt: {moved: [0.5*t, 0], shape: {plane: [0, 1]}}\n"
        "  box: {repeat: {i: 3}, shape: {box: [0.2, 0.3]}, mass: 2, at: [0.4*i, 0.16 + 0.1*i], angle: 0.1*i}\n"
        "  stop: {fixed: true, shape: {box: [0.1, 0.1]}, at: [1.6, 0.06]}\n"
        "laws: {default: {friction: mu, restitution: 0.1}}\ncontacts: found\n");
    carom_error error = {0};
    for (double mu = 0.4; mu < 0.55; mu += 0.1)
        for (double tol = 1e-5; tol > 5e-8; tol *= 0.1) {
            CHECK_OK(carom_model_set(model, (const char *const[]){"mu"}, &mu, 1, &error), error);
            run r = as_far_as(model, tol, 3, 3);
            const carom_state *s = carom_sim_state(r.sim);
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(s->q[3 * i], 1.05 + 0.2 * i, 10 * tol);
                CHECK_NEAR(s->q[3 * i + 1], 0.15, tol);
                CHECK_NEAR(s->q[3 * i + 2], 0, tol);
            }
            CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 10 * tol);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

/* A corner that rests on a face has a gap of rounding, whose sign chose between branches again and again: the run went
 * on in steps of 1e-16. */
START_TEST(boxes_on_a_shaken_floor_do_not_ask_for_the_sign_of_rounding)
{
    static const char text[] = PLANE
        "  floor: {moved: [0.05*sin(9*t), 0.02*sin(12*t)], shape: {plane: [0, 1]}}\n"
        "  box: {repeat: {i: 2}, shape: {box: [0.2, 0.1]}, mass: 2, at: [0.01*i, 0.05 + 0.1*i]}\n"
        "  ball: {shape: {circle: 0.1}, mass: 1, at: [0.5, 0.1]}\n"
        "laws: {default: {friction: 0.5, restitution: 0.2}}\n";
    char found[sizeof text + 40];
    snprintf(found, sizeof found, "%scontacts: found\n", text);
    carom_model *by_formulas = parse_text(text), *by_search = parse_text(found);
    run a = begin(by_formulas, "tolerance", 1e-6, 1e-4, 1.5), b = as_far_as(by_search, 1e-6, 1.5, 1.5);
    double most = 0;
    long steps = 0;
    for (; carom_sim_state(a.sim)->t < 1.4 && steps < 5000; steps++)
        CHECK_OK(carom_sim_step(a.sim), *carom_sim_error(a.sim));
    ck_assert_msg(steps < 5000, "5000 steps as far as t = %g", carom_sim_state(a.sim)->t);
    CHECK_OK(carom_sim_run(a.sim, 1.5), *carom_sim_error(a.sim));
    for (int i = 0; i < by_formulas->nq; i++)
        most = fmax(most, fabs(carom_sim_state(a.sim)->q[i] - carom_sim_state(b.sim)->q[i]));
    printf("shaken boxes: %ld steps, %.2g from contacts found\n", steps, most);
    CHECK_AT_MOST(most, 1e-7);
    end(&a), end(&b);
    carom_model_free(by_formulas), carom_model_free(by_search);
}
END_TEST

/* How far the same bodies by formulas and with contacts that are found are apart in the end. */
static double apart_by_formulas(const char *text, double tol, double t)
{
    char found[2000];
    snprintf(found, sizeof found, "%scontacts: found\n", text);
    carom_model *one = parse_text(text), *two = parse_text(found);
    run a = as_far_as(one, tol, t, t), b = as_far_as(two, tol, t, t);
    double most = 0;
    for (int i = 0; i < one->nq; i++)
        most = fmax(most, fabs(carom_sim_state(a.sim)->q[i] - carom_sim_state(b.sim)->q[i]));
    end(&a), end(&b);
    carom_model_free(one), carom_model_free(two);
    return most;
}

#define SLAB \
    PLANE "  floor: {fixed: true, shape: {plane: [0, 1]}}\n" \
          "  slab: {shape: {box: [1.2, 0.08]}, mass: 4, at: [0.05, 0.34]}\n" \
          "  block: {fixed: true, shape: {box: [0.1, 0.3]}, at: [0, 0.15]}\n"

/* Corners that slide over the end of a slab, which then touches the face behind them; and pointed wedges that meet on a
 * floor, whose tips are on the plane of each other's lower face. */
START_TEST(corners_hand_over_to_corners_as_with_contacts_that_are_found)
{
    static const char *const scenes[] = {
        SLAB "  b0: {shape: {box: [0.3, 0.15]}, density: 300, at: [-0.163, 0.6], velocity: [1.02, 0], spin: 3.75}\n"
             "  b1: {shape: {box: [0.2, 0.2]}, density: 300, at: [0.025, 1], velocity: [-1.09, 0]}\n"
             "laws: {default: {friction: 0.1, restitution: 0}}\n",
        SLAB "  b0: {shape: {polygon: [[-0.12, -0.1], [0.12, -0.1], [0.16, 0.1], [-0.05, 0.14]]}, density: 300,\n"
             "       at: [0.084, 0.6], angle: 2.299, velocity: [-0.05, 0]}\n"
             "  b1: {shape: {polygon: [[-0.15, -0.1], [0.15, -0.1], [0, 0.16]]}, density: 300, at: [-0.053, 1],\n"
             "       velocity: [-0.61, 0], spin: -4.65}\n"
             "laws: {default: {friction: 0.3, restitution: 0}}\n",
        PLANE "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
              "  a: {shape: {polygon: [[-0.1, 0], [0.1, 0], [0, 0.1]]}, mass: 1, at: [0, 0.1], velocity: [3, 0]}\n"
              "  b: {shape: {polygon: [[-0.1, 0], [0.1, 0], [0, 0.1]]}, mass: 1, at: [0.6, 0.05]}\n"
              "laws: {default: {friction: 0.1, restitution: 0}}\n",
    };
    for (int i = 0; i < 3; i++)
        for (double tol = 1e-6; tol > 5e-9; tol *= 0.1) {
            double most = apart_by_formulas(scenes[i], tol, i < 2 ? 0.8 : 0.5);
            printf("scene %d at %g: %.2g apart\n", i, tol, most);
            CHECK_AT_MOST(most, 10 * tol);
        }
}
END_TEST

/* Two triangles that lie on a floor slide into each other, tip against tip: each tip is on the plane of the other's
 * lower face. And tips that slide along a face and off its end, past the corner there, at which no face is struck. */
START_TEST(tips_strike_on_a_floor_and_pass_at_the_end_of_a_face)
{
    static const struct { const char *text; double t; } scenes[] = {
        {PLANE "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
               "  a: {shape: {polygon: [[0.1923, -0.2401], [0.03669, 0.2525], [-0.229, -0.01247]]}, density: 1,\n"
               "      at: [-0.2824, 0.3754], angle: 1.737, velocity: [0.9349, -2.829], spin: 3.201}\n"
               "  b: {shape: {polygon: [[0.1519, 0.1625], [-0.2581, 0.02492], [0.1062, -0.1875]]}, density: 1,\n"
               "      at: [0.3448, 0.5945], angle: -3.107, velocity: [-0.8216, -2.69], spin: -3.238}\n"
               "laws: {default: {friction: 0.002, restitution: 0}}\n", 0.25},
        {"carom: 1\nspace: planar\nbodies:\n"
         "  a: {shape: {polygon: [[0.002177, -0.2127], [0.2219, 0.1241], [-0.2241, 0.08856]]}, density: 1,\n"
         "      at: [-0.09331, -0.4335], angle: 2.66, velocity: [0.2099, 3.355], spin: 4.184}\n"
         "  b: {shape: {polygon: [[-0.08004, -0.03262], [0.1601, -0.02152], [-0.08004, 0.05414]]}, density: 1,\n"
         "      at: [0.09012, 0.4184], angle: 0.9968, velocity: [-0.4072, -1.997], spin: 3.48}\n"
         "laws: {default: {restitution: 0}}\n", 0.25},
        {"carom: 1\nspace: planar\nbodies:\n"
         "  a: {shape: {polygon: [[-0.164, -0.1793], [0.213, -0.05774], [-0.049, 0.237]]}, density: 1,\n"
         "      at: [0.1729, -0.3371], angle: 0.7866, velocity: [-0.5403, 2.268], spin: -5.591}\n"
         "  b: {shape: {polygon: [[-0.1322, -0.05352], [0.2644, -0.01051], [-0.1322, 0.06404]]}, density: 1,\n"
         "      at: [-0.2042, 0.3983], angle: -1.258, velocity: [1.146, -1.873], spin: -4.214}\n"
         "laws: {default: {restitution: 0}}\n", 0.29},
    };
    for (int i = 0; i < 3; i++)
        for (double tol = 1e-4; tol > 5e-11; tol *= 0.1) {
            double most = apart_by_formulas(scenes[i].text, tol, scenes[i].t);
            printf("tips %d at %g: %.2g apart\n", i, tol, most);
            CHECK_AT_MOST(most, 10 * tol + 1e-9);
        }
}
END_TEST

/* What is flush at the start keeps the face that it can land on. A corner that lies on the plane of a face by chance,
 * far beyond its end, is free to strike another one. */
START_TEST(a_corner_is_not_flush_with_a_face_far_away)
{
    static const char text[] =
        PLANE "  a: {shape: {polygon: [[-0.079367, -0.20288], [0.21952, -0.056244], [0.1538, 0.14988],\n"
              "                        [-0.10433, 0.18045], [-0.20745, -0.080322]]}, density: 1,\n"
              "      at: [0.32699, 0.36558], angle: -1.7762, velocity: [-1.3381, -1.2093], spin: 4.9142}\n"
              "  b: {shape: {polygon: [[-0.10456, -0.01548], [0.20913, -0.00081848], [-0.10456, 0.016299]]},\n"
              "      density: 1, at: [0.16278, 0.6348], angle: 2.9894, velocity: [-0.10998, -2.0273], spin: -3.1648}\n"
              "laws: {default: {friction: 0.0299, restitution: 0}}\n";
    double most = apart_by_formulas(text, 1e-7, 0.1);
    printf("not flush: %.2g apart\n", most);
    CHECK_AT_MOST(most, 1e-6);
}
END_TEST

TEST_MAIN("tolerance, scenes", a_contact_that_has_ended_is_not_closed_again,
          a_force_next_to_none_holds_its_gap_but_for_rounding, feet_and_dry_friction_of_a_joint_share_a_load,
          boxes_on_a_belt_come_to_rest_against_a_stop,
          boxes_on_a_shaken_floor_do_not_ask_for_the_sign_of_rounding,
          corners_hand_over_to_corners_as_with_contacts_that_are_found,
          tips_strike_on_a_floor_and_pass_at_the_end_of_a_face, a_corner_is_not_flush_with_a_face_far_away)
