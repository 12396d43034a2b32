/* check.h: what was derived from a model, in words, and whether its derivatives are right. */
#ifndef CAROM_CHECK_H
#define CAROM_CHECK_H

#include <stdio.h>

#include "model/model.h"

/* Writes M, F, gaps, G, w, gamma, laws and energies: as formulas, or as numbers at the start where a model is made of
 * callbacks. Entries that are 0 are left out. */
carom_status carom_model_describe(const carom_model *model, FILE *file, carom_error *error);

typedef struct carom_verdict { /* of one derivative */
    const char *name;          /* "G", "gamma", "R_q", ..., "power": d/dt (kinetic + potential) along the motion */
    const char *meaning;
    double error; /* largest deviation from finite differences, relative to the largest entry */
    bool ok;      /* error <= 1e-5 */
    bool differenced; /* the model does not give it: finite differences stand in for it anyway */
} carom_verdict;
enum { CAROM_VERDICTS = 12 };

/* Compares at the start and at `points` random points around it (of those, the ones where all is finite).
 * Fills verdict [CAROM_VERDICTS], *count of them. */
carom_status carom_model_verify(const carom_model *model, int points, unsigned long seed, carom_verdict *verdict,
                                int *count, carom_error *error);

#endif
