/* end.c: the impulse at the end of a step.
 *
 *   I = h sum_k beta_k lambda_k,   vf = v + h sum_k beta_k a_k,   q' = q + h sum_k beta_k v_k                 (1)
 *   held: closed and lambda_k > 0 at every stage     (u', P + I) in the law: u' = 0 with P of either sign,    (2)
 *                                                    or the total vanishes; friction opposes u' with the total
 *   others with g(q') <= 1e-10                       (u' + e_eff u-, P) in the law                            (3)
 *   u- from the stage velocity v_M (D-), vf (D+), v (M = 0)                                                   (4)
 *   e_eff = 0 if the next flight would be shorter than kappa steps, 2 e |u-| <= kappa h max(0, -du/dt),       (5)
 *           or if the last one was, and for contacts that were closed; otherwise e
 *   joints                                           u' = 0                                                   (6)
 *   held, slips, and mu changes with place or speed: mu = sum beta_k |lambda_t,k| / sum beta_k lambda_k      (8)
 *   v' = vf - S k + (1 + S) M^-1 G^T P               S = 0, or in D+ the answer of vf to the velocity         (7)
 *                                                    M^-1 G^T P, of which the stages have felt k
 *
 * (2) projects the velocities of contacts that stay closed: without it order 4 falls to 2 on curved surfaces. Positions
 * of joints and held contacts are projected before, so that u' = 0 holds at the positions of the next step. With the
 * velocity before the step in (4) elastic impacts would lose energy; without (5) D- ends bouncing in a cycle of one
 * step. In D+ the parts of the links and e_eff are those of the solution without impulse. */
#include <math.h>
#include <string.h>

#include "laws/coulomb.h"
#include "schemes/galerkin/galerkin.h"

static void set_links(carom_step *s, const unsigned char *in)
{
    carom_contacts *c = s->contacts;
    c->nactive = 0;
    for (int i = 0; i < s->system->nlink; i++)
        if (in[i])
            c->active[c->nactive++] = i;
}

void carom_galerkin_stage_links(carom_step *s)
{
    set_links(s, ((carom_galerkin *)s->work)->closed);
}

void carom_galerkin_end_links(carom_step *s)
{
    set_links(s, ((carom_galerkin *)s->work)->part);
}

/* Positions and velocities without impulse, and what the stage forces have done. */
static void free_end(carom_step *s)
{
    carom_galerkin *w = s->work;
    const carom_system *sys = s->system;
    int nv = sys->nv, M = w->t->M;
    const double *beta = w->t->beta;
    carom_galerkin_rates(s);
    for (int i = 0; i < nv; i++) {
        double a = 0, v = 0;
        for (int k = 0; k <= M; k++)
            a += beta[k] * w->a[k * nv + i], v += beta[k] * w->rate[k * nv + i];
        w->vf[i] = s->now->v[i] + s->h * a;
        w->mean[i] = v;
    }
    carom_system_drift(sys, s->now->q, w->mean, s->h, w->q_end);
    for (int r = 0; r < sys->nrow; r++) {
        w->I[r] = 0;
        for (int k = 0; k <= M; k++)
            w->I[r] += s->h * beta[k] * w->force[k * sys->nrow + r];                           /* (1) */
    }
    carom_copy(nv, M == 0 ? s->now->v : w->t->plus ? w->vf : w->v + M * nv, w->v_minus);       /* (4) */
}

static bool loaded(const carom_step *s, const carom_link *link)
{
    const carom_galerkin *w = s->work;
    for (int k = 0; k <= w->t->M; k++)
        if (!(w->force[k * s->system->nrow + link->row] > 0))
            return false;
    return true;
}

static void latch(carom_step *s)
{
    carom_galerkin *w = s->work;
    const carom_system *sys = s->system;
    for (int i = 0; i < sys->nlink && !w->latched; i++)
        w->part[i] = i < sys->njoint && w->spare[i]                 ? CAROM_GALERKIN_OUT
                     : i < sys->njoint                              ? CAROM_GALERKIN_FREE
                     : w->closed[i] && loaded(s, &sys->link[i]) ? CAROM_GALERKIN_HELD
                                                                    : CAROM_GALERKIN_OUT;
}

double carom_galerkin_touch(const carom_step *s, const carom_link *link)
{
    const carom_galerkin *w = s->work;
    return 1e-10 * (carom_scale_gap(s->system, link->row, w->q_end) +
                    s->h * (carom_scale_speed(s->system, link->row, w->vf) +
                            carom_scale_speed(s->system, link->row, s->now->v)));
}

static void latch_struck(carom_step *s)
{
    carom_galerkin *w = s->work;
    for (int i = s->system->njoint; i < s->system->nlink && !w->latched; i++)
        if (w->part[i] == CAROM_GALERKIN_OUT && s->system->at.g[i] <= carom_galerkin_touch(s, &s->system->link[i]))
            w->part[i] = CAROM_GALERKIN_FREE;
    w->latched = true;
}

