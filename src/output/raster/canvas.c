/* canvas.c: boxes, polygons, lines, letters and triangles in an array of pixels.
 *
 * A polygon covers a part of each pixel at its edge: every row is cut into SLICES lines, on each of which the spans
 * inside are known exactly; the colour is blended with the part that they cover together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/raster/font.h"
#include "output/raster/raster.h"

enum { SLICES = 4, CROSSINGS = 256, POINTS = 512, ROUND = 24 };

void carom_canvas_box(carom_canvas *c, int x, int y, int width, int height, carom_colour colour)
{
    const int right = CAROM_MIN(x + width, c->width), bottom = CAROM_MIN(y + height, c->height);
    for (int j = CAROM_MAX(y, 0); j < bottom; j++)
        for (int i = CAROM_MAX(x, 0); i < right; i++) {
            unsigned char *to = c->rgb + 3 * ((size_t)j * (size_t)c->width + (size_t)i);
            to[0] = colour.r, to[1] = colour.g, to[2] = colour.b;
        }
}

/* ---- polygons ---- */
typedef struct crossings {
    double x[CROSSINGS];
    int n;
} crossings;

/* Where the line y meets the edges, in order. */
static void cross(crossings *to, double y, const double *xy, const int *count, int polygons)
{
    to->n = 0;
    for (int p = 0; p < polygons; xy += 2 * count[p++])
        for (int i = 0; i < count[p]; i++) {
            const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count[p]);
            if ((a[1] <= y) == (b[1] <= y) || to->n == CROSSINGS)
                continue;
            double x = a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]);
            int k = to->n++;
            for (; k > 0 && to->x[k - 1] > x; k--)
                to->x[k] = to->x[k - 1];
            to->x[k] = x;
        }
}

/* Adds a slice from a to b to what is covered of the pixels first ... first + n - 1. */
static void cover_span(float *cover, int first, int n, double a, double b)
{
    a = fmax(a - first, 0), b = fmin(b - first, n);
    for (int i = (int)a; i < n && i < b; i++)
        cover[i] += (float)((fmin(b, i + 1) - fmax(a, i)) / SLICES);
}

static void blend(carom_canvas *c, int x, int y, double part, carom_colour colour)
{
    unsigned char *to = c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    const double ink[3] = {colour.r, colour.g, colour.b};
    for (int i = 0; i < 3; i++)
        to[i] = (unsigned char)(to[i] + fmin(part, 1) * (ink[i] - to[i]) + 0.5);
}

void carom_canvas_fill(carom_canvas *c, const double *xy, const int *count, int polygons, carom_colour colour)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int points = 0;
    for (int p = 0; p < polygons; p++)
        points += count[p];
    for (int i = 0; i < 2 * points; i++) {
        if (!isfinite(xy[i]))
            return;
        low[i % 2] = fmin(low[i % 2], xy[i]), high[i % 2] = fmax(high[i % 2], xy[i]);
    }
    if (!(low[0] < c->width && low[1] < c->height && high[0] > 0 && high[1] > 0))
        return;
    const int left = (int)fmax(0, floor(low[0])), right = (int)fmin(c->width, ceil(high[0]));
    const int top = (int)fmax(0, floor(low[1])), bottom = (int)fmin(c->height, ceil(high[1]));
    float *cover = malloc(((size_t)CAROM_MAX(right - left, 0) + 1) * sizeof *cover);
    crossings at;
    c->failed |= !cover;
    for (int y = top; cover && y < bottom; y++) {
        memset(cover, 0, sizeof *cover * (size_t)(right - left));
        for (int slice = 0; slice < SLICES; slice++) {
            cross(&at, y + (slice + 0.5) / SLICES, xy, count, polygons);
            for (int k = 0; k + 1 < at.n; k += 2)
                cover_span(cover, left, right - left, at.x[k], at.x[k + 1]);
        }
        for (int i = 0; i < right - left; i++)
            if (cover[i] > 0)
                blend(c, left + i, y, cover[i], colour);
    }
    free(cover);
}

void carom_canvas_disc(carom_canvas *c, double x, double y, double radius, carom_colour colour)
{
    double xy[2 * ROUND];
    const int n = ROUND;
    for (int i = 0; i < ROUND; i++) {
        double a = 6.283185307179586 * i / ROUND;
        xy[2 * i] = x + radius * cos(a), xy[2 * i + 1] = y + radius * sin(a);
    }
    carom_canvas_fill(c, xy, &n, 1, colour);
}

