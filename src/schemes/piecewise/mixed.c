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
 * With critical = moreau the paper's algorithm: a step of Moreau and Jean of length hb = C h^(p+1) around each impact
 * (critical.c). Errors of O(hb) = O(h^(p+1)) for each impact keep the order p. We differ from it with critical =
 * event: the impact law at the root polished to rounding (hb = 0). In both modes are decided where the violated
 * inequality is strict; closed contacts are a state, not a test of the gap. A step holds at most SUBSTEPS events and
 * ends early there. Dense output by the quintic of the ends: order 5 in q, 4 in v. */
#include <math.h>
#include <string.h>

#include "schemes/moreau/moreau_jean.h"
#include "schemes/piecewise/piecewise.h"

enum { SUBSTEPS = 64 };
enum { RK, CRITICAL, C };
enum { EVENT, MOREAU }; /* values of the field critical */

static const carom_field fields[] = {
    {"rk", CAROM_FIELD_ENUM, CAROM_TABLEAU_RADAU5, 0, CAROM_TABLEAU_COUNT - 1, CAROM_TABLEAU_NAMES,
     "Runge-Kutta method of the motion between events; the number is its order"},
    {"critical", CAROM_FIELD_ENUM, EVENT, 0, 0, "event moreau",
     "impacts at their own instants, or in a step of Moreau and Jean of length C h^(p+1) around them, p the order"},
    {"C", CAROM_FIELD_DOUBLE, 1, 1e-6, 1e6, NULL, "critical=moreau: the constant of that length"},
    {0},
};
/* What the core evaluates, and a step of Moreau and Jean. */
static const unsigned requests[] = {CAROM_PIECEWISE_REQUESTS, CAROM_GAP, CAROM_LAW, CAROM_MASS | CAROM_FORCE |
                                    CAROM_JACOBIAN, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, CAROM_JACOBIAN, 0};

typedef struct mixed_work {
    carom_piecewise tol; /* first: the functions of the core find it in step->work */
    carom_state from; /* start of a substep */
    double *impulse;  /* [nrow] since the start of the step */
    double *atol;     /* [nv] */
    carom_moreau_work moreau; /* of critical steps */
} mixed_work;

static void orders(const double *field, double *smooth, double *impact)
{
    *smooth = *impact = carom_tableau_list((int)field[RK])->order;
}

static unsigned traits(const double *field)
{
    return field[CRITICAL] == EVENT ? CAROM_LOCATES_EVENTS : 0;
}

/* A step of Moreau and Jean knows simultaneous impacts alone. */
static carom_status accepts(const carom_model *model, const double *field, carom_error *error)
{
    const carom_impact_rule *rule = carom_impact_rule_of(model);
    if (field[CRITICAL] == MOREAU && model->ncontact && rule != &carom_rule_simultaneous)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "mixed: with critical=moreau impacts are simultaneous, not %s",
                   rule->method.name);
    return CAROM_OK;
}

static void layout(carom_layout *layout, const carom_system *system, void *work)
{
    mixed_work *w = work;
    carom_piecewise_layout(layout, system, &w->tol);
    carom_moreau_layout(layout, system, &w->moreau);
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

/* The motion up to the next event, or the critical step that is due. */
static carom_status next_part(carom_step *part, mixed_work *w)
{
    if (w->tol.closing < 0)
        return carom_piecewise_step(part);
    part->h = CAROM_MIN(part->h, w->tol.critical);
    return carom_critical_step(part, &w->tol, &w->moreau);
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
    w->tol.asked_rtol = s->options->rtol, w->tol.asked_atol = s->atol;
    for (int i = 0; i < sys->nv; i++)
        w->atol[i] = options.atol;
    part.atol = w->atol;
    double done = 0, full = s->h;
    w->tol.tableau = T, w->tol.constant = true, w->tol.full = full;
    w->tol.critical = s->field[CRITICAL] == EVENT ? 0 : CAROM_MAX(s->field[C] * pow(full, T->order + 1), 1e-15);
    w->tol.closing = -1;
    part.options = &options, part.now = &w->from;
    copy_state(sys, s->now, &w->from);
    memset(w->impulse, 0, sizeof(double) * (size_t)sys->nrow);
    for (int k = 0; k < SUBSTEPS && w->from.t + (full - done) > w->from.t; k++) {
        part.h = full - done;
        CAROM_TRY(next_part(&part, w));
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
    .traits = CAROM_KEEPS_MODES,
    .traits_of = traits,
    .accepts = accepts,
    .requests = requests,
    .segments = SUBSTEPS,
    .rules = carom_piecewise_rules,
    .laws = CAROM_LAW_SLANTED | CAROM_LAW_PULLS | CAROM_LAW_ALONG | CAROM_LAW_SPEEDS,
    .switches = true,
    .degree = 5,
    .memory = carom_piecewise_memory,
    .work_bytes = sizeof(mixed_work),
    .layout = layout,
    .step = step,
};
