/* test_sweep_store.c: rows come back as they were, in memory and in SQLite; a killed process loses nothing that was
 * committed; maps. */
#include <float.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carom_output.h"
#include "output/map/map.h"
#include "output/store/store.h"
#include "testing.h"

#ifndef CAROM_NO_SQLITE
#include <sqlite3.h>
#endif

static const char *const columns[] = {"w", "max:y, \"quoted\"", "W"};
static const carom_store_entry entries[] = {{"kind", "sweep"},
                                            {"design", "grid\nw=1:2:3"},
                                            {"options", "rtol=1e-06 atol=1e-08"}};
static const carom_store_form form = {entries, columns, 3, 3};

static const double samples[][3] = {{0.1, 1.0 / 3, -DBL_MAX},
                                    {NAN, INFINITY, -INFINITY},
                                    {DBL_TRUE_MIN, 1e22, 2251799813685249.5},
                                    {0, 3, -1}};

static void fill(carom_store *store)
{
    static const long long order[] = {3, 0, 2, 1};
    carom_error error;
    for (int i = 0; i < 4; i++) {
        const carom_store_row row = {order[i], order[i] == 1 ? "not_converged" : "ok",
                                     order[i] == 1 ? "newton, \"x\"" : "", samples[order[i]]};
        CHECK_OK(carom_store_put(store, &row, 1, &error), error);
    }
}

static carom_status check_row(void *user, const carom_store_row *row, carom_error *error)
{
    long long *next = user;
    (void)error;
    ck_assert_int_eq(row->index, *next);
    for (int k = 0; k < 3; k++) {
        double x = row->value[k], y = samples[row->index][k];
        ck_assert_msg((isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0, "row %lld column %d: %a, not %a",
                      row->index, k, x, y);
    }
    ck_assert_str_eq(row->status, row->index == 1 ? "not_converged" : "ok");
    ck_assert_str_eq(row->text, row->index == 1 ? "newton, \"x\"" : "");
    ++*next;
    return CAROM_OK;
}

static void check_all(carom_store *store)
{
    long long next = 0;
    carom_error error;
    CHECK_OK(carom_store_scan(store, check_row, &next, &error), error);
    ck_assert_int_eq(next, 4);
}

/* A row that is there already: the same is fine, another is not. */
static void check_conflict(carom_store *store)
{
    carom_error error = {0};
    const double other[] = {0.1, 1.0 / 3, nextafter(-DBL_MAX, 0)};
    const carom_store_row same = {1, "not_converged", "newton, \"x\"", samples[1]}, conflict = {0, "ok", "", other};
    CHECK_OK(carom_store_put(store, &same, 1, &error), error);
    check_all(store);
    carom_status put = carom_store_put(store, &conflict, 1, &error); /* found here, or when rows are read */
    long long next = 0;
    if (put == CAROM_OK)
        put = carom_store_scan(store, check_row, &next, &error);
    ck_assert_int_eq(put, CAROM_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, "point 0 has two results") != NULL, "%s", error.text);
}

static void scratch(char *path, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 300, "%s/carom-%ld-%s", folder ? folder : P_tmpdir, (long)getpid(), name);
    unlink(path);
}

