/* model_runs.h: runs of built-in models by Moreau-Jean, and what can be asked of them. */
#ifndef CAROM_MODEL_RUNS_H
#define CAROM_MODEL_RUNS_H

#include "carom.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>

typedef struct run {
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *path;
} run;

/* A simulation by Moreau-Jean. h = 0: the model's own; set: "name=value name=value", or NULL. */
static inline run begin(const char *name, double h, const char *set)
{
    run r = {0};
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_model_load(&r.model, name, NULL, &error), error);
    for (char key[32]; set && *set; set += strcspn(set, " "), set += strspn(set, " ")) {
        double value;
        ck_assert_msg(sscanf(set, "%31[^=]=%lf", key, &value) == 2, "cannot read '%s'", set);
        CHECK_OK(carom_model_set(r.model, &(const char *){key}, &value, 1, &error), error);
    }
    CHECK_OK(carom_options_from_model(&options, r.model, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
    options.energy = true;
    if (h > 0)
        options.h = h;
    CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
    CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    return r;
}

static inline run simulate(const char *name, double h, double t_end, const char *set)
{
    run r = begin(name, h, set);
    CHECK_OK(carom_sim_run(r.sim, t_end), *carom_sim_error(r.sim));
    return r;
}

static inline void end(run *r)
{
    carom_trajectory_free(r->path);
    carom_sim_free(r->sim);
    carom_model_free(r->model);
}

static inline int coordinate(const run *r, const char *name)
{
    int i = 0;
    while (i < r->model->nq && strcmp(r->model->q_name[i], name) != 0)
        i++;
    ck_assert_msg(i < r->model->nq, "no coordinate '%s'", name);
    return i;
}

/* A coordinate ("x") or its velocity ("x'") at a time. */
static inline double at(const run *r, const char *name, double t)
{
    double q[16], v[16];
    char word[32];
    size_t length = strcspn(name, "'");
    ck_assert_int_eq(carom_trajectory_at(r->path, t, 1, q, v), CAROM_OK);
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    return (name[length] ? v : q)[coordinate(r, word)];
}

static inline double last(const run *r, const char *name)
{
    return at(r, name, carom_sim_state(r->sim)->t);
}

/* The n-th event of a type after a time, or NULL. */
static inline const carom_event *event(const run *r, carom_event_type type, double after, int n)
{
    const carom_event *e;
    for (size_t i = 0; (e = carom_trajectory_event(r->path, i)); i++) {
        if (e->type == type && e->t > after && n-- == 0)
            return e;
    }
    return NULL;
}

static inline double event_time(const run *r, carom_event_type type, double after, int n)
{
    const carom_event *e = event(r, type, after, n);
    ck_assert_msg(e, "no event '%s' number %d after t = %g", carom_event_name(type), n, after);
    return e->t;
}

#endif
