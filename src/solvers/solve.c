/* solve.c: the list of solvers, and the one way to call them: eliminate what is not to be decided, solve, judge.
 *
 * A single contact takes a short cut to its exact solution. Otherwise, with no solver named: the first guess, then 'all
 * contacts open', then the exact solution if the elimination left one contact, then
 *     without friction   enumeration (2 contacts), Gauss-Seidel (briefly), Lemke, enumeration if it is small
 *     with friction      Gauss-Seidel (briefly), enumeration if it is small, Lemke in the plane, proximal points,
 *                        or what the elimination of given slips leaves for them, Gauss-Seidel (at length)
 * until one passes the residual. Joints that could not be eliminated go to `mixed` before proximal points. A problem
 * of more than 60 rows, or of more spatial slips than enumeration takes, is taken apart into groups that do not act on
 * each other, goes to the proximal points at once, and whoever brings no arena does without them. Where W is a product
 * it stays one as long as that goes: sweeps over the bodies, then `condensed`, then the others with a block-sparse
 * W. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"
#include "solvers/scaled.h"
#include "solvers/sweeps.h"

static const carom_solver *const solvers[] = {
    &carom_solver_enumeration,
    &carom_solver_lemke,
    &carom_solver_nsgs,
    &carom_solver_pgs,
    &carom_solver_newton,
    &carom_solver_alart_curnier,
    &carom_solver_swept,
    &carom_solver_proximal,
    &carom_solver_gradient,
    &carom_solver_interior,
    &carom_solver_mixed,
    &carom_solver_condensed,
};

const carom_solver *carom_solver_list(int i)
{
    return i >= 0 && i < CAROM_COUNT(solvers) ? solvers[i] : NULL;
}

const carom_method *carom_solver_method(int i)
{
    const carom_solver *solver = carom_solver_list(i);
    return solver ? &solver->method : NULL;
}

const carom_solver *carom_solver_find(const char *name)
{
    for (int i = 0; i < CAROM_COUNT(solvers); i++)
        if (strcmp(solvers[i]->method.name, name) == 0)
            return solvers[i];
    return NULL;
}

typedef struct workspace {
    carom_reduced reduced;
    double *y, *u, *guess, *best; /* [n] */
    void *inner;                  /* of the solver */
} workspace;

/* problem NULL: room for any of this size */
static void place(workspace *w, carom_layout *layout, int n, int nblock, const carom_problem *problem)
{
    carom_reduce_place(&w->reduced, layout, n, nblock, problem);
    CAROM_PLACE(layout, w->y, n);
    CAROM_PLACE(layout, w->u, n);
    CAROM_PLACE(layout, w->guess, n);
    CAROM_PLACE(layout, w->best, n);
    w->inner = carom_place(layout, 0);
}

size_t carom_solver_work(const carom_solver *solver, int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock, NULL);
    size_t most = solver ? solver->work(n, nblock) : 0;
    for (int i = 0; !solver && i < CAROM_COUNT(solvers); i++)
        most = CAROM_MAX(most, solvers[i]->work(n, nblock));
    return layout.used + most + 16;
}

/* ---- judging ---- */
double carom_problem_judge(const carom_problem *problem, const carom_solve *solve, const double *x, double *u,
                           int *worst)
{
    if (solve->judge)
        return solve->judge(problem, x, u, worst);
    return carom_problem_relative(problem, fmax(solve->tol, solve->enough), x, u, worst);
}

static bool judge(const carom_problem *problem, carom_solve *solve)
{
    solve->residual = carom_problem_judge(problem, solve, solve->x, solve->u, &solve->worst);
    return solve->residual <= solve->tol;
}

