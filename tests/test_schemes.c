/* test_schemes.c: what every scheme promises, checked for all that are listed: a new one is tested as soon as it is. */
#include <string.h>

#include "systems.h"
#include "testing.h"

/* ---- two systems: a driven pendulum far above its floor, and a ball that comes to rest at t = 3 ---- */

static double driven(double t, double q, double v)
{
    return -4*sin(q) - 0.1*v + cos(2*t);
}

static void driven_force(const carom_point *at, double *F)
{
    F[0] = driven(at->t, at->q[0], at->v[0]);
}

static void far_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] + 10;
}

static void ball_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = -2;
}

static void ball_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0];
}

static void breaking_force(const carom_point *at, double *F) /* no number from t = 1/2 on */
{
    F[0] = at->t > 0.5 ? NAN : -2;
}

static const carom_contact contact = {.name = "ground", .restitution = 0.5};
static const double one = 1;

static carom_model driven_model(void)
{
    return (carom_model){.name = "pendulum", .nq = 1, .nv = 1, .ncontact = 1, .contact = &contact, .q = &one,
                         .mass = unit_mass, .force = driven_force, .gap = far_gap};
}

static carom_model ball_model(void)
{
    return (carom_model){.name = "ball", .nq = 1, .nv = 1, .ncontact = 1, .contact = &contact, .q = &one,
                         .mass = unit_mass, .force = ball_force, .gap = ball_gap};
}

/* Velocity of the ball: impacts at 3 - 2^(1-n), n = 0, 1, ..., after which it leaves with 2^-n. */
static double ball_velocity(double t)
{
    if (t < 1)
        return -2*t;
    for (int n = 0; n < 60; n++)
        if (t < 3 - ldexp(1, -n))
            return ldexp(1, -n) - 2*(t - (3 - ldexp(1, 1 - n)));
    return 0;
}

/* The classical Runge-Kutta method with 20000 steps on [0, 1]. */
static void driven_reference(double *q, double *v)
{
    const int n = 20000;
    const double h = 1./n;
    *q = 1, *v = 0;
    for (int i = 0; i < n; i++) {
        const double t = i*h;
        const double k1 = *v, l1 = driven(t, *q, *v);
        const double k2 = *v + h/2*l1, l2 = driven(t + h/2, *q + h/2*k1, k2);
        const double k3 = *v + h/2*l2, l3 = driven(t + h/2, *q + h/2*k2, k3);
        const double k4 = *v + h*l3, l4 = driven(t + h, *q + h*k3, k4);
        *q += h/6*(k1 + 2*k2 + 2*k3 + k4);
        *v += h/6*(l1 + 2*l2 + 2*l3 + l4);
    }
}

static carom_sim *simulate(const carom_model *model, const char *scheme, double h)
{
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim = NULL;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h;
    options.t_end = 10;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    return sim;
}

static void declared(const char *scheme, double *smooth, double *impact)
{
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    carom_scheme_orders(&options, smooth, impact);
}

static double slope(int n, const double *h, const double *error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        const double x = log(h[i]), y = log(error[i]);
        sx += x, sy += y, sxx += x*x, sxy += x*y;
    }
    return (n*sxy - sx*sy)/(n*sxx - sx*sx);
}

/* ---- the promises ---- */

START_TEST(every_scheme_has_its_declared_order_in_smooth_motion)
{
    double q, v;
    driven_reference(&q, &v);
    const carom_model model = driven_model();
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *scheme = carom_scheme_method(i)->name;
        double smooth, impact, h[6], error[6];
        int n = 0;
        declared(scheme, &smooth, &impact);
        if (smooth == 0)
            continue;
        for (int steps = 10; steps <= 320; steps *= 2) {
            carom_sim *sim = simulate(&model, scheme, 1./steps);
            ck_assert_int_eq(carom_sim_run(sim, 1), CAROM_OK);
            const carom_state *end = carom_sim_state(sim);
            const double worst = fmax(fabs(end->q[0] - q), fabs(end->v[0] - v));
            if (worst > 3e-10) /* below, the tolerance of Newton's method shows */
                h[n] = 1./steps, error[n++] = worst;
            carom_sim_free(sim);
        }
        ck_assert_msg(n >= 2, "%s: too accurate to measure", scheme);
        const double order = slope(n, h, error);
        ck_assert_msg(fabs(order - smooth) < 0.15, "%s: order %.3f, declared %g", scheme, order, smooth);
    }
}
END_TEST

/* Where in its step an impact falls decides on the error: mean over step sizes near each h. */
START_TEST(every_scheme_has_its_declared_order_through_infinitely_many_impacts)
{
    const carom_model model = ball_model();
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *scheme = carom_scheme_method(i)->name;
        double smooth, impact, h[5], error[5];
        declared(scheme, &smooth, &impact);
        if (impact == 0)
            continue;
        for (int level = 0; level < 5; level++) {
            h[level] = ldexp(0.0217, -level);
            error[level] = 0;
            for (int near = 0; near < 15; near++) {
                carom_sim *sim = simulate(&model, scheme, h[level]*(0.9 + near*0.01371));
                for (double t = 0, before = 0; t < 5; before = t) {
                    ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
                    t = carom_sim_state(sim)->t;
                    error[level] += fabs(carom_sim_state(sim)->v[0] - ball_velocity(t))*(t - before)/15;
                }
                carom_sim_free(sim);
            }
        }
        const double order = slope(5, h, error);
        ck_assert_msg(order > impact - 0.2, "%s: order %.3f, declared %g", scheme, order, impact);
    }
}
END_TEST

