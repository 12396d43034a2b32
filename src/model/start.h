/* start.h: the checks of a model at its start, and what is wrong there in a form a file's loader can place. */
#ifndef CAROM_START_H
#define CAROM_START_H

#include "model/model.h"

typedef enum carom_fault_kind {
    CAROM_FAULT_NONE,
    CAROM_FAULT_P,
    CAROM_FAULT_Q,
    CAROM_FAULT_V,
    CAROM_FAULT_MASS,
    CAROM_FAULT_FORCE,
    CAROM_FAULT_JOINT,
    CAROM_FAULT_GAP,
    CAROM_FAULT_SLIP,
    CAROM_FAULT_LAW,
    CAROM_FAULT_ENERGY,
    CAROM_FAULT_OUTPUT,
    CAROM_FAULT_STOP
} carom_fault_kind;

typedef struct carom_fault {
    carom_fault_kind kind;
    int index;       /* of the parameter, coordinate, entry of M, joint, contact or output */
    int coefficient; /* of the law of a contact */
    carom_status status;
    char words[400]; /* one sentence */
} carom_fault;

/* Evaluates everything at the model's start and stops at the first thing that is wrong (fault->kind). */
carom_status carom_model_start(const carom_model *model, carom_fault *fault, carom_error *error);

/* Gauss-Newton in the metric of M: moves q and v (in place) onto the joints; *moved: largest change of q. */
carom_status carom_model_assemble(const carom_model *model, double *q, double *v, double *moved, carom_error *error);

#endif
