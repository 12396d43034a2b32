/* piece.c: one piece of a step, from event to event: positions settled, recorded, accounted for.
 *
 * A piece of length ds from (q0, v0) to (q1, v1), theta in [0, 1]:
 *   v = v0 + theta (v1 - v0)                                                                                     (1)
 *   xi = theta (xi1 - b) + theta^2 b,   b = ds (v1 - v0)/2,   xi1: of q1 around q0, q1 - q0 of vectors            (2)
 *   impulse of the links: ds (x0 + x1)/2                                                                         (3)
 *   work of the other forces: ds/2 (F0 + F1) (v0 + v1)/2, the weights of Crank and Nicolson                      (4) */
#include <string.h>

#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

/* Positions onto joints, closed contacts and those just reached; velocities onto joints and closed contacts. */
static carom_status settle(carom_step *s, carom_cn *w, double t1)
{
    carom_system *sys = s->system;
    int nc = sys->model->ncontact;
    bool any = w->links;
    for (int i = 0; i < nc; i++) {
        w->modes_p[i].mode = w->touch[i] ? CAROM_CLOSED : w->at.mode[i];
        any |= w->touch[i] != 0;
    }
    if (!any)
        return CAROM_OK;
    carom_equations_closed(&w->given.equations, sys, w->modes_p);
    CAROM_TRY(carom_given_positions(&w->given.equations, sys, NULL, t1, w->q1, w->v1, s->error));
    if (!w->links || (sys->known & CAROM_JACOBIAN))
        return CAROM_OK;
    CAROM_TRY(carom_mass_factor(sys, t1, s->error));
    if (nc)
        carom_system_eval(sys, CAROM_LAW, t1, w->q1, w->v1);
    carom_cn_hold(sys, w, w->modes1, &sys->mass, sys->at.w, w->v1, w->x_d);
    return CAROM_OK;
}

static void record(carom_step *s, const carom_cn *w, double t1, double ds)
{
    carom_draft piece;
    if (!carom_record_parabola(s->record, s->system, &w->at, t1, ds, w->q1, w->v1, w->at.mode, &piece))
        return;
    for (int r = 0; r < s->system->nrow; r++)
        piece.force[r] = w->links ? 0.5 * (w->x0[r] + w->x1[r]) : 0;
}

/* A segment's energy is that after the jump at its end. */
static void stage_energy(carom_step *s, const carom_cn *w)
{
    if (!s->record->account || s->record->nsegment == 0)
        return;
    carom_system_eval(s->system, CAROM_ENERGY, w->at.t, w->at.q, w->at.v);
    s->record->segment[s->record->nsegment - 1].energy = s->system->at.energy[0] + s->system->at.energy[1];
}

/* (4); powers of the contacts in the middle, where u of what is closed vanishes to second order. */
static void account(carom_step *s, carom_cn *w, double t1, double ds)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    for (int i = 0; i < sys->nlink; i++)
        w->g_bar[i] = carom_link_closed(&sys->link[i], w->at.mode) ? -1 : 1e300;
    carom_contacts_activate(c, sys, w->g_bar, w->at.q, w->at.mode);
    for (int i = 0; i < sys->nv; i++)
        w->vs[i] = 0.5 * (w->at.v[i] + w->v1[i]);
    for (int i = 0; i < sys->nv; i++)
        w->v_free[i] = w->v1[i] - w->at.v[i];
    carom_system_middle(sys, w->at.q, w->q1, w->qs);
    carom_system_drift(sys, w->qs, w->v_free, -0.125 * ds, w->qs);
    if (w->links) {
        carom_system_eval(sys, CAROM_JACOBIAN, w->at.t + 0.5 * ds, w->qs, w->vs);
        for (int r = 0; r < sys->nrow; r++)
            c->P[r] = 0.5 * ds * (w->x0[r] + w->x1[r]);
    }
    memset(c->hit, 0, (size_t)sys->model->ncontact);
    carom_contact_account(c, sys, 0.5 * ds, w->at.t, w->at.q, w->vs, w->at.v, w->v1, s->record);
    carom_system_eval(sys, CAROM_ENERGY, t1, w->q1, w->vs);
    carom_record_work(s->record, sys->at.energy, 0.5 * ds);
}

carom_status carom_cn_move(carom_step *s, carom_cn *w, double ds)
{
    const carom_system *sys = s->system;
    w->tau = ds == s->h - w->tau ? s->h : w->tau + ds;
    double t1 = s->now->t + (w->tau + *s->t_low);
    CAROM_TRY(settle(s, w, t1));
    if (s->record->observed && ds > 0)
        record(s, w, t1, ds);
    if (s->record->account)
        account(s, w, t1, ds);
    for (int r = 0; w->links && r < sys->nrow; r++)
        w->at.impulse[r] += 0.5 * ds * (w->x0[r] + w->x1[r]);                                     /* (3) */
    carom_copy(sys->nq, w->q1, w->at.q);
    carom_copy(sys->nv, w->v1, w->at.v);
    w->at.t = t1;
    if (s->record->observed)
        stage_energy(s, w);
    return CAROM_OK;
}

void carom_cn_stage_jump(carom_step *s, carom_cn *w, const double *v_before)
{
    if (!s->record->observed)
        return;
    carom_record_jump(s->record, s->system, w->at.t, w->at.q, v_before, w->at.v, w->jump);
    stage_energy(s, w);
}

carom_status carom_cn_end(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    carom_state *next = s->next;
    carom_step_advance(s, w->tau);
    carom_copy(sys->nq, w->at.q, next->q);
    carom_copy(sys->nv, w->at.v, next->v);
    carom_copy(sys->nrow, w->at.impulse, next->impulse);
    carom_modes_copy(sys->model->ncontact, w->modes, s->modes_next);
    memcpy(next->mode, w->at.mode, (size_t)sys->model->ncontact);
    if (sys->nrow)
        carom_system_eval(sys, CAROM_JACOBIAN, next->t, next->q, next->v);
    for (int r = 0; r < sys->nrow; r++)
        next->u[r] = carom_row_speed(sys, r, next->v);
    if (!carom_all_finite(sys->nq, next->q) || !carom_all_finite(sys->nv, next->v))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                   "position or velocity is not finite after the step from t = %.10g with h = %.3g", s->now->t, s->h);
    return CAROM_OK;
}
