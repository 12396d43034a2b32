/* tolerance_modes.c: what happens at the end of a step: impacts, new modes, freezing of accumulating impacts.
 *
 *   impact    tolerance_impact.c                                                                                     (1)
 *   decide    acceleration-level problem on the closed contacts; x_n > 0: presses, x_n = 0 and gddot = 0: passive,
 *             gddot > 0: opens; udot_t = 0: sticks, else slips along it                                              (2)
 *             after a force or stick event at t + d on the old motion, where the violated inequality is strict       (3)
 *   freeze    open b with u >= 0, gddot < 0, g + u^2/(2 |gddot|) <= k = kappa tol/(coordinate per gap), closed for good
 *             if nothing else hits hard within three tails 2 u/(|gddot| (1 - e)) of the frozen mode                  (4)
 *             u is removed with the columns of that mode, friction included                                          (5)
 *   spatial   slip never steps across u = 0: h <= 0.9 |u|/dec, dec = -(u/|u|) . udot; it sticks when |u|^2/(2 dec) <= k,
 *             if static friction can hold it                                                                         (6) */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/tolerance.h"

double carom_tol_small(const carom_step *s)
{
    return CAROM_TOL_KAPPA * (s->options->atol + s->options->rtol * carom_norm_max(s->system->nq, s->now->q));
}

static double speed(const carom_step *s, const double *v)
{
    return 1 + carom_norm_max(s->system->nv, v);
}

double carom_tol_rest(const carom_step *s, const double *v)
{
    return 1e-12 * speed(s, v);
}

static carom_status set_roles(carom_step *s, carom_tol *w, const double *a)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    double small = 1e-9 * (1 + carom_norm_max(sys->nv, a));
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int i = link->contact, row = c->problem.block[k].row;
        const double *x = c->solve.x + row, *rate = c->solve.u + row;
        if (!(x[0] > 0)) {
            w->role[i] = rate[0] > small ? CAROM_ROLE_OPEN : CAROM_ROLE_PASSIVE;
        } else if (link->rows == 1) {
            w->role[i] = CAROM_ROLE_PRESS;
        } else if (w->mode[i] == CAROM_SLIP) {
            w->role[i] = CAROM_ROLE_SLIP;
        } else {
            double size = link->rows > 2 ? hypot(rate[1], rate[2]) : fabs(rate[1]);
            w->role[i] = size <= small ? CAROM_ROLE_STICK : CAROM_ROLE_SLIP;
            if (size > small) {
                w->direction[2 * i] = rate[1] / size;
                w->direction[2 * i + 1] = link->rows > 2 ? rate[2] / size : 0;
            }
        }
    }
    return CAROM_OK;
}

/* (2): roles of the contacts that are not open, from the problem at (t, q, v). */
carom_status carom_tol_decide(carom_step *s, carom_tol *w, double t, const double *q, const double *v)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    int nv = sys->nv;
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++)
        if (i < sys->njoint || (int)w->role[i - sys->njoint] != CAROM_ROLE_OPEN)
            c->active[c->nactive++] = i;
    if (c->nactive == sys->njoint)
        return CAROM_OK;
    carom_system_eval(sys, CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t, q, v);
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int i = link->contact;
        w->mode[i] = link->rows > 1 ? CAROM_STICK : CAROM_CLOSED;
        double u[2] = {0, 0};
        for (int j = 1; j < link->rows; j++)
            u[j - 1] = carom_dot(nv, sys->at.G + (link->row + j) * nv, v) + sys->at.w[link->row + j];
        double size = hypot(u[0], u[1]);
        if (size > 1e-11 * speed(s, v)) {
            w->mode[i] = CAROM_SLIP;
            w->direction[2 * i] = u[0] / size, w->direction[2 * i + 1] = u[1] / size;
            for (int j = 1; j < link->rows; j++)
                w->force[link->row + j] = u[j - 1];
        }
    }
    double *slip = c->u_before; /* directions by row */
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        for (int j = 1; j < link->rows; j++)
            slip[link->row + j] = w->direction[2 * link->contact + j - 1];
    }
    CAROM_TRY(carom_tol_unique(s, w, t, carom_contact_accel_decide(c, sys, t, q, v, w->mode, slip, w->shift_v, w->force, s->error)));
    return set_roles(s, w, w->shift_v);
}

