/* test_solvers_random.c: many random problems of every kind. b is computed from a known solution, or for redundant
 * contacts from a motion of the bodies (b = G v, W = G M^-1 G^T). The answer of every solver is judged by the residual,
 * computed once more here; where u is unique it is compared between the solvers. */
#include "problems.h"

enum { TRIALS = 300 };

typedef struct recipe {
    const char *name;
    const carom_law *law;
    int joints, most;      /* contacts: 1..most */
    bool redundant;        /* fewer degrees of freedom than rows, repeated rows */
    double skew;           /* size of a nonsymmetric part */
    bool pins, offsets;
} recipe;

/* A pair (u, y) in the law of the block, in a random mode. */
static void known_pair(const carom_block *block, unsigned long *seed, double *u, double *y)
{
    int rows = block->law->rows, mode = dice(seed, 3);
    for (int i = 0; i < 3; i++)
        u[i] = y[i] = 0;
    if (block->law == &carom_law_bilateral) {
        y[0] = noise(seed);
        return;
    }
    if (mode == 0) { /* open */
        for (int i = 0; i < rows; i++)
            u[i] = noise(seed);
        u[0] = fabs(u[0]);
        return;
    }
    y[0] = 0.1 + fabs(noise(seed));
    if (rows == 1)
        return;
    double angle = 4 * noise(seed), d[2] = {cos(angle), sin(angle)}, slip = mode == 1 ? fabs(noise(seed)) : 0;
    if (rows == 2)
        d[0] = d[0] > 0 ? 1 : -1;
    for (int i = 1; i < rows; i++) {
        y[i] = -carom_block_mu(block) * y[0] * d[i - 1] * (mode == 1 ? 1 : fabs(noise(seed)));
        u[i] = slip * d[i - 1];
    }
}

static void make(bench *t, const recipe *r, unsigned long *seed)
{
    int contacts = 1 + dice(seed, r->most), rows = r->joints + contacts * r->law->rows;
    int ndof = r->redundant ? CAROM_MAX(r->joints + 1, rows * 2 / 3) : rows + 1;
    bench_begin(t, CAROM_MIN(ndof, DOFS));
    for (int k = 0; k < r->joints; k++)
        bench_block(t, &carom_law_bilateral, 0);
    for (int k = 0; k < contacts; k++)
        bench_block(t, r->law, r->law->rows > 1 ? 0.1 + 0.4 * fabs(noise(seed)) : 0);
    int n = t->problem.n, m = t->ndof;
    for (int i = 0; i < m; i++)
        t->inverse_mass[i] = 0.2 + fabs(noise(seed));
    for (int i = 0; i < n * m; i++)
        t->G[i] = noise(seed);
    if (r->redundant && r->joints > 1)
        memcpy(t->G + m, t->G, sizeof(double) * (size_t)m);
    if (r->redundant && contacts > 1) { /* the last contact repeats the one before */
        int w = r->law->rows;
        memcpy(t->G + (n - w) * m, t->G + (n - 2 * w) * m, sizeof(double) * (size_t)(w * m));
    }
    double v[DOFS] = {0}, x[ROWS];
    bench_dynamics(t, v);
    for (int i = 0; i < n * n; i++)
        t->W[i] += r->skew * (i / n < i % n ? 1 : -1) * (i / n != i % n) * 0.3;
    for (int k = 0; k < t->problem.nblock; k++) {
        double u[3], y[3];
        known_pair(&t->block[k], seed, u, y);
        for (int i = 0; i < t->block[k].law->rows; i++) {
            t->b[t->block[k].row + i] = u[i];
            x[t->block[k].row + i] = y[i];
        }
    }
    if (r->redundant) /* the pair of a repeated contact must agree in u: a motion of the bodies instead */
        for (int k = 0; k < m; k++)
            v[k] = noise(seed);
    for (int i = 0; i < n; i++) {
        t->x0[i] = r->offsets ? noise(seed) : 0;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += t->W[i * n + j] * (x[j] - t->x0[j]);
        t->b[i] -= sum;
        for (int k = 0; r->redundant && k < m; k++)
            t->b[i] = (k ? t->b[i] : 0) + t->G[i * m + k] * v[k];
    }
    t->problem.x0 = r->offsets ? t->x0 : NULL;
}

