/* test_fit.c: carom_fit_run against motion that was computed with known values. */
#include "fit_testing.h"
#include "testing.h"

static const char *const names[] = {"e", "g", "q.y"};
static const double truth[] = {0.83, 9.7, 0.62};
static const char *const height[] = {"y"};

static void expect_values(const carom_fit *f, const double *known, double tolerance)
{
    for (int k = 0; k < f->n; k++)
        CHECK_NEAR(f->value[k], known[k], tolerance);
}

START_TEST(values_come_back_to_1e8_through_impacts_and_gaps_in_the_data)
{
    for (size_t missing = 0; missing <= 3; missing += 3) {
        measured_motion m;
        carom_fit *f;
        carom_error error = {0};
        ck_assert_int_eq(measure_motion(&m, "bouncing-ball", names, truth, 3, 1, 60, 2, 0, 0, missing), CAROM_OK);
        CHECK_OK(fit_motion(&f, &m, "bouncing-ball", names, NULL, 3, height, 1, false, 1, &error), error);
        ck_assert(f->converged && f->rank == 3);
        ck_assert(f->used == (missing ? 40 : 60));
        expect_values(f, truth, 1e-8);
        carom_fit_free(f);
        forget_motion(&m);
    }
}
END_TEST

START_TEST(friction_comes_back_from_stick_and_slip)
{
    static const char *const which[] = {"mu", "v.x"}, *const of[] = {"x"};
    static const double known[] = {0.23, 1.7};
    measured_motion m;
    carom_fit *f;
    carom_error error = {0};
    ck_assert_int_eq(measure_motion(&m, "sliding-block", which, known, 2, 1, 40, 1.5, 0, 0, 0), CAROM_OK);
    CHECK_OK(fit_motion(&f, &m, "sliding-block", which, NULL, 2, of, 1, false, 1, &error), error);
    expect_values(f, known, 1e-8);
    carom_fit_free(f);
    forget_motion(&m);
}
END_TEST

START_TEST(friction_and_radius_come_back_from_a_ball_that_turns_in_space)
{
    static const char *const which[] = {"mu", "r"}, *const of[] = {"ball.x", "ball.y"};
    static const double known[] = {0.09, 0.12};
    static const char model[] = "models/bodies/bowling-ball.yaml";
    measured_motion m;
    carom_fit *f;
    carom_error error = {0};
    ck_assert_int_eq(measure_motion(&m, model, which, known, 2, 2, 40, 1.5, 0, 0, 0), CAROM_OK);
    CHECK_OK(fit_motion(&f, &m, model, which, NULL, 2, of, 2, false, 1, &error), error);
    expect_values(f, known, 1e-8);
    carom_fit_free(f);
    forget_motion(&m);
}
END_TEST

START_TEST(a_start_with_other_impacts_finds_its_way_by_the_sequence)
{
    static const double far[] = {0.5, 10, 0.2};
    measured_motion m;
    carom_fit *plain, *sequence;
    carom_error error = {0};
    ck_assert_int_eq(measure_motion(&m, "bouncing-ball", names, truth, 3, 1, 100, 2, 0, 0, 0), CAROM_OK);
    ck_assert_int_eq(fit_motion(&plain, &m, "bouncing-ball", names, far, 3, height, 1, false, 1, &error), CAROM_OK);
    ck_assert_int_eq(fit_motion(&sequence, &m, "bouncing-ball", names, far, 3, height, 1, true, 1, &error), CAROM_OK);
    ck_assert(fabs(plain->value[1] - truth[1]) > 1); /* it is a hard start: from it alone another minimum is found */
    expect_values(sequence, truth, 1e-8);
    carom_fit_free(plain), carom_fit_free(sequence);
    forget_motion(&m);
}
END_TEST

START_TEST(intervals_cover_the_truth)
{
    enum { TRIALS = 40 };
    int covered = 0;
    double variance = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        measured_motion m;
        carom_fit *f;
        carom_error error = {0};
        ck_assert_int_eq(measure_motion(&m, "bouncing-ball", names, truth, 3, 1, 40, 1.2, 0.003, trial + 1, 0),
                         CAROM_OK);
        CHECK_OK(fit_motion(&f, &m, "bouncing-ball", names, truth, 3, height, 1, false, 1, &error), error);
        for (int k = 0; k < 3; k++)
            covered += f->low[k] <= truth[k] && truth[k] <= f->high[k];
        variance += f->deviation[0] * f->deviation[0] / TRIALS;
        carom_fit_free(f);
        forget_motion(&m);
    }
    CHECK_NEAR(sqrt(variance) / 0.003, 1, 0.06);
    ck_assert_msg(covered >= 107 && covered <= 120, "%d of 120 intervals", covered); /* 114 expected, 3 deviations */
}
END_TEST

START_TEST(what_the_data_do_not_determine_is_told)
{
    static const char *const which[] = {"e", "m"};
    static const double known[] = {0.7, 1};
    measured_motion m;
    carom_fit *f;
    carom_error error = {0};
    ck_assert_int_eq(measure_motion(&m, "bouncing-ball", which, known, 2, 1, 40, 1.5, 0, 0, 0), CAROM_OK);
    ck_assert_int_eq(fit_motion(&f, &m, "bouncing-ball", which, NULL, 2, height, 1, false, 1, &error), CAROM_OK);
    CHECK_NEAR(f->value[0], 0.7, 1e-8);
    ck_assert(f->rank == 1 && isfinite(f->error[0]) && isnan(f->error[1]));
    carom_fit_free(f);
    m.t[3] = m.t[1];
    ck_assert(fit_motion(&f, &m, "bouncing-ball", which, NULL, 2, height, 1, false, 1, &error) == CAROM_BAD_ARGUMENT);
    ck_assert(f == NULL && strstr(error.text, "do not decrease"));
    forget_motion(&m);
}
END_TEST

TEST_MAIN_MODELS("fit", values_come_back_to_1e8_through_impacts_and_gaps_in_the_data,
                 friction_comes_back_from_stick_and_slip,
                 friction_and_radius_come_back_from_a_ball_that_turns_in_space,
                 a_start_with_other_impacts_finds_its_way_by_the_sequence, intervals_cover_the_truth,
                 what_the_data_do_not_determine_is_told)
