/* svg.c: a plot of a page as SVG, for print and where no script runs. Colours come from the style sheet.
 * Logarithmic axes are linear ones of the logarithm: curves, ranges and pixels are worked out as for `carom plot`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/parts.h"
#include "output/svg/svg.h"

enum { WIDTH = 720, LEFT = 62, LEFT_NAMES = 110, RIGHT = 14, LINE = 20, X_LABELS = 40, POINTS_MOST = 6000 };

typedef struct picture {
    carom_stream *out;
    const carom_page_plot_data *plot;
    carom_frame frame;
} picture;

static double on_axis(double value, bool log)
{
    return log ? (value > 0 ? log10(value) : NAN) : value;
}

static double place_x(const picture *p, double x)
{
    return carom_axis_place(&p->frame.x, on_axis(x, p->plot->logx));
}

static double place_y(const picture *p, double y)
{
    return carom_axis_place(&p->frame.y, on_axis(y, p->plot->logy));
}

/* ---- axes ---- */
static void widen(double range[2], double value)
{
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static void fit(picture *p)
{
    const carom_page_plot_data *plot = p->plot;
    carom_frame *f = &p->frame;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < plot->nseries; i++) {
        const carom_page_series *s = &plot->series[i];
        for (size_t k = 0; k < s->n; k++) {
            double a = on_axis(s->x[k], plot->logx), b = on_axis(s->y[k], plot->logy);
            if (isfinite(a) && isfinite(b)) {
                widen(x, a);
                widen(y, b);
            }
        }
        if (s->style == CAROM_PAGE_STEMS)
            widen(y, 0);
    }
    if (plot->x_to > plot->x_from) {
        widen(x, on_axis(plot->x_from, plot->logx));
        widen(x, on_axis(plot->x_to, plot->logx));
    }
    for (int i = 0; i < plot->nmark; i++) {
        const carom_page_mark *m = &plot->marks[i];
        if (isnan(m->x) || m->slope != 0)
            widen(y, on_axis(m->y, plot->logy));
        if (m->slope != 0) { /* triangles are seen as a whole */
            widen(x, on_axis(m->x, plot->logx));
            widen(x, on_axis(1.9 * m->x, plot->logx));
            widen(y, on_axis(m->y * pow(1.9, m->slope), plot->logy));
        }
    }
    if (!(x[0] <= x[1]))
        x[0] = 0, x[1] = 1;
    if (!(y[0] <= y[1]))
        y[0] = 0, y[1] = 1;
    if (plot->y_names)
        y[0] = -0.6, y[1] = plot->ny - 0.4;
    f->x.begin = f->left;
    f->x.end = f->left + f->width;
    f->y.begin = f->top + f->height;
    f->y.end = f->top;
    carom_axis_fit(&f->x, x[0], x[1], plot->zoom_both || plot->logx ? 0.04 : 0.01, CAROM_MAX(3, (int)(f->width / 80)));
    carom_axis_fit(&f->y, y[0], y[1], plot->y_names ? 0 : 0.06, CAROM_MAX(3, (int)(f->height / 32)));
}

enum { TICKS = 64 };

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
    int n = log && axis->high - axis->low < 2.5 ? few_decades(axis, tick) : 0;
    if (n >= 3)
        return n;
    n = 0;
    for (int i = 0; i < axis->count && n < TICKS; i++) {
        double value = carom_axis_tick(axis, i);
        if (!log || axis->high - axis->low < 2.5 || fabs(value - round(value)) < 1e-9)
            tick[n++] = value;
    }
    return n;
}

/* Of a logarithmic axis: 10 to the power of the tick; between powers the number itself. */
static void label_of(const carom_axis *axis, int i, double tick, bool log, char *text)
{
    if (!log) {
        carom_axis_label(axis, i, text);
        return;
    }
    if (fabs(tick - round(tick)) < 1e-9)
        snprintf(text, 64, tick > -3.5 && tick < 3.5 ? "%g" : "1e%g",
                 tick > -3.5 && tick < 3.5 ? pow(10, round(tick)) : round(tick));
    else
        snprintf(text, 64, "%.3g", pow(10, tick));
}

