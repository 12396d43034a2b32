/* check.c: every derivative of a model against fourth-order differences of what it is the derivative of. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/dense.h"
#include "model/check.h"

#define TOLERANCE 1e-5 /* a wrong term is of the order of 1; splines and callbacks of differences need some room */
#define STEP 0x1p-10   /* of the differences, in units of the variable */

enum { BASE = CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_ENERGY };

typedef struct bench {
    carom_probe at, derivative; /* the same point: plain quantities, derivatives */
    double *there;              /* [longest] one value of a function */
    double *xi;                 /* [nv] a displacement */
    double *found, *left, *right, *rough; /* [longest] its difference quotients, and what they cannot tell */
    double *off;                /* [longest] errors of a column */
    double *factor;             /* [longest] of the mass matrix */
    int nrow, ngap, longest;
    uint64_t random;
} bench;

typedef void function(const bench *b, double *out);

static void gaps(const bench *b, double *out)
{
    memcpy(out, b->at.at.g, sizeof *out * (size_t)b->ngap);
}

static void velocity(const bench *b, double *out) /* u = G v + w */
{
    carom_multiply(b->nrow, b->at.model->nv, b->at.at.G, b->at.v, out);
    for (int r = 0; r < b->nrow; r++)
        out[r] += b->at.at.w[r];
}

static void acceleration(const bench *b, double *out) /* G a + gamma */
{
    carom_multiply(b->nrow, b->at.model->nv, b->at.at.G, b->at.a, out);
    for (int r = 0; r < b->nrow; r++)
        out[r] += b->at.at.gamma[r];
}

static void residual(const bench *b, double *out) /* M a - s F - G^T x */
{
    int n = b->at.model->nv;
    for (int i = 0; i < n; i++) {
        out[i] = carom_dot(n, b->at.at.M + i * n, b->at.a) - b->at.s * b->at.at.F[i];
        for (int r = 0; r < b->nrow; r++)
            out[i] -= b->at.at.G[r * n + i] * b->at.x[r];
    }
}

static void energy(const bench *b, double *out)
{
    *out = b->at.at.energy[0] + b->at.at.energy[1];
}

/* ---- points ---- */
static double uniform(bench *b) /* in [-1, 1), splitmix64 */
{
    uint64_t z = b->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ldexp((double)((z ^ (z >> 31)) >> 11), -52) - 1;
}

static double unit(double x)
{
    return x != 0 ? fmin(1, fmax(1e-3, fabs(x))) : 1;
}

static double unit_q(const carom_model *m, int i) /* of a displacement */
{
    return m->manifold ? 1 : unit(m->q[i]);
}

static void choose(bench *b, bool start)
{
    carom_probe *k = &b->at;
    const carom_model *m = k->model;
    k->t = start ? 0 : (uniform(b) + 1) / 2 * (m->period > 0 ? m->period : 1);
    k->s = start ? 1 : uniform(b);
    for (int i = 0; i < m->nv; i++)
        b->xi[i] = start ? 0 : 0.1 * unit_q(m, i) * uniform(b);
    carom_model_drift(m, m->q, b->xi, k->q);
    for (int i = 0; i < m->nv; i++) {
        k->v[i] = (m->v ? m->v[i] : 0) + (start ? 0 : uniform(b));
        k->a[i] = uniform(b);
    }
    for (int i = 0; i < m->np; i++)
        k->p[i] = m->p[i] * (start ? 1 : 1 + 0.01 * uniform(b));
    for (int r = 0; r < b->nrow; r++)
        k->x[r] = uniform(b);
}

static bool finite_there(const bench *b)
{
    const carom_eval *e = &b->at.at;
    int n = b->at.model->nv;
    return carom_all_finite(n * n, e->M) && carom_all_finite(n, e->F) && carom_all_finite(b->ngap, e->g) &&
           carom_all_finite(b->nrow * n, e->G) && carom_all_finite(b->nrow, e->gamma) && carom_all_finite(4, e->energy);
}

