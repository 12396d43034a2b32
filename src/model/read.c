/* read.c: the small steps of reading a section: kinds, keys, numbers and expressions, each with its error. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

carom_status carom_load_fail(carom_loader *l, carom_text_place place, const char *format, ...)
{
    char words[600];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return carom_text_fail(l->file, place, l->error, CAROM_BAD_MODEL, "%s", words);
}

static const char *kind_words(const carom_text_node *node)
{
    if (node->kind == CAROM_TEXT_SCALAR)
        return node->text[0] ? "a single value" : "nothing";
    return node->kind == CAROM_TEXT_MAP ? "a map" : "a list";
}

carom_status carom_load_map(carom_loader *l, const carom_text_node *node, const char *what)
{
    if (node->kind != CAROM_TEXT_MAP)
        return carom_load_fail(l, node->kind == CAROM_TEXT_SCALAR && !node->text[0] ? node->key_place : node->place,
                               "%s must be a map (name: value), not %s", what, kind_words(node));
    return CAROM_OK;
}

carom_status carom_load_label(carom_loader *l, const carom_text_node *node, const char *what)
{
    const char *name = node->family ? node->family : node->key;
    size_t n = strlen(name);
    bool good = n > 0 && n <= 60 && name[0] != ' ' && name[n - 1] != ' ';
    for (const char *c = name; good && *c; c++)
        good = isalnum((unsigned char)*c) || strchr("_-. ", *c) || (unsigned char)*c >= 0x80;
    if (!good)
        return carom_load_fail(l, node->key_place, "the name of %s: letters, digits, _ - . and blanks (up to 60)",
                               what);
    return CAROM_OK;
}

carom_status carom_load_keys(carom_loader *l, const carom_text_node *map, const char *const *keys, int n,
                             const char *what)
{
    for (const carom_text_node *c = map->child; c; c = c->next) {
        int i = 0;
        while (i < n && strcmp(c->key, keys[i]) != 0)
            i++;
        if (i < n)
            continue;
        const char *near = carom_nearest(c->key, keys, n);
        if (near)
            return carom_load_fail(l, c->key_place, "unknown key '%s' in %s; did you mean '%s'?", c->key, what, near);
        char list[300] = "";
        for (size_t used = 0, k = 0; k < (size_t)n && used < sizeof list; k++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", keys[k]);
        return carom_load_fail(l, c->key_place, "unknown key '%s' in %s; there are: %s", c->key, what, list);
    }
    return CAROM_OK;
}

static carom_status scalar(carom_loader *l, const carom_text_node *node, const char *what)
{
    if (node->kind != CAROM_TEXT_SCALAR)
        return carom_load_fail(l, node->place, "%s must be a single value, not %s", what, kind_words(node));
    if (!node->text[strspn(node->text, " \t\r\n")])
        return carom_load_fail(l, node->key ? node->key_place : node->place, "%s is empty", what);
    return CAROM_OK;
}

carom_status carom_load_number(carom_loader *l, const carom_text_node *node, const char *what, double *value)
{
    CAROM_TRY(scalar(l, node, what));
    if (!carom_number(node->text, value) || !isfinite(*value))
        return carom_load_fail(l, node->place, "%s must be a finite number, not '%s'", what, node->text);
    return CAROM_OK;
}

/* ---- names in expressions ---- */
static int compare(const void *key, const void *symbol)
{
    return strcmp(key, ((const carom_symbol *)symbol)->name);
}

static carom_status visit(carom_loader *l, carom_parameter *x, const char *what)
{
    carom_given given = {CAROM_EXPR_NONE, NULL};
    if (x->state == CAROM_VISITED)
        return CAROM_OK;
    if (x->state == CAROM_VISITING)
        return carom_load_fail(l, x->node->key_place, "%s '%s' depends on itself", what, x->name);
    if (l->depth >= CAROM_MAX_DEPTH)
        return carom_load_fail(l, x->node->key_place, "names depend on each other more than %d deep", CAROM_MAX_DEPTH);
    x->state = CAROM_VISITING;
    l->depth++;
    int nindex = l->nindex, nbound = l->nbound;
    l->nindex = l->nbound = 0; /* indices belong to the expression that names it, not to what it stands for */
    carom_status status = carom_load_expression(l, x->node, x->name, &given);
    l->nindex = nindex, l->nbound = nbound;
    l->depth--;
    x->e = given.e;
    x->state = CAROM_VISITED;
    return status;
}

