/* frames.c: a trajectory and a drawing -> frames. Between two rows positions are interpolated linearly in time, which
 * is right at jumps, because each has a row before and a row after it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/draw/scene.h"

typedef struct columns { /* of the coordinates, velocities and modes in the table */
    int t, *q, *v, *mode;
} columns;


/* Column of name + end, -1: none. */
static int find(const carom_columns *table, const char *name, const char *end)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s%s", name, end);
    return carom_columns_find(table, whole);
}

/* y' where there is a y, else its own name: wx */
static int find_velocity(const carom_columns *table, const char *name)
{
    int column = find(table, name, "'");
    return column >= 0 ? column : find(table, name, "");
}

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
    if (!drawing || (drawing->nshape == 0 && drawing->nbody == 0)) {
        snprintf(reason, 300, "the model '%.200s' has no section 'draw'", m->name ? m->name : "");
        return reason;
    }
    if (missing(run, "t", "", reason))
        return reason;
    for (int i = 0; i < m->nq; i++)
        if (missing(run, carom_model_q_name(m, i, buffer), "", reason))
            return reason;
    for (int i = 0; i < m->nv; i++) {
        const char *name = carom_model_v_name(m, i, buffer);
        if ((!m->manifold || find_velocity(run->table, name) < 0) && missing(run, name, "'", reason))
            return reason;
    }
    return NULL;
}

static bool find_columns(columns *c, const carom_model *m, const carom_columns *table)
{
    char buffer[32];
    c->t = carom_columns_find(table, "t");
    c->q = calloc((size_t)m->nq + 1, sizeof *c->q);
    c->v = calloc((size_t)m->nv + 1, sizeof *c->v);
    c->mode = calloc((size_t)m->ncontact + 1, sizeof *c->mode);
    if (!c->q || !c->v || !c->mode)
        return false;
    for (int i = 0; i < m->nq; i++)
        c->q[i] = find(table, carom_model_q_name(m, i, buffer), "");
    for (int i = 0; i < m->nv; i++)
        c->v[i] = find_velocity(table, carom_model_v_name(m, i, buffer));
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

/* The unit quaternion of a rotation, or of what is nearly one, on the side of `near` (NULL: any). With the largest of
 *   4 e_0^2 = 1 + R_00 + R_11 + R_22,   4 e_1^2 = 1 + R_00 - R_11 - R_22, ...                             (1)
 * the others follow from differences and sums across the diagonal. */
static void quaternion(const double *R, const double *near, double *e)
{
    const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                              1 - R[0] - R[4] + R[8]};                                               /* (1) */
    const double skew[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}, even[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]};
    int k = 0;
    double norm = 0, side = 0;
    for (int i = 1; i < 4; i++)
        k = square[i] > square[k] ? i : k;
    e[0] = k ? skew[k - 1] : square[0];
    for (int i = 1; i < 4; i++)
        e[i] = k == 0 ? skew[i - 1] : i == k ? square[k] : even[6 - i - k - 1];
    for (int i = 0; i < 4; i++) {
        norm += e[i] * e[i];
        side += near ? e[i] * near[i] : 0;
    }
    for (int i = 0; i < 4; i++)
        e[i] *= (side < 0 ? -1 : 1) / sqrt(norm);
}

typedef struct sampling {
    const carom_animated *run;
    const carom_drawing *drawing;
    columns c;
    carom_values *values;
    double *q, *v, *out; /* [nq] [nv], the values of all expressions: shapes, then poses, rods, places of contacts */
    const carom_contact_place *place; /* [nplace] */
    int nplace, *contact;             /* [4*nplace] columns of its mode and of the forces of its rows; -1: none */
    size_t touched;                   /* the first of those that were found at the time of the last frame */
} sampling;

static bool add_force(carom_draw_frames *f, size_t k, const carom_draw_force *x)
{
    if (f->nforce == f->room) {
        size_t room = 2 * f->room + 1000;
        carom_draw_force *more = realloc(f->force, room * sizeof *more);
        if (!more)
            return false;
        f->force = more, f->room = room;
    }
    f->force[f->nforce++] = *x;
    f->forces[k]++;
    return true;
}

/* Those that were found at the last time before the frame's. */
static bool take_found(carom_draw_frames *f, sampling *s, size_t k)
{
    const carom_animated *run = s->run;
    size_t i = s->touched;
    for (size_t next = i; next < run->ntouched && run->touched[next].t <= f->t[k]; next++)
        if (run->touched[next].t > run->touched[i].t)
            i = next;
    s->touched = i;
    for (; i < run->ntouched && run->touched[i].t == run->touched[s->touched].t && run->touched[i].t <= f->t[k]; i++)
        if (!add_force(f, k, &run->touched[i].force))
            return false;
    return true;
}

