/* gif.c: animations as GIF (Graphics Interchange Format 89a).
 *
 * Colours: a histogram of 32 steps of red, green and blue; the box with the most of it is cut at the middle of its
 * longest side until there are 255 (median cut); each box becomes the mean of its colours.
 * Codes (LZW): strings of pixels get numbers as they appear; a code is written with as many bits as the largest needs,
 * and the dictionary begins anew when it is full. */
#include <stdlib.h>
#include <string.h>

#include "output/raster/raster.h"

enum { BINS = 1 << 15, COLOURS = 255, CLEAR = 256, END = 257, CODES = 4096, SLOTS = 8192 };

typedef struct bin {
    double count, sum[3];
} bin;

struct carom_gif {
    carom_stream out;
    int width, height, centiseconds;
    bin *bin;               /* [BINS] */
    unsigned char *index;   /* [BINS] the colour of each bin */
    unsigned char *last;    /* [width*height] the frame before, as colours; NULL: there is none */
    unsigned char *now;
    unsigned char palette[3 * 256];
    /* of the writer of codes */
    unsigned bits;
    int nbits, block;
    unsigned char bytes[256];
    struct {
        int key, code;
    } slot[SLOTS];
};

static int bin_of(const unsigned char *rgb)
{
    return (rgb[0] >> 3) << 10 | (rgb[1] >> 3) << 5 | rgb[2] >> 3;
}

carom_status carom_gif_new(carom_gif **gif, const char *path, int width, int height, int centiseconds,
                           carom_error *error)
{
    carom_gif *g = calloc(1, sizeof *g);
    size_t pixels = (size_t)width * (size_t)height;
    *gif = NULL;
    if (g) {
        g->width = width, g->height = height, g->centiseconds = centiseconds;
        g->bin = calloc(BINS, sizeof *g->bin);
        g->index = malloc(BINS);
        g->now = malloc(pixels);
    }
    carom_status status = g && g->bin && g->index && g->now
                              ? carom_stream_open(&g->out, path, NULL, error)
                              : carom_fail(error, CAROM_NO_MEMORY, "no memory for an animation of %d x %d pixels",
                                           width, height);
    if (status == CAROM_OK) {
        *gif = g;
        return CAROM_OK;
    }
    if (g) {
        free(g->bin);
        free(g->index);
        free(g->now);
    }
    free(g);
    return status;
}

void carom_gif_count(carom_gif *g, const carom_canvas *c)
{
    for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; i++) {
        const unsigned char *rgb = c->rgb + 3 * i;
        bin *b = &g->bin[bin_of(rgb)];
        b->count++;
        for (int k = 0; k < 3; k++)
            b->sum[k] += rgb[k];
    }
}

/* ---- the palette ---- */
typedef struct cell { /* a box of bins */
    int low[3], high[3];
    double count;
} cell;

static double count_in(const bin *bins, const cell *c)
{
    double count = 0;
    for (int r = c->low[0]; r <= c->high[0]; r++)
        for (int g = c->low[1]; g <= c->high[1]; g++)
            for (int b = c->low[2]; b <= c->high[2]; b++)
                count += bins[r << 10 | g << 5 | b].count;
    return count;
}

/* Cuts the cell where half of it lies on either side; false: it is one bin. Empty margins are given up. */
static bool cut(const bin *bins, cell *c, cell *other)
{
    int axis = 0;
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
            while (c->low[k] < c->high[k]) {
                cell slice = *c;
                *(end ? &slice.low[k] : &slice.high[k]) = end ? c->high[k] : c->low[k];
                if (count_in(bins, &slice) > 0)
                    break;
                end ? c->high[k]-- : c->low[k]++;
            }
    for (int k = 1; k < 3; k++)
        axis = c->high[k] - c->low[k] > c->high[axis] - c->low[axis] ? k : axis;
    if (c->low[axis] == c->high[axis])
        return false;
    *other = *c;
    double half = 0;
    int at = c->low[axis];
    for (; at < c->high[axis]; at++) {
        cell slice = *c;
        slice.low[axis] = slice.high[axis] = at;
        half += count_in(bins, &slice);
        if (half >= 0.5 * c->count)
            break;
    }
    c->high[axis] = CAROM_MIN(at, c->high[axis] - 1);
    other->low[axis] = c->high[axis] + 1;
    c->count = count_in(bins, c);
    other->count -= c->count;
    return true;
}

