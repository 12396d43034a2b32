/* contacts.c: status bars, gaps, forces and impulses of contacts and joints, and a table of the impacts. */
#include <math.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/report/parts.h"

/* ---- status bars: pairs of times for every interval in which a contact has a mode ---- */
typedef struct bars {
    double *x, *y;
    size_t n;
} bars;

static void add_bar(bars *to, double from, double end, double y)
{
    const double x[3] = {from, end, NAN};
    for (int i = 0; i < 3; i++) {
        to->x[to->n] = x[i];
        to->y[to->n++] = i < 2 ? y : NAN;
    }
}

static void gather_bars(bars *to, const carom_report_run *run, const double *mode, double wanted, double y)
{
    const double *t = carom_report_column(run, "t");
    size_t n = run->table->nrow;
    for (size_t i = 0; i < n; i++) {
        size_t end = i;
        while (end + 1 < n && mode[end] == wanted)
            end++;
        if (mode[i] == wanted)
            add_bar(to, t[i], t[end], y);
        i = end > i ? end - (mode[end] == wanted ? 0 : 1) : i;
    }
}

static void status_bars(carom_report *r, const char *const *names, int n)
{
    static const char *const words[] = {"", "closed", "stick", "slip"};
    static const int colours[] = {0, 1, 3, 2};
    int rows = n * r->nrun;
    size_t room = 3;
    for (int i = 0; i < r->nrun; i++)
        room += 3 * (size_t)n * (r->run[i].table->nrow + 1);
    const char **label = carom_report_memory(r, (size_t)rows * sizeof *label);
    carom_chart_series series[3];
    int used = 0;
    for (int mode = 1; label && mode <= 3; mode++) {
        bars b = {carom_report_memory(r, room * sizeof(double)), carom_report_memory(r, room * sizeof(double)), 0};
        if (!b.x || !b.y)
            return;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < r->nrun; i++) {
                const double *column = carom_report_column(&r->run[i], names[k]);
                int row = rows - 1 - (k * r->nrun + i); /* the first one on top */
                const char *stem = carom_report_stem(r, names[k]);
                label[row] = r->nrun > 1 ? carom_arena_format(r->arena, "%s %d", stem, i + 1) : stem;
                if (column)
                    gather_bars(&b, &r->run[i], column, mode, row);
            }
        if (b.n)
            series[used++] = (carom_chart_series){.name = words[mode],
                                                 .x = b.x,
                                                 .y = b.y,
                                                 .n = b.n,
                                                 .style = CAROM_CHART_BAND,
                                                 .colour = colours[mode]};
    }
    if (used == 0) {
        carom_page_text(r->page, "No contact stays closed in this run.");
        return;
    }
    carom_page_plot(r->page, &(carom_chart){.title = "Contact status (blank: open)",
                                                     .x_label = "t",
                                                     .series = series,
                                                     .nseries = used,
                                                     .x_from = r->from,
                                                     .x_to = r->to,
                                                     .y_names = label,
                                                     .ny = rows,
                                                     .height = CAROM_MIN(70 + 26 * rows, 900),
                                                     .link = "t"});
    for (int i = 0; r->nrun > 1 && i < r->nrun; i++)
        carom_page_format(r->page, "%d: %.200s", i + 1, r->run[i].name);
}

void carom_report_contacts(carom_report *r)
{
    int nmode, ngap, nforce, nreaction;
    const char **mode = carom_report_names(r, CAROM_COLUMN_MODE, &nmode),
               **gap = carom_report_names(r, CAROM_COLUMN_GAP, &ngap);
    const char **force = carom_report_names(r, CAROM_COLUMN_FORCE, &nforce),
               **reaction = carom_report_names(r, CAROM_COLUMN_REACTION, &nreaction);
    if (r->failed)
        return;
    carom_page_section(r->page, "contacts", "Contacts", CAROM_PAGE_INFO);
    if (nmode == 0 && nforce == 0) {
        carom_page_text(r->page, "There are no contacts and no joints.");
        return;
    }
    if (nmode > 0)
        status_bars(r, mode, CAROM_MIN(nmode, 30));
    if (ngap > 0)
        carom_report_plots(r, gap, ngap, &(carom_report_series){.title = "Gaps", .style = CAROM_CHART_LINE});
    else if (nmode > 0)
        carom_page_note(r->page, "The file holds no gaps: write it with `carom run MODEL --gaps -o FILE`.");
    const carom_report_series how = {.title = nreaction ? "Forces of contacts and joints"
                                                        : "Forces of contacts and joints, means over steps",
                                     .style = CAROM_CHART_LINE,
                                     .skip_zero = true};
    if (nforce + nreaction == 0)
        carom_page_note(r->page, "The file holds no contact forces.");
    else if (carom_report_plots(r, nreaction ? reaction : force, nreaction ? nreaction : nforce, &how) == 0)
        carom_page_text(r->page, "All contact forces are 0 throughout: what acts are impulses.");
}

/* ---- impacts ---- */
typedef struct impacts { /* of one contact in one run, in the order of time */
    const carom_report_run *run;
    const char *name; /* of its column */
    double *t, *p;
    size_t n;
} impacts;

/* In a legend: the run is told where there are several. */
static const char *label(const carom_report *r, const char *name, const impacts *a)
{
    return r->nrun > 1 ? carom_arena_format(r->arena, "%s, %s", name, a->run->name) : name;
}

