/* test_moreau_control_systems.c: moreau-jean with chosen steps: energy, what is recorded, friction, joints, take-off,
 * save and load. */
#include "control_testing.h"

/* ---- energy, recording, several contacts ---- */

START_TEST(the_energy_balance_closes_to_rounding)
{
    point_store store[2];
    carom_model model[2];
    two_models(store, model);
    for (int k = 0; k < CONTROLS; k++)
        for (int m = 0; m < 2; m++) {
            carom_sim *sim = start(&model[m], controls[k], "", 5e-3, 1e-7);
            RUN(sim, 5);
            const carom_info *i = carom_sim_info(sim);
            CHECK_AT_LEAST((double)i->rejected, 50);
            CHECK_NEAR(i->balance_error, 0, 1e-12);
            CHECK_AT_LEAST(i->dissipated_impact, 1.9);
            CHECK_AT_MOST(i->max_penetration, 1e-6);
            carom_sim_free(sim);
        }
}
END_TEST

typedef struct record {
    double t, q, v, energy, depth;
    long segments, jumps, impacts;
} record;

static void record_segment(void *user, const carom_segment *s)
{
    record *r = user;
    double v = s->v[0] + s->v[1], q = s->q0[0] + s->xi[0] + s->xi[1];
    CHECK_NEAR(s->t0, r->t, 0);
    CHECK_NEAR(s->q0[0], r->q, 1e-14);
    CHECK_NEAR(s->v[0], r->v, 1e-14);
    ck_assert(s->t1 > s->t0);
    CHECK_NEAR(s->penetration, fmax(0, -q), 1e-15);
    r->depth = fmax(r->depth, s->penetration);
    CHECK_AT_MOST(s->energy, r->energy + 1e-12 + pow(2 * (s->t1 - s->t0), 2) / 8); /* is there for every segment */
    CHECK_AT_LEAST(s->energy, -1e-6);
    r->t = s->t1, r->q = q, r->v = v, r->energy = s->energy;
    r->segments++;
}

static void record_jump(void *user, const carom_jump *j)
{
    record *r = user;
    CHECK_NEAR(j->t, r->t, 0);
    CHECK_NEAR(j->v_before[0], r->v, 1e-14);
    CHECK_NEAR(j->impulse[0], j->v_after[0] - j->v_before[0], 1e-14);
    r->v = j->v_after[0];
    r->jumps++;
}

static void record_event(void *user, const carom_event *e)
{
    ((record *)user)->impacts += e->type == CAROM_EVENT_IMPACT;
}

START_TEST(what_is_recorded_is_the_accepted_solution_without_gaps)
{
    point_store store;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    for (int k = 0; k < CONTROLS; k++) {
        carom_sim *sim = start(&ball, controls[k], "", 5e-3, 1e-7);
        const carom_state *s = carom_sim_state(sim);
        record r = {.q = 1, .energy = 2};
        double impulse = 0;
        carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), &r, record_segment, record_jump,
                                                 record_event});
        while (s->t < 4) {
            double v = s->v[0], t = s->t;
            STEP(sim);
            CHECK_NEAR(s->t, r.t, 0);
            CHECK_NEAR(s->q[0], r.q, 1e-14);
            CHECK_NEAR(s->v[0], r.v, 1e-14);
            CHECK_NEAR(s->v[0] - v, s->impulse[0] - 2 * (s->t - t), 1e-14);
            impulse += s->impulse[0];
        }
        CHECK_NEAR(impulse, 2 * s->t, 1e-5); /* from rest to rest */
        const carom_info *i = carom_sim_info(sim);
        ck_assert_int_eq(r.segments, (k == 3 ? 1 : 2) * i->steps);
        ck_assert_int_eq(r.impacts, i->events[CAROM_EVENT_IMPACT]);
        ck_assert_int_eq(r.jumps, r.impacts);
        CHECK_NEAR(r.depth, i->max_penetration, 0);
        CHECK_AT_MOST(r.depth, 1e-6);
        CHECK_AT_LEAST((double)r.impacts, 8);
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(a_box_with_friction_comes_to_rest_and_a_pendulum_keeps_its_joint)
{
    for (int k = 0; k < CONTROLS; k++) {
        box_store corners;
        cartesian_store rod;
        double x[2] = {pendulum_start[0], pendulum_speed[0]};
        carom_model box = box_model(&corners, 0.4, 0.3), cartesian = cartesian_pendulum(&rod), angle = pendulum();
        carom_sim *sim = start(&box, controls[k], "", 5e-3, 1e-5);
        RUN(sim, 5);
        const carom_info *i = carom_sim_info(sim);
        printf("%-14s box: %ld steps, %ld rejected, penetration %.1e, balance %.1e\n", controls[k], i->steps,
               i->rejected, i->max_penetration, i->balance_error);
        CHECK_AT_MOST(carom_norm_max(3, carom_sim_state(sim)->v), 1e-6);
        CHECK_AT_MOST(i->max_penetration, 1e-3);
        CHECK_AT_MOST(i->energy_final, i->energy_initial);
        carom_sim_free(sim);
        sim = start(&cartesian, controls[k], "", 5e-3, 1e-8);
        RUN(sim, 1);
        reference_run(&angle, 0, 1, 1e-4, x);
        const double *q = carom_sim_state(sim)->q;
        CHECK_NEAR(q[0], sin(x[0]), 3e-5);
        CHECK_NEAR(q[0] * q[0] + q[1] * q[1], 1, 1e-12);
        carom_sim_free(sim);
    }
}
END_TEST