static void put_grid(const picture *p)
{
    const carom_frame *f = &p->frame;
    double tick[TICKS];
    carom_page_say(p->out, "<path class=\"grid\" d=\"");
    for (int i = 0, n = ticks_of(&f->x, p->plot->logx, tick); i < n; i++)
        carom_page_say(p->out, "M%d.5 %dv%d", (int)carom_axis_place(&f->x, tick[i]), (int)f->top, (int)f->height);
    for (int i = 0, n = p->plot->y_names ? 0 : ticks_of(&f->y, p->plot->logy, tick); i < n; i++)
        carom_page_say(p->out, "M%d %d.5h%d", (int)f->left, (int)carom_axis_place(&f->y, tick[i]), (int)f->width);
    carom_page_say(p->out, "\"/>\n<path class=\"frame\" d=\"M%d.5 %d.5v%dh%d\"/>\n", (int)f->left, (int)f->top,
                   (int)f->height, (int)f->width);
}

static void put_labels(const picture *p)
{
    const carom_frame *f = &p->frame;
    char label[64];
    double tick[TICKS];
    int bottom = (int)(f->top + f->height);
    for (int i = 0, n = ticks_of(&f->x, p->plot->logx, tick); i < n; i++) {
        label_of(&f->x, i, tick[i], p->plot->logx, label);
        carom_page_say(p->out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n",
                       (int)lround(carom_axis_place(&f->x, tick[i])), bottom + 16, label);
    }
    for (int i = 0, n = p->plot->y_names ? 0 : ticks_of(&f->y, p->plot->logy, tick); i < n; i++) {
        label_of(&f->y, i, tick[i], p->plot->logy, label);
        carom_page_say(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)f->left - 6,
                       (int)lround(carom_axis_place(&f->y, tick[i])) + 4, label);
    }
    for (int i = 0; p->plot->y_names && i < p->plot->ny; i++) {
        carom_page_say(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">", (int)f->left - 6,
                       (int)carom_axis_place(&f->y, i) + 4);
        carom_svg_text(p->out, p->plot->y_names[i] ? p->plot->y_names[i] : "", 14);
        carom_stream_string(p->out, "</text>\n");
    }
    carom_page_say(p->out, "<text class=\"m\" x=\"%d\" y=\"%d\">", (int)(f->left + f->width / 2), bottom + 34);
    carom_svg_text(p->out, p->plot->x_label ? p->plot->x_label : "", 60);
    carom_stream_string(p->out, "</text>\n");
    carom_axis_note(&f->x, label);
    carom_page_say(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)(f->left + f->width), bottom + 34,
                   p->plot->logx ? "" : label);
    carom_axis_note(&f->y, label);
    carom_page_say(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)(f->left + f->width),
                   (int)f->top - 6, p->plot->logy || p->plot->y_names ? "" : label);
}

/* ---- the legend: returns the number of lines; with out NULL it only counts ---- */
static int put_legend(carom_stream *out, const carom_page_plot_data *plot, int left)
{
    int lines = 1, x = left;
    for (int i = 0; i < plot->nseries; i++) {
        const char *name = plot->series[i].name ? plot->series[i].name : "";
        int length = CAROM_MIN((int)strlen(name), 40), wide = 34 + 8 * length;
        if (!*name)
            continue;
        if (x > left && x + wide > WIDTH - RIGHT) {
            x = left;
            lines++;
        }
        int colour = (plot->series[i].colour > 0 ? plot->series[i].colour - 1 : i) % CAROM_COLOURS;
        if (out) {
            carom_page_say(out, "<path class=\"c%d%s\" d=\"M%d %dh16\"/><text x=\"%d\" y=\"%d\">", colour,
                           plot->series[i].style == CAROM_PAGE_DASHED ? " d" : "", x, LINE * lines - 9, x + 21,
                           LINE * lines - 5);
            carom_svg_text(out, name, 40);
            carom_stream_string(out, "</text>\n");
        }
        x += wide;
    }
    return lines;
}

