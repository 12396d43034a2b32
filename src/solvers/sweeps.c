/* sweeps.c: contacts of many bodies: Gauss-Seidel on their velocities, accelerated; W = G Y^T is never formed.
 *
 *   v = Y^T x                                        what the impulses give the bodies                            (1)
 *   sweep over the blocks k:  q = b_k + G_k v - W_kk x_k,   x_k' solves its law for u = W_kk x_k' + q, exactly,
 *                             v <- v + Y_k^T (x_k' - x_k)                                                         (2)
 *   a sweep maps x to s(x), accelerated (core/anderson.h) in the metric of W's diagonal                            (3)
 *   the judge looks at s(x) after 1, 2, 4, 8, 16, 24 ... sweeps                                                    (4)
 *   if there is another method they end where the residual has not fallen to half in 40 sweeps; with less than twice
 *   as many rows as velocities (little is redundant, and a factorisation dear): from the 40th on where they would
 *   take more than a tenth of nv to the tolerance, at the rate of their later half                                 (5)
 *
 * A sweep costs as much as there are contacts. (2) alone converges linearly, slowly where impulses have to pass
 * through many bodies; (3) is what Krylov's methods are for linear systems, which this becomes once the modes are
 * right. A sweep runs through the blocks and back, so that both ways through a pile are fast.
 * Limits: no proof of convergence with friction; it cannot show that there is no solution. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/anderson.h"
#include "core/dense.h"
#include "solvers/parts.h"
#include "solvers/scaled.h"
#include "solvers/sweeps.h"

enum { SWEEPS = 1000, PATIENCE = 40, CHECK = 8, CHECKPOINTS = 3 + SWEEPS / CHECK };

typedef struct workspace {
    const carom_problem *p;
    carom_solve *s;
    double *x, *swept, *f, *best;   /* [n] */
    double *weight;                 /* [n] of the metric */
    carom_anderson anderson;
    double *v;                      /* [nv] */
    double least;                   /* residual of best */
    double course[CHECKPOINTS];     /* that at the checkpoints so far */
    int checked;
    bool last;                      /* nobody else will try */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nv)
{
    double **const arrays[] = {&w->x, &w->swept, &w->f, &w->best, &w->weight};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        CAROM_PLACE(layout, *arrays[i], n);
    carom_anderson_place(&w->anderson, layout, n);
    CAROM_PLACE(layout, w->v, nv);
}

static void stick(const double *W, int rows, const double *q, double *x)
{
    double A[9], y[3];
    int pivot[3];
    carom_copy(rows * rows, W, A);
    for (int i = 0; i < rows; i++)
        y[i] = -q[i];
    if (!carom_lu(rows, A, pivot))
        return;
    carom_lu_solve(rows, A, pivot, y);
    carom_copy(rows, y, x);
}

static void slip(const carom_block *block, const double *W, int rows, const double *q, double *x)
{
    double friction[2] = {0, 0};
    block->law->slide(block->c, block->direction, 1, friction);
    double push = carom_mode_column(rows - 1, W, friction);
    x[0] = q[0] < 0 && push > 0 ? -q[0] / push : 0;
    for (int i = 1; i < rows; i++)
        x[i] = friction[i - 1] * x[0];
}

/* A block that is held in a mode, or the law's own solution. */
static void solve_block(const carom_block *block, const double *W, int rows, const double *q, double *x)
{
    if (carom_block_is(block, CAROM_OPEN))
        memset(x, 0, sizeof *x * (size_t)rows);
    else if (carom_block_is(block, CAROM_STICK))
        stick(W, rows, q, x);
    else if (carom_block_slips(block) && rows > block->law->tangents)
        slip(block, W, rows, q, x);
    else
        block->law->solve_single(block->c, W, rows, q, x);
}

/* (2) for block k: y is x + x0 */
static void sweep_block(workspace *w, int k, double *y)
{
    const carom_problem *p = w->p;
    const carom_product *W = &p->W.product;
    const carom_block *block = &p->block[k];
    const int rows = block->law->rows;
    const carom_span *span = &W->span[W->row[k]];
    const double *D = W->diagonal + 9 * (size_t)k, *G = W->G + span->at[0], *Y = W->Y + span->at[0];
    const int first[2] = {span->first[0], span->first[1]}, count[2] = {span->count[0], span->count[1]};
    double q[3] = {0, 0, 0}, z[3] = {0, 0, 0}, *x = y + block->row, *v = w->v;
    for (int i = 0; i < rows; i++) {
        double sum = p->b[block->row + i];
        for (int b = 0; b < 2; b++)
            for (int j = 0; j < count[b]; j++)
                sum += *G++ * v[first[b] + j];
        for (int j = 0; j < rows; j++)
            sum -= D[i * rows + j] * x[j];
        q[i] = sum;
    }
    q[0] += carom_product_soft(W, p->nblock, k) * x[0];
    carom_copy(rows, x, z);
    solve_block(block, D, rows, q, z);
    for (int i = 0; i < rows; i++) {
        double change = z[i] - x[i];
        x[i] = z[i];
        for (int b = 0; b < 2; b++)
            for (int j = 0; j < count[b]; j++)
                v[first[b] + j] += *Y++ * change;
    }
}

