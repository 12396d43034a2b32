/* geometry_testing.h: random shapes and poses, and derivatives by differences, for tests and the study of geometry. */
#ifndef CAROM_GEOMETRY_TESTING_H
#define CAROM_GEOMETRY_TESTING_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "geometry/geometry.h"
#include "geometry/vector.h"

/* ---- random numbers ---- */
typedef struct dice {
    uint64_t state;
} dice;
static inline double roll(dice *d, double low, double high)
{
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}
static inline void roll_direction(dice *d, bool planar, double *n)
{
    do
        for (int i = 0; i < 3; i++)
            n[i] = planar && i == 2 ? 0 : roll(d, -1, 1);
    while (norm3(n) > 1 || norm3(n) < 0.1);
    unit3(n);
}

/* ---- poses ---- */
/* R <- R exp([w]), by Rodrigues' formula */
static inline void turn_by(double *R, const double *w)
{
    double a = norm3(w), half = sin(a / 2), E[9], T[9];
    double s = a > 0 ? sin(a) / a : 1, c = a > 0 ? 2 * half * half / (a * a) : 0.5;
    double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    for (int i = 0; i < 9; i++) {
        double square = W[i / 3 * 3] * W[i % 3] + W[i / 3 * 3 + 1] * W[3 + i % 3] + W[i / 3 * 3 + 2] * W[6 + i % 3];
        E[i] = (i % 4 == 0) + s * W[i] + c * square;
    }
    for (int i = 0; i < 9; i++)
        T[i] = R[i / 3 * 3] * E[i % 3] + R[i / 3 * 3 + 1] * E[3 + i % 3] + R[i / 3 * 3 + 2] * E[6 + i % 3];
    memcpy(R, T, sizeof T);
}
static inline carom_pose roll_pose(dice *d, bool planar)
{
    carom_pose p = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double n[3], w[3];
    roll_direction(d, planar, n);
    double a = roll(d, -3, 3);
    for (int i = 0; i < 3; i++)
        p.r[i] = planar && i == 2 ? 0 : roll(d, -1, 1), w[i] = planar ? (i == 2) * a : a * n[i];
    turn_by(p.R, w);
    return p;
}
/* The pose after a displacement s times step [3 | 6]. */
static inline carom_pose moved(const carom_pose *from, bool planar, const double *step, double s)
{
    carom_pose p = *from;
    double w[3];
    for (int i = 0; i < 3; i++) {
        p.r[i] += planar && i == 2 ? 0 : s * step[i];
        w[i] = planar ? (i == 2) * s * step[2] : s * step[3 + i];
    }
    turn_by(p.R, w);
    return p;
}

/* ---- kinds of pairs ---- */
typedef struct pair_kind {
    const char *name;
    bool planar;
    carom_shape_kind kind[2];
    bool flat; /* of a ring */
} pair_kind;
#define PAIR(planar, a, b) {#a " " #b, planar, {CAROM_SHAPE_##a, CAROM_SHAPE_##b}, false}
static const pair_kind pair_kinds[] = {
    PAIR(true, PLANE, POINT),     PAIR(true, PLANE, BALL),        PAIR(true, PLANE, CAPSULE),
    PAIR(true, PLANE, BOX),       PAIR(true, PLANE, POLYTOPE),    PAIR(true, BALL, BALL),
    PAIR(true, BALL, POINT),      PAIR(true, BALL, CAPSULE),      PAIR(true, BALL, BOX),
    PAIR(true, BALL, POLYTOPE),   PAIR(true, CAPSULE, POINT),     PAIR(true, CAPSULE, CAPSULE),
    PAIR(true, CAPSULE, BOX),     PAIR(true, CAPSULE, POLYTOPE),  PAIR(true, BOX, POINT),
    PAIR(true, BOX, BOX),         PAIR(true, BOX, POLYTOPE),      PAIR(true, POLYTOPE, POLYTOPE),
    PAIR(false, PLANE, POINT),    PAIR(false, PLANE, BALL),       PAIR(false, PLANE, CAPSULE),
    PAIR(false, PLANE, BOX),      PAIR(false, PLANE, POLYTOPE),   PAIR(false, BALL, BALL),
    PAIR(false, BALL, POINT),     PAIR(false, BALL, CAPSULE),     PAIR(false, BALL, BOX),
    PAIR(false, BALL, POLYTOPE),  PAIR(false, CAPSULE, POINT),    PAIR(false, CAPSULE, CAPSULE),
    PAIR(false, CAPSULE, BOX),    PAIR(false, CAPSULE, POLYTOPE), PAIR(false, BOX, POINT),
    PAIR(false, BOX, BOX),        PAIR(false, BOX, POLYTOPE),     PAIR(false, POLYTOPE, POLYTOPE),
    PAIR(false, PLANE, CYLINDER), PAIR(false, PLANE, ELLIPSOID),  PAIR(false, ELLIPSOID, BALL),
    PAIR(false, ELLIPSOID, POINT), PAIR(false, CYLINDER, POINT),  PAIR(false, CYLINDER, BALL),
    PAIR(false, CYLINDER, CAPSULE), PAIR(false, CYLINDER, BOX),   PAIR(false, CYLINDER, POLYTOPE),
    PAIR(false, CYLINDER, CYLINDER),
};
#undef PAIR
enum { PAIR_KINDS = sizeof pair_kinds / sizeof pair_kinds[0], TOUCHES = 512 };

