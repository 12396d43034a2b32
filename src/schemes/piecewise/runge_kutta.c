/* runge_kutta.c: one step of a Runge-Kutta method on the smooth motion of the present modes: explicit under error
 * control, any other, and the impulses of its forces. Numbers in parentheses are those of a section. */
#include <math.h>
#include <string.h>

#include "core/dormand_prince.h"
#include "schemes/piecewise/piecewise.h"

/* ---- one step of Dormand and Prince's pair of order 5(4) on the smooth motion of the present modes.
 * Source: J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26.
 *
 *   Y_i = y + h sum_j a_ij k_j,   k_i = (K v_i, a_i) with a_i of the given modes; y = (xi, v), the
 *   local coordinates around the start of the step: K = 1 and xi = q - q_0 of vectors            (1)
 *   y'  = Y_7                                            order 5, its k_7 is the next k_1         (2)
 *   e   = h sum_i (b_i - b^_i) k_i                       order 4 embedded                         (3)
 *   |e| = max_i |e_i| / (atol + rtol max(|y_i|, |y'_i|))                                          (4) */

static const double defect[CAROM_STAGES] = {D1, 0, D3, D4, D5, D6, D7};

void carom_piecewise_copy(const carom_system *system, const carom_end *from, carom_end *to)
{
    to->x = from->x;
    carom_copy(system->nq, from->q, to->q);
    carom_copy(system->nv, from->v, to->v);
    carom_copy(system->nv, from->a, to->a);
    carom_copy(system->nrow, from->force, to->force);
    carom_copy(system->nlink, from->g, to->g);
    carom_copy(system->nrow, from->u, to->u);
    carom_copy(system->nrow, from->udot, to->udot);
    carom_copy(carom_piecewise_found(system) ? system->ncontact : 0, from->margin, to->margin);
}

carom_status carom_piecewise_measure(carom_step *s, carom_piecewise *w, carom_end *end)
{
    carom_system *sys = s->system;
    unsigned more = sys->nlink ? CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | (sys->model->ncontact ? CAROM_LAW : 0) : 0;
    CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + end->x, end->q, end->v, more, end->a, end->force,
                                        s->error));
    carom_copy(sys->nlink, sys->at.g, end->g);
    carom_copy(carom_piecewise_found(sys) ? sys->ncontact : 0, sys->at.margin, end->margin);
    carom_piecewise_gross(sys, w, w->given.a_free, w->given.equations.m, w->given.equations.Y, w->given.equations.x);
    for (int r = 0; r < sys->nrow; r++) {
        end->u[r] = carom_row_speed(sys, r, end->v);
        end->udot[r] = carom_row_accel(sys, r, end->a);
    }
    for (int c = 0; carom_piecewise_found(sys) && c < sys->ncontact; c++)
        if (w->modes[c].mode == CAROM_OPEN && carom_system_left_out(sys, c))
            end->u[carom_contact_link(sys, c)->row] = end->udot[carom_contact_link(sys, c)->row] = 0;
    return CAROM_OK;
}

/* w->size at the start, and at q if that is larger; NULL: none */
void carom_piecewise_size(const carom_system *system, const carom_piecewise *w, const double *q)
{
    for (int i = 0; i < system->nv; i++)
        w->size[i] = 0;
    carom_system_size(system, w->start.q, w->size);
    if (q)
        carom_system_size(system, q, w->size);
}

static double norm(const carom_step *s, const carom_piecewise *w, const carom_end *end, double h)
{
    const carom_options *o = s->options;
    double most = 0;
    carom_piecewise_size(s->system, w, end->q);
    for (int i = 0; i < s->system->nv; i++) {
        double e_q = 0, e_v = 0;
        for (int k = 0; k < CAROM_STAGES; k++)
            e_q += defect[k] * w->kx[k][i], e_v += defect[k] * w->ka[k][i];                      /* (3) */
        double size_q = s->atol[i] + o->rtol * w->size[i];
        double size_v = s->atol[i] + o->rtol * CAROM_MAX(fabs(w->start.v[i]), fabs(end->v[i]));
        most = CAROM_MAX(most, CAROM_MAX(fabs(h * e_q) / size_q, fabs(h * e_v) / size_v));       /* (4) */
    }
    return most;
}

