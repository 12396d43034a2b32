/* fit_testing.h: measured motion that was computed, with normal errors; shared by test_fit.c and bench/fit.c. */
#ifndef CAROM_FIT_TESTING_H
#define CAROM_FIT_TESTING_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carom_analysis.h"

/* A normal number by its index: Box and Muller's of two hashes. */
static inline double normal_number(uint64_t seed, uint64_t index)
{
    double u[2];
    for (uint64_t k = 0; k < 2; k++) {
        uint64_t z = seed * 0x9e3779b97f4a7c15u + (2 * index + k + 1) * 0xd1b54a32d192ed03u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        u[k] = ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
    }
    return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

typedef struct measured_motion {
    double *t, *value; /* [n], [n*nof] */
    size_t n;
} measured_motion;

/* The first nof coordinates of a built-in model with these values, n times up to t_end, with errors of sigma; every
 * missing-th number is not there (0: all are). */
static inline carom_status measure_motion(measured_motion *out, const char *name, const char *const *names,
                                          const double *values, int count, int nof, size_t n, double t_end,
                                          double sigma, uint64_t seed, size_t missing)
{
    carom_model *model = NULL;
    carom_sim *sim = NULL;
    carom_error error = {0};
    carom_options options = carom_options_default();
    *out = (measured_motion){calloc(n, sizeof(double)), calloc(n * (size_t)nof, sizeof(double)), n};
    carom_status status = carom_model_load(&model, name, NULL, &error);
    if (status == CAROM_OK)
        status = carom_model_set(model, names, values, count, &error);
    if (status == CAROM_OK)
        status = carom_options_from_model(&options, model, &error);
    options.rtol = options.atol = 1e-12, options.t_end = t_end;
    if (status == CAROM_OK)
        status = carom_sim_new(&sim, model, &options, &error);
    for (size_t i = 0; i < n && status == CAROM_OK; i++) {
        out->t[i] = t_end * (double)i / (double)(n - 1);
        if (i)
            status = carom_sim_run(sim, out->t[i]);
        for (int j = 0; j < nof; j++) {
            const size_t row = i * (size_t)nof + (size_t)j;
            out->value[row] = carom_sim_state(sim)->q[j] + sigma * normal_number(seed, row);
            if (missing && row % missing == missing - 1)
                out->value[row] = NAN;
        }
    }
    carom_sim_free(sim);
    carom_model_free(model);
    return status;
}

static inline void forget_motion(measured_motion *m)
{
    free(m->t);
    free(m->value);
}

/* A fit of `names` in the built-in model, from its own values unless `from` gives others. */
static inline carom_status fit_motion(carom_fit **fit, const measured_motion *m, const char *name,
                                      const char *const *names, const double *from, int count,
                                      const char *const *of, int nof, bool sequence, int starts, carom_error *error)
{
    carom_model *model = NULL;
    carom_options options = carom_options_default();
    *fit = NULL;
    carom_status status = carom_model_load(&model, name, NULL, error);
    if (status == CAROM_OK && from)
        status = carom_model_set(model, names, from, count, error);
    if (status == CAROM_OK)
        status = carom_options_from_model(&options, model, error);
    options.rtol = options.atol = 1e-11;
    const carom_fit_request request = {.size = sizeof request, .name = names, .n = count, .t = m->t, .of = of,
                                       .value = m->value, .samples = m->n, .nof = nof, .starts = starts,
                                       .sequence = sequence};
    if (status == CAROM_OK)
        status = carom_fit_run(fit, model, &options, &request, error);
    carom_model_free(model);
    return status;
}

#endif
