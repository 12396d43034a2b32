/* bifurcate.c: `carom bifurcate`: a diagram of the points that a motion leaves in a map, over a parameter. */
#include <stdlib.h>
#include <string.h>

#include "carom_analysis.h"
#include "cli/bifurcate/bifurcate.h"
#include "cli/cli.h"
#include "model/model.h"

/* ---- options ---- */

/* The place of an option's value in words (NULL ends them); *choice stays when it was not given. */
static int choose(const carom_cli *cli, const char *name, const char *const *words, int *choice)
{
    const char *text = carom_cli_own(cli, name);
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i])) {
            *choice = i;
            return CAROM_EXIT_OK;
        }
    return text ? carom_cli_unknown(name, text, words, "bifurcate") : CAROM_EXIT_OK;
}

static int read_map(carom_diagram *d)
{
    static const char *const maps[] = {"strobe", "section", "impact", NULL}, *const ways[] = {"both", "up", "down",
                                                                                              NULL};
    const carom_cli *cli = d->cli;
    carom_bifurcation_request *r = &d->request;
    int map = carom_cli_own(cli, "--section") ? 1 : 0, crossing = 1, direction = 1;
    int code = choose(cli, "--map", maps, &map);
    if (code == CAROM_EXIT_OK)
        code = choose(cli, "--crossing", ways, &crossing);
    if (code == CAROM_EXIT_OK)
        code = choose(cli, "--direction", ways, &direction);
    r->map = (carom_map)map;
    r->crossing = crossing == 2 ? -1 : crossing;
    r->direction = direction == 2 ? -1 : direction;
    r->section = carom_cli_own(cli, "--section");
    r->contact = carom_cli_own(cli, "--contact");
    r->after = carom_cli_own(cli, "--after") != NULL;
    r->of = carom_cli_own(cli, "--of");
    if (code != CAROM_EXIT_OK)
        return code;
    if (r->map == CAROM_MAP_SECTION && !r->section)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--map section needs --section EXPR, which crosses zero on it");
    if (r->map != CAROM_MAP_SECTION && (r->section || carom_cli_own(cli, "--crossing")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--section and --crossing belong to --map section");
    if (r->map != CAROM_MAP_IMPACT && (r->contact || r->after))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--contact and --after belong to --map impact");
    if (r->map == CAROM_MAP_STROBE && !(d->model->period > 0))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "model '%s' has no period to strobe with; give --section EXPR or --map impact",
                              d->model->name);
    return CAROM_EXIT_OK;
}

/* --mark VALUE[:LABEL] */
static int read_marks(carom_diagram *d)
{
    for (int i = 0; i < d->cli->nown; i++) {
        const char *text = d->cli->own[i].value, *colon = strchr(text, ':');
        if (strcmp(d->cli->own[i].name, "--mark") != 0)
            continue;
        size_t length = colon ? (size_t)(colon - text) : strlen(text);
        const char *number = carom_arena_text(d->cli->arena, text, length);
        carom_plot_mark *mark = &d->mark[d->nmark];
        if (d->nmark == CAROM_DIAGRAM_MARKS)
            return carom_cli_fail(CAROM_EXIT_USAGE, "at most %d marks", CAROM_DIAGRAM_MARKS);
        if (!number || !carom_number(number, &mark->x))
            return carom_cli_fail(CAROM_EXIT_USAGE, "--mark takes VALUE or VALUE:LABEL, not '%s'", text);
        mark->text = colon ? colon + 1 : number;
        d->nmark++;
    }
    return CAROM_EXIT_OK;
}

static int read_files(carom_diagram *d)
{
    const char *output = d->cli->output, *ending = output ? strrchr(output, '.') : NULL;
    d->picture = carom_cli_own(d->cli, "--picture");
    if (output && !strcmp(output, "-"))
        d->table = output;
    else if (ending && !strcmp(ending, ".csv"))
        d->table = output;
    else if (ending && !strcmp(ending, ".svg") && !d->picture)
        d->picture = output;
    else if (ending && !strcmp(ending, ".svg"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "the picture is asked for twice: as -o %s and as --picture %s", output,
                              d->picture);
    else if (output)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes a file that ends in .csv or .svg, not '%s'", output);
    if (d->cli->json && d->table && !strcmp(d->table, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - both want standard output");
    int code = carom_cli_check_writable(d->table);
    return code == CAROM_EXIT_OK ? carom_cli_check_writable(d->picture) : code;
}

static int read_options(carom_diagram *d)
{
    const carom_cli *cli = d->cli;
    carom_bifurcation_request *r = &d->request;
    if (cli->nrange != 1)
        return carom_cli_fail(CAROM_EXIT_USAGE, "bifurcate needs one -p NAME=FROM:TO:N: what is varied");
    r->name = cli->range[0].name, r->from = cli->range[0].from, r->to = cli->range[0].to, r->n = cli->range[0].n;
    long periods = 200;
    const carom_cli_count counts[] = {{"--show", 1, 1e9, &r->show},
                                      {"--transient", 0, 1e9, &r->transient},
                                      {"--limit", 1, 1e9, &r->limit},
                                      {"--periods", 1, 1e9, &periods}};
    int code = carom_cli_settings(cli, d->model, &d->options);
    if (code == CAROM_EXIT_OK)
        code = read_map(d);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_own_counts(cli, counts, CAROM_COUNT(counts));
    if (code == CAROM_EXIT_OK)
        code = read_marks(d);
    if (code == CAROM_EXIT_OK)
        code = read_files(d);
    bool initial = !strncmp(r->name, "q.", 2) || !strncmp(r->name, "v.", 2);
    r->fresh = carom_cli_own(cli, "--fresh") != NULL || initial;
    r->exponent = carom_cli_own(cli, "--exponent") || carom_cli_own(cli, "--periods") ? periods : 0;
    r->threads = cli->threads;
    return code;
}

/* ---- the run ---- */

static bool go_on(void *user, long done, long all)
{
    carom_diagram *d = user;
    (void)all;
    carom_progress_step(&d->progress, (double)done);
    return !carom_cli_interrupted();
}

static bool stop(void *user)
{
    (void)user;
    return carom_cli_interrupted();
}

static int judge(carom_diagram *d, carom_status status)
{
    const carom_bifurcation *b = d->result;
    if (status == CAROM_INTERRUPTED)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted: what was computed until then is written");
    if (b->failed)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%ld of %ld runs failed, the first at %s", b->failed, b->passes * b->n,
                              b->failure);
    return CAROM_EXIT_OK;
}

static int draw(carom_diagram *d)
{
    carom_error error = {0};
    const double start = carom_wall_time();
    d->request.user = d;
    d->request.go_on = go_on;
    d->request.stop = stop;
    carom_progress_begin(&d->progress, d->cli->quiet ? NULL : stderr, 0,
                         (double)d->request.n * (d->request.direction == 0 && !d->request.fresh ? 2 : 1));
    d->progress.unit = "runs";
    carom_cli_catch(NULL);
    carom_status status = carom_bifurcation_run(&d->result, d->model, &d->options, &d->request, &error);
    carom_cli_release();
    carom_progress_end(&d->progress);
    d->wall_s = carom_wall_time() - start;
    if (!d->result) /* a wrong name, section or contact is a matter of the command line */
        return carom_cli_fail(status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_MODEL ? CAROM_EXIT_USAGE
                                                                                        : carom_cli_exit(status),
                              "%s", error.text);
    const int written = carom_diagram_write(d, &error) == CAROM_OK
                            ? CAROM_EXIT_OK
                            : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    return written == CAROM_EXIT_OK || status == CAROM_INTERRUPTED ? judge(d, status) : written;
}

static int run(const carom_cli *cli)
{
    carom_diagram d = {.cli = cli, .request = {.size = sizeof d.request, .transient = 200, .show = 100}};
    char note[200];
    int code = carom_cli_load(cli, &d.model, note);
    if (code == CAROM_EXIT_OK)
        code = read_options(&d);
    if (code == CAROM_EXIT_OK)
        code = draw(&d);
    carom_bifurcation_free(d.result);
    carom_model_free(d.model);
    return code;
}

#define OWN(name, argument, doc) {name, NULL, argument, CAROM_CLI_BIFURCATE, CAROM_CLI_OWN, NULL, 0, doc}
static const carom_cli_option options[] = {
    OWN("--map", "strobe|section|impact",
        "when a point is taken: once in a period (the default), where --section crosses zero, at impacts"),
    OWN("--section", "EXPR",
        "an expression in the names of the model, such as x' or y - 0.1; points are taken where it is zero"),
    OWN("--crossing", "up|down|both", "whether it crosses zero upwards (the default), downwards or either way"),
    OWN("--contact", "NAME", "impacts of this contact only; any if not given"),
    OWN("--after", NULL, "velocities just after an impact, not just before it"),
    OWN("--of", "EXPR", "what is drawn; if not given the first coordinate, at impacts the velocity of the gap"),
    OWN("--transient", "N", "periods (without forcing: units of time) before the first point; 200 if not given"),
    OWN("--show", "N", "points for each value; 100 if not given"),
    OWN("--limit", "N", "periods in which the points have to come; 20 for each if not given"),
    OWN("--direction", "up|down|both",
        "from FROM to TO (the default), back, or both; the state is carried on from value to value"),
    OWN("--fresh", NULL,
        "begin every value at the model's start; then values run in parallel, in the strobe map also eight at a time "
        "on each core"),
    OWN("--exponent", NULL, "also measure the largest Lyapunov exponent, drawn below the diagram"),
    OWN("--periods", "N", "over so many periods; 200 if not given"),
    OWN("--mark", "VALUE[:LABEL]", "a vertical line in the picture; may be repeated"),
    OWN("--picture", "FILE.svg", "the picture, beside -o FILE.csv"),
    {.name = NULL},
};

const carom_cli_command carom_cli_bifurcate_command = {
    "bifurcate", "MODEL", 1, 1, CAROM_CLI_BIFURCATE, run, "bifurcation diagram over a parameter",
    "Runs MODEL for N values of what -p NAME=FROM:TO:N names, lets each settle, and keeps the points that the motion "
    "leaves in a map: one for a periodic motion, k for one of period k, many for a chaotic one. -o FILE.csv writes "
    "the points, -o FILE.svg draws them. Ctrl-C writes what has been computed.",
    "carom bifurcate impact-oscillator -p w=2:3:400 -p alpha=0 -p umin=0 --exponent -o diagram.csv --picture "
    "diagram.svg\n"
    "carom bifurcate vibrating-table -p A=0.003:0.012:300 --map impact --of \"mod(w*t, 2*pi)\" -o table.svg\n"
    "carom bifurcate chain -p d=0:0.8:200 --section \"x1'\" --of x2 --direction both -o chain.svg",
    options};
