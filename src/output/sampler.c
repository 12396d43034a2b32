/* sampler.c: segments and jumps -> rows of numbers.
 *
 * Grid: t_k = t0 + k every, always by multiplication. A row that falls on the end of a segment is held back,
 * because a jump at that time replaces it by two rows (before, after), and the row after a jump is held back
 * until the next segment brings the force that acts from there on. Whatever is held goes out with the next call.
 *   force     mean over the segment that holds the row; between two jumps at one time there is none: 0
 *   reaction  the force at the row's own time, by its modes
 *   mode      a segment knows it at its end; inside it holds the mode with which the previous one ended */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "output/sampler.h"
#include "sim/reactions.h"

typedef enum held_kind { NOTHING, NODE, AFTER_JUMP } held_kind;

struct carom_sampler {
    carom_arena *arena;
    const carom_model *model;
    carom_model lasting; /* of a model with contacts that come and go: the model without them */
    const double *p;
    const carom_evaluator *evaluator;
    void *work;
    unsigned want;
    carom_row_layout columns;
    carom_row_callback *callback;
    void *user;
    double every, t0;
    double k;             /* next grid point */
    bool started;
    held_kind held;
    double held_time;     /* of the node or the jump itself; row[t] may be off by rounding */
    double *row;          /* [n] what is being built */
    double *held_row;     /* [n] */
    double *end_row;      /* [n] end of the last segment */
    double end_time, last_time; /* ... and of the last row that went out, -infinity before */
    int bad_output;       /* whose value was no finite number, in bad_row; -1: all are */
    double *bad_row;      /* [n] */
    double *gap, energy[5];
    unsigned char *mode;  /* [ncontact] at the end of the last segment */
    unsigned char *mode_inside;
    unsigned char *mode_row; /* of the row that goes out */
    carom_reactions *reactions; /* NULL: not asked for */
};

/* ---- the names of the columns, in the order that output.h promises ---- */

typedef struct list {
    carom_arena *arena;
    carom_row_layout *columns;
    int room;
    bool failed;
    int *slot;     /* [slots] the names by their hash: column + 1, 0 where there is none; at least half are free */
    size_t slots;  /* a power of two */
} list;

/* Where the name is in the table, or would go. */
static int *slot_of(const list *to, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t k = (size_t)(hash >> 20) & (to->slots - 1);
    while (to->slot[k] && strcmp(to->columns->name[to->slot[k] - 1], name) != 0)
        k = (k + 1) & (to->slots - 1);
    return &to->slot[k];
}

static bool taken(const list *to, const char *name)
{
    return *slot_of(to, name) != 0;
}

/* Appends stem + ending; a name that is taken (an output called like a coordinate) gets a number. */
static int add(list *to, const char *stem, const char *ending)
{
    const char *name = carom_arena_format(to->arena, "%s%s", stem, ending);
    for (int i = 2; name && taken(to, name); i++)
        name = carom_arena_format(to->arena, "%s%s_%d", stem, ending, i);
    if (!name || to->columns->n == to->room) {
        to->failed = true;
        return 0;
    }
    int *slot = slot_of(to, name);
    to->columns->name[to->columns->n] = name;
    *slot = to->columns->n + 1;
    return to->columns->n++;
}

static const char *const ends[3][3][2] = { /* of the rows of a contact, by how many directions of friction it has */
    {{".force", ".impulse"}},
    {{".force", ".impulse"}, {".force_t", ".impulse_t"}},
    {{".force", ".impulse"}, {".force_t1", ".impulse_t1"}, {".force_t2", ".impulse_t2"}},
};

static void add_contact(list *to, const carom_model *model, int i)
{
    char buffer[32];
    const char *name = carom_model_contact_name(model, i, buffer);
    int directions = model->contact[i].directions;
    if (to->columns->gaps)
        add(to, name, ".gap");
    to->columns->contact[i] = add(to, name, ".mode");
    for (int r = 0; r <= directions; r++) {
        add(to, name, ends[directions][r][0]);
        add(to, name, ends[directions][r][1]);
    }
}

