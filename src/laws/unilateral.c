/* unilateral.c: a contact without friction.
 *
 *   0 <= u  _|_  x >= 0                                            (1)
 *   K = {x >= 0},  P(y) = max(0, y)                                (2)
 *   (1)  <=>  x = P(x - rho u)  for any rho > 0                    (3)
 *
 * With Newton's impact law the row of u is u+ + e u-, which the caller puts into b. */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {
    {"restitution", CAROM_FIELD_DOUBLE, NAN, 0, 1, NULL, "normal velocity after an impact over the one before"},
    {0},
};

static void project(const double *c, const double *y, double *x)
{
    (void)c;
    x[0] = y[0] > 0 ? y[0] : 0; /* (2) */
}

static double residual(const double *c, double rho, const double *u, const double *x)
{
    (void)c;
    double y = x[0] - rho * u[0];
    return y > 0 ? fabs(u[0]) : fabs(x[0]) / rho + (y - y); /* (3); y - y keeps NaN */
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *x)
{
    (void)c;
    (void)stride;
    x[0] = b[0] < 0 && W[0] > 0 ? -b[0] / W[0] : 0;
}

const carom_law carom_law_unilateral = {
    .method = {.name = "unilateral", .doc = "contact without friction: it pushes and never pulls",
               .ref = "Moreau (1988), Unilateral contact and dry friction in finite freedom dynamics",
               .fields = fields},
    .family = "contact",
    .rows = 1,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_CLOSED,
    .restitution = true,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
};
