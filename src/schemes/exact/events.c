/* events.c: what happens between two flights.
 *
 * Impact: Newton's law for all links that are closed or at g = 0 (block `impact`).
 * Completed chatter: after an impact a contact leaves with u > 0 and is pulled back by g'' = a < 0. With a constant a
 * the bounces that remain take
 *     tau = 2 u/(|a| (1 - e))                                                                                 (1)
 * and end with g = u = 0. The contact is closed at once when tau < 1e-9 t and a changes by less than 1e-8 a within
 * tau: what is left of the motion then differs from rest by u^3 in the other coordinates and by tau 1e-8 in time,
 * both below rounding. It counts as closed from t + tau on.
 * Several contacts that accumulate impacts together are followed bounce by bounce until each of them meets this rule.
 * Contacts with u = 0: which of them press is decided by accelerations and forces (block `accel_decide`). Release:
 * the force of a closed contact has come down to 0: it opens, and its gap grows like (t - t*)^3. Links that are closed
 * together may part at any order. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/exact/exact.h"

static const double TIGHT = 1e-14; /* contact problems are solved to rounding; where that fails, as the options say */

static double value(const carom_exact *x, int i, const double *y, const double *offset)
{
    return carom_dot(x->n, x->G + i * x->n, y) + carom_exact_time(x, offset + i * x->nt);
}

static double size_of(int n, const double *row, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(row[i] * y[i]);
    return sum;
}

/* What rounding does to a gap (unit = rho^2) or to its speed (unit = rho). */
static double rounding_of(const carom_exact *x, int i, const double *y, const double *offset, double unit)
{
    return 16 * DBL_EPSILON * (unit * carom_exact_scale(x, i) + size_of(x->n, x->G + i * x->n, y) +
                               size_of(x->nt, offset + i * x->nt, x->z + 2 * x->n));
}

static void snap_gap(carom_step *s, carom_exact *x, int i)
{
    double g = value(x, i, s->next->q, x->offset);
    carom_system_drift(s->system, s->next->q, x->Y + i * x->n, -g / x->W[i], s->next->q);
}

static void tell(carom_step *s, const carom_exact *x, carom_event_type type, double t, int contact, double u_before,
                 double u_after)
{
    carom_event event = {.type = type, .t = t, .contact = contact};
    event.u_before[0] = u_before, event.u_after[0] = u_after;
    event.impulse[0] = type == CAROM_EVENT_OPENING ? 0 : x->P[carom_contact_number(s->system, contact)];
    carom_record_event(s->record, &event);
}

static void open_contact(carom_step *s, const carom_exact *x, int link)
{
    s->next->mode[x->system->link[link].contact] = CAROM_OPEN;
    s->memory_next[x->system->link[link].contact] = 1;
}

/* ---- accelerations ---- */

/* What takes all links at rest to value 0 at once. */
static carom_equations *correction(carom_exact *x, const double *y, const double *offset)
{
    carom_equations *e = &x->closed;
    carom_exact_select(x, x->rest);
    for (int a = 0; a < e->m; a++)
        e->b[a] = -value(x, e->link[a], y, offset);
    carom_equations_solve(e, x->system, 1e-12);
    return e;
}

/* v and q onto u = 0, g = 0 of the links at rest; x->P takes the impulses */
static void bring_to_rest(carom_step *s, carom_exact *x)
{
    const carom_equations *e = correction(x, s->next->v, x->offset_1);
    for (int a = 0; a < e->m; a++)
        x->P[e->link[a]] += e->x[a];
    carom_equations_add(e, x->n, s->next->v);
    correction(x, s->next->q, x->offset);
    for (int a = 0; a < e->m; a++)
        carom_system_drift(s->system, s->next->q, e->Y + a * x->n, e->x[a], s->next->q);
}

