/* modes.c: what happens at the end of a step: impacts, new modes, and where friction leaves none. Numbers in
 * parentheses are those of a section. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

/* ---- friction that has no solution, or more than one: named states that end a run.
 *
 *   inconsistent   no mode of the closed contacts holds: d of given_modes.c (6) went to 0 in slip with gddot < 0
 *                  without the force (it has a pole there), or all modes were tried in vain                         (1)
 *   not unique     several modes hold, with different accelerations: the model does not say what happens           (2)
 *
 * d is tested at every stage, before forces are looked at: behind the pole their signs mean nothing. Modes are tried
 * whenever they are decided, by contact/painleve.c. */

static carom_status stop(carom_step *s, carom_paradox paradox, double t, int contact, double p, double b)
{
    carom_info *info = s->system->info;
    const char *name = CAROM_LINK_NAME(s->system, carom_contact_link(s->system, contact));
    info->paradox = paradox, info->paradox_contact = contact, info->paradox_time = t;
    info->paradox_id = carom_contact_link(s->system, contact)->id;
    if (paradox == CAROM_INCONSISTENT)
        CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
                   "inconsistent at t = %.10g: friction of contact '%s' leaves no mode that holds (Painleve: its "
                   "normal force has the "
                   "effect p = %.2g, gddot without it is %.3g)", t, name, p, b);
    CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
               "not unique at t = %.10g: friction of contact '%s' lets several modes hold with different "
               "accelerations (Painleve: its "
               "normal force has the effect p = %.2g, gddot without it is %.3g)", t, name, p, b);
}

/* The force that was positive before the pole says that gddot without it was negative; told is what holds before the
 * pole. */
carom_status carom_piecewise_no_slip(carom_step *s, carom_piecewise *w, carom_status status)
{
    carom_given_modes *f = &w->given;
    if (status != CAROM_NO_SOLUTION || f->slip < 0)
        return status;
    f->side = 0;
    CAROM_TRY(carom_piecewise_measure(s, w, &w->start));
    carom_given_sides(f, s->system);
    return stop(s, CAROM_INCONSISTENT, s->now->t, f->slip, f->slip_p, f->slip_b);                /* (1) */
}

/* The status, or the named state in which friction ends the run; after accel_decide. */
static carom_status unique(carom_step *s, carom_piecewise *w, double t, carom_status status)
{
    if (status == CAROM_NO_MEMORY) /* for the problem: there is none to look at */
        return status;
    carom_painleve found = carom_contact_painleve(s->contacts, s->system, &w->painleve);
    if (found.solutions == 0 && status == CAROM_NO_SOLUTION)
        return stop(s, CAROM_INCONSISTENT, t, found.contact, found.p, found.b);                  /* (1) */
    if (found.solutions > 1)
        return stop(s, CAROM_NOT_UNIQUE, t, found.contact, found.p, found.b);                    /* (2) */
    return status;
}

/* ---- the impact at the end of a step.
 *
 *   J = hit + closed + { open: g <= 64 eps (L + U x), u < 0 }, x: time since the last impact, whose velocities have
 *       errors of rounding                                                                                 (1)
 *   v+ from v- on J by the rule that the model asks for (contact/rules.c)                                  (2)
 *   where impacts do not end: a light body between heavy ones that close is struck ever faster, and its gaps have gone
 *       below rounding long before the heavy ones are slow. J with all g <= 64 eps (L + U x); v+ is the limit  (3)
 *
 * Where |J| > 1 another rule is evaluated, too: by how much they differ is part of the result
 * (carom_info.law_difference). */

const carom_impact_rule *const carom_piecewise_rules[] = {&carom_rule_simultaneous, &carom_rule_sequential,
                                                          &carom_rule_poisson, NULL};

static bool collapses(const carom_step *s)
{
    return s->memory_next[CAROM_TOL_STALLS] > CAROM_COLLAPSE;
}

/* (1), (3) */
void carom_piecewise_gather(carom_step *s, carom_piecewise *w, int hit)
{
    carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double flight = s->now->t + e->x - s->memory[CAROM_TOL_STRUCK];
    int n = 0;
    carom_system_eval(sys, CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, s->now->t + e->x, e->q, e->v);
    carom_piecewise_scales(s, w, e->q, e->v);
    for (int i = 0; i < sys->nlink; i++) {
        int k = sys->link[i].contact;
        if (k >= 0 && !carom_law_can(sys->link[i].law, CAROM_OPEN))
            continue;
        if (k < 0 || k == hit || w->modes[k].mode != CAROM_OPEN ||
            (e->g[i] <= 64 * DBL_EPSILON * (w->scale[i].length + w->scale[i].speed * flight) &&
             (e->u[sys->link[i].row] < 0 || collapses(s))))
            w->struck[n++] = i;
    }
    w->nstruck = n;
}

