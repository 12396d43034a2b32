/* verify.c: how far a run is from a more accurate one of the same model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/verify.h"
#include "sim/atol.h"

typedef struct run {
    carom_sim *sim;
    carom_trajectory *trajectory;
} run;

static void drop(run *r)
{
    carom_trajectory_free(r->trajectory);
    carom_sim_free(r->sim);
}

static carom_status follow(run *r, const carom_model *model, const carom_options *options, double t_end, carom_error *error)
{
    CAROM_TRY(carom_sim_new(&r->sim, model, options, error));
    CAROM_TRY(carom_trajectory_new(&r->trajectory, r->sim, error));
    carom_status status = carom_sim_run(r->sim, t_end);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        *error = *carom_sim_error(r->sim);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

static carom_status compare(carom_verify *v, const carom_model *model, const carom_options *options, const run *a, const run *b,
                            double *x, carom_error *error)
{
    enum { POINTS = 2000 };
    int n = model->nq;
    double *y = x + 2 * n, *atol = x + 4 * n;
    CAROM_TRY(carom_atol_values(options, model, atol, error));
    for (int k = 1; k <= POINTS; k++) {
        double t = v->t_end * k / POINTS;
        if (carom_trajectory_at(a->trajectory, t, 1, x, x + n) != CAROM_OK || carom_trajectory_at(b->trajectory, t, 1, y, y + n) != CAROM_OK)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "the trajectory to compare with has a hole at t = %.10g", t);
        for (int i = 0; i < n; i++) {
            v->error[i] = fmax(v->error[i], fabs(x[i] - y[i]));
            v->allowed[i] = fmax(v->allowed[i], atol[i] + options->rtol * fabs(y[i]));
        }
    }
    return CAROM_OK;
}

carom_status carom_verify_run(carom_verify *verify, const carom_model *model, const carom_options *options, carom_error *error)
{
    carom_options finer = *options;
    carom_error own = {0};
    run a = {0}, b = {0};
    verify->by_tolerance = strcmp(options->scheme, "tolerance") == 0;
    finer.rtol /= 100;
    carom_atol_scale(&finer, 0.01);
    if (!verify->by_tolerance)
        finer.h /= 16;
    verify->rtol = finer.rtol, verify->atol = finer.atol, verify->h = finer.h;
    memset(verify->error, 0, sizeof(double) * (size_t)model->nq);
    memset(verify->allowed, 0, sizeof(double) * (size_t)model->nq);
    double *x = calloc((size_t)(5 * model->nq), sizeof *x);
    carom_status status = x ? follow(&a, model, options, options->t_end, &own) : carom_fail(&own, CAROM_NO_MEMORY, "no memory to verify");
    if (status == CAROM_OK)
        status = follow(&b, model, &finer, options->t_end, &own);
    if (status == CAROM_OK) {
        verify->t_end = fmin(carom_sim_state(a.sim)->t, carom_sim_state(b.sim)->t);
        status = compare(verify, model, options, &a, &b, x, &own);
    }
    drop(&a), drop(&b);
    free(x);
    if (status != CAROM_OK && error)
        *error = own;
    return status;
}
