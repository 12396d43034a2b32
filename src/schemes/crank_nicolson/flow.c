/* flow.c: the smooth part of the scheme: Crank-Nicolson for given modes, and its dense output.
 *
 *   M(q) a0 = F(t, q, v) + G^T x0,   G a0 + gamma = 0 on the rows of the modes                            (1)
 *   v1 = v + dt/2 (a0 + a1),   q1 = q + dt/2 (v + v1)                                  (26)               (2)
 *   r = M(q1) a1 - F(t1, q1, v1) - G(q1)^T x1 = 0,   u(t1, q1, v1) = 0 on the rows of the modes           (3)
 *
 * By Newton's method with the exact derivatives R_q, R_v of r at a1 = 2 (v1 - v)/dt - a0:
 *   K = 2/dt M + R_v + dt/2 R_q,   v_free = v1 - K^-1 (M a1 - F),   v1 <- v_free + K^-1 G^T x1            (4)
 * and the forces x1 from u = 0. Slip is opposed along its direction at either end, so (2) is of order 2 on curved
 * paths too; in two directions the one at the end follows from Coulomb's law with W = G K^-1 G^T: just after a
 * contact breaks loose it turns faster than the step resolves.
 * Dense output:  q(s) = q + s v + s^2 (v1 - v)/(2 dt),   v(s) = v + s (v1 - v)/dt                         (5) */
#include <math.h>

#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

static bool slips(const carom_link *link, const unsigned char *mode)
{
    return link->law->tangents && mode[link->contact] == CAROM_SLIP;
}

/* Directions of slip from G v + w; a contact that has just broken loose keeps the one it was given. */
static void directions(const carom_system *sys, carom_cn *w, const unsigned char *mode, const double *v, double h)
{
    carom_rows rows = carom_rows_here(sys);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        if (!slips(link, mode))
            continue;
        double u[2] = {0}, along = 0, *slip = w->modes[link->contact].direction;
        for (int j = 1; j < link->rows; j++) {
            u[j - 1] = carom_row_speed(sys, link->row + j, v);
            along += u[j - 1] * slip[j - 1];
        }
        double size = hypot(u[0], u[1]), most = 0; /* slip there is, and what forces add to it in a step */
        for (int r = link->row; r < link->row + link->rows; r++)
            most = CAROM_MAX(most, carom_rows_reach(sys, &rows, r, v, NULL) + fabs(rows.w[r]) +
                                       h * carom_rows_reach(sys, &rows, r, w->a0, NULL));
        bool use = link->law->tangents > 1 && along > 0 && size > 1e-9 * most;
        for (int j = 1; use && j < link->rows; j++)
            slip[j - 1] = u[j - 1] / size;
    }
}

void carom_cn_hold(const carom_system *system, carom_cn *w, carom_link_mode *modes, const carom_factor *A,
                   const double *offset, double *y, double *force)
{
    for (int c = 0; c < system->model->ncontact; c++)
        modes[c].mode = carom_cn_mode_of(w, c);
    w->given.modes = modes;
    carom_given_hold(&w->given, system, A, offset, y, force);
}

carom_status carom_cn_accelerate(carom_step *s, carom_cn *w, bool rows)
{
    carom_system *sys = s->system;
    const carom_state *at = &w->at;
    w->links = sys->njoint > 0;
    for (int c = 0; c < sys->model->ncontact; c++)
        w->links |= at->mode[c] != CAROM_OPEN;
    unsigned law = sys->model->ncontact ? CAROM_LAW : 0;
    unsigned more = w->links || rows ? CAROM_JACOBIAN | CAROM_GAMMA | law : 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | more, at->t, at->q, at->v);
    CAROM_TRY(carom_mass_factor(sys, at->t, s->error));
    carom_copy(sys->nv, sys->at.F, w->a0);
    carom_factor_solve(sys, &sys->mass, w->a0);
    if (!w->links)
        return CAROM_OK;
    directions(sys, w, at->mode, at->v, s->h);
    carom_cn_hold(sys, w, w->modes, &sys->mass, sys->at.gamma, w->a0, w->x0);                                /* (1) */
    return CAROM_OK;
}

