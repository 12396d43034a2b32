/* given_modes.c: block `given_modes`, the motion of links whose modes are given.
 *
 *   rows J:   joints, normals of contacts that carry a force, normals and tangents of those that stick
 *   slip along s (saturated: static):  x_t = f x_n + k by the law,  H = G_n + f . G_t, k is a given force   (1)
 *   K x = b,  K = J A^-1 H^T,  b = -(J y_free + offset)                                        (2)
 *   y = y_free + A^-1 H^T x                     A = M: accelerations, with F and gamma; velocities, with w        (3)
 *   q <- q + M^-1 G_n^T x,  G_n M^-1 G_n^T x = -g                       positions, repeated    (4)
 *   spatial slip:   s = u_t/|u_t|, and what goes with x_t of the contact as if it stuck while |u_t| is tiny
 *                   and x_t is at its limit: it has just broken loose, its direction relaxes faster than any step  (5)
 *                   to where the acceleration of slip is along it: p . u_t' = 0, p across s, by Newton's method     (8)
 *   with slip:      d = det(J M^-1 H^T)/det(J M^-1 J^T) must not vanish: forces have a pole there, and beyond it
 *                   there is no solution, or more than one (Painleve). One contact alone:
 *                   d = (W_nn - mu s W_nt)/W_nn                                                (6)
 *
 *   redundant rows: x of least norm, the motion is unique, the forces are not; where that leaves the law, or
 *                   something slips, so that the motion depends on it, the share of solvers/shares.h, if any       (7)
 *                   where x leaves the law, rows are redundant that move by no more than what modes are judged by:
 *                   of bodies that lean on each other each may move the next by a hundredth only                   (9)
 *
 * Equalities, smooth in (t, q, v) as long as the modes stay. x may have any sign: who asks looks at it. */
#include <math.h>

#include "contact/given_modes.h"
#include "contact/scale.h"
#include "core/dense.h"
#include "solvers/shares.h"

#define NEARLY 1e-9 /* of accelerations, as modes are judged: rows whose pivot is below this part of the largest */

/* ---- equations ---- */

void carom_equations_layout(carom_layout *layout, carom_equations *e, const carom_system *system, int most)
{
    size_t n = (size_t)most;
    e->room = layout->room;
    CAROM_PLACE(layout, e->row, n);
    CAROM_PLACE(layout, e->link, n);
    carom_room_place(layout, &e->Y, carom_room_columns, n, (size_t)system->nv);
    carom_room_place(layout, &e->K, carom_room_square, n, 1);
    CAROM_PLACE(layout, e->b, n);
    CAROM_PLACE(layout, e->x, n);
    CAROM_PLACE(layout, e->work, 4 * n + 1);
    CAROM_PLACE(layout, e->order, n);
}

static double *column_of(const carom_equations *e, int nv, int k)
{
    return e->Y + (size_t)k * (size_t)nv;
}

/* A column of W or K: G_r y of n rows. What a contact moves is two bodies, and most of y is 0. */
static void products(const carom_system *system, int n, const int *row, const double *y, int stride, double *column)
{
    int low = 0, high = system->nv;
    while (low < high && y[low] == 0)
        low++;
    while (high > low && y[high - 1] == 0)
        high--;
    for (int i = 0; i < n; i++)
        column[(size_t)i * (size_t)stride] = carom_row_part(system, row[i], low, high, y);
}

void carom_equations_matrix(carom_equations *e, const carom_system *system)
{
    for (int k = 0; k < e->m; k++)
        products(system, e->m, e->row, column_of(e, system->nv, k), e->m, e->K + k);
}

void carom_equations_solve(carom_equations *e, const carom_system *system, double rank)
{
    carom_equations_matrix(e, system);
    e->rank = 0;
    if (e->m)
        e->rank = carom_least_squares(e->m, e->m, e->K, e->b, e->x, rank, e->work, e->order);    /* (2) */
}