/* Rare colours count, too: by the root of how often they appear. */
static void choose_colours(carom_gif *g)
{
    cell cells[COLOURS] = {{.high = {31, 31, 31}}};
    bool whole[COLOURS] = {false};
    int n = 1;
    cells[0].count = count_in(g->bin, &cells[0]);
    while (n < COLOURS) {
        int most = -1;
        double best = 0;
        for (int i = 0; i < n; i++) {
            double size = 0;
            for (int k = 0; k < 3; k++)
                size += cells[i].high[k] - cells[i].low[k];
            if (!whole[i] && (size + 0.01) * cells[i].count > best)
                best = (size + 0.01) * cells[i].count, most = i;
        }
        if (most < 0)
            break;
        if (cut(g->bin, &cells[most], &cells[n]))
            n++;
        else
            whole[most] = true;
    }
    for (int i = 0; i < n; i++) {
        double sum[3] = {0}, count = 0;
        for (int b = 0; b < BINS; b++) {
            const int at[3] = {b >> 10, b >> 5 & 31, b & 31};
            bool inside = g->bin[b].count > 0;
            for (int k = 0; k < 3; k++)
                inside = inside && at[k] >= cells[i].low[k] && at[k] <= cells[i].high[k];
            for (int k = 0; k < 3 && inside; k++)
                sum[k] += g->bin[b].sum[k];
            count += inside ? g->bin[b].count : 0;
        }
        for (int k = 0; k < 3 && count > 0; k++)
            g->palette[3 * i + k] = (unsigned char)(sum[k] / count + 0.5);
    }
    for (int b = 0; b < BINS; b++) { /* the nearest of them */
        int best = 0, least = 1 << 30;
        for (int i = 0; i < n; i++) {
            int distance = 0;
            for (int k = 0; k < 3; k++) {
                bool there = g->bin[b].count > 0;
                int x = there ? (int)(g->bin[b].sum[k] / g->bin[b].count) : (b >> (10 - 5 * k) & 31) * 8 + 4;
                distance += (x - g->palette[3 * i + k]) * (x - g->palette[3 * i + k]);
            }
            if (distance < least)
                least = distance, best = i;
        }
        g->index[b] = (unsigned char)best;
    }
}

/* ---- bytes ---- */
static void put(carom_gif *g, const void *bytes, size_t n)
{
    carom_stream_text(&g->out, bytes, n);
}

static void put_word(carom_gif *g, int value) /* low byte first */
{
    const unsigned char bytes[2] = {(unsigned char)value, (unsigned char)(value >> 8)};
    put(g, bytes, 2);
}

static void flush_block(carom_gif *g)
{
    const unsigned char length = (unsigned char)g->block;
    if (g->block) {
        put(g, &length, 1);
        put(g, g->bytes, (size_t)g->block);
    }
    g->block = 0;
}

static void put_code(carom_gif *g, int code, int size)
{
    g->bits |= (unsigned)code << g->nbits;
    for (g->nbits += size; g->nbits >= 8; g->nbits -= 8, g->bits >>= 8) {
        g->bytes[g->block++] = (unsigned char)g->bits;
        if (g->block == 255)
            flush_block(g);
    }
}

/* ---- codes ---- */
/* The place of (prefix, pixel) in the dictionary: its own or an empty one. */
static int find(const carom_gif *g, int key)
{
    unsigned at = (unsigned)key * 2654435761u >> 19;
    while (g->slot[at % SLOTS].key != key && g->slot[at % SLOTS].code)
        at++;
    return (int)(at % SLOTS);
}

