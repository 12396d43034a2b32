/* events.c: which event it was: modes before, in and after a jump, from velocities and impulses.
 *
 *   struck      open before and an impulse, u- < 0; E = -e if it leaves, 0 if it is closed afterwards (e = 0, or the
 *               bounces that remain are below the tolerance: completed chatter)
 *   closed      stays in the jump with E = 0 unless it leaves, u+ > 0
 *   friction    |P_t| < mu P_n sticks, otherwise slips against P_t
 *   slip ends   surface s . u_t: sticks, or slips the other way
 *   opens, begins to slip: accelerations are continuous, the variation as well */
#include <math.h>
#include <string.h>

#include "analysis/tangent/follow.h"

/* Velocities of the rows before and after, the law, and gddot- (in t->force): at the jump. */
static carom_status look(carom_tangent *t, const carom_jump *jump)
{
    carom_system *sys = &t->system;
    t->flow.given.modes = t->modes;
    CAROM_TRY(carom_given_accel(&t->flow.given, sys, jump->t, jump->q, jump->v_before,
                                        CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t->a, t->force,
                                        &t->error));
    for (int r = 0; r < sys->nrow; r++) {
        t->u[r] = carom_row_speed(sys, r, jump->v_before);
        t->u_after[r] = carom_row_speed(sys, r, jump->v_after);
        t->force[r] = carom_row_accel(sys, r, t->a);
    }
    carom_copy(sys->nrow, t->u_after, t->u_start);
    return CAROM_OK;
}

/* Does it slip or stick in the jump? Without an impulse: as it goes on. */
static void tangential(carom_tangent *t, const carom_link *link, const carom_jump *jump)
{
    int c = link->contact;
    const double *P = jump->impulse + link->row;
    double *D = t->modes_jump[c].direction, mu = carom_link_mu(&t->system, link, false);
    t->modes_jump[c].mode = CAROM_CLOSED;
    if (!link->law->tangents)
        return;
    if (!(P[0] > 0)) {
        t->modes_jump[c].mode = t->modes_after[c].mode;
        D[0] = t->modes_after[c].direction[0], D[1] = t->modes_after[c].direction[1];
        return;
    }
    double size = link->law->tangents > 1 ? hypot(P[1], P[2]) : fabs(P[1]);
    bool slips = size >= (1 - 1e-8) * mu * P[0];
    t->modes_jump[c].mode = !slips ? CAROM_STICK : mu > 0 ? CAROM_SLIP : CAROM_CLOSED;
    if (slips && mu > 0)
        D[0] = -P[1] / size, D[1] = link->law->tangents > 1 ? -P[2] / size : 0;
}

/* Which contacts take part in the jump and how; returns how many are struck, *hit the one that is struck hardest. */
static int sort_contacts(carom_tangent *t, const carom_jump *jump, int *hit, bool *cut)
{
    const carom_system *sys = &t->system;
    double rest = carom_tangent_rest(t, jump->v_before), hardest = 0;
    int struck = 0;
    *hit = -1, *cut = false;
    t->swallowed = 0;
    for (int k = sys->njoint; k < sys->nlink; k++) {
        const carom_link *link = &sys->link[k];
        int c = link->contact, r = link->row;
        bool open = t->modes[c].mode == CAROM_OPEN, stays = t->modes_after[c].mode != CAROM_OPEN;
        bool pushed = jump->impulse[r] > 0;
        t->modes_jump[c].mode = CAROM_OPEN;
        t->e[c] = open && !stays ? carom_link_restitution(sys, link, 0) : 0;
        if (open ? !pushed && !stays : t->u_after[r] > rest || (!pushed && !stays))
            continue;
        tangential(t, link, jump);
        *cut |= open && !pushed;
        if (open && stays && carom_link_restitution(sys, link, 0) > 0)
            t->swallowed = CAROM_MAX(t->swallowed, fabs(t->u[r]));
        if (!open || !pushed || !(t->u[r] < -rest))
            continue;
        struck++;
        if (t->u[r] < hardest)
            hardest = t->u[r], *hit = c;
    }
    return struck;
}

/* What the event leaves behind in the report. */
static void account(carom_tangent *t, double time)
{
    const carom_saltation *s = &t->saltation;
    int rank = 2 * t->system.nv - s->lost;
    t->report.log_det += s->log_det;
    if (rank < t->report.rank) {
        t->report.rank = CAROM_MAX(rank, 0);
        carom_tangent_flag(t, CAROM_TANGENT_RANK, "directions are lost at t = %.10g: %d of %d survive", time,
                           t->report.rank, 2 * (t->system.nv - t->system.njoint));
    }
    if (s->mismatch > 1e-6 + 4 * t->swallowed)
        carom_tangent_flag(t, CAROM_TANGENT_BEYOND,
                           "the impact at t = %.10g is not of a known kind: its velocities are met to %.1e only", time,
                           s->mismatch);
}

