/* eigen.h: eigenvalues of a small matrix that need not be symmetric. */
#ifndef CAROM_EIGEN_H
#define CAROM_EIGEN_H

#include <complex.h>
#include <stdbool.h>

/* value [n]: the eigenvalues of A [n*n], row-major, largest modulus first, of a conjugate pair the one with positive
 * imaginary part first. H [n*n] is work. false: not finite, or the iteration did not converge. */
bool carom_eigenvalues(int n, const double *A, double complex *H, double complex *value);

/* The largest sum of moduli in a row of A [n*n]: no eigenvalue has a larger modulus. */
double carom_norm_rows(int n, const double *A);

#endif
