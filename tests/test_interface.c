/* test_interface.c: what the public headers promise to other programs and to bindings: sizes, NULL, ranges, samples. */
#include <string.h>
#include <time.h>

#include "carom_analysis.h"
#include "testing.h"

static const char text[] = "{\"carom\": 1, \"parameters\": {\"e\": 0.5}, \"coordinates\": {\"y\": 1}, "
                           "\"mass\": [[1]], \"force\": {\"y\": -2}, "
                           "\"contacts\": {\"ground\": {\"gap\": \"y\", \"restitution\": \"e\"}}}";

static carom_model *ball(void)
{
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "ball", text, strlen(text), NULL, &error), error);
    return model;
}

static void refused(carom_status status, const carom_error *error, const char *words)
{
    ck_assert_int_eq(status, CAROM_BAD_ARGUMENT);
    ck_assert_msg(strstr(error->text, words), "'%s' is not in: %s", words, error->text);
}

START_TEST(a_struct_of_another_size_is_refused_with_both_sizes)
{
    carom_model *model = ball(), other = *model;
    carom_options options = carom_options_default();
    carom_load_options load = {.jit = false};
    carom_error error = {0};
    carom_sim *sim = NULL;
    char size[40];
    other.size -= 8;
    refused(carom_sim_new(&sim, &other, &options, &error), &error, "carom_model says");
    snprintf(size, sizeof size, "%zu bytes, here it has %zu", sizeof other - 8, sizeof other);
    ck_assert_ptr_nonnull(strstr(error.text, size));
    options.size += 8;
    refused(carom_sim_new(&sim, model, &options, &error), &error, "carom_options says");
    refused(carom_options_set(&options, "h", "1", &error), &error, "carom_options says");
    carom_model *loaded;
    refused(carom_model_parse(&loaded, "ball", text, strlen(text), &load, &error), &error, "carom_load_options says");
    options = carom_options_default();
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    refused(carom_sim_observe(sim, &(carom_observer){.user = NULL}), carom_sim_error(sim), "carom_observer says");
    carom_lyapunov_result result;
    carom_converge_result converged;
    carom_local_result local;
    carom_bifurcation *diagram;
    refused(carom_lyapunov_run(model, &options, &(carom_lyapunov_request){.length = 1}, &result, &error), &error,
            "carom_lyapunov_request says");
    refused(carom_converge_run(&(carom_converge_request){.model = model}, &converged, &error), &error,
            "carom_converge_request says");
    refused(carom_local_run(&(carom_local_request){.model = model}, &local, &error), &error,
            "carom_local_request says");
    refused(carom_bifurcation_run(&diagram, model, &options, &(carom_bifurcation_request){.n = 1}, &error), &error,
            "carom_bifurcation_request says");
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

#define BAD(call) ck_assert_msg((call) == CAROM_BAD_ARGUMENT, "%s is not refused", #call)

START_TEST(null_instead_of_an_object_is_a_bad_argument)
{
    carom_model *model;
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim = NULL;
    carom_trajectory *trajectory = NULL;
    double x[4] = {0};
    const char *const names[] = {NULL};
    BAD(carom_model_load(NULL, "ball", NULL, &error));
    BAD(carom_model_load(&model, NULL, NULL, NULL));
    model = ball();
    BAD(carom_model_parse(NULL, "ball", text, strlen(text), NULL, &error));
    carom_model *none;
    BAD(carom_model_parse(&none, "ball", NULL, 0, NULL, &error));
    BAD(carom_model_set(NULL, names, x, 1, &error));
    BAD(carom_model_set(model, NULL, x, 1, &error));
    BAD(carom_model_set(model, names, x, 1, &error));
    BAD(carom_model_set(model, names, x, -1, &error));
    BAD(carom_options_set(NULL, "h", "1", &error));
    BAD(carom_options_set(&options, NULL, "1", &error));
    BAD(carom_options_set(&options, "h", NULL, NULL));
    BAD(carom_options_from_model(NULL, model, &error));
    BAD(carom_options_from_model(&options, NULL, &error));
    BAD(carom_sim_new(NULL, model, NULL, &error));
    BAD(carom_sim_new(&sim, NULL, NULL, &error));
    BAD(carom_sim_observe(NULL, NULL));
    BAD(carom_sim_step(NULL));
    BAD(carom_sim_run(NULL, 1));
    BAD(carom_sim_restart(NULL, x, x, x));
    BAD(carom_sim_load(NULL, x, 8));
    BAD(carom_sim_dump(NULL, "x"));
    BAD(carom_trajectory_new(NULL, sim, &error));
    BAD(carom_trajectory_new(&trajectory, NULL, &error));
    BAD(carom_trajectory_at(NULL, 0, 0, x, x));
    BAD(carom_trajectory_sample(NULL, 1, x, 0, x, x));
    ck_assert(!carom_sim_state(NULL) && !carom_sim_info(NULL) && !carom_sim_error(NULL) && !carom_sim_options(NULL));
    ck_assert(!carom_trajectory_segment(NULL, 0) && !carom_trajectory_jump(NULL, 0) &&
              !carom_trajectory_event(NULL, 0) && carom_sim_save(NULL, NULL, 0) == 0);
    ck_assert_str_eq(carom_sim_note(NULL), "");
    carom_sim_interrupt(NULL);
    carom_sim_free(NULL), carom_model_free(NULL), carom_trajectory_free(NULL), carom_options_free(NULL);
    CHECK_OK(carom_sim_new(&sim, model, NULL, &error), error);
    BAD(carom_sim_observe(sim, NULL));
    BAD(carom_sim_load(sim, NULL, 1000));
    BAD(carom_sim_dump(sim, NULL));
    BAD(carom_sim_run(sim, NAN));
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

START_TEST(null_instead_of_an_object_is_a_bad_argument_of_analyses)
{
    carom_model *model = ball();
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_lyapunov_request request = carom_lyapunov_request_default();
    carom_lyapunov_result result;
    carom_tangent *tangent;
    carom_sim *sim;
    carom_reference *reference;
    carom_bifurcation *diagram;
    double x[4] = {0};
    const carom_graph graph = {2, 1, x, x};
    carom_hausdorff_bounds bounds;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    BAD(carom_tangent_new(NULL, sim, 1, &error));
    BAD(carom_tangent_new(&tangent, NULL, 1, &error));
    BAD(carom_tangent_start(NULL, x, NULL));
    BAD(carom_tangent_replace(NULL, x));
    CHECK_OK(carom_tangent_new(&tangent, sim, 1, &error), error);
    BAD(carom_tangent_start(tangent, NULL, NULL));
    ck_assert(!carom_tangent_columns(NULL) && !carom_tangent_report(NULL) && !carom_tangent_error(NULL));
    BAD(carom_lyapunov_run(NULL, &options, &request, &result, &error));
    BAD(carom_lyapunov_run(model, &options, NULL, &result, &error));
    BAD(carom_lyapunov_run(model, &options, &request, NULL, &error));
    BAD(carom_lyapunov_starts(NULL, &options, &request, 1, 0, 1, &result, &result, &error));
    BAD(carom_lyapunov_starts(model, &options, &request, 1, 0, 1, NULL, &result, &error));
    BAD(carom_hausdorff(NULL, &graph, 1, &bounds, &error));
    BAD(carom_hausdorff(&graph, &graph, 1, NULL, &error));
    BAD(carom_reference_new(NULL, model, &options, CAROM_REFERENCE_AUTO, &error));
    BAD(carom_reference_new(&reference, NULL, &options, CAROM_REFERENCE_AUTO, &error));
    BAD(carom_reference_at(NULL, 0, 0, x, x, NULL));
    BAD(carom_reference_accuracy(NULL, "L1.q", x, &error));
    BAD(carom_reference_errors(NULL, model, &options, NULL, 0, NULL, NULL, NULL, &error));
    BAD(carom_converge_run(NULL, NULL, &error));
    BAD(carom_local_run(NULL, NULL, &error));
    BAD(carom_bifurcation_run(&diagram, NULL, &options, NULL, &error));
    BAD(carom_bifurcation_run(&diagram, model, &options, NULL, &error));
    carom_bifurcation_free(NULL);
    carom_sim_free(sim);
    carom_tangent_free(tangent);
    carom_model_free(model);
}
END_TEST

START_TEST(options_filled_by_hand_are_checked_against_their_ranges)
{
    static const struct {
        const char *words;
        double h, rtol, t_end, theta;
        int newton_max;
    } bad[] = {{"h = -1", -1, 1e-6, 1, 0.5, 50},          {"h = nan", NAN, 1e-6, 1, 0.5, 50},
               {"rtol = 2", 0.1, 2, 1, 0.5, 50},          {"t_end = inf", 0.1, 1e-6, INFINITY, 0.5, 50},
               {"theta = 7: expected", 0.1, 1e-6, 1, 7, 50}, {"newton_max = 0", 0.1, 1e-6, 1, 0.5, 0}};
    carom_model *model = ball();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        carom_options o = carom_options_default();
        carom_error error;
        carom_sim *sim;
        CHECK_OK(carom_options_set(&o, "scheme", "moreau-jean", &error), error);
        o.h = bad[i].h, o.rtol = bad[i].rtol, o.t_end = bad[i].t_end, o.newton_max = bad[i].newton_max;
        o.scheme_field[0] = bad[i].theta;
        ck_assert_int_eq(carom_sim_new(&sim, model, &o, &error), CAROM_BAD_OPTION);
        ck_assert_msg(strstr(error.text, bad[i].words), "'%s' is not in: %s", bad[i].words, error.text);
    }
    carom_options *o = carom_options_new(), same = carom_options_default();
    ck_assert_mem_eq(o->scheme, same.scheme, sizeof same.scheme);
    ck_assert(o->size == sizeof *o && o->rtol == same.rtol && o->newton_max == same.newton_max);
    memset(o->scheme, 'x', sizeof o->scheme);
    carom_sim *sim;
    ck_assert_int_eq(carom_sim_new(&sim, model, o, NULL), CAROM_BAD_OPTION);
    carom_options_free(o);
    carom_model_free(model);
}
END_TEST

static carom_trajectory *recorded(carom_model *model, carom_sim **sim)
{
    carom_trajectory *trajectory;
    carom_error error;
    CHECK_OK(carom_sim_new(sim, model, NULL, &error), error);
    CHECK_OK(carom_trajectory_new(&trajectory, *sim, &error), error);
    ck_assert_int_eq(carom_sim_run(*sim, 4), CAROM_OK);
    return trajectory;
}

/* y = 1 - t^2 until 1; impacts at 1 and 2, e = 1/2; at rest from 3 on */
START_TEST(samples_in_one_call_are_those_of_single_calls_on_both_sides_of_impacts)
{
    carom_model *model = ball();
    carom_sim *sim;
    carom_trajectory *trajectory = recorded(model, &sim);
    enum { N = 4001 };
    static double t[N], q[N], v[N];
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < N; i++)
            t[i] = i / 1000.0;
        t[1000] = carom_trajectory_jump(trajectory, 0)->t;
        t[2000] = carom_trajectory_jump(trajectory, 1)->t;
        ck_assert_int_eq(carom_trajectory_sample(trajectory, N, t, side, q, v), CAROM_OK);
        for (int i = 0; i < N; i++) {
            double one_q, one_v;
            ck_assert_int_eq(carom_trajectory_at(trajectory, t[i], side, &one_q, &one_v), CAROM_OK);
            ck_assert(one_q == q[i] && one_v == v[i]);
        }
        CHECK_NEAR(v[1000], side < 0 ? -2 : 1, 1e-9);
        CHECK_NEAR(v[2000], side < 0 ? -1 : 0.5, 1e-5);
        CHECK_NEAR(q[500], 0.75, 1e-9);
        CHECK_NEAR(q[3500], 0, 1e-9);
    }
    double back[] = {2, 1}, outside[] = {1, 5};
    ck_assert_int_eq(carom_trajectory_sample(trajectory, 2, back, 1, q, v), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_trajectory_sample(trajectory, 2, outside, 1, q, v), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_trajectory_sample(trajectory, 0, NULL, 1, NULL, NULL), CAROM_OK);
    ck_assert_int_eq(carom_trajectory_sample(trajectory, N, t, 1, NULL, v), CAROM_OK);
    carom_sim_free(sim);
    carom_trajectory_free(trajectory);
    carom_model_free(model);
}
END_TEST

