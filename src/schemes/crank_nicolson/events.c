/* events.c: the first event on a trial: an open contact is reached, a closed one lets go or breaks loose, a
 * slipping one stops.
 *
 * A gap along the parabola (5) of flow.c, if it is affine in q and t:
 *   phi(s) = g + s u + s^2 (u1 - u)/(2 dt)                              with V^n where (31) has (Uhat - U)/dt   (1)
 *   A = (u1 - u)/dt,  d = sqrt(u^2 - 2 A g),   s = u <= 0 ? 2 g/(d - u) : -(u + d)/A                            (2)
 * which exists whenever phi(dt) < 0; otherwise the root of g(t + s, q(s)) in a bracket that starts at the top of the
 * gap where it opens first. A dip between two open ends is seen where its velocity changes sign.
 * Closed contacts: bisection with the acceleration-level problem, decided on the far side, where the change of mode is
 * certain. Slip ends where its component along the direction at the start vanishes. */
#include <math.h>

#include "core/bracket.h"
#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

/* ---- open contacts ---- */

static double gap(carom_step *s, carom_cn *w, int link, double x)
{
    carom_cn_dense(s->system, w, x);
    carom_system_eval(s->system, CAROM_GAP, w->at.t + x, w->qs, w->vs);
    return s->system->at.g[link];
}

/* The root in [low, high] with g(low) >= 0 > g(high), from the side of g >= 0. */
static double root(carom_step *s, carom_cn *w, int link, double low, double high, double g_low, double g_high)
{
    carom_bracket b = {low, high, g_low, g_high, 0, 0};
    while (b.k < 100 && b.high - b.low > 2e-16 * b.high && b.f_low > 0) {
        double x = carom_bracket_next(&b, NAN);
        if (x <= b.low || x >= b.high)
            break;
        double g = gap(s, w, link, x);
        carom_bracket_put(&b, x, g, g < 0);
    }
    return b.low;
}

static double affine_root(double g, double u, double u1, double dt)
{
    double A = (u1 - u) / dt, d = sqrt(fmax(0, u * u - 2 * A * g));
    double x = u <= 0 ? 2 * g / (d - u) : -(u + d) / A;                                                 /* (2) */
    return x > 0 ? fmin(x, dt) : 0; /* also where x is not a number: 0/0 */
}

/* The first time at which an open contact is reached, dt or more: not on this trial. */
static double reached(carom_step *s, carom_cn *w, int i)
{
    const carom_system *sys = s->system;
    int row = sys->link[i].row;
    double dt = w->dt, g = w->g0[i], g1 = w->g1[i], u = w->u0[row], u1 = w->u1[row];
    bool turns = (u < 0) != (u1 < 0), affine = (sys->known & CAROM_JACOBIAN) != 0;
    double turn = turns ? dt * (u / (u - u1)) : dt;
    if (g <= 0 && fabs(u) <= 1e-13 * w->scale[i].speed)
        g = u = 0; /* it has just left, or will fall back */
    if (u < 0 && g <= 0)
        return 0;
    if (u < 0 && g1 >= 0) { /* a dip? */
        double g_turn = u1 > 0 ? (affine ? g + 0.5 * turn * u : gap(s, w, i, turn)) : 0;
        if (g_turn >= 0)
            return INFINITY;
        return affine ? affine_root(g, u, u1, dt) : root(s, w, i, 0, turn, g, g_turn);
    }
    if (g1 >= 0 || (u > 0 && u1 >= 0))
        return INFINITY;
    if (affine)
        return affine_root(fmax(g, 0), u, u1, dt);
    if (u < 0)
        return root(s, w, i, 0, dt, g, g1);
    double g_turn = turn > 0 ? gap(s, w, i, turn) : g;
    return g_turn > 0 ? root(s, w, i, turn, dt, g_turn, g1) : 0;
}

