/* sim.c: one block of memory, stepped often. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/rules.h"
#include "contact/watch.h"
#include "core/dense.h"
#include "model/model.h"
#include "sim/atol.h"
#include "sim/sim.h"

/* ---- set-up ------------------------------------------------------------------------------------------ */

/* Places a state's arrays in one stretch, so that saving it is copying it. */
static size_t place_state(carom_layout *layout, const carom_system *system, int nmodes, int nmemory,
                          carom_block_of_state *b)
{
    int nq = system->nq, nv = system->nv, nrow = system->nrow, nc = system->model->ncontact;
    size_t doubles = (size_t)(nq + nv + 2 * nrow + nmemory);
    size_t found = system->model->links ? (size_t)nc : 0, ids = found ? sizeof(long long) * (found + 1) : 0;
    size_t bytes = sizeof(carom_clock) + sizeof(double) * doubles + sizeof(carom_link_mode) * (size_t)nmodes +
                   ((size_t)nc + 7) / 8 * 8 + ids + (found + 7) / 8 * 8;
    unsigned char *base = carom_place(layout, bytes);
    if (!base)
        return bytes;
    double *array = (double *)(void *)(base + sizeof(carom_clock));
    b->clock = (carom_clock *)(void *)base;
    b->state.q = array;
    b->state.v = b->state.q + nq;
    b->state.impulse = b->state.v + nv;
    b->state.u = b->state.impulse + nrow;
    b->memory = b->state.u + nrow;
    b->modes = (carom_link_mode *)(void *)(b->memory + nmemory);
    b->id = found ? (long long *)(void *)(b->modes + nmodes) : NULL;
    b->state.mode = (unsigned char *)(b->modes + nmodes) + ids;
    b->rows = b->state.mode + ((size_t)nc + 7) / 8 * 8;
    b->state.id = found ? b->id + 1 : NULL;
    b->state.ncontact = nc;
    return bytes;
}

static unsigned wanted(const carom_scheme *scheme, const carom_model *model)
{
    unsigned want =
        CAROM_GAP | CAROM_JACOBIAN | CAROM_LAW | CAROM_ENERGY | CAROM_MASS | CAROM_FORCE |
        (model->stops || model->stop ? CAROM_STOP : 0);
    for (const unsigned *r = scheme->requests; *r; r++)
        want |= *r;
    if (model->links && scheme->traits & CAROM_LOCATES_EVENTS)
        want |= CAROM_MARGIN;
    return want | (scheme->switches && model->nswitch ? CAROM_SWITCH : 0);
}

void carom_sim_place(carom_layout *layout, carom_sim *sim)
{
    _Alignas(max_align_t) unsigned char measuring[CAROM_WORK_MAX];
    layout->room = &sim->room;
    sim->room.n = 0;
    carom_system_layout(layout, &sim->system, sim->model, wanted(sim->scheme, sim->model));
    sim->room.all = sim->system.nrow;
    carom_contacts_layout(layout, &sim->contacts, &sim->system);
    CAROM_PLACE(layout, sim->found, sim->model->links ? sim->system.capacity : 0);
    CAROM_PLACE(layout, sim->slot, sim->model->links ? carom_sim_slots(sim->system.capacity) : 0);
    CAROM_PLACE(layout, sim->first_row, sim->model->links ? sim->system.capacity : 0);
    carom_record_layout(layout, &sim->record, sim->system.model, sim->system.nrow, sim->scheme->segments,
                        sim->scheme->degree);
    bool remembers =
        sim->scheme->memory && (!sim->scheme->remembers || sim->scheme->remembers(sim->options.scheme_field));
    sim->nmemory = remembers ? sim->scheme->memory(&sim->system) : 0;
    sim->nmodes = sim->scheme->traits & CAROM_KEEPS_MODES ? sim->system.model->ncontact : 0;
    sim->state_bytes = place_state(layout, &sim->system, sim->nmodes, sim->nmemory, &sim->now);
    place_state(layout, &sim->system, sim->nmodes, sim->nmemory, &sim->next);
    if (sim->model->links)
        place_state(layout, &sim->system, sim->nmodes, sim->nmemory, &sim->kept);
    CAROM_PLACE(layout, sim->atol, sim->model->nv);
    carom_certificate_layout(layout, &sim->certificate, &sim->system);
    sim->work = carom_place(layout, sim->scheme->work_bytes);
    sim->scheme->layout(layout, &sim->system, sim->work ? sim->work : measuring);
}

