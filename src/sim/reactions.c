/* reactions.c: forces of joints and contacts at an instant, from the state and what each contact does.
 *
 *   M a = F + G^T x,   G a + gamma = 0  on joints, closed contacts and along those that stick                  (1)
 *   slip along d:  x_t = -mu x_n d,  d = u/|u|; where u = 0, slip begins: against the force that would hold it  (2)
 *
 * A mean over a step is what the step has done; this is what acts at the time itself, and does not depend on steps.
 * Where contacts are redundant (1) leaves their share open: the one of least norm is taken.
 * Contacts that are found are those of the step; so are the evaluator's tables of them. (1) is a full matrix: it is not
 * made where more than MOST rows act at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/given_modes.h"
#include "model/model.h"
#include "sim/reactions.h"
#include "sim/sim.h"

struct carom_reactions {
    carom_layout layout;
    carom_system system;
    carom_given_modes given;
    carom_link_mode *modes; /* [ncontact] */
    double *a;              /* [nv] */
    carom_room room;        /* of (1), for the rows that act */
    carom_info info;        /* counts that nobody reads */
    bool begun;
};

enum { SPEEDS = CAROM_GAP | CAROM_JACOBIAN, MOTION = CAROM_MASS | CAROM_FORCE, MOST = 600 };

/* What carom_given_accel evaluates where nothing is held, and where something is. */
static unsigned held(const carom_model *m)
{
    return MOTION | CAROM_JACOBIAN | CAROM_GAMMA | (m->ncontact || m->links ? CAROM_LAW : 0);
}

static void place(carom_layout *layout, carom_reactions *r, const carom_model *m, unsigned margin)
{
    layout->room = m->links ? &r->room : NULL;
    r->room.n = 0;
    carom_system_layout(layout, &r->system, m, SPEEDS | held(m) | margin);
    r->room.all = r->system.nrow;
    carom_given_layout(layout, &r->given, &r->system);
    CAROM_PLACE(layout, r->modes, r->system.ncontact);
    CAROM_PLACE(layout, r->a, m->nv);
}

static carom_status prepare(const carom_model *m, carom_error *error)
{
    const carom_evaluator *e = carom_model_evaluator(m);
    const unsigned constant = m->constant & (SPEEDS | held(m)) & ~(unsigned)CAROM_FORCE;
    const unsigned requests[] = {SPEEDS, MOTION, held(m)};
    CAROM_TRY(e->prepare(m, constant, error));
    for (int i = 0; i < CAROM_COUNT(requests); i++)
        CAROM_TRY(e->prepare(m, requests[i] & ~constant, error));
    return CAROM_OK;
}

static carom_status make(carom_reactions **reactions, const carom_model *m, int capacity, unsigned margin,
                         carom_error *error)
{
    CAROM_TRY(prepare(m, error));
    carom_reactions *r = calloc(1, sizeof *r), measured = {.system.capacity = capacity};
    place(&measured.layout, &measured, m, margin);
    if (!r || !carom_layout_new(&r->layout, &measured.layout)) {
        free(r);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the reactions of '%s'", m->name);
    }
    carom_layout layout = r->layout;
    r->system.capacity = capacity;
    place(&layout, r, m, margin);
    r->system.info = &r->info;
    r->given.modes = r->modes;
    *reactions = r;
    return CAROM_OK;
}

carom_status carom_reactions_new(carom_reactions **reactions, const carom_model *m, const double *p, carom_error *error)
{
    *reactions = NULL;
    if (m->links)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "contacts of '%s' come and go: they have no reactions by name", m->name);
    CAROM_TRY(make(reactions, m, 0, 0, error));
    carom_reactions_with(*reactions, p ? p : m->p);
    return CAROM_OK;
}

carom_status carom_reactions_follow(carom_reactions **reactions, const carom_sim *sim, carom_error *error)
{
    const carom_system *of = &sim->system;
    if (*reactions && (*reactions)->system.capacity < of->capacity) {
        carom_reactions_free(*reactions);
        *reactions = NULL;
    }
    if (!*reactions)
        CAROM_TRY(make(reactions, sim->model, of->capacity, of->room & CAROM_MARGIN, error));
    carom_system *sys = &(*reactions)->system;
    sys->evaluator_work = sys->handed = of->evaluator_work;
    carom_reactions_with(*reactions, of->p);
    carom_system_links(sys, sim->found, of->ncontact);
    return CAROM_OK;
}

void carom_reactions_with(carom_reactions *r, const double *p)
{
    carom_copy(r->system.model->np, p, r->system.p);
    r->begun = false;
}

void carom_reactions_free(carom_reactions *r)
{
    if (!r)
        return;
    carom_room_free(&r->room);
    carom_layout_free(r->layout);
    free(r);
}

/* Is there room for the rows that act in these modes? */
static bool has_room(carom_reactions *r, const unsigned char *mode)
{
    const carom_system *sys = &r->system;
    int rows = 0;
    for (int i = 0; i < sys->nlink; i++)
        rows += carom_link_closed(&sys->link[i], mode) ? sys->link[i].rows : 0;
    return !sys->model->links || rows <= r->room.rows || (rows <= MOST && carom_room_make(&r->room, rows));
}

/* The speed of planar slip; 0 if it is rounding of the velocities it is made of. */
static double slip_speed(const carom_system *sys, const carom_link *link, const double *v)
{
    const int row = link->row + carom_link_normals(link);
    const carom_rows rows = carom_rows_here(sys);
    const double u = carom_row_speed(sys, row, v);
    return fabs(u) > 1e-13 * carom_rows_reach(sys, &rows, row, v, NULL) ? u : 0;
}

