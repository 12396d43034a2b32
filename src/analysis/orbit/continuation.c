/* continuation.c: a branch of periodic orbits by pseudo-arclength, and the points where something happens on it.
 *
 * y = (x, T if unknown, p), weights W: lengths relative to 1 + |x|, T and to - from.
 *     tangent     (D - B | f | P_p) tau = 0,   tau_old^T W tau = 1, then scaled to tau^T W tau = 1               (1)
 *     predictor   y = y_0 + s tau                                                                              (2)
 *     corrector   P(x) - x = 0,   tau^T W (y - y_0 - s tau) = 0      by Newton                                  (3)
 * Zero along s of
 *     prod (1 + mu_i)          period doubling                                                                 (4)
 *     tau_p                    saddle-node (the branch turns back in the parameter)                            (5)
 *     least |gdot-|, or the least gap that is reached without touching: grazing                                (6)
 * (4) and (5) are refined by regula falsi on s. (6) ends the branch: both vanish linearly in the parameter, so steps
 * are shortened towards the zero and the last two points are extrapolated. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "core/bracket.h"
#include "core/dense.h"

enum { CORRECTIONS = 10, TESTS = 2 };
static const double SLOWEST = 3e-5, NEAREST = 1e-9; /* where (6) is close enough to extrapolate */
static const double SHORTEST = 1e-9;                /* step along the branch */

typedef struct point {
    double *y, *tau; /* [N+2] */
    double test[TESTS];
    double speed, gap;
    unsigned long sequence;
} point;

typedef struct follower {
    carom_orbits *o;
    carom_branch *branch;
    int n; /* entries of y in use: N + autonomous + 1 */
    double *weight;
    point a, b; /* the last point and the next one */
    carom_error *error;
} follower;

const char *carom_branch_event_name(carom_branch_event event)
{
    static const char *const names[CAROM_BRANCH_EVENTS] = {"period doubling", "saddle-node", "grazing"};
    return (unsigned)event < CAROM_BRANCH_EVENTS ? names[event] : "unknown";
}

static void read_y(const follower *f, double *y)
{
    const carom_orbits *o = f->o;
    carom_copy(o->map.N, o->orbit.x, y);
    y[o->map.N] = o->orbit.T;
    y[f->n - 1] = o->map.p[o->map.which[0]];
}

static void write_y(const follower *f, const double *y)
{
    carom_orbits *o = f->o;
    carom_copy(o->map.N, y, o->orbit.x);
    if (carom_orbit_autonomous(o))
        o->orbit.T = y[o->map.N];
    o->map.p[o->map.which[0]] = y[f->n - 1];
}

/* Appends the row tau^T W and its right-hand side to the system of a correction. */
static void add_arclength_row(const follower *f, const double *tau, double right)
{
    carom_orbits *o = f->o;
    const carom_return_map *map = &o->map;
    double *row = o->A + o->rows * o->columns;
    memset(row, 0, sizeof *row * (size_t)o->columns);
    for (int i = 0; i < map->N; i++)
        for (int k = 0; k < map->nb; k++)
            row[k] += f->weight[i] * tau[i] * map->B[i * map->nb + k];
    for (int k = map->nb; k < o->columns; k++)
        row[k] = f->weight[map->N + k - map->nb] * tau[map->N + k - map->nb];
    o->b[o->rows++] = right;
}

static double product(const follower *f, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < f->n; i++)
        sum += f->weight[i] * x[i] * y[i];
    return sum;
}

/* (1), with the system that the corrector left; old fixes the sense */
static void find_tangent(follower *f, const double *old, double *tau)
{
    carom_orbits *o = f->o;
    memset(o->b, 0, sizeof *o->b * (size_t)o->rows);
    add_arclength_row(f, old, 1);
    carom_orbit_solve(o);
    carom_copy(f->n, o->move, tau);
    double length = sqrt(product(f, tau, tau));
    for (int i = 0; i < f->n; i++)
        tau[i] /= length;
}

static double double_test(const carom_orbit *orbit) /* (4) */
{
    double complex value = 1;
    for (int i = 0; i < orbit->nmultiplier; i++)
        value *= 1 + orbit->multiplier[i];
    return creal(value);
}

