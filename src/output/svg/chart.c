/* chart.c: charts with logarithmic axes as SVG: errors against step sizes or work, with slope triangles.
 * Colours and markers tell the series apart; a triangle stands below the lower end of its line, once for each slope. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "output/stream.h"
#include "output/svg/svg.h"
#include "output/svg/chart.h"

enum { WIDTH = 440, HEIGHT = 330, LEFT = 62, RIGHT = 14, TOP = 26, BOTTOM = 44, TITLE = 34, LINE = 20, MARKERS = 6 };

static const char style[] =
    "<style>\n"
    "svg{font-family:sans-serif;font-size:12px}\n"
    "text{fill:#6e6e6e}.title{font-size:15px;font-weight:bold}.n{text-anchor:end}.m{text-anchor:middle}\n"
    "path{fill:none;stroke-width:1.5;stroke-linejoin:round}.p{stroke-width:1.2;stroke-opacity:.75}\n"
    ".frame{stroke:#8a8a8a;stroke-width:1}.grid{stroke:#8a8a8a;stroke-opacity:.25;stroke-width:1}.tri{stroke:#8a8a8a;"
    "stroke-width:1}\n"
    ".c0{stroke:#1f7fc4}.c1{stroke:#d9650e}.c2{stroke:#159a73}.c3{stroke:#b8609f}.c4{stroke:#a67c00}.c5{stroke:#808080}"
    ".c6{stroke:#7a5cd0}.c7{stroke:#c0392b}\n"
    "@media (prefers-color-scheme:dark){text{fill:#d0d0d0}}\n"
    "</style>\n";

typedef struct axis { /* of logarithms to the base 10 */
    double low, high, begin, end;
} axis;
typedef struct frame {
    axis x, y;
} frame;

