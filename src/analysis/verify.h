/* verify.h: how far a run is from a more accurate one of the same model. */
#ifndef CAROM_VERIFY_H
#define CAROM_VERIFY_H

#include "carom_analysis.h"
#include "core/core.h"

/* Positions of a run at a few thousand equal times, whatever its length. */
typedef struct carom_samples carom_samples;
/* observes sim; before it runs */
carom_status carom_samples_new(carom_samples **samples, carom_sim *sim, const carom_model *model,
                               carom_error *error);
void carom_samples_free(carom_samples *samples); /* not before the last step of sim; NULL is fine */

/* Runs the model with more accurate options than those of a run that was sampled to its end, and compares. error and
 * allowed are the caller's. CAROM_INTERRUPTED: go_on said no. */
carom_status carom_verify_against(carom_verify *verify, const carom_model *model, const carom_options *options,
                                  const carom_samples *first, carom_error *error);

#endif