/* The velocities by the rule that the model asks for, and how far the other of the first two is from them: what
 * several contacts do at once is a convention. */
static carom_status solve(carom_step *s, carom_piecewise *w, double *v_new)
{
    int n = w->nstruck;
    const carom_system *sys = s->system;
    const carom_impact_rule *rule = carom_impact_rule_of(sys->model);
    const carom_impact_rule *other =
        rule->throws || collapses(s) ? &carom_rule_simultaneous : &carom_rule_sequential;
    double difference = 0, rest = 0;
    carom_error ignored;
    for (int k = sys->njoint; k < n; k++)
        rest = CAROM_MAX(rest, carom_piecewise_rest(w, w->struck[k]));
    carom_collision x = {.contacts = s->contacts, .system = s->system, .t = s->now->t + w->end.x, .n = n,
                         .links = w->struck, .v = w->end.v, .now = &w->still, .rest = rest,
                         .small = carom_piecewise_freeze_length(s), .v_new = w->probe.a, .error = &ignored};
    bool compared = n > sys->njoint + 1 && other->resolve(&x) == CAROM_OK;
    x.v_new = v_new, x.error = s->error;
    CAROM_TRY(collapses(s) ? carom_rule_collapsed(&x) : rule->resolve(&x));            /* (2), (3) */
    for (int i = 0; compared && i < sys->nv; i++)
        difference = CAROM_MAX(difference, fabs(v_new[i] - w->probe.a[i]));
    if (compared)
        carom_record_laws(s->record, x.t, difference);
    return CAROM_OK;
}

/* A gap that would turn by itself soon: its velocity u follows from how deep it would go, u^2/(2 gddot), so that an
 * error d of position is one of gddot d/u of the velocity; where that is a part of u worth telling, it is told. */
static void note_grazing(carom_step *s, const carom_piecewise *w, const carom_link *link)
{
    double d = carom_piecewise_freeze_length(s) / CAROM_TOL_KAPPA;
    double u = w->end.u[link->row], rate = w->end.udot[link->row];
    if (rate > 0 && u < 0 && rate * d > 0.01 * u * u)
        carom_record_grazing(s->record, s->now->t + w->end.x, rate * d / (u * u));
}

/* What the solution of an impact may leave of velocities that are 0. */
static double unsolved(const carom_step *s, const carom_piecewise *w)
{
    double most = 0;
    for (int k = s->system->njoint; k < w->nstruck; k++)
        most = CAROM_MAX(most, fabs(s->contacts->u_before[s->system->link[w->struck[k]].row]));
    return 10 * s->contacts->solve.tol * most;
}

/* Velocities after an impact of w->struck at w->end; contacts closed where they do not leave. */
static carom_status strike(carom_step *s, carom_piecewise *w, int hit)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    carom_end *e = &w->end;
    double t = s->now->t + e->x;
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, t, e->q, e->v);
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    s->memory_next[CAROM_TOL_STRUCK] = w->still.t = t;
    CAROM_TRY(solve(s, w, w->shift_v));                                                          /* (2) */
    if (s->record->account) {
        memset(c->hit, 1, (size_t)(sys->ncontact));
        carom_contact_account(c, sys, 0, t, e->q, e->v, e->v, w->shift_v, s->record);
    }
    const double left = unsolved(s, w);
    for (int k = sys->njoint; k < w->nstruck; k++) {
        const carom_link *link = &sys->link[w->struck[k]];
        int i = link->contact;
        double rest = carom_piecewise_rest(w, w->struck[k]);
        if (c->u_before[link->row] < -rest || (carom_impact_rule_of(sys->model)->throws && c->P[link->row] > 0)) {
            carom_record_contact(s->record, CAROM_EVENT_IMPACT, s->next->t, link, c->u_before, c->u_after, c->P);
            w->modes[i].impacts++;
            note_grazing(s, w, link);
        }
        bool hovers = i == hit && e->x == 0 && c->u_before[link->row] >= -rest; /* neither struck nor gone */
        if (c->u_after[link->row] > CAROM_MAX(hovers ? 1e3 * rest : rest, left))
            w->modes[i].mode = CAROM_OPEN;
        else if (w->modes[i].mode == CAROM_OPEN)
            w->modes[i].mode = CAROM_CLOSED;
    }
    for (int i = 0; i < sys->ncontact; i++)
        if (w->modes[i].mode != CAROM_OPEN)
            w->modes[i].mode = CAROM_CLOSED; /* to be decided: what stuck may slip now */
    carom_copy(sys->nv, w->shift_v, e->v);
    return CAROM_OK;
}

