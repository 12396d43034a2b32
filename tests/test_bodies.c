/* The same planar systems as bodies and as formulas written by hand: motions agree, events are the same one by one. */
#include <string.h>

#include "carom.h"
#include "model/model.h"
#include "testing.h"

typedef struct half { /* one of the two models, and its motion */
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *path;
} half;

static half begin(carom_model *model, double tol, double t_end)
{
    half r = {.model = model};
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_from_model(&options, model, &error), error);
    options.rtol = options.atol = tol;
    CHECK_OK(carom_sim_new(&r.sim, model, &options, &error), error);
    CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    CHECK_OK(carom_sim_run(r.sim, t_end), *carom_sim_error(r.sim));
    return r;
}

static half load(const char *name, double tol, double t_end)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&model, name, NULL, &error), error);
    return begin(model, tol, t_end);
}

static void finish(half *r)
{
    carom_trajectory_free(r->path);
    carom_sim_free(r->sim);
    carom_model_free(r->model);
}

static double value(const half *r, double t, const char *text)
{
    carom_error error = {0};
    double q[64], v[64];
    int e;
    CHECK_OK(carom_model_expression_text(r->model, text, &e, &error), error);
    CHECK_OK(carom_trajectory_at(r->path, t, -1, q, v), error);
    return carom_model_value(r->model, e, t, q, v, r->model->p);
}

typedef struct same { /* what means the same in the formula and in the bodies */
    const char *formula, *bodies;
} same;

static double apart(const half *a, const half *b, const same *pairs, int n, double t_end)
{
    double most = 0;
    for (int k = 1; k <= 200; k++)
        for (int i = 0; i < n; i++) {
            double t = t_end * k / 200;
            most = fmax(most, fabs(value(a, t, pairs[i].formula) - value(b, t, pairs[i].bodies)));
        }
    return most;
}

/* Contacts that are not in pairs must have no events. */
static void same_events(const half *a, const half *b, const same *pairs, int n, double tol)
{
    size_t count = 0;
    for (;; count++) {
        const carom_event *x = carom_trajectory_event(a->path, count), *y = carom_trajectory_event(b->path, count);
        ck_assert_msg(!x == !y, "%s has %s events: one more at t = %g", a->model->name, x ? "more" : "fewer",
                      x ? x->t : y ? y->t : 0);
        if (!x)
            break;
        const char *one = a->model->contact[x->contact].name, *two = b->model->contact[y->contact].name;
        bool match = false;
        for (int i = 0; i < n; i++)
            match |= strcmp(pairs[i].formula, one) == 0 && strcmp(pairs[i].bodies, two) == 0;
        ck_assert_msg(match && x->type == y->type, "event %zu: %s of '%s' at %.12g, %s of '%s' at %.12g", count,
                      carom_event_name(x->type), one, x->t, carom_event_name(y->type), two, y->t);
        CHECK_NEAR(y->t, x->t, tol);
    }
    printf("  %zu events\n", count);
    ck_assert_msg(count > 0, "nothing happens in '%s'", a->model->name);
}

#define AGREE(formula, file, tol, t_end, quantities, contacts, bound)                                              \
    do {                                                                                                           \
        half a_ = load(formula, tol, t_end), b_ = load(file, tol, t_end);                                          \
        double off_ = apart(&a_, &b_, quantities, CAROM_COUNT(quantities), t_end);                                 \
        printf("%s: %.2g\n", file, off_);                                                                          \
        CHECK_AT_MOST(off_, bound);                                                                                \
        same_events(&a_, &b_, contacts, CAROM_COUNT(contacts), bound);                                             \
        finish(&a_);                                                                                               \
        finish(&b_);                                                                                               \
    } while (0)

START_TEST(a_box_is_the_box)
{
    NEEDS_MODELS;
    static const same q[] = {{"x", "box.x"}, {"y", "box.y"}, {"phi", "box.angle"}, {"phi'", "box.spin"},
                             {"y + yr", "point(box, [w/2, -h/2]).y"}, {"x'", "box.x'"}};
    static const same c[] = {{"left", "box.1 floor"}, {"right", "box.2 floor"}};
    AGREE("box", "models/bodies/box.yaml", 1e-11, 2, q, c, 1e-9);
}
END_TEST

START_TEST(a_block_rocks_as_the_rocking_block)
{
    NEEDS_MODELS;
    static const same q[] = {{"x", "block.x"}, {"y", "block.y"}, {"phi", "block.angle"}, {"phi'", "block.angle'"}};
    static const same c[] = {{"left", "block.1 floor"}, {"right", "block.2 floor"}};
    AGREE("rocking-block", "models/bodies/rocking-block.yaml", 1e-11, 2, q, c, 1e-9);
}
END_TEST

START_TEST(bodies_on_hinges_are_the_slider_crank)
{
    NEEDS_MODELS;
    static const same q[] = {{"th1", "crank.angle"}, {"th2", "rod.angle"}, {"th3", "slider.angle"}, {"xS", "slider.x"},
                             {"yS", "slider.y"}, {"vS", "slider.x'"}, {"th1'/100", "crank.angle'/100"}};
    static const same c[] = {{"rear_top", "slider.rear_top guide.top"}, {"front_top", "slider.front_top guide.top"},
                             {"rear_bottom", "slider.rear_bottom guide.bottom"},
                             {"front_bottom", "slider.front_bottom guide.bottom"}};
    AGREE("slider-crank", "models/bodies/slider-crank.yaml", 1e-12, 0.05, q, c, 1e-9);
}
END_TEST

