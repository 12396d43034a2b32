/* coulomb_spatial.c: contact with dry friction in space; rows (n, t1, t2), |.| the Euclidean norm.
 *
 *   0 <= u_n _|_ x_n >= 0,   |x_t| <= mu x_n,   x_t = -mu x_n u_t/|u_t| if u_t != 0     (1)
 *   K = {|x_t| <= mu x_n},   K* = {u_n >= mu |u_t|}                                     (2)
 *   u~ = (u_n + mu |u_t|, u_t):   (1)  <=>  K* contains u~ _|_ x in K                   (3)
 *                                      <=>  x = P(x - rho u~), rho > 0                  (4)
 *   P(y) = y if |y_t| <= mu y_n;  0 if mu |y_t| <= -y_n;  else s (1, mu y_t/|y_t|)
 *          with s = (y_n + mu |y_t|)/(1 + mu^2)                                         (5)
 * One contact alone, W maybe nonsymmetric:
 *   open    y = 0                             if b_n >= 0                               (6)
 *   stick   y = -W^-1 b                       if |y_t| <= mu y_n                        (7)
 *   slip    y = y_n (1, mu e), |e| = 1:       y_n = -b_n/p, p = W_nn + mu W_nt e, if p > 0,
 *                                             and u_t = -k e with k >= 0                (8)
 * Let u_t = -a y_t and eliminate y_n:
 *   (A + a) y_t = -c,  A = W_tt - W_tn W_nt/W_nn,  c = b_t - W_tn b_n/W_nn
 *   y_t = -N/D,  y_n = Y/D,  N = adj(A) c + a c,  D = a^2 + a tr A + det A,  Y = (W_nt N - b_n D)/W_nn      (9)
 *   h(a) = |N| - mu Y = 0                                                                                  (10)
 * h < 0 for large a, and h(0) > 0 if sticking fails: Newton's method with bisection finds a root between. Only the
 * direction e = -N/|N| is taken from it, so that u_n = 0 and the cone hold to rounding. Where (9) does not apply (W_nn
 * or det A <= 0) or its root has p <= 0 the directions around the circle are searched for p (u_t x e) = 0, which has up
 * to four roots. */
#include <float.h>
#include <math.h>

#include "laws/coulomb.h"
#include "laws/single.h"

static const carom_field fields[] = {CAROM_COULOMB_FIELDS, {0}};

static void project(const double *c, const double *y, double *x)
{
    double mu = c[CAROM_FRICTION], t = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (y[0] >= 0 && t <= mu * y[0]) {                              /* (5); mu may be 0 */
        x[0] = y[0];
        x[1] = y[1];
        x[2] = y[2];
    } else if (mu * t <= -y[0]) {
        x[0] = x[1] = x[2] = 0;
    } else {
        double s = (y[0] + mu * t) / (1 + mu * mu), factor = mu * s / t;
        x[0] = s;
        x[1] = factor * y[1];
        x[2] = factor * y[2];
    }
}

static double residual(const double *c, double rho, const double *u, const double *x)
{
    double mu = c[CAROM_FRICTION], slip = sqrt(u[1] * u[1] + u[2] * u[2]), p[3];
    double y[3] = {x[0] - rho * (u[0] + mu * slip), x[1] - rho * u[1], x[2] - rho * u[2]}; /* (3) */
    project(c, y, p);
    double n = x[0] - p[0], s = x[1] - p[1], t = x[2] - p[2];
    return sqrt(n * n + s * s + t * t) / rho;                       /* (4) */
}

typedef struct branch { /* (9) */
    double mu, wnn, wt[2], bn, c[2], adj[2], trace, det;
} branch;

typedef struct branch_point {
    double N[2], length, Y, h, slope;
} branch_point;

static branch_point branch_at(const branch *s, double a)
{
    branch_point at;
    at.N[0] = s->adj[0] + a * s->c[0];
    at.N[1] = s->adj[1] + a * s->c[1];
    at.length = sqrt(at.N[0] * at.N[0] + at.N[1] * at.N[1]);
    double D = (a + s->trace) * a + s->det;
    at.Y = (s->wt[0] * at.N[0] + s->wt[1] * at.N[1] - s->bn * D) / s->wnn;
    double Y_a = (s->wt[0] * s->c[0] + s->wt[1] * s->c[1] - s->bn * (2 * a + s->trace)) / s->wnn;
    at.h = at.length - s->mu * at.Y;                                                     /* (10) */
    at.slope = (at.N[0] * s->c[0] + at.N[1] * s->c[1]) / at.length - s->mu * Y_a;
    return at;
}

