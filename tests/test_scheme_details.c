/* test_scheme_details.c: numbers that orders and energies do not see: what a scheme says of one impact is checked
 * against its own formulas, worked out here once more. */
#include <string.h>

#include "running.h"
#include "systems.h"

typedef struct record {
    carom_event impact[40];
    double t[40], q[40], v_before[40], v_after[40];
    int nimpact, njump;
} record;

static void on_event(void *user, const carom_event *e)
{
    record *r = user;
    if (e->type == CAROM_EVENT_IMPACT && r->nimpact < 40)
        r->impact[r->nimpact++] = *e;
}

static void on_jump(void *user, const carom_jump *j)
{
    record *r = user;
    if (r->njump == 40)
        return;
    r->t[r->njump] = j->t, r->q[r->njump] = j->q[0];
    r->v_before[r->njump] = j->v_before[0], r->v_after[r->njump++] = j->v_after[0];
}

static double force; /* of the ball */
static void mass(const carom_point *at, double *M) { (void)at, *M = 2; }
static void pull(const carom_point *at, double *F) { (void)at, *F = 2 * force; }
static void height(const carom_point *at, double *g) { *g = at->q[0]; }
static void slope(const carom_point *at, double *G) { (void)at, *G = 1; }
static void bent(const carom_point *at, double *g) { *g = at->q[0] + 3 * at->q[0] * at->q[0]; }
static void bent_slope(const carom_point *at, double *G) { *G = 1 + 6 * at->q[0]; }
static void bent_gamma(const carom_point *at, double *gamma) { *gamma = 6 * at->v[0] * at->v[0]; }
static bool is_bent;

static void run_ball(const char *scheme, double q, double v, double h, double t_end, record *r)
{
    static const carom_contact ground = {.name = "ground", .restitution = 0.75};
    carom_model m = {.size = sizeof m, .name = "ball", .nq = 1, .nv = 1, .ncontact = 1, .contact = &ground,
                     .q = &q, .v = &v, .mass = mass, .force = pull, .gap = height, .jacobian = slope,
                     .constant = CAROM_MASS | CAROM_JACOBIAN};
    if (is_bent)
        m.gap = bent, m.jacobian = bent_slope, m.gamma = bent_gamma, m.constant = CAROM_MASS;
    const carom_observer observer = {.size = sizeof observer, .user = r, .jump = on_jump, .event = on_event};
    memset(r, 0, sizeof *r);
    carom_sim *sim = start_scheme(&m, scheme, h, true);
    ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
    RUN(sim, t_end);
    carom_sim_free(sim);
}

/* (3)-(7) of the printed scheme for g'' = a, by bisection: the first impact from g, u with steps dt. */
static void printed_impact(double a, double g, double u, double dt, double *t, double *u_after)
{
    *t = 0;
    for (;; *t += dt) {
        double uhat = u + a * dt, ghat = g + dt * (u + uhat) / 2;
        if (ghat < 0) {
            double low = 0, high = dt, b = (uhat - u) / dt, c = (ghat - g) / dt;
            for (int k = 0; k < 200; k++) {
                double s = (low + high) / 2;
                *(s * s / 2 * b + s * c + g > 0 ? &low : &high) = s;
            }
            *t += low;
            *u_after = -0.75 * (c + low * b);
            return;
        }
        g = ghat, u = uhat;
    }
}

START_TEST(crank_nicolson_as_printed_takes_the_zero_of_its_own_parabola)
{
    static const double a[] = {-10, 0, -1e-3, 3};
    for (int k = 0; k < 4; k++) {
        record r;
        double t, u_after, u = k == 0 ? 0 : -2.5;
        force = a[k];
        printed_impact(a[k], 0.9, u, 0.07, &t, &u_after);
        run_ball("crank-nicolson:variant=printed", 0.9, u, 0.07, t + 0.2, &r);
        ck_assert_int_ge(r.nimpact, 1);
        CHECK_NEAR(r.impact[0].t, t, 1e-13);
        CHECK_NEAR(r.impact[0].u_after[0], u_after, 1e-12);
        printf("a = %g: the printed scheme hits at %.12f and leaves with %.12f\n", a[k], t, u_after);
    }
}
END_TEST

