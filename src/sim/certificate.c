/* certificate.c: a step is checked before it is committed, by the model alone: nothing that the scheme has computed on
 * the way is believed, only what it hands over.
 *
 *   positions   g_B = 0,   g_N >= 0,   g_N = 0 where the contact is closed                                         (1)
 *   forces      x in the cone K of the law: |x - P_K(x)| = 0; x = 0 where the contact was open all along           (2)
 *   an impact   M (v+ - v-) = G^T P                                                                                (3)
 *               P in K, with the forces of the step where they are not told from it                                (4)
 *               u_N+ >= 0; not below -u_N- where a time-stepping scheme reverses a velocity of opening; but for
 *               the rounding of impulses that cancel on a light body, 64 eps sum_s |W_rs P_s|                      (5)
 *               D = -P . (u+ + u-)/2 >= 0, where the rule of impacts guarantees it: no friction, one e, no kinks   (6)
 *   values      q and v finite, the coefficients of the law in their ranges                                       (7)
 *   path        |q' - q| within what velocities can do, 2 h max |v|: a gap that jumps puts nothing elsewhere     (12)
 *
 * A position is known to tol_j = atol_j + rtol |q|_j, so that a gap is known to
 *   d = 10 sum_j |G_j| tol_j                                                                                       (8)
 * a velocity to tol = 10 (atol + rtol |v|), an impulse to what changes a velocity by tol. A scheme that does not
 * locate events cannot resolve what forces do in a step: h |M^-1 F| of a velocity, and h |u_N| of a gap; ten times that
 * much is added, and of (2) only the sign of the normal force is checked. One that locates them on steps of given
 * length may find a change of sign of a force late: the same is added in (2). At kinks of a gap the rows are those of
 * one side, which the step does not tell: (3) and (6) are left out where the model has branches.
 * An accumulation of impacts that is ended takes velocities u with u^2 <= 2 d |gddot| away, and needs a negative
 * impulse for that. A scheme that keeps the tolerance itself and tells the impact, the impulses P of what it has ended,
 * and the forces x that follow is judged more closely: x is what the model says, and repays what P lacks of its law
 * before it is seen. With D = P - P_K(P),
 *   M a = F + G^T x,   G_N a + gamma = 0 where x > 0,   P + T x in K,   T |M^-1 G^T D|_j <= 10 tol_j              (11)
 * where D is that of one contact or, without friction, of all, and |M^-1 G^T D| of one is above the tolerance of
 * velocities, and of bounces as high as the rounding of a gap.
 *
 * Where the scheme keeps the tolerance itself and energy is accounted for, a step may change the energy by its works W
 * and losses D, and by what errors of ten times the tolerance do to it at both ends and to the works:
 *   |E' - E - W + D| <= 10 sum_j (|M v|_j (atol + rtol |v_j|) + |F_j| tol_j) + 10 (rtol + atol/|v|) (|W| + |D|)    (9)
 * A slip that begins against its friction has a force in the cone; it shows there, and, without an account, in
 *   x_T . u_T <= 0   at the end of a segment, or in its mean: friction takes energy, it gives none               (10)
 * where u_T is known to ten times the tolerance of velocities, and x_T matters if it changes one by more. A scheme
 * whose values are meant at the nodes has one law for the step, of its impulse and the slip at its end:
 *   P_T . u_T <= 0   but for 1e-9 of the velocities in the step, and of what forces do to them                  (13)
 * unless there is tangential restitution. Others (dg) add up the friction of several instants of a step.
 * What is cheap is tested first; rows, masses and bounds are evaluated where that fails. */
#include <math.h>

#include "core/dense.h"
#include "sim/certificate.h"

void carom_certificate_layout(carom_layout *layout, carom_certificate *certificate, const carom_system *system)
{
    CAROM_PLACE(layout, certificate->column, system->nv);
    CAROM_PLACE(layout, certificate->other, system->nv);
    CAROM_PLACE(layout, certificate->size, system->nv);
    CAROM_PLACE(layout, certificate->q, system->nq);
    CAROM_PLACE(layout, certificate->u_before, system->nrow);
    CAROM_PLACE(layout, certificate->u_after, system->nrow);
    CAROM_PLACE(layout, certificate->impulse, system->nrow);
}

