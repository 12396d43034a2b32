/* map.c: where things stand in the picture of a map, in pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/map/map.h"

enum { LEFT = 92, TOP = 40, BOTTOM = 64, GAP = 24, BAR = 22, LEAST = 480, MOST = 4000, SWATCH = 16, LINE = 22 };
enum { TEXT = 16, TITLE = 19, DROP = 6 }; /* sizes of letters; how far below the middle of a line they stand */

static const carom_colour ink = {24, 24, 24}, paper = {255, 255, 255};

typedef struct picture {
    carom_canvas canvas;
    const carom_map_scale *scale;
    int width, height; /* of the cells */
    int right;         /* of what stands beside them */
} picture;

/* Every cell takes the same whole number of pixels, or a pixel takes one of several cells. */
static int extent(int n)
{
    return n >= MOST ? MOST : n * CAROM_MAX(1, (LEAST + n - 1) / n);
}

static int text_width(const char *text)
{
    return (int)carom_text_width(text, TEXT);
}

/* "x1e-3 +2.5": what the labels of an axis leave out. */
static void axis_note(const carom_axis *axis, char *text, size_t size)
{
    *text = 0;
    if (axis->shift)
        snprintf(text, size, " x1e%d", axis->shift);
    if (axis->base)
        snprintf(text + strlen(text), size - strlen(text), " %+.6g", (double)axis->base * pow(10, axis->exponent));
}

static void fit(carom_axis *axis, const carom_map_side *side, int begin, int end, int ticks)
{
    const double half = side->n > 1 ? 0.5 * (side->to - side->from) / (side->n - 1) : 0.5;
    const double low = side->from - half, high = side->to + half;
    carom_axis_fit(axis, fmin(low, high), fmax(low, high), 0, ticks);
    axis->begin = low <= high ? begin : end;
    axis->end = low <= high ? end : begin;
}

static void draw_cells(picture *p)
{
    const carom_heatmap *m = p->scale->map;
    for (int j = 0; j < p->height; j++)
        for (int i = 0; i < p->width; i++) {
            const int a = (int)((long long)i * m->x.n / p->width),
                      b = (int)((long long)(p->height - 1 - j) * m->y.n / p->height);
            carom_canvas_box(&p->canvas, LEFT + i, TOP + j, 1, 1, carom_map_cell(p->scale, a, b));
        }
}

static void draw_frame(picture *p, int x, int y, int width, int height)
{
    carom_canvas_box(&p->canvas, x - 2, y - 2, width + 4, 2, ink);
    carom_canvas_box(&p->canvas, x - 2, y + height, width + 4, 2, ink);
    carom_canvas_box(&p->canvas, x - 2, y - 2, 2, height + 4, ink);
    carom_canvas_box(&p->canvas, x + width, y - 2, 2, height + 4, ink);
}

static void draw_axis(picture *p, bool upright)
{
    const carom_map_side *side = upright ? &p->scale->map->y : &p->scale->map->x;
    const int bottom = TOP + p->height;
    carom_axis axis;
    char text[100], note[40];
    if (upright)
        fit(&axis, side, bottom, TOP, CAROM_MAX(3, p->height / 60));
    else
        fit(&axis, side, LEFT, LEFT + p->width, CAROM_MAX(3, p->width / 110));
    for (int i = 0; i < axis.count; i++) {
        const int at = (int)carom_axis_place(&axis, carom_axis_tick(&axis, i));
        carom_axis_label(&axis, i, text);
        carom_canvas_box(&p->canvas, upright ? LEFT - 8 : at - 1, upright ? at - 1 : bottom + 2, upright ? 6 : 2,
                         upright ? 2 : 6, ink);
        carom_canvas_text(&p->canvas, upright ? LEFT - 12 - text_width(text) : at - text_width(text) / 2,
                          upright ? at + DROP : bottom + 24, TEXT, false, text, ink);
    }
    axis_note(&axis, note, sizeof note);
    snprintf(text, sizeof text, "%.50s%s", side->name, note);
    carom_canvas_text(&p->canvas, upright ? 20 : LEFT + (p->width - text_width(text)) / 2,
                      upright ? TOP + (p->height + text_width(text)) / 2 : bottom + 50, TEXT, upright, text, ink);
}