/* A shape of its kind with sizes between 0.4 and 1.2, somewhere in its body. */
static inline carom_status roll_shape(dice *d, carom_arena *arena, carom_shape_kind kind, bool planar, bool flat,
                                      carom_shape *shape, carom_error *error)
{
    static double corner[3 * 12]; /* of a polygon, or of a polyhedron with corners on an ellipsoid */
    carom_shape_spec spec = {.kind = kind, .planar = planar, .flat = flat, .place = roll_pose(d, planar)};
    for (int i = 0; i < 3; i++)
        spec.place.r[i] *= 0.2, spec.size[i] = roll(d, 0.4, 1.2);
    if (kind == CAROM_SHAPE_PLANE)
        roll_direction(d, planar, spec.size);
    if (kind == CAROM_SHAPE_RING)
        spec.size[1] = spec.size[0] + 0.5, spec.size[2] = roll(d, -2, 2), spec.size[3] = spec.size[2] + roll(d, 0.4, 2);
    if (kind == CAROM_SHAPE_POLYTOPE) {
        int dim = planar ? 2 : 3, n = planar ? 5 : 8;
        double radius[3] = {roll(d, 0.4, 1), roll(d, 0.4, 1), roll(d, 0.4, 1)}, turn = roll(d, 0, 6);
        for (int i = 0; i < n; i++) {
            double x[3], z = 1 - 2 * (i + 0.5) / n, a = turn + 2.4 * i;
            if (planar)
                a = turn + 6.283185307 * (i + roll(d, -.3, .3)) / n;
            double r = planar ? 1 : sqrt(1 - z * z);
            x[0] = r * cos(a), x[1] = r * sin(a), x[2] = z;
            for (int k = 0; k < dim; k++)
                corner[dim * i + k] = radius[k] * x[k];
        }
        spec.corner = corner, spec.corners = n;
    }
    return carom_shape_new(arena, &spec, shape, error);
}

/* ---- derivatives by differences of sixth order ---- */
typedef void family(void *user, double s, double *f); /* f[n] as a function of one number */
static inline void difference(family *of, void *user, int n, double h, double *derivative)
{
    static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    double f[256];
    memset(derivative, 0, sizeof *derivative * (size_t)n);
    for (int k = 1; k <= 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            of(user, sign * k * h, f);
            for (int i = 0; i < n; i++)
                derivative[i] += sign * weight[k - 1] / h * f[i];
        }
}

