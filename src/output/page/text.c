/* text.c: texts and numbers of a page. Whatever a model is called, it stays text: nothing becomes a tag. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "output/page/parts.h"

void carom_page_say(carom_stream *out, const char *format, ...)
{
    char text[800];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    carom_stream_string(out, text);
}

static void escape(carom_stream *out, const char *text, size_t length)
{
    static const char special[] = "<>&\"'";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (const char *end = text + length; text < end;) {
        unsigned char c = (unsigned char)*text;
        const char *at = strchr(special, c);
        int bytes = carom_output_utf8(text);
        bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        if (bytes == 0 || control)
            carom_stream_string(out, "\xef\xbf\xbd");
        else if (at)
            carom_stream_string(out, names[at - special]);
        else
            carom_stream_text(out, text, (size_t)bytes);
        text += CAROM_MAX(bytes, 1);
    }
}

void carom_page_escape(carom_stream *out, const char *text)
{
    escape(out, text ? text : "", text ? strlen(text) : 0);
}

void carom_page_quote(carom_stream *out, const char *text)
{
    carom_stream_text(out, "\"", 1);
    for (text = text ? text : ""; *text;) {
        unsigned char c = (unsigned char)*text;
        int bytes = carom_output_utf8(text);
        if (bytes == 0)
            carom_stream_string(out, "\\ufffd");
        else if (c < 0x20 || c == 0x7f || strchr("<>&\"\\'", c))
            carom_page_say(out, "\\u%04x", c);
        else
            carom_stream_text(out, text, (size_t)bytes);
        text += CAROM_MAX(bytes, 1);
    }
    carom_stream_text(out, "\"", 1);
}

/* ---- markup ---- */
static bool opens(const char *line, const char *at)
{
    return (at == line || strchr(" (\"", at[-1])) && at[1] && !isspace((unsigned char)at[1]);
}

/* The end of the emphasis that begins at `at`, or NULL: a star before a letter is a product. */
static const char *closing(const char *at, const char *end)
{
    for (const char *c = at + 2; c < end; c++)
        if (*c == '*' && !isspace((unsigned char)c[-1]) && (c + 1 == end || strchr(" .,;:!?)\"", c[1])))
            return c;
    return NULL;
}

static void put_line(carom_stream *out, const char *line, const char *end)
{
    const char *from = line;
    for (const char *c = line; c < end; c++) {
        const char *stop = *c == '`' ? memchr(c + 1, '`', (size_t)(end - c - 1))
                           : *c == '*' && opens(line, c) ? closing(c, end) : NULL;
        if (!stop || stop == c + 1)
            continue;
        const char *tag = *c == '`' ? "code" : "em";
        escape(out, from, (size_t)(c - from));
        carom_page_say(out, "<%s>", tag);
        escape(out, c + 1, (size_t)(stop - c - 1));
        carom_page_say(out, "</%s>", tag);
        c = stop;
        from = stop + 1;
    }
    escape(out, from, (size_t)(end - from));
}

void carom_page_markup(carom_stream *out, const char *text)
{
    enum { NOTHING, PARAGRAPH, LIST } state = NOTHING;
    static const char *const ends[] = {"", "</p>\n", "</li></ul>\n"};
    for (text = text ? text : ""; *text;) {
        const char *end = text + strcspn(text, "\n");
        bool item = strncmp(text, "- ", 2) == 0, empty = strspn(text, " \t\r") >= (size_t)(end - text);
        if (empty || (item && state == PARAGRAPH)) {
            carom_stream_string(out, ends[state]);
            state = NOTHING;
        }
        if (item) {
            carom_stream_string(out, state == LIST ? "</li>\n<li>" : "<ul><li>");
            state = LIST;
        } else if (!empty) {
            carom_stream_string(out, state == NOTHING ? "<p>" : "\n");
            state = state == NOTHING ? PARAGRAPH : state;
        }
        if (!empty)
            put_line(out, text + (item ? 2 : 0), end);
        text = *end ? end + 1 : end;
    }
    carom_stream_string(out, ends[state]);
}

/* ---- verdicts ---- */
const char *carom_page_class(carom_page_status status)
{
    static const char *const names[] = {"info", "pass", "fail", "open"};
    return names[status];
}

const char *carom_page_word(carom_page_status status)
{
    static const char *const words[] = {"", "pass", "fail", "not reproducible"};
    return words[status];
}

void carom_page_badge(carom_stream *out, carom_page_status status)
{
    if (status != CAROM_PAGE_INFO)
        carom_page_say(out, "<span class=\"badge %s\">%s</span>", carom_page_class(status), carom_page_word(status));
}

/* ---- numbers, as base64 of their bytes ---- */
typedef struct packer {
    carom_stream *out;
    unsigned bits; /* of up to three bytes */
    int n;
} packer;

static void put_byte(packer *p, unsigned byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    p->bits = p->bits << 8 | byte;
    if (++p->n < 3)
        return;
    char *room = carom_stream_room(p->out, 4);
    for (int i = 0; room && i < 4; i++)
        room[i] = digits[p->bits >> (18 - 6 * i) & 63];
    p->out->used += room ? 4 : 0;
    p->bits = 0;
    p->n = 0;
}

static void end_bytes(packer *p)
{
    int missing = p->n ? 3 - p->n : 0;
    for (int i = 0; i < missing; i++)
        put_byte(p, 0);
    for (int i = 0; i < missing && p->out->error.status == CAROM_OK; i++)
        p->out->buffer[p->out->used - 1 - (size_t)i] = '=';
    carom_stream_text(p->out, "\"", 1);
}

static packer begin_bytes(carom_stream *out)
{
    carom_stream_text(out, "\"", 1);
    return (packer){out, 0, 0};
}

void carom_page_doubles(carom_stream *out, const double *values, size_t n)
{
    packer p = begin_bytes(out);
    for (size_t i = 0; i < n; i++) {
        unsigned long long word;
        memcpy(&word, &values[i], sizeof word);
        for (int k = 0; k < 64; k += 8)
            put_byte(&p, (unsigned)(word >> k) & 255);
    }
    end_bytes(&p);
}

void carom_page_floats(carom_stream *out, const double *values, size_t n)
{
    packer p = begin_bytes(out);
    for (size_t i = 0; i < n; i++) {
        float value = (float)values[i];
        unsigned word;
        memcpy(&word, &value, sizeof word);
        for (int k = 0; k < 32; k += 8)
            put_byte(&p, word >> k & 255);
    }
    end_bytes(&p);
}

void carom_page_bytes(carom_stream *out, const unsigned char *values, size_t n)
{
    packer p = begin_bytes(out);
    for (size_t i = 0; i < n; i++)
        put_byte(&p, values[i]);
    end_bytes(&p);
}
