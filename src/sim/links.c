/* links.c: models that find their contacts while they move: which ones a step needs to know, and what is known of them.
 *
 *   reach    so far may anything move in a step without touching what the step does not know
 *   path     of any point of a surface in the step that was done: h times its speed before and after, and that of the
 *            way from q to q' in the time h
 *   a step with 2 path > reach is done again with a larger reach: two things may have moved towards each other      (1)
 *   a contact that is closed and not among those found hovers: it is looked for a little farther. Not of bodies: their
 *   corners and edges may be gone for good, and what they would fall to without one (1) finds                       (2)
 *   a step is shorter where something would pass the middle of what is thin                                         (3)
 *   a step whose contact problem is not solved is made again with half its length, six times at most: with less on
 *   the way in a step fewer contacts change from sticking to slipping at once                                       (4)
 * Schemes that locate events know from margins where a contact ends, and in place of (3) and (4):
 *   a step is at most as long as the way to the middle of what is thin                                              (5)
 *   a step at whose end something lies in something else is made again with half its length                         (6)
 *
 * The contacts of the state have ids; its arrays are in the order of the contacts of the last step. Before a step they
 * are put into the order of those found now: what has the same id keeps mode, impulse, velocity and what the scheme
 * remembers of it, the others begin open. Memory is allocated only where there are more contacts than room for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "core/dense.h"
#include "core/limits.h"
#include "model/model.h"
#include "sim/sim.h"

typedef struct parts { /* of a state's arrays, for a set of contacts */
    int ncontact, nrow;
    double *impulse, *u, *contact, *row; /* the last two: what the scheme remembers of contacts and rows */
} parts;

static int rows_of(const carom_block_of_state *b, int n)
{
    int rows = 0;
    for (int i = 0; i < n; i++)
        rows += b->rows[i];
    return rows;
}

static parts parts_of(const carom_sim *sim, const carom_block_of_state *b, int ncontact, int nrow)
{
    const carom_scheme *s = sim->scheme;
    parts p = {ncontact, nrow, b->state.impulse, b->state.u, b->memory + sim->nmemory, b->memory + sim->nmemory};
    if (sim->nmemory == 0 || s->memory_contact + s->memory_row == 0)
        return p;
    int room = sim->system.njoint + 3 * sim->system.capacity; /* the memory was placed for all contacts with all rows */
    p.contact = b->memory + (sim->nmemory - s->memory_contact * sim->system.capacity - s->memory_row * room);
    p.row = p.contact + s->memory_contact * ncontact;
    return p;
}

static void copy_row(const carom_sim *sim, const parts *from, int i, const parts *to, int k)
{
    int m = sim->scheme->memory_row;
    to->impulse[k] = from ? from->impulse[i] : 0;
    to->u[k] = from ? from->u[i] : 0;
    for (int j = 0; j < m && sim->nmemory; j++)
        to->row[k * m + j] = from ? from->row[i * m + j] : 0;
}

/* ---- ids: a table of the contacts of a state ---- */

static size_t slot_of(const carom_sim *sim, long long id)
{
    unsigned long long x = (unsigned long long)id * 0x9e3779b97f4a7c15ull;
    return (size_t)(x >> 20) & (carom_sim_slots(sim->system.capacity) - 1);
}

/* Fills sim->slot: numbers of the contacts of b by their ids, -1 where there is none. */
static void tabulate(carom_sim *sim, const carom_block_of_state *b)
{
    size_t slots = carom_sim_slots(sim->system.capacity);
    memset(sim->slot, 0xff, sizeof *sim->slot * slots);
    for (int i = 0; i < (int)b->id[0]; i++) {
        size_t k = slot_of(sim, b->id[1 + i]);
        while (sim->slot[k] >= 0)
            k = (k + 1) & (slots - 1);
        sim->slot[k] = i;
    }
}

/* The number of a contact in the state that was tabulated, or -1; mostly it is the one behind the last. */
static int number_of(const carom_sim *sim, const carom_block_of_state *b, long long id, int guess)
{
    size_t slots = carom_sim_slots(sim->system.capacity);
    if (guess < (int)b->id[0] && b->id[1 + guess] == id)
        return guess;
    for (size_t k = slot_of(sim, id); sim->slot[k] >= 0; k = (k + 1) & (slots - 1))
        if (b->id[1 + sim->slot[k]] == id)
            return sim->slot[k];
    return -1;
}

