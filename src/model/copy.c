/* copy.c: a model that was filled by hand, copied with values of its own, so that they can be changed by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

carom_status carom_model_copy(carom_model **copy, const carom_model *m, carom_error *error)
{
    CAROM_NEED(copy, error);
    *copy = NULL;
    CAROM_NEED(m, error);
    CAROM_SIZED(m, carom_model, error);
    if (m->nq < 1 || m->nv < 1 || m->np < 0 || !m->q || (m->np > 0 && !m->p))
        CAROM_FAIL(error, CAROM_BAD_MODEL, "%d positions, %d velocities and %d parameters, or their values are NULL",
                   m->nq, m->nv, m->np);
    if (m->source)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "a model that was loaded is loaded again, not copied");
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv, np = (size_t)m->np;
    carom_model *c = malloc(sizeof *c);
    double *own = calloc(nq + nv + np, sizeof *own);
    if (!c || !own) {
        free(c);
        free(own);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for a copy of a model");
    }
    *c = *m;
    c->own = own;
    memcpy(own, m->q, sizeof *own * nq);
    if (m->v)
        memcpy(own + nq, m->v, sizeof *own * nv);
    if (np)
        memcpy(own + nq + nv, m->p, sizeof *own * np);
    c->q = own, c->v = own + nq, c->p = own + nq + nv;
    *copy = c;
    return CAROM_OK;
}

/* Where the value of a name stands; NULL: there is no such name. */
static double *place(carom_model *m, const char *name)
{
    char buffer[32];
    bool initial = (name[0] == 'q' || name[0] == 'v') && name[1] == '.';
    int first = !initial ? m->nq + m->nv : name[0] == 'q' ? 0 : m->nq;
    int n = !initial ? m->np : name[0] == 'q' ? m->nq : m->nv;
    for (int i = 0; i < n; i++) {
        const char *its = !initial            ? carom_model_p_name(m, i, buffer)
                          : name[0] == 'q' ? carom_model_q_name(m, i, buffer)
                                           : carom_model_v_name(m, i, buffer);
        if (strcmp(name + 2 * initial, its) == 0)
            return m->own + first + i;
    }
    return NULL;
}

carom_status carom_copy_set(carom_model *m, const char *const *names, const double *values, int n, carom_error *error)
{
    for (int i = 0; i < n; i++) {
        CAROM_NEED(names[i], error);
        if (!place(m, names[i]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                       "model '%s' has no parameter '%s' (initial values are q.NAME and v.NAME)",
                       m->name ? m->name : "", names[i]);
        if (!isfinite(values[i]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the value of '%s' is %g", names[i], values[i]);
    }
    for (int i = 0; i < n; i++)
        *place(m, names[i]) = values[i];
    return CAROM_OK;
}