/* ---- what happens at the end of a step: impacts, new modes, freezing of accumulating impacts.
 *
 *   impact    as above                                                                                              (1)
 *   decide    acceleration-level problem on the closed contacts; x_n > 0: presses, x_n = 0 and gddot = 0: passive,
 *             gddot > 0: opens; udot_t = 0: sticks, else slips along it                                             (2)
 *             after a force or stick event at t + d on the old motion, where the violated inequality is strict      (3)
 *   freeze    freeze.c                                                                                              (4)
 *   project   project.c                                                                                             (5)
 *   spatial   slip never steps across u = 0: h <= 0.9 |u|/dec, dec = -(u/|u|) . udot; when |u|^2/(2 dec) <= k the
 *             last step
 *             is |u|/dec long, along the direction of its start; it sticks then if static friction can hold it, and
 *             with it all others that would stop within k                                                           (6)
 *   redundant contacts share a force as given_modes.c (7) says; when no share is in the law that is an event of all of
 *             them, found at one, and others may be those that change                                               (7)
 *   prestress (contact/prestress.h) is taken out of a solution: the contact whose force it ends first is left out, if
 *             its gap does not close then, otherwise the next                                                  (8)
 *   slow      spatial slip that relaxes at once goes where its acceleration is (given_modes.c (8)), or stops     (9) */

double carom_piecewise_freeze_length(const carom_step *s)
{
    double least = s->options->atol; /* of all coordinates: a gap may be any of them */
    for (int i = 0; i < s->system->nv; i++)
        least = CAROM_MIN(least, s->atol[i]);
    return CAROM_TOL_KAPPA * (least + s->options->rtol * carom_norm_max(s->system->nq, s->now->q));
}

void carom_piecewise_scales(const carom_step *s, carom_piecewise *w, const double *q, const double *v)
{
    double rtol = CAROM_MAX(w->asked_rtol, 1e-9);
    for (int i = 0; i < s->system->nv; i++)
        w->size[i] = 0;
    carom_system_size(s->system, q, w->size);
    for (int i = 0; i < s->system->nv; i++)
        w->size[i] += w->asked_atol[i] / rtol;
    carom_scale_links(s->system, w->size, v, w->given.a_free, w->scale);
}

double carom_piecewise_rest(const carom_piecewise *w, int link)
{
    return 1e-12 * w->scale[link].speed;
}

void carom_piecewise_gross(const carom_system *sys, const carom_piecewise *w, const double *a_free, int m,
                           const double *Y, const double *x)
{
    for (int i = 0; i < sys->nv; i++)
        w->gross[i] = fabs(a_free[i]);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < sys->nv; i++)
            w->gross[i] += fabs(Y[(size_t)k * (size_t)sys->nv + (size_t)i] * x[k]);
}

double carom_piecewise_no_rate(const carom_system *sys, const carom_piecewise *w, int link, const double *a)
{
    carom_rows rows = carom_rows_here(sys);
    int row = sys->link[link].row;
    return 1e-9 * (w->scale[link].accel + carom_rows_reach(sys, &rows, row, a, NULL)) +
           1e-12 * carom_rows_reach(sys, &rows, row, w->gross, NULL);
}

/* What is decided about a contact that presses in a prestress. */
enum { MAY_PRESS, LEFT_OUT, MUST_PRESS };

/* Is friction of a contact that does not slip as large as it may be? */
static bool at_limit(const carom_system *sys, const carom_link *link, const double *x)
{
    double most, size = carom_link_friction(sys, link, true, x, &most);
    return size >= (1 - 1e-9) * most;
}

static carom_status set_modes(carom_step *s, carom_piecewise *w, const double *a)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    for (int k = 0; k < sys->ncontact; k++)
        if (w->prestress.out[k] == LEFT_OUT)
            w->modes[k].mode = CAROM_PASSIVE;
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int i = link->contact, row = c->problem.block[k].row;
        double small = carom_piecewise_no_rate(sys, w, c->active[k], a);
        double rounding = 1e-4 * small; /* of what a force does to its own gap */
        double x = c->solve.x[row] + carom_link_offset(sys, link);
        const double *rate = c->solve.u + row, *slip = rate + carom_link_normals(link);
        if (carom_law_can(link->law, CAROM_OPEN) &&
            !(x * fabs(c->problem.W.dense[row * (c->problem.n + 1)]) > rounding)) {
            w->modes[i].mode = rate[0] > small ? CAROM_OPEN : CAROM_PASSIVE;
        } else if (!link->law->tangents || carom_link_smooth(sys, link)) {
            w->modes[i].mode = CAROM_CLOSED;
        } else if (w->mode[i] == CAROM_SLIP) {
            w->modes[i].mode = CAROM_SLIP;
        } else {
            double size = link->law->tangents > 1 ? hypot(slip[0], slip[1]) : fabs(slip[0]);
            bool slides = size > (w->sharp && at_limit(sys, link, c->solve.x + row) ? rounding : small);
            w->modes[i].mode = slides ? CAROM_SLIP : CAROM_STICK;
            if (slides) {
                w->modes[i].direction[0] = slip[0] / size;
                w->modes[i].direction[1] = link->law->tangents > 1 ? slip[1] / size : 0;
            }
        }
    }
    return CAROM_OK;
}