/* Forces of the contacts that have one. from [12*nplace]: point and axes of each. */
static bool take_forces(carom_draw_frames *f, const sampling *s, size_t k, size_t row, const double *from)
{
    double *const *column = s->run->table->column;
    for (int i = 0; i < s->nplace; i++, from += 12) {
        const int *c = s->contact + 4 * i;
        carom_draw_force x = {.mode = c[0] >= 0 ? column[c[0]][row] : CAROM_OPEN,
                              .body = {s->place[i].body[0], s->place[i].body[1]}};
        memcpy(x.point, from, sizeof x.point);
        for (int r = 0; r < 3; r++)
            for (int d = 0; d < 3 && c[1 + r] >= 0; d++)
                x.force[d] += column[c[1 + r]][row] * from[3 + 3 * r + d];
        if (x.mode == CAROM_OPEN && x.force[0] == 0 && x.force[1] == 0 && x.force[2] == 0)
            continue;
        if (!add_force(f, k, &x))
            return false;
    }
    return true;
}

static bool take_frame(carom_draw_frames *f, sampling *s, size_t k, moment at)
{
    const carom_model *m = s->run->model;
    double *const *column = s->run->table->column;
    const double *from = s->out;
    for (int i = 0; i < m->nq; i++)
        s->q[i] = between(column[s->c.q[i]], at);
    for (int i = 0; i < m->nv; i++)
        s->v[i] = between(column[s->c.v[i]], at);
    carom_values_at(s->values, f->t[k], s->q, s->v, s->out);
    for (int i = 0; i < f->nshape; i++) {
        size_t n = (size_t)s->drawing->shape[i].n;
        memcpy(f->value[i] + k * n, from, n * sizeof *from);
        from += n;
    }
    for (int i = 0; i < f->nbody; i++, from += 12) {
        double *to = f->pose + 7 * (k * (size_t)f->nbody + (size_t)i);
        memcpy(to, from, 3 * sizeof *from);
        quaternion(from + 3, k ? to - 7 * (size_t)f->nbody + 3 : NULL, to + 3);
    }
    if (f->nrod)
        memcpy(f->rod + 6 * k * (size_t)f->nrod, from, 6 * sizeof *from * (size_t)f->nrod);
    for (int i = 0; i < m->ncontact; i++)
        f->mode[k * (size_t)m->ncontact + (size_t)i] =
            s->c.mode[i] >= 0 ? (unsigned char)column[s->c.mode[i]][at.row] : CAROM_OPEN;
    return take_forces(f, s, k, at.row, from + 6 * f->nrod) && take_found(f, s, k);
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

/* Around all places of bodies that move, and the rods. */
static void find_space(carom_draw_frames *f, const carom_drawing *drawing)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (int b = 0; b < f->nbody; b++) {
        double reach = carom_draw_reach(drawing, b);
        for (size_t k = 0; k < f->n && reach > 0; k++)
            for (int i = 0; i < 3; i++) {
                double x = f->pose[7 * (k * (size_t)f->nbody + (size_t)b) + (size_t)i];
                low[i] = fmin(low[i], x - reach), high[i] = fmax(high[i], x + reach);
            }
    }
    for (size_t k = 0; k < 2 * f->n * (size_t)f->nrod; k++)
        for (int i = 0; i < 3; i++)
            low[i] = fmin(low[i], f->rod[3 * k + (size_t)i]), high[i] = fmax(high[i], f->rod[3 * k + (size_t)i]);
    for (int i = 0; i < 3; i++) {
        if (!(low[i] <= high[i]))
            low[i] = -0.5, high[i] = 0.5;
        size = fmax(size, high[i] - low[i]);
    }
    for (int i = 0; i < 3; i++) {
        f->box[i] = low[i] - 0.03 * size;
        f->box[3 + i] = high[i] + 0.03 * size;
    }
}