void carom_exact_snap(carom_step *s, carom_exact *x, const carom_flight *f)
{
    int closed = 0, last = 0;
    for (int i = 0; i < x->nlink; i++)
        if (f->closed[i])
            closed++, last = i;
    if (closed > 1) {
        memcpy(x->rest, f->closed, (size_t)x->nlink);
        bring_to_rest(s, x);
    } else if (closed == 1) {
        double u = value(x, last, s->next->v, x->offset_1) / x->W[last];
        snap_gap(s, x, last);
        for (int k = 0; k < x->n; k++)
            s->next->v[k] -= u * x->Y[last * x->n + k];
    }
}

static carom_status accelerations(carom_step *s, carom_exact *x, double t, const double *q, const double *v)
{
    carom_contacts *c = s->contacts;
    double tol = s->options->contact_tol;
    c->solve.tol = fmin(TIGHT, tol);
    carom_status status = carom_contact_accel_decide(c, s->system, t, q, v, s->next->mode, s->system->zero, x->a, c->P,
                                                     s->error);
    if (status == CAROM_NOT_CONVERGED) {
        c->solve.tol = tol;
        status = carom_contact_accel_decide(c, s->system, t, q, v, s->next->mode, s->system->zero, x->a, c->P,
                                            s->error);
    }
    s->record->residual = fmax(s->record->residual, c->solve.residual);
    return status;
}

/* Modes of the links that were active, from the accelerations. */
static void take_modes(carom_step *s, const carom_exact *x)
{
    const carom_contacts *c = s->contacts;
    double size = carom_norm_max(c->problem.n, c->problem.b);
    for (int k = 0; k < c->nactive; k++) {
        int i = c->active[k], contact = s->system->link[i].contact;
        if (contact < 0)
            continue;
        if (c->solve.x[k] > 0 || c->solve.u[k] <= 1e-13 * size)
            s->next->mode[contact] = CAROM_CLOSED;
        else
            open_contact(s, x, i);
    }
}

/* How far the accelerations of the links at rest contradict each other at t: those of their own motion; what q and v do
 * to redundant gaps is the same for all. */
static double contradiction(carom_exact *x, double t)
{
    carom_equations *e = &x->closed;
    double most = 0;
    carom_exact_clock(x, t);
    for (int k = 0; k < e->m; k++)
        x->u_ahead[k] = e->b[k] = carom_exact_time(x, x->offset_2 + e->link[k] * x->nt);
    carom_equations_solve(e, x->system, 1e-12);
    carom_equations_matrix(e, x->system);
    for (int k = 0; k < e->m; k++)
        most = fmax(most, fabs(carom_dot(e->m, e->K + k * e->m, e->x) - x->u_ahead[k]));
    return most;
}

/* Redundant links that rest together now, but whose gaps go apart at a higher order: which of them press is seen as
 * soon as they contradict each other. Gaps of this class are analytic: they part here or never. */
static carom_status part(carom_step *s, carom_exact *x, double t)
{
    carom_state *next = s->next;
    double d = 1e-3 * x->rho, size = carom_norm_max(s->contacts->problem.n, s->contacts->problem.b);
    for (int i = x->njoint; i < x->nlink; i++) {
        x->rest[i] = carom_link_closed(&x->system->link[i], next->mode);
        x->bar[i] = x->rest[i] ? -1 : INFINITY;
    }
    const carom_equations *e = correction(x, next->v, x->offset_1);
    if (e->rank == e->m)
        return CAROM_OK;
    while (d < 0.05 * s->options->t_end && contradiction(x, t + d) <= 1e-11 * size)
        d *= 2;
    carom_exact_clock(x, t);
    if (d >= 0.05 * s->options->t_end)
        return CAROM_OK;
    carom_system_drift(s->system, next->q, next->v, d, x->q_ahead);
    for (int k = 0; k < x->n; k++)
        x->v_ahead[k] = next->v[k] + d * x->a[k];
    carom_contacts_activate(s->contacts, s->system, x->bar, next->q, next->mode);
    CAROM_TRY(accelerations(s, x, t + d, x->q_ahead, x->v_ahead));
    take_modes(s, x);
    return CAROM_OK;
}

