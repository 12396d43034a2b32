/* impacts.c: what happens between the two rows of a jump.
 *
 *   q is the same                                                                                            (1)
 *   M (v+ - v-) = G^T P                                                                                      (2)
 *   u_N+ >= 0;  u_N+ = -e u_N- where one contact alone is struck (0: a series of bounces that was ended)     (3)
 *   |v+|^2_M <= |v-|^2_M, where no struck contact has friction and all have one e                            (4) */
#include <math.h>

#include "output/audit/audit.h"

static double kinetic(carom_audit_work *w, const double *v)
{
    double sum = 0;
    carom_mass_multiply(&w->system, v, w->v);
    for (int i = 0; i < w->system.nv; i++)
        sum += 0.5 * v[i] * w->v[i];
    return sum;
}

/* (2) */
static void momentum(carom_audit_work *w, double free)
{
    const carom_system *sys = &w->system;
    double *p = w->end_v, scale = 0;
    for (int i = 0; i < sys->nv; i++)
        w->v[i] = w->next.v[i] - w->now.v[i];
    carom_mass_multiply(sys, w->v, p);
    for (int i = 0; i < sys->nv; i++)
        scale = fmax(scale, carom_mass_entry(sys, i, i) * fmax(fabs(w->now.v[i]), fabs(w->next.v[i])));
    for (int r = 0; r < sys->nrow; r++)
        if (w->next.impulse[r] != 0) {
            carom_row_copy(sys, r, w->v);
            scale = fmax(scale, carom_norm_max(sys->nv, w->v) * fabs(w->next.impulse[r]));
            carom_row_add(sys, r, -w->next.impulse[r], p);
        }
    double allowed = 1e-7 * scale, inertia = 0;
    for (int i = 0; i < sys->nv; i++)
        inertia = fmax(inertia, carom_mass_entry(sys, i, i));
    if (w->step > 0) /* what the scheme solves for has the forces of the step in it */
        allowed += 10 * w->step * (inertia * free + scale);
    carom_audit_note(w, CAROM_AUDIT_IMPACTS, carom_norm_max(sys->nv, p), allowed, w->now.t, "momentum");
}

/* (3) */
static void parts(carom_audit_work *w, const carom_link *link, double free, bool alone)
{
    const carom_system *sys = &w->system;
    double before = carom_row_speed(sys, link->row, w->now.v), after = carom_row_speed(sys, link->row, w->next.v);
    double e = carom_link_restitution(sys, link, 0), rate = carom_audit_rate(w, &w->now, link);
    double allowed = rate + 1e-8 * fabs(before);
    carom_audit_note(w, CAROM_AUDIT_IMPACTS, fmax(0, fmin(0, -before) - after), allowed, w->now.t, link->name);
    if (!alone || w->step > 0)
        return;
    bool ended = w->next.mode[link->contact] != CAROM_OPEN && fabs(after) <= allowed &&
                 before * before <= 2 * carom_audit_gap(w, link) * free * 10;
    if (!ended)
        carom_audit_note(w, CAROM_AUDIT_IMPACTS, fabs(after + e * before), allowed, w->now.t, link->name);
}

void carom_audit_impact(carom_audit_work *w)
{
    carom_system *sys = &w->system;
    double free = carom_audit_free(w, &w->now), moved = 0, e = -1;
    int struck = 0;
    bool rubs = false, equal = true;
    for (int i = 0; i < sys->nq; i++)
        moved = fmax(moved, fabs(w->next.q[i] - w->now.q[i]));
    carom_audit_note(w, CAROM_AUDIT_IMPACTS, moved, 1e-12 * (1 + carom_norm_max(sys->nq, w->now.q)), w->now.t,
                     "position");
    if (sys->model->nswitch) { /* rows of one side of a kink: which one is not told */
        carom_audit_skip(w, CAROM_AUDIT_IMPACTS);
        return;
    }
    momentum(w, free);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *P = w->next.impulse + link->row;
        if (carom_norm_max(link->rows, P) == 0)
            continue;
        double own = carom_link_restitution(sys, link, 0);
        struck++;
        rubs |= carom_norm_max(link->rows - 1, P + 1) > 0;
        equal &= e < 0 || own == e;
        e = own;
    }
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (w->next.impulse[sys->link[i].row] != 0 && carom_link_normals(&sys->link[i]) > 0)
            parts(w, &sys->link[i], free, struck == 1);
    double T = kinetic(w, w->now.v);
    if (rubs || !equal || carom_norm_max(sys->nrow, sys->at.w) > 0) {
        carom_audit_skip(w, CAROM_AUDIT_DISSIPATION);
        return;
    }
    double allowed = 1e-9 * T + carom_audit_inertia(w) * w->speed * (carom_audit_speed(w) + 10 * w->step * free);
    carom_audit_note(w, CAROM_AUDIT_DISSIPATION, fmax(0, kinetic(w, w->next.v) - T), allowed, w->now.t, "impact");
}
