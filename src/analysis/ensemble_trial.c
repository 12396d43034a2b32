/* ensemble_trial.c: a step of Dormand and Prince's pair 5(4) in eight lanes at once, state and tangent together.
 * Source: J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26; the weights of the middle: L. F. Shampine,
 * Math. Comp. 46 (1986) 135-150.
 *
 *   V_k = v + h sum_j a_kj A_j,   Q_k = q + h c_k v + h^2 sum_j (a a)_kj A_j,   A_k = M^-1 F(t + c_k h, Q_k, V_k)      (1)
 *   columns  dA = -M^-1 (R_q dQ + R_v dV),  R = M a - F                                                             (2)
 *   error and its norm as in tolerance_trial.c, of the state alone                                                   (3)
 *   h' = h min(5, max(0.2, 0.9 |e/kappa|^(-1/5)))                                                                   (4)
 *   the gap along the step: quintic through g, u, udot at both ends (locate.c), off by d in the middle, where the pair's own
 *   interpolation of order 4 says how much:  far away, or all Bernstein coefficients > 0: no impact                  (5)
 *
 * The velocities of the stages are eliminated from Q: that saves a third of the memory traffic. */
#include <math.h>
#include <string.h>

#include "analysis/ensemble_lanes.h"
#include "schemes/tolerance.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* no wide value crosses a function that is not inlined */
#define INLINE static inline __attribute__((always_inline))

enum { W = CAROM_LANES, STAGES = CAROM_LANE_STAGES };
typedef long long carom_mask __attribute__((vector_size(W * sizeof(long long)), may_alias));

#define A21 (1.0 / 5)
#define A31 (3.0 / 40)
#define A32 (9.0 / 40)
#define A41 (44.0 / 45)
#define A42 (-56.0 / 15)
#define A43 (32.0 / 9)
#define A51 (19372.0 / 6561)
#define A52 (-25360.0 / 2187)
#define A53 (64448.0 / 6561)
#define A54 (-212.0 / 729)
#define A61 (9017.0 / 3168)
#define A62 (-355.0 / 33)
#define A63 (46732.0 / 5247)
#define A64 (49.0 / 176)
#define A65 (-5103.0 / 18656)
#define B1 (35.0 / 384)
#define B3 (500.0 / 1113)
#define B4 (125.0 / 192)
#define B5 (-2187.0 / 6784)
#define B6 (11.0 / 84)
/* What weights of the velocities of stages 2 to 7 are as weights of accelerations. */
#define POSITIONS(w2, w3, w4, w5, w6, w7)                                                                                        \
    {(w2) * A21 + (w3) * A31 + (w4) * A41 + (w5) * A51 + (w6) * A61 + (w7) * B1, (w3) * A32 + (w4) * A42 + (w5) * A52 + (w6) * A62, \
     (w4) * A43 + (w5) * A53 + (w6) * A63 + (w7) * B3, (w5) * A54 + (w6) * A64 + (w7) * B4, (w6) * A65 + (w7) * B5, (w7) * B6}

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
#define D3 (-71.0 / 16695)
#define D4 (71.0 / 1920)
#define D5 (-17253.0 / 339200)
#define D6 (22.0 / 525)
#define D7 (-1.0 / 40)
static const double error_v[STAGES] = {71.0 / 57600, 0, D3, D4, D5, D6, D7};
static const double error_q[STAGES - 1] = POSITIONS(0, D3, D4, D5, D6, D7);
/* Y_7 - Y_6 */
static const double turn_v[STAGES - 1] = {B1 - A61, -A62, B3 - A63, B4 - A64, B5 - A65, B6};
static const double turn_q[STAGES - 1] = POSITIONS(-A62, B3 - A63, B4 - A64, B5 - A65, B6, 0);
static const double middle_q[STAGES - 1] =
    POSITIONS(0, 51252292925.0 / 65400821598 / 2, -2691868925.0 / 45128329728 / 2, 187940372067.0 / 1594534317056 / 2,
              -1776094331.0 / 19743644256 / 2, 11237099.0 / 235043384 / 2);

INLINE carom_wide choose(carom_mask which, carom_wide a, carom_wide b)
{
    return (carom_wide)((which & (carom_mask)a) | (~which & (carom_mask)b));
}

INLINE carom_wide larger(carom_wide a, carom_wide b)
{
    return choose(a > b, a, b);
}

INLINE carom_wide smaller(carom_wide a, carom_wide b)
{
    return choose(a < b, a, b);
}

