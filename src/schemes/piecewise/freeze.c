/* freeze.c: accumulating impacts are ended when what is left of them is below the tolerance.
 *
 *   freeze    open b with u >= 0, gddot < 0, g + u^2/(2 |gddot|) <= k = kappa tol/(coordinate per gap), closed for good
 *             if nothing else hits hard within three tails 2 u/(|gddot| (1 - e)) of the frozen mode                 (1)
 *             u is removed with the columns of that mode, friction included: an impulse of the step                 (2)
 *             it takes what the law does not give, but the force of the mode gives it back soon: carom_link_repays;
 *             otherwise bounces go on                                                                               (3)
 *             where slips end among the bounces no mode holds, and where corners strike in turn nothing is given back:
 *             a time T passes in one step (settle.c), T^2 |a| = k, or the longest tail                              (4)
 *
 * Contacts inside first: what rests on them falls only when they have come to rest. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

#define ROUNDING (64 * DBL_EPSILON) /* of a gap, over the lengths that it is made of */

/* Would another contact hit within the tail of the frozen ones, hard enough to lift one by more than k? In the frozen
 * mode: what rested in relative flight may now fall. A soft hit begins a tail of its own. others: not those marked. */
static bool disturbed(const carom_step *s, const carom_piecewise *w, double tail, double k, double fall, bool others)
{
    const carom_system *sys = s->system;
    int nc = sys->ncontact;
    for (int c = 0, calm = 0; calm < nc; c = (c + 1) % nc, calm++) {
        int i = carom_contact_number(sys, c), r = sys->link[i].row;
        double g = CAROM_MAX(w->end.g[i], 0), u = w->end.u[r], rate = w->end.udot[r], time = 3 * tail;
        if (w->modes[c].mode != CAROM_OPEN || (others && w->still.mode[c] != CAROM_OPEN))
            continue;
        bool dips = u < 0 && -u <= rate * time && u * u >= 2 * rate * g; /* and comes back, all within that time */
        bool hits = dips || g + u * time + 0.5 * rate * time * time <= 0;
        double hit = sqrt(CAROM_MAX(u * u - 2 * rate * g, 0)), e = carom_contact_restitution(sys, c);
        if (hits && hit * hit > 2 * k * fall)
            return true;
        double longer = hits && e < 1 ? 2 * hit / (fall * (1 - e)) : 0;
        if (longer > 1.01 * tail)
            tail = longer, calm = -1;
    }
    return false;
}

/* How far a coordinate moves when the gap of a contact closes by 1. */
static double leverage(carom_step *s, carom_piecewise *w, int row)
{
    const carom_system *sys = s->system;
    double *y = w->shift_v;
    carom_mass_solve_row(sys, row, y);
    double W = carom_row_dot(sys, row, y);
    return W > 0 ? CAROM_MAX(1, carom_norm_max(sys->nv, y) / W) : 1;
}

/* What remains of the impacts: velocities u e^n at times that add up to 2 u/(|gddot| (1 - e)). */
void carom_piecewise_report_zeno(carom_step *s, const carom_piecewise *w, const carom_end *at, int contact)
{
    double rest = carom_piecewise_rest(w, carom_contact_number(s->system, contact));
    const carom_system *sys = s->system;
    int r = carom_contact_link(sys, contact)->row;
    double u = at->u[r], fall = -at->udot[r], e = carom_contact_restitution(sys, contact);
    if (w->modes[contact].impacts < 2 || u <= rest || !(fall > 0))
        return; /* a single soft impact is no accumulation */
    carom_zeno zeno = {.contact = contact, .id = carom_contact_link(sys, contact)->id, .t = s->now->t + at->x,
                       .impacts = (long)w->modes[contact].impacts};
    if (e > 0 && e < 1) {
        zeno.t += 2 * u / (fall * (1 - e));
        zeno.skipped = (long)ceil(log(rest / u) / log(e));
    }
    carom_record_zeno(s->record, &zeno);
}

