/* fit.c: parameters and initial values from measured motion.
 *
 * theta [n] is estimated so that E_j(t_i; theta) comes close to what was measured, y_ij, with weights w_j:
 *     r_ij = w_j (E_j(t_i; theta) - y_ij),      c = |r|^2/2 -> min                                             (1)
 *     J = dr/dtheta from the tangent flow, exact through impacts                                                (2)
 *     (J^T J + mu D^2) d = -J^T r,              D_k = the largest |J_k| so far            Levenberg, Marquardt  (3)
 *     rho = (c(theta) - c(theta + d)) / (-r^T J d - |J d|^2/2),  mu by Nielsen's rule                           (4)
 * At the end, with s^2 = 2 c/(N - n) and Student's quantile,
 *     cov = s^2 (J^T J)^-1,                     theta_k +- t_95 sqrt(cov_kk)                                    (5)
 * Without standard deviations w_j is at first one over the spread of column j, then one over the standard deviation of
 * what is left, repeated until it settles (the likelihood of independent normal errors of unknown size).
 * With `sequence` (3) is carried out on the first 1/32 of the time, then on 1/16, ... and at last on all of it: a start
 * whose impacts come in another order, or are more or fewer, meets the first of them before it is judged by the later.
 *
 * K. Madsen, H. B. Nielsen and O. Tingleff, Methods for non-linear least squares problems, 2nd ed., 2004. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "core/dense.h"
#include "sim/sim.h"

enum { ITERATIONS = 100, STAGE_ITERATIONS = 30, STAGES = 6, REWEIGHTS = 5 };
static const double STEP_TOL = 1e-12, COST_TOL = 1e-15, RANK_TOL = 1e-9;

typedef struct work {
    carom_fit *fit;
    carom_model *model;
    carom_options options;
    const carom_fit_request *r;
    carom_arena *arena;
    carom_direction *direction; /* [n] */
    int n, nof;
    size_t m;              /* samples*nof */
    size_t horizon;        /* samples that count now */
    double *weight;        /* [nof] */
    double *spread;        /* [nof] of the data */
    double *theta, *trial, *best; /* [n] */
    double *res, *new_res, *J;            /* [m], [m], [m*n]; 0 where nothing was measured */
    double *D, *d, *g, *scale;            /* [n] */
    double *A, *b, *room;                 /* [(m+n)*n], [m+n], [m+4n] of (3) */
    int *order;                           /* [n] */
    double *follow, *X, *dp, *E, *slope;  /* of the tangent; [n] */
    carom_quantity *of;                   /* [nof] what was measured */
    unsigned flags;
    int iteration, start;
    bool settled;
} work;

/* ---- (1) and (2): one run ---- */

static bool asked_to_stop(const work *w)
{
    return w->r->stop && w->r->stop(w->r->user);
}

/* A row of residuals at the present state and, with a tangent, of their derivatives. */
static carom_status measure(work *w, const carom_sim *sim, carom_tangent *tangent, size_t i, double *res,
                            carom_error *error)
{
    const carom_model *m = w->model;
    const carom_state *s = carom_sim_state(sim);
    const int n = w->n;
    for (int j = 0; j < w->nof; j++) {
        const size_t row = i * (size_t)w->nof + (size_t)j;
        const double y = w->r->value[row];
        res[row] = 0;
        if (tangent)
            memset(w->J + row * (size_t)n, 0, sizeof(double) * (size_t)n);
        if (isnan(y))
            continue;
        res[row] = w->weight[j] * (carom_quantity_value(&w->of[j], m, s->t, s->q, s->v, s->mode, m->p) - y); /* (1) */
        if (!isfinite(res[row]))
            return CAROM_NOT_FINITE;
        if (!tangent)
            continue;
        CAROM_TRY(carom_directions_slope(&w->of[j], sim, tangent, n, w->dp, w->E, w->slope, error));        /* (2) */
        for (int k = 0; k < n; k++)
            w->J[row * (size_t)n + (size_t)k] = w->weight[j] * w->slope[k];
    }
    return CAROM_OK;
}

