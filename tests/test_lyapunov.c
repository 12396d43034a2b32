/* test_lyapunov.c: exponents against closed forms, Floquet multipliers and long runs of independent programs.
 *
 * C1  impact oscillator, w = 2.5 alpha = .25 e = .8 umin = .5: .8613 +- .0002, -2.9035 +- .0002, 1.7601 impacts per
 *     period
 * P1  the same, alpha = .05 e = .5 umin = 0: one impact per period, a complex pair: both -alpha T + ln e
 * BB  ball on a table: G = 2.42, e = .3: .40732, -2.81526;  G = 1.2, e = .3: comes to rest
 * CH  chain: w = 1.7 e = .8 d = .5: .1905 -.3703 -.4596 -.7454;  reduced rank: ln of the multipliers that remain
 * PE  driven pendulum: .1637, -1.1219 */
#include <float.h>
#include <string.h>

#include "analysis/lyapunov/lyapunov.h"
#include "testing.h"

typedef struct setting {
    const char *name;
    double value;
} setting;

static carom_model *load(const char *name, const setting *settings)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, name, NULL, &error), error);
    for (; settings && settings->name; settings++)
        CHECK_OK(carom_model_set(m, &settings->name, &settings->value, 1, &error), error);
    return m;
}

static carom_options with(const char *scheme, const carom_model *m, double steps)
{
    carom_options options = carom_options_default();
    carom_error error = {0};
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = (m->period > 0 ? m->period : 1) / steps;
    options.rtol = options.atol = 1e-8;
    return options;
}

static carom_lyapunov_result measure(const carom_model *m, const char *scheme, long length)
{
    carom_lyapunov_request request = carom_lyapunov_request_default();
    carom_lyapunov_result result;
    carom_error error = {0};
    const carom_options options = with(scheme, m, 100);
    request.length = length;
    CHECK_OK(carom_lyapunov_run(m, &options, &request, &result, &error), error);
    return result;
}

static const setting P1[] = {{"alpha", .05}, {"e", .5}, {"umin", 0}, {0}};
static const setting BB[] = {{"g", 1}, {"w", 1}, {"A", 2.42}, {"e", .3}, {0}};

static void check_within(const char *name, const setting *settings, const char *scheme, long length, int n,
                         const double *reference)
{
    carom_model *m = load(name, settings);
    const carom_lyapunov_result r = measure(m, scheme, length);
    ck_assert_int_eq(r.n, n);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(r.exponent[i], reference[i], 4 * r.error[i]);
        CHECK_AT_MOST(r.error[i], 0.02);
        CHECK_AT_LEAST(r.error[i], 1e-4);
    }
    ck_assert(!r.regular && !r.flag);
    carom_model_free(m);
}

START_TEST(chaotic_spectra_agree_with_the_references_within_their_error_bars)
{
    check_within("impact-oscillator", NULL, "tolerance", 4000, 2, (const double[]){.8613, -2.9035});
    check_within("impact-oscillator", NULL, "exact", 10000, 2, (const double[]){.8613, -2.9035});
    check_within("vibrating-table", BB, "tolerance", 3000, 2, (const double[]){.40732, -2.81526});
    check_within("vibrating-table", BB, "exact", 3000, 2, (const double[]){.40732, -2.81526});
    check_within("chain", NULL, "tolerance", 3000, 4, (const double[]){.1905, -.3703, -.4596, -.7454});
    check_within("driven-pendulum", NULL, "tolerance", 3000, 2, (const double[]){.1637, -1.1219});
}
END_TEST

/* ---- error bars ---- */

typedef struct coverage {
    int n, one, two;     /* exponents; within one, within two error bars */
    double bars, errors; /* sums of squares */
} coverage;

static void count(coverage *c, const carom_lyapunov_result *r, const double *exact)
{
    for (int i = 0; i < r->n; i++) {
        double off = fabs(r->exponent[i] - exact[i]);
        c->n++;
        c->one += off <= r->error[i];
        c->two += off <= 2 * r->error[i];
        c->bars += r->error[i] * r->error[i], c->errors += off * off;
    }
}

