/* settle.c: a step over the rest of bounces that end together with slips, or with bounces of others.
 *
 * freeze.c takes what is left of bounces away at once, with friction of the modes that follow. Where slips come to rest
 * among the last bounces, what is taken turns them about: no modes hold, before or after. Then their time T passes. Of
 * the impulses P in it, whose order is not known, the end is: contacts are at rest or have left, slips go on or have
 * ended, so that
 *   v' = v + T M^-1 F + M^-1 G^T P,   u' = u + T (G M^-1 F + gamma) + W P,   (u', P) in the law, e = 0              (1)
 * on J = closed + { open: g + T u + T^2 udot/2 <= 0, or, once it is solved, g + T (u + u')/2 <= 0 > u' }         (2)
 *   q' = q + T (v + v')/2, projected on g = 0 where contacts are closed, and where a gap would be negative        (3)
 *   modes: open where u' > 0, stick where P is inside of its cone, else decided at (q', v')                       (4)
 *
 * (1) is exact to T^2 where slips keep their directions or end, whatever the order of bounces; T^2 is of the size of k
 * (freeze.c). T is the longest time that one of them would go on for, or one in which nothing moves by more than k. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

/* (2) at w->start */
static void gather(const carom_step *s, const carom_piecewise *w, double T)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->start;
    carom_contacts *c = s->contacts;
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        if (carom_mode_of(&sys->link[i], w->modes) != CAROM_OPEN ||
            e->g[i] + T * (e->u[r] + 0.5 * T * e->udot[r]) <= 0)
            c->active[c->nactive++] = i;
    }
}

/* (1): w->end.v, impulses in P. */
static carom_status solve(carom_step *s, carom_piecewise *w, double T)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    double t = s->now->t, *v_free = w->shift_v;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t, w->start.q,
                      w->start.v);
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    carom_copy(sys->nv, sys->at.F, c->a_free);
    carom_mass_solve(sys, c->a_free);
    for (int i = 0; i < sys->nv; i++)
        v_free[i] = w->start.v[i] + T * c->a_free[i];
    CAROM_TRY(carom_contacts_pose(c, sys, &sys->mass, NULL, s->error));
    memset(c->caught, 0, (size_t)sys->ncontact);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        block->c = carom_link_coefficients(sys, link, carom_mode_of(link, w->modes) == CAROM_STICK, T);
        for (int r = 0; r < link->rows; r++)
            c->problem.b[block->row + r] =
                carom_row_speed(sys, link->row + r, w->start.v) + T * carom_row_accel(sys, link->row + r, c->a_free);
    }
    carom_contacts_offsets(c, sys, s->now->mode);
    do
        CAROM_TRY(carom_contacts_solve(c, sys, t, s->error));
    while (carom_contacts_break_loose(c, sys, s->now));
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    carom_contacts_apply(c, sys, v_free, w->end.v, c->P);
    return CAROM_OK;
}

/* (2), again: what (1) drives together of the others belongs to J; false: there is none. */
static bool gather_more(carom_step *s, carom_piecewise *w, double T)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->start;
    carom_contacts *c = s->contacts;
    int n = 0, k = 0;
    for (int i = 0; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        bool in = k < c->nactive && c->active[k] == i;
        k += in;
        double u = in ? 0 : carom_row_speed(sys, r, w->end.v);
        if (in || (u < -carom_piecewise_rest(w, i) && e->g[i] + 0.5 * T * (e->u[r] + u) <= 0))
            w->struck[n++] = i;
    }
    bool more = n > c->nactive;
    c->nactive = n;
    memcpy(c->active, w->struck, sizeof *c->active * (size_t)n);
    return more;
}

/* (4), as far as (1) tells. */
static void choose_modes(carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    const double unsolved = 10 * c->solve.tol * carom_norm_max(c->problem.n, c->problem.b); /* of velocities */
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int i = link->contact, row = c->problem.block[k].row, normals = carom_link_normals(link);
        const double *u = c->solve.u + row, *P = c->P + link->row;
        double most, rest = CAROM_MAX(carom_piecewise_rest(w, c->active[k]), unsolved);
        bool left = carom_law_can(link->law, CAROM_OPEN) && !(P[0] > 0) && u[0] > rest;
        bool held = carom_norm_max(link->law->tangents, u + normals) <= rest &&
                    (!link->law->tangents || carom_link_friction(sys, link, true, P, &most) < most * (1 - 1e-9));
        if (!left && w->modes[i].mode == CAROM_OPEN)
            carom_piecewise_report_zeno(s, w, &w->start, i);
        w->modes[i].mode = left ? CAROM_OPEN : held ? carom_law_held(link->law) : CAROM_CLOSED;
    }
}

