/* test_sweep.c: designs, shards and measures of sweeps, against exact values. */
#include <string.h>

#include "analysis/sweep/sweep.h"
#include "testing.h"

/* ---- designs ---- */

START_TEST(sobol_points_are_those_of_joe_and_kuo)
{
    /* The beginning of the sequence in Gray code order, to be had by hand from the direction numbers of the first
     * five axes. */
    static const double expected[][5] = {{0, 0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25, 0.75},
                                         {0.25, 0.75, 0.75, 0.75, 0.25}, {0.375, 0.375, 0.625, 0.875, 0.375}};
    for (int i = 0; i < CAROM_COUNT(expected); i++) {
        double x[5];
        carom_sobol(i, 5, x);
        for (int k = 0; k < 5; k++)
            ck_assert_msg(x[k] == expected[i][k], "point %d axis %d is %g, not %g", i, k, x[k], expected[i][k]);
    }
}
END_TEST

START_TEST(sobol_points_fill_every_interval_of_every_axis_once)
{
    enum { N = 1 << 12 };
    static bool seen[CAROM_SWEEP_AXES][N];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < N; i++) {
        double x[CAROM_SWEEP_AXES];
        carom_sobol(3 * (long long)N + i, CAROM_SWEEP_AXES, x); /* every aligned block has the property */
        for (int k = 0; k < CAROM_SWEEP_AXES; k++) {
            ck_assert(x[k] >= 0 && x[k] < 1);
            int at = (int)(x[k] * N);
            ck_assert_msg(!seen[k][at], "axis %d: two points in interval %d", k, at);
            seen[k][at] = true;
        }
    }
}
END_TEST

START_TEST(sobol_points_integrate_far_better_than_random_ones)
{
    enum { N = 1 << 14, D = 8 };
    double sums[2] = {0, 0};
    for (int method = 0; method < 2; method++) {
        carom_sweep s = {.design = method ? CAROM_DESIGN_RANDOM : CAROM_DESIGN_SOBOL,
                         .naxis = D,
                         .points = N,
                         .seed = 5};
        for (int k = 0; k < D; k++)
            s.axis[k] = (carom_sweep_axis){"x", 0, 1, 0};
        for (int i = 0; i < N; i++) {
            double x[D], f = 1;
            carom_sweep_point(&s, i, x);
            for (int k = 0; k < D; k++)
                f *= 1 + (x[k] - 0.5) / (k + 1); /* its integral is 1 */
            sums[method] += f / N;
        }
    }
    CHECK_NEAR(sums[0], 1, 1e-4);
    CHECK_NEAR(sums[1], 1, 2e-2);
    CHECK_AT_LEAST(fabs(sums[1] - 1), 10 * fabs(sums[0] - 1));
}
END_TEST

START_TEST(random_points_are_uniform_and_belong_to_seed_and_index)
{
    enum { N = 40000, BINS = 20 };
    carom_sweep s = {.design = CAROM_DESIGN_RANDOM,
                     .naxis = 2,
                     .points = N,
                     .seed = 1,
                     .axis = {{"a", 0, 1, 0}, {"b", -1, 3, 0}}};
    int bins[2][BINS] = {{0}};
    double product = 0;
    for (int i = 0; i < N; i++) {
        double x[2];
        carom_sweep_point(&s, i, x);
        bins[0][(int)(x[0] * BINS)]++;
        bins[1][(int)((x[1] + 1) / 4 * BINS)]++;
        product += (x[0] - 0.5) * ((x[1] + 1) / 4 - 0.5) / N;
    }
    for (int k = 0; k < 2; k++) {
        double chi2 = 0;
        for (int b = 0; b < BINS; b++)
            chi2 += pow(bins[k][b] - (double)N / BINS, 2) / ((double)N / BINS);
        CHECK_AT_MOST(chi2, 44); /* 19 degrees of freedom: 0.1 % */
    }
    CHECK_NEAR(product, 0, 4. / 12 / sqrt(N));
    double x[2], again[2], other[2];
    carom_sweep_point(&s, 77, x);
    carom_sweep_point(&s, 77, again);
    s.seed = 2;
    carom_sweep_point(&s, 77, other);
    ck_assert(x[0] == again[0] && x[1] == again[1] && x[0] != other[0] && x[1] != other[1]);
}
END_TEST