carom_status carom_exact_decide(carom_step *s, carom_exact *x, double t)
{
    carom_contacts *c = s->contacts;
    carom_state *next = s->next;
    bool any = false;
    for (int i = 0; i < x->nlink; i++) {
        x->rest[i] |= i < x->njoint;
        any |= x->rest[i] && i >= x->njoint;
        x->bar[i] = x->rest[i] ? -1 : INFINITY;
    }
    for (int i = x->njoint; i < x->nlink; i++)
        if (!x->rest[i] && carom_link_closed(&x->system->link[i], next->mode))
            open_contact(s, x, i);
    if (!any)
        return CAROM_OK;
    bring_to_rest(s, x);
    carom_contacts_activate(c, s->system, x->bar, next->q, next->mode);
    CAROM_TRY(accelerations(s, x, t, next->q, next->v));
    take_modes(s, x);
    return part(s, x, t);
}

/* ---- impact ---- */

/* (1); INFINITY when the contact does not come back or it takes too long */
static double chatter(const carom_exact *x, const carom_flight *f, int i, double u, double e, double t)
{
    if (f->closed[i] || !(e < 1))
        return INFINITY;
    double c2 = 0, c3 = 0;
    for (int j = 0; j < x->nz; j++) {
        const double *column = f->E + (i * x->nz + j) * x->terms;
        c2 += column[2] * x->z[j], c3 += column[3] * x->z[j];
    }
    double a = 2 * c2 / (x->rho * x->rho), tau = 2 * u / (-a * (1 - e));
    return a < 0 && tau <= 1e-9 * t && 3 * fabs(c3) * (tau / x->rho) <= 1e-8 * fabs(c2) ? tau : INFINITY;
}

/* Energy of the whole jump from v_before to v by the impulses P, those that end chatter included. */
static void account(carom_step *s, const carom_exact *x)
{
    int n = x->n;
    for (int i = 0; i < x->nlink; i++) {
        const double *G = x->G + i * n;
        double work = 0.5 * x->P[i] * (carom_dot(n, G, x->v_before) + carom_dot(n, G, s->next->v));
        double moving = i < x->njoint ? work : -x->P[i] * carom_exact_time(x, x->offset_1 + i * x->nt);
        s->record->work_constraints += moving;
        s->record->impact += moving - work;
    }
}

/* The links of the impact: closed ones, who, and all that are at g = 0. */
static void gather(carom_step *s, carom_exact *x, int who)
{
    for (int i = 0; i < x->nlink; i++) {
        const double *q = s->next->q;
        bool in = i == who || carom_link_closed(&x->system->link[i], s->next->mode);
        in = in || fabs(value(x, i, q, x->offset)) <= rounding_of(x, i, q, x->offset, x->rho * x->rho);
        x->bar[i] = in ? -1 : INFINITY;
    }
    carom_contacts_activate(s->contacts, s->system, x->bar, s->next->q, s->next->mode);
}

/* Who rests after the impact. Returns whether accelerations have to decide. */
static bool after_impact(carom_step *s, carom_exact *x, const carom_flight *f, double t)
{
    carom_contacts *c = s->contacts;
    const carom_state *next = s->next;
    bool decide = false;
    memset(x->rest, 0, (size_t)x->nlink);
    carom_copy(x->n, next->v, x->z + x->n);
    carom_copy(x->n, next->q, x->z);
    for (int k = 0; k < c->nactive; k++) {
        int i = c->active[k], contact = s->system->link[i].contact;
        double u = value(x, i, next->v, x->offset_1), tau;
        double rounding = rounding_of(x, i, x->v_before, x->offset_1, x->rho);
        if (contact < 0)
            continue;
        x->tau[i] = 0;
        if (c->P[i] > 0 && c->u_before[i] < -rounding) {
            tell(s, x, CAROM_EVENT_IMPACT, t, contact, c->u_before[i], c->u_after[i]);
            x->count[contact]++;
        }
        if (u <= rounding) {
            x->rest[i] = 1;
        } else if ((tau = chatter(x, f, i, u, carom_contact_restitution(s->system, contact), t)) < INFINITY) {
            x->rest[i] = 1;
            x->tau[i] = tau;
            double e = carom_contact_restitution(s->system, contact);
            x->lost[i] = ceil(log(DBL_EPSILON * t / tau) / log(e)); /* that t resolves */
        }
        decide |= x->rest[i] || next->mode[contact] != CAROM_OPEN;
        s->memory_next[contact] = 1;
    }
    return decide;
}

