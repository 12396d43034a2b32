/* events.c: the first event of a step: where gaps close, forces leave their law, slip ends. Numbers in parentheses are
 * those of a section. */
#include <float.h>
#include <math.h>

#include "bodies/bodies.h"
#include "core/bracket.h"
#include "schemes/piecewise/piecewise.h"

/* ---- where a gap first becomes negative along a step, however short the time it stays so.
 *
 *   g and u = dg/dt on the dense output of the step at its ends and 15 places between: no forces are evaluated      (1)
 *   between two places:  b = [ g0, g0 + h u0/3, g1 - h u1/3, g1 ],  the cubic through them in Bernstein form        (2)
 *   d = |g - cubic| at the middle place of three; on each half the cubic through its ends is off by d/16, d/4 is
 *   allowed for  (3)
 *   all b >= d - rounding: no root there; otherwise halve, the left half first, with d anew from its middle        (4)
 *   a bottom between u < 0 and u > 0 is found by bisection on u                                                     (5)
 *   where a contact that was found is out of its features its gap is how far, and u = 0: between such a place and one
 *   within them it is the line through the latter that must stay positive                                           (6)
 *
 * A dip is seen if it leaves a trace at one of the places: a slope, a value off the cubic. The motion is smooth, so the
 * narrowness is that of the gap as a function of position and time; one narrower than a twelfth of the step can
 * escape. What is found is confirmed, and located, on steps of the method (events.c). */

enum { PLACES = CAROM_DIP_PLACES, DEPTH = 7, BISECTIONS = 40 };

typedef struct place { /* in the step: time over its length, gap, dg/ds */
    double s, g, u;
} place;

/* (1): fills g and the normal velocities of all contacts. */
static void look(carom_step *s, carom_piecewise *w, double at, double *g, double *u)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    carom_copy(nv, w->end.a, w->ka[CAROM_STAGES - 1]);
    carom_piecewise_inside(sys, w, at, w->end.v, w->shift_q, w->shift_v);
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, s->now->t + at * w->end.x, w->shift_q, w->shift_v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        g[i] = sys->at.g[i];
        u[i] = carom_piecewise_found(sys) && carom_system_left_out(sys, sys->link[i].contact)
                   ? 0 : carom_row_speed(sys, r, w->shift_v);
    }
}

static bool is_out(const carom_end *e, int contact, int i) /* as carom_system_left_out() */
{
    return e->margin[contact] < 0 && e->g[i] == -e->margin[contact];
}

static void sample(carom_step *s, carom_piecewise *w)
{
    int n = s->system->nlink;
    for (int k = 1; k < PLACES; k++)
        look(s, w, (double)k / PLACES, w->dips.g + k * n, w->dips.u + k * n);
    for (int i = s->system->njoint; i < n; i++) {
        int r = s->system->link[i].row;
        w->dips.g[i] = w->start.g[i], w->dips.u[i] = w->start.u[r];
        w->dips.g[PLACES * n + i] = w->end.g[i], w->dips.u[PLACES * n + i] = w->end.u[r];
    }
    for (int c = 0; carom_piecewise_found(s->system) && c < s->system->ncontact; c++) { /* (6) */
        int i = carom_contact_number(s->system, c);
        if (is_out(&w->start, c, i))
            w->dips.u[i] = 0;
        if (is_out(&w->end, c, i))
            w->dips.u[PLACES * n + i] = 0;
    }
    w->dips.x = w->end.x;
}

static place look_at(carom_step *s, carom_piecewise *w, int i, double at)
{
    double *g = w->dips.g + (PLACES + 1) * s->system->nlink, *u = w->dips.u + (PLACES + 1) * s->system->nlink;
    look(s, w, at, g, u);
    return (place){at, g[i], w->end.x * u[i]};
}

static double middle_of(const place *a, const place *b)
{
    return 0.5 * (a->g + b->g) + (b->s - a->s) * (a->u - b->u) / 8;
}