/* The same; one equation alone is divided. */
static void solve(carom_equations *e, const carom_system *system, double rank)
{
    if (e->m != 1) {
        carom_equations_solve(e, system, rank);
        return;
    }
    carom_equations_matrix(e, system);
    e->rank = 1;
    e->x[0] = e->K[0] != 0 ? e->b[0] / e->K[0] : 0;
}

void carom_equations_add(const carom_equations *e, int nv, double *y)
{
    for (int k = 0; k < e->m; k++)
        for (int i = 0; i < nv; i++)
            y[i] += column_of(e, nv, k)[i] * e->x[k];                                  /* (3) */
}

/* Appends row j of a link; its column is the caller's. Where there is no room it takes the place of the last: the step
 * will be made again. */
static double *add_row(carom_equations *e, const carom_system *system, int link, int j)
{
    int k = carom_room_for(e->room, e->m + 1) ? e->m++ : e->m - 1;
    e->link[k] = link, e->row[k] = system->link[link].row + j;
    return column_of(e, system->nv, k);
}

void carom_equations_forces(carom_equations *e, const carom_system *system, const carom_factor *A,
                            const carom_link_mode *modes)
{
    e->m = 0;
    for (int i = 0; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        for (int j = 0, rows = carom_mode_forces(link->law, carom_mode_of(link, modes)); j < rows; j++)
            carom_factor_solve_row(system, A, link->row + j, add_row(e, system, i, j));
    }
}

void carom_equations_closed(carom_equations *e, const carom_system *system, const carom_link_mode *modes)
{
    e->m = 0;
    for (int i = 0; i < system->nlink; i++)
        if (system->link[i].contact < 0 || (modes && modes[system->link[i].contact].mode != CAROM_OPEN))
            add_row(e, system, i, 0);
}

void carom_equations_list(carom_equations *e, const carom_system *system, int n, const int *links)
{
    e->m = 0;
    for (int i = 0; i < n; i++)
        add_row(e, system, links[i], 0);
}

carom_status carom_given_positions(carom_equations *e, carom_system *system, const double *gap, double t, double *q,
                                   const double *v, carom_error *error)
{
    enum { ITERATIONS = 12 };
    const char *what = e->m > system->njoint ? "closed contacts and joints" : "joints";
    double before = INFINITY, length = 0;
    for (int round = 0; round < ITERATIONS; round++) {
        carom_system_eval(system, CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, t, q, v);
        for (int k = 0; k < e->m; k++)
            e->b[k] = (gap ? gap[e->link[k]] : 0) - system->at.g[e->link[k]];
        double size = carom_norm_max(e->m, e->b);
        length = CAROM_MAX(length, round ? 0 : size); /* of gaps that shrink with their coordinates, too */
        for (int k = 0; k < e->m; k++)
            length = CAROM_MAX(length, carom_scale_gap(system, e->row[k], q));
        if (!(size <= 1e300))
            CAROM_FAIL(error, CAROM_NOT_FINITE, "a gap of %s is not finite at t = %.10g", what, t);
        if (carom_scale_met(size, before, length))
            return CAROM_OK;
        before = size;
        CAROM_TRY(carom_mass_factor(system, t, error));
        for (int k = 0; k < e->m; k++)
            carom_mass_solve_row(system, e->row[k], column_of(e, system->nv, k));
        solve(e, system, 1e-12);
        carom_system_shift(system, e->m, e->Y, e->x, q);                               /* (4) */
    }
    CAROM_FAIL(error, CAROM_NOT_CONVERGED, "%s cannot be closed at t = %.10g: |g| = %.2g after %d corrections", what, t,
               before, ITERATIONS);
}

/* ---- rows and columns of the modes ---- */

/* Friction of a contact that slips, static coefficients if it is saturated: x_t = f x_n + k. Returns whether k != 0. */
static bool friction_of(const carom_given_modes *g, const carom_system *system, const carom_link *link, double *f,
                        double *k)
{
    const carom_link_mode *mode = &g->modes[link->contact];
    const double *c = carom_link_coefficients(system, link, mode->mode == CAROM_SATURATED, 1);
    return carom_mode_friction(link->law, c, mode->direction, f, k);
}

