/* gaps.c: how close a motion came to another sequence of impacts.
 *
 *   r = gdot^2/(2 gddot) of an impact with gddot > 0, else infinite: a gap larger by r would not have been hit      (1)
 *   g_m, the least value of an open gap inside a segment: a gap smaller by g_m would have been                      (2)
 *
 * The least of both is the radius; below 100 times the tolerance of positions it is reported as grazing. */
#include <math.h>

#include "analysis/tangent/follow.h"
#include "core/bracket.h"

void carom_tangent_near(carom_tangent *tangent, double radius, double t, int contact)
{
    carom_tangent_info *r = &tangent->report;
    if (!(radius < r->radius))
        return;
    r->radius = radius;
    r->radius_time = t;
    if (radius < 100 * carom_tangent_scale(tangent))
        carom_tangent_flag(tangent, CAROM_TANGENT_GRAZING,
                           "contact '%s' grazes at t = %.10g: valid for gaps that change by less than %.2g",
                           carom_contact_link(&tangent->system, contact)->name, t, radius);
}

/* Rates of the gaps at (time, q, v), on the rows of normals. */
static void measure(carom_tangent *t, double time, const double *q, const double *v, double *u)
{
    carom_system *sys = &t->system;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, time, q, v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        u[r] = carom_row_speed(sys, r, v);
    }
}

/* (2): the rate of the gap changes its sign from - to + in the segment. */
static double least(carom_tangent *t, const carom_segment *g, int link, double *when)
{
    const carom_system *sys = &t->system;
    int r = sys->link[link].row;
    carom_bracket b = {0, 1, t->u_start[r], t->u[r], 0, 0};
    double value = INFINITY;
    while (b.k < 30 && b.high - b.low > 1e-9) {
        double s = carom_bracket_next(&b, NAN);
        carom_segment_at(sys->model, g, s, t->flow.q, t->flow.v);
        carom_system_eval(&t->system, CAROM_GAP | CAROM_JACOBIAN, g->t0 + s * (g->t1 - g->t0), t->flow.q, t->flow.v);
        double u = carom_row_speed(sys, r, t->flow.v);
        *when = g->t0 + s * (g->t1 - g->t0);
        value = CAROM_MIN(value, sys->at.g[link]);
        if (fabs(u) * (g->t1 - g->t0) <= 1e-3 * fabs(value))
            break;
        carom_bracket_put(&b, s, u, u >= 0);
    }
    return value;
}

carom_status carom_tangent_gaps(carom_tangent *tangent, const carom_segment *segment)
{
    carom_tangent *t = tangent;
    const carom_system *sys = &t->system;
    if (sys->model->ncontact == 0 || !(segment->t1 > segment->t0))
        return CAROM_OK;
    if (!t->rates)
        measure(t, segment->t0, segment->q0, segment->v, t->u_start);
    measure(t, segment->t1, t->q, t->v, t->u);
    double length = 1e-14 * (1 + carom_norm_max(sys->nq, t->q)), rest = carom_tangent_rest(t, t->v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        int r = sys->link[i].row, c = sys->link[i].contact;
        if (t->modes[c].mode != CAROM_OPEN || !(t->u_start[r] < 0 && t->u[r] >= 0))
            continue;
        double when = segment->t1, gap = least(t, segment, i, &when);
        bool left = gap <= length && -t->u_start[r] <= rest; /* it has just opened: rounding */
        if (!left)
            carom_tangent_near(t, CAROM_MAX(0, gap), when, c);
    }
    carom_copy(sys->nrow, t->u, t->u_start);
    t->rates = true;
    return CAROM_OK;
}
