/* crank_nicolson.c: Crank-Nicolson with impacts inside the step.
 * Source: a correction of the scheme of Paoli and Schatzman for the impact oscillator, section "Correction of a
 * numerical scheme", equations (21)-(38).
 *
 * variant = consistent (the standard): the paper's idea for n degrees of freedom, M(q), joints, contacts and friction.
 *   a step h is cut at its events; each piece is
 *   Crank-Nicolson for the modes at its start            (26)-(28), flow.c                                    (1)
 *   the first event on its parabola                      (30)-(34), events.c                                  (2)
 *   q, v there: on the parabola; where joints or closed contacts bind, (1) again, with the length of the piece; then
 *   q is
 *   projected on joints, closed contacts and the ones reached                                                 (3)
 *   reached:  velocity-level problem, rest if the bounce cannot be resolved   (35)-(37), impact.c                 (4)
 *   let go, broken loose, stopped:  acceleration-level problem; slip of other contacts that is next to none stops
 *   with the one that stops: feet of one body come to rest together                                           (5)
 *   a closed gap, or a slip, whose velocity jumps (a table that stops, a belt that starts): located and let go,
 *   struck if it closes                                                                                       (6)
 * Order 2 in smooth motion, at rest, through impacts, stick and slip in one and two directions (maximum norm away
 * from the instants of impact): the parabola's error at an event is O(h^2), once per event. A step that needs more
 * than 96 pieces ends early.
 * How it differs from the paper: V^n instead of (Uhat - U)/dt in (31) and (37), which makes the first order a second
 * and guarantees the root: no halving and no (38). A step ends at t + h also when there was an impact. The rest is
 * not in the paper. Gaps are not violated at nodes beyond rounding; joints hold to rounding in g, and in u.
 * Energy: under constant forces flights and impacts are exact, so an elastic ball keeps its energy to rounding.
 * Linear forces without impacts: kept to rounding. Else an impact may gain or lose m |u da/dt| h^2/8 (the parabola),
 * nonlinear forces and curved constraints O(h^3) per step, of either sign. Newton's law of impact with friction may
 * itself create energy for e near 1. Limits: events are looked for at the end of a piece, and dips of a gap where its
 * velocity turns: a contact that opens and closes twice within a piece is overlooked. Contacts reached at one instant
 * are solved simultaneously.
 *
 * variant = printed: printed.c. One coordinate, order 1 through impacts, may stop in a deadlock. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/crank_nicolson/crank_nicolson.h"

#define HALTED 1e-5 /* of the slip that forces make in a step */
enum { VARIANT };
enum { PRINTED, CONSISTENT };
static const carom_field fields[] = {
    {"variant", CAROM_FIELD_ENUM, CONSISTENT, 0, 1, "printed consistent",
     "the equations as printed, or their consistent form"},
    {0},
};
static const unsigned requests[] = {CAROM_GAP,
                                    CAROM_LAW,
                                    CAROM_JACOBIAN,
                                    CAROM_GAP | CAROM_JACOBIAN,
                                    CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS,
                                    CAROM_MASS | CAROM_JACOBIAN,
                                    CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW,
                                    CAROM_MASS | CAROM_FORCE,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_LAW,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
                                    CAROM_R_Q | CAROM_R_V,
                                    0};

static void layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    carom_cn *w = work_of_step;
    int nq = system->nq, nv = system->nv, nrow = system->nrow, nlink = system->nlink, nc = system->ncontact;
    double **positions[] = {&w->at.q, &w->q1, &w->qs};
    double **velocities[] = {&w->at.v, &w->a0, &w->v1, &w->vs, &w->a1, &w->v_free, &w->v_new, &w->v_old, &w->a_d};
    double **rows[] = {&w->at.impulse, &w->at.u, &w->x0, &w->x1, &w->u0, &w->u1, &w->x_d, &w->jump, &w->slip};
    carom_link_mode **modes[] = {&w->modes, &w->modes1, &w->modes_p};
    double **links[] = {&w->g0, &w->g1, &w->g_bar};
    for (int i = 0; i < CAROM_COUNT(positions); i++)
        CAROM_PLACE(layout, *positions[i], nq);
    for (int i = 0; i < CAROM_COUNT(velocities); i++)
        CAROM_PLACE(layout, *velocities[i], nv);
    for (int i = 0; i < CAROM_COUNT(rows); i++)
        CAROM_PLACE(layout, *rows[i], nrow);
    for (int i = 0; i < CAROM_COUNT(links); i++)
        CAROM_PLACE(layout, *links[i], nlink);
    for (int i = 0; i < CAROM_COUNT(modes); i++)
        CAROM_PLACE(layout, *modes[i], nc);
    CAROM_PLACE(layout, w->at.mode, nc);
    CAROM_PLACE(layout, w->touch, nc);
    CAROM_PLACE(layout, w->scale, nlink);
    carom_newton_place(layout, system, &w->K);
    carom_given_layout(layout, &w->given, system);
}

