/* slide.c: block `slide`: where a force changes its branch and both branches push back to the border, the motion
 * stays on it. Source: A. F. Filippov, Differential Equations with Discontinuous Righthand Sides (1988), sections 4
 * and 8.
 *
 *   a = a_0 + sum_k l_k (a_k - a_0)      a_0: all lower branches, a_k: the upper one of k                         (1)
 *   df_i/dt = -f_i/T                     f_i measured from its bound, its rate by differences                     (2)
 *   where f_i depends on positions alone:  d2f_i/dt2 = -2 f_i/T^2 - 2 (df_i/dt)/T                                 (3)
 *
 * It slides as long as 0 <= l_k <= 1; who drives it watches that. T is much longer than a step: it only keeps f from
 * drifting away. */
#include <math.h>

#include "contact/slide.h"

void carom_slide_layout(carom_layout *layout, carom_slide *slide, const carom_system *system)
{
    int n = CAROM_MIN(system->model->nswitch, CAROM_SLIDE_MAX);
    CAROM_PLACE(layout, slide->index, n);
    CAROM_PLACE(layout, slide->low, n);
    CAROM_PLACE(layout, slide->high, n);
    CAROM_PLACE(layout, slide->bound, n);
    CAROM_PLACE(layout, slide->lambda, n);
    CAROM_PLACE(layout, slide->a, (n + 1) * system->nv);
    CAROM_PLACE(layout, slide->force, (n + 1) * system->nrow);
    CAROM_PLACE(layout, slide->rate, (n + 1) * n);
    CAROM_PLACE(layout, slide->bend, (n + 1) * n);
    CAROM_PLACE(layout, slide->f, n);
    CAROM_PLACE(layout, slide->q, n ? system->nq : 0);
    CAROM_PLACE(layout, slide->v, n ? system->nv : 0);
    CAROM_PLACE(layout, slide->K, n * n);
    CAROM_PLACE(layout, slide->b, n);
    CAROM_PLACE(layout, slide->work, n ? 4 * n + 1 : 0);
    CAROM_PLACE(layout, slide->order, n);
    CAROM_PLACE(layout, slide->passive, n);
}

