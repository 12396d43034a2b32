/* watch.h: which value of the model is no finite number, at which time and state.
 *
 * A step that fails says what it could not do ("the Newton matrix is singular"), not why. It is made again while a
 * watch looks at every evaluation: of the values that are not finite although q and v are, the one at the earliest time
 * is told. Coefficients are told only if nothing else is found: those of open contacts may be anything. */
#ifndef CAROM_WATCH_H
#define CAROM_WATCH_H

#include "contact/system.h"

typedef struct carom_watch {
    carom_system *system;
    const carom_evaluator *evaluator; /* the system's own, and its memory */
    void *work;
    bool found, coefficient; /* the text is of a value that is not finite; and that is a coefficient of a law */
    double t;
    char text[640];
    char law[400]; /* the state at which coefficients were evaluated last */
} carom_watch;

/* Every evaluation of the system is looked at, from begin to end. */
void carom_watch_begin(carom_watch *watch, carom_system *system);
/* What is known to be wrong of the step that failed with this status is added to its error. */
carom_status carom_watch_end(carom_watch *watch, carom_status status, carom_error *error);

#endif