/* (3), the second half */
static carom_status close_gaps(carom_step *s, carom_piecewise *w)
{
    carom_system *sys = s->system;
    carom_end *e = &w->end;
    carom_system_eval(sys, CAROM_GAP, s->next->t, e->q, e->v);
    carom_modes_copy(sys->ncontact, w->modes, w->modes_before);
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (w->modes[sys->link[i].contact].mode == CAROM_OPEN && sys->at.g[i] < 0)
            w->modes[sys->link[i].contact].mode = CAROM_CLOSED;
    CAROM_TRY(carom_piecewise_project(s, w, e, true));
    carom_modes_copy(sys->ncontact, w->modes_before, w->modes);
    return CAROM_OK;
}

/* (1) and (2) */
static carom_status solve_impulses(carom_step *s, carom_piecewise *w, double T)
{
    carom_contacts *c = s->contacts;
    gather(s, w, T);
    c->h = T;
    carom_status status = solve(s, w, T);
    while (status == CAROM_OK && gather_more(s, w, T))
        status = solve(s, w, T);
    c->h = 0;
    return status;
}

static double energy(carom_step *s, const carom_end *e)
{
    carom_system_eval(s->system, CAROM_ENERGY, s->next->t, e->q, e->v);
    return s->system->at.energy[0] + s->system->at.energy[1];
}

/* (3): gaps that have opened on the way and are closed at the end: in truth they have opened and closed by bounces.
 * What that takes from the energy is a loss of the impacts. */
static carom_status put_right(carom_step *s, carom_piecewise *w)
{
    double before = s->record->account ? energy(s, &w->end) : 0;
    CAROM_TRY(close_gaps(s, w));
    CAROM_TRY(carom_piecewise_project(s, w, &w->end, false));
    if (s->record->account)
        s->record->impact += before - energy(s, &w->end);
    return CAROM_OK;
}

/* (3), (4) at w->end, from (1). */
static carom_status end_step(carom_step *s, carom_piecewise *w, double T)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    carom_end *e = &w->end;
    carom_step_advance(s, e->x = T);
    for (int i = 0; i < sys->nv; i++)
        w->shift_v[i] = 0.5 * (w->start.v[i] + e->v[i]);
    carom_system_drift(sys, w->start.q, w->shift_v, T, e->q);                                       /* (3) */
    for (int i = 0; i < sys->ncontact; i++)
        c->hit[i] = w->modes[i].mode == CAROM_OPEN;
    if (s->record->account)
        carom_contact_account(c, sys, T, s->now->t, w->start.q, w->shift_v, w->start.v, e->v, s->record);
    choose_modes(s, w);
    carom_copy(sys->nrow, c->P, s->next->impulse);
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    CAROM_TRY(put_right(s, w));
    for (int i = 0; i < sys->nv; i++) /* its dense output is a parabola */
        w->start.a[i] = w->ka[CAROM_STAGES - 1][i] = (e->v[i] - w->start.v[i]) / T;
    carom_copy(sys->nv, e->v, w->ka[0]);
    CAROM_TRY(carom_piecewise_decide(s, w, s->next->t, e->q, e->v));                                /* (4) */
    for (int i = sys->njoint; i < sys->nlink; i++) /* what has pressed leaves from here on */
        if (s->next->impulse[sys->link[i].row] > 0 && w->modes[sys->link[i].contact].mode == CAROM_OPEN)
            w->modes[sys->link[i].contact].mode = CAROM_PASSIVE;
    return carom_piecewise_measure(s, w, e);
}

carom_status carom_piecewise_settle(carom_step *s, carom_piecewise *w, bool *passed)
{
    const carom_record before = *s->record;
    const carom_error said = *s->error;
    const double h = s->h, h_next = s->h_next, T = CAROM_MIN(s->memory[CAROM_TOL_SETTLES], h);
    s->memory_next[CAROM_TOL_SETTLES] = 0;
    w->given.side = 0;
    CAROM_TRY(carom_piecewise_measure(s, w, &w->start));
    carom_piecewise_scales(s, w, w->start.q, w->start.v);
    carom_modes_copy(s->system->ncontact, w->modes, w->modes_struck);
    carom_status status = solve_impulses(s, w, T);
    status = status == CAROM_OK ? end_step(s, w, T) : status;
    *passed = status == CAROM_OK;
    s->h_next = *passed ? h : h_next;
    w->switches.crossed = *passed ? -1 : w->switches.crossed;
    if (status != CAROM_NOT_CONVERGED && status != CAROM_NO_SOLUTION)
        return status;
    *s->record = before, *s->error = said; /* no impulses, or no modes after them */
    s->system->info->paradox = CAROM_NO_PARADOX;
    carom_modes_copy(s->system->ncontact, w->modes_struck, w->modes);
    s->h = h;
    return CAROM_OK;
}
