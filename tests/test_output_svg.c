/* test_output_svg.c: plots are well-formed, small, and keep what matters: extremes and jumps. */
#include <errno.h>

#include "output/chart/engine.h"
#include "test_output.h"

static carom_columns make_table(char **names, double **columns, int n, size_t rows)
{
    return (
        carom_columns){.title = (char *)"a <b> & \"c\"", .ncolumn = n, .nrow = rows, .name = names, .column = columns};
}

static char *plot(const carom_columns *table, const carom_plot *how, size_t *length)
{
    char path[300];
    carom_error error = {0};
    strcpy(path, fixture_path("a.svg"));
    CHECK_OK(carom_svg_plot(path, NULL, table, how, &error), error);
    return fixture_read(path, length);
}

/* Tags are closed in order, attributes quoted, no stray < or &. */
static void check_xml(const char *text)
{
    const char *open[32];
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '&')
            ck_assert_msg(!strncmp(c, "&lt;", 4) || !strncmp(c, "&gt;", 4) || !strncmp(c, "&amp;", 5) ||
                              !strncmp(c, "&quot;", 6),
                          "%.20s", c);
        if (*c != '<')
            continue;
        const char *end = strchr(c, '>');
        ck_assert_ptr_nonnull(end);
        for (const char *d = c + 1; d < end; d++)
            ck_assert(*d != '<');
        if (c[1] == '/') {
            ck_assert_int_gt(depth, 0);
            size_t n = (size_t)(end - c - 2);
            ck_assert_msg(strncmp(open[--depth], c + 2, n) == 0 && strchr(" >", open[depth][n]), "%.20s", c);
        } else if (end[-1] != '/') {
            ck_assert_int_lt(depth, 32);
            open[depth++] = c + 1;
        }
        c = end;
    }
    ck_assert_int_eq(depth, 0);
}

/* The points of the path with that class; M lifts the pen. */
typedef struct point {
    char command;
    double x, y;
} point;
static size_t path_points(const char *text, const char *class, point *points, size_t most)
{
    char begin[60];
    snprintf(begin, sizeof begin, "<path class=\"%s\" d=\"", class);
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, begin)); at++) {
        char *c = (char *)at + strlen(begin);
        while (*c == 'M' || *c == 'L') {
            point p = {*c, 0, 0};
            p.x = strtod(c + 1, &c);
            p.y = strtod(c, &c);
            if (*c == 'h')
                break; /* the sample of the legend */
            ck_assert_uint_lt(n, most);
            points[n++] = p;
        }
    }
    return n;
}

enum { MILLION = 1000000, POINTS = 60000 };

START_TEST(a_million_rows_give_a_small_picture_with_every_extreme)
{
    char *names[] = {(char *)"t", (char *)"a", (char *)"b"};
    double *columns[3];
    for (int i = 0; i < 3; i++)
        columns[i] = malloc(MILLION * sizeof(double));
    for (int k = 0; k < MILLION; k++) {
        columns[0][k] = k * 1e-3;
        columns[1][k] = sin(k * 1e-2);
        columns[2][k] = cos(k * 1.7);
    }
    columns[1][123456] = 5; /* one row each */
    columns[2][654321] = -7;
    carom_columns table = make_table(names, columns, 3, MILLION);
    size_t length;
    const char *panels[] = {"a", "b"}, *phase[] = {"a", "b"};
    char *text = plot(&table, &(carom_plot){.size = sizeof(carom_plot), .panels = panels, .npanel = 2, .phase = phase,
                                            .nphase = 1}, &length);
    CHECK_AT_MOST((double)length, 300e3);
    check_xml(text);
    static point points[POINTS];
    size_t n = path_points(text, "c0", points, POINTS);
    double top_x = 0, top = INFINITY, bottom_x = 0, bottom = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (points[i].y < top && points[i].y < 210)
            top = points[i].y, top_x = points[i].x;
        if (points[i].y > bottom && points[i].y < 400)
            bottom = points[i].y, bottom_x = points[i].x;
    }
    double width = 800 - 66 - 18; /* of the frame, whose margins are 1 % */
    CHECK_NEAR(top_x, 66 + width * (0.01 + 0.123456) / 1.02, 0.06);
    CHECK_NEAR(bottom_x, 66 + width * (0.01 + 0.654321) / 1.02, 0.06);
    free(text);
    for (int i = 0; i < 3; i++)
        free(columns[i]);
    fixture_remove();
}
END_TEST

