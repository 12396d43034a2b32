/* reduce.c: what is not to be decided is eliminated first, so that every solver sees contacts only.
 *
 *   y = x + x0:             u = W y + (b - W x0)                                                     (1)
 *   pinned open             its y vanish
 *   joint, pinned stick     rows J: u_J = 0, y_J of any sign
 *   pinned slip             y_t = y_n f: one column W_n + W_t f, one row, frictionless; without a normal y_t = f   (2)
 *   a law that is simpler in scaled rows, y = S z with S diagonal: the rows S W S, S b of that law   (5)
 *   u_J = 0:                y_J = -K_JJ^+ (c_J + K_JC y_C)                                           (3)
 *                           S = K_CC - K_CJ K_JJ^+ K_JC,   s = c_C - K_CJ K_JJ^+ c_J                 (4)
 *
 * K, c are W and b - W x0 after (2). Redundant joints make K_JJ singular; then the smallest y_J is taken (u does not
 * depend on the choice, because the columns of K_JC lie in the range of K_JJ; `exact` tells if not). A sum in (4) that
 * cancels to less than 1e-13 of its terms is 0: otherwise a contact that the joints block would get a force made of
 * rounding errors. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"

static bool is_joint(const carom_block *block)
{
    return carom_block_is(block, CAROM_STICK) ||
           (!carom_block_is(block, CAROM_OPEN) && block->law == &carom_law_bilateral);
}

static bool is_given(const carom_block *block)
{
    return carom_block_is(block, CAROM_OPEN) ||
           (carom_block_slips(block) && block->law->tangents == block->law->rows);
}

/* The law that solvers see, with the scale of its rows (5); its coefficients are d, those of the block if unchanged. */
static const carom_law *simpler(const carom_block *block, double *scale, double *d, bool *changed)
{
    for (int i = 0; i < block->law->rows; i++)
        scale[i] = 1;
    *changed = false;
    if (carom_block_slips(block))
        return &carom_law_unilateral;
    *changed = block->law->simpler != NULL;
    return *changed ? block->law->simpler(block->c, scale, d) : block->law;
}

carom_census carom_problem_census(const carom_problem *problem)
{
    carom_census count = {0};
    double scale[CAROM_LAW_ROWS], d[CAROM_COEFFICIENTS_MAX];
    bool changed;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (is_joint(block) || is_given(block))
            continue;
        const carom_law *law = simpler(block, scale, d, &changed);
        if (!carom_modes_know(law))
            count.other++;
        else if (law->tangents == 0)
            count.frictionless++;
        else if (law->tangents == 1)
            count.line++;
        else
            count.plane++;
    }
    return count;
}

/* Rows that are held. */
static int joint_rows(const carom_problem *problem)
{
    int rows = 0;
    for (int k = 0; k < problem->nblock; k++)
        rows += is_joint(&problem->block[k]) ? problem->block[k].law->rows : 0;
    return rows;
}

/* With m of n rows held, W, X and A have (n - m)^2 + m (n - m + 1) + m^2 <= n^2 + n numbers. */
void carom_reduce_place(carom_reduced *reduced, carom_layout *layout, int n, int nblock, const carom_problem *problem)
{
    size_t m = problem ? (size_t)joint_rows(problem) : 0, nc = (size_t)n - m;
    CAROM_PLACE(layout, reduced->problem.block, nblock);
    CAROM_PLACE(layout, reduced->problem.b, n);
    CAROM_PLACE(layout, reduced->row, n);
    CAROM_PLACE(layout, reduced->slip, n);
    CAROM_PLACE(layout, reduced->c, n);
    CAROM_PLACE(layout, reduced->line, n);
    CAROM_PLACE(layout, reduced->work, 6 * (size_t)n);
    CAROM_PLACE(layout, reduced->order, n);
    CAROM_PLACE(layout, reduced->problem.W.dense, nc * nc);
    CAROM_PLACE(layout, reduced->X, m * (nc + 1));
    CAROM_PLACE(layout, reduced->A, m * m);
    reduced->K = reduced->problem.W.dense;
    if (m > 0 || !problem)
        CAROM_PLACE(layout, reduced->K, (size_t)n * (size_t)n + (size_t)n);
    reduced->problem.x0 = NULL;
    CAROM_PLACE(layout, reduced->friction, 2 * (size_t)n);
    CAROM_PLACE(layout, reduced->given, n);
    CAROM_PLACE(layout, reduced->scale, n);
    CAROM_PLACE(layout, reduced->coefficient, (size_t)nblock * CAROM_COEFFICIENTS_MAX);
}

