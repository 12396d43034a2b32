/* chart.h: charts with logarithmic axes: points, lines, slope triangles. */
#ifndef CAROM_SVG_CHART_H
#define CAROM_SVG_CHART_H

#include "output/output.h"

typedef struct carom_chart_series {
    const char *name;
    const double *x, *y;           /* [n] points; what is not positive is left out */
    const double *line_x, *line_y; /* [nline] a line through other places */
    int n, nline;
    double slope;                  /* a triangle with this slope below the line; 0 or NAN: none */
} carom_chart_series;
typedef struct carom_chart {
    const char *title, *x_label, *y_label;
    const carom_chart_series *series; /* [nseries], of the same names in all charts of a picture */
    int nseries;
} carom_chart;

/* The charts side by side in rows of two, one legend above them. path NULL: stream, as in output.h. */
carom_status carom_svg_charts(const char *path, FILE *stream, const char *title, const carom_chart *chart, int n,
                              carom_error *error);

#endif
