/* test_mixed.c: the scheme `mixed`: Runge-Kutta steps of constant length that keep their order through events. */
#include <string.h>

#include "oscillator.h"
#include "core/tableau.h"
#include "stepping.h"

/* ---- order conditions: Phi(tree) = 1/gamma(tree) for all rooted trees --------------------------------------- */
enum { NODES = 6 };

/* Trees as sequences of levels (T. Beyer, S. M. Hedetniemi, SIAM J. Comput. 9 (1980) 706-712): the next one, or
 * false. */
static bool next_tree(int n, int *level)
{
    int p = n - 1, q;
    while (p > 0 && level[p] == 1)
        p--;
    if (p <= 0)
        return false;
    for (q = p - 1; level[q] != level[p] - 1; q--)
        ;
    for (int i = p; i < n; i++)
        level[i] = level[i - (p - q)];
    return true;
}

/* product over the children of node of sum_j a_ij Phi_j(child), and gamma; the size of the subtree. */
static int weights(const carom_tableau *T, int n, const int *level, int node, double *phi, double *gamma)
{
    int size = 1;
    for (int i = 0; i < T->stages; i++)
        phi[i] = 1;
    *gamma = 1;
    for (int k = node + 1; k < n && level[k] > level[node]; k++) {
        double below[CAROM_TABLEAU_STAGES], g;
        if (level[k] != level[node] + 1)
            continue;
        size += weights(T, n, level, k, below, &g);
        *gamma *= g;
        for (int i = 0; i < T->stages; i++)
            phi[i] *= carom_dot(T->stages, T->a[i], below);
    }
    *gamma *= size;
    return size;
}

/* The largest violation of a condition of this order; *trees: how many there are. */
static double violation(const carom_tableau *T, int order, int *trees)
{
    int level[NODES];
    double most = 0;
    *trees = 0;
    for (int i = 0; i < order; i++)
        level[i] = i;
    do {
        double phi[CAROM_TABLEAU_STAGES], gamma;
        ck_assert_int_eq(weights(T, order, level, 0, phi, &gamma), order);
        most = fmax(most, fabs(carom_dot(T->stages, T->b, phi) - 1 / gamma));
        ++*trees;
    } while (next_tree(order, level));
    return most;
}

START_TEST(every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next)
{
    static const int known[] = {0, 1, 1, 2, 4, 9, 20};
    char names[200] = "";
    for (int i = 0; carom_tableau_list(i); i++) {
        const carom_tableau *T = carom_tableau_list(i);
        int trees;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", T->name);
        for (int p = 1; p <= NODES; p++) {
            double most = violation(T, p, &trees);
            ck_assert_int_eq(trees, known[p]);
            ck_assert_msg(p > T->order || most < 1e-15, "%s: order %d violated by %g", T->name, p, most);
            ck_assert_msg(p != T->order + 1 || most > 1e-5, "%s: also of order %d", T->name, p);
        }
        for (int k = 0; k < T->stages; k++) {
            double sum = 0;
            for (int j = 0; j < T->stages; j++) {
                sum += T->a[k][j];
                ck_assert(T->implicit || j < k || T->a[k][j] == 0);
            }
            CHECK_NEAR(sum, T->c[k], 4e-16);
        }
    }
    ck_assert_str_eq(names, CAROM_TABLEAU_NAMES);
}
END_TEST

/* ---- through impacts ---------------------------------------------------------------------------------------- */
static void exact_elastic(double t, double *q, double *v) /* the oscillator of reference.h with e = 0.9 */
{
    const double a = 0.1, w = sqrt(10 - 0.01), first = (M_PI - atan(w / a)) / w;
    exact_oscillator(t, q, v);
    for (double at = first; t >= at; at += M_PI / w)
        *q *= 1.8, *v *= 1.8;
}

/* m = 1, c = .2, k = 10, a constant force -5 from 1, e = 1/2: impacts accumulate near 1.7367, then it rests. */
static void exact_resting(double t, double *q, double *v)
{
    const double a = 0.1, w = sqrt(10 - 0.01), c = -0.5;
    double x0 = 1 - c, v0 = 0, from = 0;
    for (int impacts = 0; impacts < 60; impacts++) {
        double B = (v0 + a * x0) / w, low = impacts ? 0 : 0.1, high;
        /* the velocity vanishes once, then the mass falls to 0: bracket behind the apex */
        double apex = impacts ? atan2(v0, (a * v0 + 10 * x0) / w) / w : 0.1;
        low = apex, high = apex + 0.75 * M_PI / w;
        for (int k = 0; k < 200; k++) {
            double s = 0.5 * (low + high);
            *(c + exp(-a * s) * (x0 * cos(w * s) + B * sin(w * s)) > 0 ? &low : &high) = s;
        }
        double s = t - from < low ? t - from : low, E = exp(-a * s);
        *q = c + E * (x0 * cos(w * s) + B * sin(w * s));
        *v = E * ((w * B - a * x0) * cos(w * s) - (w * x0 + a * B) * sin(w * s));
        if (t - from < low)
            return;
        from += low;
        x0 = -c, v0 = -0.5 * *v;
    }
    *q = *v = 0;
}

