/* test_galerkin_contact.c: the Galerkin families with joints and with contacts that persist, open, slip and stick. */
#include "galerkin_testing.h"
#include "reference.h"
#include "schemes/galerkin/table.h"
#include "systems.h"

static const int expected_order[] = {1, 2, 4, 4};

/* ---- a point on a frictionless dome, the unit circle, from rest at the angle 0.3 ---- */
static void dome_gap(const carom_point *at, double *g)
{
    g[0] = hypot(at->q[0], at->q[1]) - 1;
}

static void dome_jacobian(const carom_point *at, double *G)
{
    double r = hypot(at->q[0], at->q[1]);
    G[0] = at->q[0] / r, G[1] = at->q[1] / r;
}

static void dome_gamma(const carom_point *at, double *gamma)
{
    double r = hypot(at->q[0], at->q[1]), turn = at->q[0] * at->v[1] - at->q[1] * at->v[0];
    gamma[0] = turn * turn / (r * r * r);
}

static const carom_contact dome_contact[] = {{.name = "dome", .restitution = 0.5}};
static const double dome_rest[] = {0, 0};

static carom_model dome(double q[2])
{
    q[0] = sin(0.3), q[1] = cos(0.3);
    return (carom_model){.size = sizeof(carom_model), .name = "dome", .nq = 2, .nv = 2, .ncontact = 1,
                         .contact = dome_contact, .q = q,
                         .v = dome_rest, .constant = CAROM_MASS | CAROM_LAW, .mass = cartesian_mass,
                         .force = cartesian_force, .gap = dome_gap, .jacobian = dome_jacobian, .gamma = dome_gamma};
}

/* The angle and its velocity on the dome at t */
static void dome_angle(double t, double x[2])
{
    double y[2];
    int n = 20000;
    x[0] = 0.3, x[1] = 0;
    for (int k = 0; k < n; k++) {
        double h = t / n, kq[4], kv[4];
        const double c[] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            y[0] = x[0] + (s ? h * c[s] * kq[s - 1] : 0), y[1] = x[1] + (s ? h * c[s] * kv[s - 1] : 0);
            kq[s] = y[1], kv[s] = 9.81 * sin(y[0]);
        }
        x[0] += h * (kq[0] + 2 * kq[1] + 2 * kq[2] + kq[3]) / 6;
        x[1] += h * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]) / 6;
    }
}

static double error_of(const carom_state *s, const double *expected)
{
    double e[] = {s->q[0] - expected[0], s->q[1] - expected[1], s->v[0] - expected[2], s->v[1] - expected[3]};
    return carom_norm_max(4, e);
}

START_TEST(a_contact_on_a_curved_surface_keeps_the_order)
{
    double q[2], x[2];
    carom_model m = dome(q);
    dome_angle(0.5, x);
    const double end[] = {sin(x[0]), cos(x[0]), x[1] * cos(x[0]), -x[1] * sin(x[0])};
    CHECK_NEAR(end[0], 0.6716227, 5e-8);
    CHECK_NEAR(end[1], 0.74089334, 5e-9);
    CHECK_NEAR(end[2], 1.51971195, 5e-9);
    CHECK_NEAR(end[3], -1.3776248, 5e-8);
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++) {
            double h[5], error[5];
            for (int k = 0; k < 5; k++) {
                h[k] = 0.5 / (10 << k);
                carom_sim *sim = start(&m, f, M, h[k]);
                RUN(sim, 0.5);
                const carom_state *s = carom_sim_state(sim);
                error[k] = error_of(s, end);
                ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
                CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-14);
                CHECK_AT_MOST(fabs(s->q[0] * s->v[0] + s->q[1] * s->v[1]), 1e-14);
                ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 0);
                carom_sim_free(sim);
            }
            printf("dome %s M%d: %.3f (%g .. %g)\n", families[f], M, fitted_order(5, h, error), error[0], error[4]);
            CHECK_NEAR(fitted_order(5, h, error), expected_order[M], 0.25);
        }
}
END_TEST

START_TEST(the_point_leaves_the_dome_where_it_should)
{
    double q[2], angle = acos(2.0 / 3 * cos(0.3)), x[2];
    carom_model m = dome(q);
    dome_angle(0.5634036016, x);
    CHECK_NEAR(x[0], angle, 1e-9);
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++) {
            carom_sim *sim = start(&m, f, M, 1e-3);
            const carom_state *s = carom_sim_state(sim);
            while (s->mode[0] != CAROM_OPEN)
                STEP(sim);
            CHECK_NEAR(s->t, 0.5634036016, 1.5e-3);
            RUN(sim, 0.8);
            double fall = 0.8 - 0.5634036016, vx = x[1] * cos(angle), vy = -x[1] * sin(angle);
            const double end[] = {sin(angle) + vx * fall, cos(angle) + vy * fall - 0.5 * 9.81 * fall * fall, vx,
                                  vy - 9.81 * fall};
            printf("off the dome %s M%d: %g\n", families[f], M, error_of(s, end));
            CHECK_AT_MOST(error_of(s, end), 2e-5);
            ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_OPENING], 1);
            ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 0);
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- the pendulum with a joint ---- */
static void rod_gamma(const carom_point *at, double *gamma)
{
    gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
}

