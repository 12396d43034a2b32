/* stiff.c: stiff motion under error control: Radau IIA of order 5 in place of the explicit pair, and when.
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sections IV.2 and IV.8.
 *
 *   e = ((g/h) 1 - J)^-1 (f(y) + (d_1 z_1 + d_2 z_2 + d_3 z_3)/h),  z_i = Y_i - y,
 *   g the real eigenvalue of the inverse of (a_ij),
 *   3 d = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1):  the embedded estimate, of order 3                           (1)
 *   when it is too large, once more with f(y + e): what is damped at once does not shorten the step          (2)
 *   in q and v:  ((g/h) 1 - a_v - (h/g) a_q) e_v = r_v + (h/g) a_q r_q,   e_q = (h/g) (e_v + r_q)            (3)
 *   stiff:      mean of min(5, h r) > 2.5 over 9 steps of the explicit pair, r the largest eigenvalue of the
 *               motion by the power method, one evaluation in 3 steps                                        (4)
 *   no longer:  h (|a_v| + sqrt |a_q|) < 1                                                                    (5)
 *   Newton's method starts from the polynomial through the accelerations at the stages of the step before       (6)
 *   h' = h 0.9 |e|^(-1/4) min(1, h/h_old (|e_old|/|e|)^(1/4)): it foresees that errors grow (Gustafsson)         (7)
 *
 * A stable step of the explicit pair is about h r = 3.3 at most, and it stays there when stability alone limits it.
 * (The customary h |a_7 - a_6|/|Y_7 - Y_6| is free but blind: both stages lie along the slow motion, 0.05 was seen at
 * the border.) Events are located by repeating the implicit step with another length. */
#include <math.h>
#include <string.h>

#include "core/eigen.h"
#include "schemes/piecewise/piecewise.h"

#define REAL_EIGENVALUE 3.6378342527444957322 /* 30/(6 + 81^(1/3) - 9^(1/3)) */
#define R6 2.4494897427831780982

/* What is remembered: about the choice, about the last implicit step (its length, 0: none), and its accelerations. */
enum { STIFF, SUM, COUNT, EIGENVALUE, GROWTH, RATE, LENGTH, NORM, ACCELERATIONS, STEPS = 9, EVERY = 3, STAGES = 3 };

int carom_stiff_memory(const carom_system *system)
{
    return ACCELERATIONS + STAGES * system->nv;
}

static double *watch(const carom_step *s)
{
    return s->memory_next + carom_piecewise_memory(s->system) - carom_stiff_memory(s->system);
}

static const double *last(const carom_step *s)
{
    return s->memory + carom_piecewise_memory(s->system) - carom_stiff_memory(s->system);
}

void carom_stiff_ended(const carom_step *s, double x)
{
    double *m = watch(s);
    m[LENGTH] = m[LENGTH] == x ? x : 0;
}

/* (6) */
bool carom_stiff_guess(const carom_step *s, carom_piecewise *w, double x)
{
    const double *m = last(s), *A = m + ACCELERATIONS, *c = w->tableau->c;
    int nv = s->system->nv;
    bool known = m[LENGTH] > 0 && x < 5 * m[LENGTH];
    w->stages.rate = m[RATE];
    for (int k = 0; k < STAGES; k++) {
        double at = known ? 1 + c[k] * x / m[LENGTH] : 0;
        double l0 = (at - c[1]) * (at - c[2]) / ((c[0] - c[1]) * (c[0] - c[2])),
               l1 = (at - c[0]) * (at - c[2]) / ((c[1] - c[0]) * (c[1] - c[2])), l2 = 1 - l0 - l1;
        for (int i = 0; i < nv; i++)
            w->ka[k][i] = known ? l0 * A[i] + l1 * A[nv + i] + l2 * A[2 * nv + i] : w->start.a[i];
    }
    return known;
}

