/* exact.c: flights in closed form in eight lanes at once, for the models that the scheme `exact` takes.
 *
 *   M a = F0(t) - K q - C v,   F0 = f0 + f1 t + sum (c_j cos w_j t + s_j sin w_j t),   g = g0 + G q + w t           (1)
 *   Taylor terms of a step:  P_0 = q, V_0 = v;  A_k = M^-1 (F_k - K P_k - C V_k),  P_k+1 = h V_k/(k+1),  V_k+1 = h
 *                            A_k/(k+1)   (2)
 *   h max(|A|, w_j) <= 2 pi/5: 20 terms are exact to rounding; columns in the same way without F                    (3)
 *   the gap differs from the quintic through its ends by at most 64 s^3 (1-s)^3 d, d = sum_(k>5) (k-3 over 3) |G
 *   P_k|/64   (4)
 *   an impact is at the root of  g + (w h + G P_1) s + sum_(k>1) G P_k s^k                                          (5)
 *
 * (4): the remainder of s^k is s^3 (s-1)^3 times the sum of all products of k-6 of the numbers 0 0 0 1 1 1 s, so that
 * no dip is missed. The model itself is evaluated where a flight begins; the end of a step has its forces and gaps by
 * (1), and hands the functions of time there to the next. */
#include <math.h>

#include "analysis/lanes/lanes.h"
#include "analysis/lanes/wide.h"
#include "expr/op_trig.h"
#include "model/forcing.h"

enum { W = CAROM_LANES, TERMS = 20, PARTS = TERMS / 4 + 1, HARMONICS = CAROM_TIME_HARMONICS };

/* ---- what depends on parameters ---- */

static bool seen(const carom_ensemble *e, int lane)
{
    bool same = e->exact->known[lane];
    for (int i = 0; i < e->np; i++)
        same = same && e->exact->p[i][lane] == e->p[i][lane];
    return same;
}

/* (1) of one lane; false: not of that form; e->at holds what the model says at t = q = v = 0 */
static bool read_forces(carom_ensemble *e, int lane)
{
    carom_lanes_exact *x = e->exact;
    bool symbolic = carom_model_symbolic(e->model);
    for (int i = 0; i < e->np; i++)
        e->p_one[i] = e->p[i][lane], x->p[i][lane] = e->p[i][lane];
    for (int c = 0; c < e->nc; c++)
        x->gap[c][lane] = ((const carom_wide *)e->at.g)[c][lane];
    for (int i = 0; i < e->nv; i++) {
        carom_time f = {0};
        if (symbolic && carom_model_time(e->model, CAROM_FORCE, i, e->p_one, &f, NULL) != CAROM_OK)
            return false;
        if (f.degree > 1)
            return false;
        x->constant[i][lane] = symbolic ? f.power[0] : ((const carom_wide *)e->at.F)[i][lane];
        x->slope[i][lane] = f.power[1];
        x->nharmonic = CAROM_MAX(x->nharmonic, f.nharmonic);
        for (int j = 0; j < HARMONICS; j++) {
            bool there = j < f.nharmonic;
            x->omega[i * HARMONICS + j][lane] = there ? f.omega[j] : 0;
            x->cosine[i * HARMONICS + j][lane] = there ? f.cosine[j] : 0;
            x->sine[i * HARMONICS + j][lane] = there ? f.sine[j] : 0;
        }
    }
    return true;
}

/* Largest row sums of M^-1 K and M^-1 C; A: room for M^-1 R [nv*nv]. */
static carom_wide norm(carom_ensemble *e, const double *R)
{
    int nv = e->nv;
    carom_wide most = {0};
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            e->exact->scratch[j * nv + i] = ((const carom_wide *)R)[i * nv + j];
        carom_lanes_solve(e, e->exact->scratch + j * nv);
    }
    for (int i = 0; i < nv; i++)
        for (int l = 0; l < W; l++) {
            double row = 0;
            for (int j = 0; j < nv; j++)
                row += fabs(e->exact->scratch[j * nv + i][l]);
            most[l] = fmax(most[l], row);
        }
    return most;
}

