/* test_tolerance.c: errors of `tolerance` are at most ten times what was asked for: closed forms, other methods. */
#include "reference.h"
#include "systems.h"
#include "tolerance_testing.h"

static void ball_exact(const void *user, double t, double *q)
{
    double v;
    (void)user;
    exact_ball(t, q, &v);
}

static void oscillator_exact(const void *user, double t, double *q)
{
    double v;
    (void)user;
    exact_oscillator(t, q, &v);
}

static void block_exact(const void *user, double t, double *q)
{
    const double a = 0.3 * 9.81, stop = 2 / a;
    (void)user;
    q[0] = t < stop ? 2 * t - a * t * t / 2 : 2 / a;
    q[1] = 0;
}

static void flight_exact(const void *user, double t, double *q)
{
    (void)user;
    q[0] = 1 - 5 * t * t * t * t / 6;
}

/* Bounces, slips, rolls: impacts change the slip by mu (1 + e) u, the floor by mu g t. */
static void disc_exact(const void *user, double t, double *q)
{
    const double g = 9.81, r = 0.1, e = 0.6, mu = 0.05, w0 = 40, first = sqrt(2 / g), roll = r * w0 / (3 * mu * g);
    double u = g * first, start = first, vx = 0, w = -w0, x = 0, phi = -w0 * first;
    (void)user;
    q[0] = 0, q[1] = r + 1 - g * t * t / 2, q[2] = -w0 * t;
    if (t < first)
        return;
    for (int n = 0; n < 200; n++) {
        vx += mu * (1 + e) * u, w += 2 / r * mu * (1 + e) * u;
        u *= e;
        double length = 2 * u / g, s = t - start;
        if (s < length) {
            q[0] = x + vx * s, q[1] = r + u * s - g * s * s / 2, q[2] = phi + w * s;
            return;
        }
        x += vx * length, phi += w * length, start += length;
    }
    double s = fmin(t, roll) - start, after = fmax(t - roll, 0), a = mu * g, b = 2 / r * mu * g;
    q[0] = x + vx * s + a * s * s / 2 + after * (vx + a * s);
    q[1] = r;
    q[2] = phi + w * s + b * s * s / 2 + after * (w + b * s);
}

START_TEST(errors_against_closed_forms_are_at_most_ten_tolerances)
{
    NEEDS_MODELS;
    static const struct {
        const char *model;
        double t_end;
        int n;
        positions *exact;
    } cases[] = {
        {"ball", 5, 1, ball_exact},           {"linear-oscillator", 5, 1, oscillator_exact},
        {"sliding-block", 1, 2, block_exact}, {"free-flight", 1, 1, flight_exact},
        {"disc", 4, 3, disc_exact},
    };
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            run r = by_tolerance(cases[i].model, "", tolerances[k], cases[i].t_end);
            double size = strcmp(cases[i].model, "disc") == 0 ? 100 : 1; /* its angle */
            double error = error_of(&r, cases[i].n, cases[i].exact, NULL);
            ck_assert_msg(error <= 10 * tolerances[k] + 1e-14 * size, "%s: error %.2g at tol %g", cases[i].model, error,
                          tolerances[k]);
            CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
            end(&r);
        }
}
END_TEST

START_TEST(errors_against_the_exact_flights_of_linear_models_are_at_most_ten_tolerances)
{
    NEEDS_MODELS;
    static const struct {
        const char *model, *set;
        double t_end;
    } cases[] = {
        {"linear-oscillator", "rho=0.9", 5},
        {"linear-oscillator", "f=-5", 5},
        {"newton-cradle", "", 2},
        {"stacked-balls", "", 3},
        {"take-off", "", 10},
        {"rest-phase", "", 1},
        {"vibrating-table", "", 5},
        {"impact-pair", "", 5},
        {"impact-oscillator", "w=2 e=0.5", 40},
    };
    for (int i = 0; i < 9; i++) {
        run exact = simulate(cases[i].model, cases[i].set, "exact", 1, cases[i].t_end / 500, cases[i].t_end);
        for (int k = 0; k < TOLERANCES; k++) {
            run r = by_tolerance(cases[i].model, cases[i].set, tolerances[k], cases[i].t_end);
            double error = error_of(&r, r.model->nq, of_run, &exact);
            ck_assert_msg(error <= 10 * tolerances[k], "%s %s: error %.2g at tol %g", cases[i].model, cases[i].set,
                          error, tolerances[k]);
            CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
            end(&r);
        }
        end(&exact);
    }
}
END_TEST

