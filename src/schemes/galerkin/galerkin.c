/* galerkin.c: time-stepping by time-discontinuous Galerkin methods, families D- and D+ of any degree M.
 * Source: T. Schindler, V. Acary, Math. Comput. Simulation 95 (2013) 180-199: Problems 2.2, 2.3 (M = 0),
 * Algorithms 3.3, 3.4 (M = 1), Problems 3.1, 3.2. Coefficients in table.c; l, k = 0 .. M, t_l = t + c_l h.
 *
 *   q_l = q + h sum_k A[l][k] v_k                                                             (67), (72)      (1)
 *   v_l = v + h sum_k Av[l][k] a_k + s_l M^-1 G^T P      s = 0 in D-                          (69)-(71), (74) (2)
 *   M a_l = F(t_l, q_l, v_l) + G^T lambda_l              contacts at acceleration level                       (3)
 *   q' = q + h sum_k beta_k v_k                                                               (68), (73)      (4)
 *   vf = v + h sum_k beta_k a_k,   v' = vf + M(q')^-1 G(q')^T P                               (71), (75)      (5)
 *
 *   where positions are no vectors: local coordinates xi_l = h sum_k A[l][k] K(xi_k) v_k in (1), (4),              (6)
 *   by repeated substitution
 *
 * (5) follows from the paper's (71) and (75) by sum_l beta_l Av[l][k] = beta_k (1 - c_k). M = 0 has no forces at its
 * stage: contacts act by P alone, with the velocity before the step in Newton's law. The impulse P: end.c.
 *
 * How it differs from the paper, which treats one coordinate and leaves the tests of contact open:
 *   - The set of closed contacts is frozen for the step: it has 0 <= du/dt _|_ lambda >= 0 at every stage. A contact
 *     that closes inside of the step gets no force, then an impulse at its end; opening is lambda_l = 0. Testing gap
 *     and velocity at the stages instead loses curved contacts in almost every step.
 *   - Slip has the direction of the start of the step (planar), or of the stage (spatial, while the step resolves how
 *     it turns).
 *   - D+ decides what is hit from the solution without impulse, then P and the stages are iterated.
 *   - Joints: acceleration level at the stages, velocity level at the end, and q' is projected on g = 0; so are the
 *     contacts that stay closed, on the gap they had. Joints that follow from others carry no force: at the stages,
 *     which are off g = 0 by the order, they would contradict them.
 *   - The degree may change from step to step (multi-index of the paper): `alternate` is that of every second step.
 *
 * The stages are solved by Gauss-Seidel sweeps over (2), (1), (3), and where these contract slowly by Newton's method.
 * D- with M = 1 is explicit.
 * Order in smooth motion and while contacts persist: 1 (M = 0), M + 1 (odd), M + 2 (even); about 2 where a contact
 * opens or friction stops; 1 through impacts. Penetrates by O(h) at impacts.
 * Undamped oscillations need h omega < 2 (M = 1), 2.83 (M = 2): no member is A-stable; D+ damps stiff velocities.
 * From M = 3 on one of the two families amplifies them slowly at every h (D-: 3, 4, 7, 8; D+: 5, 6): dg-minus of
 * degree 3 gains 3 % of energy in 10^4 steps at h omega = 0.6.
 * Elastic impacts under forces that change add to the energy in some families: an oscillator against a wall with e = 1
 * and h omega = 0.05 has 2e12 times its energy after 35,000 s with D- of degree 1, 2e4 times with D+ of degree 3, and
 * 1.06 times with D- of degree 2; degrees 1 and 2 of D+ keep it to 1e-9. `bounded` holds it in all of them: (7) below.
 * Energy (M >= 1): elastic impacts under constant forces keep it to rounding, smooth motion up to the order. Friction
 * that stops a slip inside of a step has pushed it back by mu g (h - d)^2/2 (d: time of the stop in the step), the
 * exact law of this rule: where that lifts a coupled mass m it gains O(m (g h)^2). M = 0 gains or loses m (a h)^2/2 in
 * every step. */