/* A pin in the mode of an accepted solution keeps it a solution. */
static void pin_some(bench *t, unsigned long *seed)
{
    for (int k = 0; k < t->problem.nblock; k++) {
        carom_block *block = &t->block[k];
        const double *u = t->u + block->row, *x = t->x + block->row;
        if (block->law == &carom_law_bilateral || dice(seed, 2))
            continue;
        double y = x[0] + (t->problem.x0 ? t->problem.x0[block->row] : 0);
        double slip = block->law->rows == 3 ? hypot(u[1], u[2]) : block->law->rows == 2 ? fabs(u[1]) : 0;
        carom_block_pin(block, y <= 0 ? CAROM_OPEN : slip > 1e-9 ? CAROM_SLIP : CAROM_STICK);
        for (int i = 1; carom_block_is(block, CAROM_SLIP) && i < block->law->rows; i++)
            block->direction[i - 1] = u[i] / slip;
    }
}

static const recipe recipes[] = {
    {"frictionless", &carom_law_unilateral, 0, 6, false, 0, false, false},
    {"frictionless redundant", &carom_law_unilateral, 0, 6, true, 0, false, false},
    {"frictionless with joints", &carom_law_unilateral, 2, 6, false, 0, false, false},
    {"frictionless with redundant joints", &carom_law_unilateral, 3, 6, true, 0, false, false},
    {"frictionless nonsymmetric", &carom_law_unilateral, 1, 5, false, 0.3, false, false},
    {"frictionless with offsets", &carom_law_unilateral, 2, 5, false, 0, false, true},
    {"planar", &carom_law_coulomb_planar, 0, 5, false, 0, false, false},
    {"planar redundant", &carom_law_coulomb_planar, 0, 5, true, 0, false, false},
    {"planar with joints", &carom_law_coulomb_planar, 2, 5, false, 0, false, false},
    {"planar nonsymmetric", &carom_law_coulomb_planar, 1, 4, false, 0.1, false, false},
    {"planar with offsets and pins", &carom_law_coulomb_planar, 1, 4, false, 0, true, true},
    {"spatial", &carom_law_coulomb_spatial, 0, 5, false, 0, false, false},
    {"spatial redundant", &carom_law_coulomb_spatial, 0, 5, true, 0, false, false},
    {"spatial with joints", &carom_law_coulomb_spatial, 2, 5, false, 0, false, false},
    {"spatial nonsymmetric", &carom_law_coulomb_spatial, 1, 4, false, 0.05, false, false},
    {"spatial with offsets and pins", &carom_law_coulomb_spatial, 1, 4, false, 0, true, true},
    {"anisotropic redundant", &carom_law_anisotropic, 0, 4, true, 0, false, false},
};

/* Solves with one solver (NULL: automatic) from a cold start. */
static void solve_cold(bench *t, const carom_solver *solver, const char *name, int trial)
{
    memset(t->x, 0, sizeof t->x);
    carom_status status = bench_solve(t, solver, 1e-10);
    ck_assert_msg(status == CAROM_OK, "%s, trial %d: %s", name, trial, t->error.text);
    double u[ROWS], r = carom_problem_relative(&t->problem, 1e-10, t->x, u, NULL);
    CHECK_AT_MOST(carom_problem_residual(&t->problem, t->x, u, NULL) / carom_problem_scale(&t->problem, t->x), 1e-9);
    /* the short cut of one row leaves the allowance for rounding out */
    ck_assert_msg(r <= 1e-10 && fabs(r - t->solve.residual) <= 2e-3 * r, "%s, trial %d: residual %g, reported %g", name,
                  trial, r, t->solve.residual);
}

/* The same without the claim that it can: false when the solver says that it has failed. */
static bool solve_honestly(bench *t, const carom_solver *solver)
{
    double u[ROWS];
    memset(t->x, 0, sizeof t->x);
    carom_status status = bench_solve(t, solver, 1e-10);
    double r = carom_problem_relative(&t->problem, 1e-10, t->x, u, NULL);
    ck_assert_msg(r == t->solve.residual, "%s: residual %g, reported %g", solver->method.name, r, t->solve.residual);
    ck_assert_msg((status == CAROM_OK) == (r <= 1e-10), "%s: %s with a residual of %g", solver->method.name,
                  carom_status_text(status), r);
    ck_assert_msg(status == CAROM_OK || status == CAROM_NOT_CONVERGED, "%s: %s", solver->method.name, t->error.text);
    return status == CAROM_OK;
}

