/* test_output_table.c: what was written is read back bit by bit, and damage is told. */
#include <stdint.h>
#include <sys/stat.h>

#include "test_output.h"

enum { ROWS = 6000 };

/* Numbers of all sizes, in steps with dense output of degree 0. */
static void write_numbers(const char *path, double (*expected)[2])
{
    carom_model model = fixture_model();
    carom_sink *sink;
    carom_error error = {0};
    model.noutput = 0; /* which the largest numbers would make infinite */
    CHECK_OK(carom_sink_new(&sink, path, NULL, &model, NULL, NULL, 0, &error), error);
    carom_observer o = carom_sink_observer(sink);
    uint64_t x = 88172645463325252;
    for (int i = 0; i < ROWS; i++) {
        double q[1], v[1], force[1] = {0};
        for (int k = 0; k < 2; k++) {
            do {
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                memcpy(k ? v : q, &x, sizeof(double));
            } while (!isfinite(k ? v[0] : q[0]));
            expected[i][k] = k ? v[0] : q[0];
        }
        carom_segment s = {i, i + 1, 0, 0, q, NULL, v, force, (const unsigned char[]){0}, 0, 0, 0, NULL, 0};
        o.segment(o.user, &s);
    }
    CHECK_OK(carom_sink_close(sink, &error), error);
}

START_TEST(every_format_reads_back_the_same_bits)
{
    static double expected[ROWS][2];
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40];
        carom_columns *table;
        carom_error error = {0};
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        write_numbers(fixture_path(name), expected);
        CHECK_OK(carom_columns_read(&table, fixture_path(name), &error), error);
        ck_assert_uint_eq(table->nrow, ROWS + 1);
        ck_assert_int_eq(table->ncolumn, 7);
        ck_assert_str_eq(table->title, "fixture");
        ck_assert(!table->truncated);
        int q = carom_columns_find(table, "y"), v = carom_columns_find(table, "y'"), t = carom_columns_find(table, "t");
        ck_assert_int_eq(carom_columns_find(table, "z"), -1);
        for (int k = 0; k < ROWS; k++) {
            ck_assert_int_eq(memcmp(&table->column[q][k + 1], &expected[k][0], 8), 0);
            ck_assert_int_eq(memcmp(&table->column[v][k + 1], &expected[k][1], 8), 0);
            ck_assert(table->column[t][k + 1] == k + 1);
        }
        carom_columns_free(table);
    }
    fixture_remove();
}
END_TEST

/* What is read from a file of the fixture's run, written in format i. */
static carom_columns *written(int i, int np, const char *const *names, const double *p, const carom_sink_info *info)
{
    char name[40];
    carom_model model = fixture_model();
    carom_sink *sink;
    carom_columns *table;
    carom_error error = {0};
    model.np = np, model.p_name = names;
    snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
    CHECK_OK(carom_sink_new(&sink, fixture_path(name), NULL, &model, p, info, 0, &error), error);
    fixture_play(carom_sink_observer(sink));
    CHECK_OK(carom_sink_close(sink, &error), error);
    CHECK_OK(carom_columns_read(&table, fixture_path(name), &error), error);
    return table;
}

START_TEST(every_format_tells_the_parameters_and_where_the_model_came_from)
{
    static const char *const names[] = {"m", "Omega", "not a word", "k=2", "\303\251"};
    const double p[] = {1.0 / 3, -5e-324, 7, 8, 1e300};
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        const carom_sink_info info = {.size = sizeof info, .scheme = "exact", .options = "rtol=1",
                                      .source = "some folder/a: b.yaml"};
        carom_columns *table = written(i, 5, names, p, &info);
        ck_assert_str_eq(table->title, "fixture");
        ck_assert_str_eq(table->source, "some folder/a: b.yaml");
        ck_assert_str_eq(table->scheme, "exact");
        ck_assert_str_eq(table->options, "rtol=1");
        ck_assert_int_eq(table->nparameter, i == 0 ? 3 : 5); /* two have names that a line of pairs cannot hold */
        int found = 0;
        for (int k = 0; k < table->nparameter; k++)
            for (int j = 0; j < 5; j++)
                found += strcmp(table->parameter[k], names[j]) == 0 && table->value[k] == p[j];
        ck_assert_int_eq(found, table->nparameter);
        carom_columns_free(table);
    }
    fixture_remove();
}
END_TEST

