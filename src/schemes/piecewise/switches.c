/* switches.c: forces and gaps that change their branch (if, abs, sign, min, max, floor, mod): which branch holds, where
 * the step ends, what happens to closed contacts there. Numbers in parentheses are those of a section. */
#include <float.h>
#include <math.h>

#include "core/bracket.h"
#include "model/model.h"
#include "schemes/piecewise/piecewise.h"

/* ---- forces that change their branch (if, abs, sign, min, max, floor, mod): the step ends where they do.
 *
 *   A branch d holds while low <= f(t, q, v) <= high; within a step it is frozen, so that forces are smooth        (1)
 *   the step ends where f leaves it (below)                                                         (2)
 *   there the branch on the other side holds. Does f, with its forces, move into it after a short time d (Heun)?
 *   If not, the old one goes on: f only touched its bound. If that leaves too, f slides (slide.c)                   (3)
 *   A branch that is left again and again within no time slides, too; if not, f is 0 but for rounding (the gap of a
 *   corner that rests): its branch holds until f is beyond that                                                  (4) */

enum { FLIPS = 8 };

int carom_switch_memory(const carom_system *system)
{
    return 5 * system->model->nswitch + 2;
}

void carom_switch_layout(carom_layout *layout, carom_switches *w, const carom_system *system)
{
    size_t n = system->model->nswitch;
    CAROM_PLACE(layout, w->low, n);
    CAROM_PLACE(layout, w->high, n);
    CAROM_PLACE(layout, w->start, n);
    CAROM_PLACE(layout, w->sample, (CAROM_SWITCH_SAMPLES + 1) * n);
}

/* -1 below the branch, 1 above, 0 inside */
static int side_of_branch(const carom_switches *w, int i, double f)
{
    return f < w->low[i] - w->noise[i] ? -1 : f > w->high[i] + w->noise[i] ? 1 : 0;
}

/* How far f is from the next bound of its branch, at the start. */
static double distance(const carom_switches *w, int i)
{
    return fmin(fabs(w->start[i] - w->low[i]), fabs(w->start[i] - w->high[i]));
}

static void bounds(const carom_system *sys, carom_switches *w, int i)
{
    carom_model_branch(sys->model, i, w->d[i], &w->low[i], &w->high[i]);
}

static void set_branch(const carom_system *sys, carom_switches *w, int i, double f)
{
    w->d[i] = carom_model_branch(sys->model, i, f, &w->low[i], &w->high[i]);
}

/* The branch on the other side of the bound where f is. */
static void cross(const carom_system *sys, carom_switches *w, int i)
{
    bool up = w->state[i] == CAROM_SWITCH_AT_HIGH;
    set_branch(sys, w, i, up ? w->high[i] : nextafter(w->low[i], -INFINITY));
    w->state[i] = up ? CAROM_SWITCH_AT_LOW : CAROM_SWITCH_AT_HIGH;
}

/* Branches by the values of f at the start, those inside others first. Has one changed? */
static bool by_value(carom_step *s, carom_switches *w, const double *q, const double *v, bool anew)
{
    carom_system *sys = s->system;
    bool changed = true, any = false;
    for (int round = 0; changed && round <= w->n; round++) {
        changed = false;
        carom_system_eval(sys, CAROM_SWITCH, s->now->t, q, v);
        for (int i = 0; i < w->n; i++) {
            double f = sys->at.f[i], before = w->d[i];
            if (w->state[i] != CAROM_SWITCH_INSIDE || (!anew && side_of_branch(w, i, f) == 0))
                continue;
            set_branch(sys, w, i, f);
            changed |= w->d[i] != before;
        }
        any |= changed;
        anew = false;
    }
    carom_copy(w->n, sys->at.f, w->start);
    for (int i = 0; i < w->n; i++)
        if (w->state[i] == CAROM_SWITCH_INSIDE && (w->start[i] == w->low[i] || w->start[i] == w->high[i]))
            w->state[i] = w->start[i] == w->low[i] ? CAROM_SWITCH_AT_LOW : CAROM_SWITCH_AT_HIGH;
    return any;
}

