/* newton.c: Newton's method for the accelerations of the stages.
 *
 *   a_l = phi(t_l, q_l, v_l),   phi: M a = F + G^T lambda with the contacts decided                (1)
 *   dphi = -Pi M^-1 (R_q dq + R_v dv),   Pi = 1 - C (G_B C)^-1 G_B,
 *   C = M^-1 G_B^T, in slip together with its friction                                              (2)
 *   dv_l = h sum_k Av[l][k] da_k,   dq_l = h^2 sum_k (A Av)[l][k] da_k                              (3)
 *   (1 - dphi/da) da = phi - a                                                                      (4)
 *
 * R_q, R_v are the model's exact derivatives of M a - F - G^T lambda; B are the rows that carry a force. Derivatives
 * of G a + gamma are left out: they are not stiff, so the iteration converges linearly with a factor O(h) where curved
 * contacts are closed, and quadratically otherwise.
 *
 * In D+ the stages feel the velocity k = M^-1 G^T P that the impulse at the end gives, and vf follows it:
 *   dv_l += s_l dk,   dq_l += h (A s)_l dk,   dvf = h sum_l beta_l da_l = S dk                         (5) */
#include <math.h>
#include <string.h>

#include "schemes/galerkin/galerkin.h"

/* One row of B and its column of C, from row `row` of the posed problem and the slip direction d (or NULL). */
static void take(carom_step *s, int *n, const carom_link *link, const carom_block *block, int j, const double *d)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, nrow = s->system->nrow, row = block->row + j;
    double *C = w->B + *n * nv, *G = w->B + (nrow + *n) * nv;
    carom_copy(nv, s->contacts->Y + row * nv, C);
    carom_row_copy(s->system, link->row + j, G);
    for (int k = 1; d && k < link->rows; k++)
        for (int i = 0; i < nv; i++)
            C[i] -= carom_block_mu(block) * d[k - 1] * s->contacts->Y[(row + k) * nv + i];
    ++*n;
}

/* The rows that carry a force, after the stage's problem was solved. */
static int carrying(carom_step *s)
{
    const carom_contacts *c = s->contacts;
    int n = 0;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &s->system->link[c->active[k]];
        const carom_block *block = &c->problem.block[k];
        const double *x = c->solve.x + block->row;
        if (link->contact >= 0 && !(x[0] > 0))
            continue;
        double d[2] = {0, 0}, most = carom_block_mu(block) * x[0];
        double t = link->law->tangents > 1 ? hypot(x[1], x[2]) : link->law->tangents ? fabs(x[1]) : 0;
        bool slips = link->law->tangents && (carom_block_is(block, CAROM_SLIP) || t >= most * (1 - 1e-9));
        for (int j = 1; j < link->rows && slips && most > 0; j++)
            d[j - 1] = -x[j] / most;
        take(s, &n, link, block, 0, slips ? d : NULL);
        for (int j = 1; j < link->rows && !slips; j++)
            take(s, &n, link, block, j, NULL);
    }
    return n;
}

/* x <- Pi x for nv columns x of the row-major matrix X [nv*nv] */
static void project(carom_step *s, int n, double *X)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, nrow = s->system->nrow;
    const double *C = w->B, *G = w->B + nrow * nv;
    double *y = s->contacts->u_free, *z = s->contacts->u_after; /* scratch until the end of the step */
    for (int col = 0; col < nv && n > 0; col++) {
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < nv; j++)
                y[i] += G[i * nv + j] * X[j * nv + col];
            for (int j = 0; j < n; j++)
                w->K[i * n + j] = carom_dot(nv, G + i * nv, C + j * nv);
        }
        carom_least_squares(n, n, w->K, y, z, 1e-12, w->ls_work, w->ls_order);
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < n; i++)
                X[j * nv + col] -= C[i * nv + j] * z[i];
    }
}

/* D = (dphi/dq, dphi/dv) at stage l, where phi was evaluated last */
static void derivatives(carom_step *s, int l, const double *phi)
{
    static const double one = 1;
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    int nv = sys->nv;
    int n = carrying(s);
    sys->at.a = phi, sys->at.x = w->force + l * sys->nrow, sys->at.s = &one;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V, carom_galerkin_time(s, l), w->q + l * sys->nq, w->v + l * nv);
    sys->at.a = sys->at.x = sys->zero;
    const double *R[] = {sys->at.R_q, sys->at.R_v};
    for (int k = 0; k < 2; k++) {
        double *D = w->D + k * nv * nv;
        for (int col = 0; col < nv; col++) {
            for (int i = 0; i < nv; i++)
                w->mean[i] = -R[k][i * nv + col];
            carom_factor_solve(sys, &sys->mass, w->mean);
            for (int i = 0; i < nv; i++)
                D[i * nv + col] = w->mean[i];
        }
        project(s, n, D);                                                                      /* (2) */
    }
}

