/* gaps.c: block `project_gaps`, positions onto joints and out of contacts.
 *
 *   q' = q + M^-1 G(q')^T tau,   joints g(q') = 0,   contacts 0 <= g(q')  _|_  tau >= 0          (1)
 *
 * the nearest admissible position in the metric of M(q). By successive linearisation at x = q, x', x'', ...
 *   W = G M^-1 G^T,   b = g(x) + G (q - x),   (W tau + b, tau) in the law,   x' = q + M^-1 G^T tau  (2)
 *   (q - x is minus the local coordinates of x around q, where positions are no vectors)
 * which converges at a rate of the curvature times |q' - q|. Contacts join when they are violated and may let go again
 * (tau = 0). Redundant joints meet (2) in the least-squares sense, redundant contacts share tau in some way. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "core/dense.h"
#include "solvers/equations.h"

void carom_projection_layout(carom_layout *layout, carom_projection *projection, const carom_system *system)
{
    size_t n = system->nlink;
    CAROM_PLACE(layout, projection->active, n);
    CAROM_PLACE(layout, projection->q_free, system->nq);
    CAROM_PLACE(layout, projection->xi, system->nv);
    bool blocks = system->blocks.n > 0;
    projection->room = blocks ? NULL : layout->room;
    CAROM_PLACE(layout, projection->row, blocks ? n : 0);
    CAROM_PLACE(layout, projection->problem.block, n);
    carom_problem_place(layout, system, n, &projection->problem, &projection->Y, &projection->solve.work);
    CAROM_PLACE(layout, projection->problem.b, n);
    CAROM_PLACE(layout, projection->solve.x, n);
    CAROM_PLACE(layout, projection->solve.u, n);
}

void carom_contact_consistent(carom_contacts *contacts, int nj, int n, const double *W, double *b)
{
    carom_equations *e = &contacts->closed;
    for (int i = 0; i < nj; i++) {
        e->b[i] = b[i];
        carom_copy(nj, W + i * n, e->K + i * nj);
    }
    if (carom_least_squares(nj, nj, e->K, e->b, e->x, 1e-12, e->work, e->order) == nj)
        return;
    for (int i = 0; i < nj; i++)
        b[i] = carom_dot(nj, W + i * n, e->x);
}

/* The largest |g| of a joint and -g of a contact; violated contacts join. */
static double violation(carom_projection *p, const carom_system *system, double tol)
{
    double most = carom_norm_max(system->njoint, system->at.g);
    int n = 0, k = 0;
    for (int i = 0; i < (p->joints_alone ? system->njoint : system->nlink); i++) {
        bool in = k < p->nactive && p->active[k] == i;
        double g = system->at.g[i];
        k += in;
        if (i >= system->njoint && !(g >= -most))
            most = g == g ? -g : INFINITY;
        if (in || i < system->njoint || g < -tol)
            p->solve.u[n++] = i; /* active itself is still being read */
    }
    for (int i = 0; i < n; i++)
        p->active[i] = (int)p->solve.u[i];
    p->nactive = n;
    return most;
}

