/* rotating.h: bodies with a unit quaternion, through plain callbacks: a free asymmetric top with its exact motion in
 * Jacobi's elliptic functions, and an ellipsoid that falls on a plane with friction. */
#ifndef CAROM_ROTATING_H
#define CAROM_ROTATING_H

#include <string.h>

#include "carom_analysis.h"
#include "model/rotation.h"
#include "testing.h"

/* ---- positions: [3 lengths,] one quaternion; user points at the number of lengths --------------------- */
static int lengths_of(const void *user)
{
    return *(const int *)user;
}

static void place_drift(void *user, const double *q, const double *xi, double *out)
{
    int n = lengths_of(user);
    for (int i = 0; i < n; i++)
        out[i] = q[i] + xi[i];
    carom_rotation_drift(q + n, xi + n, out + n);
}

static void place_local(void *user, const double *q, const double *to, double *xi)
{
    int n = lengths_of(user);
    for (int i = 0; i < n; i++)
        xi[i] = to[i] - q[i];
    carom_rotation_local(q + n, to + n, xi + n);
}

static void place_rate(void *user, const double *xi, const double *v, double *out)
{
    int n = lengths_of(user);
    memmove(out, v, sizeof(double) * (size_t)n);
    carom_rotation_rate(xi + n, v + n, out + n);
}

static void place_velocity(void *user, const double *xi, const double *rate, double *out)
{
    int n = lengths_of(user);
    memmove(out, rate, sizeof(double) * (size_t)n);
    carom_rotation_velocity(xi + n, rate + n, out + n);
}

static void place_rate_change(void *user, const double *xi, const double *v, const double *d, double *out)
{
    int n = lengths_of(user);
    memset(out, 0, sizeof(double) * (size_t)n);
    carom_rotation_rate_change(xi + n, v + n, d + n, out + n);
}

static void place_size(void *user, const double *q, double *out)
{
    int n = lengths_of(user);
    for (int i = 0; i < n; i++)
        out[i] = fabs(q[i]);
    for (int i = n; i < n + 3; i++)
        out[i] = 1;
}

static const carom_manifold place = {place_drift, place_local, place_rate, place_velocity, place_rate_change,
                                     place_size};

/* ---- the top ---------------------------------------------------------------------------------------- */
static const double inertia[3] = {1, 1.7, 2.5};

static void gyroscopic(const double *J, const double *w, double *out) /* -w x J w */
{
    const double L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
    carom_cross(L, w, out);
}

static void top_mass(const carom_point *at, double *M)
{
    (void)at;
    memset(M, 0, 9 * sizeof *M);
    for (int i = 0; i < 3; i++)
        M[4 * i] = inertia[i];
}

static void top_force(const carom_point *at, double *F)
{
    gyroscopic(inertia, at->v, F);
}

static carom_model top_model(void)
{
    static const double q[4] = {0.8, 0.36, -0.48, 0}, v[3] = {0.9, 0, 1.1};
    static int lengths = 0;
    return (carom_model){.size = sizeof(carom_model), .name = "top", .nq = 4, .nv = 3, .manifold = &place,
                         .constant = CAROM_MASS, .q = q, .v = v, .user = &lengths, .mass = top_mass,
                         .force = top_force};
}

