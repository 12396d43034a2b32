/* value_list.c: a list of expressions of a loaded model compiled for many evaluations: pictures of trajectories. */
#include <stdlib.h>

#include "model/source.h"

struct carom_values {
    const carom_model *model;
    carom_tape *tape;
    double *work;
};

/* Where t, q, v and p are for the tape: arrays 0 to 3. */
static carom_tape_slot *variables_of(const carom_source *s)
{
    carom_tape_slot *slot = calloc((size_t)s->nvar + 1, sizeof *slot);
    for (int i = 0; slot && i < s->nq; i++)
        slot[s->var_q + i] = (carom_tape_slot){1, i};
    for (int i = 0; slot && i < s->nv; i++)
        slot[s->var_v + i] = (carom_tape_slot){2, i};
    for (int i = 0; slot && i < s->nparameter; i++)
        slot[s->var_p + i] = (carom_tape_slot){3, CAROM_MAX(s->parameter[i].index, 0)};
    return slot;
}

static carom_status compile(carom_values *x, const int *expression, int n, carom_error *error)
{
    const carom_source *s = x->model->source;
    carom_tape_slot *to = calloc((size_t)n + 1, sizeof *to), *variable = variables_of(s);
    carom_status status = CAROM_NO_MEMORY;
    for (int i = 0; to && i < n; i++)
        to[i] = (carom_tape_slot){0, i};
    if (to && variable) {
        carom_compiled_lock(s->compiled);
        status = carom_tape_new(&x->tape, s->pool, expression, to, n, variable, 1u << 3, error);
        carom_compiled_unlock(s->compiled);
    }
    free(to);
    free(variable);
    x->work = status == CAROM_OK ? malloc((carom_tape_work(x->tape, 1) + 1) * sizeof *x->work) : NULL;
    if (!x->work && (status == CAROM_OK || status == CAROM_NO_MEMORY))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d expressions", n);
    return status;
}

carom_status carom_values_new(carom_values **values, const carom_model *model, const int *expression, int n,
                              carom_error *error)
{
    *values = NULL;
    carom_values *x = calloc(1, sizeof *x);
    if (!x)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d expressions", n);
    x->model = model;
    carom_status status = compile(x, expression, n, error);
    if (status != CAROM_OK) {
        carom_values_free(x);
        return status;
    }
    const double *in[] = {NULL, NULL, NULL, model->p};
    carom_tape_begin(x->tape, 1, in, x->work);
    *values = x;
    return CAROM_OK;
}

void carom_values_at(const carom_values *x, double t, const double *q, const double *v, double *out)
{
    const double *in[] = {&t, q, v, x->model->p};
    carom_tape_eval(x->tape, 1, in, x->work, &out);
}

void carom_values_free(carom_values *x)
{
    if (!x)
        return;
    carom_tape_free(x->tape);
    free(x->work);
    free(x);
}
