/* bifurcation_testing.h: models and diagrams that the tests of bifurcation diagrams share. */
#ifndef CAROM_BIFURCATION_TESTING_H
#define CAROM_BIFURCATION_TESTING_H

#include <string.h>

#include "analysis/bifurcation/bifurcation.h"
#include "testing.h"

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    return m;
}

static carom_model *load(const char *name, double alpha, double e, double umin)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_load(&m, name, NULL, &error), error);
    CHECK_OK(carom_model_set(m, (const char *const[]){"alpha", "e", "umin"}, (const double[]){alpha, e, umin}, 3,
                             &error),
             error);
    return m;
}

static carom_options tight(void)
{
    carom_options options = carom_options_default();
    options.rtol = options.atol = 1e-10;
    return options;
}

static carom_bifurcation *run(carom_model *m, carom_bifurcation_request request)
{
    const carom_options options = tight();
    carom_bifurcation *b = NULL;
    carom_error error = {0};
    CHECK_OK(carom_bifurcation_run(&b, m, &options, &request, &error), error);
    ck_assert_msg(b->failed == 0, "%s", b->failure);
    return b;
}

#endif
