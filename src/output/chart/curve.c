/* curve.c: columns of numbers as paths of a few points per pixel.
 *
 * Series: a run is what lies in one column of pixels between two jumps; of a run the least and the largest point
 * are drawn, in the order in which they come, so peaks survive whatever the number of rows. A jump lifts the pen,
 * and a thin dashed line joins its two sides. Where jumps are closer than that can show they are drawn through.
 * Phase portraits: a piece of the path is drawn if it enters cells of 2 pixels where nothing was drawn before, apart
 * from the last few pieces; the more is drawn, the more of a piece has to be new.
 * Clouds: drawn on cells of half a pixel, each once; cells that follow each other in a column become one stroke, so
 * that the size of the file is bounded by the picture, not by the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/chart/engine.h"

enum { JUMPS_MOST = 300, JUMPS_PER_PIXEL = 2, CELL = 2, RECENT = 4, ROWS_PLAIN = 4000 };

/* With one decimal, where it is not 0. */
static void put_pixel(carom_stream *out, double value)
{
    long tenths = lround(fmax(-1e6, fmin(1e6, value)) * 10);
    carom_stream_format(out, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
    if (tenths % 10)
        carom_stream_format(out, ".%ld", labs(tenths) % 10);
}

static void put_point(carom_stream *out, char command, double x, double y)
{
    carom_stream_text(out, &command, 1);
    put_pixel(out, x);
    carom_stream_text(out, " ", 1);
    put_pixel(out, y);
}

static void begin_path(carom_stream *out, int colour, const char *more)
{
    carom_stream_format(out, "<path class=\"c%d%s\" d=\"", colour % CAROM_COLOURS, more);
}

static bool is_jump(const carom_curve *c, size_t i)
{
    if (i == 0)
        return false;
    if (!c->side)
        return !c->phase && c->x[i] == c->x[i - 1];
    return c->side[i] > 0 && c->side[i - 1] < 0;
}

static bool jumps_show(const carom_curve *c)
{
    size_t jumps = 0;
    for (size_t i = 1; i < c->n && jumps <= JUMPS_MOST; i++)
        jumps += is_jump(c, i) && c->y[i] != c->y[i - 1];
    return jumps <= JUMPS_MOST;
}

typedef struct run {
    bool any;
    bool down;            /* the pen: the run continues a line */
    long pixel;
    int jumps;            /* in this pixel */
    size_t count;
    double x_low, low, x_high, high; /* in values of y */
    bool low_first;
} run;

static void put_value(carom_stream *out, const carom_frame *f, run *r, double x, double y)
{
    put_point(out, r->down ? 'L' : 'M', x, carom_axis_place(&f->y, y));
    r->down = true;
}

static void end_run(carom_stream *out, const carom_frame *f, run *r)
{
    if (!r->any)
        return;
    double x1 = r->low_first ? r->x_low : r->x_high, y1 = r->low_first ? r->low : r->high;
    double x2 = r->low_first ? r->x_high : r->x_low, y2 = r->low_first ? r->high : r->low;
    bool lonely = r->count == 1;
    put_value(out, f, r, x1, y1);
    if (!lonely)
        put_value(out, f, r, x2, y2);
    r->any = false;
    r->count = 0;
}

static void take_point(carom_stream *out, const carom_frame *f, run *r, double x, double y)
{
    double at = carom_axis_place(&f->x, x);
    long pixel = (long)floor(at);
    if (pixel != r->pixel) {
        end_run(out, f, r);
        r->pixel = pixel;
        r->jumps = 0;
    }
    if (!r->any) {
        *r = (run){true, r->down, pixel, r->jumps, 0, at, y, at, y, true};
    } else if (y < r->low) {
        r->low = y, r->x_low = at, r->low_first = false;
    } else if (y >= r->high) {
        r->high = y, r->x_high = at, r->low_first = true;
    }
    r->count++;
}

static void put_solid(carom_stream *out, const carom_frame *f, const carom_curve *c, bool show)
{
    run r = {.pixel = -1};
    for (size_t i = 0; i < c->n; i++) {
        bool lift = !isfinite(c->x[i]) || !isfinite(c->y[i]);
        bool jump = show && is_jump(c, i) && c->y[i] != c->y[i - 1] && r.jumps < JUMPS_PER_PIXEL;
        if (lift || jump) {
            end_run(out, f, &r);
            r.down = false;
            r.jumps += jump;
        }
        if (!lift)
            take_point(out, f, &r, c->x[i], c->y[i]);
    }
    end_run(out, f, &r);
}

static void put_dashed(carom_stream *out, const carom_frame *f, const carom_curve *c)
{
    bool any = false;
    for (size_t i = 1; i < c->n; i++) {
        if (!is_jump(c, i) || c->y[i] == c->y[i - 1] || !isfinite(c->y[i]) || !isfinite(c->y[i - 1]))
            continue;
        if (!any)
            begin_path(out, c->colour, " j");
        any = true;
        put_point(out, 'M', carom_axis_place(&f->x, c->x[i - 1]), carom_axis_place(&f->y, c->y[i - 1]));
        put_point(out, 'L', carom_axis_place(&f->x, c->x[i]), carom_axis_place(&f->y, c->y[i]));
    }
    if (any)
        carom_stream_string(out, "\"/>\n");
}

void carom_curve_series(carom_stream *out, const carom_frame *frame, const carom_curve *curve)
{
    bool show = jumps_show(curve);
    if (show)
        put_dashed(out, frame, curve);
    begin_path(out, curve->colour, "");
    put_solid(out, frame, curve, show);
    carom_stream_string(out, "\"/>\n");
}

static void put_stem(carom_stream *out, const carom_frame *f, double at, double value)
{
    put_point(out, 'M', at, carom_axis_place(&f->y, 0));
    put_point(out, 'L', at, carom_axis_place(&f->y, value));
    carom_stream_string(out, "m-2 0h4");
}

void carom_curve_stems(carom_stream *out, const carom_frame *f, const carom_curve *c)
{
    double low = 0, high = 0, at = 0;
    long pixel = -1;
    begin_path(out, c->colour, " s");
    for (size_t i = 0; i <= c->n; i++) {
        bool end = i == c->n;
        if (!end && (c->y[i] == 0 || !isfinite(c->y[i]) || !isfinite(c->x[i])))
            continue;
        double here = end ? 0 : carom_axis_place(&f->x, c->x[i]);
        if (end || (long)floor(here) != pixel) {
            if (low < 0)
                put_stem(out, f, at, low);
            if (high > 0)
                put_stem(out, f, at, high);
            low = high = 0;
            pixel = (long)floor(here);
        }
        if (end)
            break;
        at = here;
        low = fmin(low, c->y[i]);
        high = fmax(high, c->y[i]);
    }
    carom_stream_string(out, "\"/>\n");
}

static unsigned char *new_cells(carom_stream *out, long n)
{
    unsigned char *cells = calloc((size_t)n, 1);
    if (!cells && out->error.status == CAROM_OK)
        carom_fail(&out->error, CAROM_NO_MEMORY, "no memory for drawing '%s'", out->path);
    return cells;
}

/* ---- phase portraits ---- */
typedef struct piece {
    double x0, y0, x1, y1;
} piece;
typedef struct canvas {
    unsigned char *seen;  /* [columns*rows] */
    long columns, rows;
    piece recent[RECENT]; /* not yet in seen */
    long pieces;
} canvas;

/* The part of the cells along a piece where nothing was drawn; marks them if asked to. */
static double visit(canvas *c, const carom_frame *f, const piece *p, bool mark)
{
    int fresh = 0;
    int steps = (int)fmin(4000, ceil(fmax(fabs(p->x1 - p->x0), fabs(p->y1 - p->y0)) / CELL)) + 1;
    for (int i = 0; i <= steps; i++) {
        double s = (double)i / steps;
        long a = (long)((p->x0 + s * (p->x1 - p->x0) - f->left) / CELL);
        long b = (long)((p->y0 + s * (p->y1 - p->y0) - f->top) / CELL);
        if (a < 0 || b < 0 || a >= c->columns || b >= c->rows)
            continue;
        unsigned char *cell = &c->seen[b * c->columns + a];
        fresh += !*cell;
        *cell = *cell || mark;
    }
    return (double)fresh / (steps + 1);
}

static bool is_new(canvas *c, const carom_frame *f, piece p, long points)
{
    double part = visit(c, f, &p, false);
    piece *slot = &c->recent[c->pieces % RECENT];
    if (c->pieces >= RECENT)
        visit(c, f, slot, true);
    *slot = p;
    c->pieces++;
    return part > fmin(0.6, (double)points / 20000);
}

/* Whether value is an end of the range that was not met before. */
static bool is_extreme(double value, double range[2])
{
    for (int i = 0; i < 2; i++) {
        if (value == range[i]) {
            range[i] = NAN;
            return true;
        }
    }
    return false;
}

static void find_range(const double *values, size_t n, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        range[0] = fmin(range[0], values[i]);
        range[1] = fmax(range[1], values[i]);
    }
}

