/* test_interface_lives.c: objects of the public headers are freed in any order, and what was recorded stays readable;
 * NULL is a bad argument of every function that returns a status; friction needs a direction. */
#include <string.h>

#include "carom_analysis.h"
#include "carom_output.h"
#include "testing.h"

#define BAD(call) ck_assert_msg((call) == CAROM_BAD_ARGUMENT, "%s is not refused", #call)

static const char ball[] = "{\"carom\": 1, \"parameters\": {\"e\": 0.5}, \"coordinates\": {\"y\": 1}, "
                           "\"mass\": [[1]], \"force\": {\"y\": -2}, "
                           "\"contacts\": {\"ground\": {\"gap\": \"y\", \"restitution\": \"e\"}}}";
static const char top[] = "{\"carom\": 1, \"space\": \"spatial\", \"gravity\": [0, 0, -10], \"bodies\": {\"box\": "
                          "{\"shape\": {\"box\": [1, 2, 3]}, \"density\": 1, \"at\": [0, 0, 5], "
                          "\"spin\": [1, 2, 3]}}}";

static carom_model *parse(const char *text)
{
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "model.json", text, strlen(text), NULL, &error), error);
    return model;
}

/* ---- orders of frees ---- */

typedef struct life {
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *trajectory;
    carom_tangent *tangent;
} life;

static life begin(const char *text)
{
    life l = {.model = parse(text)};
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_sim_new(&l.sim, l.model, &o, &error), error);
    CHECK_OK(carom_trajectory_new(&l.trajectory, l.sim, &error), error);
    if (text == ball)
        CHECK_OK(carom_tangent_new(&l.tangent, l.sim, 1, &error), error);
    ck_assert_int_eq(carom_sim_run(l.sim, 1.5), CAROM_OK);
    return l;
}

static void end(life *l, int what)
{
    if (what == 0)
        carom_model_free(l->model);
    else if (what == 1)
        carom_sim_free(l->sim);
    else if (what == 2)
        carom_trajectory_free(l->trajectory);
    else
        carom_tangent_free(l->tangent);
}

/* In all 24 orders; before the trajectory goes it is read once more. */
START_TEST(what_belongs_together_is_freed_in_any_order)
{
    const char *const texts[] = {ball, top};
    for (int k = 0; k < 2; k++) {
        for (int order = 0; order < 24; order++) {
            life l = begin(texts[k]);
            int left[] = {0, 1, 2, 3}, code = order, n = 4, nq = l.model->nq;
            double q[16], v[16];
            for (; n > 0; n--) {
                int i = code % n, what = left[i];
                code /= n;
                left[i] = left[n - 1];
                if (what == 2) {
                    ck_assert_int_eq(carom_trajectory_at(l.trajectory, 0.5, 1, q, v), CAROM_OK);
                    for (int j = 0; j < nq; j++)
                        ck_assert(isfinite(q[j]));
                    if (k == 0)
                        CHECK_NEAR(q[0], 0.75, 1e-9);
                    size_t segments, jumps, events;
                    carom_trajectory_counts(l.trajectory, &segments, &jumps, &events);
                    ck_assert(segments > 0 && (k == 1 || (jumps > 0 && events > 0)));
                }
                end(&l, what);
            }
        }
    }
}
END_TEST

START_TEST(results_outlive_the_model_that_they_came_from)
{
    carom_model *model = parse(ball);
    carom_options o = carom_options_default();
    carom_error error;
    carom_reference *reference;
    double h[] = {0.1, 0.05}, q, v;
    const char *const schemes[] = {"moreau-jean"}, *const norms[] = {"L1.q"};
    o.t_end = 1.5;
    CHECK_OK(carom_reference_new(&reference, model, &o, CAROM_REFERENCE_AUTO, &error), error);
    carom_converge_request request = {.size = sizeof request, .model = model, .options = &o, .schemes = schemes,
                                      .norms = norms, .h = h, .nscheme = 1, .nnorm = 1, .nh = 2, .shifts = 1};
    carom_converge_result result;
    CHECK_OK(carom_converge_run(&request, &result, &error), error);
    carom_bifurcation_request wanted = {.size = sizeof wanted, .name = "e", .from = 0.2, .to = 0.6, .n = 2,
                                        .map = CAROM_MAP_IMPACT, .transient = 0, .show = 1, .threads = 1};
    carom_bifurcation *diagram;
    CHECK_OK(carom_bifurcation_run(&diagram, model, &o, &wanted, &error), error);
    carom_model_free(model);
    CHECK_OK(carom_reference_at(reference, 0.5, 1, &q, &v, NULL), error);
    CHECK_NEAR(q, 0.75, 1e-9);
    ck_assert(result.nrow == 2 && result.row[1].error < result.row[0].error && *result.reference);
    CHECK_NEAR(diagram->value[1], 0.6, 1e-15);
    carom_reference_free(reference);
    carom_converge_free(&result);
    carom_bifurcation_free(diagram);
}
END_TEST

