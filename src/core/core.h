/* core.h: what every folder stands on: errors, arenas, names. No mechanics in here. */
#ifndef CAROM_CORE_H
#define CAROM_CORE_H

#include <stdbool.h>
#include <stddef.h>

#include "carom.h"

/* Pass a failure on; explain a new one in a sentence with its numbers. */
#define CAROM_TRY(call)                                                                            \
    do {                                                                                           \
        carom_status try_status_ = (call);                                                         \
        if (try_status_ != CAROM_OK)                                                               \
            return try_status_;                                                                    \
    } while (0)
#define CAROM_FAIL(error, status, ...) return carom_fail((error), (status), __VA_ARGS__)

#define CAROM_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define CAROM_MIN(a, b) ((a) < (b) ? (a) : (b))
#define CAROM_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Fills *error (when not NULL) and returns status. */
carom_status carom_fail(carom_error *error, carom_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline double carom_unsigned_nan(double x) /* printf would show the sign of a NaN */
{
    return x != x ? __builtin_nan("") : x;
}

/* What a caller has handed over: it is there; a struct that he has filled, and that begins with its size_t size, is of
 * the size that this library knows. */
#define CAROM_NEED(pointer, error)                                                                 \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            CAROM_FAIL((error), CAROM_BAD_ARGUMENT, "%s: %s is NULL", __func__, #pointer);         \
    } while (0)
#define CAROM_SIZED(pointer, type, error) CAROM_TRY(carom_sized((pointer), sizeof(type), #type, (error)))
carom_status carom_sized(const void *pointer, size_t size, const char *type, carom_error *error);

/* A growing block of memory that is freed at once. Everything it hands out is zeroed and aligned
 * to 64 bytes (strings: to 1). NULL when memory or the arena's limit is exhausted, or when it is frozen and full. */
typedef struct carom_arena carom_arena;
carom_arena *carom_arena_new(size_t limit_bytes); /* 0: no limit */
void carom_arena_free(carom_arena *arena);        /* NULL is fine */
void *carom_arena_alloc(carom_arena *arena, size_t bytes);
char *carom_arena_text(carom_arena *arena, const char *text, size_t length); /* copy, terminated */
char *carom_arena_format(carom_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What was taken since `here` can be given back, and is handed out again: the last first. */
typedef struct carom_arena_mark {
    void *block;
    size_t filled, used;
} carom_arena_mark;
carom_arena_mark carom_arena_here(const carom_arena *arena);
void carom_arena_release(carom_arena *arena, carom_arena_mark mark);
/* Frozen, it hands out what it has and takes no more from the system. `missing`: the bytes it would have to have for
 * the first request that failed since it was frozen, thawed or reserved; 0: none did. */
void carom_arena_freeze(carom_arena *arena, bool frozen);
size_t carom_arena_missing(const carom_arena *arena);
/* Of an arena of which everything has been given back: so many bytes in one piece. false: there are not so many. */
bool carom_arena_reserve(carom_arena *arena, size_t bytes);

/* Many arrays of doubles at once; false: no memory. */
typedef struct carom_array {
    double **at;
    size_t length;
} carom_array;
bool carom_arena_arrays(carom_arena *arena, const carom_array *array, int n);

#define CAROM_NEW(arena, type, count) ((type *)carom_arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* The nearest of names[0..n) to word by edit distance (swaps count one), or NULL when none is close. */
const char *carom_nearest(const char *word, const char *const *names, int n);

bool carom_ends_with(const char *text, const char *ending); /* and is longer; false: text is NULL */

/* Reads all of text as a number (decimal point whatever the locale). false if it is not one. */
bool carom_number(const char *text, double *value);

/* Shortest decimal text that reads back as the same double, whatever the locale; buffer >= 32 bytes. For files of
 * numbers: 1e-7, returns the length; as C prints it: 1e-07, returns buffer. */
int carom_decimal(double value, char *buffer);
char *carom_shortest(double value, char *buffer);

/* ---- fields: tables of a method's own options ---- */
void carom_fields_standard(const carom_field *fields, double *values);
/* The value as text that carom_fields_set reads; buffer >= 64 bytes. Returns buffer. */
char *carom_fields_text(const carom_field *field, double value, char *buffer);
/* Reads text as the value of the field called name; errors name the range, the choices or the nearest field. */
carom_status carom_fields_set(const carom_field *fields, double *values, const char *name, const char *text,
                              carom_error *error);

#endif
