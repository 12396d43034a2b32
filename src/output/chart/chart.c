/* chart.c: a chart as SVG: frame, grid, labels, series, marks, legend. Logarithmic axes are linear ones of the
 * logarithm: curves, ranges and pixels are worked out alike. Colours and widths come from a style sheet. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/chart/engine.h"

enum { POINTS_MOST = 6000, TICKS = 64, NOTE = 130, CHARACTER = 7 };

typedef struct picture {
    carom_stream *out;
    const carom_chart *chart;
    const carom_frame *frame;
} picture;

void carom_svg_text(carom_stream *out, const char *text, int most, const char *format, ...)
{
    char begin[200];
    va_list list;
    va_start(list, format);
    vsnprintf(begin, sizeof begin, format, list);
    va_end(list);
    carom_stream_string(out, begin);
    carom_stream_escape(out, text ? text : "", text ? strlen(text) : 0, most);
    carom_stream_string(out, "</text>\n");
}

int carom_chart_colour(const carom_chart *chart, int i)
{
    return (chart->series[i].colour > 0 ? chart->series[i].colour - 1 : i) % CAROM_COLOURS;
}

static double on_axis(double value, bool log)
{
    return log ? (value > 0 ? log10(value) : NAN) : value;
}

static double place_x(const picture *p, double x)
{
    return carom_axis_place(&p->frame->x, on_axis(x, p->chart->logx));
}

static double place_y(const picture *p, double y)
{
    return carom_axis_place(&p->frame->y, on_axis(y, p->chart->logy));
}

/* ---- axes ---- */