static carom_status refuse(const carom_problem *problem, carom_solve *solve, const char *by, carom_status status,
                           carom_error *error)
{
    int n = problem->n;
    solve->none = false;
    if (carom_cancelled(solve))
        CAROM_FAIL(error, CAROM_INTERRUPTED, "%s: interrupted after %d iterations", by, solve->iterations);
    if (!carom_delassus_finite(problem) || !carom_all_finite(n, problem->b) ||
        (problem->x0 && !carom_all_finite(n, problem->x0)))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "%s: a value of the problem (%d rows, %d blocks) is not finite", by, n,
                   problem->nblock);
    solve->none = status == CAROM_NO_SOLUTION;
    CAROM_FAIL(error, status, "%s: %s: residual %.3g, asked for %.3g, after %d iterations (block %d of %d)", by,
               solve->none                                     ? "no solution"
               : carom_expired(solve, carom_deadline(solve)) ? "not converged in its time"
                                                               : "not converged",
               solve->residual, solve->tol,
               solve->iterations, solve->worst, problem->nblock);
}

/* ---- the short cuts ---- */
static carom_status solve_one_row(const carom_problem *problem, carom_solve *solve, carom_error *error)
{
    int stride;
    double b = problem->b[0], W = *carom_delassus_block(problem, 0, 0, &stride);
    solve->iterations = 1;
    solve->worst = 0;
    if (b >= 0 && b <= DBL_MAX && fabs(W) <= DBL_MAX) {
        solve->x[0] = 0;
        solve->u[0] = b;
        solve->residual = 0;
        return CAROM_OK;
    }
    solve->x[0] = -b / W;
    solve->u[0] = W * solve->x[0] + b;
    solve->residual = fabs(solve->u[0] / b);
    if (W > 0 && solve->x[0] > 0 && solve->residual <= solve->tol)
        return CAROM_OK;
    solve->x[0] = 0;
    judge(problem, solve);
    return refuse(problem, solve, "one contact", CAROM_NO_SOLUTION, error);
}

static carom_status solve_one_contact(const carom_problem *problem, carom_solve *solve, carom_error *error)
{
    int stride;
    const double *W = carom_delassus_block(problem, 0, 0, &stride);
    problem->block->law->solve_single(problem->block->c, W, stride, problem->b, solve->x);
    solve->iterations = 1;
    return judge(problem, solve) ? CAROM_OK : refuse(problem, solve, "one contact", CAROM_NO_SOLUTION, error);
}

/* ---- the general way ---- */
enum { PIVOTED = 400 }; /* unknowns of Lemke's method with friction that nobody has asked for */

typedef struct attempt {
    const carom_problem *problem;
    carom_solve *solve;
    workspace *w;
    double best;         /* least residual so far, of w->best */
    int iterations;
    bool none;           /* a method has shown that there is no solution */
    bool brief;          /* leave Gauss-Seidel at length for later */
} attempt;

/* Judges the y of the reduced problem by the original problem; keeps the best. */
static bool accept(attempt *a, const double *y)
{
    carom_solve *s = a->solve;
    carom_reduce_expand(&a->w->reduced, a->problem, y, s->x);
    bool good = judge(a->problem, s);
    if (s->residual < a->best) {
        a->best = s->residual;
        memcpy(a->w->best, s->x, sizeof(double) * (size_t)a->problem->n);
    }
    return good;
}

static bool run(attempt *a, const carom_solver *solver, const double *field)
{
    workspace *w = a->w;
    const carom_problem *reduced = &w->reduced.problem;
    double standard[CAROM_FIELDS_MAX];
    if (a->solve->arena && carom_arena_missing(a->solve->arena)) /* nothing weaker is tried */
        return false;
    if (!field)
        carom_fields_standard(solver->method.fields, standard);
    carom_solve inner = {.field = field ? field : standard, .tol = a->solve->tol, .x = w->y, .u = w->u,
                         .work = w->inner, .arena = a->solve->arena, .deadline = a->solve->deadline,
                         .cancel = a->solve->cancel};
    solver->solve(reduced, &inner);
    a->solve->by = solver->method.name;
    a->iterations += inner.iterations;
    a->none = a->none || inner.none;
    return accept(a, w->y);
}

