/* test_solvers.c: problems whose solution is known by hand, for every solver that takes them. */
#include "problems.h"

START_TEST(one_contact_without_friction_opens_or_closes)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){2}, (double[]){-3});
    expect_x(&t, (double[]){1.5}, 0);
    t.b[0] = 3;
    expect_x(&t, (double[]){0}, 0);
    SOLVE_OK(&t, NULL, 1e-12);
    ck_assert(t.u[0] == 3 && t.solve.residual == 0);
}
END_TEST

START_TEST(planar_contact_sticks_slips_both_ways_and_opens)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, PLANAR, 0.5);
    double W[] = {2, 0, 0, 1};
    fill_problem(&t, W, (double[]){-2, 0.4});
    expect_x(&t, (double[]){1, -0.4}, 1e-15);
    fill_problem(&t, W, (double[]){-2, 0.7});
    expect_x(&t, (double[]){1, -0.5}, 1e-15);
    SOLVE_OK(&t, NULL, 1e-12);
    CHECK_NEAR(t.u[1], 0.2, 1e-15);
    fill_problem(&t, W, (double[]){-2, -0.7});
    expect_x(&t, (double[]){1, 0.5}, 1e-15);
    fill_problem(&t, W, (double[]){1e-9, -0.7});
    expect_x(&t, (double[]){0, 0}, 0);
    /* coupled: slip forward, p = 2 - .5*.6 = 1.7, x_n = 1/1.7 */
    fill_problem(&t, (double[]){2, 0.6, 0.6, 1}, (double[]){-1, 3});
    expect_x(&t, (double[]){1 / 1.7, -0.5 / 1.7}, 1e-15);
}
END_TEST

START_TEST(spatial_contact_sticks_slips_and_opens)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, SPATIAL, 0.5);
    double W[] = {1, 0, 0, 0, 2, 0, 0, 0, 2};
    fill_problem(&t, W, (double[]){-4, 2, -3});
    expect_x(&t, (double[]){4, -1, 1.5}, 1e-15);
    fill_problem(&t, W, (double[]){-1, 3, -4}); /* isotropic: the direction of b_t, |x_t| = .5 */
    expect_x(&t, (double[]){1, -0.3, 0.4}, 1e-15);
    SOLVE_OK(&t, NULL, 1e-12);
    CHECK_NEAR(t.u[1], 2.4, 1e-14);
    CHECK_NEAR(t.u[2], -3.2, 1e-14);
    fill_problem(&t, W, (double[]){0, 3, -4});
    expect_x(&t, (double[]){0, 0, 0}, 0);
}
END_TEST

/* u = 0 rows of the plane inside of space: the exact planar slip must come out of the spatial solve. */
START_TEST(spatial_slip_along_an_axis_is_the_planar_slip)
{
    bench t, p;
    bench_begin(&t, 1);
    bench_block(&t, SPATIAL, 0.3);
    fill_problem(&t, (double[]){2, 0.6, 0, 0.6, 1, 0, 0, 0, 1}, (double[]){-1, 3, 0});
    bench_begin(&p, 1);
    bench_block(&p, PLANAR, 0.3);
    fill_problem(&p, (double[]){2, 0.6, 0.6, 1}, (double[]){-1, 3});
    SOLVE_OK(&p, NULL, 1e-14);
    expect_x(&t, (double[]){p.x[0], p.x[1], 0}, 1e-15);
}
END_TEST

/* A box (mass 1, inertia J, width 2a, height 2c) on two corners that both stick: rank 3 of 4 rows. */
static void box_on_two_corners(bench *t, double mu, const double *v)
{
    double a = 0.47, c = 0.23; /* odd numbers: the rank must not show in an exact zero */
    bench_begin(t, 3);
    t->inverse_mass[2] = 5.7;
    for (int k = 0; k < 2; k++) {
        double side = k ? a : -a, rows[] = {0, 1, side, 1, 0, c}; /* (x, y, angle); normal, tangent */
        bench_block(t, PLANAR, mu);
        memcpy(t->G + 6 * k, rows, sizeof rows);
    }
    bench_dynamics(t, v);
}

