/* record.c: what a step of the Galerkin families has to tell: modes, events, energy, dense output.
 *
 *   closed:  (g <= 1e-10 L or held) and |u_n| <= 1e-9 U                                            (1)
 *   L: size of the gap and of its way in a step,  U: of its velocities and of what its force does to them
 *   v(x) = sum_k l_k(x) v_k,   q(x) = q + h int_0^x v,   x = (t - t_i-1)/h                          (2)
 *   where positions are no vectors xi(x) = h int_0^x of the polynomial through the rates K(xi_k) v_k
 *
 * (2) is the paper's dense output, of degree M and M + 1. D- jumps at the end of every step from v_M to v' (without an
 * impact by O(h^(M+1))), D+ at its start from v to v_0, where stages feel an impulse before it acts. A jump is told for
 * impacts only, at the end of the step: from v_M (D-) or vf (D+) to v'. Positions are continuous: what projection has
 * changed is spread over the segment. M = 0 is at velocity level: there the rules of contact/status.c hold. */
#include <math.h>
#include <string.h>

#include "schemes/galerkin/galerkin.h"

/* U of (1): velocities at both ends, and what the impulse of the step changes of its own. */
static double speed_of(carom_step *s, const carom_link *link)
{
    carom_galerkin *w = s->work;
    const carom_system *sys = s->system;
    carom_mass_solve_row(sys, link->row, w->mean);
    sys->info->linear_solves--;
    return carom_scale_speed(sys, link->row, s->now->v) + carom_scale_speed(sys, link->row, s->next->v) +
           fabs(carom_row_dot(sys, link->row, w->mean) * s->next->impulse[link->row]);
}

/* Modes and events of M >= 1; returns whether a contact was hit. The system holds g, G and w of the end. */
static bool status(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    const carom_system *sys = s->system;
    bool any = false;
    for (int r = 0; r < sys->nrow; r++) {
        s->next->impulse[r] = w->I[r] + w->P[r];
        s->next->u[r] = carom_row_speed(sys, r, s->next->v);
    }
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *u = s->next->u + link->row;
        carom_mode before = s->now->mode[link->contact], after = CAROM_OPEN;
        bool touches = w->part[i] == CAROM_GALERKIN_HELD || sys->at.g[i] <= carom_galerkin_touch(s, link);
        double speed = touches ? 1e-9 * speed_of(s, link) : 0;
        if (touches && fabs(u[0]) <= speed)                                                    /* (1) */
            after = carom_mode_tangential(link->rows - 1, u + 1, speed);
        bool hit = !w->closed[i] && w->P[link->row] > 0 && c->u_before[link->row] < 0;
        s->next->mode[link->contact] = (unsigned char)after;
        c->hit[link->contact] = hit;
        any |= hit;
        if (hit)
            carom_record_contact(s->record, CAROM_EVENT_IMPACT, s->next->t, link, c->u_before, s->next->u, w->P);
        if (before != after)
            carom_record_contact(s->record, carom_event_of(before, after), s->next->t, link, c->u_before, s->next->u,
                                 w->P);
    }
    if (c->nactive)
        s->record->residual = c->solve.residual;
    return any;
}

/* Work of the stage forces, each over its weight of the step, then of the impulses. */
static void account(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    carom_system *sys = s->system;
    int nv = sys->nv;
    const double *before = w->t->M > 0 ? w->vf : s->now->v; /* at velocity level the impulse acts over the step */
    carom_contact_account(c, sys, 0, s->next->t, s->next->q, s->next->v, before, s->next->v, s->record);
    carom_galerkin_stage_links(s);
    for (int l = 0; l <= w->t->M; l++) {
        double part = s->h * w->t->beta[l], t = carom_galerkin_time(s, l);
        const double *q = w->q + l * sys->nq, *v = w->v + l * nv;
        if (c->nactive)
            carom_system_eval(sys, CAROM_JACOBIAN, t, q, v);
        for (int r = 0; r < sys->nrow; r++)
            c->P[r] = part * w->force[l * sys->nrow + r];
        if (sys->model->ncontact)
            memset(c->hit, 0, (size_t)sys->model->ncontact);
        carom_contact_account(c, sys, part, t, q, v, v, v, s->record);
    }
    carom_galerkin_end_links(s);
}

