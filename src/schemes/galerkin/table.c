/* table.c: coefficients of the time-discontinuous Galerkin families on [0, 1], computed in long double.
 * Source: T. Schindler, V. Acary, Math. Comput. Simulation 95 (2013) 180-199, (46), (47), (65)-(75).
 *
 *   c_l = (1 - cos(pi l/M))/2,  l_k the Lagrange polynomials on c_0 .. c_M                                    (1)
 *   beta_k = int_0^1 l_k,   A[l][k] = int_0^{c_l} l_k                                         (46)            (2)
 *   D-:  m_k on c_0 .. c_{M-1},   Av[l][k] = int_0^{c_l} m_k,  Av[l][M] = 0                   (74)            (3)
 *   D+:  m_k on c_1 .. c_M,       Av[l][0] = beta_0,
 *        Av[l][k] = int_0^{c_l} m_k - beta_0 m_k(0),   s_l = Av[l][M]/beta_M                  (69), (70)      (4)
 *   M = 0:  one stage at the start, Av = A = 0 (D-), or at the end, Av = A = s = 1 (D+); beta = 1             (5)
 *   chebyshev[j][l] = w_j w_l (2/M) cos(pi j l/M),   w_0 = w_M = 1/2, else 1                                  (6)
 *   T_0 = 1, T_1 = 1 - 2 x, T_j+1 = 2 (1 - 2 x) T_j - T_j-1: integers, exact                                  (7)
 *
 * The integrals are Gauss-Legendre sums of the polynomials in product form: exact up to rounding, where powers of x
 * would cancel. */
#include <math.h>
#include <string.h>

#include "schemes/galerkin/table.h"

enum { GAUSS = 7, N = CAROM_GALERKIN_STAGES }; /* 7 points are exact up to degree 13 */

static const long double pi = 3.14159265358979323846264338327950288L;

typedef struct rule {
    long double x[GAUSS], w[GAUSS]; /* on [0, 1] */
} rule;

/* The Legendre polynomial of degree GAUSS and its derivative */
static long double legendre(long double x, long double *slope)
{
    long double before = 1, now = x;
    for (int n = 1; n < GAUSS; n++) {
        long double next = ((2 * n + 1) * x * now - n * before) / (n + 1);
        before = now, now = next;
    }
    *slope = GAUSS * (x * now - before) / (x * x - 1);
    return now;
}

static void gauss(rule *r)
{
    for (int i = 0; i < GAUSS; i++) {
        long double x = cosl(pi * (i + 0.75L) / (GAUSS + 0.5L)), slope = 1;
        for (int k = 0; k < 8; k++)
            x -= legendre(x, &slope) / slope;
        legendre(x, &slope);
        r->x[i] = (1 - x) / 2;
        r->w[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* The Lagrange polynomial of node k on nodes first .. last */
static long double lagrange(const long double *c, int first, int last, int k, long double x)
{
    long double product = 1;
    for (int j = first; j <= last; j++)
        if (j != k)
            product *= (x - c[j]) / (c[k] - c[j]);
    return product;
}

static long double integral(const rule *r, const long double *c, int first, int last, int k, long double upper)
{
    long double sum = 0;
    for (int i = 0; i < GAUSS; i++)
        sum += r->w[i] * lagrange(c, first, last, k, upper * r->x[i]);
    return upper * sum;
}

/* (6), (7): the way over Chebyshev polynomials multiplies large powers with small coefficients only. */
static void dense(carom_galerkin_table *t)
{
    int M = t->M;
    for (int j = 0; j <= M; j++)
        for (int l = 0; l <= M; l++) {
            long double weight = (j % M ? 1 : 0.5L) * (l % M ? 1 : 0.5L) * 2 / M;
            t->chebyshev[j][l] = weight * cosl(pi * (j * l % (2 * M)) / M);                    /* (6) */
        }
    t->power[0][0] = t->power[1][0] = 1, t->power[1][1] = -2;
    for (int j = 1; j < M; j++)
        for (int i = 0; i <= j + 1; i++)
            t->power[j + 1][i] = 2 * t->power[j][i] - (i ? 4 * t->power[j][i - 1] : 0) - t->power[j - 1][i]; /* (7) */
}

static void velocities(carom_galerkin_table *t, const rule *r, const long double *c)
{
    int M = t->M;
    long double beta_0 = integral(r, c, 0, M, 0, 1), beta_M = integral(r, c, 0, M, M, 1);
    for (int l = 0; l <= M; l++) {
        for (int k = 0; k < M && !t->plus; k++)
            t->Av[l][k] = (double)integral(r, c, 0, M - 1, k, c[l]);                          /* (3) */
        if (!t->plus)
            continue;
        t->Av[l][0] = (double)beta_0;
        for (int k = 1; k <= M; k++) {
            long double a = integral(r, c, 1, M, k, c[l]) - beta_0 * lagrange(c, 1, M, k, 0);  /* (4) */
            t->Av[l][k] = (double)a;
            if (k == M)
                t->s[l] = (double)(a / beta_M);
        }
    }
}

void carom_galerkin_table_build(carom_galerkin_table *table, bool plus, int degree)
{
    carom_galerkin_table *t = table;
    long double c[N];
    rule r;
    memset(t, 0, sizeof *t);
    t->M = degree, t->plus = plus, t->built = true;
    if (degree == 0) {
        t->c[0] = t->A[0][0] = t->Av[0][0] = t->AA[0][0] = t->s[0] = plus;                     /* (5) */
        t->beta[0] = t->chebyshev[0][0] = t->power[0][0] = 1;
        return;
    }
    gauss(&r);
    for (int l = 0; l <= degree; l++) {
        long double half = sinl(pi * l / (2 * degree));
        c[l] = half * half;                                                                    /* (1) */
        t->c[l] = (double)c[l];
    }
    for (int k = 0; k <= degree; k++) {
        t->beta[k] = (double)integral(&r, c, 0, degree, k, 1);                                 /* (2) */
        for (int l = 0; l <= degree; l++)
            t->A[l][k] = (double)integral(&r, c, 0, degree, k, c[l]);
    }
    velocities(t, &r, c);
    for (int l = 0; l <= degree; l++)
        for (int k = 0; k <= degree; k++)
            for (int j = 0; j <= degree; j++)
                t->AA[l][k] += t->A[l][j] * t->Av[j][k];
    dense(t);
}
