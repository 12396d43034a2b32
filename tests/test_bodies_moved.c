/* Bodies that are moved and turn as functions of time, and what touches them or hangs on them: exact motions. */
#include <string.h>

#include "carom.h"
#include "testing.h"

enum { FORMULAS, MIXED, FOUND, WAYS }; /* how contacts are known; mixed: found, beside a formula of the file */
static const char *const ways[WAYS] = {"contacts: formulas\n",
                                       "contacts: found\ncoordinates: {idle: 0}\nkinetic: idle'^2\n",
                                       "contacts: found\n"};

typedef struct run {
    carom_model *model;
    carom_sim *sim;
} run;

static run run_to(const char *text, int way, const char *scheme, double h, double t_end)
{
    char whole[4000];
    carom_error error = {0};
    carom_options options = carom_options_default();
    run r;
    int n = snprintf(whole, sizeof whole, "carom: 1\n%s%s", ways[way], text);
    CHECK_OK(carom_model_parse(&r.model, "moved", whole, (size_t)n, NULL, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h, options.rtol = options.atol = 1e-9;
    CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
    CHECK_OK(carom_sim_run(r.sim, t_end), *carom_sim_error(r.sim));
    return r;
}

static void end(run *r)
{
    carom_sim_free(r->sim);
    carom_model_free(r->model);
}

/* The largest of the outputs: they say by how much the motion differs from the exact one. */
static double wrong_by(const char *text, int way, const char *scheme, double h, double t_end)
{
    run r = run_to(text, way, scheme, h, t_end);
    const carom_state *s = carom_sim_state(r.sim);
    double output[20], most = 0;
    carom_error error = {0};
    ck_assert_int_lt(r.model->noutput, 20);
    CHECK_OK(carom_model_observe(r.model, NULL, 1, &s->t, s->q, s->v, output, NULL, &error), error);
    for (int i = 0; i < r.model->noutput; i++)
        most = fmax(most, fabs(output[i]));
    end(&r);
    return most;
}

/* The centre goes round at 2/7 of the speed of the table, wherever it starts. */
START_TEST(a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_speed)
{
    static const char text[] =
        "parameters: {r: 0.1, W: 3, v: 0.5, a: 0.7}\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  table: {moved: [0, 0, 0, {z: W*t}], shape: {plane: [0, 0, 1]}}\n"
        "  ball: {shape: {sphere: r}, mass: 7, at: [a, 0, touch], velocity: rolling, spin: [-(v - W*a)/r, 0, 2]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n"
        "outputs: {x: ball.x - a - v/(2*W/7)*(cos(2*W/7*t) - 1), y: ball.y - v/(2*W/7)*sin(2*W/7*t)}\n";
    for (int way = 0; way < WAYS; way++) {
        CHECK_AT_MOST(wrong_by(text, way, "tolerance", 1e-3, 5), 1e-7);
        CHECK_AT_MOST(wrong_by(text, way, "moreau-jean", 1e-3, 5), 2e-3);
    }
}
END_TEST

/* On a wall that turns about a point of its own, without friction or weight: x'' = W^2 x along it. */
START_TEST(a_ball_on_a_turning_wall_runs_off_exponentially)
{
    static const char plane[] =
        "parameters: {W: 2, r: 0.1}\nspace: planar\nbodies:\n"
        "  wall: {moved: [0, 0, W*t], shape: {plane: [0, 1]}}\n"
        "  ball: {shape: {circle: r}, mass: 1, at: [0.3, r], velocity: [W*(0.3 - r), W*0.3]}\n"
        "laws: {default: {restitution: 0}}\n"
        "let: {x: 0.3*exp(W*t)}\n"
        "outputs: {x: ball.x - x*cos(W*t) + r*sin(W*t), y: ball.y - x*sin(W*t) - r*cos(W*t)}\n";
    static const char space[] =
        "parameters: {W: 2, r: 0.1}\nspace: spatial\nbodies:\n"
        "  wall: {moved: [0, 0, 0, {y: -W*t}], shape: {plane: [0, 0, 1]}}\n"
        "  ball: {shape: {sphere: r}, mass: 1, at: [0.3, 0, r], velocity: [W*(0.3 - r), 0.1, W*0.3]}\n"
        "laws: {default: {restitution: 0}}\n"
        "let: {x: 0.3*exp(W*t)}\n"
        "outputs: {x: ball.x - x*cos(W*t) + r*sin(W*t), y: ball.y - 0.1*t, z: ball.z - x*sin(W*t) - r*cos(W*t)}\n";
    for (int way = 0; way < WAYS; way++) {
        CHECK_AT_MOST(wrong_by(plane, way, "tolerance", 1e-3, 1.5), 1e-7);
        CHECK_AT_MOST(wrong_by(space, way, "tolerance", 1e-3, 1.5), 1e-7);
        CHECK_AT_MOST(wrong_by(plane, way, "moreau-jean", 1e-3, 1.5), 4e-2);
    }
}
END_TEST

START_TEST(a_box_on_a_turntable_that_starts_turns_with_it)
{
    static const char text[] =
        "parameters: {W: 0.125, a: 0.7}\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  table: {moved: [0, 0, 0, {z: W*t^2}], shape: {plane: [0, 0, 1]}}\n"
        "  box: {shape: {box: [0.3, 0.2, 0.1]}, mass: 3, at: [a, 0, 0.05]}\n"
        "laws: {default: {friction: 0.3, restitution: 0}}\nlet: {turn: W*t^2}\n"
        "outputs: {x: box.x - a*cos(turn), y: box.y - a*sin(turn), z: box.z - 0.05, e0: box.e0 - cos(turn/2),\n"
        "          e3: box.e3 - sin(turn/2), spin: box.spin.z - table.spin.z}\n";
    for (int way = 0; way < WAYS; way++) {
        CHECK_AT_MOST(wrong_by(text, way, "tolerance", 1e-3, 4), 1e-7);
        CHECK_AT_MOST(wrong_by(text, way, "moreau-jean", 1e-3, 4), 1e-3);
    }
}
END_TEST

/* R = rot(e_x, a) rot(e_y, b) rot(e_z, c) */
START_TEST(what_is_welded_to_a_body_that_turns_about_three_axes_goes_with_it)
{
    static const char text[] =
        "space: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  rotor: {moved: [0.2*t^2, 0, 0.1*t^3, {x: 0.4*t^2, y: 1 - cos(2*t), z: 0.3*t^3}], turn: {z: 0.3}}\n"
        "  box: {shape: {box: [0.3, 0.2, 0.1]}, mass: 3, at: [1, 0, 0]}\n"
        "joints: {glue: {weld: [rotor, box], at: [1, 0, 0]}}\n"
        "let: {a: 0.4*t^2, b: 1 - cos(2*t), c: 0.3*t^3}\n"
        "outputs: {x: box.x - 0.2*t^2 - cos(b)*cos(c), y: box.y - cos(a)*sin(c) - sin(a)*sin(b)*cos(c),\n"
        "          z: box.z - 0.1*t^3 - sin(a)*sin(c) + cos(a)*sin(b)*cos(c),\n"
        "          across: 'point(box, [0, 1, 0]).z - box.z - sin(a)*cos(c) - cos(a)*sin(b)*sin(c)',\n"
        "          spin: box.spin.x - rotor.spin.x,\n"
        "          speed: \"box.z' - point(rotor, [cos(0.3), -sin(0.3), 0]).z'\"}\n";
    for (int way = 0; way < WAYS; way++) {
        CHECK_AT_MOST(wrong_by(text, way, "tolerance", 1e-3, 2), 1e-7);
        CHECK_AT_MOST(wrong_by(text, way, "moreau-jean", 1e-3, 2), 1e-2);
    }
}
END_TEST

/* It slips where g sin(a) = mu (g cos(a) - W^2 h): a = W t. */
START_TEST(a_box_on_a_floor_that_is_tilted_slips_when_it_must)
{
    static const char text[] =
        "parameters: {W: 0.5, h: 0.1}\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {moved: [0, 0, W*t], shape: {box: [4, 0.2], offset: [0, -0.1]}}\n"
        "  box: {shape: {box: [1, 2*h]}, mass: 3, at: [0, h], velocity: [-W*h, 0], spin: W}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n"
        "outputs: {x: box.x + h*sin(W*t), y: box.y - h*cos(W*t), angle: box.angle - W*t}\n";
    double low = 0, high = 1, g = 9.81, W = 0.5, h = 0.1, mu = 0.5;
    while (high - low > 1e-15) {
        double a = 0.5 * (low + high);
        *(g * sin(a) < mu * (g * cos(a) - W * W * h) ? &low : &high) = a;
    }
    for (int way = 0; way < WAYS; way++) {
        double t = low / W;
        CHECK_AT_MOST(wrong_by(text, way, "tolerance", 1e-3, t - 1e-6), 1e-8);
        CHECK_AT_LEAST(wrong_by(text, way, "tolerance", 1e-3, t + 0.02), 1e-7);
        CHECK_AT_MOST(wrong_by(text, way, "moreau-jean", 1e-3, t - 0.02), 1e-3);
    }
}
END_TEST

TEST_MAIN("bodies that are moved", a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_speed,
          a_ball_on_a_turning_wall_runs_off_exponentially, a_box_on_a_turntable_that_starts_turns_with_it,
          what_is_welded_to_a_body_that_turns_about_three_axes_goes_with_it,
          a_box_on_a_floor_that_is_tilted_slips_when_it_must)
