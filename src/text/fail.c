/* fail.c: errors that show the line and a caret. Whatever the file holds, they fit into carom_error,
 * stay valid UTF-8 and contain no control characters but the line breaks written here. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/lines.h"

enum {
    WINDOW = 100,  /* code points of the line that are shown */
    BEFORE = 60,   /* of them, before the caret */
    EXCERPT = 640, /* bytes: 2 margins of 5, 2 ellipses of 3, 4 WINDOW of text, 3 + 2 WINDOW of caret line */
    MESSAGE = 500  /* bytes; so at least 1000 - EXCERPT - MESSAGE - 30 remain for the name */
};

typedef struct writer {
    char *bytes;
    size_t used, size; /* used < size: room for the end */
} writer;

static void put(writer *w, const char *bytes, size_t n)
{
    if (w->used + n >= w->size)
        return;
    memcpy(w->bytes + w->used, bytes, n);
    w->used += n;
    w->bytes[w->used] = 0;
}

static void put_text(writer *w, const char *text) { put(w, text, strlen(text)); }

static bool control(long code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/* Columns of a terminal: combining marks take none, East Asian wide characters and emoji two. */
static int cells(long code)
{
    static const struct { long first, last; int cells; } range[] = {
        {0x300, 0x36f, 0}, {0x200b, 0x200f, 0}, {0xfe00, 0xfe0f, 0}, {0x1100, 0x115f, 2},
        {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (int i = 0; i < CAROM_COUNT(range); i++)
        if (code >= range[i].first && code <= range[i].last)
            return range[i].cells;
    return 1;
}

/* Copies one code point as it may be shown and returns its cells. */
static int put_code(writer *w, const char *s, int bytes, long code)
{
    if (code == '\t' || control(code)) {
        put(w, code == '\t' ? " " : "?", 1);
        return 1;
    }
    put(w, s, (size_t)bytes);
    return cells(code);
}

/* Cleans text into w; too long a text ends with "...". */
static void put_clean(writer *w, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        long code;
        int n = carom_text_code(text, left, &code);
        if (w->used + 8 >= w->size && left > 7) {
            put_text(w, "...");
            return;
        }
        put_code(w, text, n, code);
        text += n, left -= (size_t)n;
    }
}

static void put_many(writer *w, const char *one, int n)
{
    for (int i = 0; i < n; i++)
        put(w, one, 1);
}

static void excerpt(const carom_text_file *file, carom_text_place place, writer *w)
{
    carom_text_cursor at = carom_text_line(file, place.line);
    size_t end = at.offset;
    while (end < file->length && file->bytes[end] != '\n' && file->bytes[end] != '\r')
        end++;
    int count = carom_text_count(file, at.offset, end);
    int column = CAROM_MIN(CAROM_MAX(place.column, 1), count + 1);
    int first = count <= WINDOW ? 1 : CAROM_MAX(1, CAROM_MIN(column - BEFORE, count - WINDOW + 1));
    int last = CAROM_MIN(count, first + WINDOW - 1);
    int before = first > 1 ? 3 : 0, under = 0; /* cells left of and under the mark */
    size_t skip = at.offset;
    for (long code; at.column < first; at.column++)
        skip += (size_t)carom_text_code(file->bytes + skip, end - skip, &code);
    put_text(w, first > 1 ? "\n  | ..." : "\n  | ");
    for (int i = first; i <= last; i++) {
        long code;
        int n = carom_text_code(file->bytes + skip, end - skip, &code);
        int wide = put_code(w, file->bytes + skip, n, code);
        before += i < column ? wide : 0;
        under += i >= column && i - column < place.length ? wide : 0;
        skip += (size_t)n;
    }
    put_text(w, last < count ? "...\n  | " : "\n  | ");
    put_many(w, " ", before);
    put_many(w, "^", 1);
    put_many(w, "~", under - 1);
}

carom_status carom_text_fail(const carom_text_file *file, carom_text_place place, carom_error *error,
                             carom_status status, const char *format, ...)
{
    if (!error)
        return status;
    char text[2 * MESSAGE], message[MESSAGE], shown[EXCERPT], where[32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    writer m = {message, 0, sizeof message}, x = {shown, 0, sizeof shown};
    message[0] = shown[0] = 0;
    put_clean(&m, text);
    excerpt(file, place, &x);
    snprintf(where, sizeof where, ":%d:%d: ", place.line, place.column);

    /* What matters most keeps its room: the excerpt and the message; of a long name the end is shown. */
    size_t room = sizeof error->text - 1 - x.used - strlen(where);
    m.used = CAROM_MIN(m.used, room - 40);
    while (m.used > 0 && (message[m.used] & 0xc0) == 0x80)
        m.used--;
    room -= m.used;
    const char *name = file->name ? file->name : "";
    size_t length = strlen(name);
    writer w = {error->text, 0, sizeof error->text};
    if (length > room) {
        name += length - (room - 3);
        while ((*name & 0xc0) == 0x80)
            name++;
        put_text(&w, "...");
    }
    put_clean(&w, name);
    put_text(&w, where);
    put(&w, message, m.used);
    put(&w, shown, x.used);
    error->status = status;
    return status;
}