/* (2), (6) */
static double least(const place *a, const place *b)
{
    double third = (b->s - a->s) / 3;
    if ((a->u == 0) != (b->u == 0))
        return CAROM_MIN(CAROM_MIN(a->g, b->g), CAROM_MIN(a->g + 3 * third * a->u, b->g - 3 * third * b->u));
    return CAROM_MIN(CAROM_MIN(a->g, b->g), CAROM_MIN(a->g + third * a->u, b->g - third * b->u));
}

/* (5) */
static bool bottom(carom_step *s, carom_piecewise *w, int i, place a, place b, double noise, double *high)
{
    for (int k = 0; k < BISECTIONS && b.s - a.s > 1e-12; k++) {
        place m = look_at(s, w, i, 0.5 * (a.s + b.s));
        if (m.g < -noise) {
            *high = m.s;
            return true;
        }
        *(m.u < 0 ? &a : &b) = m;
    }
    return false;
}

/* (4): the first place of [a, b] found where the gap is negative. */
static bool search(carom_step *s, carom_piecewise *w, int i, place a, place b, double d, double noise, int depth,
                   double *low, double *high)
{
    *low = a.s, *high = b.s;
    if (least(&a, &b) - d >= -noise)
        return false;
    if (depth == 0)
        return b.g < -noise || (a.u < 0 && b.u > 0 && bottom(s, w, i, a, b, noise, high));
    place m = look_at(s, w, i, 0.5 * (a.s + b.s));
    if (b.g < -noise && (m.g < -noise || a.u * m.u > 0) && depth < DEPTH - 2)
        return true; /* near enough: the caller brackets it */
    double half = fabs(m.g - middle_of(&a, &b)) / 4;                                             /* (3) */
    return search(s, w, i, a, m, half, noise, depth - 1, low, high) ||
           search(s, w, i, m, b, half, noise, depth - 1, low, high);
}

/* Too far away for anything that moves as fast as the step does at its ends. */
static bool far(const carom_step *s, const carom_piecewise *w, int i)
{
    const carom_system *sys = s->system;
    int r = sys->link[i].row;
    double h = w->end.x, speed = 0, g = CAROM_MIN(w->start.g[i], w->end.g[i]);
    for (int k = 0; k < sys->nv; k++)
        speed += CAROM_MAX(fabs(w->start.v[k]), fabs(w->end.v[k]));
    for (int k = 0; k < sys->nv; k++)
        speed = CAROM_MAX(speed, 0.5 * h * (fabs(w->start.a[k]) + fabs(w->end.a[k])));
    return g > 4 * h * CAROM_MAX(speed, CAROM_MAX(fabs(w->start.u[r]), fabs(w->end.u[r])));
}

/* The first part [low, high] of the step, behind `from`, in which the gap becomes negative on the dense output. */
static bool dip(carom_step *s, carom_piecewise *w, int contact, bool left, double noise, double from, double *low,
                   double *high)
{
    const carom_system *sys = s->system;
    int i = carom_contact_number(sys, contact), n = sys->nlink;
    place p[PLACES + 1];
    if (from == 0 && w->end.g[i] >= 0 && w->start.g[i] > 0 && far(s, w, i))
        return false;
    if (w->dips.x != w->end.x)
        sample(s, w);
    for (int k = 0; k <= PLACES; k++)
        p[k] = (place){(double)k / PLACES, w->dips.g[k * n + i], w->end.x * w->dips.u[k * n + i]};
    if (left) /* it has just left: 0 but for rounding */
        p[0].g = 0, p[0].u = CAROM_MAX(p[0].u, 0);
    for (int k = 0; k < PLACES; k++) {
        int even = k & ~1;
        double d = fabs(p[even + 1].g - middle_of(&p[even], &p[even + 2])) / 4;                  /* (3) */
        *low = p[k].s, *high = p[k + 1].s;
        if (p[k].s >= from ? search(s, w, i, p[k], p[k + 1], d, noise, DEPTH, low, high)
                           : *high > from && p[k + 1].g < -noise)
            return true;
    }
    return false;
}

