/* flow.c: the motion from one row to the next, integrated anew in the modes of the first.
 *
 *   xi' = K(xi) v,  v' = a(t, q, v) of the given modes;  q = drift(q_k, xi)                                    (1)
 *   classical Runge-Kutta of order 4 over n, 2n, 4n ... parts until two results differ by a tenth of what is
 *   allowed                                                                                                    (2)
 *   compared: q with q_{k+1} (kinematics), v with v_{k+1} (momentum)                                           (3)
 *   an inequality of the modes is violated on the way: an event that no row shows, nothing can be said         (4)
 *   what steps of given length do near a contact is not in the rows either                                     (5) */
#include <math.h>

#include "model/model.h"
#include "output/audit/audit.h"

enum { PARTS_MOST = 256 };

void carom_audit_flow_layout(carom_layout *layout, carom_audit_work *w)
{
    size_t nv = w->system.nv, nq = w->system.nq;
    carom_given_layout(layout, &w->given, &w->system);
    CAROM_PLACE(layout, w->modes, w->system.ncontact);
    CAROM_PLACE(layout, w->xi, nv);
    CAROM_PLACE(layout, w->q, nq);
    CAROM_PLACE(layout, w->v, nv);
    for (int k = 0; k < 4; k++) {
        CAROM_PLACE(layout, w->a[k], nv);
        CAROM_PLACE(layout, w->rate[k], nv);
    }
    CAROM_PLACE(layout, w->force, w->system.nrow);
    CAROM_PLACE(layout, w->end_q, nq);
    CAROM_PLACE(layout, w->end_v, nv);
    CAROM_PLACE(layout, w->before_q, nq);
    CAROM_PLACE(layout, w->before_v, nv);
}

/* Slip of a contact at the velocity v; its size. */
static double slip_at(const carom_system *sys, const carom_link *link, const double *v, double u[2])
{
    int first = link->row + carom_link_normals(link);
    u[0] = u[1] = 0;
    for (int j = 0; j < link->law->tangents; j++)
        u[j] = carom_row_speed(sys, first + j, v);
    return hypot(u[0], u[1]);
}

/* Modes of the interval, slip along its velocity; where slip only begins, along the one that it comes to. */
static void take_modes(carom_audit_work *w)
{
    carom_system *sys = &w->system;
    const carom_audit_row *row = &w->now;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, row->t, row->q, row->v);
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        double u[2], size = slip_at(sys, link, row->v, u);
        if (row->mode[c] == CAROM_SLIP && size <= carom_audit_speed(w))
            size = slip_at(sys, link, w->next.v, u);
        w->modes[c] = (carom_link_mode){.mode = row->mode[c]};
        for (int j = 0; j < 2 && row->mode[c] == CAROM_SLIP && size > 0; j++)
            w->modes[c].direction[j] = u[j] / size;
    }
    w->given.side = 0, w->given.slow = 0, w->given.slide.n = 0;
    for (int c = 0; c < sys->ncontact; c++)
        w->given.crept[c] = w->given.holds[c] = false;
}

/* Slip that turns back; in space by 45 degrees: it is about to end, and its direction is known worse than its speed. */
static bool turns(const carom_system *sys, const carom_link *link, const double *from, const double *to)
{
    double u[2], w[2], sizes = slip_at(sys, link, from, u) * slip_at(sys, link, to, w);
    return u[0] * w[0] + u[1] * w[1] < (link->law->tangents == 2 ? 0.7 * sizes : 0);
}

/* (4) at a point where the acceleration was evaluated just now */
static bool leaves(const carom_audit_work *w, const double *v, const double *force)
{
    const carom_system *sys = &w->system;
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        const double *x = force + link->row;
        int mode = w->modes[c].mode;
        double most, size;
        if (mode == CAROM_OPEN || carom_link_normals(link) == 0)
            continue;
        if (x[0] + carom_link_offset(sys, link) < 0)
            return true;
        if (mode == CAROM_STICK && (size = carom_link_friction(sys, link, true, x, &most)) > most)
            return true;
        if (mode == CAROM_SLIP && turns(sys, link, w->now.v, v))
            return true;
    }
    return false;
}

static carom_status stage(carom_audit_work *w, double t, int k, bool *left)
{
    carom_system *sys = &w->system;
    unsigned more = sys->nlink ? CAROM_JACOBIAN | CAROM_GAMMA | (sys->ncontact ? CAROM_LAW : 0) : 0;
    carom_error ignored;
    carom_system_drift(sys, w->now.q, w->xi, 1, w->q);
    carom_system_rate(sys, w->xi, 1, w->v, w->rate[k]);
    CAROM_TRY(carom_given_accel(&w->given, sys, t, w->q, w->v, more, w->a[k], w->force, &ignored));
    *left |= leaves(w, w->v, w->force);
    return CAROM_OK;
}

