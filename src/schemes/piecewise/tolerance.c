/* tolerance.c: error-controlled steps that end at their events: you ask for a tolerance and get it, through impacts
 * too.
 *
 *   the smooth motion of the present modes by Dormand and Prince's pair 5(4) (runge_kutta.c)                     (1)
 *   accepted if |e| <= kappa: local errors add up, are amplified;  h' = h min(5, max(0.2, 0.9 |e/kappa|^(-1/5)))    (2)
 *   the step ends at its first event, located to rounding on steps of the pair (events.c)                  (3)
 *   there: impact law, new modes, accumulating impacts frozen below kappa tol = tol/10 (modes.c), or passed in one
 *   step where slips end among them (settle.c)                                                             (4)
 *   positions and velocities of joints, pressing and sticking contacts are projected after every step               (5)
 *   dense output: the quintic through q, v, a at both ends, and its derivative: order 5 in q, 4 in v                (6)
 *
 *   the step ends, too, where a force of a model file changes its branch (if, abs, sign, min, max, floor, mod, tables
 *   of kind
 *   linear and pchip): within a step branches are frozen; where both push to their border it slides (switches.c)  (7)
 *   where a closed gap does: impact on the new normal, or opening (switches.c)                                 (8)
 *
 * Global error proportional to rtol and atol; order 5 in the mean step, through impacts too. No penetration beyond
 * rounding at the nodes. Energy is kept to the tolerance. Stiff forces are found out and solved by Radau IIA of order
 * 5 (stiff.c); its estimate is of order 3, so that tight tolerances are dear there. */
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

static const unsigned requests[] = {CAROM_PIECEWISE_REQUESTS, 0};

static const carom_field fields[] = {
    {"max_step", CAROM_FIELD_DOUBLE, 0, 0, 1e300, NULL, "longest step; 0: a twentieth of the run or of the period"},
    {"method", CAROM_FIELD_ENUM, CAROM_STIFF_AUTO, 0, 2, "auto dp5 radau5",
     "explicit, implicit for stiff forces, or as the motion asks"},
    {"first_step", CAROM_FIELD_DOUBLE, 0, 0, 1e300, NULL, "length of the first step; 0: h"},
    {0},
};
enum { MAX_STEP, METHOD, FIRST_STEP };

static void orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = *impact = 0; /* in h none: the step is chosen */
}

static carom_status accepts(const carom_model *model, const double *field, carom_error *error)
{
    enum { VELOCITIES = 200 };
    if (model->links && model->nv > VELOCITIES)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "tolerance: %d velocities, with contacts that are found step by step there may be %d; "
                   "moreau-jean, moreau-jean-projected and schatzman-paoli take more", model->nv, VELOCITIES);
    (void)field;
    return CAROM_OK;
}

static carom_status start(carom_step *s)
{
    s->h_next = s->field[FIRST_STEP];
    return CAROM_OK;
}

/* Beside the modes: CAROM_TOL_DECIDED ..., branches, stiffness. */
int carom_piecewise_memory(const carom_system *system)
{
    return CAROM_TOL_COUNTERS + carom_switch_memory(system) + carom_stiff_memory(system);
}

/* Many events at one instant: they do not end. */
static carom_status count_stalls(carom_step *s, int contact)
{
    enum { STALLS = 1000 };
    double *stalls = &s->memory_next[CAROM_TOL_STALLS];
    *stalls = s->next->t > s->now->t ? 0 : *stalls + 1;
    if (*stalls > STALLS)
        CAROM_FAIL(s->error, CAROM_TOLERANCE,
                   "tolerance: collapse at t = %.10g: %d events without time passing, the last of contact '%s'",
                   s->now->t, STALLS,
                   s->system->nlink > s->system->njoint
                       ? CAROM_LINK_NAME(s->system, carom_contact_link(s->system, contact)) : "none");
    return CAROM_OK;
}

static void place_end(carom_layout *layout, carom_end *e, const carom_system *system)
{
    CAROM_PLACE(layout, e->q, system->nq);
    CAROM_PLACE(layout, e->v, system->nv);
    CAROM_PLACE(layout, e->a, system->nv);
    CAROM_PLACE(layout, e->force, system->nrow);
    CAROM_PLACE(layout, e->g, system->nlink);
    CAROM_PLACE(layout, e->u, system->nrow);
    CAROM_PLACE(layout, e->udot, system->nrow);
    CAROM_PLACE(layout, e->margin, carom_piecewise_found(system) ? system->ncontact : 0);
}