/* With more rows than are written at once. */
START_TEST(a_table_in_hdf5_holds_the_rows_to_the_last_bit)
{
    enum { ROWS = 3000 };
    char path[300];
    carom_store *store;
    carom_columns *table;
    carom_error error;
    scratch(path, "table.h5");
    CHECK_OK(carom_store_create(&store, NULL, &form, false, &error), error);
    for (int i = 0; i < ROWS; i++) {
        const carom_store_row row = {i, i == 1 ? "not_converged" : "ok", "", samples[i % 4]};
        CHECK_OK(carom_store_put(store, &row, 1, &error), error);
    }
#ifdef CAROM_NO_HDF5
    ck_assert_int_eq(carom_store_table(store, path, NULL, &error), CAROM_UNSUPPORTED);
    (void)table;
#else
    CHECK_OK(carom_store_table(store, path, NULL, &error), error);
    CHECK_OK(carom_columns_read(&table, path, &error), error);
    ck_assert_uint_eq(table->nrow, ROWS);
    ck_assert_int_eq(table->ncolumn, 4);
    for (int i = 0; i < ROWS; i++) {
        ck_assert_double_eq(table->column[0][i], i);
        ck_assert_mem_eq(&table->column[1][i], &samples[i % 4][0], sizeof(double));
        ck_assert_mem_eq(&table->column[3][i], &samples[i % 4][2], sizeof(double));
    }
    ck_assert_str_eq(table->name[1], "w");
    carom_columns_free(table);
    /* what cannot be written has a reason, and leaves nothing */
    ck_assert_int_eq(carom_store_table(store, "/nowhere/at/all.h5", NULL, &error), CAROM_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be created"));
#endif
    carom_store_close(store, NULL);
    unlink(path);
}
END_TEST

START_TEST(rows_in_memory_come_back_in_order)
{
    carom_store *store;
    carom_error error;
    CHECK_OK(carom_store_create(&store, NULL, &form, false, &error), error);
    fill(store);
    check_all(store);
    check_conflict(store);
    CHECK_OK(carom_store_close(store, &error), error);
}
END_TEST

START_TEST(a_table_is_quoted_where_it_must_be)
{
    carom_store *store;
    carom_error error;
    char path[300], text[600] = "";
    scratch(path, "table.csv");
    CHECK_OK(carom_store_create(&store, NULL, &form, false, &error), error);
    fill(store);
    CHECK_OK(carom_store_csv(store, path, NULL, &error), error);
    carom_store_close(store, NULL);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    fclose(file);
    unlink(path);
    ck_assert_str_eq(text, "index,w,\"max:y, \"\"quoted\"\"\",W,status,text\n"
                           "0,0.1,0.3333333333333333,-1.7976931348623157e308,ok,\n"
                           "1,nan,inf,-inf,not_converged,\"newton, \"\"x\"\"\"\n"
                           "2,5e-324,1e22,2251799813685249.5,ok,\n"
                           "3,0,3,-1,ok,\n");
}
END_TEST

#ifndef CAROM_NO_SQLITE

START_TEST(rows_in_a_file_come_back_to_the_last_bit)
{
    carom_store *store;
    carom_error error;
    char path[300];
    scratch(path, "a.sqlite");
    CHECK_OK(carom_store_create(&store, path, &form, false, &error), error);
    fill(store);
    check_all(store);
    CHECK_OK(carom_store_close(store, &error), error);
    CHECK_OK(carom_store_open(&store, path, &error), error);
    check_all(store);
    ck_assert_str_eq(carom_store_value(carom_store_shape(store), "design"), "grid\nw=1:2:3");
    ck_assert_int_eq(carom_store_shape(store)->ncolumn, 3);
    ck_assert_str_eq(carom_store_shape(store)->column[1], columns[1]);
    check_conflict(store);
    CHECK_OK(carom_store_close(store, &error), error);
    unlink(path);
}
END_TEST

START_TEST(a_file_is_taken_up_only_by_the_same_sweep)
{
    carom_store *store, *second;
    carom_error error;
    char path[300];
    scratch(path, "b.sqlite");
    CHECK_OK(carom_store_create(&store, path, &form, true, &error), error); /* nothing there yet: begins */
    fill(store);
    ck_assert_int_eq(carom_store_create(&second, path, &form, true, &error), CAROM_FILE); /* while it is written */
    ck_assert_msg(strstr(error.text, "in use by another process") != NULL, "%s", error.text);
    CHECK_OK(carom_store_close(store, &error), error);
    ck_assert_int_eq(carom_store_create(&store, path, &form, false, &error), CAROM_FILE);
    ck_assert_msg(strstr(error.text, "--resume") != NULL, "%s", error.text);
    carom_store_entry other[] = {entries[0],
                                 {"design", "grid\nw=1:2:4"},
                                 {"options", "rtol=1e-07 atol=1e-08"},
                                 {"new", "x"}};
    const carom_store_form changed = {other, columns, 4, 3};
    ck_assert_int_eq(carom_store_create(&store, path, &changed, true, &error), CAROM_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, "design: 'w=1:2:3' there, 'w=1:2:4' here (line 2)") != NULL, "%s", error.text);
    ck_assert_msg(strstr(error.text, "options: 'rtol=1e-06' there, 'rtol=1e-07' here") != NULL, "%s", error.text);
    ck_assert_msg(strstr(error.text, "'new' is missing there") != NULL, "%s", error.text);
    CHECK_OK(carom_store_create(&store, path, &form, true, &error), error);
    check_all(store);
    CHECK_OK(carom_store_close(store, &error), error);
    unlink(path);
}
END_TEST

START_TEST(other_files_are_refused)
{
    carom_store *store;
    carom_error error;
    char path[300];
    scratch(path, "c.sqlite");
    ck_assert_int_eq(carom_store_open(&store, path, &error), CAROM_FILE);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 100; i++)
        fputs("this is no database, whatever its name\n", file);
    fclose(file);
    ck_assert_int_eq(carom_store_create(&store, path, &form, true, &error), CAROM_FILE);
    ck_assert_msg(strstr(error.text, "not") != NULL, "%s", error.text);
    unlink(path);
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE mine (x)", NULL, NULL, NULL);
    sqlite3_close(db);
    ck_assert_int_eq(carom_store_create(&store, path, &form, true, &error), CAROM_FILE);
    ck_assert_msg(strstr(error.text, "not the result of a sweep") != NULL, "%s", error.text);
    unlink(path);
}
END_TEST