/* The state `from` as `to`, in the order of the contacts found. */
static void follow(carom_sim *sim, const carom_block_of_state *from, carom_block_of_state *to, const carom_found *found,
                   int n)
{
    int nj = sim->system.njoint, old = (int)from->id[0], rows = nj, guess = 0;
    for (int k = 0; k < n; k++)
        rows += 1 + found[k].contact.directions;
    parts a = parts_of(sim, from, old, nj + rows_of(from, old)), b = parts_of(sim, to, n, rows);
    for (int r = 0; r < nj; r++)
        copy_row(sim, &a, r, &b, r);
    tabulate(sim, from);
    for (int i = 0, row = nj; i < old; row += from->rows[i++])
        sim->first_row[i] = row;
    for (int k = 0, row = nj; k < n; k++) {
        int i = number_of(sim, from, found[k].id, guess), count = 1 + found[k].contact.directions;
        bool same = i >= 0 && from->rows[i] == count;
        int start = same ? sim->first_row[i] : 0, m = sim->scheme->memory_contact;
        guess = i + 1;
        to->id[1 + k] = found[k].id;
        to->rows[k] = (unsigned char)count;
        to->state.mode[k] = same ? from->state.mode[i] : CAROM_OPEN;
        if (sim->nmodes) {
            to->modes[k] = same ? from->modes[i] : (carom_link_mode){.mode = CAROM_OPEN};
            to->modes[k].fresh = !same || to->modes[k].branch != found[k].branch;
            to->modes[k].branch = found[k].branch;
        }
        for (int j = 0; j < m && sim->nmemory; j++)
            b.contact[k * m + j] = same ? a.contact[i * m + j] : 0;
        for (int j = 0; j < count; j++, row++)
            copy_row(sim, same ? &a : NULL, start + j, &b, row);
    }
    to->id[0] = n;
    to->state.ncontact = n;
}

/* Is it what was found last time, in the same order, and does the system know it? */
static bool unchanged(const carom_sim *sim, int n)
{
    const carom_system *sys = &sim->system;
    if (sim->now.id[0] != n || sys->present.contact != sys->contact || sys->present.ncontact != n)
        return false;
    for (int i = 0; i < n; i++)
        if (sim->now.id[1 + i] != sim->found[i].id || sys->contact_id[i] != sim->found[i].id ||
            sim->now.rows[i] != 1 + sim->found[i].contact.directions ||
            (sim->nmodes && (sim->now.modes[i].fresh || sim->now.modes[i].branch != sim->found[i].branch)) ||
            memcmp(&sys->contact[i], &sim->found[i].contact, sizeof sys->contact[i]) != 0)
            return false;
    return true;
}

void carom_sim_copy_state(const carom_sim *sim, const carom_block_of_state *from, carom_block_of_state *to)
{
    const int n = (int)from->id[0], rows = sim->system.njoint + rows_of(from, n);
    *to->clock = *from->clock;
    carom_copy(sim->system.nq, from->state.q, to->state.q);
    carom_copy(sim->system.nv, from->state.v, to->state.v);
    carom_copy(rows, from->state.impulse, to->state.impulse);
    carom_copy(rows, from->state.u, to->state.u);
    carom_copy(sim->nmemory, from->memory, to->memory);
    carom_modes_copy(sim->nmodes ? n : 0, from->modes, to->modes);
    memcpy(to->id, from->id, sizeof *to->id * (size_t)(n + 1));
    memcpy(to->state.mode, from->state.mode, (size_t)n);
    memcpy(to->rows, from->rows, (size_t)n);
}

/* Before contacts are looked for once or several times: what is known of all of them. */
static void keep(carom_sim *sim)
{
    carom_sim_copy_state(sim, &sim->now, &sim->kept);
}

/* The evaluator in memory that is new, or with new parameters: before contacts are looked for with it. */
static void begin(carom_sim *sim)
{
    carom_system *sys = &sim->system;
    const int room = sys->present.ncontact;
    sys->present.ncontact = sys->present.contact ? room : 0; /* none are known yet */
    sys->evaluator->begin(sys->model, 1, sys->p, sys->handed);
    sys->present.ncontact = room;
}

