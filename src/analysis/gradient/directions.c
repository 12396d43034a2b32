/* directions.c: what derivatives are taken by: names of parameters and initial values as changes of the start.
 *
 * A direction z changes the parameters by dp and the initial values by dx_0 = X_0 dp + its own part, where X_0 are the
 * derivatives of the initial values that the model computes from parameters. The tangent flow takes (dx_0, dp) to dx at
 * the present time. Then
 *     dE/dz = E_q dq + E_v dv + E_p dp        of an expression; of a reaction by the linearised equations          (1)
 */
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "analysis/tangent/tangent.h"
#include "sim/sim.h"

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
        if (!strncmp(name, "v.", 2) && !strcmp(name + 2, q))
            d->v = i;
    }
    if (d->parameter >= 0 || d->q >= 0 || d->v >= 0)
        return CAROM_OK;
    for (int i = 0; i < m->np && n < 200; i++)
        if ((all = carom_arena_format(arena, "%s", carom_model_p_name(m, i, buffer))))
            candidates[n++] = all;
    for (int i = 0; i < 2 * m->nq && n < 599; i++)
        if ((all = carom_arena_format(arena, "%c.%s", i % 2 ? 'v' : 'q', carom_model_q_name(m, i / 2, buffer))))
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
    return CAROM_OK;
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
    if (carom_model_gradient(m, quantity->expression, s->t, s->q, s->v, sim->system.p, E) != CAROM_OK)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for derivatives of the expression");
    for (int k = 0; k < n; k++) {                                                                           /* (1) */
        slope[k] = 0;
        for (int i = 0; i < N; i++)
            slope[k] += E[1 + i] * X[i * n + k];
        for (int i = 0; i < m->np; i++)
            slope[k] += E[1 + N + i] * dp[i * n + k];
    }
    return CAROM_OK;
}
