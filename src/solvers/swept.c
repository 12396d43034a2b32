/* swept.c: Newton's method whose steps Gauss-Seidel repairs: piles in which many contacts change their mode at once.
 *
 *   scaled problem (scaled.h), dr the direction of alart_curnier.c (4) at r with a = c R, R the natural map
 *       r(t) = P(r + t dr), swept 10 times; t = 1, 1/4, 1/16; P: each impulse into its cone, r_n >= 0 first         (1)
 *       the first whose R is below the largest of the last 6 is taken; with t = 1: c <- c/4                         (2)
 *       none is: r is swept 20 times, c <- 10 c, beyond 1000 as at first                                            (3)
 *   until it is solved or R has not fallen to half in as many steps as the caller has patience for
 *
 * (After Silcowitz, Niebuhr and Erleben, Projected Gauss-Seidel subspace minimization, GRAPP 2010.) A step of Newton's
 * method carries impulses through the whole pile and leaves wrong modes here and there; sweeps put those right and
 * carry nothing far. Where |F|^2 has a least value that is no solution, Newton's method ends and this goes on.
 * Limits: no proof of convergence with friction; sweeps may lead away from a solution, slowly (its mode of sliding is
 * unstable), and then the two work against each other. */
#include <limits.h>
#include <math.h>

#include "core/dense.h"
#include "solvers/points.h"

static const carom_field fields[] = {{"steps", CAROM_FIELD_INT, 200, 1, 1e6, NULL, "at most"}, {0}};
#define FIRST 1e-2 /* c */
#define LEAST 1e-4
#define MOST 1e3
enum { MEMORY = 6, TRIES = 3, SWEEPS = 10 };

static void into_cones(const carom_points *p, double *r)
{
    for (int k = 0; k < p->nblock; k++) {
        int rows = p->row[k + 1] - p->row[k];
        double *x = r + p->row[k], size = 0;
        if (p->part[k] != CAROM_PART_CONTACT)
            continue;
        x[0] = fmax(x[0], 0);
        for (int i = 1; i < rows; i++)
            size += x[i] * x[i];
        double most = p->mu[k] * x[0];
        for (int i = 1; size > most * most && i < rows; i++)
            x[i] *= most / sqrt(size);
    }
}

static double swept(carom_points *p, int sweeps)
{
    p->form->sweep(p, sweeps);
    p->form->velocity(p, p->r, p->u);
    return p->form->residual(p, p->r, p->u);
}

/* (1), (2): the number of the step that was taken, TRIES: none; *R that after it */
static int search(carom_points *p, double bound, double *R)
{
    double t = 1;
    carom_copy(p->n, p->r, p->c);
    carom_copy(p->n, p->dr, p->trial);
    for (int k = 0; k < TRIES; k++, t /= 4) {
        for (int i = 0; i < p->n; i++)
            p->r[i] = p->c[i] + t * p->trial[i];
        into_cones(p, p->r);
        *R = swept(p, SWEEPS);
        if (*R < bound)
            return k;
    }
    carom_copy(p->n, p->c, p->r);
    return TRIES;
}

bool carom_swept_run(carom_points *p, int most, int patience)
{
    double history[MEMORY], c = FIRST, R = INFINITY, half = INFINITY;
    for (int k = 0, since = 0; !p->form->offer(p, p->r); k++) {
        if (k == most || since == patience || carom_points_over(p))
            return false;
        p->form->velocity(p, p->r, p->u);
        if (k == 0)
            R = p->form->residual(p, p->r, p->u);
        history[k % MEMORY] = R;
        since = R < 0.5 * half ? 0 : since + 1;
        half = since ? half : R;
        double bound = 0;
        for (int i = 0; i < CAROM_MIN(k + 1, MEMORY); i++)
            bound = fmax(bound, history[i]);
        p->a = fmax(c * R, p->form->least);
        p->form->function(p, p->u, p->r, p->F, true);
        p->solve->iterations++;
        int step = p->form->direction(p) ? search(p, (1 - 1e-3) * bound, &R) : TRIES;
        if (step == TRIES) {
            R = swept(p, 2 * SWEEPS);                                                    /* (3) */
            c = 10 * c > MOST ? FIRST : 10 * c;
        } else if (step == 0)
            c = fmax(c / 4, LEAST);
    }
    return true;
}

static void run(carom_points *p, void *work)
{
    (void)work;
    if (carom_norm_max(p->n, p->r) == 0)
        p->form->sweep(p, 3 * SWEEPS);
    carom_swept_run(p, (int)p->solve->field[0], INT_MAX);
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_points_with(problem, s, &(carom_points_method){carom_no_work, run});
}

const carom_solver carom_solver_swept = {
    .method = {.name = "swept-newton", .doc = "Newton's method whose steps Gauss-Seidel repairs; every size, sparse",
               .ref = "after Silcowitz, Niebuhr and Erleben (2010), GRAPP", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE | CAROM_PRODUCT,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = carom_no_work,
    .solve = solve,
};
