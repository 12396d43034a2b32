/* spline.c: measured functions y(x) as piecewise cubics.
 *   spline  C2: interpolates with continuous second derivative; the third is continuous too across the second and the
 *           last but one point (not-a-knot), so that data of one cubic give back that cubic. Three points: a parabola.
 *   pchip   C1 and monotone where the data are: F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984).
 *   linear  C0.
 * At a point the piece to its right counts. Outside the data value and slope go on linearly, or it all repeats. */
#include <stdlib.h>
#include <string.h>

#include "expr/pool.h"

/* Solves lower[i] z[i-1] + diagonal[i] z[i] + upper[i] z[i+1] = z[i], diagonally dominant; destroys diagonal. */
static void solve_tridiagonal(int n, const double *lower, double *diagonal, const double *upper, double *z)
{
    for (int i = 1; i < n; i++) {
        double factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        z[i] -= factor * z[i - 1];
    }
    for (int i = n - 1; i >= 0; i--)
        z[i] = (z[i] - (i + 1 < n ? upper[i] * z[i + 1] : 0)) / diagonal[i];
}

static double step(const carom_expr_data *d, int i)
{
    return d->x[i + 1] - d->x[i];
}

static double secant(const carom_expr_data *d, int i)
{
    return (d->y[i + 1] - d->y[i]) / step(d, i);
}

/* Second derivatives s[n] with not-a-knot ends, work[3n]:
 *   h[i-1] s[i-1] + 2 (h[i-1]+h[i]) s[i] + h[i] s[i+1] = 6 (secant[i] - secant[i-1])
 * with s[0] and s[n-1] eliminated through the equality of the third derivatives. */
static void not_a_knot(const carom_expr_data *d, double *s, double *work)
{
    int n = d->n;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n;
    for (int i = 1; i < n - 1; i++) {
        lower[i] = step(d, i - 1), upper[i] = step(d, i);
        diagonal[i] = 2 * (lower[i] + upper[i]);
        s[i] = 6 * (secant(d, i) - secant(d, i - 1));
    }
    if (n < 3) {
        memset(s, 0, sizeof *s * (size_t)n);
        return;
    }
    double h0 = step(d, 0), h1 = step(d, 1), k0 = step(d, n - 2), k1 = step(d, n - 3);
    if (n == 3) {
        s[0] = s[1] = s[2] = s[1] / (3 * (h0 + h1));
        return;
    }
    diagonal[1] += h0 + h0 * h0 / h1;
    upper[1] -= h0 * h0 / h1;
    diagonal[n - 2] += k0 + k0 * k0 / k1;
    lower[n - 2] -= k0 * k0 / k1;
    solve_tridiagonal(n - 2, lower + 1, diagonal + 1, upper + 1, s + 1);
    s[0] = s[1] + (s[1] - s[2]) * h0 / h1;
    s[n - 1] = s[n - 2] + (s[n - 2] - s[n - 3]) * k0 / k1;
}

/* The same system closed to a ring of n - 1 unknowns, by Sherman and Morrison; work[5n]. */
static void ring(const carom_expr_data *d, double *s, double *work)
{
    int n = d->n, m = n - 1;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *u = work + 3 * n, *copy = work + 4 * n;
    for (int i = 0; i < m; i++) {
        int before = (i + m - 1) % m;
        lower[i] = step(d, before), upper[i] = step(d, i);
        diagonal[i] = 2 * (lower[i] + upper[i]);
        s[i] = 6 * (secant(d, i) - secant(d, before));
        u[i] = 0;
    }
    if (m == 1) {
        s[0] = 0;
    } else if (m == 2) {
        s[0] /= upper[0] + lower[0]; /* s[1] = -s[0] */
        s[1] = -s[0];
    } else {
        double corner = lower[0], gamma = -diagonal[0]; /* lower[0] = upper[m-1]: the corner of a symmetric ring */
        diagonal[0] -= gamma;
        diagonal[m - 1] -= corner * corner / gamma;
        u[0] = gamma, u[m - 1] = corner;
        memcpy(copy, diagonal, sizeof *copy * (size_t)m);
        solve_tridiagonal(m, lower, diagonal, upper, s);
        solve_tridiagonal(m, lower, copy, upper, u);
        double factor = (s[0] + corner * s[m - 1] / gamma) / (1 + u[0] + corner * u[m - 1] / gamma);
        for (int i = 0; i < m; i++)
            s[i] -= factor * u[i];
    }
    s[m] = s[0];
}

/* A slope that keeps monotone data monotone, from the secants on both sides. */
static double between(double h0, double h1, double d0, double d1)
{
    if (!(d0 * d1 > 0))
        return 0;
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* The three-point slope at an end, limited to keep the shape. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (!(slope * d0 > 0))
        return 0;
    return d0 * d1 <= 0 && fabs(slope) > 3 * fabs(d0) ? 3 * d0 : slope;
}

