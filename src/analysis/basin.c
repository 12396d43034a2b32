/* basin.c: the attractor a motion ends on.
 *
 * The state x_k at the k-th strobe has come back after p strobes when |x_k - x_(k-p)| <= tol s. It is periodic with
 * the smallest p for which that holds at max_period strobes in a row. s is the size of the motion so far: with the
 * largest |q| and |v| at strobes, and T between two of them, s_q = max(|q|, |v| T) for positions and s_q / T for
 * velocities. Whatever is not periodic after `most` strobes is called so: chaotic, quasi-periodic, or not yet
 * settled. (A smaller p that holds to 1000 tol is waited for.)
 *
 * Points are put together afterwards, in the order of their indices: one whose last state is close to a state of an
 * attractor of the same period ends there; otherwise it has found a new one, whose orbit is computed by following the
 * point again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/basin.h"
#include "model/model.h"

typedef struct orbit {
    int n;          /* nq + nv */
    double *ring;   /* [CAROM_BASIN_PERIOD + 1][n] the last states */
    long k;         /* strobes so far; x_k is in ring[k mod size] */
    double size;    /* s_q */
    double speed;   /* largest |v| since the last strobe */
    int run[CAROM_BASIN_PERIOD + 1]; /* how often it has come back in a row */
} orbit;

enum { RING = CAROM_BASIN_PERIOD + 1, NEARLY = 1000 };

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static bool close_to(const double *a, const double *b, int nq, int nv, double size, double T, double tol)
{
    for (int i = 0; i < nq + nv; i++)
        if (!(fabs(a[i] - b[i]) <= tol * (i < nq ? size : size / T)))
            return false;
    return true;
}

static void see_segment(void *user, const carom_segment *s)
{
    carom_sweep_worker *w = user;
    orbit *o = w->own;
    int nv = w->model->nv;
    o->speed = fmax(o->speed, largest(s->v, nv));
    double end = 0; /* the polynomial at 1 is the sum of its coefficients */
    for (int i = 0; i < nv; i++) {
        double sum = 0;
        for (int k = s->v_degree; k >= 0; k--)
            sum += s->v[k * nv + i];
        end = fmax(end, fabs(sum));
    }
    o->speed = fmax(o->speed, end);
}

static carom_status attach(carom_sweep_worker *w, carom_error *error)
{
    orbit *o = w->own;
    o->n = w->model->nq + w->model->nv;
    o->ring = calloc((size_t)RING * (size_t)o->n, sizeof *o->ring);
    if (!o->ring)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d states", RING);
    const carom_observer observer = {.size = sizeof observer, .user = w, .segment = see_segment};
    return carom_sim_observe(w->sim, &observer);
}

static void release(carom_sweep_worker *w)
{
    orbit *o = w->own;
    free(o->ring);
}

static void note_state(orbit *o, const carom_model *m, const carom_state *s, double T)
{
    double *x = o->ring + (size_t)(o->k % RING) * (size_t)o->n;
    memcpy(x, s->q, sizeof(double) * (size_t)m->nq);
    memcpy(x + m->nq, s->v, sizeof(double) * (size_t)m->nv);
    o->size = fmax(o->size, fmax(largest(s->q, m->nq), largest(s->v, m->nv) * T));
}

static const double *strobe_before(const orbit *o, int p)
{
    return o->ring + (size_t)((o->k - p) % RING) * (size_t)o->n;
}

/* Counts how often each period has held in a row. */
static void count_returns(orbit *o, const carom_model *m, const carom_basin *b, double T)
{
    for (int p = 1; p <= b->max_period && p <= o->k; p++)
        o->run[p] =
            close_to(strobe_before(o, 0), strobe_before(o, p), m->nq, m->nv, o->size, T, b->tol) ? o->run[p] + 1 : 0;
}

/* The smallest period that has held long enough; 0: none yet. A motion that swings into a fixed point comes back
 * after two strobes before it does after one: a smaller period that nearly holds is waited for, if there is time. */
