/* trig.h: sine and cosine with the same bits for one lane and for eight, in the tape and in native code.
 *
 *   k = nearest integer to 2x/pi,   r + y = x - k pi/2,  pi/2 in four parts: 27, 25, 25 and 53 bits                 (1)
 *   sin(r + y) = r + (r z S(z) + y cos r),                            z = r^2                                     (2)
 *   cos(r + y) = w + (((1 - w) - z/2) + (z^2 C(z) - y sin r)),        w = 1 - z/2                                 (3)
 *   S, C: interpolation of degree 5 in z at Chebyshev points on |r| <= pi/4, error below 1e-17                     (4)
 *
 * Error below 0.85 units in the last place, near the zeros too: in (1) the products with the first three parts are
 * exact, and so is every difference or its rest, the number subtracted being the smaller one, or else both being
 * multiples of 2^-54 (2^-82) below 2^-3 (2^-30). Left to the C library: |x| > 1e8, NaN. The text of these functions
 * is also the preamble of native code (emit.c): they contain no macros, and no more than 4095 characters each. */
#ifndef CAROM_EXPR_TRIG_H
#define CAROM_EXPR_TRIG_H

#define CAROM_AS_CODE(...) __VA_ARGS__
#define CAROM_AS_TEXT(...) #__VA_ARGS__

#define CAROM_TRIG_TYPES(X)                                                                                            \
    X(                                                                                                                 \
        typedef double carom_wide8 __attribute__((vector_size(64), aligned(8), may_alias));                            \
        typedef unsigned long long carom_bits8 __attribute__((vector_size(64), aligned(8), may_alias));                \
        typedef unsigned long long carom_bits2 __attribute__((vector_size(16), aligned(8), may_alias));                \
        double sin(double); double cos(double); static inline unsigned long long carom_to_bits(double x) {             \
            union {                                                                                                    \
                double x;                                                                                              \
                unsigned long long i;                                                                                  \
            } u = {.x = x};                                                                                            \
            return u.i;                                                                                                \
        } static inline double carom_from_bits(unsigned long long i) {                                                 \
            union {                                                                                                    \
                unsigned long long i;                                                                                  \
                double x;                                                                                              \
            } u = {.i = i};                                                                                            \
            return u.x;                                                                                                \
        })

/* (1)-(4) for a real type R and its integers I; the sign bit of *bad: not computed. */
#define CAROM_TRIG_KERNEL(X, NAME, R, I, TO_BITS, FROM_BITS)                                                           \
    X(static inline __attribute__((always_inline)) void NAME(const R *at, R *sine, R *cosine, I *bad)                  \
      {                                                                                                                \
          const R x = *at, t = x * 0.63661977236758134 + 6755399441055744.0, k = t - 6755399441055744.0;               \
          const R a = x - k * 0x1.921fb54p+0, b = k * 0x1.10b461p-30, f = a - b, g = k * 0x1.a62633p-58, d = f - g;    \
          const R y = (((a - f) - b) + ((f - d) - g)) - k * 0x1.45c06e0e68948p-86;                                     \
          const R z = d * d, z2 = z * z, v = z * d, hz = 0.5 * z, w = 1.0 - hz;                                        \
          const R S = (-0.16666666666666632 + z * 0.008333333333322363) +                                              \
                      z2 * ((-0.00019841269829766253 + z * 2.7557313677068034e-06) +                                   \
                            z2 * (-2.5050755725543447e-08 + z * 1.5896653553070555e-10));                              \
          const R C = (0.041666666666666595 + z * -0.0013888888888873405) +                                            \
                      z2 * ((2.4801587289086627e-05 + z * -2.755731424925928e-07) +                                    \
                            z2 * (2.0875710408336137e-09 + z * -1.1359027994768535e-11));                              \
          const R s_0 = v * S, c_0 = z2 * C;                                                                           \
          const R s_r = d + (s_0 + y * (w + c_0)), c_r = w + (((1.0 - w) - hz) + (c_0 - y * (d + s_0)));               \
          const I n = TO_BITS(t), odd = -(n & 1), s_i = TO_BITS(s_r), turn = (s_i ^ TO_BITS(c_r)) & odd;               \
          const I x_i = TO_BITS(x) & 0x7fffffffffffffff;                                                               \
          *sine = FROM_BITS((s_i ^ turn) ^ ((n << 62) & 0x8000000000000000));                                          \
          *cosine = FROM_BITS((TO_BITS(c_r) ^ turn) ^ (((n + 1) << 62) & 0x8000000000000000));                         \
          *bad = 0x4197d78400000000 - x_i;                                                                             \
      })

#define CAROM_TRIG_FUNCTIONS(X)                                                                                        \
    X(                                                                                                                 \
        static inline double carom_op_sin(double x) {                                                                  \
            double s;                                                                                                  \
            double c;                                                                                                  \
            unsigned long long bad;                                                                                    \
            carom_trig_one(&x, &s, &c, &bad);                                                                          \
            return (long long)bad < 0 ? sin(x) : s;                                                                    \
        } static inline double carom_op_cos(double x) {                                                                \
            double s;                                                                                                  \
            double c;                                                                                                  \
            unsigned long long bad;                                                                                    \
            carom_trig_one(&x, &s, &c, &bad);                                                                          \
            return (long long)bad < 0 ? cos(x) : c;                                                                    \
        } static inline void carom_op_sincos(double x, double *s, double *c) {                                         \
            unsigned long long bad;                                                                                    \
            const double at = x;                                                                                       \
            carom_trig_one(&at, s, c, &bad);                                                                           \
            if ((long long)bad < 0) {                                                                                  \
                *s = sin(x);                                                                                           \
                *c = cos(x);                                                                                           \
            }                                                                                                          \
        } static                                                                                                       \
        __attribute__((noinline, cold)) void carom_far_sincos(const carom_wide8 *x, carom_wide8 *s, carom_wide8 *c) {  \
            for (int i = 0; i < 8; i++) {                                                                              \
                double s_i;                                                                                            \
                double c_i;                                                                                            \
                carom_op_sincos((*x)[i], &s_i, &c_i);                                                                  \
                (*s)[i] = s_i;                                                                                         \
                (*c)[i] = c_i;                                                                                         \
            }                                                                                                          \
        } static inline                                                                                                \
        __attribute__((always_inline)) void carom_wide_sincos(const carom_wide8 *x, carom_wide8 *s, carom_wide8 *c) {  \
            carom_bits8 bad;                                                                                           \
            const carom_wide8 at = *x;                                                                                 \
            carom_trig_eight(&at, s, c, &bad);                                                                         \
            const carom_bits2 *b = (const carom_bits2 *)&bad;                                                          \
            const carom_bits2 any = (b[0] | b[1]) | (b[2] | b[3]);                                                     \
            if (__builtin_expect((long long)(any[0] | any[1]) < 0, 0)) {                                               \
                const carom_wide8 far = at;                                                                            \
                carom_wide8 s_far;                                                                                     \
                carom_wide8 c_far;                                                                                     \
                carom_far_sincos(&far, &s_far, &c_far);                                                                \
                *s = s_far;                                                                                            \
                *c = c_far;                                                                                            \
            }                                                                                                          \
        })

#define CAROM_TRIG_ONE(X)                                                                                              \
    CAROM_TRIG_KERNEL(X, carom_trig_one, double, unsigned long long, carom_to_bits, carom_from_bits)
#define CAROM_TRIG_EIGHT(X)                                                                                            \
    CAROM_TRIG_KERNEL(X, carom_trig_eight, carom_wide8, carom_bits8, (carom_bits8), (carom_wide8))

#endif