static void add_reactions(list *to, const carom_model *model)
{
    char buffer[32];
    to->columns->reactions = to->columns->n;
    for (int i = 0; i < model->njoint; i++)
        add(to, carom_model_joint_name(model, i, buffer), carom_reaction_ends[0][0]);
    for (int i = 0; i < model->ncontact; i++)
        for (int r = 0; r <= model->contact[i].directions; r++)
            add(to, carom_model_contact_name(model, i, buffer), carom_reaction_ends[model->contact[i].directions][r]);
}

static carom_status make_layout(carom_row_layout *columns, carom_arena *arena, const carom_model *model,
                                const carom_sink_info *info, carom_error *error)
{
    int room = 3 + model->nq + model->nv + model->noutput + 11 * model->ncontact + 3 * model->njoint;
    char buffer[32];
    *columns = (carom_row_layout){.gaps = info->gaps && model->ncontact > 0, .reactions = -1, .energy = -1};
    columns->name = CAROM_NEW(arena, const char *, room);
    columns->contact = CAROM_NEW(arena, int, model->ncontact + 1);
    list to = {.arena = arena, .columns = columns, .room = room, .slots = 16};
    while (to.slots < 2 * (size_t)room)
        to.slots *= 2;
    to.slot = CAROM_NEW(arena, int, to.slots);
    if (!columns->name || !columns->contact || !to.slot)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of %d columns", room);
    columns->t = add(&to, "t", "");
    columns->side = add(&to, "side", "");
    columns->q = columns->n;
    for (int i = 0; i < model->nq; i++)
        add(&to, carom_model_q_name(model, i, buffer), "");
    columns->v = columns->n;
    for (int i = 0; i < model->nv; i++) { /* a velocity that has the name of a coordinate is its rate; wx is wx */
        const char *name = carom_model_v_name(model, i, buffer);
        add(&to, name, taken(&to, name) ? "'" : "");
    }
    columns->outputs = columns->n;
    for (int i = 0; i < model->noutput; i++)
        add(&to, carom_model_output_name(model, i, buffer), "");
    for (int i = 0; i < model->ncontact; i++)
        add_contact(&to, model, i);
    columns->joint = columns->n;
    for (int i = 0; i < model->njoint; i++) {
        add(&to, carom_model_joint_name(model, i, buffer), ".force");
        add(&to, carom_model_joint_name(model, i, buffer), ".impulse");
    }
    if (info->reactions)
        add_reactions(&to, model);
    if (info->energy && !taken(&to, "energy"))
        columns->energy = add(&to, "energy", "");
    if (to.failed)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of %d columns", room);
    return CAROM_OK;
}

/* ---- the sampler ---- */

static carom_status allocate(carom_sampler *s, const carom_sink_info *info, carom_error *error)
{
    const carom_model *model = s->model;
    CAROM_TRY(make_layout(&s->columns, s->arena, model, info, error));
    size_t n = (size_t)s->columns.n;
    s->row = CAROM_NEW(s->arena, double, n);
    s->held_row = CAROM_NEW(s->arena, double, n);
    s->end_row = CAROM_NEW(s->arena, double, n);
    s->bad_row = CAROM_NEW(s->arena, double, n);
    s->bad_output = -1;
    s->gap = CAROM_NEW(s->arena, double, carom_model_links(model) + 1);
    s->mode = CAROM_NEW(s->arena, unsigned char, model->ncontact + 1);
    s->mode_inside = CAROM_NEW(s->arena, unsigned char, model->ncontact + 1);
    s->mode_row = CAROM_NEW(s->arena, unsigned char, model->ncontact + 1);
    if (!s->row || !s->held_row || !s->end_row || !s->bad_row || !s->gap || !s->mode || !s->mode_inside || !s->mode_row)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for rows of %zu columns", n);
    if (info->reactions && carom_model_links(model) > 0)
        CAROM_TRY(carom_reactions_new(&s->reactions, model, s->p, error));
    s->want = (model->noutput > 0 ? CAROM_OUTPUTS : 0) | (s->columns.gaps ? CAROM_GAP : 0)
              | (s->columns.energy >= 0 ? CAROM_ENERGY : 0);
    if (!s->want)
        return CAROM_OK;
    s->evaluator = carom_model_evaluator(model);
    CAROM_TRY(s->evaluator->prepare(model, s->want, error));
    s->work = carom_arena_alloc(s->arena, s->evaluator->work_bytes(model, 1) + 64);
    if (!s->work)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for evaluating the outputs of '%s'", model->name);
    s->evaluator->begin(model, 1, s->p, s->work);
    return CAROM_OK;
}

