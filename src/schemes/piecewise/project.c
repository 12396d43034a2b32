/* project.c: what the modes hold is put right: positions and velocities of the contacts and joints that are closed.
 *
 *   J of the rows that the modes hold, Y = M^-1 J^T, K = J Y (given_modes.h); b how far they are off
 *   positions    q <- drift(q, -Y x),  K x = b the gaps; up to four times                                          (1)
 *   velocities   v <- v - Y x,  K x = b the velocities that should be 0; once                                      (2)
 *
 * Rows that depend on each other get the least x, as long as it meets b. */
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

#define GROWTH 10 /* of gaps by a correction */

/* The gap of a link; of a contact that has ended it is none that could be closed. */
static double gap_of(const carom_system *sys, int link)
{
    int contact = sys->link[link].contact;
    bool ended = contact >= 0 && carom_piecewise_found(sys) && carom_system_left_out(sys, contact);
    return ended ? 0 : sys->at.g[link];
}

/* What the modes hold, off by b in the equations of w->given; false: met but for rounding. size: the largest of b. */
static bool off(const carom_system *sys, carom_piecewise *w, const carom_end *end, bool positions, double *size)
{
    carom_equations *f = &w->given.equations;
    bool met = true;
    for (int k = 0; k < f->m; k++) {
        int r = f->row[k], link = f->link[k];
        double scale = positions ? w->scale[link].length : w->scale[link].speed;
        f->b[k] = !positions ? carom_row_speed(sys, r, end->v) : r == sys->link[link].row ? gap_of(sys, link) : 0;
        met &= fabs(f->b[k]) <= 2 * DBL_EPSILON * scale;
    }
    *size = carom_norm_max(f->m, f->b);
    return !met;
}

/* From the positions in w->shift_q; where gaps are not closed that way either they stay as they are, to be judged. */
static void along_normals(carom_step *s, carom_piecewise *w, double t, carom_end *end)
{
    carom_error ignored;
    carom_copy(s->system->nq, w->shift_q, end->q);
    carom_equations_closed(&w->given.equations, s->system, w->modes);
    if (carom_given_positions(&w->given.equations, s->system, NULL, t, end->q, end->v, &ignored) != CAROM_OK)
        carom_copy(s->system->nq, w->shift_q, end->q);
}

/* Does a correction meet the equations, with their b in w->force, but for rounding? */
static bool met(const carom_system *sys, const carom_piecewise *w, const double *change, bool positions)
{
    const carom_equations *f = &w->given.equations;
    bool all = true;
    for (int k = 0; k < f->m; k++) {
        const carom_scale *scale = &w->scale[f->link[k]];
        double left = carom_row_dot(sys, f->row[k], change) - w->force[k];
        all &= fabs(left) <= 1e-12 * (positions ? scale->length : scale->speed);
    }
    return all;
}

/* Is a correction out of all proportion to what each equation alone would ask for? */
static bool excessive(const carom_system *sys, const carom_piecewise *w, const double *change)
{
    enum { PROPORTION = 1000000 };
    const carom_equations *f = &w->given.equations;
    double expected = 0;
    for (int k = 0; k < f->m; k++) {
        const double *y = f->Y + k * sys->nv;
        double own = fabs(carom_row_dot(sys, f->row[k], y));
        expected += own > 0 ? fabs(w->force[k]) * carom_norm_max(sys->nv, y) / own : 0;
    }
    return carom_norm_max(sys->nv, change) > PROPORTION * expected;
}

/* Rows that depend on each other but for the rounding of a pose (a box flush with a stop, on a floor) would turn what
 * is left of them by rounding into a correction of any size: they count as dependent where the others meet them,
 * too. */
static void correct(const carom_system *sys, carom_piecewise *w, bool positions)
{
    const double rank[] = {1e-9, CAROM_RANK, 1e-9};
    carom_equations *f = &w->given.equations;
    double *change = w->probe.a;
    carom_copy(f->m, f->b, w->force);
    for (int round = 0; round < 3; round++) {
        carom_copy(f->m, w->force, f->b);
        carom_equations_solve(f, sys, rank[round]);
        memset(change, 0, sizeof *change * (size_t)sys->nv);
        carom_equations_add(f, sys->nv, change);
        if (f->rank == f->m || met(sys, w, change, positions) ||
            (round == 1 && !excessive(sys, w, change)))
            break;
    }
}

/* The velocity (or the position) of the rows that the modes hold is removed with the columns of the mode. Friction may
 * make these nearly dependent: where gaps grow by it positions go back and along the normals alone. */
carom_status carom_piecewise_project(carom_step *s, carom_piecewise *w, carom_end *end, bool positions)
{
    carom_system *sys = s->system;
    carom_equations *f = &w->given.equations;
    int nv = sys->nv;
    double t = s->now->t + end->x, first = 0, size;
    if (sys->nlink == 0)
        return CAROM_OK;
    carom_copy(positions ? sys->nq : 0, end->q, w->shift_q);
    for (int round = 0; round < 4; round++) {
        CAROM_TRY(carom_given_accel(&w->given, sys, t, end->q, end->v, CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA,
                                            w->probe.a, w->force, s->error)); /* its rows and columns */
        if (f->m == 0)
            return CAROM_OK;
        if (!off(sys, w, end, positions, &size)) {
            memset(f->x, 0, sizeof(double) * (size_t)f->m);
            return CAROM_OK;
        }
        first = round ? first : size;
        if (size > GROWTH * first && size > carom_piecewise_freeze_length(s)) {
            along_normals(s, w, t, end);
            return CAROM_OK;
        }
        correct(sys, w, positions);
        for (int k = 0; k < f->m; k++) { /* (1), (2) */
            if (positions)
                carom_system_drift(sys, end->q, f->Y + k * nv, -f->x[k], end->q);
            for (int i = 0; !positions && i < nv; i++)
                end->v[i] += -f->x[k] * f->Y[k * nv + i];
        }
        if (!positions)
            return CAROM_OK;
    }
    return CAROM_OK;
}
