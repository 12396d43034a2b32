/* saltation.c: what an event does to a variation: one rule for all of them.
 *
 *   surface h(t, x, p) = 0, jump x+ = R(t, x-, p), motion f- before and f+ after it
 *   hd = h_t + h_x f-             dt = -(h_x dx + h_p dp)/hd                                                    (1)
 *   D- = dx + f- dt               D+ = R_x D- + R_t dt + R_p dp            dx+ = D+ - f+ dt                     (2)
 *   impact, along d = (dt, Dq, dp), with the matrix of the jump itself (linear.c):
 *     M Dv+ - G^T dP = M Dv- - dM (v+ - v-) + dG^T P                                                            (3)
 *     held row:  G Dv+ = E du- + dE u- - d(G v+ + w)|v+,   du- = G Dv- + d(G v- + w)|v-                         (4)
 *       E = -e struck, 0 closed by it, -e_t sticking, 1 for what was held before: joints, closed contacts
 *     row that slips:  dP_t + mu s dP_n + mu P_n ds = -dmu s P_n,   ds = (1 - s s^T)/|w_t| dw_t in space,
 *       w_t = u_t+ + e_t u_t-                                                                                   (5)
 *   partial derivatives by time:  u_t = gamma - U_q v;  others: saltation_partial.c                             (6)
 *   ln|det S| = ln|det dv+/dv-| + ln|gdot+/gdot-|, the former sum ln|E| unless slip turns in space;
 *   reversal of slip: ln|hd(f+)/hd(f-)|                                                                         (7) */
#include <math.h>
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "laws/coulomb.h"
#include "model/model.h"

void carom_saltation_layout(carom_layout *layout, carom_saltation *saltation, carom_system *system)
{
    carom_saltation *s = saltation;
    size_t nv = system->nv, nrow = system->nrow, np = system->model->np, nc = system->model->ncontact;
    carom_linear_layout(layout, &s->linear, system);
    carom_given_layout(layout, &s->given, system);
    CAROM_PLACE(layout, s->a_before, nv);
    CAROM_PLACE(layout, s->a_after, nv);
    CAROM_PLACE(layout, s->force, nrow);
    CAROM_PLACE(layout, s->P, nrow);
    CAROM_PLACE(layout, s->dv, nv);
    CAROM_PLACE(layout, s->u_before, nrow);
    CAROM_PLACE(layout, s->U_t, nrow);
    CAROM_PLACE(layout, s->U_t_after, nrow);
    CAROM_PLACE(layout, s->U_q, nrow * nv);
    CAROM_PLACE(layout, s->U_p, nrow * np);
    CAROM_PLACE(layout, s->R_t, nv);
    CAROM_PLACE(layout, s->law_t, system->nlaw);
    CAROM_PLACE(layout, s->law_q, system->nlaw * nv);
    CAROM_PLACE(layout, s->law_v, system->nlaw * nv);
    CAROM_PLACE(layout, s->law_p, system->nlaw * np);
    CAROM_PLACE(layout, s->g_p, system->nlink * np);
    CAROM_PLACE(layout, s->c, nv);
    CAROM_PLACE(layout, s->d, nrow);
    CAROM_PLACE(layout, s->x, nrow);
    CAROM_PLACE(layout, s->turn, nrow);
    CAROM_PLACE(layout, s->Dq, nv);
    CAROM_PLACE(layout, s->moved, system->nq);
    CAROM_PLACE(layout, s->Dv, nv);
    CAROM_PLACE(layout, s->law, system->nlaw);
    CAROM_PLACE(layout, s->p, np);
    CAROM_PLACE(layout, s->value, system->nlink + system->nlaw);
    CAROM_PLACE(layout, s->modes, nc);
    CAROM_PLACE(layout, s->A, nv * nv);
    CAROM_PLACE(layout, s->pivot, nv);
    s->spare = carom_place_growing(layout, system->evaluator->work_bytes(system->model, 1));
    if (!carom_impact_rule_of(system->model)->single)
        return;
    carom_contacts_layout(layout, &s->contacts, system);
    CAROM_PLACE(layout, s->still.mode, nc);
    CAROM_PLACE(layout, s->links, system->nlink);
    CAROM_PLACE(layout, s->v_rule, nv);
    CAROM_PLACE(layout, s->low, nv);
}

/* ---- the event itself ---- */

