/* redundant.c: several contacts share a force that is not unique. It is taken by least norm; when that breaks the law
 * of one of them, though others could hold what they hold together, there is no event of the motion:
 *
 *   friction beyond its limit   it stays at the limit (saturated), in either direction                            (1)
 *   normal force below 0        it carries none (passive), and so do others that would pull then                  (2)
 *   neither helps               all shares at corners of what the laws allow: each contact that does not slip sticks,
 *                               is saturated in
 *                               one direction or the other, or carries nothing; up to SHARED of them, in a plane
 *                               (3) */
#include <math.h>

#include "schemes/piecewise/piecewise.h"

enum { SHARED = 5 };

/* Do all inequalities of the closed contacts hold at w->end in the present modes, and does nothing begin to slide? */
static carom_status holds(carom_step *s, carom_piecewise *w, bool *answer)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double *a = w->probe.a, *x = w->force;
    CAROM_TRY(carom_given_accel(&w->given, s->system, s->now->t + e->x, e->q, e->v,
                                        CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, a, x, s->error));
    carom_piecewise_gross(sys, w, w->given.a_free, w->given.equations.m, w->given.equations.Y, w->given.equations.x);
    *answer = true;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        int c = link->contact, r = link->row, role = w->modes[c].mode, normals = carom_link_normals(link);
        double y = normals ? x[r] + carom_link_offset(sys, link) : 1, most;
        double small = carom_piecewise_no_rate(sys, w, i, a);
        if (role == CAROM_PASSIVE)
            *answer &= carom_row_accel(sys, r, a) >= -small;
        else if (role == CAROM_CLOSED)
            *answer &= y >= 0;
        if (role != CAROM_STICK && role != CAROM_SATURATED)
            continue;
        double rate = carom_row_accel(sys, r + normals, a), size = carom_link_friction(sys, link, true, x + r, &most);
        double margin = most - size;
        *answer &= y > 0 && fabs(rate) <= small && (role == CAROM_SATURATED || margin >= -1e-9 * y);
    }
    return CAROM_OK;
}

/* (1): the contact itself first, then the others that stick, friction in either direction. */
carom_status carom_piecewise_saturate(carom_step *s, carom_piecewise *w, int contact, bool *done)
{
    const carom_system *sys = s->system;
    int nc = sys->ncontact, sticking = 0;
    *done = false;
    carom_modes_copy(nc, w->modes_before, w->modes);
    for (int c = 0; c < nc; c++)
        sticking += w->modes[c].mode == CAROM_STICK;
    for (int k = 0; sticking > 1 && k < nc; k++) {
        int c = (contact + k) % nc;
        const carom_link *link = carom_contact_link(sys, c);
        double friction = w->end.force[link->row + carom_link_normals(link)];
        if (w->modes[c].mode != CAROM_STICK || link->law->tangents != 1)
            continue;
        for (int way = 1; way >= -1; way -= 2) {
            w->modes[c].mode = CAROM_SATURATED;
            w->modes[c].direction[0] = friction > 0 ? -way : way;
            CAROM_TRY(holds(s, w, done));
            if (*done)
                return CAROM_OK;
        }
        carom_modes_copy(nc, w->modes_before, w->modes);
    }
    return CAROM_OK;
}

/* Do those that are left press, and does none of those without a force close? The one that pulls most, or -1. */
static bool supported(const carom_step *s, const carom_piecewise *w, const double *a, const double *x, int *pulls)
{
    const carom_system *sys = s->system;
    double least = 0;
    bool closes = false;
    *pulls = -1;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        int c = sys->link[i].contact, r = sys->link[i].row, role = w->modes[c].mode;
        if (role == CAROM_PASSIVE)
            closes |= carom_row_accel(sys, r, a) < -carom_piecewise_no_rate(sys, w, i, a);
        else if (role != CAROM_OPEN && carom_link_normals(&sys->link[i]) &&
                 x[r] + carom_link_offset(sys, &sys->link[i]) < least)
            least = x[r] + carom_link_offset(sys, &sys->link[i]), *pulls = c;
    }
    return !closes && *pulls < 0;
}

carom_status carom_piecewise_relieve(carom_step *s, carom_piecewise *w, int contact, bool *done)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    int nc = sys->ncontact;
    *done = false;
    carom_modes_copy(nc, w->modes_before, w->modes);
    for (int k = 0, c = contact; k < nc && c >= 0 && !*done; k++) {
        w->modes[c].mode = CAROM_PASSIVE;                                                         /* (2) */
        CAROM_TRY(carom_given_accel(&w->given, s->system, s->now->t + e->x, e->q, e->v,
                                            CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, w->probe.a, w->force,
                                            s->error));
        *done = supported(s, w, w->probe.a, w->force, &c);
    }
    if (*done)
        CAROM_TRY(holds(s, w, done));
    if (!*done)
        carom_modes_copy(nc, w->modes_before, w->modes);
    return CAROM_OK;
}

/* (3) */
carom_status carom_piecewise_share(carom_step *s, carom_piecewise *w, bool *done)
{
    static const double ways[] = {CAROM_STICK, CAROM_SATURATED, CAROM_SATURATED, CAROM_PASSIVE};
    const carom_system *sys = s->system;
    int nc = sys->ncontact, free[SHARED], n = 0, combinations = 1;
    *done = false;
    for (int c = 0; c < nc; c++) {
        const carom_law *law = carom_contact_link(sys, c)->law;
        int role = w->modes_before[c].mode;
        if (role == CAROM_OPEN || role == CAROM_SLIP || !carom_law_can(law, CAROM_OPEN))
            continue;
        if (n == SHARED || law->tangents > 1)
            return CAROM_OK;
        free[n++] = c, combinations *= 4;
    }
    for (int k = 0; k < combinations && !*done; k++) {
        bool twice = false; /* the same with another name */
        carom_modes_copy(nc, w->modes_before, w->modes);
        for (int i = 0, code = k; i < n; i++, code /= 4) {
            int c = free[i];
            bool smooth = carom_contact_link(sys, c)->law->tangents == 0;
            w->modes[c].mode = smooth && code % 4 == 0 ? CAROM_CLOSED : ways[code % 4];
            w->modes[c].direction[0] = code % 4 == 1 ? 1 : -1;
            twice |= smooth && (code % 4 == 1 || code % 4 == 2);
        }
        if (!twice)
            CAROM_TRY(holds(s, w, done));
    }
    if (!*done)
        carom_modes_copy(nc, w->modes_before, w->modes);
    return CAROM_OK;
}
