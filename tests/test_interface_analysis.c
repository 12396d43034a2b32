/* test_interface_analysis.c: what the command does, done through the public headers alone, against exact solutions. */
#include <complex.h>
#include <string.h>
#include <unistd.h>

#include "carom_analysis.h"
#include "carom_output.h"
#include "testing.h"

static const char fall[] = "{\"carom\": 1, \"name\": \"fall\", \"parameters\": {\"g\": 10}, "
                           "\"coordinates\": {\"y\": 5}, \"mass\": [[1]], \"force\": {\"y\": \"-g\"}}";
static const char forced[] = "{\"carom\": 1, \"name\": \"forced\", \"parameters\": {\"c\": 0.1, \"w\": 2}, "
                             "\"coordinates\": {\"x\": 0}, \"mass\": [[1]], "
                             "\"force\": {\"x\": \"cos(w*t) - x - 2*c*x'\"}, \"period\": \"2*pi/w\"}";
static const char wells[] = "{\"carom\": 1, \"name\": \"wells\", \"coordinates\": {\"x\": 0.5}, \"mass\": [[1]], "
                            "\"force\": {\"x\": \"x - x^3 - 4*x'\"}}";
static const char ball[] = "{\"carom\": 1, \"name\": \"ball\", \"coordinates\": {\"y\": 1}, \"mass\": [[1]], "
                           "\"force\": {\"y\": -2}, "
                           "\"contacts\": {\"ground\": {\"gap\": \"y\", \"restitution\": 0.5}}}";

static carom_model *parse(const char *text)
{
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "model.json", text, strlen(text), NULL, &error), error);
    return model;
}

static void write_model(char *path, const char *text)
{
    int file = mkstemp(scratch_name(path, "interface"));
    ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
}

START_TEST(a_gradient_is_that_of_the_closed_form)
{
    carom_model *model = parse(fall);
    carom_options options = carom_options_default();
    carom_error error = {0};
    const char *const names[] = {"q.y", "v.y", "g"};
    double slope[3], difference[3];
    options.t_end = 0.5;
    carom_gradient g = {.size = sizeof g, .of = "2*y + y'", .name = names, .n = 3, .check = true, .slope = slope,
                        .difference = difference};
    CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
    CHECK_NEAR(g.value, 2 * (5 - 1.25) - 5, 1e-9); /* y = 5 + v t - g t^2/2 */
    const double exact[] = {2, 2 * 0.5 + 1, -0.25 - 0.5};
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(slope[k], exact[k], 1e-9);
        CHECK_NEAR(difference[k], exact[k], 1e-6);
    }
    g.of = "nothing";
    ck_assert(carom_gradient_run(&g, model, &options, &error) != CAROM_OK && strstr(error.text, "nothing"));
    g.of = NULL;
    ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_BAD_ARGUMENT);
    g.size = 8;
    ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_BAD_ARGUMENT);
    carom_model_free(model);
}
END_TEST

typedef struct orbit_seen {
    int n;
    double x[100][2], w[100], multiplier[2];
} orbit_seen;

static bool keep_orbit(void *user, const carom_orbit_point *at)
{
    orbit_seen *o = user;
    if (at->kind < 0 && o->n < 100) {
        memcpy(o->x[o->n], at->x, sizeof o->x[0]);
        o->w[o->n++] = at->parameter;
        memcpy(o->multiplier, at->multiplier, sizeof o->multiplier);
        ck_assert(at->stable && at->nmultiplier == 2 && at->impacts == 0);
    }
    return true;
}

