/* orbit.c: a periodic orbit as a fixed point of the return map, by Newton's method.
 *
 *     P(x) - x = 0,   x + B c :      (D - B) c = x - P(x)                                                      (1)
 * with D = (DP) B. The period is k T(p) for a forced model. An autonomous one has the period as a further unknown, and
 * a phase condition, since every point of the orbit solves (1):
 *     (D - B) c + f(x(T)) dT = x - P(x),     f(x)^T B c = 0                                                     (2)
 * Parameters move the map directly and through the period:
 *     P_p = dP/dp + f(x(T)) k dT/dp                                                                             (3)
 *     dx/dp = B c,  (D - B) c = -P_p                                                                            (4)
 * A motion that repeats up to a symmetry has coordinates r with P(x)_r = x_r + s_r. Where the motion does not depend on
 * x_r, s_r is free and the row r of (1) and (2) says nothing; where it repeats in steps d_r of x_r (an angle, the
 * spokes of a wheel), s_r is the nearest multiple of d_r:
 *     row r of (1): 0 = 0,    or    (D - B)_r c = x_r + s_r - P(x)_r                                            (5)
 * Floquet multipliers are the eigenvalues of B^T D, without the 1 of time and the 1 of each free coordinate. Off the
 * orbit's own directions (closed contacts) they are 0. */
#include "analysis/orbit/orbit.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/eigen.h"

#define FAR 1e8

bool carom_orbit_autonomous(const carom_orbits *o)
{
    return !(o->map.model->period > 0);
}

static carom_status allocate(carom_orbits *o)
{
    const size_t N = (size_t)o->map.N, nb = (size_t)o->map.nb, rows = N + 2, columns = nb + 2;
    const carom_array arrays[] = {{&o->orbit.x, N},
                                  {&o->orbit.x_p, N * (size_t)CAROM_MAX(o->map.np, 1)},
                                  {&o->A, rows * columns},
                                  {&o->b, rows},
                                  {&o->step, columns},
                                  {&o->move, N + 2},
                                  {&o->saved, N + 2},
                                  {&o->work, rows + 3 * columns},
                                  {&o->kept, rows * columns},
                                  {&o->T_p, (size_t)o->map.model->np},
                                  {&o->C, nb * nb}};
    if (!carom_arena_arrays(o->arena, arrays, CAROM_COUNT(arrays)))
        return CAROM_NO_MEMORY;
    o->order = CAROM_NEW(o->arena, int, columns);
    o->H = CAROM_NEW(o->arena, double complex, nb * nb);
    o->orbit.multiplier = CAROM_NEW(o->arena, double complex, nb);
    return o->order && o->H && o->orbit.multiplier ? CAROM_OK : CAROM_NO_MEMORY;
}

carom_status carom_orbits_new(carom_orbits *o, const carom_model *model, const carom_options *options, const int *which,
                              int np, carom_error *error)
{
    *o = (carom_orbits){.multiple = 1, .iterations = 30, .arena = carom_arena_new(0)};
    carom_status status = o->arena ? carom_return_map_new(&o->map, model, options, which, np, error) : CAROM_NO_MEMORY;
    if (status == CAROM_OK && allocate(o) != CAROM_OK)
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for orbits of %d dimensions", o->map.N);
    if (status != CAROM_OK) {
        carom_orbits_free(o);
        return status;
    }
    o->tolerance = fmax(100 * options->rtol, 1e-13);
    memcpy(o->orbit.x, model->q, sizeof(double) * (size_t)model->nq);
    if (model->v)
        memcpy(o->orbit.x + model->nq, model->v, sizeof(double) * (size_t)model->nv);
    return CAROM_OK;
}

void carom_orbits_free(carom_orbits *o)
{
    carom_return_map_free(&o->map);
    carom_arena_free(o->arena);
    *o = (carom_orbits){0};
}

/* ---- symmetry ---- */

