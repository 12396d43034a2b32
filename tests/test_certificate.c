/* test_certificate.c: a step that breaks a law beyond the tolerance is never taken. */
#include <string.h>

#include "running.h"
#include "sim/sim.h"

#ifndef CAROM_NO_YAML
static carom_sim *begin(carom_model **model, const char *text, const char *scheme, const char *rule)
{
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_model_parse(model, "test", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_from_model(&o, *model, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    if (rule)
        CHECK_OK(carom_options_set(&o, rule, "true", &error), error);
    carom_sim *sim;
    CHECK_OK(carom_sim_new(&sim, *model, &o, &error), error);
    return sim;
}

/* The run ends before `before` with a sentence that holds these words. */
static void ends(const char *text, const char *scheme, carom_status status, double t_end, double before,
                 const char *words)
{
    carom_model *model;
    carom_sim *sim = begin(&model, text, scheme, NULL);
    carom_status got = carom_sim_run(sim, t_end);
    printf("%s: %s\n", scheme, carom_sim_error(sim)->text);
    ck_assert_msg(got == status, "%s: %s", scheme, carom_status_text(got));
    ck_assert_msg(strstr(carom_sim_error(sim)->text, words) != NULL, "%s: '%s' lacks '%s'", scheme,
                  carom_sim_error(sim)->text, words);
    ck_assert_double_le(carom_sim_state(sim)->t, before);
    carom_sim_free(sim);
    carom_model_free(model);
}

#define FALL "carom: 1\ncoordinates: {x: 0, y: 2}\nvelocities: {x: 3}\nmass: {x: 1, y: 1}\nforce: {x: 0, y: -10}\n"
START_TEST(a_gap_that_is_not_a_number_ends_the_run)
{
    static const char bowl[] = FALL "contacts: {bowl: {gap: 'y + sqrt(1 - x^2)', restitution: 0.5}}\n";
    ends(bowl, "tolerance", CAROM_NOT_FINITE, 2, 0.34, "'bowl' is");
    ends(bowl, "mixed", CAROM_NOT_FINITE, 2, 0.34, "'bowl'");
}
END_TEST

START_TEST(a_coefficient_that_leaves_its_range_ends_the_run)
{
    double hits = sqrt(0.4);
    ends(FALL "contacts: {floor: {gap: y, restitution: 0.5 + t}}\n", "tolerance", CAROM_BAD_MODEL, 2, hits, "'floor'");
}
END_TEST

/* What is handed over by a step is changed, law after law. */
typedef struct slider {
    carom_model *model;
    carom_sim *sim;
} slider;

/* A block that slides on a floor, or falls on it. */
static slider on_floor(double y, double vy)
{
    slider s;
    char text[500];
    snprintf(text, sizeof text,
             "carom: 1\ncoordinates: {x: 0, y: %g}\nvelocities: {x: 1, y: %g}\nmass: {x: 2, y: 2}\n"
             "force: {x: 0, y: -20}\n"
             "contacts: {floor: {gap: y, restitution: 0.5, slip: [\"x'\"], friction: 0.1}}\n",
             y, vy);
    s.sim = begin(&s.model, text, "tolerance", NULL);
    return s;
}

static carom_status tried(slider *s)
{
    carom_sim *sim = s->sim;
    carom_record_clear(&sim->record);
    sim->step.h = 0.01, sim->step.h_next = 0;
    CHECK_OK(sim->scheme->step(&sim->step), sim->error);
    return carom_certificate_check(&sim->certificate, &sim->step);
}

static void refused(slider *s, const char *words)
{
    carom_status status = carom_certificate_check(&s->sim->certificate, &s->sim->step);
    ck_assert_msg(status == CAROM_TOLERANCE, "%s: %s", words, carom_status_text(status));
    ck_assert_msg(strstr(s->sim->error.text, words) != NULL, "'%s' lacks '%s'", s->sim->error.text, words);
    carom_sim_free(s->sim);
    carom_model_free(s->model);
}

START_TEST(what_a_step_hands_over_is_checked_law_by_law)
{
    slider s = on_floor(0, 0);
    CHECK_OK(tried(&s), s.sim->error);
    s.sim->next.state.q[1] = -1e-4;
    refused(&s, "the closed contact 'floor' has the gap -0.0001");

    s = on_floor(0, 0);
    CHECK_OK(tried(&s), s.sim->error);
    s.sim->next.state.q[1] = 1e-4;
    refused(&s, "the closed contact 'floor' has the gap 0.0001");

    s = on_floor(0, 0);
    CHECK_OK(tried(&s), s.sim->error);
    ((double *)s.sim->record.segment[0].force)[0] = -20;
    refused(&s, "of contact 'floor' leaves its law");

    s = on_floor(0, 0);
    CHECK_OK(tried(&s), s.sim->error);
    ((double *)s.sim->record.segment[0].force)[1] *= 1.1;
    refused(&s, "of contact 'floor' leaves its law");
}
END_TEST

START_TEST(an_impact_is_checked_law_by_law)
{
    for (int k = 0; k < 5; k++) {
        slider s = on_floor(1e-3, -1);
        CHECK_OK(tried(&s), s.sim->error);
        ck_assert_int_eq(s.sim->record.njump, 1);
        carom_jump *jump = &s.sim->record.jump[0];
        double *after = (double *)jump->v_after, *P = (double *)jump->impulse;
        if (k == 0) {
            P[0] *= 1 + 1e-6;
            refused(&s, "do not balance the momentum");
        } else if (k == 1) { /* more friction than mu allows, and the momentum that goes with it */
            after[0] += 0.01 * P[1] / 2, P[1] *= 1.01;
            refused(&s, "the impulse");
        } else if (k == 2) {
            after[1] -= 2 * P[0] / 2, P[0] = -P[0];
            refused(&s, "still closes");
        } else if (k == 3) { /* it pulls a block that leaves */
            ((double *)jump->v_before)[1] = 0.6;
            P[0] = 2 * (after[1] - 0.6), P[1] = 0, after[0] = jump->v_before[0];
            refused(&s, "the impulse");
        } else { /* the position below the floor */
            s.sim->next.state.q[1] = -1e-4;
            refused(&s, "contact 'floor' has the gap -0.0001");
        }
    }
}
END_TEST

/* Bounces that are over: the impulse that ends them pulls, and is given back by the force that follows. */
START_TEST(the_end_of_an_accumulation_is_checked_law_by_law)
{
    static const char *const words[] = {"does not repay it", "does not hold its gap", "do not balance the momentum",
                                        "does not repay it", "do not balance the momentum"};
    for (int k = 0; k < 5; k++) {
        slider s = on_floor(1e-9, -2e-4);
        CHECK_OK(tried(&s), s.sim->error);
        carom_record *record = &s.sim->record;
        carom_jump *jump = &record->jump[0];
        ck_assert_int_eq(record->njump, 1);
        ck_assert(record->ended.on && record->ended.force[0] == 20);
        ck_assert(jump->impulse[0] < record->ended.impulse[0]);
        if (k == 0)
            record->ended.force[0] = record->ended.force[1] = 0;
        else if (k == 1)
            record->ended.force[0] *= 2;
        else if (k == 2)
            record->ended.impulse[0] *= 1.01;
        else if (k == 3) { /* a bounce that is not over: it would take 0.1 s to be given back */
            ((double *)jump->v_before)[1] = -1, record->ended.v[1] = 0.5, record->ended.v[0] = jump->v_before[0];
            record->ended.impulse[0] = 3, record->ended.impulse[1] = 0;
            ((double *)jump->impulse)[0] = 2, ((double *)jump->impulse)[1] = 2 * (jump->v_after[0] - jump->v_before[0]);
        } else
            ((double *)jump->impulse)[0] += 0.01;
        refused(&s, words[k]);
    }
}
END_TEST

START_TEST(an_impact_that_gains_energy_stops_or_is_noted)
{
    carom_model *model;
    carom_sim *sim = begin(&model,
                           "carom: 1\ncoordinates: {y: 0.001}\nvelocities: {y: -1}\nmass: {y: 2}\n"
                           "force: {y: -20}\ncontacts: {floor: {gap: y, restitution: 0.5}}\n",
                           "tolerance", NULL);
    slider s = {model, sim};
    CHECK_OK(tried(&s), sim->error);
    carom_jump *jump = &sim->record.jump[0];
    ((double *)jump->v_after)[0] = 1.5;
    ((double *)jump->impulse)[0] = 2 * (1.5 - jump->v_before[0]);
    refused(&s, "gains the energy");
}
END_TEST

/* What the account of a step leaves out is missed: a block that slides, with energies of 1 J; tol is 1e-6 or so. */
START_TEST(a_step_whose_energy_does_not_balance_is_refused)
{
    for (int k = 0; k < 3; k++) {
        slider s = on_floor(0, 0);
        s.sim->record.account = true;
        CHECK_OK(tried(&s), s.sim->error);
        ck_assert_double_gt(s.sim->record.friction, 1e-2);
        if (k == 0)
            s.sim->record.friction = -s.sim->record.friction; /* friction that drives */
        else if (k == 1)
            s.sim->next.state.v[0] *= 1 + 1e-3;
        else
            s.sim->record.impact = 1e-3;
        refused(&s, "the energy balance is off by");
    }
}
END_TEST

/* Without an account of energy: a force in the cone, and a slip along it. */
START_TEST(friction_that_drives_is_refused)
{
    slider s = on_floor(0, 0);
    CHECK_OK(tried(&s), s.sim->error);
    double *force = (double *)s.sim->record.segment[0].force;
    ck_assert_double_lt(force[1], -1);
    force[1] = -force[1];
    refused(&s, "friction of contact 'floor' drives its slip");
}
END_TEST

/* A heavy block on a light one fall flat on the floor. Nothing pushes sideways. */
START_TEST(a_stack_that_begins_to_slide_by_itself_is_stopped_or_stays)
{
    static const char text[] =
        "carom: 1\nparameters: {J: 0.3541666666666667}\n"
        "coordinates: {x1: 0, y1: 0.3, p1: 0, x2: 0, y2: 0.8, p2: 0}\n"
        "let: {a: sin(p1), b: cos(p1), c: sin(p2), d: cos(p2), lx: x2 - d + c/4 - x1, ly: y2 - c - d/4 - y1, "
        "rx: x2 + d + c/4 - x1, ry: y2 + c - d/4 - y1}\n"
        "kinetic: x1'^2/2 + y1'^2/2 + J*p1'^2/2 + 1e6*(x2'^2/2 + y2'^2/2 + J*p2'^2/2)\n"
        "potential: 9.81*y1 + 9.81e6*y2\ncontacts:\n"
        "  l1: {gap: y1 - a - b/4, slip: \"x1' + (a + b/4)*p1'\", friction: 0.5, restitution: 0}\n"
        "  r1: {gap: y1 + a - b/4, slip: \"x1' - (a - b/4)*p1'\", friction: 0.5, restitution: 0}\n"
        "  l2: {gap: b*ly - a*lx - 0.25, friction: 0.5, restitution: 0, slip: "
        "\"b*(x2' + (c + d/4)*p2' - x1' + ly*p1') + a*(y2' - (d - c/4)*p2' - y1' - lx*p1')\"}\n"
        "  r2: {gap: b*ry - a*rx - 0.25, friction: 0.5, restitution: 0, slip: "
        "\"b*(x2' - (c - d/4)*p2' - x1' + ry*p1') + a*(y2' + (d + c/4)*p2' - y1' - rx*p1')\"}\n"
        "run: {t_end: 1, rtol: 1e-7, atol: 1e-7}\n";
    carom_model *model;
    carom_sim *sim = begin(&model, text, "tolerance", "energy");
    carom_status status = carom_sim_run(sim, 1);
    double speed = fabs(carom_sim_state(sim)->v[0]);
    printf("%s, speed %g\n", carom_sim_error(sim)->text, speed);
    ck_assert(status == CAROM_OK || status == CAROM_TOLERANCE);
    CHECK_AT_MOST(speed, 1e-6);
    CHECK_AT_MOST(fabs(carom_sim_info(sim)->balance_error), 1);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

START_TEST(no_step_of_a_builtin_model_is_refused)
{
    for (int i = 0; carom_builtin_name(i); i++)
        for (int k = 0; carom_scheme_list(k); k++) {
            carom_model *model;
            carom_error error;
            carom_sim *sim;
            carom_options o = carom_options_default();
            CHECK_OK(carom_model_load(&model, carom_builtin_name(i), NULL, &error), error);
            CHECK_OK(carom_options_from_model(&o, model, &error), error);
            CHECK_OK(carom_options_set(&o, "scheme", carom_scheme_list(k)->method.name, &error), error);
            o.certify = o.energy = true;
            if (carom_sim_new(&sim, model, &o, &error) != CAROM_OK) { /* the scheme does not take the model */
                carom_model_free(model);
                continue;
            }
            carom_status status = carom_sim_run(sim, CAROM_MIN(carom_sim_options(sim)->t_end, SANITIZED ? 0.5 : 3));
            ck_assert_msg(status == CAROM_OK || status == CAROM_STOPPED || status == CAROM_NO_SOLUTION ||
                              status == CAROM_UNSUPPORTED,
                          "%s, %s: %s", carom_builtin_name(i), carom_scheme_list(k)->method.name,
                          carom_sim_error(sim)->text);
            carom_sim_free(sim);
            carom_model_free(model);
        }
}
END_TEST

/* Steps of time-stepping: friction along a slip of a ten-millionth of what gravity does in the step is seen. */
START_TEST(slow_drive_by_friction_is_refused_in_time_stepping)
{
    static const char *const schemes[] = {"moreau-jean", "kern", "moreau-jean-projected", "schatzman-paoli"};
    for (int k = 0; k < 4; k++) {
        slider s;
        s.sim = begin(&s.model,
                      "carom: 1\ncoordinates: {x: 0, y: 0}\nmass: {x: 2, y: 2}\nforce: {x: 0.5, y: -20}\n"
                      "contacts: {floor: {gap: y, restitution: 0.5, slip: [\"x'\"], friction: 0.1}}\n",
                      schemes[k], "certify");
        RUN(s.sim, 0.1); /* it sticks */
        CHECK_NEAR(carom_sim_state(s.sim)->q[0], 0, 1e-12);
        CHECK_OK(tried(&s), s.sim->error);
        carom_state *next = &s.sim->next.state;
        ck_assert(next->impulse[1] < 0);
        next->u[1] = next->v[0] = -1e-8;
        refused(&s, "drives its slip");
    }
}
END_TEST

TEST_MAIN("certificate", a_gap_that_is_not_a_number_ends_the_run, a_coefficient_that_leaves_its_range_ends_the_run,
          what_a_step_hands_over_is_checked_law_by_law, an_impact_is_checked_law_by_law,
          the_end_of_an_accumulation_is_checked_law_by_law, an_impact_that_gains_energy_stops_or_is_noted,
          a_step_whose_energy_does_not_balance_is_refused, friction_that_drives_is_refused,
          slow_drive_by_friction_is_refused_in_time_stepping,
          a_stack_that_begins_to_slide_by_itself_is_stopped_or_stays,
          no_step_of_a_builtin_model_is_refused)
#else
int main(void)
{
    return 77; /* the models are texts */
}
#endif