static double largest_error(const carom_model *m, const char *rk, exact_solution *exact, int N, double T)
{
    char spec[80];
    snprintf(spec, sizeof spec, "mixed:rk=%s", rk);
    carom_sim *sim = start(m, spec, T / N);
    double most = 0, q, v;
    for (int k = 0; k < N; k++) {
        STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        exact(s->t, &q, &v);
        most = fmax(most, fabs(s->q[0] - q));
    }
    CHECK_NEAR(carom_sim_state(sim)->t, T, 1e-12); /* no step ended early */
    carom_sim_free(sim);
    return most;
}

/* Largest errors of q at the nodes, 331 steps until t = 5, by an independent program for Algorithm 1. Impacts that
 * are located to rounding do not make them larger, and the ball, whose flights are parabolas, exact. */
START_TEST(errors_are_those_of_an_independent_program)
{
    static const struct { const char *rk; double e[4]; } table[] = {
        {"lobatto-a2", {1.7026e-06, 3.8558e-04, 1.1283e-03, 4.0914e-04}},
        {"radau3", {2.5719e-08, 2.1369e-06, 8.4462e-06, 3.8669e-06}},
        {"lobatto-a4", {3.8851e-10, 1.4983e-08, 4.4466e-08, 1.6838e-08}},
        {"radau5", {5.8689e-12, 4.7297e-11, 1.9731e-10, 8.0238e-11}},
        {"lobatto-a6", {8.8832e-14, 3.5572e-13, 1.1667e-12, 4.0924e-13}},
        {"lobatto-c2", {1.7026e-06, 7.6057e-04, 2.2224e-03, 8.3584e-04}},
        {"lobatto-c4", {3.8851e-10, 2.1056e-08, 6.1362e-08, 2.4164e-08}},
        {"gauss2", {1.7026e-06, 3.8558e-04, 1.1283e-03, 4.0914e-04}},
        {"gauss4", {3.8851e-10, 1.4983e-08, 4.4466e-08, 1.6838e-08}},
        {"gauss6", {8.8683e-14, 3.5512e-13, 1.1652e-12, 4.0848e-13}},
        {"erk2", {1.7026e-06, 7.6666e-04, 2.2341e-03, 7.8650e-04}},
        {"erk3", {2.5719e-08, 6.5262e-06, 2.5406e-05, 1.2024e-05}},
        {"erk4", {3.8851e-10, 8.7759e-08, 2.5706e-07, 9.5184e-08}},
        {"erk5", {5.8691e-12, 9.7142e-11, 3.8737e-10, 1.7626e-10}},
    };
    point_store store[4];
    const carom_model models[] = {
        point_model(&store[0], 1, -2, 0, 0, 0.5, 1, 0), point_model(&store[1], 1, 0, 10, 0.2, 0.5, 1, 0),
        point_model(&store[2], 1, 0, 10, 0.2, 0.9, 1, 0), point_model(&store[3], 1, -5, 10, 0.2, 0.5, 1, 0)};
    exact_solution *const exact[] = {exact_ball, exact_oscillator, exact_elastic, exact_resting};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int m = 0; m < 4; m++) {
            char critical[40];
            snprintf(critical, sizeof critical, "%s:critical=moreau", table[i].rk);
            double e = largest_error(&models[m], table[i].rk, exact[m], 331, 5),
                   e_c = largest_error(&models[m], critical, exact[m], 331, 5), known = table[i].e[m];
            printf("%-10s %d: event %.4e, moreau %.4e, known %.4e\n", table[i].rk, m, e, e_c, known);
            CHECK_NEAR(e_c, known, 1e-4 * known + 5e-15); /* rounding of 331 steps */
            CHECK_NEAR(e, m ? known : 0, m ? 0.5 * known + 2e-15 : 5e-15);
        }
}
END_TEST

