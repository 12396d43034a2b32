/* control.c: chooses the step of Moreau's time-stepping by an estimate of its error.
 * Source: V. Acary, INRIA RR-7151 (2009), section 5, equations (63)-(70), and Lemma 1.
 *
 * From the same state one step of h gives x_1 = (q_1, v_1), two steps of h/2 give x_1/2: the solution that is kept.
 *   error = max_k |e_k| / (atol + rtol max(|x_0,k|, |x_k|))                                  (65)           (1)
 *   accepted if error <= 1;  h' = h min(alpha_max, max(alpha_min, alpha error^(-1/(p+1))))   (66)           (2)
 *   halving          e = (x_1/2 - x_1) / (2^p - 1),  p the smooth order                      (63)           (3)
 *   coordinates      e = q_1/2 - q_1,  p = 0                                                 (67)           (4)
 *   variable-order   p = 0 and (4) if a gap closes (g(q) > 0, g(q') <= 0), else p = 1 and (3) on q
 *                                                                                            (68)-(70)      (5)
 *   indicator        one step, no halving                                                                   (6)
 *      with an impact  e = C h |v' - v|,  C = max(theta, 1 - theta),  p = 0                  Lemma 1
 *      without         e = |theta - 1/2| h |v' - v| + h^3 |da/dt|/12,  p the smooth order
 *
 * What is wrong as printed (guarded = false): an impact that both solutions overlook, or see alike, makes no
 * difference between them. The steps go on at their longest and the error does not depend on the tolerance. The
 * norm of (65) is not given, (63) divides by zero for p = 0, and velocities, wrong by O(1) at impacts, never get
 * better.
 * guarded = true, the form that works:
 *   - what a contact is deeper than it was before the step counts in the error like a coordinate,           (7)
 *   - gaps are predicted over the whole step: gamma is taken as 1,                                          (8)
 *   - p = 0 in (3) and (5) also where there is an impact in the step; velocities count h-fold in (3),       (9)
 *   - a step that fails is shortened like one with too large an error.                                      (10)
 * Then the error is the tolerance times the number of steps: about tol where flights are exact, tol^(2/3) otherwise
 * (tol^(1/2) for theta other than 1/2). There is no order in h.
 *
 * In both forms: the norm is the maximum, steps are at most max_step, and what is rejected four times is shortened
 * by alpha_min from then on: (2) alone can come to a standstill at an error of 1. (6) is ours; da/dt is the
 * difference of the mean accelerations of this step and the one before, with and without contact forces, whichever
 * is larger: what rests may take off. Halves are recorded as a segment each, and their energy is accounted for:
 * what moreau_jean.c says of a step holds for each. alpha = 0.9 saves up to 30 % of the work: the paper's 1
 * rejects every third to every second step. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/moreau/control.h"

enum { WANTED, SINCE, ACCELERATION }; /* memory */

typedef struct trial {
    double h, error;
    int p;
} trial;

/* ---- memory ------------------------------------------------------------------------------------------ */

static void place_state(carom_layout *layout, const carom_system *system, carom_state *state)
{
    CAROM_PLACE(layout, state->q, system->nq);
    CAROM_PLACE(layout, state->v, system->nv);
    CAROM_PLACE(layout, state->impulse, system->nrow);
    CAROM_PLACE(layout, state->u, system->nrow);
    CAROM_PLACE(layout, state->mode, system->model->ncontact);
}

void carom_control_layout(carom_layout *layout, const carom_system *system, carom_control *control)
{
    place_state(layout, system, &control->one);
    place_state(layout, system, &control->middle);
    CAROM_PLACE(layout, control->g_now, system->nlink);
    CAROM_PLACE(layout, control->g_end, system->nlink);
    CAROM_PLACE(layout, control->size, system->nv);
}

int carom_control_memory(const carom_system *system)
{
    return ACCELERATION + 2 * system->nv;
}