/* A parameter that is a number, or that was set to one, becomes a variable. */
static carom_status visit_parameter(carom_loader *l, int i)
{
    carom_source *s = l->s;
    carom_parameter *x = &s->parameter[i];
    if (x->state == CAROM_VISITED)
        return CAROM_OK;
    CAROM_TRY(visit(l, x, "parameter"));
    if (!carom_source_parametric(s, x->e))
        return carom_load_fail(l, x->node->place,
                               "parameter '%s' may depend on other parameters only, not on time or motion", x->name);
    if (carom_expr_is_const(s->pool, x->e, &x->value) || carom_source_override(s, "", x->name)) {
        x->index = 0; /* numbered later */
        x->e = carom_expr_var(s->pool, s->var_p + i);
    }
    return CAROM_OK;
}

carom_status carom_load_symbol(carom_loader *l, carom_symbol_kind kind, int index, carom_expr *e)
{
    carom_source *s = l->s;
    bool let = kind == CAROM_SYMBOL_LET;
    carom_parameter *x = let ? &s->let[index] : &s->parameter[index];
    CAROM_TRY(let ? visit(l, x, "let") : visit_parameter(l, index));
    *e = x->e;
    return CAROM_OK;
}

static carom_expr lookup(void *user, const char *name)
{
    carom_loader *l = user;
    carom_source *s = l->s;
    size_t length = strlen(name);
    bool rate = length > 0 && name[length - 1] == '\'';
    char word[256];
    if (l->failed || length >= sizeof word)
        return CAROM_EXPR_NONE;
    memcpy(word, name, length + 1);
    word[length - rate] = 0;
    for (int i = l->nbound - 1; i >= 0; i--)
        if (strcmp(name, l->bound[i].name) == 0)
            return carom_expr_const(s->pool, l->bound[i].value);
    for (int i = l->nindex - 1; i >= 0; i--)
        if (strcmp(name, l->index[i].name) == 0)
            return carom_expr_const(s->pool, l->index[i].value);
    if (strcmp(name, "t") == 0)
        return carom_expr_var(s->pool, 0);
    const carom_symbol *symbol = bsearch(word, s->symbol, (size_t)s->nsymbol, sizeof *symbol, compare);
    for (int i = 0; !symbol && l->outputs && i < s->noutput; i++)
        if (strcmp(name, l->outputs[i]) == 0)
            return s->output[i].e;
    for (int i = 0; !symbol && i < l->nlocal; i++)
        if (strcmp(name, l->local[i].name) == 0) {
            l->used |= l->local[i].bit;
            return l->local[i].e;
        }
    if (!symbol && s->bodies)
        return carom_bodies_lookup(l, name);
    if (!symbol || symbol->kind == CAROM_SYMBOL_TABLE || (rate && symbol->kind != CAROM_SYMBOL_COORDINATE))
        return CAROM_EXPR_NONE;
    if (symbol->kind == CAROM_SYMBOL_COORDINATE)
        return carom_expr_var(s->pool, (rate ? s->var_v : s->var_q) + symbol->index);
    carom_error *outer = l->error;
    carom_expr e = CAROM_EXPR_NONE;
    (symbol->kind == CAROM_SYMBOL_LET ? s->let : s->parameter)[symbol->index].named = true;
    l->error = &l->pending;
    carom_status status = carom_load_symbol(l, symbol->kind, symbol->index, &e);
    l->error = outer;
    if (status != CAROM_OK) {
        l->failed = true;
        l->pending.status = status;
    }
    return e;
}

static const char *name_at(void *user, int i)
{
    const carom_loader *l = user;
    const carom_source *s = l->s;
    if (i == 0)
        return "t";
    if (i <= s->nsymbol)
        return s->symbol[i - 1].name;
    i -= s->nsymbol + 1;
    if (i < l->nlocal)
        return l->local[i].name;
    i -= l->nlocal;
    if (i < s->nv)
        return s->rate_name[i];
    return s->bodies ? carom_bodies_hint(s, i - s->nv) : NULL;
}

/* A number of parameters as they are now: with others the model is read anew. */
static bool index_value(void *user, carom_expr e, int *number)
{
    carom_loader *l = user;
    carom_source *s = l->s;
    double value;
    if (!carom_expr_is_const(s->pool, e, &value)) {
        double *variables = carom_source_parametric(s, e) ? calloc((size_t)s->nvar, sizeof *variables) : NULL;
        for (int i = 0; variables && i < s->nparameter; i++) {
            const carom_override *override = carom_source_override(s, "", s->parameter[i].name);
            variables[s->var_p + i] = override ? override->value : s->parameter[i].value;
            s->structural[i] = s->structural[i] || carom_expr_depends(s->pool, e, s->var_p + i, s->var_p + i + 1);
        }
        value = variables ? carom_expr_value(s->pool, e, variables) : -1;
        s->start_is_found = true;
        free(variables);
    }
    *number = value >= 0 && value < INT_MAX && value == floor(value) ? (int)value : -1;
    return *number >= 0;
}