/* (2), (3): the point at distance s from `from`; iterations 0: not found. */
static int correct(follower *f, const point *from, double s, point *to)
{
    carom_orbits *o = f->o;
    for (int i = 0; i < f->n; i++)
        to->y[i] = from->y[i] + s * from->tau[i];
    write_y(f, to->y);
    for (int iteration = 1; iteration <= CORRECTIONS; iteration++) {
        if (carom_return_map_assemble(&o->map, o->orbit.x, f->error) != CAROM_OK ||
            carom_orbit_linearize(o, true, f->error) != CAROM_OK)
            return 0;
        read_y(f, to->y);
        double off = 0;
        for (int i = 0; i < f->n; i++)
            off += f->weight[i] * from->tau[i] * (to->y[i] - from->y[i]);
        if (iteration > 1 && o->orbit.residual <= o->tolerance * (1 + carom_norm_max(o->map.N, o->orbit.x))) {
            find_tangent(f, from->tau, to->tau);
            if (carom_orbit_multipliers(o, f->error) != CAROM_OK)
                return 0;
            to->test[0] = double_test(&o->orbit);
            to->test[1] = to->tau[f->n - 1];
            to->speed = o->orbit.passage.slowest, to->gap = o->orbit.passage.nearest;
            to->sequence = o->orbit.passage.sequence;
            return iteration;
        }
        add_arclength_row(f, from->tau, s - off);
        carom_orbit_solve(o);
        if (carom_orbit_correct(o, 1, true, f->error) != CAROM_OK || !carom_all_finite(o->map.N, o->orbit.x))
            return 0;
    }
    return 0;
}

static bool tell(follower *f, int kind, double estimate)
{
    const carom_branch_point at = {kind, &f->o->orbit, estimate};
    return f->branch->point(f->branch->user, &at);
}

/* Between a (s = 0) and b (s = ds) the test changes its sign. */
static bool refine(follower *f, int test, double ds)
{
    double at_a = f->a.test[test], at_b = f->b.test[test];
    carom_bracket b = ds > 0 ? (carom_bracket){0, ds, at_a, at_b, 0, 0} : (carom_bracket){ds, 0, at_b, at_a, 0, 0};
    point *c = &f->b;
    while (b.k < 60 && b.high - b.low > 1e-13) {
        double s = carom_bracket_next(&b, NAN);
        if (!correct(f, &f->a, s, c))
            return true; /* near something worse: the branch itself goes on */
        double value = c->test[test];
        if (value == 0)
            break;
        carom_bracket_put(&b, s, value, (value < 0) == (b.f_high < 0));
    }
    return tell(f, test == 0 ? CAROM_BRANCH_PERIOD_DOUBLING : CAROM_BRANCH_SADDLE_NODE, c->y[f->n - 1]);
}

/* (6): where the monitor, linear through the last two points, vanishes, as a multiple of the last step. */
static double steps_to_zero(double before, double now)
{
    return isfinite(before) && isfinite(now) && now < before ? now / (before - now) : INFINITY;
}

static carom_status start(follower *f, carom_arena *arena)
{
    carom_orbits *o = f->o;
    const int length = o->map.N + 2;
    double **arrays[] = {&f->weight, &f->a.y, &f->a.tau, &f->b.y, &f->b.tau};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        if (!(*arrays[i] = CAROM_NEW(arena, double, length)))
            CAROM_FAIL(f->error, CAROM_NO_MEMORY, "no memory for a branch");
    f->n = o->map.N + carom_orbit_autonomous(o) + 1;
    double size = 1 + carom_norm_max(o->map.N, o->orbit.x), range = f->branch->to - f->branch->from;
    for (int i = 0; i < o->map.N; i++)
        f->weight[i] = 1 / (size * size);
    f->weight[o->map.N] = 1 / (o->orbit.T * o->orbit.T);
    f->weight[f->n - 1] = 1 / (range * range);
    read_y(f, f->a.y);
    CAROM_TRY(carom_orbit_linearize(o, true, f->error));
    double *sense = f->b.tau; /* along the parameter */
    memset(sense, 0, sizeof *sense * (size_t)length);
    sense[f->n - 1] = range;
    find_tangent(f, sense, f->a.tau);
    CAROM_TRY(carom_orbit_multipliers(o, f->error));
    f->a.test[0] = double_test(&o->orbit);
    f->a.test[1] = f->a.tau[f->n - 1];
    f->a.speed = o->orbit.passage.slowest, f->a.gap = o->orbit.passage.nearest;
    f->a.sequence = o->orbit.passage.sequence;
    return CAROM_OK;
}

