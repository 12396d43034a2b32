/* formats.h: contact problems as others write them. */
#ifndef CAROM_FORMATS_H
#define CAROM_FORMATS_H

#include "problem/problem.h"

typedef enum carom_problem_kind { /* what a file holds; decides how its error is measured */
    CAROM_KIND_OWN,               /* a dump of this library */
    CAROM_KIND_LCP,
    CAROM_KIND_MLCP,
    CAROM_KIND_FRICTION
} carom_problem_kind;

/* A problem from a text file: our own dump (dump.c), or Siconos' formats (LCP, MLCP, friction contact, local and
 * global). Matrices are read block-sparse. x: the guess of a dump, or NULL. */
carom_status carom_problem_load(carom_problem **problem, double **x, carom_problem_kind *kind, carom_arena *arena,
                                const char *path, carom_error *error);

/* Builds a problem of nblock contacts with `rows` rows each and the coefficients mu (NULL: none). */
carom_status carom_problem_contacts(carom_problem **problem, carom_arena *arena, int nblock, int rows, const double *mu,
                                    carom_error *error);

/* u = H^T v + w, M v = H r + f condensed to contacts: W = H^T M^-1 H, b = H^T M^-1 f + w. M and H are triplets (row,
 * column, value) of nv x nv and nv x n. */
typedef struct carom_triplets {
    size_t count;
    int *row, *column;
    double *value;
} carom_triplets;
carom_status carom_problem_condense(carom_problem *problem, carom_arena *arena, int nv, const carom_triplets *M,
                                    const carom_triplets *H, const double *f, const double *w, carom_error *error);

/* The errors that others report, both with the natural map of factor 1 in the units of the file:
 *   friction   e/max(|b|, |x|, |u|)                        (Siconos)
 *   LCP, MLCP  |x - [x - u]+|, |u| of equations, by |b|
 * by_b: divided by |b| alone. */
double carom_problem_error(const carom_problem *problem, const double *x, double *u, bool by_b);
double carom_problem_error_siconos(const carom_problem *problem, const double *x, double *u, int *worst);
double carom_problem_error_b(const carom_problem *problem, const double *x, double *u, int *worst);

#endif
