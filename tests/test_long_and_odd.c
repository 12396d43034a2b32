/* test_long_and_odd.c: very many steps, very long times, other units, another order of names: the same motion. */
#include <string.h>

#include "running.h"
#include "schemes/scheme.h"
#include "sim/sim.h"

START_TEST(a_hundred_million_steps_do_not_shift_the_time)
{
    carom_state now = {0}, next = {0};
    double low = 0, low_next = 0;
    carom_step step = {.now = &now, .next = &next, .t_low = &low, .t_low_next = &low_next};
    for (int k = 0; k < 100000000; k++) {
        carom_step_advance(&step, 0.1);
        now.t = next.t, low = low_next;
    }
    /* 0.1 is 0x1.999999999999ap-4: 1e8 of them are 1e7 + 1e8*5.55e-18; a plain sum is off by 0.02 */
    CHECK_NEAR(now.t - 1e7, 0, 4e-9);
    CHECK_NEAR((now.t - 1e7) + low, 1e8 * 5.551115123125783e-18, 1e-12);
}
END_TEST

#ifndef CAROM_NO_YAML
static carom_model *parsed(const char *text)
{
    carom_model *m;
    carom_error error;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    return m;
}

static carom_sim *simulated(const carom_model *m, const char *scheme, double h, double t_end, double rtol)
{
    carom_options o = carom_options_default();
    carom_error error;
    carom_sim *sim;
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h, o.t_end = t_end, o.rtol = rtol, o.atol = rtol * 1e-3;
    if (carom_sim_new(&sim, m, &o, &error) == CAROM_UNSUPPORTED)
        return NULL;
    ck_assert_msg(sim, "%s", error.text);
    RUN(sim, t_end);
    return sim;
}

static double of(const carom_sim *sim, const carom_model *m, const char *name, bool velocity)
{
    for (int i = 0; i < m->nq; i++)
        if (!strcmp(m->q_name[i], name))
            return (velocity ? carom_sim_state(sim)->v : carom_sim_state(sim)->q)[i];
    ck_abort_msg("no coordinate %s", name);
    return 0;
}

/* A pair of masses with friction between two walls, and once more with all names and contacts in another order. */
START_TEST(the_order_of_coordinates_and_contacts_does_not_matter)
{
    static const char *const texts[] = {
        "carom: 1\ncoordinates: {x: 0.1, y: 0.5, z: 0.2}\nvelocities: {x: 1, y: 0, z: -1.5}\n"
        "kinetic: x'^2/2 + y'^2 + 0.75*z'^2 + 0.1*x'*z'\npotential: 9.81*y + 2*(x - z)^2\n"
        "contacts:\n  floor: {gap: y, restitution: 0.6, slip: [x'], friction: 0.3}\n"
        "  left: {gap: x + 1, restitution: 0.8}\n  right: {gap: 1 - z, restitution: 0.7}\n"
        "  bottom: {gap: z + 1, restitution: 0.5}\n",
        "carom: 1\ncoordinates: {z: 0.2, x: 0.1, y: 0.5}\nvelocities: {z: -1.5, x: 1, y: 0}\n"
        "kinetic: x'^2/2 + y'^2 + 0.75*z'^2 + 0.1*x'*z'\npotential: 9.81*y + 2*(x - z)^2\n"
        "contacts:\n  bottom: {gap: z + 1, restitution: 0.5}\n  right: {gap: 1 - z, restitution: 0.7}\n"
        "  floor: {gap: y, restitution: 0.6, slip: [x'], friction: 0.3}\n  left: {gap: x + 1, restitution: 0.8}\n"};
    static const char *const names[] = {"x", "y", "z"};
    carom_model *a = parsed(texts[0]), *b = parsed(texts[1]);
    int taken = 0;
    for (int i = 0; carom_scheme_list(i); i++) {
        const char *scheme = carom_scheme_list(i)->method.name;
        carom_sim *s = simulated(a, scheme, 0.01, 2, 1e-9), *t = simulated(b, scheme, 0.01, 2, 1e-9);
        double most = 0;
        ck_assert((s == NULL) == (t == NULL));
        if (!s)
            continue;
        taken++;
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(of(s, a, names[k], false) - of(t, b, names[k], false)));
            most = fmax(most, fabs(of(s, a, names[k], true) - of(t, b, names[k], true)));
        }
        printf("%-22s another order: %.1e apart, %ld impacts\n", scheme, most,
               carom_sim_info(s)->events[CAROM_EVENT_IMPACT]);
        CHECK_AT_MOST(most, 1e-10);
        ck_assert_int_eq(carom_sim_info(s)->events[CAROM_EVENT_IMPACT], carom_sim_info(t)->events[CAROM_EVENT_IMPACT]);
        carom_sim_free(s), carom_sim_free(t);
    }
    CHECK_AT_LEAST(taken, 9);
    carom_model_free(a), carom_model_free(b);
}
END_TEST

/* Discs and a box, and once more in another order. Steps that end at their impacts: where surfaces overlap the point of
 * contact is on that of the first body. */
