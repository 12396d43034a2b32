/* part.h: a file that appears when it is whole: it is written beside, as PATH.PID.part, and renamed at the end. A link
 * is followed, so that it stays one. A device is written in place: it must not be replaced. */
#ifndef CAROM_OUTPUT_PART_H
#define CAROM_OUTPUT_PART_H

#include <stdio.h>

#include "core/core.h"

char *carom_real_path(const char *path); /* without links, to be freed; NULL: there is none */

typedef struct carom_part {
    char *path, *part; /* part NULL: written in place */
    FILE *file;        /* open for writing */
} carom_part;

carom_status carom_part_open(carom_part *part, const char *path, carom_error *error); /* on failure nothing is left */
/* Ends it. whole: it takes its place; else, and where that fails, it goes. 0 or errno. */
int carom_part_close(carom_part *part, bool whole);

#endif
