/* saltation_rule.c: what an impact by a rule of its own (contact/rules.h) does to a variation.
 *
 *   R(t, q, v-, p): the rule, with the contacts that take part in the impact                                  (1)
 *   D+ = d/ds R(t + s dt, q + s Dq, v- + s Dv-, p + s dp) at s = 0: a difference of order 6                   (2)
 *
 * R is piecewise linear in v- and smooth in the rest, so that (2) is exact to rounding over s while the phases of all
 * contacts stay what they are. Where they do not, a difference of order 2 is far from it: the mismatch tells. */
#include <math.h>
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "model/model.h"

static carom_status rule_at(carom_saltation *s, const carom_instant *at, double t, const double *q, const double *v,
                            double *v_new, carom_error *error)
{
    carom_system *sys = s->linear.system;
    carom_collision x = {.contacts = &s->contacts, .system = sys, .t = t, .links = s->links, .v = v, .now = &s->still,
                         .v_new = v_new, .error = error};
    for (int i = 0; i < sys->nlink; i++) {
        int c = sys->link[i].contact;
        if (c < 0 || c == at->contact || at->before[c].mode != CAROM_OPEN || at->jump[c].mode != CAROM_OPEN)
            s->links[x.n++] = i;
    }
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, t, q, v);
    CAROM_TRY(carom_mass_factor(sys, t, error));
    return at->rule->resolve(&x);                                                                /* (1) */
}

carom_status carom_saltation_rule_velocity(carom_saltation *s, const carom_instant *at, double *v_after,
                                           carom_error *error)
{
    return rule_at(s, at, at->t, at->q, at->v_before, v_after, error);
}

/* Parameters p + s dp; entries of dp are n apart. */
static void set_parameters(carom_saltation *s, const carom_instant *at, const double *dp, int n, double h)
{
    carom_system *sys = s->linear.system;
    for (int i = 0; i < sys->model->np; i++)
        sys->p[i] = s->p[i] + h * dp[i * n];
    carom_system_begin(sys, at->t, at->q, at->v_before);
}

/* A step s of the difference: gaps, velocities, times and parameters change by small parts. */
static double step_of(const carom_saltation *s, const carom_instant *at, double dt, const double *dp, int n)
{
    const carom_system *sys = s->linear.system;
    double most = CAROM_MAX(64 * carom_norm_max(sys->nv, s->Dv) / fabs(s->rate), fabs(dt) / at->step);
    most = CAROM_MAX(most, 256 * carom_norm_max(sys->nv, s->Dq) / (1 + carom_norm_max(sys->nq, at->q)));
    for (int i = 0; dp && i < sys->model->np; i++)
        most = CAROM_MAX(most, 256 * fabs(dp[i * n]) / (s->p[i] != 0 ? fabs(s->p[i]) : 1));
    int exponent;
    frexp(most > 0 ? most : 1, &exponent);
    return ldexp(1, -exponent);
}

carom_status carom_saltation_rule_column(carom_saltation *s, const carom_instant *at, double dt, const double *dp,
                                         int n, carom_error *error)
{
    static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    carom_system *sys = s->linear.system;
    int nv = sys->nv;
    double *sum = s->c, *two = s->low, *v = s->dv;
    carom_copy(sys->model->np, sys->p, s->p);
    double h = step_of(s, at, dt, dp, n), off = 0, size = 0;
    memset(sum, 0, sizeof(double) * (size_t)nv);
    memset(two, 0, sizeof(double) * (size_t)nv);
    for (int k = -3; k <= 3; k++) {                                                              /* (2) */
        if (k == 0)
            continue;
        double w = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h;
        for (int i = 0; i < nv; i++)
            v[i] = at->v_before[i] + k * h * s->Dv[i];
        if (dp)
            set_parameters(s, at, dp, n, k * h);
        carom_system_drift(sys, at->q, s->Dq, k * h, s->moved);
        CAROM_TRY(rule_at(s, at, at->t + k * h * dt, s->moved, v, s->v_rule, error));
        for (int i = 0; i < nv; i++) {
            sum[i] += w * s->v_rule[i];
            two[i] += k * k == 1 ? k * s->v_rule[i] / (2 * h) : 0;
        }
    }
    if (dp)
        set_parameters(s, at, dp, n, 0);
    for (int i = 0; i < nv; i++)
        off = CAROM_MAX(off, fabs(two[i] - sum[i])), size = CAROM_MAX(size, fabs(sum[i]));
    size += carom_norm_max(nv, s->Dv) + carom_norm_max(nv, s->Dq);
    if (off > 1e-3 * size && off > 1e-9 * carom_norm_max(nv, at->v_before) / (h * 256)) /* more than rounding */
        s->mismatch = CAROM_MAX(s->mismatch, off / size);
    carom_copy(nv, sum, s->Dv);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, at->t, at->q, at->v_before);
    return carom_mass_factor(sys, at->t, error);
}
