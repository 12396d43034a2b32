/* bench.c: `carom bench solvers`: a folder of contact problems with every solver, beside the results of others.
 *
 * Performance profile of solver s over the problems p, t_sp its time and INFINITY if it fails:
 *     rho_s(f) = share of the p with t_sp <= f min_s t_sp                                     (1) */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/solve/solve.h"
#include "output/hdf5/fclib.h"
#include "output/page/page.h"
#include "output/stream.h"

enum { MOST_FILES = 100000, MOST_SOLVERS = 100 };
enum { REPEATS = 20 };           /* the least of so many times counts, */
static const double SHORT = .01; /* within so many seconds */

typedef struct result {
    const char *status;
    double residual, time_s;
    int contacts, iterations, factorisations;
} result;

typedef struct bench {
    carom_cli_work run;           /* its progress line */
    carom_cli_solve request;
    carom_arena *arena;
    char **file;                  /* [nfile] */
    const char **name;            /* [nfile] without the folder */
    const char *solver[MOST_SOLVERS];
    int nfile, nsolver;
    result *results;              /* [MOST_SOLVERS*nfile] solver by solver; status NULL: none */
    double *best;                 /* [nfile] the least time of all, INFINITY: nobody solves it */
} bench;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(bench *b, const char *folder)
{
    DIR *files = opendir(folder);
    if (!files)
        return carom_cli_fail(CAROM_EXIT_MODEL, "'%s' is no folder that can be read", folder);
    b->file = CAROM_NEW(b->arena, char *, MOST_FILES);
    for (struct dirent *e; b->file && b->nfile < MOST_FILES && (e = readdir(files));)
        if (carom_ends_with(e->d_name, ".dat") || carom_ends_with(e->d_name, ".hdf5") ||
            carom_ends_with(e->d_name, ".txt"))
            b->file[b->nfile++] = carom_arena_format(b->arena, "%s/%s", folder, e->d_name);
    closedir(files);
    if (b->nfile == 0)
        return carom_cli_fail(CAROM_EXIT_MODEL, "'%s' holds no .dat, .hdf5 or .txt", folder);
    qsort(b->file, (size_t)b->nfile, sizeof *b->file, by_name);
    b->name = CAROM_NEW(b->arena, const char *, b->nfile);
    b->best = CAROM_NEW(b->arena, double, b->nfile);
    b->results = CAROM_NEW(b->arena, result, (size_t)MOST_SOLVERS * (size_t)b->nfile);
    if (!b->name || !b->best || !b->results)
        return carom_cli_no_memory();
    for (int i = 0; i < b->nfile; i++)
        b->name[i] = strrchr(b->file[i], '/') + 1;
    return CAROM_EXIT_OK;
}

static result *result_of(const bench *b, int solver, int file)
{
    return &b->results[(size_t)solver * (size_t)b->nfile + (size_t)file];
}

/* t_sp of (1) */
static double time_of(const bench *b, int solver, int file)
{
    const result *r = result_of(b, solver, file);
    return r->status && !strcmp(r->status, "solved") ? fmax(r->time_s, 1e-9) : INFINITY; /* a coarse clock says 0 */
}

static double processor_time(void) /* other work on the machine does not count */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int solve_file(bench *b, int i)
{
    carom_arena *arena = carom_arena_new(0);
    carom_error error = {0};
    carom_problem *p = NULL;
    carom_problem_kind kind;
    double *guess, *x;
    if (!arena || carom_problem_open(&p, &guess, &kind, arena, b->file[i], &error) != CAROM_OK) {
        carom_arena_free(arena);
        return carom_cli_fail(CAROM_EXIT_MODEL, "%s", *error.text ? error.text : "no memory");
    }
    x = CAROM_NEW(arena, double, p->n);
    for (int s = 0; x && s < b->nsolver && !carom_cli_interrupted(); s++) {
        carom_cli_answer a;
        b->request.solver = carom_solver_find(b->solver[s]); /* NULL: automatic */
        b->request.field = NULL;
        double least = INFINITY, sum = 0;
        for (int k = 0; k < REPEATS && sum < SHORT; k++) {
            memset(x, 0, sizeof(double) * (size_t)p->n);
            const double before = processor_time();
            carom_cli_solve_problem(&b->request, p, kind, x, arena, &a);
            const double took = processor_time() - before;
            least = fmin(least, took), sum += took;
        }
        *result_of(b, s, i) = (result){a.status, a.residual, least, a.contacts, a.iterations, a.factorisations};
        carom_progress_step(&b->run.progress, i + (s + 1.) / b->nsolver);
    }
    carom_arena_free(arena);
    return CAROM_EXIT_OK;
}