void carom_switch_begin(carom_step *s, carom_piecewise *tol)
{
    carom_system *sys = s->system;
    carom_switches *w = &tol->switches;
    w->n = sys->model->nswitch;
    w->crossed = -1;
    if (!w->n)
        return;
    w->d = s->memory_next + CAROM_TOL_COUNTERS;
    w->state = w->d + w->n, w->flips = w->state + w->n, w->other = w->flips + w->n;
    w->noise = w->other + w->n, w->clock = w->noise + w->n;
    bool anew = w->clock[0] == 0;
    sys->at.d = w->d;
    sys->frozen = CAROM_SWITCH;
    for (int i = 0; i < w->n; i++)
        bounds(sys, w, i);
    w->changed = by_value(s, w, tol->start.q, tol->start.v, anew) && !anew;
    for (int i = 0; i < w->n; i++)
        if (distance(w, i) > 1e3 * w->noise[i])
            w->noise[i] = 0;
    w->clock[0] = 1;
}

/* (3): 1 if f moves into the branch, -1 if out of it, 0 if it stays where it is. */
static carom_status enters(carom_step *s, carom_piecewise *tol, int i, int *answer)
{
    carom_system *sys = s->system;
    const carom_end *e = &tol->start;
    double t = s->now->t, inward = tol->switches.state[i] == CAROM_SWITCH_AT_LOW ? 1 : -1;
    CAROM_TRY(carom_piecewise_measure(s, tol, &tol->start));
    carom_system_eval(sys, CAROM_SWITCH, t, e->q, e->v);
    double f = sys->at.f[i];
    *answer = 0;
    for (double d = 1e-4 * s->h; *answer == 0 && d <= s->h; d *= 30) {
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] = e->v[k] + 0.5 * d * e->a[k];
        carom_system_drift(sys, e->q, tol->shift_v, d, tol->shift_q);
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] = e->v[k] + d * e->a[k];
        CAROM_TRY(carom_given_accel(&tol->given, sys, t + d, tol->shift_q, tol->shift_v, 0, tol->probe.a,
                                            tol->force, s->error));
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
    if (w->state[i] == CAROM_SWITCH_AT_HIGH)
        cross(s->system, w, i);
    w->other[i] = w->d[i];
    cross(s->system, w, i);
    w->state[i] = CAROM_SWITCH_SLIDES;
    carom_record_slide(s->record, s->now->t);
}

static carom_status gather(carom_step *s, carom_piecewise *tol)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->given.slide;
    z->d = w->d, z->time = s->options->t_end / 20, z->distance = 0.03 * s->h;
    for (int i = 0; i < w->n; i++) {
        if (w->state[i] != CAROM_SWITCH_SLIDES)
            continue;
        if (z->n == CAROM_SLIDE_MAX)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "more than %d forces slide between their branches at t = %.10g",
                       CAROM_SLIDE_MAX, s->now->t);
        z->passive[z->n] = false;
        z->index[z->n] = i, z->low[z->n] = w->d[i], z->high[z->n] = w->other[i], z->bound[z->n++] = w->high[i];
    }
    return CAROM_OK;
}

/* (4) of the last section, after switch i was found to slide. */
static carom_status refuse_corner(carom_step *s, carom_piecewise *w, int i)
{
    carom_system *sys = s->system;
    const carom_end *e = &w->start;
    int nv = sys->nv;
    double *d = &w->switches.d[i], low = *d, most = 0;
    carom_system_eval(sys, CAROM_JACOBIAN, s->now->t, e->q, e->v);
    for (int k = sys->njoint; k < sys->nlink; k++) /* the normals of the lower branch, at the places of gaps */
        carom_row_copy(sys, sys->link[k].row, w->given.equations.Y + k * nv);
    *d = w->switches.other[i];
    carom_system_eval(sys, CAROM_JACOBIAN, s->now->t, e->q, e->v);
    *d = low;
    for (int k = sys->njoint; k < sys->nlink; k++) {
        const double *before = w->given.equations.Y + k * nv;
        double *G = w->shift_v;
        carom_row_copy(sys, sys->link[k].row, G);
        for (int j = 0; j < nv; j++)
            most = CAROM_MAX(most, fabs(G[j] - before[j]));
        double size = CAROM_MAX(carom_norm_max(nv, G), carom_norm_max(nv, before));
        if (w->modes[sys->link[k].contact].mode != CAROM_OPEN && most > 1e-9 * size)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED,
                       "tolerance: contact '%s' is held at a kink of its gap at t = %.10g: a corner with two normals; "
                       "write it as two contacts",
                       CAROM_LINK_NAME(sys, &sys->link[k]), s->now->t);                          /* (4) */
        most = 0;
    }
    return CAROM_OK;
}

