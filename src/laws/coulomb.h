/* coulomb.h: what the laws with Coulomb's friction share: their coefficients. */
#ifndef CAROM_LAW_COULOMB_H
#define CAROM_LAW_COULOMB_H

#include <math.h>

#include "laws/law.h"

enum { CAROM_RESTITUTION, CAROM_RESTITUTION_T, CAROM_FRICTION, CAROM_FRICTION_STATIC };
#define CAROM_COULOMB_FIELDS \
    {"restitution", CAROM_FIELD_DOUBLE, NAN, 0, 1, NULL, "normal velocity after an impact over the one before"}, \
    {"restitution_t", CAROM_FIELD_DOUBLE, 0, 0, 1, NULL, "the same for the tangential velocity"}, \
    {"friction", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "mu: friction over normal force"}, \
    {"friction_static", CAROM_FIELD_DOUBLE, 0, 0, INFINITY, NULL, "mu of a contact that sticks; mu if it is not given"}

static inline double carom_coulomb_mu(const double *c)
{
    return c[CAROM_FRICTION];
}
static inline const char *carom_coulomb_wrong(const double *c, int *which, int *than)
{
    *which = CAROM_FRICTION_STATIC, *than = CAROM_FRICTION;
    return c[CAROM_FRICTION_STATIC] < c[CAROM_FRICTION] ? "below its" : NULL;
}
/* c of a contact that sticks: mu is the larger of the two. */
static inline void carom_coulomb_at_rest(const double *c, double *held)
{
    for (int i = 0; i <= CAROM_FRICTION_STATIC; i++)
        held[i] = c[i];
    held[CAROM_FRICTION] = CAROM_MAX(c[CAROM_FRICTION], c[CAROM_FRICTION_STATIC]);
}
/* Without friction only the normal is left. */
const carom_law *carom_coulomb_simpler(const carom_law *law, const double *c, double *scale, double *d);

#endif