/* u_t of (6) for the velocity v that was evaluated last. */
static void time_part(const carom_system *sys, const double *v, double *U_t)
{
    for (int r = 0; r < sys->nrow; r++)
        U_t[r] = sys->at.gamma[r] - carom_dot(sys->nv, sys->at.U_q + r * sys->nv, v);
}

/* E of a held row. What was held before as well has u- = 0, so that E says nothing about the state: `held`. */
static double restitution(const carom_saltation *s, const carom_instant *at, int i, double held)
{
    const carom_link *link = carom_linear_link(&s->linear, i);
    int c = link->contact, before = c < 0 ? CAROM_STICK : at->before[c].mode;
    if (s->linear.e.row[i] == link->row)
        return before != CAROM_OPEN ? held : -at->e[c];
    if (before == CAROM_STICK && at->after[c].mode == CAROM_STICK)
        return held;
    return at->after[c].mode == CAROM_STICK ? 0 : -carom_link_restitution(s->linear.system, link, 1);
}

/* v+ - v- and P of the jump, by its own equations; how far the velocities after it are from those given. */
static void jump(carom_saltation *s, const carom_instant *at)
{
    carom_linear *l = &s->linear;
    const carom_system *sys = l->system;
    int nv = sys->nv;
    double scale = 1 + carom_norm_max(nv, at->v_before), most = 0;
    memset(s->P, 0, sizeof(double) * (size_t)sys->nrow);
    memset(s->dv, 0, sizeof(double) * (size_t)nv);
    for (int i = 0; i < l->e.m; i++)
        s->d[i] = l->normal[i] >= 0 ? 0 : (restitution(s, at, i, 0) - 1) * s->u_before[l->e.row[i]];
    carom_linear_solve(l, s->dv, s->d);
    for (int i = 0; i < l->e.m; i++)
        s->P[l->e.row[i]] = s->d[i];
    for (int i = 0; i < nv; i++)
        most = CAROM_MAX(most, fabs(at->v_before[i] + s->dv[i] - at->v_after[i]));
    s->mismatch = most / scale;
}

/* (5): the direction of spatial slip turns with the velocities after the impact. */
static void turning(carom_saltation *s, const carom_instant *at)
{
    carom_linear *l = &s->linear;
    const carom_system *sys = l->system;
    int nv = sys->nv;
    for (int i = 0; i < l->e.m; i++) {
        const carom_link *link = carom_linear_link(l, i);
        if (l->normal[i] < 0 || link->law->tangents < 2)
            continue;
        const double *D = at->jump[link->contact].direction;
        double w[2], mu = carom_link_mu(sys, link, false), e_t = carom_link_restitution(sys, link, 1);
        for (int j = 0; j < 2; j++)
            w[j] = carom_row_speed(sys, link->row + 1 + j, at->v_after) + e_t * s->u_before[link->row + 1 + j];
        double size = hypot(w[0], w[1]), across = l->e.row[i] == link->row + 1 ? -D[1] : D[0];
        double factor = s->turn[i] = size > 0 ? mu * s->P[link->row] * across / size : 0;
        carom_row_mix(sys, link->row + 1, -D[1], D[0], l->L + i * nv);
        for (int k = 0; k < nv; k++)
            l->L[i * nv + k] *= factor;
    }
    carom_linear_close(l);
}

carom_status carom_saltation_velocity(carom_saltation *saltation, const carom_instant *at, double *v_after,
                                      carom_error *error)
{
    carom_saltation *s = saltation;
    carom_system *sys = s->linear.system;
    int nv = sys->nv;
    if (at->rule)
        return carom_saltation_rule_velocity(s, at, v_after, error);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_U_Q | CAROM_LAW, at->t, at->q,
                      at->v_before);
    CAROM_TRY(carom_mass_factor(sys, at->t, error));
    for (int r = 0; r < sys->nrow; r++)
        s->u_before[r] = carom_row_speed(sys, r, at->v_before);
    carom_linear_rows(&s->linear, at->jump);
    carom_linear_close(&s->linear);
    jump(s, at);
    for (int i = 0; i < nv; i++)
        v_after[i] = at->v_before[i] + s->dv[i];
    return CAROM_OK;
}

