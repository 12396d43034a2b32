/* hdf5.c: a trajectory as HDF5. One extendible dataset per column, easiest for h5py and MATLAB:
 *   /samples/t, side, y, y', ...                            [rows]
 *   /events/t, type, contact, u_before, u_after, impulse    [events] or [events][3]; names in attributes
 *   /jumps/t, q, v_before, v_after, impulse                 [jumps] or [jumps][nq nv nrow]
 *   /contacts/t, first, second, mode, point, normal, force, impulse, reaction    [contacts] or [contacts][3]: those
 *                                                          that come and go; first, second: bodies, by number
 *   attributes of /: carom (version), model, source, scheme, options, model_text
 *   attributes of /parameters: the parameters of the model
 *
 * The first row is flushed at once, then everything after 10 ms and less and less often, down to twice a second.
 * Metadata stay in memory between flushes, and the oldest file format is used, which keeps no "open for writing" mark:
 * other programs can read the file while it grows, and after a kill it holds what was flushed last (a kill in the
 * middle of a flush can damage it; from a checkpoint on, undo.c keeps what it was). */
#include "output/writer.h"

#ifndef CAROM_NO_HDF5
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/hdf5/hdf5.h"

enum { CHUNK = 4096, CHUNK_RARE = 256, CHUNK_LEAST = 16 }; /* rows */
static const hsize_t ROOM = 1 << 19; /* numbers of a group that are written at once: many columns have short chunks */
static const double PATIENCE = 0.5, HASTE = 0.01; /* seconds between two flushes: at most, at least */

typedef struct file {
    char *path;
    hid_t id;
    carom_disk disk;
    carom_series samples, events, jumps, contacts;
    bool has_contacts;
    const carom_model *model;
    double opened, flushed;
    bool old; /* it goes on where another run stopped */
} file;

static carom_status fail_write(const file *f, carom_error *error)
{
    if (!f->disk.reason && errno == ENOMEM)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s' cannot be written: no memory for HDF5", f->path);
    CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", f->path,
               f->disk.reason ? strerror(f->disk.reason) : "an HDF5 call failed");
}

/* HDF5 crashes where an allocation fails in the middle of its work: it is not called where memory is that scarce. */
static carom_status find_room(const file *f, carom_error *error)
{
    void *volatile room = malloc((size_t)8 << 20);
    free(room);
    errno = room ? 0 : ENOMEM;
    return room ? CAROM_OK : fail_write(f, error);
}

static bool put_text(hid_t where, const char *name, const char *text)
{
    return !text || carom_hdf5_texts(where, name, &text, 1);
}

