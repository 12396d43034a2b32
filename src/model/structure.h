/* structure.h: where the matrices of a larger model differ from 0. */
#ifndef CAROM_STRUCTURE_H
#define CAROM_STRUCTURE_H

#include "core/core.h"

/* Where a row of a matrix may differ from 0: one or two column blocks, ascending, and where their values stand. */
typedef struct carom_span {
    size_t at[2];
    int first[2], count[2];
} carom_span;

enum { CAROM_STRUCTURED = 24 }; /* coordinates from which on zeros are worth leaving out */

typedef struct carom_structure {
    carom_span *row;    /* [nrow] of G */
    carom_span *mass;   /* [nv] of M */
    int *mass_first;    /* [nv] first column of a row of M: the skyline of its factor */
    size_t *mass_start; /* [nv+1] where the rows of the factor stand */
    int lower, upper;   /* band of M + R_q + R_v in this order: below and above the diagonal */
    int *order, *place; /* [nv] order[k] is the k-th unknown, place[order[k]] = k */
} carom_structure;

/* Values of M (and R_q, R_v), and velocities in the widest block: all of them unless matrices are given by blocks. */
size_t carom_model_square(const carom_model *model);
size_t carom_model_widest(const carom_model *model);
/* A row of one or two blocks (-1: none) whose values begin at `at`; the row of G of a joint. */
carom_span carom_model_block_span(const carom_model *model, const int *block, size_t at);
carom_span carom_model_joint_span(const carom_model *model, int joint, size_t at);

/* NULL: everything is dense. */
const carom_structure *carom_model_structure(const carom_model *model);

#endif
