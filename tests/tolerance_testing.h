/* tolerance_testing.h: runs of `tolerance` with a given rtol = atol, and their largest error of position at the
 * nodes. */
#ifndef CAROM_TOLERANCE_TESTING_H
#define CAROM_TOLERANCE_TESTING_H

#include <string.h>

#include "carom.h"
#include "testing.h"

enum { MOST_Q = 16 };

static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};
enum { TOLERANCES = 5 };

typedef struct run {
    carom_model *loaded; /* or NULL */
    const carom_model *model;
    carom_sim *sim;
    carom_trajectory *path;
    double tol;
} run;

static inline run begin(const carom_model *model, const char *scheme, double tol, double h, double t_end)
{
    run r = {.model = model, .tol = tol};
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_from_model(&o, model, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.rtol = o.atol = tol;
    o.t_end = t_end;
    o.energy = true;
    o.newton_tol = 1e-13;
    if (h > 0)
        o.h = h;
    CHECK_OK(carom_sim_new(&r.sim, model, &o, &error), error);
    CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    return r;
}

/* "name=value name=value" */
static inline carom_model *load(const char *name, const char *set)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_load(&model, name, NULL, &error), error);
    for (char key[32]; set && *set; set += strcspn(set, " "), set += strspn(set, " ")) {
        double value;
        ck_assert_msg(sscanf(set, "%31[^=]=%lf", key, &value) == 2, "cannot read '%s'", set);
        CHECK_OK(carom_model_set(model, &(const char *){key}, &value, 1, &error), error);
    }
    return model;
}

static inline run simulate(const char *name, const char *set, const char *scheme, double tol, double h, double t_end)
{
    carom_model *model = load(name, set);
    run r = begin(model, scheme, tol, h, t_end);
    r.loaded = model;
    ck_assert_msg(carom_sim_run(r.sim, t_end) == CAROM_OK, "%s %s, tol %g: %s", name, set, tol,
                  carom_sim_error(r.sim)->text);
    return r;
}

static inline run by_tolerance(const char *name, const char *set, double tol, double t_end)
{
    return simulate(name, set, "tolerance", tol, 0, t_end);
}

static inline void end(run *r)
{
    carom_trajectory_free(r->path);
    carom_sim_free(r->sim);
    carom_model_free(r->loaded);
}

static inline const carom_event *event(const run *r, carom_event_type type, int n)
{
    const carom_event *e;
    for (size_t i = 0; (e = carom_trajectory_event(r->path, i)); i++)
        if (e->type == type && n-- == 0)
            return e;
    ck_assert_msg(false, "%s, tol %g: no such event '%s'", r->model->name, r->tol, carom_event_name(type));
    return NULL;
}

/* Positions at a time: of a formula, of another run. */
typedef void positions(const void *user, double t, double *q);

static inline void of_run(const void *user, double t, double *q)
{
    double v[MOST_Q];
    ck_assert_int_eq(carom_trajectory_at(((const run *)user)->path, t, 1, q, v), CAROM_OK);
}

/* The largest error of any of the first n positions, at the ends of all steps. */
static inline double error_of(const run *r, int n, positions *exact, const void *user)
{
    const carom_segment *s;
    double most = 0, q[MOST_Q], v[MOST_Q], x[MOST_Q] = {0};
    for (size_t i = 0; (s = carom_trajectory_segment(r->path, i)); i++) {
        ck_assert_int_eq(carom_trajectory_at(r->path, s->t1, 1, q, v), CAROM_OK);
        exact(user, s->t1, x);
        for (int k = 0; k < n; k++)
            most = fmax(most, fabs(q[k] - x[k]));
    }
    return most;
}

static inline carom_model *parse_text(const char *text)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

static inline run run_whole(const carom_model *model, const char *scheme, double tol, double h, double t_end)
{
    run r = begin(model, scheme, tol, h, t_end);
    carom_status status = carom_sim_run(r.sim, t_end);
    ck_assert_msg(status == CAROM_OK, "%s: %s", scheme, carom_sim_error(r.sim)->text);
    return r;
}

#endif