/* n: it is not in the list */
static int place(const char *word, const char *const *list, int n)
{
    int i = 0;
    while (i < n && strcmp(word, list[i]) != 0)
        i++;
    return i;
}

/* Those of --solvers, or all. */
static int choose_solvers(bench *b)
{
    const carom_cli *cli = b->run.cli;
    const char *all[MOST_SOLVERS] = {"automatic"}, *const *chosen = all, *list = carom_cli_own(cli, "--solvers");
    int n = 1;
    for (const carom_method *m; n < MOST_SOLVERS - 1 && (m = carom_solver_method(n - 1)); n++)
        all[n] = m->name;
    const int known = n;
    if (list && !(chosen = carom_cli_split(cli, list, &n)))
        return carom_cli_no_memory();
    for (int i = 0; i < n && b->nsolver < MOST_SOLVERS; i++) {
        const int k = place(chosen[i], all, known);
        if (k == known)
            return carom_cli_unknown("solver", chosen[i], all, "bench");
        b->solver[b->nsolver++] = all[k];
    }
    return CAROM_EXIT_OK;
}

static int solve_all(bench *b)
{
    int code = CAROM_EXIT_OK;
    CAROM_CLI_TRY(choose_solvers(b));
    carom_cli_start(&b->run, 0, b->nfile, "problems");
    for (int i = 0; i < b->nfile && code == CAROM_EXIT_OK && !carom_cli_interrupted(); i++)
        code = solve_file(b, i);
    const bool interrupted = carom_cli_interrupted();
    carom_cli_finish(&b->run);
    return interrupted ? carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted") : code;
}

/* ---- results of others: lines as -o FILE.csv writes them ---- */

enum { PROBLEM, SOLVER, STATUS, CONTACTS, RESIDUAL, ITERATIONS, FACTORISATIONS, TIME, COLUMNS };
static const char heading[] = "problem,solver,status,contacts,residual,iterations,factorisations,time_s";

/* Cuts a line at its commas; how many parts there are. */
static int cut(char *line, char **part)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; n < COLUMNS; n++) {
        part[n] = at;
        if (!(at = strchr(at, ',')))
            return n + 1;
        *at++ = '\0';
    }
    return COLUMNS + 1;
}

static bool take_line(bench *b, char *line)
{
    char *part[COLUMNS];
    if (cut(line, part) != COLUMNS || strlen(part[SOLVER]) > 40)
        return false;
    const int i = place(part[PROBLEM], b->name, b->nfile), s = place(part[SOLVER], b->solver, b->nsolver);
    if (i == b->nfile)
        return true; /* a problem of another folder */
    if (s == MOST_SOLVERS)
        return false;
    if (s == b->nsolver)
        b->solver[b->nsolver++] = carom_arena_format(b->arena, "%s", part[SOLVER]);
    *result_of(b, s, i) = (result){carom_arena_format(b->arena, "%s", part[STATUS]), atof(part[RESIDUAL]),
                                   atof(part[TIME]), atoi(part[CONTACTS]), atoi(part[ITERATIONS]),
                                   atoi(part[FACTORISATIONS])};
    return result_of(b, s, i)->status && b->solver[s];
}

static int read_others(bench *b, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return carom_cli_fail(CAROM_EXIT_MODEL, "'%s' cannot be read", path);
    bool good = fgets(line, sizeof line, file) && !strncmp(line, heading, strlen(heading));
    int number = 1;
    while (good && fgets(line, sizeof line, file)) {
        good = take_line(b, line);
        number++;
    }
    fclose(file);
    return good ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_MODEL, "%s:%d: expected %s", path, number, heading);
}

/* ---- the profile ---- */

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The ratios t_sp/min_s t_sp of a solver in ascending order, INFINITY where it fails; nobody solves it: as well. */
static void sort_ratios(const bench *b, int s, double *ratio)
{
    for (int i = 0; i < b->nfile; i++)
        ratio[i] = time_of(b, s, i) < INFINITY ? time_of(b, s, i) / b->best[i] : INFINITY;
    qsort(ratio, (size_t)b->nfile, sizeof *ratio, by_size);
}

typedef struct profile {
    int solved;
    double median, rho[3];        /* at 1, 2, 10 */
    double *factor, *share;       /* [nfile + 2] (1) as steps */
} profile;