bool carom_control_remembers(const double *field)
{
    return field[CAROM_MOREAU_CONTROL] != CAROM_CONTROL_NONE;
}

carom_status carom_control_start(carom_step *s)
{
    carom_system *sys = s->system;
    double *a = s->memory_next + ACCELERATION;
    if (!carom_control_remembers(s->field))
        return CAROM_OK;
    s->memory_next[WANTED] = s->memory_next[SINCE] = 0;
    if (s->field[CAROM_MOREAU_CONTROL] != CAROM_CONTROL_INDICATOR)
        return CAROM_OK;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, s->now->t, s->now->q, s->now->v);
    CAROM_TRY(carom_mass_factor(sys, s->now->t, s->error));
    carom_copy(sys->nv, sys->at.F, a);
    carom_factor_solve(sys, &sys->mass, a);
    carom_copy(sys->nv, a, a + sys->nv);
    return CAROM_OK;
}

/* ---- estimates --------------------------------------------------------------------------------------- */

static double weighed(const carom_step *s, double e, double size)
{
    return e == 0 ? 0 : fabs(e) / (s->options->atol + s->options->rtol * size);
}

/* (1) for e = x - y, from x_0 */
static double distance(const carom_step *s, int n, const double *x_0, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = CAROM_MAX(most, weighed(s, x[i] - y[i], CAROM_MAX(fabs(x_0[i]), fabs(x[i]))));
    return most;
}

/* (7), in the measure of (1); leaves the gaps in g_end */
static double deeper(const carom_step *s, carom_control *c, const carom_state *at)
{
    carom_system *sys = s->system;
    double most = 0, size = carom_norm_max(sys->nq, at->q);
    if (sys->model->ncontact == 0)
        return 0;
    carom_system_eval(sys, CAROM_GAP, at->t, at->q, at->v);
    carom_copy(sys->nlink, sys->at.g, c->g_end);
    for (int i = sys->njoint; i < sys->nlink; i++)
        most = CAROM_MAX(most, CAROM_MAX(0, -c->g_end[i]) - CAROM_MAX(0, -c->g_now[i]));
    return weighed(s, most, size);
}

/* (68), (69) */
static bool closes(const carom_system *sys, const carom_control *c)
{
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (c->g_now[i] > 0 && c->g_end[i] <= 0)
            return true;
    return false;
}

static int smooth_order(const carom_step *s)
{
    return s->field[CAROM_MOREAU_THETA] == 0.5 ? 2 : 1;
}

/* (3)-(5), (7), (9) */
static void compare(const carom_step *s, carom_control *c, trial *x)
{
    const carom_state *now = s->now, *next = s->next, *one = &c->one;
    int nq = s->system->nq, nv = s->system->nv, control = (int)s->field[CAROM_MOREAU_CONTROL];
    bool guarded = s->field[CAROM_MOREAU_GUARDED] != 0;
    bool impact = c->quiet.count[CAROM_EVENT_IMPACT] || s->record->count[CAROM_EVENT_IMPACT];
    double inside = deeper(s, c, &c->middle), end = deeper(s, c, next); /* last: its gaps are those of (5) */
    double e_q = distance(s, nq, now->q, next->q, one->q), e_v = distance(s, nv, now->v, next->v, one->v);
    x->p = control == CAROM_CONTROL_COORDINATES ? 0 : control == CAROM_CONTROL_HALVING ? smooth_order(s) : 1;
    if ((guarded && impact) || (control == CAROM_CONTROL_ORDER && closes(s->system, c)))
        x->p = 0;
    x->error = control == CAROM_CONTROL_HALVING ? CAROM_MAX(e_q, guarded ? x->h * e_v : e_v) : e_q;
    x->error /= x->p == 2 ? 3 : 1;                                                            /* 2^p - 1 */
    if (guarded)
        x->error = CAROM_MAX(x->error, CAROM_MAX(inside, end));
}