START_TEST(the_automatic_choice_solves_every_random_problem)
{
    for (int i = 0; i < CAROM_COUNT(recipes); i++) {
        unsigned long seed = 77 + (unsigned long)i;
        for (int k = 0; k < TRIALS; k++) {
            bench t;
            make(&t, &recipes[i], &seed);
            solve_cold(&t, NULL, recipes[i].name, k);
        }
    }
}
END_TEST

/* W positive semidefinite and no friction: u is unique, whatever the solver and its x. Nobody need solve everything,
 * but most of it, and what is called solved is. */
START_TEST(all_solvers_agree_in_u_without_friction)
{
    enum { SOLVERS = 32 };
    int solved[SOLVERS] = {0}, asked[SOLVERS] = {0};
    for (int i = 0; i < CAROM_COUNT(recipes); i++) {
        unsigned long seed = 177 + (unsigned long)i;
        for (int k = 0; recipes[i].law == &carom_law_unilateral && k < TRIALS; k++) {
            bench t;
            double u[ROWS];
            make(&t, &recipes[i], &seed);
            solve_cold(&t, NULL, recipes[i].name, k);
            memcpy(u, t.u, sizeof u);
            for (int s = 0; tested_solver(s); s++) {
                ck_assert_int_lt(s, SOLVERS);
                if (!tested_solver(s)->takes(&t.problem))
                    continue;
                asked[s]++;
                if (!solve_honestly(&t, tested_solver(s)))
                    continue;
                solved[s]++;
                for (int j = 0; j < t.problem.n; j++)
                    CHECK_NEAR(t.u[j], u[j], 1e-5); /* a root of the residual where contacts just touch */
            }
        }
    }
    for (int s = 0; tested_solver(s); s++)
        ck_assert_msg(solved[s] >= 0.9 * asked[s], "%s solves %d of %d", tested_solver(s)->method.name, solved[s],
                      asked[s]);
}
END_TEST

/* Every kind of problem, every solver that takes it: what is called solved has the residual asked for. */
START_TEST(no_solver_calls_solved_what_is_not)
{
    for (int s = 0; tested_solver(s); s++) {
        int solved = 0, asked = 0;
        for (int i = 0; i < CAROM_COUNT(recipes); i++) {
            unsigned long seed = 377 + (unsigned long)i;
            for (int k = 0; k < 40; k++) {
                bench t;
                make(&t, &recipes[i], &seed);
                if (!tested_solver(s)->takes(&t.problem))
                    continue;
                asked++;
                solved += solve_honestly(&t, tested_solver(s));
            }
        }
        ck_assert_msg(solved >= 0.8 * asked, "%s solves %d of %d", tested_solver(s)->method.name, solved, asked);
        printf("%s solves %d of %d\n", tested_solver(s)->method.name, solved, asked);
    }
}
END_TEST

START_TEST(pins_in_the_mode_of_a_solution_keep_it_solvable)
{
    for (int i = 0; i < CAROM_COUNT(recipes); i++) {
        unsigned long seed = 277 + (unsigned long)i;
        for (int k = 0; recipes[i].pins && k < TRIALS; k++) {
            bench t;
            make(&t, &recipes[i], &seed);
            solve_cold(&t, NULL, recipes[i].name, k);
            pin_some(&t, &seed);
            solve_cold(&t, NULL, recipes[i].name, k);
            if (carom_solver_enumeration.takes(&t.problem) && recipes[i].law->rows == 2)
                solve_cold(&t, &carom_solver_enumeration, recipes[i].name, k);
        }
    }
}
END_TEST

/* One contact with any positive definite W, symmetric or not, mu up to 2: exact to rounding or honestly without. */
START_TEST(one_contact_is_exact_to_rounding)
{
    unsigned long seed = 8;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 20000; k++) {
            bench t;
            bench_begin(&t, 1);
            carom_block *block = bench_block(&t, carom_law_list(l), 1 + noise(&seed));
            int n = t.problem.n;
            double B[9], u[3], y[3], skew = k % 2 ? 0.2 : 0;
            for (int i = 0; i < n * n; i++)
                B[i] = noise(&seed);
            for (int i = 0; i < n * n; i++) {
                double sum = skew * (i / n < i % n ? 1 : -1) * (i / n != i % n);
                for (int j = 0; j < n; j++)
                    sum += B[i / n * n + j] * B[i % n * n + j];
                t.W[i] = sum;
            }
            known_pair(block, &seed, u, y);
            for (int i = 0; i < n; i++) {
                t.b[i] = u[i];
                for (int j = 0; j < n; j++)
                    t.b[i] -= t.W[i * n + j] * y[j];
            }
            carom_status status = bench_solve(&t, NULL, 1e-13);
            ck_assert_msg(status == CAROM_OK, "%s, trial %d: %s", block->law->method.name, k, t.error.text);
        }
}
END_TEST

