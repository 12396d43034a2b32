/* test_tangent_group.c: several contacts: struck at once, chattering together; joints; times of events; what is
 * reported. */
#include "tangent_testing.h"

/* Two contacts struck at once at t = sqrt 2. */
#define TWO(mass, force_x, force_y, gap_x, gap_y)                                                                      \
    MODEL "parameters: {e: 0.7, f: 0.5, g: 1}\ncoordinates: {x: 1, y: 1}\nvelocities: {x: 0, y: 0}\nmass: " mass "\n"  \
          "force: {x: -g" force_x ", y: -g" force_y "}\n"                                                              \
          "contacts:\n  a: {gap: " gap_x ", restitution: e}\n  b: {gap: " gap_y ", restitution: f}\n"
#define IDENTITY "[[1, 0], [0, 1]]"
TANGENT_TEST(two_impacts_that_do_not_know_of_each_other_have_a_derivative, .t_end = 2, .delta = 1e-6, .bound = 1e-6,
             .rank = 4, .impacts = 2, .text = TWO(IDENTITY, "-0.1*(x-y)*x", "+0.1*(x-y)", "x", "y"))
TANGENT_TEST(two_impacts_coupled_by_velocities_have_one_on_each_side, .t_end = 2, .delta = 1e-3, .one_sided = true,
             .bound = 1e-6, .rank = 4, .flags = CAROM_TANGENT_ONE_SIDED, .impacts = 2,
             .text = TWO(IDENTITY, "-0.3*(x'-y')", "+0.3*(x'-y')", "x", "y"))
TANGENT_TEST(two_impacts_coupled_by_curvature_have_one_on_each_side, .t_end = 2, .delta = 1e-3, .one_sided = true,
             .bound = 1e-6, .rank = 4, .flags = CAROM_TANGENT_ONE_SIDED, .impacts = 2,
             .text = TWO(IDENTITY, "", "", "x + 0.3*(y^2+x^2)", "y + 0.2*x^2 + 0.1*y^2"))

#define WEDGE(force, law)                                                                                              \
    MODEL "coordinates: {x: 1, y: 0.4}\nvelocities: {x: -1, y: -0.4}\nmass: {x: 1, y: 1}\nforce: {" force "}\n"        \
          "contacts:\n  a: {gap: y, restitution: 1}\n  b: {gap: x*sqrt(3)/2 - y/2, restitution: 1}\n" law
TANGENT_TEST(an_elastic_wedge_of_60_degrees_has_a_derivative_in_its_corner, .t_end = 2, .rank = 4, .impacts = 2,
             .text = WEDGE("x: 0, y: 0", "impacts: sequential\n"))
TANGENT_TEST(with_a_force_in_the_corner_it_has_one_on_each_side, .t_end = 2, .delta = 1e-3, .one_sided = true,
             .bound = 1e-6, .rank = 4, .flags = CAROM_TANGENT_ONE_SIDED, .impacts = 2,
             .text = WEDGE("x: -0.5, y: -0.2", "impacts: sequential\n"))

/* Poisson's rule: one contact without friction, with friction that sticks and slips, a closed contact that is thrown
 * off. */
TANGENT_TEST(poissons_impact_on_a_moving_table_has_a_derivative, .t_end = 4, .rank = 2, .impacts = 2, .bound = 1e-7,
             .text = MODEL "impacts: poisson\nparameters: {e: 0.7, w: 2}\ncoordinates: {y: 1}\nmass: {y: 1}\n"
                           "force: {y: -1 - 0.1*y'}\ncontacts:\n  a: {gap: y - 0.1*sin(w*t), restitution: e}\n")
#define BODY(friction, speed)                                                                                          \
    MODEL "impacts: poisson\nparameters: {e: 0.5, mu: " friction ", a: 0.6}\ncoordinates: {x: 0, y: 0.7, r: 0.1}\n"    \
          "velocities: {x: " speed ", y: -1, r: 0.2}\nmass: {x: 1, y: 1, r: 0.4}\n"                                    \
          "force: {x: -0.1*x, y: -1, r: -0.3*r}\ncontacts:\n"                                                         \
          "  c: {gap: y + a*sin(r), slip: \"x' + 0.8*cos(r)*r'\", friction: mu, restitution: e}\n"
