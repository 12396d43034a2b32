/* norms_path.c: motions as pieces of polynomials in time, recorded from a simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge/norms.h"
#include "model/model.h"
#include "sim/sim.h"

carom_status carom_path_new(carom_path **path, int nq, int nv, int ni, carom_error *error)
{
    carom_path *p = calloc(1, sizeof *p);
    *path = NULL;
    if (p) {
        *p = (carom_path){.nq = nq, .nv = nv, .ni = ni, .n = nq + nv + ni, .arena = carom_arena_new(CAROM_PATH_BYTES)};
        p->end = p->arena ? CAROM_NEW(p->arena, double, p->n) : NULL;
        p->work = p->end ? CAROM_NEW(p->arena, double, 2 * p->n) : NULL;
    }
    if (!p || !p->work) {
        carom_path_free(p);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a path");
    }
    *path = p;
    return CAROM_OK;
}

void carom_path_free(carom_path *path)
{
    if (!path)
        return;
    carom_arena_free(path->arena);
    free(path->piece);
    free(path);
}

double *carom_path_add(carom_path *path, double t0, double t1, int degree)
{
    if (path->npiece == path->room) {
        size_t room = path->room ? 2 * path->room : 256;
        carom_piece *piece = realloc(path->piece, sizeof *piece * room);
        if (!piece) {
            path->full = true;
            return NULL;
        }
        path->piece = piece, path->room = room;
    }
    double *c = CAROM_NEW(path->arena, double, (degree + 1) * path->n);
    if (!c) {
        path->full = true;
    } else if (t1 > t0) {
        path->piece[path->npiece] = (carom_piece){t0, t1, degree, (long)path->npiece, c};
        path->npiece++;
    }
    return c;
}

double carom_path_end(const carom_path *path)
{
    return path->npiece ? path->piece[path->npiece - 1].t1 : 0;
}

void carom_piece_at(const carom_piece *piece, int n, double s, double *x)
{
    const double *c = piece->c;
    for (int i = 0; i < n; i++) {
        double sum = c[piece->degree * n + i];
        for (int k = piece->degree - 1; k >= 0; k--)
            sum = sum * s + c[k * n + i];
        x[i] = sum;
    }
}

void carom_path_at(const carom_path *path, double t, int side, size_t *near, double *x)
{
    const carom_piece *p = path->piece;
    size_t last = path->npiece - 1, k = CAROM_MIN(*near, last);
    if (t < p[k].t0 || t > p[k].t1) { /* the first that ends at or after t */
        size_t low = 0, high = last;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (p[middle].t1 < t)
                low = middle + 1;
            else
                high = middle;
        }
        k = low;
    }
    while (side < 0 && k > 0 && p[k - 1].t1 >= t)
        k--;
    while (side >= 0 && k < last && p[k].t1 <= t)
        k++;
    *near = k;
    if (side >= 0 && k == last && t >= p[k].t1)
        memcpy(x, path->end, sizeof(double) * (size_t)path->n);
    else
        carom_piece_at(&p[k], path->n, (t - p[k].t0) / (p[k].t1 - p[k].t0), x);
}

double carom_path_size(const carom_path *path, int first, int count)
{
    double most = 0;
    for (size_t k = 0; k < path->npiece; k++)
        for (int i = first; i < first + count; i++) {
            double sum = 0;
            for (int m = 0; m <= path->piece[k].degree; m++)
                sum += fabs(path->piece[k].c[m * path->n + i]);
            most = fmax(most, sum);
        }
    return most;
}

/* ---- recording ---- */

/* Positions that are no vectors have no powers of s: those of the polynomial through FIT + 1 of them, into c. */
enum { FIT = 7 };
static void fit(const carom_path *p, const carom_segment *s, double *c)
{
    int n = p->n;
    for (int k = 0; k <= FIT; k++) /* entries of v are free as yet */
        carom_segment_at(p->sim->model, s, (double)k / FIT, c + k * n, c + k * n + p->nq);
    for (int i = 0; i < p->nq; i++) {
        for (int m = 1; m <= FIT; m++)
            for (int k = FIT; k >= m; k--)
                c[k * n + i] = (c[k * n + i] - c[(k - 1) * n + i]) * FIT / m;
        for (int m = FIT - 1; m >= 0; m--)
            for (int k = m; k < FIT; k++)
                c[k * n + i] -= c[(k + 1) * n + i] * m / FIT;
    }
    for (int k = 0; k <= FIT; k++)
        memset(c + k * n + p->nq, 0, sizeof(double) * (size_t)p->nv);
}

static void positions(const carom_path *p, const carom_segment *s, double *c)
{
    size_t bytes = sizeof(double) * (size_t)p->nq;
    if (p->sim->model->manifold) {
        fit(p, s, c);
        return;
    }
    memcpy(c, s->q0, bytes);
    for (int k = 1; k <= s->q_degree; k++)
        memcpy(c + k * p->n, s->xi + (k - 1) * p->nq, bytes);
}