/* The rows of (4) for stage l */
static void fill(carom_step *s, int l, int lo, int hi)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, n = (hi - lo + 1) * nv;
    double h = s->h;
    const double *Dq = w->D, *Dv = w->D + nv * nv;
    for (int i = 0; i < nv; i++)
        for (int k = lo; k <= hi; k++)
            for (int j = 0; j < nv; j++)
                w->J[((l - lo) * nv + i) * n + (k - lo) * nv + j] =                            /* (3) */
                    (k == l && i == j) - h * (w->t->Av[l][k] * Dv[i * nv + j] + h * w->t->AA[l][k] * Dq[i * nv + j]);
}

/* What k does at stage l, (5): column j of X [n][nv] by columns. */
static void fill_kick(carom_step *s, int l)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, M = w->t->M, n = (M + 1) * nv;
    double q = 0;
    for (int k = 0; k <= M; k++)
        q += s->h * w->t->A[l][k] * w->t->s[k];
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            w->X[j * n + l * nv + i] = w->t->s[l] * w->D[(nv + i) * nv + j] + q * w->D[i * nv + j];
}

/* The matrix of (4), factored, and phi - a */
static carom_status assemble(carom_step *s, int lo, int hi, bool kick)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv;
    carom_galerkin_velocities(s);
    for (int l = lo; l <= hi; l++) {
        CAROM_TRY(carom_galerkin_accelerate(s, l, w->a_new));
        for (int i = 0; i < nv; i++)
            w->rhs[(l - lo) * nv + i] = w->a_new[i] - w->a[l * nv + i];                        /* (1) */
        derivatives(s, l, w->a_new);
        fill(s, l, lo, hi);
        if (kick)
            fill_kick(s, l);
    }
    if (!carom_kept_lu_factor(&w->newton, (hi - lo + 1) * nv, w->J))
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "the Newton matrix of the stages is singular at t = %.10g with h = %.3g", s->now->t, s->h);
    s->system->info->newton_iterations++;
    return CAROM_OK;
}

carom_status carom_galerkin_response(carom_step *s)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, M = w->t->M, n = (M + 1) * nv;
    carom_galerkin_stage_links(s);
    CAROM_TRY(assemble(s, 0, M, true));
    for (int j = 0; j < nv; j++) {
        carom_kept_lu_solve(&w->newton, w->X + j * n);
        s->system->info->linear_solves++;
        for (int i = 0; i < nv; i++) {
            w->S[i * nv + j] = 0;
            for (int l = 0; l <= M; l++)
                w->S[i * nv + j] += s->h * w->t->beta[l] * w->X[j * n + l * nv + i];           /* (5) */
        }
    }
    w->respond = true;
    return CAROM_OK;
}

carom_status carom_galerkin_newton(carom_step *s, int lo, int hi)
{
    carom_galerkin *w = s->work;
    int nv = s->system->nv, n = (hi - lo + 1) * nv;
    double before = INFINITY, tol = s->options->newton_tol;
    for (int k = 1;; k++) {
        CAROM_TRY(assemble(s, lo, hi, false));
        carom_kept_lu_solve(&w->newton, w->rhs);                                             /* (4) */
        s->system->info->linear_solves++;
        for (int i = 0; i < n; i++)
            w->a[lo * nv + i] += w->rhs[i];
        double change = s->h * carom_norm_max(n, w->rhs), size = carom_galerkin_size(s);
        bool slow = k > 2 && change > 0.5 * before;
        if (!(change <= DBL_MAX))
            CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                       "an acceleration is not finite in the step from t = %.10g with h = %.3g", s->now->t, s->h);
        if (change <= (slow ? CAROM_MAX(1e-13, 10 * s->options->contact_tol) : tol) * size)
            return CAROM_OK;
        if (k == s->options->newton_max)
            CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                       "Newton's last change of the stages is %.2g after %d iterations at t = %.10g with h = %.3g; "
                       "a smaller h helps",
                       change, k, s->now->t, s->h);
        before = change;
    }
}
