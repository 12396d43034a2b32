/* fclib.h: contact problems of FCLIB in HDF5. */
#ifndef CAROM_FCLIB_H
#define CAROM_FCLIB_H

#include "problem/formats.h"

carom_status carom_fclib_load(carom_problem **problem, carom_arena *arena, const char *path, carom_error *error);
/* A local problem with the answer (x, u) as its first guess. CAROM_UNSUPPORTED: FCLIB cannot say it. */
carom_status carom_fclib_save(const carom_problem *problem, const double *x, const double *u, const char *path,
                              carom_error *error);
/* A contact problem in any format: that of FCLIB, or carom_problem_load. */
carom_status carom_problem_open(carom_problem **problem, double **x, carom_problem_kind *kind, carom_arena *arena,
                                const char *path, carom_error *error);

#endif