static void sweep(workspace *w, double *y, bool backwards)
{
    const carom_problem *p = w->p;
    for (int i = 0; i < p->n; i++)
        w->f[i] = y[i] - (p->x0 ? p->x0[i] : 0);
    carom_product_velocities(p, w->f, w->v, NULL);                                          /* (1) */
    for (int i = 0; i < p->nblock; i++)
        sweep_block(w, backwards ? p->nblock - 1 - i : i, y);
}

/* Judges x = y - x0; keeps the best. */
static bool offer(workspace *w, const double *y)
{
    const carom_problem *p = w->p;
    carom_solve *s = w->s;
    for (int i = 0; i < p->n; i++)
        s->x[i] = y[i] - (p->x0 ? p->x0[i] : 0);
    s->residual = carom_problem_judge(p, s, s->x, s->u, &s->worst);
    if (s->residual < w->least) {
        w->least = s->residual;
        carom_copy(p->n, s->x, w->best);
    }
    return s->residual <= s->tol;
}

static bool is_checkpoint(int k)
{
    return k < CHECK ? (k & (k - 1)) == 0 : k % CHECK == 0;
}

/* (5): has the residual not fallen to half in the last sweeps? */
static bool is_slow(int k, double least, int *since, double *half)
{
    if (least <= 0.5 * *half)
        *half = least, *since = k;
    return k - *since >= PATIENCE;
}

/* (5), after k sweeps: is there far to go at the rate of the later half of the checkpoints? */
static bool is_far(const workspace *w, int k)
{
    int now = w->checked - 1, then = w->checked / 2;
    if (k < PATIENCE)
        return false;
    double gain = log(w->course[then] / w->least), sweeps = CHECK * (now - then);
    return !(log(w->least / w->s->tol) * sweeps <= gain * 0.1 * w->p->W.product.nv);
}

static bool iterate(workspace *w, int most)
{
    bool redundant = w->p->n >= 2 * w->p->W.product.nv;
    int since = 0;
    double half = INFINITY;
    for (int k = 1; k <= most && !carom_cancelled(w->s); k++) {
        carom_copy(w->p->n, w->x, w->swept);
        sweep(w, w->swept, false);
        sweep(w, w->swept, true);
        w->s->iterations++;
        if (is_checkpoint(k)) {
            if (offer(w, w->swept))                                                      /* (4) */
                return true;
            w->course[w->checked++] = w->least;
            if (carom_expired(w->s, carom_deadline(w->s)) || (!w->last && !redundant && is_far(w, k)))
                return false;
        }
        if (!w->last && redundant && is_slow(k, w->least, &since, &half))
            return false;
        if (!(carom_anderson_next(&w->anderson, w->x, w->swept) <= DBL_MAX))             /* (3) */
            return false;
    }
    return false;
}

bool carom_sweeps_run(const carom_problem *problem, carom_solve *solve)
{
    workspace w = {.p = problem, .s = solve, .least = INFINITY, .last = problem->n <= CAROM_SMALL_ROWS};
    carom_layout measure = {0}, layout = {0};
    carom_arena_mark mark = carom_arena_here(solve->arena);
    place(&w, &measure, problem->n, problem->W.product.nv);
    solve->iterations = 0;
    layout.base = carom_arena_alloc(solve->arena, measure.used + 16);
    if (!layout.base)
        return false;
    place(&w, &layout, problem->n, problem->W.product.nv);
    for (int k = 0; k < problem->nblock; k++) {
        int rows = problem->block[k].law->rows;
        double trace = carom_delassus_trace(problem, k);
        for (int i = problem->block[k].row; i < problem->block[k].row + rows; i++) {
            w.weight[i] = trace / rows;
            w.x[i] = solve->x[i] + (problem->x0 ? problem->x0[i] : 0);
        }
    }
    carom_anderson_begin(&w.anderson, w.weight);
    w.anderson.growth = 1; /* where modes still change it leads astray */
    bool good = carom_all_finite(problem->n, w.x) && iterate(&w, SWEEPS);
    if (!good && w.least < INFINITY) {
        carom_copy(problem->n, w.best, solve->x);
        solve->residual = carom_problem_judge(problem, solve, solve->x, solve->u, &solve->worst);
    }
    carom_arena_release(solve->arena, mark);
    return good;
}
