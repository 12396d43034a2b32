/* test_schatzman_paoli.c: the free case to the last bit, orders, the tangent of an impact, restitution, rest. */
#include "stepping.h"

#define PAOLI "schatzman-paoli"

static int first_multiplier(carom_sim *sim, double *q,
                            int steps) /* records q; the first step that ends with an impulse */
{
    const carom_state *s = carom_sim_state(sim);
    int first = 0;
    q[0] = s->q[0];
    for (int n = 1; n <= steps; n++) {
        STEP(sim);
        q[n] = s->q[0];
        if (!first && s->impulse[0] > 0)
            first = n;
    }
    return first;
}

/* ---- no forces: section 2 of the paper on the impact oscillator ---- */

START_TEST(the_free_case_follows_exact_vectors)
{
    const struct { double u0, v0, h, e; int m; double U[5]; } cases[] = {
        {1, -1, 0.3, 0.5, 3, {0.1, -0.2, -0.05, 0.1, 0.25}},
        {1, -1, 0.35, 0.5, 2, {0.3, -0.05, -0.15, 0.025, 0.2}},
        {1, -2, 0.0625, 0.8, 7, {0.125, 0, -0.1, 0, 0.1}},
        {1, -1, 0.25, 0, 3, {0.25, 0, 0, 0, 0}},
        {1, -1, 0.25, 1, 4, {0, -0.25, 0, 0.25, 0.5}},
        {1, -1, 0.1, 0.9, 9, {0.1, 0, -0.09, 0, 0.09}},
        {2, -3, 1.0 / 7, 0.25, 4, {2.0 / 7, -1.0 / 7, -1.0 / 14, 1.0 / 28, 1.0 / 7}},
    };
    for (int c = 0; c < 7; c++) {
        double q[16];
        point_store store;
        carom_model particle = point_model(&store, 1, 0, 0, 0, cases[c].e, cases[c].u0, cases[c].v0);
        carom_sim *sim = start(&particle, PAOLI, cases[c].h);
        first_multiplier(sim, q, cases[c].m + 4);
        for (int i = 0; i < 5; i++)
            CHECK_NEAR(q[cases[c].m + i], cases[c].U[i], 1e-15);
        carom_sim_free(sim);
    }
}
END_TEST

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

START_TEST(the_outgoing_line_is_two_steps_late_in_every_bit)
{
    unsigned seed = 1;
    int done = 0;
    while (done < 3000) {
        double u0 = (1 + next_random(&seed) % 255) / 64.0, v = (1 + next_random(&seed) % 127) / 32.0, q[512];
        double h = (1 + next_random(&seed) % 31) / 256.0, e = (double)(next_random(&seed) % 17) / 16;
        int m = (int)floor(((1 + e) * u0 - h * (1 - e) * v) / ((1 + e) * v * h));
        if (h > (1 + e) * u0 / (2 * v) || m < 1 || m > 480)
            continue;
        for (m -= m > 1; 2 * (u0 - (m + 1) * h * v) - (1 - e) * (u0 - m * h * v) >=
                         0;) /* the definition of m; the floor may be off */
            m++;
        point_store store;
        carom_model particle = point_model(&store, 1, 0, 0, 0, e, u0, -v);
        carom_sim *sim = start(&particle, PAOLI, h);
        first_multiplier(sim, q, m + 12);
        for (int n = 0; n <= m + 1; n++)
            ck_assert_double_eq(q[n], u0 - n * h * v);
        for (int n = m + 2; n <= m + 12; n++)
            ck_assert_double_eq(q[n], e * ((n - 2) * h * v - u0));
        carom_sim_free(sim);
        done++;
    }
}
END_TEST

static void moving_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - 0.75 * at->t;
}

static void moving_offset(const carom_point *at, double *w)
{
    (void)at;
    w[0] = -0.75;
}