static void newton_entries(size_t n, const double *M, const double *R_q, const double *R_v, const double *c, double *A)
{
    for (size_t i = 0; i < n; i++)
        A[i] = c[0] * M[i] + R_v[i] + c[1] * R_q[i];                                                        /* (4) */
}

static carom_status factor(carom_step *s, carom_cn *w, double dt, double t1)
{
    carom_system *sys = s->system;
    sys->at.a = w->a1, sys->at.x = w->links ? w->x1 : sys->zero;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V, t1, w->q1, w->v1);
    if (!carom_newton_factor(sys, &w->K, newton_entries, (double[]){2 / dt, 0.5 * dt, 0}))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "crank-nicolson: the Newton matrix is singular at t = %.10g with a step of %.3g", w->at.t, dt);
    return CAROM_OK;
}

static bool slips_in_two(const carom_system *sys, const unsigned char *mode)
{
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (sys->link[i].law->tangents > 1 && slips(&sys->link[i], mode))
            return true;
    return false;
}

/* Directions of slip at the end of the trial for contacts with two of them: slip1 = -x_t/|x_t|; the one at the start
 * for a contact that stops or turns back within the trial: its velocity then changes sign along it, which is found as
 * an event. */
static carom_status turn(carom_step *s, carom_cn *w, double t1)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    const unsigned char *mode = w->at.mode;
    for (int i = 0; i < sys->nlink; i++)
        w->g_bar[i] = carom_link_closed(&sys->link[i], mode) ? -1 : INFINITY;
    carom_contacts_activate(c, sys, w->g_bar, w->q1, mode);
    CAROM_TRY(carom_contacts_pose(c, sys, &w->K, NULL, s->error));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        for (int j = 0; j < link->rows; j++)
            c->problem.b[block->row + j] = carom_row_speed(sys, link->row + j, w->v_free);
        if (link->contact < 0)
            continue;
        block->pinned = mode[link->contact] == CAROM_STICK ||
                        (link->law->tangents == 1 && mode[link->contact] == CAROM_SLIP);
        block->mode = mode[link->contact];
        block->direction[0] = link->law->tangents ? w->modes[link->contact].direction[0] : 0;
    }
    CAROM_TRY(carom_contacts_solve(c, sys, t1, s->error));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        const double *x = c->solve.x + c->problem.block[k].row;
        if (link->law->tangents < 2 || !slips(link, mode))
            continue;
        const double *slip = w->modes[link->contact].direction;
        double size = hypot(x[1], x[2]), mu = carom_block_mu(&c->problem.block[k]);
        bool on = size >= (1 - 1e-6) * mu * x[0] && -(x[1] * slip[0] + x[2] * slip[1]) > 0;
        for (int j = 0; j < 2; j++)
            w->modes1[link->contact].direction[j] = on && size > 0 ? -x[1 + j] / size : slip[j];
    }
    return CAROM_OK;
}

static carom_status iterate(carom_step *s, carom_cn *w, double dt, bool two)
{
    carom_system *sys = s->system;
    const double *v = w->at.v;
    double t1 = w->at.t + dt;
    int n = sys->nv;
    for (int i = 0; i < n; i++) {
        w->a1[i] = 2 * (w->v1[i] - v[i]) / dt - w->a0[i];
        w->v_free[i] = 0.5 * (v[i] + w->v1[i]);
    }
    carom_system_drift(sys, w->at.q, w->v_free, dt, w->q1);                                                  /* (2) */
    unsigned law = sys->model->ncontact ? CAROM_LAW : 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | (w->links ? CAROM_JACOBIAN | law : 0), t1, w->q1, w->v1);
    CAROM_TRY(factor(s, w, dt, t1));
    carom_mass_multiply(sys, w->a1, w->v_free);
    for (int i = 0; i < n; i++)
        w->v_free[i] -= sys->at.F[i];                                                                        /* (3) */
    carom_factor_solve(sys, &w->K, w->v_free);
    for (int i = 0; i < n; i++)
        w->v_free[i] = w->v1[i] - w->v_free[i];
    if (!w->links) {
        carom_copy(n, w->v_free, w->v_new);
        return CAROM_OK;
    }
    if (two)
        CAROM_TRY(turn(s, w, t1));
    carom_copy(n, w->v_free, w->v_new);
    carom_cn_hold(sys, w, w->modes1, &w->K, sys->at.w, w->v_new, w->x1);                                   /* (4) */
    return CAROM_OK;
}

