/* test_solvers_bodies.c: problems given by bodies, W = G Y^T: random ones of known solution, a wall of bricks; the form
 * survives a dump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws/coulomb.h"
#include "problem/formats.h"
#include "solvers/solver.h"
#include "testing.h"

typedef struct work { /* a problem of ncontact contacts in space */
    carom_problem *p;
    carom_arena *arena;
    carom_span *span;
    int *row;
    double *G, *Y, *inverse; /* inverse [6*nbody] diagonal of M^-1 */
    double *x, *u;
    unsigned long seed;
} work;

static double noise(work *w) /* uniform in (-1, 1) */
{
    w->seed = w->seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(w->seed >> 11) / 4503599627370496.0 - 1;
}

static void begin(work *w, int nbody, int ncontact, double mu, unsigned long seed)
{
    carom_error error;
    *w = (work){.arena = carom_arena_new(0), .seed = seed};
    double *friction = CAROM_NEW(w->arena, double, ncontact);
    for (int k = 0; k < ncontact; k++)
        friction[k] = mu < 0 ? 0.1 - mu * (1 + noise(w)) / 2 : mu; /* below 0: random, up to that */
    ck_assert_int_eq(carom_problem_contacts(&w->p, w->arena, ncontact, 3, friction, &error), CAROM_OK);
    w->span = CAROM_NEW(w->arena, carom_span, 3 * ncontact);
    w->row = CAROM_NEW(w->arena, int, ncontact);
    w->G = CAROM_NEW(w->arena, double, 36 * ncontact), w->Y = CAROM_NEW(w->arena, double, 36 * ncontact);
    w->x = CAROM_NEW(w->arena, double, 3 * ncontact), w->u = CAROM_NEW(w->arena, double, 3 * ncontact);
    w->inverse = CAROM_NEW(w->arena, double, 6 * nbody);
    w->p->W = (carom_delassus){.product = {.span = w->span, .row = w->row, .G = w->G, .Y = w->Y, .nv = 6 * nbody,
                                           .diagonal = CAROM_NEW(w->arena, double, 9 * ncontact),
                                           .v = CAROM_NEW(w->arena, double, 6 * nbody),
                                           .push = CAROM_NEW(w->arena, double, 6 * nbody)}};
}

/* Contact k of bodies i and j (-1: the ground) at a point, J [2][18] its rows. */
static void join(work *w, int k, int i, int j, double J[2][18])
{
    const int body[2] = {i, j};
    w->row[k] = 3 * k;
    for (int r = 0; r < 3; r++) {
        size_t at = (size_t)(36 * k + r * (j < 0 ? 6 : 12));
        w->span[3 * k + r] = (carom_span){{at, at + 6}, {6 * i, j < 0 ? 0 : 6 * j}, {6, j < 0 ? 0 : 6}};
        for (int b = 0; b < (j < 0 ? 1 : 2); b++)
            for (int c = 0; c < 6; c++) {
                w->G[at + (size_t)(6 * b + c)] = J[b][6 * r + c];
                w->Y[at + (size_t)(6 * b + c)] = J[b][6 * r + c] * w->inverse[6 * body[b] + c];
            }
    }
}

/* Bodies in a ring that touch their neighbours and some of them the ground, twice as often as is needed. */
static void random_rows(work *w, int nbody, int ncontact, double decades)
{
    for (int i = 0; i < 6 * nbody; i++)
        w->inverse[i] = i % 6 ? w->inverse[i - 1] : pow(10, decades * noise(w) / 2);
    for (int k = 0; k < ncontact; k++) {
        int i = k % nbody, j = k / nbody % 2 ? -1 : (i + 1 + k / nbody) % nbody;
        double J[2][18];
        for (int c = 0; c < 36; c++)
            J[c / 18][c % 18] = noise(w);
        join(w, k, i, j == i ? -1 : j, J);
    }
    carom_product_diagonal(w->p);
}

