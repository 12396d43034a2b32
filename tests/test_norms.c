/* test_norms.c: distances of motions and the references they are measured from: against formulas, tables of papers,
 * and each other. */
#include <string.h>

#include "analysis/converge/reference.h"
#include "carom_analysis.h"
#include "reference.h"
#include "systems.h"
#include "testing.h"

#ifndef CAROM_NO_YAML
static carom_model *load(const char *name, const char *key, double value)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&model, name, NULL, &error), error);
    if (key)
        CHECK_OK(carom_model_set(model, &key, &value, 1, &error), error);
    return model;
}

static carom_reference *refer(const carom_model *model, carom_reference_kind kind, double t_end)
{
    carom_reference *r;
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_from_model(&o, model, &error), error);
    o.t_end = t_end > 0 ? t_end : o.t_end;
    CHECK_OK(carom_reference_new(&r, model, &o, kind, &error), error);
    printf("%s: %s\n", model->name, carom_reference_text(r));
    return r;
}

static double error_of(const carom_reference *r, const carom_model *model, const char *scheme, double h,
                       const char *norm)
{
    carom_options o = carom_options_default();
    carom_error error = {0};
    double e = NAN;
    CHECK_OK(carom_options_from_model(&o, model, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h, o.t_end = carom_reference_t_end(r);
    CHECK_OK(carom_reference_errors(r, model, &o, &norm, 1, &e, NULL, NULL, &error), error);
    return e;
}
#endif

/* ---- norms of functions that are known ---- */

static carom_path *path_of(int pieces, const double *t, const double (*c)[3]) /* q alone, of degree 2; v = i = 0 */
{
    carom_path *p;
    carom_error error = {0};
    CHECK_OK(carom_path_new(&p, 1, 1, 1, &error), error);
    for (int k = 0; k < pieces; k++) {
        double *to = carom_path_add(p, t[k], t[k + 1], 2);
        ck_assert_ptr_nonnull(to);
        for (int i = 0; i < 3; i++)
            to[3 * i] = c[k][i];
    }
    carom_piece_at(&p->piece[pieces - 1], 3, 1, p->end);
    return p;
}

static double distance(const carom_path *a, const carom_path *b, carom_norm_kind kind, carom_norm_over over)
{
    const carom_norm norm = {kind, over, 0, 1};
    double d = NAN;
    carom_error error = {0};
    CHECK_OK(carom_norm_distance(&norm, a, b, 1e-10, &d, &error), error);
    return d;
}

START_TEST(norms_of_parabolas_and_jumps_are_exact)
{
    /* x = s^2 on [0, 1], then 3 on [1, 2]; y = 1/4, then 0 from 1.5 on */
    carom_path *x = path_of(2, (const double[]){0, 1, 2}, (const double[][3]){{0, 0, 1}, {3, 0, 0}});
    carom_path *y = path_of(2, (const double[]){0, 1.5, 2}, (const double[][3]){{0.25, 0, 0}, {0, 0, 0}});
    /* |s^2 - 1/4| changes its sign at 1/2: 1/12 + 1/6; then 2.75/2 + 3/2 */
    CHECK_NEAR(distance(x, y, CAROM_NORM_L1, CAROM_NORM_DENSE), 1.0 / 12 + 1.0 / 6 + 1.375 + 1.5, 1e-9);
    CHECK_NEAR(distance(x, y, CAROM_NORM_L2, CAROM_NORM_DENSE), sqrt(0.2 - 1.0 / 6 + 0.0625 + 2.75 * 2.75 / 2 + 4.5),
               1e-9);
    CHECK_NEAR(distance(x, y, CAROM_NORM_MAX, CAROM_NORM_DENSE), 3, 1e-12);
    CHECK_NEAR(distance(x, y, CAROM_NORM_END, CAROM_NORM_DENSE), 3, 1e-12);
    /* nodes of x: at 1 it is 3 - 1/4, at 2 it is 3 - 0, both with steps of 1 */
    CHECK_NEAR(distance(x, y, CAROM_NORM_L1, CAROM_NORM_GRID), 2.75 + 3, 1e-12);
    CHECK_NEAR(distance(x, y, CAROM_NORM_L2, CAROM_NORM_GRID), hypot(2.75, 3), 1e-12);
    CHECK_NEAR(distance(x, y, CAROM_NORM_MAX, CAROM_NORM_GRID), 3, 1e-12);
    CHECK_NEAR(distance(x, x, CAROM_NORM_L1, CAROM_NORM_DENSE), 0, 0);
    CHECK_NEAR(distance(x, y, CAROM_NORM_L1, CAROM_NORM_DENSE), distance(y, x, CAROM_NORM_L1, CAROM_NORM_DENSE), 1e-12);
    carom_path_free(x), carom_path_free(y);
}
END_TEST

START_TEST(arcs_are_as_far_apart_as_their_points)
{
    /* q = 4 s (1 - s) and the same lifted by 1/8: at the ends they are 1/8 apart, nearer elsewhere */
    carom_path *a = path_of(1, (const double[]){0, 1}, (const double[][3]){{0, 4, -4}});
    carom_path *b = path_of(1, (const double[]){0, 1}, (const double[][3]){{0.125, 4, -4}});
    carom_hausdorff_bounds bounds;
    carom_error error = {0};
    CHECK_OK(carom_path_hausdorff(a, b, 0, 1, 1e-4, &bounds, &error), error);
    CHECK_AT_MOST(bounds.lower, 0.125);
    /* the apex: (1/2, 1) is 1/8 below (1/2, 9/8), and the curve is flat there */
    CHECK_AT_LEAST(bounds.upper, 0.125 - 1e-12);
    CHECK_AT_MOST(bounds.upper, bounds.lower * (1 + 2e-4));
    carom_path_free(a), carom_path_free(b);
}
END_TEST

START_TEST(names_of_norms_are_read_and_typos_explained)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_norm norm;
    carom_error error = {0};
    CHECK_OK(carom_norm_parse(&norm, "grid-L2.v", &ball, &error), error);
    ck_assert_int_eq(norm.kind, CAROM_NORM_L2);
    ck_assert_int_eq(norm.over, CAROM_NORM_GRID);
    ck_assert_int_eq(norm.first, 1);
    CHECK_OK(carom_norm_parse(&norm, "L1.i", &ball, &error), error);
    ck_assert_int_eq(norm.first, 2);
    const char *const bad[] = {"L3.q", "L1", "L1.x", "L1.", "grid-end.q", "L1.q.nobody", "hausdorf.v", ""};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        ck_assert_int_eq(carom_norm_parse(&norm, bad[k], &ball, &error), CAROM_BAD_OPTION);
        ck_assert_ptr_nonnull(strstr(error.text, bad[k]));
    }
}
END_TEST

