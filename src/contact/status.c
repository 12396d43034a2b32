/* status.c: what a step at velocity level means for the contacts: modes, events, segment and jump, energy.
 *
 * A step with an impulse on a contact is an impact, or the effect of a force over the step. What forces and curvature
 * change of a gap's velocity in one step is bounded by
 *     c = sum_j |G_j| |v_free - v|_j + |G v + w - u|,   u: G v + w of the step before       (1)
 * and smaller velocities are below the resolution of the step. So a contact with an impulse is closed after it if
 *     |u_after| <= c,  of many bodies: or <= 2 tol s_k, what the judge lets pass (residual.c): only other contacts
 *     press the sides of bricks in a wall, and c is 0                                       (2)
 * it was hit unless it was closed before and stays so; and a closed contact without an impulse (the gap of a curved
 * contact swings about 0) opens only when u > c or g > c h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "contact/scale.h"

static double resolution(const carom_system *system, int row, const carom_state *now, bool was_closed,
                         const double *v_free)
{
    carom_rows here = carom_rows_here(system);
    double sum = carom_rows_reach(system, &here, row, v_free, now->v);
    if (was_closed)
        sum += fabs(carom_row_speed(system, row, now->v) - now->u[row]);
    return sum * (1 + 1e-12);                                                                         /* (1) */
}

/* k: the block of the contact in the problem */
static carom_mode mode_after_impulse(const carom_contacts *c, const carom_system *system, int k,
                                     const carom_link *link, double change)
{
    int r = link->row;
    if (system->blocks.n && fabs(c->u_after[r]) > change)
        change = fmax(change, 2 * fmax(c->solve.tol, c->solve.residual) *
                                  carom_delassus_term(&c->problem, k, c->solve.x));
    if (fabs(c->u_after[r]) > change)                                                                 /* (2) */
        return CAROM_OPEN;
    double scale = CAROM_MAX(change, carom_norm_max(link->rows, c->u_before + r));
    return carom_mode_tangential(link->law->tangents, c->u_after + r + 1, 1e-9 * scale);
}

/* Closed before, no impulse now. */
static carom_mode mode_without_impulse(const carom_system *system, const carom_link *link, const carom_state *now,
                                       const carom_state *next, const double *v_free)
{
    int r = link->row;
    double change = resolution(system, r, now, true, v_free);
    double gap = system->at.g[carom_contact_number(system, link->contact)];
    for (int j = r; j < r + link->rows; j++)
        next->u[j] = carom_row_speed(system, j, next->v);
    return next->u[r] <= change && gap <= change * (next->t - now->t) ? now->mode[link->contact] : CAROM_OPEN;
}

static void tell_changes(const carom_contacts *c, const carom_system *system, const carom_state *now,
                         const carom_state *next, carom_record *record)
{
    for (int i = 0; i < system->ncontact; i++)
        if (now->mode[i] != next->mode[i])
            carom_record_contact(record, carom_event_of(now->mode[i], next->mode[i]), next->t,
                                 carom_contact_link(system, i), c->u_before, c->u_after, c->P);
}

/* Nothing was closed and nothing is active: most steps are of this kind. */
static bool in_flight(const carom_system *system, const carom_state *now, carom_state *next)
{
    for (int i = 0, n = system->ncontact; i < n; i++) {
        if (now->mode[i] != CAROM_OPEN)
            return false;
        next->mode[i] = CAROM_OPEN;
    }
    for (int r = 0; r < system->nrow; r++)
        next->impulse[r] = next->u[r] = 0;
    return true;
}

