/* forcing.h: how forces and gaps of a model file depend on time, where that is a polynomial and sines and cosines. */
#ifndef CAROM_FORCING_H
#define CAROM_FORCING_H

#include "core/core.h"

enum { CAROM_TIME_DEGREE = 6, CAROM_TIME_HARMONICS = 8 };

typedef struct carom_time { /* sum power[k] t^k + sum (cosine[j] cos(omega[j] t) + sine[j] sin(omega[j] t)) */
    int degree, nharmonic;
    double power[CAROM_TIME_DEGREE + 1];
    double omega[CAROM_TIME_HARMONICS], cosine[CAROM_TIME_HARMONICS], sine[CAROM_TIME_HARMONICS]; /* omega > 0 */
} carom_time;

/* Are there expressions to read? Models of native code have none. */
bool carom_model_symbolic(const carom_model *model);
/* Force i (which = CAROM_FORCE) or gap i (CAROM_GAP; joints first) at q = v = 0 as a function of time, for
 * parameters p. CAROM_UNSUPPORTED if it is not of that form. Allocates while it works; thread-safe. */
carom_status carom_model_time(const carom_model *model, unsigned which, int i, const double *p, carom_time *f,
                              carom_error *error);

#endif
