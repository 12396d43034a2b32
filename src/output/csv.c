/* csv.c: a trajectory as comma-separated values, its events in a second file beside it, contacts that come and go in a
 * third.
 *   # carom 0.1.0                    comment lines: version, model, source, parameters, scheme, options
 *   t,side,y,y',ground.mode,...      names, quoted where they need it
 *   0,0,0.5,0,0,...                  shortest numbers that read back as the same doubles
 * Only whole lines are written, so a file that still grows can be read. */
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/writer.h"

typedef struct csv {
    const carom_model *model;
    int n;             /* columns */
    int rows;          /* of the contact with the most: normal and directions of friction */
    bool has_events, has_contacts;
    carom_stream samples, events, contacts;
} csv;

static void put_comment(carom_stream *stream, const char *key, const char *text)
{
    if (!text)
        return;
    carom_stream_format(stream, "# %s", key);
    for (const char *c = text; *c; c++)
        carom_stream_text(stream, (unsigned char)*c < 0x20 || *c == 0x7f ? " " : c, 1);
    carom_stream_text(stream, "\n", 1);
}

/* "# parameters: m=1 g=10"; a name that this form cannot hold is left out */
static void put_parameters(carom_stream *stream, const carom_writer_setup *setup)
{
    char buffer[32];
    int n = 0;
    for (int i = 0; i < setup->model->np; i++) {
        const char *name = carom_model_p_name(setup->model, i, buffer);
        if (strpbrk(name, " =\t\n\r"))
            continue;
        carom_stream_format(stream, "%s%s=", n++ == 0 ? "# parameters: " : " ", name);
        carom_stream_number(stream, setup->p[i]);
    }
    if (n > 0)
        carom_stream_string(stream, "\n");
}

static void put_comments(carom_stream *stream, const carom_writer_setup *setup)
{
    put_comment(stream, "carom ", CAROM_VERSION);
    put_comment(stream, "model: ", setup->model->name);
    put_comment(stream, "source: ", setup->info.source);
    put_parameters(stream, setup);
    put_comment(stream, "scheme: ", setup->info.scheme);
    put_comment(stream, "options: ", setup->info.options);
}

static void put_event_header(csv *file)
{
    static const char *const ends[3][3] = {{""}, {"", "_t"}, {"", "_t1", "_t2"}};
    carom_stream_string(&file->events, "t,event,contact");
    for (int r = 0; r < file->rows; r++) {
        const char *end = ends[file->rows - 1][r];
        carom_stream_format(&file->events, ",u_before%s,u_after%s,impulse%s", end, end, end);
    }
    carom_stream_text(&file->events, "\n", 1);
}

/* stem.csv -> stem.events.csv, with the comments of the first file */
static carom_status open_beside(carom_stream *stream, const char *what, const carom_writer_setup *setup,
                                carom_error *error)
{
    size_t stem = strlen(setup->path) - strlen(carom_writer_csv.ending), size = stem + strlen(what) + sizeof "..csv";
    char *path = malloc(size);
    if (!path)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the path of the %s of '%s'", what, setup->path);
    snprintf(path, size, "%.*s.%s.csv", (int)stem, setup->path, what);
    carom_status status = setup->from ? carom_stream_continue(stream, path, setup->from, what, error)
                                      : carom_stream_grow(stream, path, NULL, error);
    free(path);
    if (status == CAROM_OK && !setup->from)
        put_comments(stream, setup);
    return status;
}

static carom_status open_contacts(csv *file, const carom_writer_setup *setup, carom_error *error)
{
    CAROM_TRY(open_beside(&file->contacts, "contacts", setup, error));
    file->has_contacts = true;
    if (setup->from)
        return CAROM_OK;
    carom_stream_string(&file->contacts, "t,contact,mode,x,y,z,normal_x,normal_y,normal_z,force_x,force_y,force_z,"
                                         "impulse_x,impulse_y,impulse_z,reaction_x,reaction_y,reaction_z\n");
    carom_stream_mark(&file->contacts);
    return CAROM_OK;
}

static carom_status open_events(csv *file, const carom_writer_setup *setup, carom_error *error)
{
    CAROM_TRY(open_beside(&file->events, "events", setup, error));
    file->has_events = true;
    for (int i = 0; i < setup->model->ncontact; i++)
        file->rows = CAROM_MAX(file->rows, 1 + setup->model->contact[i].directions);
    if (setup->contacts)
        file->rows = carom_bodies_of(setup->model) && carom_bodies_of(setup->model)->planar ? 2 : 3;
    if (setup->from)
        return CAROM_OK;
    put_event_header(file);
    carom_stream_mark(&file->events);
    return CAROM_OK;
}