/* ---- the earliest event of a step, located on trials of the Runge-Kutta pair.
 *
 * Functions that are positive as long as the modes hold:
 *   open      g                        impact; found between the ends too (above)             (1)
 *   closed    x_n                      opening                                                    (2)
 *   stick     mu_s x_n - |x_t|         slip begins                                                (3)
 *   slip      s . u_t                  slip ends                                                  (4)
 *   (2), (3) between stages: where a parabola through three of them comes near 0                          (5)
 *   (4) of slip that has just begun may be negative by what redundant rows have left of the velocity: an event only
 *   where it becomes less                                                                                 (6)
 *   closed    margin                   a contact that was found ends                              (7)
 *   open      margin, where g = 0      a contact that was found takes over from others            (8)
 *   (1) of what takes over counts where it is more than what the step has left of closed gaps     (9)
 *   open      margin, where g < 0      it has come around the end of its features: no event       (10)
 *   open      margin, near             it ends, and what takes over may be hit in the same step                (11)
 * Roots of (1) and (4) are polished to rounding: they change the velocity; those of (2) and (3) to the square root of
 * the tolerance would do, since the motion is continuous there. */

#define AROUND 1e-6 /* of the length: so far out a contact may come around the end of its features */
enum { ITERATIONS = 60 };

/* Closed gaps are 0 but for what a trial has left of them, and so are those that begin where others end. Of what is out
 * of its features the gap is how far. */
double carom_piecewise_left_of_gaps(const carom_step *s, const carom_piecewise *w, const carom_end *e)
{
    const carom_system *sys = s->system;
    double left = 0;
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c);
        if (w->modes[c].mode != CAROM_OPEN && !(carom_piecewise_found(sys) && is_out(e, c, i)))
            left = CAROM_MAX(left, fabs(e->g[i]));
    }
    return 4 * left;
}

/* Does a closed contact end in this step? Then one that takes over from it may be closing. */
static bool another_ends(const carom_step *s, const carom_piecewise *w)
{
    bool ends = false;
    for (int c = 0; carom_piecewise_found(s->system) && c < s->system->ncontact; c++)
        ends |= w->modes[c].mode != CAROM_OPEN && w->end.margin[c] < 0 && w->start.margin[c] >= 0;
    return ends;
}

bool carom_piecewise_takes_over(const carom_step *s, const carom_piecewise *w, const carom_end *e, int contact)
{
    const carom_link *link = carom_contact_link(s->system, contact);
    double slow = 1e-4 * w->scale[carom_contact_number(s->system, contact)].speed;
    return carom_piecewise_found(s->system) && w->start.margin[contact] < 0 && e->margin[contact] >= 0 &&
           fabs(e->u[link->row]) < slow;
}

/* A contact that comes to lie within its features with such a gap begins where its margin is beyond what may change. */
static double gap(const carom_step *s, const carom_piecewise *w, const carom_end *e, int contact)
{
    const int i = carom_contact_number(s->system, contact);
    double g = e->g[i], length = w->scale[i].length;
    if (g > 1e-6 * length || !carom_piecewise_takes_over(s, w, e, contact))
        return g;
    double beyond = carom_piecewise_left_of_gaps(s, w, e) + 1e-12 * length;
    return g <= beyond ? CAROM_MIN(g, beyond - e->margin[contact]) : g;                                 /* (8) */
}

static double value(const carom_step *s, const carom_piecewise *w, const carom_end *e, carom_cause cause, int contact)
{
    const carom_system *sys = s->system;
    const carom_link *link = carom_contact_link(sys, contact);
    const double *x = e->force + link->row, *u = e->u + link->row, *d = w->modes[contact].direction;
    switch (cause) {
    case CAROM_CAUSE_GAP:
        return gap(s, w, e, contact);
    case CAROM_CAUSE_FORCE:
        return x[0] + carom_link_offset(sys, link);
    case CAROM_CAUSE_STICK: {
        double most, size = carom_link_friction(sys, link, true, x, &most);
        return most - size;
    }
    default:
        u += carom_link_normals(link);
        return d[0] * u[0] + (link->law->tangents > 1 ? d[1] * u[1] : 0);
    }
}

/* Shares are at bounds of the law until there are none: such a function does not go through 0, it falls below it. */
static bool may_jump(const carom_piecewise *w, carom_cause cause)
{
    return w->given.shares && (cause == CAROM_CAUSE_FORCE || cause == CAROM_CAUSE_STICK);
}