static carom_status follow(work *w, carom_sim *sim, carom_tangent *tangent, double *res, carom_error *error)
{
    for (size_t i = 0; i < w->horizon; i++) {
        carom_status status = CAROM_OK;
        if (w->r->t[i] > carom_sim_state(sim)->t)
            status = carom_sim_run(sim, w->r->t[i]);
        if (status != CAROM_OK)
            CAROM_FAIL(error, status, "%s",
                       status == CAROM_STOPPED ? "the stop condition of the model ends the run before the last sample"
                                               : carom_sim_error(sim)->text);
        if (asked_to_stop(w))
            CAROM_FAIL(error, CAROM_INTERRUPTED, "interrupted");
        CAROM_TRY(measure(w, sim, tangent, i, res, error));
    }
    if (tangent && carom_tangent_error(tangent)->status != CAROM_OK)
        CAROM_FAIL(error, carom_tangent_error(tangent)->status, "%s", carom_tangent_error(tangent)->text);
    return CAROM_OK;
}

static carom_status run(work *w, carom_sim **sim, carom_tangent **tangent, bool derivatives, double *res,
                        carom_error *error)
{
    CAROM_TRY(carom_sim_new(sim, w->model, &w->options, error));
    if (derivatives) {
        CAROM_TRY(carom_directions_start(w->model, w->direction, w->n, w->follow, w->X, w->dp, error));
        CAROM_TRY(carom_tangent_new(tangent, *sim, w->n, error));
        CAROM_TRY(carom_tangent_start(*tangent, w->X, w->dp));
    }
    CAROM_TRY(follow(w, *sim, *tangent, res, error));
    if (*tangent)
        w->flags = carom_tangent_report(*tangent)->flags;
    return CAROM_OK;
}

/* c(theta) and res, with derivatives also J; INFINITY where the model or its run fails. */
static carom_status evaluate(work *w, const double *theta, bool derivatives, double *res, double *cost,
                             carom_error *error)
{
    carom_error why = {0};
    carom_sim *sim = NULL;
    carom_tangent *tangent = NULL;
    *cost = INFINITY;
    w->fit->runs++;
    carom_status status = carom_model_set(w->model, w->r->name, theta, w->n, &why);
    for (int j = 0; j < w->nof && status == CAROM_OK; j++) /* a model that was set may be built anew */
        status = carom_quantity_find(&w->of[j], w->model, w->r->of[j], &why);
    if (status == CAROM_OK)
        status = run(w, &sim, &tangent, derivatives, res, &why);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    if (status == CAROM_INTERRUPTED || status == CAROM_NO_MEMORY)
        CAROM_FAIL(error, status, "%s", carom_status_text(status));
    if (status != CAROM_OK) {
        if (!*w->fit->failure)
            snprintf(w->fit->failure, sizeof w->fit->failure, "%.299s",
                     *why.text ? why.text : carom_status_text(status));
        return CAROM_OK;
    }
    double sum = 0;
    for (size_t i = 0; i < w->horizon * (size_t)w->nof; i++)
        sum += res[i] * res[i];
    *cost = sum / 2;
    return CAROM_OK;
}

/* ---- (3) and (4) ---- */

static void clamp(const work *w, double *theta)
{
    for (int k = 0; k < w->n; k++) {
        if (w->r->low && theta[k] < w->r->low[k])
            theta[k] = w->r->low[k];
        if (w->r->high && theta[k] > w->r->high[k])
            theta[k] = w->r->high[k];
    }
}

/* Does the estimate lie at a bound that the cost pushes against? */
static bool held(const work *w, int k)
{
    return (w->r->low && w->theta[k] <= w->r->low[k] && w->g[k] > 0) ||
           (w->r->high && w->theta[k] >= w->r->high[k] && w->g[k] < 0);
}

static void gradient(work *w)
{
    const size_t rows = w->horizon * (size_t)w->nof, n = (size_t)w->n;
    for (size_t k = 0; k < n; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < rows; i++) {
            sum += w->J[i * n + k] * w->res[i];
            squares += w->J[i * n + k] * w->J[i * n + k];
        }
        w->g[k] = sum;
        w->D[k] = fmax(w->D[k], sqrt(squares));
    }
}

/* The step for this damping; its predicted decrease of the cost. */
static double damped_step(work *w, double mu)                                                               /* (3) */
{
    const size_t rows = w->horizon * (size_t)w->nof, n = (size_t)w->n;
    memset(w->A + rows * n, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++)
            w->A[i * n + k] = held(w, (int)k) ? 0 : w->J[i * n + k];
    for (size_t i = 0; i < rows; i++)
        w->b[i] = -w->res[i];
    for (size_t k = 0; k < n; k++) {
        w->A[(rows + k) * n + k] = sqrt(mu) * fmax(w->D[k], DBL_MIN);
        w->b[rows + k] = 0;
    }
    carom_least_squares((int)(rows + n), w->n, w->A, w->b, w->d, 1e-15, w->room, w->order);
    double linear = 0, square = 0;
    for (size_t i = 0; i < rows; i++) {
        double change = carom_dot(w->n, w->J + i * n, w->d);
        linear -= w->res[i] * change, square += change * change;
    }
    return linear - square / 2;
}

