/* store.c: what all stores have in common: their entries, and the same row met twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/store/store.h"

bool carom_store_table_path(const char *path)
{
    return path && (carom_ends_with(path, ".csv") || carom_ends_with(path, ".h5") || carom_ends_with(path, ".hdf5"));
}

bool carom_store_path(const char *path)
{
    static const char *const endings[] = {".sqlite", ".sqlite3", ".db"};
    for (int i = 0; i < CAROM_COUNT(endings); i++)
        if (carom_ends_with(path, endings[i]))
            return true;
    return false;
}

const char *carom_store_value(const carom_store_form *form, const char *key)
{
    for (int i = 0; i < form->nentry; i++)
        if (!strcmp(form->entry[i].key, key))
            return form->entry[i].value;
    return NULL;
}

static const char *copy(carom_arena *arena, const char *text)
{
    return carom_arena_text(arena, text, strlen(text));
}

carom_status carom_store_adopt(carom_store *store, const carom_store_form *form, carom_error *error)
{
    carom_store_entry *entry = CAROM_NEW(store->arena, carom_store_entry, form->nentry + 1);
    const char **column = CAROM_NEW(store->arena, const char *, form->ncolumn + 1);
    bool whole = entry && column;
    for (int i = 0; whole && i < form->nentry; i++) {
        entry[i] =
            (carom_store_entry){copy(store->arena, form->entry[i].key), copy(store->arena, form->entry[i].value)};
        whole = entry[i].key && entry[i].value;
    }
    for (int i = 0; whole && i < form->ncolumn; i++)
        whole = (column[i] = copy(store->arena, form->column[i])) != NULL;
    if (!whole)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the entries of a store");
    store->form = (carom_store_form){entry, column, form->nentry, form->ncolumn};
    return CAROM_OK;
}

/* ---- what differs ---- */

/* The words at which two texts part, and the line. */
static int part(const char **a, const char **b)
{
    const char *x = *a, *y = *b;
    int line = 1;
    for (; *x && *x == *y; x++, y++) {
        line += *x == '\n';
        if (*x == ' ' || *x == '\n')
            *a = x + 1, *b = y + 1;
    }
    return line;
}

static void tell(char *text, size_t size, const char *key, const char *there, const char *here)
{
    enum { WORD = 60 };
    size_t used = strlen(text);
    text += used, size -= used;
    const char *between = used ? "; " : "";
    if (!there || !here) {
        snprintf(text, size, "%s'%s' is %s", between, key, there ? "there only" : "missing there");
        return;
    }
    bool lines = strchr(there, '\n') || strchr(here, '\n');
    int line = part(&there, &here), m = (int)strcspn(there, " \n"), n = (int)strcspn(here, " \n");
    char where[40] = "";
    if (lines)
        snprintf(where, sizeof where, " (line %d)", line);
    snprintf(text, size, "%s%s: '%.*s' there, '%.*s' here%s", between, key, CAROM_MIN(m, WORD), there,
             CAROM_MIN(n, WORD), here, where);
}

carom_status carom_store_compare(const carom_store_form *there, const carom_store_form *here, const char *where,
                                 const char *but, carom_error *error)
{
    char text[800] = "";
    for (int i = 0; i < here->nentry; i++) {
        const char *key = here->entry[i].key, *value = carom_store_value(there, key);
        if (!(but && !strcmp(but, key)) && (!value || strcmp(value, here->entry[i].value) != 0))
            tell(text, sizeof text, key, value, here->entry[i].value);
    }
    for (int i = 0; i < there->nentry; i++)
        if (!carom_store_value(here, there->entry[i].key))
            tell(text, sizeof text, there->entry[i].key, there->entry[i].value, NULL);
    if (*text)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' belongs to another sweep: %s", where, text);
    return CAROM_OK;
}

bool carom_store_same(const carom_store_row *a, const carom_store_row *b, int ncolumn)
{
    for (int k = 0; k < ncolumn; k++)
        if (!(a->value[k] == b->value[k] || (isnan(a->value[k]) && isnan(b->value[k]))))
            return false;
    return !strcmp(a->status, b->status) && !strcmp(a->text, b->text);
}

carom_status carom_store_conflict(const carom_store_row *a, const carom_store_row *b, int ncolumn, carom_error *error)
{
    for (int k = 0; k < ncolumn; k++)
        if (!(a->value[k] == b->value[k] || (isnan(a->value[k]) && isnan(b->value[k]))))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "point %lld has two results: %.17g and %.17g in column %d", a->index,
                       a->value[k], b->value[k], k + 1);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "point %lld has two results: %s (%s) and %s (%s)", a->index, a->status,
               a->text, b->status, b->text);
}

/* ---- the store ---- */

static carom_status begin(carom_store **store, carom_error *error)
{
    *store = calloc(1, sizeof **store);
    if (*store)
        (*store)->arena = carom_arena_new(0);
    if (!*store || !(*store)->arena) {
        free(*store);
        *store = NULL;
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a store");
    }
    return CAROM_OK;
}

static carom_status end(carom_store **store, carom_status status)
{
    if (status != CAROM_OK) {
        carom_store_close(*store, NULL);
        *store = NULL;
    }
    return status;
}

static carom_status in_memory(carom_store *store, const carom_store_form *form, carom_error *error)
{
    store->keeper = &carom_store_memory;
    store->keep = carom_store_memory_new();
    if (!store->keep)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a store");
    return carom_store_adopt(store, form, error);
}

carom_status carom_store_create(carom_store **store, const char *path, const carom_store_form *form, bool resume,
                                carom_error *error)
{
    CAROM_TRY(begin(store, error));
    return end(store, !path                            ? in_memory(*store, form, error)
                      : carom_store_table_path(path)  ? carom_store_journal(*store, path, form, resume, error)
                                                      : carom_store_sqlite(*store, path, form, resume, error));
}

carom_status carom_store_table(carom_store *store, const char *path, FILE *stream, carom_error *error)
{
    return !stream && !carom_ends_with(path, ".csv") ? carom_store_hdf5(store, path, error)
                                                     : carom_store_csv(store, path, stream, error);
}

carom_status carom_store_open(carom_store **store, const char *path, carom_error *error)
{
    CAROM_TRY(begin(store, error));
    return end(store, carom_store_sqlite(*store, path, NULL, true, error));
}

carom_status carom_store_close(carom_store *store, carom_error *error)
{
    if (!store)
        return CAROM_OK;
    carom_status status = store->keep ? store->keeper->close(store->keep, error) : CAROM_OK;
    carom_arena_free(store->arena);
    free(store);
    return status;
}

const carom_store_form *carom_store_shape(const carom_store *store)
{
    return &store->form;
}

carom_status carom_store_put(carom_store *store, const carom_store_row *rows, int n, carom_error *error)
{
    for (int i = 0; i < n; i++)
        CAROM_TRY(store->keeper->put(store->keep, &rows[i], store->form.ncolumn, error));
    return CAROM_OK;
}

carom_status carom_store_commit(carom_store *store, carom_error *error)
{
    return store->keeper->commit(store->keep, error);
}

void carom_store_complete(carom_store *store)
{
    if (store->keeper->complete)
        store->keeper->complete(store->keep);
}

carom_status carom_store_scan(carom_store *store, carom_store_visit *visit, void *user, carom_error *error)
{
    return store->keeper->scan(store->keep, store->form.ncolumn, visit, user, error);
}
