/* bifurcation.h: the points that a run leaves in a map. */
#ifndef CAROM_BIFURCATION_H
#define CAROM_BIFURCATION_H

#include "carom_analysis.h"
#include "core/core.h"

typedef struct carom_mapper carom_mapper;
/* One simulation for many runs. The expressions of the request are compiled here; model and request must outlive it. */
carom_status carom_mapper_new(carom_mapper **mapper, const carom_model *model, const carom_options *options,
                              const carom_bifurcation_request *request, carom_error *error);
void carom_mapper_free(carom_mapper *mapper);
/* Runs from q, v at t = 0 with parameters p: transient, then points t, x [show] until there are enough or the limit is reached.
 * q, v become the state at the end, after whole periods. */
carom_status carom_mapper_run(carom_mapper *mapper, double *q, double *v, const double *p, long *n, double *t, double *x,
                              carom_error *error);

#endif
