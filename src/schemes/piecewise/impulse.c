/* impulse.c: the impulses of a step's forces, such that they are what changes its momentum.
 *
 *   P = x sum_i b_i x_i                  by the weights of the method                                             (1)
 *   P = x (x_0 + 4 x_1/2 + x_1)/6        where an event cut the step short                                        (2)
 *   Implicit steps under error control: x_i at (Q_i, V_i), plus G M^-1 G^T dx = G (A_i - a_i). Newton's method ends
 *   with A_i; where a
 *   force is stiff (slip that turns) those at (Q_i, V_i) do not balance the momentum, however near they are      (3) */
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

/* (3): force += dx, where G^T dx makes the accelerations A of the stage from those that its position and velocity
 * give. */
static void follow(carom_given_modes *given, const carom_system *sys, const double *A, const double *a, double *force)
{
    carom_equations *e = &given->equations;
    carom_given_rows(given, sys, &sys->mass, CAROM_ROWS_FORCES);
    for (int k = 0; k < e->m; k++)
        e->b[k] = carom_row_dot(sys, e->row[k], A) - carom_row_dot(sys, e->row[k], a);
    carom_equations_solve(e, sys, CAROM_RANK);
    for (int k = 0; k < e->m; k++)
        force[e->row[k]] += e->x[k];
}

carom_status carom_tol_mean_force(carom_step *s, carom_tol *w, double x)
{
    carom_system *sys = s->system;
    const carom_tableau *T = w->tableau;
    w->averaged = T && T->implicit;
    if (!w->averaged)
        return CAROM_OK;
    memset(w->mean, 0, sizeof(double) * (size_t)sys->nrow);
    if (!carom_tol_carries(sys, w))
        return CAROM_OK;
    for (int k = 0; k < T->stages; k++) {
        carom_tol_place_stage(sys, w, x, k, T->stages, w->shift_q);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + T->c[k] * x, w->shift_q, w->kv[k], 0,
                                            w->probe.a, w->force, s->error));
        follow(&w->given, sys, w->ka[k], w->probe.a, w->force);
        for (int r = 0; r < sys->nrow; r++)
            w->mean[r] += T->b[k] * w->force[r];
    }
    return CAROM_OK;
}

/* Weights of the forces at the start, at the stages that are kept, and at the end. */
static void weights(const carom_tol *w, double *start, double *stage, double *end)
{
    const carom_tableau *T = w->tableau, *pair = carom_tableau_list(CAROM_TABLEAU_ERK5);
    *start = T ? 0 : pair->b[0], *end = 0;
    for (int k = 1; !T && k < pair->stages; k++)
        stage[k] = pair->b[k];
    for (int k = 0, kept = 1; T && k < T->stages; k++) {
        if (T->c[k] > 0 && T->c[k] < 1)
            stage[kept++] = T->b[k];
        else
            *(T->c[k] > 0 ? end : start) += T->b[k];
    }
}

carom_status carom_tol_impulse(carom_step *s, carom_tol *w, const double *v_end, double *impulse)
{
    carom_system *sys = s->system;
    double start = 1.0 / 6, end = 1.0 / 6, stage[CAROM_STAGES] = {0}, most = 0;
    bool whole = w->end.x == w->kept;
    for (int r = 0; r < sys->nrow; r++)
        most = CAROM_MAX(most, CAROM_MAX(fabs(w->start.force[r]), fabs(w->end.force[r])));
    if (whole)
        weights(w, &start, stage, &end);
    else if (most > 0 && w->end.x > 0) {
        carom_tol_inside(sys, w, 0.5, v_end, w->shift_q, w->shift_v);
        CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + 0.5 * w->end.x, w->shift_q, w->shift_v, 0,
                                            w->probe.a, w->force, s->error));
    }
    for (int r = 0; r < sys->nrow; r++) {
        if (whole && w->averaged) {                                                              /* (3) */
            impulse[r] = w->end.x * w->mean[r];
            continue;
        }
        double sum = start * w->start.force[r] + end * w->end.force[r] + (whole || most == 0 ? 0 : 4 * w->force[r] / 6);
        for (int k = 1; whole && k < w->watched; k++)
            sum += stage[k] * w->stage_force[k][r];
        impulse[r] = w->end.x * sum;
    }
    return CAROM_OK;
}