START_TEST(the_order_of_bodies_does_not_matter)
{
    static const char *const texts[] = {
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  a: {shape: {circle: 0.1}, mass: 1, at: [0, 0.3], velocity: [0.5, 0]}\n"
        "  b: {shape: {circle: 0.15}, mass: 2, at: [0.02, 0.7]}\n"
        "  c: {shape: {box: [0.3, 0.2]}, mass: 1.5, at: [-0.5, 0.4], angle: 0.2, velocity: [1, 0]}\n"
        "laws: {default: {friction: 0.3, restitution: 0.4}}\n",
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  c: {shape: {box: [0.3, 0.2]}, mass: 1.5, at: [-0.5, 0.4], angle: 0.2, velocity: [1, 0]}\n"
        "  b: {shape: {circle: 0.15}, mass: 2, at: [0.02, 0.7]}\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  a: {shape: {circle: 0.1}, mass: 1, at: [0, 0.3], velocity: [0.5, 0]}\n"
        "laws: {default: {friction: 0.3, restitution: 0.4}}\n"};
    static const char *const names[] = {"a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "c.angle"};
    static const char *const schemes[] = {"mixed", "tolerance"};
    carom_model *a = parsed(texts[0]), *b = parsed(texts[1]);
    for (int i = 0; i < 2; i++) {
        carom_sim *s = simulated(a, schemes[i], 0.001, 0.35, 1e-10), *t = simulated(b, schemes[i], 0.001, 0.35, 1e-10);
        double most = 0;
        ck_assert(s && t);
        for (int k = 0; k < 7; k++)
            most = fmax(most, fabs(of(s, a, names[k], false) - of(t, b, names[k], false)));
        printf("%-22s another order of bodies: %.1e apart, %ld impacts\n", schemes[i], most,
               carom_sim_info(s)->events[CAROM_EVENT_IMPACT]);
        CHECK_AT_MOST(most, 1e-9);
        CHECK_AT_LEAST(carom_sim_info(s)->events[CAROM_EVENT_IMPACT], 2);
        carom_sim_free(s), carom_sim_free(t);
    }
    carom_model_free(a), carom_model_free(b);
}
END_TEST

/* What a simulation does from t = 1e9 on is what it does from 0 on: the rounding of the time, 1.2e-7 there, does not
 * get into the motion, since what is lost by it is carried along. */
START_TEST(at_a_time_of_1e9_a_ball_bounces_as_at_0)
{
    static const char text[] = "carom: 1\ncoordinates: {y: 0.5, x: 1}\nkinetic: (x'^2 + y'^2)/2\n"
                               "potential: 10*y + x^2/2\ncontacts: {ground: {gap: y, restitution: 0.8}}\n";
    carom_model *m = parsed(text);
    for (int i = 0; carom_scheme_list(i); i++) {
        const char *scheme = carom_scheme_list(i)->method.name;
        double y[2] = {0}, v[2] = {0};
        for (int k = 0; k < 2; k++) {
            carom_options o = carom_options_default();
            carom_error error;
            carom_sim *sim;
            CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
            o.h = 1e-3, o.t_end = 1.5, o.rtol = o.atol = 1e-9;
            CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
            sim->now.clock->t = k * 1e9;
            carom_sim_sync_time(sim);
            RUN(sim, k * 1e9 + 1.5);
            y[k] = carom_sim_state(sim)->q[0], v[k] = carom_sim_state(sim)->v[0];
            carom_sim_free(sim);
        }
        printf("%-22s at 1e9: %.1e, %.1e apart\n", scheme, fabs(y[1] - y[0]), fabs(v[1] - v[0]));
        CHECK_NEAR(y[1], y[0], 1e-9);
        CHECK_NEAR(v[1], v[0], 1e-9);
    }
    carom_model_free(m);
}
END_TEST

/* A ball that bounces, in units of length L and time S: L Y(t/S) with the gravity 10 L/S^2. */
static double bounced(const char *scheme, double L, double S, double *v)
{
    char text[400];
    snprintf(text, sizeof text, "carom: 1\ncoordinates: {y: %.17g}\nkinetic: y'^2/2\npotential: %.17g*y\n"
             "contacts: {ground: {gap: y, restitution: 0.9}}\n", 0.5 * L, 10 * L / (S * S));
    carom_model *m = parsed(text);
    carom_options o = carom_options_default();
    carom_error error;
    carom_sim *sim;
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = 1e-3 * S, o.t_end = 3 * S, o.rtol = 1e-9, o.atol = 1e-9 * L;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    RUN(sim, 3 * S);
    double y = carom_sim_state(sim)->q[0] / L;
    *v = carom_sim_state(sim)->v[0] * S / L;
    carom_sim_free(sim);
    carom_model_free(m);
    return y;
}

START_TEST(units_of_1e9_and_1e_9_and_times_up_to_3e9_give_the_same_motion)
{
    static const char *const schemes[] = {"tolerance", "exact", "moreau-jean", "kern"};
    static const double L[] = {1e9, 1e-9, 1, 1, 1e9}, S[] = {1, 1, 1e9, 1e-9, 1e9};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        double v, y = bounced(schemes[i], 1, 1, &v), most = 0;
        for (int k = 0; k < 5; k++) {
            double w, z = bounced(schemes[i], L[k], S[k], &w);
            most = fmax(most, fmax(fabs(z - y), fabs(w - v)));
        }
        printf("%-16s other units: %.1e apart\n", schemes[i], most);
        CHECK_AT_MOST(most, 1e-11);
    }
}
END_TEST
TEST_MAIN("long and odd", a_hundred_million_steps_do_not_shift_the_time,
          the_order_of_coordinates_and_contacts_does_not_matter, the_order_of_bodies_does_not_matter,
          at_a_time_of_1e9_a_ball_bounces_as_at_0,
          units_of_1e9_and_1e_9_and_times_up_to_3e9_give_the_same_motion)
#else
TEST_MAIN("long and odd", a_hundred_million_steps_do_not_shift_the_time)
#endif
