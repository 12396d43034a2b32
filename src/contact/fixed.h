/* fixed.h: block `accel_fixed`, the smooth motion of given roles of the contacts. */
#ifndef CAROM_FIXED_H
#define CAROM_FIXED_H

#include "contact/slide.h"

typedef enum carom_role {
    CAROM_ROLE_OPEN,    /* no force; the gap is free */
    CAROM_ROLE_PRESS,   /* closed without friction, carries a force */
    CAROM_ROLE_PASSIVE, /* closed, redundant: others hold it, it carries no force */
    CAROM_ROLE_STICK,
    CAROM_ROLE_SLIP,    /* along its direction */
    CAROM_ROLE_SATURATED /* held by others that stick; its friction is at its limit, against its direction */
} carom_role;

typedef struct carom_fixed {
    double *role;            /* [ncontact] carom_role, kept as doubles in a scheme's memory */
    double *direction;       /* [2*ncontact] of slip, unit; of spatial slip it is the present one, set here */
    double slow;      /* spatial slip below this speed creeps: its direction is that of the force sticking would need */
    bool *creeps, as_if_stuck; /* [ncontact]; the creeping ones are solved as if they stuck */
    bool *crept;               /* [ncontact] it creeps however fast it is: so it began a step */
    bool *moves;               /* [ncontact] spatial slip is not 0 */
    bool *holds;               /* [ncontact] spatial slip along its direction as it is: it stops in this step */
    int m, *row, *order;     /* rows of the equations */
    double *Y, *K, *b, *x, *work, *h, *a_free;
    double *S, *L;           /* [m*m] W and K of slip, factored; (5) of fixed.c */
    int *pivot;
    double side;             /* of det K: -1 where the modes began with a negative one, else +1; 0: not judged yet */
    int slip;                /* the contact that made it vanish, -1: none; */
    double slip_p, slip_b;   /* its p, and its gddot without its force */
    carom_slide slide;       /* branches of the forces between which the motion slides */
} carom_fixed;

void carom_fixed_layout(carom_layout *layout, carom_fixed *fixed, const carom_system *system);

/* Whether slip of the present roles is far from Painleve's paradox is judged against the side where it is now. */
void carom_fixed_sides(carom_fixed *fixed, const carom_system *system);
/* a [nv] and force [nrow] at (t, q, v); `more` is evaluated along with it (CAROM_GAP ...). */
carom_status carom_contact_accel_fixed(carom_fixed *fixed, carom_system *system, double t, const double *q,
                                       const double *v, unsigned more, double *a, double *force, carom_error *error);

#endif
