/* sweep.c: `carom sweep`: one row of measures for each point of a grid, of random points or of a Sobol sequence. */
#include <math.h>
#include <string.h>

#include "analysis/lyapunov/lyapunov.h"
#include "cli/sweep/sweep.h"
#include "output/output.h"

static const carom_cli_option own[] = {
    {"--measure", NULL, "NAME[:EXPR]", 0, CAROM_CLI_OWN, NULL, 0,
     "what to compute at each point; may be repeated: lyapunov (largest exponent, per period where there is one), "
     "impacts (their number), zeno (accumulations passed), rest (share of the time with a closed contact), time (when "
     "the run ended), max:EXPR, min:EXPR, mean:EXPR, final:EXPR of an expression in the names of the model"},
    {"--periods", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0,
     "how long to measure, in periods of the model; until t_end if neither is given"},
    {"--time", NULL, "T", 0, CAROM_CLI_OWN, NULL, 0, "how long to measure, as a time"},
    {"--transient", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0,
     "how long to run before: in periods with --periods, else a time; 0 if not given"},
    {"--design", NULL, "grid|random|sobol", 0, CAROM_CLI_OWN, NULL, 0,
     "grid (the default): all combinations of -p NAME=FROM:TO:N; random and sobol: --points N in the box of -p "
     "NAME=FROM:TO, by --seed"},
    {"--points", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0, "how many random or Sobol points"},
    CAROM_CLI_SWEEP_OPTIONS,
    {"--picture", NULL, "FILE.png", 0, CAROM_CLI_OWN, NULL, 0, "a map of the first measure over a grid of two axes"},
    {"--export", NULL, "FILE.csv", 0, CAROM_CLI_OWN, NULL, 0, "also write the table, in the order of points"},
    {.name = NULL},
};

static int read_measures(carom_cli_job *job, carom_measure *measure)
{
    const carom_cli *cli = job->cli;
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
        carom_status status = carom_lyapunov_new(&lyapunov, job->model, &job->options, &request, &error);
        carom_lyapunov_free(lyapunov);
        if (status == CAROM_UNSUPPORTED)
            return carom_cli_fail(CAROM_EXIT_USAGE, "--measure lyapunov: %s", error.text);
    }
    return CAROM_EXIT_OK;
}

/* ---- results ---- */

typedef struct range {
    double low, high, sum;
    long long n;
} range;
typedef struct summary {
    range column[CAROM_SWEEP_COLUMNS];
    int first, n; /* the measures among the columns */
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
        r->n++;
    }
    return CAROM_OK;
}