static void ends(carom_step *s, carom_cn *w)
{
    carom_system *sys = s->system;
    const double *q[] = {w->at.q, w->q1}, *v[] = {w->at.v, w->v1}, t[] = {w->at.t, w->at.t + w->dt};
    double *g[] = {w->g0, w->g1}, *u[] = {w->u0, w->u1};
    for (int k = 0; k < 2; k++) {
        carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, t[k], q[k], v[k]);
        carom_copy(sys->nlink, sys->at.g, g[k]);
        for (int r = 0; r < sys->nrow; r++)
            u[k][r] = carom_row_speed(sys, r, v[k]);
        for (int i = 0; k == 0 && i < sys->nlink; i++)
            w->scale[i].speed = carom_scale_speed(sys, sys->link[i].row, v[k]) +
                                w->dt * carom_scale_speed(sys, sys->link[i].row, w->a0);
    }
}

static void first_hit(carom_step *s, carom_cn *w, carom_cn_event *first)
{
    const carom_system *sys = s->system;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        if (carom_link_closed(&sys->link[i], w->at.mode))
            continue;
        double x = reached(s, w, i);
        if (x < first->s || (x == first->s && first->kind == CAROM_CN_NONE))
            *first = (carom_cn_event){CAROM_CN_HIT, x, sys->link[i].contact};
    }
}

/* ---- slipping contacts ---- */

static double slip_along(carom_step *s, carom_cn *w, const carom_link *link, double x)
{
    carom_system *sys = s->system;
    double along = 0;
    carom_cn_dense(sys, w, x);
    carom_system_eval(sys, CAROM_JACOBIAN, w->at.t + x, w->qs, w->vs);
    for (int j = 1; j < link->rows; j++)
        along += w->modes[link->contact].direction[j - 1] * carom_row_speed(sys, link->row + j, w->vs);
    return along;
}

static void first_halt(carom_step *s, carom_cn *w, carom_cn_event *first)
{
    const carom_system *sys = s->system;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        if (!link->law->tangents || w->at.mode[link->contact] != CAROM_SLIP || slip_along(s, w, link, first->s) >= 0)
            continue;
        double low = 0, high = first->s;
        while (high - low > 1e-15 * w->dt) {
            double x = 0.5 * (low + high);
            *(slip_along(s, w, link, x) < 0 ? &high : &low) = x;
        }
        double slip = slip_along(s, w, link, high), scale = 0;
        for (int r = link->row + carom_link_normals(link); r < link->row + link->rows; r++)
            scale += carom_scale_speed(sys, r, w->vs);
        bool jumps = sys->model->nswitch && slip < -1e-6 * scale; /* a belt that turns round at once */
        *first = (carom_cn_event){jumps ? CAROM_CN_TURN : CAROM_CN_HALT, high, link->contact};
    }
}

/* ---- closed contacts ---- */

static carom_status pose_decision(carom_step *s, carom_cn *w, double t, const double *q, const double *v)
{
    const carom_system *sys = s->system;
    for (int i = 0; i < sys->nlink; i++)
        w->g_bar[i] = carom_link_closed(&sys->link[i], w->at.mode) ? -1 : INFINITY;
    carom_contacts_activate(s->contacts, sys, w->g_bar, q, w->at.mode);
    carom_modes_directions(sys, w->modes, w->slip);
    return carom_contact_accel_decide(s->contacts, s->system, t, q, v, w->at.mode, w->slip, w->a_d, w->x_d, s->error);
}

/* Are several contacts closed? Then one of them may carry nothing, and stay. */
bool carom_cn_several(const carom_system *system, const carom_cn *w)
{
    int n = 0;
    for (int c = 0; c < system->model->ncontact; c++)
        n += w->at.mode[c] != CAROM_OPEN;
    return n > 1;
}

/* What the solution in s->contacts makes of active link k, a part r of the trial away from its start. One that carries
 * nothing there is passive if it does as its mode is: near the end of a contact both are 0 but for rounding. */
