/* crossing.c: where a force first leaves its branch within a step, and where sliding ends.
 *
 *   f on the dense output at 16 points and at the bottoms of parabolas through three of them: the first one outside;
 *   more points in between where f goes in and out                                                                 (1)
 *   root on the dense output, then on steps of the method with lengths x - (f - bound)/f', to rounding              (2)
 *   sliding ends where the part l of the upper branch leaves [0, 1]                                              (3) */
#include <float.h>
#include <math.h>

#include "core/bracket.h"
#include "schemes/piecewise/piecewise.h"

enum { ROUNDS = 10 };

static void sample(carom_step *s, carom_tol *tol, double r, double *f)
{
    carom_system *sys = s->system;
    carom_tol_inside(sys, tol, r, tol->end.v, tol->shift_q, tol->shift_v);
    carom_system_eval(sys, CAROM_SWITCH, s->now->t + r * tol->end.x, tol->shift_q, tol->shift_v);
    carom_copy(tol->switches.n, sys->at.f, f);
}

typedef struct bracket {
    int i, side;      /* the switch, and where it is outside; i < 0: none */
    double low, high; /* inside, outside */
    bool again;       /* f goes in and out: look closer */
} bracket;

/* A bottom between the samples, under the bound: its place, or 0. r is the distance of samples. */
static double bottom(carom_step *s, carom_tol *tol, int i, int k, double r, int *which)
{
    carom_switches *w = &tol->switches;
    const double *a = w->sample + (k - 1) * w->n, *b = a + w->n, *c = b + w->n;
    for (int sign = -1; sign <= 1; sign += 2) {
        double bound = sign < 0 ? w->low[i] : w->high[i];
        double f0 = sign * (bound - a[i]), f1 = sign * (bound - b[i]), f2 = sign * (bound - c[i]),
               bend = f0 - 2 * f1 + f2;
        if (!isfinite(bound) || !(f1 <= f0 && f1 <= f2 && bend > 0) || f1 > 0.2 * bend)
            continue;
        double at = r * (k + 0.5 * (f0 - f2) / bend);
        carom_tol_inside(s->system, tol, at, tol->end.v, tol->shift_q, tol->shift_v);
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + at * tol->end.x, tol->shift_q, tol->shift_v);
        *which = carom_switch_side(w, i, s->system->at.f[i]);
        if (*which)
            return at;
    }
    return 0;
}

/* (1) for one switch on samples at a distance r: whether it is outside before b->high. */
static void look_at(carom_step *s, carom_tol *tol, int i, double r, bracket *b)
{
    carom_switches *w = &tol->switches;
    int changes = 0, before = 0;
    bool found = false;
    for (int k = 1; k <= CAROM_SWITCH_SAMPLES; k++) {
        int now = carom_switch_side(w, i, w->sample[k * w->n + i]);
        changes += now != before;
        before = now;
        int which = now;
        double at = now ? r * k : k < CAROM_SWITCH_SAMPLES ? bottom(s, tol, i, k, r, &which) : 0;
        if (found || !which || !(at > 0) || at >= b->high)
            continue;
        found = true;
        bool begun = w->state[i] == CAROM_SWITCH_INSIDE || k > 1;
        *b = (bracket){i, which, r * (k - 1), at, !begun};
    }
    if (found)
        b->again |= changes > 1;
}

static bracket first_outside(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    double reach = 1;
    bracket b = {-1, 0, 0, INFINITY, false};
    for (int round = 0; round < ROUNDS; round++) {
        bracket next = {-1, 0, 0, INFINITY, false};
        for (int k = 1; k <= CAROM_SWITCH_SAMPLES; k++)
            sample(s, tol, reach * k / CAROM_SWITCH_SAMPLES, w->sample + k * w->n);
        for (int i = 0; i < w->n; i++)
            if (w->state[i] != CAROM_SWITCH_SLIDES)
                look_at(s, tol, i, reach / CAROM_SWITCH_SAMPLES, &next);
        if (next.i < 0)
            break;
        b = next;
        if (!b.again)
            break;
        reach = b.high;
    }
    return b;
}