carom_status carom_orbit_relative(carom_orbits *o, const char *const *names, const double *steps, int n,
                                  carom_error *error)
{
    const carom_model *m = o->map.model;
    char buffer[32];
    const carom_array arrays[] = {{&o->relative_step, (size_t)n}, {&o->shift, (size_t)n}};
    o->relative = CAROM_NEW(o->arena, int, n);
    if (!o->relative || !carom_arena_arrays(o->arena, arrays, CAROM_COUNT(arrays)))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d relative coordinates", n);
    for (int k = 0; k < n; k++) {
        CAROM_NEED(names[k], error);
        int i = 0;
        while (i < m->nq && strcmp(carom_model_q_name(m, i, buffer), names[k]) != 0)
            i++;
        if (i == m->nq || carom_orbit_relative_to(o, i) >= 0)
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' is no coordinate of the model '%s', or is named twice",
                       names[k], m->name);
        o->relative[k] = i;
        o->relative_step[k] = steps ? fabs(steps[k]) : 0;
        o->nrelative = k + 1;
    }
    return CAROM_OK;
}

int carom_orbit_relative_to(const carom_orbits *o, int i)
{
    for (int k = 0; k < o->nrelative; k++)
        if (o->relative[k] == i)
            return k;
    return -1;
}

/* (5): the i-th entry of x - P(x), up to the shift of its coordinate; *counts: does its row say something? */
static double off(carom_orbits *o, int i, bool *counts)
{
    const int k = carom_orbit_relative_to(o, i);
    const double moved = o->map.end[i] - o->orbit.x[i];
    *counts = k < 0 || o->relative_step[k] > 0;
    if (k < 0)
        return -moved;
    const double step = o->relative_step[k];
    o->shift[k] = step > 0 ? step * round(moved / step) : moved;
    return o->shift[k] - moved;
}

/* Does the motion depend on a coordinate that is said to be free? Its column of DP is then more than itself. */
static carom_status check_free(const carom_orbits *o, carom_error *error)
{
    const carom_return_map *map = &o->map;
    const int nb = map->nb, n = nb + map->np;
    char buffer[32];
    for (int k = 0; k < o->nrelative; k++) {
        const double *along = map->B + o->relative[k] * nb;
        double change = 0, size = 1;
        for (int i = 0; i < map->N && !(o->relative_step[k] > 0); i++) {
            const int r = carom_orbit_relative_to(o, i);
            double sum = 0;
            for (int j = 0; j < nb; j++) {
                sum += (map->D[i * n + j] - map->B[i * nb + j]) * along[j];
                size = fmax(size, fabs(map->D[i * n + j]));
            }
            if (r < 0 || o->relative_step[r] > 0)
                change = fmax(change, fabs(sum));
        }
        if (change > 1e-6 * size)
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                       "the motion depends on '%s' (by %.1e): it does not repeat up to any shift of it; if it does "
                       "up to "
                       "steps, give them, as %s=2*pi", carom_model_q_name(map->model, o->relative[k], buffer), change,
                       carom_model_q_name(map->model, o->relative[k], buffer));
    }
    return CAROM_OK;
}

static int free_count(const carom_orbits *o)
{
    int n = 0;
    for (int k = 0; k < o->nrelative; k++)
        n += !(o->relative_step[k] > 0);
    return n;
}

static double scale(const carom_orbits *o)
{
    return 1 + carom_norm_max(o->map.N, o->orbit.x);
}

/* (3) for the k-th parameter of the map */
static double parameter_slope(const carom_orbits *o, int i, int k)
{
    const carom_return_map *map = &o->map;
    double direct = map->D[i * (map->nb + map->np) + map->nb + k];
    return carom_orbit_autonomous(o) ? direct : direct + map->flow[i] * o->multiple * o->T_p[map->which[k]];
}