START_TEST(box_with_two_sticking_corners_shares_the_load)
{
    bench t;
    double v[] = {0.1, -1, 0};
    box_on_two_corners(&t, 0.5, v);
    for (int i = -1; i < 0 || tested_solver(i); i++) {
        const carom_solver *solver = i < 0 ? NULL : tested_solver(i);
        if (solver && !solver->takes(&t.problem))
            continue;
        memset(t.x, 0, sizeof t.x);
        SOLVE_OK(&t, solver, 1e-12);
        double allowed = owed(solver, 1e-13, 1e-12, 1);
        CHECK_NEAR(t.x[0] + t.x[2], 1, allowed);    /* stops the fall */
        CHECK_NEAR(t.x[1] + t.x[3], -0.1, allowed); /* stops the slide */
        CHECK_NEAR(0.47 * (t.x[2] - t.x[0]) + 0.23 * (t.x[1] + t.x[3]), 0, allowed); /* no spin */
        if (!solver)
            CHECK_NEAR(t.x[1], -0.05, 1e-13);       /* smallest: equal shares of friction */
    }
}
END_TEST

/* A plate on four corners with spatial friction: 12 rows, rank 6. */
static void plate_on_four_corners(bench *t, double mu, const double *v)
{
    double a = 0.47, c = 0.13, inverse[] = {1, 1, 1, 5.7, 6.1, 3.3};
    bench_begin(t, 6);
    memcpy(t->inverse_mass, inverse, sizeof inverse);
    for (int k = 0; k < 4; k++) { /* v + w x r at r = (x, y, -c): normal z, tangents x, y */
        double x = k & 1 ? a : -a, y = k & 2 ? a : -a;
        double rows[] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, -c, -y, 0, 1, 0, c, 0, x};
        bench_block(t, SPATIAL, mu);
        memcpy(t->G + 18 * k, rows, sizeof rows);
    }
    bench_dynamics(t, v);
}

START_TEST(plate_on_four_corners_stops_or_slides)
{
    bench t;
    double stop[] = {0.1, -0.2, -1, 0, 0, 0}, slide[] = {3, 4, -1, 0, 0, 0};
    plate_on_four_corners(&t, 0.5, stop);
    SOLVE_OK(&t, NULL, 1e-12);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(t.u[i], 0, 1e-14);
    CHECK_NEAR(t.x[0] + t.x[3] + t.x[6] + t.x[9], 1, 1e-14);
    CHECK_NEAR(t.x[0] - t.x[3] - t.x[6] + t.x[9], 0, 1e-13); /* smallest: nothing along what moves nothing */
    plate_on_four_corners(&t, 0.5, slide); /* all slip along (3, 4)/5; friction .5 slows it from 5 to 4.5 */
    SOLVE_OK(&t, NULL, 1e-12);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(t.u[3 * k], 0, 1e-14);
        CHECK_NEAR(t.u[3 * k + 1], 2.7, 1e-13);
        CHECK_NEAR(t.u[3 * k + 2], 3.6, 1e-13);
    }
}
END_TEST

/* Two opposite contacts that close in on the same body: nobody calls it solved, the automatic choice shows it. */
START_TEST(a_squeezed_body_has_no_solution)
{
    for (int i = -1; i < 0 || tested_solver(i); i++) {
        bench t;
        bench_begin(&t, 1);
        for (int k = 0; k < 2; k++) {
            bench_block(&t, UNILATERAL, 0);
            t.G[k] = k ? -1 : 1;
        }
        bench_dynamics(&t, (double[]){0});
        t.b[0] = t.b[1] = -1; /* both walls approach */
        const carom_solver *solver = i < 0 ? NULL : tested_solver(i);
        if (solver && !solver->takes(&t.problem))
            continue;
        carom_status status = bench_solve(&t, solver, 1e-10);
        ck_assert_msg(status == CAROM_NO_SOLUTION || (solver && status == CAROM_NOT_CONVERGED), "%s: %s",
                      solver ? solver->method.name : "automatic", t.error.text);
        ck_assert(t.solve.none == (status == CAROM_NO_SOLUTION));
        CHECK_AT_LEAST(carom_problem_residual(&t.problem, t.x, t.u, NULL), 0.1);
        t.b[1] = 1.5; /* room enough */
        memset(t.x, 0, sizeof t.x);
        SOLVE_OK(&t, solver, 1e-12);
        CHECK_NEAR(t.x[0], 1, owed(solver, 1e-15, 1e-12, 1));
    }
}
END_TEST

