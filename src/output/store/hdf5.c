/* hdf5.c: the rows of a store as an HDF5 file, one dataset per column, as in a trajectory:
 *   /samples/index, columns ...    [rows]
 *   /status, /text                 [rows] (attributes where they are short)
 *   attributes of /: columns, and what the sweep is
 * It appears when it is whole. */
#include "output/store/store.h"

#ifdef CAROM_NO_HDF5

carom_status carom_store_hdf5(carom_store *store, const char *path, carom_error *error)
{
    (void)store;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s' cannot be written: this build has no HDF5", path);
}

#else

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/hdf5/hdf5.h"
#include "output/part.h"

enum { CHUNK = 1024 };

typedef struct table {
    const carom_store_form *form;
    carom_arena *arena;
    carom_series series;
    const char **status, **text; /* [room] */
    const double **value;        /* [1+ncolumn] of a row */
    size_t n, room;
} table;

static carom_status count(void *user, const carom_store_row *row, carom_error *error)
{
    (void)row, (void)error;
    ((table *)user)->room++;
    return CAROM_OK;
}

static carom_status put(void *user, const carom_store_row *row, carom_error *error)
{
    table *t = user;
    const double index = (double)row->index;
    t->status[t->n] = carom_arena_text(t->arena, row->status, strlen(row->status));
    t->text[t->n] = carom_arena_text(t->arena, row->text, strlen(row->text));
    if (!t->status[t->n] || !t->text[t->n])
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the rows of a sweep");
    t->n++;
    t->value[0] = &index;
    for (int k = 0; k < t->form->ncolumn; k++)
        t->value[1 + k] = &row->value[k];
    carom_series_fill(&t->series, t->value);
    if (++t->series.used == t->series.chunk && !carom_series_write(&t->series))
        CAROM_FAIL(error, CAROM_FILE, "the rows of a sweep cannot be written");
    return CAROM_OK;
}

static bool put_head(const table *t, hid_t file, const char **name)
{
    bool ok = true;
    name[0] = "index";
    for (int k = 0; k < t->form->ncolumn; k++)
        name[1 + k] = t->form->column[k];
    ok = carom_hdf5_texts(file, "columns", name, 1 + t->form->ncolumn);
    for (int i = 0; ok && i < t->form->nentry; i++)
        ok = carom_hdf5_texts(file, t->form->entry[i].key, &t->form->entry[i].value, 1);
    return ok;
}

static carom_status fill(table *t, carom_store *store, hid_t file, carom_error *error)
{
    const int n = 1 + t->form->ncolumn;
    const char **name = CAROM_NEW(t->arena, const char *, n);
    t->status = CAROM_NEW(t->arena, const char *, t->room + 1);
    t->text = CAROM_NEW(t->arena, const char *, t->room + 1);
    t->value = CAROM_NEW(t->arena, const double *, n);
    if (!name || !t->status || !t->text || !t->value)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the rows of a sweep");
    bool ok = put_head(t, file, name);
    hid_t group = H5Gcreate2(file, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok = ok && group >= 0 && carom_series_start(&t->series, n, CHUNK);
    for (int i = 0; ok && i < n; i++)
        ok = carom_series_add(&t->series, i, group, name[i], 0, H5T_IEEE_F64LE);
    carom_status status = ok ? carom_store_scan(store, put, t, error) : CAROM_OK;
    ok = ok && status == CAROM_OK && carom_series_write(&t->series);
    ok = carom_series_close(&t->series) && ok;
    H5Gclose(group);
    ok = ok && (t->n == 0 || (carom_hdf5_texts(file, "status", t->status, (int)t->n) &&
                              carom_hdf5_texts(file, "text", t->text, (int)t->n)));
    return status != CAROM_OK ? status : ok ? CAROM_OK : carom_fail(error, CAROM_FILE, "an HDF5 call failed");
}

static carom_status write_file(carom_store *store, const char *path, carom_error *error)
{
    table t = {.form = carom_store_shape(store), .arena = carom_arena_new(0)};
    carom_disk disk = {0};
    void *volatile room = malloc((size_t)8 << 20); /* HDF5 does not survive a lack of memory */
    free(room);
    if (!t.arena || !room) {
        carom_arena_free(t.arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    }
    carom_quiet before = carom_hdf5_quiet();
    carom_status status = carom_store_scan(store, count, &t, error);
    hid_t file = status == CAROM_OK ? carom_hdf5_create(path, &disk) : -1;
    if (status == CAROM_OK)
        status = file < 0 ? carom_fail(error, CAROM_FILE, "an HDF5 call failed") : fill(&t, store, file, error);
    if (file >= 0 && H5Fclose(file) < 0 && status == CAROM_OK)
        status = carom_fail(error, CAROM_FILE, "an HDF5 call failed");
    carom_hdf5_loud(before);
    carom_arena_free(t.arena);
    if (status != CAROM_NO_MEMORY && disk.reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path, strerror(disk.reason));
    return status;
}

carom_status carom_store_hdf5(carom_store *store, const char *path, carom_error *error)
{
    carom_part part;
    CAROM_TRY(carom_hdf5_load(error));
    CAROM_TRY(carom_part_open(&part, path, error));
    carom_status status = write_file(store, part.part ? part.part : part.path, error);
    int reason = carom_part_close(&part, status == CAROM_OK);
    if (status == CAROM_OK && reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path, strerror(reason));
    return status;
}

#endif
