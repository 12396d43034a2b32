/* judge.c: what a trial of eight lanes says, and what follows from it at once.
 * Source of the weights of the middle: L. F. Shampine, Math. Comp. 46 (1986) 135-150.
 *
 *   error, its norm and acceptance as in schemes/piecewise/trial.c, of the state alone                              (1)
 *   h' = h min(5, max(0.2, 0.9 |e/kappa|^(-1/5)))                                                                   (2)
 *   (h |a_7 - a_6|/|Y_7 - Y_6|)^2, limited: its mean tells stiff forces                                             (3)
 *   the gap along the step: quintic through g, u, udot at both ends (quintic.c), off by d in the middle, where the
 *   pair's own
 *   interpolation of order 4 says how much; lowered by d all Bernstein coefficients of both halves >= 0: no impact  (4)
 *   the next steps divide the time to the strobe evenly                                                             (5)
 */
#include <float.h>
#include <math.h>

#include "analysis/lanes/lanes.h"
#include "core/dormand_prince.h"
#include "analysis/lanes/wide.h"
#include "model/forcing.h"
#include "schemes/piecewise/piecewise.h"

enum { W = CAROM_LANES, STAGES = CAROM_LANE_STAGES };
typedef float narrow __attribute__((vector_size(W * sizeof(float))));
typedef int narrow_bits __attribute__((vector_size(W * sizeof(int))));

static const double error_v[STAGES] = {D1, 0, D3, D4, D5, D6, D7};
static const double error_q[STAGES] = POSITIONS(0, D3, D4, D5, D6, D7);
static const double last_v[STAGES] = {B1, 0, B3, B4, B5, B6};
static const double turn_v[STAGES] = {B1 - A61, -A62, B3 - A63, B4 - A64, B5 - A65, B6}; /* Y_7 - Y_6 */
static const double turn_q[STAGES] = POSITIONS(-A62, B3 - A63, B4 - A64, B5 - A65, B6, 0);
static const double middle_q[STAGES] =
    POSITIONS(0, 51252292925.0 / 65400821598 / 2, -2691868925.0 / 45128329728 / 2, 187940372067.0 / 1594534317056 / 2,
              -1776094331.0 / 19743644256 / 2, 11237099.0 / 235043384 / 2);

/* x^(-1/5) to two digits, for x in [1e-5, 1e10]: a first guess from the bits, then once Newton's method. */
INLINE carom_wide fifth_root(carom_wide x)
{
    narrow f = __builtin_convertvector(x, narrow);
    narrow bits = __builtin_convertvector((narrow_bits)f, narrow) * -0.2f;
    f = (narrow)(__builtin_convertvector(bits, narrow_bits) + 0x4c2f836f);
    carom_wide y = __builtin_convertvector(f, carom_wide), y2 = y * y;
    return y * (1.2 - 0.2 * x * (y2 * y2 * y));
}

INLINE void errors(carom_ensemble *e, int nv, bool whole)
{
    const int n = e->n;
    const double atol = e->options.atol, rtol = e->options.rtol;
    const carom_wide h = e->h, *k = e->accel;
    carom_wide most = {0}, total = {0};
    for (int i = 0; i < nv; i++) {
        carom_wide e_v = h * sum(error_v, STAGES, k + i, n), e_q = h * h * sum(error_q, STAGES, k + i, n);
        carom_wide q = larger(whole, size(e->start.q[i]), size(e->end.q[i])),
                   v = larger(whole, size(e->start.v[i]), size(e->end.v[i]));
        q = atol + rtol * q, v = atol + rtol * v;
        e_q = size(e_q) * v, e_v = size(e_v) * q;
        e_v = (larger(whole, e_q, e_v) + 0 * e_q) / (q * v); /* with what is not a number */
        most = larger(whole, e_v, most);
        total += e_v;
    }
    e->norm = choose(at_most(whole, total, all(DBL_MAX)), most * (1 / CAROM_TOL_KAPPA), total);                /* (1) */
    carom_wide factor = 0.9 * fifth_root(larger(whole, smaller(whole, e->norm, all(1e10)), all(1e-5)));
    e->factor = smaller(whole, larger(whole, factor, all(0.2)), all(5));                                       /* (2) */
}

/* In closed form there is no error; what is not finite is no step. */
INLINE void finite_only(carom_ensemble *e, int nv, bool whole)
{
    carom_wide total = {0};
    for (int i = 0; i < nv; i++)
        total += size(e->end.q[i]) + size(e->end.v[i]);
    carom_mask fine = at_most(whole, total, all(DBL_MAX));
    e->norm = choose(fine, all(0), all(NAN));
    e->factor = choose(fine, all(5), all(0.2));
}

