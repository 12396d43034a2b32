/* ensemble_short.c: the last bit of a flight in closed form to an impact, in one lane.
 *
 *   P_0 = q, P_1 = v, P_2 = a/2 at the end of a trial;  (k+1)(k+2) P_k+2 = M^-1 (F_k - K P_k - (k+1) C P_k+1)          (1)
 *   g + u x + udot x^2/2 + sum_(k>2) G P_k x^k = 0                                                                   (2)
 *
 * x is at most 3/1000 of the longest step: eight terms are exact to rounding, for accelerations too. */
#include <math.h>

#include "analysis/ensemble_lanes.h"
#include "expr/op_trig.h"
#include "model/forcing.h"

#define INLINE static inline __attribute__((always_inline))

enum { TERMS = CAROM_SHORT_TERMS, HARMONICS = CAROM_TIME_HARMONICS };

/* F_1 .. F_5 of a coordinate */
INLINE void force_terms(const carom_ensemble *e, int lane, int i, double *f)
{
    const carom_lanes_exact *x = e->x;
    const double t = e->base[lane] + (e->s[lane] + e->h[lane]);
#pragma GCC unroll 8
    for (int k = 1; k < TERMS - 2; k++)
        f[k] = k == 1 ? x->slope[i][lane] : 0;
    for (int j = i * HARMONICS; j < i * HARMONICS + x->nharmonic; j++) {
        double omega = x->omega[j][lane], s, c;
        carom_op_sincos(omega * t, &s, &c);
        double value = x->cosine[j][lane] * c + x->sine[j][lane] * s, rate = x->sine[j][lane] * c - x->cosine[j][lane] * s;
#pragma GCC unroll 8
        for (int k = 1; k < TERMS - 2; k++) {
            double turn = omega * (1.0 / k), old = value;
            value = turn * rate, rate = -(turn * old);
            f[k] += value;
        }
    }
}

/* (1) of the state (c = 0) or of a column; P: [nv][TERMS] */
INLINE void terms(const carom_ensemble *e, int lane, int nv, int c, double *P, double *force, double *y)
{
    const carom_wide *K = (const carom_wide *)e->at.R_q, *C = (const carom_wide *)e->at.R_v, *m = e->factored;
    const carom_wide *a = e->k + (CAROM_LANE_STAGES - 1) * e->n;
    for (int i = 0; i < nv; i++) {
        double *p = P + i * TERMS;
        if (c == 0)
            force_terms(e, lane, i, force + i * TERMS);
        p[0] = e->end.q[c * nv + i][lane], p[1] = e->end.v[c * nv + i][lane], p[2] = 0.5 * a[c * nv + i][lane];
    }
#pragma GCC unroll 8
    for (int k = 1; k < TERMS - 2; k++) {
        for (int i = 0; i < nv; i++) {
            y[i] = c == 0 ? force[i * TERMS + k] : 0;
            for (int j = 0; j < nv; j++)
                y[i] -= K[i * nv + j][lane] * P[j * TERMS + k] + (k + 1) * (C[i * nv + j][lane] * P[j * TERMS + k + 1]);
        }
        for (int i = 0; i < nv; i++) /* M^-1 */
            for (int j = 0; j < i; j++)
                y[i] -= m[i * nv + j][lane] * y[j];
        for (int i = nv - 1; i >= 0; i--) {
            y[i] *= m[i * nv + i][lane];
            for (int j = i + 1; j < nv; j++)
                y[i] -= m[j * nv + i][lane] * y[j];
        }
        for (int i = 0; i < nv; i++)
            P[i * TERMS + k + 2] = y[i] * (1.0 / ((k + 1) * (k + 2)));
    }
}

/* (2) by Newton's method from *dx on; false: it does not settle */
INLINE bool root(const carom_ensemble *e, int lane, int nv, int contact, const double *P, double *dx)
{
    const carom_wide *G = (const carom_wide *)e->at.G + e->row[contact] * nv;
    double g[TERMS] = {e->end.g[contact][lane], e->end.u[contact][lane], 0.5 * e->end.udot[contact][lane]}, x = *dx, change = 0;
#pragma GCC unroll 8
    for (int k = 3; k < TERMS; k++)
        for (int j = 0; j < nv; j++)
            g[k] += G[j][lane] * P[j * TERMS + k];
    for (int tries = 0; tries < 2; tries++) {
        double x2 = x * x;
        double high = g[3] + x * g[4] + x2 * (g[5] + x * g[6]), rate = 3 * g[3] + x * (4 * g[4]) + x2 * (5 * g[5] + x * (6 * g[6]));
        change = (g[0] + x * (g[1] + x * (g[2] + x * high))) / (g[1] + x * (2 * g[2] + x * rate));
        x -= change;
    }
    *dx = x;
    return fabs(change) <= 1e-10 * e->longest[lane];
}

/* The end of the trial moves on by x. */
INLINE void move(carom_ensemble *e, int lane, int row, const double *p, double x)
{
    double q = 0, v = 0, a = 0;
#pragma GCC unroll 8
    for (int k = TERMS - 1; k > 0; k--) {
        q = p[k] + x * q;
        v = k * p[k] + x * v;
        if (k > 1)
            a = k * (k - 1) * p[k] + x * a;
    }
    *carom_lane_at(e->end.q, row, lane) = p[0] + x * q;
    *carom_lane_at(e->end.v, row, lane) = v;
    *carom_lane_at(e->k, (CAROM_LANE_STAGES - 1) * e->n + row, lane) = a;
}

/* P, force: [nv][TERMS], y: [nv] of work */
INLINE bool move_all(carom_ensemble *e, int lane, int nv, int contact, double *dx, double *P, double *force, double *y)
{
    const carom_wide *G = (const carom_wide *)e->at.G, *w = (const carom_wide *)e->at.w;
    terms(e, lane, nv, 0, P, force, y);
    if (!root(e, lane, nv, contact, P, dx))
        return false;
    for (int i = 0; i < nv; i++)
        move(e, lane, i, P + i * TERMS, *dx);
    for (int c = 0; c < e->nc; c++) {
        int r = e->row[c];
        double gap = e->end.g[c][lane] + w[r][lane] * *dx, u = w[r][lane];
        for (int j = 0; j < nv; j++) {
            gap += G[r * nv + j][lane] * (e->end.q[j][lane] - P[j * TERMS]);
            u += G[r * nv + j][lane] * e->end.v[j][lane];
        }
        *carom_lane_at(e->end.g, c, lane) = gap;
        *carom_lane_at(e->end.u, c, lane) = u;
    }
    for (int c = 1; c <= e->columns; c++) {
        terms(e, lane, nv, c, P, force, y);
        for (int i = 0; i < nv; i++)
            move(e, lane, c * nv + i, P + i * TERMS, *dx);
    }
    return true;
}

bool carom_exact_lane_move(carom_ensemble *e, int lane, int contact, double *dx)
{
    double P[TERMS], force[TERMS], y; /* in registers */
    if (e->nv == 1)
        return move_all(e, lane, 1, contact, dx, P, force, &y);
    return move_all(e, lane, e->nv, contact, dx, e->x->terms, e->x->force, e->q);
}
