/* symbols.c: the names of a model file and what they stand for: coordinates, parameters, let, tables. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "expr/parse.h"
#include "model/source.h"

static carom_status check_name(carom_loader *l, const carom_text_node *node, const char *what)
{
    const char *name = node->family ? node->family : node->key;
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';
    size_t n = 1;
    for (; good && name[n]; n++)
        good = isalnum((unsigned char)name[n]) || name[n] == '_';
    if (!good || n > 60)
        return carom_load_fail(l, node->key_place,
                               "'%.80s' is no name for a %s: letters, digits and _ (up to 60), no digit first", name,
                               what);
    if (strcmp(name, "t") == 0)
        return carom_load_fail(l, node->key_place, "the %s 't' has the name of time", what);
    if (strcmp(name, "pi") == 0)
        return carom_load_fail(l, node->key_place, "the %s 'pi' has the name of a constant", what);
    if (carom_function_find(name) || strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0)
        return carom_load_fail(l, node->key_place, "the %s '%s' has the name of a function or operator", what, name);
    return CAROM_OK;
}

static const char *const kind_name[] = {"coordinate", "parameter", "let", "table"};

/* The names of one section; *first: where its symbols go. */
static carom_status declare(carom_loader *l, const char *section, carom_symbol_kind kind, int most, int *count)
{
    carom_source *s = l->s;
    const carom_text_node *map = carom_text_get(s->root, section);
    *count = 0;
    if (!map)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, map, section));
    if (map->nchild > most)
        return carom_load_fail(l, map->key_place, "%d %s; there may be at most %d", map->nchild, section, most);
    for (const carom_text_node *c = map->child; c; c = c->next) {
        CAROM_TRY(check_name(l, c, kind_name[kind]));
        s->symbol[s->nsymbol++] = (carom_symbol){c->key, kind, (*count)++, c};
    }
    return CAROM_OK;
}

static int by_name(const void *a, const void *b)
{
    const carom_symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->node->key_place.line - y->node->key_place.line;
}

/* The index of a repeated entry means nothing else. */
static carom_status indices_are_free(carom_loader *l)
{
    carom_source *s = l->s;
    for (int i = 0; i < s->nsymbol; i++) {
        const carom_text_node *node = s->symbol[i].node;
        if (!node->index || node->number > 0)
            continue;
        for (int k = 0; k < s->nsymbol; k++)
            if (strcmp(s->symbol[k].name, node->index) == 0)
                return carom_load_fail(l, node->key_place, "the index '%s' has the name of something else in line %d",
                                       node->index, s->symbol[k].node->key_place.line);
    }
    return CAROM_OK;
}

static carom_status declare_all(carom_loader *l, int *ntable)
{
    carom_source *s = l->s;
    s->symbol = CAROM_NEW(s->arena, carom_symbol, CAROM_MAX_COORDINATES + 3 * CAROM_MAX_NAMES);
    s->structural = CAROM_NEW(s->arena, bool, CAROM_MAX_NAMES);
    if (!s->symbol || !s->structural)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the names of the model");
    CAROM_TRY(declare(l, "coordinates", CAROM_SYMBOL_COORDINATE, CAROM_MAX_COORDINATES, &s->nq));
    CAROM_TRY(declare(l, "parameters", CAROM_SYMBOL_PARAMETER, CAROM_MAX_NAMES, &s->nparameter));
    CAROM_TRY(declare(l, "let", CAROM_SYMBOL_LET, CAROM_MAX_NAMES, &s->nlet));
    CAROM_TRY(declare(l, "tables", CAROM_SYMBOL_TABLE, CAROM_MAX_NAMES, ntable));
    s->nformula = s->nv = s->nq;
    if (carom_text_get(s->root, "bodies"))
        CAROM_TRY(carom_bodies_declare(l));
    qsort(s->symbol, (size_t)s->nsymbol, sizeof *s->symbol, by_name);
    for (int i = 1; i < s->nsymbol; i++)
        if (strcmp(s->symbol[i].name, s->symbol[i - 1].name) == 0)
            return carom_load_fail(l, s->symbol[i].node->key_place,
                                   "the name '%s' of this %s is already that of a %s in line %d", s->symbol[i].name,
                                   kind_name[s->symbol[i].kind], kind_name[s->symbol[i - 1].kind],
                                   s->symbol[i - 1].node->key_place.line);
    return indices_are_free(l);
}