/* Tapes for every mask that will be evaluated: those of the scheme and of this file, without the constants. */
static carom_status prepare(const carom_scheme *scheme, const carom_model *model, carom_error *error)
{
    const carom_evaluator *e = carom_model_evaluator(model);
    unsigned all = wanted(scheme, model), constant = model->constant & all & ~(unsigned)(CAROM_FORCE | CAROM_STOP);
    const unsigned rows = CAROM_MASS | CAROM_JACOBIAN;
    const unsigned own[] = {CAROM_GAP, CAROM_JACOBIAN, CAROM_GAP | CAROM_JACOBIAN, CAROM_LAW, CAROM_ENERGY,
                            rows, rows | CAROM_FORCE, all & CAROM_STOP, 0};
    const unsigned *const lists[] = {own, scheme->requests};
    CAROM_TRY(e->prepare(model, constant, error));
    for (int k = 0; k < CAROM_COUNT(lists); k++)
        for (const unsigned *r = lists[k]; *r; r++) {
            if (all & CAROM_MARGIN && *r & CAROM_R_Q) /* by differences: contact/gradients.c */
                continue;
            CAROM_TRY(e->prepare(model, *r & ~constant, error));
            if (all & CAROM_SWITCH && k > 0)
                CAROM_TRY(e->prepare(model, (*r & ~constant) | CAROM_SWITCH, error));
        }
    CAROM_TRY(e->prepare(model, all & CAROM_MARGIN, error));
    if (all & CAROM_SWITCH) {
        CAROM_TRY(e->prepare(model, CAROM_SWITCH, error));
        CAROM_TRY(e->prepare(model, CAROM_ENERGY | CAROM_SWITCH, error));
    }
    return CAROM_OK;
}

/* Does the scheme know the rule of impacts and the laws that the model asks for? Nothing is put in their place. */
static carom_status conventions(const carom_scheme *scheme, const carom_model *model, carom_error *error)
{
    const carom_impact_rule *rule = carom_impact_rule_of(model);
    char name[32];
    bool knows = rule == &carom_rule_simultaneous;
    for (int i = 0; rule && scheme->rules && scheme->rules[i]; i++)
        knows |= scheme->rules[i] == rule;
    if (!rule)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "there is no rule '%s' for impacts", model->impacts);
    if (!knows && (model->ncontact > 1 || rule->single))
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "scheme '%s' does not know %s impacts: they are resolved at an instant%s; tolerance and mixed do",
                   scheme->method.name, rule->method.name,
                   scheme->traits & CAROM_LOCATES_EVENTS ? ""
                   : rule == &carom_rule_poisson
                       ? ", in steps the expansion would give back what holds a contact at rest and shake it"
                       : ", steps take all that happens in them at once");
    unsigned speeds = carom_model_any_speeds(model) & ~scheme->laws;
    if (speeds)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "scheme '%s' does not know coefficients that depend on %s, as those of a contact of the model do",
                   scheme->method.name, speeds & CAROM_LAW_BY_APPROACH ? "approach" : "slip");
    if (model->links) /* its contacts are looked at when they are found */
        return CAROM_OK;
    if (rule->accepts && model->ncontact)
        CAROM_TRY(rule->accepts(model, error));
    for (int i = 0; i < model->ncontact; i++) {
        const carom_law *law = carom_model_law(model, i);
        unsigned more = carom_law_needs(law) & ~scheme->laws;
        if (more)
            CAROM_FAIL(error, CAROM_UNSUPPORTED, "scheme '%s' does not know the law '%s' of contact '%s': %s",
                       scheme->method.name, law->method.name, carom_model_contact_name(model, i, name),
                       more & CAROM_LAW_PULLS   ? "contacts that pull"
                       : more & CAROM_LAW_ALONG ? "friction without a normal force"
                                                : "friction that is not opposite to the slip");
    }
    return CAROM_OK;
}

