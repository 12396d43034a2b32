/* courses.h: a model on its way: its simulation and the trajectory, and values of expressions along it. */
#ifndef CAROM_TEST_COURSES_H
#define CAROM_TEST_COURSES_H

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
