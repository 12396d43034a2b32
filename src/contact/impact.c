/* impact.c: block `impact`, the one-step problem at velocity level.
 *
 *   A v_new = A v_free + G^T P                         G: directions of the impulses           (1)
 *   u = G_u v + w_u                                    relative velocities of the active rows  (2)
 *   W = G_u A^-1 G^T                                                                           (3)
 *   b = u(v_free) + e u(v)                             Newton's law, normal e, tangential e_t  (4)
 *   (W P + b, P) in the law of every active link       joints: e = 0                           (5)
 *
 * A contact that sticks holds up to its static friction: it is first solved with mu_s, and with mu if it slips. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "core/dense.h"

void carom_contacts_layout(carom_layout *layout, carom_contacts *contacts, const carom_system *system)
{
    int n = system->nrow, nv = system->nv, nj = system->njoint;
    CAROM_PLACE(layout, contacts->active, system->nlink);
    CAROM_PLACE(layout, contacts->hit, system->nlink - system->njoint);
    CAROM_PLACE(layout, contacts->Y, n * nv);
    CAROM_PLACE(layout, contacts->u_before, n);
    CAROM_PLACE(layout, contacts->u_free, n);
    CAROM_PLACE(layout, contacts->u_after, n);
    CAROM_PLACE(layout, contacts->P, n);
    CAROM_PLACE(layout, contacts->problem.block, system->nlink);
    CAROM_PLACE(layout, contacts->problem.W, n * n);
    CAROM_PLACE(layout, contacts->problem.b, n);
    CAROM_PLACE(layout, contacts->solve.x, n);
    CAROM_PLACE(layout, contacts->solve.u, n);
    contacts->solve.work = carom_place(layout, carom_solver_work(n, system->nlink));
    CAROM_PLACE(layout, contacts->ls_A, nj * nj);
    CAROM_PLACE(layout, contacts->ls_b, nj);
    CAROM_PLACE(layout, contacts->ls_x, nj);
    CAROM_PLACE(layout, contacts->ls_work, 4 * nj);
    CAROM_PLACE(layout, contacts->ls_order, nj);
}

bool carom_contacts_activate(carom_contacts *contacts, const carom_system *system, const double *g_bar, const double *q,
                             const unsigned char *mode)
{
    static const double rounding = 1e-13; /* of a gap, relative to the coordinates */
    const int njoint = system->njoint, nlink = system->nlink;
    bool any_closed = false;
    int n = 0;
    for (int k = 0; k < contacts->nactive; k++) { /* what the step before has left */
        const carom_link *link = &system->link[contacts->active[k]];
        for (int r = link->row; r < link->row + link->rows; r++)
            contacts->P[r] = contacts->u_before[r] = contacts->u_free[r] = contacts->u_after[r] = 0;
    }
    for (int i = 0; i < njoint; i++)
        contacts->active[n++] = i;
    for (int i = njoint; i < nlink; i++) {
        bool closed = mode[i - njoint] != CAROM_OPEN;
        any_closed |= closed;
        if (g_bar[i] <= 0 || (closed && g_bar[i] <= rounding * (1 + carom_norm_max(system->nq, q))))
            contacts->active[n++] = i;
    }
    contacts->nactive = n;
    contacts->solve.residual = 0;
    return n > 0 || any_closed;
}

/* (2) and A^-1 G^T on the active rows, which are numbered one after the other in the problem. */
static void gather(carom_contacts *c, const carom_system *system, const carom_factor *A, const double *G_u, const double *w_u,
                   const double *v, const double *v_free)
{
    int nv = system->nv, n = 0;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        c->problem.block[k] = (carom_block){.law = link->law, .row = n};
        for (int r = link->row; r < link->row + link->rows; r++, n++) {
            double *y = c->Y + n * nv;
            carom_copy(nv, system->at.G + r * nv, y);
            carom_factor_solve(A, y);                                                  /* A^-1 G^T */
            c->u_before[r] = carom_dot(nv, G_u + r * nv, v) + w_u[r];                  /* (2) */
            c->u_free[r] = carom_dot(nv, G_u + r * nv, v_free) + w_u[r];
        }
    }
    c->problem.n = n;
    c->problem.nblock = c->nactive;
}

static void assemble(carom_contacts *c, const carom_system *system, const double *G_u, const carom_state *now)
{
    int nv = system->nv, n = c->problem.n;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        const double *law = link->contact < 0 ? NULL : system->at.law + 4 * link->contact;
        carom_block *block = &c->problem.block[k];
        if (law)
            block->mu = now->mode[link->contact] == CAROM_STICK ? CAROM_MAX(law[2], law[3]) : law[2];
        for (int j = 0; j < link->rows; j++) {
            int r = link->row + j, row = block->row + j;
            double e = !law ? 0 : j == 0 ? law[0] : law[1];
            c->problem.b[row] = c->u_free[r] + e * c->u_before[r];                     /* (4) */
            c->solve.x[row] = 0; /* not the last impulses: a guess that just passes the tolerance would be kept for ever */
            for (int s = 0; s < n; s++)
                c->problem.W[row * n + s] = carom_dot(nv, G_u + r * nv, c->Y + s * nv); /* (3) */
        }
    }
}