static int find_period(const orbit *o, const carom_model *m, const carom_basin *b, double T, bool last)
{
    for (int p = 1; p <= b->max_period && p <= o->k; p++) {
        if (o->run[p] >= CAROM_MAX(b->max_period, 8))
            return p;
        if (!last && close_to(strobe_before(o, 0), strobe_before(o, p), m->nq, m->nv, o->size, T, NEARLY * b->tol))
            return 0;
    }
    return 0;
}

static carom_status point(carom_sweep_worker *w, double *value, carom_error *error)
{
    const carom_basin *b = w->sweep->task;
    const carom_model *m = w->model;
    orbit *o = w->own;
    const double T = b->strobe > 0 ? b->strobe : m->period;
    int period = CAROM_BASIN_NOT_PERIODIC;
    o->k = 0;
    o->size = o->speed = 0;
    memset(o->run, 0, sizeof o->run);
    note_state(o, m, carom_sim_state(w->sim), T);
    carom_status status = CAROM_OK;
    for (long k = 1; k <= b->most && period == CAROM_BASIN_NOT_PERIODIC && status == CAROM_OK; k++) {
        o->speed = 0;
        status = carom_sweep_worker_advance(w, (double)k * T, error);
        if (status != CAROM_OK && status != CAROM_STOPPED)
            return status;
        o->k++;
        note_state(o, m, carom_sim_state(w->sim), T);
        if (status == CAROM_STOPPED)
            period = CAROM_BASIN_STOPPED;
        else
            count_returns(o, m, b, T);
        if (status == CAROM_OK && k > b->transient)
            period = find_period(o, m, b, T, k == b->most);
    }
    value[0] = period;
    value[1] = (double)o->k;
    value[2] = o->size;
    value[3] = o->speed;
    memcpy(value + CAROM_BASIN_FIRST, o->ring + (size_t)(o->k % RING) * (size_t)o->n, sizeof(double) * (size_t)o->n);
    return status;
}

const carom_sweep_method carom_basin_method = {sizeof(orbit), attach, point, release, NULL};

carom_status carom_basin_columns(carom_sweep *s, const carom_model *m, carom_arena *arena, carom_error *error)
{
    static const char *const first[CAROM_BASIN_FIRST] = {"period", "strobes", "size", "speed"};
    char name[32];
    s->ncolumn = CAROM_BASIN_FIRST + m->nq + m->nv;
    if (s->ncolumn > CAROM_SWEEP_COLUMNS)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "basins of at most %d coordinates, not %d",
                   (CAROM_SWEEP_COLUMNS - CAROM_BASIN_FIRST) / 2, m->nq);
    for (int i = 0; i < s->ncolumn; i++) {
        int k = i - CAROM_BASIN_FIRST;
        s->column[i] = k < 0 ? first[i]
                             : carom_arena_format(arena, "%c.%s_end", k < m->nq ? 'q' : 'v',
                                                  carom_model_q_name(m, k % m->nq, name));
        if (!s->column[i])
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for names");
    }
    return CAROM_OK;
}

/* ---- all points ---- */

typedef struct search {
    const carom_sweep *sweep;
    const carom_basin *basin;
    carom_sweep_worker *worker;
    carom_basins *found;
    double size, same, T;
    int room;
} search;

static int match(const search *s, int period, const double *x)
{
    const carom_model *m = s->worker->model;
    for (int a = 0; a < s->found->n; a++)
        for (int k = 0; s->found->attractor[a].period == period && k < period; k++)
            if (close_to(x, s->found->attractor[a].orbit + k * (m->nq + m->nv), m->nq, m->nv, s->size, s->T, s->same))
                return a;
    return -1;
}

