/* courses.h: a model on its way: its simulation and the trajectory, and values of expressions along it. */
#ifndef CAROM_TEST_COURSES_H
#define CAROM_TEST_COURSES_H

#include <string.h>

#include "carom.h"
#include "model/model.h"
#include "testing.h"

typedef struct course {
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *path;
} course;

static inline void finish(course *r)
{
    carom_trajectory_free(r->path);
    carom_sim_free(r->sim);
    carom_model_free(r->model);
}

/* A model of text, run to t_end by a scheme. */
static inline course run_by(const char *text, const char *scheme, double h, double tol, double t_end)
{
    course r = {0};
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_model_parse(&r.model, "text", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_from_model(&options, r.model, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h, options.rtol = options.atol = tol;
    CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
    CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    CHECK_OK(carom_sim_run(r.sim, t_end), *carom_sim_error(r.sim));
    return r;
}

static inline double value(const course *r, double t, const char *text)
{
    carom_error error = {0};
    double q[256], v[256];
    int e;
    ck_assert_int_le(r->model->nq, 256);
    CHECK_OK(carom_model_expression_text(r->model, text, &e, &error), error);
    CHECK_OK(carom_trajectory_at(r->path, t, -1, q, v), error);
    return carom_model_value(r->model, e, t, q, v, r->model->p);
}

#endif
