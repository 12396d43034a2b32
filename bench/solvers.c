/* solvers.c: contact problems from files: bench-solvers [-s SOLVER] [-t TOL] [-l SECONDS] FILE... prints for each what
 * became of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "output/hdf5/fclib.h"
#include "solvers/solver.h"

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run(const char *path, const carom_solver *solver, double tol, double limit, double *time)
{
    carom_arena *arena = carom_arena_new(0);
    carom_problem *p;
    carom_problem_kind kind;
    carom_error error = {.text = ""};
    double *guess;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (carom_problem_open(&p, &guess, &kind, arena, path, &error) != CAROM_OK) {
        printf("%-52s %s\n", name, error.text);
        return false;
    }
    size_t bytes = p->n <= 1200 ? carom_solver_work(NULL, p->n, p->nblock) : 0;
    carom_solve s = {.tol = tol, .x = CAROM_NEW(arena, double, p->n), .u = CAROM_NEW(arena, double, p->n),
                     .work = bytes ? malloc(bytes) : NULL, .arena = arena, .time_limit = limit,
                     .judge = kind == CAROM_KIND_FRICTION ? carom_problem_error_siconos
                              : kind == CAROM_KIND_OWN    ? NULL
                                                          : carom_problem_error_b};
    double begin = now();
    carom_status status = carom_problem_solve(p, solver, &s, &error);
    *time = now() - begin;
    printf("%-52s %6d  %-6s %-12s %9.2e %6d %4d %9.6f\n", name, p->nblock, status == CAROM_OK ? "solved" : "FAILED",
           s.by, s.residual, s.iterations, s.factorisations, *time);
    fflush(stdout);
    free(s.work);
    carom_arena_free(arena);
    return status == CAROM_OK;
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
    const carom_solver *solver = NULL;
    double tol = 1e-8, limit = 20, *times = calloc((size_t)argc, sizeof *times);
    int n = 0, solved = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && i + 1 < argc) {
            char option = argv[i++][1];
            if (option == 's')
                solver = carom_solver_find(argv[i]);
            *(option == 't' ? &tol : option == 'l' ? &limit : &times[argc - 1]) = atof(argv[i]);
            continue;
        }
        solved += run(argv[i], solver, tol, limit, &times[n]);
        n++;
    }
    qsort(times, (size_t)n, sizeof *times, by_size);
    printf("%d of %d solved, median %.6f s\n", solved, n, n ? times[n / 2] : 0);
    return 0;
}