static bool one_iteration_is_exact(const carom_system *sys, const carom_cn *w)
{
    unsigned affine = CAROM_MASS | CAROM_R_Q | CAROM_R_V | (w->links ? CAROM_JACOBIAN | CAROM_LAW : 0);
    return (sys->known & affine) == affine;
}

carom_status carom_cn_flow(carom_step *s, carom_cn *w, double dt)
{
    carom_system *sys = s->system;
    int n = sys->nv;
    bool two = slips_in_two(sys, w->at.mode), exact = !two && one_iteration_is_exact(sys, w);
    double before = 0, tol = s->options->newton_tol;
    double stall =
        w->links ? CAROM_MAX(tol, 10 * s->options->contact_tol) : tol; /* G by differences, Coulomb's law: no more */
    w->dt = dt;
    if (w->links) {
        carom_copy(sys->nrow, w->x0, w->x1);
        carom_modes_copy(sys->model->ncontact, w->modes, w->modes1);
    }
    for (int i = 0; i < n; i++)
        w->v1[i] = w->at.v[i] + dt * w->a0[i];
    for (int k = 1;; k++) {
        CAROM_TRY(iterate(s, w, dt, two));
        sys->info->newton_iterations++;
        double size = CAROM_MAX(carom_norm_max(n, w->v_free), carom_norm_max(n, w->v_new));
        double weighed = CAROM_MAX(carom_scale_mass(sys, w->v_free, w->vs), carom_scale_mass(sys, w->v_new, w->vs));
        for (int i = 0; i < n; i++)
            w->v_free[i] = w->v_new[i] - w->v1[i];
        carom_copy(n, w->v_new, w->v1);
        double change = carom_norm_max(n, w->v_free), rate = k > 1 ? change / before : 1;
        double goal = (k > 2 && rate >= 0.5 ? stall : tol) * size;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                       "crank-nicolson: velocity is not finite after the step from t = %.10g with h = %.3g", w->at.t,
                       dt);
        if (exact || change <= goal || (rate < 0.5 && rate / (1 - rate) * change <= goal) ||
            (k > 2 && rate >= 0.5 && carom_scale_mass(sys, w->v_free, w->vs) <= stall * weighed))
            break;
        if (k == s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "crank-nicolson: Newton's last change is %.2g after %d iterations at t = %.10g with h = %.3g; a "
                       "smaller h helps",
                       change, k, w->at.t, dt);
        before = change;
    }
    for (int i = 0; i < n; i++)
        w->v_free[i] = 0.5 * (w->at.v[i] + w->v1[i]);
    carom_system_drift(sys, w->at.q, w->v_free, dt, w->q1);                                                  /* (2) */
    return CAROM_OK;
}

void carom_cn_dense(const carom_system *system, const carom_cn *w, double s)
{
    double part = s / w->dt;
    for (int i = 0; i < system->nv; i++)
        w->vs[i] = w->at.v[i] + 0.5 * part * (w->v1[i] - w->at.v[i]);
    carom_system_drift(system, w->at.q, w->vs, s, w->qs);                                                    /* (5) */
    for (int i = 0; i < system->nv; i++)
        w->vs[i] = w->at.v[i] + part * (w->v1[i] - w->at.v[i]);
}
