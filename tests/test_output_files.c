/* test_output_files.c: a trajectory as a file of each format, and what happens when it cannot be written. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "test_output.h"

static carom_sink *open_sink(const char *path, double every)
{
    static carom_model model;
    carom_sink *sink;
    carom_error error = {0};
    model = fixture_model();
    carom_sink_info info = {.size = sizeof info, .scheme = "exact", .options = "t_end=1.5\nrtol=1", .source = "a.yaml"};
    CHECK_OK(carom_sink_new(&sink, path, NULL, &model, NULL, &info, every, &error), error);
    return sink;
}

static void write_fixture(const char *path)
{
    carom_error error = {0};
    carom_sink *sink = open_sink(path, 0.5);
    fixture_play(carom_sink_observer(sink));
    CHECK_OK(carom_sink_close(sink, &error), error);
}

START_TEST(csv_holds_exactly_these_lines)
{
    char path[300], events[300];
    strcpy(path, fixture_path("a.csv"));
    strcpy(events, fixture_path("a.events.csv"));
    write_fixture(path);
    char *text = fixture_read(path, NULL);
    ck_assert_str_eq(text, "# carom " CAROM_VERSION
                           "\n# model: fixture\n# source: a.yaml\n# parameters: p0=2\n# scheme: exact\n"
                           "# options: t_end=1.5 rtol=1\n"
                           "t,side,y,y',twice,ground.mode,ground.force,ground.impulse\n"
                           "0,0,1,0,2,0,0,0\n0.5,0,0.75,-1,1.5,0,0,0\n1,-1,0,-2,0,0,0,0\n1,1,0,1,0,0,4,3\n"
                           "1.5,0,0.5,1,1,1,4,0\n");
    free(text);
    text = fixture_read(events, NULL);
    ck_assert_ptr_nonnull(strstr(text, "\nt,event,contact,u_before,u_after,impulse\n1,impact,ground,-2,1,3\n"));
    free(text);
    fixture_remove();
}
END_TEST

START_TEST(json_holds_exactly_these_lines)
{
    char path[300];
    strcpy(path, fixture_path("a.json"));
    write_fixture(path);
    char *text = fixture_read(path, NULL);
    ck_assert_str_eq(
        text,
        "{\"carom\":\"" CAROM_VERSION "\",\"model\":\"fixture\",\"source\":\"a.yaml\",\"parameters\":{\"p0\":2},"
        "\"scheme\":\"exact\",\"options\":\"t_end=1.5\\nrtol=1\",\n"
        "\"columns\":[\"t\",\"side\",\"y\",\"y'\",\"twice\",\"ground.mode\",\"ground.force\",\"ground.impulse\"],\n"
        "\"rows\":[\n[0,0,1,0,2,0,0,0],\n[0.5,0,0.75,-1,1.5,0,0,0],\n[1,-1,0,-2,0,0,0,0],\n[1,1,0,1,0,0,4,3],\n"
        "[1.5,0,0.5,1,1,1,4,0]\n],\n\"events\":[\n{\"t\":1,\"event\":\"impact\",\"contact\":\"ground\","
        "\"u_before\":[-2],\"u_after\":[1],\"impulse\":[3]}\n]}\n");
    free(text);
    fixture_remove();
}
END_TEST

START_TEST(a_stream_of_the_caller_gets_csv_and_stays_open)
{
    char *text = NULL;
    size_t length;
    carom_model model = fixture_model();
    carom_error error = {0};
    carom_sink *sink;
    FILE *memory = open_memstream(&text, &length);
    CHECK_OK(carom_sink_new(&sink, "-", memory, &model, NULL, NULL, 0.5, &error), error);
    fixture_play(carom_sink_observer(sink));
    ck_assert_uint_eq(carom_sink_rows(sink), 4);
    CHECK_OK(carom_sink_close(sink, &error), error);
    ck_assert_int_eq(fputs("more\n", memory), 1);
    fclose(memory);
    ck_assert_ptr_nonnull(strstr(text, "\n1.5,0,0.5,1,1,1,4,0\nmore\n"));
    free(text);
}
END_TEST

START_TEST(other_parameters_reach_the_outputs)
{
    char *text = NULL;
    size_t length;
    carom_model model = fixture_model();
    carom_error error = {0};
    carom_sink *sink;
    FILE *memory = open_memstream(&text, &length);
    CHECK_OK(carom_sink_new(&sink, "-", memory, &model, (const double[]){8}, NULL, 0, &error), error);
    fixture_play(carom_sink_observer(sink));
    CHECK_OK(carom_sink_close(sink, &error), error);
    fclose(memory);
    ck_assert_ptr_nonnull(strstr(text, "\n1.5,0,0.5,1,4,1,4,0\n"));
    free(text);
}
END_TEST

START_TEST(a_path_that_cannot_be_written_is_an_error_with_the_systems_words)
{
    carom_model model = fixture_model();
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[60];
        carom_sink *sink = (void *)&model;
        carom_error error = {0};
        snprintf(name, sizeof name, "no/such/folder/a.%s", fixture_endings[i]);
        ck_assert_int_eq(carom_sink_new(&sink, fixture_path(name), NULL, &model, NULL, NULL, 0, &error), CAROM_FILE);
        ck_assert_ptr_null(sink);
        ck_assert_msg(strstr(error.text, name) && strstr(error.text, strerror(ENOENT)), "%s", error.text);
    }
    fixture_remove();
}
END_TEST

START_TEST(an_unknown_ending_is_an_error_that_names_the_valid_ones)
{
    carom_model model = fixture_model();
    carom_sink *sink;
    carom_error error = {0};
    ck_assert_int_eq(carom_sink_new(&sink, "a.txt", NULL, &model, NULL, NULL, 0, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "a.txt"));
    ck_assert_ptr_nonnull(strstr(error.text, ".csv, .h5, .hdf5, .json"));
}
END_TEST

START_TEST(a_build_without_hdf5_says_so)
{
    if (FIXTURE_FORMATS > FIXTURE_TEXTS)
        return;
    carom_model model = fixture_model();
    carom_sink *sink;
    carom_columns *table;
    carom_error error = {0};
    ck_assert_int_eq(carom_sink_new(&sink, "a.h5", NULL, &model, NULL, NULL, 0, &error), CAROM_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "use .csv or .json"));
    ck_assert_int_eq(carom_columns_read(&table, "a.h5", &error), CAROM_UNSUPPORTED);
}
END_TEST

/* Rows until the sink reports a failure; how many. */
static int rows_until_failure(carom_sink *sink, int most)
{
    carom_observer o = carom_sink_observer(sink);
    for (int i = 0; i < most; i++) {
        if (carom_sink_status(sink)->status != CAROM_OK)
            return i;
        const double q[] = {1.0 / (i + 3)}, v[] = {2.0 / (i + 7)}, force[] = {0};
        carom_segment s = {i, i + 1, 0, 0, q, NULL, v, force, (const unsigned char[]){0}, 0, 0, 0, NULL, 0};
        o.segment(o.user, &s);
    }
    return most;
}