#include <math.h>
#include <string.h>

#include "schemes/galerkin/galerkin.h"

const unsigned carom_galerkin_requests[] = {CAROM_GAP,
                                            CAROM_LAW,
                                            CAROM_JACOBIAN,
                                            CAROM_GAMMA,
                                            CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS,
                                            CAROM_MASS | CAROM_FORCE,
                                            CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA,
                                            CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
                                            CAROM_R_Q | CAROM_R_V,
                                            CAROM_ENERGY,
                                            0};

const carom_field carom_galerkin_fields[] = {
    {"degree", CAROM_FIELD_INT, 2, 0, CAROM_GALERKIN_DEGREE, NULL, "degree of the velocities in a step"},
    {"alternate", CAROM_FIELD_INT, -1, -1, CAROM_GALERKIN_DEGREE, NULL, "degree in every second step; -1: the same"},
    {"kappa", CAROM_FIELD_DOUBLE, 1, 0, 1e6, NULL, "a bounce that lasts less than kappa steps ends at rest; 0: never"},
    {"bounded", CAROM_FIELD_BOOL, 0, 0, 1, NULL, "impacts give back what errors of steps have gained of energy"},
    {0},
};

enum { PARITY, NEWTON_FIRST, GAINED, MEMORY }; /* which degree is next; for how many steps sweeps are not even tried;
                                                  energy that errors have gained so far, where it is bounded */
enum { SWEEPS = 40, PATIENCE = 20 };

int carom_galerkin_memory(const carom_system *system)
{
    (void)system;
    return MEMORY;
}

void carom_galerkin_layout(carom_layout *layout, const carom_system *system, void *work)
{
    carom_galerkin *w = work;
    enum { n = CAROM_GALERKIN_STAGES };
    size_t nv = system->nv, nq = system->nq, nrow = system->nrow, nlink = system->nlink;
    double **const arrays[] = {&w->kick, &w->kick_new, &w->vf, &w->v_minus, &w->mean, &w->a_new, &w->v_base};
    double **const rows[] = {&w->slip, &w->I, &w->P, &w->base, &w->e, &w->e_full};
    unsigned char **const flags[] = {&w->closed, &w->part, &w->spare, &w->straight, &w->loose, &w->caught};
    CAROM_PLACE(layout, w->table, 2);
    CAROM_PLACE(layout, w->q, n * nq);
    CAROM_PLACE(layout, w->v, n * nv);
    w->rate = w->v;
    if (system->model->manifold)
        CAROM_PLACE(layout, w->rate, n * nv);
    CAROM_PLACE(layout, w->a, n * nv);
    CAROM_PLACE(layout, w->force, n * nrow);
    CAROM_PLACE(layout, w->q_end, nq);
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        CAROM_PLACE(layout, *arrays[i], nv);
    for (int i = 0; i < CAROM_COUNT(rows); i++)
        CAROM_PLACE(layout, *rows[i], nrow);
    for (int i = 0; i < CAROM_COUNT(flags); i++)
        CAROM_PLACE(layout, *flags[i], nlink);
    CAROM_PLACE(layout, w->g_start, nlink);
    CAROM_PLACE(layout, w->law, system->nlaw);
    CAROM_PLACE(layout, w->ls_work, 4 * nrow);
    CAROM_PLACE(layout, w->ls_order, nrow);
    CAROM_PLACE(layout, w->J, n * nv * n * nv);
    CAROM_PLACE(layout, w->rhs, n * nv);
    carom_kept_lu_place(layout, &w->newton, n * nv);
    CAROM_PLACE(layout, w->D, 2 * nv * nv);
    CAROM_PLACE(layout, w->S, nv * nv);
    CAROM_PLACE(layout, w->X, n * nv * nv);
    CAROM_PLACE(layout, w->B, 2 * nrow * nv);
    carom_room_place(layout, &w->K, carom_room_square, nrow, 1);
}