/* Contacts that creep may be solved as if they stuck. */
static int mode_of(const carom_given_modes *g, const carom_link *link)
{
    int mode = carom_mode_of(link, g->modes);
    return mode == CAROM_SLIP && g->as_if_stuck && g->creeps[link->contact] ? CAROM_STICK : mode;
}

/* Rows and columns A^-1 H^T of the modes: friction of slip goes with its normal. */
static void collect(carom_given_modes *g, const carom_system *system, const carom_factor *A)
{
    g->equations.m = 0;
    for (int i = 0; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int mode = mode_of(g, link), normals = carom_link_normals(link);
        double f[2], constant[2];
        if (carom_mode_slips(mode))
            friction_of(g, system, link, f, constant);
        for (int j = 0, held = carom_mode_held(link->law, mode); j < held; j++) {
            double *y = add_row(&g->equations, system, i, j);
            carom_row_copy(system, link->row + j, y);
            for (int k = normals; carom_mode_slips(mode) && k < link->rows; k++)
                carom_row_add(system, link->row + k, f[k - normals], y);               /* (1) */
            carom_factor_solve(system, A, y);
        }
    }
}

void carom_given_spread(const carom_given_modes *g, const carom_system *system, double *force)
{
    const carom_equations *e = &g->equations;
    for (int k = 0; k < e->m; k++) {
        const carom_link *link = &system->link[e->link[k]];
        force[e->row[k]] = e->x[k];
        if (!carom_mode_slips(mode_of(g, link)))
            continue;
        double f[2], constant[2];
        friction_of(g, system, link, f, constant);
        for (int j = 1; j < link->rows; j++)
            force[link->row + j] = f[j - 1] * e->x[k];
    }
}

void carom_given_hold(carom_given_modes *g, const carom_system *system, const carom_factor *A, const double *offset,
                      double *y, double *force)
{
    carom_equations *e = &g->equations;
    collect(g, system, A);
    for (int k = 0; k < e->m; k++)
        e->b[k] = -(carom_row_dot(system, e->row[k], y) + offset[e->row[k]]);
    solve(e, system, 1e-12);                                                           /* (2) */
    carom_equations_add(e, system->nv, y);
    for (int r = 0; r < system->nrow; r++)
        force[r] = 0;
    carom_given_spread(g, system, force);
}

/* ---- accelerations ---- */

/* The part k of friction f x_n + k: into a, or onto forces (a NULL). */
static void constant_friction(carom_given_modes *g, const carom_system *system, double *a, double *force)
{
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        double f[2], k[2];
        if (!carom_mode_slips(mode_of(g, link)) || !friction_of(g, system, link, f, k))
            continue;
        for (int j = carom_link_normals(link), t = 0; j < link->rows; j++, t++) {
            if (!a) {
                force[link->row + j] += k[t];
                continue;
            }
            carom_mass_solve_row(system, link->row + j, g->column);
            for (int l = 0; l < system->nv; l++)
                a[l] += g->column[l] * k[t];
        }
    }
}

/* Does a force of least norm leave its law, or does something slip, if that counts? */
static bool to_share(const carom_given_modes *g, const carom_system *system, const double *force, bool slip)
{
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int mode = mode_of(g, link);
        double most;
        if (!carom_mode_carries(mode))
            continue;
        bool normal = carom_link_normals(link) > 0;
        if ((normal && ((slip && mode == CAROM_SLIP) || force[link->row] + carom_link_offset(system, link) < 0)) ||
            (mode == CAROM_STICK && carom_link_friction(system, link, true, force + link->row, &most) > most))
            return true;
    }
    return false;
}

bool carom_given_in_law(const carom_given_modes *g, const carom_system *system, const double *force)
{
    return !to_share(g, system, force, false);
}

