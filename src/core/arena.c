/* arena.c: memory that is freed at once: layouts (layout.h) one after the other, each filled as things come. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/layout.h"

enum { BLOCK = 1 << 16, ALIGN = 64 };

typedef struct block { /* a layout that is filled as things come */
    struct block *next;
    size_t size;
    carom_layout layout;
} block;

struct carom_arena {
    block *blocks;
    size_t limit, total;
};

carom_arena *carom_arena_new(size_t limit_bytes)
{
    carom_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->limit = limit_bytes ? limit_bytes : SIZE_MAX;
    return arena;
}

void carom_arena_free(carom_arena *arena)
{
    if (!arena)
        return;
    for (block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        carom_layout_free(b->layout);
        free(b);
    }
    free(arena);
}

static block *grow(carom_arena *arena, size_t bytes)
{
    size_t size = bytes > BLOCK / 4 ? (bytes + ALIGN - 1) / ALIGN * ALIGN : BLOCK;
    if (size < bytes || size > arena->limit - arena->total)
        return NULL;
    block *b = calloc(1, sizeof *b);
    if (!b || !carom_layout_new(&b->layout, &(carom_layout){.used = size})) {
        free(b);
        return NULL;
    }
    b->size = size;
    if (size > BLOCK && arena->blocks) { /* keep filling the present block */
        b->next = arena->blocks->next;
        arena->blocks->next = b;
    } else {
        b->next = arena->blocks;
        arena->blocks = b;
    }
    arena->total += size;
    return b;
}

static void *take(carom_arena *arena, size_t bytes, size_t align)
{
    block *b = arena->blocks;
    void *place = b ? carom_place_within(&b->layout, b->size, align, bytes) : NULL;
    if (!place && (b = grow(arena, bytes)))
        place = carom_place_within(&b->layout, b->size, align, bytes);
    return place;
}

void *carom_arena_alloc(carom_arena *arena, size_t bytes)
{
    return take(arena, bytes ? bytes : 1, ALIGN);
}

char *carom_arena_text(carom_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? take(arena, length + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *carom_arena_format(carom_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : take(arena, (size_t)length + 1, 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}

bool carom_arena_arrays(carom_arena *arena, const carom_array *array, int n)
{
    for (int i = 0; i < n; i++)
        if (!(*array[i].at = CAROM_NEW(arena, double, array[i].length)))
            return false;
    return true;
}