/* A branch that is left at once, or before it matters: do both push back? */
static carom_status try_slide(carom_step *s, carom_piecewise *tol, int i, int *answer)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->given.slide;
    double state = w->state[i], d = w->d[i];
    bool inside = true;
    slide(s, w, i);
    z->n = 0;
    CAROM_TRY(gather(s, tol));
    carom_status status = carom_piecewise_measure(s, tol, &tol->start);
    z->time = status == CAROM_OK ? carom_slide_time(z) : z->time;
    status = status == CAROM_OK ? carom_piecewise_measure(s, tol, &tol->start) : status;
    for (int k = 0; k < z->n; k++)
        inside &= z->index[k] != i || (z->lambda[k] >= 0 && z->lambda[k] <= 1);
    *answer = status == CAROM_OK && inside;
    w->flips[i] = 0;
    if (*answer)
        return refuse_corner(s, tol, i);
    w->state[i] = state, w->d[i] = d;
    bounds(s->system, w, i);
    s->record->slides = false;
    z->n = 0;
    return gather(s, tol);
}

/* (3), (4) for all that are at a bound: has one gone to its other branch? */
static carom_status settle_bounds(carom_step *s, carom_piecewise *tol, bool *crossed)
{
    carom_switches *w = &tol->switches;
    *crossed = false;
    for (int i = 0; i < w->n; i++) {
        int answer;
        if (w->state[i] != CAROM_SWITCH_AT_LOW && w->state[i] != CAROM_SWITCH_AT_HIGH)
            continue;
        if (w->flips[i] > FLIPS) {                                                              /* (4) */
            CAROM_TRY(try_slide(s, tol, i, &answer));
            if (answer > 0)
                continue;
            w->noise[i] = fmax(2 * w->noise[i], 8 * distance(w, i));
        }
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer >= 0)
            continue;
        cross(s->system, w, i);
        *crossed = true;
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer < 0)
            CAROM_TRY(try_slide(s, tol, i, &answer));
    }
    return CAROM_OK;
}

carom_status carom_switch_settle(carom_step *s, carom_piecewise *tol)
{
    carom_switches *w = &tol->switches;
    tol->given.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    bool crossed;
    CAROM_TRY(settle_bounds(s, tol, &crossed));
    if (crossed && by_value(s, w, tol->start.q, tol->start.v, false)) { /* those whose f has that one inside */
        w->changed = true;
        CAROM_TRY(settle_bounds(s, tol, &crossed));
    }
    tol->given.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    if (tol->given.slide.n) {
        CAROM_TRY(carom_piecewise_measure(s, tol, &tol->start));
        tol->given.slide.time = carom_slide_time(&tol->given.slide);
    }
    return CAROM_OK;
}

/* A flight between two changes that takes no time, or is too short to be seen in the positions. */
static bool shakes(const carom_step *s, const carom_piecewise *tol)
{
    const carom_options *o = s->options;
    double far = 0;
    carom_piecewise_size(s->system, tol, NULL);
    for (int i = 0; i < s->system->nv; i++) {
        double size = CAROM_TOL_KAPPA * (s->atol[i] + o->rtol * tol->size[i]);
        far = CAROM_MAX(far, tol->end.x * (fabs(tol->start.v[i]) + fabs(tol->end.v[i])) / size);
    }
    return tol->end.x <= 1e-6 * s->h || far < 1;
}

static bool passive(const carom_piecewise *tol, int i)
{
    const carom_slide *z = &tol->given.slide;
    for (int k = 0; k < z->n; k++)
        if (z->index[k] == i)
            return z->passive[k];
    return false;
}

