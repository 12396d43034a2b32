/* polynomial.h: polynomials in powers of s and in Bernstein form on [0, 1], and their first root. */
#ifndef CAROM_POLYNOMIAL_H
#define CAROM_POLYNOMIAL_H

enum { CAROM_POLYNOMIAL_MAX = 24 }; /* coefficients */

/* c[0] + c[1] s + ... + c[degree] s^degree; the slope as well */
double carom_polynomial_value(int degree, const double *c, double s, double *slope);
/* b[i], i = 0..degree: the Bernstein coefficients on [0, 1]. All of b positive: no root in there. */
void carom_polynomial_bernstein(int degree, const double *c, double *b);
/* The first s in (0, end] at which a polynomial with c[0] > 0 vanishes, to rounding; INFINITY if there is none; end
 * <= 1. A root counts when the polynomial gets negative behind it or touches 0 to rounding. b: its Bernstein
 * coefficients. */
double carom_polynomial_first_root(int degree, const double *c, const double *b, double end);

#endif
