/* control.h: chooses the step of Moreau's time-stepping by an estimate of its error. */
#ifndef CAROM_MOREAU_CONTROL_H
#define CAROM_MOREAU_CONTROL_H

#include "schemes/scheme.h"

enum { /* fields of the scheme that is controlled */
    CAROM_MOREAU_THETA, CAROM_MOREAU_GAMMA, CAROM_MOREAU_FORECAST, CAROM_MOREAU_CONTROL, CAROM_MOREAU_GUARDED,
    CAROM_MOREAU_ALPHA, CAROM_MOREAU_ALPHA_MIN, CAROM_MOREAU_ALPHA_MAX, CAROM_MOREAU_MAX_STEP
};
enum { /* values of the field control */
    CAROM_CONTROL_NONE, CAROM_CONTROL_HALVING, CAROM_CONTROL_COORDINATES, CAROM_CONTROL_ORDER, CAROM_CONTROL_INDICATOR
};

typedef carom_status carom_plain_step(carom_step *step);

typedef struct carom_control {
    carom_plain_step *plain;         /* one step of the scheme as it is */
    carom_state one, middle;         /* after the whole step, after the first half */
    double middle_low;               /* t_low of the middle */
    double depth;                    /* penetration in the middle, if energy is accounted for */
    const double *v_free;            /* [nv] velocities after the plain step without its impulses */
    double *g_now, *g_end;           /* [nlink] gaps before and after */
    double *size;                    /* [nv] what rtol refers to */
    double field[CAROM_FIELDS_MAX];  /* what the plain step sees */
    carom_record quiet;               /* takes what the whole step has to tell, and drops it */
    carom_error *error;              /* of an attempt */
} carom_control;

void carom_control_layout(carom_layout *layout, const carom_system *system, carom_control *control);
/* What is remembered: the step that was proposed, time since the acceleration that follows, accelerations with and
 * without contact forces [2 nv]. */
int carom_control_memory(const carom_system *system);
bool carom_control_remembers(const double *field);
carom_status carom_control_start(carom_step *step);
/* A step of at most step->h, shortened until its estimate is at most 1; proposes the next. */
carom_status carom_control_step(carom_step *step, carom_control *control, carom_plain_step *plain);

#endif