/* (6) for the velocity at the end, with or without contact forces; a: mean accelerations of the last and this step */
static double indicator(const carom_step *s, const double *size, double h, const double *v_end, bool impact,
                        const double *a_before, double *a)
{
    double theta = s->field[CAROM_MOREAU_THETA], C = CAROM_MAX(theta, 1 - theta);
    double apart = s->memory[SINCE] + 0.5 * h, most = 0;
    for (int i = 0; i < s->system->nv; i++) {
        double dv = v_end[i] - s->now->v[i], change = (dv / h - a_before[i]) / apart;
        double e = impact ? C * h * dv : fabs(theta - 0.5) * h * fabs(dv) + h * h * h * fabs(change) / 12;
        most = CAROM_MAX(most, weighed(s, e, size[i]));
        a[i] = impact ? a_before[i] : dv / h;
    }
    return most;
}

/* (6), (7) */
static void indicate(const carom_step *s, carom_control *c, trial *x)
{
    int nv = s->system->nv;
    const double *a_before = s->memory + ACCELERATION;
    double *a = s->memory_next + ACCELERATION, h = x->h;
    bool impact = s->record->count[CAROM_EVENT_IMPACT] > 0;
    memset(c->size, 0, sizeof(double) * (size_t)nv);
    carom_system_size(s->system, s->now->q, c->size);
    carom_system_size(s->system, s->next->q, c->size);
    double free = indicator(s, c->size, h, c->v_free, impact, a_before + nv, a + nv);
    x->p = impact ? 0 : smooth_order(s);
    x->error = indicator(s, c->size, h, s->next->v, impact, a_before, a);
    if (!impact)
        x->error = CAROM_MAX(x->error, free);
    s->memory_next[SINCE] = impact ? s->memory[SINCE] + h : 0.5 * h;
    if (s->field[CAROM_MOREAU_GUARDED] != 0)
        x->error = CAROM_MAX(x->error, deeper(s, c, s->next));
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* What the driver does for the end of a step: here for its middle. */
static void account(carom_step *s, carom_control *c)
{
    carom_system *sys = s->system;
    const carom_state *at = &c->middle;
    c->depth = 0;
    carom_system_eval(sys, CAROM_ENERGY, at->t, at->q, at->v);
    if (sys->model->ncontact)
        carom_system_eval(sys, CAROM_GAP, at->t, at->q, at->v);
    for (int i = sys->njoint; i < sys->nlink; i++)
        c->depth = CAROM_MAX(c->depth, -sys->at.g[i]);
    if (s->record->nsegment) {
        carom_segment *last = &s->record->segment[s->record->nsegment - 1];
        last->energy = sys->at.energy[0] + sys->at.energy[1];
        last->penetration = c->depth;
    }
}

static carom_status halves(carom_step *s, carom_control *c, double h)
{
    carom_system *sys = s->system;
    carom_record *record = s->record;
    carom_step part = *s;
    double residual;
    part.field = c->field, part.error = c->error, part.h = 0.5 * h;
    part.next = &c->middle, part.t_low_next = &c->middle_low;
    CAROM_TRY(c->plain(&part));
    residual = record->residual;
    if (record->account)
        account(s, c);
    part.now = &c->middle, part.t_low = &c->middle_low;
    part.next = s->next, part.t_low_next = s->t_low_next, part.h = 0.5 * h;
    CAROM_TRY(c->plain(&part));
    record->residual = CAROM_MAX(record->residual, residual);
    for (int r = 0; r < sys->nrow; r++)
        s->next->impulse[r] += c->middle.impulse[r];
    return CAROM_OK;
}

static carom_status attempt(carom_step *s, carom_control *c, trial *x)
{
    carom_step whole = *s;
    bool indicator = s->field[CAROM_MOREAU_CONTROL] == CAROM_CONTROL_INDICATOR;
    whole.field = c->field, whole.error = c->error, whole.h = x->h;
    carom_record_clear(s->record);
    if (indicator) {
        CAROM_TRY(c->plain(&whole));
        indicate(s, c, x);
        return CAROM_OK;
    }
    carom_record_clear(&c->quiet);
    whole.next = &c->one, whole.record = &c->quiet, whole.t_low_next = &c->middle_low;
    CAROM_TRY(c->plain(&whole));
    CAROM_TRY(halves(s, c, x->h));
    compare(s, c, x);
    return CAROM_OK;
}

/* (2) */
static double factor(const double *field, const trial *x)
{
    double alpha_max = field[CAROM_MOREAU_ALPHA_MAX];
    double f = x->error > 0 ? field[CAROM_MOREAU_ALPHA] * pow(x->error, -1.0 / (x->p + 1)) : alpha_max;
    return CAROM_MIN(alpha_max, CAROM_MAX(field[CAROM_MOREAU_ALPHA_MIN], f));
}

static double longest(const carom_step *s)
{
    double period = s->system->model->period, end = s->options->t_end;
    if (s->field[CAROM_MOREAU_MAX_STEP] > 0)
        return s->field[CAROM_MOREAU_MAX_STEP];
    return (period > 0 ? CAROM_MIN(period, end) : end) / 20;
}

static void prepare(carom_step *s, carom_control *c, carom_plain_step *plain)
{
    carom_system *sys = s->system;
    c->plain = plain;
    carom_copy(CAROM_FIELDS_MAX, s->field, c->field);
    if (s->field[CAROM_MOREAU_GUARDED] != 0)
        c->field[CAROM_MOREAU_GAMMA] = 1;                                                     /* (8) */
    if (sys->model->ncontact) {
        carom_system_eval(sys, CAROM_GAP, s->now->t, s->now->q, s->now->v);
        carom_copy(sys->nlink, sys->at.g, c->g_now);
    }
}

/* The step to try after the k-th rejection, k = 1 ... */
static double shorter(const carom_step *s, const trial *x, carom_status status, int k)
{
    enum { PATIENCE = 4 };
    double least = s->field[CAROM_MOREAU_ALPHA_MIN];
    return x->h * (status != CAROM_OK || k >= PATIENCE ? least : factor(s->field, x));
}

/* The next step: after one that was cut short from outside, the one proposed before is as good. */
static void accept(carom_step *s, const carom_control *c, const trial *x, double most, bool first)
{
    double wanted = s->memory[WANTED];
    carom_info *info = s->system->info;
    info->max_penetration = CAROM_MAX(info->max_penetration, c->depth);
    s->h_next = CAROM_MIN(most, x->h * factor(s->field, x));
    if (first && x->h < wanted)
        s->h_next = CAROM_MAX(s->h_next, CAROM_MIN(most, wanted));
    s->h = x->h;
    s->memory_next[WANTED] = s->h_next;
}

carom_status carom_control_step(carom_step *s, carom_control *c, carom_plain_step *plain)
{
    carom_error error = {0};
    double most = longest(s);
    bool guarded = s->field[CAROM_MOREAU_GUARDED] != 0;
    trial x = {.h = CAROM_MIN(s->h, most)};
    c->error = &error, c->depth = 0;
    prepare(s, c, plain);
    for (int k = 1;; k++) {
        carom_status status = attempt(s, c, &x);
        if (status == CAROM_OK && x.error <= 1) {
            accept(s, c, &x, most, k == 1);
            return CAROM_OK;
        }
        double h = shorter(s, &x, status, k);
        bool lost = s->now->t + 0.25 * h == s->now->t || h < 1e-16 * most;
        if (status != CAROM_OK && (!guarded || lost)) {                                       /* (10) */
            *s->error = error;
            return status;
        }
        if (lost)
            CAROM_FAIL(s->error, CAROM_TOLERANCE,
                       "moreau-jean: with h = %.2g at t = %.10g the error is still %.2g times what rtol = %.2g, "
                       "atol = %.2g allow",
                       x.h, s->now->t, x.error, s->options->rtol, s->options->atol);
        s->system->info->rejected++;
        x.h = h;
    }
}
