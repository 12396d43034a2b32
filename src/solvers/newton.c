/* newton.c: semismooth Newton method for contacts without friction (an LCP).
 *
 *   rows scaled to a unit diagonal; u = W x + b
 *   F_i = x_i + u_i - sqrt(x_i^2 + u_i^2)   (Fischer-Burmeister), or  F_i = min(x_i, u_i)                   (1)
 *   (A + B W) dx = -F,  A = dF/dx, B = dF/du of each row                                                    (2)
 *   step t = 1, 1/2, ...: |F|^2/2 falls by 1e-4 t of what (2) promises; if that fails the steepest descent  (3)
 *
 * Quadratic near a solution that is regular. Limits: F may have a least value that is no solution if W is no P0
 * matrix; it cannot show that there is no solution. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"

enum { ITERATIONS, FUNCTION };
static const carom_field fields[] = {
    [ITERATIONS] = {"iterations", CAROM_FIELD_INT, 200, 1, 1e6, NULL, "at most"},
    [FUNCTION] = {"function", CAROM_FIELD_ENUM, 0, 0, 0, "fischer-burmeister min", "F"},
    {0},
};

typedef struct workspace {
    double *J;                   /* [n*n] */
    double *d, *x, *u, *F, *dx, *trial, *slope; /* [n] scale; in scaled rows */
    double *A, *B;               /* [n] */
    int *pivot;                  /* [n] */
} workspace;

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    return count.line + count.plane + count.other == 0;
}

static void place(workspace *w, carom_layout *layout, int n)
{
    double **arrays[] = {&w->d, &w->x, &w->u, &w->F, &w->dx, &w->trial, &w->slope, &w->A, &w->B};
    CAROM_PLACE(layout, w->J, (size_t)n * (size_t)n);
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        CAROM_PLACE(layout, *arrays[i], n);
    CAROM_PLACE(layout, w->pivot, n);
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    (void)nblock;
    place(&w, &layout, n);
    return layout.used;
}

/* (1) and its derivatives at scaled x; returns |F|^2/2 */
static double function(const workspace *w, const carom_problem *p, bool minimum, const double *x)
{
    int n = p->n;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double *W = p->W.dense + (size_t)i * (size_t)n;
        double u = p->b[i];
        for (int j = 0; j < n; j++)
            u += W[j] * w->d[j] * x[j];
        u *= w->d[i];
        double size = sqrt(x[i] * x[i] + u * u);
        if (minimum) {
            w->F[i] = x[i] < u ? x[i] : u;
            w->A[i] = x[i] < u, w->B[i] = !(x[i] < u);
        } else {
            w->F[i] = x[i] + u - size;
            w->A[i] = size > 0 ? 1 - x[i] / size : 1 - sqrt(0.5);
            w->B[i] = size > 0 ? 1 - u / size : 1 - sqrt(0.5);
        }
        sum += w->F[i] * w->F[i] / 2;
    }
    return sum;
}

/* (2), and slope = J^T F */
static void direction(const workspace *w, const carom_problem *p)
{
    size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            w->J[i * n + j] = w->B[i] * w->d[i] * p->W.dense[i * n + j] * w->d[j] + (i == j ? w->A[i] : 0);
    carom_multiply_t(p->n, p->n, w->J, w->F, w->slope);
    for (size_t i = 0; i < n; i++)
        w->dx[i] = -w->F[i];
    if (carom_lu(p->n, w->J, w->pivot))
        carom_lu_solve(p->n, w->J, w->pivot, w->dx);
    double along = carom_dot(p->n, w->slope, w->dx), size = carom_dot(p->n, w->slope, w->slope);
    if (!carom_all_finite(p->n, w->dx) || !(along < -1e-10 * size))                      /* (3) */
        for (size_t i = 0; i < n; i++)
            w->dx[i] = -w->slope[i];
}

static void solve(const carom_problem *p, carom_solve *s)
{
    workspace w;
    carom_layout layout = {.base = s->work};
    int n = p->n, most = (int)s->field[ITERATIONS];
    bool minimum = s->field[FUNCTION] != 0;
    place(&w, &layout, n);
    for (int i = 0; i < n; i++) {
        double diagonal = p->W.dense[(size_t)i * (size_t)(n + 1)];
        w.d[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        w.x[i] = s->x[i] / w.d[i];
    }
    double merit = function(&w, p, minimum, w.x);
    for (s->iterations = 0; s->iterations < most; s->iterations++) {
        for (int i = 0; i < n; i++)
            s->x[i] = fmax(0, w.d[i] * w.x[i]);
        if (carom_problem_relative(p, s->tol, s->x, w.u, NULL) <= s->tol)
            return;
        direction(&w, p);
        double along = carom_dot(n, w.slope, w.dx), t = 1, next = INFINITY;
        for (int k = 0; k < 40 && !(next <= merit + 1e-4 * t * along); k++, t /= 2) {    /* (3) */
            for (int i = 0; i < n; i++)
                w.trial[i] = w.x[i] + t * w.dx[i];
            next = function(&w, p, minimum, w.trial);
        }
        if (!(next < merit))
            return;
        merit = next;
        carom_copy(n, w.trial, w.x);
    }
}

const carom_solver carom_solver_newton = {
    .method = {.name = "newton", .doc = "semismooth Newton method; contacts without friction",
               .ref = "De Luca, Facchinei and Kanzow (1996), Math. Programming 75, 407-439", .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
