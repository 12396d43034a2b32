/* motion.c: coordinates, velocities and outputs against time, and portraits. */
#include <string.h>

#include "output/report/parts.h"

enum { PORTRAITS = 6 };

static void portrait(carom_report *r, const char *name)
{
    char rate[300], title[340];
    int used = 0;
    snprintf(rate, sizeof rate, "%.290s'", name);
    snprintf(title, sizeof title, "%.290s against %.40s", rate, name);
    carom_chart_series *series = carom_report_memory(r, (size_t)r->nrun * sizeof *series);
    for (int i = 0; series && i < r->nrun; i++) {
        const double *x = carom_report_column(&r->run[i], name), *y = carom_report_column(&r->run[i], rate);
        if (x && y)
            series[used++] = (carom_chart_series){.name = r->nrun > 1 ? r->run[i].name : "", .x = x, .y = y,
                .n = r->run[i].table->nrow, .style = CAROM_CHART_PATH, .colour = i + 1};
    }
    carom_page_plot(r->page, &(carom_chart){.title = title, .x_label = name, .y_label = rate, .series = series,
                                                     .nseries = used, .zoom_both = true, .half = true});
}

void carom_report_motion(carom_report *r)
{
    int nq, nv, noutput;
    const char **q = carom_report_names(r, CAROM_COLUMN_COORDINATE, &nq),
               **v = carom_report_names(r, CAROM_COLUMN_VELOCITY, &nv);
    const char **output = carom_report_names(r, CAROM_COLUMN_OUTPUT, &noutput);
    if (r->failed)
        return;
    carom_page_section(r->page, "motion", "Motion", CAROM_PAGE_INFO);
    if (nq == 0)
        carom_page_note(r->page,
                        "The file has no pair of columns `y` and `y'`: what follows are its columns as they are.");
    carom_report_plots(r, q, nq, &(carom_report_series){.title = "Coordinates", .style = CAROM_CHART_LINE});
    carom_report_plots(r, v, nv, &(carom_report_series){.title = "Velocities", .style = CAROM_CHART_LINE});
    if (noutput)
        carom_report_plots(r, output, noutput, &(carom_report_series){.title = "Outputs", .style = CAROM_CHART_LINE});
    if (nq == 0)
        return;
    carom_page_section(r->page, "portrait", nq == 1 ? "Phase portrait" : "Phase portraits", CAROM_PAGE_INFO);
    for (int k = 0; k < CAROM_MIN(nq, PORTRAITS); k++)
        portrait(r, q[k]);
    if (nq > PORTRAITS)
        carom_page_format(r->page, "The first %d of %d coordinates.", PORTRAITS, nq);
}
