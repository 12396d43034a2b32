/* converge.h: what `carom converge` computes and how it is shown. */
#ifndef CAROM_CLI_CONVERGE_H
#define CAROM_CLI_CONVERGE_H

#include "carom_analysis.h"
#include "cli/cli.h"

typedef enum carom_cli_effort {
    CAROM_CLI_WORK_RHS,
    CAROM_CLI_WORK_SOLVES,
    CAROM_CLI_WORK_PROBLEMS,
    CAROM_CLI_WORK_CPU
} carom_cli_effort;

typedef struct carom_cli_converge {
    carom_cli_work run;
    carom_converge_request request;
    carom_converge_result result;
    carom_local_request local;
    carom_local_result steps; /* of --local */
    bool is_local;
    carom_cli_effort work;
} carom_cli_converge;

/* The first row of a scheme at its k-th nominal value; its runs follow, nnorm rows each. NULL: there is none. */
const carom_converge_row *carom_cli_converge_group(const carom_cli_converge *c, int scheme, int k);
const carom_converge_order *carom_cli_converge_order(const carom_cli_converge *c, int scheme, int norm);
/* The mean over the shifts, per nominal step size or tolerance: nominal k of a scheme; error of a norm or, with norm
 * < 0, work. NAN where a run failed; false: there is no such k. */
bool carom_cli_converge_mean(const carom_cli_converge *c, int scheme, int k, int norm, double *nominal, double *mean);
double carom_cli_converge_effort(carom_cli_effort work, const carom_converge_row *row);
const char *carom_cli_work_name(carom_cli_effort work);

void carom_cli_converge_text(const carom_cli_converge *c, FILE *file);
carom_status carom_cli_converge_json(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error);
carom_status carom_cli_converge_csv(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error);
carom_status carom_cli_converge_svg(const carom_cli_converge *c, const char *path, carom_error *error);

#endif
