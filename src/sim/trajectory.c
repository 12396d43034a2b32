/* trajectory.c: everything that a simulation has told, kept in memory, with dense output. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "sim/sim.h"

typedef struct list {
    void *items;
    size_t count, room, size;
} list;

struct carom_trajectory {
    carom_arena *arena;
    carom_model space; /* sizes and manifold of positions: the model itself may be gone, not what it points at */
    const struct carom_source *held;
    bool found;         /* contacts come and go: of their rows those of joints last, and events have their ids */
    int nrow, ncontact; /* of what lasts */
    list segments, jumps, events;
    bool full; /* memory ran out: what is there is good, the rest is missing */
};

static void *append(carom_trajectory *tr, list *l)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        void *items = realloc(l->items, room * l->size);
        if (!items) {
            tr->full = true;
            return NULL;
        }
        l->items = items, l->room = room;
    }
    return (char *)l->items + l->size * l->count;
}

static const double *keep(carom_trajectory *tr, const double *x, int n)
{
    size_t bytes = sizeof(double) * (size_t)n;
    char *copy = carom_arena_alloc(tr->arena, bytes);
    if (!copy)
        tr->full = true;
    else
        memcpy(copy, x, bytes);
    return (const double *)(void *)copy;
}

static void on_segment(void *user, const carom_segment *s)
{
    carom_trajectory *tr = user;
    carom_segment *to = tr->full ? NULL : append(tr, &tr->segments);
    if (!to)
        return;
    *to = *s;
    to->q0 = keep(tr, s->q0, tr->space.nq);
    to->xi = keep(tr, s->xi, s->q_degree * tr->space.nv);
    to->v = keep(tr, s->v, (s->v_degree + 1) * tr->space.nv);
    to->force = keep(tr, s->force, tr->nrow);
    to->force_at = NULL;
    if (s->force_at && !tr->found)
        to->force_at = keep(tr, s->force_at, (s->force_degree + 1) * tr->nrow);
    unsigned char *mode = carom_arena_alloc(tr->arena, (size_t)tr->ncontact);
    if (mode)
        memcpy(mode, s->mode, (size_t)tr->ncontact);
    to->mode = mode;
    if (!mode)
        tr->full = true;
    if (!tr->full)
        tr->segments.count++;
}

static void on_jump(void *user, const carom_jump *j)
{
    carom_trajectory *tr = user;
    carom_jump *to = tr->full ? NULL : append(tr, &tr->jumps);
    if (!to)
        return;
    *to = (carom_jump){j->t, keep(tr, j->q, tr->space.nq), keep(tr, j->v_before, tr->space.nv),
                       keep(tr, j->v_after, tr->space.nv),
                       keep(tr, j->impulse, tr->nrow)};
    if (!tr->full)
        tr->jumps.count++;
}

static void on_event(void *user, const carom_event *e)
{
    carom_trajectory *tr = user;
    carom_event *to = tr->full ? NULL : append(tr, &tr->events);
    if (to) {
        *to = *e;
        tr->events.count++;
    }
}

carom_status carom_trajectory_new(carom_trajectory **trajectory, carom_sim *sim, carom_error *error)
{
    CAROM_NEED(trajectory, error);
    *trajectory = NULL;
    CAROM_NEED(sim, error);
    carom_trajectory *tr = calloc(1, sizeof *tr);
    if (tr)
        tr->arena = carom_arena_new(0);
    if (!tr || !tr->arena) {
        free(tr);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a trajectory");
    }
    const carom_model *m = sim->model;
    tr->space = (carom_model){.nq = m->nq, .nv = m->nv, .manifold = m->manifold, .user = m->user};
    tr->held = m->manifold ? carom_model_hold(m) : NULL;
    tr->found = m->links != NULL;
    tr->nrow = tr->found ? sim->system.njoint : sim->system.nrow, tr->ncontact = tr->found ? 0 : m->ncontact;
    tr->segments.size = sizeof(carom_segment), tr->jumps.size = sizeof(carom_jump),
    tr->events.size = sizeof(carom_event);
    carom_observer observer = {.size = sizeof observer, .user = tr, .segment = on_segment, .jump = on_jump,
                               .event = on_event};
    if (carom_sim_observe(sim, &observer) != CAROM_OK) {
        carom_trajectory_free(tr);
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%s", sim->error.text);
    }
    *trajectory = tr;
    return CAROM_OK;
}

void carom_trajectory_free(carom_trajectory *trajectory)
{
    if (!trajectory)
        return;
    carom_arena_free(trajectory->arena);
    carom_model_release(trajectory->held);
    free(trajectory->segments.items);
    free(trajectory->jumps.items);
    free(trajectory->events.items);
    free(trajectory);
}

static const void *item(const list *l, size_t i)
{
    return i < l->count ? (const char *)l->items + l->size * i : NULL;
}

const carom_segment *carom_trajectory_segment(const carom_trajectory *trajectory, size_t i)
{
    return trajectory ? item(&trajectory->segments, i) : NULL;
}

