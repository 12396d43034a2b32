/* test_mixed_systems.c: the scheme `mixed` on systems with several coordinates, curved contacts, joints and
 * friction. */
#include <string.h>

#include "core/tableau.h"
#include "stepping.h"

enum { RUNS = 5 };

static bool critical; /* with steps of Moreau and Jean around impacts */

static void spec_of(int rk, char spec[60])
{
    snprintf(spec, 60, "mixed:rk=%s%s", carom_tableau_list(rk)->name, critical ? ":critical=moreau" : "");
}

/* The error at T of N steps against (q, v). */
static double error_at(const carom_model *m, int rk, int N, double T, const double *x)
{
    char spec[60];
    double most = 0;
    spec_of(rk, spec);
    carom_sim *sim = start(m, spec, T / N);
    RUN(sim, T);
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < m->nv; i++)
        most = fmax(most, fmax(fabs(s->q[i] - x[i]), fabs(s->v[i] - x[m->nv + i])));
    carom_sim_free(sim);
    return most;
}

/* The order fitted over runs of N, 1.5 N, ... steps whose errors are above `least`. */
static double order_of(const carom_model *m, int rk, int N, double T, const double *x, double least)
{
    double h[RUNS], e[RUNS];
    int n = 0;
    for (int k = 0; k < RUNS; k++, N = N * 3 / 2) {
        h[n] = T / N, e[n] = error_at(m, rk, N, T, x);
        n += e[n] > least;
    }
    double order = n < 3 ? INFINITY : fitted_order(n, h, e);
    printf("%-20s %-10s %d order %.2f (%d runs), first %.2e\n", m->name, carom_tableau_list(rk)->name,
           critical, order, n, e[0]);
    return order;
}

static void check_orders(const carom_model *m, int N, double T, const double *x, double least, double slack)
{
    for (int k = 0; k < 2; k++)
        for (int rk = 0; k ? rk < 4 : carom_tableau_list(rk) != NULL; rk++) {
            critical = k != 0;
            double order = order_of(m, rk, N, T, x, least);
            CHECK_AT_LEAST(order, carom_tableau_list(rk)->order - slack);
        }
    critical = false;
}

START_TEST(orders_hold_in_smooth_motion)
{
    carom_model m = pendulum();
    double x[] = {1, 0.5};
    reference_run(&m, 0, 2, 1e-4, x);
    check_orders(&m, 20, 2, x, 1e-12, 0.3);
}
END_TEST

START_TEST(orders_hold_for_the_double_pendulum_against_a_wall)
{
    carom_model m = double_pendulum();
    double x[] = {double_start[0], double_start[1], 0, 0};
    reference_run(&m, 0, 1.5, 5e-5, x);
    check_orders(&m, 60, 1.5, x, 2e-11, 0.45);
}
END_TEST

/* th'' = g sin(th) until cos(th) = 2/3 cos(th0), then free flight. */
static void dome_angle_force(const carom_point *at, double *F)
{
    F[0] = 9.81 * sin(at->q[0]);
}

static void dome_reference(double T, double *x)
{
    carom_model angle = pendulum();
    double y[2] = {0.3, 0}, t = 0, step = 1e-4, leave = acos(2.0 / 3 * cos(0.3));
    angle.force = dome_angle_force;
    while (step > 1e-14) {
        double z[2];
        reference_step(&angle, t, step, y, z);
        if (z[0] < leave)
            t += step, y[0] = z[0], y[1] = z[1];
        else
            step *= 0.5;
    }
    double s = T - t, vx = cos(y[0]) * y[1], vy = -sin(y[0]) * y[1];
    CHECK_NEAR(t, 0.5634036, 1e-6);
    x[0] = sin(y[0]) + s * vx, x[1] = cos(y[0]) + s * vy - 9.81 * s * s / 2;
    x[2] = vx, x[3] = vy - 9.81 * s;
}

START_TEST(orders_hold_on_the_dome_and_after_leaving_it)
{
    NEEDS_MODELS;
    carom_model *m;
    carom_error error;
    double x[4];
    CHECK_OK(carom_model_load(&m, "dome", NULL, &error), error);
    dome_reference(0.7, x);
    check_orders(m, 10, 0.7, x, 1e-12, 0.3);
    carom_model_free(m);
}
END_TEST

static void sprung_force(const carom_point *at, double *F)
{
    stack_force(at, F);
    F[0] -= 20 * at->q[0], F[1] -= 5 * at->q[1];
}

