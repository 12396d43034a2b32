/* rotation.c: rotations as unit quaternions, and their local coordinates.
 *
 *   q = q_0 exp(xi),   exp(xi) = (cos t/2, sin(t/2)/t xi),   t = |xi|                                     (1)
 *   v = xi' - (1 - cos t)/t^2 xi x xi' + (t - sin t)/t^3 xi x (xi x xi')           q' = q (0, v)/2        (2)
 *   K(xi) v = v + xi x v/2 + c xi x (xi x v),   c = (1 - t/2 cot t/2)/t^2          the inverse of (2)     (3)
 *   D(xi)[d] v = d x v/2 + c'/t (xi . d) xi x (xi x v) + c (d x (xi x v) + xi x (d x v))                  (4)
 *
 * so that the bracket D(0)[d] v - D(0)[v] d is d x v: d' = dv - v x d. For small t by series. */
#include <math.h>

#include "model/rotation.h"

void carom_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - dot(a + 1, b + 1);
    carom_cross(a + 1, b + 1, out + 1);
    for (int i = 1; i < 4; i++)
        out[i] += a[0] * b[i] + b[0] * a[i];
}

void carom_rotation_drift(const double q[4], const double xi[3], double out[4])
{
    double t2 = dot(xi, xi), t = sqrt(t2), turned[4];
    double part = t2 < 1e-4 ? 0.5 - t2 / 48 * (1 - t2 / 80) : sin(0.5 * t) / t;
    const double turn[4] = {cos(0.5 * t), part * xi[0], part * xi[1], part * xi[2]};
    multiply(q, turn, turned);                                                                   /* (1) */
    double size = sqrt(turned[0] * turned[0] + dot(turned + 1, turned + 1)); /* rounding must not add up */
    for (int i = 0; i < 4; i++)
        out[i] = turned[i] / size;
}

void carom_rotation_local(const double q[4], const double to[4], double xi[3])
{
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double turn[4];
    multiply(back, to, turn);
    double s = sqrt(dot(turn + 1, turn + 1)), c = fabs(turn[0]);
    double x = s / c, part = x < 1e-3 ? 2 / c * (1 - x * x / 3 * (1 - 3 * x * x / 5)) : 2 * atan2(s, c) / s;
    for (int i = 0; i < 3; i++)
        xi[i] = (turn[0] < 0 ? -part : part) * turn[1 + i];
}

/* c of (3) and c'/t of (4) */
static void coefficients(const double xi[3], double *c, double *slope)
{
    double t2 = dot(xi, xi), t = sqrt(t2);
    if (t2 < 0.04) {
        *c = 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 * (1.0 / 1209600 + t2 / 47900160)));
        *slope = 1.0 / 360 + t2 * (1.0 / 7560 + t2 * (1.0 / 201600 + t2 / 5987520));
        return;
    }
    double cotangent = 1 / tan(0.5 * t), sine = sin(0.5 * t);
    *c = (1 - 0.5 * t * cotangent) / t2;
    *slope = (0.25 / (sine * sine) - 0.5 * cotangent / t - 2 * *c) / t2;
}

void carom_rotation_rate(const double xi[3], const double v[3], double out[3])
{
    double c, slope, once[3], twice[3];
    coefficients(xi, &c, &slope);
    carom_cross(xi, v, once);
    carom_cross(xi, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 0.5 * once[i] + c * twice[i];                                            /* (3) */
}

void carom_rotation_velocity(const double xi[3], const double rate[3], double out[3])
{
    double t2 = dot(xi, xi), t = sqrt(t2), once[3], twice[3];
    double half = sin(0.5 * t) / (t > 0 ? t : 1);
    double b = t2 < 1e-8 ? 0.5 - t2 / 24 : 2 * half * half;
    double a = t2 < 0.04 ? 1.0 / 6 - t2 * (1.0 / 120 - t2 * (1.0 / 5040 - t2 * (1.0 / 362880 - t2 / 39916800)))
                         : (t - sin(t)) / (t2 * t);
    carom_cross(xi, rate, once);
    carom_cross(xi, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = rate[i] - b * once[i] + a * twice[i];                                           /* (2) */
}

void carom_rotation_rate_change(const double xi[3], const double v[3], const double d[3], double out[3])
{
    double c, slope, xv[3], dv[3], xxv[3], dxv[3], xdv[3];
    coefficients(xi, &c, &slope);
    carom_cross(xi, v, xv);
    carom_cross(d, v, dv);
    carom_cross(xi, xv, xxv);
    carom_cross(d, xv, dxv);
    carom_cross(xi, dv, xdv);
    double along = slope * dot(xi, d);
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * dv[i] + along * xxv[i] + c * (dxv[i] + xdv[i]);                           /* (4) */
}

/* x + 2 w (p x x) + 2 p x (p x x), p the vector of q */
static void turn(const double q[4], double w, const double x[3], double out[3])
{
    double once[3], twice[3];
    carom_cross(q + 1, x, once);
    carom_cross(q + 1, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + 2 * (w * once[i] + twice[i]);
}

void carom_rotation_to_space(const double q[4], const double x[3], double out[3])
{
    turn(q, q[0], x, out);
}

void carom_rotation_to_body(const double q[4], const double x[3], double out[3])
{
    turn(q, -q[0], x, out);
}