/* (2) at x; the mass is factored. */
static void pose(carom_projection *p, carom_contacts *contacts, const carom_system *system, const double *x)
{
    int n = p->nactive, nv = system->nv, nj = system->njoint;
    carom_rows here = carom_rows_here(system);
    carom_system_local(system, p->q_free, x, p->xi);
    for (int i = 0; i < nv; i++)
        p->xi[i] = -p->xi[i];
    for (int k = 0; k < n; k++) {
        const carom_link *link = &system->link[p->active[k]];
        if (system->blocks.n)
            p->row[k] = link->row;
        else
            carom_mass_solve_row(system, link->row, p->Y + k * nv);
        p->problem.block[k] = (carom_block){.law = k < nj ? &carom_law_bilateral : &carom_law_unilateral, .row = k};
        p->problem.b[k] = carom_rows_sum(system, &here, link->row, system->at.g[p->active[k]], p->xi);
        p->solve.x[k] = 0;
    }
    p->problem.n = p->problem.nblock = n;
    if (system->blocks.n) {
        carom_contacts_product(&p->problem, system, &system->mass, &here, p->row, p->Y);
        return;
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            p->problem.W.dense[k * n + i] = carom_row_dot(system, system->link[p->active[k]].row, p->Y + i * nv);
    carom_contact_consistent(contacts, nj, n, p->problem.W.dense, p->problem.b);
}

static carom_status solve(carom_projection *p, const carom_system *system, double usual, double t, carom_error *error)
{
    carom_error reason = {0};
    p->solve.tol = system->blocks.n ? usual : CAROM_MIN(usual, 1e-13); /* positions are to be exact to rounding */
    carom_status status = carom_problem_solve_joined(&p->problem, system->njoint, NULL, &p->solve, &reason);
    system->info->solver_iterations += p->solve.iterations;
    if (status == CAROM_OK || p->solve.residual <= fmax(usual, p->solve.enough))
        return CAROM_OK;
    const char *name = p->solve.worst < p->nactive
                           ? CAROM_LINK_NAME(system, &system->link[p->active[p->solve.worst]]) : "?";
    CAROM_FAIL(error, status,
               "projection of positions at t = %.10g: residual %.2g exceeds %.2g ('%s', %d rows): %.200s", t,
               p->solve.residual, usual, name, p->problem.n, reason.text);
}

/* q = q_free + Y^T tau */
static void move(carom_projection *p, const carom_system *system, double *q)
{
    carom_copy(system->nq, p->q_free, q);
    if (system->blocks.n) {
        carom_product_velocities(&p->problem, p->solve.x, p->xi, NULL);
        carom_system_drift(system, q, p->xi, 1, q);
    } else
        carom_system_shift(system, p->nactive, p->Y, p->solve.x, q);
}

carom_status carom_contact_project_gaps(carom_projection *projection, carom_contacts *contacts, carom_system *system,
                                        double t, double *q, const double *v, bool *moved, carom_error *error)
{
    enum { ITERATIONS = 50 };
    carom_projection *p = projection;
    double before = INFINITY, size = 0, enough = 0;
    *moved = false;
    p->nactive = 0;
    p->solve.arena = contacts->solve.arena;
    p->solve.cancel = contacts->solve.cancel;
    p->solve.threads = contacts->solve.threads;
    p->solve.enough = system->njoint ? 0 : contacts->accept;
    carom_copy(system->nq, q, p->q_free);
    for (int k = 0; k < ITERATIONS; k++) {
        carom_system_eval(system, CAROM_GAP, t, q, v);
        double tol = 1e-15 * (1 + carom_norm_max(system->nq, q));
        size = violation(p, system, tol);
        if (!(size <= 1e300))
            CAROM_FAIL(error, CAROM_NOT_FINITE, "a gap is not finite at t = %.10g", t);
        if (size <= CAROM_MAX(tol, enough) || (size <= 1e-12 && size > 0.5 * before))
            return CAROM_OK;
        if (k == 0 && system->blocks.n) /* what is solved to a tolerance is not exact to rounding */
            enough = 10 * contacts->solve.tol * size;
        before = size;
        carom_system_eval(system, k == 0 ? CAROM_JACOBIAN | CAROM_MASS : CAROM_JACOBIAN, t, q, v);
        if (k == 0)
            CAROM_TRY(carom_mass_factor(system, t, error));
        if (!carom_room_for(p->room, p->nactive))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a projection of %d rows", p->nactive);
        if (p->joints_alone) /* as carom_given_positions */
            carom_copy(system->nq, q, p->q_free);
        pose(p, contacts, system, q);                                                          /* (2) */
        CAROM_TRY(solve(p, system, contacts->solve.tol, t, error));
        move(p, system, q);                                                                    /* (1) */
        *moved = true;
    }
    CAROM_FAIL(error, CAROM_NOT_CONVERGED,
               "positions cannot be made admissible at t = %.10g: a gap is off by %.2g after %d corrections", t, size,
               ITERATIONS);
}
