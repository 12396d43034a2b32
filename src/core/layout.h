/* layout.h: one block of memory for many arrays. A function that places arrays runs twice: first with base NULL to
 * measure, then to place. Under AddressSanitizer the gaps between the arrays are poisoned. */
#ifndef CAROM_LAYOUT_H
#define CAROM_LAYOUT_H

#include <stddef.h>

typedef struct carom_layout {
    unsigned char *base; /* NULL: measuring */
    size_t used;
} carom_layout;

void *carom_place(carom_layout *layout, size_t bytes); /* aligned to 16; NULL while measuring */
void carom_layout_release(carom_layout *layout, size_t bytes); /* before the block is freed */

#define CAROM_PLACE(layout, pointer, count)                                                            \
    ((pointer) = carom_place((layout), sizeof *(pointer) * (size_t)(count)))

#endif
