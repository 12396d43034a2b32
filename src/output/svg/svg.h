/* svg.h: the parts of a plot: axes with ticks, curves that fit the pixels. */
#ifndef CAROM_SVG_H
#define CAROM_SVG_H

#include "output/stream.h"

enum { CAROM_COLOURS = 8 };

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

typedef struct carom_curve {
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

void carom_svg_pixel(carom_stream *out, double value);               /* with one decimal */
void carom_svg_text(carom_stream *out, const char *text, int most);  /* escaped, at most that many characters */
void carom_svg_mark(carom_stream *out, const carom_frame *frame, const carom_plot_mark *mark, bool label);

#endif
