/* switches.c: where the equations of a model file change their branches: if, abs, sign, min, max, floor, mod, tables.
 * Expressions of parameters alone have none. Models with more switches than MOST are left as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/source.h"

enum { MOST = 1000, POINTS = 5 };

/* Values of f at POINTS places: [nswitches*POINTS]. */
static void tabulate(const carom_source *s, const carom_switch *list, int n, double *variables, double *f)
{
    unsigned long long seed = 88172645463325252ull;
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < s->nvar; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            variables[i] = 0.2 + (double)(seed >> 11) / 9007199254740992.0;
        }
        for (int i = 0; i < n; i++)
            f[i * POINTS + k] = carom_expr_value(s->pool, list[i].a, variables) -
                                (list[i].b != CAROM_EXPR_NONE ? carom_expr_value(s->pool, list[i].b, variables) : 0);
    }
}

/* Is f a multiple of g? Which one, or 0. */
static double multiple(const double *f, const double *g)
{
    double ratio = f[0] / g[0], difference = 0, size = 0;
    for (int k = 0; k < POINTS; k++)
        difference = fmax(difference, fabs(f[k] - ratio * g[k])), size = fmax(size, fabs(f[k]));
    return isfinite(ratio) && difference <= 1e-12 * size ? ratio : 0;
}

/* Are there no switches inside its f? Then f is analytic, and known by its values at a few places. */
static bool plain(const carom_source *s, const carom_switch *x)
{
    const carom_expr e[2] = {x->a, x->b};
    carom_switch inner[1];
    int n = e[1] == CAROM_EXPR_NONE ? 1 : 2;
    return x->kind == CAROM_SWITCH_SIGN && carom_expr_switches(s->pool, e, n, s->var_p, inner, 1) == 0;
}

/* x < y and abs(y - x) change together: switches whose f are multiples of each other at a few places share a branch. */
static bool unite(carom_source *s)
{
    int n = s->nswitches, *first = CAROM_NEW(s->arena, int, n);
    bool *alone = CAROM_NEW(s->arena, bool, n);
    double *f = malloc(sizeof *f * ((size_t)n * POINTS + (size_t)s->nvar)), *variables = f ? f + n * POINTS : NULL;
    if (f)
        tabulate(s, s->switches, n, variables, f);
    for (int i = 0; f && first && alone && i < n; i++) {
        carom_switch *x = &s->switches[i];
        x->branch = -1;
        alone[i] = !plain(s, x);
        for (int k = 0; x->branch < 0 && !alone[i] && k < s->nswitch; k++) {
            double ratio = alone[first[k]] ? 0 : multiple(f + i * POINTS, f + first[k] * POINTS);
            if (ratio != 0)
                x->branch = k, x->opposite = ratio < 0;
        }
        if (x->branch < 0) {
            x->branch = s->nswitch;
            first[s->nswitch++] = i;
        }
    }
    s->switch_of = first;
    free(f);
    return f && first && alone;
}

carom_status carom_source_switches(carom_loader *l)
{
    carom_source *s = l->s;
    int n = s->nv, gaps = carom_source_links(s);
    const struct { const carom_expr *e; int length; } parts[] = {
        {s->M, n * n},    {s->F, n},          {s->g, gaps},            {s->G, s->nrow * n},
        {s->w, s->nrow}, {s->gamma, s->nrow}, {s->law, s->nlaw}};
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
        count = count > MOST ? 0 : count;
    }
    s->switches = count > 0 ? CAROM_NEW(s->arena, carom_switch, count) : NULL;
    if (s->switches)
        memcpy(s->switches, found, sizeof *found * (size_t)count);
    free(all);
    free(found);
    s->nswitches = count;
    if (count < 0 || (count > 0 && (!s->switches || !unite(s))))
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the switches of the model");
    l->m->nswitch = s->nswitch;
    return CAROM_OK;
}

double carom_model_branch(const carom_model *model, int i, double f, double *low, double *high)
{
    const carom_source *s = model->source;
    if (!s || !s->switches)
        return carom_switch_branch(NULL, NULL, f, low, high);
    return carom_switch_branch(s->pool, &s->switches[s->switch_of[i]], f, low, high);
}
