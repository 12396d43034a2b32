/* columns.c: the columns of several runs by kind and by name, and plots of columns against time.
 * Columns of very different size go to different plots, else the small ones would be flat lines. */
#include <math.h>
#include <string.h>

#include "output/report/parts.h"

static const double ALIKE = 12; /* ratio of spans in one plot */

void *carom_report_memory(carom_report *r, size_t bytes)
{
    void *memory = carom_arena_alloc(r->arena, bytes);
    r->failed = r->failed || !memory;
    return memory;
}

/* The kinds of the columns of a run: found out once, which takes a while where there are thousands. */
static const unsigned char *kinds_of(carom_report *r, int i)
{
    const carom_columns *table = r->run[i].table;
    if (!r->kind)
        r->kind = carom_report_memory(r, (size_t)r->nrun * sizeof *r->kind);
    if (r->kind && !r->kind[i]) {
        r->kind[i] = carom_report_memory(r, (size_t)table->ncolumn + 1);
        for (int k = 0; r->kind[i] && k < table->ncolumn; k++)
            r->kind[i][k] = (unsigned char)carom_columns_kind(table, k);
    }
    return r->kind ? r->kind[i] : NULL;
}

const char **carom_report_names(carom_report *r, carom_column_kind kind, int *n)
{
    size_t room = 1;
    *n = 0;
    for (int i = 0; i < r->nrun; i++)
        room += (size_t)r->run[i].table->ncolumn;
    const char **names = carom_report_memory(r, room * sizeof *names);
    for (int i = 0; names && i < r->nrun; i++) {
        const unsigned char *kinds = kinds_of(r, i);
        const int before = *n; /* of other runs: within one each name is there once */
        for (int k = 0; kinds && k < r->run[i].table->ncolumn; k++) {
            const char *name = r->run[i].table->name[k];
            bool old = kinds[k] != (unsigned char)kind;
            for (int j = 0; !old && j < before; j++)
                old = strcmp(names[j], name) == 0;
            if (!old)
                names[(*n)++] = name;
        }
    }
    return names;
}

const double *carom_report_column(const carom_report_run *run, const char *name)
{
    int column = carom_columns_find(run->table, name);
    return column < 0 ? NULL : run->table->column[column];
}

const char *carom_report_stem(carom_report *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    char *stem = carom_arena_text(r->arena, name, dot ? (size_t)(dot - name) : strlen(name));
    r->failed = r->failed || !stem;
    return stem ? stem : name;
}

/* ---- plots ---- */
typedef struct span {
    double low, high;
} span;

static span span_of(const carom_report *r, const char *name)
{
    span s = {INFINITY, -INFINITY};
    for (int i = 0; i < r->nrun; i++) {
        const double *values = carom_report_column(&r->run[i], name);
        for (size_t k = 0; values && k < r->run[i].table->nrow; k++)
            if (isfinite(values[k])) {
                s.low = fmin(s.low, values[k]);
                s.high = fmax(s.high, values[k]);
            }
    }
    return s;
}

typedef struct group { /* columns of one plot */
    const char *name[CAROM_REPORT_CURVES];
    span span;
    int n;
} group;

static bool fits(const group *g, span s)
{
    double a = g->span.high - g->span.low, b = s.high - s.low;
    double low = fmin(g->span.low, s.low), high = fmax(g->span.high, s.high);
    return g->n < CAROM_REPORT_CURVES && a <= ALIKE * b && b <= ALIKE * a && high - low <= ALIKE * fmin(a, b);
}

static void plot_group(carom_report *r, const group *g, const carom_report_series *how)
{
    int n = g->n * r->nrun, used = 0;
    carom_chart_series *series = carom_report_memory(r, (size_t)n * sizeof *series);
    char title[300];
    for (int k = 0; series && k < g->n; k++)
        for (int i = 0; i < r->nrun; i++) {
            const double *values = carom_report_column(&r->run[i], g->name[k]);
            if (values)
                series[used++] = (carom_chart_series){.name = r->nrun > 1 ? r->run[i].name : g->name[k], .y = values,
                    .x = carom_report_column(&r->run[i], "t"), .n = r->run[i].table->nrow, .style = how->style,
                    .colour = r->nrun > 1 ? i + 1 : k + 1};
        }
    if (g->n == 1)
        snprintf(title, sizeof title, "%s: %.200s", how->title, g->name[0]);
    else
        snprintf(title, sizeof title, "%s", how->title);
    carom_page_plot(r->page, &(carom_chart){.title = title,
                                                     .x_label = "t",
                                                     .y_label = g->n == 1 ? g->name[0] : how->y_label,
                                                     .series = series,
                                                     .nseries = used,
                                                     .link = "t",
                                                     .height = 280});
}

int carom_report_plots(carom_report *r, const char *const *names, int n, const carom_report_series *how)
{
    group groups[CAROM_REPORT_PLOTS];
    int ngroup = 0, left_out = 0;
    for (int k = 0; k < n; k++) {
        span s = span_of(r, names[k]);
        int to = 0;
        if (!(s.low <= s.high) || (how->skip_zero && s.low == 0 && s.high == 0))
            continue;
        while (to < ngroup && (r->nrun > 1 || !fits(&groups[to], s)))
            to++;
        if (to == CAROM_REPORT_PLOTS) {
            left_out++;
            continue;
        }
        if (to == ngroup)
            groups[ngroup++] = (group){.span = s};
        group *g = &groups[to];
        g->name[g->n++] = names[k];
        g->span = (span){fmin(g->span.low, s.low), fmax(g->span.high, s.high)};
    }
    for (int k = 0; k < ngroup; k++)
        plot_group(r, &groups[k], how);
    if (left_out)
        carom_page_format(r->page,
                          "%d more columns are left out of this page; `carom plot FILE --panel NAME` draws them.",
                          left_out);
    return ngroup;
}