/* ---- series ---- */
static void put_dots(const picture *p, const carom_page_series *s, int colour)
{
    double r = s->n > 2000 ? 0.8 : s->n > 300 ? 1.4 : 2.8;
    long step = CAROM_MAX(1, (long)(s->n / POINTS_MOST));
    carom_page_say(p->out, "<path class=\"p f%d\" d=\"", colour);
    for (size_t i = 0; i < s->n; i += (size_t)step) {
        double x = place_x(p, s->x[i]), y = place_y(p, s->y[i]);
        if (isfinite(x) && isfinite(y))
            carom_page_say(p->out, "M%.1f %.1fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0", x - r, y, r, r, 2 * r, r, r, -2 * r);
    }
    carom_stream_string(p->out, "\"/>\n");
}

static void put_steps(const picture *p, const carom_page_series *s, int colour)
{
    bool down = false;
    carom_page_say(p->out, "<path class=\"c%d\" d=\"", colour);
    for (size_t i = 0; i < s->n; i++) {
        double x = place_x(p, s->x[i]), y = place_y(p, s->y[i]);
        bool good = isfinite(x) && isfinite(y);
        if (good)
            carom_page_say(p->out, down ? "H%.1fV%.1f" : "M%.1f %.1f", x, y);
        down = good;
    }
    carom_stream_string(p->out, "\"/>\n");
}

static void put_bands(const picture *p, const carom_page_series *s, int colour)
{
    carom_page_say(p->out, "<path class=\"c%d b\" d=\"", colour);
    for (size_t i = 0; i + 1 < s->n; i++) {
        double a = place_x(p, s->x[i]), b = place_x(p, s->x[i + 1]), y = place_y(p, s->y[i]);
        if (isfinite(a) && isfinite(b) && isfinite(y) && isfinite(s->y[i + 1]))
            carom_page_say(p->out, "M%.1f %.1fH%.1f", a, y, fmax(b, a + 0.5));
    }
    carom_stream_string(p->out, "\"/>\n");
}

/* The numbers on their axes; NULL when memory is out. */
static double *transformed(const double *values, size_t n, bool log)
{
    double *own = malloc((n + 1) * sizeof *own);
    for (size_t i = 0; own && i < n; i++)
        own[i] = on_axis(values[i], log);
    return own;
}

static void put_curve(const picture *p, const carom_page_series *s, int colour)
{
    double *x = transformed(s->x, s->n, p->plot->logx), *y = transformed(s->y, s->n, p->plot->logy);
    if (!x || !y) {
        if (p->out->error.status == CAROM_OK)
            carom_fail(&p->out->error, CAROM_NO_MEMORY, "no memory for a curve of %zu points", s->n);
    } else {
        const carom_curve curve = {x, y, NULL, s->n, colour, s->style == CAROM_PAGE_PATH};
        if (s->style == CAROM_PAGE_DASHED)
            carom_stream_string(p->out, "<g class=\"d\">");
        if (s->style == CAROM_PAGE_PATH)
            carom_curve_phase(p->out, &p->frame, &curve);
        else if (s->style == CAROM_PAGE_STEMS)
            carom_curve_stems(p->out, &p->frame, &curve);
        else
            carom_curve_series(p->out, &p->frame, &curve);
        if (s->style == CAROM_PAGE_DASHED)
            carom_stream_string(p->out, "</g>");
    }
    free(x);
    free(y);
}

