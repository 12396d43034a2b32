/* equations.h: the method of equations.c, for problems whose W is a product. */
#ifndef CAROM_EQUATIONS_H
#define CAROM_EQUATIONS_H

#include "solvers/solver.h"

/* carom_problem_solve of a problem whose first n blocks are joints. Of redundant ones b loses what no impulses can
 * meet, if W is a product. */
carom_status carom_problem_solve_joined(carom_problem *problem, int n, const carom_solver *solver, carom_solve *solve,
                                        carom_error *error);

#endif