static carom_status choose(carom_sim *sim, const carom_model *model, const carom_options *options, carom_error *error)
{
    sim->model = model;
    carom_options *o = &sim->options;
    if (options)
        CAROM_SIZED(options, carom_options, error);
    sim->options = options ? *options : carom_options_default();
    CAROM_TRY(carom_options_check(o, &sim->scheme, &sim->contacts.solver, error));
    if (o->t_end == 0)
        o->t_end = model->period > 0 ? model->period : 1;
    if (o->h == 0)
        o->h = o->t_end / 1000;
    if (!(o->h > 0 && o->h <= 1e300))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "the step h = %g is not a positive number", o->h);
    CAROM_TRY(carom_model_validate(model, error));
    if (model->links && !(sim->scheme->traits & CAROM_FOLLOWS_LINKS))
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "model '%s' finds its contacts step by step; scheme '%s' needs to know them all "
                   "(contacts: formulas)",
                   model->name ? model->name : "", sim->scheme->method.name);
    CAROM_TRY(conventions(sim->scheme, model, error));
    if (sim->scheme->accepts)
        CAROM_TRY(sim->scheme->accepts(model, o->scheme_field, error));
    return prepare(sim->scheme, model, error);
}

void carom_sim_wire(carom_sim *sim)
{
    sim->system.info = &sim->info;
    sim->advance = sim->model->links ? carom_sim_step_linked : sim->arena ? carom_sim_step_roomy : sim->scheme->step;
    sim->contacts.solve.arena = sim->arena;
    sim->contacts.solve.field = sim->contacts.solver ? sim->options.solver_field : NULL;
    sim->contacts.solve.tol = sim->options.contact_tol;
    sim->contacts.accept =
        sim->model->links && !carom_scheme_is(&sim->options, CAROM_LOCATES_EVENTS) ? sim->options.contact_accept : 0;
    sim->contacts.solve.threads = sim->options.threads;
    sim->record.account = sim->options.energy;
    sim->certificate.exact = carom_scheme_is(&sim->options, CAROM_LOCATES_EVENTS);
    sim->certificate.keeps = carom_scheme_is(&sim->options, CAROM_KEEPS_TOLERANCE);
    sim->certificate.nodal = carom_scheme_is(&sim->options, CAROM_NODAL);
    sim->certificate.on = sim->certificate.exact || sim->options.certify;
    sim->record.observed = sim->certificate.on;
    sim->step = (carom_step){
        .system = &sim->system, .contacts = &sim->contacts, .options = &sim->options,
        .field = sim->options.scheme_field,
        .atol = sim->atol,
        .now = &sim->now.state, .next = &sim->next.state, .modes = sim->now.modes, .modes_next = sim->next.modes,
        .memory = sim->now.memory, .memory_next = sim->next.memory,
        .t_low = &sim->now.clock->t_low, .t_low_next = &sim->next.clock->t_low,
        .work = sim->work, .record = &sim->record, .error = &sim->error,
    };
}

/* One block for the simulation and its arrays, or (contacts are found) one for each: the second is replaced by larger
 * ones. NULL: no memory. */