START_TEST(a_joint_keeps_the_order_and_closes_to_rounding)
{
    double x[2] = {pendulum_start[0], pendulum_speed[0]};
    cartesian_store store;
    carom_model angle = pendulum(), m = cartesian_pendulum(&store);
    m.gamma = rod_gamma;
    reference_run(&angle, 0, 1, 1e-4, x);
    const double end[] = {sin(x[0]), -cos(x[0]), x[1] * cos(x[0]), x[1] * sin(x[0])};
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++) {
            double h[5], error[5];
            for (int k = 0; k < 5; k++) {
                h[k] = 1.0 / (15 << k);
                carom_sim *sim = start(&m, f, M, h[k]);
                RUN(sim, 1);
                const carom_state *s = carom_sim_state(sim);
                error[k] = error_of(s, end);
                CHECK_AT_MOST(fabs(hypot(s->q[0], s->q[1]) - 1), 1e-14);
                CHECK_AT_MOST(fabs(s->q[0] * s->v[0] + s->q[1] * s->v[1]), 1e-14);
                carom_sim_free(sim);
            }
            printf("joint %s M%d: %.3f (%g .. %g)\n", families[f], M, fitted_order(5, h, error), error[0], error[4]);
            CHECK_NEAR(fitted_order(5, h, error), expected_order[M], 0.25);
        }
}
END_TEST

/* ---- friction: a block of mass 1 on the ground ---- */
static void block_pull(const carom_point *at, double *F)
{
    F[0] = 5 * sin(2 * at->t) + 0.5 * at->t, F[1] = -9.81;
}

static void block_gap(const carom_point *at, double *g)
{
    g[0] = at->q[1];
}

static void block_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0];
}

static const carom_contact block_ground[] = {{.name = "ground", .directions = 1, .friction = 0.3}};
static const double block_at[] = {0, 0}, block_speed[] = {2, 0};

static carom_model block(bool pulled)
{
    return (carom_model){.size = sizeof(carom_model), .name = "block", .nq = 2, .nv = 2, .ncontact = 1,
                         .contact = block_ground, .q = block_at,
                         .v = pulled ? block_at : block_speed, .constant = CAROM_MASS | CAROM_LAW,
                         .mass = cartesian_mass, .force = pulled ? block_pull : cartesian_force, .gap = block_gap,
                         .slip = block_slip};
}

START_TEST(a_sliding_block_stops_by_the_exact_law)
{
    const double mu_g = 0.3 * 9.81, stop = 2 / mu_g;
    carom_model m = block(false);
    CHECK_NEAR(stop, 0.6795786612, 5e-11);
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++)
            for (int k = 0; k < 7; k++) {
                double h = 0.1 / pow(1.7, k);
                carom_sim *sim = start(&m, f, M, h);
                const carom_state *s = carom_sim_state(sim);
                double before = 0;
                while (s->v[0] != 0 && fabs(s->v[0]) > 1e-12) {
                    before = s->t;
                    STEP(sim);
                }
                double d = stop - before;
                CHECK_NEAR(s->q[0], stop - mu_g * (h - d) * (h - d) / 2, 2e-13);
                CHECK_NEAR(s->impulse[0], 9.81 * h, 1e-13);
                CHECK_NEAR(s->impulse[1], -mu_g * h + mu_g * (h - d), 2e-13); /* stages: -mu g h; P_T: mu g (h - d) */
                ck_assert_int_eq(s->mode[0], CAROM_STICK);
                STEP(sim);
                CHECK_NEAR(s->v[0], 0, 1e-15);
                carom_sim_free(sim);
            }
}
END_TEST

START_TEST(a_pulled_block_slips_and_sticks_on_time)
{
    carom_model m = block(true);
    double at[2];
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 3; M++) {
            double h[4], error[4];
            for (int k = 0; k < 4; k++) {
                h[k] = 0.01 / (1 << k) / 1.013;
                carom_sim *sim = start(&m, f, M, h[k]);
                const carom_state *s = carom_sim_state(sim);
                while (s->mode[0] != CAROM_SLIP)
                    STEP(sim);
                at[0] = s->t;
                while (s->mode[0] != CAROM_STICK)
                    STEP(sim);
                at[1] = s->t;
                CHECK_NEAR(at[0], 0.2965561069, 1.01 * h[k]);
                CHECK_NEAR(at[1], 1.9407722814, 1.01 * h[k]);
                RUN(sim, 2);
                error[k] = fabs(s->q[0] - 1.54270708);
                CHECK_NEAR(s->v[0], 0, 1e-13);
                carom_sim_free(sim);
            }
            printf("stick-slip %s M%d: %g %g %g %g\n", families[f], M, error[0], error[1], error[2], error[3]);
            CHECK_AT_MOST(error[0], 3e-4);
            CHECK_AT_MOST(error[3], 1e-5);
        }
}
END_TEST

