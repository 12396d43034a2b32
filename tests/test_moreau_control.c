/* test_moreau_control.c: steps of moreau-jean chosen by an estimate of the error: work and errors, the forms that
 * fail as printed, limits. */
#include "control_testing.h"

typedef struct errors { /* of q at all nodes, the middles of steps too */
    exact_solution *exact;
    double most, sum;
    long rhs, steps, rejected;
    double longest, ratio, before; /* steps: the longest, the most that one exceeds the one before */
} errors;

static void measure(void *user, const carom_segment *s)
{
    errors *e = user;
    double q, v, end = s->q0[0] + s->xi[0] + s->xi[1], h = s->t1 - s->t0;
    e->exact(s->t1, &q, &v);
    e->most = fmax(e->most, fabs(end - q));
    e->sum += h * fabs(end - q);
    e->longest = fmax(e->longest, h);
    if (e->before > 0)
        e->ratio = fmax(e->ratio, h / e->before);
    e->before = h;
}

static errors run(const carom_model *model, exact_solution *solution, const char *control, const char *fields, double h,
                  double tol)
{
    errors e = {.exact = solution};
    carom_sim *sim = start(model, control, fields, h, tol);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &e, .segment = measure});
    RUN(sim, 5);
    const carom_info *i = carom_sim_info(sim);
    e.rhs = i->rhs_evaluations, e.steps = i->steps, e.rejected = i->rejected;
    printf("%-14s %-16s tol %.0e: %6ld evaluations, %5ld steps, %5ld rejected, max e_q %.1e, L1 %.1e\n", control,
           fields, tol, e.rhs, e.steps, e.rejected, e.most, e.sum);
    carom_sim_free(sim);
    return e;
}

static exact_solution *const exact[] = {exact_ball, exact_oscillator};

/* ---- work and precision ---- */

/* Numbers of an independent program: the ball by its largest error, the oscillator in L1. */
START_TEST(work_and_errors_at_a_tolerance_of_1e_10_are_those_of_an_independent_program)
{
    static const struct { const char *control; double rhs[2], error[2]; } known[] = {
        {"coordinates", {3078, 53364}, {2.1e-10, 2.4e-7}},
        {"variable-order", {3078, 30012}, {2.1e-10, 3.3e-7}},
        {"indicator", {1010, 10932}, {2.4e-10, 1.1e-6}},
        {"none", {100003, 100003}, {1.3e-4, 2.0e-4}},
    };
    point_store store[2];
    carom_model model[2];
    two_models(store, model);
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 2; m++) {
            double h = k == 3 ? 5.0 / 100003 : 5e-3;
            errors e = run(&model[m], exact[m], known[k].control, "", h, 1e-10);
            double error = m == 0 ? e.most : e.sum;
            CHECK_NEAR((double)e.rhs, known[k].rhs[m], 0.2 * known[k].rhs[m]);
            CHECK_AT_LEAST(error, 0.5 * known[k].error[m]);
            CHECK_AT_MOST(error, 2 * known[k].error[m]);
        }
}
END_TEST

/* Local errors of tol in steps of tol^(1/3) add up to tol^(2/3); the ball has no errors but those of its impacts. */
START_TEST(errors_follow_the_tolerance)
{
    point_store store[2];
    carom_model model[2];
    two_models(store, model);
    for (int k = 0; k < CONTROLS; k++)
        for (int m = 0; m < 2; m++) {
            enum { N = 7 };
            double tol[N], most[N];
            for (int i = 0; i < N; i++) {
                tol[i] = pow(10, -4 - i);
                most[i] = run(&model[m], exact[m], controls[k], "", 5e-3, tol[i]).most;
            }
            double slope = fitted_order(N, tol, most);
            printf("%-14s model %d: error as tol^%.2f\n", controls[k], m, slope);
            CHECK_NEAR(slope, m == 0 ? 1 : 2.0 / 3, 0.07);
            if (m == 0)
                for (int i = 0; i < N; i++)
                    CHECK_AT_MOST(most[i], 5 * tol[i]);
        }
}
END_TEST

START_TEST(any_start_and_any_alpha_lead_to_the_tolerance)
{
    static const char *const fields[] = {"", ":theta=0.6", ":alpha=0.9", ":alpha_min=0.2:alpha_max=2"};
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++)
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
            for (int i = 0; i < 3; i++) {
                store.q = 1, store.v = 0;
                errors e = run(&ball, exact_ball, controls[k], fields[f], 0.0137 * pow(3.3, i), 1e-7);
                CHECK_AT_MOST(e.most, strstr(fields[f], "theta") ? 1e-3 : 1e-6);
            }
}
END_TEST

