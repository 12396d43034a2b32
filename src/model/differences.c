/* differences.c: finite differences that stand in for derivatives nobody wrote.
 *
 *   f'  = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h                                        (1)
 *   f'' = (16 (f(h) + f(-h)) - (f(2h) + f(-2h)) - 30 f(0)) / 12 h^2                           (2)
 * along a path (t + s, q + s v [+ s^2/2 a], v [+ s a]) or along one direction of v, so third-order tensors are never
 * formed; q moves in its local coordinates where it is no vector, and a keeps its meaning since K(xi) xi = xi.
 * u = g' and G a + gamma = g'' along the path of motion. Steps are powers of two: about 1e-3 for plain
 * callbacks, larger where (1) is taken of something that is a difference itself; lengths and angles are measured
 * in units of their initial value, cut to [1e-3, 1]. Errors are about 1e-12 for (1), 1e-10 for (2) and 1e-8 for
 * (1) of (2). Slip is affine in v, so its rows of G are exact. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "model/differences.h"

typedef struct path { /* what changes with s; NULL: nothing */
    double t;
    const double *q, *v, *p;
    const double *bend; /* [nv]: q moves by s^2/2 bend as well */
} path;

typedef void function(carom_scratch *k, const carom_point *at, double *out);

#define STEP_PLAIN 0x1p-10
#define STEP_NESTED 0x1p-8  /* of a quotient (1), or of (2) itself */
#define STEP_DEEP 0x1p-7    /* of a quotient (2) */

static double unit_q(const carom_model *m, int j)
{
    double start = m->manifold ? 1 : fabs(m->q[j]);
    return start > 0 ? fmin(1, fmax(1e-3, start)) : 1;
}

/* Step in s that moves nothing by more than `step` of its unit. */
static double step_along(const carom_model *m, const path *d, const double *p, double step)
{
    double rate = 0;
    if (d->t != 0)
        rate = fabs(d->t) / (m->period > 0 ? fmin(1, m->period / 8) : 1);
    for (int j = 0; d->q && j < m->nv; j++)
        rate = fmax(rate, fabs(d->q[j]) / unit_q(m, j));
    for (int j = 0; d->v && j < m->nv; j++)
        rate = fmax(rate, fabs(d->v[j]));
    for (int j = 0; d->p && j < m->np; j++)
        rate = fmax(rate, fabs(d->p[j]) / (p[j] != 0 ? fabs(p[j]) : 1));
    int exponent = 0;
    frexp(rate > 0 && isfinite(rate) ? step / rate : step, &exponent);
    return ldexp(1, exponent - 1);
}

static carom_point move(const carom_model *m, const carom_moved *to, const carom_point *at, const path *d, double s)
{
    carom_point moved = *at;
    moved.t = at->t + s * d->t;
    if (d->q || d->bend) {
        for (int j = 0; j < m->nv; j++)
            to->xi[j] = s * ((d->q ? d->q[j] : 0) + (d->bend ? s / 2 * d->bend[j] : 0));
        carom_model_drift(m, at->q, to->xi, to->q);
        moved.q = to->q;
    }
    if (d->v) {
        for (int j = 0; j < m->nv; j++)
            to->v[j] = at->v[j] + s * d->v[j];
        moved.v = to->v;
    }
    if (d->p) {
        for (int j = 0; j < m->np; j++)
            to->p[j] = at->p[j] + s * d->p[j];
        moved.p = to->p;
    }
    return moved;
}

static void combine(carom_scratch *k, const carom_moved *level, function *f, int n, const carom_point *at,
                    const path *d, double h, int points, const double *weight, double *out)
{
    memset(out, 0, sizeof *out * (size_t)n);
    for (int i = 0; i < points; i++) {
        int offset = i - points / 2;
        if (weight[i] == 0)
            continue;
        carom_point moved = move(k->model, level, at, d, offset * h);
        f(k, &moved, level->value);
        for (int r = 0; r < n; r++)
            out[r] += weight[i] * level->value[r];
    }
}