/* The independent integrator up to every node. */
typedef struct walk {
    const carom_model *model;
    double t, x[2 * REFERENCE_MAX];
    bool cartesian; /* x = sin, y = -cos of the angle */
} walk;

static void walked(const void *user, double t, double *q)
{
    walk *w = (walk *)user;
    if (t > w->t)
        reference_run(w->model, w->t, t, 4e-4, w->x), w->t = t;
    if (w->cartesian)
        q[0] = sin(w->x[0]), q[1] = -cos(w->x[0]);
    else
        memcpy(q, w->x, sizeof(double) * (size_t)w->model->nq);
}

START_TEST(a_double_pendulum_against_a_wall_keeps_the_tolerance)
{
    carom_model model = double_pendulum();
    for (int k = 0; k < TOLERANCES; k++) {
        walk w = {.model = &model, .x = {double_start[0], double_start[1]}};
        run r = begin(&model, "tolerance", tolerances[k], 0, 3);
        ck_assert_msg(carom_sim_run(r.sim, 3) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        ck_assert_int_ge(carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], 2);
        CHECK_AT_MOST(error_of(&r, 2, walked, &w), 10 * tolerances[k]);
        CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-12);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 300 * tolerances[k]);
        end(&r);
    }
}
END_TEST

static void angle_gap(const carom_point *at, double *g)
{
    g[0] = sin(at->q[0]) + 0.25;
}

static void angle_jacobian(const carom_point *at, double *G)
{
    G[0] = cos(at->q[0]);
}

START_TEST(a_pendulum_on_a_joint_keeps_the_tolerance_and_its_length)
{
    NEEDS_MODELS;
    static const carom_contact wall = {.name = "wall", .restitution = 0.7};
    static const double one = 1;
    carom_model angle = pendulum();
    angle.q = &one, angle.v = NULL, angle.ncontact = 1, angle.contact = &wall, angle.gap = angle_gap,
    angle.jacobian = angle_jacobian;
    for (int k = 0; k < TOLERANCES; k++) {
        walk w = {.model = &angle, .x = {1}, .cartesian = true};
        run r = by_tolerance("pendulum-wall-cartesian", "", tolerances[k], 5);
        CHECK_AT_MOST(error_of(&r, 2, walked, &w), 10 * tolerances[k]);
        const carom_state *s = carom_sim_state(r.sim);
        CHECK_NEAR(hypot(s->q[0], s->q[1]), 1, 1e-13);
        CHECK_NEAR(s->q[0] * s->v[0] + s->q[1] * s->v[1], 0, 1e-12);
        end(&r);
    }
}
END_TEST

/* ---- times that are known ---- */

static void check_times(const char *model, double tol, double bound, int n, const carom_event_type *type,
                        const int *which, const double *time)
{
    run r = by_tolerance(model, "", tol, time[n - 1] * 1.05);
    for (int i = 0; i < n; i++)
        CHECK_NEAR(event(&r, type[i], which[i])->t, time[i], bound);
    end(&r);
}

START_TEST(transitions_happen_when_they_should)
{
    NEEDS_MODELS;
    check_times("belt", 1e-11, 1e-9, 3, (carom_event_type[]){CAROM_EVENT_SLIP, CAROM_EVENT_STICK, CAROM_EVENT_SLIP},
                (int[]){0, 0, 1}, (double[]){2.666666666667, 7.773846766751, 9.107180100084});
    check_times("take-off", 1e-11, 1e-9, 1, (carom_event_type[]){CAROM_EVENT_OPENING}, (int[]){0},
                (double[]){6.567852506613});
    check_times("billiard-ball", 1e-12, 1e-5, 1, (carom_event_type[]){CAROM_EVENT_STICK}, (int[]){0},
                (double[]){0.460503518});
    check_times("disc", 1e-11, 1e-9, 1, (carom_event_type[]){CAROM_EVENT_STICK}, (int[]){0},
                (double[]){4 / (3 * 0.05 * 9.81)});
    check_times("sliding-block", 1e-11, 1e-12, 1, (carom_event_type[]){CAROM_EVENT_STICK}, (int[]){0},
                (double[]){2 / (0.3 * 9.81)});
}
END_TEST

