/* test_reactions_found.c: forces at an instant of contacts that are found, against closed forms. */
#include <string.h>
#include <unistd.h>

#include "carom_output.h"
#include "model/model.h"
#include "testing.h"

static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli", "tolerance"};

typedef struct force { /* a line of a table of contacts */
    double t, mean[3], now[3];
    char name[80];
} force;

enum { LINES = 1000 };

static int read_table(const char *path, force *list)
{
    char line[1000];
    int n = 0;
    FILE *file = fopen(path, "r");
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        force f;
        double skipped[9], impulse[3];
        if (sscanf(line, "%lf,%79[^,],%*f,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &f.t, f.name,
                   &skipped[0], &skipped[1], &skipped[2], &skipped[3], &skipped[4], &skipped[5], &f.mean[0], &f.mean[1],
                   &f.mean[2], &impulse[0], &impulse[1], &impulse[2], &f.now[0], &f.now[1], &f.now[2]) != 17)
            continue;
        if (impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0 && n < LINES)
            list[n++] = f;
    }
    fclose(file);
    return n;
}

/* The forces of contacts in the rows of a run of 0.2 s, with contacts found; x [nq] and v after it, where asked for. */
static int forces_of(const char *text, const char *scheme, bool reactions, force *list, double *x)
{
    char path[60], other[80];
    carom_model *m;
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim;
    carom_sink *sink;
    const carom_sink_info info = {.size = sizeof info, .reactions = reactions};
    snprintf(path, sizeof path, "found-%ld.csv", (long)getpid());
    CHECK_OK(carom_model_parse(&m, "found", text, strlen(text), NULL, &error), error);
    ck_assert(m->links != NULL);
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = 5e-3;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_sink_new(&sink, path, NULL, m, NULL, &info, 0.0513, &error), error);
    carom_sink_guard(sink, sim);
    const carom_observer observer = carom_sink_observer(sink);
    ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
    CHECK_OK(carom_sim_run(sim, 0.2), *carom_sim_error(sim));
    CHECK_OK(carom_sink_close(sink, &error), error);
    for (int i = 0; x && i < m->nq + m->nv; i++)
        x[i] = i < m->nq ? carom_sim_state(sim)->q[i] : carom_sim_state(sim)->v[i - m->nq];
    unlink(path);
    snprintf(other, sizeof other, "found-%ld.contacts.csv", (long)getpid());
    int n = reactions ? read_table(other, list) : 0;
    unlink(other);
    snprintf(other, sizeof other, "found-%ld.events.csv", (long)getpid());
    unlink(other);
    carom_sim_free(sim);
    carom_model_free(m);
    return n;
}

/* The sum of those that begin with `name` at each time is (fx, fy, fz), to within `tol`. Returns how many times. */
static int sum_is(const force *list, int n, const char *name, double fx, double fy, double fz, double tol)
{
    const double wanted[3] = {fx, fy, fz};
    int times = 0;
    for (int i = 0; i < n; i++) {
        double sum[3] = {0};
        int here = 0;
        if (i && list[i].t == list[i - 1].t)
            continue;
        for (int k = i; k < n && list[k].t == list[i].t; k++)
            for (int j = 0; strncmp(list[k].name, name, strlen(name)) == 0 && j < 3; j++)
                sum[j] += list[k].now[j], here++;
        for (int j = 0; here && j < 3; j++)
            CHECK_NEAR(sum[j], wanted[j], tol);
        times += here > 0;
    }
    return times;
}

#define HEAD "carom: 1\ncontacts: found\nspace: "

/* What rests carries what lies on it. */
START_TEST(what_rests_carries_what_lies_on_it)
{
    static const char text[] =
        HEAD "planar\ngravity: [0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  low: {shape: {box: [0.4, 0.2]}, mass: 2, at: [0, 0.1]}\n"
        "  high: {shape: {circle: 0.1}, mass: 3, at: [0.1, 0.3]}\n"
        "  alone: {shape: {circle: 0.1}, mass: 0.5, at: [2, 0.1]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n";
    for (int s = 0; s < CAROM_COUNT(schemes); s++) {
        force list[LINES];
        int n = forces_of(text, schemes[s], true, list, NULL);
        ck_assert_int_ge(sum_is(list, n, "alone floor", 0, 5, 0, 1e-10), 3);
        ck_assert_int_ge(sum_is(list, n, "high low", 0, 30, 0, 1e-10), 3);
        ck_assert_int_ge(sum_is(list, n, "low.1 floor", 0, 17.5, 0, 1e-8), 3); /* 10 and a quarter of 30 */
        ck_assert_int_ge(sum_is(list, n, "low.2 floor", 0, 32.5, 0, 1e-8), 3);
    }
}
END_TEST

