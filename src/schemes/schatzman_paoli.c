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
 * An impact takes two steps with multipliers, q_{m+2} = -e q_m and q_{m+3} = -e q_{m+1} for a free particle, and the outgoing
 * line is 2 h late. Newton's method for d = q_{k+1} - q_k on (1), (2) with the gaps linearised at the last iterate.
 *
 * The velocity of the state at t_{k+1} is (3), the velocity at t_k: it LAGS by h. Order 2 in q and 1 in v in smooth motion; 1
 * through impacts (in L1 of v; none in the maximum norm). theta >= 1/4 is A-stable; theta = 0 is stable for h omega < 2.
 * Penetrates by e times the gap two steps before: O(h), none for e = 0.
 * How it differs from the papers: M and the directions of P are taken at q_k, where (1) is centred (with M(q_{k+1}) order 2
 * would be lost; joints make it SHAKE). The papers leave F~ open, (2) is symmetric. They take g at (q_{k+1} + e q_{k-1})/(1 + e):
 * (4) is the same for affine gaps and allows for a different e at every contact and for moving ones. Friction, which they do not
 * have, acts on the sliding of the step (5); by (7) an impact obeys Coulomb's law as a whole, wherever it falls in its steps.
 * Tangential restitution is refused: it would act in both steps of an impact.
 * Energy: (d/h)^2/2 and the potential at half steps balance in (1), so the state's energy, of a v and a q that are h apart, is off
 * by O(h |v F|), bounded. In the two steps of an impact it dips and recovers: it never exceeds the largest of the three steps
 * before by more than O(h^2). e = 1 is symmetric in time: a ball's height changes by O(h) with an impact and does not drift away.
 *
 * The grid is fixed: a step that is shorter than h ends inside of it, on the parabola through the nodes (the chord while a contact
 * has a multiplier), and the step after it ends at the next node. */
#include <string.h>

#include "core/dense.h"
#include "schemes/schatzman_paoli.h"

enum { THETA };
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
    double **const vectors[] = {&w->d, &w->d_back, &w->d_free, &w->d_new, &w->r, &w->v_c, &w->F};
    for (int i = 0; i < CAROM_COUNT(vectors); i++)
        CAROM_PLACE(layout, *vectors[i], nv);
    CAROM_PLACE(layout, w->x, system->nq);
    CAROM_PLACE(layout, w->G_k, n * nv);
    CAROM_PLACE(layout, w->w_k, n);
    CAROM_PLACE(layout, w->G_u, n * nv);
    CAROM_PLACE(layout, w->x0, n);
    CAROM_PLACE(layout, w->y, system->nlink);
    CAROM_PLACE(layout, w->g_back, system->nlink);
    CAROM_PLACE(layout, w->on, system->nlink);
    CAROM_PLACE(layout, w->A.A, nv * nv);
    CAROM_PLACE(layout, w->A.pivot, nv);
    w->A.n = nv, w->A.symmetric = false;
}

static int memory(const carom_system *system)
{
    return 2 * system->nq + 1 + (system->nlink - system->njoint) + system->nrow;
}

static void orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = *impact = 1; /* the velocity lags */
}

/* ---- one iteration ---- */

/* F += weight F(t, q, v) */
static void add_force(carom_step *s, work *w, double weight, double t, const double *q)
{
    if (weight == 0)
        return;
    carom_system_eval(s->system, CAROM_FORCE, t, q, w->v_c);
    for (int i = 0; i < s->system->nv; i++)
        w->F[i] += weight * s->system->at.F[i];
}

/* The derivative of (1) by d, factored: M + theta h^2 R_q + h/2 R_v with R = -F. */
static carom_status linearise(carom_step *s, work *w, const carom_factor **A)
{
    static const double one = 1;
    carom_system *sys = s->system;
    int nv = sys->nv;
    double theta = s->field[THETA], h = s->options->h;
    *A = &sys->mass;
    if (sys->no_gradients)
        return carom_mass_factor(sys, w->t, s->error);
    sys->at.a = sys->at.x = sys->zero, sys->at.s = &one;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V, w->t + h, w->x, w->v_c);
    for (int i = 0; i < nv * nv; i++)
        w->A.A[i] = sys->at.M[i] + theta * h * h * sys->at.R_q[i] + 0.5 * h * sys->at.R_v[i];
    if (!carom_lu(nv, w->A.A, w->A.pivot))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED, "schatzman-paoli: the Newton matrix is singular at t = %.10g, h = %.3g", w->t, h);
    *A = &w->A;
    return CAROM_OK;
}

