/* one.c: one contact, exactly:  u = W y + b, (u, y) in the law. W may be nonsymmetric and singular.
 *
 *   open    y = 0                             if b_n >= 0                                                  (1)
 *   stick   y = -W^-1 b                       if |y_t| <= mu y_n                                           (2)
 *   slip    y = y_n (1, mu e), |e| = 1:       y_n = -b_n/p, p = W_nn + mu W_nt e, if p > 0,
 *                                             and u_t = -k e with k >= 0                                   (3)
 * In the plane e = 1 and e = -1 are tried. In space let u_t = -a y_t and eliminate y_n:
 *   (A + a) y_t = -c,  A = W_tt - W_tn W_nt/W_nn,  c = b_t - W_tn b_n/W_nn
 *   y_t = -N/D,  y_n = Y/D,  N = adj(A) c + a c,  D = a^2 + a tr A + det A,  Y = (W_nt N - b_n D)/W_nn      (4)
 *   h(a) = |N| - mu Y = 0                                                                                   (5)
 * h < 0 for large a, and h(0) > 0 if sticking fails: Newton's method with bisection finds a root between. Only the
 * direction e = -N/|N| is taken from it, so that u_n = 0 and the cone hold to rounding. Where (4) does not apply (W_nn
 * or det A <= 0) or its root has p <= 0 the directions around the circle are searched for p (u_t x e) = 0, which has up
 * to four roots.
 * Limits: with p <= 0 (Painleve) there may be no solution, then the candidate of least residual is returned, or
 * several, then the open one comes first, else the one found first. */
#include <float.h>
#include <math.h>

#include "core/dense.h"
#include "solvers/parts.h"

void carom_one_unilateral(double mu, const double *W, int stride, const double *b, double *y)
{
    (void)mu;
    (void)stride;
    y[0] = b[0] < 0 && W[0] > 0 ? -b[0] / W[0] : 0;
}

/* ---- the best of several candidates ---- */
typedef struct contest {
    const carom_law *law;
    double mu, rho, W[9], b[3]; /* W packed */
    double best, y[3];
} contest;

static void contest_begin(contest *c, const carom_law *law, double mu, const double *W, int stride, const double *b)
{
    int m = law->rows;
    double trace = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            c->W[i * m + j] = W[i * stride + j];
        c->b[i] = b[i];
        c->y[i] = 0;
        trace += W[i * stride + i];
    }
    c->law = law;
    c->mu = mu;
    c->rho = trace > 0 ? m / trace : 1;
    c->best = INFINITY;
}

static void contest_enter(contest *c, const double *y)
{
    int m = c->law->rows;
    double u[3] = {0};
    for (int i = 0; i < m; i++)
        u[i] = c->b[i] + carom_dot(m, c->W + i * m, y);
    double r = c->law->residual(c->mu, c->rho, u, y);
    if (!(r < c->best))
        return;
    c->best = r;
    for (int i = 0; i < m; i++)
        c->y[i] = y[i];
}

static void enter_stick(contest *c)
{
    int m = c->law->rows, order[3];
    double A[9], f[3], y[3], work[12];
    for (int i = 0; i < m * m; i++)
        A[i] = c->W[i];
    for (int i = 0; i < m; i++)
        f[i] = -c->b[i];
    carom_least_squares(m, m, A, f, y, CAROM_RANK_TOL, work, order);
    contest_enter(c, y);
}

/* ---- plane ---- */
static void planar_contest(double mu, const double *W, int stride, const double *b, double *y)
{
    contest c;
    contest_begin(&c, &carom_law_coulomb_planar, mu, W, stride, b);
    contest_enter(&c, (double[2]){0, 0});
    enter_stick(&c);
    for (int e = -1; e <= 1; e += 2) {
        double p = W[0] + mu * e * W[1], n = -b[0] / p;
        if (n > 0 && n <= DBL_MAX)
            contest_enter(&c, (double[2]){n, mu * e * n});
    }
    y[0] = c.y[0];
    y[1] = c.y[1];
}

