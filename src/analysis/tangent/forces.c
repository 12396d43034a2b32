/* forces.c: events of forces: a contact opens, or one that sticks begins to slip; forces at the present state.
 *
 *   h = lambda_n,   or   h = mu_s lambda_n - |lambda_t|                                                   (1)
 *   dt = -dh/hd,    dh by the linearised equations of the mode, hd the same along (v, a) and lambda_t      (2)
 *   static friction above mu:   dx+ = dx + (f- - f+) dt,  det S = hd(f+)/hd(f-);  otherwise f+ = f-, S = 1   (3)
 *
 *   d lambda at a state: by the linearised equations of its modes                                          (4)
 *
 * The partial derivative of forces by time is a difference of order 6: nothing but (3) depends on it. */
#include <math.h>
#include <string.h>

#include "analysis/tangent/follow.h"
#include "laws/coulomb.h"

/* dh of (1) for a change of the forces and of the law. */
static double change(const carom_tangent *t, int c, bool opens, const double *force, const double *dforce, double dmu)
{
    const carom_link *link = carom_contact_link(&t->system, c);
    const double *x = force + link->row, *d = dforce + link->row;
    if (opens)
        return d[0];
    double size = link->law->tangents > 1 ? hypot(x[1], x[2]) : fabs(x[1]),
           along = x[1] * d[1] + (link->law->tangents > 1 ? x[2] * d[2] : 0);
    return carom_link_mu(&t->system, link, true) * d[0] + dmu * x[0] - along / size;
}

static double law_change(const carom_tangent *t, int i, const double *x, const double *dp)
{
    int nv = t->system.nv, np = t->system.model->np;
    double sum = 0;
    for (int k = 0; k < nv; k++)
        sum += t->flow.law_q[i * nv + k] * x[k * t->n]; /* at rest there is no slip speed that changes */
    for (int k = 0; dp && k < np; k++)
        sum += t->saltation.law_p[i * np + k] * dp[k * t->n];
    return sum;
}

/* Forces by time with q and v fixed, into out [nrow]. */
static carom_status in_time(carom_tangent *t, double time, const double *q, const double *v, double *out)
{
    static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    double h = t->step / 8;
    memset(out, 0, sizeof(double) * (size_t)t->system.nrow);
    for (int k = -3; k <= 3; k++) {
        double w = k == 0 ? 0 : (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h;
        if (k == 0)
            continue;
        CAROM_TRY(
            carom_given_accel(&t->flow.given, &t->system, time + k * h, q, v, 0, t->a, t->force, &t->error));
        for (int r = 0; r < t->system.nrow; r++)
            out[r] += w * t->force[r];
    }
    return CAROM_OK;
}

carom_status carom_tangent_force_event(carom_tangent *tangent, double time, int contact, bool opens)
{
    carom_tangent *t = tangent;
    carom_system *sys = &t->system;
    carom_flow *f = &t->flow;
    const double *dp = t->parameters ? t->dp : NULL;
    int nv = sys->nv, n = t->n;
    double *dforce = t->u_after, *in = t->u, rate[2];
    f->given.modes = t->modes;
    CAROM_TRY(in_time(t, time, t->q, t->v, in));
    CAROM_TRY(carom_flow_point(f, time, t->q, t->v, n, dp, t->saltation.law_p, f->a_q, f->a_v, f->b, &t->error));
    carom_copy(nv, t->v, f->x);
    for (int side = 0; side < 2; side++) {
        if (side == 1) {
            f->given.modes = t->modes_after;
            CAROM_TRY(carom_given_accel(&f->given, sys, time, t->q, t->v, 0, t->a, t->force, &t->error));
            f->given.modes = t->modes;
        }
        carom_copy(nv, side ? t->a : f->a, f->x + nv);
        carom_flow_forces(f, f->x, NULL, 1, NULL, dforce);
        for (int r = 0; r < sys->nrow; r++)
            dforce[r] += in[r];
        rate[side] = change(t, contact, opens, f->force, dforce, 0);                             /* (2) */
    }
    const carom_link *link = carom_contact_link(sys, contact);
    bool jumps = !opens && carom_link_mu(sys, link, true) > carom_link_mu(sys, link, false);
    for (int j = 0; j < n; j++) {
        carom_flow_forces(f, t->X + j, dp ? dp + j : NULL, n, t->saltation.law_p, dforce);
        double dmu = opens ? 0 : law_change(t, link->coefficient + CAROM_FRICTION_STATIC, t->X + j, dp ? dp + j : NULL);
        t->dt[j] = -change(t, contact, opens, f->force, dforce, dmu) / rate[0];
        for (int i = 0; jumps && i < nv; i++)
            t->X[(nv + i) * n + j] += (f->a[i] - t->a[i]) * t->dt[j];                            /* (3) */
    }
    if (jumps)
        t->report.log_det += log(fabs(rate[1] / rate[0]));
    return CAROM_OK;
}

carom_status carom_tangent_reaction(carom_tangent *tangent, int row, double *slope, carom_error *error)
{
    carom_tangent *t = tangent;
    carom_flow *f = &t->flow;
    const carom_state *s = &t->sim->now.state;
    const double *dp = t->parameters ? t->dp : NULL;
    carom_tangent_modes(t, t->modes_after);
    f->given.modes = t->modes_after;
    CAROM_TRY(carom_flow_point(f, s->t, s->q, s->v, t->n, dp, t->saltation.law_p, f->a_q, f->a_v, f->b, error));
    if (f->linear.e.m && f->linear.rank < f->linear.e.m)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "at t = %.6g joints and contacts share their forces: one alone has no derivative", s->t);
    for (int j = 0; j < t->n; j++) {                                                             /* (4) */
        carom_flow_forces(f, t->X + j, dp ? dp + j : NULL, t->n, t->saltation.law_p, t->u_after);
        slope[j] = t->u_after[row];
    }
    return CAROM_OK;
}
