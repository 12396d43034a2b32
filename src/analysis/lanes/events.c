/* events.c: isolated impacts of a lane.
 *
 *   look      the quintic of quintic.c, lowered by its defect d, may be negative: the first root of the quintic
 *             itself, between a
 *             place where it is positive and one where it is below -d; where there is no such place: unclear; in
 *             closed form
 *             the root of the series near it, exact.c (5)                                                      (1)
 *   locate    a trial to that root; g + u dx + udot dx^2/2 = 0; once more from there unless dx is so small that
 *             q + v dx + a dx^2/2, v + a dx  are exact to rounding                                                  (2)
 *
 * Whatever is unclear or touches several contacts is the simulation's (serial.c). */
#include <float.h>
#include <math.h>

#include "analysis/lanes/lanes.h"
#include "core/quintic.h"

#define INLINE static inline __attribute__((always_inline))

static double norm_of(carom_wide *rows, int n, int lane)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(*carom_lane_at(rows, i, lane));
        most = size > most ? size : most;
    }
    return most;
}

double carom_lane_rest(const carom_ensemble *e, carom_wide *v, int lane)
{
    return 1e-12 * (1 + norm_of(v, e->nv, lane));
}

/* The root of the quintic in [low, high], positive at low and negative at high: Halley's method inside the bracket. */
static double root_of(const double c[6], double s, double low, double high, double accuracy)
{
    s = s > low && s < high ? s : 0.5 * (low + high);
    for (int k = 0; k < 60 && high - low > accuracy; k++) {
        const double s2 = s * s;
        double f = (c[0] + s * c[1]) + s2 * ((c[2] + s * c[3]) + s2 * (c[4] + s * c[5]));
        double slope = (c[1] + s * (2 * c[2])) + s2 * ((3 * c[3] + s * (4 * c[4])) + s2 * (5 * c[5]));
        double half_bend = (c[2] + s * (3 * c[3])) + s2 * (6 * c[4] + s * (10 * c[5]));
        *(f > 0 ? &low : &high) = s;
        double next = s - f * slope / (slope * slope - f * half_bend);
        if (fabs(next - s) <= accuracy) /* the next one is much better */
            return next >= low && next <= high ? next : s;
        s = next > low && next < high ? next : 0.5 * (low + high);
    }
    return s;
}

/* The first place from s on where the quintic is below -d, or 2. */
static double negative_from(const double b[6], double s, double d)
{
    enum { TRIES = 8 };
    for (int k = 0; k < TRIES && s <= 1; k++, s += 1.0 / 64)
        if (carom_quintic_value(b, s) < -d)
            return s;
    return b[5] < -d ? 1 : 2;
}

/* Is there exactly one change of sign, whatever the defect? By Descartes' rule there is one root then. */
INLINE bool crosses_once(const double b[6], double defect)
{
    unsigned above = 0, below = 0;
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        double d = i == 2 || i == 3 ? defect : 0;
        above |= (unsigned)(b[i] - d >= 0) << i;
        below |= (unsigned)(b[i] + d < 0) << i;
    }
    return below && (above | below) == 63 && (below | (below - 1)) == 63 && (b[0] > 0 || b[1] > 0);
}

/* The bracket of the first root, where there may be several; the quintic is lowered by its defect first. */
static carom_sight bracket(const double b[6], double d, double *low, double *high)
{
    double lowered[6], first;
    for (int i = 0; i < 6; i++)
        lowered[i] = b[i];
    carom_quintic_lower(lowered, d);
    if (!carom_quintic_first(lowered, 0, &first, high))
        return CAROM_SIGHT_FREE;
    if (!carom_quintic_first(b, 0, low, high))
        return CAROM_SIGHT_UNCLEAR;
    *high = negative_from(b, *high, d);
    bool clear = *high <= 1 && first >= *low && carom_quintic_value(b, *low) > 0;
    return clear ? CAROM_SIGHT_IMPACT : CAROM_SIGHT_UNCLEAR;
}

