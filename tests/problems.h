/* problems.h: one-step problems for the tests of laws, problems and solvers. */
#ifndef CAROM_TEST_PROBLEMS_H
#define CAROM_TEST_PROBLEMS_H

#include <string.h>

#include "core/dense.h"
#include "solvers/solver.h"
#include "testing.h"
#include "toy_jacobi.h"

enum { ROWS = 40, BLOCKS = 24, DOFS = 24 };

typedef struct bench { /* a problem with room for its arrays, and one solve of it */
    carom_problem problem;
    carom_block block[BLOCKS];
    double c[BLOCKS][CAROM_COEFFICIENTS_MAX];
    double W[ROWS * ROWS], b[ROWS], x0[ROWS], x[ROWS], u[ROWS], G[ROWS * DOFS], inverse_mass[DOFS];
    int ndof;
    const double *field; /* of a named solver; NULL: standard */
    const volatile sig_atomic_t *cancel;
    carom_solve solve;
    carom_error error;
} bench;

static inline double noise(unsigned long *seed) /* uniform in (-1, 1) */
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static inline int dice(unsigned long *seed, int n)
{
    return (int)((noise(seed) + 1) / 2 * n) % n;
}

static inline void bench_begin(bench *t, int ndof)
{
    memset(t, 0, sizeof *t);
    t->ndof = ndof;
    t->problem = (carom_problem){.block = t->block, .W.dense = t->W, .b = t->b};
    for (int i = 0; i < ndof; i++)
        t->inverse_mass[i] = 1;
}

/* Coefficients of a law with friction mu: whatever is called friction..., or limits it. */
static inline void with_friction(const carom_law *law, double mu, double *c)
{
    for (int i = 0; i < carom_law_coefficients(law); i++) {
        const char *name = law->method.fields[i].name;
        bool friction = strncmp(name, "friction", 8) == 0 || strcmp(name, "limit") == 0;
        double unlike = strcmp(name, "friction_2") == 0 ? 2 : 1; /* where there are two of them */
        c[i] = friction ? unlike * mu : isnan(law->method.fields[i].value) ? 0 : law->method.fields[i].value;
    }
}

static inline carom_block *bench_block(bench *t, const carom_law *law, double mu)
{
    carom_block *block = &t->block[t->problem.nblock++];
    ck_assert(t->problem.nblock <= BLOCKS && t->problem.n + law->rows <= ROWS);
    *block = (carom_block){.law = law, .row = t->problem.n, .c = t->c[t->problem.nblock - 1]};
    with_friction(law, mu, t->c[t->problem.nblock - 1]);
    t->problem.n += law->rows;
    return block;
}

/* W = G M^-1 G^T, b = G v */
static inline void bench_dynamics(bench *t, const double *v)
{
    int n = t->problem.n, m = t->ndof;
    for (int i = 0; i < n; i++) {
        t->b[i] = 0;
        for (int k = 0; k < m; k++)
            t->b[i] += t->G[i * m + k] * v[k];
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += t->G[i * m + k] * t->inverse_mass[k] * t->G[j * m + k];
            t->W[i * n + j] = sum;
        }
    }
}

static inline carom_status bench_solve(bench *t, const carom_solver *solver, double tol)
{
    size_t bytes = carom_solver_work(solver, t->problem.n, t->problem.nblock);
    void *work = malloc(bytes); /* exactly as much as promised: the sanitizer sees one byte more */
    ck_assert_ptr_nonnull(work);
    carom_arena *arena = carom_arena_new(0);
    ck_assert_ptr_nonnull(arena);
    t->solve = (carom_solve){.field = t->field, .tol = tol, .x = t->x, .u = t->u, .work = work, .arena = arena,
                             .cancel = t->cancel};
    t->error.text[0] = 0;
    carom_status status = carom_problem_solve(&t->problem, solver, &t->solve, &t->error);
    free(work);
    carom_arena_free(arena);
    t->solve.arena = NULL;
    return status;
}

#define SOLVE_OK(t, solver, tol)                                                                       \
    do {                                                                                               \
        carom_status status_ = bench_solve((t), (solver), (tol));                                      \
        ck_assert_msg(status_ == CAROM_OK, "%s: %s", carom_status_text(status_), (t)->error.text);     \
    } while (0)

#define UNILATERAL (&carom_law_unilateral)
#define JOINT (&carom_law_bilateral)
#define PLANAR (&carom_law_coulomb_planar)
#define SPATIAL (&carom_law_coulomb_spatial)

static inline void fill_problem(bench *t, const double *W, const double *b)
{
    memcpy(t->W, W, sizeof(double) * (size_t)(t->problem.n * t->problem.n));
    memcpy(t->b, b, sizeof(double) * (size_t)t->problem.n);
}

/* The solvers that the tests of all solvers run through: those of the list, then toys. A toy is one line here. */
static inline const carom_solver *tested_solver(int i)
{
    static const carom_solver *const toys[] = {
        &toy_jacobi,
    };
    int listed = 0;
    while (carom_solver_list(listed))
        listed++;
    return i < listed ? carom_solver_list(i) : i - listed < CAROM_COUNT(toys) ? toys[i - listed] : NULL;
}

/* What a named solver owes: the residual asked for. That is an error of x in the small problems of the tests, whose
 * condition is below 1000. The automatic choice (solver NULL) owes what the test says. */
static inline double owed(const carom_solver *solver, double tolerance, double tol, double size)
{
    return solver ? CAROM_MAX(tolerance, 1000 * tol * size) : tolerance;
}

/* Runs every solver that takes the problem and compares x. */
static inline void expect_x(bench *t, const double *x, double tolerance)
{
    for (int i = -1; i < 0 || tested_solver(i); i++) {
        const carom_solver *solver = i < 0 ? NULL : tested_solver(i);
        if (solver && !solver->takes(&t->problem))
            continue;
        memset(t->x, 0, sizeof t->x);
        SOLVE_OK(t, solver, 1e-12);
        double allowed = owed(solver, tolerance, 1e-12, 1 + carom_norm_max(t->problem.n, x));
        for (int j = 0; j < t->problem.n; j++)
            ck_assert_msg(fabs(t->x[j] - x[j]) <= allowed, "%s: x[%d] = %.17g, expected %.17g",
                          solver ? solver->method.name : "auto", j, t->x[j], x[j]);
    }
}

#endif
