/* cli.h: the command. One table of commands and one of options feed the parser, the help and the man page. */
#ifndef CAROM_CLI_H
#define CAROM_CLI_H

#include <stdio.h>

#include "core/core.h"

enum { /* exit codes; scripts rely on them */
    CAROM_EXIT_OK = 0,
    CAROM_EXIT_FAILED = 1,
    CAROM_EXIT_USAGE = 2,
    CAROM_EXIT_MODEL = 3,
    CAROM_EXIT_UNMET = 4,
    CAROM_EXIT_INTERRUPTED = 130
};
const char *carom_cli_exit_text(int code); /* NULL: no such code */
int carom_cli_exit(carom_status status);   /* of a run that ended with status */

enum { /* commands as bits: which ones take an option */
    CAROM_CLI_RUN = 1 << 0,
    CAROM_CLI_CHECK = 1 << 1,
    CAROM_CLI_LIST = 1 << 2,
    CAROM_CLI_PLOT = 1 << 3,
    CAROM_CLI_HELP = 1 << 4,
    CAROM_CLI_VERSION = 1 << 5
};

typedef struct carom_cli_pair {
    const char *name, *value;
} carom_cli_pair;

struct carom_cli_command;
typedef struct carom_cli { /* what the command line said */
    carom_arena *arena;
    const struct carom_cli_command *command;
    const char **operand;      /* [noperand] */
    carom_cli_pair *setting;   /* [nsetting] for carom_options_set, in the order given */
    const char **parameter;    /* [nparameter] names for carom_model_set */
    double *value;             /* [nparameter] */
    const char **panel;        /* [npanel] columns of a panel of a plot */
    const char **phase;        /* [2*nphase] */
    int noperand, nsetting, nparameter, npanel, nphase;
    const char *output, *dump, *title, *x;
    int width, height, seed;
    bool json, jit, allow_plugins, quiet, strict, assemble, gaps, portrait, verify, help;
} carom_cli;

typedef enum carom_cli_kind {
    CAROM_CLI_SETTING,   /* value of the option `key` of a run */
    CAROM_CLI_SET,       /* key=value of any option of a run */
    CAROM_CLI_PARAMETER, /* name=number */
    CAROM_CLI_TEXT,
    CAROM_CLI_COUNT,     /* a positive integer */
    CAROM_CLI_FLAG,
    CAROM_CLI_PANEL,
    CAROM_CLI_PHASE      /* x,y */
} carom_cli_kind;

typedef struct carom_cli_option {
    const char *name;     /* with its dashes; NULL ends the table */
    const char *letter;   /* "-o"; NULL: none */
    const char *argument; /* as help shows it; NULL: takes none */
    unsigned commands;    /* that take it; 0: kept for commands to come */
    carom_cli_kind kind;
    const char *key;      /* of a setting */
    size_t offset;        /* in carom_cli of a text, count or flag */
    const char *doc;
} carom_cli_option;

typedef struct carom_cli_command {
    const char *name, *operands; /* NULL name ends the table */
    int least, most;             /* number of operands */
    unsigned bit;
    int (*run)(const carom_cli *cli);
    const char *brief, *doc, *examples;
} carom_cli_command;

extern const carom_cli_command carom_cli_commands[];
extern const carom_cli_option carom_cli_options[];
const carom_cli_command *carom_cli_find(const char *name); /* NULL: there is none */

/* Fills *cli from the words after `carom`. Says what is wrong on stderr; returns an exit code. */
int carom_cli_parse(carom_cli *cli, int argc, char **argv);

/* "carom: " and a message on stderr; returns code. */
int carom_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with the nearest of names to word as a hint (NULL ends them), then where to read on; CAROM_EXIT_USAGE. */
int carom_cli_unknown(const char *what, const char *word, const char *const *names, const char *topic);

/* Loads the model that the command line names, with its parameters; note [200] is what loading had to say. */
int carom_cli_load(const carom_cli *cli, carom_model **model, char *note);
/* The model's options, then the command line's. */
int carom_cli_settings(const carom_cli *cli, const carom_model *model, carom_options *options);

int carom_cli_run(const carom_cli *cli);
int carom_cli_check(const carom_cli *cli);
int carom_cli_list(const carom_cli *cli);
int carom_cli_plot(const carom_cli *cli);
int carom_cli_help(const carom_cli *cli);
int carom_cli_version(const carom_cli *cli);

void carom_cli_overview(FILE *file);
void carom_cli_command_help(FILE *file, const carom_cli_command *command);
void carom_cli_manual(FILE *file);
void carom_cli_describe_method(FILE *file, const char *kind, const carom_method *method);
/* Prints text in lines up to `width`, all but the first indented; a newline in text starts a new line. */
void carom_cli_wrap(FILE *file, const char *text, int indent, int width);

/* ---- progress: one line on a terminal ---- */
typedef struct carom_progress {
    FILE *file; /* NULL: nobody looks */
    double t0, t_end;
    double wall0, wall_shown;
    long steps, steps_shown;
    bool shown;
} carom_progress;
void carom_progress_begin(carom_progress *progress, FILE *file, double t0, double t_end); /* decides by isatty */
void carom_progress_step(carom_progress *progress, double t);
void carom_progress_end(carom_progress *progress); /* wipes the line */
double carom_wall_time(void);

#endif