static void put_orbit(carom_stream *out, const carom_frame *f, const carom_curve *c, canvas *cells)
{
    double xs[2], ys[2], x0 = 0, y0 = 0, xd = NAN, yd = NAN; /* last point; where the pen is */
    bool all = c->n <= ROWS_PLAIN, have = false;
    long points = 0;
    find_range(c->x, c->n, xs);
    find_range(c->y, c->n, ys);
    for (size_t i = 0; i < c->n; i++) {
        bool lift = !isfinite(c->x[i]) || !isfinite(c->y[i]);
        double x = lift ? 0 : carom_axis_place(&f->x, c->x[i]), y = lift ? 0 : carom_axis_place(&f->y, c->y[i]);
        bool joined = have && !lift && !is_jump(c, i);
        bool edge_x = is_extreme(c->x[i], xs), edge_y = is_extreme(c->y[i], ys), edge = edge_x || edge_y;
        if (joined && !all && !edge && fabs(x - x0) + fabs(y - y0) < 1 + (double)points / 5000)
            continue;
        if (joined && (all || is_new(cells, f, (piece){x0, y0, x, y}, points) || edge)) {
            if (!(xd == x0 && yd == y0))
                put_point(out, 'M', x0, y0);
            put_point(out, 'L', x, y);
            xd = x, yd = y;
            points++;
        }
        have = !lift;
        x0 = x, y0 = y;
    }
}

