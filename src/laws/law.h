/* law.h: a contact law is a cone of admissible impulses (or forces) x, its projection and its residual. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "core/core.h"

typedef struct carom_law {
    carom_method method;
    int rows; /* 1, 2 or 3: normal first */
    /* The point of the cone nearest to y; mu is the coefficient of friction (ignored without friction). */
    void (*project)(double mu, const double *y, double *x);
    /* How far (u, x) is from the law, in the units of u: |x - project(x - rho u~)|/rho with u~ the velocity that is
     * normal to the cone at a solution (de Saxce's change for friction); rho > 0 makes u and x commensurable. */
    double (*residual)(double mu, double rho, const double *u, const double *x);
} carom_law;

extern const carom_law carom_law_unilateral;      /* 0 <= u _|_ x >= 0 */
extern const carom_law carom_law_bilateral;       /* u = 0 */
extern const carom_law carom_law_coulomb_planar;  /* unilateral normal, x_t in -mu x_n Sgn(u_t) */
extern const carom_law carom_law_coulomb_spatial; /* the same with a disc */

const carom_law *carom_law_list(int i); /* NULL after the last */

#endif
