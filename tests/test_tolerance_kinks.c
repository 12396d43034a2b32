/* test_tolerance_kinks.c: gaps with abs, min, if: where their branch changes under a closed contact it is struck, or
 * opens, or the run ends with a reason. Solutions are exact. */
#include "tolerance_testing.h"

static const char *const schemes[] = {"tolerance", "mixed:rk=radau5", "mixed:rk=erk4"};
enum { SCHEMES = 3 };

/* A point of mass 1 under gravity 10, from (x, y) with (vx, vy), and a contact `ground` with this gap and law. */
static run point(const char *gap, const char *law, const double start[4], const char *scheme, double t_end)
{
    char text[600];
    carom_error error = {0};
    carom_model *model;
    snprintf(text, sizeof text,
             "carom: 1\ncoordinates: {x: %.17g, y: %.17g}\nvelocities: {x: %.17g, y: %.17g}\nmass: {x: 1, y: 1}\n"
             "force: {x: 0, y: -10}\ncontacts:\n  ground: {gap: '%s', %s}\n",
             start[0], start[1], start[2], start[3], gap, law);
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    run r = begin(model, scheme, 1e-8, strcmp(scheme, "tolerance") ? 0.01 : 0, t_end);
    r.loaded = model;
    return r;
}

static void go(run *r, double t)
{
    ck_assert_msg(carom_sim_run(r->sim, t) == CAROM_OK, "%s", carom_sim_error(r->sim)->text);
}

static void at(const run *r, double x, double y, double vx, double vy)
{
    const carom_state *s = carom_sim_state(r->sim);
    CHECK_NEAR(s->q[0], x, 1e-11);
    CHECK_NEAR(s->q[1], y, 1e-11);
    CHECK_NEAR(s->v[0], vx, 1e-11);
    CHECK_NEAR(s->v[1], vy, 1e-11);
    CHECK_NEAR(carom_sim_info(r->sim)->balance_error, 0, 1e-10);
}

/* Up one side of a roof of slope 1: x'' = -5 (1 + mu), then a parabola from the ridge. */
START_TEST(a_point_that_slides_over_a_ridge_takes_off_there)
{
    for (int k = 0; k < 2 * SCHEMES; k++) {
        double mu = k % 2 ? 0.2 : 0, a = 5 * (1 + mu), top = (10 - sqrt(100 - 2 * a)) / a, v = 10 - a * top,
               s = 0.5 - top;
        run r =
            point("y + abs(x)",
                  mu > 0 ? "restitution: 0.5, friction: 0.2, slip: \"x' + if(x < 0, 1, -1)*y'\"" : "restitution: 0.5",
                  (double[]){-1, -1, 10, 10}, schemes[k / 2], 0.5);
        go(&r, 0.5);
        CHECK_NEAR(event(&r, CAROM_EVENT_OPENING, 0)->t, top, 1e-12);
        at(&r, v * s, v * s - 5 * s * s, v, v - 10 * s);
        end(&r);
    }
}
END_TEST

/* Down a slope of 1/2 and up the other side: the impact without rebound takes all but cos 2 alpha = 3/5 of the
 * speed. */
START_TEST(a_point_that_slides_into_a_notch_strikes_its_other_side)
{
    for (int k = 0; k < SCHEMES; k++) {
        double a = 4, down = sqrt(2 / a), v = a * down, s = 0.8 - down, after = 0.6 * v;
        run r = point("y - x/2 - max(-x, 0)", "restitution: 0", (double[]){-1, 0.5, 0, 0}, schemes[k], 0.8);
        go(&r, 0.8);
        ck_assert_int_eq(carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], 1);
        CHECK_NEAR(event(&r, CAROM_EVENT_IMPACT, 0)->t, down, 1e-12);
        double x = after * s - a * s * s / 2, vx = after - a * s;
        at(&r, x, x / 2, vx, vx / 2);
        end(&r);
    }
}
END_TEST

