/* impact.c: impacts of a step, and rest where the bounces that follow cannot be resolved.
 *
 *   J  = { the contacts reached: g <= 64 eps (L + U x), contact/scale.h, x: time since the last impact },
 *        together with joints and closed contacts: velocity-level problem                       (35), (37)  (1)
 *   ge = min(d2g/dt2 after the impact, (u1 - u)/dt of the trial)                                                    (2)
 *   ge < 0 and u+ <= h |ge|/8:  the contact is closed and u+ removed                                                (3)
 *   64 events in a row that take no time close the contact as well                                                  (4)
 *
 * (3) freezes an accumulation of impacts when its next flight takes less than h/4: an error of h^2 |ge|/128 in q. The
 * second part of ge is needed where the force pushes outward at the impact and turns within the trial. It is repeated
 * until nothing changes: a contact carried by another one may rest only after that one does. Closed contacts that the
 * blow opens are among them: two feet that open each other in turn would do so for ever. A slipping contact gives up
 * its normal velocity together with the friction that goes with it, so that friction is not counted twice. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

void carom_cn_mode(carom_step *s, carom_cn *w, int contact, carom_mode mode)
{
    unsigned char *m = &w->at.mode[contact];
    if (*m == mode)
        return;
    carom_event_type type = carom_event_of(*m, mode);
    *m = (unsigned char)mode;
    w->modes[contact].flags = 0;
    carom_record_event(s->record, &(carom_event){.type = type, .t = w->at.t, .contact = contact});
}

carom_mode carom_cn_tangential(const carom_system *system, carom_cn *w, const carom_link *link, const double *v)
{
    double u[2] = {0};
    if (!link->law->tangents)
        return CAROM_CLOSED;
    for (int j = 1; j < link->rows; j++)
        u[j - 1] = carom_row_speed(system, link->row + j, v);
    double size = hypot(u[0], u[1]);
    if (size <= 1e-9 * w->scale[carom_contact_number(system, link->contact)].speed)
        return CAROM_STICK;
    for (int j = 1; j < link->rows; j++)
        w->modes[link->contact].direction[j - 1] = u[j - 1] / size;
    return CAROM_SLIP;
}

carom_status carom_cn_velocities(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    unsigned law = sys->model->ncontact ? CAROM_LAW : 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | law, w->at.t, w->at.q, w->at.v);
    CAROM_TRY(carom_mass_factor(sys, w->at.t, s->error));
    carom_cn_hold(sys, w, w->modes, &sys->mass, sys->at.w, w->at.v, w->x1);
    return CAROM_OK;
}

static void activate(carom_step *s, carom_cn *w)
{
    const carom_system *sys = s->system;
    for (int i = 0; i < sys->nlink; i++) {
        int c = sys->link[i].contact;
        w->g_bar[i] = c < 0 || w->at.mode[c] != CAROM_OPEN || w->touch[c] ? -1 : INFINITY;
    }
    carom_contacts_activate(s->contacts, sys, w->g_bar, w->at.q, w->at.mode);
}

/* w->scale; the system holds G where the step has got to. */
static void scales(const carom_step *s, carom_cn *w)
{
    double rtol = CAROM_MAX(s->options->rtol, 1e-9), *size = w->v_free;
    memset(size, 0, sizeof(double) * (size_t)s->system->nv);
    carom_system_size(s->system, w->at.q, size);
    for (int i = 0; i < s->system->nv; i++)
        size[i] += s->atol[i] / rtol;
    carom_scale_links(s->system, size, w->at.v, w->a0, w->scale);
}

/* Everything else that is at its contact by now and approaches. */
static void gather(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    const double *v = w->at.v;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, w->at.t, w->at.q, v);
    scales(s, w);
    double flight = w->at.t - s->memory_next[CAROM_CN_STRUCK];
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double u = carom_row_speed(sys, link->row, v);
        if (w->at.mode[link->contact] == CAROM_OPEN && u <= 0 &&
            sys->at.g[i] <= 64 * DBL_EPSILON * (w->scale[i].length + w->scale[i].speed * flight))
            w->touch[link->contact] = 1;
    }
}

