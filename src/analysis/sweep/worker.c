/* worker.c: a model and a simulation of its own for one thread, set to one point after the other.
 *
 * A point sets all axes at once, so nothing of the point before is left. Settings and the period of a model file may
 * depend on its parameters: they are read anew at every point, and the simulation is made anew when they changed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep/sweep.h"

/* A point that takes long must not hold up the end of a sweep. */
static void watch(void *user, const carom_segment *segment)
{
    carom_sweep_worker *w = user;
    (void)segment;
    if (w->stop && w->stop(w->user))
        carom_sim_interrupt(w->sim);
}

carom_status carom_sweep_options(const carom_sweep *s, const carom_model *model, carom_options *options,
                                 carom_error *error)
{
    *options = carom_options_default();
    CAROM_TRY(carom_options_from_model(options, model, error));
    for (int pass = 0; pass < 2; pass++) /* a field belongs to its method: methods first */
        for (int i = 0; i < s->nsetting; i++) {
            const char *key = s->setting[i].key;
            bool method = !strcmp(key, "scheme") || !strcmp(key, "solver");
            if (method == (pass == 0))
                CAROM_TRY(carom_options_set(options, key, s->setting[i].value, error));
        }
    return CAROM_OK;
}

bool carom_sweep_same_options(const carom_options *a, const carom_options *b)
{
    return !strcmp(a->scheme, b->scheme) && !strcmp(a->solver, b->solver) &&
           !memcmp(a->scheme_field, b->scheme_field, sizeof a->scheme_field) &&
           !memcmp(a->solver_field, b->solver_field, sizeof a->solver_field) && a->h == b->h && a->t_end == b->t_end &&
           a->rtol == b->rtol && a->atol == b->atol && !strcmp(a->atol_of, b->atol_of) &&
           !strcmp(a->atol_of, b->atol_of) && a->newton_tol == b->newton_tol && a->contact_tol == b->contact_tol &&
           a->contact_accept == b->contact_accept &&
           a->newton_max == b->newton_max && a->energy == b->energy;
}

static void detach(carom_sweep_worker *w)
{
    if (w->sim && w->sweep->method->release)
        w->sweep->method->release(w);
    carom_sim_free(w->sim);
    w->sim = NULL;
    memset(w->own, 0, CAROM_MAX(w->sweep->method->bytes, 1));
}

/* A simulation at the start of the present point. */
static carom_status start(carom_sweep_worker *w, carom_error *error)
{
    carom_options options;
    CAROM_TRY(carom_sweep_options(w->sweep, w->model, &options, error));
    if (w->sim && w->source == w->model->source && carom_sweep_same_options(&options, &w->options)) {
        carom_status status = carom_sim_restart(w->sim, NULL, NULL, NULL);
        if (status != CAROM_OK)
            *error = *carom_sim_error(w->sim);
        return status;
    }
    detach(w);
    w->source = w->model->source;
    w->options = options;
    CAROM_TRY(carom_sim_new(&w->sim, w->model, &options, error));
    const carom_observer observer = {.size = sizeof observer, .user = w, .segment = watch};
    carom_status status = carom_sim_observe(w->sim, &observer);
    if (status == CAROM_OK && w->sweep->method->attach)
        status = w->sweep->method->attach(w, error);
    if (status != CAROM_OK)
        detach(w);
    return status;
}

carom_status carom_sweep_model(const carom_sweep *s, carom_model **model, carom_error *error)
{
    carom_load_options load = s->load; /* sized by the sweep around it */
    load.size = sizeof load;
    CAROM_TRY(s->path ? carom_model_load(model, s->path, &load, error) : carom_model_copy(model, s->model, error));
    return s->nfixed ? carom_model_set(*model, s->fixed, s->fixed_value, s->nfixed, error) : CAROM_OK;
}

