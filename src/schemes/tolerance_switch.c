/* tolerance_switch.c: forces that change their branch (if, abs, sign, min, max, floor, mod): the step ends where they do.
 *
 *   A branch d holds while low <= f(t, q, v) <= high; within a step it is frozen, so that forces are smooth        (1)
 *   f on the dense output at 16 points and at the bottoms of parabolas through three of them: the first one outside;
 *   more points in between where f goes in and out                                                                 (2)
 *   root on the dense output, then on steps of the method with lengths x - (f - bound)/f', to rounding              (3)
 *   there the branch on the other side holds. Does f, with its forces, move into it after a short time d (Heun)?
 *   If not, the old one goes on: f only touched its bound. If that leaves too, f slides (slide.c)                   (4)
 *   A branch that is left again and again within no time slides, too                                              (5)
 *   it slides until the part l of the upper branch leaves [0, 1]                                                   (6) */
#include <float.h>
#include <math.h>

#include "model/model.h"
#include "schemes/tolerance.h"

enum { SAMPLES = 16, ROUNDS = 10, FLIPS = 8 };
enum { INSIDE, AT_LOW, AT_HIGH, SLIDES }; /* how a branch holds: f is inside, at a bound of it, or between two branches */

int carom_switch_memory(const carom_system *system)
{
    return 4 * system->model->nswitch + 2;
}

void carom_switch_layout(carom_layout *layout, carom_switches *w, const carom_system *system)
{
    int n = system->model->nswitch;
    CAROM_PLACE(layout, w->low, n);
    CAROM_PLACE(layout, w->high, n);
    CAROM_PLACE(layout, w->start, n);
    CAROM_PLACE(layout, w->sample, (SAMPLES + 1) * n);
}

static void bounds(const carom_system *sys, carom_switches *w, int i)
{
    carom_model_branch(sys->model, i, w->d[i], &w->low[i], &w->high[i]);
}

static void set_branch(const carom_system *sys, carom_switches *w, int i, double f)
{
    w->d[i] = carom_model_branch(sys->model, i, f, &w->low[i], &w->high[i]);
}

/* -1 below, 1 above, 0 inside */
static int side(const carom_switches *w, int i, double f)
{
    return f < w->low[i] ? -1 : f > w->high[i] ? 1 : 0;
}

/* The branch on the other side of the bound where f is. */
static void cross(const carom_system *sys, carom_switches *w, int i)
{
    bool up = w->state[i] == AT_HIGH;
    set_branch(sys, w, i, up ? w->high[i] : nextafter(w->low[i], -INFINITY));
    w->state[i] = up ? AT_LOW : AT_HIGH;
}

/* Branches by the values of f at the start, those inside others first. */
static void by_value(carom_step *s, carom_switches *w, const double *q, const double *v, bool anew)
{
    carom_system *sys = s->system;
    bool changed = true;
    for (int round = 0; changed && round <= w->n; round++) {
        changed = false;
        carom_system_eval(sys, CAROM_SWITCH, s->now->t, q, v);
        for (int i = 0; i < w->n; i++) {
            double f = sys->at.f[i], before = w->d[i];
            if (w->state[i] != INSIDE || (!anew && side(w, i, f) == 0))
                continue;
            set_branch(sys, w, i, f);
            changed |= w->d[i] != before;
        }
        anew = false;
    }
    carom_copy(w->n, sys->at.f, w->start);
    for (int i = 0; i < w->n; i++)
        if (w->state[i] == INSIDE && (w->start[i] == w->low[i] || w->start[i] == w->high[i]))
            w->state[i] = w->start[i] == w->low[i] ? AT_LOW : AT_HIGH;
}

void carom_switch_begin(carom_step *s, carom_tol *tol)
{
    carom_system *sys = s->system;
    carom_switches *w = &tol->switches;
    w->n = sys->model->nswitch;
    w->crossed = -1;
    if (!w->n)
        return;
    w->d = s->memory_next + 4 * sys->model->ncontact + 2;
    w->state = w->d + w->n, w->flips = w->state + w->n, w->other = w->flips + w->n, w->clock = w->other + w->n;
    bool anew = w->clock[0] == 0;
    sys->at.d = w->d;
    sys->frozen = CAROM_SWITCH;
    for (int i = 0; i < w->n; i++)
        bounds(sys, w, i);
    by_value(s, w, tol->start.q, tol->start.v, anew);
    w->clock[0] = 1;
}

