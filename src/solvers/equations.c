/* equations.c: contact problems of many bodies: without joints group by group (groups.c), with joints as follows.
 *
 *   u = W x + q = 0 on the rows of joints, q = b + what the impulses of contacts as they are give these rows       (1)
 *   proximal points of the scaled problem (scaled.h): (W + a) d = -u, x <- x + d, until u falls no more, with one
 *   factorisation in the velocities of bodies (condensed.c)                                                        (2)
 *   redundant joints: what lies across the range of W stays in u, and every d adds it to x, divided by a. It is taken
 *   out of x again and away from b: no impulses can meet it. Positions tell whether joints can be closed           (3)
 *   with contacts: Newton's method on Alart and Curnier's function F of all rows (alart_curnier.c), A = dF/du,
 *   B = dF/dr, while |F| falls:
 *       (A (W + a) + B) d = -F  or  (1 + D W) d = -f,  D = (a A + B)^-1 A,  f = (a A + B)^-1 F                     (4)
 *   from the guess, or where that is too far from what another method finds: its last digits, since errors of joints
 *   add up along chains of them                                                                                    (5)
 *   where dry friction of many joints has that go round: joints eliminated, then Gauss-Seidel and modes (nsgs.c), up
 *   to 600 rows                                                                                                    (6)
 *
 * (2) converges at the rate a/(a + s), s the least eigenvalue of W that is not 0: 1e-6 in a chain of 1000 links. In (4)
 * a of contacts is larger: two links that touch the ground where they are joined share the load in any way, and the
 * impulses would wander by what is left of F, divided by a. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/equations.h"
#include "solvers/parts.h"
#include "solvers/points.h"

#define JOINT 1e-9     /* a of joints, */
#define CONTACT 1e-6   /* and of contacts */
#define ROUNDING 1e-13 /* beside |q| = 1 */
#define FAR 1e-3       /* natural map from which on Newton's method is not tried; |b| = 1 */
enum { MOST = 30, STEPS = 8, DENSE = 600 };

typedef struct joints { /* the first stands for all of this in the methods below */
    carom_solve solve;
    const carom_problem *problem;
    bool redundant;
} joints;

/* Equations: the first n blocks, joints, and the last, which are soft; of one row each. Number k of m of them stands at
 * this place of so many blocks or rows. */
static int place_of(int k, int n, int m, int all)
{
    return k < n ? k : all - (m - k);
}

static size_t work(int n, int nblock)
{
    return sizeof(double) * (9 * (size_t)nblock + (size_t)n);
}

/* (2), (3) */
static void run(carom_points *p, void *memory)
{
    double *root = memory, *d = root + 9 * (size_t)p->nblock, before = INFINITY;
    joints *of = (joints *)p->solve;
    for (int k = 0; k < p->nblock; k++)
        for (int i = 0; i < 9; i++)
            root[9 * (size_t)k + (size_t)i] = i % 4 == 0 ? 1 / sqrt(JOINT) : 0;
    p->factorisations++;
    bool go_on = p->form->factor(p, root, root);
    for (int pass = 0; go_on && pass < MOST; pass++) {
        p->form->velocity(p, p->r, p->u);
        double size = carom_norm_max(p->n, p->u);
        bool lost = pass > 0 && size > 2 * before && size > ROUNDING; /* the factors have too few digits */
        of->redundant = pass > 1 && size > 0.9 * before && size > ROUNDING && !lost;
        for (int i = 0; (lost || of->redundant) && i < p->n; i++)
            p->r[i] -= (lost ? 1 : pass) * d[i];                                         /* (3) */
        go_on = size > 0.1 * ROUNDING && (pass < 2 || size < 0.9 * before) && !lost &&
                !carom_expired(p->solve, p->deadline);
        before = size;
        for (int i = 0; i < p->n; i++)
            d[i] = -p->u[i] / JOINT;
        if (go_on)
            p->form->solve_factored(p, d);
        for (int i = 0; go_on && i < p->n; i++)
            p->r[i] += d[i];                                                             /* (2) */
        p->solve->iterations++;
    }
    p->form->offer(p, p->r);
}

