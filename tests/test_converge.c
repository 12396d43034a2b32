/* test_converge.c: studies of convergence: orders that are known, work, resumption, threads. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/converge/converge.h"
#include "carom_analysis.h"
#include "systems.h"
#include "testing.h"

/* m q'' = -0.2 v - 10 q, stop at 0, e = 1/2, from 1: five impacts until t = 5 */
static carom_model oscillator(point_store *store)
{
    return point_model(store, 1, 0, 10, 0.2, 0.5, 1, 0);
}

static carom_converge_result study(const carom_converge_request *request)
{
    carom_converge_result result;
    carom_error error = {0};
    CHECK_OK(carom_converge_run(request, &result, &error), error);
    return result;
}

static carom_options until(double t_end)
{
    carom_options o = carom_options_default();
    o.t_end = t_end;
    return o;
}

START_TEST(a_fit_finds_the_order_and_its_spread)
{
    enum { N = 6, SHIFTS = 4 };
    carom_converge_task task[N * SHIFTS] = {0};
    double error[N * SHIFTS];
    carom_converge_order order = {0};
    for (int k = 0; k < N * SHIFTS; k++) {
        double nominal = 0.1 / (1 << (k / SHIFTS)), h = nominal * carom_converge_shift(k % SHIFTS, SHIFTS);
        error[k] = 3 * pow(h, 2);
        task[k] = (carom_converge_task){.nominal = nominal, .value = h, .error = &error[k]};
        ck_assert(h > 0.95 * nominal && h < 1.05 * nominal);
    }
    carom_converge_fit(task, N, SHIFTS, 0, 0, &order);
    CHECK_NEAR(order.order, 2, 1e-12);
    CHECK_NEAR(order.envelope, 2, 1e-12);
    CHECK_NEAR(order.spread, 0, 1e-12);
    CHECK_NEAR(order.constant, 3, 0.01);
    for (int k = 0; k < N; k++)
        error[k * SHIFTS] *= k % 2 ? 1.5 : 1; /* one of the four sequences jumps up and down */
    carom_converge_fit(task, N, SHIFTS, 0, 0, &order);
    CHECK_NEAR(order.order, 2, 0.1);
    ck_assert(order.spread > 0.02);
    error[(N - 1) * SHIFTS + 1] = 1e-9; /* at the floor: this step is left out */
    carom_converge_fit(task, N, SHIFTS, 0, 1e-8, &order);
    ck_assert_int_eq(order.points, N - 1);
    CHECK_NEAR(order.order, 2, 0.15);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < SHIFTS; j++) /* the worst one is of order 1, the others are not, and much smaller */
            error[k * SHIFTS + j] = j == 2 ? task[k * SHIFTS].nominal : 1e-3 * pow(task[k * SHIFTS].nominal, 3);
    carom_converge_fit(task, N, SHIFTS, 0, 0, &order);
    CHECK_NEAR(order.envelope, 1, 1e-12);
}
END_TEST