/* d_free: (1) and (2) without P, linearised at d */
static carom_status free_step(carom_step *s, work *w, const carom_factor **A)
{
    carom_system *sys = s->system;
    double theta = s->field[THETA], h = s->options->h;
    int nv = sys->nv;
    for (int i = 0; i < nv; i++) {
        w->v_c[i] = (w->d[i] + w->d_back[i]) / (2 * h);                                          /* (3) */
        w->r[i] = w->d[i] - w->d_back[i];
        w->F[i] = 0;
    }
    carom_system_drift(sys, w->q, w->d, 1, w->x);
    add_force(s, w, theta, w->t + h, w->x);                                                      /* (2) */
    add_force(s, w, 1 - 2 * theta, w->t, w->q);
    add_force(s, w, theta, w->t - h, w->q_back);
    for (int i = 0; i < nv; i++)
        w->d_free[i] = carom_dot(nv, sys->at.M + i * nv, w->r) - h * h * w->F[i];                /* (1) */
    CAROM_TRY(linearise(s, w, A));
    carom_factor_solve(*A, w->d_free);
    for (int i = 0; i < nv; i++)
        w->d_free[i] = w->d[i] - w->d_free[i];
    return CAROM_OK;
}

static inline double restitution(const carom_system *sys, const carom_link *link)
{
    return link->contact < 0 ? 0 : sys->at.law[4 * link->contact];
}

/* Does d_free violate (4), or is a link in the problem already? */
static bool touches(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    bool any = sys->njoint > 0;
    for (int i = 0; i < sys->nlink; i++)
        any |= w->on[i] != 0;
    if (any || sys->nlink == 0)
        return any;
    carom_system_drift(sys, w->q, w->d_free, 1, w->r);
    carom_system_eval(sys, CAROM_GAP, w->t + s->options->h, w->r, w->v_c);
    for (int i = 0; i < sys->nlink; i++)
        any |= !(sys->at.g[i] + restitution(sys, &sys->link[i]) * w->g_back[i] >= 0);
    return any;
}

/* y of (4) for d_free, linearised at d; the rows in which gaps (at x) and sliding (at q_k) are measured. */
static void measure(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    size_t nv = (size_t)sys->nv, bytes = sizeof(double) * (size_t)sys->nrow * nv;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, w->t + s->options->h, w->x, w->v_c);
    memcpy(w->G_u, w->G_k, bytes);
    for (int i = 0; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double *G = w->G_u + (size_t)link->row * nv;
        memcpy(G, sys->at.G + (size_t)link->row * nv, sizeof(double) * nv);
        w->y[i] = sys->at.g[i] + restitution(sys, link) * w->g_back[i];
        for (int j = 0; j < sys->nv; j++)
            w->y[i] += G[j] * (w->d_free[j] - w->d[j]);
    }
    memcpy(sys->at.G, w->G_k, bytes);
    memcpy(sys->at.w, w->w_k, sizeof(double) * (size_t)sys->nrow);
}

/* The links whose y is negative for d (linearised) and that are not in the problem yet, put into it. */
static bool join(carom_step *s, work *w, const double *d)
{
    const carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    bool any = false;
    for (int i = 0; i < sys->nlink; i++) {
        const double *G = w->G_u + sys->link[i].row * sys->nv;
        double y = w->y[i], size = 0;
        for (int j = 0; j < sys->nv; j++) {
            y += G[j] * (d[j] - w->d_free[j]);
            size += fabs(G[j] * d[j]);
        }
        if (w->on[i] || (i >= sys->njoint && y >= -1e-15 * size))
            continue;
        any = true, w->on[i] = 1;
    }
    c->nactive = 0;
    for (int i = 0; i < sys->nlink; i++)
        if (w->on[i])
            c->active[c->nactive++] = i;
    return any;
}

