/* model_testing.h: what the tests of models share: models from text, points, evaluations. */
#ifndef CAROM_MODEL_TESTING_H
#define CAROM_MODEL_TESTING_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "testing.h"

enum { /* all quantities */
       BASE = CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW | CAROM_ENERGY |
              CAROM_OUTPUTS | CAROM_STOP,
       DERIVATIVES = CAROM_R_Q | CAROM_R_V | CAROM_R_P | CAROM_U_Q | CAROM_U_P | CAROM_A_Q | CAROM_A_V | CAROM_A_P,
       ALL = BASE | DERIVATIVES
};

static inline carom_model *model_of(const char *text)
{
    carom_model *model = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

static inline carom_probe probe_of(const carom_model *model, unsigned want)
{
    carom_probe probe;
    carom_error error = {0};
    CHECK_OK(carom_probe_new(&probe, model, want, &error), error);
    return probe;
}

static inline double uniform(uint64_t *state) /* in [-1, 1) */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ldexp((double)((z ^ (z >> 31)) >> 11), -52) - 1;
}

/* A random point: coordinates and velocities of the order of 1, parameters as they are. */
static inline void scatter_point(carom_probe *k, uint64_t *state)
{
    k->t = uniform(state) + 1;
    k->s = uniform(state);
    for (int i = 0; i < k->model->nv; i++) {
        k->q[i] = 2 * uniform(state);
        k->v[i] = 3 * uniform(state);
        k->a[i] = uniform(state);
    }
    for (int r = 0; r < carom_model_rows(k->model); r++)
        k->x[r] = uniform(state);
}

static inline void copy_point(carom_probe *to, const carom_probe *from)
{
    size_t n = sizeof(double) * (size_t)from->model->nv, rows = sizeof(double) * (size_t)carom_model_rows(from->model);
    to->t = from->t;
    to->s = from->s;
    memcpy(to->q, from->q, n);
    memcpy(to->v, from->v, n);
    memcpy(to->a, from->a, n);
    memcpy(to->x, from->x, rows);
}

#define CHECK_ARRAY(actual, expected, n, tolerance)                                                    \
    do {                                                                                               \
        double scale_ = 1e-300;                                                                        \
        for (int i_ = 0; i_ < (n); i_++)                                                               \
            scale_ = fmax(scale_, fabs((expected)[i_]));                                               \
        for (int i_ = 0; i_ < (n); i_++)                                                               \
            ck_assert_msg(fabs((actual)[i_] - (expected)[i_]) <= (tolerance) * scale_,                 \
                          "%s[%d] = %.17g, expected %.17g (relative error %.2g)", #actual, i_, (actual)[i_], \
                          (expected)[i_], fabs((actual)[i_] - (expected)[i_]) / scale_);               \
    } while (0)

/* Every output array of carom_eval with its length, in the order of the struct. */
typedef struct output_array {
    unsigned bit;
    const char *name;
    double *const *at;
    int n;
} output_array;
enum { OUTPUT_ARRAYS = 18 };

static inline void output_arrays(const carom_model *m, const carom_eval *e, output_array *out)
{
    int n = m->nv, r = carom_model_rows(m), np = m->np;
    const output_array list[OUTPUT_ARRAYS] = {
        {CAROM_MASS, "M", &e->M, n * n}, {CAROM_FORCE, "F", &e->F, n}, {CAROM_GAP, "g", &e->g, m->njoint + m->ncontact},
        {CAROM_JACOBIAN, "G", &e->G, r * n}, {CAROM_JACOBIAN, "w", &e->w, r}, {CAROM_GAMMA, "gamma", &e->gamma, r},
        {CAROM_LAW, "law", &e->law, carom_model_coefficient(m, m->ncontact)}, {CAROM_ENERGY, "energy", &e->energy, 5},
        {CAROM_OUTPUTS, "outputs", &e->outputs, m->noutput}, {CAROM_STOP, "stop", &e->stop, 1},
        {CAROM_R_Q, "R_q", &e->R_q, n * n}, {CAROM_R_V, "R_v", &e->R_v, n * n}, {CAROM_R_P, "R_p", &e->R_p, n * np},
        {CAROM_U_Q, "U_q", &e->U_q, r * n}, {CAROM_U_P, "U_p", &e->U_p, r * np}, {CAROM_A_Q, "A_q", &e->A_q, r * n},
        {CAROM_A_V, "A_v", &e->A_v, r * n}, {CAROM_A_P, "A_p", &e->A_p, r * np},
    };
    memcpy(out, list, sizeof list);
}

#endif
