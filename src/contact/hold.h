/* hold.h: block `hold`: velocities or accelerations, positions and contact forces for GIVEN modes. No decisions. */
#ifndef CAROM_HOLD_H
#define CAROM_HOLD_H

#include "contact/system.h"

typedef struct carom_hold {
    int n, *row;                      /* equations, and the row of each [nrow] */
    double *Y;                        /* [nrow*nv] row i: A^-1 C_i^T of equation i */
    double *W, *b, *x, *solver_work;  /* [nrow*nrow] [nrow] [nrow] [4*nrow] */
    int *order;                       /* [nrow] */
} carom_hold;

void carom_hold_layout(carom_layout *layout, carom_hold *hold, const carom_system *system);

/* Whether any link is there: a joint, or a contact that is not open. */
bool carom_hold_any(const carom_system *system, const unsigned char *mode);

/* y = y_free + A^-1 C^T x with G y + offset = 0 on the equations of the modes, see hold.c; any factor A, so at either
 * level. The system holds G, and the law's coefficients where a contact slips. slip [nrow]: unit directions on the
 * tangential rows. force [nrow]: x on all rows. y may be y_free. */
void carom_contact_hold(carom_hold *hold, const carom_system *system, const carom_factor *A, const unsigned char *mode,
                        const double *slip, const double *offset, const double *y_free, double *y, double *force);

/* The nearest q (in the metric of M) with g = 0 on all joints and on the contacts that are not open. Leaves G and a
 * factored M at that q in the system. */
carom_status carom_contact_hold_q(carom_hold *hold, carom_system *system, const unsigned char *mode, double t,
                                  double *q, const double *v, carom_error *error);

#endif
