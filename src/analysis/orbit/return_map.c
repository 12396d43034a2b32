/* return_map.c: the flow over a given time, x -> P(x), with DP from the tangent flow.
 *
 * With joints x lives on g(q) = 0, G v + w = 0, whose tangent space at x is spanned by the columns of B:
 *     [ G    0 ] B = 0                                                                                          (1)
 *     [ U_q  G ]
 * A change c of x is then B c, and D = (DP) B. */
#include "analysis/orbit/return_map.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"

/* ---- what happens on the way ---- */

static void evaluate(carom_return_map *map, const carom_segment *segment, double s)
{
    carom_probe *probe = &map->probe;
    probe->t = segment->t0 + s * (segment->t1 - segment->t0);
    carom_segment_at(map->model, segment, s, probe->q, probe->v);
    carom_probe_eval(probe);
}

static double gap_rate(const carom_return_map *map, int contact)
{
    int row = carom_model_link_row(map->model, carom_model_link(map->model, contact)), nv = map->model->nv;
    return carom_dot(nv, map->probe.at.G + row * nv, map->probe.v) + map->probe.at.w[row];
}

/* A gap that falls and then rises within the segment: its minimum. */
static void turning_point(carom_return_map *map, const carom_segment *segment, int contact)
{
    carom_passage *passage = &map->passage;
    double low = 0, high = 1;
    for (int k = 0; k < 60 && high - low > 1e-15; k++) {
        double middle = 0.5 * (low + high);
        evaluate(map, segment, middle);
        *(gap_rate(map, contact) < 0 ? &low : &high) = middle;
    }
    double g = map->probe.at.g[carom_model_link(map->model, contact)];
    if (g < passage->nearest) {
        passage->nearest = g;
        passage->nearest_contact = contact;
        passage->nearest_time = map->probe.t;
    }
}

static void on_segment(void *user, const carom_segment *segment)
{
    carom_return_map *map = user;
    const carom_model *m = map->model;
    for (int i = 0; i < m->nv; i++) { /* at the end: if this is the last segment */
        double slope = 0;
        for (int k = 1; k <= segment->v_degree; k++)
            slope += k * segment->v[k * m->nv + i];
        map->flow[m->nq + i] = slope / (segment->t1 - segment->t0);
        if (segment->t0 == 0)
            map->departure[m->nq + i] = segment->v[m->nv + i] / segment->t1;
    }
    for (int c = 0; c < m->ncontact; c++) {
        if (segment->mode[c] != CAROM_OPEN)
            continue;
        evaluate(map, segment, 0);
        bool falls = gap_rate(map, c) < 0 && map->probe.at.g[carom_model_link(m, c)] > 0;
        evaluate(map, segment, 1);
        if (falls && gap_rate(map, c) > 0)
            turning_point(map, segment, c);
    }
}

static void on_event(void *user, const carom_event *event)
{
    carom_return_map *map = user;
    carom_passage *passage = &map->passage;
    passage->events++;
    passage->sequence =
        (passage->sequence ^ (unsigned long)(event->contact * CAROM_EVENT_TYPES + (int)event->type + 1)) *
        1099511628211ul;
    if (event->type != CAROM_EVENT_IMPACT)
        return;
    double speed = event->u_before[0];
    if (passage->impacts < CAROM_PASSAGE_IMPACTS) {
        passage->impact[passage->impacts].contact = event->contact;
        passage->impact[passage->impacts].t = event->t;
        passage->impact[passage->impacts].speed = speed;
    }
    passage->impacts++;
    if (fabs(speed) < passage->slowest) {
        passage->slowest = fabs(speed);
        passage->slowest_contact = event->contact;
        passage->slowest_time = event->t;
    }
}

/* ---- set-up ---- */

static carom_status allocate(carom_return_map *map)
{
    const carom_model *m = map->model;
    const size_t N = (size_t)map->N, n = (size_t)(map->nb + map->np), np = (size_t)m->np;
    const carom_array arrays[] = {{&map->p, np},
                                  {&map->B, N * (size_t)map->nb},
                                  {&map->end, N},
                                  {&map->D, N * n},
                                  {&map->flow, N},
                                  {&map->departure, N},
                                  {&map->start_columns, N * n},
                                  {&map->start_p, np * n},
                                  {&map->scratch, N * N}};
    if (!carom_arena_arrays(map->arena, arrays, CAROM_COUNT(arrays)))
        return CAROM_NO_MEMORY;
    memcpy(map->p, m->p, sizeof(double) * np);
    return CAROM_OK;
}

