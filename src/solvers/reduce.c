/* reduce.c: what is not to be decided is eliminated first, so that every solver sees contacts only.
 *
 *   y = x + x0:             u = W y + (b - W x0)                                                     (1)
 *   pinned open             its y vanish
 *   joint, pinned stick     rows J: u_J = 0, y_J of any sign
 *   pinned slip             y_t = -mu y_n d: one column W_n - mu W_t d, one row, frictionless        (2)
 *   friction with mu = 0    the same
 *   u_J = 0:                y_J = -K_JJ^+ (c_J + K_JC y_C)                                           (3)
 *                           S = K_CC - K_CJ K_JJ^+ K_JC,   s = c_C - K_CJ K_JJ^+ c_J                 (4)
 *
 * K, c are W and b - W x0 after (2). Redundant joints make K_JJ singular; then the smallest y_J is taken (u does not
 * depend on the choice, because the columns of K_JC lie in the range of K_JJ). A sum in (4) that cancels to less than
 * 1e-13 of its terms is 0: otherwise a contact that the joints block would get a force made of rounding errors. */
#include <math.h>

#include "core/dense.h"
#include "solvers/parts.h"

static bool is_joint(const carom_block *block)
{
    return block->pin == CAROM_PIN_STICK || (block->pin != CAROM_PIN_OPEN && block->law == &carom_law_bilateral);
}

static bool is_frictionless(const carom_block *block)
{
    return block->law->rows == 1 || block->pin == CAROM_PIN_SLIP || block->mu == 0;
}

carom_census carom_problem_census(const carom_problem *problem)
{
    carom_census count = {0, 0, 0};
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (is_joint(block) || block->pin == CAROM_PIN_OPEN)
            continue;
        if (is_frictionless(block))
            count.frictionless++;
        else if (block->law->rows == 2)
            count.planar++;
        else
            count.spatial++;
    }
    return count;
}

void carom_reduce_place(carom_reduced *reduced, carom_carver *carver, int n, int nblock)
{
    reduced->problem.block = CAROM_CARVE(carver, carom_block, nblock);
    reduced->problem.W = CAROM_CARVE(carver, double, n * n);
    reduced->problem.b = CAROM_CARVE(carver, double, n);
    reduced->problem.x0 = NULL;
    reduced->row = CAROM_CARVE(carver, int, n);
    reduced->slip = CAROM_CARVE(carver, int, n);
    reduced->K = CAROM_CARVE(carver, double, n * n);
    reduced->c = CAROM_CARVE(carver, double, n);
    reduced->X = CAROM_CARVE(carver, double, n * (n + 1));
    reduced->A = CAROM_CARVE(carver, double, n * n);
    reduced->y = CAROM_CARVE(carver, double, n);
    reduced->work = CAROM_CARVE(carver, double, 6 * n);
    reduced->order = CAROM_CARVE(carver, int, n);
}

static void add_row(carom_reduced *reduced, int row, int slip)
{
    reduced->row[reduced->nrow] = row;
    reduced->slip[reduced->nrow++] = slip;
}

static void choose_rows(carom_reduced *reduced, const carom_problem *problem)
{
    reduced->nrow = reduced->problem.nblock = 0;
    for (int k = 0; k < problem->nblock; k++)
        if (is_joint(&problem->block[k]))
            for (int i = 0; i < problem->block[k].law->rows; i++)
                add_row(reduced, problem->block[k].row + i, -1);
    reduced->njoint = reduced->nrow;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (is_joint(block) || block->pin == CAROM_PIN_OPEN)
            continue;
        bool plain = is_frictionless(block), slips = block->pin == CAROM_PIN_SLIP && block->law->rows > 1;
        carom_block *contact = &reduced->problem.block[reduced->problem.nblock++];
        *contact = (carom_block){.law = plain ? &carom_law_unilateral : block->law,
                                 .row = reduced->nrow - reduced->njoint, .mu = plain ? 0 : block->mu};
        for (int i = 0; i < contact->law->rows; i++)
            add_row(reduced, block->row + i, slips ? k : -1);
    }
    reduced->problem.n = reduced->nrow - reduced->njoint;
}

/* Column s of the reduced problem: a column of W, in a pinned slip combined with the tangential ones. */
static double combine(const carom_reduced *reduced, const carom_problem *problem, int i, int s)
{
    const double *w = problem->W + i * problem->n + reduced->row[s];
    if (reduced->slip[s] < 0)
        return w[0];
    const carom_block *block = &problem->block[reduced->slip[s]];
    double sum = w[0];
    for (int k = 1; k < block->law->rows; k++)
        sum -= block->mu * block->direction[k - 1] * w[k];                               /* (2) */
    return sum;
}

