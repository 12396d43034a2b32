/* quintic.c: where a quintic in Bernstein form first becomes negative.
 *
 *   b = [ g0, g0 + h u0/5, g0 + 2 h u0/5 + h^2 a0/20, g1 - 2 h u1/5 + h^2 a1/20, g1 - h u1/5, g1 ]      (1)
 *   all b >= 0: the quintic has no root in (0, 1); otherwise halve (de Casteljau), left part first      (2)
 *   defect of the interpolation <= d 64 s^3 (1-s)^3 <= 1.6 d (B_2 + B_3)                                (3)
 *
 * Lowered by (3) no dip of the function itself escapes; the caller tests what is found on that. */
#include <string.h>

#include "core/quintic.h"

double carom_quintic_value(const double b[6], double s)
{
    double c[6];
    memcpy(c, b, sizeof c);
    for (int n = 5; n > 0; n--)
        for (int i = 0; i < n; i++)
            c[i] += s * (c[i + 1] - c[i]);
    return c[0];
}

void carom_quintic_lower(double b[6], double d)
{
    b[2] -= 1.6 * d;
    b[3] -= 1.6 * d;                                                                    /* (3) */
}

static bool nonnegative(const double b[6])
{
    for (int i = 0; i < 6; i++)
        if (b[i] < 0)
            return false;
    return true;
}

static void halve(const double b[6], double left[6], double right[6])
{
    memcpy(right, b, sizeof(double) * 6);
    left[0] = b[0];
    for (int n = 5; n > 0; n--) {
        for (int i = 0; i < n; i++)
            right[i] = 0.5 * (right[i] + right[i + 1]);
        left[6 - n] = right[0];
    }
}

static bool first(const double b[6], double from, int depth, double at, double width, double *low, double *high)
{
    if (at + width <= from || nonnegative(b))
        return false;
    if (depth == 0) {
        *low = at, *high = at + width;
        return true;
    }
    double left[6], right[6];
    halve(b, left, right);                                                              /* (2) */
    return first(left, from, depth - 1, at, 0.5 * width, low, high) ||
           first(right, from, depth - 1, at + 0.5 * width, 0.5 * width, low, high);
}

bool carom_quintic_first(const double b[6], double from, double *low, double *high)
{
    enum { DEPTH = 6 };
    return first(b, from, DEPTH, 0, 1, low, high);
}