START_TEST(orders_hold_for_stacked_balls_on_springs_that_come_to_rest)
{
    carom_model m = stacked_balls();
    m.force = sprung_force, m.potential = NULL;
    m.constant |= CAROM_JACOBIAN | CAROM_R_Q | CAROM_R_V;
    double x[4];
    const double times[] = {0.6, 3};
    for (int k = 0; k < 2; k++) {
        carom_sim *sim = start(&m, "exact", 0.01);
        RUN(sim, times[k]);
        const carom_state *s = carom_sim_state(sim);
        for (int i = 0; i < 2; i++)
            x[i] = s->q[i], x[2 + i] = s->v[i];
        carom_sim_free(sim);
        printf("t = %g: %g %g %g %g\n", times[k], x[0], x[1], x[2], x[3]);
        if (k == 0)
            check_orders(&m, 15, times[0], x, 1e-12, 0.4);
        else
            CHECK_AT_MOST(error_at(&m, CAROM_TABLEAU_RADAU5, 300, times[1], x), 1e-12);
    }
}
END_TEST

START_TEST(orders_hold_with_a_joint_and_a_wall)
{
    cartesian_store store;
    carom_model m = walled_pendulum(&store, 1), angle = walled_angle();
    double y[] = {1, 0.5};
    reference_run(&angle, 0, 1.5, 5e-5, y);
    double x[] = {sin(y[0]), -cos(y[0]), cos(y[0]) * y[1], sin(y[0]) * y[1]};
    check_orders(&m, 20, 1.5, x, 2e-11, 0.45);
}
END_TEST

typedef struct changes {
    double t[8];
    int n;
} changes;

static void note_change(void *user, const carom_event *event)
{
    changes *c = user;
    if ((event->type == CAROM_EVENT_STICK || event->type == CAROM_EVENT_SLIP) && c->n < 8)
        c->t[c->n++] = event->t;
}

static double belt_error(const carom_model *m, int rk, double h)
{
    static const double known[] = {2.666666666667, 7.773846766751, 9.107180100084};
    char spec[60];
    changes c = {.n = 0};
    double most = 0;
    spec_of(rk, spec);
    carom_sim *sim = start(m, spec, h);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &c, .event = note_change});
    RUN(sim, 10);
    carom_sim_free(sim);
    ck_assert_int_eq(c.n, 3);
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(c.t[k] - known[k]));
    return most;
}

START_TEST(sticking_and_slipping_on_the_belt_change_in_time)
{
    NEEDS_MODELS;
    carom_model *m;
    carom_error error;
    CHECK_OK(carom_model_load(&m, "belt", NULL, &error), error);
    for (int rk = 0; carom_tableau_list(rk); rk++) {
        int p = carom_tableau_list(rk)->order, n = 0;
        double h[RUNS], e[RUNS];
        for (int k = 0; k < RUNS; k++) {
            h[n] = 0.4037 / pow(1.5, k), e[n] = belt_error(m, rk, h[n]);
            n += e[n] > 1e-11;
        }
        double shorter = p == 2 ? 3e-5 : p == 3 ? 1e-3 : 0.01, coarser = SANITIZED && p < 4 ? 8 : 1;
        double order = n < 3 ? INFINITY : fitted_order(n, h, e), fine = belt_error(m, rk, coarser * shorter);
        printf("belt %-10s order %.2f (%d runs), fine %.2e\n", carom_tableau_list(rk)->name, order, n, fine);
        CHECK_AT_LEAST(order, p - 0.35);
        CHECK_AT_MOST(fine, 1e-9 * pow(coarser, p));
    }
    carom_model_free(m);
}
END_TEST

/* The point after 10 s. */
static void slide(const carom_model *m, const char *spec, double h, double tol, double *q)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", spec, &error), error);
    o.h = h, o.t_end = 10;
    if (tol > 0)
        o.rtol = o.atol = tol;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    RUN(sim, 10);
    q[0] = carom_sim_state(sim)->q[0], q[1] = carom_sim_state(sim)->q[1];
    carom_sim_free(sim);
}

/* It sticks, and begins to slip with no velocity four times: explicit methods, too, must not lose the direction
 * there. */
