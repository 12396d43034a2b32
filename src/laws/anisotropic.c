/* anisotropic.c: contact whose friction depends on the direction of slip; rows (n, t1, t2).
 *
 *   S = diag(mu_1, mu_2),   |S^-1 x_t| <= x_n: an ellipse; slip has the friction that dissipates most:
 *   0 <= u_n _|_ x_n >= 0,   x_t = -x_n S^2 u_t/|S u_t| if u_t != 0                                          (1)
 *   z_t = S^-1 x_t,  w_t = S u_t:   Coulomb's law of ((u_n, w_t), (x_n, z_t)) with mu = 1                    (2)
 *   slip that goes with x_t:   d = -S^-2 x_t/|S^-2 x_t|                                                      (3)
 *   |u_t| dx_t/du_t = -(S^2/n - S^2 d d^T S^2/n^3) = -(mu_1 mu_2)^2/n^3 p p^T,   n = |S d|,  p across d      (4)
 *   nearest x to y: y in the cone, 0 if |S y_t| <= -y_n, else on its side with k >= 0 of
 *     (1 - k) |(mu_i y_i/(mu_i^2 + k))| = y_n,   x_i = mu_i^2 y_i/(mu_i^2 + k),   x_n = |S^-1 x_t|           (5)
 *
 * Friction is not opposite to the slip, unless it is along an axis. */
#include <math.h>

#include "laws/coulomb.h"

enum { MU = CAROM_FRICTION }; /* and the next one */
static const carom_field fields[] = {
    {"restitution", CAROM_FIELD_DOUBLE, NAN, 0, 1, NULL, "normal velocity after an impact over the one before"},
    {"restitution_t", CAROM_FIELD_DOUBLE, 0, 0, 1, NULL, "the same for the tangential velocity"},
    {"friction_1", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "mu along the first direction of slip"},
    {"friction_2", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "mu along the second"},
    {0},
};
static const double unit[] = {0, 0, 1, 1}; /* coefficients of (2) */

static double size_of(const double *c, const double *x_t) /* |S^-1 x_t|; a direction without friction carries none */
{
    double z[2];
    for (int i = 0; i < 2; i++)
        z[i] = x_t[i] == 0 ? 0 : x_t[i] / c[MU + i];
    return hypot(z[0], z[1]);
}

/* The left side of (5) less y_n. */
static double side(const double *c, const double *y, double k)
{
    double n[2];
    for (int i = 0; i < 2; i++)
        n[i] = c[MU + i] == 0 ? 0 : c[MU + i] * y[1 + i] / (c[MU + i] * c[MU + i] + k);
    return (1 - k) * hypot(n[0], n[1]) - y[0];
}

static void project(const double *c, const double *y, double *x)
{
    double low = y[0] >= 0 ? 0 : 1, high = y[0] >= 0 ? 1 : 2;
    if (size_of(c, y + 1) <= y[0]) {
        x[0] = y[0], x[1] = y[1], x[2] = y[2];
        return;
    }
    x[0] = x[1] = x[2] = 0;
    if (hypot(c[MU] * y[1], c[MU + 1] * y[2]) <= -y[0])
        return;
    while (side(c, y, high) > 0 && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200; i++) { /* (5) falls through 0 once */
        double middle = low + (high - low) / 2;
        *(side(c, y, middle) > 0 ? &low : &high) = middle;
    }
    for (int i = 0; i < 2; i++)
        x[1 + i] = c[MU + i] == 0 ? 0 : y[1 + i] / (1 + low / (c[MU + i] * c[MU + i]));
    x[0] = size_of(c, x + 1);
}

/* (2); what leaves the ellipse along an axis without friction counts by itself. */
static double residual(const double *c, double rho, const double *u, const double *x)
{
    double v[3] = {u[0], c[MU] * u[1], c[MU + 1] * u[2]}, z[3] = {x[0], 0, 0}, lost = 0;
    for (int i = 0; i < 2; i++) {
        if (c[MU + i] > 0)
            z[1 + i] = x[1 + i] / c[MU + i];
        else
            lost += fabs(x[1 + i]) / rho + (u[1 + i] - u[1 + i]);
    }
    return carom_law_coulomb_spatial.residual(unit, rho, v, z) + lost;
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *x)
{
    const double s[3] = {1, c[MU], c[MU + 1]};
    double V[9], w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = s[i] * b[i];
        for (int j = 0; j < 3; j++)
            V[3 * i + j] = s[i] * W[i * stride + j] * s[j];
    }
    carom_law_coulomb_spatial.solve_single(unit, V, 3, w, x);       /* (2) */
    for (int i = 0; i < 3; i++)
        x[i] *= s[i];
}

static void slide(const double *c, const double *d, double x_n, double *x_t)
{
    double n = hypot(c[MU] * d[0], c[MU + 1] * d[1]);
    for (int i = 0; i < 2; i++)
        x_t[i] = n > 0 ? -c[MU + i] * c[MU + i] * d[i] / n * x_n : 0; /* (1) */
}

static void slip_along(const double *c, const double *x_t, double *d)
{
    double s[2];
    for (int i = 0; i < 2; i++)
        s[i] = x_t[i] == 0 ? 0 : -x_t[i] / (c[MU + i] * c[MU + i]);
    double size = hypot(s[0], s[1]);
    d[0] = size > 0 ? s[0] / size : 1;                              /* (3) */
    d[1] = size > 0 ? s[1] / size : 0;
}

static double turn(const double *c, const double *d)
{
    double both = c[MU] * c[MU + 1], n = hypot(c[MU] * d[0], c[MU + 1] * d[1]);
    return n > 0 ? both * both / (n * n * n) : 0;                   /* (4) */
}

static double friction(const double *c, const double *x, double *most)
{
    *most = x[0];
    return size_of(c, x + 1);
}

static const carom_law *simpler(const double *c, double *scale, double *d)
{
    for (int i = 0; i < 4; i++)
        d[i] = unit[i];
    scale[0] = 1, scale[1] = c[MU], scale[2] = c[MU + 1];           /* (2) */
    return c[MU] == 0 && c[MU + 1] == 0 ? &carom_law_unilateral : &carom_law_coulomb_spatial;
}

const carom_law carom_law_anisotropic = {
    .method = {.name = "anisotropic", .doc = "contact in space whose dry friction depends on the direction of slip",
               .ref = "", .fields = fields},
    .rows = 3,
    .tangents = 2,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_STICK | 1 << CAROM_SLIP,
    .restitution = true,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
    .slide = slide,
    .slip_along = slip_along,
    .turn = turn,
    .friction = friction,
    .simpler = simpler,
};