/* (2), the first half: the root on the dense output; slope of f by time there. */
static double dense_root(carom_step *s, carom_tol *tol, const bracket *b, double bound, double *slope)
{
    carom_switches *w = &tol->switches;
    double low = b->low, high = b->high, *f = w->sample;
    sample(s, tol, low, f);
    double f_low = f[b->i] - bound;
    sample(s, tol, high, f);
    double f_high = f[b->i] - bound;
    *slope = (f_high - f_low) / ((high - low) * tol->end.x);
    if (f_low * f_high > 0)
        return high; /* it began at the bound */
    carom_bracket c = {low, high, f_low, f_high, 0, 0};
    while (c.k < 60 && c.high - c.low > 1e-15) {
        double r = carom_bracket_next(&c, -1);
        sample(s, tol, r, f);
        double value = f[b->i] - bound;
        if (value == 0)
            c.low = c.high = r;
        else
            carom_bracket_put(&c, r, value, (value > 0) == (c.f_high > 0));
    }
    double d = 1e-4 * (high - low);
    high = c.high;
    sample(s, tol, high - d, f);
    double before = f[b->i];
    sample(s, tol, high + d, f);
    if (f[b->i] != before)
        *slope = (f[b->i] - before) / (2 * d * tol->end.x);
    return high;
}

/* A step of length x to w->end, its stages kept for the events. */
static carom_status repeat(carom_step *s, carom_tol *tol, double x)
{
    double norm;
    if (tol->constant)
        return carom_tol_stages(s, tol, x, &tol->end, true);
    CAROM_TRY(carom_tol_trial(s, tol, x, &tol->end, &norm));
    return carom_tol_mean_force(s, tol, x);
}

/* How far the least l of those that slide at a point is inside [0, 1], and where it leaves. */
static carom_status least_part(carom_step *s, carom_tol *tol, carom_end *end, double *inside, int *which, int *side_of)
{
    const carom_slide *z = &tol->given.slide;
    *inside = INFINITY;
    CAROM_TRY(carom_tol_measure(s, tol, end));
    for (int k = 0; k < z->n; k++) {
        double part = CAROM_MIN(z->lambda[k], 1 - z->lambda[k]);
        if (part < *inside && !z->passive[k])
            *inside = part, *which = z->index[k], *side_of = z->lambda[k] < 0.5 ? -1 : 1;
    }
    return CAROM_OK;
}

/* (3): shortens the step to the end of sliding. */
static carom_status slide_end(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    carom_bracket b = {.high = tol->end.x};
    double accuracy = 1e-13 * b.high, part;
    int which = -1, side_of = 0;
    CAROM_TRY(least_part(s, tol, &tol->end, &b.f_high, &which, &side_of));
    if (!(b.f_high < 0))
        return CAROM_OK;
    CAROM_TRY(least_part(s, tol, &tol->start, &b.f_low, &which, &side_of));
    b.f_low = CAROM_MAX(b.f_low, DBL_MIN);
    while (b.k < 50 && b.high - b.low > accuracy && b.f_high < 0) {
        double x = carom_bracket_next(&b, -1);
        CAROM_TRY(repeat(s, tol, x));
        CAROM_TRY(least_part(s, tol, &tol->end, &part, &which, &side_of));
        part = fabs(part) < 1e-14 ? 0 : part;
        carom_bracket_put(&b, x, part, part <= 0);
    }
    if (tol->end.x != b.high)
        CAROM_TRY(repeat(s, tol, b.high));
    CAROM_TRY(least_part(s, tol, &tol->end, &part, &which, &side_of));
    w->crossed = which, w->side = side_of, w->x = tol->end.x;
    return CAROM_OK;
}

carom_status carom_switch_first(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    double h = tol->end.x, slope, last = INFINITY;
    w->crossed = -1;
    if (!w->n || !(h > 0))
        return CAROM_OK;
    if (tol->given.slide.n)
        CAROM_TRY(slide_end(s, tol));
    h = tol->end.x;
    carom_copy(w->n, w->start, w->sample);
    bracket b = first_outside(s, tol);
    if (b.i < 0)
        return CAROM_OK;
    double bound = b.side < 0 ? w->low[b.i] : w->high[b.i];
    double x = h * dense_root(s, tol, &b, bound, &slope);
    for (int k = 0; k < 8; k++) {                                                               /* (2) */
        CAROM_TRY(repeat(s, tol, x));
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + x, tol->end.q, tol->end.v);
        double f = s->system->at.f[b.i] - bound, change = slope != 0 ? -f / slope : 0;
        double rounding = 2 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), x);
        if (!(fabs(change) < 0.5 * last) || fabs(change) <= rounding || !(x + change > 0) || x + change > h)
            break;
        last = fabs(change);
        x += change;
    }
    w->crossed = b.i, w->side = b.side, w->x = tol->end.x;
    return CAROM_OK;
}
