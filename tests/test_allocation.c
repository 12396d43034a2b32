/* test_allocation.c: nothing is allocated while stepping, whatever the scheme, recorded in CSV or not, and however many
 * contacts there are, once the simulation has the memory that their problems need. */
#include <stdio.h>
#include <string.h>

#include "carom_analysis.h"
#include "scenes.h"
#include "solvers/solver.h"
#include "systems.h"
#include "testing.h"

#define COUNTING !SANITIZED /* the sanitizer owns malloc; the plain build counts */
enum { STEPS = SANITIZED ? 150 : 1500, FEWER = SANITIZED ? 30 : 200 };

static volatile long allocations; /* a compiler knows that malloc changes no variable of the program */

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
            count_steps(&models[k], carom_scheme_method(i)->name, 0.001, STEPS);
    static const char *const controls[] = {"halving", "coordinates", "variable-order", "indicator"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            char scheme[64];
            snprintf(scheme, sizeof scheme, "moreau-jean:control=%s", controls[i]);
            count_steps(&models[k], scheme, 0.001, STEPS);
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

/* ---- solvers that take memory as they go ---- */

enum { ROWS = 210 };
typedef struct chain {
    carom_problem problem;
    carom_block block[ROWS];
    double W[ROWS * ROWS], b[ROWS], u[ROWS];
    carom_solve solve;
    carom_error error;
} chain;

/* Joints and contacts without friction in a chain; loose: only the contacts hold the joints. */
static void make_chain(chain *t, bool loose)
{
    memset(t, 0, sizeof *t);
    t->problem = (carom_problem){.n = ROWS, .nblock = ROWS, .block = t->block, .W.dense = t->W, .b = t->b};
    for (int i = 0; i < ROWS; i++) {
        bool joint = i % 3 == 0;
        t->block[i] = (carom_block){.law = joint ? &carom_law_bilateral : &carom_law_unilateral, .row = i};
        t->b[i] = i % 2 ? -1 : 0.5;
        t->W[i * ROWS + i] = joint && loose ? 0 : 2;
        if (i + 1 < ROWS)
            t->W[i * ROWS + i + 1] = t->W[(i + 1) * ROWS + i] = -0.7;
    }
}

static carom_status solve_chain(chain *t, const carom_solver *solver, carom_arena *arena, double *x)
{
    memset(x, 0, sizeof *x * ROWS);
    t->solve = (carom_solve){.tol = 1e-8, .x = x, .u = t->u, .arena = arena};
    return carom_problem_solve(&t->problem, solver, &t->solve, &t->error);
}

/* A frozen arena grows between calls until it is large enough; the next call allocates nothing, and the answer is that
 * of an arena that grows as it likes. */
static void check_frozen(chain *t, const carom_solver *solver, const double *free_x)
{
    static double x[ROWS];
    int calls = 0;
    carom_arena *arena = carom_arena_new(0);
    carom_status status = CAROM_NO_MEMORY;
    long during = 0;
    for (int again = 0; again < 2 && calls < 200; again += status == CAROM_OK, calls++) {
        long before = allocations;
        carom_arena_freeze(arena, true);
        status = solve_chain(t, solver, arena, x);
        during = allocations - before;
        size_t missing = carom_arena_missing(arena);
        carom_arena_freeze(arena, false);
        ck_assert_msg(status == (missing ? CAROM_NO_MEMORY : CAROM_OK), "%s: %s", solver->method.name, t->error.text);
        ck_assert_msg(during == 0, "%s: %ld allocations", solver->method.name, during);
        ck_assert(!missing || carom_arena_reserve(arena, missing));
    }
    ck_assert_msg(status == CAROM_OK, "%s: %s", solver->method.name, t->error.text);
    ck_assert_int_gt(calls, 2);
    ck_assert_mem_eq(x, free_x, sizeof x);
    carom_arena_free(arena);
}

START_TEST(solvers_do_with_a_frozen_arena)
{
    static chain t;
    static double x[ROWS];
    for (int i = 0; carom_solver_list(i); i++) {
        const carom_solver *solver = carom_solver_list(i);
        int solved = 0, taken = 0;
        for (int loose = 0; loose < 2; loose++) {
            make_chain(&t, loose);
            if (!solver->whole || !solver->takes(&t.problem))
                continue;
            taken++;
            carom_arena *arena = carom_arena_new(0);
            carom_status status = solve_chain(&t, solver, arena, x);
            carom_arena_free(arena);
            solved += status == CAROM_OK;
            if (status == CAROM_OK)
                check_frozen(&t, solver, x);
        }
        ck_assert_msg(solved || !taken, "%s solves neither chain", solver->method.name);
    }
}
END_TEST

#ifndef CAROM_NO_YAML
START_TEST(text_models_do_not_allocate_either)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_model *model;
        carom_error error;
        CHECK_OK(carom_model_load(&model, carom_builtin_name(i), NULL, &error), error);
        count_steps(model, "moreau-jean", 1e-4, FEWER);
        count_steps(model, "exact", 0.01, FEWER);
        count_tangent(model, FEWER);
        carom_model_free(model);
    }
}
END_TEST