static impacts find_impacts(carom_report *r, const carom_report_run *run, const char *name)
{
    const double *values = carom_report_column(run, name), *t = carom_report_column(run, "t");
    size_t n = 0;
    for (size_t i = 0; values && i < run->table->nrow; i++)
        n += values[i] != 0;
    impacts found = {run, name, carom_report_memory(r, (n + 1) * sizeof(double)),
                     carom_report_memory(r, (n + 1) * sizeof(double)), 0};
    for (size_t i = 0; values && found.t && found.p && i < run->table->nrow; i++)
        if (values[i] != 0) {
            found.t[found.n] = t[i];
            found.p[found.n++] = values[i];
        }
    return found;
}

static void put_table(carom_report *r, const impacts *all, int n)
{
    static const char *const header[] = {"run", "impulse", "number", "first at t", "last at t", "sum", "largest"};
    int columns = CAROM_COUNT(header);
    const char **cell = carom_report_memory(r, (size_t)(n * columns + 1) * sizeof *cell);
    for (int k = 0; cell && k < n; k++) {
        const impacts *a = &all[k];
        const char **c = cell + k * columns;
        double sum = 0, most = 0;
        for (size_t j = 0; j < a->n; j++) {
            sum += a->p[j];
            most = fabs(a->p[j]) > fabs(most) ? a->p[j] : most;
        }
        const double number[] = {(double)a->n, a->t[0], a->t[a->n - 1], sum, most};
        c[0] = a->run->name;
        c[1] = a->name;
        for (int i = 0; i < CAROM_COUNT(number); i++)
            c[2 + i] = carom_arena_format(r->arena, i ? "%.6g" : "%.0f", number[i]);
    }
    if (cell)
        carom_page_table_put(r->page, &(carom_page_table){NULL, header, cell, columns, n});
}

static void plot_impulses(carom_report *r, const impacts *all, int n)
{
    carom_chart_series *series = carom_report_memory(r, (size_t)n * sizeof *series);
    int used = 0;
    for (; series && used < CAROM_MIN(n, 2 * CAROM_REPORT_CURVES); used++)
        series[used] = (carom_chart_series){.x = all[used].t, .y = all[used].p, .n = all[used].n,
                                            .style = CAROM_CHART_STEMS, .name = label(r, all[used].name, &all[used])};
    carom_page_plot(r->page, &(carom_chart){.title = "Impulses", .x_label = "t", .y_label = "impulse",
                                            .series = series, .nseries = used, .x_from = r->from, .x_to = r->to,
                                            .link = "t", .height = 280});
}

/* A straight line downwards here is an accumulation: infinitely many impacts in finite time. */
static void plot_intervals(carom_report *r, const impacts *all, int n)
{
    carom_chart_series *series = carom_report_memory(r, (size_t)n * sizeof *series);
    int used = 0;
    for (int k = 0; series && k < n && used < CAROM_REPORT_CURVES; k++) {
        const impacts *a = &all[k];
        const char *stem = carom_report_stem(r, a->name), *mode = carom_arena_format(r->arena, "%s.mode", stem);
        bool normal = carom_ends_with(a->name, ".impulse") && mode && carom_report_column(a->run, mode);
        double *number = carom_report_memory(r, a->n * sizeof(double)),
               *interval = carom_report_memory(r, a->n * sizeof(double));
        if (a->n < 4 || !normal || !number || !interval) /* of a contact */
            continue;
        for (size_t j = 0; j + 1 < a->n; j++) {
            number[j] = (double)j + 1;
            interval[j] = a->t[j + 1] - a->t[j];
        }
        series[used++] = (carom_chart_series){.x = number, .y = interval, .n = a->n - 1, .style = CAROM_CHART_POINTS,
                                              .name = label(r, stem, a)};
    }
    if (used)
        carom_page_plot(r->page, &(carom_chart){.title = "Time from each impact to the next",
                                                .x_label = "number of the impact", .y_label = "time", .logy = true,
                                                .series = series, .nseries = used, .zoom_both = true, .height = 260});
}

static void put_accumulations(carom_report *r, const carom_report_run *run)
{
    for (int z = 0; run->info && z < CAROM_MIN(run->info->nzeno, CAROM_ZENO_MAX); z++) {
        const carom_zeno *zeno = &run->info->zeno[z];
        char name[200];
        carom_page_format(r->page, "%.200s: impacts of `%.60s` accumulate at *t = %.10g*: %ld computed one by one, "
                          "%ld more are below rounding.", run->name,
                          carom_contact_called(run->model, zeno->contact, zeno->id, name, sizeof name), zeno->t,
                          zeno->impacts, zeno->skipped);
    }
    if (run->info && run->info->nzeno > CAROM_ZENO_MAX)
        carom_page_format(r->page, "%.200s: and %d more accumulations.", run->name, run->info->nzeno - CAROM_ZENO_MAX);
}

void carom_report_impacts(carom_report *r)
{
    int n;
    const char **names = carom_report_names(r, CAROM_COLUMN_IMPULSE, &n);
    impacts *all = carom_report_memory(r, (size_t)(n * r->nrun + 1) * sizeof *all);
    int found = 0;
    if (r->failed)
        return;
    carom_page_section(r->page, "impacts", "Impacts", CAROM_PAGE_INFO);
    if (n == 0) {
        carom_page_note(r->page, "There are no columns of impulses.");
        return;
    }
    for (int k = 0; k < n * r->nrun; k++) {
        all[found] = find_impacts(r, &r->run[k % r->nrun], names[k / r->nrun]);
        found += all[found].n > 0;
    }
    if (found == 0) {
        carom_page_text(r->page, "There are no impacts.");
        return;
    }
    put_table(r, all, found);
    for (int i = 0; i < r->nrun; i++)
        put_accumulations(r, &r->run[i]);
    plot_impulses(r, all, found);
    plot_intervals(r, all, found);
}