START_TEST(with_critical_steps_of_moreau_the_ball_has_one_order_more)
{
    static const int N[] = {41, 83, 167, 331};
    enum { RUNS = sizeof N / sizeof N[0] };
    static const char *const rk[] = {"lobatto-a2", "radau3", "lobatto-a4", "radau5"};
    point_store store;
    const carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int p = 2; p <= 5; p++)
        for (int k = 0; k < 2; k++) {
            double h[RUNS], e[RUNS], C = k ? 4 : 1;
            char spec[60];
            snprintf(spec, sizeof spec, "%s:critical=moreau:C=%g", rk[p - 2], C);
            for (int i = 0; i < RUNS; i++)
                h[i] = 5.0 / N[i], e[i] = largest_error(&ball, spec, exact_ball, N[i], 5);
            printf("%s: order %.3f, error over hb %.4f\n", spec, fitted_order(RUNS, h, e),
                   e[3] / (C * pow(h[3], p + 1)));
            CHECK_NEAR(fitted_order(RUNS, h, e), p + 1, 0.06);
            CHECK_NEAR(e[3] / (C * pow(h[3], p + 1)), 0.494, 0.001); /* each impact is hb/2 late, then slower */
        }
}
END_TEST

START_TEST(critical_steps_tell_when_a_contact_closes)
{
    point_store store;
    const carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start_scheme(&ball, "mixed:rk=radau5:critical=moreau", 0.05, false);
    RUN(sim, 5);
    const carom_info *info = carom_sim_info(sim);
    ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_CLOSED);
    ck_assert_int_eq((int)(info->events[CAROM_EVENT_CLOSING] - info->events[CAROM_EVENT_OPENING]), 1);
    carom_sim_free(sim);
}
END_TEST

START_TEST(orders_hold_through_impacts_and_their_accumulation)
{
    static const int N[] = {41, 59, 83, 119, 167, 233};
    enum { RUNS = sizeof N / sizeof N[0] };
    point_store store[3];
    const carom_model models[] = {point_model(&store[0], 1, 0, 10, 0.2, 0.5, 1, 0),
                                  point_model(&store[1], 1, 0, 10, 0.2, 0.9, 1, 0),
                                  point_model(&store[2], 1, -5, 10, 0.2, 0.5, 1, 0)};
    exact_solution *const exact[] = {exact_oscillator, exact_elastic, exact_resting};
    for (int rk = 0; carom_tableau_list(rk); rk++)
        for (int m = 0; m < 3; m++) {
            for (int c = 0; c < 2; c++) {
                double h[RUNS], e[RUNS];
                char spec[60];
                snprintf(spec, sizeof spec, "%s%s", carom_tableau_list(rk)->name, c ? ":critical=moreau" : "");
                for (int k = 0; k < RUNS; k++)
                    h[k] = 5.0 / N[k], e[k] = largest_error(&models[m], spec, exact[m], N[k], 5);
                double order = fitted_order(RUNS, h, e);
                printf("%-26s %d: order %.2f\n", spec, m, order);
                CHECK_AT_LEAST(order, carom_tableau_list(rk)->order - 0.25);
            }
        }
}
END_TEST

START_TEST(orders_hold_with_forces_that_change_in_time)
{
    const oscillator o = {.w = 2.1, .alpha = 0.05, .e = 0.8, .umin = -0.2, .a = 1, .umax = INFINITY};
    oscillator_store store;
    carom_model m = oscillator_model(&store, &o, 1, 0);
    double q = 1, v = 0;
    ck_assert_int_ge(oscillator_run(&o, 0, 6, &q, &v), 2);
    for (int rk = 0; carom_tableau_list(rk); rk++) {
        enum { RUNS = 5 };
        double h[RUNS], e[RUNS];
        char spec[40];
        snprintf(spec, sizeof spec, "mixed:rk=%s", carom_tableau_list(rk)->name);
        for (int k = 0, N = 30; k < RUNS; k++, N = N * 7 / 5) {
            carom_sim *sim = start(&m, spec, h[k] = 6.0 / N);
            RUN(sim, 6);
            e[k] = hypot(carom_sim_state(sim)->q[0] - q, carom_sim_state(sim)->v[0] - v);
            carom_sim_free(sim);
        }
        double order = fitted_order(RUNS, h, e);
        printf("%-10s forced: order %.2f\n", carom_tableau_list(rk)->name, order);
        CHECK_AT_LEAST(order, carom_tableau_list(rk)->order - 0.4);
    }
}
END_TEST

