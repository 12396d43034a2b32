/* room.c: arrays that follow the rows that act at once. */
#include "core/room.h"

#include <string.h>

size_t carom_room_square(size_t rows, size_t width)
{
    (void)width;
    return rows * rows * sizeof(double);
}

size_t carom_room_columns(size_t rows, size_t width)
{
    return rows * width * sizeof(double);
}

void carom_room_place(carom_layout *layout, void *pointer, carom_room_bytes *bytes, size_t all, size_t width)
{
    carom_room *room = layout->room;
    if (room && room->n < CAROM_ROOM_ARRAYS) {
        room->array[room->n].at = pointer;
        room->array[room->n].bytes = bytes;
        room->array[room->n++].width = width;
        return;
    }
    void *memory = carom_place(layout, bytes(all, width));
    memcpy(pointer, &memory, sizeof memory);
}

static void place(carom_room *room, carom_layout *layout, int rows)
{
    for (int i = 0; i < room->n; i++) {
        void *memory = carom_place(layout, room->array[i].bytes((size_t)rows, room->array[i].width));
        if (memory)
            memcpy(room->array[i].at, &memory, sizeof memory);
    }
}

bool carom_room_make(carom_room *room, int rows)
{
    carom_layout measure = {0}, layout;
    rows = rows < room->all ? rows : room->all;
    place(room, &measure, rows);
    if (!carom_layout_new(&layout, &measure))
        return false;
    place(room, &layout, rows);
    carom_layout_free(room->layout);
    room->layout = layout;
    room->rows = rows;
    room->asked = 0;
    return true;
}

void carom_room_free(carom_room *room)
{
    carom_layout_free(room->layout);
    room->layout = (carom_layout){0};
}
