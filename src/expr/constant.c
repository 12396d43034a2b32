/* constant.c: the value of an expression that names nothing but what the language knows. */
#include <math.h>
#include <string.h>

#include "expr/expr.h"

static carom_expr lookup(void *user, const char *name)
{
    (void)user, (void)name;
    return CAROM_EXPR_NONE;
}

static const char *name_at(void *user, int i)
{
    (void)user, (void)i;
    return NULL;
}

bool carom_expr_constant(const char *text, double *value)
{
    enum { NODES = 10000, LENGTH = 1000 };
    const carom_text_file file = {"expression", text, strlen(text)};
    const carom_text_place place = {1, 1, 1};
    const carom_text_node node = {.kind = CAROM_TEXT_SCALAR, .text = text, .place = place, .text_column = 1};
    const carom_expr_scope scope = {.lookup = lookup, .name = name_at};
    carom_expr_pool *pool = strlen(text) <= LENGTH ? carom_expr_pool_new(NODES) : NULL;
    carom_expr e = CAROM_EXPR_NONE;
    bool good = pool && carom_expr_parse(pool, &file, &node, &scope, &e, NULL) == CAROM_OK &&
                carom_expr_is_const(pool, e, value) && isfinite(*value);
    carom_expr_pool_free(pool);
    return good;
}