static void find_box(carom_draw_frames *f, const carom_drawing *drawing)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int s = 0; s < drawing->nshape; s++) {
        const carom_mark *shape = &drawing->shape[s];
        for (size_t k = 0; k < (shape->endless ? 0 : f->still[s] ? 1 : f->n); k++) {
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
    if (f->nbody)
        find_space(f, drawing);
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
    *f = (carom_draw_frames){.n = n, .nshape = drawing->nshape, .nbody = drawing->nbody, .nrod = drawing->nrod};
    f->t = malloc(n * sizeof *f->t);
    f->value = calloc((size_t)drawing->nshape + 1, sizeof *f->value);
    f->still = calloc((size_t)drawing->nshape + 1, sizeof *f->still);
    f->mode = calloc(n * (size_t)run->model->ncontact + 1, 1);
    f->pose = malloc((7 * n * (size_t)f->nbody + 1) * sizeof *f->pose);
    f->rod = malloc((6 * n * (size_t)f->nrod + 1) * sizeof *f->rod);
    f->forces = calloc(n + 1, sizeof *f->forces);
    bool good = f->t && f->value && f->still && f->mode && f->pose && f->rod && f->forces;
    for (int s = 0; good && s < drawing->nshape; s++)
        good = (f->value[s] = malloc(n * (size_t)drawing->shape[s].n * sizeof(double))) != NULL;
    if (!good)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an animation of %zu frames", n);
    memcpy(f->t, t, n * sizeof *t);
    return find_hits(f, run->table, error);
}

/* Where the forces of the contacts stand that have a place in the picture. */
static carom_status prepare_forces(sampling *s, carom_error *error)
{
    static const char *const ends[3][3] = {{".force"}, {".force", ".force_t"}, {".force", ".force_t1", ".force_t2"}};
    const carom_model *m = s->run->model;
    char buffer[32];
    CAROM_TRY(carom_bodies_places(m, &s->place, &s->nplace, error));
    s->contact = malloc((4 * (size_t)s->nplace + 1) * sizeof *s->contact);
    if (!s->contact)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the forces of an animation");
    for (int i = 0; i < s->nplace; i++) {
        int *c = s->contact + 4 * i, k = 0;
        while (k < m->ncontact && strcmp(carom_model_contact_name(m, k, buffer), s->place[i].name) != 0)
            k++;
        int rows = k < m->ncontact ? 1 + m->contact[k].directions : 0;
        c[0] = find(s->run->table, s->place[i].name, ".mode");
        for (int r = 0; r < 3; r++)
            c[1 + r] = r < rows ? find(s->run->table, s->place[i].name, ends[rows - 1][r]) : -1;
    }
    return CAROM_OK;
}

static carom_status prepare(sampling *s, const carom_animated *run, carom_error *error)
{
    const carom_model *m = run->model;
    const carom_drawing *d = carom_model_drawing(m);
    *s = (sampling){.run = run, .drawing = d};
    CAROM_TRY(prepare_forces(s, error));
    size_t n = 12 * (size_t)d->nbody + 6 * (size_t)d->nrod + 12 * (size_t)s->nplace, used = 0;
    for (int i = 0; i < d->nshape; i++)
        n += (size_t)d->shape[i].n;
    int *e = malloc((n + 1) * sizeof *e);
    s->q = malloc(((size_t)m->nq + (size_t)m->nv + n + 1) * sizeof *s->q);
    carom_status status = CAROM_NO_MEMORY;
    if (e && s->q && find_columns(&s->c, m, run->table)) {
        for (int i = 0; i < d->nshape; used += (size_t)d->shape[i++].n)
            memcpy(e + used, d->shape[i].value, sizeof *e * (size_t)d->shape[i].n);
        if (d->nbody)
            memcpy(e + used, d->pose, 12 * sizeof *e * (size_t)d->nbody);
        used += 12 * (size_t)d->nbody;
        if (d->nrod)
            memcpy(e + used, d->rod, 6 * sizeof *e * (size_t)d->nrod);
        used += 6 * (size_t)d->nrod;
        for (int i = 0; i < s->nplace; i++, used += 12) {
            memcpy(e + used, s->place[i].point, 3 * sizeof *e);
            memcpy(e + used + 3, s->place[i].axis, 9 * sizeof *e);
        }
        s->v = s->q + m->nq;
        s->out = s->v + m->nv;
        status = carom_values_new(&s->values, m, e, (int)n, error);
    } else {
        carom_fail(error, status, "no memory for the columns of an animation");
    }
    free(e);
    return status;
}

carom_status carom_draw_sample(carom_draw_frames *f, const carom_animated *run, const double *t, size_t n,
                               carom_error *error)
{
    sampling s;
    carom_status status = prepare(&s, run, error);
    *f = (carom_draw_frames){0};
    if (status == CAROM_OK)
        status = allocate(f, run, t, n, error);
    moment at = {0, 0};
    for (size_t k = 0; status == CAROM_OK && k < n; k++) {
        at = find_moment(run->table->column[s.c.t], run->table->nrow, t[k], at.row);
        if (!take_frame(f, &s, k, at))
            status = carom_fail(error, CAROM_NO_MEMORY, "no memory for the forces of an animation");
    }
    if (status == CAROM_OK) {
        find_still(f, s.drawing);
        find_box(f, s.drawing);
    }
    free(s.q);
    free(s.contact);
    free_columns(&s.c);
    carom_values_free(s.values);
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
    free(f->pose);
    free(f->rod);
    free(f->force);
    free(f->forces);
    *f = (carom_draw_frames){0};
}