/* Rank 1 and 2, with a solution: the rows depend on each other, forces are not unique, motion is. */
START_TEST(one_contact_with_dependent_rows_is_solved)
{
    unsigned long seed = 10;
    for (int k = 0; k < 3000; k++) {
        bench t;
        const carom_law *law = k % 3 ? &carom_law_coulomb_spatial : &carom_law_coulomb_planar;
        bench_begin(&t, k % 3 == 2 ? 2 : 1);
        carom_block *block = bench_block(&t, law, 0.1 + 0.4 * fabs(noise(&seed)));
        for (int i = 0; i < t.problem.n * t.ndof; i++)
            t.G[i] = noise(&seed);
        bench_dynamics(&t, (double[]){noise(&seed), noise(&seed)});
        for (int s = 0, p = 1; s < 32; s++) { /* Painleve without friction to help: leave those out */
            double a = s * 0.2, mu = carom_block_mu(block);
            double w = t.W[0] + mu * (t.W[1] * cos(a) + (law->rows == 3 ? t.W[2] * sin(a) : 0));
            p = p && w > 0.05 * t.W[0];
            if (s == 31 && p) {
                carom_status status = bench_solve(&t, NULL, 1e-10);
                ck_assert_msg(status == CAROM_OK, "trial %d: %s", k, t.error.text);
            }
        }
    }
}
END_TEST

/* Closed contacts whose rows nearly depend on each other: what is left of u is rounding of the products, not what
 * pivots have gathered. */
START_TEST(lemke_leaves_rounding_alone)
{
    unsigned long seed = 25;
    double sum = 0;
    enum { PROBLEMS = 200, N = 20 };
    for (int k = 0; k < PROBLEMS; k++) {
        bench t;
        bench_begin(&t, N);
        double x[N];
        for (int i = 0; i < N; i++)
            bench_block(&t, UNILATERAL, 0), x[i] = 0.1 + fabs(noise(&seed));
        for (int i = 0; i < N * N; i++)
            t.G[i] = noise(&seed) * pow(10, -2.0 * (i % N) / N);
        bench_dynamics(&t, t.x0);
        for (int i = 0; i < N; i++)
            t.b[i] = -carom_dot(N, t.W + i * N, x);
        SOLVE_OK(&t, &carom_solver_lemke, 1e-10);
        double most = 0;
        for (int i = 0; i < N; i++) {
            long double u = t.b[i], terms = fabs(t.b[i]);
            for (int j = 0; j < N; j++)
                u += (long double)t.W[i * N + j] * t.x[j], terms += fabs(t.W[i * N + j] * t.x[j]);
            most = fmax(most, (double)(fabsl(u) / terms) / 2.2e-16);
        }
        sum += most;
    }
    CHECK_AT_MOST(sum / PROBLEMS, 1);
}
END_TEST

/* Joints with no stiffness of their own, held by contacts: K = (0 B; -B^T D), D positive definite. */
START_TEST(joints_that_only_contacts_hold_are_solved)
{
    unsigned long seed = 15;
    for (int k = 0; k < 300; k++) {
        bench t;
        int joints = 1 + dice(&seed, 4), n = joints + joints + dice(&seed, 4);
        bench_begin(&t, n);
        for (int i = 0; i < n; i++)
            bench_block(&t, i < joints ? JOINT : UNILATERAL, 0);
        for (int i = 0; i < n * n; i++)
            t.G[i] = noise(&seed);
        bench_dynamics(&t, t.x0);
        double x[ROWS], u[ROWS];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i < joints && j < joints)
                    t.W[i * n + j] = 0;
                else if (j < joints)
                    t.W[i * n + j] = -t.W[j * n + i];
        for (int i = 0; i < n; i++) {
            bool open = i >= 2 * joints && dice(&seed, 2);
            x[i] = open ? 0 : i < joints ? noise(&seed) : 0.1 + fabs(noise(&seed));
            u[i] = open ? 0.1 + fabs(noise(&seed)) : 0;
        }
        for (int i = 0; i < n; i++)
            t.b[i] = u[i] - carom_dot(n, t.W + i * n, x);
        memset(t.x, 0, sizeof t.x);
        SOLVE_OK(&t, &carom_solver_mixed, 1e-10);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(t.u[i], u[i], 1e-8);
    }
}
END_TEST