/* All quantities of one touch. */
typedef struct quantities {
    double g[1], place[15], G[36], gamma[3], U_q[36], A_q[36], A_v[36], R_q[144], g_f[24], U_f[72], A_f[72], R_f[288];
} quantities;
enum {
    CAROM_TOUCH_ALL = (1 << CAROM_TOUCH_QUANTITIES) - 1,
    CAROM_TOUCH_BASIC = CAROM_TOUCH_GAP | CAROM_TOUCH_PLACE | CAROM_TOUCH_JACOBIAN | CAROM_TOUCH_GAMMA
};
static const unsigned touch_wants[2] = {CAROM_TOUCH_ALL, CAROM_TOUCH_BASIC};
typedef struct probe { /* a touch and its motion */
    const carom_kernels *kernels;
    double *work;
    carom_touch touch;
    bool planar;
    carom_pose pose[2];
    double v[12], a[12], x[3];
    int along; /* a displacement, -1: the motion v, 12 + j: the velocity j, 24 + j: a number of the features */
    quantities out;
} probe;
static inline carom_status probe_eval(probe *p, const carom_pose *pose, unsigned want, quantities *out)
{
    carom_touch_motion motion = {pose, p->v, p->a, p->x};
    carom_touch_values values = {out->g,   out->place, out->G,   out->gamma, out->U_q, out->A_q,
                                 out->A_v, out->R_q,   out->g_f, out->U_f,   out->A_f, out->R_f};
    return carom_kernels_eval(p->kernels, want, 1, &p->touch, &motion, &values, p->work, NULL);
}
/* g, u [rows], G a + gamma [rows], G^T x [columns], each at poses displaced by s along p->along. */
enum { FAMILY = 1 + 3 + 3 + 12 };
static inline void along_family(void *user, double s, double *f)
{
    probe p = *(probe *)user;
    quantities q;
    int c = p.planar ? 6 : 12, r = p.planar ? 2 : 3;
    double step[12] = {0};
    if (p.along < 0)
        memcpy(step, p.v, sizeof step);
    else if (p.along < 12)
        step[p.along] = 1;
    else if (p.along < 24)
        p.v[p.along - 12] += s;
    else
        (p.along < 36 ? p.touch.a : p.touch.b)[p.along % 12] += s;
    carom_pose pose[2] = {moved(&p.pose[0], p.planar, step, s), moved(&p.pose[1], p.planar, step + c / 2, s)};
    memset(f, 0, sizeof *f * FAMILY);
    probe_eval(&p, pose, CAROM_TOUCH_BASIC, &q);
    f[0] = q.g[0];
    for (int i = 0; i < r; i++) {
        f[4 + i] = q.gamma[i];
        for (int j = 0; j < c; j++) {
            f[1 + i] += q.G[i * c + j] * p.v[j];
            f[4 + i] += q.G[i * c + j] * p.a[j];
            f[7 + j] += q.G[i * c + j] * p.x[i];
        }
    }
}
/* The largest differences between derivatives and differences, relative to 1 + the largest entry of their kind. */
typedef struct mismatch {
    double G, gamma, U_q, A_q, A_v, R_q, g_f, U_f, A_f, R_f;
} mismatch;
enum { MISMATCHES = sizeof(mismatch) / sizeof(double) };
static inline double off(double worst, const double *exact, int stride, const double *approximate, int n, double scale)
{
    for (int i = 0; i < n; i++) {
        double e = fabs(exact[i * stride] - approximate[i]) / scale;
        worst = e <= worst ? worst : e; /* NaN is the worst */
    }
    return worst;
}
static inline double largest(const double *x, int n)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}
static inline mismatch compare(probe *p, double h)
{
    mismatch m = {0};
    double d[FAMILY];
    int c = p->planar ? 6 : 12, r = p->planar ? 2 : 3;
    probe_eval(p, p->pose, CAROM_TOUCH_ALL, &p->out);
    quantities *q = &p->out;
    for (int j = 0; j < c; j++) {
        p->along = j;
        difference(along_family, p, FAMILY, h, d);
        m.G = off(m.G, q->G + j, c, d, 1, largest(q->G, r * c));
        m.U_q = off(m.U_q, q->U_q + j, c, d + 1, r, largest(q->U_q, r * c));
        m.A_q = off(m.A_q, q->A_q + j, c, d + 4, r, largest(q->A_q, r * c));
        m.R_q = off(m.R_q, q->R_q + j, c, d + 7, c, largest(q->R_q, c * c));
        p->along = 12 + j;
        difference(along_family, p, FAMILY, h, d);
        m.A_v = off(m.A_v, q->A_v + j, c, d + 4, r, largest(q->A_v, r * c));
    }
    for (int j = 0; j < 24; j++) {
        p->along = 24 + j;
        difference(along_family, p, FAMILY, h / 4, d);
        m.g_f = off(m.g_f, q->g_f + j, 24, d, 1, largest(q->g_f, 24));
        m.U_f = off(m.U_f, q->U_f + j, 24, d + 1, r, largest(q->U_f, r * 24));
        m.A_f = off(m.A_f, q->A_f + j, 24, d + 4, r, largest(q->A_f, r * 24));
        m.R_f = off(m.R_f, q->R_f + j, 24, d + 7, c, largest(q->R_f, c * 24));
    }
    p->along = -1;
    difference(along_family, p, FAMILY, h, d);
    m.gamma = off(m.gamma, q->gamma, 1, d + 1, r, largest(q->gamma, r));
    return m;
}
static inline double worst_of(const mismatch *m)
{
    const double *x = (const double *)m;
    double worst = 0;
    for (int i = 0; i < MISMATCHES; i++)
        worst = x[i] <= worst ? worst : x[i];
    return worst;
}

/* Half a turn about its own x maps such a shape onto itself. */
static inline bool turns_over(const carom_shape *s)
{
    return s->kind == CAROM_SHAPE_CYLINDER || s->kind == CAROM_SHAPE_CAPSULE || s->kind == CAROM_SHAPE_ELLIPSOID;
}

static inline void turn_over(const carom_shape *s, carom_pose *pose)
{
    double over[9], before[3], after[3];
    for (int i = 0; i < 9; i++) { /* P diag(1, -1, -1) P^T, P: the axes of the shape in its body */
        const double *a = s->place.R + 3 * (i / 3), *b = s->place.R + 3 * (i % 3);
        over[i] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    }
    turn3(pose->R, s->place.r, before);
    double R[9];
    for (int i = 0; i < 9; i++)
        R[i] = pose->R[i / 3 * 3] * over[i % 3] + pose->R[i / 3 * 3 + 1] * over[3 + i % 3] +
               pose->R[i / 3 * 3 + 2] * over[6 + i % 3];
    memcpy(pose->R, R, sizeof R);
    turn3(pose->R, s->place.r, after);
    for (int k = 0; k < 3; k++)
        pose->r[k] += before[k] - after[k];
}

#endif
