/* stepping.h: what tests of time-stepping schemes share: a run by name, exact solutions, errors on the nodes. */
#ifndef CAROM_TEST_STEPPING_H
#define CAROM_TEST_STEPPING_H

#include <stdio.h>

#include "reference.h"
#include "running.h"
#include "systems.h"
#include "testing.h"

static inline carom_sim *start(const carom_model *model, const char *scheme, double h)
{
    return start_scheme(model, scheme, h, true);
}

typedef void exact_solution(double t, double *q, double *v);

/* h times the sum of the errors at the nodes; the velocity of a node is compared with the exact one `lag` steps
 * before. exact NULL: the independent integrator, for lag 0 only. */
static inline void l1_errors(const carom_model *m, const char *scheme, exact_solution *exact, double h, double T,
                             double lag, double *e_q, double *e_v)
{
    carom_sim *sim = start(m, scheme, h);
    const carom_state *s = carom_sim_state(sim);
    double x[2 * REFERENCE_MAX] = {0}, late[1], t = 0;
    int n = m->nv;
    memcpy(x, m->q, sizeof(double) * (size_t)n);
    *e_q = *e_v = 0;
    while (s->t < T - h) {
        STEP(sim);
        if (exact) {
            exact(s->t, x, x + n);
            if (lag > 0)
                exact(fmax(0, s->t - lag * h), late, x + n);
        } else {
            reference_run(m, t, s->t, 5e-4, x), t = s->t;
        }
        for (int i = 0; i < n; i++)
            *e_q += h * fabs(s->q[i] - x[i]), *e_v += h * fabs(s->v[i] - x[n + i]);
    }
    carom_sim_free(sim);
}

/* Orders of both through impacts, fitted over 16 steps that do not divide the impact times. */
static inline void impact_orders(const carom_model *m, const char *scheme, exact_solution *exact, double T,
                                 double *order_q, double *order_v)
{
    enum { N = 16 };
    double h[N], e_q[N], e_v[N];
    for (int i = 0; i < N; i++) {
        h[i] = 0.02 / pow(1.37, i) / 1.0137;
        l1_errors(m, scheme, exact, h[i], T, 0, &e_q[i], &e_v[i]);
    }
    *order_q = fitted_order(N, h, e_q);
    *order_v = fitted_order(N, h, e_v);
}

/* A ball that comes to rest, an oscillator, a double pendulum at a wall. */
static inline void check_order_one_through_impacts(const char *scheme)
{
    point_store ball_store, osc_store;
    carom_model ball = point_model(&ball_store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_model osc = point_model(&osc_store, 1, 0, 10, 0.2, 0.5, 1, 0);
    carom_model wall = double_pendulum();
    const struct { const carom_model *m; exact_solution *exact; double T; } cases[] = {
        {&ball, exact_ball, 5}, {&osc, exact_oscillator, 5}, {&wall, NULL, 1.5}};
    for (int c = 0; c < 3; c++) {
        double order_q, order_v;
        impact_orders(cases[c].m, scheme, cases[c].exact, cases[c].T, &order_q, &order_v);
        printf("%s, case %d: L1 orders q %.3f v %.3f\n", scheme, c, order_q, order_v);
        CHECK_NEAR(order_q, 1, 0.2);
        CHECK_NEAR(order_v, 1, 0.2);
    }
}

/* Save, load into another simulation, go on with both: the same bits. */
static inline void check_restart(const carom_model *model, const char *scheme, double h, int before, int after)
{
    carom_sim *a = start(model, scheme, h), *b = start(model, scheme, h);
    for (int k = 0; k < before; k++)
        STEP(a);
    check_same_after_load(a, b, after);
}

/* ---- two balls over each other, radii taken off: p = {m1, m2}; gravity 9.81 ---- */
static inline void stack_mass(const carom_point *at, double *M)
{
    M[0] = at->p[0], M[3] = at->p[1], M[1] = M[2] = 0;
}

static inline void stack_force(const carom_point *at, double *F)
{
    F[0] = -9.81 * at->p[0], F[1] = -9.81 * at->p[1];
}

static inline void stack_potential(const carom_point *at, double *V)
{
    V[0] = 9.81 * (at->p[0] * at->q[0] + at->p[1] * at->q[1]);
}

static inline void stack_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0], g[1] = at->q[1] - at->q[0];
}

static const carom_contact stack_contacts[] = {{.name = "floor", .restitution = 0.5},
                                               {.name = "between", .restitution = 0.4}};
static const double stack_start[] = {1, 1.5}, stack_masses[] = {1, 0.5};

static inline carom_model stacked_balls(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "stack",
                         .nq = 2,
                         .nv = 2,
                         .np = 2,
                         .ncontact = 2,
                         .contact = stack_contacts,
                         .q = stack_start,
                         .p = stack_masses,
                         .constant = CAROM_MASS | CAROM_LAW,
                         .mass = stack_mass,
                         .force = stack_force,
                         .gap = stack_gap,
                         .potential = stack_potential};
}

/* ---- the pendulum in x, y with the rod as a joint, written once or in two ways, and a wall x >= -0.25, e = 0.7; in
 * its angle ---- */
static inline void walled_gap(const carom_point *at, double *g)
{
    int rods = *(const int *)at->user;
    cartesian_joint(at, g);
    g[1] = hypot(at->q[0], at->q[1]) - 1;
    g[rods] = at->q[0] + 0.25;
}

static inline void cartesian_potential(const carom_point *at, double *V)
{
    V[0] = 9.81 * at->q[1];
}

static const carom_contact wall_contact = {.name = "wall", .restitution = 0.7};
static const char *const two_rods[] = {"rod", "rod again"};
static const int one_rod = 1, both_rods = 2;

static inline carom_model walled_pendulum(cartesian_store *s, int rods)
{
    carom_model m = cartesian_pendulum(s);
    m.njoint = rods, m.joint_name = two_rods, m.ncontact = 1, m.contact = &wall_contact, m.gap = walled_gap,
    m.jacobian = NULL;
    m.user = (void *)(rods == 1 ? &one_rod : &both_rods), m.potential = cartesian_potential;
    return m;
}

static inline void angle_gap(const carom_point *at, double *g)
{
    g[0] = sin(at->q[0]) + 0.25;
}

static inline void angle_jacobian(const carom_point *at, double *G)
{
    G[0] = cos(at->q[0]);
}

static inline carom_model walled_angle(void)
{
    carom_model m = pendulum();
    m.ncontact = 1, m.contact = &wall_contact, m.gap = angle_gap, m.jacobian = angle_jacobian;
    return m;
}

#endif