START_TEST(parameters_with_the_same_name_or_none_do_no_harm)
{
    static const char *const names[] = {"m", "m", ""};
    const double p[] = {1, 2, 3};
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        carom_columns *table = written(i, 3, names, p, NULL);
        ck_assert(table->nrow > 0 && table->nparameter >= 1 && strcmp(table->parameter[0], "m") == 0 &&
                  table->value[0] == 1);
        carom_columns_free(table);
    }
    fixture_remove();
}
END_TEST

START_TEST(files_that_do_not_tell_or_tell_nonsense_are_read_all_the_same)
{
    static const struct {
        const char *name, *text;
        int parameters;
    } files[] = {
        {"a.csv", "# carom 0.1.0\n# model: old\n# scheme: exact\nt,y\n0,1\n", 0},
        {"a.csv", "# carom 0.1.0\n# model: odd\n# parameters: m=1  =2 k= x y=1e z=inf g=2 \nt,y\n0,1\n", 3},
        {"a.csv", "# parameters: m=1\nt,y\n0,1\n", 0}, /* not ours */
        {"a.json", "{\"carom\":\"0.1.0\",\"model\":\"old\",\"columns\":[\"t\",\"y\"],\"rows\":[[0,1]]}", 0},
        {"a.json", "{\"model\":\"odd\",\"parameters\":{},\"columns\":[\"t\",\"y\"],\"rows\":[[0,1]]}", 0},
        {"a.json",
         "{\"model\":\"odd\",\"parameters\":[1,{\"m\":2}],\"columns\":[\"t\",\"y\"],\"rows\":[[0,1]],\"source\":7}", 0},
        {"a.json",
         "{\"parameters\":{\"m\":1,\"g\":null},\"columns\":[\"t\",\"y\"],\"rows\":[[0,1]],\"parameters\":{\"m\":3}}",
         2},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        carom_columns *table;
        carom_error error = {0};
        fixture_write(fixture_path(files[i].name), files[i].text, strlen(files[i].text));
        CHECK_OK(carom_columns_read(&table, fixture_path(files[i].name), &error), error);
        ck_assert_msg(table->nparameter == files[i].parameters, "%s: %d", files[i].text, table->nparameter);
        ck_assert(table->ncolumn == 2 && table->nrow == 1 && !table->source);
        carom_columns_free(table);
    }
    fixture_remove();
}
END_TEST

static void not_finite(const carom_observer *o)
{
    const double q[] = {NAN}, v[] = {-INFINITY}, force[] = {INFINITY};
    carom_segment s = {0, 1, 0, 0, q, NULL, v, force, (const unsigned char[]){0}, 0, 0, 0, NULL, 0};
    o->segment(o->user, &s);
}

START_TEST(an_output_that_is_no_number_is_told)
{
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40];
        carom_model model = fixture_model();
        carom_sink *sink;
        carom_error error = {0};
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        CHECK_OK(carom_sink_new(&sink, fixture_path(name), NULL, &model, NULL, NULL, 0, &error), error);
        carom_observer o = carom_sink_observer(sink);
        not_finite(&o);
        ck_assert_int_ne(carom_sink_close(sink, &error), CAROM_OK);
        ck_assert_ptr_nonnull(strstr(error.text, "output 'twice' is nan at t = 0"));
    }
    fixture_remove();
}
END_TEST

START_TEST(values_that_are_not_finite_survive_as_far_as_the_format_allows)
{
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40];
        carom_model model = fixture_model();
        carom_sink *sink;
        carom_columns *table;
        carom_error error = {0};
        model.noutput = 0;
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        CHECK_OK(carom_sink_new(&sink, fixture_path(name), NULL, &model, NULL, NULL, 0, &error), error);
        carom_observer o = carom_sink_observer(sink);
        not_finite(&o);
        CHECK_OK(carom_sink_close(sink, &error), error);
        CHECK_OK(carom_columns_read(&table, fixture_path(name), &error), error);
        double read_v = table->column[carom_columns_find(table, "y'")][1];
        ck_assert(isnan(table->column[carom_columns_find(table, "y")][1]));
        ck_assert(i == 1 ? isnan(read_v) : read_v == -INFINITY);
        carom_columns_free(table);
    }
    fixture_remove();
}
END_TEST