carom_status carom_sampler_new(carom_sampler **sampler, const carom_model *model, const double *p, double every,
                               const carom_sink_info *info, carom_row_callback *callback, void *user,
                               carom_error *error)
{
    *sampler = NULL;
    if (!(every >= 0) || !isfinite(every))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "every = %g, but a sampling interval is 0 (each step) or positive", every);
    carom_sampler *s = calloc(1, sizeof *s);
    carom_arena *arena = carom_arena_new(0);
    if (!s || !arena) {
        free(s);
        carom_arena_free(arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for sampling '%s'", model->name);
    }
    s->arena = arena;
    s->lasting = *model;
    s->lasting.ncontact = s->lasting.njoint = 0;
    s->model = model->links ? &s->lasting : model;
    s->p = p ? p : model->p;
    s->every = every;
    s->last_time = -INFINITY;
    s->callback = callback;
    s->user = user;
    carom_sink_info columns = *info;
    columns.reactions = info->reactions && !model->links; /* of contacts that come and go: sink.c */
    carom_status status = allocate(s, &columns, error);
    if (status != CAROM_OK)
        carom_sampler_free(s);
    else
        *sampler = s;
    return status;
}

void carom_sampler_free(carom_sampler *s)
{
    if (!s)
        return;
    carom_reactions_free(s->reactions);
    carom_arena_free(s->arena);
    free(s);
}

const carom_model *carom_sampler_model(const carom_sampler *s)
{
    return s->model;
}

double carom_sampler_next(const carom_sampler *s, double t)
{
    double k = s->every > 0 ? floor((t - s->t0) / s->every + 1e-9) + 1 : 0;
    return s->every > 0 ? s->t0 + k * s->every : INFINITY;
}

bool carom_sampler_begins(const carom_sampler *s, const carom_segment *g)
{
    return g->t0 <= s->t0 && g->t0 < g->t1;
}

const carom_row_layout *carom_sampler_layout(const carom_sampler *s)
{
    return &s->columns;
}

/* Times closer than this are the same. */
static double resolution(double t0, double t1)
{
    return 8 * DBL_EPSILON * fmax(fabs(t0), fabs(t1));
}

/* Fills in what follows from t, q and v, and hands the row over. */
static void emit(carom_sampler *s, double *row)
{
    const carom_row_layout *c = &s->columns;
    if (s->want) {
        carom_eval at = {.want = s->want, .lanes = 1, .t = row + c->t, .q = row + c->q, .v = row + c->v, .p = s->p,
                         .g = s->gap, .energy = s->energy, .outputs = row + c->outputs};
        s->evaluator->eval(s->model, &at, s->work);
    }
    for (int i = 0; s->bad_output < 0 && i < s->model->noutput; i++)
        if (!isfinite(row[c->outputs + i])) {
            s->bad_output = i;
            memcpy(s->bad_row, row, sizeof(double) * (size_t)c->n);
        }
    for (int i = 0; c->gaps && i < s->model->ncontact; i++)
        row[c->contact[i] - 1] = s->gap[carom_model_link(s->model, i)];
    for (int i = 0; i < s->model->ncontact; i++)
        s->mode_row[i] = (unsigned char)row[c->contact[i]];
    if (s->reactions)
        carom_reactions_at(s->reactions, row[c->t], row + c->q, row + c->v, s->mode_row, row + c->reactions);
    if (c->energy >= 0)
        row[c->energy] = s->energy[0] + s->energy[1];
    s->last_time = row[c->t];
    s->callback(s->user, row);
}

