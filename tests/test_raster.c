/* test_raster.c: polygons cover what they enclose, near triangles hide far ones, and a GIF shows what went in. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/raster/raster.h"
#include "testing.h"

static const carom_colour white = {255, 255, 255}, black = {0, 0, 0};

static double ink(const carom_canvas *c)
{
    double sum = 0;
    for (int i = 0; i < c->width * c->height; i++)
        sum += 1 - c->rgb[3 * i] / 255.;
    return sum;
}

START_TEST(polygons_cover_their_area)
{
    unsigned char rgb[3 * 60 * 50];
    carom_canvas c = {.width = 60, .height = 50, .rgb = rgb};
    const struct {
        double xy[16];
        int count[2], polygons;
        double area;
    } cases[] = {{{10.25, 10.5, 30.75, 10.5, 30.75, 20.25, 10.25, 20.25}, {4}, 1, 20.5 * 9.75},
                 {{5, 5, 45, 10, 20, 40}, {3}, 1, 0.5 * (40 * 35 - 15 * 5)},
                 {{5, 5, 45, 5, 45, 45, 5, 45, 15, 15, 35, 15, 35, 35, 15, 35}, {4, 4}, 2, 1600 - 400}, /* a hole */
                 {{-100, -100, 200, -100, 200, 200, -100, 200}, {4}, 1, 3000}, /* beyond all edges */
                 {{10, 10, 10, 10, 10, 10}, {3}, 1, 0}};
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        carom_canvas_box(&c, 0, 0, 60, 50, white);
        carom_canvas_fill(&c, cases[i].xy, cases[i].count, cases[i].polygons, black);
        CHECK_NEAR(ink(&c), cases[i].area, 0.003 * cases[i].area + 0.01);
    }
    carom_canvas_box(&c, 0, 0, 60, 50, white);
    const double line[] = {10, 10, 40, 10}, nan[] = {10, 10, NAN, 20, 30, 30};
    const int three = 3;
    carom_canvas_line(&c, line, 2, false, 4, black);
    CHECK_NEAR(ink(&c), 30 * 4 + 3.14159265 * 4, 1); /* round ends */
    carom_canvas_box(&c, 0, 0, 60, 50, white);
    carom_canvas_fill(&c, nan, &three, 1, black);
    CHECK_NEAR(ink(&c), 0, 0);
}
END_TEST

START_TEST(near_triangles_hide_far_ones_in_any_order)
{
    unsigned char rgb[3 * 20 * 20];
    float depth[20 * 20];
    carom_canvas c = {.width = 20, .height = 20, .rgb = rgb, .depth = depth};
    const double near[3][3] = {{2, 2, 1}, {18, 2, 1}, {2, 18, 1}}, far[3][3] = {{2, 2, 2}, {18, 2, 2}, {18, 18, 2}};
    const double light[3] = {1, 1, 1};
    const carom_colour red = {255, 0, 0}, blue = {0, 0, 255};
    for (int order = 0; order < 2; order++) {
        carom_canvas_box(&c, 0, 0, 20, 20, white);
        for (int i = 0; i < 400; i++)
            depth[i] = INFINITY;
        carom_canvas_triangle(&c, order ? near : far, light, order ? red : blue);
        carom_canvas_triangle(&c, order ? far : near, light, order ? blue : red);
        ck_assert_int_eq(rgb[3 * (4 * 20 + 8)], 255); /* both are there */
        ck_assert_int_eq(rgb[3 * (4 * 20 + 8) + 2], 0);
        ck_assert_int_eq(rgb[3 * (14 * 20 + 16) + 2], 255); /* only the far one */
        ck_assert_int_eq(rgb[3 * (14 * 20 + 16)], 0);
    }
}
END_TEST

/* ---- a reader of GIFs that shares nothing with the writer ---- */
typedef struct reader {
    unsigned char *data;
    long n, at;
    unsigned char screen[64 * 48]; /* numbers of colours */
    const unsigned char *palette;
    int frames, delay;
} reader;

static int word(reader *r)
{
    r->at += 2;
    return r->data[r->at - 2] | r->data[r->at - 1] << 8;
}

/* Strings of the dictionary: prefix and last pixel; codes below 256 are pixels. */
static int expand(const int *prefix, const unsigned char *last, int code, unsigned char *out)
{
    int n = 0;
    unsigned char back[4096];
    for (; code >= 258; code = prefix[code])
        back[n++] = last[code];
    back[n++] = (unsigned char)code;
    for (int i = 0; i < n; i++)
        out[i] = back[n - 1 - i];
    return n;
}