START_TEST(the_orbit_of_a_forced_oscillator_and_its_branch_are_exact)
{
    carom_model *model = parse(forced);
    carom_options options = carom_options_default();
    carom_error error = {0};
    orbit_seen seen = {0};
    const char *const w[] = {"w"};
    char ended[200];
    options.rtol = options.atol = 1e-11;
    carom_orbit_request request = {.size = sizeof request, .transient = 5, .parameter = w, .np = 1,
                                   .point = keep_orbit, .user = &seen};
    CHECK_OK(carom_orbit_run(model, &options, &request, ended, &error), error);
    ck_assert_int_eq(seen.n, 1);
    CHECK_NEAR(hypot(seen.multiplier[0], seen.multiplier[1]), exp(-0.1 * acos(-1)), 1e-8); /* exp(-c T), T = pi */
    request.to = 3, request.step = 0.1;
    seen.n = 0;
    CHECK_OK(carom_orbit_run(model, &options, &request, ended, &error), error);
    ck_assert_msg(strstr(ended, "end of the range"), "%s", ended);
    CHECK_AT_LEAST(seen.n, 5);
    CHECK_NEAR(seen.w[seen.n - 1], 3, 1e-9);
    for (int i = 0; i < seen.n; i++) { /* x = Re(A exp(i w t)), A = 1/(1 - w^2 + 2 i c w) */
        double complex A = 1 / (1 - seen.w[i] * seen.w[i] + 0.2 * seen.w[i] * I);
        CHECK_NEAR(seen.x[i][0], creal(A), 1e-8);
        CHECK_NEAR(seen.x[i][1], creal(I * seen.w[i] * A), 1e-8);
    }
    request.parameter = (const char *const[]){"mass"};
    ck_assert_int_eq(carom_orbit_run(model, &options, &request, NULL, &error), CAROM_BAD_ARGUMENT);
    request.point = NULL;
    ck_assert_int_eq(carom_orbit_run(model, &options, &request, NULL, &error), CAROM_BAD_ARGUMENT);
    carom_model_free(model);
}
END_TEST

typedef struct rows_seen {
    int n;
    double worst;
} rows_seen;

static carom_status keep_row(void *user, long long index, const double *x, carom_status status, const double *value,
                             const char *text)
{
    rows_seen *r = user;
    (void)index;
    ck_assert_msg(status == CAROM_OK, "%s", text);
    r->worst = fmax(r->worst, fabs(value[0] - (5 + x[0] - x[1] / 2))); /* y at t = 1 */
    r->worst = fmax(r->worst, fabs(value[1] - (5 + x[0] * x[0] / (2 * x[1]))));
    r->n++;
    return CAROM_OK;
}

START_TEST(a_sweep_hands_over_the_rows_of_its_grid)
{
    char path[SCRATCH];
    rows_seen seen = {0};
    carom_error error = {0};
    const carom_sweep_axis axis[] = {{"v.y", 1, 4, 4}, {"g", 8, 10, 3}};
    const char *const measures[] = {"final:y", "max:y"};
    write_model(path, fall);
    carom_sweep_request request = {.size = sizeof request, .path = path, .axis = axis, .naxis = 2,
                                   .measure = measures, .nmeasure = 2, .span = {CAROM_SPAN_TIME, 1, 0},
                                   .row = keep_row, .user = &seen};
    CHECK_OK(carom_sweep_compute(&request, &error), error);
    ck_assert_int_eq(seen.n, 12);
    CHECK_AT_MOST(seen.worst, 1e-5);
    request.shard = 1, request.nshard = 3, seen.n = 0;
    CHECK_OK(carom_sweep_compute(&request, &error), error);
    ck_assert_int_eq(seen.n, 4);
    const char *doc;
    int known = 0;
    for (; carom_measure_name(known, &doc); known++)
        ck_assert(doc && *doc);
    CHECK_AT_LEAST(known, 9);
    ck_assert_ptr_null(doc);
    request.measure = (const char *const[]){"speed", "max:y"};
    ck_assert(carom_sweep_compute(&request, &error) != CAROM_OK && strstr(error.text, "speed"));
    request.naxis = 11;
    ck_assert_int_eq(carom_sweep_compute(&request, &error), CAROM_BAD_ARGUMENT);
    unlink(path);
}
END_TEST

