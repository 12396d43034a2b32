/* svg.c: a table as SVG: panels over a common x, then phase portraits, each with a legend above it.
 * Nothing overlaps because everything has its own strip: title, legend, picture, labels of x. The background is
 * transparent and the colours are legible on white and on black; with a style sheet they follow the reader's theme. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/svg/panel.h"

enum { LEFT = 66, RIGHT = 18, TITLE = 34, LEGEND = 22, GAP = 10, X_LABELS = 40, NOTE = 130, CHARACTER = 7 };

static const char style[] =
    "<style>\n"
    "svg{font-family:sans-serif;font-size:12px}\n"
    "text{fill:#6e6e6e}.title{font-size:15px;font-weight:bold}.n{text-anchor:end}.m{text-anchor:middle}\n"
    "path{fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round}\n"
    ".j{stroke-width:.8;stroke-dasharray:2 3}.s{stroke-width:1.4}.d{stroke-width:1.2}\n"
    ".frame{stroke:#8a8a8a;stroke-width:1}.grid{stroke:#8a8a8a;stroke-opacity:.25;stroke-width:1}\n"
    ".c0{stroke:#1f7fc4}.c1{stroke:#d9650e}.c2{stroke:#159a73}.c3{stroke:#b8609f}.c4{stroke:#a67c00}.c5{stroke:#808080}"
    ".c6{stroke:#8a6fd8}.c7{stroke:#d0455a}\n"
    "@media (prefers-color-scheme:light){text{fill:#333}"
    ".c0{stroke:#0068a8}.c1{stroke:#c85200}.c2{stroke:#00855f}.c3{stroke:#a8488c}.c4{stroke:#8a6500}.c5{stroke:#606060}"
    ".c6{stroke:#6a4fc0}.c7{stroke:#b3263c}}\n"
    "@media (prefers-color-scheme:dark){text{fill:#d0d0d0}"
    ".c0{stroke:#56b4e9}.c1{stroke:#ff9447}.c2{stroke:#2fcf9f}.c3{stroke:#e09cc8}.c4{stroke:#e6c229}.c5{stroke:#b0b0b0}"
    ".c6{stroke:#b09cf5}.c7{stroke:#ff7b8d}}\n"
    "</style>\n";

static void say(carom_stream *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(carom_stream *out, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    carom_stream_string(out, text);
}

void carom_svg_text(carom_stream *out, const char *text, int most)
{
    for (int seen = 0; *text; seen++) {
        if (seen == most) {
            carom_stream_string(out, "\xe2\x80\xa6");
            return;
        }
        char c = *text;
        int bytes = carom_output_utf8(text);
        const char *name = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : NULL;
        if (bytes == 0)
            name = "\xef\xbf\xbd";
        else if ((unsigned char)c < 0x20)
            name = " ";
        if (name)
            carom_stream_string(out, name);
        else
            carom_stream_text(out, text, (size_t)bytes);
        text += CAROM_MAX(bytes, 1);
    }
}

/* About how wide a text is, on the safe side for common fonts. */
static double width_of(const char *text, int most)
{
    double width = 0;
    int seen = 0;
    for (; *text && seen <= most; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue;
        bool narrow = strchr("iljtfr.,:;'|!()[] ", *text), wide = strchr("mwMWGOQ@&%<>=+#_~", *text);
        width += narrow ? 5 : wide ? 11.5 : 8;
        seen++;
    }
    return width;
}

