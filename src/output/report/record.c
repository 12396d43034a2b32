/* record.c: a simulation recorded in memory, as the table that carom_columns_read makes of its file. */
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"
#include "output/columns/columns.h"
#include "output/sampler.h"
#include "output/touching.h"

enum { TOUCHED = 200000 }; /* contacts that are kept; where there are more, those of every second time, fourth ... */

struct carom_recorder {
    carom_sampler *sampler;
    carom_columns_builder builder;
    int columns;
    double *step_t, *step_h; /* [nstep] */
    size_t nstep, room;
    bool found;                 /* contacts are */
    carom_touchings *touchings; /* NULL: nobody watches them */
    carom_touched *touched;     /* [ntouched] */
    size_t ntouched, touched_room, times, stride; /* times: how many were there; every stride-th is kept */
    carom_error error;
};

static void take_row(void *user, const double *row)
{
    carom_recorder *r = user;
    if (r->error.status != CAROM_OK)
        return;
    memcpy(r->builder.row, row, sizeof *row * (size_t)r->columns);
    carom_columns_append(&r->builder, &r->error);
}

static void take_step(carom_recorder *r, const carom_segment *g)
{
    if (r->nstep == r->room) {
        size_t room = 2 * r->room + 1024;
        double *t = realloc(r->step_t, room * sizeof *t), *h = t ? realloc(r->step_h, room * sizeof *h) : NULL;
        r->step_t = t ? t : r->step_t;
        r->step_h = h ? h : r->step_h;
        if (!t || !h) {
            carom_fail(&r->error, CAROM_NO_MEMORY, "no memory for %zu steps", room);
            return;
        }
        r->room = room;
    }
    r->step_t[r->nstep] = g->t0;
    r->step_h[r->nstep++] = g->t1 - g->t0;
}

/* ---- contacts that are found ---- */
static void take_contact(void *user, const carom_touching *c)
{
    carom_recorder *r = user;
    bool jump = c->mode == CAROM_OPEN && c->impulse[0] * c->impulse[0] + c->impulse[1] * c->impulse[1] +
                                                 c->impulse[2] * c->impulse[2] > 0; /* in files: no force */
    if (c->body[0] < 0 || jump || r->error.status != CAROM_OK)
        return;
    if (r->ntouched == r->touched_room) {
        size_t room = 2 * r->touched_room + 1000;
        carom_touched *more = realloc(r->touched, room * sizeof *more);
        if (!more) {
            carom_fail(&r->error, CAROM_NO_MEMORY, "no memory for %zu contacts", room);
            return;
        }
        r->touched = more, r->touched_room = room;
    }
    carom_touched *to = &r->touched[r->ntouched++];
    *to = (carom_touched){.t = c->t, .force = {.mode = c->mode, .body = {c->body[0], c->body[1]}}};
    memcpy(to->force.point, c->point, sizeof to->force.point);
    memcpy(to->force.force, c->force, sizeof to->force.force);
}

/* Every second time goes. */
static void thin(carom_recorder *r)
{
    size_t kept = 0, times = 0;
    for (size_t i = 0; i < r->ntouched; i++) {
        times += i > 0 && r->touched[i].t > r->touched[i - 1].t;
        if (times % 2 == 0)
            r->touched[kept++] = r->touched[i];
    }
    r->ntouched = kept;
    r->stride *= 2;
}

/* At the times of the grid in the segment. */
static void take_contacts(carom_recorder *r, const carom_segment *g)
{
    double t = carom_sampler_begins(r->sampler, g) ? g->t0 : carom_sampler_next(r->sampler, g->t0);
    for (; t <= g->t1; t = carom_sampler_next(r->sampler, t))
        if (r->times++ % r->stride == 0)
            carom_touchings_at(r->touchings, g, t, take_contact, r);
    while (r->ntouched > TOUCHED && r->touched[0].t < r->touched[r->ntouched - 1].t)
        thin(r);
}