/* The orbit of the attractor that the point has found: its last states, from following it again. */
static carom_status add(search *s, long long index, const double *row, carom_error *error)
{
    carom_basins *f = s->found;
    double value[CAROM_SWEEP_COLUMNS];
    carom_sweep_row again = {.index = index, .value = value};
    if (f->n == s->room) {
        int room = 2 * s->room + 16;
        carom_attractor *bigger = realloc(f->attractor, sizeof *bigger * (size_t)room);
        if (!bigger)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d attractors", room);
        f->attractor = bigger, s->room = room;
    }
    if (!carom_sweep_worker_run(s->worker, &again))
        return CAROM_INTERRUPTED;
    if (memcmp(value, row, sizeof(double) * (size_t)s->sweep->ncolumn) != 0)
        CAROM_FAIL(error, CAROM_FILE, "point %lld does not come out again as it was recorded: another build of carom?",
                   index);
    const orbit *o = s->worker->own;
    carom_attractor *a = &f->attractor[f->n];
    *a = (carom_attractor){.period = (int)row[0], .first = index};
    a->rest = a->period == 1 && row[3] <= 10 * s->basin->tol * row[2] / s->T;
    a->orbit = malloc(sizeof(double) * (size_t)(a->period * o->n));
    if (!a->orbit)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an orbit of period %d", a->period);
    for (int k = 0; k < a->period; k++)
        memcpy(a->orbit + k * o->n, o->ring + (size_t)((o->k - a->period + 1 + k) % RING) * (size_t)o->n,
               sizeof(double) * (size_t)o->n);
    f->n++;
    return CAROM_OK;
}

static carom_status place(search *s, long long index, const double *row, carom_error *error)
{
    carom_basins *f = s->found;
    int period = (int)row[0], a = period > 0 ? match(s, period, row + CAROM_BASIN_FIRST) : -1;
    if (period > 0 && a < 0) {
        CAROM_TRY(add(s, index, row, error));
        a = f->n - 1;
    }
    f->owner[index] = period > 0 ? a : period == CAROM_BASIN_STOPPED ? -3 : -2;
    if (period > 0)
        f->attractor[a].count++;
    f->not_periodic += period == CAROM_BASIN_NOT_PERIODIC;
    f->stopped += period == CAROM_BASIN_STOPPED;
    return CAROM_OK;
}

static carom_status find(search *s, const double *rows, const unsigned char *there, carom_error *error)
{
    carom_basins *f = s->found;
    const long long n = s->sweep->points;
    const int ncolumn = s->sweep->ncolumn;
    for (long long i = 0; i < n; i++)
        if (there[i] && !isnan(rows[i * ncolumn]))
            s->size = fmax(s->size, rows[i * ncolumn + 2]);
    for (long long i = 0; i < n; i++) {
        f->owner[i] = -1;
        f->missing += !there[i];
        f->failed += there[i] && isnan(rows[i * ncolumn]);
        if (there[i] && !isnan(rows[i * ncolumn]))
            CAROM_TRY(place(s, i, rows + i * ncolumn, error));
    }
    for (long long i = 0; i < n; i++) /* now the number of attractors is known */
        if (f->owner[i] < -1)
            f->owner[i] = f->n + (f->owner[i] == -3);
    return CAROM_OK;
}

carom_status carom_basins_new(carom_basins *basins, long long points, carom_error *error)
{
    *basins = (carom_basins){.owner = malloc(sizeof(int) * (size_t)points)};
    if (!basins->owner)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %lld points", points);
    return CAROM_OK;
}

carom_status carom_basins_find(carom_basins *basins, const carom_sweep *sweep, const double *rows,
                               const unsigned char *there, double same, carom_error *error)
{
    search s = {.sweep = sweep, .basin = sweep->task, .found = basins, .same = same};
    carom_status status = carom_sweep_worker_new(&s.worker, sweep, error);
    if (status == CAROM_OK) {
        s.T = s.basin->strobe > 0 ? s.basin->strobe : s.worker->model->period;
        status = find(&s, rows, there, error);
    }
    carom_sweep_worker_free(s.worker);
    return status;
}

void carom_basins_free(carom_basins *basins)
{
    for (int a = 0; a < basins->n; a++)
        free(basins->attractor[a].orbit);
    free(basins->attractor);
    free(basins->owner);
    *basins = (carom_basins){0};
}
