/* basin.c: `carom basin`: which attractor each point of a grid ends on; a sweep whose rows are put together at the
 * end. */
#include <math.h>
#include <string.h>

#include "analysis/basin.h"
#include "cli/sweep/sweep.h"
#include "output/map/map.h"

static const carom_cli_option own[] = {
    CAROM_CLI_OWN_OPTION("--periods", "N",
     "a motion that has not come back after so many periods is not periodic; 500 if not given. Periodic ones end "
     "earlier"),
    CAROM_CLI_OWN_OPTION("--transient", "N", "periods before the first look; 0 if not given"),
    CAROM_CLI_OWN_OPTION("--strobe", "DT", "time between two looks; the model's period if not given"),
    CAROM_CLI_OWN_OPTION("--max-period", "N", "longest period to recognise, at most 64; 16 if not given"),
    CAROM_CLI_OWN_OPTION("--tol", "R",
     "how close a motion must come back, relative to its size; 1e-6 if not given"),
    CAROM_CLI_OWN_OPTION("--same", "R",
     "how close two motions end on the same attractor, relative to the largest; 1e-3 if not given"),
    CAROM_CLI_SWEEP_OPTIONS,
    CAROM_CLI_OWN_OPTION("--picture", "FILE", "also draw the basins: .png, .svg or .html"),
    CAROM_CLI_OWN_OPTION("--export", "FILE.csv", "also write the table"),
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
    const char *first_failure, *output;
} work;

static int read_options(work *w)
{
    const carom_cli *cli = w->job.run.cli;
    long max_period = 16;
    const carom_cli_count counts[] = {{"--periods", 1, 1e9, &w->basin.most},
                                      {"--transient", 0, 1e9, &w->basin.transient},
                                      {"--max-period", 1, CAROM_BASIN_PERIOD, &max_period}};
    w->basin = (carom_basin){.most = 500, .tol = 1e-6};
    w->same = 1e-3;
    CAROM_CLI_TRY(carom_cli_own_counts(cli, counts, CAROM_COUNT(counts)));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--strobe", 1e-300, 1e12, &w->basin.strobe));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--tol", 1e-15, 1, &w->basin.tol));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--same", 1e-15, 1, &w->same));
    w->basin.max_period = (int)max_period;
    if (w->basin.transient >= w->basin.most)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "--transient %ld leaves nothing to look at: --periods %ld are counted from the start",
                              w->basin.transient, w->basin.most);
    return CAROM_EXIT_OK;
}

static int plan(void *user)
{
    work *w = user;
    carom_cli_job *job = &w->job;
    carom_error error = {0};
    const char *o = job->run.cli->output;
    if (o && !carom_store_path(o) && !carom_ends_with(o, ".csv") && !carom_map_drawable(o))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "-o takes FILE.sqlite, FILE.csv, FILE.png, FILE.svg or FILE.html, not '%s'", o);
    CAROM_CLI_TRY(read_options(w));
    CAROM_CLI_TRY(carom_cli_job_plan(job));
    if (!(job->run.model->period > 0) && w->basin.strobe == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "the model '%s' has no period: use --strobe DT", job->run.model->name);
    job->sweep.method = &carom_basin_method;
    job->sweep.task = &w->basin;
    if (carom_basin_columns(&job->sweep, job->run.model, job->run.cli->arena, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text);
    return CAROM_EXIT_OK;
}

