/* plot.c: pictures of their own: the columns of a table as panels over a common x, then phase portraits; or charts
 * side by side. Nothing overlaps because everything has its own strip: title, legend, picture, labels of x. The
 * background is transparent and the colours are legible on white and on black; with a style sheet they follow the
 * reader's theme. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/chart/engine.h"
#include "output/output.h"

enum { LEFT = 66, RIGHT = 18, TITLE = 34, GAP = 10, CURVES_MOST = 6 }; /* the last: in a panel nobody asked for */

static const char sheet[] =
    "<style>\n"
    "svg{font-family:sans-serif;font-size:12px}\n"
    "text{fill:#6e6e6e}.title{font-size:15px;font-weight:bold}.n{text-anchor:end}.m{text-anchor:middle}\n"
    "path{fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round}\n"
    ".j{stroke-width:.8;stroke-dasharray:2 3}.mark{stroke:#8a8a8a;stroke-width:.8;stroke-dasharray:2 3}"
    ".slope{stroke:#8a8a8a;stroke-width:1}.d{stroke-dasharray:6 4}.o{stroke-width:1.2}.p{stroke-width:0}.e{fill:none}\n"
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

/* For print: black on white whatever the reader's theme, a serif font, thin lines told apart without colour. */
static const char paper[] =
    "<style>\n"
    "svg{font-family:'Times New Roman',Times,serif;font-size:13px;background:#fff}\n"
    "text{fill:#000}.n{text-anchor:end}.m{text-anchor:middle}\n"
    "path{fill:none;stroke-width:1;stroke-linejoin:round;stroke-linecap:butt}\n"
    ".j{stroke-width:.5;stroke-dasharray:1 2}.mark{stroke:#000;stroke-width:.5;stroke-dasharray:1 2}"
    ".slope{stroke:#000;stroke-width:.7}.o{stroke-width:1}.p{stroke-width:0}.e{fill:none}\n"
    ".frame{stroke:#000;stroke-width:.7}.grid{stroke:none}\n"
    ".c0{stroke:#000}.c1{stroke:#b00;stroke-dasharray:6 2}.c2{stroke:#005a9c;stroke-dasharray:2 2}"
    ".c3{stroke:#555;stroke-dasharray:8 2 2 2}.c4{stroke:#963}.c5{stroke:#888}.c6{stroke:#639;stroke-dasharray:4 2}"
    ".c7{stroke:#063;stroke-dasharray:1 2}.d{stroke-dasharray:6 4}\n"
    "</style>\n";

static void begin_svg(carom_stream *out, int width, int height, const char *title, bool print)
{
    carom_stream_format(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                        width, height, width, height);
    carom_stream_string(out, print ? paper : sheet);
    if (title[0])
        carom_svg_text(out, title, (width - LEFT - RIGHT) / 10, "<text class=\"title\" x=\"%d\" y=\"22\">", LEFT);
}

/* ---- below each other ---- */

static bool has_x_labels(const carom_chart *c, int i, int n)
{
    return c[i].zoom_both || i + 1 == n || c[i + 1].zoom_both;
}

/* What stands above and below the picture itself. */
static int strip(const carom_chart *c, int i, int n, int width)
{
    int lines = carom_chart_legend(NULL, &c[i], LEFT, 0, width - LEFT - RIGHT);
    return lines * CAROM_LEGEND_LINE + GAP + (has_x_labels(c, i, n) ? CAROM_X_LABELS : 0);
}

/* A phase portrait and a cloud are twice as high. */
static int share(const carom_chart *c)
{
    return 1 + (c->zoom_both || c->series[0].style == CAROM_CHART_CLOUD);
}

static void put_stack(carom_stream *out, const char *title, const carom_chart *c, int n, int width, int height)
{
    title = c[0].paper ? "" : title; /* the caption says it */
    int strips = title[0] ? TITLE : GAP, shares = 0;
    double top = strips;
    for (int i = 0; i < n; i++) {
        strips += strip(c, i, n, width);
        shares += share(&c[i]);
    }
    int standard = shares == 1 ? 400 : shares == 2 ? 220 : 150;
    int each = height > 0 ? CAROM_MAX(40, (height - strips) / shares) : standard;
    begin_svg(out, width, CAROM_MAX(height, strips + each * shares), title, c[0].paper);
    for (int i = 0; i < n; i++) {
        int lines = carom_chart_legend(out, &c[i], LEFT, top, width - LEFT - RIGHT);
        carom_frame frame = {.left = LEFT, .top = top + CAROM_LEGEND_LINE * lines, .width = width - LEFT - RIGHT,
                             .height = each * share(&c[i])};
        if (c[i].y_label)
            carom_svg_text(out, c[i].y_label, 60, "<text x=\"%d\" y=\"%d\">", LEFT, (int)frame.top - 7);
        carom_chart_draw(out, &c[i], &frame, has_x_labels(c, i, n));
        top += strip(c, i, n, width) + frame.height;
    }
    carom_stream_string(out, "</svg>\n");
}

