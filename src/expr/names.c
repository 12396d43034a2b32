/* names.c: the functions of the expression language, and what to say about a name that means nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/parse.h"

enum { ANY = 1000 };

static const carom_function functions[] = {
    {"sin", CAROM_OP_SIN, 1, 1},     {"cos", CAROM_OP_COS, 1, 1},     {"tan", CAROM_OP_TAN, 1, 1},
    {"asin", CAROM_OP_ASIN, 1, 1},   {"acos", CAROM_OP_ACOS, 1, 1},   {"atan", CAROM_OP_ATAN, 1, 1},
    {"atan2", CAROM_OP_ATAN2, 2, 2}, {"sinh", CAROM_OP_SINH, 1, 1},   {"cosh", CAROM_OP_COSH, 1, 1},
    {"tanh", CAROM_OP_TANH, 1, 1},   {"exp", CAROM_OP_EXP, 1, 1},     {"log", CAROM_OP_LOG, 1, 1},
    {"sqrt", CAROM_OP_SQRT, 1, 1},   {"cbrt", CAROM_OP_CBRT, 1, 1},   {"hypot", CAROM_OP_HYPOT, 2, 2},
    {"abs", CAROM_OP_ABS, 1, 1},     {"sign", CAROM_OP_SIGN, 1, 1},   {"min", CAROM_OP_MIN, 2, ANY},
    {"max", CAROM_OP_MAX, 2, ANY},   {"floor", CAROM_OP_FLOOR, 1, 1}, {"mod", CAROM_OP_MOD, 2, 2},
    {"pow", CAROM_OP_POW, 2, 2},     {"if", CAROM_OP_IF, 3, 3},
};

const carom_function *carom_function_find(const char *name)
{
    for (int i = 0; i < CAROM_COUNT(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

bool carom_expr_reserved(const carom_expr_pool *pool, const char *name)
{
    static const char *const words[] = {"pi", "and", "or", "not"};
    for (int i = 0; i < CAROM_COUNT(words); i++) {
        if (strcmp(words[i], name) == 0)
            return true;
    }
    return carom_function_find(name) || carom_expr_find_table(pool, name) >= 0;
}

/* The nearest of what the scope knows, and pi. */
static const char *nearest_value(const carom_parser *p, const char *word)
{
    const carom_expr_scope *scope = p->scope;
    int n = 0;
    while (scope->name && scope->name(scope->user, n))
        n++;
    const char **names = malloc(sizeof *names * ((size_t)n + 1));
    if (!names)
        return NULL;
    const char *nearest = NULL;
    size_t length = strlen(word);
    for (int i = 0; i < n; i++) {
        names[i] = scope->name(scope->user, i);
        if (!nearest && strncmp(names[i], word, length) == 0 && names[i][length] == '[') /* a part of what it names */
            nearest = names[i];
    }
    names[n] = "pi";
    nearest = nearest ? nearest : carom_nearest(word, names, n + 1);
    free(names);
    return nearest;
}

/* The nearest of functions and tables. */
static const char *nearest_function(const carom_parser *p, const char *word)
{
    int n = p->pool->ntable;
    const char **names = malloc(sizeof *names * ((size_t)n + CAROM_COUNT(functions)));
    if (!names)
        return NULL;
    for (int i = 0; i < n; i++)
        names[i] = p->pool->table[i]->name;
    for (int i = 0; i < CAROM_COUNT(functions); i++)
        names[n + i] = functions[i].name;
    const char *nearest = carom_nearest(word, names, n + CAROM_COUNT(functions));
    free(names);
    return nearest;
}

bool carom_parse_near_object(const carom_parser *p, const char *object, char *near, size_t size)
{
    snprintf(near, size, "%s.x", object);
    const char *nearest = nearest_value(p, near), *dot = nearest ? strrchr(nearest, '.') : NULL;
    if (!dot || (size_t)(dot - nearest) >= size)
        return false;
    snprintf(near, size, "%.*s", (int)(dot - nearest), nearest);
    return strcmp(near, object) != 0;
}

carom_status carom_parse_unknown(carom_parser *p, const carom_token *token, bool called)
{
    const char *word = token->name, *nearest = called ? nearest_function(p, word) : nearest_value(p, word);
    if (!nearest && strlen(word) > 2)
        nearest = called ? nearest_value(p, word) : nearest_function(p, word);
    const char *what = called ? "function" : "name";
    if (nearest && strcmp(nearest, word) == 0)
        return carom_parse_fail(p, token->at, token->length, "'%s' has no value yet where this is needed", word);
    if (!nearest)
        return carom_parse_fail(p, token->at, token->length, "unknown %s '%s'", what, word);
    return carom_parse_fail(p, token->at, token->length, "unknown %s '%s'; did you mean '%s'?", what, word, nearest);
}