/* A sink of this format on a disk that is full. */
static carom_status open_full(int format, char name[static 40], carom_sink **sink, carom_error *error)
{
    static carom_model model;
    char path[300];
    model = fixture_model();
    snprintf(name, 40, "a.%s", fixture_endings[format]);
    strcpy(path, fixture_path(name));
    ck_assert_int_eq(symlink("/dev/full", path), 0);
    return carom_sink_new(sink, path, NULL, &model, NULL, NULL, 0, error);
}

START_TEST(a_full_disk_stops_the_writing_early_and_is_reported_at_close)
{
    for (int i = 0; i < FIXTURE_FORMATS && access("/dev/full", W_OK) == 0; i++) {
        char name[40];
        carom_sink *sink;
        carom_error error = {0};
        carom_status status = open_full(i, name, &sink, &error);
        if (status == CAROM_OK) {
            ck_assert_int_lt(rows_until_failure(sink, 20000), 20000);
            status = carom_sink_close(sink, &error);
        }
        ck_assert_int_eq(status, CAROM_FILE);
        ck_assert_msg(strstr(error.text, name) && strstr(error.text, strerror(ENOSPC)), "%s", error.text);
    }
    fixture_remove();
}
END_TEST

START_TEST(a_few_rows_for_a_full_disk_fail_at_close)
{
    for (int i = 0; i < FIXTURE_TEXTS && access("/dev/full", W_OK) == 0; i++) {
        char name[40];
        carom_sink *sink;
        carom_error error = {0};
        CHECK_OK(open_full(i, name, &sink, &error), error);
        fixture_play(carom_sink_observer(sink));
        ck_assert_int_eq(carom_sink_close(sink, &error), CAROM_FILE);
        ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOSPC)));
    }
    fixture_remove();
}
END_TEST