/* All arrays anew, with room for n contacts; the state that was kept comes along. */
static carom_status grow(carom_sim *sim, int n)
{
    carom_sim measure = {.model = sim->model, .scheme = sim->scheme, .options = sim->options};
    carom_sim old = *sim;
    carom_layout layout;
    measure.contacts.solver = sim->contacts.solver;
    measure.system.capacity = n;
    carom_sim_place(&measure.layout, &measure);
    if (!carom_layout_new(&layout, &measure.layout))
        CAROM_FAIL(&sim->error, CAROM_NO_MEMORY, "no memory for the %d contacts found at t = %.10g: %.3g bytes", n,
                   sim->now.state.t, (double)measure.layout.used);
    sim->system.capacity = n;
    carom_sim_place(&layout, sim);
    if (!carom_room_make(&sim->room, CAROM_MAX(sim->room.rows, sim->system.njoint + CAROM_SMALL_ROWS))) {
        carom_layout_free(layout);
        *sim = old;
        CAROM_FAIL(&sim->error, CAROM_NO_MEMORY, "no memory for the problems of %d contacts found at t = %.10g", n,
                   sim->now.state.t);
    }
    sim->more = layout;
    carom_sim_wire(sim);
    const carom_model *m = sim->model;
    carom_copy(m->np, old.system.p, sim->system.p);
    carom_copy(m->nv, old.atol, sim->atol);
    *sim->now.clock = *old.kept.clock;
    carom_copy(m->nq, old.kept.state.q, sim->now.state.q);
    carom_copy(m->nv, old.kept.state.v, sim->now.state.v);
    int count = (int)old.kept.id[0], rows = sim->system.njoint + rows_of(&old.kept, count);
    parts a = parts_of(&old, &old.kept, count, rows), b = parts_of(sim, &sim->now, count, rows);
    carom_copy((int)(a.contact - old.kept.memory), old.kept.memory, sim->now.memory); /* what is not of contacts */
    carom_copy(old.nmemory ? (int)(a.row - a.contact) + sim->scheme->memory_row * rows : 0, a.contact, b.contact);
    carom_copy(rows, a.impulse, b.impulse);
    carom_copy(rows, a.u, b.u);
    memcpy(sim->now.id, old.kept.id, sizeof *sim->now.id * (size_t)(count + 1));
    memcpy(sim->now.rows, old.kept.rows, (size_t)count);
    memcpy(sim->now.state.mode, old.kept.state.mode, (size_t)count);
    carom_modes_copy(sim->nmodes ? count : 0, old.kept.modes, sim->now.modes);
    sim->record.observed = old.record.observed;
    carom_sim_sync_time(sim);
    keep(sim);
    begin(sim);
    carom_layout_free(old.more);
    return CAROM_OK;
}

carom_status carom_sim_room(carom_sim *sim, int n)
{
    keep(sim);
    sim->kept.id[0] = 0;
    return grow(sim, n);
}

static carom_status check(carom_sim *sim, int n)
{
    for (int i = 0; i < n; i++) {
        const carom_found *f = &sim->found[i];
        if (f->contact.directions < 0 || f->contact.directions > 2)
            CAROM_FAIL(&sim->error, CAROM_BAD_MODEL, "the contact found with id %lld has %d directions of friction",
                       f->id, f->contact.directions);
        const carom_law *law = carom_law_find(f->contact.law, f->contact.directions);
        char name[200];
        if (!law || carom_law_needs(law) & ~sim->scheme->laws)
            CAROM_FAIL(&sim->error, CAROM_UNSUPPORTED,
                       "scheme '%s' does not know the law '%s' with %d directions of contact '%s'",
                       sim->scheme->method.name, f->contact.law ? f->contact.law : "contact", f->contact.directions,
                       carom_contact_called(sim->model, i, f->id, name, sizeof name));
        for (int b = 0; b < 2; b++)
            if (f->count[b] < 0 || f->first[b] < 0 || f->first[b] + f->count[b] > sim->system.nv ||
                (b && f->count[1] && f->first[1] < f->first[0] + f->count[0]))
                CAROM_FAIL(&sim->error, CAROM_BAD_MODEL,
                           "the contact found with id %lld has velocities %d ... %d; blocks ascend, and there are %d",
                           f->id, f->first[b], f->first[b] + f->count[b] - 1, sim->system.nv);
    }
    return CAROM_OK;
}