/* ---- difference quotients ---- */
/* Moves along: 'q', 'v', 'p' component j; 't' time; 'm' the motion (t, q by v); 'a' the motion with acceleration. */
static void move(bench *b, char way, int j, const carom_probe *from, double s)
{
    carom_probe *k = &b->at;
    bool motion = way == 'm' || way == 'a';
    k->t = from->t + (way == 't' || motion ? s : 0);
    for (int i = 0; i < k->model->nv; i++) {
        b->xi[i] = motion                 ? s * from->v[i] + (way == 'a' ? s * s / 2 * from->a[i] : 0)
                   : way == 'q' && i == j ? s
                                          : 0;
        k->v[i] = from->v[i] + (way == 'a' ? s * from->a[i] : way == 'v' && i == j ? s : 0);
    }
    carom_model_drift(k->model, from->q, b->xi, k->q);
    for (int i = 0; i < k->model->np; i++)
        k->p[i] = from->p[i] + (way == 'p' && i == j ? s : 0);
    carom_probe_eval(k);
}

static double step(const carom_probe *from, char way, int j)
{
    const double h = STEP;
    const carom_model *m = from->model;
    if (way == 'q')
        return h * unit_q(m, j);
    if (way == 'p')
        return h * (from->p[j] != 0 ? fabs(from->p[j]) : 1);
    if (way != 'm' && way != 'a')
        return h * (way == 't' && m->period > 0 ? fmin(1, m->period / 8) : 1);
    double rate = m->period > 0 ? fmax(1, 8 / m->period) : 1;
    for (int i = 0; i < m->nv; i++)
        rate = fmax(rate, fabs(from->v[i]) / unit_q(m, i));
    return h / rate;
}

/* With a part of the usual step: found <- f' by a central difference; left and right <- by the samples of one
 * side; scale: the size of f; rough <- the
 * fourth difference: next to nothing, unless terms that cancel leave their rounding or a kink is between the samples */
