/* fit.c: `carom fit`: parameters and initial values from measured motion, with confidence intervals and a page. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom_analysis.h"
#include "cli/cli.h"
#include "model/model.h"
#include "output/output.h"
#include "output/page/page.h"
#include "sim/quantity.h"

typedef struct work {
    carom_cli_work run;
    carom_fit_request request;
    carom_fit *fit;
    carom_columns *data;
    const char **name;         /* [n] */
    double *low, *high;        /* [n] bounds */
    const char **of;           /* [nof] */
    double *sigma;             /* [nof]; NAN: not given */
    double *t, *value;         /* [samples], [samples*nof] */
    const char *model, *command;
    const char *status;
} work;

/* ---- options ---- */

/* "e=0:1,mu,q.y": what is estimated, and bounds. */
static int read_names(work *w)
{
    const carom_cli *cli = w->run.cli;
    const char *text = carom_cli_own(cli, "--estimate"), **item;
    int n;
    if (!text)
        return carom_cli_fail(CAROM_EXIT_USAGE, "fit needs --estimate NAME[=LOW:HIGH],...: what is to be found");
    if (!(item = carom_cli_split(cli, text, &n)))
        return carom_cli_no_memory();
    w->name = CAROM_NEW(cli->arena, const char *, n);
    w->low = CAROM_NEW(cli->arena, double, n), w->high = CAROM_NEW(cli->arena, double, n);
    if (!w->name || !w->low || !w->high)
        return carom_cli_no_memory();
    for (int k = 0; k < n; k++) {
        const size_t length = strcspn(item[k], "=");
        const char *bounds = item[k][length] ? item[k] + length + 1 : NULL;
        const char *colon = bounds ? strchr(bounds, ':') : NULL;
        const char *low = colon ? carom_arena_text(cli->arena, bounds, (size_t)(colon - bounds)) : NULL;
        w->name[k] = carom_arena_text(cli->arena, item[k], length);
        w->low[k] = -INFINITY, w->high[k] = INFINITY;
        if (bounds && (!low || !carom_number(low, &w->low[k]) || !carom_number(colon + 1, &w->high[k]) ||
                       !(w->low[k] < w->high[k])))
            return carom_cli_fail(CAROM_EXIT_USAGE, "--estimate takes NAME or NAME=LOW:HIGH, not '%s'", item[k]);
        for (int i = 0; i < k; i++)
            if (!strcmp(w->name[i], w->name[k]))
                return carom_cli_fail(CAROM_EXIT_USAGE, "--estimate names '%s' twice", w->name[k]);
    }
    w->request.name = w->name, w->request.n = n;
    w->request.low = w->low, w->request.high = w->high;
    return CAROM_EXIT_OK;
}

/* Of a trajectory that carom has written: what follows from the motion is no measurement. */
static bool derived(const char *name)
{
    const char *dot = strrchr(name, '.');
    static const char *const ends[] = {".mode", ".force", ".force_t", ".force_t1", ".force_t2", ".impulse",
                                       ".impulse_t", ".impulse_t1", ".impulse_t2", ".gap"};
    if (!strcmp(name, "t") || !strcmp(name, "side") || !strcmp(name, "energy"))
        return true;
    for (int i = 0; dot && i < CAROM_COUNT(ends); i++)
        if (!strcmp(dot, ends[i]))
            return true;
    return false;
}

static int unknown_column(const work *w, const char *name)
{
    const char **names = CAROM_NEW(w->run.cli->arena, const char *, w->data->ncolumn + 1); /* ends with NULL */
    for (int i = 0; names && i < w->data->ncolumn; i++)
        names[i] = w->data->name[i];
    return names ? carom_cli_unknown("column", name, names, "fit") : carom_cli_no_memory();
}