static carom_status look(carom_sim *sim, double reach)
{
    const carom_model *m = sim->model;
    const carom_state *s = &sim->now.state;
    const carom_point at = {s->t, s->q, s->v, sim->system.p, m->user, sim->system.model, sim->system.evaluator_work};
    int n = m->links(&at, reach, sim->found, sim->system.capacity);
    if (n < 0)
        CAROM_FAIL(&sim->error, CAROM_BAD_MODEL, "the search for contacts failed at t = %.10g", s->t);
    if (n > CAROM_MAX_FOUND)
        CAROM_FAIL(&sim->error, CAROM_BAD_MODEL, "%d contacts found at t = %.10g; there may be at most %d", n, s->t,
                   CAROM_MAX_FOUND);
    if (n > sim->system.capacity) {
        CAROM_TRY(grow(sim, CAROM_MIN(CAROM_MAX_FOUND, n + n / 2)));
        return look(sim, reach);
    }
    CAROM_TRY(check(sim, n));
    if (unchanged(sim, n))
        return CAROM_OK;
    follow(sim, &sim->kept, &sim->now, sim->found, n);
    carom_system_links(&sim->system, sim->found, n);
    carom_system_begin(&sim->system, s->t, s->q, s->v);
    sim->contacts.nactive = 0;
    double *const rows[] = {sim->contacts.P, sim->contacts.u_before, sim->contacts.u_free, sim->contacts.u_after};
    for (int i = 0; i < CAROM_COUNT(rows); i++)
        memset(rows[i], 0, sizeof(double) * (size_t)sim->system.nrow);
    memset(sim->contacts.offset, 0, sizeof(double) * (size_t)sim->system.ncontact); /* glue is of those in a problem */
    sim->record.id = sim->system.contact_id;
    return CAROM_OK;
}

/* What touches may have a gap that is 0 but for rounding. */
static double rounding(const carom_sim *sim)
{
    const carom_state *s = &sim->now.state;
    const carom_point at = {s->t, s->q, s->v, sim->system.p, sim->model->user, sim->system.model,
                            sim->system.evaluator_work};
    double length = carom_bodies_length(&at);
    return 1e-12 * (length >= 0 ? length : 1 + carom_norm_max(sim->system.nq, s->q));
}

carom_status carom_sim_find(carom_sim *sim)
{
    keep(sim);
    begin(sim);
    return look(sim, rounding(sim));
}

/* Is a contact that was closed not among those found? tell: then it opens. */
static bool lost(carom_sim *sim, bool tell)
{
    bool any = false;
    tabulate(sim, &sim->now);
    for (int i = 0; i < (int)sim->kept.id[0] && (tell || !any); i++) {
        long long id = sim->kept.id[1 + i];
        bool gone = sim->kept.state.mode[i] != CAROM_OPEN && number_of(sim, &sim->now, id, i) < 0;
        any |= gone;
        if (gone && tell)
            carom_record_event(&sim->record, &(carom_event){.type = CAROM_EVENT_OPENING, .t = sim->now.state.t,
                                                            .contact = -1, .id = id});
    }
    return any;
}

/* The next state has the contacts of this one. */
static void hand_on(carom_sim *sim)
{
    int n = (int)sim->now.id[0];
    memcpy(sim->next.id, sim->now.id, sizeof *sim->now.id * (size_t)(n + 1));
    memcpy(sim->next.rows, sim->now.rows, (size_t)n);
    sim->next.state.ncontact = n;
}

/* The largest speed of a surface at the positions of a state, with the velocities v. */
static double speed_of(const carom_sim *sim, const carom_state *s, const double *v)
{
    const carom_model *m = sim->model;
    const carom_point at = {s->t, s->q, v, sim->system.p, m->user, sim->system.model, sim->system.evaluator_work};
    return m->speed ? m->speed(&at) : carom_norm_max(sim->system.nv, v);
}

static double path_of(carom_sim *sim)
{
    const carom_state *now = &sim->now.state, *next = &sim->next.state;
    double h = next->t - now->t, *way = sim->certificate.column; /* room that nobody needs yet */
    if (!(h > 0))
        return 0; /* an impact */
    carom_model_local(sim->model, now->q, next->q, way);
    for (int i = 0; i < sim->system.nv; i++)
        way[i] /= h;
    return h * fmax(fmax(speed_of(sim, now, now->v), speed_of(sim, next, next->v)), speed_of(sim, now, way));
}

/* A length up to h in which nothing comes in deeper than it may, where positions follow the velocities from before an
 * impact for a part of the step: to where it has come in by half of that, and then on by as much: (3) */
static double careful(carom_sim *sim, double h)
{
    carom_system *sys = &sim->system;
    const carom_state *s = &sim->now.state;
    double path = h * speed_of(sim, s, s->v);
    bool thin = false;
    for (int i = 0; i < sys->ncontact; i++)
        thin |= sim->found[i].depth > 0 && 2 * path > sim->found[i].depth;
    if (!thin || !(sim->scheme->traits & CAROM_COMES_IN))
        return h;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, s->t, s->q, s->v);
    for (int i = 0; i < sys->ncontact; i++) {
        const carom_link *link = carom_contact_link(sys, i);
        double depth = sim->found[i].depth, g = fmax(sys->at.g[carom_contact_number(sys, i)], 0);
        double u = depth > 0 ? carom_row_speed(sys, link->row, s->v) : 0;
        if (-u * h > g + depth)
            h = (g + 0.5 * depth) / -u;                                                                 /* (3) */
    }
    return h;
}

