/* test_ensemble_progress.c: every job of an ensemble ends: what cannot go on fails, and nothing is repeated for
 * ever. */
#include <pthread.h>

#include "ensemble_testing.h"

#define FREE_BALL(e)                                                                                                   \
    "carom: 1\nparameters: {m: 1, e: " e "}\ncoordinates: {y: 5}\nmass: [[m]]\nforce: {y: -10*m}\n"                    \
    "contacts: {floor: {gap: y, restitution: e}}\n"

/* A step of length zero to the strobe was once followed by steps of length zero. */
START_TEST(impact_at_a_strobe_does_not_stop_time)
{
    NEEDS_MODELS;
    carom_model *m = parse(FREE_BALL("0.5"));
    for (double tol = 0; tol < 2e-6; tol += 1e-6) {
        plan *w = plan_of(m, MOST, 2, 0, 2);
        w->strobe = 1;
        for (int i = 0; i < w->n; i++)
            w->v[i][0] = 0.07 * (i - 40), w->q[i][0] = 5 - w->v[i][0]; /* falls for 1, flies for a while */
        run(w, m, tol);
        for (int i = 0; i < w->n; i++) { /* up and down with half the speed each time */
            double fall = 10 - w->v[i][0], u = 0.5 * fall, t = 1;
            for (; u / 5 < t; u *= 0.5)
                t -= u / 5;
            CHECK_NEAR(w->answer[i].q[0], t * (u - 5 * t), 1e-6);
        }
        free(w);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(period_that_is_not_finite_fails)
{
    NEEDS_MODELS;
    carom_model *m = load("impact-oscillator", false);
    for (double tol = 0; tol < 2e-6; tol += 1e-6) {
        plan *w = plan_of(m, 12, 2, 0, 2);
        w->with_p = true;
        for (int i = 0; i < w->n; i += 3)
            w->p[i][0] = 0; /* period 2 pi/w */
        attempt(w, m, tol);
        for (int i = 0; i < w->n; i++)
            ck_assert_int_eq(w->answer[i].status, i % 3 ? CAROM_OK : CAROM_NOT_FINITE);
        ck_assert_str_eq(w->answer[0].text, "the period of the model is not finite");
        free(w);
    }
    carom_model_free(m);
}
END_TEST

START_TEST(mass_that_is_not_positive_fails)
{
    NEEDS_MODELS;
    carom_model *m = parse(FREE_BALL("0.5"));
    for (double tol = 0; tol < 2e-6; tol += 1e-6) {
        plan *w = plan_of(m, 12, 2, 0, 2);
        w->with_p = true;
        for (int i = 0; i < w->n; i++)
            w->p[i][0] = i % 3 - 1;
        attempt(w, m, tol);
        for (int i = 0; i < w->n; i++)
            ck_assert_msg(w->answer[i].status == (i % 3 == 2 ? CAROM_OK : CAROM_SINGULAR_MASS), "mass %d: %s",
                          i % 3 - 1, w->answer[i].text);
        free(w);
    }
    carom_model_free(m);
}
END_TEST

/* y = 1 - t^2/2 until sqrt(y) ends; y = cosh(1000 t) until it is larger than any number. */
START_TEST(state_that_is_not_finite_fails)
{
    NEEDS_MODELS;
    carom_model *root = parse("carom: 1\ncoordinates: {y: 1}\nmass: [[1]]\nforce: {y: -1 + 1e-9*sqrt(y)}\n"
                              "contacts: {wall: {gap: y + 10, restitution: 0.5}}\n");
    carom_model *growth = parse("carom: 1\nparameters: {k: 1}\ncoordinates: {y: 1}\nmass: [[1]]\nforce: {y: k*y}\n"
                                "contacts: {wall: {gap: y + 10, restitution: 0.5}}\n");
    plan *w = plan_of(root, 9, 2, 0, 4);
    for (int i = 0; i < w->n; i++)
        w->v[i][0] = i == 4 ? 20 : 0;
    attempt(w, root, 1e-6);
    for (int i = 0; i < w->n; i++)
        ck_assert_msg((w->answer[i].status == CAROM_OK) == (i == 4), "start %d: %s", i, w->answer[i].text);
    free(w);
    for (double tol = 0; tol < 2e-6; tol += 1e-6) {
        w = plan_of(growth, 9, 0, 0, 4);
        w->with_p = true;
        for (int i = 0; i < w->n; i++)
            w->p[i][0] = i == 4 ? 1 : 1e6; /* e^(4000) */
        attempt(w, growth, tol);
        for (int i = 0; i < w->n; i++)
            ck_assert_msg((w->answer[i].status == CAROM_OK) == (i == 4), "growth %d: %s", i, w->answer[i].text);
        free(w);
    }
    carom_model_free(root);
    carom_model_free(growth);
}
END_TEST

/* ---- an end from outside ---- */

typedef struct race {
    carom_ensemble *ensemble;
    pthread_t other;
    bool begun;
} race;

static void *stop(void *user)
{
    carom_ensemble_interrupt(((race *)user)->ensemble);
    return NULL;
}

static bool only_one(void *user, carom_job *job)
{
    race *r = user;
    if (r->begun)
        return false;
    r->begun = true;
    *job = (carom_job){.strobe = 1e12, .strobes = 1};
    ck_assert_int_eq(pthread_create(&r->other, NULL, stop, r), 0);
    return true;
}

static void nothing(void *user, const carom_job_result *result)
{
    (void)user;
    ck_abort_msg("the job is over: %s", result->text);
}

START_TEST(simulation_on_its_way_to_a_strobe_is_interrupted)
{
    NEEDS_MODELS;
    const char *const kinds[] = {"stop: y > 7\n", "constraints: {hold: y - 5}\n"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", FREE_BALL("1"), kinds[k]);
        carom_model *m = parse(text);
        carom_error error;
        carom_options o = carom_options_default();
        CHECK_OK(carom_options_set(&o, "scheme.max_step", "0.01", &error), error);
        race r = {0};
        CHECK_OK(carom_ensemble_new(&r.ensemble, m, &o, 0, &error), error);
        const carom_ensemble_calls calls = {.user = &r, .next = only_one, .done = nothing};
        ck_assert_int_eq(carom_ensemble_run(r.ensemble, &calls), CAROM_INTERRUPTED);
        pthread_join(r.other, NULL);
        carom_ensemble_free(r.ensemble);
        carom_model_free(m);
    }
}
END_TEST

TEST_MAIN("progress of ensembles", impact_at_a_strobe_does_not_stop_time, period_that_is_not_finite_fails,
          mass_that_is_not_positive_fails, state_that_is_not_finite_fails,
          simulation_on_its_way_to_a_strobe_is_interrupted)