/* Proximal points for what the elimination has left of a problem that they do not take: slips that are given. */
static bool run_proximal(attempt *a)
{
    carom_arena *arena = a->solve->arena;
    if (!arena || carom_scaled_takes(a->problem) || !carom_scaled_takes(&a->w->reduced.problem))
        return false;
    carom_arena_mark mark = carom_arena_here(arena);
    carom_reduce_guess(&a->w->reduced, a->problem, a->w->guess, a->w->y);
    bool good = run(a, &carom_solver_proximal, NULL);
    carom_arena_release(arena, mark);
    return good;
}

static bool try_all(attempt *a)
{
    workspace *w = a->w;
    carom_census count = carom_problem_census(a->problem);
    bool smooth = count.line + count.plane + count.other == 0, small = carom_census_few(&count);
    bool pivots = a->solve->arena && carom_solver_lemke.takes(a->problem) &&
                  (smooth || count.frictionless + 4 * (double)count.line <= PIVOTED);
    double brief[CAROM_FIELDS_MAX];
    if (count.frictionless <= 2 && smooth)
        return run(a, &carom_solver_enumeration, NULL);
    carom_fields_standard(carom_solver_nsgs.method.fields, brief);
    brief[0] = 512; /* the first field: sweeps; enumeration costs about as much */
    carom_reduce_guess(&w->reduced, a->problem, w->guess, w->y);
    if ((small || smooth) && run(a, &carom_solver_nsgs, brief))
        return true;
    if (smooth && pivots && run(a, &carom_solver_lemke, NULL))
        return true;
    if (!a->none && small && run(a, &carom_solver_enumeration, NULL))
        return true;
    if (!smooth && !small && run(a, &carom_solver_nsgs, brief))
        return true;
    if (!smooth && pivots && run(a, &carom_solver_lemke, NULL))
        return true;
    if (a->brief)
        return false;
    if (!smooth && run_proximal(a))
        return true;
    carom_reduce_guess(&w->reduced, a->problem, w->guess, w->y);
    return !a->none && run(a, &carom_solver_nsgs, NULL);
}

static bool all_open(const carom_problem *reduced)
{
    for (int k = 0; k < reduced->nblock; k++)
        if (!carom_law_can(reduced->block[k].law, CAROM_OPEN) || !(reduced->b[reduced->block[k].row] >= 0))
            return false;
    return true;
}

static bool decide(attempt *a, const carom_solver *solver)
{
    workspace *w = a->w;
    const carom_problem *reduced = &w->reduced.problem;
    if (solver) {
        carom_reduce_guess(&w->reduced, a->problem, w->guess, w->y);
        a->none = reduced->n == 0;
        return reduced->n ? run(a, solver, a->solve->field) : accept(a, w->y);
    }
    if (all_open(reduced)) {
        memset(w->y, 0, sizeof(double) * (size_t)reduced->n);
        if (accept(a, w->y))
            return true;
    }
    a->none = reduced->nblock <= 1;
    if (reduced->nblock == 1) {
        a->iterations = 1;
        reduced->block->law->solve_single(reduced->block->c, reduced->W.dense, reduced->n, reduced->b, w->y);
        return accept(a, w->y);
    }
    return reduced->nblock > 0 && try_all(a);
}

/* What a method without memory leaves says nothing of the problem. */
static carom_status check_memory(const carom_problem *problem, const carom_solve *solve, carom_error *error)
{
    if (solve->arena && carom_arena_missing(solve->arena))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows: %.4g bytes", problem->n,
                   (double)carom_arena_missing(solve->arena));
    return CAROM_OK;
}

