/* test_local_error.c: the error of one step from exact data, as a paper proves it. */
#include "carom_analysis.h"
#include "systems.h"
#include "testing.h"

static carom_options until(double t_end)
{
    carom_options o = carom_options_default();
    o.t_end = t_end;
    return o;
}

START_TEST(local_errors_with_an_impact_are_those_of_the_tables)
{
    const struct {
        const char *scheme;
        double at, e_q, e_v; /* |e_q|/h and |e_v| at h = 2^-10 */
        bool seen;
    } ball[] = {
        {"moreau-jean:gamma=0", 0.1, 2.7, 3, false},           {"moreau-jean:gamma=0", 0.9, 0.3, 3, false},
        {"moreau-jean:gamma=0.5", 0.1, 1.199170, 1.660156e-3, true}, {"moreau-jean:gamma=0.5", 0.45, 1.496826e-1,
         6.347656e-4, true},
        {"moreau-jean:gamma=0.5", 0.55, 1.35, 3, false},       {"moreau-jean:gamma=1", 0.55, 1.501709e-1, 3.417969e-4,
         true},
        {"moreau-jean:gamma=1", 0.9, 1.199658, 6.835938e-4, true}, {"moreau-jean:theta=1:gamma=1", 0.75, 2.248779,
         2.441406e-4, true},
    }, stop[] = {
        {"moreau-jean:gamma=0.5", 0.1, 2.284306, 5.386675e-4, true}, {"moreau-jean:gamma=0.5", 0.75, 1.427789, 5.711027,
         false},
        {"moreau-jean:gamma=1", 0.9, 2.284734, 5.181098e-4, true},
    };
    point_store one, two;
    const carom_model a = point_model(&one, 1, -2, 0, 0, 0.5, 1, 0), b = point_model(&two, 1, 0, 10, 0.2, 0.9, 1, 0);
    const double h[] = {1.0 / 256, 1.0 / 512, 1.0 / 1024};
    const carom_options o = until(5);
    for (size_t k = 0; k < sizeof ball / sizeof ball[0] + sizeof stop / sizeof stop[0]; k++) {
        size_t n = sizeof ball / sizeof ball[0];
        const char *scheme = k < n ? ball[k].scheme : stop[k - n].scheme;
        double at = k < n ? ball[k].at : stop[k - n].at, e_q = k < n ? ball[k].e_q : stop[k - n].e_q,
               e_v = k < n ? ball[k].e_v : stop[k - n].e_v;
        bool seen = k < n ? ball[k].seen : stop[k - n].seen;
        const carom_local_request request = {.size = sizeof request, .model = k < n ? &a : &b,
                                             .options = &o,
                                             .schemes = &scheme,
                                             .nscheme = 1,
                                             .h = h,
                                             .nh = 3,
                                             .place = &at,
                                             .nplace = 1};
        carom_local_result r;
        carom_error error = {0};
        CHECK_OK(carom_local_run(&request, &r, &error), error);
        printf("%s at %g: e_q/h %.6e, e_v %.6e, orders %.2f %.2f\n", scheme, at, 1024 * r.row[2].e_q, r.row[2].e_v,
               r.order[0].order_q, r.order[0].order_v);
        CHECK_NEAR(1024 * r.row[2].e_q, e_q, 2e-6 * e_q);
        CHECK_NEAR(r.row[2].e_v, e_v, 2e-6 * e_v);
        ck_assert(r.order[0].activated == seen);
        CHECK_NEAR(r.order[0].order_q, 1, 0.02);              /* proposition 1 */
        CHECK_NEAR(r.order[0].order_v, seen ? 1 : 0, 0.05);   /* proposition 3 */
        if (!seen)
            CHECK_NEAR(r.row[2].e_v, r.jump, 2e-3 * r.jump);  /* (1 + e) |u-|: all of the jump */
        carom_local_free(&r);
    }
}
END_TEST