static bool small_step(const work *w)
{
    for (int k = 0; k < w->n; k++)
        if (fabs(w->d[k]) > STEP_TOL * fmax(fabs(w->theta[k]), 1e-3 * w->scale[k]))
            return false;
    return true;
}

/* One step that lowers the cost; w->settled: there is none, or it no longer matters. */
static carom_status improve(work *w, double *cost, double *mu, carom_error *error)
{
    double grow = 2;
    gradient(w);
    while (!w->settled) {
        const double predicted = damped_step(w, *mu);
        double next;
        for (int k = 0; k < w->n; k++)
            w->trial[k] = w->theta[k] + w->d[k];
        clamp(w, w->trial);
        w->settled = small_step(w) || !(*mu < 1e30);
        CAROM_TRY(evaluate(w, w->trial, false, w->new_res, &next, error));
        if (next < *cost) {
            const double rho = (*cost - next) / predicted, x = 2 * rho - 1;                                 /* (4) */
            *mu *= fmax(1. / 3, 1 - x * x * x);
            w->settled |= *cost - next <= COST_TOL * *cost;
            *cost = next;
            carom_copy(w->n, w->trial, w->theta);
            double *swap = w->res;
            w->res = w->new_res, w->new_res = swap;
            return CAROM_OK;
        }
        *mu *= grow, grow *= 2;
    }
    return CAROM_OK;
}

/* Until it settles on the present horizon. Trials are run without derivatives: J follows where one was taken. */
static carom_status minimize(work *w, int most, double *cost, carom_error *error)
{
    double mu = 1e-3;
    memset(w->D, 0, sizeof *w->D * (size_t)w->n);
    w->settled = false;
    CAROM_TRY(evaluate(w, w->theta, true, w->res, cost, error));
    for (int i = 0; i < most && !w->settled && isfinite(*cost); i++, w->iteration++) {
        CAROM_TRY(improve(w, cost, &mu, error));
        if (w->r->go_on && !w->r->go_on(w->r->user, w->start, w->iteration, *cost))
            CAROM_FAIL(error, CAROM_INTERRUPTED, "interrupted");
        w->settled |= *cost == 0;
        if (!w->settled)
            CAROM_TRY(evaluate(w, w->theta, true, w->res, cost, error));
    }
    return CAROM_OK;
}

/* ---- stages, starts, weights ---- */

/* Samples in the first part of the time; 0: too few to determine anything. */
static size_t samples_in(const work *w, double part)
{
    const double *t = w->r->t, end = t[0] + part * (t[w->r->samples - 1] - t[0]);
    size_t n = 0, used = 0;
    for (; n < w->r->samples && t[n] <= end; n++)
        for (int j = 0; j < w->nof; j++)
            used += !isnan(w->r->value[n * (size_t)w->nof + (size_t)j]);
    return used > (size_t)w->n ? n : 0;
}

static carom_status descend(work *w, double *cost, carom_error *error)
{
    for (int stage = STAGES - 1; stage > 0 && w->r->sequence; stage--) {
        w->horizon = samples_in(w, ldexp(1, -stage));
        if (w->horizon)
            CAROM_TRY(minimize(w, STAGE_ITERATIONS, cost, error));
    }
    w->horizon = w->r->samples;
    return minimize(w, w->r->iterations ? w->r->iterations : ITERATIONS, cost, error);
}

