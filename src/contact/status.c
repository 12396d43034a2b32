/* status.c: what a step at velocity level means for the contacts: modes, events, segment and jump, energy.
 *
 * A step with impulse P on a contact is an impact, or the effect of a force over the step. It leaves the contact closed when
 * the velocity after it is no larger than what forces change it in one step,
 *     |u_after| <= |u_free - u_before|                                                      (1)
 * and it is an impact unless the contact was closed before and stays so. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "core/dense.h"

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

bool carom_contact_status(const carom_contacts *contacts, const carom_system *system, const carom_state *now, carom_state *next,
                          carom_stage *stage)
{
    const carom_contacts *c = contacts;
    bool any = false;
    const int ncontact = system->nlink - system->njoint;
    carom_copy(system->nrow, c->P, next->impulse);
    carom_copy(system->nrow, c->u_after, next->u);
    for (int i = 0; i < ncontact; i++)
        next->mode[i] = CAROM_OPEN;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        int r = link->row;
        if (link->contact < 0 || !(c->P[r] > 0))
            continue;
        double change = fabs(c->u_free[r] - c->u_before[r]);
        bool was_closed = now->mode[link->contact] != CAROM_OPEN;
        double scale = CAROM_MAX(change, carom_norm_max(link->rows, c->u_before + r));
        carom_mode mode = fabs(c->u_after[r]) <= change * (1 + 1e-12)                                 /* (1) */
                              ? tangential(c->u_after + r + 1, link->rows - 1, scale)
                              : CAROM_OPEN;
        next->mode[link->contact] = (unsigned char)mode;
        if (!(was_closed && mode != CAROM_OPEN) && c->u_before[r] < 0) {
            tell(stage, CAROM_EVENT_IMPACT, next->t, link, c);
            any = true;
        }
    }
    for (int i = 0; i < ncontact; i++) {
        int before = now->mode[i], after = next->mode[i];
        if (before == after)
            continue;
        carom_event_type type = before == CAROM_OPEN    ? CAROM_EVENT_CLOSING
                                : after == CAROM_OPEN   ? CAROM_EVENT_OPENING
                                : after == CAROM_STICK ? CAROM_EVENT_STICK
                                                        : CAROM_EVENT_SLIP;
        tell(stage, type, next->t, &system->link[system->njoint + i], c);
    }
    return any;
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
            u[j] = carom_dot(system->nv, system->at.G + (link->row + j) * system->nv, state->v) + system->at.w[link->row + j];
        bool closed = fabs(system->at.g[i]) <= 1e-10 * length && fabs(u[0]) <= 1e-10 * speed;
        state->mode[link->contact] = (unsigned char)(closed ? tangential(u + 1, link->rows - 1, speed) : CAROM_OPEN);
    }
}

void carom_contact_stage_step(const carom_contacts *contacts, const carom_system *system, const carom_state *now,
                              const carom_state *next, bool hit, carom_stage *stage)
{
    const carom_contacts *c = contacts;
    int nq = system->nq, nv = system->nv, nrow = system->nrow, nc = system->model->ncontact;
    double h = next->t - now->t;
    double *q = carom_stage_take(stage, 3 * nq), *v = carom_stage_take(stage, 2 * nv), *force = carom_stage_take(stage, nrow);
    double *before = carom_stage_take(stage, nv);
    unsigned char *mode = (unsigned char *)carom_stage_take(stage, (nc + 7) / 8);
    double *impulse = carom_stage_take(stage, nrow), *q_end = carom_stage_take(stage, nq), *after = carom_stage_take(stage, nv);
    if (!after)
        return;
    memcpy(before, next->v, sizeof(double) * (size_t)nv);
    for (int row = 0; hit && row < c->problem.n; row++)
        for (int i = 0; i < nv; i++)
            before[i] -= c->Y[row * nv + i] * c->solve.x[row];
    for (int i = 0; i < nv; i++)
        v[i] = now->v[i], v[nv + i] = before[i] - now->v[i];
    for (int i = 0; i < nq; i++) {
        double bend = nq == nv ? 0.5 * h * v[nv + i] : 0;
        q[i] = now->q[i], q[2 * nq + i] = bend, q[nq + i] = next->q[i] - now->q[i] - bend;
    }
    for (int r = 0; r < nrow; r++)
        force[r] = hit ? 0 : c->P[r] / h;
    memcpy(mode, next->mode, (size_t)nc);
    carom_stage_segment(stage, &(carom_segment){.t0 = now->t, .t1 = next->t, .q_degree = 2, .v_degree = 1, .q = q, .v = v,
                                                .force = force, .mode = mode, .residual = c->nactive ? c->solve.residual : 0});
    if (!hit)
        return;
    memcpy(impulse, c->P, sizeof(double) * (size_t)nrow);
    memcpy(q_end, next->q, sizeof(double) * (size_t)nq);
    memcpy(after, next->v, sizeof(double) * (size_t)nv);
    carom_stage_jump(stage, &(carom_jump){.t = next->t, .q = q_end, .v_before = before, .v_after = after, .impulse = impulse});
}

void carom_contact_account(const carom_contacts *contacts, carom_system *system, double h, double t, const double *q,
                           const double *v, const double *v_before, const double *v_after, carom_stage *stage)
{
    const carom_contacts *c = contacts;
    int nv = system->nv;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++) {
            const double *G = system->at.G + r * nv;
            double work = 0.5 * c->P[r] * (carom_dot(nv, G, v_before) + carom_dot(nv, G, v_after)); /* P . G v */
            double moving = link->contact < 0 ? work : -c->P[r] * system->at.w[r];
            stage->work_constraints += moving;
            *(r == link->row ? &stage->impact : &stage->friction) += moving - work;
        }
    }
    carom_system_eval(system, CAROM_ENERGY, t, q, v);
    stage->work_external += h * system->at.energy[2];
    stage->viscous -= h * system->at.energy[3];
}