static void add_row(carom_reduced *reduced, int row, double scale, int slip)
{
    reduced->row[reduced->nrow] = row;
    reduced->scale[reduced->nrow] = scale;
    reduced->slip[reduced->nrow++] = slip;
}

static void add_contact(carom_reduced *reduced, const carom_problem *problem, int k)
{
    const carom_block *block = &problem->block[k];
    bool slips = carom_block_slips(block), changed;
    int n = reduced->problem.nblock++;
    double scale[CAROM_LAW_ROWS], *d = reduced->coefficient + n * CAROM_COEFFICIENTS_MAX;
    const carom_law *law = simpler(block, scale, d, &changed);
    reduced->problem.block[n] =
        (carom_block){.law = law, .row = reduced->nrow - reduced->njoint, .c = changed ? d : block->c};
    if (slips)
        block->law->slide(block->c, block->direction, 1, reduced->friction + 2 * reduced->nrow);       /* (2) */
    for (int i = 0; i < law->rows; i++)
        add_row(reduced, block->row + i, scale[i], slips ? k : -1);
}

static void choose_rows(carom_reduced *reduced, const carom_problem *problem)
{
    reduced->nrow = reduced->problem.nblock = 0;
    reduced->any_given = false;
    for (int i = 0; i < problem->n; i++)
        reduced->given[i] = 0;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        for (int i = 0; is_joint(block) && i < block->law->rows; i++)
            add_row(reduced, block->row + i, 1, -1);
        if (carom_block_slips(block) && is_given(block)) {
            block->law->slide(block->c, block->direction, 0, reduced->given + block->row);             /* (2) */
            reduced->any_given = true;
        }
    }
    reduced->njoint = reduced->nrow;
    for (int k = 0; k < problem->nblock; k++)
        if (!is_joint(&problem->block[k]) && !is_given(&problem->block[k]))
            add_contact(reduced, problem, k);
    reduced->problem.n = reduced->nrow - reduced->njoint;
}

/* A row of W. */
static const double *line_of(carom_reduced *reduced, const carom_problem *problem, int k, int i)
{
    int n = problem->n, row = problem->block[k].row + i;
    if (problem->W.dense)
        return problem->W.dense + (size_t)row * (size_t)n;
    memset(reduced->line, 0, sizeof(double) * (size_t)n);
    carom_neighbour l = {0};
    while (carom_delassus_next(problem, k, &l))
        carom_copy(problem->block[l.block].law->rows, l.W + i * l.stride, reduced->line + problem->block[l.block].row);
    return reduced->line;
}

/* Column s of the reduced problem: a column of W, in a pinned slip combined with the tangential ones. */
static double combine(const carom_reduced *reduced, const carom_problem *problem, const double *line, int s)
{
    int tangents = reduced->slip[s] < 0 ? 0 : problem->block[reduced->slip[s]].law->tangents;
    return carom_mode_column(tangents, line + reduced->row[s], reduced->friction + 2 * s); /* (2) */
}

/* Does x solve K_JJ x = column j of K_JC? */
static bool in_range(const carom_reduced *r, int j, const double *x)
{
    for (int i = 0; i < r->njoint; i++) {
        const double *row = r->K + (size_t)i * (size_t)r->nrow;
        double sum = -row[r->njoint + j], terms = fabs(sum);
        for (int l = 0; l < r->njoint; l++) {
            sum += row[l] * x[l];
            terms += fabs(row[l] * x[l]);
        }
        if (fabs(sum) > 1e-8 * terms)
            return false;
    }
    return true;
}