/* The columns that are fitted: --columns, or all that the model can compute. */
static int read_columns(work *w, int *column)
{
    const carom_cli *cli = w->run.cli;
    const char *text = carom_cli_own(cli, "--columns"), **item = NULL;
    carom_quantity quantity = {0};
    carom_error error = {0};
    int n = 0;
    if (text && !(item = carom_cli_split(cli, text, &n)))
        return carom_cli_no_memory();
    for (int k = 0; k < n; k++) {
        if ((column[w->request.nof] = carom_columns_find(w->data, item[k])) < 0)
            return unknown_column(w, item[k]);
        w->of[w->request.nof++] = item[k];
    }
    for (int i = 0; i < w->data->ncolumn && !text; i++)
        if (!derived(w->data->name[i]) &&
            carom_quantity_find(&quantity, w->run.model, w->data->name[i], &error) == CAROM_OK)
            column[w->request.nof] = i, w->of[w->request.nof++] = w->data->name[i];
    carom_quantity_free(&quantity);
    if (w->request.nof == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "'%s' has no column that is an expression of the model '%s', such as '%s'",
                              cli->operand[1], w->run.model->name, w->run.model->q_name[0]);
    w->request.of = w->of;
    return CAROM_EXIT_OK;
}

/* --sigma y=0.01: all columns, or none. */
static int read_sigma(work *w)
{
    const carom_cli *cli = w->run.cli;
    int given = 0;
    for (int i = 0; i < cli->nown; i++) {
        const char *text = cli->own[i].value, *equals = strrchr(text, '=');
        int j = 0;
        if (strcmp(cli->own[i].name, "--sigma") != 0)
            continue;
        const size_t length = equals ? (size_t)(equals - text) : strlen(text);
        while (j < w->request.nof && (strlen(w->of[j]) != length || strncmp(w->of[j], text, length) != 0))
            j++;
        if (j == w->request.nof || !equals || !carom_number(equals + 1, &w->sigma[j]) || !(w->sigma[j] > 0))
            return carom_cli_fail(CAROM_EXIT_USAGE,
                                  "--sigma takes COLUMN=DEVIATION of a column that is fitted, not '%s'", text);
        given++;
    }
    if (given && given < w->request.nof)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--sigma is needed for all %d columns, or for none", w->request.nof);
    w->request.sigma = given ? w->sigma : NULL;
    return CAROM_EXIT_OK;
}

/* Rows with a time; of a jump neither side. */
static int read_data(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_done(carom_columns_read(&w->data, cli->operand[1], &error), &error));
    const carom_columns *d = w->data;
    const int t = carom_columns_find(d, "t"), side = carom_columns_find(d, "side");
    int *column = CAROM_NEW(cli->arena, int, d->ncolumn);
    w->of = CAROM_NEW(cli->arena, const char *, d->ncolumn);
    w->sigma = CAROM_NEW(cli->arena, double, d->ncolumn);
    w->t = CAROM_NEW(cli->arena, double, d->nrow + 1);
    w->value = CAROM_NEW(cli->arena, double, (d->nrow + 1) * (size_t)d->ncolumn);
    if (!column || !w->of || !w->sigma || !w->t || !w->value)
        return carom_cli_no_memory();
    if (t < 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' has no column 't'", cli->operand[1]);
    CAROM_CLI_TRY(read_columns(w, column));
    const int nof = w->request.nof;
    for (size_t i = 0; i < d->nrow; i++) {
        bool measured = !isnan(d->column[t][i]) && !(side >= 0 && d->column[side][i] != 0);
        if (!measured)
            continue;
        w->t[w->request.samples] = d->column[t][i];
        for (int j = 0; j < nof; j++)
            w->value[w->request.samples * (size_t)nof + (size_t)j] = d->column[column[j]][i];
        w->request.samples++;
    }
    w->request.t = w->t, w->request.value = w->value;
    return read_sigma(w);
}

