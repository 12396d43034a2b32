/* test_bifurcation.c: points of maps against closed forms.
 *
 * Oscillator u'' = -u from u = 1: u = cos t. Impact oscillator P1 (w = 2.5 alpha = .05 e = .5 umin = 0): one impact
 * per period with v- = -.703745586353 at w t = 5.7923881459. With alpha = 0, e = .8, umin = 0 the period doubles at w
 * = 2.6533477279. */
#include <float.h>
#include <string.h>

#include "bifurcation_testing.h"

static const char oscillator[] =
    "carom: 1\nname: oscillator\nparameters: {k: 1, a: 1}\ncoordinates: {u: a}\nkinetic: u'^2/2\n"
    "potential: k*u^2/2\n";
static const char dropped[] =
    "carom: 1\nname: dropped\nparameters: {e: 0.5}\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: 2*y\n"
    "contacts: {floor: {gap: y, restitution: e}}\n";
static const double PI = 3.14159265358979323846;

START_TEST(a_section_is_met_at_the_exact_times_and_to_rounding)
{
    const struct {
        int crossing;
        double first, every;
    } cases[] = {{-1, PI / 2, 2 * PI}, {+1, 3 * PI / 2, 2 * PI}, {0, PI / 2, PI}};
    for (int c = 0; c < 3; c++) {
        carom_model *m = parse(oscillator);
        carom_bifurcation_request request = {.size = sizeof request, .name = "k",
                                             .from = 1,
                                             .to = 1,
                                             .n = 1,
                                             .direction = 1,
                                             .map = CAROM_MAP_SECTION,
                                             .section = "u",
                                             .crossing = cases[c].crossing,
                                             .show = 10,
                                             .of = "u"};
        carom_bifurcation *b = run(m, request);
        ck_assert_int_eq(b->count[0], 10);
        for (int i = 0; i < 10; i++) {
            CHECK_NEAR(b->t[i], cases[c].first + i * cases[c].every, 1e-8);
            CHECK_NEAR(b->x[i], 0, 4e-15);
        }
        carom_bifurcation_free(b);
        request.of = "u'";
        b = run(m, request);
        for (int i = 0; i < 10; i++)
            CHECK_NEAR(fabs(b->x[i]), 1, 1e-8);
        carom_bifurcation_free(b);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(a_section_may_be_any_expression_also_of_time)
{
    carom_model *m = parse(oscillator);
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "k",
                                                              .from = 1,
                                                              .to = 1,
                                                              .n = 1,
                                                              .direction = 1,
                                                              .transient = 3,
                                                              .map = CAROM_MAP_SECTION,
                                                              .section = "sin(3*t)",
                                                              .crossing = 1,
                                                              .show = 5});
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(b->t[i], 2 * PI / 3 * (i + 2), 1e-13);
        CHECK_NEAR(b->x[i], cos(2 * PI / 3 * (i + 2)), 1e-8);
    }
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(a_jump_across_a_section_is_no_crossing)
{
    carom_model *m = parse(dropped);
    carom_bifurcation_request request = {.size = sizeof request, .name = "e",
                                         .from = 1,
                                         .to = 1,
                                         .n = 1,
                                         .direction = 1,
                                         .map = CAROM_MAP_SECTION,
                                         .section = "y'",
                                         .crossing = 1,
                                         .show = 20,
                                         .limit = 9};
    carom_bifurcation *b = run(m, request);
    ck_assert_int_eq(b->count[0], 0);
    carom_bifurcation_free(b);
    request.crossing = -1; /* the tops: t = 2, 4, 6, 8 */
    b = run(m, request);
    ck_assert_int_eq(b->count[0], 4);
    CHECK_NEAR(b->t[2], 6, 1e-8);
    CHECK_NEAR(b->x[2], 1, 1e-8);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(a_body_at_rest_on_the_section_leaves_no_points)
{
    carom_model *m = parse(dropped);
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "e",
                                                              .from = .5,
                                                              .to = .5,
                                                              .n = 1,
                                                              .direction = 1,
                                                              .transient = 4,
                                                              .map = CAROM_MAP_SECTION,
                                                              .section = "y",
                                                              .show = 5,
                                                              .limit = 5});
    ck_assert_int_eq(b->count[0], 0);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(impacts_of_a_periodic_motion_have_its_velocity_and_phase)
{
    carom_model *m = load("impact-oscillator", .05, .5, 0);
    carom_bifurcation_request request = {.size = sizeof request, .name = "w", .from = 2.5, .to = 2.5, .n = 1,
                                         .direction = 1, .transient = 100,
                                         .map = CAROM_MAP_IMPACT, .contact = "stop", .show = 3};
    const struct {
        const char *of;
        bool after;
        double value;
    } cases[] = {{NULL, false, -.703745586353}, {NULL, true, .5 * .703745586353},     {"u'", false, -.703745586353},
                 {"u'", true, .5 * .703745586353}, {"mod(w*t, 2*pi)", false, 5.7923881459}, {"u", false, 0}};
    for (int i = 0; i < 6; i++) {
        request.of = cases[i].of;
        request.after = cases[i].after;
        carom_bifurcation *b = run(m, request);
        ck_assert_int_eq(b->count[0], 3);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(b->x[k], cases[i].value, 1e-8);
        carom_bifurcation_free(b);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(the_period_doubles_between_2_65_and_2_66)
{
    carom_model *m = load("impact-oscillator", 0, .8, 0);
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w",
                                                              .from = 2.64,
                                                              .to = 2.67,
                                                              .n = 2,
                                                              .direction = 1,
                                                              .transient = 400,
                                                              .show = 6,
                                                              .exponent = 300});
    for (int k = 2; k < 6; k++) {
        CHECK_NEAR(b->x[k], b->x[k - 1], 1e-6);             /* 2.64: period 1 */
        CHECK_NEAR(b->x[6 + k], b->x[6 + k - 2], 1e-6);     /* 2.67: period 2 */
        CHECK_AT_LEAST(fabs(b->x[6 + k] - b->x[6 + k - 1]), 1e-2);
    }
    CHECK_NEAR(b->t[0], 401 * 2 * PI / 2.64, 1e-9);
    CHECK_AT_MOST(b->exponent[0], -0.05); /* stable */
    CHECK_AT_LEAST(b->exponent[0], log(.8) - 1e-6);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(the_exponent_is_that_of_a_run_of_its_own)
{
    carom_model *m = load("impact-oscillator", .05, .5, 0);
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w",
                                                              .from = 2.5,
                                                              .to = 2.5,
                                                              .n = 1,
                                                              .direction = 1,
                                                              .show = 1,
                                                              .exponent = 2000});
    CHECK_NEAR(b->exponent[0], -.05 * 2 * PI / 2.5 + log(.5), 1e-8);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

