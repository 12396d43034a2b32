/* test_tangent.c: the tangent against central differences: smooth motion, impacts, closing, opening, chatter. */
#include "tangent_testing.h"

TANGENT_TEST(free_flight_with_a_mass_matrix_that_depends_on_positions, .t_end = 2, .rank = 4, .delta = 1e-3,
             .text = MODEL
             "parameters: {m: 1.3, g: 9.81, c: 0.2}\ncoordinates: {a: 1, b: 0.4}\nvelocities: {a: 0.3, b: -0.5}\n"
             "kinetic: (1+m)*a'^2/2 + m*b'^2/2 + m*a'*b'*cos(a-b)\npotential: -(1+m)*g*cos(a) - m*g*cos(b)\n"
             "forces: {a: -c*a' + sin(3*t), b: -c*b'}\n")

#define MOVING_FLOOR                                                                                                   \
    MODEL "parameters: {m: 1.3, g: 1, e: 0.7, A: 0.1, w: 3}\ncoordinates: {y: 1}\nvelocities: {y: 0.1}\n"              \
          "kinetic: m*y'^2/2\npotential: m*g*y\ncontacts:\n  floor: {gap: y - A*sin(w*t), restitution: e}\n"
TANGENT_TEST(impacts_on_a_moving_floor, .text = MOVING_FLOOR, .t_end = 5, .rank = 2, .impacts = 2)
TANGENT_TEST(impacts_on_a_moving_floor_by_exact, .text = MOVING_FLOOR, .scheme = "exact", .t_end = 5, .rank = 2,
             .impacts = 2)

TANGENT_TEST(impacts_on_a_curved_moving_wall_with_a_mass_that_depends_on_time, .t_end = 2, .rank = 4, .impacts = 1,
             .text = MODEL
             "parameters: {e: 0.7, m: 1.5, A: 0.2}\ncoordinates: {x: 0.3, y: 1}\nvelocities: {x: 0.5, y: -0.2}\n"
             "kinetic: (m + 0.3*sin(x) + 0.2*cos(2*t))*x'^2/2 + (1 + 0.2*x*t)*y'^2/2 + 0.2*x'*y'*cos(y+t)\n"
             "potential: y + 0.5*x^2\n"
             "contacts:\n  wall: {gap: y - A*sin(x + 3*t) + 0.1*m*x*cos(t), restitution: e}\n")

TANGENT_TEST(restitution_that_depends_on_position_time_and_parameters, .t_end = 3, .rank = 4, .impacts = 1,
             .text = MODEL "parameters: {b: 0.7, c: 0.2}\ncoordinates: {x: 0.3, y: 1}\nvelocities: {x: 0.5, y: -0.2}\n"
                     "mass: {x: 1, y: 1}\nforce: {x: -x, y: -1 - 0.2*x}\n"
                     "contacts:\n  wall: {gap: y - 0.1*x, restitution: 'b*(1 + c*sin(x) + 0.1*cos(3*t))'}\n")

/* Two masses on springs, one against a wall. */
#define CHAIN(parameters, start, restitution)                                                                          \
    MODEL                                                                                                              \
    "parameters: {b: 0.1, a: 1, " parameters "}\n" start "mass: {x: 1, y: 1}\n"                                        \
    "force: {x: -2*x+y+b*(-2*x'+y')+a*cos(w*t), y: x-y+b*(x'-y')}\n"                                                   \
    "contacts:\n  wall: {gap: d - y, restitution: " restitution "}\n"
#define CLOSES CHAIN("w: 0.8, d: 0.2", "coordinates: {x: -0.525, y: -0.781}\nvelocities: {x: 1.351, y: 1.817}\n", "0")
#define CHATTERS                                                                                                       \
    CHAIN("w: 0.5, d: 0.3, e: 0.3", "coordinates: {x: 1.246, y: 0.29}\nvelocities: {x: -0.0747, y: -0.0568}\n", "e")
TANGENT_TEST(an_impact_without_rebound_closes_and_opens, .text = CLOSES, .t_end = 4, .rank = 2,
             .flags = CAROM_TANGENT_RANK, .impacts = 1, .closings = 1, .openings = 1)
TANGENT_TEST(an_impact_without_rebound_closes_and_opens_by_exact, .text = CLOSES, .scheme = "exact", .t_end = 4,
             .rank = 2, .flags = CAROM_TANGENT_RANK, .impacts = 1, .closings = 1, .openings = 1)
TANGENT_TEST(completed_chatter, .text = CHATTERS, .t_end = 2, .rank = 2, .flags = CAROM_TANGENT_RANK, .impacts = 8,
             .closings = 1, .openings = 1)