/* (1) for one contact: FREE, IMPACT with its root and bracket in parts of the step, or UNCLEAR. */
static carom_sight look_at(carom_ensemble *e, int lane, int c, double *root, double *low, double *high)
{
    const double h = e->h[lane], start = e->start.g[c][lane], u0 = h * e->start.u[c][lane],
                 a0 = h * h * e->start.udot[c][lane];
    const double g0 = CAROM_MAX(start, 0), g1 = e->end.g[c][lane], u1 = h * e->end.u[c][lane],
                 a1 = h * h * e->end.udot[c][lane];
    const double d = e->defect[c][lane];
    const double b[6] = {g0, g0 + 0.2 * u0, g0 + 0.4 * u0 + 0.05 * a0, g1 - 0.4 * u1 + 0.05 * a1, g1 - 0.2 * u1, g1};
    if (start <= 0 && u0 < 0)
        return CAROM_SIGHT_UNCLEAR;
    *low = 0, *high = 1;
    if (!crosses_once(b, 1.6 * d)) {
        carom_sight sight = bracket(b, d, low, high);
        if (sight != CAROM_SIGHT_IMPACT)
            return sight;
    }
    /* by the parabola at the end */
    double guess = 1 + (g1 < 0 ? 2 * g1 / (sqrt(CAROM_MAX(u1 * u1 - 2 * a1 * g1, 0)) - u1) : 0);
    if (e->exact) {
        *root = carom_exact_lane_root(e, lane, c, guess);
        if (*root > *low && *root < *high)
            return CAROM_SIGHT_IMPACT;
    }
    double D = g1 - g0 - u0 - 0.5 * a0, B = u1 - u0 - a0, C = a1 - a0;
    const double power[6] = {g0, u0, 0.5 * a0, 10 * D - 4 * B + 0.5 * C, -15 * D + 7 * B - C, 6 * D - 3 * B + 0.5 * C};
    *root = root_of(power, guess, *low, *high, 1e-3);
    return CAROM_SIGHT_IMPACT;
}

carom_sight carom_lane_look(carom_ensemble *e, int lane)
{
    carom_lane *l = &e->lane[lane];
    double h = e->h[lane], best = 2;
    carom_sight sight = CAROM_SIGHT_FREE;
    l->resume_at = e->s[lane] + h;
    for (int c = 0; c < e->nc; c++) {
        double root = 2, low = 0, high = 1;
        carom_sight seen = look_at(e, lane, c, &root, &low, &high);
        if (seen == CAROM_SIGHT_UNCLEAR || (seen == CAROM_SIGHT_IMPACT && fabs(root - best) < 1e-6))
            return CAROM_SIGHT_UNCLEAR;
        if (seen != CAROM_SIGHT_IMPACT || root > best)
            continue;
        best = root;
        sight = e->serial_only[c] ? CAROM_SIGHT_UNCLEAR : CAROM_SIGHT_IMPACT;
        l->contact = c, l->low = low * h, l->high = high * h;
        l->tries = 0;
    }
    if (sight == CAROM_SIGHT_IMPACT)
        e->h[lane] = best * h;
    return sight;
}

/* Does another contact touch? */
static bool alone(carom_ensemble *e, int lane, int contact)
{
    double rounding = 64 * DBL_EPSILON * (1 + norm_of(e->end.q, e->nv, lane));
    for (int c = 0; c < e->nc; c++)
        if (c != contact && e->end.g[c][lane] <= rounding &&
            !(e->end.u[c][lane] > 0 && e->start.g[c][lane] <= rounding))
            return false;
    return true;
}

/* (2) to the end of the trial and dx */
INLINE void move_end(carom_ensemble *e, int lane, double dx, int n)
{
    const carom_wide *a = e->accel + (CAROM_LANE_STAGES - 1) * e->n;
    for (int i = 0; i < n; i++) {
        double *q = carom_lane_at(e->end.q, i, lane), *v = carom_lane_at(e->end.v, i, lane);
        *q += dx * (*v + 0.5 * dx * a[i][lane]);
        *v += dx * a[i][lane];
    }
}

carom_sight carom_lane_locate(carom_ensemble *e, int lane)
{
    enum { TRIES = 8 };
    carom_lane *l = &e->lane[lane];
    double g = e->end.g[l->contact][lane], u = e->end.u[l->contact][lane], a_n = e->end.udot[l->contact][lane],
           longest = e->longest[lane];
    double square = u * u - 2 * a_n * g, dx = square > 0 ? 2 * g / (sqrt(square) - u) : -g / u, x = e->h[lane] + dx;
    if (!(u < -carom_lane_rest(e, e->end.v, lane)) || !(x > l->low && x < l->high) || ++l->tries > TRIES)
        return CAROM_SIGHT_UNCLEAR;
    /* as far as the gap tells */
    bool exact = e->exact && fabs(g) <= 8 * DBL_EPSILON * (1 + norm_of(e->end.q, e->nv, lane));
    if (!exact && !(fabs(dx) <= (e->exact ? 1e-13 : 1e-7) * CAROM_MIN(longest, e->proposed[lane]))) {
        e->h[lane] = x;
        return CAROM_SIGHT_FREE;
    }
    l->u = u + dx * a_n;
    if (e->n == 3)
        move_end(e, lane, dx, 3);
    else
        move_end(e, lane, dx, e->n);
    if (!alone(e, lane, l->contact))
        return CAROM_SIGHT_UNCLEAR;
    e->log_det[lane] += carom_lane_trace(e, lane) + dx * e->trace[CAROM_LANE_STAGES - 1][lane];
    e->h[lane] = x;
    return CAROM_SIGHT_IMPACT;
}
