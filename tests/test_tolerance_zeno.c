/* test_tolerance_zeno.c: infinitely many impacts in finite time end when they must, and nothing hangs or falls
 * through. */
#include "tolerance_testing.h"

static const char point[] =
    "carom: 1\nparameters: {m: 1, k: 0, c: 0, f: -2, e: 0.5}\ncoordinates: {q: 1}\nkinetic: m*q'^2/2\n"
    "forces: {q: \"f - k*q - c*q'\"}\ncontacts:\n  floor: {gap: q, restitution: e}\nrun: {t_end: 5}\n";

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

static carom_model *parsed(void)
{
    return parse(point);
}

/* Falls for 1, then flights of 2 e^n: they accumulate at 1 + 2 e/(1 - e). */
START_TEST(a_ball_comes_to_rest_when_its_impacts_accumulate)
{
    static const double e[] = {0.05, 0.3, 0.5, 0.8, 0.95, 0.99, 0.999};
    carom_model *model = parsed();
    carom_error error;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            double T = 1 + 2 * e[i] / (1 - e[i]), tol = tolerances[k];
            CHECK_OK(carom_model_set(model, &(const char *){"e"}, &e[i], 1, &error), error);
            run r = begin(model, "tolerance", tol, 0, 1.1 * T);
            ck_assert_msg(carom_sim_run(r.sim, 1.1 * T) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            const carom_info *info = carom_sim_info(r.sim);
            ck_assert_int_eq(info->nzeno, 1);
            CHECK_NEAR(info->zeno[0].t, T, 10 * tol * T / (1 - e[i]));
            ck_assert_int_eq(carom_sim_state(r.sim)->mode[0], CAROM_CLOSED);
            CHECK_AT_MOST((double)info->rhs_evaluations, 1e6);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

static double uniform(unsigned long *state, double low, double high) /* the same numbers everywhere */
{
    *state = (*state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return low + (high - low) * (double)*state / 2147483648.0;
}

START_TEST(a_thousand_random_balls_and_oscillators_end_above_the_floor)
{
    unsigned long s = 1;
    carom_model *model = parsed();
    carom_error error;
    for (int i = 0; i < 1000; i++) {
        double m = pow(10, uniform(&s, -1, 1)), k = i % 2 ? pow(10, uniform(&s, -1, 3)) : 0,
               c = uniform(&s, 0, 0.2) * sqrt(k * m), f = i % 2 ? uniform(&s, -20, 20) : -pow(10, uniform(&s, -1, 2)),
               e = uniform(&s, 0, i % 10 ? 0.95 : 0.999), q = pow(10, uniform(&s, -2, 1)), v = uniform(&s, -5, 5),
               tol = pow(10, -floor(uniform(&s, 3, 10)));
        CHECK_OK(carom_model_set(model, (const char *const[]){"m", "k", "c", "f", "e", "q.q", "v.q"},
                                 (const double[]){m, k, c, f, e, q, v}, 7, &error),
                 error);
        run r = begin(model, "tolerance", tol, 0, 10);
        ck_assert_msg(carom_sim_run(r.sim, 10) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
        CHECK_AT_LEAST(carom_sim_state(r.sim)->q[0], -1e-12);
        CHECK_AT_MOST((double)carom_sim_info(r.sim)->rhs_evaluations, 1e6);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

static const char *const specs[] = {"tolerance", "mixed:rk=radau5", "mixed:rk=erk4"};

/* Two balls far above approach each other slowly: no reason for the one on the floor to go on bouncing. */
START_TEST(an_impact_elsewhere_much_later_does_not_keep_a_ball_from_coming_to_rest)
{
    carom_model *model = parse("carom: 1\ncoordinates: {a: 0.05, b: 1, c: 1.2}\nvelocities: {b: 1}\n"
                               "kinetic: a'^2/2 + b'^2/2 + c'^2/2\npotential: 10*a + 2*b\ncontacts:\n"
                               "  floor: {gap: a, restitution: 0.3}\n  far: {gap: c - b, restitution: 0.7}\n");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            run r = begin(model, specs[i], tolerances[k], i ? 0.01 : 0, 1);
            ck_assert_msg(carom_sim_run(r.sim, 1) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            ck_assert_int_eq(carom_sim_info(r.sim)->nzeno, 1);
            CHECK_NEAR(carom_sim_info(r.sim)->zeno[0].t, 0.1 * 1.3 / 0.7, 1e-2 * tolerances[0]);
            ck_assert_int_eq(carom_sim_state(r.sim)->mode[0], CAROM_CLOSED);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

/* A gap between large numbers is never exactly 0: bounces below its rounding are over, whatever the tolerance is. */
START_TEST(a_ball_on_a_high_floor_comes_to_rest)
{
    carom_model *model = parse("carom: 1\ncoordinates: {y: 1000.05}\nkinetic: y'^2/2\npotential: 10*y\n"
                               "contacts:\n  floor: {gap: y - 1000, restitution: 0.5}\n");
    for (int i = 0; i < 3; i++) {
        run r = begin(model, specs[i], 1e-15, i ? 1e-3 : 0, 1);
        ck_assert_msg(carom_sim_run(r.sim, 1) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        ck_assert_int_eq(carom_sim_state(r.sim)->mode[0], CAROM_CLOSED);
        CHECK_AT_MOST((double)carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], 30);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

/* More accumulations than are listed, all at once and one after the other: the first are listed, all balls rest. */
START_TEST(twenty_balls_come_to_rest)
{
    enum { N = 20 };
    for (int apart = 0; apart < 2; apart++) {
        char text[4000];
        int n = snprintf(text, sizeof text, "carom: 1\ncoordinates: {");
        for (int i = 0; i < N; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%sy%d: %g", i ? ", " : "", i, 1 + 0.1 * apart * i);
        n += snprintf(text + n, sizeof text - (size_t)n, "}\nkinetic: (");
        for (int i = 0; i < N; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%sy%d'^2", i ? " + " : "", i);
        n += snprintf(text + n, sizeof text - (size_t)n, ")/2\npotential: 2*(");
        for (int i = 0; i < N; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%sy%d", i ? " + " : "", i);
        n += snprintf(text + n, sizeof text - (size_t)n, ")\ncontacts:\n");
        for (int i = 0; i < N; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "  c%d: {gap: y%d, restitution: 0.5}\n", i, i);
        carom_model *model = parse(text);
        run r = begin(model, "tolerance", 1e-6, 0, 6);
        ck_assert_msg(carom_sim_run(r.sim, 6) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        const carom_info *info = carom_sim_info(r.sim);
        ck_assert_int_eq(info->nzeno, N);
        ck_assert_str_eq(carom_sim_note(r.sim), "");
        for (int i = 0; i < CAROM_ZENO_MAX; i++) /* flights of 2 sqrt(y) e^n */
            CHECK_NEAR(info->zeno[i].t, 3 * sqrt(1 + 0.1 * apart * info->zeno[i].contact), 1e-4);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(carom_sim_state(r.sim)->q[i], 0, 1e-9);
        end(&r);
        carom_model_free(model);
    }
}
END_TEST

TEST_MAIN_MODELS("tolerance, accumulations", twenty_balls_come_to_rest,
                 a_ball_comes_to_rest_when_its_impacts_accumulate,
                 a_thousand_random_balls_and_oscillators_end_above_the_floor,
                 an_impact_elsewhere_much_later_does_not_keep_a_ball_from_coming_to_rest,
                 a_ball_on_a_high_floor_comes_to_rest)