/* offset 0: forces, 1: impulses; values [nrow] or NULL for 0. */
static void put_rows(const carom_sampler *s, double *row, int offset, const double *values)
{
    const carom_model *model = s->model;
    int from = 0;
    for (int j = 0; j < model->njoint; j++, from++)
        row[s->columns.joint + 2 * j + offset] = values ? values[from] : 0;
    for (int i = 0; i < model->ncontact; i++)
        for (int r = 0; r <= model->contact[i].directions; r++, from++)
            row[s->columns.contact[i] + 1 + 2 * r + offset] = values ? values[from] : 0;
}

static void put_modes(const carom_sampler *s, double *row, const unsigned char *mode)
{
    for (int i = 0; i < s->model->ncontact; i++)
        row[s->columns.contact[i]] = mode[i];
}

static void build(const carom_sampler *s, const carom_segment *g, double t, double at, const unsigned char *mode,
                  double *row)
{
    row[s->columns.t] = t;
    row[s->columns.side] = 0;
    carom_segment_at(s->model, g, at, row + s->columns.q, row + s->columns.v);
    put_rows(s, row, 0, g->force);
    put_rows(s, row, 1, NULL);
    put_modes(s, row, mode);
}

static void release(carom_sampler *s)
{
    if (s->held != NOTHING)
        emit(s, s->held_row);
    s->held = NOTHING;
}

static void hold_end(carom_sampler *s, const carom_segment *g, double t)
{
    build(s, g, t, (t - g->t0) / (g->t1 - g->t0), s->mode, s->held_row);
    s->held = NODE;
    s->held_time = g->t1;
}

static void sample_grid(carom_sampler *s, const carom_segment *g, double close)
{
    double t;
    for (; (t = s->t0 + s->k * s->every) < g->t1 - close; s->k++) {
        double at = fmax(0, (t - g->t0) / (g->t1 - g->t0));
        build(s, g, t, at, s->mode_inside, s->row);
        emit(s, s->row);
    }
    if (t <= g->t1 + close) {
        hold_end(s, g, t);
        s->k++;
    }
}

/* An output that was no finite number, with where it was so. */
static carom_status outputs_finite(const carom_sampler *s, carom_error *error)
{
    const carom_row_layout *c = &s->columns;
    char state[120] = "";
    if (s->bad_output < 0)
        return CAROM_OK;
    for (int i = 0, n = 0; i < s->model->nq && n < 80; i++) {
        int more = snprintf(state + n, sizeof state - (size_t)n, "%s%.24s = %.6g", i ? ", " : "", c->name[c->q + i],
                            s->bad_row[c->q + i]);
        n += more;
    }
    CAROM_FAIL(error, CAROM_NOT_FINITE, "output '%s' is %g at t = %.10g (%s)", c->name[c->outputs + s->bad_output],
               s->bad_row[c->outputs + s->bad_output], s->bad_row[c->t], state);
}

carom_status carom_sampler_segment(carom_sampler *s, const carom_segment *g, carom_error *error)
{
    double close = resolution(g->t0, g->t1);
    size_t modes = (size_t)s->model->ncontact;
    if (s->every > 0 && s->every <= 2 * close)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "every = %g is below the resolution of time at t = %g", s->every, g->t1);
    if (s->held == AFTER_JUMP)
        put_rows(s, s->held_row, 0, g->force);
    release(s);
    bool first = !s->started;
    memcpy(s->mode_inside, first && g->mode ? g->mode : s->mode, modes);
    if (first) {
        s->started = true;
        s->t0 = g->t0;
    }
    if (g->mode)
        memcpy(s->mode, g->mode, modes);
    build(s, g, g->t1, 1, s->mode, s->end_row);
    s->end_time = g->t1;
    if (!(g->t1 > g->t0))
        return CAROM_OK;
    if (s->every > 0) {
        sample_grid(s, g, close);
        return outputs_finite(s, error);
    }
    if (first) {
        build(s, g, g->t0, 0, s->mode_inside, s->row);
        emit(s, s->row);
    }
    hold_end(s, g, g->t1);
    return outputs_finite(s, error);
}