/* ---- schemes that locate events ---- */

/* Of a step of length h: nothing moves farther than to the middle of what is thin.                               (5) */
static double shallow(carom_sim *sim, double h)
{
    double speed = speed_of(sim, &sim->now.state, sim->now.state.v);
    for (int i = 0; i < sim->system.ncontact; i++)
        if (sim->found[i].depth > 0 && h * speed > sim->found[i].depth)
            h = sim->found[i].depth / speed;
    return h;
}

/* Does something lie in something else at the end of the step: a contact that the step did not know?             (6) */
static carom_status overlooked(carom_sim *sim, double reach, bool *any)
{
    const carom_model *m = sim->model;
    const carom_state *s = &sim->next.state, *now = &sim->now.state;
    carom_point at = {s->t, s->q, s->v, sim->system.p, m->user, sim->system.model, sim->system.evaluator_work};
    double rest = rounding(sim);
    int n = CAROM_MIN(m->links(&at, rest, sim->found, sim->system.capacity), sim->system.capacity);
    *any = false;
    for (int i = 0; i < n; i++)
        *any |= sim->found[i].gap < -1e-8 * sim->found[i].depth - 10 * rest;
    at.t = now->t, at.q = now->q, at.v = now->v; /* the evaluator knows those of the step again */
    return m->links(&at, reach, sim->found, sim->system.capacity) == sim->system.ncontact ? CAROM_OK
                                                                                           : CAROM_NOT_CONVERGED;
}

/* What the scheme says of a step, or the cause that it does not see. */
static carom_status give_up(carom_sim *sim)
{
    const carom_error said = sim->error;
    char name[80];
    if (!carom_sim_is_stuck(sim, sim->options.h, name, sizeof name))
        return CAROM_NOT_CONVERGED;
    CAROM_FAIL(&sim->error, CAROM_NOT_CONVERGED,
               "the joints let bodies begin to move as they do at t = %.10g, but not go on: '%s' contradicts others, "
               "as where a flat net of plates is to fold along both directions (%.200s)",
               sim->now.state.t, name, said.text);
}

carom_status carom_sim_step_linked(carom_step *step)
{
    enum { ATTEMPTS = 60, HOVERS = 10, HALVINGS = 6 };
    carom_sim *sim = (carom_sim *)(void *)((char *)step - offsetof(carom_sim, step));
    const bool exact = sim->system.room & CAROM_MARGIN;
    double h = sim->step.h, path = 0;
    double reach = 2.5 * h * speed_of(sim, &sim->now.state, sim->now.state.v) + rounding(sim);
    const carom_info before = sim->info;
    keep(sim);
    for (int k = 0, halvings = 0; k < ATTEMPTS; k++) {
        CAROM_TRY(look(sim, reach));
        for (int i = 0; i < HOVERS && !sim->model->speed && lost(sim, false); i++)                      /* (2) */
            CAROM_TRY(look(sim, reach *= 8));
        hand_on(sim);
        carom_record_clear(&sim->record);
        sim->system.lost = exact && lost(sim, true);
        sim->step.h = exact ? shallow(sim, h) : careful(sim, h), sim->step.h_next = 0;
        carom_status status = carom_sim_step_roomy(&sim->step);
        if (status == CAROM_INTERRUPTED)
            sim->info = before;
        if (status == CAROM_NOT_CONVERGED && halvings < HALVINGS && !exact) {                           /* (4) */
            h /= 2;
            sim->info = before;
            sim->info.rejected += ++halvings;
            sim->error = (carom_error){0};
            continue;
        }
        if (status == CAROM_NOT_CONVERGED && !exact)
            return give_up(sim);
        CAROM_TRY(status);
        path = path_of(sim);
        bool inside = false;
        if (exact && path > 0 && 2 * path <= reach)
            CAROM_TRY(overlooked(sim, reach, &inside));                                                 /* (6) */
        if (2 * path <= reach && !inside)                                                               /* (1) */
            return CAROM_OK;
        if (inside)
            h = 0.5 * (sim->next.state.t - sim->now.state.t), sim->info.rejected++;
        else
            reach = 4 * path;
    }
    CAROM_FAIL(&sim->error, CAROM_NOT_CONVERGED, "the step from t = %.10g moves by %.3g, beyond any reach it is given",
               sim->now.state.t, path);
}