START_TEST(a_wall_that_moves_evenly_is_a_wall_at_rest_seen_by_another)
{
    point_store here, there;
    carom_model fixed = point_model(&here, 1, -2, 0, 0, 0.5, 1, 0),
                moving = point_model(&there, 1, -2, 0, 0, 0.5, 1, 0.75);
    moving.gap = moving_gap, moving.offset = moving_offset;
    carom_sim *a = start(&fixed, PAOLI, 0.013), *b = start(&moving, PAOLI, 0.013);
    for (int n = 0; n < 300; n++) {
        STEP(a), STEP(b);
        CHECK_NEAR(carom_sim_state(b)->q[0], carom_sim_state(a)->q[0] + 0.75 * carom_sim_state(a)->t, 1e-12);
        CHECK_NEAR(carom_sim_state(b)->u[0], carom_sim_state(a)->u[0], 1e-10);
    }
    carom_sim_free(a), carom_sim_free(b);
}
END_TEST

/* The pairs of positions around an impact: (q_{m+2}, q_{m+3}) depends on (q_m, q_{m+1}) by -e I, whatever the
 * forces. */
START_TEST(the_tangent_of_an_impact_is_minus_e_times_the_identity)
{
    enum { STEPS = 100 };
    const double delta = 1e-6, e = 0.7;
    double q[3][STEPS + 1], before[2][2], after[2][2];
    int m = 0;
    for (int k = 0; k < 3; k++) {
        point_store store;
        carom_model osc = point_model(&store, 1, -1, 10, 0.2, e, 1 + (k == 1 ? delta : 0), k == 2 ? delta : 0);
        carom_sim *sim = start(&osc, PAOLI, 0.0107);
        int first = first_multiplier(sim, q[k], STEPS) - 2;
        ck_assert_int_gt(first, 0);
        ck_assert(k == 0 || first == m);
        m = first;
        carom_sim_free(sim);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            before[k][i] = (q[k + 1][m + i] - q[0][m + i]) / delta;
            after[k][i] = (q[k + 1][m + 2 + i] - q[0][m + 2 + i]) / delta;
            CHECK_NEAR(after[k][i], -e * before[k][i], 1e-9);
        }
    double det = before[0][0] * before[1][1] - before[0][1] * before[1][0];
    CHECK_AT_LEAST(fabs(det), 1e-3); /* two independent directions */
}
END_TEST

/* ---- orders ---- */

static void reference_at(const carom_model *m, double t, double *x)
{
    memset(x, 0, sizeof(double) * 2 * REFERENCE_MAX);
    memcpy(x, m->q, sizeof(double) * (size_t)m->nq);
    if (m->v)
        memcpy(x + m->nv, m->v, sizeof(double) * (size_t)m->nv);
    reference_run(m, 0, t, 1e-4, x);
}

START_TEST(smooth_order_is_two_in_q_and_in_v_of_one_step_ago)
{
    carom_model free_double = double_pendulum();
    free_double.ncontact = 0;
    const carom_model systems[] = {pendulum(), free_double};
    const char *const schemes[] = {PAOLI, PAOLI ":theta=0", PAOLI ":theta=0.5"};
    for (int c = 0; c < 6; c++) {
        const carom_model *m = &systems[c % 2];
        double h[5], e_q[5] = {0}, e_v[5] = {0}, e_now[5] = {0}, end[2 * REFERENCE_MAX], ago[2 * REFERENCE_MAX];
        reference_at(m, 1, end);
        for (int k = 0; k < 5; k++) {
            h[k] = 0.02 / (1 << k);
            reference_at(m, 1 - h[k], ago);
            carom_sim *sim = start(m, schemes[c / 2], h[k]);
            RUN(sim, 1);
            const carom_state *s = carom_sim_state(sim);
            for (int i = 0; i < m->nv; i++) {
                e_q[k] = fmax(e_q[k], fabs(s->q[i] - end[i]));
                e_v[k] = fmax(e_v[k], fabs(s->v[i] - ago[m->nv + i]));
                e_now[k] = fmax(e_now[k], fabs(s->v[i] - end[m->nv + i]));
            }
            carom_sim_free(sim);
        }
        CHECK_NEAR(fitted_order(5, h, e_q), 2, 0.1);
        CHECK_NEAR(fitted_order(5, h, e_v), 2, 0.1);
        CHECK_NEAR(fitted_order(5, h, e_now), 1, 0.1);
    }
}
END_TEST

