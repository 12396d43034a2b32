/* differences.h: finite differences of a model's callbacks (private to the adapter). */
#ifndef CAROM_DIFFERENCES_H
#define CAROM_DIFFERENCES_H

#include "model/model.h"

enum { CAROM_PART_M = 1, CAROM_PART_F = 2, CAROM_PART_G = 4 }; /* of r = M a - s F - G^T x */

typedef struct carom_moved { /* a point beside another one, and room for what is found there */
    double *q, *v, *p, *xi;  /* [nq] [nv] [np] [nv] */
    double *value;           /* [width] */
    double *unit;            /* [max(nv, np)] a direction */
} carom_moved;

typedef struct carom_scratch { /* at the start of an adapter's work memory */
    const carom_model *model;
    int nrow, ngap, nslip, width;  /* width = max(nv, nrow, ngap, nslip, 1) */
    const int *gap_row, *slip_row; /* [ngap] [nslip] */
    double *M, *F, *G, *w;         /* [nv*nv] [nv] [nrow*nv] [nrow] at a moved point */
    double *gap, *slip;            /* [width] each */
    double *column;                /* [width] */
    carom_moved outer, inner;      /* a quotient of quotients needs two */
    double *lane, *out;            /* one lane of 8: its inputs, and the largest output */
    double s;
    const double *a, *x;           /* of the evaluation at hand */
    unsigned parts;                /* of r that a quotient takes in */
} carom_scratch;

void carom_difference_jacobian(carom_scratch *k, const carom_point *at, double *G, double *w);
void carom_difference_gamma(carom_scratch *k, const carom_point *at, double *gamma);
/* energy [5] as CAROM_ENERGY says */
void carom_difference_energy(carom_scratch *k, const carom_point *at, double *energy);
/* One of CAROM_R_Q ... CAROM_A_P; k->a, k->x, k->s are given. */
void carom_difference_matrix(carom_scratch *k, const carom_point *at, unsigned which, double *out);
/* G and w by the callback or by differences. */
void carom_callback_jacobian(carom_scratch *k, const carom_point *at, double *G, double *w);

#endif