static void fixed_links(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    c->nactive = 0;
    for (int i = 0; i < s->system->nlink; i++)
        if (i < s->system->njoint || w->part[i] == CAROM_GALERKIN_HELD)
            c->active[c->nactive++] = i;
}

/* q_end to where joints and held contacts have the gaps they should; leaves g, G, M of q_end. */
static carom_status project(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    fixed_links(s);
    carom_equations_list(&c->closed, s->system, c->nactive, c->active);
    return carom_given_positions(&c->closed, s->system, w->g_start, s->next->t, w->q_end, w->vf, s->error);
}

/* (5) */
static void restitution(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_system *sys = s->system;
    int nv = sys->nv, M = w->t->M;
    if (M > 0)
        carom_system_eval(sys, CAROM_GAMMA, s->next->t, w->q_end, w->v_minus);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        double e = carom_link_restitution(sys, link, 0);
        double u = carom_row_speed(sys, link->row, w->v_minus);
        double down = M > 0 ? fmax(0, -carom_row_accel(sys, link->row, w->a + M * nv)) : 0;
        double shortest = s->field[CAROM_GALERKIN_FIELD_KAPPA] * s->h * down * (1 + 1e-12); /* a tie ends at rest */
        bool twice = s->field[CAROM_GALERKIN_FIELD_KAPPA] > 0 && s->now->impulse[link->row] > 0; /* in two steps */
        bool rests = M > 0 && (w->closed[i] || twice || 2 * e * fabs(u) <= shortest);
        for (int j = 0; j < link->rows; j++)
            w->e[link->row + j] = rests ? 0 : carom_link_restitution(sys, link, j);
    }
}

/* (7): the velocities without P, and W for those with it; u- follows vf, so it answers P too. */
static void respond(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    int nv = s->system->nv, n = c->problem.n;
    carom_copy(nv, w->vf, w->v_base);
    if (!w->respond)
        return;
    for (int i = 0; i < nv; i++)
        w->v_base[i] -= carom_dot(nv, w->S + i * nv, w->kick);
    if (w->t->M > 0)
        carom_copy(nv, w->v_base, w->v_minus);
    for (int row = 0; row < n; row++) {
        double *Y = c->Y + row * nv;
        carom_copy(nv, Y, w->mean);
        for (int i = 0; i < nv; i++)
            Y[i] += carom_dot(nv, w->S + i * nv, w->mean);
    }
    for (int k = 0; k < c->nactive; k++)
        for (int j = 0; j < s->system->link[c->active[k]].rows; j++) {
            int r = s->system->link[c->active[k]].row + j, row = c->problem.block[k].row + j;
            double follow = s->system->link[c->active[k]].contact < 0 || w->t->M == 0 ? 1 : 1 + w->e[r];
            for (int i = 0; i < n; i++) {
                double *W = &c->problem.W.dense[row * n + i];
                *W += follow * (carom_row_dot(s->system, r, c->Y + i * nv) - *W);
            }
        }
}

static bool any_struck(const carom_step *s)
{
    const carom_galerkin *w = s->work;
    for (int i = s->system->njoint; i < s->system->nlink; i++)
        if (w->part[i] == CAROM_GALERKIN_FREE && !w->closed[i])
            return true;
    return false;
}

/* A held contact that slips in space and has not turned round slips on: P_t = -mu P_n d. */
static void slip_on(carom_step *s, const carom_link *link, carom_block *block)
{
    carom_galerkin *w = s->work;
    const double *u = s->contacts->u_free + link->row + 1;
    double size = hypot(u[0], u[1]);
    if (!(carom_dot(2, u, s->now->u + link->row + 1) > 0))
        return;
    carom_block_pin(block, CAROM_SLIP);
    for (int j = 0; j < 2; j++) {
        block->direction[j] = u[j] / size;
        w->base[link->row + 1 + j] = -carom_block_mu(block) * w->base[link->row] * block->direction[j];
    }
}

/* (8): friction of the step in the mean, c with this mu; the coefficients at the end would cost the order. */
static const double *mean_friction(carom_step *s, const carom_link *link, const double *c)
{
    carom_galerkin *w = s->work;
    double friction = 0, normal = 0, *law = w->law + link->coefficient;
    for (int k = 0; k <= w->t->M; k++) {
        const double *x = w->force + k * s->system->nrow + link->row;
        friction += w->t->beta[k] * hypot(x[1], link->rows > 2 ? x[2] : 0);
        normal += w->t->beta[k] * x[0];
    }
    carom_copy(carom_law_coefficients(link->law), c, law);
    law[CAROM_FRICTION] = friction / normal;
    return law;
}

