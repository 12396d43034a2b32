/* notes.c: what a reader of the results must know: where they depend on a convention, not only on the method. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "sim/sim.h"

static void append(carom_sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(carom_sim *sim, const char *format, ...)
{
    size_t n = strlen(sim->note);
    va_list list;
    va_start(list, format);
    if (n)
        n += (size_t)snprintf(sim->note + n, sizeof sim->note - n, "; ");
    if (n < sizeof sim->note)
        vsnprintf(sim->note + n, sizeof sim->note - n, format, list);
    va_end(list);
}

void carom_sim_write_note(carom_sim *sim)
{
    const carom_info *info = &sim->info;
    *sim->note = 0;
    if (sim->slides)
        append(sim, "from t = %.6g on a force is held between two of its branches: the motion keeps to their border",
               sim->slide_time);
    if (sim->shares)
        append(sim,
               "from t = %.6g on contacts that slip share a force in a way that the equations leave open: the normal "
               "forces of least norm are taken, and the motion depends on that choice",
               sim->share_time);
    if (info->law_difference > 0)
        append(sim,
               "several contacts are struck at once, first at t = %.6g: the simultaneous and the sequential law differ "
               "there by up to %.2g in velocity, and the result beyond depends on the law",
               info->law_time, info->law_difference);
    if (info->impact_gain > 0)
        append(sim,
               "impacts gain the energy %.3g in all, first at t = %.6g: their rule does not forbid it with friction or "
               "with different coefficients of restitution",
               info->impact_gain, info->gain_time);
    if (info->loose > 0)
        append(sim,
               "in %ld step%s, first at t = %.6g, contact problems got no better than %.2g at worst: more than "
               "contact_tol = %.2g, but within contact_accept = %.2g",
               info->loose, info->loose == 1 ? "" : "s", info->loose_time, info->max_residual,
               sim->options.contact_tol, sim->options.contact_accept);
    if (info->grazing > 0)
        append(sim,
               "impacts that nearly graze, first at t = %.6g: errors of position within the tolerance are up to %.2g "
               "of their velocity, and impacts after them may be missed",
               info->graze_time, info->grazing);
}

/* Several contacts were struck at once: from here on the motion depends on the law, not only on the tolerance. */
static void note_laws(carom_sim *sim)
{
    carom_info *info = &sim->info;
    double difference = sim->record.law_difference;
    if (difference <= 10 * (sim->options.atol + sim->options.rtol * carom_norm_max(sim->system.nv, sim->now.state.v)))
        return;
    if (info->law_difference == 0)
        info->law_time = sim->record.law_time;
    info->law_difference = fmax(info->law_difference, difference);
    carom_sim_write_note(sim);
}

static void note_slide(carom_sim *sim)
{
    if (sim->slides)
        return;
    sim->slides = true, sim->slide_time = sim->record.slide_time;
    carom_sim_write_note(sim);
}

static void note_share(carom_sim *sim)
{
    if (sim->shares)
        return;
    sim->shares = true, sim->share_time = sim->record.share_time;
    carom_sim_write_note(sim);
}

static void note_gain(carom_sim *sim)
{
    if (sim->info.impact_gain == 0)
        sim->info.gain_time = sim->record.gain_time;
    sim->info.impact_gain += sim->record.gained;
    carom_sim_write_note(sim);
}

static void note_grazing(carom_sim *sim)
{
    if (sim->info.grazing == 0)
        sim->info.graze_time = sim->record.graze_time;
    sim->info.grazing = fmax(sim->info.grazing, sim->record.grazing);
    carom_sim_write_note(sim);
}

void carom_sim_note_loose(carom_sim *sim)
{
    if (sim->info.loose++ == 0)
        sim->info.loose_time = sim->now.state.t;
    carom_sim_write_note(sim);
}

void carom_sim_record_events(carom_sim *sim)
{
    carom_info *info = &sim->info;
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        info->events[i] += sim->record.count[i];
    info->switches += sim->record.switches;
    for (int i = 0; i < sim->record.nzeno; i++, info->nzeno++)
        if (info->nzeno < CAROM_ZENO_MAX)
            info->zeno[info->nzeno] = sim->record.zeno[i];
    if (sim->record.law_difference > 0)
        note_laws(sim);
    if (sim->record.slides)
        note_slide(sim);
    if (sim->record.shares)
        note_share(sim);
    if (sim->record.gained > 0)
        note_gain(sim);
    if (sim->record.grazing > 0)
        note_grazing(sim);
}

const char *carom_sim_note(const carom_sim *sim)
{
    return sim ? sim->note : "";
}