/* ---- the legend: how many lines it needs, and its text ---- */
static int put_legend(carom_stream *out, const carom_columns *table, const carom_panel *panel, double left, double top,
                      double width)
{
    width -= NOTE;
    int lines = 1, most = CAROM_MIN(40, (int)(width / CHARACTER) - 6);
    double x = left;
    for (int i = 0; i < panel->n; i++) {
        const char *name = table->name[panel->column[i]];
        double wide = 35 + width_of(name, most);
        if (x > left && x + wide > left + width) {
            x = left;
            lines++;
        }
        double y = top + LEGEND * lines - 7;
        if (out && panel->phase) {
            say(out, "<text x=\"%d\" y=\"%d\">", (int)x, (int)y);
            carom_svg_text(out, name, most / 2);
            carom_stream_string(out, " against ");
            carom_svg_text(out, table->name[panel->x], most / 2);
            carom_stream_string(out, "</text>\n");
        } else if (out) {
            say(out, "<path class=\"c%d\" d=\"M%d %dh16\"/><text x=\"%d\" y=\"%d\">", i % CAROM_COLOURS, (int)x,
                (int)y - 4, (int)x + 21, (int)y);
            carom_svg_text(out, name, most);
            carom_stream_string(out, "</text>\n");
        }
        x += wide;
    }
    return lines;
}

/* ---- a panel ---- */
static void find_range(const carom_columns *table, int column, double range[2])
{
    for (size_t i = 0; i < table->nrow; i++) {
        double value = table->column[column][i];
        if (isfinite(value)) {
            range[0] = fmin(range[0], value);
            range[1] = fmax(range[1], value);
        }
    }
}

static void fit_axes(const carom_columns *table, const carom_panel *panel, carom_frame *f)
{
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    find_range(table, panel->x, x);
    for (int i = 0; i < panel->n; i++)
        find_range(table, panel->column[i], y);
    if (panel->stems) {
        y[0] = fmin(y[0], 0);
        y[1] = fmax(y[1], 0);
    }
    if (!(x[0] <= x[1]))
        x[0] = 0, x[1] = 1;
    if (!(y[0] <= y[1]))
        y[0] = 0, y[1] = 1;
    f->x.begin = f->left;
    f->x.end = f->left + f->width;
    f->y.begin = f->top + f->height;
    f->y.end = f->top;
    carom_axis_fit(&f->x, x[0], x[1], panel->phase ? 0.04 : 0.01, CAROM_MAX(3, (int)(f->width / 80)));
    carom_axis_fit(&f->y, y[0], y[1], 0.06, CAROM_MAX(3, (int)(f->height / 30)));
}

