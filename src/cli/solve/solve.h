/* solve.h: contact problems from files, for `carom solve` and `carom bench`. */
#ifndef CAROM_CLI_SOLVE_H
#define CAROM_CLI_SOLVE_H

#include "cli/cli.h"
#include "problem/formats.h"
#include "solvers/solver.h"

typedef struct carom_cli_solve { /* what is asked for */
    const carom_cli *cli;
    const carom_solver *solver; /* NULL: automatic */
    const double *field;        /* of the solver, NULL: standard */
    carom_options options;      /* the fields stand in here */
    double tol, time_limit;
    int threads;                /* 0: one */
} carom_cli_solve;

typedef struct carom_cli_answer {
    const char *status, *solver;
    double residual, residual_q, time_s;
    int iterations, factorisations, contacts;
    double *certificate; /* [ncertificate] of no solution, NULL: none */
    int ncertificate;
    char message[1000];
    int code;
} carom_cli_answer;

/* --solver, --tol, --time-limit; an exit code. */
int carom_cli_solve_request(carom_cli_solve *request, const carom_cli *cli);
/* Solves the problem from the guess x; x receives the answer. */
carom_status carom_cli_solve_problem(const carom_cli_solve *request, const carom_problem *problem,
                                     carom_problem_kind kind, double *x, carom_arena *arena, carom_cli_answer *answer);

#endif