static carom_status accelerations(carom_saltation *s, const carom_instant *at, bool after, double *a,
                                  carom_error *error)
{
    carom_system *sys = s->linear.system;
    s->given.modes = s->modes;
    carom_modes_copy(sys->model->ncontact, after ? at->after : at->before, s->modes);
    bool *holds = &s->given.holds[at->contact]; /* where slip ends there is no direction but that of before */
    *holds = !after && at->surface == CAROM_SURFACE_SLIP;
    const double *v = after ? at->v_after : at->v_before;
    carom_status status = carom_given_accel(&s->given, sys, at->t, at->q, v, 0, a, s->force, error);
    *holds = false;
    return status;
}

/* Everything about the event that does not depend on the column. */
static carom_status meet(carom_saltation *s, const carom_instant *at, bool parameters, carom_error *error)
{
    static const double zero = 0;
    carom_system *sys = s->linear.system;
    int nv = sys->nv, nrow = sys->nrow, np = sys->model->np, nc = sys->model->ncontact;
    CAROM_TRY(accelerations(s, at, false, s->a_before, error));
    CAROM_TRY(accelerations(s, at, true, s->a_after, error));
    if (parameters)
        carom_saltation_parameters(s, at->t, at->q, at->v_before);
    carom_saltation_laws(s, at);
    unsigned law = nc ? CAROM_LAW : 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_U_Q | law, at->t, at->q, at->v_before);
    CAROM_TRY(carom_mass_factor(sys, at->t, error));
    for (int r = 0; r < nrow; r++)
        s->u_before[r] = carom_row_speed(sys, r, at->v_before);
    carom_copy(nrow * nv, sys->at.U_q, s->U_q);
    time_part(sys, at->v_before, s->U_t);
    if (parameters) {
        carom_system_eval(sys, CAROM_U_P, at->t, at->q, at->v_before);
        carom_copy(nrow * np, sys->at.U_p, s->U_p);
    }
    s->mismatch = 0;
    if (!at->jump)
        return CAROM_OK;
    if (at->rule) {
        CAROM_TRY(carom_saltation_rule_velocity(s, at, s->dv, error));
        for (int i = 0; i < nv; i++)
            s->mismatch = CAROM_MAX(s->mismatch, fabs(s->dv[i] - at->v_after[i]));
        s->mismatch /= 1 + carom_norm_max(nv, at->v_before);
        return CAROM_OK;
    }
    carom_linear_rows(&s->linear, at->jump);
    carom_linear_close(&s->linear);
    jump(s, at);
    turning(s, at);
    carom_saltation_residual(s, at);
    const double *one = sys->at.s;
    sys->at.a = s->dv, sys->at.x = s->P, sys->at.s = &zero;
    carom_system_eval(sys, CAROM_GAMMA | CAROM_R_Q | CAROM_U_Q, at->t, at->q, at->v_after);
    time_part(sys, at->v_after, s->U_t_after);
    if (parameters)
        carom_system_eval(sys, CAROM_R_P | CAROM_U_P, at->t, at->q, at->v_after);
    sys->at.a = sys->at.x = sys->zero, sys->at.s = one;
    return CAROM_OK;
}

/* ---- a column ---- */

static double along(int n, const double *row, const double *y, int stride)
{
    double sum = 0;
    for (int i = 0; y && i < n; i++)
        sum += row[i] * y[i * stride];
    return sum;
}

/* hd with an acceleration, and h_x dx + h_p dp of a column (dx, dp: entries `n` apart). */
static double surface_rate(const carom_saltation *s, const carom_instant *at, const double *a)
{
    const carom_system *sys = s->linear.system;
    const carom_link *link = carom_contact_link(sys, at->contact);
    int r = link->row;
    if (at->surface == CAROM_SURFACE_GAP)
        return s->u_before[r];
    double sum = 0;
    for (int j = 1; j < link->rows; j++)
        sum += at->before[at->contact].direction[j - 1] *
               (carom_row_dot(sys, r + j, a) + s->U_t[r + j] +
                carom_dot(sys->nv, s->U_q + (r + j) * sys->nv, at->v_before));
    return sum;
}

static double surface_change(const carom_saltation *s, const carom_instant *at, int n, const double *x,
                             const double *dp)
{
    const carom_system *sys = s->linear.system;
    const carom_link *link = carom_contact_link(sys, at->contact);
    int nv = sys->nv, np = sys->model->np, r = link->row;
    if (at->surface == CAROM_SURFACE_GAP)
        return carom_row_column(sys, r, x, n) + along(np, s->g_p + carom_contact_number(sys, at->contact) * np, dp, n);
    double sum = 0;
    for (int j = 1; j < link->rows; j++)
        sum += at->before[at->contact].direction[j - 1] *
               (along(nv, s->U_q + (r + j) * nv, x, n) + carom_row_column(sys, r + j, x + nv * n, n) +
                along(np, s->U_p + (r + j) * np, dp, n));
    return sum;
}