static void orders(const double *field, double *smooth, double *impact)
{
    *smooth = 2;
    *impact = field[VARIANT] == PRINTED ? 1 : 2;
}

static carom_status accepts(const carom_model *model, const double *field, carom_error *error)
{
    return field[VARIANT] == PRINTED ? carom_cn_printed_accepts(model, error) : CAROM_OK;
}

static int memory(const carom_system *system)
{
    (void)system;
    return CAROM_CN_MEMORY;
}

static carom_status start(carom_step *s)
{
    const carom_system *sys = s->system;
    s->memory_next[CAROM_CN_STRUCK] = s->now->t;
    s->memory_next[CAROM_CN_DECIDED] = 0;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const double *u = s->now->u + link->row;
        double size = link->law->tangents ? hypot(u[1], link->law->tangents > 1 ? u[2] : 0) : 0;
        for (int j = 1; size > 0 && j < link->rows; j++)
            s->modes_next[link->contact].direction[j - 1] = u[j] / size;
    }
    return CAROM_OK;
}

/* A slip in two directions that slows down is followed in pieces that do not run into its end: it may turn there. One
 * that is rounding alone, where others stick, is not followed. */
static double longest(const carom_step *s, const carom_cn *w)
{
    const carom_system *sys = s->system;
    double dt = s->h - w->tau;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        if (link->law->tangents < 2 || w->at.mode[link->contact] != CAROM_SLIP)
            continue;
        double u[2], a[2], scale = 0;
        for (int j = 0; j < 2; j++) {
            int r = link->row + 1 + j;
            u[j] = carom_row_speed(sys, r, w->at.v);
            a[j] = carom_row_accel(sys, r, w->a0);
            scale += carom_scale_speed(sys, r, w->at.v) + s->h * carom_scale_speed(sys, r, w->a0);
        }
        if (u[0] * a[0] + u[1] * a[1] < 0 && hypot(u[0], u[1]) > 1e-9 * scale)
            dt = fmin(dt, fmax(0.5 * hypot(u[0], u[1]) / hypot(a[0], a[1]), s->h / 256));
    }
    return dt;
}

/* To the event: (3) */
static carom_status move_to(carom_step *s, carom_cn *w, double x)
{
    const carom_system *sys = s->system;
    bool still = x <= 1e-14 * s->h;
    if (w->links && !still) {
        CAROM_TRY(carom_cn_flow(s, w, x));
    } else {
        carom_cn_dense(sys, w, still ? 0 : x);
        carom_copy(sys->nq, w->qs, w->q1);
        carom_copy(sys->nv, w->vs, w->v1);
    }
    w->stall = still ? w->stall + 1 : 0;
    return carom_cn_move(s, w, still ? 0 : x);
}

/* (5): their directions say nothing any more, and would have friction drive them. */
static void halt(carom_step *s, carom_cn *w, int contact)
{
    const carom_system *sys = s->system;
    carom_system_eval(s->system, CAROM_JACOBIAN, w->at.t, w->at.q, w->at.v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double u[2] = {0}, scale = 0;
        if (!link->law->tangents || w->at.mode[link->contact] != CAROM_SLIP)
            continue;
        for (int j = 0; j < link->law->tangents; j++) {
            int r = link->row + carom_link_normals(link) + j;
            u[j] = carom_row_speed(sys, r, w->at.v);
            scale += carom_scale_speed(sys, r, w->at.v) + s->h * carom_scale_speed(sys, r, w->a0);
        }
        if (link->contact == contact || hypot(u[0], u[1]) <= HALTED * scale)
            carom_cn_mode(s, w, link->contact, CAROM_STICK);
    }
}

