/* singular.c: joints that let bodies begin to move, but not go on.
 *
 * With the rows G of the joints of many bodies and a velocity v that they allow, G v = 0, a motion goes on if there is
 * an acceleration with
 *   G a + gamma(q, v) = 0,  gamma = (G v)' at constant v                                                  (1)
 * Where G has dependent rows, (1) may have no solution: a flat net of plates may fold along lines of both directions at
 * first, but along one of them only in the end. Near such a place a is very large: beyond |v|/h it turns v round
 * within the time h                                                                                       (2)
 * v is what the step that failed ended with, without what G does not allow, by least squares; so is (1). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "model/model.h"
#include "model/structure.h"
#include "sim/sim.h"

#define MOST 1e9    /* products of the least squares that are worth an answer */
#define ROUND 1e-10 /* of pivots */
#define LEFT 1e-6   /* of gamma that no a meets */

typedef struct check {
    carom_probe at;
    double *G, *A;       /* [n*nv] rows of length 1; a copy */
    double *b, *x, *work; /* [n] [nv] [n + 3 nv] */
    int *order;          /* [nv] */
} check;

static void fill(check *c)
{
    const carom_model *m = c->at.model;
    size_t at = 0, nv = (size_t)m->nv;
    memset(c->G, 0, sizeof *c->G * (size_t)m->njoint * nv);
    for (int r = 0; r < m->njoint; r++) {
        const carom_span s = carom_model_joint_span(m, r, at);
        int count = s.count[0] + s.count[1];
        double size = sqrt(carom_dot(count, c->at.at.G + s.at[0], c->at.at.G + s.at[0]));
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < s.count[b] && size > 0; i++)
                c->G[(size_t)r * nv + (size_t)(s.first[b] + i)] = c->at.at.G[s.at[b] + (size_t)i] / size;
        c->at.at.gamma[r] /= size > 0 ? size : 1;
        at += (size_t)count;
    }
}

/* x: the smallest with G x = b as far as that goes; b becomes what is left. */
static void solve(check *c, const double *b, double *x)
{
    const carom_model *m = c->at.model;
    carom_copy(m->njoint * m->nv, c->G, c->A);
    carom_copy(m->njoint, b, c->b);
    carom_least_squares(m->njoint, m->nv, c->A, c->b, x, ROUND, c->work, c->order);
    for (int r = 0; r < m->njoint; r++)
        c->b[r] = b[r] - carom_dot(m->nv, c->G + (size_t)r * (size_t)m->nv, x);
}

static bool place(check *c)
{
    size_t n = (size_t)c->at.model->njoint, nv = (size_t)c->at.model->nv;
    carom_arena *arena = c->at.arena;
    c->G = CAROM_NEW(arena, double, n * nv), c->A = CAROM_NEW(arena, double, n * nv);
    c->b = CAROM_NEW(arena, double, n), c->x = CAROM_NEW(arena, double, nv);
    c->work = CAROM_NEW(arena, double, n + 3 * nv), c->order = CAROM_NEW(arena, int, nv);
    return c->G && c->A && c->b && c->x && c->work && c->order;
}

/* (1), (2) at (t, q) of the probe and v; worst: the row that is left most. */
static bool goes_on(check *c, double h, int *worst)
{
    const carom_model *m = c->at.model;
    double left = 0, size = 0;
    carom_probe_eval(&c->at);
    fill(c);
    for (int r = 0; r < m->njoint; r++)
        c->at.x[r] = carom_dot(m->nv, c->G + (size_t)r * (size_t)m->nv, c->at.v);
    solve(c, c->at.x, c->x);
    for (int i = 0; i < m->nv; i++)
        c->at.v[i] -= c->x[i];
    carom_probe_eval(&c->at);
    fill(c);
    solve(c, c->at.at.gamma, c->x);                                                              /* (1) */
    for (int r = 0; r < m->njoint; r++) {
        size = fmax(size, fabs(c->at.at.gamma[r]));
        if (fabs(c->b[r]) > left)
            left = fabs(c->b[r]), *worst = r;
    }
    double v = sqrt(carom_dot(m->nv, c->at.v, c->at.v)), a = sqrt(carom_dot(m->nv, c->x, c->x));
    return left <= LEFT * size && a * h <= v;                                                    /* (2) */
}

bool carom_sim_is_stuck(carom_sim *sim, double h, char *name, size_t size)
{
    const carom_model *m = sim->model;
    carom_error error;
    int worst = 0;
    if (!m->nblock || !m->njoint || (double)m->njoint * m->nv * CAROM_MIN(m->njoint, m->nv) > MOST ||
        !carom_all_finite(m->nv, sim->next.state.v))
        return false;
    check c = {0};
    if (carom_probe_new(&c.at, m, CAROM_JACOBIAN | CAROM_GAMMA, &error) != CAROM_OK)
        return false;
    c.at.t = sim->now.state.t;
    carom_copy(m->nq, sim->now.state.q, c.at.q);
    carom_copy(m->nv, sim->next.state.v, c.at.v);
    carom_copy(m->np, sim->system.p, c.at.p);
    bool stuck = place(&c) && !goes_on(&c, h, &worst);
    char buffer[32];
    if (stuck)
        snprintf(name, size, "%s", carom_model_joint_name(m, worst, buffer));
    carom_probe_free(&c.at);
    return stuck;
}