void carom_piecewise_layout(carom_layout *layout, const carom_system *system, void *work)
{
    carom_piecewise *w = work;
    int nc = system->model->ncontact;
    carom_given_layout(layout, &w->given, system);
    carom_switch_layout(layout, &w->switches, system);
    carom_painleve_layout(layout, &w->painleve, system);
    carom_prestress_layout(layout, &w->prestress, system);
    for (int k = 0; k < CAROM_STAGES; k++) {
        CAROM_PLACE(layout, w->kv[k], system->nv);
        w->kx[k] = w->kv[k];
        if (system->model->manifold)
            CAROM_PLACE(layout, w->kx[k], system->nv);
        CAROM_PLACE(layout, w->ka[k], system->nv);
        CAROM_PLACE(layout, w->stage_force[k], system->nrow);
    }
    carom_rk_layout(layout, &w->stages, system);
    CAROM_PLACE(layout, w->mean, system->nrow);
    place_end(layout, &w->start, system);
    place_end(layout, &w->end, system);
    place_end(layout, &w->probe, system);
    CAROM_PLACE(layout, w->xi, system->nv);
    CAROM_PLACE(layout, w->xi_rate, system->nv);
    CAROM_PLACE(layout, w->xi_bend, system->nv);
    CAROM_PLACE(layout, w->size, system->nv);
    CAROM_PLACE(layout, w->gross, system->nv);
    CAROM_PLACE(layout, w->shift_q, system->nq);
    CAROM_PLACE(layout, w->shift_v, system->nv);
    CAROM_PLACE(layout, w->force, system->nrow);
    CAROM_PLACE(layout, w->mode, nc);
    CAROM_PLACE(layout, w->struck, system->nlink);
    CAROM_PLACE(layout, w->scale, system->nlink);
    CAROM_PLACE(layout, w->dips.g, (CAROM_DIP_PLACES + 2) * system->nlink);
    CAROM_PLACE(layout, w->dips.u, (CAROM_DIP_PLACES + 2) * system->nlink);
    CAROM_PLACE(layout, w->modes_before, nc);
    CAROM_PLACE(layout, w->modes_struck, nc);
    CAROM_PLACE(layout, w->still.mode, nc);
    CAROM_PLACE(layout, w->still.impulse, system->nrow);
}

void carom_piecewise_take_modes(carom_step *s, carom_piecewise *w)
{
    w->modes = w->given.modes = s->modes_next;
    carom_modes_copy(s->system->model->ncontact, s->modes, s->modes_next);
    carom_copy(carom_piecewise_memory(s->system), s->memory, s->memory_next);
}

/* What others see: contacts that are held without slip of their own stick, unless nothing could hold them. */
static unsigned char mode_of(const carom_system *sys, const carom_link *link, int mode)
{
    bool held = mode != CAROM_OPEN && mode != CAROM_SLIP, smooth = mode == CAROM_CLOSED && carom_link_smooth(sys, link);
    return (unsigned char)(!held ? mode : smooth ? CAROM_SLIP : link->law->tangents ? CAROM_STICK : CAROM_CLOSED);
}

/* Modes at the start of a run: closed contacts are decided. */
static carom_status begin(carom_step *s, carom_piecewise *w)
{
    if (s->memory_next[CAROM_TOL_DECIDED] != 0)
        return CAROM_OK;
    s->memory_next[CAROM_TOL_DECIDED] = 1;
    s->memory_next[CAROM_TOL_STRUCK] = s->now->t;
    return carom_piecewise_decide(s, w, s->now->t, s->now->q, s->now->v);
}

/* (6): coefficients of s^3, s^4, s^5 of a local coordinate, from xi, xi' and xi'' at both ends */
static inline void quintic(const carom_piecewise *w, int i, const double *rate, const double *bend, double c[3])
{
    double h = w->end.x, v = w->start.v[i], a = w->start.a[i];
    double D = w->xi[i] - h * v - h * h * a / 2, B = h * (rate[i] - v) - h * h * a, C = h * h * (bend[i] - a);
    double cubic = B / 2 - C / 12; /* D if the velocity is the cubic through v and a at both ends */
    if (fabs(D - cubic) > 1e-3 * h * (fabs(v) + fabs(rate[i])))
        D = cubic; /* a step so short, or a rest so deep, that positions differ by rounding */
    c[0] = 10 * D - 4 * B + C / 2, c[1] = -15 * D + 7 * B - C, c[2] = 6 * D - 3 * B + C / 2;
}