START_TEST(order_one_through_impacts_in_L1)
{
    check_order_one_through_impacts(PAOLI);
}
END_TEST

/* 5003 steps over T = 5; computed independently for v as it is, and for v where it belongs, one step ago. */
START_TEST(l1_errors_at_a_given_step_have_the_known_size)
{
    point_store store;
    double e_q, e_v, h = 5.0 / 5003;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    l1_errors(&ball, PAOLI ":theta=0.25", exact_ball, h, 5, 0, &e_q, &e_v);
    CHECK_NEAR(e_v, 3.041483e-2, 2e-6); /* there v_1 = (q_1 - q_0)/h: a difference of h^2 */
    CHECK_NEAR(e_q, 1.478726e-3, 1e-6);
    l1_errors(&ball, PAOLI ":theta=0.25", exact_ball, h, 5, 1, &e_q, &e_v);
    CHECK_NEAR(e_v, 1.883206e-2, 2e-6);
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    l1_errors(&osc, PAOLI ":theta=0.25", exact_oscillator, h, 5, 0, &e_q, &e_v);
    CHECK_NEAR(e_v, 5.045237e-2, 1e-5);
    CHECK_NEAR(e_q, 5.417812e-3, 1e-5);
    l1_errors(&osc, PAOLI ":theta=0", exact_oscillator, h, 5, 0, &e_q, &e_v);
    CHECK_NEAR(e_v, 5.042793e-2, 1e-5);
    CHECK_NEAR(e_q, 5.414419e-3, 1e-5);
}
END_TEST

/* ---- restitution, rest, energy ---- */

