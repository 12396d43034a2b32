/* test_tolerance_ends.c: accumulations of impacts at several contacts at once are ended, and the motion goes on:
 * against closed forms, time stepping, and itself at tighter tolerances. */
#include "tolerance_testing.h"

/* In the end the board lies on its right end, the weight on top of it, the ball on the other end. */
START_TEST(the_catapult_comes_to_rest)
{
    for (int k = 1; k < TOLERANCES; k++) {
        run r = by_tolerance("examples/models/catapult.yaml", "", tolerances[k], 3);
        const carom_state *s = carom_sim_state(r.sim);
        CHECK_NEAR(s->q[0], -asin(0.4), tolerances[k]);
        CHECK_NEAR(s->q[1], 0, tolerances[k]);
        CHECK_NEAR(s->q[2], 0.8, tolerances[k]);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(s->v[i], 0, 1e-12);
        end(&r);
    }
}
END_TEST

/* Buffers and couplings of a train knock until it is tight; steps of 2e-5 see each of the larger knocks. */
START_TEST(wagons_that_knock_until_they_are_tight_go_on_together)
{
    run other = simulate("examples/models/wagons.yaml", "e=0.5", "moreau-jean", 1e-8, 2e-5, 0.3);
    run best = by_tolerance("examples/models/wagons.yaml", "e=0.5", 1e-10, 6);
    for (int k = 1; k < TOLERANCES - 1; k++) {
        run r = by_tolerance("examples/models/wagons.yaml", "e=0.5", tolerances[k], 0.3);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(carom_sim_state(r.sim)->q[i], carom_sim_state(other.sim)->q[i], 1e-6 + 10 * tolerances[k]);
        CHECK_OK(carom_sim_run(r.sim, 6), *carom_sim_error(r.sim));
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(carom_sim_state(r.sim)->q[i], carom_sim_state(best.sim)->q[i], 100 * tolerances[k]);
        end(&r);
    }
    end(&other), end(&best);
}
END_TEST

/* Five rough discs fall into a box. */
static char *discs(void)
{
    enum { N = 5, SIZE = 16000 };
    static const double at[N][5] = {{1.33, 1.472, -0.95, -0.07, 0.236}, {0.731, 1.36, -0.36, -0.24, 0.236},
                                    {1.693, 1.961, 0.78, 0.05, 0.165}, {1.062, 1.078, 0.12, -0.53, 0.167},
                                    {0.676, 0.363, -0.95, -0.35, 0.227}};
    static const char law[] = "friction: 0.3, restitution: 0.5}";
    char *text = malloc(SIZE);
    int k = snprintf(text, SIZE, "carom: 1\ncoordinates: {");
    for (int i = 0; i < N; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "x%d: %g, y%d: %g, a%d: 0%s", i, at[i][0], i, at[i][1], i,
                      i < N - 1 ? ", " : "}\nvelocities: {");
    for (int i = 0; i < N; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "x%d: %g, y%d: %g%s", i, at[i][2], i, at[i][3],
                      i < N - 1 ? ", " : "}\nmass: {");
    for (int i = 0; i < N; i++) {
        double m = 25 * at[i][4] * at[i][4];
        k += snprintf(text + k, SIZE - (size_t)k, "x%d: %.17g, y%d: %.17g, a%d: %.17g%s", i, m, i, m, i,
                      m * at[i][4] * at[i][4] / 2, i < N - 1 ? ", " : "}\nforce: {");
    }
    for (int i = 0; i < N; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "y%d: %.17g%s", i, -9.81 * 25 * at[i][4] * at[i][4],
                      i < N - 1 ? ", " : "}\ncontacts:\n");
    for (int i = 0; i < N; i++) {
        double r = at[i][4];
        k += snprintf(text + k, SIZE - (size_t)k,
                      "  f%d: {gap: y%d - %g, slip: \"x%d' + %g*a%d'\", %s\n"
                      "  l%d: {gap: x%d - %g, slip: \"y%d' - %g*a%d'\", %s\n"
                      "  r%d: {gap: 2 - x%d - %g, slip: \"y%d' + %g*a%d'\", %s\n",
                      i, i, r, i, r, i, law, i, i, r, i, r, i, law, i, i, r, i, r, i, law);
        for (int j = 0; j < i; j++)
            k += snprintf(text + k, SIZE - (size_t)k,
                          "  c%d%d: {gap: \"hypot(x%d-x%d,y%d-y%d) - %g\", slip: \"(-(y%d-y%d)*(x%d'-x%d') + (x%d-x%d)*"
                          "(y%d'-y%d'))/hypot(x%d-x%d,y%d-y%d) - %g*a%d' - %g*a%d'\", %s\n",
                          i, j, i, j, i, j, r + at[j][4], i, j, i, j, i, j, i, j, i, j, i, j, r, i, at[j][4], j, law);
    }
    return text;
}

