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
    bool any_row;
    carom_stream out;
    carom_event *events; /* [nevent] */
    size_t nevent, room;
} file;

static void put_field(carom_stream *out, const char *key, const char *value)
{
    carom_json_quote(out, key);
    carom_stream_text(out, ":", 1);
    if (value)
        carom_json_quote(out, value);
    else
        carom_stream_text(out, "null", 4);
    carom_stream_text(out, ",", 1);
}

static void put_parameters(carom_stream *out, const carom_writer_setup *setup)
{
    char buffer[32];
    carom_stream_string(out, "\"parameters\":{");
    for (int i = 0; i < setup->model->np; i++) {
        carom_stream_string(out, i > 0 ? "," : "");
        carom_json_quote(out, carom_model_p_name(setup->model, i, buffer));
        carom_stream_text(out, ":", 1);
        carom_json_value(out, setup->p[i]);
    }
    carom_stream_string(out, "},");
}

static carom_status open(void **writer, const carom_writer_setup *setup, carom_error *error)
{
    file *f = calloc(1, sizeof *f);
    if (!f)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", setup->path);
    f->model = setup->model;
    f->n = setup->columns->n;
    carom_status status = carom_stream_open(&f->out, setup->path, setup->stream, error);
    if (status != CAROM_OK) {
        free(f);
        return status;
    }
    carom_stream_text(&f->out, "{", 1);
    put_field(&f->out, "carom", CAROM_VERSION);
    put_field(&f->out, "model", setup->model->name);
    put_field(&f->out, "source", setup->info.source);
    put_parameters(&f->out, setup);
    put_field(&f->out, "scheme", setup->info.scheme);
    put_field(&f->out, "options", setup->info.options);
    carom_stream_string(&f->out, "\n\"columns\":[");
    for (int i = 0; i < f->n; i++) {
        if (i > 0)
            carom_stream_text(&f->out, ",", 1);
        carom_json_quote(&f->out, setup->columns->name[i]);
    }
    carom_stream_string(&f->out, "],\n\"rows\":[");
    carom_stream_mark(&f->out);
    *writer = f;
    return CAROM_OK;
}

static void put_numbers(carom_stream *out, const double *values, int n)
{
    for (int i = 0; i < n; i++) {
        carom_stream_text(out, i == 0 ? "[" : ",", 1);
        carom_json_value(out, values[i]);
    }
    carom_stream_text(out, "]", 1);
}

static carom_status row(void *writer, const double *values, carom_error *error)
{
    file *f = writer;
    carom_stream_string(&f->out, f->any_row ? ",\n" : "\n");
    f->any_row = true;
    put_numbers(&f->out, values, f->n);
    carom_stream_mark(&f->out);
    return carom_writer_status(&f->out, error);
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
    carom_stream_string(&f->out, "{\"t\":");
    carom_json_value(&f->out, e->t);
    carom_stream_text(&f->out, ",", 1);
    put_field(&f->out, "event", carom_event_name(e->type));
    put_field(&f->out, "contact", carom_model_contact_name(f->model, e->contact, buffer));
    carom_stream_string(&f->out, "\"u_before\":");
    put_numbers(&f->out, e->u_before, rows);
    carom_stream_string(&f->out, ",\"u_after\":");
    put_numbers(&f->out, e->u_after, rows);
    carom_stream_string(&f->out, ",\"impulse\":");
    put_numbers(&f->out, e->impulse, rows);
    carom_stream_text(&f->out, "}", 1);
    carom_stream_mark(&f->out);
}

static carom_status flush(void *writer, carom_error *error)
{
    file *f = writer;
    carom_stream_flush(&f->out);
    return carom_writer_status(&f->out, error);
}

static carom_status close(void *writer, carom_error *error)
{
    file *f = writer;
    carom_stream_string(&f->out, "\n],\n\"events\":[");
    for (size_t i = 0; i < f->nevent; i++) {
        carom_stream_string(&f->out, i > 0 ? ",\n" : "\n");
        put_event(f, &f->events[i]);
    }
    carom_stream_string(&f->out, f->nevent > 0 ? "\n]}\n" : "]}\n");
    carom_status status = carom_stream_close(&f->out, error);
    free(f->events);
    free(f);
    return status;
}

const carom_writer_type carom_writer_json = {
    .ending = ".json", .open = open, .row = row, .event = event, .flush = flush, .close = close,
};
