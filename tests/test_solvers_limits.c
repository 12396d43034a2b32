/* test_solvers_limits.c: limits of work are kept and used up to the last; steps to the border of a cone; groups of a
 * large problem that are large themselves. */
#include "problems.h"
#include "solvers/points.h"

/* Two contacts on opposite sides of one body: both walls approach, or one leaves room enough. */
static void squeezed(bench *t, const carom_law *law, bool room)
{
    bench_begin(t, law->rows);
    for (int k = 0; k < 2; k++) {
        bench_block(t, law, 0.5);
        for (int i = 0; i < law->rows; i++)
            t->G[(k * law->rows + i) * law->rows + i] = k ? -1 : 1;
    }
    bench_dynamics(t, (double[]){0, 0, 0});
    t->b[0] = -1, t->b[law->rows] = room ? 1.5 : -1;
}

static void expect_factorisations(bench *t, const carom_solver *solver, int most)
{
    memset(t->x, 0, sizeof t->x);
    ck_assert_int_eq(bench_solve(t, solver, 1e-12), CAROM_NOT_CONVERGED);
    ck_assert_int_le(t->solve.factorisations, most);
    ck_assert_int_ge(t->solve.factorisations, CAROM_MIN(most, 50)); /* later nothing moves any more */
}

/* What cannot be solved takes all that is allowed, whichever method is at work when it is spent. */
START_TEST(factorisations_are_used_up_and_not_more)
{
    const carom_law *laws[] = {UNILATERAL, PLANAR, SPATIAL};
    for (int l = 0; l < 3; l++)
        for (int most = 1; most <= 256; most = most < 16 ? most + 1 : 2 * most) {
            bench t;
            squeezed(&t, laws[l], false);
            t.field = (double[]){0, most, 1e-2};
            expect_factorisations(&t, &carom_solver_proximal, most);
            t.field = (double[]){most};
            expect_factorisations(&t, &carom_solver_interior, most);
        }
}
END_TEST

/* The parameter falls to a tenth with every point that is found easily: ten times as large, one more point. */
START_TEST(every_first_parameter_that_is_allowed_is_begun_with)
{
    int first = 0;
    for (int power = -2; power <= 6; power++) {
        bench t;
        squeezed(&t, UNILATERAL, true);
        t.field = (double[]){0, 100, power == 6 ? 1e6 : pow(10, power)};
        SOLVE_OK(&t, &carom_solver_proximal, 1e-12);
        first = power == -2 ? t.solve.iterations : first;
        ck_assert_int_eq(t.solve.iterations, first + power + 2);
        CHECK_NEAR(t.x[0], 1, 1e-12);
    }
}
END_TEST

/* x_i <- max(0, x_i - u_i/W_ii): as many times as are allowed, and the last of them counts. */
START_TEST(the_last_sweep_counts)
{
    for (int most = 1; most <= 12; most++) {
        double W[] = {2, 1, 1, 3}, b[] = {-2, -3}, x[] = {0, 0};
        bench t;
        bench_begin(&t, 1);
        bench_block(&t, UNILATERAL, 0);
        bench_block(&t, UNILATERAL, 0);
        fill_problem(&t, W, b);
        for (int k = 0; k < most; k++)
            for (int i = 0; i < 2; i++)
                x[i] = fmax(0, x[i] - (W[2 * i] * x[0] + W[2 * i + 1] * x[1] + b[i]) / W[3 * i]);
        t.field = (double[]){most, 1, 0};
        ck_assert_int_eq(bench_solve(&t, &carom_solver_nsgs, 1e-15), CAROM_NOT_CONVERGED);
        ck_assert_int_eq(t.solve.iterations, most);
        CHECK_NEAR(t.x[0], x[0], 1e-15);
        CHECK_NEAR(t.x[1], x[1], 1e-15);
    }
}
END_TEST

START_TEST(a_step_ends_at_the_border_of_the_cone)
{
    const struct {
        int rows;
        double x[3], d[3], t;
    } known[] = {
        {1, {2}, {-4}, 0.5},
        {1, {2}, {4}, INFINITY},
        {2, {5, 3}, {0, 1}, 2},
        {2, {5, 3}, {0, -1}, 8},
        {2, {1, 0}, {-1, 1}, 0.5},
        {3, {5, 0, 0}, {-1, 3, 4}, 5. / 6},  /* 5 - t = 5 t */
        {3, {5, 3, 0}, {0, 0, 1}, 4},        /* 25 = 9 + t^2 */
        {3, {5, 3, 0}, {-1, -1, 0}, 4},      /* 5 - t = |3 - t| at 4 */
        {3, {5, 0, 0}, {5, 3, 4}, INFINITY}, /* along the border */
        {3, {5, 1, 1}, {2, 1, -1}, INFINITY},
    };
    unsigned long seed = 3;
    for (int i = 0; i < CAROM_COUNT(known); i++) {
        double t = carom_cone_step(known[i].rows, known[i].x, known[i].d);
        ck_assert_msg(t == known[i].t || fabs(t - known[i].t) <= 1e-15 * known[i].t, "case %d: %.17g", i, t);
    }
    for (int i = 0; i < 1000; i++) {
        double x[3] = {0, noise(&seed), noise(&seed)}, d[3] = {noise(&seed), 3 * noise(&seed), 3 * noise(&seed)};
        x[0] = hypot(x[1], x[2]) + 0.01 + fabs(noise(&seed));
        double t = fmin(carom_cone_step(3, x, d), 100), at[3], half[3];
        for (int k = 0; k < 3; k++) {
            at[k] = x[k] + t * d[k];
            half[k] = x[k] + 0.5 * t * d[k];
        }
        ck_assert(half[0] > hypot(half[1], half[2]));
        if (t < 100)
            CHECK_NEAR(at[0], hypot(at[1], at[2]), 1e-12 * (1 + t));
    }
}
END_TEST

/* Two rows of contacts of which each acts on the next: of every three two press. */
START_TEST(large_groups_side_by_side_are_solved_alone)
{
    enum { FIRST = 65, N = FIRST + 77 };
    carom_arena *arena = carom_arena_new(0);
    carom_problem p = {.nblock = N, .n = N, .block = CAROM_NEW(arena, carom_block, N),
                       .b = CAROM_NEW(arena, double, N)};
    double *W = CAROM_NEW(arena, double, N * N), *x = CAROM_NEW(arena, double, N);
    p.W.dense = W;
    for (int i = 0; i < N; i++) {
        p.block[i] = (carom_block){.law = UNILATERAL, .row = i};
        p.b[i] = i % 3 == 0;
        for (int j = CAROM_MAX(i - 1, 0); j < N && j <= i + 1; j++) {
            W[i * N + j] = i == j ? 2 : (i < FIRST) == (j < FIRST) ? -0.5 : 0;
            p.b[i] -= W[i * N + j] * (j % 3 > 0);
        }
    }
    carom_error error;
    carom_solve s = {.tol = 1e-12, .x = x, .u = CAROM_NEW(arena, double, N), .arena = arena};
    CHECK_OK(carom_problem_solve(&p, NULL, &s, &error), error);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(x[i], i % 3 > 0, 1e-11);
    carom_arena_free(arena);
}
END_TEST

TEST_MAIN("limits of solvers", factorisations_are_used_up_and_not_more,
          every_first_parameter_that_is_allowed_is_begun_with, the_last_sweep_counts,
          a_step_ends_at_the_border_of_the_cone, large_groups_side_by_side_are_solved_alone)
