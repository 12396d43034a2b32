/* svg.c: a map as SVG: one rectangle for each run of cells of one colour. */
#include <math.h>
#include <stdio.h>

#include "output/map/map.h"

enum { LEFT = 70, TOP = 34, BOTTOM = 50, SIZE = 480, RIGHT = 220, BAR = 20, STEPS = 64 };

static void box(carom_stream *out, double x, double y, double width, double height, carom_colour c)
{
    carom_stream_format(out,
                        "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" fill=\"#%02x%02x%02x\"/>\n", x, y,
                        width, height, c.r, c.g, c.b);
}

static void words(carom_stream *out, double x, double y, const char *attributes, const char *text)
{
    carom_svg_text(out, text, 60, "<text x=\"%.6g\" y=\"%.6g\"%s>", x, y, attributes);
}

static void cells(carom_stream *out, const carom_map_scale *s)
{
    const int nx = s->map->x.n, ny = s->map->y.n;
    const double w = (double)SIZE / nx, h = (double)SIZE / ny;
    for (int j = 0; j < ny; j++)
        for (int i = 0, k; i < nx; i = k) {
            const carom_colour c = carom_map_cell(s, i, j);
            for (k = i + 1; k < nx; k++) {
                const carom_colour d = carom_map_cell(s, k, j);
                if (c.r != d.r || c.g != d.g || c.b != d.b)
                    break;
            }
            box(out, LEFT + i * w, TOP + (ny - 1 - j) * h, (k - i) * w, h, c);
        }
}

static void axes(carom_stream *out, const carom_heatmap *m)
{
    const carom_map_side *sides[] = {&m->x, &m->y};
    for (int d = 0; d < 2; d++) {
        carom_axis axis;
        char label[64], note[64], name[160];
        const double half = sides[d]->n > 1 ? 0.5 * (sides[d]->to - sides[d]->from) / (sides[d]->n - 1) : 0.5;
        const double low = sides[d]->from - half, high = sides[d]->to + half, first = d ? TOP + SIZE : LEFT,
                     last = d ? TOP : LEFT + SIZE;
        carom_axis_fit(&axis, fmin(low, high), fmax(low, high), 0, 7);
        axis.begin = low <= high ? first : last, axis.end = low <= high ? last : first;
        for (int i = 0; i < axis.count; i++) {
            const double at = carom_axis_place(&axis, carom_axis_tick(&axis, i));
            carom_axis_label(&axis, i, label);
            words(out, d ? LEFT - 8 : at, d ? at + 4 : TOP + SIZE + 18,
                  d ? " text-anchor=\"end\"" : " text-anchor=\"middle\"", label);
            box(out, d ? LEFT - 5 : at - 0.5, d ? at - 0.5 : TOP + SIZE, d ? 5 : 1, d ? 1 : 5,
                (carom_colour){24, 24, 24});
        }
        carom_axis_note(&axis, note);
        snprintf(name, sizeof name, "%.80s %s", sides[d]->name, note);
        if (d) {
            char turn[80];
            snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\"", TOP + SIZE / 2);
            words(out, 16, TOP + SIZE / 2, turn, name);
        } else {
            words(out, LEFT + SIZE / 2, TOP + SIZE + 38, " text-anchor=\"middle\"", name);
        }
    }
}

static double bar(carom_stream *out, const carom_map_scale *s)
{
    const double x = LEFT + SIZE + 20, height = 0.7 * SIZE;
    carom_axis axis;
    char label[64];
    if (s->map->category)
        return TOP;
    for (int k = 0; k < STEPS; k++)
        box(out, x, TOP + height * k / STEPS, BAR, height / STEPS + 0.5,
            carom_map_colour(s, s->high - (s->high - s->low) * (k + 0.5) / STEPS));
    carom_axis_fit(&axis, s->low, s->high, 0, 8);
    axis.begin = TOP + height, axis.end = TOP;
    for (int i = 0; i < axis.count; i++) {
        carom_axis_label(&axis, i, label);
        words(out, x + BAR + 6, carom_axis_place(&axis, carom_axis_tick(&axis, i)) + 4, "", label);
    }
    carom_axis_note(&axis, label);
    words(out, x, TOP + height + 18, "", label);
    return TOP + height + 30;
}

void carom_map_svg_put(carom_stream *out, const carom_map_scale *scale)
{
    carom_colour colour;
    const char *text;
    carom_stream_format(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
             "font-family=\"sans-serif\" font-size=\"13\" shape-rendering=\"crispEdges\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM, LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM);
    cells(out, scale);
    axes(out, scale->map);
    words(out, LEFT, 20, "", scale->map->title);
    double y = bar(out, scale);
    for (int k = 0; carom_map_legend(scale, k, &colour, &text); k++, y += 20) {
        box(out, LEFT + SIZE + 20, y, 14, 14, colour);
        words(out, LEFT + SIZE + 40, y + 12, "", text);
    }
    carom_stream_string(out, "</svg>\n");
}

carom_status carom_map_svg(const char *path, const carom_map_scale *scale, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(carom_stream_open(&out, path, NULL, error));
    carom_map_svg_put(&out, scale);
    carom_stream_mark(&out);
    return carom_stream_close(&out, error);
}
