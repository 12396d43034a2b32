/* layout.c: one block of memory for many arrays. */
#include "core/layout.h"

#if defined(__SANITIZE_ADDRESS__)
#define CAROM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAROM_ASAN 1
#endif
#endif

#ifdef CAROM_ASAN
#include <sanitizer/asan_interface.h>
enum { GUARD = 32 };
#else
enum { GUARD = 0 };
#endif
enum { ALIGN = 16 };

void *carom_place(carom_layout *layout, size_t bytes)
{
    size_t start = (layout->used + GUARD + ALIGN - 1) / ALIGN * ALIGN;
    unsigned char *place = layout->base ? layout->base + start : NULL;
#ifdef CAROM_ASAN
    if (place)
        ASAN_POISON_MEMORY_REGION(layout->base + layout->used, start - layout->used);
    if (place)
        ASAN_UNPOISON_MEMORY_REGION(place, bytes); /* the block may have been laid out otherwise before */
#endif
    layout->used = start + bytes;
    return place;
}

void carom_layout_release(carom_layout *layout, size_t bytes)
{
#ifdef CAROM_ASAN
    ASAN_UNPOISON_MEMORY_REGION(layout->base, bytes);
#endif
    (void)bytes;
    layout->base = NULL;
}