static double order_of(int M)
{
    return M == 0 ? 1 : M % 2 ? M + 1 : M + 2;
}

void carom_galerkin_orders(const double *field, double *smooth, double *impact)
{
    double other = field[CAROM_GALERKIN_FIELD_ALTERNATE];
    *smooth = order_of((int)field[CAROM_GALERKIN_FIELD_DEGREE]);
    if (other >= 0)
        *smooth = fmin(*smooth, order_of((int)other));
    *impact = 1;
}

/* ---- stages ---------------------------------------------------------------------------------------------- */

void carom_galerkin_velocities(carom_step *s)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, M = w->t->M;
    for (int l = 0; l <= M; l++)
        for (int i = 0; i < nv; i++) {
            double sum = 0;
            for (int k = 0; k <= M; k++)
                sum += w->t->Av[l][k] * w->a[k * nv + i];
            w->v[l * nv + i] = s->now->v[i] + (s->h * sum + w->t->s[l] * w->kick[i]);          /* (2) */
        }
}

/* mean: sum_k A[l][k] of the rates */
static void mean_rate(carom_step *s, int l)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv;
    for (int i = 0; i < nv; i++) {
        w->mean[i] = 0;
        for (int k = 0; k <= w->t->M; k++)
            w->mean[i] += w->t->A[l][k] * w->rate[k * nv + i];
    }
}

/* (6), from K = 1 */
void carom_galerkin_rates(carom_step *s)
{
    enum { MOST = 60 };
    carom_galerkin *w = s->work;
    int nv = s->system->nv, n = (w->t->M + 1) * nv;
    double size = carom_norm_max(n, w->v), change = size;
    if (!s->system->model->manifold)
        return;
    carom_copy(n, w->v, w->rate);
    for (int round = 0; round < MOST && change > 1e-15 * size; round++) {
        change = 0;
        for (int l = 0; l <= w->t->M; l++) {
            mean_rate(s, l);
            carom_system_rate(s->system, w->mean, s->h, w->v + l * nv, w->mean);
            for (int i = 0; i < nv; i++)
                change = CAROM_MAX(change, fabs(w->mean[i] - w->rate[l * nv + i]));
            carom_copy(nv, w->mean, w->rate + l * nv);
        }
    }
}

static void position(carom_step *s, int l)
{
    carom_galerkin *w = s->work;
    carom_galerkin_rates(s);
    mean_rate(s, l);
    carom_system_drift(s->system, s->now->q, w->mean, s->h, w->q + l * s->system->nq);         /* (1) */
}

/* The directions of slip at stage l; a spatial contact that turns against its start goes straight from then on. */
static void directions(carom_step *s, int l)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    int nv = sys->nv;
    const double *v = w->v + l * nv;
    carom_copy(sys->nrow, s->now->u, w->slip);
    if (!w->turning)
        return;
    carom_system_eval(sys, CAROM_JACOBIAN, carom_galerkin_time(s, l), w->q + l * sys->nq, v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        if (!w->closed[i] || link->law->tangents < 2 || s->now->mode[link->contact] != CAROM_SLIP || w->straight[i])
            continue;
        const double *start = s->now->u + link->row + 1;
        double u[2], along = 0, size = carom_dot(2, start, start);
        for (int j = 0; j < 2; j++) {
            int r = link->row + 1 + j;
            u[j] = carom_row_speed(sys, r, v);
            along += u[j] * start[j];
        }
        w->straight[i] = !(along > 0.25 * size);
        if (!w->straight[i])
            carom_copy(2, u, w->slip + link->row + 1);
    }
}

carom_status carom_galerkin_accelerate(carom_step *s, int l, double *a)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    position(s, l);
    directions(s, l);
    return carom_contact_accel_decide(s->contacts, sys, carom_galerkin_time(s, l), w->q + l * sys->nq,      /* (3) */
                                      w->v + l * sys->nv, s->now->mode, w->slip, a, w->force + l * sys->nrow, s->error);
}

