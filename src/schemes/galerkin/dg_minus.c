/* dg_minus.c: time-discontinuous Galerkin, family D-: velocities jump at the end of a step. Source: Schindler and Acary
 * (2013), Problem 3.2; degree 0 is Problem 2.3 (explicit Moreau-Jean), 1 is Algorithm 3.4. The first stage is the
 * start of the step itself and the last feeds no other, so degree 1 is explicit. Both are described in galerkin.c. */
#include "schemes/galerkin/galerkin.h"

static carom_status step(carom_step *s)
{
    return carom_galerkin_step(s, false);
}

const carom_scheme carom_scheme_dg_minus = {
    .method = {.name = "dg-minus",
               .doc = "time-discontinuous Galerkin, jumps at the end of a step; order 2 (degree 1), 4 (2, 3), "
                      "6 (4, 5) ..., 1 through impacts",
               .ref = "Schindler and Acary (2013), Math. Comput. Simulation 95, 180-199",
               .fields = carom_galerkin_fields},
    CAROM_GALERKIN_SCHEME,
    .step = step,
};
