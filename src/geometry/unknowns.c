/* unknowns.c: the numbers of a contact that have no closed form, by Newton's method from where the contact was found.
 *
 *   ellipsoid, point   F(z) = sum (a_i x_i/(a_i^2 + z))^2 - 1 = 0:  convex and falling for z > -min a_i^2, and not
 *                      negative at max(a_i |x_i| - a_i^2), so that the iteration from there is monotone          (1)
 *   line, circle       F(z) = (x - (x . a) a) . t(z) = 0,  x from the line to the circle's point                  (2)
 *   circle, circle     F(z) = x . t_a(z_0), x . t_b(z_1) = 0,  x from one circle's point to the other's           (3)
 * where t is the direction of a circle at its angle z, t' = -(its radial direction). Angles stay within WANDER of where
 * they began; where a root has vanished (an edge that left the rim), they stay there. */
#include "geometry/vector.h"

enum { ITERATIONS = 60 };
static const double WANDER = 0.5;

static void ellipsoid_point(const double *e, const double *point, double *z)
{
    double x[3], third[3], d[3], a[3] = {e[9], e[10], e[11]};
    cross3(e + 3, e + 6, third);
    sub3(point, e, d);
    x[0] = dot3(d, e + 3), x[1] = dot3(d, e + 6), x[2] = dot3(d, third);
    double least = CAROM_MIN(a[0], CAROM_MIN(a[1], a[2]));
    *z = -least * least * (1 - 1e-9); /* on the focal surface inside there is no single foot */
    for (int i = 0; i < 3; i++)
        *z = CAROM_MAX(*z, a[i] * (fabs(x[i]) - a[i]));
    for (int k = 0; k < ITERATIONS; k++) {                                                             /* (1) */
        double F = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double s = a[i] * a[i] + *z, w = a[i] * x[i] / s;
            F += w * w;
            slope -= 2 * w * w / s;
        }
        double next = *z - F / slope;
        if (!(F > 0) || !(next > *z))
            break;
        *z = next;
    }
}

typedef struct rim { /* a circle's point at an angle, in space */
    double point[3], radial[3], tangent[3];
} rim;

static rim on_circle(const double *c, const carom_pose *pose, double z)
{
    rim r;
    double h[3], p[3], cosine = cos(z), sine = sin(z);
    cross3(c + 3, c + 6, h);
    for (int i = 0; i < 3; i++) {
        r.radial[i] = cosine * c[6 + i] + sine * h[i];
        r.tangent[i] = cosine * h[i] - sine * c[6 + i];
        p[i] = c[i] + c[9] * r.radial[i];
    }
    place3(pose, p, r.point);
    turn3(pose->R, r.radial, r.radial);
    turn3(pose->R, r.tangent, r.tangent);
    return r;
}

static bool line_circle(const carom_touch *touch, const carom_pose *A, const carom_pose *B, double *z)
{
    double p[3], a[3], x[3], start = *z;
    place3(A, touch->a, p);
    turn3(A->R, touch->a + 3, a);
    for (int k = 0; k < ITERATIONS; k++) {                                                             /* (2) */
        rim r = on_circle(touch->b, B, *z);
        sub3(r.point, p, x);
        add3(x, -dot3(x, a), a, x);
        double at = dot3(r.tangent, a), F = dot3(x, r.tangent);
        double slope = touch->b[9] * (dot3(r.tangent, r.tangent) - at * at) - dot3(x, r.radial);
        double step = F / slope;
        if (!isfinite(step) || !(fabs(*z - step - start) <= WANDER))
            break;
        *z -= step;
        if (fabs(step) < 1e-9) /* the next one would be below rounding */
            return slope > 0;
    }
    *z = start;
    return false;
}

static bool circle_circle(const carom_touch *touch, const carom_pose *A, const carom_pose *B, double *z)
{
    double start[2] = {z[0], z[1]};
    for (int k = 0; k < ITERATIONS; k++) {                                                             /* (3) */
        rim a = on_circle(touch->a, A, z[0]), b = on_circle(touch->b, B, z[1]);
        double x[3], across = dot3(a.tangent, b.tangent);
        sub3(b.point, a.point, x);
        double F[2] = {dot3(x, a.tangent), dot3(x, b.tangent)};
        double J[4] = {-touch->a[9] * dot3(a.tangent, a.tangent) - dot3(x, a.radial), touch->b[9] * across,
                       -touch->a[9] * across, touch->b[9] * dot3(b.tangent, b.tangent) - dot3(x, b.radial)};
        double det = J[0] * J[3] - J[1] * J[2];
        double step[2] = {(J[3] * F[0] - J[1] * F[1]) / det, (J[0] * F[1] - J[2] * F[0]) / det};
        if (!(fabs(z[0] - step[0] - start[0]) <= WANDER && fabs(z[1] - step[1] - start[1]) <= WANDER))
            break;
        z[0] -= step[0], z[1] -= step[1];
        if (CAROM_MAX(fabs(step[0]), fabs(step[1])) < 1e-9)
            return true;
    }
    z[0] = start[0], z[1] = start[1];
    return false;
}

bool carom_touch_unknowns(const carom_touch *touch, const carom_pose *pose, double *z)
{
    const carom_pose *A = &pose[touch->body[0]], *B = &pose[touch->body[1]];
    if (touch->kernel == CAROM_ELLIPSOID_POINT) {
        double x[3];
        place3(B, touch->b, x);
        place_back3(A, x, x);
        ellipsoid_point(touch->a, x, z);
    } else if (touch->kernel == CAROM_LINE_CIRCLE) {
        return line_circle(touch, A, B, z);
    } else if (touch->kernel == CAROM_CIRCLE_CIRCLE) {
        return circle_circle(touch, A, B, z);
    }
    return true;
}