START_TEST(a_ball_written_in_c_has_a_closed_form_too)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_reference *r;
    carom_error error = {0};
    carom_options o = carom_options_default();
    o.t_end = 5;
    CHECK_OK(carom_reference_new(&r, &ball, &o, CAROM_REFERENCE_AUTO, &error), error);
    ck_assert_int_eq(carom_reference_used(r), CAROM_REFERENCE_CLOSED);
    for (int k = 0; k < 1000; k++) {
        double t = 5 * (k + 0.5) / 1000, q, v, i, exact_q, exact_v, exact_i = 0;
        ck_assert_int_eq(carom_reference_at(r, t, 1, &q, &v, &i), CAROM_OK);
        exact_ball(t, &exact_q, &exact_v);
        for (double p = 1; p > 1e-17; p /= 2) /* the impact at 3 - 2 p has the impulse 3 p */
            exact_i += t >= 3 - 2 * p ? 3 * p : 0;
        exact_i += t > 3 ? 2 * (t - 3) : 0;
        CHECK_NEAR(q, exact_q, 1e-14);
        CHECK_NEAR(v, exact_v, 1e-14);
        CHECK_NEAR(i, exact_i, 1e-13);
    }
    CHECK_NEAR(carom_reference_impact(r, 0), 1, 0);
    CHECK_NEAR(carom_reference_impact(r, 3), 2.75, 1e-15);
    carom_reference_free(r);
}
END_TEST

#ifdef CAROM_NO_YAML
TEST_MAIN("norms", norms_of_parabolas_and_jumps_are_exact, arcs_are_as_far_apart_as_their_points,
          names_of_norms_are_read_and_typos_explained, a_ball_written_in_c_has_a_closed_form_too)
