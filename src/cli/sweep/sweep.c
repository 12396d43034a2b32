/* sweep.c: `carom sweep`: one row of measures for each point of a grid, of random points or of a Sobol sequence. */
#include <math.h>
#include <string.h>

#include "analysis/lyapunov/lyapunov.h"
#include "cli/sweep/sweep.h"

static const carom_cli_option own[] = {
    CAROM_CLI_OWN_OPTION("--measure", "NAME[:EXPR]",
     "what to compute at each point; may be repeated: lyapunov (largest exponent, per period where there is one), "
     "impacts (their number), zeno (accumulations passed), rest (share of the time with a closed contact), time (when "
     "the run ended), max:EXPR, min:EXPR, mean:EXPR, final:EXPR of an expression in the names of the model, or of a "
     "force (max:ground.reaction)"),
    CAROM_CLI_OWN_OPTION("--periods", "N",
     "how long to measure, in periods of the model; until t_end if neither is given"),
    CAROM_CLI_OWN_OPTION("--time", "T", "how long to measure, as a time"),
    CAROM_CLI_OWN_OPTION("--transient", "N",
     "how long to run before: in periods with --periods, else a time; 0 if not given"),
    CAROM_CLI_OWN_OPTION("--design", "grid|random|sobol",
     "grid (the default): all combinations of -p NAME=FROM:TO:N; random and sobol: --points N in the box of -p "
     "NAME=FROM:TO, by --seed"),
    CAROM_CLI_OWN_OPTION("--points", "N", "how many random or Sobol points"),
    CAROM_CLI_SWEEP_OPTIONS,
    CAROM_CLI_OWN_OPTION("--picture", "FILE",
                         "a map of the first measure over a grid of two axes: .png, .svg or .html"),
    CAROM_CLI_OWN_OPTION("--export", "FILE.csv", "also write the table, in the order of points"),
    {.name = NULL},
};

