/* test_room.c: memory of contact problems follows the rows that act at once, and where it has to grow the results are
 * the same to the last bit. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "sim/sim.h"
#include "testing.h"

/* ---- bits ---- */

#ifndef CAROM_NO_YAML
enum { STEPS = 400, MOST = 200 };

typedef struct outcome {
    carom_status status;
    double t, q[MOST], v[MOST], impulse[MOST];
    long rhs, problems, iterations, solves;
    char text[sizeof((carom_error *)0)->text];
} outcome;

/* STEPS steps that begin with room for so many rows (0: what a simulation begins with). Returns what it ended with. */
static int run(const carom_model *model, const carom_options *o, int rows, outcome *out)
{
    carom_error error;
    carom_sim *sim;
    *out = (outcome){0};
    out->status = carom_sim_new(&sim, model, o, &error);
    if (out->status != CAROM_OK)
        return 0;
    if (rows && sim->system.nlink > 1) { /* one link alone has all the room it can need */
        ck_assert(carom_room_make(&sim->room, rows));
        out->status = carom_sim_restart(sim, NULL, NULL, NULL);
    }
    for (int i = 0; i < STEPS && out->status == CAROM_OK && carom_sim_state(sim)->t < sim->options.t_end; i++)
        out->status = carom_sim_step(sim);
    const carom_state *s = carom_sim_state(sim);
    const carom_info *info = carom_sim_info(sim);
    out->t = s->t;
    memcpy(out->q, s->q, sizeof *s->q * (size_t)model->nq);
    memcpy(out->v, s->v, sizeof *s->v * (size_t)model->nv);
    memcpy(out->impulse, s->impulse, sizeof *s->impulse * (size_t)sim->system.nrow);
    out->rhs = info->rhs_evaluations, out->problems = info->contact_problems;
    out->iterations = info->solver_iterations, out->solves = info->linear_solves;
    if (out->status != CAROM_OK)
        strcpy(out->text, carom_sim_error(sim)->text);
    int ended = sim->room.rows;
    carom_sim_free(sim);
    return ended;
}

START_TEST(steps_that_need_more_room_come_to_the_same_bits)
{
    int grown = 0;
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_model *model;
        carom_error error;
        CHECK_OK(carom_model_load(&model, carom_builtin_name(i), NULL, &error), error);
        for (int k = 0; carom_scheme_method(k) && carom_model_rows(model) <= MOST && model->nq <= MOST; k++) {
            static outcome a, b;
            carom_options o = carom_options_default();
            CHECK_OK(carom_options_set(&o, "scheme", carom_scheme_method(k)->name, &error), error);
            run(model, &o, 0, &a);
            grown += run(model, &o, 1, &b) > 1;
            ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "%s with %s: %s | %s", carom_builtin_name(i),
                          carom_scheme_method(k)->name, a.text, b.text);
        }
        carom_model_free(model);
    }
    ck_assert_int_gt(grown, 50); /* runs in which more than one row acted */
}
END_TEST
#define TEXT_TESTS , steps_that_need_more_room_come_to_the_same_bits
#else
#define TEXT_TESTS
#endif

/* ---- sizes: a ball between many walls, of which it meets one ---- */

static void walls_gap(const carom_point *at, double *g)
{
    int n = *(const int *)at->user;
    for (int i = 0; i < n; i++)
        g[i] = at->q[0] + 10 * i;
}

static void walls_jacobian(const carom_point *at, double *G)
{
    int n = *(const int *)at->user;
    for (int i = 0; i < n; i++)
        G[i] = 1;
}

static void one(const carom_point *at, double *M) { (void)at, M[0] = 1; }
static void weight(const carom_point *at, double *F) { (void)at, F[0] = -10; }

/* Bytes of a simulation of n walls after a few impacts; 0: the scheme does not take it. */
static size_t bytes_of(const char *scheme, int n)
{
    static carom_contact contact[4000];
    static const double q = 0.1;
    carom_error error;
    carom_sim *sim;
    for (int i = 0; i < n; i++)
        contact[i] = (carom_contact){.restitution = 0.5};
    carom_model model = {.size = sizeof model, .name = "walls", .nq = 1, .nv = 1, .ncontact = n, .contact = contact,
                         .q = &q, .user = &n, .mass = one, .force = weight, .gap = walls_gap,
                         .jacobian = walls_jacobian};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = 0.01;
    carom_status status = carom_sim_new(&sim, &model, &o, &error);
    if (status == CAROM_UNSUPPORTED || status == CAROM_BAD_MODEL)
        return 0;
    CHECK_OK(status, error);
    for (int i = 0; i < 40; i++)
        CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
    ck_assert_msg(carom_sim_info(sim)->contact_problems > 0, "%s", scheme);
    size_t bytes = sim->layout.used + sim->room.layout.used;
    carom_sim_free(sim);
    return bytes;
}

START_TEST(memory_grows_with_the_rows_that_act_and_only_linearly_with_all_contacts)
{
    int schemes = 0;
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *name = carom_scheme_method(i)->name;
        size_t less = bytes_of(name, 2000), more = bytes_of(name, 4000);
        schemes += less > 0;
        ck_assert_msg(more <= 2 * less, "%s: %zu bytes for 2000 contacts, %zu for 4000", name, less, more);
    }
    ck_assert_int_ge(schemes, 8);
}
END_TEST

TEST_MAIN("room", memory_grows_with_the_rows_that_act_and_only_linearly_with_all_contacts TEXT_TESTS)
