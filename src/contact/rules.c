/* rules.c: how the impacts of an instant are resolved. J: the contacts struck and those that are closed.
 *
 *   simultaneous  one velocity-level problem on J:   0 <= u+ + e u-  _|_  P >= 0, with friction            (1)
 *   sequential    the contact of J that closes fastest is struck alone, with the joints; repeated until none closes.
 *                 When their velocities have died away without an end, the rest is (1) with the velocities left    (2)
 *   poisson       compression   u' = u- + W P',   (u', P') in the laws: (1) with e = 0                     (3)
 *                 expansion     each contact gives back P'' = e P' at least, more if it would close:
 *                               u+ = u' + W (P'' + y),   0 <= u+_n  _|_  y_n >= 0,
 *                               |y_t| <= mu (P''_n + y_n), against u+_t                                    (4)
 *                               posed as two blocks, (y_n, y_t') in Coulomb's law and |y_t''| <= mu P''_n  (5)
 *
 *   collapsed     the limit of infinitely many impacts of several contacts, one after the other: (3) alone  (6)
 *
 * (4): Pfeiffer and Glocker's form. Without friction and for one contact alone (3), (4) is Newton's law; with friction
 * and for several contacts with different e it is not. Like Newton's law it may gain energy where e differ.
 * (6) is no rule of a model. Every impact changes v by M^-1 G^T P, P >= 0; where those of J without friction come to an
 * end in their limit, at u = 0, this is the v with G v = 0 that is left, whatever their order and their e < 1. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/rules.h"
#include "model/model.h"

static const carom_field no_fields[] = {{0}};
enum { BLOWS = 10000 };

static carom_status strike(const carom_collision *x, int n, const int *links, const double *v, double *v_new)
{
    carom_contacts *c = x->contacts;
    memcpy(c->active, links, sizeof(int) * (size_t)n);
    c->nactive = n;
    return carom_contact_impact(c, x->system, &x->system->mass, NULL, v, v, x->now, v_new, x->error);
}

static carom_status simultaneous(carom_collision *x)
{
    return strike(x, x->n, x->links, x->v, x->v_new);                                  /* (1) */
}

/* u after v_new on the rows of J, P from `total`. */
static void finish(const carom_collision *x, const double *total)
{
    carom_contacts *c = x->contacts;
    const carom_system *sys = x->system;
    carom_copy(sys->nrow, total, c->P);
    for (int k = 0; k < x->n; k++) {
        const carom_link *link = &sys->link[x->links[k]];
        for (int r = link->row; r < link->row + link->rows; r++) {
            c->u_before[r] = carom_row_speed(sys, r, x->v);
            c->u_after[r] = carom_row_speed(sys, r, x->v_new);
        }
    }
    memcpy(c->active, x->links, sizeof(int) * (size_t)x->n);
    c->nactive = x->n;
}

/* The impulses of one blow of several. */
static void add_blow(const carom_collision *x, double *total)
{
    const carom_contacts *c = x->contacts;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &x->system->link[c->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++)
            total[r] += c->P[r];
    }
}

/* ---- sequential ---- */

/* The link of J that closes fastest, or -1. */
static int fastest(const carom_collision *x, const double *v, double *u_fastest)
{
    const carom_system *sys = x->system;
    int found = -1;
    for (int k = sys->njoint; k < x->n; k++) {
        const carom_link *link = &sys->link[x->links[k]];
        double u = carom_law_can(link->law, CAROM_OPEN) ? carom_row_speed(sys, link->row, v) : 0;
        if (u < *u_fastest)
            *u_fastest = u, found = x->links[k];
    }
    return found;
}

static carom_status sequential(carom_collision *x)
{
    const carom_system *sys = x->system;
    carom_contacts *c = x->contacts;
    int nv = sys->nv, *links = c->rules.links;
    double *total = c->rules.total, *v = c->rules.v;
    for (int i = 0; i < sys->njoint; i++)
        links[i] = i;
    memset(total, 0, sizeof(double) * (size_t)sys->nrow);
    carom_copy(nv, x->v, x->v_new);
    for (int blow = 0; blow < BLOWS; blow++) {
        double u = -x->rest;
        int link = fastest(x, x->v_new, &u);
        bool last = link >= 0 && blow > 100 && -u <= x->small; /* what is left is less than the tolerance */
        if (link < 0) {
            finish(x, total);
            return CAROM_OK;
        }
        links[sys->njoint] = link;
        carom_copy(nv, x->v_new, v);
        CAROM_TRY(strike(x, last ? x->n : sys->njoint + 1, last ? x->links : links, v, x->v_new));   /* (2) */
        add_blow(x, total);
        if (last) {
            finish(x, total);
            return CAROM_OK;
        }
    }
    CAROM_FAIL(x->error, CAROM_TOLERANCE, "%d sequential impacts at t = %.10g do not end", BLOWS, x->t);
}