/* c->column = M^-1 F at (t, q, v); its largest entry. No evaluation of the scheme: not counted. */
static double free_acceleration(carom_certificate *c, carom_step *s, double t, const double *q, const double *v)
{
    carom_system *sys = s->system;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN, t, q, v);
    sys->info->rhs_evaluations--;
    if (carom_mass_factor(sys, t, s->error) != CAROM_OK)
        return INFINITY;
    carom_copy(sys->nv, sys->at.F, c->column);
    carom_mass_solve(sys, c->column);
    sys->info->linear_solves--;
    return carom_norm_max(sys->nv, c->column);
}

/* Of a velocity, with a part of what forces do in the step. */
static double speed_tolerance(carom_certificate *c, carom_step *s, double part)
{
    double tol = 10 * (s->options->atol + s->options->rtol * carom_norm_max(s->system->nv, s->next->v));
    if (part > 0)
        tol += part * (s->next->t - s->now->t) *
               fmax(free_acceleration(c, s, s->now->t, s->now->q, s->now->v),
                    free_acceleration(c, s, s->next->t, s->next->q, s->next->v));
    return tol;
}

/* ---- (1) ---- */

/* sum_j |G_rj x_j| */
static double row_size(const carom_system *sys, int r, const double *x)
{
    carom_rows rows = carom_rows_here(sys);
    return carom_rows_reach(sys, &rows, r, x, NULL);
}

/* (8), the system holds G at the end of the step */
static double gap_tolerance(carom_certificate *c, carom_step *s, const carom_link *link)
{
    const carom_system *sys = s->system;
    double h = s->next->t - s->now->t, *x = c->column;
    if (!c->exact) {
        double blind = h * free_acceleration(c, s, s->next->t, s->next->q, s->next->v);
        for (int j = 0; j < sys->nv; j++)
            x[j] = fmax(fabs(s->now->v[j]), fabs(s->next->v[j])) + blind;
        c->unseen = fmax(c->unseen, h * row_size(sys, link->row, x));
    }
    for (int j = 0; j < sys->nv; j++)
        x[j] = 10 * (s->atol[j] + s->options->rtol * c->size[j]) + 1e-12 * c->size[j];
    return row_size(sys, link->row, x) + 10 * c->unseen;
}

static bool has_normal(const carom_link *link)
{
    return link->law->rows > link->law->tangents;
}

static double gap_error(const carom_step *s, const carom_link *link, double g)
{
    bool held = link->contact < 0 || s->next->mode[link->contact] != CAROM_OPEN;
    return held ? fabs(g) : -g;
}

/* The gap at the end of a step with the branches that it had: it may jump where they change. */
static double gap_before(carom_step *s, int link)
{
    carom_system *sys = s->system;
    sys->at.d = s->record->branches;
    sys->frozen = CAROM_SWITCH;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, s->next->t, s->next->q, s->next->v);
    sys->frozen = 0;
    double g = sys->at.g[link];
    carom_system_eval(sys, CAROM_GAP, s->next->t, s->next->q, s->next->v);
    return g;
}

static carom_status positions(carom_certificate *c, carom_step *s)
{
    carom_system *sys = s->system;
    double cheap = INFINITY;
    bool rows = false;
    carom_system_eval(sys, CAROM_GAP, s->next->t, s->next->q, s->next->v);
    for (int j = 0; j < sys->nv; j++)
        cheap = fmin(cheap, s->atol[j] + s->options->rtol * c->size[j]);
    for (int i = 0; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double g = sys->at.g[i], error = gap_error(s, link, g);
        if (!has_normal(link))
            continue;
        if (!(fabs(g) <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE, "the gap of '%s' is %g at t = %.10g",
                       CAROM_LINK_NAME(sys, link), g, s->next->t);
        if (error > cheap && g > 0 && s->record->branched)
            error = gap_error(s, link, g = gap_before(s, i)), rows = false;
        if (error <= cheap)
            continue;
        if (!rows)
            carom_system_eval(sys, CAROM_JACOBIAN, s->next->t, s->next->q, s->next->v);
        rows = true;
        double most = gap_tolerance(c, s, link);
        if (error > most)                                                                          /* (1) */
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "%s '%s' has the gap %.3g at t = %.10g, %.2g is allowed: the step is not to be trusted",
                       link->contact < 0 ? "joint" : s->next->mode[link->contact] ? "the closed contact" : "contact",
                       CAROM_LINK_NAME(sys, link), g, s->next->t, most);
    }
    return CAROM_OK;
}