/* Steele, Lea and Flood's splitmix64 of (seed, start, k), in [0, 1). */
static double uniform(int seed, int start, int k)
{
    uint64_t z = (uint64_t)(unsigned)seed * 0x9e3779b97f4a7c15u + (uint64_t)(unsigned)start * 0xd1b54a32d192ed03u +
                 (uint64_t)(unsigned)(k + 1) * 0x8cb92ba72f3d8dd7u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void choose_start(work *w)
{
    for (int k = 0; k < w->n; k++) {
        const double u = uniform(w->r->seed, w->start, k);
        const bool bounded = w->r->low && w->r->high && isfinite(w->r->low[k]) && isfinite(w->r->high[k]);
        w->theta[k] = w->start == 0 ? w->fit->first[k]
                      : bounded     ? w->r->low[k] + u * (w->r->high[k] - w->r->low[k])
                                    : w->fit->first[k] + (u - 0.5) * w->scale[k];
    }
    clamp(w, w->theta);
}

static carom_status search(work *w, carom_error *error)
{
    carom_fit *f = w->fit;
    f->cost = INFINITY;
    for (w->start = 0; w->start < f->starts; w->start++) {
        double cost;
        w->iteration = 0;
        choose_start(w);
        CAROM_TRY(descend(w, &cost, error));
        f->start_cost[w->start] = cost;
        carom_copy(w->n, w->theta, f->start_value + w->start * w->n);
        if (!(cost < f->cost))
            continue;
        f->cost = cost, f->best = w->start, f->iterations = w->iteration, f->converged = w->settled;
        carom_copy(w->n, w->theta, w->best);
    }
    if (!isfinite(f->cost))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED, "no start can be run until the last sample; the first failure: %s",
                   *f->failure ? f->failure : "none");
    carom_copy(w->n, w->best, w->theta);
    w->start = f->best;
    return CAROM_OK;
}

/* Standard deviations of what is left, column by column. */
static void deviations(work *w)
{
    carom_fit *f = w->fit;
    for (int j = 0; j < w->nof; j++) {
        double sum = 0, count = 0;
        for (size_t i = 0; i < w->r->samples; i++) {
            const size_t row = i * (size_t)w->nof + (size_t)j;
            const bool there = !isnan(w->r->value[row]);
            f->residual[row] = there ? -w->res[row] / w->weight[j] : NAN;
            sum += there ? f->residual[row] * f->residual[row] : 0, count += there;
        }
        const double share = fmax(1, count - w->n * count / (double)f->used);
        f->deviation[j] = count > 0 ? sqrt(sum / share) : NAN;
    }
}

static carom_status reweight(work *w, carom_error *error)
{
    carom_fit *f = w->fit;
    deviations(w);
    for (int pass = 0; pass < REWEIGHTS && !w->r->sigma && w->nof > 1; pass++) {
        double change = 0;
        for (int j = 0; j < w->nof; j++) {
            const double next = 1 / fmax(f->deviation[j], 1e-10 * w->spread[j]);
            change = fmax(change, fabs(log(next / w->weight[j])));
            w->weight[j] = next;
        }
        if (change < 1e-3 && pass > 0)
            break;
        CAROM_TRY(minimize(w, ITERATIONS, &f->cost, error));
        f->converged = w->settled;
        deviations(w);
    }
    return CAROM_OK;
}

/* ---- (5) ---- */

/* The 97.5 % quantile of Student's distribution: exact for 1 and 2, else Cornish and Fisher's expansion, to 1e-3. */
static double student(double nu)
{
    const double z = 1.959963984540054, z2 = z * z;
    if (nu < 3)
        return nu < 2 ? 12.706204736 : 4.30265273;
    const double a = (z2 + 1) / 4, b = ((5 * z2 + 16) * z2 + 3) / 96, c = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
                 d = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z * (1 + (a + (b + (c + d / nu) / nu) / nu) / nu);
}

/* Does what is measured not depend on it: by less than 1e-10 of its spread for a change of its size? */
static bool idle(const work *w, int k)
{
    double size = 0;
    for (int j = 0; j < w->nof; j++)
        size = fmax(size, w->weight[j] * w->spread[j]);
    return w->D[k] * fmax(w->scale[k], fabs(w->theta[k])) < 1e-10 * size;
}

static bool is_fixed(const work *w, int k)
{
    return held(w, k) || idle(w, k);
}

static void count_rank(work *w)
{
    const size_t n = (size_t)w->n;
    for (size_t i = 0; i < w->m; i++)
        for (size_t k = 0; k < n; k++)
            w->A[i * n + k] = is_fixed(w, (int)k) ? 0 : w->J[i * n + k] / fmax(w->D[k], DBL_MIN);
    memset(w->b, 0, sizeof *w->b * w->m);
    w->fit->rank = carom_least_squares((int)w->m, w->n, w->A, w->b, w->d, RANK_TOL, w->room, w->order);
}

