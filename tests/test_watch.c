/* test_watch.c: a value of the model that is no finite number, or a coefficient outside of its range, ends the run in
 * every scheme, with the name of the expression, the time and the state. */
#include <string.h>

#include "contact/watch.h"
#include "running.h"
#include "sim/sim.h"

#ifndef CAROM_NO_YAML
#define FALL "carom: 1\ncoordinates: {x: 0, y: 0.5}\nvelocities: {x: 3}\nmass: {x: 1, y: 1}\nforce: {x: 0, y: -10}\n"

static const struct ending {
    const char *text;
    carom_status status;
    double before; /* the last state that is right is not later */
    const char *what;
} endings[] = {
    {"carom: 1\ncoordinates: {x: 0, y: 1.5}\nvelocities: {x: 3}\nmass: {x: 1, y: 1}\nforce: {x: 0, y: -10}\n"
     "contacts: {bowl: {gap: 'y + sqrt(1 - x^2)', restitution: 0.9}}\n",
     CAROM_NOT_FINITE, 1.0 / 3, "the gap of contact 'bowl' is nan at t = "},
    {"carom: 1\ncoordinates: {x: 0, y: 6}\nmass: {x: 1, y: 1}\nforce: {x: 0, y: -10}\n"
     "contacts: {bowl: {gap: 'y + 0.001*log(1 - t)', restitution: 0.9}}\n",
     CAROM_NOT_FINITE, 1, "the gap of contact 'bowl' is "},
    {FALL "constraints: {line: 'x - 3*t + t^2*(0.3 - t)^3.5'}\n", CAROM_NOT_FINITE, 0.3,
     "constraint 'line' is nan at t = "},
    {FALL "contacts: {floor: {gap: y, restitution: 'sqrt(0.5 - x)'}}\n", CAROM_BAD_MODEL, 0.32,
     "restitution of contact 'floor' is nan at t = "},
    {FALL "contacts: {floor: {gap: y, restitution: '0.5 + x'}}\n", CAROM_BAD_MODEL, 0.32,
     "restitution of contact 'floor' is 1.4"},
    {"carom: 1\ncoordinates: {x: 0, y: 0}\nvelocities: {x: 3}\nmass: {x: 1, y: 1}\nforce: {x: 0, y: -10}\n"
     "contacts: {floor: {gap: y, restitution: 0, slip: [\"x'\"], friction: 'sqrt(0.5 - x)'}}\n",
     CAROM_BAD_MODEL, 0.25, "friction of contact 'floor' is nan at t = "},
    {"carom: 1\ncoordinates: {x: 0.5, y: 0.5}\nvelocities: {x: -1}\nmass: {x: 1, y: 1}\n"
     "force: {x: '0.01*log(x)', y: -10}\ncontacts: {floor: {gap: y, restitution: 0.5}}\n",
     CAROM_NOT_FINITE, 0.5, "the force on 'x' is nan at t = "},
    {"carom: 1\ncoordinates: {x: 0.5, y: 0.5}\nvelocities: {x: -1}\nmass: {x: 1, y: 'sqrt(x)'}\n"
     "force: {x: 0, y: -10}\ncontacts: {floor: {gap: y, restitution: 0.5}}\n",
     CAROM_NOT_FINITE, 0.5, "M(y, y) is nan at t = "},
};

static void check_ending(carom_sim *sim, const char *scheme, const struct ending *e)
{
    carom_status got = carom_sim_run(sim, 2);
    const char *text = carom_sim_error(sim)->text;
    printf("%s: %s\n", scheme, text);
    ck_assert_msg(got == e->status, "%s: %s: %s", scheme, carom_status_text(got), text);
    ck_assert_msg(strstr(text, e->what) != NULL, "%s: '%s' lacks '%s'", scheme, text, e->what);
    for (int i = 0; i < 4; i++) {
        static const char *const state[] = {" x = ", ", y = ", ", x' = ", ", y' = "};
        ck_assert_msg(strstr(text, state[i]) != NULL, "%s: '%s' lacks '%s'", scheme, text, state[i]);
    }
    CHECK_AT_MOST(carom_sim_state(sim)->t, e->before + 1e-9);
    ck_assert(isfinite(carom_sim_state(sim)->q[0]) && isfinite(carom_sim_state(sim)->q[1]));
}