/* The index of a sum; the name of something else cannot be one. */
static bool bind(void *user, const char *name, int value)
{
    carom_loader *l = user;
    if (!name) {
        l->nbound--;
        return true;
    }
    if (l->nbound == CAROM_MAX_BOUND || strlen(name) >= sizeof l->bound_name[0])
        return false;
    for (int i = 0; i < l->nbound + l->nindex; i++)
        if (strcmp(name, i < l->nbound ? l->bound[i].name : l->index[i - l->nbound].name) == 0)
            return false;
    if (strcmp(name, "t") == 0 || carom_expr_reserved(l->s->pool, name) ||
        bsearch(name, l->s->symbol, (size_t)l->s->nsymbol, sizeof *l->s->symbol, compare))
        return false;
    strcpy(l->bound_name[l->nbound], name);
    l->bound[l->nbound] = (carom_index){l->bound_name[l->nbound], value};
    l->nbound++;
    return true;
}

static carom_expr part(void *user, const char *function, const char *object, const carom_expr *list, int n,
                       const char *which, bool *known)
{
    return carom_bodies_part(user, function, object, list, n, which, known);
}

/* ---- names ---- */
typedef struct naming { /* a name that is expected where expressions have values */
    carom_loader *l;
    char *name;
    size_t size;
} naming;

static carom_expr named(void *user, const char *name)
{
    naming *x = user;
    carom_expr e = lookup(x->l, name);
    if (e != CAROM_EXPR_NONE || strlen(name) >= x->size)
        return e;
    strcpy(x->name, name);
    return carom_expr_const(x->l->s->pool, 0);
}

static bool index_of_name(void *user, carom_expr e, int *number)
{
    return index_value(((naming *)user)->l, e, number);
}

carom_status carom_load_name(carom_loader *l, const carom_text_node *node, char *name, size_t size)
{
    naming x = {l, name, size};
    const carom_expr_scope scope = {named, NULL, &x, index_of_name, NULL, NULL};
    carom_expr e;
    name[0] = 0;
    if (strchr(node->text, '['))
        CAROM_TRY(carom_expr_parse(l->s->pool, l->file, node, &scope, &e, l->error));
    else if (strlen(node->text) < size)
        strcpy(name, node->text);
    return name[0] ? CAROM_OK : carom_load_fail(l, node->place, "a name of less than %d characters is expected here",
                                                (int)size);
}

carom_status carom_load_expression(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given)
{
    carom_source *s = l->s;
    const carom_expr_scope scope = {lookup, name_at, l, index_value, s->bodies ? part : NULL, bind};
    CAROM_TRY(scalar(l, node, what));
    given->node = node;
    carom_error own = {0};
    const carom_index of_family = {node->index, node->number}, *index = l->index;
    int nindex = l->nindex;
    if (node->index)
        l->index = &of_family, l->nindex = 1;
    carom_status status = carom_expr_parse(s->pool, l->file, node, &scope, &given->e, &own);
    l->index = index, l->nindex = nindex;
    const carom_error *why = l->failed ? &l->pending : &own; /* something that it names is wrong: that is the error */
    if (l->failed || status != CAROM_OK) {
        if (l->error && l->error != why)
            *l->error = *why;
        return l->failed ? l->pending.status : status;
    }
    if (carom_expr_exhausted(s->pool))
        return carom_load_fail(l, node->place, "the model is too large: more than %d nodes of expressions",
                               s->nodes);
    return CAROM_OK;
}

carom_status carom_load_parametric(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given)
{
    CAROM_TRY(carom_load_expression(l, node, what, given));
    if (!carom_source_parametric(l->s, given->e))
        return carom_load_fail(l, node->place, "%s may depend on parameters only, not on time or motion", what);
    return CAROM_OK;
}

carom_status carom_load_positional(carom_loader *l, const carom_text_node *node, const char *what, carom_given *given)
{
    carom_source *s = l->s;
    CAROM_TRY(carom_load_expression(l, node, what, given));
    for (int j = 0; j < s->nv; j++)
        if (carom_expr_depends(s->pool, given->e, s->var_v + j, s->var_v + j + 1))
            return carom_load_fail(l, node->place, "%s must not depend on velocities, but it contains %s", what,
                                   s->rate_name[j]);
    return CAROM_OK;
}
