/* test_tolerance_condition.c: problems that amplify errors of position by more than any method can make up for, against
 * their exact motions: a slow belt, impacts that die away towards grazing. Errors are as large as docs/tolerance.md
 * says, not more. */
#include <string.h>

#include "running.h"

/* The built-in belt, m = k = N = 1, mu = 0.4, mus = 0.6, speed v; it sticks at x = -0.2 + v t until x = mus. Then
 *   x - mu = (mus - mu) cos s + v sin s   until x' = v again, at s = 2 pi - 2 atan((mus - mu)/v), x = 2 mu - mus
 * and it sticks there until x = mus again. */
typedef struct motion {
    double x, speed;
    bool slips;
} motion;

static double slip_time(double v)
{
    return 2 * acos(-1) - 2 * atan(0.2 / v);
}

static motion exact(double t, double v)
{
    double begins = 0.8 / v, x = -0.2 + v * t;
    while (t > begins) {
        double s = t - begins, lasts = slip_time(v);
        if (s <= lasts)
            return (motion){0.4 + 0.2 * cos(s) + v * sin(s), -0.2 * sin(s) + v * cos(s), true};
        x = 0.2 + v * (s - lasts);
        begins += lasts + 0.4 / v;
    }
    return (motion){x, v, false};
}

static carom_sim *begin(carom_model **model, double v, double tol)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_model_load(model, "belt", NULL, &error), error);
    CHECK_OK(carom_model_set(*model, (const char *const[]){"vb"}, &v, 1, &error), error);
    o.rtol = o.atol = tol, o.t_end = 2.2 / v;
    CHECK_OK(carom_sim_new(&sim, *model, &o, &error), error);
    return sim;
}

/* An error d of the position where it comes to rest lets it break loose d/v earlier: d |x'|/v, |x'| <= 0.2. */
START_TEST(errors_on_a_slow_belt_are_those_of_position_times_slip_over_speed)
{
    static const double speed[] = {0.3, 1e-2, 1e-3, 1e-4, 1e-5}, tol[] = {1e-6, 1e-9};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            carom_model *model;
            double v = speed[i], worst = 0, first = 0;
            carom_sim *sim = begin(&model, v, tol[k]);
            double cycle = slip_time(v) + 0.4 / v;
            for (int n = 0; n < 3; n++) { /* the first slip, and two that follow rest */
                for (double s = 0.4; s < 0.9 * slip_time(v); s += 0.4) {
                    double t = 0.8 / v + n * cycle + s;
                    RUN(sim, t);
                    motion m = exact(t, v);
                    ck_assert(m.slips);
                    double off = fabs(carom_sim_state(sim)->q[0] - m.x);
                    worst = fmax(worst, off), first = n ? first : fmax(first, off);
                }
            }
            printf("v = %g, tol %g: off by %.3g tol in the first slip, %.3g tol in all\n", v, tol[k], first / tol[k],
                   worst / tol[k]);
            CHECK_AT_MOST(first, 3 * tol[k] + 1e-15 * 0.2 * 0.8 / (v * v)); /* rounding of t and x, over v */
            CHECK_AT_MOST(worst, (3 + 0.2 / v) * tol[k] + 2e-15 / (v * v));
            carom_sim_free(sim);
            carom_model_free(model);
        }
    }
}
END_TEST

/* x'' = -x, a wall at x = 1, e = 0.8: the velocity u at the wall falls to e u with every impact, and the amplitude
 * sqrt(1 + u^2) to the wall. x and the number of impacts after the time t. */
static double dies_away(double t, double e, double u, int *impacts)
{
    double at = asin(1 / sqrt(1 + u * u)); /* from x = 0 */
    for (*impacts = 0; at <= t; ++*impacts) {
        u *= e;
        at += 2 * acos(-1) - 2 * atan(u); /* from x = 1, x' = -u to the wall again */
    }
    return sqrt(1 + u * u) * cos(t - (at + atan(u))); /* at + atan u: the next top, were there no wall */
}

/* Where errors E of the energy make the amplitude fall below 1 impacts are over, all with u < sqrt(2 E): the phase
 * lacks (1 + e) u of each of them, (1 + e)/(1 - e) sqrt(2 E) in all. */
START_TEST(impacts_that_die_away_are_lost_with_the_root_of_the_tolerance)
{
    const double t_end = 100 * acos(-1), e = 0.8;
    int impacts;
    double x = dies_away(t_end, e, sqrt(1.001 * 1.001 - 1), &impacts);
    ck_assert_int_eq(impacts, 50);
    static const char text[] = "carom: 1\ncoordinates: {x: 0}\nvelocities: {x: 1.001}\nkinetic: x'^2/2\n"
                               "potential: x^2/2\ncontacts: {wall: {gap: 1 - x, restitution: 0.8}}\n";
    for (double tol = 1e-4; tol > 5e-13; tol *= 0.01) {
        carom_model *model;
        carom_sim *sim;
        carom_error error;
        carom_options o = carom_options_default();
        CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
        o.rtol = o.atol = tol, o.t_end = t_end, o.energy = true;
        CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
        RUN(sim, t_end);
        const carom_info *info = carom_sim_info(sim);
        double off = fabs(carom_sim_state(sim)->q[0] - x), E = fabs(info->balance_error);
        printf("tol %.0e: %ld of 50 impacts, off by %.2e, balance %.1e\n", tol, info->events[CAROM_EVENT_IMPACT], off,
               info->balance_error);
        CHECK_AT_MOST(E, 20 * tol);
        CHECK_AT_MOST(off, (1 + e) / (1 - e) * sqrt(2 * E));
        ck_assert(strstr(carom_sim_note(sim), "nearly graze") != NULL);
        carom_sim_free(sim);
        carom_model_free(model);
    }
    carom_model *model;
    carom_error error;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    carom_sim *sim = start_scheme(model, "exact", 0.1, false); /* flights in closed form: all of them */
    RUN(sim, t_end);
    CHECK_NEAR(carom_sim_state(sim)->q[0], x, 1e-9);
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 50);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("the condition of problems", errors_on_a_slow_belt_are_those_of_position_times_slip_over_speed,
          impacts_that_die_away_are_lost_with_the_root_of_the_tolerance)