/* Where a path begins (open) and ends (filled). */
static void put_ends(const picture *p, const carom_page_series *s, int colour)
{
    size_t from = 0, to = s->n;
    while (from < s->n && !(isfinite(place_x(p, s->x[from])) && isfinite(place_y(p, s->y[from]))))
        from++;
    while (to > from && !(isfinite(place_x(p, s->x[to - 1])) && isfinite(place_y(p, s->y[to - 1]))))
        to--;
    if (from >= to)
        return;
    carom_page_say(p->out, "<circle class=\"c%d e\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", colour, place_x(p, s->x[from]),
                   place_y(p, s->y[from]));
    carom_page_say(p->out, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", colour,
                   place_x(p, s->x[to - 1]), place_y(p, s->y[to - 1]));
}

static void put_series(const picture *p, int i)
{
    const carom_page_series *s = &p->plot->series[i];
    int colour = (s->colour > 0 ? s->colour - 1 : i) % CAROM_COLOURS;
    if (s->style == CAROM_PAGE_STEPS)
        put_steps(p, s, colour);
    else if (s->style == CAROM_PAGE_BAND)
        put_bands(p, s, colour);
    else if (s->style != CAROM_PAGE_POINTS)
        put_curve(p, s, colour);
    if (s->style == CAROM_PAGE_POINTS || s->style == CAROM_PAGE_LINE_POINTS)
        put_dots(p, s, colour);
    if (s->style == CAROM_PAGE_PATH)
        put_ends(p, s, colour);
}

static void put_mark(const picture *p, const carom_page_mark *m)
{
    const carom_frame *f = &p->frame;
    double x = place_x(p, m->x), y = place_y(p, m->y), tx = x + 6, ty = y - 5;
    if (m->slope != 0) {
        double x1 = place_x(p, m->x * 1.9), y1 = place_y(p, m->y * pow(1.9, m->slope));
        carom_page_say(p->out, "<path class=\"slope\" d=\"M%.1f %.1fH%.1fV%.1fZ\"/>", x, y, x1, y1);
        tx = x1 + 4, ty = (y + y1) / 2 + 4;
    } else if (isnan(m->x)) {
        carom_page_say(p->out, "<path class=\"mark\" d=\"M%.1f %.1fh%.1f\"/>", f->left, y, f->width);
        tx = f->left + 6, ty = y - 4;
    } else if (isnan(m->y)) {
        carom_page_say(p->out, "<path class=\"mark\" d=\"M%.1f %.1fv%.1f\"/>", x, f->top, f->height);
        tx = x + 4, ty = f->top + 12;
    } else {
        carom_page_say(p->out, "<path class=\"frame\" d=\"M%.1f %.1fm-3 0h6m-3 -3v6\"/>", x, y);
    }
    carom_page_say(p->out, "<text x=\"%.1f\" y=\"%.1f\">", tx, ty);
    carom_svg_text(p->out, m->text ? m->text : "", 40);
    carom_stream_string(p->out, "</text>\n");
}

void carom_page_svg(carom_stream *out, const carom_page_plot_data *plot)
{
    int left = plot->y_names ? LEFT_NAMES : LEFT, legend = put_legend(NULL, plot, left);
    int label = plot->y_label && *plot->y_label ? LINE : 6;
    picture p = {out, plot, {.left = left, .top = legend * LINE + label, .width = WIDTH - left - RIGHT,
                             .height = (plot->height ? plot->height : 320) - X_LABELS}};
    fit(&p);
    carom_page_say(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
                   (int)(p.frame.top + p.frame.height) + X_LABELS);
    carom_page_escape(out, plot->title);
    carom_stream_string(out, "\">\n");
    put_legend(out, plot, left);
    carom_page_say(out, "<text x=\"%d\" y=\"%d\">", 4, legend * LINE + LINE - 6);
    carom_svg_text(out, plot->y_label ? plot->y_label : "", 60);
    carom_stream_string(out, "</text>\n");
    put_grid(&p);
    put_labels(&p);
    for (int i = 0; i < plot->nseries; i++)
        put_series(&p, i);
    for (int i = 0; i < plot->nmark; i++)
        put_mark(&p, &plot->marks[i]);
    carom_stream_string(out, "</svg>\n");
}