/* ---- (2), (4) ---- */

/* What a change of the link's force or impulse by 1 does to a velocity at most; M and G at (t, q). */
static carom_status mobility(carom_certificate *c, carom_step *s, const carom_link *link, double t, const double *q,
                             const double *v, double *most)
{
    carom_system *sys = s->system;
    *most = 0;
    sys->info->linear_solves -= link->rows;
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN, t, q, v);
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    for (int r = link->row; r < link->row + link->rows; r++) {
        carom_mass_solve_row(sys, r, c->column);
        *most = fmax(*most, carom_norm_max(sys->nv, c->column));
    }
    return CAROM_OK;
}

/* |x - P_K(x)| of a force (h = 1) or of the impulse of an impact (h = 0), with the coefficients at (t, q) */
static carom_status outside_cone(carom_step *s, const carom_link *link, double h, double t, const double *q,
                                 const double *v, const double *x, double *distance)
{
    carom_system *sys = s->system;
    carom_system_eval(sys, CAROM_LAW, t, q, v);
    CAROM_TRY(carom_link_in_range(sys, link, t, s->error));                                        /* (7) */
    *distance = carom_link_outside(sys, link, x, h);
    return CAROM_OK;
}

/* The nodes of Gauss on [0, 1] with three points: what lies between the ends of a segment. */
static const double gauss[] = {0.1127016653792583, 0.5, 0.8872983346207417};

/* The same of the mean force of a segment whose coefficients change on the way: a mean of forces within their cones is
 * within the widest of them, which may be none of those at the ends (friction that rises before it falls). */
static carom_status outside_all(carom_certificate *c, carom_step *s, const carom_segment *segment,
                                const carom_link *link, double *distance)
{
    const double *x = segment->force + link->row;
    double other;
    CAROM_TRY(outside_cone(s, link, 1, s->now->t, s->now->q, s->now->v, x, &other));
    *distance = fmin(*distance, other);
    for (int k = 0; k < 3 && *distance > 0; k++) {
        carom_segment_at(s->system->model, segment, gauss[k], c->q, c->other);
        CAROM_TRY(outside_cone(s, link, 1, segment->t0 + gauss[k] * (segment->t1 - segment->t0), c->q, c->other, x,
                               &other));
        *distance = fmin(*distance, other);
    }
    return CAROM_OK;
}

static carom_status forces(carom_certificate *c, carom_step *s, const carom_segment *segment)
{
    const carom_system *sys = s->system;
    double h = segment->t1 - segment->t0, distance, effect;
    if (h <= 1e-9 * s->options->t_end) /* modes are being decided: the shares of redundant contacts may be wrong */
        return CAROM_OK;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *x = segment->force + link->row;
        double size = carom_norm_max(link->rows, x);
        if (size == 0)
            continue;
        bool open = s->now->mode[link->contact] == CAROM_OPEN && segment->mode[link->contact] == CAROM_OPEN;
        CAROM_TRY(outside_cone(s, link, 1, segment->t1, s->next->q, s->next->v, x, &distance));
        if (distance > 1e-10 * size && !(sys->known & CAROM_LAW)) /* coefficients that have changed meanwhile */
            CAROM_TRY(outside_all(c, s, segment, link, &distance));
        distance = c->exact && open ? size : c->exact ? distance : fmax(0, -x[0]);
        if (distance <= 1e-10 * size)
            continue;
        CAROM_TRY(mobility(c, s, link, segment->t1, s->next->q, s->next->v, &effect));
        if (distance * effect * h > speed_tolerance(c, s, c->keeps ? 0 : 10))     /* (2) */
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "the force (%.6g, %.6g, %.6g) of contact '%s' leaves its law by %.3g at t = %.10g", x[0],
                       link->rows > 1 ? x[1] : 0, link->rows > 2 ? x[2] : 0, CAROM_LINK_NAME(sys, link), distance,
                       segment->t1);
    }
    return CAROM_OK;
}

/* ---- (10) ---- */