/* J^T J of what is free, scaled by D; the others get ones. */
static bool factor_normal(work *w, double *A)
{
    const size_t n = (size_t)w->n;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) {
            double sum = 0;
            for (size_t i = 0; i < w->m && !is_fixed(w, (int)k) && !is_fixed(w, (int)l); i++)
                sum += w->J[i * n + k] / w->D[k] * (w->J[i * n + l] / w->D[l]);
            A[k * n + l] = (is_fixed(w, (int)k) || is_fixed(w, (int)l)) && k == l ? 1 : sum;
        }
    return carom_cholesky(w->n, A);
}

static void judge(work *w)                                                                                  /* (5) */
{
    carom_fit *f = w->fit;
    const size_t n = (size_t)w->n;
    int free_ones = 0;
    memset(w->D, 0, sizeof *w->D * n);
    gradient(w);
    for (int k = 0; k < w->n; k++)
        free_ones += !is_fixed(w, k);
    count_rank(w);
    const double nu = (double)f->used - free_ones, s2 = w->r->sigma ? 1 : nu > 0 ? 2 * f->cost / nu : NAN;
    const bool determined = f->rank == free_ones && factor_normal(w, w->A);
    for (size_t k = 0; k < n; k++) {
        memset(w->d, 0, sizeof *w->d * n);
        w->d[k] = 1;
        if (determined)
            carom_cholesky_solve(w->n, w->A, w->d);
        const bool known = determined && !is_fixed(w, (int)k);
        for (size_t l = 0; l < n; l++)
            f->covariance[l * n + k] = known && !is_fixed(w, (int)l) ? s2 * w->d[l] / (w->D[k] * w->D[l]) : NAN;
        f->value[k] = w->theta[k];
        f->error[k] = known ? sqrt(f->covariance[k * n + k]) : NAN;
        const double half = (w->r->sigma ? 1.959963984540054 : student(nu)) * f->error[k];
        f->low[k] = f->value[k] - half, f->high[k] = f->value[k] + half;
    }
    f->flags = w->flags;
}

/* ---- memory and checks ---- */