/* (3): d grows until the contact whose inequality was violated has a new role. */
static carom_status decide_ahead(carom_step *s, carom_tol *w, int contact)
{
    const carom_end *e = &w->end;
    int nc = s->system->nlink - s->system->njoint;
    double before = w->role[contact], d = CAROM_MAX(1e-9, 1e-3 * CAROM_MIN(sqrt(s->options->atol + s->options->rtol), s->h));
    carom_copy(3 * nc, w->role, w->roles_before);
    for (int k = 0; k < 8; k++, d *= 4) {
        carom_copy(3 * nc, w->roles_before, w->role);
        carom_system_drift(s->system, e->q, e->v, d, w->shift_q);
        for (int i = 0; i < s->system->nv; i++)
            w->probe.v[i] = e->v[i] + d * e->a[i];
        CAROM_TRY(carom_tol_decide(s, w, s->now->t + e->x + d, w->shift_q, w->probe.v));
        if (w->role[contact] != before)
            return CAROM_OK;
    }
    CAROM_FAIL(s->error, CAROM_NO_SOLUTION, "tolerance: the force of contact '%s' leaves its law at t = %.10g, but no other mode holds",
               s->system->link[s->system->njoint + contact].name, s->now->t + e->x);
}

carom_status carom_tol_wake(carom_step *s, carom_tol *w, bool *changed)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double rate = 1e-9 * (1 + carom_norm_max(sys->nv, e->a)), u_small = 1e-11 * speed(s, e->v);
    double g_small = 1e-12 * (1 + carom_norm_max(sys->nq, e->q));
    *changed = false;
    for (int c = 0; c < sys->nlink - sys->njoint; c++) {
        int i = sys->njoint + c, r = sys->link[i].row;
        if ((int)w->role[c] != CAROM_ROLE_PASSIVE)
            continue;
        bool pressed = e->udot[r] < -rate || e->u[r] < -u_small || e->g[i] < -g_small;
        if (!pressed && (e->g[i] > g_small || e->u[r] > u_small)) {
            w->role[c] = CAROM_ROLE_OPEN; /* it left without ever being pressed */
            *changed = true;
        }
        for (double d = 1e-6 * e->x; pressed && (int)w->role[c] == CAROM_ROLE_PASSIVE && d < e->x; d *= 8) {
            carom_system_drift(sys, w->start.q, w->start.v, d, w->shift_q);
            for (int k = 0; k < sys->nv; k++)
                w->probe.v[k] = w->start.v[k] + d * w->start.a[k];
            CAROM_TRY(carom_tol_decide(s, w, s->now->t + d, w->shift_q, w->probe.v));
        }
        *changed |= (int)w->role[c] != CAROM_ROLE_PASSIVE;
    }
    return CAROM_OK;
}