/* X = K_JJ^+ (c_J, K_JC), one column of the right-hand side after the other. */
static void solve_joints(carom_reduced *r)
{
    size_t m = (size_t)r->njoint, n = (size_t)r->nrow, nc = (size_t)r->problem.n;
    int rows = r->njoint;
    for (size_t j = 0; j <= nc; j++)
        for (size_t i = 0; i < m; i++)
            r->X[j * m + i] = j ? r->K[i * n + m + j - 1] : r->c[i];
    if (m == 1) {
        for (size_t j = 0; j <= nc; j++) {
            r->exact = r->exact && (r->K[0] != 0 || j == 0 || r->X[j] == 0);
            r->X[j] = r->K[0] != 0 ? r->X[j] / r->K[0] : 0;
        }
        return;
    }
    for (size_t i = 0; i < m; i++)
        carom_copy(rows, r->K + i * n, r->A + i * m);
    bool regular = carom_lu_clear(rows, r->A, r->order, CAROM_RANK_TOL);
    for (size_t j = 0; j <= nc; j++) {
        if (regular) {
            carom_lu_solve(rows, r->A, r->order, r->X + j * m);
            continue;
        }
        for (size_t i = 0; i < m; i++)
            carom_copy(rows, r->K + i * n, r->A + i * m);
        carom_least_squares(rows, rows, r->A, r->X + j * m, r->work, CAROM_RANK_TOL, r->work + m, r->order);
        carom_copy(rows, r->work, r->X + j * m);
        r->exact = r->exact && (j == 0 || in_range(r, (int)j - 1, r->X + j * m));
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

/* K and c of all rows that remain */
static void assemble(carom_reduced *reduced, const carom_problem *problem)
{
    int n = reduced->nrow;
    const double *scale = reduced->scale;
    for (int i = 0, k = 0; i < n; i++) {
        int row = reduced->row[i];
        k = row < problem->block[k].row ? 0 : k;
        while (k + 1 < problem->nblock && problem->block[k + 1].row <= row)
            k++;
        const double *line = line_of(reduced, problem, k, row - problem->block[k].row);
        reduced->c[i] = problem->b[row] - (problem->x0 ? carom_dot(problem->n, line, problem->x0) : 0); /* (1) */
        if (reduced->any_given)
            reduced->c[i] += carom_dot(problem->n, line, reduced->given);
        reduced->c[i] *= scale[i];
        for (int j = 0; j < n; j++)                                                                    /* (5) */
            reduced->K[(size_t)i * (size_t)n + (size_t)j] = scale[i] * combine(reduced, problem, line, j) * scale[j];
    }
}

void carom_reduce(carom_reduced *reduced, const carom_problem *problem)
{
    choose_rows(reduced, problem);
    assemble(reduced, problem);
    int m = reduced->njoint, nc = reduced->problem.n;
    reduced->exact = true;
    if (m == 0) { /* K is W */
        carom_copy(nc, reduced->c, reduced->problem.b);
        return;
    }
    solve_joints(reduced);
    for (int i = 0; i < nc; i++) {                                                       /* (4) */
        const double *row = reduced->K + (size_t)(m + i) * (size_t)(m + nc);
        double *W = reduced->problem.W.dense + (size_t)i * (size_t)nc;
        reduced->problem.b[i] = cancel(m, reduced->c[m + i], row, reduced->X);
        for (int j = 0; j < nc; j++)
            W[j] = cancel(m, row[m + j], row, reduced->X + (size_t)(j + 1) * (size_t)m);
    }
}

void carom_reduce_guess(const carom_reduced *reduced, const carom_problem *problem, const double *x, double *y)
{
    for (int i = 0; i < reduced->problem.n; i++) {
        int row = reduced->row[reduced->njoint + i];
        double scale = reduced->scale[reduced->njoint + i];
        y[i] = x[row] + (problem->x0 ? problem->x0[row] : 0);
        y[i] = scale != 0 ? y[i] / scale : 0;
    }
}

void carom_reduce_expand(carom_reduced *reduced, const carom_problem *problem, const double *y, double *x)
{
    int m = reduced->njoint, nc = reduced->problem.n;
    for (int i = 0; i < problem->n; i++)
        x[i] = reduced->given[i];
    for (int i = 0; i < m; i++) {                                                        /* (3) */
        double sum = -reduced->X[i];
        for (int j = 0; j < nc; j++)
            sum -= reduced->X[(size_t)(j + 1) * (size_t)m + (size_t)i] * y[j];
        x[reduced->row[i]] = sum;
    }
    for (int j = 0; j < nc; j++) {
        int row = reduced->row[m + j], slip = reduced->slip[m + j];
        x[row] = reduced->scale[m + j] * y[j];
        for (int k = 0; slip >= 0 && k < problem->block[slip].law->tangents; k++)
            x[row + 1 + k] = reduced->friction[2 * (m + j) + k] * y[j];                  /* (2) */
    }
    for (int i = 0; problem->x0 && i < problem->n; i++)
        x[i] -= problem->x0[i];
}
