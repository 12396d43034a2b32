/* lyapunov_statistics.c: averages of sequences x_0 ... x_{N-1}, and how far they can be trusted.
 *
 *   mean = (1/N) sum x_k,   error^2 = variance of the means of B blocks / B                                              (1)
 *
 * holds for a chaotic motion when blocks are much longer than it remembers. For a regular one (periodic, quasi-periodic) the
 * plain mean converges like 1/N only, because the last turn is not complete, while the weighted mean
 *
 *   sum w_k x_k / sum w_k,   w_k = (s (1 - s))^6,  s = (k + 1/2)/N                                                       (2)
 *
 * fades in and out and converges like N^-7. The motion counts as regular when (2) over the first half and over the second half
 * agree 1000 times better than (1) would have it; their difference then is the error. */
#include <math.h>
#include <string.h>

#include "analysis/lyapunov.h"

size_t carom_averages_doubles(int n)
{
    return 7 * (size_t)n;
}

void carom_averages_begin(carom_averages *a, int n, int blocks, long length, double *memory)
{
    memset(memory, 0, sizeof *memory * carom_averages_doubles(n));
    *a = (carom_averages){.n = n, .length = length, .blocks = (int)CAROM_MIN((long)blocks, length)};
    a->sum = memory;
    a->block = memory + n;
    a->mean = memory + 2 * n;
    a->square = memory + 3 * n;
    a->weighted = memory + 4 * n;
}

static double weight(double s)
{
    double x = s * (1 - s), x2 = x * x;
    return x2 * x2 * x2;
}

static void close_block(carom_averages *a)
{
    a->block_count++;
    for (int i = 0; i < a->n; i++) {
        double x = a->block[i] / (double)a->block_done, off = x - a->mean[i];
        a->mean[i] += off / a->block_count;
        a->square[i] += off * (x - a->mean[i]);
        a->block[i] = 0;
    }
    a->block_done = 0;
}

bool carom_averages_add(carom_averages *a, const double *x)
{
    double s = ((double)a->done + 0.5) / (double)a->length;
    int half = s < 0.5 ? 1 : 2;
    double w = weight(s), w_half = weight(half == 1 ? 2 * s : 2 * s - 1);                         /* (2) */
    a->weight[0] += w;
    a->weight[half] += w_half;
    for (int i = 0; i < a->n; i++) {
        a->sum[i] += x[i];
        a->block[i] += x[i];
        a->weighted[i] += w * x[i];
        a->weighted[half * a->n + i] += w_half * x[i];
    }
    a->done++;
    a->block_done++;
    long end = (long)((double)a->length * (a->block_count + 1) / a->blocks);
    if (a->done < end)
        return false;
    close_block(a);
    return true;
}

bool carom_averages_end(const carom_averages *a, double *mean, double *error)
{
    int n = a->n;
    bool regular = a->done == a->length && a->block_count > 1;
    for (int i = 0; i < n; i++) {
        mean[i] = a->sum[i] / (double)a->done;
        error[i] = a->block_count > 1 ? sqrt(a->square[i] / (a->block_count - 1) / a->block_count) : NAN;   /* (1) */
        if (!isfinite(mean[i])) {
            error[i] = NAN;
            continue;
        }
        double apart = fabs(a->weighted[n + i] / a->weight[1] - a->weighted[2 * n + i] / a->weight[2]);
        regular = regular && apart <= 1e-3 * error[i] && apart <= 1e-6 * (1 + fabs(mean[i]));
    }
    for (int i = 0; i < n && regular; i++)
        if (isfinite(mean[i])) {
            mean[i] = a->weighted[i] / a->weight[0];
            error[i] = fabs(a->weighted[n + i] / a->weight[1] - a->weighted[2 * n + i] / a->weight[2]);
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