void carom_one_planar(double mu, const double *W, int stride, const double *b, double *y)
{
    if (b[0] >= 0) {                                                                     /* (1) */
        y[0] = y[1] = 0;
        return;
    }
    if (mu == 0) {
        carom_one_unilateral(0, W, stride, b, y);
        y[1] = 0;
        return;
    }
    const double *Wt = W + stride;
    double f = Wt[0] / W[0], A = Wt[1] - f * W[1];
    if (fabs(A) > CAROM_RANK_TOL * fabs(Wt[1])) {                                        /* (2) */
        y[1] = (f * b[0] - b[1]) / A;
        y[0] = -(b[0] + W[1] * y[1]) / W[0];
        if (fabs(y[1]) <= mu * y[0])
            return;
    }
    for (int k = 0; k < 2; k++) {                                                        /* (3) */
        double e = (b[1] > 0) == (k == 0) ? -mu : mu, p = W[0] + e * W[1];
        if (!(p > 0))
            continue;
        y[0] = -b[0] / p;
        y[1] = e * y[0];
        double slip = b[1] + Wt[0] * y[0] + Wt[1] * y[1];
        if (e > 0 ? slip <= 0 : slip >= 0)
            return;
    }
    planar_contest(mu, W, stride, b, y);
}

/* ---- space ---- */
typedef struct branch { /* (4) */
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
    at.h = at.length - s->mu * at.Y;                                                     /* (5) */
    at.slope = (at.N[0] * s->c[0] + at.N[1] * s->c[1]) / at.length - s->mu * Y_a;
    return at;
}

/* The force direction e at a root of (5) right of 0. It starts at the root for isotropic, uncoupled W. */
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
    if (y[0] >= 0 && y[1] * y[1] + y[2] * y[2] <= mu * mu * y[0] * y[0])                  /* (2) */
        return true;
    double e[2];
    if (!branch_root(&slip, e))
        return false;
    double p = W[0] + mu * (W[1] * e[0] + W[2] * e[1]);                                  /* (3) */
    y[0] = -b[0] / p;
    y[1] = mu * e[0] * y[0];
    y[2] = mu * e[1] * y[0];
    return p > 0 && y[0] <= DBL_MAX;
}

/* p (u_t x e) at the angle theta: 0 where friction opposes the slip (or drives it: the residual tells). */
static double swirl(const contest *c, double theta, double *y)
{
    const double *W = c->W, *b = c->b;
    double e[2] = {cos(theta), sin(theta)};
    double p = W[0] + c->mu * (W[1] * e[0] + W[2] * e[1]);
    double v1 = p * b[1] - b[0] * (W[3] + c->mu * (W[4] * e[0] + W[5] * e[1]));
    double v2 = p * b[2] - b[0] * (W[6] + c->mu * (W[7] * e[0] + W[8] * e[1]));
    y[0] = p > 0 ? -b[0] / p : 0;
    y[1] = c->mu * e[0] * y[0];
    y[2] = c->mu * e[1] * y[0];
    return v1 * e[1] - v2 * e[0];
}

/* Enters the directions at both ends, and at the root between them if the signs differ. */
static void enter_root(contest *c, double low, double high)
{
    double y[3], at_low = swirl(c, low, y), at_high = swirl(c, high, y);
    contest_enter(c, y);
    if ((at_low > 0) == (at_high > 0))
        return;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        *((swirl(c, middle, y) > 0) == (at_low > 0) ? &low : &high) = middle;
    }
    contest_enter(c, y);
}

/* The angle in [low, high] where |swirl| is least, if it has one valley there. */
static double valley(const contest *c, double low, double high)
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
static void spatial_circle(contest *c)
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

void carom_one_spatial(double mu, const double *W, int stride, const double *b, double *y)
{
    if (b[0] >= 0) {                                                                     /* (1) */
        y[0] = y[1] = y[2] = 0;
        return;
    }
    if (mu == 0) {
        carom_one_unilateral(0, W, stride, b, y);
        y[1] = y[2] = 0;
        return;
    }
    if (spatial_branch(mu, W, stride, b, y))
        return;
    contest c;
    contest_begin(&c, &carom_law_coulomb_spatial, mu, W, stride, b);
    contest_enter(&c, (double[3]){0, 0, 0});
    enter_stick(&c);
    spatial_circle(&c);
    for (int i = 0; i < 3; i++)
        y[i] = c.y[i];
}