START_TEST(each_pixel_keeps_its_own_extremes)
{
    enum { N = 100000 };
    static double t[N], y[N];
    double low[1000], high[1000];
    for (int i = 0; i < 1000; i++)
        low[i] = INFINITY, high[i] = -INFINITY;
    carom_frame frame = {.left = 0, .top = 0, .width = 500, .height = 200};
    frame.x = (carom_axis){.begin = 0, .end = 500};
    frame.y = (carom_axis){.begin = 200, .end = 0};
    carom_axis_fit(&frame.x, 0, N, 0, 5);
    carom_axis_fit(&frame.y, -1, 1, 0, 5);
    for (int k = 0; k < N; k++) {
        t[k] = k;
        y[k] = sin(k * 0.77) * cos(k * 1e-4);
        int pixel = (int)floor(carom_axis_place(&frame.x, k));
        double at = carom_axis_place(&frame.y, y[k]);
        low[pixel] = fmin(low[pixel], at), high[pixel] = fmax(high[pixel], at);
    }
    char *text = NULL;
    size_t length;
    carom_stream out;
    carom_error error = {0};
    FILE *memory = open_memstream(&text, &length);
    CHECK_OK(carom_stream_open(&out, "memory", memory, &error), error);
    carom_curve_series(&out, &frame, &(carom_curve){t, y, NULL, N, 0, false});
    CHECK_OK(carom_stream_close(&out, &error), error);
    fclose(memory);
    static point points[POINTS];
    size_t n = path_points(text, "c0", points, POINTS);
    ck_assert_uint_eq(n, 1000);
    for (size_t i = 0; i < n; i += 2) {
        CHECK_NEAR(fmin(points[i].y, points[i + 1].y), low[i / 2], 0.051);
        CHECK_NEAR(fmax(points[i].y, points[i + 1].y), high[i / 2], 0.051);
    }
    free(text);
}
END_TEST

START_TEST(a_jump_lifts_the_pen_and_is_dashed)
{
    double t[] = {0, 1, 1, 2}, side[] = {0, -1, 1, 0}, y[] = {0, 2, -1, 0};
    char *names[] = {(char *)"t", (char *)"side", (char *)"y"};
    double *columns[] = {t, side, y};
    carom_columns table = make_table(names, columns, 3, 4);
    char *text = plot(&table, &(carom_plot){.size = sizeof(carom_plot), .panels = (const char *const[]){"y"},
                                            .npanel = 1}, NULL);
    static point points[100];
    check_xml(text);
    ck_assert_uint_eq(path_points(text, "c0", points, 100), 4);
    ck_assert(points[0].command == 'M' && points[1].command == 'L' && points[2].command == 'M' &&
              points[3].command == 'L');
    point before = points[1], after = points[2];
    ck_assert_uint_eq(path_points(text, "c0 j", points, 100), 2);
    ck_assert(points[0].x == before.x && points[0].y == before.y && points[1].x == after.x && points[1].y == after.y);
    ck_assert(before.x == after.x);
    free(text);
    fixture_remove();
}
END_TEST

START_TEST(the_standard_panels_of_a_trajectory_keep_forces_and_impulses_apart)
{
    carom_model model = fixture_model();
    carom_sink *sink;
    carom_columns *table;
    carom_error error = {0};
    char path[300];
    strcpy(path, fixture_path("a.csv"));
    CHECK_OK(carom_sink_new(&sink, path, NULL, &model, NULL, NULL, 0.01, &error), error);
    fixture_play(carom_sink_observer(sink));
    CHECK_OK(carom_sink_close(sink, &error), error);
    CHECK_OK(carom_columns_read(&table, path, &error), error);
    char *text = plot(table, &(carom_plot){.size = sizeof(carom_plot), .portrait = true}, NULL);
    check_xml(text);
    static const char *const legends[] = {">y<",      ">y'<", ">ground.force<", ">ground.impulse<", ">y' against y<",
                                          ">fixture<"};
    for (int i = 0; i < CAROM_COUNT(legends); i++)
        ck_assert_msg(strstr(text, legends[i]) != NULL, "%s is missing", legends[i]);
    static point points[100];
    ck_assert_uint_eq(path_points(text, "c0 s", points, 100), 2); /* one impulse: from 0 to 3 */
    free(text);
    carom_columns_free(table);
    fixture_remove();
}
END_TEST

