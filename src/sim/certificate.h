/* certificate.h: a step is checked against the laws of mechanics before it becomes the present state. */
#ifndef CAROM_CERTIFICATE_H
#define CAROM_CERTIFICATE_H

#include "schemes/scheme.h"

typedef struct carom_certificate {
    bool on;           /* every step is checked */
    bool exact;        /* to the tolerance; otherwise to what a step of the scheme cannot resolve */
    bool keeps;        /* the tolerance is the scheme's own; otherwise a force may change its sign within a step */
    bool nodal;        /* impulses of a step obey the law with the velocities at its end */
    double unseen;     /* what gaps have moved in a step, at most; 0 if exact */
    double *column, *other; /* [nv] of masses, rows, forces */
    double *q;         /* [nq] within a segment */
    double *size;      /* [nv] what rtol refers to */
    double *u_before;  /* [nrow] G v- + w */
    double *u_after;   /* [nrow] G v+ + w */
    double *impulse;   /* [nrow] of a part of a jump */
} carom_certificate;

void carom_certificate_layout(carom_layout *layout, carom_certificate *certificate, const carom_system *system);
/* The step that was staged: fails with time, link and numbers where it breaks a law beyond the tolerance. */
carom_status carom_certificate_check(carom_certificate *certificate, carom_step *step);

#endif
