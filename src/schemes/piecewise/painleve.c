/* painleve.c: friction that has no solution, or more than one: named states that end a run.
 *
 *   inconsistent   no mode of the closed contacts holds: d of given_modes.c (6) went to 0 in slip with gddot < 0
 *                  without the force (it has a pole there), or all modes were tried in vain                         (1)
 *   not unique     several modes hold, with different accelerations: the model does not say what happens           (2)
 *
 * d is tested at every stage, before forces are looked at: behind the pole their signs mean nothing. Modes are tried
 * whenever they are decided, by painleve.c. */
#include "schemes/piecewise/piecewise.h"

static carom_status stop(carom_step *s, carom_paradox paradox, double t, int contact, double p, double b)
{
    carom_info *info = s->system->info;
    const char *name = s->system->link[s->system->njoint + contact].name;
    info->paradox = paradox, info->paradox_contact = contact, info->paradox_time = t;
    if (paradox == CAROM_INCONSISTENT)
        CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
                   "inconsistent at t = %.10g: friction of contact '%s' leaves no mode that holds (Painleve: its "
                   "normal force has the "
                   "effect p = %.2g, gddot without it is %.3g)", t, name, p, b);
    CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
               "not unique at t = %.10g: friction of contact '%s' lets several modes hold with different "
               "accelerations (Painleve: its "
               "normal force has the effect p = %.2g, gddot without it is %.3g)", t, name, p, b);
}

/* The force that was positive before the pole says that gddot without it was negative; told is what holds before the
 * pole. */
carom_status carom_tol_no_slip(carom_step *s, carom_tol *w, carom_status status)
{
    carom_given_modes *f = &w->given;
    if (status != CAROM_NO_SOLUTION || f->slip < 0)
        return status;
    f->side = 0;
    CAROM_TRY(carom_tol_measure(s, w, &w->start));
    carom_given_sides(f, s->system);
    return stop(s, CAROM_INCONSISTENT, s->now->t, f->slip, f->slip_p, f->slip_b);                /* (1) */
}

carom_status carom_tol_unique(carom_step *s, carom_tol *w, double t, carom_status status)
{
    carom_painleve found = carom_contact_painleve(s->contacts, s->system, &w->painleve);
    if (found.solutions == 0 && status == CAROM_NO_SOLUTION)
        return stop(s, CAROM_INCONSISTENT, t, found.contact, found.p, found.b);                  /* (1) */
    if (found.solutions > 1)
        return stop(s, CAROM_NOT_UNIQUE, t, found.contact, found.p, found.b);                    /* (2) */
    return status;
}
