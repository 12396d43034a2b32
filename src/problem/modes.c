/* modes.c: what remains when the modes of blocks are given: which rows are held and what friction is, and the equations
 * they make on a Delassus operator; unknown y in the rows of blocks that are not open, u = W y + b.
 *
 *   closed, stick     u = 0 in all rows                                                          (1)
 *   slip along d      u_n = 0,  y_t = f y_n + k by the law                                        (2)
 *   slip in space     u_n = 0,  |y_t| - mu y_n = 0,  u_t x d = 0  with d = y_t/|y_t| unknown     (3)
 *
 * (1) and (2) are linear and solved in one step; with (3) it is Newton's method. Singular systems (redundant contacts)
 * give the smallest y, or the smallest change of y. Equations in impulses are multiplied by the mean diagonal of W, so
 * that all are velocities and a rank can be decided. */
#include "problem/modes.h"

#include <float.h>
#include <math.h>

#include "core/dense.h"

bool carom_mode_friction(const carom_law *law, const double *c, const double *direction, double *f, double *k)
{
    bool along = law->tangents == law->rows, constant = along || law->offset;
    f[0] = f[1] = k[0] = k[1] = 0;
    if (!along)
        law->slide(c, direction, 1, f);
    if (constant)
        law->slide(c, direction, along ? 0 : law->offset(c), k);
    return constant;                                                                            /* (2) */
}

void carom_modes_place(carom_modes *modes, carom_layout *layout, int n, int nblock, int active)
{
    CAROM_PLACE(layout, modes->mode, nblock);
    modes->nearest = false;
    modes->most = active;
    CAROM_PLACE(layout, modes->A, (size_t)active * (size_t)active);
    CAROM_PLACE(layout, modes->F, n);
    CAROM_PLACE(layout, modes->work, 5 * (size_t)n);
    CAROM_PLACE(layout, modes->row, n);
    CAROM_PLACE(layout, modes->order, n);
}

bool carom_modes_know(const carom_law *law)
{
    return law->tangents < 2 || law->mu;
}

double carom_modes_unit(const carom_problem *problem, int k)
{
    double trace = carom_delassus_trace(problem, k);
    return trace > 0 ? trace / problem->block[k].law->rows : 1;
}

/* Rows of active contacts; y of the others is set to 0. */
static int choose_rows(carom_modes *modes, const carom_problem *problem, double *y)
{
    int n = 0;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        for (int i = 0; i < block->law->rows; i++) {
            if (modes->mode[k] == CAROM_OPEN)
                y[block->row + i] = 0;
            else
                modes->row[n++] = block->row + i;
        }
    }
    return n;
}

/* u of a row; A receives its derivative. */
static double velocity_row(const carom_modes *modes, const carom_problem *problem, int n, int row, const double *y,
                           double *A)
{
    const double *W = problem->W.dense + (size_t)row * (size_t)problem->n;
    double u = problem->b[row];
    for (int j = 0; j < n; j++) {
        A[j] = W[modes->row[j]];
        u += A[j] * y[modes->row[j]];
    }
    return u;
}

static void slip_on_line(const carom_modes *modes, const carom_problem *problem, int k, int i, int n, const double *y)
{
    const carom_block *block = &problem->block[k];
    int t = block->law->rows - 1;
    double *A = modes->A + (size_t)(i + t) * (size_t)n, w = carom_modes_unit(problem, k);
    double d = modes->mode[k] == CAROM_SLIP ? 1 : -1, f;
    block->law->slide(block->c, &d, 1, &f); /* y holds the offset */
    for (int j = 0; j < n; j++)
        A[j] = 0;
    if (t > 0)
        A[i] = -w * f;
    A[i + t] = w;
    modes->F[i + t] = w * (y[block->row + t] - f * (t > 0 ? y[block->row] : 1));         /* (2) */
}

