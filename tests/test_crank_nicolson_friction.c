/* test_crank_nicolson_friction.c: stick and slip in one and two directions, restarts, dense output of pieces. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "reference.h"
#include "running.h"
#include "systems.h"
#include "testing.h"

static carom_sim *start(const carom_model *model, double h, bool energy)
{
    return start_scheme(model, "crank-nicolson", h, energy);
}

/* ---- a unit mass on a rough plane: q = (x, [y,] height), p = {stiffness in x, force in y}, gravity 10 ---- */
typedef struct block_store {
    carom_contact plane;
    double p[2], q[3], v[3];
} block_store;

static void block_mass(const carom_point *at, double *M)
{
    int n = at->user ? 3 : 2;
    for (int i = 0; i < n * n; i++)
        M[i] = i % (n + 1) == 0;
}

static void block_force(const carom_point *at, double *F)
{
    int n = at->user ? 3 : 2;
    F[0] = -at->p[0] * at->q[0];
    if (n == 3)
        F[1] = at->p[1];
    F[n - 1] = -10;
}

static void block_gap(const carom_point *at, double *g)
{
    g[0] = at->q[at->user ? 2 : 1];
}

static void block_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0];
    if (at->user)
        u[1] = at->v[1];
}

static carom_model block_model(block_store *s, int directions, double mu, double stiffness, double force, double x,
                               double vx, double vy)
{
    *s = (block_store){{.name = "plane", .directions = directions, .friction = mu}, {stiffness, force}, {x}, {vx, vy}};
    if (directions == 1)
        s->v[1] = 0;
    return (carom_model){.size = sizeof(carom_model), .name = "block",
                         .nq = 1 + directions,
                         .nv = 1 + directions,
                         .np = 2,
                         .ncontact = 1,
                         .contact = &s->plane,
                         .q = s->q,
                         .v = s->v,
                         .p = s->p,
                         .constant = CAROM_MASS | CAROM_LAW,
                         .user = directions == 2 ? s : NULL,
                         .mass = block_mass,
                         .force = block_force,
                         .gap = block_gap,
                         .slip = block_slip};
}

START_TEST(a_sliding_block_stops_where_it_should_in_one_and_two_directions)
{
    block_store store;
    const double mu = 0.3, speed[] = {2, hypot(1.6, 1.2)};
    for (int d = 1; d <= 2; d++) {
        carom_model block = block_model(&store, d, mu, 0, 0, 0, d == 1 ? 2 : 1.6, d == 1 ? 0 : 1.2);
        carom_sim *sim = start(&block, 0.0137, true);
        RUN(sim, 1);
        const carom_state *s = carom_sim_state(sim);
        double way = pow(speed[d - 1], 2) / (2 * mu * 10);
        ck_assert_int_eq(s->mode[0], CAROM_STICK);
        ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_STICK], 1);
        CHECK_NEAR(d == 1 ? s->q[0] : hypot(s->q[0], s->q[1]), way, 1e-10);
        CHECK_AT_MOST(carom_norm_max(1 + d, s->v), 1e-12);
        CHECK_NEAR(carom_sim_info(sim)->dissipated_friction, 2, 1e-9);
        CHECK_NEAR(carom_sim_info(sim)->balance_error, 0, 1e-9);
        carom_sim_free(sim);
    }
}
END_TEST

/* Half cycles about -+0.13: 1, -0.74, 0.48, -0.22, -0.04, where it sticks. */
START_TEST(a_block_on_a_spring_turns_round_and_sticks_with_order_two)
{
    enum { N = 16 };
    double h[N], error[N], w = sqrt(10), T = 2.5 * M_PI / w;
    for (int i = 0; i < N; i++) {
        block_store store;
        carom_model block = block_model(&store, 1, 0.13, 10, 0, 1, 0, 0);
        h[i] = 0.03 / pow(1.3, i);
        carom_sim *sim = start(&block, h[i], false);
        const carom_state *s = carom_sim_state(sim);
        RUN(sim, T);
        /* in the third half cycle: about +0.13 with amplitude 0.35, half way */
        error[i] = fmax(fabs(s->q[0] - 0.13), fabs(s->v[0] + 0.35 * w));
        RUN(sim, 6);
        ck_assert_int_eq(s->mode[0], CAROM_STICK);
        error[i] = fmax(error[i], fabs(s->q[0] + 0.04));
        carom_sim_free(sim);
    }
    printf("spring: order %.3f, errors %.1e ... %.1e\n", fitted_order(N, h, error), error[0], error[N - 1]);
    CHECK_NEAR(fitted_order(N, h, error), 2, 0.15);
}
END_TEST