void carom_canvas_line(carom_canvas *c, const double *xy, int n, bool closed, double width, carom_colour colour)
{
    const int four = 4;
    for (int i = 0; i + 1 < n + closed; i++) {
        const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % n);
        double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy), s = length > 0 ? width / 2 / length : 0;
        const double side[8] = {a[0] - s * dy, a[1] + s * dx, b[0] - s * dy, b[1] + s * dx,
                                b[0] + s * dy, b[1] - s * dx, a[0] + s * dy, a[1] - s * dx};
        carom_canvas_fill(c, side, &four, 1, colour);
    }
    for (int i = 0; i < n && width > 1.5; i++)
        carom_canvas_disc(c, xy[2 * i], xy[2 * i + 1], width / 2, colour);
}

/* ---- letters ---- */
/* The next character of a text in UTF-8; what is none counts as one that is not there. */
static unsigned next_code(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    int bytes = CAROM_MAX(carom_output_utf8(*text), 1);
    unsigned code = bytes == 1 ? c[0] : bytes == 2 ? c[0] & 0x1fu : bytes == 3 ? c[0] & 0x0fu : c[0] & 0x07u;
    for (int i = 1; i < bytes; i++)
        code = code << 6 | (c[i] & 0x3fu);
    *text += bytes;
    return code == 0xb5 ? 0x3bc : code; /* the micro sign */
}

static const signed char *letter(const char **text, int *width)
{
    const signed char *outline = carom_font_glyph(next_code(text), width);
    return outline ? outline : carom_font_glyph('?', width);
}

double carom_text_width(const char *text, double size)
{
    int sum = 0, width;
    while (*text) {
        letter(&text, &width);
        sum += width;
    }
    return sum * size / CAROM_FONT_EM;
}

void carom_canvas_text(carom_canvas *c, double x, double y, double size, bool upright, const char *text,
                       carom_colour colour)
{
    const double scale = size / CAROM_FONT_EM;
    while (*text) {
        double xy[2 * POINTS];
        int count[16], polygons = 0, points = 0, width;
        const signed char *o = letter(&text, &width);
        for (; *o && polygons < 16 && points + *o <= POINTS; o += 1 + 2 * *o) {
            count[polygons++] = *o;
            for (int i = 0; i < *o; i++, points++) {
                double along = scale * o[1 + 2 * i], up = scale * o[2 + 2 * i];
                xy[2 * points] = upright ? x - up : x + along;
                xy[2 * points + 1] = upright ? y - along : y - up;
            }
        }
        carom_canvas_fill(c, xy, count, polygons, colour);
        *(upright ? &y : &x) += (upright ? -scale : scale) * width;
    }
}

/* ---- triangles ---- */
void carom_canvas_triangle(carom_canvas *c, const double corner[3][3], const double *light, carom_colour colour)
{
    const double *a = corner[0], *b = corner[1], *d = corner[2];
    double twice = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
    if (!(fabs(twice) > 0) || !isfinite(twice))
        return;
    const int left = (int)fmax(0, floor(fmin(fmin(a[0], b[0]), d[0]))),
              top = (int)fmax(0, floor(fmin(fmin(a[1], b[1]), d[1]))),
              right = (int)fmin(c->width - 1, ceil(fmax(fmax(a[0], b[0]), d[0]))),
              bottom = (int)fmin(c->height - 1, ceil(fmax(fmax(a[1], b[1]), d[1])));
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double u = ((b[0] - x) * (d[1] - y) - (d[0] - x) * (b[1] - y)) / twice,
                   v = ((d[0] - x) * (a[1] - y) - (a[0] - x) * (d[1] - y)) / twice, w = 1 - u - v;
            if (u < 0 || v < 0 || w < 0)
                continue;
            size_t at = (size_t)y * (size_t)c->width + (size_t)x;
            float depth = (float)(u * a[2] + v * b[2] + w * d[2]);
            if (!(depth < c->depth[at]))
                continue;
            double bright = fmin(1, u * light[0] + v * light[1] + w * light[2]);
            c->depth[at] = depth;
            c->rgb[3 * at] = (unsigned char)(bright * colour.r);
            c->rgb[3 * at + 1] = (unsigned char)(bright * colour.g);
            c->rgb[3 * at + 2] = (unsigned char)(bright * colour.b);
        }
}