START_TEST(a_million_samples_take_far_less_than_a_second)
{
    carom_model *model = ball();
    carom_sim *sim;
    carom_trajectory *trajectory = recorded(model, &sim);
    const size_t n = 1000000;
    double *t = malloc(sizeof *t * n), *q = malloc(sizeof *q * n), *v = malloc(sizeof *v * n);
    for (size_t i = 0; i < n; i++)
        t[i] = 4 * (double)i / (double)(n - 1);
    clock_t begin = clock();
    ck_assert_int_eq(carom_trajectory_sample(trajectory, n, t, 1, q, v), CAROM_OK);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%zu samples: %.3f s\n", n, seconds);
    CHECK_AT_MOST(seconds, 0.2 * 5); /* 0.2 s without sanitizers on a machine that does nothing else */
    free(t), free(q), free(v);
    carom_sim_free(sim);
    carom_trajectory_free(trajectory);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("interface", a_struct_of_another_size_is_refused_with_both_sizes,
          null_instead_of_an_object_is_a_bad_argument, null_instead_of_an_object_is_a_bad_argument_of_analyses,
          options_filled_by_hand_are_checked_against_their_ranges,
          samples_in_one_call_are_those_of_single_calls_on_both_sides_of_impacts,
          a_million_samples_take_far_less_than_a_second)