static void slide(double mu, double k, double force, double T,
                  double *x) /* x = (x, y, vx, vy), classical Runge-Kutta */
{
    const int n = 20000;
    const double h = T / n, c[] = {0, 0.5, 0.5, 1}, b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int step = 0; step < n; step++) {
        double rate[4] = {0}, sum[4] = {0};
        for (int s = 0; s < 4; s++) {
            double y[4];
            for (int i = 0; i < 4; i++)
                y[i] = x[i] + h * c[s] * rate[i];
            double size = hypot(y[2], y[3]);
            rate[0] = y[2], rate[1] = y[3];
            rate[2] = -k * y[0] - mu * 10 * y[2] / size, rate[3] = force - mu * 10 * y[3] / size;
            for (int i = 0; i < 4; i++)
                sum[i] += h * b[s] * rate[i];
        }
        for (int i = 0; i < 4; i++)
            x[i] += sum[i];
    }
}

START_TEST(sliding_along_a_curve_is_of_order_two)
{
    enum { N = 12 };
    double h[N], error[N], x[] = {0, 0, 2, -1};
    slide(0.2, 4, 3, 1.5, x);
    for (int i = 0; i < N; i++) {
        block_store store;
        carom_model block = block_model(&store, 2, 0.2, 4, 3, 0, 2, -1);
        h[i] = 0.05 / pow(1.35, i);
        carom_sim *sim = start(&block, h[i], false);
        RUN(sim, 1.5);
        const carom_state *s = carom_sim_state(sim);
        double e[] = {s->q[0] - x[0], s->q[1] - x[1], s->v[0] - x[2], s->v[1] - x[3]};
        error[i] = carom_norm_max(4, e);
        ck_assert_int_eq(s->mode[0], CAROM_SLIP);
        carom_sim_free(sim);
    }
    printf("curve: order %.3f, errors %.1e ... %.1e\n", fitted_order(N, h, error), error[0], error[N - 1]);
    CHECK_NEAR(fitted_order(N, h, error), 2, 0.15);
}
END_TEST

/* A point pushed around by a force that turns: it sticks, starts in any direction, stops again. */
static void turning_force(const carom_point *at, double *F)
{
    F[0] = 4 * sin(2 * at->t), F[1] = 2.5 * sin(3.1 * at->t + 0.7), F[2] = -10;
}

/* Implicit in the friction, which for a point is a radial return; extrapolated from two step sizes. */
static void radial_return(double mu, double h, double T, double *x)
{
    long n = lround(T / h);
    for (long i = 0; i < n; i++) {
        double t = ((double)i + 0.5) * h, v[] = {x[2] + h * 4 * sin(2 * t), x[3] + h * 2.5 * sin(3.1 * t + 0.7)};
        double keep = fmax(0, 1 - mu * 10 * h / hypot(v[0], v[1]));
        for (int k = 0; k < 2; k++)
            x[2 + k] = keep * v[k], x[k] += h * x[2 + k];
    }
}

START_TEST(a_point_that_sticks_and_starts_in_any_direction_keeps_order_two)
{
    enum { N = 10 };
    double h[N], error[N], x[4] = {0}, y[4] = {0}, T = 10;
    radial_return(0.3, 2e-5, T, x);
    radial_return(0.3, 1e-5, T, y);
    for (int i = 0; i < N; i++) {
        block_store store;
        carom_model point = block_model(&store, 2, 0.3, 0, 0, 0, 0, 0);
        point.force = turning_force;
        h[i] = 0.04 / pow(1.3, i) / 1.0137;
        carom_sim *sim = start(&point, h[i], false);
        RUN(sim, T);
        const carom_state *s = carom_sim_state(sim);
        double e[4];
        for (int k = 0; k < 4; k++)
            e[k] = (k < 2 ? s->q[k] : s->v[k - 2]) - (2 * y[k] - x[k]);
        error[i] = carom_norm_max(4, e);
        ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_STICK], 3);
        carom_sim_free(sim);
    }
    printf("point: order %.3f, errors %.1e ... %.1e\n", fitted_order(N, h, error), error[0], error[N - 1]);
    CHECK_NEAR(fitted_order(N, h, error), 2, 0.2);
}
END_TEST

START_TEST(a_box_gains_no_more_than_the_curvature_of_its_constraints_gives_and_comes_to_rest)
{
    for (int k = 0; k < 6; k++) {
        box_store store;
        energy_watch w = {0};
        double h = 0.001;
        carom_model box = box_model(&store, 0.1 + 0.15 * k, 0.1 * k);
        carom_sim *sim = start(&box, h, true);
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &w, .segment = watch_energy});
        RUN(sim, 6);
        const carom_info *i = carom_sim_info(sim);
        printf("box %d: most gained in a step %.2g, balance error %.2g\n", k, w.most, i->balance_error);
        CHECK_AT_MOST(w.most, 100 * h * h * h);
        CHECK_AT_MOST(i->energy_final, i->energy_initial);
        CHECK_NEAR(i->balance_error, 0, 100 * h * h);
        CHECK_AT_MOST(i->max_penetration, 1e-12);
        CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-12);
        carom_sim_free(sim);
    }
}
END_TEST

/* ---- restart, recording ---- */

