/* draw.c: a trajectory and a section draw -> frames. Between two rows positions are interpolated linearly in time,
 * which is right at jumps, because each has a row before and a row after it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "output/draw.h"

typedef struct columns { /* of the coordinates, velocities and modes in the table */
    int t, *q, *v, *mode;
} columns;

static bool missing(const carom_animated *run, const char *name, const char *end, char *reason)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s%s", name, end);
    if (carom_columns_find(run->table, whole) >= 0)
        return false;
    snprintf(reason, 300, "the trajectory has no column '%.100s' of the model '%.60s'", whole, run->model->name);
    return true;
}

const char *carom_draw_obstacle(const carom_animated *run, char *reason)
{
    const carom_model *m = run->model;
    char buffer[32];
    if (!m)
        return strcpy(reason, "the model is not known (name it with --model)");
    const carom_drawing *drawing = carom_model_drawing(m);
    if (!drawing || drawing->nshape == 0) {
        snprintf(reason, 300, "the model '%.200s' has no section 'draw'", m->name ? m->name : "");
        return reason;
    }
    if (missing(run, "t", "", reason))
        return reason;
    for (int i = 0; i < m->nq; i++)
        if (missing(run, carom_model_q_name(m, i, buffer), "", reason) ||
            missing(run, carom_model_q_name(m, i, buffer), "'", reason))
            return reason;
    return NULL;
}

/* Column of name + end, -1: none. */
static int find(const carom_columns *table, const char *name, const char *end)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s%s", name, end);
    return carom_columns_find(table, whole);
}

static bool find_columns(columns *c, const carom_model *m, const carom_columns *table)
{
    char buffer[32];
    c->t = carom_columns_find(table, "t");
    c->q = calloc((size_t)m->nq + 1, sizeof *c->q);
    c->v = calloc((size_t)m->nq + 1, sizeof *c->v);
    c->mode = calloc((size_t)m->ncontact + 1, sizeof *c->mode);
    if (!c->q || !c->v || !c->mode)
        return false;
    for (int i = 0; i < m->nq; i++) {
        c->q[i] = find(table, carom_model_q_name(m, i, buffer), "");
        c->v[i] = find(table, carom_model_q_name(m, i, buffer), "'");
    }
    for (int i = 0; i < m->ncontact; i++)
        c->mode[i] = find(table, carom_model_contact_name(m, i, buffer), ".mode");
    return true;
}

static void free_columns(columns *c)
{
    free(c->q);
    free(c->v);
    free(c->mode);
}

/* ---- one frame ---- */
typedef struct moment {
    size_t row;  /* the last one at or before t */
    double part; /* of the way to the next */
} moment;

static moment find_moment(const double *times, size_t n, double t, size_t from)
{
    moment m = {from, 0};
    while (m.row + 1 < n && times[m.row + 1] <= t)
        m.row++;
    if (m.row + 1 < n && times[m.row + 1] > times[m.row] && t > times[m.row])
        m.part = (t - times[m.row]) / (times[m.row + 1] - times[m.row]);
    return m;
}

static double between(const double *column, moment m)
{
    double a = column[m.row];
    return m.part > 0 ? a + m.part * (column[m.row + 1] - a) : a;
}

static void take_frame(carom_draw_frames *f, const carom_animated *run, const columns *c, size_t k, moment at,
                       double *q)
{
    const carom_model *m = run->model;
    const carom_drawing *drawing = carom_model_drawing(m);
    double *v = q + m->nq;
    for (int i = 0; i < m->nq; i++) {
        q[i] = between(run->table->column[c->q[i]], at);
        v[i] = between(run->table->column[c->v[i]], at);
    }
    for (int s = 0; s < drawing->nshape; s++) {
        const carom_mark *shape = &drawing->shape[s];
        for (int i = 0; i < shape->n; i++)
            f->value[s][k * (size_t)shape->n + (size_t)i] = carom_model_value(m, shape->value[i], f->t[k], q, v, m->p);
    }
    for (int i = 0; i < m->ncontact; i++)
        f->mode[k * (size_t)m->ncontact + (size_t)i] =
            c->mode[i] >= 0 ? (unsigned char)run->table->column[c->mode[i]][at.row] : CAROM_OPEN;
}

