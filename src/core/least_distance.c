/* least_distance.c: the point of a polyhedron that is nearest to 0, by non-negative least squares.
 *
 *   least |E y - f|, y >= 0, f = (0, ..., 0, 1):  r = E y - f                                        (1)
 *   r = 0: g_j . t >= h_j contradict each other; otherwise t_i = -r_i/r_(n+1)                        (2)
 *   (1): columns with E_j . r < 0 are let in, the most negative first; least squares on those inside, and back along
 *   the way there to where the first y becomes 0: it leaves                                          (3)
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
    int *in, *order;        /* [c] [n] */
    int *refused;           /* [c] let in and found useless since the last one that was not */
    double *size, *y, *r;   /* [c] [c] [n] */
    double *A, *b, *z, *work; /* [n*n] [n] [n] [4n] */
} task;

size_t carom_least_distance_work(int n, int c)
{
    size_t rows = (size_t)n + 1;
    return 2 * (size_t)c + rows * rows + 7 * rows;
}

static double column_dot(const task *w, int j, const double *r)
{
    return carom_dot(w->n, w->E + (size_t)j * (size_t)w->n, r) / w->size[j];
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

/* (3), the second half; false: the column let in last is refused */
static bool settle(task *w)
{
    while (w->inside) {
        double step = 1;
        for (int i = 0; i < w->n; i++)
            for (int k = 0; k < w->inside; k++)
                w->A[i * w->inside + k] = w->E[(size_t)w->in[k] * (size_t)w->n + (size_t)i] / w->size[w->in[k]];
        memset(w->b, 0, sizeof(double) * (size_t)w->n);
        w->b[w->n - 1] = 1;
        carom_least_squares(w->n, w->inside, w->A, w->b, w->z, 1e-15, w->work, w->order);
        if (w->y[w->in[w->inside - 1]] == 0 && !(w->z[w->inside - 1] > 0))
            return false;
        for (int k = 0; k < w->inside; k++)
            if (!(w->z[k] > 0))
                step = fmin(step, w->y[w->in[k]] / (w->y[w->in[k]] - w->z[k]));
        int left = 0;
        for (int k = 0; k < w->inside; k++) {
            int j = w->in[k];
            w->y[j] += step * (w->z[k] - w->y[j]);
            if (step < 1 && !(w->z[k] > 0) && w->y[j] <= SMALL)
                w->y[j] = 0;
            else
                w->in[left++] = j;
        }
        if (step == 1)
            return true;
        if (left == w->inside) /* rounding: none has reached 0 */
            return true;
        w->inside = left;
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
    w.r = w.y + c, w.b = w.r + w.n, w.z = w.b + w.n, w.work = w.z + w.n, w.A = w.work + 4 * (size_t)w.n;
    for (int j = 0; j < c; j++) {
        const double *e = E + (size_t)j * (size_t)w.n;
        w.size[j] = sqrt(carom_dot(w.n, e, e));
        w.y[j] = 0, w.refused[j] = false;
    }
    remainder_of(&w);
    for (int round = 0; round < 10 * (c + 1); round++) {
        int best = -1;
        double most = SMALL;
        for (int j = 0; j < c; j++) {
            double pull = w.y[j] > 0 || w.refused[j] || !(w.size[j] > 0) ? 0 : -column_dot(&w, j, w.r);
            if (pull > most)
                most = pull, best = j;
        }
        if (best < 0 || w.inside == w.n)
            break;
        w.in[w.inside++] = best;
        if (!settle(&w)) {
            w.refused[best] = true;
            w.inside--;
            continue;
        }
        memset(w.refused, 0, sizeof *w.refused * (size_t)c);
        remainder_of(&w);
    }
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
