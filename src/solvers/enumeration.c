/* enumeration.c: every combination of modes is tried.
 *
 *   without friction   closed, open                               2 per contact
 *   planar friction    stick, slip forward, slip backward, open   4 per contact                          (1)
 *   y from the equations of the modes (modes.c), judged by the residual of the problem                   (2)
 *
 * Order: the last contact changes fastest, each runs through its modes as listed, so redundant contacts share the load
 * (smallest y) and 'all open' comes last. The first combination that is exact to rounding is taken, otherwise the best.
 * Exhaustive: if nothing fits there is no solution. Limits: at most 4096 combinations, no spatial friction (its slip
 * directions form a continuum). */
#include <math.h>
#include <string.h>

#include "solvers/parts.h"

enum { COMBINATIONS = 4096 };

static const carom_field fields[] = {{0}};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    return count.spatial == 0 && count.frictionless + 2 * count.planar <= 12;
}

typedef struct workspace {
    carom_modes modes;
    double *y, *u; /* [n] */
} workspace;

static void place(workspace *w, carom_carver *carver, int n, int nblock)
{
    carom_modes_place(&w->modes, carver, n, nblock);
    w->y = CAROM_CARVE(carver, double, n);
    w->u = CAROM_CARVE(carver, double, n);
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_carver carver = {NULL, 0};
    place(&w, &carver, n, nblock);
    return carver.used;
}

/* The next combination (1); false after the last. */
static bool advance(const carom_problem *problem, unsigned char *mode)
{
    for (int k = problem->nblock - 1; k >= 0; k--) {
        if (mode[k] != CAROM_FIX_OPEN) {
            mode[k] = problem->block[k].law->rows == 1 ? CAROM_FIX_OPEN : mode[k] + 1;
            return true;
        }
        mode[k] = CAROM_FIX_STICK;
    }
    return false;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    carom_carver carver = {s->work, 0};
    place(&w, &carver, problem->n, problem->nblock);
    size_t bytes = sizeof(double) * (size_t)problem->n;
    double best = INFINITY, good = fmin(s->tol, 1e-13);
    memset(w.modes.mode, CAROM_FIX_STICK, (size_t)problem->nblock);
    memset(s->x, 0, bytes);
    s->iterations = 0;
    do {
        s->iterations++;
        memset(w.y, 0, bytes);
        if (!carom_modes_solve(&w.modes, problem, w.y))
            continue;
        double r = carom_problem_residual(problem, w.y, w.u, NULL) / carom_problem_scale(problem, w.y); /* (2) */
        if (r < best) {
            best = r;
            memcpy(s->x, w.y, bytes);
        }
    } while (best > good && s->iterations < COMBINATIONS && advance(problem, w.modes.mode));
}

const carom_solver carom_solver_enumeration = {
    .method = {.name = "enumeration", .doc = "tries every combination of modes; small problems, exhaustive",
               .ref = "", .fields = fields},
    .takes = takes,
    .work = work,
    .solve = solve,
};