static int read_options(work *w)
{
    const carom_cli *cli = w->run.cli;
    long starts = 1, iterations = 0;
    const carom_cli_count counts[] = {{"--starts", 1, 1e5, &starts}, {"--iterations", 1, 1e5, &iterations}};
    const char *o = cli->output;
    CAROM_CLI_TRY(carom_cli_own_counts(cli, counts, CAROM_COUNT(counts)));
    w->request.starts = (int)starts, w->request.iterations = (int)iterations, w->request.seed = cli->seed;
    w->request.sequence = carom_cli_own(cli, "--sequence") != NULL;
    if (o && !carom_ends_with(o, ".html") && !carom_ends_with(o, ".htm") && !carom_ends_with(o, ".csv"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes FILE.html, a page, or FILE.csv, what is left; not '%s'", o);
    return carom_cli_check_writable(o);
}

/* ---- results ---- */

typedef struct estimate {
    const char *name;
    double value, error, low, high, from;
} estimate;

static estimate estimate_of(const work *w, int k)
{
    const carom_fit *f = w->fit;
    return (estimate){w->name[k], f->value[k], f->error[k], f->low[k], f->high[k], f->first[k]};
}

static const char *warning(const carom_fit *f)
{
    bool unknown = false;
    for (int k = 0; k < f->n; k++)
        unknown |= isnan(f->error[k]);
    if (f->rank < f->n && unknown)
        return "some values are at their bounds or not determined by these data: fewer of them, or other data, are "
               "needed";
    if (f->flags & (CAROM_TANGENT_NONE | CAROM_TANGENT_BEYOND))
        return "an event was passed that has no derivative, or none that is known: the intervals are not valid";
    if (f->flags & CAROM_TANGENT_GRAZING)
        return "a contact is nearly grazed: the intervals hold for tiny changes only";
    return NULL;
}

static const carom_result_field of_estimate[] = {CAROM_CELL("value", CAROM_NUMBER, estimate, value),
                                                 CAROM_CELL("stderr", CAROM_NUMBER, estimate, error),
                                                 CAROM_CELL("low", CAROM_NUMBER, estimate, low),
                                                 CAROM_CELL("high", CAROM_NUMBER, estimate, high),
                                                 CAROM_CELL("start", CAROM_NUMBER, estimate, from),
                                                 {.name = NULL}};

static void put_estimates(carom_json *json, const char *key, const void *record)
{
    const work *w = record;
    const carom_fit *f = w->fit;
    carom_json_object(json, key);
    for (int k = 0; k < f->n; k++) {
        const estimate e = estimate_of(w, k);
        carom_json_object(json, e.name);
        carom_json_fields(json, of_estimate, &e);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_values(json, "deviation", w->of, f->deviation, f->nof);
    carom_json_array(json, "starts");
    for (int s = 0; s < f->starts; s++) {
        carom_json_object(json, NULL);
        carom_json_number(json, "cost", f->start_cost[s]);
        carom_json_values(json, "value", w->name, f->start_value + s * f->n, f->n);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_integer(json, "samples", (long)f->samples);
    carom_json_integer(json, "used", (long)f->used);
    carom_json_number(json, "cost", f->cost);
    carom_json_integer(json, "iterations", f->iterations);
    carom_json_integer(json, "runs", f->runs);
    carom_json_integer(json, "rank", f->rank);
    carom_json_bool(json, "converged", f->converged);
    carom_json_string(json, "warning", warning(f));
}

static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, work, model),
                                            CAROM_CELL("status", CAROM_TEXT, work, status),
                                            CAROM_PUT("estimate", put_estimates),
                                            CAROM_CELL("wall_s", CAROM_NUMBER, work, run.wall_s),
                                            {.name = NULL}};

static void print_text(const work *w)
{
    const carom_fit *f = w->fit;
    printf("%s: %d value%s from %zu measured numbers, %s after %d iterations (%d runs)\n", w->model, f->n,
           f->n == 1 ? "" : "s", f->used, f->converged ? "settled" : "not settled", f->iterations, f->runs);
    printf("  %-12s %20s  %-10s  %-34s %s\n", "", "estimate", "+-", "95 % interval", "from");
    for (int k = 0; k < f->n; k++) {
        const estimate e = estimate_of(w, k);
        char interval[80] = "at its bound, or not determined";
        if (isfinite(e.error))
            snprintf(interval, sizeof interval, "%.10g ... %.10g", e.low, e.high);
        printf("  %-12s %20.13g  %-10.2g  %-34s %g\n", e.name, e.value, e.error, interval, e.from);
    }
    printf("  what is left, as a standard deviation:");
    for (int j = 0; j < f->nof; j++)
        printf(" %s %.3g%s", w->of[j], f->deviation[j], j + 1 < f->nof ? "," : "\n");
    if (f->starts > 1)
        printf("  the best of %d starts, number %d\n", f->starts, f->best);
    if (warning(f))
        printf("  note: %s\n", warning(f));
    printf("  %s\n  %.3g s\n", w->command, w->run.wall_s);
}

/* "carom run MODEL -p e=0.8 ..." with the estimates */
static const char *command(const work *w)
{
    carom_arena *arena = w->run.cli->arena;
    const char *text = carom_arena_format(arena, "carom run %s", w->run.cli->operand[0]);
    char number[32];
    for (int k = 0; k < w->fit->n && text; k++)
        text = carom_arena_format(arena, "%s -p %s=%s", text, w->name[k], carom_shortest(w->fit->value[k], number));
    return text ? text : "";
}

static carom_status write_residuals(const work *w, const char *path, carom_error *error)
{
    const carom_fit *f = w->fit;
    carom_stream out;
    CAROM_TRY(carom_stream_open(&out, path, NULL, error));
    carom_stream_string(&out, "t");
    for (int j = 0; j < f->nof; j++) {
        carom_stream_string(&out, ",");
        carom_stream_csv(&out, w->of[j]);
    }
    carom_stream_string(&out, "\n");
    for (size_t i = 0; i < f->samples; i++) {
        carom_stream_number(&out, w->t[i]);
        carom_stream_string(&out, ",");
        carom_stream_csv_numbers(&out, f->residual + i * (size_t)f->nof, f->nof);
        carom_stream_mark(&out);
    }
    return carom_stream_close(&out, error);
}

/* ---- the page ---- */

static void put_table(const work *w, carom_page *page)
{
    static const char *const header[] = {"", "estimate", "standard error", "95 % from", "to", "start"};
    const carom_fit *f = w->fit;
    carom_arena *arena = w->run.cli->arena;
    const char **cell = CAROM_NEW(arena, const char *, 6 * f->n);
    for (int k = 0; cell && k < f->n; k++) {
        const estimate e = estimate_of(w, k);
        const double numbers[] = {e.value, e.error, e.low, e.high, e.from};
        cell[6 * k] = e.name;
        for (int i = 0; i < 5; i++)
            cell[6 * k + 1 + i] = isfinite(numbers[i]) ? carom_arena_format(arena, "%.9g", numbers[i]) : "-";
    }
    if (cell)
        carom_page_table_put(page, &(carom_page_table){"Estimates", header, cell, 6, f->n});
}

/* Measured and computed, and below it what is left. */
static void put_column(const work *w, carom_page *page, int j)
{
    const carom_fit *f = w->fit;
    carom_arena *arena = w->run.cli->arena;
    double *y = CAROM_NEW(arena, double, 3 * f->samples);
    if (!y)
        return;
    double *measured = y, *computed = y + f->samples, *left = computed + f->samples;
    for (size_t i = 0; i < f->samples; i++) {
        const size_t row = i * (size_t)f->nof + (size_t)j;
        measured[i] = w->value[row], left[i] = f->residual[row], computed[i] = measured[i] - left[i];
    }
    const carom_chart_series both[] = {{.name = "measured", .x = w->t, .y = measured, .n = f->samples,
                                        .style = CAROM_CHART_POINTS},
                                       {.name = "computed", .x = w->t, .y = computed, .n = f->samples}};
    const carom_chart_series rest[] = {{.name = "measured - computed", .x = w->t, .y = left, .n = f->samples,
                                        .style = CAROM_CHART_POINTS}};
    const carom_chart_mark zero = {"", NAN, 0, 0};
    carom_page_plot(page, &(carom_chart){.title = w->of[j], .x_label = "t", .y_label = w->of[j], .series = both,
                                         .nseries = 2, .link = "t"});
    carom_page_plot(page, &(carom_chart){.title = "What is left", .x_label = "t", .y_label = w->of[j], .series = rest,
                                         .nseries = 1, .marks = &zero, .nmark = 1, .link = "t", .height = 220});
}

static carom_status write_page(const work *w, const char *path, carom_error *error)
{
    const carom_text_file *source = carom_model_file(w->run.model);
    carom_page *page;
    CAROM_TRY(carom_page_new(&page, path, carom_arena_format(w->run.cli->arena, "%s: fit", w->model), error));
    carom_page_section(page, "estimates", "Estimates", CAROM_PAGE_INFO);
    carom_page_format(page, "%d values from %zu measured numbers of `%s`; %s after %d iterations.", w->fit->n,
                      w->fit->used, w->run.cli->operand[1], w->fit->converged ? "settled" : "not settled",
                      w->fit->iterations);
    if (warning(w->fit))
        carom_page_note(page, warning(w->fit));
    put_table(w, page);
    for (int j = 0; j < w->fit->nof; j++) {
        carom_page_section(page, w->of[j], w->of[j], CAROM_PAGE_INFO);
        carom_page_format(page, "Standard deviation of what is left: %.4g.", w->fit->deviation[j]);
        put_column(w, page, j);
    }
    carom_page_section(page, "again", "Again", CAROM_PAGE_INFO);
    carom_page_command(page, w->command, w->model, source ? source->bytes : NULL);
    return carom_page_close(page, error);
}

/* ---- the run ---- */

static bool go_on(void *user, int start, int iteration, double cost)
{
    work *w = user;
    (void)iteration, (void)cost;
    carom_progress_step(&w->run.progress, start);
    return !carom_cli_interrupted();
}

static int compute(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_error error = {0};
    CAROM_CLI_TRY(read_options(w));
    CAROM_CLI_TRY(carom_cli_begin(&w->run));
    CAROM_CLI_TRY(read_names(w));
    CAROM_CLI_TRY(read_data(w));
    carom_cli_sharpen(cli, &w->run.options, 1e-11);
    w->model = carom_arena_format(cli->arena, "%s", w->run.model->name); /* the model may be built anew */
    w->request.user = w, w->request.go_on = go_on, w->request.stop = carom_cli_stop;
    carom_cli_start(&w->run, 0, w->request.starts, "starts");
    carom_status status = carom_fit_run(&w->fit, w->run.model, &w->run.options, &w->request, &error);
    carom_cli_finish(&w->run);
    if (status != CAROM_OK)
        return carom_cli_fail_job(cli, w->run.model,
                                  status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE : carom_cli_exit(status), status,
                                  *error.text ? error.text : carom_status_text(status));
    w->status = w->fit->converged ? "ok" : "not settled";
    w->command = command(w);
    if (cli->output)
        CAROM_CLI_TRY(carom_cli_done((carom_ends_with(cli->output, ".csv") ? write_residuals : write_page)(
                                         w, cli->output, &error), &error));
    if (cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, w));
    else if (!cli->quiet)
        print_text(w);
    return w->fit->converged ? CAROM_EXIT_OK : CAROM_EXIT_UNMET;
}

static int fit(const carom_cli *cli)
{
    work w = {.run.cli = cli, .request = {.size = sizeof w.request}};
    int code = compute(&w);
    carom_fit_free(w.fit);
    carom_columns_free(w.data);
    carom_model_free(w.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--estimate", "NAME[=LOW:HIGH],...",
     "what is to be found: parameters, and initial values as q.y or v.y; with bounds where they have some"),
    CAROM_CLI_OWN_OPTION("--columns", "NAME,...",
     "the columns of DATA that are fitted: coordinates, velocities (y'), outputs, forces (ground.reaction) or "
     "expressions of the model; if not given, all that the model can compute"),
    CAROM_CLI_OWN_OPTION("--sigma", "COLUMN=DEVIATION",
     "standard deviation of the measurements of a column; if not given for any, they are found from what is left"),
    CAROM_CLI_OWN_OPTION("--starts", "N",
     "begin at the model's values and at N - 1 others, within the bounds or half as far as they are from 0; 1 if not "
     "given"),
    CAROM_CLI_OWN_OPTION("--sequence", NULL,
     "take the data in from their beginning on, so that a start with another sequence of impacts finds its way"),
    CAROM_CLI_OWN_OPTION("--iterations", "N", "of each start, at most; 100 if not given"),
    {.name = NULL},
};

const carom_cli_command carom_cli_fit_command = {
    "fit", "MODEL DATA", 2, 2, CAROM_CLI_FIT, fit, "parameters from measured motion, with confidence intervals",
    "Finds the parameters and initial values with which MODEL comes closest to what was measured (least squares, "
    "Levenberg-Marquardt, with derivatives that are exact through impacts) and their confidence intervals. DATA is a "
    "CSV, JSON or HDF5 file with a column t and columns that the model knows; cells may be empty. -o FILE.html "
    "writes a "
    "page with what is left, -o FILE.csv a table of it. Without --rtol and --atol the runs use 1e-11.",
    "carom fit bouncing-ball measured.csv --estimate e=0:1,q.y,g\n"
    "carom fit model.yaml measured.csv --estimate e=0:1,mu=0:2 --starts 20 --sequence -o fit.html", options};
