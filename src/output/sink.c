/* sink.c: an observer that samples a simulation and hands the rows to the writer that a path asks for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/sampler.h"
#include "output/touching.h"

static const carom_writer_type *const types[] = {
    &carom_writer_csv,
    &carom_writer_hdf5,
    &carom_writer_hdf5_long,
    &carom_writer_json,
};

struct carom_sink {
    char *path;
    carom_sampler *sampler;
    const carom_writer_type *type;
    void *writer;
    carom_sim *sim; /* to be interrupted by a failure; may be NULL */
    carom_touchings *touchings; /* of contacts that come and go; NULL: not asked for */
    bool contacts;
    int ncontact;
    size_t rows;
    carom_error error;
};

const char *carom_sink_endings(void)
{
    return ".csv, .h5, .hdf5, .json";
}

static const carom_writer_type *find_type(const char *path)
{
    for (int i = 0; i < CAROM_COUNT(types); i++)
        if (carom_ends_with(path, types[i]->ending))
            return types[i];
    return NULL;
}

static void check(carom_sink *sink, carom_status status)
{
    if (status != CAROM_OK && sink->sim)
        carom_sim_interrupt(sink->sim);
}

static void on_row(void *user, const double *row)
{
    carom_sink *sink = user;
    if (sink->error.status != CAROM_OK)
        return;
    if (sink->type->row(sink->writer, row, &sink->error) == CAROM_OK)
        sink->rows++;
}

static void on_contact(void *user, const carom_touching *contact)
{
    carom_sink *sink = user;
    if (sink->error.status == CAROM_OK)
        sink->type->contact(sink->writer, contact, &sink->error);
}

/* At the times of the grid in the segment, or at its end; and at the start. */
static void put_contacts(carom_sink *sink, const carom_segment *segment)
{
    if (carom_sampler_begins(sink->sampler, segment))
        carom_touchings_at(sink->touchings, segment, segment->t0, on_contact, sink);
    double t = carom_sampler_next(sink->sampler, segment->t0), end = segment->t1;
    if (isinf(t))
        t = end;
    for (; t <= end + 1e-9 * (end - segment->t0) && sink->error.status == CAROM_OK;
         t = carom_sampler_next(sink->sampler, t))
        carom_touchings_at(sink->touchings, segment, fmin(t, end), on_contact, sink);
}

static void on_segment(void *user, const carom_segment *segment)
{
    carom_sink *sink = user;
    if (sink->error.status == CAROM_OK)
        carom_sampler_segment(sink->sampler, segment, &sink->error);
    if (sink->touchings)
        put_contacts(sink, segment);
    check(sink, sink->error.status);
}

static void on_jump(void *user, const carom_jump *jump)
{
    carom_sink *sink = user;
    if (sink->error.status == CAROM_OK)
        carom_sampler_jump(sink->sampler, jump);
    if (sink->error.status == CAROM_OK && sink->touchings)
        carom_touchings_jump(sink->touchings, jump, on_contact, sink);
    if (sink->error.status == CAROM_OK && sink->type->jump)
        sink->type->jump(sink->writer, jump, &sink->error);
    check(sink, sink->error.status);
}

static void on_event(void *user, const carom_event *event)
{
    carom_sink *sink = user;
    bool found = sink->contacts && sink->type->found;
    if (!found && (event->contact < 0 || event->contact >= sink->ncontact))
        return;
    if (sink->error.status == CAROM_OK)
        sink->type->event(sink->writer, event, &sink->error);
    check(sink, sink->error.status);
}

static carom_status open_writer(carom_sink *sink, const char *path, FILE *stream, const carom_model *model,
                                const double *p, const carom_sink_info *info, double every,
                                const carom_archive *from, carom_error *error)
{
    CAROM_TRY(carom_sampler_new(&sink->sampler, model, p, every, info, on_row, sink, error));
    sink->contacts = model->links && info->reactions;
    if (sink->contacts && !sink->type->contact)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s': contacts that come and go have their forces in .csv and .h5",
                   path);
    model = carom_sampler_model(sink->sampler);
    sink->ncontact = model->ncontact;
    sink->path = strdup(path);
    if (!sink->path)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    carom_writer_setup setup = {sink->path, stream, model, p ? p : model->p, carom_sampler_layout(sink->sampler),
                                *info, sink->contacts, from};
    size_t length = sizeof sink->rows;
    const void *rows = from ? carom_archive_find(from, "rows", &length) : NULL;
    if (from && (!rows || !carom_sampler_load(sink->sampler, from)))
        CAROM_FAIL(error, CAROM_FILE, "the archive does not tell where '%s' stands", path);
    if (rows)
        memcpy(&sink->rows, rows, sizeof sink->rows);
    return sink->type->open(&sink->writer, &setup, error);
}

