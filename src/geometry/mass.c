/* mass.c: volume (area in the plane), centre and inertia of shapes of unit density, in closed form.
 *
 *   polygon      triangles (0, a, b):  A = a x b/2,  integral of x = A (a + b)/3,
 *                integral of |x|^2 = A (a.a + a.b + b.b)/6                                                       (1)
 *   polyhedron   tetrahedra (0, a, b, c):  V = a . (b x c)/6,  integral of x = V (a + b + c)/4,
 *                integral of x x^T = V (a a^T + b b^T + c c^T + s s^T)/20,  s = a + b + c                         (2)
 *   ring         polar integrals between two radii and two angles                                               (3)
 *   inertia I = trace(C) 1 - C with C = integral of (x - centre)(x - centre)^T                                   (4) */
#include "geometry/vector.h"

static const double pi = 3.14159265358979323846;

static void polygon(carom_shape *s)
{
    const double *o = s->vertex; /* sums from a corner: no cancellation far from the origin */
    double area = 0, first[2] = {0, 0}, second = 0;
    for (int f = 0; f < s->nface; f++) {                                                               /* (1) */
        double a[3], b[3];
        sub3(s->vertex + 3 * s->corner[s->face[f].first], o, a);
        sub3(s->vertex + 3 * s->corner[s->face[f].first + 1], o, b);
        double A = (a[0] * b[1] - a[1] * b[0]) / 2;
        area += A;
        first[0] += A * (a[0] + b[0]) / 3, first[1] += A * (a[1] + b[1]) / 3;
        second += A * (dot3(a, a) + dot3(a, b) + dot3(b, b)) / 6;
    }
    double x = first[0] / area, y = first[1] / area;
    s->volume = area;
    s->centre[0] = o[0] + x, s->centre[1] = o[1] + y;
    s->inertia[2] = second - area * (x * x + y * y);
}

/* The inertia from C = second - V x x^T, the entries xx yy zz xy yz zx of the second moments. */
static void from_moments(carom_shape *s, const double *second)
{
    double trace = second[0] + second[1] + second[2];                                                  /* (4) */
    for (int i = 0; i < 3; i++)
        s->inertia[i] = trace - second[i], s->inertia[3 + i] = -second[3 + i];
}

static void polyhedron(carom_shape *s)
{
    const double *o = s->vertex;
    double volume = 0, first[3] = {0, 0, 0}, second[6] = {0};
    for (int f = 0; f < s->nface; f++)
        for (int k = 1; k + 1 < s->face[f].corners; k++) {                                             /* (2) */
            const int *corner = s->corner + s->face[f].first;
            double x[4][3], bc[3];
            sub3(s->vertex + 3 * corner[0], o, x[0]);
            sub3(s->vertex + 3 * corner[k], o, x[1]);
            sub3(s->vertex + 3 * corner[k + 1], o, x[2]);
            cross3(x[1], x[2], bc);
            add3(x[0], 1, x[1], x[3]), add3(x[3], 1, x[2], x[3]);
            double V = dot3(x[0], bc) / 6;
            volume += V;
            add3(first, V / 4, x[3], first);
            for (int j = 0; j < 4; j++)
                for (int i = 0; i < 3; i++) {
                    second[i] += V / 20 * x[j][i] * x[j][i];
                    second[3 + i] += V / 20 * x[j][i] * x[j][(i + 1) % 3];
                }
        }
    for (int i = 0; i < 3; i++)
        first[i] /= volume;
    for (int i = 0; i < 3; i++) {
        second[i] -= volume * first[i] * first[i];
        second[3 + i] -= volume * first[i] * first[(i + 1) % 3];
    }
    s->volume = volume;
    add3(o, 1, first, s->centre);
    from_moments(s, second);
}

/* A shape whose principal axes are those of its place: second moments along them. */
static void principal(carom_shape *s, double volume, double xx, double yy, double zz)
{
    const double C[3] = {xx, yy, zz}, *R = s->place.R;
    double second[6] = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            second[i] += C[k] * R[3 * i + k] * R[3 * i + k];
            second[3 + i] += C[k] * R[3 * i + k] * R[3 * ((i + 1) % 3) + k];
        }
    s->volume = volume;
    copy3(s->place.r, s->centre);
    from_moments(s, second);
}

static void ring(carom_shape *s, const double *size)
{
    double r1 = size[0], r2 = size[1], half = (size[3] - size[2]) / 2, middle = (size[3] + size[2]) / 2;
    double area = half * (r2 - r1) * (r2 + r1);                                                        /* (3) */
    double x = 2 * sin(half) * (r2 * r2 * r2 - r1 * r1 * r1) / (3 * area); /* of the centre from the axis */
    double local[3] = {x * cos(middle), x * sin(middle), 0};
    s->volume = area;
    place3(&s->place, local, s->centre);
    s->inertia[2] = area * (r1 * r1 + r2 * r2) / 2 - area * x * x;
}

static void capsule(carom_shape *s)
{
    double l = s->size[0], r = s->size[1];
    if (s->planar) { /* a rectangle and two half-discs, whose centres lie 4 r/(3 pi) off their sides */
        double box = 2 * l * r, disc = pi * r * r;
        copy3(s->place.r, s->centre);
        s->volume = box + disc;
        s->inertia[2] = box * (l * l + 4 * r * r) / 12 + disc * (r * r / 2 + l * l / 4 + 4 * l * r / (3 * pi));
        return;
    }
    double rod = pi * r * r * l, ball = 4 * pi * r * r * r / 3, across = rod * r * r / 4 + ball * r * r / 5;
    principal(s, rod + ball, rod * l * l / 12 + ball * (r * r / 5 + l * l / 4 + 3 * l * r / 8), across, across);
}

void carom_shape_mass(carom_shape *s, const carom_shape_spec *spec)
{
    const double *a = spec->size;
    double disc = pi * a[0] * a[0];
    switch (spec->kind) {
    case CAROM_SHAPE_BALL:
        if (s->planar)
            principal(s, disc, disc * a[0] * a[0] / 4, disc * a[0] * a[0] / 4, 0);
        else
            principal(s, 4 * disc * a[0] / 3, 4 * disc * pow(a[0], 3) / 15, 4 * disc * pow(a[0], 3) / 15,
                      4 * disc * pow(a[0], 3) / 15);
        break;
    case CAROM_SHAPE_CAPSULE:
        capsule(s);
        break;
    case CAROM_SHAPE_RING:
        ring(s, a);
        break;
    case CAROM_SHAPE_BOX:
    case CAROM_SHAPE_POLYTOPE:
        if (s->planar)
            polygon(s);
        else
            polyhedron(s);
        break;
    case CAROM_SHAPE_CYLINDER: {
        double v = pi * a[1] * a[1] * a[0], across = v * a[1] * a[1] / 4;
        principal(s, v, across, across, v * a[0] * a[0] / 12);
        break;
    }
    case CAROM_SHAPE_ELLIPSOID: {
        double v = 4 * pi * a[0] * a[1] * a[2] / 3;
        principal(s, v, v * a[0] * a[0] / 5, v * a[1] * a[1] / 5, v * a[2] * a[2] / 5);
        break;
    }
    default: /* a point has no mass, a plane no end */
        break;
    }
    if (s->planar)
        for (int i = 0; i < 6; i++)
            s->inertia[i] = i == 2 ? s->inertia[i] : 0;
}