static carom_status implicit_trial(carom_step *s, carom_piecewise *w, double x, carom_end *end, double *error_norm)
{
    CAROM_TRY(carom_piecewise_stages(s, w, x, end, error_norm != NULL));
    return error_norm ? carom_stiff_norm(s, w, x, end, error_norm) : CAROM_OK;
}

carom_status carom_piecewise_trial(carom_step *s, carom_piecewise *w, double x, carom_end *end, double *error_norm)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    if (w->tableau)
        return implicit_trial(s, w, x, end, error_norm);
    const carom_tableau *T = carom_tableau_list(CAROM_TABLEAU_ERK5);
    carom_copy(T->stages, T->c, w->node);
    w->kept = error_norm ? x : w->kept;
    w->watched = CAROM_STAGES - 1;
    carom_copy(nv, w->start.v, w->kx[0]);
    carom_copy(nv, w->start.a, w->ka[0]);
    for (int k = 1; k < CAROM_STAGES; k++) {
        const double *A = k < T->stages ? T->a[k] : T->b;
        for (int i = 0; i < nv; i++) {
            double dq = 0, dv = 0;
            for (int j = 0; j < k; j++)
                dq += A[j] * w->kx[j][i], dv += A[j] * w->ka[j][i];
            w->kx[k][i] = dq;
            end->v[i] = w->start.v[i] + x * dv;                                                  /* (1) */
        }
        carom_system_drift(sys, w->start.q, w->kx[k], x, end->q);
        carom_system_rate(sys, w->kx[k], x, end->v, w->kx[k]);
        if (k < CAROM_STAGES - 1)
            CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + T->c[k] * x, end->q, end->v, 0, w->ka[k],
                                                error_norm ? w->stage_force[k] : w->force, s->error));
    }
    end->x = x;
    CAROM_TRY(carom_piecewise_measure(s, w, end));                                                     /* (2) */
    carom_copy(nv, end->a, w->ka[CAROM_STAGES - 1]);
    if (error_norm)
        *error_norm = norm(s, w, end, x);
    return CAROM_OK;
}

/* ---- one step of any Runge-Kutta method on the smooth motion of the present modes.
 *
 *   V_i = v + x sum_j a_ij A_j,   Q_i = q + x sum_j a_ij V_j,   A_i = a(t + c_i x, Q_i, V_i)                (1)
 *   v' = v + x sum_i b_i A_i,     q' = q + x sum_i b_i V_i                                                   (2)
 *   where positions are no vectors: Q_i at xi_i = x sum_j a_ij K(xi_j) V_j, by repeated substitution         (8)
 *
 * a is the acceleration of given modes, multipliers eliminated: (1) and (2) are plain Runge-Kutta on a
 * reduced ordinary differential equation, and the classical orders hold. Implicit stages by simplified Newton on A:
 *
 *   (delta_ij 1 - x a_ij a_v - x^2 (a a)_ij a_q) dA_j = a_i - A_i,   a_q, a_v at the start of the step       (3)
 *   M a_q = H^T x_q - R_q,   J a_q + A_q = 0:  exact, the forces of closed contacts and joints included      (4)
 *
 *   spatial slip that turns, G_c the row across it: -mu x_n G_c^T G_c/|u| in -R_v; constant in q           (5)
 *   explicit stages are stable for x <= |u|/(mu x_n W) only: slip that creeps (given_modes.c) does so at all stages of
 *   a step,
 *   which ends when it is half as fast again as what is slow                                                  (7)
 *
 * to 1e-14 of the accelerations, or to the floor that rounding leaves. Where it fails, Newton's method with (4) at
 * every stage in every iteration.
 *
 * Steps under error control start from the polynomial of the step before and end when what is left, estimated by the
 * rate of convergence, is a thousandth of the tolerance; where that is too far away the step is shortened (stiff.c):
 *
 *   theta = |d_k|/|d_(k-1)|,  stop: theta/(1 - theta) |d_k| <= 1e-3,  give up: theta^(last - k)/(1 - theta) |d_k| >
 *                             1e-3   (6) */