/* The velocity (or the position) of the rows that the roles hold is removed with the columns of the mode. */
carom_status carom_tol_project(carom_step *s, carom_tol *w, carom_end *end, bool positions)
{
    carom_system *sys = s->system;
    carom_fixed *f = &w->fixed;
    int nv = sys->nv;
    double t = s->now->t + end->x;
    if (sys->nlink == 0)
        return CAROM_OK;
    for (int round = 0; round < 4; round++) {
        CAROM_TRY(carom_contact_accel_fixed(f, sys, t, end->q, end->v, CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA, w->probe.a, w->force,
                                            s->error)); /* its rows and columns */
        if (f->m == 0)
            return CAROM_OK;
        double most = 0;
        for (int i = 0; i < f->m; i++) {
            int r = f->row[i], gap = -1;
            for (int k = 0; positions && k < sys->nlink; k++)
                gap = sys->link[k].row == r ? k : gap;
            f->b[i] = positions ? (gap >= 0 ? sys->at.g[gap] : 0) : carom_dot(nv, sys->at.G + r * nv, end->v) + sys->at.w[r];
            most = CAROM_MAX(most, fabs(f->b[i]));
            for (int k = 0; k < f->m; k++)
                f->K[i * f->m + k] = carom_dot(nv, sys->at.G + r * nv, f->Y + k * nv);
        }
        double scale = positions ? 1 + carom_norm_max(sys->nq, end->q) : speed(s, end->v);
        if (most <= 2 * DBL_EPSILON * scale) {
            memset(f->x, 0, sizeof(double) * (size_t)f->m);
            return CAROM_OK;
        }
        carom_least_squares(f->m, f->m, f->K, f->b, f->x, 1e-11, f->work, f->order);
        for (int k = 0; k < f->m; k++)
            carom_system_drift(sys, positions ? end->q : end->v, f->Y + k * nv, -f->x[k], positions ? end->q : end->v);   /* (5) */
        if (!positions)
            return CAROM_OK;
    }
    return CAROM_OK;
}

/* Deceleration of spatial slip along its own direction, and its speed. */
static double deceleration(const carom_step *s, const carom_tol *w, const carom_end *e, int contact, double *size)
{
    const carom_link *link = &s->system->link[s->system->njoint + contact];
    const double *u = e->u + link->row, *rate = e->udot + link->row;
    *size = link->rows > 2 && (int)w->role[contact] == CAROM_ROLE_SLIP ? hypot(u[1], u[2]) : 0;
    return *size > 0 ? -(u[1] * rate[1] + u[2] * rate[2]) / *size : 0;
}

double carom_tol_slip_limit(const carom_step *s, const carom_tol *w, double h)
{
    for (int c = 0; c < s->system->nlink - s->system->njoint; c++) {
        double size, dec = deceleration(s, w, &w->start, c, &size);
        if (dec > 0 && !w->fixed.creeps[c])
            h = CAROM_MIN(h, 0.9 * size / dec);                                                  /* (6) */
    }
    return h;
}

bool carom_tol_turning(const carom_step *s, const carom_tol *w, double x)
{
    for (int i = s->system->njoint; i < s->system->nlink; i++) {
        const carom_link *link = &s->system->link[i];
        const double *u = w->end.u + link->row, *rate = w->end.udot + link->row;
        if (link->rows > 2 && (int)w->role[link->contact] == CAROM_ROLE_SLIP &&
            (w->fixed.creeps[link->contact] || x * hypot(rate[1], rate[2]) > 0.1 * hypot(u[1], u[2])))
            return true;
    }
    return false;
}

bool carom_tol_about_to_stick(const carom_step *s, const carom_tol *w, int *contact)
{
    for (int c = 0; c < s->system->nlink - s->system->njoint; c++) {
        double size, dec = deceleration(s, w, &w->end, c, &size);
        if (dec > 0 && !w->fixed.creeps[c] && size * size / (2 * dec) <= carom_tol_small(s)) {
            *contact = c;
            return true;
        }
    }
    return false;
}

/* Would another contact hit within the tail of the frozen ones, hard enough to lift one by more than k? In the frozen mode:
 * what rested in relative flight may now fall. A soft hit begins a tail of its own. */
static bool disturbed(const carom_step *s, const carom_tol *w, double tail, double k, double fall)
{
    const carom_system *sys = s->system;
    int nc = sys->nlink - sys->njoint;
    for (int c = 0, calm = 0; calm < nc; c = (c + 1) % nc, calm++) {
        int i = sys->njoint + c, r = sys->link[i].row;
        double g = CAROM_MAX(w->end.g[i], 0), u = w->end.u[r], rate = w->end.udot[r], time = 3 * tail;
        if ((int)w->role[c] != CAROM_ROLE_OPEN)
            continue;
        bool hits = g + u * time + 0.5 * rate * time * time <= 0 || (u < 0 && rate > 0 && u * u >= 2 * rate * g);
        double hit = sqrt(CAROM_MAX(u * u - 2 * rate * g, 0)), e = sys->at.law[4 * c];
        if (hits && hit * hit > 2 * k * fall)
            return true;
        double longer = hits && e < 1 ? 2 * hit / (fall * (1 - e)) : 0;
        if (longer > 1.01 * tail)
            tail = longer, calm = -1;
    }
    return false;
}

