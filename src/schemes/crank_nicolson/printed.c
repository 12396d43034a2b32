/* printed.c: the corrected scheme for the impact oscillator as printed, equations (26)-(38), for one coordinate
 * and one contact with a gap that is affine in it. With g, u the gap and its velocity, ^ at the end of a step of
 * Crank-Nicolson:
 *
 *   Uhat, Vhat by (26); for the oscillator these are (27), (28)                                               (1)
 *   ghat >= 0:  accept, t <- t + dt                                              case 1, (29)                 (2)
 *   phi(s) = s^2/2 (uhat - u)/dt + s (ghat - g)/dt + g                           (31)                         (3)
 *   uhat = u:  s = dt g/(g - ghat)                                               case 2.1, (32)               (4)
 *   else D = ((ghat - g)/dt)^2 - 2/dt (uhat - u) g, zeros (33), (34)             case 2.2                     (5)
 *   the smallest zero s0 in [0, dt]:  g = 0, t <- t + s0                         (35), (36)                   (6)
 *       u <- -e ((ghat - g)/dt + s0 (uhat - u)/dt)                               (37)                         (7)
 *   no zero: dt/2, at most ten times, then u <- -e u, U and t as they are        (38)                         (8)
 *
 * Corrected to make it run: (24) is about v, not its derivative. (30) lacks a division by dt. 'does not change sign
 * in [0, dt]' before (35) reads 'vanishes'. (33), (34) are evaluated without cancellation. An impact ends the step:
 * the next one has the full length again, as the paper says.
 * Not corrected: the slope (ghat - g)/dt in (3) and (7), which makes the scheme first order, and the ways to stand
 * still. After an impact, and at rest, g = 0: if the next step falls below again the smallest zero is s0 = 0, time
 * stops and u tends to the fixed point e |a| dt/2/(1 + e). Where s0 = 0 is not taken for a zero, (8) follows from
 * rest and changes nothing either. Passes that take no time are counted and reported with time, contact and reason
 * instead of being repeated for ever. */
#include <math.h>

#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

carom_status carom_cn_printed_accepts(const carom_model *model, carom_error *error)
{
    const char *reason = model->nv != 1 || model->manifold ? "it has one coordinate"
                         : model->njoint               ? "it has no joints"
                         : model->ncontact > 1         ? "its phi(s) of equation (31) is that of one contact"
                         : model->ncontact && model->contact[0].directions ? "it has no friction"
                         : model->ncontact && !(model->constant & CAROM_JACOBIAN) ? "its obstacle (25) stands still"
                                                                                  : NULL;
    if (!reason)
        return CAROM_OK;
    CAROM_FAIL(error, CAROM_UNSUPPORTED,
               "crank-nicolson as printed does not take the model '%s': %s (variant=consistent does)",
               model->name ? model->name : "", reason);
}

static void measure(carom_step *s, double t, const double *q, const double *v, double *g, double *u)
{
    carom_system *sys = s->system;
    *g = 1, *u = 0;
    if (sys->model->ncontact == 0)
        return;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, t, q, v);
    *g = sys->at.g[0];
    *u = carom_row_speed(sys, 0, v);
}

/* (4)-(6): the smallest zero of phi(s) = b s^2/2 + c s + g in [0, dt]; negative: none */
static double smallest_zero(double b, double c, double g, double dt)
{
    double s[2] = {-1, -1}, least = -1;
    if (b == 0) {
        s[0] = c != 0 ? -g / c : -1;                                                           /* (4) */
    } else {
        double D = c * c - 2 * b * g;                                                          /* (5) */
        if (D < 0)
            return -1;
        double d = -(c + copysign(sqrt(D), c));
        s[0] = d / b;
        s[1] = d != 0 ? 2 * g / d : -1;
    }
    for (int i = 0; i < 2; i++)
        if (s[i] >= 0 && s[i] <= dt && (least < 0 || s[i] < least))
            least = s[i];
    return least;
}

