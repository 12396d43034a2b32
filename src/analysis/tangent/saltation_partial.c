/* saltation_partial.c: partial derivatives at an event that a model does not give.
 *
 *   gaps and laws by parameters, laws by time, position and velocity, M by time:  differences of order 6         (1)
 *   G by time: of gaps w_q; of slip u_t = gamma - U_q v with unit velocities, exactly                            (2) */
#include <math.h>
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "model/model.h"

static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};

/* A step for a quantity of this size, a power of two. */
static double step_of(double size)
{
    int exponent;
    frexp(size > 0 ? size : 1, &exponent);
    return ldexp(1, exponent - 8);
}

double carom_law_step(const carom_system *sys, const double *v, const double *du, int n, int j, double h)
{
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double slip = 0, reach = 0;
        if (!carom_model_speeds(sys->model, link->contact))
            continue;
        for (int k = 0, r = link->row; k < link->rows; k++, r++) {
            double u = carom_row_speed(sys, r, v), d = fabs(du ? du[r * n + j] : carom_row_entry(sys, r, j));
            if (k < carom_link_normals(link))
                h = u < 0 && d > 0 ? fmin(h, -u / (4 * d)) : h;
            else
                slip = hypot(slip, u), reach = hypot(reach, d);
        }
        h = reach > 0 && slip > 0 ? fmin(h, slip / (4 * reach)) : h;
    }
    return h;
}

void carom_saltation_parameters(carom_saltation *saltation, double t, const double *q, const double *v)
{
    carom_saltation *s = saltation;
    carom_system *sys = s->linear.system;
    const carom_model *m = sys->model;
    int nlink = sys->nlink, nlaw = sys->nlaw, np = m->np;
    bool speeds = carom_model_any_speeds(m) != 0;
    if (nlink == 0)
        return;
    if (speeds && np) {
        carom_system_eval(sys, CAROM_JACOBIAN, t, q, v);
        carom_system_eval(sys, CAROM_U_P, t, q, v);
    }
    carom_eval at = sys->at;
    at.want = CAROM_GAP | (m->ncontact ? CAROM_LAW : 0);
    at.t = &t, at.q = q, at.v = v, at.p = s->p;
    at.g = s->value, at.law = s->value + nlink;
    carom_copy(np, sys->p, s->p);
    for (int j = 0; j < np; j++) {
        double h = step_of(fabs(sys->p[j]));
        h = speeds ? carom_law_step(sys, v, sys->at.U_p, np, j, h) : h;
        for (int i = 0; i < nlink; i++)
            s->g_p[i * np + j] = 0;
        for (int i = 0; i < nlaw; i++)
            s->law_p[i * np + j] = 0;
        for (int k = -3; k <= 3; k++) {
            if (k == 0)
                continue;
            double w = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h;
            s->p[j] = sys->p[j] + k * h;
            sys->evaluator->begin(m, 1, s->p, s->spare);
            sys->evaluator->eval(m, &at, s->spare);
            for (int i = 0; i < nlink; i++)
                s->g_p[i * np + j] += w * at.g[i];
            for (int i = 0; i < nlaw; i++)
                s->law_p[i * np + j] += w * at.law[i];
        }
        s->p[j] = sys->p[j];
    }
}