/* xi, its rate and second derivative at the end, where the velocity is v_end: vectors have v and a there. */
static void local_end(const carom_system *sys, const carom_piecewise *w, const double *v_end, const double **rate,
                      const double **bend)
{
    *rate = v_end, *bend = w->ka[CAROM_STAGES - 1];
    carom_system_local(sys, w->start.q, w->end.q, w->xi);
    if (!sys->model->manifold)
        return;
    carom_system_rate(sys, w->xi, 1, v_end, w->xi_rate);
    carom_system_bend(sys, w->xi, w->xi_rate, v_end, *bend, w->xi_bend);
    *rate = w->xi_rate, *bend = w->xi_bend;
}

/* Velocities where they are not the rates of the coordinates: through v and a at both ends and v in the middle. */
static void velocity_powers(const carom_system *sys, const carom_piecewise *w, const double *v_end, double *v)
{
    int nv = sys->nv;
    double h = w->end.x, *middle = w->size;
    carom_piecewise_inside(sys, w, 0.5, v_end, w->shift_q, middle);
    for (int i = 0; i < nv; i++) {
        double v0 = w->start.v[i], a0 = h * w->start.a[i], v1 = v_end[i] - v0, a1 = h * w->ka[CAROM_STAGES - 1][i];
        double m = middle[i] - v0;
        v[i] = v0, v[nv + i] = a0;
        v[2 * nv + i] = 16 * m - 5 * v1 + a1 - 4 * a0;
        v[3 * nv + i] = -32 * m + 14 * v1 - 3 * a1 + 5 * a0;
        v[4 * nv + i] = 16 * m - 8 * v1 + 2 * a1 - 2 * a0;
    }
}

/* (6) */
static void stage_segment(carom_step *s, const carom_piecewise *w, const double *v_end)
{
    const carom_system *sys = s->system;
    int nv = sys->nv;
    const carom_end *a = &w->start;
    const double h = w->end.x, *rate, *bend;
    carom_draft piece;
    if (!carom_record_draft(s->record, sys, s->now->t, a->q, s->next->t, s->next->mode, 5, &piece))
        return;
    local_end(sys, w, v_end, &rate, &bend);
    for (int i = 0; i < nv; i++) {
        double c[5] = {h * a->v[i], h * h * a->a[i] / 2};
        quintic(w, i, rate, bend, c + 2);
        for (int k = 0; k < 5; k++) {
            piece.xi[k * nv + i] = c[k];
            piece.v[k * nv + i] = h > 0 ? (k + 1) * c[k] / h : k == 0 ? a->v[i] : 0;
        }
    }
    if (sys->model->manifold && h > 0)
        velocity_powers(sys, w, v_end, piece.v);
    for (int r = 0; r < sys->nrow; r++)
        piece.force[r] = h > 0 ? s->next->impulse[r] / h : 0;
}

/* Position and velocity inside the step, by the quintic (6). */
void carom_piecewise_inside(const carom_system *sys, const carom_piecewise *w, double r, const double *v_end, double *q,
                            double *v)
{
    const carom_model *m = sys->model;
    const double *rate, *bend, h = w->end.x;
    local_end(sys, w, v_end, &rate, &bend);
    for (int i = 0; i < sys->nv; i++) {
        double c[3], v0 = w->start.v[i], a0 = w->start.a[i];
        quintic(w, i, rate, bend, c);
        w->xi[i] = r * (h * v0 + r * (h * h * a0 / 2 + r * (c[0] + r * (c[1] + r * c[2]))));
        v[i] = v0 + r * (h * a0 + r * (3 * c[0] + r * (4 * c[1] + r * 5 * c[2])) / h);
    }
    carom_model_drift(m, w->start.q, w->xi, q);
    if (m->manifold)
        m->manifold->velocity(m->user, w->xi, v, v);
}