double carom_galerkin_gain(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    carom_record *r = s->record, kept = *r;
    r->work_external = r->work_constraints = r->impact = r->friction = r->viscous = r->dry = 0;
    carom_copy(sys->nrow, w->P, s->contacts->P);
    account(s);
    double gain = r->impact + r->friction + r->viscous + r->dry - r->work_external - r->work_constraints;
    *r = kept;
    carom_system_eval(sys, CAROM_ENERGY, s->next->t, s->next->q, s->next->v);
    gain += sys->at.energy[0] + sys->at.energy[1];
    carom_system_eval(sys, CAROM_ENERGY, s->now->t, s->now->q, s->now->v);
    gain -= sys->at.energy[0] + sys->at.energy[1];
    if (sys->nlink) /* where the end has left the system */
        carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, s->next->t, s->next->q, s->next->v);
    for (int i = sys->njoint; i < sys->nlink; i++) /* struck ones should lose what their law says of u-: no more */
        for (int k = sys->link[i].row; k < sys->link[i].row + sys->link[i].rows; k++)
            if (w->part[i] == CAROM_GALERKIN_FREE)
                gain += 0.5 * w->P[k] * (carom_row_dot(sys, k, w->vf) - carom_row_dot(sys, k, w->v_minus));
    return gain;
}

/* Powers of the polynomial through entry i of the stages of y. */
static void powers(const carom_galerkin_table *t, int nv, const double *y, int i, double *out)
{
    double first = y[i], c[CAROM_GALERKIN_STAGES];
    for (int j = 0; j <= t->M; j++) {
        long double sum = 0;
        for (int l = 1; l <= t->M; l++)
            sum += t->chebyshev[j][l] * (y[l * nv + i] - first);
        c[j] = (double)sum;
    }
    for (int k = t->M; k >= 0; k--) {
        double sum = 0;
        for (int j = k; j <= t->M; j++)
            sum += t->power[j][k] * c[j];
        out[k * nv + i] = sum + (k == 0 ? first : 0);
    }
}

static void polynomials(const carom_step *s, double *xi, double *v)
{
    const carom_galerkin *w = s->work;
    int nv = s->system->nv;
    for (int i = 0; i < nv; i++) {
        double end = 0;
        powers(w->t, nv, w->v, i, v);
        powers(w->t, nv, w->rate, i, xi);
        for (int k = w->t->M; k >= 0; k--) {
            xi[k * nv + i] = s->h * xi[k * nv + i] / (k + 1);                                  /* (2) */
            end += xi[k * nv + i];
        }
        w->mean[i] = end;
    }
    carom_system_drift(s->system, s->now->q, w->mean, 1, w->q_end);
    carom_system_local(s->system, w->q_end, s->next->q, w->a_new);
    carom_system_rate(s->system, w->mean, 1, w->a_new, w->a_new);
    for (int i = 0; i < nv; i++)
        xi[i] += w->a_new[i];
}

static void record(carom_step *s, bool hit)
{
    carom_galerkin *w = s->work;
    carom_record *record = s->record;
    const carom_system *sys = s->system;
    int M = w->t->M;
    carom_draft piece;
    if (!carom_record_draft(record, sys, s->now->t, s->now->q, s->next->t, s->next->mode, M + 1, &piece))
        return;
    polynomials(s, piece.xi, piece.v);
    for (int r = 0; r < sys->nrow; r++)
        piece.force[r] = (w->I[r] + (hit ? 0 : w->P[r])) / s->h;
    double *forces = sys->nrow && M > 0 ? carom_record_forces(record, sys, &piece, M) : NULL;
    for (int r = 0; forces && r < sys->nrow; r++) {
        powers(w->t, sys->nrow, w->force, r, forces);
        forces[r] += hit ? 0 : w->P[r] / s->h; /* so that its mean is the mean */
    }
    piece.segment->residual = record->residual;
    if (hit)
        carom_record_jump(record, sys, s->next->t, s->next->q, w->t->plus ? w->vf : w->v + M * sys->nv, s->next->v,
                          w->P);
}

carom_status carom_galerkin_tell(carom_step *s)
{
    carom_galerkin *w = s->work;
    const carom_system *sys = s->system;
    if (!carom_all_finite(sys->nq, s->next->q) || !carom_all_finite(sys->nv, s->next->v))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                   "position or velocity is not finite after the step from t = %.10g with h = %.3g", s->now->t, s->h);
    carom_copy(sys->nrow, w->P, s->contacts->P);
    bool hit = w->t->M > 0 ? status(s) : carom_step_status(s, w->vf);
    if (s->record->account)
        account(s);
    if (s->record->observed)
        record(s, hit);
    return CAROM_OK;
}
