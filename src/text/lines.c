/* lines.c: code points, lines and columns of a file; and whether it is text at all. */
#include <string.h>

#include "text/lines.h"

int carom_text_code(const char *s, size_t left, long *code)
{
    const unsigned char *u = (const unsigned char *)s;
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = -1;
    if (u[0] < 0x80) {
        *code = u[0];
        return 1;
    }
    int n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || (size_t)n > left)
        return 1;
    long c = u[0] & (0x7f >> n);
    for (int i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 1;
        c = c << 6 | (u[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 1;
    *code = c;
    return n;
}

carom_text_cursor carom_text_start(const carom_text_file *file)
{
    bool mark = file->length >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0;
    return (carom_text_cursor){mark ? 3 : 0, 1, 1};
}

/* Lines end with \n, \r\n or \r alone, as YAML has it. */
static void forward(const carom_text_file *file, carom_text_cursor *at)
{
    long code;
    at->offset += (size_t)carom_text_code(file->bytes + at->offset, file->length - at->offset, &code);
    bool pair = code == '\r' && at->offset < file->length && file->bytes[at->offset] == '\n';
    if (code == '\n' || (code == '\r' && !pair))
        at->line++, at->column = 1;
    else
        at->column++;
}

void carom_text_advance(const carom_text_file *file, carom_text_cursor *cursor, size_t offset)
{
    size_t end = CAROM_MIN(offset, file->length);
    while (cursor->offset < end)
        forward(file, cursor);
}

carom_text_cursor carom_text_line(const carom_text_file *file, int line)
{
    carom_text_cursor at = carom_text_start(file);
    while (at.line < line && at.offset < file->length)
        forward(file, &at);
    return at;
}

int carom_text_count(const carom_text_file *file, size_t from, size_t to)
{
    int count = 0;
    for (long code; from < to && from < file->length; count++)
        from += (size_t)carom_text_code(file->bytes + from, file->length - from, &code);
    return count;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool continued(char c) { return (c & 0xc0) == 0x80; } /* not the first byte of a code point */

/* Moves from the first character of a scalar to text[at]: folding changes nothing but blanks, so everything else is
 * met in the same order in the text and in the file. false where that fails (escapes). */
static bool follow(const carom_text_file *file, const char *text, int at, char quote, carom_text_cursor *c)
{
    for (int i = 0; i <= at; i++) {
        bool skip = i < at && blank(text[i]);
        if (skip || continued(text[i]) || (i == at && !text[i]))
            continue;
        while (c->offset < file->length && blank(file->bytes[c->offset]))
            forward(file, c);
        if (c->offset >= file->length || file->bytes[c->offset] != text[i])
            return false;
        if (i < at)
            forward(file, c);
        if (i < at && quote == '\'' && text[i] == '\'')
            forward(file, c); /* written twice */
    }
    return true;
}

carom_text_place carom_text_inside(const carom_text_file *file, const carom_text_node *node, int at, int length)
{
    carom_text_place place = node->place;
    length = CAROM_MAX(length, 1);
    if (node->text_column > 0) {
        int column = node->text_column;
        for (int i = 0; i < at; i++)
            column += !continued(node->text[i]);
        return (carom_text_place){place.line, column, length};
    }
    carom_text_cursor c = carom_text_line(file, place.line);
    while (c.offset < file->length && c.line == place.line && c.column < place.column)
        forward(file, &c);
    char quote = node->quoted && c.offset < file->length ? file->bytes[c.offset] : 0;
    if (quote == '\'' || quote == '"')
        forward(file, &c);
    return follow(file, node->text, at, quote, &c) ? (carom_text_place){c.line, c.column, length} : place;
}

/* Every value of a flow collection costs the parser some hundred bytes before we see the first of them, so
 * what separates values is counted beforehand: a full unit for those that can stand without any other. */
static int weight(long code)
{
    switch (code) {
    case '[': case '{': case ',':
        return 4;
    case ':':
        return 2;
    case '?': case '"': case '\'': case '&': case '*': case '!':
        return 1;
    default:
        return 0;
    }
}

bool carom_text_control(long code)
{
    return (code > 0 && code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7f && code < 0xa0);
}

long carom_text_find_control(const char *text, size_t length)
{
    long code;
    for (size_t at = 0; at < length;) {
        at += (size_t)carom_text_code(text + at, length - at, &code);
        if (carom_text_control(code))
            return code;
    }
    return 0;
}

carom_status carom_text_check(const carom_text_file *file, carom_error *error)
{
    if (file->length > CAROM_TEXT_MAX_BYTES)
        return carom_text_fail(file, (carom_text_place){1, 1, 1}, error, CAROM_BAD_MODEL,
                               "the file has %zu bytes, more than 16 MiB", file->length);
    carom_text_cursor at = carom_text_start(file);
    int values = 0; /* in quarters */
    while (at.offset < file->length) {
        long code;
        carom_text_code(file->bytes + at.offset, file->length - at.offset, &code);
        carom_text_place place = {at.line, at.column, 1};
        if (code < 0)
            return carom_text_fail(file, place, error, CAROM_BAD_MODEL, "byte 0x%02x is not UTF-8 text",
                                   (unsigned)(unsigned char)file->bytes[at.offset]);
        if (code == 0)
            return carom_text_fail(file, place, error, CAROM_BAD_MODEL, "a NUL byte: this is not a text file");
        if (carom_text_control(code))
            return carom_text_fail(file, place, error, CAROM_BAD_MODEL, "control character 0x%02x", (unsigned)code);
        if (code == '%' && at.column == 1)
            return carom_text_fail(file, place, error, CAROM_BAD_MODEL,
                                   "directives (%%) are not allowed in a model file");
        if ((values += weight(code)) > 4 * CAROM_TEXT_MAX_NODES)
            return carom_text_fail(file, place, error, CAROM_BAD_MODEL, "more than %d values in one file",
                                   CAROM_TEXT_MAX_NODES);
        forward(file, &at);
    }
    return CAROM_OK;
}
