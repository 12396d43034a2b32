/* archive.h: named blocks of bytes in one file that is whole or is not there: it is written beside, synced and renamed,
 * and a checksum stands for every byte of it. Numbers are as this machine keeps them; a mark tells others. */
#ifndef CAROM_ARCHIVE_H
#define CAROM_ARCHIVE_H

#include <stdint.h>

#include "core/core.h"

/* Of n bytes, going on from h (0 at first). A change within 8 bytes is always seen, another with 2^-64 against it. It
 * is no signature: whoever can write the bytes can write their checksum. */
uint64_t carom_checksum(uint64_t h, const void *bytes, size_t n);

typedef struct carom_archive {
    unsigned char *bytes; /* [room] */
    size_t used, room;
    bool failed;          /* no memory for a block */
} carom_archive;
void carom_archive_begin(carom_archive *archive); /* empty; its memory is used again */
/* A block of this name (up to 15 characters), to be filled in before the next one; NULL: no memory, which the writing
 * reports. */
void *carom_archive_add(carom_archive *archive, const char *name, size_t length);
void carom_archive_put(carom_archive *archive, const char *name, const void *bytes, size_t length);
/* NULL: there is none; length, if it is not 0, is the only one that will do. */
const void *carom_archive_find(const carom_archive *archive, const char *name, size_t *length);
carom_status carom_archive_write(carom_archive *archive, const char *path, carom_error *error);
carom_status carom_archive_read(carom_archive *archive, const char *path, carom_error *error);
void carom_archive_free(carom_archive *archive);

#endif