/* Lemke's ray proves it, enumeration exhausts it. */
START_TEST(lemke_and_enumeration_show_that_there_is_no_solution)
{
    const carom_solver *provers[] = {&carom_solver_lemke, &carom_solver_enumeration};
    for (int i = 0; i < 2; i++) {
        bench t;
        bench_begin(&t, 1);
        for (int k = 0; k < 2; k++) {
            bench_block(&t, UNILATERAL, 0);
            t.G[k] = k ? -1 : 1;
        }
        bench_dynamics(&t, (double[]){0});
        t.b[0] = t.b[1] = -1;
        ck_assert_int_eq(bench_solve(&t, provers[i], 1e-10), CAROM_NO_SOLUTION);
    }
}
END_TEST

/* The same with friction, beside a joint: a ray is no proof there, though the joint is eliminated exactly. */
START_TEST(lemke_proves_through_joints_but_not_with_friction)
{
    for (int friction = 0; friction < 2; friction++) {
        bench t;
        bench_begin(&t, 3);
        bench_block(&t, JOINT, 0);
        t.G[2] = 1;
        for (int k = 0; k < 2; k++) {
            int row = bench_block(&t, friction ? PLANAR : UNILATERAL, 0.5)->row;
            t.G[3 * row] = k ? -1 : 1;
            t.G[3 * row + 2] = 0.5;
            if (friction)
                t.G[3 * (row + 1) + 1] = 1;
        }
        bench_dynamics(&t, (double[]){0, 0, 1});
        t.b[1] = t.b[friction ? 3 : 2] = -1;
        carom_status expected = friction ? CAROM_NOT_CONVERGED : CAROM_NO_SOLUTION;
        ck_assert_int_eq(bench_solve(&t, &carom_solver_lemke, 1e-10), expected);
        t.b[1] = 2; /* room enough */
        SOLVE_OK(&t, &carom_solver_lemke, 1e-10);
    }
}
END_TEST

START_TEST(redundant_joints_share_and_stop_the_motion)
{
    bench t;
    bench_begin(&t, 2);
    for (int k = 0; k < 3; k++) {
        bench_block(&t, JOINT, 0);
        t.G[2 * k] = 1;
    }
    bench_block(&t, UNILATERAL, 0);
    t.G[6] = 0.5; /* a contact that the joints feel too */
    t.G[7] = 1;
    bench_dynamics(&t, (double[]){3, -2});
    for (int i = -1; i < 0 || tested_solver(i); i++) { /* v_y: 2; then v_x: 3 + .5*2 - 4 = 0 */
        const carom_solver *solver = i < 0 ? NULL : tested_solver(i);
        if (solver && !solver->takes(&t.problem))
            continue;
        memset(t.x, 0, sizeof t.x);
        SOLVE_OK(&t, solver, 1e-12);
        double allowed = owed(solver, 1e-13, 1e-12, 4);
        CHECK_NEAR(t.x[0] + t.x[1] + t.x[2], -4, allowed);
        CHECK_NEAR(t.x[3], 2, allowed);
        for (int k = 0; k < 3 && !solver; k++)
            CHECK_NEAR(t.x[k], -4.0 / 3, 1e-13);
    }
}
END_TEST

/* Three joints on two degrees of freedom, the third row the sum of the others: (1, 1, -1) moves nothing. */
START_TEST(dependent_joints_get_the_smallest_forces)
{
    unsigned long seed = 11;
    for (int k = 0; k < 200; k++) {
        bench t;
        bench_begin(&t, 2);
        for (int i = 0; i < 3; i++)
            bench_block(&t, JOINT, 0);
        for (int i = 0; i < 6; i++)
            t.G[i] = i < 4 ? noise(&seed) : t.G[i - 2] + t.G[i - 4];
        bench_dynamics(&t, (double[]){1, -2});
        if (fabs(t.G[0] * t.G[3] - t.G[1] * t.G[2]) < 0.1)
            continue;
        SOLVE_OK(&t, NULL, 1e-12);
        CHECK_NEAR(t.x[0] + t.x[1] - t.x[2], 0, 1e-9);
    }
}
END_TEST

/* A table without friction on four legs at random places: three motions, four forces. The null vector of the forces has
 * the areas of the triangles that the other legs span; the smallest x is normal to it. */