/* The problem of the contacts that are not open and not left out */
static carom_status solve_modes(carom_step *s, carom_piecewise *w, double t, const double *q, const double *v,
                                carom_error *error)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++) {
        int k = sys->link[i].contact;
        if (k < 0 || (w->modes[k].mode != CAROM_OPEN && w->prestress.out[k] != LEFT_OUT))
            c->active[c->nactive++] = i;
    }
    return carom_contact_accel_decide(c, sys, t, q, v, w->mode, w->probe.u, w->shift_v, w->force, error);
}

/* Do those that are left out stay closed or open by themselves? */
static bool left_out_hold(const carom_step *s, const carom_piecewise *w)
{
    const carom_system *sys = s->system;
    bool hold = true;
    for (int i = sys->njoint; i < sys->nlink; i++)
        if (w->prestress.out[sys->link[i].contact] == LEFT_OUT)
            hold &= carom_row_accel(sys, sys->link[i].row, w->shift_v) >=
                    -carom_piecewise_no_rate(sys, w, i, w->shift_v);
    return hold;
}

/* (8): the contact that a prestress lets go first when it is taken away, -1: none may */
static int first_to_go(const carom_step *s, const carom_piecewise *w)
{
    double least = INFINITY;
    int first = -1;
    for (int c = 0; c < s->system->ncontact; c++) {
        const carom_link *link = carom_contact_link(s->system, c);
        double n = w->prestress.n[c], x = w->force[link->row] + carom_link_offset(s->system, link);
        if (n > 0 && w->prestress.out[c] == MAY_PRESS && x / n < least)
            least = x / n, first = c;
    }
    return first;
}

/* (8): the solution that was found goes on without prestress; where there is none, it stays as it is. */
static carom_status release_prestress(carom_step *s, carom_piecewise *w, double t, const double *q, const double *v)
{
    carom_contacts *c = s->contacts;
    unsigned char *out = w->prestress.out;
    bool friction = false;
    for (int k = s->system->njoint; k < c->nactive; k++)
        friction |= c->problem.block[k].law->tangents > 0;
    int last = -1;
    while (friction) {
        carom_error ignored;
        carom_status status = last < 0 ? CAROM_OK : solve_modes(s, w, t, q, v, &ignored);
        if (status == CAROM_OK)
            carom_piecewise_gross(s->system, w, c->a_free, c->problem.n, c->Y, c->solve.x);
        bool wrong = last >= 0 && (status != CAROM_OK || !left_out_hold(s, w));
        if (wrong && out[last] == MUST_PRESS)
            break;
        if (wrong) {
            out[last] = MUST_PRESS;
            continue;
        }
        if (!carom_contact_prestress(c, s->system, &w->prestress))
            return CAROM_OK;
        last = first_to_go(s, w);
        if (last < 0)
            break;
        out[last] = LEFT_OUT;
    }
    memset(out, MAY_PRESS, (size_t)s->system->ncontact);
    return friction ? solve_modes(s, w, t, q, v, s->error) : CAROM_OK;
}

/* The slip of a contact along its tangents; those that stick do not slip: what a trial leaves of their velocity is its
 * error, and would tell the direction of slip wrongly. 0: it does not. */
static double slip_of(const carom_step *s, const carom_piecewise *w, const carom_link *link, const double *v, double *u)
{
    const carom_system *sys = s->system;
    bool stuck = w->modes[link->contact].mode == CAROM_STICK;
    u[0] = u[1] = 0;
    for (int j = 0; !stuck && j < link->law->tangents; j++)
        u[j] = carom_row_speed(sys, link->row + carom_link_normals(link) + j, v);
    double size = hypot(u[0], u[1]);
    return size > 1e-11 * w->scale[carom_contact_number(sys, link->contact)].speed ? size : 0;
}

