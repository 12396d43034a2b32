/* bifurcate.h: a diagram on its way from the command line to files. */
#ifndef CAROM_CLI_BIFURCATE_H
#define CAROM_CLI_BIFURCATE_H

#include "carom_analysis.h"
#include "cli/cli.h"
#include "output/output.h"

enum { CAROM_DIAGRAM_MARKS = 32 };

typedef struct carom_diagram {
    const carom_cli *cli;
    carom_model *model;
    carom_options options;
    carom_bifurcation_request request;
    carom_bifurcation *result;
    carom_progress progress;
    carom_plot_mark mark[CAROM_DIAGRAM_MARKS];
    int nmark;
    const char *table, *picture; /* paths; NULL: not wanted */
    double wall_s;
} carom_diagram;

/* The table, the picture and what is printed, as asked for. */
carom_status carom_diagram_write(const carom_diagram *diagram, carom_error *error);

#endif
