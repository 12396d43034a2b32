/* test_exact_contacts.c: the scheme `exact` with several contacts, and how it reads functions of time. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "exact_testing.h"
#include "model/forcing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

/* ---- several contacts ---- */

START_TEST(stacked_balls_come_to_rest_on_each_other)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, "stacked-balls", NULL, &error), error);
    carom_sim *sim = begin(m, 0.1, true, NULL);
    RUN(sim, 5);
    const carom_state *s = carom_sim_state(sim);
    CHECK_NEAR(s->q[0], 0.1, 1e-15);
    CHECK_NEAR(s->q[1], 0.3, 1e-15);
    CHECK_NEAR(s->impulse[0], 1.5 * 9.81 * 0.1, 1e-13);
    CHECK_NEAR(s->impulse[1], 0.5 * 9.81 * 0.1, 1e-13);
    ck_assert(s->mode[0] == CAROM_CLOSED && s->mode[1] == CAROM_CLOSED);
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-13);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* What presses on a light body is held by it although the accelerations of the light one are differences of large
 * numbers: heavy/light of their rounding is left. */
START_TEST(a_heavy_mass_rests_on_a_light_one)
{
    for (double light = 1e-2; light > 1e-11; light *= 1e-3) {
        char text[400];
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {x: 0, y: 0.7}\nkinetic: %g*x'^2/2 + 0.03*y'^2/2\n"
                 "potential: 9.81*(%g*x + 0.03*y)\n"
                 "contacts: {floor: {gap: x, restitution: 0.5}, upon: {gap: y - x - 0.7, restitution: 0.5}}\n", light,
                 light);
        carom_model *m = parse(text);
        carom_sim *sim = begin(m, 0.01, false, NULL);
        for (int k = 0; k < 30; k++) {
            STEP(sim);
            const carom_state *s = carom_sim_state(sim);
            ck_assert_msg(s->mode[0] == CAROM_CLOSED && s->mode[1] == CAROM_CLOSED, "light %g, t = %g: modes %d, %d",
                          light, s->t, s->mode[0], s->mode[1]);
            CHECK_NEAR(s->q[1], 0.7, 1e-12);
        }
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

/* x' - y' = (x' - y')(0) exp(-2 c t) and x' + y' = const: a force that is the difference of two large ones. */
START_TEST(a_damper_between_two_masses_takes_their_difference)
{
    for (double c = 0.5; c < 1e5; c *= 20) {
        char text[300];
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {x: 0, y: 3}\nvelocities: {x: 2, y: 1}\nkinetic: (x'^2 + y'^2)/2\n"
                 "forces: {x: %g*(y' - x'), y: %g*(x' - y')}\n"
                 "contacts: {wall: {gap: 9 - y, restitution: 0.5}}\n", c, c);
        carom_model *m = parse(text);
        carom_sim *sim = begin(m, 0.05, false, NULL);
        RUN(sim, 1);
        const carom_state *s = carom_sim_state(sim);
        CHECK_NEAR(s->v[0] - s->v[1], exp(-2 * c), 1e-11);
        CHECK_NEAR(s->v[0] + s->v[1], 3, 1e-11);
        CHECK_NEAR(s->q[0] - s->q[1] + 3, (1 - exp(-2 * c)) / (2 * c), 1e-11);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(the_cradle_keeps_energy_and_its_impacts_do_not_depend_on_the_step)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, "newton-cradle", NULL, &error), error);
    double q = 0;
    for (int k = 0; k < 3; k++) {
        carom_sim *sim = begin(m, k == 0 ? 1e-4 : k == 1 ? 0.013 : 1, true, NULL);
        RUN(sim, 2);
        const carom_info *i = carom_sim_info(sim);
        CHECK_NEAR(i->energy_final / i->energy_initial, 1, 2e-13);
        if (k == 0)
            q = carom_sim_state(sim)->q[0];
        CHECK_NEAR(carom_sim_state(sim)->q[0], q, 1e-12);
        carom_sim_free(sim);
    }
    carom_model_free(m);
}
END_TEST

static void keep_jump(void *user, const carom_jump *jump)
{
    double *kept = user;
    kept[0] = jump->v_before[0];
    memcpy(kept + 1, jump->v_after, sizeof *kept * 5);
}

/* Five touching balls, the first one arrives with velocity v: under the simultaneous law it leaves with -3/5 v, the
 * others with 2/5 v. */
START_TEST(an_impact_on_a_touching_chain_is_solved_to_rounding)
{
    carom_model *m = with("newton-cradle", (const char *const[]){"d"}, (const double[]){0}, 1);
    carom_sim *sim = begin(m, 0.1, true, NULL);
    double w = sqrt(9.81 / 0.1), t = pi() / 2 / w, v = 0.05 * w;
    double jump[6] = {0};
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = jump, .jump = keep_jump});
    RUN(sim, t + 1e-3);
    CHECK_NEAR(jump[0], v, 1e-15);
    CHECK_NEAR(jump[1], -0.6 * v, 1e-15);
    for (int i = 2; i < 6; i++)
        CHECK_NEAR(jump[i], 0.4 * v, 1e-15);
    CHECK_NEAR(carom_sim_info(sim)->dissipated_impact, 0.05 * v * v * (1 - 0.36 - 0.64), 1e-16);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(a_column_of_beads_collapses)
{
    const double e = 0.6;
    carom_model *m = with("bead-column", (const char *const[]){"e"}, &e, 1);
    carom_sim *sim = begin(m, 0.05, true, NULL);
    RUN(sim, 3);
    STEP(sim);
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(s->q[i], 0, 1e-15);
        ck_assert_int_eq(s->mode[i], CAROM_CLOSED);
        CHECK_NEAR(s->impulse[i], 0.05 * 0.01 * 9.81 * (10 - i), 1e-12);
    }
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-12);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* ---- functions of time ---- */