/* Slip in a plane, as strong as what sticks, that is so slow that its direction relaxes at once (given_modes.c (5)). */
static bool relaxes(const carom_step *s, const carom_piecewise *w, const carom_link *link, double size)
{
    const double push[3] = {1, 0, 0};
    double moving, resting;
    if (link->law->tangents < 2)
        return false;
    carom_link_friction(s->system, link, false, push, &moving);
    carom_link_friction(s->system, link, true, push, &resting);
    return moving == resting && !(size > carom_given_slow_speed(&w->given, s->system, link));
}

/* (9): slip that relaxes, but would stick, is stopping: it is held to its direction. */
static bool hold_stopping(const carom_step *s, carom_piecewise *w, const double *v)
{
    const carom_system *sys = s->system;
    const carom_contacts *c = s->contacts;
    bool any = false;
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        const double *rate = c->solve.u + c->problem.block[k].row + carom_link_normals(link);
        double u[2];
        if (link->law->tangents < 2 || w->mode[link->contact] == CAROM_SLIP || slip_of(s, w, link, v, u) == 0 ||
            hypot(rate[0], rate[1]) > carom_piecewise_no_rate(sys, w, c->active[k], w->shift_v))
            continue;
        w->mode[link->contact] = CAROM_SLIP;
        any = true;
    }
    return any;
}

/* (2): modes of the contacts that are not open, from the problem at (t, q, v). */
carom_status carom_piecewise_decide(carom_step *s, carom_piecewise *w, double t, const double *q, const double *v)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    memset(w->prestress.out, MAY_PRESS, (size_t)sys->ncontact);
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++)
        if (carom_mode_of(&sys->link[i], w->modes) != CAROM_OPEN)
            c->active[c->nactive++] = i;
    if (c->nactive == sys->njoint)
        return CAROM_OK;
    carom_system_eval(sys, CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, t, q, v);
    carom_piecewise_scales(s, w, q, v);
    for (int k = sys->njoint; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int i = link->contact;
        double u[2], size = slip_of(s, w, link, v, u);
        w->mode[i] = link->law->tangents ? CAROM_STICK : CAROM_CLOSED;
        if (size > 0)
            w->modes[i].direction[0] = u[0] / size, w->modes[i].direction[1] = u[1] / size;
        if (size > 0 && !relaxes(s, w, link, size))
            w->mode[i] = CAROM_SLIP;
    }
    carom_modes_directions(sys, w->modes, w->probe.u);
    do {
        CAROM_TRY(unique(s, w, t, solve_modes(s, w, t, q, v, s->error)));
        carom_piecewise_gross(sys, w, c->a_free, c->problem.n, c->Y, c->solve.x);
    } while (hold_stopping(s, w, v));                                                                /* (9) */
    carom_copy(sys->nv, c->a_free, w->given.a_free);
    carom_piecewise_scales(s, w, q, v);
    CAROM_TRY(release_prestress(s, w, t, q, v));
    carom_piecewise_gross(sys, w, c->a_free, c->problem.n, c->Y, c->solve.x);
    return set_modes(s, w, w->shift_v);
}

/* Do all inequalities of the closed contacts hold at w->end in the present modes, and does nothing begin to slide? */
static carom_status holds(carom_step *s, carom_piecewise *w, bool *answer)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double *a = w->probe.a, *x = w->force;
    CAROM_TRY(carom_given_accel(&w->given, s->system, s->now->t + e->x, e->q, e->v,
                                        CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, a, x, s->error));
    carom_piecewise_gross(sys, w, w->given.a_free, w->given.equations.m, w->given.equations.Y, w->given.equations.x);
    *answer = true;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        int c = link->contact, r = link->row, role = w->modes[c].mode, normals = carom_link_normals(link);
        double y = normals ? x[r] + carom_link_offset(sys, link) : INFINITY, most;
        double small = carom_piecewise_no_rate(sys, w, i, a);
        if (role == CAROM_PASSIVE)
            *answer &= carom_row_accel(sys, r, a) >= -small;
        else if (role == CAROM_CLOSED)
            *answer &= y >= 0;
        if (role != CAROM_STICK)
            continue;
        double rate = carom_row_accel(sys, r + normals, a), size = carom_link_friction(sys, link, true, x + r, &most);
        *answer &= y > 0 && fabs(rate) <= small && size <= most * (1 + 1e-9);
    }
    return CAROM_OK;
}

/* Have other contacts modes in which all of them hold at w->end? */
static carom_status others_change(carom_step *s, carom_piecewise *w, bool *done)
{
    for (int c = 0; c < s->system->ncontact; c++)
        *done |= w->modes[c].mode != w->modes_before[c].mode;
    return *done ? holds(s, w, done) : CAROM_OK;
}

