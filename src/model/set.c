/* set.c: other parameters and initial values for a loaded model. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

/* What a name stands for: parameter i ('p'), coordinate i ('q', 'v'), or 0 for nothing. */
static char find(const carom_source *s, const char *name, int *index)
{
    bool initial = (name[0] == 'q' || name[0] == 'v') && name[1] == '.';
    const char *const *names = name[0] == 'q' ? s->q_name : s->v_name;
    int n = !initial ? s->nparameter : name[0] == 'q' ? s->nq : s->nv;
    for (*index = 0; *index < n; ++*index)
        if (strcmp(initial ? name + 2 : name, initial ? names[*index] : s->parameter[*index].name) == 0)
            return initial ? name[0] : 'p';
    return 0;
}

static carom_status unknown(const carom_source *s, const carom_model *m, const char *name, carom_error *error)
{
    int n = s->nparameter + s->nq + s->nv, k = 0;
    carom_arena *arena = carom_arena_new(0);
    const char **names = arena ? CAROM_NEW(arena, const char *, n) : NULL;
    for (int i = 0; names && i < s->nparameter; i++)
        names[k++] = s->parameter[i].name;
    for (int i = 0; names && i < s->nq + s->nv; i++) {
        names[k] = i < s->nq ? carom_arena_format(arena, "q.%s", s->q_name[i])
                             : carom_arena_format(arena, "v.%s", s->v_name[i - s->nq]);
        k += names[k] != NULL;
    }
    const char *near = names ? carom_nearest(name, names, k) : NULL;
    carom_status status =
        near ? carom_fail(error, CAROM_BAD_ARGUMENT, "model '%s' has no parameter '%s'; did you mean '%s'?", m->name,
                          name, near)
             : carom_fail(error, CAROM_BAD_ARGUMENT,
                          "model '%s' has no parameter '%s' (initial values are q.NAME and v.NAME)", m->name, name);
    carom_arena_free(arena);
    return status;
}

bool carom_model_consists_by(const carom_model *m, int i)
{
    const carom_source *s = m->source;
    return s && s->structural && s->var_of_p && s->structural[s->var_of_p[i] - s->var_p];
}

static carom_status remember(carom_source *s, const char *name, double value, carom_error *error)
{
    for (int i = 0; i < s->noverride; i++)
        if (strcmp(s->override[i].name, name) == 0) {
            s->override[i].value = value;
            return CAROM_OK;
        }
    const char *copy = carom_arena_text(s->arena, name, strlen(name));
    if (!copy)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the value of '%s'", name);
    s->override[s->noverride++] = (carom_override){copy, value};
    return CAROM_OK;
}

/* A parameter that depended on others is to be a number of its own: the equations change. */
static carom_status rebuild(carom_model *m, carom_error *error)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    carom_model fresh;
    const carom_load_options options = {.size = sizeof options, .allow_plugins = s->allow_plugins, .jit = s->jit,
                                        .assemble = s->assemble};
    const carom_load_request request = {s->file, s->folder, &options, s->override, s->noverride};
    CAROM_TRY(carom_source_build(&fresh, &request, NULL, 0, error));
    carom_source_free(s);
    *m = fresh;
    return CAROM_OK;
}

static carom_status apply(carom_model *m, bool structure, carom_error *error)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    if (structure)
        return rebuild(m, error);
    errno = 0;
    carom_status status = carom_source_values(s, m, error);
    if (status == CAROM_OK)
        status = carom_source_check(s, m, NULL, 0, error);
    return carom_source_blame(status, &s->file, error);
}

carom_status carom_model_set(carom_model *m, const char *const *names, const double *values, int n, carom_error *error)
{
    CAROM_SIZED(m, carom_model, error);
    carom_source *s = (carom_source *)(size_t)m->source;
    bool structure = false;
    if (!s && !m->own)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "a loaded model or a copy can be set by name; this one was filled by hand");
    if (n < 0 || (n > 0 && (!names || !values)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d values, with names or numbers that are NULL", n);
    if (!s)
        return carom_copy_set(m, names, values, n, error);
    for (int i = 0; i < n; i++) {
        int index;
        CAROM_NEED(names[i], error);
        char kind = find(s, names[i], &index);
        if (!kind)
            return unknown(s, m, names[i], error);
        if (!isfinite(values[i]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "the value of '%s' is %g", names[i], values[i]);
        structure = structure || (kind == 'p' && (s->parameter[index].index < 0 || s->start_is_found ||
                                                  (s->structural && s->structural[index])));
    }
    int before = s->noverride;
    size_t bytes = sizeof *s->override * (size_t)before;
    carom_override *old = malloc(bytes + 1);
    if (!old)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the values of %d names", n);
    memcpy(old, s->override, bytes);
    carom_status status = CAROM_OK;
    for (int i = 0; i < n && status == CAROM_OK; i++)
        status = remember(s, names[i], values[i], error);
    if (status == CAROM_OK)
        status = apply(m, structure, error);
    if (status != CAROM_OK) { /* as it was */
        memcpy(s->override, old, bytes);
        s->noverride = before;
        carom_source_values(s, m, NULL);
        if (s->assemble)
            carom_source_check(s, m, NULL, 0, NULL);
    }
    free(old);
    return status;
}