/* The m equations alone; b is q of (1), x: impulses of all rows; all [rows of the problem] is scratch */
static bool part_of(const carom_problem *problem, int n, int m, const double *x, carom_arena *arena,
                    carom_problem *part)
{
    carom_product *W = &part->W.product;
    double *all = CAROM_NEW(arena, double, problem->n);
    int *row = CAROM_NEW(arena, int, m);
    *part = (carom_problem){.n = m, .nblock = m, .block = CAROM_NEW(arena, carom_block, m),
                            .b = CAROM_NEW(arena, double, m), .W = problem->W};
    W->diagonal = CAROM_NEW(arena, double, 9 * (size_t)m);
    W->row = row;
    if (!all || !row || !part->block || !part->b || !W->diagonal)
        return false;
    carom_copy(problem->n, x, all);
    for (int k = 0; k < m; k++)
        all[place_of(k, n, m, problem->n)] = 0;
    carom_product_velocities(problem, all, W->v, NULL);
    for (int k = 0; k < m; k++) {
        int block = place_of(k, n, m, problem->nblock);
        part->block[k] = problem->block[block];
        part->block[k].row = k;
        row[k] = problem->W.product.row[block];
        W->diagonal[9 * (size_t)k] = problem->W.product.diagonal[9 * (size_t)block];
        part->b[k] = problem->b[place_of(k, n, m, problem->n)];
        carom_product_add(part, k, W->v, part->b + k);                                   /* (1) */
    }
    return true;
}

static void joints_first(carom_problem *problem, int n, carom_solve *solve)
{
    carom_arena *arena = solve->arena;
    carom_arena_mark mark = carom_arena_here(arena);
    int m = n + problem->W.product.nsoft;
    double *x = CAROM_NEW(arena, double, m), *u = CAROM_NEW(arena, double, m);
    carom_problem part;
    if (x && u && carom_all_finite(problem->n, problem->b) && carom_all_finite(problem->n, solve->x) &&
        part_of(problem, n, m, solve->x, arena, &part)) {
        joints of = {.problem = &part,
                     .solve = {.tol = solve->tol, .x = x, .u = u, .arena = arena, .threads = solve->threads,
                               .deadline = solve->deadline, .cancel = solve->cancel}};
        for (int k = 0; k < m; k++)
            x[k] = solve->x[place_of(k, n, m, problem->n)];
        carom_condensed_with(&part, &of.solve, &(carom_points_method){work, run});
        carom_problem_residual(&part, x, u, NULL);
        for (int i = 0; of.redundant && i < n; i++)
            problem->b[i] -= u[i];                                                       /* (3) */
        for (int k = 0; k < m; k++)
            solve->x[place_of(k, n, m, problem->n)] = x[k];
    }
    carom_arena_release(arena, mark);
}

/* ---- joints and contacts ---- */
typedef struct steps { /* of Newton's method */
    double *left, *right; /* [9*nblock] of (1 + left S W S right) x = g, as condensed.c factors it */
    double *g;            /* [n] */
} steps;

/* (4) of block k; returns |F|^2 */
static double linearise(carom_points *p, const carom_problem *problem, int k, const steps *w)
{
    int first = p->row[k], rows = p->row[k + 1] - first, pivot[3];
    double F[3], A[9], B[9], C[9], *left = w->left + 9 * (size_t)k, *right = w->right + 9 * (size_t)k;
    double trace = carom_delassus_trace(problem, k);
    bool equation = p->part[k] == CAROM_PART_EQUATION;
    memset(left, 0, 9 * sizeof *left), memset(right, 0, 9 * sizeof *right);
    memset(w->g + first, 0, sizeof *w->g * (size_t)rows);
    carom_alart_curnier(p->part[k], rows, p->mu[k], problem->W.product.diagonal + 9 * (size_t)k,
                        trace > 0 ? rows / trace : 1, CAROM_ALART_CURNIER, p->u + first, p->r + first, F, A, B);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            C[i * rows + j] = (equation ? JOINT : CONTACT) * A[3 * i + j] + B[3 * i + j];
    bool regular = carom_lu(rows, C, pivot);
    for (int j = 0; regular && j <= rows; j++) { /* columns of C^-1 A, then of C^-1 F */
        double column[3], part = j < rows ? carom_points_stretch(p, k, j) : 1;
        for (int i = 0; i < rows; i++)
            column[i] = j < rows ? A[3 * i + j] : F[i];
        carom_lu_solve(rows, C, pivot, column);
        for (int i = 0; part > 0 && i < rows; i++)
            *(j < rows ? &left[3 * i + j] : &w->g[first + i]) = j < rows ? column[i] / part : -column[i];
        if (j < rows && part > 0)
            right[4 * j] = 1 / part;
    }
    for (int i = 0; equation && i < rows; i++) /* both of the same size */
        left[4 * i] *= sqrt(JOINT), right[4 * i] /= sqrt(JOINT), w->g[first + i] *= sqrt(JOINT);
    return carom_dot(rows, F, F);
}

