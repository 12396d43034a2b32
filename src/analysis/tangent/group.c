/* group.c: several contacts struck at the same instant.
 *
 * A neighbouring motion meets them one after the other, in the order of their times t_i + dt_i. So each column is taken
 * through the impacts in its own order, with the motion between them, and through the opposite order:
 *   the velocities depend on the order, or differ from the simulation's      the flow jumps: no derivative      (1)
 *   the columns depend on it                                                 one-sided: that of the own order    (2)
 *   neither                                                                  a derivative like any other         (3)
 * Contacts that close again are struck again (elastic wedges), until none closes. */
#include <math.h>
#include <string.h>

#include "analysis/tangent/follow.h"

enum { BLOWS = 64 };

void carom_group_layout(carom_layout *layout, carom_group *group, const carom_system *system, int n)
{
    size_t nc = system->model->ncontact, nx = 2 * system->nv;
    CAROM_PLACE(layout, group->order, nc);
    CAROM_PLACE(layout, group->when, nc);
    CAROM_PLACE(layout, group->dt, nc * n);
    CAROM_PLACE(layout, group->x, nx);
    CAROM_PLACE(layout, group->other, nx);
    CAROM_PLACE(layout, group->dp, system->model->np);
    CAROM_PLACE(layout, group->v, system->nv);
    CAROM_PLACE(layout, group->v_new, system->nv);
    CAROM_PLACE(layout, group->v_other, system->nv);
    CAROM_PLACE(layout, group->modes, nc);
    CAROM_PLACE(layout, group->next, nc);
    CAROM_PLACE(layout, group->jump, nc);
    CAROM_PLACE(layout, group->e, nc);
}

/* The contact that is struck next: first those of the order, then whichever closes; -1: none. */
static int next_blow(carom_tangent *t, const carom_jump *jump, int blow, bool backwards)
{
    carom_group *g = &t->group;
    const carom_system *sys = &t->system;
    double rest = carom_tangent_rest(t, jump->v_before);
    for (int k = blow; k < blow + g->count; k++) {
        int c = g->order[backwards ? g->count - 1 - k % g->count : k % g->count], r = carom_contact_link(sys, c)->row;
        double u = carom_row_speed(sys, r, g->v);
        if (u < -rest)
            return c;
    }
    return -1;
}

/* One impact of the sequence, contact c alone with what is closed: g->v and the column x are taken through it. */
static carom_status strike(carom_tangent *t, const carom_jump *jump, int c, double *x, const double *dp, double *dt)
{
    carom_group *g = &t->group;
    const carom_system *sys = &t->system;
    int nc = sys->model->ncontact;
    for (int k = 0; k < nc; k++) {
        bool held = g->modes[k].mode != CAROM_OPEN && t->modes_jump[k].mode != CAROM_OPEN;
        g->jump[k] = t->modes_jump[k], g->next[k] = t->modes_after[k];
        if (k != c)
            g->jump[k].mode = held ? g->jump[k].mode : CAROM_OPEN, g->next[k].mode = g->modes[k].mode;
        g->e[k] = k == c ? t->e[k] : 0;
    }
    carom_instant at = {
        .t = jump->t, .q = jump->q, .v_before = g->v, .v_after = g->v_new, .surface = CAROM_SURFACE_GAP, .contact = c,
        .before = g->modes, .after = g->next, .jump = g->jump, .e = g->e, .step = t->step,
        .rule = carom_tangent_rule(t),
    };
    CAROM_TRY(carom_saltation_velocity(&t->saltation, &at, g->v_new, &t->error));
    CAROM_TRY(carom_saltation_apply(&t->saltation, &at, 1, x, dp, dt, &t->error));
    carom_copy(sys->nv, g->v_new, g->v);
    for (int k = 0; k < nc; k++)
        g->modes[k].mode = g->next[k].mode;
    return CAROM_OK;
}

/* A column through all impacts in the order, or against it; velocities after it in g->v. */
static carom_status sequence(carom_tangent *t, const carom_jump *jump, bool backwards, double *x, const double *dp,
                             double *log_det)
{
    carom_group *g = &t->group;
    carom_copy(t->system.nv, jump->v_before, g->v);
    carom_modes_copy(t->system.model->ncontact, t->modes, g->modes);
    *log_det = 0;
    for (int blow = 0; blow < BLOWS; blow++) {
        double dt;
        int c = next_blow(t, jump, blow, backwards);
        if (c < 0)
            return CAROM_OK;
        CAROM_TRY(strike(t, jump, c, x, dp, &dt));
        *log_det += t->saltation.log_det;
    }
    return CAROM_OK;
}

