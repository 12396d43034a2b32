/* basin.c: `carom basin`: which attractor each point of a grid ends on; a sweep whose rows are put together at the
 * end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/basin.h"
#include "cli/sweep/sweep.h"
#include "output/map/map.h"
#include "output/output.h"

static const carom_cli_option own[] = {
    {"--periods", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0,
     "a motion that has not come back after so many periods is not periodic; 500 if not given. Periodic ones end "
     "earlier"},
    {"--transient", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0, "periods before the first look; 0 if not given"},
    {"--strobe", NULL, "DT", 0, CAROM_CLI_OWN, NULL, 0, "time between two looks; the model's period if not given"},
    {"--max-period", NULL, "N", 0, CAROM_CLI_OWN, NULL, 0, "longest period to recognise, at most 64; 16 if not given"},
    {"--tol", NULL, "R", 0, CAROM_CLI_OWN, NULL, 0,
     "how close a motion must come back, relative to its size; 1e-6 if not given"},
    {"--same", NULL, "R", 0, CAROM_CLI_OWN, NULL, 0,
     "how close two motions end on the same attractor, relative to the largest; 1e-3 if not given"},
    CAROM_CLI_SWEEP_OPTIONS,
    {"--picture", NULL, "FILE", 0, CAROM_CLI_OWN, NULL, 0, "also draw the basins: .png or .svg"},
    {"--export", NULL, "FILE.csv", 0, CAROM_CLI_OWN, NULL, 0, "also write the table"},
    {.name = NULL},
};

static const long long MOST_NUMBERS = 10000000000; /* 80 GB */

typedef struct work {
    carom_cli_job job;
    carom_basin basin;
    double same;
    double *rows;         /* [points*ncolumn] */
    unsigned char *there; /* [points] */
    double *picture;      /* [points]; NULL: none is drawn */
    carom_basins found;
} work;

static bool ends(const char *path, const char *ending)
{
    size_t n = path ? strlen(path) : 0, m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

static int read_options(work *w)
{
    const carom_cli *cli = w->job.cli;
    long max_period = 16;
    const carom_cli_count counts[] = {{"--periods", 1, 1e9, &w->basin.most},
                                      {"--transient", 0, 1e9, &w->basin.transient},
                                      {"--max-period", 1, CAROM_BASIN_PERIOD, &max_period}};
    w->basin = (carom_basin){.most = 500, .tol = 1e-6};
    w->same = 1e-3;
    int code = carom_cli_own_counts(cli, counts, CAROM_COUNT(counts));
    code = code ? code : carom_cli_own_number(cli, "--strobe", 1e-300, 1e12, &w->basin.strobe);
    code = code ? code : carom_cli_own_number(cli, "--tol", 1e-15, 1, &w->basin.tol);
    code = code ? code : carom_cli_own_number(cli, "--same", 1e-15, 1, &w->same);
    w->basin.max_period = (int)max_period;
    if (code == CAROM_EXIT_OK && w->basin.transient >= w->basin.most)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "--transient %ld leaves nothing to look at: --periods %ld are counted from the start",
                              w->basin.transient, w->basin.most);
    return code;
}