START_TEST(a_ball_rebounds_to_e_squared_of_its_height)
{
    for (int k = 0; k <= 10; k++) {
        double e = 0.1 * k, h = 1e-4, top = 0, T = sqrt(0.2);
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, e, 1, 0);
        carom_sim *sim = start(&ball, PAOLI, h);
        const carom_state *s = carom_sim_state(sim);
        while (s->t < T * (1 + 2 * e) - 5 * h) {
            STEP(sim);
            if (s->t > T + 3 * h)
                top = fmax(top, s->q[0]);
        }
        CHECK_NEAR(top, e * e, 10 * h);
        CHECK_AT_MOST(carom_sim_info(sim)->max_penetration, e * 2 * h * sqrt(20) + 1e-15);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(a_ball_at_rest_stays_where_it_is)
{
    point_store store;
    carom_model ball = point_model(&store, 2, -20, 0, 0, 0.9, 0, 0);
    carom_sim *sim = start(&ball, PAOLI, 0.01);
    for (int n = 0; n < 100; n++) {
        STEP(sim);
        ck_assert_double_eq(carom_sim_state(sim)->q[0], 0);
        CHECK_NEAR(carom_sim_state(sim)->impulse[0], 0.2, 1e-15);
        ck_assert_int_eq(carom_sim_state(sim)->mode[0], CAROM_CLOSED);
    }
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        ck_assert_int_eq(carom_sim_info(sim)->events[i], 0);
    carom_sim_free(sim);
}
END_TEST

START_TEST(the_ball_rests_after_its_accumulation_point)
{
    const struct { double force, e, height, zeno; } cases[] = {{-2, 0.5, 1, 3}, {-10, 0.9, 0.5, 6.0083}};
    for (int c = 0; c < 2; c++) {
        point_store store;
        carom_model ball = point_model(&store, 1, cases[c].force, 0, 0, cases[c].e, cases[c].height, 0);
        carom_sim *sim = start(&ball, PAOLI, 0.001);
        RUN(sim, cases[c].zeno + 2);
        const carom_state *s = carom_sim_state(sim);
        CHECK_NEAR(s->v[0], 0, 1e-12);
        CHECK_NEAR(s->q[0], 0, 1e-12);
        CHECK_NEAR(s->impulse[0], -cases[c].force * 0.001, 1e-12);
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
        const carom_info *i = carom_sim_info(sim);
        ck_assert_int_eq(i->events[CAROM_EVENT_CLOSING], i->events[CAROM_EVENT_OPENING] + 1);
        CHECK_NEAR(i->dissipated_impact, i->energy_initial, 0.01 * i->energy_initial);
        CHECK_NEAR(i->balance_error, 0, 0.005);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(an_impact_is_one_event_with_the_velocities_before_and_after)
{
    point_store store;
    carom_error error;
    carom_model osc = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    const double known[] = {0.5069846364299193, 1.500940565280607, 2.4948964941312943, 3.488852422981983,
                            4.482808351832671};
    const double u[] = {-3.0059512777137427, -1.3607708074919005, -0.6160103805576373, -0.27886311704039385,
                        -0.1262391682021474};
    carom_sim *sim = start(&osc, PAOLI, 0.0011);
    carom_trajectory *tr;
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    RUN(sim, 5);
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 5);
    for (size_t k = 0; k < 5; k++) {
        const carom_event *impact = carom_trajectory_event(tr, k);
        ck_assert(impact && impact->type == CAROM_EVENT_IMPACT);
        CHECK_NEAR(impact->t, known[k], 0.012);
        CHECK_NEAR(impact->u_before[0], u[k], 0.01);
        CHECK_NEAR(impact->u_after[0], -0.5 * u[k], 0.01);
        CHECK_NEAR(impact->impulse[0], -1.5 * u[k], 0.01);
    }
    ck_assert_ptr_null(carom_trajectory_event(tr, 5));
    carom_trajectory_free(tr);
    carom_sim_free(sim);
}
END_TEST

/* Height reached between the impacts, 100 times. */
START_TEST(an_elastic_ball_keeps_its_height_up_to_the_step)
{
    const double hs[] = {0.00371, 0.00137, 0.00053};
    for (int k = 0; k < 3; k++) {
        point_store store;
        carom_model ball = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
        carom_sim *sim = start(&ball, PAOLI, hs[k]);
        const carom_state *s = carom_sim_state(sim);
        double before = 0, last = 0, least = 1, most = 0;
        int tops = 0;
        while (tops < 100) {
            STEP(sim);
            if (last > before && last > s->q[0] && last > 0.1)
                tops++, least = fmin(least, last), most = fmax(most, last);
            before = last, last = s->q[0];
        }
        printf("elastic ball, h = %g: heights %.5f ... %.5f\n", hs[k], least, most);
        CHECK_AT_LEAST(least, 0.5 - 7 * hs[k]);
        CHECK_AT_MOST(most, 0.5 + 7 * hs[k]);
        carom_sim_free(sim);
    }
}
END_TEST

TEST_MAIN("schatzman-paoli", the_free_case_follows_exact_vectors,
          the_outgoing_line_is_two_steps_late_in_every_bit,
          a_wall_that_moves_evenly_is_a_wall_at_rest_seen_by_another,
          the_tangent_of_an_impact_is_minus_e_times_the_identity,
          smooth_order_is_two_in_q_and_in_v_of_one_step_ago,
          order_one_through_impacts_in_L1,
          l1_errors_at_a_given_step_have_the_known_size,
          a_ball_rebounds_to_e_squared_of_its_height,
          a_ball_at_rest_stays_where_it_is,
          the_ball_rests_after_its_accumulation_point,
          an_impact_is_one_event_with_the_velocities_before_and_after,
          an_elastic_ball_keeps_its_height_up_to_the_step)