carom_status carom_return_map_new(carom_return_map *map, const carom_model *model, const carom_options *options,
                                  const int *which, int np, carom_error *error)
{
    CAROM_TRY(carom_manifold_refuse(model, "a return map", error));
    *map = (carom_return_map){.model = model, .N = model->nq + model->nv, .np = np, .which = which};
    map->nb = map->N - 2 * model->njoint;
    map->arena = carom_arena_new(0);
    const carom_observer observer = {.size = sizeof observer, .user = map, .segment = on_segment, .event = on_event};
    carom_status status = map->arena ? allocate(map) : CAROM_NO_MEMORY;
    if (status != CAROM_OK)
        carom_fail(error, status, "no memory for a map of %d dimensions", map->N);
    if (status == CAROM_OK)
        status = carom_probe_new(&map->probe, model, CAROM_GAP | CAROM_JACOBIAN | CAROM_U_Q, error);
    if (status == CAROM_OK)
        status = carom_sim_new(&map->sim, model, options, error);
    if (status == CAROM_OK)
        status = carom_tangent_new(&map->tangent, map->sim, map->nb + np, error);
    if (status == CAROM_OK)
        status = carom_sim_observe(map->sim, &observer);
    if (status != CAROM_OK)
        carom_return_map_free(map);
    return status;
}

void carom_return_map_free(carom_return_map *map)
{
    carom_tangent_free(map->tangent);
    carom_sim_free(map->sim);
    carom_probe_free(&map->probe);
    carom_arena_free(map->arena);
    *map = (carom_return_map){0};
}

/* ---- joints ---- */

static void probe_at(carom_return_map *map, const double *x)
{
    const carom_model *m = map->model;
    map->probe.t = 0;
    memcpy(map->probe.q, x, sizeof(double) * (size_t)m->nq);
    memcpy(map->probe.v, x + m->nq, sizeof(double) * (size_t)m->nv);
    memcpy(map->probe.p, map->p, sizeof(double) * (size_t)m->np);
    carom_probe_eval(&map->probe);
}

/* Makes w orthogonal to the n rows before it, twice for the sake of rounding; returns what is left of its length. */
static double orthogonalize(int N, int n, const double *rows, double *w)
{
    double before = sqrt(carom_dot(N, w, w));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            double part = carom_dot(N, rows + k * N, w);
            for (int i = 0; i < N; i++)
                w[i] -= part * rows[k * N + i];
        }
    double after = sqrt(carom_dot(N, w, w));
    for (int i = 0; i < N && after > 0; i++)
        w[i] /= after;
    return before > 0 ? after / before : 0;
}

/* (1): orthonormal rows of the joints, completed by unit vectors; those that add most come first. */
static carom_status basis(carom_return_map *map, const double *x, carom_error *error)
{
    const carom_model *m = map->model;
    int N = map->N, nq = m->nq, nv = m->nv, bound = 2 * m->njoint, n = 0;
    double *rows = map->scratch;
    if (m->njoint)
        probe_at(map, x);
    for (; n < bound; n++) {
        double *row = rows + n * N;
        memset(row, 0, sizeof(double) * (size_t)N);
        memcpy(row + (n % 2 ? nq : 0), map->probe.at.G + n / 2 * nv, sizeof(double) * (size_t)nv);
        if (n % 2)
            memcpy(row, map->probe.at.U_q + n / 2 * nq, sizeof(double) * (size_t)nq);
        if (orthogonalize(N, n, rows, row) < 1e-10)
            CAROM_FAIL(error, CAROM_UNSUPPORTED,
                       "the joints of '%s' depend on each other: periodic orbits need independent ones", m->name);
    }
    for (double least = 0.7; n < N; least /= 2)
        for (int k = 0; k < N && n < N; k++) {
            double *row = rows + n * N;
            memset(row, 0, sizeof(double) * (size_t)N);
            row[k] = 1;
            if (orthogonalize(N, n, rows, row) > least)
                n++;
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < map->nb; k++)
            map->B[i * map->nb + k] = rows[(bound + k) * N + i];
    return CAROM_OK;
}

