/* json.c: a small JSON writer. It knows how deep it is and whether a comma is due; what goes wrong while
 * writing is kept by the stream and reported at close. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"

carom_status carom_json_new(carom_json **json, const char *path, FILE *stream, bool pretty, carom_error *error)
{
    *json = NULL;
    carom_json *j = calloc(1, sizeof *j);
    carom_stream *own = calloc(1, sizeof *own);
    carom_status status = j && own ? carom_stream_open(own, path, stream, error)
                                   : carom_fail(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    if (status != CAROM_OK) {
        free(j);
        free(own);
        return status;
    }
    *j = carom_json_on(own, pretty ? CAROM_JSON_PRETTY : CAROM_JSON_COMPACT);
    j->own = own;
    *json = j;
    return CAROM_OK;
}

carom_json carom_json_on(carom_stream *out, carom_json_style style)
{
    return (carom_json){.out = out, .style = style};
}

carom_status carom_json_close(carom_json *json, carom_error *error)
{
    if (!json)
        return CAROM_OK;
    while (json->depth > 0)
        carom_json_end(json);
    carom_stream_string(json->out, "\n");
    carom_status status = carom_stream_close(json->own, error);
    free(json->own);
    free(json);
    return status;
}

/* ---- texts and places ---- */

static void quote(carom_json *json, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", code[] = "\"\\bfnrt";
    const bool script = json->style == CAROM_JSON_SCRIPT;
    carom_stream_string(json->out, "\"");
    for (const char *c = text; *c;) {
        unsigned char byte = (unsigned char)*c;
        const char *at = strchr(plain, byte);
        int bytes = carom_output_utf8(c);
        if (bytes == 0)
            carom_stream_string(json->out, script ? "\\ufffd" : "\xef\xbf\xbd"); /* for what is no character */
        else if (at && !script)
            carom_stream_format(json->out, "\\%c", code[at - plain]);
        else if (byte < 0x20 || byte == 0x7f || (script && strchr("<>&\"\\'", byte)))
            carom_stream_format(json->out, "\\u%04x", byte);
        else
            carom_stream_text(json->out, c, (size_t)bytes);
        c += CAROM_MAX(bytes, 1);
    }
    carom_stream_string(json->out, "\"");
}

void carom_json_break(carom_json *json)
{
    json->line = true;
}

static void new_line(carom_json *json)
{
    carom_stream_string(json->out, "\n");
    for (int i = 0; json->style == CAROM_JSON_PRETTY && i < json->depth; i++)
        carom_stream_string(json->out, "  ");
    json->line = false;
}

/* The comma, the line and the key that stand before every value. */
static void lead(carom_json *json, const char *key)
{
    const bool flat = json->flat[json->depth], pretty = json->style == CAROM_JSON_PRETTY;
    if (json->filled[json->depth])
        carom_stream_string(json->out, flat && pretty ? ", " : ",");
    json->filled[json->depth] = true;
    if (json->line || (pretty && json->depth > 0 && !flat))
        new_line(json);
    if (key) {
        quote(json, key);
        carom_stream_string(json->out, pretty ? ": " : ":");
    }
}

static void open(carom_json *json, const char *key, const char *bracket, char close, bool flat)
{
    if (json->depth == CAROM_JSON_DEPTH) {
        if (json->out->error.status == CAROM_OK)
            carom_fail(&json->out->error, CAROM_BAD_ARGUMENT, "'%s': JSON is nested deeper than %d levels",
                       json->out->path, CAROM_JSON_DEPTH);
        return;
    }
    lead(json, key);
    carom_stream_string(json->out, bracket);
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
    bool lines = json->style == CAROM_JSON_PRETTY && json->filled[json->depth] && !json->flat[json->depth];
    json->depth--;
    if (lines || json->line)
        new_line(json);
    carom_stream_text(json->out, &json->close[json->depth], 1);
}

/* ---- values ---- */

void carom_json_number(carom_json *json, const char *key, double value)
{
    lead(json, key);
    if (isfinite(value))
        carom_stream_number(json->out, value);
    else
        carom_stream_string(json->out, "null");
}

void carom_json_integer(carom_json *json, const char *key, long long value)
{
    lead(json, key);
    carom_stream_format(json->out, "%lld", value);
}

void carom_json_string(carom_json *json, const char *key, const char *value)
{
    lead(json, key);
    if (value)
        quote(json, value);
    else
        carom_stream_string(json->out, "null");
}

