/* basis.h: a square sparse matrix B given by columns, one of which is exchanged at a time: the basis of a pivoting
 * method. Products with B^-1 and B^-T; all memory comes from the arena. */
#ifndef CAROM_BASIS_H
#define CAROM_BASIS_H

#include "core/core.h"

/* Writes the rows and values of a column of the matrix that the basis is chosen from; returns how many. */
typedef int carom_basis_column(void *context, int column, int *row, double *value);

typedef struct carom_basis carom_basis;

carom_basis *carom_basis_new(carom_arena *arena, int m); /* m x m; NULL: no memory */
/* Factors the columns in [m], whose places are those of B. false: singular, or no memory. */
bool carom_basis_factor(carom_basis *basis, const int *in, carom_basis_column *column, void *context);
void carom_basis_solve(const carom_basis *basis, double *x);   /* x [m] <- B^-1 x: from rows to places */
void carom_basis_solve_t(const carom_basis *basis, double *y); /* y [m] <- B^-T y: from places to rows */
/* The column at a place is replaced by one of which change = B^-1 column. false: no memory. */
bool carom_basis_exchange(carom_basis *basis, int place, const double *change);
int carom_basis_exchanges(const carom_basis *basis);           /* since the last factorisation */

#endif