static carom_status check(const carom_fit_request *r, size_t *used, carom_error *error)
{
    CAROM_SIZED(r, carom_fit_request, error);
    if (r->n < 1 || !r->name || r->nof < 1 || !r->of || r->samples < 1 || !r->t || !r->value || r->starts < 0 ||
        r->iterations < 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a fit of %d values to %zu samples of %d columns: something is missing",
                   r->n, r->samples, r->nof);
    if (r->samples > 10000000 / (size_t)r->nof / (size_t)(r->n + 1))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%zu samples of %d columns for %d values are too many", r->samples,
                   r->nof, r->n);
    for (size_t i = 0; i < r->samples; i++)
        if (!(r->t[i] >= (i ? r->t[i - 1] : 0)) || !isfinite(r->t[i]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "sample %zu is at t = %g: times begin at 0 and do not decrease",
                       i + 1, r->t[i]);
    for (int k = 0; k < r->n && r->low && r->high; k++)
        if (!(r->low[k] <= r->high[k]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the bounds of '%s' are %g and %g", r->name[k], r->low[k],
                       r->high[k]);
    *used = 0;
    for (size_t i = 0; i < r->samples * (size_t)r->nof; i++) {
        if (isinf(r->value[i]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "sample %zu is infinite", i / (size_t)r->nof + 1);
        *used += !isnan(r->value[i]);
    }
    if (*used < (size_t)r->n)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%zu measured numbers do not determine %d values", *used, r->n);
    return CAROM_OK;
}

static carom_status make_room(work *w, carom_error *error)
{
    carom_fit *f = w->fit;
    const carom_model *m = w->model;
    const size_t n = (size_t)w->n, nof = (size_t)w->nof, N = (size_t)(m->nq + m->nv), np = (size_t)m->np;
    const size_t starts = (size_t)f->starts;
    const carom_array arrays[] = {
        {&w->weight, nof}, {&w->spread, nof}, {&w->theta, n}, {&w->trial, n}, {&w->best, n}, {&f->first, n},
        {&w->res, w->m}, {&w->new_res, w->m}, {&w->J, w->m * n}, {&w->D, n}, {&w->d, n}, {&w->g, n}, {&w->scale, n},
        {&w->A, (w->m + n) * n}, {&w->b, w->m + n}, {&w->room, w->m + 4 * n}, {&w->follow, N * np + 1}, {&w->X, N * n},
        {&w->dp, np * n + 1}, {&w->E, 1 + N + np}, {&w->slope, n}, {&f->value, n}, {&f->error, n}, {&f->low, n},
        {&f->high, n}, {&f->covariance, n * n}, {&f->residual, w->m}, {&f->deviation, nof}, {&f->start_cost, starts},
        {&f->start_value, starts * n}};
    w->direction = CAROM_NEW(w->arena, carom_direction, n);
    w->order = CAROM_NEW(w->arena, int, n);
    w->of = CAROM_NEW(w->arena, carom_quantity, nof);
    if (!w->direction || !w->order || !w->of || !carom_arena_arrays(w->arena, arrays, CAROM_COUNT(arrays)))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a fit to %zu numbers", w->m);
    return CAROM_OK;
}

/* Where it starts, the sizes of what is estimated, the weights. */
static carom_status prepare(work *w, carom_error *error)
{
    const carom_fit_request *r = w->r;
    CAROM_TRY(carom_directions_find(w->model, r->name, w->n, w->arena, w->direction, error));
    for (int k = 0; k < w->n; k++) {
        w->fit->first[k] = carom_direction_value(w->model, &w->direction[k]);
        w->scale[k] = fabs(w->fit->first[k]) > 0 ? fabs(w->fit->first[k]) : 1;
    }
    for (int j = 0; j < w->nof; j++) {
        double low = INFINITY, high = -INFINITY;
        CAROM_NEED(r->of[j], error);
        CAROM_TRY(carom_quantity_find(&w->of[j], w->model, r->of[j], error));
        for (size_t i = 0; i < r->samples; i++) {
            const double y = r->value[i * (size_t)w->nof + (size_t)j];
            low = fmin(low, y), high = fmax(high, y);
        }
        w->spread[j] = high > low ? high - low : fabs(high) > 0 && isfinite(high) ? fabs(high) : 1;
        if (r->sigma && !(r->sigma[j] > 0))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the standard deviation of '%s' is %g", r->of[j], r->sigma[j]);
        w->weight[j] = 1 / (r->sigma ? r->sigma[j] : w->spread[j]);
    }
    w->options.t_end = r->t[r->samples - 1] > 0 ? r->t[r->samples - 1] : 1;
    w->options.energy = false;
    return CAROM_OK;
}

typedef struct kept { /* the result and the memory it stands on */
    carom_fit fit;
    carom_arena *arena;
} kept;

void carom_fit_free(carom_fit *fit)
{
    kept *k = (kept *)fit; /* its first member */
    if (k)
        carom_arena_free(k->arena);
    free(k);
}

carom_status carom_fit_run(carom_fit **fit, carom_model *model, const carom_options *options,
                           const carom_fit_request *request, carom_error *error)
{
    size_t used = 0;
    CAROM_NEED(fit, error);
    *fit = NULL;
    CAROM_SIZED(model, carom_model, error);
    CAROM_SIZED(options, carom_options, error);
    CAROM_TRY(check(request, &used, error));
    kept *k = calloc(1, sizeof *k);
    if (!k || !(k->arena = carom_arena_new(0))) {
        free(k);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a fit");
    }
    k->fit = (carom_fit){.n = request->n, .nof = request->nof, .starts = request->starts ? request->starts : 1,
                         .samples = request->samples, .used = used};
    work w = {.fit = &k->fit, .model = model, .options = *options, .r = request, .arena = k->arena, .n = request->n,
              .nof = request->nof, .m = request->samples * (size_t)request->nof, .horizon = request->samples};
    carom_status status = make_room(&w, error);
    if (status == CAROM_OK)
        status = prepare(&w, error);
    if (status == CAROM_OK)
        status = search(&w, error);
    if (status == CAROM_OK) /* res and J at the best of the starts */
        status = evaluate(&w, w.theta, true, w.res, &k->fit.cost, error);
    if (status == CAROM_OK)
        status = reweight(&w, error);
    if (status == CAROM_OK)
        status = evaluate(&w, w.theta, true, w.res, &k->fit.cost, error);
    for (int j = 0; w.of && j < w.nof; j++)
        carom_quantity_free(&w.of[j]);
    if (status != CAROM_OK) {
        carom_fit_free(&k->fit);
        return status;
    }
    deviations(&w);
    judge(&w);
    *fit = &k->fit;
    return CAROM_OK;
}
