/* moreau_jean.h: the velocity part of Moreau's time-stepping, shared by the schemes that differ in the positions. */
#ifndef CAROM_MOREAU_JEAN_H
#define CAROM_MOREAU_JEAN_H

#include "schemes/scheme.h"

typedef struct carom_moreau_work {
    double *q_th, *v_th, *v_free, *v_new, *r, *room; /* [nq] [nv] ... */
    carom_rows rows_u;                        /* rows in which u is measured */
    double *g_bar;                            /* [nlink] predicted gaps */
    bool catches;                            /* contacts that would be closed at q' are active too: no impact is late */
    bool rows;                                /* G is needed */
    bool kept;                                /* that of the iteration before stays */
    const int *struck;                        /* [nstruck] links that are hit, whatever is forecast of them */
    int nstruck;
    carom_factor A;
} carom_moreau_work;

/* The first fields of such a scheme are theta, gamma and forecast. */
void carom_moreau_orders(const double *field, double *smooth, double *impact);
void carom_moreau_layout(carom_layout *layout, const carom_system *system, void *work);
/* (1)-(7) of moreau_jean.c: time, velocities, modes, events and energy of the step, and q' = q + h v_th. What is left
 * to do is to correct next->q and to finish the step. */
carom_status carom_moreau_velocity(carom_step *step, carom_moreau_work *work, bool *hit);

#endif
