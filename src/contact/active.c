/* active.c: the active links of a step, and the one-step problem they pose, at velocity and at acceleration level.
 *
 *   W = G_u A^-1 G^T                                                                           (1)
 *   u = W x + b,  (u, x) in the law of every active link                                       (2)
 *   y = y_free + A^-1 G^T x                            velocities, or accelerations            (3)
 *
 * Forces between bodies in A are equations of the problem: couplings.c. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "contact/rules.h"
#include "solvers/equations.h"
#include "solvers/sweeps.h"

size_t carom_room_solvers(size_t rows, size_t width)
{
    return carom_solver_work(NULL, (int)(rows * width), (int)(rows * width));
}

void carom_problem_place(carom_layout *layout, const carom_system *system, size_t n, carom_problem *problem,
                         double **Y, void **work)
{
    if (system->blocks.n) {
        size_t couplings = (size_t)system->model->ncoupling;
        n += couplings;
        CAROM_PLACE(layout, *Y, system->row_values);
        CAROM_PLACE(layout, problem->W.product.diagonal, 9 * ((size_t)system->nlink + couplings));
        CAROM_PLACE(layout, problem->W.product.v, system->nv);
        CAROM_PLACE(layout, problem->W.product.push, system->nv);
        *work = NULL; /* it is taken from the arena */
        return;
    }
    carom_room_place(layout, Y, carom_room_columns, n, (size_t)system->nv);
    carom_room_place(layout, &problem->W.dense, carom_room_square, n, 1);
    carom_room_place(layout, work, carom_room_solvers, n, 1);
}

void carom_contacts_layout(carom_layout *layout, carom_contacts *contacts, const carom_system *system)
{
    size_t n = system->nrow, nv = system->nv, couplings = (size_t)system->model->ncoupling;
    CAROM_PLACE(layout, contacts->active, system->nlink);
    CAROM_PLACE(layout, contacts->hit, system->ncontact);
    CAROM_PLACE(layout, contacts->caught, system->ncontact);
    bool blocks = system->blocks.n > 0;
    contacts->room = blocks ? NULL : layout->room;
    CAROM_PLACE(layout, contacts->first_row, blocks ? (size_t)system->nlink + couplings : 0);
    CAROM_PLACE(layout, contacts->u_before, n);
    CAROM_PLACE(layout, contacts->u_free, n);
    CAROM_PLACE(layout, contacts->u_after, n);
    CAROM_PLACE(layout, contacts->P, n);
    CAROM_PLACE(layout, contacts->a_free, nv);
    CAROM_PLACE(layout, contacts->x0, n + couplings);
    CAROM_PLACE(layout, contacts->offset, system->ncontact);
    CAROM_PLACE(layout, contacts->problem.block, (size_t)system->nlink + couplings);
    carom_problem_place(layout, system, n, &contacts->problem, &contacts->Y, &contacts->solve.work);
    CAROM_PLACE(layout, contacts->problem.b, n + couplings);
    CAROM_PLACE(layout, contacts->solve.x, n + couplings);
    CAROM_PLACE(layout, contacts->solve.u, n + couplings);
    carom_equations_layout(layout, &contacts->closed, system, blocks ? 0 : system->nlink);
    if (blocks && system->njoint)
        carom_projection_layout(layout, &contacts->joints, system);
    contacts->joints.joints_alone = true;
    carom_rules_layout(layout, contacts, system);
}

/* Apart, so that a flight does not pay for its registers. */
static __attribute__((noinline)) bool choose(carom_contacts *contacts, const carom_system *system, const double *g_bar,
                                             const double *q, const unsigned char *mode)
{
    const int njoint = system->njoint, nlink = system->nlink;
    bool any_closed = false;
    double still = -1; /* a gap that is 0 but for rounding, or for what sweeps over many bodies leave */
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
        if (closed && still < 0)
            still = (system->model->links ? 1e-10 + 1e-3 * contacts->solve.tol : 1e-13) *
                        carom_norm_max(system->nq, q) +
                    4 * DBL_EPSILON; /* constants in gaps may be larger */
        if (!(g_bar[i] > 0) || (closed && g_bar[i] <= still)) /* no number: the contact problem will say so */
            contacts->active[n++] = i;
    }
    contacts->nactive = n;
    return n > 0 || any_closed;
}

bool carom_contacts_activate(carom_contacts *contacts, const carom_system *system, const double *g_bar, const double *q,
                             const unsigned char *mode)
{
    contacts->solve.residual = 0;
    if (contacts->nactive > 0 || system->njoint > 0)
        return choose(contacts, system, g_bar, q, mode);
    for (int i = 0, n = system->nlink; i < n; i++)
        if (!(g_bar[i] > 0) || carom_link_closed(&system->link[i], mode))
            return choose(contacts, system, g_bar, q, mode);
    return false;
}

void carom_contacts_product(carom_problem *problem, const carom_system *system, const carom_factor *A,
                            const carom_rows *rows, const int *row, double *Y)
{
    carom_product *W = &problem->W.product;
    W->span = system->row_span, W->row = row, W->G = rows->G, W->Y = Y, W->nv = system->nv;
    for (int k = 0; k < problem->nblock; k++) {
        int n = problem->block[k].law->rows;
        for (int i = 0; i < n; i++)
            carom_factor_solve_blocks(system, A, row[k] + i, Y + system->row_span[row[k] + i].at[0]);
    }
    carom_product_diagonal(problem);                                                            /* (1) */
}

