/* points.h: proximal points around Newton's method, for any form of W; formulas in points.c. The form tells how W acts
 * and how a system of Newton's is solved (proximal.c: W by blocks, condensed.c: bodies). */
#ifndef CAROM_POINTS_H
#define CAROM_POINTS_H

#include "solvers/solver.h"

struct carom_points;

typedef struct carom_points_form {
    void (*velocity)(struct carom_points *points, const double *r, double *u);                      /* u = W r + b */
    double (*residual)(struct carom_points *points, const double *r, const double *u);              /* natural map */
    bool (*offer)(struct carom_points *points, const double *r);                    /* judges and keeps; true: solved */
    /* F at (u, r); with derivatives: of this point, for a direction that follows. Returns |F|^2/2. */
    double (*function)(struct carom_points *points, const double *u, const double *r, double *F, bool derivatives);
    bool (*direction)(struct carom_points *points); /* dr and du = (W + a) dr of Newton's method; false: there is none */
    void (*sweep)(struct carom_points *points, int sweeps);                         /* Gauss-Seidel over r */
    double least;                                   /* proximal parameter */
} carom_points_form;

typedef struct carom_points {
    const carom_points_form *form;
    carom_solve *solve;
    double deadline;                                   /* carom_deadline */
    int n;
    double a;                                          /* proximal parameter */
    double *r, *c, *u, *F, *dr, *du, *trial, *trial_u; /* [n] iterate, centre, velocity with a (r - c), ... */
    int factorisations;                                /* counted by direction */
} carom_points;

bool carom_points_place(carom_points *points, carom_arena *arena); /* false: no memory */
/* From points->r until the problem is solved (true), so many factorisations are spent or so many points have failed;
 * r is then the last that was accepted. */
bool carom_points_run(carom_points *points, double alpha, int factorisations, int failures);

#endif