/* ---- poisson ---- */

static carom_status poisson_accepts(const carom_model *model, carom_error *error)
{
    char name[32];
    for (int i = 0; i < model->ncontact; i++) {
        const carom_law *law = carom_model_law(model, i);
        if (!carom_law_plain(law) || law->tangents > 1)
            CAROM_FAIL(error, CAROM_UNSUPPORTED,
                       "poisson: contact '%s' has the law '%s'; the rule knows contacts without friction and with "
                       "Coulomb's in the plane",
                       carom_model_contact_name(model, i, name), law->method.name);
    }
    return CAROM_OK;
}

/* (3): the problem of J with u- for b; P' in solve.x. */
static carom_status compress(const carom_collision *x)
{
    carom_contacts *c = x->contacts;
    carom_system *sys = x->system;
    memcpy(c->active, x->links, sizeof(int) * (size_t)x->n);
    c->nactive = x->n;
    CAROM_TRY(carom_contacts_pose(c, sys, &sys->mass, NULL, x->error));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        for (int j = 0; j < link->rows; j++)
            c->problem.b[c->problem.block[k].row + j] = carom_row_speed(sys, link->row + j, x->v);
        if (link->law->tangents && carom_link_restitution(sys, link, 1) != 0)
            CAROM_FAIL(x->error, CAROM_UNSUPPORTED,
                       "contact '%s' has a tangential restitution of %g at t = %.10g; the rule of impacts has none",
                       CAROM_LINK_NAME(sys, link), carom_link_restitution(sys, link, 1), x->t);
    }
    return carom_contacts_solve(c, sys, x->t, x->error);
}

/* (5): the problem of the expansion; row [n] of its rows in the first problem. */
static void pose_expansion(const carom_collision *x, double *back)
{
    carom_contacts *c = x->contacts;
    const carom_system *sys = x->system;
    const carom_problem *p = &c->problem;
    carom_problem *q = &c->rules.problem;
    int n = p->n, *row = c->rules.row;
    memcpy(q->block, p->block, sizeof *q->block * (size_t)p->nblock);
    for (int i = 0; i < n; i++)
        row[i] = i, back[i] = 0;
    q->n = n, q->nblock = p->nblock;
    for (int k = 0; k < p->nblock; k++) {
        const carom_link *link = &sys->link[c->active[k]];
        int r = p->block[k].row;
        back[r] = link->contact < 0 ? 0 : carom_link_restitution(sys, link, 0) * c->solve.x[r];
        double *limit = &c->rules.limit[k];
        *limit = carom_block_mu(&p->block[k]) * back[r];
        if (link->law->tangents && *limit > 0) {
            row[q->n] = r + 1;
            q->block[q->nblock++] = (carom_block){.law = &carom_law_bounded, .row = q->n++, .c = limit};
        }
    }
    for (int i = 0; i < q->n; i++) {
        const double *W = p->W.dense + row[i] * n;
        q->b[i] = c->solve.u[row[i]] + carom_dot(n, W, back);
        c->rules.solve.x[i] = 0;
        for (int j = 0; j < q->n; j++)
            q->W.dense[i * q->n + j] = W[row[j]];
    }
}

static carom_status poisson(carom_collision *x)
{
    carom_contacts *c = x->contacts;
    carom_system *sys = x->system;
    carom_error reason = {0};
    double *back = c->rules.back, *total = c->rules.total;
    CAROM_TRY(compress(x));                                                            /* (3) */
    pose_expansion(x, back);
    c->rules.solve.tol = c->solve.tol;
    c->rules.solve.cancel = c->solve.cancel;
    carom_status status = carom_problem_solve(&c->rules.problem, c->solver, &c->rules.solve, &reason);   /* (4) */
    sys->info->contact_problems++, sys->info->solver_iterations += c->rules.solve.iterations;
    if (status != CAROM_OK)
        CAROM_FAIL(x->error, status, "expansion at t = %.10g: %.300s", x->t, reason.text);
    c->solve.residual = CAROM_MAX(c->solve.residual, c->rules.solve.residual);
    for (int i = 0; i < c->problem.n; i++)
        c->solve.x[i] += back[i];
    for (int i = 0; i < c->rules.problem.n; i++)
        c->solve.x[c->rules.row[i]] += c->rules.solve.x[i];
    memset(total, 0, sizeof(double) * (size_t)sys->nrow);
    carom_contacts_apply(c, sys, x->v, x->v_new, total);
    finish(x, total);
    return CAROM_OK;
}

