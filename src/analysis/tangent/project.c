/* project.c: columns onto the tangent space of what is held: joints, closed contacts, sticking ones.
 *
 *   dq -= M^-1 G^T W^-1 (G dq + g_p dp),   then   dv -= M^-1 H^T K^-1 (G dv + U_q dq + U_p dp)      */
#include <string.h>

#include "analysis/tangent/follow.h"

static double row_times(int n, const double *row, const double *y, int stride)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] * y[i * stride];
    return sum;
}

static void positions(carom_tangent *t)
{
    carom_linear *l = &t->flow.linear;
    const carom_system *sys = &t->system;
    int np = sys->model->np, n = t->n;
    for (int j = 0; j < n; j++) {
        memset(t->flow.c, 0, sizeof(double) * (size_t)sys->nv);
        for (int i = 0; i < l->e.m; i++) {
            t->flow.d[i] = -carom_row_column(sys, l->e.row[i], t->X + j, n);
            if (t->parameters)
                t->flow.d[i] -= row_times(np, t->saltation.g_p + l->e.link[i] * np, t->dp + j, n);
        }
        carom_linear_solve(l, t->flow.c, t->flow.d);
        for (int i = 0; i < sys->nv; i++)
            t->X[i * n + j] += t->flow.c[i];
    }
}

static void velocities(carom_tangent *t)
{
    carom_linear *l = &t->flow.linear;
    const carom_system *sys = &t->system;
    int np = sys->model->np, n = t->n, nv = sys->nv;
    for (int j = 0; j < n; j++) {
        double *dq = t->X + j, *dv = t->X + nv * n + j;
        memset(t->flow.c, 0, sizeof(double) * (size_t)nv);
        for (int i = 0; i < l->e.m; i++) {
            int r = l->e.row[i];
            t->flow.d[i] = 0;
            if (l->normal[i] >= 0)
                continue;
            t->flow.d[i] = -carom_row_column(sys, r, dv, n) - row_times(nv, sys->at.U_q + r * nv, dq, n);
            if (t->parameters)
                t->flow.d[i] -= row_times(np, sys->at.U_p + r * np, t->dp + j, n);
        }
        carom_linear_solve(l, t->flow.c, t->flow.d);
        for (int i = 0; i < nv; i++)
            dv[i * n] += t->flow.c[i];
    }
}

carom_status carom_tangent_project(carom_tangent *tangent, double time, const double *q, const double *v,
                                   const carom_link_mode *modes)
{
    carom_tangent *t = tangent;
    carom_system *sys = &t->system;
    int nc = sys->model->ncontact;
    if (!carom_modes_any(sys, modes))
        return CAROM_OK;
    for (int c = 0; c < nc; c++)
        t->modes_jump[c].mode = modes[c].mode == CAROM_OPEN ? CAROM_OPEN : CAROM_CLOSED;
    if (t->parameters)
        carom_saltation_parameters(&t->saltation, time, q, v);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_U_Q | (nc ? CAROM_LAW : 0), time, q, v);
    if (t->parameters)
        carom_system_eval(sys, CAROM_U_P, time, q, v);
    CAROM_TRY(carom_mass_factor(sys, time, &t->error));
    carom_linear_rows(&t->flow.linear, t->modes_jump);
    carom_linear_close(&t->flow.linear);
    positions(t);
    carom_linear_rows(&t->flow.linear, modes);
    carom_linear_close(&t->flow.linear);
    velocities(t);
    return CAROM_OK;
}