/* Whole rows of the first `length` bytes; -1: an error. */
static long rows_of(const char *path, const char *text, size_t length, bool *truncated)
{
    carom_columns *table;
    carom_error error = {0};
    fixture_write(path, text, length);
    carom_status status = carom_columns_read(&table, path, &error);
    if (status != CAROM_OK) {
        ck_assert_int_eq(status, CAROM_FILE);
        ck_assert_ptr_nonnull(strstr(error.text, path));
        ck_assert_ptr_null(table);
        return -1;
    }
    static const double times[] = {0, 0.5, 1, 1, 1.5};
    long n = (long)table->nrow;
    *truncated = table->truncated;
    for (long k = 0; k < n; k++)
        ck_assert(table->column[0][k] == times[k]);
    carom_columns_free(table);
    return n;
}

START_TEST(text_cut_off_at_any_byte_gives_the_rows_that_are_whole)
{
    for (int i = 0; i < FIXTURE_TEXTS; i++) {
        char name[40], path[300];
        carom_model model = fixture_model();
        carom_sink *sink;
        carom_error error = {0};
        snprintf(name, sizeof name, "a.%s", fixture_endings[i]);
        strcpy(path, fixture_path(name));
        CHECK_OK(carom_sink_new(&sink, path, NULL, &model, NULL, NULL, 0.5, &error), error);
        fixture_play(carom_sink_observer(sink));
        CHECK_OK(carom_sink_close(sink, &error), error);
        size_t length;
        char *text = fixture_read(path, &length);
        const char *begin = i == 0 ? strchr(strstr(text, "t,side"), '\n') : strstr(text, "\"rows\":[") + 8;
        for (size_t n = 0; n <= length; n++) {
            bool truncated = false;
            long found = rows_of(path, text, n, &truncated), whole = -1;
            if (text + n > begin) {
                whole = 0;
                for (const char *c = begin + 1; c < text + n; c++)
                    whole += i == 0 ? *c == '\n' : *c == ']' && c[-1] != '\n' && c < strstr(text, "\"events\"");
                ck_assert_msg(found == whole, "%s: %zu of %zu bytes: %ld rows, expected %ld", name, n, length, found,
                              whole);
            }
            if (i == 1 && n + 1 < length && found >= 0)
                ck_assert_msg(truncated, "%zu of %zu bytes", n, length);
        }
        free(text);
    }
    fixture_remove();
}
END_TEST

START_TEST(a_folder_with_the_name_of_a_file_is_told)
{
    for (int i = 0; i < FIXTURE_FORMATS; i++) {
        char name[40];
        carom_columns *table;
        carom_error error = {0};
        snprintf(name, sizeof name, "folder.%s", fixture_endings[i]);
        ck_assert_int_eq(mkdir(fixture_path(name), 0700), 0);
        ck_assert_int_eq(carom_columns_read(&table, fixture_path(name), &error), CAROM_FILE);
        ck_assert_msg(strstr(error.text, name), "%s", error.text);
        printf("%s\n", error.text);
        rmdir(fixture_path(name));
    }
    fixture_remove();
}
END_TEST

START_TEST(damaged_hdf5_is_an_error_not_a_crash)
{
    if (FIXTURE_FORMATS == FIXTURE_TEXTS)
        return;
    static double expected[ROWS][2];
    char path[300], other[300];
    strcpy(path, fixture_path("a.h5"));
    strcpy(other, fixture_path("b.h5"));
    write_numbers(path, expected);
    size_t length;
    char *text = fixture_read(path, &length);
    carom_columns *table;
    carom_error error = {0};
    for (int part = 0; part < 20; part++) {
        fixture_write(other, text, length * (size_t)part / 20);
        ck_assert_int_eq(carom_columns_read(&table, other, &error), CAROM_FILE);
        ck_assert_ptr_nonnull(strstr(error.text, other));
    }
    free(text);
    fixture_remove();
}
END_TEST

