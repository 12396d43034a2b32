/* test_expr.h: a small world of names for the tests of expressions: t x y z x' y' z' are variables 0..6, m g
 * k 7..9. */
#ifndef CAROM_TEST_EXPR_H
#define CAROM_TEST_EXPR_H

#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "testing.h"

enum { NVAR = 10 };
static const char *const variable_name[NVAR + 1] = {"t", "x", "y", "z", "x'", "y'", "z'", "m", "g", "k", NULL};

static inline carom_expr lookup_name(void *pool, const char *name)
{
    for (int i = 0; i < NVAR; i++) {
        if (strcmp(variable_name[i], name) == 0)
            return carom_expr_var(pool, i);
    }
    return CAROM_EXPR_NONE;
}

static inline const char *name_of(void *pool, int i)
{
    (void)pool;
    return variable_name[i];
}

/* Parses text as if it stood at column `column` of line 1 of a file that holds nothing else. */
static inline carom_status parse_at(carom_expr_pool *pool, const char *text, int column, bool quoted,
                                    carom_expr *e, carom_error *error)
{
    static char bytes[100];
    snprintf(bytes, sizeof bytes, "%*s%.80s", column - 1, "", text);
    carom_text_file file = {.name = "model.yaml", .bytes = bytes, .length = strlen(bytes)};
    carom_text_node node = {.text = text, .place = {1, column, 1}, .text_column = column, .quoted = quoted};
    carom_expr_scope scope = {.lookup = lookup_name, .name = name_of, .user = pool};
    return carom_expr_parse(pool, &file, &node, &scope, e, error);
}

static inline carom_expr parse(carom_expr_pool *pool, const char *text)
{
    carom_expr e = CAROM_EXPR_NONE;
    carom_error error = {0};
    carom_status status = parse_at(pool, text, 1, true, &e, &error);
    ck_assert_msg(status == CAROM_OK, "%s", error.text);
    return e;
}

/* A repeatable stream of numbers. */
static inline double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static inline int below(unsigned long long *state, int n)
{
    return (int)(uniform(state) * n);
}

#endif
