/* sqlite.c: rows in an SQLite file; the only place that knows SQLite.
 *
 * One process holds the file (locking_mode EXCLUSIVE: a second one is told so, and no shared memory is needed on file
 * systems of clusters). While it is written it has a write-ahead log beside it (FILE-wal): what was committed is found
 * there whatever happens to the process. When it is closed in order the log is folded in and FILE is all there is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/store/store.h"

#ifdef CAROM_NO_SQLITE

carom_status carom_store_sqlite(carom_store *store, const char *path, const carom_store_form *form, bool resume,
                                carom_error *error)
{
    (void)store, (void)form, (void)resume;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this carom was built without SQLite; -o FILE.csv works", path);
}

#else

#include <math.h>
#include <sqlite3.h>

#include "output/stream.h"

enum { APPLICATION = 0x4361726f };  /* "Caro", in the header of the file */
static const double PATIENCE = 0.2; /* seconds until rows are committed */

typedef struct file {
    sqlite3 *db;
    sqlite3_stmt *insert, *select;
    const char *path;
    bool open;      /* a transaction */
    double written; /* when the last one was committed */
} file;

static carom_status fail(const file *f, carom_error *error)
{
    int code = sqlite3_errcode(f->db);
    if (code == SQLITE_NOMEM)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': out of memory", f->path);
    if (code == SQLITE_BUSY)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is in use by another process", f->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is not the result of a sweep: %s", f->path, sqlite3_errmsg(f->db));
    CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be read or written: %s", f->path, sqlite3_errmsg(f->db));
}

static carom_status run(file *f, const char *sql, carom_error *error)
{
    return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK ? CAROM_OK : fail(f, error);
}

static carom_status prepare(file *f, const char *sql, sqlite3_stmt **statement, carom_error *error)
{
    return sqlite3_prepare_v2(f->db, sql, -1, statement, NULL) == SQLITE_OK ? CAROM_OK : fail(f, error);
}

/* The first integer that sql gives. */
static carom_status ask(file *f, const char *sql, long long *answer, carom_error *error)
{
    sqlite3_stmt *statement = NULL;
    CAROM_TRY(prepare(f, sql, &statement, error));
    int code = sqlite3_step(statement);
    *answer = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    carom_status status = code == SQLITE_ROW || code == SQLITE_DONE ? CAROM_OK : fail(f, error);
    sqlite3_finalize(statement);
    return status;
}

/* ---- set-up ---- */

static carom_status put_entry(file *f, sqlite3_stmt *s, const char *key, const char *value, carom_error *error)
{
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, value, -1, SQLITE_STATIC);
    int code = sqlite3_step(s);
    sqlite3_reset(s);
    return code == SQLITE_DONE ? CAROM_OK : fail(f, error);
}

/* Columns are c1, c2, ...: names of a model may differ in case alone, or be words of SQL. */
static carom_status make_tables(file *f, const carom_store_form *form, carom_arena *arena, carom_error *error)
{
    char *table = carom_arena_format(arena, "i INTEGER PRIMARY KEY, status TEXT NOT NULL, text TEXT"), *view = NULL;
    view = carom_arena_format(arena, "i, status, text");
    for (int k = 0; table && view && k < form->ncolumn; k++) {
        table = carom_arena_format(arena, "%s, c%d REAL", table, k + 1);
        char *name = sqlite3_mprintf("%w", form->column[k]);
        view = name ? carom_arena_format(arena, "%s, c%d AS \"%s\"", view, k + 1, name) : NULL;
        sqlite3_free(name);
    }
    char *sql = table && view
                    ? carom_arena_format(arena,
                                         "PRAGMA application_id = %d;"
                                         "CREATE TABLE entry (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
                                         "CREATE TABLE \"column\" (k INTEGER PRIMARY KEY, name TEXT NOT NULL);"
                                         "CREATE TABLE point (%s); CREATE VIEW result AS SELECT %s FROM point;",
                                         APPLICATION, table, view)
                    : NULL;
    if (!sql)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the tables of '%s'", f->path);
    return run(f, sql, error);
}

static carom_status fill_tables(file *f, const carom_store_form *form, carom_error *error)
{
    sqlite3_stmt *entry = NULL, *column = NULL;
    carom_status status = prepare(f, "INSERT INTO entry (key, value) VALUES (?, ?)", &entry, error);
    if (status == CAROM_OK)
        status = prepare(f, "INSERT INTO \"column\" (k, name) VALUES (?, ?)", &column, error);
    for (int i = 0; i < form->nentry && status == CAROM_OK; i++)
        status = put_entry(f, entry, form->entry[i].key, form->entry[i].value, error);
    for (int k = 0; k < form->ncolumn && status == CAROM_OK; k++) {
        char number[16];
        snprintf(number, sizeof number, "%d", k + 1);
        status = put_entry(f, column, number, form->column[k], error);
    }
    sqlite3_finalize(entry);
    sqlite3_finalize(column);
    return status;
}