carom_status carom_charts_stack(const char *path, FILE *stream, const char *title, const carom_chart *charts, int n,
                                int width, int height, carom_error *error)
{
    carom_stream out;
    width = width ? width : 800;
    if (width < 200 || width > 10000 || height < 0 || height > 10000)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "a picture of %d x %d pixels: the width is 200 to 10000, the height up to 10000", width, height);
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    put_stack(&out, title, charts, n, width, height);
    return carom_stream_close(&out, error);
}

/* ---- side by side ---- */

carom_status carom_charts_grid(const char *path, FILE *stream, const char *title, const carom_chart *charts, int n,
                               carom_error *error)
{
    enum { WIDTH = 440, HEIGHT = 330, ABOVE = 26 };
    carom_stream out;
    if (n < 1)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a picture without charts");
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    int columns = n > 1 ? 2 : 1, width = columns * WIDTH + RIGHT;
    int lines = carom_chart_legend(NULL, charts, LEFT, TITLE, width - LEFT);
    int top = TITLE + lines * CAROM_LEGEND_LINE + 4;
    begin_svg(&out, width, top + (n + columns - 1) / columns * HEIGHT, charts[0].paper ? "" : title, charts[0].paper);
    carom_chart_legend(&out, charts, LEFT, TITLE, width - LEFT);
    for (int i = 0; i < n; i++) {
        carom_frame frame = {.left = i % columns * WIDTH + LEFT, .top = top + i / columns * HEIGHT + ABOVE,
                             .width = WIDTH - LEFT - RIGHT, .height = HEIGHT - ABOVE - CAROM_X_LABELS - 4};
        carom_svg_text(&out, charts[i].title, 50, "<text x=\"%d\" y=\"%d\">", (int)frame.left, (int)frame.top - 8);
        carom_chart_draw(&out, &charts[i], &frame, true);
    }
    carom_stream_string(&out, "</svg>\n");
    return carom_stream_close(&out, error);
}

/* ---- which columns are drawn: those asked for by name, or what a trajectory has ---- */

typedef struct panels {
    carom_arena *arena;
    const carom_columns *table;
    const carom_plot *plot;
    int x;              /* the column they are drawn against */
    carom_chart *chart; /* [n], room for `room` */
    int n, room;
} panels;

static carom_status add_chart(panels *p, carom_chart **chart, carom_error *error)
{
    if (p->n == p->room) {
        carom_chart *more = CAROM_NEW(p->arena, carom_chart, 2 * p->room + 4);
        if (!more)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d panels", 2 * p->room + 4);
        if (p->n)
            memcpy(more, p->chart, sizeof *more * (size_t)p->n);
        p->chart = more;
        p->room = 2 * p->room + 4;
    }
    *chart = &p->chart[p->n++];
    return CAROM_OK;
}

static void limit(const carom_columns *table, int column, double range[2])
{
    for (size_t i = 0; i < table->nrow; i++)
        if (isfinite(table->column[column][i])) {
            range[0] = fmin(range[0], table->column[column][i]);
            range[1] = fmax(range[1], table->column[column][i]);
        }
}

static carom_status add_column(const panels *p, carom_chart *chart, const char *name, int x, int y,
                               carom_chart_style style, carom_error *error)
{
    const carom_columns *t = p->table;
    const int side = carom_columns_find(t, "side");
    carom_chart_series *series = CAROM_NEW(p->arena, carom_chart_series, chart->nseries + 1);
    if (!series)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d curves", chart->nseries + 1);
    if (chart->nseries)
        memcpy(series, chart->series, sizeof *series * (size_t)chart->nseries);
    series[chart->nseries++] = (carom_chart_series){.name = name, .x = t->column[x], .y = t->column[y],
                                                    .n = t->nrow, .style = style,
                                                    .side = side >= 0 ? t->column[side] : NULL};
    chart->series = series;
    return CAROM_OK;
}

static carom_status find(const carom_columns *table, const char *name, int *column, carom_error *error)
{
    *column = carom_columns_find(table, name);
    if (*column >= 0)
        return CAROM_OK;
    if (strstr(name, ".reaction") || strstr(name, ".gap"))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column '%.100s': carom run --%s writes it", table->title,
                   name, strstr(name, ".gap") ? "gaps" : "reactions");
    const char *near = carom_nearest(name, (const char *const *)table->name, table->ncolumn);
    if (near)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column '%.100s'; did you mean '%s'?", table->title, name,
                   near);
    char list[600] = "";
    size_t used = 0;
    for (int i = 0; i < table->ncolumn && used < 500; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "", table->name[i]);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column '%.100s', but %s", table->title, name, list);
}

static bool are_impulses(const char *names)
{
    for (;; names += strcspn(names, ",") + 1) {
        size_t length = strcspn(names, ",");
        if (!memmem(names, length, ".impulse", 8))
            return false;
        if (!names[length])
            return true;
    }
}

/* A panel over the common x: "y,z". */
static carom_status ask_panel(panels *p, const char *names, carom_error *error)
{
    carom_chart *chart = NULL;
    char *copy = carom_arena_text(p->arena, names, strlen(names)), *rest = copy;
    const carom_chart_style style = are_impulses(names) ? CAROM_CHART_STEMS : CAROM_CHART_LINE;
    if (!copy)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of a panel");
    CAROM_TRY(add_chart(p, &chart, error));
    while (rest) {
        int column;
        CAROM_TRY(find(p->table, strsep(&rest, ","), &column, error));
        CAROM_TRY(add_column(p, chart, p->table->name[column], p->x, column, style, error));
    }
    return CAROM_OK;
}