/* b for a pair (u, x) of the law in every contact: open, sticking or slipping. */
static void known_solution(work *w)
{
    carom_problem *p = w->p;
    double *u = CAROM_NEW(w->arena, double, p->n);
    for (int k = 0; k < p->nblock; k++) {
        double mu = carom_block_mu(&p->block[k]), angle = 4 * noise(w), kind = noise(w);
        double *x = w->x + 3 * k, slip = kind > 0.4 ? fabs(noise(w)) : 0, share = kind > 0.4 ? 1 : 0.9 * fabs(noise(w));
        x[0] = kind < -0.5 ? 0 : 0.1 + fabs(noise(w));
        u[3 * k] = kind < -0.5 ? fabs(noise(w)) : 0;
        for (int i = 1; i < 3; i++) {
            double d = i == 1 ? cos(angle) : sin(angle);
            x[i] = -mu * x[0] * d * share;
            u[3 * k + i] = kind < -0.5 ? noise(w) : slip * d;
        }
    }
    memset(p->b, 0, sizeof *p->b * (size_t)p->n);
    carom_delassus_add(p, w->x, p->b);
    for (int i = 0; i < p->n; i++)
        p->b[i] = u[i] - p->b[i];
}

/* The same with cohesion in the contacts: the pairs are (u, x + x0). */
static void offset(work *w)
{
    carom_problem *p = w->p;
    p->x0 = CAROM_NEW(w->arena, double, p->n);
    for (int k = 0; k < p->nblock; k++)
        p->x0[3 * k] = fabs(noise(w));
    carom_delassus_add(p, p->x0, p->b);
}

/* Solves it from nothing; the answer is judged on a W that is stored. Returns whether it was solved. */
static bool solved(work *w, const carom_solver *solver, double tol, carom_solve *s)
{
    carom_problem sparse;
    carom_error error;
    int worst;
    memset(w->x, 0, sizeof *w->x * (size_t)w->p->n);
    *s = (carom_solve){.tol = tol, .x = w->x, .u = w->u, .arena = w->arena};
    if (carom_problem_solve(w->p, solver, s, &error) != CAROM_OK)
        return false;
    ck_assert_int_eq(carom_delassus_expand(w->p, w->arena, &sparse, &error), CAROM_OK);
    CHECK_AT_MOST(carom_problem_relative(&sparse, tol, w->x, w->u, &worst), 1.5 * tol); /* terms of W, not of G */
    return true;
}

START_TEST(random_problems_of_known_solution_are_solved)
{
    static const struct {
        double mu, decades;
        int nbody, ncontact;
    } kind[] = {{0.5, 0, 30, 40}, {-1, 0, 30, 80}, {0.7, 6, 30, 40}, {-1, 2, 60, 100}};
    enum { TRIALS = SANITIZED ? 5 : 20 };
    int alone[32] = {0};
    for (int i = 0; i < CAROM_COUNT(kind); i++)
        for (unsigned long trial = 1; trial <= TRIALS; trial++) {
            work w;
            carom_solve s;
            begin(&w, kind[i].nbody, kind[i].ncontact, kind[i].mu, trial);
            random_rows(&w, kind[i].nbody, kind[i].ncontact, kind[i].decades);
            known_solution(&w);
            if (trial % 4 == 0)
                offset(&w);
            ck_assert_msg(solved(&w, NULL, 1e-10, &s), "kind %d, trial %lu: %g by %s", i, trial, s.residual, s.by);
            for (int n = 0; carom_solver_list(n); n++)
                if (carom_solver_list(n)->forms & CAROM_PRODUCT)
                    alone[n] += solved(&w, carom_solver_list(n), 1e-8, &s);
            carom_arena_free(w.arena);
        }
    for (int n = 0; carom_solver_list(n); n++)
        if (carom_solver_list(n)->forms & CAROM_PRODUCT) {
            printf("%s alone: %d of %d\n", carom_solver_list(n)->method.name, alone[n], 4 * TRIALS);
            CHECK_AT_LEAST(alone[n], 4 * TRIALS * 9 / 10);
        }
}
END_TEST

/* More than 20,000 rows of W in full: sweeps are accelerated, and a well-conditioned problem needs nothing else. */
START_TEST(many_rows_are_solved_by_sweeps_alone)
{
    enum { N = 6700 };
    work w;
    carom_problem sparse;
    carom_error error = {0};
    begin(&w, N, N, 0.3, 3);
    random_rows(&w, N, N, 0);
    known_solution(&w);
    CHECK_OK(carom_delassus_expand(w.p, w.arena, &sparse, &error), error);
    memset(w.x, 0, sizeof *w.x * (size_t)sparse.n);
    carom_solve s = {.tol = 1e-8, .x = w.x, .u = w.u, .arena = w.arena};
    CHECK_OK(carom_problem_solve(&sparse, &carom_solver_proximal, &s, &error), error);
    printf("%d rows: %d sweeps, %d factorisations\n", sparse.n, s.iterations, s.factorisations);
    CHECK_AT_MOST(carom_problem_relative(&sparse, 1e-8, w.x, w.u, NULL), 1e-8);
    ck_assert_int_eq(s.factorisations, 0);
    carom_arena_free(w.arena);
}
END_TEST

