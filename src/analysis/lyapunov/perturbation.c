/* perturbation.c: exponents by displaced copies of a simulation: works with every scheme, and sees what the scheme
 * sees.
 *
 *   x_i(0) = x(0) + eps q_i,   all run to the same time,   column i = (x_i - x)/eps                              (1)
 *
 * A displacement that would push a gap below 0 is turned around, and halved until it fits (to first order the column
 * is the same); what remains of joints is closed. Directions that shrink below the curvature of the flow, eps^2, are
 * not seen: the lower exponents are biased upwards, the more the larger eps is.
 *
 * What a scheme remembers is made anew at the displaced state, unless it is all the state there is: the last two
 * positions of a two-step scheme, whose phase space is its own                                                   (2) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "sim/sim.h"

struct carom_displaced {
    carom_sim *sim;
    carom_sim **copy;      /* [n] */
    int n;
    double epsilon;
    carom_admissible admissible;
    void *saved;
    size_t bytes;
    double *q, *v, *x;     /* [nq] [nv] a displaced state; [nq+nv] phase space at the end */
    double *size;          /* [n] of each displacement, with its sign */
};

void carom_displaced_free(carom_displaced *d)
{
    if (!d)
        return;
    for (int i = 0; i < d->n && d->copy; i++)
        carom_sim_free(d->copy[i]);
    carom_admissible_free(&d->admissible);
    free(d->copy);
    free(d->saved);
    free(d->q);
    free(d);
}

static carom_status allocate(carom_displaced *d, carom_error *error)
{
    const carom_model *m = d->sim->model;
    d->copy = calloc((size_t)d->n, sizeof(carom_sim *));
    d->bytes = carom_sim_save(d->sim, NULL, 0);
    d->saved = malloc(d->bytes);
    d->q = calloc((size_t)(2 * (m->nq + m->nv) + d->n), sizeof(double));
    if (!d->copy || !d->saved || !d->q)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d displaced simulations", d->n);
    d->v = d->q + m->nq;
    d->x = d->v + m->nv;
    d->size = d->x + m->nq + m->nv;
    CAROM_TRY(carom_admissible_new(&d->admissible, m, error));
    for (int i = 0; i < d->n; i++)
        CAROM_TRY(carom_sim_new(&d->copy[i], m, &d->sim->options, error));
    return CAROM_OK;
}

carom_status carom_displaced_new(carom_displaced **result, carom_sim *sim, int n, double epsilon, carom_error *error)
{
    *result = NULL;
    CAROM_TRY(carom_manifold_refuse(sim->model, "the method of perturbations", error));
    if (sim->model->links)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "model '%s' finds its contacts step by step: it is not displaced and followed (contacts: formulas)",
                   sim->model->name ? sim->model->name : "");
    carom_displaced *d = *result = calloc(1, sizeof *d);
    if (!d)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d displaced simulations", n);
    d->sim = sim;
    d->n = n;
    d->epsilon = epsilon;
    carom_status status = allocate(d, error);
    if (status != CAROM_OK) {
        carom_displaced_free(d);
        *result = NULL;
    }
    return status;
}

/* x [nq+nv]: where sim is in its phase space. */
static void locate(const carom_sim *sim, double *x)
{
    const carom_state *s = &sim->now.state;
    int nq = sim->system.nq, nv = sim->system.nv;
    carom_copy(nq, s->q, x);
    carom_copy(nv, s->v, x + nq);
    if (sim->scheme->phase)
        sim->scheme->phase(&sim->system, sim->options.h, sim->now.memory, x);                    /* (2) */
}

/* q, v [nq] [nv]: the state of sim plus size times column j of X, with its joints closed. */
static carom_status displace(carom_displaced *d, double size, const double *X, int j)
{
    const carom_state *s = &d->sim->now.state;
    int nq = d->sim->system.nq, nv = d->sim->system.nv;
    for (int i = 0; i < nq; i++)
        d->q[i] = s->q[i] + size * X[i * d->n + j];
    for (int i = 0; i < nv; i++)
        d->v[i] = s->v[i] + size * X[(nq + i) * d->n + j];
    if (d->sim->system.njoint == 0)
        return CAROM_OK;
    return carom_admissible_move(&d->admissible, s->t, d->q, d->v, d->sim->system.p, NULL);
}

/* The largest size that is allowed: eps, -eps, eps/2 ...; a contact that is closed may go anywhere. */
static double choose_size(carom_displaced *d, const double *X, int j)
{
    const carom_state *s = &d->sim->now.state;
    const double *p = d->sim->system.p;
    double least = fmin(0, carom_admissible_gap(&d->admissible, s->t, s->q, s->v, p)), size = d->epsilon;
    for (int k = 0; k < 12; k++, size = -size / (k % 2 ? 1 : 2))
        if (displace(d, size, X, j) == CAROM_OK && carom_admissible_gap(&d->admissible, s->t, d->q, d->v, p) >= least)
            return size;
    return d->epsilon;
}

static carom_status start(carom_displaced *d, carom_sim *copy, double size, const double *X, int j)
{
    int nq = copy->system.nq, nv = copy->system.nv;
    CAROM_TRY(carom_sim_load(copy, d->saved, d->bytes));
    displace(d, size, X, j);
    carom_copy(nq, d->q, copy->now.state.q);
    carom_copy(nv, d->v, copy->now.state.v);
    if (!copy->scheme->displace)
        return copy->scheme->start ? carom_sim_start_scheme(copy) : CAROM_OK;
    for (int i = 0; i < nq + nv; i++)
        d->x[i] = size * X[i * d->n + j];
    copy->scheme->displace(&copy->system, copy->options.h, d->x, copy->now.memory);
    return CAROM_OK;
}

carom_status carom_displaced_run(carom_displaced *d, double t, double *X, carom_error *error)
{
    int n = d->n, dim = d->sim->system.nq + d->sim->system.nv;
    carom_sim_save(d->sim, d->saved, d->bytes);
    for (int j = 0; j < n; j++) {
        d->size[j] = choose_size(d, X, j);
        CAROM_TRY(carom_sim_pass(d->copy[j], start(d, d->copy[j], d->size[j], X, j), error));
    }
    CAROM_TRY(carom_sim_reach(d->sim, t, error));
    for (int j = 0; j < n; j++) {
        carom_sim_set_interrupt(d->copy[j], d->sim->stop, d->sim->stop_user);
        CAROM_TRY(carom_sim_reach(d->copy[j], t, error));
        locate(d->copy[j], d->x);
        for (int i = 0; i < dim; i++)
            X[i * n + j] = d->x[i];
    }
    locate(d->sim, d->x);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < n; j++)
            X[i * n + j] = (X[i * n + j] - d->x[i]) / d->size[j];                                /* (1) */
    return CAROM_OK;
}