/* (7) */
double carom_stiff_factor(const carom_step *s, const carom_piecewise *w, double x, double norm)
{
    const double *m = last(s);
    double plain = norm > 0 ? 0.9 * pow(norm, -0.25) : 5;
    (void)w;
    return norm > 0 && m[LENGTH] > 0
               ? CAROM_MIN(plain, plain * x / m[LENGTH] * pow(CAROM_MAX(m[NORM], 1e-2) / norm, 0.25))
               : plain;
}

void carom_stiff_choose(const carom_step *s, carom_piecewise *w, carom_stiff_method method)
{
    w->watches = method == CAROM_STIFF_AUTO;
    bool implicit = method == CAROM_STIFF_RADAU5 || (method == CAROM_STIFF_AUTO && watch(s)[STIFF] != 0);
    w->tableau = implicit ? carom_tableau_list(CAROM_TABLEAU_RADAU5) : NULL;
}

/* (3), with r in stages.change (r_q, r_v), e out in the same place. */
static void smooth_out(const carom_system *sys, carom_piecewise *w, double x)
{
    const double g = REAL_EIGENVALUE;
    carom_rk_stages *n = &w->stages;
    int nv = sys->nv;
    double *r_q = n->change, *r_v = n->change + nv;
    for (int i = 0; i < nv; i++)
        r_v[i] += x / g * carom_dot(nv, n->a_q + i * nv, r_q);
    carom_kept_lu_solve(&n->estimate, r_v);
    sys->info->linear_solves++;
    for (int i = 0; i < nv; i++)
        r_q[i] = x / g * (r_v[i] + r_q[i]);
}

static carom_status factor(carom_step *s, carom_piecewise *w, double x)
{
    const double g = REAL_EIGENVALUE;
    carom_rk_stages *n = &w->stages;
    int nv = s->system->nv;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            n->matrix[i * nv + j] = (i == j ? g / x : 0) - n->a_v[i * nv + j] - x / g * n->a_q[i * nv + j];
    if (!carom_kept_lu_factor(&n->estimate, nv, n->matrix))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "tolerance: the matrix of the error estimate is singular at t = %.10g with a step of %.3g",
                   s->now->t, x);
    return CAROM_OK;
}

/* (1) with the velocity v and acceleration a as f. */
static void estimate(const carom_system *sys, carom_piecewise *w, double x, const double *v, const double *a)
{
    static const double d[] = {-(13 + 7 * R6) / 3, (-13 + 7 * R6) / 3, -1.0 / 3};
    double *r_q = w->stages.change, *r_v = r_q + sys->nv;
    for (int i = 0; i < sys->nv; i++) {
        r_q[i] = v[i], r_v[i] = a[i];
        for (int k = 0; k < 3; k++) {
            double z = 0;
            for (int j = 0; j < 3; j++)
                z += w->tableau->a[k][j] * w->kx[j][i];
            r_q[i] += d[k] * z;
            r_v[i] += d[k] * (w->kv[k][i] - w->start.v[i]) / x;
        }
    }
    smooth_out(sys, w, x);
}

static double size(const carom_step *s, const carom_piecewise *w, const carom_end *end)
{
    const carom_options *o = s->options;
    const double *e_q = w->stages.change, *e_v = e_q + s->system->nv;
    double most = 0;
    carom_piecewise_size(s->system, w, end->q);
    for (int i = 0; i < s->system->nv; i++) {
        double size_q = s->atol[i] + o->rtol * w->size[i];
        double size_v = s->atol[i] + o->rtol * CAROM_MAX(fabs(w->start.v[i]), fabs(end->v[i]));
        most = CAROM_MAX(most, CAROM_MAX(fabs(e_q[i]) / size_q, fabs(e_v[i]) / size_v));
    }
    return most;
}

