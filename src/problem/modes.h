/* modes.h: blocks whose modes are given: what a mode asks of the rows of a block, and the motion of a problem in which
 * every mode is given. Solvers, schemes and tangents come here; what the modes are is decided elsewhere. */
#ifndef CAROM_MODES_H
#define CAROM_MODES_H

#include "core/layout.h"
#include "problem/problem.h"

/* The first so many rows of a block with this mode are held: u = 0. */
static inline int carom_mode_held(const carom_law *law, int mode)
{
    return !carom_mode_carries(mode) ? 0 : mode == CAROM_STICK ? law->rows : law->rows - law->tangents;
}
/* The first so many can have a force: friction, too, unless nothing is known of the slip. */
static inline int carom_mode_forces(const carom_law *law, int mode)
{
    return !carom_mode_carries(mode) ? 0 : mode == CAROM_CLOSED ? law->rows - law->tangents : law->rows;
}
/* Friction of slip along a direction, x_t = f x_n + k; f [2], k [2]. Returns whether there may be a k. */
bool carom_mode_friction(const carom_law *law, const double *c, const double *direction, double *f, double *k);

/* What a unit of the normal force of such a block does to a row of W, from the block's first column on. */
static inline double carom_mode_column(int tangents, const double *W, const double *f)
{
    double sum = W[0];
    for (int t = 0; t < tangents; t++)
        sum += f[t] * W[1 + t];
    return sum;
}

/* ---- a problem with given modes ---- */
typedef struct carom_modes {
    unsigned char *mode;      /* [nblock] carom_mode: open, closed, stick, slip (with u_t > 0 on a line), slip back */
    bool nearest;             /* among many solutions: the nearest to y instead of the smallest */
    int most;                 /* rows of contacts that are not open that there is room for: active */
    double *A;                /* [active*active] */
    double *F, *work;         /* [n] [5n] */
    int *row, *order;         /* [n] [n] */
} carom_modes;
/* For problems of n rows, of which at most `active` belong to contacts that are not open. */
void carom_modes_place(carom_modes *modes, carom_layout *layout, int n, int nblock, int active);
/* Solves the equations of the modes (Newton's method, since the direction of a spatial slip is unknown), starting from
 * y; the inequalities are left to the residual. False when it does not converge, or there are too many rows. */
bool carom_modes_solve(carom_modes *modes, const carom_problem *problem, double *y);
/* Are the modes of this law known to the above? */
bool carom_modes_know(const carom_law *law);
/* The mean diagonal of W in a block, by which impulses are multiplied to be velocities. */
double carom_modes_unit(const carom_problem *problem, int k);

#endif
