/* sweep.c: a map of the largest Lyapunov exponent of the impact oscillator, 1000 x 1000 points over frequency and
 * damping, with its picture beside this program; and what a second thread brings. Optional argument: points along one
 * side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep/sweep.h"
#include "bench.h"
#include "output/map/map.h"

enum { TRANSIENT = 20, PERIODS = 60 };

typedef struct job {
    carom_sweep_todo todo;
    double *value;
    long long failed;
} job;

static int take(void *user, long long *index, int most)
{
    return carom_sweep_todo_take(&((job *)user)->todo, index, most);
}

static carom_status put(void *user, const carom_sweep_row *rows, int n, carom_error *error)
{
    job *j = user;
    (void)error;
    for (int i = 0; i < n; i++) {
        j->value[rows[i].index] = rows[i].value[0];
        j->failed += rows[i].status != CAROM_OK;
    }
    return CAROM_OK;
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* Seconds for a map of n x n points; value [n*n]. */
static double compute(int n, int threads, double *value)
{
    carom_measure measure = {.kind = CAROM_MEASURE_LYAPUNOV};
    const carom_sweep s = {.path = "impact-oscillator",
                           .load = {.jit = true},
                           .naxis = 2,
                           .axis = {{"w", 2, 3, n}, {"alpha", 0.05, 0.5, n}},
                           .points = (long long)n * n,
                           .nshard = 1,
                           .span = {CAROM_SPAN_PERIODS, PERIODS, TRANSIENT},
                           .method = &carom_sweep_measures,
                           .task = &measure,
                           .column = {"lyapunov"},
                           .ncolumn = 1};
    job j = {.value = value};
    carom_error error = {0};
    const carom_sweep_feed feed = {&j, take, put, never};
    const double start = bench_now();
    if (carom_sweep_todo_new(&j.todo, &s, &error) != CAROM_OK ||
        carom_sweep_run(&s, threads, &feed, &error) != CAROM_OK || j.failed) {
        fprintf(stderr, "%lld points failed. %s\n", j.failed, error.text);
        exit(1);
    }
    carom_sweep_todo_free(&j.todo);
    return bench_now() - start;
}

/* The best of several rounds that alternate, so that both see the same machine. */
static void compare_threads(double *value)
{
    enum { N = 100, ROUNDS = 5 };
    double best[2] = {1e300, 1e300};
    double *first = malloc(sizeof(double) * N * N);
    for (int r = 0; first && r < ROUNDS; r++)
        for (int k = 0; k < 2; k++) {
            best[k] = fmin(best[k], compute(N, k + 1, k ? value : first));
            if (k && memcmp(first, value, sizeof(double) * N * N) != 0)
                printf("two threads give other numbers than one: MISSED\n");
        }
    free(first);
    const double periods = (double)N * N * (TRANSIENT + PERIODS);
    printf("map of %d x %d exponents, %d + %d periods each, at rtol 1e-6\n", N, N, TRANSIENT, PERIODS);
    printf("  one thread    %7.2f s   %.3g periods/s\n", best[0], periods / best[0]);
    printf("  two threads   %7.2f s   %.3g periods/s   %.2f x   target 1.8 x   %s\n", best[1], periods / best[1],
           best[0] / best[1], best[0] / best[1] >= 1.8 ? "reached" : "MISSED");
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    double *value = n > 0 ? malloc(sizeof(double) * (size_t)CAROM_MAX(n, 100) * (size_t)CAROM_MAX(n, 100)) : NULL;
    char path[1000];
    carom_error error = {0};
    if (!value)
        return 1;
    compare_threads(value);
    const double seconds = compute(n, 0, value);
    printf("map of %d x %d exponents on all cores: %.1f s, %.3g points/s\n", n, n, seconds, (double)n * n / seconds);
    const carom_heatmap map = {.title = "impact oscillator: lyapunov",
                           .name = "lyapunov",
                           .x = {"w", 2, 3, n},
                           .y = {"alpha", 0.05, 0.5, n},
                           .value = value,
                           .signs = true};
    snprintf(path, sizeof path, "%s.png", argv[0]);
    if (carom_map_write(path, &map, &error) == CAROM_OK)
        printf("  its picture: %s\n", path);
    else
        printf("  no picture: %s\n", error.text);
    free(value);
    return 0;
}