START_TEST(orders_through_impacts_are_those_of_the_schemes)
{
    point_store store;
    const carom_model m = oscillator(&store);
    const carom_options o = until(5);
    const double h[] = {0.04, 0.02, 0.01, 0.005};
    const struct {
        const char *scheme, *norm;
        double least, most;
    } cases[] = {{"moreau-jean", "L1.v", 0.75, 1.25},   {"moreau-jean", "hausdorff.v", 0.7, 1.25},
                 {"moreau-jean", "max.v", -0.3, 0.4},   {"moreau-jean", "L2.v", 0.35, 0.75},
                 {"moreau-jean", "max.q", 0.75, 1.25},  {"mixed:rk=radau3", "max.q", 2.8, 3.2},
                 {"mixed:rk=radau5", "L1.q", 4.8, 5.2}, {"dg-minus:degree=1", "L1.q", 0.7, 1.3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const carom_converge_request request = {.size = sizeof request, .model = &m,
                                                .options = &o,
                                                .schemes = &cases[k].scheme,
                                                .nscheme = 1,
                                                .norms = &cases[k].norm,
                                                .nnorm = 1,
                                                .h = h,
                                                .nh = 4,
                                                .shifts = 7};
        carom_converge_result r = study(&request);
        printf("%-18s %-12s order %.2f +- %.2f; reference: %s\n", cases[k].scheme, cases[k].norm, r.order[0].order,
               r.order[0].spread, r.reference);
        CHECK_AT_LEAST(r.order[0].order, cases[k].least);
        CHECK_AT_MOST(r.order[0].order, cases[k].most);
        ck_assert_int_eq(r.used, CAROM_REFERENCE_CLOSED);
        carom_converge_free(&r);
    }
}
END_TEST

START_TEST(the_error_of_tolerance_follows_its_tolerance_and_work_is_counted)
{
    point_store store;
    const carom_model m = oscillator(&store);
    const carom_options o = until(5);
    const double rtol[] = {1e-4, 1e-6, 1e-8}, h[] = {0.01};
    const char *const schemes[] = {"tolerance", "moreau-jean"}, *const norms[] = {"max.q", "L1.v"};
    const carom_converge_request request = {.size = sizeof request, .model = &m,
                                            .options = &o,
                                            .schemes = schemes,
                                            .nscheme = 2,
                                            .norms = norms,
                                            .nnorm = 2,
                                            .rtol = rtol,
                                            .nrtol = 3,
                                            .h = h,
                                            .nh = 1,
                                            .shifts = 2};
    carom_converge_result r = study(&request);
    ck_assert_int_eq(r.nrow, (3 + 1) * 2 * 2);
    CHECK_NEAR(r.order[0].order, 1, 0.25);
    CHECK_NEAR(r.order[1].order, 1, 0.25);
    for (int k = 0; k < r.nrow; k++) {
        const carom_converge_row *row = &r.row[k];
        ck_assert(isnan(row->h) == (row->scheme == 0) && isnan(row->rtol) == (row->scheme == 1));
        ck_assert(row->rhs_evaluations > 0 && row->steps > 0 && row->cpu_s > 0);
        if (row->scheme == 1) {
            ck_assert_int_eq(row->steps, (long)ceil(5 / row->h));
            ck_assert_int_eq(row->rhs_evaluations, row->steps); /* linear: one iteration of Newton's method */
            /* and one for the row of each impact */
            ck_assert_int_eq(row->linear_solves, row->steps + row->contact_problems);
        } else if (row->norm == 0) {
            CHECK_AT_MOST(row->error, 10 * row->rtol);
        }
    }
    carom_converge_free(&r);
}
END_TEST

/* What is known by hand. Each acceleration is one force and one solve with M; so is each step of the simplest
 * schemes. A closed contact adds one solve for its row; Newton's method on forces that are linear adds one with its
 * own matrix. */
START_TEST(linear_solves_are_counted_one_by_one_in_every_scheme)
{
    static const struct {
        const char *scheme;
        double h, force, k;                   /* m = 1, force - k q, floor at 0 */
        int steps, per_step, per_rhs, per_problem; /* solves: so many for each */
    } cases[] = {{"kern", 0.01, -2, 0, 250, 1, 0, 1},       {"moreau-jean", 0.01, -2, 0, 250, 1, 0, 1},
                 {"moreau-jean", 0.01, 0, 10, 250, 1, 0, 1}, {"mixed:rk=erk4", 0.01, 1, 0, 250, 0, 1, 0},
                 {"mixed:rk=erk4", 0.01, 4, 2, 250, 0, 1, 0}, {"tolerance:method=dp5", 0, 4, 2, 0, 0, 1, 0},
                 {"crank-nicolson", 0.01, 4, 2, 250, 2, 0, 0}, {"crank-nicolson", 0.01, 1, 0, 250, 2, 0, 0},
                 {"mixed:rk=gauss2", 0.01, 1, 0, 250, 3, 1, 0}, /* columns of a_q and a_v; one iteration */
                 {"dg-minus:degree=0", 0.01, 4, 2, 250, 1, 0, 0}};
    const char *const norm = "L1.q";
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        point_store store;
        const carom_model m = point_model(&store, 1, cases[k].force, cases[k].k, 0, 0.5, 1, 0);
        const carom_options o = until(2.5);
        const double h = 0.01, rtol = 1e-6;
        const carom_converge_request request = {.size = sizeof request, .model = &m,
                                                .options = &o,
                                                .schemes = &cases[k].scheme,
                                                .nscheme = 1,
                                                .norms = &norm,
                                                .nnorm = 1,
                                                .h = &h,
                                                .nh = cases[k].h > 0,
                                                .rtol = &rtol,
                                                .nrtol = cases[k].h == 0,
                                                .shifts = 1};
        carom_converge_result r = study(&request);
        const carom_converge_row *row = r.row;
        printf("%-22s %ld steps, %ld forces, %ld problems: %ld solves\n", cases[k].scheme, row->steps,
               row->rhs_evaluations, row->contact_problems, row->linear_solves);
        if (cases[k].steps)
            ck_assert_int_eq(row->steps, cases[k].steps);
        ck_assert_int_gt(row->linear_solves, 0);
        ck_assert_int_eq(row->linear_solves, cases[k].per_step * row->steps + cases[k].per_rhs * row->rhs_evaluations +
                                                 cases[k].per_problem * row->contact_problems);
        carom_converge_free(&r);
    }
}
END_TEST

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void same_rows(const carom_converge_result *a, const carom_converge_result *b)
{
    ck_assert_int_eq(a->nrow, b->nrow);
    for (int k = 0; k < a->nrow; k++) {
        carom_converge_row x = a->row[k], y = b->row[k];
        ck_assert(x.error == y.error && x.nominal == y.nominal && x.rhs_evaluations == y.rhs_evaluations &&
                  x.scheme == y.scheme);
    }
    for (int k = 0; k < a->norder; k++)
        ck_assert(same(a->order[k].order, b->order[k].order) && same(a->order[k].spread, b->order[k].spread));
}

