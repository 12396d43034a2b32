/* undo.h: a file that is written all over becomes again what it was at a checkpoint.
 *
 * From the checkpoint on, a page of the file is copied into a journal beside it before it is written over for the first
 * time. Two journals take turns, FILE.undo0 and FILE.undo1: the one before stays until the next checkpoint itself is
 * safe, so that a kill at any moment leaves a checkpoint and the journal that belongs to it. */
#ifndef CAROM_HDF5_UNDO_H
#define CAROM_HDF5_UNDO_H

#include <sys/types.h>

#include "core/archive.h"

typedef struct carom_undo {
    int journal;         /* a descriptor; 0: nothing is kept */
    uint64_t serial;     /* of the checkpoint */
    uint64_t length;     /* of the file at that time */
    unsigned char *seen; /* [pages] is it in the journal? */
} carom_undo;

/* All of them return 0 or errno. */
int carom_undo_begin(carom_undo *undo, const char *path, int file);           /* a checkpoint: file is as it shall be */
int carom_undo_keep(carom_undo *undo, int file, uint64_t at, uint64_t size);  /* before these bytes are written over */
int carom_undo_apply(carom_undo *undo, const char *path, int file, uint64_t serial, uint64_t length);
void carom_undo_free(carom_undo *undo);     /* the journals stay */
void carom_undo_remove(const char *path);   /* they go */

#endif