#else

/* ---- references ---- */
START_TEST(closed_forms_agree_with_the_scheme_exact)
{
    const struct {
        const char *name, *key;
        double value, t_end;
    } cases[] = {{"ball", NULL, 0, 5},
                 {"bouncing-ball", NULL, 0, 10},
                 {"bouncing-ball", "e", 1, 7},
                 {"bouncing-ball", "e", 0, 2},
                 {"bouncing-ball", "v.y", 3, 4},
                 {"free-flight", NULL, 0, 1},
                 {"rest-phase", NULL, 0, 1},
                 {"take-off", NULL, 0, 10},
                 {"linear-oscillator", NULL, 0, 5},
                 {"linear-oscillator", "rho", 0.9, 5},
                 {"linear-oscillator", "v.q", -2, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        carom_model *m = load(cases[k].name, cases[k].key, cases[k].value);
        carom_reference *closed = refer(m, CAROM_REFERENCE_CLOSED, cases[k].t_end),
                        *exact = refer(m, CAROM_REFERENCE_EXACT, cases[k].t_end);
        for (int j = 0; j < 500; j++) {
            double t = cases[k].t_end * (j + 0.37) / 500, a[3], b[3];
            ck_assert_int_eq(carom_reference_at(closed, t, 1, a, a + 1, a + 2), CAROM_OK);
            ck_assert_int_eq(carom_reference_at(exact, t, 1, b, b + 1, b + 2), CAROM_OK);
            CHECK_NEAR(a[0], b[0], 1e-11);
            CHECK_NEAR(a[1], b[1], 1e-11);
        }
        double i, j;
        carom_reference_at(closed, cases[k].t_end, 1, NULL, NULL, &i);
        carom_reference_at(exact, cases[k].t_end, 1, NULL, NULL, &j);
        CHECK_NEAR(i, j, 1e-10 * (1 + fabs(i)));
        carom_reference_free(closed), carom_reference_free(exact);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(impacts_of_closed_forms_are_where_they_are_known_to_be)
{
    carom_model *m = load("linear-oscillator", NULL, 0);
    carom_reference *r = refer(m, CAROM_REFERENCE_CLOSED, 0);
    const double t[] = {.5069846364299193, 1.500940565280607, 2.4948964941312943, 3.488852422981983, 4.482808351832671};
    const double U[] = {-3.0059512777137427, -1.3607708074919005, -.6160103805576373, -.27886311704039385,
                        -.1262391682021474};
    for (int k = 0; k < 5; k++) {
        double v;
        CHECK_NEAR(carom_reference_impact(r, k), t[k], 1e-14);
        ck_assert_int_eq(carom_reference_at(r, carom_reference_impact(r, k), -1, NULL, &v, NULL), CAROM_OK);
        CHECK_NEAR(v, U[k], 1e-13);
    }
    ck_assert(isnan(carom_reference_impact(r, 5)));
    carom_reference_free(r), carom_model_free(m);
    m = load("bouncing-ball", NULL, 0), r = refer(m, CAROM_REFERENCE_CLOSED, 0);
    double q, v, i;
    ck_assert_int_eq(carom_reference_at(r, 6.00832755431993, 1, &q, &v, &i), CAROM_OK); /* sqrt(0.1) (1 + e)/(1 - e) */
    CHECK_NEAR(fabs(q) + fabs(v), 0, 1e-12);
    CHECK_NEAR(i, 60.0832755431993, 1e-11); /* all of m g t */
    carom_reference_free(r), carom_model_free(m);
    m = load("take-off", NULL, 0), r = refer(m, CAROM_REFERENCE_CLOSED, 0);
    carom_reference_at(r, 6.5678525, 1, NULL, &v, NULL);
    CHECK_NEAR(v, 0, 0);
    carom_reference_at(r, 6.5678526, 1, NULL, &v, NULL);
    ck_assert(v > 0);
    carom_reference_free(r), carom_model_free(m);
}
END_TEST

START_TEST(models_without_a_closed_form_say_so_and_get_another_reference)
{
    carom_error error = {0};
    carom_reference *r;
    carom_model *m = load("linear-oscillator", "f", -5); /* impacts accumulate; no closed form, but linear */
    ck_assert_int_eq(carom_reference_new(&r, m, NULL, CAROM_REFERENCE_CLOSED, &error), CAROM_UNSUPPORTED);
    printf("%s\n", error.text);
    r = refer(m, CAROM_REFERENCE_AUTO, 0);
    ck_assert_int_eq(carom_reference_used(r), CAROM_REFERENCE_EXACT);
    carom_reference_free(r), carom_model_free(m);
    m = load("pendulum-wall", NULL, 0), r = refer(m, CAROM_REFERENCE_AUTO, 3);
    ck_assert_int_eq(carom_reference_used(r), CAROM_REFERENCE_TOLERANCE);
    ck_assert_ptr_nonnull(strstr(carom_reference_text(r), "gauss6"));
    double accuracy;
    CHECK_OK(carom_reference_accuracy(r, "max.q", &accuracy, &error), error);
    CHECK_AT_MOST(accuracy, 1e-11);
    ck_assert(accuracy > 0);
    carom_reference_free(r), carom_model_free(m);
}
END_TEST

/* ---- tables ---- */
START_TEST(errors_of_moreaus_scheme_on_a_fixed_grid_are_those_of_the_tables)
{
    const double h = 5.0 / 5003;
    static const char *const norm[] = {"max.v", "hausdorff.v", "L2.v", "L1.v", "max.q", "L1.q"};
    const struct {
        const char *model, *key;
        double value;
        const char *scheme;
        double error[6];
    } table[] = {
        {"ball", NULL, 0, "moreau-jean:gamma=0.5", {3, 3.947631e-3, 1.063225e-1, 1.028348e-2, 2.696783e-3,
         1.625814e-3}},
        {"ball", NULL, 0, "moreau-jean:gamma=1", {.7487008, 7.829677e-3, 3.466705e-2, 7.045428e-3, 6.986214e-4,
         7.095582e-4}},
        {"ball", NULL, 0, "moreau-jean:gamma=0", {3, 7.802740e-3, 1.091540e-1, 1.210938e-2, 2.696783e-3, 1.738424e-3}},
        {"ball", NULL, 0, "moreau-jean:theta=1:gamma=1", {.7487008, 9.463072e-3, 3.229729e-2, 6.384617e-3, 9.988011e-4,
         1.213577e-3}},
        {"linear-oscillator", NULL, 0, "moreau-jean", {2.041362, 4.499264e-3, 7.546275e-2, 1.017225e-2, 9.502703e-4,
         1.623928e-3}},
        {"linear-oscillator", "rho", 0.9, "moreau-jean", {4.654178, 7.891903e-3, 2.605701e-1, 3.853550e-2, 2.663848e-3,
         5.714950e-3}},
        {"linear-oscillator", "rho", 0.9, "moreau-jean:gamma=0", {5.710482, 4.418959e-2, 6.030385e-1, 2.041592e-1,
         1.473358e-2, 3.180935e-2}},
        /* L1.v: 3.041483e-2 where the first velocity is (q_1 - q_0)/h. (22b) of the paper for k = 0, with the q_{-1}
         * that makes q_1 second order, is v_0: at t_1 it is off by 2 h, like (22b) at every other node, not by h.
         * That adds h h to the sum. */
        {"ball", NULL, 0, "schatzman-paoli", {2.998001, 5.815261e-3, 1.466050e-1, 3.041483e-2 + h * h, 1.996663e-3,
         1.478726e-3}},
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        carom_model *m = load(table[k].model, table[k].key, table[k].value);
        carom_reference *r = refer(m, CAROM_REFERENCE_AUTO, 5);
        for (int j = 0; j < 6; j++) {
            double e = error_of(r, m, table[k].scheme, h, norm[j]);
            printf("%-30s %-12s %.6e, table %.6e\n", table[k].scheme, norm[j], e, table[k].error[j]);
            /* the table has coarse ones for its arcs */
            bool chords = j == 1 && !strcmp(table[k].model, "linear-oscillator");
            /* else all digits that are printed */
            CHECK_NEAR(e, table[k].error[j], (chords ? 3e-5 : 6e-7) * table[k].error[j]);
        }
        carom_reference_free(r), carom_model_free(m);
    }
}
END_TEST

START_TEST(exact_l1_errors_of_the_galerkin_families_are_those_of_the_tables)
{
    const struct {
        const char *model, *scheme, *norm;
        double h, error;
    } table[] = {
        {"free-flight", "dg-minus:degree=1", "L1.q", 0.25, 1.204427083e-2}, {"free-flight", "dg-minus:degree=1", "L1.v",
         0.25, 7.284367391e-2},
        {"free-flight", "dg-minus:degree=1", "L1.q", 0.015625, 6.624559561e-5}, {"free-flight", "dg-minus:degree=1",
         "L1.v", 0.015625, 3.122924074e-4},
        {"free-flight", "dg-minus:degree=2", "L1.q", 0.125, 1.017252604e-5}, {"free-flight", "dg-minus:degree=2",
         "L1.v", 0.125, 3.433227539e-4},
        {"free-flight", "dg-plus:degree=1", "L1.q", 0.25, 2.506510e-2}, {"free-flight", "dg-plus:degree=1", "L1.q",
         0.015625, 6.942451e-5},
        /* i is quadratic in each step: 5 h^2/6 of the trapezoidal rule for the force */
        {"rest-phase", "dg-minus:degree=1", "L1.i", 0.25, 5.208333333e-2}, {"rest-phase", "dg-plus:degree=1",
         "L1.i", 0.0625, 3.255208333e-3},
        /* the scheme of degree 0: velocities that are constant in each step */
        {"free-flight", "moreau-jean:theta=1", "step-L1.q", 0.015625, 1.343413194e-2},
        {"free-flight", "moreau-jean:theta=1", "step-L1.v", 0.015625, 5.310694377e-2}, {"rest-phase",
         "moreau-jean:theta=1", "step-L1.i", 0.25, 1.119791667},
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        carom_model *m = load(table[k].model, NULL, 0);
        carom_reference *r = refer(m, CAROM_REFERENCE_AUTO, 1);
        double e = error_of(r, m, table[k].scheme, table[k].h, table[k].norm);
        printf("%s %s %s %.9e, table %.9e\n", table[k].model, table[k].scheme, table[k].norm, e, table[k].error);
        CHECK_NEAR(e, table[k].error, 2e-6 * table[k].error);
        carom_reference_free(r), carom_model_free(m);
    }
}
END_TEST

START_TEST(unprefixed_norms_take_what_the_scheme_defines)
{
    carom_model *m = load("linear-oscillator", NULL, 0);
    carom_reference *r = refer(m, CAROM_REFERENCE_AUTO, 5);
    ck_assert(error_of(r, m, "moreau-jean", 0.01, "L1.v") == error_of(r, m, "moreau-jean", 0.01, "grid-L1.v"));
    ck_assert(error_of(r, m, "moreau-jean", 0.01, "L1.v") != error_of(r, m, "moreau-jean", 0.01, "dense-L1.v"));
    ck_assert(error_of(r, m, "dg-minus", 0.01, "L1.v") == error_of(r, m, "dg-minus", 0.01, "dense-L1.v"));
    ck_assert(error_of(r, m, "moreau-jean:control=halving", 0.01, "L1.v") ==
              error_of(r, m, "moreau-jean:control=halving", 0.01, "dense-L1.v"));
    /* one coordinate: its name changes nothing */
    ck_assert(error_of(r, m, "moreau-jean", 0.01, "L1.q") == error_of(r, m, "moreau-jean", 0.01, "L1.q.q"));
    carom_reference_free(r), carom_model_free(m);
}
END_TEST

TEST_MAIN("norms", norms_of_parabolas_and_jumps_are_exact, arcs_are_as_far_apart_as_their_points,
          names_of_norms_are_read_and_typos_explained, a_ball_written_in_c_has_a_closed_form_too,
          closed_forms_agree_with_the_scheme_exact, impacts_of_closed_forms_are_where_they_are_known_to_be,
          models_without_a_closed_form_say_so_and_get_another_reference,
          errors_of_moreaus_scheme_on_a_fixed_grid_are_those_of_the_tables,
          exact_l1_errors_of_the_galerkin_families_are_those_of_the_tables,
          unprefixed_norms_take_what_the_scheme_defines)
#endif