/* Work of the forces over the step, in the modes before its end: Gauss quadrature of order 6. */
static carom_status account(carom_step *s, carom_piecewise *w, const double *v_end)
{
    static const double node[] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    carom_system *sys = s->system;
    for (int k = 0; k < 3; k++) {
        double t = s->now->t + node[k] * w->end.x, h = weight[k] * w->end.x;
        carom_piecewise_inside(sys, w, node[k], v_end, w->shift_q, w->shift_v);
        CAROM_TRY(
            carom_given_accel(&w->given, sys, t, w->shift_q, w->shift_v, 0, w->probe.a, w->force, s->error));
        for (int i = 0; i < sys->nlink && carom_modes_any(sys, w->modes); i++)
            for (int r = sys->link[i].row; r < sys->link[i].row + sys->link[i].rows; r++) {
                double work = w->force[r] * carom_row_dot(sys, r, w->shift_v);
                double moving = sys->link[i].contact < 0 ? work : -w->force[r] * sys->at.w[r];
                s->record->work_constraints += h * moving;
                if (r >= sys->link[i].row + carom_link_normals(&sys->link[i])) /* a closed gap does not move */
                    s->record->friction += h * (moving - work);
            }
        carom_slide_energy(&w->given.slide, sys, t, w->shift_q, w->shift_v);
        carom_record_work(s->record, sys->at.energy, h);
    }
    return CAROM_OK;
}

static void tell_changes(carom_step *s)
{
    for (int c = 0; c < s->system->model->ncontact; c++)
        if (s->now->mode[c] != s->next->mode[c])
            carom_record_event(s->record, &(carom_event){.type = carom_event_of(s->now->mode[c], s->next->mode[c]),
                                                         .t = s->next->t, .contact = c});
}

/* (1), (2): w->end at the end of an accepted step; h_next proposed. */
static carom_status smooth(carom_step *s, carom_piecewise *w)
{
    double h = carom_piecewise_slip_limit(s, w, s->h), norm = 0;
    double longest = s->field[MAX_STEP], period = s->system->model->period;
    if (longest == 0) /* a system at rest has no error, but forces that grow may move it */
        longest = (period > 0 ? CAROM_MIN(period, s->options->t_end) : s->options->t_end) / 20;
    h = CAROM_MIN(h, longest);
    carom_stiff_choose(s, w, (carom_stiff_method)(int)s->field[METHOD]);
    CAROM_TRY(carom_piecewise_gradients(s, w));
    for (int k = 0;; k++) {
        carom_status status = carom_piecewise_trial(s, w, h, &w->end, &norm);
        norm = norm >= 0 ? norm / (w->tableau ? 1 : CAROM_TOL_KAPPA) : INFINITY; /* 0/0: no error, and none allowed */
        double factor = w->tableau ? carom_stiff_factor(s, w, h, norm) : norm > 0 ? 0.9 * pow(norm, -0.2) : 5;
        if (status == CAROM_OK && norm <= 1) {
            s->h_next = h * CAROM_MIN(5, CAROM_MAX(0.2, factor));
            CAROM_TRY(carom_stiff_watch(s, w, h, norm));
            return carom_piecewise_mean_force(s, w, h);
        }
        if (status != CAROM_OK && status != CAROM_NOT_FINITE && status != CAROM_NOT_CONVERGED &&
            (status != CAROM_NO_SOLUTION || h < 1e-9 * s->options->t_end))
            return carom_piecewise_no_slip(s, w, status);
        s->system->info->rejected++;
        h *= status == CAROM_OK ? CAROM_MAX(0.2, factor) : 0.1;
        if (s->now->t + h == s->now->t || h < 1e-14 * s->h)
            CAROM_FAIL(s->error, status == CAROM_OK ? CAROM_TOLERANCE : status,
                       "tolerance: the step fell to %.2g at t = %.10g without meeting rtol = %.2g, atol = %.2g", h,
                       s->now->t,
                       s->options->rtol, s->options->atol);
    }
}

void carom_piecewise_show(carom_step *s, carom_piecewise *w)
{
    const carom_system *sys = s->system;
    carom_copy(sys->nq, w->end.q, s->next->q);
    carom_copy(sys->nv, w->end.v, s->next->v);
    for (int c = 0; c < sys->model->ncontact; c++)
        w->modes[c].impacts = w->modes[c].mode == CAROM_OPEN ? w->modes[c].impacts : 0;
    for (int c = 0; c < sys->model->ncontact; c++)
        s->next->mode[c] = mode_of(sys, carom_contact_link(sys, c), w->modes[c].mode);
}

