/* systems.h: small systems as plain C callbacks, for tests of schemes that need no model files. */
#ifndef CAROM_TEST_SYSTEMS_H
#define CAROM_TEST_SYSTEMS_H

#include <math.h>

#include "carom.h"

/* constant mass, gaps, force gradients */
enum { AFFINE = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW | CAROM_R_Q | CAROM_R_V };

/* ---- one coordinate over the ground: p = {m, force, stiffness, damping} -------------------------------- */
static inline void point_mass(const carom_point *at, double *M)
{
    M[0] = at->p[0];
}

static inline void point_force(const carom_point *at, double *F)
{
    F[0] = at->p[1] - at->p[2] * at->q[0] - at->p[3] * at->v[0];
}

static inline void point_force_q(const carom_point *at, double *F_q)
{
    F_q[0] = -at->p[2];
}

static inline void point_force_v(const carom_point *at, double *F_v)
{
    F_v[0] = -at->p[3];
}

static inline void point_potential(const carom_point *at, double *V)
{
    V[0] = -at->p[1] * at->q[0] + 0.5 * at->p[2] * at->q[0] * at->q[0];
}

static inline void point_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0];
}

static inline void point_jacobian(const carom_point *at, double *G)
{
    (void)at;
    G[0] = 1;
}

/* Fills a model whose arrays live in the caller's store. */
typedef struct point_store {
    carom_contact contact;
    double p[4], q, v;
} point_store;

static inline carom_model point_model(point_store *s, double m, double force, double stiffness, double damping,
                                      double e, double q, double v)
{
    *s = (point_store){{.name = "ground", .restitution = e}, {m, force, stiffness, damping}, q, v};
    return (carom_model){.size = sizeof(carom_model), .name = "point",
                         .nq = 1,
                         .nv = 1,
                         .np = 4,
                         .ncontact = 1,
                         .contact = &s->contact,
                         .q = &s->q,
                         .v = &s->v,
                         .p = s->p,
                         .constant = AFFINE,
                         .mass = point_mass,
                         .force = point_force,
                         .gap = point_gap,
                         .potential = point_potential,
                         .jacobian = point_jacobian,
                         .force_q = point_force_q,
                         .force_v = point_force_v};
}

/* falls from 5 until its force is no longer finite, after t = 0.5 */
static inline void failing_force(const carom_point *at, double *F)
{
    F[0] = at->t > 0.5 ? NAN : -10;
}

static inline carom_model failing_ball(point_store *s)
{
    carom_model ball = point_model(s, 1, -10, 0, 0, 0.9, 5, 0);
    ball.force = failing_force;
    return ball;
}

/* ---- double pendulum, unit masses and lengths, hanging; the wall is x >= -0.2 for the tip ----------------- */
static inline void double_mass(const carom_point *at, double *M)
{
    double c = cos(at->q[0] - at->q[1]);
    M[0] = 2, M[1] = M[2] = c, M[3] = 1;
}

static inline void double_force(const carom_point *at, double *F)
{
    double s = sin(at->q[0] - at->q[1]), g = 9.81;
    F[0] = -s * at->v[1] * at->v[1] - 2 * g * sin(at->q[0]);
    F[1] = s * at->v[0] * at->v[0] - g * sin(at->q[1]);
}

static inline void double_gap(const carom_point *at, double *g)
{
    g[0] = sin(at->q[0]) + sin(at->q[1]) + 0.2;
}

static inline void double_jacobian(const carom_point *at, double *G)
{
    G[0] = cos(at->q[0]), G[1] = cos(at->q[1]);
}

static inline void double_potential(const carom_point *at, double *V)
{
    V[0] = -9.81 * (2 * cos(at->q[0]) + cos(at->q[1]));
}

static const carom_contact double_wall = {.name = "wall", .restitution = 0.8};
static const double double_start[] = {1.0, 0.6};

static inline carom_model double_pendulum(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "double pendulum",
                         .nq = 2,
                         .nv = 2,
                         .ncontact = 1,
                         .contact = &double_wall,
                         .q = double_start,
                         .constant = CAROM_LAW,
                         .mass = double_mass,
                         .force = double_force,
                         .gap = double_gap,
                         .jacobian = double_jacobian,
                         .potential = double_potential};
}

