/* reproduce.c: the list of papers, and how an entry is computed and what it finds is kept. */
#include "analysis/reproduce/reproduce.h"

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

static char *vtext(carom_findings *f, const char *format, va_list arguments)
{
    char buffer[4000];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    char *text = carom_arena_text(f->arena, buffer, strlen(buffer));
    f->full |= !text;
    return text;
}

static carom_finding *put(carom_findings *f, carom_finding_kind kind, const char *title)
{
    carom_finding *finding = CAROM_NEW(f->arena, carom_finding, 1);
    if (!finding) {
        f->full = true;
        return NULL;
    }
    *finding = (carom_finding){.owner = f, .kind = kind, .title = carom_arena_text(f->arena, title, strlen(title))};
    f->full |= !finding->title;
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
    if (f->ncheck == f->room) {
        int room = f->room ? 2 * f->room : 16;
        carom_finding_check *more = CAROM_NEW(f->arena, carom_finding_check, room);
        if (!more) {
            f->full = true;
            return;
        }
        if (f->ncheck)
            memcpy(more, f->check, sizeof *more * (size_t)f->ncheck);
        f->check = more, f->room = room;
    }
    const char *copy = carom_arena_text(f->arena, what, strlen(what));
    f->full |= !copy;
    f->check[f->ncheck++] = (carom_finding_check){copy, measured, least, most, measured >= least && measured <= most};
}

void carom_find_value(carom_findings *f, const char *what, double measured, double known, double tolerance)
{
    carom_find_check(f, what, measured, known - tolerance, known + tolerance);
}

carom_finding *carom_find_plot(carom_findings *f, const char *title, const char *x_label, const char *y_label,
                               unsigned scale)
{
    carom_finding *plot = put(f, CAROM_FINDING_PLOT, title);
    if (plot) {
        plot->x_label = carom_arena_text(f->arena, x_label, strlen(x_label));
        plot->y_label = carom_arena_text(f->arena, y_label, strlen(y_label));
        plot->scale = scale;
        f->full |= !plot->x_label || !plot->y_label;
    }
    return plot;
}

void carom_find_series(carom_finding *plot, const char *name, carom_finding_style style, size_t n, const double *x,
                       const double *y)
{
    if (!plot)
        return;
    carom_findings *f = plot->owner;
    double *copy = CAROM_NEW(f->arena, double, 2 * n + 1);
    char *title = carom_arena_text(f->arena, name, strlen(name));
    if (plot->nseries == plot->room) {
        int room = plot->room ? 2 * plot->room : 8;
        carom_finding_series *more = CAROM_NEW(f->arena, carom_finding_series, room);
        if (more && plot->nseries)
            memcpy(more, plot->series, sizeof *more * (size_t)plot->nseries);
        plot->series = more, plot->room = more ? room : 0;
    }
    if (!copy || !title || !plot->series) {
        f->full = true;
        return;
    }
    memcpy(copy, x, sizeof *x * n);
    memcpy(copy + n, y, sizeof *y * n);
    plot->series[plot->nseries++] = (carom_finding_series){title, style, n, copy, copy + n};
}

void carom_find_slope(carom_finding *plot, double slope, double x, double y)
{
    if (plot)
        plot->slope = slope, plot->slope_x = x, plot->slope_y = y;
}

/* Cuts "a|b|c" into cells. */
static void cells(carom_finding *table, char *line, int row)
{
    for (int k = 0; k < table->ncolumn; k++) {
        char *bar = line ? strchr(line, '|') : NULL;
        if (bar)
            *bar = '\0';
        table->cell[row * table->ncolumn + k] = line ? line : "";
        line = bar ? bar + 1 : NULL;
    }
}

carom_finding *carom_find_table(carom_findings *f, const char *title, const char *header)
{
    carom_finding *table = put(f, CAROM_FINDING_TABLE, title);
    if (!table)
        return NULL;
    table->ncolumn = 1;
    for (const char *c = header; *c; c++)
        table->ncolumn += *c == '|';
    table->room = 8;
    table->cell = CAROM_NEW(f->arena, const char *, table->room * table->ncolumn);
    char *line = carom_arena_text(f->arena, header, strlen(header));
    if (!table->cell || !line) {
        f->full = true;
        return NULL;
    }
    cells(table, line, 0);
    return table;
}

void carom_find_row(carom_finding *table, const char *format, ...)
{
    if (!table)
        return;
    carom_findings *f = table->owner;
    if (table->nrow + 1 == table->room) {
        const char **more = CAROM_NEW(f->arena, const char *, 2 * table->room * table->ncolumn);
        if (!more) {
            f->full = true;
            return;
        }
        memcpy(more, table->cell, sizeof *more * (size_t)(table->room * table->ncolumn));
        table->cell = more, table->room *= 2;
    }
    va_list arguments;
    va_start(arguments, format);
    char *line = vtext(f, format, arguments);
    va_end(arguments);
    if (line)
        cells(table, line, ++table->nrow);
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