/* The last point at the end of the range itself. */
static void land(follower *f, double end)
{
    carom_orbits *o = f->o;
    double part = (end - f->a.y[f->n - 1]) / (f->b.y[f->n - 1] - f->a.y[f->n - 1]);
    for (int i = 0; i < f->n; i++)
        f->b.y[i] = f->a.y[i] + part * (f->b.y[i] - f->a.y[i]);
    write_y(f, f->b.y);
    o->map.p[o->map.which[0]] = end;
    if (carom_orbit_find(o, f->error) == CAROM_OK)
        tell(f, -1, end);
}

static void say(carom_branch *branch, const char *why)
{
    snprintf(branch->reason, sizeof branch->reason, "%s", why);
}

/* Is a monitor so small that the branch ends here? Then it is told. */
static bool grazes(follower *f)
{
    const bool speed = f->b.speed < SLOWEST && f->b.speed < f->a.speed, gap = f->b.gap < NEAREST && f->b.gap < f->a.gap;
    if (!speed && !gap)
        return false;
    double left = speed ? steps_to_zero(f->a.speed, f->b.speed) : steps_to_zero(f->a.gap, f->b.gap);
    double p = f->b.y[f->n - 1] + left * (f->b.y[f->n - 1] - f->a.y[f->n - 1]);
    tell(f, CAROM_BRANCH_GRAZING, p);
    say(f->branch, "the orbit grazes: beyond it has another sequence of impacts");
    return true;
}

static void take(point *a, point *b)
{
    point c = *a;
    *a = *b;
    *b = c;
}

/* The next point at a distance up to *ds with the same sequence of events; false: there is none, and why. */
static bool advance(follower *f, double *ds, int *iterations)
{
    for (;; *ds /= 2) {
        *iterations = correct(f, &f->a, *ds, &f->b);
        if (*iterations && f->b.sequence == f->a.sequence)
            return true;
        if (*ds <= SHORTEST)
            break;
    }
    snprintf(f->branch->reason, sizeof f->branch->reason,
             *iterations ? "the sequence of events changes near %.12g" : "no orbit was found beyond %.12g",
             f->a.y[f->n - 1]);
    return false;
}

/* Zeros of the tests between a and b, told; b is then computed again. */
static carom_status locate(follower *f, double ds, bool *go_on)
{
    for (int test = 0; test < TESTS && *go_on; test++) {
        if (f->a.test[test] * f->b.test[test] >= 0)
            continue;
        *go_on = refine(f, test, ds);
        if (!correct(f, &f->a, ds, &f->b))
            CAROM_FAIL(f->error, CAROM_NOT_CONVERGED, "the branch was lost near %.12g", f->a.y[f->n - 1]);
    }
    return CAROM_OK;
}

carom_status carom_orbit_follow(carom_orbits *o, carom_branch *branch, carom_error *error)
{
    carom_error ignored;
    follower f = {.o = o, .branch = branch, .error = error ? error : &ignored};
    if (!(branch->from != branch->to && branch->step != 0 && isfinite(branch->from - branch->to) &&
          isfinite(branch->step)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a branch from %g to %g in steps of %g has no length", branch->from,
                   branch->to, branch->step);
    CAROM_TRY(start(&f, o->arena));
    const double least = fmin(branch->from, branch->to), most = fmax(branch->from, branch->to);
    double ds = fabs(branch->step) / (most - least), largest = 4 * ds;
    bool go_on = tell(&f, -1, f.a.y[f.n - 1]);
    int iterations;
    say(branch, "stopped");
    for (long count = 1; go_on; count++) {
        if (count >= branch->most) {
            say(branch, "as many points as were asked for");
            break;
        }
        if (!advance(&f, &ds, &iterations))
            break;
        const double p = f.b.y[f.n - 1],
                     near = fmin(steps_to_zero(f.a.speed, f.b.speed), steps_to_zero(f.a.gap, f.b.gap));
        if (p < least || p > most) {
            land(&f, p < least ? least : most);
            say(branch, "the end of the range");
            break;
        }
        CAROM_TRY(locate(&f, ds, &go_on));
        go_on = go_on && tell(&f, -1, p);
        if (!go_on || grazes(&f))
            break;
        take(&f.a, &f.b);
        ds = fmin(ds * (iterations <= 3 ? 1.5 : iterations > 6 ? 0.5 : 1), largest);
        if (near < 4)
            ds = fmin(ds, 0.7 * near * ds);
    }
    return CAROM_OK;
}
