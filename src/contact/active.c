/* active.c: the active links of a step, and the one-step problem they pose, at velocity and at acceleration level.
 *
 *   W = G_u A^-1 G^T                                                                           (1)
 *   u = W x + b,  (u, x) in the law of every active link                                       (2)
 *   y = y_free + A^-1 G^T x                            velocities, or accelerations            (3) */
#include <math.h>
#include <string.h>

#include "contact/rules.h"

void carom_contacts_layout(carom_layout *layout, carom_contacts *contacts, const carom_system *system)
{
    size_t n = system->nrow, nv = system->nv, nj = system->njoint;
    CAROM_PLACE(layout, contacts->active, system->nlink);
    CAROM_PLACE(layout, contacts->hit, system->ncontact);
    CAROM_PLACE(layout, contacts->Y, n * nv);
    CAROM_PLACE(layout, contacts->u_before, n);
    CAROM_PLACE(layout, contacts->u_free, n);
    CAROM_PLACE(layout, contacts->u_after, n);
    CAROM_PLACE(layout, contacts->P, n);
    CAROM_PLACE(layout, contacts->a_free, nv);
    CAROM_PLACE(layout, contacts->x0, n);
    CAROM_PLACE(layout, contacts->offset, system->ncontact);
    CAROM_PLACE(layout, contacts->problem.block, system->nlink);
    CAROM_PLACE(layout, contacts->problem.W.dense, n * n);
    CAROM_PLACE(layout, contacts->problem.b, n);
    CAROM_PLACE(layout, contacts->solve.x, n);
    CAROM_PLACE(layout, contacts->solve.u, n);
    contacts->solve.may_allocate = true; /* what nothing else solves; see solver.h */
    contacts->solve.work = carom_place(layout, carom_solver_work(NULL, n, system->nlink));
    carom_equations_layout(layout, &contacts->joints, system, nj);
    carom_rules_layout(layout, contacts, system);
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
        if (link->contact >= 0)
            contacts->offset[link->contact] = 0;
    }
    for (int i = 0; i < njoint; i++)
        contacts->active[n++] = i;
    for (int i = njoint; i < nlink; i++) {
        bool closed = carom_link_closed(&system->link[i], mode);
        any_closed |= closed;
        if (g_bar[i] <= 0 || (closed && g_bar[i] <= rounding * (1 + carom_norm_max(system->nq, q))))
            contacts->active[n++] = i;
    }
    contacts->nactive = n;
    contacts->solve.residual = 0;
    return n > 0 || any_closed;
}

void carom_contacts_pose(carom_contacts *contacts, const carom_system *system, const carom_factor *A,
                         const carom_rows *rows)
{
    carom_contacts *c = contacts;
    carom_rows here = carom_rows_here(system);
    int nv = system->nv, n = 0;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        c->problem.block[k] = (carom_block){.law = link->law, .row = n, .c = carom_link_law(system, link)};
        for (int r = link->row; r < link->row + link->rows; r++, n++) {
            carom_factor_solve_row(system, A, r, c->Y + (size_t)n * (size_t)nv);        /* A^-1 G^T */
            /* not the last impulses: a guess that just passes the tolerance would be kept for ever */
            c->solve.x[n] = 0;
        }
    }
    for (int k = 0; k < c->nactive; k++)
        for (int j = 0; j < system->link[c->active[k]].rows; j++) {
            int r = system->link[c->active[k]].row + j, row = c->problem.block[k].row + j;
            for (int i = 0; i < n; i++)
                c->problem.W.dense[(size_t)row * (size_t)n + (size_t)i] =
                    carom_rows_dot(system, rows ? rows : &here, r, c->Y + (size_t)i * (size_t)nv); /* (1) */
        }
    c->problem.n = n;
    c->problem.nblock = c->nactive;
    c->problem.x0 = NULL;
}

void carom_contacts_offsets(carom_contacts *contacts, const carom_system *system, const unsigned char *mode)
{
    carom_contacts *c = contacts;
    for (int k = system->njoint; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        const carom_block *block = &c->problem.block[k];
        if (!link->law->offset)
            continue;
        if (!c->problem.x0)
            memset(c->x0, 0, sizeof(double) * (size_t)c->problem.n);
        c->problem.x0 = c->x0;
        bool open = mode && mode[link->contact] == CAROM_OPEN;
        c->x0[block->row] = c->offset[link->contact] = open ? 0 : link->law->offset(block->c);
    }
}

carom_status carom_contacts_solve(carom_contacts *contacts, carom_system *system, double t, carom_error *error)
{
    carom_contacts *c = contacts;
    carom_error reason = {0};
    system->info->contact_problems++;
    carom_status status = carom_problem_solve(&c->problem, c->solver, &c->solve, &reason);   /* (2) */
    system->info->solver_iterations += c->solve.iterations;
    if (status == CAROM_OK)
        return CAROM_OK;
    const char *name = c->solve.worst < c->nactive ? system->link[c->active[c->solve.worst]].name : "?";
    CAROM_FAIL(error, status,
               "contact problem at t = %.10g: residual %.2g exceeds %.2g (contact '%s', %d rows): %.200s", t,
               c->solve.residual, c->solve.tol, name, c->problem.n, reason.text);
}

void carom_contacts_apply(const carom_contacts *contacts, const carom_system *system, const double *y_free, double *y,
                          double *x)
{
    const carom_contacts *c = contacts;
    int nv = system->nv;
    carom_copy(nv, y_free, y);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int j = 0; j < link->rows; j++) {
            int row = c->problem.block[k].row + j;
            x[link->row + j] = c->solve.x[row];
            for (int i = 0; i < nv; i++)
                y[i] += c->Y[row * nv + i] * c->solve.x[row];                          /* (3) */
        }
    }
}