/* The problem of what carries, at accelerations a without it. false: a mode that is not told to it. */
static bool pose_share(carom_given_modes *g, const carom_system *system, const double *a, const double *force)
{
    carom_problem *p = &g->share;
    p->n = p->nblock = 0;
    for (int i = 0; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int mode = mode_of(g, link);
        if (!carom_mode_carries(mode) || (mode == CAROM_SLIP && carom_link_normals(link) == 0))
            continue; /* dry friction that slips is in a */
        bool smooth = mode == CAROM_CLOSED && link->law->tangents, slips = mode == CAROM_SLIP || smooth;
        if (mode == CAROM_SATURATED || (smooth && !carom_link_smooth(system, link)))
            return false;
        carom_block *block = &p->block[p->nblock++];
        *block = (carom_block){.law = link->law, .row = p->n, .pinned = slips, .mode = CAROM_SLIP};
        block->c = link->contact < 0 ? carom_link_law(system, link) : carom_link_coefficients(system, link, !slips, 1);
        for (int j = 0; slips && j < 2; j++)
            block->direction[j] = smooth ? j == 0 : g->modes[link->contact].direction[j];
        for (int j = 0; j < link->rows; j++, p->n++) {
            p->x0[p->n] = j == 0 && link->law->offset ? link->law->offset(block->c) : 0;
            p->b[p->n] = carom_row_accel(system, link->row + j, a);
            g->share_x[p->n] = force[link->row + j];
            g->pivot[p->n] = link->row + j;
        }
    }
    if (!carom_room_for(g->equations.room, p->n)) /* the step will be made again */
        return false;
    for (int k = 0; k < p->n; k++) {
        carom_mass_solve_row(system, g->pivot[k], g->column);
        products(system, p->n, g->pivot, g->column, p->n, p->W.dense + k);
    }
    return true;
}

/* Forces at a bound of their law are inside of it by less than rounding: who asks sees that they hold. */
static void settle_inside(const carom_given_modes *g, const carom_system *system, double *force)
{
    const double least = 1e-290;
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        double *x = force + link->row, offset = carom_link_offset(system, link), most;
        int mode = mode_of(g, link), normals = carom_link_normals(link);
        if (!carom_mode_carries(mode))
            continue;
        if (normals)
            x[0] = CAROM_MAX(x[0], least - offset);
        if (mode != CAROM_STICK)
            continue;
        double size = carom_link_friction(system, link, true, x, &most), part = size < most ? 1 : most / size;
        for (int j = normals; j < link->rows && size >= most && size > 0; j++)
            x[j] *= part * (1 - 1e-15);
    }
}

/* (7): false: there is no share in the law, x stays. a comes without the forces. */
static bool share(carom_given_modes *g, const carom_system *system, double rank, const double *a, const double *force)
{
    carom_equations *e = &g->equations;
    double tol = CAROM_MAX(rank, 1e-10);
    if (!pose_share(g, system, a, force) ||
        carom_problem_share(&g->share, 1e-9, rank, tol, g->share_x, g->share_u, g->share_work) != CAROM_SHARED ||
        carom_problem_relative(&g->share, tol, g->share_x, g->share_u, NULL) > tol)
        return false;
    for (int k = 0, i = 0; k < e->m; k++) { /* both in the order of rows */
        while (g->pivot[i] != e->row[k])
            i++;
        e->x[k] = g->share_x[i];
    }
    carom_copy(e->m, e->x, g->share_x);
    carom_equations_matrix(e, system); /* what is left of the equations, by the least change */
    carom_multiply(e->m, e->m, e->K, e->x, e->b);
    for (int k = 0; k < e->m; k++)
        e->b[k] = -carom_row_accel(system, e->row[k], a) - e->b[k];
    carom_equations_solve(e, system, rank);
    for (int k = 0; k < e->m; k++)
        e->x[k] += g->share_x[k];
    return true;
}

/* Collects the rows of all links and solves them: a of the free system becomes that of the modes. */
static void accelerate(carom_given_modes *g, const carom_system *system, double *a, double *force)
{
    carom_equations *e = &g->equations;
    constant_friction(g, system, a, NULL);
    collect(g, system, &system->mass);
    for (int k = 0; k < e->m; k++)
        e->b[k] = -carom_row_accel(system, e->row[k], a);
    solve(e, system, CAROM_RANK);                                                           /* (2) */
    carom_given_spread(g, system, force);
    bool redundant = e->rank < e->m;
    bool shared = redundant && to_share(g, system, force, true) && share(g, system, CAROM_RANK, a, force); /* (7) */
    g->nearly = !shared && to_share(g, system, force, false) && share(g, system, NEARLY, a, force);        /* (9) */
    shared |= g->nearly;
    carom_equations_add(e, system->nv, a);
    carom_given_spread(g, system, force);
    constant_friction(g, system, NULL, force);
    if (shared)
        settle_inside(g, system, force);
    g->shares |= shared;
}

