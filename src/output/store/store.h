/* store.h: results of a sweep, one row for each point: in an SQLite file that survives whatever ends the process, or in
 * memory. The file carries what was asked for as entries (key, value) and refuses to go on with anything else.
 *
 *   entry  (key, value)                              what the sweep is
 *   point  (i, status, text, c1, c2, ...)            its rows; NULL stands for NaN
 *   result                                           the same with the names of the columns: for people
 *
 * Rows are committed after 0.2 s: kill -9 loses the points of that time, never the file. -0 is not told from 0. */
#ifndef CAROM_STORE_H
#define CAROM_STORE_H

#include <stdio.h>

#include "core/core.h"

typedef struct carom_store_entry {
    const char *key, *value;
} carom_store_entry;

typedef struct carom_store_form { /* what a store is about */
    const carom_store_entry *entry; /* [nentry] */
    const char *const *column;      /* [ncolumn] */
    int nentry, ncolumn;
} carom_store_form;

typedef struct carom_store_row {
    long long index;
    const char *status, *text; /* "ok", ""; "not_converged", "newton: ..." */
    const double *value;       /* [ncolumn] */
} carom_store_row;

typedef struct carom_store carom_store;

bool carom_store_path(const char *path); /* does it end as a store does: .sqlite, .sqlite3, .db? */

bool carom_store_table_path(const char *path); /* as a table does: .csv, .h5, .hdf5? */

/* A store of this form. path NULL: in memory. A table: in memory, with a journal TABLE.csv.rows that is there until
 * carom_store_complete; with `resume` its rows are taken up. Else a file that is there already is refused, or with
 * `resume` taken up if its entries are the same: else the error tells which differ. */
carom_status carom_store_create(carom_store **store, const char *path, const carom_store_form *form, bool resume,
                                carom_error *error);
carom_status carom_store_open(carom_store **store, const char *path, carom_error *error);
/* Commits and frees; NULL is fine. */
carom_status carom_store_close(carom_store *store, carom_error *error);

const carom_store_form *carom_store_shape(const carom_store *store);
const char *carom_store_value(const carom_store_form *form, const char *key); /* NULL: there is none */
/* Are they the same, but for this key (NULL: none)? Otherwise the error tells which entries differ. */
carom_status carom_store_compare(const carom_store_form *there, const carom_store_form *here, const char *where,
                                 const char *but, carom_error *error);

/* Adds rows. One that is there already must be the same to the last bit: CAROM_BAD_ARGUMENT. */
carom_status carom_store_put(carom_store *store, const carom_store_row *rows, int n, carom_error *error);
carom_status carom_store_commit(carom_store *store, carom_error *error);
void carom_store_complete(carom_store *store); /* all is done and written: what is kept to go on is not needed */
/* All rows in the order of their indices. */
typedef carom_status carom_store_visit(void *user, const carom_store_row *row, carom_error *error);
carom_status carom_store_scan(carom_store *store, carom_store_visit *visit, void *user, carom_error *error);

/* index, columns, status, text as CSV in the order of indices. stream NULL: path is created. */
carom_status carom_store_csv(carom_store *store, const char *path, FILE *stream, carom_error *error);
carom_status carom_store_hdf5(carom_store *store, const char *path, carom_error *error);
/* The one or the other, by the end of its name. */
carom_status carom_store_table(carom_store *store, const char *path, FILE *stream, carom_error *error);

/* ---- behind it: the two places where rows are kept ---- */
typedef struct carom_store_keeper {
    carom_status (*put)(void *keep, const carom_store_row *row, int ncolumn, carom_error *error);
    carom_status (*commit)(void *keep, carom_error *error);
    carom_status (*scan)(void *keep, int ncolumn, carom_store_visit *visit, void *user, carom_error *error);
    carom_status (*close)(void *keep, carom_error *error); /* frees */
    void (*complete)(void *keep); /* see carom_store_complete; NULL: nothing to do */
} carom_store_keeper;
struct carom_store {
    const carom_store_keeper *keeper;
    void *keep;
    carom_arena *arena;
    carom_store_form form;
};
/* Copies a form into the store's arena. */
carom_status carom_store_adopt(carom_store *store, const carom_store_form *form, carom_error *error);
bool carom_store_same(const carom_store_row *a, const carom_store_row *b, int ncolumn);
carom_status carom_store_conflict(const carom_store_row *a, const carom_store_row *b, int ncolumn, carom_error *error);
carom_status carom_store_sqlite(carom_store *store, const char *path, const carom_store_form *form, bool resume,
                                carom_error *error);
carom_status carom_store_journal(carom_store *store, const char *path, const carom_store_form *form, bool resume,
                                 carom_error *error);
extern const carom_store_keeper carom_store_memory;
void *carom_store_memory_new(void);

#endif
