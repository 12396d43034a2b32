/* engine.h: the parts of a chart: axes with ticks, curves that fit the pixels, a legend. */
#ifndef CAROM_CHART_ENGINE_H
#define CAROM_CHART_ENGINE_H

#include "output/chart/chart.h"
#include "output/stream.h"

enum { CAROM_COLOURS = 8, CAROM_LEGEND_LINE = 22, CAROM_X_LABELS = 40 }; /* the last two: heights in pixels */

typedef struct carom_axis {
    double low, high;      /* values at its ends */
    double begin, end;     /* and where they are, in pixels */
    long long first;       /* ticks: (first + i mantissa) 10^exponent, i < count */
    int count, mantissa, exponent;
    long long base;        /* subtracted from the labels, noted at the end of the axis: "+ base 10^exponent" */
    int shift;             /* labels are multiplied by 10^-shift, noted at the end: "x10^shift" */
} carom_axis;

/* The range of the data plus a margin (0: none), and at most `most` ticks at multiples of 1, 2 or 5 powers of ten. */
void carom_axis_fit(carom_axis *axis, double low, double high, double margin, int most);
double carom_axis_place(const carom_axis *axis, double value); /* in pixels */
double carom_axis_tick(const carom_axis *axis, int i);
void carom_axis_label(const carom_axis *axis, int i, char *text); /* >= 64 bytes */
void carom_axis_note(const carom_axis *axis, char *text);         /* base and shift, or empty; >= 64 bytes */

typedef struct carom_frame {
    double left, top, width, height;
    carom_axis x, y;
} carom_frame;

typedef struct carom_curve { /* numbers as they stand on the axes */
    const double *x, *y; /* [n] */
    const double *side;  /* [n] -1 and +1 around a jump; NULL: equal x in a row are a jump */
    size_t n;
    int colour;
    bool phase;          /* x may return: only side tells jumps */
} carom_curve;

/* Along x: at most a few points per pixel, with the extremes of each pixel. */
void carom_curve_series(carom_stream *out, const carom_frame *frame, const carom_curve *curve);
void carom_curve_stems(carom_stream *out, const carom_frame *frame, const carom_curve *curve); /* lines from 0 */
void carom_curve_dots(carom_stream *out, const carom_frame *frame, const carom_curve *curve);  /* a cloud of points */
void carom_curve_phase(carom_stream *out, const carom_frame *frame, const carom_curve *curve); /* x is any column */

/* A <text> that begins as format says, with at most so many characters of text; NULL is "". */
void carom_svg_text(carom_stream *out, const char *text, int most, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int carom_chart_colour(const carom_chart *chart, int i); /* of series i */
/* Fills left, top, width and height of the frame with the chart; without x_labels those of the chart below hold. */
void carom_chart_draw(carom_stream *out, const carom_chart *chart, carom_frame *frame, bool x_labels);
/* Its lines; out NULL: only counts them. room: what is kept free at the end of the first line. */
int carom_chart_legend(carom_stream *out, const carom_chart *chart, double left, double top, double width);

#endif
