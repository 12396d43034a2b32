/* test_draw.c: where the shapes of a drawing are, and that a recorded run is what its file would be. */
#include <string.h>
#include <unistd.h>

#include "output/draw.h"
#include "output/report/report.h"
#include "testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else
static const char pendulum[] =
    "carom: 1\n"
    "name: pendulum\n"
    "parameters: {l: 2, r: 0.5}\n"
    "coordinates: {th: 1}\n"
    "kinetic: th'^2/2\n"
    "contacts: {wall: {gap: th + 1, restitution: 0}}\n"
    "draw:\n"
    "  bob: {circle: [l*sin(th), -l*cos(th), r], angle: th', contact: wall}\n"
    "  pivot: {point: [0, 0]}\n";

START_TEST(shapes_are_where_the_coordinates_say_also_after_a_parameter_changed)
{
    carom_error error = {0};
    carom_model *m;
    CHECK_OK(carom_model_parse(&m, "pendulum", pendulum, strlen(pendulum), NULL, &error), error);
    const char *names[] = {"l"};
    const double three[] = {3};
    CHECK_OK(carom_model_set(m, names, three, 1, &error), error);
    double t[] = {0, 1, 1, 2}, th[] = {1, 0, 0, 0.5}, rate[] = {-1, -1, 2, 2}, side[] = {0, -1, 1, 0},
           mode[] = {0, 0, 1, 1};
    double *columns[] = {t, side, th, rate, mode};
    char *headers[] = {"t", "side", "th", "th'", "wall.mode"};
    const carom_columns table = {.ncolumn = 5, .nrow = 4, .name = headers, .column = columns};
    const carom_animated run = {"run", m, &table};
    char reason[300];
    ck_assert_ptr_null(carom_draw_obstacle(&run, reason));
    const double at[] = {0, 0.5, 1, 2};
    carom_draw_frames f;
    CHECK_OK(carom_draw_sample(&f, &run, at, 4, &error), error);
    ck_assert_int_eq(f.nshape, 2);
    ck_assert(!f.still[0] && f.still[1]);
    const double angle[] = {1, 0.5, 0, 0.5}, turn[] = {-1, -1, 2, 2};
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(f.value[0][4 * k], 3 * sin(angle[k]), 1e-14);
        CHECK_NEAR(f.value[0][4 * k + 1], -3 * cos(angle[k]), 1e-14);
        CHECK_NEAR(f.value[0][4 * k + 2], 0.5, 0);
        CHECK_NEAR(f.value[0][4 * k + 3], turn[k], 0);
    }
    ck_assert_int_eq(f.mode[0], CAROM_OPEN);
    ck_assert_int_eq(f.mode[2], CAROM_CLOSED);
    ck_assert_uint_eq(f.nhit, 1);
    CHECK_NEAR(f.hit[0], 1, 0);
    CHECK_AT_MOST(f.box[0], -0.5); /* the bob at th = 0 is wider than the pivot */
    CHECK_AT_LEAST(f.box[2], 3 * sin(1) + 0.5);
    CHECK_AT_MOST(f.box[1], -3.5);
    carom_draw_free(&f);

    const carom_columns poor = {.ncolumn = 3, .nrow = 4, .name = headers, .column = columns};
    const carom_animated without = {"run", m, &poor};
    ck_assert_str_eq(carom_draw_obstacle(&without, reason),
                     "the trajectory has no column 'th'' of the model 'pendulum'");
    carom_model_free(m);
}
END_TEST

START_TEST(a_recorded_run_is_the_table_of_its_file)
{
    carom_error error = {0};
    carom_model *m;
    carom_sim *sim;
    carom_sink *sink;
    carom_recorder *recorder;
    carom_columns *file;
    carom_report_run run = {0};
    CHECK_OK(carom_model_load(&m, "pendulum-wall", NULL, &error), error);
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_from_model(&o, m, &error), error);
    o.energy = true;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    char events[260], csv[260];
    const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    snprintf(csv, sizeof csv, "%.200s/carom-draw-%ld.csv", tmp, (long)getpid());
    snprintf(events, sizeof events, "%.200s/carom-draw-%ld.events.csv", tmp, (long)getpid());
    const carom_sink_info info = {.size = sizeof info, .gaps = true, .energy = true};
    CHECK_OK(carom_sink_new(&sink, csv, NULL, m, NULL, &info, o.every, &error), error);
    CHECK_OK(carom_recorder_new(&recorder, m, o.every, &error), error);
    carom_observer a = carom_sink_observer(sink), b = carom_recorder_observer(recorder);
    ck_assert(carom_sim_observe(sim, &a) == CAROM_OK && carom_sim_observe(sim, &b) == CAROM_OK);
    ck_assert_int_eq(carom_sim_run(sim, o.t_end), CAROM_OK);
    CHECK_OK(carom_sink_close(sink, &error), error);
    CHECK_OK(carom_recorder_end(recorder, &run, &error), error);
    CHECK_OK(carom_columns_read(&file, csv, &error), error);
    ck_assert_int_eq(file->ncolumn, run.table->ncolumn);
    ck_assert_uint_eq(file->nrow, run.table->nrow);
    for (int i = 0; i < file->ncolumn; i++) {
        ck_assert_str_eq(file->name[i], run.table->name[i]);
        ck_assert_int_eq(memcmp(file->column[i], run.table->column[i], file->nrow * sizeof(double)), 0);
    }
    double sum = 0;
    for (size_t i = 0; i < run.nstep; i++)
        sum += run.step_h[i];
    CHECK_NEAR(sum, o.t_end, 1e-12);
    unlink(csv);
    unlink(events);
    carom_columns_free(file);
    carom_recorder_free(recorder);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("drawings", shapes_are_where_the_coordinates_say_also_after_a_parameter_changed,
          a_recorded_run_is_the_table_of_its_file)
#endif
