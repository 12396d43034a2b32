/* exact.h: what the files of the scheme `exact` share. Private to them.
 *
 *   z = (q, v, t^k/k!, cos(w_j t), sin(w_j t)),   z' = A z                     the motion as a linear system
 *   f(t0 + s rho) = sum_k s^k (row A^k rho^k/k!) z(t0)                       a linear function of z: its Taylor series
 *
 * The vectors row A^k rho^k/k! are computed once for each set of closed links: that is a flight. */
#ifndef CAROM_EXACT_H
#define CAROM_EXACT_H

#include <math.h>

#include "core/polynomial.h"
#include "model/forcing.h"
#include "schemes/scheme.h"

enum {
    EXACT_TERMS = CAROM_POLYNOMIAL_MAX,                                /* coefficients of a series; a multiple of 8 */
    EXACT_TIMES = CAROM_TIME_DEGREE + 1 + 2 * CAROM_TIME_HARMONICS,    /* functions of time in z, at most */
    EXACT_FLIGHTS = 4                                                  /* that are remembered */
};

typedef struct carom_flight { /* series of z -> q(s), events(s); nz columns of `terms` coefficients for each */
    bool ready;
    unsigned char *closed; /* [nlink] */
    double *Q;             /* [n][nz][terms] q */
    double *E;             /* [nlink][nz][terms] gaps of open links, forces of closed ones */
    double *B;             /* [nlink][nz][terms] the same in Bernstein form */
    double *B8;            /* [nlink][nz][8] the first 8 terms in Bernstein form */
    double *R8;            /* [nlink][nz] sums of absolute values of the others */
    double *X;             /* [2n][nz] what is added to q and v up to s = 1 */
} carom_flight;

typedef struct carom_exact {
    bool ready;            /* for the parameters p */
    const carom_system *system;
    int n, nlink, njoint, ncontact, np, nz, nt, degree, nharmonic;
    int order, terms;      /* of the series; terms > order, a multiple of 8, the rest 0 */
    double rho;            /* length of a piece, at most */
    double omega[CAROM_TIME_HARMONICS];
    double *p;                              /* [np] */
    double *G, *Y, *W;                      /* [nlink*n] [nlink*n] [nlink]: G, M^-1 G^T, diagonal of G M^-1 G^T */
    double *force;                          /* [n*nt] F at q = v = 0 in the functions of time */
    double *offset, *offset_1, *offset_2;   /* [nlink*nt] gaps at q = 0 and their derivatives */
    double *free;                           /* [n*nz] acceleration of the open system */
    double *scale;                          /* [nlink*nz] sums of absolute values in the accelerations of the gaps */
    double *acceleration;                   /* [n*nz] of the flight that is being made */
    double *lambda;                         /* [nlink*nz] forces of its closed links */
    double *row[2];                         /* [nz] */
    carom_equations closed;                 /* [nlink] of the links that are closed */
    carom_flight flight[EXACT_FLIGHTS];
    int oldest;
    double t, *z;                           /* [nz]: the functions of time stand for t; NaN: none */
    double *c;                              /* [n*terms] q of a piece */
    double *l;                              /* [nlink*terms] forces of a piece */
    double *bar, *P, *u_before, *u_after;   /* [nlink] of an impact */
    double *tau, *lost;                     /* [nlink] chatter after it: how long it would last, how many impacts */
    double *count;                          /* [ncontact] in memory_next: impacts since the contact was closed last */
    double *v_before, *a;                   /* [n] */
    double *q_ahead, *v_ahead, *u_ahead;    /* [n] [n] [nlink] where it is seen which links part */
    unsigned char *rest;                    /* [nlink] */
} carom_exact;

/* ---- linear.c: the linear system behind a model ---- */
carom_status carom_exact_accepts(const carom_model *model, const double *field, carom_error *error);
void carom_exact_layout(carom_layout *layout, const carom_system *system, carom_exact *x);
/* Reads constants and functions of time and compares them with the model at several points; nothing to do when p is
 * as before. */
carom_status carom_exact_prepare(carom_step *s, carom_exact *x);

/* ---- flight.c: series ---- */
void carom_exact_select(carom_exact *x, const unsigned char *closed); /* the equations of these links: x->closed */
void carom_exact_size(carom_exact *x, const carom_system *sys, double h); /* rho, order, terms */
/* The flight of the modes in `mode`, made when it is not remembered. */
carom_flight *carom_exact_flight(carom_exact *x, const unsigned char *mode);
void carom_exact_clock(carom_exact *x, double t); /* the functions of time in z */
/* The first event of link i in (0, end], 0 if it is over at once, INFINITY if there is none. *leaves: the gap is at
 * rounding after a jump and grows; cleared when it has grown. */
double carom_exact_event(const carom_exact *x, const carom_flight *f, int i, double *leaves, double end);

static inline double carom_exact_time(const carom_exact *x, const double *row) /* a function of time now */
{
    return carom_dot(x->nt, row, x->z + 2 * x->n);
}

/* What accelerations add up to at a gap: rounding of a gap is never below 16 eps rho^2 times this, of its speed 16
 * eps rho. */
static inline double carom_exact_scale(const carom_exact *x, int i)
{
    double sum = 0;
    for (int j = 0; j < x->nz; j++)
        sum += x->scale[i * x->nz + j] * fabs(x->z[j]);
    return sum;
}

typedef double carom_exact_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* out[k] = sum_j column_j[k] z_j for eight k; columns are `stride` apart */
static inline void carom_exact_eight(const carom_exact *x, const double *columns, int stride, double *out)
{
    carom_exact_pair a = {0, 0}, b = a, c = a, d = a;
    for (int j = 0; j < x->nz; j++, columns += stride) {
        const carom_exact_pair z = {x->z[j], x->z[j]}, *column = (const carom_exact_pair *)columns;
        a += z * column[0], b += z * column[1], c += z * column[2], d += z * column[3];
    }
    carom_exact_pair *to = (carom_exact_pair *)out;
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
}

static inline void carom_exact_series(const carom_exact *x, const double *columns, double *out) /* all terms */
{
    for (int first = 0; first < x->terms; first += 8)
        carom_exact_eight(x, columns + first, x->terms, out + first);
}

/* ---- events.c: what happens between two flights; q, v and mode are those of s->next ---- */
/* Puts the closed links back on g = 0, u = 0: corrections at rounding. */
void carom_exact_snap(carom_step *s, carom_exact *x, const carom_flight *f);
carom_status carom_exact_impact(carom_step *s, carom_exact *x, const carom_flight *f, int who, double done, double h);
carom_status carom_exact_release(carom_step *s, carom_exact *x, const carom_flight *f, int who);
/* Which of the contacts in x->rest press and stay closed; the others open. */
carom_status carom_exact_decide(carom_step *s, carom_exact *x, double t);

/* ---- record.c: dense output and energy of a piece of s in [0, at] from t0 ---- */
void carom_exact_record(carom_step *s, const carom_exact *x, const carom_flight *f, double t0, double at);
void carom_exact_account(carom_step *s, carom_exact *x, const carom_flight *f, double t0, double at);

#endif
