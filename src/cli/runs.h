/* runs.h: the operands of report and animate. */
#ifndef CAROM_CLI_RUNS_H
#define CAROM_CLI_RUNS_H

#include "cli/cli.h"
#include "output/report/report.h"

enum { CAROM_CLI_RUNS_MOST = 64 };

typedef struct carom_cli_job_run { /* one run and what it stands on */
    carom_report_run run;
    carom_cli_work work;
    carom_sim *sim;
    carom_recorder *recorder;
    carom_columns *table;
} carom_cli_job_run;

typedef struct carom_cli_runs {
    const carom_cli *cli;
    carom_cli_job_run job[CAROM_CLI_RUNS_MOST];
    int n;
    const char **scheme; /* [nscheme] each model is run once with each of these; NULL: with its own */
    int nscheme;
} carom_cli_runs;

int carom_cli_runs_gather(carom_cli_runs *runs); /* reads and runs all operands; an exit code */
void carom_cli_runs_free(carom_cli_runs *runs);  /* also what was begun */
#define CAROM_CLI_MODEL_OPTION                                                                                         \
    CAROM_CLI_OWN_OPTION("--model", "MODEL",                                                                           \
                         "the model of trajectory files, for the animation; the one that the file tells, or the "      \
                         "built-in one with its title, if not given")

#endif