/* Contacts that were held with static friction and yet slip: solve again with mu. */
static bool break_loose(carom_contacts *c, const carom_system *system, const carom_state *now)
{
    bool again = false;
    double scale = carom_norm_max(c->problem.n, c->problem.b);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        if (link->rows == 1 || now->mode[link->contact] != CAROM_STICK)
            continue;
        double mu = system->at.law[4 * link->contact + 2];
        if (block->mu > mu && carom_norm_max(link->rows - 1, c->solve.u + block->row + 1) > 1e-9 * scale) {
            block->mu = mu;
            again = true;
        }
    }
    return again;
}

static carom_status fail(const carom_contacts *c, const carom_system *system, double t, carom_error *error)
{
    char reason[160] = "";
    if (error)
        memcpy(reason, error->text, sizeof reason - 1);
    const char *name = c->solve.worst < c->nactive ? system->link[c->active[c->solve.worst]].name : "?";
    CAROM_FAIL(error, CAROM_NO_SOLUTION, "contact problem at t = %.10g: residual %.2g exceeds %.2g (contact '%s', %d rows)%s%s", t,
               c->solve.residual, c->solve.tol, name, c->problem.n, *reason ? ": " : "", reason);
}

/* One contact without friction alone: (3)-(5) by hand. Y, x and u are left as a solver would leave them. */
static void one_contact(carom_contacts *c, carom_system *system, const carom_factor *A, const double *G_u, const double *w_u,
                        const double *v, const double *v_free, double *v_new)
{
    const carom_link *link = &system->link[c->active[0]];
    int nv = system->nv, r = link->row;
    double e = system->at.law[4 * link->contact];
    carom_copy(nv, system->at.G + r * nv, c->Y);
    carom_factor_solve(A, c->Y);
    c->u_before[r] = carom_dot(nv, G_u + r * nv, v) + w_u[r];                          /* (2) */
    c->u_free[r] = carom_dot(nv, G_u + r * nv, v_free) + w_u[r];
    double W = carom_dot(nv, G_u + r * nv, c->Y);                                      /* (3) */
    double b = c->u_free[r] + e * c->u_before[r];                                      /* (4) */
    double P = b < 0 ? -b / W : 0;                                                     /* (5) */
    c->problem.n = 1;
    c->solve.x[0] = c->P[r] = P;
    c->u_after[r] = c->u_free[r] + W * P;
    c->solve.residual = P > 0 ? fabs(b + W * P) / -b : 0;
    c->solve.iterations = c->solve.worst = 0;
    for (int i = 0; i < nv; i++)
        v_new[i] = v_free[i] + c->Y[i] * P;                                            /* (1) */
    system->info->contact_problems++;
}

carom_status carom_contact_impact(carom_contacts *contacts, carom_system *system, const carom_factor *A, const double *G_u,
                                  const double *w_u, const double *v, const double *v_free, const carom_state *now,
                                  double *v_new, carom_error *error)
{
    carom_contacts *c = contacts;
    int nv = system->nv;
    if (c->nactive == 1 && !c->solver && system->link[c->active[0]].law == &carom_law_unilateral) {
        one_contact(c, system, A, G_u, w_u, v, v_free, v_new);
        if (c->solve.residual <= c->solve.tol)
            return CAROM_OK;
    }
    gather(c, system, A, G_u, w_u, v, v_free);
    assemble(c, system, G_u, now);
    do {
        system->info->contact_problems++;
        carom_status status = carom_problem_solve(&c->problem, c->solver, &c->solve, error);      /* (5) */
        system->info->solver_iterations += c->solve.iterations;
        if (status != CAROM_OK)
            return fail(c, system, now->t, error);
    } while (break_loose(c, system, now));
    carom_copy(nv, v_free, v_new);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int j = 0; j < link->rows; j++) {
            int r = link->row + j, row = c->problem.block[k].row + j;
            double e = link->contact < 0 ? 0 : system->at.law[4 * link->contact + (j > 0)];
            c->P[r] = c->solve.x[row];
            c->u_after[r] = c->solve.u[row] - e * c->u_before[r];
            for (int i = 0; i < nv; i++)
                v_new[i] += c->Y[row * nv + i] * c->P[r];                                         /* (1) */
        }
    }
    return CAROM_OK;
}
