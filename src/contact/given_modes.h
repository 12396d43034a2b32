/* given_modes.h: block `given_modes`, the motion of links whose modes are given: accelerations, velocities, positions
 * and forces by equations. Nothing is decided here. */
#ifndef CAROM_GIVEN_MODES_H
#define CAROM_GIVEN_MODES_H

#include <string.h>

#include "contact/slide.h"
#include "core/room.h"
#include "problem/modes.h"

#define CAROM_RANK 1e-11 /* of accelerations: rows whose pivot is below this part of the largest are redundant */

/* What a contact does, part of the state of schemes that keep it. Saved as it is: no padding. */
typedef struct carom_link_mode {
    short mode;          /* carom_mode */
    short flags;         /* the scheme's own */
    int impacts;         /* since it was closed last */
    int branch;          /* which features of a contact that was found touch */
    int fresh;           /* it was not there in the step before, or with another branch */
    double direction[2]; /* of slip, unit; of a saturated contact: against its friction */
} carom_link_mode;

/* The mode of a closed contact whose tangential velocities are u: slip that is not above `rest` sticks. */
static inline carom_mode carom_mode_tangential(int directions, const double *u, double rest)
{
    return directions == 0 ? CAROM_CLOSED : carom_norm_max(directions, u) <= rest ? CAROM_STICK : CAROM_SLIP;
}
static inline int carom_mode_of(const carom_link *link, const carom_link_mode *modes) /* joints are closed */
{
    return link->contact < 0 ? CAROM_CLOSED : modes[link->contact].mode;
}
static inline void carom_modes_copy(int n, const carom_link_mode *from, carom_link_mode *to)
{
    memmove(to, from, sizeof *to * (size_t)n);
}
/* The directions of slip by row, slip [nrow]: 0 on normals and joints. */
static inline void carom_modes_directions(const carom_system *system, const carom_link_mode *modes, double *slip)
{
    for (int i = 0; i < system->nlink; i++)
        for (int j = 0; j < system->link[i].rows; j++)
            slip[system->link[i].row + j] =
                j >= carom_link_normals(&system->link[i])
                    ? modes[system->link[i].contact].direction[j - carom_link_normals(&system->link[i])]
                    : 0;
}
/* At a start: closed where the state says so, to be decided. */
static inline void carom_modes_start(int n, const unsigned char *mode, carom_link_mode *modes)
{
    for (int c = 0; c < n; c++)
        modes[c] = (carom_link_mode){.mode = mode[c] == CAROM_OPEN ? CAROM_OPEN : CAROM_CLOSED,
                                     .branch = modes[c].branch};
}
/* Is anything held: a joint, or a contact that is not open? */
static inline bool carom_modes_any(const carom_system *system, const carom_link_mode *modes)
{
    for (int c = 0; c < system->ncontact; c++)
        if (modes[c].mode != CAROM_OPEN)
            return true;
    return system->njoint > 0;
}

/* Rows of links and what acts along them: K x = b, y = y_free + Y x. */
typedef struct carom_equations {
    int m;              /* how many */
    carom_room *room;   /* of Y and K; NULL: for all */
    int *row, *link;    /* [most] of each */
    double *Y;          /* [rows*nv] row i: A^-1 H_i^T of equation i */
    double *K, *b, *x;  /* [rows*rows] [most] [most]; K = G Y */
    double *work;       /* [4*most+1] */
    int *order;         /* [most] */
    int rank;           /* of K, when it was solved last; below m: rows are redundant */
} carom_equations;

void carom_equations_layout(carom_layout *layout, carom_equations *equations, const carom_system *system, int most);
void carom_equations_matrix(carom_equations *equations, const carom_system *system);
/* Builds K, then x of least norm where rows are redundant: pivots below `rank` of the largest. */
void carom_equations_solve(carom_equations *equations, const carom_system *system, double rank);
void carom_equations_add(const carom_equations *equations, int nv, double *y); /* y += Y x */

