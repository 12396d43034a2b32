/* orders.c: observed orders. Errors in L1 over the nodes, separately of q and v, against closed forms or an independent
 * event-driven Runge-Kutta method of order 4; slopes fitted over a ladder of steps. For a scheme that declares no order
 * in h the ladder is one of tolerances: p in error ~ tol^p. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "properties/properties.h"
#include "reference.h"
#include "systems.h"

typedef struct trial {
    const carom_model *model;
    exact_solution *exact;         /* or */
    const carom_model *angle;      /* the model that the reference runs */
    double T, h;                   /* h: the longest step of the ladder */
    int near, last;                /* steps near each h; only the finest so many rungs count */
} trial;

typedef struct reference {
    double t, x[2 * REFERENCE_MAX];
} reference;

static void reference_begin(const trial *c, reference *r)
{
    const carom_model *m = c->angle ? c->angle : c->model;
    size_t bytes = sizeof(double) * (size_t)m->nv;
    *r = (reference){0};
    memcpy(r->x, m->q, bytes);
    if (m->v)
        memcpy(r->x + m->nv, m->v, bytes);
}

/* q and v of the model at t, not before the time of the call before. */
static void reference_at(const trial *c, reference *r, double t, double *q, double *v)
{
    if (c->exact) {
        c->exact(t, q, v);
        return;
    }
    const carom_model *m = c->angle ? c->angle : c->model;
    reference_run(m, r->t, t, 5e-4, r->x);
    r->t = t;
    if (c->angle) { /* of the pendulum in x, y */
        double a = r->x[0], w = r->x[1];
        q[0] = sin(a), q[1] = -cos(a), v[0] = w * cos(a), v[1] = w * sin(a);
        return;
    }
    memcpy(q, r->x, sizeof(double) * (size_t)m->nv);
    memcpy(v, r->x + m->nv, sizeof(double) * (size_t)m->nv);
}

static long events(carom_sim *sim)
{
    const carom_info *info = carom_sim_info(sim);
    long sum = 0;
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        sum += info->events[i];
    return sum;
}

/* Adds the L1 errors. A node that is an event, which only steps of their own length have, compares one side of a jump
 * with the other: it is left out. */
static bool add_errors(const carom_subject *subject, const trial *c, double h, double tol, double *e_q, double *e_v,
                       char *cell)
{
    carom_sim *sim = carom_subject_start(subject, c->model, h, tol, cell);
    if (!sim)
        return false;
    const carom_state *s = carom_sim_state(sim);
    double q[REFERENCE_MAX] = {0}, v[REFERENCE_MAX] = {0};
    reference r;
    bool fine = true;
    reference_begin(c, &r);
    while (fine && s->t < c->T - h) {
        double before = s->t;
        long had = events(sim);
        fine = carom_subject_step(subject, sim, c->model, cell);
        if (subject->smooth == 0 && events(sim) != had)
            continue;
        reference_at(c, &r, s->t, q, v);
        for (int i = 0; i < c->model->nv; i++) {
            *e_q += (s->t - before) * fabs(s->q[i] - q[i]);
            *e_v += (s->t - before) * fabs(s->v[i] - v[i]);
        }
    }
    carom_sim_free(sim);
    return fine;
}

enum { RUNGS = 6 };

/* Slope over the finest rungs whose error is above that of the reference. */
static void write_order(char *text, size_t size, bool tolerances, int last, const double *h, const double *error)
{
    double x[RUNGS], y[RUNGS];
    int n = 0;
    for (int k = 0; k < RUNGS; k++)
        if (error[k] > 1e-10)
            x[n] = h[k], y[n++] = error[k];
    int first = n > last ? n - last : 0;
    if (n < 2)
        snprintf(text, size, "rounding");
    else
        snprintf(text, size, "%s%.1f", tolerances ? "tol^" : "", fabs(fitted_order(n - first, x + first, y + first)));
}

static void measure(const carom_subject *subject, const trial *c, char *cell)
{
    bool tolerances = subject->smooth == 0;
    double x[RUNGS], e_q[RUNGS] = {0}, e_v[RUNGS] = {0};
    for (int k = 0; k < RUNGS; k++) {
        double h = tolerances ? 0.0103 : c->h / (1 << k), tol = tolerances ? 1e-4 / pow(10, k) : 1e-6;
        x[k] = tolerances ? tol : h;
        for (int i = 0; i < c->near; i++) {
            double factor = c->near > 1 ? carom_near(i) : 1;
            if (!add_errors(subject, c, h * factor, tolerances ? tol * factor : tol, &e_q[k], &e_v[k], cell))
                return;
        }
        e_q[k] /= c->near, e_v[k] /= c->near;
    }
    char q[24], v[24];
    write_order(q, sizeof q, tolerances, tolerances ? 4 : c->last, x, e_q);
    write_order(v, sizeof v, tolerances, tolerances ? 4 : c->last, x, e_v);
    if (strcmp(q, v) == 0)
        snprintf(cell, CAROM_CELL, "%s", q);
    else
        snprintf(cell, CAROM_CELL, "q %s, v %s", q, v);
}

void carom_orders_declared(const carom_subject *subject, char *cell)
{
    if (subject->smooth > 0 || subject->impact > 0)
        snprintf(cell, CAROM_CELL, "%g, %g", subject->smooth, subject->impact);
    else
        snprintf(cell, CAROM_CELL, "none in h");
}

/* ---- smooth motion ---- */
void carom_orders_pendulum(const carom_subject *subject, char *cell)
{
    carom_model model = pendulum();
    measure(subject, &(trial){&model, .T = 1, .h = 0.1, .near = 1, .last = 3}, cell);
}

void carom_orders_double(const carom_subject *subject, char *cell)
{
    carom_model model = double_pendulum();
    model.ncontact = 0;
    measure(subject, &(trial){&model, .T = 1, .h = 0.1, .near = 1, .last = 3}, cell);
}

void carom_orders_joint(const carom_subject *subject, char *cell)
{
    cartesian_store store;
    carom_model model = cartesian_pendulum(&store), angle = pendulum();
    measure(subject, &(trial){&model, .angle = &angle, .T = 1, .h = 0.1, .near = 1, .last = 3}, cell);
}

/* ---- through impacts ---- */
void carom_orders_ball(const carom_subject *subject, char *cell)
{
    point_store store;
    carom_model model = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    model.name = "ball";
    measure(subject, &(trial){&model, .exact = exact_ball, .T = 5, .h = 0.02, .near = CAROM_NEAR, .last = RUNGS}, cell);
}

void carom_orders_oscillator(const carom_subject *subject, char *cell)
{
    point_store store;
    carom_model model = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    model.name = "oscillator with a stop";
    const trial c = {&model, .exact = exact_oscillator, .T = 5, .h = 0.02, .near = CAROM_NEAR, .last = RUNGS};
    measure(subject, &c, cell);
}

void carom_orders_wall(const carom_subject *subject, char *cell)
{
    carom_model model = double_pendulum();
    model.name = "double pendulum with a wall";
    measure(subject, &(trial){&model, .T = 1.5, .h = 0.02, .near = CAROM_NEAR, .last = RUNGS}, cell);
}
