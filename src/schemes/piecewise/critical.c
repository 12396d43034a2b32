/* critical.c: the critical step of Algorithm 1: an impact is located roughly and passed by a step of Moreau and Jean.
 * Source: V. Acary, INRIA RR-7151 (2009), Algorithm 1 and Theorem 1.
 *
 *   the motion in the present modes up to x - hb/2, where x is the root of the gap; hb = C h^(p+1)                  (1)
 *   J = struck + closed + { open: u <= 0, g + 2 hb u <= 0 }                                                         (2)
 *   a step of moreau-jean (theta = 1/2) of length hb with the contacts of J: 0 <= u' + e u _|_ P >= 0               (3)
 *   q' projected on g = 0 of J                                                                                      (4)
 *   contacts with u' > 0 are open, the others decided; accumulating impacts are frozen (freeze.c)                   (5)
 *
 * (4) puts an impact hb/2 too late: what is left of the error of a ball, whose flights are exact. Without it gaps drift
 * and modes cannot be kept as state. As printed the loop does not advance when nothing happens, and a set of
 * constraints that is read off g <= 0 never opens: modes are kept, roots of forces and of slip are polished, and the
 * motion, which is continuous there, goes on at once (modes.c). */
#include <string.h>

#include "schemes/moreau/moreau_jean.h"
#include "schemes/piecewise/piecewise.h"

carom_status carom_critical_approach(carom_step *s, carom_piecewise *w, carom_cause *cause, int contact)
{
    if (*cause != CAROM_CAUSE_GAP)
        return CAROM_OK;
    *cause = CAROM_CAUSE_NONE;
    w->closing = contact;
    return carom_piecewise_stages(s, w, CAROM_MAX(w->end.x - 0.5 * w->critical, 0), &w->end, true);       /* (1) */
}

/* (2) at w->start; how many. */
static int gather(const carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    int n = 0;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double g = w->start.g[i], u = w->start.u[link->row];
        if (carom_law_can(link->law, CAROM_OPEN) &&
            (link->contact == w->closing || w->modes[link->contact].mode != CAROM_OPEN ||
             (u <= 0 && g + 2 * s->h * u <= 0)))
            w->struck[n++] = i;
    }
    return n;
}

/* (4) from next->q to w->end.q */
static carom_status project(carom_step *s, carom_piecewise *w, int n)
{
    const carom_system *sys = s->system;
    carom_copy(sys->nq, s->next->q, w->end.q);
    carom_copy(sys->nv, s->next->v, w->end.v);
    w->end.x = s->h;
    for (int k = 0; k < n; k++)
        w->modes[w->struck[k] - sys->njoint].mode = CAROM_CLOSED;
    return carom_piecewise_project(s, w, &w->end, true);
}

static double energy(carom_step *s, const double *q)
{
    carom_system_eval(s->system, CAROM_ENERGY, s->next->t, q, s->next->v);
    return s->system->at.energy[0] + s->system->at.energy[1];
}

/* (5), after which w->end is the next state; velocities before it in w->ka[0]. */
static carom_status settle(carom_step *s, carom_piecewise *w, int n)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    carom_end *e = &w->end;
    for (int k = 0; k < n; k++) {
        int r = sys->link[w->struck[k]].row, i = w->struck[k] - sys->njoint;
        double rest = carom_piecewise_rest(w, w->struck[k]);
        w->modes[i].impacts += c->u_before[r] < -rest;
        w->modes[i].mode = c->u_after[r] > rest ? CAROM_OPEN : CAROM_CLOSED;
    }
    carom_copy(sys->nv, e->v, w->ka[0]);
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    CAROM_TRY(carom_piecewise_decide(s, w, s->next->t, e->q, e->v));
    return carom_piecewise_end_bounces(s, w);
}

/* What (5) has changed since the step of Moreau and Jean told its end. */
static void tell(carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    memcpy(w->mode, s->next->mode, (size_t)sys->model->ncontact);
    carom_piecewise_show(s, w);
    for (int i = 0; i < sys->model->ncontact; i++)
        if (w->mode[i] != s->next->mode[i])
            carom_record_event(s->record, &(carom_event){.type = carom_event_of(w->mode[i], s->next->mode[i]),
                                                         .t = s->next->t, .contact = i});
    bool moved = memcmp(w->ka[0], w->end.v, sizeof(double) * (size_t)sys->nv) != 0;
    if (moved && s->record->observed)
        carom_record_jump(s->record, sys, s->next->t, s->next->q, w->ka[0], s->next->v, c->P);
    else
        s->record->ended.on = false;
    for (int r = 0; r < sys->nrow; r++)
        s->next->impulse[r] += c->P[r], s->next->u[r] = w->end.u[r];
}

carom_status carom_critical_step(carom_step *s, carom_piecewise *w, carom_moreau_work *moreau)
{
    static const double midpoint[CAROM_FIELDS_MAX] = {0.5, 1}; /* theta, gamma */
    carom_system *sys = s->system;
    carom_step step = *s;
    bool hit;
    carom_piecewise_take_modes(s, w);
    carom_piecewise_release(s, w);
    w->given.side = 0, w->start.x = 0;
    carom_copy(sys->nq, s->now->q, w->start.q);
    carom_copy(sys->nv, s->now->v, w->start.v);
    CAROM_TRY(carom_piecewise_measure(s, w, &w->start));
    carom_piecewise_scales(s, w, w->start.q, w->start.v);
    int n = gather(s, w);
    step.field = midpoint;
    moreau->struck = w->struck, moreau->nstruck = n;
    CAROM_TRY(carom_moreau_velocity(&step, moreau, &hit));                                                /* (3) */
    CAROM_TRY(project(s, w, n));
    if (s->record->account)
        s->record->work_constraints += energy(s, w->end.q) - energy(s, s->next->q);
    carom_copy(sys->nq, w->end.q, s->next->q);
    CAROM_TRY(carom_step_finish(&step, hit));
    CAROM_TRY(settle(s, w, n));
    tell(s, w);
    s->h = step.h;
    w->closing = -1;
    return CAROM_OK;
}