/* How far a coordinate moves when the gap of a contact closes by 1. */
static double leverage(carom_step *s, carom_tol *w, int row)
{
    const carom_system *sys = s->system;
    const double *G = sys->at.G + row * sys->nv;
    double *y = w->shift_v;
    carom_copy(sys->nv, G, y);
    carom_factor_solve(&sys->mass, y);
    double W = carom_dot(sys->nv, G, y);
    return W > 0 ? CAROM_MAX(1, carom_norm_max(sys->nv, y) / W) : 1;
}

/* What remains of the impacts: velocities u e^n at times that add up to 2 u/(|gddot| (1 - e)). */
static void report_zeno(carom_step *s, const carom_tol *w, int contact, double rest)
{
    const carom_system *sys = s->system;
    int r = sys->link[sys->njoint + contact].row;
    double u = w->end.u[r], fall = -w->end.udot[r], e = sys->at.law[4 * contact];
    if (w->impacts[contact] < 2 || u <= rest)
        return; /* a single soft impact is no accumulation */
    carom_zeno zeno = {.contact = contact, .t = s->now->t + w->end.x, .impacts = (long)w->impacts[contact]};
    if (e > 0 && e < 1) {
        zeno.t += 2 * u / (fall * (1 - e));
        zeno.swallowed = (long)ceil(log(rest / u) / log(e));
    }
    carom_stage_zeno(s->stage, &zeno);
}

/* (4): marks those whose bounces may end now in w->still.mode. */
static bool candidates(carom_step *s, carom_tol *w, double rest, double *tail, double *k_least, double *fall_least)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    bool any = false;
    *tail = 0, *k_least = *fall_least = INFINITY;
    for (int c = 0; c < sys->nlink - sys->njoint; c++) {
        int i = sys->njoint + c, r = sys->link[i].row;
        double u = e->u[r], fall = -e->udot[r], k = carom_tol_small(s), e_n = sys->at.law[4 * c];
        w->still.mode[c] = CAROM_OPEN;
        if ((int)w->role[c] != CAROM_ROLE_OPEN || e->g[i] > k || u < -rest || !(fall > 0) || e->g[i] + u * u / (2 * fall) > k)
            continue;
        k /= leverage(s, w, r);
        if (e->g[i] + u * u / (2 * fall) > k)
            continue;
        double down = sqrt(u * u + 2 * fall * CAROM_MAX(e->g[i], 0)); /* it may be on its way up or at the top */
        *tail = CAROM_MAX(*tail, e_n < 1 ? 2 * down / (fall * (1 - e_n)) : INFINITY);
        *k_least = CAROM_MIN(*k_least, k), *fall_least = CAROM_MIN(*fall_least, fall);
        w->still.mode[c] = CAROM_CLOSED;
        any = true;
    }
    return any;
}

/* What freezing takes: of the normal velocities as impacts, of the others as friction. */
static void account_freeze(carom_step *s, carom_tol *w)
{
    carom_system *sys = s->system;
    const carom_fixed *f = &w->fixed;
    const carom_end *e = &w->end;
    double t = s->now->t + e->x, impact = 0, moving = 0;
    carom_system_eval(sys, CAROM_ENERGY, t, e->q, e->v);
    double loss = -sys->at.energy[0];
    carom_system_eval(sys, CAROM_ENERGY, t, e->q, w->probe.v);
    loss += sys->at.energy[0];
    carom_system_eval(sys, CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t, e->q, w->probe.v);
    for (int k = 0; k < f->m; k++) {
        int r = f->row[k];
        bool normal = false;
        for (int i = sys->njoint; i < sys->nlink; i++)
            normal |= sys->link[i].row == r;
        moving += f->x[k] * sys->at.w[r];
        impact += normal ? 0.5 * f->x[k] * (carom_dot(sys->nv, sys->at.G + r * sys->nv, w->probe.v) + sys->at.w[r]) : 0;
    }
    s->stage->impact += impact;
    s->stage->work_constraints += moving;
    s->stage->friction += loss + moving - impact;
}

