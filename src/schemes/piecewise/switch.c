/* switch.c: forces that change their branch (if, abs, sign, min, max, floor, mod): the step ends where they do.
 *
 *   A branch d holds while low <= f(t, q, v) <= high; within a step it is frozen, so that forces are smooth        (1)
 *   the step ends where f leaves it (crossing.c)                                                         (2)
 *   there the branch on the other side holds. Does f, with its forces, move into it after a short time d (Heun)?
 *   If not, the old one goes on: f only touched its bound. If that leaves too, f slides (slide.c)                   (3)
 *   A branch that is left again and again within no time slides, too                                             (4) */
#include <float.h>
#include <math.h>

#include "model/model.h"
#include "schemes/piecewise/piecewise.h"

enum { FLIPS = 8 };

int carom_switch_memory(const carom_system *system)
{
    return 4 * system->model->nswitch + 2;
}

void carom_switch_layout(carom_layout *layout, carom_switches *w, const carom_system *system)
{
    size_t n = system->model->nswitch;
    CAROM_PLACE(layout, w->low, n);
    CAROM_PLACE(layout, w->high, n);
    CAROM_PLACE(layout, w->start, n);
    CAROM_PLACE(layout, w->sample, (CAROM_SWITCH_SAMPLES + 1) * n);
}

static void bounds(const carom_system *sys, carom_switches *w, int i)
{
    carom_model_branch(sys->model, i, w->d[i], &w->low[i], &w->high[i]);
}

static void set_branch(const carom_system *sys, carom_switches *w, int i, double f)
{
    w->d[i] = carom_model_branch(sys->model, i, f, &w->low[i], &w->high[i]);
}

/* The branch on the other side of the bound where f is. */
static void cross(const carom_system *sys, carom_switches *w, int i)
{
    bool up = w->state[i] == CAROM_SWITCH_AT_HIGH;
    set_branch(sys, w, i, up ? w->high[i] : nextafter(w->low[i], -INFINITY));
    w->state[i] = up ? CAROM_SWITCH_AT_LOW : CAROM_SWITCH_AT_HIGH;
}

/* Branches by the values of f at the start, those inside others first. */
static void by_value(carom_step *s, carom_switches *w, const double *q, const double *v, bool anew)
{
    carom_system *sys = s->system;
    bool changed = true;
    for (int round = 0; changed && round <= w->n; round++) {
        changed = false;
        carom_system_eval(sys, CAROM_SWITCH, s->now->t, q, v);
        for (int i = 0; i < w->n; i++) {
            double f = sys->at.f[i], before = w->d[i];
            if (w->state[i] != CAROM_SWITCH_INSIDE || (!anew && carom_switch_side(w, i, f) == 0))
                continue;
            set_branch(sys, w, i, f);
            changed |= w->d[i] != before;
        }
        anew = false;
    }
    carom_copy(w->n, sys->at.f, w->start);
    for (int i = 0; i < w->n; i++)
        if (w->state[i] == CAROM_SWITCH_INSIDE && (w->start[i] == w->low[i] || w->start[i] == w->high[i]))
            w->state[i] = w->start[i] == w->low[i] ? CAROM_SWITCH_AT_LOW : CAROM_SWITCH_AT_HIGH;
}

void carom_switch_begin(carom_step *s, carom_tol *tol)
{
    carom_system *sys = s->system;
    carom_switches *w = &tol->switches;
    w->n = sys->model->nswitch;
    w->crossed = -1;
    if (!w->n)
        return;
    w->d = s->memory_next + CAROM_TOL_COUNTERS;
    w->state = w->d + w->n, w->flips = w->state + w->n, w->other = w->flips + w->n, w->clock = w->other + w->n;
    bool anew = w->clock[0] == 0;
    sys->at.d = w->d;
    sys->frozen = CAROM_SWITCH;
    for (int i = 0; i < w->n; i++)
        bounds(sys, w, i);
    by_value(s, w, tol->start.q, tol->start.v, anew);
    w->clock[0] = 1;
}