enum { SIMPLIFIED = 30, FULL = 20, LOOSE = 7 };
#define ENOUGH 1e-3

void carom_rk_layout(carom_layout *layout, carom_rk_stages *stages, const carom_system *system)
{
    enum { S = CAROM_TABLEAU_IMPLICIT_STAGES };
    size_t nv = system->nv;
    CAROM_PLACE(layout, stages->a_q, S * nv * nv);
    CAROM_PLACE(layout, stages->a_v, S * nv * nv);
    CAROM_PLACE(layout, stages->matrix, S * nv * S * nv);
    carom_kept_lu_place(layout, &stages->newton, S * nv);
    carom_kept_lu_place(layout, &stages->estimate, nv);
    CAROM_PLACE(layout, stages->change, S * nv);
    CAROM_PLACE(layout, stages->column, nv);
}

/* (5): what spatial slip that turns adds to the j-th column of -R_v. */
static void turn(const carom_given_modes *f, const carom_system *sys, const double *v, const double *force, int j,
                 double *across, double *column)
{
    int nv = sys->nv;
    for (int k = sys->njoint; k < sys->nlink; k++) {
        const carom_link *link = &sys->link[k];
        int c = link->contact, r = link->row;
        if (link->law->tangents < 2 || f->modes[c].mode != CAROM_SLIP || f->creeps[c] || f->holds[c])
            continue;
        const double *d = f->modes[c].direction;
        double normal = force[r] + carom_link_offset(sys, link);
        double speed = hypot(carom_row_speed(sys, r + 1, v), carom_row_speed(sys, r + 2, v));
        carom_row_mix(sys, r + 1, -d[1], d[0], across); /* G_c */
        double factor = across[j] * carom_link_turn(sys, link, d) * normal / speed;
        for (int i = 0; i < nv; i++)
            column[i] -= factor * across[i];
    }
}

/* The j-th column of a_q or a_v from the same of R and A, in column -R; by the rows of the last carom_given_accel. */
static void gradient_column(carom_equations *f, const carom_system *sys, const double *A, int j, double *column,
                            double *out)
{
    int nv = sys->nv;
    carom_mass_solve(sys, column);
    for (int i = 0; i < f->m; i++)
        f->b[i] = -(carom_row_dot(sys, f->row[i], column) + A[f->row[i] * nv + j]);
    carom_equations_solve(f, sys, CAROM_RANK);
    carom_equations_add(f, nv, column);                                                          /* (4) */
    for (int i = 0; i < nv; i++)
        out[i * nv + j] = column[i];
}

/* (4) where carom_given_accel was called last, with the acceleration and forces it gave. */
static void gradients(carom_step *s, carom_piecewise *w, double t, const double *q, const double *v, const double *a,
                      const double *force, double *a_q, double *a_v)
{
    carom_system *sys = s->system;
    unsigned rows = w->given.equations.m ? CAROM_A_Q | CAROM_A_V : 0;
    sys->at.a = a, sys->at.x = force;
    if (carom_piecewise_found(sys))
        carom_system_differences(sys, t, q, v, a, force);
    else
        carom_system_eval(sys, CAROM_R_Q | CAROM_R_V | rows, t, q, v);
    sys->at.a = sys->at.x = sys->zero;
    int nv = sys->nv;
    double *column = w->stages.column;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            column[i] = -sys->at.R_q[i * nv + j];
        gradient_column(&w->given.equations, sys, sys->at.A_q, j, column, a_q);
        for (int i = 0; i < nv; i++)
            column[i] = -sys->at.R_v[i * nv + j];
        turn(&w->given, sys, v, force, j, w->given.column, column);
        gradient_column(&w->given.equations, sys, sys->at.A_v, j, column, a_v);
    }
}

/* Forces of the stages between the ends are kept when a step is tried first: they may show an event. */
static double *force_at(carom_piecewise *w, int stage, bool keep)
{
    double c = w->tableau->c[stage];
    if (!keep || !(c > 0 && c < 1))
        return w->force;
    w->node[w->watched] = c;
    return w->stage_force[w->watched++];
}