/* A branch that was entered at its bound, which f has not yet passed but for rounding, in a step that was too short. */
static bool entering(carom_step *s, carom_switches *w, int i)
{
    if (w->state[i] != CAROM_SWITCH_AT_LOW && w->state[i] != CAROM_SWITCH_AT_HIGH)
        return false;
    carom_system_eval(s->system, CAROM_SWITCH, s->next->t, s->next->q, s->next->v);
    double f = s->system->at.f[i];
    return w->state[i] == CAROM_SWITCH_AT_LOW ? f < w->low[i] : f > w->high[i];
}

void carom_switch_end(carom_step *s, carom_piecewise *tol, bool impact)
{
    carom_switches *w = &tol->switches;
    int i = w->crossed;
    bool passed = i >= 0 && tol->end.x >= w->x, slid = passed && w->state[i] == CAROM_SWITCH_SLIDES;
    for (int k = 0; k < w->n; k++) {
        bool slides = w->state[k] == CAROM_SWITCH_SLIDES;
        if (slides ? impact || (slid && k != i && passive(tol, k)) : tol->end.x > 0 && !entering(s, w, k))
            w->state[k] = CAROM_SWITCH_INSIDE;
        if (k != i || !passed)
            w->flips[k] = shakes(s, tol) ? w->flips[k] : 0;
    }
    if (!passed)
        return;
    w->flips[i] = shakes(s, tol) ? w->flips[i] + 1 : 0;
    w->state[i] = w->side > 0 || slid ? CAROM_SWITCH_AT_HIGH : CAROM_SWITCH_AT_LOW;
    if (w->side > 0 || !slid)
        cross(s->system, w, i);
    carom_record_switch(s->record);
    double since = s->next->t - w->clock[1]; /* a wave that switches often must not be stepped over */
    if (since > 1e-9 * s->h)
        s->h_next = CAROM_MIN(s->h_next, CAROM_MAX(5 * tol->end.x, 2 * since));
    w->clock[1] = s->next->t;
}

carom_status carom_switch_finite(carom_step *s, const carom_piecewise *tol)
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

/* ---- where a force first leaves its branch within a step, and where sliding ends.
 *
 *   f on the dense output at 16 points and at the bottoms of parabolas through three of them: the first one outside;
 *   more points in between where f goes in and out                                                                 (1)
 *   root on the dense output, then on steps of the method with lengths x - (f - bound)/f', to rounding              (2)
 *   sliding ends where the part l of the upper branch leaves [0, 1]                                              (3) */

enum { ROUNDS = 10 };

static void sample(carom_step *s, carom_piecewise *tol, double r, double *f)
{
    carom_system *sys = s->system;
    carom_piecewise_inside(sys, tol, r, tol->end.v, tol->shift_q, tol->shift_v);
    carom_system_eval(sys, CAROM_SWITCH, s->now->t + r * tol->end.x, tol->shift_q, tol->shift_v);
    carom_copy(tol->switches.n, sys->at.f, f);
}

typedef struct bracket {
    int i, side;      /* the switch, and where it is outside; i < 0: none */
    double low, high; /* inside, outside */
    bool again;       /* f goes in and out: look closer */
} bracket;

/* A bottom between the samples, under the bound: its place, or 0. r is the distance of samples. */
static double bottom(carom_step *s, carom_piecewise *tol, int i, int k, double r, int *which)
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
        carom_piecewise_inside(s->system, tol, at, tol->end.v, tol->shift_q, tol->shift_v);
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + at * tol->end.x, tol->shift_q, tol->shift_v);
        *which = side_of_branch(w, i, s->system->at.f[i]);
        if (*which)
            return at;
    }
    return 0;
}

