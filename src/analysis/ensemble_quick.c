/* ensemble_quick.c: the trial of ensemble_trial.c where M is constant: less to do between two evaluations.
 *
 *   where columns are linear with constant coefficients, dX' = J dX, all stages together are the polynomial of the pair,
 *   dX <- (1 + z (1 + z/2 (1 + z/3 (1 + z/4 (1 + z/5 (1 + z/5)))))) dX,  z = h J                                     (3)
 *   functions of time: at t + c_k h for all stages before the first, at t + h once for the last two                  (4)
 */
#include "analysis/ensemble_stages.h"
#include "expr/expr.h"
#include "model/model.h"

/* ---- (3) ---- */

/* (3) of one coordinate */
INLINE void linear_columns_of_one(carom_ensemble *e)
{
    const carom_wide h = e->h, K = e->factored[0] * *(const carom_wide *)e->at.R_q, C = e->factored[0] * *(const carom_wide *)e->at.R_v;
    for (int c = 1; c <= e->columns; c++) {
        const carom_wide q = e->start.q[c], v = e->start.v[c];
        carom_wide z_q = q + 0.2 * h * v, z_v = v + 0.2 * h * e->k[c];
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
        const carom_wide step = 1.0 / (j < 6 ? j : 5) * h, *from = j < 6 ? a : e->k, *v = j < 6 ? e->end.v : e->start.v;
        for (int i = nv; i < e->n; i++) {
            e->end.q[i] = e->start.q[i] + step * v[i];
            e->end.v[i] = e->start.v[i] + step * from[i];
        }
        if (j > 1)
            column_rows(e, nv, e->end.q, e->end.v, a);
    }
}

/* ---- (4) ---- */

/* The tapes of stage k, 1 to 6. */
INLINE const carom_lanes_split *split_of(const carom_ensemble *e, int k)
{
    return k < STAGES - (e->end_shared ? 2 : 1) ? &e->stage_split : &e->end_split;
}

/* Where functions of time stand for stage k; the last two are at the same instant. */
INLINE double *clock_of(const carom_ensemble *e, int k)
{
    return (double *)(e->clock + (e->end_shared && k == STAGES - 1 ? k - 1 : k) * e->clock_rows);
}

static void inputs(const carom_ensemble *e, const carom_wide *t, const double *clock, const double *in[CAROM_SPLIT_GROUP + 1])
{
    const carom_eval *at = &e->at;
    const double *const list[CAROM_SPLIT_GROUP + 1] = {(const double *)t, (const double *)e->end.q, (const double *)e->end.v, at->p,
                                                       at->a, at->x, at->s, at->d, clock};
    for (int i = 0; i <= CAROM_SPLIT_GROUP; i++)
        in[i] = list[i];
}

void carom_lanes_quick_begin(carom_ensemble *e)
{
    const double *in[CAROM_SPLIT_GROUP + 1];
    inputs(e, &e->t, NULL, in);
    const carom_lanes_split *const both[] = {&e->stage_split, &e->end_split};
    for (int i = 0; i < 2; i++) {
        carom_tape_begin(both[i]->parts->clock, W, in, both[i]->clock_work);
        carom_tape_begin(both[i]->parts->rest, W, in, both[i]->rest_work);
    }
}

static void clocks(const carom_ensemble *e, const double *in[])
{
    for (int k = 1; k < STAGES - (e->end_shared ? 1 : 0); k++) {
        const carom_lanes_split *x = split_of(e, k);
        double *to = clock_of(e, k);
        in[0] = (const double *)&e->times[k];
        carom_tape_eval(x->parts->clock, W, in, x->clock_work, &to);
    }
    in[0] = (const double *)&e->t;
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
    carom_wide *a = e->k + k * e->n;
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
        linear_columns(e, e->nv, e->k + e->n), stage_rows(e, 1, e->nv);
    else
        stage_rows(e, 1, e->n);
}

INLINE void end_of(carom_ensemble *e, int nv)
{
    carom_wide *a = e->k + (STAGES - 1) * e->n;
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
    const double *in[CAROM_SPLIT_GROUP + 1];
    first_stage(e);
    if (e->clock) {
        inputs(e, &e->t, NULL, in);
        clocks(e, in);
    }
    for (int k = 1; k < STAGES; k++) {
        const carom_lanes_split *x = split_of(e, k);
        in[CAROM_SPLIT_GROUP] = clock_of(e, k);
        if (e->clock)
            carom_tape_eval(x->parts->rest, W, in, x->rest_work, &e->at.M);
        else
            evaluate(e, k < STAGES - 1 ? e->stage_want : e->end_want, &e->end);
        if (k < STAGES - 1)
            to_next_stage(e, k);
    }
    last_stage(e);
}

carom_status carom_lanes_quick_new(carom_ensemble *e, carom_error *error)
{
    carom_lanes_split *const both[] = {&e->stage_split, &e->end_split};
    CAROM_TRY(carom_model_split(e->model, e->stage_want, &e->stage_split.parts, error));
    CAROM_TRY(carom_model_split(e->model, e->end_want, &e->end_split.parts, error));
    e->end_shared = !(e->end_want & ~(e->stage_want | CAROM_GAP));
    if (!e->stage_split.parts || !e->end_split.parts)
        return CAROM_OK;
    e->clock_rows = CAROM_MAX(e->stage_split.parts->rows, e->end_split.parts->rows);
    for (int i = 0; i < 2; i++) {
        both[i]->clock_work = CAROM_NEW(e->arena, double, carom_tape_work(both[i]->parts->clock, W));
        both[i]->rest_work = CAROM_NEW(e->arena, double, carom_tape_work(both[i]->parts->rest, W));
        if (!both[i]->clock_work || !both[i]->rest_work)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    }
    e->clock = CAROM_NEW(e->arena, carom_wide, STAGES * e->clock_rows);
    if (!e->clock)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    return CAROM_OK;
}
