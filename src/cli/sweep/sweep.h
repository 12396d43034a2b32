/* sweep.h: what `carom sweep`, `carom basin` and `carom merge` share: from a command line to a sweep and its store. */
#ifndef CAROM_CLI_SWEEP_H
#define CAROM_CLI_SWEEP_H

#include "analysis/sweep/sweep.h"
#include "cli/cli.h"
#include "output/store/store.h"

/* The options of its own that a sweep and a basin have both. */
#define CAROM_CLI_SWEEP_OPTIONS                                                                                        \
    CAROM_CLI_OWN_OPTION(                                                                                              \
        "--resume", NULL,                                                                                              \
        "go on with the file of -o where there is one; it must belong to the same model, options and points"),         \
    CAROM_CLI_OWN_OPTION("--shard", "K/N",                                                                             \
                         "compute only the points with index mod N = K mod N, for one of N processes; carom merge "    \
                         "puts their files together")

typedef struct carom_cli_job {
    carom_cli_work run;
    const char *kind; /* "sweep", "basin" */
    const char *name; /* of the model */
    carom_sweep sweep;
    carom_store_form form;
    carom_store *store;
    carom_sweep_todo todo;
    long long computed, failed; /* in this run; in the store */
    int rank, ranks; /* of MPI; 0 of 1 without */
} carom_cli_job;

/* Loads the model, reads axes, design and shard; what is computed is left to the caller. An exit code. */
int carom_cli_job_plan(carom_cli_job *job);
int carom_cli_job_span(carom_cli_job *job); /* --periods, --time, --transient */
/* Describes the whole in job->form (extra: an entry of the command's own, key NULL: none) and opens the store. */
int carom_cli_job_open(carom_cli_job *job, carom_store_entry extra);
/* The whole: every rank plans, rank 0 opens its store, all compute what is left, and rank 0 tells the results, also
 * after an interruption: results is given the exit code so far. */
int carom_cli_job_ranks(carom_cli_job *job, int (*plan)(void *user), int (*open)(void *user),
                        int (*results)(void *user, int code), void *user);
bool carom_cli_job_resumes(const carom_cli_job *job); /* does its -o keep what it takes to go on? */
/* Is standard output taken by the table? */
bool carom_cli_job_prints(const carom_cli_job *job);

/* Reads "grid\nw=2:3:10\n..."; false: it is not one. */
bool carom_cli_design_read(carom_arena *arena, const char *text, carom_sweep *sweep);

/* Points of the sweep that a store lacks, and rows that failed; *missing_text says which (at most size). */
typedef struct carom_cli_census {
    long long points, rows, failed, absent;
    bool complete;
    char first_failure[300];
    char missing[200]; /* "3, 7-12, ..." */
} carom_cli_census;
carom_status carom_cli_census_take(carom_store *store, carom_cli_census *census, carom_error *error);
/* Where every point has failed nothing was computed: says so, and why the first did. An exit code. */
int carom_cli_census_judge(const carom_cli_census *census);

/* A picture of a grid over two axes: column `name` (NULL: the first that was computed). */
int carom_cli_picture(carom_arena *arena, carom_store *store, const char *path, const char *name);

/* ---- mpi.c: nothing happens unless mpirun has started the process ---- */
void carom_cli_mpi_begin(int *rank, int *ranks);
int carom_cli_mpi_agree(int code);  /* rank 0's, on all ranks */
void carom_cli_mpi_abort(int code); /* ends all ranks: one of them cannot go on */
/* Rank 0 hands out points and takes rows until the others have nothing left; the others compute. */
carom_status carom_cli_mpi_run(const carom_sweep *sweep, int rank, int ranks, int threads, const carom_sweep_feed *feed,
                               carom_error *error);
void carom_cli_mpi_end(void);

#endif