/* (1) for one switch on samples at a distance r: whether it is outside before b->high. */
static void look_at(carom_step *s, carom_piecewise *tol, int i, double r, bracket *b)
{
    carom_switches *w = &tol->switches;
    int changes = 0, before = 0;
    bool found = false;
    for (int k = 1; k <= CAROM_SWITCH_SAMPLES; k++) {
        int now = side_of_branch(w, i, w->sample[k * w->n + i]);
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

static bracket first_outside(carom_step *s, carom_piecewise *tol)
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
static double dense_root(carom_step *s, carom_piecewise *tol, const bracket *b, double bound, double *slope)
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

/* Of all that are outside at b->high the one that leaves first: its root, the slope of its f. */
static double earliest(carom_step *s, carom_piecewise *tol, bracket *b, double *slope)
{
    carom_switches *w = &tol->switches;
    bracket first = *b, next = *b;
    double root = dense_root(s, tol, b, b->side < 0 ? w->low[b->i] : w->high[b->i], slope);
    double *high = w->sample + w->n, other;
    sample(s, tol, b->high, high);
    for (next.i = 0; next.i < w->n; next.i++) {
        next.side = side_of_branch(w, next.i, high[next.i]);
        if (next.i == b->i || !next.side || w->state[next.i] == CAROM_SWITCH_SLIDES)
            continue;
        double r = dense_root(s, tol, &next, next.side < 0 ? w->low[next.i] : w->high[next.i], &other);
        if (r < root)
            root = r, *slope = other, first = next;
    }
    *b = first;
    return root;
}

/* A step of length x to w->end, its stages kept for the events. */
static carom_status repeat(carom_step *s, carom_piecewise *tol, double x)
{
    double norm;
    if (tol->constant)
        return carom_piecewise_stages(s, tol, x, &tol->end, true);
    CAROM_TRY(carom_piecewise_trial(s, tol, x, &tol->end, &norm));
    return carom_piecewise_mean_force(s, tol, x);
}

/* How far the least l of those that slide at a point is inside [0, 1], and where it leaves. */
static carom_status least_part(carom_step *s, carom_piecewise *tol, carom_end *end, double *inside, int *which,
                               int *side_of)
{
    const carom_slide *z = &tol->given.slide;
    *inside = INFINITY;
    CAROM_TRY(carom_piecewise_measure(s, tol, end));
    for (int k = 0; k < z->n; k++) {
        double part = CAROM_MIN(z->lambda[k], 1 - z->lambda[k]);
        if (part < *inside && !z->passive[k])
            *inside = part, *which = z->index[k], *side_of = z->lambda[k] < 0.5 ? -1 : 1;
    }
    return CAROM_OK;
}

/* (3): shortens the step to the end of sliding. */
static carom_status slide_end(carom_step *s, carom_piecewise *tol)
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

/* (2), the second half, from x on in a step of length h. */
static carom_status polish(carom_step *s, carom_piecewise *tol, const bracket *b, double h, double x, double slope)
{
    const carom_switches *w = &tol->switches;
    double last = INFINITY, bound = b->side < 0 ? w->low[b->i] : w->high[b->i];
    for (int k = 0; k < 8; k++) {
        CAROM_TRY(repeat(s, tol, x));
        carom_system_eval(s->system, CAROM_SWITCH, s->now->t + x, tol->end.q, tol->end.v);
        double f = s->system->at.f[b->i] - bound, change = slope != 0 ? -f / slope : 0;
        double rounding = 2 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), x);
        if (!(fabs(change) < 0.5 * last) || fabs(change) <= rounding || !(x + change > 0) || x + change > h)
            break;
        last = fabs(change);
        x += change;
    }
    return CAROM_OK;
}

/* Is another one outside at the root of b in a step of length h? Roots on the dense output are off by its error, and
 * that of an f of rounding alone moves on. Then b is that one, in the step as it is now. */
static bool overtaken(const carom_piecewise *tol, const double *f, double h, bracket *b)
{
    const carom_switches *w = &tol->switches;
    double end = tol->end.x / h;
    for (int i = 0; i < w->n; i++) {
        int side = side_of_branch(w, i, f[i]);
        if (i == b->i || !side || w->state[i] != CAROM_SWITCH_INSIDE)
            continue;
        *b = (bracket){i, side, CAROM_MIN(b->low / end, 1), 1, false};
        return true;
    }
    return false;
}

carom_status carom_switch_first(carom_step *s, carom_piecewise *tol)
{
    carom_switches *w = &tol->switches;
    double h = tol->end.x, slope;
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
    for (int k = 0; k == 0 || (k <= w->n && tol->end.x < h && overtaken(tol, s->system->at.f, h, &b)); k++) {
        h = tol->end.x;
        double x = h * earliest(s, tol, &b, &slope);
        CAROM_TRY(polish(s, tol, &b, h, x, slope));
    }
    w->crossed = b.i, w->side = b.side, w->x = tol->end.x;
    return CAROM_OK;
}

