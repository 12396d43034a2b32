/* test_bifurcation.c: points of maps against closed forms.
 *
 * Oscillator u'' = -u from u = 1: u = cos t. Impact oscillator P1 (w = 2.5 alpha = .05 e = .5 umin = 0): one impact per period with
 * v- = -.703745586353 at w t = 5.7923881459. With alpha = 0, e = .8, umin = 0 the period doubles at w = 2.6533477279. */
#include <float.h>
#include <string.h>

#include "analysis/bifurcation.h"
#include "testing.h"

static const char oscillator[] = "carom: 1\nname: oscillator\nparameters: {k: 1, a: 1}\ncoordinates: {u: a}\nkinetic: u'^2/2\n"
                                 "potential: k*u^2/2\n";
static const char dropped[] = "carom: 1\nname: dropped\nparameters: {e: 0.5}\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: 2*y\n"
                              "contacts: {floor: {gap: y, restitution: e}}\n";
static const double PI = 3.14159265358979323846;

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    return m;
}

static carom_model *load(const char *name, double alpha, double e, double umin)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, name, NULL, &error), error);
    CHECK_OK(carom_model_set(m, (const char *const[]){"alpha", "e", "umin"}, (const double[]){alpha, e, umin}, 3, &error), error);
    return m;
}

static carom_options tight(void)
{
    carom_options options = carom_options_default();
    options.rtol = options.atol = 1e-10;
    return options;
}

static carom_bifurcation *run(carom_model *m, carom_bifurcation_request request)
{
    const carom_options options = tight();
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    CHECK_OK(carom_bifurcation_run(&b, m, &options, &request, &error), error);
    ck_assert_msg(b->failed == 0, "%s", b->failure);
    return b;
}

START_TEST(a_section_is_met_at_the_exact_times_and_to_rounding)
{
    const struct {
        int crossing;
        double first, every;
    } cases[] = {{-1, PI / 2, 2 * PI}, {+1, 3 * PI / 2, 2 * PI}, {0, PI / 2, PI}};
    for (int c = 0; c < 3; c++) {
        carom_model *m = parse(oscillator);
        carom_bifurcation_request request = {.name = "k", .from = 1, .to = 1, .n = 1, .direction = 1, .map = CAROM_MAP_SECTION,
                                             .section = "u", .crossing = cases[c].crossing, .show = 10, .of = "u"};
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
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = "k", .from = 1, .to = 1, .n = 1, .direction = 1, .transient = 3,
                                                              .map = CAROM_MAP_SECTION, .section = "sin(3*t)", .crossing = 1, .show = 5});
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
    carom_bifurcation_request request = {.name = "e", .from = 1, .to = 1, .n = 1, .direction = 1, .map = CAROM_MAP_SECTION,
                                         .section = "y'", .crossing = 1, .show = 20, .limit = 9};
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
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = "e", .from = .5, .to = .5, .n = 1, .direction = 1, .transient = 4,
                                                              .map = CAROM_MAP_SECTION, .section = "y", .show = 5, .limit = 5});
    ck_assert_int_eq(b->count[0], 0);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(impacts_of_a_periodic_motion_have_its_velocity_and_phase)
{
    carom_model *m = load("impact-oscillator", .05, .5, 0);
    carom_bifurcation_request request = {.name = "w", .from = 2.5, .to = 2.5, .n = 1, .direction = 1, .transient = 100,
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
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = "w", .from = 2.64, .to = 2.67, .n = 2, .direction = 1, .transient = 400,
                                                              .show = 6, .exponent = 300});
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
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = "w", .from = 2.5, .to = 2.5, .n = 1, .direction = 1, .show = 1,
                                                              .exponent = 2000});
    CHECK_NEAR(b->exponent[0], -.05 * 2 * PI / 2.5 + log(.5), 1e-8);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

/* A particle in the double well (x^2 - 1)^2/4 with damping, started at x = 1, tilted by f: the state stays in its well until the
 * well disappears at f = -2/(3 sqrt 3) = -.3849 on the way down, and +.3849 on the way up. */
