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

/* ---- models of native code: t, coordinates, velocities, parameters and outputs by name, numbered in this order.
 * Outputs have derivatives by differences of order 4. ---- */

static bool is_native(const carom_model *m)
{
    return !m->source || !m->source->compiled;
}

static int native_count(const carom_model *m) /* without outputs: how many derivatives there are */
{
    return 1 + m->nq + m->nv + m->np;
}

/* Is `text` the name of part i? */
static bool native_named(const carom_model *m, int i, const char *text)
{
    char buffer[32];
    const char *name;
    if (i == 0)
        return strcmp(text, "t") == 0;
    if ((i -= 1) < m->nq)
        return strcmp(text, carom_model_q_name(m, i, buffer)) == 0;
    if ((i -= m->nq) < m->nv) {
        size_t length = strlen(name = carom_model_v_name(m, i, buffer));
        return strncmp(text, name, length) == 0 && (!text[length] || strcmp(text + length, "'") == 0);
    }
    if ((i -= m->nv) < m->np)
        return strcmp(text, carom_model_p_name(m, i, buffer)) == 0;
    return strcmp(text, carom_model_output_name(m, i - m->np, buffer)) == 0;
}

static carom_status native_find(const carom_model *m, const char *text, int *expression, carom_error *error)
{
    for (int i = 0; i < native_count(m) + m->noutput; i++)
        if (native_named(m, i, text)) {
            *expression = i;
            return CAROM_OK;
        }
    CAROM_FAIL(error, CAROM_UNSUPPORTED,
               "model '%s' is native code and has no '%s': t, its coordinates, velocities (x'), parameters and outputs "
               "can be named, expressions of them cannot",
               m->name ? m->name : "", text);
}

static double native_value(const carom_model *m, int i, double t, const double *q, const double *v, const double *p)
{
    const int output = i - native_count(m);
    double value = NAN;
    if (i == 0)
        return t;
    if (output < 0)
        return i <= m->nq ? q[i - 1] : i <= m->nq + m->nv ? v[i - 1 - m->nq] : p[i - 1 - m->nq - m->nv];
    double *outputs = malloc(sizeof *outputs * (size_t)m->noutput);
    if (outputs && carom_model_observe(m, p, 1, &t, q, v, outputs, NULL, NULL) == CAROM_OK)
        value = outputs[output];
    free(outputs);
    return value;
}

static carom_status native_gradient(const carom_model *m, int i, double t, const double *q, const double *v,
                                    const double *p, double *gradient)
{
    static const double weight[] = {2.0 / 3, -1.0 / 12};
    const int n = native_count(m);
    for (int k = 0; k < n; k++)
        gradient[k] = i == k;
    if (i < n)
        return CAROM_OK;
    double *at = malloc(sizeof *at * (size_t)n); /* t, q, v, p in one piece */
    if (!at)
        return CAROM_NO_MEMORY;
    at[0] = t;
    memcpy(at + 1, q, sizeof *q * (size_t)m->nq);
    memcpy(at + 1 + m->nq, v, sizeof *v * (size_t)m->nv);
    memcpy(at + 1 + m->nq + m->nv, p, sizeof *p * (size_t)m->np);
    for (int k = 0; k < n; k++) {
        const double x = at[k], h = 1e-3 * CAROM_MAX(fabs(x), 1);
        for (int j = -2; j <= 2; j++) {
            at[k] = x + j * h;
            if (j)
                gradient[k] += (j < 0 ? -1 : 1) * weight[abs(j) - 1] / h *
                               native_value(m, i, at[0], at + 1, at + 1 + m->nq, at + 1 + m->nq + m->nv);
        }
        at[k] = x;
    }
    free(at);
    return CAROM_OK;
}

/* ---- models of formulas ---- */

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
    if (is_native(m))
        return native_find(m, text, expression, error);
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
    if (expression == CAROM_EXPR_NONE)
        return NAN;
    if (is_native(m))
        return native_value(m, expression, t, q, v, p);
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
    if (expression == CAROM_EXPR_NONE)
        return CAROM_UNSUPPORTED;
    if (is_native(m))
        return native_gradient(m, expression, t, q, v, p, gradient);
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