void carom_exact_lanes_constants(carom_ensemble *e)
{
    carom_lanes_exact *x = e->exact;
    carom_wide k = norm(e, e->at.R_q), c = norm(e, e->at.R_v);
    carom_lanes_origin(e);
    for (int l = 0; l < W; l++) {
        if (!seen(e, l))
            x->known[l] = read_forces(e, l);
        double omega = 0.5 * c[l] + sqrt(0.25 * c[l] * c[l] + k[l]);
        for (int i = 0; i < e->nv * HARMONICS; i++)
            omega = fmax(omega, x->omega[i][l]);
        e->longest[l] = fmin(e->cap[l], omega > 0 ? 1.2567 / omega : e->strobe[l]);                          /* (3) */
        if (!x->known[l] || !(e->longest[l] > 0))
            e->lane[l].stiff = true; /* the simulation says why not */
    }
}

/* ---- functions of time ---- */

/* As terms: x_j the force, y_j its derivative over w_j. */
INLINE void clock_at(const carom_ensemble *e, carom_wide t, carom_wide *x_j, carom_wide *y_j)
{
    const carom_lanes_exact *x = e->exact;
    for (int i = 0; i < e->nv; i++)
        for (int j = i * HARMONICS; j < i * HARMONICS + x->nharmonic; j++) {
            carom_wide phase = x->omega[j] * t, c, s;
            carom_trig_wide((const double *)&phase, (double *)&s, (double *)&c);
            x_j[j] = x->cosine[j] * c + x->sine[j] * s;
            y_j[j] = x->sine[j] * c - x->cosine[j] * s;
        }
}

void carom_exact_lanes_begin(carom_ensemble *e, unsigned lanes)
{
    carom_lanes_exact *x = e->exact;
    clock_at(e, e->base + e->s, x->x_end, x->y_end); /* which is free between two trials */
    CAROM_EACH_LANE(l, lanes)
        carom_exact_lane_take(e, (int)l);
}

void carom_exact_lane_take(carom_ensemble *e, int lane)
{
    carom_lanes_exact *x = e->exact;
    for (int i = 0; i < e->nv; i++)
        for (int j = i * HARMONICS; j < i * HARMONICS + x->nharmonic; j++) {
            *carom_lane_at(x->x, j, lane) = x->x_end[j][lane];
            *carom_lane_at(x->y, j, lane) = x->y_end[j][lane];
        }
}

/* F and g of (1) at the end of the step */
INLINE void end_of_step(carom_ensemble *e, int nv)
{
    const carom_lanes_exact *x = e->exact;
    const carom_wide *K = (const carom_wide *)e->at.R_q, *C = (const carom_wide *)e->at.R_v,
                     *G = (const carom_wide *)e->at.G;
    const carom_wide t = e->base + (e->s + e->h), *q = e->end.q, *v = e->end.v;
    for (int i = 0; i < nv; i++) {
        carom_wide f = x->constant[i] + x->slope[i] * t;
        for (int j = i * HARMONICS; j < i * HARMONICS + x->nharmonic; j++)
            f += x->x_end[j];
        for (int j = 0; j < nv; j++)
            f = f - K[i * nv + j] * q[j] - C[i * nv + j] * v[j];
        ((carom_wide *)e->at.F)[i] = f;
    }
    for (int c = 0; c < e->nc; c++) {
        int r = e->row[c];
        carom_wide g = x->gap[c] + ((const carom_wide *)e->at.w)[r] * t;
        for (int j = 0; j < nv; j++)
            g += G[r * nv + j] * q[j];
        ((carom_wide *)e->at.g)[c] = g;
    }
}

/* ---- a step ---- */

static const double inverse[TERMS + 1] = {0,        1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                          1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13,
                                          1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20};
#define WEIGHT(k) (((k) - 3.0) * ((k) - 4) * ((k) - 5) / (6 * 64))
static const double weight[TERMS + 1] = {0,          0,          0,          0,          0,          0,
                                         WEIGHT(6),  WEIGHT(7),  WEIGHT(8),  WEIGHT(9),  WEIGHT(10), WEIGHT(11),
                                         WEIGHT(12), WEIGHT(13), WEIGHT(14), WEIGHT(15), WEIGHT(16), WEIGHT(17),
                                         WEIGHT(18), WEIGHT(19), WEIGHT(20)};