/* The end of the step becomes the next state, and is told. */
static carom_status hand_over(carom_step *s, carom_piecewise *w, carom_cause cause, const double *v_before)
{
    const carom_system *sys = s->system;
    int nv = sys->nv;
    carom_piecewise_show(s, w);
    if (!carom_all_finite(sys->nq, s->next->q) || !carom_all_finite(nv, s->next->v))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE, "position or velocity is not finite after t = %.10g", s->now->t);
    tell_changes(s);
    if (s->record->observed) {
        stage_segment(s, w, v_before);
        if (cause == CAROM_CAUSE_GAP)
            carom_record_jump(s->record, sys, s->next->t, s->next->q, v_before, s->next->v, s->contacts->P);
    }
    for (int r = 0; r < sys->nrow; r++) {
        s->next->impulse[r] += s->contacts->P[r];
        s->next->u[r] = w->end.u[r];
    }
    return CAROM_OK;
}

/* The step in modes that hold, up to its first event; the end and the event are found. */
static carom_status proceed(carom_step *s, carom_piecewise *w, carom_cause *cause, int *contact)
{
    bool again = true;
    for (int k = 0; again && k < 4; k++) {
        w->given.side = 0, w->given.shares = false;
        carom_piecewise_release(s, w);
        CAROM_TRY(carom_piecewise_measure(s, w, &w->start));
        carom_given_sides(&w->given, s->system);
        carom_piecewise_scales(s, w, w->start.q, w->start.v);
        CAROM_TRY(w->constant ? carom_piecewise_no_slip(s, w, carom_piecewise_fixed_length(s, w)) : smooth(s, w));
        CAROM_TRY(carom_piecewise_recheck_passive(s, w, &again));
    }
    CAROM_TRY(carom_switch_first(s, w));
    CAROM_TRY(carom_piecewise_first_event(s, w, cause, contact));                                      /* (3) */
    return w->critical > 0 ? carom_critical_approach(s, w, cause, *contact) : CAROM_OK;
}

/* What closes the joints must not open or close the gaps that are hit. */
static carom_status project_positions(carom_step *s, carom_piecewise *w, carom_cause cause, int contact)
{
    int nc = s->system->ncontact;
    double side = w->given.side;
    if (cause != CAROM_CAUSE_GAP)
        return carom_piecewise_project(s, w, &w->end, true);
    carom_piecewise_gather(s, w, contact);
    w->given.side = 0; /* was judged without those that are hit: with them slip may be on another */
    carom_modes_copy(nc, w->modes, w->modes_before);
    for (int k = s->system->njoint; k < w->nstruck; k++) {
        int c = w->struck[k] - s->system->njoint;
        if (w->modes[c].mode == CAROM_OPEN && !carom_piecewise_takes_over(s, w, &w->end, c))
            w->modes[c].mode = CAROM_CLOSED;
    }
    CAROM_TRY(carom_piecewise_project(s, w, &w->end, true));
    carom_modes_copy(nc, w->modes_before, w->modes);
    w->given.side = side;
    return CAROM_OK;
}

static bool slips(const carom_step *s, const carom_piecewise *w)
{
    for (int c = 0; c < s->system->ncontact; c++)
        if (w->modes[c].mode == CAROM_SLIP)
            return true;
    return false;
}

/* The step that ends bounces, in which time passes; passed: false where none is due. */
static carom_status settle(carom_step *s, carom_piecewise *w, bool *passed)
{
    *passed = false;
    if (s->memory[CAROM_TOL_SETTLES] > 0)
        CAROM_TRY(carom_piecewise_settle(s, w, passed));
    if (!*passed)
        return CAROM_OK;
    carom_stiff_ended(s, 0);
    CAROM_TRY(count_stalls(s, 0));
    CAROM_TRY(hand_over(s, w, CAROM_CAUSE_NONE, w->ka[0]));
    carom_switch_end(s, w, true);
    return carom_switch_finite(s, w);
}