START_TEST(basins_of_two_wells_are_the_two_half_lines)
{
    char path[SCRATCH];
    carom_error error = {0};
    carom_basins basins;
    const carom_sweep_axis axis[] = {{"q.x", -0.95, 0.95, 20}};
    const carom_basin basin = {.size = sizeof basin, .strobe = 2, .most = 200, .max_period = 4, .tol = 1e-6};
    write_model(path, wells);
    const carom_sweep_request request = {.size = sizeof request, .path = path, .axis = axis, .naxis = 1};
    CHECK_OK(carom_basin_compute(&basins, &request, &basin, 1e-3, &error), error);
    ck_assert_int_eq(basins.n, 2);
    ck_assert(basins.failed + basins.missing + basins.stopped + basins.not_periodic == 0);
    for (int i = 0; i < 20; i++) { /* overdamped: nobody crosses the hill */
        const carom_attractor *a = &basins.attractor[basins.owner[i]];
        CHECK_NEAR(a->orbit[0], i < 10 ? -1 : 1, 1e-3);
        ck_assert(a->rest && a->period == 1 && a->count == 10);
    }
    carom_basins_free(&basins);
    ck_assert_int_eq(carom_basin_compute(&basins, &request, &(carom_basin){.size = sizeof basin, .most = 1, .tol = 1},
                                         1e-3, &error),
                     CAROM_BAD_ARGUMENT);
    unlink(path);
}
END_TEST

START_TEST(a_run_is_written_read_back_drawn_and_verified)
{
    char path[SCRATCH + 8], picture[SCRATCH + 8], name[SCRATCH];
    carom_model *model = parse(ball);
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    carom_sink *sink;
    carom_columns *columns;
    options.t_end = 1.5;
    int file = mkstemp(scratch_name(name, "run"));
    ck_assert(file >= 0 && close(file) == 0);
    snprintf(path, sizeof path, "%s.csv", name), snprintf(picture, sizeof picture, "%s.svg", name);
    const carom_sink_info info = {.size = sizeof info, .scheme = options.scheme, .source = "ball"};
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    CHECK_OK(carom_sink_new(&sink, path, NULL, model, NULL, &info, 0.25, &error), error);
    const carom_observer observer = carom_sink_observer(sink);
    ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
    ck_assert_int_eq(carom_sim_run(sim, options.t_end), CAROM_OK);
    CHECK_OK(carom_sink_close(sink, &error), error);
    CHECK_OK(carom_columns_read(&columns, path, &error), error);
    int t = carom_columns_find(columns, "t"), y = carom_columns_find(columns, "y");
    ck_assert(t >= 0 && y >= 0 && columns->nrow == 8); /* seven samples, of which the one at the impact is two rows */
    for (size_t i = 0; i < columns->nrow; i++) {
        double s = columns->column[t][i];
        CHECK_NEAR(columns->column[y][i], s <= 1 ? 1 - s * s : (s - 1) - (s - 1) * (s - 1), 1e-6);
    }
    CHECK_OK(carom_svg_plot(picture, NULL, columns, NULL, &error), error);
    carom_columns_free(columns);
    double e, allowed;
    carom_verify verify = {.size = sizeof verify, .error = &e, .allowed = &allowed};
    CHECK_OK(carom_verify_run(&verify, model, &options, &error), error);
    CHECK_AT_MOST(e, allowed);
    ck_assert_int_eq(carom_sink_new(&sink, path, NULL, model, NULL, &(carom_sink_info){.gaps = true}, 0, &error),
                     CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_sink_new(NULL, path, NULL, model, NULL, NULL, 0, &error), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_columns_read(&columns, NULL, &error), CAROM_BAD_ARGUMENT);
    carom_sim_free(sim);
    carom_model_free(model);
    unlink(path), unlink(picture), unlink(name);
    snprintf(path, sizeof path, "%.290s.events.csv", name);
    unlink(path);
}
END_TEST

TEST_MAIN("interface of analyses and output", a_gradient_is_that_of_the_closed_form,
          the_orbit_of_a_forced_oscillator_and_its_branch_are_exact, a_sweep_hands_over_the_rows_of_its_grid,
          basins_of_two_wells_are_the_two_half_lines, a_run_is_written_read_back_drawn_and_verified)