/* F_k of a coordinate and its terms moved on to k */
INLINE carom_wide force_term(const carom_wide *omega, int n, carom_wide *x, carom_wide *y, carom_wide step)
{
    carom_wide f = {0};
    for (int j = 0; j < n; j++) {
        carom_wide turn = omega[j] * step, old = x[j];
        x[j] = turn * y[j];
        y[j] = -(turn * old);
        f += x[j];
    }
    return f;
}

/* (2) of one coordinate, state and columns together: n in all */
INLINE void series_of_one(carom_ensemble *e, const int n, const int harmonics)
{
    carom_lanes_exact *x = e->exact;
    const carom_wide h = e->h, K = e->factored[0] * -*(const carom_wide *)e->at.R_q;
    const carom_wide C = e->factored[0] * *(const carom_wide *)e->at.R_v;
    carom_wide P[3], V[3], A[3], dq[3] = {{0}}, dv[3] = {{0}}, bound = {0}, X[HARMONICS], Y[HARMONICS];
    for (int c = 0; c < n; c++)
        P[c] = e->start.q[c], V[c] = e->start.v[c], A[c] = e->accel[c];
    for (int j = 0; j < harmonics; j++)
        X[j] = x->x[j], Y[j] = x->y[j];
    for (int k = 1; k <= TERMS; k++) {
        carom_wide step = h * inverse[k], f = force_term(x->omega, harmonics, X, Y, step);
        if (k == 1)
            f += h * x->slope[0];
#pragma GCC unroll 3
        for (int c = 0; c < n; c++) {
            P[c] = step * V[c], V[c] = step * A[c];
            dq[c] += P[c], dv[c] += V[c];
            A[c] = K * P[c] - C * V[c];
        }
        A[0] += f * e->factored[0];
        x->terms[k] = P[0];
        bound += weight[k] * size(P[0]);                                                                       /* (4) */
    }
    for (int c = 0; c < n; c++)
        e->end.q[c] = e->start.q[c] + dq[c], e->end.v[c] = e->start.v[c] + dv[c];
    x->bound[0] = bound;
}

/* (2) for the state (c = 0) or a column; P, V, A: [nv] of work */
INLINE void series(carom_ensemble *e, int c, int nv, carom_wide *P, carom_wide *V, carom_wide *A)
{
    carom_lanes_exact *x = e->exact;
    const carom_wide h = e->h, *K = (const carom_wide *)e->at.R_q, *C = (const carom_wide *)e->at.R_v;
    carom_wide *q = e->end.q + c * nv, *v = e->end.v + c * nv;
    for (int i = 0; i < nv; i++) {
        P[i] = e->start.q[c * nv + i], V[i] = e->start.v[c * nv + i], A[i] = e->accel[c * nv + i];
        q[i] = v[i] = (carom_wide){0};
        if (c == 0)
            x->bound[i] = (carom_wide){0};
        for (int j = i * HARMONICS; c == 0 && j < i * HARMONICS + x->nharmonic; j++)
            x->x_end[j] = x->x[j], x->y_end[j] = x->y[j];
    }
    for (int k = 1; k <= TERMS; k++) {
        carom_wide step = h * inverse[k];
        for (int i = 0; i < nv; i++) {
            P[i] = step * V[i], V[i] = step * A[i];
            q[i] += P[i], v[i] += V[i];
            if (c == 0)
                x->terms[k * nv + i] = P[i], x->bound[i] += weight[k] * size(P[i]);                            /* (4) */
        }
        for (int i = 0; i < nv; i++) {
            carom_wide f = {0};
            if (c == 0)
                f = force_term(x->omega + i * HARMONICS, x->nharmonic, x->x_end + i * HARMONICS,
                               x->y_end + i * HARMONICS, step);
            if (c == 0 && k == 1)
                f += h * x->slope[i];
            for (int j = 0; j < nv; j++)
                f = f - K[i * nv + j] * P[j] - C[i * nv + j] * V[j];
            A[i] = f;
        }
        carom_lanes_solve(e, A);
    }
    for (int i = 0; i < nv; i++) {
        q[i] += e->start.q[c * nv + i];
        v[i] += e->start.v[c * nv + i];
    }
}