static carom_status make(file *f, const carom_store_form *form, carom_error *error)
{
    carom_arena *arena = carom_arena_new(0);
    if (!arena)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the tables of '%s'", f->path);
    carom_status status = run(f, "BEGIN IMMEDIATE", error);
    if (status == CAROM_OK)
        status = make_tables(f, form, arena, error);
    if (status == CAROM_OK)
        status = fill_tables(f, form, error);
    if (status == CAROM_OK)
        status = run(f, "COMMIT", error);
    carom_arena_free(arena);
    return status;
}

/* The texts of the two columns of a query. */
static carom_status texts(file *f, carom_arena *arena, const char *sql, carom_store_entry *entry, int *n, int most,
                          carom_error *error)
{
    sqlite3_stmt *s = NULL;
    CAROM_TRY(prepare(f, sql, &s, error));
    int code;
    bool whole = true;
    for (*n = 0; (code = sqlite3_step(s)) == SQLITE_ROW && *n < most && whole; ++*n) {
        const char *key = (const char *)sqlite3_column_text(s, 0), *value = (const char *)sqlite3_column_text(s, 1);
        entry[*n].key = key ? carom_arena_text(arena, key, strlen(key)) : NULL;
        entry[*n].value = value ? carom_arena_text(arena, value, strlen(value)) : NULL;
        whole = entry[*n].key && entry[*n].value;
    }
    carom_status status = code != SQLITE_DONE && code != SQLITE_ROW ? fail(f, error) : CAROM_OK;
    sqlite3_finalize(s);
    if (status == CAROM_OK && (!whole || code == SQLITE_ROW))
        CAROM_FAIL(error, CAROM_FILE, "'%s': its entries cannot be read", f->path);
    return status;
}

static carom_status read_form(file *f, carom_store *store, carom_error *error)
{
    enum { MOST = 400 };
    carom_store_entry entry[MOST], column[MOST];
    const char *name[MOST];
    carom_store_form form = {.entry = entry, .column = name};
    CAROM_TRY(texts(f, store->arena, "SELECT key, value FROM entry ORDER BY key", entry, &form.nentry, MOST, error));
    CAROM_TRY(texts(f, store->arena, "SELECT k, name FROM \"column\" ORDER BY k", column, &form.ncolumn, MOST, error));
    for (int k = 0; k < form.ncolumn; k++)
        name[k] = column[k].value;
    return carom_store_adopt(store, &form, error);
}

static carom_status prepare_rows(file *f, int ncolumn, carom_error *error)
{
    char sql[8000] = "INSERT OR IGNORE INTO point VALUES (?, ?, ?";
    size_t used = strlen(sql);
    for (int k = 0; k < ncolumn && used < sizeof sql - 8; k++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", ?");
    snprintf(sql + used, sizeof sql - used, ")");
    CAROM_TRY(prepare(f, sql, &f->insert, error));
    return prepare(f, "SELECT * FROM point WHERE i = ?", &f->select, error);
}

