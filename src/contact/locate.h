/* locate.h: block `locate`, where a gap first becomes negative along a step. */
#ifndef CAROM_LOCATE_H
#define CAROM_LOCATE_H

#include <stdbool.h>

/* The quintic with values g, slopes u and second derivatives a (by time) at both ends of a step of length h, in
 * Bernstein form. */
void carom_locate_quintic(double h, double g0, double u0, double a0, double g1, double u1, double a1, double b[6]);
double carom_locate_value(const double b[6], double s); /* at s in [0, 1] */
/* Lowers it by the defect of the interpolation, which is d in the middle and vanishes at the ends. */
void carom_locate_lower(double b[6], double d);
/* The first interval [low, high], of length 1/64, not before `from`, in which the quintic may be negative. false:
 * none. */
bool carom_locate_first(const double b[6], double from, double *low, double *high);

#endif
