/* Bodies listed in another order and called by other names move as before. Scenes of bodies that fall on each other
 * and, with steps of a given length, into each other; contacts by formulas and found. */
#include <stdio.h>
#include <string.h>

#include "carom.h"
#include "testing.h"

enum { MOST = 6 };
typedef struct scene {
    const char *name, *head, *tail, *scheme;
    const char *body[MOST]; /* all but their names */
    double t_end;
    int n;
} scene;

#define PLANE "carom: 1\nspace: planar\ngravity: [0, -10]\n"
#define SPACE "carom: 1\nspace: spatial\ngravity: [0, 0, -10]\n"
#define LAWS "laws: {default: {friction: 0.4, restitution: 0.2}}\n"
#define FLOOR "{fixed: true, shape: {plane: [0, 1]}}"
#define GROUND "{fixed: true, shape: {plane: [0, 0, 1]}}"

static const scene scenes[] = {
    {"discs and boxes by formulas", PLANE, LAWS, "moreau-jean",
     {FLOOR, "{shape: {box: [0.3, 0.2]}, density: 100, at: [0, 0.3], angle: 0.4}",
      "{shape: {circle: 0.15}, density: 100, at: [0.1, 0.8]}", "{shape: {circle: 0.1}, density: 100, at: [0.05, 1.3]}"},
     0.9, 4},
    {"discs and boxes that are found", PLANE, LAWS "contacts: found\n", "moreau-jean",
     {FLOOR, "{shape: {box: [0.3, 0.2]}, density: 100, at: [0, 0.3], angle: 0.4}",
      "{shape: {capsule: [0.2, 0.1]}, density: 100, at: [0.1, 0.8], angle: 1}",
      "{shape: {box: [0.25, 0.3]}, density: 100, at: [0.05, 1.3], angle: 0.3}",
      "{shape: {circle: 0.12}, density: 100, at: [-0.1, 1.8]}"},
     0.9, 5},
    {"balls by formulas", SPACE, LAWS, "moreau-jean",
     {GROUND, "{shape: {sphere: 0.12}, density: 100, at: [0.05, 0, 0.3]}",
      "{shape: {sphere: 0.17}, density: 100, at: [0, 0.06, 0.9]}",
      "{shape: {sphere: 0.1}, density: 100, at: [0, 0, 1.4]}"},
     0.8, 4},
    {"a box on a box by formulas", SPACE, LAWS, "moreau-jean",
     {"{fixed: true, shape: {box: [2, 0.2, 0.2]}, turn: {x: pi/4}}",
      "{shape: {box: [0.2, 2, 0.2]}, density: 100, at: [0.1, 0.05, 0.4], turn: {y: pi/4}}"},
     0.5, 2},
    {"boxes, balls and cylinders that are found", SPACE, LAWS "contacts: found\n", "moreau-jean",
     {GROUND, "{shape: {box: [0.45, 0.4, 0.35]}, density: 100, at: [0.1, 0.02, 0.45], turn: {x: 0.4, y: 0.2}}",
      "{shape: {box: [0.3, 0.4, 0.3]}, density: 100, at: [0.05, 0.1, 1.1], turn: {x: 1, y: 2}}",
      "{shape: {cylinder: [0.2, 0.15]}, density: 100, at: [0, 0.1, 1.8], turn: {x: 2}}",
      "{shape: {sphere: 0.15}, density: 100, at: [0.1, 0.1, 2.3]}"},
     0.48, 5},
    {"balls with tolerance", SPACE, LAWS, "tolerance",
     {GROUND, "{shape: {sphere: 0.12}, density: 100, at: [0.05, 0, 0.3]}",
      "{shape: {sphere: 0.17}, density: 100, at: [0, 0.06, 0.9]}"},
     0.7, 3},
    {"boxes with tolerance", PLANE, LAWS, "tolerance",
     {FLOOR, "{shape: {box: [0.3, 0.2]}, density: 100, at: [0, 0.3], angle: 0.4}",
      "{shape: {circle: 0.15}, density: 100, at: [0.1, 0.8]}", "{shape: {box: [0.25, 0.3]}, mass: 5, at: [0.9, 0.6]}"},
     0.5, 4},
    {"bodies that tolerance finds", SPACE, LAWS "contacts: found\n", "tolerance",
     {GROUND, "{shape: {box: [0.45, 0.4, 0.35]}, density: 100, at: [0.1, 0.02, 0.45], turn: {x: 0.4, y: 0.2}}",
      "{shape: {sphere: 0.15}, density: 100, at: [0.1, 0.1, 1]}",
      "{shape: {polyhedron: [[0.2, 0, -0.1], [-0.1, 0.2, -0.1], [-0.1, -0.2, -0.1], [0, 0, 0.2]]}, density: 100, "
      "at: [0.9, 0, 0.4], turn: {x: 0.3}}"},
     0.4, 4},
    {"bodies by projection", SPACE, LAWS "contacts: found\n", "moreau-jean-projected",
     {GROUND, "{shape: {box: [0.45, 0.4, 0.35]}, density: 100, at: [0.1, 0.02, 0.45], turn: {x: 0.4, y: 0.2}}",
      "{shape: {sphere: 0.15}, density: 100, at: [0.1, 0.1, 1]}"},
     0.36, 3}, /* until it slides on four corners, which share its load in many ways */
    {"bodies by positions", SPACE, LAWS "contacts: found\n", "schatzman-paoli",
     {GROUND, "{shape: {box: [0.45, 0.4, 0.35]}, density: 100, at: [0.1, 0.02, 0.45], turn: {x: 0.4, y: 0.2}}",
      "{shape: {sphere: 0.15}, density: 100, at: [0.1, 0.1, 1]}"},
     0.36, 3}, /* until it slides on four corners, which share its load in many ways */
};