TANGENT_TEST(completed_chatter_by_exact, .text = CHATTERS, .scheme = "exact", .t_end = 2, .rank = 2,
             .flags = CAROM_TANGENT_RANK, .impacts = 8, .closings = 1, .openings = 1)
TANGENT_TEST(completed_chatter_at_a_loose_tolerance, .text = CHATTERS, .t_end = 2, .rtol = 1e-6, .bound = 1e-5,
             .rank = 2, .flags = CAROM_TANGENT_RANK, .impacts = 5, .closings = 1, .openings = 1)

TANGENT_TEST(an_impact_without_rebound_that_leaves_at_once, .t_end = 1.2, .rank = 3, .flags = CAROM_TANGENT_RANK,
             .impacts = 1,
             .text = MODEL "parameters: {g: 1, A: 1, w: 3}\ncoordinates: {y: 1, x: 0}\nvelocities: {y: -0.2, x: 0.4}\n"
                           "kinetic: y'^2/2 + (1+0.1*y)*x'^2\npotential: g*y + (x-y)^2\n"
                           "contacts:\n  floor: {gap: y - A*sin(w*t), restitution: 0}\n")

#define RESTS(coupling)                                                                                                \
    MODEL "parameters: {g: 1, e: 0.6, k: 1}\ncoordinates: {x: 0, y: 1, z: 0.3}\nvelocities: {x: 0, y: -0.3, z: 0.2}\n" \
          "mass: [[1, " coupling ", 0.1], [" coupling ", 1.5, 0.2], [0.1, 0.2, 2+0.3*y]]\n"                            \
          "force: {x: -3*g, y: -g - k*(y-z), z: -k*(z-y) + 0.2*sin(2*t)}\n"                                            \
          "contacts:\n  a: {gap: x, restitution: 0.5}\n  b: {gap: y - 0.1*sin(2*t), restitution: e}\n"
TANGENT_TEST(an_impact_while_another_contact_stays_closed, .text = RESTS("0.4"), .t_end = 1.2, .rank = 4, .skip = 1 + 8,
             .flags = CAROM_TANGENT_RANK, .impacts = 1)
TANGENT_TEST(an_impact_while_another_contact_opens, .text = RESTS("-0.4"), .t_end = 1.2, .rank = 4, .skip = 1 + 8,
             .flags = CAROM_TANGENT_RANK, .impacts = 1, .openings = 1)

TANGENT_TEST(an_equilibrium_whose_steps_are_longer_than_its_period, .t_end = 100, .rank = 2, .delta = 1e-3,
             .text = MODEL "coordinates: {x: 0}\nmass: {x: 1}\nforce: {x: -sin(2*x) - 0.01*x'}\n")
TANGENT_TEST(
    a_stiff_motion, .t_end = 2, .rank = 4, .rtol = 1e-8, .bound = 1e-6,
    .text = MODEL
    "parameters: {k: 1e6, c: 3e3}\ncoordinates: {x: 0.5, y: 0.5}\nvelocities: {x: 0.2, y: 0.2}\nmass: {x: 1, y: 1}\n"
    "force: {x: -x^3 - k*(x-y) - c*(x'-y'), y: -y - k*(y-x) - c*(y'-x')}\n")

/* Branches of forces: a stop of rubber (continuous), a brake that is let go (a jump), dry friction as a force. */
TANGENT_TEST(a_force_with_a_kink, .t_end = 8, .rank = 2,
             .text = MODEL
             "parameters: {k: 20, d: 0.3, a: 1}\ncoordinates: {x: 0}\nvelocities: {x: 0.5}\nmass: {x: 1}\n"
             "force: {x: \"a*cos(0.8*t) - 0.1*x' - k*max(x-d, 0)\"}\n")
TANGENT_TEST(
    a_force_with_a_jump, .t_end = 6, .rank = 4,
    .text = MODEL
    "parameters: {f: 0.7, d: 0.3, a: 1}\ncoordinates: {x: 0.1, y: 0.2}\nvelocities: {x: 0.5}\nmass: {x: 1, y: 1+0.1*x}"
    "\n"
    "force: {x: \"a*cos(0.8*t) - x + y - 0.1*x'\", y: \"x - y - f*if(x + 0.2*y' - d*t > 0, 1, "
    "0.2)\"}\n")
TANGENT_TEST(dry_friction_as_a_force, .t_end = 4, .rank = 2,
             .text = MODEL
             "parameters: {f: 0.2, w: 0.7, a: 1}\ncoordinates: {x: 1}\nvelocities: {x: 0.4}\nmass: {x: 1}\n"
             "force: {x: \"-x + a*cos(w*t) - f*sign(x')\"}\n")

