/* hold.c: block `hold`, contact forces for given modes: equations, no decisions.
 *
 *   rows      joints, normals of closed contacts, all directions of contacts that stick              (1)
 *   C_i       G_i, but for a contact that slips along s:  G_n - mu (s . G_t)                         (2)
 *   W x = -(G y_free + offset),   W = G A^-1 C^T                                                     (3)
 *   y = y_free + A^-1 C^T x                                velocities, or accelerations              (4)
 *   q <- q + M^-1 G_n^T x,   G_n M^-1 G_n^T x = -g         positions, repeated                       (5)
 *
 * x may have any sign: who asks looks at it. Redundant rows: the x of least norm. */
#include <math.h>

#include "contact/hold.h"

void carom_hold_layout(carom_layout *layout, carom_hold *hold, const carom_system *system)
{
    int n = system->nrow;
    CAROM_PLACE(layout, hold->row, n);
    CAROM_PLACE(layout, hold->Y, n * system->nv);
    CAROM_PLACE(layout, hold->W, n * n);
    CAROM_PLACE(layout, hold->b, n);
    CAROM_PLACE(layout, hold->x, n);
    CAROM_PLACE(layout, hold->solver_work, 4 * n);
    CAROM_PLACE(layout, hold->order, n);
}

bool carom_hold_any(const carom_system *system, const unsigned char *mode)
{
    for (int i = 0; i < system->model->ncontact; i++)
        if (mode[i] != CAROM_OPEN)
            return true;
    return system->njoint > 0;
}

static bool slips(const carom_link *link, const unsigned char *mode)
{
    return link->rows > 1 && mode[link->contact] == CAROM_SLIP;
}

/* (1); positions take the normals alone */
static void choose_rows(carom_hold *f, const carom_system *system, const unsigned char *mode, bool normals)
{
    f->n = 0;
    for (int i = 0; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        if (link->contact >= 0 && mode[link->contact] == CAROM_OPEN)
            continue;
        int rows = link->contact >= 0 && !normals && mode[link->contact] == CAROM_STICK ? link->rows : 1;
        for (int j = 0; j < rows; j++)
            f->row[f->n++] = link->row + j;
    }
}

/* (2) for the equations that begin a slipping contact */
static void add_friction(carom_hold *f, const carom_system *system, const unsigned char *mode, const double *slip)
{
    int nv = system->nv;
    for (int i = 0, k = 0; k < f->n; k++) {
        while (system->link[i].row + system->link[i].rows <= f->row[k])
            i++;
        const carom_link *link = &system->link[i];
        if (!slips(link, mode))
            continue;
        double mu = system->at.law[4 * link->contact + 2];
        for (int j = 1; j < link->rows; j++)
            for (int l = 0; l < nv; l++)
                f->Y[k * nv + l] -= mu * slip[link->row + j] * system->at.G[(link->row + j) * nv + l];
    }
}

/* W x = b with W = G A^-1 C^T; Y holds C and then A^-1 C^T */
static void solve(carom_hold *f, const carom_system *system, const carom_factor *A)
{
    int nv = system->nv, n = f->n;
    for (int k = 0; k < n; k++)
        carom_factor_solve(system, A, f->Y + k * nv);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            f->W[k * n + i] = carom_dot(nv, system->at.G + f->row[k] * nv, f->Y + i * nv);
    if (n == 1)
        f->x[0] = f->W[0] != 0 ? f->b[0] / f->W[0] : 0;
    else
        carom_least_squares(n, n, f->W, f->b, f->x, 1e-12, f->solver_work, f->order);
}

static void spread(const carom_hold *f, const carom_system *system, const unsigned char *mode, const double *slip,
                   double *force)
{
    for (int r = 0; r < system->nrow; r++)
        force[r] = 0;
    for (int k = 0; k < f->n; k++)
        force[f->row[k]] = f->x[k];
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        if (slips(link, mode))
            for (int j = 1; j < link->rows; j++)
                force[link->row + j] = -system->at.law[4 * link->contact + 2] * slip[link->row + j] * force[link->row];
    }
}

void carom_contact_hold(carom_hold *hold, const carom_system *system, const carom_factor *A, const unsigned char *mode,
                        const double *slip, const double *offset, const double *y_free, double *y, double *force)
{
    carom_hold *f = hold;
    int nv = system->nv;
    choose_rows(f, system, mode, false);
    for (int k = 0; k < f->n; k++) {
        const double *G = system->at.G + f->row[k] * nv;
        carom_copy(nv, G, f->Y + k * nv);
        f->b[k] = -(carom_dot(nv, G, y_free) + offset[f->row[k]]);
    }
    add_friction(f, system, mode, slip);
    solve(f, system, A);                                                               /* (3) */
    if (y != y_free)
        carom_copy(nv, y_free, y);
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < nv; i++)
            y[i] += f->Y[k * nv + i] * f->x[k];                                        /* (4) */
    spread(f, system, mode, slip, force);
}

static int link_of(const carom_system *system, int row)
{
    int i = 0;
    while (system->link[i].row < row)
        i++;
    return i;
}

carom_status carom_contact_hold_q(carom_hold *hold, carom_system *system, const unsigned char *mode, double t,
                                  double *q, const double *v, carom_error *error)
{
    enum { ITERATIONS = 12 };
    carom_hold *f = hold;
    int nv = system->nv;
    double before = INFINITY;
    choose_rows(f, system, mode, true);
    for (int k = 0; k < ITERATIONS; k++) {
        double size = 0;
        carom_system_eval(system, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, t, q, v);
        CAROM_TRY(carom_mass_factor(system, t, error));
        for (int i = 0; i < f->n; i++) {
            f->b[i] = -system->at.g[link_of(system, f->row[i])];
            if (!(fabs(f->b[i]) <= size))
                size = fabs(f->b[i]);
            carom_copy(nv, system->at.G + f->row[i] * nv, f->Y + i * nv);
        }
        if (!(size <= 1e300))
            CAROM_FAIL(error, CAROM_NOT_FINITE, "a gap is not finite at t = %.10g", t);
        if (size <= 1e-15 * (1 + carom_norm_max(system->nq, q)) || (size < 1e-10 && size > 0.5 * before))
            return CAROM_OK;
        before = size;
        solve(f, system, &system->mass);
        for (int i = 0; i < f->n; i++)
            carom_system_drift(system, q, f->Y + i * nv, f->x[i], q);                  /* (5) */
    }
    CAROM_FAIL(error, CAROM_NOT_CONVERGED,
               "closed contacts and joints cannot be met at t = %.10g: |g| = %.2g after %d corrections", t, before,
               ITERATIONS);
}
