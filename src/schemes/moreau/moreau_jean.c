/* moreau_jean.c: Moreau's time-stepping with theta and gamma.
 * Source: V. Acary, INRIA RR-7151 (2009), equations (16)-(18).
 *
 *   v_th = (1 - theta) v + theta v',   q_th = q + theta h v_th,   t_th = t + theta h                       (1)
 *   M(q_th) (v' - v) - h F(t_th, q_th, v_th) = G(q_th)^T P                            (16a)                (2)
 *   q' = q + h v_th                                                                   (16b)                (3)
 *   u' = G(q_th) v' + w,   u = G(q_th) v + w                                          (16c)                (4)
 *   g_bar <= 0:  0 <= u' + e u  _|_  P >= 0;  otherwise P = 0                         (16d), (18)          (5)
 *   g_bar = g(t, q) + gamma h (G(q) v + w)                                            (16e)                (6)
 *   or, forecast = gap:  g(t + gamma h, q + gamma h v)                                                     (6')
 *
 * Newton's method on (2) with the exact derivatives R_q, R_v of r = M a - h F - G^T P,
 *   A = M + theta^2 h R_q + theta R_v,   v_free = v' - A^-1 (M (v' - v) - h F),                            (7)
 * and the contact problem (5) with W = G A^-1 G^T in every iteration. Where forces and gaps are affine one iteration
 * is exact and is not checked by a second. Where iterations go round, because corners that a step has pushed into each
 * other take another face each time, the rows of the 25th stay: as for many bodies (below) the order does.      (8)
 * From where they do so, contact problems start from the impulses before: feet that share a load in many ways keep one.
 *
 * (6) and (6') are the same for affine gaps. Over a convex surface (6') finds that whatever slides on it is about to
 * leave it by O(h^2), and drops the contact; (6) keeps it, so that Proposition 2 holds: local errors of O(h^2) with
 * contacts that stay closed. It needs u' = 0 where the step ends, theta = 1: for theta = 1/2 (16c) puts it at the
 * middle, and over a curved surface e_v = O(h).
 *
 * How it differs from the paper: friction is added to (5). Joints, which the paper does not have: u' is measured at
 * (t', q') instead of q_th, which keeps order 2, and q' is projected on g = 0.
 * Order 2 in smooth motion for theta = 1/2, else 1; 1 through impacts (in L1 of v; none in the maximum norm).
 * Penetrates by O(h); theta >= 1/2 is A-stable.
 * Energy, for constant M and linear forces: the impulses do the work P (1 - theta - theta e) u and the rest of the step
 * -(theta - 1/2) |v' - v|^2. So theta = 1/2 balances to rounding and dissipates, but for a contact that separates (u
 * > 0) and is pulled back within the same step: it gains P (1 - e) u/2, at most m (a h)^2/8 for a mass m under the
 * acceleration a. theta = 1/(1 + e) never gains energy.
 * Many bodies (matrices by blocks) whose forces do not depend on q and without joints: G is taken at q + theta h v,
 * which keeps the order, (2) without P is solved by Newton's method body by body; then there is one contact problem in
 * a step, with A of the free motion.
 * With the field control the step is chosen by rtol and atol, as described in control.c. */
#include <string.h>

#include "contact/scale.h"
#include "core/dense.h"
#include "schemes/moreau/control.h"
#include "schemes/moreau/moreau_jean.h"

enum { THETA, GAMMA, FORECAST, CONTROL };
enum { LINEAR, GAP }; /* values of the field forecast */
static const carom_field fields[] = {
    {"theta", CAROM_FIELD_DOUBLE, 0.5, 0, 1, NULL, "implicitness: 0 explicit, 1/2 midpoint, 1 implicit"},
    {"gamma", CAROM_FIELD_DOUBLE, 0.5, 0, 1, NULL, "how far ahead the gap is predicted, in steps"},
    {"forecast", CAROM_FIELD_ENUM, 0, 0, 0, "linear gap",
     "what is predicted: the gap as it changes now, or the gap at the position ahead"},
    {"control", CAROM_FIELD_ENUM, 0, 0, 0, "none halving coordinates variable-order indicator",
     "how rtol and atol choose the step: not at all, by halving it, the same for q alone or with a guess of the "
     "order, by jumps"},
    {"guarded", CAROM_FIELD_BOOL, 1, 0, 1, NULL,
     "control: watches penetration, gamma is 1; false: as printed, misses impacts"},
    {"alpha", CAROM_FIELD_DOUBLE, 1, 0.01, 1, NULL, "control: safety factor of the next step"},
    {"alpha_min", CAROM_FIELD_DOUBLE, 0.5, 1e-3, 0.9, NULL, "control: the next step is at least this part of the last"},
    {"alpha_max", CAROM_FIELD_DOUBLE, 5, 1, 1e3, NULL, "control: and at most this multiple"},
    {"max_step", CAROM_FIELD_DOUBLE, 0, 0, 1e300, NULL, "control: longest step; 0: a twentieth of run or period"},
    {0},
};
static const unsigned requests[] = {
    CAROM_GAP,
    CAROM_GAP | CAROM_JACOBIAN,
    CAROM_LAW,
    CAROM_MASS | CAROM_FORCE,
    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN,
    CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS,
    CAROM_JACOBIAN,
    CAROM_R_Q | CAROM_R_V,
    0,
};

