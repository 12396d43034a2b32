/* toy_jacobi.h: a damped Jacobi iteration, to try that a solver plugs in with one file and one line (problems.h).
 *
 *   z_k solves the law of block k for u = W_kk z + b_k + sum_(l != k) W_kl y_l         (1)
 *   y_k <- y_k + w (z_k - y_k),  w = 1/(neighbours of a block at most)                 (2)
 *
 * Converges for symmetric positive semidefinite W without friction, slowly. */
#ifndef CAROM_TEST_TOY_JACOBI_H
#define CAROM_TEST_TOY_JACOBI_H

#include <string.h>

#include "solvers/parts.h"

static const carom_field jacobi_fields[] = {
    {"iterations", CAROM_FIELD_INT, 20000, 1, 1e9, NULL, "at most"},
    {0},
};

static bool jacobi_takes(const carom_problem *problem)
{
    return problem->nblock > 0 || problem->n == 0;
}

static size_t jacobi_work(int n, int nblock)
{
    (void)nblock;
    return 2 * (size_t)n * sizeof(double);
}

static void jacobi_solve(const carom_problem *problem, carom_solve *s)
{
    double *y = s->work, *u = y + problem->n, w = 1;
    for (int k = 0; k < problem->nblock; k++) {
        carom_neighbour l = {0};
        int count = 0;
        while (carom_delassus_next(problem, k, &l))
            count++;
        w = CAROM_MIN(w, 1.0 / count);
    }
    for (s->iterations = 0; s->iterations < (int)s->field[0]; s->iterations++) {
        if (carom_problem_relative(problem, s->tol, s->x, u, NULL) <= s->tol)
            return;
        memcpy(y, s->x, sizeof(double) * (size_t)problem->n);
        for (int k = 0; k < problem->nblock; k++) {
            const carom_block *block = &problem->block[k];
            double q[3], z[3];
            int stride;
            const double *W = carom_delassus_block(problem, k, k, &stride);
            carom_delassus_others(problem, k, y, q);
            block->law->solve_single(block->c, W, stride, q, z);                                   /* (1) */
            for (int i = 0; i < block->law->rows; i++)
                s->x[block->row + i] += w * (z[i] - y[block->row + i]);                            /* (2) */
        }
    }
}

static const carom_solver toy_jacobi = {
    .method = {.name = "toy-jacobi", .doc = "damped Jacobi", .ref = "", .fields = jacobi_fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .takes = jacobi_takes,
    .work = jacobi_work,
    .solve = jacobi_solve,
};

#endif
