/* dots.c: clouds of points, and vertical marks. A cloud is drawn on cells of half a pixel, each once; cells that
 * follow each other in a column become one stroke, so that the size of the file is bounded by the picture, not by the
 * data. */
#include <math.h>
#include <stdlib.h>

#include "output/svg/svg.h"

static const double CELL = 0.5;

static void put_stroke(carom_stream *out, const carom_frame *f, long column, long from, long to)
{
    carom_stream_text(out, "M", 1);
    carom_svg_pixel(out, f->left + ((double)column + 0.5) * CELL);
    carom_stream_text(out, " ", 1);
    carom_svg_pixel(out, f->top + ((double)from + 0.5) * CELL);
    carom_stream_text(out, "v", 1);
    carom_svg_pixel(out, (double)(to - from) * CELL);
}

static void put_columns(carom_stream *out, const carom_frame *f, const unsigned char *seen, long columns, long rows)
{
    for (long x = 0; x < columns; x++)
        for (long y = 0; y < rows; y++) {
            long from = y;
            while (y < rows && seen[x * rows + y])
                y++;
            if (y > from)
                put_stroke(out, f, x, from, y - 1);
        }
}

void carom_curve_dots(carom_stream *out, const carom_frame *f, const carom_curve *c)
{
    long columns = (long)(f->width / CELL) + 1, rows = (long)(f->height / CELL) + 1;
    unsigned char *seen = calloc((size_t)(columns * rows), 1);
    char text[64];
    if (!seen) {
        if (out->error.status == CAROM_OK)
            carom_fail(&out->error, CAROM_NO_MEMORY, "no memory for drawing '%s'", out->path);
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        if (!isfinite(c->x[i]) || !isfinite(c->y[i]))
            continue;
        long x = (long)floor((carom_axis_place(&f->x, c->x[i]) - f->left) / CELL);
        long y = (long)floor((carom_axis_place(&f->y, c->y[i]) - f->top) / CELL);
        if (x >= 0 && y >= 0 && x < columns && y < rows)
            seen[x * rows + y] = 1;
    }
    snprintf(text, sizeof text, "<path class=\"c%d d\" d=\"", c->colour % CAROM_COLOURS);
    carom_stream_string(out, text);
    put_columns(out, f, seen, columns, rows);
    carom_stream_string(out, "\"/>\n");
    free(seen);
}

void carom_svg_mark(carom_stream *out, const carom_frame *f, const carom_plot_mark *mark, bool label)
{
    char text[160];
    double x = carom_axis_place(&f->x, mark->x);
    if (!(x >= f->left && x <= f->left + f->width))
        return;
    snprintf(text, sizeof text, "<path class=\"frame j\" d=\"M%.1f %dv%d\"/>\n", x, (int)f->top, (int)f->height);
    carom_stream_string(out, text);
    if (!label || !mark->text)
        return;
    bool left = x > f->left + 0.7 * f->width;
    snprintf(text, sizeof text, "<text%s x=\"%.1f\" y=\"%d\">", left ? " class=\"n\"" : "", x + (left ? -4 : 4),
             (int)f->top + 13);
    carom_stream_string(out, text);
    carom_svg_text(out, mark->text, 40);
    carom_stream_string(out, "</text>\n");
}
