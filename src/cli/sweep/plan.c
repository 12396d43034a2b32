/* plan.c: which points, with which options: from a command line to a sweep, and to the entries that its store keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep.h"
#include "model/model.h"
#include "output/map/map.h"

enum { PICTURE_POINTS = 100000000 };

/* ---- the design ---- */

static const char *design_text(carom_arena *arena, const carom_sweep *s)
{
    char from[32], to[32];
    const char *text = carom_sweep_design_name((int)s->design);
    if (s->design != CAROM_DESIGN_GRID)
        text = carom_arena_format(arena, "%s %lld seed %d", text, s->points, s->seed);
    for (int k = 0; text && k < s->naxis; k++) {
        const carom_sweep_axis *a = &s->axis[k];
        text = carom_arena_format(arena, s->design == CAROM_DESIGN_GRID ? "%s\n%s=%s:%s:%ld" : "%s\n%s=%s:%s", text,
                                  a->name, carom_shortest(a->from, from), carom_shortest(a->to, to), a->n);
    }
    return text;
}

static bool read_axis(carom_arena *arena, const char *line, size_t length, carom_sweep_axis *axis)
{
    char *copy = carom_arena_text(arena, line, length), *equals = copy ? strchr(copy, '=') : NULL;
    if (!equals)
        return false;
    *equals = 0;
    axis->name = copy;
    char *to = strchr(equals + 1, ':'), *n = to ? strchr(to + 1, ':') : NULL;
    if (!to)
        return false;
    *to = 0;
    if (n)
        *n = 0;
    axis->n = n ? atol(n + 1) : 0;
    return carom_number(equals + 1, &axis->from) && carom_number(to + 1, &axis->to);
}

bool carom_cli_design_read(carom_arena *arena, const char *text, carom_sweep *s)
{
    size_t length = strcspn(text, " \n");
    for (int d = 0; carom_sweep_design_name(d); d++)
        if (strlen(carom_sweep_design_name(d)) == length && !strncmp(text, carom_sweep_design_name(d), length)) {
            s->design = (carom_sweep_design)d;
            s->points = strtoll(text + length, NULL, 10);
            const char *seed = strstr(text, " seed ");
            s->seed = seed ? atoi(seed + 6) : 0;
            for (s->naxis = 0; (text = strchr(text, '\n')) != NULL && s->naxis < CAROM_SWEEP_AXES; s->naxis++)
                if (!read_axis(arena, text + 1, strcspn(text + 1, "\n"), &s->axis[s->naxis]))
                    return false;
                else
                    text++;
            if (s->design == CAROM_DESIGN_GRID)
                s->points = carom_sweep_grid_points(s);
            return s->naxis > 0;
        }
    return false;
}

static int find_design(const carom_cli *cli, carom_sweep *s)
{
    const char *word = carom_cli_own(cli, "--design"), *names[CAROM_DESIGNS + 1] = {NULL};
    double points = 0;
    for (int d = 0; d < CAROM_DESIGNS; d++) {
        names[d] = carom_sweep_design_name(d);
        if (word && !strcmp(word, names[d]))
            s->design = (carom_sweep_design)d;
    }
    if (word && strcmp(word, carom_sweep_design_name((int)s->design)) != 0)
        return carom_cli_unknown("design", word, names, "sweep");
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--points", 1, 1e15, &points));
    const bool grid = s->design == CAROM_DESIGN_GRID;
    if (grid && points > 0)
        return carom_cli_fail(
            CAROM_EXIT_USAGE,
            "--points belongs to --design random and sobol; a grid has the counts of -p NAME=FROM:TO:N");
    if (!grid && !(points > 0 && points == floor(points)))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--design %s needs --points N",
                              carom_sweep_design_name((int)s->design));
    for (int k = 0; k < s->naxis; k++)
        if (grid != (s->axis[k].n > 0))
            return carom_cli_fail(CAROM_EXIT_USAGE,
                                  grid ? "-p %s=... of a grid needs a count: NAME=FROM:TO:N"
                                       : "-p %s=... of random and Sobol points takes no count: NAME=FROM:TO",
                                  s->axis[k].name);
    s->points = grid ? carom_sweep_grid_points(s) : (long long)points;
    s->seed = grid ? 0 : cli->seed;
    return s->points > 0 ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_USAGE, "more than 1e15 points");
}

