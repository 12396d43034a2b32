/* thin.c: a page holds what a wide screen can show, and a good deal more for zooming in.
 *   lines, stems, steps   of every piece of the x axis: the first, the least, the largest and the last point
 *   paths                 points that are apart by more than a part of the picture
 *   points                one of each small cell of the picture
 *   bands                 neighbours with hardly a gap between them are joined */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/parts.h"

enum { PLAIN = 6000, PIECES = 1500, PATH_MOST = 20000, POINTS_MOST = 40000, CELLS_X = 2400, CELLS_Y = 1200 };

typedef struct span {
    double low, high;
} span;

static double on_axis(double value, bool log)
{
    return log ? (value > 0 ? log10(value) : NAN) : value;
}

static span extent(const double *values, size_t n, bool log)
{
    span s = {INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        double v = on_axis(values[i], log);
        if (isfinite(v)) {
            s.low = fmin(s.low, v);
            s.high = fmax(s.high, v);
        }
    }
    if (!(s.high > s.low))
        s = (span){s.low - 1, s.low + 1};
    return s;
}

static void keep(carom_page_thinned *to, const carom_chart_series *s, size_t i)
{
    to->x[to->n] = s->x[i];
    to->y[to->n++] = s->y[i];
}

static bool is_point(const carom_chart_series *s, size_t i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]);
}

/* Points [from, end) of one piece, at most four of them, in their order. */
static void keep_extremes(carom_page_thinned *to, const carom_chart_series *s, size_t from, size_t end)
{
    size_t low = from, high = from;
    for (size_t i = from; i < end; i++) {
        low = s->y[i] < s->y[low] ? i : low;
        high = s->y[i] > s->y[high] ? i : high;
    }
    size_t order[4] = {from, CAROM_MIN(low, high), CAROM_MAX(low, high), end - 1};
    for (int k = 0; k < 4; k++)
        if (k == 0 || order[k] != order[k - 1])
            keep(to, s, order[k]);
}

static void thin_line(carom_page_thinned *to, const carom_chart_series *s, span x, bool logx)
{
    for (size_t i = 0; i < s->n;) {
        if (!is_point(s, i)) {
            if (to->n && isfinite(to->y[to->n - 1]))
                keep(to, s, i);
            i++;
            continue;
        }
        double piece = floor((on_axis(s->x[i], logx) - x.low) / (x.high - x.low) * PIECES);
        size_t end = i + 1;
        while (end < s->n && is_point(s, end) &&
               floor((on_axis(s->x[end], logx) - x.low) / (x.high - x.low) * PIECES) == piece)
            end++;
        keep_extremes(to, s, i, end);
        i = end;
    }
}

static void thin_path(carom_page_thinned *to, const carom_chart_series *s, span x, span y)
{
    for (double least = 1.0 / CELLS_X;; least *= 1.5) {
        double lx = NAN, ly = NAN;
        to->n = 0;
        for (size_t i = 0; i < s->n; i++) {
            double px = (s->x[i] - x.low) / (x.high - x.low), py = (s->y[i] - y.low) / (y.high - y.low);
            if (i + 1 < s->n && fabs(px - lx) + fabs(py - ly) < least)
                continue;
            if (!is_point(s, i) && to->n && !isfinite(to->y[to->n - 1]))
                continue;
            keep(to, s, i);
            lx = px, ly = py;
        }
        if (to->n <= PATH_MOST || least > 1)
            return;
    }
}

static void keep_cells(carom_page_thinned *to, const carom_chart_series *s, const carom_chart *plot, span x,
                       span y, unsigned char *seen, int columns, int rows)
{
    to->n = 0;
    for (size_t i = 0; i < s->n; i++) {
        double px = (on_axis(s->x[i], plot->logx) - x.low) / (x.high - x.low);
        double py = (on_axis(s->y[i], plot->logy) - y.low) / (y.high - y.low);
        if (!(px >= 0 && px <= 1 && py >= 0 && py <= 1))
            continue;
        size_t cell = (size_t)(px * (columns - 1)) * (size_t)rows + (size_t)(py * (rows - 1));
        if (!seen[cell])
            keep(to, s, i);
        seen[cell] = 1;
    }
}

static carom_status thin_points(carom_page_thinned *to, const carom_chart_series *s, const carom_chart *plot,
                                span x, span y, carom_error *error)
{
    unsigned char *seen = malloc((size_t)CELLS_X * CELLS_Y);
    if (!seen)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for thinning %zu points", s->n);
    for (int columns = CELLS_X, rows = CELLS_Y; columns > 100; columns = columns * 3 / 4, rows = rows * 3 / 4) {
        memset(seen, 0, (size_t)CELLS_X * CELLS_Y);
        keep_cells(to, s, plot, x, y, seen, columns, rows);
        if (to->n <= POINTS_MOST)
            break;
    }
    free(seen);
    return CAROM_OK;
}

/* Pairs of points, each pair followed by a NaN. */
static void thin_bands(carom_page_thinned *to, const carom_chart_series *s, span x, bool logx)
{
    double close = (x.high - x.low) / CELLS_X;
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (!is_point(s, i) || !is_point(s, i + 1))
            continue;
        bool joins = to->n >= 3 && to->y[to->n - 2] == s->y[i] &&
                     on_axis(s->x[i], logx) - on_axis(to->x[to->n - 2], logx) < close;
        if (joins) {
            to->x[to->n - 2] = s->x[i + 1];
        } else {
            keep(to, s, i);
            keep(to, s, i + 1);
            to->x[to->n] = to->y[to->n] = NAN;
            to->n++;
        }
        i++;
    }
}

carom_status carom_page_thin(const carom_chart_series *s, const carom_chart *plot, carom_page_thinned *thin,
                             carom_error *error)
{
    *thin = (carom_page_thinned){.n = s->n, .kept = true};
    if (s->n <= PLAIN)
        return CAROM_OK;
    *thin = (carom_page_thinned){.x = malloc((2 * s->n + 8) * sizeof(double)),
                                 .y = malloc((2 * s->n + 8) * sizeof(double))};
    if (!thin->x || !thin->y) {
        free(thin->x);
        free(thin->y);
        *thin = (carom_page_thinned){0};
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a plot of %zu points", s->n);
    }
    span x = extent(s->x, s->n, plot->logx), y = extent(s->y, s->n, plot->logy);
    carom_status status = CAROM_OK;
    if (s->style == CAROM_CHART_BAND)
        thin_bands(thin, s, x, plot->logx);
    else if (s->style == CAROM_CHART_PATH)
        thin_path(thin, s, x, y);
    else if (s->style == CAROM_CHART_POINTS || s->style == CAROM_CHART_LINE_POINTS ||
             s->style == CAROM_CHART_CLOUD)
        status = thin_points(thin, s, plot, x, y, error);
    else
        thin_line(thin, s, x, plot->logx);
    return status;
}