/* x_T . u_T of a link at the part r of a segment, and in *allowed what errors of the velocities make of it. */
static double friction_power(carom_certificate *c, carom_step *s, const carom_segment *segment, const carom_link *link,
                             double r, double *allowed)
{
    carom_system *sys = s->system;
    double *v = c->other, power = 0;
    carom_segment_at(sys->model, segment, r, c->q, v);
    carom_system_eval(sys, CAROM_JACOBIAN, segment->t0 + r * (segment->t1 - segment->t0), c->q, v);
    *allowed = 0;
    for (int j = 0; j < sys->nv; j++)
        c->column[j] = 10 * (s->options->atol + s->options->rtol * fabs(v[j])) + 1e-9 * fabs(v[j]);
    for (int i = link->row + link->law->rows - link->law->tangents; i < link->row + link->rows; i++) {
        power += segment->force[i] * carom_row_speed(sys, i, v);
        *allowed += fabs(segment->force[i]) * row_size(sys, i, c->column);
    }
    return power;
}

static carom_status friction(carom_certificate *c, carom_step *s, const carom_segment *segment)
{
    static const double weight[] = {5, 8, 5};
    const carom_system *sys = s->system;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        int t = link->law->rows - link->law->tangents;
        double allowed, mean = 0;
        if (carom_norm_max(link->law->tangents, segment->force + link->row + t) == 0 ||
            friction_power(c, s, segment, link, 1, &allowed) <= allowed)
            continue;
        for (int k = 0; k < 3; k++)
            mean += weight[k] / 18 * friction_power(c, s, segment, link, gauss[k], &allowed);
        double force = carom_norm_max(link->law->tangents, segment->force + link->row + t), effect;
        if (!c->keeps) /* what forces do in a whole step, of which this may be a part */
            allowed += force * 10 * s->options->h * free_acceleration(c, s, s->now->t, s->now->q, s->now->v);
        if (mean <= allowed)
            continue;
        CAROM_TRY(mobility(c, s, link, segment->t1, s->next->q, s->next->v, &effect));
        if (force * effect * (segment->t1 - segment->t0) > speed_tolerance(c, s, c->keeps ? 0 : 10)) /* (10) */
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "friction of contact '%s' drives its slip from t = %.10g to %.10g with the power %.3g: "
                       "the step is not to be trusted",
                       CAROM_LINK_NAME(sys, link), segment->t0, segment->t1, mean);
    }
    return CAROM_OK;
}

/* (13) */
static carom_status step_friction(carom_certificate *c, carom_step *s)
{
    carom_system *sys = s->system;
    double pushed = (s->next->t - s->now->t) * free_acceleration(c, s, s->next->t, s->next->q, s->next->v);
    carom_system_eval(sys, CAROM_LAW, s->next->t, s->next->q, s->next->v);
    for (int j = 0; j < sys->nv; j++)
        c->column[j] = 1e-9 * (fabs(s->now->v[j]) + fabs(s->next->v[j]) + pushed);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        int first = link->row + link->law->rows - link->law->tangents, end = link->row + link->rows;
        double power = 0, allowed = 0;
        if (first == end || carom_norm_max(end - first, s->next->impulse + first) == 0 ||
            carom_link_restitution(sys, link, first - link->row) != 0)
            continue;
        for (int r = first; r < end; r++) {
            power += s->next->impulse[r] * s->next->u[r];
            allowed += fabs(s->next->impulse[r]) * (row_size(sys, r, c->column) + 1e-9 * fabs(sys->at.w[r]));
        }
        if (power > allowed)
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "friction of contact '%s' drives its slip from t = %.10g to %.10g: the impulse %.6g has the "
                       "slip %.6g, the step is not to be trusted",
                       CAROM_LINK_NAME(sys, link), s->now->t, s->next->t, s->next->impulse[first], s->next->u[first]);
    }
    return CAROM_OK;
}

/* ---- an impact ---- */

/* (3); the system holds M and G; u before and after are measured on the way. What a velocity may be off by: 0 for an
 * impact; rows along which impacts are ended belong to positions that are known to a tenth of the tolerance. */
