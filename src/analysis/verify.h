/* verify.h: how far a run is from a more accurate one of the same model. */
#ifndef CAROM_VERIFY_H
#define CAROM_VERIFY_H

#include "core/core.h"

typedef struct carom_verify {
    double t_end;          /* compared on [0, t_end] */
    double rtol, atol, h;  /* of the second run: hundredths of the tolerances; h/16 for a scheme of fixed step */
    bool by_tolerance;     /* the scheme chooses its step */
    double *error;         /* [nq] largest difference of the positions */
    double *allowed;       /* [nq] atol + rtol max|q|; with a fixed step there is none */
} carom_verify;

/* Runs the model twice, with these options and with more accurate ones, and compares at 2000 equal times. error and allowed are
 * the caller's. Both runs must reach t_end. */
carom_status carom_verify_run(carom_verify *verify, const carom_model *model, const carom_options *options, carom_error *error);

#endif