START_TEST(rough_discs_pile_up_in_a_box)
{
    char *text = discs();
    carom_model *model = parse_text(text);
    run best = begin(model, "tolerance", 1e-8, 0, 3);
    CHECK_OK(carom_sim_run(best.sim, 3), *carom_sim_error(best.sim));
    for (int k = 0; k < 3; k++) {
        double tol = k == 0 ? 1e-5 : k == 1 ? 1e-6 : 1e-7, most = 0;
        run r = begin(model, "tolerance", tol, 0, 3);
        CHECK_OK(carom_sim_run(r.sim, 3), *carom_sim_error(r.sim));
        for (int i = 0; i < 15; i++)
            most = fmax(most, fabs(carom_sim_state(r.sim)->q[i] - carom_sim_state(best.sim)->q[i]));
        printf("tol %g: %ld impacts, off by %.2g\n", tol, carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT], most);
        CHECK_AT_MOST(most, 100 * tol);
        end(&r);
    }
    end(&best);
    carom_model_free(model);
    free(text);
}
END_TEST

/* A follower on a cam that goes below its seat, and comes back: it stays on the higher of the two but for bounces of
 * less than 1e-8. */
static void higher(const void *user, double t, double *q)
{
    (void)user;
    q[0] = fmax(0, 3e-4 * sin(50 * t));
}

START_TEST(a_follower_is_set_down_and_taken_up_again)
{
    for (int k = 1; k < TOLERANCES - 1; k++)
        for (int first = 0; first < 2; first++) {
            char text[400];
            const char *cam = "y - 3e-4*sin(50*t)\", restitution: 0.4}", *seat = "y\", restitution: 0.3}";
            snprintf(text, sizeof text,
                     "carom: 1\ncoordinates: {y: 0}\nkinetic: y'^2/2\npotential: 2000*y\ncontacts:\n"
                     "  one: {gap: \"%s\n  other: {gap: \"%s\n", first ? seat : cam, first ? cam : seat);
            carom_model *model = parse_text(text);
            run r = begin(model, "tolerance", tolerances[k], 0, 0.3);
            CHECK_OK(carom_sim_run(r.sim, 0.3), *carom_sim_error(r.sim));
            CHECK_AT_MOST(error_of(&r, 1, higher, NULL), 1e-8 + tolerances[k]);
            CHECK_NEAR(carom_sim_state(r.sim)->q[0], 3e-4 * sin(15), 1e-12);
            end(&r);
            carom_model_free(model);
        }
}
END_TEST

/* A weight on the floor that is lifted for 0.03 s while the force on the floor, (t - c)^2 - w^2, is negative: wherever
 * that is between the stages of a long step. It leaves at c - w. */
START_TEST(a_weight_that_is_lifted_for_a_moment_leaves_then)
{
    const double w = 0.015;
    for (double c = 0.4; c < 0.8; c += 0.0137) {
        char text[300];
        carom_error error = {0};
        carom_model *model;
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {y: 0}\nkinetic: y'^2/2\npotential: 10*y\n"
                 "forces: {y: 10 - (t - %.17g)^2 + %.17g}\ncontacts: {floor: {gap: y, restitution: 0}}\n", c, w * w);
        CHECK_OK(carom_model_parse(&model, "lifted", text, strlen(text), NULL, &error), error);
        run r = begin(model, "tolerance", 1e-6, 0, 2);
        CHECK_OK(carom_sim_run(r.sim, 2), *carom_sim_error(r.sim));
        size_t events;
        carom_trajectory_counts(r.path, NULL, NULL, &events);
        double left = NAN;
        for (size_t i = 0; i < events; i++)
            if (carom_trajectory_event(r.path, i)->type == CAROM_EVENT_OPENING)
                left = carom_trajectory_event(r.path, i)->t;
        CHECK_NEAR(left, c - w, 1e-9);
        end(&r);
        carom_model_free(model);
    }
}
END_TEST

TEST_MAIN_MODELS("tolerance, ends of accumulations", the_catapult_comes_to_rest,
                 wagons_that_knock_until_they_are_tight_go_on_together, rough_discs_pile_up_in_a_box,
                 a_follower_is_set_down_and_taken_up_again, a_weight_that_is_lifted_for_a_moment_leaves_then)
