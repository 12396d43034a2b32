/* quick.c: the trial of trial.c where M is constant: less to do between two evaluations.
 *
 *   where columns are linear with constant coefficients, dX' = J dX, all stages together are the polynomial of the
 *   pair,
 *   dX <- (1 + z (1 + z/2 (1 + z/3 (1 + z/4 (1 + z/5 (1 + z/5)))))) dX,  z = h J                                    (3)
 *   functions of time: at t + c_k h for all stages before the first, at t + h once for the last two                 (4)
 */
#include "analysis/lanes/stages.h"
#include "expr/expr.h"
#include "model/model.h"

/* ---- (3) ---- */

/* (3) of one coordinate */
INLINE void linear_columns_of_one(carom_ensemble *e)
{
    const carom_wide h = e->h, K = e->factored[0] * *(const carom_wide *)e->at.R_q,
                     C = e->factored[0] * *(const carom_wide *)e->at.R_v;
    for (int c = 1; c <= e->columns; c++) {
        const carom_wide q = e->start.q[c], v = e->start.v[c];
        carom_wide z_q = q + 0.2 * h * v, z_v = v + 0.2 * h * e->accel[c];
#pragma GCC unroll 5
        for (int j = 5; j > 0; j--) {
            carom_wide step = 1.0 / j * h, old = z_q;
            z_q = q + step * z_v;
            z_v = v - step * (K * old + C * z_v);
        }
        e->end.q[c] = z_q, e->end.v[c] = z_v;
    }
}

/* (3); a: [n], the accelerations of the columns on the way */
INLINE void linear_columns(carom_ensemble *e, int nv, carom_wide *a)
{
    const carom_wide h = e->h;
    for (int j = 6; j > 0; j--) {
        const carom_wide step = 1.0 / (j < 6 ? j : 5) * h;
        const carom_wide *from = j < 6 ? a : e->accel, *v = j < 6 ? e->end.v : e->start.v;
        for (int i = nv; i < e->n; i++) {
            e->end.q[i] = e->start.q[i] + step * v[i];
            e->end.v[i] = e->start.v[i] + step * from[i];
        }
        if (j > 1)
            column_rows(e, nv, e->end.q, e->end.v, a);
    }
}

/* ---- (4) ---- */

/* Where functions of time stand for stage k, 1 to 6; the last two are at the same instant. */
INLINE double *clock_of(const carom_ensemble *e, int k)
{
    return (double *)(e->clock + (CAROM_MIN(k, STAGES - 2) - 1) * e->split->rows);
}

void carom_lanes_quick_begin(carom_ensemble *e)
{
    const carom_eval *at = &e->at;
    const double *const in[CAROM_SPLIT_GROUP + 1] = {(const double *)&e->t,
                                                     (const double *)e->end.q,
                                                     (const double *)e->end.v,
                                                     at->p,
                                                     at->a,
                                                     at->x,
                                                     at->s,
                                                     at->d,
                                                     NULL};
    for (int i = 0; i <= CAROM_SPLIT_GROUP; i++)
        e->in[i] = in[i];
    carom_tape_begin(e->split->clock, W, e->in, e->clock_work);
    carom_tape_begin(e->split->rest, W, e->in, e->rest_work);
}

/* ---- a trial ---- */

INLINE void force_rows(carom_ensemble *e, int nv, carom_wide *a)
{
    for (int i = 0; i < nv; i++)
        a[i] = ((const carom_wide *)e->at.F)[i];
    solve_mass(e, nv, a);
}

/* Accelerations of stage k and the place of the next. */
INLINE void next_of(carom_ensemble *e, int k, int nv, bool linear)
{
    carom_wide *a = e->accel + k * e->n;
    force_rows(e, nv, a);
    if (!linear)
        column_rows(e, nv, e->end.q, e->end.v, a);
    next_rows(e, k + 1, linear ? nv : e->n);
}

CAROM_CLONES static void to_next_stage(carom_ensemble *e, int k)
{
    if (e->nv == 1 && e->linear)
        next_of(e, k, 1, true);
    else if (e->nv == 1)
        next_of(e, k, 1, false);
    else
        next_of(e, k, e->nv, e->linear);
}

CAROM_CLONES static void first_stage(carom_ensemble *e)
{
#pragma GCC unroll 8
    for (int k = 1; k < STAGES; k++)
        e->times[k] = e->base + (e->s + node[k] * e->h);
    if (e->nv == 1 && e->linear)
        linear_columns_of_one(e), stage_rows(e, 1, 1);
    else if (e->linear)
        linear_columns(e, e->nv, e->accel + e->n), stage_rows(e, 1, e->nv);
    else
        stage_rows(e, 1, e->n);
}

INLINE void end_of(carom_ensemble *e, int nv)
{
    carom_wide *a = e->accel + (STAGES - 1) * e->n;
    force_rows(e, nv, a);
    column_rows(e, nv, e->end.q, e->end.v, a);
    gap_rows(e, nv, &e->end, a);
}

CAROM_CLONES static void last_stage(carom_ensemble *e)
{
    if (e->nv == 1)
        end_of(e, 1);
    else
        end_of(e, e->nv);
}

void carom_lanes_quick(carom_ensemble *e)
{
    first_stage(e);
    if (e->split) {
        const double *const times = (const double *)&e->times[1];
        double *const to = clock_of(e, 1);
        carom_tape_eval_row(e->split->clock, &times, e->clock_work, &to, STAGES - 2);
    }
    for (int k = 1; k < STAGES; k++) {
        if (e->split) {
            e->in[CAROM_SPLIT_GROUP] = clock_of(e, k);
            carom_tape_eval(e->split->rest, W, e->in, e->rest_work, &e->at.M);
        } else {
            evaluate(e, k < STAGES - 1 ? e->stage_want : e->end_want, &e->end);
        }
        if (k < STAGES - 1)
            to_next_stage(e, k);
    }
    last_stage(e);
}

/* One tape for all stages, where all that the end of a step adds is gaps. */
carom_status carom_lanes_quick_new(carom_ensemble *e, carom_error *error)
{
    if (e->end_want & ~(e->stage_want | CAROM_GAP))
        return CAROM_OK;
    const carom_split *split;
    CAROM_TRY(carom_model_split(e->model, e->end_want, &split, error));
    if (!split)
        return CAROM_OK;
    e->clock_work = CAROM_NEW(e->arena, double, carom_tape_work(split->clock, W));
    e->rest_work = CAROM_NEW(e->arena, double, carom_tape_work(split->rest, W));
    e->clock = CAROM_NEW(e->arena, carom_wide, (STAGES - 2) * split->rows);
    if (!e->clock_work || !e->rest_work || !e->clock)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    e->split = split;
    return CAROM_OK;
}
