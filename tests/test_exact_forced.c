/* test_exact_forced.c: the scheme `exact` on model files with forces and gaps that depend on time: known periodic
 * orbits, sticking phases, independent integration. */
#include <stdio.h>
#include <string.h>

#include "exact_testing.h"
#include "reference.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

/* ---- the impact oscillator ---- */

static const char *const oscillator_names[] = {"w", "alpha", "e", "umin", "q.u", "v.u"};

START_TEST(the_impact_oscillator_settles_on_its_periodic_orbit)
{
    static record r;
    carom_model *m = with("impact-oscillator", oscillator_names, (const double[]){2.5, 0.05, 0.5, 0, 0.3, 0.1}, 6);
    double T = 2 * pi() / 2.5;
    carom_sim *sim = begin(m, T, false, &r);
    RUN(sim, 100 * T);
    const carom_event *last = &r.event[r.nevent - 1], *before = &r.event[r.nevent - 2];
    CHECK_NEAR(last->u_before[0], -.703745586353, 1e-12);
    CHECK_NEAR(2.5 * last->t - 2 * pi() * floor(last->t / T), 5.7923881459, 1e-10);
    CHECK_NEAR(last->t - before->t, T, 1e-12);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

static void oscillator_force(const carom_point *at, double *F)
{
    F[0] = cos(2.5 * at->t) - at->p[0] * at->v[0] - at->q[0];
}

static void one(const carom_point *at, double *out)
{
    (void)at;
    out[0] = 1;
}

static void oscillator_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - at->p[1];
}

START_TEST(forced_impacts_agree_with_an_independent_integration)
{
    /* a stable motion over 30 periods, a chaotic one as long as errors of 1e-13 stay small */
    static const double alpha[] = {0.05, 0.25}, e[] = {0.5, 0.8}, umin[] = {0, 0.5}, periods[] = {30, 6},
                        tolerance[] = {1e-10, 1e-9};
    for (int k = 0; k < 2; k++) {
        double T = 2 * pi() / 2.5, x[2] = {1, 0}, p[2] = {2 * alpha[k], umin[k]}, end = periods[k] * T + 0.3;
        carom_contact stop = {.restitution = e[k]};
        carom_model same = {.size = sizeof same, .nq = 1,
                            .nv = 1,
                            .np = 2,
                            .p = p,
                            .ncontact = 1,
                            .contact = &stop,
                            .mass = one,
                            .jacobian = one,
                            .force = oscillator_force,
                            .gap = oscillator_gap};
        carom_model *m =
            with("impact-oscillator", oscillator_names, (const double[]){2.5, alpha[k], e[k], umin[k], 1, 0}, 6);
        carom_sim *sim = begin(m, 0.9, true, NULL);
        RUN(sim, end);
        reference_run(&same, 0, end, 2e-4, x);
        CHECK_NEAR(carom_sim_state(sim)->q[0], x[0], tolerance[k]);
        CHECK_NEAR(carom_sim_state(sim)->v[0], x[1], tolerance[k]);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-12);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

static void on_jump(void *user, const carom_jump *jump)
{
    double *most = user;
    *most = fmax(*most, fabs(jump->q[0] - 0.7));
}

START_TEST(impacts_stay_at_the_stop_however_many_there_are)
{
    double most = 0;
    carom_model *m = with("impact-oscillator", oscillator_names, (const double[]){2.5, 0.25, 0.8, 0.7, 1, 0}, 6);
    carom_sim *sim = begin(m, 2, false, NULL);
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &most, .jump = on_jump});
    RUN(sim, 20000);
    CHECK_AT_LEAST((double)carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 10000);
    CHECK_AT_MOST(most, 1.2e-16);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* x'' + x = a cos(2t) + b sin(3t) + c cos(5t) from rest: x = sum of A (cos wt - cos t) + B (sin wt - w sin t). */
