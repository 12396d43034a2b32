/* vector.h: vectors of three numbers, for the files of this folder; and what these files know of each other. */
#ifndef CAROM_GEOMETRY_VECTOR_H
#define CAROM_GEOMETRY_VECTOR_H

#include <math.h>

#include "geometry/geometry.h"

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void cross3(const double *a, const double *b, double *c)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}
static inline void copy3(const double *a, double *b)
{
    b[0] = a[0], b[1] = a[1], b[2] = a[2];
}
static inline void sub3(const double *a, const double *b, double *c)
{
    c[0] = a[0] - b[0], c[1] = a[1] - b[1], c[2] = a[2] - b[2];
}
static inline void add3(const double *a, double s, const double *b, double *c) /* c = a + s b */
{
    c[0] = a[0] + s * b[0], c[1] = a[1] + s * b[1], c[2] = a[2] + s * b[2];
}
static inline double norm3(const double *a)
{
    return sqrt(dot3(a, a));
}
static inline double unit3(double *a) /* returns the length that a had; 0 stays 0 */
{
    double length = norm3(a);
    if (length > 0)
        a[0] /= length, a[1] /= length, a[2] /= length;
    return length;
}
static inline void turn3(const double *R, const double *x, double *y) /* y = R x */
{
    double a = dot3(R, x), b = dot3(R + 3, x), c = dot3(R + 6, x);
    y[0] = a, y[1] = b, y[2] = c;
}
static inline void turn_back3(const double *R, const double *x, double *y) /* y = R^T x */
{
    double a = R[0] * x[0] + R[3] * x[1] + R[6] * x[2], b = R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
           c = R[2] * x[0] + R[5] * x[1] + R[8] * x[2];
    y[0] = a, y[1] = b, y[2] = c;
}
static inline void place3(const carom_pose *pose, const double *x, double *y) /* y = r + R x */
{
    turn3(pose->R, x, y);
    add3(y, 1, pose->r, y);
}
static inline void place_back3(const carom_pose *pose, const double *x, double *y) /* y = R^T (x - r) */
{
    double d[3];
    sub3(x, pose->r, d);
    turn_back3(pose->R, d, y);
}
static inline void across3(const double *n, double *t) /* a unit vector perpendicular to a unit vector */
{
    int k = fabs(n[0]) <= fabs(n[1]) ? (fabs(n[0]) <= fabs(n[2]) ? 0 : 2) : (fabs(n[1]) <= fabs(n[2]) ? 1 : 2);
    double e[3] = {k == 0, k == 1, k == 2};
    add3(e, -dot3(e, n), n, t);
    unit3(t);
}

/* volume, centre, inertia: mass.c. */
void carom_shape_mass(carom_shape *shape, const carom_shape_spec *spec);
/* Solves for the unknowns of a touch at poses, beginning with z: unknowns.c. false: there is no such touch near z. */
bool carom_touch_unknowns(const carom_touch *touch, const carom_pose *pose, double *z);

#endif