/* (4): 1 if f moves into the branch, -1 if out of it, 0 if it stays where it is. */
static carom_status enters(carom_step *s, carom_tol *tol, int i, int *answer)
{
    carom_system *sys = s->system;
    const carom_end *e = &tol->start;
    double t = s->now->t, inward = tol->switches.state[i] == AT_LOW ? 1 : -1;
    CAROM_TRY(carom_tol_measure(s, tol, &tol->start));
    carom_system_eval(sys, CAROM_SWITCH, t, e->q, e->v);
    double f = sys->at.f[i];
    *answer = 0;
    for (double d = 1e-4 * s->h; *answer == 0 && d <= s->h; d *= 30) {
        for (int k = 0; k < sys->nv; k++) {
            tol->shift_q[k] = e->q[k] + d * (e->v[k] + 0.5 * d * e->a[k]);
            tol->shift_v[k] = e->v[k] + d * e->a[k];
        }
        CAROM_TRY(carom_contact_accel_fixed(&tol->fixed, sys, t + d, tol->shift_q, tol->shift_v, 0, tol->probe.a, tol->force, s->error));
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] += 0.5 * d * (tol->probe.a[k] - e->a[k]);
        carom_system_eval(sys, CAROM_SWITCH, t + d, tol->shift_q, tol->shift_v);
        double change = inward * (sys->at.f[i] - f), noise = 16 * DBL_EPSILON * (fabs(f) + fabs(sys->at.f[i]));
        *answer = change > noise ? 1 : change < -noise ? -1 : 0;
    }
    return CAROM_OK;
}

/* From here on d is the lower branch and other the upper one. */
static void slide(carom_step *s, carom_switches *w, int i)
{
    if (w->state[i] == AT_HIGH)
        cross(s->system, w, i);
    w->other[i] = w->d[i];
    cross(s->system, w, i);
    w->state[i] = SLIDES;
    carom_stage_slide(s->stage, s->now->t);
}

static carom_status gather(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->fixed.slide;
    z->d = w->d, z->time = s->options->t_end / 20, z->distance = 0.03 * s->h;
    for (int i = 0; i < w->n; i++) {
        if (w->state[i] != SLIDES)
            continue;
        if (z->n == CAROM_SLIDE_MAX)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "more than %d forces slide between their branches at t = %.10g", CAROM_SLIDE_MAX, s->now->t);
        z->passive[z->n] = false;
        z->index[z->n] = i, z->low[z->n] = w->d[i], z->high[z->n] = w->other[i], z->bound[z->n++] = w->high[i];
    }
    return CAROM_OK;
}

/* A branch that is left at once, or before it matters: do both push back? */
static carom_status try_slide(carom_step *s, carom_tol *tol, int i, int *answer)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->fixed.slide;
    double state = w->state[i], d = w->d[i];
    bool inside = true;
    slide(s, w, i);
    z->n = 0;
    CAROM_TRY(gather(s, tol));
    carom_status status = carom_tol_measure(s, tol, &tol->start);
    z->time = status == CAROM_OK ? carom_slide_time(z) : z->time;
    status = status == CAROM_OK ? carom_tol_measure(s, tol, &tol->start) : status;
    for (int k = 0; k < z->n; k++)
        inside &= z->index[k] != i || (z->lambda[k] >= 0 && z->lambda[k] <= 1);
    *answer = status == CAROM_OK && inside;
    w->flips[i] = 0;
    if (*answer)
        return CAROM_OK;
    w->state[i] = state, w->d[i] = d;
    bounds(s->system, w, i);
    s->stage->slides = false;
    z->n = 0;
    return gather(s, tol);
}