/* ---- NULL ---- */

START_TEST(null_is_a_bad_argument_of_models_and_trajectories)
{
    life l = begin(ball);
    carom_error error;
    carom_model *copy;
    double x[4] = {0};
    unsigned char mode[4] = {0};
    BAD(carom_model_copy(NULL, l.model, &error));
    BAD(carom_model_copy(&copy, NULL, &error));
    BAD(carom_model_observe(NULL, NULL, 1, x, x, x, x, x, &error));
    BAD(carom_model_observe(l.model, NULL, 1, NULL, x, x, x, x, &error));
    BAD(carom_model_observe(l.model, NULL, 1, x, NULL, x, x, x, &error));
    BAD(carom_model_observe(l.model, NULL, 1, x, x, NULL, x, x, &error));
    BAD(carom_model_reactions(NULL, NULL, 1, x, x, x, mode, x, &error));
    BAD(carom_model_reactions(l.model, NULL, 1, NULL, x, x, mode, x, &error));
    BAD(carom_model_reactions(l.model, NULL, 1, x, x, x, NULL, x, &error));
    BAD(carom_model_reactions(l.model, NULL, 1, x, x, x, mode, NULL, &error));
    BAD(carom_trajectory_contacts(NULL, 1, x, 1, x, mode));
    BAD(carom_trajectory_contacts(l.trajectory, 1, NULL, 1, x, mode));
    BAD(carom_trajectory_sample(l.trajectory, 1, NULL, 1, x, x));
    size_t n = 7;
    carom_trajectory_counts(NULL, &n, NULL, NULL);
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_null(carom_builtin_text(NULL));
    for (int what = 0; what < 4; what++)
        end(&l, what);
}
END_TEST

START_TEST(null_is_a_bad_argument_of_outputs)
{
    carom_model *model = parse(ball);
    carom_error error;
    carom_sink *sink;
    carom_columns *columns;
    BAD(carom_sink_new(NULL, "x.csv", NULL, model, NULL, NULL, 0, &error));
    BAD(carom_sink_new(&sink, NULL, NULL, model, NULL, NULL, 0, &error));
    BAD(carom_sink_new(&sink, "x.csv", NULL, NULL, NULL, NULL, 0, &error));
    BAD(carom_sink_flush(NULL));
    ck_assert_int_eq(carom_sink_close(NULL, &error), CAROM_OK);
    BAD(carom_summary_json(NULL, "-", stdout, &error));
    BAD(carom_summary_text(NULL, "-", stdout, &error));
    BAD(carom_columns_read(NULL, "x.csv", &error));
    BAD(carom_columns_read(&columns, NULL, &error));
    BAD(carom_svg_plot("x.svg", NULL, NULL, NULL, &error));
    BAD(carom_page_write("x.html", NULL, NULL, NULL, &error));
    BAD(carom_reproduce_run(NULL, &error));
    carom_columns_free(NULL);
    ck_assert_uint_eq(carom_struct_size(NULL), 0);
    carom_model_free(model);
}
END_TEST