static void say(carom_stream *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(carom_stream *out, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    carom_stream_string(out, text);
}

static double place(const axis *a, double value)
{
    return a->begin + (log10(value) - a->low) / (a->high - a->low) * (a->end - a->begin);
}

/* ---- axes ---- */
static void widen(axis *a, const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (values[i] > 0 && isfinite(values[i]))
            a->low = fmin(a->low, log10(values[i])), a->high = fmax(a->high, log10(values[i]));
}

static void settle(axis *a)
{
    if (!(a->low <= a->high))
        a->low = -1, a->high = 0;
    double margin = fmax(0.06 * (a->high - a->low), 0.05);
    a->low -= margin, a->high += margin;
}

/* Ticks at 1, or at 1, 2, 5 times powers of ten; false: there is no i-th. */
static bool tick(const axis *a, int i, double *value, bool *labelled)
{
    static const double parts[] = {1, 2, 5};
    double span = a->high - a->low, each = fmax(1, ceil(span / 8));
    bool fine = span < 2.2;
    int first = (int)floor(a->low) - 1, count = fine ? 3 : 1;
    double power = first + (i / count) * (fine ? 1 : each);
    if (power > a->high)
        return false;
    if (!fine)
        power = floor(power / each) * each;
    *value = parts[i % count] * pow(10, power);
    *labelled = log10(*value) >= a->low && log10(*value) <= a->high;
    return true;
}

static void label_of(double value, char *text, size_t size)
{
    if (value >= 0.01 && value < 1e4)
        snprintf(text, size, "%g", value);
    else
        snprintf(text, size, "%.0e", value);
    char *zero = strstr(text, "e-0"); /* 1e-05 -> 1e-5 */
    if (!zero)
        zero = strstr(text, "e+0");
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

static void put_axes(carom_stream *out, const frame *f, const carom_chart *chart)
{
    double value;
    bool inside;
    char text[32];
    for (int i = 0; tick(&f->x, i, &value, &inside); i++) {
        if (!inside)
            continue;
        label_of(value, text, sizeof text);
        say(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text class=\"m\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            place(&f->x, value), f->y.begin, f->y.end, place(&f->x, value), f->y.begin + 16, text);
    }
    for (int i = 0; tick(&f->y, i, &value, &inside); i++) {
        if (!inside)
            continue;
        label_of(value, text, sizeof text);
        say(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"n\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            f->x.begin, place(&f->y, value), f->x.end, f->x.begin - 6, place(&f->y, value) + 4, text);
    }
    say(out, "<path class=\"frame\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fZ\"/>\n", f->x.begin, f->y.begin, f->x.end, f->y.end,
        f->x.begin);
    say(out, "<text x=\"%.1f\" y=\"%.1f\">", f->x.begin, f->y.end - 8);
    carom_svg_text(out, chart->title, 50);
    say(out, "</text>\n<text class=\"m\" x=\"%.1f\" y=\"%.1f\">", 0.5 * (f->x.begin + f->x.end), f->y.begin + 34);
    carom_svg_text(out, chart->x_label, 50);
    carom_stream_string(out, "</text>\n");
}

/* ---- series ---- */
static void put_marker(carom_stream *out, int kind, double x, double y)
{
    static const char *const shapes[MARKERS] = {"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z",
                                                "m-3 -3l6 6m0 -6l-6 6", "m0 -4l4 4l-4 4l-4 -4z", "m-4 0h8m-4 -4v8"};
    say(out, "M%.1f %.1f%s", x, y, shapes[kind % MARKERS]);
}

static bool drawable(double x, double y)
{
    return x > 0 && y > 0 && isfinite(x) && isfinite(y);
}

static void put_series(carom_stream *out, const frame *f, const carom_chart_series *s, int k)
{
    bool down = false;
    say(out, "<path class=\"c%d\" d=\"", k % CAROM_COLOURS);
    for (int i = 0; i < s->nline; i++) {
        bool fine = drawable(s->line_x[i], s->line_y[i]);
        if (fine)
            say(out, "%c%.1f %.1f", down ? 'L' : 'M', place(&f->x, s->line_x[i]), place(&f->y, s->line_y[i]));
        down = fine;
    }
    say(out, "\"/>\n<path class=\"p c%d\" d=\"", k % CAROM_COLOURS);
    for (int i = 0; i < s->n; i++)
        if (drawable(s->x[i], s->y[i]))
            put_marker(out, k, place(&f->x, s->x[i]), place(&f->y, s->y[i]));
    carom_stream_string(out, "\"/>\n");
}

/* Below the lower end of the line, a quarter of a decade wide at least. */
static void put_triangle(carom_stream *out, const frame *f, const carom_chart_series *s)
{
    int at = -1;
    for (int i = 0; i < s->nline; i++)
        if (drawable(s->line_x[i], s->line_y[i]) && (at < 0 || s->line_y[i] < s->line_y[at]))
            at = i;
    if (at < 0)
        return;
    double width = fmax(0.25, 0.12 * (f->x.high - f->x.low)), drop = 0.05 * (f->y.high - f->y.low);
    bool falls = s->slope < 0; /* against work */
    double x0 = s->line_x[at] * pow(10, falls ? -width - 0.05 : 0.05), x1 = x0 * pow(10, width);
    double y0 = s->line_y[at] * pow(10, -drop), y1 = y0 * pow(10, fabs(s->slope) * width);
    double foot = falls ? x1 : x0, corner = falls ? x0 : x1;
    say(out, "<path class=\"tri\" d=\"M%.1f %.1fH%.1fV%.1fZ\"/><text x=\"%.1f\" y=\"%.1f\"%s>%g</text>\n",
        place(&f->x, foot), place(&f->y, y0), place(&f->x, corner), place(&f->y, y1),
        place(&f->x, corner) + (falls ? -5 : 5), 0.5 * (place(&f->y, y0) + place(&f->y, y1)) + 4,
        falls ? " class=\"n\"" : "", fabs(s->slope));
}

static void put_chart(carom_stream *out, const carom_chart *c, double left, double top)
{
    frame f = {{INFINITY, -INFINITY, left + LEFT, left + WIDTH - RIGHT},
               {INFINITY, -INFINITY, top + HEIGHT - BOTTOM, top + TOP}};
    for (int k = 0; k < c->nseries; k++) {
        const carom_chart_series *s = &c->series[k];
        widen(&f.x, s->x, s->n), widen(&f.y, s->y, s->n);
        widen(&f.x, s->line_x, s->nline), widen(&f.y, s->line_y, s->nline);
    }
    f.y.low -= 0.12 * fmax(0, f.y.high - f.y.low); /* for the triangles */
    settle(&f.x), settle(&f.y);
    put_axes(out, &f, c);
    for (int k = 0; k < c->nseries; k++)
        put_series(out, &f, &c->series[k], k);
    for (int k = 0; k < c->nseries; k++) {
        bool fresh = isfinite(c->series[k].slope) && c->series[k].slope != 0;
        for (int j = 0; j < k; j++)
            fresh = fresh && c->series[j].slope != c->series[k].slope;
        if (fresh)
            put_triangle(out, &f, &c->series[k]);
    }
}

/* ---- the page ---- */
static double put_legend(carom_stream *out, const carom_chart *c, double top, double width)
{
    double x = LEFT, y = top + 14;
    for (int k = 0; k < c->nseries; k++) {
        double wide = 40 + 7.2 * (double)strlen(c->series[k].name);
        if (x > LEFT && x + wide > width)
            x = LEFT, y += LINE;
        if (out) {
            say(out, "<path class=\"c%d\" d=\"M%.1f %.1fh20\"/><path class=\"p c%d\" d=\"", k % CAROM_COLOURS, x, y - 4,
                k % CAROM_COLOURS);
            put_marker(out, k, x + 10, y - 4);
            say(out, "\"/><text x=\"%.1f\" y=\"%.1f\">", x + 26, y);
            carom_svg_text(out, c->series[k].name, 60);
            carom_stream_string(out, "</text>\n");
        }
        x += wide;
    }
    return y + 10;
}

carom_status carom_svg_charts(const char *path, FILE *stream, const char *title, const carom_chart *chart, int n,
                              carom_error *error)
{
    carom_stream out;
    if (n < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a picture without charts");
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    int columns = n > 1 ? 2 : 1, width = columns * WIDTH + RIGHT;
    double top = put_legend(NULL, chart, TITLE, width);
    int height = (int)top + (n + columns - 1) / columns * HEIGHT;
    say(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width,
        height, width, height);
    carom_stream_string(&out, style);
    say(&out, "<text class=\"title\" x=\"%d\" y=\"22\">", LEFT);
    carom_svg_text(&out, title, width / 9);
    carom_stream_string(&out, "</text>\n");
    put_legend(&out, chart, TITLE, width);
    for (int i = 0; i < n; i++)
        put_chart(&out, &chart[i], i % columns * WIDTH, top + i / columns * HEIGHT);
    carom_stream_string(&out, "</svg>\n");
    return carom_stream_close(&out, error);
}
