/* expression.c: expressions in the names of a loaded model, for pictures and measures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

carom_status carom_model_expression(const carom_model *m, const carom_text_file *file, const carom_text_node *node,
                                    int *expression, carom_error *error)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    if (!s || !s->compiled)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "model '%s' is native code: expressions cannot name its parts",
                   m->name ? m->name : "");
    carom_loader loader = {.s = s, .file = file ? file : &s->file, .error = error};
    carom_given given = {CAROM_EXPR_NONE, NULL};
    carom_compiled_lock(s->compiled);
    carom_status status = carom_load_expression(&loader, node, node->key ? node->key : "the expression", &given);
    carom_compiled_unlock(s->compiled);
    *expression = given.e;
    return status;
}

carom_status carom_model_expression_text(const carom_model *m, const char *text, int *expression, carom_error *error)
{
    const carom_text_file file = {"expression", text, strlen(text)};
    const carom_text_place place = {1, 1, CAROM_MAX((int)CAROM_MIN(strlen(text), 10000), 1)};
    const carom_text_node node = {.kind = CAROM_TEXT_SCALAR, .text = text, .place = place, .text_column = 1};
    return carom_model_expression(m, &file, &node, expression, error);
}

double carom_model_value(const carom_model *m, int expression, double t, const double *q, const double *v,
                         const double *p)
{
    const carom_source *s = m->source;
    double *variables = s && s->compiled ? calloc((size_t)s->nvar, sizeof *variables) : NULL;
    if (!variables || expression == CAROM_EXPR_NONE) {
        free(variables);
        return NAN;
    }
    variables[0] = t;
    memcpy(variables + s->var_q, q, sizeof *q * (size_t)s->nq);
    memcpy(variables + s->var_v, v, sizeof *v * (size_t)s->nq);
    for (int i = 0; i < m->np; i++)
        variables[s->var_of_p[i]] = p[i];
    carom_compiled_lock(s->compiled);
    double value = carom_expr_value(s->pool, expression, variables);
    carom_compiled_unlock(s->compiled);
    free(variables);
    return value;
}