/* (3); 0 where the difference is far below the tolerance: it may be rounding. */
INLINE void stiffness(carom_ensemble *e, bool whole)
{
    const int n = e->n;
    const carom_wide h = e->h, *k = e->accel;
    carom_wide force = {0}, way = {0}, scale = {0};
    for (int i = 0; i < e->nv; i++) {
        carom_wide dv = h * sum(turn_v, STAGES, k + i, n), dq = h * h * sum(turn_q, STAGES, k + i, n);
        carom_wide da = k[(STAGES - 1) * n + i] - k[(STAGES - 2) * n + i];
        force += da * da, way += dq * dq + dv * dv;
        scale = larger(whole, scale, larger(whole, size(e->start.q[i]), size(e->end.v[i])));
    }
    carom_wide least = 1e-6 * (e->options.atol + e->options.rtol * scale);
    e->stiffness = choose(at_most(whole, way, least * least), all(0), smaller(whole, h * h * force / way, all(25)));
}

/* The sign bits of all control points of both halves (de Casteljau, without the factors 1/2). */
INLINE carom_mask signs(carom_wide b[6])
{
    carom_mask bits = (carom_mask)b[0] | (carom_mask)b[5];
#pragma GCC unroll 5
    for (int n = 5; n > 0; n--) {
#pragma GCC unroll 5
        for (int i = 0; i < n; i++)
            b[i] = b[i] + b[i + 1];
        bits |= (carom_mask)b[0] | (carom_mask)b[n - 1];
    }
    return bits;
}

/* Positions in the middle of the step, from its start. */
INLINE carom_wide middle(const carom_ensemble *e, int i)
{
    return e->h * (0.5 * e->start.v[i] + e->h * sum(middle_q, STAGES, e->accel + i, e->n));
}

/* (4); the sign bits: a gap may close */
INLINE carom_mask gaps(carom_ensemble *e, int nv, bool whole)
{
    const carom_wide h = e->h, *G = (const carom_wide *)e->at.G, *w = (const carom_wide *)e->at.w;
    carom_mask near = {0};
    for (int c = 0; c < e->nc; c++) {
        int row = e->row[c];
        carom_wide start = e->start.g[c], u0 = e->start.u[c], a0 = e->start.udot[c], a1 = e->end.udot[c];
        carom_wide g1 = e->end.g[c], hu0 = h * u0, hu1 = h * e->end.u[c], hh = h * h,
                   there = ((const carom_wide *)e->at.g)[c];
        e->defect[c] = all(0);
        for (int j = 0; e->exact && j < nv; j++)
            e->defect[c] += size(G[row * nv + j]) * e->exact->bound[j];
        if (!e->exact && e->constant & CAROM_JACOBIAN) {
            there = start + 0.5 * h * w[row];
            for (int j = 0; j < nv; j++)
                there += G[row * nv + j] * middle(e, j);
        }
        if (!e->exact)
            e->defect[c] = 2 * size(there - (0.5 * (start + g1) + 5.0 / 32 * (hu0 - hu1) + 1.0 / 64 * hh * (a0 + a1)));
        /* what has just left is at rounding */
        carom_wide lower = 1.6 * e->defect[c], g0 = larger(whole, start, all(0));
        carom_wide b[6] = {g0,
                           g0 + 0.2 * hu0,
                           g0 + 0.4 * hu0 + 0.05 * hh * a0 - lower,
                           g1 - 0.4 * hu1 + 0.05 * hh * a1 - lower,
                           g1 - 0.2 * hu1,
                           g1};
        near |= signs(b) | ((carom_mask)start & (carom_mask)u0);
    }
    return near;
}

INLINE void take(carom_ensemble *e, carom_mask which)
{
    const carom_wide *last = e->accel + (STAGES - 1) * e->n;
    for (int i = 0; i < e->n; i++) {
        e->start.q[i] = choose(which, e->end.q[i], e->start.q[i]);
        e->start.v[i] = choose(which, e->end.v[i], e->start.v[i]);
        e->accel[i] = choose(which, last[i], e->accel[i]);
    }
    for (int c = 0; c < e->nc; c++) {
        e->start.g[c] = choose(which, e->end.g[c], e->start.g[c]);
        e->start.u[c] = choose(which, e->end.u[c], e->start.u[c]);
        e->start.udot[c] = choose(which, e->end.udot[c], e->start.udot[c]);
    }
    for (int i = 0; e->exact && i < e->nv; i++)
        for (int j = i * CAROM_TIME_HARMONICS; j < i * CAROM_TIME_HARMONICS + e->exact->nharmonic; j++) {
            e->exact->x[j] = choose(which, e->exact->x_end[j], e->exact->x[j]);
            e->exact->y[j] = choose(which, e->exact->y_end[j], e->exact->y[j]);
        }
    carom_wide trace = e->trace[0], one = choose(which, all(1), all(0));
    if (e->follow_trace) {
        trace = sum(last_v, STAGES, e->trace, 1);
        e->trace[0] = choose(which, e->trace[STAGES - 1], e->trace[0]);
    }
    e->log_det += choose(which, e->h * trace, all(0));
    e->steps += one;
    e->stiff_sum += choose(which, e->stiffness, all(0));
    e->stiff_count += one;
    e->s = choose(which, choose((carom_mask)e->last, e->strobe, e->s + e->h), e->s);
}