START_TEST(every_scheme_names_the_value_the_time_and_the_state)
{
    int ran[CAROM_COUNT(endings)] = {0};
    for (int i = 0; i < CAROM_COUNT(endings); i++) {
        for (int k = 0; carom_scheme_list(k); k++) {
            const char *scheme = carom_scheme_list(k)->method.name;
            carom_error error;
            carom_model *model;
            carom_sim *sim;
            carom_options o = carom_options_default();
            CHECK_OK(carom_model_parse(&model, "test", endings[i].text, strlen(endings[i].text), NULL, &error), error);
            CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
            o.h = 0.01;
            carom_status status = carom_sim_new(&sim, model, &o, &error);
            if (status == CAROM_OK) {
                check_ending(sim, scheme, &endings[i]);
                ran[i]++;
            } else {
                ck_assert_msg(status == CAROM_UNSUPPORTED, "%s: %s", scheme, error.text);
            }
            carom_sim_free(sim);
            carom_model_free(model);
        }
        CHECK_AT_LEAST(ran[i], 8);
    }
}
END_TEST

START_TEST(a_step_alone_tells_it_too_and_leaves_the_state_alone)
{
    carom_error error;
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", endings[0].text, strlen(endings[0].text), NULL, &error), error);
    carom_sim *sim = start_scheme(model, "dg-minus", 0.01, true);
    carom_status status = CAROM_OK;
    long long evaluations = 0;
    double t = 0;
    for (int k = 0; k < 40 && status == CAROM_OK; k++) {
        evaluations = carom_sim_info(sim)->rhs_evaluations, t = carom_sim_state(sim)->t;
        status = carom_sim_step(sim);
    }
    ck_assert_int_eq(status, CAROM_NOT_FINITE);
    ck_assert(strstr(carom_sim_error(sim)->text, "'bowl' is nan at t = 0.34, x = 1.02") != NULL);
    ck_assert(carom_sim_state(sim)->t == t);
    long long more = carom_sim_info(sim)->rhs_evaluations - evaluations; /* of one attempt, not of two */
    carom_sim_restart(sim, NULL, NULL, NULL);
    STEP(sim);
    ck_assert_int_eq(more, carom_sim_info(sim)->rhs_evaluations);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

/* sqrt(1 + 2 y) - 1 closes at y = 0 and is none below y = -1/2, where steps of trial may lead. */
START_TEST(what_only_a_trial_meets_does_not_end_a_run)
{
    static const char text[] = "carom: 1\ncoordinates: {y: 0.5}\nmass: {y: 1}\nforce: {y: -10}\n"
                               "contacts: {floor: {gap: sqrt(1 + 2*y) - 1, restitution: 1}}\n";
    carom_error error;
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    carom_sim *sim = start_scheme(model, "tolerance", 0.1, false);
    RUN(sim, 4 * sqrt(0.1)); /* at the top again */
    CHECK_NEAR(carom_sim_state(sim)->q[0], 0.5, 1e-5);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

START_TEST(of_several_values_the_earliest_is_told)
{
    static const char text[] = "carom: 1\ncoordinates: {y: 0}\nmass: {y: 1}\nforce: {y: log(0.5 - t)}\n";
    static const double times[] = {2, 1, 3};
    carom_error error;
    carom_model *model;
    carom_watch watch;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    carom_sim *sim = start_scheme(model, "moreau-jean", 0.1, false);
    const carom_state *s = carom_sim_state(sim);
    carom_watch_begin(&watch, &sim->system);
    for (int i = 0; i < 3; i++)
        carom_system_eval(&sim->system, CAROM_MASS | CAROM_FORCE, times[i], s->q, s->v);
    ck_assert_int_eq(carom_watch_end(&watch, CAROM_NOT_CONVERGED, &error), CAROM_NOT_FINITE);
    ck_assert_msg(strstr(error.text, "the force on 'y' is nan at t = 1,") != NULL, "%s", error.text);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

START_TEST(a_stop_condition_that_is_not_a_number_is_an_error)
{
    static const char text[] = FALL "stop: 'sqrt(0.3 - x) - abs(sqrt(0.3 - x))'\n"; /* 0, then no number */
    carom_error error;
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    carom_sim *sim = start_scheme(model, "moreau-jean", 0.01, false);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NOT_FINITE);
    ck_assert_msg(strstr(carom_sim_error(sim)->text, "stop condition") != NULL, "%s", carom_sim_error(sim)->text);
    CHECK_NEAR(carom_sim_state(sim)->t, 0.1, 0.011);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("values that are not finite", every_scheme_names_the_value_the_time_and_the_state,
          a_step_alone_tells_it_too_and_leaves_the_state_alone, what_only_a_trial_meets_does_not_end_a_run,
          of_several_values_the_earliest_is_told, a_stop_condition_that_is_not_a_number_is_an_error)
#else
int main(void)
{
    return 77; /* the models are texts */
}
#endif