/* Contacts that carry nothing at once, though they carried a part of the load and stay closed: where slip has hardly
 * begun shares are not found, and one solution of many is taken. They slip on, with the share that their modes have. */
static bool relieved(const carom_step *s, const carom_piecewise *w, bool slip)
{
    const carom_system *sys = s->system;
    double most = 0;
    bool any = false;
    for (int c = 0; c < sys->ncontact; c++)
        if (carom_link_normals(carom_contact_link(sys, c)))
            most = CAROM_MAX(most, w->end.force[carom_contact_link(sys, c)->row]);
    for (int c = 0; c < sys->ncontact; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        if (w->modes[c].mode != CAROM_PASSIVE || !carom_mode_carries(w->modes_before[c].mode) ||
            link->law->tangents < 2 || !(w->end.force[link->row] > 1e-3 * most))
            continue;
        any = true;
        if (slip)
            w->modes[c].mode = CAROM_SLIP;
    }
    return any;
}

/* Modes at a time d after w->end, on its motion. */
static carom_status decide_at(carom_step *s, carom_piecewise *w, double d)
{
    const carom_end *e = &w->end;
    carom_modes_copy(s->system->ncontact, w->modes_before, w->modes);
    carom_system_drift(s->system, e->q, e->v, d, w->shift_q);
    for (int i = 0; i < s->system->nv; i++)
        w->probe.v[i] = e->v[i] + d * e->a[i];
    return carom_piecewise_decide(s, w, s->now->t + e->x + d, w->shift_q, w->probe.v);
}

/* (3): d grows until the contact whose inequality was violated has a new mode. */
static carom_status look_ahead(carom_step *s, carom_piecewise *w, int contact, bool *found)
{
    int nc = s->system->ncontact, before = w->modes_before[contact].mode;
    double T = s->options->t_end / 20, least = CAROM_MIN(1e-7 * T, 1e-2 * s->h); /* seen in the accelerations */
    double d = CAROM_MAX(least, 1e-3 * CAROM_MIN(sqrt(2 * w->asked_rtol) * T, s->h));
    *found = false;
    for (int k = 0; k < 8; k++, d *= 4) {
        CAROM_TRY(decide_at(s, w, d));
        bool done = w->modes[contact].mode != before;
        if (k >= 2 && !done) /* others may make up for it */
            CAROM_TRY(others_change(s, w, &done));
        if (done && !relieved(s, w, false)) {
            *found = true;
            return CAROM_OK;
        }
        if (done && !*found)
            carom_modes_copy(nc, w->modes, w->modes_struck);
        *found |= done;
    }
    if (*found) {
        carom_modes_copy(nc, w->modes_struck, w->modes);
        relieved(s, w, true);
    }
    return CAROM_OK;
}

/* Slip that begins slower than what modes are judged by is slip where sticking has no force that holds. */
static carom_status decide_ahead(carom_step *s, carom_piecewise *w, int contact)
{
    bool found;
    carom_modes_copy(s->system->ncontact, w->modes, w->modes_before);
    CAROM_TRY(look_ahead(s, w, contact, &found));
    if (found)
        return CAROM_OK;
    w->sharp = true;
    carom_status status = look_ahead(s, w, contact, &found);
    w->sharp = false;
    CAROM_TRY(status);
    if (found)
        return CAROM_OK;
    CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
               "tolerance: the force of contact '%s' leaves its law at t = %.10g, but no other mode holds",
               CAROM_LINK_NAME(s->system, carom_contact_link(s->system, contact)), s->now->t + w->end.x);
}

/* Modes anew at a time d after the start, on the motion of the start. */
static carom_status decide_after_start(carom_step *s, carom_piecewise *w, double d)
{
    const carom_system *sys = s->system;
    carom_modes_copy(sys->ncontact, w->modes_before, w->modes);
    carom_system_drift(sys, w->start.q, w->start.v, d, w->shift_q);
    for (int k = 0; k < sys->nv; k++)
        w->probe.v[k] = w->start.v[k] + d * w->start.a[k];
    return carom_piecewise_decide(s, w, s->now->t + d, w->shift_q, w->probe.v);
}

/* Are modes others than before? */
static bool changed_modes(const carom_step *s, const carom_piecewise *w)
{
    for (int c = 0; c < s->system->ncontact; c++)
        if (w->modes[c].mode != w->modes_before[c].mode)
            return true;
    return false;
}

/* Has slip turned about? Friction along its new direction would drive what it holds up to then. */
static bool turned_about(const carom_step *s, const carom_piecewise *w)
{
    for (int c = 0; c < s->system->ncontact; c++) {
        const double *d = w->modes[c].direction, *before = w->modes_before[c].direction;
        if (w->modes[c].mode == CAROM_SLIP && w->modes_before[c].mode == CAROM_SLIP &&
            d[0] * before[0] + d[1] * before[1] < 0)
            return true;
    }
    return false;
}

