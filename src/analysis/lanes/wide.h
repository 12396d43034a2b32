/* wide.h: arithmetic of eight lanes that C has no operators for. Private to the ensemble. */
#ifndef CAROM_ENSEMBLE_WIDE_H
#define CAROM_ENSEMBLE_WIDE_H

#include "analysis/lanes/lanes.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* no wide value crosses a function that is not inlined */
#define INLINE static inline __attribute__((always_inline))

enum { CAROM_PART = 4 };
/* All bits of a lane or none. */
typedef long long carom_mask __attribute__((vector_size(CAROM_LANES * sizeof(long long)), may_alias));
typedef double carom_part __attribute__((vector_size(CAROM_PART * sizeof(double)), may_alias));
typedef long long carom_part_mask __attribute__((vector_size(CAROM_PART * sizeof(long long)), may_alias));

INLINE carom_wide choose(carom_mask which, carom_wide a, carom_wide b)
{
    return (carom_wide)((which & (carom_mask)a) | (~which & (carom_mask)b));
}

/* Comparisons of eight lanes at once (whole) are vectors on some processors only, those of four on more: half by
 * half. */
#define CAROM_COMPARE(is, type, a, b, compare)                                                                         \
    type a_0 = __builtin_shufflevector(a, a, 0, 1, 2, 3), a_1 = __builtin_shufflevector(a, a, 4, 5, 6, 7);             \
    type b_0 = __builtin_shufflevector(b, b, 0, 1, 2, 3), b_1 = __builtin_shufflevector(b, b, 4, 5, 6, 7);             \
    carom_part_mask is_0 = a_0 compare b_0, is_1 = a_1 compare b_1;                                                    \
    carom_mask is =                                                                                                    \
        whole ? (carom_mask)(a compare b) : (carom_mask)__builtin_shufflevector(is_0, is_1, 0, 1, 2, 3, 4, 5, 6, 7)

INLINE carom_wide smaller(bool whole, carom_wide a, carom_wide b)
{
    CAROM_COMPARE(is, carom_part, a, b, <);
    return choose(is, a, b);
}

INLINE carom_wide larger(bool whole, carom_wide a, carom_wide b)
{
    CAROM_COMPARE(is, carom_part, a, b, >);
    return choose(is, a, b);
}

INLINE carom_mask at_most(bool whole, carom_wide a, carom_wide b)
{
    CAROM_COMPARE(is, carom_part, a, b, <=);
    return is;
}

INLINE carom_mask negative(bool whole, carom_mask bits)
{
    const carom_mask zero = {0};
    CAROM_COMPARE(is, carom_part_mask, bits, zero, <);
    return is;
}

INLINE carom_wide size(carom_wide a)
{
    return (carom_wide)((carom_mask)a & 0x7fffffffffffffff);
}

INLINE carom_wide all(double x)
{
    return (carom_wide){x, x, x, x, x, x, x, x};
}

/* sum_j c_j k_j of one row */
INLINE carom_wide sum(const double *c, int terms, const carom_wide *k, int n)
{
    carom_wide s = {0};
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++)
        if (c[j] != 0)
            s += c[j] * k[j * n];
    return s;
}

#endif
