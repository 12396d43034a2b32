/* report.c: `carom report`: trajectories that were written, or models that are run now, as one page. */
#include "cli/runs.h"
#include "model/draw.h"

typedef struct work {
    carom_cli_runs runs;
    const carom_cli_job_run *jobs; /* [n] */
    int n;
    const char *path; /* of the page */
} work;

/* ---- the page ---- */
static void put_run(carom_json *json, const char *key, const void *record)
{
    const carom_report_run *run = &((const carom_cli_job_run *)record)->run;
    carom_json_string(json, key, run->model ? run->model->name : run->table->title);
    carom_json_integer(json, "rows", (long long)run->table->nrow);
    carom_json_bool(json, "drawn", run->model && carom_model_drawing(run->model));
    carom_json_string(json, "status", run->info ? carom_status_text(run->status) : NULL);
}

static const carom_result_field of_run[] = {CAROM_CELL("name", CAROM_TEXT, carom_cli_job_run, run.name),
                                            CAROM_PUT("model", put_run),
                                            {.name = NULL}};
static const carom_result_field fields[] = {CAROM_CELL("page", CAROM_TEXT, work, path),
                                            CAROM_ROWS("runs", work, jobs, n, carom_cli_job_run, of_run),
                                            {.name = NULL}};

static int tell(work *w)
{
    const carom_cli *cli = w->runs.cli;
    w->jobs = w->runs.job;
    w->n = w->runs.n;
    if (cli->json)
        return carom_cli_json(fields, w);
    if (!cli->quiet)
        printf("report of %d run%s: %s\n", w->n, w->n == 1 ? "" : "s", w->path);
    return CAROM_EXIT_OK;
}

static int write_page(work *w)
{
    carom_error error = {0};
    const carom_cli *cli = w->runs.cli;
    const int n = w->runs.n;
    carom_report_run *runs = CAROM_NEW(cli->arena, carom_report_run, n);
    const char *title = cli->title;
    if (!runs)
        return carom_cli_no_memory();
    for (int i = 0; i < n; i++)
        runs[i] = w->runs.job[i].run;
    if (!title)
        title = runs[0].model ? runs[0].model->name : runs[0].table->title;
    if (carom_report_write(w->path, title, runs, n, &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE : CAROM_EXIT_FAILED, "%s",
                              error.text);
    int code = tell(w);
    for (int i = 0; i < n && code == CAROM_EXIT_OK; i++)
        if (runs[i].info)
            code = carom_cli_exit(runs[i].status);
    return code;
}

static int make(work *w)
{
    carom_cli_runs *runs = &w->runs;
    const char *schemes = carom_cli_own(runs->cli, "--schemes");
    CAROM_CLI_TRY(carom_cli_check_page(runs->cli, w->path));
    if (schemes && !(runs->scheme = carom_cli_split(runs->cli, schemes, &runs->nscheme)))
        return carom_cli_no_memory();
    CAROM_CLI_TRY(carom_cli_runs_gather(runs));
    return write_page(w);
}

static int report(const carom_cli *cli)
{
    work *w = CAROM_NEW(cli->arena, work, 1);
    if (!w)
        return carom_cli_no_memory();
    *w = (work){.runs.cli = cli, .path = cli->output ? cli->output : "report.html"};
    int code = make(w);
    carom_cli_runs_free(&w->runs);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_MODEL_OPTION,
    CAROM_CLI_OWN_OPTION("--schemes", "NAME[:FIELD=VALUE...],...",
                         "run each MODEL once with each of these schemes and show the runs over each other"),
    {.name = NULL},
};

const carom_cli_command carom_cli_report_command = {
    "report", "RUN...", 1, CAROM_CLI_RUNS_MOST, CAROM_CLI_REPORT, report,
    "make a page of runs: plots, contacts, energy, animation",
    "Writes one offline page (HTML, report.html if -o is not given) about one or several runs, shown over each other. "
    "RUN is a trajectory that run wrote (.csv, .json or .h5), or a model, which is then run. The page has motion and "
    "portraits with zoom, contact status, forces, impulses and impacts, the energy and its balance, step sizes, and "
    "the mechanism in motion when the model has a section 'draw'. What a file does not hold is said on the page.",
    "carom report bouncing-ball\n"
    "carom report ball --schemes moreau-jean,tolerance --t-end 4 -o ball.html\n"
    "carom report a.csv b.csv --model pendulum.yaml -o compare.html", options};
