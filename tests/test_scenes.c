/* test_scenes.c: many bodies in contact are stepped to the end: heaps of rough discs, a stack of 40 boxes, thirty boxes
 * in space. What they owe: every contact problem solved, penetration of the order of a step, energy that falls, and the
 * same bits after a restart, first guesses of contact forces included. */
#include "running.h"
#include "scenes.h"

static carom_model *load(const char *what, int n)
{
    char *text = NULL;
    size_t length = 0;
    carom_error error;
    carom_model *model;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    if (*what == 'd')
        scene_discs(out, n, 1);
    else if (*what == 's')
        scene_stack(out, n, 0.001, 1e-3, 1);
    else
        scene_boxes(out, n, 1);
    ck_assert_int_eq(fclose(out), 0);
    CHECK_OK(carom_model_parse(&model, "scene", text, length, NULL, &error), error);
    free(text);
    return model;
}

static void check_run(const char *what, int n, double h, double t_end, double penetration)
{
    carom_model *model = load(what, n);
    carom_sim *sim = start_scheme(model, "moreau-jean", h, true);
    RUN(sim, t_end);
    const carom_info *info = carom_sim_info(sim);
    CHECK_AT_MOST(info->max_penetration, penetration);
    CHECK_AT_MOST(info->max_residual, 1e-10);
    CHECK_AT_LEAST(info->contact_problems, (long)(t_end / h / 4));
    carom_sim_free(sim);
    carom_model_free(model);
}

START_TEST(twelve_rough_discs_come_to_rest) { check_run("discs", 12, 4e-3, SANITIZED ? 0.5 : 1.2, 0.02); }
END_TEST

START_TEST(a_stack_of_forty_boxes_stands) { check_run("stack", 40, 2e-3, 0.1, 0.01); }
END_TEST

START_TEST(thirty_boxes_in_space_land) { check_run("boxes", 30, 4e-3, 0.4, 0.03); }
END_TEST

START_TEST(a_restart_keeps_the_first_guesses)
{
    carom_model *model = load("stack", 20);
    carom_sim *a = start_scheme(model, "moreau-jean", 2e-3, false);
    carom_sim *b = start_scheme(model, "moreau-jean", 2e-3, false);
    RUN(a, 0.05);
    check_same_after_load(a, b, 20);
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("scenes of many bodies", twelve_rough_discs_come_to_rest, a_stack_of_forty_boxes_stands,
                 thirty_boxes_in_space_land, a_restart_keeps_the_first_guesses)