START_TEST(passes_up_and_down_carry_the_state_and_differ_where_two_attractors_coexist)
{
    carom_model *m = parse("carom: 1\nname: wells\nparameters: {f: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: (x^2 - 1)^2/4\n"
                           "forces: {x: f - x'}\nperiod: 1\n");
    carom_bifurcation_request request = {.name = "f", .from = -.6, .to = .6, .n = 13, .direction = 0, .transient = 60, .show = 2};
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
    carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = "umin", .from = 0, .to = 3, .n = 7, .direction = 1, .transient = 20,
                                                              .show = 10});
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 10; k++)
            CHECK_AT_LEAST(b->x[10 * i + k], b->value[i] - 1e-9);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(results_have_the_same_bits_on_any_number_of_threads)
{
    for (int fresh = 0; fresh < 2; fresh++) {
        carom_bifurcation *b[2];
        for (int k = 0; k < 2; k++) {
            carom_model *m = load("impact-oscillator", .25, .8, .5);
            b[k] = run(m, (carom_bifurcation_request){.name = "w", .from = 2.4, .to = 2.6, .n = 10, .direction = 0, .fresh = fresh,
                                                      .transient = 30, .show = 20, .exponent = 30, .threads = k + 1});
            carom_model_free(m);
        }
        ck_assert_int_eq(memcmp(b[0]->x, b[1]->x, sizeof(double) * (size_t)(b[0]->passes * 10 * 20)), 0);
        ck_assert_int_eq(memcmp(b[0]->exponent, b[1]->exponent, sizeof(double) * (size_t)(b[0]->passes * 10)), 0);
        carom_bifurcation_free(b[0]);
        carom_bifurcation_free(b[1]);
    }
}
END_TEST

/* Nine values run in lanes, each alone does not: another path to the same motion. */
START_TEST(values_with_starts_of_their_own_are_those_of_one_run_each)
{
    enum { N = 9, SHOW = 6 };
    for (int periodic = 0; periodic < 2; periodic++) {
        carom_model *m = periodic ? load("impact-oscillator", .05, .5, 0) : parse("carom: 1\nname: resting\nparameters: {A: 1, e: 0.3}\n"
                         "coordinates: {y: 1}\nkinetic: y'^2/2\npotential: y\nperiod: 2*pi\n"
                         "contacts: {table: {gap: y - A*sin(t), restitution: e}}\n"); /* rest in each period up to A = 1.2 */
        carom_bifurcation_request request = {.name = periodic ? "w" : "A", .from = periodic ? 2.1 : 1.05, .to = periodic ? 2.6 : 1.2,
                                             .n = N, .direction = 1, .fresh = true, .transient = 60, .show = SHOW, .of = periodic ? "u + u'" : "y",
                                             .exponent = periodic ? 300 : 20};
        carom_bifurcation *all = run(m, request);
        request.n = 1;
        for (int i = 0; i < N; i++) {
            request.from = request.to = all->value[i];
            carom_bifurcation *one = run(m, request);
            ck_assert_int_eq(all->count[i], SHOW);
            for (int k = 0; k < SHOW; k++) {
                CHECK_NEAR(all->x[i * SHOW + k], one->x[k], 1e-6);
                CHECK_NEAR(all->t[i * SHOW + k], one->t[k], 1e-9);
            }
            if (periodic)
                CHECK_NEAR(all->exponent[i], one->exponent[0], 1e-6);
            else
                ck_assert_msg(all->exponent[i] == -INFINITY && one->exponent[0] == -INFINITY, "A = %g: %g, alone %g", all->value[i],
                              all->exponent[i], one->exponent[0]);
            carom_bifurcation_free(one);
        }
        carom_bifurcation_free(all);
        carom_model_free(m);
    }
}
END_TEST

/* The second parameter is an expression of the first in the file; when it is varied it becomes a number of its own. */
START_TEST(a_parameter_that_depends_on_another_can_be_varied)
{
    carom_model *m = parse("carom: 1\nname: dependent\nparameters: {k: 1, f: 2*k, c: 3*k}\ncoordinates: {x: 1}\nkinetic: x'^2/2\n"
                           "potential: k*x^2/2\nforces: {x: f - c*x'}\nperiod: 1\n");
    for (int fresh = 0; fresh < 2; fresh++) {
        carom_bifurcation *b = run(m, (carom_bifurcation_request){.name = fresh ? "c" : "f", .from = 1, .to = 2, .n = 11, .direction = 1,
                                                                  .fresh = fresh, .transient = 60, .show = 1});
        for (int i = 0; i < 11; i++)
            CHECK_NEAR(b->x[i], fresh ? 2 : b->value[i], 1e-6); /* at rest where k x = f */
        carom_bifurcation_free(b);
    }
    carom_model_free(m);
}
END_TEST