const carom_jump *carom_trajectory_jump(const carom_trajectory *trajectory, size_t i)
{
    return trajectory ? item(&trajectory->jumps, i) : NULL;
}

const carom_event *carom_trajectory_event(const carom_trajectory *trajectory, size_t i)
{
    return trajectory ? item(&trajectory->events, i) : NULL;
}

void carom_trajectory_counts(const carom_trajectory *tr, size_t *segments, size_t *jumps, size_t *events)
{
    if (segments)
        *segments = tr ? tr->segments.count : 0;
    if (jumps)
        *jumps = tr ? tr->jumps.count : 0;
    if (events)
        *events = tr ? tr->events.count : 0;
}

/* The first segment that ends at or after t. */
static size_t find(const carom_trajectory *tr, double t)
{
    size_t low = 0, high = tr->segments.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (carom_trajectory_segment(tr, middle)->t1 < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The segment that holds t: the i-th or, if t is its end, perhaps one that follows; NULL: none does. */
static const carom_segment *holder(const carom_trajectory *tr, size_t i, double t, int side)
{
    const carom_segment *s = carom_trajectory_segment(tr, i), *next;
    if (!s || !(t >= s->t0))
        return NULL;
    if (side >= 0 && t == s->t1) /* the right limit: the last state at t, after its jumps */
        while ((next = carom_trajectory_segment(tr, ++i)) && next->t0 <= t)
            s = next;
    return s;
}

static carom_status value(const carom_trajectory *tr, size_t i, double t, int side, double *q, double *v)
{
    const carom_segment *s = holder(tr, i, t, side);
    if (!s)
        return CAROM_BAD_ARGUMENT;
    double at = s->t1 > s->t0 ? (t - s->t0) / (s->t1 - s->t0) : 1;
    double *room = tr->space.manifold && !v ? malloc(sizeof(double) * (size_t)tr->space.nv) : v;
    if (tr->space.manifold && !room)
        return CAROM_NO_MEMORY;
    carom_segment_at(&tr->space, s, at, q, room);
    if (!v) {
        free(room);
        return CAROM_OK;
    }
    const carom_jump *last = side >= 0 && t == s->t1 ? carom_trajectory_jump(tr, tr->jumps.count - 1) : NULL;
    if (last && last->t == t) /* nothing follows yet: the jumps of the last step */
        memcpy(v, last->v_after, sizeof(double) * (size_t)tr->space.nv);
    return CAROM_OK;
}

carom_status carom_trajectory_at(const carom_trajectory *trajectory, double t, int side, double *q, double *v)
{
    return trajectory ? value(trajectory, find(trajectory, t), t, side, q, v) : CAROM_BAD_ARGUMENT;
}

/* Of times that do not decrease: from the segment of the one before to that of t[k]. false: t[k] decreases. */
static bool walk(const carom_trajectory *tr, const double *t, size_t k, size_t *i)
{
    if (k && !(t[k] >= t[k - 1]))
        return false;
    if (k == 0)
        *i = find(tr, t[0]);
    for (const carom_segment *s; (s = carom_trajectory_segment(tr, *i)) && s->t1 < t[k];)
        ++*i;
    return true;
}

/* At t, which s holds: a segment knows its modes at its end; inside it has those with which the one before ended. */
static const unsigned char *mode_at(const carom_trajectory *tr, const carom_segment *s, double t, int side)
{
    const bool inside = t < s->t1 || side < 0, first = s == carom_trajectory_segment(tr, 0);
    return inside && !first ? s[-1].mode : s->mode;
}

carom_status carom_trajectory_contacts(const carom_trajectory *tr, size_t n, const double *t, int side, double *force,
                                       unsigned char *mode)
{
    if (!tr || (n && !t))
        return CAROM_BAD_ARGUMENT;
    const size_t nrow = (size_t)tr->nrow, ncontact = (size_t)tr->ncontact;
    size_t i = 0;
    for (size_t k = 0; k < n; k++) {
        const carom_segment *s = walk(tr, t, k, &i) ? holder(tr, i, t[k], side) : NULL;
        if (!s)
            return CAROM_BAD_ARGUMENT;
        if (force)
            memcpy(force + k * nrow, s->force, sizeof *force * nrow);
        if (mode)
            memcpy(mode + k * ncontact, mode_at(tr, s, t[k], side), ncontact);
    }
    return CAROM_OK;
}

carom_status carom_trajectory_sample(const carom_trajectory *trajectory, size_t n, const double *t, int side, double *q,
                                     double *v)
{
    if (!trajectory || (n && !t))
        return CAROM_BAD_ARGUMENT;
    size_t nq = (size_t)trajectory->space.nq, nv = (size_t)trajectory->space.nv, i = 0;
    for (size_t k = 0; k < n; k++) {
        if (!walk(trajectory, t, k, &i))
            return CAROM_BAD_ARGUMENT;
        CAROM_TRY(value(trajectory, i, t[k], side, q ? q + k * nq : NULL, v ? v + k * nv : NULL));
    }
    return CAROM_OK;
}