static bool after_five(void *user, int done, int runs)
{
    int *calls = user;
    ++*calls;
    ck_assert_int_le(done, runs);
    return *calls < 5;
}

static bool count(void *user, int done, int runs)
{
    (void)done, (void)runs;
    ++*(int *)user;
    return true;
}

START_TEST(an_interrupted_study_goes_on_and_threads_change_nothing)
{
    point_store store;
    const carom_model m = oscillator(&store);
    const carom_options o = until(2);
    const double h[] = {0.04, 0.02, 0.01};
    const char *const schemes[] = {"moreau-jean", "kern"}, *const norms[] = {"L1.q", "hausdorff.v"};
    char path[SCRATCH];
    carom_converge_request request = {.size = sizeof request, .model = &m,
                                      .options = &o,
                                      .schemes = schemes,
                                      .nscheme = 2,
                                      .norms = norms,
                                      .nnorm = 2,
                                      .h = h,
                                      .nh = 3,
                                      .shifts = 3,
                                      .threads = 1};
    carom_converge_result all = study(&request), cut;
    carom_error error = {0};
    int file = mkstemp(scratch_name(path, "journal")), calls = 0;
    ck_assert_int_ge(file, 0);
    close(file);
    request.journal = path, request.progress = after_five, request.user = &calls;
    ck_assert_int_eq(carom_converge_run(&request, &cut, &error), CAROM_INTERRUPTED);
    printf("%s\n", error.text);
    ck_assert_int_eq(calls, 5);
    request.nh = 2;
    ck_assert_int_eq(carom_converge_run(&request, &cut, &error), CAROM_FILE); /* other settings */
    printf("%s\n", error.text);
    request.nh = 3, request.progress = count, request.threads = 2, calls = 0;
    cut = study(&request);
    ck_assert_int_eq(cut.resumed, 5);
    ck_assert_int_eq(calls, 18 - 5); /* what was finished is not run again */
    same_rows(&all, &cut);
    ck_assert_int_ne(access(path, F_OK), 0); /* it was complete: the journal is gone */
    carom_converge_free(&all), carom_converge_free(&cut);
}
END_TEST

/* Steps of all runs so far, and when to stop. */
typedef struct patience {
    long steps, most;
} patience;

static bool exhausted(void *user)
{
    patience *p = user;
    return ++p->steps > p->most;
}