/* The place of every body at the end, in the order of the table: with its names, or others in the opposite order. */
static void run(const scene *s, bool other, double *place)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%sbodies:\n", s->head);
    for (int i = 0; i < s->n; i++) {
        int k = other ? s->n - 1 - i : i;
        n += snprintf(text + n, sizeof text - (size_t)n, "  %c%d: %s\n", other ? "qzkba"[k % 5] : 'b', k, s->body[k]);
    }
    snprintf(text + n, sizeof text - (size_t)n, "%s", s->tail);
    carom_model *model;
    carom_sim *sim;
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", s->scheme, &error), error);
    options.h = 2e-3, options.rtol = options.atol = 1e-9;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    CHECK_OK(carom_sim_run(sim, s->t_end), *carom_sim_error(sim));
    for (int i = 0; i < model->nq; i++) {
        const char *name = model->q_name[i], *part = strchr(name, '.');
        ck_assert_ptr_nonnull(part);
        for (int d = 0; d < 3; d++)
            if (strcmp(part + 1, (const char *[]){"x", "y", "z"}[d]) == 0)
                place[3 * (name[1] - '0') + d] = carom_sim_state(sim)->q[i];
    }
    carom_sim_free(sim);
    carom_model_free(model);
}

START_TEST(order_and_names_of_bodies_change_nothing)
{
    NEEDS_MODELS;
    for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); k++) {
        double one[3 * MOST] = {0}, two[3 * MOST] = {0}, most = 0;
        run(&scenes[k], false, one);
        run(&scenes[k], true, two);
        for (int i = 0; i < 3 * MOST; i++)
            most = fmax(most, fabs(one[i] - two[i]));
        printf("%s: %.1e apart\n", scenes[k].name, most);
        ck_assert_msg(most < 1e-10, "%s: %g apart in another order", scenes[k].name, most);
    }
}
END_TEST

TEST_MAIN_MODELS("the order of bodies", order_and_names_of_bodies_change_nothing)