START_TEST(error_bars_of_short_chaotic_runs_cover_the_long_ones)
{
    enum { STARTS = 100 };
    static carom_lyapunov_result each[STARTS];
    carom_lyapunov_result mean;
    carom_error error = {0};
    carom_model *m = load("impact-oscillator", NULL);
    const carom_options options = with("exact", m, 100);
    const long lengths[] = {16, 32, 100, 400};
    for (int k = 0; k < 4; k++) {
        const carom_lyapunov_request request = {.size = sizeof request, .length = lengths[k], .transient = 50};
        coverage c = {0};
        CHECK_OK(carom_lyapunov_starts(m, &options, &request, STARTS, 3, 0, each, &mean, &error), error);
        for (int i = 0; i < STARTS; i++)
            count(&c, &each[i], (const double[]){.8613, -2.9035});
        printf("%4ld periods: %d %d of %d, %.2f\n", lengths[k], c.one, c.two, c.n, sqrt(c.bars / c.errors));
        CHECK_AT_LEAST(c.one, 0.65 * c.n);
        CHECK_AT_LEAST(c.two, 0.93 * c.n);
        CHECK_AT_MOST(sqrt(c.bars / c.errors), 2);
    }
    carom_model_free(m);
}
END_TEST

/* From multipliers that turn by 108 degrees in a period down to 8, where a run of 16 is less than one turn of the
 * columns; at w = 2 they are real and nearly equal, and columns need 100 periods to find them. */