START_TEST(a_point_leaves_the_dome_where_it_must)
{
    NEEDS_MODELS;
    for (int k = 0; k < TOLERANCES; k++) {
        run r = by_tolerance("dome", "", tolerances[k], 0.7);
        double t = event(&r, CAROM_EVENT_OPENING, 0)->t, q[2], v[2];
        ck_assert_int_eq(carom_trajectory_at(r.path, t, 1, q, v), CAROM_OK);
        CHECK_NEAR(q[1], 2.0 / 3 * cos(0.3), 10 * tolerances[k]);
        CHECK_NEAR(v[0] * v[0] + v[1] * v[1], 9.81 * q[1], 100 * tolerances[k]);
        CHECK_NEAR(t, 0.5634036, 1e-7 + 10 * tolerances[k]);
        end(&r);
    }
}
END_TEST

START_TEST(a_billiard_ball_rolls_with_five_sevenths_of_its_speed)
{
    NEEDS_MODELS;
    for (int k = 0; k < TOLERANCES; k++) {
        run r = by_tolerance("billiard-ball", "", tolerances[k], 1);
        const double *v = carom_sim_state(r.sim)->v;
        CHECK_NEAR(v[0], 15.0 / 7, 1e-12);
        CHECK_NEAR(v[1], 5.0 / 7, 1e-12);
        double slip_end = 0.460503518, x = 3 * slip_end - 3 / sqrt(10) * 0.2 * 9.81 * slip_end * slip_end / 2;
        CHECK_NEAR(carom_sim_state(r.sim)->q[0], x + 15.0 / 7 * (1 - slip_end), 10 * tolerances[k] + 1e-9);
        end(&r);
    }
}
END_TEST

START_TEST(the_rocking_block_comes_to_rest_at_its_accumulation_point)
{
    NEEDS_MODELS;
    for (int k = 1; k < TOLERANCES; k++) {
        run r = by_tolerance("rocking-block", "", tolerances[k], 4);
        const carom_info *info = carom_sim_info(r.sim);
        const carom_state *s = carom_sim_state(r.sim);
        CHECK_NEAR(s->q[2], 0, 10 * tolerances[k]);
        CHECK_NEAR(s->v[2], 0, 1e-14);
        ck_assert_int_ge(info->events[CAROM_EVENT_IMPACT], 30);
        double last = 0;
        const carom_event *e;
        for (size_t i = 0; (e = carom_trajectory_event(r.path, i)); i++)
            last = fmax(last, e->t);
        CHECK_NEAR(last, 3.452133887, 10 * sqrt(tolerances[k]));
        end(&r);
    }
}
END_TEST

START_TEST(the_woodpecker_pecks_with_one_period_whatever_the_tolerance)
{
    NEEDS_MODELS;
    double period[2];
    for (int k = 0; k < 2; k++) {
        run r = by_tolerance("woodpecker", "", k ? 1e-10 : 1e-7, 2.5);
        double last = 0, before = 0;
        const carom_event *e;
        for (size_t i = 0; (e = carom_trajectory_event(r.path, i)); i++)
            if (e->type == CAROM_EVENT_IMPACT && e->contact == 0)
                before = last, last = e->t;
        period[k] = last - before;
        end(&r);
    }
    CHECK_NEAR(period[0], 0.146, 5e-4);
    CHECK_NEAR(period[1], period[0], 1e-6);
}
END_TEST

TEST_MAIN("tolerance", errors_against_closed_forms_are_at_most_ten_tolerances,
          errors_against_the_exact_flights_of_linear_models_are_at_most_ten_tolerances,
          a_double_pendulum_against_a_wall_keeps_the_tolerance,
          a_pendulum_on_a_joint_keeps_the_tolerance_and_its_length, transitions_happen_when_they_should,
          a_point_leaves_the_dome_where_it_must, a_billiard_ball_rolls_with_five_sevenths_of_its_speed,
          the_rocking_block_comes_to_rest_at_its_accumulation_point,
          the_woodpecker_pecks_with_one_period_whatever_the_tolerance)