/* V_i and Q_i of (1) from the first n accelerations; Q_i in q. */
static void place_stage(const carom_system *sys, carom_piecewise *w, double x, int stage, int n, double *q)
{
    const double *a = w->tableau->a[stage];
    for (int i = 0; i < sys->nv; i++) {
        double dq = 0;
        for (int j = 0; j < n; j++)
            dq += a[j] * w->kx[j][i];
        w->shift_v[i] = dq;
    }
    carom_system_drift(sys, w->start.q, w->shift_v, x, q);
}

static void stage_velocity(const carom_system *sys, carom_piecewise *w, double x, int stage, int n)
{
    const double *a = w->tableau->a[stage];
    for (int i = 0; i < sys->nv; i++) {
        double dv = 0;
        for (int j = 0; j < n; j++)
            dv += a[j] * w->ka[j][i];
        w->kv[stage][i] = w->start.v[i] + x * dv;                                                /* (1) */
    }
}

/* (8) for the first n stages, by their velocities; starts from K = 1. */
static void stage_rates(const carom_system *sys, carom_piecewise *w, double x, int n)
{
    enum { MOST = 60 };
    double change = 1, size = 0;
    if (!sys->model->manifold)
        return;
    for (int k = 0; k < n; k++)
        carom_copy(sys->nv, w->kv[k], w->kx[k]), size = CAROM_MAX(size, carom_norm_max(sys->nv, w->kv[k]));
    for (int round = 0; round < MOST && change > 1e-15 * size; round++) {
        change = 0;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < sys->nv; i++) {
                w->xi[i] = 0;
                for (int j = 0; j < n; j++)
                    w->xi[i] += w->tableau->a[k][j] * w->kx[j][i];
            }
            carom_system_rate(sys, w->xi, x, w->kv[k], w->xi);
            for (int i = 0; i < sys->nv; i++)
                change = CAROM_MAX(change, fabs(w->xi[i] - w->kx[k][i])), w->kx[k][i] = w->xi[i];
        }
    }
}

static carom_status explicit_stages(carom_step *s, carom_piecewise *w, double x, bool keep)
{
    carom_system *sys = s->system;
    carom_copy(sys->nv, w->start.v, w->kv[0]);
    carom_copy(sys->nv, w->start.a, w->ka[0]);
    for (int k = 1; k < w->tableau->stages; k++) {
        stage_velocity(sys, w, x, k, k);
        stage_rates(sys, w, x, k + 1);
        place_stage(sys, w, x, k, k, w->shift_q);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + w->tableau->c[k] * x, w->shift_q, w->kv[k], 0,
                                            w->ka[k], force_at(w, k, keep), s->error));
    }
    return CAROM_OK;
}

static carom_status factor(carom_step *s, carom_piecewise *w, double x, bool full)
{
    const carom_tableau *T = w->tableau;
    carom_rk_stages *n = &w->stages;
    int nv = s->system->nv, size = T->stages * nv;
    for (int i = 0; i < T->stages; i++)
        for (int j = 0; j < T->stages; j++) {
            double square = 0;
            for (int k = 0; k < T->stages; k++)
                square += T->a[i][k] * T->a[k][j];
            const double *a_q = n->a_q + (full ? i * nv * nv : 0), *a_v = n->a_v + (full ? i * nv * nv : 0);
            for (int r = 0; r < nv; r++)
                for (int c = 0; c < nv; c++)
                    n->matrix[(i * nv + r) * size + j * nv + c] = (i == j && r == c) -
                                                                  x * T->a[i][j] * a_v[r * nv + c] -
                                                                  x * x * square * a_q[r * nv + c]; /* (3) */
        }
    if (!carom_kept_lu_factor(&n->newton, size, n->matrix))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "%s: the Newton matrix of the stages is singular at t = %.10g with a step of %.3g", T->name,
                   s->now->t, x);
    return CAROM_OK;
}

