/* observe.c: outputs and energies of a model at many states. */
#include <stdlib.h>

#include "model/model.h"

carom_status carom_model_observe(const carom_model *m, const double *p, size_t n, const double *t, const double *q,
                                 const double *v, double *outputs, double *energy, carom_error *error)
{
    CAROM_SIZED(m, carom_model, error);
    const unsigned want = (outputs && m->noutput > 0 ? CAROM_OUTPUTS : 0) | (energy ? CAROM_ENERGY : 0);
    const carom_evaluator *e = carom_model_evaluator(m);
    if (!want || n == 0)
        return CAROM_OK;
    CAROM_NEED(t, error);
    CAROM_NEED(q, error);
    CAROM_NEED(v, error);
    CAROM_TRY(e->prepare(m, want, error));
    carom_arena *arena = carom_arena_new(0);
    void *work = arena ? carom_arena_alloc(arena, e->work_bytes(m, 1) + 64) : NULL;
    if (!work) {
        carom_arena_free(arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for evaluating '%s'", m->name ? m->name : "");
    }
    p = p ? p : m->p;
    e->begin(m, 1, p, work);
    for (size_t k = 0; k < n; k++) {
        double parts[5]; /* as CAROM_ENERGY has them */
        const carom_eval at = {.want = want, .lanes = 1, .t = t + k, .q = q + k * (size_t)m->nq,
                               .v = v + k * (size_t)m->nv, .p = p, .energy = parts,
                               .outputs = outputs ? outputs + k * (size_t)m->noutput : NULL};
        e->eval(m, &at, work);
        if (energy)
            energy[2 * k] = parts[0], energy[2 * k + 1] = parts[1];
    }
    carom_arena_free(arena);
    return CAROM_OK;
}
