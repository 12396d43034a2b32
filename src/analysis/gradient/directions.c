/* directions.c: what derivatives are taken by: names of parameters and initial values as changes of the start.
 *
 * A direction z changes the parameters by dp and the initial values by dx_0 = X_0 dp + its own part, where X_0 are the
 * derivatives of the initial values that the model computes from parameters. The tangent flow takes (dx_0, dp) to dx at
 * the present time. Then
 *     dE/dz = E_q dq + E_v dv + E_p dp        of an expression; of a reaction by the linearised equations          (1)
 * Where positions are no vectors the tangent has local coordinates xi around q: with q(s) along dq,
 *     dxi = d/ds local(q, q + s dq),          dq = d/ds drift(q, s dxi),      both by differences of 4th order     (2)
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "analysis/tangent/tangent.h"
#include "core/dense.h"
#include "model/manifold.h"
#include "sim/sim.h"

static const double STEP = 0x1p-10;

/* ---- names ---- */

static carom_status find(const carom_model *m, const char *name, carom_arena *arena, carom_direction *d,
                         carom_error *error)
{
    const char *candidates[600];
    char buffer[32], *all;
    int n = 0;
    *d = (carom_direction){-1, -1, -1};
    for (int i = 0; i < m->np; i++)
        if (!strcmp(carom_model_p_name(m, i, buffer), name))
            d->parameter = i;
    for (int i = 0; i < m->nq; i++) {
        const char *q = carom_model_q_name(m, i, buffer);
        if (!strncmp(name, "q.", 2) && !strcmp(name + 2, q))
            d->q = i;
    }
    for (int i = 0; i < m->nv && !strncmp(name, "v.", 2); i++)
        if (!strcmp(name + 2, carom_model_v_name(m, i, buffer)))
            d->v = i;
    if (d->parameter >= 0 && carom_model_consists_by(m, d->parameter))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "there are no derivatives by '%s': it is a number of repetitions or an "
                   "index", name);
    if (d->parameter >= 0 || d->q >= 0 || d->v >= 0)
        return CAROM_OK;
    for (int i = 0; i < m->np && n < 200; i++)
        if ((all = carom_arena_format(arena, "%s", carom_model_p_name(m, i, buffer))))
            candidates[n++] = all;
    for (int i = 0; i < m->nq + m->nv && n < 599; i++)
        if ((all = carom_arena_format(arena, "%c.%s", i < m->nq ? 'q' : 'v',
                                      i < m->nq ? carom_model_q_name(m, i, buffer)
                                                : carom_model_v_name(m, i - m->nq, buffer))))
            candidates[n++] = all;
    const char *nearest = carom_nearest(name, candidates, n);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
               "'%s' is no independent parameter of the model and no initial value (q.NAME, v.NAME)%s%s%s", name,
               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

carom_status carom_directions_find(const carom_model *m, const char *const *names, int n, carom_arena *arena,
                                   carom_direction *d, carom_error *error)
{
    for (int k = 0; k < n; k++) {
        CAROM_NEED(names[k], error);
        CAROM_TRY(find(m, names[k], arena, &d[k], error));
    }
    return CAROM_OK;
}

/* ---- positions that are no vectors ---- */
/* Of f(s) at s = 0, n numbers, from those at -2, -1, 1, 2 times h. */
static void slope_of(int n, const double *f, double h, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = (8 * (f[2 * n + i] - f[n + i]) - (f[3 * n + i] - f[i])) / (12 * h);
}

static double step_along(int n, const double *d) /* that turns by STEP at most */
{
    return STEP / CAROM_MAX(1, carom_norm_max(n, d));
}

static const double steps[] = {-2, -1, 1, 2};

static void local_of(const carom_model *m, const double *q, const double *dq, double *room, double *dxi) /* (2) */
{
    double *to = room + 4 * m->nv, h = step_along(m->nq, dq);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < m->nq; i++)
            to[i] = q[i] + steps[k] * h * dq[i];
        carom_model_local(m, q, to, room + k * m->nv);
    }
    slope_of(m->nv, room, h, dxi);
}

