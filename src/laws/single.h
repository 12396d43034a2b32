/* single.h: what the exact solutions of a single contact share: the candidate of least residual wins.
 *
 *   open    y = 0                             if b_n >= 0                                                  (1)
 *   stick   y = -W^-1 b                       if the law admits it                                         (2)
 *   slip    y = y_n (1, f(d)):                y_n = -b_n/p, p = W_nn + W_nt f, if p > 0,
 *                                             and u_t = k d with k >= 0                                    (3)
 *
 * With p <= 0 (Painleve) there may be no solution, then the candidate of least residual is returned, or several, then
 * the open one comes first, else the one found first. */
#ifndef CAROM_LAW_SINGLE_H
#define CAROM_LAW_SINGLE_H

#include "laws/law.h"

typedef struct carom_contest {
    const carom_law *law;
    const double *c;
    double rho, W[CAROM_LAW_ROWS * CAROM_LAW_ROWS], b[CAROM_LAW_ROWS]; /* W packed */
    double best, y[CAROM_LAW_ROWS];
} carom_contest;

/* Begins with the open contact and the sticking one. */
void carom_contest_begin(carom_contest *contest, const carom_law *law, const double *c, const double *W, int stride,
                         const double *b);
void carom_contest_enter(carom_contest *contest, const double *y);

#endif
