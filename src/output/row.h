/* row.h: what stands where in a row of a trajectory. */
#ifndef CAROM_ROW_H
#define CAROM_ROW_H

#include "output/output.h"

typedef struct carom_row_layout { /* in the order of output.h */
    int n;
    const char **name;     /* [n], all different */
    int t, side, q, v, outputs;
    int *contact;          /* [ncontact] mode; force and impulse of its row r stand at 1 + 2r and 2 + 2r after it */
    int gaps;              /* 1: the gap stands before the mode */
    int joint;             /* force and impulse of joint j at 2j and 2j + 1 after it */
    int energy;            /* -1: none */
} carom_row_layout;

carom_status carom_row_layout_make(carom_row_layout *columns, carom_arena *arena, const carom_model *model, bool gaps,
                                bool energy, carom_error *error);

#endif