/* The root of the function in [low, high], positive at low and negative at high; for gaps by Newton's method inside the
 * bracket. Leaves the trial at the root in w->end, on the negative side of it. */
static carom_status polish(carom_step *s, carom_piecewise *w, carom_cause cause, int contact, double low, double f_low,
                           double high, double f_high)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->probe;
    carom_bracket b = {low, high, f_low, f_high, 0, 0};
    double accuracy = 4 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), high);
    int row = carom_contact_link(sys, contact)->row;
    double little = DBL_EPSILON * w->scale[carom_contact_number(sys, contact)].length;
    bool jumps = may_jump(w, cause);
    while (b.k < ITERATIONS && b.high - b.low > accuracy) {
        bool slope = cause == CAROM_CAUSE_GAP && b.k > 0 && e->u[row] < 0;
        double g = e->g[carom_contact_number(sys, contact)], newton = slope ? e->x - g / e->u[row] : -1;
        double x = carom_bracket_next(&b, jumps ? carom_bracket_middle(&b) : newton);
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        double f = value(s, w, e, cause, contact);
        carom_bracket_put(&b, x, f, f < 0);
        bool out = cause == CAROM_CAUSE_GAP && carom_piecewise_found(sys) && e->margin[contact] < 0;
        bool there = newton >= 0 && !out && f >= 0 && f < little; /* from above; but out of it may jump there: (10) */
        if (f <= 0 || there)
            carom_piecewise_copy(sys, e, &w->end);
        if (f == 0 || there)
            break;
    }
    w->lost.low = jumps ? b.low : 0, w->lost.high = jumps ? b.high : -1;
    return CAROM_OK;
}

/* Shares that are lost are lost to many contacts at once: is this one inside of its law just before that, too, so that
 * there is nothing to look for? Otherwise it leaves the law earlier: that is w->end now. */
static carom_status lost_together(carom_step *s, carom_piecewise *w, carom_cause cause, int contact, bool *together)
{
    *together = false;
    if (!may_jump(w, cause) || w->lost.high != w->end.x || !(w->lost.low > 0))
        return CAROM_OK;
    CAROM_TRY(carom_piecewise_trial(s, w, w->lost.low, &w->probe, NULL));
    *together = value(s, w, &w->probe, cause, contact) >= 0;
    if (!*together)
        carom_piecewise_copy(s->system, &w->probe, &w->end);
    return CAROM_OK;
}

/* A gap that is negative at x = high: the root before it. A gap that has just opened is 0 at the start: first find a
 * place where it is positive. */
static carom_status impact_before(carom_step *s, carom_piecewise *w, int contact, double low, double high,
                                  double f_high)
{
    const carom_system *sys = s->system;
    int i = carom_contact_number(sys, contact);
    double f_low = 0;
    carom_piecewise_copy(sys, &w->probe, &w->end);
    if (low > 0) {
        CAROM_TRY(carom_piecewise_trial(s, w, low, &w->probe, NULL));
        f_low = w->probe.g[i];
    } else if (w->start.g[i] > 0) {
        f_low = w->start.g[i];
    }
    double x = f_low > 0 ? low : high;
    for (int k = 0; f_low <= 0 && k < ITERATIONS; k++) {
        x *= 0.5;
        if (s->now->t + x == s->now->t)
            break;
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        f_low = w->probe.g[i];
        if (f_low < 0) {
            carom_piecewise_copy(sys, &w->probe, &w->end);
            high = x, f_high = f_low;
        }
    }
    if (f_low <= 0) { /* it does not open: it is hit at once */
        CAROM_TRY(carom_piecewise_trial(s, w, 0, &w->end, NULL));
        return CAROM_OK;
    }
    return polish(s, w, CAROM_CAUSE_GAP, contact, x, f_low, high, f_high);
}

/* (10): it meets others there, as a point that comes to lie behind a face at its end has met the next face: the step
 * ends just before, and those are looked for. */