void carom_curve_phase(carom_stream *out, const carom_frame *f, const carom_curve *c)
{
    canvas cells = {.columns = (long)(f->width / CELL) + 1, .rows = (long)(f->height / CELL) + 1};
    cells.seen = new_cells(out, cells.columns * cells.rows);
    if (!cells.seen)
        return;
    if (jumps_show(c))
        put_dashed(out, f, c);
    begin_path(out, c->colour, "");
    put_orbit(out, f, c, &cells);
    carom_stream_string(out, "\"/>\n");
    free(cells.seen);
}

/* ---- clouds ---- */

static const double DOT = 0.5; /* pixels */

enum { FEW = 16 }; /* dots of a column: a motion that repeats */

/* The columns that have few dots, or those that have more. */
static void put_columns(carom_stream *out, const carom_frame *f, const unsigned char *seen, long columns, long rows,
                        bool few)
{
    for (long x = 0; x < columns; x++) {
        long n = 0;
        for (long y = 0; y < rows; y++)
            n += seen[x * rows + y];
        for (long y = 0; y < rows && (n <= FEW) == few; y++) {
            long from = y;
            while (y < rows && seen[x * rows + y])
                y++;
            if (y == from)
                continue;
            put_point(out, 'M', f->left + ((double)x + 0.5) * DOT, f->top + ((double)from + 0.5) * DOT);
            carom_stream_string(out, "v");
            put_pixel(out, (double)(y - 1 - from) * DOT);
        }
    }
}

/* Few dots are large, so that they are seen; many are small and let those below shine through. */
static double dot_size(const unsigned char *seen, long cells)
{
    long n = 0;
    for (long i = 0; i < cells; i++)
        n += seen[i];
    return fmin(3, fmax(1.1, 3 - 0.95 * (log10((double)n + 1) - 2.5)));
}

static void put_dots(carom_stream *out, const carom_frame *f, const carom_curve *c, const unsigned char *seen,
                     long columns, long rows)
{
    const double size = dot_size(seen, columns * rows);
    for (int few = 0; few < 2; few++) {
        carom_stream_format(out, "<path class=\"c%d o\" style=\"stroke-width:%.1f;stroke-opacity:%.2f\" d=\"",
                            c->colour, few ? fmax(size, 2) : size, size > 1.1 || few ? 0.95 : 0.8);
        put_columns(out, f, seen, columns, rows, few);
        carom_stream_string(out, "\"/>\n");
    }
}

void carom_curve_dots(carom_stream *out, const carom_frame *f, const carom_curve *c)
{
    long columns = (long)(f->width / DOT) + 1, rows = (long)(f->height / DOT) + 1;
    unsigned char *seen = new_cells(out, columns * rows);
    for (size_t i = 0; seen && i < c->n; i++) {
        if (!isfinite(c->x[i]) || !isfinite(c->y[i]))
            continue;
        long x = (long)floor((carom_axis_place(&f->x, c->x[i]) - f->left) / DOT);
        long y = (long)floor((carom_axis_place(&f->y, c->y[i]) - f->top) / DOT);
        if (x >= 0 && y >= 0 && x < columns && y < rows)
            seen[x * rows + y] = 1;
    }
    if (!seen)
        return;
    put_dots(out, f, c, seen, columns, rows);
    free(seen);
}
