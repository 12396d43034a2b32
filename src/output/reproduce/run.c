/* run.c: what the entries of several papers share: recorded runs, and comparisons of orders. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/reproduce/reproduce.h"

enum { WORD = 200 };

/* The next word "key=value" of a list parted by blanks, split; false at its end. */
static bool next_pair(const char **list, char *word, char **value)
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (!length || length >= WORD)
        return false;
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    *value = strchr(word, '=');
    if (!*value)
        return false;
    *(*value)++ = '\0';
    return true;
}

carom_status carom_run_log_model(carom_model **model, const char *name, const char *parameters, carom_error *error)
{
    char word[16][WORD], *text;
    const char *names[16];
    double values[16];
    int n = 0;
    CAROM_TRY(carom_model_load(model, name, NULL, error));
    for (const char *list = parameters ? parameters : ""; n < 16 && next_pair(&list, word[n], &text); n++) {
        names[n] = word[n];
        if (!carom_number(text, &values[n]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' is no number", text);
    }
    return carom_model_set(*model, names, values, n, error);
}

carom_status carom_run_log_options(carom_options *options, const carom_model *model, const char *settings,
                                   carom_error *error)
{
    char word[WORD], *text;
    *options = carom_options_default();
    CAROM_TRY(carom_options_from_model(options, model, error));
    for (const char *list = settings; next_pair(&list, word, &text);)
        CAROM_TRY(carom_options_set(options, word, text, error));
    return CAROM_OK;
}

carom_status carom_run_log_make(carom_run_log *record, const char *model, const char *parameters, const char *settings,
                                carom_error *error)
{
    carom_options options;
    *record = (carom_run_log){0};
    CAROM_TRY(carom_run_log_model(&record->model, model, parameters, error));
    CAROM_TRY(carom_run_log_options(&options, record->model, settings, error));
    CAROM_TRY(carom_sim_new(&record->sim, record->model, &options, error));
    CAROM_TRY(carom_trajectory_new(&record->trajectory, record->sim, error));
    carom_status status = carom_sim_run(record->sim, carom_sim_options(record->sim)->t_end);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        CAROM_FAIL(error, status, "%s", carom_sim_error(record->sim)->text);
    return CAROM_OK;
}

void carom_run_log_free(carom_run_log *record)
{
    carom_trajectory_free(record->trajectory);
    carom_sim_free(record->sim);
    carom_model_free(record->model);
    *record = (carom_run_log){0};
}

/* ---- orders ---- */

/* "ball", "linear-oscillator with f=-5" */
static const char *name_of(const carom_comparison *c, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", c->model, c->parameters ? " with " : "", c->parameters ? c->parameters : "");
    return text;
}

static void draw_norm(carom_findings *f, const carom_comparison *c, const carom_converge_result *r, int norm)
{
    double h[400], error[400], least = INFINITY, at = 0;
    char title[200], name[100];
    snprintf(title, sizeof title, "%s: %s", name_of(c, name, sizeof name), c->norms[norm]);
    carom_finding *plot = carom_find_plot(f, title, "h", c->norms[norm], CAROM_FINDING_LOGLOG);
    for (int s = 0; s < c->nscheme; s++) {
        int n = 0;
        for (int i = 0; i < r->nrow && n < 400; i++)
            if (r->row[i].scheme == s && r->row[i].norm == norm && r->row[i].error > 0)
                h[n] = r->row[i].h, error[n++] = r->row[i].error;
        for (int i = 0; i < n; i++)
            if (error[i] < least)
                least = error[i], at = h[i];
        carom_find_series(plot, c->schemes[s], CAROM_CHART_POINTS, (size_t)n, h, error);
    }
    const double order = c->expected ? c->expected[norm] : NAN;
    if (order > 0 && isfinite(least))
        carom_find_slope(plot, order, at * 2, least * pow(2, order) / 3);
}

static void compare_orders(carom_findings *f, const carom_comparison *c, const carom_converge_result *r)
{
    carom_finding *table = carom_find_table(f, "Fitted orders", "scheme|norm|order|spread|expected");
    for (int i = 0; i < r->norder; i++) {
        const carom_converge_order *o = &r->order[i];
        const double expected = c->expected ? c->expected[o->scheme * c->nnorm + o->norm] : NAN;
        char what[300], name[100], text[40] = "-";
        snprintf(what, sizeof what, "order of %s in %s (%s)", c->schemes[o->scheme], c->norms[o->norm],
                 name_of(c, name, sizeof name));
        if (!isnan(expected)) {
            snprintf(text, sizeof text, "%g", expected);
            carom_find_check(f, what, o->order, expected - c->below, expected + c->above);
        }
        carom_find_row(table, "%s|%s|%.2f|%.2f|%s", c->schemes[o->scheme], c->norms[o->norm], o->order, o->spread,
                       text);
    }
}

static void compare_errors(carom_findings *f, const carom_comparison *c, const carom_converge_result *r)
{
    for (int i = 0; i < r->nrow && c->known; i++) {
        const carom_converge_row *row = &r->row[i];
        int k = 0;
        while (c->h[k] != row->h)
            k++;
        const double known = c->known[(row->scheme * c->nnorm + row->norm) * c->nh + k];
        char what[300], name[100];
        snprintf(what, sizeof what, "%s of %s at h = %.6g (%s), over the known %.6g", c->norms[row->norm],
                 c->schemes[row->scheme], row->h, name_of(c, name, sizeof name), known);
        if (known > 0)
            carom_find_value(f, what, row->error / known, 1, c->within);
    }
}

static bool stop(void *user)
{
    const carom_findings *f = user;
    return f->go_on && !f->go_on(f->user);
}

carom_status carom_find_orders(carom_findings *f, const carom_comparison *c, carom_error *error)
{
    carom_model *model = NULL;
    carom_options options;
    carom_converge_result result = {0};
    if (c->known && c->shifts != 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "errors are known for steps of this length, not for %d near it",
                   c->shifts);
    carom_status status = carom_run_log_model(&model, c->model, c->parameters, error);
    if (status == CAROM_OK)
        status = carom_run_log_options(&options, model, c->settings ? c->settings : "", error);
    const carom_converge_request request = {.size = sizeof request, .model = model,
                                            .options = &options,
                                            .schemes = c->schemes,
                                            .norms = c->norms,
                                            .h = c->h,
                                            .nscheme = c->nscheme,
                                            .nnorm = c->nnorm,
                                            .nh = c->nh,
                                            .shifts = c->shifts,
                                            .threads = f->threads,
                                            .stop = stop,
                                            .user = f};
    if (status == CAROM_OK)
        status = carom_converge_run(&request, &result, error);
    if (status == CAROM_OK) {
        for (int k = 0; k < c->nnorm && c->nh > 1; k++)
            draw_norm(f, c, &result, k);
        if (c->nh > 1)
            compare_orders(f, c, &result);
        compare_errors(f, c, &result);
        if (c->nh > 1)
            carom_find_text(f, "Reference: %s", result.reference);
    }
    carom_converge_free(&result);
    carom_model_free(model);
    return status;
}

carom_status carom_find_exactness(carom_findings *f, const carom_exactness *e, carom_error *error)
{
    carom_model *model = NULL;
    carom_options options;
    carom_reference *reference = NULL;
    double errors[8] = {0}, worst = 0;
    carom_status status = carom_run_log_model(&model, e->model, e->parameters, error);
    if (status == CAROM_OK)
        status = carom_run_log_options(&options, model, e->settings, error);
    if (status == CAROM_OK)
        status = carom_options_set(&options, "scheme", e->scheme, error);
    if (status == CAROM_OK)
        status = carom_reference_new(&reference, model, &options, CAROM_REFERENCE_AUTO, error);
    if (status == CAROM_OK)
        status = carom_reference_errors(reference, model, &options, e->norms, CAROM_MIN(e->nnorm, CAROM_COUNT(errors)),
                                        errors, NULL, NULL, error);
    for (int i = 0; i < CAROM_COUNT(errors); i++)
        worst = errors[i] <= worst ? worst : errors[i]; /* NAN counts */
    if (status == CAROM_OK)
        carom_find_check(f, e->what, worst, 0, e->most);
    carom_reference_free(reference);
    carom_model_free(model);
    return status;
}
