/* test_schemes.c: what every scheme promises, for all that are registered: a new one is tested the moment it is listed.
 * A scheme may refuse a model (CAROM_UNSUPPORTED, with a reason); what it takes it must do right. */
#include <stdio.h>
#include <string.h>

#include "reference.h"
#include "schemes/scheme.h"
#include "systems.h"
#include "testing.h"
#include "toy_midpoint.h"

#define CAROM_MORE_SCHEMES &toy_midpoint, /* a scheme is one file and one line */
#include "schemes/list.c"

/* Beside the standard values of every scheme's fields. */
static const char *const variants[] = {"moreau-jean:theta=1",
                                       "moreau-jean:theta=0.5:gamma=1",
                                       "moreau-jean:control=halving",
                                       "moreau-jean:control=coordinates",
                                       "moreau-jean:control=variable-order",
                                       "moreau-jean:control=indicator"};
enum { SPECS = 64 };

static int specs(const char *list[SPECS])
{
    int n = 0;
    for (int i = 0; carom_scheme_method(i); i++)
        list[n++] = carom_scheme_method(i)->name;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        list[n++] = variants[i];
    return n;
}

/* NULL: the scheme refuses the model, with a reason. */
static carom_sim *start(const carom_model *model, const char *spec, double h, bool energy)
{
    carom_error error = {0};
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", spec, &error), error);
    o.h = h;
    o.energy = energy;
    carom_status status = carom_sim_new(&sim, model, &o, &error);
    if (status == CAROM_UNSUPPORTED) {
        ck_assert_msg(strlen(error.text) > 20, "%s refuses %s without a reason", spec, model->name);
        return NULL;
    }
    ck_assert_msg(status == CAROM_OK, "%s on %s: %s", spec, model->name, error.text);
    return sim;
}

static void run(carom_sim *sim, const char *spec, double t)
{
    ck_assert_msg(carom_sim_run(sim, t) == CAROM_OK, "%s: %s", spec, carom_sim_error(sim)->text);
}

static void declared(const char *spec, double *smooth, double *impact)
{
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", spec, &error), error);
    carom_scheme_orders(&o, smooth, impact);
}

static double distance(const carom_state *s, int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fmax(fabs(s->q[i] - x[i]), fabs(s->v[i] - x[n + i])));
    return most;
}

/* Slope of the error at the end over the finest three steps whose error is above rounding; infinite: too accurate. */
static double smooth_order(const char *spec, const carom_model *model, double T, bool *refused)
{
    double h[6], error[6], x[2 * REFERENCE_MAX] = {0};
    int n = model->nv, count = 0;
    memcpy(x, model->q, sizeof(double) * (size_t)n);
    if (model->v)
        memcpy(x + n, model->v, sizeof(double) * (size_t)n);
    reference_run(model, 0, T, 1e-4, x);
    for (int i = 0; i < 6; i++) {
        double step = 0.1 / (1 << i);
        carom_sim *sim = start(model, spec, step, false);
        *refused = !sim;
        if (!sim)
            return 0;
        run(sim, spec, T);
        double e = distance(carom_sim_state(sim), n, x);
        carom_sim_free(sim);
        if (e < 1e-10)
            break;
        h[count] = step, error[count++] = e;
    }
    int first = CAROM_MAX(0, count - 3);
    return count < 2 ? INFINITY : fitted_order(count - first, h + first, error + first);
}

START_TEST(every_scheme_has_its_declared_order_in_smooth_motion)
{
    const char *list[SPECS];
    point_store store;
    carom_model free_double = double_pendulum(), oscillator = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    free_double.ncontact = oscillator.ncontact = 0;
    const carom_model systems[] = {pendulum(), free_double, oscillator};
    for (int i = 0, n = specs(list); i < n; i++) {
        double smooth, impact;
        int taken = 0;
        declared(list[i], &smooth, &impact);
        for (int k = 0; k < 3; k++) {
            bool refused;
            double order = smooth_order(list[i], &systems[k], 1, &refused);
            if (refused)
                continue;
            taken++;
            printf("%-32s %-16s order %.2f, declared %g\n", list[i], systems[k].name, order, smooth);
            if (smooth > 0 && order < INFINITY)
                CHECK_NEAR(order, smooth, 0.3);
        }
        CHECK_AT_LEAST(taken, 1);
    }
}
END_TEST