static carom_status make_room(carom_loader *l)
{
    carom_source *s = l->s;
    s->parameter = CAROM_NEW(s->arena, carom_parameter, s->nparameter);
    s->let = CAROM_NEW(s->arena, carom_parameter, s->nlet);
    s->q_name = CAROM_NEW(s->arena, const char *, s->nq);
    s->v_name = CAROM_NEW(s->arena, const char *, s->nv);
    s->rate_name = CAROM_NEW(s->arena, const char *, s->nv);
    s->direction = CAROM_NEW(s->arena, carom_direction, s->nv);
    s->q0 = CAROM_NEW(s->arena, carom_given, s->nq);
    s->v0 = CAROM_NEW(s->arena, carom_given, s->nv);
    s->q = CAROM_NEW(s->arena, double, s->nq);
    s->v = CAROM_NEW(s->arena, double, s->nv);
    if (!s->parameter || !s->let || !s->q_name || !s->v_name || !s->rate_name || !s->direction || !s->q0 || !s->v0 ||
        !s->q || !s->v)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the names of the model");
    s->var_q = 1;
    s->var_v = s->var_q + s->nq;
    s->var_a = s->var_v + s->nv;
    s->var_s = s->var_a + s->nv;
    s->var_p = s->var_s + 1;
    s->var_x = s->nvar = s->var_p + s->nparameter;
    for (int i = 0; i < s->nsymbol; i++) {
        const carom_symbol *x = &s->symbol[i];
        carom_parameter entry = {.name = x->name, .node = x->node, .e = CAROM_EXPR_NONE, .index = -1};
        if (x->kind == CAROM_SYMBOL_PARAMETER)
            s->parameter[x->index] = entry;
        if (x->kind == CAROM_SYMBOL_LET)
            s->let[x->index] = entry;
        if (x->kind != CAROM_SYMBOL_COORDINATE)
            continue;
        s->q_name[x->index] = s->v_name[x->index] = x->name;
        s->direction[x->index] = (carom_direction){x->index, -1};
        if (!(s->rate_name[x->index] = carom_arena_format(s->arena, "%s'", x->name)))
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the names of the model");
    }
    return CAROM_OK;
}

/* Parses every parameter and every let once; numbers the independent parameters in the order of the file. */
static carom_status resolve(carom_loader *l)
{
    carom_source *s = l->s;
    carom_model *m = l->m;
    carom_given unused;
    for (int i = 0; i < s->nparameter; i++)
        CAROM_TRY(carom_load_symbol(l, CAROM_SYMBOL_PARAMETER, i, &unused.e));
    if (s->bodies)
        CAROM_TRY(carom_bodies_read(l));
    for (int i = 0; i < s->nlet; i++)
        CAROM_TRY(carom_load_symbol(l, CAROM_SYMBOL_LET, i, &unused.e));
    int *var = CAROM_NEW(s->arena, int, s->nparameter);
    const char **name = CAROM_NEW(s->arena, const char *, s->nparameter);
    double *p = CAROM_NEW(s->arena, double, s->nparameter);
    if (!var || !name || !p)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the parameters of the model");
    for (int i = 0; i < s->nparameter; i++) {
        carom_parameter *x = &s->parameter[i];
        if (x->index < 0)
            continue;
        x->index = m->np++;
        var[x->index] = s->var_p + i;
        name[x->index] = x->name;
    }
    s->var_of_p = var;
    s->p = p;
    m->p_name = name;
    return CAROM_OK;
}

static carom_status initial_values(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *velocities = carom_text_get(s->root, "velocities");
    for (int i = 0; i < s->nformula; i++)
        s->q0[i] = s->v0[i] = (carom_given){carom_expr_const(s->pool, 0), NULL};
    for (int i = 0; i < s->nsymbol; i++)
        if (s->symbol[i].kind == CAROM_SYMBOL_COORDINATE && s->symbol[i].index < s->nformula)
            CAROM_TRY(carom_load_parametric(l, s->symbol[i].node, "an initial value", &s->q0[s->symbol[i].index]));
    if (!velocities)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, velocities, "velocities"));
    for (const carom_text_node *c = velocities->child; c; c = c->next) {
        int i;
        CAROM_TRY(carom_load_coordinate(l, c, &i));
        CAROM_TRY(carom_load_parametric(l, c, "an initial velocity", &s->v0[i]));
    }
    return CAROM_OK;
}

carom_status carom_load_coordinate(carom_loader *l, const carom_text_node *node, int *index)
{
    carom_source *s = l->s;
    for (int i = 0; i < s->nformula; i++)
        if (strcmp(node->key, s->q_name[i]) == 0) {
            *index = i;
            return CAROM_OK;
        }
    const char *near = carom_nearest(node->key, s->q_name, s->nformula);
    if (!near && s->bodies)
        near = carom_bodies_near(s, node->key);
    if (near)
        return carom_load_fail(l, node->key_place, "there is no coordinate '%s'; did you mean '%s'?", node->key, near);
    return carom_load_fail(l, node->key_place, "there is no coordinate '%s'", node->key);
}

carom_status carom_load_names(carom_loader *l)
{
    carom_source *s = l->s;
    int ntable;
    CAROM_TRY(declare_all(l, &ntable));
    if (s->nq == 0)
        return s->bodies ? carom_load_fail(l, carom_text_get(s->root, "bodies")->key_place,
                                           "no body can move and there are no coordinates")
                         : carom_load_fail(l, s->root->place, "the model has no coordinates (coordinates: {y: 1})");
    CAROM_TRY(make_room(l));
    CAROM_TRY(carom_load_tables(l));
    CAROM_TRY(resolve(l));
    return initial_values(l);
}