static int read_axes(const carom_cli *cli, carom_sweep *s)
{
    if (cli->nrange == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s needs something to vary: -p NAME=FROM:TO:N", cli->command->name);
    if (cli->nrange > CAROM_SWEEP_AXES)
        return carom_cli_fail(CAROM_EXIT_USAGE, "at most %d things can be varied at once", CAROM_SWEEP_AXES);
    for (int k = 0; k < cli->nrange; k++) {
        const carom_cli_range *r = &cli->range[k];
        s->axis[k] = (carom_sweep_axis){r->name, r->from, r->to, r->n};
        for (int i = 0; i < k; i++)
            if (!strcmp(s->axis[i].name, r->name))
                return carom_cli_fail(CAROM_EXIT_USAGE, "-p %s is given twice", r->name);
    }
    s->naxis = cli->nrange;
    return find_design(cli, s);
}

static int read_shard(const carom_cli *cli, carom_sweep *s)
{
    const char *text = carom_cli_own(cli, "--shard");
    char *slash = NULL, *end = NULL;
    s->nshard = 1;
    if (!text)
        return CAROM_EXIT_OK;
    long k = strtol(text, &slash, 10), n = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (slash == text || !end || end == slash + 1 || *end || n < 1 || n > 1000000 || k < 0 || k > n)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--shard takes K/N with K from 0 to N, not '%s'", text);
    s->shard = k % n;
    s->nshard = n;
    return CAROM_EXIT_OK;
}

int carom_cli_job_span(carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    carom_sweep *s = &job->sweep;
    const bool periods = carom_cli_own(cli, "--periods") != NULL, time = carom_cli_own(cli, "--time") != NULL;
    if (periods && time)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--periods and --time exclude each other");
    s->span.unit = periods ? CAROM_SPAN_PERIODS : time ? CAROM_SPAN_TIME : CAROM_SPAN_RUN;
    CAROM_CLI_TRY(carom_cli_own_number(cli, periods ? "--periods" : "--time", 1e-300, 1e12, &s->span.length));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--transient", 0, 1e12, &s->span.transient));
    if (periods && !(job->run.model->period > 0))
        return carom_cli_fail(CAROM_EXIT_USAGE, "the model '%s' has no period: use --time T", job->run.model->name);
    return CAROM_EXIT_OK;
}

/* ---- the whole ---- */

/* Names are checked at one point of the design: a wrong one is a mistake of the command line, not of every point. */
static int check_names(const carom_cli_job *job)
{
    const carom_sweep *s = &job->sweep;
    const char *names[CAROM_SWEEP_AXES];
    double x[CAROM_SWEEP_AXES];
    carom_error error = {0};
    carom_sweep_point(s, 0, x);
    for (int k = 0; k < s->naxis; k++)
        names[k] = s->axis[k].name;
    return carom_model_set(job->run.model, names, x, s->naxis, &error) == CAROM_BAD_ARGUMENT
               ? carom_cli_fail(CAROM_EXIT_USAGE, "-p: %s", error.text) : CAROM_EXIT_OK;
}

/* Found out before the first point and not after the last: what a picture needs, and files that cannot be written. */
static int check_results(const carom_cli_job *job)
{
    const carom_sweep *s = &job->sweep;
    const carom_cli *cli = job->run.cli;
    const char *o = cli->output;
    const bool drawn = carom_cli_own(cli, "--picture") || carom_map_drawable(o);
    if (drawn && (s->design != CAROM_DESIGN_GRID || s->naxis != 2))
        return carom_cli_fail(CAROM_EXIT_USAGE, "a picture needs a grid over two axes");
    if (drawn && s->points > PICTURE_POINTS)
        return carom_cli_fail(CAROM_EXIT_USAGE, "a picture of %lld points is too large: at most %d", s->points,
                              PICTURE_POINTS);
    CAROM_CLI_TRY(carom_store_path(o) ? CAROM_EXIT_OK : carom_cli_check_writable(o));
    CAROM_CLI_TRY(carom_cli_check_writable(carom_cli_own(cli, "--picture")));
    return carom_cli_check_writable(carom_cli_own(cli, "--export"));
}

int carom_cli_job_plan(carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    carom_sweep *s = &job->sweep;
    if (!strcmp(cli->operand[0], "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s loads its model once for each thread: give a file, not -",
                              cli->command->name);
    CAROM_CLI_TRY(read_axes(cli, s));
    CAROM_CLI_TRY(check_results(job));
    CAROM_CLI_TRY(read_shard(cli, s));
    CAROM_CLI_TRY(carom_cli_begin(&job->run));
    CAROM_CLI_TRY(check_names(job));
    job->name = job->run.model->name;
    if (*job->run.note && !cli->quiet && job->rank == 0)
        fprintf(stderr, "carom: note: %s\n", job->run.note);
    carom_setting *setting = CAROM_NEW(cli->arena, carom_setting, cli->nsetting + 1);
    if (!setting)
        return carom_cli_no_memory();
    for (int i = 0; i < cli->nsetting; i++)
        setting[i] = (carom_setting){.key = cli->setting[i].name, .value = cli->setting[i].value};
    s->path = cli->operand[0];
    s->load = (carom_load_options){.allow_plugins = cli->allow_plugins, .jit = cli->jit, .assemble = cli->assemble};
    s->fixed = cli->parameter, s->fixed_value = cli->value, s->nfixed = cli->nparameter;
    s->setting = setting, s->nsetting = cli->nsetting;
    return CAROM_EXIT_OK;
}

/* ---- entries ---- */

static const char *fields_text(carom_arena *arena, const char *text, const char *kind, const carom_method *(*list)(int),
                               const char *name, const double *value)
{
    char number[64];
    for (int i = 0; list(i); i++)
        for (int k = 0; !strcmp(list(i)->name, name) && list(i)->fields && list(i)->fields[k].name && text; k++)
            text = carom_arena_format(arena, "%s %s.%s=%s", text, kind, list(i)->fields[k].name,
                                      carom_fields_text(&list(i)->fields[k], value[k], number));
    return text;
}

static const char *options_text(carom_arena *arena, const carom_options *o)
{
    const struct {
        const char *key;
        double value;
    } common[] = {{"t_end", o->t_end}, {"h", o->h}, {"rtol", o->rtol}, {"atol", o->atol}, {"newton_tol", o->newton_tol},
                  {"newton_max", o->newton_max}, {"contact_tol", o->contact_tol},
                  {"contact_accept", o->contact_accept}};
    char number[64];
    const char *text = carom_arena_format(arena, "scheme=%s solver=%s", o->scheme, o->solver);
    for (int i = 0; i < CAROM_COUNT(common) && text; i++)
        text = carom_arena_format(arena, "%s %s=%s", text, common[i].key, carom_shortest(common[i].value, number));
    text = text && *o->atol_of ? carom_arena_format(arena, "%s atol{%s}", text, o->atol_of) : text;
    text = text ? fields_text(arena, text, "scheme", carom_scheme_method, o->scheme, o->scheme_field) : NULL;
    return text ? fields_text(arena, text, "solver", carom_solver_method, o->solver, o->solver_field) : NULL;
}

static const char *fixed_text(carom_arena *arena, const carom_sweep *s)
{
    char number[32];
    const char *text = carom_arena_format(arena, "%s", s->load.assemble ? "assemble" : "");
    for (int i = 0; i < s->nfixed && text; i++)
        text = carom_arena_format(arena, "%s%s%s=%s", text, *text ? " " : "", s->fixed[i],
                                  carom_shortest(s->fixed_value[i], number));
    return text;
}

static const char *span_text(carom_arena *arena, const carom_sweep_span *span)
{
    static const char *const units[] = {"run", "periods", "time"};
    char length[32], transient[32];
    return carom_arena_format(arena, "%s=%s transient=%s", units[span->unit], carom_shortest(span->length, length),
                              carom_shortest(span->transient, transient));
}

static int describe(carom_cli_job *job, carom_store_entry extra)
{
    enum { ENTRIES = 16 };
    carom_arena *arena = job->run.cli->arena;
    const carom_sweep *s = &job->sweep;
    const carom_text_file *source = carom_model_file(job->run.model);
    carom_store_entry *entry = CAROM_NEW(arena, carom_store_entry, ENTRIES);
    const char **column = CAROM_NEW(arena, const char *, s->naxis + s->ncolumn + 1);
    if (!entry || !column)
        return carom_cli_no_memory();
    const char *text = source ? carom_arena_text(arena, source->bytes, source->length) : "";
    const carom_store_entry all[] = {
        {"kind", job->kind}, {"version", CAROM_VERSION}, {"model", job->run.model->name}, {"model_text", text},
        {"parameters", fixed_text(arena, s)}, {"options", options_text(arena, &job->run.options)},
        {"design", design_text(arena, s)}, {"span", span_text(arena, &s->span)},
        {"shard", carom_arena_format(arena, "%ld/%ld", s->shard, s->nshard)}, extra};
    for (int k = 0; k < s->naxis; k++)
        column[k] = s->axis[k].name;
    for (int k = 0; k < s->ncolumn; k++)
        column[s->naxis + k] = s->column[k];
    const char *measures = s->ncolumn ? s->column[0] : "";
    for (int k = 1; k < s->ncolumn && measures; k++)
        measures = carom_arena_format(arena, "%s\n%s", measures, s->column[k]);
    int n = 0;
    for (; n < CAROM_COUNT(all) - !extra.key; n++)
        entry[n] = all[n];
    entry[n++] = (carom_store_entry){"measures", measures};
    const unsigned long long named = carom_model_named_files(job->run.model);
    if (named) /* tables and plugins: rows that others gave do not go together */
        entry[n++] = (carom_store_entry){"files", carom_arena_format(arena, "%016llx", named)};
    for (int i = 0; i < n; i++)
        if (!entry[i].value)
            return carom_cli_no_memory();
    job->form = (carom_store_form){entry, column, n, s->naxis + s->ncolumn};
    return CAROM_EXIT_OK;
}

static carom_status mark_done(void *user, const carom_store_row *row, carom_error *error)
{
    carom_cli_job *job = user;
    job->failed += carom_sweep_status(row->status) > CAROM_STOPPED;
    return carom_sweep_todo_mark(&job->todo, row->index, error);
}

int carom_cli_job_open(carom_cli_job *job, carom_store_entry extra)
{
    const carom_cli *cli = job->run.cli;
    const bool resume = carom_cli_own(cli, "--resume") != NULL, file = carom_cli_job_resumes(job);
    carom_error error = {0};
    CAROM_CLI_TRY(describe(job, extra));
    if (resume && !file)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--resume needs -o FILE.sqlite, FILE.csv or FILE.h5");
    carom_status status = carom_sweep_todo_new(&job->todo, &job->sweep, &error);
    if (status == CAROM_OK)
        status = carom_store_create(&job->store, file ? cli->output : NULL, &job->form, resume, &error);
    if (status == CAROM_OK)
        status = carom_store_scan(job->store, mark_done, job, &error);
    return status == CAROM_BAD_ARGUMENT ? carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text)
                                        : carom_cli_done(status, &error);
}