double carom_galerkin_size(const carom_step *s)
{
    const carom_galerkin *w = s->work;
    int nv = s->system->nv, n = (w->t->M + 1) * nv;
    double forces = CAROM_MAX(carom_norm_max(n, w->a), carom_norm_max(nv, s->contacts->a_free));
    return CAROM_MAX(carom_norm_max(n, w->v), s->h * forces) + CAROM_VANISHED;
}

/* One sweep over the stages lo .. hi; the largest change of an acceleration. */
static carom_status sweep(carom_step *s, int lo, int hi, double *change)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv;
    *change = 0;
    carom_galerkin_velocities(s);
    for (int l = lo; l <= hi; l++) {
        CAROM_TRY(carom_galerkin_accelerate(s, l, w->a_new));
        for (int i = 0; i < nv; i++) {
            double d = w->a_new[i] - w->a[l * nv + i];
            w->a[l * nv + i] = w->a_new[i];
            *change = fabs(d) <= *change ? *change : fabs(d);
            for (int k = 0; k <= w->t->M; k++)
                w->v[k * nv + i] += s->h * w->t->Av[k][l] * d;
        }
    }
    return CAROM_OK;
}

/* Sweeps until the accelerations do not change; CAROM_NOT_CONVERGED without a sentence when they contract slowly. */
static carom_status sweeps(carom_step *s, int lo, int hi)
{
    double before = 0, tol = s->options->newton_tol;
    double stall = s->contacts->nactive ? 10 * s->options->contact_tol : 0; /* no more than contacts give */
    for (int k = 1; k <= SWEEPS; k++) {
        double change;
        CAROM_TRY(sweep(s, lo, hi, &change));
        change *= s->h;
        double rate = k > 1 ? change / before : 1;
        double goal = (k > 2 && rate >= 0.5 ? CAROM_MAX(CAROM_MAX(tol, stall), 1e-14) : tol) * carom_galerkin_size(s);
        if (!(change <= DBL_MAX))
            return CAROM_NOT_CONVERGED;
        if (change <= goal || (rate < 0.5 && rate / (1 - rate) * change <= goal))
            return CAROM_OK;
        if (k > 3 && rate > 0.6)
            return CAROM_NOT_CONVERGED;
        before = change;
    }
    return CAROM_NOT_CONVERGED;
}

/* A direction turns at the rate k/|u|, k = mu lambda |W_tt| the deceleration: too fast unless |u| >> h k. */
static void settle_directions(carom_step *s)
{
    enum { RESOLVED = 4 };
    carom_galerkin *w = s->work;
    const carom_contacts *c = s->contacts;
    for (int k = 0; k < c->nactive && w->turning; k++) {
        const carom_link *link = &s->system->link[c->active[k]];
        const carom_block *block = &c->problem.block[k];
        if (link->law->tangents < 2 || !carom_block_is(block, CAROM_SLIP))
            continue;
        const double *u = s->now->u + link->row + 1, *W = c->problem.W.dense + (block->row + 1) * (c->problem.n + 1);
        double most = carom_block_mu(block) * c->solve.x[block->row] * CAROM_MAX(W[0], W[c->problem.n + 1]);
        w->straight[c->active[k]] |= !(hypot(u[0], u[1]) > RESOLVED * s->h * most);
    }
}

/* A first guess: the acceleration at the start for every stage. */
static carom_status guess(carom_step *s)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv;
    for (int l = 0; l <= w->t->M; l++)
        carom_copy(nv, s->now->v, w->v + l * nv);
    CAROM_TRY(carom_galerkin_accelerate(s, 0, w->a));
    settle_directions(s);
    for (int l = 1; l <= w->t->M; l++)
        carom_copy(nv, w->a, w->a + l * nv);
    return CAROM_OK;
}

