/* coulomb_planar.c: contact with dry friction in the plane; rows (n, t).
 *
 *   0 <= u_n _|_ x_n >= 0,   x_t in -mu x_n Sgn(u_t)                             (1)
 *   K = {|x_t| <= mu x_n},   K* = {u_n >= mu |u_t|}                              (2)
 *   u~ = (u_n + mu |u_t|, u_t):   (1)  <=>  K* contains u~ _|_ x in K            (3)
 *                                      <=>  x = P(x - rho u~), rho > 0           (4)
 *   P(y) = y if |y_t| <= mu y_n;  0 if mu |y_t| <= -y_n;  else s (1, mu sgn y_t)
 *          with s = (y_n + mu |y_t|)/(1 + mu^2)                                  (5)
 * One contact alone, W maybe nonsymmetric:
 *   open    y = 0                        if b_n >= 0                             (6)
 *   stick   y = -W^-1 b                  if |y_t| <= mu y_n                      (7)
 *   slip    y = y_n (1, e), e = -mu, mu: y_n = -b_n/p, p = W_nn + W_nt e > 0,
 *                                        u_t opposite to e                       (8)
 *
 * (3) is de Saxce's change of variable: without its first component (4) would make slipping contacts lift off. */
#include <float.h>
#include <math.h>

#include "laws/coulomb.h"
#include "laws/single.h"

static const carom_field fields[] = {CAROM_COULOMB_FIELDS, {0}};

static void project(const double *c, const double *y, double *x)
{
    double mu = c[CAROM_FRICTION], t = fabs(y[1]);
    if (y[0] >= 0 && t <= mu * y[0]) {                              /* (5); mu may be 0 */
        x[0] = y[0];
        x[1] = y[1];
    } else if (mu * t <= -y[0]) {
        x[0] = x[1] = 0;
    } else {
        x[0] = (y[0] + mu * t) / (1 + mu * mu);
        x[1] = copysign(mu * x[0], y[1]);
    }
}

static double residual(const double *c, double rho, const double *u, const double *x)
{
    double mu = c[CAROM_FRICTION];
    double y[2] = {x[0] - rho * (u[0] + mu * fabs(u[1])), x[1] - rho * u[1]}, p[2]; /* (3) */
    project(c, y, p);
    double n = x[0] - p[0], t = x[1] - p[1];
    return sqrt(n * n + t * t) / rho;                               /* (4) */
}

/* The candidate of least residual: friction so large that p is negative. */
static void least_residual(const double *c, const double *W, int stride, const double *b, double *y)
{
    double mu = c[CAROM_FRICTION];
    carom_contest all;
    carom_contest_begin(&all, &carom_law_coulomb_planar, c, W, stride, b);
    for (int e = -1; e <= 1; e += 2) {
        double p = W[0] + mu * e * W[1], n = -b[0] / p;
        if (n > 0 && n <= DBL_MAX)
            carom_contest_enter(&all, (double[2]){n, mu * e * n});
    }
    y[0] = all.y[0];
    y[1] = all.y[1];
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *y)
{
    double mu = c[CAROM_FRICTION];
    if (b[0] >= 0) {                                                                     /* (6) */
        y[0] = y[1] = 0;
        return;
    }
    if (mu == 0) {
        carom_law_unilateral.solve_single(c, W, stride, b, y);
        y[1] = 0;
        return;
    }
    const double *Wt = W + stride;
    double f = Wt[0] / W[0], A = Wt[1] - f * W[1];
    if (fabs(A) > CAROM_RANK_TOL * fabs(Wt[1])) {                                        /* (7) */
        y[1] = (f * b[0] - b[1]) / A;
        y[0] = -(b[0] + W[1] * y[1]) / W[0];
        if (fabs(y[1]) <= mu * y[0])
            return;
    }
    for (int k = 0; k < 2; k++) {                                                        /* (8) */
        double e = (b[1] > 0) == (k == 0) ? -mu : mu, p = W[0] + e * W[1];
        if (!(p > 0))
            continue;
        y[0] = -b[0] / p;
        y[1] = e * y[0];
        double slip = b[1] + Wt[0] * y[0] + Wt[1] * y[1];
        if (e > 0 ? slip <= 0 : slip >= 0)
            return;
    }
    least_residual(c, W, stride, b, y);
}

static void slide(const double *c, const double *d, double x_n, double *x_t)
{
    x_t[0] = -c[CAROM_FRICTION] * d[0] * x_n;
}

static void slip_along(const double *c, const double *x_t, double *d)
{
    (void)c;
    d[0] = x_t[0] > 0 ? -1 : 1;
}

static double friction(const double *c, const double *x, double *most)
{
    *most = c[CAROM_FRICTION] * x[0];
    return fabs(x[1]);
}

static const carom_law *simpler(const double *c, double *scale, double *d)
{
    return carom_coulomb_simpler(&carom_law_coulomb_planar, c, scale, d);
}

const carom_law *carom_coulomb_simpler(const carom_law *law, const double *c, double *scale, double *d)
{
    for (int i = 0; i < law->rows; i++)
        scale[i] = 1;
    for (int i = 0; i <= CAROM_FRICTION_STATIC; i++)
        d[i] = c[i];
    return c[CAROM_FRICTION] == 0 ? &carom_law_unilateral : law;
}

const carom_law carom_law_coulomb_planar = {
    .method = {.name = "coulomb-planar", .doc = "contact with dry friction in the plane",
               .ref = "De Saxce and Feng (1998), Math. Comput. Modelling 28, 225-245", .fields = fields},
    .family = "contact",
    .rows = 2,
    .tangents = 1,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_STICK | 1 << CAROM_SLIP,
    .restitution = true,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
    .wrong = carom_coulomb_wrong,
    .slide = slide,
    .slip_along = slip_along,
    .friction = friction,
    .mu = carom_coulomb_mu,
    .at_rest = carom_coulomb_at_rest,
    .simpler = simpler,
};
