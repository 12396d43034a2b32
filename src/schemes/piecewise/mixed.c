/* mixed.c: steps of constant length with any Runge-Kutta method that keep its order through the events inside them.
 * Source: V. Acary, INRIA RR-7151 (2009), section 6, Algorithm 1.
 *
 *   until the step is full: Runge-Kutta over the rest of it in the present modes (runge_kutta.c)            (1)
 *   up to the first event, located by repeating (1) with the length x (events.c)                       (2)
 *   there: impact law, new modes; accumulating impacts are frozen when they rise no higher than
 *   tz = max(min(h, 0.1)^(p+1), 4e-15), p the order (modes.c)                                          (3)
 *   positions and velocities of joints, pressing and sticking contacts are projected                             (4)
 *
 * Order p, through impacts, accumulations of impacts, opening and friction too. Energy: as the method keeps it
 * between impacts, O(h^p); the elastic ball's to rounding. Spatial slip that is slow turns as fast as it is slow: it is
 * followed in shorter steps (modes.c), about p t_end/(20 h) of them for each time that it stops or turns about,
 * and keeps the order. They count as events. Where slip begins slowly from rest its direction is stiff: explicit
 * methods keep their order, but take about h^(-(p+1)/4) steps there, a hundred times the work of an implicit one at
 * order 5; take that, or `tolerance`. Steps end where a force changes its branch, too (switches.c).
 *
 * We differ from the paper: no step of Moreau and Jean of length hb around an impact, but the impact law at the root
 * polished to rounding (hb = 0); modes are decided where the violated inequality is strict; closed contacts are a
 * state, not a test of the gap. A step holds at most SUBSTEPS events and ends early there. Dense output by the quintic
 * of the ends: order 5 in q, 4 in v. */
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

enum { SUBSTEPS = 64 };
enum { RK };

static const carom_field fields[] = {
    {"rk", CAROM_FIELD_ENUM, CAROM_TABLEAU_RADAU5, 0, CAROM_TABLEAU_COUNT - 1, CAROM_TABLEAU_NAMES,
     "Runge-Kutta method of the motion between events; the number is its order"},
    {0},
};

typedef struct mixed_work {
    carom_piecewise tol; /* first: the functions of the core find it in step->work */
    carom_state from; /* start of a substep */
    double *impulse;  /* [nrow] since the start of the step */
    double *atol;     /* [nv] */
} mixed_work;

static void orders(const double *field, double *smooth, double *impact)
{
    *smooth = *impact = carom_tableau_list((int)field[RK])->order;
}

static void layout(carom_layout *layout, const carom_system *system, void *work)
{
    mixed_work *w = work;
    carom_piecewise_layout(layout, system, &w->tol);
    CAROM_PLACE(layout, w->from.q, system->nq);
    CAROM_PLACE(layout, w->from.v, system->nv);
    CAROM_PLACE(layout, w->from.impulse, system->nrow);
    CAROM_PLACE(layout, w->from.u, system->nrow);
    CAROM_PLACE(layout, w->from.mode, system->model->ncontact);
    CAROM_PLACE(layout, w->impulse, system->nrow);
    CAROM_PLACE(layout, w->atol, system->nv);
}

static void copy_state(const carom_system *sys, const carom_state *from, carom_state *to)
{
    to->t = from->t;
    carom_copy(sys->nq, from->q, to->q);
    carom_copy(sys->nv, from->v, to->v);
    carom_copy(sys->nrow, from->impulse, to->impulse);
    carom_copy(sys->nrow, from->u, to->u);
    memcpy(to->mode, from->mode, (size_t)sys->model->ncontact);
}

/* Energy at the end of a segment, where it is accounted for; the last one of a step is filled by the simulation. */
static void tell_energy(carom_step *s)
{
    carom_record *record = s->record;
    if (!record->account || !record->observed || !record->nsegment)
        return;
    carom_system_eval(s->system, CAROM_ENERGY, s->next->t, s->next->q, s->next->v);
    record->segment[record->nsegment - 1].energy = s->system->at.energy[0] + s->system->at.energy[1];
}

static carom_status step(carom_step *s)
{
    mixed_work *w = s->work;
    const carom_system *sys = s->system;
    const carom_tableau *T = carom_tableau_list((int)s->field[RK]);
    carom_options options = *s->options;
    const double longest = 0.1;
    double height = CAROM_MAX(pow(CAROM_MIN(s->h, longest), T->order + 1), 4e-15);
    options.rtol = 0, options.atol = height / CAROM_TOL_KAPPA; /* (3) */
    carom_step part = *s;
    for (int i = 0; i < sys->nv; i++)
        w->atol[i] = options.atol;
    part.atol = w->atol;
    double done = 0, full = s->h;
    w->tol.tableau = T, w->tol.constant = true, w->tol.full = full;
    part.options = &options, part.now = &w->from;
    copy_state(sys, s->now, &w->from);
    memset(w->impulse, 0, sizeof(double) * (size_t)sys->nrow);
    for (int k = 0; k < SUBSTEPS && w->from.t + (full - done) > w->from.t; k++) {
        part.h = full - done;
        CAROM_TRY(carom_piecewise_step(&part));
        done = part.h >= full - done ? full : done + part.h;
        for (int r = 0; r < sys->nrow; r++)
            w->impulse[r] += s->next->impulse[r];
        tell_energy(s);
        copy_state(sys, s->next, &w->from);
        part.memory = s->memory_next, part.modes = s->modes_next, part.t_low = s->t_low_next;
    }
    carom_copy(sys->nrow, w->impulse, s->next->impulse);
    carom_step_advance(s, w->from.t + (full - done) > w->from.t ? done : full);
    return CAROM_OK;
}

const carom_scheme carom_scheme_mixed = {
    .method = {.name = "mixed",
               .doc = "Runge-Kutta steps of constant length, events located inside: order 2 to 6 through impacts",
               .ref = "Acary (2009), INRIA RR-7151, Algorithm 1",
               .fields = fields},
    .orders = orders,
    .traits = CAROM_LOCATES_EVENTS | CAROM_KEEPS_MODES,
    .requests = carom_piecewise_requests,
    .segments = SUBSTEPS,
    .rules = carom_piecewise_rules,
    .laws = CAROM_LAW_SLANTED | CAROM_LAW_PULLS | CAROM_LAW_ALONG,
    .switches = true,
    .degree = 5,
    .memory = carom_piecewise_memory,
    .work_bytes = sizeof(mixed_work),
    .layout = layout,
    .step = step,
};