static carom_mode decided(const carom_step *s, const carom_cn *w, int k, double r)
{
    const carom_contacts *c = s->contacts;
    const carom_link *link = &s->system->link[c->active[k]];
    const double *u = c->solve.u + c->problem.block[k].row, *x = c->solve.x + c->problem.block[k].row;
    double scale = carom_norm_max(c->problem.n, c->problem.b), force = carom_norm_max(c->problem.n, c->solve.x);
    carom_mode mode = (carom_mode)w->at.mode[link->contact];
    int row = c->problem.block[k].row;
    double given = (1 - r) * w->x0[link->row] + r * w->x1[link->row], W = c->problem.W.dense[row * (c->problem.n + 1)];
    bool shared = carom_cn_several(s->system, w) && fabs(given * W) > 1e-8 * scale;
    if (x[0] <= 1e-13 * force)
        return u[0] > 1e-12 * scale ? CAROM_OPEN : shared ? CAROM_PASSIVE : carom_cn_mode_of(w, link->contact);
    if (mode == CAROM_STICK && hypot(u[1], link->law->tangents > 1 ? u[2] : 0) > 1e-8 * scale)
        return CAROM_SLIP;
    return mode;
}

static bool holds(const carom_step *s, const carom_cn *w, double r)
{
    const carom_contacts *c = s->contacts;
    for (int k = s->system->njoint; k < c->nactive; k++)
        if (decided(s, w, k, r) != carom_cn_mode_of(w, s->system->link[c->active[k]].contact))
            return false;
    return true;
}

static carom_status holds_at(carom_step *s, carom_cn *w, double x, bool *yes)
{
    carom_cn_dense(s->system, w, x);
    CAROM_TRY(pose_decision(s, w, w->at.t + x, w->qs, w->vs));
    *yes = holds(s, w, x / w->dt);
    return CAROM_OK;
}

static carom_status first_break(carom_step *s, carom_cn *w, carom_cn_event *first)
{
    double low = 0, high = first->s;
    bool yes;
    CAROM_TRY(holds_at(s, w, high, &yes));
    if (yes)
        return CAROM_OK;
    while (high - low > 1e-8 * w->dt) {
        double x = 0.5 * (low + high);
        CAROM_TRY(holds_at(s, w, x, &yes));
        *(yes ? &low : &high) = x;
    }
    *first = (carom_cn_event){.kind = CAROM_CN_BREAK, .s = high};
    return CAROM_OK;
}

carom_status carom_cn_decide(carom_step *s, carom_cn *w, bool open)
{
    carom_contacts *c = s->contacts;
    CAROM_TRY(carom_cn_accelerate(s, w, true));
    CAROM_TRY(pose_decision(s, w, w->at.t, w->at.q, w->at.v));
    for (int k = s->system->njoint; k < c->nactive; k++) {
        const carom_link *link = &s->system->link[c->active[k]];
        carom_mode mode = decided(s, w, k, 0);
        w->modes[link->contact].flags = mode == CAROM_PASSIVE;
        if (mode == CAROM_PASSIVE || mode == (carom_mode)w->at.mode[link->contact] || (mode == CAROM_OPEN && !open))
            continue;
        const double *u = c->solve.u + c->problem.block[k].row;
        double size = mode == CAROM_SLIP ? hypot(u[1], link->law->tangents > 1 ? u[2] : 0) : 0;
        for (int j = 1; mode == CAROM_SLIP && j < link->rows; j++)
            w->modes[link->contact].direction[j - 1] = u[j] / size;
        carom_cn_mode(s, w, link->contact, mode);
    }
    return CAROM_OK;
}

carom_status carom_cn_first(carom_step *s, carom_cn *w, carom_cn_event *event)
{
    const carom_system *sys = s->system;
    *event = (carom_cn_event){CAROM_CN_NONE, w->dt, -1};
    if (sys->model->ncontact == 0)
        return CAROM_OK;
    w->trial = w->dt;
    ends(s, w);
    first_hit(s, w, event);
    if (w->stall > CAROM_CN_STALL)
        return CAROM_OK;
    first_halt(s, w, event);
    bool closed = false;
    for (int i = 0; i < sys->model->ncontact; i++)
        closed |= w->at.mode[i] != CAROM_OPEN;
    return closed ? first_break(s, w, event) : CAROM_OK;
}