START_TEST(three_frequencies_of_the_forcing_are_each_taken_for_itself)
{
    static const char text[] = "carom: 1\ncoordinates: {x: 0}\nkinetic: x'^2/2\npotential: x^2/2\n"
                               "forces: {x: 1.5*cos(2*t) + 0.7*sin(3*t) - 2*cos(5*t)}\n";
    carom_model *m;
    carom_error error;
    carom_options o = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", "exact", &error), error);
    o.t_end = 10;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    for (double t = 0.7; t < 10; t += 1.3) {
        RUN(sim, t);
        double A2 = 1.5 / (1 - 4), B3 = 0.7 / (1 - 9), A5 = -2. / (1 - 25);
        double x = A2 * (cos(2 * t) - cos(t)) + B3 * (sin(3 * t) - 3 * sin(t)) + A5 * (cos(5 * t) - cos(t));
        double v = A2 * (sin(t) - 2 * sin(2 * t)) + 3 * B3 * (cos(3 * t) - cos(t)) + A5 * (sin(t) - 5 * sin(5 * t));
        CHECK_NEAR(carom_sim_state(sim)->q[0], x, 1e-12);
        CHECK_NEAR(carom_sim_state(sim)->v[0], v, 1e-12);
    }
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* A ball that rests on a table which moves with three frequencies, gently enough to carry it all the time. */
START_TEST(a_ball_is_carried_by_a_table_with_three_frequencies)
{
    static const char text[] = "carom: 1\ncoordinates: {y: 0.25}\nvelocities: {y: 0.55}\nkinetic: y'^2/2\n"
                               "potential: 10*y\ncontacts: {table: {restitution: 0, "
                               "gap: y - 0.2*sin(2*t) - 0.1*cos(3*t) - 0.03*sin(5*t) - 0.15*cos(t)}}\n";
    carom_model *m;
    carom_error error;
    carom_options o = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", "exact", &error), error);
    o.t_end = 10;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    for (double t = 0.7; t < 10; t += 1.3) {
        RUN(sim, t);
        double y = 0.2 * sin(2 * t) + 0.1 * cos(3 * t) + 0.03 * sin(5 * t) + 0.15 * cos(t);
        double v = 0.4 * cos(2 * t) - 0.3 * sin(3 * t) + 0.15 * cos(5 * t) - 0.15 * sin(t);
        CHECK_NEAR(carom_sim_state(sim)->q[0], y, 1e-12);
        CHECK_NEAR(carom_sim_state(sim)->v[0], v, 1e-12);
    }
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(results_do_not_depend_on_the_step)
{
    carom_model *m = with("impact-oscillator", oscillator_names, (const double[]){2.5, 0.05, 0.5, 0, 1, 0}, 6);
    static const double steps[] = {0.001, 0.0317, 0.5, 3, 100};
    double q = 0;
    for (int k = 0; k < 5; k++) {
        carom_sim *sim = begin(m, steps[k], false, NULL);
        RUN(sim, 90);
        if (k == 0)
            q = carom_sim_state(sim)->q[0];
        CHECK_NEAR(carom_sim_state(sim)->q[0], q, 1e-13);
        carom_sim_free(sim);
    }
    carom_model_free(m);
}
END_TEST

/* ---- moving gaps ---- */

START_TEST(a_ball_on_a_vibrating_table_hits_once_per_period)
{
    static const double Gamma[] = {1.2, 1.5}, e = 0.5;
    for (int k = 0; k < 2; k++) {
        static record r;
        double th = acos(pi() * (1 - e) / (1 + e) / Gamma[k]), rest = 2 * pi() - th;
        const double values[] = {1, e, Gamma[k], 1, Gamma[k] * sin(th) + pi() * rest - rest * rest / 2, pi() - rest};
        carom_model *m = with("vibrating-table", (const char *const[]){"g", "e", "A", "w", "q.y", "v.y"}, values, 6);
        carom_sim *sim = begin(m, 2 * pi(), true, &r);
        RUN(sim, 60 * pi());
        ck_assert_int_eq(r.nevent, 30);
        for (int i = 0; i < 30; i++) {
            CHECK_NEAR(r.event[i].t, th + 2 * pi() * i, 1e-12);
            CHECK_NEAR(r.event[i].u_before[0], -2 * pi() / (1 + e), 1e-12);
        }
        if (k == 0)
            CHECK_NEAR(th, .510163608543, 1e-12);
        CHECK_NEAR(carom_sim_info(sim)->dissipated_impact, 15 * (1 - e * e) * pow(2 * pi() / (1 + e), 2), 1e-10);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-10);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

/* With Gamma < 1 a ball that is laid on the table stays; with Gamma > 1 it leaves when the table's acceleration is
 * -g. */
START_TEST(a_ball_leaves_the_table_when_the_table_falls_faster)
{
    for (int k = 0; k < 2; k++) {
        static record r;
        double Gamma = k ? 1.1 : 0.99;
        const double values[] = {1, 0, Gamma, 1, 0, Gamma};
        carom_model *m = with("vibrating-table", (const char *const[]){"g", "e", "A", "w", "q.y", "v.y"}, values, 6);
        carom_sim *sim = begin(m, 0.5, true, &r);
        RUN(sim, 20);
        if (k == 0) {
            ck_assert_int_eq(r.nevent, 0);
            CHECK_NEAR(carom_sim_state(sim)->q[0], Gamma * sin(20), 1e-15);
            CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-13);
        } else {
            CHECK_NEAR(of_type(&r, CAROM_EVENT_OPENING, 0)->t, asin(1 / Gamma), 4e-15);
            ck_assert_int_eq(r.event[1].type, CAROM_EVENT_IMPACT);
            ck_assert_int_eq(r.event[2].type, CAROM_EVENT_CLOSING);
            CHECK_NEAR(of_type(&r, CAROM_EVENT_OPENING, 1)->t, asin(1 / Gamma) + 2 * pi(), 1e-14);
        }
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

/* ---- two masses in a chain, the second one against a stop ---- */

static const char chain[] =
    "carom: 1\nname: chain\nparameters: {w: 1.4, e: 0.8, d: 0.5, a: 1, b: 0.1}\ncoordinates: {x1: 0, x2: 0}\n"
    "kinetic: (x1'^2 + x2'^2)/2\npotential: x1^2 - x1*x2 + x2^2/2\n"
    "forces: {x1: \"b*(-2*x1' + x2') + a*cos(w*t)\", x2: \"b*(x1' - x2')\"}\n"
    "contacts:\n  stop: {gap: d - x2, restitution: e}\nperiod: 2*pi/w\n";

typedef struct orbit {
    double w, e, d, x[4], t, u; /* x1 x2 v1 v2 at t = 0; the first impact */
} orbit;

static carom_model *chain_model(const orbit *o)
{
    carom_error error = {0};
    carom_model *m = parse(chain);
    const char *const names[] = {"w", "e", "d", "q.x1", "q.x2", "v.x1", "v.x2"};
    const double values[] = {o->w, o->e, o->d, o->x[0], o->x[1], o->x[2], o->x[3]};
    CHECK_OK(carom_model_set(m, names, values, 7, &error), error);
    return m;
}

static void check_return(const orbit *o, double h, record *r)
{
    carom_model *m = chain_model(o);
    carom_sim *sim = begin(m, h, true, r);
    RUN(sim, 2 * pi() / o->w);
    const carom_state *s = carom_sim_state(sim);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(i < 2 ? s->q[i] : s->v[i - 2], o->x[i], 2e-11);
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 2e-13);
    carom_sim_free(sim);
    carom_model_free(m);
}

START_TEST(the_chain_returns_after_a_period)
{
    static const orbit orbits[] = {
        {1.4, .8, .5, {-.164730606491, -1.471705195044, .355473806487, -.214739398985}, 2.311183432477, -.798439004746},
        {1.1, .6, .2, {-.20441264086, -2.371684279553, 1.273376465932, 1.203650725712}, 1.163579090939,
         -2.792496073612},
        {1.7, .8, 0, {-.599134191487, -2.034379593537, 1.125250525039, -1.019754986124}, 0, 0}};
    for (int k = 0; k < 3; k++) {
        static record r;
        check_return(&orbits[k], 0.4, &r);
        ck_assert_int_eq(r.event[0].type, CAROM_EVENT_IMPACT);
        if (orbits[k].t > 0) {
            CHECK_NEAR(r.event[0].t, orbits[k].t, 2e-12);
            CHECK_NEAR(r.event[0].u_before[0], orbits[k].u, 2e-12);
        }
    }
}
END_TEST

START_TEST(the_chain_sticks_to_a_plastic_stop_and_leaves_it)
{
    static record r;
    static const orbit o = {.8, 0, .2, {-.525222825909, -.781303449835, 1.351272215487, 1.8176002028}, 0, 0};
    check_return(&o, 1, &r);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, .5274817433, 1e-10);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_OPENING, 0)->t, 2.6186694988, 1e-10);
}
END_TEST

