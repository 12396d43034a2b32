/* rows.c: what one row must be: joints, gaps, complementarity, cones of forces. */
#include <math.h>

#include "output/audit/audit.h"

/* Is the force of the link in row k of the file, which w->other becomes, x? */
static bool same_force(carom_audit_work *w, const carom_link *link, size_t k, const double *x)
{
    bool same = true;
    carom_audit_read(w, k, &w->other);
    for (int i = 0; i < link->rows; i++)
        same &= w->other.force[link->row + i] == x[i];
    return same;
}

/* The force of a row is the mean of a step; where coefficients change on the way it is within the widest cone of them.
 * The least distance over the rows that have the same force, the one before them, and the middles between, less by
 * what it changes from one of these points to the next: so much of it is not resolved. */
static double outside_all(carom_audit_work *w, const carom_link *link, const double *x)
{
    enum { MOST = 1000 };
    carom_system *sys = &w->system;
    const carom_audit_row *row = &w->now;
    double least = INFINITY, last = NAN, blind = 0;
    size_t k = w->at, stop = k + MOST < w->table->nrow ? k + MOST : w->table->nrow;
    while (k > 0 && w->at - k < MOST && same_force(w, link, k - 1, x))
        k--;
    for (k -= k > 0; k < stop && (k <= w->at || same_force(w, link, k, x)); k++) {
        carom_audit_read(w, k, &w->other);
        carom_audit_read(w, k + 1 < stop ? k + 1 : k, &w->after);
        for (int i = 0; i < sys->nq; i++)
            w->after.q[i] = 0.5 * (w->other.q[i] + w->after.q[i]);
        for (int i = 0; i < sys->nv; i++)
            w->after.v[i] = 0.5 * (w->other.v[i] + w->after.v[i]);
        for (int half = 0; half < 2; half++) {
            const carom_audit_row *at = half ? &w->after : &w->other;
            carom_system_eval(sys, CAROM_LAW, half ? 0.5 * (at->t + w->other.t) : at->t, at->q, at->v);
            double distance = carom_link_outside(sys, link, x, 1);
            blind = fmax(blind, fabs(distance - last)), least = fmin(least, distance), last = distance;
        }
    }
    carom_system_eval(sys, CAROM_LAW, row->t, row->q, row->v);
    return fmax(0, least - blind);
}

/* What a force along the link does to the velocity of its row. */
static double mobility(carom_audit_work *w, const carom_link *link)
{
    carom_system *sys = &w->system;
    carom_mass_solve_row(sys, link->row, w->v);
    return carom_row_dot(sys, link->row, w->v);
}

static void joint(carom_audit_work *w, const carom_audit_row *row, int i)
{
    const carom_system *sys = &w->system;
    const carom_link *link = &sys->link[i];
    double u = carom_row_speed(sys, link->row, row->v);
    carom_audit_note(w, CAROM_AUDIT_JOINTS, fabs(sys->at.g[i]), carom_audit_gap(w, link), row->t, link->name);
    carom_audit_note(w, CAROM_AUDIT_JOINTS, fabs(u), carom_audit_rate(w, row, link), row->t, link->name);
}

static void contact(carom_audit_work *w, const carom_audit_row *row, int i, double free)
{
    const carom_system *sys = &w->system;
    const carom_link *link = &sys->link[i];
    const double *x = row->side == 1 ? row->impulse + link->row : row->force + link->row;
    const bool closed = row->mode[link->contact] != CAROM_OPEN, normal = carom_link_normals(link) > 0;
    double g = sys->at.g[i], most = carom_audit_gap(w, link), size = carom_norm_max(link->rows, x);
    if (normal)
        carom_audit_note(w, CAROM_AUDIT_GAPS, closed ? fabs(g) : fmax(0, -g), most, row->t, link->name);
    /* before a jump it may be driven together by what is struck; steps of given length put all into one jump */
    if (normal && closed && (row->side == 0 || (row->side > 0 && w->step == 0)))
        carom_audit_note(w, CAROM_AUDIT_GAPS, fabs(carom_row_speed(sys, link->row, row->v)),
                         carom_audit_rate(w, row, link), row->t, link->name);
    if (size == 0)
        return;
    double W = mobility(w, link), span = row->side == 1 ? 1 : fmax(w->step, 1e-3 * w->options->t_end);
    double ended = row->side == 1 && closed ? sqrt(2 * most * free) : 0; /* velocity of bounces that are ended */
    double slack = W > 0 ? (carom_audit_speed(w) + 20 * w->step * free + ended) / (W * span) : 0;
    if (normal && g > most)
        carom_audit_note(w, CAROM_AUDIT_COMPLEMENTARITY, size, 1e-9 * size + (w->located ? 0 : slack), row->t,
                         link->name);
    else
        carom_audit_note(w, CAROM_AUDIT_COMPLEMENTARITY, 0, 1, row->t, link->name);
    double distance = carom_link_outside(sys, link, x, row->side == 1 ? 0 : 1);
    if (distance > 1e-7 * size + slack && row->side != 1 && !(sys->known & CAROM_LAW))
        distance = fmin(distance, outside_all(w, link, x));
    carom_audit_note(w, CAROM_AUDIT_CONE, distance, 1e-7 * size + slack, row->t, link->name);
}

/* The energy never rises above what it was, unless something drives the motion: a force of time, a moving wall. Steps
 * of given length may turn a velocity in several of them: above what it was at the start. */
static void gain(carom_audit_work *w, const carom_audit_row *row, double free)
{
    carom_system *sys = &w->system;
    double tol = 0, later[2];
    carom_system_eval(sys, CAROM_ENERGY, row->t + 1, row->q, row->v);
    carom_copy(2, sys->at.energy, later);
    carom_system_eval(sys, CAROM_ENERGY, row->t, row->q, row->v);
    const double E = sys->at.energy[0] + sys->at.energy[1], scale = fabs(sys->at.energy[0]) + fabs(sys->at.energy[1]);
    if (sys->at.energy[2] != 0 || later[0] != sys->at.energy[0] || later[1] != sys->at.energy[1] ||
        (sys->nrow && carom_norm_max(sys->nrow, sys->at.w) > 0))
        w->least_energy = NAN;
    if (isnan(w->least_energy)) {
        carom_audit_skip(w, CAROM_AUDIT_DISSIPATION);
        return;
    }
    for (int i = 0; i < sys->nv; i++)
        tol = fmax(tol, w->atol[i] + w->options->rtol * w->size[i]);
    double allowed = carom_audit_inertia(w) * (w->speed * 10 * carom_audit_speed(w) + 100 * tol * free +
                                               10 * w->step * free * (w->speed + w->step * free)) + 1e-9 * scale;
    carom_audit_note(w, CAROM_AUDIT_DISSIPATION, fmax(0, E - w->least_energy), allowed, row->t, "energy");
    if (w->step == 0 || isinf(w->least_energy))
        w->least_energy = fmin(w->least_energy, E);
}

double carom_audit_motion(carom_audit_work *w)
{
    const carom_audit_row *row = &w->now;
    double free = carom_audit_free(w, row);
    gain(w, row, free);
    for (int i = 0; i < w->system.njoint; i++)
        if (row->side != -1)
            joint(w, row, i);
    return free;
}

carom_status carom_audit_one(carom_audit_work *w)
{
    const carom_audit_row *row = &w->now;
    carom_system *sys = &w->system;
    double free = carom_audit_motion(w);
    for (int i = sys->njoint; i < sys->nlink; i++)
        contact(w, row, i, free);
    return CAROM_OK;
}
