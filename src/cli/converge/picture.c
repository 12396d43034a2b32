/* picture.c: the results of `carom converge` as SVG: errors against h or rtol and against work, with slope
 * triangles. */
#include <math.h>
#include <stdio.h>

#include "cli/converge/converge.h"
#include "output/chart/chart.h"

typedef struct series { /* of one scheme in one norm, against h or work: all runs, and the line of the means */
    double *x, *y, *line_x, *line_y;
    int n, groups;
} series;

static bool gather(const carom_cli_converge *c, series *s, int scheme, int norm, bool work)
{
    carom_arena *arena = c->run.cli->arena;
    int n = c->request.nnorm, shifts = c->request.shifts;
    double nominal = 0, effort = 0;
    while (carom_cli_converge_group(c, scheme, s->groups))
        s->groups++;
    s->n = s->groups * shifts;
    s->x = CAROM_NEW(arena, double, 2 * (s->n + s->groups) + 1);
    if (!s->x)
        return false;
    s->y = s->x + s->n, s->line_x = s->y + s->n, s->line_y = s->line_x + s->groups;
    for (int k = 0; k < s->groups; k++) {
        const carom_converge_row *row = carom_cli_converge_group(c, scheme, k);
        for (int j = 0; j < shifts; j++) {
            const carom_converge_row *one = &row[j * n + norm];
            s->x[k * shifts + j] = work ? carom_cli_converge_effort(c->work, one) : isnan(one->h) ? one->rtol : one->h;
            s->y[k * shifts + j] = one->error;
        }
        carom_cli_converge_mean(c, scheme, k, norm, &nominal, &s->line_y[k]);
        carom_cli_converge_mean(c, scheme, k, -1, &nominal, &effort);
        s->line_x[k] = work ? effort : nominal;
    }
    return true;
}

/* A triangle below the lower end of the line, once for each slope of a chart. */
static void add_triangle(const carom_cli_converge *c, carom_chart *chart, carom_chart_mark *mark, const series *s,
                         int scheme, int norm)
{
    double order = carom_cli_converge_order(c, scheme, norm)->order, whole = round(order);
    int at = -1;
    for (int i = 0; i < s->groups; i++)
        if (s->line_x[i] > 0 && s->line_y[i] > 0 && (at < 0 || s->line_y[i] < s->line_y[at]))
            at = i;
    for (int i = 0; i < chart->nmark; i++)
        at = mark[i].slope == whole ? -1 : at;
    if (at < 0 || !(fabs(order - whole) < 0.35) || whole < 1)
        return;
    mark[chart->nmark++] = (carom_chart_mark){carom_arena_format(c->run.cli->arena, "%g", whole),
                                              1.1 * s->line_x[at], s->line_y[at] / 2, whole};
}

static bool compose(const carom_cli_converge *c, carom_chart *chart, int norm, bool work)
{
    carom_arena *arena = c->run.cli->arena;
    int n = c->request.nscheme;
    bool tolerances = true; /* unless a scheme has taken step sizes */
    carom_chart_series *all = CAROM_NEW(arena, carom_chart_series, 2 * n);
    carom_chart_mark *mark = CAROM_NEW(arena, carom_chart_mark, n);
    for (int i = 0; i < c->result.nrow; i++)
        tolerances = tolerances && isnan(c->result.row[i].h);
    *chart = (carom_chart){.title = carom_arena_format(arena, "error in %.40s", c->request.norms[norm]),
                           .x_label = work         ? carom_cli_work_name(c->work)
                                      : tolerances ? "rtol"
                                                   : "h",
                           .logx = true, .logy = true, .series = all, .nseries = 2 * n, .marks = mark};
    for (int k = 0; k < n; k++) {
        const carom_converge_row *row = carom_cli_converge_group(c, k, 0);
        const bool foreign = !work && row && isnan(row->h) != tolerances; /* a tolerance is no step size */
        series s = {0};
        if (!all || !mark || !gather(c, &s, k, norm, work))
            return false;
        all[k] = (carom_chart_series){.name = c->request.schemes[k], .x = s.line_x, .y = s.line_y,
                                      .n = foreign ? 0 : (size_t)s.groups, .colour = k + 1, .marker = k + 1};
        all[n + k] = (carom_chart_series){.x = s.x, .y = s.y, .n = foreign ? 0 : (size_t)s.n,
                                          .style = CAROM_CHART_POINTS, .colour = k + 1, .marker = k + 1};
        if (!work && !foreign)
            add_triangle(c, chart, mark, &s, k, norm);
    }
    return true;
}

carom_status carom_cli_converge_svg(const carom_cli_converge *c, const char *path, carom_error *error)
{
    int n = 2 * c->request.nnorm; /* against h (or rtol), against work */
    carom_chart *chart = CAROM_NEW(c->run.cli->arena, carom_chart, n);
    char title[200];
    snprintf(title, sizeof title, "%.150s on [0, %g]", c->run.model->name, c->result.t_end);
    for (int i = 0; i < n; i++)
        if (!chart || !compose(c, &chart[i], i / 2, i % 2))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture");
    CAROM_TRY(carom_cli_paper(c->run.cli, &chart[0].paper) == CAROM_EXIT_OK ? CAROM_OK : CAROM_BAD_OPTION);
    return carom_charts_grid(path, NULL, title, chart, n, error);
}
