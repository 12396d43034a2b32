/* cli.h: the command. One table of commands and one of options feed the parser, the help and the man page. */
#ifndef CAROM_CLI_H
#define CAROM_CLI_H

#include <stdio.h>

#include "core/core.h"
#include "output/json.h"

enum { /* exit codes; scripts rely on them */
    CAROM_EXIT_OK = 0,
    CAROM_EXIT_FAILED = 1,
    CAROM_EXIT_USAGE = 2,
    CAROM_EXIT_MODEL = 3,
    CAROM_EXIT_UNMET = 4,
    CAROM_EXIT_INTERRUPTED = 130
};
/* Pass an exit code on. */
#define CAROM_CLI_TRY(call)                                                                                            \
    do {                                                                                                               \
        int try_code_ = (call);                                                                                        \
        if (try_code_ != CAROM_EXIT_OK)                                                                                \
            return try_code_;                                                                                          \
    } while (0)
const char *carom_cli_exit_text(int code); /* NULL: no such code */
int carom_cli_exit(carom_status status);   /* of a run that ended with status */

enum { /* commands as bits: which ones take an option */
       CAROM_CLI_RUN = 1 << 0,
       CAROM_CLI_CHECK = 1 << 1,
       CAROM_CLI_LIST = 1 << 2,
       CAROM_CLI_PLOT = 1 << 3,
       CAROM_CLI_HELP = 1 << 4,
       CAROM_CLI_VERSION = 1 << 5,
       CAROM_CLI_LYAPUNOV = 1 << 6,
       CAROM_CLI_BIFURCATE = 1 << 7,
       CAROM_CLI_ORBIT = 1 << 8,
       CAROM_CLI_BASIN = 1 << 9,
       CAROM_CLI_GRADIENT = 1 << 10,
       CAROM_CLI_SWEEP = 1 << 11,
       CAROM_CLI_MERGE = 1 << 12,
       CAROM_CLI_CONVERGE = 1 << 13,
       CAROM_CLI_REPRODUCE = 1 << 14,
       CAROM_CLI_REPORT = 1 << 15,
       CAROM_CLI_SOLVE = 1 << 16,
       CAROM_CLI_BENCH = 1 << 17,
       CAROM_CLI_RESUME = 1 << 18,
       CAROM_CLI_AUDIT = 1 << 19,
       CAROM_CLI_NEW = 1 << 24,
       CAROM_CLI_COMPLETION = 1 << 25,
       CAROM_CLI_FIT = 1 << 26,
       CAROM_CLI_ANIMATE = 1 << 27,
       /* those that run a model many times; those whose -p takes from:to:n; those that write a page or an animation */
       CAROM_CLI_DRIVE = CAROM_CLI_LYAPUNOV | CAROM_CLI_BIFURCATE | CAROM_CLI_ORBIT | CAROM_CLI_BASIN |
                         CAROM_CLI_GRADIENT | CAROM_CLI_SWEEP | CAROM_CLI_CONVERGE | CAROM_CLI_FIT,
       CAROM_CLI_RANGES = CAROM_CLI_BIFURCATE | CAROM_CLI_ORBIT | CAROM_CLI_BASIN | CAROM_CLI_SWEEP,
       CAROM_CLI_PAGE = CAROM_CLI_REPRODUCE | CAROM_CLI_REPORT | CAROM_CLI_ANIMATE
};

typedef struct carom_cli_pair {
    const char *name, *value;
} carom_cli_pair;
typedef struct carom_cli_range { /* of -p name=from:to:n */
    const char *name;
    double from, to;
    long n;
} carom_cli_range;

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
    carom_cli_pair *own;       /* [nown] options of the command itself, name with its dashes */
    carom_cli_range *range;    /* [nrange] */
    char **word;               /* [nword] the command line itself, after the command */
    int nword;
    const struct carom_archive *resumed; /* the run goes on from there; NULL: it begins */
    int noperand, nsetting, nparameter, npanel, nphase, nown, nrange;
    const char *output, *dump, *dump_problems, *dump_when, *title, *x, *style, *limit_memory, *limit_time;
    int width, height, seed, threads; /* 0: not given */
    bool json, jit, allow_plugins, quiet, strict, assemble, gaps, reactions, portrait, verify, help;
} carom_cli;