START_TEST(an_event_tells_the_velocities_of_its_jump)
{
    /* schemes that put an impact between two velocities of the motion; others compare begin and end of a step */
    static const char *const schemes[] = {"tolerance", "dg-minus", "dg-minus:degree=2", "dg-plus", "mixed",
                                          "crank-nicolson"};
    force = -10;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        record r;
        run_ball(schemes[i], 0.5, 0.3, 0.013, 0.9, &r);
        ck_assert_int_ge(r.nimpact, 2);
        ck_assert_int_eq(r.nimpact, r.njump);
        for (int k = 0; k < r.nimpact; k++) {
            const carom_event *e = &r.impact[k];
            CHECK_NEAR(e->u_after[0], r.v_after[k], 1e-12);
            CHECK_NEAR(e->u_before[0], r.v_before[k], 1e-12);
            CHECK_NEAR(e->u_after[0], -0.75 * e->u_before[0], 1e-9);
            CHECK_NEAR(e->impulse[0], 2 * (e->u_after[0] - e->u_before[0]), 1e-9);
        }
    }
}
END_TEST

/* The gap bends: along a piece it is no parabola, and what was reached is put onto the obstacle. */
START_TEST(crank_nicolson_hits_on_the_obstacle_itself)
{
    record r;
    force = -10, is_bent = true;
    run_ball("crank-nicolson", 0.5, 0.3, 0.013, 0.9, &r);
    is_bent = false;
    ck_assert_int_ge(r.njump, 2);
    for (int k = 0; k < r.njump; k++)
        CHECK_NEAR(r.q[k] + 3 * r.q[k] * r.q[k], 0, 1e-14);
}
END_TEST

/* ---- dense output, several coordinates ---- */
typedef struct chain {
    const carom_model *model;
    double t, q[3], v[3]; /* where the last segment ended */
    double gap_q, gap_v;  /* between a segment and the one before, jumps counted */
    int segments;
} chain;

static void on_chain_jump(void *user, const carom_jump *j)
{
    chain *c = user;
    for (int i = 0; i < 3; i++)
        c->v[i] += j->v_after[i] - j->v_before[i];
}

static void on_chain(void *user, const carom_segment *segment)
{
    chain *c = user;
    double q[3], v[3];
    carom_segment_at(c->model, segment, 0, q, v);
    if (c->segments++)
        for (int i = 0; i < 3; i++) {
            c->gap_q = fmax(c->gap_q, fabs(q[i] - c->q[i]));
            c->gap_v = fmax(c->gap_v, fabs(v[i] - c->v[i]));
        }
    carom_segment_at(c->model, segment, 1, c->q, c->v);
    c->t = segment->t1;
}

START_TEST(segments_of_every_scheme_go_on_where_the_last_one_ended)
{
    box_store corners;
    const carom_model box = box_model(&corners, 0.3, 0.5);
    for (int k = 0; carom_scheme_method(k); k++) {
        const char *name = carom_scheme_method(k)->name;
        chain c = {.model = &box};
        carom_error error = {0};
        carom_options o = carom_options_default();
        carom_sim *sim;
        CHECK_OK(carom_options_set(&o, "scheme", name, &error), error);
        o.h = 0.004;
        if (carom_sim_new(&sim, &box, &o, &error) != CAROM_OK) {
            ck_assert_int_eq(error.status, CAROM_UNSUPPORTED);
            continue;
        }
        const carom_observer observer = {.size = sizeof observer, .user = &c, .segment = on_chain,
                                         .jump = on_chain_jump};
        ck_assert_int_eq(carom_sim_observe(sim, &observer), CAROM_OK);
        double off = 0, off_v = 0;
        while (carom_sim_state(sim)->t < 0.7) {
            STEP(sim);
            const carom_state *now = carom_sim_state(sim);
            for (int i = 0; i < 3; i++)
                off = fmax(off, fabs(now->q[i] - c.q[i])), off_v = fmax(off_v, fabs(now->v[i] - c.v[i]));
            off = fmax(off, fabs(now->t - c.t));
        }
        printf("%s: %d segments, apart by %.1e, velocities by %.1e, from the states by %.1e, %.1e\n", name, c.segments,
               c.gap_q, c.gap_v, off, off_v);
        ck_assert_int_ge(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 1);
        CHECK_AT_MOST(c.gap_q, 1e-15);
        CHECK_AT_MOST(off, 1e-15);
        if (strncmp(name, "dg-", 3) != 0) { /* their velocities jump at nodes, impact or not */
            CHECK_AT_MOST(c.gap_v, 1e-14);
            CHECK_AT_MOST(off_v, 1e-14);
        }
        carom_sim_free(sim);
    }
}
END_TEST