/* (1): marks those whose bounces may end now in w->still.mode; must: only those that cannot be told from rest. */
static bool candidates(carom_step *s, carom_piecewise *w, bool must, double *tail, double *k_least, double *fall_least)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    bool any = false;
    *tail = 0, *k_least = *fall_least = INFINITY;
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c), r = sys->link[i].row;
        double u = e->u[r], fall = -e->udot[r], e_n = carom_contact_restitution(sys, c);
        double rest = carom_piecewise_rest(w, i);
        /* of a gap: it would keep the bounces alive for ever */
        double rounding = ROUNDING * w->scale[i].length;
        double k = must ? rounding : CAROM_MAX(carom_piecewise_freeze_length(s), rounding);
        w->still.mode[c] = CAROM_OPEN;
        if (w->modes[c].mode != CAROM_OPEN || e->g[i] > k || u < -rest || !(fall > 0) ||
            e->g[i] + u * u / (2 * fall) > k)
            continue;
        k = CAROM_MAX(k / leverage(s, w, r), rounding);
        if (e->g[i] + u * u / (2 * fall) > k)
            continue;
        double down = sqrt(u * u + 2 * fall * CAROM_MAX(e->g[i], 0)); /* it may be on its way up or at the top */
        w->still.mode[c] = CAROM_CLOSED;
        any = true;
        *k_least = CAROM_MIN(*k_least, k);
        if (!(fall > carom_piecewise_no_rate(sys, w, i, e->a)))
            continue; /* it falls by rounding alone, for ever */
        *tail = CAROM_MAX(*tail, e_n < 1 ? 2 * down / (fall * (1 - e_n)) : INFINITY);
        *fall_least = CAROM_MIN(*fall_least, fall);
    }
    return any;
}

void carom_piecewise_account_projection(carom_step *s, carom_piecewise *w)
{
    carom_system *sys = s->system;
    const carom_equations *f = &w->given.equations;
    const carom_end *e = &w->end;
    double t = s->now->t + e->x, impact = 0, moving = 0;
    bool rough = false;
    carom_system_eval(sys, CAROM_ENERGY, t, e->q, e->v);
    double loss = -sys->at.energy[0];
    carom_system_eval(sys, CAROM_ENERGY, t, e->q, w->probe.v);
    loss += sys->at.energy[0];
    carom_system_eval(sys, CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t, e->q, w->probe.v);
    for (int k = 0; k < f->m; k++) {
        const carom_link *link = &sys->link[f->link[k]];
        int r = f->row[k];
        bool normal = link->contact >= 0 && link->row == r;
        rough = rough || r >= link->row + carom_link_normals(link);
        moving += f->x[k] * sys->at.w[r];
        impact += normal ? 0.5 * f->x[k] * carom_row_speed(sys, r, w->probe.v) : 0;
    }
    impact = rough ? impact : loss + moving;
    s->record->impact += impact;
    s->record->work_constraints += moving;
    s->record->friction += rough ? loss + moving - impact : 0;
}

void carom_piecewise_add_projection_impulse(carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    double *P = s->contacts->P;
    memset(w->force, 0, sizeof(double) * (size_t)sys->nrow);
    carom_given_spread(&w->given, sys, w->force);
    for (int r = 0; r < sys->nrow; r++)
        P[r] -= w->force[r];
}

/* (2), from the velocities in w->probe.v. Closed contacts that carry no force, but would be driven together by it,
 * are held, too. */
static carom_status remove_velocity(carom_step *s, carom_piecewise *w, bool *held)
{
    const carom_system *sys = s->system;
    carom_end *e = &w->end;
    *held = false;
    for (bool more = true; more;) {
        more = false;
        carom_copy(sys->nv, w->probe.v, e->v);
        CAROM_TRY(carom_piecewise_project(s, w, e, false));
        for (int i = sys->njoint; i < sys->nlink; i++) {
            int c = sys->link[i].contact, r = sys->link[i].row;
            double u = carom_row_speed(sys, r, e->v);
            if (w->modes[c].mode == CAROM_PASSIVE && u < -carom_piecewise_rest(w, i))
                w->modes[c].mode = CAROM_CLOSED, more = *held = true;
        }
    }
    return CAROM_OK;
}

/* Has the removal turned slip about? It comes to an end among the bounces. */
static bool turned(const carom_step *s, const carom_piecewise *w)
{
    const carom_system *sys = s->system;
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        double along = 0;
        for (int j = 0, t = link->row + carom_link_normals(link); j < link->law->tangents; j++)
            along += w->modes[c].direction[j] * carom_row_speed(sys, t + j, w->end.v);
        if (w->modes[c].mode == CAROM_SLIP && along < -1e-11 * w->scale[carom_contact_number(sys, c)].speed)
            return true;
    }
    return false;
}

/* The mode of the marked contacts is that of the motion without u, which is then removed with its columns. */
static carom_status close_marked(carom_step *s, carom_piecewise *w)
{
    carom_end *e = &w->end;
    bool held;
    for (int c = 0; c < s->system->ncontact; c++)
        if (w->still.mode[c] != CAROM_OPEN) {
            w->modes[c].mode = CAROM_CLOSED;
            carom_piecewise_report_zeno(s, w, e, c);
        }
    CAROM_TRY(carom_piecewise_project(s, w, e, false));
    CAROM_TRY(carom_piecewise_decide(s, w, s->now->t + e->x, e->q, e->v));
    CAROM_TRY(remove_velocity(s, w, &held));
    if (turned(s, w))
        return CAROM_NO_SOLUTION;
    carom_piecewise_add_projection_impulse(s, w);
    if (s->record->account)
        carom_piecewise_account_projection(s, w);
    CAROM_TRY(carom_piecewise_project(s, w, e, true));
    if (held)
        CAROM_TRY(carom_piecewise_decide(s, w, s->now->t + e->x, e->q, e->v));
    return carom_piecewise_measure(s, w, e);
}

