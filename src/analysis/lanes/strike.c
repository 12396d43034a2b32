/* strike.c: an isolated impact of one lane, state and columns.
 *
 *   strike    v+ = v - (1 + e) u y,  y = M^-1 G^T/(G M^-1 G^T)                                                      (1)
 *   columns   dt = -(G dq)/u,  Dq = dq + v dt,  Dv = dv + a dt,  Dv+ = Dv - (1 + e)(G Dv) y,
 *             dq+ = Dq - v+ dt,  dv+ = Dv+ - a+ dt,  ln|det| = 2 ln e      for constant M, G, w and law             (2)
 *   where accelerations are affine in velocities:  a+ = a - M^-1 R_v (v+ - v)                                       (3)
 *
 * With (3) the lane flies on at once; without it the accelerations after the impact are evaluated first
 * (carom_lanes_begin). */
#include <math.h>

#include "analysis/lanes/lanes.h"

#define INLINE static inline __attribute__((always_inline))

/* y <- M^-1 y of one lane */
INLINE void solve(const carom_ensemble *e, int lane, int nv, double *y)
{
    const carom_wide *f = e->factored;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < i; j++)
            y[i] -= f[i * nv + j][lane] * y[j];
    for (int i = nv - 1; i >= 0; i--) {
        y[i] *= f[i * nv + i][lane];
        for (int j = i + 1; j < nv; j++)
            y[i] -= f[j * nv + i][lane] * y[j];
    }
}

/* y of (1) */
INLINE void direction(carom_ensemble *e, int lane, int contact, int nv, double *y)
{
    const carom_wide *G = (const carom_wide *)e->at.G + e->row[contact] * nv;
    double W = 0;
    for (int i = 0; i < nv; i++)
        y[i] = G[i][lane];
    solve(e, lane, nv, y);
    for (int i = 0; i < nv; i++)
        W += G[i][lane] * y[i];
    W = 1 / W;
    for (int i = 0; i < nv; i++)
        y[i] *= W;
}

void carom_lanes_pushes(carom_ensemble *e)
{
    for (int c = 0; e->at_once && c < e->nc; c++)
        for (int l = 0; l < CAROM_LANES; l++) {
            direction(e, l, c, e->nv, e->X);
            for (int i = 0; i < e->nv; i++)
                *carom_lane_at(e->impulse_response, c * e->nv + i, l) = e->X[i];
        }
}

/* (1), from the end of the trial into the start; sets y */
INLINE void strike(carom_ensemble *e, int lane, int nv, double *y)
{
    carom_lane *l = &e->lane[lane];
    const carom_wide *a = e->accel + (CAROM_LANE_STAGES - 1) * e->n;
    if (!e->at_once)
        direction(e, lane, l->contact, nv, y);
    for (int i = 0; e->at_once && i < nv; i++)
        y[i] = e->impulse_response[l->contact * nv + i][lane];
    l->e = ((const carom_wide *)e->at.law)[e->law_at[l->contact]][lane];
    for (int i = 0; i < e->n; i++) {
        *carom_lane_at(e->start.q, i, lane) = e->end.q[i][lane];
        *carom_lane_at(e->start.v, i, lane) = e->end.v[i][lane];
    }
    for (int i = 0; i < nv; i++) {
        *carom_lane_at(e->before, i, lane) = e->end.v[i][lane];
        *carom_lane_at(e->before, nv + i, lane) = a[i][lane];
        *carom_lane_at(e->start.v, i, lane) -= (1 + l->e) * l->u * y[i];
    }
    e->s[lane] += e->h[lane];
    if (e->exact)
        carom_exact_lane_take(e, lane);
}