static bool well_conditioned(int n, const double *LU)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(LU[i * (n + 1)]));
        most = fmax(most, fabs(LU[i * (n + 1)]));
    }
    return least > CAROM_RANK_TOL * most;
}

/* X = K_JJ^+ (c_J, K_JC), one column of the right-hand side after the other. */
static void solve_joints(carom_reduced *r)
{
    int m = r->njoint, n = r->nrow, nc = r->problem.n;
    for (int j = 0; j <= nc; j++)
        for (int i = 0; i < m; i++)
            r->X[j * m + i] = j ? r->K[i * n + m + j - 1] : r->c[i];
    if (m == 1) {
        for (int j = 0; j <= nc; j++)
            r->X[j] = r->K[0] != 0 ? r->X[j] / r->K[0] : 0;
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            r->A[i * m + j] = r->K[i * n + j];
    bool regular = carom_lu(m, r->A, r->order) && well_conditioned(m, r->A);
    for (int j = 0; j <= nc; j++) {
        if (regular) {
            carom_lu_solve(m, r->A, r->order, r->X + j * m);
            continue;
        }
        for (int i = 0; i < m * m; i++)
            r->A[i] = r->K[i / m * n + i % m];
        carom_least_squares(m, m, r->A, r->X + j * m, r->work, CAROM_RANK_TOL, r->work + n, r->order);
        for (int i = 0; i < m; i++)
            r->X[j * m + i] = r->work[i];
    }
}

/* first - row . x, or 0 when hardly more than rounding is left. */
static double cancel(int m, double first, const double *row, const double *x)
{
    double sum = first, terms = fabs(first);
    for (int i = 0; i < m; i++) {
        sum -= row[i] * x[i];
        terms += fabs(row[i] * x[i]);
    }
    return fabs(sum) <= 1e-13 * terms ? 0 : sum;
}

void carom_reduce(carom_reduced *reduced, const carom_problem *problem)
{
    int N = problem->n;
    choose_rows(reduced, problem);
    int n = reduced->nrow, m = reduced->njoint, nc = reduced->problem.n;
    for (int i = 0; i < n; i++) {
        int row = reduced->row[i];
        reduced->c[i] = problem->b[row] - (problem->x0 ? carom_dot(N, problem->W + row * N, problem->x0) : 0); /* (1) */
        for (int j = 0; j < n; j++)
            reduced->K[i * n + j] = combine(reduced, problem, row, j);
    }
    if (m > 0)
        solve_joints(reduced);
    for (int i = 0; i < nc; i++) {                                                       /* (4) */
        const double *row = reduced->K + (m + i) * n;
        reduced->problem.b[i] = m ? cancel(m, reduced->c[m + i], row, reduced->X) : reduced->c[i];
        for (int j = 0; j < nc; j++)
            reduced->problem.W[i * nc + j] = m ? cancel(m, row[m + j], row, reduced->X + (j + 1) * m) : row[j];
    }
}

void carom_reduce_guess(const carom_reduced *reduced, const carom_problem *problem, const double *x, double *y)
{
    for (int i = 0; i < reduced->problem.n; i++) {
        int row = reduced->row[reduced->njoint + i];
        y[i] = x[row] + (problem->x0 ? problem->x0[row] : 0);
    }
}

void carom_reduce_expand(carom_reduced *reduced, const carom_problem *problem, const double *y, double *x)
{
    int m = reduced->njoint, nc = reduced->problem.n;
    for (int i = 0; i < problem->n; i++)
        x[i] = 0;
    for (int i = 0; i < m; i++) {                                                        /* (3) */
        double sum = -reduced->X[i];
        for (int j = 0; j < nc; j++)
            sum -= reduced->X[(j + 1) * m + i] * y[j];
        x[reduced->row[i]] = sum;
    }
    for (int j = 0; j < nc; j++) {
        int row = reduced->row[m + j], slip = reduced->slip[m + j];
        x[row] = y[j];
        for (int k = 1; slip >= 0 && k < problem->block[slip].law->rows; k++)
            x[row + k] = -problem->block[slip].mu * problem->block[slip].direction[k - 1] * y[j]; /* (2) */
    }
    for (int i = 0; problem->x0 && i < problem->n; i++)
        x[i] -= problem->x0[i];
}
