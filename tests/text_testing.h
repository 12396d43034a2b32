/* text_testing.h: parsing a text and judging what came of it. */
#ifndef CAROM_TEXT_TESTING_H
#define CAROM_TEXT_TESTING_H

#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "text/text.h"

static carom_arena *arena;
static carom_error error;

static inline carom_status parse_bytes(const char *bytes, size_t length, carom_text_node **root)
{
    carom_arena_free(arena);
    arena = carom_arena_new(0);
    memset(&error, 0, sizeof error);
    carom_text_file *file = CAROM_NEW(arena, carom_text_file, 1);
    char *copy = malloc(length ? length : 1); /* of the exact size: reading past the end is seen */
    memcpy(copy, bytes, length);
    *file = (carom_text_file){"m.yaml", copy, length};
    carom_status status = carom_text_parse(arena, file, root, &error);
    free(copy); /* the tree must not point into the file */
    return status;
}

static inline carom_text_node *parse(const char *text)
{
    carom_text_node *root;
    CHECK_OK(parse_bytes(text, strlen(text), &root), error);
    return root;
}

static inline void check_error(const char *what)
{
    ck_assert_msg(strstr(error.text, what), "'%s' is not in: %s", what, error.text);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
    ck_assert(!strstr(error.text, "(null)"));
}

/* The text is refused at this place, with these words. */
static inline void refused(const char *text, const char *place, const char *words)
{
    carom_text_node *root;
    carom_status status = parse_bytes(text, strlen(text), &root);
    ck_assert_msg(status == CAROM_BAD_MODEL, "%s: status %d for: %s", error.text, status, text);
    ck_assert_ptr_null(root);
    char where[64];
    snprintf(where, sizeof where, "m.yaml:%s: ", place);
    check_error(where);
    check_error(words);
}

static inline void check_place(carom_text_place place, int line, int column, int length)
{
    ck_assert_msg(place.line == line && place.column == column && place.length == length,
                  "%d:%d+%d, expected %d:%d+%d", place.line, place.column, place.length, line, column, length);
}

#endif
