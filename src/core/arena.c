/* arena.c: memory that is freed at once: layouts (layout.h) one after the other, each filled as things come. What was
 * taken last can be given back and is handed out again; a frozen arena takes no more from the system and counts what is
 * missing. Under AddressSanitizer what lies behind a piece is poisoned. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/layout.h"

#ifdef CAROM_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { BLOCK = 1 << 16, ALIGN = 64 };

typedef struct block { /* a layout that is filled as things come */
    struct block *next;
    size_t size;
    size_t dirty;      /* bytes that have been handed out before: no longer zero */
    carom_layout layout;
} block;

struct carom_arena {
    block *first, *current; /* the blocks behind the current one are empty */
    size_t limit, total;
    size_t used;            /* handed out, without what is lost at the ends of blocks */
    size_t missing;         /* it would have been, with the first request that failed; 0: none did */
    bool frozen;
};

carom_arena *carom_arena_new(size_t limit_bytes)
{
    carom_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->limit = limit_bytes ? limit_bytes : SIZE_MAX;
    return arena;
}

static void free_blocks(carom_arena *arena)
{
    for (block *b = arena->first, *next; b; b = next) {
        next = b->next;
        carom_layout_free(b->layout);
        free(b);
    }
    arena->first = arena->current = NULL;
    arena->total = arena->used = 0;
}

void carom_arena_free(carom_arena *arena)
{
    if (!arena)
        return;
    free_blocks(arena);
    free(arena);
}

/* A block behind the current one. */
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
    b->next = arena->current ? arena->current->next : NULL;
    *(arena->current ? &arena->current->next : &arena->first) = b;
    arena->total += size;
    return b;
}

/* In the current block, or else in the next one that has room. */
static void *find_place(carom_arena *arena, size_t bytes, size_t align)
{
    for (block *b = arena->current ? arena->current : arena->first; b; b = b->next) {
        void *place = carom_place_within(&b->layout, b->size, align, bytes);
        if (!place)
            continue;
        arena->current = b;
        size_t start = b->layout.used - bytes;
        if (start < b->dirty)
            memset(place, 0, CAROM_MIN(bytes, b->dirty - start));
        b->dirty = CAROM_MAX(b->dirty, b->layout.used);
        return place;
    }
    return NULL;
}

static void *take(carom_arena *arena, size_t bytes, size_t align)
{
    if (arena->frozen && arena->missing) /* whoever is given up on is to come to an end */
        return NULL;
    void *place = find_place(arena, bytes, align);
    if (!place && !arena->frozen && grow(arena, bytes))
        place = find_place(arena, bytes, align);
    size_t used = arena->used + (bytes + align - 1) / align * align;
    if (place)
        arena->used = used;
    else if (!arena->missing)
        arena->missing = used >= arena->used && used >= bytes ? used : SIZE_MAX;
    return place;
}

carom_arena_mark carom_arena_here(const carom_arena *arena)
{
    return (carom_arena_mark){arena->current, arena->current ? arena->current->layout.used : 0, arena->used};
}

void carom_arena_release(carom_arena *arena, carom_arena_mark mark)
{
    block *to = mark.block ? mark.block : arena->first;
    for (block *b = to; b; b = b == arena->current ? NULL : b->next)
        carom_layout_cut(&b->layout, b == to ? mark.filled : 0);
    arena->current = to;
    arena->used = mark.used;
}

void carom_arena_freeze(carom_arena *arena, bool frozen)
{
    arena->frozen = frozen;
    arena->missing = 0;
}

size_t carom_arena_missing(const carom_arena *arena)
{
    return arena->missing;
}

bool carom_arena_reserve(carom_arena *arena, size_t bytes)
{
    arena->missing = 0;
    if (arena->first && !arena->first->next && arena->first->size >= bytes)
        return true;
    free_blocks(arena);
    return grow(arena, bytes) != NULL;
}

void *carom_arena_alloc(carom_arena *arena, size_t bytes)
{
#ifdef CAROM_ASAN
    size_t guard = bytes < SIZE_MAX - ALIGN ? ALIGN : 0;
    unsigned char *place = take(arena, bytes + guard, ALIGN);
    if (place)
        ASAN_POISON_MEMORY_REGION(place + bytes, guard);
    return place;
#else
    return take(arena, bytes ? bytes : 1, ALIGN);
#endif
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