static void slip_in_plane(const carom_modes *modes, const carom_problem *problem, int k, int i, int n, const double *y)
{
    const carom_block *block = &problem->block[k];
    double *A1 = modes->A + (size_t)(i + 1) * (size_t)n, *A2 = A1 + n, w = carom_modes_unit(problem, k);
    double mu = block->law->mu(block->c);
    const double *x = y + block->row;
    double t = sqrt(x[1] * x[1] + x[2] * x[2]), d1 = x[1] / t, d2 = x[2] / t;
    double u1 = velocity_row(modes, problem, n, block->row + 1, y, A1);
    double u2 = velocity_row(modes, problem, n, block->row + 2, y, A2);
    double along = (u1 * d1 + u2 * d2) / t;
    for (int j = 0; j < n; j++) {
        A2[j] = A1[j] * d2 - A2[j] * d1;
        A1[j] = 0;
    }
    A2[i + 1] += along * -d2;         /* d' = e (e.y_t')/t with e = (-d2, d1), and u x e = u.d */
    A2[i + 2] += along * d1;
    modes->F[i + 2] = u1 * d2 - u2 * d1;                                                 /* (3) */
    A1[i] = -w * mu;
    A1[i + 1] = w * d1;
    A1[i + 2] = w * d2;
    modes->F[i + 1] = w * (t - mu * x[0]);
}

/* A = dF/dy in the active rows. */
static bool assemble(carom_modes *modes, const carom_problem *problem, int n, const double *y)
{
    bool linear = true;
    for (int k = 0, i = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        int rows = block->law->rows, tangents = block->law->tangents;
        int held = carom_mode_held(block->law, modes->mode[k]);
        if (modes->mode[k] == CAROM_OPEN)
            continue;
        for (int r = 0; r < held; r++)
            modes->F[i + r] = velocity_row(modes, problem, n, block->row + r, y,
                                           modes->A + (size_t)(i + r) * (size_t)n);       /* (1) */
        if (held < rows && tangents == 1)
            slip_on_line(modes, problem, k, i, n, y);
        if (held < rows && tangents == 2) {
            slip_in_plane(modes, problem, k, i, n, y);
            linear = false;
        }
        i += rows;
    }
    return linear;
}

/* A z = F for the change z of y, or for y itself. */
static bool assemble_step(carom_modes *modes, const carom_problem *problem, int n, const double *y)
{
    bool linear = assemble(modes, problem, n, y);
    for (int i = 0; i < n; i++) {
        modes->F[i] = -modes->F[i];
        for (int j = 0; j < n && !modes->nearest; j++)
            modes->F[i] += modes->A[(size_t)i * (size_t)n + (size_t)j] * y[modes->row[j]];
    }
    return linear;
}

/* One step of Newton's method; returns the largest change. */
static double advance(carom_modes *modes, const carom_problem *problem, int n, double *y, bool *linear)
{
    double *z = modes->work, change = 0;
    *linear = assemble_step(modes, problem, n, y);
    for (int i = 0; i < n; i++)
        z[i] = modes->F[i];
    if (!carom_lu_clear(n, modes->A, modes->order, 1e-8)) {
        assemble_step(modes, problem, n, y);
        carom_least_squares(n, n, modes->A, modes->F, z, CAROM_RANK_TOL, modes->work + n, modes->order);
    } else {
        carom_lu_solve(n, modes->A, modes->order, z);
    }
    for (int i = 0; i < n; i++) {
        double before = y[modes->row[i]], after = modes->nearest ? before + z[i] : z[i];
        change = CAROM_MAX(change, fabs(after - before));
        y[modes->row[i]] = after;
        if (!(fabs(after) <= DBL_MAX))
            return INFINITY;
    }
    return change;
}

bool carom_modes_solve(carom_modes *modes, const carom_problem *problem, double *y)
{
    enum { STEPS = 20 };
    int n = choose_rows(modes, problem, y);
    double before = INFINITY;
    if (n > modes->most)
        return false;
    for (int k = 0; n > 0 && k < STEPS; k++) {
        bool linear;
        double change = advance(modes, problem, n, y, &linear), size = 0;
        if (!(change <= DBL_MAX))
            return false;
        if (linear)
            return true;
        for (int i = 0; i < n; i++)
            size = CAROM_MAX(size, fabs(y[modes->row[i]]));
        if (change <= 4 * DBL_EPSILON * size || (change <= 1e-10 * size && change > 0.5 * before))
            return true;
        before = change;
    }
    return true;
}
