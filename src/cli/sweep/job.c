/* job.c: computing the points of a sweep: rows into the store, a progress line, Ctrl-C; at the end a census and a
 * picture. */
#include <errno.h>
#include <string.h>

#include "cli/sweep/sweep.h"
#include "output/map/map.h"

static int take(void *user, long long *index, int most)
{
    carom_cli_job *job = user;
    return carom_sweep_todo_take(&job->todo, index, most);
}

static carom_status put(void *user, const carom_sweep_row *rows, int n, carom_error *error)
{
    carom_cli_job *job = user;
    const carom_sweep *s = &job->sweep;
    double value[CAROM_SWEEP_AXES + CAROM_SWEEP_COLUMNS];
    char word[32];
    for (int i = 0; i < n; i++) {
        if (rows[i].status == CAROM_NO_MEMORY) /* it says nothing of the point */
            CAROM_FAIL(error, CAROM_NO_MEMORY, "point %lld: %s", rows[i].index, rows[i].text);
        carom_sweep_point(s, rows[i].index, value);
        memcpy(value + s->naxis, rows[i].value, sizeof(double) * (size_t)s->ncolumn);
        const carom_store_row row = {rows[i].index, carom_sweep_status_word(rows[i].status, word), rows[i].text, value};
        CAROM_TRY(carom_store_put(job->store, &row, 1, error));
        job->failed += rows[i].status > CAROM_STOPPED;
        job->computed++;
        carom_progress_step(&job->run.progress, (double)(job->todo.done + job->computed));
    }
    return CAROM_OK;
}

static int compute(carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    const carom_sweep_feed feed = {job, take, put, carom_cli_stop};
    carom_error error = {0};
    const long long before = job->todo.done, all = job->todo.count;
    carom_cli_start(&job->run, (double)before, (double)all, "points");
    if (job->rank != 0)
        job->run.progress.file = NULL;
    carom_status status = job->ranks > 1
                              ? carom_cli_mpi_run(&job->sweep, job->rank, job->ranks, cli->threads, &feed, &error)
                              : carom_sweep_run(&job->sweep, cli->threads, &feed, &error);
    carom_cli_finish(&job->run);
    if (job->rank != 0)
        return status == CAROM_OK || status == CAROM_INTERRUPTED
                   ? carom_cli_exit(status)
                   : carom_cli_fail(carom_cli_exit(status), "rank %d: %s", job->rank, error.text);
    carom_error late = {0};
    carom_status committed = carom_store_commit(job->store, &late);
    if ((status == CAROM_OK || status == CAROM_INTERRUPTED) && committed != CAROM_OK)
        status = committed, error = late;
    const bool file = carom_cli_job_resumes(job);
    if (status == CAROM_INTERRUPTED)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted after %lld of %lld points%s%s",
                              before + job->computed, all, file ? "; --resume goes on with " : "",
                              file ? cli->output : "");
    if (status != CAROM_OK)
        return carom_cli_fail(carom_cli_exit(status), "%s%s", error.text,
                              status == CAROM_FILE && file ? " (what was written before is safe: --resume goes on)"
                                                           : "");
    return CAROM_EXIT_OK;
}

bool carom_cli_job_resumes(const carom_cli_job *job)
{
    const char *path = job->run.cli->output;
    return carom_store_path(path) || carom_store_table_path(path);
}

bool carom_cli_job_prints(const carom_cli_job *job)
{
    const carom_cli *cli = job->run.cli;
    return (!cli->output && !cli->json) || (cli->output && !strcmp(cli->output, "-"));
}

static int close_job(carom_cli_job *job, int code)
{
    carom_error error = {0};
    int closed = carom_cli_done(carom_store_close(job->store, &error), &error);
    carom_sweep_todo_free(&job->todo);
    carom_model_free(job->run.model);
    return code == CAROM_EXIT_OK ? closed : code;
}

int carom_cli_job_ranks(carom_cli_job *job, int (*plan)(void *user), int (*open)(void *user),
                        int (*results)(void *user, int code), void *user)
{
    carom_cli_mpi_begin(&job->rank, &job->ranks);
    int code = CAROM_EXIT_OK;
    for (int turn = 0; turn < 2 && code == CAROM_EXIT_OK; turn++) { /* rank 0 first: mistakes are told once */
        if ((turn == 0) == (job->rank == 0))
            code = plan(user);
        if (code == CAROM_EXIT_OK && turn == 0 && job->rank == 0)
            code = open(user);
        if (turn == 0)
            code = carom_cli_mpi_agree(code);
        else if (code != CAROM_EXIT_OK)
            carom_cli_mpi_abort(code);
    }
    if (code == CAROM_EXIT_OK) {
        code = compute(job);
        const bool whole = code == CAROM_EXIT_OK;
        if (job->rank == 0 && (code == CAROM_EXIT_OK || code == CAROM_EXIT_INTERRUPTED))
            code = results(user, code);
        if (job->rank == 0 && whole && code == CAROM_EXIT_OK)
            carom_store_complete(job->store);
    }
    code = close_job(job, code);
    carom_cli_mpi_end();
    return code;
}

