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

/* |f|^2, f = s - x; the sums are those of dot. */
static double size_of(const carom_anderson *a, const double *x, const double *s)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++) {
        double f = s[i] - x[i];
        sum += a->weight ? a->weight[i] * f * f : f * f;
    }
    return sum;
}

/* f takes the place of the oldest difference, whose product with it is returned. */
static double replace(const carom_anderson *a, const double *x, const double *s, double *df)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++) {
        double f = s[i] - x[i];
        sum += a->weight ? a->weight[i] * df[i] * f : df[i] * f;
        df[i] = f;
    }
    return sum;
}

/* The differences from the iteration before, whose f and s(x) stand where they go. */
static void remember(carom_anderson *a, const double *x, const double *s)
{
    double *df = a->df[a->next], *ds = a->ds[a->next];
    if (!a->started)
        return;
    for (int i = 0; i < a->n; i++) {
        df[i] = s[i] - x[i] - df[i];
        ds[i] = s[i] - ds[i];
    }
    a->have = a->have < MEMORY ? a->have + 1 : MEMORY;
    for (int i = 0; i < a->have; i++) {
        int first = i > a->next ? i : a->next, second = i > a->next ? a->next : i;
        a->gram[first][second] = dot(a, a->df[first], a->df[second]);
    }
    a->next = (a->next + 1) % MEMORY;
}

/* (1) for the f in df[next]: c of the others; that of the oldest is there. false: there are none, or they depend. */
static bool coefficients(const carom_anderson *a, double *c)
{
    int m = a->have;
    double A[MEMORY * MEMORY];
    for (int i = 0; i < m; i++) {
        if (i != a->next)
            c[i] = dot(a, a->df[i], a->df[a->next]);
        for (int j = 0; j <= i; j++)
            A[i * m + j] = A[j * m + i] = a->gram[i][j];
    }
    for (int i = 0; i < m; i++)
        A[i * m + i] *= 1 + 1e-10;
    if (m == 0 || !carom_cholesky(m, A))
        return false;
    carom_cholesky_solve(m, A, c);
    return true;
}

/* (1); f and s(x) stay in the place of the oldest differences, which nobody needs any more. */
static void combine(carom_anderson *a, const double *s, double *x)
{
    double c[MEMORY];
    c[a->next] = replace(a, x, s, a->df[a->next]);
    bool any = coefficients(a, c);
    carom_copy(a->n, s, x);
    for (int k = 0; any && k < a->have; k++)
        for (int i = 0; i < a->n; i++)
            x[i] -= c[k] * a->ds[k][i];
    carom_copy(a->n, s, a->ds[a->next]);
    a->started = true;
}

double carom_anderson_next(carom_anderson *a, double *x, const double *s)
{
    double size = size_of(a, x, s);
    if (!(size <= DBL_MAX))
        return size;
    if (size > a->growth * a->before) {                                                  /* (2) */
        carom_copy(a->n, a->ds[a->next], x);
        forget(a);
        return size;
    }
    a->before = size;
    remember(a, x, s);
    combine(a, s, x);
    return size;
}
