/* layout.h: one block of memory for many arrays. A function that places arrays runs twice: first with base NULL to
 * measure, then to place. Under AddressSanitizer the gaps between the arrays are poisoned. */
#ifndef CAROM_LAYOUT_H
#define CAROM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define CAROM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAROM_ASAN 1
#endif
#endif

enum { CAROM_GROWING = 4 };
typedef struct carom_layout {
    unsigned char *base; /* NULL: measuring */
    size_t used;         /* SIZE_MAX: more than there are addresses */
    size_t growing[CAROM_GROWING]; /* sizes as they were measured, see carom_place_growing */
    int ngrowing;
    void *block;         /* what carom_layout_new allocated */
    struct carom_room *room; /* of arrays that follow the rows that act, see room.h; NULL: they are placed here */
} carom_layout;

/* count things of a size, aligned to 16; NULL while measuring. Counts are products of size_t: what the parts of a model
 * are counted in, multiplied as int, would be too short for it. */
#ifdef CAROM_ASAN
void *carom_place_guarded(carom_layout *layout, size_t bytes);
#endif
static inline void *carom_place_array(carom_layout *layout, size_t size, size_t count)
{
    const size_t most = SIZE_MAX / 4, align = 16; /* the places of two blocks can be added */
    if (layout->used > most || count > most / size) {
        layout->used = SIZE_MAX;
        return NULL;
    }
#ifdef CAROM_ASAN
    (void)align;
    return carom_place_guarded(layout, size * count);
#else
    size_t start = (layout->used + align - 1) / align * align;
    layout->used = start + size * count;
    return layout->base ? layout->base + start : NULL;
#endif
}
static inline void *carom_place(carom_layout *layout, size_t bytes)
{
    return carom_place_array(layout, 1, bytes);
}
/* For a size that another thread may let grow between the two runs: both take what the first was told. */
void *carom_place_growing(carom_layout *layout, size_t bytes);
/* In a block of `room` bytes, with this alignment (64 at most), without a guard; NULL: it does not fit. */
void *carom_place_within(carom_layout *layout, size_t room, size_t align, size_t bytes);
/* What lies behind the first `used` bytes is free again. */
void carom_layout_cut(carom_layout *layout, size_t used);
/* A block for what was measured, zeroed and aligned to 64; pages that nobody touches cost nothing. false: there is
 * none. */
bool carom_layout_new(carom_layout *layout, const carom_layout *measured);
void carom_layout_free(carom_layout layout); /* by value: it may lie in its own block */

#define CAROM_PLACE(layout, pointer, count)                                                            \
    ((pointer) = carom_place_array((layout), sizeof *(pointer), (size_t)(count)))

#endif