static carom_status momentum(carom_certificate *c, carom_step *s, const carom_jump *jump, double off)
{
    const carom_system *sys = s->system;
    double scale = 0, *dv = c->other;
    for (int i = 0; i < sys->nv; i++) {
        dv[i] = jump->v_after[i] - jump->v_before[i];
        scale = fmax(scale, carom_mass_entry(sys, i, i) * fmax(fabs(jump->v_after[i]), fabs(jump->v_before[i])));
    }
    carom_mass_multiply(sys, dv, c->column);
    for (int r = 0; r < sys->nrow; r++) {
        c->u_before[r] = carom_row_speed(sys, r, jump->v_before);
        c->u_after[r] = carom_row_speed(sys, r, jump->v_after);
        if (jump->impulse[r] == 0)
            continue;
        carom_row_add(sys, r, -jump->impulse[r], c->column);
        carom_row_copy(sys, r, dv);
        scale = fmax(scale, carom_norm_max(sys->nv, dv) * fabs(jump->impulse[r]));
    }
    double missing = carom_norm_max(sys->nv, c->column);
    if (missing <= 1e-8 * scale || !c->exact || sys->model->nswitch)
        return CAROM_OK;
    if (off > 0) {
        CAROM_TRY(carom_mass_factor(s->system, jump->t, s->error));
        carom_mass_solve(sys, c->column);
        sys->info->linear_solves--;
        if (carom_norm_max(sys->nv, c->column) <= off)
            return CAROM_OK;
    }
    CAROM_FAIL(s->error, CAROM_TOLERANCE,
               "the impulses of the impact at t = %.10g do not balance the momentum: %.3g of %.3g is missing", jump->t,
               missing, scale);
}

/* An accumulation that was ended may need a negative impulse: its velocity was too small to be seen. */
static bool ended_bounce(carom_certificate *c, carom_step *s, const carom_jump *jump, const carom_link *link)
{
    const carom_system *sys = s->system;
    int r = link->row;
    if (s->next->mode[link->contact] == CAROM_OPEN)
        return false;
    free_acceleration(c, s, jump->t, jump->q, jump->v_before);
    double accel = row_size(sys, r, c->column), u = c->u_before[r];
    return u * u <= 2 * gap_tolerance(c, s, link) * accel * (1 + 1e-9);
}

/* ---- (11) ---- */

/* What a gap's acceleration is the sum of, in size: of the forces F and of each x. The system holds M, F and G. */
static double gross_acceleration(carom_certificate *c, carom_system *sys, int row, const double *x)
{
    double sum = 0;
    carom_copy(sys->nv, sys->at.F, c->column);
    for (int r = -1; r < sys->nrow; r++) {
        if (r >= 0 && x[r] == 0)
            continue;
        if (r >= 0)
            carom_mass_solve_row(sys, r, c->column);
        else
            carom_mass_solve(sys, c->column);
        sum += (r >= 0 ? fabs(x[r]) : 1) * row_size(sys, row, c->column);
        sys->info->linear_solves--;
    }
    return sum;
}

/* Are these forces of the model? Contacts that carry one keep their gap, but for what modes are judged by. */
static carom_status force_after(carom_certificate *c, carom_step *s, const carom_jump *jump)
{
    carom_system *sys = s->system;
    const double *x = s->record->ended.force;
    double *a = c->other, *own = c->column;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA, jump->t, jump->q, jump->v_after);
    sys->info->rhs_evaluations--, sys->info->linear_solves--;
    CAROM_TRY(carom_mass_factor(sys, jump->t, s->error));
    carom_copy(sys->nv, sys->at.F, a);
    for (int r = 0; r < sys->nrow; r++)
        if (x[r] != 0)
            carom_row_add(sys, r, x[r], a);
    carom_mass_solve(sys, a);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        if (!has_normal(link) || x[link->row] == 0)
            continue;
        carom_mass_solve_row(sys, link->row, own);
        sys->info->linear_solves--;
        double rate = carom_row_accel(sys, link->row, a), pushes = x[link->row] * carom_row_dot(sys, link->row, own);
        if (fabs(rate) <= 1e-3 * (fabs(pushes) + row_size(sys, link->row, a)))                     /* (11) */
            continue;
        if (!(fabs(rate) <= 1e-9 * gross_acceleration(c, sys, link->row, x)))
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "the force %.6g that follows the impacts of contact '%s', which were ended at t = %.10g, "
                       "does not hold its gap: gddot is %.3g", x[link->row], CAROM_LINK_NAME(sys, link), jump->t, rate);
    }
    return CAROM_OK;
}

