/* json.c: JSON (RFC 8259) into the neutral tree, with nothing but the C library: for builds without libfyaml. */
#include <stdlib.h>
#include <string.h>

#include "text/lines.h"

typedef struct reader {
    carom_arena *arena;
    const carom_text_file *file;
    carom_text_cursor cursor; /* where lines and columns were counted last */
    size_t at;
    int depth, nodes;
    carom_error *error;
} reader;

static carom_text_place place_of(reader *r, size_t from, size_t to)
{
    if (from < r->cursor.offset) /* a failure looks back */
        r->cursor = carom_text_start(r->file);
    carom_text_advance(r->file, &r->cursor, from);
    int length = to > from ? carom_text_count(r->file, from, to) : 1;
    return (carom_text_place){r->cursor.line, r->cursor.column, CAROM_MAX(length, 1)};
}

static carom_status refuse(reader *r, size_t at, const char *words)
{
    return carom_text_fail(r->file, place_of(r, at, at + 1), r->error, CAROM_BAD_MODEL, "%s", words);
}

static carom_status no_memory(const reader *r)
{
    CAROM_FAIL(r->error, CAROM_NO_MEMORY, "%.700s: out of memory", r->file->name);
}

/* The next character that is no white space; 0 at the end. */
static char peek(reader *r)
{
    while (r->at < r->file->length && strchr(" \t\r\n", r->file->bytes[r->at]))
        r->at++;
    return r->at < r->file->length ? r->file->bytes[r->at] : 0;
}

/* ---- strings ---- */

static char *encode(char *to, unsigned long code) /* UTF-8 */
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xf00 >> (more + 1) & 0xff) | code >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

/* The four digits after \u at s; -1: they are none. */
static long four_digits(const reader *r, size_t at)
{
    char digits[5] = "", *end;
    if (r->file->length - at < 4)
        return -1;
    memcpy(digits, r->file->bytes + at, 4);
    long code = strtol(digits, &end, 16);
    return end == digits + 4 && !strpbrk(digits, "+- x") ? code : -1;
}

/* What a backslash at r->at stands for. */
static carom_status escape(reader *r, char **to)
{
    static const char from[] = "\"\\/nrt", into[] = "\"\\/\n\r\t";
    size_t begin = r->at++;
    char c = r->at < r->file->length ? r->file->bytes[r->at++] : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        *(*to)++ = into[known - from];
        return CAROM_OK;
    }
    long code = c == 'u' ? four_digits(r, r->at) : c == 'b' ? '\b' : c == 'f' ? '\f' : -1, low = -1;
    r->at += c == 'u' ? 4 : 0;
    if (code >= 0xd800 && code < 0xdc00 && r->at + 2 < r->file->length && !memcmp(r->file->bytes + r->at, "\\u", 2)) {
        low = four_digits(r, r->at + 2);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
        r->at += 6;
    }
    if (carom_text_control(code))
        return refuse(r, begin, "a control character is not allowed in a text");
    if (code <= 0 || (code >= 0xd800 && code < 0xe000))
        return refuse(r, begin, "this escape is none of JSON's, or no character");
    *to = encode(*to, (unsigned long)code);
    return CAROM_OK;
}

/* The text of the string that begins here, its place with the quotes, the column of its first character if it stands
 * there as it is. */
static carom_status read_string(reader *r, const char **text, carom_text_place *place, int *column)
{
    size_t begin = r->at++, end = begin + 1;
    bool verbatim = true;
    while (end < r->file->length && r->file->bytes[end] != '"')
        end += r->file->bytes[end] == '\\' ? 2 : 1;
    if (end >= r->file->length)
        return refuse(r, begin, "this string does not end");
    char *copy = carom_arena_text(r->arena, r->file->bytes + r->at, end - r->at), *to = copy;
    if (!copy)
        return no_memory(r);
    while (r->at < end) {
        unsigned char c = (unsigned char)r->file->bytes[r->at];
        if (c < ' ')
            return refuse(r, r->at, "a line end or control character in a string is written as an escape");
        if (c == '\\') {
            verbatim = false;
            CAROM_TRY(escape(r, &to));
        } else {
            *to++ = r->file->bytes[r->at++];
        }
    }
    *to = 0;
    r->at = end + 1;
    *place = place_of(r, begin, end + 1);
    *text = copy, *column = verbatim ? place->column + 1 : 0;
    return CAROM_OK;
}