/* ---- kill -9 ---- */

static void write_until_killed(const char *path, int tell)
{
    carom_store *store;
    if (carom_store_create(&store, path, &form, true, NULL) != CAROM_OK)
        _exit(1);
    for (long long i = 0;; i++) {
        const double value[] = {(double)i, sqrt((double)i), 0};
        const carom_store_row row = {i, "ok", "", value};
        if (carom_store_put(store, &row, 1, NULL) != CAROM_OK)
            _exit(1);
        if (i % 50 == 49 && (carom_store_commit(store, NULL) != CAROM_OK || write(tell, &i, sizeof i) != sizeof i))
            _exit(1);
    }
}

static carom_status check_written(void *user, const carom_store_row *row, carom_error *error)
{
    long long *next = user;
    (void)error;
    ck_assert_int_eq(row->index, *next);
    ck_assert(row->value[0] == (double)row->index && row->value[1] == sqrt((double)row->index));
    ++*next;
    return CAROM_OK;
}

static long long integrity(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(s, 0), "ok");
    sqlite3_finalize(s);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT count(*) FROM result", -1, &s, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
    long long n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

START_TEST(kill_9_at_any_moment_loses_nothing_that_was_committed)
{
    char path[300], log[310];
    unsigned random = 12345;
    for (int round = 0; round < 25; round++) {
        int tell[2];
        long long committed = -1, next = 0;
        carom_store *store;
        carom_error error;
        scratch(path, "kill.sqlite");
        ck_assert_int_eq(pipe(tell), 0);
        pid_t child = fork();
        if (child == 0) {
            close(tell[0]);
            write_until_killed(path, tell[1]);
        }
        close(tell[1]);
        random = random * 1103515245u + 12345u;
        usleep(20000 + random / 65536 % 1000 * 100); /* 20 to 120 ms */
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (long long i; read(tell[0], &i, sizeof i) == sizeof i;)
            committed = i;
        close(tell[0]);
        if (access(path, F_OK) == 0) {
            CHECK_OK(carom_store_create(&store, path, &form, true, &error), error);
            CHECK_OK(carom_store_scan(store, check_written, &next, &error), error);
            CHECK_OK(carom_store_close(store, &error), error);
            ck_assert_msg(next > committed, "%lld rows of %lld that were committed", next, committed + 1);
            ck_assert_int_eq(integrity(path), next);
        }
        snprintf(log, sizeof log, "%s-wal", path);
        ck_assert_int_ne(access(log, F_OK), 0); /* closed in order, it is one file */
        unlink(path);
    }
}
END_TEST

#endif

/* ---- maps ---- */