static void put_header(csv *file, const carom_writer_setup *setup)
{
    put_comments(&file->samples, setup);
    for (int i = 0; i < file->n; i++) {
        if (i > 0)
            carom_stream_text(&file->samples, ",", 1);
        carom_stream_csv(&file->samples, setup->columns->name[i]);
    }
    carom_stream_text(&file->samples, "\n", 1);
    carom_stream_mark(&file->samples);
}

static carom_status open(void **writer, const carom_writer_setup *setup, carom_error *error)
{
    csv *file = calloc(1, sizeof *file);
    if (!file)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", setup->path);
    file->model = setup->model;
    file->n = setup->columns->n;
    carom_stream *samples = &file->samples;
    carom_status status = setup->from ? carom_stream_continue(samples, setup->path, setup->from, "samples", error)
                                      : carom_stream_grow(samples, setup->path, setup->stream, error);
    if (status != CAROM_OK) {
        free(file);
        return status;
    }
    if (!setup->stream && (setup->model->ncontact > 0 || setup->contacts))
        status = open_events(file, setup, error);
    if (status == CAROM_OK && !setup->stream && setup->contacts)
        status = open_contacts(file, setup, error);
    if (status != CAROM_OK) {
        carom_stream_close(&file->samples, NULL);
        if (file->has_events)
            carom_stream_close(&file->events, NULL);
        free(file);
        return status;
    }
    if (!setup->from)
        put_header(file, setup);
    *writer = file;
    return CAROM_OK;
}

static carom_status row(void *writer, const double *values, carom_error *error)
{
    csv *file = writer;
    carom_stream *stream = &file->samples;
    carom_stream_csv_numbers(stream, values, file->n);
    carom_stream_mark(stream);
    return carom_stream_status(stream, error);
}

static carom_status event(void *writer, const carom_event *e, carom_error *error)
{
    csv *file = writer;
    char name[200];
    int rows;
    if (!file->has_events)
        return CAROM_OK;
    carom_stream *stream = &file->events;
    carom_stream_number(stream, e->t);
    carom_stream_format(stream, ",%s,", carom_event_name(e->type));
    carom_stream_csv(stream, carom_event_contact(file->model, e, name, sizeof name, &rows));
    for (int r = 0; r < file->rows; r++) {
        const double values[3] = {e->u_before[r], e->u_after[r], e->impulse[r]};
        for (int i = 0; i < 3; i++) {
            carom_stream_text(stream, ",", 1);
            carom_stream_number(stream, r < rows ? values[i] : 0);
        }
    }
    carom_stream_text(stream, "\n", 1);
    carom_stream_mark(stream);
    return carom_stream_status(stream, error);
}

static carom_status contact(void *writer, const carom_touching *c, carom_error *error)
{
    csv *file = writer;
    carom_stream *stream = &file->contacts;
    if (!file->has_contacts)
        return CAROM_OK;
    double values[16] = {c->mode};
    for (int i = 0; i < 3; i++)
        values[1 + i] = c->point[i], values[4 + i] = c->normal[i], values[7 + i] = c->force[i],
                   values[10 + i] = c->impulse[i], values[13 + i] = c->reaction[i];
    carom_stream_number(stream, c->t);
    carom_stream_text(stream, ",", 1);
    carom_stream_csv(stream, c->name);
    carom_stream_text(stream, ",", 1);
    carom_stream_csv_numbers(stream, values, CAROM_COUNT(values));
    carom_stream_mark(stream);
    return carom_stream_status(stream, error);
}

static carom_status flush(void *writer, carom_error *error)
{
    csv *file = writer;
    carom_stream_flush(&file->samples);
    if (file->has_events)
        carom_stream_flush(&file->events);
    if (file->has_contacts)
        carom_stream_flush(&file->contacts);
    CAROM_TRY(carom_stream_status(&file->samples, error));
    CAROM_TRY(carom_stream_status(&file->contacts, error));
    return carom_stream_status(&file->events, error);
}

static carom_status save(void *writer, carom_archive *archive, carom_error *error)
{
    csv *file = writer;
    if (file->has_events)
        CAROM_TRY(carom_stream_save(&file->events, archive, "events", error));
    if (file->has_contacts)
        CAROM_TRY(carom_stream_save(&file->contacts, archive, "contacts", error));
    return carom_stream_save(&file->samples, archive, "samples", error);
}

static carom_status close(void *writer, carom_error *error)
{
    csv *file = writer;
    carom_status events = file->has_events ? carom_stream_close(&file->events, error) : CAROM_OK;
    carom_status contacts = file->has_contacts ? carom_stream_close(&file->contacts, error) : CAROM_OK;
    carom_status samples = carom_stream_close(&file->samples, error);
    free(file);
    return samples != CAROM_OK ? samples : events != CAROM_OK ? events : contacts;
}

const carom_writer_type carom_writer_csv = {
    .ending = ".csv", .open = open, .row = row, .event = event, .contact = contact, .found = true, .flush = flush,
    .save = save, .close = close,
};