/* A blow as the run begins is before the first lines; steps of a given length have it at their end. */
START_TEST(the_row_at_the_start_has_its_contacts)
{
    static const char text[] =
        HEAD "planar\ngravity: [0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  sled: {shape: {circle: 0.1}, mass: 2, inertia: 1e9, at: [0, 0.1], velocity: [3, 0]}\n"
        "  ball: {shape: {circle: 0.1}, mass: 0.5, at: [2, 0.1], velocity: [0, %s]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n";
    for (int s = 0; s < CAROM_COUNT(schemes); s++)
        for (int blow = 0; blow < (strcmp(schemes[s], "tolerance") == 0 ? 2 : 1); blow++) {
            force list[LINES];
            char whole[1000];
            int seen = 0;
            snprintf(whole, sizeof whole, text, blow ? "-1" : "0");
            int n = forces_of(whole, schemes[s], true, list, NULL);
            for (int i = 0; i < n && list[i].t == 0; i++) {
                bool sled = strcmp(list[i].name, "sled floor") == 0;
                CHECK_NEAR(list[i].now[0], sled ? -10 : 0, 1e-9);
                CHECK_NEAR(list[i].now[1], sled ? 20 : 5, 1e-9);
                seen++;
            }
            ck_assert_msg(seen == 2, "%s, blow %d: %d lines at the start", schemes[s], blow, seen);
        }
}
END_TEST

/* Down an incline a ball rolls, held back by 2/7 m g sin a; a box that slides is held back by mu m g cos a; one that
 * stays by m g sin a. */
START_TEST(on_an_incline_friction_is_what_rolls_slides_and_stays)
{
    static const char text[] =
        HEAD "spatial\nparameters: {a: 0.3}\ngravity: [10*sin(a), 0, -10*cos(a)]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  ball: {shape: {sphere: 0.1}, mass: 3, at: [0, 0, 0.1]}\n"
        "  sled: {shape: {box: [0.4, 0.3, 0.1]}, mass: 2, at: [0, 1, 0.05], velocity: [1, 0, 0]}\n"
        "  rock: {shape: {box: [0.4, 0.3, 0.1]}, mass: 2, at: [0, 2, 0.05]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}, sled floor: {friction: 0.1, restitution: 0}}\n";
    const double sine = 10 * sin(0.3), cosine = 10 * cos(0.3);
    for (int s = 0; s < CAROM_COUNT(schemes); s++) {
        force list[LINES];
        int n = forces_of(text, schemes[s], true, list, NULL);
        ck_assert_int_ge(sum_is(list, n, "ball floor", -6 * sine / 7, 0, 3 * cosine, 1e-9), 3);
        ck_assert_int_ge(sum_is(list, n, "sled.", -0.2 * cosine, 0, 2 * cosine, 1e-7), 3);
        ck_assert_int_ge(sum_is(list, n, "rock.", -2 * sine, 0, 2 * cosine, 1e-7), 3);
    }
}
END_TEST

/* A hand that goes up and down under a ball, with a joint beside them: m (g - a w^2 sin w t), which no mean over a step
 * of a given length is. The run itself is to the last bit that of one which nobody asked for forces. */
START_TEST(a_force_at_an_instant_is_no_mean_and_changes_nothing)
{
    static const char text[] =
        HEAD "planar\ngravity: [0, -10]\nbodies:\n  hand: {moved: [0, '0.1*sin(8*t)'], shape: {plane: [0, 1]}}\n"
        "  ball: {shape: {circle: 0.1}, mass: 2, at: [0, 0.1], velocity: [0, 0.8]}\n"
        "  bob: {shape: {circle: 0.1}, density: 1, at: [6, 5]}\njoints: {pin: {hinge: [ground, bob], at: [5, 5]}}\n"
        "laws: {default: {restitution: 0}}\n";
    for (int s = 0; s < CAROM_COUNT(schemes); s++) {
        force list[LINES];
        double with[20] = {0}, without[20] = {0}, off = 0;
        int n = forces_of(text, schemes[s], true, list, with);
        forces_of(text, schemes[s], false, list + LINES - 1, without);
        CHECK_AT_LEAST(n, 3);
        for (int i = 0; i < n; i++) {
            const double exact = 2 * (10 - 6.4 * sin(8 * list[i].t));
            CHECK_NEAR(list[i].now[1], exact, 1e-10);
            off = fmax(off, fabs(list[i].mean[1] - exact));
        }
        CHECK_AT_LEAST(off, 1e-4);
        ck_assert_mem_eq(with, without, sizeof with);
    }
}
END_TEST

/* Balls come down one after the other: more and more rows act at once. Where they are too many nobody says anything. */
START_TEST(forces_of_many_are_told_as_far_as_there_is_room)
{
    static const char many[] =
        HEAD "spatial\ngravity: [0, 0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  ball: {repeat: {i: %d}, shape: {sphere: 0.1}, mass: 1, at: [0.3*i, 0, 0.1 + 0.0005*i]}\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\n";
    for (int k = 0; k < 2; k++) {
        char text[500];
        force list[LINES];
        snprintf(text, sizeof text, many, k ? 220 : 150);
        int n = forces_of(text, "moreau-jean", true, list, NULL), times = 0, unknown = 0;
        for (int i = 0; i < n; i++) {
            times += i == 0 || list[i].t > list[i - 1].t;
            unknown += isnan(list[i].now[2]) != 0;
            if (!isnan(list[i].now[2]))
                CHECK_NEAR(list[i].now[2], 10, 1e-10);
        }
        CHECK_AT_LEAST(times, 3);
        ck_assert_int_eq(unknown, k ? 220 : 0); /* 660 rows, in the last row of the file */
    }
}
END_TEST

TEST_MAIN("reactions_found", what_rests_carries_what_lies_on_it, the_row_at_the_start_has_its_contacts,
          on_an_incline_friction_is_what_rolls_slides_and_stays, a_force_at_an_instant_is_no_mean_and_changes_nothing,
          forces_of_many_are_told_as_far_as_there_is_room)
