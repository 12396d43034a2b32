/* converge.c: many runs of one model, each compared with a reference, and the orders that follow.
 *
 * A run is a scheme with one step size (or one tolerance); the runs are shared out to threads and write to places of
 * their own, so results do not depend on how many there are. CPU time is that of the thread that ran it, recording
 * included. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge/converge.h"
#include "core/parallel.h"
#include "model/model.h"
#include "schemes/scheme.h"
#include "text/text.h"

typedef struct study {
    const carom_converge_request *r;
    carom_converge_result *result;
    carom_options base;
    carom_options *scheme;      /* [nscheme] base with the scheme */
    carom_reference *reference;
    carom_converge_task *task;  /* [ntask] by scheme, nominal, shift */
    int *first;                 /* [nscheme+1] tasks of each scheme */
    double *error;              /* of the tasks */
    int ntask, shifts, done;
    int left;                   /* tasks that nobody has taken; the finest steps are taken first */
    carom_lock lock;
    int failed;                 /* 1 + the first task that failed; 0: none */
    carom_stop stop;
    bool interrupted;
    carom_journal *journal;
    carom_status status;
    carom_error fault;          /* of the journal */
} study;

static bool by_rtol(const study *s, int scheme)
{
    if (s->r->nh == 0 || s->r->nrtol == 0)
        return s->r->nh == 0;
    return carom_scheme_is(&s->scheme[scheme], CAROM_CHOOSES_STEPS | CAROM_CLOSED_FORM);
}

/* A scheme that chooses its steps has no use for step sizes, the others have none for tolerances. */
static carom_status check_scheme(const study *s, int i, bool tolerances, carom_error *error)
{
    bool chooses = carom_scheme_is(&s->scheme[i], CAROM_CHOOSES_STEPS);
    bool any = carom_scheme_is(&s->scheme[i], CAROM_CLOSED_FORM); /* either says the same */
    if (chooses && !tolerances)
        CAROM_FAIL(error, CAROM_BAD_OPTION,
                   "'%s' chooses its steps by its tolerance: give tolerances (rtol), not step sizes", s->r->schemes[i]);
    if (!chooses && !any && tolerances)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "'%s' has steps of constant length: give step sizes (h), not tolerances",
                   s->r->schemes[i]);
    return CAROM_OK;
}

static carom_status check(const carom_converge_request *r, double t_end, carom_error *error)
{
    carom_norm norm;
    if (r->nscheme < 1 || r->nnorm < 1 || r->nh + r->nrtol < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "nothing to measure: %d schemes, %d norms, %d step sizes and %d tolerances", r->nscheme, r->nnorm,
                   r->nh, r->nrtol);
    for (int k = 0; k < r->nh; k++)
        if (!(r->h[k] > 0 && r->h[k] < 1e300))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "a step size of %g is not possible", r->h[k]);
        else if (r->h[k] > t_end)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "a step size of %g is longer than the run, t_end = %g", r->h[k], t_end);
    for (int k = 0; k < r->nrtol; k++)
        if (!(r->rtol[k] > 0 && r->rtol[k] < 1))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "a tolerance of %g is not possible", r->rtol[k]);
    for (int k = 0; k < r->nnorm; k++)
        CAROM_TRY(carom_norm_parse(&norm, r->norms[k], r->model, error));
    return CAROM_OK;
}

static carom_status plan(study *s, carom_error *error)
{
    const carom_converge_request *r = s->r;
    s->shifts = r->shifts > 0 ? r->shifts : 5;
    s->scheme = calloc((size_t)r->nscheme, sizeof *s->scheme);
    s->first = calloc((size_t)r->nscheme + 1, sizeof *s->first);
    int most = r->nscheme * CAROM_MAX(r->nh, r->nrtol) * s->shifts;
    s->task = calloc((size_t)most, sizeof *s->task);
    s->error = calloc((size_t)(most * r->nnorm), sizeof *s->error);
    if (!s->scheme || !s->first || !s->task || !s->error)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d runs", most);
    for (int i = 0; i < r->nscheme; i++) {
        s->scheme[i] = s->base;
        CAROM_TRY(carom_options_set(&s->scheme[i], "scheme", r->schemes[i], error));
        bool tolerance = by_rtol(s, i);
        CAROM_TRY(check_scheme(s, i, tolerance, error));
        const double *values = tolerance ? r->rtol : r->h;
        for (int k = 0; k < (tolerance ? r->nrtol : r->nh); k++)
            for (int j = 0; j < s->shifts; j++, s->ntask++)
                s->task[s->ntask] = (carom_converge_task){.scheme = i, .by_rtol = tolerance, .nominal = values[k],
                                                          .value = values[k] * carom_converge_shift(j, s->shifts),
                                                          .error = s->error + s->ntask * r->nnorm};
        s->first[i + 1] = s->ntask;
    }
    return CAROM_OK;
}

