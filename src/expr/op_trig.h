/* op_trig.h: the functions of trig.h as code. */
#ifndef CAROM_EXPR_OP_TRIG_H
#define CAROM_EXPR_OP_TRIG_H

#include <math.h>

#include "expr/trig.h"

CAROM_TRIG_TYPES(CAROM_AS_CODE)
CAROM_TRIG_ONE(CAROM_AS_CODE)
CAROM_TRIG_EIGHT(CAROM_AS_CODE)
CAROM_TRIG_FUNCTIONS(CAROM_AS_CODE)

void carom_trig_wide(const double *x, double *sine, double *cosine); /* [8]; sine and cosine may be x */

#endif
