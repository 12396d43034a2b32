/* test_verify.c: a run compared with a more accurate one: the differences are those that can be worked out by hand. */
#include <string.h>

#include "analysis/verify.h"
#include "systems.h"
#include "testing.h"

static carom_options with(const char *scheme, double h, double t_end)
{
    carom_options o = carom_options_default();
    carom_error error = {0};
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h, o.t_end = t_end;
    return o;
}

/* The scheme of Kern falls too far: q_n = q(t_n) + f t_n h/2. The second run has a sixteenth of that. */
static double kern_difference(double f, double t, double h)
{
    return fabs(f) * t * h / 2 * 15 / 16;
}

START_TEST(the_difference_of_two_runs_with_fixed_steps_is_known)
{
    point_store store;
    const carom_model m = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    const carom_options o = with("kern", 0.01, 0.9);
    double e, allowed;
    carom_verify v = {.size = sizeof v, .error = &e, .allowed = &allowed};
    carom_error error = {0};
    CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
    ck_assert(v.fixed && !v.by_tolerance);
    CHECK_NEAR(v.h, 0.01 / 16, 1e-18);
    CHECK_NEAR(v.t_end, 0.9, 1e-14);
    CHECK_NEAR(e, kern_difference(-2, 0.9, 0.01), 1e-12);
}
END_TEST

static void stop_low(const carom_point *at, double *stop)
{
    stop[0] = at->q[0] < 0.9;
}

START_TEST(a_run_that_stops_early_is_compared_until_there)
{
    point_store store;
    carom_model m = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    const carom_options o = with("kern", 0.01, 1000);
    double e, allowed;
    carom_verify v = {.size = sizeof v, .error = &e, .allowed = &allowed};
    carom_error error = {0};
    m.stop = stop_low; /* 1 - t^2 < 0.9: after 0.32 of 1000 */
    CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
    CHECK_NEAR(v.t_end, sqrt(0.1), 0.012);
    CHECK_NEAR(e, kern_difference(-2, v.t_end, 0.01), 0.05 * e);
    CHECK_AT_LEAST(e, 1e-3);
}
END_TEST

START_TEST(tolerances_are_judged_and_steps_chosen_otherwise_are_not)
{
    point_store store;
    const carom_model m = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    carom_options o = with("tolerance", 0, 5);
    double e, allowed;
    carom_verify v = {.size = sizeof v, .error = &e, .allowed = &allowed};
    carom_error error = {0};
    o.rtol = o.atol = 1e-6;
    CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
    ck_assert(v.by_tolerance && !v.fixed);
    CHECK_NEAR(allowed, 2e-6, 1e-7); /* q reaches almost 1 again */
    CHECK_AT_MOST(e, 10 * allowed);
    CHECK_AT_LEAST(e, 1e-4 * allowed);
    o = with("moreau-jean:control=halving", 0.01, 5);
    CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
    ck_assert(!v.by_tolerance && !v.fixed);
    CHECK_NEAR(v.rtol, o.rtol / 100, 1e-20);
}
END_TEST

START_TEST(another_family_agrees_within_its_own_estimate_and_not_with_another_motion)
{
    point_store one, two;
    const carom_model m = point_model(&one, 1, 0, 10, 0.2, 0.5, 1, 0),
                      other = point_model(&two, 1, 0, 10, 0.2, 0.55, 1, 0);
    const char *const schemes[] = {"tolerance", "mixed", "moreau-jean", "schatzman-paoli", "dg-minus", "kern"};
    const char *const family[] = {"moreau-jean", "moreau-jean", "schatzman-paoli", "moreau-jean", "moreau-jean",
                                  "schatzman-paoli"};
    for (int k = 0; k < 6; k++) {
        carom_options o = with(schemes[k], 1e-3, 5);
        double e, allowed, apart, estimate;
        carom_verify v = {.size = sizeof v, .error = &e, .allowed = &allowed, .apart = &apart, .estimate = &estimate};
        carom_error error = {0};
        carom_sim *sim;
        carom_samples *samples;
        CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
        printf("%s: %s with %g is %.2e apart, estimate %.2e\n", schemes[k], v.family, v.family_h, apart, estimate);
        ck_assert_str_eq(v.family, family[k]);
        ck_assert(v.agrees && apart > 0 && estimate > 1e-5 && estimate < 1e-2);
        CHECK_OK(carom_sim_new(&sim, &other, &o, &error), error); /* bounces higher */
        CHECK_OK(carom_samples_new(&samples, sim, &other, &error), error);
        ck_assert_int_eq(carom_sim_run(sim, 5), CAROM_OK);
        v.size = sizeof v;
        CHECK_OK(carom_verify_against(&v, &m, carom_sim_options(sim), samples, &error), error);
        printf("    another motion: %.2e apart, estimate %.2e\n", apart, estimate);
        ck_assert(k > 0 || !v.agrees); /* the others claim no accuracy: they are as wrong as that */
        carom_sim_free(sim);
        carom_samples_free(samples);
    }
}
END_TEST

