/* nsgs.c: nonsmooth Gauss-Seidel with a polish.
 *
 *   sweep over the contacts i:   q = b_i + sum_(j != i) W_ij y_j                                     (1)
 *                                z solves the law of contact i for u = W_ii z + q, exactly            (2)
 *                                y_i <- P_K(y_i + w (z - y_i))                                       (3)
 *   after 1, 2, 4, 8, ... sweeps: read the modes off y, solve their equations (modes.c)              (4)
 *                                where they contradict the law change the modes and solve again      (5)
 *   at the end:                  contacts at rest (u = 0) that slip or are open by (5) stick, if the
 *                                smallest y that goes with it fulfils the law                        (6)
 *
 * (1)-(3) converge linearly, slowly for long chains of contacts and for many redundant ones; (4) ends the iteration as
 * soon as the modes are right, to rounding, and (5), a semismooth Newton method, lets it happen early. Among redundant
 * solutions the smallest is tried first, then the one nearest to y; (6) keeps redundant contacts from resting at the
 * limit of friction, from where the next step would let them slip. Limits: no proof of convergence with friction; it
 * cannot show that there is no solution. Polishing is left out for more than 150 active rows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/scaled.h"

enum { POLISH_ROWS = 150, EXCHANGES = 10 };
enum { ITERATIONS, RELAXATION, POLISH };
static const carom_field fields[] = {
    [ITERATIONS] = {"iterations", CAROM_FIELD_INT, 10000, 1, 1e9, NULL, "sweeps at most"},
    [RELAXATION] = {"relaxation", CAROM_FIELD_DOUBLE, 1, 0.01, 1.99, NULL,
                    "w: over 1 faster or not at all, under 1 damped"},
    [POLISH] = {"polish", CAROM_FIELD_BOOL, 1, 0, 1, NULL, "solve the equations of the modes found"},
    {0},
};

static bool takes(const carom_problem *problem)
{
    (void)problem;
    return true;
}

typedef struct workspace {
    carom_modes modes;
    double *y, *trial, *u; /* [n] */
    double best;           /* relative residual of the x returned */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock)
{
    carom_modes_place(&w->modes, layout, n, nblock, CAROM_MIN(n, POLISH_ROWS));
    CAROM_PLACE(layout, w->y, n);
    CAROM_PLACE(layout, w->trial, n);
    CAROM_PLACE(layout, w->u, n);
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used;
}

/* One sweep; returns the largest change of u it makes, by the diagonal of W. */
static double sweep(const carom_problem *problem, double *y, double relaxation)
{
    double change = 0;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        int rows = block->law->rows, first = block->row, stride;
        double q[3] = {0, 0, 0}, z[3] = {0, 0, 0};
        carom_delassus_others(problem, k, y, q);                                         /* (1) */
        const double *W = carom_delassus_block(problem, k, k, &stride);
        block->law->solve_single(block->c, W, stride, q, z);                             /* (2) */
        if (relaxation != 1) {
            double relaxed[3] = {0, 0, 0};
            for (int i = 0; i < rows; i++)
                relaxed[i] = y[first + i] + relaxation * (z[i] - y[first + i]);
            block->law->project(block->c, relaxed, z);                                   /* (3) */
        }
        for (int i = 0; i < rows; i++) {
            double difference = fabs(z[i] - y[first + i]) * W[i * (stride + 1)];
            change = !(difference <= change) ? difference : change;
            y[first + i] = z[i];
        }
    }
    return change;
}

/* Keeps y as the result if it is better; true if it is good enough. */
static bool offer(const carom_problem *problem, workspace *w, carom_solve *s, const double *y)
{
    double r = carom_problem_relative(problem, s->tol, y, w->u, NULL);
    if (r < w->best) {
        w->best = r;
        memcpy(s->x, y, sizeof(double) * (size_t)problem->n);
    }
    return r <= s->tol;
}

static int active_rows(const carom_problem *problem, const workspace *w)
{
    int active = 0;
    for (int k = 0; k < problem->nblock; k++)
        active += w->modes.mode[k] != CAROM_OPEN ? problem->block[k].law->rows : 0;
    return active;
}

