/* options.c: the options that every run has, and those of its scheme and solver, from text. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/atol.h"
#include "sim/sim.h"
#include "solvers/solver.h"
#include "text/text.h"
#include "model/model.h"

static const struct common {
    const char *name;
    size_t offset;
    double min, max;
    enum { DOUBLE, INT, BOOL } type;
} common[] = {
    {"h", offsetof(carom_options, h), 0, 1e300, DOUBLE},
    {"t_end", offsetof(carom_options, t_end), 0, 1e300, DOUBLE},
    {"every", offsetof(carom_options, every), 0, 1e300, DOUBLE},
    {"rtol", offsetof(carom_options, rtol), 0, 1, DOUBLE},
    {"atol", offsetof(carom_options, atol), 0, 1e300, DOUBLE},
    {"newton_tol", offsetof(carom_options, newton_tol), 0, 1, DOUBLE},
    {"contact_tol", offsetof(carom_options, contact_tol), 0, 1, DOUBLE},
    {"contact_accept", offsetof(carom_options, contact_accept), 0, 1, DOUBLE},
    {"newton_max", offsetof(carom_options, newton_max), 1, 10000, INT},
    {"energy", offsetof(carom_options, energy), 0, 1, BOOL},
    {"certify", offsetof(carom_options, certify), 0, 1, BOOL},
    {"threads", offsetof(carom_options, threads), 0, 1024, INT},
};

carom_options carom_options_default(void)
{
    carom_options o = {.size = sizeof o, .rtol = 1e-6, .atol = 1e-6, .newton_tol = 1e-12, .contact_tol = 1e-10,
                       .contact_accept = 1e-6, .newton_max = 50};
    const carom_scheme *scheme = carom_scheme_list(0);
    snprintf(o.scheme, sizeof o.scheme, "%s", scheme->method.name);
    carom_fields_standard(scheme->method.fields, o.scheme_field);
    return o;
}

carom_options *carom_options_new(void)
{
    carom_options *options = malloc(sizeof *options);
    if (options)
        *options = carom_options_default();
    return options;
}

void carom_options_free(carom_options *options)
{
    free(options);
}

static double common_value(const carom_options *options, const struct common *c)
{
    const char *at = (const char *)options + c->offset;
    return c->type == BOOL ? *(const bool *)(const void *)at
           : c->type == INT ? *(const int *)(const void *)at : *(const double *)(const void *)at;
}

static carom_status check_method(const carom_method *m, const double *value, const char *kind, carom_error *error)
{
    for (const carom_field *f = m->fields; f && f->name; f++, value++)
        if (!(*value >= f->min && *value <= f->max) && (f->type == CAROM_FIELD_DOUBLE || f->type == CAROM_FIELD_INT))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s '%s': %s = %g: expected a value from %g to %g", kind, m->name,
                       f->name, *value, f->min, f->max);
    return CAROM_OK;
}

carom_status carom_options_check(const carom_options *o, const carom_scheme **scheme, const carom_solver **solver,
                                 carom_error *error)
{
    CAROM_SIZED(o, carom_options, error);
    if (!memchr(o->scheme, 0, sizeof o->scheme) || !memchr(o->solver, 0, sizeof o->solver) ||
        !memchr(o->atol_of, 0, sizeof o->atol_of))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "a name among the options does not end");
    *scheme = carom_scheme_find(o->scheme);
    if (!*scheme)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown scheme '%s'", o->scheme);
    *solver = *o->solver ? carom_solver_find(o->solver) : NULL;
    if (*o->solver && !*solver)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown solver '%s'", o->solver);
    for (int i = 0; i < CAROM_COUNT(common); i++) {
        double value = common_value(o, &common[i]);
        if (!(value >= common[i].min && value <= common[i].max))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = %g: expected a value from %g to %g", common[i].name, value,
                       common[i].min, common[i].max);
    }
    CAROM_TRY(check_method(&(*scheme)->method, o->scheme_field, "scheme", error));
    return *solver ? check_method(&(*solver)->method, o->solver_field, "solver", error) : CAROM_OK;
}

static carom_status set_common(carom_options *options, const struct common *c, const char *text, carom_error *error)
{
    const char *choices = NULL;
    carom_field_type type = c->type == BOOL ? CAROM_FIELD_BOOL : c->type == INT ? CAROM_FIELD_INT : CAROM_FIELD_DOUBLE;
    const carom_field field[] = {{c->name, type, 0, c->min, c->max, choices, ""}, {0}};
    double value = 0;
    CAROM_TRY(carom_fields_set(field, &value, c->name, text, error));
    char *at = (char *)options + c->offset;
    if (c->type == BOOL)
        *(bool *)(void *)at = value != 0;
    else if (c->type == INT)
        *(int *)(void *)at = (int)value;
    else
        *(double *)(void *)at = value;
    return CAROM_OK;
}

typedef const carom_method *(*method_list)(int i);

static const carom_method *find_method(method_list list, const char *name, const char *kind, carom_error *error)
{
    const char *names[64];
    int n = 0;
    for (const carom_method *m; n < CAROM_COUNT(names) && (m = list(n)) != NULL; n++) {
        names[n] = m->name;
        if (strcmp(m->name, name) == 0)
            return m;
    }
    const char *nearest = carom_nearest(name, names, n);
    carom_fail(error, CAROM_BAD_OPTION, "unknown %s '%s'%s%s%s", kind, name, nearest ? ", did you mean '" : "",
               nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

/* "name" or "name:field=value:field=value" */
static carom_status set_method(char name[32], double *field, method_list list, const char *kind, const char *text,
                               carom_error *error)
{
    char copy[256];
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "%s: more than %d characters", kind, (int)sizeof copy - 1);
    char *rest = strchr(copy, ':');
    if (rest)
        *rest++ = 0;
    const carom_method *method = find_method(list, copy, kind, error);
    if (!method)
        return CAROM_BAD_OPTION;
    double values[CAROM_FIELDS_MAX] = {0};
    carom_fields_standard(method->fields, values);
    while (rest && *rest) {
        char *item = rest, *end = strchr(rest, ':');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        char *equals = strchr(item, '=');
        if (!equals)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s '%s': expected field=value after the colon, found '%s'", kind, copy,
                       item);
        *equals = 0;
        CAROM_TRY(carom_fields_set(method->fields, values, item, equals + 1, error));
    }
    snprintf(name, 32, "%s", method->name);
    memcpy(field, values, sizeof values);
    return CAROM_OK;
}