START_TEST(a_model_that_no_other_family_knows_is_noted)
{
    box_store box;
    carom_model corners = box_model(&box, 0.4, 0.3);
    corners.impacts = "sequential";
    const carom_options o = with("tolerance", 1e-3, 0.2);
    double room[12];
    carom_verify v = {.size = sizeof v, .error = room, .allowed = room + 3, .apart = room + 6, .estimate = room + 9};
    carom_error error = {0};
    CHECK_OK(carom_verify_run(&v, &corners, &o, &error), error);
    ck_assert_ptr_null(v.family);
    ck_assert_msg(strstr(v.family_note, "sequential"), "%s", v.family_note);
}
END_TEST

typedef struct patience {
    long asked, most;
    double t;
} patience;

static bool go_on(void *user, double t)
{
    patience *p = user;
    p->t = t;
    return ++p->asked < p->most;
}

START_TEST(the_second_run_asks_after_each_step_and_ends)
{
    point_store store;
    const carom_model m = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    const carom_options o = with("kern", 0.01, 0.9);
    double e, allowed;
    patience p = {.most = 100};
    carom_verify v = {.size = sizeof v, .error = &e, .allowed = &allowed, .go_on = go_on, .user = &p};
    carom_error error = {0};
    ck_assert_int_eq(carom_verify_run(&v, &m, &o, &error), CAROM_INTERRUPTED);
    ck_assert_int_eq(p.asked, 100);
    CHECK_NEAR(p.t, 100 * 0.01 / 16, 1e-12);
    ck_assert_msg(strstr(error.text, "t = 0.0625"), "%s", error.text);
    p = (patience){.most = 1000000};
    CHECK_OK(carom_verify_run(&v, &m, &o, &error), error);
    ck_assert_int_eq(p.asked, 90 * 16); /* the first run does not ask */
}
END_TEST

START_TEST(samples_of_a_run_under_way_give_the_same_as_a_run_for_the_purpose)
{
    point_store store;
    const carom_model m = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    const carom_options o = with("moreau-jean", 0.003, 5);
    double e[2], allowed[2];
    carom_verify a = {.size = sizeof a, .error = &e[0], .allowed = &allowed[0]}, b = {.size = sizeof b, .error = &e[1],
                      .allowed = &allowed[1]};
    carom_error error = {0};
    carom_sim *sim;
    carom_samples *samples;
    CHECK_OK(carom_sim_new(&sim, &m, &o, &error), error);
    CHECK_OK(carom_samples_new(&samples, sim, &m, &error), error);
    CHECK_OK(carom_sim_run(sim, 5), error);
    CHECK_OK(carom_verify_against(&a, &m, carom_sim_options(sim), samples, &error), error);
    CHECK_OK(carom_verify_run(&b, &m, &o, &error), error);
    ck_assert(e[0] == e[1] && a.t_end == b.t_end);
    CHECK_AT_LEAST(e[0], 1e-5);
    carom_sim_free(sim);
    carom_samples_free(samples);
}
END_TEST

TEST_MAIN("verification of runs", the_difference_of_two_runs_with_fixed_steps_is_known,
          a_run_that_stops_early_is_compared_until_there, tolerances_are_judged_and_steps_chosen_otherwise_are_not,
          another_family_agrees_within_its_own_estimate_and_not_with_another_motion,
          a_model_that_no_other_family_knows_is_noted,
          the_second_run_asks_after_each_step_and_ends,
          samples_of_a_run_under_way_give_the_same_as_a_run_for_the_purpose)