/* W in units of 1/mass and b in units of speed; x follows as speed times mass. */
static void in_units(bench *t, double inverse_mass, double speed)
{
    for (int i = 0; i < t->problem.n * t->problem.n; i++)
        t->W[i] *= inverse_mass;
    for (int i = 0; i < t->problem.n; i++) {
        t->b[i] *= speed;
        t->x0[i] *= speed / inverse_mass;
        t->x[i] = 0;
    }
}

static void copy_bench(const bench *from, bench *to)
{
    *to = *from;
    to->problem.block = to->block, to->problem.W.dense = to->W, to->problem.b = to->b;
    to->problem.x0 = from->problem.x0 ? to->x0 : NULL;
    for (int k = 0; k < to->problem.nblock; k++)
        to->block[k].c = to->c[k];
}

/* A power of two (of four: roots of masses are taken) changes no digit, so it may change no decision either; but for
 * `mixed`, which scales rows and columns by powers of two of its own. */
static void expect_same_bits(const bench *given, const carom_solver *solver, const char *name, int trial)
{
    const double unit[][2] = {{0x1p-40, 1}, {0x1p40, 1}, {1, 0x1p-30}, {0x1p20, 0x1p30}};
    double rounding = solver == &carom_solver_mixed ? 1e-13 : 0;
    bench plain, t;
    copy_bench(given, &plain);
    carom_status status = bench_solve(&plain, solver, 1e-10);
    for (int f = 0; f < CAROM_COUNT(unit); f++) {
        copy_bench(given, &t);
        in_units(&t, unit[f][0], unit[f][1]);
        carom_status other = bench_solve(&t, solver, 1e-10);
        double off = 0;
        for (int r = 0; r < t.problem.n; r++)
            off = fmax(off, fabs(t.x[r] * (unit[f][0] / unit[f][1]) - plain.x[r]));
        ck_assert_msg(other == status && off <= rounding && t.solve.iterations == plain.solve.iterations &&
                          t.solve.factorisations == plain.solve.factorisations,
                      "%s, %s, trial %d, W by %g, b by %g: '%s', not '%s'; off by %g; %d iterations, not %d; "
                      "%d factorisations, not %d", solver ? solver->method.name : "auto", name, trial, unit[f][0],
                      unit[f][1], carom_status_text(other), carom_status_text(status), off, t.solve.iterations,
                      plain.solve.iterations, t.solve.factorisations, plain.solve.factorisations);
    }
}

START_TEST(units_of_other_powers_of_two_give_the_same_bits_for_the_same_work)
{
    for (int s = -1; s < 0 || tested_solver(s); s++)
        for (int i = 0; i < CAROM_COUNT(recipes); i++) {
            const carom_solver *solver = s < 0 ? NULL : tested_solver(s);
            unsigned long seed = 577 + (unsigned long)i;
            for (int k = 0; k < 12; k++) {
                bench t;
                make(&t, &recipes[i], &seed);
                if (!solver || solver->takes(&t.problem))
                    expect_same_bits(&t, solver, recipes[i].name, k);
            }
        }
}
END_TEST

/* Contacts that act on others without being acted upon, in the sparse form: blocks on one side of the diagonal only,
 * found in no good order. Every solver gets what it gets from the dense form. */