static void widen(double range[2], double value)
{
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static void find_ranges(const carom_chart *c, double x[2], double y[2])
{
    for (int i = 0; i < c->nseries; i++) {
        const carom_chart_series *s = &c->series[i];
        for (size_t k = 0; k < s->n; k++) {
            double a = on_axis(s->x[k], c->logx), b = on_axis(s->y[k], c->logy);
            widen(x, isfinite(b) ? a : NAN);
            widen(y, isfinite(a) ? b : NAN);
        }
        if (s->style == CAROM_CHART_STEMS)
            widen(y, 0);
    }
    for (int i = 0; i < 2 && c->x_to > c->x_from; i++)
        widen(x, on_axis(i ? c->x_to : c->x_from, c->logx));
    for (int i = 0; i < c->nmark; i++) {
        const carom_chart_mark *m = &c->marks[i];
        if (isnan(m->x) || m->slope != 0)
            widen(y, on_axis(m->y, c->logy));
        if (m->slope != 0) { /* triangles are seen as a whole */
            widen(x, on_axis(m->x, c->logx));
            widen(x, on_axis(1.9 * m->x, c->logx));
            widen(y, on_axis(m->y * pow(1.9, m->slope), c->logy));
        }
    }
    if (c->y_names)
        y[0] = -0.6, y[1] = c->ny - 0.4;
}

static void fit(const carom_chart *c, carom_frame *f)
{
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    find_ranges(c, x, y);
    if (!(x[0] <= x[1]))
        x[0] = 0, x[1] = 1;
    if (!(y[0] <= y[1]))
        y[0] = 0, y[1] = 1;
    f->x.begin = f->left;
    f->x.end = f->left + f->width;
    f->y.begin = f->top + f->height;
    f->y.end = f->top;
    carom_axis_fit(&f->x, x[0], x[1], c->zoom_both || c->logx ? 0.04 : 0.01, CAROM_MAX(3, (int)(f->width / 80)));
    carom_axis_fit(&f->y, y[0], y[1], c->y_names ? 0 : 0.06, CAROM_MAX(3, (int)(f->height / 30)));
}

/* 1, 2 and 5 times powers of ten. */
static int few_decades(const carom_axis *axis, double *tick)
{
    static const int mantissa[] = {1, 2, 5};
    int n = 0;
    for (int k = (int)floor(axis->low); k <= axis->high; k++)
        for (int j = 0; j < CAROM_COUNT(mantissa); j++) {
            double value = k + log10(mantissa[j]);
            if (value >= axis->low && value <= axis->high && n < TICKS)
                tick[n++] = value;
        }
    return n;
}

/* Ticks of a logarithmic axis are powers of ten; where there are few, also 2 and 5 times those; else as on a linear
 * one. */
static int ticks_of(const carom_axis *axis, bool log, double *tick)
{
    const bool narrow = axis->high - axis->low < 2.5;
    int n = log && narrow ? few_decades(axis, tick) : 0;
    if (n >= 2)
        return n;
    n = 0;
    for (int i = 0; i < axis->count && n < TICKS; i++) {
        double value = carom_axis_tick(axis, i);
        if (!log || narrow || fabs(value - round(value)) < 1e-9)
            tick[n++] = value;
    }
    return n;
}

/* Of a logarithmic axis: 10 to the power of the tick; between powers the number itself. */
static void label_of(const carom_axis *axis, int i, double tick, bool log, char *text)
{
    const bool power = fabs(tick - round(tick)) < 1e-9, plain = tick > -3.5 && tick < 3.5;
    if (!log)
        carom_axis_label(axis, i, text);
    else if (power)
        snprintf(text, 64, plain ? "%g" : "1e%g", plain ? pow(10, round(tick)) : round(tick));
    else
        snprintf(text, 64, "%.4g", pow(10, tick));
}

static void put_grid(const picture *p)
{
    const carom_frame *f = p->frame;
    double tick[TICKS];
    carom_stream_string(p->out, "<path class=\"grid\" d=\"");
    for (int i = 0, n = ticks_of(&f->x, p->chart->logx, tick); i < n; i++)
        carom_stream_format(p->out, "M%d.5 %dv%d", (int)carom_axis_place(&f->x, tick[i]), (int)f->top, (int)f->height);
    for (int i = 0, n = p->chart->y_names ? 0 : ticks_of(&f->y, p->chart->logy, tick); i < n; i++)
        carom_stream_format(p->out, "M%d %d.5h%d", (int)f->left, (int)carom_axis_place(&f->y, tick[i]), (int)f->width);
    carom_stream_format(p->out, "\"/>\n<path class=\"frame\" d=\"M%d.5 %d.5v%dh%d\"/>\n", (int)f->left, (int)f->top,
                        (int)f->height, (int)f->width);
}

static void put_y_labels(const picture *p)
{
    const carom_frame *f = p->frame;
    const carom_chart *c = p->chart;
    char label[64];
    double tick[TICKS];
    for (int i = 0, n = c->y_names ? c->ny : ticks_of(&f->y, c->logy, tick); i < n; i++) {
        const double at = carom_axis_place(&f->y, c->y_names ? i : tick[i]);
        if (!c->y_names)
            label_of(&f->y, i, tick[i], c->logy, label);
        carom_svg_text(p->out, c->y_names ? c->y_names[i] : label, 14, "<text class=\"n\" x=\"%d\" y=\"%d\">",
                       (int)f->left - 6, (int)lround(at) + 4);
    }
    for (int i = 0, n = c->right != 0 ? ticks_of(&f->y, c->logy, tick) : 0; i < n; i++) {
        snprintf(label, sizeof label, "%.4g", c->right * tick[i]);
        carom_svg_text(p->out, label, 14, "<text x=\"%d\" y=\"%d\">", (int)(f->left + f->width) + 6,
                       (int)lround(carom_axis_place(&f->y, tick[i])) + 4);
    }
    carom_axis_note(&f->y, label); /* at the right, where the legend leaves room */
    carom_svg_text(p->out, c->logy || c->y_names ? "" : label, 64, "<text class=\"n\" x=\"%d\" y=\"%d\">",
                   (int)(f->left + f->width), (int)f->top - 7);
}

static void put_x_labels(const picture *p)
{
    const carom_frame *f = p->frame;
    const int bottom = (int)(f->top + f->height);
    char label[64];
    double tick[TICKS];
    for (int i = 0, n = ticks_of(&f->x, p->chart->logx, tick); i < n; i++) {
        label_of(&f->x, i, tick[i], p->chart->logx, label);
        carom_svg_text(p->out, label, 64, "<text class=\"m\" x=\"%d\" y=\"%d\">",
                       (int)lround(carom_axis_place(&f->x, tick[i])), bottom + 16);
    }
    carom_axis_note(&f->x, label);
    carom_svg_text(p->out, p->chart->x_label, (int)(f->width / CHARACTER / 2),
                   "<text class=\"m\" x=\"%d\" y=\"%d\">", (int)(f->left + f->width / 2), bottom + 33);
    carom_svg_text(p->out, p->chart->logx ? "" : label, 64, "<text class=\"n\" x=\"%d\" y=\"%d\">",
                   (int)(f->left + f->width), bottom + 33);
}

/* ---- the legend ---- */

/* The marker of a series, drawn from its middle; NULL: a dot. */
static const char *shape_of(const carom_chart_series *s)
{
    static const char *const shapes[] = {"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z",
                                         "m-3 -3l6 6m0 -6l-6 6", "m0 -4l4 4l-4 4l-4 -4z", "m-4 0h8m-4 -4v8"};
    return s->marker ? shapes[(s->marker - 1) % CAROM_COUNT(shapes)] : NULL;
}

/* About how wide a text is, on the safe side for common fonts. */
static double width_of(const char *text, int most)
{
    double width = 0;
    for (int seen = 0; *text && seen <= most; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue;
        bool narrow = strchr("iljtfr.,:;'|!()[] ", *text), wide = strchr("mwMWGOQ@&%<>=+#_~", *text);
        width += narrow ? 5 : wide ? 11.5 : 8;
        seen++;
    }
    return width;
}

int carom_chart_legend(carom_stream *out, const carom_chart *chart, double left, double top, double width)
{
    width -= NOTE;
    int lines = 1, most = CAROM_MIN(40, (int)(width / CHARACTER) - 6);
    double x = left;
    for (int i = 0; i < chart->nseries; i++) {
        const carom_chart_series *s = &chart->series[i];
        if (!s->name || !*s->name)
            continue;
        double wide = 35 + width_of(s->name, most);
        if (x > left && x + wide > left + width) {
            x = left;
            lines++;
        }
        int y = (int)(top + CAROM_LEGEND_LINE * lines - 7);
        if (out) {
            carom_stream_format(out, "<path class=\"c%d%s\" d=\"M%d %dh16", carom_chart_colour(chart, i),
                                s->style == CAROM_CHART_DASHED ? " d" : "", (int)x, y - 4);
            carom_stream_format(out, shape_of(s) ? "m-8 0%s\"/>" : "\"/>", shape_of(s));
            carom_svg_text(out, s->name, most, "<text x=\"%d\" y=\"%d\">", (int)x + 21, y);
        }
        x += wide;
    }
    return lines;
}

/* ---- series ---- */

static void put_points(const picture *p, const carom_chart_series *s, int colour)
{
    const char *shape = shape_of(s);
    double r = s->n > 2000 ? 0.8 : s->n > 300 ? 1.4 : 2.8;
    size_t step = CAROM_MAX(1, s->n / POINTS_MOST);
    carom_stream_format(p->out, shape ? "<path class=\"c%d o\" d=\"" : "<path class=\"p f%d\" d=\"", colour);
    for (size_t i = 0; i < s->n; i += step) {
        double x = place_x(p, s->x[i]), y = place_y(p, s->y[i]);
        if (!isfinite(x) || !isfinite(y))
            continue;
        if (shape)
            carom_stream_format(p->out, "M%.1f %.1f%s", x, y, shape);
        else
            carom_stream_format(p->out, "M%.1f %.1fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0", x - r, y, r, r, 2 * r, r, r,
                                -2 * r);
    }
    carom_stream_string(p->out, "\"/>\n");
}

static void put_steps(const picture *p, const carom_chart_series *s, int colour)
{
    bool down = false;
    carom_stream_format(p->out, "<path class=\"c%d\" d=\"", colour);
    for (size_t i = 0; i < s->n; i++) {
        double x = place_x(p, s->x[i]), y = place_y(p, s->y[i]);
        bool good = isfinite(x) && isfinite(y);
        if (good)
            carom_stream_format(p->out, down ? "H%.1fV%.1f" : "M%.1f %.1f", x, y);
        down = good;
    }
    carom_stream_string(p->out, "\"/>\n");
}

static void put_bands(const picture *p, const carom_chart_series *s, int colour)
{
    carom_stream_format(p->out, "<path class=\"c%d b\" d=\"", colour);
    for (size_t i = 0; i + 1 < s->n; i++) {
        double a = place_x(p, s->x[i]), b = place_x(p, s->x[i + 1]), y = place_y(p, s->y[i]);
        if (isfinite(a) && isfinite(b) && isfinite(y) && isfinite(s->y[i + 1]))
            carom_stream_format(p->out, "M%.1f %.1fH%.1f", a, y, fmax(b, a + 0.5));
    }
    carom_stream_string(p->out, "\"/>\n");
}

/* The numbers on a logarithmic axis in memory of their own; NULL when it is out. */
static double *logarithms(const double *values, size_t n)
{
    double *own = malloc((n + 1) * sizeof *own);
    for (size_t i = 0; own && i < n; i++)
        own[i] = on_axis(values[i], true);
    return own;
}

static void put_curve(const picture *p, const carom_chart_series *s, int colour)
{
    double *x = p->chart->logx ? logarithms(s->x, s->n) : NULL, *y = p->chart->logy ? logarithms(s->y, s->n) : NULL;
    const carom_curve curve = {x ? x : s->x, y ? y : s->y, s->side, s->n, colour, s->style == CAROM_CHART_PATH};
    if ((p->chart->logx && !x) || (p->chart->logy && !y)) {
        if (p->out->error.status == CAROM_OK)
            carom_fail(&p->out->error, CAROM_NO_MEMORY, "no memory for a curve of %zu points", s->n);
    } else if (s->style == CAROM_CHART_PATH) {
        carom_curve_phase(p->out, p->frame, &curve);
    } else if (s->style == CAROM_CHART_STEMS) {
        carom_curve_stems(p->out, p->frame, &curve);
    } else if (s->style == CAROM_CHART_CLOUD) {
        carom_curve_dots(p->out, p->frame, &curve);
    } else {
        carom_stream_string(p->out, s->style == CAROM_CHART_DASHED ? "<g class=\"d\">" : "");
        carom_curve_series(p->out, p->frame, &curve);
        carom_stream_string(p->out, s->style == CAROM_CHART_DASHED ? "</g>" : "");
    }
    free(x);
    free(y);
}

static bool is_placed(const picture *p, const carom_chart_series *s, size_t i)
{
    return isfinite(place_x(p, s->x[i])) && isfinite(place_y(p, s->y[i]));
}

/* Where a path begins (open) and ends (filled). */
static void put_ends(const picture *p, const carom_chart_series *s, int colour)
{
    size_t from = 0, to = s->n;
    while (from < s->n && !is_placed(p, s, from))
        from++;
    while (to > from && !is_placed(p, s, to - 1))
        to--;
    if (from >= to)
        return;
    carom_stream_format(p->out, "<circle class=\"c%d e\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", colour,
                        place_x(p, s->x[from]), place_y(p, s->y[from]));
    carom_stream_format(p->out, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", colour,
                        place_x(p, s->x[to - 1]), place_y(p, s->y[to - 1]));
}

static void put_series(const picture *p, int i)
{
    const carom_chart_series *s = &p->chart->series[i];
    int colour = carom_chart_colour(p->chart, i);
    if (s->style == CAROM_CHART_STEPS)
        put_steps(p, s, colour);
    else if (s->style == CAROM_CHART_BAND)
        put_bands(p, s, colour);
    else if (s->style != CAROM_CHART_POINTS)
        put_curve(p, s, colour);
    if (s->style == CAROM_CHART_POINTS || s->style == CAROM_CHART_LINE_POINTS)
        put_points(p, s, colour);
    if (s->style == CAROM_CHART_PATH)
        put_ends(p, s, colour);
}

static void put_mark(const picture *p, const carom_chart_mark *m)
{
    const carom_frame *f = p->frame;
    double x = place_x(p, m->x), y = place_y(p, m->y), tx = x + 6, ty = y - 5;
    bool before = false;
    if (m->slope != 0) {
        double x1 = place_x(p, m->x * 1.9), y1 = place_y(p, m->y * pow(1.9, m->slope));
        carom_stream_format(p->out, "<path class=\"slope\" d=\"M%.1f %.1fH%.1fV%.1fZ\"/>", x, y, x1, y1);
        tx = x1 + 4, ty = (y + y1) / 2 + 4;
    } else if (isnan(m->x)) {
        carom_stream_format(p->out, "<path class=\"mark\" d=\"M%.1f %.1fh%.1f\"/>", f->left, y, f->width);
        tx = f->left + 6, ty = y - 4;
    } else if (isnan(m->y)) {
        if (!(x >= f->left && x <= f->left + f->width))
            return;
        carom_stream_format(p->out, "<path class=\"mark\" d=\"M%.1f %.1fv%.1f\"/>", x, f->top, f->height);
        before = x > f->left + 0.7 * f->width;
        tx = x + (before ? -4 : 4), ty = f->top + 13;
    } else {
        carom_stream_format(p->out, "<path class=\"frame\" d=\"M%.1f %.1fm-3 0h6m-3 -3v6\"/>", x, y);
    }
    carom_svg_text(p->out, m->text, 40, "<text%s x=\"%.1f\" y=\"%.1f\">", before ? " class=\"n\"" : "", tx, ty);
}

void carom_chart_draw(carom_stream *out, const carom_chart *chart, carom_frame *frame, bool x_labels)
{
    const picture p = {out, chart, frame};
    fit(chart, frame);
    put_grid(&p);
    put_y_labels(&p);
    if (x_labels)
        put_x_labels(&p);
    for (int i = 0; i < chart->nseries; i++)
        put_series(&p, i);
    for (int i = 0; i < chart->nmark; i++)
        put_mark(&p, &chart->marks[i]);
}