static void shape_slopes(const carom_expr_data *d, double *slope)
{
    int n = d->n;
    for (int i = 1; i < n - 1; i++)
        slope[i] = between(step(d, i - 1), step(d, i), secant(d, i - 1), secant(d, i));
    if (d->periodic) {
        slope[0] = slope[n - 1] = between(step(d, n - 2), step(d, 0), secant(d, n - 2), secant(d, 0));
    } else if (n == 2) {
        slope[0] = slope[1] = secant(d, 0);
    } else {
        slope[0] = end_slope(step(d, 0), step(d, 1), secant(d, 0), secant(d, 1));
        slope[n - 1] = end_slope(step(d, n - 2), step(d, n - 3), secant(d, n - 2), secant(d, n - 3));
    }
}

static void pieces(const carom_expr_data *d, const double *s, double *coefficient)
{
    for (int i = 0; i < d->n - 1; i++) {
        double h = step(d, i), c = secant(d, i), *k = coefficient + 4 * i;
        k[0] = d->y[i];
        if (d->kind == CAROM_TABLE_LINEAR) {
            k[1] = c;
        } else if (d->kind == CAROM_TABLE_PCHIP) {
            k[1] = s[i];
            k[2] = (3 * c - 2 * s[i] - s[i + 1]) / h;
            k[3] = (s[i] + s[i + 1] - 2 * c) / (h * h);
        } else {
            k[1] = c - h * (2 * s[i] + s[i + 1]) / 6;
            k[2] = s[i] / 2;
            k[3] = (s[i + 1] - s[i]) / (6 * h);
        }
    }
}

static double horner(const double *k, int order, double s)
{
    switch (order) {
    case 0: return k[0] + s * (k[1] + s * (k[2] + s * k[3]));
    case 1: return k[1] + s * (2 * k[2] + s * (3 * k[3]));
    case 2: return 2 * k[2] + s * (6 * k[3]);
    case 3: return 6 * k[3];
    default: return 0;
    }
}

static bool build(carom_spline *t, const carom_expr_data *data)
{
    size_t n = (size_t)data->n;
    double *work = calloc(6 * n, sizeof *work);
    if (!work)
        return false;
    memcpy(t->x, data->x, sizeof *t->x * n);
    if (data->n == 1) {
        t->coefficient[0] = data->y[0];
    } else {
        if (data->kind == CAROM_TABLE_PCHIP)
            shape_slopes(data, work);
        else if (data->kind == CAROM_TABLE_SPLINE && data->periodic)
            ring(data, work, work + n);
        else if (data->kind == CAROM_TABLE_SPLINE)
            not_a_knot(data, work, work + n);
        pieces(data, work, t->coefficient);
        const double *last = t->coefficient + 4 * (n - 2);
        double h = step(data, data->n - 2);
        t->coefficient[4 * (n - 1)] = horner(last, 0, h);
        t->coefficient[4 * (n - 1) + 1] = horner(last, 1, h);
    }
    free(work);
    return true;
}

static bool sound(const carom_expr_data *data)
{
    for (int i = 1; i < data->n; i++) {
        if (!(data->x[i] > data->x[i - 1]))
            return false;
    }
    return data->n > 0 && data->n < INT_MAX / 64;
}

int carom_expr_add_table(carom_expr_pool *pool, const char *name, const carom_expr_data *data)
{
    if (!sound(data))
        return -1;
    carom_spline **tables = realloc(pool->table, sizeof *tables * ((size_t)pool->ntable + 1));
    if (!tables)
        return -1;
    pool->table = tables;
    carom_spline *t = calloc(1, sizeof *t);
    if (!t)
        return -1;
    *t = (carom_spline){.n = data->n, .references = 1, .periodic = data->periodic && data->n > 1};
    t->kinks = data->kind != CAROM_TABLE_SPLINE;
    t->degree = data->kind == CAROM_TABLE_LINEAR ? 1 : 3;
    t->name = strdup(name);
    t->x = malloc(sizeof *t->x * (size_t)data->n);
    t->coefficient = calloc(4 * (size_t)data->n, sizeof *t->coefficient);
    if (!t->name || !t->x || !t->coefficient || !build(t, data)) {
        carom_spline_release(t);
        return -1;
    }
    pool->table[pool->ntable] = t;
    return pool->ntable++;
}

void carom_spline_release(carom_spline *t)
{
    if (__atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(t->name);
    free(t->x);
    free(t->coefficient);
    free(t);
}

int carom_expr_find_table(const carom_expr_pool *pool, const char *name)
{
    for (int i = 0; i < pool->ntable; i++) {
        if (strcmp(pool->table[i]->name, name) == 0)
            return i;
    }
    return -1;
}

double carom_spline_value(const carom_spline *t, int order, double x)
{
    double first = t->x[0], last = t->x[t->n - 1];
    if (t->periodic)
        x = first + carom_op_mod(x - first, last - first);
    if (x < first) {
        const double *k = t->coefficient;
        return order == 0 ? k[0] + k[1] * (x - first) : order == 1 ? k[1] : 0;
    }
    int high = t->n - 1, low = x > last ? high : 0; /* x[low] <= x < x[high], or the continuation */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x < t->x[middle])
            high = middle;
        else
            low = middle;
    }
    return horner(t->coefficient + 4 * low, order, x - t->x[low]);
}