static void draw_bar(picture *p, int height)
{
    const carom_map_scale *s = p->scale;
    carom_axis axis;
    char text[80];
    const int x = LEFT + p->width + GAP;
    for (int j = 0; j < height; j++)
        carom_canvas_box(&p->canvas, x, TOP + j, BAR, 1,
                         carom_map_colour(s, s->high - (s->high - s->low) * (j + 0.5) / height));
    draw_frame(p, x, TOP, BAR, height);
    carom_axis_fit(&axis, s->low, s->high, 0, CAROM_MAX(3, height / 60));
    axis.begin = TOP + height, axis.end = TOP;
    for (int i = 0; i < axis.count; i++) {
        const int y = (int)carom_axis_place(&axis, carom_axis_tick(&axis, i));
        carom_axis_label(&axis, i, text);
        carom_canvas_box(&p->canvas, x + BAR + 2, y - 1, 6, 2, ink);
        carom_canvas_text(&p->canvas, x + BAR + 12, y + DROP, TEXT, false, text, ink);
    }
    axis_note(&axis, text, sizeof text);
    carom_canvas_text(&p->canvas, x, TOP + height + 20, TEXT, false, text, ink);
}

static int legend_lines(const carom_map_scale *s, int *widest)
{
    carom_colour colour;
    const char *text;
    int n = 0;
    *widest = 0;
    for (; carom_map_legend(s, n, &colour, &text); n++)
        *widest = CAROM_MAX(*widest, text_width(text));
    return n;
}

static void draw_legend(picture *p, int y)
{
    carom_colour colour;
    const char *text;
    const int x = LEFT + p->width + GAP;
    for (int k = 0; carom_map_legend(p->scale, k, &colour, &text); k++, y += LINE) {
        carom_canvas_box(&p->canvas, x - 1, y - 1, SWATCH + 2, SWATCH + 2, ink);
        carom_canvas_box(&p->canvas, x, y, SWATCH, SWATCH, colour);
        carom_canvas_text(&p->canvas, x + SWATCH + 8, y + SWATCH / 2 + DROP, TEXT, false, text, ink);
    }
}

static carom_status write_png(const char *path, const carom_map_scale *scale, carom_error *error)
{
    const carom_heatmap *m = scale->map;
    picture p = {.scale = scale, .width = extent(m->x.n), .height = extent(m->y.n)};
    int widest;
    const int lines = legend_lines(scale, &widest);
    p.right = CAROM_MAX(GAP + BAR + 110, GAP + SWATCH + 16 + widest);
    p.canvas.width = LEFT + p.width + p.right;
    p.canvas.height = TOP + p.height + BOTTOM;
    p.canvas.rgb = malloc(3 * (size_t)p.canvas.width * (size_t)p.canvas.height);
    if (!p.canvas.rgb)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture of %d x %d pixels", p.canvas.width,
                   p.canvas.height);
    carom_canvas_box(&p.canvas, 0, 0, p.canvas.width, p.canvas.height, paper);
    draw_cells(&p);
    draw_frame(&p, LEFT, TOP, p.width, p.height);
    draw_axis(&p, false);
    draw_axis(&p, true);
    double size = CAROM_MIN(TITLE, TITLE * (p.canvas.width - LEFT - 8) / fmax(carom_text_width(m->title, TITLE), 1));
    carom_canvas_text(&p.canvas, LEFT, 26, fmax(size, 9), false, m->title, ink);
    const int bar = m->category ? 0 : p.height - LINE * lines - (lines ? GAP : 0);
    if (!m->category)
        draw_bar(&p, bar);
    draw_legend(&p, TOP + bar + (bar ? GAP + 8 : 0));
    carom_status status = carom_png_write(path, &p.canvas, error);
    free(p.canvas.rgb);
    return status;
}

carom_status carom_map_write(const char *path, const carom_heatmap *map, carom_error *error)
{
    carom_map_scale scale;
    CAROM_TRY(carom_map_scale_fit(&scale, map, error));
    if (carom_ends_with(path, ".png"))
        return write_png(path, &scale, error);
    if (carom_ends_with(path, ".svg"))
        return carom_map_svg(path, &scale, error);
    if (carom_ends_with(path, ".html"))
        return carom_map_page(path, &scale, error);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a picture ends in .png, .svg or .html, '%s' does not", path);
}

bool carom_map_drawable(const char *path)
{
    return carom_ends_with(path, ".png") || carom_ends_with(path, ".svg") || carom_ends_with(path, ".html");
}
