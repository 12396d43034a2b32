/* test_no_silent_answer.c: gaps, masses and outputs that stop being numbers, masses that turn negative, gaps that jump:
 * no scheme goes on as if nothing were. */
#include "schemes/scheme.h"
#include "tolerance_testing.h"

/* The run ends before t_end with a sentence, whatever the scheme. */
static void every_scheme_stops(const char *text, double at, bool certify)
{
    for (int i = 0; carom_scheme_list(i); i++) {
        const char *scheme = carom_scheme_list(i)->method.name;
        carom_model *model = parse_text(text);
        carom_error error = {0};
        carom_sim *sim;
        carom_options o = carom_options_default();
        CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
        o.t_end = 3, o.h = 1e-3, o.energy = true, o.certify = certify;
        if (carom_sim_new(&sim, model, &o, &error) == CAROM_OK) {
            carom_status status = carom_sim_run(sim, 3);
            printf("%s: t = %.4f, %s\n", scheme, carom_sim_state(sim)->t, carom_sim_error(sim)->text);
            ck_assert_msg(status != CAROM_OK && *carom_sim_error(sim)->text, "%s goes on", scheme);
            CHECK_NEAR(carom_sim_state(sim)->t, at, 0.1);
            carom_sim_free(sim);
        } else {
            printf("%s refuses: %s\n", scheme, error.text);
        }
        carom_model_free(model);
    }
}

#define POINT "carom: 1\ncoordinates: {x: 0.9, y: 0.2}\nvelocities: {x: 1}\n"

START_TEST(a_bowl_that_is_left_sideways_is_no_open_contact)
{
    every_scheme_stops(POINT "kinetic: (x'^2 + y'^2)/2\npotential: 10*y\n"
                             "contacts: {bowl: {gap: 'y + sqrt(1 - x^2)', restitution: 0.5}}\n", 0.1, false);
}
END_TEST

START_TEST(a_mass_that_turns_negative_ends_the_run)
{
    every_scheme_stops(POINT "mass: {x: 2 - x, y: 1}\nforce: {x: 0, y: -10}\n"
                             "contacts: {floor: {gap: y, restitution: 0.5}}\n", 1.1, false);
}
END_TEST

/* schatzman-paoli answers with a velocity: it has no other way to meet a gap. */
START_TEST(a_gap_that_jumps_puts_nothing_elsewhere)
{
    static const char *const schemes[] = {"tolerance", "mixed", "crank-nicolson", "dg-minus", "dg-plus",
                                          "moreau-jean", "moreau-jean-projected", "kern"};
    carom_model *model = parse_text("carom: 1\ncoordinates: {y: 0.05}\nkinetic: y'^2/2\npotential: 10*y\n"
                                    "contacts: {step: {gap: 'y - if(t < 1, 0, 0.5)', restitution: 0}}\n");
    for (int i = 0; i < (int)(sizeof schemes / sizeof *schemes); i++) {
        carom_error error = {0};
        carom_sim *sim;
        carom_options o = carom_options_default();
        CHECK_OK(carom_options_set(&o, "scheme", schemes[i], &error), error);
        o.t_end = 2, o.h = 1e-3, o.certify = true;
        CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
        ck_assert_msg(carom_sim_run(sim, 2) == CAROM_TOLERANCE, "%s goes on", schemes[i]);
        printf("%s: %s\n", schemes[i], carom_sim_error(sim)->text);
        CHECK_NEAR(carom_sim_state(sim)->t, 0.95, 0.06); /* before the step that failed */
        CHECK_NEAR(carom_sim_state(sim)->q[0], 0, 1e-3);
        carom_sim_free(sim);
    }
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("no silent answer", a_bowl_that_is_left_sideways_is_no_open_contact,
                 a_mass_that_turns_negative_ends_the_run, a_gap_that_jumps_puts_nothing_elsewhere)
