/* least_distance.h: the point of a polyhedron that is nearest to 0. */
#ifndef CAROM_LEAST_DISTANCE_H
#define CAROM_LEAST_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

/* Least |t| with E_j . (t, -1) >= 0 for the c columns E_j = (g_j, h_j) of length n + 1, column after column: g_j . t >=
 * h_j. false: there is none, which y [c] >= 0 (may be NULL) shows: the y_j g_j add up to 0, the y_j h_j to 1.
 * work [carom_least_distance_work(n, c)], order [n + 1 + 2 c]. */
bool carom_least_distance(int n, int c, const double *E, double *t, double *y, double *work, int *order);
size_t carom_least_distance_work(int n, int c);

#endif