/* All stages, for the present kick. D-: the first stage is the start itself and the last one feeds no other. */
static carom_status stages(carom_step *s, bool fresh)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, M = w->t->M, lo = w->t->plus ? 0 : 1, hi = w->t->plus ? M : M - 1;
    carom_error sentence, *error = s->error;
    carom_status status = CAROM_NOT_CONVERGED;
    carom_galerkin_stage_links(s);
    if (fresh)
        CAROM_TRY(guess(s));
    if (hi >= lo && s->memory[NEWTON_FIRST] == 0) {
        s->error = &sentence;
        status = sweeps(s, lo, hi);
        s->error = error;
        if (status != CAROM_OK) {
            CAROM_TRY(guess(s)); /* sweeps may have left anything */
            s->memory_next[NEWTON_FIRST] = PATIENCE;
        }
    }
    if (hi >= lo && status != CAROM_OK)
        CAROM_TRY(carom_galerkin_newton(s, lo, hi));
    carom_galerkin_velocities(s);
    if (!w->t->plus && M > 0)
        CAROM_TRY(carom_galerkin_accelerate(s, M, w->a + M * nv));
    return CAROM_OK;
}

/* ---- the step -------------------------------------------------------------------------------------------- */

static void choose_degree(carom_step *s, bool plus)
{
    carom_galerkin *w = s->work;
    int which = s->memory[PARITY] != 0, other = (int)s->field[CAROM_GALERKIN_FIELD_ALTERNATE];
    int degree = which ? other : (int)s->field[CAROM_GALERKIN_FIELD_DEGREE];
    carom_galerkin_table *table = &w->table[which];
    if (!table->built)
        carom_galerkin_table_build(table, plus, degree);
    w->t = table;
    s->memory_next[PARITY] = !which && other >= 0;
    s->memory_next[NEWTON_FIRST] = CAROM_MAX(0, s->memory[NEWTON_FIRST] - 1);
}

/* Elimination in G M^-1 G^T of the joints, in their order: those that nothing is left of are spare. */
static carom_status leave_out(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    int n = sys->njoint;
    double *W = w->K, *own = w->ls_work;
    memset(w->spare, 0, (size_t)sys->nlink);
    if (n < 2)
        return CAROM_OK;
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, s->now->t, s->now->q, s->now->v);
    CAROM_TRY(carom_mass_factor(sys, s->now->t, s->error));
    for (int j = 0; j < n; j++) {
        carom_mass_solve_row(sys, sys->link[j].row, w->mean);
        for (int i = 0; i < n; i++)
            W[i * n + j] = carom_row_dot(sys, sys->link[i].row, w->mean);
        own[j] = W[j * n + j];
    }
    for (int k = 0; k < n; k++) {
        w->spare[k] = W[k * n + k] <= 1e-11 * own[k];
        for (int i = k + 1; i < n && !w->spare[k]; i++)
            for (int j = k + 1; j < n; j++)
                W[i * n + j] -= W[i * n + k] * W[k * n + j] / W[k * n + k];
    }
    return CAROM_OK;
}

static void freeze(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    bool any = false;
    w->turning = w->latched = false;
    for (int i = 0; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        bool contact = link->contact >= 0;
        w->closed[i] = w->t->M > 0 && (contact ? s->now->mode[link->contact] != CAROM_OPEN : !w->spare[i]);
        w->straight[i] = w->loose[i] = w->caught[i] = false;
        w->g_start[i] = 0;
        any |= contact && w->closed[i];
        w->turning |= w->closed[i] && link->law->tangents == 2 && s->now->mode[link->contact] == CAROM_SLIP;
    }
    memset(w->kick, 0, sizeof(double) * (size_t)sys->nv);
    if (!any)
        return;
    carom_system_eval(sys, CAROM_GAP, s->now->t, s->now->q, s->now->v);
    for (int i = sys->njoint; i < sys->nlink; i++)
        w->g_start[i] = sys->at.g[i];
}

