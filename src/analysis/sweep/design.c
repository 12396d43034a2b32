/* design.c: which values the axes of a sweep take at point i.
 *
 *   grid     the first axis varies slowest; both ends of each axis are points of it
 *   random   x = from + (to - from) u,  u from 53 bits of a hash of (seed, i, axis): no stream to advance
 *   sobol    u_j = XOR of v_jk over the bits k of the Gray code of i, i >= 0                                (1)
 *            v_jk = m_k / 2^k,  m_k = 2 a_1 m_(k-1) ^ ... ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s) (2)
 * for the primitive polynomials x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1 and first m of
 * S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008) 2635-2654. The points 0 ... 2^k - 1 have one in each interval of
 * length 2^-k of every axis. A seed shifts them by random bits (XOR), which keeps that. */
#include <stdint.h>

#include "analysis/sweep/sweep.h"

enum { BITS = 52 };

const char *carom_sweep_design_name(int design)
{
    static const char *const names[] = {"grid", "random", "sobol"};
    return design >= 0 && design < CAROM_DESIGNS ? names[design] : NULL;
}

/* Steele, Lea and Flood's splitmix64: a bijection that scatters every bit. */
static uint64_t scatter(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t random_bits(int seed, uint64_t index, int axis)
{
    return scatter(scatter(scatter((uint64_t)seed) ^ index) ^ (uint64_t)axis);
}

/* v_jk as integers of BITS bits, k = 1 ... BITS. */
static void directions(int dimension, uint64_t *v)
{
    static const struct polynomial {
        int s, a;
        int m[5];
    } table[CAROM_SWEEP_AXES] = {{0, 0, {0}}, {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}},
                                 {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}},
                                 {5, 4, {1, 1, 5, 5, 5}}, {5, 7, {1, 1, 7, 11, 19}}};
    const struct polynomial *p = &table[dimension];
    uint64_t m[BITS];
    for (int k = 0; k < BITS; k++) {
        if (p->s == 0) {
            m[k] = 1;
        } else if (k < p->s) {
            m[k] = (uint64_t)p->m[k];
        } else {
            m[k] = m[k - p->s] ^ m[k - p->s] << p->s;                                   /* (2) */
            for (int i = 1; i < p->s; i++)
                if (p->a >> (p->s - 1 - i) & 1)
                    m[k] ^= m[k - i] << i;
        }
        v[k] = m[k] << (BITS - 1 - k);
    }
}

static uint64_t sobol_bits(uint64_t i, int dimension)
{
    uint64_t v[BITS], u = 0, gray = i ^ i >> 1;
    directions(dimension, v);
    for (int k = 0; k < BITS && gray >> k; k++)
        if (gray >> k & 1)
            u ^= v[k];                                                                  /* (1) */
    return u;
}

static double unit(uint64_t bits)
{
    return (double)bits / (double)((uint64_t)1 << BITS);
}

void carom_sobol(long long i, int n, double *x)
{
    for (int k = 0; k < n; k++)
        x[k] = unit(sobol_bits((uint64_t)i, k));
}

static double on_grid(const carom_sweep_axis *axis, long long k)
{
    if (k == 0)
        return axis->from;
    if (k == axis->n - 1)
        return axis->to;
    return axis->from + (axis->to - axis->from) * ((double)k / (double)(axis->n - 1));
}

long long carom_sweep_grid_points(const carom_sweep *sweep)
{
    long long points = 1;
    for (int k = 0; k < sweep->naxis; k++) {
        if ((double)points * (double)sweep->axis[k].n > 1e15)
            return -1;
        points *= sweep->axis[k].n;
    }
    return points;
}

void carom_sweep_point(const carom_sweep *sweep, long long index, double *x)
{
    long long rest = index;
    for (int k = sweep->naxis - 1; k >= 0; k--) {
        const carom_sweep_axis *axis = &sweep->axis[k];
        if (sweep->design == CAROM_DESIGN_GRID) {
            x[k] = on_grid(axis, rest % axis->n);
            rest /= axis->n;
            continue;
        }
        uint64_t bits = random_bits(sweep->seed, (uint64_t)index, k) >> (64 - BITS);
        if (sweep->design == CAROM_DESIGN_SOBOL) {
            uint64_t shift = sweep->seed ? random_bits(sweep->seed, 0, k) >> (64 - BITS) : 0;
            bits = sobol_bits((uint64_t)index, k) ^ shift;
        }
        x[k] = axis->from + (axis->to - axis->from) * unit(bits);
    }
}