/* ---- whose work is it? A point that flies or slides over the ground y = 0, friction 0.25 ---- */
static void flyer_mass(const carom_point *at, double *M) { (void)at, M[0] = M[3] = 2, M[1] = M[2] = 0; }
static void flyer_force(const carom_point *at, double *F) { (void)at, F[0] = 0, F[1] = 2 * force; }
static void flyer_gap(const carom_point *at, double *g) { *g = at->q[1]; }
static void flyer_slip(const carom_point *at, double *u) { *u = at->v[0]; }

/* Runs to t = 0.2 by every scheme that takes it; both losses against what they must be. */
static void check_losses(double y, double vy, double impact, double friction)
{
    static const carom_contact ground = {.name = "ground", .restitution = 0.5, .directions = 1, .friction = 0.25};
    const double q[2] = {0, y}, v[2] = {3, vy};
    carom_model m = {.size = sizeof m, .name = "point", .nq = 2, .nv = 2, .ncontact = 1, .contact = &ground, .q = q,
                     .v = v, .mass = flyer_mass, .force = flyer_force, .gap = flyer_gap, .slip = flyer_slip,
                     .constant = CAROM_MASS | CAROM_LAW};
    int taken = 0;
    for (int k = 0; carom_scheme_method(k); k++) {
        const char *name = carom_scheme_method(k)->name;
        carom_error error = {0};
        carom_options o = carom_options_default();
        carom_sim *sim;
        CHECK_OK(carom_options_set(&o, "scheme", name, &error), error);
        o.h = 0.001, o.energy = true;
        if (carom_sim_new(&sim, &m, &o, &error) != CAROM_OK)
            continue;
        RUN(sim, 0.2);
        const carom_info *info = carom_sim_info(sim);
        printf("%s: impacts %.12g, friction %.12g\n", name, info->dissipated_impact, info->dissipated_friction);
        /* its first step on the ground lands once more, with g h */
        const double near = y == 0 && !strcmp(name, "schatzman-paoli") ? 0.02 : 1e-9;
        CHECK_NEAR(info->dissipated_impact, impact, near);
        CHECK_NEAR(info->dissipated_friction, friction, near);
        carom_sim_free(sim);
        taken++;
    }
    ck_assert_int_ge(taken, 8);
}

START_TEST(friction_within_an_impact_is_a_loss_of_the_impact)
{
    force = 0; /* P_N = 2 (1 + 1/2), P_T = P_N/4: the velocity goes from (3, -1) to (3 - 3/8, 1/2) */
    check_losses(0.05, -1, 3 * 3 + 1 - 2.625 * 2.625 - 0.25, 0);
}
END_TEST

START_TEST(friction_of_a_contact_that_lasts_is_a_loss_of_friction)
{
    force = -10; /* it slows down by 10/4 */
    check_losses(0, 0, 0, 3 * 3 - 2.5 * 2.5);
}
END_TEST

/* ---- what is closed at the start ---- */
static void incline(const carom_point *at, double *g) { *g = 0.1 * at->q[0] + 0.3 * at->q[1]; }
static void incline_slope(const carom_point *at, double *G) { (void)at, G[0] = 0.1, G[1] = 0.3; }

