/* admissible.h: states that a model allows: joints closed, gaps not negative. For starts, not for stepping. */
#ifndef CAROM_ADMISSIBLE_H
#define CAROM_ADMISSIBLE_H

#include "model/start.h"

typedef struct carom_admissible {
    carom_assembly assembly;
    int joints;               /* that are independent */
    double *C;                /* [(2*njoint)*(2*nv+1)] volume of the joints */
} carom_admissible;
carom_status carom_admissible_new(carom_admissible *a, const carom_model *model, carom_error *error);
void carom_admissible_free(carom_admissible *a);
/* Moves q and v the least that makes (t, q, v) allowed with parameters p. Fails when that does not converge. */
carom_status carom_admissible_move(carom_admissible *a, double t, double *q, double *v, const double *p,
                                   carom_error *error);
/* The smallest gap of a contact at (t, q); INFINITY: there are none. */
double carom_admissible_gap(carom_admissible *a, double t, const double *q, const double *v, const double *p);
/* Projects the columns of X [2*nv*n] onto the tangent space of the joints. */
void carom_admissible_columns(carom_admissible *a, double t, const double *q, const double *v, const double *p, int n,
                              double *X);

/* ln of the volume of C = d(g, G v + w)/d(q, v) on the joints, sqrt(det C C^T): how the manifold of joints lies at
 * (t, q, v). */
double carom_admissible_volume(carom_admissible *a, double t, const double *q, const double *v, const double *p);

#endif