static carom_store_entry describe(const work *w)
{
    char strobe[32], tol[32];
    return (carom_store_entry){"basin", carom_arena_format(w->job.run.cli->arena,
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
    const carom_cli *cli = w->job.run.cli;
    carom_error error = {0};
    const bool drawn = carom_cli_own(cli, "--picture") || carom_map_drawable(cli->output);
    if (s->points > MOST_NUMBERS / s->ncolumn)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "%lld points of %d numbers each are too many, which are kept in memory: at most %lld",
                              s->points, s->ncolumn, MOST_NUMBERS / s->ncolumn);
    w->rows = CAROM_NEW(cli->arena, double, s->points * s->ncolumn);
    w->there = CAROM_NEW(cli->arena, unsigned char, s->points);
    w->picture = drawn ? CAROM_NEW(cli->arena, double, s->points) : NULL;
    if (!w->rows || !w->there || (drawn && !w->picture) || carom_basins_new(&w->found, s->points, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory for %lld points", s->points);
    return CAROM_EXIT_OK;
}

static int open(void *user)
{
    work *w = user;
    CAROM_CLI_TRY(reserve(w));
    return carom_cli_job_open(&w->job, describe(w));
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
    carom_arena *arena = w->job.run.cli->arena;
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
    carom_arena *arena = w->job.run.cli->arena;
    const int n = f->n + (f->not_periodic || f->stopped) + (f->stopped > 0);
    const char **category = CAROM_NEW(arena, const char *, n + 1);
    const char *title = carom_arena_format(arena, "%s: basins", w->job.name);
    if (!category || !title)
        return carom_cli_no_memory();
    for (int a = 0; a < n; a++)
        category[a] = name_of(w, a);
    for (long long i = 0; i < s->points; i++)
        w->picture[i] = f->owner[i] < 0 ? NAN : f->owner[i];
    const carom_heatmap map = {.title = title,
                           .name = "attractor",
                           .value = w->picture,
                           .known = w->there,
                           .category = category,
                           .ncategory = n,
                           .x = {s->axis[0].name, s->axis[0].from, s->axis[0].to, (int)s->axis[0].n},
                           .y = {s->axis[1].name, s->axis[1].from, s->axis[1].to, (int)s->axis[1].n}};
    carom_status status = carom_map_write(path, &map, &error);
    return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
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
    return carom_cli_done(status, &error);
}

/* ---- telling ---- */

/* "q.x" of the i-th component of a state: its column without "_end". */
static const char *component(const work *w, int i)
{
    const char *column = w->job.sweep.column[CAROM_BASIN_FIRST + i];
    const char *name = carom_arena_text(w->job.run.cli->arena, column, strlen(column) - strlen("_end"));
    return name ? name : column;
}

typedef struct told { /* of an attractor */
    carom_attractor at;
    const work *w;
    const char *kind;
    int number;
    double share;
} told;

static void put_orbit(carom_json *json, const char *key, const void *record)
{
    const told *a = record;
    const int n = a->w->job.sweep.ncolumn - CAROM_BASIN_FIRST;
    carom_json_array(json, key);
    for (int k = 0; k < a->at.period; k++) {
        carom_json_object(json, NULL);
        for (int i = 0; i < n; i++)
            carom_json_number(json, component(a->w, i), a->at.orbit[k * n + i]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static const carom_result_field of_attractor[] = {CAROM_CELL("number", CAROM_INT, told, number),
                                                  CAROM_CELL("kind", CAROM_TEXT, told, kind),
                                                  CAROM_CELL("period", CAROM_INT, told, at.period),
                                                  CAROM_CELL("count", CAROM_LONG_LONG, told, at.count),
                                                  CAROM_CELL("share", CAROM_NUMBER, told, share),
                                                  CAROM_CELL("first", CAROM_LONG_LONG, told, at.first),
                                                  CAROM_PUT("orbit", put_orbit),
                                                  {.name = NULL}};

static void put_attractors(carom_json *json, const char *key, const void *record)
{
    const work *w = record;
    carom_json_array(json, key);
    for (int k = 0; k < w->found.n; k++) {
        const carom_attractor *a = &w->found.attractor[k];
        const told one = {*a, w, a->rest ? "rest" : "periodic", k + 1, (double)a->count / (double)w->job.sweep.points};
        carom_json_object(json, NULL);
        carom_json_fields(json, of_attractor, &one);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, work, job.name),
                                            CAROM_CELL("points", CAROM_LONG_LONG, work, job.sweep.points),
                                            CAROM_PUT("attractors", put_attractors),
                                            CAROM_CELL("not_periodic", CAROM_LONG_LONG, work, found.not_periodic),
                                            CAROM_CELL("stopped", CAROM_LONG_LONG, work, found.stopped),
                                            CAROM_CELL("failed", CAROM_LONG_LONG, work, found.failed),
                                            CAROM_CELL("first_failure", CAROM_TEXT, work, first_failure),
                                            CAROM_CELL("missing", CAROM_LONG_LONG, work, found.missing),
                                            CAROM_CELL("computed", CAROM_LONG_LONG, work, job.computed),
                                            CAROM_CELL("output", CAROM_TEXT, work, output),
                                            CAROM_CELL("wall_s", CAROM_NUMBER, work, job.run.wall_s),
                                            {.name = NULL}};

static void say_rest(const char *what, long long count, long long points)
{
    if (count)
        printf("  %-16s %6.2f %%\n", what, 100. * (double)count / (double)points);
}

static void say(const work *w)
{
    const carom_basins *f = &w->found;
    const carom_sweep *s = &w->job.sweep;
    printf("%s: %lld points, %d attractor%s\n", w->job.name, s->points, f->n, f->n == 1 ? "" : "s");
    for (int a = 0; a < f->n; a++) {
        printf("  %-16s %6.2f %%   at", name_of(w, a), 100. * (double)f->attractor[a].count / (double)s->points);
        for (int i = 0; i < s->ncolumn - CAROM_BASIN_FIRST && i < 6; i++)
            printf("%s %s = %.6g", i ? "," : "", component(w, i), f->attractor[a].orbit[i]);
        printf("\n");
    }
    say_rest("not periodic", f->not_periodic, s->points);
    say_rest("stopped", f->stopped, s->points);
    say_rest("failed", f->failed, s->points);
    if (w->first_failure)
        printf("    first: %s\n", w->first_failure);
    say_rest("missing", f->missing, s->points);
    if (w->output)
        printf("  written to %s\n", w->output);
    printf("  %.2f s\n", w->job.run.wall_s);
}

static int write_results(work *w)
{
    const carom_cli *cli = w->job.run.cli;
    const char *picture = carom_cli_own(cli, "--picture"), *export = carom_cli_own(cli, "--export");
    if (carom_ends_with(cli->output, ".csv"))
        CAROM_CLI_TRY(write_table(w, cli->output));
    if (carom_map_drawable(cli->output))
        CAROM_CLI_TRY(draw(w, cli->output));
    if (export)
        CAROM_CLI_TRY(write_table(w, export));
    return picture ? draw(w, picture) : CAROM_EXIT_OK;
}

/* What there is, also after Ctrl-C. */
static int results(void *user, int before)
{
    work *w = user;
    const carom_cli *cli = w->job.run.cli;
    carom_error error = {0};
    carom_cli_census census;
    carom_status status = carom_cli_census_take(w->job.store, &census, &error);
    if (status == CAROM_OK)
        status = carom_store_scan(w->job.store, collect, w, &error);
    if (status == CAROM_OK)
        status = carom_basins_find(&w->found, &w->job.sweep, w->rows, w->there, w->same, &error);
    CAROM_CLI_TRY(carom_cli_done(status, &error));
    int code = write_results(w);
    w->first_failure = census.failed ? census.first_failure : NULL;
    w->output = cli->output;
    if (cli->json)
        carom_cli_json(fields, w);
    else if (!cli->quiet)
        say(w);
    code = code == CAROM_EXIT_OK ? carom_cli_census_judge(&census) : code;
    return before == CAROM_EXIT_OK ? code : before;
}

static int basin(const carom_cli *cli)
{
    work w = {.job = {.run.cli = cli, .kind = "basin"}};
    int code = carom_cli_job_ranks(&w.job, plan, open, results, &w);
    carom_basins_free(&w.found);
    return code;
}

const carom_cli_command carom_cli_basin_command = {
    "basin", "MODEL", 1, 1, CAROM_CLI_BASIN, basin, "basins of attraction on a grid of initial values",
    "Follows MODEL from every point of a grid over initial values (or parameters) and tells which attractor it ends "
    "on: motions are seen once in a period; one that comes back is periodic, everything else is called not periodic "
    "(chaotic, or not settled). Attractors are numbered by the first point that finds them. -o FILE.png, .svg "
    "or .html (a page in which one can zoom) draws, .csv lists, .sqlite keeps the points and goes on with --resume, as "
    "in carom sweep.",
    "carom basin impact-oscillator -p q.u=0.5:2:40 -p v.u=-2:2:40 -p alpha=0.05 -p e=0.5 -p umin=0 -o basins.png\n"
    "carom basin model.yaml -p q.x=-1:1:200 -p v.x=-1:1:200 -o basins.sqlite --resume --picture basins.png", own};