TANGENT_TEST(poissons_impact_that_sticks_has_a_derivative, .t_end = 0.8, .rank = 5, .impacts = 1, .bound = 1e-7,
             .flags = CAROM_TANGENT_RANK,
             .text = BODY("2", "0.3"))
TANGENT_TEST(poissons_impact_that_slips_has_a_derivative, .t_end = 0.8, .rank = 6, .impacts = 1, .bound = 1e-7,
             .text = BODY("0.1", "3"))
TANGENT_TEST(a_contact_that_poissons_rule_throws_off_has_a_derivative, .t_end = 1.2, .rank = 2, .impacts = 2,
             .skip = 1u << 1 | 1u << 3, .bound = 1e-7,
             .flags = CAROM_TANGENT_RANK,
             .text = MODEL "impacts: poisson\nparameters: {e: 0.8, f: 0.6}\ncoordinates: {a: 0.6, b: 0}\n"
                           "mass: {a: 1, b: 2 + 0.1*a}\nforce: {a: -1, b: -1}\ncontacts:\n"
                           "  top: {gap: a - b, restitution: e}\n  ground: {gap: b, restitution: f}\n")

static carom_tangent_info report_of(const char *text, double t_end, double rtol)
{
    carom_error error = {0};
    carom_model *m = load(text);
    carom_sim *sim = new_sim(m, "tolerance", t_end, rtol);
    carom_tangent *tangent;
    CHECK_OK(carom_tangent_new(&tangent, sim, 1, &error), error);
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    CHECK_OK(carom_tangent_error(tangent)->status, *carom_tangent_error(tangent));
    carom_tangent_info info = *carom_tangent_report(tangent);
    printf("flags %x, radius %g at %g: %s\n", info.flags, info.radius, info.radius_time, info.note);
    ck_assert((info.flags != 0) == (*info.note != 0));
    info.note = "";
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(m);
    return info;
}

START_TEST(two_impacts_coupled_by_the_mass_have_no_derivative)
{
    ck_assert_uint_eq(report_of(TWO("[[1, 0.2], [0.2, 1]]", "", "", "x", "y"), 2, 1e-9).flags, CAROM_TANGENT_NONE);
    ck_assert_uint_eq(report_of(WEDGE("x: 0, y: 0", ""), 2, 1e-9).flags, CAROM_TANGENT_NONE); /* simultaneous law */
}
END_TEST

START_TEST(sliding_between_branches_of_a_force_is_reported)
{
    carom_tangent_info info = report_of(MODEL "coordinates: {x: 1}\nvelocities: {x: 0.4}\nmass: {x: 1}\n"
                                              "force: {x: \"-x + cos(0.7*t) - 0.8*sign(x')\"}\n", 4, 1e-9);
    ck_assert_uint_eq(info.flags, CAROM_TANGENT_BEYOND);
}
END_TEST

/* A ball thrown up over a ledge at height d: it rises to 0.5 above the start. */
#define THROWN(d)                                                                                                      \
    MODEL "coordinates: {y: 0}\nvelocities: {y: 1}\nmass: {y: 1}\nforce: {y: -1}\n"                                    \
          "contacts:\n  ceiling: {gap: " d " - y, restitution: 0.5}\n"
START_TEST(the_radius_is_what_a_gap_may_change_without_another_sequence_of_impacts)
{
    carom_tangent_info misses = report_of(THROWN("0.51"), 2, 1e-10), hits = report_of(THROWN("0.47"), 2, 1e-10);
    CHECK_NEAR(misses.radius, 0.01, 1e-5);
    CHECK_NEAR(hits.radius, 0.03, 1e-9); /* gdot^2/(2 gddot) with gdot^2 = 1 - 2 0.47 */
    ck_assert_uint_eq(misses.flags | hits.flags, 0);
    ck_assert_uint_eq(report_of(THROWN("0.5000001"), 2, 1e-8).flags, CAROM_TANGENT_GRAZING);
    ck_assert_uint_eq(report_of(THROWN("0.4999999"), 2, 1e-8).flags, CAROM_TANGENT_GRAZING);
    ck_assert_uint_eq(report_of(THROWN("0.4999999"), 2, 1e-10).flags, 0);
}
END_TEST