/* Every row along which the modes allow a force, with its column A^-1 G^T; the system holds G, A is factored. */
void carom_equations_forces(carom_equations *equations, const carom_system *system, const carom_factor *A,
                            const carom_link_mode *modes);

/* The normal rows of all joints, and of the contacts that are not open (NULL: joints alone); or of the links listed. */
void carom_equations_closed(carom_equations *equations, const carom_system *system, const carom_link_mode *modes);
void carom_equations_list(carom_equations *equations, const carom_system *system, int n, const int *links);
/* The nearest q (in the metric of M) at which the links of the equations have these gaps, gap [nlink] (NULL: 0). Leaves
 * M and G of that q in the system. */
carom_status carom_given_positions(carom_equations *equations, carom_system *system, const double *gap, double t,
                                   double *q, const double *v, carom_error *error);

typedef struct carom_given_modes {
    carom_link_mode *modes;  /* [ncontact] of the caller; the direction of spatial slip is the present one, set here */
    carom_equations equations; /* [nrow] */
    double slow;     /* spatial slip that friction stops within this length creeps: its direction is that of the force
                        sticking would need */
    double *slow_speed;        /* [ncontact] the speed below which it does, set here */
    bool *creeps, as_if_stuck; /* [ncontact]; the creeping ones are solved as if they stuck */
    bool *crept;               /* [ncontact] it creeps however fast it is: so it began a step */
    bool *moves;               /* [ncontact] spatial slip is not 0 */
    bool *holds;               /* [ncontact] spatial slip along its direction as it is: it stops in this step */
    double *a_free, *column;   /* [nv] [nv] */
    double *S, *L;           /* [rows*rows] W and K of slip, factored; (6) of given_modes.c */
    int *pivot;              /* [nrow] */
    double side;             /* of det K: -1 where the modes began with a negative one, else +1; 0: not judged yet */
    int slip;                /* the contact that made it vanish, -1: none; */
    double slip_p, slip_b;   /* its p, and its gddot without its force */
    carom_slide slide;       /* branches of the forces between which the motion slides */
    carom_problem share;     /* [nlink] [nrow] of the contacts that carry, where rows are redundant */
    double *share_x, *share_u; /* [nrow] [nrow] */
    void *share_work;        /* for problems of the rows that act */
    bool nearly;             /* (9) of given_modes.c at the last accelerations */
    bool shares;             /* (7) was needed since whoever looks has set this to false */
} carom_given_modes;

void carom_given_layout(carom_layout *layout, carom_given_modes *given, const carom_system *system);

/* force [nrow]: x on the rows of the equations, with the friction of those that slip; the others keep theirs. */
void carom_given_spread(const carom_given_modes *given, const carom_system *system, double *force);

/* a [nv] and force [nrow] at (t, q, v); `more` is evaluated along with it (CAROM_GAP ...). */
carom_status carom_given_accel(carom_given_modes *given, carom_system *system, double t, const double *q,
                               const double *v, unsigned more, double *a, double *force, carom_error *error);
/* y <- y + A^-1 H^T x with G y + offset = 0 on the rows of the modes, at either level; force [nrow]: x on all rows. */
void carom_given_hold(carom_given_modes *given, const carom_system *system, const carom_factor *A,
                      const double *offset, double *y, double *force);
/* Whether slip of the present modes is far from Painleve's paradox is judged against the side where it is now. */
void carom_given_sides(carom_given_modes *given, const carom_system *system);
/* Do forces [nrow] of the modes, with the coefficients evaluated last, obey the laws? */
bool carom_given_in_law(const carom_given_modes *given, const carom_system *system, const double *force);
/* Below it spatial slip relaxes to its direction faster than any step (5). */
double carom_given_slow_speed(const carom_given_modes *given, const carom_system *system, const carom_link *link);

#endif
