/* points.h: a scaled problem u = W r + b (scaled.h) for proximal points (points.c) and for the interior point method
 * (interior.c), whatever the form of W: the form tells how W acts and how linear systems with it are solved
 * (proximal.c: W by blocks, condensed.c: bodies). */
#ifndef CAROM_POINTS_H
#define CAROM_POINTS_H

#include "solvers/scaled.h"

struct carom_points;

typedef struct carom_points_form {
    void (*velocity)(struct carom_points *points, const double *r, double *u);                      /* u = W r + b */
    double (*residual)(struct carom_points *points, const double *r, const double *u);              /* natural map */
    bool (*offer)(struct carom_points *points, const double *r);                    /* judges and keeps; true: solved */
    /* F at (u, r); with derivatives: of this point, for a direction that follows. Returns |F|^2/2. */
    double (*function)(struct carom_points *points, const double *u, const double *r, double *F, bool derivatives);
    bool (*direction)(struct carom_points *points); /* dr and du = (W + a) dr of Newton's method; false: none */
    void (*sweep)(struct carom_points *points, int sweeps);                         /* Gauss-Seidel over r */
    double least;                                   /* proximal parameter */
    /* Factors 1 + A S W S B (interior.c) with A and B [9*nblock], 3 x 3 each; then x <- (1 + A S W S B)^-1 x. */
    bool (*factor)(struct carom_points *points, const double *A, const double *B);
    void (*solve_factored)(struct carom_points *points, double *x);
} carom_points_form;

typedef struct carom_points {
    const carom_points_form *form;
    carom_solve *solve;
    double deadline;                                   /* carom_deadline */
    int n, nblock;
    const carom_block *block;                          /* [nblock] of the problem */
    const int *row;                                    /* [nblock + 1] the first row of a block */
    const unsigned char *part;                         /* [nblock] scaled.h */
    const double *mu, *b;                              /* [nblock] [n] */
    double a;                                          /* proximal parameter */
    double *r, *c, *u, *F, *dr, *du, *trial, *trial_u; /* [n] iterate, centre, velocity with a (r - c), ... */
    int factorisations, limit;                         /* so far; at most, 0: as many as it takes */
} carom_points;

/* Factorisations or time are spent, or somebody has cancelled. */
static inline bool carom_points_over(const carom_points *points)
{
    return (points->limit > 0 && points->factorisations >= points->limit) ||
           carom_expired(points->solve, points->deadline);
}

/* The factor of row i of block k in interior.c, S; 0: the row takes no part, since it may not carry a force. */
static inline double carom_points_stretch(const carom_points *points, int k, int i)
{
    return points->part[k] == CAROM_PART_NONE ? 0 : points->part[k] == CAROM_PART_CONTACT && i > 0 ? points->mu[k] : 1;
}

bool carom_points_place(carom_points *points, carom_arena *arena); /* false: no memory */
/* The longest of the steps 1, 1/2, ... along dr and du after which |F|^2/2 is below the bound: r, u and merit are
 * those after it. false: no step is short enough. */
bool carom_points_search(carom_points *points, double bound, double *merit);
/* From points->r until the problem is solved (true), so many factorisations are spent or so many points have failed;
 * r is then the last that was accepted. */
bool carom_points_run(carom_points *points, double alpha, int factorisations, int failures);
/* Newton's method of alart_curnier.c from points->r, that many steps at most; regular: c there at first. */
void carom_newton_run(carom_points *points, double regular, int most);
/* Newton's method with sweeps (swept.c) from points->r: that many steps at most, and that many without halving the
 * natural map; true: solved. */
bool carom_swept_run(carom_points *points, int most, int patience);
enum { CAROM_SWEPT_STEPS = 20 }; /* beside other methods */
/* The interior point method, from nothing: r receives the best found; true: solved. Briefly: until its error does not
 * halve in ten iterations. work: so many bytes. */
size_t carom_interior_work(int n, int nblock);
bool carom_interior_run(carom_points *points, void *work, bool briefly);
/* The largest step t for which x + t d stays in the cone x_0 >= |(x_1, x_2)| that x is inside of; INFINITY: any. */
double carom_cone_step(int rows, const double *x, const double *d);

/* A method for both forms of W, with work of so many bytes; points->r is the guess. */
typedef struct carom_points_method {
    size_t (*work)(int n, int nblock);
    void (*run)(carom_points *points, void *work);
} carom_points_method;
void carom_blocks_with(const carom_problem *problem, carom_solve *solve, const carom_points_method *method);
void carom_condensed_with(const carom_problem *problem, carom_solve *solve, const carom_points_method *method);
static inline void carom_points_with(const carom_problem *problem, carom_solve *solve,
                                     const carom_points_method *method)
{
    if (problem->W.product.span)
        carom_condensed_with(problem, solve, method);
    else
        carom_blocks_with(problem, solve, method);
}

#endif
