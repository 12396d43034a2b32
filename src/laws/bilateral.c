/* bilateral.c: a joint.
 *
 *   u = 0, x of any sign                                           (1)
 *   K = the real line, P(y) = y                                    (2) */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {{0}};

static void project(double mu, const double *y, double *x)
{
    (void)mu;
    x[0] = y[0]; /* (2) */
}

static double residual(double mu, double rho, const double *u, const double *x)
{
    (void)mu;
    (void)rho;
    return fabs(u[0]) + (x[0] - x[0]); /* (1); x - x keeps NaN */
}

const carom_law carom_law_bilateral = {
    .method = {.name = "bilateral", .doc = "joint: no motion along its row, a force of any sign",
               .ref = "Lagrange multipliers", .fields = fields},
    .rows = 1,
    .project = project,
    .residual = residual,
};