static carom_status decide(carom_step *s, work *w)
{
    do
        CAROM_TRY(carom_contacts_solve(s->contacts, s->system, w->t, s->error));
    while (carom_contacts_break_loose(s->contacts, s->system, s->now->mode));
    return CAROM_OK;
}

/* Contacts with friction in the second step of an impact: their law (7) holds for the impulse of both steps. */
static bool second_step(carom_step *s, work *w)
{
    const carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    const carom_paoli_memory from = carom_paoli_memory_at(sys, s->memory);
    bool any = false;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int row = c->problem.block[k].row;
        bool second = link->rows > 1 && from.held[link->contact] == 1 && c->solve.x[row] > 0;
        for (int j = 0; j < link->rows; j++)
            w->x0[row + j] = second ? s->options->h * s->now->impulse[link->row + j] : 0;
        any |= second;
    }
    c->problem.x0 = any ? w->x0 : NULL;
    return any;
}

/* d_new with (4) and (5); the problem is posed in lengths: x = h P. */
static carom_status project(carom_step *s, work *w, const carom_factor *A)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    int nv = sys->nv;
    carom_contacts_pose(c, sys, A, w->G_u);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        const double *law = link->contact < 0 ? NULL : sys->at.law + 4 * link->contact;
        carom_block *block = &c->problem.block[k];
        c->problem.b[block->row] = w->y[c->active[k]];                                           /* (4) */
        for (int j = 1; j < link->rows; j++) {
            int r = link->row + j;
            c->problem.b[block->row + j] = carom_dot(nv, w->G_k + r * nv, w->d_free) + s->options->h * w->w_k[r]; /* (5) */
        }
        if (law)
            block->mu = s->now->mode[link->contact] == CAROM_STICK ? CAROM_MAX(law[2], law[3]) : law[2];
        if (law && link->rows > 1 && law[1] != 0)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "schatzman-paoli has no tangential restitution (contact '%s': %g at t = %.10g)",
                       link->name, law[1], w->t);
    }
    carom_contact_consistent(c, sys->njoint, c->problem.n, c->problem.W, c->problem.b);
    CAROM_TRY(decide(s, w));
    if (second_step(s, w))
        CAROM_TRY(decide(s, w));                                                                 /* (7) */
    carom_contacts_apply(c, sys, w->d_free, w->d_new, c->P);                                     /* (1) */
    return CAROM_OK;
}

static carom_status iterate(carom_step *s, work *w)
{
    const carom_factor *A;
    CAROM_TRY(free_step(s, w, &A));
    carom_copy(s->system->nv, w->d_free, w->d_new);
    if (!touches(s, w))
        return CAROM_OK;
    measure(s, w);
    join(s, w, w->d_free);
    if (s->contacts->nactive == 0)
        return CAROM_OK;
    do
        CAROM_TRY(project(s, w, A));
    while (join(s, w, w->d_new));
    return CAROM_OK;
}

/* ---- one step of the grid ---- */

/* What does not change in the iterations: M, G, w, e at node k, gaps at node k - 1. */
static void prepare(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    size_t rows = (size_t)sys->nrow;
    s->contacts->nactive = 0;
    s->contacts->solve.residual = 0;
    for (int r = 0; r < sys->nrow; r++)
        s->contacts->P[r] = 0;
    for (int i = 0; i < sys->nv; i++)
        w->d[i] = w->d_back[i] = w->q[i] - w->q_back[i];
    if (sys->nlink == 0) {
        carom_system_eval(sys, CAROM_MASS, w->t, w->q, s->now->v);
        return;
    }
    memset(w->on, 0, (size_t)sys->nlink);
    carom_system_eval(sys, CAROM_GAP, w->t - s->options->h, w->q_back, s->now->v);
    memcpy(w->g_back, sys->at.g, sizeof(double) * (size_t)sys->nlink);
    if (sys->model->ncontact)
        carom_system_eval(sys, CAROM_LAW, w->t, w->q, s->now->v);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN, w->t, w->q, s->now->v);
    memcpy(w->G_k, sys->at.G, sizeof(double) * rows * (size_t)sys->nv);
    memcpy(w->w_k, sys->at.w, sizeof(double) * rows);
}