/* Apart, so that a flight does not pay for its registers. */
static __attribute__((noinline)) bool in_contact(carom_contacts *c, const carom_system *system, const carom_state *now,
                                                 carom_state *next, const double *v_free, carom_record *record)
{
    bool any = false, changed = false;
    int k = 0; /* active contacts ascend */
    carom_copy(system->nrow, c->P, next->impulse);
    carom_copy(system->nrow, c->u_after, next->u);
    for (int i = 0; i < system->ncontact; i++) {
        const carom_link *link = carom_contact_link(system, i);
        carom_mode before = now->mode[i], after = CAROM_OPEN;
        bool hit = false;
        if (!carom_law_can(link->law, CAROM_OPEN)) {
            double scale = CAROM_MAX(resolution(system, link->row, now, true, v_free),
                                     carom_norm_max(link->rows, c->u_before + link->row));
            after = carom_mode_tangential(link->law->tangents, c->u_after + link->row, 1e-9 * scale);
        } else if (c->P[link->row] + c->offset[i] > 0) {
            while (system->blocks.n && c->active[k] < carom_contact_number(system, i))
                k++;
            after = mode_after_impulse(c, system, k, link,
                                       resolution(system, link->row, now, before != CAROM_OPEN, v_free));
            hit = c->u_before[link->row] < 0 && !(before != CAROM_OPEN && after != CAROM_OPEN);
        } else if (before != CAROM_OPEN && !(c->offset[i] > 0 && c->u_after[link->row] > 0)) { /* what pulled is off */
            after = mode_without_impulse(system, link, now, next, v_free);
        }
        next->mode[i] = (unsigned char)after;
        c->hit[i] = hit;
        if (hit)
            carom_record_contact(record, CAROM_EVENT_IMPACT, next->t, link, c->u_before, c->u_after, c->P);
        any |= hit, changed |= before != after;
    }
    if (changed)
        tell_changes(c, system, now, next, record);
    return any;
}

bool carom_contact_status(carom_contacts *contacts, const carom_system *system, const carom_state *now,
                          carom_state *next, const double *v_free, carom_record *record)
{
    if (contacts->nactive == 0 && in_flight(system, now, next))
        return false;
    return in_contact(contacts, system, now, next, v_free, record);
}

void carom_contact_start(carom_system *system, carom_state *state)
{
    const carom_model *m = system->model;
    if (m->ncontact == 0)
        return;
    carom_system_eval(system, CAROM_GAP | CAROM_JACOBIAN, state->t, state->q, state->v);
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        double *u = state->u + link->row;
        for (int j = 0; j < link->rows; j++)
            u[j] = carom_row_speed(system, link->row + j, state->v);
        double g = fabs(system->at.g[i]), speed = 0;
        for (int j = 0; j < link->rows; j++)
            speed = CAROM_MAX(speed, carom_scale_speed(system, link->row + j, state->v));
        /* constants in a gap may be larger than all coordinates */
        bool closed = g <= 1e-10 * carom_scale_gap(system, link->row, state->q) + 4 * DBL_EPSILON;
        closed &= fabs(u[0]) <= 1e-10 * carom_scale_speed(system, link->row, state->v);
        closed |= !carom_law_can(link->law, CAROM_OPEN);
        const double *u_t = u + carom_link_normals(link);
        carom_mode mode = carom_mode_tangential(link->law->tangents, u_t, 1e-9 * speed);
        state->mode[link->contact] = (unsigned char)(closed ? mode : CAROM_OPEN);
    }
}

void carom_contact_record_step(const carom_contacts *contacts, const carom_system *system, const carom_state *now,
                               const carom_state *next, bool hit, carom_record *record)
{
    const carom_contacts *c = contacts;
    int nv = system->nv;
    double h = next->t - now->t, *before = c->a_free; /* of decisions of a step, which is over */
    carom_draft piece;
    carom_copy(nv, next->v, before);
    if (hit)
        carom_contacts_push(c, system, -1, before);
    if (!carom_record_parabola(record, system, now, next->t, h, next->q, before, next->mode, &piece))
        return;
    for (int r = 0; r < system->nrow; r++)
        piece.force[r] = hit ? 0 : c->P[r] / h;
    piece.segment->residual = c->nactive ? c->solve.residual : 0;
    if (hit)
        carom_record_jump(record, system, next->t, next->q, before, next->v, c->P);
}

void carom_contact_account(const carom_contacts *contacts, carom_system *system, double h, double t, const double *q,
                           const double *v, const double *v_before, const double *v_after, carom_record *record)
{
    const carom_contacts *c = contacts;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++) {
            double work = 0.5 * c->P[r] * (carom_row_dot(system, r, v_before) + carom_row_dot(system, r, v_after));
            double moving = link->contact < 0 ? work : -c->P[r] * system->at.w[r];
            bool normal = r < link->row + carom_link_normals(link);
            bool impact = link->contact >= 0 && (normal || c->hit[link->contact]);
            record->work_constraints += moving;
            if (link->contact >= 0)
                *(impact ? &record->impact : &record->friction) += moving - work;
        }
    }
    carom_system_eval(system, CAROM_ENERGY, t, q, v);
    carom_record_work(record, system->at.energy, h);
}