/* Everything that a row depends on, in one line. */
static char *settings(const study *s)
{
    const carom_converge_request *r = s->r;
    const carom_text_file *file = carom_model_file(r->model);
    unsigned long long hash = 1469598103934665603ULL; /* FNV of the text and the values of the model */
    for (size_t i = 0; file && i < file->length; i++)
        hash = (hash ^ (unsigned char)file->bytes[i]) * 1099511628211ULL;
    hash ^= carom_model_named_files(r->model);
    size_t room = 1000 + 40 * (size_t)(r->nh + r->nrtol + r->model->np + 2 * r->model->nq), used = 0;
    for (int i = 0; i < r->nscheme; i++)
        room += strlen(r->schemes[i]) + 2;
    for (int i = 0; i < r->nnorm; i++)
        room += strlen(r->norms[i]) + 2;
    char *text = malloc(room);
    if (!text)
        return NULL;
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    const carom_options *o = &s->base;
    SAY("carom-converge %s model %016llx reference %d shifts %d t_end %.17g atol/rtol %.17g newton %.17g %d contact "
        "%.17g solver %s;",
        CAROM_VERSION, hash, (int)r->reference, s->shifts, o->t_end, o->atol / o->rtol, o->newton_tol, o->newton_max,
        o->contact_tol, o->solver);
    for (int i = 0; i < r->nscheme; i++)
        SAY(" %s", r->schemes[i]);
    for (int i = 0; i < r->nnorm; i++)
        SAY(" %s", r->norms[i]);
    for (int i = 0; i < r->nh; i++)
        SAY(" h %.17g", r->h[i]);
    for (int i = 0; i < r->nrtol; i++)
        SAY(" rtol %.17g", r->rtol[i]);
    for (int i = 0; i < r->model->np; i++)
        SAY(" %.17g", r->model->p[i]);
    for (int i = 0; i < r->model->nq; i++)
        SAY(" %.17g %.17g", r->model->q[i], r->model->v ? r->model->v[i] : 0);
#undef SAY
    return text;
}

static void run(const study *s, carom_converge_task *t, carom_error *error)
{
    carom_options o = s->scheme[t->scheme];
    carom_info info = {0};
    if (t->by_rtol)
        o.rtol = t->value, o.atol = t->value * (s->base.atol / s->base.rtol), o.h = 0;
    else
        o.h = t->value;
    t->status = carom_reference_measure(s->reference, s->r->model, &o, s->r->norms, s->r->nnorm, &s->stop, t->error,
                                        &info, &t->cpu_s, error);
    for (int k = 0; k < s->r->nnorm && t->status != CAROM_OK; k++)
        t->error[k] = NAN;
    t->steps = info.steps, t->rhs_evaluations = info.rhs_evaluations, t->contact_problems = info.contact_problems;
    t->linear_solves = info.linear_solves;
}

static void finish(study *s, int i, const carom_error *why)
{
    carom_converge_task *t = &s->task[i];
    if (t->status == CAROM_INTERRUPTED) {
        s->interrupted = true;
        return;
    }
    if (t->status == CAROM_NO_MEMORY) { /* that says nothing of the scheme: the study ends */
        s->status = carom_fail(&s->fault, t->status, "%s", why->text);
        return;
    }
    t->done = true;
    if (t->status != CAROM_OK && (!s->failed || i < s->failed - 1)) { /* whatever thread is first */
        s->failed = i + 1;
        snprintf(s->result->failure, sizeof s->result->failure, "%s with %s = %.6g: %.300s", s->r->schemes[t->scheme],
                 t->by_rtol ? "rtol" : "h", t->value, why->text);
    }
    if (s->journal && s->status == CAROM_OK)
        s->status = carom_journal_add(s->journal, i, t, s->r->nnorm, &s->fault);
    s->done++;
    if (s->r->progress && !s->r->progress(s->r->user, s->done, s->ntask))
        s->interrupted = true;
}

/* On every thread: tasks until there are none. */
static void work(void *user)
{
    study *s = user;
    carom_lock_take(&s->lock);
    while (s->left > 0 && !s->interrupted && s->status == CAROM_OK) {
        int i = --s->left;
        carom_error why = {0};
        if (s->task[i].done)
            continue;
        carom_lock_release(&s->lock);
        run(s, &s->task[i], &why);
        carom_lock_take(&s->lock);
        finish(s, i, &why);
    }
    carom_lock_release(&s->lock);
}

