/* picture.c: the results of `carom converge` as SVG: errors against h or rtol and against work, with slope
 * triangles. */
#include <math.h>
#include <stdlib.h>

#include "cli/converge/converge.h"
#include "output/svg/chart.h"

typedef struct picture {
    carom_chart *chart;          /* [2*nnorm]: against h (or rtol), against work */
    carom_chart_series *series;  /* [2*nnorm*nscheme] */
    double *number;              /* what they point to */
    char (*title)[64];
} picture;

/* Points of all runs and the line of the means: of one scheme in one norm, against h or work. */
static void fill(const carom_cli_converge *c, carom_chart_series *s, double **room, int scheme, int norm, bool work)
{
    int n = c->request.nnorm, shifts = c->request.shifts;
    double *x = *room, *y, *line_x, *line_y, nominal = 0, effort = 0;
    int groups = 0;
    while (carom_cli_converge_group(c, scheme, groups))
        groups++;
    y = x + groups * shifts, line_x = y + groups * shifts, line_y = line_x + groups;
    *room = line_y + groups;
    for (int k = 0; k < groups; k++) {
        const carom_converge_row *row = carom_cli_converge_group(c, scheme, k);
        for (int j = 0; j < shifts; j++) {
            const carom_converge_row *one = &row[j * n + norm];
            x[k * shifts + j] = work ? carom_cli_converge_effort(c->work, one) : isnan(one->h) ? one->rtol : one->h;
            y[k * shifts + j] = one->error;
        }
        carom_cli_converge_mean(c, scheme, k, norm, &nominal, &line_y[k]);
        carom_cli_converge_mean(c, scheme, k, -1, &nominal, &effort);
        line_x[k] = work ? effort : nominal;
    }
    *s = (carom_chart_series){.name = c->request.schemes[scheme],
                              .x = x,
                              .y = y,
                              .n = groups * shifts,
                              .line_x = line_x,
                              .line_y = line_y,
                              .nline = groups};
    double order = carom_cli_converge_order(c, scheme, norm)->order, whole = round(order);
    if (fabs(order - whole) < 0.35 && whole >= 1 && !work)
        s->slope = whole;
}

static void compose(const carom_cli_converge *c, picture *p)
{
    int n = c->request.nscheme;
    double *room = p->number;
    bool tolerances = true; /* unless a scheme has taken step sizes */
    for (int i = 0; i < c->result.nrow; i++)
        tolerances = tolerances && isnan(c->result.row[i].h);
    for (int i = 0; i < 2 * c->request.nnorm; i++) {
        bool work = i % 2;
        snprintf(p->title[i], sizeof p->title[i], "error in %.40s", c->request.norms[i / 2]);
        p->chart[i] = (carom_chart){.title = p->title[i],
                                    .x_label = work         ? carom_cli_work_name(c->work)
                                               : tolerances ? "rtol"
                                                            : "h",
                                    .series = p->series + i * n,
                                    .nseries = n};
        for (int k = 0; k < n; k++) {
            fill(c, &p->series[i * n + k], &room, k, i / 2, work);
            const carom_converge_row *row = carom_cli_converge_group(c, k, 0);
            if (!work && row && isnan(row->h) != tolerances) /* a tolerance is no step size */
                p->series[i * n + k].n = p->series[i * n + k].nline = 0;
        }
    }
}

carom_status carom_cli_converge_svg(const carom_cli_converge *c, const char *path, carom_error *error)
{
    size_t charts = 2 * (size_t)c->request.nnorm, series = charts * (size_t)c->request.nscheme;
    picture p = {calloc(charts, sizeof *p.chart), calloc(series, sizeof *p.series),
                 calloc(4 * 2 * (size_t)CAROM_MAX(c->result.nrow, 1) + 16, sizeof(double)),
                 calloc(charts, sizeof *p.title)};
    carom_status status;
    char title[200];
    snprintf(title, sizeof title, "%.150s on [0, %g]", c->model->name, c->result.t_end);
    if (p.chart && p.series && p.number && p.title) {
        compose(c, &p);
        status = carom_svg_charts(path, NULL, title, p.chart, (int)charts, error);
    } else {
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for a picture");
    }
    free(p.chart), free(p.series), free(p.number), free(p.title);
    return status;
}