/* (3), of all rounds since the impact: what the first have taken is to be given back after the last, too. */
static bool repaid(carom_step *s, carom_piecewise *w)
{
    carom_system *sys = s->system;
    double *tol = w->probe.a, speed = 5 * (s->options->atol + s->options->rtol * carom_norm_max(sys->nv, w->end.v));
    double t = s->now->t + w->end.x, *P = w->force;
    carom_error ignored;
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, t, w->end.q, w->end.v);
    if (carom_mass_factor(sys, t, &ignored) != CAROM_OK)
        return false;
    for (int j = 0; j < sys->nv; j++)
        tol[j] = 5 * s->atol[j]; /* half of what the check of the step allows */
    carom_piecewise_size(sys, w, w->end.q);
    for (int j = 0; j < sys->nv; j++)
        tol[j] += 5 * s->options->rtol * w->size[j];
    for (int r = 0; r < sys->nrow; r++)
        P[r] = s->contacts->P[r] - s->record->ended.impulse[r];
    const double all = carom_system_repay_time(sys, P, tol, w->shift_v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double T = all;
        if (!carom_link_repays(sys, link, P + link->row, w->end.force + link->row, tol, speed, w->shift_v, &T))
            return false;
    }
    return true;
}

/* Surfaces that move apart cannot be followed both. One that carries nothing and leaves is let go; does another that is
 * held or marked still close, or one that carries leave, by more than a little of the velocity that was to be taken? */
static bool contradict(const carom_step *s, carom_piecewise *w, double taken)
{
    const carom_system *sys = s->system;
    bool found = false;
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c), mode = w->modes[c].mode;
        double u = w->end.u[sys->link[i].row], small = 1e-3 * taken + carom_piecewise_rest(w, i);
        bool meant = w->still.mode[c] != CAROM_OPEN || mode != CAROM_OPEN || w->modes_before[c].mode != CAROM_OPEN;
        if (!carom_link_normals(&sys->link[i]))
            continue;
        if (mode == CAROM_PASSIVE && u > small)
            w->modes[c].mode = CAROM_OPEN;
        found |= (meant && u < -small) || (carom_mode_carries(mode) && u > small);
    }
    return found;
}

/* Of those that are marked only the one that comes back first stays; false: there is but one. The largest velocity. */
static bool mark_first(const carom_step *s, carom_piecewise *w, double *taken)
{
    const carom_system *sys = s->system;
    double least = INFINITY;
    int first = -1, marked = 0;
    for (int c = 0; c < sys->ncontact; c++) {
        int r = carom_contact_link(sys, c)->row;
        if (w->still.mode[c] == CAROM_OPEN)
            continue;
        double time = w->end.u[r] / -w->end.udot[r];
        *taken = marked++ ? CAROM_MAX(*taken, w->end.u[r]) : w->end.u[r];
        if (time < least)
            least = time, first = c;
    }
    for (int c = 0; marked > 1 && c < sys->ncontact; c++)
        w->still.mode[c] = c == first ? CAROM_CLOSED : CAROM_OPEN;
    return marked > 1;
}

/* What a round has changed, taken back. */
static carom_status undo(carom_step *s, carom_piecewise *w, const carom_record *before)
{
    const carom_system *sys = s->system;
    *s->record = *before;
    s->system->info->paradox = CAROM_NO_PARADOX;
    carom_copy(sys->nrow, w->probe.force, s->contacts->P);
    carom_modes_copy(sys->ncontact, w->modes_before, w->modes);
    carom_copy(sys->nq, w->probe.q, w->end.q);
    carom_copy(sys->nv, w->probe.v, w->end.v);
    return carom_piecewise_measure(s, w, &w->end);
}

/* May the direction of slip turn? In a plane it ends, or goes on as it was. */
static bool turns(const carom_system *sys)
{
    bool any = false;
    for (int i = sys->njoint; i < sys->nlink; i++)
        any |= sys->link[i].law->tangents > 1;
    return any;
}

/* (4): the time that may pass in one step, 0: none. Within sqrt(k/a) nobody need know who strikes whom; slips that end
 * somewhere in a tail that is not much longer are not far from where they would be. must: the tail as it is. */