static void quotient(bench *b, function *f, int n, char way, int j, double part, double *scale)
{
    static const double central[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
    static const double fourth[5] = {1, -4, 6, -4, 1};
    static const double backward[5] = {0.5, -2, 1.5, 0, 0}, forward[5] = {0, 0, -1.5, 2, -0.5};
    const carom_probe *from = &b->derivative;
    double h = part * step(from, way, j);
    *scale = 0;
    for (int r = 0; r < n; r++)
        b->found[r] = b->left[r] = b->right[r] = b->rough[r] = 0;
    for (int i = 0; i < 5; i++) {
        move(b, way, j, from, (i - 2) * h);
        f(b, b->there);
        *scale = fmax(*scale, carom_norm_max(n, b->there) / h);
        for (int r = 0; r < n; r++) {
            b->found[r] += central[i] * b->there[r] / h;
            b->left[r] += backward[i] * b->there[r] / h;
            b->right[r] += forward[i] * b->there[r] / h;
            b->rough[r] += fourth[i] * b->there[r] / h;
        }
    }
}

/* ---- the comparisons ---- */
typedef struct comparison {
    carom_verdict verdict;
    unsigned bit;
    function *f;
    char way;
} comparison;

/* Column j of the exact derivative, entry r. */
static double exact(const bench *b, const comparison *c, int r, int j)
{
    const carom_eval *e = &b->derivative.at;
    int n = b->at.model->nv, np = b->at.model->np;
    switch (c->bit) {
    case CAROM_JACOBIAN: {
        int row = carom_model_link_row(b->at.model, r);
        return c->way == 't' ? e->w[row] : e->G[row * n + j];
    }
    case CAROM_GAMMA: return e->gamma[r];
    case CAROM_ENERGY: return e->energy[2] + e->energy[3] + e->energy[4];
    case CAROM_R_Q: return e->R_q[r * n + j];
    case CAROM_R_V: return e->R_v[r * n + j];
    case CAROM_R_P: return e->R_p[r * np + j];
    case CAROM_U_Q: return e->U_q[r * n + j];
    case CAROM_U_P: return e->U_p[r * np + j];
    case CAROM_A_Q: return e->A_q[r * n + j];
    case CAROM_A_V: return e->A_v[r * n + j];
    default: return e->A_p[r * np + j];
    }
}

/* At a kink (a table's knot, abs, if) the derivative is that of one side, or between them. */
static bool at_kink(const bench *b, int r, double value, double room)
{
    double low = fmin(b->left[r], b->right[r]), high = fmax(b->left[r], b->right[r]);
    return value >= low - room && value <= high + room;
}

/* What is reported is relative to the column's largest entry or to f itself, whichever is larger (f changes by that
 * much over one unit of the variable); what decides is relative to the column alone, with the rounding of f, divided
 * by the step (scale), and what the differences themselves cannot tell (rough) forgiven. b->off [n] <- the errors of
 * column j; true: some are wrong. */
static bool judge(bench *b, const comparison *c, int n, int j, double part)
{
    const carom_model *m = b->at.model;
    double scale, largest = 1e-300;
    bool any = false;
    quotient(b, c->f, n, c->way, j, part, &scale);
    for (int r = 0; r < n; r++)
        largest = fmax(largest, fmax(fabs(exact(b, c, r, j)), fabs(b->found[r])));
    largest += 1e6 * DBL_EPSILON * scale;
    for (int i = 0; c->f == energy && i < m->nv; i++)
        largest = fmax(largest, fabs(b->at.at.F[i] * b->at.v[i])); /* powers may cancel */
    for (int r = 0; r < n; r++) {
        double value = exact(b, c, r, j), off = fabs(value - b->found[r]);
        double room = fmax(TOLERANCE * largest, 4 * DBL_EPSILON * scale);
        bool told = off <= room, wrong = !told && off > 4 * fabs(b->rough[r]);
        wrong = isnan(off) || (wrong && !at_kink(b, r, value, TOLERANCE * largest));
        b->off[r] = isnan(off) ? INFINITY : wrong ? off / largest : told ? off / fmax(largest, STEP * scale) : 0;
        any |= wrong;
    }
    return any;
}

/* A kink between the samples spoils the differences, a wrong term does so with any step: what is wrong with one is
 * looked at again with shorter ones. */
static void compare(bench *b, comparison *c)
{
    const carom_model *m = b->at.model;
    int columns = c->way == 'q' || c->way == 'v' ? m->nv : c->way == 'p' ? m->np : 1;
    int n = c->f == gaps ? b->ngap : c->f == residual ? m->nv : c->f == energy ? 1 : b->nrow;
    for (int j = 0; j < columns; j++) {
        bool wrong = judge(b, c, n, j, 1);
        for (double part = 0x1p-4; wrong && part > 0x1p-14; part /= 16)
            wrong = judge(b, c, n, j, part);
        for (int r = 0; r < n; r++)
            c->verdict.error = fmax(c->verdict.error, b->off[r]);
    }
}

static bool accelerate(bench *b) /* a = M^-1 F, for the power */
{
    carom_probe *k = &b->at;
    int n = k->model->nv;
    memcpy(b->factor, k->at.M, sizeof *b->factor * (size_t)(n * n));
    memcpy(k->a, k->at.F, sizeof *k->a * (size_t)n);
    if (!carom_cholesky(n, b->factor))
        return false;
    carom_cholesky_solve(n, b->factor, k->a);
    return true;
}

static void copy_point(carom_probe *to, const carom_probe *from)
{
    size_t n = (size_t)from->model->nv, np = (size_t)from->model->np;
    to->t = from->t;
    to->s = from->s;
    memcpy(to->q, from->q, sizeof *to->q * (size_t)from->model->nq);
    memcpy(to->v, from->v, sizeof *to->v * n);
    memcpy(to->a, from->a, sizeof *to->a * n);
    memcpy(to->p, from->p, sizeof *to->p * np);
    memcpy(to->x, from->x, sizeof *to->x * (size_t)carom_model_rows(from->model));
}

static void at_point(bench *b, bool start, comparison *list, int n)
{
    choose(b, start);
    carom_probe_eval(&b->at);
    if (!finite_there(b))
        return;
    copy_point(&b->derivative, &b->at);
    carom_probe_eval(&b->derivative);
    for (int i = 0; i < n; i++) {
        if (list[i].f == energy) {
            copy_point(&b->at, &b->derivative);
            carom_probe_eval(&b->at);
            if (!accelerate(b))
                continue;
            copy_point(&b->derivative, &b->at);
        }
        compare(b, &list[i]);
    }
}

static carom_status open_bench(bench *b, const carom_model *m, unsigned long seed, carom_error *error)
{
    const unsigned all =
        BASE | CAROM_R_Q | CAROM_R_V | CAROM_R_P | CAROM_U_Q | CAROM_U_P | CAROM_A_Q | CAROM_A_V | CAROM_A_P;
    *b = (bench){.nrow = carom_model_rows(m), .ngap = carom_model_links(m), .random = seed};
    b->longest = CAROM_MAX(m->nv * m->nv, b->nrow) + 1;
    CAROM_TRY(carom_probe_new(&b->at, m, BASE, error));
    carom_status status = carom_probe_new(&b->derivative, m, all, error);
    if (status == CAROM_OK) {
        b->there = CAROM_NEW(b->at.arena, double, b->longest);
        b->xi = CAROM_NEW(b->at.arena, double, m->nv);
        b->found = CAROM_NEW(b->at.arena, double, b->longest);
        b->factor = CAROM_NEW(b->at.arena, double, b->longest);
        b->left = CAROM_NEW(b->at.arena, double, b->longest);
        b->right = CAROM_NEW(b->at.arena, double, b->longest);
        b->rough = CAROM_NEW(b->at.arena, double, b->longest);
        b->off = CAROM_NEW(b->at.arena, double, b->longest);
        if (!b->there || !b->xi || !b->found || !b->factor || !b->left || !b->right || !b->rough || !b->off)
            status = carom_fail(error, CAROM_NO_MEMORY, "out of memory for the check of derivatives");
    }
    return status;
}

carom_status carom_model_verify(const carom_model *m, int points, unsigned long seed, carom_verdict *verdict,
                                int *count, carom_error *error)
{
    comparison list[CAROM_VERDICTS] = {
        {{.name = "G", .meaning = "gaps and joints by coordinates"}, CAROM_JACOBIAN, gaps, 'q'},
        {{.name = "w", .meaning = "gaps and joints by time"}, CAROM_JACOBIAN, gaps, 't'},
        {{.name = "gamma", .meaning = "u = G v + w along the motion"}, CAROM_GAMMA, velocity, 'm'},
        {{.name = "R_q", .meaning = "M a - s F - G^T x by coordinates"}, CAROM_R_Q, residual, 'q'},
        {{.name = "R_v", .meaning = "M a - s F - G^T x by velocities"}, CAROM_R_V, residual, 'v'},
        {{.name = "R_p", .meaning = "M a - s F - G^T x by parameters"}, CAROM_R_P, residual, 'p'},
        {{.name = "U_q", .meaning = "u by coordinates"}, CAROM_U_Q, velocity, 'q'},
        {{.name = "U_p", .meaning = "u by parameters"}, CAROM_U_P, velocity, 'p'},
        {{.name = "A_q", .meaning = "G a + gamma by coordinates"}, CAROM_A_Q, acceleration, 'q'},
        {{.name = "A_v", .meaning = "G a + gamma by velocities"}, CAROM_A_V, acceleration, 'v'},
        {{.name = "A_p", .meaning = "G a + gamma by parameters"}, CAROM_A_P, acceleration, 'p'},
        {{.name = "power", .meaning = "kinetic + potential along the free motion"}, CAROM_ENERGY, energy, 'a'},
    };
    bench b;
    unsigned differenced = carom_model_differenced(m);
    int rows = carom_model_rows(m), n = 0;
    for (int i = 0; i < CAROM_VERDICTS; i++)
        if ((rows > 0 || list[i].f == residual || list[i].f == energy) && (m->np > 0 || list[i].way != 'p'))
            list[n++] = list[i];
    carom_status status = open_bench(&b, m, seed, error);
    for (int i = 0; status == CAROM_OK && i <= points; i++)
        at_point(&b, i == 0, list, n);
    carom_probe_free(&b.derivative);
    carom_probe_free(&b.at);
    for (int i = 0; i < n; i++) {
        verdict[i] = list[i].verdict;
        verdict[i].ok = verdict[i].error <= TOLERANCE;
        verdict[i].differenced = differenced & list[i].bit;
    }
    *count = n;
    return status;
}