/* ---- take-off ---- */

static void slow_force(const carom_point *at, double *F) /* changes sign at t = (pi + asin(1/1.2))/w */
{
    F[0] = -10 * (1 + 1.2 * sin(2 * M_PI / 10 * at->t));
}

START_TEST(what_rests_takes_off_in_time)
{
    point_store store;
    carom_model ball = point_model(&store, 1, 0, 0, 0, 0.9, 0, 0);
    double w = 2 * M_PI / 10, t = (M_PI + asin(1 / 1.2)) / w, T = 10 - t;
    double lifted = 12 / w * (cos(w * 10) - cos(w * t)) - 10 * T; /* v(10) */
    double height = 12 / w * (sin(w * 10) - sin(w * t)) / w - (12 / w * cos(w * t)) * T - 5 * T * T;
    ball.force = slow_force;
    for (int k = 0; k < CONTROLS; k++)
        for (int i = 0; i < 5; i++) {
            double tol = pow(10, -4 - i);
            carom_sim *sim = start(&ball, controls[k], "", 5e-3, tol);
            RUN(sim, 10);
            const carom_state *s = carom_sim_state(sim);
            printf("%-14s take-off, tol %.0e: %ld steps, errors %.1e %.1e\n", controls[k], tol,
                   carom_sim_info(sim)->steps, s->q[0] - height, s->v[0] - lifted);
            CHECK_NEAR(s->q[0], height, 5 * pow(tol, 2.0 / 3));
            CHECK_NEAR(s->v[0], lifted, 5 * pow(tol, 2.0 / 3));
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- save and load ---- */

START_TEST(going_on_after_a_load_gives_the_same_bits)
{
    for (int k = 0; k < CONTROLS; k++) {
        box_store store;
        carom_model box = box_model(&store, 0.4, 0.3);
        carom_sim *a = start(&box, controls[k], "", 5e-3, 1e-6), *b = start(&box, controls[k], "", 5e-3, 1e-6);
        for (int i = 0; i < 300; i++)
            STEP(a);
        RUN(a, carom_sim_state(a)->t + 1e-5); /* cut short: what was proposed before is remembered */
        check_same_after_load(a, b, 300);
    }
}
END_TEST

TEST_MAIN("moreau-jean, chosen steps on systems", the_energy_balance_closes_to_rounding,
          what_is_recorded_is_the_accepted_solution_without_gaps,
          a_box_with_friction_comes_to_rest_and_a_pendulum_keeps_its_joint, what_rests_takes_off_in_time,
          going_on_after_a_load_gives_the_same_bits)