/* (2) with accelerations a after the impact and y of (1) */
INLINE void saltation(carom_ensemble *e, int lane, int nv, const carom_wide *a, const double *y)
{
    carom_lane *l = &e->lane[lane];
    const double inverse = -1 / l->u;
    const carom_wide *G = (const carom_wide *)e->at.G + e->row[l->contact] * nv;
    for (int c = 1; c <= e->columns; c++) {
        double slope = 0, normal = 0;
        for (int i = 0; i < nv; i++)
            slope += G[i][lane] * e->start.q[c * nv + i][lane];
        double dt = slope * inverse;
        for (int i = 0; i < nv; i++)
            normal += G[i][lane] * (e->start.v[c * nv + i][lane] + dt * e->before[nv + i][lane]);
        for (int i = 0; i < nv; i++) {
            *carom_lane_at(e->start.q, c * nv + i, lane) += dt * (e->before[i][lane] - e->start.v[i][lane]);
            *carom_lane_at(e->start.v, c * nv + i, lane) +=
                dt * (e->before[nv + i][lane] - a[i][lane]) - (1 + l->e) * normal * y[i];
        }
    }
    if (l->e != l->e_known)
        l->e_known = l->e, l->log_e = 2 * log(l->e);
    e->log_det[lane] += l->log_e;
}

/* (3) for the state (c = 0); accelerations of a column */
INLINE void acceleration_after(carom_ensemble *e, int lane, int nv, int c, double *y)
{
    const carom_wide *R_q = (const carom_wide *)e->at.R_q, *R_v = (const carom_wide *)e->at.R_v;
    for (int i = 0; i < nv; i++) {
        y[i] = 0;
        for (int j = 0; j < nv; j++)
            y[i] -= c ? R_q[i * nv + j][lane] * e->start.q[c * nv + j][lane] +
                            R_v[i * nv + j][lane] * e->start.v[c * nv + j][lane]
                      : R_v[i * nv + j][lane] * (e->start.v[j][lane] - e->before[j][lane]);
    }
    solve(e, lane, nv, y);
    for (int i = 0; i < nv; i++)
        *carom_lane_at(e->accel, c * nv + i, lane) = y[i] + (c ? 0 : e->before[nv + i][lane]);
}

/* Gaps where the flight begins; (2) has moved the place by no more than rounding. */
INLINE void gaps_after(carom_ensemble *e, int lane, int nv)
{
    const carom_wide *G = (const carom_wide *)e->at.G, *w = (const carom_wide *)e->at.w,
                     *gamma = (const carom_wide *)e->at.gamma;
    for (int c = 0; c < e->nc; c++) {
        int r = e->row[c];
        double u = w[r][lane], rate = gamma[r][lane];
        for (int j = 0; j < nv; j++)
            u += G[r * nv + j][lane] * e->start.v[j][lane], rate += G[r * nv + j][lane] * e->accel[j][lane];
        *carom_lane_at(e->start.g, c, lane) = c == e->lane[lane].contact ? 0 : e->end.g[c][lane];
        *carom_lane_at(e->start.u, c, lane) = u;
        *carom_lane_at(e->start.udot, c, lane) = rate;
    }
}

/* y: [2*nv] of work */
INLINE void at_once(carom_ensemble *e, int lane, int nv, double *y)
{
    strike(e, lane, nv, y);
    acceleration_after(e, lane, nv, 0, y + nv);
    saltation(e, lane, nv, e->accel, y);
    for (int c = 1; c <= e->columns; c++)
        acceleration_after(e, lane, nv, c, y + nv);
    gaps_after(e, lane, nv);
}

void carom_lane_strike(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    l->impacts++;
    if (l->k >= l->job.transient) {
        l->result.impacts++;
        l->result.slowest = CAROM_MIN(l->result.slowest, -l->u);
    }
    l->hit = !e->at_once;
    if (!e->at_once)
        strike(e, lane, e->nv, e->X);
    else if (e->nv == 1)
        at_once(e, lane, 1, (double[2]){0});
    else
        at_once(e, lane, e->nv, e->X);
}

void carom_lane_saltation(carom_ensemble *e, int lane, const carom_wide *a)
{
    direction(e, lane, e->lane[lane].contact, e->nv, e->X);
    saltation(e, lane, e->nv, a, e->X);
}