static carom_status unknown_key(const char *key, carom_error *error)
{
    const char *names[CAROM_COUNT(common) + 2] = {"scheme", "solver"};
    for (int i = 0; i < CAROM_COUNT(common); i++)
        names[i + 2] = common[i].name;
    const char *nearest = carom_nearest(key, names, CAROM_COUNT(names));
    CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown option '%s'%s%s%s (a field of the scheme is written scheme.FIELD)",
               key, nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

carom_status carom_options_set(carom_options *options, const char *key, const char *value, carom_error *error)
{
    CAROM_SIZED(options, carom_options, error);
    CAROM_NEED(key, error);
    CAROM_NEED(value, error);
    if (strcmp(key, "scheme") == 0)
        return set_method(options->scheme, options->scheme_field, carom_scheme_method, "scheme", value, error);
    if (strcmp(key, "solver") == 0)
        return set_method(options->solver, options->solver_field, carom_solver_method, "solver", value, error);
    if (strncmp(key, "scheme.", 7) == 0) {
        const carom_method *m = find_method(carom_scheme_method, options->scheme, "scheme", error);
        return m ? carom_fields_set(m->fields, options->scheme_field, key + 7, value, error) : CAROM_BAD_OPTION;
    }
    if (strncmp(key, "atol.", 5) == 0)
        return carom_atol_set(options, key + 5, value, error);
    if (strncmp(key, "solver.", 7) == 0) {
        if (!*options->solver)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s: choose a solver first (solver = NAME)", key);
        const carom_method *m = find_method(carom_solver_method, options->solver, "solver", error);
        return m ? carom_fields_set(m->fields, options->solver_field, key + 7, value, error) : CAROM_BAD_OPTION;
    }
    for (int i = 0; i < CAROM_COUNT(common); i++)
        if (strcmp(common[i].name, key) == 0)
            return set_common(options, &common[i], value, error);
    return unknown_key(key, error);
}

/* The scheme and the solver first, then what depends on them. */
carom_status carom_options_from_model(carom_options *options, const carom_model *model, carom_error *error)
{
    CAROM_SIZED(options, carom_options, error);
    CAROM_SIZED(model, carom_model, error);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < model->nrun; i++) {
            const carom_setting *s = &model->run[i];
            bool method = strcmp(s->key, "scheme") == 0 || strcmp(s->key, "solver") == 0;
            if (method != (pass == 0))
                continue;
            carom_error reason;
            if (carom_options_set(options, s->key, s->value, &reason) == CAROM_OK &&
                carom_atol_known(s->key, model, &reason) == CAROM_OK)
                continue;
            const carom_text_file *file = carom_model_file(model);
            if (!file)
                CAROM_FAIL(error, CAROM_BAD_MODEL, "run: %s", reason.text);
            return carom_text_fail(file, (carom_text_place){s->line, s->column, (int)strlen(s->value)}, error,
                                   CAROM_BAD_MODEL, "run: %s", reason.text);
        }
    return CAROM_OK;
}
