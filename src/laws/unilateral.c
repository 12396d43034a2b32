/* unilateral.c: a contact without friction.
 *
 *   0 <= u  _|_  x >= 0                                            (1)
 *   K = {x >= 0},  P(y) = max(0, y)                                (2)
 *   (1)  <=>  x = P(x - rho u)  for any rho > 0                    (3)
 *
 * With Newton's impact law the row of u is u+ + e u-, which the caller puts into b. */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {{0}};

static void project(double mu, const double *y, double *x)
{
    (void)mu;
    x[0] = y[0] > 0 ? y[0] : 0; /* (2) */
}

static double residual(double mu, double rho, const double *u, const double *x)
{
    (void)mu;
    double y = x[0] - rho * u[0];
    return y > 0 ? fabs(u[0]) : fabs(x[0]) / rho + (y - y); /* (3); y - y keeps NaN */
}

const carom_law carom_law_unilateral = {
    .method = {.name = "unilateral", .doc = "contact without friction: it pushes and never pulls",
               .ref = "Moreau (1988), Unilateral contact and dry friction in finite freedom dynamics",
               .fields = fields},
    .rows = 1,
    .project = project,
    .residual = residual,
};