/* ---- masses 1, 2 and 3 that two joints hold together, on a stiff spring and damper, beside one mass ---- */
static void masses(const carom_point *at, double *M)
{
    (void)at;
    memset(M, 0, 9 * sizeof *M);
    M[0] = 1, M[4] = 2, M[8] = 3;
}

static void whole_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 6;
}

static void joined_force(const carom_point *at, double *F) /* the spring holds the first, the damper the second */
{
    F[0] = -1000 * at->q[0], F[1] = -2000 * at->v[1] - pow(at->v[1], 3), F[2] = 0;
}

static void whole_force(const carom_point *at, double *F)
{
    F[0] = -1000 * at->q[0] - 2000 * at->v[0] - pow(at->v[0], 3);
}

static void joined_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - at->q[1], g[1] = at->q[1] - at->q[2];
}

START_TEST(masses_that_are_joined_move_as_one)
{
    static const double at[] = {0, 0, 0}, speed[] = {1, 1, 1};
    carom_model joined = {.size = sizeof joined, .name = "joined", .nq = 3, .nv = 3, .njoint = 2, .q = at, .v = speed,
                          .constant = CAROM_MASS, .mass = masses, .force = joined_force, .gap = joined_gap};
    carom_model whole = {.size = sizeof whole, .name = "whole", .nq = 1, .nv = 1, .q = at, .v = speed,
                         .constant = CAROM_MASS, .mass = whole_mass, .force = whole_force};
    for (int M = 1; M <= 3; M++) {
        carom_sim *three = start(&joined, 1, M, 0.02), *one = start(&whole, 1, M, 0.02);
        RUN(three, 0.5);
        RUN(one, 0.5);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(carom_sim_state(three)->q[i], carom_sim_state(one)->q[0], 1e-12);
            CHECK_NEAR(carom_sim_state(three)->v[i], carom_sim_state(one)->v[0], 1e-12);
        }
        long spent = carom_sim_info(three)->newton_iterations, alone = carom_sim_info(one)->newton_iterations;
        ck_assert_msg(spent > 0 && spent <= alone + alone / 10, "M%d: %ld iterations, alone %ld", M, spent, alone);
        carom_sim_free(three);
        carom_sim_free(one);
    }
}
END_TEST

/* ---- a mass on a stiff spring, whose other end is held by friction, beside one whose end is held ---- */
static void held_mass(const carom_point *at, double *M)
{
    (void)at;
    memset(M, 0, 9 * sizeof *M);
    M[0] = M[4] = M[8] = 1;
}

static void held_force(const carom_point *at, double *F) /* x and y of the block, x of the mass */
{
    double pull = 1000 * (at->q[2] - at->q[0]);
    F[0] = pull, F[1] = -10, F[2] = -pull - 2000 * at->v[2] - pow(at->v[2], 3);
}

static void swinging_force(const carom_point *at, double *F)
{
    F[0] = -1000 * at->q[0] - 2000 * at->v[0] - pow(at->v[0], 3);
}

static void held_gap(const carom_point *at, double *g)
{
    g[0] = at->q[1];
}

static void held_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0];
}

START_TEST(friction_that_holds_is_as_good_as_a_wall)
{
    static const double at[] = {0, 0, 0}, speed[] = {0, 0, 1};
    static const carom_contact floor[] = {{.name = "floor", .friction = 0.5, .directions = 1}};
    carom_model block = {.size = sizeof block, .name = "held", .nq = 3, .nv = 3, .ncontact = 1, .contact = floor,
                         .q = at, .v = speed, .constant = CAROM_MASS | CAROM_LAW, .mass = held_mass,
                         .force = held_force, .gap = held_gap, .slip = held_slip};
    carom_model alone = {.size = sizeof alone, .name = "alone", .nq = 1, .nv = 1, .q = at, .v = speed + 2,
                         .constant = CAROM_MASS, .mass = unit_mass, .force = swinging_force};
    for (int M = 1; M <= 3; M++) {
        carom_sim *held = start(&block, 1, M, 0.02), *one = start(&alone, 1, M, 0.02);
        RUN(held, 0.5);
        RUN(one, 0.5);
        CHECK_NEAR(carom_sim_state(held)->q[0], 0, 1e-14);
        CHECK_NEAR(carom_sim_state(held)->q[2], carom_sim_state(one)->q[0], 1e-12);
        CHECK_NEAR(carom_sim_state(held)->v[2], carom_sim_state(one)->v[0], 1e-12);
        long spent = carom_sim_info(held)->newton_iterations, wall = carom_sim_info(one)->newton_iterations;
        ck_assert_msg(spent > 0 && spent <= wall + wall / 10, "M%d: %ld iterations, by a wall %ld", M, spent, wall);
        carom_sim_free(held);
        carom_sim_free(one);
    }
}
END_TEST

