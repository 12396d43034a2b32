/* reproduce.c: the list of papers, and how an entry is computed and what it finds is kept. */
#include "output/reproduce/reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

extern const carom_entry carom_entries_001[], carom_entries_002[], carom_entries_003[], carom_entries_004[];

const carom_paper carom_papers[] = {
    {"001", "A simple time-stepping scheme for the bouncing ball example", "D. Kern, 2019", carom_entries_001},
    {"002", "Timestepping schemes for nonsmooth dynamics based on discontinuous Galerkin methods",
     "T. Schindler and V. Acary, 2013", carom_entries_002},
    {"003", "Higher order event capturing time-stepping schemes for nonsmooth multibody systems", "V. Acary, 2009",
     carom_entries_003},
    {"004", "Sensitivities of an impact oscillator and a corrected numerical scheme",
     "our words: the copy at hand names neither title nor authors",
     carom_entries_004},
    {.key = NULL},
};

const carom_entry *carom_entry_find(const char *id)
{
    for (const carom_paper *paper = carom_papers; paper->key; paper++)
        for (const carom_entry *entry = paper->entry; entry->id; entry++)
            if (!strcmp(entry->id, id))
                return entry;
    return NULL;
}

/* ---- keeping ---- */

/* The n things of `old` and room for `more`; NULL: memory is out. */
static void *grow(carom_findings *f, const void *old, int n, int more, size_t size)
{
    void *all = carom_arena_alloc(f->arena, (size_t)(n + more) * size);
    f->full |= !all;
    return all && n ? memcpy(all, old, (size_t)n * size) : all;
}

static char *keep(carom_findings *f, const char *text)
{
    char *copy = carom_arena_text(f->arena, text, strlen(text));
    f->full |= !copy;
    return copy;
}

static char *vtext(carom_findings *f, const char *format, va_list arguments)
{
    char buffer[4000];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    return keep(f, buffer);
}

static carom_finding *put(carom_findings *f, carom_finding_kind kind, const char *title)
{
    carom_finding *finding = grow(f, NULL, 0, 1, sizeof *finding);
    if (!finding)
        return NULL;
    *finding = (carom_finding){.owner = f, .kind = kind, .title = keep(f, title)};
    if (f->last)
        f->last->next = finding;
    else
        f->first = finding;
    f->last = finding;
    return finding;
}

void carom_find_text(carom_findings *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = vtext(f, format, arguments);
    va_end(arguments);
    if (text)
        put(f, CAROM_FINDING_TEXT, text);
}

void carom_find_check(carom_findings *f, const char *what, double measured, double least, double most)
{
    carom_finding_check *check = grow(f, f->check, f->ncheck, 1, sizeof *check);
    if (!check)
        return;
    f->check = check;
    f->check[f->ncheck++] =
        (carom_finding_check){keep(f, what), measured, least, most, measured >= least && measured <= most};
}

void carom_find_value(carom_findings *f, const char *what, double measured, double known, double tolerance)
{
    carom_find_check(f, what, measured, known - tolerance, known + tolerance);
}

carom_finding *carom_find_plot(carom_findings *f, const char *title, const char *x_label, const char *y_label,
                               unsigned scale)
{
    carom_finding *plot = put(f, CAROM_FINDING_PLOT, title);
    if (plot)
        plot->chart = (carom_chart){.title = plot->title, .x_label = keep(f, x_label), .y_label = keep(f, y_label),
                                    .logx = scale & CAROM_FINDING_LOGX, .logy = scale & CAROM_FINDING_LOGY,
                                    .half = scale == CAROM_FINDING_LOGLOG};
    return plot;
}