START_TEST(a_grid_has_both_ends_and_its_last_axis_varies_fastest)
{
    carom_sweep s = {.naxis = 3, .axis = {{"a", 0.1, 0.7, 4}, {"b", 5, 5, 1}, {"c", 1, -1, 3}}};
    ck_assert_int_eq(carom_sweep_grid_points(&s), 12);
    double x[3];
    carom_sweep_point(&s, 0, x);
    ck_assert(x[0] == 0.1 && x[1] == 5 && x[2] == 1);
    carom_sweep_point(&s, 1, x);
    ck_assert(x[0] == 0.1 && x[1] == 5 && x[2] == 0);
    carom_sweep_point(&s, 11, x);
    ck_assert(x[0] == 0.7 && x[1] == 5 && x[2] == -1);
    s.axis[1].n = 1000000000, s.axis[2].n = 1000000000;
    ck_assert_int_eq(carom_sweep_grid_points(&s), -1);
}
END_TEST

START_TEST(shards_are_disjoint_and_cover_all_points)
{
    enum { POINTS = 103, SHARDS = 7 };
    int seen[POINTS] = {0};
    for (int k = 0; k < SHARDS; k++) {
        const carom_sweep s = {.points = POINTS, .shard = k, .nshard = SHARDS};
        carom_sweep_todo todo;
        carom_error error;
        long long index[10];
        CHECK_OK(carom_sweep_todo_new(&todo, &s, &error), error);
        if (k == 3) { /* what is marked is not handed out */
            CHECK_OK(carom_sweep_todo_mark(&todo, 10, &error), error);
            ck_assert_int_eq(carom_sweep_todo_mark(&todo, 11, &error), CAROM_BAD_ARGUMENT);
            seen[10]++;
        }
        for (int n; (n = carom_sweep_todo_take(&todo, index, 10)) > 0;)
            for (int i = 0; i < n; i++)
                seen[index[i]]++;
        carom_sweep_todo_free(&todo);
    }
    for (int i = 0; i < POINTS; i++)
        ck_assert_msg(seen[i] == 1, "point %d is taken %d times", i, seen[i]);
}
END_TEST

#ifndef CAROM_NO_YAML

/* ---- measures ---- */

enum { MOST = 16, POINTS = 64 };
typedef struct collected {
    carom_sweep_todo todo;
    carom_status status[POINTS];
    double value[POINTS][MOST];
    char text[POINTS][CAROM_SWEEP_TEXT];
    int ncolumn, n, stop_after;
} collected;

static int take(void *user, long long *index, int most)
{
    return carom_sweep_todo_take(&((collected *)user)->todo, index, most);
}

static carom_status put(void *user, const carom_sweep_row *rows, int n, carom_error *error)
{
    collected *c = user;
    (void)error;
    for (int i = 0; i < n; i++, c->n++) {
        c->status[rows[i].index] = rows[i].status;
        memcpy(c->value[rows[i].index], rows[i].value, sizeof(double) * (size_t)c->ncolumn);
        memcpy(c->text[rows[i].index], rows[i].text, CAROM_SWEEP_TEXT);
    }
    return CAROM_OK;
}

static bool stop(void *user)
{
    const collected *c = user;
    return c->stop_after > 0 && c->n >= c->stop_after;
}

static void run_sweep(collected *c, carom_sweep *s, const char *const *measures, int threads)
{
    carom_measure measure[MOST];
    carom_error error = {0};
    memset(c, 0, sizeof *c);
    s->nshard = 1, s->ncolumn = 0;
    for (; measures[s->ncolumn]; s->ncolumn++) {
        s->column[s->ncolumn] = measures[s->ncolumn];
        CHECK_OK(carom_measure_read(&measure[s->ncolumn], measures[s->ncolumn], &error), error);
    }
    s->method = &carom_sweep_measures;
    s->task = measure;
    s->points = carom_sweep_grid_points(s);
    c->ncolumn = s->ncolumn;
    const carom_sweep_feed feed = {c, take, put, stop};
    CHECK_OK(carom_sweep_todo_new(&c->todo, s, &error), error);
    CHECK_OK(carom_sweep_run(s, threads, &feed, &error), error);
    carom_sweep_todo_free(&c->todo);
    ck_assert_int_eq(c->n, (int)s->points);
}

