/* pgs.c: projected Gauss-Seidel for contacts without friction (an LCP).
 *
 *   sweep over the rows i:   x_i <- [x_i - w (b_i + W_i x)/W_ii]+                       (1)
 *
 * Converges for symmetric positive definite W and 0 < w < 2, linearly; it is the plain method that others are measured
 * by. Rows with W_ii <= 0 are left as they are. */
#include <float.h>
#include <math.h>

#include "core/dense.h"
#include "solvers/parts.h"

enum { ITERATIONS, RELAXATION };
static const carom_field fields[] = {
    [ITERATIONS] = {"iterations", CAROM_FIELD_INT, 10000, 1, 1e9, NULL, "sweeps at most"},
    [RELAXATION] = {"relaxation", CAROM_FIELD_DOUBLE, 1, 0.01, 1.99, NULL, "w: over 1 faster or not at all"},
    {0},
};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    return count.line + count.plane + count.other == 0;
}

static size_t work(int n, int nblock)
{
    (void)nblock;
    return sizeof(double) * (size_t)n;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    int n = problem->n, most = (int)s->field[ITERATIONS];
    double *x = s->x, *u = s->work;
    for (s->iterations = 1; s->iterations <= most && !carom_cancelled(s); s->iterations++) {
        for (int i = 0; i < n; i++) {
            const double *W = problem->W.dense + (size_t)i * (size_t)n;
            if (W[i] > 0)
                x[i] = fmax(0, x[i] - s->field[RELAXATION] * (problem->b[i] + carom_dot(n, W, x)) / W[i]); /* (1) */
        }
        bool look = s->iterations % 16 == 0 || s->iterations == most;
        if (look && carom_problem_relative(problem, s->tol, x, u, NULL) <= s->tol)
            return;
    }
    s->iterations = CAROM_MIN(s->iterations, most);
}

const carom_solver carom_solver_pgs = {
    .method = {.name = "pgs", .doc = "projected Gauss-Seidel; contacts without friction",
               .ref = "Cottle, Pang and Stone (1992), The Linear Complementarity Problem", .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
