/* oscillator.h: u'' + 2 alpha u' + u = a cos(w t) between stops, exactly: closed-form flights, impact times to
 * rounding; and the same system as a model. */
#ifndef CAROM_TEST_OSCILLATOR_H
#define CAROM_TEST_OSCILLATOR_H

#include <math.h>

#include "carom.h"

typedef struct oscillator {
    double w, alpha, e, umin, a, umax; /* umax: INFINITY for none */
} oscillator;

static inline void oscillator_flight(const oscillator *o, double t0, double u0, double v0, double t, double *u,
                                     double *v)
{
    double d = pow(1 - o->w * o->w, 2) + pow(2 * o->alpha * o->w, 2), b = sqrt(1 - o->alpha * o->alpha), s = t - t0;
    double C = o->a * (1 - o->w * o->w) / d, D = o->a * 2 * o->alpha * o->w / d;
    double A = u0 - (C * cos(o->w * t0) + D * sin(o->w * t0));
    double B = (v0 - o->w * (D * cos(o->w * t0) - C * sin(o->w * t0)) + o->alpha * A) / b;
    double decay = exp(-o->alpha * s), c = cos(b * s), n = sin(b * s);
    *u = C * cos(o->w * t) + D * sin(o->w * t) + decay * (A * c + B * n);
    *v = o->w * (D * cos(o->w * t) - C * sin(o->w * t)) +
         decay * ((b * B - o->alpha * A) * c - (b * A + o->alpha * B) * n);
}

static inline bool oscillator_out(const oscillator *o, double u, double v)
{
    return (u < o->umin && v < 0) || (u > o->umax && v > 0);
}

/* From (t, u, v) to T; the number of impacts. Scans in steps that are short against the motion: no grazing, no rest. */
static inline int oscillator_run(const oscillator *o, double t, double T, double *u, double *v)
{
    const double scan = 1e-3;
    int impacts = 0;
    double u0 = *u, v0 = *v, x, y;
    for (double from = t, to = fmin(t + scan, T);; from = to, to = fmin(to + scan, T)) {
        oscillator_flight(o, t, u0, v0, to, &x, &y);
        if (oscillator_out(o, x, y)) {
            double low = from, high = to;
            for (double middle; (middle = 0.5 * (low + high)) > low && middle < high;) {
                oscillator_flight(o, t, u0, v0, middle, &x, &y);
                *(oscillator_out(o, x, y) ? &high : &low) = middle;
            }
            oscillator_flight(o, t, u0, v0, high, &x, &y);
            t = to = high, u0 = x, v0 = -o->e * y;
            impacts++;
        } else if (to == T) {
            break;
        }
    }
    *u = x, *v = y;
    return impacts;
}

/* ---- the model: p = {w, alpha, umin, a, umax} ---- */
static inline void oscillator_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1;
}

static inline void oscillator_force(const carom_point *at, double *F)
{
    F[0] = at->p[3] * cos(at->p[0] * at->t) - 2 * at->p[1] * at->v[0] - at->q[0];
}

static inline void oscillator_force_q(const carom_point *at, double *F_q)
{
    (void)at;
    F_q[0] = -1;
}

static inline void oscillator_force_v(const carom_point *at, double *F_v)
{
    F_v[0] = -2 * at->p[1];
}

static inline void oscillator_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - at->p[2];
    if (at->user)
        g[1] = at->p[4] - at->q[0];
}

static inline void oscillator_jacobian(const carom_point *at, double *G)
{
    G[0] = 1;
    if (at->user)
        G[1] = -1;
}

typedef struct oscillator_store {
    carom_contact stop[2];
    double p[5], q, v;
} oscillator_store;

static inline carom_model oscillator_model(oscillator_store *s, const oscillator *o, double u, double v)
{
    bool two = o->umax < INFINITY;
    *s = (oscillator_store){{{.name = "stop", .restitution = o->e}, {.name = "upper stop", .restitution = o->e}},
                            {o->w, o->alpha, o->umin, o->a, two ? o->umax : 0}, u, v};
    return (carom_model){.size = sizeof(carom_model), .name = "oscillator",
                         .nq = 1,
                         .nv = 1,
                         .np = 5,
                         .ncontact = two ? 2 : 1,
                         .contact = s->stop,
                         .q = &s->q,
                         .v = &s->v,
                         .p = s->p,
                         .constant = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW | CAROM_R_Q | CAROM_R_V,
                         .user = two ? s : NULL,
                         .mass = oscillator_mass,
                         .force = oscillator_force,
                         .gap = oscillator_gap,
                         .jacobian = oscillator_jacobian,
                         .force_q = oscillator_force_q,
                         .force_v = oscillator_force_v};
}

#endif