static double lightness(carom_colour c)
{
    const double x[] = {c.r / 255., c.g / 255., c.b / 255.}, weight[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weight[i] * (x[i] <= 0.04045 ? x[i] / 12.92 : pow((x[i] + 0.055) / 1.055, 2.4));
    return cbrt(sum);
}

START_TEST(colours_grow_lighter_with_the_value_in_equal_steps)
{
    double value[101];
    for (int i = 0; i <= 100; i++)
        value[i] = i;
    const carom_heatmap map = {.title = "", .x = {"x", 0, 1, 101}, .y = {"y", 0, 1, 1}, .value = value};
    carom_map_scale scale;
    carom_error error;
    CHECK_OK(carom_map_scale_fit(&scale, &map, &error), error);
    double before = lightness(carom_map_colour(&scale, 0)), all = lightness(carom_map_colour(&scale, 100)) - before;
    CHECK_AT_LEAST(all, 0.5);
    for (int i = 5; i <= 100; i += 5) {
        double now = lightness(carom_map_colour(&scale, i));
        CHECK_NEAR(now - before, all / 20, 0.5 * all / 20);
        before = now;
    }
}
END_TEST

START_TEST(failed_infinite_and_missing_cells_have_colours_of_their_own)
{
    const double value[] = {-1, 1, NAN, -INFINITY, INFINITY, 0};
    const unsigned char known[] = {1, 1, 1, 1, 1, 0};
    const carom_heatmap map =
        {.title = "", .x = {"x", 0, 1, 6}, .y = {"y", 0, 1, 1}, .value = value, .known = known, .signs = true};
    carom_map_scale scale;
    carom_error error;
    carom_colour cell[6], colour;
    const char *text;
    CHECK_OK(carom_map_scale_fit(&scale, &map, &error), error);
    for (int i = 0; i < 6; i++) {
        cell[i] = carom_map_cell(&scale, i, 0);
        for (int k = 0; k < i; k++)
            CHECK_AT_LEAST(abs(cell[i].r - cell[k].r) + abs(cell[i].g - cell[k].g) + abs(cell[i].b - cell[k].b), 60);
    }
    static const char *const lines[] = {"-inf", "inf", "failed", "missing"};
    for (int k = 0; k < 4; k++) {
        ck_assert(carom_map_legend(&scale, k, &colour, &text));
        ck_assert_str_eq(text, lines[k]);
    }
    ck_assert(!carom_map_legend(&scale, 4, &colour, &text));
}
END_TEST

START_TEST(letters_are_drawn_where_they_belong)
{
    unsigned char rgb[3 * 40 * 40];
    carom_canvas canvas = {.width = 40, .height = 40, .rgb = rgb};
    const carom_colour white = {255, 255, 255}, black = {0, 0, 0};
    for (int upright = 0; upright < 2; upright++) {
        carom_canvas_box(&canvas, 0, 0, 40, 40, white);
        carom_canvas_text(&canvas, upright ? 30 : 4, upright ? 36 : 30, 24, upright, "L", black);
        double dark = 0, moment[2] = {0, 0};
        for (int i = 0; i < 40 * 40; i++) {
            double part = 1 - rgb[3 * i] / 255.;
            dark += part;
            moment[0] += part * (i % 40 + 0.5), moment[1] += part * (i / 40 + 0.5);
        }
        /* an L of 24 pixels: two bars, 17.5 high and 10.7 long, 2.3 wide; its weight is near the corner */
        CHECK_NEAR(dark, 60, 6);
        CHECK_NEAR(moment[0] / dark, upright ? 30 - 6.6 : 4 + 5.0, 1);
        CHECK_NEAR(moment[1] / dark, upright ? 36 - 5.0 : 30 - 6.6, 1);
    }
    carom_canvas_text(&canvas, 30, 30, 16, false, "beyond the edge", black);
    carom_canvas_box(&canvas, -5, -5, 100, 100, white);
    CHECK_NEAR(carom_text_width("\xce\xbc\xce\xb8", 10), /* letters, not bytes */
               carom_text_width("\xce\xbc", 10) + carom_text_width("\xce\xb8", 10), 1e-12);
    CHECK_NEAR(carom_text_width("\xe4\xb8\xad", 10), carom_text_width("?", 10), 0);
}
END_TEST

START_TEST(a_map_becomes_a_picture)
{
    double value[12];
    for (int i = 0; i < 12; i++)
        value[i] = i;
    const carom_heatmap map = {.title = "title <&>", .name = "z", .value = value,
                               .x = {"x", 0, 1, 3}, .y = {"y", 2, 1, 4}};
    carom_error error = {0};
    char path[300], bytes[200] = "";
    scratch(path, "map.svg");
    CHECK_OK(carom_map_write(path, &map, &error), error);
    FILE *file = fopen(path, "rb");
    ck_assert_uint_gt(fread(bytes, 1, sizeof bytes - 1, file), 100);
    fclose(file);
    unlink(path);
    ck_assert_ptr_nonnull(strstr(bytes, "<svg"));
    scratch(path, "map.png");
    carom_status status = carom_map_write(path, &map, &error);
#ifdef CAROM_NO_PNG
    ck_assert_int_eq(status, CAROM_UNSUPPORTED);
#else
    CHECK_OK(status, error);
    file = fopen(path, "rb");
    ck_assert_uint_gt(fread(bytes, 1, 24, file), 23);
    fclose(file);
    unlink(path);
    ck_assert(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
#endif
    ck_assert_int_eq(carom_map_write("map.gif", &map, &error), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_map_write("/nowhere/at/all.svg", &map, &error), CAROM_FILE);
}
END_TEST

#ifndef CAROM_NO_SQLITE
TEST_MAIN("stores and maps", rows_in_memory_come_back_in_order, a_table_is_quoted_where_it_must_be,
          a_table_in_hdf5_holds_the_rows_to_the_last_bit,
          rows_in_a_file_come_back_to_the_last_bit, a_file_is_taken_up_only_by_the_same_sweep, other_files_are_refused,
          kill_9_at_any_moment_loses_nothing_that_was_committed, colours_grow_lighter_with_the_value_in_equal_steps,
          failed_infinite_and_missing_cells_have_colours_of_their_own, letters_are_drawn_where_they_belong,
          a_map_becomes_a_picture)
#else
TEST_MAIN("stores and maps", rows_in_memory_come_back_in_order, a_table_is_quoted_where_it_must_be,
          a_table_in_hdf5_holds_the_rows_to_the_last_bit,
          colours_grow_lighter_with_the_value_in_equal_steps,
          failed_infinite_and_missing_cells_have_colours_of_their_own, letters_are_drawn_where_they_belong,
          a_map_becomes_a_picture)
#endif