static carom_status add_phase(panels *p, const char *x, const char *y, carom_error *error)
{
    int columns[2];
    carom_chart *chart = NULL;
    CAROM_TRY(find(p->table, x, &columns[0], error));
    CAROM_TRY(find(p->table, y, &columns[1], error));
    CAROM_TRY(add_chart(p, &chart, error));
    chart->zoom_both = true;
    chart->x_label = x;
    chart->y_label = carom_arena_format(p->arena, "%s against %s", y, x);
    return add_column(p, chart, NULL, columns[0], columns[1], CAROM_CHART_PATH, error);
}

static bool has_values(const carom_columns *table, int i)
{
    for (size_t k = 0; k < table->nrow; k++)
        if (table->column[i][k] != 0)
            return true;
    return false;
}

/* A panel of the columns of these kinds (bits); forces and impulses only where there are any. */
static carom_status gather(panels *p, unsigned kinds, carom_chart_style style, carom_error *error)
{
    const carom_columns *t = p->table;
    const bool sparse = kinds == 1u << CAROM_COLUMN_FORCE || kinds == 1u << CAROM_COLUMN_IMPULSE;
    carom_chart *chart = NULL;
    for (int i = 0; i < t->ncolumn; i++) {
        const bool wanted = kinds >> carom_columns_kind(t, i) & 1 && (!sparse || has_values(t, i));
        if (i == p->x || !wanted || (chart && chart->nseries == CURVES_MOST))
            continue;
        if (!chart)
            CAROM_TRY(add_chart(p, &chart, error));
        CAROM_TRY(add_column(p, chart, t->name[i], p->x, i, style, error));
    }
    return CAROM_OK;
}

static carom_status standard_panels(panels *p, carom_error *error)
{
    CAROM_TRY(gather(p, 1u << CAROM_COLUMN_COORDINATE, CAROM_CHART_LINE, error));
    CAROM_TRY(gather(p, 1u << CAROM_COLUMN_VELOCITY, CAROM_CHART_LINE, error));
    if (p->n == 0)
        return gather(p, ~(1u << CAROM_COLUMN_TIME), CAROM_CHART_LINE, error);
    CAROM_TRY(gather(p, 1u << CAROM_COLUMN_FORCE, CAROM_CHART_LINE, error));
    CAROM_TRY(gather(p, 1u << CAROM_COLUMN_IMPULSE, CAROM_CHART_STEMS, error));
    if (!p->plot->portrait || p->n < 2)
        return CAROM_OK;
    const char *q = p->chart[0].series[0].name, *v = carom_arena_format(p->arena, "%s'", q);
    return add_phase(p, q, v ? v : "", error);
}

static carom_status choose(panels *p, carom_error *error)
{
    const carom_plot *plot = p->plot;
    const carom_columns *table = p->table;
    double range[2] = {INFINITY, -INFINITY};
    p->x = CAROM_MAX(carom_columns_find(table, "t"), 0);
    if (plot->x)
        CAROM_TRY(find(table, plot->x, &p->x, error));
    for (int i = 0; i < plot->npanel; i++)
        CAROM_TRY(ask_panel(p, plot->panels[i], error));
    if (plot->npanel == 0 && plot->nphase == 0)
        CAROM_TRY(standard_panels(p, error));
    for (int i = 0; i < plot->nphase; i++)
        CAROM_TRY(add_phase(p, plot->phase[2 * i], plot->phase[2 * i + 1], error));
    if (p->n == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has nothing to plot against '%s'", table->title,
                   table->name[p->x]);
    limit(table, p->x, range);
    for (int i = 0; i < p->n; i++)
        if (!p->chart[i].zoom_both) {
            p->chart[i].x_label = table->name[p->x];
            p->chart[i].x_from = range[0], p->chart[i].x_to = range[1];
        }
    return CAROM_OK;
}

carom_status carom_svg_plot(const char *path, FILE *stream, const carom_columns *table, const carom_plot *plot,
                            carom_error *error)
{
    static const carom_plot standard = {.size = sizeof standard};
    CAROM_NEED(table, error);
    if (plot)
        CAROM_SIZED(plot, carom_plot, error);
    panels p = {.table = table, .plot = plot ? plot : &standard, .arena = carom_arena_new(0)};
    if (!p.arena)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture");
    carom_status status = table->nrow ? choose(&p, error)
                                      : carom_fail(error, CAROM_BAD_ARGUMENT, "'%s' has no rows to plot", table->title);
    if (status == CAROM_OK)
        p.chart[0].paper = p.plot->paper;
    if (status == CAROM_OK)
        status = carom_charts_stack(path, stream, p.plot->title ? p.plot->title : table->title, p.chart, p.n,
                                    p.plot->width, p.plot->height, error);
    carom_arena_free(p.arena);
    return status;
}