/* One degree of freedom: S = [[-e, 0], [(gddot+ + e gddot-)/gdot-, -e]]. */
START_TEST(saltation_of_one_degree_of_freedom_is_the_closed_form)
{
    carom_error error = {0};
    const char *text = MODEL "parameters: {e: 0.7}\ncoordinates: {y: 0}\nvelocities: {y: -1.3}\nmass: {y: 2}\n"
                             "force: {y: -1 - 0.3*y' + cos(t)}\ncontacts:\n  floor: {gap: y - 0.1*sin(3*t), "
                             "restitution: e}\n";
    carom_model *m = load(text);
    carom_sim *sim = new_sim(m, "tolerance", 1, 1e-12);
    carom_tangent *tangent;
    CHECK_OK(carom_tangent_new(&tangent, sim, 2, &error), error);
    CHECK_OK(carom_tangent_start(tangent, (const double[]){1, 0, 0, 1}, NULL), error);
    CHECK_OK(carom_sim_run(sim, 1e-9), error); /* hit at once: t = 0 but for 1e-9 */
    ck_assert_int_eq(carom_tangent_report(tangent)->impacts, 1);
    const double *S = carom_tangent_columns(tangent), e = 0.7, u = -1.3 - 0.3, after = 0.3 - e * u;
    double before_dd = (-1 - 0.3 * -1.3 + 1) / 2, after_dd = (-1 - 0.3 * after + 1) / 2;
    CHECK_NEAR(S[0], -e, 1e-8);
    CHECK_NEAR(S[1], 0, 1e-8);
    CHECK_NEAR(S[2], (after_dd + e * before_dd) / u, 1e-8);
    CHECK_NEAR(S[3], -e, 1e-8);
    CHECK_NEAR(carom_tangent_report(tangent)->slowest, -u, 1e-12);
    CHECK_NEAR(carom_tangent_report(tangent)->radius, u * u / (2 * before_dd), 1e-8);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* det Y = det M(q0)/det M(qT) exp(-int tr M^-1 C) e^(2k); here C = c M. */
START_TEST(the_sum_rule_knows_the_mass_matrix)
{
    carom_error error = {0};
    const char *text =
        MODEL "parameters: {c: 0.2, e: 0.8}\ncoordinates: {a: 1, b: 0.4}\nvelocities: {a: 0.3, b: -0.5}\n"
              "kinetic: 2.3*a'^2/2 + 1.3*b'^2/2 + 1.3*a'*b'*cos(a-b)\npotential: -23*cos(a) - "
              "13*cos(b)\n"
              "forces: {a: -c*(2.3*a' + 1.3*b'*cos(a-b)), b: -c*(1.3*b' + 1.3*a'*cos(a-b))}\n"
              "contacts:\n  wall: {gap: sin(a)+sin(b)+0.2, restitution: e}\n";
    carom_model *m = load(text);
    carom_sim *sim = new_sim(m, "tolerance", 3, 1e-12);
    carom_tangent *tangent;
    CHECK_OK(carom_tangent_new(&tangent, sim, 1, &error), error);
    CHECK_OK(carom_sim_run(sim, 3), *carom_sim_error(sim));
    const carom_tangent_info *info = carom_tangent_report(tangent);
    const double *q = carom_sim_state(sim)->q;
    double det[2] = {2.3 * 1.3 - pow(1.3 * cos(0.6), 2), 2.3 * 1.3 - pow(1.3 * cos(q[0] - q[1]), 2)};
    CHECK_AT_LEAST((double)info->impacts, 2);
    CHECK_NEAR(info->log_det, log(det[0] / det[1]) - 2 * 0.2 * 3 + 2 * (double)info->impacts * log(0.8), 1e-10);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN_MODELS("tangent", free_flight_with_a_mass_matrix_that_depends_on_positions, impacts_on_a_moving_floor,
                 impacts_on_a_moving_floor_by_exact, impacts_on_a_curved_moving_wall_with_a_mass_that_depends_on_time,
                 restitution_that_depends_on_position_time_and_parameters, an_impact_without_rebound_closes_and_opens,
                 an_impact_without_rebound_closes_and_opens_by_exact, completed_chatter, completed_chatter_by_exact,
                 completed_chatter_at_a_loose_tolerance, an_impact_without_rebound_that_leaves_at_once,
                 an_impact_while_another_contact_stays_closed, an_impact_while_another_contact_opens,
                 an_equilibrium_whose_steps_are_longer_than_its_period, a_stiff_motion,
                 a_force_with_a_kink, a_force_with_a_jump, dry_friction_as_a_force,
                 saltation_of_one_degree_of_freedom_is_the_closed_form, the_sum_rule_knows_the_mass_matrix)