START_TEST(all_methods_follow_slip_in_a_plane_from_its_beginning_to_its_end)
{
    NEEDS_MODELS;
    static const double bound[] = {0, 0, 2e-4, 3e-7, 5e-9, 1e-11, 1e-12}; /* by order, steps of 10 ms */
    carom_model *m;
    carom_error error;
    double good[2], q[2];
    CHECK_OK(carom_model_load(&m, "point-on-plane", NULL, &error), error);
    slide(m, "tolerance:method=dp5", 1e-3, 1e-13, good);
    slide(m, "tolerance:method=radau5", 1e-3, 1e-8, q);
    CHECK_NEAR(hypot(q[0] - good[0], q[1] - good[1]), 0, 1e-7);
    for (int rk = 0; carom_tableau_list(rk); rk++) {
        const carom_tableau *T = carom_tableau_list(rk);
        char spec[60];
        double e[2];
        spec_of(rk, spec);
        for (int k = 0; k < 2; k++) {
            slide(m, spec, k ? 0.01 : 0.02, 0, q);
            e[k] = hypot(q[0] - good[0], q[1] - good[1]);
        }
        printf("point on a plane: %-12s %.1e %.1e\n", T->name, e[0], e[1]);
        CHECK_AT_MOST(e[1], bound[T->order]);
        CHECK_AT_LEAST(e[0], pow(2, T->order - 0.8) * (e[1] - 1e-13));
    }
    carom_model_free(m);
}
END_TEST

/* A point on two springs, pressed on a plane: its slip turns sharply near t = 1.6 and stops at last. */
static const char turning[] =
    "carom: 1\ncoordinates: {x: 1, y: 0, z: 0}\nvelocities: {y: 1.5}\nmass: {x: 1, y: 1, z: 1}\n"
    "force: {x: -4*x, y: -9*y, z: -1}\n"
    "contacts: {floor: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.15, restitution: 0}}\n";

enum { TIMES = 20 };

/* Positions at TIMES times, or the largest distance from those. */
static double point_error(const carom_model *m, const char *spec, double h, double tol, double T, double good[][2])
{
    carom_error error;
    carom_sim *sim;
    double most = 0;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", spec, &error), error);
    o.h = h, o.t_end = T, o.rtol = o.atol = tol > 0 ? tol : 1e-6;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    for (int k = 0; k < TIMES; k++) {
        RUN(sim, T * (k + 1) / TIMES);
        const double *q = carom_sim_state(sim)->q;
        if (tol > 0)
            good[k][0] = q[0], good[k][1] = q[1];
        most = fmax(most, hypot(q[0] - good[k][0], q[1] - good[k][1]));
    }
    if (T > 20)
        ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_STICK);
    carom_sim_free(sim);
    return most;
}

START_TEST(orders_hold_through_slip_in_a_plane_that_turns_and_stops)
{
    NEEDS_MODELS;
    carom_model *m;
    carom_error error;
    double good[TIMES][2];
    const double times[] = {3, 30};
    CHECK_OK(carom_model_parse(&m, "turning", turning, strlen(turning), NULL, &error), error);
    for (int k = 0; k < 2; k++) {
        point_error(m, "tolerance:method=dp5", 1e-3, 1e-13, times[k], good);
        for (int rk = 0; carom_tableau_list(rk); rk++) {
            char spec[60];
            double h[RUNS], e[RUNS];
            int n = 0, p = carom_tableau_list(rk)->order;
            spec_of(rk, spec);
            for (int i = 0; i < RUNS; i++) {
                h[n] = 0.04 / pow(1.5, i), e[n] = point_error(m, spec, h[n], 0, times[k], good);
                n += e[n] > 2e-12;
            }
            double order = n < 3 ? INFINITY : fitted_order(n, h, e);
            printf("turning, T = %g: %-12s order %.2f (%d runs), last %.2e\n", times[k], carom_tableau_list(rk)->name,
                   order, n, e[n - 1]);
            CHECK_AT_LEAST(order, p - 0.4);
        }
    }
    carom_model_free(m);
}
END_TEST

TEST_MAIN("mixed systems", orders_hold_in_smooth_motion, orders_hold_for_the_double_pendulum_against_a_wall,
          orders_hold_on_the_dome_and_after_leaving_it, orders_hold_for_stacked_balls_on_springs_that_come_to_rest,
          orders_hold_with_a_joint_and_a_wall, sticking_and_slipping_on_the_belt_change_in_time,
          all_methods_follow_slip_in_a_plane_from_its_beginning_to_its_end,
          orders_hold_through_slip_in_a_plane_that_turns_and_stops)