static carom_status newton(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    unsigned affine = CAROM_MASS | CAROM_R_Q | CAROM_R_V | (sys->nlink ? CAROM_JACOBIAN : 0);
    bool linear = (sys->known & affine) == affine;
    double before = 0, tol = s->options->newton_tol, stall = CAROM_MAX(tol, 10 * s->options->contact_tol);
    double rounding = 4e-16 * (1 + carom_norm_max(sys->nq, w->q));
    for (int k = 1;; k++) {
        CAROM_TRY(iterate(s, w));
        sys->info->newton_iterations++;
        for (int i = 0; i < nv; i++)
            w->r[i] = w->d_new[i] - w->d[i];
        carom_copy(nv, w->d_new, w->d);
        double change = carom_norm_max(nv, w->r), rate = k > 1 ? change / before : 1;
        double size = CAROM_MAX(carom_norm_max(nv, w->d_free), carom_norm_max(nv, w->d_new));
        double goal = (k > 2 && rate >= 0.5 && s->contacts->nactive ? stall : tol) * size + rounding;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE, "schatzman-paoli: position is not finite after the step from t = %.10g with h = %.3g",
                       w->t, s->options->h);
        if (linear || change <= goal || (rate < 0.5 && rate / (1 - rate) * change <= goal))
            return CAROM_OK;
        if (k == s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "schatzman-paoli: Newton's last change is %.2g after %d iterations at t = %.10g with h = %.3g; a smaller h helps",
                       change, k, w->t, s->options->h);
        before = change;
    }
}

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
    s->stage->residual = s->contacts->nactive ? s->contacts->solve.residual : 0;
    carom_paoli_status(s, w);
    if (!s->stage->account)
        return;
    for (int i = 0; i < sys->nv; i++)
        w->d_new[i] = w->d[i] / h, w->d_free[i] = w->d_back[i] / h;
    carom_contact_account(s->contacts, sys, h, w->t, w->q, w->v_c, w->d_free, w->d_new, s->stage);
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
    const carom_paoli_memory from = carom_paoli_memory_at(sys, s->memory), to = carom_paoli_memory_at(sys, s->memory_next);
    double h = s->options->h, part = *from.phase + s->h / h;
    if (part > 1 + 2e-6)
        part = 1, s->h = (1 - *from.phase) * h;
    carom_step_advance(s, s->h);
    w->t = s->now->t - *from.phase * h;
    w->q = from.q_node, w->q_back = from.q_back;
    prepare(s, w);
    CAROM_TRY(newton(s, w));
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
        if (i < sys->njoint || now->mode[i - sys->njoint] != CAROM_OPEN)
            c->active[c->nactive++] = i;
    CAROM_TRY(carom_contact_accel_decide(c, sys, now->t, now->q, now->v, now->mode, now->u, a, w->w_k, s->error));
    for (int i = 0; i < sys->nv; i++)
        w->d[i] = -h * now->v[i] + 0.5 * h * h * a[i];                                           /* (6) */
    carom_system_drift(sys, now->q, w->d, 1, to.q_back);
    carom_copy(sys->nq, now->q, to.q_node);
    *to.phase = 0;
    return CAROM_OK;
}

const carom_scheme carom_scheme_schatzman_paoli = {
    .method = {.name = "schatzman-paoli",
               .doc = "position-level scheme of Schatzman and Paoli, two-step; order 2 in q between impacts, 1 through them; its "
                      "velocities are centred and lag by one step",
               .ref = "Acary (2009), INRIA RR-7151, (22)-(24)",
               .fields = fields},
    .orders = orders,
    .requests = requests,
    .segments = 1,
    .degree = 2,
    .memory = memory,
    .work_bytes = sizeof(work),
    .layout = layout,
    .start = start,
    .step = step,
};
