/* ensemble_trial.c: a step of Dormand and Prince's pair 5(4) in eight lanes at once, state and tangent together.
 *
 *   V_k = v + h sum_j a_kj A_j,   Q_k = q + h c_k v + h^2 sum_j (a a)_kj A_j,   A_k = M^-1 F(t + c_k h, Q_k, V_k)      (1)
 *   columns  dA = -M^-1 (R_q dQ + R_v dV),  R = M a - F                                                             (2)
 *   where these are linear with constant coefficients, dX' = J dX, all stages together are the polynomial of the pair,
 *   dX <- (1 + z (1 + z/2 (1 + z/3 (1 + z/4 (1 + z/5 (1 + z/5)))))) dX,  z = h J                                     (3)
 *
 * The velocities of the stages are eliminated from Q: that saves a third of the memory traffic. */
#include <math.h>

#include "analysis/ensemble_lanes.h"
#include "analysis/ensemble_pair.h"
#include "analysis/ensemble_wide.h"

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

/* ---- (1), (2) ---- */

INLINE void stage_rows(carom_ensemble *e, int k, int rows)
{
    const int n = e->n;
    const carom_wide h = e->h, *q = e->start.q, *v = e->start.v, *a = e->k;
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

CAROM_CLONES static void stage(carom_ensemble *e, int k)
{
    next_rows(e, k, e->n);
}

/* M = L D L^T: L below the diagonal, D^-1 on it; not a number where M is not positive definite: no step is taken then. */
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

CAROM_CLONES static void state_acceleration(carom_ensemble *e, carom_wide *a)
{
    if (e->nv == 1)
        state_row(e, 1, a);
    else
        state_row(e, e->nv, a);
}

CAROM_CLONES static void column_accelerations(carom_ensemble *e, const carom_wide *q, const carom_wide *v, carom_wide *a)
{
    if (e->nv == 1)
        column_rows(e, 1, q, v, a);
    else
        column_rows(e, e->nv, q, v, a);
}

/* tr(M^-1 R_v), column by column */
static carom_wide trace_of(carom_ensemble *e)
{
    int nv = e->nv;
    const carom_wide *R_v = (const carom_wide *)e->at.R_v;
    carom_wide sum_of = {0}, *x = e->middle;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            x[i] = R_v[i * nv + j];
        solve_mass(e, nv, x);
        sum_of += x[j];
    }
    return -sum_of;
}

void carom_lanes_solve(const carom_ensemble *e, carom_wide *x)
{
    solve_mass(e, e->nv, x);
}

static void evaluate(carom_ensemble *e, unsigned want, const carom_lane_end *at)
{
    if (!want)
        return;
    e->at.want = want;
    e->at.t = (const double *)&e->t;
    e->at.q = (const double *)at->q, e->at.v = (const double *)at->v;
    e->evaluator->eval(e->model, &e->at, e->work);
}

static void gradients(carom_ensemble *e, const carom_lane_end *at, carom_wide *a)
{
    if (!e->gradient_want)
        return;
    e->at.a = (const double *)a;
    evaluate(e, e->gradient_want, at);
    e->at.a = (const double *)e->zero;
}

/* h |a_7 - a_6|/|Y_7 - Y_6| is at most h (|a_q| + |a_v|): never above 5/2 in any lane? */
static bool may_be_stiff(carom_ensemble *e)
{
    const unsigned needed = CAROM_MASS | CAROM_R_Q | CAROM_R_V;
    int nv = e->nv;
    if ((e->constant & needed) != needed)
        return true;
    carom_wide total = {0}, *x = e->middle;
    for (int j = 0; j < 2 * nv; j++) {
        const carom_wide *R = (const carom_wide *)(j < nv ? e->at.R_q : e->at.R_v);
        for (int i = 0; i < nv; i++)
            x[i] = R[i * nv + j % nv];
        solve_mass(e, nv, x);
        for (int i = 0; i < nv; i++)
            for (int l = 0; l < W; l++)
                total[l] += fabs(x[i][l]);
    }
    for (int l = 0; l < W; l++)
        if (!(e->longest[l] * total[l] < 2.5))
            return true;
    return false;
}

void carom_lanes_origin(carom_ensemble *e)
{
    e->t = all(0);
    evaluate(e, e->end_want, &(carom_lane_end){.q = e->zero, .v = e->zero});
}

void carom_lanes_constants(carom_ensemble *e)
{
    e->evaluator->begin(e->model, W, (const double *)e->p, e->work);
    e->t = e->base + e->s;
    evaluate(e, e->constant, &e->start);
    if (e->constant & CAROM_MASS)
        factor_mass(e, e->nv);
    if (e->columns && !e->follow_trace) {
        carom_wide trace = trace_of(e);
        for (int k = 0; k < STAGES; k++)
            e->trace[k] = trace;
    }
    if (e->x)
        carom_exact_lanes_constants(e);
    else
        e->longest = e->cap;
    e->watch_stiffness = !e->x && may_be_stiff(e);
    e->new_parameters = false;
}

/* ---- gaps at a point ---- */