/* The force direction e at a root of (10) right of 0. It starts at the root for isotropic, uncoupled W. */
static bool branch_root(const branch *s, double *e)
{
    double low = 0, high = INFINITY, size = sqrt(s->c[0] * s->c[0] + s->c[1] * s->c[1]);
    double a = fmax(0, -size * s->wnn / (s->mu * s->bn) - s->trace / 2);
    branch_point at = branch_at(s, a);
    if (!(branch_at(s, 0).h > 0))
        return false;
    for (int k = 0; k < 200; k++) {
        if (fabs(at.h) <= 2 * DBL_EPSILON * (at.length + fabs(s->mu * at.Y)) ||
            high <= low * (1 + 2 * DBL_EPSILON))
            break;
        *(at.h > 0 ? &low : &high) = a;
        a -= at.h / at.slope;
        if (!(a > low && a < high))
            a = high < INFINITY ? low + (high - low) / 2 : 16 * low + fabs(s->trace) + s->wnn;
        at = branch_at(s, a);
    }
    e[0] = -at.N[0] / at.length;
    e[1] = -at.N[1] / at.length;
    return at.length > 0;
}

static void solve_two(double a, double b, double c, double d, double f, double g, double *x)
{
    if (fabs(c) > fabs(a)) {
        solve_two(c, d, a, b, g, f, x);
        return;
    }
    double m = c / a;
    x[1] = (g - m * f) / (d - m * b);
    x[0] = (f - b * x[1]) / a;
}

static bool spatial_branch(double mu, const double *W, int stride, const double *b, double *y)
{
    const double *s = W + stride, *t = W + 2 * stride;
    if (!(W[0] > 0))
        return false;
    double f1 = s[0] / W[0], f2 = t[0] / W[0];
    double A11 = s[1] - f1 * W[1], A12 = s[2] - f1 * W[2], A21 = t[1] - f2 * W[1], A22 = t[2] - f2 * W[2];
    double c1 = b[1] - f1 * b[0], c2 = b[2] - f2 * b[0];
    branch slip = {.mu = mu, .wnn = W[0], .wt = {W[1], W[2]}, .bn = b[0], .c = {c1, c2},
                   .adj = {A22 * c1 - A12 * c2, A11 * c2 - A21 * c1},
                   .trace = A11 + A22, .det = A11 * A22 - A12 * A21};
    if (!(slip.det > CAROM_RANK_TOL * fabs(s[1] * t[2])))
        return false;
    solve_two(A11, A12, A21, A22, -c1, -c2, y + 1);
    y[0] = -(b[0] + W[1] * y[1] + W[2] * y[2]) / W[0];
    if (y[0] >= 0 && y[1] * y[1] + y[2] * y[2] <= mu * mu * y[0] * y[0])                  /* (7) */
        return true;
    double e[2];
    if (!branch_root(&slip, e))
        return false;
    double p = W[0] + mu * (W[1] * e[0] + W[2] * e[1]);                                  /* (8) */
    y[0] = -b[0] / p;
    y[1] = mu * e[0] * y[0];
    y[2] = mu * e[1] * y[0];
    return p > 0 && y[0] <= DBL_MAX;
}

/* p (u_t x e) at the angle theta: 0 where friction opposes the slip (or drives it: the residual tells). */
static double swirl(const carom_contest *c, double theta, double *y)
{
    const double *W = c->W, *b = c->b;
    double mu = c->c[CAROM_FRICTION], e[2] = {cos(theta), sin(theta)};
    double p = W[0] + mu * (W[1] * e[0] + W[2] * e[1]);
    double v1 = p * b[1] - b[0] * (W[3] + mu * (W[4] * e[0] + W[5] * e[1]));
    double v2 = p * b[2] - b[0] * (W[6] + mu * (W[7] * e[0] + W[8] * e[1]));
    y[0] = p > 0 ? -b[0] / p : 0;
    y[1] = mu * e[0] * y[0];
    y[2] = mu * e[1] * y[0];
    return v1 * e[1] - v2 * e[0];
}

