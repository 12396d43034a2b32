/* status.c: what a step at velocity level means for the contacts: modes, events, segment and jump, energy.
 *
 * A step with an impulse on a contact is an impact, or the effect of a force over the step. What forces and curvature
 * change of a gap's velocity in one step is bounded by
 *     c = sum_j |G_j| |v_free - v|_j + |G v + w - u|,   u: G v + w of the step before       (1)
 * and smaller velocities are below the resolution of the step. So a contact with an impulse is closed after it if
 *     |u_after| <= c                                                                        (2)
 * it was hit unless it was closed before and stays so; and a closed contact without an impulse (the gap of a curved
 * contact swings about 0) opens only when u > c or g > c h. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"

static carom_mode tangential(const double *u, int directions, double scale)
{
    if (directions == 0)
        return CAROM_CLOSED;
    return carom_norm_max(directions, u) <= 1e-9 * scale ? CAROM_STICK : CAROM_SLIP;
}

static void tell(carom_stage *stage, carom_event_type type, double t, const carom_link *link, const carom_contacts *c)
{
    carom_event event = {.type = type, .t = t, .contact = link->contact};
    for (int j = 0; j < link->rows; j++) {
        event.u_before[j] = c->u_before[link->row + j];
        event.u_after[j] = c->u_after[link->row + j];
        event.impulse[j] = c->P[link->row + j];
    }
    carom_stage_event(stage, &event);
}

static double resolution(const carom_system *system, int row, const carom_state *now, bool was_closed,
                         const double *v_free)
{
    carom_rows here = carom_rows_here(system);
    double sum = carom_rows_reach(system, &here, row, v_free, now->v);
    if (was_closed)
        sum += fabs(carom_row_speed(system, row, now->v) - now->u[row]);
    return sum * (1 + 1e-12);                                                                         /* (1) */
}

static carom_mode mode_after_impulse(const carom_contacts *c, const carom_link *link, double change)
{
    int r = link->row;
    if (fabs(c->u_after[r]) > change)                                                                 /* (2) */
        return CAROM_OPEN;
    return tangential(c->u_after + r + 1, link->law->tangents,
                      CAROM_MAX(change, carom_norm_max(link->rows, c->u_before + r)));
}

/* Closed before, no impulse now. */
static carom_mode mode_without_impulse(const carom_system *system, const carom_link *link, const carom_state *now,
                                       const carom_state *next, const double *v_free)
{
    int r = link->row;
    double change = resolution(system, r, now, true, v_free), gap = system->at.g[system->njoint + link->contact];
    for (int j = r; j < r + link->rows; j++)
        next->u[j] = carom_row_speed(system, j, next->v);
    return next->u[r] <= change && gap <= change * (next->t - now->t) ? now->mode[link->contact] : CAROM_OPEN;
}

static void tell_changes(const carom_contacts *c, const carom_system *system, const carom_state *now,
                         const carom_state *next, carom_stage *stage)
{
    for (int i = 0; i < system->nlink - system->njoint; i++) {
        int before = now->mode[i], after = next->mode[i];
        if (before == after)
            continue;
        carom_event_type type = before == CAROM_OPEN    ? CAROM_EVENT_CLOSING
                                : after == CAROM_OPEN   ? CAROM_EVENT_OPENING
                                : after == CAROM_STICK ? CAROM_EVENT_STICK
                                                        : CAROM_EVENT_SLIP;
        tell(stage, type, next->t, &system->link[system->njoint + i], c);
    }
}

