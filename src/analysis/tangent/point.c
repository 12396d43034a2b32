/* point.c: the linearised accelerations of given modes at a point.
 *
 *   M da - G^T dlambda = -(R_q dq + R_v dv + R_p dp)                                               (1)
 *   held rows:  G da = -(A_q dq + A_v dv + A_p dp)                                                 (2)
 *   slip:  dlambda_t + mu s dlambda_n = -dmu s lambda_n - mu lambda_n ds,
 *          in space ds = (1 - s s^T)/|u_t| (U_q dq + G dv + U_p dp)                                (3)
 *          |u_t| is at least what the scheme resolves: slip that has just begun relaxes across s faster than any step
 *
 * by the matrix of the accelerations themselves: linear.c. */
#include <math.h>
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "laws/coulomb.h"
#include "model/model.h"

bool carom_flow_turns(const carom_flow *flow, const carom_link_mode *modes)
{
    const carom_system *sys = flow->linear.system;
    for (int k = sys->njoint; k < sys->nlink; k++)
        if (modes[sys->link[k].contact].mode == CAROM_SLIP &&
            (sys->link[k].law->tangents > 1 || !(sys->known & CAROM_LAW)))
            return true;
    return false;
}

/* mu by q where it depends on q, by differences of order 4; by v where it depends on slip. */
static void friction_gradient(carom_flow *f, double t, const double *q, const double *v)
{
    carom_system *sys = f->linear.system;
    int n = sys->nlaw, nv = sys->nv;
    bool slips = false;
    for (int i = 0; i < f->linear.e.m; i++)
        slips |= f->linear.normal[i] >= 0;
    memset(f->law_q, 0, sizeof(double) * (size_t)(n * nv));
    memset(f->law_v, 0, sizeof(double) * (size_t)(n * nv));
    if (!slips || sys->known & CAROM_LAW)
        return;
    bool speeds = carom_model_any_speeds(sys->model) != 0;
    if (speeds)
        carom_system_eval(sys, CAROM_GAMMA | CAROM_U_Q, t, q, v);
    memset(f->term, 0, sizeof(double) * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        const double weight[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
        double size = sys->model->manifold ? 1 : fabs(q[j]), h = 0x1p-10 * CAROM_MAX(1, size);
        h = speeds ? carom_law_step(sys, v, sys->at.U_q, nv, j, h) : h;
        for (int k = -2; k <= 2; k++) {
            f->term[j] = 1;
            carom_system_drift(sys, q, f->term, k * h, f->moved);
            carom_system_eval(sys, CAROM_LAW, t, f->moved, v);
            for (int i = 0; i < n; i++)
                f->law_q[i * nv + j] += weight[k + 2] / h * sys->at.law[i];
        }
        f->term[j] = 0;
    }
    for (int j = 0; speeds && j < nv; j++)
        carom_law_by_velocity(sys, t, q, v, j, f->term, f->law_v + j);
    carom_system_eval(sys, CAROM_LAW, t, q, v);
}

/* The right-hand sides of slipping rows in (3): U [nrow] (entries stride apart) and dlaw [nlaw] of a column. */
static double slipping(const carom_flow *f, int i, const double *U, int stride, const double *dlaw, int law_stride)
{
    const carom_linear *l = &f->linear;
    const carom_system *sys = l->system;
    const carom_link *link = carom_linear_link(l, i);
    int n = link->row, c = link->contact, j = l->e.row[i] - n - 1;
    const double *s = f->given.modes[c].direction;
    int law = link->coefficient + (f->given.modes[c].mode == CAROM_SLIP ? CAROM_FRICTION : CAROM_FRICTION_STATIC);
    double mu = sys->at.law[law], sum = dlaw ? -dlaw[law * law_stride] * s[j] * f->force[n] : 0;
    if (link->law->tangents < 2 || f->given.holds[c])
        return sum;
    double speed = hypot(carom_row_speed(sys, n + 1, f->v_here), carom_row_speed(sys, n + 2, f->v_here));
    double across = s[0] * U[(n + 2) * stride] - s[1] * U[(n + 1) * stride];
    return sum - mu * f->force[n] * (j == 0 ? -s[1] : s[0]) * across / CAROM_MAX(speed, 0.3 * sqrt(f->given.slow));
}

/* One column: R, A [nrow], U [nrow] with entries `stride` apart; out with entries `to` apart. */
static void column(carom_flow *f, const double *R, const double *A, const double *U, int stride, const double *dlaw,
                   int law_stride, double *out, int to)
{
    carom_linear *l = &f->linear;
    int nv = l->system->nv;
    for (int i = 0; i < nv; i++)
        f->c[i] = -R[i * stride];
    for (int i = 0; i < l->e.m; i++)
        f->d[i] = l->normal[i] < 0 ? -A[l->e.row[i] * stride] : slipping(f, i, U, stride, dlaw, law_stride);
    carom_linear_solve(l, f->c, f->d);                                                           /* (1)-(3) */
    for (int i = 0; i < nv; i++)
        out[i * to] = f->c[i];
}

/* out += A x for x with entries n apart */
static void add_product(int rows, int columns, const double *A, const double *x, int n, double *out)
{
    for (int k = 0; k < columns; k++) {
        double d = x[k * n];
        if (d != 0)
            for (int i = 0; i < rows; i++)
                out[i] += A[i * columns + k] * d;
    }
}

/* (1)-(3) along a direction (x, dp), either may be NULL, entries n apart: da with entries `to` apart; dlambda in
 * f->d. */
static void direction(carom_flow *f, const double *x, const double *dp, int n, const double *law_p, double *da, int to)
{
    const carom_system *sys = f->linear.system;
    const carom_eval *e = &sys->at;
    int nv = sys->nv, np = sys->model->np, nlaw = sys->nlaw,
        nrow = f->linear.e.m ? sys->nrow : 0;
    double *R = f->right, *A = f->along, *U = A + sys->nrow, *law = U + sys->nrow;
    memset(R, 0, sizeof(double) * (size_t)nv);
    memset(A, 0, sizeof(double) * (size_t)(2 * sys->nrow + nlaw));
    if (x) {
        add_product(nv, nv, e->R_q, x, n, R);
        add_product(nv, nv, e->R_v, x + nv * n, n, R);
        add_product(nrow, nv, e->A_q, x, n, A);
        add_product(nrow, nv, e->A_v, x + nv * n, n, A);
        add_product(nrow, nv, e->U_q, x, n, U);
        add_product(nrow, nv, e->G, x + nv * n, n, U);
        add_product(nrow ? nlaw : 0, nv, f->law_q, x, n, law);
        add_product(nrow ? nlaw : 0, nv, f->law_v, x + nv * n, n, law);
    }
    if (dp) {
        add_product(nv, np, e->R_p, dp, n, R);
        add_product(nrow, np, e->A_p, dp, n, A);
        add_product(nrow, np, e->U_p, dp, n, U);
        add_product(nrow ? nlaw : 0, np, law_p, dp, n, law);
    }
    column(f, R, A, U, 1, law, 1, da, to);
}

/* What dp adds: b [nv*n]. */
static void parameters(carom_flow *f, double t, const double *q, const double *v, int n, const double *dp,
                       const double *law_p, double *b)
{
    carom_system *sys = f->linear.system;
    bool slips = false;
    for (int i = 0; i < f->linear.e.m; i++)
        slips |= f->linear.normal[i] >= 0;
    if (slips && !(sys->known & CAROM_LAW))
        carom_saltation_parameters(f->laws, t, q, v); /* into law_p */
    carom_system_eval(sys, f->linear.e.m ? CAROM_R_P | CAROM_A_P | CAROM_U_P : CAROM_R_P, t, q, v);
    for (int j = 0; j < n; j++)
        direction(f, NULL, dp + j, n, law_p, b + j, n);
}

void carom_flow_forces(carom_flow *flow, const double *x, const double *dp, int n, const double *law_p, double *dforce)
{
    carom_flow *f = flow;
    direction(f, x, dp, n, law_p, f->sum, 1);
    memset(dforce, 0, sizeof(double) * (size_t)f->linear.system->nrow);
    for (int i = 0; i < f->linear.e.m; i++)
        dforce[f->linear.e.row[i]] = f->d[i];
}

carom_status carom_flow_point(carom_flow *flow, double t, const double *q, const double *v, int n, const double *dp,
                              const double *law_p, double *a_q, double *a_v, double *b, carom_error *error)
{
    carom_flow *f = flow;
    carom_system *sys = f->linear.system;
    int nv = sys->nv;
    bool rows = carom_modes_any(sys, f->given.modes);
    f->v_here = v;
    f->linear.e.m = 0;
    if (rows || dp || !(sys->known & CAROM_MASS))
        CAROM_TRY(carom_given_accel(&f->given, sys, t, q, v, 0, f->a, f->force, error));
    else { /* no force, and accelerations do not matter: M is constant */
        memset(f->a, 0, sizeof(double) * (size_t)nv);
        memset(f->force, 0, sizeof(double) * (size_t)sys->nrow);
        CAROM_TRY(carom_mass_factor(sys, t, error));
    }
    if (rows) {
        carom_linear_rows(&f->linear, f->given.modes);
        carom_linear_close(&f->linear);
    }
    friction_gradient(f, t, q, v);
    sys->at.a = f->a, sys->at.x = f->force;
    unsigned more = f->linear.e.m ? CAROM_A_Q | CAROM_A_V | CAROM_U_Q : 0;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V | more, t, q, v);
    const carom_eval *e = &sys->at;
    for (int j = 0; j < nv; j++) {
        column(f, e->R_q + j, more ? e->A_q + j : NULL, more ? e->U_q + j : NULL, nv, f->law_q + j, nv, a_q + j, nv);
        column(f, e->R_v + j, more ? e->A_v + j : NULL, more ? e->G + j : NULL, nv, f->law_v + j, nv, a_v + j, nv);
    }
    if (dp)
        parameters(f, t, q, v, n, dp, law_p, b);
    sys->at.a = sys->at.x = sys->zero;
    return CAROM_OK;
}