static double settling_time(const carom_step *s, const carom_piecewise *w, bool must, double tail, double k,
                            double fall)
{
    double accel = 0;
    for (int c = 0; c < s->system->ncontact; c++)
        if (w->still.mode[c] != CAROM_OPEN || w->modes[c].mode != CAROM_OPEN)
            accel = CAROM_MAX(accel, w->scale[carom_contact_number(s->system, c)].accel);
    double T = tail > 0 ? sqrt(k / accel) : 0;
    if (!must && !turns(s->system) && T > tail && !disturbed(s, w, T / 3, k, fall, true))
        return T;
    bool short_enough = must ? tail < INFINITY : tail * tail * accel <= 30 * k;
    return short_enough && !disturbed(s, w, tail, k, fall, true) ? 1.001 * tail : 0;
}

/* (1), repeated: the contacts inside first, then those that rest on them; must: only what cannot be told from rest. */
static carom_status freeze(carom_step *s, carom_piecewise *w, bool must)
{
    const carom_system *sys = s->system;
    carom_end *e = &w->end;
    int nc = sys->ncontact;
    double tail, k, fall, taken = 0;
    CAROM_TRY(carom_piecewise_measure(s, w, e));
    carom_piecewise_scales(s, w, e->q, e->v);
    for (int round = 0; round <= nc && candidates(s, w, must, &tail, &k, &fall); round++) {
        const carom_record before = *s->record;
        carom_modes_copy(nc, w->modes, w->modes_before);
        carom_copy(sys->nrow, s->contacts->P, w->probe.force);
        carom_copy(sys->nq, e->q, w->probe.q);
        carom_copy(sys->nv, e->v, w->probe.v);
        taken = must ? 0 : taken; /* of what is to be held there is less */
        for (int c = 0; c < nc; c++)
            if (w->still.mode[c] != CAROM_OPEN)
                taken = CAROM_MAX(taken, e->u[carom_contact_link(sys, c)->row]);
        carom_status status = close_marked(s, w);
        if (status == CAROM_OK && contradict(s, w, taken)) {
            CAROM_TRY(undo(s, w, &before));
            status = mark_first(s, w, &taken) ? close_marked(s, w) : CAROM_NO_SOLUTION;
            if (status == CAROM_OK && contradict(s, w, taken))
                status = CAROM_NO_SOLUTION;
        }
        if (status == CAROM_NOT_CONVERGED) /* the problem of a mode that may be none */
            status = CAROM_NO_SOLUTION;
        if (status == CAROM_OK && must && !carom_given_in_law(&w->given, sys, e->force))
            status = CAROM_NO_SOLUTION; /* rows that all but depend on each other */
        if (status != CAROM_OK && status != CAROM_NO_SOLUTION)
            return status;
        if (status == CAROM_OK && (must || (repaid(s, w) && !disturbed(s, w, tail, k, fall, false)))) {
            s->record->ended.on = true;
            continue;
        }
        CAROM_TRY(undo(s, w, &before)); /* later, when less is left of it; */
        bool settles = (status == CAROM_NO_SOLUTION || !turns(sys)) && candidates(s, w, must, &tail, &k, &fall);
        double T = settles ? settling_time(s, w, must, tail, k, fall) : 0;
        if (T > 0) {
            double rounding = 64 * DBL_EPSILON * (s->now->t + e->x);
            s->memory_next[CAROM_TOL_SETTLES] = CAROM_MAX(T, rounding);                                  /* (4) */
            break;
        }
        if (must)
            break;
        must = true; /* but of some nothing is left that could become less */
    }
    for (int c = 0; c < nc; c++)
        w->still.mode[c] = CAROM_OPEN;
    return CAROM_OK;
}

carom_status carom_piecewise_end_bounces(carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    carom_record *record = s->record;
    carom_end *e = &w->end;
    const carom_record before = *record;
    carom_copy(sys->nq, e->q, record->ended.q);
    carom_copy(sys->nv, e->v, record->ended.v);
    carom_copy(sys->nrow, s->contacts->P, record->ended.impulse);
    carom_modes_copy(sys->ncontact, w->modes, w->modes_struck);
    CAROM_TRY(freeze(s, w, false));
    CAROM_TRY(carom_piecewise_measure(s, w, e));
    if (record->ended.on && !repaid(s, w)) { /* the last of them was one that must be, and has opened others */
        *record = before;
        carom_copy(sys->nq, record->ended.q, e->q);
        carom_copy(sys->nv, record->ended.v, e->v);
        carom_copy(sys->nrow, record->ended.impulse, s->contacts->P);
        carom_modes_copy(sys->ncontact, w->modes_struck, w->modes);
        CAROM_TRY(freeze(s, w, true));
        CAROM_TRY(carom_piecewise_measure(s, w, e));
    }
    carom_copy(sys->nrow, e->force, record->ended.force);
    return CAROM_OK;
}