/* ---- pendulum of one angle (no contact): p = {g/l} --------------------------------------------------------- */
static inline void unit_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1;
}

static inline void pendulum_force(const carom_point *at, double *F)
{
    F[0] = -9.81 * sin(at->q[0]);
}

static inline void pendulum_force_q(const carom_point *at, double *F_q)
{
    F_q[0] = -9.81 * cos(at->q[0]);
}

static inline void zero_matrix(const carom_point *at, double *out)
{
    (void)at;
    out[0] = 0;
}

static const double pendulum_start[] = {1.0}, pendulum_speed[] = {0.5};

static inline carom_model pendulum(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "pendulum",
                         .nq = 1,
                         .nv = 1,
                         .q = pendulum_start,
                         .v = pendulum_speed,
                         .constant = CAROM_MASS,
                         .mass = unit_mass,
                         .force = pendulum_force,
                         .force_q = pendulum_force_q,
                         .force_v = zero_matrix};
}

/* ---- the same pendulum in x, y with a joint ------------------------------------------------------------------ */
static inline void cartesian_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = M[3] = 1, M[1] = M[2] = 0;
}

static inline void cartesian_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = 0, F[1] = -9.81;
}

static inline void cartesian_joint(const carom_point *at, double *g)
{
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1);
}

static inline void cartesian_jacobian(const carom_point *at, double *G)
{
    G[0] = at->q[0], G[1] = at->q[1];
}

static const char *const cartesian_joint_name[] = {"rod"};

typedef struct cartesian_store {
    double q[2], v[2];
} cartesian_store;

static inline carom_model cartesian_pendulum(cartesian_store *s)
{
    double a = pendulum_start[0], w = pendulum_speed[0];
    *s = (cartesian_store){{sin(a), -cos(a)}, {w * cos(a), w * sin(a)}};
    return (carom_model){.size = sizeof(carom_model), .name = "cartesian pendulum",
                         .nq = 2,
                         .nv = 2,
                         .njoint = 1,
                         .joint_name = cartesian_joint_name,
                         .q = s->q,
                         .v = s->v,
                         .constant = CAROM_MASS,
                         .mass = cartesian_mass,
                         .force = cartesian_force,
                         .gap = cartesian_joint,
                         .jacobian = cartesian_jacobian};
}

/* ---- a box, 1 x 0.6, mass 1, falling on the ground with two frictional corners ----------------------------------- */
enum { BOX_MU = 0, BOX_E = 1 };

static inline void box_mass(const carom_point *at, double *M)
{
    (void)at;
    for (int i = 0; i < 9; i++)
        M[i] = 0;
    M[0] = M[4] = 1, M[8] = (1 + 0.36) / 12;
}

static inline void box_force(const carom_point *at, double *F)
{
    (void)at;
    F[0] = 0, F[1] = -9.81, F[2] = 0;
}

static inline void box_potential(const carom_point *at, double *V)
{
    V[0] = 9.81 * at->q[1];
}

static inline void box_gap(const carom_point *at, double *g)
{
    double s = sin(at->q[2]), c = cos(at->q[2]);
    g[0] = at->q[1] - 0.5 * s - 0.3 * c;
    g[1] = at->q[1] + 0.5 * s - 0.3 * c;
}

static inline void box_slip(const carom_point *at, double *u)
{
    double s = sin(at->q[2]), c = cos(at->q[2]);
    u[0] = at->v[0] + (0.5 * s + 0.3 * c) * at->v[2];
    u[1] = at->v[0] + (-0.5 * s + 0.3 * c) * at->v[2];
}

typedef struct box_store {
    carom_contact corner[2];
    double q[3], v[3];
} box_store;

static inline carom_model box_model(box_store *s, double mu, double e)
{
    *s = (box_store){{{.name = "left", .directions = 1, .friction = mu, .restitution = e},
                      {.name = "right", .directions = 1, .friction = mu, .restitution = e}},
                     {0, 1, 0.4},
                     {1.5, 0, -1}};
    return (carom_model){.size = sizeof(carom_model), .name = "box", .nq = 3, .nv = 3, .ncontact = 2,
                         .contact = s->corner, .q = s->q, .v = s->v,
                         .constant = CAROM_MASS | CAROM_LAW, .mass = box_mass, .force = box_force, .gap = box_gap,
                         .slip = box_slip, .potential = box_potential};
}

#endif
