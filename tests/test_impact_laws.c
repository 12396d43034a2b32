/* test_impact_laws.c: five balls in a row, touching: what the two laws of multiple impacts make of it, and that a run
 * says so. */
#include <string.h>

#include "schemes/scheme.h"
#include "stepping.h"

enum { BALLS = 5 };

static void row_mass(const carom_point *at, double *M)
{
    (void)at;
    memset(M, 0, sizeof(double) * BALLS * BALLS);
    for (int i = 0; i < BALLS; i++)
        M[i * BALLS + i] = 1;
}

static void row_force(const carom_point *at, double *F)
{
    (void)at;
    memset(F, 0, sizeof(double) * BALLS);
}

static void row_gap(const carom_point *at, double *g)
{
    for (int i = 0; i + 1 < BALLS; i++)
        g[i] = at->q[i + 1] - at->q[i];
}

static void row_jacobian(const carom_point *at, double *G)
{
    (void)at;
    memset(G, 0, sizeof(double) * (BALLS - 1) * BALLS);
    for (int i = 0; i + 1 < BALLS; i++)
        G[i * BALLS + i] = -1, G[i * BALLS + i + 1] = 1;
}

typedef struct row_store {
    carom_contact contact[BALLS - 1];
    double q[BALLS], v[BALLS];
} row_store;

static carom_model row_of_balls(row_store *s, double e, bool sequential)
{
    *s = (row_store){.q = {-0.1}, .v = {1}};
    for (int i = 0; i + 1 < BALLS; i++)
        s->contact[i] = (carom_contact){.name = "touch", .restitution = e};
    return (carom_model){.size = sizeof(carom_model), .name = "row",
                         .nq = BALLS,
                         .nv = BALLS,
                         .ncontact = BALLS - 1,
                         .contact = s->contact,
                         .q = s->q,
                         .v = s->v,
                         .impacts = sequential ? "sequential" : NULL,
                         .constant = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW,
                         .mass = row_mass,
                         .force = row_force,
                         .gap = row_gap,
                         .jacobian = row_jacobian};
}

static void check_row(double e, bool sequential, const double *expected, double accuracy)
{
    row_store store;
    carom_model row = row_of_balls(&store, e, sequential);
    carom_sim *sim = start(&row, "tolerance", 0.01);
    RUN(sim, 0.2);
    for (int i = 0; i < BALLS; i++)
        CHECK_NEAR(carom_sim_state(sim)->v[i], expected[i], accuracy);
    ck_assert_msg(strstr(carom_sim_note(sim), "law"), "the run does not say that its result depends on the law");
    CHECK_AT_LEAST(carom_sim_info(sim)->law_difference, 0.1);
    CHECK_NEAR(carom_sim_info(sim)->law_time, 0.1, 1e-12);
    carom_sim_free(sim);
}

START_TEST(the_simultaneous_law_moves_all_of_them)
{
    check_row(1, false, (double[]){-0.6, 0.4, 0.4, 0.4, 0.4}, 1e-12);
    check_row(0.9, false, (double[]){-0.52, 0.38, 0.38, 0.38, 0.38}, 1e-12);
}
END_TEST

START_TEST(the_sequential_law_sends_off_the_last_one)
{
    check_row(1, true, (double[]){0, 0, 0, 0, 1}, 1e-12);
    check_row(0.9, true, (double[]){0.0435, 0.0454, 0.0473, 0.0493, 0.8145}, 5e-5);
}
END_TEST

/* Every scheme with every rule: it runs, or names both in its refusal. Those that do not locate events refuse all that
 * act at an instant. */
START_TEST(a_scheme_knows_a_rule_or_refuses_it)
{
    for (int i = 0; carom_scheme_method(i); i++)
        for (int k = 0; carom_impact_method(k); k++) {
            row_store store;
            carom_model row = row_of_balls(&store, 1, false);
            const char *scheme = carom_scheme_method(i)->name, *rule = carom_impact_method(k)->name;
            carom_options o = carom_options_default();
            carom_error error = {0};
            carom_sim *sim;
            row.impacts = rule;
            CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
            carom_status status = carom_sim_new(&sim, &row, &o, &error);
            if (status == CAROM_OK) {
                ck_assert_msg(k == 0 || carom_scheme_is(&o, CAROM_LOCATES_EVENTS), "%s takes %s", scheme, rule);
                carom_sim_free(sim);
                continue;
            }
            if (k == 0) /* the model itself */
                continue;
            ck_assert_msg(status == CAROM_UNSUPPORTED, "%s, %s: %s", scheme, rule, error.text);
            ck_assert_msg(strstr(error.text, scheme) && strstr(error.text, rule), "%s, %s: %s", scheme, rule,
                          error.text);
        }
}
END_TEST

TEST_MAIN("impact laws", the_simultaneous_law_moves_all_of_them, the_sequential_law_sends_off_the_last_one,
          a_scheme_knows_a_rule_or_refuses_it)
