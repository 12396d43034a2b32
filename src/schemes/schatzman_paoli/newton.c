/* newton.c: Newton's method for one step of the grid; the numbers of the formulas are those of schatzman_paoli.c.
 *
 * In every iteration the forces are linearised at d, the gaps too, and the one-step problem is posed in lengths: x =
 * h P,
 *     u_N = y(d_free) + G (d - d_free),   u_T = G_T d + h w_T,   d = d_free + A^-1 G^T x. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/schatzman_paoli/schatzman_paoli.h"

enum { THETA };
typedef carom_paoli_work work;

/* F += weight F(t, q, v) */
static void add_force(carom_step *s, work *w, double weight, double t, const double *q)
{
    if (weight == 0)
        return;
    carom_system_eval(s->system, CAROM_FORCE, t, q, w->v_c);
    for (int i = 0; i < s->system->nv; i++)
        w->F[i] += weight * s->system->at.F[i];
}

static void newton_entries(size_t n, const double *M, const double *R_q, const double *R_v, const double *c, double *A)
{
    for (size_t i = 0; i < n; i++)
        A[i] = M[i] + c[0] * R_q[i] + c[1] * R_v[i];
}

/* The derivative of (1) by d, factored: M + theta h^2 R_q + h/2 R_v with R = -F. */
static carom_status linearise(carom_step *s, work *w, const carom_factor **A)
{
    static const double one = 1;
    carom_system *sys = s->system;
    double theta = s->field[THETA], h = s->options->h;
    *A = &sys->mass;
    if (sys->no_gradients)
        return carom_mass_factor(sys, w->t, s->error);
    sys->at.a = sys->at.x = sys->zero, sys->at.s = &one;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V, w->t + h, w->x, w->v_c);
    CAROM_TRY(carom_mass_positive(sys, w->t, s->error));
    if (!carom_newton_factor(sys, &w->A, newton_entries, (double[]){theta * h * h, 0.5 * h, 0}))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "schatzman-paoli: the Newton matrix is singular at t = %.10g, h = %.3g", w->t, h);
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
    carom_mass_multiply(sys, w->r, w->d_free);
    for (int i = 0; i < nv; i++)
        w->d_free[i] -= h * h * w->F[i];                                                         /* (1) */
    CAROM_TRY(linearise(s, w, A));
    carom_factor_solve(sys, *A, w->d_free);
    for (int i = 0; i < nv; i++)
        w->d_free[i] = w->d[i] - w->d_free[i];
    return CAROM_OK;
}

static inline double restitution(const carom_system *sys, const carom_link *link)
{
    return carom_link_restitution(sys, link, 0);
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
    carom_rows here = carom_rows_here(sys);
    carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, w->t + s->options->h, w->x, w->v_c);
    for (int i = 0; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        carom_rows_move(sys, link->row, &here, &w->rows_u);
        for (int j = 1; j < link->rows; j++)
            carom_rows_move(sys, link->row + j, &w->rows_k, &w->rows_u);
        double y = sys->at.g[i] + restitution(sys, link) * w->g_back[i];
        w->y[i] = carom_rows_change(sys, &here, link->row, y, w->d_free, w->d);
    }
    carom_rows_restore(sys, &w->rows_k);
}

/* The links whose y is negative for d (linearised) and that are not in the problem yet, put into it. */
static bool join(carom_step *s, work *w, const double *d)
{
    const carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    bool any = false;
    for (int i = 0; i < sys->nlink; i++) {
        int r = sys->link[i].row;
        double y = carom_rows_change(sys, &w->rows_u, r, w->y[i], d, w->d_free);
        double size = carom_rows_reach(sys, &w->rows_u, r, d, NULL);
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
    while (carom_contacts_break_loose(s->contacts, s->system, s->now));
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
        bool second = link->law->tangents && from.held[link->contact] == 1 && c->solve.x[row] > 0;
        for (int j = 0; j < link->rows; j++)
            w->x0[row + j] = second ? s->options->h * s->now->impulse[link->row + j] : 0;
        any |= second;
    }
    for (int i = c->problem.n - c->problem.W.product.nsoft; i < c->problem.n; i++)
        w->x0[i] = 0;
    c->problem.x0 = any ? w->x0 : NULL;
    return any;
}