/* n rows of n bricks of 2 by 1 by 1 in running bond, eight contacts a brick, from rest under gravity. */
static void wall(work *w, int n)
{
    begin(w, n * n, 8 * n * n, 0.7, 1);
    for (int i = 0; i < 6 * n * n; i++)
        w->inverse[i] = (const double[]){1, 1, 1, 6, 2.4, 2.4}[i % 6];
    for (int k = 0; k < 8 * n * n; k++) {
        int i = k / 8, row = i / n, half = k / 4 % 2, below = row == 0 ? -1 : i - n + (row % 2 ? half : half - 1);
        if (row > 0 && below / n != row - 1)
            below = i - n; /* at the end of a row the one brick carries both */
        double J[2][18], x = (i % n) * 2 + row % 2, at[2] = {x, below < 0 ? 0 : below % n * 2 + (row - 1) % 2};
        double point[2] = {x + (half ? 0.5 : -0.5) + (k & 1 ? 0.5 : -0.5), k & 2 ? 0.5 : -0.5};
        for (int b = 0; b < 2; b++) {
            double s = b ? -1 : 1, arm[3] = {point[0] - at[b], point[1], b ? 0.5 : -0.5};
            const double rows[18] = {0, 0, s, s * arm[1], -s * arm[0], 0, s, 0, 0, 0, s * arm[2], -s * arm[1],
                                     0, s, 0, -s * arm[2], 0, s * arm[0]};
            memcpy(J[b], rows, sizeof rows);
        }
        join(w, k, i, below, J);
    }
    carom_product_diagonal(w->p);
    double *v = CAROM_NEW(w->arena, double, 6 * n * n);
    for (int i = 0; i < 6 * n * n; i++)
        v[i] = 0.002 * noise(w) - (i % 6 == 2 ? 9.81 * 0.005 : 0);
    for (int k = 0; k < w->p->nblock; k++)
        carom_product_add(w->p, k, v, w->p->b + 3 * k);
}

START_TEST(a_wall_of_bricks_is_solved_with_few_factorisations)
{
    static const int rows[] = {6, 11};
    for (int i = 0; i < CAROM_COUNT(rows); i++) {
        work w;
        carom_solve s;
        wall(&w, rows[i]);
        ck_assert_msg(solved(&w, &carom_solver_condensed, 1e-8, &s), "%d rows: %g", rows[i], s.residual);
        printf("wall of %d rows: %d contacts, %d factorisations\n", rows[i], w.p->nblock, s.factorisations);
        CHECK_AT_MOST(s.factorisations, 20); /* 10 and 11; proximal points alone took 18 and 26 */
        carom_arena_free(w.arena);
    }
}
END_TEST

START_TEST(threads_change_no_bit_of_an_answer)
{
    work w;
    carom_error error = {0};
    wall(&w, 20); /* enough for tasks */
    size_t bytes = sizeof(double) * (size_t)w.p->n;
    double *alone = CAROM_NEW(w.arena, double, w.p->n);
    for (int n = -1; n < 0 || carom_solver_list(n); n++) {
        const carom_solver *solver = n < 0 ? NULL : carom_solver_list(n);
        if (solver && !(solver->forms & CAROM_PRODUCT))
            continue;
        for (int threads = 1; threads <= 3; threads++) {
            carom_solve s = {.tol = 1e-4, .x = w.x, .u = w.u, .arena = w.arena, .threads = threads};
            memset(w.x, 0, bytes);
            ck_assert_msg(carom_problem_solve(w.p, solver, &s, &error) == CAROM_OK, "%s", error.text);
            if (threads == 1)
                memcpy(alone, w.x, bytes);
            ck_assert_msg(memcmp(alone, w.x, bytes) == 0, "%s: %d threads", s.by, threads);
        }
    }
    carom_arena_free(w.arena);
}
END_TEST