/* A velocity of bounces that are lower than the rounding of their gap, in coordinates. M is factored. */
static double unseen_speed(carom_certificate *c, const carom_system *sys, const carom_link *link, double accel)
{
    double rounding = 64 * DBL_EPSILON * row_size(sys, link->row, c->size), leverage = 0;
    for (int r = link->row; r < link->row + link->rows; r++) {
        carom_mass_solve_row(sys, r, c->column);
        leverage = fmax(leverage, carom_norm_max(sys->nv, c->column) / carom_row_dot(sys, r, c->column));
    }
    sys->info->linear_solves -= link->rows;
    for (int j = 0; j < sys->nv; j++)
        c->column[j] = accel;
    return leverage * sqrt(2 * rounding * row_size(sys, link->row, c->column));
}

static carom_status repaid(carom_certificate *c, carom_step *s, const carom_jump *jump)
{
    carom_system *sys = s->system;
    double *tol = c->other, accel = free_acceleration(c, s, jump->t, jump->q, jump->v_before);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, jump->t, jump->q, jump->v_before);
    CAROM_TRY(carom_mass_factor(sys, jump->t, s->error));
    for (int j = 0; j < sys->nv; j++)
        tol[j] = 10 * (s->atol[j] + s->options->rtol * c->size[j]) + 1e-12 * c->size[j];
    const double all = carom_system_repay_time(sys, jump->impulse, tol, c->column);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *P = jump->impulse + link->row, *x = s->record->ended.force + link->row;
        if (carom_norm_max(link->rows, P) == 0)
            continue;
        double speed = fmax(speed_tolerance(c, s, 0), 4 * unseen_speed(c, sys, link, accel));
        double T = all;
        if (!carom_link_repays(sys, link, P, x, tol, speed, c->column, &T))
            CAROM_FAIL(s->error, CAROM_TOLERANCE,                                                  /* (11) */
                       "the impulse (%.6g, %.6g, %.6g) that ends impacts of contact '%s' at t = %.10g leaves its law, "
                       "and the force (%.6g, %.6g, %.6g) does not repay it within %.2g",
                       P[0], link->rows > 1 ? P[1] : 0, link->rows > 2 ? P[2] : 0, CAROM_LINK_NAME(sys, link), jump->t,
                       x[0], link->rows > 1 ? x[1] : 0, link->rows > 2 ? x[2] : 0, T);
    }
    return CAROM_OK;
}

/* (6) holds where no struck contact has friction and all have one e. */
static bool dissipates(const carom_system *sys, const double *impulse)
{
    double e = -1;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double own = carom_link_restitution(sys, link, 0);
        if (carom_norm_max(link->rows, impulse + link->row) == 0)
            continue;
        if (carom_norm_max(link->rows - 1, impulse + link->row + 1) > 0 || (e >= 0 && own != e))
            return false;
        e = own;
    }
    return true;
}

/* The impulse of an impact; a scheme that does not locate it divides one impulse of the step into forces and the rest,
 * which alone may have any sign: theirs is added. */
static void with_forces(const carom_certificate *c, const carom_step *s, const carom_jump *jump, const carom_link *link,
                        double *total)
{
    carom_copy(link->rows, jump->impulse + link->row, total);
    for (int i = 0; !c->exact && i < s->record->nsegment; i++) {
        const carom_segment *segment = &s->record->segment[i];
        for (int j = 0; j < link->rows; j++)
            total[j] += (segment->t1 - segment->t0) * segment->force[link->row + j];
    }
}

/* Of a velocity, by impulses that cancel. M and G are those of the impact. */
static double impulse_rounding(carom_certificate *c, carom_step *s, const carom_jump *jump, int row)
{
    const carom_system *sys = s->system;
    double sum = 0;
    if (carom_mass_factor(s->system, jump->t, s->error) != CAROM_OK)
        return 0;
    for (int r = 0; r < sys->nrow; r++) {
        if (jump->impulse[r] == 0)
            continue;
        carom_mass_solve_row(sys, r, c->column);
        sys->info->linear_solves--;
        sum += fabs(carom_row_dot(sys, row, c->column) * jump->impulse[r]);
    }
    return 64 * DBL_EPSILON * sum;
}

