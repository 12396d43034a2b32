/* colour.c: colours that mean something: lightness grows with the value, in the space OKLab, where equal steps look
 * equal.
 *
 * B. Ottosson, "A perceptual color space for image processing" (2020): from lightness L, chroma C and hue h
 *   a = C cos h, b = C sin h                                                             (1)
 *   l' = L + 0.3963377774 a + 0.2158037573 b, ...;   l = l'^3, ...                       (2)
 *   R = 4.0767416621 l - 3.3077115913 m + 0.2309699292 s, ...                            (3)
 * then the transfer curve of sRGB. What the screen cannot show loses chroma, not lightness. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/map/map.h"

static bool linear_rgb(double L, double C, double degrees, double *rgb)
{
    const double h = degrees * 0.017453292519943295, a = C * cos(h), b = C * sin(h);              /* (1) */
    const double l = pow(L + 0.3963377774 * a + 0.2158037573 * b, 3),
                 m = pow(L - 0.1055613458 * a - 0.0638541728 * b, 3),
                 s = pow(L - 0.0894841775 * a - 1.2914855480 * b, 3); /* (2) */
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;                              /* (3) */
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    return fmin(fmin(rgb[0], rgb[1]), rgb[2]) >= -1e-4 && fmax(fmax(rgb[0], rgb[1]), rgb[2]) <= 1 + 1e-4;
}

static unsigned char byte(double x)
{
    x = fmax(0, fmin(1, x));
    x = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (unsigned char)(255 * x + 0.5);
}

static carom_colour oklch(double L, double C, double degrees)
{
    double rgb[3];
    for (int k = 0; k < 40 && !linear_rgb(L, C, degrees, rgb); k++)
        C *= 0.93;
    return (carom_colour){byte(rgb[0]), byte(rgb[1]), byte(rgb[2])};
}

/* From dark violet over green to bright yellow. */
static carom_colour sequential(double t)
{
    return oklch(0.20 + 0.74 * t, 0.11 + 0.06 * t, 300 - 195 * t);
}

/* White at 0; blue below, red above, darker with size. */
static carom_colour signed_colour(double t)
{
    const double size = fabs(t);
    return t < 0 ? oklch(0.97 - 0.60 * size, 0.19 * size, 255)
                 : oklch(0.97 - 0.52 * size, 0.24 * sqrt(size), 30 + 45 * (1 - size));
}

static const carom_colour failed = {128, 128, 128}, missing = {222, 222, 222}, negative = {16, 16, 32},
                          positive = {255, 0, 200};

static carom_colour of_category(int k)
{
    static const double hue[] = {255, 75, 145, 25, 310, 195}, light[] = {0.55, 0.80, 0.66, 0.58, 0.62, 0.84};
    const int n = CAROM_COUNT(hue), round = k / n % 3;
    return oklch(light[k % n] - 0.16 * (round == 1) + 0.12 * (round == 2), 0.14, hue[k % n] + 20 * round);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

carom_status carom_map_scale_fit(carom_map_scale *scale, const carom_heatmap *map, carom_error *error)
{
    const size_t n = (size_t)map->x.n * (size_t)map->y.n;
    double *sorted = malloc((n + 1) * sizeof *sorted);
    size_t m = 0;
    *scale = (carom_map_scale){.map = map, .high = 1};
    if (!sorted)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the colours of %zu cells", n);
    for (size_t i = 0; i < n; i++) {
        const double x = map->value[i];
        if (map->known && !map->known[i])
            scale->missing = true;
        else if (isnan(x))
            scale->failed = true;
        else if (isinf(x))
            *(x < 0 ? &scale->negative : &scale->positive) = true;
        else
            sorted[m++] = x;
    }
    qsort(sorted, m, sizeof *sorted, ascending);
    if (m > 0) { /* a few values far out do not take all the colours */
        scale->low = sorted[m / 200];
        scale->high = sorted[m - 1 - m / 200];
    }
    if (map->signs)
        scale->low = fmin(scale->low, 0), scale->high = fmax(scale->high, 0);
    if (!(scale->high > scale->low))
        scale->low -= 0.5, scale->high += 0.5;
    free(sorted);
    return CAROM_OK;
}

carom_colour carom_map_colour(const carom_map_scale *s, double value)
{
    if (isnan(value))
        return failed;
    if (isinf(value))
        return value < 0 ? negative : positive;
    if (s->map->category)
        return of_category((int)value);
    const double x = fmax(s->low, fmin(s->high, value));
    if (!s->map->signs)
        return sequential((x - s->low) / (s->high - s->low));
    return signed_colour(x < 0 ? -x / s->low : s->high > 0 ? x / s->high : 0);
}

carom_colour carom_map_cell(const carom_map_scale *s, int i, int j)
{
    const size_t at = (size_t)i * (size_t)s->map->y.n + (size_t)j;
    return s->map->known && !s->map->known[at] ? missing : carom_map_colour(s, s->map->value[at]);
}

bool carom_map_legend(const carom_map_scale *s, int k, carom_colour *colour, const char **text)
{
    const int n = s->map->category ? s->map->ncategory : 0;
    if (k < n) {
        *colour = of_category(k);
        *text = s->map->category[k];
        return true;
    }
    const struct {
        bool there;
        carom_colour colour;
        const char *text;
    } own[] = {{s->negative, negative, "-inf"}, {s->positive, positive, "inf"}, {s->failed, failed, "failed"},
               {s->missing, missing, "missing"}};
    for (int i = 0, m = n; i < CAROM_COUNT(own); i++)
        if (own[i].there && m++ == k) {
            *colour = own[i].colour;
            *text = own[i].text;
            return true;
        }
    return false;
}