/* sn, cn, dn of modulus k by descending Landen transformations: the arithmetic-geometric mean */
static void jacobi(double u, double k, double *sn, double *cn, double *dn)
{
    enum { MOST = 20 };
    double a[MOST], c[MOST], b = sqrt(1 - k * k), phi, before = 0;
    int n = 0;
    a[0] = 1, c[0] = k;
    while (fabs(c[n]) > 1e-17 && n + 1 < MOST) {
        a[n + 1] = (a[n] + b) / 2, c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    phi = ldexp(a[n] * u, n);
    for (; n > 0; n--) {
        before = phi;
        phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    }
    *sn = sin(phi), *cn = cos(phi);
    *dn = cos(phi) / cos(before - phi);
}

/* Velocities at t of the top that starts with w_2 = 0 and whose L^2 exceeds 2 T J_2. */
static void top_velocity(double t, double w[3])
{
    const carom_model m = top_model();
    const double *J = inertia, *v = m.v;
    double T2 = J[0] * v[0] * v[0] + J[2] * v[2] * v[2];
    double L2 = J[0] * J[0] * v[0] * v[0] + J[2] * J[2] * v[2] * v[2];
    double fast = T2 * J[2] - L2, slow = L2 - T2 * J[0], sn, cn, dn;
    ck_assert(L2 > T2 * J[1]);
    jacobi(t * sqrt((J[2] - J[1]) * slow / (J[0] * J[1] * J[2])),
           sqrt((J[1] - J[0]) * fast / ((J[2] - J[1]) * slow)), &sn, &cn, &dn);
    w[0] = sqrt(fast / (J[0] * (J[2] - J[0]))) * cn;
    w[1] = sqrt(fast / (J[1] * (J[2] - J[1]))) * sn;
    w[2] = sqrt(slow / (J[2] * (J[2] - J[0]))) * dn;
}

/* The rotation that brings the body's L to the z axis, and the body's line of nodes to the angle phi about it. */
static void about_momentum(const double w[3], double phi, double q[4])
{
    const double L[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
    double theta = atan2(hypot(L[0], L[1]), L[2]), psi = atan2(L[0], L[1]);
    const double z1[3] = {0, 0, phi}, x[3] = {theta, 0, 0}, z2[3] = {0, 0, psi}, one[4] = {1, 0, 0, 0};
    carom_rotation_drift(one, z1, q);
    carom_rotation_drift(q, x, q);
    carom_rotation_drift(q, z2, q);
}

/* phi' = |L| (2 T - J_3 w_3^2)/(L^2 - J_3^2 w_3^2), by Gauss's rule with 5 points on short pieces */
static double top_angle(double t)
{
    static const double node[] = {0, 0.5384693101056831, 0.9061798459386640},
                        weight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    int pieces = 1 + (int)(t / 0.05);
    double h = t / pieces, sum = 0, w[3];
    for (int k = 0; k < pieces; k++)
        for (int i = -2; i <= 2; i++) {
            top_velocity(h * (k + 0.5 + 0.5 * (i < 0 ? -1 : 1) * node[abs(i)]), w);
            const double L[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
            double across = L[0] * L[0] + L[1] * L[1], size = sqrt(across + L[2] * L[2]);
            sum += 0.5 * h * weight[abs(i)] * size * (L[0] * w[0] + L[1] * w[1]) / across;
        }
    return sum;
}

/* The exact motion: q(t) = q(0) A(0)^-1 A(t) with A about_momentum, since A and q see the same L in space. */
static void top_exact(double t, double q[4], double v[3])
{
    const carom_model m = top_model();
    double start[4], here[4], w[3], xi[3];
    top_velocity(0, w);
    about_momentum(w, 0, start);
    top_velocity(t, v);
    about_momentum(v, top_angle(t), here);
    carom_rotation_local(start, here, xi);
    carom_rotation_drift(m.q, xi, q);
}

/* |q - q_exact| (an angle) and |v - v_exact| at t, the larger one */
static double top_error(double t, const double *q, const double *v)
{
    double exact_q[4], exact_v[3], xi[3], most = 0;
    top_exact(t, exact_q, exact_v);
    carom_rotation_local(exact_q, q, xi);
    for (int i = 0; i < 3; i++)
        most = fmax(most, fmax(fabs(xi[i]), fabs(v[i] - exact_v[i])));
    return most;
}

/* ---- the ellipsoid: gap z - s, s = |D n|, n the vertical in the body, D its semi-axes ---------------- */
static const double axes[3] = {0.5, 0.35, 0.25}, solid[3] = {0.4, 0.6, 0.7};

/* n, s and the point of contact from the centre, all in the body */
static double support(const double *q, double n[3], double point[3])
{
    static const double up[3] = {0, 0, 1};
    double s = 0;
    carom_rotation_to_body(q + 3, up, n);
    for (int i = 0; i < 3; i++)
        s += axes[i] * axes[i] * n[i] * n[i];
    s = sqrt(s);
    for (int i = 0; i < 3; i++)
        point[i] = -axes[i] * axes[i] * n[i] / s;
    return s;
}

static void ellipsoid_mass(const carom_point *at, double *M)
{
    (void)at;
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 6; i++)
        M[7 * i] = i < 3 ? 5 : solid[i - 3];
}

static void ellipsoid_force(const carom_point *at, double *F)
{
    F[0] = 0, F[1] = 0, F[2] = -5 * 9.81;
    gyroscopic(solid, at->v + 3, F + 3);
}

static void ellipsoid_gap(const carom_point *at, double *g)
{
    double n[3], point[3];
    *g = at->q[2] - support(at->q, n, point);
}

static void ellipsoid_jacobian(const carom_point *at, double *G)
{
    double n[3], point[3], axis[3][3] = {{0}};
    memset(G, 0, 18 * sizeof *G);
    support(at->q, n, point);
    for (int r = 0; r < 3; r++) { /* normal, then x and y */
        int k = r == 0 ? 2 : r - 1;
        const double e[3] = {k == 0, k == 1, k == 2};
        carom_rotation_to_body(at->q + 3, e, axis[r]);
        G[6 * r + k] = 1;
        carom_cross(point, axis[r], G + 6 * r + 3);
    }
}

static carom_model ellipsoid_model(void)
{
    static const double q[7] = {0, 0, 1, 0.5, -0.5, 0.5, 0.5}, v[6] = {0.4, -0.3, 0, 1.5, -2, 0.7};
    static const carom_contact contact[] = {{.name = "ground", .directions = 2, .restitution = 0.6, .friction = 0.3}};
    static int lengths = 3;
    return (carom_model){.size = sizeof(carom_model), .name = "ellipsoid", .nq = 7, .nv = 6, .ncontact = 1,
                         .manifold = &place, .constant = CAROM_MASS, .q = q, .v = v, .contact = contact,
                         .user = &lengths, .mass = ellipsoid_mass, .force = ellipsoid_force, .gap = ellipsoid_gap,
                         .jacobian = ellipsoid_jacobian};
}

#endif