/* One contact on the other: infinitely many impacts of both. */
#define STACKED(e, f, mass)                                                                                            \
    MODEL "parameters: {e: " e ", f: " f                                                                               \
          ", g: 1}\ncoordinates: {x: 0.1, y: 0.25, z: 0.1}\nvelocities: {x: 0.1, y: -0.1, z: 0.4}\n"                   \
          "mass: [[1, 0, 0.1], [0, " mass ", 0.3], [0.1, 0.3, 2]]\n"                                                   \
          "force: {x: -2*g + 0.1*z, y: -2*g*" mass " - 0.1*z, z: -z + 0.3*x-0.2*y}\n"                                  \
          "contacts:\n  a: {gap: x, restitution: e}\n  b: {gap: y-x, restitution: f}\n"
TANGENT_TEST(two_contacts_that_chatter_together, .text = STACKED("0.5", "0.5", "3"), .t_end = 5, .rank = 2,
             .flags = CAROM_TANGENT_RANK, .impacts = 30, .closings = 2)
TANGENT_TEST(two_contacts_that_chatter_together_at_a_loose_tolerance, .text = STACKED("0.3", "0.2", "1"), .t_end = 5,
             .rtol = 1e-6, .bound = 1e-6, .rank = 2, .flags = CAROM_TANGENT_RANK, .impacts = 10, .closings = 2)
TANGENT_TEST(two_contacts_that_chatter_side_by_side, .t_end = 5, .rank = 2, .flags = CAROM_TANGENT_RANK, .impacts = 30,
             .closings = 2,
             .text = MODEL
             "parameters: {e: 0.5, f: 0.4, g: 1}\ncoordinates: {x: 0.3, y: 0.5, z: 0.1}\n"
             "velocities: {x: 0.1, y: -0.3, z: 0.4}\nmass: [[1, 0.2, 0.1], [0.2, 1.5, 0.3], [0.1, 0.3, 2]]\n"
             "force: {x: -2*g, y: -2*g - 0.1*z, z: -z + 0.3*x-0.2*y}\n"
             "contacts:\n  a: {gap: x, restitution: e}\n  b: {gap: y, restitution: f}\n")

/* ---- joints ---- */

#define PENDULUM MODEL "parameters: {m: 1.3, g: 9.81, c: 0.2, A: 0.1, e: 0.7}\n"
#define WALL "+ 0.15 + A*sin(4*t), restitution: e}\n"
enum { ANGLES = 4, CARTESIAN = 8, ALL = ANGLES + 5 };

/* Columns of (x, y, z, w) and their velocities from columns of two angles at x = (a, b, a', b'). */
static void to_cartesian(const double *x, const double *Y, double *Z)
{
    memset(Z, 0, sizeof(double) * CARTESIAN * ALL);
    for (int j = 0; j < ALL; j++)
        for (int i = 0; i < 2; i++) {
            double c = cos(x[i]), s = sin(x[i]), v = x[2 + i], d = Y[i * ALL + j], dv = Y[(2 + i) * ALL + j];
            for (int r = i; r < 2; r++) {
                Z[(2 * r) * ALL + j] += c * d, Z[(2 * r + 1) * ALL + j] += s * d;
                Z[(4 + 2 * r) * ALL + j] += c * dv - s * v * d, Z[(5 + 2 * r) * ALL + j] += s * dv + c * v * d;
            }
        }
}