static carom_status advance(carom_step *s)
{
    carom_piecewise *w = s->work;
    carom_system *sys = s->system;
    int nv = sys->nv;
    carom_cause cause;
    int contact = 0;
    carom_piecewise_take_modes(s, w);
    carom_piecewise_release(s, w);
    w->given.side = 0;
    w->start.x = 0;
    w->averaged = false;
    w->given.slow = 2 * carom_piecewise_freeze_length(s);
    carom_copy(sys->nq, s->now->q, w->start.q);
    carom_copy(nv, s->now->v, w->start.v);
    carom_switch_begin(s, w);
    CAROM_TRY(begin(s, w));
    CAROM_TRY(carom_switch_settle(s, w));
    bool at_once, settled = false;
    CAROM_TRY(carom_piecewise_kink(s, w, &at_once, &cause, &contact));
    if (!at_once)
        CAROM_TRY(settle(s, w, &settled));
    if (settled)
        return CAROM_OK;
    if (!at_once)
        CAROM_TRY(proceed(s, w, &cause, &contact));
    carom_stiff_ended(s, cause == CAROM_CAUSE_NONE ? w->end.x : 0);
    if (cause == CAROM_CAUSE_GAP && w->end.x > 0) /* the next flight is often as long */
        s->h_next = CAROM_MIN(s->h_next, CAROM_MAX(5 * w->end.x, CAROM_MAX(1e-6 * s->h, 64 * DBL_EPSILON * s->now->t)));
    carom_step_advance(s, w->end.x);
    CAROM_TRY(count_stalls(s, contact));
    double *v_before = w->ka[0]; /* free after the last trial but for its end */
    carom_copy(nv, w->end.a, w->ka[CAROM_STAGES - 1]);
    CAROM_TRY(project_positions(s, w, cause, contact));                                          /* (5) */
    if (cause == CAROM_CAUSE_GAP && !at_once && w->critical == 0 && carom_switch_passes(s, w, contact))
        cause = CAROM_CAUSE_NONE;
    CAROM_TRY(carom_piecewise_project(s, w, &w->end, false));
    carom_copy(nv, w->end.v, v_before);
    if (s->record->account && w->end.x > 0)
        CAROM_TRY(account(s, w, v_before));
    CAROM_TRY(carom_piecewise_impulse(s, w, v_before, s->next->impulse));
    memset(s->contacts->P, 0, sizeof(double) * (size_t)sys->nrow);
    if (s->record->observed)
        carom_modes_copy(sys->model->ncontact, w->modes, s->record->modes);
    carom_copy(w->switches.n, w->switches.d, s->record->branches);
    s->record->branched = w->switches.n > 0;
    bool shared = w->given.shares && slips(s, w);
    if (cause == CAROM_CAUSE_NONE && carom_piecewise_about_to_stick(s, w, &contact))
        cause = CAROM_CAUSE_SLIP_END;
    if (cause != CAROM_CAUSE_NONE && cause != CAROM_CAUSE_MARGIN)
        CAROM_TRY(carom_piecewise_transition(s, w, cause, contact));                                   /* (4) */
    if (shared)
        carom_record_share(s->record, s->now->t);
    CAROM_TRY(hand_over(s, w, cause, v_before));
    carom_switch_end(s, w, cause == CAROM_CAUSE_GAP);
    return carom_switch_finite(s, w);
}

static carom_status step(carom_step *s)
{
    carom_piecewise *w = s->work;
    w->asked_rtol = s->options->rtol, w->asked_atol = s->atol;
    return carom_piecewise_step(s);
}

carom_status carom_piecewise_step(carom_step *s)
{
    carom_piecewise *w = s->work;
    w->given.slide.n = 0;
    carom_status status = advance(s);
    s->system->frozen = 0;
    return status;
}

const carom_scheme carom_scheme_tolerance = {
    .method = {.name = "tolerance",
               .doc = "error-controlled steps that end at their events; give rtol and atol",
               .ref = "Dormand and Prince (1980), J. Comput. Appl. Math. 6, 19-26",
               .fields = fields},
    .orders = orders,
    .traits = CAROM_LOCATES_EVENTS | CAROM_CHOOSES_STEPS | CAROM_KEEPS_TOLERANCE | CAROM_KEEPS_MODES |
              CAROM_TELLS_MODES | CAROM_FOLLOWS_LINKS,
    .requests = requests,
    .segments = 1,
    .rules = carom_piecewise_rules,
    .laws = CAROM_LAW_SLANTED | CAROM_LAW_PULLS | CAROM_LAW_ALONG | CAROM_LAW_SPEEDS,
    .switches = true,
    .accepts = accepts,
    .degree = 5,
    .memory = carom_piecewise_memory,
    .work_bytes = sizeof(carom_piecewise),
    .layout = carom_piecewise_layout,
    .start = start,
    .step = step,
};
