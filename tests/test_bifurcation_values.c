/* test_bifurcation_values.c: the values of a diagram: where they begin, on which threads they run, which fail, and
 * what an interruption leaves. */
#include <string.h>

#include "bifurcation_testing.h"

START_TEST(results_have_the_same_bits_on_any_number_of_threads)
{
    for (int fresh = 0; fresh < 2; fresh++) {
        carom_bifurcation *b[2];
        for (int k = 0; k < 2; k++) {
            carom_model *m = load("impact-oscillator", .25, .8, .5);
            b[k] = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request), .name = "w",
                                                      .from = 2.4,
                                                      .to = 2.6,
                                                      .n = 10,
                                                      .direction = 0,
                                                      .fresh = fresh,
                                                      .transient = 30,
                                                      .show = 20,
                                                      .exponent = 30,
                                                      .threads = k + 1});
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
        carom_model *m = periodic ? load("impact-oscillator", .05, .5, 0)
                                  : parse("carom: 1\nname: resting\nparameters: {A: 1, e: 0.3}\n"
                                          "coordinates: {y: 1}\nkinetic: y'^2/2\npotential: y\nperiod: 2*pi\n"
                                          /* rest in each period up to A = 1.2 */
                                          "contacts: {table: {gap: y - A*sin(t), restitution: e}}\n");
        carom_bifurcation_request request = {.size = sizeof request, .name = periodic ? "w" : "A",
                                             .from = periodic ? 2.1 : 1.05,
                                             .to = periodic ? 2.6 : 1.2,
                                             .n = N,
                                             .direction = 1,
                                             .fresh = true,
                                             .transient = 60,
                                             .show = SHOW,
                                             .of = periodic ? "u + u'" : "y",
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
                ck_assert_msg(all->exponent[i] == -INFINITY && one->exponent[0] == -INFINITY, "A = %g: %g, alone %g",
                              all->value[i], all->exponent[i], one->exponent[0]);
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
    carom_model *m =
        parse("carom: 1\nname: dependent\nparameters: {k: 1, f: 2*k, c: 3*k}\ncoordinates: {x: 1}\nkinetic: x'^2/2\n"
              "potential: k*x^2/2\nforces: {x: f - c*x'}\nperiod: 1\n");
    for (int fresh = 0; fresh < 2; fresh++) {
        carom_bifurcation *b = run(m, (carom_bifurcation_request){.size = sizeof(carom_bifurcation_request),
            .name = fresh ? "c" : "f",
                                                                  .from = 1,
                                                                  .to = 2,
                                                                  .n = 11,
                                                                  .direction = 1,
                                                                  .fresh = fresh,
                                                                  .transient = 60,
                                                                  .show = 1});
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
    carom_model *m =
        parse("carom: 1\nname: pushed\nparameters: {s: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: x^2/2\n"
              "forces: {x: -x'}\ncontacts: {wall: {gap: x - s, restitution: 0}}\nperiod: 1\n");
    const long sizes[] = {5, 9};
    for (int k = 0; k < 2; k++)
        for (int fresh = 0; fresh < 2; fresh++) {
            const long n = sizes[k];
            const carom_options options = tight();
            const carom_bifurcation_request request = {.size = sizeof request, .name = "s",
                                                       .from = 0.5,
                                                       .to = 1.5,
                                                       .n = n,
                                                       .direction = 1,
                                                       .fresh = fresh,
                                                       .transient = 20,
                                                       .show = 1,
                                                       .exponent = fresh ? 5 : 0};
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
            const carom_bifurcation_request request = {.size = sizeof request, .name = cases[k].name,
                                                       .from = cases[k].from,
                                                       .to = cases[k].to,
                                                       .n = 5,
                                                       .transient = 3,
                                                       .direction = direction,
                                                       .show = 1,
                                                       .exponent = 3};
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
        const carom_bifurcation_request request = {.size = sizeof request, .name = "w",
                                                   .from = 6e-9,
                                                   .to = 7e-9,
                                                   .n = 9,
                                                   .direction = 1,
                                                   .fresh = fresh,
                                                   .threads = 1,
                                                   .stop = later,
                                                   .user = &asked};
        carom_bifurcation *b = NULL;
        asked = 0;
        ck_assert_int_eq(carom_bifurcation_run(&b, m, &options, &request, &error), CAROM_INTERRUPTED);
        carom_bifurcation_free(b);
    }
    static carom_lyapunov_result each[8];
    carom_lyapunov_request exponents = {.size = sizeof exponents, .length = 10, .stop = later, .user = &asked};
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
    const carom_bifurcation_request request =
        {.size = sizeof request, .name = "w", .from = 2.4, .to = 2.6, .n = 100000, .show = 5,
         .stop = at_once, .user = &asked};
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
    const carom_bifurcation_request request = {.size = sizeof request, .name = "w",
                                               .from = 2.4,
                                               .to = 2.6,
                                               .n = 10,
                                               .direction = -1,
                                               .show = 5,
                                               .transient = 5,
                                               .threads = 1,
                                               .go_on = three};
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
    carom_model *m =
        parse("carom: 1\nname: bursting\nparameters: {f: 0}\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: 0*x\n"
              "forces: {x: \"if(f > 0.5, x^3*1e6, -x')\"}\nperiod: 1\n");
    carom_options options = tight();
    const carom_bifurcation_request request =
        {.size = sizeof request, .name = "f", .from = 0, .to = 1, .n = 3, .direction = 1, .show = 2, .transient = 2};
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

TEST_MAIN_MODELS("values of bifurcation diagrams", results_have_the_same_bits_on_any_number_of_threads,
                 values_with_starts_of_their_own_are_those_of_one_run_each,
                 a_parameter_that_depends_on_another_can_be_varied,
                 a_value_without_a_start_fails_alone_and_only_where_it_begins,
                 values_with_impossible_parameters_fail_in_every_pass,
                 an_interruption_is_seen_in_the_middle_of_a_period, an_interruption_is_seen_before_the_first_run,
                 an_interrupted_diagram_keeps_what_was_computed, values_that_fail_are_told_and_the_others_are_there)