double carom_given_slow_speed(const carom_given_modes *g, const carom_system *system, const carom_link *link)
{
    carom_rows rows = carom_rows_here(system);
    return 0.3 * sqrt(g->slow * carom_rows_reach(system, &rows, link->row, g->a_free, NULL));
}

/* (5): directions of spatial slip; returns whether some contact creeps. */
static bool spatial_directions(carom_given_modes *g, const carom_system *system, const double *v)
{
    bool any = false;
    carom_rows rows = carom_rows_here(system);
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int c = link->contact;
        carom_link_mode *mode = &g->modes[c];
        g->creeps[c] = false;
        if (link->law->tangents < 2 || mode->mode != CAROM_SLIP || g->holds[c])
            continue;
        double x = carom_row_speed(system, link->row + 1, v), y = carom_row_speed(system, link->row + 2, v);
        double size = hypot(x, y), slow = g->slow_speed[c] = carom_given_slow_speed(g, system, link);
        double rounding = carom_rows_reach(system, &rows, link->row + 1, v, NULL);
        rounding = CAROM_MAX(rounding, carom_rows_reach(system, &rows, link->row + 2, v, NULL));
        g->creeps[c] = g->crept[c] || !(size > slow);
        any |= g->creeps[c];
        g->moves[c] = size > 1e-14 * rounding + 1e-10 * slow; /* not by rounding alone */
        if (g->moves[c])
            mode->direction[0] = x / size, mode->direction[1] = y / size;
    }
    return any;
}

/* p . G_t y of a link, p across its slip */
static double across(const carom_given_modes *g, const carom_system *system, const carom_link *link, const double *y)
{
    const double *d = g->modes[link->contact].direction;
    return d[0] * carom_row_dot(system, link->row + 2, y) - d[1] * carom_row_dot(system, link->row + 1, y);
}

/* What the forces that hold the modes leave of a column: column + Y^T x, K x = -J column, the least one. The arrays of
 * shares are free here. */
static void hold_column(carom_given_modes *g, const carom_system *system, double *column)
{
    carom_equations *e = &g->equations;
    double *b = g->share_x, *x = g->share_u;
    carom_equations_matrix(e, system);
    for (int k = 0; k < e->m; k++)
        b[k] = -carom_row_dot(system, e->row[k], column);
    carom_least_squares(e->m, e->m, e->K, b, x, CAROM_RANK, e->work, g->pivot);
    for (int k = 0; k < e->m; k++)
        for (int i = 0; i < system->nv; i++)
            column[i] += column_of(e, system->nv, k)[i] * x[k];
}

/* A step of Newton's method for (8), given the accelerations with the present directions; the largest angle. */
static double turn_creeping(carom_given_modes *g, const carom_system *system, const double *a, const double *force)
{
    int n = 0, *list = g->equations.order;
    double *angle = g->share.b, turned = 0, most;
    for (int i = system->njoint; i < system->nlink; i++)
        if (g->creeps[system->link[i].contact])
            list[n++] = i;
    for (int k = 0; k < n; k++) {
        const carom_link *link = &system->link[list[k]];
        const double *d = g->modes[link->contact].direction;
        double u[2] = {carom_row_accel(system, link->row + 1, a), carom_row_accel(system, link->row + 2, a)};
        carom_link_friction(system, link, false, force + link->row, &most);
        carom_row_mix(system, link->row + 1, -d[1], d[0], g->column);
        carom_mass_solve(system, g->column);
        hold_column(g, system, g->column);
        for (int i = 0; i < n; i++)
            g->S[i * n + k] = most * across(g, system, &system->link[list[i]], g->column);
        g->S[k * n + k] += d[0] * u[0] + d[1] * u[1];
        angle[k] = d[0] * u[1] - d[1] * u[0];
    }
    if (!carom_lu(n, g->S, g->pivot))
        return 0;
    carom_lu_solve(n, g->S, g->pivot, angle);
    turned = carom_norm_max(n, angle);
    for (int k = 0; k < n; k++) {
        double *d = g->modes[system->link[list[k]].contact].direction, part = turned > 0.5 ? 0.5 / turned : 1;
        double c = cos(part * angle[k]), s = sin(part * angle[k]), x = d[0];
        d[0] = c * x - s * d[1], d[1] = s * x + c * d[1];
    }
    return turned;
}