/* First and second derivative of all f by time along the motion with a_j, by differences of order 4. */
static void rates(carom_slide *w, carom_system *system, double t, const double *q, const double *v, int j)
{
    static const double first[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double second[] = {-1.0 / 12, 16.0 / 12, 16.0 / 12, -1.0 / 12};
    const double *a = w->a + j * system->nv;
    double *rate = w->rate + j * w->n, *bend = w->bend + j * w->n, h = w->distance;
    for (int k = 0; k < w->n; k++)
        rate[k] = 0, bend[k] = -2.5 * w->f[k] / (h * h);
    for (int p = 0; p < 4; p++) {
        double d = (p < 2 ? p - 2 : p - 1) * h;
        carom_system_drift(system, q, v, d, w->q);
        carom_system_drift(system, w->q, a, 0.5 * d * d, w->q);
        for (int i = 0; i < system->nv; i++)
            w->v[i] = v[i] + d * a[i];
        carom_system_eval(system, CAROM_SWITCH, t + d, w->q, w->v);
        for (int k = 0; k < w->n; k++) {
            double f = system->at.f[w->index[k]] - w->bound[k];
            rate[k] += first[p] * f / h;
            bend[k] += second[p] * f / (h * h);
        }
    }
}

/* What the upper branches change in the rate of f_i and in its second derivative, at most. */
static void leverage(const carom_slide *w, int i, double *first, double *second)
{
    *first = *second = 0;
    for (int k = 1; k <= w->n; k++) {
        *first = CAROM_MAX(*first, fabs(w->rate[k * w->n + i] - w->rate[i]));
        *second = CAROM_MAX(*second, fabs(w->bend[k * w->n + i] - w->bend[i]));
    }
}

static bool by_positions(const carom_slide *w, double first, double second)
{
    return first <= 1e-5 * second * w->distance;
}

double carom_slide_time(const carom_slide *w)
{
    double time = w->time, first, second;
    for (int i = 0; i < w->n; i++) {
        leverage(w, i, &first, &second);
        if (by_positions(w, first, second) && second > 0)
            time = CAROM_MAX(time, CAROM_MAX(8 * fabs(w->rate[i]) / second, sqrt(8 * fabs(w->f[i]) / second)));
    }
    return time;
}

/* (2), (3) for l; where several f are one, the least l. */
static bool solve(carom_slide *w, int nv)
{
    int n = w->n, active = 0;
    double T = w->time;
    for (int i = 0; i < n; i++) {
        double first, second;
        leverage(w, i, &first, &second);
        bool slow = by_positions(w, first, second);
        const double *r = slow ? w->bend : w->rate;
        double scale = slow ? second : first;
        scale = scale > 0 ? scale : 1;
        for (int k = 0; k < n; k++)
            w->K[i * n + k] = (r[(k + 1) * n + i] - r[i]) / scale;
        w->b[i] = (slow ? -r[i] - 2 * w->f[i] / (T * T) - 2 * w->rate[i] / T : -r[i] - w->f[i] / T) / scale;
    }
    for (int k = 0; k < n; k++) {
        double difference = 0, most = CAROM_MAX(carom_norm_max(nv, w->a), carom_norm_max(nv, w->a + (k + 1) * nv));
        for (int i = 0; i < nv; i++)
            difference = CAROM_MAX(difference, fabs(w->a[(k + 1) * nv + i] - w->a[i]));
        w->passive[k] = difference <= 1e-9 * most;
        active += !w->passive[k];
        for (int i = 0; w->passive[k] && i < n; i++)
            w->K[i * n + k] = 0;
    }
    carom_least_squares(n, n, w->K, w->b, w->lambda, 1e-7, w->work, w->order);
    for (int k = 0; k < n; k++)
        w->lambda[k] = w->passive[k] ? 0.5 : w->lambda[k];
    return active > 0 && carom_all_finite(n, w->lambda);
}

carom_status carom_slide_accel(carom_slide *w, carom_system *system, double t, const double *q, const double *v,
                               carom_slide_one *one, void *user, double *a, double *force, carom_error *error)
{
    int n = w->n, nv = system->nv, nrow = system->nrow;
    for (int j = n; j >= 0; j--) {
        for (int k = 0; k < n; k++)
            w->d[w->index[k]] = j == k + 1 ? w->high[k] : w->low[k];
        CAROM_TRY(one(user, w->a + j * nv, w->force + j * nrow, j == 0, error));
    }
    for (int k = 0; k < n; k++)
        w->f[k] = system->at.f[w->index[k]] - w->bound[k];
    for (int j = 0; j <= n; j++)
        rates(w, system, t, q, v, j);
    if (!solve(w, nv))
        CAROM_FAIL(error, CAROM_NO_SOLUTION, "forces do not hold the border between their branches at t = %.10g", t);
    for (int i = 0; i < nv; i++) {
        a[i] = w->a[i];
        for (int k = 0; k < n; k++)
            a[i] += w->lambda[k] * (w->a[(k + 1) * nv + i] - w->a[i]);                          /* (1) */
    }
    for (int r = 0; r < nrow; r++) {
        force[r] = w->force[r];
        for (int k = 0; k < n; k++)
            force[r] += w->lambda[k] * (w->force[(k + 1) * nrow + r] - w->force[r]);
    }
    return CAROM_OK;
}

void carom_slide_energy(carom_slide *w, carom_system *system, double t, const double *q, const double *v)
{
    double sum[5] = {0}, rest = 1;
    for (int j = w->n; j >= 0; j--) {
        double part = j > 0 ? w->lambda[j - 1] : rest;
        for (int k = 0; k < w->n; k++)
            w->d[w->index[k]] = j == k + 1 ? w->high[k] : w->low[k];
        carom_system_eval(system, CAROM_ENERGY, t, q, v);
        for (int i = 0; i < 5; i++)
            sum[i] += part * system->at.energy[i];                                              /* (1) */
        rest -= part;
    }
    carom_copy(5, sum, system->at.energy);
}
