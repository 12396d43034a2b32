/* run.c: simulations of one scheme on one model, with the reason where it refuses or fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "properties/properties.h"

/* text without the name of the model: one reason for several models is one note. */
static void general(const char *text, const char *model, char *out, size_t size)
{
    const char *at = strstr(text, model);
    if (at && at > text && at[-1] == '\'')
        snprintf(out, size, "%.*s'...%s", (int)(at - 1 - text), text, at + strlen(model));
    else
        snprintf(out, size, "%s", text);
}

static bool listed(const char *models, const char *model)
{
    size_t length = strlen(model);
    for (const char *at = models; (at = strstr(at, model)); at += length)
        if ((at == models || at[-2] == ';') && (at[length] == 0 || at[length] == ';'))
            return true;
    return false;
}

static void note(const carom_subject *subject, const char *model, const char *reason)
{
    carom_notes *notes = subject->notes;
    char text[sizeof notes->note[0].text];
    general(reason, model, text, sizeof text);
    for (int i = 0; i < notes->n; i++) {
        char *models = notes->note[i].models;
        if (strcmp(notes->note[i].spec, subject->spec) != 0)
            continue;
        if (listed(models, model))
            return;
        if (strcmp(notes->note[i].text, text) != 0)
            continue;
        size_t length = strlen(models);
        snprintf(models + length, sizeof notes->note[0].models - length, "; %s", model);
        return;
    }
    if (notes->n == CAROM_NOTES)
        return;
    notes->note[notes->n].spec = subject->spec;
    snprintf(notes->note[notes->n].models, sizeof notes->note[0].models, "%s", model);
    snprintf(notes->note[notes->n++].text, sizeof notes->note[0].text, "%s", text);
}

carom_sim *carom_subject_start(const carom_subject *subject, const carom_model *model, double h, double tol, char *cell)
{
    carom_error error = {0};
    carom_sim *sim = NULL;
    carom_options o = carom_options_default();
    carom_status status = carom_options_set(&o, "scheme", subject->spec, &error);
    o.h = h;
    o.rtol = o.atol = tol;
    o.t_end = 5.37; /* the longest step of `tolerance` is a twentieth: none ends at an impact of the ball by chance */
    if (status == CAROM_OK)
        status = carom_sim_new(&sim, model, &o, &error);
    if (status == CAROM_OK)
        return sim;
    snprintf(cell, CAROM_CELL, "%s", status == CAROM_UNSUPPORTED ? "refused" : "fails");
    note(subject, model->name, error.text);
    return NULL;
}

bool carom_subject_step(const carom_subject *subject, carom_sim *sim, const carom_model *model, char *cell)
{
    if (carom_sim_step(sim) == CAROM_OK)
        return true;
    snprintf(cell, CAROM_CELL, "fails");
    note(subject, model->name, carom_sim_error(sim)->text);
    return false;
}

void carom_cell_size(char *cell, double size)
{
    if (isnan(size))
        snprintf(cell, CAROM_CELL, "fails");
    else if (fabs(size) < 1e-10)
        snprintf(cell, CAROM_CELL, "rounding");
    else
        snprintf(cell, CAROM_CELL, "%.0e", size);
}

double carom_near(int i)
{
    return 0.9 + 0.0297 * i;
}
