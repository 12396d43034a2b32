/* test_output.c: numbers as text, and a trajectory as rows. */
#include <stdint.h>

#include "output/sampler.h"
#include "test_output.h"

/* ---- numbers ---- */
START_TEST(shortest_numbers_read_back_as_the_same_double_and_no_shorter_one_does)
{
    uint64_t x = 88172645463325252;
    for (int i = 0; i < 60000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t bits = i % 5 == 0 ? x & 0xfff0000000000000 : x;
        double value, near = (double)(int64_t)(x % 4000000) / 1000;
        memcpy(&value, &bits, sizeof value);
        value = i % 3 == 0 ? near : value;
        if (!isfinite(value))
            continue;
        char text[80], other[40];
        ck_assert_int_eq(carom_decimal(value, text), (int)strlen(text));
        double back = strtod(text, NULL);
        ck_assert_msg(memcmp(&back, &value, sizeof back) == 0, "%s is not %.17g", text, value);
        int digits = 0, zeros = 0, most = 15;
        while (snprintf(other, sizeof other, "%.*g", most, value), strtod(other, NULL) != value)
            most++;
        carom_shortest(value, text + 40);
        if (fabs(value) < 2.3e-308 || i % 5 == 0) /* C may print more digits of these than are needed */
            ck_assert(strtod(text + 40, NULL) == value && strlen(text + 40) <= strlen(other));
        else
            ck_assert_str_eq(text + 40, other);
        for (const char *c = text; *c && *c != 'e'; c++) {
            if (*c < '0' || *c > '9' || (digits == 0 && *c == '0'))
                continue;
            digits++;
            zeros = *c == '0' ? zeros + 1 : 0;
        }
        if (digits - zeros < 2)
            continue;
        snprintf(other, sizeof other, "%.*e", digits - zeros - 2, value);
        ck_assert_msg(strtod(other, NULL) != value, "%s is longer than %s", text, other);
    }
}
END_TEST

START_TEST(numbers_at_the_limits_are_written_well)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {1e22, "1e22"},
                 {1e23, "1e23"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {9007199254740993.0, "9007199254740992"},
                 {-123.456, "-123.456"},
                 {1e-5, "0.00001"},
                 {1e-6, "1e-6"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {1e16, "1e16"},
                 {123456789012345, "123456789012345"}};
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        char text[40];
        carom_decimal(cases[i].value, text);
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

/* ---- sampling ---- */
typedef struct rows {
    const carom_sampler *sampler;
    double *row;
    size_t n, room;
    int width;
} rows;

static void keep(void *user, const double *row)
{
    rows *r = user;
    if (r->n == r->room) {
        r->room = 2 * r->room + 64;
        r->row = realloc(r->row, r->room * (size_t)r->width * sizeof *r->row);
    }
    memcpy(r->row + (r->n++) * (size_t)r->width, row, sizeof *row * (size_t)r->width);
}

static carom_sampler *new_sampler(const carom_model *model, double every, const carom_sink_info *info, rows *r)
{
    carom_sampler *sampler;
    carom_error error = {0};
    *r = (rows){0};
    CHECK_OK(carom_sampler_new(&sampler, model, NULL, every, info, keep, r, &error), error);
    r->sampler = sampler;
    r->width = carom_sampler_layout(sampler)->n;
    return sampler;
}

static double value(const rows *r, size_t row, const char *name)
{
    const carom_row_layout *c = carom_sampler_layout(r->sampler);
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->name[i], name) == 0)
            return r->row[row * (size_t)r->width + (size_t)i];
    ck_abort_msg("no column %s", name);
    return 0;
}

static void feed_segment(void *user, const carom_segment *segment)
{
    carom_error error = {0};
    CHECK_OK(carom_sampler_segment(user, segment, &error), error);
}
static void feed_jump(void *user, const carom_jump *jump)
{
    carom_sampler_jump(user, jump);
}
static void feed_event(void *user, const carom_event *event)
{
    (void)user, (void)event;
}
static carom_observer feeder(carom_sampler *sampler)
{
    return (carom_observer){.size = sizeof(carom_observer), sampler, feed_segment, feed_jump, feed_event};
}

