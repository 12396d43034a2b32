/* expression.c: any text as an expression: parsed, printed, differentiated, evaluated. */
#include <math.h>

#include "expr/expr.h"
#include "fuzz.h"

static const char *const names[] = {"t", "x", "y", "x'", "m", NULL};

static carom_expr look_up(void *pool, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return carom_expr_var(pool, i);
    return CAROM_EXPR_NONE;
}

static const char *name_at(void *user, int i)
{
    (void)user;
    return names[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1), printed[400];
    memcpy(text, bytes, n);
    text[n] = 0;
    carom_expr_pool *pool = carom_expr_pool_new(2000);
    carom_text_file file = {.name = "fuzz", .bytes = text, .length = strlen(text)};
    carom_text_node node = {.text = text, .place = {1, 1, 1}, .text_column = 1};
    carom_expr_scope scope = {.lookup = look_up, .name = name_at, .user = pool};
    carom_expr e;
    carom_error error;
    if (carom_expr_parse(pool, &file, &node, &scope, &e, &error) == CAROM_OK) {
        const double at[] = {0.5, 1, -2, 3, 4};
        carom_expr_print(pool, e, name_at, NULL, printed, sizeof printed);
        carom_expr_value(pool, e, at);
        carom_expr_value(pool, carom_expr_diff(pool, carom_expr_diff(pool, e, 1), 1), at);
    }
    carom_expr_pool_free(pool);
    free(text);
    return 0;
}
