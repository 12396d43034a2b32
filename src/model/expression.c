/* expression.c: expressions in the names of a loaded model, for pictures and measures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

/* Memory for the value of e: a point, then that of its nodes. Behind the lock; it only grows. */
static bool reserve(carom_source *s, carom_expr e)
{
    const size_t size = (size_t)s->nvar + carom_expr_room(e);
    if (size <= s->room_size)
        return true;
    double *room = realloc(s->room, 2 * size * sizeof *room);
    if (!room)
        return false;
    s->room = room, s->room_size = 2 * size;
    return true;
}

carom_status carom_model_reserve(const carom_model *m, int expression, carom_error *error)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    if (!s || !s->compiled || expression == CAROM_EXPR_NONE)
        return CAROM_OK;
    carom_compiled_lock(s->compiled);
    bool room = reserve(s, expression);
    carom_compiled_unlock(s->compiled);
    if (!room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an expression");
    return CAROM_OK;
}

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
    if (status == CAROM_OK && !reserve(s, given.e))
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for an expression");
    carom_compiled_unlock(s->compiled);
    *expression = given.e;
    return status;
}

carom_status carom_model_expression_text(const carom_model *m, const char *text, int *expression, carom_error *error)
{
    for (int i = 0; m->source && i < m->noutput; i++) /* also those whose names are no words of expressions */
        if (m->output_name && strcmp(m->output_name[i], text) == 0 && m->source->output) {
            *expression = m->source->output[i].e;
            return carom_model_reserve(m, *expression, error);
        }
    const carom_text_file file = {"expression", text, strlen(text)};
    const carom_text_place place = {1, 1, CAROM_MAX((int)CAROM_MIN(strlen(text), 10000), 1)};
    const carom_text_node node = {.kind = CAROM_TEXT_SCALAR, .text = text, .place = place, .text_column = 1};
    return carom_model_expression(m, &file, &node, expression, error);
}

/* The values of the pool's variables at a point, in memory that is there. */
static const double *point(const carom_model *m, double t, const double *q, const double *v, const double *p)
{
    const carom_source *s = m->source;
    double *variables = s->room;
    memset(variables, 0, (size_t)s->nvar * sizeof *variables);
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
    carom_source *s = (carom_source *)(size_t)m->source;
    double value = NAN;
    if (!s || !s->compiled || expression == CAROM_EXPR_NONE)
        return NAN;
    carom_compiled_lock(s->compiled);
    if (reserve(s, expression))
        value = carom_expr_value_in(s->pool, expression, point(m, t, q, v, p), s->room + s->nvar);
    carom_compiled_unlock(s->compiled);
    return value;
}

/* Derivatives of e at a point that is in s->room, which may move: false if there is no memory for one of them. */
static bool slope(carom_source *s, carom_expr e, int variable, double *to)
{
    *to = NAN;
    if (e == CAROM_EXPR_NONE)
        return true;
    carom_expr de = carom_expr_diff(s->pool, e, variable);
    if (de == CAROM_EXPR_NONE || !reserve(s, de))
        return false;
    *to = carom_expr_value_in(s->pool, de, s->room, s->room + s->nvar);
    return true;
}

static bool slopes_p(const carom_model *m, carom_source *s, carom_expr e, double *dp)
{
    bool good = true;
    for (int i = 0; good && i < m->np; i++)
        good = slope(s, e, s->var_of_p[i], &dp[i]);
    return good;
}

carom_status carom_model_gradient(const carom_model *m, int expression, double t, const double *q, const double *v,
                                  const double *p, double *gradient)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    double *dq = gradient + 1, *dv = dq + m->nq;
    if (!s || !s->compiled || expression == CAROM_EXPR_NONE)
        return CAROM_UNSUPPORTED;
    carom_compiled_lock(s->compiled);
    bool good = reserve(s, expression);
    if (good)
        point(m, t, q, v, p);
    good = good && slope(s, expression, 0, gradient);
    for (int i = 0; good && i < s->nq; i++)
        good = slope(s, expression, s->var_q + i, &dq[i]);
    for (int i = 0; good && i < s->nv; i++)
        good = slope(s, expression, s->var_v + i, &dv[i]);
    good = good && slopes_p(m, s, expression, dv + m->nv);
    carom_compiled_unlock(s->compiled);
    return good ? CAROM_OK : CAROM_NO_MEMORY;
}

double carom_model_period(const carom_model *m, const double *p, double *dp)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    double period = m->period;
    memset(dp, 0, sizeof *dp * (size_t)m->np);
    if (!(m->period > 0) || !s || !s->compiled || s->plugin || s->period.e == CAROM_EXPR_NONE)
        return period;
    carom_compiled_lock(s->compiled);
    bool good = reserve(s, s->period.e);
    if (good)
        period = carom_expr_value_in(s->pool, s->period.e, point(m, 0, NULL, NULL, p), s->room + s->nvar);
    good = good && slopes_p(m, s, s->period.e, dp);
    carom_compiled_unlock(s->compiled);
    return good ? period : NAN;
}

carom_status carom_model_start_gradient(const carom_model *m, double *X)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    memset(X, 0, sizeof *X * (size_t)((m->nq + m->nv) * m->np));
    if (!s || s->plugin || !s->compiled)
        return CAROM_OK;
    carom_compiled_lock(s->compiled);
    bool good = reserve(s, 0);
    if (good)
        point(m, 0, NULL, NULL, m->p);
    for (int i = 0; good && i < s->nq; i++)
        if (!carom_source_override(s, "q.", s->q_name[i]))
            good = slopes_p(m, s, s->q0[i].e, X + i * m->np);
    for (int i = 0; good && i < s->nv; i++)
        if (!carom_source_override(s, "v.", s->v_name[i]))
            good = slopes_p(m, s, s->v0[i].e, X + (m->nq + i) * m->np);
    carom_compiled_unlock(s->compiled);
    return good ? CAROM_OK : CAROM_NO_MEMORY;
}