/* a_i - A_i of all stages into change; *scale: how large accelerations are. */
static carom_status residual(carom_step *s, carom_piecewise *w, double x, bool full, bool keep, double *scale)
{
    const carom_tableau *T = w->tableau;
    carom_system *sys = s->system;
    int nv = sys->nv;
    w->watched = keep ? 1 : w->watched;
    *scale = 0;
    for (int k = 0; k < T->stages; k++)
        stage_velocity(sys, w, x, k, T->stages);
    stage_rates(sys, w, x, T->stages);
    for (int k = 0; k < T->stages; k++) {
        double *force = force_at(w, k, keep), *out = w->stages.change + k * nv, t = s->now->t + T->c[k] * x;
        place_stage(sys, w, x, k, T->stages, w->shift_q);
        CAROM_TRY(carom_given_accel(&w->given, sys, t, w->shift_q, w->kv[k], 0, out, force, s->error));
        if (full)
            gradients(s, w, t, w->shift_q, w->kv[k], out, force, w->stages.a_q + k * nv * nv,
                      w->stages.a_v + k * nv * nv);
        *scale = CAROM_MAX(*scale, CAROM_MAX(carom_norm_max(nv, out), carom_norm_max(nv, w->given.a_free)));
        for (int i = 0; i < nv; i++)
            out[i] -= w->ka[k][i];
    }
    return CAROM_OK;
}

/* The change of Q_i and V_i by that of A_i, over the tolerance. */
static double over_tolerance(const carom_step *s, const carom_piecewise *w, double x)
{
    const carom_tableau *T = w->tableau;
    const carom_options *o = s->options;
    int nv = s->system->nv;
    double most = 0;
    carom_piecewise_size(s->system, w, NULL);
    for (int i = 0; i < nv; i++) {
        double dv[CAROM_TABLEAU_IMPLICIT_STAGES], size_q = s->atol[i] + o->rtol * w->size[i],
                                                  size_v = s->atol[i] + o->rtol * fabs(w->start.v[i]);
        for (int k = 0; k < T->stages; k++) {
            dv[k] = 0;
            for (int j = 0; j < T->stages; j++)
                dv[k] += x * T->a[k][j] * w->stages.change[j * nv + i];
            most = CAROM_MAX(most, fabs(dv[k]) / size_v);
        }
        for (int k = 0; k < T->stages; k++) {
            double dq = 0;
            for (int j = 0; j < T->stages; j++)
                dq += x * T->a[k][j] * dv[j];
            most = CAROM_MAX(most, fabs(dq) / size_q);
        }
    }
    return most;
}

/* (6) */
static carom_status iterate_loosely(carom_step *s, carom_piecewise *w, double x, bool *converged)
{
    carom_rk_stages *n = &w->stages;
    int nv = s->system->nv, size = w->tableau->stages * nv;
    double before = INFINITY, eta = 1;
    if (carom_stiff_guess(s, w, x))
        eta = pow(CAROM_MAX(n->rate, 1e-16), 0.8);
    *converged = false;
    CAROM_TRY(factor(s, w, x, false));
    for (int k = 0; k < LOOSE; k++) {
        double scale;
        CAROM_TRY(residual(s, w, x, false, true, &scale));
        carom_kept_lu_solve(&n->newton, n->change);
        s->system->info->linear_solves++;
        for (int i = 0; i < size; i++)
            w->ka[i / nv][i % nv] += n->change[i];
        double change = over_tolerance(s, w, x), theta = change / before;
        if (k > 0 && !(theta < 0.99))
            return CAROM_OK;
        eta = k > 0 ? theta / (1 - theta) : eta;
        *converged = eta * change <= ENOUGH || carom_norm_max(size, n->change) <= 1e-14 * scale + CAROM_VANISHED;
        n->rate = eta;
        if (*converged || (k > 0 && pow(theta, LOOSE - 1 - k) / (1 - theta) * change > ENOUGH))
            return CAROM_OK;
        before = change;
    }
    return CAROM_OK;
}