START_TEST(legs_of_a_table_get_the_smallest_forces)
{
    unsigned long seed = 13;
    int checked = 0;
    for (int k = 0; k < 500; k++) {
        bench t;
        double px[4], py[4], along = 0;
        bench_begin(&t, 3);
        for (int i = 0; i < 4; i++) {
            px[i] = (i & 1 ? 1 : -1) + 0.3 * noise(&seed);
            py[i] = (i & 2 ? 1 : -1) + 0.3 * noise(&seed);
            bench_block(&t, UNILATERAL, 0);
            double row[] = {1, py[i], -px[i]};
            memcpy(t.G + 3 * i, row, sizeof row);
        }
        bench_dynamics(&t, (double[]){-1, 0, 0});
        SOLVE_OK(&t, NULL, 1e-12);
        for (int i = 0; i < 4; i++) {
            int a = (i + 1) % 4, b = (i + 2) % 4, c = (i + 3) % 4;
            double area = (px[b] - px[a]) * (py[c] - py[a]) - (px[c] - px[a]) * (py[b] - py[a]);
            along += (i % 2 ? -1 : 1) * area * t.x[i];
        }
        if (t.x[0] > 0 && t.x[1] > 0 && t.x[2] > 0 && t.x[3] > 0) {
            checked++;
            CHECK_NEAR(along, 0, 1e-10);
        }
    }
    CHECK_AT_LEAST(checked, 100);
}
END_TEST

START_TEST(spatial_contact_with_dependent_rows_gets_the_smallest_force)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, SPATIAL, 0.5);
    fill_problem(&t, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 0}, (double[]){-1, 0.1, 0}); /* nothing moves along the third */
    expect_x(&t, (double[]){1, -0.1, 0}, 1e-14);
}
END_TEST

/* Every ratio ties, at every pivot: without a rule against cycling the pivots go round. */
START_TEST(lemke_does_not_cycle_on_ties)
{
    bench t;
    bench_begin(&t, 1);
    for (int k = 0; k < 3; k++)
        bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){1, 2, 0, 0, 1, 2, 2, 0, 1}, (double[]){-1, -1, -1});
    SOLVE_OK(&t, &carom_solver_lemke, 1e-12);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(t.x[k], 1.0 / 3, 1e-15);
}
END_TEST

START_TEST(joints_alone_are_a_linear_system)
{
    bench t;
    bench_begin(&t, 2);
    bench_block(&t, JOINT, 0);
    bench_block(&t, JOINT, 0);
    fill_problem(&t, (double[]){2, 1, 1, 2}, (double[]){-3, 3});
    expect_x(&t, (double[]){3, -3}, 1e-14);
}
END_TEST

/* Five touching balls: rows u_i = v_{i+1} - v_i, b = u- + e u-  (Newton's law, all contacts at once). */
static void five_balls(bench *t, double e, double *v)
{
    bench_begin(t, 5);
    double start[] = {1, 0, 0, 0, 0};
    memcpy(v, start, sizeof start);
    for (int k = 0; k < 4; k++) {
        bench_block(t, UNILATERAL, 0);
        t->G[5 * k + k] = -1;
        t->G[5 * k + k + 1] = 1;
    }
    bench_dynamics(t, v);
    for (int k = 0; k < 4; k++)
        t->b[k] *= 1 + e;
}

START_TEST(five_touching_balls_move_on_together)
{
    double e[] = {1, 0.9}, expected[][2] = {{-0.6, 0.4}, {-0.52, 0.38}};
    for (int c = 0; c < 2; c++)
        for (int i = -1; i < 0 || tested_solver(i); i++) {
            bench t;
            double v[5], allowed = owed(i < 0 ? NULL : tested_solver(i), 1e-14, 1e-12, 1);
            five_balls(&t, e[c], v);
            if (i >= 0 && !tested_solver(i)->takes(&t.problem))
                continue;
            SOLVE_OK(&t, i < 0 ? NULL : tested_solver(i), 1e-12);
            for (int k = 0; k < 4; k++) {
                v[k] -= t.x[k];
                v[k + 1] += t.x[k];
            }
            CHECK_NEAR(v[0], expected[c][0], allowed);
            for (int k = 1; k < 5; k++)
                CHECK_NEAR(v[k], expected[c][1], allowed);
        }
}
END_TEST