carom_status carom_switch_settle(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    tol->fixed.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    for (int i = 0; i < w->n; i++) {
        int answer;
        if (w->state[i] != AT_LOW && w->state[i] != AT_HIGH)
            continue;
        if (w->flips[i] > FLIPS) {                                                              /* (5) */
            CAROM_TRY(try_slide(s, tol, i, &answer));
            if (answer > 0)
                continue;
        }
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer >= 0)
            continue;
        cross(s->system, w, i);
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer < 0)
            CAROM_TRY(try_slide(s, tol, i, &answer));
    }
    tol->fixed.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    if (tol->fixed.slide.n) {
        CAROM_TRY(carom_tol_measure(s, tol, &tol->start));
        tol->fixed.slide.time = carom_slide_time(&tol->fixed.slide);
    }
    return CAROM_OK;
}

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
        double f0 = sign * (bound - a[i]), f1 = sign * (bound - b[i]), f2 = sign * (bound - c[i]), bend = f0 - 2 * f1 + f2;
        if (!isfinite(bound) || !(f1 <= f0 && f1 <= f2 && bend > 0) || f1 > 0.2 * bend)
            continue;
        double at = r * (k + 0.5 * (f0 - f2) / bend), f[1];
        carom_tol_inside(s->system, tol, at, tol->end.v, tol->shift_q, tol->shift_v);
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + at * tol->end.x, tol->shift_q, tol->shift_v);
        f[0] = s->system->at.f[i];
        *which = side(w, i, f[0]);
        if (*which)
            return at;
    }
    return 0;
}

/* (2) for one switch on samples at a distance r: whether it is outside before b->high. */
static void look_at(carom_step *s, carom_tol *tol, int i, double r, bracket *b)
{
    carom_switches *w = &tol->switches;
    int changes = 0, before = 0;
    bool found = false;
    for (int k = 1; k <= SAMPLES; k++) {
        int now = side(w, i, w->sample[k * w->n + i]);
        changes += now != before;
        before = now;
        int which = now;
        double at = now ? r * k : k < SAMPLES ? bottom(s, tol, i, k, r, &which) : 0;
        if (found || !which || !(at > 0) || at >= b->high)
            continue;
        found = true;
        bool begun = w->state[i] == INSIDE || k > 1;
        *b = (bracket){i, which, now ? r * (k - 1) : r * (k - 1), at, !begun};
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
        for (int k = 1; k <= SAMPLES; k++)
            sample(s, tol, reach * k / SAMPLES, w->sample + k * w->n);
        for (int i = 0; i < w->n; i++)
            if (w->state[i] != SLIDES)
                look_at(s, tol, i, reach / SAMPLES, &next);
        if (next.i < 0)
            break;
        b = next;
        if (!b.again)
            break;
        reach = b.high;
    }
    return b;
}

/* (3), the first half: the root on the dense output; slope of f by time there. */
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
    int stuck = 0;
    double from = low, to = high;
    for (int k = 0; k < 60 && high - low > 1e-15; k++) {
        double r = (f_low * high - f_high * low) / (f_low - f_high);
        if (!(r > low && r < high) || k % 8 == 7)
            r = 0.5 * (low + high);
        sample(s, tol, r, f);
        double value = f[b->i] - bound;
        if (value == 0) {
            low = high = r;
        } else if ((value > 0) == (f_high > 0)) {
            high = r, f_high = value;
            f_low *= ++stuck > 1 ? 0.5 : 1;
        } else {
            low = r, f_low = value;
            f_high *= --stuck < -1 ? 0.5 : 1;
        }
    }
    double d = 1e-4 * (to - from);
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
    return carom_tol_trial(s, tol, x, &tol->end, &norm);
}

/* How far the least l of those that slide at a point is inside [0, 1], and where it leaves. */
static carom_status least_part(carom_step *s, carom_tol *tol, carom_end *end, double *inside, int *which, int *side_of)
{
    const carom_slide *z = &tol->fixed.slide;
    *inside = INFINITY;
    CAROM_TRY(carom_tol_measure(s, tol, end));
    for (int k = 0; k < z->n; k++) {
        double part = CAROM_MIN(z->lambda[k], 1 - z->lambda[k]);
        if (part < *inside && !z->passive[k])
            *inside = part, *which = z->index[k], *side_of = z->lambda[k] < 0.5 ? -1 : 1;
    }
    return CAROM_OK;
}

