/* many_joints_testing.h: bodies between which there is a joint of each kind, by rows of two bodies and by formulas. */
#ifndef CAROM_TEST_MANY_JOINTS_H
#define CAROM_TEST_MANY_JOINTS_H

#include <stdio.h>
#include <string.h>

#include "bodies/bodies.h"
#include "carom.h"
#include "core/core.h"
#include "model/model.h"
#include "testing.h"


static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli"};
enum { SCHEMES = 3, KINDS = 5, SETS = 5, TEXT = 4000 };

/* `formulas`: with a potential, which only formulas know; more: what else is said of one joint. */
static inline carom_model *model_with(const char *format, const char *more, bool formulas)
{
    char text[TEXT];
    carom_model *m;
    carom_error error = {0};
    int n = snprintf(text, sizeof text, format, more);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", formulas ? "potential: 0\n" : "");
    ck_assert_int_lt(n, TEXT);
    CHECK_OK(carom_model_parse(&m, "joints", text, (size_t)n, NULL, &error), error);
    ck_assert_int_eq(m->nblock > 0, !formulas);
    return m;
}

static inline carom_model *model_of(const char *format, bool formulas)
{
    return model_with(format, "", formulas);
}

static inline carom_sim *run_to(const carom_model *m, const char *scheme, double h, double t_end)
{
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    return sim;
}

/* The largest difference between the same bodies by rows and by formulas, velocities against the largest of them. */
static inline double apart_with(const char *format, const char *more, const char *scheme, double h, double t_end,
                         int *impacts)
{
    double x[2][200], most = 0, fast = 1;
    for (int k = 0; k < 2; k++) {
        carom_model *m = model_with(format, more, k);
        carom_sim *sim = run_to(m, scheme, h, t_end);
        const carom_state *s = carom_sim_state(sim);
        ck_assert_int_le(m->nq + m->nv, 200);
        memcpy(x[k], s->q, sizeof(double) * (size_t)m->nq);
        memcpy(x[k] + m->nq, s->v, sizeof(double) * (size_t)m->nv);
        ck_assert_int_eq(carom_sim_info(sim)->rejected, 0);
        *impacts = (int)carom_sim_info(sim)->events[CAROM_EVENT_IMPACT];
        for (int i = m->nq; i < m->nq + m->nv; i++)
            fast = fmax(fast, fabs(x[k][i]));
        for (int i = 0; k && i < m->nq + m->nv; i++)
            most = fmax(most, fabs(x[1][i] - x[0][i]) / (i < m->nq ? 1 : fast));
        carom_sim_free(sim);
        carom_model_free(m);
    }
    return most;
}

static inline double apart(const char *format, const char *scheme, double h, double t_end, int *impacts)
{
    return apart_with(format, "", scheme, h, t_end, impacts);
}

#define PLANAR(shape, laws)                                                                                         \
    "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\nlaws: {" laws "}\nbodies:\n"                     \
    "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -0.4]}\n"                                                \
    "  a: {shape: {" shape "}, mass: 1, at: [0.1, 0]}\n"                                                             \
    "  b: {shape: {" shape "}, mass: 2, at: [0.9, 0.05], turn: 0.2}\n"                                               \
    "  c: {shape: {" shape "}, mass: 0.5, at: [1.7, 0]}\njoints:\n  p: {hinge: [ground, a], at: [-0.1, 0]}\n"        \
    "  k: {hinge: [b, c], at: [1.3, 0.1]}\n  j: {"
#define SPATIAL(shape, laws)                                                                                        \
    "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\nlaws: {" laws "}\nbodies:\n"                 \
    "  floor: {fixed: true, shape: {plane: [0, 0, 1]}, at: [0, 0, -0.4]}\n"                                          \
    "  a: {shape: {" shape "}, mass: 1, at: [0.1, 0, 0]}\n"                                                          \
    "  b: {shape: {" shape "}, mass: 2, at: [0.9, 0.05, 0], turn: {x: 0.1, y: 0.2, z: 0.3}}\n"                       \
    "  c: {shape: {" shape "}, mass: 0.5, at: [1.7, 0, 0]}\njoints:\n  p: {ball: [ground, a], at: [-0.1, 0, 0]}\n"   \
    "  k: {ball: [b, c], at: [1.3, 0.1, 0]}\n  j: {"
#define FREE "default: none"
#define TOUCHING "default: {friction: 0.1, restitution: 0.2}"
#define OF_PLANAR(shape, laws)                                                                                      \
    {PLANAR(shape, laws) "hinge: [a, b], at: [0.5, 0]%s}\n",                                                         \
     PLANAR(shape, laws) "slider: [a, b], at: [0.5, 0], axis: [1, 0.3]%s}\n",                                        \
     PLANAR(shape, laws) "ball: [a, b], at: [0.5, 0]%s}\n", PLANAR(shape, laws) "weld: [a, b], at: [0.5, 0]%s}\n",   \
     PLANAR(shape, laws) "distance: [a, b], points: [[0.2, 0.1], [0.8, 0.1]]%s}\n"}
#define OF_SPATIAL(shape, laws)                                                                                     \
    {SPATIAL(shape, laws) "hinge: [a, b], at: [0.5, 0, 0], axis: [0.2, 1, 0.1]%s}\n",                                \
     SPATIAL(shape, laws) "slider: [a, b], at: [0.5, 0, 0], axis: [1, 0.3, 0.2]%s}\n",                               \
     SPATIAL(shape, laws) "ball: [a, b], at: [0.5, 0, 0]%s}\n",                                                      \
     SPATIAL(shape, laws) "weld: [a, b], at: [0.5, 0, 0]%s}\n",                                                      \
     SPATIAL(shape, laws) "distance: [a, b], points: [[0.2, 0.1, 0.1], [0.8, 0.1, 0]]%s}\n"}

static const char *const of_kinds[SETS][KINDS] = {
    OF_PLANAR("box: [0.3, 0.1]", FREE), OF_PLANAR("box: [0.3, 0.1]", TOUCHING),
    OF_SPATIAL("box: [0.3, 0.1, 0.2]", FREE), OF_SPATIAL("sphere: 0.15", TOUCHING),
    OF_SPATIAL("box: [0.3, 0.1, 0.2]", TOUCHING)};

static inline carom_model *chain(const char *format, int links)
{
    char text[TEXT];
    carom_model *m;
    carom_error error = {0};
    int n = snprintf(text, sizeof text, format, links);
    CHECK_OK(carom_model_parse(&m, "chain", text, (size_t)n, NULL, &error), error);
    ck_assert_int_gt(m->nblock, 0);
    return m;
}

#endif