/* Impulses of an instant: kept for the jump, and their work. */
static void book(carom_step *s, carom_cn *w, const double *P, const double *v_before)
{
    carom_contacts *c = s->contacts;
    for (int r = 0; r < s->system->nrow; r++)
        w->jump[r] += P[r], w->at.impulse[r] += P[r];
    if (!s->record->account)
        return;
    if (P != c->P)
        carom_copy(s->system->nrow, P, c->P);
    memset(c->hit, 1, (size_t)s->system->model->ncontact);
    carom_contact_account(c, s->system, 0, w->at.t, w->at.q, w->at.v, v_before, w->at.v, s->record);
}

/* (1) */
static carom_status solve(carom_step *s, carom_cn *w, bool *hit)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    activate(s, w);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, w->at.t, w->at.q, w->at.v);
    CAROM_TRY(carom_mass_factor(sys, w->at.t, s->error));
    CAROM_TRY(
        carom_contact_impact(c, sys, &sys->mass, NULL, w->v_old, w->v_old, &w->at, w->at.v, s->error));
    s->record->residual = CAROM_MAX(s->record->residual, c->solve.residual);
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        double before = c->u_before[link->row], after = c->u_after[link->row];
        bool struck = c->P[link->row] > 0 && before < -1e-13 * w->scale[c->active[k]].speed;
        if (struck && w->at.mode[link->contact] == CAROM_OPEN) {
            carom_record_contact(s->record, CAROM_EVENT_IMPACT, w->at.t, link, c->u_before, c->u_after, c->P);
            *hit = true;
        }
        if (w->at.mode[link->contact] == CAROM_OPEN)
            continue;
        bool opens = after > 1e-10 * w->scale[c->active[k]].speed;
        carom_cn_mode(s, w, link->contact, opens ? CAROM_OPEN : carom_cn_tangential(sys, w, link, w->at.v));
        w->touch[link->contact] |= opens; /* (3) is for it, too */
    }
    book(s, w, c->P, w->v_old);
    return CAROM_OK;
}

/* (2)-(4), once over the contacts in touch; whether any was closed */
static bool close_some(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    bool any = false;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        int c = link->contact, r = link->row;
        if (!w->touch[c] || w->at.mode[c] != CAROM_OPEN)
            continue;
        double u = carom_row_speed(sys, r, w->at.v);
        double ge = fmin(carom_row_accel(sys, r, w->a0), (w->u1[r] - w->u0[r]) / w->trial);              /* (2) */
        bool rests = ge < 0 && u <= s->h * -ge / 8;                                                      /* (3) */
        if (!rests && w->stall <= CAROM_CN_STALL)                                                        /* (4) */
            continue;
        carom_cn_mode(s, w, c, carom_cn_tangential(sys, w, link, w->at.v));
        any = true;
    }
    return any;
}

static carom_status rest(carom_step *s, carom_cn *w, bool *closed)
{
    carom_system *sys = s->system;
    bool friction = false;
    for (;;) {
        CAROM_TRY(carom_cn_accelerate(s, w, true));
        if (!close_some(s, w))
            break;
        *closed = true;
        carom_copy(sys->nv, w->at.v, w->v_free);
        CAROM_TRY(carom_cn_velocities(s, w));
        activate(s, w);
        book(s, w, w->x1, w->v_free);
    }
    for (int i = 0; i < sys->model->ncontact; i++)
        friction |= w->at.mode[i] == CAROM_STICK;
    return friction || carom_cn_several(sys, w) ? carom_cn_decide(s, w, false) : CAROM_OK;
}

carom_status carom_cn_impact(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    bool hit = false, closed = false;
    carom_copy(sys->nv, w->at.v, w->v_old);
    memset(w->jump, 0, sizeof(double) * (size_t)sys->nrow);
    gather(s, w);
    s->memory_next[CAROM_CN_STRUCK] = w->at.t;
    CAROM_TRY(solve(s, w, &hit));
    CAROM_TRY(rest(s, w, &closed));
    if (hit || closed)
        carom_cn_stage_jump(s, w, w->v_old);
    memset(w->touch, 0, (size_t)sys->model->ncontact);
    return CAROM_OK;
}