INLINE carom_wide size(carom_wide a)
{
    return (carom_wide)((carom_mask)a & 0x7fffffffffffffff);
}

INLINE carom_wide all(double x)
{
    return (carom_wide){x, x, x, x, x, x, x, x};
}

/* sum_j c_j k_j of one row */
INLINE carom_wide sum(const double *c, int terms, const carom_wide *k, int n)
{
    carom_wide s = {0};
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++)
        if (c[j] != 0)
            s += c[j] * k[j * n];
    return s;
}

/* ---- (1), (2) ---- */

INLINE void stage_rows(carom_ensemble *e, int k)
{
    const int n = e->n;
    const carom_wide h = e->h, *q = e->start.q, *v = e->start.v, *a = e->k;
    for (int i = 0; i < n; i++) {
        carom_wide dv = sum(of_v[k], k, a + i, n), dq = sum(of_q[k], k, a + i, n);
        e->end.v[i] = v[i] + h * dv;
        e->end.q[i] = q[i] + h * (node[k] * v[i] + h * dq);
    }
    e->t = e->base + (e->s + node[k] * h);
}

CAROM_CLONES static void stage(carom_ensemble *e, int k)
{
    switch (k) {
    case 1: stage_rows(e, 1); break;
    case 2: stage_rows(e, 2); break;
    case 3: stage_rows(e, 3); break;
    case 4: stage_rows(e, 4); break;
    case 5: stage_rows(e, 5); break;
    default: stage_rows(e, 6); break;
    }
}

