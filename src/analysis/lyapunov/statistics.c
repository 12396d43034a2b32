/* statistics.c: averages of sequences x_0 ... x_{N-1}, and how far they can be trusted.
 *
 * The terms are summed in B blocks of equal length, y_b the mean of one; when there is no more room, neighbours are
 * joined. Terms of a motion remember each other, and so do blocks that are not long enough, so that the variance of
 * the blocks alone would make the error of the mean too small. With the autocovariances of the blocks and their
 * initial monotone sequence (Geyer, Statist. Sci. 7 (1992) 473)
 *
 *   c_d = (1/B) sum (y_b - mean)(y_{b+d} - mean),   C_k = min(c_2k + c_{2k+1}, C_{k-1})  while it is positive, k < K
 *   (1)
 *   s = max(c_0, 2 sum C_k - c_0),   error^2 = s/B / (1 - (4K - 1)/B)                                               (2)
 *
 * where the last factor gives back what the c_d lose because the mean is that of the same blocks. B c_0/s is the
 * number of independent blocks. Where it is below 5 the run is not longer than what it should average, a turn of the
 * columns, say, or their alignment; then nothing but the values themselves can be trusted:
 *
 *   error = max y_b - min y_b                                                                                       (3)
 *
 * Of a regular motion (periodic, quasi-periodic) the plain mean converges like 1/N only, because the last turn is not
 * complete, while
 *
 *   sum w_k x_k / sum w_k,   w_k = (s (1 - s))^6,  s = (k + 1/2)/N                                                  (4)
 *
 * fades in and out and converges like N^-7. The motion counts as regular when (4) over the first half, the second
 * half and the half between agree 1000 times better than (2) would have it; the largest of their differences then is
 * the error. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/lyapunov/lyapunov.h"

enum { WINDOWS = 4 }; /* all, the first half, the second, the one between */
static const double INDEPENDENT = 5, ROUNDING = 64 * DBL_EPSILON; /* of terms and sums */

size_t carom_averages_doubles(int n, int blocks)
{
    return CAROM_AVERAGES_DOUBLES((size_t)n, (size_t)blocks);
}

void carom_averages_begin(carom_averages *a, int n, int blocks, long length, double *memory)
{
    *a = (carom_averages){.n = n, .length = length, .blocks = (int)CAROM_MIN((long)blocks, length), .block_size = 1};
    memset(memory, 0, sizeof *memory * carom_averages_doubles(n, a->blocks));
    a->sum = memory;
    a->weighted = a->sum + n;
    a->block = a->weighted + WINDOWS * n;
}

static double weight(double s)
{
    double x = s * (1 - s), x2 = x * x;
    return x2 * x2 * x2;
}

static void add_weighted(carom_averages *a, int window, double s, const double *x)
{
    double w = weight(s);                                                                         /* (4) */
    a->weight[window] += w;
    for (int i = 0; i < a->n; i++)
        a->weighted[window * a->n + i] += w * x[i];
}

/* Neighbours become one block; of an odd number the last stays open. */
static void join_blocks(carom_averages *a)
{
    int n = a->n, pairs = a->block_count / 2;
    for (int b = 0; b < pairs; b++)
        for (int i = 0; i < n; i++)
            a->block[b * n + i] = a->block[2 * b * n + i] + a->block[(2 * b + 1) * n + i];
    if (a->block_count % 2) {
        memmove(a->block + pairs * n, a->block + (a->block_count - 1) * n, sizeof(double) * (size_t)n);
        a->block_done = a->block_size;
    }
    a->block_count = pairs;
    a->block_size *= 2;
}

static void add_to_block(carom_averages *a, const double *x)
{
    if (a->block_count == a->blocks)
        join_blocks(a);
    double *open = a->block + a->block_count * a->n;
    for (int i = 0; i < a->n; i++)
        open[i] = a->block_done ? open[i] + x[i] : x[i];
    if (++a->block_done < a->block_size)
        return;
    a->block_count++;
    a->block_done = 0;
}

