/* lines.h: where a byte of a file stands: lines and columns, counted in code points from 1. */
#ifndef CAROM_TEXT_LINES_H
#define CAROM_TEXT_LINES_H

#include "text/text.h"

enum { CAROM_TEXT_MAX_BYTES = 16 << 20, CAROM_TEXT_MAX_DEPTH = 32, CAROM_TEXT_MAX_NODES = 500000 };

typedef struct carom_text_cursor {
    size_t offset;
    int line, column;
} carom_text_cursor;

/* Bytes of the code point at s, at least 1; *code is -1 if these are not UTF-8. left > 0. */
int carom_text_code(const char *s, size_t left, long *code);

/* The first character (behind a byte order mark), and moving on to a later offset. */
carom_text_cursor carom_text_start(const carom_text_file *file);
void carom_text_advance(const carom_text_file *file, carom_text_cursor *cursor, size_t offset);

/* The first character of a line, or the end of the file. */
carom_text_cursor carom_text_line(const carom_text_file *file, int line);

/* Code points in bytes [from, to) of the file. */
int carom_text_count(const carom_text_file *file, size_t from, size_t to);

/* One that a terminal may obey: neither a character nor white space. */
bool carom_text_control(long code);
/* The first of them in a text that escapes have been taken out of; 0: none. */
long carom_text_find_control(const char *text, size_t length);

/* Refuses what is no text: too long, NUL bytes, control characters, bytes that are not UTF-8;
 * and what would be too large a tree. */
carom_status carom_text_check(const carom_text_file *file, carom_error *error);

/* Refuses a key that a map has twice. */
carom_status carom_text_check_keys(const carom_text_file *file, const carom_text_node *map, carom_error *error);

#endif
