/* Bodies whose contacts are found before every step, beside joints, forces and formulas. */
#include <string.h>

#include "carom.h"
#include "carom_output.h"
#include "model/model.h"
#include "testing.h"

static const char *const found_schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli", "tolerance"};

/* The largest difference of positions and velocities of the same file by formulas and with `contacts: found`. */
static double apart_when_found(const char *text, const char *scheme, double t_end)
{
    double x[2][200], most = 0;
    for (int k = 0; k < 2; k++) {
        char whole[4000];
        carom_model *m;
        carom_error error = {0};
        carom_options options = carom_options_default();
        carom_sim *sim;
        int n = snprintf(whole, sizeof whole, "%s%s", text, k ? "contacts: found\n" : "");
        CHECK_OK(carom_model_parse(&m, "both", whole, (size_t)n, NULL, &error), error);
        ck_assert_int_eq(m->links != NULL, k);
        CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
        options.h = 2e-3, options.rtol = options.atol = 1e-9;
        CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
        CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
        const carom_state *s = carom_sim_state(sim);
        memcpy(x[k], s->q, sizeof(double) * (size_t)m->nq);
        memcpy(x[k] + m->nq, s->v, sizeof(double) * (size_t)m->nv);
        for (int i = 0; k && i < m->nq + m->nv; i++)
            most = fmax(most, fabs(x[1][i] - x[0][i]));
        carom_sim_free(sim);
        carom_model_free(m);
    }
    return most;
}

#define CHAIN(n, joint)                                                                                            \
    "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"        \
    "  link: {repeat: {i: " #n "}, shape: {box: [0.1, 0.04]}, density: 1000, at: [(i + 0.5)*0.1, 0.05 + 0.02*i]}\n"  \
    "joints:\n  knee: {repeat: {i: " #n " - 1}, hinge: ['link[i]', 'link[i+1]'], "                                  \
    "at: [(i + 1)*0.1, 0.06 + 0.02*i]" joint "}\nlaws: {default: {friction: 0.5, restitution: 0}}\n"

static const char machine[] =
    "carom: 1\ncoordinates: {s: 0}\nkinetic: s'^2\npotential: 5*s^2\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
    "  paddle: {moved: [0, 0.05*sin(9*t), 0.3*sin(7*t)], shape: {box: [0.6, 0.1]}, at: [0.7, 0.2]}\n"
    "  box: {shape: {box: [0.2, 0.1]}, density: 100, at: [0, 0.15], velocity: [1, 0]}\n"
    "  ball: {shape: {circle: 0.06}, density: 100, at: [0.7, 0.5]}\n"
    "  bob: {shape: {circle: 0.05}, density: 100, at: [0.3, 0.4]}\n"
    "  arm: {shape: {capsule: [0.3, 0.02]}, density: 100, at: [0.15, 0.6]}\n"
    "  cart: {shape: {box: [0.1, 0.1]}, density: 100, at: [-0.5, 0.05], fix: [y, angle]}\n"
    "joints:\n"
    "  shoulder: {hinge: [ground, arm], at: [0, 0.6], range: [-0.5, 0.5], restitution: 0.3, damping: 0.02}\n"
    "  rope: {distance: [arm, bob], points: [[0.3, 0.6], [0.3, 0.4]]}\n"
    "  band: {spring: [box, ball], points: [[0, 0.15], [0.7, 0.5]], stiffness: 200, damping: 3}\n"
    "laws: {box floor: {friction: 0.4, restitution: 0.2}, bob floor: {restitution: 0},\n"
    "       ball paddle: {friction: 0.3, restitution: 0.2}, box paddle: {friction: 0.4, restitution: 0.2}}\n"
    "forces: {s: box.x, cart: {force: ['3*cos(4*t)', 0]},\n"
    "         box: {force: [s, 0], at: [0, 0.05], torque: 0.01, axes: body}}\n";

START_TEST(joints_forces_and_formulas_move_alike_with_contacts_found)
{
    for (int i = 0; i < CAROM_COUNT(found_schemes); i++) {
        double chain = apart_when_found(CHAIN(5, ""), found_schemes[i], 0.4);
        double tree = apart_when_found(CHAIN(5, ", coordinate: relative"), found_schemes[i], 0.4);
        double all = apart_when_found(machine, found_schemes[i], 0.6);
        printf("found: %s apart by %.1g (hinges), %.1g (relative), %.1g (all kinds)\n", found_schemes[i], chain, tree,
               all);
        CHECK_AT_MOST(fmax(chain, fmax(tree, all)), 1e-9);
    }
}
END_TEST

/* Their surface goes on without end and is fast somewhere, but nothing is there. */
static const char *const turning[] = {
    "  tray: {moved: [0, 0, 0.2*sin(5*t)], shape: {plane: [0, 1]}}\n"
    "  ball: {shape: {box: [0.2, 0.1]}, mass: 1, at: [0.3, 0.4]}\n",
    "  tray: {mass: 2, inertia: 0.5, at: [0, 0], shape: {slab: [0.1, x]}, spin: 1}\n"
    "  ball: {shape: {circle: 0.1}, mass: 1, at: [0.3, 0.4], velocity: [0, -3]}\n"};

