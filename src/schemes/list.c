/* list.c: the schemes there are, and what their steps share. */
#include <string.h>

#include "core/dense.h"
#include "schemes/scheme.h"

#ifndef CAROM_MORE_SCHEMES
#define CAROM_MORE_SCHEMES /* a test's */
#endif
static const carom_scheme *const schemes[] = {
    &carom_scheme_tolerance, /* the first is the default */
    &carom_scheme_moreau_jean,
    &carom_scheme_moreau_projected,
    &carom_scheme_schatzman_paoli,
    &carom_scheme_mixed,
    &carom_scheme_kern,
    &carom_scheme_crank_nicolson,
    &carom_scheme_dg_minus,
    &carom_scheme_dg_plus,
    &carom_scheme_exact,
    CAROM_MORE_SCHEMES
};

const carom_scheme *carom_scheme_list(int i)
{
    return i >= 0 && i < CAROM_COUNT(schemes) ? schemes[i] : NULL;
}

const carom_method *carom_scheme_method(int i)
{
    const carom_scheme *scheme = carom_scheme_list(i);
    return scheme ? &scheme->method : NULL;
}

const carom_scheme *carom_scheme_find(const char *name)
{
    for (int i = 0; i < CAROM_COUNT(schemes); i++)
        if (strcmp(schemes[i]->method.name, name) == 0)
            return schemes[i];
    return NULL;
}

void carom_scheme_orders(const carom_options *options, double *smooth, double *impact)
{
    const carom_scheme *scheme = carom_scheme_find(options->scheme);
    *smooth = *impact = 0;
    if (scheme)
        scheme->orders(options->scheme_field, smooth, impact);
}

bool carom_scheme_is(const carom_options *options, unsigned traits)
{
    const carom_scheme *s = carom_scheme_find(options->scheme);
    return s && ((s->traits | (s->traits_of ? s->traits_of(options->scheme_field) : 0)) & traits) != 0;
}

double carom_scheme_field(const carom_options *options, const char *name, double missing)
{
    const carom_scheme *s = carom_scheme_find(options->scheme);
    const carom_field *fields = s ? s->method.fields : NULL;
    for (int i = 0; fields && fields[i].name; i++)
        if (strcmp(fields[i].name, name) == 0)
            return options->scheme_field[i];
    return missing;
}

carom_status carom_step_finish(carom_step *step, bool hit)
{
    const carom_system *system = step->system;
    if (!carom_all_finite(system->nq, step->next->q) || !carom_all_finite(system->nv, step->next->v))
        CAROM_FAIL(step->error, CAROM_NOT_FINITE,
                   "position or velocity is not finite after the step from t = %.10g with h = %.3g", step->now->t,
                   step->h);
    if (step->record->observed)
        carom_contact_record_step(step->contacts, system, step->now, step->next, hit, step->record);
    return CAROM_OK;
}