static carom_sim *make_blocks(carom_sim *measure)
{
    const bool apart = measure->model->links;
    carom_layout alone = {0}, own, arrays = {0};
    carom_place(apart ? &alone : &measure->layout, sizeof *measure);
    carom_sim_place(&measure->layout, measure);
    if (!carom_layout_new(&own, apart ? &alone : &measure->layout))
        return NULL;
    if (apart && !carom_layout_new(&arrays, &measure->layout)) {
        carom_layout_free(own);
        return NULL;
    }
    carom_sim *sim = carom_place(&own, sizeof *sim);
    *sim = (carom_sim){.model = measure->model, .scheme = measure->scheme, .options = measure->options,
                       .contacts.solver = measure->contacts.solver};
    carom_sim_place(apart ? &arrays : &own, sim);
    sim->layout = own, sim->more = arrays;
    return sim;
}

carom_status carom_sim_new(carom_sim **result, const carom_model *model, const carom_options *options,
                           carom_error *error)
{
    carom_sim measure = {0}, *sim = NULL;
    CAROM_NEED(result, error);
    *result = NULL;
    CAROM_SIZED(model, carom_model, error);
    CAROM_TRY(choose(&measure, model, options, error));
    if (!(sim = make_blocks(&measure)))
        CAROM_FAIL(error, CAROM_NO_MEMORY,
                   "no memory for a simulation of %.3g bytes with '%s': %d velocities, %d rows of joints and contacts",
                   (double)measure.layout.used, measure.options.scheme, model->nv, measure.system.nrow);
    bool room = carom_room_make(&sim->room, sim->system.njoint + CAROM_SMALL_ROWS);
    bool several = model->links || sim->system.nlink > 1; /* a single contact has a solution of its own */
    sim->arena = several ? carom_arena_new(0) : NULL;
    sim->system.couplings = model->ncoupling ? carom_couplings_new(model) : NULL;
    carom_sim_wire(sim);
    carom_status status = carom_atol_values(&sim->options, model, sim->atol, &sim->error);
    if (!room || (several && !sim->arena) || (model->ncoupling && !sim->system.couplings))
        status = carom_fail(&sim->error, CAROM_NO_MEMORY, "no memory for the solvers of contact problems");
    if (status == CAROM_OK)
        status = carom_sim_restart(sim, NULL, NULL, NULL);
    if (status != CAROM_OK) {
        if (error)
            *error = sim->error;
        carom_sim_free(sim);
        return status;
    }
    *result = sim;
    return CAROM_OK;
}

void carom_sim_free(carom_sim *sim)
{
    if (!sim)
        return;
    carom_couplings_free(sim->system.couplings);
    carom_arena_free(sim->arena);
    carom_room_free(&sim->room);
    carom_layout_free(sim->more);
    carom_layout_free(sim->layout);
}

static double energy(carom_sim *sim)
{
    const carom_state *s = &sim->now.state;
    carom_system_eval(&sim->system, CAROM_ENERGY, s->t, s->q, s->v);
    return sim->system.at.energy[0] + sim->system.at.energy[1];
}

static void measure_penetration(carom_sim *sim)
{
    const carom_state *s = &sim->now.state;
    sim->record.penetration = 0;
    if (sim->system.model->ncontact == 0)
        return;
    carom_system_eval(&sim->system, CAROM_GAP, s->t, s->q, s->v);
    for (int i = sim->system.njoint; i < sim->system.nlink; i++)
        sim->record.penetration = fmax(sim->record.penetration, -sim->system.at.g[i]);
    sim->info.max_penetration = fmax(sim->info.max_penetration, sim->record.penetration);
}

void carom_sim_sync_time(carom_sim *sim)
{
    sim->now.state.t = sim->now.clock->t;
    if (sim->now.id)
        sim->now.state.ncontact = (int)sim->now.id[0];
}

