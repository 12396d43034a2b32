/* dg_minus.c: time-discontinuous Galerkin, family D-: velocities jump at the end of a step. Source: Schindler and Acary
 * (2013), Problem 3.2; degree 0 is Problem 2.3 (explicit Moreau-Jean), 1 is Algorithm 3.4. The method is described in
 * galerkin.c. The first stage is the start of the step itself and the last feeds no other, so degree 1 is explicit. */
#include "schemes/galerkin/galerkin.h"

static const carom_field fields[] = {
    {"degree", CAROM_FIELD_INT, 2, 0, CAROM_GALERKIN_DEGREE, NULL, "degree of the velocities in a step"},
    {"alternate", CAROM_FIELD_INT, -1, -1, CAROM_GALERKIN_DEGREE, NULL, "degree in every second step; -1: the same"},
    {"kappa", CAROM_FIELD_DOUBLE, 1, 0, 1e6, NULL, "a bounce that lasts less than kappa steps ends at rest; 0: never"},
    {0},
};

static carom_status step(carom_step *s)
{
    return carom_galerkin_step(s, false);
}

const carom_scheme carom_scheme_dg_minus = {
    .method = {.name = "dg-minus",
               .doc = "time-discontinuous Galerkin, jumps at the end of a step; order 2 (degree 1), 4 (2, 3), "
                      "6 (4, 5) ..., 1 through impacts",
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
