/* admissible.c: states that a model allows.
 *
 *   q <- q - G^+ g   on the joints and on the contacts with g < 0, repeated until |g| is at rounding             (1)
 *   v <- v - G^+ (G v + w)   on the joints                                                                       (2)
 *   columns: G dq = 0,  G dv + (G v + w)_q dq = 0   on the joints                                                (3)
 *
 * with G^+ the pseudo-inverse: the shortest correction, also where joints are redundant. (1) and (2) are those of the
 * assembly, in the metric of the coordinates. */
#include <math.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "core/dense.h"

carom_status carom_admissible_new(carom_admissible *a, const carom_model *m, carom_error *error)
{
    CAROM_TRY(carom_assembly_new(&a->assembly, m, m->njoint ? CAROM_U_Q : 0, error));
    carom_assembly *k = &a->assembly;
    k->rank = 1e-10;
    a->joints = 0;
    a->C = CAROM_NEW(k->probe.arena, double, 2 * m->njoint * (2 * m->nv + 1) + 1);
    if (!a->C) {
        carom_admissible_free(a);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for admissible states");
    }
    if (m->njoint) {
        carom_probe_eval(&k->probe);
        memcpy(k->A, k->probe.at.G, sizeof(double) * (size_t)(m->njoint * m->nv));
        memset(k->b, 0, sizeof(double) * (size_t)m->njoint);
        a->joints = carom_least_squares(m->njoint, m->nv, k->A, k->b, k->z, k->rank, k->room, k->order);
    }
    return CAROM_OK;
}

void carom_admissible_free(carom_admissible *a)
{
    carom_assembly_free(&a->assembly);
}

static void look(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    carom_probe *k = &a->assembly.probe;
    const carom_model *m = k->model;
    k->t = t;
    carom_copy(m->nq, q, k->q);
    carom_copy(m->nv, v, k->v);
    carom_copy(m->np, p, k->p);
    carom_probe_eval(k);
}

carom_status carom_admissible_move(carom_admissible *a, double t, double *q, double *v, const double *p,
                                   carom_error *error)
{
    carom_probe *k = &a->assembly.probe;
    look(a, t, q, v, p);
    CAROM_TRY(carom_assembly_positions(&a->assembly, error));                                    /* (1) */
    if (k->model->njoint)
        CAROM_TRY(carom_assembly_velocities(&a->assembly, error));                               /* (2) */
    carom_copy(k->model->nq, k->q, q);
    carom_copy(k->model->nv, k->v, v);
    return CAROM_OK;
}

double carom_admissible_gap(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    const carom_model *m = a->assembly.probe.model;
    double least = INFINITY;
    look(a, t, q, v, p);
    for (int i = m->njoint; i < carom_model_links(m); i++)
        least = fmin(least, a->assembly.probe.at.g[i]);
    return least;
}

void carom_admissible_columns(carom_admissible *a, double t, const double *q, const double *v, const double *p, int n,
                              double *X)
{
    carom_assembly *s = &a->assembly;
    const carom_model *m = s->probe.model;
    int nv = m->nv;
    if (m->njoint == 0)
        return;
    look(a, t, q, v, p);
    for (int j = 0; j < n; j++)
        for (int level = 0; level < 2; level++) {
            double *x = X + (level ? nv * n : 0) + j;
            for (int i = 0; i < m->njoint; i++) {
                s->row[i] = i;
                s->b[i] = 0;
                for (int k = 0; k < nv; k++) {
                    s->b[i] += s->probe.at.G[i * nv + k] * x[k * n];
                    if (level)
                        s->b[i] += s->probe.at.U_q[i * nv + k] * X[k * n + j];
                }
            }
            s->rows = m->njoint;
            carom_assembly_solve(s);
            for (int k = 0; k < nv; k++)
                x[k * n] -= s->z[k];                                                             /* (3) */
        }
}

double carom_admissible_volume(carom_admissible *a, double t, const double *q, const double *v, const double *p)
{
    const carom_model *m = a->assembly.probe.model;
    int nj = m->njoint, nv = m->nv, n = 2 * nj;
    double *r = a->C + n * 2 * nv, most = 0, sum = 0;
    look(a, t, q, v, p);
    for (int i = 0; i < nj; i++)
        for (int k = 0; k < nv; k++) { /* C^T, a column for each row of C */
            a->C[k * n + i] = a->C[(nv + k) * n + nj + i] = a->assembly.probe.at.G[i * nv + k];
            a->C[k * n + nj + i] = a->assembly.probe.at.U_q[i * nv + k];
            a->C[(nv + k) * n + i] = 0;
        }
    carom_orthonormalize(2 * nv, n, a->C, r);
    for (int i = 0; i < n; i++)
        most = fmax(most, r[i]);
    for (int i = 0; i < n; i++)
        sum += r[i] > 1e-10 * most ? log(r[i]) : 0; /* redundant joints do not count */
    return sum;
}
