/* guess.c: where to begin the search for a periodic orbit: on the motion that is left after a transient.
 *
 * An attracting orbit of a forced model is then at hand. An autonomous model also needs a period: with x_0 the state
 * after the transient and f_0 its velocity, the time after which the motion crosses the plane f_0^T (x - x_0) = 0
 * upwards near x_0. */
#include <math.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "core/dense.h"

typedef struct watcher {
    const carom_model *model;
    int N;
    double t0, period;      /* 0: not found yet */
    double *origin, *speed; /* [N] x_0, f_0 */
    double *after;          /* [N] */
    double side, farthest;
    double nearest, best;   /* return so far: how near, beside farthest; after which time */
    const carom_orbits *orbits; /* for the coordinates that do not come back */
} watcher;

/* How far the i-th entry of the state is from where it was, up to the symmetry. */
static double distance_of(const watcher *w, int i)
{
    const double off = w->after[i] - w->origin[i];
    const int k = carom_orbit_relative_to(w->orbits, i);
    if (k < 0)
        return off;
    const double step = w->orbits->relative_step[k];
    return step > 0 ? off - step * round(off / step) : 0;
}

/* At the part s of a segment: on which side of the plane, and how far from x_0. */
static double look(watcher *w, const carom_segment *segment, double s, double *distance)
{
    double side = 0;
    carom_segment_at(w->model, segment, s, w->after, w->after + w->model->nq);
    *distance = 0;
    for (int i = 0; i < w->N; i++) {
        const double off = distance_of(w, i);
        side += w->speed[i] * off;
        *distance = fmax(*distance, fabs(off));
    }
    return side;
}

/* A return is a crossing of the plane, near x_0 beside the size of the motion. On an orbit that attracts it is very
 * near; else the nearest one is taken, an earlier one before one that is not half as far. */
static void on_segment(void *user, const carom_segment *segment)
{
    static const double VERY = 1e-3;
    watcher *w = user;
    double distance, there;
    if (w->period > 0)
        return;
    const double side = look(w, segment, 1, &distance);
    w->farthest = fmax(w->farthest, distance);
    if (w->side < 0 && side >= 0) {
        const double s = 1 - side / (side - w->side);
        look(w, segment, s, &there);
        const double near = there / w->farthest, t = segment->t0 + s * (segment->t1 - segment->t0) - w->t0;
        if (near < VERY)
            w->period = t;
        else if (near < 0.5 * w->nearest)
            w->nearest = near, w->best = t;
    }
    w->side = side;
}

static carom_status find_period(carom_orbits *o, carom_sim *sim, double longest, carom_error *error)
{
    const carom_model *m = o->map.model;
    const int N = o->map.N;
    double *array = CAROM_NEW(o->arena, double, 3 * N);
    if (!array)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a guess of the period");
    watcher w = {.model = m, .N = N, .origin = array, .speed = array + N, .after = array + 2 * N,
                 .orbits = o, .nearest = INFINITY};
    carom_copy(N, o->orbit.x, w.origin);
    CAROM_TRY(carom_return_map_apply(&o->map, w.origin, 1e-3 * longest, error));
    carom_copy(N, o->map.departure, w.speed);
    if (carom_norm_max(N, w.speed) * longest <= 1e-10 * (1 + carom_norm_max(N, w.origin)))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "the motion is at rest at t = %.6g: an equilibrium, not a periodic orbit", carom_sim_state(sim)->t);
    const carom_observer observer = {.size = sizeof observer, .user = &w, .segment = on_segment};
    w.t0 = carom_sim_state(sim)->t;
    CAROM_TRY(carom_sim_observe(sim, &observer));
    for (int k = 1; k <= 100 && w.period == 0; k++)
        if (carom_sim_run(sim, w.t0 + k * longest / 100) != CAROM_OK)
            CAROM_FAIL(error, CAROM_NOT_CONVERGED, "%s", carom_sim_error(sim)->text);
    if (!(w.period > 0) && w.nearest < 0.2)
        w.period = w.best;
    if (!(w.period > 0))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "the motion does not return near its state at t = %.6g within a time of %.6g: give the period, a "
                   "longer "
                   "t_end, or, if coordinates drift or turn, name them as relative", w.t0, longest);
    o->orbit.T = w.period;
    return CAROM_OK;
}

carom_status carom_orbit_guess(carom_orbits *o, const carom_options *options, double transient, carom_error *error)
{
    const carom_model *m = o->map.model;
    const bool autonomous = carom_orbit_autonomous(o);
    carom_options coarse = *options;
    coarse.rtol = fmax(coarse.rtol, 1e-8), coarse.atol = fmax(coarse.atol, 1e-8);
    carom_sim *sim = NULL;
    CAROM_TRY(carom_sim_new(&sim, m, &coarse, error));
    const double unit = autonomous ? carom_sim_options(sim)->t_end : m->period;
    carom_status status = transient > 0 ? carom_sim_run(sim, transient * unit) : CAROM_OK;
    if (status != CAROM_OK)
        carom_fail(error, status, "%s",
                   *carom_sim_error(sim)->text ? carom_sim_error(sim)->text : carom_status_text(status));
    carom_copy(m->nq, carom_sim_state(sim)->q, o->orbit.x);
    carom_copy(m->nv, carom_sim_state(sim)->v, o->orbit.x + m->nq);
    if (status == CAROM_OK && autonomous && !(o->orbit.T > 0))
        status = find_period(o, sim, 10 * unit, error);
    carom_sim_free(sim);
    return status;
}
