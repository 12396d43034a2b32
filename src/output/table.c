/* table.c: named columns of numbers, read back from a trajectory file of any format. */
#include <stdlib.h>
#include <string.h>

#include "output/table.h"

static char *copy(const char *text, size_t length)
{
    char *own = malloc(length + 1);
    if (!own)
        return NULL;
    memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

carom_status carom_table_title(carom_table_builder *b, const char *title, size_t length, carom_error *error)
{
    char *own = copy(title, length);
    if (!own)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for the title", b->path);
    free(b->table->title);
    b->table->title = own;
    return CAROM_OK;
}

carom_status carom_table_name(carom_table_builder *b, const char *name, size_t length, carom_error *error)
{
    carom_table *t = b->table;
    if (t->ncolumn == b->names) {
        int room = 2 * b->names + 16;
        char **names = realloc(t->name, (size_t)room * sizeof *names);
        if (!names)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %d columns", b->path, room);
        t->name = names;
        b->names = room;
    }
    char *own = copy(name, length);
    if (!own)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for the name of a column", b->path);
    t->name[t->ncolumn++] = own;
    return CAROM_OK;
}

carom_status carom_table_named(carom_table_builder *b, carom_error *error)
{
    size_t n = (size_t)b->table->ncolumn;
    if (n == 0)
        CAROM_FAIL(error, CAROM_FILE, "'%s' has no columns", b->path);
    b->table->column = calloc(n, sizeof *b->table->column);
    b->row = calloc(n, sizeof *b->row);
    if (!b->table->column || !b->row)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu columns", b->path, n);
    return CAROM_OK;
}

carom_status carom_table_reserve(carom_table_builder *b, size_t rows, carom_error *error)
{
    if (rows <= b->room && b->room > 0)
        return CAROM_OK;
    size_t room = CAROM_MAX(CAROM_MAX(rows, 2 * b->room), 64);
    for (int i = 0; i < b->table->ncolumn; i++) {
        double *column = realloc(b->table->column[i], room * sizeof *column);
        if (!column)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu rows of %d columns", b->path, room,
                       b->table->ncolumn);
        b->table->column[i] = column;
    }
    b->room = room;
    return CAROM_OK;
}

carom_status carom_table_append(carom_table_builder *b, carom_error *error)
{
    carom_table *t = b->table;
    CAROM_TRY(carom_table_reserve(b, t->nrow + 1, error));
    for (int i = 0; i < t->ncolumn; i++)
        t->column[i][t->nrow] = b->row[i];
    t->nrow++;
    return CAROM_OK;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

/* The file's name without folders stands in for a title. */
static carom_status read(carom_table_builder *b, carom_error *error)
{
    const char *slash = strrchr(b->path, '/'), *base = slash ? slash + 1 : b->path;
    CAROM_TRY(carom_table_title(b, base, strlen(base), error));
    if (ends_with(b->path, ".csv"))
        return carom_table_csv(b, error);
    if (ends_with(b->path, ".json"))
        return carom_table_json(b, error);
    if (ends_with(b->path, ".h5") || ends_with(b->path, ".hdf5"))
        return carom_table_hdf5(b, error);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s': the ending of a trajectory file is one of %s", b->path,
               carom_sink_endings());
}

carom_status carom_table_read(carom_table **table, const char *path, carom_error *error)
{
    *table = NULL;
    carom_table_builder b = {.table = calloc(1, sizeof **table), .path = path};
    if (!b.table)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for reading '%s'", path);
    carom_status status = read(&b, error);
    free(b.row);
    if (status != CAROM_OK)
        carom_table_free(b.table);
    else
        *table = b.table;
    return status;
}

void carom_table_free(carom_table *table)
{
    if (!table)
        return;
    for (int i = 0; i < table->ncolumn; i++) {
        free(table->name[i]);
        if (table->column)
            free(table->column[i]);
    }
    free(table->name);
    free(table->column);
    free(table->title);
    free(table);
}

int carom_table_find(const carom_table *table, const char *name)
{
    for (int i = 0; i < table->ncolumn; i++)
        if (strcmp(table->name[i], name) == 0)
            return i;
    return -1;
}