bool carom_averages_add(carom_averages *a, const double *x)
{
    double s = ((double)a->done + 0.5) / (double)a->length;
    add_weighted(a, 0, s, x);
    if (s < 0.5)
        add_weighted(a, 1, 2 * s, x);
    else
        add_weighted(a, 2, 2 * s - 1, x);
    if (s > 0.25 && s < 0.75)
        add_weighted(a, 3, 2 * s - 0.5, x);
    for (int i = 0; i < a->n; i++)
        a->sum[i] += x[i];
    add_to_block(a, x);
    a->done++;
    if (a->done < (long)((double)a->length * (a->marks + 1) / a->blocks))
        return false;
    a->marks++;
    return true;
}

/* c_d of (1). */
static double autocovariance(const carom_averages *a, int i, double mean, int d)
{
    const double *y = a->block + i, size = (double)a->block_size;
    double c = 0;
    for (int b = 0; b + d < a->block_count; b++)
        c += (y[b * a->n] / size - mean) * (y[(b + d) * a->n] / size - mean);
    return c / a->block_count;
}

static double spread(const carom_averages *a, int i)
{
    double least = INFINITY, most = -INFINITY;
    for (int b = 0; b < a->block_count; b++) {
        least = fmin(least, a->block[b * a->n + i]);
        most = fmax(most, a->block[b * a->n + i]);
    }
    return (most - least) / (double)a->block_size;
}

static double standard_error(const carom_averages *a, int i)
{
    int B = a->block_count, K = 0;
    double mean = 0, last = INFINITY, c_0, s;
    if (B < 2)
        return NAN;
    for (int b = 0; b < B; b++)
        mean += a->block[b * a->n + i] / (double)a->block_size / B;
    c_0 = autocovariance(a, i, mean, 0);
    s = -c_0;
    for (; 2 * K + 1 < B; K++) {
        double C = K ? autocovariance(a, i, mean, 2 * K) : c_0;
        C = fmin(last, C + autocovariance(a, i, mean, 2 * K + 1));                                /* (1) */
        if (!(C > 0))
            break;
        s += 2 * C;
        last = C;
    }
    s = fmax(s, c_0);
    double kept = fmax(0.1, 1 - (K ? 4.0 * K - 1 : 1) / B), error = sqrt(s / B / kept);           /* (2) */
    return B * c_0 < INDEPENDENT * s ? fmax(error, spread(a, i)) : error;                         /* (3) */
}

static double weighted(const carom_averages *a, int window, int i)
{
    return a->weighted[window * a->n + i] / a->weight[window];
}

/* How far (4) over the halves are apart. */
static double apart(const carom_averages *a, int i)
{
    double first = weighted(a, 1, i), second = weighted(a, 2, i), between = weighted(a, 3, i);
    return fmax(fabs(first - second), fmax(fabs(first - between), fabs(second - between)));
}

bool carom_averages_end(const carom_averages *a, double *mean, double *error)
{
    bool regular = a->done == a->length && a->block_count > 1;
    for (int i = 0; i < a->n; i++) {
        mean[i] = a->sum[i] / (double)a->done;
        error[i] = isfinite(mean[i]) ? standard_error(a, i) : NAN;
        if (!isfinite(mean[i]))
            continue;
        double size = 1 + fabs(mean[i]), off = apart(a, i);
        regular = regular && off <= fmax(1e-3 * error[i], ROUNDING * size) && off <= 1e-6 * size;
    }
    for (int i = 0; i < a->n && regular; i++)
        if (isfinite(mean[i])) {
            mean[i] = weighted(a, 0, i);
            error[i] = fmax(apart(a, i), ROUNDING * (1 + fabs(mean[i])));
        }
    return regular;
}

double carom_kaplan_yorke(int n, const double *exponent)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (sum + exponent[i] < 0)
            return i + sum / fabs(exponent[i]);
        sum += exponent[i];
    }
    return n;
}