/* A ball that falls from y0: hits the ground at t1 = sqrt(2 y0/g) with g t1, rises to e^2 y0, hits again after 2 e
 * t1. */
START_TEST(measures_of_a_ball_are_exact)
{
    static const char *const measures[] = {"max:y",   "min:y'", "max:y'", "mean:y", "final:y*t",
                                           "impacts", "time",   "zeno",   "rest",   NULL};
    const carom_setting setting[] = {{.key = "rtol", .value = "1e-10"}, {.key = "atol", .value = "1e-12"}};
    carom_sweep s = {.path = "bouncing-ball",
                     .naxis = 1,
                     .axis = {{"e", 0.5, 0.8, 4}},
                     .setting = setting,
                     .nsetting = 2};
    static collected c;
    const double g = 10, y0 = 0.5, t1 = sqrt(2 * y0 / g);
    const double a = 0.2 * t1, b = 0.9 * t1; /* looked at within the second flight, from a to b after the impact */
    s.span = (carom_sweep_span){CAROM_SPAN_TIME, b - a, t1 + a};
    run_sweep(&c, &s, measures, 2);
    for (int i = 0; i < 4; i++) {
        const double e = 0.5 + 0.1 * i, v = e * g * t1, *x = c.value[i];
        ck_assert_int_eq(c.status[i], CAROM_OK);
        CHECK_NEAR(x[0], e * e * y0, 1e-9);
        CHECK_NEAR(x[1], v - g * b, 1e-8);
        CHECK_NEAR(x[2], v - g * a, 1e-8);
        CHECK_NEAR(x[3], v * (a + b) / 2 - g * (a * a + a * b + b * b) / 6, 1e-8);
        CHECK_NEAR(x[4], (v * b - g * b * b / 2) * (t1 + b), 1e-8);
        CHECK_NEAR(x[5], 0, 0);
        CHECK_NEAR(x[6], t1 + b, 1e-14);
        CHECK_NEAR(x[7], 0, 0);
        CHECK_NEAR(x[8], 0, 0);
    }
}
END_TEST

/* It comes to rest at t1 (1 + e)/(1 - e), after infinitely many impacts. */
START_TEST(chatter_and_rest_are_counted)
{
    static const char *const measures[] = {"zeno", "rest", "max:y", NULL};
    const carom_setting setting[] = {{.key = "rtol", .value = "1e-10"}, {.key = "atol", .value = "1e-12"}};
    carom_sweep s = {.path = "bouncing-ball",
                     .naxis = 1,
                     .axis = {{"e", 0.3, 0.7, 3}},
                     .setting = setting,
                     .nsetting = 2,
                     .span = {CAROM_SPAN_TIME, 4, 0}};
    static collected c;
    run_sweep(&c, &s, measures, 1);
    for (int i = 0; i < 3; i++) {
        const double e = 0.3 + 0.2 * i, rest = sqrt(0.1) * (1 + e) / (1 - e);
        CHECK_NEAR(c.value[i][0], 1, 0);
        CHECK_NEAR(c.value[i][1], (4 - rest) / 4, 2e-6);
        CHECK_NEAR(c.value[i][2], 0.5, 0);
    }
}
END_TEST