CAROM_CLONES static void measure(carom_ensemble *e, carom_lane_end *at, const carom_wide *a)
{
    int nv = e->nv;
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

/* (3) of one coordinate */
INLINE void linear_columns_of_one(carom_ensemble *e)
{
    const carom_wide h = e->h, K = e->factored[0] * *(const carom_wide *)e->at.R_q, C = e->factored[0] * *(const carom_wide *)e->at.R_v;
    for (int c = 1; c <= e->columns; c++) {
        const carom_wide q = e->start.q[c], v = e->start.v[c];
        carom_wide z_q = q + 0.2 * h * v, z_v = v + 0.2 * h * e->k[c];
#pragma GCC unroll 5
        for (int j = 5; j > 0; j--) {
            carom_wide step = 1.0 / j * h, old = z_q;
            z_q = q + step * z_v;
            z_v = v - step * (K * old + C * z_v);
        }
        e->end.q[c] = z_q, e->end.v[c] = z_v;
    }
}

/* (3); a: [n], the accelerations of the columns on the way */
INLINE void linear_columns(carom_ensemble *e, int nv, carom_wide *a)
{
    const carom_wide h = e->h;
    for (int j = 6; j > 0; j--) {
        const carom_wide step = 1.0 / (j < 6 ? j : 5) * h, *from = j < 6 ? a : e->k, *v = j < 6 ? e->end.v : e->start.v;
        for (int i = nv; i < e->n; i++) {
            e->end.q[i] = e->start.q[i] + step * v[i];
            e->end.v[i] = e->start.v[i] + step * from[i];
        }
        if (j > 1)
            column_rows(e, nv, e->end.q, e->end.v, a);
    }
}

/* Accelerations of stage k and the place of the next, where M is constant. */
INLINE void next_of(carom_ensemble *e, int k, int nv, bool linear)
{
    carom_wide *a = e->k + k * e->n;
    state_row(e, nv, a);
    if (!linear)
        column_rows(e, nv, e->end.q, e->end.v, a);
    next_rows(e, k + 1, linear ? nv : e->n);
}

CAROM_CLONES static void to_next_stage(carom_ensemble *e, int k)
{
    if (e->nv == 1 && e->linear)
        next_of(e, k, 1, true);
    else if (e->nv == 1)
        next_of(e, k, 1, false);
    else
        next_of(e, k, e->nv, e->linear);
}

CAROM_CLONES static void first_stage(carom_ensemble *e)
{
    if (e->nv == 1 && e->linear)
        linear_columns_of_one(e), stage_rows(e, 1, 1);
    else if (e->linear)
        linear_columns(e, e->nv, e->k + e->n), stage_rows(e, 1, e->nv);
    else
        stage_rows(e, 1, e->n);
}

static void quick_trial(carom_ensemble *e)
{
    carom_wide *a = e->k + (STAGES - 1) * e->n;
    first_stage(e);
    for (int k = 1; k < STAGES - 1; k++) {
        evaluate(e, e->stage_want, &e->end);
        to_next_stage(e, k);
    }
    evaluate(e, e->end_want, &e->end);
    state_acceleration(e, a);
    if (e->columns)
        column_accelerations(e, e->end.q, e->end.v, a);
    measure(e, &e->end, a);
}

/* In closed form. */
static void flight(carom_ensemble *e)
{
    carom_wide *a = e->k + (STAGES - 1) * e->n;
    carom_exact_lanes_trial(e);
    state_acceleration(e, a);
    if (e->columns)
        column_accelerations(e, e->end.q, e->end.v, a);
    measure(e, &e->end, a);
}

void carom_lanes_trial(carom_ensemble *e)
{
    if (e->x) {
        flight(e);
        return;
    }
    if (!e->follow_trace && e->constant & CAROM_MASS) {
        quick_trial(e);
        return;
    }
    for (int k = 1; k < STAGES; k++) {
        carom_wide *a = e->k + k * e->n;
        stage(e, k);
        evaluate(e, k < STAGES - 1 ? e->stage_want : e->end_want, &e->end);
        state_acceleration(e, a);
        gradients(e, &e->end, a);
        if (e->columns)
            column_accelerations(e, e->end.q, e->end.v, a);
        if (e->follow_trace)
            e->trace[k] = trace_of(e);
    }
    measure(e, &e->end, e->k + (STAGES - 1) * e->n);
}

void carom_lanes_begin(carom_ensemble *e, unsigned lanes)
{
    carom_wide *a = e->k + e->n; /* free between two trials */
    carom_lane_end here = {e->start.q, e->start.v, e->end.g, e->end.u, e->end.udot};
    carom_wide trace = {0};
    if (e->new_parameters)
        carom_lanes_constants(e);
    if (e->x)
        carom_exact_lanes_begin(e, lanes);
    e->t = e->base + e->s;
    evaluate(e, e->end_want, &here);
    state_acceleration(e, a);
    gradients(e, &here, a);
    CAROM_EACH_LANE(l, lanes)
        if (e->lane[l].hit)
            carom_lane_saltation(e, (int)l, a);
    if (e->columns)
        column_accelerations(e, here.q, here.v, a);
    measure(e, &here, a);
    if (e->follow_trace)
        trace = trace_of(e);
    CAROM_EACH_LANE(l, lanes) {
        for (int i = 0; i < e->n; i++)
            *carom_lane_at(e->k, i, (int)l) = a[i][l];
        for (int c = 0; c < e->nc; c++) {
            *carom_lane_at(e->start.g, c, (int)l) = here.g[c][l];
            *carom_lane_at(e->start.u, c, (int)l) = here.u[c][l];
            *carom_lane_at(e->start.udot, c, (int)l) = here.udot[c][l];
        }
        if (e->follow_trace)
            e->trace[0][l] = trace[l];
    }
}

void carom_lanes_middle(carom_ensemble *e, const carom_wide *q)
{
    carom_lane_end middle = {.q = (carom_wide *)q, .v = e->end.v};
    e->t = e->base + (e->s + 0.5 * e->h);
    evaluate(e, CAROM_GAP, &middle);
}
