/* fit.c: how often the 95 % intervals of carom_fit_run hold the truth: 200 sets of noisy data of a bouncing ball (e, g
 * and the height it falls from) and of a block that slides to rest (mu and its velocity); and what a fit costs. */
#include <stdio.h>
#include <time.h>

#include "fit_testing.h"

enum { TRIALS = 200, MOST = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int cover(const char *model, const char *const *names, const double *truth, int n, const char *const *of,
                 double t_end, double sigma)
{
    int covered[MOST] = {0}, failed = 0, runs = 0;
    const double begun = now();
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        measured_motion m;
        carom_fit *f = NULL;
        carom_error error = {0};
        if (measure_motion(&m, model, names, truth, n, 1, 50, t_end, sigma, trial + 1000, 0) != CAROM_OK ||
            fit_motion(&f, &m, model, names, NULL, n, of, 1, true, 1, &error) != CAROM_OK)
            failed++;
        for (int k = 0; f && k < n; k++)
            covered[k] += f->low[k] <= truth[k] && truth[k] <= f->high[k];
        runs += f ? f->runs : 0;
        carom_fit_free(f);
        forget_motion(&m);
    }
    printf("%s: sigma = %g, %d sets of data, %d failed, %.1f ms and %d runs each\n", model, sigma, TRIALS, failed,
           1e3 * (now() - begun) / TRIALS, runs / TRIALS);
    for (int k = 0; k < n; k++)
        printf("  %-6s %.1f %% of the intervals hold the truth\n", names[k], 100. * covered[k] / TRIALS);
    return failed;
}

int main(void)
{
    static const char *const ball[] = {"e", "g", "q.y"}, *const block[] = {"mu", "v.x"};
    static const char *const y[] = {"y"}, *const x[] = {"x"};
    static const double ball_truth[] = {0.83, 9.7, 0.62}, block_truth[] = {0.23, 1.7};
    return cover("bouncing-ball", ball, ball_truth, 3, y, 1.2, 0.003) +
           cover("sliding-block", block, block_truth, 2, x, 1.5, 0.003);
}
