/* csv.c: reads a trajectory written as CSV, and plain CSV files with a line of names from elsewhere. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/columns/columns.h"

typedef struct reader {
    carom_columns_builder *b;
    FILE *file;
    char *line;   /* without its end */
    size_t size;
    long number;
    bool ended;   /* the line had an end */
    bool ours;    /* the file begins with "# carom" */
    bool failed;  /* there may be more, but it cannot be had */
} reader;

/* false at the end of the file. */
static bool next_line(reader *r)
{
    ssize_t length = getline(&r->line, &r->size, r->file);
    if (length <= 0) {
        r->failed = !feof(r->file);
        return false;
    }
    r->number++;
    r->ended = r->line[length - 1] == '\n';
    while (length > 0 && (r->line[length - 1] == '\n' || r->line[length - 1] == '\r'))
        r->line[--length] = '\0';
    if (strlen(r->line) != (size_t)length)
        r->line[0] = '\1'; /* a NUL inside: no text, hence no number */
    return true;
}

static carom_status fail_read(const reader *r, carom_error *error)
{
    CAROM_FAIL(error, errno == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE, "'%s' cannot be read: %s", r->b->path,
               strerror(errno));
}

char *carom_csv_field(char **at)
{
    char *begin = *at, *end, *out;
    if (*begin != '"') {
        end = strchr(begin, ',');
        *at = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        return begin;
    }
    out = end = begin + 1;
    char *text = out;
    for (; *end && !(end[0] == '"' && end[1] != '"'); end++) {
        *out++ = *end;
        end += *end == '"';
    }
    char *comma = *end ? strchr(end, ',') : NULL;
    *out = '\0';
    *at = comma ? comma + 1 : NULL;
    return text;
}

/* "m=1 g=10": what is no such pair is passed over */
static carom_status read_parameters(const reader *r, char *at, carom_error *error)
{
    while (*at) {
        size_t length = strcspn(at, " ");
        char *next = at + length + (at[length] == ' '), *equals = memchr(at, '=', length);
        double value;
        at[length] = '\0';
        if (equals && equals > at && carom_number(equals + 1, &value))
            CAROM_TRY(carom_columns_parameter(r->b, at, (size_t)(equals - at), value, error));
        at = next;
    }
    return CAROM_OK;
}

/* "# key: text" */
static carom_status read_comment(reader *r, carom_error *error)
{
    if (r->number == 1 && strncmp(r->line, "# carom ", 8) == 0)
        r->ours = true;
    char *colon = strstr(r->line, ": ");
    if (!r->ours || !colon || strncmp(r->line, "# ", 2) != 0)
        return CAROM_OK;
    *colon = '\0';
    const char *key = r->line + 2;
    if (strcmp(key, "parameters") == 0)
        return read_parameters(r, colon + 2, error);
    char **which = carom_columns_key(r->b, key);
    return which ? carom_columns_text(r->b, which, colon + 2, strlen(colon + 2), error) : CAROM_OK;
}

static carom_status read_header(reader *r, carom_error *error)
{
    bool there;
    while ((there = next_line(r)) && (r->line[0] == '#' || r->line[0] == '\0'))
        CAROM_TRY(read_comment(r, error));
    if (!there && r->failed)
        return fail_read(r, error);
    if (!there)
        CAROM_FAIL(error, CAROM_FILE, "'%s' has no line with the names of the columns", r->b->path);
    for (char *at = r->line; at;) {
        char *name = carom_csv_field(&at);
        double value;
        for (char *c = name; *c; c++)
            if ((unsigned char)*c < 0x20)
                CAROM_FAIL(error, CAROM_FILE, "'%s' is not a CSV file: line %ld holds the byte 0x%02x", r->b->path,
                           r->number, (unsigned char)*c);
        if (name[0] == '\0' || carom_number(name, &value))
            CAROM_FAIL(error, CAROM_FILE, "'%s' line %ld: '%s' stands where the name of column %d should be",
                       r->b->path, r->number, name, r->b->table->ncolumn + 1);
        CAROM_TRY(carom_columns_name(r->b, name, strlen(name), error));
    }
    return carom_columns_named(r->b, error);
}

static bool read_number(const char *text, double *value)
{
    if (carom_number(text, value))
        return true;
    *value = text[0] == '-' ? -INFINITY : text[0] == 'i' ? INFINITY : NAN;
    return text[0] == '\0' || strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
}

/* Fills b->row. *fields is how many there are, also when there are too many. */
static carom_status read_row(reader *r, int *fields, carom_error *error)
{
    const carom_columns *t = r->b->table;
    *fields = 0;
    for (char *at = r->line; at; (*fields)++) {
        const char *text = carom_csv_field(&at);
        if (*fields < t->ncolumn && !read_number(text, &r->b->row[*fields]))
            CAROM_FAIL(error, CAROM_FILE, "'%s' line %ld: '%.40s' in column '%s' is not a number", r->b->path,
                       r->number, text[0] == '\1' ? "(not text)" : text, t->name[*fields]);
    }
    return CAROM_OK;
}

static carom_status read_rows(reader *r, carom_error *error)
{
    carom_columns *t = r->b->table;
    while (next_line(r)) {
        if (r->line[0] == '\0' || r->line[0] == '#')
            continue;
        int fields;
        carom_status status = read_row(r, &fields, error);
        if (!r->ended && (r->ours || status != CAROM_OK || fields < t->ncolumn)) {
            t->truncated = true;
            return CAROM_OK;
        }
        CAROM_TRY(status);
        if (fields != t->ncolumn)
            CAROM_FAIL(error, CAROM_FILE, "'%s' line %ld: %d values for %d columns", r->b->path, r->number, fields,
                       t->ncolumn);
        CAROM_TRY(carom_columns_append(r->b, error));
    }
    return r->failed ? fail_read(r, error) : CAROM_OK;
}

carom_status carom_columns_csv(carom_columns_builder *b, carom_error *error)
{
    reader r = {.b = b, .file = fopen(b->path, "rb")};
    if (!r.file)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be read: %s", b->path, strerror(errno));
    carom_status status = read_header(&r, error);
    if (status == CAROM_OK)
        status = read_rows(&r, error);
    free(r.line);
    fclose(r.file);
    return status;
}
