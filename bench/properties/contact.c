/* contact.c: penetration, energy, friction and joints, read off the states at the nodes and nothing else. */
#include <math.h>
#include <stdio.h>

#include "properties/properties.h"
#include "systems.h"

static const double step = 0.01, tol = 1e-6;

/* Calls watch after every step up to T; false: refused or failed, and the cell says so. */
typedef void watch_step(void *user, const carom_model *model, const carom_state *state);

static bool watch(const carom_subject *subject, const carom_model *model, double h, double T, watch_step *each,
                  void *user, char *cell)
{
    carom_sim *sim = carom_subject_start(subject, model, h, tol, cell);
    if (!sim)
        return false;
    const carom_state *s = carom_sim_state(sim);
    bool fine = true;
    while (fine && s->t < T) {
        fine = carom_subject_step(subject, sim, model, cell);
        if (fine)
            each(user, model, s);
    }
    carom_sim_free(sim);
    return fine;
}

/* ---- gaps ---- */
static void deepest(void *user, const carom_model *model, const carom_state *s)
{
    double *most = user, g[2];
    model->gap(&(carom_point){s->t, s->q, s->v, model->p, model->user, model, NULL}, g);
    *most = fmax(*most, model->njoint ? fabs(g[0]) : -g[0]);
}

static void largest(const carom_subject *subject, const carom_model *model, double T, char *cell)
{
    double most = 0;
    for (int i = 0; i < CAROM_NEAR; i++)
        if (!watch(subject, model, step * carom_near(i), T, deepest, &most, cell))
            return;
    carom_cell_size(cell, most);
}

void carom_contact_ball(const carom_subject *subject, char *cell)
{
    point_store store;
    carom_model model = point_model(&store, 1, -10, 0, 0, 0.9, 0.5, 0);
    model.name = "bouncing ball";
    largest(subject, &model, 8, cell);
}

void carom_contact_wall(const carom_subject *subject, char *cell)
{
    carom_model model = double_pendulum();
    model.name = "double pendulum with a wall";
    largest(subject, &model, 3, cell);
}

void carom_contact_joint(const carom_subject *subject, char *cell)
{
    cartesian_store store;
    carom_model model = cartesian_pendulum(&store);
    largest(subject, &model, 1, cell);
}

/* ---- energy ---- */
static double energy(const carom_model *model, const carom_state *s)
{
    double M[9], V, E = 0;
    carom_point at = {s->t, s->q, s->v, model->p, model->user, model, NULL};
    model->mass(&at, M);
    model->potential(&at, &V);
    for (int i = 0; i < model->nv; i++)
        for (int j = 0; j < model->nv; j++)
            E += 0.5 * M[i * model->nv + j] * s->v[i] * s->v[j];
    return E + V;
}

typedef struct flights { /* means of the energy over the first flight and the hundredth */
    double fall; /* time from the top to the ground */
    double before, sum[2], time[2];
} flights;

static void mean_energy(void *user, const carom_model *model, const carom_state *s)
{
    flights *f = user;
    for (int k = 0; k < 2; k++) {
        double begin = (k ? 199 : 1) * f->fall;
        if (s->t >= begin && s->t < begin + 2 * f->fall)
            f->sum[k] += energy(model, s) * (s->t - f->before), f->time[k] += s->t - f->before;
    }
    f->before = s->t;
}

void carom_contact_elastic(const carom_subject *subject, char *cell)
{
    point_store store;
    carom_model model = point_model(&store, 1, -10, 0, 0, 1, 0.5, 0);
    model.name = "elastic ball";
    flights f = {.fall = sqrt(0.1)};
    if (!watch(subject, &model, step, 202 * f.fall, mean_energy, &f, cell))
        return;
    double first = f.sum[0] / f.time[0], drift = f.sum[1] / f.time[1] / first - 1;
    carom_cell_size(cell, drift);
    if (fabs(drift) >= 1e-10)
        snprintf(cell, CAROM_CELL, "%+.0e", drift);
}

typedef struct gain {
    double before, most;
} gain;

static void most_gained(void *user, const carom_model *model, const carom_state *s)
{
    gain *g = user;
    double now = energy(model, s);
    g->most = fmax(g->most, now - g->before);
    g->before = now;
}

void carom_contact_box(const carom_subject *subject, char *cell)
{
    box_store store;
    carom_model model = box_model(&store, 0.4, 0.3);
    gain g = {.before = INFINITY};
    if (!watch(subject, &model, 0.001, 4, most_gained, &g, cell))
        return;
    carom_cell_size(cell, g.most);
}

/* ---- a unit mass that slides on a rough plane until it stops: q = (x, [y,] height), gravity 10 ---- */
static void block_mass(const carom_point *at, double *M)
{
    int n = at->user ? 3 : 2;
    for (int i = 0; i < n * n; i++)
        M[i] = i % (n + 1) == 0;
}

static void block_force(const carom_point *at, double *F)
{
    int n = at->user ? 3 : 2;
    F[0] = F[1] = 0;
    F[n - 1] = -10;
}

static void block_gap(const carom_point *at, double *g)
{
    g[0] = at->q[at->user ? 2 : 1];
}

static void block_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0];
    if (at->user)
        u[1] = at->v[1];
}

typedef struct stop {
    double x, y, off, speed; /* where it should stop; how far it is from there; how fast it still is */
} stop;

static void stopped(void *user, const carom_model *model, const carom_state *s)
{
    stop *p = user;
    bool planar = model->nq == 2;
    p->off = hypot(s->q[0] - p->x, planar ? 0 : s->q[1] - p->y);
    p->speed = hypot(s->v[0], planar ? 0 : s->v[1]);
}

static void block(const carom_subject *subject, int directions, char *cell)
{
    const double mu = 0.3, speed = 2, way = speed * speed / (2 * mu * 10), q[3] = {0};
    const double v[3] = {directions == 1 ? speed : 0.8 * speed, directions == 1 ? 0 : 0.6 * speed};
    carom_contact plane = {.name = "plane", .directions = directions, .friction = mu};
    carom_model model = {.size = sizeof model, .name = directions == 1 ? "sliding block" : "sliding point in space",
                         .nq = 1 + directions, .nv = 1 + directions, .ncontact = 1, .contact = &plane, .q = q, .v = v,
                         .constant = CAROM_MASS | CAROM_LAW, .user = directions == 2 ? &plane : NULL,
                         .mass = block_mass, .force = block_force, .gap = block_gap, .slip = block_slip};
    double off = 0, left = 0;
    for (int i = 0; i < CAROM_NEAR; i++) {
        stop p = {directions == 1 ? way : 0.8 * way, 0.6 * way, 0, 0};
        if (!watch(subject, &model, step * carom_near(i), 1, stopped, &p, cell))
            return;
        off += p.off / CAROM_NEAR;
        left = fmax(left, p.speed);
    }
    carom_cell_size(cell, off);
    if (left > 1e-9)
        snprintf(cell, CAROM_CELL, "%.0e, still moves at %.0e", off, left);
}

void carom_contact_block(const carom_subject *subject, char *cell)
{
    block(subject, 1, cell);
}

void carom_contact_point(const carom_subject *subject, char *cell)
{
    block(subject, 2, cell);
}