/* Steps from the start, then the same steps again: these find the memory that the first have left, and give the same
 * bits though the first had to be repeated while it grew. */
static void count_scene(carom_model *model, const char *what, const char *solver, double h, int steps)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", "moreau-jean", &error), error);
    if (solver)
        CHECK_OK(carom_options_set(&o, "solver", solver, &error), error);
    o.h = h;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    double *q = malloc(sizeof *q * (size_t)(2 * model->nq));
    carom_info info[2];
    long during = 0;
    for (int pass = 0; pass < 2; pass++) {
        CHECK_OK(carom_sim_restart(sim, NULL, NULL, NULL), *carom_sim_error(sim));
        carom_status status = CAROM_OK;
        long before = allocations;
        for (int i = 0; i < steps && status == CAROM_OK; i++)
            status = carom_sim_step(sim);
        during = allocations - before;
        ck_assert_msg(status == CAROM_OK, "%s: %s", what, carom_sim_error(sim)->text);
        memcpy(q + pass * model->nq, carom_sim_state(sim)->q, sizeof *q * (size_t)model->nq);
        info[pass] = *carom_sim_info(sim);
    }
    ck_assert_int_ge(carom_sim_state(sim)->ncontact, 60);
    ck_assert_msg(during == 0, "%s: %ld allocations in %d steps", what, during, steps);
    ck_assert_mem_eq(q, q + model->nq, sizeof *q * (size_t)model->nq);
    ck_assert_int_eq(info[0].rhs_evaluations, info[1].rhs_evaluations);
    ck_assert_int_eq(info[0].contact_problems, info[1].contact_problems);
    ck_assert_int_eq(info[0].solver_iterations, info[1].solver_iterations);
    free(q);
    carom_sim_free(sim);
}

static carom_model *parse(void (*write)(FILE *out))
{
    char *text = NULL;
    size_t length = 0;
    carom_error error;
    carom_model *model;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    write(out);
    ck_assert_int_eq(fclose(out), 0);
    CHECK_OK(carom_model_parse(&model, "scene", text, length, NULL, &error), error);
    free(text);
    return model;
}

static void write_stack(FILE *out) { scene_stack(out, 40, 0.001, 1e-3, 1); }  /* all act on each other */
static void write_boxes(FILE *out) { scene_boxes(out, 30, 1); }               /* groups */
static void write_spheres(FILE *out)                                          /* found step by step */
{
    fputs("carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n", out);
    fputs("laws: {default: {friction: 0.5, restitution: 0}}\nbodies:\n", out);
    fputs("  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n", out);
    for (int i = 0; i < 64; i++)
        fprintf(out, "  s%d: {mass: 1, at: [%g, %g, %g], shape: {sphere: 0.5}}\n", i, 1.0 * (i % 4) + 0.1 * (i / 16),
                1.0 * (i / 4 % 4) + 0.07 * (i / 16), 0.5 + 0.993 * (i / 16));
}

START_TEST(large_contact_problems_do_not_allocate_in_a_step)
{
    static const struct { const char *name, *solver; void (*write)(FILE *); double h; int steps; } scene[] = {
        {"a stack of 40 boxes", NULL, write_stack, 2e-3, 30},
        {"thirty boxes in space", NULL, write_boxes, 4e-3, 60},
        {"64 spheres, swept", NULL, write_spheres, 4e-3, 20},
        {"64 spheres, by proximal points", "proximal", write_spheres, 4e-3, 20},
    };
    for (int i = 0; i < 4; i++) {
        carom_model *model = parse(scene[i].write);
        count_scene(model, scene[i].name, scene[i].solver, scene[i].h, SANITIZED ? 10 : scene[i].steps);
        carom_model_free(model);
    }
}
END_TEST
#define TEXT_TESTS , text_models_do_not_allocate_either, large_contact_problems_do_not_allocate_in_a_step
#else
#define TEXT_TESTS
#endif

TEST_MAIN("allocation", the_counter_counts, no_scheme_allocates_while_stepping,
          a_tangent_does_not_allocate_while_it_follows, solvers_do_with_a_frozen_arena TEXT_TESTS)