static void change_of(const carom_model *m, const double *q, const double *dxi, double *room, double *dq) /* (2) */
{
    double *xi = room + 4 * m->nq, h = step_along(m->nv, dxi);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < m->nv; i++)
            xi[i] = steps[k] * h * dxi[i];
        carom_model_drift(m, q, xi, room + k * m->nq);
    }
    slope_of(m->nq, room, h, dq);
}

/* Columns [(nq+nv)*n] become those of the tangent [2*nv*n]. */
static carom_status localise(const carom_model *m, int n, double *X, carom_error *error)
{
    const int N = m->nq + m->nv;
    if (!m->manifold)
        return CAROM_OK;
    double *room = malloc(sizeof *room * ((size_t)N * (size_t)n + 6 * (size_t)N)), *all = room + 6 * N;
    if (!room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for derivatives of the start");
    memcpy(all, X, sizeof *X * (size_t)N * (size_t)n);
    for (int k = 0; k < n; k++) {
        double *dq = room + 5 * N, *dxi = dq; /* dq is read before dxi is written */
        for (int i = 0; i < m->nq; i++)
            dq[i] = all[i * n + k];
        local_of(m, m->q, dq, room, dxi);
        for (int i = 0; i < m->nv; i++) {
            X[i * n + k] = dxi[i];
            X[(m->nv + i) * n + k] = all[(m->nq + i) * n + k];
        }
    }
    free(room);
    return CAROM_OK;
}

/* ---- start and end ---- */
carom_status carom_directions_start(const carom_model *m, const carom_direction *d, int n, double *follow, double *X,
                                    double *dp, carom_error *error)
{
    const int N = m->nq + m->nv;
    memset(X, 0, sizeof *X * (size_t)N * (size_t)n);
    memset(dp, 0, sizeof *dp * (size_t)m->np * (size_t)n);
    if (carom_model_start_gradient(m, follow) != CAROM_OK)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for derivatives of the start");
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < N && d[k].parameter >= 0; i++)
            X[i * n + k] = follow[i * m->np + d[k].parameter];
        if (d[k].parameter >= 0)
            dp[d[k].parameter * n + k] = 1;
        if (d[k].q >= 0)
            X[d[k].q * n + k] = 1;
        if (d[k].v >= 0)
            X[(m->nq + d[k].v) * n + k] = 1;
    }
    return localise(m, n, X, error);
}

double carom_direction_value(const carom_model *m, const carom_direction *d)
{
    return d->parameter >= 0 ? m->p[d->parameter] : d->q >= 0 ? m->q[d->q] : m->v ? m->v[d->v] : 0;
}

carom_status carom_directions_slope(const carom_quantity *quantity, const carom_sim *sim, carom_tangent *tangent, int n,
                                    const double *dp, double *E, double *slope, carom_error *error)
{
    const carom_model *m = sim->model;
    const carom_state *s = carom_sim_state(sim);
    const double *X = carom_tangent_columns(tangent);
    const int N = m->nq + m->nv;
    if (quantity->reactions)
        return carom_tangent_reaction(tangent, quantity->row, slope, error);
    double *dx = malloc(sizeof *dx * 7 * (size_t)N), *room = dx + N;
    if (!dx)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for derivatives of the expression");
    carom_status status = carom_model_gradient(m, quantity->expression, s->t, s->q, s->v, sim->system.p, E);
    for (int k = 0; k < n && status == CAROM_OK; k++) {                                                     /* (1) */
        for (int i = 0; i < m->nv; i++)
            room[5 * N + i] = X[i * n + k], dx[m->nq + i] = X[(m->nv + i) * n + k];
        if (m->manifold)
            change_of(m, s->q, room + 5 * N, room, dx);
        slope[k] = 0;
        for (int i = 0; i < N; i++)
            slope[k] += E[1 + i] * (m->manifold ? dx[i] : X[i * n + k]);
        for (int i = 0; i < m->np; i++)
            slope[k] += E[1 + N + i] * dp[i * n + k];
    }
    free(dx);
    return status == CAROM_OK ? CAROM_OK
                              : carom_fail(error, status, "no memory for derivatives of the expression");
}