/* d(G v + w) with v fixed, along (dt, Dq, dp) */
static double row_change(const carom_saltation *s, int r, const double *U_t, const double *U_q, const double *U_p,
                         double dt, const double *dp, int n)
{
    const carom_system *sys = s->linear.system;
    int np = sys->model->np;
    return U_t[r] * dt + carom_dot(sys->nv, U_q + r * sys->nv, s->Dq) + along(np, U_p + r * np, dp, n);
}

/* (3)-(5): Dv- becomes Dv+. */
static void jump_column(carom_saltation *s, const carom_instant *at, double dt, const double *dp, int n)
{
    carom_linear *l = &s->linear;
    const carom_system *sys = l->system;
    int nv = sys->nv, np = sys->model->np;
    for (int i = 0; i < sys->nlaw; i++)
        s->law[i] = s->law_t[i] * dt + carom_dot(nv, s->law_q + i * nv, s->Dq) +
                    carom_dot(nv, s->law_v + i * nv, s->Dv) + along(np, s->law_p + i * np, dp, n);
    carom_mass_multiply(sys, s->Dv, s->c);
    for (int i = 0; i < nv; i++) {
        double R_q = sys->known & CAROM_R_Q ? 0 : carom_dot(nv, sys->at.R_q + i * nv, s->Dq);
        double R_p = sys->known & CAROM_R_P ? 0 : along(np, sys->at.R_p + i * np, dp, n);
        s->c[i] = s->c[i] - s->R_t[i] * dt - R_q - R_p;                                          /* (3) */
    }
    for (int i = 0; i < l->e.m; i++) {
        int r = l->e.row[i];
        const carom_link *link = carom_linear_link(l, i);
        int c = link->contact;
        double before = carom_row_dot(sys, r, s->Dv) + row_change(s, r, s->U_t, s->U_q, s->U_p, dt, dp, n);
        double after = row_change(s, r, s->U_t_after, sys->at.U_q, sys->at.U_p, dt, dp, n);
        if (l->normal[i] < 0) {
            double E = restitution(s, at, i, 1), dE = 0;
            if (c >= 0 && s->u_before[r] != 0 && (E != 0 || at->after[c].mode == CAROM_OPEN))
                dE = -s->law[link->coefficient + (r > link->row)];
            s->d[i] = E * before + dE * s->u_before[r] - after;                                  /* (4) */
            continue;
        }
        double dmu = s->law[link->coefficient + CAROM_FRICTION];
        s->d[i] = -dmu * at->jump[c].direction[r - link->row - 1] * s->P[link->row];
        if (link->law->tangents < 2)
            continue;
        double e_t = carom_link_restitution(sys, link, 1), w[2];
        for (int j = 0; j < 2; j++) {
            int k = link->row + 1 + j;
            w[j] =
                row_change(s, k, s->U_t_after, sys->at.U_q, sys->at.U_p, dt, dp, n) +
                s->law[link->coefficient + CAROM_RESTITUTION_T] * s->u_before[k] +
                e_t * (carom_row_dot(sys, k, s->Dv) + row_change(s, k, s->U_t, s->U_q, s->U_p, dt, dp, n));
        }
        s->d[i] -= s->turn[i] * (at->jump[c].direction[0] * w[1] - at->jump[c].direction[1] * w[0]);  /* (5) */
    }
    carom_linear_solve(l, s->c, s->d);
    carom_copy(nv, s->c, s->Dv);
}

/* ---- (7) and what is lost ---- */

static carom_status through(carom_saltation *s, const carom_instant *at, double dt, const double *dp, int n,
                            carom_error *error)
{
    if (at->rule)
        return carom_saltation_rule_column(s, at, dt, dp, n, error);
    jump_column(s, at, dt, dp, n);
    return CAROM_OK;
}