/* Laws, coefficients and right-hand sides of (2), (3), (6), in the total impulse x = P + base. */
static void given(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    carom_system *sys = s->system;
    int n = c->problem.n;
    bool struck = any_struck(s);
    for (int k = 0; k < c->nactive; k++) {
        int i = c->active[k];
        const carom_link *link = &sys->link[i];
        carom_block *block = &c->problem.block[k];
        block->pinned = false;
        for (int r = link->row; r < link->row + link->rows; r++) {
            c->u_before[r] = carom_row_speed(sys, r, w->v_minus);
            c->u_free[r] = carom_row_speed(sys, r, w->v_base);
            w->base[r] = w->part[i] == CAROM_GALERKIN_HELD ? w->I[r] : 0;
            double e = link->contact < 0 ? 0 : w->e[r];
            c->problem.b[block->row + r - link->row] = c->u_free[r] + e * c->u_before[r];
        }
        if (link->contact < 0)
            continue;
        carom_mode mode = s->now->mode[link->contact];
        bool slips = link->law->tangents == 2 && mode == CAROM_SLIP;
        bool turns = slips && w->part[i] == CAROM_GALERKIN_HELD && !w->straight[i];
        bool rests = (mode == CAROM_STICK || w->caught[i]) && !w->loose[i];
        block->c = carom_link_coefficients(sys, link, rests, 1);
        if (w->part[i] == CAROM_GALERKIN_HELD && mode == CAROM_SLIP && !rests && !(sys->known & CAROM_LAW) &&
            link->law->mu)
            block->c = mean_friction(s, link, block->c);
        if (turns && !struck)
            slip_on(s, link, block);
    }
    for (int k = 0; k < c->nactive; k++)
        for (int j = 0; j < sys->link[c->active[k]].rows; j++)
            for (int i = 0, col = c->problem.block[k].row + j; i < n; i++)
                c->problem.b[i] -= c->problem.W.dense[i * n + col] * w->base[sys->link[c->active[k]].row + j];
}

/* Contacts that were held by static friction and slip, or slipped on and have turned round, which have been at rest on
 * the way: once more. */
static bool again(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    double scale = carom_norm_max(c->problem.n, c->problem.b);
    bool changed = false;
    for (int k = 0; k < c->nactive; k++) {
        int i = c->active[k];
        const carom_link *link = &s->system->link[i];
        const carom_block *block = &c->problem.block[k];
        const double *u = c->solve.u + block->row + 1;
        if (!link->law->tangents)
            continue;
        if (carom_block_is(block, CAROM_SLIP) && !(carom_dot(2, u, s->now->u + link->row + 1) > 0))
            w->straight[i] = changed = true;
        if (block->c != carom_link_law(s->system, link) && block->c != w->law + link->coefficient &&
            carom_norm_max(link->law->tangents, u) > 1e-9 * scale && !w->loose[i])
            w->loose[i] = changed = true;
        else if (s->now->mode[link->contact] == CAROM_SLIP && link->law->at_rest && !w->caught[i] &&
                 w->e[link->row + 1] == 0 &&
                 carom_dot(link->law->tangents, u, s->now->u + link->row + 1) < 0)
            w->caught[i] = changed = true;
    }
    return changed;
}

static carom_status impulses(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    carom_system *sys = s->system;
    CAROM_TRY(carom_contacts_pose(c, sys, &sys->mass, NULL, s->error));
    respond(s);
    do {
        given(s);
        CAROM_TRY(carom_contacts_solve(c, sys, s->next->t, s->error));
    } while (again(s));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        for (int j = 0; j < link->rows; j++)
            c->solve.x[c->problem.block[k].row + j] -= w->base[link->row + j];
    }
    carom_contacts_apply(c, sys, w->v_base, s->next->v, w->P);                                 /* (7) */
    carom_rows_multiply_t(sys, w->P, w->kick_new);
    carom_factor_solve(sys, &sys->mass, w->kick_new);
    for (int i = 0; i < sys->nv && w->respond && w->t->M > 0; i++)
        w->v_minus[i] += carom_dot(sys->nv, w->S + i * sys->nv, w->kick_new);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++) {
            c->u_before[r] = carom_row_speed(sys, r, w->v_minus);
            c->u_after[r] = carom_row_speed(sys, r, s->next->v);
        }
    }
    return CAROM_OK;
}

carom_status carom_galerkin_end(carom_step *s)
{
    carom_galerkin *w = s->work;
    carom_contacts *c = s->contacts;
    carom_system *sys = s->system;
    bool first = !w->latched;
    free_end(s);
    for (int r = 0; r < sys->nrow; r++)
        w->P[r] = c->u_before[r] = c->u_free[r] = c->u_after[r] = 0;
    latch(s);
    if (sys->nlink) {
        CAROM_TRY(project(s));
        latch_struck(s);
    }
    carom_galerkin_end_links(s);
    carom_copy(sys->nq, w->q_end, s->next->q);
    carom_copy(sys->nv, w->vf, s->next->v);
    if (c->nactive == 0)
        return CAROM_OK;
    CAROM_TRY(carom_mass_factor(sys, s->next->t, s->error));
    if (sys->model->ncontact) {
        carom_system_eval(sys, CAROM_LAW, s->next->t, w->q_end, w->v_minus);
        CAROM_TRY(carom_links_in_range(sys, c->active, c->nactive, s->next->t, s->error));
        if (first)
            restitution(s);
    }
    return impulses(s);
}
