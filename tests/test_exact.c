/* test_exact.c: flights in closed form against exact solutions, known periodic orbits and independent integrations. */
#include <stdio.h>
#include <string.h>

#include "core/polynomial.h"
#include "exact_testing.h"
#include "systems.h"

/* ---- balls ---- */

START_TEST(the_ball_hits_at_its_exact_times_and_rests_from_the_accumulation_point_on)
{
    static const double steps[] = {0.0001, 0.01, 0.7, 10};
    for (int k = 0; k < 4; k++) {
        static record r;
        point_store store;
        carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
        carom_sim *sim = begin(&ball, steps[k], true, &r);
        long double impulse = 0;
        while (carom_sim_state(sim)->t < 3.5) {
            STEP(sim);
            impulse += carom_sim_state(sim)->impulse[0];
        }
        double t = carom_sim_state(sim)->t;
        CHECK_NEAR((double)(impulse - 2 * t), 0, 4e-14);
        for (int n = 0; n < 29; n++) {
            const carom_event *e = of_type(&r, CAROM_EVENT_IMPACT, n);
            CHECK_NEAR(e->t, 3 - ldexp(1, 1 - n), 3e-15);
            CHECK_NEAR(e->u_before[0], -ldexp(1, 1 - n), 3e-15);
            CHECK_NEAR(e->u_after[0], ldexp(1, -n), 3e-15);
        }
        CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, 3, 3e-15);
        const carom_info *info = carom_sim_info(sim);
        ck_assert_int_eq(info->nzeno, 1);
        CHECK_NEAR(info->zeno[0].t, 3, 3e-15);
        ck_assert_int_eq(info->zeno[0].impacts, info->events[CAROM_EVENT_IMPACT]);
        ck_assert_int_eq(info->zeno[0].impacts + info->zeno[0].skipped, 53); /* 2^-53 is the last that is seen */
        STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        CHECK_NEAR(s->impulse[0], 2 * steps[k], 1e-15 * steps[k]);
        ck_assert(s->q[0] == 0 && s->v[0] == 0 && s->mode[0] == CAROM_CLOSED);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-13);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(kerns_ball_rests_from_its_accumulation_point_on)
{
    static record r;
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
    carom_sim *sim = begin(&ball, 0.01, false, &r);
    RUN(sim, 7);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, 19 * sqrt(0.1), 1e-14);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, 6.0083275543, 1e-10);
    CHECK_NEAR(carom_sim_state(sim)->q[0], 0, 1e-18);
    carom_sim_free(sim);
}
END_TEST

START_TEST(an_elastic_ball_keeps_its_energy_over_many_bounces)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    carom_sim *sim = begin(&ball, 0.37, true, NULL);
    RUN(sim, 3000);
    const carom_info *i = carom_sim_info(sim);
    CHECK_AT_LEAST((double)i->events[CAROM_EVENT_IMPACT], 4700);
    CHECK_NEAR(i->energy_final, 5, 1e-12);
    CHECK_AT_MOST(i->max_penetration, 1e-15);
    carom_sim_free(sim);
}
END_TEST

/* ---- the linear oscillator with a stop ---- */

START_TEST(the_oscillator_hits_its_stop_at_the_published_times)
{
    static const double t[] = {.5069846364299193, 1.500940565280607, 2.4948964941312943, 3.488852422981983,
                               4.482808351832671};
    static const double u[2][5] = {
        {-3.0059512777137427, -1.3607708074919005, -.6160103805576373, -.27886311704039385, -.1262391682021474},
        {-3.0059512777137427, -2.449387453485421, -1.9958736330067455, -1.6263296985795772, -1.3252082921188628}};
    for (int k = 0; k < 4; k++) {
        static record r;
        point_store store;
        carom_model m = point_model(&store, 1, 0, 10, 0.2, k % 2 ? 0.9 : 0.5, 1, 0);
        carom_sim *sim = begin(&m, k < 2 ? 0.003 : 5, true, &r);
        RUN(sim, 5);
        ck_assert_int_eq(r.nevent, 5);
        for (int i = 0; i < 5; i++) {
            CHECK_NEAR(r.event[i].t, t[i], 2e-14);
            CHECK_NEAR(r.event[i].u_before[0], u[k % 2][i], 3e-14);
        }
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-12); /* powers come from differences here */
        carom_sim_free(sim);
    }
}
END_TEST

/* q'' + 0.2 q' + 10 q = -5 bounce by bounce with long doubles: the time of the accumulation point. */
static long double accumulation(void)
{
    long double q = 1, v = 0, t = 0, w = sqrtl(10 - 0.01L), x, y;
    for (int k = 0; k < 45; k++) {
        long double c = q + 0.5L, d = (v + 0.1L * c) / w;
        long double s = k == 0 ? 0.4L : 2 * v / (5 + 0.2L * v);
        for (int i = 0; i < 60; i++) {
            long double e = expl(-0.1L * s);
            long double half = sinl(w * s / 2);
            /* does not cancel where q = 0 */
            x = c * (expm1l(-0.1L * s) - 2 * e * half * half) + e * d * sinl(w * s) + q;
            y = e * ((w * d - 0.1L * c) * cosl(w * s) - (w * c + 0.1L * d) * sinl(w * s));
            s -= x / y;
        }
        t += s, q = 0, v = -0.5L * y;
    }
    return t + 4 * v / 5;
}