/* ---- all of them ---- */
static void find_still(carom_draw_frames *f, const carom_drawing *drawing)
{
    for (int s = 0; s < drawing->nshape; s++) {
        size_t n = (size_t)drawing->shape[s].n;
        f->still[s] = true;
        for (size_t i = n; i < f->n * n && f->still[s]; i++)
            f->still[s] = f->value[s][i] == f->value[s][i % n];
    }
}

static void widen(double box[4], double x, double y, double r)
{
    if (!isfinite(x) || !isfinite(y) || !isfinite(r))
        return;
    box[0] = fmin(box[0], x - r);
    box[1] = fmin(box[1], y - r);
    box[2] = fmax(box[2], x + r);
    box[3] = fmax(box[3], y + r);
}

static void find_box(carom_draw_frames *f, const carom_drawing *drawing)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int s = 0; s < drawing->nshape; s++) {
        const carom_mark *shape = &drawing->shape[s];
        for (size_t k = 0; k < (f->still[s] ? 1 : f->n); k++) {
            const double *c = f->value[s] + k * (size_t)shape->n;
            if (shape->kind == CAROM_MARK_CIRCLE)
                widen(box, c[0], c[1], fabs(c[2]));
            else
                for (int i = 0; i + 1 < shape->n; i += 2)
                    widen(box, c[i], c[i + 1], 0);
        }
    }
    if (!(box[0] <= box[2]))
        box[0] = box[1] = 0, box[2] = box[3] = 1;
    double margin = 0.06 * fmax(fmax(box[2] - box[0], box[3] - box[1]), 1e-9 + DBL_EPSILON * fabs(box[0]));
    memcpy(f->box, (double[]){box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin}, sizeof box);
}

static carom_status find_hits(carom_draw_frames *f, const carom_columns *table, carom_error *error)
{
    int side = carom_columns_find(table, "side"), t = carom_columns_find(table, "t");
    f->hit = malloc((table->nrow + 1) * sizeof *f->hit);
    if (!f->hit)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the impacts of an animation");
    for (size_t i = 0; side >= 0 && i < table->nrow; i++)
        if (table->column[side][i] > 0 && (f->nhit == 0 || table->column[t][i] > f->hit[f->nhit - 1]))
            f->hit[f->nhit++] = table->column[t][i];
    return CAROM_OK;
}

static carom_status allocate(carom_draw_frames *f, const carom_animated *run, const double *t, size_t n,
                             carom_error *error)
{
    const carom_drawing *drawing = carom_model_drawing(run->model);
    *f = (carom_draw_frames){.n = n, .nshape = drawing->nshape};
    f->t = malloc(n * sizeof *f->t);
    f->value = calloc((size_t)drawing->nshape + 1, sizeof *f->value);
    f->still = calloc((size_t)drawing->nshape + 1, sizeof *f->still);
    f->mode = calloc(n * (size_t)run->model->ncontact + 1, 1);
    bool good = f->t && f->value && f->still && f->mode;
    for (int s = 0; good && s < drawing->nshape; s++)
        good = (f->value[s] = malloc(n * (size_t)drawing->shape[s].n * sizeof(double))) != NULL;
    if (!good)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an animation of %zu frames", n);
    memcpy(f->t, t, n * sizeof *t);
    return find_hits(f, run->table, error);
}

carom_status carom_draw_sample(carom_draw_frames *f, const carom_animated *run, const double *t, size_t n,
                               carom_error *error)
{
    const carom_model *m = run->model;
    columns c = {0};
    carom_status status = allocate(f, run, t, n, error);
    double *q = malloc((2 * (size_t)m->nq + 1) * sizeof *q);
    bool ready = find_columns(&c, m, run->table) && q;
    if (status == CAROM_OK && !ready)
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for the columns of an animation");
    moment at = {0, 0};
    for (size_t k = 0; status == CAROM_OK && k < n; k++) {
        at = find_moment(run->table->column[c.t], run->table->nrow, t[k], at.row);
        take_frame(f, run, &c, k, at, q);
    }
    if (status == CAROM_OK) {
        find_still(f, carom_model_drawing(m));
        find_box(f, carom_model_drawing(m));
    }
    free(q);
    free_columns(&c);
    if (status != CAROM_OK)
        carom_draw_free(f);
    return status;
}

void carom_draw_free(carom_draw_frames *f)
{
    for (int s = 0; f->value && s < f->nshape; s++)
        free(f->value[s]);
    free(f->value);
    free(f->t);
    free(f->still);
    free(f->mode);
    free(f->hit);
    *f = (carom_draw_frames){0};
}