START_TEST(ticks_are_round_and_labels_exact)
{
    static const struct {
        double low, high;
        int most;
        const char *labels, *note;
    } cases[] = {{0, 1, 6, "0 0.2 0.4 0.6 0.8 1", ""}, {0.05, 0.35, 8, "0.05 0.1 0.15 0.2 0.25 0.3 0.35", ""},
                 {-1, 1, 3, "-1 0 1", ""}, {0, 2e7, 5, "0 0.5 1 1.5 2", "\xc3\x97" "10\xe2\x81\xb7"},
                 {0, 1000, 6, "0 200 400 600 800 1000", ""}, {3, 3, 4, "2 3 4", ""}, {0, 0, 3, "-1 0 1", ""},
                 {1e6, 1e6 + 0.25, 6, "0 0.05 0.1 0.15 0.2 0.25", "+1000000"}};
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        char text[200] = "", label[64];
        carom_axis axis = {0};
        carom_axis_fit(&axis, cases[i].low, cases[i].high, 0, cases[i].most);
        for (int k = 0; k < axis.count; k++) {
            carom_axis_label(&axis, k, label);
            strcat(strcat(text, k ? " " : ""), label);
        }
        ck_assert_str_eq(text, cases[i].labels);
        carom_axis_note(&axis, label);
        ck_assert_str_eq(label, cases[i].note);
    }
}
END_TEST

START_TEST(strange_data_give_well_formed_pictures)
{
    double t[] = {0, 1, 2, 3}, nothing[] = {NAN, NAN, NAN, NAN}, huge[] = {-1.7e308, 1.7e308, INFINITY, -INFINITY},
           tiny[] = {5e-324, 0, 1e-310, 0}, same[] = {7, 7, 7, 7};
    char *names[] = {(char *)"t", (char *)"<nothing>", (char *)"&huge", (char *)"tiny\"", (char *)"same\xff\xc3\xa9"};
    double *columns[] = {t, nothing, huge, tiny, same};
    carom_columns table = make_table(names, columns, 5, 4);
    for (int i = 1; i < 5; i++) {
        const char *panel = names[i];
        char *text =
            plot(&table,
                 &(carom_plot){.size = sizeof(carom_plot), .panels = &panel, .npanel = 1,
                               .phase = (const char *[]){names[i], "t"}, .nphase = 1},
                 NULL);
        check_xml(text);
        ck_assert_ptr_null(strstr(text, "nan"));
        ck_assert_ptr_null(strstr(text, "inf"));
        ck_assert_ptr_null(strchr(text, '\xff'));
        free(text);
    }
    fixture_remove();
}
END_TEST

START_TEST(a_wrong_column_or_an_empty_table_is_an_error)
{
    double t[] = {0, 1};
    char *names[] = {(char *)"t", (char *)"height"};
    double *columns[] = {t, t};
    carom_columns table = make_table(names, columns, 2, 2);
    carom_error error = {0};
    const char *panel = "heigth";
    ck_assert_int_eq(carom_svg_plot("x.svg", NULL, &table, &(carom_plot){.size = sizeof(carom_plot), .panels = &panel,
        .npanel = 1}, &error),
                     CAROM_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, "'height'") != NULL, "%s", error.text);
    table.nrow = 0;
    ck_assert_int_eq(carom_svg_plot("x.svg", NULL, &table, NULL, &error), CAROM_BAD_ARGUMENT);
    table.nrow = 2;
    ck_assert_int_eq(carom_svg_plot("x.svg", NULL, &table, &(carom_plot){.size = sizeof(carom_plot), .width = 3},
        &error), CAROM_BAD_ARGUMENT);
    ck_assert_int_eq(carom_svg_plot(fixture_path("no/a.svg"), NULL, &table, NULL, &error), CAROM_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOENT)));
    fixture_remove();
}
END_TEST

TEST_MAIN("output plots", a_million_rows_give_a_small_picture_with_every_extreme, each_pixel_keeps_its_own_extremes,
          a_jump_lifts_the_pen_and_is_dashed, the_standard_panels_of_a_trajectory_keep_forces_and_impulses_apart,
          ticks_are_round_and_labels_exact, strange_data_give_well_formed_pictures,
          a_wrong_column_or_an_empty_table_is_an_error)
