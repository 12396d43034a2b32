/* compare.c: runs compared with an exact solution: errors, fitted orders, and the plots of both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/reproduce/reproduce.h"

enum { POINTS = 400 };

/* "ball", "linear-oscillator with f=-5" */
static const char *name_of(const carom_comparison *c, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", c->model, c->parameters ? " with " : "", c->parameters ? c->parameters : "");
    return text;
}

static double declared(const carom_comparison *c, int scheme, int norm)
{
    return c->expected ? c->expected[scheme * c->nnorm + norm] : NAN;
}

/* ---- plots ---- */

/* How large v or q of the exact solution is in a norm on the grid; 1 where errors are not relative. */
static carom_status size_of(const carom_comparison *c, const carom_model *model, const carom_options *options, int norm,
                            double *size, carom_error *error)
{
    enum { SAMPLES = 5000 };
    carom_reference *exact;
    double q[8], v[8], most = 0, sum = 0, square = 0;
    const bool velocity = strstr(c->norms[norm], ".v") != NULL;
    *size = 1;
    if (!c->relative)
        return CAROM_OK;
    CAROM_TRY(carom_reference_new(&exact, model, options, CAROM_REFERENCE_AUTO, error));
    const double dt = options->t_end / SAMPLES;
    for (int i = 0; i < SAMPLES; i++) {
        carom_reference_at(exact, (i + 0.5) * dt, 1, q, v, NULL);
        const double x = fabs(velocity ? v[0] : q[0]);
        most = fmax(most, x), sum += x * dt, square += x * x * dt;
    }
    carom_reference_free(exact);
    *size = strstr(c->norms[norm], "L1") ? sum : strstr(c->norms[norm], "L2") ? sqrt(square) : most;
    return CAROM_OK;
}

/* The errors of one scheme in one norm as a series, and the slope that is declared for them, each slope once. */
static void draw_series(const carom_comparison *c, const carom_converge_result *r, carom_finding *plot, int scheme,
                        int norm, double size)
{
    double h[POINTS], error[POINTS], least = INFINITY, at = 0;
    const double slope = declared(c, scheme, norm);
    char name[200], text[40];
    int n = 0;
    for (int i = 0; i < r->nrow && n < POINTS; i++)
        if (r->row[i].scheme == scheme && r->row[i].norm == norm && r->row[i].error > 0)
            h[n] = r->row[i].h, error[n++] = r->row[i].error / size;
    for (int i = 0; i < n; i++)
        if (error[i] < least)
            least = error[i], at = h[i];
    const bool alone = c->nscheme == 1 && c->relative, both = c->figure && c->nnorm > 1 && !alone;
    snprintf(name, sizeof name, "%s%s%s", both ? c->norms[norm] : "", both ? ", " : "",
             alone ? c->norms[norm] : c->schemes[scheme]);
    carom_find_series(plot, name, CAROM_CHART_POINTS, (size_t)n, h, error);
    bool drawn = !plot || !(slope > 0) || !isfinite(least);
    snprintf(text, sizeof text, "%g", slope);
    for (int i = 0; !drawn && i < plot->chart.nmark; i++)
        drawn = strcmp(plot->chart.marks[i].text, text) == 0;
    if (!drawn)
        carom_find_slope(plot, slope, at * 2, least * pow(2, slope) / 3);
}

/* The plot with this title, if there is one already. */
static carom_finding *plot_of(const carom_findings *f, const char *title)
{
    for (carom_finding *x = f->first; x; x = x->next)
        if (x->kind == CAROM_FINDING_PLOT && !strcmp(x->title, title))
            return x;
    return NULL;
}

static carom_status draw(carom_findings *f, const carom_comparison *c, const carom_converge_result *r,
                         const carom_model *model, const carom_options *options, carom_error *error)
{
    char title[300], name[100];
    carom_finding *plot = NULL;
    const char *y = c->relative ? "relative error" : "error";
    for (int norm = 0; norm < c->nnorm; norm++) {
        double size;
        CAROM_TRY(size_of(c, model, options, norm, &size, error));
        snprintf(title, sizeof title, "%s: %s", name_of(c, name, sizeof name), c->norms[norm]);
        if (norm == 0 && c->figure)
            plot = plot_of(f, c->figure);
        if ((norm == 0 && !plot) || !c->figure)
            plot = carom_find_plot(f, c->figure ? c->figure : title, "h", c->figure ? y : c->norms[norm],
                                   CAROM_FINDING_LOGLOG);
        for (int scheme = 0; scheme < c->nscheme; scheme++)
            draw_series(c, r, plot, scheme, norm, size);
    }
    return CAROM_OK;
}

/* ---- checks ---- */

/* An order in digits; where errors are but rounding there is none, and their largest is told. */
static void write_order(const carom_converge_order *o, const carom_converge_result *r, char *text, size_t size)
{
    double most = 0;
    for (int i = 0; i < r->nrow; i++)
        if (r->row[i].scheme == o->scheme && r->row[i].norm == o->norm)
            most = fmax(most, r->row[i].error);
    if (isfinite(o->order))
        snprintf(text, size, "%.2f", o->order);
    else
        snprintf(text, size, "none: errors up to %.1e", most);
}

static void compare_orders(carom_findings *f, const carom_comparison *c, const carom_converge_result *r)
{
    carom_finding *table = carom_find_table(f, "Fitted orders", "scheme|norm|order|spread|declared");
    for (int i = 0; i < r->norder; i++) {
        const carom_converge_order *o = &r->order[i];
        const int k = o->scheme * c->nnorm + o->norm;
        const double order = declared(c, o->scheme, o->norm);
        const double least = c->least ? c->least[k] : order - c->slack, most = c->most ? c->most[k] : order + c->slack;
        char what[300], name[100], text[40] = "-", spread[40] = "-", fitted[60];
        write_order(o, r, fitted, sizeof fitted);
        snprintf(what, sizeof what, "order of %s in %s (%s)", c->schemes[o->scheme], c->norms[o->norm],
                 name_of(c, name, sizeof name));
        if (!isnan(order))
            snprintf(text, sizeof text, "%g", order);
        if (c->shifts > 1 && isfinite(o->spread))
            snprintf(spread, sizeof spread, "%.2f", o->spread);
        if (!isnan(least) && !isnan(most))
            carom_find_check(f, what, o->order, least, most);
        carom_find_row(table, "%s|%s|%s|%s|%s", c->schemes[o->scheme], c->norms[o->norm], fitted, spread, text);
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
        snprintf(what, sizeof what, "%s of %s at h = %.6g (%s), over %.6g of another computation", c->norms[row->norm],
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
    if (status == CAROM_OK && c->nh > 1) {
        status = draw(f, c, &result, model, &options, error);
        compare_orders(f, c, &result);
        carom_find_text(f, "Reference: %s", result.reference);
    }
    if (status == CAROM_OK)
        compare_errors(f, c, &result);
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
