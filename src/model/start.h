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

/* ---- the nearest state that the joints and contacts allow, see assemble.c ---- */
typedef struct carom_assembly {
    carom_probe probe; /* the state that is moved */
    bool by_mass;      /* nearest in the metric of M; else by coordinates */
    double rank;       /* pivots below this part of the largest count as redundant */
    double *A, *b, *z, *room, *trial, *L; /* [most*nv] [most] [nv] [most+3 nv] [nq+nv] [nv*nv], most: of rows */
    int *order;                           /* [nv] */
    int *row, *gap;                       /* [rows] of the equations: in G and in g */
    int rows;
    bool *met; /* [ncontact] contacts that count */
    int worst; /* the gap that is farthest off, -1: none */
    char name[32];
} carom_assembly;
/* `more`: what the probe evaluates beside gaps and their rows; with CAROM_MASS in it, the metric is that of M. */
carom_status carom_assembly_new(carom_assembly *assembly, const carom_model *model, unsigned more, carom_error *error);
void carom_assembly_free(carom_assembly *assembly);
bool carom_assembly_solve(carom_assembly *assembly); /* z: the least with G z = b in the first `rows` rows listed */
carom_status carom_assembly_positions(carom_assembly *assembly, carom_error *error);
carom_status carom_assembly_velocities(carom_assembly *assembly, carom_error *error); /* after the positions */

/* Gauss-Newton in the metric of M: moves q and v (in place) onto the joints; *moved: largest change of q;
 * *worst: the gap that is farthest off where it fails, -1: none. */
carom_status carom_model_assemble(const carom_model *model, double *q, double *v, double *moved, int *worst,
                                  carom_error *error);

#endif
