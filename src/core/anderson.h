/* anderson.h: Anderson's acceleration of a fixed-point iteration x <- s(x).
 *
 *   f = s(x) - x vanishes at a solution. Of the last m iterations the combination with the least |f|,
 *   min |f - dF c| in a given metric, leads to the next x = s(x) - dS c                                       (1)
 *   |f|^2 has grown a hundredfold, or what the caller sets: the history is forgotten, and the last s(x) that was
 *   good is taken up again                                                                                    (2) */
#ifndef CAROM_ANDERSON_H
#define CAROM_ANDERSON_H

#include <stdbool.h>

#include "core/layout.h"

enum { CAROM_ANDERSON_MEMORY = 8 };

typedef struct carom_anderson {
    int n;
    const double *weight; /* [n] of the metric; NULL: 1 */
    double *df[CAROM_ANDERSON_MEMORY], *ds[CAROM_ANDERSON_MEMORY]; /* [n] differences of f and of s(x);
                                                                      * in place of the next: those themselves */
    double gram[CAROM_ANDERSON_MEMORY][CAROM_ANDERSON_MEMORY]; /* products of df in the metric; the second not later */
    double before;        /* |f|^2 of the iteration before */
    double growth;        /* how much it may grow; carom_anderson_begin sets 100 */
    int have, next;       /* differences; where the next one goes */
    bool started;         /* there has been one: its f and s(x) are df[next] and ds[next] */
} carom_anderson;

void carom_anderson_place(carom_anderson *anderson, carom_layout *layout, int n);
void carom_anderson_begin(carom_anderson *anderson, const double *weight);
/* x [n] becomes the next one, s [n] is s(x). Returns |f|^2; not finite: x is left alone. */
double carom_anderson_next(carom_anderson *anderson, double *x, const double *s);

#endif
