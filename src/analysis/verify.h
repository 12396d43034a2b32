/* verify.h: how far a run is from a more accurate one of the same model. */
#ifndef CAROM_VERIFY_H
#define CAROM_VERIFY_H

#include "core/core.h"

typedef struct carom_verify {
    double t_end;          /* compared on [0, t_end] */
    double rtol, atol, h;  /* of the second run: hundredths of the tolerances; h/16 for a scheme of fixed step */
    bool fixed;            /* the scheme takes h as it is */
    bool by_tolerance;     /* the scheme promises its tolerance */
    double *error;         /* [nq] largest difference of the positions */
    double *allowed;       /* [nq] atol + rtol max|q|; for a scheme that promises it */
    /* after each step of the second run, which ends when it is false; NULL: it goes on */
    bool (*go_on)(void *user, double t);
    void *user;
} carom_verify;

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
/* The same with a first run of its own. Both runs must reach t_end, or the stop condition of the model. */
carom_status carom_verify_run(carom_verify *verify, const carom_model *model, const carom_options *options,
                              carom_error *error);

#endif
