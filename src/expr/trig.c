/* trig.c: sine and cosine of eight lanes, compiled for each kind of processor; without contraction the bits are the
 * same. */
#include "core/clones.h"
#include "expr/op_trig.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* no wide value crosses a function that is not inlined */

CAROM_CLONES void carom_trig_wide(const double *x, double *sine, double *cosine)
{
    carom_wide8 s, c;
    carom_wide_sincos((const carom_wide8 *)x, &s, &c);
    *(carom_wide8 *)sine = s;
    *(carom_wide8 *)cosine = c;
}
