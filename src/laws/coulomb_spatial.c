/* coulomb_spatial.c: contact with dry friction in space; rows (n, t1, t2), |.| the Euclidean norm.
 *
 *   0 <= u_n _|_ x_n >= 0,   |x_t| <= mu x_n,   x_t = -mu x_n u_t/|u_t| if u_t != 0     (1)
 *   K = {|x_t| <= mu x_n},   K* = {u_n >= mu |u_t|}                                     (2)
 *   u~ = (u_n + mu |u_t|, u_t):   (1)  <=>  K* contains u~ _|_ x in K                   (3)
 *                                      <=>  x = P(x - rho u~), rho > 0                  (4)
 *   P(y) = y if |y_t| <= mu y_n;  0 if mu |y_t| <= -y_n;  else s (1, mu y_t/|y_t|)
 *          with s = (y_n + mu |y_t|)/(1 + mu^2)                                         (5) */
#include <math.h>

#include "laws/law.h"

static const carom_field fields[] = {{0}};

static void project(double mu, const double *y, double *x)
{
    double t = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (t <= mu * y[0]) {                                           /* (5) */
        x[0] = y[0];
        x[1] = y[1];
        x[2] = y[2];
    } else if (mu * t <= -y[0]) {
        x[0] = x[1] = x[2] = 0;
    } else {
        double s = (y[0] + mu * t) / (1 + mu * mu), c = mu * s / t;
        x[0] = s;
        x[1] = c * y[1];
        x[2] = c * y[2];
    }
}

static double residual(double mu, double rho, const double *u, const double *x)
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), p[3];
    double y[3] = {x[0] - rho * (u[0] + mu * slip), x[1] - rho * u[1], x[2] - rho * u[2]}; /* (3) */
    project(mu, y, p);
    double n = x[0] - p[0], s = x[1] - p[1], t = x[2] - p[2];
    return sqrt(n * n + s * s + t * t) / rho;                       /* (4) */
}

const carom_law carom_law_coulomb_spatial = {
    .method = {.name = "coulomb-spatial", .doc = "contact with dry friction in space",
               .ref = "De Saxce and Feng (1998), Math. Comput. Modelling 28, 225-245", .fields = fields},
    .rows = 3,
    .project = project,
    .residual = residual,
};