/* Contacts that hold what they cannot all hold: their gaps part. What is held is decided where that is seen, as soon as
 * it is, and before slip turns about. */
static carom_status part(carom_step *s, carom_piecewise *w, bool *changed)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    int nc = sys->ncontact;
    bool parts = false;
    for (int c = 0; c < nc; c++) {
        const carom_link *link = carom_contact_link(sys, c);
        parts |= carom_mode_carries(w->modes[c].mode) && carom_link_normals(link) &&
                 fabs(e->udot[link->row]) > carom_piecewise_no_rate(sys, w, carom_contact_number(sys, c), e->a);
    }
    if (!parts)
        return CAROM_OK;
    carom_modes_copy(nc, w->modes, w->modes_before);
    for (double d = 1e-6 * e->x; !*changed && d < e->x; d *= 8) {
        CAROM_TRY(decide_after_start(s, w, d));
        if (turned_about(s, w))
            break;
        *changed = changed_modes(s, w);
    }
    if (*changed)
        return CAROM_OK;
    carom_modes_copy(nc, w->modes_before, w->modes);
    CAROM_TRY(carom_piecewise_decide(s, w, s->now->t + e->x, e->q, e->v));
    *changed = changed_modes(s, w) && !turned_about(s, w);
    if (!*changed) /* nor have directions: slip that turned within the step is an event of it */
        carom_modes_copy(nc, w->modes_before, w->modes);
    return CAROM_OK;
}

/* What a trial leaves of the velocities of contacts that are held, over their scales: no more is no motion. */
static double drift(const carom_system *sys, const carom_piecewise *w)
{
    double most = 0;
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c);
        double u = fabs(w->end.u[sys->link[i].row]);
        if (carom_mode_carries(w->modes[c].mode) && carom_link_normals(&sys->link[i]) && u > most * w->scale[i].speed)
            most = u / w->scale[i].speed;
    }
    return most;
}

carom_status carom_piecewise_recheck_passive(carom_step *s, carom_piecewise *w, bool *changed)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    *changed = false;
    CAROM_TRY(part(s, w, changed));
    if (*changed)
        return CAROM_OK;
    const double drifted = drift(sys, w);
    for (int c = 0; c < sys->ncontact; c++) {
        int i = carom_contact_number(sys, c), r = sys->link[i].row;
        if (w->modes[c].mode != CAROM_PASSIVE)
            continue;
        double rate = carom_piecewise_no_rate(sys, w, i, e->a);
        double u_small = CAROM_MAX(1e-11, 4 * drifted) * w->scale[i].speed, g_small = 1e-12 * w->scale[i].length;
        g_small = CAROM_MAX(g_small, u_small * e->x);
        bool pressed = e->udot[r] < -rate || e->u[r] < -u_small || e->g[i] < -g_small;
        if (!pressed && (e->g[i] > g_small || e->u[r] > u_small)) {
            w->modes[c].mode = CAROM_OPEN; /* it left without ever being pressed */
            *changed = true;
        }
        carom_modes_copy(sys->ncontact, w->modes, w->modes_before);
        for (double d = 1e-6 * e->x; pressed && w->modes[c].mode == CAROM_PASSIVE && d < e->x; d *= 8)
            CAROM_TRY(decide_after_start(s, w, d));
        if (w->modes[c].mode == CAROM_PASSIVE) /* the others keep theirs */
            carom_modes_copy(sys->ncontact, w->modes_before, w->modes);
        if (w->modes[c].mode == CAROM_PASSIVE && w->start.u[r] < -u_small)
            w->modes[c].mode = CAROM_OPEN; /* no force can stop it: it is struck */
        *changed |= w->modes[c].mode != CAROM_PASSIVE;
    }
    return CAROM_OK;
}

/* Deceleration of spatial slip along its own direction, and its speed. */
static double deceleration(const carom_step *s, const carom_piecewise *w, const carom_end *e, int contact, double *size)
{
    const carom_link *link = carom_contact_link(s->system, contact);
    const double *u = e->u + link->row, *rate = e->udot + link->row;
    *size = link->law->tangents > 1 && w->modes[contact].mode == CAROM_SLIP ? hypot(u[1], u[2]) : 0;
    return *size > 0 ? -(u[1] * rate[1] + u[2] * rate[2]) / *size : 0;
}

