/* least_distance.c: the point of a polyhedron that is nearest to 0, by non-negative least squares.
 *
 *   least |E y - f|, y >= 0, f = (0, ..., 0, 1):  r = E y - f                                        (1)
 *   r = 0: g_j . t >= h_j contradict each other; otherwise t_i = -r_i/r_(n+1)                        (2)
 *   (1): columns with E_j . r < 0 are let in, the most negative first; least squares on those inside, and back along
 *   the way there to where the first y becomes 0: it leaves                                          (3)
 *       Q E_j of those inside is triangular: one that comes is reflected, after one that leaves rows are rotated (5)
 *   t is exact to rounding over r_(n+1)^2 only. The least t with g_j . t = h_j of those inside is exact to rounding;
 *   whichever breaks its inequalities by less is taken                                               (4)
 *
 * C. L. Lawson, R. J. Hanson, Solving Least Squares Problems (1974), chapter 23. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/least_distance.h"

#define SMALL 1e-13 /* of unit columns */

typedef struct task {
    int n, c, inside;       /* rows; columns, those that are let in */
    const double *E;
    double *T, *f;          /* [n*c] [n] Q E and Q f, Q so that those inside are triangular                  (5) */
    int *in, *order;        /* [c] [n] */
    int *refused;           /* [c] let in and found useless since the last one that was not */
    double *size, *y, *r;   /* [c] [c] [n] */
    double *A, *b, *z, *work; /* [n*n] [n] [n] [4n] */
} task;

size_t carom_least_distance_work(int n, int c)
{
    size_t rows = (size_t)n + 1;
    return (2 + rows) * (size_t)c + rows * rows + 8 * rows;
}

static double *column_of(const task *w, int j)
{
    return w->T + (size_t)j * (size_t)w->n;
}

/* r = E y - f */
static void remainder_of(task *w)
{
    memset(w->r, 0, sizeof(double) * (size_t)w->n);
    w->r[w->n - 1] = -1;
    for (int k = 0; k < w->inside; k++)
        for (int i = 0; i < w->n; i++)
            w->r[i] += w->E[(size_t)w->in[k] * (size_t)w->n + (size_t)i] / w->size[w->in[k]] * w->y[w->in[k]];
}

/* -E_j . r, with the least squares on those inside */
static double pull_of(const task *w, int j)
{
    return carom_dot(w->n - w->inside, column_of(w, j) + w->inside, w->f + w->inside);
}

/* Column j is let in: reflected, and all that follows with it, so that it ends at row `inside`; false: it lies in the
 * space of those inside.                                                                                        (5) */
static bool let_in(task *w, int j)
{
    int k = w->inside, m = w->n - k;
    double *v = column_of(w, j) + k, size = sqrt(carom_dot(m, v, v)), end = v[0] > 0 ? -size : size;
    if (!(size > SMALL))
        return false;
    v[0] -= end;
    double half = carom_dot(m, v, v) / 2;
    for (int i = 0; i <= w->c; i++) {
        double *x = (i < w->c ? column_of(w, i) : w->f) + k;
        if (i == j || (i < w->c && w->y[i] > 0)) /* those inside are 0 there */
            continue;
        double along = carom_dot(m, v, x) / half;
        for (int l = 0; l < m; l++)
            x[l] -= along * v[l];
    }
    v[0] = end;
    memset(v + 1, 0, sizeof *v * (size_t)(m - 1));
    w->in[w->inside++] = j;
    return true;
}

/* The column at this place among those inside leaves; those after it are rotated to be triangular again.         (5) */
static void let_out(task *w, int place)
{
    w->inside--;
    for (int k = place; k < w->inside; k++)
        w->in[k] = w->in[k + 1];
    for (int k = place; k < w->inside; k++) {
        const double *x = column_of(w, w->in[k]) + k;
        double size = hypot(x[0], x[1]), c = size > 0 ? x[0] / size : 1, s = size > 0 ? x[1] / size : 0;
        for (int i = 0; i <= w->c; i++) {
            double *y = (i < w->c ? column_of(w, i) : w->f) + k, first = y[0];
            y[0] = c * first + s * y[1], y[1] = c * y[1] - s * first;
        }
    }
}

/* The least squares on those inside: z */
static void solve_inside(task *w)
{
    for (int k = w->inside - 1; k >= 0; k--) {
        double sum = w->f[k];
        for (int l = k + 1; l < w->inside; l++)
            sum -= column_of(w, w->in[l])[k] * w->z[l];
        w->z[k] = sum / column_of(w, w->in[k])[k];
    }
}