START_TEST(point_masses_on_hinges_are_the_double_pendulum)
{
    NEEDS_MODELS;
    static const same q[] = {{"th1", "inner.angle"}, {"th2", "tip.angle"}, {"x2", "tip.x"}, {"y1", "inner.y"},
                             {"th2'", "tip.angle'"}};
    static const same c[] = {{"inner", "inner wall"}, {"tip", "tip wall"}};
    AGREE("double-pendulum-wall", "models/bodies/double-pendulum-wall.yaml", 1e-13, 2, q, c, 1e-9);
}
END_TEST

START_TEST(a_point_on_a_circle_is_the_dome)
{
    NEEDS_MODELS;
    static const same q[] = {{"x", "point_mass.x"}, {"y", "point_mass.y"}, {"y'", "point_mass.y'"}};
    static const same c[] = {{"dome", "point_mass dome"}};
    AGREE("dome", "models/bodies/dome.yaml", 1e-11, 0.7, q, c, 1e-9);
}
END_TEST

START_TEST(balls_on_sliders_are_the_cradle)
{
    NEEDS_MODELS;
    static const same q[] = {{"x1", "string[0]"}, {"x2", "string[1]"}, {"x3", "string[2]"}, {"x5", "string[4]"},
                             {"x1'", "ball[0].x'"}, {"0.02 + d + x2", "ball[1].x"}};
    static const same c[] = {{"c12", "ball[1] ball[0]"}, {"c23", "ball[2] ball[1]"}, {"c34", "ball[3] ball[2]"},
                             {"c45", "ball[4] ball[3]"}};
    AGREE("newton-cradle", "models/bodies/newton-cradle.yaml", 1e-12, 1, q, c, 1e-9);
}
END_TEST

/* The built-in woodpecker is linearised; this one has the geometry as it is. */
static const char exact_woodpecker[] =
    "carom: 1\n"
    "parameters: {mM: 3e-4, JM: 5e-9, mS: 4.5e-3, JS: 7e-7, c: 0.0056, r0: 0.0025, rM: 0.0031, hM: 0.0058, lM: 0.01,\n"
    "             lG: 0.015, hS: 0.02, lS: 0.0201, g: 9.81}\n"
    "coordinates: {y: 0, M: \"asin(r0/hypot(hM, rM)) - atan2(rM, hM)\", S: -0.2788}\n"
    "velocities: {y: -0.3411, S: -7.4583}\n"
    "let:\n"
    "  vx: -lM*sin(M)*M' - lG*sin(S)*S'\n"
    "  vy: y' + lM*cos(M)*M' + lG*cos(S)*S'\n"
    "  beak: lM*cos(M) + lG*cos(S) - lS*cos(S) - hS*sin(S)\n"
    "kinetic: mM*y'^2/2 + JM*M'^2/2 + mS*(vx^2 + vy^2)/2 + JS*S'^2/2\n"
    "potential: mM*g*y + mS*g*(y + lM*sin(M) + lG*sin(S)) + c*(S - M)^2/2\n"
    "contacts:\n"
    "  beak: {gap: beak - r0, slip: \"-(vy + (-lS*cos(S) - hS*sin(S))*S')\", friction: 0.3, restitution: 0.5}\n"
    "  upper: {gap: rM*cos(M) - hM*sin(M) - r0, slip: \"-(y' + (rM*cos(M) - hM*sin(M))*M')\", friction: 0.3,\n"
    "          restitution: 0}\n"
    "  lower: {gap: rM*cos(M) + hM*sin(M) - r0, slip: \"-(y' + (rM*cos(M) + hM*sin(M))*M')\", friction: 0.3,\n"
    "          restitution: 0}\n";

START_TEST(a_sleeve_and_a_bird_are_the_woodpecker)
{
    NEEDS_MODELS;
    static const same q[] = {{"y", "sleeve.y"}, {"M", "sleeve.angle"}, {"S", "bird.angle"}, {"S'/10", "bird.spin/10"},
                             {"beak", "bird.beak.x"}};
    static const same c[] = {{"beak", "bird.beak pole"}, {"upper", "sleeve.upper pole"},
                             {"lower", "sleeve.lower pole"}};
    const double t_end = 0.5, tol = 1e-12;
    carom_model *formula;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&formula, "woodpecker", exact_woodpecker, sizeof exact_woodpecker - 1, NULL, &error),
             error);
    half a = begin(formula, tol, t_end), b = load("models/bodies/woodpecker.yaml", tol, t_end);
    CHECK_NEAR(b.model->q[2], formula->q[1], 1e-15); /* found by touch */
    double off = apart(&a, &b, q, CAROM_COUNT(q), t_end);
    printf("woodpecker: %.2g\n", off);
    CHECK_AT_MOST(off, 1e-9);
    same_events(&a, &b, c, CAROM_COUNT(c), 1e-9);
    finish(&a);
    finish(&b);
}
END_TEST

TEST_MAIN_MODELS("bodies", a_box_is_the_box, a_block_rocks_as_the_rocking_block, bodies_on_hinges_are_the_slider_crank,
                 point_masses_on_hinges_are_the_double_pendulum, a_point_on_a_circle_is_the_dome,
                 balls_on_sliders_are_the_cradle, a_sleeve_and_a_bird_are_the_woodpecker)