/* Sides at right angles: each impact turns the velocity about and halves it. The times add up to 3 t_1. */
START_TEST(a_point_held_in_a_corner_ends_the_run_with_a_reason)
{
    for (int k = 0; k < SCHEMES; k++) {
        double first = sqrt(0.4);
        run r = point("y - abs(x)", "restitution: 0.5", (double[]){-1, 1, 0, 0}, schemes[k], 3);
        ck_assert_int_eq(carom_sim_run(r.sim, 3), CAROM_UNSUPPORTED);
        printf("%s\n", carom_sim_error(r.sim)->text);
        ck_assert(strstr(carom_sim_error(r.sim)->text, "'ground' is held at a kink of its gap at t = 1.89"));
        for (int n = 0; n < 5; n++)
            CHECK_NEAR(event(&r, CAROM_EVENT_IMPACT, n)->t, first * (3 - pow(0.5, n) * 2), 1e-9);
        CHECK_NEAR(carom_sim_state(r.sim)->t, 3 * first, 2e-2);
        CHECK_NEAR(hypot(carom_sim_state(r.sim)->q[0], carom_sim_state(r.sim)->q[1]), 0, 1e-3);
        end(&r);
    }
}
END_TEST

START_TEST(a_point_that_slides_over_a_ledge_falls_and_one_that_meets_a_step_ends_the_run)
{
    for (int k = 0; k < SCHEMES; k++) {
        double land = 1 + sqrt(0.2), s = 1.5 - land, u = 0.5 * sqrt(20);
        run r = point("if(x < 0, y, y + 1)", "restitution: 0.5", (double[]){-1, 0, 1, 0}, schemes[k], 2);
        go(&r, 1.5);
        CHECK_NEAR(event(&r, CAROM_EVENT_OPENING, 0)->t, 1, 1e-12);
        CHECK_NEAR(event(&r, CAROM_EVENT_IMPACT, 0)->t, land, 1e-12);
        at(&r, 0.5, -1 + u * s - 5 * s * s, 1, u - 10 * s);
        end(&r);
        for (int high = 0; high < 2; high++) { /* closed, or flying below the edge */
            r = point("if(x < 0, y, y - 2)", "restitution: 0.5", (double[]){-1, 0, 1, high ? 6 : 0}, schemes[k], 2);
            ck_assert_int_eq(carom_sim_run(r.sim, 2), CAROM_NO_SOLUTION);
            printf("%s\n", carom_sim_error(r.sim)->text);
            ck_assert(
                strstr(carom_sim_error(r.sim)->text, "the gap of contact 'ground' changes its branch at t = 1 and is"));
            end(&r);
        }
    }
}
END_TEST

/* A table that falls and rises again hits what lies on it; one that rises and falls throws it up. */
START_TEST(a_table_whose_velocity_jumps_strikes_or_throws_what_lies_on_it)
{
    for (int k = 0; k < SCHEMES; k++) {
        run r = point("y - abs(t - 1)", "restitution: 0.5", (double[]){0, 1, 0, -1}, schemes[k], 2);
        go(&r, 1.1);
        CHECK_NEAR(event(&r, CAROM_EVENT_IMPACT, 0)->t, 1, 1e-12);
        at(&r, 0, 2 * 0.1 - 0.05, 0, 2 - 1);
        end(&r);
        r = point("y + abs(t - 1)", "restitution: 0.5", (double[]){0, -1, 0, 1}, schemes[k], 2);
        go(&r, 1.2);
        CHECK_NEAR(event(&r, CAROM_EVENT_OPENING, 0)->t, 1, 1e-12);
        at(&r, 0, 0.2 - 0.2, 0, 1 - 2);
        end(&r);
    }
}
END_TEST

/* Branches that meet without a kink are no event of the contact. */
START_TEST(a_gap_whose_branches_meet_smoothly_stays_closed)
{
    for (int k = 0; k < SCHEMES; k++) {
        run r = point("y - if(x < 0, 0, x^2/2)", "restitution: 0.5", (double[]){-1, 0, 2, 0}, schemes[k], 1);
        go(&r, 1);
        ck_assert_int_eq(carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], 0);
        ck_assert_int_eq(carom_sim_info(r.sim)->events[CAROM_EVENT_OPENING], 0);
        ck_assert_int_ne(carom_sim_state(r.sim)->mode[0], CAROM_OPEN);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-6);
        end(&r);
    }
}
END_TEST

