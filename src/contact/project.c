/* project.c: block `project_q`, positions onto the joints.
 *
 *   q <- q - M^-1 G^T lambda,   (G M^-1 G^T) lambda = g(t, q)     repeated until |g| is at rounding      (1)
 *
 * Redundant joints make G M^-1 G^T singular: lambda is then the least-squares solution of least norm. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "core/dense.h"

carom_status carom_contact_project_q(carom_contacts *contacts, carom_system *system, double t, double *q,
                                     const double *v, carom_error *error)
{
    enum { ITERATIONS = 12 };
    carom_contacts *c = contacts;
    int nj = system->njoint, nv = system->nv;
    double before = INFINITY;
    for (int k = 0; k < ITERATIONS; k++) {
        carom_system_eval(system, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, t, q, v);
        double size = carom_norm_max(nj, system->at.g);
        if (!(size <= 1e300))
            CAROM_FAIL(error, CAROM_NOT_FINITE, "a joint is not finite at t = %.10g", t);
        if (size <= 1e-15 * (1 + carom_norm_max(system->nq, q)) || (size < 1e-10 && size > 0.5 * before))
            return CAROM_OK;
        before = size;
        CAROM_TRY(carom_mass_factor(system, t, error));
        for (int i = 0; i < nj; i++) {
            double *y = c->Y + i * nv;
            carom_mass_solve_row(system, i, y);
            c->ls_b[i] = system->at.g[i];
            for (int j = 0; j < nj; j++)
                c->ls_A[j * nj + i] = carom_row_dot(system, j, y);
        }
        carom_least_squares(nj, nj, c->ls_A, c->ls_b, c->ls_x, 1e-12, c->ls_work, c->ls_order);  /* (1) */
        for (int i = 0; i < nj; i++)
            carom_system_drift(system, q, c->Y + i * nv, -c->ls_x[i], q);
    }
    CAROM_FAIL(error, CAROM_NOT_CONVERGED, "joints cannot be closed at t = %.10g: |g| = %.2g after %d corrections", t,
               before, ITERATIONS);
}
