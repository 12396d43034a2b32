/* energy.c: energy over time and its balance; the steps of the scheme. */
#include <math.h>
#include <string.h>

#include "output/report/parts.h"

static const char *number(carom_report *r, double value)
{
    const char *text = carom_arena_format(r->arena, "%.6g", value);
    r->failed = r->failed || !text;
    return text ? text : "";
}

static void balance(carom_report *r)
{
    static const char *const row[] = {"energy at the start", "energy at the end",   "work of external forces",
                                      "work of constraints", "lost in impacts",     "lost by friction",
                                      "lost by damping",     "lost by dry friction in forces", "error of the balance"};
    int rows = CAROM_COUNT(row), columns = 1, files = 0;
    const char **cell = carom_report_memory(r, (size_t)((r->nrun + 1) * rows) * sizeof *cell);
    const char **header = carom_report_memory(r, (size_t)(r->nrun + 1) * sizeof *header);
    if (!cell || !header)
        return;
    int most = 1;
    for (int i = 0; i < r->nrun; i++)
        most += r->run[i].info && r->run[i].options && r->run[i].options->energy;
    header[0] = "";
    for (int k = 0; k < rows; k++)
        cell[k * most] = row[k];
    for (int i = 0; i < r->nrun; i++) {
        const carom_info *info = r->run[i].info;
        files += !info;
        if (!info || !r->run[i].options || !r->run[i].options->energy)
            continue;
        const double values[] = {info->energy_initial,     info->energy_final,      info->work_external,
                                 info->work_constraints,   info->dissipated_impact, info->dissipated_friction,
                                 info->dissipated_viscous, info->dissipated_dry,    info->balance_error};
        header[columns] = r->run[i].name;
        for (int k = 0; k < rows; k++)
            cell[k * most + columns] = number(r, values[k]);
        columns++;
    }
    if (columns > 1)
        carom_page_table_put(r->page, &(carom_page_table){"Balance", header, cell, columns, rows});
    if (files)
        carom_page_note(r->page,
                        "A trajectory file does not hold work and dissipation: `carom report MODEL` runs the model and "
                        "has the balance.");
}

/* What each jump takes, from the rows before and after it. */
static void losses(carom_report *r)
{
    carom_chart_series *series = carom_report_memory(r, (size_t)r->nrun * sizeof *series);
    int used = 0;
    for (int i = 0; series && i < r->nrun; i++) {
        const carom_report_run *run = &r->run[i];
        const double *energy = carom_report_column(run, "energy"), *side = carom_report_column(run, "side");
        const double *t = carom_report_column(run, "t");
        size_t bytes = (run->table->nrow + 1) * sizeof(double);
        double *x = carom_report_memory(r, bytes), *y = carom_report_memory(r, bytes);
        size_t n = 0;
        for (size_t k = 1; energy && side && x && y && k < run->table->nrow; k++)
            if (side[k] > 0 && side[k - 1] < 0) {
                x[n] = t[k];
                y[n++] = energy[k - 1] - energy[k];
            }
        if (n)
            series[used++] = (carom_chart_series){.name = r->nrun > 1 ? run->name : "", .x = x, .y = y, .n = n,
                                                 .style = CAROM_CHART_STEMS, .colour = i + 1};
    }
    if (used)
        carom_page_plot(r->page, &(carom_chart){
            .title = "Energy lost in each jump", .x_label = "t", .y_label = "energy before - after", .series = series,
            .nseries = used,
            .x_from = r->from, .x_to = r->to, .link = "t", .height = 240});
}

void carom_report_energy(carom_report *r)
{
    int n;
    const char **names = carom_report_names(r, CAROM_COLUMN_ENERGY, &n);
    if (r->failed)
        return;
    carom_page_section(r->page, "energy", "Energy", CAROM_PAGE_INFO);
    balance(r);
    if (n == 0) {
        carom_page_note(r->page, "There is no column `energy`: the run was written without energy accounting "
                                 "(`--set energy=true`).");
        return;
    }
    carom_report_plots(r, names, n, &(carom_report_series){.title = "Energy", .style = CAROM_CHART_LINE});
    losses(r);
}

/* ---- steps ---- */
/* Distances between the rows of a file. true: they vary, so they may be steps. */
static bool row_distances(carom_report *r, const carom_report_run *run, carom_chart_series *s)
{
    const double *t = carom_report_column(run, "t"), *side = carom_report_column(run, "side");
    size_t bytes = (run->table->nrow + 1) * sizeof(double);
    double *x = carom_report_memory(r, bytes), *y = carom_report_memory(r, bytes);
    double low = INFINITY, high = 0;
    size_t n = 0;
    for (size_t k = 1; x && y && k < run->table->nrow; k++) {
        if (!(t[k] > t[k - 1]))
            continue;
        x[n] = t[k - 1];
        y[n++] = t[k] - t[k - 1];
        if (side && (side[k] != 0 || side[k - 1] != 0))
            continue; /* cut short by a jump */
        low = fmin(low, t[k] - t[k - 1]);
        high = fmax(high, t[k] - t[k - 1]);
    }
    *s = (carom_chart_series){.name = run->name, .x = x, .y = y, .n = n, .style = CAROM_CHART_STEPS};
    return n > 2 && high > 1.001 * low;
}

void carom_report_steps(carom_report *r)
{
    carom_chart_series *series = carom_report_memory(r, (size_t)r->nrun * sizeof *series);
    int used = 0, sampled = 0, guessed = 0;
    if (!series)
        return;
    carom_page_section(r->page, "steps", "Steps", CAROM_PAGE_INFO);
    for (int i = 0; i < r->nrun; i++) {
        const carom_report_run *run = &r->run[i];
        if (run->nstep) {
            series[used++] = (carom_chart_series){.name = run->name, .x = run->step_t, .y = run->step_h,
                                                  .n = run->nstep,
                                                 .style = CAROM_CHART_STEPS, .colour = i + 1};
        } else if (row_distances(r, run, &series[used])) {
            series[used++].colour = i + 1;
            guessed++;
        } else {
            sampled++;
        }
    }
    if (guessed)
        carom_page_note(
            r->page,
            "A file holds rows, not steps: what is shown for it are the distances of its rows, which are the steps "
            "when it was written with `--every 0`.");
    if (sampled)
        carom_page_note(r->page,
                        "A file with rows at equal distances does not tell the steps: write it with `--every 0`, or "
                        "report the model.");
    if (used)
        carom_page_plot(r->page, &(carom_chart){.title = "Step sizes",
                                                         .x_label = "t",
                                                         .y_label = "h",
                                                         .logy = true,
                                                         .series = series,
                                                         .nseries = used,
                                                         .link = "t",
                                                         .height = 260});
}
