/* request.c: a periodic orbit and its branch in one call. */
#include <stdio.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "sim/sim.h"

typedef struct teller {
    const carom_orbit_request *request;
    double *multiplier; /* [2*nb] */
    const double *shift;
} teller;

static bool tell(void *user, const carom_branch_point *at)
{
    const teller *t = user;
    const carom_orbit *o = at->orbit;
    for (int i = 0; i < o->nmultiplier; i++)
        t->multiplier[2 * i] = creal(o->multiplier[i]), t->multiplier[2 * i + 1] = cimag(o->multiplier[i]);
    const carom_orbit_point point = {
        .kind = at->kind, .parameter = at->kind < 0 ? o->parameter : at->estimate, .period = o->T, .x = o->x,
        .x_p = o->x_p, .multiplier = t->multiplier, .nmultiplier = o->nmultiplier, .iterations = o->iterations,
        .stable = o->stable, .residual = o->residual, .impacts = o->passage.impacts, .slowest = o->passage.slowest,
        .nearest = o->passage.nearest, .flags = o->flags, .shift = t->shift};
    return t->request->point(t->request->user, &point);
}

/* The numbers of the request's parameters. */
static carom_status find_parameters(const carom_model *m, const carom_orbit_request *r, int *which, carom_error *error)
{
    char buffer[32];
    for (int k = 0; k < r->np; k++) {
        CAROM_NEED(r->parameter[k], error);
        which[k] = 0;
        while (which[k] < m->np && strcmp(carom_model_p_name(m, which[k], buffer), r->parameter[k]) != 0)
            which[k]++;
        if (which[k] == m->np)
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the model '%s' has no parameter '%s'", m->name, r->parameter[k]);
    }
    return CAROM_OK;
}

static carom_status check(const carom_model *m, const carom_options *o, const carom_orbit_request *r,
                          carom_error *error)
{
    CAROM_SIZED(m, carom_model, error);
    CAROM_SIZED(o, carom_options, error);
    CAROM_SIZED(r, carom_orbit_request, error);
    CAROM_NEED(r->point, error);
    if (r->np < 0 || (r->np && !r->parameter) || r->multiple < 0 || !(r->transient >= 0) || !(r->period >= 0) ||
        r->points < 0 || (r->step != 0 && r->np < 1) || r->nrelative < 0 || (r->nrelative && !r->relative))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "an orbit of %d periods after a transient of %g, with %d parameters: what is missing or negative?",
                   r->multiple, r->transient, r->np);
    return CAROM_OK;
}

static carom_status search(carom_orbits *o, const carom_options *options, teller *t, char *ended, carom_error *error)
{
    const carom_orbit_request *r = t->request;
    o->multiple = r->multiple ? r->multiple : 1;
    o->orbit.T = r->period;
    if (r->stop)
        carom_sim_set_interrupt(o->map.sim, r->stop, r->user);
    t->multiplier = CAROM_NEW(o->arena, double, 2 * o->map.nb);
    if (!t->multiplier)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for orbits of %d dimensions", o->map.N);
    CAROM_TRY(carom_orbit_relative(o, r->relative, r->relative_step, r->nrelative, error));
    t->shift = o->shift;
    CAROM_TRY(carom_orbit_guess(o, options, r->transient, error));
    CAROM_TRY(carom_orbit_find(o, error));
    const double from = r->np ? o->map.model->p[o->map.which[0]] : 0;
    o->orbit.parameter = from;
    if (r->step == 0)
        return tell(t, &(carom_branch_point){-1, &o->orbit, from}) ? CAROM_OK : CAROM_INTERRUPTED;
    carom_branch branch = {.from = from, .to = r->to, .step = r->step, .most = r->points ? r->points : 2000,
                           .point = tell, .user = t};
    carom_status status = carom_orbit_follow(o, &branch, error);
    if (ended)
        snprintf(ended, sizeof branch.reason, "%s", branch.reason);
    return status;
}

carom_status carom_orbit_run(const carom_model *model, const carom_options *options, const carom_orbit_request *request,
                             char *ended, carom_error *error)
{
    if (ended)
        *ended = 0;
    CAROM_TRY(check(model, options, request, error));
    carom_arena *arena = carom_arena_new(0);
    int *which = arena ? CAROM_NEW(arena, int, request->np + 1) : NULL;
    carom_orbits orbits = {0};
    teller t = {.request = request};
    carom_status status = which ? find_parameters(model, request, which, error)
                                : carom_fail(error, CAROM_NO_MEMORY, "no memory for an orbit");
    if (status == CAROM_OK)
        status = carom_orbits_new(&orbits, model, options, which, request->np, error);
    if (status == CAROM_OK) {
        status = search(&orbits, options, &t, ended, error);
        carom_orbits_free(&orbits);
    }
    carom_arena_free(arena);
    return status;
}
