/* coulomb_planar.c: contact with dry friction in the plane; rows (n, t).
 *
 *   0 <= u_n _|_ x_n >= 0,   x_t in -mu x_n Sgn(u_t)                             (1)
 *   K = {|x_t| <= mu x_n},   K* = {u_n >= mu |u_t|}                              (2)
 *   u~ = (u_n + mu |u_t|, u_t):   (1)  <=>  K* contains u~ _|_ x in K            (3)
 *                                      <=>  x = P(x - rho u~), rho > 0           (4)
 *   P(y) = y if |y_t| <= mu y_n;  0 if mu |y_t| <= -y_n;  else s (1, mu sgn y_t)
 *          with s = (y_n + mu |y_t|)/(1 + mu^2)                                  (5)
 *
 * (3) is de Saxce's change of variable: without its first component (4) would make slipping contacts lift off. */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {{0}};

static void project(double mu, const double *y, double *x)
{
    double t = fabs(y[1]);
    if (t <= mu * y[0]) {                                           /* (5) */
        x[0] = y[0];
        x[1] = y[1];
    } else if (mu * t <= -y[0]) {
        x[0] = x[1] = 0;
    } else {
        x[0] = (y[0] + mu * t) / (1 + mu * mu);
        x[1] = copysign(mu * x[0], y[1]);
    }
}

static double residual(double mu, double rho, const double *u, const double *x)
{
    double y[2] = {x[0] - rho * (u[0] + mu * fabs(u[1])), x[1] - rho * u[1]}, p[2]; /* (3) */
    project(mu, y, p);
    double n = x[0] - p[0], t = x[1] - p[1];
    return sqrt(n * n + t * t) / rho;                               /* (4) */
}

const carom_law carom_law_coulomb_planar = {
    .method = {.name = "coulomb-planar", .doc = "contact with dry friction in the plane",
               .ref = "De Saxce and Feng (1998), Math. Comput. Modelling 28, 225-245", .fields = fields},
    .rows = 2,
    .project = project,
    .residual = residual,
};
