/* test_expr_trig.c: sine and cosine of the tape: accurate, and the same bits in one lane and in eight. */
#include <string.h>

#include "expr/op_trig.h"
#include "testing.h"

START_TEST(sine_and_cosine_are_within_one_unit_in_the_last_place)
{
    double worst = 0;
    unsigned long long seed = 88172645463325252ull;
    for (int i = 0; i < 100000; i++) {
        double x[8], s[8], c[8];
        for (int l = 0; l < 8; l++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            double u = (double)(seed >> 11) * 0x1p-53;
            x[l] = ldexp(u - 0.5, (int)(seed % 30)); /* up to 2^28: also beyond the limit */
            if (l > 5)
                /* near the zeros, where functions of a period begin anew */
                x[l] = floor(l == 6 ? 6.3e7 * u : 1000 * u) * M_PI_2;
        }
        if (i == 0)
            x[0] = 0, x[1] = -0.0, x[2] = 1e-300, x[3] = NAN, x[4] = INFINITY, x[5] = 1e22;
        carom_trig_wide(x, s, c);
        for (int l = 0; l < 8; l++) {
            double s_one = carom_op_sin(x[l]), c_one = carom_op_cos(x[l]), s_both, c_both;
            carom_op_sincos(x[l], &s_both, &c_both);
            ck_assert(memcmp(&s_one, &s[l], 8) == 0 || (isnan(s_one) && isnan(s[l])));
            ck_assert(memcmp(&c_one, &c[l], 8) == 0 || (isnan(c_one) && isnan(c[l])));
            ck_assert(memcmp(&s_both, &s[l], 8) == 0 || isnan(s_both));
            if (!(fabs(x[l]) <= 1e300))
                continue;
            long double s_true = sinl(x[l]), c_true = cosl(x[l]);
            double unit_s = nextafter(fabs((double)s_true), INFINITY) - fabs((double)s_true);
            double unit_c = nextafter(fabs((double)c_true), INFINITY) - fabs((double)c_true);
            worst = fmax(worst, fmax((double)fabsl((s[l] - s_true) / unit_s), (double)fabsl((c[l] - c_true) / unit_c)));
        }
    }
    printf("sine and cosine: at most %.3f units\n", worst);
    CHECK_AT_MOST(worst, 0.85);
}
END_TEST
TEST_MAIN("sine and cosine", sine_and_cosine_are_within_one_unit_in_the_last_place)
