/* solve.c: `carom solve`: one contact problem from a file. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/solve/solve.h"
#include "core/parallel.h"
#include "output/hdf5/fclib.h"
#include "output/json.h"
#include "sim/sim.h"
#include "solvers/sweeps.h"

enum { DENSE_ROWS = 1500 }; /* up to here the methods for dense problems get their memory */

static const carom_result_field fields[] = {CAROM_CELL("status", CAROM_TEXT, carom_cli_answer, status),
                                            CAROM_CELL("solver", CAROM_TEXT, carom_cli_answer, solver),
                                            CAROM_CELL("residual", CAROM_NUMBER, carom_cli_answer, residual),
                                            CAROM_CELL("residual_q", CAROM_NUMBER, carom_cli_answer, residual_q),
                                            CAROM_CELL("iterations", CAROM_INT, carom_cli_answer, iterations),
                                            CAROM_CELL("factorisations", CAROM_INT, carom_cli_answer, factorisations),
                                            CAROM_CELL("time_s", CAROM_NUMBER, carom_cli_answer, time_s),
                                            CAROM_CELL("contacts", CAROM_INT, carom_cli_answer, contacts),
                                            {.name = "certificate", .cell = CAROM_NUMBERS, .optional = true,
                                             .offset = offsetof(carom_cli_answer, certificate),
                                             .count = offsetof(carom_cli_answer, ncertificate),
                                             .size = sizeof(double)},
                                            CAROM_OPTIONAL("message", CAROM_CHARS, carom_cli_answer, message),
                                            {.name = NULL}};

int carom_cli_solve_request(carom_cli_solve *r, const carom_cli *cli)
{
    carom_error error = {0};
    const carom_scheme *scheme;
    *r = (carom_cli_solve){.cli = cli, .options = carom_options_default(), .tol = 1e-8};
    for (int i = 0; i < cli->nsetting; i++)
        if (carom_options_set(&r->options, cli->setting[i].name, cli->setting[i].value, &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom list solvers)", error.text);
    if (carom_options_check(&r->options, &scheme, &r->solver, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom list solvers)", error.text);
    r->field = r->solver ? r->options.solver_field : NULL;
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--tol", 1e-16, 1, &r->tol));
    return carom_cli_own_number(cli, "--time-limit", 0, 1e9, &r->time_limit);
}

static const char *status_word(const carom_cli_solve *r, carom_status status, double time)
{
    if (status == CAROM_OK)
        return "solved";
    if (status == CAROM_NO_SOLUTION)
        return "no_solution";
    return carom_cli_interrupted() || (r->time_limit > 0 && time >= r->time_limit) ? "limit" : "inaccurate";
}

carom_status carom_cli_solve_problem(const carom_cli_solve *r, const carom_problem *p, carom_problem_kind kind,
                                     double *x, carom_arena *arena, carom_cli_answer *a)
{
    carom_error error = {0};
    double *u = CAROM_NEW(arena, double, p->n);
    bool dense = !p->W.product.span && p->n <= DENSE_ROWS;
    size_t bytes = dense ? carom_solver_work(r->solver, p->n, p->nblock) : 0;
    void *work = bytes ? malloc(bytes) : NULL;
    carom_solve s = {.field = r->field, .tol = r->tol, .x = x, .u = u, .work = work, .arena = arena,
                     .time_limit = r->time_limit, .threads = r->threads,
                     .judge = kind == CAROM_KIND_FRICTION ? carom_problem_error_siconos
                              : kind == CAROM_KIND_OWN    ? NULL
                                                          : carom_problem_error_b};
    double begin = carom_wall_time();
    carom_status status = !u || (bytes && !work) ? CAROM_NO_MEMORY
                          : r->solver && !r->solver->whole && !work && !p->W.product.span
                              ? carom_fail(&error, CAROM_UNSUPPORTED, "%s: takes at most %d rows, the problem has %d",
                                           r->solver->method.name, DENSE_ROWS, p->n)
                              : carom_problem_solve(p, r->solver, &s, &error);
    *a = (carom_cli_answer){.time_s = carom_wall_time() - begin, .solver = s.by ? s.by : "none",
                            .iterations = s.iterations, .factorisations = s.factorisations, .contacts = p->nblock,
                            .residual = s.by || !u ? s.residual : carom_problem_judge(p, &s, x, u, &s.worst)};
    bool limit = status_word(r, status, a->time_s)[0] == 'l';
    if ((status == CAROM_NO_SOLUTION || (status == CAROM_NOT_CONVERGED && !limit)) &&
        (a->certificate = CAROM_NEW(arena, double, p->n)) && carom_problem_certificate(p, arena, a->certificate)) {
        a->ncertificate = p->n;
        status = carom_fail(&error, CAROM_NO_SOLUTION, "no solution: the certificate z has W^T z against every "
                            "admissible impulse and z.(b - W x0) < 0");
    }
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

static int solve_file(const carom_cli_solve *r, carom_arena *arena)
{
    const carom_cli *cli = r->cli;
    carom_error error = {0};
    carom_problem *p;
    carom_problem_kind kind;
    double *x;
    carom_cli_answer a;
    if (carom_problem_open(&p, &x, &kind, arena, cli->operand[0], &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_MODEL, "%s", error.text);
    x = x ? x : CAROM_NEW(arena, double, p->n);
    if (!x)
        return carom_cli_no_memory();
    carom_cli_solve_problem(r, p, kind, x, arena, &a);
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
    carom_cli_solve r;
    CAROM_CLI_TRY(carom_cli_solve_request(&r, cli));
    r.threads = carom_threads(cli->threads, INT_MAX);
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
    "FCLIB's HDF5) and solves it: solved, inaccurate, no_solution or limit (of time); what has no solution gets a "
    "certificate where there is one: a vector that proves it. The residual is that of Siconos "
    "for friction problems of others, that of the library for dumps. -o writes problem and answer.",
    "carom solve wall.txt --tol 1e-10 --json\ncarom solve pile.hdf5 --solver interior-point --time-limit 20", own};