typedef enum carom_cli_kind {
    CAROM_CLI_SETTING,   /* value of the option `key` of a run */
    CAROM_CLI_SET,       /* key=value of any option of a run */
    CAROM_CLI_PARAMETER, /* name=number */
    CAROM_CLI_TEXT,
    CAROM_CLI_COUNT,     /* a positive integer */
    CAROM_CLI_FLAG,
    CAROM_CLI_OWN,       /* kept as text in carom_cli.own */
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
    const char *name, *operands;
    int least, most;             /* number of operands */
    unsigned bit;
    int (*run)(const carom_cli *cli);
    const char *brief, *doc, *examples;
    const carom_cli_option *options; /* of its own, all of kind CAROM_CLI_OWN; NULL: none */
} carom_cli_command;

extern const carom_cli_command *const carom_cli_commands[]; /* NULL ends them */
extern const carom_cli_option carom_cli_options[];
const carom_cli_command *carom_cli_find(const char *name); /* NULL: there is none */
bool carom_cli_takes(const carom_cli_command *command, const carom_cli_option *option); /* a shared one */
/* The last value given for an option of the command's own ("" for a flag); NULL: not given. */
const char *carom_cli_own(const carom_cli *cli, const char *name);
/* The same as a number, which stays as it is when the option was not given; an exit code. */
int carom_cli_own_number(const carom_cli *cli, const char *name, double least, double most, double *number);
typedef struct carom_cli_count { /* an option that takes an integer */
    const char *name;
    double least, most;
    long *count;
} carom_cli_count;
int carom_cli_own_counts(const carom_cli *cli, const carom_cli_count *list, int n);
/* The same as the place of a word in a list (NULL ends it). */
int carom_cli_own_choice(const carom_cli *cli, const char *name, const char *const *words, int *choice);
/* "a,b,c" in parts; *n of them. NULL: no memory */
const char **carom_cli_split(const carom_cli *cli, const char *text, int *n);

/* One of these in the file of each command. */
#define CAROM_CLI_COMMANDS(X)                                                                                          \
    X(new) X(run) X(resume) X(check) X(audit) X(list) X(plot) X(lyapunov) X(bifurcate) X(orbit) X(gradient) X(fit)     \
    X(sweep) X(merge) X(basin) X(converge) X(solve) X(bench) X(report) X(animate) X(reproduce) X(help) X(completion)   \
    X(version)
#define CAROM_CLI_DECLARE(name) extern const carom_cli_command carom_cli_##name##_command;
CAROM_CLI_COMMANDS(CAROM_CLI_DECLARE)
/* An option of a command's own. */
#define CAROM_CLI_OWN_OPTION(name, argument, doc) {(name), NULL, (argument), 0, CAROM_CLI_OWN, NULL, 0, doc}

/* Fills *cli from the words after `carom`. Says what is wrong on stderr; returns an exit code. */
int carom_cli_parse(carom_cli *cli, int argc, char **argv);

/* "carom: " and a message on stderr; returns code. */
int carom_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int carom_cli_no_memory(void);
/* limits.c: --limit-memory and --limit-time hold from here on; later, was it the time that ended the job? */
int carom_cli_limit(const carom_cli *cli);
bool carom_cli_overdue(void);
/* An option that names a file to be written names none that the command reads. */
int carom_cli_check_outputs(const carom_cli *cli);
/* How a call of the library ended: its sentence on stderr if it failed. An exit code. */
int carom_cli_done(carom_status status, const carom_error *error);
/* The same of a job that failed on its way; with --json also an object with `model`, `status` and `message`. */
int carom_cli_fail_job(const carom_cli *cli, const carom_model *model, int code, carom_status status,
                       const char *message);