static carom_status impact(carom_certificate *c, carom_step *s, const carom_jump *jump)
{
    carom_system *sys = s->system;
    double tol = speed_tolerance(c, s, c->exact ? 0 : 10), gain = 0, size = 0, distance, effect;
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN, jump->t, jump->q, jump->v_before);
    CAROM_TRY(momentum(c, s, jump, 0));                                                            /* (3) */
    for (int r = 0; r < sys->nrow; r++) {
        gain += 0.5 * jump->impulse[r] * (c->u_before[r] + c->u_after[r]);
        size += fabs(jump->impulse[r]) * fmax(fabs(c->u_before[r]), fabs(c->u_after[r]));
    }
    carom_system_eval(sys, CAROM_LAW, jump->t, jump->q, jump->v_before);
    for (int i = sys->njoint; i < sys->nlink; i++)
        CAROM_TRY(carom_link_in_range(sys, &sys->link[i], jump->t, s->error));                     /* (7) */
    if (gain > 1e-9 * size && c->exact && !sys->model->nswitch && dissipates(sys, jump->impulse))  /* (6) */
        CAROM_FAIL(s->error, CAROM_TOLERANCE, "the impact at t = %.10g gains the energy %.6g of %.6g", jump->t, gain,
                   size);
    if (gain > 1e-9 * size)
        carom_record_gain(s->record, jump->t, gain);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *x = jump->impulse + link->row;
        double most = carom_norm_max(link->rows, x), u = c->u_after[link->row], before = c->u_before[link->row];
        if (most == 0)
            continue;
        double least = fmin(0, -before) - tol - 1e-9 * fabs(before);
        if (has_normal(link) && u < least && u < least - impulse_rounding(c, s, jump, link->row))
            CAROM_FAIL(s->error, CAROM_TOLERANCE,                                                  /* (5) */
                       "contact '%s' still closes with the velocity %.6g after the impact at t = %.10g",
                       CAROM_LINK_NAME(sys, link), u, jump->t);
        double total[CAROM_LAW_ROWS];
        with_forces(c, s, jump, link, total);
        CAROM_TRY(outside_cone(s, link, 0, jump->t, jump->q, jump->v_before, total, &distance));
        if (distance <= 1e-8 * most)
            continue;
        CAROM_TRY(mobility(c, s, link, jump->t, jump->q, jump->v_before, &effect));
        if (distance * effect > tol && !ended_bounce(c, s, jump, link))                            /* (4) */
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "the impulse (%.6g, %.6g, %.6g) of contact '%s' leaves its law by %.3g at t = %.10g", x[0],
                       link->rows > 1 ? x[1] : 0, link->rows > 2 ? x[2] : 0, CAROM_LINK_NAME(sys, link), distance,
                       jump->t);
    }
    return CAROM_OK;
}

/* ---- (9) ---- */

/* What errors of position and velocity within the tolerance do to the energy at a state. */
static double energy_tolerance(carom_certificate *c, carom_step *s, const carom_state *at)
{
    carom_system *sys = s->system;
    double sum = 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, at->t, at->q, at->v);
    sys->info->rhs_evaluations--;
    carom_mass_multiply(sys, at->v, c->column);
    for (int j = 0; j < sys->nv; j++)
        sum += fabs(c->column[j]) * (s->options->atol + s->options->rtol * fabs(at->v[j])) +
               fabs(sys->at.F[j]) * (s->atol[j] + s->options->rtol * c->size[j]);
    return sum;
}

static carom_status balance(carom_certificate *c, carom_step *s)
{
    carom_system *sys = s->system;
    const carom_record *r = s->record;
    const carom_state *end[2] = {s->now, s->next};
    double missing = r->impact + r->friction + r->viscous + r->dry - r->work_external - r->work_constraints;
    double size = 0, speed = 0;
    double traffic = fabs(r->impact) + fabs(r->friction) + fabs(r->viscous) + fabs(r->dry) + fabs(r->work_external) +
                     fabs(r->work_constraints);
    for (int k = 0; k < 2; k++) {
        carom_system_eval(sys, CAROM_ENERGY, end[k]->t, end[k]->q, end[k]->v);
        missing += (k ? 1 : -1) * (sys->at.energy[0] + sys->at.energy[1]);
        size += fabs(sys->at.energy[0]) + fabs(sys->at.energy[1]);
        speed = fmax(speed, carom_norm_max(sys->nv, end[k]->v));
    }
    if (fabs(missing) <= 1e-12 * (size + traffic))
        return CAROM_OK;
    double part = speed > 0 ? fmin(1, s->options->rtol + s->options->atol / speed) : 1;
    double most = 1e-12 * (size + traffic) + 10 * part * traffic + 10 * energy_tolerance(c, s, s->next);
    if (fabs(missing) > most)
        most += 10 * energy_tolerance(c, s, s->now);
    if (fabs(missing) <= most)                                                                     /* (9) */
        return CAROM_OK;
    CAROM_FAIL(s->error, CAROM_TOLERANCE,
               "the energy balance is off by %.3g from t = %.10g to %.10g, %.2g is allowed: "
               "the step is not to be trusted",
               missing, s->now->t, s->next->t, most);
}