static void read_image(reader *r)
{
    static unsigned char data[1 << 16], pixel[64 * 48 + 4096];
    int left = word(r), top = word(r), width = word(r), height = word(r);
    int n = 0, bit = 0, size = 9, next = 258, old = -1, out = 0;
    int prefix[4097];
    unsigned char last[4097], text[4096];
    r->at += 2; /* flags, bits of a pixel */
    ck_assert_int_eq(r->data[r->at - 1], 8);
    for (int length; (length = r->data[r->at++]) > 0; r->at += length, n += length)
        memcpy(data + n, r->data + r->at, (size_t)length);
    for (;;) {
        int code = 0;
        for (int i = 0; i < size; i++, bit++)
            code |= (data[bit / 8] >> bit % 8 & 1) << i;
        ck_assert_int_le(bit, 8 * n);
        if (code == 257)
            break;
        if (code == 256) {
            size = 9, next = 258, old = -1;
            continue;
        }
        ck_assert_int_le(code, next);
        int length = expand(prefix, last, code < next ? code : old, text);
        if (code == next)
            text[length++] = text[0];
        if (old >= 0 && next < 4096) {
            prefix[next] = old, last[next++] = text[0];
            size += next == 1 << size && size < 12;
        }
        ck_assert_int_le(out + length, width * height);
        memcpy(pixel + out, text, (size_t)length);
        out += length;
        old = code;
    }
    ck_assert_int_eq(out, width * height);
    for (int i = 0; i < out; i++)
        r->screen[(top + i / width) * 64 + left + i % width] = pixel[i];
    r->frames++;
}

/* Up to and with the next image; false: the end. */
static bool next_frame(reader *r)
{
    for (;;) {
        ck_assert_int_lt((int)r->at, (int)r->n);
        int kind = r->data[r->at++];
        if (kind == ';')
            return false;
        if (kind == ',') {
            read_image(r);
            return true;
        }
        ck_assert_int_eq(kind, '!');
        if (r->data[r->at] == 0xf9)
            r->delay = r->data[r->at + 3] | r->data[r->at + 4] << 8;
        for (r->at++; r->data[r->at]; r->at += 1 + r->data[r->at])
            ;
        r->at++;
    }
}

static void read_file(reader *r, const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    r->data = malloc(1 << 20);
    r->n = (long)fread(r->data, 1, 1 << 20, file);
    fclose(file);
    ck_assert_int_eq(memcmp(r->data, "GIF89a", 6), 0);
    r->at = 6;
    ck_assert_int_eq(word(r), 64);
    ck_assert_int_eq(word(r), 48);
    ck_assert_int_eq(r->data[r->at], 0xf7);
    r->at += 3;
    r->palette = r->data + r->at;
    r->at += 768;
}

/* Frame k: noise of few colours, which is hard to compress and fills the dictionary, or a moving box. */
static void make_frame(carom_canvas *c, int k)
{
    static const carom_colour few[] = {{255, 255, 255}, {200, 30, 40}, {0, 90, 160}, {10, 120, 60}, {40, 40, 40}};
    unsigned state = (unsigned)k * 977 + 1;
    for (int i = 0; i < 64 * 48; i++) {
        state = state * 1664525u + 1013904223u;
        const bool box = i % 64 >= 4 * k && i % 64 < 4 * k + 8 && i > 640;
        const carom_colour *x = &few[k < 3 ? state >> 24 & 3 : box ? 4 : 0];
        c->rgb[3 * i] = x->r, c->rgb[3 * i + 1] = x->g, c->rgb[3 * i + 2] = x->b;
    }
}

START_TEST(a_gif_shows_what_went_in)
{
    carom_error error = {0};
    carom_gif *gif;
    unsigned char rgb[3 * 64 * 48];
    carom_canvas c = {.width = 64, .height = 48, .rgb = rgb};
    char path[300];
    const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    snprintf(path, sizeof path, "%.200s/carom-raster-%ld.gif", tmp, (long)getpid());
    CHECK_OK(carom_gif_new(&gif, path, 64, 48, 7, &error), error);
    for (int k = 0; k < 8; k++) {
        make_frame(&c, k);
        carom_gif_count(gif, &c);
    }
    for (int k = 0; k < 8; k++) {
        make_frame(&c, k == 7 ? 6 : k); /* the last one is like the one before */
        CHECK_OK(carom_gif_frame(gif, &c, &error), error);
    }
    ck_assert_int_ne(access(path, F_OK), 0); /* it appears when it is whole */
    CHECK_OK(carom_gif_close(gif, true, &error), error);
    reader r = {.frames = 0};
    read_file(&r, path);
    for (int k = 0; k < 8; k++) {
        ck_assert(next_frame(&r));
        make_frame(&c, k == 7 ? 6 : k);
        for (int i = 0; i < 64 * 48; i++)
            ck_assert_int_eq(memcmp(r.palette + 3 * r.screen[i], rgb + 3 * i, 3), 0);
    }
    ck_assert(!next_frame(&r));
    ck_assert_int_eq(r.delay, 7);
    free(r.data);
    unlink(path);
    CHECK_OK(carom_gif_new(&gif, path, 64, 48, 7, &error), error);
    carom_gif_count(gif, &c);
    CHECK_OK(carom_gif_frame(gif, &c, &error), error);
    CHECK_OK(carom_gif_close(gif, false, &error), error);
    ck_assert_int_ne(access(path, F_OK), 0); /* not whole: nothing */
}
END_TEST

TEST_MAIN("pixels", polygons_cover_their_area, near_triangles_hide_far_ones_in_any_order, a_gif_shows_what_went_in)