/* (6): shortens the step to the end of sliding. */
static carom_status slide_end(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    double low = 0, high = tol->end.x, accuracy = 1e-13 * high, f_low, f_high, part;
    int which = -1, side_of = 0, stuck = 0;
    CAROM_TRY(least_part(s, tol, &tol->end, &f_high, &which, &side_of));
    if (!(f_high < 0))
        return CAROM_OK;
    CAROM_TRY(least_part(s, tol, &tol->start, &f_low, &which, &side_of));
    f_low = CAROM_MAX(f_low, DBL_MIN);
    for (int k = 0; k < 50 && high - low > accuracy && f_high < 0; k++) {
        double x = (f_low * high - f_high * low) / (f_low - f_high);
        if (!(x > low && x < high) || k % 8 == 7)
            x = 0.5 * (low + high);
        CAROM_TRY(repeat(s, tol, x));
        CAROM_TRY(least_part(s, tol, &tol->end, &part, &which, &side_of));
        if (part < 0 || fabs(part) < 1e-14) {
            high = x, f_high = fabs(part) < 1e-14 ? 0 : part;
            f_low *= ++stuck > 1 ? 0.5 : 1;
        } else {
            low = x, f_low = part;
            f_high *= --stuck < -1 ? 0.5 : 1;
        }
    }
    if (tol->end.x != high)
        CAROM_TRY(repeat(s, tol, high));
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
    if (tol->fixed.slide.n)
        CAROM_TRY(slide_end(s, tol));
    h = tol->end.x;
    carom_copy(w->n, w->start, w->sample);
    bracket b = first_outside(s, tol);
    if (b.i < 0)
        return CAROM_OK;
    double bound = b.side < 0 ? w->low[b.i] : w->high[b.i];
    double x = h * dense_root(s, tol, &b, bound, &slope);
    for (int k = 0; k < 8; k++) {                                                               /* (3) */
        CAROM_TRY(repeat(s, tol, x));
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + x, tol->end.q, tol->end.v);
        double f = s->system->at.f[b.i] - bound, change = slope != 0 ? -f / slope : 0;
        if (!(fabs(change) < 0.5 * last) || fabs(change) <= 2 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), x) || !(x + change > 0) ||
            x + change > h)
            break;
        last = fabs(change);
        x += change;
    }
    w->crossed = b.i, w->side = b.side, w->x = tol->end.x;
    return CAROM_OK;
}

/* A flight between two changes that takes no time, or is too short to be seen in the positions. */
static bool shakes(const carom_step *s, const carom_tol *tol)
{
    const carom_options *o = s->options;
    double far = 0;
    for (int i = 0; i < s->system->nq; i++) {
        double size = CAROM_TOL_KAPPA * (s->atol[i] + o->rtol * fabs(tol->start.q[i]));
        far = CAROM_MAX(far, tol->end.x * (fabs(tol->start.v[i]) + fabs(tol->end.v[i])) / size);
    }
    return tol->end.x <= 1e-6 * s->h || far < 1;
}

static bool passive(const carom_tol *tol, int i)
{
    const carom_slide *z = &tol->fixed.slide;
    for (int k = 0; k < z->n; k++)
        if (z->index[k] == i)
            return z->passive[k];
    return false;
}

void carom_switch_end(carom_step *s, carom_tol *tol, bool impact)
{
    carom_switches *w = &tol->switches;
    int i = w->crossed;
    bool passed = i >= 0 && tol->end.x >= w->x, slid = passed && w->state[i] == SLIDES;
    for (int k = 0; k < w->n; k++) {
        w->state[k] = w->state[k] == SLIDES ? (impact ? INSIDE : SLIDES) : tol->end.x > 0 ? INSIDE : w->state[k];
        if (slid && k != i && w->state[k] == SLIDES && passive(tol, k))
            w->state[k] = INSIDE;
        if (k != i || !passed)
            w->flips[k] = shakes(s, tol) ? w->flips[k] : 0;
    }
    if (!passed)
        return;
    w->flips[i] = shakes(s, tol) ? w->flips[i] + 1 : 0;
    w->state[i] = w->side > 0 || slid ? AT_HIGH : AT_LOW;
    if (w->side > 0 || !slid)
        cross(s->system, w, i);
    s->stage->switches++;
    double since = s->next->t - w->clock[1]; /* a wave that switches often must not be stepped over */
    if (since > 1e-9 * s->h)
        s->h_next = CAROM_MIN(s->h_next, CAROM_MAX(5 * tol->end.x, 2 * since));
    w->clock[1] = s->next->t;
}

carom_status carom_switch_finite(carom_step *s, const carom_tol *tol)
{
    carom_system *sys = s->system;
    if (!tol->switches.n || !carom_model_extended(sys->model))
        return CAROM_OK;
    sys->frozen = 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, s->next->t, s->next->q, s->next->v);
    if (!carom_all_finite(sys->nv, sys->at.F))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE, "a force is not finite at t = %.10g", s->next->t);
    return CAROM_OK;
}