/* ---- census ---- */

typedef struct count {
    carom_cli_census *census;
    long long next; /* the index that should come */
} count;

static void miss(carom_cli_census *c, long long from, long long to)
{
    size_t used = strlen(c->missing), room = sizeof c->missing - used;
    if (used > sizeof c->missing - 60) {
        if (c->missing[used - 1] != '.')
            snprintf(c->missing + used, room, ", ...");
    } else if (from == to) {
        snprintf(c->missing + used, room, "%s%lld", used ? ", " : "", from);
    } else {
        snprintf(c->missing + used, room, "%s%lld-%lld", used ? ", " : "", from, to);
    }
}

static carom_status look(void *user, const carom_store_row *row, carom_error *error)
{
    count *k = user;
    carom_cli_census *c = k->census;
    (void)error;
    if (row->index > k->next)
        miss(c, k->next, row->index - 1);
    k->next = row->index + 1;
    c->rows++;
    if (carom_sweep_status(row->status) > CAROM_STOPPED && c->failed++ == 0)
        snprintf(c->first_failure, sizeof c->first_failure, "point %lld: %s", row->index, row->text);
    return CAROM_OK;
}

carom_status carom_cli_census_take(carom_store *store, carom_cli_census *census, carom_error *error)
{
    carom_sweep sweep = {0};
    errno = 0;
    carom_arena *arena = carom_arena_new(0);
    const char *design = carom_store_value(carom_store_shape(store), "design");
    bool known = arena && design && carom_cli_design_read(arena, design, &sweep);
    carom_arena_free(arena);
    if (!known && errno == ENOMEM)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the design of the sweep");
    if (!known)
        CAROM_FAIL(error, CAROM_FILE, "the design of the sweep cannot be read");
    *census = (carom_cli_census){.points = sweep.points};
    count k = {.census = census};
    CAROM_TRY(carom_store_scan(store, look, &k, error));
    if (k.next < census->points)
        miss(census, k.next, census->points - 1);
    census->absent = census->points - census->rows;
    census->complete = census->absent == 0;
    return CAROM_OK;
}

int carom_cli_census_judge(const carom_cli_census *census)
{
    if (census->failed == 0 || census->failed < census->rows)
        return CAROM_EXIT_OK;
    return carom_cli_fail(CAROM_EXIT_FAILED, "all points failed, %lld of them; the first was %s", census->rows,
                          census->first_failure);
}

/* ---- the map of a sweep over a grid of two axes, from its store ---- */

typedef struct plane {
    double *value;
    unsigned char *known;
    long long n;
    int column;
} plane;

static carom_status collect(void *user, const carom_store_row *row, carom_error *error)
{
    plane *p = user;
    if (row->index < 0 || row->index >= p->n)
        CAROM_FAIL(error, CAROM_FILE, "point %lld is none of %lld", row->index, p->n);
    p->value[row->index] = row->value[p->column];
    p->known[row->index] = 1;
    return CAROM_OK;
}

static int find_column(const carom_store_form *form, int naxis, const char *name)
{
    for (int k = naxis; k < form->ncolumn; k++)
        if (!name || !strcmp(form->column[k], name))
            return k;
    return -1;
}

static carom_map_side side(const carom_sweep_axis *axis)
{
    return (carom_map_side){axis->name, axis->from, axis->to, (int)axis->n};
}

static carom_status draw(carom_store *store, const carom_sweep *s, plane *p, const char *path, carom_error *error)
{
    const carom_store_form *form = carom_store_shape(store);
    const char *model = carom_store_value(form, "model"), *name = form->column[p->column];
    char title[300];
    CAROM_TRY(carom_store_scan(store, collect, p, error));
    snprintf(title, sizeof title, "%s: %s", model ? model : "", name);
    const carom_heatmap map = {.title = title,
                           .name = name,
                           .x = side(&s->axis[0]),
                           .y = side(&s->axis[1]),
                           .value = p->value,
                           .known = p->known,
                           .signs = !strcmp(name, "lyapunov")};
    return carom_map_write(path, &map, error);
}

int carom_cli_picture(carom_arena *arena, carom_store *store, const char *path, const char *name)
{
    carom_sweep s = {0};
    carom_error error = {0};
    const carom_store_form *form = carom_store_shape(store);
    const char *design = carom_store_value(form, "design");
    if (!design || !carom_cli_design_read(arena, design, &s) || s.design != CAROM_DESIGN_GRID || s.naxis != 2)
        return carom_cli_fail(CAROM_EXIT_USAGE, "a picture needs a grid over two axes");
    plane p = {CAROM_NEW(arena, double, s.points), CAROM_NEW(arena, unsigned char, s.points), s.points,
               find_column(form, s.naxis, name)};
    if (p.column < 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "the sweep has no measure '%s'", name ? name : "");
    if (!p.value || !p.known)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory for a picture of %lld points", p.n);
    carom_status status = draw(store, &s, &p, path, &error);
    return status == CAROM_BAD_ARGUMENT ? carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text)
                                        : carom_cli_done(status, &error);
}
