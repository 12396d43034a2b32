/* dg_plus.c: time-discontinuous Galerkin, family D+: velocities jump at the start of a step. Source: Schindler and
 * Acary (2013), Problem 3.1; degree 0 is Problem 2.2 (implicit Moreau-Jean), 1 is Algorithm 3.3. The method is
 * described in galerkin.c. The stages feel the impulse of the step's end, with the shape s_l: errors after impacts are
 * several times those of dg-minus. It suits systems with strong damping of velocities. */
#include "schemes/galerkin/galerkin.h"

static const carom_field fields[] = {
    {"degree", CAROM_FIELD_INT, 2, 0, CAROM_GALERKIN_DEGREE, NULL, "degree of the velocities in a step"},
    {"alternate", CAROM_FIELD_INT, -1, -1, CAROM_GALERKIN_DEGREE, NULL, "degree in every second step; -1: the same"},
    {"kappa", CAROM_FIELD_DOUBLE, 1, 0, 1e6, NULL, "a bounce that lasts less than kappa steps ends at rest; 0: never"},
    {0},
};

static carom_status step(carom_step *s)
{
    return carom_galerkin_step(s, true);
}

const carom_scheme carom_scheme_dg_plus = {
    .method = {.name = "dg-plus",
               .doc = "time-discontinuous Galerkin, jumps at the start of a step, implicit; orders of dg-minus, for "
                      "strong damping",
               .ref = "Schindler and Acary (2013), Math. Comput. Simulation 95, 180-199",
               .fields = fields},
    .orders = carom_galerkin_orders,
    .requests = carom_galerkin_requests,
    .segments = 1,
    .degree = CAROM_GALERKIN_DEGREE + 1,
    .memory = carom_galerkin_memory,
    .work_bytes = sizeof(carom_galerkin),
    .layout = carom_galerkin_layout,
    .step = step,
};