/* (5) for the marked contacts: their mode is that of the motion without u, which is then removed with its columns. */
static carom_status close_marked(carom_step *s, carom_tol *w, double rest)
{
    carom_end *e = &w->end;
    for (int c = 0; c < s->system->nlink - s->system->njoint; c++)
        if (w->still.mode[c] != CAROM_OPEN) {
            w->role[c] = CAROM_ROLE_PRESS;
            report_zeno(s, w, c, rest);
        }
    CAROM_TRY(carom_tol_project(s, w, e, false));
    CAROM_TRY(carom_tol_decide(s, w, s->now->t + e->x, e->q, e->v));
    carom_copy(s->system->nv, w->probe.v, e->v);
    CAROM_TRY(carom_tol_project(s, w, e, false));
    if (s->stage->account)
        account_freeze(s, w);
    CAROM_TRY(carom_tol_project(s, w, e, true));
    return carom_tol_measure(s, w, e);
}

/* (4), repeated: the contacts inside first, then those that rest on them. */
static carom_status freeze(carom_step *s, carom_tol *w)
{
    const carom_system *sys = s->system;
    carom_end *e = &w->end;
    int nc = sys->nlink - sys->njoint;
    double rest = carom_tol_rest(s, e->v), tail, k, fall;
    CAROM_TRY(carom_tol_measure(s, w, e));
    for (int round = 0; round < nc && candidates(s, w, rest, &tail, &k, &fall); round++) {
        const carom_stage before = *s->stage;
        carom_copy(3 * nc, w->role, w->roles_before);
        carom_copy(sys->nq, e->q, w->probe.q);
        carom_copy(sys->nv, e->v, w->probe.v);
        carom_status status = close_marked(s, w, rest);
        if (status != CAROM_OK && status != CAROM_NO_SOLUTION)
            return status;
        if (status == CAROM_NO_SOLUTION || disturbed(s, w, tail, k, fall)) { /* later, when less is left of it */
            *s->stage = before;
            carom_copy(3 * nc, w->roles_before, w->role);
            carom_copy(sys->nq, w->probe.q, e->q);
            carom_copy(sys->nv, w->probe.v, e->v);
            break;
        }
    }
    for (int c = 0; c < nc; c++)
        w->still.mode[c] = CAROM_OPEN;
    return CAROM_OK;
}

carom_status carom_tol_transition(carom_step *s, carom_tol *w, carom_cause cause, int contact)
{
    const carom_system *sys = s->system;
    carom_end *e = &w->end;
    double t = s->now->t + e->x;
    w->fixed.side = 0; /* of modes to come */
    if (cause == CAROM_CAUSE_FORCE || cause == CAROM_CAUSE_STICK) {
        CAROM_TRY(decide_ahead(s, w, contact));
    } else if (cause == CAROM_CAUSE_SLIP_END) {
        w->role[contact] = CAROM_ROLE_STICK;
        CAROM_TRY(carom_tol_project(s, w, e, false));
        CAROM_TRY(carom_tol_decide(s, w, t, e->q, e->v));
    } else if (cause == CAROM_CAUSE_GAP) {
        CAROM_TRY(carom_tol_impact(s, w, contact));
        CAROM_TRY(carom_tol_decide(s, w, t, e->q, e->v));
        CAROM_TRY(freeze(s, w));
    }
    (void)sys;
    return carom_tol_measure(s, w, e);
}