/* D+: stages and impulse in turn, until the velocity that the impulse gives does not change; if that takes long, the
 * impulse is found with the response of vf to it. */
static carom_status couple(carom_step *s)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv;
    double before = INFINITY;
    for (int k = 1;; k++) {
        double change = 0;
        for (int i = 0; i < nv; i++) {
            change = CAROM_MAX(change, fabs(w->kick_new[i] - w->kick[i]));
            w->kick[i] = w->kick_new[i];
        }
        bool slow = k > 2 && change > 0.5 * before;
        double tol = slow ? CAROM_MAX(1e-14, 10 * s->options->contact_tol) : s->options->newton_tol;
        if (change <= tol * carom_galerkin_size(s))
            return CAROM_OK;
        if (k == s->options->newton_max || !(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "impulse and stages still change the velocity by %.2g after %d rounds at t = %.10g with "
                       "h = %.3g; a smaller h or dg-minus helps",
                       change, k, s->now->t, s->h);
        CAROM_TRY(stages(s, false));
        if (w->respond || (k > 2 && change > 0.2 * before))
            CAROM_TRY(carom_galerkin_response(s));
        CAROM_TRY(carom_galerkin_end(s));
        before = change;
    }
}

static carom_status solve(carom_step *s)
{
    carom_galerkin *w = s->work;
    w->respond = false;
    CAROM_TRY(stages(s, true));
    CAROM_TRY(carom_galerkin_end(s));
    return w->t->plus && s->contacts->nactive ? couple(s) : CAROM_OK;
}

static bool struck(const carom_step *s)
{
    const carom_galerkin *w = s->work;
    for (int i = s->system->njoint; i < s->system->nlink; i++)
        if (w->part[i] == CAROM_GALERKIN_FREE && w->P[s->system->link[i].row] > 0)
            return true;
    return false;
}

static double energy(carom_step *s, const carom_state *at)
{
    carom_system_eval(s->system, CAROM_ENERGY, at->t, at->q, at->v);
    return s->system->at.energy[0] + s->system->at.energy[1];
}

/* The step once more with e times a factor; its energy then. */
static carom_status again_with(carom_step *s, double factor, const double *e, double *E)
{
    carom_galerkin *w = s->work;
    for (int r = 0; r < s->system->nrow; r++)
        w->e[r] = factor * e[r];
    memset(w->kick, 0, sizeof(double) * (size_t)s->system->nv);
    CAROM_TRY(w->t->plus ? solve(s) : carom_galerkin_end(s)); /* links and e stay what they were decided to be */
    *E = energy(s, s->next);
    return CAROM_OK;
}

/* `bounded`: energy D > 0 that errors have gained so far is taken back from the restitution of the next impact,
 *   E(f e) = E(0) + f^2 (E(e) - E(0)) = E(e) - D,   0 <= f <= 1                                                   (7)
 * exact for one contact; what remains is left to the impact after it. */
static carom_status bound(carom_step *s)
{
    carom_galerkin *w = s->work;
    double D = s->memory[GAINED] + carom_galerkin_gain(s), full = energy(s, s->next), none, E;
    if (D > 0 && struck(s)) {
        carom_copy(s->system->nrow, w->e, w->e_full);
        CAROM_TRY(again_with(s, 0, w->e_full, &none));
        double square = full > none ? 1 - D / (full - none) : 1;
        CAROM_TRY(again_with(s, sqrt(CAROM_MAX(0, square)), w->e_full, &E));
        D -= full - E;
    }
    s->memory_next[GAINED] = D;
    return CAROM_OK;
}

carom_status carom_galerkin_step(carom_step *s, bool plus)
{
    carom_step_advance(s, s->h);
    choose_degree(s, plus);
    CAROM_TRY(leave_out(s));
    freeze(s);
    CAROM_TRY(solve(s));
    if (s->field[CAROM_GALERKIN_FIELD_BOUNDED])
        CAROM_TRY(bound(s));
    return carom_galerkin_tell(s);
}
