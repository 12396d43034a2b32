/* room.h: arrays whose length follows the rows that act at once, not all the rows there are: dense problems and what
 * solves them. They live apart from the block of a simulation, and are placed anew, with room for more, between steps.
 * Their contents do not outlive a step. */
#ifndef CAROM_ROOM_H
#define CAROM_ROOM_H

#include "core/layout.h"

enum { CAROM_ROOM_ARRAYS = 24 };

typedef size_t carom_room_bytes(size_t rows, size_t width); /* of an array, for so many rows */

typedef struct carom_room {
    int rows;        /* that there is room for */
    int all;         /* rows there are */
    int asked;       /* more than that: so many have acted, and what was computed since is void; 0: it was enough */
    int n;
    struct {
        void *at;    /* address of the pointer to it */
        carom_room_bytes *bytes;
        size_t width;
    } array[CAROM_ROOM_ARRAYS];
    carom_layout layout; /* where they are */
} carom_room;

/* An array for `all` rows: one of the layout's room, whose pointer is filled when the room is made, or (without a room)
 * placed like any other. `pointer` is the address of a pointer that stays where it is. */
void carom_room_place(carom_layout *layout, void *pointer, carom_room_bytes *bytes, size_t all, size_t width);
carom_room_bytes carom_room_square, carom_room_columns; /* doubles: rows x rows, rows x width */
/* All arrays anew for so many rows (at most those there are), zeroed. false: no memory, everything is as before. */
bool carom_room_make(carom_room *room, int rows);
void carom_room_free(carom_room *room);

/* Is there room for so many rows? Where not, that is remembered. room NULL: always. */
static inline bool carom_room_for(carom_room *room, int rows)
{
    if (!room || rows <= room->rows)
        return true;
    room->asked = rows > room->asked ? rows : room->asked;
    return false;
}

#endif
