/* test_solvers_calls.c: how a solve is called: pins, offsets, first guesses, what cannot be solved, the registry. */
#include "problems.h"

START_TEST(values_that_are_not_finite_are_an_error)
{
    const carom_law *laws[] = {UNILATERAL, PLANAR, SPATIAL, JOINT};
    for (int blocks = 1; blocks <= 3; blocks += 2)
        for (int l = 0; l < 4; l++)
            for (int where = 0; where < 4; where++) {
                bench t;
                bench_begin(&t, 1);
                for (int k = 0; k < blocks; k++)
                    bench_block(&t, laws[l], 0.5);
                for (int i = 0; i < t.problem.n; i++) {
                    t.W[i * (t.problem.n + 1)] = 1;
                    t.b[i] = -1;
                }
                *(where % 2 ? &t.W[0] : &t.b[0]) = where < 2 ? NAN : INFINITY;
                carom_status status = bench_solve(&t, NULL, 1e-10);
                ck_assert_msg(status == CAROM_NOT_FINITE, "law %d, %d blocks, case %d: %s", l, blocks, where,
                              carom_status_text(status));
            }
}
END_TEST

START_TEST(pins_hold_their_mode)
{
    bench t;
    bench_begin(&t, 1);
    carom_block *block = bench_block(&t, PLANAR, 0.5);
    fill_problem(&t, (double[]){2, 0.6, 0.6, 1}, (double[]){-1, 3});
    carom_block_pin(block, CAROM_OPEN);
    expect_x(&t, (double[]){0, 0}, 0);
    carom_block_pin(block, CAROM_STICK); /* 2 x + .6 y = 1, .6 x + y = -3 */
    expect_x(&t, (double[]){2.8 / 1.64, -6.6 / 1.64}, 1e-14);
    carom_block_pin(block, CAROM_SLIP);
    block->direction[0] = -1; /* against the motion: p = 2 + .3 */
    expect_x(&t, (double[]){1 / 2.3, 0.5 / 2.3}, 1e-15);
    t.b[0] = 1;
    expect_x(&t, (double[]){0, 0}, 0);
}
END_TEST

START_TEST(x0_shifts_the_law)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, UNILATERAL, 0);
    fill_problem(&t, (double[]){2}, (double[]){1});
    t.problem.x0 = t.x0;
    t.x0[0] = 0.2; /* x >= -.2; u = 2x + 1 >= 0.6 there */
    expect_x(&t, (double[]){-0.2}, 1e-16);
    t.x0[0] = 3; /* free to pull down to u = 0 */
    expect_x(&t, (double[]){-0.5}, 1e-15);
}
END_TEST

START_TEST(a_good_first_guess_is_taken_as_it_is)
{
    bench t;
    bench_begin(&t, 1);
    for (int k = 0; k < 2; k++) { /* the same contact twice */
        bench_block(&t, PLANAR, 0.5);
        t.G[2 * k] = 1;
    }
    bench_dynamics(&t, (double[]){-1});
    double guess[] = {0.3, 0.1, 0.7, -0.2}; /* unequal shares of the load, the same motion */
    memcpy(t.x, guess, sizeof guess);
    SOLVE_OK(&t, NULL, 1e-12);
    for (int i = 0; i < 4; i++)
        ck_assert(t.x[i] == guess[i]);
    t.x[0] = NAN; /* a useless guess does no harm */
    SOLVE_OK(&t, NULL, 1e-12);
}
END_TEST

START_TEST(an_empty_problem_is_solved)
{
    bench t;
    bench_begin(&t, 1);
    for (int i = -1; i < 0 || tested_solver(i); i++)
        SOLVE_OK(&t, i < 0 ? NULL : tested_solver(i), 1e-12);
    ck_assert(t.solve.residual == 0);
}
END_TEST

START_TEST(solvers_refuse_what_they_do_not_take)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, SPATIAL, 0.5);
    fill_problem(&t, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, (double[]){-1, 0, 0});
    ck_assert_int_eq(bench_solve(&t, &carom_solver_lemke, 1e-10), CAROM_UNSUPPORTED);
}
END_TEST

START_TEST(the_registry_names_every_solver_once)
{
    for (int i = 0; carom_solver_list(i); i++) {
        const carom_method *method = carom_solver_method(i);
        ck_assert_ptr_eq(method, &carom_solver_list(i)->method);
        ck_assert_ptr_eq(carom_solver_find(method->name), carom_solver_list(i));
        ck_assert_ptr_nonnull(method->doc);
        ck_assert_ptr_nonnull(method->fields);
    }
    ck_assert_ptr_null(carom_solver_find("nobody"));
    ck_assert_ptr_null(carom_solver_method(-1));
}
END_TEST

START_TEST(iterations_end_when_they_are_cancelled)
{
    const carom_solver *const solvers[] = {&carom_solver_nsgs, &carom_solver_pgs, &carom_solver_proximal,
                                           &carom_solver_interior};
    for (int i = 0; i < CAROM_COUNT(solvers); i++) {
        volatile sig_atomic_t asked = 0;
        bench t;
        bench_begin(&t, 1);
        for (int k = 0; k < 6; k++)
            bench_block(&t, UNILATERAL, 0);
        for (int k = 0; k < 36; k++)
            t.W[k] = k % 7 ? 1 : 2;
        for (int k = 0; k < 6; k++)
            t.b[k] = -1 - k;
        t.cancel = &asked;
        SOLVE_OK(&t, solvers[i], 1e-10);
        memset(t.x, 0, sizeof t.x);
        asked = 1;
        carom_status status = bench_solve(&t, solvers[i], 1e-10);
        ck_assert_msg(status == CAROM_INTERRUPTED, "%s: %s", solvers[i]->method.name, carom_status_text(status));
    }
}
END_TEST

TEST_MAIN("calls of solvers", values_that_are_not_finite_are_an_error, pins_hold_their_mode, x0_shifts_the_law,
          a_good_first_guess_is_taken_as_it_is, an_empty_problem_is_solved, solvers_refuse_what_they_do_not_take,
          iterations_end_when_they_are_cancelled, the_registry_names_every_solver_once)