static carom_status around_the_end(carom_step *s, carom_piecewise *w, int contact, bool *found)
{
    const int i = carom_contact_number(s->system, contact);
    double little = AROUND * w->scale[i].length;
    if (!carom_piecewise_found(s->system) || w->start.margin[contact] >= -little || w->end.margin[contact] < 0 ||
        w->end.g[i] >= -little)
        return CAROM_OK;
    carom_bracket b = {0, w->end.x, w->start.margin[contact], w->end.margin[contact], 0, 0};
    *found = false;
    while (b.k < ITERATIONS && b.high - b.low > 4 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), b.high)) {
        double x = carom_bracket_next(&b, -1);
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        carom_bracket_put(&b, x, w->probe.margin[contact], w->probe.margin[contact] >= 0);
    }
    return carom_piecewise_trial(s, w, b.low, &w->end, NULL);
}

/* (1) for one open contact: shortens w->end when its gap closes before. */
static carom_status closing(carom_step *s, carom_piecewise *w, int contact, bool *found)
{
    const carom_system *sys = s->system;
    int i = carom_contact_number(sys, contact), r = sys->link[i].row;
    double low = 0, high = 0, h = w->end.x;
    bool left = w->start.g[i] <= 0 && w->start.u[r] >= -carom_piecewise_rest(w, i); /* it has just left */
    double rounding = 16 * DBL_EPSILON * w->scale[i].length;
    /* a gap that opens slowly is 0 but for rounding for a while */
    double noise = w->start.g[i] <= rounding ? rounding : 0;
    if (left && w->start.g[i] < -rounding && w->start.g[i] >= -4 * rounding) /* not hit where it was closed */
        noise -= w->start.g[i];
    *found = false;
    if (h == 0) { /* something happens at once: there is nothing between the ends to be searched, 0/0 is its rate */
        *found = w->end.g[i] < -noise;
        return CAROM_OK;
    }
    for (double from = 0; from < 1 && dip(s, w, contact, left, noise, from, &low, &high); from = high) {
        CAROM_TRY(carom_piecewise_trial(s, w, high * h, &w->probe, NULL));
        *found = w->probe.g[i] < -noise;
        if (*found && another_ends(s, w))                                                                    /* (9) */
            *found = w->probe.g[i] < -carom_piecewise_left_of_gaps(s, w, &w->probe) || w->start.margin[contact] < 0;
        if (*found) {
            CAROM_TRY(impact_before(s, w, contact, low * h, w->probe.x, w->probe.g[i]));
            return around_the_end(s, w, contact, found);
        }
    }
    return CAROM_OK;
}

/* Below this it is an event, f0 at the start of the step being 0 but for rounding, or less. */
static double least_of(carom_cause cause, double f0, double rounding)
{
    return cause == CAROM_CAUSE_SLIP_END ? CAROM_MIN(f0, -rounding) : -rounding;         /* (6) */
}

/* What has just begun is 0 but for rounding: a place where it is positive, before one where it is negative. If it is
 * negative at once, the event is at the start (*low < 0). */
static carom_status begun(carom_step *s, carom_piecewise *w, carom_cause cause, int contact, double rounding,
                          double *low, double *f_low)
{
    double x = w->end.x, least = least_of(cause, value(s, w, &w->start, cause, contact), rounding);
    *low = -1;
    CAROM_TRY(carom_piecewise_trial(s, w, 1e-6 * x, &w->probe, NULL));
    bool at_once = value(s, w, &w->probe, cause, contact) < least;
    if (at_once)
        carom_piecewise_copy(s->system, &w->probe, &w->end);
    for (int k = 0; !at_once && k < 40; k++) {
        x *= 0.5;
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        double f = value(s, w, &w->probe, cause, contact);
        if (f > 0) {
            *low = x, *f_low = f;
            return CAROM_OK;
        }
        carom_piecewise_copy(s->system, &w->probe, &w->end);
    }
    return CAROM_OK;
}

/* How far a function is from 0 by rounding alone. */
static double rounding_of(const carom_step *s, const carom_piecewise *w, carom_cause cause, int contact)
{
    const carom_link *link = carom_contact_link(s->system, contact);
    double force = 0;
    if (cause == CAROM_CAUSE_SLIP_END)
        return 16 * DBL_EPSILON * w->scale[carom_contact_number(s->system, contact)].speed;
    for (int r = link->row; r < link->row + link->rows; r++)
        force = CAROM_MAX(force, CAROM_MAX(fabs(w->start.force[r]), fabs(w->end.force[r])));
    return 16 * DBL_EPSILON * force;
}

