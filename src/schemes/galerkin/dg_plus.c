/* dg_plus.c: time-discontinuous Galerkin, family D+: velocities jump at the start of a step. Source: Schindler and
 * Acary (2013), Problem 3.1; degree 0 is Problem 2.2 (implicit Moreau-Jean), 1 is Algorithm 3.3. The stages feel the
 * impulse of the step's end, with the shape s_l: errors after impacts are several times those of dg-minus, and in the
 * step of an impact the velocities of the dense output follow that shape, before the jump that is told at its end. It
 * suits systems with strong damping of velocities. Both families are described in galerkin.c. */
#include "schemes/galerkin/galerkin.h"

static carom_status step(carom_step *s)
{
    return carom_galerkin_step(s, true);
}

const carom_scheme carom_scheme_dg_plus = {
    .method = {.name = "dg-plus",
               .doc = "time-discontinuous Galerkin, jumps at the start of a step, implicit; orders of dg-minus, for "
                      "strong damping",
               .ref = "Schindler and Acary (2013), Math. Comput. Simulation 95, 180-199",
               .fields = carom_galerkin_fields},
    CAROM_GALERKIN_SCHEME,
    .step = step,
};
