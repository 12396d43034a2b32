/* switches.c: where the equations of a model file change their branches: if, abs, sign, min, max, floor, mod, tables.
 * Expressions of parameters alone have none. Models with more switches than MOST are left as they are. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/source.h"

enum { MOST = 1000 };

carom_status carom_source_switches(carom_loader *l)
{
    carom_source *s = l->s;
    int n = s->nq, gaps = s->njoint + s->ncontact;
    const struct { const carom_expr *e; int length; } parts[] = {
        {s->M, n * n}, {s->F, n}, {s->g, gaps}, {s->G, s->nrow * n}, {s->w, s->nrow}, {s->gamma, s->nrow}, {s->law, 4 * s->ncontact}};
    size_t total = 0;
    for (int k = 0; k < CAROM_COUNT(parts); k++)
        total += (size_t)parts[k].length;
    carom_expr *all = malloc(sizeof *all * (total + 1));
    carom_switch *found = malloc(sizeof *found * MOST);
    int count = -1;
    if (all && found) {
        total = 0;
        for (int k = 0; k < CAROM_COUNT(parts); k++)
            for (int i = 0; i < parts[k].length; i++)
                all[total++] = parts[k].e[i];
        count = carom_expr_switches(s->pool, all, (int)total, s->var_p, found, MOST);
    }
    s->switches = count > 0 ? CAROM_NEW(s->arena, carom_switch, count) : NULL;
    if (s->switches)
        memcpy(s->switches, found, sizeof *found * (size_t)count);
    free(all);
    free(found);
    if (count < 0 || (count > 0 && !s->switches))
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the switches of the model");
    s->nswitch = l->m->nswitch = count;
    return CAROM_OK;
}

double carom_model_branch(const carom_model *model, int i, double f, double *low, double *high)
{
    const carom_source *s = model->source;
    return s && s->switches ? carom_switch_branch(s->pool, &s->switches[i], f, low, high) : carom_switch_branch(NULL, NULL, f, low, high);
}