START_TEST(a_saved_and_a_restarted_simulation_repeat_every_bit)
{
    const carom_model models[] = {ball_model(), driven_model()};
    for (int i = 0; carom_scheme_method(i); i++)
        for (int m = 0; m < 2; m++) {
            carom_sim *sim = simulate(&models[m], carom_scheme_method(i)->name, 0.013);
            const carom_state *state = carom_sim_state(sim);
            ck_assert_int_eq(carom_sim_run(sim, 2.3), CAROM_OK); /* the ball: between impacts */
            const size_t size = carom_sim_save(sim, NULL, 0);
            void *saved = malloc(size);
            ck_assert_uint_eq(carom_sim_save(sim, saved, size), size);
            ck_assert_int_eq(carom_sim_run(sim, 4.5), CAROM_OK);
            const double t = state->t, q = state->q[0], v = state->v[0];
            ck_assert_int_eq(carom_sim_load(sim, saved, size), CAROM_OK);
            CHECK_NEAR(state->t, 2.3, 0.02);
            ck_assert_int_eq(carom_sim_run(sim, 4.5), CAROM_OK);
            ck_assert(state->t == t && state->q[0] == q && state->v[0] == v);
            ck_assert_int_eq(carom_sim_restart(sim, NULL, NULL, NULL), CAROM_OK);
            ck_assert(state->t == 0 && state->q[0] == 1 && state->v[0] == 0);
            ck_assert_int_eq(carom_sim_run(sim, 2.3), CAROM_OK);
            ck_assert_int_eq(carom_sim_run(sim, 4.5), CAROM_OK);
            ck_assert(state->t == t && state->q[0] == q && state->v[0] == v);
            free(saved);
            carom_sim_free(sim);
        }
}
END_TEST

START_TEST(a_step_that_fails_leaves_the_state_alone_and_says_when_it_was)
{
    carom_model model = ball_model();
    model.force = breaking_force;
    for (int i = 0; carom_scheme_method(i); i++) {
        carom_sim *sim = simulate(&model, carom_scheme_method(i)->name, 0.01);
        const carom_state *state = carom_sim_state(sim);
        double t = 0, q = 1, v = 0;
        carom_status status = carom_sim_step(sim);
        for (int k = 0; status == CAROM_OK && k < 1000; k++) {
            t = state->t, q = state->q[0], v = state->v[0];
            status = carom_sim_step(sim);
        }
        ck_assert_msg(status != CAROM_OK, "%s steps on without numbers", carom_scheme_method(i)->name);
        CHECK_NEAR(t, 0.5, 0.011);
        ck_assert(state->t == t && state->q[0] == q && state->v[0] == v);
        ck_assert_msg(strstr(carom_sim_error(sim)->text, "t = 0."), "no time in: %s", carom_sim_error(sim)->text);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(every_scheme_passes_the_zeno_point_and_rests)
{
    const carom_model model = ball_model();
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *scheme = carom_scheme_method(i)->name;
        const double h = 0.00137;
        carom_sim *sim = simulate(&model, scheme, h);
        ck_assert_int_eq(carom_sim_run(sim, 6), CAROM_OK);
        const carom_state *state = carom_sim_state(sim);
        ck_assert_msg(fabs(state->q[0]) < 2*h && fabs(state->v[0]) < 1e-10, "%s: q = %g, v = %g after the Zeno point", scheme,
                      state->q[0], state->v[0]);
        ck_assert_msg(state->mode[0] == CAROM_CLOSED, "%s: the resting contact counts as open", scheme);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(no_scheme_gains_energy_on_the_box)
{
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *scheme = carom_scheme_method(i)->name;
        box_store store;
        const carom_model model = box_model(&store, 0.4, 0.3);
        carom_error error = {0};
        carom_options options = carom_options_default();
        carom_sim *sim = NULL;
        CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
        options.h = 1e-3;
        options.energy = true;
        CHECK_OK(carom_sim_new(&sim, &model, &options, &error), error);
        double most = -1, before = carom_sim_info(sim)->energy_initial;
        for (int k = 0; k < 3000; k++) {
            ck_assert_int_eq(carom_sim_step(sim), CAROM_OK);
            const double now = carom_sim_info(sim)->energy_final;
            most = fmax(most, now - before);
            before = now;
        }
        ck_assert_msg(most < 1e-4, "%s: gains %g in a step", scheme, most);
        CHECK_NEAR(before, 0.3*9.81, 1e-3); /* flat on the ground */
        carom_sim_free(sim);
    }
}
END_TEST

TEST_MAIN("schemes", every_scheme_has_its_declared_order_in_smooth_motion,
          every_scheme_has_its_declared_order_through_infinitely_many_impacts,
          a_saved_and_a_restarted_simulation_repeat_every_bit,
          a_step_that_fails_leaves_the_state_alone_and_says_when_it_was, every_scheme_passes_the_zeno_point_and_rests,
          no_scheme_gains_energy_on_the_box)