/* A jump in which accumulations were ended: the impact, and what came after it. */
static carom_status ended(carom_certificate *c, carom_step *s, const carom_jump *jump)
{
    const carom_system *sys = s->system;
    carom_jump part = *jump;
    part.q = s->record->ended.q, part.v_after = s->record->ended.v, part.impulse = s->record->ended.impulse;
    CAROM_TRY(impact(c, s, &part));
    part.q = jump->q, part.v_before = part.v_after, part.v_after = jump->v_after, part.impulse = c->impulse;
    for (int r = 0; r < sys->nrow; r++)
        c->impulse[r] = jump->impulse[r] - s->record->ended.impulse[r];
    carom_system_eval(s->system, CAROM_MASS | CAROM_JACOBIAN, part.t, part.q, part.v_before);
    CAROM_TRY(momentum(c, s, &part, 1e-2 * speed_tolerance(c, s, 0)));                             /* (3) */
    CAROM_TRY(force_after(c, s, &part));
    return repaid(c, s, &part);
}

/* (12), where the model has branches and so may have gaps that jump */
static carom_status path(carom_certificate *c, carom_step *s)
{
    const carom_system *sys = s->system;
    double h = s->next->t - s->now->t, accel = -1;
    for (int j = 0; j < sys->nv; j++) {
        double speed = fmax(fabs(s->now->v[j]), fabs(s->next->v[j])), moved = fabs(s->next->q[j] - s->now->q[j]);
        for (int i = 0; i < s->record->njump; i++)
            speed = fmax(speed, fmax(fabs(s->record->jump[i].v_before[j]), fabs(s->record->jump[i].v_after[j])));
        double most = 2 * h * speed + 10 * (s->atol[j] + s->options->rtol * c->size[j]) + 1e-12 * c->size[j];
        if (moved <= most)
            continue;
        if (accel < 0)
            accel = fmax(free_acceleration(c, s, s->now->t, s->now->q, s->now->v),
                         free_acceleration(c, s, s->next->t, s->next->q, s->next->v));
        if (moved > most + 10 * h * h * accel)
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "a coordinate moves by %.3g from t = %.10g to %.10g, where velocities allow %.3g: a gap that "
                       "jumps?",
                       moved, s->now->t, s->next->t, most + 10 * h * h * accel);
    }
    return CAROM_OK;
}

carom_status carom_certificate_check(carom_certificate *certificate, carom_step *step)
{
    carom_step *s = step;
    const carom_system *sys = s->system;
    if (!carom_all_finite(sys->nq, s->next->q) || !carom_all_finite(sys->nv, s->next->v))          /* (7) */
        CAROM_FAIL(s->error, CAROM_NOT_FINITE, "position or velocity is not finite after t = %.10g", s->now->t);
    if (sys->nlink == 0)
        return CAROM_OK;
    for (int j = 0; j < sys->nv; j++)
        certificate->size[j] = 0;
    carom_system_size(sys, s->next->q, certificate->size);
    for (int i = 0; i < s->record->nsegment; i++) {
        CAROM_TRY(forces(certificate, s, &s->record->segment[i]));
        if (certificate->exact)
            CAROM_TRY(friction(certificate, s, &s->record->segment[i]));
    }
    if (certificate->nodal)
        CAROM_TRY(step_friction(certificate, s));
    for (int i = 0; i < s->record->njump; i++) {
        bool closely = certificate->keeps && s->record->ended.on && i == s->record->njump - 1;
        CAROM_TRY((closely ? ended : impact)(certificate, s, &s->record->jump[i]));
    }
    CAROM_TRY(positions(certificate, s));
    if (sys->model->nswitch && !sys->curved)
        CAROM_TRY(path(certificate, s));
    return certificate->keeps && s->record->account ? balance(certificate, s) : CAROM_OK;
}
