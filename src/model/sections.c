/* sections.c: what a model file says about the run: outputs, stop, period, impacts, run. */
#include <string.h>

#include "model/source.h"

static carom_status outputs(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *map = carom_text_get(s->root, "outputs");
    if (!map)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, map, "outputs"));
    if (map->nchild > CAROM_MAX_NAMES)
        return carom_load_fail(l, map->key_place, "%d outputs; there may be at most %d", map->nchild, CAROM_MAX_NAMES);
    s->output = CAROM_NEW(s->arena, carom_given, map->nchild);
    const char **name = CAROM_NEW(s->arena, const char *, map->nchild);
    if (!s->output || !name)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d outputs", map->nchild);
    for (const carom_text_node *c = map->child; c; c = c->next) {
        CAROM_TRY(carom_load_label(l, c, "an output"));
        for (int i = 0; i < s->nq; i++)
            if (strcmp(c->key, s->q_name[i]) == 0 || strcmp(c->key, "t") == 0)
                return carom_load_fail(l, c->key_place, "the output '%s' has the name of %s", c->key,
                                       c->key[0] == 't' && !c->key[1] ? "time" : "a coordinate");
        name[s->noutput] = c->key;
        CAROM_TRY(carom_load_expression(l, c, "an output", &s->output[s->noutput++]));
    }
    l->m->noutput = s->noutput;
    l->m->output_name = name;
    return CAROM_OK;
}

static carom_status impacts(carom_loader *l)
{
    const char *names[16];
    int n = 0;
    const carom_text_node *node = carom_text_get(l->s->root, "impacts");
    if (!node)
        return CAROM_OK;
    if (node->kind == CAROM_TEXT_SCALAR) {
        for (; carom_impact_method(n) && n < CAROM_COUNT(names); n++) {
            names[n] = l->m->impacts = carom_impact_method(n)->name;
            if (strcmp(node->text, names[n]) == 0)
                return CAROM_OK;
        }
        const char *near = carom_nearest(node->text, names, n);
        if (near)
            return carom_load_fail(l, node->place, "impacts cannot be '%s'; did you mean '%s'?", node->text, near);
    }
    return carom_load_fail(l, node->place, "impacts must be simultaneous, sequential or poisson");
}

/* Names a method and never a number, even if a parameter has the same name. */
static bool is_word(const char *key)
{
    return strcmp(key, "scheme") == 0 || strcmp(key, "solver") == 0;
}

static bool is_number_key(const char *key)
{
    static const char *const keys[] = {"h",          "t_end",       "every",          "rtol",      "atol",
                                       "newton_tol", "contact_tol", "contact_accept", "newton_max"};
    for (int i = 0; i < CAROM_COUNT(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* A setting that is an expression of parameters gets one; a word or a number stands as it is. What a key means is
 * the business of the options, so only the values of well-known keys are refused here. */
static carom_status setting(carom_loader *l, const carom_text_node *node, const char *key, carom_setting_given *to,
                            carom_setting *out)
{
    carom_source *s = l->s;
    double number;
    if (node->kind != CAROM_TEXT_SCALAR || !node->text[0])
        return carom_load_fail(l, node->key_place, "the setting '%s' must be a single value", node->key);
    to->value = (carom_given){CAROM_EXPR_NONE, node};
    to->text = carom_arena_alloc(s->arena, CAROM_MAX(strlen(node->text) + 1, 40)); /* room for a number, too */
    if (!to->text)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the run section");
    strcpy(to->text, node->text);
    *out = (carom_setting){key, to->text, node->place.line, node->place.column};
    if (is_word(node->key) || carom_number(node->text, &number))
        return CAROM_OK;
    if (is_number_key(node->key))
        return carom_load_parametric(l, node, node->key, &to->value);
    carom_error *outer = l->error, unused;
    l->error = &unused;
    if (carom_load_parametric(l, node, node->key, &to->value) != CAROM_OK)
        to->value.e = CAROM_EXPR_NONE;
    l->error = outer;
    l->failed = false;
    return CAROM_OK;
}

/* atol: {y: 1e-9} stands for atol.y: 1e-9 */
static bool per_coordinate(const carom_text_node *node)
{
    return node->kind == CAROM_TEXT_MAP && strcmp(node->key, "atol") == 0;
}

/* solver: {method: NAME, FIELD: x} stands for solver: NAME and solver.FIELD: x in run. */
static carom_status solver_settings(carom_loader *l, const carom_text_node *map, carom_setting *settings)
{
    carom_source *s = l->s;
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next, l->m->nrun++) {
        bool method = strcmp(c->key, "method") == 0;
        carom_text_node *as = CAROM_NEW(s->arena, carom_text_node, 1);
        const char *key = method ? "solver" : carom_arena_format(s->arena, "solver.%s", c->key);
        if (!as || !key)
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the solver section");
        *as = *c;
        as->key = key;
        CAROM_TRY(setting(l, as, key, &s->setting[l->m->nrun], &settings[l->m->nrun]));
    }
    return CAROM_OK;
}

carom_status carom_load_settings(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *map = carom_text_get(s->root, "run"), *solver = carom_text_get(s->root, "solver");
    if (!map && !solver)
        return CAROM_OK;
    if (map)
        CAROM_TRY(carom_load_map(l, map, "run"));
    if (solver)
        CAROM_TRY(carom_load_map(l, solver, "solver"));
    int n = solver ? solver->nchild : 0;
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next)
        n += per_coordinate(c) ? c->nchild : 1;
    s->setting = CAROM_NEW(s->arena, carom_setting_given, n);
    carom_setting *settings = CAROM_NEW(s->arena, carom_setting, n);
    if (!s->setting || !settings)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the run section");
    l->m->run = settings;
    CAROM_TRY(solver_settings(l, solver, settings));
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next) {
        bool many = per_coordinate(c);
        for (const carom_text_node *k = many ? c->child : c; k; k = many ? k->next : NULL, l->m->nrun++) {
            const char *key = many ? carom_arena_format(s->arena, "%s.%s", c->key, k->key) : k->key;
            if (!key)
                return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the run section");
            CAROM_TRY(setting(l, k, key, &s->setting[l->m->nrun], &settings[l->m->nrun]));
        }
    }
    return CAROM_OK;
}

carom_status carom_load_run(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *stop = carom_text_get(s->root, "stop"), *period = carom_text_get(s->root, "period");
    s->stop = s->period = (carom_given){carom_expr_const(s->pool, 0), NULL};
    CAROM_TRY(outputs(l));
    CAROM_TRY(impacts(l));
    if (stop)
        CAROM_TRY(carom_load_expression(l, stop, "stop", &s->stop));
    if (s->watched + s->wound > 0)
        s->stop.e = carom_expr_binary(s->pool, CAROM_OP_OR, s->stop.e, s->watch);
    l->m->stops = stop || s->watched + s->wound > 0;
    if (period)
        CAROM_TRY(carom_load_parametric(l, period, "period", &s->period));
    return carom_load_settings(l);
}