typedef carom_moreau_work work;

void carom_moreau_layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    work *w = work_of_step;
    int nv = system->nv;
    CAROM_PLACE(layout, w->q_th, system->nq);
    CAROM_PLACE(layout, w->v_th, nv);
    CAROM_PLACE(layout, w->v_free, nv);
    CAROM_PLACE(layout, w->v_new, nv);
    CAROM_PLACE(layout, w->r, nv);
    CAROM_PLACE(layout, w->room, nv);
    carom_rows_place(layout, system, &w->rows_u);
    CAROM_PLACE(layout, w->g_bar, system->nlink);
    carom_newton_place(layout, system, &w->A);
}

void carom_moreau_orders(const double *field, double *smooth, double *impact)
{
    *smooth = field[THETA] == 0.5 ? 2 : 1;
    *impact = 1;
}

static void newton_entries(size_t n, const double *M, const double *R_q, const double *R_v, const double *c, double *A)
{
    const double by_q = c[0], by_v = c[1], all = c[2];
    for (size_t i = 0; i < n; i++)
        A[i] = M[i] + all * (by_q * R_q[i] + by_v * R_v[i]);                                   /* (7) */
}

/* The matrix A of (7), factored. M itself where no force depends on q or v. */
static inline carom_status linearise(carom_step *s, work *w, const carom_factor **A)
{
    carom_system *sys = s->system;
    double theta = s->field[THETA], h = s->h;
    unsigned both = CAROM_R_Q | CAROM_R_V, known = sys->known & both; /* what is known stands there for s = 1 */
    bool linear = known == both;
    *A = &sys->mass;
    if (theta == 0 || (linear && sys->no_gradients))
        return carom_mass_factor(sys, s->now->t, s->error);
    const double *one = sys->at.s;
    sys->at.a = w->r, sys->at.x = w->kept ? sys->zero : s->contacts->P, sys->at.s = linear ? one : &h;
    carom_system_eval(sys, both, s->now->t + theta * h, w->q_th, w->v_th);
    sys->at.a = sys->at.x = sys->zero, sys->at.s = one;
    double c[] = {theta * theta * h, theta, linear ? h : 1};
    if (!linear && known)
        c[known == CAROM_R_Q ? 0 : 1] *= h;
    CAROM_TRY(carom_mass_positive(sys, s->now->t, s->error));
    if (!carom_newton_factor(sys, &w->A, newton_entries, c))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED, "moreau-jean: the Newton matrix is singular at t = %.10g, h = %.3g",
                   s->now->t, h);
    *A = &w->A;
    return CAROM_OK;
}

/* The rows of (4): contacts at q_th, joints at (t', q'). NULL: those of the system. */
static const carom_rows *relative_rows(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    if (sys->njoint == 0 || (sys->known & CAROM_JACOBIAN))
        return NULL;
    carom_rows_keep(sys, sys->njoint, sys->nrow, &w->rows_u);
    return &w->rows_u;
}

static void joint_rows(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    if (sys->njoint == 0 || (sys->known & CAROM_JACOBIAN))
        return;
    carom_system_drift(sys, s->now->q, w->v_th, s->h, s->next->q);
    carom_system_eval(sys, CAROM_JACOBIAN, s->next->t, s->next->q, w->v_th);
    carom_rows_keep(sys, 0, sys->njoint, &w->rows_u);
}

/* v_th of (1) for a velocity v' */
static inline void velocity_inside(const carom_step *s, work *w, const double *v_end)
{
    double theta = s->field[THETA], rest = 1 - theta;
    const double *v = s->now->v;
    for (int i = 0, n = s->system->nv; i < n; i++)
        w->v_th[i] = rest * v[i] + theta * v_end[i];
}