START_TEST(chatter_under_a_spring_ends_at_the_right_time_and_in_rest)
{
    static record r;
    point_store store;
    carom_model m = point_model(&store, 1, -5, 10, 0.2, 0.5, 1, 0);
    carom_sim *sim = begin(&m, 0.1, true, &r);
    RUN(sim, 3);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, 1.7367, 5e-5);
    CHECK_NEAR(of_type(&r, CAROM_EVENT_CLOSING, 0)->t, (double)accumulation(), 1e-14);
    const carom_state *s = carom_sim_state(sim);
    ck_assert(s->mode[0] == CAROM_CLOSED && s->v[0] == 0);
    CHECK_NEAR(s->impulse[0], 0.5, 1e-12);
    CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-12);
    carom_sim_free(sim);
}
END_TEST

/* ---- events that are easy to miss ---- */

START_TEST(a_dip_below_zero_is_found_however_short)
{
    for (int k = -1; k <= 1; k += 2) {
        static record r;
        point_store store;
        carom_model m = point_model(&store, 1, 2, 0, 0, 1, 1 - k * 1e-12, -2);
        carom_sim *sim = begin(&m, 10, false, &r);
        RUN(sim, 10);
        ck_assert_int_eq(r.nevent, k > 0);
        if (k > 0)
            CHECK_NEAR(r.event[0].t, 1 - 1e-6, 1e-10);
        carom_sim_free(sim);
    }
}
END_TEST

static void wall_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] + 1 - 1e-9;
}

START_TEST(a_grazing_oscillator_hits_once_per_period)
{
    static record r;
    point_store store;
    carom_model m = point_model(&store, 1, 0, 1, 0, 1, 1, 0);
    m.gap = wall_gap;
    carom_sim *sim = begin(&m, 1, false, &r);
    RUN(sim, 40 * acos(-1) - 1);
    ck_assert_int_eq(r.nevent, 20);
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_first_root_is_found_among_close_ones)
{
    unsigned seed = 7;
    for (int trial = 0; trial < 2000; trial++) {
        double root[8], first = INFINITY, c[CAROM_POLYNOMIAL_MAX] = {1}, b[CAROM_POLYNOMIAL_MAX];
        int n = 1 + trial % 4;
        for (int i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            root[i] = i % 3 == 1 ? root[i - 1] * (1 + 1e-4) : 0.05 + 1.5 * seed / 4294967296.0;
            first = fmin(first, root[i]);
            for (int k = i + 1; k >= 0; k--)
                c[k] = (k ? -c[k - 1] / root[i] : 0) + c[k];
        }
        carom_polynomial_bernstein(n, c, b);
        double found = carom_polynomial_first_root(n, c, b, 1);
        if (first > 1)
            ck_assert(found == INFINITY);
        else
            CHECK_NEAR(found, first, 2e-5); /* a pair is 1e-4 apart */
    }
}
END_TEST

/* ---- joints ---- */

static void pair_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1, M[1] = M[2] = 0, M[3] = 3;
}

static void pair_force(const carom_point *at, double *F)
{
    F[0] = -2 - 5 * at->q[0], F[1] = 1 - 0.3 * at->v[1];
}

static void pair_force_q(const carom_point *at, double *K)
{
    (void)at;
    K[0] = -5, K[1] = K[2] = K[3] = 0;
}

static void pair_force_v(const carom_point *at, double *C)
{
    (void)at;
    C[3] = -0.3, C[0] = C[1] = C[2] = 0;
}

static void pair_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - at->q[1] - 1, g[1] = at->q[0] + 0.1;
}

static void pair_jacobian(const carom_point *at, double *G)
{
    (void)at;
    G[0] = 1, G[1] = -1, G[2] = 1, G[3] = 0;
}

START_TEST(two_masses_on_a_rod_move_as_one)
{
    static const carom_contact stop = {.name = "stop", .restitution = 0.6};
    static const double q[] = {1, 0};
    carom_model m = {.size = sizeof m, .name = "rod",
                     .nq = 2,
                     .nv = 2,
                     .njoint = 1,
                     .ncontact = 1,
                     .contact = &stop,
                     .q = q,
                     .constant = AFFINE,
                     .mass = pair_mass,
                     .force = pair_force,
                     .gap = pair_gap,
                     .jacobian = pair_jacobian,
                     .force_q = pair_force_q,
                     .force_v = pair_force_v};
    point_store store;
    carom_model one = point_model(&store, 4, -1 - 5 * -0.1, 5, 0.3, 0.6, 1.1, 0); /* y = x + 0.1 */
    carom_sim *a = begin(&m, 0.5, false, NULL), *b = begin(&one, 0.5, false, NULL);
    for (int k = 1; k < 40; k++) {
        RUN(a, 0.25 * k);
        RUN(b, 0.25 * k);
        const carom_state *s = carom_sim_state(a), *r = carom_sim_state(b);
        CHECK_NEAR(s->q[0] + 0.1, r->q[0], 1e-13);
        CHECK_NEAR(s->v[1], r->v[0], 1e-13);
        CHECK_NEAR(s->q[0] - s->q[1] - 1, 0, 1e-15);
        ck_assert_int_eq(s->mode[0], r->mode[0]);
    }
    ck_assert_int_eq(carom_sim_state(a)->mode[0], CAROM_OPEN);
    carom_sim_free(a), carom_sim_free(b);
}
END_TEST