carom_status carom_sim_restart(carom_sim *sim, const double *q, const double *v, const double *p)
{
    CAROM_NEED(sim, NULL);
    const carom_model *m = sim->model;
    carom_state *s = &sim->now.state;
    memset(sim->now.clock, 0, sim->state_bytes);
    memset(&sim->info, 0, sizeof sim->info);
    sim->interrupted = 0;
    *sim->note = 0;
    sim->slides = sim->shares = false;
    sim->certificate.unseen = 0;
    sim->now.clock->h = sim->options.h;
    memcpy(s->q, q ? q : m->q, sizeof(double) * (size_t)m->nq);
    if (v || m->v)
        memcpy(s->v, v ? v : m->v, sizeof(double) * (size_t)m->nv);
    if (m->np)
        memcpy(sim->system.p, p ? p : m->p, sizeof(double) * (size_t)m->np);
    if (!carom_all_finite(m->nq, s->q) || !carom_all_finite(m->nv, s->v) || !carom_all_finite(m->np, sim->system.p))
        CAROM_FAIL(&sim->error, CAROM_NOT_FINITE, "an initial value or parameter is not finite");
    carom_sim_sync_time(sim);
    if (m->links)
        CAROM_TRY(carom_sim_find(sim));
    carom_system_begin(&sim->system, s->t, s->q, s->v);
    carom_contact_start(&sim->system, s);
    carom_modes_start(sim->nmodes, s->mode, sim->now.modes);
    if (sim->scheme->start) {
        CAROM_TRY(carom_sim_start_scheme(sim));
        sim->now.clock->h = sim->step.h_next > 0 ? sim->step.h_next : sim->now.clock->h;
    }
    if (sim->options.energy) {
        sim->info.energy_initial = energy(sim);
        measure_penetration(sim);
    }
    return CAROM_OK;
}

/* ---- stepping ---------------------------------------------------------------------------------------- */

static void account(carom_sim *sim)
{
    carom_record *record = &sim->record;
    carom_info *info = &sim->info;
    info->work_external += record->work_external;
    info->work_constraints += record->work_constraints;
    info->dissipated_impact += record->impact;
    info->dissipated_friction += record->friction;
    info->dissipated_viscous += record->viscous;
    info->dissipated_dry += record->dry;
    measure_penetration(sim);
    if (record->nsegment) {
        record->segment[record->nsegment - 1].penetration = record->penetration;
        record->segment[record->nsegment - 1].energy = energy(sim);
    }
}

/* The next state becomes the present one. Word by word where it is small: the words have just been written one by
 * one, and a wide load has to wait until all of them have arrived. */
static inline __attribute__((always_inline)) void take_over(carom_sim *sim)
{
    typedef uint64_t __attribute__((may_alias)) word;
    size_t words = sim->state_bytes / sizeof(word);
    word *to = (word *)(void *)sim->now.clock;
    const word *from = (const word *)(const void *)sim->next.clock;
    if (sim->now.id) {
        carom_sim_copy_state(sim, &sim->next, &sim->now);
    } else if (words > 32) {
        memcpy(to, from, sim->state_bytes);
    } else {
        for (; words >= 8; words -= 8, to += 8, from += 8) {
            to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];
            to[4] = from[4], to[5] = from[5], to[6] = from[6], to[7] = from[7];
        }
        if (words >= 4) {
            to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];
            words -= 4, to += 4, from += 4;
        }
        for (; words; words--)
            *to++ = *from++;
    }
    carom_sim_sync_time(sim);
}

static inline __attribute__((always_inline)) void commit(carom_sim *sim)
{
    carom_info *info = &sim->info;
    sim->next.clock->t = sim->next.state.t;
    sim->next.clock->h = sim->step.h_next > 0 ? sim->step.h_next : sim->now.clock->h;
    take_over(sim);
    info->steps++;
    if (sim->record.remarkable)
        carom_sim_record_events(sim);
    if (sim->record.residual > info->max_residual)
        info->max_residual = sim->record.residual;
    if (sim->record.residual > sim->options.contact_tol && sim->contacts.accept > 0)
        carom_sim_note_loose(sim);
    if (sim->record.account)
        account(sim);
    for (int i = 0; i < sim->nobserver; i++)
        carom_record_tell(&sim->record, &sim->observer[i]);
}

static inline __attribute__((always_inline)) carom_status attempt(carom_sim *sim, double h)
{
    carom_record_clear(&sim->record);
    sim->step.h = h;
    sim->step.h_next = 0;
    return sim->advance(&sim->step);
}

