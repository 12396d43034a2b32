/* status.c: what a step of the scheme means for the contacts.
 *
 * An impact is a run of steps with multipliers, two as a rule: it is told at the second, or after the first if there is
 * no second, with the velocity before the run and all impulses. What forces change of a gap's velocity in one step,
 *     c = sum_j |G_j| |d_free - d_back|_j/h,                                                    (1)
 * is below the resolution: a contact with a multiplier is closed if its velocities before and after are within 2 c,
 * and runs that begin with less are no impacts. A closed contact without a multiplier opens when u > c. */
#include <math.h>

#include "core/dense.h"
#include "schemes/schatzman_paoli/schatzman_paoli.h"

carom_paoli_memory carom_paoli_memory_at(const carom_system *system, const double *memory)
{
    double *at = (double *)memory; /* a step's own memory is written through memory_next alone */
    carom_paoli_memory m = {.q_back = at, .q_node = at + system->nq, .phase = at + 2 * system->nq};
    m.held = m.phase + 1;
    m.u_in = m.held + system->ncontact;
    return m;
}

static double resolution(const carom_system *system, const carom_paoli_work *w, int row, double h)
{
    return carom_rows_reach(system, &w->rows_k, row, w->d_free, w->d_back) / h * (1 + 1e-12); /* (1) */
}

static carom_mode mode_after(const carom_contacts *c, const carom_link *link, carom_mode before, double change)
{
    int r = link->row;
    double speed = fmax(fabs(c->u_before[r]), fabs(c->u_after[r]));
    if (c->P[r] > 0 && speed <= 2 * change)
        return carom_mode_tangential(link->rows - 1, c->u_after + r + 1,
                                     1e-9 * fmax(change, carom_norm_max(link->rows, c->u_before + r)));
    if (!(c->P[r] > 0) && before != CAROM_OPEN && c->u_after[r] <= change)
        return before;
    return CAROM_OPEN;
}

/* With the impulse of the step before. */
static void tell_impact(carom_step *s, const carom_link *link, const double *u_in)
{
    const carom_contacts *c = s->contacts; /* whose u_free is not used by this scheme */
    for (int r = link->row; r < link->row + link->rows; r++)
        c->u_free[r] = c->P[r] + s->now->impulse[r];
    carom_record_contact(s->record, CAROM_EVENT_IMPACT, s->next->t, link, u_in, c->u_after, c->u_free);
}

/* Counts the steps of a run with multipliers; true when it turns out to be an impact. */
static bool impact_of_run(carom_step *s, const carom_paoli_memory *from, const carom_paoli_memory *to,
                          const carom_link *link, double change)
{
    int i = link->contact;
    bool held = s->contacts->P[link->row] > 0, first = held && from->held[i] == 0;
    to->held[i] = held ? fmin(from->held[i] + 1, 3) : 0;
    carom_copy(link->rows, (first ? s->contacts->u_before : from->u_in) + link->row, to->u_in + link->row);
    bool second = held && from->held[i] == 1, single = !held && from->held[i] == 1;
    return (second || single) && to->u_in[link->row] < -2 * change;
}

void carom_paoli_status(carom_step *s, const carom_paoli_work *w)
{
    const carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    const carom_paoli_memory from = carom_paoli_memory_at(sys, s->memory),
                             to = carom_paoli_memory_at(sys, s->memory_next);
    double h = s->options->h;
    for (int r = 0; r < sys->nrow; r++) {
        c->u_before[r] = carom_rows_dot(sys, &w->rows_k, r, w->d_back) / h + w->rows_k.w[r];
        c->u_after[r] = carom_rows_dot(sys, &w->rows_k, r, w->d) / h + w->rows_k.w[r];
    }
    carom_copy(sys->nrow, c->P, s->next->impulse);
    carom_copy(sys->nrow, c->u_after, s->next->u);
    for (int r = 0; r < sys->njoint; r++)
        to.u_in[r] = 0;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double change = resolution(sys, w, link->row, h);
        carom_mode before = s->now->mode[link->contact], after = mode_after(c, link, before, change);
        bool hit = impact_of_run(s, &from, &to, link, change);
        c->hit[link->contact] = hit || to.held[link->contact] == 1;
        s->next->mode[link->contact] = (unsigned char)after;
        if (hit)
            tell_impact(s, link, to.u_in);
        if (before != after)
            carom_record_contact(s->record, carom_event_of(before, after), s->next->t, link, c->u_before, c->u_after,
                                 c->P);
    }
}
