/* bilateral.c: a joint.
 *
 *   u = 0, x of any sign                                           (1)
 *   K = the real line, P(y) = y                                    (2) */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {{0}};

static void project(const double *c, const double *y, double *x)
{
    (void)c;
    x[0] = y[0]; /* (2) */
}

static double residual(const double *c, double rho, const double *u, const double *x)
{
    (void)c;
    (void)rho;
    return fabs(u[0]) + (x[0] - x[0]); /* (1); x - x keeps NaN */
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *x)
{
    (void)c;
    (void)stride;
    x[0] = W[0] != 0 ? -b[0] / W[0] : 0;
}

const carom_law carom_law_bilateral = {
    .method = {.name = "bilateral", .doc = "joint: no motion along its row, a force of any sign",
               .ref = "Lagrange multipliers", .fields = fields},
    .rows = 1,
    .modes = 1 << CAROM_CLOSED,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
};