/* Gaps at the end of a step that has seen others. */
static __attribute__((noinline)) carom_status finite_gaps(carom_sim *sim)
{
    const carom_state *s = &sim->next.state;
    carom_system_eval(&sim->system, CAROM_GAP, s->t, s->q, s->v);
    if (!carom_gaps_finite(&sim->system))
        CAROM_FAIL(&sim->error, CAROM_NOT_FINITE, "a gap is not finite at t = %.10g", s->t);
    return CAROM_OK;
}

/* Is the step that was attempted one? Schemes take a gap that is NaN for an open contact. */
static inline __attribute__((always_inline)) carom_status certify(carom_sim *sim)
{
    if (__builtin_expect(!carom_gaps_finite(&sim->system), false))
        CAROM_TRY(finite_gaps(sim));
    return sim->certificate.on ? carom_certificate_check(&sim->certificate, &sim->step) : CAROM_OK;
}

/* A step that failed is made again under a watch, for a better reason. */
static __attribute__((noinline)) carom_status explain(carom_sim *sim, double h, carom_status status)
{
    bool large = sim->system.blocks.n && (status == CAROM_NOT_CONVERGED || status == CAROM_NO_SOLUTION); /* and long */
    if (status == CAROM_INTERRUPTED || status == CAROM_NO_MEMORY || large)
        return status;
    const carom_error error = sim->error;
    const carom_info info = sim->info;
    carom_watch watch;
    carom_watch_begin(&watch, &sim->system);
    if (attempt(sim, h) == CAROM_OK)
        certify(sim);
    sim->error = error;
    sim->info = info;
    return carom_watch_end(&watch, status, &sim->error);
}

carom_status carom_sim_step(carom_sim *sim)
{
    if (!sim)
        return CAROM_BAD_ARGUMENT;
    const double h = sim->now.clock->h;
    carom_status status = attempt(sim, h);
    if (status == CAROM_OK)
        status = certify(sim);
    if (status != CAROM_OK)
        return explain(sim, h, status);
    commit(sim);
    return CAROM_OK;
}

static bool stops(carom_sim *sim, const carom_state *s)
{
    carom_system_eval(&sim->system, CAROM_STOP, s->t, s->q, s->v);
    return sim->system.at.stop[0] != 0;
}

/* The shortest step at whose end the model's stop condition holds, by bisection on steps from `now`. */
static carom_status step_to_stop(carom_sim *sim, double h)
{
    double before = 0, after = h;
    for (int k = 0; k < 60 && after - before > 1e-14 * h; k++) {
        double middle = 0.5 * (before + after);
        CAROM_TRY(attempt(sim, middle));
        *(stops(sim, &sim->next.state) ? &after : &before) = middle;
    }
    return attempt(sim, after);
}

/* A step of h, or a shorter one to where the stop condition holds; not committed. */
static inline carom_status step_of(carom_sim *sim, double h, bool watch, bool *stop)
{
    CAROM_TRY(attempt(sim, h));
    *stop = watch && stops(sim, &sim->next.state);
    if (*stop && isnan(sim->system.at.stop[0]))
        CAROM_FAIL(&sim->error, CAROM_NOT_FINITE, "the stop condition is not a number at t = %.10g",
                   sim->next.state.t);
    if (*stop)
        CAROM_TRY(step_to_stop(sim, h));
    return certify(sim);
}

