/* admissible.c: states that a model allows.
 *
 *   q <- q - G^+ g   on the joints and on the contacts with g < 0, repeated until |g| is at rounding             (1)
 *   v <- v - G^+ (G v + w)   on the joints                                                                       (2)
 *   columns: G dq = 0,  G dv + (G v + w)_q dq = 0   on the joints                                                (3)
 *
 * with G^+ the pseudo-inverse: the shortest correction, also where joints are redundant. */
#include <math.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"

carom_status carom_admissible_new(carom_admissible *a, const carom_model *m, carom_error *error)
{
    *a = (carom_admissible){0};
    CAROM_TRY(carom_probe_new(&a->probe, m, CAROM_GAP | CAROM_JACOBIAN | (m->njoint ? CAROM_U_Q : 0), error));
    int n = carom_model_links(m);
    carom_arena *arena = a->probe.arena;
    a->A = CAROM_NEW(arena, double, n * m->nv + 1);
    a->b = CAROM_NEW(arena, double, n + 1);
    a->x = CAROM_NEW(arena, double, m->nv);
    a->work = CAROM_NEW(arena, double, n + 3 * m->nv);
    a->order = CAROM_NEW(arena, int, m->nv);
    a->row = CAROM_NEW(arena, int, n + 1);
    a->C = CAROM_NEW(arena, double, 2 * m->njoint * (2 * m->nv + 1) + 1);
    if (!a->C || !a->A || !a->b || !a->x || !a->work || !a->order || !a->row) {
        carom_admissible_free(a);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for admissible states");
    }
    if (m->njoint) {
        carom_probe_eval(&a->probe);
        memcpy(a->A, a->probe.at.G, sizeof(double) * (size_t)(m->njoint * m->nv));
        a->joints = carom_least_squares(m->njoint, m->nv, a->A, a->b, a->x, 1e-10, a->work, a->order);
    }
    return CAROM_OK;
}

void carom_admissible_free(carom_admissible *a)
{
    carom_probe_free(&a->probe);
}

static void look(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    carom_probe *k = &a->probe;
    const carom_model *m = k->model;
    k->t = t;
    carom_copy(m->nq, q, k->q);
    carom_copy(m->nv, v, k->v);
    carom_copy(m->np, p, k->p);
    carom_probe_eval(k);
}

/* x = G^+ b for the rows named by a->row. */
static void correct(carom_admissible *a, int n)
{
    int nv = a->probe.model->nv;
    for (int i = 0; i < n; i++)
        carom_copy(nv, a->probe.at.G + a->row[i] * nv, a->A + i * nv);
    carom_least_squares(n, nv, a->A, a->b, a->x, 1e-10, a->work, a->order);
}

/* Rows of the joints, and of the contacts that overlap; b their gaps. */
static int violated(carom_admissible *a, double *size)
{
    const carom_model *m = a->probe.model;
    const double *g = a->probe.at.g;
    int n = 0;
    *size = 0;
    for (int i = 0; i < carom_model_links(m); i++) {
        if (carom_model_contact(m, i) >= 0 && g[i] >= 0)
            continue;
        a->row[n] = carom_model_link_row(m, i);
        a->b[n++] = g[i];
        *size = fmax(*size, fabs(g[i]));
    }
    return n;
}

carom_status carom_admissible_move(carom_admissible *a, double t, double *q, double *v, const double *p,
                                   carom_error *error)
{
    enum { ITERATIONS = 30 };
    const carom_model *m = a->probe.model;
    double size = 0;
    look(a, t, q, v, p);
    for (int k = 0, n; (n = violated(a, &size)) && size > 1e-15 * (1 + carom_norm_max(m->nq, q)); k++) {
        if (k == ITERATIONS || !(size <= DBL_MAX))
            CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                       "no allowed position is found at t = %.6g: a gap or joint is still off by %.3g", t, size);
        correct(a, n);
        for (int i = 0; i < m->nv; i++)
            a->x[i] = -a->x[i];
        carom_model_drift(m, q, a->x, q);                                                        /* (1) */
        look(a, t, q, v, p);
    }
    if (m->njoint == 0)
        return CAROM_OK;
    for (int i = 0; i < m->njoint; i++) {
        a->row[i] = i;
        a->b[i] = carom_dot(m->nv, a->probe.at.G + i * m->nv, v) + a->probe.at.w[i];
    }
    correct(a, m->njoint);
    for (int i = 0; i < m->nv; i++)
        v[i] -= a->x[i];                                                                         /* (2) */
    return CAROM_OK;
}

double carom_admissible_gap(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    const carom_model *m = a->probe.model;
    double least = INFINITY;
    look(a, t, q, v, p);
    for (int i = m->njoint; i < carom_model_links(m); i++)
        least = fmin(least, a->probe.at.g[i]);
    return least;
}

void carom_admissible_columns(carom_admissible *a, double t, const double *q, const double *v, const double *p, int n,
                              double *X)
{
    const carom_model *m = a->probe.model;
    int nv = m->nv;
    if (m->njoint == 0)
        return;
    look(a, t, q, v, p);
    for (int j = 0; j < n; j++)
        for (int level = 0; level < 2; level++) {
            double *x = X + (level ? nv * n : 0) + j;
            for (int i = 0; i < m->njoint; i++) {
                a->row[i] = i;
                a->b[i] = 0;
                for (int k = 0; k < nv; k++) {
                    a->b[i] += a->probe.at.G[i * nv + k] * x[k * n];
                    if (level)
                        a->b[i] += a->probe.at.U_q[i * nv + k] * X[k * n + j];
                }
            }
            correct(a, m->njoint);
            for (int k = 0; k < nv; k++)
                x[k * n] -= a->x[k];                                                             /* (3) */
        }
}

double carom_admissible_volume(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    const carom_model *m = a->probe.model;
    int nj = m->njoint, nv = m->nv, n = 2 * nj;
    double *r = a->C + n * 2 * nv, most = 0, sum = 0;
    look(a, t, q, v, p);
    for (int i = 0; i < nj; i++)
        for (int k = 0; k < nv; k++) { /* C^T, a column for each row of C */
            a->C[k * n + i] = a->C[(nv + k) * n + nj + i] = a->probe.at.G[i * nv + k];
            a->C[k * n + nj + i] = a->probe.at.U_q[i * nv + k];
            a->C[(nv + k) * n + i] = 0;
        }
    carom_orthonormalize(2 * nv, n, a->C, r);
    for (int i = 0; i < n; i++)
        most = fmax(most, r[i]);
    for (int i = 0; i < n; i++)
        sum += r[i] > 1e-10 * most ? log(r[i]) : 0; /* redundant joints do not count */
    return sum;
}