CAROM_CLONES static void flights(carom_ensemble *e)
{
    int nv = e->nv, harmonics = e->exact->nharmonic;
    carom_wide *more = e->exact->scratch;
    if (nv == 1 && e->columns == 2 && harmonics == 1)
        series_of_one(e, 3, 1);
    else if (nv == 1)
        series_of_one(e, 1 + e->columns, harmonics);
    else
        for (int c = 0; c <= e->columns; c++)
            series(e, c, nv, more, more + nv, more + 2 * nv);
}

CAROM_CLONES static void ends(carom_ensemble *e)
{
    if (e->nv == 1)
        end_of_step(e, 1);
    else
        end_of_step(e, e->nv);
}

void carom_exact_lanes_trial(carom_ensemble *e)
{
    flights(e);
    clock_at(e, e->base + (e->s + e->h), e->exact->x_end, e->exact->y_end);
    ends(e);
}

/* ---- impacts ---- */

/* f = sum c_k s^k, s f' and s^2 f'', four terms at a time; the step of Halley's method, over s */
INLINE double halley(const carom_part c[PARTS], double s)
{
    const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2;
    const carom_part order = {0, 1, 2, 3};
    carom_part f = {0}, d = {0}, dd = {0};
#pragma GCC unroll 8
    for (int m = PARTS - 1; m >= 0; m--) {
        const carom_part k = order + 4 * m;
        f = f * s4 + c[m];
        d = d * s4 + c[m] * k;
        dd = dd * s4 + c[m] * (k * (k - 1));
    }
    double value = (f[0] + s * f[1]) + (s2 * f[2] + s3 * f[3]), slope = (d[0] + s * d[1]) + (s2 * d[2] + s3 * d[3]);
    double bend = (dd[0] + s * dd[1]) + (s2 * dd[2] + s3 * dd[3]);
    return 2 * value * slope / (2 * slope * slope - value * bend);
}

CAROM_CLONES double carom_exact_lane_root(const carom_ensemble *e, int lane, int contact, double s)
{
    enum { TRIES = 6 };
    int nv = e->nv, r = e->row[contact];
    const carom_wide *G = (const carom_wide *)e->at.G + r * nv, *terms = e->exact->terms;
    union { double term[4 * PARTS]; carom_part part[PARTS]; } c = {{0}};
    for (int k = 1; k <= TERMS; k++)
        c.term[k] = G[0][lane] * terms[k * nv][lane];
    for (int j = 1; j < nv; j++)
        for (int k = 1; k <= TERMS; k++)
            c.term[k] += G[j][lane] * terms[k * nv + j][lane];
    c.term[0] = CAROM_MAX(e->start.g[contact][lane], 0);
    c.term[1] += ((const carom_wide *)e->at.w)[r][lane] * e->h[lane];
    for (int tries = 0; tries < TRIES; tries++) {
        double change = halley(c.part, s) * s;
        s -= change;
        if (fabs(change) < 1e-6) /* what is left is of the third order */
            return s;                                                                                          /* (5) */
    }
    return -1;
}

/* ---- set-up ---- */

carom_status carom_exact_lanes_new(carom_ensemble *e, carom_error *error)
{
    int nv = e->nv, all_of = nv * HARMONICS;
    carom_lanes_exact *x = CAROM_NEW(e->arena, carom_lanes_exact, 1);
    if (!x)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    carom_wide **arrays[] = {&x->p, &x->constant, &x->slope, &x->omega, &x->cosine, &x->sine, &x->x,
                             &x->y, &x->x_end, &x->y_end, &x->gap, &x->terms, &x->bound, &x->scratch};
    const int lengths[] = {e->np + 1, nv, nv, all_of, all_of, all_of, all_of,
                           all_of, all_of, all_of, e->nc + 1, nv * (TERMS + 1), nv, nv * CAROM_MAX(nv, 3)};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        if (!(*arrays[i] = CAROM_NEW(e->arena, carom_wide, lengths[i])))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    e->exact = x;
    return CAROM_OK;
}
