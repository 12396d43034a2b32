/* text.h: a YAML or JSON file as a neutral tree that knows where everything stood. */
#ifndef CAROM_TEXT_H
#define CAROM_TEXT_H

#include "core/core.h"

typedef struct carom_text_place { /* 1-based; length of what the caret underlines, at least 1 */
    int line, column, length;
} carom_text_place;

typedef enum carom_text_kind { CAROM_TEXT_SCALAR, CAROM_TEXT_MAP, CAROM_TEXT_LIST } carom_text_kind;

typedef struct carom_text_node {
    carom_text_kind kind;
    const char *text;             /* of a scalar; "" for an empty one */
    bool quoted;                  /* the scalar stood in quotes (or was a block scalar) */
    carom_text_place place;       /* of the value; for a plain or quoted one-line scalar text[i] stood at
                                     column place.column + i (+ 1 for the quote, see text_column) */
    int text_column;              /* column of text[0] in line place.line, 0 if the text is not verbatim there */
    const char *key;              /* in a map */
    carom_text_place key_place;
    struct carom_text_node *child, *next; /* first child, next sibling, in file order */
    int nchild;
    /* of an entry that was written out of `x: [...]`: x (NULL: it was not), and what its text may call number */
    const char *family, *index;
    int number;
} carom_text_node;

typedef struct carom_text_file {
    const char *name; /* as errors show it */
    const char *bytes;
    size_t length;
} carom_text_file;

/* Reads one document. Refuses what the model language does not have: duplicate keys, anchors and aliases, merge
 * keys, tags, a second document, `{x:1}` without a blank, nesting deeper than 32, files over 16 MiB, NUL bytes. */
carom_status carom_text_parse(carom_arena *arena, const carom_text_file *file, carom_text_node **root,
                              carom_error *error);

/* json.c: the same of JSON alone, without libfyaml; carom_text_parse of a build that has none. */
carom_status carom_text_parse_json(carom_arena *arena, const carom_text_file *file, carom_text_node **root,
                                   carom_error *error);

/* Reads a whole file into the arena; file->name is path. */
carom_status carom_text_read(carom_arena *arena, const char *path, carom_text_file *file, carom_error *error);

/* Fails with
 *     name:line:column: what went wrong
 *       | the line
 *       |    ^~~~                                                                     */
carom_status carom_text_fail(const carom_text_file *file, carom_text_place place, carom_error *error,
                             carom_status status, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Where text[at] of a scalar stands, also in a scalar of several lines; the place of the node if that is unknown. */
carom_text_place carom_text_inside(const carom_text_file *file, const carom_text_node *node, int at, int length);

/* The child of a map under key, or NULL. */
carom_text_node *carom_text_get(const carom_text_node *map, const char *key);

#endif
