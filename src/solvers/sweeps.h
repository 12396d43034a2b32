/* sweeps.h: the method of sweeps.c, for problems whose W is a product. */
#ifndef CAROM_SWEEPS_H
#define CAROM_SWEEPS_H

#include "solvers/solver.h"

/* From solve->x; true: solved. Otherwise solve->x is the best found. Memory is taken from the arena and given back. */
bool carom_sweeps_run(const carom_problem *problem, carom_solve *solve);

#endif
