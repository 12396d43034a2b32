/* test_reactions.c: forces at an instant against closed forms, in files of every format and from a trajectory. */
#include <unistd.h>

#include "carom_output.h"
#include "model_testing.h"
#include "running.h"

/* The columns that a run leaves in a file of this format, with reactions. */
static carom_columns *written(const carom_model *model, const char *scheme, double h, double t_end, double every,
                              const char *ending)
{
    char path[60];
    carom_error error = {0};
    carom_sink *sink;
    carom_columns *table;
    snprintf(path, sizeof path, "reactions-%ld.%s", (long)getpid(), ending);
    carom_sim *sim = start_scheme(model, scheme, h, true);
    const carom_sink_info info = {.size = sizeof info, .reactions = true};
    CHECK_OK(carom_sink_new(&sink, path, NULL, model, NULL, &info, every, &error), error);
    const carom_observer observer = carom_sink_observer(sink);
    CHECK_OK(carom_sim_observe(sim, &observer), error);
    RUN(sim, t_end);
    CHECK_OK(carom_sink_close(sink, &error), error);
    carom_sim_free(sim);
    CHECK_OK(carom_columns_read(&table, path, &error), error);
    unlink(path);
    snprintf(path, sizeof path, "reactions-%ld.events.csv", (long)getpid());
    unlink(path);
    return table;
}

static const double *column(const carom_columns *table, const char *name)
{
    int i = carom_columns_find(table, name);
    ck_assert_msg(i >= 0, "no column '%s'", name);
    return table->column[i];
}

/* A ball in the hand that goes up and down: N = m (g - a w^2 sin w t), whatever the steps. */
static const char *const ball = "carom: 1\n"
                                "parameters: {m: 2, g: 10, a: 0.1, w: 8}\n"
                                "coordinates: {y: 0}\n"
                                "velocities: {y: a*w}\n"
                                "kinetic: m*y'^2/2\n"
                                "potential: m*g*y\n"
                                "contacts: {hand: {gap: y - a*sin(w*t), restitution: 0}}\n";

START_TEST(a_ball_in_a_moving_hand_weighs_what_it_should_at_every_row)
{
    static const char *const endings[] = {"csv", "json",
#ifndef CAROM_NO_HDF5
                                          "h5"
#endif
    };
    carom_model *model = model_of(ball);
    double off = 0;
    for (int f = 0; f < CAROM_COUNT(endings); f++) {
        carom_columns *table = written(model, "tolerance", 0, 2, 0.0173, endings[f]);
        const double *t = column(table, "t"), *N = column(table, "hand.reaction"), *mean = column(table, "hand.force");
        ck_assert_uint_ge(table->nrow, 100);
        for (size_t k = 0; k < table->nrow; k++) {
            const double exact = 2 * (10 - 0.1 * 64 * sin(8 * t[k]));
            CHECK_NEAR(N[k], exact, 1e-11);
            off = fmax(off, fabs(mean[k] - exact));
        }
        carom_columns_free(table);
    }
    CHECK_AT_LEAST(off, 0.1); /* a mean over a step is something else */
    carom_model_free(model);
}
END_TEST

/* m g + m a w (cos w t1 - cos w t0)/(t1 - t0) */
static void weigh(void *user, const carom_segment *x)
{
    double length = x->t1 - x->t0, mean = 20 + 1.6 * (cos(8 * x->t1) - cos(8 * x->t0)) / length, *off = user;
    *off = fmax(*off, fabs(x->force[0] - mean));
}

START_TEST(the_mean_force_of_a_piece_is_the_mean)
{
    static const struct { const char *scheme; double bound; } cases[] = {{"exact", 1e-12}, {"tolerance", 1e-5}};
    carom_model *model = model_of(ball);
    for (int i = 0; i < CAROM_COUNT(cases); i++) {
        double off = 0;
        carom_sim *sim = start_scheme(model, cases[i].scheme, 0.05, false);
        const carom_observer observer = {.size = sizeof observer, .user = &off, .segment = weigh};
        ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
        RUN(sim, 2);
        printf("%s: mean force off by %g\n", cases[i].scheme, off);
        CHECK_AT_MOST(off, cases[i].bound);
        carom_sim_free(sim);
    }
    carom_model_free(model);
}
END_TEST

/* A block on an incline, pulled up by k t: it sticks with x_t = m g sin - k t, then slips with -mu m g cos. */
static const char *const block = "carom: 1\n"
                                 "parameters: {m: 1.5, g: 9.81, b: 0.3, mu: 0.5, k: 4}\n"
                                 "coordinates: {x: 0, y: 0}\n"
                                 "kinetic: m*(x'^2 + y'^2)/2\n"
                                 "potential: m*g*(x*sin(b) + y*cos(b))\n"
                                 "forces: {x: k*t}\n"
                                 "contacts: {plane: {gap: y, slip: [\"x'\"], friction: mu, restitution: 0}}\n";

static double friction_on_incline(double t)
{
    const double held = 1.5 * 9.81 * sin(0.3) - 4 * t, most = 0.5 * 1.5 * 9.81 * cos(0.3);
    return held >= -most ? held : -most;
}

