/* columns.c: named columns of numbers, read back from a trajectory file of any format. */
#include <stdlib.h>
#include <string.h>

#include "output/columns/columns.h"

static char *copy(const char *text, size_t length)
{
    char *own = malloc(length + 1);
    if (!own)
        return NULL;
    memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

/* What a terminal may obey becomes a question mark: names and titles are printed. */
static void tame(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* U+0080 to U+009F */
            c[0] = c[1] = '?';
    }
}

carom_status carom_columns_text(const carom_columns_builder *b, char **which, const char *text, size_t length,
                              carom_error *error)
{
    char *own = copy(text, length);
    if (!own)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu bytes of text", b->path, length);
    tame(own);
    free(*which);
    *which = own;
    return CAROM_OK;
}

char **carom_columns_key(const carom_columns_builder *b, const char *key)
{
    carom_columns *t = b->table;
    return !strcmp(key, "model")     ? &t->title
           : !strcmp(key, "source")  ? &t->source
           : !strcmp(key, "scheme")  ? &t->scheme
           : !strcmp(key, "options") ? &t->options
                                     : NULL;
}

carom_status carom_columns_parameter(const carom_columns_builder *b, const char *name, size_t length, double value,
                                   carom_error *error)
{
    carom_columns *t = b->table;
    size_t n = (size_t)t->nparameter + 1;
    char **names = realloc(t->parameter, n * sizeof *names);
    t->parameter = names ? names : t->parameter;
    double *values = names ? realloc(t->value, n * sizeof *values) : NULL;
    t->value = values ? values : t->value;
    char *own = values ? copy(name, length) : NULL;
    if (!own)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu parameters", b->path, n);
    t->parameter[t->nparameter] = own, t->value[t->nparameter++] = value;
    return CAROM_OK;
}

carom_status carom_columns_name(carom_columns_builder *b, const char *name, size_t length, carom_error *error)
{
    carom_columns *t = b->table;
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
    tame(own);
    t->name[t->ncolumn++] = own;
    return CAROM_OK;
}

carom_status carom_columns_named(carom_columns_builder *b, carom_error *error)
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

carom_status carom_columns_reserve(carom_columns_builder *b, size_t rows, carom_error *error)
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

carom_status carom_columns_append(carom_columns_builder *b, carom_error *error)
{
    carom_columns *t = b->table;
    CAROM_TRY(carom_columns_reserve(b, t->nrow + 1, error));
    for (int i = 0; i < t->ncolumn; i++)
        t->column[i][t->nrow] = b->row[i];
    t->nrow++;
    return CAROM_OK;
}

/* The file's name without folders stands in for a title. */
static carom_status read(carom_columns_builder *b, carom_error *error)
{
    const char *slash = strrchr(b->path, '/'), *base = slash ? slash + 1 : b->path;
    CAROM_TRY(carom_columns_text(b, &b->table->title, base, strlen(base), error));
    if (carom_ends_with(b->path, ".csv"))
        return carom_columns_csv(b, error);
    if (carom_ends_with(b->path, ".json"))
        return carom_columns_json(b, error);
    if (carom_ends_with(b->path, ".h5") || carom_ends_with(b->path, ".hdf5"))
        return carom_columns_hdf5(b, error);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s': the ending of a trajectory file is one of %s", b->path,
               carom_sink_endings());
}

carom_status carom_columns_read(carom_columns **table, const char *path, carom_error *error)
{
    CAROM_NEED(table, error);
    *table = NULL;
    CAROM_NEED(path, error);
    carom_columns_builder b = {.table = calloc(1, sizeof **table), .path = path};
    if (!b.table)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for reading '%s'", path);
    carom_status status = read(&b, error);
    free(b.row);
    if (status != CAROM_OK)
        carom_columns_free(b.table);
    else
        *table = b.table;
    return status;
}

void carom_columns_free(carom_columns *table)
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
    for (int i = 0; i < table->nparameter; i++)
        free(table->parameter[i]);
    free(table->parameter);
    free(table->value);
    free(table->title);
    free(table->source);
    free(table->scheme);
    free(table->options);
    free(table);
}

int carom_columns_find(const carom_columns *table, const char *name)
{
    for (int i = 0; i < table->ncolumn; i++)
        if (strcmp(table->name[i], name) == 0)
            return i;
    return -1;
}

static bool has_rate(const carom_columns *table, const char *name)
{
    char rate[300];
    snprintf(rate, sizeof rate, "%s'", name);
    return carom_columns_find(table, rate) >= 0;
}

static bool is_rate(const carom_columns *table, const char *name)
{
    char base[300];
    snprintf(base, sizeof base, "%.*s", (int)strlen(name) - 1, name);
    return carom_ends_with(name, "'") && carom_columns_find(table, base) >= 0;
}

carom_column_kind carom_columns_kind(const carom_columns *table, int column)
{
    const char *name = table->name[column], *dot = strrchr(name, '.');
    if (strcmp(name, "t") == 0 || strcmp(name, "side") == 0)
        return CAROM_COLUMN_TIME;
    if (strcmp(name, "energy") == 0)
        return CAROM_COLUMN_ENERGY;
    if (has_rate(table, name))
        return CAROM_COLUMN_COORDINATE;
    if (is_rate(table, name))
        return CAROM_COLUMN_VELOCITY;
    if (dot && strcmp(dot, ".gap") == 0)
        return CAROM_COLUMN_GAP;
    if (dot && strcmp(dot, ".mode") == 0)
        return CAROM_COLUMN_MODE;
    if (dot && strncmp(dot, ".force", 6) == 0)
        return CAROM_COLUMN_FORCE;
    if (dot && strncmp(dot, ".impulse", 8) == 0)
        return CAROM_COLUMN_IMPULSE;
    if (dot && strncmp(dot, ".reaction", 9) == 0)
        return CAROM_COLUMN_REACTION;
    return CAROM_COLUMN_OUTPUT;
}