void carom_find_series(carom_finding *plot, const char *name, carom_chart_style style, size_t n, const double *x,
                       const double *y)
{
    if (!plot)
        return;
    carom_findings *f = plot->owner;
    carom_chart *c = &plot->chart;
    carom_chart_series *series = grow(f, c->series, c->nseries, 1, sizeof *series);
    double *x_copy = grow(f, x, (int)n, 1, sizeof *x), *y_copy = grow(f, y, (int)n, 1, sizeof *y);
    if (!series || !x_copy || !y_copy)
        return;
    series[c->nseries++] =
        (carom_chart_series){.name = keep(f, name), .x = x_copy, .y = y_copy, .n = n, .style = style};
    c->series = series;
}

void carom_find_right(carom_finding *plot, double times)
{
    if (!plot || !plot->chart.nseries)
        return;
    carom_chart_series *series = (carom_chart_series *)plot->chart.series; /* the arena's, put by carom_find_series */
    series[plot->chart.nseries - 1].second = true;
    plot->chart.right = times;
}

static void add_mark(carom_finding *plot, const char *text, double x, double y, double slope)
{
    if (!plot)
        return;
    carom_findings *f = plot->owner;
    carom_chart *c = &plot->chart;
    carom_chart_mark *marks = grow(f, c->marks, c->nmark, 1, sizeof *marks);
    if (!marks)
        return;
    marks[c->nmark++] = (carom_chart_mark){keep(f, text), x, y, slope};
    c->marks = marks;
}

void carom_find_slope(carom_finding *plot, double slope, double x, double y)
{
    char text[40];
    snprintf(text, sizeof text, "%g", slope);
    if (slope != 0)
        add_mark(plot, text, x, y, slope);
}

void carom_find_mark(carom_finding *plot, const char *text, double x, double y)
{
    add_mark(plot, text, x, y, 0);
}

/* A row from "a|b|c". */
static void add_row(carom_finding *table, char *line)
{
    const int n = table->ncolumn;
    const char **cell = grow(table->owner, table->cell, (table->nrow + 1) * n, n, sizeof *cell);
    table->cell = cell ? cell : table->cell;
    table->nrow += cell != NULL;
    for (int k = 0; cell && k < n; k++)
        cell[table->nrow * n + k] = line ? strsep(&line, "|") : "";
}

carom_finding *carom_find_table(carom_findings *f, const char *title, const char *header)
{
    carom_finding *table = put(f, CAROM_FINDING_TABLE, title);
    char *line = keep(f, header);
    if (!table || !line)
        return NULL;
    table->ncolumn = 1;
    for (const char *c = header; *c; c++)
        table->ncolumn += *c == '|';
    table->nrow = -1; /* the header is no row */
    add_row(table, line);
    return table;
}

void carom_find_row(carom_finding *table, const char *format, ...)
{
    if (!table)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *line = vtext(table->owner, format, arguments);
    va_end(arguments);
    if (line)
        add_row(table, line);
}

/* ---- computing ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

carom_status carom_entry_run(carom_findings *f, const carom_entry *entry)
{
    const double begin = now();
    f->entry = entry;
    f->arena = carom_arena_new(0);
    if (!f->arena)
        return CAROM_NO_MEMORY;
    f->status = entry->run(f, &f->error);
    f->wall_s = now() - begin;
    if (f->full)
        f->status = carom_fail(&f->error, CAROM_NO_MEMORY, "no memory for what %s found", entry->id);
    return f->status == CAROM_NO_MEMORY || f->status == CAROM_INTERRUPTED ? f->status : CAROM_OK;
}

void carom_findings_free(carom_findings *f)
{
    carom_arena_free(f->arena);
    *f = (carom_findings){0};
}

carom_verdict carom_findings_verdict(const carom_findings *f)
{
    bool passes = f->status == CAROM_OK && f->ncheck > 0;
    for (int i = 0; i < f->ncheck; i++)
        passes &= f->check[i].passes;
    return f->entry->declared ? CAROM_VERDICT_DECLARED : passes ? CAROM_VERDICT_PASS : CAROM_VERDICT_FAIL;
}

const char *carom_verdict_name(carom_verdict verdict)
{
    static const char *const names[] = {"pass", "fail", "not reproducible"};
    return names[verdict];
}
