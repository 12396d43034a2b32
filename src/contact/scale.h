/* scale.h: how large the gap of a link, its velocity and its acceleration are, so that what is only rounding can be
 * told from them in any units.
 *
 *   L = sum_j |G_nj| (|q|_j + unit_j)                         what the gap is made of             (1)
 *   A = sum_j |G_rj a_j| + |gamma_r|, the largest of its rows: what the forces do to it           (2)
 *   U = sum_j |G_rj v_j| + |w_r| + sqrt(L A)                  and its velocities                  (3)
 *
 * unit_j is the length at which whoever asked for the motion turns from relative to absolute errors, atol_j/rtol: what
 * is added up in a gap beside the coordinates is not known. sqrt(L A): at rest nothing moves, and yet velocities are
 * differences of larger ones. */
#ifndef CAROM_SCALE_H
#define CAROM_SCALE_H

#include "contact/system.h"

typedef struct carom_scale {
    double length, speed, accel;
} carom_scale;

/* size [nv]: |q|_j + unit_j; a [nv]: M^-1 F; the system holds G, w and gamma. scale [nlink]. */
void carom_scale_links(const carom_system *system, const double *size, const double *v, const double *a,
                       carom_scale *scale);

/* sum_j |G_rj| |q|_j: what the gap is made of, as far as coordinates tell; and of velocities, with w. */
double carom_scale_gap(const carom_system *system, int row, const double *q);
double carom_scale_speed(const carom_system *system, int row, const double *v);
/* sqrt(x^T M x), room [nv]: velocities of different units together, as M that is evaluated weighs them. */
double carom_scale_mass(const carom_system *system, const double *x, double *room);
/* Has the largest |g| = size been removed as far as rounding allows? before: what it was one correction ago. */
bool carom_scale_met(double size, double before, double length);

#endif