START_TEST(one_sided_blocks_of_the_sparse_form_are_found)
{
    for (int trial = 0; trial < 60; trial++) {
        unsigned long seed = 777 + (unsigned long)trial;
        bench t;
        carom_arena *arena = carom_arena_new(0);
        int row[ROWS * ROWS], column[ROWS * ROWS], count = 0, contacts = 2 + dice(&seed, 6);
        double value[ROWS * ROWS], x[ROWS] = {0}, u[ROWS] = {0};
        carom_error error = {0};
        bench_begin(&t, 1);
        for (int k = 0; k < contacts; k++)
            bench_block(&t, trial % 2 ? SPATIAL : UNILATERAL, 0.3);
        int n = t.problem.n, rows = n / contacts;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int k = i / rows, l = j / rows;
                bool there = k == l ? i == j : (k * 7 + l * 3 + trial) % 5 < 2;
                t.W[i * n + j] = there ? (i == j) + 0.3 / contacts * noise(&seed) : 0;
                if (there)
                    row[count] = i, column[count] = j, value[count++] = t.W[i * n + j];
            }
        for (int k = 0; k < contacts; k++)
            known_pair(&t.block[k], &seed, u + k * rows, x + k * rows);
        for (int i = 0; i < n; i++)
            t.b[i] = u[i] - carom_dot(n, t.W + i * n, x);
        carom_problem sparse = t.problem;
        CHECK_OK(carom_delassus_assemble(&sparse, arena, (size_t)count, row, column, value, &error), error);
        for (int s = 0; tested_solver(s); s++) {
            if (!(tested_solver(s)->forms & CAROM_SPARSE) || !tested_solver(s)->takes(&sparse))
                continue;
            carom_problem dense = t.problem;
            t.problem = sparse;
            memset(t.x, 0, sizeof t.x);
            carom_status status = bench_solve(&t, tested_solver(s), 1e-12);
            t.problem = dense;
            ck_assert_msg(status == CAROM_OK, "%s, trial %d: %s", tested_solver(s)->method.name, trial, t.error.text);
            for (int i = 0; i < n; i++)
                ck_assert_msg(fabs(t.x[i] - x[i]) <= 1e-9, "%s, trial %d: x[%d] = %g, expected %g",
                              tested_solver(s)->method.name, trial, i, t.x[i], x[i]);
        }
        carom_arena_free(arena);
    }
}
END_TEST

/* What the methods cost in the mean over these problems, as far as they take and solve them, and how many those are. A
 * step of Newton's method with a wrong derivative, or a guess that leads astray, still ends at a solution: here it
 * shows. The bounds are a tenth above what is needed. */
START_TEST(methods_need_no_more_work_than_they_are_known_to)
{
    static const struct budget {
        const carom_solver *solver;
        double field[3]; /* all 0: standard */
        int solved;
        double iterations, factorisations;
    } budgets[] = {
        {&carom_solver_enumeration, {0}, 621, 45.1, 0},
        {&carom_solver_lemke, {0}, 440, 4.31, 0},
        {&carom_solver_nsgs, {0}, 680, 1.69, 0},
        {&carom_solver_nsgs, {10000, 1, 0}, 678, 102, 0},
        {&carom_solver_pgs, {0}, 239, 95, 0},
        {&carom_solver_newton, {0}, 240, 5.94, 0},
        {&carom_solver_newton, {200, 1}, 229, 5.17, 0},
        {&carom_solver_alart_curnier, {0, 1000, 1e-2}, 640, 4.83, 4.83},
        {&carom_solver_swept, {0}, 639, 1.4, 1.4},
        {&carom_solver_proximal, {0, 4000, 1e-2}, 640, 4.3, 6.12},
        {&carom_solver_gradient, {0}, 638, 103, 0},
        {&carom_solver_interior, {0}, 640, 16, 16},
        {&carom_solver_mixed, {0}, 200, 2.22, 0},
    };
    for (int s = 0; s < CAROM_COUNT(budgets); s++) {
        const struct budget *most = &budgets[s];
        double iterations = 0, factorisations = 0;
        int solved = 0;
        for (int i = 0; i < CAROM_COUNT(recipes); i++) {
            unsigned long seed = 677 + (unsigned long)i;
            for (int k = 0; k < 40; k++) {
                bench t;
                make(&t, &recipes[i], &seed);
                t.field = most->field[0] + most->field[1] > 0 ? most->field : NULL;
                if (!most->solver->takes(&t.problem) || bench_solve(&t, most->solver, 1e-10) != CAROM_OK)
                    continue;
                solved++, iterations += t.solve.iterations, factorisations += t.solve.factorisations;
            }
        }
        printf("%s: %d solved, %.3g iterations, %.3g factorisations\n", most->solver->method.name, solved,
               iterations / solved, factorisations / solved);
        ck_assert_int_ge(solved, most->solved);
        CHECK_AT_MOST(iterations / solved, most->iterations);
        CHECK_AT_MOST(factorisations / solved, most->factorisations);
    }
}
END_TEST

TEST_MAIN("random contact problems", the_automatic_choice_solves_every_random_problem,
          all_solvers_agree_in_u_without_friction, no_solver_calls_solved_what_is_not,
          pins_in_the_mode_of_a_solution_keep_it_solvable,
          one_contact_is_exact_to_rounding, one_contact_with_dependent_rows_is_solved,
          lemke_leaves_rounding_alone, joints_that_only_contacts_hold_are_solved,
          units_of_other_powers_of_two_give_the_same_bits_for_the_same_work,
          one_sided_blocks_of_the_sparse_form_are_found, methods_need_no_more_work_than_they_are_known_to)