START_TEST(foreign_files_are_refused_with_a_reason)
{
    static const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"b.csv", "", "no line with the names"},
        {"b.csv", "# carom 0.1.0\n", "no line with the names"},
        {"b.csv", "1,2,3\n4,5,6\n", "'1' stands where the name of column 1"},
        {"b.csv", "t,y\n0,1\n1,x\n2,3\n", "line 3: 'x' in column 'y' is not a number"},
        {"b.csv", "t,y\n0,1\n1,2,3\n", "line 3: 3 values for 2 columns"},
        {"b.csv", "t,y\n0\n1,2\n", "line 2: 1 values for 2 columns"},
        {"b.csv", "\x7f" "ELF\x02\x01,y\n", "not a CSV file"},
        {"b.json", "", "ends in the middle"},
        {"b.json", "{}", "stands where a string"},
        {"b.json", "{\"status\": \"ok\", \"t\": 1}", "not a trajectory"},
        {"b.json", "{\"columns\":[\"t\"],\"rows\":[[1],[oops]]}", "'oops]]}' stands where a number"},
        {"b.json", "{\"columns\":[\"t\"],\n\"rows\":[[1,2]]}", "line 2"},
        {"b.json", "{\"rows\":[[1]],\"columns\":[\"t\"]}", "must come before"},
        {"b.json", "{\"columns\":[\"t\"],\"rows\":[[1]]} {}", "stands where the end"},
        {"b.h5", "t,y\n0,1\n", "not an HDF5 file"},
    };
    for (int i = 0; i < CAROM_COUNT(cases) - (FIXTURE_FORMATS == FIXTURE_TEXTS); i++) {
        carom_columns *table;
        carom_error error = {0};
        fixture_write(fixture_path(cases[i].name), cases[i].text, strlen(cases[i].text));
        ck_assert_int_eq(carom_columns_read(&table, fixture_path(cases[i].name), &error), CAROM_FILE);
        ck_assert_msg(strstr(error.text, cases[i].words) != NULL, "case %d: %s", i, error.text);
    }
    carom_columns *table;
    carom_error error = {0};
    ck_assert_int_eq(carom_columns_read(&table, "a.txt", &error), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_columns_read(&table, fixture_path("none.csv"), &error), CAROM_FILE);
    ck_assert_int_eq(carom_columns_read(&table, fixture_path("none.json"), &error), CAROM_FILE);
    fixture_remove();
}
END_TEST

START_TEST(plain_csv_from_elsewhere_is_read)
{
    static const char text[] = "time,\"a,b\",\"say \"\"x\"\"\"\r\n0,1,2\r\n\r\n1,,3.5e1";
    carom_columns *table;
    carom_error error = {0};
    fixture_write(fixture_path("b.csv"), text, sizeof text - 1);
    CHECK_OK(carom_columns_read(&table, fixture_path("b.csv"), &error), error);
    ck_assert_str_eq(table->title, "b.csv");
    ck_assert_str_eq(table->name[1], "a,b");
    ck_assert_str_eq(table->name[2], "say \"x\"");
    ck_assert_uint_eq(table->nrow, 2);
    ck_assert(isnan(table->column[1][1]) && table->column[2][1] == 35);
    carom_columns_free(table);
    fixture_remove();
}
END_TEST

TEST_MAIN("output tables", every_format_reads_back_the_same_bits,
          every_format_tells_the_parameters_and_where_the_model_came_from,
          files_that_do_not_tell_or_tell_nonsense_are_read_all_the_same,
          parameters_with_the_same_name_or_none_do_no_harm,
          values_that_are_not_finite_survive_as_far_as_the_format_allows,
          an_output_that_is_no_number_is_told,
          text_cut_off_at_any_byte_gives_the_rows_that_are_whole, damaged_hdf5_is_an_error_not_a_crash,
          a_folder_with_the_name_of_a_file_is_told, foreign_files_are_refused_with_a_reason,
          plain_csv_from_elsewhere_is_read)