/* v_th and q_th of (1) */
static inline void midpoint(const carom_step *s, work *w, const double *v_end)
{
    double theta = s->field[THETA];
    velocity_inside(s, w, v_end);
    carom_system_drift(s->system, s->now->q, w->v_th, theta * s->h, w->q_th);
}

/* w->v_free = M (v' - v) - h F; the first guess is v' = v */
static inline void unbalance(carom_step *s, work *w, const double *v_end)
{
    int nv = s->system->nv;
    for (int i = 0; i < nv; i++)
        w->v_free[i] = -s->h * s->system->at.F[i];
    if (v_end == s->now->v)
        return;
    carom_mass_add(s->system, w->r, w->v_free);
}

/* One Newton iteration: v_new from v_end, which may be s->now->v. */
static carom_status iterate(carom_step *s, work *w, const double *v_end, double *v_new)
{
    carom_system *sys = s->system;
    const double *v = s->now->v;
    int nv = sys->nv;
    const carom_factor *A;
    midpoint(s, w, v_end);                                                                     /* (1) */
    joint_rows(s, w);
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | (w->rows && !w->kept ? CAROM_JACOBIAN : 0),
                      s->now->t + s->field[THETA] * s->h, w->q_th, w->v_th);
    for (int i = 0; i < nv; i++)
        w->r[i] = v_end[i] - v[i];
    CAROM_TRY(linearise(s, w, &A));
    unbalance(s, w, v_end);                                                                    /* (2) */
    carom_factor_solve(sys, A, w->v_free);
    for (int i = 0; i < nv; i++)
        w->v_free[i] = v_end[i] - w->v_free[i];                                                /* (7) */
    if (s->contacts->nactive == 0) {
        carom_copy(nv, w->v_free, v_new);
        return CAROM_OK;
    }
    const carom_rows *rows = relative_rows(s, w);                                              /* (4) */
    return carom_contact_impact(s->contacts, sys, A, rows, v, w->v_free, s->now, v_new, s->error); /* (5) */
}

/* The last change over the velocities, weighed with M: where units differ the largest entry says little. */
static double weighed(const carom_system *sys, work *w)
{
    double *room = w->room, most = carom_scale_mass(sys, w->v_free, room);
    most = CAROM_MAX(most, carom_scale_mass(sys, w->v_new, room));
    return most > 0 ? carom_scale_mass(sys, w->r, room) / most : 0;
}

static carom_status newton(carom_step *s, work *w)
{
    enum { PATIENCE = 8, TURNS = 25 };
    const carom_system *sys = s->system;
    int nv = sys->nv;
    double before = 0, tol = s->options->newton_tol, stall = tol;
    carom_copy(nv, s->now->v, s->next->v);
    for (int k = 1;; k++) {
        w->kept = k > TURNS && sys->njoint == 0;                                               /* (8) */
        CAROM_TRY(iterate(s, w, k == 1 ? s->now->v : s->next->v, w->v_new));
        sys->info->newton_iterations++;
        if (s->contacts->nactive) /* no more than contacts give */
            stall = fmax(tol, 10 * fmax(s->options->contact_tol, s->contacts->solve.residual));
        for (int i = 0; i < nv; i++)
            w->r[i] = w->v_new[i] - s->next->v[i];
        carom_copy(nv, w->v_new, s->next->v);
        double change = carom_norm_max(nv, w->r), rate = k > 1 ? change / before : 1;
        double size = CAROM_MAX(carom_norm_max(nv, w->v_free), carom_norm_max(nv, w->v_new)) + CAROM_VANISHED;
        double goal = (k > 2 && rate >= 0.5 ? stall : tol) * size;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                       "moreau-jean: velocity is not finite after the step from t = %.10g with h = %.3g", s->now->t,
                       s->h);
        if (change <= goal || (rate < 0.5 && rate / (1 - rate) * change <= goal) ||
            (k > 2 && rate >= 0.5 && weighed(sys, w) <= stall))
            return CAROM_OK;
        if (k == s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "moreau-jean: Newton's last change is %.2g after %d iterations at t = %.10g with h = %.3g; a "
                       "smaller h helps",
                       change, k, s->now->t, s->h);
        bool turns = k >= PATIENCE && rate > 0.9; /* of contacts */
        s->contacts->follows |= turns;
        for (int i = 0; turns && i < nv; i++)
            s->next->v[i] -= w->r[i] / 2;
        before = change;
    }
}

