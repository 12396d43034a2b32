/* json.c: reads "columns" and "rows" of a trajectory written as JSON. A file that ends early gives the rows
 * that are whole; anything else that is not JSON is an error with its line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/columns/columns.h"

enum { DEPTH_MOST = 64 };

typedef struct reader {
    carom_columns_builder *b;
    char *text, *at;  /* at: what comes next; the text ends with a NUL */
    char *end;
    char *word;       /* [length of text + 1] the last string read */
    bool any_columns, any_rows;
} reader;

static carom_status complain(const reader *r, const char *wanted, carom_error *error)
{
    long line = 1;
    for (const char *c = r->text; c < r->at; c++)
        line += *c == '\n';
    if (r->at >= r->end)
        CAROM_FAIL(error, CAROM_FILE, "'%s' ends in the middle of line %ld: %s is missing", r->b->path, line, wanted);
    CAROM_FAIL(error, CAROM_FILE, "'%s' line %ld: '%.20s' stands where %s should be", r->b->path, line, r->at, wanted);
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
        r->at++;
}

static bool accept(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static carom_status expect(reader *r, char c, carom_error *error)
{
    char wanted[4] = {'\'', c, '\'', '\0'};
    return accept(r, c) ? CAROM_OK : complain(r, wanted, error);
}

/* \uXXXX as UTF-8; pairs of surrogates stay apart, names do not need them. */
static char *put_code(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

static char *put_escape(reader *r, char *out)
{
    static const char code[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    const char *known = *r->at ? strchr(code, *r->at) : NULL;
    if (known) {
        *out++ = plain[known - code];
        r->at++;
        return out;
    }
    char digits[5] = {0}, *rest;
    if (*r->at != 'u' || r->end - r->at < 5)
        return NULL;
    memcpy(digits, r->at + 1, 4);
    unsigned value = (unsigned)strtoul(digits, &rest, 16);
    if (rest != digits + 4)
        return NULL;
    r->at += 5;
    return put_code(out, value);
}

static carom_status read_string(reader *r, carom_error *error)
{
    if (!accept(r, '"'))
        return complain(r, "a string", error);
    char *out = r->word;
    while (r->at < r->end && *r->at != '"') {
        char c = *r->at++;
        if (c != '\\')
            *out++ = c;
        else if (!(out = put_escape(r, out)))
            return complain(r, "an escape", error);
    }
    *out = '\0';
    return expect(r, '"', error);
}

static carom_status read_number(reader *r, double *value, carom_error *error)
{
    skip_blanks(r);
    if (strncmp(r->at, "null", 4) == 0) {
        r->at += 4;
        *value = NAN;
        return CAROM_OK;
    }
    size_t length = strspn(r->at, "+-.0123456789eE");
    if (r->at + length >= r->end || (r->end - r->at < 4 && strncmp("null", r->at, (size_t)(r->end - r->at)) == 0)) {
        r->at = r->end; /* what may go on is not a number yet */
        return complain(r, "a number", error);
    }
    char after = r->at[length];
    r->at[length] = '\0';
    bool ok = length > 0 && carom_number(r->at, value);
    r->at[length] = after;
    if (!ok)
        return complain(r, "a number", error);
    r->at += length;
    return CAROM_OK;
}

static carom_status skip_word(reader *r, carom_error *error)
{
    double number;
    skip_blanks(r);
    size_t length = strspn(r->at, "truefals");
    if (length > 0 && (strncmp(r->at, "true", length) == 0 || strncmp(r->at, "false", length) == 0)) {
        r->at += length;
        return CAROM_OK;
    }
    return read_number(r, &number, error);
}

/* Any value at all. */
static carom_status skip(reader *r, int depth, carom_error *error)
{
    if (depth > DEPTH_MOST)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is nested deeper than %d levels", r->b->path, DEPTH_MOST);
    skip_blanks(r);
    if (*r->at == '"')
        return read_string(r, error);
    bool object = *r->at == '{';
    if (!object && *r->at != '[')
        return skip_word(r, error);
    char close = object ? '}' : ']';
    r->at++;
    if (accept(r, close))
        return CAROM_OK;
    do {
        if (object) {
            CAROM_TRY(read_string(r, error));
            CAROM_TRY(expect(r, ':', error));
        }
        CAROM_TRY(skip(r, depth + 1, error));
    } while (accept(r, ','));
    return expect(r, close, error);
}

static carom_status read_columns(reader *r, carom_error *error)
{
    CAROM_TRY(expect(r, '[', error));
    do {
        CAROM_TRY(read_string(r, error));
        CAROM_TRY(carom_columns_name(r->b, r->word, strlen(r->word), error));
    } while (accept(r, ','));
    CAROM_TRY(expect(r, ']', error));
    r->any_columns = true;
    return carom_columns_named(r->b, error);
}

static carom_status read_row(reader *r, carom_error *error)
{
    CAROM_TRY(expect(r, '[', error));
    for (int i = 0; i < r->b->table->ncolumn; i++) {
        if (i > 0)
            CAROM_TRY(expect(r, ',', error));
        CAROM_TRY(read_number(r, &r->b->row[i], error));
    }
    CAROM_TRY(expect(r, ']', error));
    return carom_columns_append(r->b, error);
}

static carom_status read_rows(reader *r, carom_error *error)
{
    if (!r->any_columns)
        CAROM_FAIL(error, CAROM_FILE, "'%s': \"columns\" must come before \"rows\"", r->b->path);
    r->any_rows = true;
    CAROM_TRY(expect(r, '[', error));
    if (accept(r, ']'))
        return CAROM_OK;
    do {
        CAROM_TRY(read_row(r, error));
    } while (accept(r, ','));
    return expect(r, ']', error);
}

static carom_status read_parameters(reader *r, carom_error *error)
{
    double value;
    CAROM_TRY(expect(r, '{', error));
    if (accept(r, '}'))
        return CAROM_OK;
    do {
        CAROM_TRY(read_string(r, error));
        CAROM_TRY(expect(r, ':', error));
        CAROM_TRY(read_number(r, &value, error));
        CAROM_TRY(carom_columns_parameter(r->b, r->word, strlen(r->word), value, error));
    } while (accept(r, ','));
    return expect(r, '}', error);
}

static carom_status read_field(reader *r, carom_error *error)
{
    CAROM_TRY(read_string(r, error));
    CAROM_TRY(expect(r, ':', error));
    skip_blanks(r);
    if (strcmp(r->word, "columns") == 0 && !r->any_columns)
        return read_columns(r, error);
    if (strcmp(r->word, "rows") == 0 && !r->any_rows)
        return read_rows(r, error);
    if (strcmp(r->word, "parameters") == 0 && *r->at == '{' && r->b->table->nparameter == 0)
        return read_parameters(r, error);
    char **which = *r->at == '"' ? carom_columns_key(r->b, r->word) : NULL;
    CAROM_TRY(skip(r, 0, error));
    return which ? carom_columns_text(r->b, which, r->word, strlen(r->word), error) : CAROM_OK;
}

static carom_status read_object(reader *r, carom_error *error)
{
    CAROM_TRY(expect(r, '{', error));
    do {
        CAROM_TRY(read_field(r, error));
    } while (accept(r, ','));
    CAROM_TRY(expect(r, '}', error));
    skip_blanks(r);
    return r->at == r->end ? CAROM_OK : complain(r, "the end", error);
}

static carom_status load(reader *r, carom_error *error)
{
    FILE *file = fopen(r->b->path, "rb");
    if (!file)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be read: %s", r->b->path, strerror(errno));
    size_t used = 0, room = 1 << 16;
    bool enough = (r->text = malloc(room)) != NULL;
    for (size_t got = 1; enough && got > 0; used += got) {
        if (room - used < 2) {
            char *text = realloc(r->text, 2 * room);
            enough = text != NULL;
            r->text = enough ? text : r->text;
            room = enough ? 2 * room : room;
        }
        got = enough ? fread(r->text + used, 1, room - used - 1, file) : 0;
    }
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be read: %s", r->b->path, strerror(reason));
    if (!enough || !(r->word = malloc(used + 1)))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory for %zu bytes", r->b->path, used);
    r->text[used] = '\0';
    r->at = r->text;
    r->end = r->text + used;
    return CAROM_OK;
}

carom_status carom_columns_json(carom_columns_builder *b, carom_error *error)
{
    reader r = {.b = b};
    carom_status status = load(&r, error);
    if (status == CAROM_OK)
        status = read_object(&r, error);
    if (status == CAROM_FILE && r.any_rows && r.at >= r.end) {
        b->table->truncated = true;
        status = CAROM_OK;
    }
    if (status == CAROM_OK && !r.any_rows)
        status = carom_fail(error, CAROM_FILE, "'%s' is not a trajectory: it has no \"columns\" and \"rows\"", b->path);
    free(r.text);
    free(r.word);
    return status;
}