static profile *profile_of(const bench *b, int s, double widest)
{
    static const double factor[] = {1, 2, 10};
    profile *p = CAROM_NEW(b->arena, profile, 1);
    double *time = CAROM_NEW(b->arena, double, b->nfile), *ratio = CAROM_NEW(b->arena, double, b->nfile);
    if (!p || !time || !ratio || !(p->factor = CAROM_NEW(b->arena, double, b->nfile + 2)) ||
        !(p->share = CAROM_NEW(b->arena, double, b->nfile + 2)))
        return NULL;
    for (int i = 0; i < b->nfile; i++)
        time[i] = time_of(b, s, i);
    qsort(time, (size_t)b->nfile, sizeof *time, by_size);
    sort_ratios(b, s, ratio);
    p->median = time[b->nfile / 2];
    p->factor[0] = 1, p->share[0] = 0;
    for (int i = 0; i < b->nfile; i++) {
        const double share = (i + 1.) / b->nfile; /* (1) at f = ratio[i] */
        p->solved += time[i] < INFINITY;
        for (int f = 0; f < 3; f++)
            p->rho[f] = ratio[i] <= factor[f] ? share : p->rho[f];
        p->factor[i + 1] = ratio[i] < INFINITY ? ratio[i] : widest;
        p->share[i + 1] = ratio[i] < INFINITY ? share : p->share[i];
    }
    p->factor[b->nfile + 1] = widest, p->share[b->nfile + 1] = p->share[b->nfile];
    return p;
}

static double find_best(const bench *b)
{
    double widest = 1;
    for (int i = 0; i < b->nfile; i++) {
        b->best[i] = INFINITY;
        for (int s = 0; s < b->nsolver; s++)
            b->best[i] = fmin(b->best[i], time_of(b, s, i));
        for (int s = 0; s < b->nsolver; s++)
            if (time_of(b, s, i) < INFINITY)
                widest = fmax(widest, time_of(b, s, i) / b->best[i]);
    }
    return widest;
}

static void print_profiles(const bench *b, profile *const *p)
{
    printf("%-16s %10s %10s %8s %8s %8s\n", "solver", "solved", "median s", "rho(1)", "rho(2)", "rho(10)");
    for (int s = 0; s < b->nsolver; s++)
        printf("%-16s %4d / %3d %10.3g %8.2f %8.2f %8.2f\n", b->solver[s], p[s]->solved, b->nfile, p[s]->median,
               p[s]->rho[0], p[s]->rho[1], p[s]->rho[2]);
}

static carom_status write_csv(const bench *b, carom_error *error)
{
    carom_stream out;
    const char *path = b->run.cli->output;
    FILE *stream = carom_cli_stream(&path);
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_format(&out, "%s\n", heading);
    for (int i = 0; i < b->nfile; i++)
        for (int s = 0; s < b->nsolver; s++) {
            const result *r = result_of(b, s, i);
            if (!r->status)
                continue;
            carom_stream_csv(&out, b->name[i]);
            carom_stream_format(&out, ",%s,%s,%d,%.3e,%d,%d,%.6g\n", b->solver[s], r->status, r->contacts, r->residual,
                                r->iterations, r->factorisations, r->time_s);
            carom_stream_mark(&out);
        }
    return carom_stream_close(&out, error);
}

static void put_table(const bench *b, carom_page *page, profile *const *p)
{
    static const char *const header[] = {"solver", "solved", "median s", "rho(1)", "rho(2)", "rho(10)"};
    const char **cell = CAROM_NEW(b->arena, const char *, 6 * b->nsolver);
    for (int s = 0; cell && s < b->nsolver; s++) {
        const char **c = cell + 6 * (size_t)s;
        c[0] = b->solver[s];
        c[1] = carom_arena_format(b->arena, "%d", p[s]->solved);
        c[2] = isfinite(p[s]->median) ? carom_arena_format(b->arena, "%.3g", p[s]->median) : "-";
        for (int f = 0; f < 3; f++)
            c[3 + f] = carom_arena_format(b->arena, "%.2f", p[s]->rho[f]);
    }
    if (cell)
        carom_page_table_put(page, &(carom_page_table){NULL, header, cell, 6, b->nsolver});
}

static void put_problems(const bench *b, carom_page *page)
{
    const char **header = CAROM_NEW(b->arena, const char *, b->nsolver + 1);
    const char **cell = CAROM_NEW(b->arena, const char *, (size_t)(b->nsolver + 1) * (size_t)b->nfile);
    if (!header || !cell)
        return;
    header[0] = "problem";
    for (int s = 0; s < b->nsolver; s++)
        header[s + 1] = b->solver[s];
    for (int i = 0; i < b->nfile; i++) {
        const char **row = cell + (size_t)i * (size_t)(b->nsolver + 1);
        row[0] = b->name[i];
        for (int s = 0; s < b->nsolver; s++) {
            const result *r = result_of(b, s, i);
            row[s + 1] = time_of(b, s, i) < INFINITY ? carom_arena_format(b->arena, "%.3g", r->time_s)
                         : r->status                 ? r->status
                                                     : "-";
        }
    }
    carom_page_table_put(page, &(carom_page_table){"Seconds", header, cell, b->nsolver + 1, b->nfile});
}