static void put_pixels(carom_gif *g, int left, int top, int width, int height)
{
    const unsigned char least = 8, none = 0;
    int size = 9, next = END + 1, prefix = -1;
    put(g, &least, 1);
    memset(g->slot, 0, sizeof g->slot);
    put_code(g, CLEAR, size);
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++) {
            int pixel = g->now[(size_t)y * (size_t)g->width + (size_t)x], key = prefix * 256 + pixel + 1;
            int at = prefix < 0 ? 0 : find(g, key);
            if (prefix < 0) {
                prefix = pixel;
            } else if (g->slot[at].code) {
                prefix = g->slot[at].code;
            } else {
                put_code(g, prefix, size);
                g->slot[at].key = key, g->slot[at].code = next;
                size += next == 1 << size && size < 12;
                prefix = pixel;
                if (++next == CODES) {
                    put_code(g, CLEAR, size);
                    memset(g->slot, 0, sizeof g->slot);
                    size = 9, next = END + 1;
                }
            }
        }
    put_code(g, prefix, size);
    size += next == 1 << size && size < 12;
    put_code(g, END, size);
    put_code(g, 0, 7); /* the rest of the last byte */
    flush_block(g);
    g->bits = 0, g->nbits = 0;
    put(g, &none, 1);
}

/* ---- frames ---- */
static void put_head(carom_gif *g)
{
    static const unsigned char loop[] = {0x21, 0xff, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                                         'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
    static const unsigned char about[] = {0xf7, 0, 0}; /* a palette of 256 colours */
    put(g, "GIF89a", 6);
    put_word(g, g->width);
    put_word(g, g->height);
    put(g, about, sizeof about);
    put(g, g->palette, sizeof g->palette);
    put(g, loop, sizeof loop);
}

/* The smallest box around what differs; one pixel at least. */
static void find_change(const carom_gif *g, int *left, int *top, int *width, int *height)
{
    int low[2] = {g->width, g->height}, high[2] = {0, 0};
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++)
            if (!g->last || g->last[y * g->width + x] != g->now[y * g->width + x]) {
                low[0] = CAROM_MIN(low[0], x), low[1] = CAROM_MIN(low[1], y);
                high[0] = CAROM_MAX(high[0], x), high[1] = CAROM_MAX(high[1], y);
            }
    *left = low[0] > high[0] ? 0 : low[0], *top = low[1] > high[1] ? 0 : low[1];
    *width = CAROM_MAX(high[0] - *left, 0) + 1, *height = CAROM_MAX(high[1] - *top, 0) + 1;
}

carom_status carom_gif_frame(carom_gif *g, const carom_canvas *c, carom_error *error)
{
    size_t pixels = (size_t)g->width * (size_t)g->height;
    static const unsigned char control[] = {0x21, 0xf9, 4, 4}, end[] = {0, 0}, begin = 0x2c, none = 0;
    int left, top, width, height;
    if (c->failed)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to draw a frame");
    if (!g->last) {
        choose_colours(g);
        put_head(g);
    }
    for (size_t i = 0; i < pixels; i++)
        g->now[i] = g->index[bin_of(c->rgb + 3 * i)];
    find_change(g, &left, &top, &width, &height);
    put(g, control, sizeof control);
    put_word(g, g->centiseconds);
    put(g, end, sizeof end);
    put(g, &begin, 1);
    put_word(g, left);
    put_word(g, top);
    put_word(g, width);
    put_word(g, height);
    put(g, &none, 1);
    put_pixels(g, left, top, width, height);
    if (!g->last && !(g->last = malloc(pixels)))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a frame of %d x %d pixels", g->width, g->height);
    memcpy(g->last, g->now, pixels);
    carom_stream_mark(&g->out);
    return carom_stream_status(&g->out, error);
}

carom_status carom_gif_close(carom_gif *g, bool whole, carom_error *error)
{
    carom_status status = CAROM_OK;
    if (!g)
        return CAROM_OK;
    if (whole) {
        put(g, ";", 1);
        status = carom_stream_close(&g->out, error);
    } else {
        carom_stream_drop(&g->out);
    }
    free(g->bin);
    free(g->index);
    free(g->last);
    free(g->now);
    free(g);
    return status;
}