/* Closing and opening; chatter that was cut off ends t + tau, but not after the step. */
static void tell_changes(carom_step *s, const carom_exact *x, const unsigned char *closed, double t, double t_end)
{
    for (int i = x->njoint; i < x->nlink; i++) {
        int contact = x->system->link[i].contact;
        bool now_closed = s->next->mode[contact] != CAROM_OPEN;
        if (now_closed == closed[i])
            continue;
        double when = now_closed ? fmin(t + x->tau[i], t_end) : t;
        tell(s, x, now_closed ? CAROM_EVENT_CLOSING : CAROM_EVENT_OPENING, when, contact, x->u_before[i],
             x->u_after[i]);
        if (now_closed && x->tau[i] > 0)
            carom_record_zeno(s->record, &(carom_zeno){.contact = contact, .id = contact, .t = t + x->tau[i],
                                                       .impacts = (long)x->count[contact],
                                                       .skipped = (long)x->lost[i]});
        x->count[contact] = 0;
    }
}

static carom_status impact_to(carom_step *s, carom_exact *x, const carom_state *here, double tol)
{
    carom_system *sys = s->system;
    s->contacts->solve.tol = fmin(tol, s->options->contact_tol);
    return carom_contact_impact(s->contacts, sys, &sys->mass, NULL, x->v_before, x->v_before, here,
                                s->next->v, s->error);
}

carom_status carom_exact_impact(carom_step *s, carom_exact *x, const carom_flight *f, int who, double done, double h)
{
    carom_contacts *c = s->contacts;
    carom_system *sys = s->system;
    carom_state *next = s->next;
    double t = x->t;
    carom_system_eval(sys, CAROM_JACOBIAN, t, next->q, next->v);
    carom_system_eval(sys, CAROM_LAW, t, next->q, next->v);
    snap_gap(s, x, who);
    gather(s, x, who);
    carom_copy(x->n, next->v, x->v_before);
    carom_state here = *next;
    here.t = t;
    carom_status status = impact_to(s, x, &here, TIGHT);
    if (status == CAROM_NOT_CONVERGED)
        status = impact_to(s, x, &here, s->options->contact_tol);
    CAROM_TRY(status);
    s->record->residual = fmax(s->record->residual, c->solve.residual);
    carom_copy(x->nlink, c->P, x->P);
    carom_copy(x->nlink, c->u_before, x->u_before);
    carom_copy(x->nlink, c->u_after, x->u_after);
    if (after_impact(s, x, f, t)) {
        CAROM_TRY(carom_exact_decide(s, x, t));
        tell_changes(s, x, f->closed, t, t + (h - done));
    }
    for (int i = 0; i < x->nlink; i++)
        next->impulse[i] += x->P[i];
    if (s->record->account)
        account(s, x);
    if (s->record->observed)
        carom_record_jump(s->record, s->system, t, next->q, x->v_before, next->v, x->P);
    return CAROM_OK;
}

carom_status carom_exact_release(carom_step *s, carom_exact *x, const carom_flight *f, int who)
{
    for (int i = 0; i < x->nlink; i++) {
        x->rest[i] = i != who && f->closed[i];
        x->P[i] = x->u_before[i] = x->u_after[i] = x->tau[i] = 0;
    }
    CAROM_TRY(carom_exact_decide(s, x, x->t));
    tell_changes(s, x, f->closed, x->t, x->t);
    return CAROM_OK;
}