/* ---- a mass that stiff oil lifts off the ground at once, beside one without ground; stages of a higher degree would
 * swing over and press ---- */
static void lifting_force(const carom_point *at, double *F)
{
    F[0] = 1000 - 2000 * at->v[0] - pow(at->v[0], 3);
}

static void height(const carom_point *at, double *g)
{
    g[0] = at->q[0];
}

START_TEST(a_contact_that_does_not_press_is_no_contact)
{
    static const double rest[] = {0};
    static const carom_contact ground[] = {{.name = "ground"}};
    carom_model alone = {.size = sizeof alone, .name = "alone", .nq = 1, .nv = 1, .q = rest, .v = rest,
                         .constant = CAROM_MASS | CAROM_LAW, .mass = unit_mass, .force = lifting_force};
    carom_model lifted = alone;
    lifted.ncontact = 1, lifted.contact = ground, lifted.gap = height;
    carom_sim *off = start(&lifted, 1, 1, 0.02), *open = start(&alone, 1, 1, 0.02);
    STEP(off);
    STEP(open);
    CHECK_NEAR(carom_sim_state(off)->q[0], carom_sim_state(open)->q[0], 1e-14);
    ck_assert_int_gt(carom_sim_info(off)->newton_iterations, 0);
    ck_assert_int_le(carom_sim_info(off)->newton_iterations, carom_sim_info(open)->newton_iterations);
    carom_sim_free(off);
    carom_sim_free(open);
}
END_TEST

/* ---- a ball in thick oil falls on the ground within the first step ---- */
static void oil(const carom_point *at, double *F)
{
    F[0] = -9.81 - at->p[0] * at->v[0];
}

/* (1)-(5) of the scheme as linear equations for the velocities of the stages and P, which leaves no speed. */
static double fallen(int M, double c, double h, double q, double v)
{
    carom_galerkin_table t = {0};
    double A[25] = {0}, x[5];
    int n = M + 2, pivot[5];
    carom_galerkin_table_build(&t, true, M);
    for (int l = 0; l <= M + 1; l++) { /* a_k = -9.81 - c v_k; the last row: 0 = v + h sum beta_k a_k + P */
        bool end = l > M;
        x[l] = v;
        for (int k = 0; k <= M; k++) {
            double weight = h * (end ? t.beta[k] : t.Av[l][k]);
            A[l * n + k] = (k == l) + weight * c;
            x[l] -= weight * 9.81;
        }
        A[l * n + M + 1] = end ? -1 : -t.s[l];
    }
    ck_assert(carom_lu(n, A, pivot));
    carom_lu_solve(n, A, pivot, x);
    for (int k = 0; k <= M; k++)
        q += h * t.beta[k] * x[k];
    return q;
}

START_TEST(an_impact_in_thick_oil_is_that_of_the_equations)
{
    static const double start_at[] = {1e-4}, speed[] = {-1};
    static const carom_contact ground[] = {{.name = "ground"}};
    for (int M = 1; M <= 3; M++)
        for (int k = 0; k < 3; k++) {
            double c = k == 0 ? 50 : k == 1 ? 200 : 1000;
            carom_model m = {.size = sizeof m, .name = "oil", .nq = 1, .nv = 1, .np = 1, .ncontact = 1,
                             .contact = ground, .q = start_at, .v = speed, .p = &c,
                             .constant = CAROM_MASS | CAROM_LAW, .mass = unit_mass, .force = oil, .gap = height};
            carom_sim *sim = start(&m, 1, M, 0.02);
            STEP(sim);
            CHECK_NEAR(carom_sim_state(sim)->v[0], 0, 1e-14);
            CHECK_NEAR(carom_sim_state(sim)->q[0], fallen(M, c, 0.02, 1e-4, -1), 1e-12);
            carom_sim_free(sim);
        }
}
END_TEST

TEST_MAIN("Galerkin, contacts", a_contact_on_a_curved_surface_keeps_the_order,
          the_point_leaves_the_dome_where_it_should, a_joint_keeps_the_order_and_closes_to_rounding,
          a_sliding_block_stops_by_the_exact_law, a_pulled_block_slips_and_sticks_on_time,
          masses_that_are_joined_move_as_one, friction_that_holds_is_as_good_as_a_wall,
          a_contact_that_does_not_press_is_no_contact, an_impact_in_thick_oil_is_that_of_the_equations)
