/* json.c: a small JSON writer. It knows how deep it is and whether a comma is due; what goes wrong while
 * writing is kept by the stream and reported at close. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"

enum { DEPTH_MOST = 32 };

struct carom_json {
    carom_stream own;
    bool pretty;
    int depth;              /* of what is open */
    char close[DEPTH_MOST]; /* '}' or ']' */
    bool filled[DEPTH_MOST + 1];
    bool flat[DEPTH_MOST + 1]; /* an array of numbers stays on one line */
};

carom_status carom_json_new(carom_json **json, const char *path, FILE *stream, bool pretty, carom_error *error)
{
    *json = NULL;
    carom_json *j = calloc(1, sizeof *j);
    if (!j)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    carom_status status = carom_stream_open(&j->own, path, stream, error);
    if (status != CAROM_OK) {
        free(j);
        return status;
    }
    j->pretty = pretty;
    *json = j;
    return CAROM_OK;
}

void carom_json_quote(carom_stream *stream, const char *text)
{
    carom_stream_text(stream, "\"", 1);
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        const char *plain = "\"\\\b\f\n\r\t", *code = "\"\\bfnrt", *at = strchr(plain, byte);
        char escaped[8];
        int bytes = carom_output_utf8(c);
        if (bytes == 0)
            carom_stream_string(stream, "\xef\xbf\xbd"); /* the sign for what is no character */
        else if (at)
            carom_stream_text(stream, (char[]){'\\', code[at - plain]}, 2);
        else if (byte < 0x20 || byte == 0x7f)
            carom_stream_text(stream, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", byte));
        else
            carom_stream_text(stream, c, (size_t)bytes);
        c += bytes > 1 ? bytes - 1 : 0;
    }
    carom_stream_text(stream, "\"", 1);
}

void carom_json_value(carom_stream *stream, double value)
{
    if (isfinite(value))
        carom_stream_number(stream, value);
    else
        carom_stream_text(stream, "null", 4);
}

static void new_line(carom_json *json)
{
    if (!json->pretty)
        return;
    carom_stream_text(&json->own, "\n", 1);
    for (int i = 0; i < json->depth; i++)
        carom_stream_text(&json->own, "  ", 2);
}

/* The comma, the line and the key that stand before every value. */
static void lead(carom_json *json, const char *key)
{
    bool flat = json->flat[json->depth];
    if (json->filled[json->depth])
        carom_stream_string(&json->own, flat && json->pretty ? ", " : ",");
    json->filled[json->depth] = true;
    if (json->depth > 0 && !flat)
        new_line(json);
    if (key) {
        carom_json_quote(&json->own, key);
        carom_stream_string(&json->own, json->pretty ? ": " : ":");
    }
}

static void open(carom_json *json, const char *key, const char *bracket, char close, bool flat)
{
    if (json->depth == DEPTH_MOST) {
        if (json->own.error.status == CAROM_OK)
            carom_fail(&json->own.error, CAROM_BAD_ARGUMENT, "'%s': JSON is nested deeper than %d levels",
                       json->own.path, DEPTH_MOST);
        return;
    }
    lead(json, key);
    carom_stream_text(&json->own, bracket, 1);
    json->close[json->depth++] = close;
    json->filled[json->depth] = false;
    json->flat[json->depth] = flat;
}

void carom_json_object(carom_json *json, const char *key)
{
    open(json, key, "{", '}', false);
}

void carom_json_array(carom_json *json, const char *key)
{
    open(json, key, "[", ']', false);
}

void carom_json_end(carom_json *json)
{
    if (json->depth == 0)
        return;
    bool lines = json->filled[json->depth] && !json->flat[json->depth];
    json->depth--;
    if (lines)
        new_line(json);
    carom_stream_text(&json->own, &json->close[json->depth], 1);
}

void carom_json_number(carom_json *json, const char *key, double value)
{
    lead(json, key);
    carom_json_value(&json->own, value);
}

void carom_json_integer(carom_json *json, const char *key, long long value)
{
    char text[32];
    lead(json, key);
    carom_stream_text(&json->own, text, (size_t)snprintf(text, sizeof text, "%lld", value));
}

void carom_json_string(carom_json *json, const char *key, const char *value)
{
    lead(json, key);
    if (value)
        carom_json_quote(&json->own, value);
    else
        carom_stream_text(&json->own, "null", 4);
}

void carom_json_bool(carom_json *json, const char *key, bool value)
{
    lead(json, key);
    carom_stream_string(&json->own, value ? "true" : "false");
}

void carom_json_null(carom_json *json, const char *key)
{
    carom_json_string(json, key, NULL);
}

void carom_json_numbers(carom_json *json, const char *key, const double *values, int n)
{
    open(json, key, "[", ']', true);
    for (int i = 0; i < n; i++)
        carom_json_number(json, NULL, values[i]);
    carom_json_end(json);
}

carom_status carom_json_close(carom_json *json, carom_error *error)
{
    if (!json)
        return CAROM_OK;
    while (json->depth > 0)
        carom_json_end(json);
    carom_stream_text(&json->own, "\n", 1);
    carom_status status = carom_stream_close(&json->own, error);
    free(json);
    return status;
}