/* (1) in full, Y first */
static void pose_dense(carom_contacts *c, const carom_system *system, const carom_factor *A, const carom_rows *rows)
{
    int nv = system->nv, n = c->problem.n;
    for (int k = 0; k < c->nactive; k++)
        for (int j = 0, r = system->link[c->active[k]].row; j < system->link[c->active[k]].rows; j++)
            carom_factor_solve_row(system, A, r + j, c->Y + (size_t)(c->problem.block[k].row + j) * (size_t)nv);
    for (int k = 0; k < c->nactive; k++)
        for (int j = 0; j < system->link[c->active[k]].rows; j++) {
            int r = system->link[c->active[k]].row + j, row = c->problem.block[k].row + j;
            for (int i = 0; i < n; i++)
                c->problem.W.dense[(size_t)row * (size_t)n + (size_t)i] =
                    carom_rows_dot(system, rows, r, c->Y + (size_t)i * (size_t)nv); /* (1) */
        }
}

/* (3) of couplings.c: one more equation for each, behind the links. */
static void pose_couplings(carom_contacts *c, const carom_system *system, const carom_couplings *of,
                           const carom_rows *rows)
{
    carom_problem *p = &c->problem;
    p->W.product.nsoft = of->n, p->W.product.soft = of->soft;
    for (int i = 0; i < of->n; i++) {
        int row = system->coupling_row + of->which[i];
        const carom_span *from = &of->span[of->which[i]], *to = &system->row_span[row];
        double *const G[] = {rows->G, carom_rows_here(system).G};
        for (int k = 0; k < 2; k++)
            carom_copy(from->count[0] + from->count[1], of->C + from->at[0], G[k] + to->at[0]);
        c->first_row[p->nblock] = row;
        p->block[p->nblock++] = (carom_block){.law = &carom_law_bilateral, .row = p->n};
        p->b[p->n] = c->solve.x[p->n] = 0;
        p->n++;
    }
}

carom_status carom_contacts_pose(carom_contacts *contacts, const carom_system *system, const carom_factor *A,
                                 const carom_rows *rows, carom_error *error)
{
    carom_contacts *c = contacts;
    carom_rows here = carom_rows_here(system);
    int n = 0;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        c->problem.block[k] = (carom_block){.law = link->law, .row = n, .c = carom_link_law(system, link)};
        /* not the last impulses: a guess that just passes the tolerance would be kept for ever */
        for (int j = 0; j < link->rows; j++)
            c->solve.x[n++] = 0;
        if (system->blocks.n)
            c->first_row[k] = link->row;
    }
    c->problem.n = n;
    c->problem.nblock = c->nactive;
    c->problem.x0 = NULL;
    c->problem.W.product.nsoft = 0;
    if (A->coupled)
        pose_couplings(c, system, A->coupled, rows ? rows : &here);
    if (!carom_room_for(c->room, n)) /* none where matrices are given by blocks */
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", n);
    if (system->blocks.n)
        carom_contacts_product(&c->problem, system, A, rows ? rows : &here, c->first_row, c->Y);
    else
        pose_dense(c, system, A, rows ? rows : &here);
    return CAROM_OK;
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

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

carom_status carom_contacts_solve(carom_contacts *contacts, carom_system *system, double t, carom_error *error)
{
    carom_contacts *c = contacts;
    carom_error reason;
    reason.text[0] = 0;
    system->info->contact_problems++;
    double begin = c->told ? seconds() : 0;
    c->solve.near = c->follows;
    c->solve.enough = system->njoint + c->problem.W.product.nsoft == 0 ? c->accept : 0;
    carom_status status =
        carom_problem_solve_joined(&c->problem, system->njoint, c->solver, &c->solve, &reason);   /* (2) */
    if (c->told && status != CAROM_NO_MEMORY && status != CAROM_INTERRUPTED) /* which come again */
        c->told(c->user, c, status, seconds() - begin);
    system->info->solver_iterations += c->solve.iterations;
    if (status == CAROM_OK || (status == CAROM_NOT_CONVERGED && c->solve.residual <= c->solve.enough))
        return CAROM_OK;
    const char *name = c->solve.worst < c->nactive
                           ? CAROM_LINK_NAME(system, &system->link[c->active[c->solve.worst]]) : "?";
    CAROM_FAIL(error, status,
               "contact problem at t = %.10g: residual %.2g exceeds %.2g (contact '%s', %d rows): %.200s", t,
               c->solve.residual, c->solve.tol, name, c->problem.n, reason.text);
}

static void push_blocks(const carom_contacts *c, const carom_system *system, double factor, double *y)
{
    for (int k = 0; k < (c->nactive ? c->problem.nblock : 0); k++)
        for (int j = 0; j < c->problem.block[k].law->rows; j++) {
            const carom_span *s = &system->row_span[c->first_row[k] + j];
            double x = factor * c->solve.x[c->problem.block[k].row + j];
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < s->count[b]; i++)
                    y[s->first[b] + i] += c->Y[s->at[b] + (size_t)i] * x;
        }
}

void carom_contacts_push(const carom_contacts *contacts, const carom_system *system, double factor, double *y)
{
    const carom_contacts *c = contacts;
    const int nv = system->nv, n = c->nactive ? c->problem.n : 0;
    if (system->blocks.n) {
        push_blocks(c, system, factor, y);
        return;
    }
    const double *Y = c->Y;
    for (int row = 0; row < n; row++, Y += nv) {
        const double x = factor * c->solve.x[row];
        for (int i = 0; i < nv; i++)
            y[i] += Y[i] * x;
    }
}

void carom_contacts_apply(const carom_contacts *contacts, const carom_system *system, const double *y_free, double *y,
                          double *x)
{
    const carom_contacts *c = contacts;
    carom_copy(system->nv, y_free, y);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int j = 0; j < link->rows; j++)
            x[link->row + j] = c->solve.x[c->problem.block[k].row + j];
    }
    carom_contacts_push(c, system, 1, y);                                              /* (3) */
}