/* ---- a corner that slides over another comes to the line of a face just where it leaves that face behind, or comes
 * under the next one: gap and branch end at one place, and which is seen first depends on what the step has left of
 * closed gaps. Is the gap of a contact that is hit at w->end another one in the branch that follows within that, and
 * opens (not so that of a tip which slides on a floor to the next tip)? Then the step ends at the branch, and what is
 * hit is judged there. ---- */
bool carom_switch_passes(carom_step *s, carom_piecewise *tol, int contact)
{
    const unsigned gap = CAROM_GAP | CAROM_JACOBIAN;
    carom_system *sys = s->system;
    carom_switches *w = &tol->switches;
    const carom_end *e = &tol->end;
    int i = carom_contact_number(sys, contact);
    double u = e->u[sys->link[i].row], way = carom_piecewise_left_of_gaps(s, tol, e);
    double d = CAROM_MIN(way / -u, CAROM_MAX(1e-3 * s->h, 100 * way / tol->scale[i].speed));
    double t = s->now->t + e->x + d, *f = w->sample, low, high;
    if (!w->n || !(u < 0) || !(way > 0))
        return false;
    carom_system_drift(sys, e->q, e->v, d, tol->shift_q);
    carom_system_eval(sys, CAROM_SWITCH, t, tol->shift_q, e->v);
    carom_copy(w->n, sys->at.f, f);
    carom_system_eval(sys, gap, t, tol->shift_q, e->v);
    double g = sys->at.g[i], larger = g - 1e-3 * u * d;
    for (int k = 0; k < w->n && g < 0; k++) {
        double before = w->d[k];
        int side = side_of_branch(w, k, f[k]);
        if (!side || w->state[k] == CAROM_SWITCH_SLIDES)
            continue;
        w->d[k] = carom_model_branch(sys->model, k, f[k], &low, &high);
        carom_system_eval(sys, gap, t, tol->shift_q, e->v);
        double rate = carom_row_speed(sys, sys->link[i].row, e->v);
        w->d[k] = before;
        if (sys->at.g[i] <= larger || rate <= -1e-3 * u)
            continue;
        w->crossed = k, w->side = side, w->x = e->x;
        return true;
    }
    return false;
}

/* ---- what happens to closed contacts where their gap changes its branch (abs, min, max, if, tables of kind
 * linear).
 *
 * At the bound of two branches the normal turns at once, and the gap itself may jump. With g and u = G v + w of the
 * new branch:
 *   u < 0            it runs into what lies ahead: an impact by the law of the contact, on the new normal        (1)
 *   u > 0 or g > 0   what carried it falls away: it opens                                                        (2)
 *   g < 0            no motion leads on: the run ends, and says so                                               (3)
 *   u_T jumps        a belt that starts: what sticks slips along u_T, what slips against its direction turns     (5)
 *   both branches lead back to the bound: the corner of a notch holds it. A gap has one normal, a corner two: the run
 *   ends
 *   there, and names the contact, which can be written as two                                                    (4)
 *   g = 0, u = 0     of an open contact: a corner hands over to an edge. Is it pressed? Then it closes            (6)
 * (1), (2), (5) and (6) are steps of no length. */

static bool at_a_bound(const carom_switches *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->state[i] == CAROM_SWITCH_AT_LOW || w->state[i] == CAROM_SWITCH_AT_HIGH)
            return true;
    return false;
}

/* (5) */
static bool slip_jumps(const carom_end *e, const carom_link *link, double small, carom_link_mode *mode)
{
    int n = link->law->tangents;
    const double *u = e->u + link->row + carom_link_normals(link);
    if ((mode->mode != CAROM_STICK && mode->mode != CAROM_SLIP) || carom_norm_max(n, u) <= small ||
        (mode->mode == CAROM_SLIP && carom_dot(n, mode->direction, u) >= 0))
        return false;
    double size = n > 1 ? hypot(u[0], u[1]) : fabs(u[0]);
    for (int j = 0; j < n; j++)
        mode->direction[j] = u[j] / size;
    mode->mode = CAROM_SLIP;
    return true;
}