/* Between two samples of a step: the maximum of sin in the closed form of the forced motion without contact. */
START_TEST(extremes_between_steps_are_found)
{
    static const char *const measures[] = {"max:sin(3*t)", "min:cos(3*t)", "mean:sin(3*t)^2", NULL};
    carom_sweep s = {.path = "free-flight", .naxis = 1, .axis = {{"q.y", 10, 12, 2}}, .span = {CAROM_SPAN_TIME, 10, 0}};
    carom_model *model;
    carom_error error;
    char name[40];
    CHECK_OK(carom_model_load(&model, "free-flight", NULL, &error), error);
    snprintf(name, sizeof name, "q.%s", model->q_name[0]);
    s.axis[0].name = name;
    static collected c;
    run_sweep(&c, &s, measures, 1);
    carom_model_free(model);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(c.value[i][0], 1, 1e-9);
        CHECK_NEAR(c.value[i][1], -1, 1e-9);
        CHECK_NEAR(c.value[i][2], 0.5 - sin(60) / 120, 1e-6);
    }
}
END_TEST

START_TEST(points_that_fail_are_rows_with_the_reason)
{
    static const char *const measures[] = {"impacts", NULL};
    carom_sweep s = {.path = "bouncing-ball",
                     .naxis = 1,
                     .axis = {{"e", 0.8, 1.4, 4}},
                     .span = {CAROM_SPAN_TIME, 1, 0}};
    static collected c;
    run_sweep(&c, &s, measures, 2);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(c.status[i] == CAROM_OK, i < 2);
        ck_assert(isnan(c.value[i][0]) == (i >= 2));
        ck_assert_msg((strstr(c.text[i], "restitution") != NULL) == (i >= 2), "'%s'", c.text[i]);
    }
}
END_TEST

START_TEST(results_do_not_depend_on_the_number_of_threads_or_the_order)
{
    static const char *const measures[] = {"lyapunov", "impacts", "mean:u", NULL};
    const char *const fixed[] = {"alpha"};
    const double value[] = {0.2};
    carom_sweep s = {.path = "impact-oscillator",
                     .naxis = 2,
                     .axis = {{"w", 2, 3, 8}, {"q.u", 0.5, 1.5, 8}},
                     .fixed = fixed,
                     .fixed_value = value,
                     .nfixed = 1,
                     .span = {CAROM_SPAN_PERIODS, 12, 5}};
    static collected one, three;
    run_sweep(&one, &s, measures, 1);
    run_sweep(&three, &s, measures, 3);
    ck_assert(memcmp(one.value, three.value, sizeof one.value) == 0);
    /* A point alone, on a worker that has seen another one before. */
    carom_sweep_worker *worker;
    carom_error error;
    double alone[MOST];
    carom_measure measure[3];
    for (int k = 0; k < 3; k++)
        CHECK_OK(carom_measure_read(&measure[k], measures[k], &error), error);
    s.task = measure;
    CHECK_OK(carom_sweep_worker_new(&worker, &s, &error), error);
    const long long order[] = {40, 3, 40};
    for (int i = 0; i < 3; i++) {
        carom_sweep_row row = {.index = order[i], .value = alone};
        s.method->ahead(worker, &order[i], 1);
        ck_assert(carom_sweep_worker_run(worker, &row));
        ck_assert(memcmp(alone, one.value[order[i]], sizeof(double) * 3) == 0);
    }
    carom_sweep_worker_free(worker);
}
END_TEST

/* P1: both exponents are -alpha T + ln e. */
START_TEST(the_exponent_of_a_periodic_motion_is_exact)
{
    static const char *const measures[] = {"lyapunov", "impacts", NULL};
    const char *const fixed[] = {"w", "e", "umin"};
    const double value[] = {2.5, 0.5, 0};
    const carom_setting setting[] = {{.key = "rtol", .value = "1e-10"}, {.key = "atol", .value = "1e-10"}};
    carom_sweep s = {.path = "impact-oscillator",
                     .naxis = 1,
                     .axis = {{"alpha", 0.05, 0.06, 2}},
                     .fixed = fixed,
                     .fixed_value = value,
                     .nfixed = 3,
                     .setting = setting,
                     .nsetting = 2,
                     .span = {CAROM_SPAN_PERIODS, 1500, 100}};
    static collected c;
    run_sweep(&c, &s, measures, 1);
    const double T = 2 * acos(-1) / 2.5;
    CHECK_NEAR(c.value[0][0], -0.05 * T + log(0.5), 1e-8);
    CHECK_NEAR(c.value[0][0], -0.81881089, 1e-7); /* the reference value */
    CHECK_NEAR(c.value[1][0], -0.06 * T + log(0.5), 1e-8);
    CHECK_NEAR(c.value[0][1], 1500, 0);
}
END_TEST