/* Newton's method from A_i = a(start); *left is the last change relative to the accelerations. */
static carom_status iterate(carom_step *s, carom_piecewise *w, double x, bool full, bool keep, bool *converged,
                            double *left)
{
    const carom_tableau *T = w->tableau;
    carom_rk_stages *n = &w->stages;
    int nv = s->system->nv, size = T->stages * nv;
    double before = INFINITY, v = carom_norm_max(nv, w->start.v), q = carom_norm_max(s->system->nq, w->start.q);
    for (int k = 0; k < T->stages; k++)
        carom_copy(nv, w->start.a, w->ka[k]);
    *converged = false;
    if (!full)
        CAROM_TRY(factor(s, w, x, false));
    for (int k = 0; k < (full ? FULL : SIMPLIFIED); k++) {
        double scale;
        CAROM_TRY(residual(s, w, x, full, keep, &scale));
        if (full)
            CAROM_TRY(factor(s, w, x, true));
        carom_kept_lu_solve(&n->newton, n->change);
        s->system->info->linear_solves++;
        double change = carom_norm_max(size, n->change);
        for (int i = 0; i < size; i++)
            w->ka[i / nv][i % nv] += n->change[i];
        *left = change / scale;
        double floor = 1e-11 * (scale + v / x) + 1e-12 * q / (x * x); /* of rounding */
        if (change <= 1e-14 * scale + CAROM_VANISHED || (change >= 0.5 * before && change <= floor)) {
            *converged = true;
            return CAROM_OK;
        }
        if (!(change < 4 * before))
            return CAROM_OK;
        before = change;
    }
    return CAROM_OK;
}

static carom_status implicit_stages(carom_step *s, carom_piecewise *w, double x, bool keep)
{
    const carom_tableau *T = w->tableau;
    bool converged = false;
    double left = INFINITY;
    if (keep && !w->constant) {
        CAROM_TRY(iterate_loosely(s, w, x, &converged));
        if (!converged)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "%s: Newton's method for the stages converges too slowly at t = %.10g with a step of %.3g",
                       T->name,
                       s->now->t, x);
        for (int k = 0; k < T->stages; k++)
            stage_velocity(s->system, w, x, k, T->stages);
        stage_rates(s->system, w, x, T->stages);
        return CAROM_OK;
    }
    carom_status status = iterate(s, w, x, false, keep, &converged, &left);
    if (status != CAROM_OK || !converged) {
        CAROM_TRY(iterate(s, w, x, true, keep, &converged, &left));
        CAROM_TRY(carom_given_accel(&w->given, s->system, s->now->t, w->start.q, w->start.v, 0, w->probe.a,
                                            w->force, s->error));
        CAROM_TRY(carom_piecewise_gradients(s, w)); /* of the start again, for the next trial */
    }
    if (!converged)
        CAROM_FAIL(
            s->error, CAROM_NOT_CONVERGED,
            "%s: Newton's method for the stages does not converge at t = %.10g with a step of %.3g: last change %.1e",
            T->name, s->now->t, x, left);
    for (int k = 0; k < T->stages; k++)
        stage_velocity(s->system, w, x, k, T->stages);
    stage_rates(s->system, w, x, T->stages);
    return CAROM_OK;
}

carom_status carom_piecewise_gradients(carom_step *s, carom_piecewise *w)
{
    if (!w->tableau || !w->tableau->implicit)
        return CAROM_OK;
    gradients(s, w, s->now->t, w->start.q, w->start.v, w->start.a, w->start.force, w->stages.a_q, w->stages.a_v);
    return CAROM_OK;
}

carom_status carom_piecewise_stages(carom_step *s, carom_piecewise *w, double x, carom_end *end, bool keep)
{
    const carom_tableau *T = w->tableau;
    carom_system *sys = s->system;
    if (keep)
        w->watched = 1, w->kept = x;
    if (x > 0)
        CAROM_TRY(T->implicit ? implicit_stages(s, w, x, keep) : explicit_stages(s, w, x, keep));
    for (int i = 0; i < sys->nv; i++) {
        double dv = 0, dq = 0;
        for (int k = 0; x > 0 && k < T->stages; k++)
            dv += T->b[k] * w->ka[k][i], dq += T->b[k] * w->kx[k][i];
        end->v[i] = w->start.v[i] + x * dv;
        w->shift_v[i] = dq;
    }
    carom_system_drift(sys, w->start.q, w->shift_v, x, end->q);                                  /* (2) */
    end->x = x;
    CAROM_TRY(carom_piecewise_measure(s, w, end));
    carom_copy(sys->nv, end->a, w->ka[CAROM_STAGES - 1]);
    return CAROM_OK;
}