void carom_json_bool(carom_json *json, const char *key, bool value)
{
    lead(json, key);
    carom_stream_string(json->out, value ? "true" : "false");
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

void carom_json_texts(carom_json *json, const char *key, const char *const *texts, int n)
{
    carom_json_array(json, key);
    for (int i = 0; i < n; i++)
        carom_json_string(json, NULL, texts[i]);
    carom_json_end(json);
}

void carom_json_named(carom_json *json, const char *key, const carom_model *model, carom_json_name *name,
                      const double *values, int n)
{
    char buffer[32];
    carom_json_object(json, key);
    for (int i = 0; i < n; i++)
        carom_json_number(json, name(model, i, buffer), values ? values[i] : NAN);
    carom_json_end(json);
}

void carom_json_values(carom_json *json, const char *key, const char *const *names, const double *values, int n)
{
    carom_json_object(json, key);
    for (int i = 0; i < n; i++)
        carom_json_number(json, names[i], values[i]);
    carom_json_end(json);
}

/* ---- numbers as base64 of their bytes, lowest first ---- */

static void put_base64(carom_json *json, const char *key, const void *from, size_t n, size_t size,
                       unsigned long long (*word)(const void *from, size_t i))
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    lead(json, key);
    carom_stream_string(json->out, "\"");
    for (size_t at = 0; at < n * size; at += 3) {
        unsigned bits = 0;
        char four[4];
        for (size_t k = at; k < at + 3; k++)
            bits = bits << 8 | (k < n * size ? word(from, k / size) >> 8 * (k % size) & 255 : 0);
        for (size_t k = 0; k < 4; k++)
            four[k] = at + k <= n * size ? digits[bits >> (18 - 6 * k) & 63] : '=';
        carom_stream_text(json->out, four, 4);
    }
    carom_stream_string(json->out, "\"");
}

static unsigned long long double_word(const void *from, size_t i)
{
    unsigned long long word;
    memcpy(&word, (const double *)from + i, sizeof word);
    return word;
}

static unsigned long long float_word(const void *from, size_t i)
{
    float value = (float)((const double *)from)[i];
    unsigned word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static unsigned long long byte_word(const void *from, size_t i)
{
    return ((const unsigned char *)from)[i];
}

void carom_json_doubles(carom_json *json, const char *key, const double *values, size_t n)
{
    put_base64(json, key, values, n, 8, double_word);
}

void carom_json_floats(carom_json *json, const char *key, const double *values, size_t n)
{
    put_base64(json, key, values, n, 4, float_word);
}

void carom_json_bytes(carom_json *json, const char *key, const unsigned char *values, size_t n)
{
    put_base64(json, key, values, n, 1, byte_word);
}

/* ---- a result from the list of its fields ---- */

/* As a number, NAN where it is none; *text: as a text, NULL where it is none. */
static double value_of(const carom_result_field *f, const void *record, const char **text)
{
    const void *at = record ? (const char *)record + f->offset : NULL;
    *text = NULL;
    switch (at ? f->cell : CAROM_WRITE) {
    case CAROM_NUMBER: return *(const double *)at;
    case CAROM_INT: return *(const int *)at;
    case CAROM_LONG: return (double)*(const long *)at;
    case CAROM_LONG_LONG: return (double)*(const long long *)at;
    case CAROM_BOOL: return *(const bool *)at;
    case CAROM_TEXT: *text = *(const char *const *)at; return NAN;
    case CAROM_CHARS: *text = at; return NAN;
    default: return NAN;
    }
}

static void put_list(carom_json *json, const carom_result_field *f, const void *record)
{
    const void *at = (const char *)record + f->offset;
    const char *rows = f->cell == CAROM_ARRAY ? at : *(const char *const *)at;
    const int n = *(const int *)(const void *)((const char *)record + f->count);
    if (f->optional && n == 0)
        return;
    open(json, f->name, "[", ']', f->cell == CAROM_NUMBERS || f->cell == CAROM_ARRAY);
    for (int i = 0; i < n; i++) {
        const void *row = rows + f->size * (size_t)i;
        if (f->cell == CAROM_TEXTS) {
            carom_json_string(json, NULL, *(const char *const *)row);
        } else if (f->cell != CAROM_LIST) {
            carom_json_number(json, NULL, *(const double *)row);
        } else {
            carom_json_object(json, NULL);
            carom_json_fields(json, f->fields, row);
            carom_json_end(json);
        }
    }
    carom_json_end(json);
}

void carom_json_fields(carom_json *json, const carom_result_field *fields, const void *record)
{
    for (const carom_result_field *f = fields; f->name; f++) {
        const char *text;
        const double number = value_of(f, record, &text);
        if (f->optional && f->cell <= CAROM_CHARS && isnan(number) && !(text && *text))
            continue;
        switch (record || f->cell > CAROM_CHARS ? f->cell : CAROM_NUMBER) {
        case CAROM_NUMBER: carom_json_number(json, f->name, number); break;
        case CAROM_BOOL: carom_json_bool(json, f->name, number != 0); break;
        case CAROM_TEXT:
        case CAROM_CHARS: carom_json_string(json, f->name, text); break;
        case CAROM_OBJECT: carom_json_object(json, f->name); break;
        case CAROM_END: carom_json_end(json); break;
        case CAROM_FIELDS: carom_json_fields(json, f->fields, (const char *)record + f->offset); break;
        case CAROM_WRITE: f->write(json, f->name, record); break;
        case CAROM_LIST:
        case CAROM_NUMBERS:
        case CAROM_ARRAY:
        case CAROM_TEXTS: put_list(json, f, record); break;
        default: carom_json_integer(json, f->name, (long long)number); break;
        }
    }
}

void carom_csv_fields(carom_stream *out, const carom_result_field *fields, const void *record)
{
    for (const carom_result_field *f = fields; f->name; f++) {
        const char *text = f->name;
        const double number = record ? value_of(f, record, &text) : NAN;
        if (f->json_only)
            continue;
        carom_stream_string(out, f == fields ? "" : ",");
        if (text)
            carom_stream_csv(out, text);
        else if (!isnan(number))
            carom_stream_number(out, number);
    }
    carom_stream_string(out, "\n");
    carom_stream_mark(out);
}
