/* running.h: simulations that must not fail, and their restart. */
#ifndef CAROM_TEST_RUNNING_H
#define CAROM_TEST_RUNNING_H

#include "carom.h"
#include "testing.h"

#define STEP(sim) ck_assert_msg(carom_sim_step(sim) == CAROM_OK, "%s", carom_sim_error(sim)->text)
#define RUN(sim, t) ck_assert_msg(carom_sim_run(sim, t) == CAROM_OK, "%s", carom_sim_error(sim)->text)

static inline carom_sim *start_scheme(const carom_model *model, const char *scheme, double h, bool energy)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h;
    o.energy = energy;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    return sim;
}

/* What a has become is loaded into b; both go on: the same bits. Frees both. */
static inline void check_same_after_load(carom_sim *a, carom_sim *b, int steps)
{
    size_t size = carom_sim_save(a, NULL, 0);
    void *saved = malloc(size), *end_a = malloc(size), *end_b = malloc(size);
    ck_assert_uint_eq(carom_sim_save(a, saved, size), size);
    ck_assert_int_eq(carom_sim_load(b, saved, size), CAROM_OK);
    for (int k = 0; k < steps; k++) {
        STEP(a);
        STEP(b);
    }
    carom_sim_save(a, end_a, size);
    carom_sim_save(b, end_b, size);
    ck_assert_mem_eq(end_a, end_b, size);
    free(saved), free(end_a), free(end_b);
    carom_sim_free(a), carom_sim_free(b);
}

#endif
