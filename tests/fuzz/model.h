/* model.h: any text as a model file; what is a model is stepped a little. Drives and steps are few: a hostile model may
 * well take long. */
#ifndef CAROM_FUZZ_MODEL_H
#define CAROM_FUZZ_MODEL_H

#include "carom.h"
#include "fuzz.h"

static void fuzz_model(const char *text, size_t n)
{
    carom_model *model;
    carom_error error;
    carom_load_options load = {.size = sizeof load};
    if (n > 4100 || carom_model_parse(&model, "fuzz", text, n, &load, &error) != CAROM_OK)
        return;
    carom_options options = carom_options_default();
    carom_sim *sim;
    if (model->nv <= 12 && model->ncontact <= 12 && carom_options_from_model(&options, model, &error) == CAROM_OK &&
        carom_sim_new(&sim, model, &options, &error) == CAROM_OK) {
        for (int k = 0; k < 10 && carom_sim_step(sim) == CAROM_OK; k++)
            continue;
        carom_sim_info(sim);
        carom_sim_free(sim);
    }
    carom_model_free(model);
}

#endif