void carom_sampler_jump(carom_sampler *s, const carom_jump *j)
{
    const carom_row_layout *c = &s->columns;
    double close = resolution(j->t, j->t);
    bool again = s->held == AFTER_JUMP;
    if (s->held == NODE && fabs(s->held_time - j->t) <= close)
        s->held = NOTHING;
    release(s);
    if (!s->started) {
        s->started = true;
        s->t0 = j->t;
    }
    if (s->every > 0 && fabs(s->t0 + s->k * s->every - j->t) <= close)
        s->k++;
    double *row = s->row;
    memcpy(row, s->end_row, sizeof(double) * (size_t)c->n); /* its forces */
    if (again)
        put_rows(s, row, 0, NULL);
    row[c->t] = j->t;
    row[c->side] = -1;
    memcpy(row + c->q, j->q, sizeof(double) * (size_t)s->model->nq);
    memcpy(row + c->v, j->v_before, sizeof(double) * (size_t)s->model->nv);
    put_rows(s, row, 1, NULL);
    put_modes(s, row, s->mode_inside);
    emit(s, row);
    memcpy(s->held_row, row, sizeof(double) * (size_t)c->n);
    row = s->held_row;
    row[c->side] = 1;
    memcpy(row + c->v, j->v_after, sizeof(double) * (size_t)s->model->nv);
    put_rows(s, row, 0, NULL);
    put_rows(s, row, 1, j->impulse);
    put_modes(s, row, s->mode);
    s->held = AFTER_JUMP;
    s->held_time = s->end_time = j->t;
}

void carom_sampler_end(carom_sampler *s)
{
    if (s->held == NODE) /* may be off by rounding: the last row is not */
        s->held = NOTHING;
    release(s);
    if (s->started && s->end_time > s->last_time) {
        s->end_row[s->columns.t] = s->end_time;
        emit(s, s->end_row);
    }
}

/* ---- where it stands ---- */

typedef struct stand {
    double k, t0, held_time, end_time, last_time;
    int started, held;
} stand;

void carom_sampler_save(const carom_sampler *s, carom_archive *archive)
{
    size_t row = sizeof(double) * (size_t)s->columns.n, modes = (size_t)s->model->ncontact + 1;
    stand at;
    memset(&at, 0, sizeof at);
    at.k = s->k, at.t0 = s->t0, at.held_time = s->held_time, at.end_time = s->end_time, at.last_time = s->last_time;
    at.started = s->started, at.held = (int)s->held;
    carom_archive_put(archive, "sampler", &at, sizeof at);
    carom_archive_put(archive, "held row", s->held_row, row);
    carom_archive_put(archive, "end row", s->end_row, row);
    carom_archive_put(archive, "modes", s->mode, modes);
    carom_archive_put(archive, "modes inside", s->mode_inside, modes);
}

static bool get(const carom_archive *archive, const char *name, void *to, size_t length)
{
    const void *from = carom_archive_find(archive, name, &length);
    if (from)
        memcpy(to, from, length);
    return from != NULL;
}

bool carom_sampler_load(carom_sampler *s, const carom_archive *archive)
{
    size_t row = sizeof(double) * (size_t)s->columns.n, modes = (size_t)s->model->ncontact + 1;
    stand at;
    if (!get(archive, "sampler", &at, sizeof at) || !get(archive, "held row", s->held_row, row) ||
        !get(archive, "end row", s->end_row, row) || !get(archive, "modes", s->mode, modes) ||
        !get(archive, "modes inside", s->mode_inside, modes))
        return false;
    s->k = at.k, s->t0 = at.t0, s->held_time = at.held_time, s->end_time = at.end_time, s->last_time = at.last_time;
    s->started = at.started, s->held = (held_kind)at.held;
    return true;
}
