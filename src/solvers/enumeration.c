/* enumeration.c: every combination of modes is tried.
 *
 *   without friction   closed, open                               2 per contact
 *   planar friction    stick, slip forward, slip backward, open   4 per contact
 *   without a normal   stick, slip forward, slip backward         3 per contact
 *   spatial friction   stick, slip, open                          3 per contact                          (1)
 *   y from the equations of the modes (modes.c), judged by the residual of the problem                   (2)
 *
 * Order: the last contact changes fastest, each runs through its modes as listed, so redundant contacts share the load
 * (smallest y) and 'all open' comes last. The first combination that is exact to rounding is taken, otherwise the best.
 * Without spatial friction it is exhaustive: if nothing fits there is no solution (but for redundant contacts that a
 * smallest y overloads while another y would do). A spatial slip is sought by Newton's method from one direction, which
 * may miss it. Limits: 4096 combinations, 729 if some are spatial. */
#include <math.h>
#include <string.h>

#include "solvers/parts.h"

enum { ROWS = 18 }; /* at most: six spatial contacts; without friction or in the plane 12 */
static const carom_field fields[] = {{0}};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    return carom_census_few(&count);
}

bool carom_census_few(const carom_census *count)
{
    double combinations = count->other == 0 ? 1 : INFINITY;
    for (int i = 0; i < count->frictionless + 2 * count->line && combinations <= 4096; i++)
        combinations *= 2;
    for (int i = 0; i < count->plane && combinations <= 4096; i++)
        combinations *= 3;
    return combinations <= (count->plane ? 729 : 4096);
}

typedef struct workspace {
    carom_modes modes;
    double *start, *y, *u; /* [n] */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock)
{
    n = CAROM_MIN(n, ROWS);
    nblock = CAROM_MIN(nblock, ROWS);
    carom_modes_place(&w->modes, layout, n, nblock, n);
    CAROM_PLACE(layout, w->start, n);
    CAROM_PLACE(layout, w->y, n);
    CAROM_PLACE(layout, w->u, n);
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used;
}

/* Where Newton's method begins: 0, but spatial slips need a direction: of the first guess, or against the motion. */
static void start(const carom_problem *problem, const double *guess, double *y)
{
    for (int i = 0; i < problem->n; i++)
        y[i] = 0;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (block->law->tangents < 2)
            continue;
        double mu = block->law->mu(block->c);
        const double *x = guess + block->row, *b = problem->b + block->row;
        double t = hypot(x[1], x[2]), c = t > 0 ? 1 : -1, length = t > 0 ? t : hypot(b[1], b[2]);
        double n = fmax(x[0], 1e-3 * fabs(b[0]) / problem->W.dense[(size_t)block->row * (size_t)(problem->n + 1)]);
        const double *d = t > 0 ? x : b;
        y[block->row] = n;
        y[block->row + 1] = length > 0 ? c * mu * n * d[1] / length : mu * n;
        y[block->row + 2] = length > 0 ? c * mu * n * d[2] / length : 0;
    }
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    carom_layout layout = {.base = s->work};
    place(&w, &layout, problem->n, problem->nblock);
    size_t bytes = sizeof(double) * (size_t)problem->n;
    double best = INFINITY, good = fmin(s->tol, 1e-13);
    carom_modes_first(&w.modes, problem);
    start(problem, s->x, w.start);
    memset(s->x, 0, bytes);
    s->iterations = 0;
    do {
        s->iterations++;
        memcpy(w.y, w.start, bytes);
        if (!carom_modes_solve(&w.modes, problem, w.y))
            continue;
        double r = carom_problem_relative(problem, s->tol, w.y, w.u, NULL);                            /* (2) */
        if (r < best) {
            best = r;
            memcpy(s->x, w.y, bytes);
        }
    } while (best > good && carom_modes_next(&w.modes, problem));
    s->none = best > s->tol && carom_problem_census(problem).plane == 0;
}

const carom_solver carom_solver_enumeration = {
    .method = {.name = "enumeration", .doc = "tries every combination of modes; small problems, exhaustive",
               .ref = "", .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
