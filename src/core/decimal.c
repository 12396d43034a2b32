/* decimal.c: double -> shortest decimal text, fast enough for files of numbers.
 * Source: R. Giulietti, "The Schubfach way to render doubles" (2020). With value = c 2^q:
 *   k  = floor(log10(2^q))                             scale                                       (1)
 *   cl, cb, cr = 4c - 2, 4c, 4c + 2                    value and its two boundaries, quarter units (2)
 *        (4c - 1 and log10(3/4 2^q) where the lower neighbour is closer)
 *   vl, vb, vr = c* 2^q 10^-k, rounded to odd          the same in units of 10^k / 4               (3)
 *   the multiple of 10^(k+1) between vl and vr, if there is one; otherwise of 10^k, the nearest    (4)
 * Rounding to odd from 128 bits of 10^-k keeps every comparison in (4) exact. The table of the powers of ten is worked
 * out when the first number is printed (60 microseconds, 10 kB). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

__extension__ typedef unsigned __int128 wide;

enum { K_LEAST = -292, K_MOST = 324, LIMBS = 19 };
typedef unsigned long long power[2]; /* 10^k, normalized to 128 bits and rounded up: high, low */

/* The 128 leading bits of a number of LIMBS words, rounded up. */
static void leading_bits(const uint64_t *limb, bool inexact, unsigned long long *result)
{
    int top = LIMBS - 1;
    while (limb[top] == 0)
        top--;
    int shift = __builtin_clzll(limb[top]);
    uint64_t word[3] = {0, 0, 0};
    for (int i = 0; i < 3 && top - i >= 0; i++)
        word[i] = limb[top - i];
    wide bits = (wide)word[0] << 64 | word[1];
    if (shift > 0)
        bits = bits << shift | word[2] >> (64 - shift);
    inexact = inexact || (word[2] << shift) != 0;
    for (int i = top - 3; i >= 0; i--)
        inexact = inexact || limb[i] != 0;
    bits += inexact;
    result[0] = (uint64_t)(bits >> 64);
    result[1] = (uint64_t)bits;
}

static void make_powers(power *table)
{
    uint64_t up[LIMBS] = {1}, down[LIMBS] = {0};
    down[LIMBS - 1] = UINT64_C(1) << 63; /* 2^1215 / 10^k: repeated floors are the floor of the whole */
    for (int k = 0; k <= K_MOST; k++) {
        leading_bits(up, false, table[k - K_LEAST]);
        wide carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (wide)up[i] * 10;
            up[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    for (int k = -1; k >= K_LEAST; k--) {
        wide rest = 0;
        for (int i = LIMBS - 1; i >= 0; i--) {
            rest = rest << 64 | down[i];
            down[i] = (uint64_t)(rest / 10);
            rest %= 10;
        }
        leading_bits(down, true, table[k - K_LEAST]);
    }
}

/* Made by whoever comes first; others wait. */
static power *powers(void)
{
    enum { NONE, BEING_MADE, MADE };
    static power table[K_MOST - K_LEAST + 1];
    static int state;
    int none = NONE;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == MADE)
        return table;
    if (__atomic_compare_exchange_n(&state, &none, BEING_MADE, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        make_powers(table);
        __atomic_store_n(&state, MADE, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != MADE)
        ;
    return table;
}

static uint64_t round_to_odd(const unsigned long long *g, uint64_t c)
{
    wide low = ((wide)g[1] * c) >> 64;
    wide product = (wide)g[0] * c + low;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* digits * 10^*exponent is the shortest decimal that rounds to bits (positive, finite, not 0). */
static uint64_t shortest(uint64_t bits, int *exponent)
{
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52);
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    bool uneven = fraction == 0 && biased > 1;
    bool open = c & 1; /* an odd c does not own its boundaries */
    int k = (q * 1262611 - (uneven ? 524031 : 0)) >> 22;                          /* (1) */
    int h = q + ((-k * 1741647) >> 19) + 1;
    const unsigned long long *g = powers()[-k - K_LEAST];
    uint64_t low = round_to_odd(g, (4 * c - 2 + uneven) << h) + open;             /* (2), (3) */
    uint64_t mid = round_to_odd(g, 4 * c << h);
    uint64_t high = round_to_odd(g, (4 * c + 2) << h) - open;
    uint64_t s = mid / 4;
    if (s >= 10) {                                                                /* (4) */
        uint64_t tens = s / 10;
        bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above) {
            *exponent = k + 1;
            return tens + above;
        }
    }
    *exponent = k;
    bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above)
        return s + above;
    return s + (mid > 4 * s + 2 || (mid == 4 * s + 2 && (s & 1)));
}

/* The digits of a number, the last one not 0 (then *exponent grows); returns how many. */
static int split(uint64_t number, int *exponent, char *digits)
{
    while (number % 100000000 == 0 && number >= 100000000) {
        number /= 100000000;
        *exponent += 8;
    }
    while (number % 10 == 0 && number >= 10) {
        number /= 10;
        *exponent += 1;
    }
    char reversed[20];
    int n = 0;
    for (; number >= 10; number /= 10)
        reversed[n++] = (char)('0' + number % 10);
    reversed[n++] = (char)('0' + number);
    for (int i = 0; i < n; i++)
        digits[i] = reversed[n - 1 - i];
    return n;
}

static char *put(char *out, const char *text, int n)
{
    memcpy(out, text, (size_t)n);
    return out + n;
}

static char *zeros(char *out, int n)
{
    memset(out, '0', (size_t)n);
    return out + n;
}

/* d.ddde-7, or as C prints it: d.ddde-07 */
static char *scientific(char *out, const char *digits, int n, int power_of_ten, bool as_c)
{
    *out++ = digits[0];
    if (n > 1) {
        *out++ = '.';
        out = put(out, digits + 1, n - 1);
    }
    return out + sprintf(out, as_c ? "e%+03d" : "e%d", power_of_ten);
}

static int text_of(double value, bool as_c, char *buffer)
{
    char *out = buffer, digits[20] = "0";
    if (!isfinite(value))
        return sprintf(buffer, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    if (signbit(value))
        *out++ = '-';
    int n = 1, exponent = 0;
    double size = fabs(value);
    if (size > 0 && size < 9e15 && size == (double)(uint64_t)size) {
        n = split((uint64_t)size, &exponent, digits);
    } else if (size > 0) {
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        uint64_t number = shortest(bits, &exponent);
        n = split(number, &exponent, digits);
    }
    int point = n + exponent; /* digits before the point */
    int most = as_c ? CAROM_MAX(n, 15) : 16, least = as_c ? -3 : -4;
    if (point > most || point < least) {
        out = scientific(out, digits, n, point - 1, as_c);
    } else if (point <= 0) {
        out = zeros(put(out, "0.", 2), -point);
        out = put(out, digits, n);
    } else if (point >= n) {
        out = zeros(put(out, digits, n), point - n);
    } else {
        out = put(out, digits, point);
        *out++ = '.';
        out = put(out, digits + point, n - point);
    }
    *out = '\0';
    return (int)(out - buffer);
}

int carom_decimal(double value, char *buffer)
{
    return text_of(value, false, buffer);
}

char *carom_shortest(double value, char *buffer)
{
    text_of(value, true, buffer);
    return buffer;
}
