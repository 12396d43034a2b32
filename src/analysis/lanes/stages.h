/* stages.h: the stages of Dormand and Prince's pair 5(4) in eight lanes; numbers as in trial.c.
 *
 * The velocities of the stages are eliminated from Q: that saves a third of the memory traffic. */
#ifndef CAROM_ENSEMBLE_STAGES_H
#define CAROM_ENSEMBLE_STAGES_H

#include <math.h>

#include "core/dormand_prince.h"
#include "analysis/lanes/wide.h"

enum { W = CAROM_LANES, STAGES = CAROM_LANE_STAGES };

static const double node[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double of_v[STAGES][STAGES - 1] = {
    {0},
    {A21},
    {A31, A32},
    {A41, A42, A43},
    {A51, A52, A53, A54},
    {A61, A62, A63, A64, A65},
    {B1, 0, B3, B4, B5, B6},
};
static const double of_q[STAGES][STAGES - 1] = {
    {0},
    {0},
    POSITIONS(A32, 0, 0, 0, 0, 0),
    POSITIONS(A42, A43, 0, 0, 0, 0),
    POSITIONS(A52, A53, A54, 0, 0, 0),
    POSITIONS(A62, A63, A64, A65, 0, 0),
    POSITIONS(0, B3, B4, B5, B6, 0),
};

/* Positions and velocities of stage k (1) and its time. */
INLINE void stage_rows(carom_ensemble *e, int k, int rows)
{
    const int n = e->n;
    const carom_wide h = e->h, *q = e->start.q, *v = e->start.v, *a = e->accel;
    for (int i = 0; i < rows; i++) {
        carom_wide dv = sum(of_v[k], k, a + i, n), dq = sum(of_q[k], k, a + i, n);
        e->end.v[i] = v[i] + h * dv;
        e->end.q[i] = q[i] + h * (node[k] * v[i] + h * dq);
    }
    e->t = e->base + (e->s + node[k] * h);
}

INLINE void next_rows(carom_ensemble *e, int k, int rows)
{
    switch (k) {
    case 1: stage_rows(e, 1, rows); break;
    case 2: stage_rows(e, 2, rows); break;
    case 3: stage_rows(e, 3, rows); break;
    case 4: stage_rows(e, 4, rows); break;
    case 5: stage_rows(e, 5, rows); break;
    default: stage_rows(e, 6, rows); break;
    }
}

/* M = L D L^T: L below the diagonal, D^-1 on it; not a number where M is not positive definite: no step is taken
 * then. */
INLINE void factor_mass(carom_ensemble *e, int nv)
{
    const carom_wide *M = (const carom_wide *)e->at.M;
    carom_wide *f = e->factored;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j <= i; j++) {
            carom_wide x = M[i * nv + j];
            for (int m = 0; m < j; m++)
                x -= f[i * nv + m] * f[j * nv + m] / f[m * nv + m];
            if (i == j)
                f[i * nv + j] = choose(at_most(false, x, all(0)), all(NAN), 1 / x);
            else
                f[i * nv + j] = x * f[j * nv + j];
        }
}

INLINE void solve_mass(const carom_ensemble *e, int nv, carom_wide *x)
{
    const carom_wide *f = e->factored;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < i; j++)
            x[i] -= f[i * nv + j] * x[j];
    for (int i = nv - 1; i >= 0; i--) {
        x[i] *= f[i * nv + i];
        for (int j = i + 1; j < nv; j++)
            x[i] -= f[j * nv + i] * x[j];
    }
}

INLINE void state_row(carom_ensemble *e, int nv, carom_wide *a)
{
    if (!(e->constant & CAROM_MASS))
        factor_mass(e, nv);
    for (int i = 0; i < nv; i++)
        a[i] = ((const carom_wide *)e->at.F)[i];
    solve_mass(e, nv, a);
}

INLINE void column_rows(carom_ensemble *e, int nv, const carom_wide *q, const carom_wide *v, carom_wide *a)
{
    const carom_wide *R_q = (const carom_wide *)e->at.R_q, *R_v = (const carom_wide *)e->at.R_v;
    for (int c = 1; c <= e->columns; c++) {
        const carom_wide *dq = q + c * nv, *dv = v + c * nv;
        for (int i = 0; i < nv; i++) {
            carom_wide x = -(R_q[i * nv] * dq[0]) - R_v[i * nv] * dv[0];
            for (int j = 1; j < nv; j++)
                x = x - R_q[i * nv + j] * dq[j] - R_v[i * nv + j] * dv[j];
            a[c * nv + i] = x;
        }
        solve_mass(e, nv, a + c * nv);
    }
}

/* Gaps at a point with accelerations a, normal velocities and their rates */
INLINE void gap_rows(carom_ensemble *e, int nv, carom_lane_end *at, const carom_wide *a)
{
    const carom_wide *G = (const carom_wide *)e->at.G, *w = (const carom_wide *)e->at.w;
    const carom_wide *gamma = (const carom_wide *)e->at.gamma, *g = (const carom_wide *)e->at.g;
    for (int c = 0; c < e->nc; c++) {
        int r = e->row[c];
        carom_wide u = w[r], rate = gamma[r];
        for (int j = 0; j < nv; j++)
            u += G[r * nv + j] * at->v[j], rate += G[r * nv + j] * a[j];
        at->g[c] = g[c], at->u[c] = u, at->udot[c] = rate;
    }
}

static inline void evaluate(carom_ensemble *e, unsigned want, const carom_lane_end *at)
{
    if (!want)
        return;
    e->at.want = want;
    e->at.t = (const double *)&e->t;
    e->at.q = (const double *)at->q, e->at.v = (const double *)at->v;
    e->evaluator->eval(e->model, &e->at, e->work);
}

#endif