/* ---- values ---- */

static carom_status read_value(reader *r, carom_text_node *node);

/* A number, true, false or null: their meaning is the model's affair. */
static carom_status read_word(reader *r, carom_text_node *node)
{
    size_t begin = r->at;
    while (r->at < r->file->length && !strchr(" \t\r\n,:]}\"[{", r->file->bytes[r->at]))
        r->at++;
    const char *text = carom_arena_text(r->arena, r->file->bytes + begin, r->at - begin);
    double number;
    if (!text)
        return no_memory(r);
    if (strcmp(text, "true") && strcmp(text, "false") && strcmp(text, "null") &&
        (!carom_number(text, &number) || !strchr("-0123456789", *text) || text[strspn(text, "+-.eE0123456789")]))
        return refuse(r, begin, "a value is a number, true, false, null, or stands in quotes (this build reads JSON)");
    node->place = place_of(r, begin, r->at);
    node->text_column = node->place.column;
    node->text = strcmp(text, "null") ? text : "";
    return CAROM_OK;
}

static carom_status read_key(reader *r, carom_text_node *node)
{
    int column;
    if (peek(r) != '"')
        return refuse(r, r->at, "a key in quotes is expected (this build reads JSON)");
    CAROM_TRY(read_string(r, &node->key, &node->key_place, &column));
    if (!*node->key)
        return carom_text_fail(r->file, node->key_place, r->error, CAROM_BAD_MODEL, "a key is empty");
    if (peek(r) != ':')
        return refuse(r, r->at, "a colon is expected after a key");
    r->at++;
    return CAROM_OK;
}

/* A map or a list. */
static carom_status read_children(reader *r, carom_text_node *node, bool map)
{
    const char close = map ? '}' : ']';
    carom_text_node **last = &node->child;
    size_t begin = r->at++;
    node->kind = map ? CAROM_TEXT_MAP : CAROM_TEXT_LIST;
    node->place = place_of(r, begin, begin + 1);
    if (++r->depth > CAROM_TEXT_MAX_DEPTH)
        return carom_text_fail(r->file, node->place, r->error, CAROM_BAD_MODEL, "nested deeper than %d",
                               CAROM_TEXT_MAX_DEPTH);
    while (peek(r) != close || node->child) {
        *last = CAROM_NEW(r->arena, carom_text_node, 1);
        if (!*last || ++r->nodes > CAROM_TEXT_MAX_NODES)
            return *last ? refuse(r, r->at, "there are too many values in one file") : no_memory(r);
        node->nchild++;
        if (map)
            CAROM_TRY(read_key(r, *last));
        CAROM_TRY(read_value(r, *last));
        last = &(*last)->next;
        if (peek(r) == close)
            break;
        if (peek(r) != ',')
            return refuse(r, peek(r) ? r->at : begin, peek(r) ? "a comma is expected here" : "this does not end");
        r->at++;
    }
    r->at++;
    r->depth--;
    return map ? carom_text_check_keys(r->file, node, r->error) : CAROM_OK;
}

static carom_status read_value(reader *r, carom_text_node *node)
{
    const char c = peek(r);
    node->text = "";
    if (c == '{' || c == '[')
        return read_children(r, node, c == '{');
    node->kind = CAROM_TEXT_SCALAR;
    node->quoted = c == '"';
    return c == '"' ? read_string(r, &node->text, &node->place, &node->text_column) : read_word(r, node);
}

carom_status carom_text_parse_json(carom_arena *arena, const carom_text_file *file, carom_text_node **root,
                                   carom_error *error)
{
    *root = NULL;
    CAROM_TRY(carom_text_check(file, error));
    reader r = {.arena = arena, .file = file, .cursor = carom_text_start(file), .error = error};
    r.at = r.cursor.offset;
    carom_text_node *node = CAROM_NEW(arena, carom_text_node, 1);
    if (!node)
        return no_memory(&r);
    if (!peek(&r))
        return refuse(&r, r.at, "the file is empty");
    if (peek(&r) != '{')
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "%.700s: this build of Carom cannot read model files in YAML: it was made without libfyaml; in JSON "
                   "they begin with {", file->name);
    CAROM_TRY(read_value(&r, node));
    if (peek(&r))
        return refuse(&r, r.at, "something follows after the end of the model");
    *root = node;
    return CAROM_OK;
}