START_TEST(null_is_a_bad_argument_of_what_is_computed_from_runs)
{
    carom_model *model = parse(ball);
    carom_options o = carom_options_default();
    carom_error error;
    carom_gradient gradient = {.size = sizeof gradient};
    carom_fit *fit;
    carom_fit_request wanted = {.size = sizeof wanted};
    carom_verify verify = {.size = sizeof verify};
    carom_basins basins;
    BAD(carom_gradient_run(NULL, model, &o, &error));
    BAD(carom_gradient_run(&gradient, NULL, &o, &error));
    BAD(carom_fit_run(NULL, model, &o, &wanted, &error));
    BAD(carom_fit_run(&fit, NULL, &o, &wanted, &error));
    BAD(carom_fit_run(&fit, model, &o, NULL, &error));
    BAD(carom_verify_run(NULL, model, &o, &error));
    BAD(carom_verify_run(&verify, NULL, &o, &error));
    BAD(carom_orbit_run(NULL, &o, NULL, NULL, &error));
    BAD(carom_orbit_run(model, &o, NULL, NULL, &error));
    BAD(carom_sweep_compute(NULL, &error));
    BAD(carom_basin_compute(NULL, NULL, NULL, 1e-6, &error));
    BAD(carom_basin_compute(&basins, NULL, NULL, 1e-6, &error));
    carom_fit_free(NULL), carom_tangent_free(NULL), carom_reference_free(NULL);
    carom_tangent_observe(NULL, NULL, NULL);
    carom_model_free(model);
}
END_TEST

/* ---- friction ---- */

static void unit_mass(const carom_point *at, double *out)
{
    (void)at;
    out[0] = out[3] = 1, out[1] = out[2] = 0;
}

static void weight(const carom_point *at, double *out)
{
    (void)at;
    out[0] = 0, out[1] = -10;
}

static void height(const carom_point *at, double *out)
{
    out[0] = at->q[1];
}

static void sliding(const carom_point *at, double *out)
{
    out[0] = at->v[0];
}

START_TEST(friction_without_a_direction_is_an_error)
{
    const double q[] = {0, 0}, v[] = {1, 0};
    const carom_contact wrong[] = {{.name = "floor", .friction = 0.3}, {.name = "floor", .friction_static = 0.3},
                                   {.name = "floor", .restitution_t = 0.3}};
    carom_contact right = {.name = "floor", .friction = 0.3, .directions = 1};
    carom_model model = {.size = sizeof model, .nq = 2, .nv = 2, .ncontact = 1, .q = q, .v = v, .mass = unit_mass,
                         .force = weight, .gap = height, .slip = sliding};
    carom_error error;
    carom_sim *sim;
    for (int i = 0; i < 3; i++) {
        model.contact = &wrong[i];
        ck_assert_int_eq(carom_sim_new(&sim, &model, NULL, &error), CAROM_BAD_MODEL);
        ck_assert_msg(strstr(error.text, "'floor'") && strstr(error.text, "directions = 0"), "%s", error.text);
    }
    model.contact = &right;
    CHECK_OK(carom_sim_new(&sim, &model, NULL, &error), error);
    ck_assert_int_eq(carom_sim_run(sim, 0.1), CAROM_OK);
    CHECK_NEAR(carom_sim_state(sim)->v[0], 0.7, 1e-6);
    carom_sim_free(sim);
}
END_TEST

START_TEST(a_copy_and_options_go_before_the_sim)
{
    const double q[] = {0, 5};
    carom_model model = {.size = sizeof model, .nq = 2, .nv = 2, .q = q, .mass = unit_mass, .force = weight}, *copy;
    carom_error error;
    carom_options *o = carom_options_new();
    carom_sim *sim;
    CHECK_OK(carom_model_copy(&copy, &model, &error), error);
    CHECK_OK(carom_sim_new(&sim, copy, o, &error), error);
    carom_options_free(o);
    ck_assert_int_eq(carom_sim_run(sim, 0.5), CAROM_OK);
    CHECK_NEAR(carom_sim_state(sim)->q[1], 5 - 1.25, 1e-9);
    carom_model_free(copy);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("lives of objects", what_belongs_together_is_freed_in_any_order,
          results_outlive_the_model_that_they_came_from, a_copy_and_options_go_before_the_sim,
          null_is_a_bad_argument_of_models_and_trajectories, null_is_a_bad_argument_of_outputs,
          null_is_a_bad_argument_of_what_is_computed_from_runs, friction_without_a_direction_is_an_error)