START_TEST(what_a_plane_or_a_slab_that_turns_strikes_moves_as_by_formulas)
{
    for (int i = 0; i < CAROM_COUNT(turning); i++) {
        char text[600];
        snprintf(text, sizeof text, "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n%s"
                                    "laws: {default: {friction: 0.3, restitution: 0.3}}\n", turning[i]);
        double off = apart_when_found(text, "tolerance", 0.5);
        printf("turning: apart by %.1g\n", off);
        CHECK_AT_MOST(off, 1e-7);
    }
}
END_TEST

START_TEST(a_chain_of_sixty_boxes_falls_and_holds_together)
{
    static const char text[] = CHAIN(60, "");
    carom_model *m;
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_model_parse(&m, "chain", text, strlen(text), NULL, &error), error);
    ck_assert(m->links != NULL);
    CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
    options.h = 4e-3;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_sim_run(sim, 0.12), *carom_sim_error(sim));
    const double *q = carom_sim_state(sim)->q;
    const double k = 0.05, d = 0.01; /* from the centre of a link to its knees: along it, and across */
    double open = 0;
    for (int i = 0; i + 1 < 60; i++) {
        const double *a = q + 3 * i, *b = a + 3;
        double x = a[0] + k * cos(a[2]) - d * sin(a[2]) - (b[0] - k * cos(b[2]) + d * sin(b[2]));
        double y = a[1] + k * sin(a[2]) + d * cos(a[2]) - (b[1] - k * sin(b[2]) - d * cos(b[2]));
        open = fmax(open, hypot(x, y));
    }
    long impacts = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT];
    printf("chain: knees open by %.1g, %ld impacts\n", open, impacts);
    CHECK_AT_MOST(open, 1e-10);
    CHECK_AT_LEAST(impacts, 3);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* ---- forces of contacts in files ---- */
static const char stack[] =
    "carom: 1\nspace: planar\ngravity: [0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
    "  box: {repeat: {i: 3}, shape: {box: [1, 0.5]}, density: 2, at: [0.1*i, 0.25 + 0.5*i]}\n"
    "  ball: {shape: {circle: 0.2}, density: 1, at: [3, 1]}\n%scontacts: found\n"
    "laws: {default: {friction: 0.3, restitution: 0.5}}\n";

typedef struct sums { /* over the lines of a table of contacts */
    double weight, torque, pushed, last; /* on the floor at the last time; impulse of the ball */
    int lines;
} sums;

static sums read_contacts(const char *path, double t)
{
    sums x = {0};
    char line[1000];
    FILE *file = fopen(path, "r");
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        char name[200];
        double at, mode, p[3], n[3], f[3], i[3];
        if (sscanf(line, "%lf,%199[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &at, name, &mode, &p[0],
                   &p[1], &p[2], &n[0], &n[1], &n[2], &f[0], &f[1], &f[2], &i[0], &i[1], &i[2]) != 15)
            continue;
        x.lines++, x.last = at;
        bool on_floor = strstr(name, " floor") && strstr(name, "box");
        if (fabs(at - t) < 1e-9 && on_floor)
            x.weight += f[1], x.torque += p[0] * f[1] - p[1] * f[0];
        if (strcmp(name, "ball floor") == 0)
            x.pushed += i[1];
    }
    fclose(file);
    return x;
}

/* Impulses that go through the ball, of a table of events. */
static double impulses_of_ball(const char *path)
{
    char line[1000];
    double sum = 0;
    FILE *file = fopen(path, "r");
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        double t, before, after, impulse;
        if (sscanf(line, "%lf,impact,ball floor,%lf,%lf,%lf", &t, &before, &after, &impulse) == 4)
            sum += impulse;
    }
    fclose(file);
    return sum;
}