static carom_status happen(carom_step *s, carom_cn *w, const carom_cn_event *event)
{
    if (event->kind == CAROM_CN_HIT)
        w->touch[event->contact] = 1;
    CAROM_TRY(move_to(s, w, event->s));
    if (event->kind == CAROM_CN_HIT)
        return carom_cn_impact(s, w);                                                                    /* (4) */
    if (event->kind == CAROM_CN_TURN) { /* slip jumps to the other side, and friction with it */
        carom_system_eval(s->system, CAROM_JACOBIAN, w->at.t, w->at.q, w->at.v);
        carom_cn_tangential(s->system, w, carom_contact_link(s->system, event->contact), w->at.v);
        return CAROM_OK;
    }
    if (event->kind == CAROM_CN_HALT)
        halt(s, w, event->contact);
    CAROM_TRY(carom_cn_decide(s, w, true));                                                              /* (5) */
    /* slip that only turns round has no velocity to lose: at a dead centre its row vanishes, the motion does not */
    return event->kind == CAROM_CN_HALT && w->at.mode[event->contact] == CAROM_STICK ? carom_cn_velocities(s, w)
                                                                                    : CAROM_OK;
}

/* ---- (6) ---- */

/* The velocity of a closed contact's gap, or of the slip of one that sticks, at w->vs. */
static double jump_of(const carom_system *sys, const carom_cn *w, const carom_link *link, bool tangential)
{
    int normals = carom_link_normals(link), mode = w->at.mode[link->contact];
    double u[2] = {0};
    if (tangential ? mode != CAROM_STICK : mode == CAROM_OPEN || !normals)
        return 0;
    for (int j = 0; j < (tangential ? link->law->tangents : 1); j++)
        u[j] = carom_row_speed(sys, link->row + (tangential ? normals : 0) + j, w->vs);
    return hypot(u[0], u[1]);
}

/* The trial of length dt, and the largest velocity at its end that the accelerations of its start leave to what is
 * held: O(dt^2) where motion is smooth, its jump where a closed gap or a slip has a kink. */
static carom_status unexpected(carom_step *s, carom_cn *w, double dt, double *most)
{
    carom_system *sys = s->system;
    CAROM_TRY(carom_cn_flow(s, w, dt));
    carom_system_eval(sys, CAROM_JACOBIAN, w->at.t + dt, w->q1, w->v1);
    for (int i = 0; i < sys->nv; i++)
        w->vs[i] = w->at.v[i] + dt * w->a0[i];
    *most = 0;
    for (int i = sys->njoint; i < sys->nlink; i++)
        *most = fmax(*most, fmax(jump_of(sys, w, &sys->link[i], false), jump_of(sys, w, &sys->link[i], true)));
    return CAROM_OK;
}

/* To the kink, and over it from low to high of the trial: what is closed there opens, so that it leaves or is struck;
 * what sticks and is torn loose slips. */
static carom_status cross(carom_step *s, carom_cn *w, double low, double high, double jump)
{
    enum { OPENS = 1, SLIPS };
    carom_system *sys = s->system;
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double slip = jump_of(sys, w, link, true);
        w->touch[link->contact] = jump_of(sys, w, link, false) > 0.5 * jump ? OPENS : slip > 0.5 * jump ? SLIPS : 0;
        for (int j = 0; w->touch[link->contact] == SLIPS && j < link->law->tangents; j++)
            w->modes[link->contact].direction[j] =
                carom_row_speed(sys, link->row + carom_link_normals(link) + j, w->vs) / slip;
    }
    CAROM_TRY(move_to(s, w, low));
    for (int c = 0; c < sys->model->ncontact; c++) {
        if (w->touch[c])
            carom_cn_mode(s, w, c, w->touch[c] == OPENS ? CAROM_OPEN : CAROM_SLIP);
        w->touch[c] = 0;
    }
    CAROM_TRY(carom_cn_accelerate(s, w, false));
    CAROM_TRY(carom_cn_flow(s, w, high - low));
    return carom_cn_move(s, w, high - low);
}