START_TEST(guarded_steps_are_the_same_for_every_gamma)
{
    static const char *const gamma[] = {":gamma=0", ":gamma=0.3", ":gamma=1"};
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++) {
        errors first = run(&ball, exact_ball, controls[k], "", 5e-3, 1e-7);
        for (int i = 0; i < 3; i++) {
            errors e = run(&ball, exact_ball, controls[k], gamma[i], 5e-3, 1e-7);
            ck_assert(e.rhs == first.rhs && e.most == first.most && e.sum == first.sum);
        }
    }
}
END_TEST

/* Both solutions overlook an impact, or see it alike. */
START_TEST(as_printed_the_error_does_not_depend_on_the_tolerance)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++)
        for (int i = 0; i < 7; i++) {
            errors e = run(&ball, exact_ball, controls[k], ":guarded=false", 5e-3, pow(10, -4 - i));
            CHECK_AT_LEAST(e.most, 1e-2);
            CHECK_AT_MOST(e.most, 2e-1);
        }
}
END_TEST

START_TEST(less_work_than_constant_steps_for_the_same_error)
{
    point_store store[2];
    carom_model model[2];
    two_models(store, model);
    for (int m = 0; m < 2; m++) {
        errors constant = run(&model[m], exact[m], "none", "", 5.0 / 10007, 0);
        for (int k = 0; k < CONTROLS; k++) {
            errors e = run(&model[m], exact[m], controls[k], "", 5e-3, m ? 1e-6 : 1e-4);
            CHECK_AT_MOST(e.most, constant.most);
            CHECK_AT_MOST((double)e.rhs, 0.4 * (double)constant.rhs);
        }
    }
}
END_TEST

/* ---- limits ---- */

START_TEST(steps_keep_their_limits)
{
    point_store store[2];
    carom_model model[2];
    two_models(store, model);
    for (int k = 0; k < CONTROLS; k++)
        for (int m = 0; m < 2; m++) {
            double halves = k == 3 ? 1 : 2;
            errors e = run(&model[m], exact[m], controls[k], "", 5e-3, 1e-6);
            CHECK_AT_MOST(e.longest * halves, 0.25 * (1 + 1e-12));
            CHECK_AT_MOST(e.ratio, 5 * (1 + 1e-6));
            e = run(&model[m], exact[m], controls[k], ":max_step=0.01:alpha_max=1.5", 0.02, 1e-6);
            CHECK_AT_MOST(e.longest * halves, 0.01 * (1 + 1e-12));
            CHECK_AT_MOST(e.ratio, 1.5 * (1 + 1e-6));
        }
}
END_TEST