/* ---- what it refuses ---- */

static void expect_refusal(const carom_model *m, const char *words)
{
    carom_error error = {0};
    carom_sim *sim = NULL;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", "exact", &error), error);
    ck_assert_int_eq(carom_sim_new(&sim, m, &o, &error), CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
    ck_assert_ptr_null(sim);
}

static void moving_force(const carom_point *at, double *F)
{
    F[0] = -2 + 1e-6 * sin(at->t);
}

START_TEST(models_that_are_not_linear_are_refused_with_the_reason)
{
    point_store store;
    box_store corners;
    carom_model box = box_model(&corners, 0.3, 0.5), ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0),
                chain = double_pendulum();
    carom_model swing = pendulum();
    expect_refusal(&box, "contact 'left' has friction");
    expect_refusal(&chain, "the mass matrix is not constant");
    expect_refusal(&swing, "R_q is not constant");
    ball.force = moving_force;
    expect_refusal(&ball, "native code");
    ball = point_model(&store, 1, -2, 4, 0, 0.5, 1, 0);
    ball.constant &= ~(unsigned)CAROM_R_V;
    expect_refusal(&ball, "R_v is not constant");
}
END_TEST

/* ---- restart, dense output ---- */

START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    point_store store;
    carom_model m = point_model(&store, 1, -5, 10, 0.2, 0.5, 1, 0);
    const double p[] = {2, -4, 7, 0.3};
    carom_sim *a = begin(&m, 0.01, true, NULL), *b = begin(&m, 0.01, true, NULL);
    ck_assert_int_eq(carom_sim_restart(a, NULL, NULL, p), CAROM_OK); /* b learns of p by loading */
    for (int k = 0; k < 150; k++)
        STEP(a);
    size_t size = carom_sim_save(a, NULL, 0);
    void *saved = malloc(size), *end_a = malloc(size), *end_b = malloc(size);
    carom_sim_save(a, saved, size);
    ck_assert_int_eq(carom_sim_load(b, saved, size), CAROM_OK);
    for (int k = 0; k < 600; k++) {
        STEP(a);
        STEP(b);
        ck_assert(carom_sim_state(a)->q[0] == carom_sim_state(b)->q[0] &&
                  carom_sim_state(a)->v[0] == carom_sim_state(b)->v[0]);
    }
    ck_assert_int_eq(carom_sim_state(a)->mode[0], CAROM_CLOSED);
    carom_sim_free(a), carom_sim_free(b);
    free(saved), free(end_a), free(end_b);
}
END_TEST

START_TEST(dense_output_is_as_exact_as_the_nodes)
{
    point_store store;
    carom_error error;
    carom_trajectory *tr;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0),
                spring = point_model(&(point_store){0}, 1, 0, 9, 0, 1, 1, 0);
    carom_sim *sim = begin(&ball, 5, false, NULL);
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    RUN(sim, 5);
    for (double t = 1.01; t < 1.99; t += 0.01) {
        double q, v;
        ck_assert_int_eq(carom_trajectory_at(tr, t, 1, &q, &v), CAROM_OK);
        CHECK_NEAR(q, (t - 1) * (2 - t), 1e-14);
        CHECK_NEAR(v, 3 - 2 * t, 1e-14);
    }
    carom_trajectory_free(tr);
    carom_sim_free(sim);
    sim = begin(&spring, 0.5, false, NULL);
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    RUN(sim, 0.5);
    for (double t = 0; t < 0.5; t += 0.01) {
        double q, v;
        ck_assert_int_eq(carom_trajectory_at(tr, t, 1, &q, &v), CAROM_OK);
        CHECK_NEAR(q, cos(3 * t), 1e-15);
        CHECK_NEAR(v, -3 * sin(3 * t), 4e-15);
    }
    carom_trajectory_free(tr);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("exact", the_ball_hits_at_its_exact_times_and_rests_from_the_accumulation_point_on,
          kerns_ball_rests_from_its_accumulation_point_on, an_elastic_ball_keeps_its_energy_over_many_bounces,
          the_oscillator_hits_its_stop_at_the_published_times,
          chatter_under_a_spring_ends_at_the_right_time_and_in_rest, a_dip_below_zero_is_found_however_short,
          a_grazing_oscillator_hits_once_per_period, the_first_root_is_found_among_close_ones,
          two_masses_on_a_rod_move_as_one, models_that_are_not_linear_are_refused_with_the_reason,
          going_on_after_a_load_gives_the_same_bits, dense_output_is_as_exact_as_the_nodes)