static bool slips_in_a_plane(const carom_system *sys, const carom_piecewise *w)
{
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (sys->link[i].law->tangents > 1 && w->modes[sys->link[i].contact].mode == CAROM_SLIP)
            return true;
    return false;
}

/* (7): slip in a plane that creeps at the start creeps to the end of the step; how much faster it may not be there. */
static void keep_creeping(const carom_system *sys, carom_piecewise *w)
{
    for (int c = 0; c < sys->ncontact; c++)
        w->given.crept[c] = w->given.creeps[c];
}

static double too_fast(const carom_system *sys, const carom_piecewise *w)
{
    double most = 0;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const double *u = w->end.u + sys->link[i].row;
        int c = sys->link[i].contact;
        if (sys->link[i].law->tangents > 1 && w->given.crept[c] && w->given.slow_speed[c] > 0)
            most = CAROM_MAX(most, hypot(u[1], u[2]) / w->given.slow_speed[c]);
    }
    return most;
}

/* Slip that is about to end turns within a time that shrinks with it, and a light body under a heavy one that is held
 * at one of its feet comes down on the other at once: shorter steps where the stages do not follow. */
carom_status carom_piecewise_fixed_length(carom_step *s, carom_piecewise *w)
{
    enum { HALVINGS = 20 };
    double x = carom_piecewise_slip_limit(s, w, s->h);
    bool slips = slips_in_a_plane(s->system, w), closed = false;
    for (int c = 0; c < s->system->ncontact; c++)
        closed |= w->modes[c].mode != CAROM_OPEN;
    CAROM_TRY(carom_piecewise_gradients(s, w));
    if (!w->tableau->implicit)
        keep_creeping(s->system, w);
    carom_status status = carom_piecewise_stages(s, w, x, &w->end, true);
    for (int k = 0; closed && k < HALVINGS; k++) {
        double fast = status == CAROM_OK && slips ? too_fast(s->system, w) : 0;
        if (status != CAROM_NOT_CONVERGED && fast <= 1.5)
            break;
        x *= fast > 1.5 ? sqrt(1.2 / fast) : 0.5;
        status = carom_piecewise_stages(s, w, x, &w->end, true);
    }
    return status;
}

/* ---- the impulses of a step's forces, such that they are what changes its momentum.
 *
 *   P = x sum_i b_i x_i                  by the weights of the method                                             (1)
 *   P = x (x_0 + 4 x_1/2 + x_1)/6        where an event cut the step short                                        (2)
 *   Implicit steps under error control: x_i at (Q_i, V_i), plus G M^-1 G^T dx = G (A_i - a_i). Newton's method ends
 *   with A_i; where a
 *   force is stiff (slip that turns) those at (Q_i, V_i) do not balance the momentum, however near they are      (3) */

/* (3): force += dx, where G^T dx makes the accelerations A of the stage from those that its position and velocity
 * give. */
static void follow(carom_given_modes *given, const carom_system *sys, const double *A, const double *a, double *force)
{
    carom_equations *e = &given->equations;
    carom_equations_forces(&given->equations, sys, &sys->mass, given->modes);
    for (int k = 0; k < e->m; k++)
        e->b[k] = carom_row_dot(sys, e->row[k], A) - carom_row_dot(sys, e->row[k], a);
    carom_equations_solve(e, sys, CAROM_RANK);
    for (int k = 0; k < e->m; k++)
        force[e->row[k]] += e->x[k];
}