static void bounce(carom_step *s, carom_cn *w, double u_before, double u_after)
{
    carom_system *sys = s->system;
    double G = carom_row_entry(sys, 0, 0);
    w->v_old[0] = w->at.v[0];
    w->at.v[0] += (u_after - u_before) / G;
    carom_system_eval(sys, CAROM_MASS, w->at.t, w->at.q, w->at.v);
    double P = carom_mass_entry(sys, 0, 0) * (w->at.v[0] - w->v_old[0]) / G;
    w->jump[0] = P;
    w->at.impulse[0] += P;
    carom_record_event(s->record, &(carom_event){.type = CAROM_EVENT_IMPACT, .t = w->at.t, .u_before = {u_before},
                                                 .u_after = {u_after}, .impulse = {P}});
    carom_cn_stage_jump(s, w, w->v_old);
    if (!s->record->account)
        return;
    w->g_bar[0] = -1;
    carom_contacts_activate(s->contacts, sys, w->g_bar, w->at.q, w->at.mode);
    s->contacts->P[0] = P;
    s->contacts->hit[0] = 1;
    carom_contact_account(s->contacts, sys, 0, w->at.t, w->at.q, w->at.v, w->v_old, w->at.v, s->record);
}

static double restitution(carom_step *s, const carom_cn *w) /* of the velocity with which the step has got there */
{
    carom_system_eval(s->system, CAROM_LAW, w->at.t, w->at.q, w->at.v);
    return s->system->at.law[0];
}

/* (1)-(8) once; *u_new: the velocity of the gap after an impact */
static carom_status pass(carom_step *s, carom_cn *w, double *u_new, bool *fallback)
{
    double g, u, g1, u1, dt = s->h;
    measure(s, w->at.t, w->at.q, w->at.v, &g, &u);
    *fallback = false;
    CAROM_TRY(carom_cn_accelerate(s, w, false));
    for (int k = 0; k <= 10; k++, dt /= 2) {
        CAROM_TRY(carom_cn_flow(s, w, dt));                                                    /* (1) */
        measure(s, w->at.t + dt, w->q1, w->v1, &g1, &u1);
        if (g1 >= 0)
            return carom_cn_move(s, w, dt);                                                    /* (2) */
        double b = (u1 - u) / dt, c = (g1 - g) / dt, s0 = smallest_zero(b, c, g, dt);          /* (3) */
        if (s0 < 0)
            continue;
        double before = c + s0 * b, G = carom_row_entry(s->system, 0, 0), w_0 = s->system->at.w[0];
        w->q1[0] = w->at.q[0] - g / G - w_0 / G * s0;
        w->v1[0] = (before - w_0) / G;
        CAROM_TRY(carom_cn_move(s, w, s0));                                                    /* (6) */
        *u_new = -restitution(s, w) * before;
        bounce(s, w, before, *u_new);                                                          /* (7) */
        return CAROM_OK;
    }
    *fallback = true;
    *u_new = -restitution(s, w) * u;
    bounce(s, w, u, *u_new);                                                                   /* (8) */
    return CAROM_OK;
}

carom_status carom_cn_printed(carom_step *s, carom_cn *w)
{
    enum { PASSES = CAROM_CN_PIECES };
    bool fallback = false;
    double u = 0;
    for (int i = 0; i < s->system->model->ncontact; i++)
        w->at.mode[i] = CAROM_OPEN; /* the scheme knows no rest */
    for (int k = 0; k < PASSES; k++) {
        CAROM_TRY(pass(s, w, &u, &fallback));
        if (s->now->t + w->tau > s->now->t)
            return CAROM_OK;
    }
    CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
               "crank-nicolson as printed stands still at t = %.10g (contact '%s', velocity of the gap %.3g) after %d "
               "passes: %s",
               w->at.t, s->system->link[0].name, u, PASSES,
               fallback ? "equation (31) has no zero and the fallback (38) takes no time"
                        : "the smallest zero of equation (31) after an impact is s = 0");
}
