/* bounded.c: dry friction in a joint, or a brake: one row, no normal.
 *
 *   |x| <= c,   x = -c sgn u if u != 0                             (1)
 *   K = [-c, c],  P(y) = max(-c, min(y, c))                        (2)
 *   (1)  <=>  x = P(x - rho u)  for any rho > 0                    (3)
 *   one contact alone:  x = P(-b/W)                                (4)
 *
 * c is a force: in a step of length h it holds the impulse c h, in an impact none. The row is the velocity of the
 * coordinate along which it acts; it sticks or slips and never opens. */
#include <math.h>

#include "laws/law.h"

enum { LIMIT };
static const carom_field fields[] = {
    [LIMIT] = {"limit", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "c: the largest force"},
    {0},
};

static void project(const double *c, const double *y, double *x)
{
    x[0] = fmax(-c[LIMIT], fmin(y[0], c[LIMIT]));                   /* (2) */
}

static double residual(const double *c, double rho, const double *u, const double *x)
{
    double y = x[0] - rho * u[0];
    return fabs(y) <= c[LIMIT] ? fabs(u[0]) : fabs(x[0] - copysign(c[LIMIT], y)) / rho + (y - y); /* (3) */
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *x)
{
    (void)stride;
    double y = W[0] > 0 ? -b[0] / W[0] : b[0] != 0 ? copysign(INFINITY, -b[0]) : 0;
    project(c, &y, x);                                              /* (4) */
}

static void slide(const double *c, const double *d, double x_n, double *x_t)
{
    (void)x_n;
    x_t[0] = -c[LIMIT] * d[0];
}

static void slip_along(const double *c, const double *x_t, double *d)
{
    (void)c;
    d[0] = x_t[0] > 0 ? -1 : 1;
}

static double friction(const double *c, const double *x, double *most)
{
    *most = c[LIMIT];
    return fabs(x[0]);
}

const carom_law carom_law_bounded = {
    .method = {.name = "bounded", .doc = "dry friction in a joint: a force up to a limit, against the motion",
               .ref = "", .fields = fields},
    .rows = 1,
    .tangents = 1,
    .modes = 1 << CAROM_STICK | 1 << CAROM_SLIP,
    .forces = 1 << LIMIT,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
    .slide = slide,
    .slip_along = slip_along,
    .friction = friction,
};