/* Two angles, or four Cartesian coordinates with two joints. */
START_TEST(joints_give_the_columns_of_minimal_coordinates)
{
    carom_error error = {0};
    const double a = 1, b = 0.4, va = 0.3, vb = -0.5, T = 1.5;
    char text[2000];
    snprintf(
        text, sizeof text,
        PENDULUM
        "coordinates: {x: %.17g, y: %.17g, z: %.17g, w: %.17g}\nvelocities: {x: %.17g, y: %.17g, z: %.17g, w: %.17g}\n"
        "kinetic: (x'^2+y'^2)/2 + m*(z'^2+w'^2)/2\npotential: g*y + m*g*w\nforces: {x: -c*x', y: -c*y', z: "
        "-c*z', w: -c*w'}\n"
        "constraints: {one: x^2+y^2-1, two: (z-x)^2+(w-y)^2-1}\ncontacts:\n  wall: {gap: z " WALL,
        sin(a), -cos(a), sin(a) + sin(b), -cos(a) - cos(b), va * cos(a), va * sin(a), va * cos(a) + vb * cos(b),
        va * sin(a) + vb * sin(b));
    carom_model *m = load(text), *k = load(PENDULUM "coordinates: {a: 1, b: 0.4}\nvelocities: {a: 0.3, b: -0.5}\n"
                         "kinetic: (1+m)*a'^2/2 + m*b'^2/2 + m*a'*b'*cos(a-b)\npotential: -(1+m)*g*cos(a) - "
                         "m*g*cos(b)\n"
                         "forces: {a: -c*(2*a' + b'*cos(a-b)), b: -c*(b' + a'*cos(a-b))}\n"
                         "contacts:\n  wall: {gap: sin(a)+sin(b) " WALL);
    carom_sim *sim = new_sim(m, "tolerance", T, 1e-12), *angles = new_sim(k, "tolerance", T, 1e-12);
    carom_tangent *tangent, *minimal;
    double Y[ANGLES * ALL] = {0}, X[CARTESIAN * ALL], dp[5 * ALL] = {0}, x[ANGLES] = {a, b, va, vb}, most = 0, size = 0;
    CHECK_OK(carom_tangent_new(&tangent, sim, ALL, &error), error);
    CHECK_OK(carom_tangent_new(&minimal, angles, ALL, &error), error);
    for (int j = 0; j < ALL; j++)
        *(j < ANGLES ? &Y[j * ALL + j] : &dp[(j - ANGLES) * ALL + j]) = 1;
    to_cartesian(x, Y, X);
    for (int j = 0; j < ALL; j++)
        X[j] += 0.1, X[4 * ALL + j] -= 0.2; /* off the joints: projected away */
    CHECK_OK(carom_tangent_start(minimal, Y, dp), *carom_tangent_error(minimal));
    CHECK_OK(carom_tangent_start(tangent, X, dp), *carom_tangent_error(tangent));
    memcpy(X, carom_tangent_columns(tangent), sizeof X);
    for (int j = 0; j < ALL; j++) { /* in angles again: the projection is orthogonal, they have changed */
        Y[j] = X[j] * cos(a) + X[ALL + j] * sin(a);
        Y[ALL + j] = (X[2 * ALL + j] - X[j]) * cos(b) + (X[3 * ALL + j] - X[ALL + j]) * sin(b);
        Y[2 * ALL + j] = X[4 * ALL + j] * cos(a) + X[5 * ALL + j] * sin(a);
        Y[3 * ALL + j] = (X[6 * ALL + j] - X[4 * ALL + j]) * cos(b) + (X[7 * ALL + j] - X[5 * ALL + j]) * sin(b);
    }
    CHECK_OK(carom_tangent_start(minimal, Y, dp), *carom_tangent_error(minimal));
    CHECK_OK(carom_sim_run(angles, T), *carom_sim_error(angles));
    CHECK_OK(carom_sim_run(sim, T), *carom_sim_error(sim));
    memcpy(x, carom_sim_state(angles)->q, 2 * sizeof(double)),
        memcpy(x + 2, carom_sim_state(angles)->v, 2 * sizeof(double));
    to_cartesian(x, carom_tangent_columns(minimal), X);
    for (int i = 0; i < CARTESIAN * ALL; i++)
        most = fmax(most, fabs(X[i] - carom_tangent_columns(tangent)[i])), size = fmax(size, fabs(X[i]));
    const carom_tangent_info *info = carom_tangent_report(tangent);
    printf("joints: relative error %.1e, ln det %.12g and %.12g\n", most / size, info->log_det,
           carom_tangent_report(minimal)->log_det);
    CHECK_AT_MOST(most / size, 1e-10);
    ck_assert_int_eq(info->rank, 4);
    CHECK_AT_LEAST((double)info->impacts, 1);
    CHECK_NEAR(info->log_det, carom_tangent_report(minimal)->log_det, 1e-9);
    carom_tangent_free(tangent), carom_tangent_free(minimal);
    carom_sim_free(sim), carom_sim_free(angles);
    carom_model_free(m), carom_model_free(k);
}
END_TEST