/* Forces of time alone and constant M: v_free = v + h M^-1 F, no iteration. */
static carom_status explicit(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    const double *v = s->now->v;
    double h = s->h, *v_free = w->v_free;
    int nv = sys->nv;
    carom_system_eval(sys, CAROM_FORCE, s->now->t + s->field[THETA] * h, s->now->q, v);
    CAROM_TRY(carom_mass_factor(sys, s->now->t, s->error));
    for (int i = 0; i < nv; i++)
        v_free[i] = h * sys->at.F[i];
    carom_factor_solve(sys, &sys->mass, v_free);
    double *v_new = s->next->v;
    for (int i = 0; i < nv; i++)
        v_new[i] = v_free[i] += v[i];
    if (s->contacts->nactive)
        return carom_contact_impact(s->contacts, sys, &sys->mass, NULL, v, v_free, s->now, v_new, s->error);
    return CAROM_OK;
}

/* Many bodies without joints and forces of q: the free motion first, then the contacts once. */
static carom_status by_blocks(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    const double *v = s->now->v;
    int nv = sys->nv;
    double t = s->now->t + s->field[THETA] * s->h, tol = s->options->newton_tol, change = INFINITY;
    const carom_factor *A = &sys->mass;
    midpoint(s, w, v);                                                                         /* (1) */
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | (w->rows && !w->kept ? CAROM_JACOBIAN : 0), t, w->q_th, w->v_th);
    memset(s->contacts->P, 0, sizeof(double) * (size_t)sys->nrow);
    carom_copy(nv, v, w->v_new);
    for (int k = 1; change > tol * (carom_norm_max(nv, w->v_new) + CAROM_VANISHED); k++) {
        if (k > s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "moreau-jean: the free motion from t = %.10g with h = %.3g is off by %.2g after %d iterations; "
                       "a smaller h helps",
                       s->now->t, s->h, change, k - 1);
        if (k > 1) {
            velocity_inside(s, w, w->v_new);
            carom_system_eval(sys, CAROM_FORCE, t, w->q_th, w->v_th);
        }
        for (int i = 0; i < nv; i++)
            w->r[i] = w->v_new[i] - v[i];
        CAROM_TRY(linearise(s, w, &A));
        unbalance(s, w, k == 1 ? v : w->v_new);                                                /* (2) */
        carom_factor_solve(sys, A, w->v_free);
        change = carom_norm_max(nv, w->v_free);
        for (int i = 0; i < nv; i++)
            w->v_new[i] -= w->v_free[i];                                                       /* (7) */
        sys->info->newton_iterations++;
        if (sys->no_gradients)
            break;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                       "moreau-jean: velocity is not finite after the step from t = %.10g with h = %.3g", s->now->t,
                       s->h);
    }
    carom_copy(nv, w->v_new, w->v_free);
    if (s->contacts->nactive == 0) {
        carom_copy(nv, w->v_free, s->next->v);
        return CAROM_OK;
    }
    return carom_contact_impact(s->contacts, sys, A, NULL, v, w->v_free, s->now, s->next->v, s->error);
}

/* v' of (2) and (5) */
static carom_status solve(carom_step *s, work *w)
{
    const unsigned known = s->system->known, affine = CAROM_MASS | CAROM_R_Q | CAROM_R_V;
    bool linear = (known & affine) == affine && (!w->rows || known & CAROM_JACOBIAN);
    if (s->system->blocks.n && known & CAROM_R_Q)
        return by_blocks(s, w);
    if (!linear && s->field[THETA] != 0) {
        carom_status status = newton(s, w);
        s->contacts->follows = false;
        return status;
    }
    s->system->info->newton_iterations++;
    if (linear && s->system->no_gradients)
        return explicit(s, w);
    return iterate(s, w, s->now->v, s->next->v);
}

/* What rests may hover, so little that it would fall through in a whole step, but not in a part of one: stays closed
 * there. */
static void keep_closed(carom_step *s, work *w)
{
    if (s->h > s->options->h * (1 - 1e-9))
        return;
    for (int i = s->system->njoint; i < s->system->nlink; i++)
        if (carom_link_closed(&s->system->link[i], s->now->mode))
            w->g_bar[i] = CAROM_MIN(w->g_bar[i], 0);
}

/* Contacts that are not active and yet closed at q': they are now. */
static bool late(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    double tol = 1e-14 * (1 + carom_norm_max(sys->nq, s->next->q));
    bool any = false;
    carom_system_eval(sys, CAROM_GAP, s->next->t, s->next->q, s->next->v);
    for (int i = sys->njoint, k = sys->njoint; i < sys->nlink; i++) {
        bool active = k < s->contacts->nactive && s->contacts->active[k] == i;
        k += active;
        if (!active && sys->at.g[i] < -tol)
            any = true, w->g_bar[i] = -1;
    }
    return any;
}

