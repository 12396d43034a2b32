/* gradients.c: how the motion changes with positions and velocities, where contacts are found step by step: the rows of
 * such contacts have no derivatives, quotients of differences stand in.
 *
 *   r = M a - F - G^T x,   c = G a + gamma,   a and x given                                             (1)
 *   R_q, A_q: (r, c)(q + d e_j) - (r, c)(q - d e_j) over 2 d, d = 1e-6 of a length or angle              (2)
 *   R_v, A_v: the same by v; r and c of rigid bodies are quadratic in v, so that there is no error in d  (3)
 *
 * For Newton's method and for a look at the largest eigenvalue: that the matrices are not exact costs iterations. */
#include <math.h>
#include <string.h>

#include "contact/system.h"

static const unsigned wanted = CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA;

/* (1) times `factor` is added to column j of R and A. */
static void add(carom_system *sys, double t, const double *q, const double *v, const double *a, const double *x,
                double factor, int j, double *R, double *A)
{
    int nv = sys->nv;
    double *r = sys->beside.r;
    carom_system_eval(sys, wanted, t, q, v);
    sys->info->rhs_evaluations--;
    carom_mass_multiply(sys, a, r);
    for (int i = 0; i < nv; i++)
        r[i] -= sys->at.F[i];
    for (int k = 0; k < sys->nrow; k++)
        if (x[k] != 0)
            carom_row_add(sys, k, -x[k], r);
    for (int i = 0; i < nv; i++)
        R[i * nv + j] += factor * r[i];
    for (int k = 0; k < sys->nrow; k++)
        A[k * nv + j] += factor * carom_row_accel(sys, k, a);
}

void carom_system_differences(carom_system *sys, double t, const double *q, const double *v, const double *a,
                              const double *x)
{
    int nv = sys->nv;
    double *size = sys->beside.size, *xi = sys->beside.xi, *moved_q = sys->beside.q, *moved_v = sys->beside.v;
    double speed = 1e-6 * (1 + carom_norm_max(nv, v));
    memset(sys->at.R_q, 0, sizeof(double) * (size_t)nv * (size_t)nv);
    memset(sys->at.R_v, 0, sizeof(double) * (size_t)nv * (size_t)nv);
    memset(sys->at.A_q, 0, sizeof(double) * (size_t)nv * (size_t)sys->nrow);
    memset(sys->at.A_v, 0, sizeof(double) * (size_t)nv * (size_t)sys->nrow);
    memset(size, 0, sizeof *size * (size_t)nv);
    carom_system_size(sys, q, size);
    for (int j = 0; j < nv; j++) {
        double step = 1e-6 * CAROM_MIN(1, CAROM_MAX(size[j], 1e-3));
        memset(xi, 0, sizeof *xi * (size_t)nv);
        xi[j] = 1;
        for (int side = -1; side <= 1; side += 2) {
            carom_system_drift(sys, q, xi, side * step, moved_q);
            add(sys, t, moved_q, v, a, x, side / (2 * step), j, sys->at.R_q, sys->at.A_q);               /* (2) */
            carom_copy(nv, v, moved_v);
            moved_v[j] += side * speed;
            add(sys, t, q, moved_v, a, x, side / (2 * speed), j, sys->at.R_v, sys->at.A_v);              /* (3) */
        }
    }
    carom_system_eval(sys, wanted, t, q, v);
    sys->info->rhs_evaluations--;
}