START_TEST(a_contact_is_closed_at_the_start_if_what_leaves_it_is_rounding_of_the_speed_along_it)
{
    static const carom_contact plane = {.name = "plane"};
    const double q[2] = {0, 0};
    for (double speed = 1e-12; speed < 1e13; speed *= 100)
        for (int leaves = 0; leaves < 2; leaves++) {
            double v[2] = {3 * speed, -speed * (1 + 1e-13) + 1e-6 * leaves * speed};
            carom_model m = {.size = sizeof m, .name = "slider", .nq = 2, .nv = 2, .ncontact = 1, .contact = &plane,
                             .q = q, .v = v, .mass = flyer_mass, .force = flyer_force, .gap = incline,
                             .jacobian = incline_slope, .constant = CAROM_MASS | CAROM_JACOBIAN};
            carom_sim *sim = start_scheme(&m, "moreau-jean", 0.01, false);
            ck_assert_int_eq(carom_sim_state(sim)->mode[0], leaves ? CAROM_OPEN : CAROM_CLOSED);
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- a pendulum whose joint is said twice, once in other units ---- */
static void rod(const carom_point *at, double *g)
{
    for (int i = 0; i < at->model->njoint; i++)
        g[i] = (1 + 2 * i) * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
}

static void rod_slope(const carom_point *at, double *G)
{
    for (int i = 0; i < at->model->njoint; i++)
        G[2 * i] = (1 + 2 * i) * at->q[0], G[2 * i + 1] = (1 + 2 * i) * at->q[1];
}

static void rod_bend(const carom_point *at, double *gamma)
{
    for (int i = 0; i < at->model->njoint; i++)
        gamma[i] = (1 + 2 * i) * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
}

START_TEST(a_joint_that_is_said_twice_changes_nothing)
{
    const double q[2] = {1, 0}, v[2] = {0, 0};
    force = -10;
    for (int k = 0; carom_scheme_method(k); k++) {
        const char *name = carom_scheme_method(k)->name;
        double at[2][2] = {{0}};
        int taken = 0;
        for (int joints = 1; joints <= 2; joints++) {
            carom_model m = {.size = sizeof m, .name = "pendulum", .nq = 2, .nv = 2, .njoint = joints, .q = q, .v = v,
                             .mass = flyer_mass, .force = flyer_force, .gap = rod, .jacobian = rod_slope,
                             .gamma = rod_bend, .constant = CAROM_MASS};
            carom_error error = {0};
            carom_options o = carom_options_default();
            carom_sim *sim;
            CHECK_OK(carom_options_set(&o, "scheme", name, &error), error);
            o.h = 0.002;
            if (carom_sim_new(&sim, &m, &o, &error) != CAROM_OK)
                continue;
            carom_status status = carom_sim_run(sim, 1);
            if (status == CAROM_OK)
                memcpy(at[taken++], carom_sim_state(sim)->q, sizeof q);
            else /* the rows of their stages contradict each other by what Newton leaves: they say so */
                ck_assert_msg(joints == 2 && !strncmp(name, "dg-", 3), "%s: %s", name, carom_sim_error(sim)->text);
            carom_sim_free(sim);
        }
        if (taken < 2)
            continue;
        printf("%s: apart by %.1e\n", name, fabs(at[0][0] - at[1][0]) + fabs(at[0][1] - at[1][1]));
        CHECK_NEAR(at[1][0], at[0][0], 1e-12);
        CHECK_NEAR(at[1][1], at[0][1], 1e-12);
    }
}
END_TEST

TEST_MAIN("scheme details", crank_nicolson_as_printed_takes_the_zero_of_its_own_parabola,
          an_event_tells_the_velocities_of_its_jump, crank_nicolson_hits_on_the_obstacle_itself,
          segments_of_every_scheme_go_on_where_the_last_one_ended,
          friction_within_an_impact_is_a_loss_of_the_impact, friction_of_a_contact_that_lasts_is_a_loss_of_friction,
          a_contact_is_closed_at_the_start_if_what_leaves_it_is_rounding_of_the_speed_along_it,
          a_joint_that_is_said_twice_changes_nothing)