/* Nothing was closed and nothing is active: most steps are of this kind. */
static bool in_flight(const carom_system *system, const carom_state *now, carom_state *next)
{
    for (int i = 0, n = system->nlink - system->njoint; i < n; i++) {
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
                                                 carom_state *next, const double *v_free, carom_stage *stage)
{
    bool any = false, changed = false;
    carom_copy(system->nrow, c->P, next->impulse);
    carom_copy(system->nrow, c->u_after, next->u);
    for (int i = 0; i < system->nlink - system->njoint; i++) {
        const carom_link *link = &system->link[system->njoint + i];
        carom_mode before = now->mode[i], after = CAROM_OPEN;
        bool hit = false;
        if (!carom_law_can(link->law, CAROM_OPEN)) {
            double scale = resolution(system, link->row, now, true, v_free);
            after = tangential(c->u_after + link->row, link->law->tangents,
                               CAROM_MAX(scale, carom_norm_max(link->rows, c->u_before + link->row)));
        } else if (c->P[link->row] + c->offset[i] > 0) {
            after = mode_after_impulse(c, link, resolution(system, link->row, now, before != CAROM_OPEN, v_free));
            hit = c->u_before[link->row] < 0 && !(before != CAROM_OPEN && after != CAROM_OPEN);
        } else if (before != CAROM_OPEN && !(c->offset[i] > 0 && c->u_after[link->row] > 0)) { /* what pulled is off */
            after = mode_without_impulse(system, link, now, next, v_free);
        }
        next->mode[i] = (unsigned char)after;
        c->hit[i] = hit;
        if (hit)
            tell(stage, CAROM_EVENT_IMPACT, next->t, link, c);
        any |= hit, changed |= before != after;
    }
    if (changed)
        tell_changes(c, system, now, next, stage);
    return any;
}

bool carom_contact_status(carom_contacts *contacts, const carom_system *system, const carom_state *now,
                          carom_state *next, const double *v_free, carom_stage *stage)
{
    if (contacts->nactive == 0 && in_flight(system, now, next))
        return false;
    return in_contact(contacts, system, now, next, v_free, stage);
}

void carom_contact_start(carom_system *system, carom_state *state)
{
    const carom_model *m = system->model;
    if (m->ncontact == 0)
        return;
    carom_system_eval(system, CAROM_GAP | CAROM_JACOBIAN, state->t, state->q, state->v);
    double length = 1 + carom_norm_max(system->nq, state->q), speed = 1 + carom_norm_max(system->nv, state->v);
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        double *u = state->u + link->row;
        for (int j = 0; j < link->rows; j++)
            u[j] = carom_row_speed(system, link->row + j, state->v);
        bool closed = fabs(system->at.g[i]) <= 1e-10 * length && fabs(u[0]) <= 1e-10 * speed;
        closed |= !carom_law_can(link->law, CAROM_OPEN);
        state->mode[link->contact] =
            (unsigned char)(closed ? tangential(u + carom_link_normals(link), link->law->tangents, speed) : CAROM_OPEN);
    }
}

void carom_contact_stage_step(const carom_contacts *contacts, const carom_system *system, const carom_state *now,
                              const carom_state *next, bool hit, carom_stage *stage)
{
    const carom_contacts *c = contacts;
    int nq = system->nq, nv = system->nv, nrow = system->nrow, nc = system->model->ncontact;
    double h = next->t - now->t;
    double *q0 = carom_stage_take(stage, nq), *xi = carom_stage_take(stage, 2 * nv);
    double *v = carom_stage_take(stage, 2 * nv), *force = carom_stage_take(stage, nrow);
    double *before = carom_stage_take(stage, nv);
    unsigned char *mode = (unsigned char *)carom_stage_take(stage, (nc + 7) / 8);
    double *impulse = carom_stage_take(stage, nrow), *q_end = carom_stage_take(stage, nq),
           *after = carom_stage_take(stage, nv);
    if (!after)
        return;
    memcpy(before, next->v, sizeof(double) * (size_t)nv);
    for (int row = 0; hit && row < c->problem.n; row++)
        for (int i = 0; i < nv; i++)
            before[i] -= c->Y[row * nv + i] * c->solve.x[row];
    for (int i = 0; i < nv; i++)
        v[i] = now->v[i], v[nv + i] = before[i] - now->v[i];
    carom_copy(nq, now->q, q0);
    carom_system_local(system, now->q, next->q, xi);
    for (int i = 0; i < nv; i++)
        xi[nv + i] = 0.5 * h * v[nv + i], xi[i] -= xi[nv + i];
    for (int r = 0; r < nrow; r++)
        force[r] = hit ? 0 : c->P[r] / h;
    memcpy(mode, next->mode, (size_t)nc);
    carom_stage_segment(stage, &(carom_segment){.t0 = now->t,
                                                .t1 = next->t,
                                                .q_degree = 2,
                                                .v_degree = 1,
                                                .q0 = q0,
                                                .xi = xi,
                                                .v = v,
                                                .force = force,
                                                .mode = mode,
                                                .residual = c->nactive ? c->solve.residual : 0});
    if (!hit)
        return;
    memcpy(impulse, c->P, sizeof(double) * (size_t)nrow);
    memcpy(q_end, next->q, sizeof(double) * (size_t)nq);
    memcpy(after, next->v, sizeof(double) * (size_t)nv);
    carom_stage_jump(stage,
                     &(carom_jump){.t = next->t, .q = q_end, .v_before = before, .v_after = after, .impulse = impulse});
}

void carom_contact_account(const carom_contacts *contacts, carom_system *system, double h, double t, const double *q,
                           const double *v, const double *v_before, const double *v_after, carom_stage *stage)
{
    const carom_contacts *c = contacts;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++) {
            double work = 0.5 * c->P[r] * (carom_row_dot(system, r, v_before) + carom_row_dot(system, r, v_after));
            double moving = link->contact < 0 ? work : -c->P[r] * system->at.w[r];
            bool normal = r < link->row + carom_link_normals(link);
            bool impact = link->contact >= 0 && (normal || c->hit[link->contact]);
            stage->work_constraints += moving;
            if (link->contact >= 0)
                *(impact ? &stage->impact : &stage->friction) += moving - work;
        }
    }
    carom_system_eval(system, CAROM_ENERGY, t, q, v);
    stage->work_external += h * system->at.energy[2];
    stage->viscous -= h * system->at.energy[3];
}
