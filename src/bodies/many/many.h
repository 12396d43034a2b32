/* many.h: many bodies as a model: matrices by blocks of a body, contacts found before every step.
 *
 *   velocities of a body   v (space axes), w (body axes); in the plane v_x, v_y, w
 *   positions              r, a unit quaternion; in the plane x, y, angle
 *   M                      m, m, m, I: constant in body axes                                               (1)
 *   F                      m g,  -w x I w                                                                  (2)
 *   contacts               rows of src/geometry: of one body against what does not move, or of two         (3)
 *   joints                 rows of two bodies: points that coincide, directions that stay across           (4)
 *   springs, motors        forces between two bodies, coupled in the matrix of implicit schemes (acts.c)   (5)
 *
 * The contacts of a step are those whose gap is at most reach; their features are frozen in the step. An id is made of
 * the two shapes and of their parts, so that impulses and modes follow a contact from step to step. */
#ifndef CAROM_MANY_H
#define CAROM_MANY_H

#include "bodies/bodies.h"
#include "model/model.h"

/* The model of a description whose values have been evaluated and which has been brought to its start; the description
 * must outlive it. Everything of the model but its bodies lives in the arena. */
carom_status carom_bodies_model(carom_model **model, carom_bodies *bodies, carom_arena *arena, carom_error *error);
/* What the arena does not free: kernels and the broad phase. */
void carom_bodies_model_end(carom_model *model);

#endif