START_TEST(going_on_after_a_load_gives_the_same_bits_and_so_does_recording)
{
    box_store store;
    carom_error error;
    carom_model box = box_model(&store, 0.4, 0.3);
    carom_sim *a = start(&box, 0.001, true), *b = start(&box, 0.001, true);
    carom_trajectory *trajectory;
    CHECK_OK(carom_trajectory_new(&trajectory, b, &error), error);
    for (int k = 0; k < 470; k++)
        STEP(a);
    size_t size = carom_sim_save(a, NULL, 0);
    void *saved = malloc(size), *end_a = malloc(size), *end_b = malloc(size);
    carom_sim_save(a, saved, size);
    ck_assert_int_eq(carom_sim_load(b, saved, size), CAROM_OK);
    for (int k = 0; k < 900; k++) {
        STEP(a);
        STEP(b);
        carom_sim_save(a, end_a, size);
        carom_sim_save(b, end_b, size);
        ck_assert_mem_eq(end_a, end_b, size);
    }
    ck_assert_int_ge(carom_sim_info(a)->events[CAROM_EVENT_IMPACT], 5);
    ck_assert_int_ge(carom_sim_info(a)->events[CAROM_EVENT_CLOSING], 2);
    free(saved), free(end_a), free(end_b);
    carom_trajectory_free(trajectory);
    carom_sim_free(a), carom_sim_free(b);
}
END_TEST

START_TEST(the_trajectory_has_the_impacts_inside_the_steps)
{
    point_store store;
    carom_error error;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start(&ball, 0.3, false);
    carom_trajectory *trajectory;
    CHECK_OK(carom_trajectory_new(&trajectory, sim, &error), error);
    RUN(sim, 2.7);
    for (double t = 0.01; t < 2.6; t += 0.0137) { /* h/4 is left of the accumulation after that */
        double q, v, x, y;
        exact_ball(t, &x, &y);
        ck_assert_int_eq(carom_trajectory_at(trajectory, t, 1, &q, &v), CAROM_OK);
        CHECK_NEAR(q, x, 1e-14);
        CHECK_NEAR(v, y, 1e-13);
    }
    const carom_jump *jump = carom_trajectory_jump(trajectory, 0);
    CHECK_NEAR(jump->t, 1, 1e-15);
    CHECK_NEAR(jump->v_before[0], -2, 1e-14);
    CHECK_NEAR(jump->v_after[0], 1, 1e-14);
    CHECK_NEAR(jump->impulse[0], 3, 1e-14);
    for (int i = 1; carom_trajectory_segment(trajectory, (size_t)i); i++)
        ck_assert(carom_trajectory_segment(trajectory, (size_t)i)->t0 ==
                  carom_trajectory_segment(trajectory, (size_t)i - 1)->t1);
    carom_trajectory_free(trajectory);
    carom_sim_free(sim);
}
END_TEST

/* Slip and spin of a box on its four feet end at one instant, and then it rests. */
static void lie(const char *scheme, double h, carom_state *end, double *q, double *v)
{
    static const char text[] = "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                               "  box: {shape: {box: [0.4, 0.45852, 0.1]}, mass: 1, at: [0, 0, touch], "
                               "velocity: [0.7469, 0.0318, 0], spin: [0, 0, 0.2466]}\n"
                               "laws: {default: {friction: 0.38089, restitution: 0}}\n";
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "box", text, sizeof text - 1, NULL, &error), error);
    carom_sim *sim = start_scheme(model, scheme, h, false);
    CHECK_OK(carom_sim_run(sim, 0.4), *carom_sim_error(sim));
    *end = *carom_sim_state(sim);
    memcpy(q, end->q, sizeof *q * 7);
    memcpy(v, end->v, sizeof *v * 6);
    carom_sim_free(sim);
    carom_model_free(model);
}

START_TEST(a_box_that_slides_and_spins_on_four_feet_comes_to_rest_with_order_two)
{
    static const double lengths[] = {2e-2, 1.3e-2, 1e-2, 4e-3, 2e-3};
    carom_state state;
    double q[7], v[6], exact[7];
    lie("tolerance", 1e-2, &state, exact, v);
    for (int i = 0; i < CAROM_COUNT(lengths); i++) {
        double h = lengths[i], off = 0;
        lie("crank-nicolson", h, &state, q, v);
        for (int k = 0; k < 7; k++)
            off = fmax(off, fabs(q[k] - exact[k]));
        printf("box at h = %g: off by %.2g, %.2g h^2\n", h, off, off / (h * h));
        CHECK_AT_MOST(off, 0.1 * h * h);
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(v[k], 0, 1e-12);
    }
}
END_TEST

TEST_MAIN("crank-nicolson with friction", a_sliding_block_stops_where_it_should_in_one_and_two_directions,
          a_block_on_a_spring_turns_round_and_sticks_with_order_two, sliding_along_a_curve_is_of_order_two,
          a_point_that_sticks_and_starts_in_any_direction_keeps_order_two,
          a_box_gains_no_more_than_the_curvature_of_its_constraints_gives_and_comes_to_rest,
          a_box_that_slides_and_spins_on_four_feet_comes_to_rest_with_order_two,
          going_on_after_a_load_gives_the_same_bits_and_so_does_recording,
          the_trajectory_has_the_impacts_inside_the_steps)