/* A longer rod: columns that begin at 0 are put on the joint that has moved. */
START_TEST(joints_may_depend_on_parameters)
{
    carom_error error = {0};
    const double a = 1, v = 0.6, T = 2;
    char text[1000];
    snprintf(
        text, sizeof text,
        MODEL
        "parameters: {l: 1}\ncoordinates: {x: %.17g, y: %.17g}\nvelocities: {x: %.17g, y: %.17g}\nmass: {x: 1, y: 1}\n"
        "force: {x: 0, y: -5}\nconstraints: {rod: x^2 + y^2 - l^2}\ncontacts:\n  wall: {gap: x + 0.3, "
        "restitution: 0.8}\n",
        sin(a), -cos(a), v * cos(a), v * sin(a));
    carom_model *m = load(text);
    carom_sim *sim = new_sim(m, "tolerance", T, 1e-12), *plain = new_sim(m, "tolerance", T, 1e-12);
    carom_tangent *tangent;
    double X[4] = {0}, dp[1] = {1}, dx[NX], direction[5] = {sin(a), -cos(a), 0, 0, 1};
    CHECK_OK(carom_tangent_new(&tangent, sim, 1, &error), error);
    CHECK_OK(carom_tangent_start(tangent, X, dp), *carom_tangent_error(tangent));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(carom_tangent_columns(tangent)[i], direction[i], 1e-12);
    CHECK_OK(carom_sim_run(sim, T), *carom_sim_error(sim));
    CHECK_AT_LEAST((double)carom_tangent_report(tangent)->impacts, 1);
    differences(plain, m, direction, 1e-4, false, T, dx);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(carom_tangent_columns(tangent)[i], dx[i], 1e-8);
    carom_tangent_free(tangent);
    carom_sim_free(sim), carom_sim_free(plain);
    carom_model_free(m);
}
END_TEST

/* ---- times of events ---- */

typedef struct times {
    int n;
    double t[16], dt[16];
    carom_event_type type[16];
} times;

static void on_event(void *user, const carom_event *event, const double *dt)
{
    times *s = user;
    if (s->n < 16)
        s->t[s->n] = event->t, s->type[s->n] = event->type, s->dt[s->n++] = dt[0];
}

static void run_times(const carom_model *m, double change, double t_end, times *s)
{
    carom_error error = {0};
    carom_sim *sim = new_sim(m, "tolerance", t_end, 1e-12);
    carom_tangent *tangent;
    double p[NP], X[NX] = {0}, dp[NP] = {1};
    memcpy(p, m->p, sizeof(double) * (size_t)m->np);
    p[0] += change;
    *s = (times){0};
    CHECK_OK(carom_tangent_new(&tangent, sim, 1, &error), error);
    carom_tangent_observe(tangent, on_event, s);
    CHECK_OK(carom_sim_restart(sim, NULL, NULL, p), *carom_sim_error(sim));
    CHECK_OK(carom_tangent_start(tangent, X, dp), *carom_tangent_error(tangent));
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    carom_tangent_free(tangent);
    carom_sim_free(sim);
}

static void check_times(const char *text, double t_end, int least)
{
    carom_model *m = load(text);
    const double d = 1e-4;
    times s, low, high;
    run_times(m, 0, t_end, &s);
    run_times(m, -d, t_end, &low);
    run_times(m, d, t_end, &high);
    CHECK_AT_LEAST((double)s.n, (double)least);
    ck_assert_int_eq(low.n, s.n);
    ck_assert_int_eq(high.n, s.n);
    for (int i = 0; i < s.n; i++) {
        double difference = (high.t[i] - low.t[i]) / (2 * d);
        printf("%s at %.6f: dt %.9g, difference %.9g\n", carom_event_name(s.type[i]), s.t[i], s.dt[i], difference);
        CHECK_NEAR(s.dt[i], difference, 1e-6 * (1 + fabs(difference)));
    }
    carom_model_free(m);
}

