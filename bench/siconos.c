/* siconos.c: the solvers of Siconos' numerics on contact problems, judged as our own are: bench-siconos [-t TOL]
 * [-l SECONDS] FILE.dat... prints lines that `carom bench solvers --against` reads. Each solve is a process of its own,
 * so that one which crashes or does not end is one line. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output/hdf5/fclib.h"
#include "solvers/solver.h"

#include <Friction_cst.h>
#include <LCP_Solvers.h>
#include <MLCP_Solvers.h>
#include <NonSmoothDrivers.h>
#include <SiconosNumerics.h>
#include <fc2d_Solvers.h>
#include <fc3d_Solvers.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>

enum { REPEATS = 20 };           /* as src/cli/solve/bench.c has it */
static const double SHORT = .01;

typedef struct contender {
    const char *name;
    int id;
} contender;
static const contender spatial[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS},     {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC},
                                    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB}, {"ADMM", SICONOS_FRICTION_3D_ADMM},
                                    {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP}, {"PROX", SICONOS_FRICTION_3D_PROX},
                                    {NULL, 0}};
static const contender planar[] = {{"NSGS", SICONOS_FRICTION_2D_NSGS},   {"CPG", SICONOS_FRICTION_2D_CPG},
                                   {"LEMKE", SICONOS_FRICTION_2D_LEMKE}, {"ENUM", SICONOS_FRICTION_2D_ENUM},
                                   {NULL, 0}};
static const contender lcp[] = {{"LEMKE", SICONOS_LCP_LEMKE},
                                {"PIVOT", SICONOS_LCP_PIVOT},
                                {"PGS", SICONOS_LCP_PGS},
                                {"NEWTON_FB", SICONOS_LCP_NEWTON_FB_FBLSA},
                                {"AVI_CAOFERRIS", SICONOS_LCP_AVI_CAOFERRIS},
                                {NULL, 0}};
static const contender mlcp[] = {{"FB", SICONOS_MLCP_FB}, {"ENUM", SICONOS_MLCP_ENUM}, {NULL, 0}};

static const contender *contenders(const carom_problem *p, carom_problem_kind kind)
{
    if (kind == CAROM_KIND_FRICTION)
        return p->nblock > 0 && p->n == 3 * p->nblock ? spatial : planar;
    return kind == CAROM_KIND_LCP ? lcp : kind == CAROM_KIND_MLCP ? mlcp : NULL;
}

/* Their problem from the file, solved once more from z = 0; the seconds it took. */
static double solve(const char *path, const contender *c, const contender *kind, int n, double tol, double *z)
{
    struct timespec from, to;
    double *w = calloc((size_t)n, sizeof *w);
    SolverOptions *options = solver_options_create(c->id);
    options->dparam[SICONOS_DPARAM_TOL] = tol;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = kind == lcp ? 10000 : 1000000; /* the clock ends it */
    memset(z, 0, sizeof *z * (size_t)n);
    if (kind == lcp) {
        LinearComplementarityProblem *p = newLCP();
        linearComplementarity_newFromFilename(p, path);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        linearComplementarity_driver(p, z, w, options);
    } else if (kind == mlcp) {
        MixedLinearComplementarityProblem *p = mixedLinearComplementarity_new();
        mixedLinearComplementarity_newFromFilename(p, path);
        mlcp_driver_init(p, options);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        mlcp_driver(p, z, w, options);
    } else {
        FrictionContactProblem *p = frictionContact_new_from_filename(path);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        (kind == spatial ? fc3d_driver : fc2d_driver)(p, z, w, options);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    free(w);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

typedef struct outcome {
    double residual, time_s;
} outcome;

/* In a child: the least time of some repeats and the error of the last, through the pipe. */
static void race(const char *path, const contender *c, const contender *kind, const carom_problem *p, double tol,
                 int out)
{
    outcome o = {INFINITY, INFINITY};
    double *z = calloc((size_t)p->n, sizeof *z), *u = calloc((size_t)p->n, sizeof *u), sum = 0;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) /* they print */
        _exit(1);
    for (int k = 0; k < REPEATS && sum < SHORT; k++) {
        const double time = solve(path, c, kind, p->n, tol, z);
        o.time_s = fmin(o.time_s, time), sum += time;
    }
    o.residual = carom_problem_error(p, z, u, kind == lcp || kind == mlcp);
    _exit(write(out, &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1);
}

static void run(const char *path, const contender *c, const contender *kind, const carom_problem *p, double tol,
                double limit)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *status;
    outcome o = {INFINITY, limit};
    int ends[2], code = 0;
    if (pipe(ends) != 0)
        exit(1);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const rlim_t seconds = (rlim_t)ceil(limit) + 1;
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1}); /* its death is the answer */
        race(path, c, kind, p, tol, ends[1]);
    }
    close(ends[1]);
    const bool answered = read(ends[0], &o, sizeof o) == (ssize_t)sizeof o;
    close(ends[0]);
    waitpid(child, &code, 0);
    if (answered)
        status = o.time_s > limit ? "limit" : o.residual <= 1.01 * tol ? "solved" : "inaccurate";
    else
        status = WIFSIGNALED(code) && (WTERMSIG(code) == SIGXCPU || WTERMSIG(code) == SIGKILL) ? "limit" : "crash";
    printf("%s,%s,%s,%d,%.3e,0,0,%.6g\n", name, c->name, status, p->nblock, o.residual, o.time_s);
}

int main(int argc, char **argv)
{
    double tol = 1e-8, limit = 20;
    printf("problem,solver,status,contacts,residual,iterations,factorisations,time_s\n");
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && i + 1 < argc) {
            *(argv[i][1] == 't' ? &tol : &limit) = atof(argv[i + 1]);
            i++;
            continue;
        }
        carom_arena *arena = carom_arena_new(0);
        carom_error error = {.text = ""};
        carom_problem *p;
        carom_problem_kind kind;
        double *guess;
        if (carom_problem_open(&p, &guess, &kind, arena, argv[i], &error) != CAROM_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            return 1;
        }
        for (const contender *all = contenders(p, kind), *c = all; c && c->name; c++)
            run(argv[i], c, all, p, tol, limit);
        carom_arena_free(arena);
    }
    return 0;
}
