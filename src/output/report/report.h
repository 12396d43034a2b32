/* report.h: trajectories -> one page: motion, portraits, contacts, impacts, energy, steps, the mechanism itself. */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "output/draw/draw.h"

typedef struct carom_report_run {
    const char *name;             /* in legends */
    const carom_columns *table;
    const carom_model *model;     /* NULL: not known */
    const char *command;          /* that made it, or reads it; NULL: not known */
    const char *model_name, *model_text; /* NULL: not known */
    const char *note;             /* what a reader must know; NULL or "": nothing */
    const char *about;            /* how it came to be: scheme, options; NULL: not known */
    const char *drawn;            /* with which model the animation is drawn, when that was a guess; NULL: none */
    const char *scheme;           /* NULL: not known */
    /* Of a run that was made for the report; all NULL and 0 when it was read from a file. */
    const carom_options *options;
    const carom_info *info;
    carom_status status;
    const char *message;          /* why it failed */
    double wall_s;
    const double *step_t, *step_h; /* [nstep] begin and length of each step */
    size_t nstep;
    const carom_touched *touched;  /* [ntouched] */
    size_t ntouched;
} carom_report_run;

carom_status carom_report_write(const char *path, const char *title, const carom_report_run *run, int nrun,
                                carom_error *error);

/* Records a simulation as the table that its file would hold, and its steps. */
typedef struct carom_recorder carom_recorder;
carom_status carom_recorder_new(carom_recorder **recorder, const carom_model *model, double every, carom_error *error);
carom_observer carom_recorder_observer(carom_recorder *recorder);
/* Before the run: contacts that are found in it are recorded too. */
carom_status carom_recorder_watch(carom_recorder *recorder, carom_sim *sim, carom_error *error);
/* Or, of a run that was written with its model: the contacts that are in its file, or beside it. */
carom_status carom_recorder_read(carom_recorder **recorder, const char *path, const carom_model *model,
                                 carom_error *error);
void carom_recorder_contacts(const carom_recorder *recorder, carom_report_run *run);
/* After the run. What it gives lives as long as the recorder. */
carom_status carom_recorder_end(carom_recorder *recorder, carom_report_run *run, carom_error *error);
void carom_recorder_free(carom_recorder *recorder); /* NULL is fine */

#endif
