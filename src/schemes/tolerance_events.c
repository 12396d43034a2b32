/* tolerance_events.c: the earliest event of a step, located on trials of the Runge-Kutta pair.
 *
 * Functions that are positive as long as the modes hold:
 *   open      g                        impact; found between the ends too (locate.c)              (1)
 *   closed    x_n                      opening                                                    (2)
 *   stick     mu_s x_n - |x_t|         slip begins                                                (3)
 *   slip      s . u_t                  slip ends                                                  (4)
 * Roots of (1) and (4) are polished to rounding: they change the velocity; those of (2) and (3) to the square root of the
 * tolerance would do, since the motion is continuous there. */
#include <float.h>
#include <math.h>

#include "contact/locate.h"
#include "schemes/tolerance.h"

enum { ITERATIONS = 60 };

static double value(const carom_step *s, const carom_tol *w, const carom_end *e, carom_cause cause, int contact)
{
    const carom_system *sys = s->system;
    const carom_link *link = &sys->link[sys->njoint + contact];
    const double *x = e->force + link->row, *u = e->u + link->row, *d = w->direction + 2 * contact;
    switch (cause) {
    case CAROM_CAUSE_GAP:
        return e->g[sys->njoint + contact];
    case CAROM_CAUSE_FORCE:
        return x[0];
    case CAROM_CAUSE_STICK:
        return sys->at.law[4 * contact + 3] * x[0] - (link->rows > 2 ? hypot(x[1], x[2]) : fabs(x[1]));
    default:
        return d[0] * u[1] + (link->rows > 2 ? d[1] * u[2] : 0);
    }
}

/* The root of the function in [low, high], positive at low and negative at high: regula falsi (Illinois) with bisection,
 * for gaps Newton's method inside the bracket. Leaves the trial at the root in w->end, on the negative side of it. */
static carom_status polish(carom_step *s, carom_tol *w, carom_cause cause, int contact, double low, double f_low, double high,
                           double f_high)
{
    const carom_system *sys = s->system;
    double accuracy = 4 * DBL_EPSILON * CAROM_MAX(fabs(s->now->t), high), x = high;
    int row = sys->link[sys->njoint + contact].row, stuck = 0;
    for (int k = 0; k < ITERATIONS && high - low > accuracy; k++) {
        const carom_end *e = &w->probe;
        double newton = cause == CAROM_CAUSE_GAP && k > 0 && e->u[row] < 0 ? e->x - e->g[sys->njoint + contact] / e->u[row] : -1;
        x = newton > low && newton < high ? newton : (f_low * high - f_high * low) / (f_low - f_high);
        if (!(x > low && x < high) || k % 8 == 7)
            x = 0.5 * (low + high);
        CAROM_TRY(carom_tol_trial(s, w, x, &w->probe, NULL));
        double f = value(s, w, &w->probe, cause, contact);
        if (f < 0) {
            high = x, f_high = f;
            f_low *= ++stuck > 1 ? 0.5 : 1;
            carom_tol_copy(sys, &w->probe, &w->end);
        } else {
            low = x, f_low = f;
            f_high *= --stuck < -1 ? 0.5 : 1;
        }
        if (f == 0) {
            carom_tol_copy(sys, &w->probe, &w->end);
            return CAROM_OK;
        }
        if (newton >= 0 && f >= 0 && f < 4 * DBL_EPSILON * (1 + carom_norm_max(sys->nq, e->q))) { /* at the root, from above */
            carom_tol_copy(sys, &w->probe, &w->end);
            return CAROM_OK;
        }
    }
    return CAROM_OK;
}

/* (1) for one open contact: shortens w->end when its gap closes before. */
static carom_status closing(carom_step *s, carom_tol *w, int contact, bool *found)
{
    const carom_system *sys = s->system;
    int i = sys->njoint + contact, r = sys->link[i].row;
    double h = w->end.x, b[6], low = 0, high = 0, from = 0;
    double g0 = w->start.g[i], u0 = w->start.u[r];
    *found = false;
    if (g0 <= 0 && u0 >= 0)
        g0 = 0; /* it has just left */
    carom_locate_quintic(h, g0, u0, w->start.udot[r], w->end.g[i], w->end.u[r], w->end.udot[r], b);
    double least = b[0], reach = fabs(h * u0) + fabs(h * w->end.u[r]);
    for (int k = 1; k < 6; k++)
        least = CAROM_MIN(least, b[k]);
    if (least > reach)
        return CAROM_OK;
    if (w->end.g[i] >= 0) { /* a dip between the ends? */
        CAROM_TRY(carom_tol_trial(s, w, 0.5 * h, &w->probe, NULL));
        carom_locate_lower(b, 2 * fabs(w->probe.g[i] - carom_locate_value(b, 0.5)));
    }
    while (carom_locate_first(b, from, &low, &high)) {
        CAROM_TRY(carom_tol_trial(s, w, CAROM_MIN(1, high) * h, &w->probe, NULL));
        double f = w->probe.g[i];
        if (f < 0 && w->probe.x > 0) {
            double below = low * h, f_low = CAROM_MAX(carom_locate_value(b, low), DBL_MIN), x = w->probe.x;
            carom_tol_copy(sys, &w->probe, &w->end);
            *found = true;
            if (below > 0) { /* make sure that the bracket is one */
                CAROM_TRY(carom_tol_trial(s, w, below, &w->probe, NULL));
                f_low = w->probe.g[i];
                if (f_low < 0)
                    below = 0, f_low = DBL_MIN;
            }
            return polish(s, w, CAROM_CAUSE_GAP, contact, below, f_low, x, f);
        }
        from = high;
        if (from >= 1)
            break;
    }
    return CAROM_OK;
}

/* (2)-(4): sign change between the ends. */
static carom_status crossing(carom_step *s, carom_tol *w, carom_cause cause, int contact, bool *found)
{
    double f1 = value(s, w, &w->end, cause, contact), f0 = value(s, w, &w->start, cause, contact);
    *found = f1 < 0;
    if (!*found)
        return CAROM_OK;
    return polish(s, w, cause, contact, 0, CAROM_MAX(f0, DBL_MIN), w->end.x, f1);
}

carom_status carom_tol_first_event(carom_step *s, carom_tol *w, carom_cause *cause, int *contact)
{
    const carom_system *sys = s->system;
    *cause = CAROM_CAUSE_NONE;
    for (int c = 0; c < sys->nlink - sys->njoint; c++) {
        carom_cause causes[2] = {CAROM_CAUSE_NONE, CAROM_CAUSE_NONE};
        switch ((carom_role)(int)w->role[c]) {
        case CAROM_ROLE_OPEN:
            causes[0] = CAROM_CAUSE_GAP;
            break;
        case CAROM_ROLE_PRESS:
            causes[0] = CAROM_CAUSE_FORCE;
            break;
        case CAROM_ROLE_STICK:
            causes[0] = CAROM_CAUSE_FORCE, causes[1] = CAROM_CAUSE_STICK;
            break;
        case CAROM_ROLE_SLIP:
            causes[0] = CAROM_CAUSE_FORCE, causes[1] = CAROM_CAUSE_SLIP_END;
            break;
        case CAROM_ROLE_PASSIVE:
            break;
        }
        for (int k = 0; k < 2 && causes[k] != CAROM_CAUSE_NONE; k++) {
            bool found;
            CAROM_TRY(causes[k] == CAROM_CAUSE_GAP ? closing(s, w, c, &found) : crossing(s, w, causes[k], c, &found));
            if (found)
                *cause = causes[k], *contact = c;
        }
    }
    return CAROM_OK;
}
