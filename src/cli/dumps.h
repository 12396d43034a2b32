/* dumps.h: contact problems of a run, written to a folder. */
#ifndef CAROM_CLI_DUMPS_H
#define CAROM_CLI_DUMPS_H

#include "cli/cli.h"
#include "sim/sim.h"

typedef struct carom_dumps {
    const char *folder;
    enum { CAROM_DUMP_FAILED, CAROM_DUMP_SLOW, CAROM_DUMP_ALL } when;
    long problems, written;
    double spent;        /* seconds, on all problems */
    carom_error error;   /* the first file that could not be written */
} carom_dumps;

/* From --dump-problems and --dump-when; watches the simulation. An exit code. */
int carom_dumps_begin(carom_dumps *dumps, const carom_cli *cli, carom_sim *sim);
/* Says how many were written, or what went wrong. An exit code. */
int carom_dumps_end(carom_dumps *dumps, int code);

#endif
