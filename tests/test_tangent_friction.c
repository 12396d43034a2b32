/* test_tangent_friction.c: the tangent against central differences: slip, stick, reversal, in a plane and in space. */
#include "tangent_testing.h"

/* Three coordinates with a mass matrix that depends on them, over a curved moving floor. */
#define BODY(parameters, start, rest, law)                                                                             \
    MODEL "parameters: {c: 0.1, A: 0.1, " parameters "}\ncoordinates: {x: 0, y: 1, r: 0.2}\nvelocities: {" start "}\n" \
          "kinetic: (1+0.2*cos(x))*x'^2/2 + y'^2/2 + (0.5+0.1*y^2)*r'^2/2 + 0.1*x'*r'*sin(r)\n" rest                   \
          "forces: {x: -c*x' + 0.2*cos(2*t)}\ncontacts:\n  floor: {gap: y - A*sin(x) - A*sin(3*t) + 0.05*x*cos(t), "   \
          "slip: [x' + 0.3*r' - 0.1*t*y'], " law "}\n"
TANGENT_TEST(an_impact_with_slip, .t_end = 1.5, .rank = 6, .impacts = 1,
             .text = BODY("e: 0.7, mu: 0.1", "x: 2, y: -1, r: 0.3", "potential: y + 0.3*x^2\n",
                          "restitution: e, friction: mu"))
TANGENT_TEST(an_impact_that_sticks, .t_end = 1.5, .rank = 5, .flags = CAROM_TANGENT_RANK, .impacts = 1,
             .text = BODY("e: 0.7, mu: 0.9", "x: 0.2, y: -1, r: 0.3", "potential: y + 0.3*x^2\n",
                          "restitution: e, friction: mu"))
TANGENT_TEST(an_impact_with_tangential_restitution, .t_end = 1.5, .rank = 6, .impacts = 1,
             .text = BODY("e: 0.7, mu: 0.9, et: 0.4", "x: 0.2, y: -1, r: 0.3", "potential: y + 0.3*x^2\n",
                          "restitution: e, friction: mu, restitution_t: et"))
TANGENT_TEST(closing_into_stick, .t_end = 1, .rank = 3, .flags = CAROM_TANGENT_RANK, .impacts = 1, .closings = 1,
             .text = BODY("mu: 0.9", "x: 0.2, y: -1, r: 0.3", "potential: 3*y + 0.3*x^2\n",
                          "restitution: 0, friction: mu"))
TANGENT_TEST(closing_into_slip, .t_end = 0.9, .rank = 4, .flags = CAROM_TANGENT_RANK, .impacts = 1, .closings = 1,
             .text = BODY("mu: 0.2", "x: 2, y: -1, r: 0.3", "potential: 3*y + 0.3*x^2\n",
                          "restitution: 0, friction: mu"))
TANGENT_TEST(chatter_that_ends_in_slip, .t_end = 1.6, .rank = 4, .flags = CAROM_TANGENT_RANK, .impacts = 8,
             .closings = 1,
             .text = BODY("e: 0.2, mu: 0.1", "x: 2, y: -1, r: 0.3", "potential: 6*y + 0.3*x^2\n",
                          "restitution: e, friction: mu"))
TANGENT_TEST(chatter_that_ends_in_stick, .t_end = 1.6, .bound = 1e-6, .rank = 3, .flags = CAROM_TANGENT_RANK,
             .impacts = 8, .closings = 1,
             .text = BODY("e: 0.2, mu: 0.9", "x: 0.2, y: -1, r: 0.3", "potential: 6*y + 0.1*x^2\n",
                          "restitution: e, friction: mu"))
TANGENT_TEST(friction_that_depends_on_position_and_parameters, .t_end = 0.9, .rank = 4, .flags = CAROM_TANGENT_RANK,
             .impacts = 1,
             .text = BODY("mu: 0.2, k: 0.3", "x: 2, y: -1, r: 0.3", "potential: 3*y + 0.3*x^2\n",
                          "restitution: 0, friction: 'mu*(1 + k*sin(3*x))'"))

/* A block on a floor: the directions y, y' would leave it. */
#define BLOCK(parameters, start, force, law)                                                                           \
    MODEL "parameters: {" parameters "}\ncoordinates: {x: 1.02, y: 0}\nvelocities: {x: " start                         \
          "}\nmass: {x: 1, y: 1}\n"                                                                                    \
          "force: {x: " force ", y: -1}\ncontacts:\n  floor: {gap: y, slip: [x'], restitution: 0, " law "}\n"
TANGENT_TEST(stick_and_slip, .t_end = 4, .rank = 1, .skip = 2 + 8, .flags = CAROM_TANGENT_RANK, .sticks = 1, .slips = 1,
             .text = BLOCK("f: 0.6, w: 0.5, c: 0.1, a: 1", "0.396", "-c*x' - x + a*cos(w*t)", "friction: f"))
TANGENT_TEST(reversal_of_slip, .t_end = 4, .rank = 2, .skip = 2 + 8, .flags = CAROM_TANGENT_RANK,
             .text = BLOCK("f: 0.2, w: 0.7, a: 1", "0.4", "-x + a*cos(w*t)", "friction: f"))
TANGENT_TEST(static_friction_lets_go_with_a_jump_of_force, .t_end = 4, .rank = 1, .skip = 2 + 8,
             .flags = CAROM_TANGENT_RANK, .sticks = 1, .slips = 1,
             .text = BLOCK("f: 0.4, fs: 0.6, w: 0.5, c: 0.1, a: 1", "0.396", "-c*x' - x + a*cos(w*t)",
                           "friction: f, friction_static: fs"))