/* What friction alone does to the slip of a contact at the start. */
static double friction(const carom_step *s, carom_piecewise *w, int contact)
{
    const carom_system *sys = s->system;
    int row = carom_contact_link(sys, contact)->row;
    carom_row_mix(sys, row + 1, w->start.force[row + 1], w->start.force[row + 2], w->shift_v);
    carom_mass_solve(sys, w->shift_v);
    return hypot(carom_row_dot(sys, row + 1, w->shift_v), carom_row_dot(sys, row + 2, w->shift_v));
}

/* (7); for explicit methods friction must not turn slip about within a step. */
static double graded(const carom_step *s, carom_piecewise *w, int contact, double size)
{
    const double *rate = w->start.udot + carom_contact_link(s->system, contact)->row;
    double T = s->options->t_end / 20, fast = hypot(rate[1], rate[2]), h = w->full;
    if (!w->tableau->implicit) {
        fast = CAROM_MAX(fast, friction(s, w, contact));
        h = CAROM_MIN(h, size / fast);
    }
    return size < fast * T ? CAROM_MIN(h, w->full * pow(size / (fast * T), 1 - 1.0 / w->tableau->order)) : h;
}

double carom_piecewise_slip_limit(const carom_step *s, carom_piecewise *w, double h)
{
    for (int c = 0; c < s->system->ncontact; c++) {
        double size, dec = deceleration(s, w, &w->start, c, &size);
        bool stops = dec > 0 && !w->given.creeps[c];
        w->given.holds[c] = stops && size * size / (2 * dec) <= carom_piecewise_freeze_length(s);              /* (6) */
        if (stops)
            h = CAROM_MIN(h, (w->given.holds[c] ? 1 : 0.9) * size / dec);
        if (w->constant && size > 0 && !w->given.holds[c] && !w->given.creeps[c])
            h = CAROM_MIN(h, graded(s, w, c, size));
    }
    return h;
}

bool carom_piecewise_turning(const carom_step *s, const carom_piecewise *w, double x)
{
    for (int i = s->system->njoint; i < s->system->nlink; i++) {
        const carom_link *link = &s->system->link[i];
        const double *u = w->end.u + link->row, *rate = w->end.udot + link->row;
        if (link->law->tangents > 1 && w->modes[link->contact].mode == CAROM_SLIP &&
            (w->given.creeps[link->contact] || x * hypot(rate[1], rate[2]) > 0.1 * hypot(u[1], u[2])))
            return true;
    }
    return false;
}

bool carom_piecewise_about_to_stick(const carom_step *s, const carom_piecewise *w, int *contact)
{
    for (int c = 0; c < s->system->ncontact; c++) {
        const double *d = w->modes[c].direction;
        int r = carom_contact_link(s->system, c)->row;
        if (w->given.holds[c] && w->modes[c].mode == CAROM_SLIP &&
            d[0] * w->end.u[r + 1] + d[1] * w->end.u[r + 2] <= 0.01 * hypot(w->start.u[r + 1], w->start.u[r + 2])) {
            *contact = c;
            return true;
        }
    }
    return false;
}

void carom_piecewise_release(const carom_step *s, carom_piecewise *w)
{
    for (int c = 0; c < s->system->ncontact; c++)
        w->given.holds[c] = w->given.crept[c] = false;
}

carom_status carom_piecewise_transition(carom_step *s, carom_piecewise *w, carom_cause cause, int contact)
{
    carom_end *e = &w->end;
    double t = s->now->t + e->x;
    w->given.side = 0; /* of modes to come */
    for (int c = 0; cause == CAROM_CAUSE_SLIP_END && c < s->system->ncontact; c++) /* (6): feet halt together */
        if (w->given.holds[c] && w->modes[c].mode == CAROM_SLIP)
            w->modes[c].mode = CAROM_STICK;
    carom_piecewise_release(s, w);
    if (cause == CAROM_CAUSE_FORCE || cause == CAROM_CAUSE_STICK) {
        CAROM_TRY(decide_ahead(s, w, contact));
    } else if (cause == CAROM_CAUSE_SLIP_END) {
        w->modes[contact].mode = CAROM_STICK;
        carom_copy(s->system->nv, e->v, w->probe.v);
        CAROM_TRY(carom_piecewise_project(s, w, e, false));
        carom_piecewise_add_projection_impulse(s, w);
        if (s->record->account)
            carom_piecewise_account_projection(s, w);
        CAROM_TRY(carom_piecewise_decide(s, w, t, e->q, e->v));
    } else if (cause == CAROM_CAUSE_GAP) {
        CAROM_TRY(strike(s, w, contact));
        CAROM_TRY(carom_piecewise_decide(s, w, t, e->q, e->v));
        return carom_piecewise_end_bounces(s, w);
    }
    return carom_piecewise_measure(s, w, e);
}