static double value(const carom_time *f, double t)
{
    double sum = 0;
    for (int k = f->degree; k >= 0; k--)
        sum = sum * t + f->power[k];
    for (int j = 0; j < f->nharmonic; j++)
        sum += f->cosine[j] * cos(f->omega[j] * t) + f->sine[j] * sin(f->omega[j] * t);
    return sum;
}

START_TEST(polynomials_and_harmonics_of_time_are_read)
{
    carom_model *m = parse("carom: 1\nname: forced\nparameters: {w: 3, c: 0.7}\ncoordinates: {x: 0, y: 0, z: 0}\n"
                           "kinetic: (x'^2 + y'^2 + z'^2)/2\n"
                           "forces: {x: \"2*sin(w*t + c)^2*cos(2*t) - 3*x + sqrt(w)\", y: \"(1 + t/c)^3*2 - 5\", z: "
                           "\"sin(1 - w*t)*cos(2*t + c)*4*sin(t)\"}\n"
                           "contacts:\n  c: {gap: \"x + 1 - cos(w*t)/w\", restitution: 0.5}\n");
    carom_time f[4];
    carom_error error = {0};
    const double w = 2.2, c = -0.4, p[] = {w, c};
    for (int i = 0; i < 3; i++)
        CHECK_OK(carom_model_time(m, CAROM_FORCE, i, p, &f[i], &error), error);
    CHECK_OK(carom_model_time(m, CAROM_GAP, 0, p, &f[3], &error), error);
    for (double t = -3; t < 5; t += 0.37) {
        CHECK_NEAR(value(&f[0], t), 2 * pow(sin(w * t + c), 2) * cos(2 * t) + sqrt(w), 1e-14);
        CHECK_NEAR(value(&f[1], t), 2 * pow(1 + t / c, 3) - 5, 1e-11);
        CHECK_NEAR(value(&f[2], t), 4 * sin(1 - w * t) * cos(2 * t + c) * sin(t), 1e-14);
        CHECK_NEAR(value(&f[3], t), 1 - cos(w * t) / w, 1e-14);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(other_functions_of_time_are_refused)
{
    static const char *const bad[] = {"abs(sin(t))", "t*sin(t)",        "exp(-t)", "1/(1 + t)",
                                      "sin(t^2)",    "if(t < 1, 0, 1)", "t^7",     "t^0.5"};
    for (int k = 0; k < CAROM_COUNT(bad); k++) {
        char text[300];
        snprintf(text, sizeof text, "carom: 1\nname: bad\ncoordinates: {x: 1}\nkinetic: x'^2/2\nforces: {x: \"%s\"}\n",
                 bad[k]);
        carom_model *m = parse(text);
        carom_sim *sim = NULL;
        carom_error error = {0};
        carom_options o = carom_options_default();
        CHECK_OK(carom_options_set(&o, "scheme", "exact", &error), error);
        ck_assert_msg(carom_sim_new(&sim, m, &o, &error) == CAROM_UNSUPPORTED, "%s", bad[k]);
        ck_assert_msg(strstr(error.text, "force on 'x'") != NULL, "%s", error.text);
        carom_model_free(m);
    }
}
END_TEST

/* A mass lies on a floor and on a surface that begins to rise without a jump of its acceleration; they may be written
 * down in either order, and both may be parts of a lift. */
START_TEST(of_surfaces_that_part_slowly_the_higher_one_carries)
{
    static const char *const surface[] = {"0.1*t^3", "0.05*(1 - cos(t))*(1 - cos(t))", "0.01*t^6", "(1 - cos(t))^4"};
    const double y[] = {0.8, 0.05 * (1 - cos(2)) * (1 - cos(2)), 0.64, pow(1 - cos(2), 4)};
    for (int k = 0; k < 16; k++) {
        char text[400];
        carom_error error = {0};
        carom_model *m = NULL;
        const char *lift = k < 8 ? "" : " - 0.1*t^2", *rises = surface[k / 2 % 4];
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {y: 0}\nkinetic: y'^2/2\npotential: 100*y\ncontacts:\n"
                 "  first: {gap: \"y%s%s%s\", restitution: 0}\n  second: {gap: \"y%s%s%s\", restitution: 0}\n",
                 lift, k % 2 ? " - " : "", k % 2 ? rises : "", lift, k % 2 ? "" : " - ", k % 2 ? "" : rises);
        CHECK_OK(carom_model_parse(&m, "text", text, strlen(text), NULL, &error), error);
        carom_sim *sim = begin(m, 0.01, true, NULL);
        RUN(sim, 2);
        CHECK_NEAR(carom_sim_state(sim)->q[0], y[k / 2 % 4] + (k < 8 ? 0 : 0.4), 1e-13);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-11);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

TEST_MAIN("exact contacts", stacked_balls_come_to_rest_on_each_other,
          a_heavy_mass_rests_on_a_light_one, a_damper_between_two_masses_takes_their_difference,
          the_cradle_keeps_energy_and_its_impacts_do_not_depend_on_the_step,
          an_impact_on_a_touching_chain_is_solved_to_rounding, a_column_of_beads_collapses,
          of_surfaces_that_part_slowly_the_higher_one_carries,
          polynomials_and_harmonics_of_time_are_read, other_functions_of_time_are_refused)
#endif