static carom_status make(carom_sweep_worker *w, carom_error *error)
{
    const carom_sweep *s = w->sweep;
    w->own = calloc(1, CAROM_MAX(s->method->bytes, 1));
    if (!w->own)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a worker");
    CAROM_TRY(carom_sweep_model(s, &w->model, error));
    carom_options options;
    CAROM_TRY(carom_sweep_options(w->sweep, w->model, &options, error));
    carom_status status = start(w, error); /* the model as it stands may be no good start, and yet the points are */
    return status == CAROM_BAD_OPTION || status == CAROM_UNSUPPORTED || status == CAROM_BAD_ARGUMENT ||
                   status == CAROM_NO_MEMORY
               ? status
               : CAROM_OK;
}

carom_status carom_sweep_worker_new(carom_sweep_worker **worker, const carom_sweep *sweep, carom_error *error)
{
    carom_sweep_worker *w = calloc(1, sizeof *w);
    *worker = NULL;
    if (!w)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a worker");
    w->sweep = sweep;
    carom_status status = make(w, error);
    if (status != CAROM_OK) {
        carom_sweep_worker_free(w);
        return status;
    }
    *worker = w;
    return CAROM_OK;
}

void carom_sweep_worker_free(carom_sweep_worker *w)
{
    if (!w)
        return;
    if (w->own)
        detach(w);
    free(w->own);
    carom_sweep_lanes_free(w->lanes);
    carom_model_free(w->model);
    free(w);
}

carom_status carom_sweep_worker_set(carom_sweep_worker *w, long long index, carom_error *error)
{
    const carom_sweep *s = w->sweep;
    const char *names[CAROM_SWEEP_AXES];
    double x[CAROM_SWEEP_AXES];
    carom_sweep_point(s, index, x);
    for (int k = 0; k < s->naxis; k++)
        names[k] = s->axis[k].name;
    w->index = index;
    return carom_model_set(w->model, names, x, s->naxis, error);
}

static carom_status compute(carom_sweep_worker *w, long long index, double *value, carom_error *error)
{
    CAROM_TRY(carom_sweep_worker_set(w, index, error));
    CAROM_TRY(start(w, error));
    return w->sweep->method->point(w, value, error);
}

bool carom_sweep_worker_run(carom_sweep_worker *w, carom_sweep_row *row)
{
    const carom_sweep *s = w->sweep;
    carom_error error = {0};
    for (int k = 0; k < s->ncolumn; k++)
        row->value[k] = NAN;
    if (w->stop && w->stop(w->user))
        return false;
    errno = 0;
    row->status = compute(w, row->index, row->value, &error);
    if (errno == ENOMEM && row->status != CAROM_NO_MEMORY) /* an expression was not evaluated */
        row->status = carom_fail(&error, CAROM_NO_MEMORY, "out of memory for an expression");
    row->text[0] = 0;
    if (row->status == CAROM_INTERRUPTED)
        return false;
    if (row->status == CAROM_OK || row->status == CAROM_STOPPED)
        for (int k = 0; k < s->ncolumn; k++)
            row->value[k] += 0.0; /* one zero and one NaN: a store need not tell two of them apart */
    else {
        const char *why = error.text[0] ? error.text : carom_status_text(row->status);
        snprintf(row->text, sizeof row->text, "%.*s", (int)strcspn(why, "\n"), why);
        for (int k = 0; k < s->ncolumn; k++)
            row->value[k] = NAN;
    }
    return true;
}

carom_status carom_sweep_worker_advance(carom_sweep_worker *w, double t, carom_error *error)
{
    carom_status status = carom_sim_run(w->sim, t);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        *error = *carom_sim_error(w->sim);
    return status;
}

carom_status carom_sweep_worker_span(const carom_sweep_worker *w, const carom_options *options, double *transient,
                                     double *end, carom_error *error)
{
    const carom_sweep_span *span = &w->sweep->span;
    double unit = span->unit == CAROM_SPAN_PERIODS ? w->model->period : 1;
    if (!(unit > 0))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "the model '%s' has no period: give a time", w->model->name);
    *transient = unit * span->transient;
    *end = *transient + unit * span->length;
    if (span->unit == CAROM_SPAN_RUN)
        /* as a simulation has it */
        *end = options->t_end > 0 ? options->t_end : w->model->period > 0 ? w->model->period : 1;
    if (!(*end > *transient))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "the transient %g leaves nothing of a run until t = %g", *transient, *end);
    return CAROM_OK;
}
