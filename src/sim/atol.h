/* atol.h: absolute tolerances of single coordinates, kept in the options as text. */
#ifndef CAROM_ATOL_H
#define CAROM_ATOL_H

#include "core/core.h"

/* atol.NAME = text */
carom_status carom_atol_set(carom_options *options, const char *name, const char *text, carom_error *error);
/* Does the key of a setting, if it is atol.NAME, name a coordinate? */
carom_status carom_atol_known(const char *key, const carom_model *model, carom_error *error);
/* atol [nq]: of each coordinate. */
carom_status carom_atol_values(const carom_options *options, const carom_model *model, double *atol,
                               carom_error *error);
/* All absolute tolerances times a factor. */
void carom_atol_scale(carom_options *options, double factor);

#endif