/* Their order for a column: by the derivatives of their times, dt_i = -(G dq + g_p dp)/gdot. */
static void sort(carom_tangent *t, int j)
{
    carom_group *g = &t->group;
    const carom_system *sys = &t->system;
    int np = sys->model->np, n = t->n;
    for (int i = 0; i < g->count; i++) {
        int c = g->order[i], k = carom_contact_number(sys, c), r = sys->link[k].row;
        double sum = carom_row_column(sys, r, t->X + j, n);
        for (int l = 0; t->parameters && l < np; l++)
            sum += t->saltation.g_p[k * np + l] * t->dp[l * n + j];
        g->when[c] = g->dt[c * n + j] = -sum / t->u[r];
    }
    for (int i = 1; i < g->count; i++)
        for (int k = i; k > 0 && g->when[g->order[k]] < g->when[g->order[k - 1]]; k--) {
            int c = g->order[k];
            g->order[k] = g->order[k - 1], g->order[k - 1] = c;
        }
}

static double distance(int n, const double *x, const double *y, double least)
{
    double most = 0, size = least;
    for (int i = 0; i < n; i++)
        most = CAROM_MAX(most, fabs(x[i] - y[i])), size = CAROM_MAX(size, fabs(x[i]));
    return most > 0 ? most / size : 0;
}

static carom_status one_column(carom_tangent *t, const carom_jump *jump, int j, unsigned *flags, double *log_det)
{
    carom_group *g = &t->group;
    const carom_system *sys = &t->system;
    int nx = 2 * sys->nv, np = sys->model->np, n = t->n;
    const double *dp = t->parameters ? g->dp : NULL;
    sort(t, j);
    for (int i = 0; i < nx; i++)
        g->x[i] = g->other[i] = t->X[i * n + j];
    for (int i = 0; dp && i < np; i++)
        g->dp[i] = t->dp[i * n + j];
    double ignored, small = 1e-7;
    CAROM_TRY(sequence(t, jump, true, g->other, dp, &ignored));
    carom_copy(sys->nv, g->v, g->v_other);
    CAROM_TRY(sequence(t, jump, false, g->x, dp, log_det));
    if (distance(sys->nv, g->v, g->v_other, 1) > small || distance(sys->nv, g->v, jump->v_after, 1) > small)
        *flags |= CAROM_TANGENT_NONE;                                                            /* (1) */
    else if (distance(nx, g->x, g->other, 0) > small)
        *flags |= CAROM_TANGENT_ONE_SIDED;                                                       /* (2) */
    for (int i = 0; i < nx; i++)
        t->X[i * n + j] = g->x[i];
    return CAROM_OK;
}

carom_status carom_tangent_group(carom_tangent *tangent, const carom_jump *jump)
{
    carom_tangent *t = tangent;
    carom_group *g = &t->group;
    const carom_system *sys = &t->system;
    unsigned flags = 0;
    double log_det = 0, rest = carom_tangent_rest(t, jump->v_before);
    g->count = 0;
    for (int c = 0; c < sys->model->ncontact; c++) {
        bool struck = t->modes[c].mode == CAROM_OPEN && t->modes_jump[c].mode != CAROM_OPEN;
        if (struck && t->u[carom_contact_link(sys, c)->row] < -rest)
            g->order[g->count++] = c;
    }
    if (t->parameters)
        carom_saltation_parameters(&t->saltation, jump->t, jump->q, jump->v_before);
    for (int j = 0; j < t->n; j++)
        CAROM_TRY(one_column(t, jump, j, &flags, &log_det));
    t->saltation.log_det = log_det;
    t->saltation.mismatch = 0;
    if (flags & CAROM_TANGENT_NONE)
        carom_tangent_flag(t, CAROM_TANGENT_NONE,
                           "%d contacts are struck at once at t = %.10g: the motion depends on their order", g->count,
                           jump->t);
    if (flags & CAROM_TANGENT_ONE_SIDED)
        carom_tangent_flag(t, CAROM_TANGENT_ONE_SIDED,
                           "%d contacts are struck at once at t = %.10g: derivatives depend on their order", g->count,
                           jump->t);
    return CAROM_OK;
}
