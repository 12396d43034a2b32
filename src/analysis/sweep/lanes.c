/* lanes.c: exponents of many points at once, on the eight lanes of an ensemble.
 *
 * The ensemble has a model of its own, which stands at the first point of the sweep; points hand over their initial
 * values and parameters. Points at which the options of a run differ from those of the first, motions that lose
 * directions (perhaps in the transient only, where the columns of a lane have begun already), and models or schemes
 * that ensembles do not take, are left to carom_lyapunov_run. Which of the two computes a point depends on the point
 * alone. Averages are those of analysis/lyapunov/statistics.c in both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lanes/ensemble.h"
#include "analysis/lyapunov/lyapunov.h"
#include "analysis/sweep/sweep.h"

enum { BLOCKS = 100 };

typedef struct slot {
    long long index;
    bool given, done;
    double *start; /* [2 nv + np] q, v, p */
    double period;
    carom_sweep_exponent result;
    char text[CAROM_SWEEP_TEXT];
} slot;

typedef struct carom_sweep_lanes {
    carom_model *model;
    carom_options options;
    carom_ensemble *ensemble; /* NULL: not for this model or scheme */
    const carom_sweep_worker *worker;
    slot slot[CAROM_SWEEP_CHUNK];
    double *starts;
    int n, next;
} carom_sweep_lanes;

carom_status carom_sweep_exponent_span(const carom_sweep_worker *w, const carom_options *options, long *transient,
                                       long *length, carom_error *error)
{
    const double unit = w->model->period > 0 ? w->model->period : 1;
    double before, end;
    CAROM_TRY(carom_sweep_worker_span(w, options, &before, &end, error));
    *transient = (long)floor(before / unit + 0.5);
    *length = CAROM_MAX((long)floor((end - before) / unit + 0.5), 1);
    return CAROM_OK;
}

/* ---- set-up ---- */

static carom_status stand(carom_sweep_lanes *l, const carom_sweep *s, carom_error *error)
{
    const char *names[CAROM_SWEEP_AXES];
    double x[CAROM_SWEEP_AXES];
    CAROM_TRY(carom_sweep_model(s, &l->model, error));
    carom_sweep_point(s, 0, x);
    for (int k = 0; k < s->naxis; k++)
        names[k] = s->axis[k].name;
    carom_model_set(l->model, names, x, s->naxis, NULL); /* no start there: then at the model's own */
    CAROM_TRY(carom_sweep_options(s, l->model, &l->options, error));
    return carom_ensemble_new(&l->ensemble, l->model, &l->options, 1, error);
}

static carom_sweep_lanes *make(carom_sweep_worker *w)
{
    carom_sweep_lanes *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->worker = w;
    carom_error error;
    if (stand(l, w->sweep, &error) != CAROM_OK)
        return l;
    const size_t each = (size_t)(2 * l->model->nv + l->model->np);
    l->starts = calloc(CAROM_SWEEP_CHUNK * each, sizeof *l->starts);
    if (!l->starts) {
        carom_ensemble_free(l->ensemble);
        l->ensemble = NULL;
        return l;
    }
    for (size_t i = 0; i < CAROM_SWEEP_CHUNK; i++)
        l->slot[i].start = l->starts + i * each;
    return l;
}

void carom_sweep_lanes_free(carom_sweep_lanes *l)
{
    if (!l)
        return;
    carom_ensemble_free(l->ensemble);
    carom_model_free(l->model);
    free(l->starts);
    free(l);
}

/* ---- jobs ---- */

/* Reads the point off the worker's model; false: it is not one for the lanes. */
static bool prepare(carom_sweep_lanes *l, carom_sweep_worker *w, slot *s)
{
    carom_error error;
    carom_options options;
    const carom_model *m = w->model;
    if (carom_sweep_worker_set(w, s->index, &error) != CAROM_OK ||
        carom_sweep_options(w->sweep, m, &options, &error) != CAROM_OK)
        return false;
    if (m->np != l->model->np || !carom_sweep_same_options(&options, &l->options) ||
        carom_sweep_exponent_span(w, &options, &s->result.transient, &s->result.length, &error) != CAROM_OK)
        return false;
    const size_t nv = (size_t)m->nv, np = (size_t)m->np;
    memcpy(s->start, m->q, sizeof(double) * nv);
    for (size_t i = 0; i < nv; i++)
        s->start[nv + i] = m->v ? m->v[i] : 0;
    if (np)
        memcpy(s->start + 2 * nv, m->p, sizeof(double) * np);
    s->period = m->period > 0 ? m->period : 1;
    return true;
}

static bool next(void *user, carom_job *job)
{
    carom_sweep_lanes *l = user;
    while (l->next < l->n && !l->slot[l->next].given)
        l->next++;
    if (l->next >= l->n)
        return false;
    const slot *s = &l->slot[l->next];
    const int nv = l->model->nv;
    *job = (carom_job){.id = l->next++, .q = s->start, .v = s->start + nv, .p = s->start + 2 * nv, .strobe = s->period,
                       .transient = s->result.transient, .strobes = s->result.length, .blocks = BLOCKS};
    return true;
}

static bool stop(void *user)
{
    const carom_sweep_worker *w = ((carom_sweep_lanes *)user)->worker;
    return w->stop && w->stop(w->user);
}

static void done(void *user, const carom_job_result *result)
{
    carom_sweep_lanes *l = user;
    slot *s = &l->slot[result->id];
    double error;
    s->done = !(result->flags & CAROM_TANGENT_RANK);
    s->result.status = result->status;
    s->result.text = s->text;
    snprintf(s->text, sizeof s->text, "%s", result->text);
    s->result.impacts = (double)result->impacts;
    s->result.largest = NAN;
    if (result->averages && result->averages->done)
        carom_averages_end(result->averages, &s->result.largest, &error);
}

void carom_sweep_lanes_ahead(carom_sweep_worker *w, const long long *index, int n)
{
    if (!w->lanes)
        w->lanes = make(w);
    carom_sweep_lanes *l = w->lanes;
    if (!l || !l->ensemble)
        return;
    const carom_ensemble_calls calls = {.user = l, .next = next, .done = done, .stop = stop};
    l->n = n, l->next = 0;
    for (int i = 0; i < n; i++) {
        slot *s = &l->slot[i];
        s->index = index[i];
        s->done = false;
        s->given = prepare(l, w, s);
    }
    carom_ensemble_run(l->ensemble, &calls);
}

const carom_sweep_exponent *carom_sweep_lanes_find(const carom_sweep_worker *w, long long index)
{
    const carom_sweep_lanes *l = w->lanes;
    for (int i = 0; l && i < l->n; i++)
        if (l->slot[i].index == index && l->slot[i].done)
            return &l->slot[i].result;
    return NULL;
}
