/* quintic.h: a quintic in Bernstein form, b as in (1) of quintic.c, and where it first becomes negative. */
#ifndef CAROM_QUINTIC_H
#define CAROM_QUINTIC_H

#include <stdbool.h>

double carom_quintic_value(const double b[6], double s); /* at s in [0, 1] */
/* Lowers it by the defect of the interpolation, which is d in the middle and vanishes at the ends. */
void carom_quintic_lower(double b[6], double d);
/* The first interval [low, high], of length 1/64, not before `from`, in which the quintic may be negative. false:
 * none. */
bool carom_quintic_first(const double b[6], double from, double *low, double *high);

#endif