/* The gaps that are expected `ahead` from now. */
static void forecast(carom_step *s, work *w, double ahead)
{
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    if ((sys->known & CAROM_JACOBIAN) || s->field[FORECAST] == GAP) { /* affine gaps: (6) is (6') */
        carom_system_drift(sys, now->q, now->v, ahead, w->q_th);
        carom_system_eval(sys, CAROM_GAP, now->t + ahead, w->q_th, now->v);                    /* (6') */
        carom_copy(sys->nlink, sys->at.g, w->g_bar);
        return;
    }
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, now->t, now->q, now->v);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        w->g_bar[i] = sys->at.g[i];
        if (carom_link_normals(link) > 0)
            w->g_bar[i] += ahead * carom_row_speed(sys, link->row, now->v);                    /* (6) */
    }
}

carom_status carom_moreau_velocity(carom_step *s, carom_moreau_work *w, bool *hit)
{
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    double h = s->h;
    carom_step_advance(s, h);
    s->contacts->h = h;
    if (sys->model->ncontact) {
        forecast(s, w, s->field[GAMMA] * h);
        for (int k = 0; k < w->nstruck; k++)
            w->g_bar[w->struck[k]] = -1;
        carom_system_eval(sys, CAROM_LAW, now->t, now->q, now->v);
    }
    if (w->catches)
        keep_closed(s, w);
    do {
        w->rows = carom_contacts_activate(s->contacts, sys, w->g_bar, now->q, now->mode);
        CAROM_TRY(solve(s, w));
        velocity_inside(s, w, s->next->v);
        carom_system_drift(sys, now->q, w->v_th, h, s->next->q);                               /* (3) */
    } while (w->catches && sys->model->ncontact && late(s, w));
    *hit = carom_step_status(s, w->v_free);
    if (s->record->account) {
        midpoint(s, w, s->next->v);
        carom_contact_account(s->contacts, sys, h, now->t + s->field[THETA] * h, w->q_th, w->v_th, now->v, s->next->v,
                              s->record);
    }
    return CAROM_OK;
}

typedef struct controlled_work {
    work velocity; /* first: what a plain step works on */
    carom_control control;
} controlled_work;

static void layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    controlled_work *w = work_of_step;
    carom_moreau_layout(layout, system, &w->velocity);
    carom_control_layout(layout, system, &w->control);
    w->control.v_free = w->velocity.v_free;
}

static void orders(const double *field, double *smooth, double *impact)
{
    if (field[CONTROL] == CAROM_CONTROL_NONE)
        carom_moreau_orders(field, smooth, impact);
    else
        *smooth = *impact = 0; /* in h none: the step is chosen */
}

static unsigned traits(const double *field)
{
    return field[CONTROL] == CAROM_CONTROL_NONE ? 0 : CAROM_CHOOSES_STEPS;
}

static inline carom_status constant(carom_step *s)
{
    carom_system *sys = s->system;
    work *w = s->work;
    bool hit;
    w->catches = false;
    CAROM_TRY(carom_moreau_velocity(s, w, &hit));
    if (sys->njoint)
        CAROM_TRY(carom_contact_project_q(s->contacts, sys, s->next->t, s->next->q, s->next->v, s->error));
    return carom_step_finish(s, hit);
}

static __attribute__((noinline)) carom_status plain(carom_step *s)
{
    return constant(s);
}

static carom_status step(carom_step *s)
{
    if (s->field[CONTROL] == CAROM_CONTROL_NONE)
        return constant(s);
    return carom_control_step(s, &((controlled_work *)s->work)->control, plain);
}

const carom_scheme carom_scheme_moreau_jean = {
    .method = {.name = "moreau-jean",
               .doc =
                   "Moreau's time-stepping with theta and gamma; order 2 between impacts (theta = 1/2), 1 through them",
               .ref = "Acary (2009), INRIA RR-7151, (16)-(18)",
               .fields = fields},
    .orders = orders,
    .traits = CAROM_NODAL | CAROM_FOLLOWS_LINKS | CAROM_COMES_IN,
    .traits_of = traits,
    .laws = CAROM_LAW_SLANTED | CAROM_LAW_PULLS | CAROM_LAW_ALONG | CAROM_LAW_SPEEDS,
    .requests = requests,
    .segments = 2, /* the halves of a controlled step */
    .degree = 2,
    .memory = carom_control_memory,
    .remembers = carom_control_remembers,
    .work_bytes = sizeof(controlled_work),
    .layout = layout,
    .start = carom_control_start,
    .step = step,
};
