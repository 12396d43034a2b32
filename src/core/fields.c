/* fields.c: tables of a method's own options: standard values, and values from text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

void carom_fields_standard(const carom_field *fields, double *values)
{
    for (int i = 0; fields && fields[i].name; i++)
        values[i] = fields[i].value;
}

char *carom_fields_text(const carom_field *field, double value, char *buffer)
{
    const char *word = field->type == CAROM_FIELD_ENUM ? field->choices : "";
    if (field->type == CAROM_FIELD_BOOL)
        return strcpy(buffer, value != 0 ? "true" : "false");
    if (field->type != CAROM_FIELD_ENUM)
        return carom_shortest(value, buffer);
    for (int skip = (int)value; skip > 0 && *word; skip--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    snprintf(buffer, 64, "%.*s", (int)strcspn(word, " "), word);
    return buffer;
}

static carom_status unknown(const carom_field *fields, const char *name, carom_error *error)
{
    const char *names[CAROM_FIELDS_MAX];
    int n = 0;
    for (; fields && fields[n].name; n++)
        names[n] = fields[n].name;
    if (n == 0)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown field '%s': this method has no fields", name);
    const char *nearest = carom_nearest(name, names, n);
    CAROM_FAIL(error, CAROM_BAD_OPTION, "unknown field '%s', did you mean '%s'?", name, nearest ? nearest : names[0]);
}

/* The index of word in "a b c", or -1. */
static int choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *c = choices; *c; index++) {
        size_t n = strcspn(c, " ");
        if (n == length && memcmp(c, word, n) == 0)
            return index;
        c += n;
        c += strspn(c, " ");
    }
    return -1;
}

static int truth(const char *text)
{
    return choice("false no off 0", text) >= 0 ? 0 : choice("true yes on 1", text) >= 0 ? 1 : -1;
}

carom_status carom_fields_set(const carom_field *fields, double *values, const char *name, const char *text,
                              carom_error *error)
{
    int i = 0;
    while (fields && fields[i].name && strcmp(fields[i].name, name) != 0)
        i++;
    if (!fields || !fields[i].name)
        return unknown(fields, name, error);
    const carom_field *f = &fields[i];
    double value;
    switch (f->type) {
    case CAROM_FIELD_ENUM:
        value = choice(f->choices, text);
        if (value < 0)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = '%s': expected one of: %s", name, text, f->choices);
        break;
    case CAROM_FIELD_BOOL:
        value = truth(text);
        if (value < 0)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = '%s': expected true or false", name, text);
        break;
    default:
        if (!carom_number(text, &value) || isnan(value))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = '%s': expected a number", name, text);
        if (f->type == CAROM_FIELD_INT && value != floor(value))
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = %s: expected a whole number", name, text);
        if (value < f->min || value > f->max)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "%s = %s: expected a value from %g to %g", name, text, f->min,
                       f->max);
    }
    values[i] = value;
    return CAROM_OK;
}