static carom_status report(study *s, carom_error *error)
{
    const carom_converge_request *r = s->r;
    carom_converge_result *out = s->result;
    out->row = calloc((size_t)(s->ntask * r->nnorm), sizeof *out->row);
    out->order = calloc((size_t)(r->nscheme * r->nnorm), sizeof *out->order);
    out->accuracy = calloc((size_t)r->nnorm, sizeof *out->accuracy);
    if (!out->row || !out->order || !out->accuracy)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d rows", s->ntask * r->nnorm);
    for (int k = 0; k < r->nnorm; k++)
        CAROM_TRY(carom_reference_accuracy(s->reference, r->norms[k], &out->accuracy[k], error));
    for (int i = 0; i < s->ntask; i++) {
        const carom_converge_task *t = &s->task[i];
        out->failed += t->status != CAROM_OK;
        for (int k = 0; k < r->nnorm; k++)
            out->row[out->nrow++] = (carom_converge_row){
                .scheme = t->scheme, .norm = k, .h = t->by_rtol ? NAN : t->value, .rtol = t->by_rtol ? t->value : NAN,
                .nominal = t->nominal,
                .error = t->error[k], .floor = t->error[k] <= 3 * out->accuracy[k], .steps = t->steps,
                .rhs_evaluations = t->rhs_evaluations, .linear_solves = t->linear_solves,
                .contact_problems = t->contact_problems,
                .cpu_s = t->cpu_s};
    }
    for (int i = 0; i < r->nscheme; i++)
        for (int k = 0; k < r->nnorm; k++) {
            carom_converge_order *o = &out->order[out->norder++];
            *o = (carom_converge_order){.scheme = i, .norm = k};
            carom_converge_fit(s->task + s->first[i], (s->first[i + 1] - s->first[i]) / s->shifts, s->shifts, k,
                               3 * out->accuracy[k], o);
        }
    return CAROM_OK;
}

static carom_status conduct(study *s, carom_error *error)
{
    const carom_converge_request *r = s->r;
    CAROM_TRY(check(r, s->base.t_end, error));
    CAROM_TRY(plan(s, error));
    if (r->journal) {
        char *line = settings(s);
        if (!line)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the settings of a journal");
        carom_status status =
            carom_journal_open(&s->journal, r->journal, line, s->task, s->ntask, r->nnorm, &s->result->resumed, error);
        free(line);
        CAROM_TRY(status);
    }
    carom_status computed = carom_reference_compute(&s->reference, r->model, &s->base, r->reference, &s->stop, error);
    if (computed == CAROM_INTERRUPTED)
        CAROM_FAIL(error, computed, "interrupted while the reference was computed, with %d of %d runs done",
                   s->result->resumed, s->ntask);
    CAROM_TRY(computed);
    s->result->used = carom_reference_used(s->reference), s->result->t_end = carom_reference_t_end(s->reference);
    snprintf(s->result->reference, sizeof s->result->reference, "%s", carom_reference_text(s->reference));
    s->done = s->result->resumed;
    s->left = s->ntask;
    carom_parallel(carom_threads(r->threads, s->ntask), work, s);
    if (s->status != CAROM_OK) {
        if (error)
            *error = s->fault;
        return s->status;
    }
    if (s->interrupted)
        CAROM_FAIL(error, CAROM_INTERRUPTED, "interrupted after %d of %d runs", s->done, s->ntask);
    return report(s, error);
}

carom_status carom_converge_run(const carom_converge_request *request, carom_converge_result *result,
                                carom_error *error)
{
    CAROM_SIZED(request, carom_converge_request, error);
    CAROM_NEED(result, error);
    study s = {.r = request, .result = result, .base = carom_options_default(), .stop = {request->stop, request->user},
               .lock = CAROM_LOCK_OPEN};
    memset(result, 0, sizeof *result);
    CAROM_SIZED(request->model, carom_model, error);
    if (request->options)
        s.base = *request->options;
    else
        CAROM_TRY(carom_options_from_model(&s.base, request->model, error));
    if (s.base.t_end == 0)
        s.base.t_end = request->model->period > 0 ? request->model->period : 1;
    s.base.energy = false, s.base.every = 0;
    carom_status status = conduct(&s, error);
    carom_journal_close(s.journal, status == CAROM_OK);
    carom_reference_free(s.reference);
    free(s.scheme), free(s.first), free(s.task), free(s.error);
    if (status != CAROM_OK)
        carom_converge_free(result);
    return status;
}

void carom_converge_free(carom_converge_result *result)
{
    free(result->row), free(result->order), free(result->accuracy);
    result->row = NULL, result->order = NULL, result->accuracy = NULL;
}
