/* galerkin_testing.h: what the tests of the Galerkin families share: runs, and exact L1 errors of dense output. */
#ifndef CAROM_GALERKIN_TESTING_H
#define CAROM_GALERKIN_TESTING_H

#include <stdio.h>
#include <string.h>

#include "carom.h"
#include "running.h"
#include "testing.h"

static const char *const families[] = {"dg-minus", "dg-plus"};

static inline carom_sim *start_fields(const carom_model *model, const char *scheme, double h)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h;
    o.energy = true;
    o.newton_tol = 1e-14;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    return sim;
}

static inline carom_sim *start(const carom_model *model, int family, int degree, double h)
{
    char text[64];
    snprintf(text, sizeof text, "%s:degree=%d", families[family], degree);
    return start_fields(model, text, h);
}

/* ---- L1 norms ---- */

typedef double function_of_time(const void *user, double t);

static inline double gauss_five(function_of_time *f, const void *user, double a, double b)
{
    static const double x[] = {0, 0.53846931010568309, 0.90617984593866399};
    static const double w[] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
    double m = 0.5 * (a + b), r = 0.5 * (b - a), sum = w[0] * f(user, m);
    for (int i = 1; i < 3; i++)
        sum += w[i] * (f(user, m - r * x[i]) + f(user, m + r * x[i]));
    return r * sum;
}

/* The integral of |f| over [a, b], exact for polynomials of degree 9 and one change of sign in an eighth of it. */
static inline double integral_of_size(function_of_time *f, const void *user, double a, double b)
{
    enum { PARTS = 8 };
    double sum = 0, inside = 1e-13 * (b - a);
    for (int k = 0; k < PARTS; k++) {
        double left = a + (b - a) * k / PARTS, right = a + (b - a) * (k + 1) / PARTS;
        double low = left + inside, high = right - inside;
        double sign = f(user, low), other = f(user, high);
        if ((sign < 0) == (other < 0) || sign == 0 || other == 0) {
            sum += fabs(gauss_five(f, user, left, right));
            continue;
        }
        for (int j = 0; j < 80; j++) {
            double middle = 0.5 * (low + high);
            *((f(user, middle) < 0) == (sign < 0) ? &low : &high) = middle;
        }
        sum += fabs(gauss_five(f, user, left, low)) + fabs(gauss_five(f, user, low, right));
    }
    return sum;
}

#endif