/* Modes and, of planar slip, its direction; false: of some it is not known yet. Spatial slip finds its own. */
static bool take_modes(carom_reactions *r, double t, const double *q, const double *v, const unsigned char *mode)
{
    carom_system *sys = &r->system;
    bool known = true;
    carom_system_eval(sys, SPEEDS, t, q, v);
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        const double u = mode[c] == CAROM_SLIP && link->law->tangents == 1 ? slip_speed(sys, link, v) : 1;
        r->modes[c] = (carom_link_mode){.mode = u == 0 ? CAROM_STICK : mode[c], .direction = {copysign(1, u), 0}};
        r->given.crept[c] = r->given.holds[c] = false;
        known &= u != 0;
    }
    r->given.side = r->given.slow = 0;
    r->given.slide.n = 0;
    return known;
}

/* (2) of the contacts that begin to slip, by the forces as if they stuck */
static void begin_slip(carom_reactions *r, const unsigned char *mode, const double *force)
{
    const carom_system *sys = &r->system;
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        if (mode[c] != CAROM_SLIP || r->modes[c].mode != CAROM_STICK)
            continue;
        r->modes[c].mode = CAROM_SLIP;
        r->modes[c].direction[0] = copysign(1, -force[link->row + carom_link_normals(link)]);
    }
}

void carom_reactions_at(carom_reactions *r, double t, const double *q, const double *v, const unsigned char *mode,
                        double *force)
{
    carom_system *sys = &r->system;
    carom_error ignored;
    if (!r->begun)
        carom_system_begin(sys, t, q, v);
    r->begun = true;
    const bool known = take_modes(r, t, q, v, mode);
    carom_status status = has_room(r, mode) ? CAROM_OK : CAROM_NO_MEMORY;
    if (status == CAROM_OK)
        status = carom_given_accel(&r->given, sys, t, q, v, 0, r->a, force, &ignored);                     /* (1) */
    if (status == CAROM_OK && !known) {
        begin_slip(r, mode, force);
        status = carom_given_accel(&r->given, sys, t, q, v, 0, r->a, force, &ignored);
    }
    for (int i = 0; status != CAROM_OK && i < sys->nrow; i++)
        force[i] = NAN;
}

carom_status carom_model_reactions(const carom_model *m, const double *p, size_t n, const double *t, const double *q,
                                   const double *v, const unsigned char *mode, double *force, carom_error *error)
{
    CAROM_SIZED(m, carom_model, error);
    if (n == 0)
        return CAROM_OK;
    CAROM_NEED(t, error);
    CAROM_NEED(q, error);
    CAROM_NEED(v, error);
    CAROM_NEED(force, error);
    if (m->ncontact)
        CAROM_NEED(mode, error);
    carom_reactions *r;
    CAROM_TRY(carom_reactions_new(&r, m, p, error));
    for (size_t k = 0; k < n; k++)
        carom_reactions_at(r, t[k], q + k * (size_t)m->nq, v + k * (size_t)m->nv, mode + k * (size_t)m->ncontact,
                           force + k * (size_t)r->system.nrow);
    carom_reactions_free(r);
    return CAROM_OK;
}

/* ---- names ---- */

const char *const carom_reaction_ends[3][3] = {
    {".reaction"}, {".reaction", ".reaction_t"}, {".reaction", ".reaction_t1", ".reaction_t2"}};

static bool is_named(const char *name, const char *stem, const char *ending)
{
    const size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && strcmp(name + length, ending) == 0;
}

int carom_reaction_row(const carom_model *m, const char *name)
{
    char buffer[32];
    int row = 0;
    for (int i = 0; i < m->njoint; i++, row++)
        if (is_named(name, carom_model_joint_name(m, i, buffer), carom_reaction_ends[0][0]))
            return row;
    for (int i = 0; i < m->ncontact; i++)
        for (int r = 0; r <= m->contact[i].directions; r++, row++)
            if (is_named(name, carom_model_contact_name(m, i, buffer),
                         carom_reaction_ends[m->contact[i].directions][r]))
                return row;
    return -1;
}

bool carom_reaction_meant(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strncmp(dot, ".reaction", strlen(".reaction")) == 0;
}

carom_status carom_reaction_unknown(const carom_model *m, const char *name, carom_error *error)
{
    char buffer[32];
    int n = 0;
    if (m->links)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "contacts of '%s' come and go: they have no reactions by name", m->name);
    carom_arena *arena = carom_arena_new(0);
    const char **names = arena ? CAROM_NEW(arena, const char *, carom_model_rows(m) + 1) : NULL;
    for (int i = 0; names && i < m->njoint + m->ncontact; i++) {
        const char *stem = i < m->njoint ? carom_model_joint_name(m, i, buffer)
                                         : carom_model_contact_name(m, i - m->njoint, buffer);
        const int rows = i < m->njoint ? 0 : m->contact[i - m->njoint].directions;
        for (int r = 0; r <= rows; r++)
            if ((names[n] = carom_arena_format(arena, "%s%s", stem, carom_reaction_ends[rows][r])))
                n++;
    }
    const char *near = names ? carom_nearest(name, names, n) : NULL;
    carom_status status = carom_fail(error, CAROM_BAD_ARGUMENT, "there is no reaction '%s'%s%s%s", name,
                                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    carom_arena_free(arena);
    return status;
}
