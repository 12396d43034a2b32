/* moreau_one.c: the step of moreau_jean.c for one coordinate and one contact without friction, with constant mass, law and G and
 * a force of time alone: a ball, a table, a mass on the floor.
 *
 * The formulas, and their roundings, are those of moreau_jean.c, impact.c and status.c: the same step with nothing to loop over and
 * nothing to look up. Tests compare them bit by bit. */
#include <float.h>
#include <math.h>

#include "schemes/moreau_jean.h"

static void tell(carom_stage *stage, carom_event_type type, double t)
{
    carom_stage_event(stage, &(carom_event){.type = type, .t = t}); /* counted only: nobody records */
}

/* What one step may change of the gap's velocity: (1) of status.c. */
static inline double resolution(double G, double w, double v, double v_free, bool closed, double u)
{
    double sum = fabs(G) * fabs(v_free - v);
    if (closed)
        sum += fabs(G * v + w - u);
    return sum * (1 + 1e-12);
}

/* The velocity after the step, its impulse and relative velocity; the mode after it. */
static inline carom_mode contact(carom_step *s, double v, double v_free, bool closed, double *v_new, bool *hit)
{
    carom_system *sys = s->system;
    double G = sys->at.G[0], w = sys->at.w[0], Y = G / sys->mass.A[0];
    double before = G * v + w, u_free = G * v_free + w, W = G * Y, b = u_free + sys->at.law[0] * before;
    double P = b < 0 ? -b / W : 0, after = u_free + W * P;
    s->next->impulse[0] = P, s->next->u[0] = after;
    double left = P > 0 ? fabs(b + W * P) : 0;
    s->stage->residual = left > 0 ? left / -b : 0;
    sys->info->contact_problems++;
    sys->info->linear_solves++;
    *v_new = v_free + Y * P;
    if (P > 0) {
        bool open = fabs(after) > resolution(G, w, v, v_free, closed, s->now->u[0]);
        *hit = before < 0 && !(closed && !open);
        return open ? CAROM_OPEN : CAROM_CLOSED;
    }
    return CAROM_CLOSED; /* to be decided by who was closed before */
}

carom_status carom_moreau_one(carom_step *s, double theta, double gamma)
{
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    carom_state *next = s->next;
    double h = s->h, q = now->q[0], v = now->v[0], q_bar = q + gamma * h * v;
    bool closed = now->mode[0] != CAROM_OPEN, hit = false;
    carom_step_advance(s, h);
    carom_system_eval(sys, CAROM_GAP, now->t + gamma * h, &q_bar, now->v);
    double g = sys->at.g[0];
    carom_system_eval(sys, CAROM_FORCE, now->t + theta * h, now->q, now->v);
    double v_free = h * sys->at.F[0] / sys->mass.A[0] + v, v_new = v_free;
    sys->info->newton_iterations++;
    sys->info->linear_solves++;
    next->impulse[0] = next->u[0] = 0;
    carom_mode mode = CAROM_OPEN;
    if (g <= 0 || (closed && g <= 1e-13 * (1 + fabs(q))))
        mode = contact(s, v, v_free, closed, &v_new, &hit);
    next->v[0] = v_new;
    next->q[0] = q + h * ((1 - theta) * v + theta * v_new);
    if (!(next->impulse[0] > 0)) {
        mode = CAROM_OPEN;
        if (closed) {
            double change = resolution(sys->at.G[0], sys->at.w[0], v, v_free, true, now->u[0]);
            next->u[0] = sys->at.G[0] * v_new + sys->at.w[0];
            mode = next->u[0] <= change && g <= change * (next->t - now->t) ? (carom_mode)now->mode[0] : CAROM_OPEN;
        }
    }
    next->mode[0] = (unsigned char)mode;
    if (hit)
        tell(s->stage, CAROM_EVENT_IMPACT, next->t);
    if (mode != (carom_mode)now->mode[0])
        tell(s->stage, mode == CAROM_OPEN ? CAROM_EVENT_OPENING : CAROM_EVENT_CLOSING, next->t);
    if (fabs(next->q[0]) <= DBL_MAX && fabs(v_new) <= DBL_MAX)
        return CAROM_OK;
    return carom_step_finish(s, hit); /* which says why not */
}
