/* solve.c: `carom solve`: one contact problem from a file. `carom bench solvers`: a folder of them with every solver.
 *
 * Performance profile of solver s over the problems p, t_sp its time and INFINITY if it fails:
 *     rho_s(f) = share of the p with t_sp <= f min_s t_sp                                     (1) */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "output/hdf5/fclib.h"
#include "output/json.h"
#include "sim/sim.h"
#include "solvers/solver.h"

enum { DENSE_ROWS = 1500 }; /* up to here the methods for dense problems get their memory */

typedef struct request {
    const carom_cli *cli;
    const carom_solver *solver; /* NULL: automatic */
    const double *field;        /* of the solver, NULL: standard */
    carom_options options;      /* the fields stand in here */
    double tol, time_limit;
} request;

typedef struct answer {
    const char *status, *solver;
    double residual, residual_q, time_s;
    int iterations, factorisations, contacts;
    char message[1000];
    int code;
} answer;

static const carom_result_field fields[] = {CAROM_CELL("status", CAROM_TEXT, answer, status),
                                            CAROM_CELL("solver", CAROM_TEXT, answer, solver),
                                            CAROM_CELL("residual", CAROM_NUMBER, answer, residual),
                                            CAROM_CELL("residual_q", CAROM_NUMBER, answer, residual_q),
                                            CAROM_CELL("iterations", CAROM_INT, answer, iterations),
                                            CAROM_CELL("factorisations", CAROM_INT, answer, factorisations),
                                            CAROM_CELL("time_s", CAROM_NUMBER, answer, time_s),
                                            CAROM_CELL("contacts", CAROM_INT, answer, contacts),
                                            CAROM_OPTIONAL("message", CAROM_CHARS, answer, message),
                                            {.name = NULL}};

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --solver, --tol, --time-limit */
static int read_request(request *r, const carom_cli *cli)
{
    carom_error error = {0};
    const carom_scheme *scheme;
    *r = (request){.cli = cli, .options = carom_options_default(), .tol = 1e-8};
    for (int i = 0; i < cli->nsetting; i++)
        if (carom_options_set(&r->options, cli->setting[i].name, cli->setting[i].value, &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom list solvers)", error.text);
    if (carom_options_check(&r->options, &scheme, &r->solver, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom list solvers)", error.text);
    r->field = r->solver ? r->options.solver_field : NULL;
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--tol", 1e-16, 1, &r->tol));
    return carom_cli_own_number(cli, "--time-limit", 0, 1e9, &r->time_limit);
}

static const char *status_word(const request *r, carom_status status, double time)
{
    if (status == CAROM_OK)
        return "solved";
    if (status == CAROM_NO_SOLUTION)
        return "no_solution";
    return carom_cli_interrupted() || (r->time_limit > 0 && time >= r->time_limit) ? "limit" : "inaccurate";
}

/* Solves p from the guess x; x receives the answer. */
static carom_status solve(const request *r, const carom_problem *p, carom_problem_kind kind, double *x,
                          carom_arena *arena, answer *a)
{
    carom_error error = {0};
    double *u = CAROM_NEW(arena, double, p->n);
    void *work = p->n <= DENSE_ROWS ? malloc(carom_solver_work(r->solver, p->n, p->nblock)) : NULL;
    carom_solve s = {.field = r->field, .tol = r->tol, .x = x, .u = u, .work = work, .may_allocate = true,
                     .time_limit = r->time_limit,
                     .judge = kind == CAROM_KIND_FRICTION ? carom_problem_error_siconos
                              : kind == CAROM_KIND_OWN    ? NULL
                                                          : carom_problem_error_b};
    double begin = now();
    carom_status status = !u || (p->n <= DENSE_ROWS && !work) ? CAROM_NO_MEMORY
                          : r->solver && !r->solver->whole && !work
                              ? carom_fail(&error, CAROM_UNSUPPORTED, "%s: takes at most %d rows, the problem has %d",
                                           r->solver->method.name, DENSE_ROWS, p->n)
                              : carom_problem_solve(p, r->solver, &s, &error);
    *a = (answer){.time_s = now() - begin, .solver = s.by ? s.by : "none", .iterations = s.iterations,
                  .factorisations = s.factorisations, .contacts = p->nblock, .residual = s.residual};
    a->status = status_word(r, status, a->time_s);
    a->residual_q = u ? carom_problem_error(p, x, u, true) : INFINITY;
    if (status != CAROM_OK)
        memcpy(a->message, error.text, CAROM_MIN(sizeof a->message, sizeof error.text));
    free(work);
    a->code = status == CAROM_OK ? CAROM_EXIT_OK : status == CAROM_NOT_CONVERGED ? CAROM_EXIT_UNMET : CAROM_EXIT_FAILED;
    return status;
}

static int write_answer(const char *path, const carom_problem *p, const double *x)
{
    FILE *stream = carom_cli_stream(&path), *file = stream ? stream : fopen(path, "w");
    bool good = file && carom_problem_dump(p, x, file) == CAROM_OK;
    good = (!file || stream || fclose(file) == 0) && good;
    return good ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be written", path);
}

static int solve_file(const request *r, carom_arena *arena)
{
    const carom_cli *cli = r->cli;
    carom_error error = {0};
    carom_problem *p;
    carom_problem_kind kind;
    double *x;
    answer a;
    if (carom_problem_open(&p, &x, &kind, arena, cli->operand[0], &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_MODEL, "%s", error.text);
    x = x ? x : CAROM_NEW(arena, double, p->n);
    if (!x)
        return carom_cli_no_memory();
    solve(r, p, kind, x, arena, &a);
    if (cli->output)
        CAROM_CLI_TRY(write_answer(cli->output, p, x));
    if (cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, &a));
    else if (!cli->quiet)
        printf("%s by %s: residual %.2e (by |q| %.2e), %d contacts, %d iterations, %d factorisations, %.3g s\n",
               a.status, a.solver, a.residual, a.residual_q, a.contacts, a.iterations, a.factorisations, a.time_s);
    return a.code == CAROM_EXIT_OK ? a.code : carom_cli_fail(a.code, "%s", a.message);
}

static int run_solve(const carom_cli *cli)
{
    request r;
    CAROM_CLI_TRY(read_request(&r, cli));
    carom_arena *arena = carom_arena_new(0);
    int code = arena ? solve_file(&r, arena) : carom_cli_no_memory();
    carom_arena_free(arena);
    return code;
}

static const carom_cli_option own[] = {
    CAROM_CLI_OWN_OPTION("--tol", "T", "relative residual asked for; 1e-8 if not given"),
    CAROM_CLI_OWN_OPTION("--time-limit", "S", "seconds at most; 0: none"),
    {0},
};

const carom_cli_command carom_cli_solve_command = {
    "solve", "PROBLEM", 1, 1, CAROM_CLI_SOLVE, run_solve, "solve one contact problem",
    "Reads a contact problem (what run --dump writes, Siconos' text formats of LCP, MLCP and friction problems, "
    "FCLIB's HDF5) and solves it: solved, inaccurate, no_solution or limit (of time). The residual is that of Siconos "
    "for friction problems of others, that of the library for dumps. -o writes problem and answer.",
    "carom solve wall.txt --tol 1e-10 --json\ncarom solve pile.hdf5 --solver interior-point --time-limit 20", own};

/* ---- bench ---- */
typedef struct table {
    const request *request;
    char **file;                /* [nfile] */
    int nfile, nsolver, room;
    double *time;               /* [nsolver*nfile] INFINITY: not solved */
    FILE *csv;                  /* NULL: none */
} table;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static int list_files(table *t, const char *folder, carom_arena *arena)
{
    DIR *files = opendir(folder);
    if (!files)
        return carom_cli_fail(CAROM_EXIT_MODEL, "'%s' is no folder that can be read", folder);
    t->file = CAROM_NEW(arena, char *, 100000);
    for (struct dirent *e; t->file && t->nfile < 100000 && (e = readdir(files));)
        if (ends(e->d_name, ".dat") || ends(e->d_name, ".hdf5") || ends(e->d_name, ".txt"))
            t->file[t->nfile++] = carom_arena_format(arena, "%s/%s", folder, e->d_name);
    closedir(files);
    if (t->nfile == 0)
        return carom_cli_fail(CAROM_EXIT_MODEL, "'%s' holds no .dat, .hdf5 or .txt", folder);
    qsort(t->file, (size_t)t->nfile, sizeof *t->file, by_name);
    return CAROM_EXIT_OK;
}

/* Solver 0 is the automatic choice. */
static const char *solver_name(int s)
{
    return s == 0 ? "automatic" : carom_solver_method(s - 1)->name;
}

static int bench_file(table *t, int i)
{
    carom_arena *arena = carom_arena_new(0);
    carom_error error = {0};
    carom_problem *p = NULL;
    carom_problem_kind kind;
    double *guess, *x;
    if (!arena || carom_problem_open(&p, &guess, &kind, arena, t->file[i], &error) != CAROM_OK) {
        carom_arena_free(arena);
        return carom_cli_fail(CAROM_EXIT_MODEL, "%s", *error.text ? error.text : "no memory");
    }
    x = CAROM_NEW(arena, double, p->n);
    for (int s = 0; x && s < t->nsolver && !carom_cli_interrupted(); s++) {
        request r = *t->request;
        answer a;
        r.solver = s ? carom_solver_list(s - 1) : NULL;
        r.field = NULL;
        memset(x, 0, sizeof(double) * (size_t)p->n);
        carom_status status = solve(&r, p, kind, x, arena, &a);
        t->time[s * t->nfile + i] = status == CAROM_OK ? a.time_s : INFINITY;
        if (t->csv)
            fprintf(t->csv, "%s,%s,%s,%d,%.3e,%d,%d,%.6g\n", t->file[i], solver_name(s), a.status, a.contacts,
                    a.residual, a.iterations, a.factorisations, a.time_s);
    }
    carom_arena_free(arena);
    return CAROM_EXIT_OK;
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* (1) and the median of the times */
static void print_profile(const table *t)
{
    printf("%-16s %10s %10s %8s %8s %8s\n", "solver", "solved", "median s", "rho(1)", "rho(2)", "rho(10)");
    for (int s = 0; s < t->nsolver; s++) {
        double *time = t->time + (size_t)s * (size_t)t->nfile, factor[] = {1, 2, 10}, rho[3] = {0};
        int solved = 0;
        for (int i = 0; i < t->nfile; i++) {
            double best = INFINITY;
            for (int o = 0; o < t->nsolver; o++)
                best = fmin(best, t->time[(size_t)o * (size_t)t->nfile + (size_t)i]);
            solved += time[i] < INFINITY;
            for (int f = 0; f < 3; f++)
                rho[f] += time[i] < INFINITY && time[i] <= factor[f] * best;
        }
        double *sorted = malloc(sizeof(double) * (size_t)t->nfile), median = INFINITY;
        if (sorted) {
            memcpy(sorted, time, sizeof(double) * (size_t)t->nfile);
            qsort(sorted, (size_t)t->nfile, sizeof(double), by_size);
            median = sorted[t->nfile / 2];
        }
        free(sorted);
        printf("%-16s %4d / %3d %10.3g %8.2f %8.2f %8.2f\n", solver_name(s), solved, t->nfile, median,
               rho[0] / t->nfile, rho[1] / t->nfile, rho[2] / t->nfile);
    }
}

static int bench_folder(table *t, const carom_cli *cli, carom_arena *arena)
{
    CAROM_CLI_TRY(list_files(t, cli->operand[1], arena));
    t->nsolver = 1;
    while (carom_solver_method(t->nsolver - 1))
        t->nsolver++;
    t->time = CAROM_NEW(arena, double, (size_t)t->nsolver * (size_t)t->nfile);
    if (!t->time)
        return carom_cli_no_memory();
    if (cli->output && !(t->csv = fopen(cli->output, "w")))
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be written", cli->output);
    if (t->csv)
        fprintf(t->csv, "problem,solver,status,contacts,residual,iterations,factorisations,time_s\n");
    for (int i = 0; i < t->nfile && !carom_cli_interrupted(); i++)
        CAROM_CLI_TRY(bench_file(t, i));
    if (carom_cli_interrupted())
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted");
    print_profile(t);
    return CAROM_EXIT_OK;
}

static int run_bench(const carom_cli *cli)
{
    request r;
    table t = {.request = &r};
    static const char *const what[] = {"solvers", NULL};
    CAROM_CLI_TRY(read_request(&r, cli));
    if (strcmp(cli->operand[0], "solvers") != 0)
        return carom_cli_unknown("bench", cli->operand[0], what, "bench");
    if (!carom_cli_own(cli, "--time-limit"))
        r.time_limit = 20;
    carom_arena *arena = carom_arena_new(0);
    carom_cli_catch(NULL);
    int code = arena ? bench_folder(&t, cli, arena) : carom_cli_no_memory();
    carom_cli_release();
    if (t.csv && fclose(t.csv) != 0 && code == CAROM_EXIT_OK)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be written", cli->output);
    carom_arena_free(arena);
    return code;
}

const carom_cli_command carom_cli_bench_command = {
    "bench", "solvers FOLDER", 2, 2, CAROM_CLI_BENCH, run_bench, "run all solvers on a folder of contact problems",
    "Solves every contact problem of a folder (.dat, .hdf5, .txt; see carom help solve) with every solver, and prints "
    "how many each has solved, the median of its times, and its performance profile: the share of problems that it "
    "solves in at most 1, 2 or 10 times the time of the fastest. Each has 20 s unless --time-limit says otherwise. -o "
    "FILE.csv writes every single result.",
    "carom bench solvers problems --tol 1e-8 -o results.csv", own};
