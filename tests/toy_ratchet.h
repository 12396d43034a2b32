/* toy_ratchet.h: friction in the plane that is larger against slip backwards, to try that a law plugs in with one file
 * and one line. Rows (n, t).
 *
 *   0 <= u_n _|_ x_n >= 0,   x_t = -f x_n if u_t > 0,  b x_n if u_t < 0,  between them if u_t = 0              (1)
 *   K = {-f x_n <= x_t <= b x_n}, a wedge;   u~ = (u_n + max(f u_t, -b u_t), u_t):   x = P(x - rho u~)         (2) */
#ifndef CAROM_TEST_TOY_RATCHET_H
#define CAROM_TEST_TOY_RATCHET_H

#include <math.h>

#include "laws/single.h"

enum { RATCHET_FORWARD = 1, RATCHET_BACK };
static const carom_field ratchet_fields[] = {
    {"restitution", CAROM_FIELD_DOUBLE, NAN, 0, 1, NULL, "normal velocity after an impact over the one before"},
    {"friction_1", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "f, against slip forwards"},
    {"friction_2", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "b, against slip backwards"},
    {0},
};

static inline void ratchet_project(const double *c, const double *y, double *x)
{
    double best = INFINITY;
    x[0] = x[1] = NAN;
    if (y[0] >= 0 && y[1] >= -c[RATCHET_FORWARD] * y[0] && y[1] <= c[RATCHET_BACK] * y[0]) {
        x[0] = y[0], x[1] = y[1];
        return;
    }
    for (int side = 0; side < 2; side++) { /* the nearer of the two rays */
        double slope = side ? c[RATCHET_BACK] : -c[RATCHET_FORWARD];
        double s = fmax(0, (y[0] + slope * y[1]) / (1 + slope * slope)), off = hypot(y[0] - s, y[1] - slope * s);
        if (!(off >= best))
            best = off, x[0] = s, x[1] = slope * s;
    }
}

static inline double ratchet_residual(const double *c, double rho, const double *u, const double *x)
{
    double most = fmax(c[RATCHET_FORWARD] * u[1], -c[RATCHET_BACK] * u[1]), p[2];
    ratchet_project(c, (double[2]){x[0] - rho * (u[0] + most), x[1] - rho * u[1]}, p);         /* (2) */
    return hypot(x[0] - p[0], x[1] - p[1]) / rho + 0 * (u[0] + u[1] + x[0] + x[1]); /* keeps NaN */
}

static inline void ratchet_slide(const double *c, const double *d, double x_n, double *x_t)
{
    x_t[0] = -d[0] * (d[0] > 0 ? c[RATCHET_FORWARD] : c[RATCHET_BACK]) * x_n;                  /* (1) */
}

static const carom_law toy_ratchet;
static inline void ratchet_single(const double *c, const double *W, int stride, const double *b, double *x)
{
    carom_contest all;
    carom_contest_begin(&all, &toy_ratchet, c, W, stride, b);
    for (double d = -1; d <= 1; d += 2) {
        double f, n;
        ratchet_slide(c, &d, 1, &f);
        n = -b[0] / (W[0] + f * W[1]);
        if (n > 0 && n < INFINITY)
            carom_contest_enter(&all, (double[2]){n, f * n});
    }
    x[0] = all.y[0], x[1] = all.y[1];
}

static inline void ratchet_slip_along(const double *c, const double *x_t, double *d)
{
    (void)c;
    d[0] = x_t[0] > 0 ? -1 : 1;
}

static inline double ratchet_friction(const double *c, const double *x, double *most)
{
    *most = x[0];
    return x[1] == 0 ? 0 : x[1] < 0 ? -x[1] / c[RATCHET_FORWARD] : x[1] / c[RATCHET_BACK];
}

static const carom_law toy_ratchet = {
    .method = {.name = "ratchet", .doc = "a toy", .ref = "", .fields = ratchet_fields},
    .rows = 2,
    .tangents = 1,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_STICK | 1 << CAROM_SLIP,
    .restitution = true,
    .project = ratchet_project,
    .residual = ratchet_residual,
    .solve_single = ratchet_single,
    .slide = ratchet_slide,
    .slip_along = ratchet_slip_along,
    .friction = ratchet_friction,
};

#endif