void carom_law_by_velocity(carom_system *sys, double t, const double *q, const double *v, int j, double *moved,
                           double *out)
{
    int nv = sys->nv;
    double h = carom_law_step(sys, v, NULL, nv, j, step_of(fabs(v[j])));
    carom_copy(nv, v, moved);
    for (int i = 0; i < sys->nlaw; i++)
        out[i * nv] = 0;
    for (int k = -3; k <= 3; k++) {
        if (k == 0)
            continue;
        moved[j] = v[j] + k * h;
        carom_system_eval(sys, CAROM_LAW, t, q, moved);
        for (int i = 0; i < sys->nlaw; i++)
            out[i * nv] += (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h * sys->at.law[i];
    }
}

void carom_saltation_laws(carom_saltation *saltation, const carom_instant *at)
{
    carom_saltation *s = saltation;
    carom_system *sys = s->linear.system;
    int nv = sys->nv, n = sys->nlaw;
    memset(s->law_t, 0, sizeof(double) * (size_t)n);
    memset(s->law_q, 0, sizeof(double) * (size_t)(n * nv));
    memset(s->law_v, 0, sizeof(double) * (size_t)(n * nv));
    if (sys->known & CAROM_LAW || !n)
        return;
    bool speeds = carom_model_any_speeds(sys->model) != 0;
    memset(s->Dq, 0, sizeof(double) * (size_t)nv);
    if (speeds) {
        carom_system_eval(sys, CAROM_JACOBIAN, at->t, at->q, at->v_before);
        carom_system_eval(sys, CAROM_GAMMA | CAROM_U_Q, at->t, at->q, at->v_before);
        for (int r = 0; r < sys->nrow; r++)
            s->U_t[r] = sys->at.gamma[r] - carom_dot(nv, sys->at.U_q + r * nv, at->v_before);
    }
    for (int j = -1; j < nv; j++) {
        double h = j < 0 ? at->step : step_of(sys->model->manifold ? 1 : fabs(at->q[j]));
        if (speeds)
            h = j < 0 ? carom_law_step(sys, at->v_before, s->U_t, 1, 0, h)
                      : carom_law_step(sys, at->v_before, sys->at.U_q, nv, j, h);
        if (j >= 0)
            s->Dq[j] = 1;
        for (int k = -3; k <= 3; k++) {
            if (k == 0)
                continue;
            double w = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h;
            carom_system_drift(sys, at->q, s->Dq, k * h, s->moved);
            carom_system_eval(sys, CAROM_LAW, at->t + (j < 0 ? k * h : 0), s->moved, at->v_before);
            for (int i = 0; i < n; i++)
                *(j < 0 ? &s->law_t[i] : &s->law_q[i * nv + j]) += w * sys->at.law[i];
        }
        if (j >= 0)
            s->Dq[j] = 0;
    }
    for (int j = 0; speeds && j < nv; j++)
        carom_law_by_velocity(sys, at->t, at->q, at->v_before, j, s->Dv, s->law_v + j);
}

/* M_t (v+ - v-), 0 for almost all models. Spoils M, not its factors. */
static void mass_in_time(carom_saltation *s, const carom_instant *at)
{
    carom_system *sys = s->linear.system;
    int nv = sys->nv;
    if (sys->known & CAROM_MASS)
        return;
    for (int k = -3; k <= 3; k++) {
        if (k == 0)
            continue;
        double w = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / at->step;
        carom_system_eval(sys, CAROM_MASS, at->t + k * at->step, at->q, at->v_before);
        carom_mass_multiply(sys, s->dv, s->c);
        for (int i = 0; i < nv; i++)
            s->R_t[i] += w * s->c[i];
    }
    carom_system_eval(sys, CAROM_MASS, at->t, at->q, at->v_before);
}

void carom_saltation_residual(carom_saltation *saltation, const carom_instant *at)
{
    carom_saltation *s = saltation;
    carom_system *sys = s->linear.system;
    int nv = sys->nv, nrow = sys->nrow;
    memset(s->R_t, 0, sizeof(double) * (size_t)nv);
    mass_in_time(s, at);
    if (sys->known & CAROM_JACOBIAN)
        return;
    bool tangents = false;
    for (int k = sys->njoint; k < sys->nlink; k++)
        for (int j = 1; j < sys->link[k].rows; j++)
            tangents |= s->P[sys->link[k].row + j] != 0;
    memset(s->Dv, 0, sizeof(double) * (size_t)nv);
    carom_system_eval(sys, CAROM_GAMMA | CAROM_U_Q, at->t, at->q, s->Dv);
    for (int k = 0; k < sys->nlink; k++) /* gaps: G_t = w_q */
        for (int i = 0; i < nv; i++)
            s->R_t[i] -= s->P[sys->link[k].row] * sys->at.U_q[sys->link[k].row * nv + i];
    if (!tangents)
        return;
    carom_copy(nrow, sys->at.gamma, s->x);                                                       /* w_t */
    for (int i = 0; i < nv; i++) {
        s->Dv[i] = 1;
        carom_system_eval(sys, CAROM_GAMMA | CAROM_U_Q, at->t, at->q, s->Dv);
        for (int k = sys->njoint; k < sys->nlink; k++)
            for (int r = sys->link[k].row + 1; r < sys->link[k].row + sys->link[k].rows; r++)
                s->R_t[i] -= s->P[r] * (sys->at.gamma[r] - sys->at.U_q[r * nv + i] - s->x[r]);   /* (2) */
        s->Dv[i] = 0;
    }
}