/* Gaps and slips with branches whose velocity jumps while they are held: a table that stops, a belt that starts. */
static carom_status kink(carom_step *s, carom_cn *w, bool *crossed)
{
    const double dt = w->dt;
    double all, at, below = 0, low = 0, high = dt, a = 0;
    *crossed = false;
    CAROM_TRY(unexpected(s, w, dt, &all));
    for (int i = s->system->njoint; i < s->system->nlink; i++)
        a = fmax(a, carom_scale_speed(s->system, s->system->link[i].row, w->a0));
    if (!(all > dt * a) || all == 0)
        return CAROM_OK;
    while (high - low > 1e-8 * dt) {
        double x = 0.5 * (low + high);
        CAROM_TRY(unexpected(s, w, x, &at));
        if (at > 0.25 * all)
            high = x;
        else
            low = x, below = at;
    }
    CAROM_TRY(unexpected(s, w, high, &at));
    *crossed = below < 0.1 * at;
    return *crossed ? cross(s, w, low, high, at) : carom_cn_flow(s, w, dt);
}

static carom_status consistent(carom_step *s, carom_cn *w)
{
    enum { MOST = 10 * CAROM_CN_PIECES };
    if (s->memory[CAROM_CN_DECIDED] == 0 && carom_cn_several(s->system, w))
        CAROM_TRY(carom_cn_decide(s, w, false)); /* who carries what */
    s->memory_next[CAROM_CN_DECIDED] = 1;
    for (int piece = 0; w->tau < s->h && (piece < CAROM_CN_PIECES || w->tau == 0); piece++) {
        carom_cn_event event;
        if (piece == MOST)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED, "crank-nicolson: time stands still at t = %.10g after %d events",
                       w->at.t, MOST);
        CAROM_TRY(carom_cn_accelerate(s, w, false));
        CAROM_TRY(carom_cn_flow(s, w, longest(s, w)));                                                   /* (1) */
        bool crossed = false;
        if (s->system->model->nswitch && w->links)
            CAROM_TRY(kink(s, w, &crossed));                                                             /* (6) */
        if (crossed)
            continue;
        CAROM_TRY(carom_cn_first(s, w, &event));                                                         /* (2) */
        if (event.kind == CAROM_CN_NONE)
            CAROM_TRY(carom_cn_move(s, w, w->dt));
        else
            CAROM_TRY(happen(s, w, &event));
    }
    return CAROM_OK;
}

static carom_status step(carom_step *s)
{
    carom_cn *w = s->work;
    const carom_system *sys = s->system;
    w->at.t = s->now->t;
    w->tau = 0, w->stall = 0;
    carom_copy(CAROM_CN_MEMORY, s->memory, s->memory_next);
    carom_copy(sys->nq, s->now->q, w->at.q);
    carom_copy(sys->nv, s->now->v, w->at.v);
    memset(w->at.impulse, 0, sizeof(double) * (size_t)sys->nrow);
    carom_modes_copy(sys->model->ncontact, s->modes, w->modes);
    memcpy(w->at.mode, s->now->mode, (size_t)sys->model->ncontact);
    memset(w->touch, 0, (size_t)sys->model->ncontact);
    CAROM_TRY(s->field[VARIANT] == PRINTED ? carom_cn_printed(s, w) : consistent(s, w));
    return carom_cn_end(s, w);
}

const carom_scheme carom_scheme_crank_nicolson = {
    .method = {.name = "crank-nicolson",
               .doc = "Crank-Nicolson, impacts located on a parabola inside the step; order 2 also through impacts",
               .ref = "correction of Paoli and Schatzman's scheme for the impact oscillator, (26)-(38)",
               .fields = fields},
    .orders = orders,
    .traits = CAROM_LOCATES_EVENTS | CAROM_KEEPS_MODES,
    .laws = CAROM_LAW_SPEEDS,
    .requests = requests,
    .segments = CAROM_CN_PIECES,
    .degree = 2,
    .memory = memory,
    .accepts = accepts,
    .work_bytes = sizeof(carom_cn),
    .layout = layout,
    .start = start,
    .step = step,
};
