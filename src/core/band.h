/* band.h: factors of larger matrices with few entries, and an order of the unknowns that keeps them few. Where no rows
 * are swapped the results have the bits of the dense factors: only what is 0 is left out. */
#ifndef CAROM_BAND_H
#define CAROM_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* ---- LU of a band: entries (i, j) with -lower <= j - i <= upper. Row i stands in width = 2 lower + upper + 1 values,
 * entry (i, j) at i width + lower + j - i; the last `lower` of them are room for swapped rows. */
static inline size_t carom_band_width(int lower, int upper)
{
    return 2 * (size_t)lower + (size_t)upper + 1;
}
/* Partial pivoting; false when a pivot vanishes or is not finite. pivot [n]; *swapped: some row was. */
bool carom_band_lu(int n, int lower, int upper, double *A, int *pivot, bool *swapped);
void carom_band_lu_solve(int n, int lower, int upper, const double *LU, const int *pivot, bool swapped, double *x);

/* ---- Cholesky of a skyline: row i has its columns first[i] ... i, from start[i] on. */
bool carom_skyline_cholesky(int n, const int *first, const size_t *start, double *A); /* false: not positive definite */
void carom_skyline_solve(int n, const int *first, const size_t *start, const double *L, double *x);

/* An order of n unknowns (reverse Cuthill-McKee) that brings those with a common entry close to each other: order[k]
 * comes k-th. near [n*n] is symmetric, not 0 where there is an entry; degree [n] is work. */
void carom_band_order(int n, const unsigned char *near, int *order, int *degree);

#endif