START_TEST(error_bars_of_short_regular_runs_cover_the_exact_exponents)
{
    const double w[] = {2.5, 2.3, 2.1, 2.05, 2.03}, nearly_equal[] = {-.8329929938, -.8674606326};
    const long lengths[] = {16, 25, 32, 50, 64, 100, 200};
    for (int i = 0; i < 6; i++) {
        carom_model *m = load("impact-oscillator", P1);
        carom_error error = {0};
        coverage c = {0};
        CHECK_OK(carom_model_set(m, (const char *const[]){"w"}, (const double[]){i < 5 ? w[i] : 2}, 1, &error), error);
        double pair = -.05 * m->period + log(.5);
        for (int k = 0; k < 7; k++) {
            const carom_lyapunov_result r = measure(m, "exact", lengths[k]);
            count(&c, &r, i < 5 ? (const double[]){pair, pair} : nearly_equal);
        }
        printf("w = %g: %d %d of %d, %.2f\n", i < 5 ? w[i] : 2, c.one, c.two, c.n, sqrt(c.bars / c.errors));
        ck_assert_int_eq(c.two, c.n);
        CHECK_AT_LEAST(c.one, i < 5 ? c.n : 0.5 * c.n);
        CHECK_AT_MOST(sqrt(c.bars / c.errors), 16);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(impacts_per_period_agree_with_the_references)
{
    carom_model *m = load("impact-oscillator", NULL);
    CHECK_NEAR(measure(m, "exact", 10000).impacts, 1.7601, 0.015);
    carom_model_free(m);
    m = load("vibrating-table", BB);
    /* Chaotic motion: periods with two impacts and with none follow each other, and the window may cut such a pair. */
    CHECK_NEAR(500 * measure(m, "tolerance", 500).impacts, 500, 1);
    carom_model_free(m);
}
END_TEST

START_TEST(both_exponents_of_a_complex_pair_are_exact_to_1e_8)
{
    const char *const schemes[] = {"tolerance", "exact"};
    carom_model *m = load("impact-oscillator", P1);
    double exact = -.05 * m->period + log(.5);
    CHECK_NEAR(exact, -.81881089, 5e-9);
    for (int i = 0; i < 2; i++) {
        const carom_lyapunov_result r = measure(m, schemes[i], 2000);
        ck_assert(r.regular);
        CHECK_NEAR(r.exponent[0], exact, 1e-9);
        CHECK_NEAR(r.exponent[1], exact, 1e-9);
        CHECK_AT_MOST(r.error[0], 1e-7);
        CHECK_NEAR(r.impacts, 1, 0);
        CHECK_NEAR(r.slowest, .703745586353, 1e-7);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(the_sum_rule_holds_to_1e_9_with_exact_and_to_10_rtol_with_tolerance)
{
    const struct {
        const char *name;
        const setting *settings;
    } linear[] = {{"impact-oscillator", NULL}, {"impact-oscillator", P1}, {"vibrating-table", BB}, {"chain", NULL}};
    for (int i = 0; i < 4; i++) {
        carom_model *m = load(linear[i].name, linear[i].settings);
        CHECK_AT_MOST(measure(m, "exact", 300).sum_rule_defect, 1e-9);
        CHECK_AT_MOST(measure(m, "tolerance", 300).sum_rule_defect, 1e-7);
        carom_model_free(m);
    }
    carom_model *m = load("driven-pendulum", NULL);
    CHECK_AT_MOST(measure(m, "tolerance", 300).sum_rule_defect, 1e-7);
    carom_model_free(m);
}
END_TEST

START_TEST(the_sum_of_exponents_is_the_closed_form)
{
    carom_model *m = load("impact-oscillator", NULL);
    carom_lyapunov_result r = measure(m, "tolerance", 500);
    CHECK_NEAR(r.exponent[0] + r.exponent[1], -2 * .25 * m->period + 2 * log(.8) * r.impacts, 1e-7);
    carom_model_free(m);
    m = load("chain", NULL);
    r = measure(m, "tolerance", 500);
    double sum = r.exponent[0] + r.exponent[1] + r.exponent[2] + r.exponent[3];
    CHECK_NEAR(sum, -.3 * m->period + 2 * log(.8) * r.impacts, 1e-7);
    carom_model_free(m);
}
END_TEST

START_TEST(a_ball_that_comes_to_rest_has_exponents_of_minus_infinity)
{
    carom_model *m = load("vibrating-table", (const setting[]){{"g", 1}, {"w", 1}, {"A", 1.2}, {"e", .3}, {0}});
    const carom_lyapunov_result r = measure(m, "tolerance", 200);
    ck_assert(r.exponent[0] == -INFINITY && r.exponent[1] == -INFINITY);
    ck_assert_str_eq(r.flag, "rest");
    ck_assert(isnan(r.sum_rule_defect) && r.kaplan_yorke == 0);
    carom_model_free(m);
}
END_TEST

START_TEST(directions_that_survive_a_closing_have_the_multipliers_that_remain)
{
    carom_model *m = load("chain", (const setting[]){{"w", .8}, {"e", 0}, {"d", .2}, {0}});
    carom_lyapunov_result r = measure(m, "tolerance", 1000);
    CHECK_NEAR(r.exponent[0], log(.52831323865), 1e-7);
    CHECK_NEAR(r.exponent[1], log(.37723130942), 1e-7);
    ck_assert(r.exponent[2] == -INFINITY && r.exponent[3] == -INFINITY);
    ck_assert_str_eq(r.flag, "rest");
    carom_model_free(m);
    m = load("chain", (const setting[]){{"w", .5}, {"e", .3}, {"d", .3}, {0}}); /* chatter */
    r = measure(m, "tolerance", 1000);
    double size = log(hypot(.03182968126, .03011847825));
    CHECK_NEAR(r.exponent[0], size, 1e-6);
    CHECK_NEAR(r.exponent[1], size, 1e-6);
    ck_assert(r.exponent[2] == -INFINITY && r.exponent[3] == -INFINITY);
    carom_model_free(m);
}
END_TEST

START_TEST(joints_take_two_exponents_each_and_a_free_model_counts_units_of_time)
{
    carom_model *m = load("pendulum-wall-cartesian", NULL);
    const carom_lyapunov_result r = measure(m, "tolerance", 30);
    ck_assert_int_eq(r.n, 2);
    CHECK_NEAR(r.per, 1, 0);
    CHECK_AT_MOST(r.sum_rule_defect, 1e-7);
    carom_model_free(m);
}
END_TEST

START_TEST(fewer_exponents_are_the_largest_of_all)
{
    carom_model *m = load("chain", NULL);
    carom_lyapunov_request request = carom_lyapunov_request_default();
    carom_lyapunov_result all = measure(m, "tolerance", 200), few;
    carom_error error = {0};
    const carom_options options = with("tolerance", m, 100);
    request.length = 200;
    request.exponents = 2;
    CHECK_OK(carom_lyapunov_run(m, &options, &request, &few, &error), error);
    ck_assert_int_eq(few.n, 2);
    CHECK_NEAR(few.exponent[0], all.exponent[0], 2e-2); /* other columns to begin with */
    ck_assert(isnan(few.sum_rule_defect));
    carom_model_free(m);
}
END_TEST

START_TEST(a_worker_gives_the_same_bits_when_it_is_used_again)
{
    carom_model *m = load("impact-oscillator", NULL);
    const carom_options options = with("tolerance", m, 100);
    const carom_lyapunov_request request = {.size = sizeof request, .length = 50, .transient = 30};
    carom_lyapunov *l;
    carom_lyapunov_result a, b, c;
    carom_error error = {0};
    const double p[] = {2.5, .05, .5, 0, 1};
    CHECK_OK(carom_lyapunov_new(&l, m, &options, &request, &error), error);
    CHECK_OK(carom_lyapunov_follow(l, NULL, NULL, NULL, &a, &error), error);
    CHECK_OK(carom_lyapunov_follow(l, NULL, NULL, p, &b, &error), error);
    CHECK_OK(carom_lyapunov_follow(l, NULL, NULL, NULL, &c, &error), error);
    ck_assert(a.exponent[0] == c.exponent[0] && a.exponent[1] == c.exponent[1] && a.error[0] == c.error[0]);
    CHECK_NEAR(b.exponent[0], -.81881089, 0.05);
    carom_lyapunov_free(l);
    carom_model_free(m);
}
END_TEST

enum { STARTS_MOST = 9 };
typedef struct started {
    carom_lyapunov_result each[STARTS_MOST], mean;
} started;

static started measure_starts(const carom_model *m, int starts, int seed, int threads, long length, long transient)
{
    started result;
    carom_error error = {0};
    const carom_options options = with("tolerance", m, 100);
    const carom_lyapunov_request request = {.size = sizeof request, .length = length, .transient = transient};
    CHECK_OK(carom_lyapunov_starts(m, &options, &request, starts, seed, threads, result.each, &result.mean, &error),
             error);
    return result;
}

START_TEST(several_starts_give_the_same_bits_on_any_number_of_threads)
{
    enum { STARTS = 5 };
    carom_model *m = load("impact-oscillator", NULL);
    started on[3];
    double sum = 0;
    for (int k = 0; k < 3; k++)
        on[k] = measure_starts(m, STARTS, 7, k + 1, 200, 50);
    for (int i = 0; i < STARTS; i++) {
        double x = on[0].each[i].exponent[0];
        ck_assert(x == on[1].each[i].exponent[0] && x == on[2].each[i].exponent[0]);
        ck_assert(i == 0 || x != on[0].each[i - 1].exponent[0]);
        sum += x;
    }
    ck_assert(on[0].mean.exponent[0] == on[1].mean.exponent[0] && on[0].mean.error[1] == on[2].mean.error[1]);
    CHECK_NEAR(on[0].mean.exponent[0], sum / STARTS, 1e-14);
    ck_assert_int_eq(on[0].mean.length, 200 * STARTS);
    carom_model_free(m);
}
END_TEST

START_TEST(many_starts_in_lanes_agree_with_starts_one_by_one)
{
    enum { STARTS = 9 };
    carom_model *m = load("impact-oscillator", P1);
    const double exact = -.05 * m->period + log(.5);
    const started one = measure_starts(m, STARTS, 1, 1, 2000, 100), two = measure_starts(m, STARTS, 1, 2, 2000, 100);
    for (int i = 0; i < STARTS; i++) {
        const carom_lyapunov_result *r = &one.each[i];
        CHECK_NEAR(r->exponent[0], exact, 1e-8);
        CHECK_NEAR(r->exponent[1], exact, 1e-8);
        CHECK_NEAR(r->impacts, 1, 0);
        CHECK_AT_MOST(r->sum_rule_defect, 1e-7);
        ck_assert(r->regular && r->length == 2000);
        ck_assert(r->exponent[0] == two.each[i].exponent[0] && r->error[1] == two.each[i].error[1]);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(starts_in_lanes_that_come_to_rest_are_flagged)
{
    carom_model *m = load("vibrating-table", (const setting[]){{"g", 1}, {"w", 1}, {"A", 1.2}, {"e", .3}, {0}});
    const started s = measure_starts(m, 8, 1, 2, 20, 20);
    ck_assert(s.mean.exponent[0] == -INFINITY);
    ck_assert_str_eq(s.mean.flag, "rest");
    carom_model_free(m);
}
END_TEST

static bool until_80(void *user, long done)
{
    *(long *)user = done;
    return done < 80;
}

START_TEST(an_interrupted_run_has_the_result_of_what_was_measured)
{
    carom_model *m = load("impact-oscillator", NULL);
    const carom_options options = with("tolerance", m, 100);
    long done = 0;
    const carom_lyapunov_request request = {.size = sizeof request, .length = 1000000, .transient = 30,
                                            .go_on = until_80, .user = &done};
    carom_lyapunov_result r, shorter;
    carom_error error = {0};
    ck_assert_int_eq(carom_lyapunov_run(m, &options, &request, &r, &error), CAROM_INTERRUPTED);
    ck_assert_int_eq(r.length, 50);
    ck_assert_int_eq(done, 80);
    const carom_lyapunov_request same = {.size = sizeof same, .length = 50, .transient = 30};
    CHECK_OK(carom_lyapunov_run(m, &options, &same, &shorter, &error), error);
    ck_assert(r.exponent[0] == shorter.exponent[0]);
    carom_model_free(m);
}
END_TEST

START_TEST(requests_that_make_no_sense_are_refused)
{
    carom_model *m = load("impact-oscillator", NULL);
    carom_options options = with("tolerance", m, 100);
    carom_lyapunov_request request = {.size = sizeof request, .length = -1};
    carom_lyapunov_result r;
    carom_error error = {0};
    ck_assert_int_eq(carom_lyapunov_run(m, &options, &request, &r, &error), CAROM_BAD_ARGUMENT);
    request = (carom_lyapunov_request){.size = sizeof(carom_lyapunov_request), .method = CAROM_LYAPUNOV_PERTURBATION,
                                       .epsilon = -1};
    ck_assert_int_eq(carom_lyapunov_run(m, &options, &request, &r, &error), CAROM_BAD_ARGUMENT);
    request = (carom_lyapunov_request){.size = sizeof(carom_lyapunov_request)};
    CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
    ck_assert_int_eq(carom_lyapunov_run(m, &options, &request, &r, &error), CAROM_UNSUPPORTED);
    carom_model_free(m);
}
END_TEST

TEST_MAIN_MODELS("lyapunov", chaotic_spectra_agree_with_the_references_within_their_error_bars,
                 error_bars_of_short_chaotic_runs_cover_the_long_ones,
                 error_bars_of_short_regular_runs_cover_the_exact_exponents,
                 impacts_per_period_agree_with_the_references, both_exponents_of_a_complex_pair_are_exact_to_1e_8,
                 the_sum_rule_holds_to_1e_9_with_exact_and_to_10_rtol_with_tolerance,
                 the_sum_of_exponents_is_the_closed_form, a_ball_that_comes_to_rest_has_exponents_of_minus_infinity,
                 directions_that_survive_a_closing_have_the_multipliers_that_remain,
                 joints_take_two_exponents_each_and_a_free_model_counts_units_of_time,
                 fewer_exponents_are_the_largest_of_all, a_worker_gives_the_same_bits_when_it_is_used_again,
                 several_starts_give_the_same_bits_on_any_number_of_threads,
                 many_starts_in_lanes_agree_with_starts_one_by_one, starts_in_lanes_that_come_to_rest_are_flagged,
                 an_interrupted_run_has_the_result_of_what_was_measured, requests_that_make_no_sense_are_refused)