static carom_status draw(const bench *b, profile *const *p, double widest, carom_error *error)
{
    const char *path = b->run.cli->output;
    carom_chart_series *series = CAROM_NEW(b->arena, carom_chart_series, b->nsolver);
    int n = 0;
    if (!series)
        return carom_fail(error, CAROM_NO_MEMORY, "no memory");
    for (int s = 0; s < b->nsolver; s++)
        if (p[s]->solved)
            series[n++] = (carom_chart_series){.name = b->solver[s], .x = p[s]->factor, .y = p[s]->share,
                                                .n = (size_t)b->nfile + 2, .style = CAROM_CHART_STEPS};
    const carom_chart chart = {.title = "Performance profile", .x_label = "times the fastest", .logx = true,
                               .series = series, .nseries = n, .x_from = 1, .x_to = fmax(widest, 10), .height = 420};
    const char *title = carom_arena_format(b->arena, "Share of %d contact problems solved to %g", b->nfile,
                                           b->request.tol);
    if (carom_ends_with(path, ".svg"))
        return carom_charts_stack(path, NULL, title, &chart, 1, 0, 0, error);
    carom_page *page;
    CAROM_TRY(carom_page_new(&page, path, title, error));
    carom_page_section(page, "profile", "Performance profile", CAROM_PAGE_INFO);
    carom_page_text(page, "rho(f) is the share of the problems that a solver solves in at most f times the time of the "
                          "fastest.");
    carom_page_plot(page, &chart);
    put_table(b, page, p);
    carom_page_section(page, "problems", "Problems", CAROM_PAGE_INFO);
    put_problems(b, page);
    return carom_page_close(page, error);
}

static int show(const bench *b)
{
    profile *p[MOST_SOLVERS];
    carom_error error = {0};
    const double widest = find_best(b);
    const char *o = b->run.cli->output;
    for (int s = 0; s < b->nsolver; s++)
        if (!(p[s] = profile_of(b, s, widest)))
            return carom_cli_no_memory();
    if (o)
        CAROM_CLI_TRY(carom_cli_done(carom_ends_with(o, ".svg") || carom_ends_with(o, ".html")
                                         ? draw(b, p, widest, &error)
                                         : write_csv(b, &error), &error));
    if (!o || strcmp(o, "-") != 0)
        print_profiles(b, p);
    return CAROM_EXIT_OK;
}

static int check(const carom_cli *cli)
{
    static const char *const what[] = {"solvers", NULL};
    const char *o = cli->output;
    if (strcmp(cli->operand[0], "solvers") != 0)
        return carom_cli_unknown("bench", cli->operand[0], what, "bench");
    if (o && strcmp(o, "-") != 0 && !carom_ends_with(o, ".csv") && !carom_ends_with(o, ".svg") &&
        !carom_ends_with(o, ".html"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o '%s': expected a name that ends in .csv, .svg or .html", o);
    return carom_cli_check_writable(o);
}

static int run_bench(const carom_cli *cli)
{
    bench b = {.run = {.cli = cli}, .arena = cli->arena};
    const char *others = carom_cli_own(cli, "--against");
    CAROM_CLI_TRY(check(cli));
    CAROM_CLI_TRY(carom_cli_solve_request(&b.request, cli));
    if (!carom_cli_own(cli, "--time-limit"))
        b.request.time_limit = 20;
    CAROM_CLI_TRY(list_files(&b, cli->operand[1]));
    CAROM_CLI_TRY(solve_all(&b));
    if (others)
        CAROM_CLI_TRY(read_others(&b, others));
    return show(&b);
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--tol", "T", "relative residual asked for; 1e-8 if not given"),
    CAROM_CLI_OWN_OPTION("--time-limit", "S", "seconds at most for each; 20 if not given"),
    CAROM_CLI_OWN_OPTION("--solvers", "A,B", "only these; automatic is the choice of the library"),
    CAROM_CLI_OWN_OPTION("--against", "FILE", "results of other solvers on the same problems, as -o FILE.csv writes"),
    {0},
};

const carom_cli_command carom_cli_bench_command = {
    "bench", "solvers FOLDER", 2, 2, CAROM_CLI_BENCH, run_bench, "run all solvers on a folder of contact problems",
    "Solves every contact problem of a folder (.dat, .hdf5, .txt; see carom help solve) with every solver, and prints "
    "how many each has solved, the median of its processor times, and its performance profile: the share of problems "
    "that it solves in at most 1, 2 or 10 times the time of the fastest. -o FILE.csv writes every single result, "
    "FILE.svg and FILE.html draw the profile.",
    "carom bench solvers problems --tol 1e-8 -o results.csv\n"
    "carom bench solvers problems --solvers automatic --against others.csv -o profile.html", options};
