/* schatzman_paoli.h: what the files of this scheme share: one step of the grid, and what it means. */
#ifndef CAROM_SCHATZMAN_PAOLI_H
#define CAROM_SCHATZMAN_PAOLI_H

#include "schemes/scheme.h"

typedef struct carom_paoli_work { /* one step of the grid, from node k to node k + 1 */
    double t;                     /* of node k */
    const double *q, *q_back;     /* [nq] q_k and q_{k-1} */
    double *d, *d_back;           /* [nv] q_{k+1} - q_k and q_k - q_{k-1} */
    double *d_free, *d_new;       /* [nv] */
    double *r;                    /* [nq] room */
    double *x;                    /* [nq] q_k + d */
    double *v_c;                  /* [nv] (d + d_back)/(2 h) */
    double *F;                    /* [nv] */
    carom_rows rows_k;            /* at node k */
    carom_rows rows_u;            /* in which gaps and sliding are measured */
    double *x0;                   /* [nrow+ncoupling] impulses of the step before times h */
    double *y;                    /* [nlink] what has to be >= 0: g_{k+1} + e g_{k-1}; joints: g_{k+1} = 0 */
    double *g_back;               /* [nlink] at node k - 1 */
    unsigned char *on;            /* [nlink] the link is in the problem */
    carom_factor A;
} carom_paoli_work;

typedef struct carom_paoli_memory { /* pointers into a scheme's memory */
    double *q_back, *q_node;        /* [nq] at the last two nodes */
    double *phase;                  /* [1] how far the state is past the last node, in steps; 0 in ordinary runs */
    double *held;                   /* [ncontact] for how many steps the contact has had a multiplier, up to 3 */
    double *u_in;                   /* [nrow] u before they began */
} carom_paoli_memory;
carom_paoli_memory carom_paoli_memory_at(const carom_system *system, const double *memory);

/* d of the step of the grid from work->t, q, q_back; contacts->P holds impulses times h. */
carom_status carom_paoli_newton(carom_step *step, carom_paoli_work *work);

/* Modes and events after a step of the grid; contacts->P holds impulses. */
void carom_paoli_status(carom_step *step, const carom_paoli_work *work);

#endif