/* A name that HDF5 does not take (twice the same, none at all) is left out. */
static bool put_parameters(const file *f, const double *p)
{
    char buffer[32];
    hid_t group = H5Gcreate2(f->id, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    bool ok = group >= 0 && space >= 0;
    for (int i = 0; ok && i < f->model->np; i++) {
        hid_t number =
            H5Acreate2(group, carom_model_p_name(f->model, i, buffer), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
        ok = number < 0 || (H5Awrite(number, H5T_NATIVE_DOUBLE, &p[i]) >= 0 && H5Aclose(number) >= 0);
    }
    ok = H5Sclose(space) >= 0 && ok;
    return H5Gclose(group) >= 0 && ok;
}

typedef struct column {
    const char *name;
    int width; /* 0: a vector with one number per row */
    bool whole; /* integers */
} column;

static hsize_t rows_of_chunk(hsize_t most, const column *columns, int n)
{
    hsize_t width = 1;
    for (int i = 0; i < n; i++)
        width += (hsize_t)CAROM_MAX(columns[i].width, 1);
    return CAROM_MIN(most, CAROM_MAX(ROOM / width, (hsize_t)CHUNK_LEAST));
}

/* A group with columns that grow together. */
static bool open_series(const file *f, carom_series *s, hid_t group, hsize_t chunk, const column *columns, int n)
{
    bool ok = group >= 0 && carom_series_start(s, n, rows_of_chunk(chunk, columns, n));
    for (int i = 0; ok && i < n; i++)
        ok = f->old ? carom_series_find(s, i, group, columns[i].name, columns[i].width)
                    : carom_series_add(s, i, group, columns[i].name, columns[i].width,
                                       columns[i].whole ? H5T_STD_I32LE : H5T_IEEE_F64LE);
    return ok;
}

static hid_t open_group(const file *f, const char *name)
{
    return f->old ? H5Gopen2(f->id, name, H5P_DEFAULT)
                  : H5Gcreate2(f->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool open_samples(file *f, const carom_row_layout *layout)
{
    hid_t group = open_group(f, "samples");
    column *columns = calloc((size_t)layout->n + 1, sizeof *columns);
    for (int i = 0; columns && i < layout->n; i++)
        columns[i].name = layout->name[i];
    bool ok = columns && (f->old || carom_hdf5_texts(f->id, "columns", layout->name, layout->n)) &&
              open_series(f, &f->samples, group, CHUNK, columns, layout->n);
    free(columns);
    return H5Gclose(group) >= 0 && ok;
}

/* What the integers of /events mean. */
static bool put_event_names(hid_t group, const carom_model *model)
{
    const char *types[CAROM_EVENT_TYPES];
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        types[i] = carom_event_name((carom_event_type)i);
    size_t n = (size_t)model->ncontact;
    const char **names = calloc(n + 1, sizeof *names);
    char(*buffer)[32] = calloc(n + 1, sizeof *buffer);
    bool ok = names && buffer && carom_hdf5_texts(group, "types", types, CAROM_EVENT_TYPES);
    for (size_t i = 0; ok && i < n; i++)
        names[i] = carom_model_contact_name(model, (int)i, buffer[i]);
    ok = ok && (n == 0 || carom_hdf5_texts(group, "contacts", names, (int)n));
    free(buffer);
    free(names);
    return ok;
}

static bool open_events(file *f)
{
    static const column columns[] = {{"t", 0, false},       {"type", 0, true},     {"contact", 0, true},
                                     {"u_before", 3, false}, {"u_after", 3, false}, {"impulse", 3, false}};
    hid_t group = open_group(f, "events");
    bool ok = group >= 0 && (f->old || put_event_names(group, f->model)) &&
              open_series(f, &f->events, group, CHUNK_RARE, columns, CAROM_COUNT(columns));
    return H5Gclose(group) >= 0 && ok;
}

static bool open_jumps(file *f)
{
    const carom_model *m = f->model;
    const column columns[] = {{"t", 0, false}, {"q", m->nq, false}, {"v_before", m->nv, false},
                              {"v_after", m->nv, false}, {"impulse", CAROM_MAX(carom_model_rows(m), 1), false}};
    hid_t group = open_group(f, "jumps");
    bool ok = open_series(f, &f->jumps, group, CHUNK_RARE, columns, CAROM_COUNT(columns));
    return H5Gclose(group) >= 0 && ok;
}

static bool put_body_names(hid_t group, const carom_model *model)
{
    const carom_bodies *b = carom_bodies_of(model);
    const char **names = calloc((size_t)(b ? b->nbody : 0) + 1, sizeof *names);
    for (int k = 0; b && names && k < b->nbody; k++)
        names[k] = b->body[k].name;
    bool ok = names && (!b || carom_hdf5_texts(group, "bodies", names, b->nbody));
    free(names);
    return ok;
}

static bool open_contacts(file *f)
{
    static const column columns[] = {{"t", 0, false},     {"first", 0, true},   {"second", 0, true}, {"mode", 0, true},
                                     {"point", 3, false}, {"normal", 3, false}, {"force", 3, false},
                                     {"impulse", 3, false}, {"reaction", 3, false}};
    if (!f->has_contacts)
        return true;
    hid_t group = open_group(f, "contacts");
    bool ok = group >= 0 && (f->old || put_body_names(group, f->model)) &&
              open_series(f, &f->contacts, group, CHUNK, columns, CAROM_COUNT(columns));
    return H5Gclose(group) >= 0 && ok;
}

static carom_status flush(void *writer, carom_error *error);
static carom_status close(void *writer, carom_error *error);

static carom_status fill_file(file *f, const carom_writer_setup *setup, carom_error *error)
{
    CAROM_TRY(find_room(f, error));
    f->id = carom_hdf5_create(setup->path, &f->disk);
    if (f->id < 0 && f->disk.reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be created: %s", setup->path, strerror(f->disk.reason));
    if (f->id < 0 || !put_text(f->id, "carom", CAROM_VERSION) || !put_text(f->id, "model", setup->model->name)
        || !put_text(f->id, "source", setup->info.source) || !put_parameters(f, setup->p)
        || !put_text(f->id, "scheme", setup->info.scheme) || !put_text(f->id, "options", setup->info.options)
        || !put_text(f->id, "model_text", setup->info.model_text) || !open_samples(f, setup->columns)
        || !open_events(f) || !open_jumps(f) || !open_contacts(f))
        return fail_write(f, error);
    return flush(f, error);
}

typedef struct stand { /* of the file, at a checkpoint */
    uint64_t serial, length, samples, events, jumps, contacts;
} stand;

/* The file as it was at the checkpoint; then it is as if it had never been closed. */
static carom_status go_on(file *f, const carom_writer_setup *setup, carom_error *error)
{
    stand s;
    size_t length = sizeof s;
    const void *found = carom_archive_find(setup->from, "hdf5", &length);
    if (!found)
        CAROM_FAIL(error, CAROM_FILE, "the archive does not tell where '%s' stands", setup->path);
    CAROM_TRY(find_room(f, error));
    memcpy(&s, found, sizeof s);
    FILE *raw = fopen(setup->path, "rb+");
    int reason = raw ? carom_undo_apply(&f->disk.undo, setup->path, fileno(raw), s.serial, s.length) : errno;
    if (raw)
        fclose(raw);
    if (reason)
        CAROM_FAIL(error, reason == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE,
                   "'%s' cannot go on from the checkpoint (its journals .undo0 and .undo1 belong to it): %s",
                   setup->path, strerror(reason));
    f->old = true;
    f->samples.written = s.samples, f->events.written = s.events, f->jumps.written = s.jumps;
    f->contacts.written = s.contacts;
    f->id = carom_hdf5_continue(setup->path, &f->disk);
    if (f->id < 0 || !open_samples(f, setup->columns) || !open_events(f) || !open_jumps(f) || !open_contacts(f))
        CAROM_FAIL(error, CAROM_FILE, "'%s' is not what the run has left: HDF5 does not find the columns in it",
                   setup->path);
    return CAROM_OK;
}

static carom_status save(void *writer, carom_archive *archive, carom_error *error)
{
    file *f = writer;
    CAROM_TRY(flush(f, error));
    int reason = carom_undo_begin(&f->disk.undo, f->path, f->disk.file);
    if (reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot keep its checkpoint: %s", f->path, strerror(reason));
    stand s = {f->disk.undo.serial, f->disk.undo.length, f->samples.written, f->events.written, f->jumps.written,
               f->contacts.written};
    carom_archive_put(archive, "hdf5", &s, sizeof s);
    return CAROM_OK;
}

static carom_status open(void **writer, const carom_writer_setup *setup, carom_error *error)
{
    CAROM_TRY(carom_hdf5_load(error));
    file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(setup->path))) {
        free(f);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", setup->path);
    }
    f->id = -1;
    f->model = setup->model;
    f->has_contacts = setup->contacts;
    carom_quiet before = carom_hdf5_quiet();
    carom_status status = setup->from ? go_on(f, setup, error) : fill_file(f, setup, error);
    f->opened = f->flushed = carom_output_clock();
    carom_hdf5_loud(before);
    if (status != CAROM_OK)
        close(f, NULL);
    else
        *writer = f;
    return status;
}

static carom_status flush(void *writer, carom_error *error)
{
    file *f = writer;
    CAROM_TRY(find_room(f, error));
    carom_quiet before = carom_hdf5_quiet();
    carom_status status = CAROM_OK;
    bool ok = carom_series_write(&f->samples);
    ok = carom_series_write(&f->events) && ok;
    ok = carom_series_write(&f->jumps) && ok;
    ok = (!f->has_contacts || carom_series_write(&f->contacts)) && ok;
    if (!ok || H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0 || f->disk.reason)
        status = fail_write(f, error);
    carom_hdf5_loud(before);
    f->flushed = carom_output_clock();
    return status;
}

/* After a row of s: write a full chunk; flush when it is time. */
static carom_status advance(file *f, carom_series *s, carom_error *error)
{
    const double now = carom_output_clock(), wait = fmin(fmax((now - f->opened) / 4, HASTE), PATIENCE);
    s->used++;
    if (now - f->flushed > wait || (s == &f->samples && s->written == 0 && s->used == 1))
        return flush(f, error);
    if (s->used < s->chunk)
        return CAROM_OK;
    CAROM_TRY(find_room(f, error));
    carom_quiet before = carom_hdf5_quiet();
    carom_status status = carom_series_write(s) && !f->disk.reason ? CAROM_OK : fail_write(f, error);
    carom_hdf5_loud(before);
    return status;
}

static carom_status row(void *writer, const double *values, carom_error *error)
{
    file *f = writer;
    carom_series *s = &f->samples;
    for (int i = 0; i < s->n; i++)
        s->columns[i].buffer[s->used] = values[i];
    return advance(f, s, error);
}

static carom_status jump(void *writer, const carom_jump *j, carom_error *error)
{
    file *f = writer;
    const double none = 0;
    const double *const values[] = {&j->t, j->q, j->v_before, j->v_after,
                                    carom_model_rows(f->model) > 0 ? j->impulse : &none};
    carom_series_fill(&f->jumps, values);
    return advance(f, &f->jumps, error);
}

static carom_status event(void *writer, const carom_event *e, carom_error *error)
{
    file *f = writer;
    const double type = e->type, contact = e->contact;
    const double *const values[] = {&e->t, &type, &contact, e->u_before, e->u_after, e->impulse};
    carom_series_fill(&f->events, values);
    return advance(f, &f->events, error);
}

static carom_status contact(void *writer, const carom_touching *c, carom_error *error)
{
    file *f = writer;
    if (!f->has_contacts)
        return CAROM_OK;
    const double first = c->body[0], second = c->body[1];
    const double *const values[] = {&c->t, &first, &second, &c->mode, c->point,
                                    c->normal, c->force, c->impulse, c->reaction};
    carom_series_fill(&f->contacts, values);
    return advance(f, &f->contacts, error);
}

static carom_status close(void *writer, carom_error *error)
{
    file *f = writer;
    carom_status status = f->id >= 0 ? flush(f, error) : CAROM_OK;
    if (status == CAROM_NO_MEMORY)
        return status; /* the process ends soon; HDF5 could not close it */
    carom_quiet before = carom_hdf5_quiet();
    bool ok = carom_series_close(&f->samples);
    ok = carom_series_close(&f->events) && ok;
    ok = carom_series_close(&f->jumps) && ok;
    ok = (!f->has_contacts || carom_series_close(&f->contacts)) && ok;
    if (f->id >= 0)
        ok = H5Fclose(f->id) >= 0 && ok;
    if ((!ok || f->disk.reason) && status == CAROM_OK)
        status = fail_write(f, error);
    carom_hdf5_loud(before);
    carom_undo_free(&f->disk.undo);
    free(f->path);
    free(f);
    return status;
}

#define WRITER .open = open, .row = row, .jump = jump, .event = event, .contact = contact, \
               .flush = flush, .save = save, .close = close, \
               .forget = carom_undo_remove
#else
static carom_status open(void **writer, const carom_writer_setup *setup, carom_error *error)
{
    (void)writer;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot write HDF5; use .csv or .json", setup->path);
}
#define WRITER .open = open
#endif

const carom_writer_type carom_writer_hdf5 = {.ending = ".h5", WRITER};
const carom_writer_type carom_writer_hdf5_long = {.ending = ".hdf5", WRITER};
