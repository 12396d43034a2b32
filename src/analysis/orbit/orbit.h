/* orbit.h: periodic orbits of forced and autonomous models, their Floquet multipliers, and branches of them. */
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include <complex.h>

#include "analysis/orbit/return_map.h"

typedef struct carom_orbit { /* arrays belong to the caller or to carom_orbits */
    double T;                     /* its period */
    double parameter;             /* value of the one that is varied */
    double *x;                    /* [N] at t = 0 */
    double *x_p;                  /* [N*np] how x moves with the parameters of the map; NULL: not wanted */
    /* [nb] largest first; of an autonomous model the first one found at 1 is dropped: nmultiplier */
    double complex *multiplier;
    int nmultiplier;
    bool stable;
    double residual;              /* |P(x) - x|, maximum norm */
    int iterations;
    unsigned flags;               /* CAROM_TANGENT_... */
    carom_passage passage;
} carom_orbit;

typedef struct carom_orbits { /* what a search or a continuation needs, and where its result is */
    carom_return_map map;
    int multiple;          /* of the model's period: the map is its iterate */
    double tolerance;      /* of |P(x) - x|, relative to 1 + |x| */
    int iterations;        /* of Newton, at most */
    carom_orbit orbit;     /* set x, and T if the model has no period, before a search */
    /* The linear system of a Newton step, see carom_orbit_linearize. */
    int rows, columns;
    double *A, *b, *step, *saved, *work, *kept, *T_p, *C;
    int nrelative, *relative; /* [nrelative] coordinates that the motion repeats up to a shift, */
    double *relative_step, *shift; /* [nrelative] a multiple of that (0: any); the shift in the last map */
    double *move;          /* [N+2] a correction of x, T and the parameter */
    int *order;
    double complex *H;
    carom_arena *arena;
} carom_orbits;

/* which, np: the parameters whose derivatives are wanted. */
carom_status carom_orbits_new(carom_orbits *orbits, const carom_model *model, const carom_options *options,
                              const int *which, int np, carom_error *error);
void carom_orbits_free(carom_orbits *orbits);
bool carom_orbit_autonomous(const carom_orbits *orbits); /* the period is unknown, too */
/* Before a search: coordinates that a motion repeats up to a shift, as in carom_orbit_request. */
carom_status carom_orbit_relative(carom_orbits *orbits, const char *const *names, const double *steps, int n,
                                  carom_error *error);
int carom_orbit_relative_to(const carom_orbits *orbits, int i); /* which of them is the i-th coordinate; -1: none */
/* A guess: the state after a transient, in periods (of an autonomous model: in runs of t_end), and the period if it
 * is unknown. */
carom_status carom_orbit_guess(carom_orbits *orbits, const carom_options *options, double transient,
                               carom_error *error);
/* Newton from orbits->orbit with the parameters map.p; then multipliers and x_p. */
carom_status carom_orbit_find(carom_orbits *orbits, carom_error *error);

/* Parts of a Newton step, for the continuation. Applies the map at orbit.x and writes the equations of a correction
 * (c [nb], T if it is unknown, the parameter which[0] if it is varied): A [rows*columns], right-hand side b. */
carom_status carom_orbit_linearize(carom_orbits *orbits, bool varied, carom_error *error);
/* Solves them for `move`; adds it times `part` to orbit.x, T and map.p. */
void carom_orbit_solve(carom_orbits *orbits);
carom_status carom_orbit_correct(carom_orbits *orbits, double part, bool varied, carom_error *error);
carom_status carom_orbit_multipliers(carom_orbits *orbits, carom_error *error); /* after linearize */

typedef struct carom_branch_point {
    int kind; /* -1: an ordinary point; else carom_branch_event */
    const carom_orbit *orbit;
    double estimate; /* of a grazing: the parameter extrapolated to it */
} carom_branch_point;
typedef struct carom_branch {
    double from, to, step;        /* of the parameter map.which[0]; step: the first one */
    long most;                    /* points */
    bool (*point)(void *user, const carom_branch_point *); /* told in order; false ends the branch */
    void *user;
    char reason[200];             /* out: why it ended */
} carom_branch;
/* Follows the orbit that was found by pseudo-arclength. */
carom_status carom_orbit_follow(carom_orbits *orbits, carom_branch *branch, carom_error *error);

#endif