static carom_status step_until(carom_sim *sim, double t_end)
{
    bool watch = sim->model->stops || sim->model->stop;
    if (watch && stops(sim, &sim->now.state))
        return CAROM_STOPPED;
    for (;;) {
        const carom_clock *clock = sim->now.clock;
        double left = (t_end - clock->t) - clock->t_low, h = clock->h;
        if (!(left > 1e-12 * h) || clock->t + left == clock->t) /* reached, to rounding of the time */
            return CAROM_OK;
        if (sim->interrupted || (sim->stop && sim->stop(sim->stop_user)))
            return CAROM_INTERRUPTED;
        if (left <= h * (1 + 1e-6))
            h = left;
        if (clock->t + h == clock->t)
            CAROM_FAIL(&sim->error, CAROM_TOLERANCE, "the step h = %.3g is lost in rounding at t = %.17g", h, clock->t);
        bool stop;
        carom_status status = step_of(sim, h, watch, &stop);
        if (status != CAROM_OK)
            return explain(sim, h, status);
        commit(sim);
        if (stop)
            return CAROM_STOPPED;
    }
}

carom_status carom_sim_run(carom_sim *sim, double t_end)
{
    CAROM_NEED(sim, NULL);
    if (isnan(t_end))
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "the end of a run is not a number");
    sim->contacts.solve.cancel = sim->arena ? &sim->interrupted : NULL; /* steps alone are made to their end */
    carom_status status = step_until(sim, t_end);
    sim->contacts.solve.cancel = NULL;
    return status;
}

carom_status carom_sim_pass(const carom_sim *sim, carom_status status, carom_error *error)
{
    if (status == CAROM_STOPPED)
        CAROM_FAIL(error, status, "the stop condition of the model ends the run at t = %.6g", carom_sim_state(sim)->t);
    if (status != CAROM_OK && error)
        *error = sim->error;
    return status;
}

carom_status carom_sim_reach(carom_sim *sim, double t, carom_error *error)
{
    return carom_sim_pass(sim, carom_sim_run(sim, t), error);
}

/* ---- access ------------------------------------------------------------------------------------------ */

carom_status carom_sim_observe(carom_sim *sim, const carom_observer *observer)
{
    CAROM_NEED(sim, NULL);
    CAROM_SIZED(observer, carom_observer, &sim->error);
    if (sim->nobserver == CAROM_OBSERVERS)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "more than %d observers", CAROM_OBSERVERS);
    sim->observer[sim->nobserver++] = *observer;
    sim->record.observed = true;
    return CAROM_OK;
}

void carom_sim_set_interrupt(carom_sim *sim, bool (*stop)(void *user), void *user)
{
    sim->stop = stop;
    sim->stop_user = user;
}

void carom_sim_interrupt(carom_sim *sim)
{
    if (sim)
        sim->interrupted = 1;
}

const carom_state *carom_sim_state(const carom_sim *sim)
{
    return sim ? &sim->now.state : NULL;
}

const carom_error *carom_sim_error(const carom_sim *sim)
{
    return sim ? &sim->error : NULL;
}

const carom_options *carom_sim_options(const carom_sim *sim)
{
    return sim ? &sim->options : NULL;
}

carom_status carom_sim_dump(carom_sim *sim, const char *path)
{
    CAROM_NEED(sim, NULL);
    CAROM_NEED(path, &sim->error);
    if (sim->error.status != CAROM_NO_SOLUTION && sim->error.status != CAROM_NOT_CONVERGED)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "no contact problem has failed");
    FILE *file = fopen(path, "w");
    if (!file)
        CAROM_FAIL(&sim->error, CAROM_FILE, "%s: %s", path, strerror(errno));
    carom_status status = carom_problem_dump(&sim->contacts.problem, sim->contacts.solve.x, file);
    if (fclose(file) != 0 || status != CAROM_OK)
        CAROM_FAIL(&sim->error, CAROM_FILE, "%s: %s", path, strerror(errno));
    return CAROM_OK;
}

const carom_info *carom_sim_info(carom_sim *sim)
{
    if (!sim)
        return NULL;
    carom_info *i = &sim->info;
    if (sim->options.energy) {
        i->energy_final = energy(sim);
        i->balance_error = i->energy_final - i->energy_initial - i->work_external - i->work_constraints +
                           i->dissipated_impact + i->dissipated_friction + i->dissipated_viscous + i->dissipated_dry;
    }
    return i;
}
