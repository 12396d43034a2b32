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
    carom_loader loader = {.s = s, .file = file ? file : &s->file, .error = error, .outputs = m->output_name};
    carom_given given = {CAROM_EXPR_NONE, NULL};
    carom_compiled_lock(s->compiled);
    carom_status status = carom_load_expression(&loader, node, node->key ? node->key : "the expression", &given);
    carom_compiled_unlock(s->compiled);
    *expression = given.e;
    return status;
}

carom_status carom_model_expression_text(const carom_model *m, const char *text, int *expression, carom_error *error)
{
    for (int i = 0; m->source && i < m->noutput; i++) /* also those whose names are no words of expressions */
        if (m->output_name && strcmp(m->output_name[i], text) == 0 && m->source->output) {
            *expression = m->source->output[i].e;
            return CAROM_OK;
        }
    const carom_text_file file = {"expression", text, strlen(text)};
    const carom_text_place place = {1, 1, CAROM_MAX((int)CAROM_MIN(strlen(text), 10000), 1)};
    const carom_text_node node = {.kind = CAROM_TEXT_SCALAR, .text = text, .place = place, .text_column = 1};
    return carom_model_expression(m, &file, &node, expression, error);
}

/* The values of the pool's variables at a point; NULL: no memory, or no names. */
static double *point(const carom_model *m, double t, const double *q, const double *v, const double *p)
{
    const carom_source *s = m->source;
    double *variables = s && s->compiled ? calloc((size_t)s->nvar, sizeof *variables) : NULL;
    if (!variables)
        return NULL;
    variables[0] = t;
    if (q)
        memcpy(variables + s->var_q, q, sizeof *q * (size_t)s->nq);
    if (v)
        memcpy(variables + s->var_v, v, sizeof *v * (size_t)s->nv);
    for (int i = 0; i < m->np; i++)
        variables[s->var_of_p[i]] = p[i];
    return variables;
}

double carom_model_value(const carom_model *m, int expression, double t, const double *q, const double *v,
                         const double *p)
{
    const carom_source *s = m->source;
    double *variables = point(m, t, q, v, p), value = NAN;
    if (variables && expression != CAROM_EXPR_NONE) {
        carom_compiled_lock(s->compiled);
        value = carom_expr_value(s->pool, expression, variables);
        carom_compiled_unlock(s->compiled);
    }
    free(variables);
    return value;
}

static double slope(const carom_source *s, carom_expr e, int variable, const double *variables)
{
    return carom_expr_value(s->pool, carom_expr_diff(s->pool, e, variable), variables);
}

static void slopes_p(const carom_model *m, carom_expr e, const double *variables, double *dp)
{
    for (int i = 0; i < m->np; i++)
        dp[i] = slope(m->source, e, m->source->var_of_p[i], variables);
}

carom_status carom_model_gradient(const carom_model *m, int expression, double t, const double *q, const double *v,
                                  const double *p, double *gradient)
{
    const carom_source *s = m->source;
    double *variables = point(m, t, q, v, p), *dq = gradient + 1, *dv = dq + m->nq;
    if (!variables)
        return CAROM_NO_MEMORY;
    carom_compiled_lock(s->compiled);
    gradient[0] = slope(s, expression, 0, variables);
    for (int i = 0; i < s->nq; i++)
        dq[i] = slope(s, expression, s->var_q + i, variables);
    for (int i = 0; i < s->nv; i++)
        dv[i] = slope(s, expression, s->var_v + i, variables);
    slopes_p(m, expression, variables, dv + m->nv);
    carom_compiled_unlock(s->compiled);
    free(variables);
    return CAROM_OK;
}

double carom_model_period(const carom_model *m, const double *p, double *dp)
{
    const carom_source *s = m->source;
    double *variables = m->period > 0 ? point(m, 0, NULL, NULL, p) : NULL, period = m->period;
    memset(dp, 0, sizeof *dp * (size_t)m->np);
    if (!variables && m->period > 0 && s && s->compiled)
        return NAN; /* no memory */
    if (!variables || s->plugin) {
        free(variables);
        return period;
    }
    carom_compiled_lock(s->compiled);
    period = carom_expr_value(s->pool, s->period.e, variables);
    slopes_p(m, s->period.e, variables, dp);
    carom_compiled_unlock(s->compiled);
    free(variables);
    return period;
}

carom_status carom_model_start_gradient(const carom_model *m, double *X)
{
    const carom_source *s = m->source;
    memset(X, 0, sizeof *X * (size_t)((m->nq + m->nv) * m->np));
    if (!s || s->plugin || !s->compiled)
        return CAROM_OK;
    double *variables = point(m, 0, NULL, NULL, m->p);
    if (!variables)
        return CAROM_NO_MEMORY;
    carom_compiled_lock(s->compiled);
    for (int i = 0; i < s->nq; i++)
        if (!carom_source_override(s, "q.", s->q_name[i]))
            slopes_p(m, s->q0[i].e, variables, X + i * m->np);
    for (int i = 0; i < s->nv; i++)
        if (!carom_source_override(s, "v.", s->v_name[i]))
            slopes_p(m, s->v0[i].e, variables, X + (m->nq + i) * m->np);
    carom_compiled_unlock(s->compiled);
    free(variables);
    return CAROM_OK;
}