/* Where the parabola through three points is least, between the outer ones; its value there. */
static double vertex(const double *x, const double *f, double *least)
{
    double d = (f[1] - f[0]) / (x[1] - x[0]), c = ((f[2] - f[1]) / (x[2] - x[1]) - d) / (x[2] - x[0]);
    double at = c > 0 ? 0.5 * (x[0] + x[1] - d / c) : x[1];
    at = CAROM_MIN(CAROM_MAX(at, x[0]), x[2]);
    *least = f[0] + (at - x[0]) * (d + c * (at - x[1]));
    return at;
}

/* (5): forces are known at the stages only; a trial where they may be out of bounds between them. Shares that are at a
 * bound of the law stay there: they say nothing about what is between. */
static carom_status between(carom_step *s, carom_piecewise *w, carom_cause cause, int contact, double h,
                            double rounding)
{
    double least = may_jump(w, cause) ? rounding : -INFINITY;
    double x[CAROM_STAGES + 1] = {0}, f[CAROM_STAGES + 1] = {value(s, w, &w->start, cause, contact)};
    double end = value(s, w, &w->end, cause, contact);
    int n = 1;
    for (int k = 1; k < w->watched; k++) {
        const carom_end stage = {.force = w->stage_force[k], .u = w->end.u};
        if (w->node[k] * h > x[n - 1] && w->node[k] * h < w->end.x)
            x[n] = w->node[k] * h, f[n++] = value(s, w, &stage, cause, contact);
    }
    x[n] = w->end.x, f[n++] = end;
    for (int i = 0; end >= 0 && i + 2 < n; i++) {
        double bottom, at = vertex(x + i, f + i, &bottom);
        if (f[i + 1] <= least || !(at > 0 && at < w->end.x) ||
            !(bottom < 0.02 * (fabs(f[i]) + fabs(f[i + 1]) + fabs(f[i + 2]))))
            continue;
        CAROM_TRY(carom_piecewise_trial(s, w, at, &w->probe, NULL));
        if (value(s, w, &w->probe, cause, contact) < 0) {
            carom_piecewise_copy(s->system, &w->probe, &w->end);
            break;
        }
    }
    return CAROM_OK;
}

/* (2)-(4): sign change between the ends, or at a stage between them. */
static carom_status crossing(carom_step *s, carom_piecewise *w, carom_cause cause, int contact, double h, bool *found)
{
    double f0 = value(s, w, &w->start, cause, contact), f1, low = 0, rounding = rounding_of(s, w, cause, contact);
    for (int k = 1; cause != CAROM_CAUSE_SLIP_END && k < w->watched; k++) {
        const carom_end stage = {.force = w->stage_force[k], .u = w->end.u};
        double x = w->node[k] * h;
        if (x >= w->end.x || !(value(s, w, &stage, cause, contact) < 0))
            continue;
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        f1 = value(s, w, &w->probe, cause, contact);
        if (f1 < 0) {
            carom_piecewise_copy(s->system, &w->probe, &w->end);
            break;
        }
    }
    if (cause != CAROM_CAUSE_SLIP_END)
        CAROM_TRY(between(s, w, cause, contact, h, rounding));
    f1 = value(s, w, &w->end, cause, contact);
    *found = f1 < (f0 <= rounding ? least_of(cause, f0, rounding) : 0);
    bool together = false;
    if (*found)
        CAROM_TRY(lost_together(s, w, cause, contact, &together));
    if (together)
        return CAROM_OK;
    if (*found && f0 <= rounding)
        CAROM_TRY(begun(s, w, cause, contact, rounding, &low, &f0));
    f1 = value(s, w, &w->end, cause, contact);
    return *found && low >= 0 ? polish(s, w, cause, contact, low, f0, w->end.x, f1) : CAROM_OK;
}

/* (7), (11): a margin stays what it is while features meet within their ends, then it falls. Its root is sought from
 * where it falls, on the line through two such points; it need not be exact: forces change there, velocities do not. An
 * open contact ends where (10) knows that it has. */