START_TEST(the_chain_chatters_sticks_and_leaves)
{
    static record r;
    static const orbit o = {.5, .3, .3, {1.246393001858, .290776308152, -.074755349628, -.056850303113}, 0, 0};
    check_return(&o, 0.5, &r);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_IMPACT, 0)->t, .2147601695, 1e-10);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, .354764, 1e-6);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_OPENING, 0)->t, 1.4458268602, 1e-10);
    CHECK_NEAR(r.event[r.nevent - 2].t, 11.4466560425, 1e-9);
    CHECK_NEAR(r.event[r.nevent - 1].t, 12.4748326725, 1e-9);
}
END_TEST

START_TEST(kerns_ball_takes_off_when_the_force_changes_sign)
{
    static record r;
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, "take-off", NULL, &error), error);
    carom_sim *sim = begin(m, 0.01, false, &r);
    RUN(sim, 10);
    double w = pi() / 5, t0 = (pi() + asin(1 / 1.2)) / w, a = 12 / (w * w), s = 10 - t0;
    ck_assert_int_eq(r.nevent, 1);
    CHECK_NEAR(r.event[0].t, t0, 1e-14);
    CHECK_NEAR(carom_sim_state(sim)->q[0], a * (sin(w * 10) - sin(w * t0) - w * cos(w * t0) * s) - 5 * s * s, 1e-12);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("exact forced", the_impact_oscillator_settles_on_its_periodic_orbit,
          forced_impacts_agree_with_an_independent_integration, impacts_stay_at_the_stop_however_many_there_are,
          three_frequencies_of_the_forcing_are_each_taken_for_itself, results_do_not_depend_on_the_step,
          a_ball_is_carried_by_a_table_with_three_frequencies,
          a_ball_on_a_vibrating_table_hits_once_per_period,
          a_ball_leaves_the_table_when_the_table_falls_faster, the_chain_returns_after_a_period,
          the_chain_sticks_to_a_plastic_stop_and_leaves_it, the_chain_chatters_sticks_and_leaves,
          kerns_ball_takes_off_when_the_force_changes_sign)
#endif
