/* text.c: reading files, and keys in the tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/lines.h"

/* Reads what a stream holds, one byte more than allowed at most. NULL with *length = 0: no memory. */
static char *slurp(FILE *stream, size_t *length)
{
    size_t size = 1 << 14, used = 0;
    char *bytes = malloc(size);
    while (bytes) {
        used += fread(bytes + used, 1, size - used, stream);
        if (used < size || used > CAROM_TEXT_MAX_BYTES)
            break;
        size *= 2;
        char *more = realloc(bytes, size);
        if (!more)
            free(bytes), used = 0;
        bytes = more;
    }
    *length = used;
    return bytes;
}

static carom_status read_stream(carom_arena *arena, FILE *stream, carom_text_file *file, carom_error *error)
{
    struct stat about;
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode))
        CAROM_FAIL(error, CAROM_FILE, "cannot read '%.700s': it is a directory", file->name);
    errno = 0;
    size_t length;
    char *bytes = slurp(stream, &length);
    if (!bytes)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory while reading '%.700s'", file->name);
    if (ferror(stream)) {
        free(bytes);
        CAROM_FAIL(error, CAROM_FILE, "cannot read '%.700s': %s", file->name, strerror(errno));
    }
    if (length > CAROM_TEXT_MAX_BYTES) {
        free(bytes);
        CAROM_FAIL(error, CAROM_BAD_MODEL, "%.700s:1:1: the file has more than 16 MiB", file->name);
    }
    file->bytes = carom_arena_text(arena, bytes, length);
    file->length = length;
    free(bytes);
    if (!file->bytes)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory while reading '%.700s'", file->name);
    return CAROM_OK;
}

carom_status carom_text_read(carom_arena *arena, const char *path, carom_text_file *file, carom_error *error)
{
    *file = (carom_text_file){.name = carom_arena_text(arena, path, strlen(path))};
    if (!file->name)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory while reading '%.700s'", path);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        CAROM_FAIL(error, CAROM_FILE, "cannot read '%.700s': %s", path, strerror(errno));
    carom_status status = read_stream(arena, stream, file, error);
    fclose(stream);
    return status;
}

carom_text_node *carom_text_get(const carom_text_node *map, const char *key)
{
    if (!map || map->kind != CAROM_TEXT_MAP)
        return NULL;
    for (carom_text_node *node = map->child; node; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(carom_text_node *const *)a)->key, (*(carom_text_node *const *)b)->key);
}

static bool before(carom_text_place a, carom_text_place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* Sorted, not hashed: n log n whatever the keys are. */
carom_status carom_text_check_keys(const carom_text_file *file, const carom_text_node *map, carom_error *error)
{
    if (map->nchild < 2)
        return CAROM_OK;
    carom_text_node **sorted = malloc((size_t)map->nchild * sizeof *sorted);
    if (!sorted)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "%.700s: out of memory", file->name);
    int n = 0;
    for (carom_text_node *node = map->child; node; node = node->next)
        sorted[n++] = node;
    qsort(sorted, (size_t)n, sizeof *sorted, by_key);
    const carom_text_node *first = NULL, *second = NULL;
    for (int i = 0; i + 1 < n; i++) {
        carom_text_node *x = sorted[i], *y = sorted[i + 1];
        if (strcmp(x->key, y->key) != 0)
            continue;
        bool order = before(x->key_place, y->key_place);
        const carom_text_node *later = order ? y : x;
        if (!second || before(later->key_place, second->key_place))
            second = later, first = order ? x : y;
    }
    free(sorted);
    if (second)
        return carom_text_fail(file, second->key_place, error, CAROM_BAD_MODEL,
                               "duplicate key '%.100s' (first in line %d)", second->key, first->key_place.line);
    return CAROM_OK;
}