/* The wall at s moves beyond the start x = 1: a state that is carried on is pushed, a start of its own fails. */
START_TEST(a_value_without_a_start_fails_alone_and_only_where_it_begins)
{
    carom_model *m = parse("carom: 1\nname: pushed\nparameters: {s: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: x^2/2\n"
                           "forces: {x: -x'}\ncontacts: {wall: {gap: x - s, restitution: 0}}\nperiod: 1\n");
    const long sizes[] = {5, 9};
    for (int k = 0; k < 2; k++)
        for (int fresh = 0; fresh < 2; fresh++) {
            const long n = sizes[k];
            const carom_options options = tight();
            const carom_bifurcation_request request = {.name = "s", .from = 0.5, .to = 1.5, .n = n, .direction = 1,
                                                       .fresh = fresh, .transient = 20, .show = 1, .exponent = fresh ? 5 : 0};
            carom_bifurcation *b = NULL;
            carom_error error = {0};
            CHECK_OK(carom_bifurcation_run(&b, m, &options, &request, &error), error);
            ck_assert_int_eq(b->failed, fresh ? n / 2 : 0);
            for (long i = 0; i < n; i++)
                if (fresh && b->value[i] > 1)
                    ck_assert_int_eq(b->count[i], -2);
                else
                    CHECK_NEAR(b->x[i], b->value[i], 1e-9);
            ck_assert(!fresh || (strstr(b->failure, "gap of contact 'wall'") && !strchr(b->failure, '\n')));
            carom_bifurcation_free(b);
        }
    carom_model_free(m);
}
END_TEST

/* A state that is carried on does not help where the parameters themselves make no sense. */
START_TEST(values_with_impossible_parameters_fail_in_every_pass)
{
    carom_model *m = load("impact-oscillator", .25, .8, .5);
    const struct {
        const char *name;
        double from, to;
        long failed;
    } cases[] = {{"w", -1, 3, 2}, {"e", .6, 1.4, 2}};
    for (int k = 0; k < 2; k++)
        for (int direction = -1; direction <= 1; direction += 2) {
            const carom_options options = tight();
            const carom_bifurcation_request request = {.name = cases[k].name, .from = cases[k].from, .to = cases[k].to, .n = 5, .transient = 3,
                                                       .direction = direction, .show = 1, .exponent = 3};
            carom_bifurcation *b = NULL;
            carom_error error = {0};
            CHECK_OK(carom_bifurcation_run(&b, m, &options, &request, &error), error);
            ck_assert_msg(b->failed == cases[k].failed, "%s: %ld failed, %s", cases[k].name, b->failed, b->failure);
            carom_bifurcation_free(b);
        }
    carom_model_free(m);
}
END_TEST

static bool later(void *user)
{
    return ++*(int *)user > 50;
}

/* One period of 1e9 turns of the oscillator: who is asked after each period is never asked. */
START_TEST(an_interruption_is_seen_in_the_middle_of_a_period)
{
    carom_model *m = load("impact-oscillator", 0, .8, .5);
    const carom_options options = tight();
    int asked = 0;
    carom_error error = {0};
    for (int fresh = 0; fresh < 2; fresh++) { /* one by one, in lanes */
        const carom_bifurcation_request request = {.name = "w", .from = 6e-9, .to = 7e-9, .n = 9, .direction = 1, .fresh = fresh,
                                                   .threads = 1, .stop = later, .user = &asked};
        carom_bifurcation *b = NULL;
        asked = 0;
        ck_assert_int_eq(carom_bifurcation_run(&b, m, &options, &request, &error), CAROM_INTERRUPTED);
        carom_bifurcation_free(b);
    }
    static carom_lyapunov_result each[8];
    carom_lyapunov_request exponents = {.length = 10, .stop = later, .user = &asked};
    carom_lyapunov_result r;
    asked = 0;
    ck_assert_int_eq(carom_lyapunov_starts(m, &options, &exponents, 8, 1, 1, each, &r, &error), CAROM_INTERRUPTED);
    for (int method = 0; method < 2; method++) {
        asked = 0;
        exponents.method = method ? CAROM_LYAPUNOV_PERTURBATION : CAROM_LYAPUNOV_TANGENT;
        ck_assert_int_eq(carom_lyapunov_run(m, &options, &exponents, &r, &error), CAROM_INTERRUPTED);
        asked = 0;
        exponents.transient = method ? 0 : 10;
        ck_assert_int_eq(carom_lyapunov_run(m, &options, &exponents, &r, &error), CAROM_INTERRUPTED);
    }
    carom_model_free(m);
}
END_TEST

