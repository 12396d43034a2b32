/* test_shares.c: forces of least norm where many give the same motion. */
#include "problems.h"
#include "solvers/shares.h"

static carom_shared share(bench *t)
{
    void *work = malloc(carom_share_work(t->problem.n, t->problem.nblock));
    carom_shared result = carom_problem_share(&t->problem, 1e-9, 1e-11, 1e-12, t->x, t->u, work);
    free(work);
    return result;
}

/* A plate of mass 1 (z, and two rotations with inertia J) on legs at (x, y), a load at (lx, ly); no friction. */
static void plate(bench *t, int legs, const double (*at)[2], double lx, double ly)
{
    double v[3] = {-1, -ly, lx};
    bench_begin(t, 3);
    t->inverse_mass[1] = t->inverse_mass[2] = 2;
    v[1] *= 2, v[2] *= 2;
    for (int k = 0; k < legs; k++) {
        bench_block(t, UNILATERAL, 0);
        t->G[3 * k] = 1;
        t->G[3 * k + 1] = at[k][1];
        t->G[3 * k + 2] = -at[k][0];
    }
    bench_dynamics(t, v);
}

static const double square[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

START_TEST(four_legs_share_by_the_affine_rule)
{
    bench t;
    const double lx = 0.3, ly = -0.2; /* least norm with equal weights: n = (1 + lx x + ly y)/4 */
    for (int tilt = -1; tilt <= 1; tilt++) {
        plate(&t, 4, square, lx, ly);
        SOLVE_OK(&t, NULL, 1e-12);
        for (int k = 0; k < 4; k++) /* another solution: legs across one another */
            t.x[k] += tilt * (k % 2 ? 0.05 : -0.05);
        ck_assert_int_eq(share(&t), CAROM_SHARED);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(t.x[k], (1 + lx * square[k][0] + ly * square[k][1]) / 4, 1e-12);
    }
}
END_TEST

START_TEST(what_would_pull_carries_nothing)
{
    bench t;
    plate(&t, 4, square, 0.6, 0.6); /* the affine rule gives leg 2 a force of -0.05; the other three are determined */
    SOLVE_OK(&t, NULL, 1e-12);
    ck_assert_int_eq(share(&t), CAROM_SHARED);
    const double exact[] = {0.6, 0.2, 0, 0.2};
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(t.x[k], exact[k], 1e-12);
}
END_TEST

START_TEST(coincident_contacts_count_once)
{
    const double doubled[6][2] = {{1, 1}, {-1, 1}, {1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    bench t;
    plate(&t, 6, doubled, 0.3, -0.2);
    SOLVE_OK(&t, NULL, 1e-12);
    ck_assert_int_eq(share(&t), CAROM_SHARED);
    for (int k = 0; k < 6; k++) {
        double whole = (1 + 0.3 * doubled[k][0] - 0.2 * doubled[k][1]) / 4;
        CHECK_NEAR(t.x[k], doubled[k][0] == 1 && doubled[k][1] == 1 ? whole / 3 : whole, 1e-12);
    }
}
END_TEST

START_TEST(a_unique_solution_keeps_its_bits)
{
    bench t;
    double before[3];
    plate(&t, 3, square, -0.2, 0.1);
    SOLVE_OK(&t, NULL, 1e-12);
    memcpy(before, t.x, sizeof before);
    ck_assert_int_eq(share(&t), CAROM_SHARED_UNIQUE);
    ck_assert(memcmp(before, t.x, sizeof before) == 0);
}
END_TEST

/* A rigid body in space on n points of the plane z = 0, sliding and turning, mu = 0.3: the share decides the motion. */
static void sliding(bench *t, int n, const double (*at)[2], const int *order, const double *v)
{
    bench_begin(t, 6);
    for (int k = 0; k < n; k++) {
        const double *p = at[order[k]];
        bench_block(t, SPATIAL, 0.3);
        const double arm[3] = {p[0], p[1], -0.5}, axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        for (int r = 0; r < 3; r++) {
            double *G = t->G + 6 * (3 * k + r);
            memcpy(G, axis[r], sizeof axis[r]);
            G[3] = arm[1] * axis[r][2] - arm[2] * axis[r][1];
            G[4] = arm[2] * axis[r][0] - arm[0] * axis[r][2];
            G[5] = arm[0] * axis[r][1] - arm[1] * axis[r][0];
        }
    }
    bench_dynamics(t, v);
}

START_TEST(shares_of_slip_do_not_depend_on_the_order_of_contacts)
{
    const int orders[3][5] = {{0, 1, 2, 3, 4}, {4, 2, 0, 3, 1}, {3, 4, 1, 0, 2}};
    const double points[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {0.2, 0.1}};
    const double v[6] = {2, 1, -0.3, 0, 0, 1.5};
    double first[15] = {0};
    for (int o = 0; o < 3; o++) {
        bench t;
        sliding(&t, 5, points, orders[o], v);
        SOLVE_OK(&t, NULL, 1e-13);
        ck_assert_int_eq(share(&t), CAROM_SHARED);
        CHECK_AT_MOST(carom_problem_residual(&t.problem, t.x, t.u, NULL), 1e-11);
        for (int k = 0; k < 5; k++) {
            CHECK_NEAR(t.u[3 * k], 0, 1e-12);
            CHECK_AT_LEAST(t.x[3 * k], -1e-15);
            for (int i = 0; i < 3; i++) {
                if (o == 0)
                    first[3 * orders[o][k] + i] = t.x[3 * k + i];
                CHECK_NEAR(t.x[3 * k + i], first[3 * orders[o][k] + i], 1e-9);
            }
        }
    }
}
END_TEST

/* Another solution of the same modes: along the null space of W, where forces act. Without friction it may pull. */
static void move_along_null_space(bench *t, unsigned long *seed)
{
    double z[ROWS] = {0}, A[ROWS * ROWS], b[ROWS] = {0}, work[4 * ROWS], back[ROWS];
    int order[ROWS], n = t->problem.n;
    for (int i = 0; i < n; i++)
        z[i] = noise(seed);
    memcpy(A, t->W, sizeof A);
    carom_multiply(n, n, t->W, z, b);
    carom_least_squares(n, n, A, b, back, 1e-11, work, order);
    for (int i = 0; i < n; i++)
        t->x[i] += 1e-2 * (z[i] - back[i]);
}

START_TEST(the_share_does_not_depend_on_the_solution_found)
{
    unsigned long seed = 1;
    int found = 0;
    for (int trial = 0; trial < 300; trial++) {
        bench t;
        double v[4], x[ROWS];
        bench_begin(&t, 4);
        for (int k = 0; k < 8; k++)
            bench_block(&t, UNILATERAL, 0);
        for (int i = 0; i < t.problem.n * 4; i++)
            t.G[i] = i % 4 == 0 ? 1 : 0.5 * noise(&seed);
        for (int j = 0; j < 4; j++)
            v[j] = j ? 0.1 * noise(&seed) : -1;
        bench_dynamics(&t, v);
        SOLVE_OK(&t, NULL, 1e-12);
        carom_shared one = share(&t);
        memcpy(x, t.x, sizeof x);
        move_along_null_space(&t, &seed);
        carom_shared two = share(&t);
        ck_assert_msg(one != CAROM_SHARED_KEPT && two == (one == CAROM_SHARED_UNIQUE ? two : CAROM_SHARED),
                      "trial %d: %d %d", trial, one, two);
        for (int i = 0; one == CAROM_SHARED && i < t.problem.n; i++)
            CHECK_NEAR(t.x[i], x[i], 1e-9);
        found += one == CAROM_SHARED;
    }
    CHECK_AT_LEAST(found, 100);
}
END_TEST

/* Three brakes hold one mass: equal parts of the load, but none more than its limit. */
START_TEST(brakes_share_up_to_their_limits)
{
    static const struct { double limit[3], load, exact[3]; } cases[] = {
        {{1, 1, 1}, 0.9, {0.3, 0.3, 0.3}},
        {{0.1, 1, 1}, 0.9, {0.1, 0.4, 0.4}},
        {{1, 0.2, 0.1}, -0.9, {-0.6, -0.2, -0.1}},
    };
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        bench t;
        bench_begin(&t, 1);
        for (int k = 0; k < 3; k++) {
            bench_block(&t, &carom_law_bounded, 0);
            t.c[k][0] = cases[i].limit[k], t.G[k] = 1;
            t.x[k] = cases[i].load / 3; /* the modes hold, not the law */
        }
        bench_dynamics(&t, (const double[]){-cases[i].load});
        memset(t.u, 0, sizeof t.u);
        ck_assert_int_eq(share(&t), CAROM_SHARED);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(t.x[k], cases[i].exact[k], 1e-12);
    }
}
END_TEST

TEST_MAIN("shares of redundant contacts", four_legs_share_by_the_affine_rule, what_would_pull_carries_nothing,
          coincident_contacts_count_once, a_unique_solution_keeps_its_bits,
          shares_of_slip_do_not_depend_on_the_order_of_contacts, the_share_does_not_depend_on_the_solution_found,
          brakes_share_up_to_their_limits)