/* The iteration itself, without the polish that usually ends it. */
static void sweep_only(bench *t, double relaxation)
{
    double field[CAROM_FIELDS_MAX];
    ck_assert_str_eq(carom_solver_nsgs.method.fields[1].name, "relaxation");
    ck_assert_str_eq(carom_solver_nsgs.method.fields[2].name, "polish");
    carom_fields_standard(carom_solver_nsgs.method.fields, field);
    field[1] = relaxation;
    field[2] = 0;
    void *work = malloc(carom_solver_work(&carom_solver_nsgs, t->problem.n, t->problem.nblock));
    t->solve = (carom_solve){.field = field, .tol = 1e-12, .x = t->x, .u = t->u, .work = work};
    carom_status status = carom_problem_solve(&t->problem, &carom_solver_nsgs, &t->solve, &t->error);
    free(work);
    ck_assert_msg(status == CAROM_OK, "relaxation %g: %s", relaxation, t->error.text);
    CHECK_AT_LEAST(t->solve.iterations, 3);
    CHECK_AT_MOST(t->solve.iterations, 500);
}

START_TEST(gauss_seidel_alone_converges)
{
    for (double relaxation = 0.6; relaxation < 1.5; relaxation += 0.4) {
        bench t;
        double v[5], push[] = {0.1, -0.2, -1, 0.01, 0.02, 0.03}, x[] = {1.6, 1.2, 0.8, 0.4};
        plate_on_four_corners(&t, 0.5, push); /* redundant */
        sweep_only(&t, relaxation);
        five_balls(&t, 1, v);                 /* unique */
        sweep_only(&t, relaxation);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(t.x[k], x[k], 1e-10);
    }
}
END_TEST

/* Rod on its tip at 60 degrees: W_nn = 1 + 3 c^2, W_nt = 3 s c (J = 1/3, length 2), mu s W_nt > W_nn. */
static void painleve(bench *t, double bn)
{
    double c = 0.5, s = sqrt(0.75), mu = 5.0 / 3;
    bench_begin(t, 1);
    bench_block(t, PLANAR, mu);
    fill_problem(t, (double[]){1 + 3 * c * c, 3 * s * c, 3 * s * c, 1 + 3 * s * s}, (double[]){bn, 10});
    ck_assert(1 + 3 * c * c - mu * 3 * s * c < 0);
}

START_TEST(a_pinned_painleve_slip_that_presses_down_has_no_solution)
{
    bench t;
    painleve(&t, -1);
    carom_block_pin(&t.block[0], CAROM_SLIP);
    t.block[0].direction[0] = 1;
    ck_assert_int_eq(bench_solve(&t, NULL, 1e-10), CAROM_NO_SOLUTION);
    ck_assert_ptr_nonnull(strstr(t.error.text, "no solution"));
    CHECK_AT_LEAST(t.solve.residual, 0.01);
    ck_assert_int_eq(bench_solve(&t, &carom_solver_enumeration, 1e-10), CAROM_NO_SOLUTION);
    ck_assert_int_ne(bench_solve(&t, &carom_solver_nsgs, 1e-10), CAROM_OK);
    ck_assert_int_ne(bench_solve(&t, &carom_solver_lemke, 1e-10), CAROM_OK);
    t.b[0] = 1; /* lifting: open is a solution */
    SOLVE_OK(&t, NULL, 1e-10);
    ck_assert(t.x[0] == 0);
}
END_TEST

START_TEST(a_contact_that_nothing_can_move_has_no_solution)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){0}, (double[]){-1});
    ck_assert_int_eq(bench_solve(&t, NULL, 1e-10), CAROM_NO_SOLUTION);
    t.problem.n = t.problem.nblock = 0;
    bench_block(&t, JOINT, 0);
    bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){1, 0.1, 0.1, 0.1 * 0.1}, (double[]){-1, -1}); /* the joint holds the contact */
    memset(t.x, 0, sizeof t.x);
    ck_assert_int_eq(bench_solve(&t, NULL, 1e-10), CAROM_NO_SOLUTION);
    CHECK_AT_MOST(fabs(t.x[1]), 1);
    unsigned long seed = 12;
    for (int k = 0; k < 1000; k++) { /* consistent: the contact must not get a force made of rounding errors */
        double g = noise(&seed), v = noise(&seed), up = 1 + 2e-16 * dice(&seed, 3), down = 1 - 2e-16 * dice(&seed, 3);
        fill_problem(&t, (double[]){1, g, g, g * g * up}, (double[]){v, g * v * (k % 2 ? up : down)});
        memset(t.x, 0, sizeof t.x);
        SOLVE_OK(&t, NULL, 1e-10);
        ck_assert(t.x[1] == 0);
    }
}
END_TEST