carom_status carom_orbit_linearize(carom_orbits *o, bool varied, carom_error *error)
{
    carom_return_map *map = &o->map;
    const bool autonomous = carom_orbit_autonomous(o);
    const int N = map->N, nb = map->nb, n = nb + map->np, columns = nb + autonomous + varied;
    double period = carom_model_period(map->model, map->p, o->T_p);
    if (!autonomous)
        o->orbit.T = o->multiple * period;
    CAROM_TRY(carom_return_map_apply(map, o->orbit.x, o->orbit.T, error));
    o->rows = N, o->columns = columns;
    o->orbit.residual = 0;
    for (int i = 0; i < N; i++) { /* (1), (2) */
        double *row = o->A + i * columns;
        bool counts;
        o->b[i] = off(o, i, &counts);
        memset(row, 0, sizeof *row * (size_t)columns);
        if (!counts) /* (5) */
            continue;
        for (int k = 0; k < nb; k++)
            row[k] = map->D[i * n + k] - map->B[i * nb + k];
        if (autonomous)
            row[nb] = map->flow[i];
        if (varied)
            row[nb + autonomous] = parameter_slope(o, i, 0);
        o->orbit.residual = fmax(o->orbit.residual, fabs(o->b[i]));
    }
    if (autonomous) {
        double *row = o->A + o->rows * columns;
        memset(row, 0, sizeof *row * (size_t)columns);
        for (int k = 0; k < o->nrelative; k++) /* what is free stays where it is: the phase is that of the others */
            if (!(o->relative_step[k] > 0))
                map->departure[o->relative[k]] = 0;
        carom_multiply_t(N, nb, map->B, map->departure, row);
        o->b[o->rows++] = 0;
    }
    if (!isfinite(o->orbit.residual))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the return map is not finite");
    return CAROM_OK;
}

void carom_orbit_solve(carom_orbits *o)
{
    const carom_return_map *map = &o->map;
    carom_least_squares(o->rows, o->columns, o->A, o->b, o->step, 1e-13, o->work, o->order);
    for (int i = 0; i < map->N; i++)
        o->move[i] = carom_dot(map->nb, map->B + i * map->nb, o->step);
    for (int k = map->nb; k < o->columns; k++)
        o->move[map->N + k - map->nb] = o->step[k];
}

carom_status carom_orbit_correct(carom_orbits *o, double part, bool varied, carom_error *error)
{
    carom_return_map *map = &o->map;
    const bool autonomous = carom_orbit_autonomous(o);
    for (int i = 0; i < map->N; i++)
        o->orbit.x[i] += part * o->move[i];
    if (autonomous)
        o->orbit.T += part * o->move[map->N];
    if (varied)
        map->p[map->which[0]] += part * o->move[map->N + autonomous];
    return carom_return_map_assemble(map, o->orbit.x, error);
}

/* ---- after convergence ---- */

static void drop_trivial(carom_orbit *orbit)
{
    int nearest = 0;
    for (int i = 1; i < orbit->nmultiplier; i++)
        if (cabs(orbit->multiplier[i] - 1) < cabs(orbit->multiplier[nearest] - 1))
            nearest = i;
    for (int i = nearest; i + 1 < orbit->nmultiplier; i++)
        orbit->multiplier[i] = orbit->multiplier[i + 1];
    orbit->nmultiplier--;
}

carom_status carom_orbit_multipliers(carom_orbits *o, carom_error *error)
{
    const carom_return_map *map = &o->map;
    int nb = map->nb, n = nb + map->np;
    memset(o->C, 0, sizeof *o->C * (size_t)(nb * nb));
    for (int i = 0; i < nb; i++)
        for (int j = 0; j < nb; j++)
            for (int k = 0; k < map->N; k++)
                o->C[i * nb + j] += map->B[k * nb + i] * map->D[k * n + j];
    if (!carom_eigenvalues(nb, o->C, o->H, o->orbit.multiplier))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED, "the Floquet multipliers could not be computed");
    o->orbit.nmultiplier = nb;
    for (int k = carom_orbit_autonomous(o) + free_count(o); k > 0 && o->orbit.nmultiplier > 0; k--)
        drop_trivial(&o->orbit);
    o->orbit.stable = o->orbit.nmultiplier == 0 || cabs(o->orbit.multiplier[0]) < 1;
    o->orbit.passage = map->passage;
    o->orbit.flags = carom_tangent_report(map->tangent)->flags;
    if (map->np)
        o->orbit.parameter = map->p[map->which[0]];
    return CAROM_OK;
}