/* Enters the directions at both ends, and at the root between them if the signs differ. */
static void enter_root(carom_contest *c, double low, double high)
{
    double y[3], at_low = swirl(c, low, y), at_high = swirl(c, high, y);
    carom_contest_enter(c, y);
    if ((at_low > 0) == (at_high > 0))
        return;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        *((swirl(c, middle, y) > 0) == (at_low > 0) ? &low : &high) = middle;
    }
    carom_contest_enter(c, y);
}

/* The angle in [low, high] where |swirl| is least, if it has one valley there. */
static double valley(const carom_contest *c, double low, double high)
{
    double y[3];
    for (int i = 0; i < 80; i++) {
        double third = (high - low) / 3;
        if (fabs(swirl(c, low + third, y)) < fabs(swirl(c, high - third, y)))
            high -= third;
        else
            low += third;
    }
    return low;
}

/* A trigonometric polynomial of degree 2 has at most four roots: sign changes between samples, and pairs of roots in a
 * valley between them. */
static void spatial_circle(carom_contest *c)
{
    enum { SAMPLES = 64 };
    double width = 2 * acos(-1) / SAMPLES, y[3];
    double f[SAMPLES + 2];
    for (int k = 0; k < SAMPLES + 2; k++)
        f[k] = swirl(c, k * width, y);
    for (int k = 1; k <= SAMPLES; k++) {
        double low = (k - 1) * width, high = (k + 1) * width;
        enter_root(c, low, low + width);
        bool same = (f[k - 1] > 0) == (f[k] > 0) && (f[k] > 0) == (f[k + 1] > 0);
        if (same && fabs(f[k]) <= fabs(f[k - 1]) && fabs(f[k]) <= fabs(f[k + 1])) {
            double bottom = valley(c, low, high);
            enter_root(c, low, bottom);
            enter_root(c, bottom, high);
        }
    }
}

static void solve_single(const double *c, const double *W, int stride, const double *b, double *y)
{
    double mu = c[CAROM_FRICTION];
    if (b[0] >= 0) {                                                                     /* (6) */
        y[0] = y[1] = y[2] = 0;
        return;
    }
    if (mu == 0) {
        carom_law_unilateral.solve_single(c, W, stride, b, y);
        y[1] = y[2] = 0;
        return;
    }
    if (spatial_branch(mu, W, stride, b, y))
        return;
    carom_contest all;
    carom_contest_begin(&all, &carom_law_coulomb_spatial, c, W, stride, b);
    spatial_circle(&all);
    for (int i = 0; i < 3; i++)
        y[i] = all.y[i];
}

static void slide(const double *c, const double *d, double x_n, double *x_t)
{
    x_t[0] = -c[CAROM_FRICTION] * d[0] * x_n;
    x_t[1] = -c[CAROM_FRICTION] * d[1] * x_n;
}

static void slip_along(const double *c, const double *x_t, double *d)
{
    (void)c;
    double size = hypot(x_t[0], x_t[1]);
    d[0] = -x_t[0] / size;
    d[1] = -x_t[1] / size;
}

static double turn(const double *c, const double *d)
{
    (void)d;
    return c[CAROM_FRICTION];
}

static double friction(const double *c, const double *x, double *most)
{
    *most = c[CAROM_FRICTION] * x[0];
    return hypot(x[1], x[2]);
}

static const carom_law *simpler(const double *c, double *scale, double *d)
{
    return carom_coulomb_simpler(&carom_law_coulomb_spatial, c, scale, d);
}

const carom_law carom_law_coulomb_spatial = {
    .method = {.name = "coulomb-spatial", .doc = "contact with dry friction in space",
               .ref = "De Saxce and Feng (1998), Math. Comput. Modelling 28, 225-245", .fields = fields},
    .family = "contact",
    .rows = 3,
    .tangents = 2,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_STICK | 1 << CAROM_SLIP,
    .restitution = true,
    .project = project,
    .residual = residual,
    .solve_single = solve_single,
    .wrong = carom_coulomb_wrong,
    .slide = slide,
    .slip_along = slip_along,
    .turn = turn,
    .friction = friction,
    .mu = carom_coulomb_mu,
    .at_rest = carom_coulomb_at_rest,
    .simpler = simpler,
};