static carom_status take_up(file *f, carom_store *store, const carom_store_form *form, bool resume, carom_error *error)
{
    long long id = 0, tables = 0;
    CAROM_TRY(run(f, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL", error));
    CAROM_TRY(ask(f, "SELECT count(*) FROM sqlite_master", &tables, error));
    CAROM_TRY(ask(f, "PRAGMA application_id", &id, error));
    if (tables > 0 && id != APPLICATION)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is a database, but not the result of a sweep", f->path);
    if (tables == 0 && !form)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is empty", f->path);
    if (tables > 0 && form && !resume)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is there already: --resume goes on with it", f->path);
    CAROM_TRY(run(f, "PRAGMA journal_mode = WAL", error));
    if (tables == 0)
        CAROM_TRY(make(f, form, error));
    CAROM_TRY(read_form(f, store, error));
    if (form)
        CAROM_TRY(carom_store_compare(&store->form, form, f->path, NULL, error));
    return prepare_rows(f, store->form.ncolumn, error);
}

/* ---- rows ---- */

/* The row that a SELECT * stands at. */
static void read_row(sqlite3_stmt *s, int ncolumn, double *value, carom_store_row *row)
{
    const char *status = (const char *)sqlite3_column_text(s, 1), *text = (const char *)sqlite3_column_text(s, 2);
    *row = (carom_store_row){sqlite3_column_int64(s, 0), status ? status : "", text ? text : "", value};
    for (int k = 0; k < ncolumn; k++)
        value[k] = sqlite3_column_type(s, k + 3) == SQLITE_NULL ? NAN : sqlite3_column_double(s, k + 3);
}

static carom_status compare(file *f, const carom_store_row *row, int ncolumn, carom_error *error)
{
    double value[512];
    carom_store_row there;
    sqlite3_bind_int64(f->select, 1, row->index);
    carom_status status = CAROM_OK;
    if (sqlite3_step(f->select) != SQLITE_ROW) {
        status = fail(f, error);
    } else {
        read_row(f->select, CAROM_MIN(ncolumn, CAROM_COUNT(value)), value, &there);
        if (!carom_store_same(&there, row, ncolumn))
            status = carom_store_conflict(&there, row, ncolumn, error);
    }
    sqlite3_reset(f->select);
    return status;
}

/* What could not be written is taken back, so that the file stays whole. */
static carom_status undo(file *f, carom_error *error)
{
    carom_status status = fail(f, error);
    if (!sqlite3_get_autocommit(f->db))
        sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
    f->open = false;
    return status;
}

static carom_status commit(void *keep, carom_error *error)
{
    file *f = keep;
    if (!f->open)
        return CAROM_OK;
    if (sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return undo(f, error);
    f->open = false;
    f->written = carom_output_clock();
    return CAROM_OK;
}

static carom_status put(void *keep, const carom_store_row *row, int ncolumn, carom_error *error)
{
    file *f = keep;
    sqlite3_stmt *s = f->insert;
    if (!f->open)
        CAROM_TRY(run(f, "BEGIN IMMEDIATE", error));
    f->open = true;
    sqlite3_bind_int64(s, 1, row->index);
    sqlite3_bind_text(s, 2, row->status, -1, SQLITE_STATIC);
    if (*row->text)
        sqlite3_bind_text(s, 3, row->text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, 3);
    for (int k = 0; k < ncolumn; k++)
        sqlite3_bind_double(s, k + 4, row->value[k]); /* NaN becomes NULL */
    int code = sqlite3_step(s);
    sqlite3_reset(s);
    if (code != SQLITE_DONE)
        return undo(f, error);
    if (sqlite3_changes(f->db) == 0)
        CAROM_TRY(compare(f, row, ncolumn, error));
    return carom_output_clock() - f->written > PATIENCE ? commit(f, error) : CAROM_OK;
}

static carom_status scan(void *keep, int ncolumn, carom_store_visit *visit, void *user, carom_error *error)
{
    file *f = keep;
    sqlite3_stmt *s = NULL;
    double *value = calloc((size_t)ncolumn + 1, sizeof *value);
    if (!value)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a row of %d columns", ncolumn);
    carom_status status = prepare(f, "SELECT * FROM point ORDER BY i", &s, error);
    int code = SQLITE_DONE;
    while (status == CAROM_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        carom_store_row row;
        read_row(s, ncolumn, value, &row);
        status = visit(user, &row, error);
    }
    if (status == CAROM_OK && code != SQLITE_DONE)
        status = fail(f, error);
    sqlite3_finalize(s);
    free(value);
    return status;
}

static carom_status close_file(void *keep, carom_error *error)
{
    file *f = keep;
    carom_status status = commit(f, error);
    sqlite3_finalize(f->insert);
    sqlite3_finalize(f->select);
    /* One file without a log; where that fails (no room) the log stays, and is read the next time. */
    sqlite3_exec(f->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(f->db);
    free(f);
    return status;
}

static const carom_store_keeper keeper = {put, commit, scan, close_file, NULL};

carom_status carom_store_sqlite(carom_store *store, const char *path, const carom_store_form *form, bool resume,
                                carom_error *error)
{
    file *f = calloc(1, sizeof *f);
    if (!f)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a store");
    store->keeper = &keeper;
    store->keep = f;
    f->path = carom_arena_text(store->arena, path, strlen(path));
    f->written = carom_output_clock();
    if (!f->path)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a store");
    if (!form && access(path, F_OK) != 0)
        CAROM_FAIL(error, CAROM_FILE, "there is no file '%s'", path);
    if (sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READWRITE | (form ? SQLITE_OPEN_CREATE : 0), NULL) != SQLITE_OK)
        return fail(f, error);
    return take_up(f, store, form, resume, error);
}

#endif