/* u_J = x_C - 1, u_C = 0.5 - x_J: the joint alone cannot be eliminated, K_JJ = 0. And a larger one: a chain of them. */
START_TEST(joints_that_only_contacts_hold_are_solved)
{
    for (int links = 1; links <= 8; links++) {
        bench t;
        bench_begin(&t, 1);
        for (int i = 0; i < 2 * links; i++)
            bench_block(&t, i < links ? JOINT : UNILATERAL, 0);
        int n = 2 * links;
        for (int i = 0; i < links; i++) {
            t.W[i * n + links + i] = 1;
            t.W[(links + i) * n + i] = -1;
            if (i > 0)
                t.W[i * n + links + i - 1] = 0.5;  /* x_C: 1, 0.5, 0.75, ... */
            t.b[i] = -1;
            t.b[links + i] = 0.5 + i;
        }
        SOLVE_OK(&t, NULL, 1e-12);
        double contact = 0;
        for (int i = 0; i < links; i++) {
            contact = 1 - 0.5 * contact;
            CHECK_NEAR(t.x[links + i], contact, 1e-12);
            CHECK_NEAR(t.x[i], 0.5 + i, 1e-12);
        }
        ck_assert_str_eq(t.solve.by, "mixed");
    }
}
END_TEST

/* Two equal rows: Newton's matrix is singular where both are closed, -F leads up, and the way down is the one of the
 * gradient: to x1 + x2 = 5, away from the solution 0. */
START_TEST(newton_goes_down_the_gradient_where_its_matrix_is_singular)
{
    bench t;
    bench_begin(&t, 2);
    bench_block(&t, UNILATERAL, 0), bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){-1, -1, -1, -1}, (double[]){5, 5});
    const carom_solver *newton = carom_solver_find("newton");
    const double field[] = {200, 1}; /* the function min */
    ck_assert_ptr_nonnull(newton);
    char work[20000];
    ck_assert_uint_le(newton->work(2, 2), sizeof work);
    t.x[0] = t.x[1] = 2;
    t.solve = (carom_solve){.field = field, .tol = 1e-12, .x = t.x, .u = t.u, .work = work};
    newton->solve(&t.problem, &t.solve);
    CHECK_NEAR(t.x[0] + t.x[1], 5, 1e-12);
    CHECK_NEAR(t.x[0] - t.x[1], 0, 1e-12);
}
END_TEST

/* A plate that slides and spins on more legs than carry it: Gauss-Seidel with the equations of its modes, again and
 * again, takes long where it fails. */
START_TEST(more_spatial_slips_than_are_enumerated_go_to_the_proximal_points_at_once)
{
    for (int legs = 6; legs <= 8; legs++) {
        bench t;
        bench_begin(&t, 6);
        for (int i = 0; i < legs; i++) {
            double x = cos(i), y = sin(i);
            const double G[18] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, 0, -y, 0, 1, 0, 0, 0, x};
            bench_block(&t, SPATIAL, 0.3);
            memcpy(t.G + 18 * i, G, sizeof G);
        }
        bench_dynamics(&t, (const double[]){1, 0, -1, 0.2, 0, 0.3});
        SOLVE_OK(&t, NULL, 1e-10);
        ck_assert_msg((strcmp(t.solve.by, "proximal") == 0) == (legs > 6), "%d legs: %s", legs, t.solve.by);
    }
}
END_TEST

TEST_MAIN("solvers", more_spatial_slips_than_are_enumerated_go_to_the_proximal_points_at_once,
          joints_that_only_contacts_hold_are_solved,
          one_contact_without_friction_opens_or_closes, planar_contact_sticks_slips_both_ways_and_opens,
          spatial_contact_sticks_slips_and_opens, spatial_slip_along_an_axis_is_the_planar_slip,
          box_with_two_sticking_corners_shares_the_load, plate_on_four_corners_stops_or_slides,
          a_squeezed_body_has_no_solution, lemke_and_enumeration_show_that_there_is_no_solution,
          lemke_proves_through_joints_but_not_with_friction,
          redundant_joints_share_and_stop_the_motion, dependent_joints_get_the_smallest_forces,
          legs_of_a_table_get_the_smallest_forces,
          spatial_contact_with_dependent_rows_gets_the_smallest_force, lemke_does_not_cycle_on_ties,
          joints_alone_are_a_linear_system,
          five_touching_balls_move_on_together, gauss_seidel_alone_converges,
          a_pinned_painleve_slip_that_presses_down_has_no_solution,
          a_contact_that_nothing_can_move_has_no_solution,
          newton_goes_down_the_gradient_where_its_matrix_is_singular)
