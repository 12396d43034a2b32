/* schatzman_paoli.c: the position-level scheme of Schatzman and Paoli, for n degrees of freedom.
 * Sources: V. Acary, INRIA RR-7151 (2009), (22)-(24); the impact oscillator of Paoli and Schatzman, (9)-(14) there.
 *
 *   M(q_k) (q_{k+1} - 2 q_k + q_{k-1}) = h^2 F~ + h G(q_k)^T P                        (22a), (10)          (1)
 *   F~ = theta F(t_{k+1}, q_{k+1}, v) + (1 - 2 theta) F(t_k, q_k, v) + theta F(t_{k-1}, q_{k-1}, v)            (2)
 *   v = (q_{k+1} - q_{k-1})/(2 h)                                                     (22b), (11)          (3)
 *   y = g(t_{k+1}, q_{k+1}) + e g(t_{k-1}, q_{k-1}),   0 <= y  _|_  P >= 0            (24), (14)           (4)
 *   joints:   g(t_{k+1}, q_{k+1}) = 0
 *   friction: P_T in -mu P_N Sgn(G_T(q_k) (q_{k+1} - q_k)/h + w_T)                                         (5)
 *   and in the second step of an impact for the impulses of both, P(k) + P(k+1)                           (7)
 *   q_{-1} = q_0 - h v_0 + h^2/2 a_0, so that q_1 = q_0 + h v_0 + h^2/2 a_0           (9)                  (6)
 *
 * Where positions are no vectors q_{k+1} - q_k is the local coordinates of q_{k+1} around q_k, q_k - q_{k-1} likewise.
 *
 * An impact takes two steps with multipliers, q_{m+2} = -e q_m and q_{m+3} = -e q_{m+1} for a free particle, and the
 * outgoing line is 2 h late. Newton's method for d = q_{k+1} - q_k on (1), (2) with the gaps linearised at the last
 * iterate.
 *
 * The velocity of the state at t_{k+1} is (3), the velocity at t_k: it LAGS by h (at t_1 it is v_0). Order 2 in q and
 * 1 in v in smooth motion; 1 through impacts (in L1 of v; none in the maximum norm). theta >= 1/4 is A-stable, but
 * for a first step of h omega > 2, whose explicit start lifts the energy once; theta = 0 is stable for h omega < 2.
 * Penetrates by e times the gap two steps before: O(h), none for e = 0.
 * How it differs from the papers: M and the directions of P are taken at q_k, where (1) is centred (with M(q_{k+1})
 * order 2 would be lost; joints make it SHAKE). The papers leave F~ open, (2) is symmetric. They take g at (q_{k+1} +
 * e q_{k-1})/(1 + e): (4) is the same for affine gaps and allows for a different e at every contact and for moving
 * ones. Friction, which they do not have, acts on the sliding of the step (5); by (7) an impact obeys Coulomb's law
 * as a whole, wherever it falls in its steps. Tangential restitution is refused: it would act in both steps of an
 * impact. Energy: (d/h)^2/2 and the potential at half steps balance in (1), so the state's energy, of a v and a q
 * that are h apart, is off by O(h |v F|), bounded. In the two steps of an impact it dips and recovers: it never
 * exceeds the largest of the three steps before by more than O(h^2). e = 1 is symmetric in time: a ball's height
 * changes by O(h) with an impact and does not drift away.
 *
 * The grid is fixed: a step that is shorter than h ends inside of it, on the parabola through the nodes (the chord
 * while a contact has a multiplier), and the step after it ends at the next node. */
#include <string.h>

#include "core/dense.h"
#include "schemes/schatzman_paoli/schatzman_paoli.h"

static const carom_field fields[] = {
    {"theta", CAROM_FIELD_DOUBLE, 0.25, 0, 0.5, NULL, "weight of the forces one step ahead and one step back"},
    {0},
};
static const unsigned requests[] = {
    CAROM_GAP,
    CAROM_LAW,
    CAROM_FORCE,
    CAROM_MASS,
    CAROM_MASS | CAROM_JACOBIAN,
    CAROM_GAP | CAROM_JACOBIAN,
    CAROM_R_Q | CAROM_R_V,
    CAROM_MASS | CAROM_FORCE,
    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA,
    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
    0,
};

typedef carom_paoli_work work;

static void layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    work *w = work_of_step;
    int nv = system->nv, n = system->nrow;
    double **const vectors[] = {&w->d, &w->d_back, &w->d_free, &w->d_new, &w->v_c, &w->F};
    for (int i = 0; i < CAROM_COUNT(vectors); i++)
        CAROM_PLACE(layout, *vectors[i], nv);
    CAROM_PLACE(layout, w->x, system->nq);
    CAROM_PLACE(layout, w->r, system->nq);
    carom_rows_place(layout, system, &w->rows_k);
    carom_rows_place(layout, system, &w->rows_u);
    CAROM_PLACE(layout, w->x0, n + system->model->ncoupling);
    CAROM_PLACE(layout, w->y, system->nlink);
    CAROM_PLACE(layout, w->g_back, system->nlink);
    CAROM_PLACE(layout, w->on, system->nlink);
    carom_newton_place(layout, system, &w->A);
}

static int memory(const carom_system *system)
{
    return 2 * system->nq + 1 + (system->ncontact) + system->nrow;
}

static void orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = *impact = 1; /* the velocity lags */
}

/* ---- one step ---- */

