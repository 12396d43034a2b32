/* dips.c: where a gap first becomes negative along a step, however short the time it stays so.
 *
 *   g and u = dg/dt on the dense output of the step at its ends and 15 places between: no forces are evaluated      (1)
 *   between two places:  b = [ g0, g0 + h u0/3, g1 - h u1/3, g1 ],  the cubic through them in Bernstein form        (2)
 *   d = |g - cubic| at the middle place of three; on each half the cubic through its ends is off by d/16, d/4 is
 *   allowed for  (3)
 *   all b >= d: no root there; otherwise halve, the left half first, with d anew from its middle                    (4)
 *   a bottom between u < 0 and u > 0 is found by bisection on u                                                     (5)
 *
 * A dip is seen if it leaves a trace at one of the places: a slope, a value off the cubic. The motion is smooth, so the
 * narrowness is that of the gap as a function of position and time; one narrower than a twelfth of the step can
 * escape. What is found is confirmed, and located, on steps of the method (events.c). */
#include <math.h>

#include "schemes/piecewise/piecewise.h"

enum { PLACES = CAROM_DIP_PLACES, DEPTH = 7, BISECTIONS = 40 };

typedef struct place { /* in the step: time over its length, gap, dg/ds */
    double s, g, u;
} place;

/* (1): fills g and the normal velocities of all contacts. */
static void look(carom_step *s, carom_tol *w, double at, double *g, double *u)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    carom_copy(nv, w->end.a, w->ka[CAROM_STAGES - 1]);
    carom_tol_inside(sys, w, at, w->end.v, w->shift_q, w->shift_v);
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, s->now->t + at * w->end.x, w->shift_q, w->shift_v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        g[i] = sys->at.g[i];
        u[i] = carom_row_speed(sys, r, w->shift_v);
    }
}

static void sample(carom_step *s, carom_tol *w)
{
    int n = s->system->nlink;
    for (int k = 1; k < PLACES; k++)
        look(s, w, (double)k / PLACES, w->dips.g + k * n, w->dips.u + k * n);
    for (int i = s->system->njoint; i < n; i++) {
        int r = s->system->link[i].row;
        w->dips.g[i] = w->start.g[i], w->dips.u[i] = w->start.u[r];
        w->dips.g[PLACES * n + i] = w->end.g[i], w->dips.u[PLACES * n + i] = w->end.u[r];
    }
    w->dips.x = w->end.x;
}

static place look_at(carom_step *s, carom_tol *w, int i, double at)
{
    double *g = w->dips.g + (PLACES + 1) * s->system->nlink, *u = w->dips.u + (PLACES + 1) * s->system->nlink;
    look(s, w, at, g, u);
    return (place){at, g[i], w->end.x * u[i]};
}

static double middle_of(const place *a, const place *b)
{
    return 0.5 * (a->g + b->g) + (b->s - a->s) * (a->u - b->u) / 8;
}

/* (2) */
static double least(const place *a, const place *b)
{
    double third = (b->s - a->s) / 3;
    return CAROM_MIN(CAROM_MIN(a->g, b->g), CAROM_MIN(a->g + third * a->u, b->g - third * b->u));
}

/* (5) */
static bool bottom(carom_step *s, carom_tol *w, int i, place a, place b, double noise, double *high)
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
static bool search(carom_step *s, carom_tol *w, int i, place a, place b, double d, double noise, int depth, double *low,
                   double *high)
{
    *low = a.s, *high = b.s;
    if (least(&a, &b) - d >= 0)
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
static bool far(const carom_step *s, const carom_tol *w, int i)
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

bool carom_tol_dip(carom_step *s, carom_tol *w, int contact, bool left, double noise, double from, double *low,
                   double *high)
{
    const carom_system *sys = s->system;
    int i = sys->njoint + contact, n = sys->nlink;
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
