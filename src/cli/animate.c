/* animate.c: `carom animate`: a trajectory, or a model that is run now, as an animated GIF. */
#include <math.h>

#include "cli/runs.h"
#include "output/draw/paint.h"

typedef struct work {
    carom_cli_runs runs;
    carom_gif_options options;
    const char *path;
    int frames, width, height;
} work;

static bool progress(void *user, size_t done, size_t all)
{
    work *w = user;
    carom_progress *p = &w->runs.job[0].work.progress;
    p->t_end = (double)all;
    carom_progress_step(p, (double)done);
    return !carom_cli_interrupted();
}

static int read_options(work *w)
{
    const carom_cli *cli = w->runs.cli;
    carom_gif_options *o = &w->options;
    const double endless = HUGE_VAL;
    *o = (carom_gif_options){.width = cli->width, .height = cli->height, .fps = 25, .from = NAN, .to = NAN,
                             .forces = carom_cli_own(cli, "--forces") != NULL, .progress = progress, .user = w};
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--fps", 1, 50, &o->fps));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--speed", 1e-12, 1e12, &o->speed));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--from", -endless, endless, &o->from));
    return carom_cli_own_number(cli, "--to", -endless, endless, &o->to);
}

/* Without --speed: real time, unless that is over in a blink or takes minutes: then some ten seconds. */
static void choose_speed(work *w, const carom_columns *table)
{
    carom_gif_options *o = &w->options;
    const double *t = table->column[carom_columns_find(table, "t")];
    double from = isnan(o->from) ? t[0] : o->from, to = isnan(o->to) ? t[table->nrow - 1] : o->to;
    if (!(o->speed > 0)) {
        double span = to - from;
        o->speed = span > 30 || (span > 0 && span < 1) ? pow(10, round(log10(span / 8))) : 1;
    }
}

static const carom_result_field fields[] = {CAROM_CELL("animation", CAROM_TEXT, work, path),
                                            CAROM_CELL("frames", CAROM_INT, work, frames),
                                            CAROM_CELL("fps", CAROM_NUMBER, work, options.fps),
                                            CAROM_CELL("speed", CAROM_NUMBER, work, options.speed),
                                            {.name = NULL}};

static int make(work *w)
{
    const carom_cli *cli = w->runs.cli;
    carom_error error = {0};
    size_t frames;
    CAROM_CLI_TRY(read_options(w));
    if (!carom_ends_with(w->path, ".gif"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "animate writes GIF: '%s' should end in .gif", w->path);
    CAROM_CLI_TRY(carom_cli_runs_gather(&w->runs));
    const carom_report_run *run = &w->runs.job[0].run;
    if (carom_columns_find(run->table, "t") < 0 || run->table->nrow == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' has no rows with a column 't': it is not a trajectory",
                              run->name);
    const carom_animated drawn = {run->name, run->model, run->table, run->touched, run->ntouched};
    choose_speed(w, run->table);
    carom_cli_work *job = &w->runs.job[0].work;
    job->cli = cli;
    carom_cli_start(job, 0, (double)run->table->nrow, "frames");
    carom_status status = carom_gif_animate(w->path, &drawn, &w->options, &frames, &error);
    carom_cli_finish(job);
    if (status != CAROM_OK)
        return carom_cli_fail(status == CAROM_BAD_ARGUMENT || status == CAROM_UNSUPPORTED ? CAROM_EXIT_USAGE
                                                                                         : carom_cli_exit(status),
                              "%s", error.text);
    w->frames = (int)frames;
    if (cli->json)
        carom_cli_json(fields, w);
    else if (!cli->quiet)
        printf("animation of %d frames: %s\n", w->frames, w->path);
    return run->info ? carom_cli_exit(run->status) : CAROM_EXIT_OK;
}

static int animate(const carom_cli *cli)
{
    work *w = CAROM_NEW(cli->arena, work, 1);
    if (!w)
        return carom_cli_no_memory();
    *w = (work){.runs.cli = cli, .path = cli->output ? cli->output : "animation.gif"};
    int code = make(w);
    carom_cli_runs_free(&w->runs);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_MODEL_OPTION,
    CAROM_CLI_OWN_OPTION("--fps", "N", "frames a second, 1 to 50; 25 if not given"),
    CAROM_CLI_OWN_OPTION("--speed", "S",
                         "how much time of the motion passes in a second; 1 if not given, unless that is over in a "
                         "blink or takes longer than half a minute"),
    CAROM_CLI_OWN_OPTION("--from", "T", "begin there"),
    CAROM_CLI_OWN_OPTION("--to", "T", "end there"),
    CAROM_CLI_OWN_OPTION("--forces", NULL, "contact forces of bodies as arrows"),
    {.name = NULL},
};

const carom_cli_command carom_cli_animate_command = {
    "animate", "RUN", 1, 1, CAROM_CLI_ANIMATE, animate, "make an animated GIF of a run",
    "Draws the mechanism in motion, in the plane or in space, as the page of report does, and writes it as an animated "
    "GIF (animation.gif if -o is not given). RUN is a trajectory that run wrote (.csv, .json or .h5), or a model, "
    "which is then run. The file appears when it is whole.",
    "carom animate pendulum-wall -o pendulum.gif\n"
    "carom animate run.csv --fps 20 --speed 0.1 --from 1 --to 2 --width 640 -o slow.gif", options};
