/* hints.h: what people probably meant when YAML reads something else. */
#ifndef CAROM_TEXT_HINTS_H
#define CAROM_TEXT_HINTS_H

#include "text/lines.h"

/* "x:1" is read as one word: say "write x: 1 with a blank after the colon". */
bool carom_text_glued(const char *word);
carom_status carom_text_fail_glued(const carom_text_file *file, carom_text_place place, const char *word, bool flow,
                                   carom_error *error);

/* A key without a value in { }: x:1 without its blank, or the decimals of 1,5? CAROM_OK if neither. */
carom_status carom_text_check_lone(const carom_text_file *file, const carom_text_node *node, carom_error *error);

/* Inside { } and [ ] a comma ends a value: {gap: atan2(y,x)} splits. offset: of the scalar text in the file;
 * key: of the value, or NULL in a list. CAROM_OK if its parentheses balance. */
carom_status carom_text_check_split(const carom_text_file *file, carom_text_place place, size_t offset,
                                    const char *text, const char *key, carom_error *error);

/* In [ ] such a value can be put together again. from, to: its first piece in the file; returns the bytes of all of it,
 * or 0: the parentheses of the piece balance, or they are not closed in the same line. */
size_t carom_text_unsplit(const carom_text_file *file, size_t from, size_t to);

/* What the YAML parser had to say, in words that help; open: place of the innermost { or [, or line 0. */
carom_status carom_text_fail_syntax(const carom_text_file *file, carom_text_place place, const char *words,
                                    carom_text_place open, carom_error *error);

#endif