/* ---- what else a step promises ------------------------------------------------------------------------------ */
START_TEST(a_step_with_more_impacts_than_it_holds_ends_early_and_loses_nothing)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 1, 1e-4, 0); /* falls for 0.01, then flights of 0.02 */
    carom_sim *sim = start(&ball, "mixed", 3);
    const carom_state *s = carom_sim_state(sim);
    STEP(sim);
    CHECK_AT_MOST(s->t, 2);
    CHECK_AT_LEAST(s->t, 1);
    RUN(sim, 3.0);
    double phase = fmod(3.0 - 0.01, 0.02);
    CHECK_NEAR(s->t, 3.0, 0);
    CHECK_NEAR(s->q[0], phase * (0.02 - phase), 1e-14);
    CHECK_NEAR(fabs(s->v[0]), fabs(0.02 - 2 * phase), 4e-11); /* 150 gaps of 4 eps at a speed of 0.02 */
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 150);
    CHECK_NEAR(carom_sim_info(sim)->energy_final, carom_sim_info(sim)->energy_initial, 1e-14);
    carom_sim_free(sim);
}
END_TEST

typedef struct chain {
    double t, q, gap, impulse;
    int segments, jumps;
} chain;

static void follow(void *user, const carom_segment *s)
{
    chain *c = user;
    double end = s->q0[0];
    c->gap = fmax(c->gap, fmax(fabs(s->t0 - c->t), fabs(s->q0[0] - c->q)));
    for (int k = 0; k < s->q_degree; k++)
        end += s->xi[k];
    c->t = s->t1, c->q = end;
    c->segments++;
}

static void count_jump(void *user, const carom_jump *jump)
{
    chain *c = user;
    c->impulse += jump->impulse[0];
    c->jumps++;
}

START_TEST(the_impulse_of_what_rests_is_the_integral_of_its_load)
{
    NEEDS_MODELS;
    static const char text[] = "carom: 1\ncoordinates: {y: 0}\nmass: {y: 1}\nforce: {y: -10 - 3*t^2}\n"
                               "contacts: {ground: {gap: y, restitution: 0.5}}\n";
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "load", text, sizeof text - 1, NULL, &error), error);
    for (int rk = 0; carom_tableau_list(rk); rk++) {
        char spec[60];
        if (carom_tableau_list(rk)->order < 3)
            continue;
        snprintf(spec, sizeof spec, "mixed:rk=%s", carom_tableau_list(rk)->name);
        carom_sim *sim = start_scheme(model, spec, 0.25, false);
        double impulse = 0;
        for (int k = 0; k < 4; k++) {
            STEP(sim);
            impulse += carom_sim_state(sim)->impulse[0];
        }
        CHECK_NEAR(impulse, 11, 1e-13);
        carom_sim_free(sim);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(segments_of_a_step_join_and_its_impulse_is_that_of_all_its_parts)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    chain c = {.q = 1};
    carom_sim *sim = start(&ball, "mixed", 0.7);
    const carom_state *s = carom_sim_state(sim);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &c, .segment = follow,
                                             .jump = count_jump});
    double impulse = 0;
    for (int k = 0; k < 4; k++) { /* impacts at 1, 2, 2.5, 2.75 */
        STEP(sim);
        impulse += s->impulse[0];
        CHECK_NEAR(impulse, s->v[0] + 2 * s->t, 1e-13);
    }
    CHECK_AT_MOST(c.gap, 1e-14);
    CHECK_NEAR(c.t, s->t, 0);
    ck_assert_int_eq(c.jumps, 4);
    ck_assert_int_eq(c.segments, 8);
    CHECK_NEAR(c.impulse, 3 + 1.5 + 0.75 + 0.375, 1e-14);
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-13);
    carom_sim_free(sim);
}
END_TEST

START_TEST(critical_steps_join_too_and_account_for_their_energy)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    chain c = {.q = 1};
    carom_sim *sim = start(&ball, "mixed:rk=radau3:critical=moreau", 0.1);
    const carom_state *s = carom_sim_state(sim);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &c, .segment = follow,
                                             .jump = count_jump});
    double impulse = 0;
    while (s->t < 2.9) {
        STEP(sim);
        impulse += s->impulse[0];
        CHECK_NEAR(impulse, s->v[0] + 2 * s->t, 1e-12);
        CHECK_AT_LEAST(s->q[0], -1e-15);
    }
    const carom_info *info = carom_sim_info(sim);
    printf("gap %.2g, %d jumps, balance %.2g\n", c.gap, c.jumps, info->balance_error);
    CHECK_AT_MOST(c.gap, 1e-14);
    CHECK_AT_LEAST(c.jumps, 5);
    CHECK_NEAR(info->balance_error, 0, 1e-13);
    carom_sim_free(sim);
}
END_TEST