/* ---- surfaces whose velocity jumps under what they carry ---- */

static const char *const locating[] = {"tolerance", "mixed:rk=radau5", "mixed:rk=erk4", "crank-nicolson"};
enum { LOCATING = 4 };

/* The end of a model with steps that meet t = 1 (h = 0.01) or not. */
static void ends_at(const char *text, double t_end, int coordinate, double q, double v)
{
    for (int k = 0; k < 2 * LOCATING; k++) {
        carom_model *model = parse_text(text);
        run r = run_whole(model, locating[k / 2], 1e-8, k % 2 ? 0.0013 : 0.01, t_end);
        const carom_state *s = carom_sim_state(r.sim);
        printf("%s: off by %.1e %.1e\n", locating[k / 2], s->q[coordinate] - q, s->v[coordinate] - v);
        CHECK_NEAR(s->q[coordinate], q, 1e-8);
        CHECK_NEAR(s->v[coordinate], v, 1e-8);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-7);
        end(&r);
        carom_model_free(model);
    }
}

#define POINT "carom: 1\ncoordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y\ncontacts: {g: "

/* At t = 1 with the velocity 1: u- = -1, u+ = e; then up with 1 + e against gravity. */
START_TEST(a_table_that_starts_at_once_strikes_what_rests_on_it)
{
    ends_at(POINT "{gap: \"y - if(t < 1, 0, t - 1)\", restitution: 0.5}}\n", 1.05, 1, 1.5 * 0.05 - 5 * 0.0025, 1);
    ends_at(POINT "{gap: \"y - if(t < 1, 0, t - 1)\", restitution: 0}}\n", 1.05, 1, 0.05, 1);
}
END_TEST

START_TEST(what_rests_on_a_table_that_stops_at_once_flies_on)
{
    ends_at(POINT "{gap: \"y - if(t < 1, t, 1)\", restitution: 0}}\nvelocities: {y: 1}\n", 1.05, 1, 1.05 - 5 * 0.0025,
            0.5);
}
END_TEST

/* mu g = 2: it slips until it has the velocity 1 of the belt, at t = 1.5. */
START_TEST(a_belt_that_starts_at_once_tears_loose_what_sticks_to_it)
{
    const char text[] = POINT "{gap: y, slip: \"x' - if(t < 1, 0, 1)\", friction: 0.2, restitution: 0}}\n";
    ends_at(text, 1.3, 0, 0.09, 0.6);
    ends_at(text, 1.8, 0, 0.25 + 0.3, 1);
}
END_TEST

/* Slips back behind a belt with the velocity 1; it turns round at t = 1: friction turns with the slip. */
START_TEST(friction_turns_with_a_belt_that_turns_at_once)
{
    ends_at(POINT "{gap: y, slip: \"x' - if(t < 0.2, 1, -1)\", friction: 0.2, restitution: 0}}\n", 0.3, 0,
            0.04 + 0.4 * 0.1 - 0.01, 0.2);
}
END_TEST

TEST_MAIN_MODELS("kinks", a_point_that_slides_over_a_ridge_takes_off_there,
                 a_point_that_slides_into_a_notch_strikes_its_other_side,
                 a_point_held_in_a_corner_ends_the_run_with_a_reason,
                 a_point_that_slides_over_a_ledge_falls_and_one_that_meets_a_step_ends_the_run,
                 a_table_whose_velocity_jumps_strikes_or_throws_what_lies_on_it,
                 a_gap_whose_branches_meet_smoothly_stays_closed,
                 a_table_that_starts_at_once_strikes_what_rests_on_it,
                 what_rests_on_a_table_that_stops_at_once_flies_on,
                 a_belt_that_starts_at_once_tears_loose_what_sticks_to_it,
                 friction_turns_with_a_belt_that_turns_at_once)
