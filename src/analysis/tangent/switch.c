/* switch.c: forces that change their branch (if, abs, sign, ...) at an instant that the scheme has located.
 *
 *   surface f(t, q, v, p) = bound, no jump:  dt = -(f_x dx + f_p dp)/(f_t + f_x f-),   dx+ = dx + (f- - f+) dt      (1)
 *   a force that is continuous there has f+ = f-: nothing to do                                                     (2)
 *   ln|det S| = ln|fd(f+)/fd(f-)|
 *
 * Models do not give derivatives of f: differences of order 6. Sliding along the surface is beyond this file. */
#include <math.h>
#include <string.h>

#include "analysis/tangent/follow.h"

static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};

static double value(carom_tangent *t, int i, double time, const double *q, const double *v)
{
    carom_system_eval(&t->system, CAROM_SWITCH, time, q, v);
    return t->system.at.f[i];
}

/* With other parameters. */
static double value_of(carom_tangent *t, int i, double time, const double *q, const double *v, const double *p)
{
    carom_system *sys = &t->system;
    carom_eval at = sys->at;
    at.want = CAROM_SWITCH;
    at.t = &time, at.q = q, at.v = v, at.p = p;
    sys->evaluator->begin(sys->model, 1, p, t->saltation.spare);
    sys->evaluator->eval(sys->model, &at, t->saltation.spare);
    return sys->at.f[i];
}

/* f by t, then by q, v and, if wanted, p: into t->slope [1+2*nv+np]. */
static void gradient(carom_tangent *t, int i, double time, const double *q, const double *v)
{
    carom_system *sys = &t->system;
    int nv = sys->nv, np = t->parameters ? sys->model->np : 0;
    double *x = t->flow.x, *y = x + nv, *p = t->saltation.p, *there = t->saltation.moved; /* direction of q; v, p; q */
    memset(x, 0, sizeof(double) * (size_t)nv);
    carom_copy(nv, v, y);
    carom_copy(sys->model->np, sys->p, p);
    for (int j = -1; j < 2 * nv + np; j++) {
        double *moved = j < 0 ? NULL : j < 2 * nv ? &x[j] : &p[j - 2 * nv], at = moved ? *moved : 0, sum = 0;
        double size = j >= 0 && j < nv && !sys->model->manifold ? fabs(q[j]) : fabs(at);
        double h = j < 0 ? t->step / 8 : 0x1p-8 * CAROM_MAX(1, size);
        for (int k = -3; k <= 3; k++) {
            if (k == 0)
                continue;
            if (moved)
                *moved = at + k * h;
            carom_system_drift(sys, q, x, 1, there);
            double f =
                j >= 2 * nv ? value_of(t, i, time, there, y, p) : value(t, i, time + (j < 0 ? k * h : 0), there, y);
            sum += (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h * f;
        }
        if (moved)
            *moved = at;
        t->slope[1 + j] = sum;
    }
}

static carom_status acceleration(carom_tangent *t, const double *branch, double time, const double *q, const double *v,
                                 double *a)
{
    carom_system *sys = &t->system;
    t->flow.given.modes = t->modes;
    sys->at.d = branch;
    sys->frozen = CAROM_SWITCH;
    carom_status status = carom_given_accel(&t->flow.given, sys, time, q, v, 0, a, t->force, &t->error);
    sys->frozen = 0;
    return status;
}

static double rate(const carom_tangent *t, const double *v, const double *a)
{
    int nv = t->system.nv;
    return t->slope[0] + carom_dot(nv, t->slope + 1, v) + carom_dot(nv, t->slope + 1 + nv, a);
}

static carom_status cross(carom_tangent *t, int i, const double *after, double time, const double *q, const double *v)
{
    int nv = t->system.nv, np = t->system.model->np, n = t->n;
    double *a = t->flow.a, *b = t->a, change = 0;
    CAROM_TRY(acceleration(t, t->branch, time, q, v, a));
    CAROM_TRY(acceleration(t, after, time, q, v, b));
    for (int k = 0; k < nv; k++)
        change = CAROM_MAX(change, fabs(a[k] - b[k]));
    if (change <= 1e-9 * (1 + carom_norm_max(nv, a)))
        return CAROM_OK;                                                                         /* (2) */
    t->system.at.d = t->branch;
    gradient(t, i, time, q, v);
    double before = rate(t, v, a);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < 2 * nv; k++)
            sum += t->slope[1 + k] * t->X[k * n + j];
        for (int k = 0; t->parameters && k < np; k++)
            sum += t->slope[1 + 2 * nv + k] * t->dp[k * n + j];
        for (int k = 0; k < nv; k++)
            t->X[(nv + k) * n + j] -= (a[k] - b[k]) * sum / before;                              /* (1) */
    }
    t->report.log_det += log(fabs(rate(t, v, b) / before));
    return CAROM_OK;
}

carom_status carom_tangent_switch(carom_tangent *tangent, const carom_segment *segment)
{
    carom_tangent *t = tangent;
    const double *after = t->sim->record.branches;
    int n = t->system.model->nswitch, changed = 0, which = -1;
    if (t->sim->record.slides)
        carom_tangent_flag(t, CAROM_TANGENT_BEYOND, "a force slides between its branches from t = %.10g on",
                           t->sim->record.slide_time);
    for (int i = 0; i < n; i++)
        if (t->branched && t->branch[i] != after[i])
            changed++, which = i;
    if (changed == 1)
        CAROM_TRY(cross(t, which, after, segment->t0, segment->q0, segment->v));
    else if (changed > 1)
        carom_tangent_flag(t, CAROM_TANGENT_BEYOND, "%d branches of the forces change at once at t = %.10g", changed,
                           segment->t0);
    carom_copy(n, after, t->branch);
    t->branched = true;
    return CAROM_OK;
}
