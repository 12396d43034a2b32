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

/* ---- Poisson: compression, then expansion ---- */

static carom_model *poisson_model(const char *text)
{
    carom_model *model;
    carom_error error = {0};
    char all[900];
    snprintf(all, sizeof all, "carom: 1\nimpacts: poisson\n%s", text);
    CHECK_OK(carom_model_parse(&model, "text", all, strlen(all), NULL, &error), error);
    return model;
}

static void check_after(const char *text, double t, int n, const double *v)
{
    static const char *const schemes[] = {"tolerance", "mixed"};
    for (int k = 0; k < CAROM_COUNT(schemes); k++) {
        carom_model *model = poisson_model(text);
        carom_sim *sim = start(model, schemes[k], 0.01);
        RUN(sim, t);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(carom_sim_state(sim)->v[i], v[i], 1e-12);
        carom_sim_free(sim);
        carom_model_free(model);
    }
}

START_TEST(poisson_is_newton_for_one_contact_without_friction)
{
    NEEDS_MODELS;
    check_after("coordinates: {y: 0.5}\nvelocities: {y: -1}\nkinetic: y'^2\npotential: 0\n"
                "contacts: {g: {gap: y, restitution: 0.7}}\n", 1, 1, (double[]){0.7});
}
END_TEST

/* Balls of mass 1, W = (2 -1; -1 2), u = (-1, 0): P' = (2/3, 1/3), P'' = (2/3 e1, 1/3 e2). */
START_TEST(poisson_gives_back_a_part_of_each_impulse_in_a_row)
{
    NEEDS_MODELS;
    static const double pairs[3][2] = {{0.5, 1}, {0.9, 0}, {0, 0.5}};
    for (int k = 0; k < 3; k++) {
        const double *e = pairs[k];
        double P[2] = {2. / 3 * (1 + e[0]), 1. / 3 * (1 + e[1])};
        char text[500];
        snprintf(text, sizeof text,
                 "coordinates: {a: -0.5, b: 0, c: 0}\nvelocities: {a: 1}\nkinetic: (a'^2 + b'^2 + c'^2)/2\n"
                 "potential: 0\ncontacts: {left: {gap: b - a, restitution: %g}, "
                 "right: {gap: c - b, restitution: %g}}\n",
                 e[0], e[1]);
        if (k == 1) /* the second would close: W (P'' + y) = 0 there, y = (0, P''_1/2 - P''_2) */
            P[1] += 2. / 3 * e[0] / 2 - 1. / 3 * e[1];
        if (k == 2) /* the first would */
            P[0] += 1. / 3 * e[1] / 2 - 2. / 3 * e[0];
        check_after(text, 0.75, 3, (double[]){1 - P[0], P[0] - P[1], P[1]});
    }
}
END_TEST

/* One contact with friction, W_nn = 1 + a^2/J, W_nt = a b/J, W_tt = 1 + b^2/J; x_t during either phase as it sticks or
 * slips. Newton's law would have u+_n = -e u-_n: here it has not where friction changes between the phases. */
static void friction_case(double mu, double ut, bool sticks, bool differs)
{
    double a = 0.6, b = 0.8, J = 0.4, e = 0.5, W[3] = {1 + a * a / J, a * b / J, 1 + b * b / J}, u[2] = {-1, ut};
    double P[2], Q[2], s = ut > 0 ? 1 : -1, v[3] = {ut, -1, 0};
    if (sticks) {
        double det = W[0] * W[2] - W[1] * W[1];
        P[0] = -(W[2] * u[0] - W[1] * u[1]) / det, P[1] = -(W[0] * u[1] - W[1] * u[0]) / det;
        Q[0] = e * P[0], Q[1] = -W[1] / W[2] * Q[0];
        CHECK_AT_MOST(fabs(P[1]), mu * P[0]);
        CHECK_AT_MOST(fabs(Q[1]), mu * Q[0]);
    } else {
        P[0] = -u[0] / (W[0] - mu * s * W[1]), P[1] = -mu * s * P[0];
        Q[0] = e * P[0], Q[1] = -mu * s * Q[0];
        CHECK_AT_LEAST(s * (u[1] + W[1] * (P[0] + Q[0]) + W[2] * (P[1] + Q[1])), 0.01); /* it slips on */
    }
    double after = u[0] + W[0] * (P[0] + Q[0]) + W[1] * (P[1] + Q[1]);
    ck_assert_int_eq(fabs(after - e) > 1e-3, differs);
    v[0] += P[1] + Q[1], v[1] += P[0] + Q[0], v[2] += (a * (P[0] + Q[0]) + b * (P[1] + Q[1])) / J;
    char text[500];
    snprintf(text, sizeof text,
             "coordinates: {x: 0, y: 0.5, r: 0}\nvelocities: {x: %.17g, y: -1}\nkinetic: (x'^2 + y'^2 + 0.4*r'^2)/2\n"
             "potential: 0\n"
             "contacts: {g: {gap: y + 0.6*r, slip: \"x' + 0.8*r'\", friction: %.17g, restitution: 0.5}}\n",
             ut, mu);
    check_after(text, 0.6, 3, v);
}

START_TEST(poisson_with_friction_has_its_own_expansion)
{
    NEEDS_MODELS;
    friction_case(2, 0.3, true, true);
    friction_case(0.1, 3, false, false);
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
          poisson_is_newton_for_one_contact_without_friction, poisson_gives_back_a_part_of_each_impulse_in_a_row,
          poisson_with_friction_has_its_own_expansion, a_scheme_knows_a_rule_or_refuses_it)
