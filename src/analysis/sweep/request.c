/* request.c: a sweep or the basins of a model in one call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/basin.h"

typedef struct job {
    const carom_sweep_request *request;
    carom_sweep sweep;
    carom_sweep_todo todo;
    double *rows;         /* [points*ncolumn] of basins; NULL: rows are the caller's */
    unsigned char *there; /* [points] */
} job;

static int take(void *user, long long *index, int most)
{
    return carom_sweep_todo_take(&((job *)user)->todo, index, most);
}

static bool stop(void *user)
{
    const carom_sweep_request *r = ((job *)user)->request;
    return r->stop && r->stop(r->user);
}

static carom_status put(void *user, const carom_sweep_row *rows, int n, carom_error *error)
{
    job *j = user;
    const carom_sweep_request *r = j->request;
    const size_t columns = (size_t)j->sweep.ncolumn;
    for (int i = 0; i < n; i++) {
        double x[CAROM_SWEEP_AXES];
        if (j->rows) {
            memcpy(j->rows + (size_t)rows[i].index * columns, rows[i].value, columns * sizeof(double));
            j->there[rows[i].index] = 1;
            continue;
        }
        carom_sweep_point(&j->sweep, rows[i].index, x);
        carom_status status = r->row(r->user, rows[i].index, x, rows[i].status, rows[i].value, rows[i].text);
        if (status != CAROM_OK)
            CAROM_FAIL(error, status, "the receiver of rows refused point %lld", rows[i].index);
    }
    return CAROM_OK;
}

/* All but what is computed at a point. */
static carom_status plan(job *j, const carom_sweep_request *r, carom_error *error)
{
    CAROM_SIZED(r, carom_sweep_request, error);
    if (!r->model)
        CAROM_NEED(r->path, error);
    if (r->naxis < 0 || r->naxis > CAROM_SWEEP_AXES || (r->naxis && !r->axis) || r->nfixed < 0 ||
        (r->nfixed && (!r->fixed || !r->fixed_value)) || r->nsetting < 0 || (r->nsetting && !r->setting) ||
        (unsigned)r->design >= CAROM_DESIGNS || r->nshard < 0 || (r->nshard && (r->shard < 0 || r->shard >= r->nshard)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a sweep of %d axes (at most %d), shard %ld of %ld: something is missing",
                   r->naxis, CAROM_SWEEP_AXES, r->shard, r->nshard);
    *j = (job){.request = r};
    j->sweep = (carom_sweep){.path = r->model ? NULL : r->path, .model = r->model, .load = r->load,
                             .fixed = r->fixed, .fixed_value = r->fixed_value,
                             .nfixed = r->nfixed, .setting = r->setting, .nsetting = r->nsetting, .design = r->design,
                             .naxis = r->naxis, .points = r->points, .seed = r->seed, .shard = r->shard,
                             .nshard = r->nshard ? r->nshard : 1, .span = r->span};
    for (int k = 0; k < r->naxis; k++) {
        j->sweep.axis[k] = r->axis[k];
        if (!r->axis[k].name || !isfinite(r->axis[k].from) || !isfinite(r->axis[k].to) || r->axis[k].n < 0 ||
            (r->design == CAROM_DESIGN_GRID && r->axis[k].n < 1))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "axis %d has no name, no range or no points", k);
    }
    if (r->design == CAROM_DESIGN_GRID)
        j->sweep.points = carom_sweep_grid_points(&j->sweep);
    if (j->sweep.points < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a sweep of %lld points", j->sweep.points);
    return CAROM_OK;
}

static carom_status run(job *j, carom_error *error)
{
    const carom_sweep_feed feed = {.user = j, .take = take, .put = put, .stop = stop};
    CAROM_TRY(carom_sweep_todo_new(&j->todo, &j->sweep, error));
    carom_status status = carom_sweep_run(&j->sweep, j->request->threads, &feed, error);
    carom_sweep_todo_free(&j->todo);
    if (status == CAROM_INTERRUPTED)
        CAROM_FAIL(error, status, "interrupted");
    return status;
}

carom_status carom_sweep_compute(const carom_sweep_request *r, carom_error *error)
{
    job j;
    carom_measure measure[CAROM_SWEEP_COLUMNS];
    CAROM_TRY(plan(&j, r, error));
    CAROM_NEED(r->row, error);
    if (r->nmeasure < 1 || r->nmeasure > CAROM_SWEEP_COLUMNS || !r->measure)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d measures: there are 1 to %d", r->nmeasure, CAROM_SWEEP_COLUMNS);
    for (int k = 0; k < r->nmeasure; k++) {
        CAROM_NEED(r->measure[k], error);
        CAROM_TRY(carom_measure_read(&measure[k], r->measure[k], error));
        j.sweep.column[k] = r->measure[k];
    }
    j.sweep.ncolumn = r->nmeasure, j.sweep.method = &carom_sweep_measures, j.sweep.task = measure;
    return run(&j, error);
}

/* The names of the columns need the model. */
static carom_status plan_basin(job *j, const carom_basin *b, carom_arena *arena, carom_error *error)
{
    carom_model *model = NULL;
    carom_status status = carom_sweep_model(&j->sweep, &model, error);
    if (status == CAROM_OK)
        status = carom_basin_columns(&j->sweep, model, arena, error);
    if (status == CAROM_OK && !(model->period > 0) && b->strobe == 0)
        status = carom_fail(error, CAROM_BAD_ARGUMENT, "the model '%s' has no period: a basin needs a strobe",
                            model->name);
    carom_model_free(model);
    j->sweep.method = &carom_basin_method, j->sweep.task = b;
    return status;
}

carom_status carom_basin_compute(carom_basins *basins, const carom_sweep_request *request, const carom_basin *b,
                                 double same, carom_error *error)
{
    job j;
    CAROM_NEED(basins, error);
    *basins = (carom_basins){0};
    CAROM_TRY(plan(&j, request, error));
    CAROM_SIZED(b, carom_basin, error);
    if (!(b->strobe >= 0) || b->transient < 0 || b->transient >= b->most || b->max_period < 1 ||
        b->max_period > CAROM_BASIN_PERIOD || !(b->tol > 0) || !(same > 0) || j.sweep.nshard != 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "a basin with %ld strobes, %ld of them unseen, periods up to %d and tolerances of %g and %g: that "
                   "is outside of their ranges, or a shard", b->most, b->transient, b->max_period, b->tol, same);
    carom_arena *arena = carom_arena_new(0);
    carom_status status = arena ? plan_basin(&j, b, arena, error) : CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        j.rows = calloc((size_t)j.sweep.points, sizeof *j.rows * (size_t)j.sweep.ncolumn);
        j.there = calloc((size_t)j.sweep.points, 1);
        status = j.rows && j.there ? carom_basins_new(basins, j.sweep.points, error) : CAROM_NO_MEMORY;
    }
    if (status == CAROM_OK)
        status = run(&j, error);
    if (status == CAROM_OK)
        status = carom_basins_find(basins, &j.sweep, j.rows, j.there, same, error);
    if (status == CAROM_NO_MEMORY)
        carom_fail(error, status, "no memory for %lld points", j.sweep.points);
    if (status != CAROM_OK)
        carom_basins_free(basins);
    free(j.rows), free(j.there);
    carom_arena_free(arena);
    return status;
}
