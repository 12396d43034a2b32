/* test_tolerance_options.c: tolerances of single coordinates, the first and the longest step. */
#include "analysis/verify.h"
#include "tolerance_testing.h"

static carom_model *parse(const char *settings)
{
    char text[500];
    carom_error error = {0};
    carom_model *m;
    snprintf(text, sizeof text,
             "carom: 1\ncoordinates: {x: 1, yaw: 1e-6}\nmass: {x: 1, yaw: 1}\nforce: {x: -x, yaw: -4*yaw}\nrun: {%s}\n",
             settings);
    CHECK_OK(carom_model_parse(&m, "text", text, strlen(text), NULL, &error), error);
    return m;
}

static carom_options options_of(const carom_model *m, const char *key, const char *value)
{
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_from_model(&o, m, &error), error);
    if (key)
        CHECK_OK(carom_options_set(&o, key, value, &error), error);
    return o;
}

/* The largest error of the second coordinate, 1e-6 cos(2 t). */
static double error_of_yaw(const carom_model *m, const carom_options *o)
{
    carom_error error = {0};
    carom_sim *sim;
    double most = 0;
    CHECK_OK(carom_sim_new(&sim, m, o, &error), error);
    const carom_state *s = carom_sim_state(sim);
    while (s->t < 10) {
        ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
        most = fmax(most, fabs(s->q[1] - 1e-6 * cos(2 * s->t)));
    }
    carom_sim_free(sim);
    return most;
}

START_TEST(a_coordinate_has_a_tolerance_of_its_own)
{
    static const char *const forms[] = {"rtol: 0, atol: {yaw: 1e-12}", "rtol: 0, atol.yaw: 1e-12",
                                        "rtol: 0, atol: 1e-6, atol.yaw: 1e-12"};
    carom_model *plain = parse("rtol: 0");
    carom_options o = options_of(plain, NULL, NULL);
    o.t_end = 10;
    CHECK_AT_LEAST(error_of_yaw(plain, &o), 1e-11);
    for (int i = 0; i < 3; i++) {
        carom_model *m = parse(forms[i]);
        o = options_of(m, NULL, NULL);
        o.t_end = 10;
        ck_assert_str_eq(o.atol_of, "yaw=1e-12");
        CHECK_AT_MOST(error_of_yaw(m, &o), 3e-12);
        carom_model_free(m);
    }
    o = options_of(plain, "atol.yaw", "1e-12"); /* as by --set */
    o.t_end = 10;
    CHECK_AT_MOST(error_of_yaw(plain, &o), 3e-12);
    strcpy(o.scheme, "tolerance");
    CHECK_OK(carom_options_set(&o, "scheme", "tolerance:method=radau5", NULL), (carom_error){0});
    CHECK_AT_MOST(error_of_yaw(plain, &o), 1e-11);
    carom_model_free(plain);
}
END_TEST

START_TEST(later_values_replace_earlier_ones_and_verify_uses_them)
{
    carom_model *m = parse("rtol: 0, atol: {x: 1e-4, yaw: 1e-12}");
    carom_error error = {0};
    carom_options o = options_of(m, "atol.x", "1e-5");
    o.t_end = 10, o.h = 0.01;
    ck_assert_str_eq(o.atol_of, "yaw=1e-12 x=1e-05");
    double e[2], allowed[2];
    carom_verify v = {.size = sizeof v, .error = e, .allowed = allowed};
    CHECK_OK(carom_verify_run(&v, m, &o, &error), error);
    CHECK_NEAR(allowed[0], 1e-5, 0);
    CHECK_NEAR(allowed[1], 1e-12, 0);
    CHECK_AT_MOST(e[1], 3e-12);
    CHECK_AT_LEAST(e[1], 1e-14);
    carom_model_free(m);
}
END_TEST

START_TEST(no_tolerance_at_all_is_told_and_does_not_run_for_ever)
{
    carom_model *m = parse("rtol: 0, atol: 0");
    carom_error error = {0};
    carom_options o = options_of(m, "atol", "0");
    carom_sim *sim;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_TOLERANCE);
    ck_assert_msg(strstr(carom_sim_error(sim)->text, "without meeting rtol = 0, atol = 0"), "%s",
                  carom_sim_error(sim)->text);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(wrong_names_and_values_are_refused_with_the_nearest_name)
{
    carom_error error = {0};
    carom_model *m = parse("atol: {yow: 1e-9}");
    carom_options o = carom_options_default();
    ck_assert_int_eq(carom_options_from_model(&o, m, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, "did you mean 'yaw'") && strstr(error.text, "^"), "%s", error.text);
    carom_model_free(m);
    m = parse("rtol: 0");
    o = options_of(m, "atol.yow", "1e-9");
    carom_sim *sim;
    ck_assert_int_eq(carom_sim_new(&sim, m, &o, &error), CAROM_BAD_OPTION);
    ck_assert_msg(strstr(error.text, "did you mean 'yaw'"), "%s", error.text);
    ck_assert_int_eq(carom_options_set(&o, "atol.yaw", "-1", &error), CAROM_BAD_OPTION);
    ck_assert_int_eq(carom_options_set(&o, "atol.", "1", &error), CAROM_BAD_OPTION);
    char name[20];
    carom_status status = CAROM_OK;
    for (int i = 0; i < 100 && status == CAROM_OK; i++) {
        snprintf(name, sizeof name, "atol.q%d", i);
        status = carom_options_set(&o, name, "1e-9", &error);
    }
    ck_assert_int_eq(status, CAROM_BAD_OPTION); /* full: said, and nothing is lost */
    ck_assert_msg(strstr(o.atol_of, "q10=1e-09"), "%s", o.atol_of);
    carom_model_free(m);
}
END_TEST

START_TEST(the_first_and_the_longest_step_are_as_asked_for)
{
    static const struct { const char *scheme; double first;
    } cases[] = {{"tolerance", 0.01},
                 {"tolerance:first_step=0.003", 0.003},
                 {"tolerance:first_step=0.02", 0.02},
                 {"tolerance:max_step=0.004", 0.004}};
    carom_model *m = parse("rtol: 1e-3");
    for (int i = 0; i < 4; i++) {
        run r = begin(m, cases[i].scheme, 1e-3, 0.01, 10);
        ck_assert_int_eq(carom_sim_run(r.sim, 10), CAROM_OK);
        const carom_segment *s = carom_trajectory_segment(r.path, 0);
        CHECK_NEAR(s->t1 - s->t0, cases[i].first, 1e-15);
        double longest = 0;
        for (size_t k = 0; (s = carom_trajectory_segment(r.path, k)); k++)
            longest = fmax(longest, s->t1 - s->t0);
        if (i == 3)
            CHECK_NEAR(longest, 0.004, 1e-12);
        else
            CHECK_AT_LEAST(longest, 0.1);
        end(&r);
    }
    carom_model_free(m);
}
END_TEST

TEST_MAIN_MODELS("options of tolerance", a_coordinate_has_a_tolerance_of_its_own,
                 later_values_replace_earlier_ones_and_verify_uses_them,
                 no_tolerance_at_all_is_told_and_does_not_run_for_ever,
                 wrong_names_and_values_are_refused_with_the_nearest_name,
                 the_first_and_the_longest_step_are_as_asked_for)