static carom_status solve_general(const carom_problem *problem, const carom_solver *solver, bool brief,
                                  carom_solve *solve, carom_error *error)
{
    workspace w = {0};
    carom_layout layout = {.base = solve->work};
    place(&w, &layout, problem->n, problem->nblock, problem);
    attempt a = {.problem = problem, .solve = solve, .w = &w, .best = INFINITY, .brief = brief};
    solve->iterations = 0;
    if (judge(problem, solve) && !solver)
        return CAROM_OK;
    const char *name = solver ? solver->method.name : "contact problem";
    if (solver && !solver->takes(problem))
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "%s: does not take this problem (%d rows, %d blocks)", name, problem->n,
                   problem->nblock);
    if (!(solve->residual <= DBL_MAX) && !carom_all_finite(problem->n, solve->x)) {
        memset(solve->x, 0, sizeof(double) * (size_t)problem->n);
        judge(problem, solve);
    }
    if (!(solve->residual <= DBL_MAX))
        return refuse(problem, solve, name, CAROM_NO_SOLUTION, error);
    memcpy(w.guess, solve->x, sizeof(double) * (size_t)problem->n);
    carom_reduce(&w.reduced, problem);
    bool good = decide(&a, solver);
    solve->iterations = a.iterations;
    if (good)
        return CAROM_OK;
    CAROM_TRY(check_memory(problem, solve, error));
    if (a.best < INFINITY)
        memcpy(solve->x, w.best, sizeof(double) * (size_t)problem->n);
    judge(problem, solve);
    return refuse(problem, solve, name, a.none && w.reduced.exact ? CAROM_NO_SOLUTION : CAROM_NOT_CONVERGED, error);
}

/* A method that eliminates nothing, on the problem as it is; what it leaves in x is judged once more. */
static carom_status solve_whole(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                carom_error *error)
{
    double standard[CAROM_FIELDS_MAX];
    const double *field = solve->field;
    if (!solve->arena || !solver->takes(problem))
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "%s: does not take this problem (%d rows, %d blocks%s)",
                   solver->method.name, problem->n, problem->nblock,
                   solve->arena ? "" : "; it has no memory for it");
    solve->iterations = solve->factorisations = 0;
    solve->by = solver->method.name;
    solve->none = false;
    if (!carom_all_finite(problem->n, solve->x))
        memset(solve->x, 0, sizeof(double) * (size_t)problem->n);
    judge(problem, solve);
    if (!(solve->residual <= DBL_MAX))
        return refuse(problem, solve, solver->method.name, CAROM_NO_SOLUTION, error);
    if (!field)
        carom_fields_standard(solver->method.fields, standard);
    solve->field = field ? field : standard;
    carom_arena_mark mark = carom_arena_here(solve->arena);
    if (problem->n > 0)
        solver->solve(problem, solve);
    carom_arena_release(solve->arena, mark);
    solve->field = field;
    CAROM_TRY(check_memory(problem, solve, error));
    carom_status failed = solve->none ? CAROM_NO_SOLUTION : CAROM_NOT_CONVERGED;
    return judge(problem, solve) ? CAROM_OK : refuse(problem, solve, solver->method.name, failed, error);
}

static bool has_joints(const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++)
        if (problem->block[k].law == &carom_law_bilateral)
            return true;
    return false;
}

/* Without a name. */
static carom_status solve_any(const carom_problem *problem, carom_solve *solve, carom_error *error)
{
    const carom_solver *strong = &carom_solver_proximal, *mixed = &carom_solver_mixed;
    bool whole = solve->arena && strong->takes(problem);
    carom_census count = carom_problem_census(problem);
    bool large = problem->n > CAROM_SMALL_ROWS || (count.plane > 0 && !carom_census_few(&count));
    bool whole_first = whole && (!solve->work || large || solve->near);
    carom_status status = CAROM_NOT_CONVERGED;
    if (!whole && !solve->work)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "no solver takes this problem (%d rows, %d blocks) in this memory",
                   problem->n, problem->nblock);
    if (whole_first && !solve->judge) {
        bool apart;
        status = carom_components_solve(problem, solve, &apart, error);
        CAROM_TRY(check_memory(problem, solve, error));
        if (apart && judge(problem, solve))
            return CAROM_OK;
        if (apart)
            return refuse(problem, solve, "contact problem", status == CAROM_OK ? CAROM_NOT_CONVERGED : status, error);
        status = CAROM_NOT_CONVERGED;
    }
    if (!whole_first && solve->work)
        status = solve_general(problem, NULL, whole, solve, error);
    if (solve->arena && status == CAROM_NOT_CONVERGED && has_joints(problem) && mixed->takes(problem))
        status = solve_whole(problem, mixed, solve, error);
    if (whole && status == CAROM_NOT_CONVERGED)
        status = solve_whole(problem, strong, solve, error);
    if (whole && solve->work && status == CAROM_NOT_CONVERGED)
        status = solve_general(problem, NULL, false, solve, error);
    return status;
}

