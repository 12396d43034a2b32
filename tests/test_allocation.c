/* test_allocation.c: nothing is allocated while stepping, whatever the scheme, recorded in CSV or not. */
#include <stdio.h>
#include <string.h>

#include "carom_analysis.h"
#include "systems.h"
#include "testing.h"

#if defined(__SANITIZE_ADDRESS__)
#define COUNTING 0 /* the sanitizer owns malloc; the plain build counts */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTING 0
#endif
#endif
#ifndef COUNTING
#define COUNTING 1
#endif

static long allocations;

#if COUNTING
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}
#endif

static void count_steps(const carom_model *model, const char *scheme, double h, int steps)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h;
    o.energy = true;
    carom_status made = carom_sim_new(&sim, model, &o, &error);
    if (made == CAROM_UNSUPPORTED)
        return; /* not a model for this scheme */
    CHECK_OK(made, error);
    long before = allocations;
    carom_status status = CAROM_OK;
    for (int i = 0; i < steps && status == CAROM_OK; i++)
        status = carom_sim_step(sim);
    long during = allocations - before; /* the assertions allocate, so they come after */
    ck_assert_msg(status == CAROM_OK, "%s: %s", scheme, carom_sim_error(sim)->text);
    ck_assert_msg(during == 0, "%s on %s: %ld allocations in %d steps", scheme, model->name, during, steps);
    carom_sim_free(sim);
}

START_TEST(no_scheme_allocates_while_stepping)
{
    point_store point;
    box_store corners;
    cartesian_store rod;
    const carom_model models[] = {point_model(&point, 1, -10, 0, 0, 0.9, 0.5, 0), double_pendulum(),
                                  box_model(&corners, 0.4, 0.3), cartesian_pendulum(&rod)};
    for (int i = 0; carom_scheme_method(i); i++)
        for (int k = 0; k < 4; k++)
            count_steps(&models[k], carom_scheme_method(i)->name, 0.001, 1500);
    static const char *const controls[] = {"halving", "coordinates", "variable-order", "indicator"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            char scheme[64];
            snprintf(scheme, sizeof scheme, "moreau-jean:control=%s", controls[i]);
            count_steps(&models[k], scheme, 0.001, 1500);
        }
}
END_TEST

static void count_tangent(const carom_model *model, int steps)
{
    enum { MOST = 40 };
    carom_error error;
    carom_sim *sim;
    carom_tangent *tangent;
    carom_options o = carom_options_default();
    static double X[MOST * MOST], dp[MOST * MOST];
    int nx = model->nq + model->nv, n = nx + model->np;
    if (n > MOST)
        return;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    CHECK_OK(carom_tangent_new(&tangent, sim, n, &error), error);
    memset(X, 0, sizeof X), memset(dp, 0, sizeof dp);
    for (int j = 0; j < n; j++)
        *(j < nx ? &X[j * n + j] : &dp[(j - nx) * n + j]) = 1;
    CHECK_OK(carom_tangent_start(tangent, X, model->np ? dp : NULL), *carom_tangent_error(tangent));
    long before = allocations;
    carom_status status = CAROM_OK;
    for (int i = 0; i < steps && status == CAROM_OK; i++)
        status = carom_sim_step(sim);
    long during = allocations - before;
    /* Painleve */
    ck_assert_msg(status == CAROM_OK || status == CAROM_NO_SOLUTION, "%s: %s", model->name, carom_sim_error(sim)->text);
    ck_assert_msg(carom_tangent_error(tangent)->status == CAROM_OK, "%s: %s", model->name,
                  carom_tangent_error(tangent)->text);
    ck_assert_msg(during == 0, "a tangent of %s: %ld allocations in %d steps", model->name, during, steps);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
}

START_TEST(a_tangent_does_not_allocate_while_it_follows)
{
    point_store point;
    box_store corners;
    cartesian_store rod;
    const carom_model models[] = {point_model(&point, 1, -10, 0, 0, 0.9, 0.5, 0), double_pendulum(),
                                  box_model(&corners, 0.4, 0.3), cartesian_pendulum(&rod)};
    for (int k = 0; k < 4; k++)
        count_tangent(&models[k], 500);
}
END_TEST

START_TEST(the_counter_counts)
{
#if COUNTING
    long before = allocations;
    void *volatile memory = malloc(10);
    free(memory);
    ck_assert_int_eq(allocations - before, 1);
#endif
}
END_TEST

#ifndef CAROM_NO_YAML
START_TEST(text_models_do_not_allocate_either)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_model *model;
        carom_error error;
        CHECK_OK(carom_model_load(&model, carom_builtin_name(i), NULL, &error), error);
        count_steps(model, "moreau-jean", 1e-4, 200);
        count_steps(model, "exact", 0.01, 200);
        count_tangent(model, 200);
        carom_model_free(model);
    }
}
END_TEST
#define TEXT_TESTS , text_models_do_not_allocate_either
#else
#define TEXT_TESTS
#endif

TEST_MAIN("allocation", the_counter_counts, no_scheme_allocates_while_stepping,
          a_tangent_does_not_allocate_while_it_follows TEXT_TESTS)