static bool polish(const carom_problem *problem, workspace *w, carom_solve *s)
{
    carom_modes_guess(&w->modes, problem, w->y);
    if (active_rows(problem, w) > POLISH_ROWS)
        return false;
    for (int nearest = 0; nearest < 2; nearest++) {                                      /* (4) */
        w->modes.nearest = nearest;
        memcpy(w->trial, w->y, sizeof(double) * (size_t)problem->n);
        carom_modes_guess(&w->modes, problem, w->trial);
        for (int k = 0; k < EXCHANGES; k++) {
            if (!carom_modes_solve(&w->modes, problem, w->trial))
                break;
            if (offer(problem, w, s, w->trial))
                return true;
            if (!carom_modes_exchange(&w->modes, problem, w->u, w->trial))               /* (5) */
                break;
        }
    }
    return false;
}

/* (6) */
static void balance(const carom_problem *problem, workspace *w, carom_solve *s)
{
    bool changed = false; /* w->u is that of s->x, which was offered last */
    double still = 1e-9 * carom_problem_scale(problem, s->x);
    carom_modes_guess(&w->modes, problem, s->x);
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        carom_mode held = carom_law_held(block->law);
        bool rests = w->modes.mode[k] != held;
        for (int i = 0; i < block->law->rows; i++)
            rests = rests && fabs(w->u[block->row + i]) <= still;
        changed = changed || rests;
        w->modes.mode[k] = rests ? held : w->modes.mode[k];
    }
    if (!changed || active_rows(problem, w) > POLISH_ROWS)
        return;
    w->modes.nearest = false;
    w->best = fmax(w->best, CAROM_MIN(s->tol, 1e-13)); /* as good to rounding is good enough */
    memcpy(w->trial, s->x, sizeof(double) * (size_t)problem->n);
    if (carom_modes_solve(&w->modes, problem, w->trial))
        offer(problem, w, s, w->trial);
}

static bool settled(const carom_problem *problem, double change, const double *y)
{
    return change <= DBL_EPSILON * carom_problem_scale(problem, y);
}

static bool is_checkpoint(int k)
{
    return k < 64 ? (k & (k - 1)) == 0 : k % 64 == 0;
}

/* Cycles are rare and broken by damping: w, w/2, w/4, w/8 for 128 sweeps each after the first 128, and again. */
static double damped(double relaxation, int k)
{
    return k <= 128 ? relaxation : relaxation / (double)(1 << k / 128 % 4);
}

static bool all_modes_known(const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++)
        if (!carom_modes_know(problem->block[k].law))
            return false;
    return true;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    carom_layout layout = {.base = s->work};
    place(&w, &layout, problem->n, problem->nblock);
    w.best = INFINITY;
    memcpy(w.y, s->x, sizeof(double) * (size_t)problem->n);
    int most = (int)s->field[ITERATIONS];
    bool polishes = s->field[POLISH] != 0 && all_modes_known(problem);
    for (s->iterations = 1; s->iterations <= most && !carom_cancelled(s); s->iterations++) {
        double change = sweep(problem, w.y, damped(s->field[RELAXATION], s->iterations));
        if (!(change <= DBL_MAX))
            return;
        bool looks = is_checkpoint(s->iterations) || s->iterations >= most;
        if (!looks && !settled(problem, change, w.y))
            continue;
        bool done = polishes && polish(problem, &w, s);
        if (done)
            balance(problem, &w, s);
        if (done || offer(problem, &w, s, w.y) || settled(problem, change, w.y) ||
            (s->iterations >= 64 && carom_expired(s, carom_deadline(s))))
            return;
    }
    s->iterations = CAROM_MIN(s->iterations, most);
}

const carom_solver carom_solver_nsgs = {
    .method = {.name = "nsgs", .doc = "nonsmooth Gauss-Seidel with a polish; every law and size",
               .ref = "Jourdan, Alart and Jean (1998), Comput. Methods Appl. Mech. Engrg. 155, 31-47",
               .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