/* M = L D L^T: L below the diagonal, D^-1 on it. */
INLINE void factor_mass(carom_ensemble *e, int nv)
{
    const carom_wide *M = (const carom_wide *)e->at.M;
    carom_wide *f = e->factored;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j <= i; j++) {
            carom_wide x = M[i * nv + j];
            for (int m = 0; m < j; m++)
                x -= f[i * nv + m] * f[j * nv + m] / f[m * nv + m];
            f[i * nv + j] = i == j ? 1 / x : x * f[j * nv + j];
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

void carom_lanes_trial(carom_ensemble *e)
{
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

/* ---- what a trial says ---- */

typedef float narrow __attribute__((vector_size(W * sizeof(float))));
typedef int narrow_bits __attribute__((vector_size(W * sizeof(int))));

/* x^(-1/5) to four digits, for x in [1e-5, 1e10]: a first guess from the bits, then Newton's method. */
INLINE carom_wide fifth_root(carom_wide x)
{
    narrow f = __builtin_convertvector(x, narrow);
    narrow bits = __builtin_convertvector((narrow_bits)f, narrow) * -0.2f;
    f = (narrow)(__builtin_convertvector(bits, narrow_bits) + 0x4c2f836f);
    carom_wide y = __builtin_convertvector(f, carom_wide);
    for (int k = 0; k < 3; k++) {
        carom_wide y2 = y * y;
        y = y * (1.2 - 0.2 * x * (y2 * y2 * y));
    }
    return y;
}

INLINE void errors(carom_ensemble *e, int nv)
{
    const int n = e->n;
    const double atol = e->options.atol, rtol = e->options.rtol;
    const carom_wide h = e->h, *k = e->k;
    carom_wide most = {0}, force = {0}, way = {0}, scale = {0};
    for (int i = 0; i < nv; i++) {
        carom_wide e_v = h * sum(error_v, STAGES, k + i, n), e_q = h * h * sum(error_q, STAGES - 1, k + i, n);
        carom_wide q = larger(size(e->start.q[i]), size(e->end.q[i])), v = larger(size(e->start.v[i]), size(e->end.v[i]));
        carom_wide dv = h * sum(turn_v, STAGES - 1, k + i, n), dq = h * h * sum(turn_q, STAGES - 1, k + i, n);
        carom_wide da = k[(STAGES - 1) * n + i] - k[(STAGES - 2) * n + i];
        most = larger(larger(size(e_q) / (atol + rtol * q), size(e_v) / (atol + rtol * v)), most);           /* (3) */
        force += da * da, way += dq * dq + dv * dv;
        scale = larger(scale, larger(q, v));
    }
    carom_wide least = 1e-6 * (atol + rtol * scale);
    e->norm = most * (1 / CAROM_TOL_KAPPA);
    e->factor = smaller(all(5), larger(all(0.2), 0.9 * fifth_root(larger(smaller(e->norm, all(1e10)), all(1e-5)))));      /* (4) */
    carom_wide ratio = choose(way > least * least, smaller(h * h * force / way, all(25)), all(0));
    for (int l = 0; l < W; l++)
        e->stiffness[l] = sqrt(ratio[l]);
}

/* Twice the defect of the quintics in the middle of the step. */
static void defects(carom_ensemble *e)
{
    const int n = e->n, nv = e->nv;
    const carom_wide h = e->h, *G = (const carom_wide *)e->at.G, *w = (const carom_wide *)e->at.w;
    bool straight = e->constant & CAROM_JACOBIAN;
    for (int i = 0; i < nv; i++)
        e->middle[i] = h * (0.5 * e->start.v[i] + h * sum(middle_q, STAGES - 1, e->k + i, n)) + (straight ? all(0) : e->start.q[i]);
    if (!straight) {
        e->t = e->base + (e->s + 0.5 * h);
        carom_lane_end middle = {.q = e->middle, .v = e->end.v};
        evaluate(e, CAROM_GAP, &middle);
    }
    for (int c = 0; c < e->nc; c++) {
        const carom_lane_end *a = &e->start, *b = &e->end;
        carom_wide quintic = 0.5 * (a->g[c] + b->g[c]) + h * (5.0 / 32 * (a->u[c] - b->u[c]) + h * (1.0 / 64 * (a->udot[c] + b->udot[c])));
        carom_wide g = ((const carom_wide *)e->at.g)[c];
        if (straight) {
            g = a->g[c] + 0.5 * h * w[e->row[c]];
            for (int j = 0; j < nv; j++)
                g += G[e->row[c] * nv + j] * e->middle[j];
        }
        e->defect[c] = 2 * size(g - quintic);
    }
}

INLINE carom_wide least_of(const carom_wide b[6])
{
    carom_wide least = b[0];
    for (int i = 1; i < 6; i++)
        least = smaller(b[i], least);
    return least;
}

/* The control points of both halves (de Casteljau); the right one in place. */
INLINE void halve(carom_wide b[6], carom_wide left[6])
{
    left[0] = b[0];
#pragma GCC unroll 5
    for (int n = 5; n > 0; n--) {
#pragma GCC unroll 5
        for (int i = 0; i < n; i++)
            b[i] = 0.5 * (b[i] + b[i + 1]);
        left[6 - n] = b[0];
    }
}

/* (5), on the halves of the step */
INLINE void gaps(carom_ensemble *e)
{
    const carom_wide h = e->h;
    carom_mask near = {0};
    for (int c = 0; c < e->nc; c++) {
        carom_wide g0 = larger(e->start.g[c], all(0)), u0 = e->start.u[c]; /* what has just left is at rounding */
        carom_wide g1 = e->end.g[c], hu0 = h * u0, hu1 = h * e->end.u[c], lower = 1.6 * e->defect[c], left[6];
        carom_wide b[6] = {g0, g0 + 0.2 * hu0, g0 + 0.4 * hu0 + 0.05 * h * h * e->start.udot[c] - lower,
                           g1 - 0.4 * hu1 + 0.05 * h * h * e->end.udot[c] - lower, g1 - 0.2 * hu1, g1};
        halve(b, left);
        near |= ~((least_of(b) >= 0) & (least_of(left) >= 0)) | ((u0 < 0) & (e->start.g[c] <= 0));
    }
    e->near = (carom_wide)near;
}

CAROM_CLONES static void judge(carom_ensemble *e)
{
    if (e->nv == 1)
        errors(e, 1);
    else
        errors(e, e->nv);
    if (e->nc)
        gaps(e);
}

void carom_lanes_judge(carom_ensemble *e)
{
    if (e->nc)
        defects(e);
    judge(e);
}

INLINE void take(carom_ensemble *e, carom_mask which)
{
    const carom_wide *last = e->k + (STAGES - 1) * e->n;
    for (int i = 0; i < e->n; i++) {
        e->start.q[i] = choose(which, e->end.q[i], e->start.q[i]);
        e->start.v[i] = choose(which, e->end.v[i], e->start.v[i]);
        e->k[i] = choose(which, last[i], e->k[i]);
    }
    for (int c = 0; c < e->nc; c++) {
        e->start.g[c] = choose(which, e->end.g[c], e->start.g[c]);
        e->start.u[c] = choose(which, e->end.u[c], e->start.u[c]);
        e->start.udot[c] = choose(which, e->end.udot[c], e->start.udot[c]);
    }
    carom_wide trace = e->trace[0];
    if (e->follow_trace) {
        trace = sum(of_v[STAGES - 1], STAGES - 1, e->trace, 1);
        e->trace[0] = choose(which, e->trace[STAGES - 1], e->trace[0]);
    }
    e->log_det += choose(which, e->h * trace, all(0));
    e->steps += choose(which, all(1), all(0));
    e->stiff_sum += choose(which, e->stiffness, all(0));
    e->stiff_count += choose(which, all(1), all(0));
    e->s = choose(which, choose((carom_mask)e->last, e->strobe, e->s + e->h), e->s);
}

static unsigned bits_of(const carom_wide *which)
{
    const carom_mask *m = (const carom_mask *)which;
    unsigned bits = 0;
    for (int l = 0; l < W; l++)
        bits |= (unsigned)((*m)[l] & 1) << l;
    return bits;
}

CAROM_CLONES static void advance(carom_ensemble *e)
{
    const carom_mask running = (carom_mask)e->running, fine = running & (e->norm <= 1) & ~(carom_mask)e->near;
    e->proposed = choose(running, e->h * e->factor, e->proposed);
    take(e, fine);
    e->which = (carom_wide)(~fine | (fine & ((carom_mask)e->last | (e->stiff_count >= CAROM_STIFF_STEPS))));
}

void carom_lanes_advance(carom_ensemble *e)
{
    advance(e);
    e->attention = bits_of(&e->which);
}

/* Parts of equal length to the strobe; the last one ends there exactly. */
CAROM_CLONES static void lengths(carom_ensemble *e)
{
    const double round = 6755399441055744.0; /* 1.5 2^52: adding it rounds to an integer */
    const carom_mask running = (carom_mask)e->running;
    carom_wide left = e->strobe - e->s, h = smaller(e->proposed, e->longest), parts = left / h - 1e-6;
    carom_wide whole = (parts + round) - round;
    whole = choose(whole < parts, whole + 1, whole);
    carom_mask last = whole <= 1;
    e->last = (carom_wide)(running & last);
    h = choose(last, left, choose(parts < 1e9, left / whole, h));
    e->h = choose(running, h, e->h);
}

void carom_lanes_lengths(carom_ensemble *e)
{
    lengths(e);
}

void carom_lane_run(carom_ensemble *e, int lane, bool running)
{
    ((carom_mask *)&e->running)[0][lane] = running ? -1 : 0;
    ((carom_mask *)&e->last)[0][lane] = 0;
}

bool carom_lane_near(const carom_ensemble *e, int lane)
{
    return ((const carom_mask *)&e->near)[0][lane] != 0;
}

static void mark(carom_ensemble *e, unsigned lanes)
{
    carom_mask *which = (carom_mask *)&e->which;
    for (int l = 0; l < W; l++)
        (*which)[l] = lanes & (1u << l) ? -1 : 0;
}

void carom_lanes_take(carom_ensemble *e, unsigned lanes)
{
    mark(e, lanes);
    take(e, *(const carom_mask *)&e->which);
}

void carom_lanes_begin(carom_ensemble *e, unsigned lanes)
{
    carom_wide *a = e->k + e->n; /* free between two trials */
    carom_lane_end here = {e->start.q, e->start.v, e->end.g, e->end.u, e->end.udot};
    if (e->new_parameters)
        carom_lanes_constants(e);
    e->t = e->base + e->s;
    evaluate(e, e->end_want, &here);
    state_acceleration(e, a);
    gradients(e, &here, a);
    for (int l = 0; l < W; l++)
        if (lanes & (1u << l) && e->lane[l].hit)
            carom_lane_saltation(e, l, a);
    if (e->columns)
        column_accelerations(e, here.q, here.v, a);
    measure(e, &here, a);
    mark(e, lanes);
    const carom_mask which = *(const carom_mask *)&e->which;
    for (int i = 0; i < e->n; i++)
        e->k[i] = choose(which, a[i], e->k[i]);
    for (int c = 0; c < e->nc; c++) {
        e->start.g[c] = choose(which, here.g[c], e->start.g[c]);
        e->start.u[c] = choose(which, here.u[c], e->start.u[c]);
        e->start.udot[c] = choose(which, here.udot[c], e->start.udot[c]);
    }
    if (e->follow_trace)
        e->trace[0] = choose(which, trace_of(e), e->trace[0]);
}

double carom_lane_trace(const carom_ensemble *e, int lane)
{
    double total = 0;
    for (int k = 0; e->follow_trace && k < STAGES - 1; k++)
        total += of_v[STAGES - 1][k] * e->trace[k][lane];
    return e->h[lane] * (e->follow_trace ? total : e->trace[0][lane]);
}