START_TEST(a_disk_that_fills_up_half_way_is_noticed_by_every_format)
{
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40];
        carom_error error = {0};
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        carom_sink *sink = open_sink(fixture_path(name), 0);
        struct rlimit limit, small;
        ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
        small = limit;
        small.rlim_cur = 700000;
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        int taken = rows_until_failure(sink, 200000);
        ck_assert_msg(taken < 200000, "%s took %d rows", name, taken);
        ck_assert_int_eq(carom_sink_close(sink, &error), CAROM_FILE);
        ck_assert_msg(strstr(error.text, name) && strstr(error.text, strerror(EFBIG)), "%s", error.text);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
    fixture_remove();
}
END_TEST

static size_t rows_in(const char *path, bool *truncated)
{
    carom_columns *table;
    carom_error error = {0};
    CHECK_OK(carom_columns_read(&table, path, &error), error);
    size_t n = table->nrow;
    *truncated = table->truncated;
    carom_columns_free(table);
    return n;
}

START_TEST(a_file_that_grows_can_be_read_and_holds_whole_rows)
{
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40], path[300];
        bool truncated;
        carom_error error = {0};
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        strcpy(path, fixture_path(name));
        carom_sink *sink = open_sink(path, 0);
        for (int k = 0; k < 3; k++) {
            fixture_play(carom_sink_observer(sink));
            ck_assert_int_eq(carom_sink_flush(sink), CAROM_OK);
            ck_assert_uint_eq(rows_in(path, &truncated), carom_sink_rows(sink));
        }
        CHECK_OK(carom_sink_close(sink, &error), error);
        ck_assert_uint_ge(rows_in(path, &truncated), 10);
        ck_assert(!truncated);
    }
    fixture_remove();
}
END_TEST

START_TEST(after_a_kill_the_file_holds_what_was_flushed)
{
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40], path[300];
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        strcpy(path, fixture_path(name));
        pid_t child = fork();
        if (child == 0) {
            carom_sink *sink = open_sink(path, 0);
            rows_until_failure(sink, 5000);
            carom_sink_flush(sink);
            rows_until_failure(sink, 9000);
            raise(SIGKILL);
        }
        int status;
        bool truncated;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        size_t found = rows_in(path, &truncated);
        ck_assert_msg(found >= 5000 && found <= 14002, "%s: %zu rows", name, found);
    }
    fixture_remove();
}
END_TEST

TEST_MAIN("output files", csv_holds_exactly_these_lines, json_holds_exactly_these_lines,
          a_stream_of_the_caller_gets_csv_and_stays_open, other_parameters_reach_the_outputs,
          a_path_that_cannot_be_written_is_an_error_with_the_systems_words,
          an_unknown_ending_is_an_error_that_names_the_valid_ones, a_build_without_hdf5_says_so,
          a_full_disk_stops_the_writing_early_and_is_reported_at_close, a_few_rows_for_a_full_disk_fail_at_close,
          a_disk_that_fills_up_half_way_is_noticed_by_every_format, a_file_that_grows_can_be_read_and_holds_whole_rows,
          after_a_kill_the_file_holds_what_was_flushed)