/* (3), the second half; false: the column let in last is refused */
static bool settle(task *w)
{
    while (w->inside) {
        double step = 1;
        int before = w->inside;
        solve_inside(w);
        if (w->y[w->in[w->inside - 1]] == 0 && !(w->z[w->inside - 1] > 0))
            return false;
        for (int k = 0; k < w->inside; k++)
            if (!(w->z[k] > 0))
                step = fmin(step, w->y[w->in[k]] / (w->y[w->in[k]] - w->z[k]));
        for (int k = w->inside - 1; k >= 0; k--) {
            int j = w->in[k];
            w->y[j] += step * (w->z[k] - w->y[j]);
            if (step < 1 && !(w->z[k] > 0) && w->y[j] <= SMALL) {
                w->y[j] = 0;
                let_out(w, k);
            }
        }
        if (step == 1 || w->inside == before) /* rounding: none has reached 0 */
            return true;
    }
    return true;
}

/* How far t is outside of the planes. */
static double excess(const task *w, const double *t)
{
    double most = 0;
    for (int j = 0; j < w->c; j++) {
        const double *e = w->E + (size_t)j * (size_t)w->n;
        if (w->size[j] > 0)
            most = fmax(most, (e[w->n - 1] - carom_dot(w->n - 1, e, t)) / w->size[j]);
    }
    return most;
}

/* (4) */
static void meet(task *w, double *t)
{
    int n = w->n - 1;
    for (int k = 0; k < w->inside; k++) {
        const double *e = w->E + (size_t)w->in[k] * (size_t)w->n;
        for (int i = 0; i < n; i++)
            w->A[k * n + i] = e[i] / w->size[w->in[k]];
        w->b[k] = e[n] / w->size[w->in[k]];
    }
    carom_least_squares(w->inside, n, w->A, w->b, t, 1e-14, w->work, w->order);
}

bool carom_least_distance(int n, int c, const double *E, double *t, double *y, double *work, int *order)
{
    task w = {.n = n + 1, .c = c, .E = E, .order = order, .size = work, .y = work + c};
    w.in = order + w.n, w.refused = w.in + c;
    w.r = w.y + c, w.b = w.r + w.n, w.z = w.b + w.n, w.f = w.z + w.n, w.work = w.f + w.n;
    w.A = w.work + 4 * (size_t)w.n, w.T = w.A + (size_t)w.n * (size_t)w.n;
    for (int j = 0; j < c; j++) {
        const double *e = E + (size_t)j * (size_t)w.n;
        w.size[j] = sqrt(carom_dot(w.n, e, e));
        w.y[j] = 0, w.refused[j] = false;
        for (int i = 0; i < w.n; i++)
            column_of(&w, j)[i] = w.size[j] > 0 ? e[i] / w.size[j] : 0;
    }
    memset(w.f, 0, sizeof *w.f * (size_t)w.n);
    w.f[w.n - 1] = 1;
    for (int round = 0; round < 10 * (c + 1); round++) {
        int best = -1;
        double most = SMALL;
        for (int j = 0; j < c; j++) {
            double pull = w.y[j] > 0 || w.refused[j] || !(w.size[j] > 0) ? 0 : pull_of(&w, j);
            if (pull > most)
                most = pull, best = j;
        }
        if (best < 0 || w.inside == w.n)
            break;
        bool useful = let_in(&w, best);
        if (useful && !settle(&w))
            let_out(&w, w.inside - 1), useful = false;
        if (useful)
            memset(w.refused, 0, sizeof *w.refused * (size_t)c);
        else
            w.refused[best] = true;
    }
    remainder_of(&w);
    for (int j = 0; y && j < c; j++)
        y[j] = w.size[j] > 0 ? w.y[j] / w.size[j] : 0;
    if (sqrt(carom_dot(w.n, w.r, w.r)) <= 1e-9)                                  /* (2) */
        return false;
    for (int i = 0; i < n; i++)
        t[i] = w.r[i] /= -w.r[n];
    double outside = excess(&w, t);
    if (w.inside && outside > 0) {                                               /* (4) */
        meet(&w, t);
        double met = excess(&w, t);
        if (!(met < outside))
            carom_copy(n, w.r, t);
        outside = fmin(outside, met);
    }
    return outside <= SMALL * (1 + sqrt(carom_dot(n, t, t))); /* else: contradictions below the rounding of r */
}