/* Whatever is tried within a call has one deadline. */
START_TEST(a_call_whose_time_is_over_ends)
{
    work w;
    carom_error error = {0};
    wall(&w, 6);
    carom_solve s = {.tol = 1e-8, .x = w.x, .u = w.u, .arena = w.arena, .deadline = 1}; /* long ago */
    ck_assert_int_eq(carom_problem_solve(w.p, NULL, &s, &error), CAROM_NOT_CONVERGED);
    ck_assert_msg(strstr(error.text, "in its time") != NULL, "%s", error.text);
    ck_assert_int_eq(s.factorisations, 0);
    s.deadline = 0, s.time_limit = 1e6;
    ck_assert_int_eq(carom_problem_solve(w.p, NULL, &s, &error), CAROM_OK);
    ck_assert(s.deadline == 0); /* the next call has its own */
    carom_arena_free(w.arena);
}
END_TEST

START_TEST(the_form_survives_a_dump)
{
    work w;
    carom_problem *back;
    carom_error error = {0};
    double *x, u[2][3 * 40];
    begin(&w, 30, 40, 0.5, 3);
    random_rows(&w, 30, 40, 2);
    known_solution(&w);
    FILE *file = tmpfile();
    ck_assert_int_eq(carom_problem_dump(w.p, w.x, file), CAROM_OK);
    rewind(file);
    ck_assert_msg(carom_problem_read(&back, &x, w.arena, file, &error) == CAROM_OK, "%s", error.text);
    fclose(file);
    ck_assert(back->W.product.span && back->W.product.nv == 180);
    ck_assert_mem_eq(x, w.x, sizeof *x * 120);
    ck_assert_mem_eq(back->W.product.diagonal, w.p->W.product.diagonal, sizeof(double) * 9 * 40);
    ck_assert(carom_problem_residual(w.p, w.x, u[0], NULL) == carom_problem_residual(back, x, u[1], NULL));
    ck_assert_mem_eq(u[0], u[1], sizeof u[0]);
    carom_arena_free(w.arena);
}
END_TEST

START_TEST(broken_products_are_refused_with_their_line)
{
    static const struct {
        const char *text, *complaint;
    } bad[] = {
        {"product 6 0 7 0 0 1\n", "is no column block"},
        {"product 6 3 6 0 0 1\n", "ends behind the last"},
        {"product -1\n", "is no number of velocities"},
        {"product 6 0 3 0 0 1 2\n", "ends too early"},
    };
    for (int i = 0; i < CAROM_COUNT(bad); i++) {
        carom_arena *arena = carom_arena_new(0);
        carom_problem *p;
        carom_error error;
        double *x;
        FILE *file = tmpfile();
        fprintf(file, "carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\n%s", bad[i].text);
        rewind(file);
        ck_assert_int_eq(carom_problem_read(&p, &x, arena, file, &error), CAROM_FILE);
        ck_assert_msg(strstr(error.text, bad[i].complaint) && strstr(error.text, "line"), "%s", error.text);
        fclose(file);
        carom_arena_free(arena);
    }
}
END_TEST

/* So near that all modes are known: one step of Newton's method is enough, whatever the masses. */
START_TEST(a_good_guess_takes_one_step)
{
    for (unsigned long seed = 1; seed <= 20; seed++) {
        work w;
        carom_error error;
        begin(&w, 30, 40, 0.5, seed);
        random_rows(&w, 30, 40, seed % 2 ? 6 : 0);
        known_solution(&w);
        for (int i = 0; i < w.p->n; i++)
            w.x[i] *= 1 + 1e-8 * noise(&w);
        carom_solve s = {.tol = 1e-12, .x = w.x, .u = w.u, .arena = w.arena};
        CHECK_OK(carom_problem_solve(w.p, &carom_solver_condensed, &s, &error), error);
        ck_assert_int_eq(s.factorisations, 1);
        carom_arena_free(w.arena);
    }
}
END_TEST

TEST_MAIN("solvers bodies", random_problems_of_known_solution_are_solved, a_good_guess_takes_one_step,
          many_rows_are_solved_by_sweeps_alone,
          a_wall_of_bricks_is_solved_with_few_factorisations, threads_change_no_bit_of_an_answer,
          a_call_whose_time_is_over_ends, the_form_survives_a_dump, broken_products_are_refused_with_their_line)
