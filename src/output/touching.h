/* touching.h: contacts that were found, in space: what a run with them tells at the times of its rows. */
#ifndef CAROM_TOUCHING_H
#define CAROM_TOUCHING_H

#include "output/writer.h"

typedef void carom_touching_callback(void *user, const carom_touching *contact);
typedef struct carom_touchings carom_touchings;
/* reactions: with the forces at the times themselves, else those are 0. */
carom_status carom_touchings_new(carom_touchings **touchings, carom_sim *sim, bool reactions, carom_error *error);
void carom_touchings_free(carom_touchings *touchings);
/* Those of the step that the simulation has just told of: at a time of one of its segments, and at a jump. */
void carom_touchings_at(carom_touchings *touchings, const carom_segment *segment, double t,
                        carom_touching_callback *put, void *user);
void carom_touchings_jump(carom_touchings *touchings, const carom_jump *jump, carom_touching_callback *put, void *user);

#endif