START_TEST(friction_on_an_incline_holds_and_then_slips)
{
    static const char *const schemes[] = {"tolerance", "moreau-jean", "mixed"};
    carom_model *model = model_of(block);
    const double begins = 1.5 * 9.81 * (sin(0.3) + 0.5 * cos(0.3)) / 4;
    for (int i = 0; i < CAROM_COUNT(schemes); i++) {
        carom_columns *table = written(model, schemes[i], 1e-3, 4, 0.05, "csv");
        const double *t = column(table, "t"), *N = column(table, "plane.reaction"),
                     *T = column(table, "plane.reaction_t");
        int rows = 0;
        for (size_t k = 0; k < table->nrow; k++) {
            CHECK_NEAR(N[k], 1.5 * 9.81 * cos(0.3), 1e-10);
            if (fabs(t[k] - begins) < 2e-3) /* in the step where it begins to slip its mode is not known */
                continue;
            CHECK_NEAR(T[k], friction_on_incline(t[k]), 1e-10);
            rows++;
        }
        ck_assert_int_ge(rows, 80);
        carom_columns_free(table);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(where_slip_begins_friction_opposes_what_would_move)
{
    carom_model *model = model_of(block);
    const double t[] = {3.5, 0.5}, q[] = {0, 0, 0, 0}, v[] = {0, 0, 0, 0}, most = 0.5 * 1.5 * 9.81 * cos(0.3);
    const unsigned char slip[] = {CAROM_SLIP, CAROM_SLIP};
    double x[4];
    carom_error error = {0};
    CHECK_OK(carom_model_reactions(model, NULL, 2, t, q, v, slip, x, &error), error);
    CHECK_NEAR(x[1], -most, 1e-13); /* pulled up */
    CHECK_NEAR(x[3], most, 1e-13);  /* slides down */
    const double half[] = {1.5, 9.81, 0.3, 0.25, 4};
    CHECK_OK(carom_model_reactions(model, half, 1, t, q, v, slip, x, &error), error);
    CHECK_NEAR(x[1], -most / 2, 1e-13); /* other parameters */
    ck_assert_int_eq(carom_model_reactions(model, NULL, 1, t, q, v, NULL, x, &error), CAROM_BAD_ARGUMENT);
    carom_model_free(model);
}
END_TEST

/* A pendulum in Cartesian coordinates that swings to a wall beyond the vertical and comes to rest there. */
static const char *const pendulum =
    "carom: 1\n"
    "parameters: {m: 0.7, g: 9.81, l: 1.3, d: 0.4}\n"
    "coordinates: {x: 0.9, y: -sqrt(l^2 - 0.9^2)}\n"
    "kinetic: m*(x'^2 + y'^2)/2\n"
    "potential: m*g*y\n"
    "constraints: {rod: (x^2 + y^2 - l^2)/2}\n"
    "contacts: {wall: {gap: x - d, restitution: 0}}\n";

START_TEST(a_pendulum_pulls_its_rod_and_leans_on_a_wall)
{
    carom_model *model = model_of(pendulum);
    carom_columns *table = written(model, "tolerance", 0, 2, 0.02, "csv");
    const double *x = column(table, "x"), *y = column(table, "y"), *u = column(table, "x'"), *w = column(table, "y'"),
                 *side = column(table, "side"), *rod = column(table, "rod.reaction"),
                 *wall = column(table, "wall.reaction");
    const double m = 0.7, g = 9.81, l = 1.3, phi = asin(0.4 / 1.3);
    bool hit = false;
    int swings = 0;
    for (size_t k = 0; k < table->nrow; k++) {
        hit |= side[k] == 1;
        const double swing = -m * (u[k] * u[k] + w[k] * w[k] - g * y[k]) / (x[k] * x[k] + y[k] * y[k]);
        CHECK_NEAR(rod[k], hit ? -m * g / cos(phi) / l : swing, 1e-6);
        CHECK_NEAR(wall[k], hit ? m * g * tan(phi) : 0, 1e-6);
        swings += !hit;
    }
    ck_assert(hit);
    ck_assert_int_ge(swings, 20);
    carom_columns_free(table);
    carom_model_free(model);
}
END_TEST

START_TEST(a_trajectory_tells_the_modes_at_the_time_itself)
{
    carom_model *model = model_of(block);
    carom_trajectory *trajectory;
    carom_error error = {0};
    const double t[] = {1, 2.84, 3.9};
    unsigned char mode[3];
    double q[6], v[6], x[6];
    carom_sim *sim = start_scheme(model, "tolerance", 0, false);
    CHECK_OK(carom_trajectory_new(&trajectory, sim, &error), error);
    RUN(sim, 4);
    CHECK_OK(carom_trajectory_sample(trajectory, 3, t, 1, q, v), error);
    CHECK_OK(carom_trajectory_contacts(trajectory, 3, t, 1, NULL, mode), error);
    ck_assert_mem_eq(mode, ((const unsigned char[]){CAROM_STICK, CAROM_STICK, CAROM_SLIP}), 3);
    CHECK_OK(carom_model_reactions(model, NULL, 3, t, q, v, mode, x, &error), error);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(x[2 * k + 1], friction_on_incline(t[k]), 1e-11);
    carom_trajectory_free(trajectory);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("reactions", a_ball_in_a_moving_hand_weighs_what_it_should_at_every_row,
                 the_mean_force_of_a_piece_is_the_mean,
                 friction_on_an_incline_holds_and_then_slips, where_slip_begins_friction_opposes_what_would_move,
                 a_pendulum_pulls_its_rod_and_leans_on_a_wall, a_trajectory_tells_the_modes_at_the_time_itself)