/* What creeps goes on with its slip if that decreases: it does not start, it stops or passes 0. a: accelerations with
 * the directions found. */
static void end_creeping(carom_given_modes *g, const carom_system *system, const double *v, const double *a)
{
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int c = link->contact;
        double *d = g->modes[c].direction;
        if (!g->creeps[c] || !g->moves[c])
            continue;
        double x = carom_row_speed(system, link->row + 1, v), y = carom_row_speed(system, link->row + 2, v);
        double rate[2] = {carom_row_accel(system, link->row + 1, a), carom_row_accel(system, link->row + 2, a)};
        double along = d[0] * x + d[1] * y, left = 1e-3 * g->slow_speed[c]; /* of what has stuck, by rounding */
        if (along >= -left && !(along > left && d[0] * rate[0] + d[1] * rate[1] < 0))
            continue;
        g->creeps[c] = false;
        d[0] = x / hypot(x, y), d[1] = y / hypot(x, y);
    }
}

/* Is the friction of a contact beyond its limit, as if stuck, that acts on the same bodies? Where several share a load
 * in more than one way, none of them holds alone. */
static bool let_go(carom_given_modes *g, const carom_system *system, const carom_link *link, const double *force)
{
    double most;
    carom_mass_solve_row(system, link->row + 1, g->column);
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *other = &system->link[i];
        if (g->creeps[other->contact] && carom_link_friction(system, other, false, force + other->row, &most) >= most &&
            (carom_row_dot(system, other->row + 1, g->column) != 0 ||
             carom_row_dot(system, other->row + 2, g->column) != 0))
            return true;
    }
    return false;
}

static void creeping_directions(carom_given_modes *g, const carom_system *system, const double *v, double *a,
                                double *force)
{
    enum { TURNS = 20 };
    double turned = 0;
    g->as_if_stuck = true;
    accelerate(g, system, a, force);
    g->as_if_stuck = false;
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int c = link->contact;
        double most, size = g->creeps[c] ? carom_link_friction(system, link, false, force + link->row, &most) : 0;
        if (g->creeps[c] && g->moves[c] && size < (1 - 1e-9) * most && !let_go(g, system, link, force))
            g->creeps[c] = false; /* it does not start, it stops */
        else if (size > 0)
            link->law->slip_along(carom_link_law(system, link), force + link->row + 1, g->modes[c].direction),
                turned = 1;
    }
    for (int k = 0; k < TURNS && turned > 1e-10; k++) {
        carom_copy(system->nv, g->a_free, a);
        memset(force, 0, sizeof *force * (size_t)system->nrow);
        accelerate(g, system, a, force);
        turned = turn_creeping(g, system, a, force);                                        /* (8) */
    }
    end_creeping(g, system, v, a);
}

/* ---- (6) ---- */

static bool slipping(const carom_given_modes *g, const carom_system *system, int equation)
{
    const carom_link *link = &system->link[g->equations.link[equation]];
    return link->contact >= 0 && g->modes[link->contact].mode == CAROM_SLIP && !g->creeps[link->contact];
}

static double determinant(int n, const double *LU, const int *pivot)
{
    double product = 1, sign = 1;
    for (int i = 0; i < n; i++)
        product *= LU[i * n + i], sign *= pivot[i] != i ? -1 : 1;
    return product * sign;
}