static void segment(void *user, const carom_segment *g)
{
    carom_recorder *r = user;
    if (r->error.status == CAROM_OK)
        carom_sampler_segment(r->sampler, g, &r->error);
    if (r->error.status == CAROM_OK && g->t1 > g->t0)
        take_step(r, g);
    if (r->error.status == CAROM_OK && r->touchings && g->t1 > g->t0)
        take_contacts(r, g);
}

static void jump(void *user, const carom_jump *j)
{
    carom_recorder *r = user;
    if (r->error.status == CAROM_OK)
        carom_sampler_jump(r->sampler, j);
}

static carom_status begin(carom_recorder *r, const carom_model *model, double every, carom_error *error)
{
    const carom_sink_info info = {.size = sizeof info, .gaps = true, .energy = true, .reactions = !model->links};
    const char *title = model->name ? model->name : "";
    r->found = model->links != NULL;
    r->builder = (carom_columns_builder){.table = calloc(1, sizeof(carom_columns)), .path = title};
    if (!r->builder.table)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for recording '%s'", title);
    CAROM_TRY(carom_sampler_new(&r->sampler, model, NULL, every, &info, take_row, r, error));
    const carom_row_layout *columns = carom_sampler_layout(r->sampler);
    r->columns = columns->n;
    CAROM_TRY(carom_columns_text(&r->builder, &r->builder.table->title, title, strlen(title), error));
    for (int i = 0; i < columns->n; i++)
        CAROM_TRY(carom_columns_name(&r->builder, columns->name[i], strlen(columns->name[i]), error));
    return carom_columns_named(&r->builder, error);
}

carom_status carom_recorder_new(carom_recorder **recorder, const carom_model *model, double every, carom_error *error)
{
    *recorder = NULL;
    carom_recorder *r = calloc(1, sizeof *r);
    if (!r)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for recording a run");
    carom_status status = begin(r, model, every, error);
    if (status != CAROM_OK)
        carom_recorder_free(r);
    else
        *recorder = r;
    return status;
}

carom_observer carom_recorder_observer(carom_recorder *recorder)
{
    return (carom_observer){.size = sizeof(carom_observer), .user = recorder, .segment = segment, .jump = jump};
}

carom_status carom_recorder_watch(carom_recorder *recorder, carom_sim *sim, carom_error *error)
{
    recorder->stride = 1;
    return recorder->found ? carom_touchings_new(&recorder->touchings, sim, false, error) : CAROM_OK;
}

carom_status carom_recorder_read(carom_recorder **recorder, const char *path, const carom_model *model,
                                 carom_error *error)
{
    carom_recorder *r = *recorder = calloc(1, sizeof *r);
    if (!r)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the contacts of '%s'", path);
    r->stride = 1;
    CAROM_TRY(carom_touchings_read(path, model, take_contact, r, error));
    while (r->ntouched > TOUCHED && r->touched[0].t < r->touched[r->ntouched - 1].t)
        thin(r);
    if (r->error.status != CAROM_OK && error)
        *error = r->error;
    return r->error.status;
}

void carom_recorder_contacts(const carom_recorder *r, carom_report_run *run)
{
    run->touched = r->touched;
    run->ntouched = r->ntouched;
}

carom_status carom_recorder_end(carom_recorder *r, carom_report_run *run, carom_error *error)
{
    if (r->error.status == CAROM_OK)
        carom_sampler_end(r->sampler);
    run->table = r->builder.table;
    run->step_t = r->step_t;
    run->step_h = r->step_h;
    run->nstep = r->nstep;
    carom_recorder_contacts(r, run);
    if (r->error.status != CAROM_OK && error)
        *error = r->error;
    return r->error.status;
}

void carom_recorder_free(carom_recorder *r)
{
    if (!r)
        return;
    carom_sampler_free(r->sampler);
    carom_touchings_free(r->touchings);
    free(r->touched);
    carom_columns_free(r->builder.table);
    free(r->builder.row);
    free(r->step_t);
    free(r->step_h);
    free(r);
}