/* (1) over n parts, from w->now to end_q and end_v. */
static carom_status integrate(carom_audit_work *w, int n, bool *left)
{
    static const double c[] = {0, 0.5, 0.5, 1}, b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const int nv = w->system.nv;
    double h = (w->next.t - w->now.t) / n, *xi = w->before_v, *v = w->end_v; /* at the start of a part */
    for (int i = 0; i < nv; i++)
        xi[i] = 0, v[i] = w->now.v[i];
    *left = false;
    for (int part = 0; part < n; part++) {
        double t = w->now.t + part * h;
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < nv; i++) {
                w->xi[i] = xi[i] + (k ? h * c[k] * w->rate[k - 1][i] : 0);
                w->v[i] = v[i] + (k ? h * c[k] * w->a[k - 1][i] : 0);
            }
            CAROM_TRY(stage(w, t + c[k] * h, k, left));
        }
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < nv; i++)
                xi[i] += h * b[k] * w->rate[k][i], v[i] += h * b[k] * w->a[k][i];
    }
    carom_system_drift(&w->system, w->now.q, xi, 1, w->end_q);
    return CAROM_OK;
}

/* What is allowed of coordinate i at the end of the interval. A step that ends in a jump moves on with the velocity
 * after it, too. */
static double allowed_q(const carom_audit_work *w, int i)
{
    const carom_system *sys = &w->system;
    double tol = i < sys->nv ? w->atol[i] + w->options->rtol * w->size[i] : w->options->atol + w->options->rtol;
    double change = w->next.side == -1 ? 2 * carom_norm_max(sys->nv, w->next.v) : 0;
    for (int k = 0; k < sys->nv; k++)
        change = fmax(change, fabs(w->next.v[k] - w->now.v[k]));
    return 10 * tol + 1e-12 * carom_norm_max(sys->nq, w->now.q) +
           2 * w->step * (change + 5 * w->step * carom_norm_max(sys->nv, w->a[0]));
}

/* ... and of velocities, which some schemes know at the middle of a step. */
static double allowed_v(const carom_audit_work *w)
{
    const int nv = w->system.nv;
    double a = carom_norm_max(nv, w->a[0]), change = 0;
    for (int i = 0; i < nv; i++) /* of accelerations along the interval */
        change = fmax(change, fabs(w->a[3][i] - w->a[0][i]));
    return carom_audit_speed(w) + 4 * w->step * (a + change);
}

/* (2): false: nothing can be said */
static bool follow(carom_audit_work *w)
{
    const carom_system *sys = &w->system;
    bool left;
    if (integrate(w, 2, &left) != CAROM_OK)
        return false;
    for (int n = 4; n <= PARTS_MOST; n *= 2) {
        double off_q = 0, off_v = 0;
        carom_copy(sys->nq, w->end_q, w->before_q);
        carom_copy(sys->nv, w->end_v, w->column_v);
        if (integrate(w, n, &left) != CAROM_OK)
            return false;
        for (int i = 0; i < sys->nq; i++)
            off_q = fmax(off_q, fabs(w->end_q[i] - w->before_q[i]) / allowed_q(w, i));
        for (int i = 0; i < sys->nv; i++)
            off_v = fmax(off_v, fabs(w->end_v[i] - w->column_v[i]) / allowed_v(w));
        if (fmax(off_q, off_v) <= 0.1)
            return !left;
    }
    return false;
}

/* (5); an open contact with a force: the rows do not tell when it closed */
static bool in_doubt(carom_audit_work *w)
{
    carom_system *sys = &w->system;
    const carom_audit_row *rows[] = {&w->now, &w->next};
    bool near = false;
    for (int k = 0; k < 2 && sys->ncontact; k++) {
        carom_audit_free(w, rows[k]);
        for (int i = sys->njoint; i < sys->nlink; i++) {
            bool open = rows[k]->mode[sys->link[i].contact] == CAROM_OPEN, loaded = rows[k]->force[sys->link[i].row];
            near |= (open && loaded) || (w->step > 0 && (!open || sys->at.g[i] <= carom_audit_gap(w, &sys->link[i])));
        }
    }
    return near;
}

carom_status carom_audit_between(carom_audit_work *w)
{
    const carom_system *sys = &w->system;
    char name[32];
    bool same = true;
    double worst = 0;
    take_modes(w);
    for (int c = 0; c < sys->ncontact; c++)
        same &= w->now.mode[c] == w->next.mode[c] &&
                !(w->now.mode[c] == CAROM_SLIP && turns(sys, carom_contact_link(sys, c), w->now.v, w->next.v));
    bool told = follow(w);
    for (int i = 0; i < sys->nq; i++)
        worst = fmax(worst, fabs(w->end_q[i] - w->next.q[i]) / allowed_q(w, i));
    for (int i = 0; i < sys->nv; i++)
        worst = fmax(worst, fabs(w->end_v[i] - w->next.v[i]) / allowed_v(w));
    if (!told || (!(worst <= 1) && (!same || in_doubt(w)))) { /* (4), (5), or another mode before the end */
        carom_audit_skip(w, CAROM_AUDIT_KINEMATICS);
        carom_audit_skip(w, CAROM_AUDIT_MOMENTUM);
        return CAROM_OK;
    }
    for (int i = 0; i < sys->nq; i++)                                                                 /* (3) */
        carom_audit_note(w, CAROM_AUDIT_KINEMATICS, fabs(w->end_q[i] - w->next.q[i]), allowed_q(w, i), w->next.t,
                         carom_model_q_name(sys->model, i, name));
    for (int i = 0; i < sys->nv; i++)
        carom_audit_note(w, CAROM_AUDIT_MOMENTUM, fabs(w->end_v[i] - w->next.v[i]), allowed_v(w), w->next.t,
                         carom_model_v_name(sys->model, i, name));
    return CAROM_OK;
}