/* (4), with the system that the last map left */
static void sensitivity(carom_orbits *o)
{
    const carom_return_map *map = &o->map;
    const size_t size = sizeof *o->A * (size_t)(o->rows * o->columns);
    memcpy(o->kept, o->A, size);
    for (int k = 0; k < map->np; k++) {
        memcpy(o->A, o->kept, size);
        memset(o->b, 0, sizeof *o->b * (size_t)o->rows);
        for (int i = 0; i < map->N; i++) {
            const int r = carom_orbit_relative_to(o, i);
            o->b[i] = r < 0 || o->relative_step[r] > 0 ? -parameter_slope(o, i, k) : 0;
        }
        carom_orbit_solve(o);
        for (int i = 0; i < map->N; i++)
            o->orbit.x_p[i * map->np + k] = o->move[i];
    }
}

/* ---- Newton ---- */

static void keep(carom_orbits *o)
{
    carom_copy(o->map.N, o->orbit.x, o->saved);
    o->saved[o->map.N] = o->orbit.T;
}

static void go_back(carom_orbits *o)
{
    carom_copy(o->map.N, o->saved, o->orbit.x);
    o->orbit.T = o->saved[o->map.N];
}

/* A full step, or shorter ones while the residual grows or the map cannot be applied. */
static carom_status damped_step(carom_orbits *o, carom_error *error)
{
    const double before = o->orbit.residual;
    keep(o);
    carom_orbit_solve(o);
    for (double part = 1; part > 0.02; part /= 2) {
        carom_status status = carom_orbit_correct(o, part, false, error);
        if (status == CAROM_OK && o->orbit.T > 0.1 * o->saved[o->map.N])
            status = carom_orbit_linearize(o, false, error);
        if (status == CAROM_OK && o->orbit.residual <= fmax(2 * before, o->tolerance * scale(o)))
            return CAROM_OK;
        go_back(o);
    }
    CAROM_FAIL(error, CAROM_NOT_CONVERGED,
               "Newton's method on the return map stops at |P(x) - x| = %.3g: try a longer transient, another "
               "multiple of "
               "the period, or name the coordinates that drift as relative", before);
}

/* Where Newton's method ends without an orbit: at rest, which has every period, or far away, where |P(x) - x| is
 * small beside |x|. */
static carom_status reject(const carom_orbits *o, double scale0, double T0, carom_error *error)
{
    const double speed = carom_norm_max(o->map.N, o->map.departure);
    if (!(scale(o) <= FAR * scale0))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "no periodic orbit near the start: Newton's method has gone to |x| = %.3g", scale(o));
    if (carom_orbit_autonomous(o) && speed * fmax(o->orbit.T, T0) <= 10 * o->tolerance * scale(o))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "the motion rests there: an equilibrium (|v|, |a| up to %.1e), not a periodic orbit", speed);
    if (carom_orbit_autonomous(o) && speed * o->orbit.T <= 10 * o->tolerance * scale(o))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "no periodic orbit near the start: Newton's method has led to the period %.3g", o->orbit.T);
    return CAROM_OK;
}

carom_status carom_orbit_find(carom_orbits *o, carom_error *error)
{
    carom_orbit *orbit = &o->orbit;
    const double scale0 = scale(o), T0 = orbit->T;
    if (!(carom_orbit_autonomous(o) ? orbit->T > 0 : o->multiple > 0))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a model without a period needs a guess of the orbit's period");
    CAROM_TRY(carom_return_map_assemble(&o->map, orbit->x, error));
    CAROM_TRY(carom_orbit_linearize(o, false, error));
    bool polished = false;
    for (orbit->iterations = 0; !polished; orbit->iterations++) {
        if (orbit->iterations == o->iterations)
            CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                       "no periodic orbit after %d steps of Newton's method: |P(x) - x| = %.3g; try a longer "
                       "transient, "
                       "another multiple of the period, or name the coordinates that drift as relative", o->iterations,
                       orbit->residual);
        polished = orbit->residual <= o->tolerance * scale(o);
        CAROM_TRY(damped_step(o, error));
    }
    CAROM_TRY(reject(o, scale0, T0, error));
    CAROM_TRY(check_free(o, error));
    sensitivity(o);
    return carom_orbit_multipliers(o, error);
}
