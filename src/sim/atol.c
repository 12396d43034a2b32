/* atol.c: absolute tolerances of single coordinates. Options are plain data and know no model: "y=1e-9 z=1e-6" is
 * resolved when a simulation is made of both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "sim/atol.h"

enum { NAME = 240, NAMES = 200 };

/* The next name=value of a list; false at its end. value NaN: it is not one. */
static bool next(const char **list, char name[NAME], double *value)
{
    const char *at = *list + strspn(*list, " ");
    size_t n = strcspn(at, " "), length = strcspn(at, "= ");
    char number[NAME];
    snprintf(name, NAME, "%.*s", (int)length, at);
    snprintf(number, NAME, "%.*s", length < n ? (int)(n - length - 1) : 0, at + length + (length < n));
    if (!carom_number(number, value))
        *value = NAN;
    *list = at + n;
    return n > 0;
}

/* Appends; false when there is no room. */
static bool append(char *list, size_t size, const char *name, double value)
{
    char number[32];
    size_t used = strlen(list);
    int n = snprintf(list + used, size - used, "%s%s=%s", used ? " " : "", name, carom_shortest(value, number));
    if (n >= 0 && (size_t)n < size - used)
        return true;
    list[used] = 0;
    return false;
}

carom_status carom_atol_set(carom_options *o, const char *name, const char *text, carom_error *error)
{
    const carom_field field[] = {{"atol", CAROM_FIELD_DOUBLE, 0, 0, 1e300, NULL, ""}, {0}};
    double value = 0, old;
    char before[sizeof o->atol_of], other[NAME];
    const char *rest = before;
    if (!*name || strpbrk(name, " ="))
        CAROM_FAIL(error, CAROM_BAD_OPTION, "atol.%.100s: the name of a coordinate is expected after the dot", name);
    CAROM_TRY(carom_fields_set(field, &value, "atol", text, error));
    memcpy(before, o->atol_of, sizeof before);
    *o->atol_of = 0;
    bool room = true;
    while (next(&rest, other, &old))
        room = room && (strcmp(other, name) == 0 || append(o->atol_of, sizeof o->atol_of, other, old));
    if (!room || !append(o->atol_of, sizeof o->atol_of, name, value)) {
        memcpy(o->atol_of, before, sizeof before);
        CAROM_FAIL(error, CAROM_BAD_OPTION,
                   "atol.%.100s: the tolerances of single coordinates take more than %d characters", name,
                   (int)sizeof o->atol_of - 1);
    }
    return CAROM_OK;
}

static int coordinate(const carom_model *model, const char *name)
{
    char buffer[32];
    for (int i = 0; i < model->nq; i++)
        if (strcmp(name, carom_model_q_name(model, i, buffer)) == 0)
            return i;
    return -1;
}

static carom_status unknown(const carom_model *model, const char *name, carom_error *error)
{
    char buffer[NAMES][32];
    const char *names[NAMES];
    int n = CAROM_MIN(model->nq, NAMES);
    for (int i = 0; i < n; i++)
        names[i] = carom_model_q_name(model, i, buffer[i]);
    const char *nearest = carom_nearest(name, names, n);
    CAROM_FAIL(error, CAROM_BAD_OPTION, "atol.%.100s: there is no such coordinate%s%s%s", name,
               nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

carom_status carom_atol_known(const char *key, const carom_model *model, carom_error *error)
{
    return strncmp(key, "atol.", 5) == 0 && coordinate(model, key + 5) < 0 ? unknown(model, key + 5, error) : CAROM_OK;
}

carom_status carom_atol_values(const carom_options *options, const carom_model *model, double *atol, carom_error *error)
{
    char name[NAME];
    const char *rest = options->atol_of;
    double value;
    for (int i = 0; i < model->nv; i++)
        atol[i] = options->atol;
    if (*options->atol_of)
        CAROM_TRY(carom_manifold_refuse(model, "a tolerance of a single coordinate", error));
    while (next(&rest, name, &value)) {
        int i = coordinate(model, name);
        if (i < 0)
            return unknown(model, name, error);
        if (!(value >= 0))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "atol.%.100s is not a tolerance", name);
        atol[i] = value;
    }
    return CAROM_OK;
}

void carom_atol_scale(carom_options *o, double factor)
{
    char before[sizeof o->atol_of], name[NAME];
    const char *rest = before;
    double value;
    memcpy(before, o->atol_of, sizeof before);
    o->atol *= factor;
    *o->atol_of = 0;
    while (next(&rest, name, &value))
        append(o->atol_of, sizeof o->atol_of, name, value * factor);
}