static int read_measures(carom_cli_job *job, carom_measure *measure)
{
    const carom_cli *cli = job->run.cli;
    carom_sweep *s = &job->sweep;
    carom_error error = {0};
    for (int i = 0; i < cli->nown; i++) {
        if (strcmp(cli->own[i].name, "--measure") != 0)
            continue;
        if (s->ncolumn == CAROM_SWEEP_COLUMNS)
            return carom_cli_fail(CAROM_EXIT_USAGE, "at most %d measures", CAROM_SWEEP_COLUMNS);
        s->column[s->ncolumn] = cli->own[i].value;
        if (carom_measure_read(&measure[s->ncolumn++], cli->own[i].value, &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom help sweep)", error.text);
        for (int k = 0; k < s->ncolumn - 1; k++)
            if (!strcmp(s->column[k], cli->own[i].value))
                return carom_cli_fail(CAROM_EXIT_USAGE, "--measure %s is given twice", cli->own[i].value);
    }
    if (s->ncolumn == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "sweep needs something to compute: --measure NAME (see: carom help sweep)");
    s->method = &carom_sweep_measures;
    s->task = measure;
    return CAROM_EXIT_OK;
}

/* A scheme that has no exponents would fail at every point. */
static int check_exponents(const carom_cli_job *job, const carom_measure *measure)
{
    const carom_lyapunov_request request = {.size = sizeof request, .exponents = 1, .length = 1};
    carom_error error = {0};
    for (int k = 0; k < job->sweep.ncolumn; k++) {
        if (measure[k].kind != CAROM_MEASURE_LYAPUNOV)
            continue;
        carom_lyapunov *lyapunov = NULL;
        carom_status status = carom_lyapunov_new(&lyapunov, job->run.model, &job->run.options, &request, &error);
        carom_lyapunov_free(lyapunov);
        if (status == CAROM_UNSUPPORTED)
            return carom_cli_fail(CAROM_EXIT_USAGE, "--measure lyapunov: %s", error.text);
    }
    return CAROM_EXIT_OK;
}

/* ---- results ---- */

typedef struct range {
    double low, high, mean; /* NAN: nothing is finite */
    double sum;
    long long n;
} range;
typedef struct summary {
    range column[CAROM_SWEEP_COLUMNS];
    int first, n; /* the measures among the columns */
    const carom_cli_job *job;
    carom_cli_census census;
    const char *name, *design, *shard, *first_failure, *output;
    long long computed;
    bool complete; /* this shard */
    double wall_s;
} summary;

static carom_status add(void *user, const carom_store_row *row, carom_error *error)
{
    summary *s = user;
    (void)error;
    for (int k = 0; k < s->n; k++) {
        double x = row->value[s->first + k];
        range *r = &s->column[k];
        if (!isfinite(x))
            continue;
        r->low = r->n ? fmin(r->low, x) : x;
        r->high = r->n ? fmax(r->high, x) : x;
        r->sum += x;
        r->mean = r->sum / (double)++r->n;
    }
    return CAROM_OK;
}

static const carom_result_field of_range[] = {CAROM_CELL("min", CAROM_NUMBER, range, low),
                                              CAROM_CELL("max", CAROM_NUMBER, range, high),
                                              CAROM_CELL("mean", CAROM_NUMBER, range, mean),
                                              CAROM_CELL("finite", CAROM_LONG_LONG, range, n),
                                              {.name = NULL}};

static void put_measures(carom_json *json, const char *key, const void *record)
{
    const summary *s = record;
    carom_json_object(json, key);
    for (int k = 0; k < s->n; k++) {
        carom_json_object(json, s->job->sweep.column[k]);
        carom_json_fields(json, of_range, &s->column[k]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, summary, name),
                                            CAROM_CELL("design", CAROM_TEXT, summary, design),
                                            CAROM_CELL("points", CAROM_LONG_LONG, summary, census.points),
                                            CAROM_CELL("shard", CAROM_TEXT, summary, shard),
                                            CAROM_CELL("done", CAROM_LONG_LONG, summary, census.rows),
                                            CAROM_CELL("computed", CAROM_LONG_LONG, summary, computed),
                                            CAROM_CELL("failed", CAROM_LONG_LONG, summary, census.failed),
                                            CAROM_CELL("first_failure", CAROM_TEXT, summary, first_failure),
                                            CAROM_CELL("complete", CAROM_BOOL, summary, complete),
                                            CAROM_PUT("measures", put_measures),
                                            CAROM_CELL("output", CAROM_TEXT, summary, output),
                                            CAROM_CELL("wall_s", CAROM_NUMBER, summary, wall_s),
                                            {.name = NULL}};

static void say(const carom_cli_job *job, const summary *s, const carom_cli_census *census)
{
    printf("%s: %lld points", job->name, census->rows);
    if (job->sweep.nshard > 1)
        printf(" of shard %ld/%ld of %lld", job->sweep.shard, job->sweep.nshard, job->sweep.points);
    printf(", %lld failed\n", census->failed);
    if (census->failed)
        printf("  first failure: %s\n", census->first_failure);
    for (int k = 0; k < s->n; k++)
        if (s->column[k].n)
            printf("  %-16s %.6g ... %.6g, mean %.6g\n", job->sweep.column[k], s->column[k].low, s->column[k].high,
                   s->column[k].mean);
    if (job->run.cli->output)
        printf("  written to %s\n", job->run.cli->output);
    printf("  %.2f s\n", job->run.wall_s);
}

static int table(carom_cli_job *job, const char *path)
{
    carom_error error = {0};
    FILE *stream = carom_cli_stream(&path);
    return carom_cli_done(carom_store_table(job->store, path, stream, &error), &error);
}

static int tell(const carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    const carom_sweep *sweep = &job->sweep;
    summary s = {.first = sweep->naxis, .n = sweep->ncolumn, .job = job, .name = job->name, .output = cli->output,
                 .design = carom_sweep_design_name((int)sweep->design), .computed = job->computed,
                 .shard = carom_store_value(&job->form, "shard"), .wall_s = job->run.wall_s};
    carom_error error = {0};
    for (int k = 0; k < s.n; k++)
        s.column[k].low = s.column[k].high = s.column[k].mean = NAN;
    CAROM_CLI_TRY(carom_cli_done(carom_store_scan(job->store, add, &s, &error), &error));
    CAROM_CLI_TRY(carom_cli_done(carom_cli_census_take(job->store, &s.census, &error), &error));
    s.first_failure = s.census.failed ? s.census.first_failure : NULL;
    s.complete = s.census.rows == job->todo.count;
    if (cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, &s));
    else if (!cli->quiet && !carom_cli_job_prints(job))
        say(job, &s, &s.census);
    else if (!cli->quiet && s.census.failed)
        fprintf(stderr, "carom: note: %lld of %lld points failed\n", s.census.failed, s.census.rows);
    return carom_cli_census_judge(&s.census);
}

static int write_results(carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    const char *export = carom_cli_own(cli, "--export"), *picture = carom_cli_own(cli, "--picture");
    if (carom_cli_job_prints(job))
        CAROM_CLI_TRY(table(job, "-"));
    else if (cli->output && !carom_store_path(cli->output))
        CAROM_CLI_TRY(table(job, cli->output));
    if (export)
        CAROM_CLI_TRY(table(job, export));
    if (picture)
        CAROM_CLI_TRY(carom_cli_picture(cli->arena, job->store, picture, NULL));
    return tell(job);
}

/* What there is, also after Ctrl-C. */
static int results(void *user, int code)
{
    int late = write_results(user); /* the job is the first member of work */
    return code == CAROM_EXIT_OK ? late : code;
}

static int check_output(const carom_cli *cli)
{
    const char *o = cli->output;
    if (o && strcmp(o, "-") != 0 && !carom_store_path(o) && !carom_store_table_path(o))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes FILE.sqlite, FILE.csv, FILE.h5 or -, not '%s'", o);
    if (o && !strcmp(o, "-") && cli->json)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    return CAROM_EXIT_OK;
}

typedef struct work {
    carom_cli_job job;
    carom_measure measure[CAROM_SWEEP_COLUMNS];
} work;

static int plan(void *user)
{
    work *w = user;
    CAROM_CLI_TRY(check_output(w->job.run.cli));
    CAROM_CLI_TRY(read_measures(&w->job, w->measure));
    CAROM_CLI_TRY(carom_cli_job_plan(&w->job));
    CAROM_CLI_TRY(check_exponents(&w->job, w->measure));
    return carom_cli_job_span(&w->job);
}

static int open(void *user)
{
    work *w = user;
    return carom_cli_job_open(&w->job, (carom_store_entry){NULL, NULL});
}

static int sweep(const carom_cli *cli)
{
    work w = {.job = {.run.cli = cli, .kind = "sweep"}};
    return carom_cli_job_ranks(&w.job, plan, open, results, &w);
}

const carom_cli_command carom_cli_sweep_command = {
    "sweep", "MODEL", 1, 1, CAROM_CLI_SWEEP, sweep, "many runs: measures over grids and random points, resumable",
    "Runs MODEL at every point of a grid over parameters and initial values (or at random or Sobol points) and "
    "records one row of measures for each: as CSV on standard output, in -o FILE.csv, FILE.h5 or FILE.sqlite. Files "
    "lose nothing but the points under way when the process is killed, and go on with --resume (a table appears when "
    "it is whole; until then its rows are in FILE.csv.rows or FILE.h5.rows). Points that fail "
    "are recorded with the reason. Results do not depend on --threads. Many machines: --shard and carom merge, or "
    "mpirun carom sweep ...",
    "carom sweep bouncing-ball -p e=0.5:0.9:5 --measure impacts --measure max:y\n"
    "carom sweep impact-oscillator -p w=2:3:100 -p alpha=0.05:0.5:100 --measure lyapunov --transient 50 --periods 200 "
    "-o map.sqlite --picture map.png\n"
    "carom sweep bouncing-ball --design sobol --points 1000 -p q.y=0.1:1 -p e=0.5:0.9 --measure zeno -o zeno.sqlite "
    "--resume",
    own};
