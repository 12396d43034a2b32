/* control_testing.h: runs of moreau-jean with chosen steps. */
#ifndef CAROM_TEST_CONTROL_H
#define CAROM_TEST_CONTROL_H

#include <stdio.h>
#include <string.h>

#include "reference.h"
#include "running.h"
#include "systems.h"
#include "testing.h"

static const char *const controls[] = {"halving", "coordinates", "variable-order", "indicator"};
enum { CONTROLS = 4 };

static inline carom_sim *start(const carom_model *model, const char *control, const char *fields, double h, double tol)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    char text[128];
    snprintf(text, sizeof text, "moreau-jean:control=%s%s", control, fields);
    CHECK_OK(carom_options_set(&o, "scheme", text, &error), error);
    o.t_end = 5, o.h = h, o.rtol = 0, o.atol = tol, o.energy = true;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    return sim;
}

static inline void two_models(point_store store[2], carom_model model[2])
{
    model[0] = point_model(&store[0], 1, -2, 0, 0, 0.5, 1, 0);
    model[1] = point_model(&store[1], 1, 0, 10, 0.2, 0.5, 1, 0);
}

#endif