/* The whole step of the grid has been done: state, memory, modes, energy. */
static void arrive(carom_step *s, work *w, const carom_paoli_memory *to)
{
    carom_system *sys = s->system;
    double h = s->options->h;
    carom_copy(sys->nq, w->q, to->q_back);
    carom_copy(sys->nq, w->x, to->q_node);
    carom_copy(sys->nq, w->x, s->next->q);
    carom_copy(sys->nv, w->v_c, s->next->v);
    *to->phase = 0;
    s->record->residual = s->contacts->nactive ? s->contacts->solve.residual : 0;
    carom_paoli_status(s, w);
    if (!s->record->account)
        return;
    for (int i = 0; i < sys->nv; i++)
        w->d_new[i] = w->d[i] / h, w->d_free[i] = w->d_back[i] / h;
    carom_contact_account(s->contacts, sys, h, w->t, w->q, w->v_c, w->d_free, w->d_new, s->record);
}

/* Ends inside of the grid, at node k + part; only the clock of the memory goes on. */
static void pause_at(carom_step *s, work *w, const carom_paoli_memory *from, const carom_paoli_memory *to, double part)
{
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    double share = (part - *from->phase) / (1 - *from->phase);
    bool chord = false;
    memcpy(s->memory_next, s->memory, sizeof(double) * (size_t)memory(sys));
    *to->phase = part;
    for (int i = sys->njoint; i < sys->nlink; i++)
        chord |= s->contacts->P[sys->link[i].row] > 0;
    for (int i = 0; i < sys->nv; i++) {
        double bend = chord ? 0 : 0.5 * (w->d[i] - w->d_back[i]);
        w->d_new[i] = (w->d[i] - bend) * part + bend * part * part;
        s->next->v[i] = now->v[i] + share * (w->v_c[i] - now->v[i]);
    }
    carom_system_drift(sys, w->q, w->d_new, 1, s->next->q);
    carom_copy(sys->nrow, now->impulse, s->next->impulse);
    carom_copy(sys->nrow, now->u, s->next->u);
    memcpy(s->next->mode, now->mode, (size_t)sys->model->ncontact);
    for (int r = 0; r < sys->nrow; r++)
        s->contacts->P[r] *= part - *from->phase; /* its part of the mean force */
}

static carom_status step(carom_step *s)
{
    work *w = s->work;
    carom_system *sys = s->system;
    const carom_paoli_memory from = carom_paoli_memory_at(sys, s->memory),
                             to = carom_paoli_memory_at(sys, s->memory_next);
    double h = s->options->h, part = *from.phase + s->h / h;
    if (part > 1 + 2e-6)
        part = 1, s->h = (1 - *from.phase) * h;
    carom_step_advance(s, s->h);
    w->t = s->now->t - *from.phase * h;
    w->q = from.q_node, w->q_back = from.q_back;
    CAROM_TRY(carom_paoli_newton(s, w));
    for (int i = 0; i < sys->nv; i++)
        w->v_c[i] = (w->d[i] + w->d_back[i]) / (2 * h);
    carom_system_drift(sys, w->q, w->d, 1, w->x);
    for (int r = 0; r < sys->nrow; r++)
        s->contacts->P[r] /= h;
    if (part > 1 - 1e-6)
        arrive(s, w, &to);
    else
        pause_at(s, w, &from, &to, part);
    return carom_step_finish(s, false); /* the velocity turns in two steps: no jump */
}

static carom_status start(carom_step *s)
{
    work *w = s->work;
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    const carom_state *now = s->now;
    double h = s->options->h, *a = w->d_new;
    const carom_paoli_memory to = carom_paoli_memory_at(sys, s->memory_next);
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++)
        if (carom_link_closed(&sys->link[i], now->mode))
            c->active[c->nactive++] = i;
    CAROM_TRY(carom_contact_accel_decide(c, sys, now->t, now->q, now->v, now->mode, now->u, a, w->x0, s->error));
    for (int i = 0; i < sys->nv; i++)
        w->d[i] = -h * now->v[i] + 0.5 * h * h * a[i];                                           /* (6) */
    carom_system_drift(sys, now->q, w->d, 1, to.q_back);
    carom_copy(sys->nq, now->q, to.q_node);
    *to.phase = 0;
    return CAROM_OK;
}

/* The phase space of a two-step scheme: (q_k, (q_k - q_{k-1})/h) */
static void phase(const carom_system *system, double h, const double *memory, double *x)
{
    const carom_paoli_memory at = carom_paoli_memory_at(system, memory);
    carom_copy(system->nq, at.q_node, x);
    for (int i = 0; i < system->nv; i++)
        x[system->nq + i] = (at.q_node[i] - at.q_back[i]) / h;
}

static void displace(const carom_system *system, double h, const double *d, double *memory)
{
    const carom_paoli_memory at = carom_paoli_memory_at(system, memory);
    for (int i = 0; i < system->nq; i++) {
        at.q_node[i] += d[i];
        at.q_back[i] += d[i] - h * d[system->nq + i];
    }
}

const carom_scheme carom_scheme_schatzman_paoli = {
    .method =
        {.name = "schatzman-paoli",
         .doc =
             "position-level scheme of Schatzman and Paoli, two-step; order 2 in q between impacts, 1 through them; "
             "its "
             "velocities are centred and lag by one step",
         .ref = "Acary (2009), INRIA RR-7151, (22)-(24)",
         .fields = fields},
    .orders = orders,
    .traits = CAROM_NODAL | CAROM_FOLLOWS_LINKS | CAROM_BY_POSITIONS,
    .requests = requests,
    .segments = 1,
    .degree = 2,
    .memory = memory,
    .memory_contact = 1, /* held */
    .memory_row = 1,     /* u_in */
    .phase = phase,
    .displace = displace,
    .work_bytes = sizeof(work),
    .layout = layout,
    .start = start,
    .step = step,
};