/* (3): 1 if f moves into the branch, -1 if out of it, 0 if it stays where it is. */
static carom_status enters(carom_step *s, carom_tol *tol, int i, int *answer)
{
    carom_system *sys = s->system;
    const carom_end *e = &tol->start;
    double t = s->now->t, inward = tol->switches.state[i] == CAROM_SWITCH_AT_LOW ? 1 : -1;
    CAROM_TRY(carom_tol_measure(s, tol, &tol->start));
    carom_system_eval(sys, CAROM_SWITCH, t, e->q, e->v);
    double f = sys->at.f[i];
    *answer = 0;
    for (double d = 1e-4 * s->h; *answer == 0 && d <= s->h; d *= 30) {
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] = e->v[k] + 0.5 * d * e->a[k];
        carom_system_drift(sys, e->q, tol->shift_v, d, tol->shift_q);
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] = e->v[k] + d * e->a[k];
        CAROM_TRY(carom_given_accel(&tol->given, sys, t + d, tol->shift_q, tol->shift_v, 0, tol->probe.a,
                                            tol->force, s->error));
        for (int k = 0; k < sys->nv; k++)
            tol->shift_v[k] += 0.5 * d * (tol->probe.a[k] - e->a[k]);
        carom_system_eval(sys, CAROM_SWITCH, t + d, tol->shift_q, tol->shift_v);
        double change = inward * (sys->at.f[i] - f), noise = 16 * DBL_EPSILON * (fabs(f) + fabs(sys->at.f[i]));
        *answer = change > noise ? 1 : change < -noise ? -1 : 0;
    }
    return CAROM_OK;
}

/* From here on d is the lower branch and other the upper one. */
static void slide(carom_step *s, carom_switches *w, int i)
{
    if (w->state[i] == CAROM_SWITCH_AT_HIGH)
        cross(s->system, w, i);
    w->other[i] = w->d[i];
    cross(s->system, w, i);
    w->state[i] = CAROM_SWITCH_SLIDES;
    carom_stage_slide(s->stage, s->now->t);
}

static carom_status gather(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->given.slide;
    z->d = w->d, z->time = s->options->t_end / 20, z->distance = 0.03 * s->h;
    for (int i = 0; i < w->n; i++) {
        if (w->state[i] != CAROM_SWITCH_SLIDES)
            continue;
        if (z->n == CAROM_SLIDE_MAX)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "more than %d forces slide between their branches at t = %.10g",
                       CAROM_SLIDE_MAX, s->now->t);
        z->passive[z->n] = false;
        z->index[z->n] = i, z->low[z->n] = w->d[i], z->high[z->n] = w->other[i], z->bound[z->n++] = w->high[i];
    }
    return CAROM_OK;
}

/* A branch that is left at once, or before it matters: do both push back? */
static carom_status try_slide(carom_step *s, carom_tol *tol, int i, int *answer)
{
    carom_switches *w = &tol->switches;
    carom_slide *z = &tol->given.slide;
    double state = w->state[i], d = w->d[i];
    bool inside = true;
    slide(s, w, i);
    z->n = 0;
    CAROM_TRY(gather(s, tol));
    carom_status status = carom_tol_measure(s, tol, &tol->start);
    z->time = status == CAROM_OK ? carom_slide_time(z) : z->time;
    status = status == CAROM_OK ? carom_tol_measure(s, tol, &tol->start) : status;
    for (int k = 0; k < z->n; k++)
        inside &= z->index[k] != i || (z->lambda[k] >= 0 && z->lambda[k] <= 1);
    *answer = status == CAROM_OK && inside;
    w->flips[i] = 0;
    if (*answer)
        return carom_tol_held(s, tol, i);
    w->state[i] = state, w->d[i] = d;
    bounds(s->system, w, i);
    s->stage->slides = false;
    z->n = 0;
    return gather(s, tol);
}

