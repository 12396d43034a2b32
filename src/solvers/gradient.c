/* gradient.c: accelerated projected gradient, with friction by de Saxce's change; scaled problem (scaled.h).
 *
 *   v(y) = u + (mu |u_t|, 0, 0),  u = W y + b;  equations: v = u                                                    (1)
 *   r' = P(y - v(y)/L), P the projection on the cone of admissible impulses                                         (2)
 *   L |d|^2 >= d.W d with d = r' - y; otherwise L <- 1.5 L and (2) once more                                       (3)
 *   y' = r' + (t - 1)/t' (r' - r),  t' = (1 + sqrt(1 + 4 t^2))/2                                                    (4)
 *   t' = 1 again, y' = r', when y turns back, (y - r').(r' - r) > 0, or when L |d| has grown to twice its least     (5)
 *
 * (4): Nesterov, Soviet Math. Dokl. 27 (1983) 372-376; the first part of (5): O'Donoghue and Candes, Found. Comput.
 * Math. 15 (2015) 715-732. The second is for friction, whose term in (1) is the gradient of nothing: momentum can feed
 * on it. W y follows from W r' and W r, so that a step takes one product with W, and nothing is factored: memory and
 * time of a step are in proportion to the contacts. Limits: linear convergence at best, slow where impulses have to
 * pass through many bodies; no proof with friction; it cannot show that there is no solution. */
#include <math.h>

#include "core/dense.h"
#include "solvers/points.h"

enum { ITERATIONS };
static const carom_field fields[] = {
    [ITERATIONS] = {"iterations", CAROM_FIELD_INT, 100000, 1, 1e9, NULL, "at most"},
    {0},
};
enum { LOOK = 10 }; /* steps between two looks at the residual */

typedef struct step { /* sums over all rows */
    double length, curvature; /* |d|^2, d.W d */
    double back;              /* (y - r').(r' - r) */
} step;

/* (1), (2): trial = r' of y = c, whose u is F; trial_u = W r' + b */
static step project(carom_points *p, double L)
{
    step s = {0, 0, 0};
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = p->row[k + 1] - first;
        const double *y = p->c + first, *u = p->F + first;
        double v[3] = {0}, slip = 0, *r = p->trial + first;
        for (int i = 1; i < rows; i++)
            slip += u[i] * u[i];
        for (int i = 0; i < rows; i++)
            v[i] = y[i] - (u[i] + (i || p->part[k] != CAROM_PART_CONTACT ? 0 : p->mu[k] * sqrt(slip))) / L;
        if (p->part[k] == CAROM_PART_CONTACT)
            p->block[k].law->project(p->block[k].c, v, r);
        else
            for (int i = 0; i < rows; i++)
                r[i] = p->part[k] == CAROM_PART_NONE ? 0 : v[i];
    }
    p->form->velocity(p, p->trial, p->trial_u);
    for (int i = 0; i < p->n; i++) {
        double d = p->trial[i] - p->c[i];
        s.length += d * d;
        s.curvature += d * (p->trial_u[i] - p->F[i]);
        s.back -= d * (p->trial[i] - p->r[i]);
    }
    return s;
}

/* (4): r, u, and y = c with its u = F */
static void advance(carom_points *p, double momentum)
{
    for (int i = 0; i < p->n; i++) {
        p->c[i] = p->trial[i] + momentum * (p->trial[i] - p->r[i]);
        p->F[i] = p->trial_u[i] + momentum * (p->trial_u[i] - p->u[i]);
        p->r[i] = p->trial[i];
        p->u[i] = p->trial_u[i];
    }
}

static void descend(carom_points *p, void *work)
{
    double t = 1, L = 1, least = INFINITY;
    (void)work;
    p->form->velocity(p, p->r, p->u);
    carom_copy(p->n, p->r, p->c);
    carom_copy(p->n, p->u, p->F);
    if (p->form->offer(p, p->r))
        return;
    for (int k = 1; k <= (int)p->solve->field[ITERATIONS]; k++) {
        step s = project(p, L);
        p->solve->iterations++;
        if (s.curvature > L * s.length * (1 + 1e-9)) {                                   /* (3) */
            L *= 1.5;
            continue;
        }
        double size = L * L * s.length, next = (1 + sqrt(1 + 4 * t * t)) / 2;
        bool again = s.back > 0 || size > 4 * least;                                     /* (5) */
        advance(p, again ? 0 : (t - 1) / next);
        t = again ? 1 : next;
        least = again ? size : fmin(least, size);
        if (k % LOOK == 0 && (p->form->offer(p, p->r) || carom_expired(p->solve, p->deadline)))
            return;
    }
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_points_with(problem, s, &(carom_points_method){carom_no_work, descend});
}

const carom_solver carom_solver_gradient = {
    .method = {.name = "accelerated-gradient", .doc = "projected gradient with restart; every size, no factorisation",
               .ref = "Nesterov (1983), Soviet Math. Dokl. 27, 372-376", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE | CAROM_PRODUCT,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = carom_no_work,
    .solve = solve,
};