carom_status carom_stiff_norm(carom_step *s, carom_piecewise *w, double x, const carom_end *end, double *norm)
{
    carom_system *sys = s->system;
    *norm = 0;
    if (!(x > 0))
        return CAROM_OK;
    CAROM_TRY(factor(s, w, x));
    estimate(sys, w, x, w->start.v, w->start.a);
    *norm = size(s, w, end);
    if (*norm <= 1)
        return CAROM_OK;
    carom_system_drift(sys, w->start.q, w->stages.change, 1, w->shift_q);
    for (int i = 0; i < sys->nv; i++)
        w->shift_v[i] = w->start.v[i] + w->stages.change[sys->nv + i];
    CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t, w->shift_q, w->shift_v, 0, w->probe.a, w->force,
                                        s->error));
    estimate(sys, w, x, w->shift_v, w->probe.a);                                                 /* (2) */
    *norm = size(s, w, end);
    return CAROM_OK;
}

/* (4): one step of the power method at the end of the step, by a difference of accelerations along (z_q, z_v). */
static carom_status largest_eigenvalue(carom_step *s, carom_piecewise *w, double *m)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    double *z_q = m + ACCELERATIONS, *z_v = z_q + nv; /* free while the explicit method is used */
    double size = 0, growth = 0, unit = s->options->atol / CAROM_MAX(w->asked_rtol, 1e-9);
    double small = 1e-8 * (unit + carom_norm_max(sys->nq, w->end.q) + carom_norm_max(nv, w->end.v));
    for (int i = 0; i < nv; i++)
        size += z_q[i] * z_q[i] + z_v[i] * z_v[i];
    if (!(size > 0))
        for (int i = 0; i < nv; i++)
            z_v[i] = 1 + 0.25 * (i % 3), size += z_v[i] * z_v[i];
    size = sqrt(size);
    for (int i = 0; i < nv; i++) {
        z_q[i] /= size, z_v[i] /= size;
        w->shift_v[i] = w->end.v[i] + small * z_v[i];
    }
    carom_system_drift(sys, w->end.q, z_q, small, w->shift_q);
    CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + w->end.x, w->shift_q, w->shift_v, 0, w->probe.a,
                                        w->force, s->error));
    for (int i = 0; i < nv; i++) {
        z_q[i] = z_v[i];
        z_v[i] = (w->probe.a[i] - w->end.a[i]) / small;
        growth += z_q[i] * z_q[i] + z_v[i] * z_v[i];
    }
    growth = sqrt(growth);
    m[EIGENVALUE] = sqrt(m[GROWTH] * growth); /* of a pair of eigenvalues it takes turns */
    m[GROWTH] = growth;
    return CAROM_OK;
}

carom_status carom_stiff_watch(carom_step *s, carom_piecewise *w, double x, double norm)
{
    double *m = watch(s);
    int nv = s->system->nv;
    if (w->tableau) {
        double rate = carom_norm_rows(nv, w->stages.a_v) + sqrt(carom_norm_rows(nv, w->stages.a_q));
        m[STIFF] = x * rate < 1 ? 0 : m[STIFF];                                                  /* (5) */
        m[RATE] = w->stages.rate, m[LENGTH] = x, m[NORM] = norm;
        for (int k = 0; k < STAGES; k++)
            carom_copy(nv, w->ka[k], m + ACCELERATIONS + k * nv);
        return CAROM_OK;
    }
    if (m[LENGTH] != 0)
        memset(m, 0, sizeof(double) * (size_t)carom_stiff_memory(s->system)); /* it was implicit until now */
    if (!w->watches)
        return CAROM_OK;
    if (carom_piecewise_turning(s, w, x)) /* a direction of slip that settles is fast, but soon over */
        return CAROM_OK;
    if ((int)m[COUNT] % EVERY == 0)
        CAROM_TRY(largest_eigenvalue(s, w, m));
    m[SUM] += CAROM_MIN(5, x * m[EIGENVALUE]);
    if (++m[COUNT] < STEPS)
        return CAROM_OK;
    m[STIFF] = m[SUM] > 2.5 * STEPS;                                                             /* (4) */
    m[SUM] = m[COUNT] = 0;
    return CAROM_OK;
}