carom_status carom_switch_settle(carom_step *s, carom_tol *tol)
{
    carom_switches *w = &tol->switches;
    tol->given.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    for (int i = 0; i < w->n; i++) {
        int answer;
        if (w->state[i] != CAROM_SWITCH_AT_LOW && w->state[i] != CAROM_SWITCH_AT_HIGH)
            continue;
        if (w->flips[i] > FLIPS) {                                                              /* (4) */
            CAROM_TRY(try_slide(s, tol, i, &answer));
            if (answer > 0)
                continue;
        }
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer >= 0)
            continue;
        cross(s->system, w, i);
        CAROM_TRY(enters(s, tol, i, &answer));
        if (answer < 0)
            CAROM_TRY(try_slide(s, tol, i, &answer));
    }
    tol->given.slide.n = 0;
    CAROM_TRY(gather(s, tol));
    if (tol->given.slide.n) {
        CAROM_TRY(carom_tol_measure(s, tol, &tol->start));
        tol->given.slide.time = carom_slide_time(&tol->given.slide);
    }
    return CAROM_OK;
}

/* A flight between two changes that takes no time, or is too short to be seen in the positions. */
static bool shakes(const carom_step *s, const carom_tol *tol)
{
    const carom_options *o = s->options;
    double far = 0;
    carom_tol_size(s->system, tol, NULL);
    for (int i = 0; i < s->system->nv; i++) {
        double size = CAROM_TOL_KAPPA * (s->atol[i] + o->rtol * tol->size[i]);
        far = CAROM_MAX(far, tol->end.x * (fabs(tol->start.v[i]) + fabs(tol->end.v[i])) / size);
    }
    return tol->end.x <= 1e-6 * s->h || far < 1;
}

static bool passive(const carom_tol *tol, int i)
{
    const carom_slide *z = &tol->given.slide;
    for (int k = 0; k < z->n; k++)
        if (z->index[k] == i)
            return z->passive[k];
    return false;
}

void carom_switch_end(carom_step *s, carom_tol *tol, bool impact)
{
    carom_switches *w = &tol->switches;
    int i = w->crossed;
    bool passed = i >= 0 && tol->end.x >= w->x, slid = passed && w->state[i] == CAROM_SWITCH_SLIDES;
    for (int k = 0; k < w->n; k++) {
        bool slides = w->state[k] == CAROM_SWITCH_SLIDES;
        if (slides ? impact || (slid && k != i && passive(tol, k)) : tol->end.x > 0)
            w->state[k] = CAROM_SWITCH_INSIDE;
        if (k != i || !passed)
            w->flips[k] = shakes(s, tol) ? w->flips[k] : 0;
    }
    if (!passed)
        return;
    w->flips[i] = shakes(s, tol) ? w->flips[i] + 1 : 0;
    w->state[i] = w->side > 0 || slid ? CAROM_SWITCH_AT_HIGH : CAROM_SWITCH_AT_LOW;
    if (w->side > 0 || !slid)
        cross(s->system, w, i);
    carom_stage_switch(s->stage);
    double since = s->next->t - w->clock[1]; /* a wave that switches often must not be stepped over */
    if (since > 1e-9 * s->h)
        s->h_next = CAROM_MIN(s->h_next, CAROM_MAX(5 * tol->end.x, 2 * since));
    w->clock[1] = s->next->t;
}

carom_status carom_switch_finite(carom_step *s, const carom_tol *tol)
{
    carom_system *sys = s->system;
    if (!tol->switches.n || !carom_model_extended(sys->model))
        return CAROM_OK;
    sys->frozen = 0;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, s->next->t, s->next->q, s->next->v);
    if (!carom_all_finite(sys->nv, sys->at.F))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE, "a force is not finite at t = %.10g", s->next->t);
    return CAROM_OK;
}