/* 1/(A^-1)_ii of a factored A; z [m] */
static double over_inverse(int m, const double *LU, const int *pivot, int i, double *z)
{
    for (int k = 0; k < m; k++)
        z[k] = k == i;
    carom_lu_solve(m, LU, pivot, z);
    return 1 / z[i];
}

/* W of the rows over the roots of its diagonal, into S and L, the roots into e->b: whether rows depend on each other is
 * then no question of masses. */
static void scaled_normal_matrix(carom_given_modes *g, const carom_system *system)
{
    carom_equations *e = &g->equations;
    int m = e->m;
    for (int k = 0; k < m; k++) {
        carom_mass_solve_row(system, e->row[k], g->column);
        products(system, m, e->row, g->column, m, g->S + k);
    }
    for (int k = 0; k < m; k++)
        e->b[k] = g->S[k * m + k] > 0 ? sqrt(g->S[k * m + k]) : 1;
    for (int i = 0; i < m * m; i++)
        g->L[i] = g->S[i] /= e->b[i / m] * e->b[i % m];
}

/* Are rows redundant without friction? By Cholesky's method in L, the largest pivot first: small ones of elimination by
 * rows are spread over a chain of bodies. */
static bool dependent(int m, double *L)
{
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k + 1; i < m; i++)
            best = L[i * m + i] > L[best * m + best] ? i : best;
        if (!(L[best * m + best] > NEARLY))
            return true;
        for (int i = 0; i < m && best != k; i++) {
            double swap = L[k * m + i];
            L[k * m + i] = L[best * m + i], L[best * m + i] = swap;
        }
        for (int i = 0; i < m && best != k; i++) {
            double swap = L[i * m + k];
            L[i * m + k] = L[i * m + best], L[i * m + best] = swap;
        }
        for (int i = k + 1; i < m; i++)
            for (int j = k + 1; j < m; j++)
                L[i * m + j] -= L[i * m + k] * L[k * m + j] / L[k * m + k];
    }
    return false;
}

/* d of (6) and the slipping contact with the smallest p over what it would be without friction; 1 if none slips. */
static double slip_determinant(carom_given_modes *g, const carom_system *system)
{
    carom_equations *e = &g->equations;
    int m = e->m, last = -1;
    for (int k = 0; k < m; k++)
        last = slipping(g, system, k) ? system->link[e->link[k]].contact : last;
    if (last < 0 || g->nearly)
        return 1;
    scaled_normal_matrix(g, system);
    if (dependent(m, g->L) || !carom_lu(m, g->S, g->pivot)) /* redundant rows say nothing about friction */
        return 1;
    double W = determinant(m, g->S, g->pivot), least = INFINITY, *alone = e->work + m;
    g->slip = last;
    for (int i = 0; i < m && m > 1; i++) /* kept to compare */
        alone[i] = slipping(g, system, i) ? over_inverse(m, g->S, g->pivot, i, e->work) : 1;
    for (int i = 0; i < m * m; i++)
        g->L[i] = carom_row_dot(system, e->row[i / m], column_of(e, system->nv, i % m)) / (e->b[i / m] * e->b[i % m]);
    if (!carom_lu(m, g->L, g->pivot))
        return 0;
    for (int i = 0; i < m; i++) {
        if (!slipping(g, system, i))
            continue;
        double p = over_inverse(m, g->L, g->pivot, i, e->work), over = m > 1 ? fabs(p / alone[i]) : 0;
        if (over >= least)
            continue;
        p *= e->b[i] * e->b[i];
        least = over, g->slip = system->link[e->link[i]].contact, g->slip_p = p, g->slip_b = -p * e->x[i];
    }
    return determinant(m, g->L, g->pivot) / W;
}

void carom_given_sides(carom_given_modes *g, const carom_system *system)
{
    g->side = g->equations.m && slip_determinant(g, system) < 0 ? -1 : 1;
}

