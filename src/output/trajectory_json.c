/* trajectory_json.c: a trajectory as one JSON object, streamed:
 *   {"carom":"0.1.0","model":...,"source":...,"parameters":{"m":1,...},"scheme":...,"options":...,"columns":[...],
 *   "rows":[
 *   [0,0,0.5,...],
 *   ...],
 *   "events":[{"t":...,"event":"impact","contact":"ground","u_before":[...],"u_after":[...],"impulse":[...]},...]}
 * One row is one line. Events have to wait for the end of the rows, in memory. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "output/json.h"
#include "output/writer.h"

typedef struct file {
    const carom_model *model;
    int n;
    carom_stream out;
    carom_json json;
    carom_event *events; /* [nevent] */
    size_t nevent, room;
} file;

static void put_header(file *f, const carom_writer_setup *setup)
{
    const carom_model *m = setup->model;
    carom_json_object(&f->json, NULL);
    carom_json_string(&f->json, "carom", CAROM_VERSION);
    carom_json_string(&f->json, "model", m->name);
    carom_json_string(&f->json, "source", setup->info.source);
    carom_json_named(&f->json, "parameters", m, carom_model_p_name, setup->p, m->np);
    carom_json_string(&f->json, "scheme", setup->info.scheme);
    carom_json_string(&f->json, "options", setup->info.options);
    carom_json_break(&f->json);
    carom_json_texts(&f->json, "columns", setup->columns->name, f->n);
    carom_json_break(&f->json);
    carom_json_array(&f->json, "rows");
    carom_stream_mark(&f->out);
}

/* The writer of JSON as it was, and the events that wait. */
static carom_status go_on(file *f, const carom_writer_setup *setup, carom_error *error)
{
    size_t json = sizeof f->json, bytes = 0;
    const void *was = carom_archive_find(setup->from, "json", &json);
    const void *events = carom_archive_find(setup->from, "json events", &bytes);
    if (!was || !events || bytes % sizeof(carom_event) != 0)
        CAROM_FAIL(error, CAROM_FILE, "the archive does not tell where '%s' stands", setup->path);
    f->events = malloc(bytes + 1);
    if (!f->events)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu bytes of events", setup->path, bytes);
    memcpy(f->events, events, bytes);
    f->nevent = f->room = bytes / sizeof(carom_event);
    memcpy(&f->json, was, sizeof f->json);
    f->json.out = &f->out;
    return carom_stream_continue(&f->out, setup->path, setup->from, "samples", error);
}

static carom_status open(void **writer, const carom_writer_setup *setup, carom_error *error)
{
    file *f = calloc(1, sizeof *f);
    if (!f)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", setup->path);
    f->model = setup->model;
    f->n = setup->columns->n;
    f->json = carom_json_on(&f->out, CAROM_JSON_COMPACT);
    carom_status status = setup->from ? go_on(f, setup, error)
                                      : carom_stream_grow(&f->out, setup->path, setup->stream, error);
    if (status != CAROM_OK) {
        free(f->events);
        free(f);
        return status;
    }
    if (!setup->from)
        put_header(f, setup);
    *writer = f;
    return CAROM_OK;
}

static carom_status row(void *writer, const double *values, carom_error *error)
{
    file *f = writer;
    carom_json_break(&f->json);
    carom_json_numbers(&f->json, NULL, values, f->n);
    carom_stream_mark(&f->out);
    return carom_stream_status(&f->out, error);
}

static carom_status event(void *writer, const carom_event *e, carom_error *error)
{
    file *f = writer;
    if (f->nevent == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        carom_event *events = realloc(f->events, room * sizeof *events);
        if (!events)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu events", f->out.path, room);
        f->events = events;
        f->room = room;
    }
    f->events[f->nevent++] = *e;
    return CAROM_OK;
}

static void put_event(file *f, const carom_event *e)
{
    char buffer[32];
    int rows = 1 + f->model->contact[e->contact].directions;
    carom_json_break(&f->json);
    carom_json_object(&f->json, NULL);
    carom_json_number(&f->json, "t", e->t);
    carom_json_string(&f->json, "event", carom_event_name(e->type));
    carom_json_string(&f->json, "contact", carom_model_contact_name(f->model, e->contact, buffer));
    carom_json_numbers(&f->json, "u_before", e->u_before, rows);
    carom_json_numbers(&f->json, "u_after", e->u_after, rows);
    carom_json_numbers(&f->json, "impulse", e->impulse, rows);
    carom_json_end(&f->json);
    carom_stream_mark(&f->out);
}

static carom_status flush(void *writer, carom_error *error)
{
    file *f = writer;
    carom_stream_flush(&f->out);
    return carom_stream_status(&f->out, error);
}

static carom_status save(void *writer, carom_archive *archive, carom_error *error)
{
    file *f = writer;
    carom_json json = f->json;
    json.out = NULL;
    carom_archive_put(archive, "json", &json, sizeof json);
    carom_archive_put(archive, "json events", f->events, f->nevent * sizeof *f->events);
    return carom_stream_save(&f->out, archive, "samples", error);
}

static carom_status close(void *writer, carom_error *error)
{
    file *f = writer;
    carom_json_break(&f->json);
    carom_json_end(&f->json);
    carom_json_break(&f->json);
    carom_json_array(&f->json, "events");
    for (size_t i = 0; i < f->nevent; i++)
        put_event(f, &f->events[i]);
    f->json.line = f->nevent > 0;
    carom_json_end(&f->json);
    carom_json_end(&f->json);
    carom_stream_string(&f->out, "\n");
    carom_status status = carom_stream_close(&f->out, error);
    free(f->events);
    free(f);
    return status;
}

const carom_writer_type carom_writer_json = {
    .ending = ".json", .open = open, .row = row, .event = event, .flush = flush, .save = save, .close = close,
};
