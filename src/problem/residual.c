/* residual.c: the judge of every solver. For each block, with y = x + x0 and rho = 1/(mean diagonal of its W):
 *
 *   decided         the law's natural map at (u, y)                              (1)
 *   pinned open     |y|/rho                                                      (2)
 *   pinned stick    |u|                                                          (3)
 *   pinned slip     unilateral law at (u_n, y_n) and |y_t - slide(d, y_n)|/rho   (4)
 *
 * so a residual is a velocity (an acceleration, if x is a force) and means the same for every block. */
#include <math.h>

#include "core/dense.h"
#include "problem/problem.h"

static double rho_of(const carom_problem *problem, int k)
{
    double trace = carom_delassus_trace(problem, k);
    return trace > 0 ? problem->block[k].law->rows / trace : 1;
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double slip_residual(const carom_block *block, double rho, const double *u, const double *y)
{
    const carom_law *law = block->law;
    int normals = law->rows - law->tangents;
    double r[3] = {normals ? carom_law_unilateral.residual(NULL, rho, u, y) : 0, 0, 0}, friction[2];
    law->slide(block->c, block->direction, y[0], friction);
    for (int k = normals; k < law->rows; k++)
        r[k] = (y[k] - friction[k - normals]) / rho;
    return norm(3, r);
}

static double block_residual(const carom_block *block, double rho, const double *u, const double *y)
{
    switch (block->pin) {
    case CAROM_PIN_OPEN:
        return norm(block->law->rows, y) / rho;                          /* (2) */
    case CAROM_PIN_STICK:
        return norm(block->law->rows, u);                                /* (3) */
    case CAROM_PIN_SLIP:
        if (block->law->tangents)
            return slip_residual(block, rho, u, y);                      /* (4) */
        break;
    case CAROM_PIN_NONE:
        break;
    }
    return block->law->residual(block->c, rho, u, y);                   /* (1) */
}

double carom_problem_residual(const carom_problem *problem, const double *x, double *u, int *worst)
{
    int n = problem->n;
    double most = 0;
    if (worst)
        *worst = 0;
    carom_copy(n, problem->b, u);
    carom_delassus_add(problem, x, u);
    if (!carom_all_finite(n, u))
        most = INFINITY;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        double y[3] = {0, 0, 0};
        for (int i = 0; i < block->law->rows; i++)
            y[i] = x[block->row + i] + (problem->x0 ? problem->x0[block->row + i] : 0);
        double r = block_residual(block, rho_of(problem, k), u + block->row, y);
        if (!(r <= most)) {
            most = r == r ? r : INFINITY;
            if (worst)
                *worst = k;
        }
    }
    return most;
}

double carom_problem_scale(const carom_problem *problem, const double *x)
{
    double most = 1e-300;
    for (int i = 0; i < problem->n; i++)
        most = fabs(problem->b[i]) > most ? fabs(problem->b[i]) : most;
    for (int k = 0; k < problem->nblock; k++)
        most = CAROM_MAX(most, carom_delassus_term(problem, k, x));
    return most;
}