static carom_status leaving(carom_step *s, carom_piecewise *w, int contact, bool *found)
{
    double length = w->scale[carom_contact_number(s->system, contact)].length, enough = 1e-13 * length;
    double beyond = w->modes[contact].mode == CAROM_OPEN ? 2 * AROUND * length : 0;
    double f = w->end.margin[contact] + beyond, slope = 0, low = 0, high = w->end.x;
    *found = f < 0 && w->start.margin[contact] >= 0;
    for (int k = 0; *found && k < ITERATIONS && f < -enough && high - low > 1e-13 * w->end.x; k++) {
        double x = slope < 0 ? high - (f + 0.5 * enough) / slope : low;
        if (!(x > low && x < high))
            x = 0.5 * (low + high);
        CAROM_TRY(carom_piecewise_trial(s, w, x, &w->probe, NULL));
        double value = w->probe.margin[contact] + beyond;
        slope = value < 0 ? (f - value) / (high - x) : 0;
        if (value < 0) {
            high = x, f = value;
            carom_piecewise_copy(s->system, &w->probe, &w->end);
        } else
            low = x;
    }
    return CAROM_OK;
}

/* Is an open contact, or what takes over from it, near enough to be hit in this step? In the plane: in space features
 * that come and go would end steps of bodies that tumble without end. */
static bool near(const carom_step *s, const carom_piecewise *w, int i)
{
    const carom_bodies *b = carom_bodies_of(s->system->model);
    return b && b->planar && w->start.g[i] < 2 * w->end.x * w->scale[i].speed;                          /* (11) */
}

carom_status carom_piecewise_first_event(carom_step *s, carom_piecewise *w, carom_cause *cause, int *contact)
{
    const carom_system *sys = s->system;
    double h = w->end.x;
    *cause = CAROM_CAUSE_NONE;
    w->dips.x = -1, w->lost.high = -1;
    for (int c = 0; c < sys->ncontact; c++) {
        carom_cause causes[2] = {CAROM_CAUSE_NONE, CAROM_CAUSE_NONE};
        switch ((carom_mode)w->modes[c].mode) {
        case CAROM_OPEN:
            causes[0] = CAROM_CAUSE_GAP;
            break;
        case CAROM_CLOSED:
            causes[0] = CAROM_CAUSE_FORCE;
            break;
        case CAROM_STICK:
            causes[0] = CAROM_CAUSE_FORCE, causes[1] = CAROM_CAUSE_STICK;
            break;
        case CAROM_SLIP:
            causes[0] = CAROM_CAUSE_FORCE;
            if (carom_contact_link(sys, c)->law->tangents == 1) /* spatial slip ends elsewhere: modes.c (6) */
                causes[1] = CAROM_CAUSE_SLIP_END;
            break;
        case CAROM_PASSIVE:
        case CAROM_SATURATED: /* not decided here */
        case CAROM_SLIP_BACK:
            break;
        }
        if (!carom_law_can(carom_contact_link(sys, c)->law, CAROM_OPEN)) /* no normal force to vanish */
            causes[0] = causes[1], causes[1] = CAROM_CAUSE_NONE;
        for (int k = 0; k < 2 && causes[k] != CAROM_CAUSE_NONE; k++) {
            bool found;
            double x = w->end.x;
            CAROM_TRY(causes[k] == CAROM_CAUSE_GAP ? closing(s, w, c, &found)
                                                   : crossing(s, w, causes[k], c, h, &found));
            if (found)
                *cause = causes[k], *contact = c;
            else if (w->end.x < x) /* (10): before what was found for others */
                *cause = CAROM_CAUSE_NONE;
        }
    }
    for (int c = 0; carom_piecewise_found(sys) && c < sys->ncontact; c++) {
        bool found = false;
        if (w->modes[c].mode != CAROM_OPEN || near(s, w, carom_contact_number(sys, c)))
            CAROM_TRY(leaving(s, w, c, &found));
        if (found)
            *cause = CAROM_CAUSE_MARGIN, *contact = c;
    }
    return CAROM_OK;
}
