/* trial.c: a step of Dormand and Prince's pair 5(4) in eight lanes at once, state and tangent together.
 *
 *   V_k = v + h sum_j a_kj A_j,   Q_k = q + h c_k v + h^2 sum_j (a a)_kj A_j,   A_k = M^-1 F(t + c_k h, Q_k, V_k)   (1)
 *   columns  dA = -M^-1 (R_q dQ + R_v dV),  R = M a - F                                                             (2)
 *
 * With constant M all of this is shorter: quick.c. */
#include <math.h>

#include "analysis/lanes/stages.h"

CAROM_CLONES static void stage(carom_ensemble *e, int k)
{
    next_rows(e, k, e->n);
}

CAROM_CLONES static void state_acceleration(carom_ensemble *e, carom_wide *a)
{
    if (e->nv == 1)
        state_row(e, 1, a);
    else
        state_row(e, e->nv, a);
}

CAROM_CLONES static void column_accelerations(carom_ensemble *e, const carom_wide *q, const carom_wide *v,
                                              carom_wide *a)
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
    if (e->exact)
        carom_exact_lanes_constants(e);
    else
        e->longest = e->cap;
    carom_lanes_pushes(e);
    if (e->split)
        carom_lanes_quick_begin(e);
    e->watch_stiffness = !e->exact && may_be_stiff(e);
    e->new_parameters = false;
}

CAROM_CLONES static void measure(carom_ensemble *e, carom_lane_end *at, const carom_wide *a)
{
    gap_rows(e, e->nv, at, a);
}

/* In closed form. */
static void flight(carom_ensemble *e)
{
    carom_wide *a = e->accel + (STAGES - 1) * e->n;
    carom_exact_lanes_trial(e);
    state_acceleration(e, a);
    if (e->columns)
        column_accelerations(e, e->end.q, e->end.v, a);
    measure(e, &e->end, a);
}

void carom_lanes_trial(carom_ensemble *e)
{
    if (e->exact) {
        flight(e);
        return;
    }
    if (!e->follow_trace && e->constant & CAROM_MASS) {
        carom_lanes_quick(e);
        return;
    }
    for (int k = 1; k < STAGES; k++) {
        carom_wide *a = e->accel + k * e->n;
        stage(e, k);
        evaluate(e, k < STAGES - 1 ? e->stage_want : e->end_want, &e->end);
        state_acceleration(e, a);
        gradients(e, &e->end, a);
        if (e->columns)
            column_accelerations(e, e->end.q, e->end.v, a);
        if (e->follow_trace)
            e->trace[k] = trace_of(e);
    }
    measure(e, &e->end, e->accel + (STAGES - 1) * e->n);
}

void carom_lanes_begin(carom_ensemble *e, unsigned lanes)
{
    carom_wide *a = e->accel + e->n; /* free between two trials */
    carom_lane_end here = {e->start.q, e->start.v, e->end.g, e->end.u, e->end.udot};
    carom_wide trace = {0};
    if (e->new_parameters)
        carom_lanes_constants(e);
    if (e->exact)
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
            *carom_lane_at(e->accel, i, (int)l) = a[i][l];
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
