/* bench.h: times as ratios of two loops in the same run, the smallest of many rounds of each. */
#ifndef CAROM_BENCH_H
#define CAROM_BENCH_H

#include <stdio.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void bench_loop(void *user, int n);

/* Nanoseconds per repetition of each loop: rounds alternate, so that both see the same machine. */
static inline void bench_compare(int nloops, bench_loop *const *loops, void *const *users, int n, int rounds,
                                 double *ns)
{
    for (int k = 0; k < nloops; k++)
        ns[k] = 1e300;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < nloops; k++) {
            double start = bench_now();
            loops[k](users[k], n);
            double each = (bench_now() - start) / n * 1e9;
            if (each < ns[k])
                ns[k] = each;
        }
}

static inline void bench_report(const char *what, double ns, double base, double target)
{
    printf("%-34s %8.1f ns   %6.2f x", what, ns, ns / base);
    if (target > 0)
        printf("   target %4.1f x   %s", target, ns / base <= target ? "reached" : "MISSED");
    printf("\n");
}

#endif