carom_status carom_tangent_impact(carom_tangent *tangent, const carom_jump *jump)
{
    carom_tangent *t = tangent;
    const carom_system *sys = &t->system;
    int hit;
    bool cut;
    t->group.count = 0;
    CAROM_TRY(look(t, jump));
    int struck = sort_contacts(t, jump, &hit, &cut);
    t->report.impacts += struck;
    if (struck == 0) {
        for (int i = 0; i < t->n; i++)
            t->dt[i] = NAN;
        carom_tangent_flag(t, CAROM_TANGENT_GRAZING, "a contact is touched without velocity at t = %.10g", jump->t);
        return carom_tangent_project(t, jump->t, jump->q, jump->v_after, t->modes_after);
    }
    int r = carom_contact_link(sys, hit)->row;
    double u = t->u[r], udot = t->force[r];
    t->report.slowest = CAROM_MIN(t->report.slowest, -u);
    if (udot > 0)
        carom_tangent_near(t, u * u / (2 * udot), jump->t, hit);
    if (struck > 1) {
        CAROM_TRY(carom_tangent_group(t, jump));
        account(t, jump->t);
        return CAROM_OK;
    }
    carom_instant at = {
        .t = jump->t, .q = jump->q, .v_before = jump->v_before, .v_after = jump->v_after, .surface = CAROM_SURFACE_GAP,
        .contact = hit, .before = t->modes, .after = t->modes_after, .jump = t->modes_jump, .e = t->e,
        .step = t->step, .rule = carom_tangent_rule(t),
    };
    CAROM_TRY(carom_saltation_apply(&t->saltation, &at, t->n, t->X, t->parameters ? t->dp : NULL, t->dt, &t->error));
    account(t, jump->t);
    return cut ? carom_tangent_project(t, jump->t, jump->q, jump->v_after, t->modes_after)
               : CAROM_OK;
}

/* May friction be larger while the contact sticks? */
static bool static_friction(const carom_tangent *t, int c)
{
    const carom_system *sys = &t->sim->system; /* of the end of the step */
    const carom_link *link = carom_contact_link(sys, c);
    return carom_link_mu(sys, link, true) > carom_link_mu(sys, link, false);
}

carom_status carom_tangent_transition(carom_tangent *tangent, double time)
{
    carom_tangent *t = tangent;
    const carom_system *sys = &t->system;
    const double *v_after = t->exact ? t->v : t->sim->now.state.v;
    int nc = sys->model->ncontact;
    t->group.count = 0;
    t->swallowed = 0;
    for (int i = 0; i < t->n; i++)
        t->dt[i] = NAN;
    for (int c = 0; c < nc; c++) {
        int before = t->modes[c].mode, after = t->modes_after[c].mode;
        const double *D = t->modes[c].direction, *E = t->modes_after[c].direction;
        bool sticks = before == CAROM_SLIP && after == CAROM_STICK;
        bool slips = before == CAROM_SLIP && after == CAROM_SLIP;
        bool turns = slips && carom_contact_link(sys, c)->law->tangents == 1 && D[0] * E[0] < 0;
        bool loose = before == CAROM_STICK && after == CAROM_SLIP;
        bool opens = before != CAROM_OPEN && before != CAROM_PASSIVE && after == CAROM_OPEN;
        if ((loose && (t->watch || static_friction(t, c))) || (opens && t->watch))
            return carom_tangent_force_event(t, time, c, opens);
        if (!sticks && !turns)
            continue;
        memset(t->e, 0, sizeof(double) * (size_t)nc);
        carom_instant at = {
            .t = time, .q = t->q, .v_before = t->v, .v_after = v_after, .surface = CAROM_SURFACE_SLIP, .contact = c,
            .before = t->modes, .after = t->modes_after, .jump = sticks ? t->modes_after : NULL,
            .e = t->e, .step = t->step,
        };
        CAROM_TRY(
            carom_saltation_apply(&t->saltation, &at, t->n, t->X, t->parameters ? t->dp : NULL, t->dt, &t->error));
        account(t, time);
        return CAROM_OK;
    }
    return CAROM_OK;
}