/* ln|det dv+/dv-| of a jump in which slip turns, or by a rule. */
static double turned(carom_saltation *s, const carom_instant *at)
{
    int nv = s->linear.system->nv;
    double sum = 0, mismatch = s->mismatch; /* unit velocities need not be possible ones */
    carom_error ignored;
    memset(s->Dq, 0, sizeof(double) * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            s->Dv[i] = i == j;
        memset(s->Dq, 0, sizeof(double) * (size_t)nv);
        if (through(s, at, 0, NULL, 1, &ignored) != CAROM_OK)
            return NAN;
        for (int i = 0; i < nv; i++)
            s->A[i * nv + j] = s->Dv[i];
    }
    s->mismatch = mismatch;
    if (!carom_lu(nv, s->A, s->pivot))
        return -INFINITY;
    for (int i = 0; i < nv; i++) {
        bool gone = at->rule && fabs(s->A[i * nv + i]) < 1e-8; /* rounding of differences */
        sum += gone ? -INFINITY : log(fabs(s->A[i * nv + i]));
        s->lost += gone;
    }
    return sum;
}

static void determinant(carom_saltation *s, const carom_instant *at)
{
    const carom_linear *l = &s->linear;
    const carom_system *sys = l->system;
    const carom_link *hit = carom_contact_link(sys, at->contact);
    bool turns = carom_model_any_speeds(sys->model) != 0; /* or e changes with the velocity */
    s->log_det = 0;
    s->lost = 0;
    for (int k = 0; k < sys->nlink; k++) {
        const carom_link *link = &sys->link[k];
        int is = carom_mode_of(link, at->after);
        if (carom_mode_carries(is))
            s->lost += 2 + (is == CAROM_STICK ? link->rows - 1 : 0);
    }
    for (int c = 0; at->rule && c < sys->model->ncontact; c++)
        if (at->jump[c].mode != CAROM_OPEN && carom_mode_carries(at->after[c].mode))
            s->log_det = -INFINITY;
    for (int i = 0; at->jump && !at->rule && i < l->e.m; i++) {
        const carom_link *link = carom_linear_link(l, i);
        turns |= l->normal[i] >= 0 && link->law->tangents > 1;
        if (l->normal[i] >= 0 || link->contact < 0)
            continue;
        double E = restitution(s, at, i, 1);
        s->log_det += log(fabs(E)); /* -INFINITY for 0 */
        s->lost += E == 0 && at->after[link->contact].mode == CAROM_OPEN;
    }
    if ((turns || at->rule) && s->log_det > -INFINITY)
        s->log_det = turned(s, at);
    if (at->jump && !at->rule && l->rank < l->e.m)
        s->lost -= 2 * (l->e.m - l->rank);
    if (at->surface != CAROM_SURFACE_GAP)
        s->log_det += log(fabs(s->rate_after / s->rate));
    else if (s->log_det > -INFINITY) {
        double after = carom_row_speed(sys, hit->row, at->v_after);
        s->log_det += log(fabs(after / s->rate));
    }
}

carom_status carom_saltation_apply(carom_saltation *saltation, const carom_instant *at, int n, double *X,
                                   const double *dp, double *dt, carom_error *error)
{
    carom_saltation *s = saltation;
    const carom_system *sys = s->linear.system;
    int nv = sys->nv;
    CAROM_TRY(meet(s, at, dp != NULL, error));
    s->rate = surface_rate(s, at, s->a_before);                                                  /* (1) */
    s->rate_after = surface_rate(s, at, s->a_after);
    if (!(fabs(s->rate) > 0))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "an event of contact '%s' at t = %.10g is met at rate 0: no derivative",
                   carom_contact_link(sys, at->contact)->name, at->t);
    for (int j = 0; j < n; j++) {
        double *x = X + j, *v = X + nv * n + j;
        const double *d = dp ? dp + j : NULL;
        dt[j] = -surface_change(s, at, n, x, d) / s->rate;                                       /* (1) */
        for (int i = 0; i < nv; i++)
            s->Dq[i] = x[i * n] + at->v_before[i] * dt[j];
        for (int i = 0; i < nv; i++)
            s->Dv[i] = v[i * n] + s->a_before[i] * dt[j];
        if (at->jump)
            CAROM_TRY(through(s, at, dt[j], d, n, error));
        for (int i = 0; i < nv; i++)
            x[i * n] = s->Dq[i] - at->v_after[i] * dt[j];
        for (int i = 0; i < nv; i++)
            v[i * n] = s->Dv[i] - s->a_after[i] * dt[j];                                         /* (2) */
    }
    determinant(s, at);
    return CAROM_OK;
}