static size_t work_of_steps(int n, int nblock)
{
    return sizeof(double) * (18 * (size_t)nblock + (size_t)n);
}

/* (4) from the guess, if it is near */
static void newton(carom_points *p, void *memory)
{
    const carom_problem *problem = ((const joints *)p->solve)->problem;
    double *values = memory, before = INFINITY;
    const steps w = {values, values + 9 * (size_t)p->nblock, values + 18 * (size_t)p->nblock};
    p->form->velocity(p, p->r, p->u);
    bool go_on = p->form->residual(p, p->r, p->u) <= FAR;
    for (int step = 0; go_on; step++) {
        double merit = 0;
        for (int k = 0; k < p->nblock; k++)
            merit += linearise(p, problem, k, &w);
        if (p->form->offer(p, p->r) || !(merit < 0.25 * before) || step == STEPS ||
            carom_expired(p->solve, p->deadline))
            return;
        before = merit;
        p->factorisations++, p->solve->iterations++;
        go_on = p->form->factor(p, w.left, w.right);
        if (go_on)
            p->form->solve_factored(p, w.g);
        for (int k = 0; go_on && k < p->nblock; k++)
            for (int i = p->row[k], j = 0; i < p->row[k + 1]; i++, j++)
                p->r[i] += carom_points_stretch(p, k, j) * w.right[9 * (size_t)k + 4 * (size_t)j] * w.g[i];
        p->form->velocity(p, p->r, p->u);
    }
}

static bool judged(const carom_problem *problem, carom_solve *solve)
{
    solve->residual = carom_problem_judge(problem, solve, solve->x, solve->u, &solve->worst);
    return solve->residual <= solve->tol;
}

/* Steps of Newton's method, if the guess is near; true: solved. What they make worse stays as it was. */
static bool sharpen(const carom_problem *problem, carom_solve *solve)
{
    carom_arena_mark mark = carom_arena_here(solve->arena);
    double *held = CAROM_NEW(solve->arena, double, problem->n), before = solve->residual;
    if (!held)
        return false;
    carom_copy(problem->n, solve->x, held);
    joints of = {.problem = problem, .solve = *solve};
    of.solve.tol = fmin(solve->tol, ROUNDING);
    of.solve.iterations = of.solve.factorisations = 0;
    carom_condensed_with(problem, &of.solve, &(carom_points_method){work_of_steps, newton});
    solve->by = carom_solver_condensed.method.name;
    solve->iterations += of.solve.iterations, solve->factorisations += of.solve.factorisations;
    if (!judged(problem, solve) && before < solve->residual)
        carom_copy(problem->n, held, solve->x);
    carom_arena_release(solve->arena, mark);
    return judged(problem, solve);
}

carom_status carom_problem_solve_joined(carom_problem *problem, int n, const carom_solver *solver, carom_solve *solve,
                                        carom_error *error)
{
    const carom_solver *condensed = &carom_solver_condensed;
    bool small = problem->n <= CAROM_SMALL_ROWS; /* what is exact for those comes next */
    bool apart = false, contacts = n + problem->W.product.nsoft == 0; /* alone */
    if (contacts && problem->W.product.span && !solver && solve->arena && !solve->judge) {
        carom_status status = carom_groups_solve(problem, solve, &apart, error);
        if (apart && (status != CAROM_OK || solve->residual <= solve->tol))
            return status;
    }
    if (contacts || !problem->W.product.span || solver || !solve->arena ||
        !condensed->takes(problem))
        return carom_problem_solve(problem, solver, solve, error);
    joints_first(problem, n, solve);
    solve->iterations = solve->factorisations = 0;
    if ((judged(problem, solve) && !small) || sharpen(problem, solve))
        return CAROM_OK;
    carom_status status = carom_problem_solve(problem, small ? NULL : condensed, solve, error);          /* (5) */
    if (status == CAROM_NOT_CONVERGED && !small && problem->n <= DENSE)
        status = carom_problem_solve(problem, &carom_solver_nsgs, solve, error);                         /* (6) */
    /* redundant joints seem to have no solution to who takes them for equations without rounding */
    bool unsolved = status == CAROM_NOT_CONVERGED || status == CAROM_NO_SOLUTION;
    if ((unsolved || status == CAROM_OK) && sharpen(problem, solve))
        return CAROM_OK;
    if (!unsolved)
        return status;
    joints_first(problem, n, solve);
    return judged(problem, solve) || sharpen(problem, solve) ? CAROM_OK : status;
}