/* A particle in the double well (x^2 - 1)^2/4 with damping, started at x = 1, tilted by f: the state stays in its
 * well until the well disappears at f = -2/(3 sqrt 3) = -.3849 on the way down, and +.3849 on the way up. */
START_TEST(passes_up_and_down_carry_the_state_and_differ_where_two_attractors_coexist)
{
    carom_model *m = parse(
        "carom: 1\nname: wells\nparameters: {f: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: (x^2 - 1)^2/4\n"
        "forces: {x: f - x'}\nperiod: 1\n");
    carom_bifurcation_request request =
        {.size = sizeof request, .name = "f", .from = -.6, .to = .6, .n = 13,
         .direction = 0, .transient = 60, .show = 2};
    carom_bifurcation *b = run(m, request);
    ck_assert_int_eq(b->passes, 2);
    for (int i = 0; i < 13; i++) {
        double up = b->x[2 * i], down = b->x[2 * (13 + i)], f = b->value[i];
        if (f > -.35 && f < .35)
            ck_assert_msg(up < -.5 && down > .5, "f = %g: %g up, %g down", f, up, down);
        else
            CHECK_NEAR(up, down, 1e-4);
        CHECK_NEAR(up * up * up - up, f, 1e-5); /* at rest in a well */
    }
    carom_bifurcation_free(b);
    request.fresh = true;
    b = run(m, request);
    ck_assert_int_eq(b->passes, 1);
    for (int i = 0; i < 13; i++)
        ck_assert((b->x[2 * i] > 0) == (b->value[i] > -.38)); /* from x = 1 each time */
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(a_stop_that_moves_into_the_body_moves_it)
{
    carom_model *m = load("impact-oscillator", .25, .8, .5);
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "umin",
                                                              .from = 0,
                                                              .to = 3,
                                                              .n = 7,
                                                              .direction = 1,
                                                              .transient = 20,
                                                              .show = 10});
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 10; k++)
            CHECK_AT_LEAST(b->x[10 * i + k], b->value[i] - 1e-9);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

static void refused(carom_bifurcation_request request, const char *words)
{
    carom_model *m = load("impact-oscillator", .25, .8, .5);
    const carom_options options = tight();
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    ck_assert(carom_bifurcation_run(&b, m, &options, &request, &error) != CAROM_OK && !b);
    ck_assert_msg(strstr(error.text, words), "'%s' is not in: %s", words, error.text);
    carom_model_free(m);
}

START_TEST(requests_that_make_no_sense_are_refused)
{
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "ww", .from = 1, .to = 2,
                                        .n = 2}, "did you mean 'w'");
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w", .from = 1, .to = 2,
                                        .n = 0}, "at least one value");
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "q.u", .from = 1, .to = 2,
                                        .n = 2}, "initial value");
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w", .from = 1, .to = 2,
                                        .n = 2, .map = CAROM_MAP_SECTION},
            "expression");
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w",
                                        .from = 1,
                                        .to = 2,
                                        .n = 2,
                                        .map = CAROM_MAP_SECTION,
                                        .section = "uu"},
            "uu");
    refused((carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w",
                                        .from = 1,
                                        .to = 2,
                                        .n = 2,
                                        .map = CAROM_MAP_IMPACT,
                                        .contact = "wall"},
            "'wall'");
}
END_TEST

TEST_MAIN_MODELS("bifurcation", a_section_is_met_at_the_exact_times_and_to_rounding,
                 a_section_may_be_any_expression_also_of_time, a_jump_across_a_section_is_no_crossing,
                 a_body_at_rest_on_the_section_leaves_no_points,
                 impacts_of_a_periodic_motion_have_its_velocity_and_phase, the_period_doubles_between_2_65_and_2_66,
                 the_exponent_is_that_of_a_run_of_its_own,
                 passes_up_and_down_carry_the_state_and_differ_where_two_attractors_coexist,
                 a_stop_that_moves_into_the_body_moves_it, requests_that_make_no_sense_are_refused)