/* Contacts that were found: which of them are new, or touch with other features, or have ended. */
static bool judged(const carom_system *sys, const carom_piecewise *w, int c)
{
    bool ended = carom_piecewise_found(sys) && w->modes[c].mode != CAROM_OPEN && w->start.margin[c] < 0;
    return !carom_piecewise_found(sys) || w->modes[c].fresh || ended;
}

/* The axes along which friction acts may be others than those of the step before. */
static void turn_directions(carom_step *s, carom_piecewise *w)
{
    carom_system *sys = s->system;
    bool any = false;
    for (int c = 0; c < sys->ncontact; c++)
        any |= w->modes[c].mode == CAROM_SLIP && w->modes[c].fresh;
    if (any)
        carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, s->now->t, w->start.q, w->start.v);
    for (int c = 0; any && c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        int row = link->row + carom_link_normals(link);
        if (w->modes[c].mode != CAROM_SLIP || !w->modes[c].fresh || link->law->tangents != 2)
            continue;
        double u[2] = {carom_row_speed(sys, row, w->start.v), carom_row_speed(sys, row + 1, w->start.v)};
        double size = hypot(u[0], u[1]);
        for (int j = 0; j < 2 && size > 0; j++)
            w->modes[c].direction[j] = u[j] / size;
    }
}

carom_status carom_piecewise_kink(carom_step *s, carom_piecewise *w, bool *ends, carom_cause *cause, int *contact)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->start;
    bool found = carom_piecewise_found(sys), meets = found && sys->lost;
    *ends = false, *cause = CAROM_CAUSE_NONE;
    if (!(at_a_bound(&w->switches) || w->switches.changed || found) || sys->nlink == sys->njoint)
        return CAROM_OK;
    if (found)
        turn_directions(s, w);
    CAROM_TRY(carom_piecewise_measure(s, w, &w->start));
    carom_piecewise_scales(s, w, e->q, e->v);
    carom_modes_copy(sys->ncontact, w->modes, w->modes_before);
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c);
        double small_g = 1e-10 * w->scale[i].length, small_u = 1e-9 * w->scale[i].speed;
        double g = e->g[i], u = e->u[sys->link[i].row];
        double off = s->options->atol + s->options->rtol * w->scale[i].length; /* of the place where the branch ends */
        if (!judged(sys, w, c))
            continue;
        *ends |= slip_jumps(e, &sys->link[i], small_u, &w->modes[c]);                             /* (5) */
        if (!carom_law_can(sys->link[i].law, CAROM_OPEN))
            continue; /* dry friction along a coordinate has no gap */
        if (g < -CAROM_MAX(small_g, off) && !found)
            CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
                       "tolerance: the gap of contact '%s' changes its branch at t = %.10g and is %.3g there: it "
                       "jumps below 0",
                       CAROM_LINK_NAME(sys, &sys->link[i]), s->now->t, g);                       /* (3) */
        bool rests = g <= small_g && fabs(u) <= small_u;
        meets |= rests && w->modes[c].mode == CAROM_OPEN;
        if (rests && w->modes[c].mode == CAROM_OPEN)
            w->modes[c].mode = CAROM_CLOSED;                                                      /* (6) */
        if (rests || w->modes[c].mode == CAROM_OPEN)
            continue;
        w->modes[c].mode = CAROM_OPEN;                                                            /* (2) */
        *ends = true;
        if (g <= small_g && u < 0)
            *cause = CAROM_CAUSE_GAP, *contact = c;                                              /* (1) */
    }
    if (*cause == CAROM_CAUSE_NONE && (*ends || meets))
        CAROM_TRY(carom_piecewise_decide(s, w, s->now->t, e->q, e->v));
    for (int c = 0; meets && c < sys->ncontact; c++)
        *ends |= w->modes[c].mode != w->modes_before[c].mode;
    if (!*ends) {
        carom_modes_copy(meets ? sys->ncontact : 0, w->modes_before, w->modes);
        return CAROM_OK;
    }
    carom_piecewise_copy(sys, e, &w->end);
    s->h_next = s->h;
    return carom_piecewise_measure(s, w, &w->end);
}