/* A stack and a ball that bounces; with a pendulum beside them that they do not touch. */
START_TEST(files_have_the_forces_of_contacts_that_come_and_go)
{
    static const char pendulum[] = "  bob: {shape: {circle: 0.1}, density: 1, at: [6, 5]}\n"
                                   "joints: {pin: {hinge: [ground, bob], at: [5, 5], friction_torque: 0.01}}\n";
    for (int beside = 0; beside < 2; beside++) {
        char text[900];
        carom_model *m;
        carom_error error = {0};
        carom_options options = carom_options_default();
        carom_sim *sim;
        carom_sink *sink;
        const carom_sink_info info = {.size = sizeof info, .reactions = true};
        snprintf(text, sizeof text, stack, beside ? pendulum : "");
        CHECK_OK(carom_model_parse(&m, "stack", text, strlen(text), NULL, &error), error);
        CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
        options.h = 1e-2;
        CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
        CHECK_OK(carom_sink_new(&sink, "found.csv", NULL, m, NULL, &info, 0.1, &error), error);
        carom_sink_guard(sink, sim);
        const carom_observer observer = carom_sink_observer(sink);
        ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
        CHECK_OK(carom_sim_run(sim, 0.6), *carom_sim_error(sim));
        CHECK_OK(carom_sink_close(sink, &error), error);
        sums x = read_contacts("found.contacts.csv", 0.6);
        printf("stack: %d lines, weight %.12g, torque %.12g, impulse of the ball %.12g\n", x.lines, x.weight, x.torque,
               x.pushed);
        CHECK_NEAR(x.last, 0.6, 1e-12);
        CHECK_NEAR(x.weight, 30, 1e-9);            /* three boxes of 1 */
        CHECK_NEAR(x.torque, 10 * (0 + 0.1 + 0.2), 1e-9);
        CHECK_NEAR(x.pushed, 1.5 * 0.04 * 3.141592653589793 * 4.05, 0.01); /* (1 + e) m v: it falls 0.8 */
        CHECK_AT_LEAST(x.lines, 6 * 6);
        CHECK_NEAR(impulses_of_ball("found.events.csv"), x.pushed, 1e-9);
        ck_assert_int_eq(remove("found.contacts.csv") | remove("found.events.csv") | remove("found.csv"), 0);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

/* The speed of a floor that is accelerated depends on the time within the step at which it is taken. */
/* Where its rim crosses the axis of the other, at both ends: with one of them it would tip over. */
START_TEST(a_cylinder_stands_upright_on_one_that_lies)
{
    static const char *const below[] = {"capsule: [1, 0.3]", "cylinder: [1, 0.3], turn: {y: pi/2}"};
    for (int k = 0; k < 2; k++) {
        char text[500];
        carom_model *m;
        carom_error error = {0};
        carom_options options = carom_options_default();
        carom_sim *sim;
        int n = snprintf(text, sizeof text,
                         "carom: 1\nspace: spatial\ngravity: [0, 0, -10]\nbodies:\n  a: {fixed: true, shape: {%s}}\n"
                         "  b: {shape: {cylinder: [0.6, 0.2]}, mass: 1, at: [0, 0, 0.6]}\n"
                         "laws: {default: {friction: 0.3, restitution: 0}}\n", below[k]);
        CHECK_OK(carom_model_parse(&m, "stands", text, (size_t)n, NULL, &error), error);
        CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
        options.h = 1e-3;
        CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
        CHECK_OK(carom_sim_run(sim, 0.3), *carom_sim_error(sim));
        CHECK_NEAR(carom_sim_state(sim)->q[2], 0.6, 1e-9);
        CHECK_NEAR(carom_sim_state(sim)->q[3], 1, 1e-12);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(what_lies_on_a_lift_moves_as_by_formulas)
{
    static const char lift[] =
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\nlaws: {default: {restitution: 0}}\nbodies:\n"
        "  lift: {moved: [0, 0.5*t^2], shape: {plane: [0, 1]}}\n"
        "  ball: {shape: {circle: 0.06}, density: 100, at: [-0.3, 0.06]}\n";
    for (int s = 0; s < CAROM_COUNT(found_schemes); s++)
        CHECK_AT_MOST(apart_when_found(lift, found_schemes[s], 0.3), 1e-9);
}
END_TEST

/* One circle is glued to the ceiling; others fall and come near the floor, one after the other. Their contacts are
 * listed before its own, from below; the glue stays where it is: what is only near is open. */
START_TEST(glue_stays_with_its_contact_when_others_are_found)
{
    static const char text[] =
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"
        "laws: {default: {law: cohesive, friction: 0.3, restitution: 0, cohesion: 2}}\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  ceiling: {fixed: true, shape: {plane: [0, -1]}, at: [0, 1]}\n"
        "  first: {shape: {circle: 0.1}, mass: 0.1, at: [1, 0.2]}\n"
        "  second: {shape: {circle: 0.1}, mass: 0.1, at: [2, 0.3]}\n"
        "  third: {shape: {circle: 0.1}, mass: 0.1, at: [3, 0.4]}\n"
        "  glued: {shape: {circle: 0.1}, mass: 0.1, at: [4, 0.9]}\n";
    carom_model *m;
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_model_parse(&m, "glue", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", "moreau-jean", &error), error);
    options.h = 1e-3;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    for (int step = 1; step <= 350; step++) {
        CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
        const carom_state *s = carom_sim_state(sim);
        int closed = 0, touch = 1;
        for (int i = 0; i < s->ncontact; i++)
            closed += s->mode[i] != CAROM_OPEN;
        for (int i = 0; i < 3; i++)
            touch += s->q[3 * i + 1] < 0.1 + 1e-3;
        ck_assert_msg(closed <= touch, "t = %g: %d of %d closed, %d touch", s->t, closed, s->ncontact, touch);
    }
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("bodies with contacts found", joints_forces_and_formulas_move_alike_with_contacts_found,
          what_a_plane_or_a_slab_that_turns_strikes_moves_as_by_formulas,
          a_chain_of_sixty_boxes_falls_and_holds_together,
          files_have_the_forces_of_contacts_that_come_and_go, what_lies_on_a_lift_moves_as_by_formulas,
          a_cylinder_stands_upright_on_one_that_lies,
          glue_stays_with_its_contact_when_others_are_found)