START_TEST(times_of_events_have_derivatives)
{
    check_times(MODEL "parameters: {b: 0.1, a: 1, w: 0.8, d: 0.2}\ncoordinates: {x: -0.525, y: -0.781}\n"
                      "velocities: {x: 1.351, y: 1.817}\nmass: {x: 1, y: 1}\n"
                      "force: {x: -2*x+y+b*(-2*x'+y')+a*cos(w*t), y: x-y+b*(x'-y')}\ncontacts:\n  wall: {gap: d - y, "
                      "restitution: 0}\n",
                4, 3); /* impact, closing, opening */
    check_times(MODEL
                "parameters: {f: 0.6, w: 0.5, c: 0.1, a: 1}\ncoordinates: {x: 1.02, y: 0}\nvelocities: {x: 0.396}\n"
                "mass: {x: 1, y: 1}\nforce: {x: -c*x' - x + a*cos(w*t), y: -1}\n"
                "contacts:\n  floor: {gap: y, slip: [x'], restitution: 0, friction: f}\n",
                9, 4); /* stick, slip, stick, slip */
}
END_TEST

/* ---- use ---- */

START_TEST(a_restart_after_replacing_columns_and_two_halves_give_the_same_product)
{
    carom_error error = {0};
    carom_model *m = load(MODEL "coordinates: {x: 0.5}\nmass: {x: 1}\nforce: {x: -sin(x) + cos(t)}\n"
                                "contacts:\n  floor: {gap: x, restitution: 0.8}\n");
    carom_sim *sim = new_sim(m, "tolerance", 8, 1e-10);
    carom_tangent *tangent;
    const double I[4] = {1, 0, 0, 1};
    double A[4], B[4], C[4];
    CHECK_OK(carom_tangent_new(&tangent, sim, 2, &error), error);
    CHECK_OK(carom_tangent_start(tangent, I, NULL), error);
    CHECK_OK(carom_sim_run(sim, 4), error);
    CHECK_OK(carom_sim_run(sim, 8), error);
    memcpy(A, carom_tangent_columns(tangent), sizeof A);
    double log_det = carom_tangent_report(tangent)->log_det;
    CHECK_OK(carom_sim_restart(sim, NULL, NULL, NULL), error);
    CHECK_OK(carom_tangent_start(tangent, I, NULL), error);
    CHECK_OK(carom_sim_run(sim, 4), error);
    memcpy(B, carom_tangent_columns(tangent), sizeof B);
    CHECK_OK(carom_tangent_replace(tangent, I), error);
    CHECK_OK(carom_sim_run(sim, 8), error);
    memcpy(C, carom_tangent_columns(tangent), sizeof C);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(C[i / 2 * 2] * B[i % 2] + C[i / 2 * 2 + 1] * B[2 + i % 2], A[i], 1e-12);
    ck_assert(carom_tangent_report(tangent)->log_det == log_det);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(schemes_without_located_events_are_refused)
{
    carom_error error = {0};
    carom_model *m = load(THROWN("0.51"));
    carom_sim *sim = new_sim(m, "moreau-jean", 1, 1e-6);
    carom_tangent *tangent;
    ck_assert_int_eq(carom_tangent_new(&tangent, sim, 1, &error), CAROM_UNSUPPORTED);
    ck_assert_ptr_null(tangent);
    printf("%s\n", error.text);
    ck_assert_int_eq(carom_tangent_new(&tangent, sim, 0, &error), CAROM_BAD_ARGUMENT);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN_MODELS(
    "tangent, several contacts", two_impacts_that_do_not_know_of_each_other_have_a_derivative,
    two_impacts_coupled_by_velocities_have_one_on_each_side, two_impacts_coupled_by_curvature_have_one_on_each_side,
    an_elastic_wedge_of_60_degrees_has_a_derivative_in_its_corner, with_a_force_in_the_corner_it_has_one_on_each_side,
    poissons_impact_on_a_moving_table_has_a_derivative, poissons_impact_that_sticks_has_a_derivative,
    poissons_impact_that_slips_has_a_derivative, a_contact_that_poissons_rule_throws_off_has_a_derivative,
    two_impacts_coupled_by_the_mass_have_no_derivative, sliding_between_branches_of_a_force_is_reported,
    the_radius_is_what_a_gap_may_change_without_another_sequence_of_impacts, two_contacts_that_chatter_together,
    two_contacts_that_chatter_together_at_a_loose_tolerance, two_contacts_that_chatter_side_by_side,
    joints_give_the_columns_of_minimal_coordinates, joints_may_depend_on_parameters, times_of_events_have_derivatives,
    a_restart_after_replacing_columns_and_two_halves_give_the_same_product, schemes_without_located_events_are_refused)