START_TEST(a_million_samples_stand_exactly_on_the_grid)
{
    carom_model model = fixture_model();
    rows r;
    carom_sampler *sampler = new_sampler(&model, 1e-3, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
    double t = 0;
    for (int i = 0; t < 1000; i++) { /* y = t, in uneven steps */
        double h = 0.03 + 0.007 * (i % 11), t1 = fmin(1000, t + h);
        const double q[] = {t, t1 - t}, v[] = {1}, force[] = {0};
        const unsigned char mode[] = {0};
        carom_segment s = {t, t1, 1, 0, q, q + 1, v, force, mode, 0, 0, 0, NULL, 0};
        feed_segment(sampler, &s);
        t = t1;
    }
    carom_sampler_end(sampler);
    ck_assert_uint_eq(r.n, 1000001);
    double worst = 0;
    for (size_t k = 0; k < r.n; k++) {
        ck_assert(value(&r, k, "t") == (k == 1000000 ? 1000 : 0 + (double)k * 1e-3));
        worst = fmax(worst, fabs(value(&r, k, "y") - value(&r, k, "t")));
    }
    CHECK_AT_MOST(worst, 5e-13);
    carom_sampler_free(sampler);
    free(r.row);
}
END_TEST

START_TEST(a_jump_gives_two_rows_instead_of_the_node)
{
    static const double expected[][7] = { /* t side y y' mode force impulse */
        {0, 0, 1, 0, 0, 0, 0}, {0.25, 0, 0.9375, -0.5, 0, 0, 0}, {0.5, 0, 0.75, -1, 0, 0, 0}, {0.75, 0, 0.4375, -1.5, 0,
         0, 0},
        {1, -1, 0, -2, 0, 0, 0}, {1, 1, 0, 1, 0, 4, 3}, {1.25, 0, 0.25, 1, 0, 4, 0}, {1.5, 0, 0.5, 1, 1, 4, 0}};
    static const char *const names[] = {"t", "side", "y", "y'", "ground.mode", "ground.force", "ground.impulse"};
    carom_model model = fixture_model();
    rows r;
    carom_sampler *sampler = new_sampler(&model, 0.25, &(carom_sink_info){.size = sizeof(carom_sink_info),
        .gaps = true, .energy = true}, &r);
    fixture_play(feeder(sampler));
    carom_sampler_end(sampler);
    ck_assert_uint_eq(r.n, CAROM_COUNT(expected));
    for (size_t k = 0; k < r.n; k++) {
        for (int i = 0; i < 7; i++)
            ck_assert_msg(value(&r, k, names[i]) == expected[k][i], "row %zu: %s = %g", k, names[i],
                          value(&r, k, names[i]));
        ck_assert(value(&r, k, "twice") == 2 * expected[k][2]);
        ck_assert(value(&r, k, "ground.gap") == expected[k][2]);
        ck_assert(value(&r, k, "energy") == expected[k][3] * expected[k][3] / 2 + expected[k][2]);
    }
    carom_sampler_free(sampler);
    free(r.row);
}
END_TEST

START_TEST(a_mode_holds_from_the_end_of_the_segment_that_brought_it)
{
    static const double t[] = {0, 0.5, 1, 1.5, 2, 2, 2.5, 3}, mode[] = {0, 0, 0, 0, 0, 1, 1, 2};
    carom_model model = fixture_model();
    rows r;
    carom_sampler *sampler = new_sampler(&model, 0.5, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
    const double q[] = {0}, v[] = {0}, force[] = {0};
    for (unsigned char i = 0; i < 3; i++) {
        carom_segment s = {i, i + 1, 0, 0, q, NULL, v, force, &i, 0, 0, 0, NULL, 0};
        feed_segment(sampler, &s);
        if (i == 1)
            carom_sampler_jump(sampler, &(carom_jump){2, q, v, v, force});
    }
    carom_sampler_end(sampler);
    ck_assert_uint_eq(r.n, CAROM_COUNT(t));
    for (size_t k = 0; k < r.n; k++)
        ck_assert_msg(value(&r, k, "t") == t[k] && value(&r, k, "ground.mode") == mode[k], "row %zu: mode %g", k,
                      value(&r, k, "ground.mode"));
    carom_sampler_free(sampler);
    free(r.row);
}
END_TEST

START_TEST(without_an_interval_every_step_gives_a_row)
{
    static const double t[] = {0, 1, 1, 1.5}, side[] = {0, -1, 1, 0};
    carom_model model = fixture_model();
    rows r;
    carom_sampler *sampler = new_sampler(&model, 0, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
    fixture_play(feeder(sampler));
    carom_sampler_end(sampler);
    ck_assert_uint_eq(r.n, 4);
    for (size_t k = 0; k < 4; k++)
        ck_assert(value(&r, k, "t") == t[k] && value(&r, k, "side") == side[k]);
    carom_sampler_free(sampler);
    free(r.row);
}
END_TEST

START_TEST(the_last_row_stands_exactly_at_the_end_and_only_once)
{
    static const double ends[] = {0.3, 0.7, 1.1, 0.35, 0.6, 1.2};
    static const size_t counts[] = {4, 8, 12, 5, 7, 13};
    carom_model model = fixture_model();
    for (int i = 0; i < CAROM_COUNT(ends); i++) {
        rows r;
        carom_sampler *sampler = new_sampler(&model, 0.1, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
        const double q[] = {0, ends[i]}, v[] = {1}, force[] = {0};
        carom_segment s = {0, ends[i], 1, 0, q, q + 1, v, force, (const unsigned char[]){0}, 0, 0, 0, NULL, 0};
        feed_segment(sampler, &s);
        carom_sampler_end(sampler);
        ck_assert_uint_eq(r.n, counts[i]);
        ck_assert(value(&r, r.n - 1, "t") == ends[i] && value(&r, r.n - 1, "y") == ends[i]);
        carom_sampler_free(sampler);
        free(r.row);
    }
}
END_TEST

START_TEST(names_are_unique_and_rows_of_friction_and_joints_find_their_columns)
{
    const char *outputs[] = {"y"};
    carom_model model = fixture_model();
    model.ncontact = 2;
    model.njoint = 1;
    model.output_name = outputs;
    rows r;
    carom_sampler *sampler = new_sampler(&model, 0, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
    const double q[] = {0}, v[] = {0}, force[] = {10, 20, 30, 31}, impulse[] = {1, 2, 3, 4};
    carom_segment s = {0, 1, 0, 0, q, NULL, v, force, (const unsigned char[]){0, 3}, 0, 0, 0, NULL, 0};
    feed_segment(sampler, &s);
    carom_sampler_jump(sampler, &(carom_jump){1, q, v, v, impulse});
    carom_sampler_end(sampler);
    static const char *const names[] = {"t",
                                        "side",
                                        "y",
                                        "y'",
                                        "y_2",
                                        "ground.mode",
                                        "ground.force",
                                        "ground.impulse",
                                        "wall.mode",
                                        "wall.force",
                                        "wall.impulse",
                                        "wall.force_t",
                                        "wall.impulse_t",
                                        "joint0.force",
                                        "joint0.impulse"};
    ck_assert_int_eq(r.width, CAROM_COUNT(names));
    for (int i = 0; i < r.width; i++)
        ck_assert_str_eq(carom_sampler_layout(sampler)->name[i], names[i]);
    ck_assert_uint_eq(r.n, 3);
    ck_assert(value(&r, 0, "joint0.force") == 10 && value(&r, 0, "ground.force") == 20 &&
              value(&r, 0, "wall.force") == 30);
    ck_assert(value(&r, 0, "wall.force_t") == 31 && value(&r, 0, "wall.mode") == 3);
    ck_assert(value(&r, 2, "joint0.impulse") == 1 && value(&r, 2, "ground.impulse") == 2);
    ck_assert(value(&r, 2, "wall.impulse") == 3 && value(&r, 2, "wall.impulse_t") == 4);
    ck_assert(value(&r, 1, "wall.impulse") == 0 && value(&r, 2, "wall.force") == 0);
    carom_sampler_free(sampler);
    free(r.row);
}
END_TEST

START_TEST(an_interval_below_the_resolution_of_time_is_an_error)
{
    carom_model model = fixture_model();
    carom_sampler *sampler;
    carom_error error = {0};
    rows r = {0};
    ck_assert_int_eq(carom_sampler_new(&sampler, &model, NULL, -1,
        &(carom_sink_info){.size = sizeof(carom_sink_info)}, keep, &r, &error),
                     CAROM_BAD_OPTION);
    sampler = new_sampler(&model, 1e-30, &(carom_sink_info){.size = sizeof(carom_sink_info)}, &r);
    const double q[] = {0}, v[] = {0};
    carom_segment s = {1, 2, 0, 0, q, NULL, v, NULL, NULL, 0, 0, 0, NULL, 0};
    ck_assert_int_eq(carom_sampler_segment(sampler, &s, &error), CAROM_BAD_OPTION);
    carom_sampler_free(sampler);
}
END_TEST

TEST_MAIN("output", shortest_numbers_read_back_as_the_same_double_and_no_shorter_one_does,
          numbers_at_the_limits_are_written_well, a_million_samples_stand_exactly_on_the_grid,
          a_jump_gives_two_rows_instead_of_the_node, a_mode_holds_from_the_end_of_the_segment_that_brought_it,
          without_an_interval_every_step_gives_a_row,
          the_last_row_stands_exactly_at_the_end_and_only_once,
          names_are_unique_and_rows_of_friction_and_joints_find_their_columns,
          an_interval_below_the_resolution_of_time_is_an_error)