/* One object on standard output. An exit code. */
int carom_cli_json(const carom_result_field *fields, const void *record);
/* "-": standard output, whose name then stands in *path. NULL: *path is a file to create. */
FILE *carom_cli_stream(const char **path);
/* Before a long job: can this file be written at its end? NULL and - can. An exit code. */
int carom_cli_check_writable(const char *path);
int carom_cli_check_page(const carom_cli *cli, const char *path); /* does it end as a page does? */
/* carom_cli_fail with the nearest of names to word as a hint (NULL ends them), then where to read on;
 * CAROM_EXIT_USAGE. */
int carom_cli_unknown(const char *what, const char *word, const char *const *names, const char *topic);

/* --style: is a picture for print? An exit code. */
int carom_cli_paper(const carom_cli *cli, bool *paper);
/* Loads the model that the command line names, with its parameters; note [200] is what loading had to say. */
int carom_cli_load(const carom_cli *cli, carom_model **model, char *note);
/* The model's options, then the command line's. */
int carom_cli_settings(const carom_cli *cli, const carom_model *model, carom_options *options);

/* For commands that need more than a run does: rtol and atol that the command line leaves open. */
void carom_cli_sharpen(const carom_cli *cli, carom_options *options, double tolerance);

/* Explains a section of a model file; false: there is no such section. carom_cli_topic: NULL after the last. */
bool carom_cli_section_help(FILE *file, const char *name);
const char *carom_cli_topic(int i);
void carom_cli_command_help(FILE *file, const carom_cli_command *command);
void carom_cli_describe_method(FILE *file, const char *kind, const carom_method *method);
/* Prints text in lines up to `width`, all but the first indented; a newline in text starts a new line. */
void carom_cli_wrap(FILE *file, const char *text, int indent, int width);

/* ---- signals in long jobs: after catch, Ctrl-C and SIGTERM set a flag that the job asks for, and end a simulation
 * ---- */
void carom_cli_catch(carom_sim *sim); /* NULL: there is none, or more than one */
void carom_cli_release(void);
bool carom_cli_interrupted(void);
bool carom_cli_interrupt(void); /* as Ctrl-C would; false: no job has asked for it */
bool carom_cli_stop(void *user); /* the same, as the callback of a job */

/* ---- progress: one line on a terminal ---- */
typedef struct carom_progress {
    FILE *file; /* NULL: nobody looks */
    double t0, t_end;
    double wall0, wall_shown;
    long steps, steps_shown;
    const char *what; /* said before the bar; NULL: nothing */
    const char *unit; /* of t and t_end where they count something ("points", "runs"); NULL: they are times */
    bool shown;
} carom_progress;
void carom_progress_begin(carom_progress *progress, FILE *file, double t0, double t_end); /* decides by isatty */
void carom_progress_say(carom_progress *progress, const char *text); /* until the first step */
void carom_progress_step(carom_progress *progress, double t);
void carom_progress_end(carom_progress *progress); /* wipes the line */
double carom_wall_time(void);

/* ---- a model that is run: the first member of what most commands work with ---- */
typedef struct carom_cli_work {
    const carom_cli *cli;
    carom_model *model;
    carom_options options;
    carom_progress progress;
    double wall_s;
    char note[200]; /* what loading had to say */
} carom_cli_work;
int carom_cli_begin(carom_cli_work *work); /* loads the model and the options of its run */
/* A long job: a progress line from..to, and signals. */
void carom_cli_start(carom_cli_work *work, double from, double to, const char *unit);
void carom_cli_finish(carom_cli_work *work);
int carom_cli_follow(carom_cli_work *work, carom_sim *sim); /* its steps move the progress line */

#endif
