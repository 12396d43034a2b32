/* anderson.c: Anderson's acceleration; formulas in anderson.h. */
#include "core/anderson.h"

#include <float.h>
#include <math.h>

#include "core/dense.h"

enum { MEMORY = CAROM_ANDERSON_MEMORY };

void carom_anderson_place(carom_anderson *a, carom_layout *layout, int n)
{
    for (int i = 0; i < MEMORY; i++) {
        CAROM_PLACE(layout, a->df[i], n);
        CAROM_PLACE(layout, a->ds[i], n);
    }
    CAROM_PLACE(layout, a->f, n);
    CAROM_PLACE(layout, a->last_f, n);
    CAROM_PLACE(layout, a->last_s, n);
    a->n = n;
}

static void forget(carom_anderson *a)
{
    a->have = a->next = 0;
    a->started = false;
    a->before = INFINITY;
}

void carom_anderson_begin(carom_anderson *a, const double *weight)
{
    a->weight = weight;
    a->growth = 100;
    forget(a);
}

static double dot(const carom_anderson *a, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; a->weight && i < a->n; i++)
        sum += a->weight[i] * x[i] * y[i];
    return a->weight ? sum : carom_dot(a->n, x, y);
}

static void remember(carom_anderson *a, const double *s)
{
    if (a->started) {
        for (int i = 0; i < a->n; i++) {
            a->df[a->next][i] = a->f[i] - a->last_f[i];
            a->ds[a->next][i] = s[i] - a->last_s[i];
        }
        a->have = a->have < MEMORY ? a->have + 1 : MEMORY;
        for (int i = 0; i < a->have; i++) {
            int first = i > a->next ? i : a->next, second = i > a->next ? a->next : i;
            a->gram[first][second] = dot(a, a->df[first], a->df[second]);
        }
        a->next = (a->next + 1) % MEMORY;
    }
    carom_copy(a->n, a->f, a->last_f);
    carom_copy(a->n, s, a->last_s);
    a->started = true;
}

/* (1) */
static void combine(const carom_anderson *a, const double *s, double *x)
{
    int m = a->have;
    double A[MEMORY * MEMORY], c[MEMORY];
    for (int i = 0; i < m; i++) {
        c[i] = dot(a, a->df[i], a->f);
        for (int j = 0; j <= i; j++)
            A[i * m + j] = A[j * m + i] = a->gram[i][j];
    }
    for (int i = 0; i < m; i++)
        A[i * m + i] *= 1 + 1e-10;
    carom_copy(a->n, s, x);
    if (m == 0 || !carom_cholesky(m, A))
        return;
    carom_cholesky_solve(m, A, c);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < a->n; i++)
            x[i] -= c[k] * a->ds[k][i];
}

double carom_anderson_next(carom_anderson *a, double *x, const double *s)
{
    for (int i = 0; i < a->n; i++)
        a->f[i] = s[i] - x[i];
    double size = dot(a, a->f, a->f);
    if (!(size <= DBL_MAX))
        return size;
    if (size > a->growth * a->before) {                                                  /* (2) */
        carom_copy(a->n, a->last_s, x);
        forget(a);
        return size;
    }
    a->before = size;
    remember(a, s);
    combine(a, s, x);
    return size;
}