/* W as a product: sweeps, then the methods in the velocities of the bodies, which need no W; then the others with a
 * block-sparse one. */
static carom_status solve_bodies(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                  carom_error *error)
{
    const carom_solver *condensed = &carom_solver_condensed;
    carom_problem sparse;
    int spent = 0;
    if (!solver && solve->arena) {
        solve->by = "sweeps";
        if (carom_sweeps_run(problem, solve))
            return CAROM_OK;
        CAROM_TRY(check_memory(problem, solve, error));
        spent = solve->iterations;
    }
    if (!carom_delassus_finite(problem) || !solve->arena)
        return refuse(problem, solve, solve->by, CAROM_NOT_CONVERGED, error);
    bool bodies = solver ? solver->forms & CAROM_PRODUCT : problem->n > CAROM_SMALL_ROWS;
    if (bodies && condensed->takes(problem)) {
        carom_status status = solve_whole(problem, solver ? solver : condensed, solve, error);
        solve->iterations = spent += solve->iterations;
        return status;
    }
    carom_arena_mark mark = carom_arena_here(solve->arena);
    carom_status status = carom_delassus_expand(problem, solve->arena, &sparse, error);
    if (status == CAROM_OK) {
        bool room = solver ? !solver->whole : sparse.n <= CAROM_SMALL_ROWS;
        size_t bytes = room ? carom_solver_work(solver, sparse.n, sparse.nblock) : 0;
        solve->work = room ? carom_arena_alloc(solve->arena, bytes) : NULL;
        if (!room || solve->work)
            status = carom_problem_solve(&sparse, solver, solve, error);
        solve->work = NULL;
        solve->iterations += spent;
    }
    carom_arena_release(solve->arena, mark);
    CAROM_TRY(check_memory(problem, solve, error));
    return status;
}

/* Walls, more than three rows a velocity, are solved to WALL where iterations get there: what looser solutions leave of
 * the velocities makes the next problems hard, and a better one costs next to nothing. */
#define WALL 1e-8
static carom_status solve_product(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                  carom_error *error)
{
    const double asked = solve->tol, enough = solve->enough;
    if (!solver && problem->n > 3 * problem->W.product.nv)
        solve->tol = fmin(asked, WALL), solve->enough = fmax(asked, enough);
    carom_status status = solve_bodies(problem, solver, solve, error);
    bool better = solve->tol < asked;
    solve->tol = asked, solve->enough = enough;
    return status == CAROM_NOT_CONVERGED && better && judge(problem, solve) ? CAROM_OK : status;
}

static carom_status solve_several(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                  carom_error *error)
{
    if (problem->W.product.span)
        return solve_product(problem, solver, solve, error);
    if (!solver)
        return solve_any(problem, solve, error);
    if (solver->whole)
        return solve_whole(problem, solver, solve, error);
    return solve_general(problem, solver, false, solve, error);
}

carom_status carom_problem_solve(const carom_problem *problem, const carom_solver *solver, carom_solve *solve,
                                 carom_error *error)
{
    const carom_block *block = problem->block;
    solve->by = solver ? solver->method.name : "direct";
    solve->factorisations = 0;
    if (problem->nblock == 1 && !solver && !problem->x0 && !block->pinned) {
        if (block->law == &carom_law_unilateral)
            return solve_one_row(problem, solve, error);
        if (block->law->tangents)
            return solve_one_contact(problem, solve, error);
    }
    bool begins = carom_deadline_begin(solve);
    carom_status status = solve_several(problem, solver, solve, error);
    if (begins)
        solve->deadline = 0;
    return status;
}