static void on_segment(void *user, const carom_segment *s)
{
    carom_path *p = user;
    int nq = p->nq, nv = p->nv, n = p->n, degree = CAROM_MAX(CAROM_MAX(s->q_degree, s->v_degree), 1);
    if (p->sim->model->manifold)
        degree = CAROM_MAX(degree, FIT);
    if (s->force_at)
        degree = CAROM_MAX(degree, s->force_degree + 1);
    double h = s->t1 - s->t0, *c = p->full ? NULL : carom_path_add(p, s->t0, s->t1, degree), *i = p->end + nq + nv;
    if (!c || (p->stop && p->stop->asked && p->stop->asked(p->stop->user)))
        carom_sim_interrupt(p->sim);
    if (!c)
        return;
    positions(p, s, c);
    for (int k = 0; k <= s->v_degree; k++)
        memcpy(c + k * n + nq, s->v + k * nv, sizeof(double) * (size_t)nv);
    for (int r = 0; r < p->ni; r++) {
        c[nq + nv + r] = i[r], c[n + nq + nv + r] = h * s->force[r];
        for (int k = 0; s->force_at && k <= s->force_degree; k++)
            c[(k + 1) * n + nq + nv + r] = h * s->force_at[k * p->ni + r] / (k + 1);
        i[r] += h * s->force[r];
    }
    if (h > 0)
        p->piece[p->npiece - 1].step = carom_sim_info(p->sim)->steps;
}

static void on_jump(void *user, const carom_jump *j)
{
    carom_path *p = user;
    for (int r = 0; r < p->ni; r++)
        p->end[p->nq + p->nv + r] += j->impulse[r];
}

carom_status carom_path_observe(carom_path *path, carom_sim *sim, carom_error *error)
{
    const carom_observer observer = {.size = sizeof observer, .user = path, .segment = on_segment, .jump = on_jump};
    path->sim = sim;
    if (carom_sim_observe(sim, &observer) != CAROM_OK)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%s", carom_sim_error(sim)->text);
    return CAROM_OK;
}

static carom_status follow(carom_path *path, carom_sim *sim, carom_info *info, carom_error *error)
{
    CAROM_TRY(carom_path_observe(path, sim, error));
    carom_status status = carom_sim_run(sim, carom_sim_options(sim)->t_end);
    const carom_state *s = carom_sim_state(sim);
    if (info)
        *info = *carom_sim_info(sim);
    path->sim = NULL;
    if (path->full)
        CAROM_FAIL(error, CAROM_NO_MEMORY,
                   "no memory to record more than %zu segments, until t = %.6g: the step is too small", path->npiece,
                   carom_path_end(path));
    if (status == CAROM_INTERRUPTED)
        CAROM_FAIL(error, status, "interrupted at t = %.6g", s->t);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        CAROM_FAIL(error, status, "%s", carom_sim_error(sim)->text);
    memcpy(path->end, s->q, sizeof(double) * (size_t)path->nq);
    memcpy(path->end + path->nq, s->v, sizeof(double) * (size_t)path->nv);
    if (path->npiece == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the run ends where it starts: there is nothing to compare");
    return CAROM_OK;
}

carom_status carom_path_run(carom_path **path, const carom_model *model, const carom_options *options,
                            const carom_stop *stop, carom_info *info, carom_error *error)
{
    carom_sim *sim = NULL;
    *path = NULL;
    CAROM_TRY(carom_sim_new(&sim, model, options, error));
    carom_status status = carom_path_new(path, model->nq, model->nv, carom_model_rows(model), error);
    if (status == CAROM_OK) {
        (*path)->stop = stop;
        status = follow(*path, sim, info, error);
    }
    carom_sim_free(sim);
    if (status != CAROM_OK) {
        carom_path_free(*path);
        *path = NULL;
    }
    return status;
}

carom_status carom_path_nodes(carom_path **nodes, const carom_path *path, bool hold, carom_error *error)
{
    carom_path *to;
    int n = path->n, nq = path->nq;
    double *x = path->work, *y = path->work + n;
    CAROM_TRY(carom_path_new(nodes, nq, path->nv, path->ni, error));
    to = *nodes;
    for (size_t k = 0, first = 0, near = 0; k < path->npiece; k++) {
        const carom_piece *a = &path->piece[first], *b = &path->piece[k];
        if (k + 1 < path->npiece && path->piece[k + 1].step == a->step)
            continue;
        double *c = carom_path_add(to, a->t0, b->t1, 1);
        if (!c) {
            carom_path_free(to);
            *nodes = NULL;
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a path of %zu steps", k);
        }
        carom_piece_at(a, n, 0, x);
        carom_path_at(path, b->t1, 1, &near, y);
        for (int i = 0; i < n; i++) {
            c[i] = i < nq || hold ? x[i] : y[i];
            c[n + i] = i < nq ? y[i] - x[i] : 0;
        }
        first = k + 1;
    }
    memcpy(to->end, path->end, sizeof(double) * (size_t)n);
    return CAROM_OK;
}