START_TEST(critical_steps_know_simultaneous_impacts_alone)
{
    box_store box;
    carom_model corners = box_model(&box, 0.4, 0.3);
    carom_options o = carom_options_default();
    carom_error error = {0};
    carom_sim *sim = NULL;
    corners.impacts = "sequential";
    CHECK_OK(carom_options_set(&o, "scheme", "mixed", &error), error);
    CHECK_OK(carom_sim_new(&sim, &corners, &o, &error), error);
    carom_sim_free(sim);
    CHECK_OK(carom_options_set(&o, "scheme", "mixed:critical=moreau", &error), error);
    ck_assert_int_eq(carom_sim_new(&sim, &corners, &o, &error), CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "critical=moreau") && strstr(error.text, "sequential"), "%s", error.text);
}
END_TEST

START_TEST(saved_and_loaded_it_goes_on_with_the_same_bits)
{
    box_store box;
    carom_model corners = box_model(&box, 0.4, 0.3), wall = double_pendulum();
    for (int rk = 0; carom_tableau_list(rk); rk++) {
        char spec[40];
        snprintf(spec, sizeof spec, "mixed:rk=%s", carom_tableau_list(rk)->name);
        check_restart(&corners, spec, 0.01, 40, 60);
        check_restart(&wall, spec, 0.01, 40, 60);
    }
    check_restart(&corners, "mixed:critical=moreau", 0.01, 40, 60);
    check_restart(&wall, "mixed:critical=moreau", 0.01, 40, 60);
}
END_TEST

START_TEST(stiff_damping_is_no_trouble_for_implicit_methods)
{
    point_store store;
    const double k = 1e6, c = 1e4, root = sqrt(c * c / 4 - k), slow = -k / (c / 2 + root), fast = -c / 2 - root;
    carom_model m = point_model(&store, 1, 0, k, c, 0, 1, slow); /* on the slow motion exp(slow t) */
    m.ncontact = 0, m.gap = m.jacobian = NULL;
    const char *const rk[] = {"mixed:rk=radau3", "mixed:rk=radau5", "mixed:rk=lobatto-c4", "mixed:rk=lobatto-c2"};
    const double most[] = {5e-6, 1e-9, 1e-6, 1e-2};
    ck_assert(fast < -9000);
    for (int i = 0; i < 4; i++) {
        carom_sim *sim = start(&m, rk[i], 0.001);
        RUN(sim, 0.02);
        printf("%s: %.2e\n", rk[i], fabs(carom_sim_state(sim)->q[0] - exp(slow * 0.02)));
        CHECK_NEAR(carom_sim_state(sim)->q[0], exp(slow * 0.02), most[i]);
        carom_sim_free(sim);
    }
}
END_TEST

static void switched_force(const carom_point *at, double *F)
{
    F[0] = at->q[0] > 0.5 ? -1e6 : 1e6; /* no stage solves this: the root lies in the jump */
}

START_TEST(stages_without_a_solution_are_an_error_with_numbers)
{
    point_store store;
    carom_model m = point_model(&store, 1, 0, 0, 0, 0, 0.51, 0);
    m.force = switched_force, m.constant &= ~(unsigned)(CAROM_R_Q | CAROM_R_V), m.force_q = m.force_v = NULL;
    carom_sim *sim = start(&m, "mixed:rk=radau5", 0.01);
    ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_NOT_CONVERGED);
    ck_assert_msg(strstr(carom_sim_error(sim)->text, "radau5") && strstr(carom_sim_error(sim)->text, "step of 0.01"),
                  "%s", carom_sim_error(sim)->text);
    CHECK_NEAR(carom_sim_state(sim)->q[0], 0.51, 0);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("mixed", every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next,
          errors_are_those_of_an_independent_program,
          with_critical_steps_of_moreau_the_ball_has_one_order_more, critical_steps_tell_when_a_contact_closes,
          orders_hold_through_impacts_and_their_accumulation, orders_hold_with_forces_that_change_in_time,
          a_step_with_more_impacts_than_it_holds_ends_early_and_loses_nothing,
          the_impulse_of_what_rests_is_the_integral_of_its_load,
          segments_of_a_step_join_and_its_impulse_is_that_of_all_its_parts,
          critical_steps_join_too_and_account_for_their_energy, critical_steps_know_simultaneous_impacts_alone,
          saved_and_loaded_it_goes_on_with_the_same_bits, stiff_damping_is_no_trouble_for_implicit_methods,
          stages_without_a_solution_are_an_error_with_numbers)