/* d_new with (4) and (5); the problem is posed in lengths: x = h P. */
static carom_status project(carom_step *s, work *w, const carom_factor *A)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    CAROM_TRY(carom_links_in_range(sys, c->active, c->nactive, w->t, s->error));
    CAROM_TRY(carom_contacts_pose(c, sys, A, &w->rows_u, s->error));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        c->problem.b[block->row] = w->y[c->active[k]];                                           /* (4) */
        for (int j = 1; j < link->rows; j++) {
            int r = link->row + j;
            c->problem.b[block->row + j] =
                carom_rows_dot(sys, &w->rows_k, r, w->d_free) + s->options->h * w->rows_k.w[r]; /* (5) */
        }
        double e_t = link->law->tangents ? carom_link_restitution(sys, link, 1) : 0;
        bool sticks = link->contact >= 0 && s->now->mode[link->contact] == CAROM_STICK;
        if (link->contact >= 0)
            c->caught[link->contact] = 0;
        block->c = carom_link_coefficients(sys, link, sticks, 1);
        if (e_t != 0)
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED,
                       "schatzman-paoli has no tangential restitution (contact '%s': %g at t = %.10g)",
                       CAROM_LINK_NAME(sys, link), e_t, w->t);
    }
    if (c->problem.W.dense)
        carom_contact_consistent(c, sys->njoint, c->problem.n, c->problem.W.dense, c->problem.b);
    if (c->follows)
        carom_contacts_follow(c, sys, c->P);
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

/* What does not change in the iterations: M, G, w, e at node k, gaps at node k - 1. */
static void prepare(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    s->contacts->nactive = 0;
    s->contacts->solve.residual = 0;
    for (int r = 0; r < sys->nrow; r++)
        s->contacts->P[r] = 0;
    carom_system_local(sys, w->q_back, w->q, w->d_back);
    carom_copy(sys->nv, w->d_back, w->d);
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
    carom_rows_keep(sys, 0, sys->nrow, &w->rows_k);
}

/* Of joints that are all but dependent no impulses may be found that close them: they are not to stay open. */
static carom_status joints_closed(carom_step *s, work *w)
{
    carom_system *sys = s->system;
    double most = 10 * s->options->contact_tol * (1 + carom_norm_max(sys->nq, w->q));
    if (sys->njoint == 0)
        return CAROM_OK;
    carom_system_drift(sys, w->q, w->d, 1, w->x);
    carom_system_eval(sys, CAROM_GAP, w->t + s->options->h, w->x, w->v_c);
    for (int i = 0; i < sys->njoint; i++)
        if (!(fabs(sys->at.g[i]) <= most))
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "schatzman-paoli: joint '%s' stays open by %.2g after the step from t = %.10g with h = %.3g",
                       CAROM_LINK_NAME(sys, &sys->link[i]), sys->at.g[i], w->t, s->options->h);
    return CAROM_OK;
}

static carom_status newton(carom_step *s, work *w)
{
    enum { PATIENCE = 8 };
    carom_system *sys = s->system;
    int nv = sys->nv;
    unsigned affine = CAROM_MASS | CAROM_R_Q | CAROM_R_V | (sys->nlink ? CAROM_JACOBIAN : 0);
    bool linear = (sys->known & affine) == affine;
    double before = 0, tol = s->options->newton_tol;
    double rounding = 4e-16 * (1 + carom_norm_max(sys->nq, w->q));
    prepare(s, w);
    for (int k = 1;; k++) {
        CAROM_TRY(iterate(s, w));
        sys->info->newton_iterations++;
        for (int i = 0; i < nv; i++)
            w->r[i] = w->d_new[i] - w->d[i];
        carom_copy(nv, w->d_new, w->d);
        double change = carom_norm_max(nv, w->r), rate = k > 1 ? change / before : 1;
        double stall = fmax(tol, 10 * fmax(s->options->contact_tol, s->contacts->solve.residual));
        double size = CAROM_MAX(carom_norm_max(nv, w->d_free), carom_norm_max(nv, w->d_new));
        double goal = (k > 2 && rate >= 0.5 && s->contacts->nactive ? stall : tol) * size + rounding;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                       "schatzman-paoli: position is not finite after the step from t = %.10g with h = %.3g", w->t,
                       s->options->h);
        if (linear || change <= goal || (rate < 0.5 && rate / (1 - rate) * change <= goal))
            return joints_closed(s, w);
        if (k == s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "schatzman-paoli: Newton's last change is %.2g after %d iterations at t = %.10g with h = %.3g; "
                       "a smaller h helps",
                       change, k, w->t, s->options->h);
        bool turns = k >= PATIENCE && rate > 0.9; /* of contacts; feet that share a load in many ways keep a share */
        s->contacts->follows |= turns;
        for (int i = 0; turns && i < nv; i++)
            w->d[i] -= w->r[i] / 2;
        before = change;
    }
}

carom_status carom_paoli_newton(carom_step *s, carom_paoli_work *w)
{
    carom_status status = newton(s, w);
    s->contacts->follows = false;
    return status;
}