/* A reversal adds ln(hd+/hd-): without a force of v the determinant of x, x' is that product. */
START_TEST(reversals_are_in_the_sum_rule)
{
    carom_error error = {0};
    carom_model *m = load(BLOCK("f: 0.2, w: 0.7, a: 1", "0.4", "-x - 0.05*x' + a*cos(w*t)", "friction: f"));
    carom_sim *sim = new_sim(m, "tolerance", 40, 1e-12);
    carom_tangent *tangent;
    double X[8] = {1, 0, 0, 0, 0, 1, 0, 0};
    CHECK_OK(carom_tangent_new(&tangent, sim, 2, &error), error);
    CHECK_OK(carom_tangent_start(tangent, X, NULL), error);
    CHECK_OK(carom_sim_run(sim, 40), *carom_sim_error(sim));
    const double *Y = carom_tangent_columns(tangent), det = Y[0] * Y[5] - Y[1] * Y[4];
    printf("ln det %.12g, by the sum rule %.12g\n", log(fabs(det)), carom_tangent_report(tangent)->log_det);
    CHECK_AT_MOST(log(fabs(det)), -0.05 * 40 - 1);
    CHECK_NEAR(log(fabs(det)), carom_tangent_report(tangent)->log_det, 1e-9);
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* In space. */
#define SPACE(parameters, start, gap, forces, law)                                                                     \
    MODEL "parameters: {c: 0.1, b: 0.1, " parameters "}\n" start                                                       \
          "kinetic: (x'^2 + (1+0.2*sin(x))*y'^2 + 0.3*x'*y' + z'^2)/2\n"                                               \
          "potential: z + 0.2*x^2 + 0.1*x*y\nforces: {" forces "}\n"                                                   \
          "contacts:\n  floor: {gap: " gap ", slip: [x' + 0.2*z', y' - b*t], " law "}\n"
#define ABOVE "coordinates: {x: 0, y: 0.2, z: 0.4}\nvelocities: {x: 1, y: 0.5, z: 0}\n"
#define ON "coordinates: {x: 0, y: 0.2, z: 0}\nvelocities: {x: 0.5, y: 0.3, z: 0}\n"
TANGENT_TEST(spatial_slip, .t_end = 0.6, .rank = 4, .skip = 4 + 32, .flags = CAROM_TANGENT_RANK,
             .text = SPACE("mu: 0.2", ON, "z", "x: -c*x' + 0.1*sin(t)", "restitution: 0, friction: mu"))
TANGENT_TEST(a_spatial_impact_with_slip, .t_end = 1.5, .rank = 6, .impacts = 1,
             .text = SPACE("mu: 0.2, e: 0.5", ABOVE, "z - 0.1*sin(x+t)", "x: -c*x' + 0.1*sin(t)",
                           "restitution: e, friction: mu"))
TANGENT_TEST(a_spatial_impact_with_slip_and_tangential_restitution, .t_end = 1.5, .rank = 6, .impacts = 1,
             .text = SPACE("mu: 0.2, e: 0.5, et: 0.4", ABOVE, "z - 0.1*sin(x+t)", "x: -c*x' + 0.1*sin(t)",
                           "restitution: e, friction: mu, restitution_t: et"))
TANGENT_TEST(a_spatial_impact_that_sticks, .t_end = 1.5, .rank = 4, .flags = CAROM_TANGENT_RANK, .impacts = 1,
             .text = SPACE("mu: 2, e: 0.5", ABOVE, "z - 0.1*sin(x+t)", "x: -c*x' + 0.1*sin(t)",
                           "restitution: e, friction: mu"))
TANGENT_TEST(spatial_slip_that_ends, .t_end = 1.5, .rank = 2, .skip = 4 + 32, .flags = CAROM_TANGENT_RANK, .sticks = 1,
             .text = MODEL "parameters: {mu: 0.6, c: 0.1}\n" ON "kinetic: (x'^2 + (1+0.2*sin(x))*y'^2 + z'^2)/2\n"
                     "potential: z + 0.2*x^2 + 0.1*x*y\nforces: {x: -c*x' + 0.1*sin(t)}\n"
                     "contacts:\n  floor: {gap: z, slip: [x' + 0.2*z', y'], restitution: 0, friction: mu}\n")
TANGENT_TEST(spatial_slip_that_ends_and_begins_again, .t_end = 2.2, .rank = 2, .skip = 4 + 32,
             .flags = CAROM_TANGENT_RANK, .sticks = 1, .slips = 1, .bound = 1e-6,
             .text = MODEL "parameters: {mu: 0.6, c: 0.1}\n" ON "kinetic: (x'^2 + (1+0.2*sin(x))*y'^2 + z'^2)/2\n"
                           "potential: z + 0.2*x^2 + 0.1*x*y\nforces: {x: -c*x' + 0.4*t, y: 0.1*t^2}\n"
                           "contacts:\n  floor: {gap: z, slip: [x' + 0.2*z', y'], restitution: 0, friction: mu}\n")

TEST_MAIN_MODELS("tangent, friction", an_impact_with_slip, an_impact_that_sticks, an_impact_with_tangential_restitution,
                 closing_into_stick, closing_into_slip, chatter_that_ends_in_slip, chatter_that_ends_in_stick,
                 friction_that_depends_on_position_and_parameters, stick_and_slip, reversal_of_slip,
                 static_friction_lets_go_with_a_jump_of_force, reversals_are_in_the_sum_rule, spatial_slip,
                 a_spatial_impact_with_slip, a_spatial_impact_with_slip_and_tangential_restitution,
                 a_spatial_impact_that_sticks, spatial_slip_that_ends, spatial_slip_that_ends_and_begins_again)