START_TEST(a_sweep_ends_when_it_is_told_to_and_keeps_what_there_is)
{
    static const char *const names[] = {"impacts"};
    carom_measure measure;
    carom_error error;
    carom_sweep s = {.path = "bouncing-ball",
                     .naxis = 1,
                     .axis = {{"e", 0.1, 0.9, 60}},
                     .nshard = 1,
                     .points = 60,
                     .ncolumn = 1,
                     .method = &carom_sweep_measures,
                     .task = &measure,
                     .column = {names[0]}};
    static collected c;
    c.ncolumn = 1, c.stop_after = 5;
    CHECK_OK(carom_measure_read(&measure, names[0], &error), error);
    CHECK_OK(carom_sweep_todo_new(&c.todo, &s, &error), error);
    const carom_sweep_feed feed = {&c, take, put, stop};
    ck_assert_int_eq(carom_sweep_run(&s, 1, &feed, &error), CAROM_INTERRUPTED);
    ck_assert(c.n >= 5 && c.n < 60);
    carom_sweep_todo_free(&c.todo);
}
END_TEST

START_TEST(mistakes_that_concern_every_point_are_found_before_the_first)
{
    static const struct {
        const char *measure, *says;
    } wrong[] = {{"maxx:y", "did you mean 'max'"},
                 {"max", "needs an expression"},
                 {"impacts:y", "takes no expression"}};
    carom_measure measure;
    carom_error error;
    for (int i = 0; i < CAROM_COUNT(wrong); i++) {
        ck_assert_int_eq(carom_measure_read(&measure, wrong[i].measure, &error), CAROM_BAD_OPTION);
        ck_assert_msg(strstr(error.text, wrong[i].says) != NULL, "%s", error.text);
    }
    CHECK_OK(carom_measure_read(&measure, "max:z", &error), error); /* the ball has no z */
    const carom_sweep s = {.path = "bouncing-ball",
                           .naxis = 1,
                           .axis = {{"e", 0.1, 0.9, 6}},
                           .nshard = 1,
                           .points = 6,
                           .ncolumn = 1,
                           .method = &carom_sweep_measures,
                           .task = &measure,
                           .column = {"max:z"}};
    carom_sweep_worker *worker;
    ck_assert_int_ne(carom_sweep_worker_new(&worker, &s, &error), CAROM_OK);
    ck_assert_msg(strstr(error.text, "z") != NULL, "%s", error.text);
}
END_TEST

TEST_MAIN("sweeps", sobol_points_are_those_of_joe_and_kuo, sobol_points_fill_every_interval_of_every_axis_once,
          sobol_points_integrate_far_better_than_random_ones, random_points_are_uniform_and_belong_to_seed_and_index,
          a_grid_has_both_ends_and_its_last_axis_varies_fastest, shards_are_disjoint_and_cover_all_points,
          measures_of_a_ball_are_exact, chatter_and_rest_are_counted, extremes_between_steps_are_found,
          points_that_fail_are_rows_with_the_reason, results_do_not_depend_on_the_number_of_threads_or_the_order,
          the_exponent_of_a_periodic_motion_is_exact, a_sweep_ends_when_it_is_told_to_and_keeps_what_there_is,
          mistakes_that_concern_every_point_are_found_before_the_first)

#else

TEST_MAIN("sweeps", sobol_points_are_those_of_joe_and_kuo, sobol_points_fill_every_interval_of_every_axis_once,
          sobol_points_integrate_far_better_than_random_ones, random_points_are_uniform_and_belong_to_seed_and_index,
          a_grid_has_both_ends_and_its_last_axis_varies_fastest, shards_are_disjoint_and_cover_all_points)

#endif