/* Of a light body between heavy ones the problem is badly conditioned: what still closes is struck again. */
carom_status carom_rule_collapsed(carom_collision *x)
{
    enum { ROUNDS = 5 };
    carom_contacts *c = x->contacts;
    carom_collision round = *x;
    double *total = c->rules.total, u;
    memset(total, 0, sizeof(double) * (size_t)x->system->nrow);
    for (int k = 0; k < ROUNDS && (u = -x->rest, k == 0 || fastest(x, x->v_new, &u) >= 0); k++) {
        CAROM_TRY(compress(&round));                                                   /* (6) */
        carom_contacts_apply(c, x->system, round.v, x->v_new, c->P);
        add_blow(x, total);
        carom_copy(x->system->nv, x->v_new, c->rules.v);
        round.v = c->rules.v;
    }
    finish(x, total);
    return CAROM_OK;
}

/* ---- the table ---- */

const carom_impact_rule carom_rule_simultaneous = {
    .method = {.name = "simultaneous", .doc = "Newton's law in all contacts at once, one problem",
               .ref = "Moreau (1988), Unilateral contact and dry friction in finite freedom dynamics",
               .fields = no_fields},
    .resolve = simultaneous,
};
const carom_impact_rule carom_rule_sequential = {
    .method = {.name = "sequential", .doc = "one contact after the other, the fastest first, each by Newton's law",
               .ref = "", .fields = no_fields},
    .throws = true,
    .resolve = sequential,
};
const carom_impact_rule carom_rule_poisson = {
    .method = {.name = "poisson", .doc = "compression of all contacts at once, then expansion by e times its impulses",
               .ref = "", .fields = no_fields},
    .throws = true,
    .single = true,
    .accepts = poisson_accepts,
    .resolve = poisson,
};

static const carom_impact_rule *const rules[] = {&carom_rule_simultaneous, &carom_rule_sequential, &carom_rule_poisson};

const carom_impact_rule *carom_impact_rule_list(int i)
{
    return i >= 0 && i < CAROM_COUNT(rules) ? rules[i] : NULL;
}

const carom_method *carom_impact_method(int i)
{
    const carom_impact_rule *rule = carom_impact_rule_list(i);
    return rule ? &rule->method : NULL;
}

const carom_impact_rule *carom_impact_rule_of(const carom_model *model)
{
    for (int i = 0; i < CAROM_COUNT(rules); i++)
        if (!model->impacts || strcmp(rules[i]->method.name, model->impacts) == 0)
            return rules[i];
    return NULL;
}

static size_t twice_square(size_t rows, size_t width)
{
    return carom_room_square(2 * rows, width);
}

void carom_rules_layout(carom_layout *layout, carom_contacts *c, const carom_system *system)
{
    const carom_impact_rule *rule = carom_impact_rule_of(system->model);
    size_t extra = (size_t)system->model->ncontact, n = (size_t)system->nrow + extra;
    size_t blocks = (size_t)system->nlink + extra;
    CAROM_PLACE(layout, c->rules.links, system->nlink);
    CAROM_PLACE(layout, c->rules.total, system->nrow);
    CAROM_PLACE(layout, c->rules.v, system->nv);
    if (!rule || !rule->single)
        return;
    CAROM_PLACE(layout, c->rules.back, system->nrow);
    CAROM_PLACE(layout, c->rules.limit, system->nlink);
    CAROM_PLACE(layout, c->rules.row, n);
    CAROM_PLACE(layout, c->rules.problem.block, blocks);
    carom_room_place(layout, &c->rules.problem.W.dense, twice_square, (size_t)system->nrow, 1); /* n <= 2 nrow */
    CAROM_PLACE(layout, c->rules.problem.b, n);
    CAROM_PLACE(layout, c->rules.solve.x, n);
    CAROM_PLACE(layout, c->rules.solve.u, n);
    carom_room_place(layout, &c->rules.solve.work, carom_room_solvers, (size_t)system->nrow, 2);
}
