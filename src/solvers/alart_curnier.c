/* alart_curnier.c: Alart and Curnier's function of a contact, whose zeros are the solutions of its law, and Newton's
 * method on it.
 *
 *   p_n = s/W_nn,  p_t = s/mean W_tt,  s = 3; of many bodies see condensed.c
 *   F_n = r_n - [r_n - p_n u_n]+                                                                                (1)
 *   F_t = r_t - (projection of r_t - p_t u_t on the disc of radius mu [r_n - p_n u_n]+)                         (2)
 *   |r| <= c alone:  F = r - (projection of r - p u on [-c, c]),  p = s/W                                       (2')
 *   equations: F = u;  what is open by its pin: F = r                                                           (3)
 *   Newton's method, scaled problem (scaled.h) u = W r + b, A = dF/du, B = dF/dr:
 *       (A (W + a) + B) dr = -F,  du = W dr                                                                     (4)
 *       step t = 1, 1/2, ...: |F|^2 falls below the largest of the last 8                                       (5)
 *       a = c |F|; |F| has risen: c <- 4 c; it is the least so far: c <- c/4, not below what it was at first    (6)
 *       no step is short enough: c <- 10 c from the same r; beyond a = 10 ten sweeps of Gauss-Seidel, c as at first (7)
 *
 * (Alart and Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375.) (4) is solved by the form of W (points.h):
 * blocks of contacts, or the velocities of bodies. a makes redundant contacts regular and vanishes with |F|, so that
 * steps near a solution are Newton's; the solutions are what they were. Limits: |F|^2 may have a least value that is no
 * solution, from which (7) leads away or not; it cannot show that there is no solution. */
#include <math.h>

#include "core/dense.h"
#include "solvers/points.h"

static bool of_contact(int rows, double mu, double pn, double pt, const double *u, const double *r, double *F,
                       double *A, double *B)
{
    double sn = r[0] - pn * u[0], radius = sn > 0 ? mu * sn : 0, st[2] = {0, 0}, size = 0;
    bool open = !(sn > 0);
    F[0] = open ? r[0] : pn * u[0];                                                      /* (1) */
    if (A)
        A[0] = open ? 0 : pn, B[0] = open ? 1 : 0;
    for (int i = 1; i < rows; i++)
        st[i - 1] = r[i] - pt * u[i];
    size = sqrt(st[0] * st[0] + st[1] * st[1]);
    bool sticks = size <= radius && !open;
    for (int i = 1; i < rows; i++) {
        double e = size > 0 ? st[i - 1] / size : 0;
        F[i] = sticks ? pt * u[i] : r[i] - radius * e;                                   /* (2) */
        if (!A)
            continue;
        A[i] = B[i] = 0;
        A[3 * i] = open || sticks ? 0 : mu * pn * e;
        B[3 * i] = open || sticks ? 0 : -mu * e;
        for (int j = 1; j < rows; j++) {
            double turn = open || sticks ? 0 : radius / size * ((i == j) - e * st[j - 1] / size);
            A[3 * i + j] = sticks ? pt * (i == j) : pt * turn;
            B[3 * i + j] = sticks ? 0 : (i == j) - turn;
        }
    }
    return open;
}

static bool of_bounded(double most, double p, double u, double r, double *F, double *A, double *B)
{
    double s = r - p * u;
    bool slips = !(fabs(s) <= most);
    F[0] = slips ? r - copysign(most, s) : p * u;                                        /* (2') */
    if (A)
        A[0] = slips ? 0 : p, B[0] = slips;
    return slips;
}

bool carom_alart_curnier(int part, int rows, double mu, const double *W, double scale, double s, const double *u,
                         const double *r, double *F, double *A, double *B)
{
    if (part == CAROM_PART_CONTACT) {
        double wn = scale * W[0], wt = 0; /* mean of the tangents */
        for (int i = 1; i < rows; i++)
            wt += scale * W[i * (rows + 1)] / (rows - 1);
        return of_contact(rows, mu, wn > 0 ? s / wn : s, wt > 0 ? s / wt : s, u, r, F, A, B);
    }
    if (part == CAROM_PART_BOUNDED)
        return of_bounded(mu, scale * W[0] > 0 ? s / (scale * W[0]) : s, u[0], r[0], F, A, B);
    bool open = part == CAROM_PART_NONE;
    for (int i = 0; i < rows; i++)
        F[i] = open ? r[i] : u[i];                                                       /* (3) */
    for (int i = 0; A && i < 9; i++)
        A[i] = !open && i % 4 == 0, B[i] = open && i % 4 == 0;
    return open;
}

/* ---- Newton's method ---- */

enum { SWEEPS, ITERATIONS, REGULAR };
static const carom_field fields[] = {
    [SWEEPS] = {"sweeps", CAROM_FIELD_INT, 30, 0, 1e6, NULL, "Gauss-Seidel sweeps before, if there is no guess"},
    [ITERATIONS] = {"iterations", CAROM_FIELD_INT, 1000, 1, 1e6, NULL, "at most"},
    [REGULAR] = {"c", CAROM_FIELD_DOUBLE, 1e-2, 1e-12, 1, NULL, "regularisation over |F| at first"},
    {0},
};
enum { MEMORY = 8, ASTRAY = 10 };

/* (4), (5); false: no step */
static bool step(carom_points *p, double bound, double *merit)
{
    if (!p->form->direction(p))
        return false;
    for (int i = 0; i < p->n; i++)
        p->du[i] -= p->a * p->dr[i];
    return carom_points_search(p, bound, merit);
}

void carom_newton_run(carom_points *p, double regular, int most)
{
    double history[MEMORY], c = regular;
    p->form->velocity(p, p->r, p->u);
    double merit = p->form->function(p, p->u, p->r, p->F, false), least = merit;
    for (int k = 0, known = 0; k < most && !p->form->offer(p, p->r); k++) {
        if (carom_points_over(p))
            return;
        p->a = fmax(c * sqrt(2 * merit), p->form->least);                                /* (6) */
        p->form->velocity(p, p->r, p->u);
        double before = merit = p->form->function(p, p->u, p->r, p->F, true), bound = 0;
        history[known++ % MEMORY] = merit;
        for (int i = 0; i < CAROM_MIN(known, MEMORY); i++)
            bound = fmax(bound, history[i]);
        p->solve->iterations++;
        if (step(p, bound, &merit)) {
            c = merit < least ? fmax(c / 4, regular) : merit > before ? 4 * c : c;
            least = fmin(least, merit);
            continue;
        }
        c *= 10;                                                                         /* (7) */
        known--;
        if (c * sqrt(2 * merit) > 10) {
            p->form->sweep(p, ASTRAY);
            c = regular;
            known = 0, least = INFINITY;
        }
    }
}

static void newton(carom_points *p, void *work)
{
    const double *field = p->solve->field;
    (void)work;
    if (carom_norm_max(p->n, p->r) == 0)
        p->form->sweep(p, (int)field[SWEEPS]);
    carom_newton_run(p, field[REGULAR], (int)field[ITERATIONS]);
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_points_with(problem, s, &(carom_points_method){carom_no_work, newton});
}

const carom_solver carom_solver_alart_curnier = {
    .method = {.name = "alart-curnier", .doc = "semismooth Newton method with friction; every size, sparse",
               .ref = "Alart and Curnier (1991), Comput. Methods Appl. Mech. Engrg. 92, 353-375", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE | CAROM_PRODUCT,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = carom_no_work,
    .solve = solve,
};
