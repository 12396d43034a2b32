/* test_tolerance_sliding.c: where both branches of a force push to their border the motion keeps to it: dry friction
 * written as a force. Compared with friction as a contact law, which shares none of that code, and with closed
 * forms. */
#include "tolerance_testing.h"

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

static run run_text(const char *text, const char *scheme, double tol, double T)
{
    carom_model *m = parse(text);
    run r = begin(m, scheme, tol, 0, T);
    r.loaded = m;
    ck_assert_msg(carom_sim_run(r.sim, T) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
    return r;
}

static void brought_to_rest(const void *user, double t, double *q)
{
    (void)user;
    t = fmin(t, 2);
    q[0] = t - t * t / 4;
}

static const char stopping[] =
    "carom: 1\ncoordinates: {x: 0}\nvelocities: {x: 1}\nmass: {x: 1}\nforce: {x: \"-0.5*sign(x')\"}\n";

START_TEST(dry_friction_as_a_force_stops_and_stays)
{
    static const char *const schemes[] = {"tolerance", "tolerance:method=radau5"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            run r = run_text(stopping, schemes[i], tolerances[k], 20);
            CHECK_AT_MOST(error_of(&r, 1, brought_to_rest, NULL), tolerances[k]);
            CHECK_AT_MOST(fabs(carom_sim_state(r.sim)->v[0]), 1e-12);
            CHECK_AT_MOST((double)carom_sim_info(r.sim)->rhs_evaluations, 3000);
            CHECK_AT_MOST(fabs(carom_sim_info(r.sim)->balance_error), 1e-9);
            ck_assert_msg(strstr(carom_sim_note(r.sim), "from t = 2 on a force is held") != NULL, "note: %s",
                          carom_sim_note(r.sim));
            end(&r);
        }
    run r = run_text(stopping, "mixed:rk=erk4", 1e-6, 20);
    CHECK_AT_MOST(error_of(&r, 1, brought_to_rest, NULL), 1e-9);
    end(&r);
}
END_TEST

/* A mass starts at rest, too: both branches push to the border from the first step on. */
START_TEST(a_mass_at_rest_stays_until_it_is_pulled_hard_enough)
{
    run r = run_text("carom: 1\ncoordinates: {x: 0}\nmass: {x: 1}\nforce: {x: \"0.1*t - 0.5*sign(x')\"}\n", "tolerance",
                     1e-9, 7);
    double x = 0.1 * 8 / 6; /* from t = 5 on x'' = 0.1 (t - 5) */
    CHECK_NEAR(carom_sim_state(r.sim)->q[0], x, 3e-9);
    CHECK_NEAR(carom_sim_state(r.sim)->v[0], 0.2, 3e-9);
    end(&r);
}
END_TEST

/* One after the other they begin to move: each changes its branch once, whatever the others do. */
START_TEST(masses_that_are_held_do_not_notice_when_another_is_let_go)
{
    run r = run_text("carom: 1\ncoordinates: {a: 0, b: 0, c: 0}\nmass: {a: 1, b: 1, c: 1}\nforce: {a: \"0.1*t - "
                     "0.5*sign(a')\", b: \"0.1*t - 0.6*sign(b')\", c: \"0.1*t - 0.4*sign(c')\"}\n",
                     "tolerance", 1e-9, 7);
    const double x[] = {0.1 * 8 / 6, 0.1 / 6, 0.1 * 27 / 6};
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(carom_sim_state(r.sim)->q[i], x[i], 3e-9);
    ck_assert_int_eq((int)carom_sim_info(r.sim)->switches, 3);
    end(&r);
}
END_TEST

static const char by_force[] =
    "carom: 1\ncoordinates: {a: 0, b: 0, c: 0}\nvelocities: {a: 1}\nmass: {a: 1, b: 1, c: 1}\n"
    "force: {a: \"-0.5*sign(a') + 10*(b - a) + 2*sin(t)\", b: \"-0.5*sign(b') + 10*(a - b) "
    "+ 10*(c - b)\", c: \"-0.5*sign(c') + 10*(b - c)\"}\n";
static const char by_law[] = "carom: 1\ncoordinates: {a: 0, b: 0, c: 0, y: 0, z: 0, w: 0}\nvelocities: {a: 1}\n"
                             "mass: {a: 1, b: 1, c: 1, y: 1, z: 1, w: 1}\n"
                             "force: {a: \"10*(b - a) + 2*sin(t)\", b: \"10*(a - b) + 10*(c - b)\", c: \"10*(b - "
                             "c)\", y: -1, z: -1, w: -1}\n"
                             "contacts: {A: {gap: y, slip: \"a'\", friction: 0.5, restitution: 0},"
                             " B: {gap: z, slip: \"b'\", friction: 0.5, restitution: 0},"
                             " C: {gap: w, slip: \"c'\", friction: 0.5, restitution: 0}}\n";

START_TEST(a_chain_with_friction_as_forces_moves_as_with_friction_as_a_law)
{
    run law = run_text(by_law, "tolerance", 1e-12, 15);
    for (int k = 0; k < TOLERANCES; k++) {
        run r = run_text(by_force, "tolerance", tolerances[k], 15);
        double e = error_of(&r, 3, of_run, &law);
        printf("chain tol %.0e: %.2g tol, %ld changes, %ld evaluations\n", tolerances[k], e / tolerances[k],
               carom_sim_info(r.sim)->switches, carom_sim_info(r.sim)->rhs_evaluations);
        CHECK_AT_MOST(e, 10 * tolerances[k]);
        CHECK_AT_LEAST((double)carom_sim_info(r.sim)->switches, 10);
        CHECK_AT_MOST(fabs(carom_sim_info(r.sim)->balance_error), 100 * tolerances[k]);
        end(&r);
    }
    end(&law);
}
END_TEST

static const char belt[] =
    "carom: 1\ncoordinates: {x: 0}\nmass: {x: 1}\nlet: {speed: 0.5 + 0.1*sin(3*t)}\n"
    "force: {x: \"-x - if(x' > speed, 1, -1)*(0.6 + 0.4/(1 + 5*abs(x' - speed)))\"}\n";

START_TEST(a_mass_on_a_belt_moves_with_it)
{
    run fine = run_text(belt, "tolerance", 1e-12, 20);
    double q[1], v[1];
    for (double t = 0.9; t < 1.5; t += 0.05) {
        ck_assert_int_eq(carom_trajectory_at(fine.path, t, 1, q, v), CAROM_OK);
        CHECK_NEAR(v[0], 0.5 + 0.1 * sin(3 * t), 1e-8); /* the dense output of velocities is of order 4 */
    }
    for (int k = 0; k < 4; k++) {
        run r = run_text(belt, "tolerance", tolerances[k], 20);
        double e = error_of(&r, 1, of_run, &fine);
        printf("belt tol %.0e: %.2g tol, %ld evaluations\n", tolerances[k], e / tolerances[k],
               carom_sim_info(r.sim)->rhs_evaluations);
        CHECK_AT_MOST(e, 10 * tolerances[k]);
        end(&r);
    }
    end(&fine);
}
END_TEST

/* A force that depends on the position alone shakes ever faster: from some height on it is not resolved. */
START_TEST(a_force_that_shakes_ever_faster_does_not_hang)
{
    for (int k = 0; k < 3; k++) { /* changes grow with the root of 1/tol */
        run r = run_text(
            "carom: 1\ncoordinates: {x: 0}\nvelocities: {x: 1}\nmass: {x: 1}\nforce: {x: \"-0.5*sign(x) - 0.3*x'\"}\n",
            "tolerance", tolerances[k], 300);
        printf("shaking tol %.0e: x = %.2g, %ld changes, %ld evaluations\n", tolerances[k],
               carom_sim_state(r.sim)->q[0], carom_sim_info(r.sim)->switches, carom_sim_info(r.sim)->rhs_evaluations);
        CHECK_AT_MOST(fabs(carom_sim_state(r.sim)->q[0]), tolerances[k]);
        CHECK_AT_MOST((double)carom_sim_info(r.sim)->rhs_evaluations, 1.5e6);
        end(&r);
    }
}
END_TEST

START_TEST(a_run_that_is_saved_while_sliding_goes_on_with_the_same_bits)
{
    carom_model *m = parse(by_force);
    run a = begin(m, "tolerance", 1e-7, 0, 12), b = begin(m, "tolerance", 1e-7, 0, 12),
        c = begin(m, "tolerance", 1e-7, 0, 12);
    ck_assert_int_eq(carom_sim_run(a.sim, 12), CAROM_OK);
    while (!*carom_sim_note(b.sim))
        ck_assert_int_eq(carom_sim_step(b.sim), CAROM_OK);
    size_t bytes = carom_sim_save(b.sim, NULL, 0);
    void *saved = malloc(bytes);
    ck_assert_uint_eq(carom_sim_save(b.sim, saved, bytes), bytes);
    ck_assert_int_eq(carom_sim_load(c.sim, saved, bytes), CAROM_OK);
    ck_assert_int_eq(carom_sim_run(c.sim, 12), CAROM_OK);
    ck_assert_mem_eq(carom_sim_state(a.sim)->q, carom_sim_state(c.sim)->q, 3 * sizeof(double));
    ck_assert_mem_eq(carom_sim_state(a.sim)->v, carom_sim_state(c.sim)->v, 3 * sizeof(double));
    free(saved);
    end(&a), end(&b), end(&c);
    carom_model_free(m);
}
END_TEST

/* A body on legs of height 0.1 that slides and spins; leg k is at (X, Y). */
static carom_model *legs(int n, const double at[][2], const char *start, const char *law)
{
    char text[1600];
    carom_error error = {0};
    carom_model *model;
    int used = snprintf(text, sizeof text,
                        "carom: 1\n%s\nkinetic: (x'^2 + y'^2 + z'^2)/2 + 0.05*ga'^2 + 0.03*al'^2 + 0.03*be'^2\n"
                        "potential: 9.81*z\ncontacts:\n",
                        start);
    for (int k = 0; k < n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  l%d: {gap: z + (%g)*al + (%g)*be, %s, slip: "
                         "[\"x' - (%g)*ga' + 0.1*al'\", \"y' + (%g)*ga' + 0.1*be'\"]}\n",
                         k, at[k][0], at[k][1], law, at[k][1], at[k][0]);
    CHECK_OK(carom_model_parse(&model, "legs", text, strlen(text), NULL, &error), error);
    return model;
}

/* Of three legs that stop at the same time none is left with a slip that is rounding. */
START_TEST(a_tripod_that_is_pushed_while_it_stops_sticks)
{
    static const double at[][2] = {{0.3821, 0.1182}, {-0.2934, 0.2718}, {-0.0887, -0.39}};
    carom_model *m =
        legs(3, at,
             "coordinates: {x: 0, y: 0, ga: 0, z: 0, al: 0, be: 0}\nvelocities: {x: 0.37, y: -1.48, ga: -2.38}\n"
             "forces: {x: -4.74*sin(2.1*t), y: -1.91*cos(1.97*t)}",
             "restitution: 0, friction: 0.6, friction_static: 0.8");
    for (int k = 0; k < TOLERANCES - 1; k++) {
        run r = begin(m, "tolerance", tolerances[k], 0, 0.5);
        ck_assert_msg(carom_sim_run(r.sim, 0.5) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        for (int c = 0; c < 3; c++)
            ck_assert_int_eq(carom_sim_state(r.sim)->mode[c], CAROM_STICK);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(carom_sim_state(r.sim)->v[i], 0, 1e-14);
        end(&r);
    }
    carom_model_free(m);
}
END_TEST

/* Four legs share the weight in more than one way, and their friction depends on how: a choice is made and noted, the
 * same at every tolerance, and bounces that are over do not go on for ever because of that. */
START_TEST(four_legs_that_slide_when_their_bounces_end_slide_on_with_a_note)
{
    static const double at[][2] = {{0.3821, 0.1182}, {-0.1182, 0.3821}, {-0.3821, -0.1182}, {0.1182, -0.3821}};
    carom_model *m = legs(4, at, "coordinates: {x: 0, y: 0, ga: 0, z: 0.1, al: -0.0286, be: 0}\n"
                          "velocities: {x: -0.6, y: -1.17, ga: 0.98}", "restitution: 0.5, friction: 0.1");
    double exact[6];
    for (int k = 0; k < 3; k++) {
        double tol = k == 0 ? 1e-10 : k == 1 ? 1e-8 : 1e-6;
        run r = begin(m, "tolerance", tol, 0, 1);
        ck_assert_msg(carom_sim_run(r.sim, 1) == CAROM_OK, "tol %g: %s", tol, carom_sim_error(r.sim)->text);
        ck_assert_msg(strstr(carom_sim_note(r.sim), "least norm") != NULL, "'%s'", carom_sim_note(r.sim));
        CHECK_AT_MOST((double)carom_sim_info(r.sim)->rhs_evaluations, 1e5);
        for (int i = 0; i < 6; i++) {
            exact[i] = k == 0 ? carom_sim_state(r.sim)->q[i] : exact[i];
            CHECK_NEAR(carom_sim_state(r.sim)->q[i], exact[i], 100 * tol);
        }
        end(&r);
    }
    carom_model_free(m);
}
END_TEST

TEST_MAIN_MODELS("sliding", dry_friction_as_a_force_stops_and_stays,
                 a_mass_at_rest_stays_until_it_is_pulled_hard_enough,
                 masses_that_are_held_do_not_notice_when_another_is_let_go,
                 a_chain_with_friction_as_forces_moves_as_with_friction_as_a_law, a_mass_on_a_belt_moves_with_it,
                 a_force_that_shakes_ever_faster_does_not_hang,
                 a_run_that_is_saved_while_sliding_goes_on_with_the_same_bits,
                 a_tripod_that_is_pushed_while_it_stops_sticks,
                 four_legs_that_slide_when_their_bounces_end_slide_on_with_a_note)
