/* checkpoint.h: a run that is written down on its way and goes on from there: run --checkpoint, resume. */
#ifndef CAROM_CHECKPOINT_H
#define CAROM_CHECKPOINT_H

#include "cli/cli.h"
#include "core/archive.h"
#include "output/output.h"

typedef struct carom_checkpoint {
    const char *path; /* NULL: nobody asked for it */
    long every_steps;
    double every_seconds;
    const carom_cli *cli;
    const carom_model *model;
    carom_sim *sim;
    carom_sink *sink; /* NULL: the run writes no file */
    double before, began, last; /* seconds: spent by earlier parts of the run; when this one began; of the last one */
    carom_archive archive;
    carom_error error; /* the first failure */
} carom_checkpoint;

extern const carom_cli_option carom_checkpoint_options[];

/* What the command line asks for; an exit code. */
int carom_checkpoint_plan(carom_checkpoint *checkpoint, const carom_cli *cli);
/* The run is about to begin, or, where cli->resumed says so, to go on: then its state is loaded. An exit code. */
int carom_checkpoint_begin(carom_checkpoint *checkpoint, const carom_model *model, carom_sim *sim, carom_sink *sink);
/* After the run: one that was interrupted is written down before its file is closed; one that is complete after it. The
 * exit code, made worse where that failed. */
void carom_checkpoint_interrupted(carom_checkpoint *checkpoint);
int carom_checkpoint_end(carom_checkpoint *checkpoint, bool complete, int code);
double carom_checkpoint_spent(const carom_checkpoint *checkpoint); /* by earlier parts of the run */

/* Of an archive: the model as it was; is the run complete; the file that it writes, wherever we are now. */
carom_status carom_checkpoint_model(carom_model **model, const carom_archive *archive, carom_load_options *load,
                                    carom_error *error);
bool carom_checkpoint_complete(const carom_archive *archive);
const char *carom_checkpoint_output(const carom_cli *cli);

#endif