static carom_status make(carom_sink **sink, const char *path, FILE *stream, const carom_model *model, const double *p,
                         const carom_sink_info *info, double every, const carom_archive *from, carom_error *error)
{
    CAROM_NEED(sink, error);
    *sink = NULL;
    CAROM_NEED(path, error);
    CAROM_SIZED(model, carom_model, error);
    if (info)
        CAROM_SIZED(info, carom_sink_info, error);
    const carom_writer_type *type = stream ? &carom_writer_csv : find_type(path);
    if (!type)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s': the ending of an output file is one of %s", path,
                   carom_sink_endings());
    carom_sink *s = calloc(1, sizeof *s);
    if (!s)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    s->type = type;
    carom_status status = open_writer(s, path, stream, model, p,
        info ? info : &(carom_sink_info){.size = sizeof(carom_sink_info)}, every, from, error);
    if (status != CAROM_OK) {
        carom_sampler_free(s->sampler);
        free(s->path);
        free(s);
        return status;
    }
    *sink = s;
    return CAROM_OK;
}

carom_status carom_sink_new(carom_sink **sink, const char *path, FILE *stream, const carom_model *model,
                            const double *p, const carom_sink_info *info, double every, carom_error *error)
{
    return make(sink, path, stream, model, p, info, every, NULL, error);
}

carom_status carom_sink_continue(carom_sink **sink, const char *path, const carom_archive *from,
                                 const carom_model *model, const double *p, const carom_sink_info *info, double every,
                                 carom_error *error)
{
    return make(sink, path, NULL, model, p, info, every, from, error);
}

carom_status carom_sink_save(carom_sink *sink, carom_archive *archive)
{
    if (sink->error.status != CAROM_OK)
        return sink->error.status;
    carom_archive_put(archive, "rows", &sink->rows, sizeof sink->rows);
    carom_sampler_save(sink->sampler, archive);
    return sink->type->save(sink->writer, archive, &sink->error);
}

void carom_sink_forget(const char *path)
{
    const carom_writer_type *type = find_type(path);
    if (type && type->forget)
        type->forget(path);
}

carom_observer carom_sink_observer(carom_sink *sink)
{
    return (carom_observer){.size = sizeof(carom_observer), sink, on_segment, on_jump, on_event};
}

const carom_error *carom_sink_status(const carom_sink *sink)
{
    return sink ? &sink->error : NULL;
}

void carom_sink_guard(carom_sink *sink, carom_sim *sim)
{
    if (!sink)
        return;
    sink->sim = sim;
    if (sim && sink->contacts && !sink->touchings && sink->error.status == CAROM_OK)
        carom_touchings_new(&sink->touchings, sim, true, &sink->error);
}

size_t carom_sink_rows(const carom_sink *sink)
{
    return sink ? sink->rows : 0;
}

carom_status carom_sink_flush(carom_sink *sink)
{
    CAROM_NEED(sink, NULL);
    if (sink->error.status == CAROM_OK)
        sink->type->flush(sink->writer, &sink->error);
    return sink->error.status;
}

carom_status carom_sink_close(carom_sink *sink, carom_error *error)
{
    if (!sink)
        return CAROM_OK;
    if (sink->error.status == CAROM_OK)
        carom_sampler_end(sink->sampler);
    carom_error last = {CAROM_OK, ""};
    sink->type->close(sink->writer, &last);
    if (sink->error.status != CAROM_OK)
        last = sink->error;
    if (error && last.status != CAROM_OK)
        *error = last;
    carom_touchings_free(sink->touchings);
    carom_sampler_free(sink->sampler);
    free(sink->path);
    free(sink);
    return last.status;
}