/* The bits of all lanes in one number. */
INLINE unsigned together(carom_mask bits)
{
    const carom_part_mask half = (carom_part_mask)__builtin_shufflevector(bits, bits, 0, 1, 2, 3) |
                                 (carom_part_mask)__builtin_shufflevector(bits, bits, 4, 5, 6, 7);
    return (unsigned)((half[0] | half[1]) | (half[2] | half[3]));
}

INLINE carom_verdict judge_all(carom_ensemble *e, int nv, bool whole)
{
    const carom_mask bit = {1, 2, 4, 8, 16, 32, 64, 128};
    carom_mask near = {0};
    if (e->exact)
        finite_only(e, nv, whole);
    else
        errors(e, nv, whole);
    if (e->watch_stiffness)
        stiffness(e, whole);
    if (e->nc)
        near = negative(whole, gaps(e, nv, whole));
    carom_mask running = (carom_mask)e->running, passed = at_most(whole, e->norm, all(1)),
               fine = running & passed & ~near;
    carom_wide next = e->h * e->factor;
    /* by the strobe: that says nothing about the next */
    carom_mask cut = (carom_mask)e->last & at_most(whole, all(5), e->factor);
    e->proposed = choose(running, choose(cut, larger(whole, e->proposed, next), next), e->proposed);
    take(e, fine);
    carom_mask others = ~fine | (carom_mask)e->last;
    if (e->watch_stiffness)
        others |= at_most(whole, all(CAROM_STIFF_STEPS), e->stiff_count);
    unsigned set = together((others & bit) | (~passed & (bit << W)) | (near & (bit << 2 * W)));
    return (carom_verdict){set & 255, set >> W & 255, set >> 2 * W};
}

CAROM_CLONES static carom_verdict judge(carom_ensemble *e)
{
    return e->nv == 1 ? judge_all(e, 1, false) : judge_all(e, e->nv, false);
}

CAROM_AVX512 static carom_verdict judge_whole(carom_ensemble *e)
{
    return e->nv == 1 ? judge_all(e, 1, true) : judge_all(e, e->nv, true);
}

carom_verdict carom_lanes_judge(carom_ensemble *e)
{
    if (e->nc && !(e->constant & CAROM_JACOBIAN)) {
        for (int i = 0; i < e->nv; i++)
            e->middle[i] = e->start.q[i] + middle(e, i);
        carom_lanes_middle(e, e->middle);
    }
    return CAROM_HAS_AVX512 ? judge_whole(e) : judge(e);
}

void carom_lanes_take(carom_ensemble *e, unsigned lanes)
{
    carom_mask which;
    for (int l = 0; l < W; l++)
        which[l] = lanes >> l & 1 ? -1 : 0;
    take(e, which);
}

/* (5); the last one ends at the strobe exactly. */
INLINE void lengths(carom_ensemble *e, bool whole)
{
    const double round = 6755399441055744.0; /* 1.5 2^52: adding it rounds to an integer */
    carom_mask running = (carom_mask)e->running;
    carom_wide left = e->strobe - e->s, h = smaller(whole, e->proposed, e->longest), ratio = left / h - 1e-6;
    carom_wide steps = (ratio + round) - round;
    steps = choose(at_most(whole, ratio, steps), steps, steps + 1);
    carom_mask last = at_most(whole, steps, all(1));
    e->last = (carom_wide)(running & last);
    h = choose(last, left, choose(at_most(whole, ratio, all(1e9)), left / steps, h));
    e->h = choose(running, h, e->h);
}

CAROM_CLONES static void lengths_by_halves(carom_ensemble *e)
{
    lengths(e, false);
}

CAROM_AVX512 static void lengths_whole(carom_ensemble *e)
{
    lengths(e, true);
}

void carom_lanes_lengths(carom_ensemble *e)
{
    if (CAROM_HAS_AVX512)
        lengths_whole(e);
    else
        lengths_by_halves(e);
}

void carom_lane_run(carom_ensemble *e, int lane, bool running)
{
    (*(carom_mask *)&e->running)[lane] = running ? -1 : 0;
    (*(carom_mask *)&e->last)[lane] = 0;
}

double carom_lane_trace(const carom_ensemble *e, int lane)
{
    double total = 0;
    for (int k = 0; e->follow_trace && k < STAGES - 1; k++)
        total += last_v[k] * e->trace[k][lane];
    return e->h[lane] * (e->follow_trace ? total : e->trace[0][lane]);
}
