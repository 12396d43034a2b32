/* residual.c: the judge of every solver. For each block, with y = x + x0 and rho = 1/(mean diagonal of its W):
 *
 *   decided         the law's natural map at (u, y)                              (1)
 *   pinned open     |y|/rho                                                      (2)
 *   pinned stick    |u|                                                          (3)
 *   pinned slip     unilateral law at (u_n, y_n) and |y_t - slide(d, y_n)|/rho   (4)
 *
 * so a residual is a velocity (an acceleration, if x is a force) and means the same for every block. It is compared
 * with
 *
 *   s_k = max |b_i|, |W_ij x_j| in the rows i of block k                         (5)
 *   S = max s_k/sqrt(mean diagonal of W_kk): the largest in units of energy      (6)
 *   r_k <= tol s_k + min(tol, ROUNDING) S sqrt(mean diagonal of W_kk)            (7)
 *
 * A block is measured by itself, so that rows of large numbers do not hide an error in rows of small ones; what is
 * rounding beside the largest block does not count. */
#include <math.h>

#include "core/dense.h"
#include "problem/problem.h"

#define ROUNDING 1e-13

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
    if (carom_block_is(block, CAROM_OPEN))
        return norm(block->law->rows, y) / rho;                          /* (2) */
    if (carom_block_is(block, CAROM_STICK))
        return norm(block->law->rows, u);                                /* (3) */
    if (carom_block_slips(block))
        return slip_residual(block, rho, u, y);                          /* (4) */
    return block->law->residual(block->c, rho, u, y);                   /* (1) */
}

/* The residual of block k at (u, x); u of all rows. */
static double residual_at(const carom_problem *problem, int k, double rho, const double *u, const double *x)
{
    const carom_block *block = &problem->block[k];
    double y[3] = {0, 0, 0};
    for (int i = 0; i < block->law->rows; i++)
        y[i] = x[block->row + i] + (problem->x0 ? problem->x0[block->row + i] : 0);
    return block_residual(block, rho, u + block->row, y);
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
        double r = residual_at(problem, k, rho_of(problem, k), u, x);
        if (!(r <= most)) {
            most = r == r ? r : INFINITY;
            if (worst)
                *worst = k;
        }
    }
    return most;
}

/* sqrt of the mean diagonal of W_kk; 0: none */
static double energy_unit(const carom_problem *problem, int k)
{
    double trace = carom_delassus_trace(problem, k);
    return trace > 0 ? sqrt(trace / problem->block[k].law->rows) : 0;
}

static double largest_b(const carom_problem *problem, int k)
{
    const carom_block *block = &problem->block[k];
    double most = 0;
    for (int i = block->row; i < block->row + block->law->rows; i++)
        most = fabs(problem->b[i]) > most ? fabs(problem->b[i]) : most;
    return most;
}

typedef struct measured { /* of a block */
    double r, s, unit;
} measured;

/* u_k, and how far it is off; u of the rows of block k is b. */
static measured measure(const carom_problem *problem, int k, const double *x, double *u)
{
    double term = carom_delassus_add_block(problem, k, x, u + problem->block[k].row);
    return (measured){.r = residual_at(problem, k, rho_of(problem, k), u, x),
                      .s = fmax(largest_b(problem, k), term),                            /* (5) */
                      .unit = energy_unit(problem, k)};
}

/* The same of a dense W in one walk through its rows, whatever u is: small problems spend most of their time here. */
static inline measured measure_dense(const carom_problem *problem, int k, const double *x, double *u)
{
    const carom_block *block = &problem->block[k];
    const int n = problem->n, first = block->row, rows = block->law->rows;
    const double *W = problem->W.dense + (size_t)first * (size_t)n;
    double y[3] = {0, 0, 0}, trace = 0, s = 0;
    for (int i = 0; i < rows; i++, W += n) {
        double sum = problem->b[first + i];
        s = fabs(sum) > s ? fabs(sum) : s;
        for (int j = 0; j < n; j++) {
            double product = W[j] * x[j];
            s = fabs(product) > s ? fabs(product) : s;                                   /* (5) */
            sum += product;
        }
        u[first + i] = sum;
        trace += W[first + i];
        y[i] = x[first + i] + (problem->x0 ? problem->x0[first + i] : 0);
    }
    double rho = trace > 0 ? rows / trace : 1;
    return (measured){.r = block->pinned ? block_residual(block, rho, u + first, y)
                                         : block->law->residual(block->c, rho, u + first, y),
                      .s = s, .unit = trace > 0 ? sqrt(trace / rows) : 0};
}

double carom_problem_relative(const carom_problem *problem, double tol, const double *x, double *u, int *worst)
{
    enum { FEW = 16 }; /* blocks that are measured once and remembered */
    measured block[FEW];
    const int nblock = problem->nblock;
    const bool few = problem->W.dense && nblock <= FEW;
    double S = 0, most = 0, floor = tol > ROUNDING ? ROUNDING / tol : 1;
    int at = 0;
    for (int k = 0; k < nblock; k++) {
        if (few)
            block[k] = measure_dense(problem, k, x, u);
        double s = few ? block[k].s : fmax(largest_b(problem, k), carom_delassus_term(problem, k, x));
        double unit = few ? block[k].unit : energy_unit(problem, k);
        S = unit > 0 && s > S * unit ? s / unit : S;                                     /* (6) */
    }
    if (!few) {
        carom_copy(problem->n, problem->b, u);
        carom_delassus_begin(problem, &problem->W, x);
    }
    for (int k = 0; k < nblock; k++) {
        measured m = few ? block[k] : measure(problem, k, x, u);
        double r = m.r / ((m.s > 1e-300 ? m.s : 1e-300) + floor * S * m.unit);           /* (7) */
        if (!(r <= most)) {
            most = r == r ? r : INFINITY;
            at = k;
        }
    }
    if (worst)
        *worst = at;
    return carom_all_finite(problem->n, u) ? most : INFINITY;
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