carom_status carom_piecewise_mean_force(carom_step *s, carom_piecewise *w, double x)
{
    carom_system *sys = s->system;
    const carom_tableau *T = w->tableau;
    w->averaged = T && T->implicit;
    if (!w->averaged)
        return CAROM_OK;
    memset(w->mean, 0, sizeof(double) * (size_t)sys->nrow);
    if (!carom_modes_any(sys, w->modes))
        return CAROM_OK;
    for (int k = 0; k < T->stages; k++) {
        place_stage(sys, w, x, k, T->stages, w->shift_q);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + T->c[k] * x, w->shift_q, w->kv[k], 0,
                                            w->probe.a, w->force, s->error));
        follow(&w->given, sys, w->ka[k], w->probe.a, w->force);
        for (int r = 0; r < sys->nrow; r++)
            w->mean[r] += T->b[k] * w->force[r];
    }
    return CAROM_OK;
}

/* Weights of the forces at the start, at the stages that are kept, and at the end. */
static void weights(const carom_piecewise *w, double *start, double *stage, double *end)
{
    const carom_tableau *T = w->tableau, *pair = carom_tableau_list(CAROM_TABLEAU_ERK5);
    *start = T ? 0 : pair->b[0], *end = 0;
    for (int k = 1; !T && k < pair->stages; k++)
        stage[k] = pair->b[k];
    for (int k = 0, kept = 1; T && k < T->stages; k++) {
        if (T->c[k] > 0 && T->c[k] < 1)
            stage[kept++] = T->b[k];
        else
            *(T->c[k] > 0 ? end : start) += T->b[k];
    }
}

/* Shares have kinks: from inside the step, with positive weights, so that the mean is in the law. A point there holds
 * the modes but for the error of interpolation: where it has no share, those of the ends are taken. */
static carom_status shared_impulse(carom_step *s, carom_piecewise *w, const double *v_end, double *impulse)
{
    static const double node[] = {0.2113248654051871, 0.7886751345948129};
    carom_system *sys = s->system;
    bool inside = true;
    memset(impulse, 0, sizeof(double) * (size_t)sys->nrow);
    for (int k = 0; k < 2; k++) {
        carom_piecewise_inside(sys, w, node[k], v_end, w->shift_q, w->shift_v);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + node[k] * w->end.x, w->shift_q, w->shift_v, 0,
                                            w->probe.a, w->force, s->error));
        for (int r = 0; r < sys->nrow; r++)
            impulse[r] += 0.5 * w->end.x * w->force[r];
        inside &= carom_given_in_law(&w->given, sys, w->force);
    }
    for (int r = 0; !inside && r < sys->nrow; r++)
        impulse[r] = 0.5 * w->end.x * (w->start.force[r] + w->end.force[r]);
    return CAROM_OK;
}

carom_status carom_piecewise_impulse(carom_step *s, carom_piecewise *w, const double *v_end, double *impulse)
{
    carom_system *sys = s->system;
    double start = 1.0 / 6, end = 1.0 / 6, stage[CAROM_STAGES] = {0}, most = 0;
    bool whole = w->end.x == w->kept;
    if (w->given.shares && w->end.x > 0)
        return shared_impulse(s, w, v_end, impulse);
    for (int r = 0; r < sys->nrow; r++)
        most = CAROM_MAX(most, CAROM_MAX(fabs(w->start.force[r]), fabs(w->end.force[r])));
    if (whole)
        weights(w, &start, stage, &end);
    else if (most > 0 && w->end.x > 0) {
        carom_piecewise_inside(sys, w, 0.5, v_end, w->shift_q, w->shift_v);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + 0.5 * w->end.x, w->shift_q, w->shift_v, 0,
                                            w->probe.a, w->force, s->error));
    }
    for (int r = 0; r < sys->nrow; r++) {
        if (whole && w->averaged) {                                                              /* (3) */
            impulse[r] = w->end.x * w->mean[r];
            continue;
        }
        double sum = start * w->start.force[r] + end * w->end.force[r] + (whole || most == 0 ? 0 : 4 * w->force[r] / 6);
        for (int k = 1; whole && k < w->watched; k++)
            sum += stage[k] * w->stage_force[k][r];
        impulse[r] = w->end.x * sum;
    }
    return CAROM_OK;
}
