/* bifurcate.c: `carom bifurcate`: a diagram of the points that a motion leaves in a map, over a parameter: as a table,
 * a picture, JSON, and in words. */
#include <math.h>
#include <string.h>

#include "carom_analysis.h"
#include "cli/cli.h"
#include "model/model.h"
#include "output/chart/chart.h"
#include "output/page/page.h"

enum { MARKS = 32, PERIOD_MOST = 16 };

typedef struct diagram {
    carom_cli_work run;
    carom_bifurcation_request request;
    carom_bifurcation *result;
    carom_chart_mark mark[MARKS];
    int nmark;
    const char *table, *picture;    /* paths; NULL: not wanted */
    const char *name, *map, *drawn; /* the model; the map; what is drawn, as the name of its column */
    long failed;
    bool paper;
    char buffer[32];
} diagram;

/* ---- options ---- */

static int read_map(diagram *d)
{
    static const char *const maps[] = {"strobe", "section", "impact", NULL};
    static const char *const ways[] = {"both", "up", "down", NULL};
    const carom_cli *cli = d->run.cli;
    carom_bifurcation_request *r = &d->request;
    int map = carom_cli_own(cli, "--section") ? 1 : 0, crossing = 1, direction = 1;
    CAROM_CLI_TRY(carom_cli_own_choice(cli, "--map", maps, &map));
    CAROM_CLI_TRY(carom_cli_own_choice(cli, "--crossing", ways, &crossing));
    CAROM_CLI_TRY(carom_cli_own_choice(cli, "--direction", ways, &direction));
    d->map = maps[map];
    r->map = (carom_map)map;
    r->crossing = crossing == 2 ? -1 : crossing;
    r->direction = direction == 2 ? -1 : direction;
    r->section = carom_cli_own(cli, "--section");
    r->contact = carom_cli_own(cli, "--contact");
    r->after = carom_cli_own(cli, "--after") != NULL;
    r->of = carom_cli_own(cli, "--of");
    if (r->map == CAROM_MAP_SECTION && !r->section)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--map section needs --section EXPR, which crosses zero on it");
    if (r->map != CAROM_MAP_SECTION && (r->section || carom_cli_own(cli, "--crossing")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--section and --crossing belong to --map section");
    if (r->map != CAROM_MAP_IMPACT && (r->contact || r->after))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--contact and --after belong to --map impact");
    if (r->map == CAROM_MAP_STROBE && !(d->run.model->period > 0))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "model '%s' has no period to strobe with; give --section EXPR or --map impact",
                              d->run.model->name);
    return CAROM_EXIT_OK;
}

/* --mark VALUE[:LABEL] */
static int read_marks(diagram *d)
{
    for (int i = 0; i < d->run.cli->nown; i++) {
        const char *text = d->run.cli->own[i].value, *colon = strchr(text, ':');
        if (strcmp(d->run.cli->own[i].name, "--mark") != 0)
            continue;
        size_t length = colon ? (size_t)(colon - text) : strlen(text);
        const char *number = carom_arena_text(d->run.cli->arena, text, length);
        carom_chart_mark *mark = &d->mark[d->nmark];
        if (d->nmark == MARKS)
            return carom_cli_fail(CAROM_EXIT_USAGE, "at most %d marks", MARKS);
        if (!number || !carom_number(number, &mark->x))
            return carom_cli_fail(CAROM_EXIT_USAGE, "--mark takes VALUE or VALUE:LABEL, not '%s'", text);
        mark->text = colon ? colon + 1 : number;
        mark->y = NAN;
        d->nmark++;
    }
    return CAROM_EXIT_OK;
}

static int read_files(diagram *d)
{
    const char *output = d->run.cli->output;
    const bool svg = carom_ends_with(output, ".svg") || carom_ends_with(output, ".html");
    d->picture = carom_cli_own(d->run.cli, "--picture");
    if (output && (!strcmp(output, "-") || carom_ends_with(output, ".csv")))
        d->table = output;
    else if (svg && !d->picture)
        d->picture = output;
    else if (svg)
        return carom_cli_fail(CAROM_EXIT_USAGE, "the picture is asked for twice: as -o %s and as --picture %s", output,
                              d->picture);
    else if (output)
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes a file that ends in .csv, .svg or .html, not '%s'", output);
    if (d->run.cli->json && d->table && !strcmp(d->table, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - both want standard output");
    CAROM_CLI_TRY(carom_cli_paper(d->run.cli, &d->paper));
    CAROM_CLI_TRY(carom_cli_check_writable(d->table));
    return carom_cli_check_writable(d->picture);
}

static int read_options(diagram *d)
{
    const carom_cli *cli = d->run.cli;
    carom_bifurcation_request *r = &d->request;
    if (cli->nrange != 1)
        return carom_cli_fail(CAROM_EXIT_USAGE, "bifurcate needs one -p NAME=FROM:TO:N: what is varied");
    r->name = cli->range[0].name, r->from = cli->range[0].from, r->to = cli->range[0].to, r->n = cli->range[0].n;
    long periods = 200;
    const carom_cli_count counts[] = {{"--show", 1, 1e9, &r->show},
                                      {"--transient", 0, 1e9, &r->transient},
                                      {"--limit", 1, 1e9, &r->limit},
                                      {"--periods", 1, 1e9, &periods}};
    CAROM_CLI_TRY(carom_cli_settings(cli, d->run.model, &d->run.options));
    CAROM_CLI_TRY(read_map(d));
    CAROM_CLI_TRY(carom_cli_own_counts(cli, counts, CAROM_COUNT(counts)));
    CAROM_CLI_TRY(read_marks(d));
    CAROM_CLI_TRY(read_files(d));
    bool initial = !strncmp(r->name, "q.", 2) || !strncmp(r->name, "v.", 2);
    r->fresh = carom_cli_own(cli, "--fresh") != NULL || initial;
    r->exponent = carom_cli_own(cli, "--exponent") || carom_cli_own(cli, "--periods") ? periods : 0;
    r->threads = cli->threads;
    return CAROM_EXIT_OK;
}

/* After the run: a model whose parameter was changed is built anew, names included. */
static void name_results(diagram *d)
{
    const carom_bifurcation_request *r = &d->request;
    d->name = d->run.model->name;
    d->drawn = r->of                          ? r->of
               : r->map == CAROM_MAP_IMPACT ? "impact velocity"
                                              : carom_model_q_name(d->run.model, 0, d->buffer);
}

/* ---- results ---- */

typedef struct cloud { /* the points of one value */
    double value, distinct, exponent;
    const char *direction;
    const double *x; /* [count] */
    int count;       /* negative: not computed */
    int points;      /* different ones, at most PERIOD_MOST + 1; negative: not computed */
} cloud;

/* How many different points there are, up to rounding of the motion; PERIOD_MOST + 1: more. */
static int distinct(const double *x, long n)
{
    double low = INFINITY, high = -INFINITY, seen[PERIOD_MOST];
    int count = 0;
    for (long i = 0; i < n; i++)
        low = fmin(low, x[i]), high = fmax(high, x[i]);
    double tolerance = 1e-5 * (high - low) + 1e-6 * fmax(fabs(low), fabs(high));
    for (long i = 0; i < n; i++) {
        int k = 0;
        while (k < count && fabs(seen[k] - x[i]) > tolerance)
            k++;
        if (k < count)
            continue;
        if (count == PERIOD_MOST)
            return PERIOD_MOST + 1;
        seen[count++] = x[i];
    }
    return count;
}

static cloud cloud_of(const diagram *d, long i)
{
    const carom_bifurcation *b = d->result;
    cloud c = {.value = b->value[i % b->n], .exponent = b->exponent[i], .x = b->x + i * b->show,
               .count = (int)b->count[i], .direction = b->direction[i / b->n] > 0 ? "up" : "down"};
    c.points = c.count < 0 ? -1 : distinct(c.x, c.count);
    c.distinct = c.points <= PERIOD_MOST ? c.points : NAN;
    return c;
}

/* ---- the table: one row for each point ---- */

static carom_status write_table(const diagram *d, carom_error *error)
{
    const carom_bifurcation *b = d->result;
    const char *path = d->table;
    FILE *stream = carom_cli_stream(&path);
    carom_stream out;
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_csv(&out, d->request.name);
    carom_stream_string(&out, ",direction,point,t,");
    carom_stream_csv(&out, d->drawn);
    carom_stream_string(&out, d->request.exponent ? ",exponent\n" : "\n");
    for (long slot = 0; slot < b->passes * b->n; slot++)
        for (long k = 0; k < b->count[slot]; k++) {
            const double row[] = {b->value[slot % b->n], b->direction[slot / b->n], (double)k, b->t[slot * b->show + k],
                                  b->x[slot * b->show + k], b->exponent[slot]};
            carom_stream_csv_numbers(&out, row, d->request.exponent ? 6 : 5);
            carom_stream_mark(&out);
        }
    return carom_stream_close(&out, error);
}

/* ---- the picture: a cloud, below it the exponents as a line ---- */

static void add_pass(const diagram *d, int pass, double *room, carom_chart_series *points, carom_chart_series *line)
{
    static const char *const names[2][2] = {{"up", "down"}, {"largest exponent (up)", "largest exponent (down)"}};
    const carom_bifurcation *b = d->result;
    const bool down = b->direction[pass] < 0;
    double *x = room, *y = room + b->n * b->show;
    size_t n = 0;
    for (long slot = pass * b->n; slot < (pass + 1) * b->n; slot++)
        for (long k = 0; k < b->count[slot]; k++) {
            x[n] = b->value[slot % b->n];
            y[n++] = b->x[slot * b->show + k];
        }
    *points = (carom_chart_series){.name = names[0][down], .x = x, .y = y, .n = n, .style = CAROM_CHART_CLOUD};
    *line = (carom_chart_series){.name = names[1][down], .x = b->value, .y = b->exponent + pass * b->n,
                                 .n = (size_t)b->n};
}

/* The same charts in a page: zoom, values under the cursor. */
static carom_status write_page(const diagram *d, const char *title, carom_chart *charts, int n, carom_error *error)
{
    carom_page *page;
    CAROM_TRY(carom_page_new(&page, d->picture, title, error));
    carom_page_section(page, "diagram", "Bifurcation diagram", CAROM_PAGE_INFO);
    for (int i = 0; i < n; i++) {
        charts[i].title = i ? "Largest exponent" : title;
        charts[i].y_label = i ? "exponent" : d->drawn;
        charts[i].zoom_both = i == 0;
        charts[i].height = i ? 240 : 560;
        charts[i].link = "parameter";
        carom_page_plot(page, &charts[i]);
    }
    return carom_page_close(page, error);
}

static carom_status write_picture(const diagram *d, carom_error *error)
{
    const carom_bifurcation *b = d->result;
    const carom_bifurcation_request *r = &d->request;
    const size_t each = 2 * (size_t)(b->n * b->show);
    double *room = CAROM_NEW(d->run.cli->arena, double, each * (size_t)b->passes + 1);
    carom_chart_series points[2], line[2];
    carom_chart_mark silent[MARKS];
    char title[400];
    if (!room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture of %zu points", each / 2 * (size_t)b->passes);
    for (int pass = 0; pass < b->passes; pass++)
        add_pass(d, pass, room + each * (size_t)pass, &points[pass], &line[pass]);
    for (int i = 0; i < d->nmark; i++)
        silent[i] = (carom_chart_mark){NULL, d->mark[i].x, NAN, 0};
    snprintf(title, sizeof title, "%s: %s over %s", d->name, d->drawn, r->name);
    carom_chart charts[2] = {{.series = points, .marks = d->mark}, {.series = line, .marks = silent}};
    for (int i = 0; i < 2; i++) {
        charts[i].x_label = r->name;
        charts[i].nseries = b->passes;
        charts[i].nmark = d->nmark;
        charts[i].paper = d->paper;
        charts[i].x_from = fmin(r->from, r->to), charts[i].x_to = fmax(r->from, r->to);
    }
    if (carom_ends_with(d->picture, ".html"))
        return write_page(d, title, charts, r->exponent ? 2 : 1, error);
    return carom_charts_stack(d->picture, NULL, title, charts, r->exponent ? 2 : 1, 900, r->exponent ? 760 : 560,
                              error);
}

/* ---- on standard output ---- */

static const carom_result_field of_cloud[] = {CAROM_CELL("value", CAROM_NUMBER, cloud, value),
                                             CAROM_CELL("direction", CAROM_TEXT, cloud, direction),
                                             CAROM_CELL("distinct", CAROM_NUMBER, cloud, distinct),
                                             {.name = NULL}};
static const carom_result_field of_points[] = {CAROM_COUNTED("points", CAROM_NUMBERS, cloud, x, count, double),
                                               {.name = NULL}};

static void put_rows(carom_json *json, const char *key, const void *record)
{
    const diagram *d = record;
    carom_json_array(json, key);
    for (long i = 0; i < d->result->passes * d->result->n; i++) {
        const cloud s = cloud_of(d, i);
        if (s.count < 0)
            continue;
        carom_json_object(json, NULL);
        carom_json_fields(json, of_cloud, &s);
        if (d->request.exponent)
            carom_json_number(json, "exponent", s.exponent);
        carom_json_fields(json, of_points, &s);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, diagram, name),
                                            CAROM_CELL("scheme", CAROM_CHARS, diagram, run.options.scheme),
                                            CAROM_CELL("parameter", CAROM_TEXT, diagram, request.name),
                                            CAROM_CELL("map", CAROM_TEXT, diagram, map),
                                            CAROM_CELL("of", CAROM_TEXT, diagram, drawn),
                                            CAROM_CELL("failed", CAROM_LONG, diagram, failed),
                                            CAROM_PUT("rows", put_rows),
                                            CAROM_CELL("wall_s", CAROM_NUMBER, diagram, run.wall_s),
                                            {.name = NULL}};

/* "from ... to: 2 points": neighbours with as many points in one line. */
static void print_text(const diagram *d)
{
    enum { LINES = 40 };
    const carom_bifurcation *b = d->result;
    printf("%s: %s over %s, %ld values\n", d->name, d->drawn, d->request.name, b->n);
    for (int pass = 0; pass < b->passes; pass++) {
        int lines = 0;
        for (long i = 0, next; i < b->n; i = next) {
            const cloud c = cloud_of(d, pass * b->n + i);
            next = i + 1;
            while (next < b->n && cloud_of(d, pass * b->n + next).points == c.points)
                next++;
            if (++lines > LINES)
                continue;
            printf("  %-5s%12.8g ... %-12.8g  ", c.direction, c.value, b->value[next - 1]);
            if (c.points < 0)
                printf("not computed\n");
            else
                printf("%s%d point%s\n", c.points > PERIOD_MOST ? "more than " : "", CAROM_MIN(c.points, PERIOD_MOST),
                       c.points == 1 ? "" : "s");
        }
        if (lines > LINES)
            printf("  and %d more changes\n", lines - LINES);
    }
    printf("  %.2g s\n", d->run.wall_s);
}

static int write_results(diagram *d)
{
    const carom_cli *cli = d->run.cli;
    carom_error error = {0};
    long points = 0;
    for (long i = 0; i < d->result->passes * d->result->n; i++)
        points += CAROM_MAX(d->result->count[i], 0);
    if (d->table)
        CAROM_CLI_TRY(carom_cli_done(write_table(d, &error), &error));
    if (d->picture && points == 0)
        return carom_cli_fail(CAROM_EXIT_FAILED, "there are no points to draw in '%s'", d->picture);
    if (d->picture)
        CAROM_CLI_TRY(carom_cli_done(write_picture(d, &error), &error));
    if (cli->json)
        return carom_cli_json(fields, d);
    if (!cli->quiet && !(d->table && !strcmp(d->table, "-")))
        print_text(d);
    return CAROM_EXIT_OK;
}

/* ---- the run ---- */

static bool go_on(void *user, long done, long all)
{
    diagram *d = user;
    (void)all;
    carom_progress_step(&d->run.progress, (double)done);
    return !carom_cli_interrupted();
}

static int draw(diagram *d)
{
    carom_bifurcation_request *r = &d->request;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_load(d->run.cli, &d->run.model, d->run.note));
    CAROM_CLI_TRY(read_options(d));
    r->user = d;
    r->go_on = go_on;
    r->stop = carom_cli_stop;
    carom_cli_start(&d->run, 0, (double)r->n * (r->direction == 0 && !r->fresh ? 2 : 1), "runs");
    carom_status status = carom_bifurcation_run(&d->result, d->run.model, &d->run.options, r, &error);
    carom_cli_finish(&d->run);
    name_results(d);
    if (!d->result) /* a wrong name, section or contact is a matter of the command line */
        return carom_cli_fail(status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_MODEL ? CAROM_EXIT_USAGE
                                                                                        : carom_cli_exit(status),
                              "%s", error.text);
    d->failed = d->result->failed;
    const int written = write_results(d);
    if (status == CAROM_INTERRUPTED)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted: what was computed until then is written");
    if (written == CAROM_EXIT_OK && d->failed)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%ld of %ld runs failed, the first at %s", d->failed,
                              d->result->passes * d->result->n, d->result->failure);
    return written;
}

static int bifurcate(const carom_cli *cli)
{
    diagram d = {.run.cli = cli, .request = {.size = sizeof d.request, .transient = 200, .show = 100}};
    int code = draw(&d);
    carom_bifurcation_free(d.result);
    carom_model_free(d.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--map", "strobe|section|impact",
        "when a point is taken: once in a period (the default), where --section crosses zero, at impacts"),
    CAROM_CLI_OWN_OPTION("--section", "EXPR",
        "an expression in the names of the model, such as x' or y - 0.1; points are taken where it is zero"),
    CAROM_CLI_OWN_OPTION("--crossing", "up|down|both",
        "whether it crosses zero upwards (the default), downwards or either way"),
    CAROM_CLI_OWN_OPTION("--contact", "NAME", "impacts of this contact only; any if not given"),
    CAROM_CLI_OWN_OPTION("--after", NULL, "velocities just after an impact, not just before it"),
    CAROM_CLI_OWN_OPTION("--of", "EXPR",
        "what is drawn: an expression, or a force (ground.reaction); if not given the first coordinate, at impacts "
        "the velocity of the gap"),
    CAROM_CLI_OWN_OPTION("--transient", "N",
        "periods (without forcing: units of time) before the first point; 200 if not given"),
    CAROM_CLI_OWN_OPTION("--show", "N", "points for each value; 100 if not given"),
    CAROM_CLI_OWN_OPTION("--limit", "N", "periods in which the points have to come; 20 for each if not given"),
    CAROM_CLI_OWN_OPTION("--direction", "up|down|both",
        "from FROM to TO (the default), back, or both; the state is carried on from value to value"),
    CAROM_CLI_OWN_OPTION("--fresh", NULL,
        "begin every value at the model's start; then values run in parallel, in the strobe map also eight at a time "
        "on each core"),
    CAROM_CLI_OWN_OPTION("--exponent", NULL, "also measure the largest Lyapunov exponent, drawn below the diagram"),
    CAROM_CLI_OWN_OPTION("--periods", "N", "over so many periods; 200 if not given"),
    CAROM_CLI_OWN_OPTION("--mark", "VALUE[:LABEL]", "a vertical line in the picture; may be repeated"),
    CAROM_CLI_OWN_OPTION("--picture", "FILE", "the picture, beside -o FILE.csv: .svg, or .html to zoom in"),
    {.name = NULL},
};

const carom_cli_command carom_cli_bifurcate_command = {
    "bifurcate", "MODEL", 1, 1, CAROM_CLI_BIFURCATE, bifurcate, "bifurcation diagram over a parameter",
    "Runs MODEL for N values of what -p NAME=FROM:TO:N names, lets each settle, and keeps the points that the motion "
    "leaves in a map: one for a periodic motion, k for one of period k, many for a chaotic one. -o FILE.csv writes "
    "the points, -o FILE.svg draws them. Ctrl-C writes what has been computed.",
    "carom bifurcate impact-oscillator -p w=2:3:400 -p alpha=0 -p umin=0 --exponent -o diagram.csv --picture "
    "diagram.svg\n"
    "carom bifurcate vibrating-table -p A=0.003:0.012:300 --map impact --of \"mod(w*t, 2*pi)\" -o table.svg\n"
    "carom bifurcate chain -p d=0:0.8:200 --section \"x1'\" --of x2 --direction both -o chain.svg",
    options};
