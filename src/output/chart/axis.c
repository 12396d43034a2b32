/* axis.c: ranges, ticks and their labels. Labels are made from integers, so 3 steps of 0.1 read 0.3. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/chart/engine.h"

enum { LABEL_LONGEST = 8 };

static const double LARGEST = 1e300;
static const double EDGE = 1e-6; /* a tick may lie beyond the end by this part of a step */

/* The smallest step of 1, 2, 5 times a power of ten that gives at most `most` ticks. */
static void choose_step(carom_axis *axis, int most)
{
    static const int mantissas[] = {1, 2, 5};
    double span = axis->high - axis->low;
    axis->exponent = (int)floor(log10(span / most)) - 1;
    for (;; axis->exponent++) {
        for (int i = 0; i < 3; i++) {
            double step = mantissas[i] * pow(10, axis->exponent);
            double first = ceil(axis->low / step - EDGE), last = floor(axis->high / step + EDGE);
            if (!(last - first + 1 <= most))
                continue;
            axis->mantissa = mantissas[i];
            axis->first = (long long)first * mantissas[i];
            axis->count = (int)(last - first) + 1;
            return;
        }
    }
}

static void digits(long long k, int exponent, char *text)
{
    char plain[32];
    int n = snprintf(plain, sizeof plain, "%lld", llabs(k));
    char *out = text;
    if (k < 0)
        *out++ = '-';
    int point = n + exponent;
    if (k == 0) {
        strcpy(text, "0");
        return;
    }
    if (point <= 0) {
        *out++ = '0';
        *out++ = '.';
    }
    for (int i = point; i < 0 && i > -20; i++)
        *out++ = '0';
    for (int i = 0; i < n; i++) {
        if (i == point && i > 0)
            *out++ = '.';
        *out++ = plain[i];
    }
    for (int i = n; i < point && i < 30; i++)
        *out++ = '0';
    *out = '\0';
    if (point < n) { /* no zeros at the end of a fraction */
        while (out[-1] == '0')
            *--out = '\0';
        if (out[-1] == '.')
            out[-1] = '\0';
    }
}

static size_t longest_label(const carom_axis *axis)
{
    size_t longest = 0;
    for (int i = 0; i < axis->count; i++) {
        char text[64];
        carom_axis_label(axis, i, text);
        longest = CAROM_MAX(longest, strlen(text));
    }
    return longest;
}

void carom_axis_fit(carom_axis *axis, double low, double high, double margin, int most)
{
    low = fmax(-LARGEST, fmin(LARGEST, low));
    high = fmax(-LARGEST, fmin(LARGEST, high));
    double size = fmax(fabs(low), fabs(high));
    if (!(high - low > 64 * DBL_EPSILON * size) || !(high - low > 1e-300)) {
        double middle = low / 2 + high / 2, half = size > 1e-290 ? 0.5 * size : 1;
        low = middle - half;
        high = middle + half;
    }
    axis->low = low - margin * (high - low);
    axis->high = high + margin * (high - low);
    axis->base = 0;
    axis->shift = 0;
    choose_step(axis, CAROM_MAX(most, 2));
    double largest = log10(fmax(fabs(axis->low), fabs(axis->high)));
    if (largest >= 5 || largest <= -3)
        axis->shift = (int)floor(largest);
    if (longest_label(axis) > LABEL_LONGEST && axis->count > 0)
        axis->base = axis->first;
    largest = log10(axis->high - axis->low);
    if (axis->base)
        axis->shift = largest >= 5 || largest <= -3 ? (int)floor(largest) : 0;
}

double carom_axis_place(const carom_axis *axis, double value)
{
    double part = (value - axis->low) / (axis->high - axis->low);
    return axis->begin + part * (axis->end - axis->begin);
}

double carom_axis_tick(const carom_axis *axis, int i)
{
    return (double)(axis->first + (long long)i * axis->mantissa) * pow(10, axis->exponent);
}

void carom_axis_label(const carom_axis *axis, int i, char *text)
{
    digits(axis->first + (long long)i * axis->mantissa - axis->base, axis->exponent - axis->shift, text);
}

/* x10^-3 with raised digits, in UTF-8. */
static char *put_power(char *text, int power)
{
    static const char *const raised[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char plain[12];
    snprintf(plain, sizeof plain, "%d", abs(power));
    strcpy(text, "\xc3\x97" "10");
    if (power < 0)
        strcat(text, "\xe2\x81\xbb");
    for (const char *c = plain; *c; c++)
        strcat(text, raised[*c - '0']);
    return text;
}

void carom_axis_note(const carom_axis *axis, char *text)
{
    char *out = text;
    *out = '\0';
    if (axis->shift)
        out += strlen(put_power(out, axis->shift));
    if (axis->base) {
        char base[64];
        int power = 0;
        long long k = axis->base;
        while (k % 10 == 0)
            k /= 10, power++;
        digits(k, axis->exponent + power, base);
        if (strlen(base) > 20)
            snprintf(base, sizeof base, "%llde%d", k, axis->exponent + power);
        snprintf(out, 40, "%s%s%.24s", axis->shift ? " " : "", k > 0 ? "+" : "", base);
    }
}