static void put_json(carom_cli_job *job, const summary *s, const carom_cli_census *census)
{
    carom_json *json;
    if (carom_json_new(&json, "standard output", stdout, true, NULL) != CAROM_OK)
        return;
    carom_json_object(json, NULL);
    carom_json_string(json, "model", job->model->name);
    carom_json_string(json, "design", carom_sweep_design_name((int)job->sweep.design));
    carom_json_integer(json, "points", job->sweep.points);
    carom_json_string(json, "shard", carom_store_value(&job->form, "shard"));
    carom_json_integer(json, "done", census->rows);
    carom_json_integer(json, "computed", job->computed);
    carom_json_integer(json, "failed", census->failed);
    carom_json_string(json, "first_failure", census->failed ? census->first_failure : NULL);
    carom_json_bool(json, "complete", census->rows == job->todo.count);
    carom_json_object(json, "measures");
    for (int k = 0; k < s->n; k++) {
        const range *r = &s->column[k];
        carom_json_object(json, job->sweep.column[k]);
        carom_json_number(json, "min", r->n ? r->low : NAN);
        carom_json_number(json, "max", r->n ? r->high : NAN);
        carom_json_number(json, "mean", r->n ? r->sum / (double)r->n : NAN);
        carom_json_integer(json, "finite", r->n);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_string(json, "output", job->cli->output);
    carom_json_number(json, "wall_s", job->wall_s);
    carom_json_end(json);
    carom_json_close(json, NULL);
}

static void say(const carom_cli_job *job, const summary *s, const carom_cli_census *census)
{
    printf("%s: %lld points", job->model->name, census->rows);
    if (job->sweep.nshard > 1)
        printf(" of shard %ld/%ld of %lld", job->sweep.shard, job->sweep.nshard, job->sweep.points);
    printf(", %lld failed\n", census->failed);
    if (census->failed)
        printf("  first failure: %s\n", census->first_failure);
    for (int k = 0; k < s->n; k++)
        if (s->column[k].n)
            printf("  %-16s %.6g ... %.6g, mean %.6g\n", job->sweep.column[k], s->column[k].low, s->column[k].high,
                   s->column[k].sum / (double)s->column[k].n);
    if (job->cli->output)
        printf("  written to %s\n", job->cli->output);
    printf("  %.2f s\n", job->wall_s);
}

static int table(carom_cli_job *job, const char *path, FILE *stream)
{
    carom_error error = {0};
    return carom_store_csv(job->store, path, stream, &error) == CAROM_OK
               ? CAROM_EXIT_OK
               : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
}

static int tell(carom_cli_job *job)
{
    const carom_cli *cli = job->cli;
    summary s = {.first = job->sweep.naxis, .n = job->sweep.ncolumn};
    carom_cli_census census;
    carom_error error = {0};
    carom_status status = carom_store_scan(job->store, add, &s, &error);
    if (status == CAROM_OK)
        status = carom_cli_census_take(job->store, &census, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    if (cli->json)
        put_json(job, &s, &census);
    else if (!cli->quiet && !carom_cli_job_prints(job))
        say(job, &s, &census);
    else if (!cli->quiet && census.failed)
        fprintf(stderr, "carom: note: %lld of %lld points failed\n", census.failed, census.rows);
    return carom_cli_census_judge(&census);
}

/* What there is, also after Ctrl-C. */
static int results(void *user, int code)
{
    carom_cli_job *job = user; /* the first member of work */
    const carom_cli *cli = job->cli;
    const char *export = carom_cli_own(cli, "--export"), *picture = carom_cli_own(cli, "--picture");
    int late = CAROM_EXIT_OK;
    if (carom_cli_job_prints(job))
        late = table(job, "standard output", stdout);
    else if (cli->output && !carom_store_path(cli->output))
        late = table(job, cli->output, NULL);
    if (late == CAROM_EXIT_OK && export)
        late = table(job, export, NULL);
    if (late == CAROM_EXIT_OK && picture)
        late = carom_cli_picture(job->store, picture, NULL);
    if (late == CAROM_EXIT_OK)
        late = tell(job);
    return code == CAROM_EXIT_OK ? late : code;
}

static int check_output(const carom_cli *cli)
{
    const char *o = cli->output;
    const size_t n = o ? strlen(o) : 0;
    if (o && strcmp(o, "-") != 0 && !carom_store_path(o) && !(n > 4 && !strcmp(o + n - 4, ".csv")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes FILE.sqlite, FILE.csv or -, not '%s'", o);
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
    int code = check_output(w->job.cli);
    if (code == CAROM_EXIT_OK)
        code = read_measures(&w->job, w->measure);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_job_plan(&w->job);
    if (code == CAROM_EXIT_OK)
        code = check_exponents(&w->job, w->measure);
    return code == CAROM_EXIT_OK ? carom_cli_job_span(&w->job) : code;
}

static int open(void *user)
{
    work *w = user;
    return carom_cli_job_open(&w->job, (carom_store_entry){NULL, NULL});
}

static int sweep(const carom_cli *cli)
{
    work w = {.job = {.cli = cli, .kind = "sweep"}};
    return carom_cli_job_ranks(&w.job, plan, open, results, &w);
}

const carom_cli_command carom_cli_sweep_command = {
    "sweep", "MODEL", 1, 1, CAROM_CLI_SWEEP, sweep, "many runs: measures over grids and random points, resumable",
    "Runs MODEL at every point of a grid over parameters and initial values (or at random or Sobol points) and "
    "records one row of measures for each: as CSV on standard output or in -o FILE.csv, or in -o FILE.sqlite, which "
    "loses nothing but the points under way when the process is killed, and goes on with --resume. Points that fail "
    "are recorded with the reason. Results do not depend on --threads. Many machines: --shard and carom merge, or "
    "mpirun carom sweep ...",
    "carom sweep bouncing-ball -p e=0.5:0.9:5 --measure impacts --measure max:y\n"
    "carom sweep impact-oscillator -p w=2:3:100 -p alpha=0.05:0.5:100 --measure lyapunov --transient 50 --periods 200 "
    "-o map.sqlite --picture map.png\n"
    "carom sweep bouncing-ball --design sobol --points 1000 -p q.y=0.1:1 -p e=0.5:0.9 --measure zeno -o zeno.sqlite "
    "--resume",
    own};
