/* reference.h: an independent event-driven integrator (classical Runge-Kutta, bisection at impacts) and fits of
 * orders. */
#ifndef CAROM_TEST_REFERENCE_H
#define CAROM_TEST_REFERENCE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carom.h"
#include "core/dense.h"

enum { REFERENCE_MAX = 4 };

static inline void reference_acceleration(const carom_model *m, double t, const double *x, double *dx)
{
    int n = m->nv;
    double M[REFERENCE_MAX * REFERENCE_MAX];
    int pivot[REFERENCE_MAX];
    carom_point at = {t, x, x + n, m->p, m->user, m, NULL};
    m->mass(&at, M);
    m->force(&at, dx + n);
    memcpy(dx, x + n, sizeof(double) * (size_t)n);
    carom_lu(n, M, pivot);
    carom_lu_solve(n, M, pivot, dx + n);
}

static inline void reference_step(const carom_model *m, double t, double h, const double *x, double *y)
{
    int n = 2 * m->nv;
    double k[4][2 * REFERENCE_MAX], z[2 * REFERENCE_MAX];
    const double c[] = {0, 0.5, 0.5, 1}, b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++)
            z[i] = x[i] + (s ? h * c[s] * k[s - 1][i] : 0);
        reference_acceleration(m, t + c[s] * h, z, k[s]);
    }
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        for (int s = 0; s < 4; s++)
            y[i] += h * b[s] * k[s][i];
    }
}

static inline double reference_gap(const carom_model *m, double t, const double *x)
{
    double g[REFERENCE_MAX];
    m->gap(&(carom_point){t, x, x + m->nq, m->p, m->user, m, NULL}, g);
    return g[0];
}

/* One contact without friction: v+ = v- - (1 + e) M^-1 G^T (G M^-1 G^T)^-1 G v-. */
static inline void reference_impact(const carom_model *m, double t, double *x)
{
    int n = m->nv, pivot[REFERENCE_MAX];
    double M[REFERENCE_MAX * REFERENCE_MAX], G[REFERENCE_MAX], y[REFERENCE_MAX], W = 0, u = 0;
    carom_point at = {t, x, x + n, m->p, m->user, m, NULL};
    m->mass(&at, M);
    m->jacobian(&at, G);
    memcpy(y, G, sizeof(double) * (size_t)n);
    carom_lu(n, M, pivot);
    carom_lu_solve(n, M, pivot, y);
    for (int i = 0; i < n; i++)
        W += G[i] * y[i], u += G[i] * x[n + i];
    for (int i = 0; i < n; i++)
        x[n + i] -= (1 + m->contact[0].restitution) * u / W * y[i];
}

/* Goes from t to t_end in steps of at most h, x = (q, v), with impacts at the first contact. */
static inline void reference_run(const carom_model *m, double t, double t_end, double h, double *x)
{
    double y[2 * REFERENCE_MAX];
    size_t bytes = sizeof(double) * (size_t)(2 * m->nv);
    while (t_end - t > 1e-15 * fabs(t_end)) {
        double step = fmin(h, t_end - t), low = 0, high = step;
        reference_step(m, t, step, x, y);
        if (m->ncontact && reference_gap(m, t + step, y) < 0) {
            for (int k = 0; k < 100; k++) {
                double middle = 0.5 * (low + high);
                reference_step(m, t, middle, x, y);
                *(reference_gap(m, t + middle, y) < 0 ? &high : &low) = middle;
            }
            step = low;
            reference_step(m, t, step, x, y);
            reference_impact(m, t + step, y);
            if (step == 0)
                step = 1e-15;
        }
        t += step;
        memcpy(x, y, bytes);
    }
}

/* ---- closed forms ---- */
typedef void exact_solution(double t, double *q, double *v);

static inline void exact_ball(double t, double *q, double *v) /* force -2, e = 1/2, from 1 */
{
    if (t < 1) {
        *q = 1 - t * t, *v = -2 * t;
        return;
    }
    *q = *v = 0;
    for (double p = 1; p > 1e-16; p /= 2)
        if (t >= 3 - 2 * p && t < 3 - p) {
            double s = t - (3 - 2 * p);
            *q = s * (p - s), *v = p - 2 * s;
        }
}

static inline void exact_oscillator(double t, double *q, double *v) /* m=1 c=.2 k=10 from 1, stop at 0, e = 1/2 */
{
    const double a = 0.1, w = sqrt(10 - 0.01), period = M_PI / w;
    const double first = (M_PI - atan(w / a)) / w; /* cos(w t) + a/w sin(w t) = 0 */
    if (t < first) {
        *q = exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
        *v = -exp(-a * t) * (w + a * a / w) * sin(w * t);
        return;
    }
    double u = 0.5 * exp(-a * first) * (w + a * a / w) * sin(w * first), s = t - first;
    for (; s >= period; s -= period)
        u *= 0.5 * exp(-a * period);
    *q = exp(-a * s) * u / w * sin(w * s);
    *v = exp(-a * s) * u * (cos(w * s) - a / w * sin(w * s));
}

/* ---- the most energy that one step gains: an observer's segment callback ---- */
typedef struct energy_watch {
    double energy, most;
    int segments;
} energy_watch;

static inline void watch_energy(void *user, const carom_segment *s)
{
    energy_watch *w = user;
    if (w->segments++)
        w->most = fmax(w->most, s->energy - w->energy);
    w->energy = s->energy;
}

/* Least-squares slope of log(error) against log(h). */
static inline double fitted_order(int n, const double *h, const double *error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double x = log(h[i]), y = log(error[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#endif
