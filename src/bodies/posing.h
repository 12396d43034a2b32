/* posing.h: all shapes of a model file where they start, whatever the model is made of: formulas, contacts found, or
 * both. For what looks at the start: overlap.c, settle.c. */
#ifndef CAROM_BODIES_POSING_H
#define CAROM_BODIES_POSING_H

#include "bodies/many/parts.h"
#include "bodies/section.h"

enum { CAROM_MOST_OVERLAPS = 4096 };

typedef struct carom_posing {
    carom_source *s;
    carom_many *many; /* that of the model, or one made for this */
    carom_arena *arena;
    carom_many_work w;
    double *tape, *still, *p; /* scratch; velocities 0; the parameters */
    carom_overlap *overlap; /* [CAROM_MOST_OVERLAPS] */
    int overlaps;
} carom_posing;

carom_status carom_posing_new(carom_posing *posing, carom_source *s, carom_error *error);
void carom_posing_end(carom_posing *posing);
void carom_posing_at(const carom_posing *posing, const double *q); /* into w.pose, at t = 0 */

#endif
