/* columns.h: how a table is built while a file is read. */
#ifndef CAROM_COLUMNS_H
#define CAROM_COLUMNS_H

#include "output/output.h"
#include "output/touching.h"

typedef struct carom_columns_builder {
    carom_columns *table;
    const char *path;
    size_t room;  /* rows */
    int names;    /* room for names */
    double *row;  /* [ncolumn] for the reader's use, after the names are complete */
} carom_columns_builder;

/* Replaces a text of the table: title, scheme, ... */
carom_status carom_columns_text(const carom_columns_builder *b, char **which, const char *text, size_t length,
                              carom_error *error);
/* Where the text with this key belongs: "model", "source", "scheme", "options"; NULL: nowhere. */
char **carom_columns_key(const carom_columns_builder *b, const char *key);
carom_status carom_columns_parameter(const carom_columns_builder *b, const char *name, size_t length, double value,
                                   carom_error *error);
carom_status carom_columns_name(carom_columns_builder *b, const char *name, size_t length, carom_error *error);
carom_status carom_columns_named(carom_columns_builder *b, carom_error *error); /* no more names */
carom_status carom_columns_reserve(carom_columns_builder *b, size_t rows, carom_error *error);
carom_status carom_columns_append(carom_columns_builder *b, carom_error *error); /* b->row */

/* The contacts that were found in a run and written beside its samples (touchings.c), in the order of the file; none
 * where the file has no such table. */
carom_status carom_touchings_read(const char *path, const carom_model *model, carom_touching_callback *put, void *user,
                                  carom_error *error);
carom_status carom_touchings_hdf5(const char *path, carom_touching_callback *put, void *user, carom_error *error);
/* Cuts the field at *at out of a line of CSV; *at moves behind it, to NULL after the last. Quotes are undone. */
char *carom_csv_field(char **at);

carom_status carom_columns_csv(carom_columns_builder *b, carom_error *error);
carom_status carom_columns_json(carom_columns_builder *b, carom_error *error);
carom_status carom_columns_hdf5(carom_columns_builder *b, carom_error *error);

#endif
