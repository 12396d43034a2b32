/* layout.c: one block of memory for many arrays. */
#include "core/layout.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAROM_ASAN
#include <sanitizer/asan_interface.h>
enum { GUARD = 32, ALIGN = 16 };
#endif

static size_t start_of(const carom_layout *layout, size_t guard, size_t align)
{
    return (layout->used + guard + align - 1) / align * align;
}

static void *place(carom_layout *layout, size_t start, size_t bytes)
{
    unsigned char *here = layout->base ? layout->base + start : NULL;
#ifdef CAROM_ASAN
    if (here)
        ASAN_POISON_MEMORY_REGION(layout->base + layout->used, start - layout->used);
    if (here)
        ASAN_UNPOISON_MEMORY_REGION(here, bytes); /* the block may have been laid out otherwise before */
#endif
    layout->used = start + bytes;
    return here;
}

#ifdef CAROM_ASAN
void *carom_place_guarded(carom_layout *layout, size_t bytes)
{
    return place(layout, start_of(layout, GUARD, ALIGN), bytes);
}
#endif

void *carom_place_growing(carom_layout *layout, size_t bytes)
{
    int k = layout->ngrowing++;
    if (k >= CAROM_GROWING)
        return carom_place(layout, SIZE_MAX);
    if (!layout->base)
        layout->growing[k] = bytes;
    return carom_place(layout, layout->growing[k]);
}

void *carom_place_within(carom_layout *layout, size_t room, size_t align, size_t bytes)
{
    size_t start = start_of(layout, 0, align);
    return start > room || bytes > room - start ? NULL : place(layout, start, bytes);
}

void carom_layout_cut(carom_layout *layout, size_t used)
{
#ifdef CAROM_ASAN
    if (layout->used > used)
        ASAN_POISON_MEMORY_REGION(layout->base + used, layout->used - used);
#endif
    layout->used = used;
}

bool carom_layout_new(carom_layout *layout, const carom_layout *measured)
{
    enum { LINE = 64 };
    *layout = (carom_layout){0};
    memcpy(layout->growing, measured->growing, sizeof layout->growing);
    if (measured->used > SIZE_MAX / 4)
        return false;
    layout->block = calloc(measured->used + LINE, 1);
    if (layout->block)
        layout->base = (unsigned char *)layout->block + (LINE - (uintptr_t)layout->block % LINE) % LINE;
#ifdef CAROM_ASAN
    if (layout->block) /* what is left of the line is no part of the last array */
        ASAN_POISON_MEMORY_REGION(layout->base + measured->used,
                                  (size_t)((unsigned char *)layout->block + LINE - layout->base));
#endif
    return layout->block;
}

void carom_layout_free(carom_layout layout)
{
#ifdef CAROM_ASAN
    ASAN_UNPOISON_MEMORY_REGION(layout.base, layout.used);
#endif
    free(layout.block);
}
