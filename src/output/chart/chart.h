/* chart.h: one description of a chart; `carom plot`, the pictures of converge and bifurcate and the plots of pages are
 * drawn from it. A NaN in x or y lifts the pen. In a line, two points in a row with the same x are a jump: they are
 * joined by a thin dotted line. */
#ifndef CAROM_CHART_H
#define CAROM_CHART_H

#include <stdio.h>

#include "core/core.h"

typedef enum carom_chart_style {
    CAROM_CHART_LINE,
    CAROM_CHART_POINTS,
    CAROM_CHART_LINE_POINTS, /* both: convergence plots */
    CAROM_CHART_STEPS,       /* y holds until the next x */
    CAROM_CHART_STEMS,       /* lines from 0: impulses */
    CAROM_CHART_DASHED,      /* a reference */
    CAROM_CHART_PATH,        /* x may go back and forth: phase portraits; begin and end are marked */
    CAROM_CHART_BAND,        /* thick line between pairs of points: status bars over the rows of y_names */
    CAROM_CHART_CLOUD        /* more points than can be told apart: bifurcation diagrams */
} carom_chart_style;
typedef struct carom_chart_series {
    const char *name;    /* in the legend; NULL or "": not there */
    const double *x, *y; /* [n] */
    size_t n;
    carom_chart_style style;
    int colour;          /* 0: its place in the chart; k > 0: the colour of series k */
    int marker;          /* of points, and in the legend; 0: a dot */
    const double *side;  /* [n] -1 and +1 around a jump; NULL: equal x in a row are a jump */
    bool second;         /* y is in units of the right axis, over `right` of the chart */
} carom_chart_series;
typedef struct carom_chart_mark { /* x NaN: a horizontal line at y; y NaN: a vertical one; slope not 0: a triangle */
    const char *text;
    double x, y;
    double slope;                 /* with logx and logy: y ~ x^slope, drawn at (x, y) */
} carom_chart_mark;
typedef struct carom_chart {
    const char *title, *x_label, *y_label;
    bool logx, logy;
    const carom_chart_series *series; /* [nseries] */
    const carom_chart_mark *marks;    /* [nmark] */
    int nseries, nmark;
    const char *const *y_names;       /* [ny] labels at y = 0, 1, ...; NULL: numbers */
    int ny;
    double right;                     /* there is an axis at the right with so many times the left one; 0: none */
    double x_from, x_to;              /* show at least this; equal: the range of the data */
    bool zoom_both;                   /* a portrait or a scatter: x has the margin of y; dragging zooms both */
    bool paper;                       /* the first of a picture: for print, without a title */
    /* in a page */
    int height;                       /* in pixels; 0: 320 */
    bool half;                        /* two in a row on a wide screen: convergence plots, portraits */
    const char *link;                 /* plots with the same link show the same range of x; NULL: none */
} carom_chart;

/* Charts as one SVG file; path and stream as in output.h. stack: below each other, neighbours over the same x share its
 * labels; width 0: 800, height 0: what they need. grid: in rows of two, under the legend of the first. */
carom_status carom_charts_stack(const char *path, FILE *stream, const char *title, const carom_chart *charts, int n,
                                int width, int height, carom_error *error);
carom_status carom_charts_grid(const char *path, FILE *stream, const char *title, const carom_chart *charts, int n,
                               carom_error *error);

#endif
