/* table.h: how a table is built while a file is read. */
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "output/output.h"

typedef struct carom_table_builder {
    carom_table *table;
    const char *path;
    size_t room;  /* rows */
    int names;    /* room for names */
    double *row;  /* [ncolumn] for the reader's use, after the names are complete */
} carom_table_builder;

/* Replaces a text of the table: title, scheme, ... */
carom_status carom_table_text(const carom_table_builder *b, char **which, const char *text, size_t length,
                              carom_error *error);
/* Where the text with this key belongs: "model", "source", "scheme", "options"; NULL: nowhere. */
char **carom_table_key(const carom_table_builder *b, const char *key);
carom_status carom_table_parameter(const carom_table_builder *b, const char *name, size_t length, double value,
                                   carom_error *error);
carom_status carom_table_name(carom_table_builder *b, const char *name, size_t length, carom_error *error);
carom_status carom_table_named(carom_table_builder *b, carom_error *error); /* no more names */
carom_status carom_table_reserve(carom_table_builder *b, size_t rows, carom_error *error);
carom_status carom_table_append(carom_table_builder *b, carom_error *error); /* b->row */

carom_status carom_table_csv(carom_table_builder *b, carom_error *error);
carom_status carom_table_json(carom_table_builder *b, carom_error *error);
carom_status carom_table_hdf5(carom_table_builder *b, carom_error *error);

#endif