static carom_status check_slip(carom_given_modes *g, const carom_system *system, double t, carom_error *error)
{
    g->slip = -1;
    double d = g->equations.m && g->side != 0 ? slip_determinant(g, system) * g->side : 1;
    if (d > 1e-6) {
        g->slip = -1;
        return CAROM_OK;
    }
    CAROM_FAIL(error, CAROM_NO_SOLUTION,
               "slip of contact '%s' has no unique solution after t = %.10g: its normal force has the effect p = %.2g, "
               "gddot without it is %.3g (Painleve)",
               CAROM_LINK_NAME(system, carom_contact_link(system, g->slip)), t, g->slip_p, g->slip_b);
}

/* ---- all of it at a point ---- */

static carom_status accel(carom_given_modes *g, carom_system *system, double t, const double *q, const double *v,
                          unsigned more, double *a, double *force, carom_error *error)
{
    int nv = system->nv;
    bool rows = carom_modes_any(system, g->modes);
    unsigned law = system->model->ncontact ? CAROM_LAW : 0;
    carom_system_eval(system, CAROM_MASS | CAROM_FORCE | more | (rows ? CAROM_JACOBIAN | CAROM_GAMMA | law : 0), t, q,
                      v);
    CAROM_TRY(carom_mass_factor(system, t, error));
    carom_copy(nv, system->at.F, g->a_free);
    carom_mass_solve(system, g->a_free);
    for (int pass = rows && spatial_directions(g, system, v) ? 0 : 1; pass < 2; pass++) {
        carom_copy(nv, g->a_free, a);
        for (int r = 0; r < system->nrow; r++)
            force[r] = 0;
        g->equations.m = 0;
        if (pass == 0)
            creeping_directions(g, system, v, a, force);
        else if (rows)
            accelerate(g, system, a, force);
    }
    CAROM_TRY(check_slip(g, system, t, error));
    if (!carom_all_finite(nv, a))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the acceleration is not finite at t = %.10g", t);
    return CAROM_OK;
}

typedef struct place {
    carom_given_modes *given;
    carom_system *system;
    double t;
    const double *q, *v;
    unsigned more;
} place;

static carom_status on_branches(void *user, double *a, double *force, bool last, carom_error *error)
{
    const place *p = user;
    return accel(p->given, p->system, p->t, p->q, p->v, last ? p->more : 0, a, force, error);
}

carom_status carom_given_accel(carom_given_modes *given, carom_system *system, double t, const double *q,
                               const double *v, unsigned more, double *a, double *force, carom_error *error)
{
    if (!given->slide.n)
        return accel(given, system, t, q, v, more, a, force, error);
    place p = {given, system, t, q, v, more};
    return carom_slide_accel(&given->slide, system, t, q, v, on_branches, &p, a, force, error);
}

static size_t share_bytes(size_t rows, size_t width)
{
    return carom_share_work((int)(rows * width), (int)(rows * width));
}

void carom_given_layout(carom_layout *layout, carom_given_modes *given, const carom_system *system)
{
    size_t n = system->nrow, nc = system->ncontact;
    carom_slide_layout(layout, &given->slide, system);
    carom_equations_layout(layout, &given->equations, system, n);
    CAROM_PLACE(layout, given->creeps, nc);
    CAROM_PLACE(layout, given->slow_speed, nc);
    CAROM_PLACE(layout, given->crept, nc);
    CAROM_PLACE(layout, given->moves, nc);
    CAROM_PLACE(layout, given->holds, nc);
    CAROM_PLACE(layout, given->a_free, system->nv);
    CAROM_PLACE(layout, given->column, system->nv);
    carom_room_place(layout, &given->S, carom_room_square, n, 1);
    carom_room_place(layout, &given->L, carom_room_square, n, 1);
    CAROM_PLACE(layout, given->pivot, n);
    CAROM_PLACE(layout, given->share.block, system->nlink);
    carom_room_place(layout, &given->share.W.dense, carom_room_square, n, 1);
    CAROM_PLACE(layout, given->share.b, n);
    CAROM_PLACE(layout, given->share.x0, n);
    CAROM_PLACE(layout, given->share_x, n);
    CAROM_PLACE(layout, given->share_u, n);
    carom_room_place(layout, &given->share_work, share_bytes, n, 1);
}