static void put_x_axis(carom_stream *out, const carom_frame *f, const char *name)
{
    char label[64];
    int bottom = (int)(f->top + f->height);
    for (int i = 0; i < f->x.count; i++) {
        int at = (int)lround(carom_axis_place(&f->x, carom_axis_tick(&f->x, i)));
        carom_axis_label(&f->x, i, label);
        say(out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n", at, bottom + 16, label);
    }
    carom_axis_note(&f->x, label);
    say(out, "<text class=\"m\" x=\"%d\" y=\"%d\">", (int)(f->left + f->width / 2), bottom + 33);
    carom_svg_text(out, name, (int)(f->width / CHARACTER / 2));
    say(out, "</text>\n<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)(f->left + f->width), bottom + 33, label);
}

static void put_frame(carom_stream *out, const carom_frame *f)
{
    char label[64];
    say(out, "<path class=\"grid\" d=\"");
    for (int i = 0; i < f->x.count; i++)
        say(out, "M%d.5 %dv%d", (int)carom_axis_place(&f->x, carom_axis_tick(&f->x, i)), (int)f->top, (int)f->height);
    for (int i = 0; i < f->y.count; i++)
        say(out, "M%d %d.5h%d", (int)f->left, (int)carom_axis_place(&f->y, carom_axis_tick(&f->y, i)), (int)f->width);
    say(out, "\"/>\n<path class=\"frame\" d=\"M%d.5 %d.5v%dh%d\"/>\n", (int)f->left, (int)f->top, (int)f->height,
        (int)f->width);
    for (int i = 0; i < f->y.count; i++) {
        int at = (int)lround(carom_axis_place(&f->y, carom_axis_tick(&f->y, i)));
        carom_axis_label(&f->y, i, label);
        say(out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)f->left - 6, at + 4, label);
    }
}

/* What the labels of y are multiplied with stands at the right, where the legend leaves room. */
static void put_panel(carom_stream *out, const carom_columns *table, const carom_panel *panel, carom_frame *f,
                      const carom_plot *plot, bool first)
{
    char note[64];
    fit_axes(table, panel, f);
    put_frame(out, f);
    carom_axis_note(&f->y, note);
    say(out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", (int)(f->left + f->width), (int)f->top - 7, note);
    if (panel->x_labels)
        put_x_axis(out, f, table->name[panel->x]);
    int side = carom_columns_find(table, "side");
    for (int i = 0; i < panel->n; i++) {
        carom_curve curve = {table->column[panel->x], table->column[panel->column[i]],
                             side >= 0 ? table->column[side] : NULL, table->nrow, i, panel->phase};
        if (panel->phase)
            carom_curve_phase(out, f, &curve);
        else if (panel->stems)
            carom_curve_stems(out, f, &curve);
        else if (panel->dots)
            carom_curve_dots(out, f, &curve);
        else
            carom_curve_series(out, f, &curve);
    }
    for (int i = 0; i < plot->nmark && !panel->phase; i++)
        carom_svg_mark(out, f, &plot->marks[i], first);
}

/* ---- the page ---- */
static int panel_strip(const carom_columns *table, const carom_panel *panel, int width)
{
    int legend = put_legend(NULL, table, panel, LEFT, 0, width - LEFT - RIGHT);
    return legend * LEGEND + GAP + (panel->x_labels ? X_LABELS : 0);
}

/* A phase portrait and a cloud are twice as high. */
static int share(const carom_panel *panel)
{
    return 1 + (panel->phase || panel->dots);
}

static void put_page(carom_stream *out, const carom_columns *table, const carom_panels *panels, const carom_plot *plot,
                     int width)
{
    const char *title = plot->title ? plot->title : table->title;
    int strips = (title[0] ? TITLE : GAP), shares = 0, height = plot->height;
    for (int i = 0; i < panels->n; i++) {
        strips += panel_strip(table, &panels->panel[i], width);
        shares += share(&panels->panel[i]);
    }
    int standard = shares == 1 ? 400 : shares == 2 ? 220 : 150;
    int each = height > 0 ? CAROM_MAX(40, (height - strips) / shares) : standard;
    height = CAROM_MAX(height, strips + each * shares);
    say(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width,
        height, width, height);
    carom_stream_string(out, style);
    if (title[0]) {
        say(out, "<text class=\"title\" x=\"%d\" y=\"22\">", LEFT);
        carom_svg_text(out, title, (width - LEFT - RIGHT) / 10);
        carom_stream_string(out, "</text>\n");
    }
    double top = title[0] ? TITLE : GAP;
    for (int i = 0; i < panels->n; i++) {
        const carom_panel *panel = &panels->panel[i];
        int lines = put_legend(out, table, panel, LEFT, top, width - LEFT - RIGHT);
        carom_frame frame = {.left = LEFT, .top = top + LEGEND * lines, .width = width - LEFT - RIGHT,
                             .height = each * share(panel)};
        put_panel(out, table, panel, &frame, plot, i == 0);
        top += panel_strip(table, panel, width) + frame.height;
    }
    carom_stream_string(out, "</svg>\n");
}

carom_status carom_svg_plot(const char *path, FILE *stream, const carom_columns *table, const carom_plot *plot,
                            carom_error *error)
{
    static const carom_plot standard;
    plot = plot ? plot : &standard;
    int width = plot->width ? plot->width : 800;
    if (width < 200 || width > 10000 || plot->height < 0 || plot->height > 10000)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "a picture of %d x %d pixels: the width is 200 to 10000, the height up to 10000", width,
                   plot->height);
    if (table->nrow == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no rows to plot", table->title);
    carom_panels panels;
    CAROM_TRY(carom_panels_choose(&panels, table, plot, error));
    carom_stream out;
    carom_status status = carom_stream_open(&out, path, stream, error);
    if (status == CAROM_OK) {
        put_page(&out, table, &panels, plot, width);
        status = carom_stream_close(&out, error);
    }
    carom_panels_free(&panels);
    return status;
}