START_TEST(local_errors_of_smooth_steps_are_of_higher_order)
{
    point_store store;
    const carom_model m = point_model(&store, 1, 0, 10, 0.2, 0.5, 1, 0);
    const carom_options o = until(5);
    const double h[] = {0.02, 0.01, 0.005, 0.0025}, from = 0.2;
    const char *const schemes[] = {"moreau-jean", "moreau-jean:theta=1", "mixed:rk=radau3"};
    const double order[] = {3, 2, 4}; /* proposition 2: 2 at least */
    const carom_local_request request = {.size = sizeof request, .model = &m,
                                         .options = &o,
                                         .schemes = schemes,
                                         .nscheme = 3,
                                         .h = h,
                                         .nh = 4,
                                         .place = &from,
                                         .nplace = 1,
                                         .from = true};
    carom_local_result r;
    carom_error error = {0};
    CHECK_OK(carom_local_run(&request, &r, &error), error);
    for (int k = 0; k < 3; k++) {
        printf("%s: %.2f %.2f\n", schemes[k], r.order[k].order_q, r.order[k].order_v);
        CHECK_NEAR(r.order[k].order_v, order[k], 0.1);
        CHECK_AT_LEAST(r.order[k].order_q, order[k] - 0.1);
    }
    carom_local_free(&r);
    const double outside = 7;
    carom_local_request bad = request;
    bad.place = &outside;
    ck_assert_int_eq(carom_local_run(&bad, &r, &error), CAROM_BAD_ARGUMENT);
    bad.from = false;
    ck_assert_int_eq(carom_local_run(&bad, &r, &error), CAROM_BAD_OPTION);
    printf("%s\n", error.text);
}
END_TEST

START_TEST(contacts_that_stay_closed_on_a_curved_surface_are_kept_by_the_printed_forecast)
{
    NEEDS_MODELS;
    const char *const schemes[] = {"moreau-jean:theta=1", "moreau-jean:theta=1:gamma=1", "moreau-jean:theta=0.5",
                                   "moreau-jean:theta=1:forecast=gap"};
    const double h[] = {0.02, 0.01, 0.005, 0.0025}, from = 0.3, order[] = {2, 2, 1, 1};
    carom_model *dome = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&dome, "dome", NULL, &error), error);
    const carom_options o = until(0.5);
    const carom_local_request request = {.size = sizeof request, .model = dome,
                                         .options = &o,
                                         .schemes = schemes,
                                         .nscheme = 4,
                                         .h = h,
                                         .nh = 4,
                                         .place = &from,
                                         .nplace = 1,
                                         .from = true};
    carom_local_result r;
    CHECK_OK(carom_local_run(&request, &r, &error), error);
    for (int k = 0; k < 4; k++) {
        printf("%s: %.3f %.3f\n", schemes[k], r.order[k].order_q, r.order[k].order_v);
        CHECK_NEAR(r.order[k].order_v, order[k], 0.1);
        CHECK_NEAR(r.order[k].order_q, 2, 0.05);                  /* proposition 2 */
        ck_assert(r.order[k].activated == (k < 3));
    }
    carom_local_free(&r);
    carom_model_free(dome);
}
END_TEST

static void growing(const carom_point *at, double *F)
{
    F[0] = -10 * at->t * at->t;
}

START_TEST(a_step_from_a_later_time_sees_the_force_of_that_time)
{
    point_store store;
    carom_model m = point_model(&store, 1, 0, 0, 0, 0.5, 1, 0);
    m.force = growing, m.force_q = m.force_v = NULL, m.constant = CAROM_MASS | CAROM_JACOBIAN, m.potential = NULL;
    const carom_options o = until(1);
    const double h[] = {0.04, 0.02, 0.01}, from = 0.5;
    const char *const scheme = "moreau-jean";
    const carom_local_request request = {.size = sizeof request, .model = &m,
                                         .options = &o,
                                         .schemes = &scheme,
                                         .nscheme = 1,
                                         .h = h,
                                         .nh = 3,
                                         .place = &from,
                                         .nplace = 1,
                                         .from = true};
    carom_local_result r;
    carom_error error = {0};
    CHECK_OK(carom_local_run(&request, &r, &error), error);
    CHECK_NEAR(r.row[0].e_v, 10 * pow(h[0], 3) / 12, 1e-12); /* the midpoint rule for 10 t^2 */
    CHECK_NEAR(r.order[0].order_v, 3, 1e-6);
    carom_local_free(&r);
}
END_TEST

TEST_MAIN("local errors", local_errors_with_an_impact_are_those_of_the_tables,
          local_errors_of_smooth_steps_are_of_higher_order, a_step_from_a_later_time_sees_the_force_of_that_time,
          contacts_that_stay_closed_on_a_curved_surface_are_kept_by_the_printed_forecast)
