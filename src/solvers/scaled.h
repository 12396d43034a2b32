/* scaled.h: a whole problem for the methods that eliminate nothing: joints and pins stay, as equations.
 *
 *   y = x + x0;  each block is scaled by one number, which keeps its law:  d_k = 1/sqrt(mean diagonal of W_kk)    (1)
 *   u' = W' y' + b',  W' = D W D,  b' = D (b - W x0)/s,  s = |D (b - W x0)|,  y = s D y',  u = s D^-1 u'           (2)
 *
 * Blocks are equations (joints, pinned stick: u = 0), nothing (pinned open: y = 0), forces up to a bound or contacts.
 * W' is always stored by blocks, with a symmetric pattern; blocks of zeros are left out. */
#ifndef CAROM_SCALED_H
#define CAROM_SCALED_H

#include "core/sparse/sparse.h"
#include "solvers/parts.h"

enum { CAROM_PART_NONE, CAROM_PART_EQUATION, CAROM_PART_CONTACT, CAROM_PART_BOUNDED };

/* What a block is. */
static inline int carom_part_of(const carom_block *block)
{
    return carom_block_is(block, CAROM_OPEN) ? CAROM_PART_NONE
           : carom_block_is(block, CAROM_STICK) || block->law == &carom_law_bilateral ? CAROM_PART_EQUATION
           : block->law == &carom_law_bounded                                         ? CAROM_PART_BOUNDED
                                                                                      : CAROM_PART_CONTACT;
}
/* F [rows] of a block of this part (alart_curnier.c), W its diagonal block, to be multiplied by scale; mu: or the bound
 * of the force; s: that of p; A and B (3 x 3, may be NULL) are dF/du and dF/dr. Returns whether dF/du is 0: the contact
 * is open. */
bool carom_alart_curnier(int part, int rows, double mu, const double *W, double scale, double s, const double *u,
                         const double *r, double *F, double *A, double *B);
enum { CAROM_ALART_CURNIER = 3 }; /* s, unless a method knows better */
bool carom_deadline_begin(carom_solve *solve);   /* of a call from outside: true, it is to be reset at the end */
double carom_deadline(const carom_solve *solve); /* +infinity: none */
bool carom_expired(const carom_solve *solve, double deadline); /* time is up, or somebody has cancelled */

typedef struct carom_scaled {
    const carom_problem *problem;
    int n, nblock;
    carom_pattern pattern;
    size_t *diagonal;     /* [nblock] entry (k, k) */
    size_t *offset;       /* [entries + 1] */
    double *value;        /* W' */
    double *b;            /* [n] b' */
    double *d;            /* [nblock] */
    double size;          /* s */
    unsigned char *part;  /* [nblock] */
    double *mu;           /* [nblock] 0 without friction */
    double *x, *u;        /* [n] scratch of the judge */
    double *best;         /* [n] x of the least residual */
    double least;         /* that residual */
    double deadline;      /* seconds of carom_clock, or +infinity */
} carom_scaled;

/* Fills it for the problem; the arrays live in the arena. false: no memory. */
bool carom_scaled_begin(carom_scaled *scaled, const carom_problem *problem, carom_solve *solve);
bool carom_scaled_takes(const carom_problem *problem); /* plain laws, no pinned slips */
/* y' of an x */
void carom_scaled_guess(const carom_scaled *scaled, const double *x, double *y);
/* u' = W' y' + b' */
void carom_scaled_velocity(const carom_scaled *scaled, const double *y, double *u);
/* out = W' y' */
void carom_scaled_multiply(const carom_scaled *scaled, const double *y, double *out);
/* The natural map of the scaled problem, Euclidean norm over all blocks. */
double carom_scaled_residual(const carom_scaled *scaled, const double *y, const double *u);
/* Judges y' by the original problem and keeps the best; true: solved, and not to be made better. */
bool carom_scaled_offer(carom_scaled *scaled, carom_solve *solve, const double *y);
/* One sweep of Gauss-Seidel with the exact solution of one block; backwards from the last. */
void carom_scaled_sweep(const carom_scaled *scaled, double *y, bool backwards);
/* The method of proximal.c: sweeps, proximal points from alpha on (0: none at first), the interior point method and
 * proximal points again, with at most that many factorisations. */
void carom_proximal_run(const carom_problem *problem, carom_solve *solve, int factorisations, int sweeps, double alpha);
static inline bool carom_scaled_expired(const carom_scaled *scaled, const carom_solve *solve)
{
    return carom_expired(solve, scaled->deadline);
}

#endif