/* One Newton step of minimal length on each level. */
static void pull(carom_return_map *map, double *x, bool velocity)
{
    const carom_model *m = map->model;
    double A[64 * 64], b[64], dx[64], work[64 * 4];
    int order[64], nj = CAROM_MIN(m->njoint, 64), nv = CAROM_MIN(m->nv, 64);
    probe_at(map, x);
    for (int k = 0; k < nj; k++) {
        memcpy(A + k * nv, map->probe.at.G + k * m->nv, sizeof(double) * (size_t)nv);
        b[k] = velocity ? -carom_dot(nv, map->probe.at.G + k * m->nv, x + m->nq) - map->probe.at.w[k]
                        : -map->probe.at.g[k];
    }
    carom_least_squares(nj, nv, A, b, dx, 1e-12, work, order);
    for (int i = 0; i < nv; i++)
        x[(velocity ? m->nq : 0) + i] += dx[i];
}

carom_status carom_return_map_assemble(carom_return_map *map, double *x, carom_error *error)
{
    const carom_model *m = map->model;
    if (!m->njoint)
        return CAROM_OK;
    if (m->njoint > 64 || m->nv > 64)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "periodic orbits with joints take at most 64 coordinates, not %d", m->nv);
    for (int k = 0; k < 6; k++)
        pull(map, x, false);
    pull(map, x, true);
    return CAROM_OK;
}

/* ---- the map ---- */

static carom_status start_tangent(carom_return_map *map, const double *x, carom_error *error)
{
    int N = map->N, n = map->nb + map->np;
    CAROM_TRY(basis(map, x, error));
    memset(map->start_columns, 0, sizeof(double) * (size_t)(N * n));
    memset(map->start_p, 0, sizeof(double) * (size_t)(map->model->np * n));
    for (int i = 0; i < N; i++)
        memcpy(map->start_columns + i * n, map->B + i * map->nb, sizeof(double) * (size_t)map->nb);
    for (int k = 0; k < map->np; k++)
        map->start_p[map->which[k] * n + map->nb + k] = 1;
    if (carom_tangent_start(map->tangent, map->start_columns, map->start_p) != CAROM_OK)
        CAROM_FAIL(error, carom_tangent_error(map->tangent)->status, "%s", carom_tangent_error(map->tangent)->text);
    return CAROM_OK;
}

carom_status carom_return_map_apply(carom_return_map *map, const double *x, double T, carom_error *error)
{
    const carom_model *m = map->model;
    map->passage =
        (carom_passage){.slowest = INFINITY, .nearest = INFINITY, .slowest_contact = -1, .nearest_contact = -1};
    memcpy(map->probe.p, map->p, sizeof(double) * (size_t)m->np);
    carom_status status = carom_sim_restart(map->sim, x, x + m->nq, map->p);
    if (status == CAROM_OK)
        CAROM_TRY(start_tangent(map, x, error));
    if (status == CAROM_OK)
        status = carom_sim_run(map->sim, T);
    if (status != CAROM_OK)
        CAROM_FAIL(error, status, "%s",
                   status == CAROM_STOPPED ? "the model's stop condition ends the run"
                                           : carom_sim_error(map->sim)->text);
    const carom_state *state = carom_sim_state(map->sim);
    memcpy(map->end, state->q, sizeof(double) * (size_t)m->nq);
    memcpy(map->end + m->nq, state->v, sizeof(double) * (size_t)m->nv);
    memcpy(map->flow, state->v, sizeof(double) * (size_t)m->nv);
    memcpy(map->departure, x + m->nq, sizeof(double) * (size_t)m->nv);
    if (carom_tangent_error(map->tangent)->status != CAROM_OK)
        CAROM_FAIL(error, carom_tangent_error(map->tangent)->status, "%s", carom_tangent_error(map->tangent)->text);
    memcpy(map->D, carom_tangent_columns(map->tangent), sizeof(double) * (size_t)(map->N * (map->nb + map->np)));
    return CAROM_OK;
}
