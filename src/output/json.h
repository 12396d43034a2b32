/* json.h: the JSON writer on a stream of somebody else's, and results that are written from a list of their fields. */
#ifndef CAROM_OUTPUT_JSON_H
#define CAROM_OUTPUT_JSON_H

#include "output/stream.h"

typedef enum carom_json_style {
    CAROM_JSON_PRETTY,  /* a line for each value, for people */
    CAROM_JSON_COMPACT, /* line ends only where carom_json_break asks for them */
    CAROM_JSON_SCRIPT   /* the same, and safe inside <script> */
} carom_json_style;
enum { CAROM_JSON_DEPTH = 32 };
struct carom_json {
    carom_stream *out;
    carom_stream *own; /* the same when the writer has opened it */
    carom_json_style style;
    bool line;         /* a line end is due */
    int depth;         /* of what is open */
    char close[CAROM_JSON_DEPTH]; /* '}' or ']' */
    bool filled[CAROM_JSON_DEPTH + 1];
    bool flat[CAROM_JSON_DEPTH + 1]; /* an array of numbers stays on one line */
};

carom_json carom_json_on(carom_stream *out, carom_json_style style);
void carom_json_break(carom_json *json); /* a line end before the next value, or before the end of what is open */
void carom_json_doubles(carom_json *json, const char *key, const double *values, size_t n); /* base64 of 8 bytes each */
void carom_json_floats(carom_json *json, const char *key, const double *values, size_t n);  /* of 4 bytes each */
void carom_json_bytes(carom_json *json, const char *key, const unsigned char *values, size_t n);

/* ---- a result as a list of fields -----------------------------------------------------------------------
 *   static const carom_result_field fields[] = {
 *       CAROM_CELL("model", CAROM_TEXT, work, name), CAROM_CELL("points", CAROM_LONG, work, points), {.name = NULL}};
 *   carom_json_fields(json, fields, &w);
 * One list says what a result is called and where it stands; JSON and CSV are written from it. */
typedef enum carom_cell {
    CAROM_NUMBER,  /* double */
    CAROM_INT,
    CAROM_LONG,
    CAROM_LONG_LONG,
    CAROM_BOOL,
    CAROM_TEXT,    /* const char *; NULL: null */
    CAROM_CHARS,   /* char[] */
    CAROM_OBJECT,  /* the fields up to CAROM_END stand in an object of this name */
    CAROM_END,
    CAROM_FIELDS,  /* the fields of a part of the record, here */
    CAROM_LIST,    /* an array of objects: a pointer to `count` rows of `size` bytes with these fields */
    CAROM_NUMBERS, /* const double *, `count` of them, on one line */
    CAROM_ARRAY,   /* the same as double[] */
    CAROM_TEXTS,   /* const char *const *, `count` of them */
    CAROM_WRITE    /* what `write` puts */
} carom_cell;
typedef struct carom_result_field {
    const char *name; /* NULL ends the list */
    carom_cell cell;
    size_t offset;    /* in the record */
    size_t count;     /* of a list: where its int is */
    bool optional;    /* left out where it is NULL, NAN or empty */
    bool json_only;   /* no column of a CSV */
    const struct carom_result_field *fields;
    size_t size;
    void (*write)(carom_json *json, const char *key, const void *record);
} carom_result_field;
/* Entries of such a list; the last two: n rows of type `row`, which a member of `record` points to. */
#define CAROM_CELL(label, kind, record, member) {.name = (label), .cell = (kind), .offset = offsetof(record, member)}
#define CAROM_OPTIONAL(label, kind, record, member) \
    {.name = (label), .cell = (kind), .offset = offsetof(record, member), .optional = true}
#define CAROM_PUT(label, function) {.name = (label), .cell = CAROM_WRITE, .write = (function)}
#define CAROM_BEGIN_OBJECT(label) {.name = (label), .cell = CAROM_OBJECT}
#define CAROM_END_OBJECT {.name = "", .cell = CAROM_END}
#define CAROM_COUNTED(label, kind, record, rows, n, row) \
    {.name = (label), .cell = (kind), .offset = offsetof(record, rows), .count = offsetof(record, n), \
     .size = sizeof(row)}
#define CAROM_ROWS(label, record, rows, n, row, list) \
    {.name = (label), .cell = CAROM_LIST, .offset = offsetof(record, rows), .count = offsetof(record, n), \
     .size = sizeof(row), .fields = (list)}
void carom_json_fields(carom_json *json, const carom_result_field *fields, const void *record); /* NULL: nulls */
/* A line of CSV: the names (record NULL), or the values, empty where they are not numbers. */
void carom_csv_fields(carom_stream *out, const carom_result_field *fields, const void *record);

/* {"x": 1, "y": 2}: with the names of a model, or with names from a list. values NULL: null */
typedef const char *carom_json_name(const carom_model *model, int i, char *buffer);
void carom_json_named(carom_json *json, const char *key, const carom_model *model, carom_json_name *name,
                      const double *values, int n);
void carom_json_values(carom_json *json, const char *key, const char *const *names, const double *values, int n);
void carom_json_texts(carom_json *json, const char *key, const char *const *texts, int n);

#endif
