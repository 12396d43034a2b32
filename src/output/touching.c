/* touching.c: the contacts that were found for a step, in space, on their way into a file.
 *
 *   force = x_n n + x_1 t_1 + x_2 t_2    of the mean forces x of the segment, on the second body             (1)
 *   reaction: the same of the forces at the time of the row, in the modes there (sim/reactions.c)
 *   point = halfway between the points of the two bodies, at the time of the row
 * Contacts that are open and carry nothing are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/touching.h"
#include "sim/reactions.h"
#include "sim/sim.h"

const char *carom_event_contact(const carom_model *m, const carom_event *e, char *buffer, size_t size, int *rows)
{
    int n = 1;
    if (!m || !e || !buffer || size == 0)
        return NULL;
    if (m->links) {
        const carom_pair_law *law = carom_bodies_of(m) ? carom_bodies_found_law(m, e->id) : NULL;
        n += law ? law->directions : 2;
    } else {
        n += m->contact[e->contact].directions;
    }
    carom_contact_called(m, e->contact, e->id, buffer, size);
    if (rows)
        *rows = n;
    return buffer;
}

struct carom_touchings {
    carom_sim *sim;
    double *place; /* [15*room] */
    double *q, *v; /* [nq] [nv] */
    carom_reactions *reactions; /* NULL: of no step yet */
    double *reaction;           /* [njoint+3*room]; NULL: nobody asks */
    int room;
    bool instant;
};

carom_status carom_touchings_new(carom_touchings **touchings, carom_sim *sim, bool reactions, carom_error *error)
{
    carom_touchings *x = *touchings = calloc(1, sizeof *x);
    if (x) {
        x->sim = sim, x->instant = reactions;
        x->q = calloc((size_t)sim->model->nq + 1, sizeof *x->q);
        x->v = calloc((size_t)sim->model->nv + 1, sizeof *x->v);
    }
    if (x && x->q && x->v)
        return CAROM_OK;
    carom_touchings_free(x);
    *touchings = NULL;
    CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the contacts of '%s'", sim->model->name);
}

void carom_touchings_free(carom_touchings *x)
{
    if (!x)
        return;
    carom_reactions_free(x->reactions);
    free(x->place), free(x->q), free(x->v), free(x->reaction);
    free(x);
}

/* Where all contacts of the present step are; false: nobody knows, or there is no memory. */
static bool find_places(carom_touchings *x, double t, const double *q, const double *v)
{
    const carom_system *system = &x->sim->system;
    const carom_model *m = system->model;
    if (m->ncontact > x->room) {
        free(x->place), free(x->reaction);
        x->place = malloc(sizeof *x->place * 15 * (size_t)m->ncontact);
        x->reaction = x->instant ? malloc(sizeof *x->reaction * ((size_t)m->njoint + 3 * (size_t)m->ncontact)) : NULL;
        x->room = x->place && (x->reaction || !x->instant) ? m->ncontact : 0;
    }
    const carom_point at = {.t = t, .q = q, .v = v, .p = m->p, .user = m->user, .model = m,
                            .work = system->evaluator_work};
    return m->ncontact <= x->room && m->ncontact > 0 && carom_bodies_found_places(&at, x->place);
}

static bool spread(const double *place, const double *x, int rows, double *to) /* (1) */
{
    bool acts = false;
    for (int i = 0; i < 3; i++)
        to[i] = 0;
    for (int r = 0; x && r < rows; r++) {
        acts = acts || x[r] != 0;
        for (int i = 0; i < 3; i++)
            to[i] += x[r] * place[6 + 3 * r + i];
    }
    return acts;
}

/* The forces at the time itself; NULL: nobody asks. */
static const double *reactions_at(carom_touchings *x, double t, const unsigned char *mode)
{
    const carom_model *m = x->sim->system.model;
    const int rows = carom_model_rows(m);
    carom_error ignored;
    if (!x->instant)
        return NULL;
    if (carom_reactions_follow(&x->reactions, x->sim, &ignored) == CAROM_OK)
        carom_reactions_at(x->reactions, t, x->q, x->v, mode, x->reaction);
    else
        for (int i = 0; i < rows; i++)
            x->reaction[i] = NAN;
    return x->reaction;
}

static void tell(carom_touchings *x, double t, const double *force, const double *impulse, const double *reaction,
                 const unsigned char *mode, carom_touching_callback *put, void *user)
{
    const carom_model *m = x->sim->system.model;
    for (int i = 0, row = m->njoint; i < m->ncontact; row += 1 + m->contact[i++].directions) {
        const double *place = x->place + 15 * i;
        int rows = 1 + m->contact[i].directions;
        char name[200];
        carom_touching c = {.t = t, .name = name, .mode = mode ? mode[i] : CAROM_OPEN};
        bool acts = spread(place, force ? force + row : NULL, rows, c.force);
        acts = spread(place, impulse ? impulse + row : NULL, rows, c.impulse) || acts;
        spread(place, reaction ? reaction + row : NULL, rows, c.reaction);
        if (!acts && (c.mode == CAROM_OPEN || impulse))
            continue;
        long long id = m->contact_id ? m->contact_id[i] : -1;
        carom_bodies_contact_name(m, id, c.body, name, sizeof name);
        for (int k = 0; k < 3; k++)
            c.point[k] = 0.5 * (place[k] + place[3 + k]), c.normal[k] = place[6 + k];
        put(user, &c);
    }
}

void carom_touchings_at(carom_touchings *x, const carom_segment *s, double t, carom_touching_callback *put, void *user)
{
    carom_segment_at(x->sim->model, s, s->t1 > s->t0 ? (t - s->t0) / (s->t1 - s->t0) : 1, x->q, x->v);
    if (find_places(x, t, x->q, x->v))
        tell(x, t, s->force, NULL, reactions_at(x, t, s->mode), s->mode, put, user);
}

void carom_touchings_jump(carom_touchings *x, const carom_jump *j, carom_touching_callback *put, void *user)
{
    if (find_places(x, j->t, j->q, j->v_after))
        tell(x, j->t, NULL, j->impulse, NULL, NULL, put, user);
}