static void first(carom_scratch *k, const carom_moved *level, function *f, int n, const carom_point *at, const path *d,
                  double step, double *out) /* (1) */
{
    static const double weight[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
    double h = step_along(k->model, d, at->p, step);
    combine(k, level, f, n, at, d, h, 5, weight, out);
    for (int r = 0; r < n; r++)
        out[r] /= h;
}

static void second(carom_scratch *k, const carom_moved *level, function *f, int n, const carom_point *at, const path *d,
                   double step, double *out) /* (2) */
{
    static const double weight[5] = {-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12};
    double h = step_along(k->model, d, at->p, step);
    combine(k, level, f, n, at, d, h, 5, weight, out);
    for (int r = 0; r < n; r++)
        out[r] /= h * h;
}

/* ---- what is differentiated ---- */
static void gap(carom_scratch *k, const carom_point *at, double *out)
{
    k->model->gap(at, out);
}

static void slip(carom_scratch *k, const carom_point *at, double *out)
{
    k->model->slip(at, out);
}

static void potential(carom_scratch *k, const carom_point *at, double *out)
{
    k->model->potential(at, out);
}

static void kinetic(carom_scratch *k, const carom_point *at, double *out)
{
    int n = k->model->nv;
    k->model->mass(at, k->M);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += at->v[i] * carom_dot(n, k->M + i * n, at->v);
    *out = sum / 2;
}

/* u = G v + w [nrow] */
static void velocity(carom_scratch *k, const carom_point *at, double *out)
{
    const carom_model *m = k->model;
    if (m->jacobian) {
        carom_callback_jacobian(k, at, k->G, k->w);
        carom_multiply(k->nrow, m->nv, k->G, at->v, out);
        for (int r = 0; r < k->nrow; r++)
            out[r] += k->w[r];
        return;
    }
    path motion = {.t = 1, .q = at->v};
    if (k->ngap)
        first(k, &k->inner, gap, k->ngap, at, &motion, STEP_PLAIN, k->gap);
    for (int i = 0; i < k->ngap; i++)
        out[k->gap_row[i]] = k->gap[i];
    if (k->nslip)
        m->slip(at, k->slip);
    for (int i = 0; i < k->nslip; i++)
        out[k->slip_row[i]] = k->slip[i];
}

/* G a + gamma [nrow] with the acceleration `bend` (NULL: 0) */
static void along_motion(carom_scratch *k, const carom_point *at, const double *bend, double *out)
{
    const carom_model *m = k->model;
    path motion = {.t = 1, .q = at->v, .v = bend}, curved = {.t = 1, .q = at->v, .bend = bend};
    if (m->jacobian) {
        first(k, &k->inner, velocity, k->nrow, at, &motion, STEP_PLAIN, out);
        return;
    }
    if (k->ngap)
        second(k, &k->inner, gap, k->ngap, at, &curved, STEP_NESTED, k->gap);
    for (int i = 0; i < k->ngap; i++)
        out[k->gap_row[i]] = k->gap[i];
    if (k->nslip)
        first(k, &k->inner, slip, k->nslip, at, &motion, STEP_PLAIN, k->slip);
    for (int i = 0; i < k->nslip; i++)
        out[k->slip_row[i]] = k->slip[i];
}

static void acceleration(carom_scratch *k, const carom_point *at, double *out)
{
    const carom_model *m = k->model;
    if (!m->gamma || !m->jacobian) {
        along_motion(k, at, k->a, out);
        return;
    }
    m->jacobian(at, k->G);
    m->gamma(at, k->w);
    carom_multiply(k->nrow, m->nv, k->G, k->a, out);
    for (int r = 0; r < k->nrow; r++)
        out[r] += k->w[r];
}

/* r = M a - s F - G^T x, the parts that k->parts names */
static void residual(carom_scratch *k, const carom_point *at, double *out)
{
    const carom_model *m = k->model;
    int n = m->nv;
    memset(out, 0, sizeof *out * (size_t)n);
    if (k->parts & CAROM_PART_M) {
        m->mass(at, k->M);
        carom_multiply(n, n, k->M, k->a, out);
    }
    if (k->parts & CAROM_PART_F) {
        m->force(at, k->F);
        for (int i = 0; i < n; i++)
            out[i] -= k->s * k->F[i];
    }
    if (k->parts & CAROM_PART_G) {
        carom_callback_jacobian(k, at, k->G, k->w);
        for (int r = 0; r < k->nrow; r++)
            for (int i = 0; i < n; i++)
                out[i] -= k->G[r * n + i] * k->x[r];
    }
}

/* ---- what the adapter asks for ---- */
static void slip_rows(carom_scratch *k, const carom_point *at, double *G, double *w)
{
    const carom_model *m = k->model;
    double *v = k->inner.v, *there = k->inner.value, *rest = k->slip;
    carom_point still = *at;
    still.v = v;
    memset(v, 0, sizeof *v * (size_t)m->nv);
    m->slip(&still, rest);
    for (int i = 0; w && i < k->nslip; i++)
        w[k->slip_row[i]] = rest[i];
    for (int j = 0; j < m->nv; j++) {
        v[j] = 1;
        m->slip(&still, there);
        v[j] = 0;
        for (int i = 0; i < k->nslip; i++)
            G[k->slip_row[i] * m->nv + j] = there[i] - rest[i];
    }
}

void carom_difference_jacobian(carom_scratch *k, const carom_point *at, double *G, double *w)
{
    const carom_model *m = k->model;
    double *unit = k->inner.unit;
    for (int j = 0; k->ngap && j < m->nv; j++) {
        path along = {.q = unit};
        memset(unit, 0, sizeof *unit * (size_t)m->nv);
        unit[j] = 1;
        first(k, &k->inner, gap, k->ngap, at, &along, STEP_PLAIN, k->gap);
        for (int i = 0; i < k->ngap; i++)
            G[k->gap_row[i] * m->nv + j] = k->gap[i];
    }
    if (k->ngap) {
        path time = {.t = 1};
        first(k, &k->inner, gap, k->ngap, at, &time, STEP_PLAIN, k->gap);
        for (int i = 0; i < k->ngap; i++)
            w[k->gap_row[i]] = k->gap[i];
    }
    if (k->nslip)
        slip_rows(k, at, G, w);
}

void carom_difference_gamma(carom_scratch *k, const carom_point *at, double *gamma)
{
    along_motion(k, at, NULL, gamma);
}

void carom_difference_energy(carom_scratch *k, const carom_point *at, double *energy)
{
    const carom_model *m = k->model;
    path motion = {.t = 1, .q = at->v};
    double power = 0, rate = 0;
    kinetic(k, at, &energy[0]);
    energy[1] = 0;
    if (m->potential) {
        m->potential(at, &energy[1]);
        first(k, &k->inner, potential, 1, at, &motion, STEP_PLAIN, &power);
    }
    if (!(m->constant & CAROM_MASS))
        first(k, &k->inner, kinetic, 1, at, &motion, STEP_PLAIN, &rate); /* v^T Mdot v / 2: v stands still */
    m->force(at, k->F);
    double all = carom_dot(m->nv, k->F, at->v);
    carom_point still = *at;
    still.v = k->inner.v;
    memset(k->inner.v, 0, sizeof *k->inner.v * (size_t)m->nv);
    m->force(&still, k->F);
    double conservative = carom_dot(m->nv, k->F, at->v);
    energy[2] = conservative + power;
    for (int i = 0; i < m->nv; i++)
        k->inner.v[i] = 0x1p-200 * at->v[i];
    m->force(&still, k->F);
    double dry = carom_dot(m->nv, k->F, at->v) - conservative; /* (7) of derive.c */
    energy[4] = fabs(dry) > 1e-30 * fabs(all) ? dry : 0;
    energy[3] = all - conservative - energy[4] + rate;
}

/* Columns j of the derivative of f [n] with respect to q, v or p. */
static void columns(carom_scratch *k, const carom_point *at, function *f, int n, char variable, double step,
                    double *out)
{
    const carom_model *m = k->model;
    int count = variable == 'p' ? m->np : m->nv;
    double *unit = k->outer.unit;
    for (int j = 0; j < count; j++) {
        path along = {.q = variable == 'q' ? unit : NULL,
                      .v = variable == 'v' ? unit : NULL,
                      .p = variable == 'p' ? unit : NULL};
        memset(unit, 0, sizeof *unit * (size_t)count);
        unit[j] = 1;
        first(k, &k->outer, f, n, at, &along, step, k->column);
        for (int i = 0; i < n; i++)
            out[i * count + j] = k->column[i];
    }
}

static void residual_matrix(carom_scratch *k, const carom_point *at, char variable, double *out)
{
    const carom_model *m = k->model;
    carom_callback *given = variable == 'q' ? m->force_q : variable == 'v' ? m->force_v : NULL;
    bool fixed = variable != 'p';
    k->parts = (fixed && m->constant & CAROM_MASS ? 0 : CAROM_PART_M) | (given ? 0 : CAROM_PART_F) |
               (!k->nrow || (fixed && m->constant & CAROM_JACOBIAN) ? 0 : CAROM_PART_G);
    if (variable == 'v')
        k->parts &= CAROM_PART_F; /* M and G do not depend on v */
    double step = k->parts & CAROM_PART_G && !m->jacobian && k->ngap ? STEP_NESTED : STEP_PLAIN;
    if (k->parts)
        columns(k, at, residual, m->nv, variable, step, out);
    if (!given)
        return;
    double *matrix = k->M;
    given(at, matrix);
    for (int i = 0; i < m->nv * m->nv; i++)
        out[i] = (k->parts ? out[i] : 0) - k->s * matrix[i];
}

void carom_difference_matrix(carom_scratch *k, const carom_point *at, unsigned which, double *out)
{
    const unsigned vanishing = CAROM_U_Q | CAROM_A_Q | CAROM_A_V; /* when G and w are constant */
    if (which & vanishing && k->model->constant & CAROM_JACOBIAN) {
        memset(out, 0, sizeof *out * (size_t)(k->nrow * k->model->nv));
        return;
    }
    double nested = k->model->jacobian ? STEP_PLAIN : STEP_NESTED;
    double deep = k->model->jacobian && k->model->gamma ? STEP_PLAIN : k->model->jacobian ? STEP_NESTED : STEP_DEEP;
    switch (which) {
    case CAROM_R_Q: residual_matrix(k, at, 'q', out); break;
    case CAROM_R_V: residual_matrix(k, at, 'v', out); break;
    case CAROM_R_P: residual_matrix(k, at, 'p', out); break;
    case CAROM_U_Q: columns(k, at, velocity, k->nrow, 'q', nested, out); break;
    case CAROM_U_P: columns(k, at, velocity, k->nrow, 'p', nested, out); break;
    case CAROM_A_Q: columns(k, at, acceleration, k->nrow, 'q', deep, out); break;
    case CAROM_A_V: columns(k, at, acceleration, k->nrow, 'v', deep, out); break;
    case CAROM_A_P: columns(k, at, acceleration, k->nrow, 'p', deep, out); break;
    default: break;
    }
}