/* L1 on the nodes. */
static bool l1_error(const carom_model *m, exact_solution *exact, const char *spec, double h, double T, double *e_q,
                     double *e_v)
{
    carom_sim *sim = start(m, spec, h, false);
    if (!sim)
        return false;
    const carom_state *s = carom_sim_state(sim);
    double x[2 * REFERENCE_MAX] = {0}, t = 0, before;
    int n = m->nv;
    memcpy(x, m->q, sizeof(double) * (size_t)n);
    *e_q = *e_v = 0;
    while (s->t < T - h) {
        before = s->t;
        ck_assert_msg(carom_sim_step(sim) == CAROM_OK, "%s: %s", spec, carom_sim_error(sim)->text);
        if (exact)
            exact(s->t, x, x + n);
        else
            reference_run(m, t, s->t, 5e-4, x), t = s->t;
        for (int i = 0; i < n; i++)
            *e_q += (s->t - before) * fabs(s->q[i] - x[i]), *e_v += (s->t - before) * fabs(s->v[i] - x[n + i]);
    }
    carom_sim_free(sim);
    return true;
}

START_TEST(every_scheme_has_its_declared_order_through_impacts)
{
    const char *list[SPECS];
    point_store ball_store, osc_store;
    carom_model ball = point_model(&ball_store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_model osc = point_model(&osc_store, 1, 0, 10, 0.2, 0.5, 1, 0);
    carom_model wall = double_pendulum();
    const struct { const carom_model *m; exact_solution *exact; double T; } cases[] = {
        {&ball, exact_ball, 5}, {&osc, exact_oscillator, 5}, {&wall, NULL, 1.5}};
    for (int i = 0, n = specs(list); i < n; i++) {
        int measured = 0;
        double smooth, impact;
        declared(list[i], &smooth, &impact);
        bool high = impact > 2, exact = true; /* accurate ones: longer steps, and the flights of the ball are exact */
        for (int c = 0; c < 3; c++) {
            /* where in its step an impact falls decides on the error: means over steps near h */
            enum { N = 6, NEAR = 5 };
            double h[N], e_q[N], e_v[N];
            int count = 0;
            bool taken = true;
            for (int k = 0; k < N && impact > 0 && taken; k++) {
                h[count] = high ? 0.1 / pow(1.5, k) : 0.02 / pow(2, k);
                e_q[count] = e_v[count] = 0;
                for (int near = 0; near < NEAR && taken; near++) {
                    double q, v;
                    taken = l1_error(cases[c].m, cases[c].exact, list[i], h[count] * (0.9 + 0.0437 * near), cases[c].T,
                                     &q, &v);
                    if (taken)
                        e_q[count] += q / NEAR, e_v[count] += v / NEAR;
                }
                exact &= !taken || e_q[count] < 1e-11;
                count += taken && e_q[count] > (high ? 1e-11 : 1e-12);
            }
            if (count < 4)
                continue; /* refused, exact, or no order declared */
            measured++;
            double order_q = fitted_order(count, h, e_q), order_v = fitted_order(count, h, e_v);
            printf("%-32s case %d: L1 orders q %.2f v %.2f, declared %g\n", list[i], c, order_q, order_v, impact);
            CHECK_AT_LEAST(order_q, impact - (high ? 0.4 : 0.25));
            CHECK_AT_LEAST(order_v, high ? impact - 0.4 : CAROM_MIN(impact, 1) - 0.25);
        }
        ck_assert_msg(measured || exact || impact == 0, "%s declares order %g through impacts, but it was not measured",
                      list[i], impact);
    }
}
END_TEST

START_TEST(every_scheme_passes_the_zeno_point_and_rests)
{
    const char *list[SPECS];
    for (int i = 0, n = specs(list); i < n; i++) {
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
        carom_sim *sim = start(&ball, list[i], 0.01, false);
        if (!sim)
            continue;
        run(sim, list[i], 12);
        const carom_state *s = carom_sim_state(sim);
        ck_assert_msg(fabs(s->v[0]) < 1e-6 && fabs(s->q[0]) < 0.03, "%s: q = %g, v = %g after the Zeno point", list[i],
                      s->q[0], s->v[0]);
        ck_assert_msg(s->mode[0] != CAROM_OPEN, "%s: the resting contact counts as open", list[i]);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(no_scheme_fails_when_the_motion_has_died_away)
{
    const char *list[SPECS];
    for (int i = 0, n = specs(list); i < n; i++) {
        point_store store;
        carom_model damped = point_model(&store, 1, 0, 1e4, 200, 0.5, 1, 0); /* e^(-100 t): denormal from t = 7 on */
        damped.ncontact = 0;
        carom_sim *sim = start(&damped, list[i], 0.004, false);
        if (!sim)
            continue;
        run(sim, list[i], 12);
        CHECK_AT_MOST(fabs(carom_sim_state(sim)->q[0]), 1e-50);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(going_on_after_a_load_gives_the_same_bits_with_every_scheme)
{
    const char *list[SPECS];
    for (int i = 0, n = specs(list); i < n; i++) {
        point_store point;
        box_store corners;
        cartesian_store rod;
        const carom_model models[] = {point_model(&point, 1, -10, 0, 0, 0.9, 0.5, 0), box_model(&corners, 0.4, 0.3),
                                      double_pendulum(), cartesian_pendulum(&rod)};
        for (int k = 0; k < 4; k++) {
            carom_sim *a = start(&models[k], list[i], 0.003, true),
                      *b = a ? start(&models[k], list[i], 0.003, true) : NULL;
            if (!b)
                continue;
            size_t size = carom_sim_save(a, NULL, 0);
            unsigned char *saved = malloc(size), *end_a = malloc(size), *end_b = malloc(size);
            for (int step = 0; step < 150; step++)
                ck_assert_msg(carom_sim_step(a) == CAROM_OK, "%s: %s", list[i], carom_sim_error(a)->text);
            carom_sim_save(a, saved, size);
            ck_assert_int_eq(carom_sim_load(b, saved, size), CAROM_OK);
            for (int step = 0; step < 150; step++) {
                ck_assert_int_eq(carom_sim_step(a), CAROM_OK);
                ck_assert_int_eq(carom_sim_step(b), CAROM_OK);
            }
            carom_sim_save(a, end_a, size);
            carom_sim_save(b, end_b, size);
            ck_assert_msg(memcmp(end_a, end_b, size) == 0, "%s on %s: not the same after a restart", list[i],
                          models[k].name);
            free(saved), free(end_a), free(end_b);
            carom_sim_free(a), carom_sim_free(b);
        }
    }
}
END_TEST

static void breaking_force(const carom_point *at, double *F)
{
    F[0] = at->t > 0.5 ? NAN : -10;
}

START_TEST(a_failing_step_leaves_the_state_alone_with_every_scheme)
{
    const char *list[SPECS];
    for (int i = 0, n = specs(list); i < n; i++) {
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 5, 0);
        ball.force = breaking_force;
        carom_sim *sim = start(&ball, list[i], 0.01, false);
        if (!sim)
            continue;
        ck_assert_msg(carom_sim_run(sim, 1) != CAROM_OK, "%s does not notice a force that is not a number", list[i]);
        const carom_state *s = carom_sim_state(sim);
        double t = s->t, q = s->q[0], v = s->v[0], impulse = s->impulse[0];
        ck_assert_int_ne(carom_sim_step(sim), CAROM_OK);
        ck_assert_msg(strstr(carom_sim_error(sim)->text, "t = 0."), "%s fails without the time: %s", list[i],
                      carom_sim_error(sim)->text);
        ck_assert(s->t == t && s->q[0] == q && s->v[0] == v && s->impulse[0] == impulse);
        CHECK_NEAR(t, 0.5, 0.025);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(no_scheme_gains_energy_on_the_box)
{
    const char *list[SPECS];
    for (int i = 0, n = specs(list); i < n; i++) {
        box_store corners;
        energy_watch w = {0};
        carom_model box = box_model(&corners, 0.4, 0.3);
        carom_sim *sim = start(&box, list[i], 0.001, true);
        if (!sim)
            continue;
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w, .segment = watch_energy});
        run(sim, list[i], 4);
        const carom_info *info = carom_sim_info(sim);
        printf("%-32s box: the most gained in a step %.1e, penetration %.1e\n", list[i], w.most, info->max_penetration);
        if (strncmp(list[i], "schatzman-paoli", 15) != 0) /* its velocities lag, and the energy they show with them */
            CHECK_AT_MOST(w.most, 1e-4);                  /* (g h)^2: what a file may promise at most */
        CHECK_AT_MOST(info->energy_final, info->energy_initial);
        CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-6);
        carom_sim_free(sim);
    }
}
END_TEST

TEST_MAIN("schemes", every_scheme_has_its_declared_order_in_smooth_motion,
          every_scheme_has_its_declared_order_through_impacts, every_scheme_passes_the_zeno_point_and_rests,
          no_scheme_fails_when_the_motion_has_died_away, going_on_after_a_load_gives_the_same_bits_with_every_scheme,
          a_failing_step_leaves_the_state_alone_with_every_scheme, no_scheme_gains_energy_on_the_box)