/* A step that ends at the end of a piece is short; the next one is as long as it would have been. */
START_TEST(a_run_in_pieces_costs_one_step_for_each)
{
    enum { PIECES = 50 };
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1e3, 0); /* a flight without error */
    for (int k = 0; k < CONTROLS; k++) {
        carom_sim *sim = start(&ball, controls[k], ":max_step=0.1", 0.1, 1e-8);
        for (int i = 1; i <= PIECES; i++)
            RUN(sim, 0.1001 * i);
        CHECK_NEAR(carom_sim_state(sim)->t, 0.1001 * PIECES, 1e-12);
        CHECK_AT_MOST((double)carom_sim_info(sim)->steps, 2 * PIECES);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(time_is_summed_without_rounding)
{
    point_store store;
    carom_model still = point_model(&store, 1, 0, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++) {
        carom_sim *sim = start(&still, controls[k], ":max_step=0.1", 0.1, 1e-8);
        for (int i = 0; i < 10000; i++)
            STEP(sim);
        CHECK_NEAR(carom_sim_state(sim)->t, 1000, 2e-13); /* a plain sum of 0.1 is off by 1.6e-10 */
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(a_tolerance_below_rounding_is_refused_and_the_state_stays)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++) {
        carom_sim *sim = start(&ball, controls[k], "", 5e-3, 1e-19);
        ck_assert_int_eq(carom_sim_run(sim, 5), CAROM_TOLERANCE);
        ck_assert_msg(strstr(carom_sim_error(sim)->text, "atol") != NULL, "%s", carom_sim_error(sim)->text);
        const carom_state *s = carom_sim_state(sim);
        double q = s->q[0], v = s->v[0], t = s->t;
        ck_assert_int_eq(carom_sim_step(sim), CAROM_TOLERANCE);
        ck_assert(s->q[0] == q && s->v[0] == v && s->t == t);
        carom_sim_free(sim);
    }
}
END_TEST

/* The forces of a step are those of its middle: the last one may end half its length later. */
START_TEST(a_force_that_is_not_finite_ends_the_run_where_it_begins)
{
    point_store store;
    carom_model ball = failing_ball(&store);
    for (int k = 0; k < CONTROLS; k++) {
        carom_sim *sim = start(&ball, controls[k], "", 5e-3, 1e-6);
        ck_assert_int_eq(carom_sim_run(sim, 5), CAROM_NOT_FINITE);
        ck_assert_msg(strstr(carom_sim_error(sim)->text, "not finite") != NULL, "%s", carom_sim_error(sim)->text);
        const carom_state *s = carom_sim_state(sim);
        CHECK_AT_LEAST(s->t, 0.5 - 1e-12);
        CHECK_AT_MOST(s->t, 0.5 + 0.125);
        CHECK_NEAR(s->q[0], 5 - 5 * s->t * s->t, 1e-12);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(controlled_steps_declare_no_order_in_h)
{
    carom_error error;
    carom_options o = carom_options_default();
    double smooth, impact;
    CHECK_OK(carom_options_set(&o, "scheme", "moreau-jean", &error), error);
    carom_scheme_orders(&o, &smooth, &impact);
    ck_assert(smooth == 2 && impact == 1);
    CHECK_OK(carom_options_set(&o, "scheme.control", "coordinates", &error), error);
    carom_scheme_orders(&o, &smooth, &impact);
    ck_assert(smooth == 0 && impact == 0);
}
END_TEST

/* Beside a ball that bounces by next to nothing a mass is pushed by a force that grows: h^3 |da/dt|/12 of (6) is the
 * same wherever a step without impact begins, if the change of the acceleration is divided by the time that it took:
 * the step that follows is as long as every other. */
#define SLIGHT 1e-7
static const double JERK = 3;
static void pushed_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = M[3] = 1, M[1] = M[2] = 0;
}

static void pushed_force(const carom_point *at, double *F)
{
    F[0] = JERK * at->t;
    F[1] = -100 * SLIGHT;
}

static void pushed_gap(const carom_point *at, double *g)
{
    g[0] = at->q[1];
}

START_TEST(after_an_impact_the_indicator_knows_how_long_ago_the_last_acceleration_was)
{
    static const carom_contact ground = {.name = "ground", .restitution = 0.8};
    static const double q[] = {0, SLIGHT}, v[] = {0, 0}, tol = 1e-6;
    const carom_model model = {.size = sizeof model, .name = "pushed", .nq = 2, .nv = 2, .ncontact = 1,
                               .contact = &ground, .q = q, .v = v, .constant = CAROM_MASS | CAROM_LAW,
                               .mass = pushed_mass, .force = pushed_force, .gap = pushed_gap};
    const double wanted = 0.9 * cbrt(12 * tol / JERK);                                         /* (2) and (6) */
    carom_sim *sim = start(&model, "indicator", ":alpha=0.9:alpha_max=1000:max_step=1", 1e-3, tol);
    int smooth = 0, after_impacts = 0;
    while (carom_sim_state(sim)->t < 0.9) {
        long hits = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], rejected = carom_sim_info(sim)->rejected;
        double before = carom_sim_state(sim)->t;
        STEP(sim);
        bool hit = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT] > hits;
        if (!hit && smooth > 0 && carom_sim_info(sim)->rejected == rejected && before > 0.1) {
            CHECK_NEAR((carom_sim_state(sim)->t - before) / wanted, 1, 1e-7);
            after_impacts += smooth == 1; /* the length is what the first step after an impact has asked for */
        }
        smooth = hit ? 0 : smooth + 1;
    }
    printf("indicator: %d steps after impacts are as long as the others\n", after_impacts);
    CHECK_AT_LEAST(after_impacts, 3);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("moreau-jean, chosen steps", work_and_errors_at_a_tolerance_of_1e_10_are_those_of_an_independent_program,
          errors_follow_the_tolerance, any_start_and_any_alpha_lead_to_the_tolerance,
          guarded_steps_are_the_same_for_every_gamma, as_printed_the_error_does_not_depend_on_the_tolerance,
          less_work_than_constant_steps_for_the_same_error, steps_keep_their_limits, time_is_summed_without_rounding,
          a_run_in_pieces_costs_one_step_for_each, a_tolerance_below_rounding_is_refused_and_the_state_stays,
          a_force_that_is_not_finite_ends_the_run_where_it_begins, controlled_steps_declare_no_order_in_h,
          after_an_impact_the_indicator_knows_how_long_ago_the_last_acceleration_was)