static bool at_once(void *user)
{
    ++*(int *)user;
    return true;
}

START_TEST(an_interruption_is_seen_before_the_first_run)
{
    carom_model *m = load("impact-oscillator", .25, .8, .5);
    const carom_options options = tight();
    int asked = 0;
    const carom_bifurcation_request request = {.name = "w", .from = 2.4, .to = 2.6, .n = 100000, .show = 5, .stop = at_once, .user = &asked};
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    ck_assert_int_eq(carom_bifurcation_run(&b, m, &options, &request, &error), CAROM_INTERRUPTED);
    ck_assert_int_eq(asked, 1);
    ck_assert_int_eq(b->count[0], -1);
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

static bool three(void *user, long done, long all)
{
    (void)user;
    ck_assert_int_eq(all, 10);
    return done < 3;
}

START_TEST(an_interrupted_diagram_keeps_what_was_computed)
{
    carom_model *m = load("impact-oscillator", .25, .8, .5);
    const carom_options options = tight();
    const carom_bifurcation_request request = {.name = "w", .from = 2.4, .to = 2.6, .n = 10, .direction = -1, .show = 5, .transient = 5,
                                               .threads = 1, .go_on = three};
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    ck_assert_int_eq(carom_bifurcation_run(&b, m, &options, &request, &error), CAROM_INTERRUPTED);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(b->count[i], i >= 7 ? 5 : -1); /* downwards */
    carom_bifurcation_free(b);
    carom_model_free(m);
}
END_TEST

START_TEST(values_that_fail_are_told_and_the_others_are_there)
{
    carom_model *m = parse("carom: 1\nname: bursting\nparameters: {f: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: 0*x\n"
                           "forces: {x: \"if(f > 0.5, x^3*1e6, -x')\"}\nperiod: 1\n");
    carom_options options = tight();
    const carom_bifurcation_request request = {.name = "f", .from = 0, .to = 1, .n = 3, .direction = 1, .show = 2, .transient = 2};
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    CHECK_OK(carom_bifurcation_run(&b, m, &options, &request, &error), error);
    ck_assert_int_eq(b->failed, 1);
    ck_assert(b->count[0] == 2 && b->count[1] == 2 && b->count[2] == -2);
    ck_assert_msg(strstr(b->failure, "f = 1:"), "%s", b->failure);
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
    refused((carom_bifurcation_request){.name = "ww", .from = 1, .to = 2, .n = 2}, "did you mean 'w'");
    refused((carom_bifurcation_request){.name = "w", .from = 1, .to = 2, .n = 0}, "at least one value");
    refused((carom_bifurcation_request){.name = "q.u", .from = 1, .to = 2, .n = 2}, "initial value");
    refused((carom_bifurcation_request){.name = "w", .from = 1, .to = 2, .n = 2, .map = CAROM_MAP_SECTION}, "expression");
    refused((carom_bifurcation_request){.name = "w", .from = 1, .to = 2, .n = 2, .map = CAROM_MAP_SECTION, .section = "uu"}, "uu");
    refused((carom_bifurcation_request){.name = "w", .from = 1, .to = 2, .n = 2, .map = CAROM_MAP_IMPACT, .contact = "wall"}, "'wall'");
}
END_TEST

TEST_MAIN_MODELS("bifurcation", a_section_is_met_at_the_exact_times_and_to_rounding, a_section_may_be_any_expression_also_of_time,
                 a_jump_across_a_section_is_no_crossing, a_body_at_rest_on_the_section_leaves_no_points,
                 impacts_of_a_periodic_motion_have_its_velocity_and_phase, the_period_doubles_between_2_65_and_2_66,
                 the_exponent_is_that_of_a_run_of_its_own, passes_up_and_down_carry_the_state_and_differ_where_two_attractors_coexist,
                 a_stop_that_moves_into_the_body_moves_it, results_have_the_same_bits_on_any_number_of_threads,
                 values_with_starts_of_their_own_are_those_of_one_run_each, a_parameter_that_depends_on_another_can_be_varied,
                 a_value_without_a_start_fails_alone_and_only_where_it_begins, values_with_impossible_parameters_fail_in_every_pass,
                 an_interruption_is_seen_in_the_middle_of_a_period, an_interruption_is_seen_before_the_first_run,
                 an_interrupted_diagram_keeps_what_was_computed, values_that_fail_are_told_and_the_others_are_there,
                 requests_that_make_no_sense_are_refused)