static int plan(void *user)
{
    work *w = user;
    carom_cli_job *job = &w->job;
    carom_error error = {0};
    const char *o = job->cli->output;
    if (o && !carom_store_path(o) && !ends(o, ".csv") && !ends(o, ".png") && !ends(o, ".svg"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o takes FILE.sqlite, FILE.csv, FILE.png or FILE.svg, not '%s'", o);
    int code = read_options(w);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_job_plan(job);
    if (code != CAROM_EXIT_OK)
        return code;
    if (!(job->model->period > 0) && w->basin.strobe == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "the model '%s' has no period: use --strobe DT", job->model->name);
    job->sweep.method = &carom_basin_method;
    job->sweep.task = &w->basin;
    if (carom_basin_columns(&job->sweep, job->model, job->cli->arena, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text);
    return CAROM_EXIT_OK;
}

static carom_store_entry describe(const work *w)
{
    char strobe[32], tol[32];
    return (carom_store_entry){"basin", carom_arena_format(w->job.cli->arena,
                                                           "strobe=%s periods=%ld transient=%ld max_period=%d tol=%s",
                                                           carom_shortest(w->basin.strobe, strobe), w->basin.most,
                                                           w->basin.transient, w->basin.max_period,
                                                           carom_shortest(w->basin.tol, tol))};
}

/* Attractors are looked for when all points are there: what that takes is known to be there before the first is
 * computed. */
static int reserve(work *w)
{
    const carom_sweep *s = &w->job.sweep;
    const carom_cli *cli = w->job.cli;
    carom_error error = {0};
    const bool drawn = carom_cli_own(cli, "--picture") || ends(cli->output, ".png") || ends(cli->output, ".svg");
    if (s->points > MOST_NUMBERS / s->ncolumn)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "%lld points of %d numbers each are too many, which are kept in memory: at most %lld",
                              s->points, s->ncolumn, MOST_NUMBERS / s->ncolumn);
    w->rows = malloc(sizeof(double) * (size_t)(s->points * s->ncolumn));
    w->there = calloc((size_t)s->points, 1);
    w->picture = drawn ? malloc(sizeof(double) * (size_t)s->points) : NULL;
    if (!w->rows || !w->there || (drawn && !w->picture) || carom_basins_new(&w->found, s->points, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory for %lld points", s->points);
    return CAROM_EXIT_OK;
}

static int open(void *user)
{
    work *w = user;
    int code = reserve(w);
    return code == CAROM_EXIT_OK ? carom_cli_job_open(&w->job, describe(w)) : code;
}

/* ---- results ---- */

static carom_status collect(void *user, const carom_store_row *row, carom_error *error)
{
    work *w = user;
    const carom_sweep *s = &w->job.sweep;
    (void)error;
    memcpy(w->rows + row->index * s->ncolumn, row->value + s->naxis, sizeof(double) * (size_t)s->ncolumn);
    w->there[row->index] = 1;
    return CAROM_OK;
}

static const char *name_of(const work *w, int a)
{
    const carom_basins *f = &w->found;
    carom_arena *arena = w->job.cli->arena;
    if (a >= f->n)
        return a == f->n ? "not periodic" : "stopped";
    return f->attractor[a].rest ? carom_arena_format(arena, "%d: rest", a + 1)
                                : carom_arena_format(arena, "%d: period %d", a + 1, f->attractor[a].period);
}

static int draw(const work *w, const char *path)
{
    const carom_sweep *s = &w->job.sweep;
    const carom_basins *f = &w->found;
    carom_error error = {0};
    if (s->naxis != 2)
        return carom_cli_fail(CAROM_EXIT_USAGE, "a picture needs a grid over two axes");
    const int n = f->n + (f->not_periodic || f->stopped) + (f->stopped > 0);
    const char **category = CAROM_NEW(w->job.cli->arena, const char *, n + 1);
    double *value = w->picture;
    const char *title = carom_arena_format(w->job.cli->arena, "%s: basins", w->job.model->name);
    carom_status status = CAROM_NO_MEMORY;
    if (category && title) {
        for (int a = 0; a < n; a++)
            category[a] = name_of(w, a);
        for (long long i = 0; i < s->points; i++)
            value[i] = f->owner[i] < 0 ? NAN : f->owner[i];
        const carom_map map = {.title = title,
                               .name = "attractor",
                               .value = value,
                               .known = w->there,
                               .category = category,
                               .ncategory = n,
                               .x = {s->axis[0].name, s->axis[0].from, s->axis[0].to, (int)s->axis[0].n},
                               .y = {s->axis[1].name, s->axis[1].from, s->axis[1].to, (int)s->axis[1].n}};
        status = carom_map_write(path, &map, &error);
    }
    return status == CAROM_OK
               ? CAROM_EXIT_OK
               : carom_cli_fail(CAROM_EXIT_FAILED, "%s", *error.text ? error.text : carom_status_text(status));
}

typedef struct table {
    const work *w;
    carom_store *to;
} table;

/* The row with the number of its attractor before what was computed. */
static carom_status number_row(void *user, const carom_store_row *row, carom_error *error)
{
    const table *t = user;
    const carom_sweep *s = &t->w->job.sweep;
    const int owner = t->w->found.owner[row->index];
    double value[CAROM_SWEEP_AXES + CAROM_SWEEP_COLUMNS + 1];
    memcpy(value, row->value, sizeof(double) * (size_t)s->naxis);
    value[s->naxis] = owner < 0 ? NAN : owner < t->w->found.n ? owner + 1 : 0;
    memcpy(value + s->naxis + 1, row->value + s->naxis, sizeof(double) * (size_t)s->ncolumn);
    const carom_store_row numbered = {row->index, row->status, row->text, value};
    return carom_store_put(t->to, &numbered, 1, error);
}

static int write_table(const work *w, const char *path)
{
    const carom_sweep *s = &w->job.sweep;
    const char *column[CAROM_SWEEP_AXES + CAROM_SWEEP_COLUMNS + 1];
    carom_store_form form = {.entry = NULL, .column = column, .ncolumn = s->naxis + 1 + s->ncolumn};
    table t = {.w = w};
    carom_error error = {0};
    for (int k = 0; k < s->naxis; k++)
        column[k] = s->axis[k].name;
    column[s->naxis] = "attractor";
    for (int k = 0; k < s->ncolumn; k++)
        column[s->naxis + 1 + k] = s->column[k];
    carom_status status = carom_store_create(&t.to, NULL, &form, false, &error);
    if (status == CAROM_OK)
        status = carom_store_scan(w->job.store, number_row, &t, &error);
    if (status == CAROM_OK)
        status = carom_store_csv(t.to, path, NULL, &error);
    carom_store_close(t.to, NULL);
    return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
}

/* ---- telling ---- */

/* "q.x" of the i-th component of a state: its column without "_end". */
static const char *component(const work *w, int i)
{
    const char *column = w->job.sweep.column[CAROM_BASIN_FIRST + i];
    const char *name = carom_arena_text(w->job.cli->arena, column, strlen(column) - strlen("_end"));
    return name ? name : column;
}

static void put_state(carom_json *json, const work *w, const double *x)
{
    const carom_sweep *s = &w->job.sweep;
    carom_json_object(json, NULL);
    for (int i = 0; i < s->ncolumn - CAROM_BASIN_FIRST; i++)
        carom_json_number(json, component(w, i), x[i]);
    carom_json_end(json);
}

static void put_attractor(carom_json *json, const work *w, int a)
{
    const carom_attractor *x = &w->found.attractor[a];
    const int n = w->job.sweep.ncolumn - CAROM_BASIN_FIRST;
    carom_json_object(json, NULL);
    carom_json_integer(json, "number", a + 1);
    carom_json_string(json, "kind", x->rest ? "rest" : "periodic");
    carom_json_integer(json, "period", x->period);
    carom_json_integer(json, "count", x->count);
    carom_json_number(json, "share", (double)x->count / (double)w->job.sweep.points);
    carom_json_integer(json, "first", x->first);
    carom_json_array(json, "orbit");
    for (int k = 0; k < x->period; k++)
        put_state(json, w, x->orbit + k * n);
    carom_json_end(json);
    carom_json_end(json);
}

static void put_json(const work *w, const carom_cli_census *census)
{
    const carom_basins *f = &w->found;
    carom_json *json;
    if (carom_json_new(&json, "standard output", stdout, true, NULL) != CAROM_OK)
        return;
    carom_json_object(json, NULL);
    carom_json_string(json, "model", w->job.model->name);
    carom_json_integer(json, "points", w->job.sweep.points);
    carom_json_array(json, "attractors");
    for (int a = 0; a < f->n; a++)
        put_attractor(json, w, a);
    carom_json_end(json);
    carom_json_integer(json, "not_periodic", f->not_periodic);
    carom_json_integer(json, "stopped", f->stopped);
    carom_json_integer(json, "failed", f->failed);
    carom_json_string(json, "first_failure", census->failed ? census->first_failure : NULL);
    carom_json_integer(json, "missing", f->missing);
    carom_json_integer(json, "computed", w->job.computed);
    carom_json_string(json, "output", w->job.cli->output);
    carom_json_number(json, "wall_s", w->job.wall_s);
    carom_json_end(json);
    carom_json_close(json, NULL);
}

static void say_rest(const char *what, long long count, long long points)
{
    if (count)
        printf("  %-16s %6.2f %%\n", what, 100. * (double)count / (double)points);
}

static void say(const work *w, const carom_cli_census *census)
{
    const carom_basins *f = &w->found;
    const carom_sweep *s = &w->job.sweep;
    printf("%s: %lld points, %d attractor%s\n", w->job.model->name, s->points, f->n, f->n == 1 ? "" : "s");
    for (int a = 0; a < f->n; a++) {
        printf("  %-16s %6.2f %%   at", name_of(w, a), 100. * (double)f->attractor[a].count / (double)s->points);
        for (int i = 0; i < s->ncolumn - CAROM_BASIN_FIRST && i < 6; i++)
            printf("%s %s = %.6g", i ? "," : "", component(w, i), f->attractor[a].orbit[i]);
        printf("\n");
    }
    say_rest("not periodic", f->not_periodic, s->points);
    say_rest("stopped", f->stopped, s->points);
    say_rest("failed", f->failed, s->points);
    if (census->failed)
        printf("    first: %s\n", census->first_failure);
    say_rest("missing", f->missing, s->points);
    if (w->job.cli->output)
        printf("  written to %s\n", w->job.cli->output);
    printf("  %.2f s\n", w->job.wall_s);
}

/* What there is, also after Ctrl-C. */
static int results(void *user, int before)
{
    work *w = user;
    const carom_sweep *s = &w->job.sweep;
    const carom_cli *cli = w->job.cli;
    const char *picture = carom_cli_own(cli, "--picture"), *export = carom_cli_own(cli, "--export");
    carom_error error = {0};
    carom_cli_census census;
    carom_status status = carom_cli_census_take(w->job.store, &census, &error);
    if (status == CAROM_OK)
        status = carom_store_scan(w->job.store, collect, w, &error);
    if (status == CAROM_OK)
        status = carom_basins_find(&w->found, s, w->rows, w->there, w->same, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(carom_cli_exit(status), "%s", error.text);
    int code = ends(cli->output, ".csv") ? write_table(w, cli->output) : CAROM_EXIT_OK;
    if (code == CAROM_EXIT_OK && (ends(cli->output, ".png") || ends(cli->output, ".svg")))
        code = draw(w, cli->output);
    if (code == CAROM_EXIT_OK && export)
        code = write_table(w, export);
    if (code == CAROM_EXIT_OK && picture)
        code = draw(w, picture);
    if (cli->json)
        put_json(w, &census);
    else if (!cli->quiet)
        say(w, &census);
    code = code == CAROM_EXIT_OK ? carom_cli_census_judge(&census) : code;
    return before == CAROM_EXIT_OK ? code : before;
}

static int basin(const carom_cli *cli)
{
    work w = {.job = {.cli = cli, .kind = "basin"}};
    int code = carom_cli_job_ranks(&w.job, plan, open, results, &w);
    carom_basins_free(&w.found);
    free(w.rows);
    free(w.there);
    free(w.picture);
    return code;
}

const carom_cli_command carom_cli_basin_command = {
    "basin", "MODEL", 1, 1, CAROM_CLI_BASIN, basin, "basins of attraction on a grid of initial values",
    "Follows MODEL from every point of a grid over initial values (or parameters) and tells which attractor it ends "
    "on: motions are seen once in a period; one that comes back is periodic, everything else is called not periodic "
    "(chaotic, or not settled). Attractors are numbered by the first point that finds them. -o FILE.png or .svg "
    "draws, .csv lists, .sqlite keeps the points and goes on with --resume, as in carom sweep.",
    "carom basin impact-oscillator -p q.u=0.5:2:40 -p v.u=-2:2:40 -p alpha=0.05 -p e=0.5 -p umin=0 -o basins.png\n"
    "carom basin model.yaml -p q.x=-1:1:200 -p v.x=-1:1:200 -o basins.sqlite --resume --picture basins.png", own};