START_TEST(a_run_under_way_ends_when_asked_and_is_run_again)
{
    point_store store;
    const carom_model m = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    const carom_options o = until(1); /* until the first impact: a closed form, steps are those of the runs */
    const double h[] = {0.001, 0.1};
    const char *const scheme = "kern", *const norm = "L1.q";
    char path[SCRATCH];
    patience p = {.most = 500};
    carom_converge_request request = {.size = sizeof request, .model = &m,
                                      .options = &o,
                                      .schemes = &scheme,
                                      .nscheme = 1,
                                      .norms = &norm,
                                      .nnorm = 1,
                                      .h = h,
                                      .nh = 2,
                                      .shifts = 1,
                                      .threads = 1};
    carom_converge_result all = study(&request), cut;
    carom_error error = {0};
    int file = mkstemp(scratch_name(path, "journal"));
    ck_assert_int_ge(file, 0);
    close(file);
    request.journal = path, request.stop = exhausted, request.user = &p;
    ck_assert_int_eq(carom_converge_run(&request, &cut, &error), CAROM_INTERRUPTED);
    ck_assert_msg(strstr(error.text, "after 1 of 2 runs"), "%s", error.text); /* 10 steps, then 490 of 1000 */
    ck_assert_int_eq(p.steps, 501);
    p = (patience){.most = 2000};
    cut = study(&request);
    ck_assert_int_eq(cut.resumed, 1);
    ck_assert_int_eq(p.steps, 1000);
    same_rows(&all, &cut);
    carom_converge_free(&all), carom_converge_free(&cut);
    const carom_model hard = point_model(&store, 1, -2, 3, 0.1, 0.5, 1, 0); /* no closed form is asked for */
    request.model = &hard, request.journal = NULL, request.reference = CAROM_REFERENCE_TOLERANCE,
    p = (patience){.most = 20};
    ck_assert_int_eq(carom_converge_run(&request, &cut, &error), CAROM_INTERRUPTED);
    ck_assert_msg(strstr(error.text, "reference"), "%s", error.text);
}
END_TEST

/* Explicit steps of 0.1 multiply q by 1 - 1e9 h^2 = -1e7, steps of 0.09 by -8e6: past 1e308 before t = 5. Implicit
 * ones do not care. */
START_TEST(runs_that_fail_are_counted_and_explained)
{
    point_store store;
    const carom_model m = point_model(&store, 1, 0, 1e9, 0, 0.5, 1, 0);
    const carom_options o = until(5);
    const double h[] = {0.1, 0.09};
    const char *const schemes[] = {"moreau-jean:theta=1", "kern"}, *const norms[] = {"max.q", "L1.q"};
    const carom_converge_request request = {.size = sizeof request, .model = &m,
                                            .options = &o,
                                            .schemes = schemes,
                                            .nscheme = 2,
                                            .norms = norms,
                                            .nnorm = 2,
                                            .h = h,
                                            .nh = 2,
                                            .shifts = 1,
                                            .reference = CAROM_REFERENCE_CLOSED};
    carom_converge_result r = study(&request);
    int failed = 0;
    ck_assert_int_eq(r.nrow, 8);
    for (int i = 0; i < r.nrow; i++) {
        ck_assert_msg(isnan(r.row[i].error) == (r.row[i].scheme == 1), "%s, h = %g: %g", schemes[r.row[i].scheme],
                      r.row[i].h, r.row[i].error);
        failed += isnan(r.row[i].error);
    }
    ck_assert_int_eq(failed, 4); /* rows: two runs in two norms */
    ck_assert_int_eq(r.failed, 2);
    ck_assert_msg(!strncmp(r.failure, "kern with h = 0.1: ", 19) && strlen(r.failure) > 30, "%s", r.failure);
    for (int i = 0; i < r.norder; i++)
        ck_assert(r.order[i].scheme == 0 || isnan(r.order[i].order));
    carom_converge_free(&r);
}
END_TEST

START_TEST(requests_that_make_no_sense_are_refused)
{
    point_store store;
    const carom_model m = oscillator(&store);
    const double h[] = {0.1}, bad_h[] = {-1};
    const char *const scheme = "moreau-jean", *const norm = "L1.q", *const bad_norm = "L9.q",
                      *const bad_scheme = "moreau-jane";
    const carom_converge_request good =
        {.size = sizeof good, .model = &m, .schemes = &scheme, .nscheme = 1, .norms = &norm, .nnorm = 1,
         .h = h, .nh = 1};
    carom_converge_request bad[5] = {good, good, good, good, good};
    carom_converge_result r;
    carom_error error = {0};
    bad[0].nh = 0, bad[1].h = bad_h, bad[2].norms = &bad_norm, bad[3].schemes = &bad_scheme, bad[4].model = NULL;
    for (int k = 0; k < 5; k++) {
        carom_status status = carom_converge_run(&bad[k], &r, &error);
        printf("%s\n", error.text);
        ck_assert(status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_OPTION);
    }
}
END_TEST

TEST_MAIN("convergence", a_fit_finds_the_order_and_its_spread, orders_through_impacts_are_those_of_the_schemes,
          the_error_of_tolerance_follows_its_tolerance_and_work_is_counted,
          linear_solves_are_counted_one_by_one_in_every_scheme, an_interrupted_study_goes_on_and_threads_change_nothing,
          a_run_under_way_ends_when_asked_and_is_run_again, runs_that_fail_are_counted_and_explained,
          requests_that_make_no_sense_are_refused)
