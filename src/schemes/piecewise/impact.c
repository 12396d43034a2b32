/* impact.c: the impact at the end of a step, by either law of multiple impacts.
 *
 *   J = hit + closed + { open: g <= 64 eps L, u < 0 }                                                      (1)
 *   simultaneous   one velocity-level problem on J: 0 <= u+ + e u-  _|_  P >= 0                            (2)
 *   sequential     the contact of J that closes fastest is struck alone, with the joints; repeated until none closes.
 *                  When their velocities have died away without an end, the rest is (2) with the velocities left    (3)
 *
 * Where |J| > 1 both are evaluated: by how much they differ is part of the result (carom_info.law_difference). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

enum { BLOWS = 10000 };

/* (1) */
static int gather(carom_step *s, carom_tol *w, int hit)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double length = 1 + carom_norm_max(sys->nq, e->q);
    int n = 0;
    for (int i = 0; i < sys->nlink; i++) {
        int k = i - sys->njoint;
        if (k < 0 || k == hit || w->modes[k].mode != CAROM_OPEN ||
            (e->g[i] <= 64 * DBL_EPSILON * length && e->u[sys->link[i].row] < 0))
            w->struck[n++] = i;
    }
    return n;
}

static carom_status strike(carom_step *s, carom_tol *w, int n, const int *links, const double *v, double *v_new)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    memcpy(c->active, links, sizeof(int) * (size_t)n);
    c->nactive = n;
    return carom_contact_impact(c, sys, &sys->mass, NULL, v, v, &w->still, v_new, s->error);
}

/* The link of J that closes fastest, or -1. */
static int fastest(const carom_step *s, const carom_tol *w, int n, const double *v, double *u_fastest)
{
    const carom_system *sys = s->system;
    int found = -1;
    for (int k = sys->njoint; k < n; k++) {
        int r = sys->link[w->struck[k]].row;
        double u = carom_row_speed(sys, r, v);
        if (u < *u_fastest)
            *u_fastest = u, found = w->struck[k];
    }
    return found;
}

/* (3): v_new; total impulses in w->force. */
static carom_status sequential(carom_step *s, carom_tol *w, int n, double *v_new)
{
    const carom_system *sys = s->system;
    int nv = sys->nv, links[CAROM_JOINTS_MAX];
    double rest = carom_tol_rest(s, w->end.v);
    for (int i = 0; i < sys->njoint; i++)
        links[i] = i;
    memset(w->force, 0, sizeof(double) * (size_t)sys->nrow);
    carom_copy(nv, w->end.v, v_new);
    for (int blow = 0; blow < BLOWS; blow++) {
        double u = -rest;
        int link = fastest(s, w, n, v_new, &u);
        if (link < 0)
            return CAROM_OK;
        bool last = blow > 100 && -u <= carom_tol_small(s); /* what is left is less than the tolerance */
        links[sys->njoint] = link;
        carom_copy(nv, v_new, w->probe.v);
        CAROM_TRY(strike(s, w, last ? n : sys->njoint + 1, last ? w->struck : links, w->probe.v, v_new));
        for (int k = 0; k < s->contacts->nactive; k++) {
            const carom_link *l = &sys->link[s->contacts->active[k]];
            for (int r = l->row; r < l->row + l->rows; r++)
                w->force[r] += s->contacts->P[r];
        }
        if (last)
            return CAROM_OK;
    }
    CAROM_FAIL(s->error, CAROM_TOLERANCE, "tolerance: collapse at t = %.10g: %d sequential impacts do not end",
               s->now->t + w->end.x, BLOWS);
}

/* The velocities by the law that the model asks for, and how far the other one is from them. */
static carom_status solve(carom_step *s, carom_tol *w, int n, double *v_new)
{
    const carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    int nv = sys->nv;
    bool multiple = n > sys->njoint + 1 && sys->njoint < CAROM_JOINTS_MAX;
    if (multiple) {
        double *other = w->probe.a, difference = 0;
        carom_status status = sequential(s, w, n, other);
        if (status != CAROM_OK && sys->model->sequential)
            return status;
        CAROM_TRY(strike(s, w, n, w->struck, w->end.v, v_new));
        for (int i = 0; i < nv; i++)
            difference = CAROM_MAX(difference, fabs(v_new[i] - other[i]));
        if (status == CAROM_OK)
            carom_stage_laws(s->stage, s->now->t + w->end.x, difference);
        if (!sys->model->sequential)
            return CAROM_OK;
        carom_copy(nv, other, v_new);
        carom_copy(sys->nrow, w->force, c->P);
        for (int k = 0; k < n; k++) {
            const carom_link *link = &sys->link[w->struck[k]];
            for (int r = link->row; r < link->row + link->rows; r++)
                c->u_after[r] = carom_row_speed(sys, r, v_new);
        }
        return CAROM_OK;
    }
    return strike(s, w, n, w->struck, w->end.v, v_new);
}

static void tell(carom_step *s, const carom_link *link)
{
    const carom_contacts *c = s->contacts;
    carom_event event = {.type = CAROM_EVENT_IMPACT, .t = s->next->t, .contact = link->contact};
    for (int j = 0; j < link->rows; j++) {
        event.u_before[j] = c->u_before[link->row + j];
        event.u_after[j] = c->u_after[link->row + j];
        event.impulse[j] = c->P[link->row + j];
    }
    carom_stage_event(s->stage, &event);
}

carom_status carom_tol_impact(carom_step *s, carom_tol *w, int hit)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    carom_end *e = &w->end;
    double t = s->now->t + e->x, rest = carom_tol_rest(s, e->v);
    int n = gather(s, w, hit);
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, t, e->q, e->v);
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    CAROM_TRY(solve(s, w, n, w->shift_v));                                                       /* (2), (3) */
    if (s->stage->account) {
        memset(c->hit, 1, (size_t)(sys->nlink - sys->njoint));
        carom_contact_account(c, sys, 0, t, e->q, e->v, e->v, w->shift_v, s->stage);
    }
    for (int k = sys->njoint; k < n; k++) {
        const carom_link *link = &sys->link[w->struck[k]];
        int i = link->contact;
        if (c->u_before[link->row] < -rest || (sys->model->sequential && c->P[link->row] > 0)) {
            tell(s, link);
            w->modes[i].impacts++;
        }
        if (c->u_after[link->row] > rest)
            w->modes[i].mode = CAROM_OPEN;
        else if (w->modes[i].mode == CAROM_OPEN)
            w->modes[i].mode = CAROM_CLOSED; /* to be decided */
    }
    carom_copy(sys->nv, w->shift_v, e->v);
    return CAROM_OK;
}
