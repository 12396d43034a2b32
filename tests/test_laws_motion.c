/* test_laws_motion.c: laws in motion: every scheme that takes a law against the exact solution, and who does not take
 * it says so. */
#include <string.h>

#include "schemes/scheme.h"
#include "tolerance_testing.h"
#include "toy_ratchet.h"

#define CAROM_MORE_LAWS &toy_ratchet,
#include "laws/law.c"

static carom_model *parse(const char *text)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

/* Schemes by how exact they are: those that keep a tolerance, and those of order 1. */
static const char *const fine[] = {"tolerance", "mixed:rk=radau5", "mixed:rk=erk5"};
static const char *const coarse[] = {"moreau-jean", "kern"};

typedef void check(const carom_state *state, double accuracy);

static void run_to(const carom_model *model, const char *scheme, double tol, double h, double t_end, check *ask,
                   double accuracy)
{
    run r = begin(model, scheme, tol, h, t_end);
    carom_status status = carom_sim_run(r.sim, t_end);
    ck_assert_msg(status == CAROM_OK, "%s: %s", scheme, carom_sim_error(r.sim)->text);
    printf("%s: ", scheme);
    ask(carom_sim_state(r.sim), accuracy);
    const carom_info *info = carom_sim_info(r.sim);
    bool kern = strcmp(scheme, "kern") == 0; /* its energy is of order h */
    CHECK_NEAR(info->balance_error, 0, (kern ? 30 : 1) * accuracy);
    carom_trajectory_free(r.path);
    carom_sim_free(r.sim);
}

/* All schemes at t_end: to 1e-8, and to 6 h with h = 1e-3 and 1e-4. */
static void run_all(const carom_model *model, double t_end, check *ask)
{
    for (int i = 0; i < CAROM_COUNT(fine); i++)
        run_to(model, fine[i], 1e-11, 1e-3, t_end, ask, 1e-8);
    for (int i = 0; i < CAROM_COUNT(coarse); i++)
        for (int k = 0; k < 2; k++)
            run_to(model, coarse[i], 1e-6, k ? 1e-4 : 1e-3, t_end, ask, k ? 6e-4 : 6e-3);
}

/* ---- dry friction in a joint: x'' = -x -+ c: half circles about -+c; turning points 2.05, -1.45, 0.85, -0.25 ---- */
static const char brake[] = "carom: 1\nparameters: {c: 0.3}\ncoordinates: {x: 2.05}\nkinetic: x'^2/2\n"
                            "potential: x^2/2\ncontacts: {brake: {law: bounded, along: x, limit: c}}\n";

static void braked(const carom_state *s, double accuracy)
{
    double amplitude = 2.05, pi = acos(-1), t = s->t, side = 1;
    while (t > pi && amplitude > 0.3)
        t -= pi, amplitude -= 0.6, side = -side;
    bool rests = fabs(amplitude) <= 0.3;
    double x = rests ? amplitude : 0.3 + (amplitude - 0.3) * cos(t), v = rests ? 0 : -(amplitude - 0.3) * sin(t);
    printf("off by %.1e %.1e at %g\n", s->q[0] - side * x, s->v[0] - side * v, s->t);
    CHECK_NEAR(s->q[0], side * x, accuracy);
    CHECK_NEAR(s->v[0], side * v, accuracy);
    ck_assert_int_eq(s->mode[0], rests ? CAROM_STICK : CAROM_SLIP);
}

START_TEST(an_oscillator_with_dry_friction_in_its_joint_moves_on_half_circles_and_stops)
{
    carom_model *model = parse(brake);
    static const double times[] = {1, 4, 8, 12};
    for (int i = 0; i < CAROM_COUNT(times); i++)
        run_all(model, times[i], braked);
    carom_model_free(model);
}
END_TEST

/* ---- cohesion: a ball lands at t = 0.5, F = 20 t lifts it off at m g + c = 13: t = 0.65 ---- */
static const char glued[] = "carom: 1\nparameters: {c: 3}\ncoordinates: {y: 0.8333333333333334}\nkinetic: y'^2/2\n"
                            "potential: 10*y\nforces: {y: 20*t}\n"
                            "contacts: {ground: {law: cohesive, gap: y, restitution: 0, cohesion: c}}\n";

static void lifted(const carom_state *s, double accuracy)
{
    double d = s->t - 0.65, y = d > 0 ? 3 * d * d / 2 + 20 * d * d * d / 6 : 0, v = d > 0 ? 3 * d + 10 * d * d : 0;
    if (s->t < 0.5)
        y = 5. / 6 - 5 * s->t * s->t + 20 * pow(s->t, 3) / 6, v = -10 * s->t + 10 * s->t * s->t;
    printf("off by %.1e %.1e at %g\n", s->q[0] - y, s->v[0] - v, s->t);
    CHECK_NEAR(s->q[0], y, accuracy);
    CHECK_NEAR(s->v[0], v, accuracy);
    if (s->t < 0.5 || s->t > 0.7)
        ck_assert_int_eq(s->mode[0], CAROM_OPEN);
    else
        ck_assert_int_eq(s->mode[0], CAROM_CLOSED);
}

/* Pushed by 3 for 1 s, held back by 1 until it stops: x = 1 + 2, at t = 3. */
static void pushed(const carom_state *state, double accuracy)
{
    CHECK_NEAR(state->q[0], 3, accuracy);
    CHECK_NEAR(state->v[0], 0, accuracy);
}

START_TEST(dry_friction_in_a_joint_stays_when_another_force_jumps)
{
    carom_model *model = parse("carom: 1\ncoordinates: {x: 0}\nkinetic: x'^2/2\nforces: {x: \"if(t < 1, 3, 0)\"}\n"
                               "contacts: {brake: {law: bounded, along: x, limit: 1}}\n");
    run_to(model, "tolerance", 1e-9, 0, 5, pushed, 1e-8);
    run_to(model, "mixed:rk=radau5", 0, 0.03, 5, pushed, 1e-8);
    run_to(model, "moreau-jean", 0, 1e-3, 5, pushed, 1e-2);
    carom_model_free(model);
}
END_TEST

START_TEST(a_glued_ball_lifts_off_where_the_pull_exceeds_weight_and_cohesion_and_flies_without_it)
{
    carom_model *model = parse(glued);
    double t = 0.5; /* it lands where 5/6 - 5 t^2 + 10 t^3/3 = 0 */
    CHECK_NEAR(5. / 6 - 5 * t * t + 10 * t * t * t / 3, 0, 1e-15);
    static const double times[] = {0.3, 0.6, 1};
    for (int i = 0; i < CAROM_COUNT(times); i++)
        run_all(model, times[i], lifted);
    carom_model_free(model);
}
END_TEST

/* ---- a block on an incline: sticks up to g sin a = mu (g cos a + c/m) ---- */
static double incline, slide_rate;

static void slid(const carom_state *s, double accuracy)
{
    double x = slide_rate * s->t * s->t / 2;
    printf("%.3g instead of %.3g at the angle %.7g\n", s->q[0], x, incline);
    CHECK_NEAR(s->q[0], x, accuracy);
    ck_assert_int_eq(s->mode[0], slide_rate > 0 ? CAROM_SLIP : CAROM_STICK);
}

START_TEST(a_glued_block_slips_where_its_weight_exceeds_friction_and_cohesion)
{
    double mu = 0.3, c = 3, g = 10, low = 0, high = 1.5;
    for (int i = 0; i < 60; i++) {
        double a = (low + high) / 2;
        *(g * sin(a) > mu * (g * cos(a) + c) ? &high : &low) = a;
    }
    CHECK_AT_LEAST(low, atan(mu) + 0.05); /* cohesion holds it beyond the angle of friction */
    for (int way = -1; way <= 1; way += 2)
        for (int space = 0; space < 2; space++) {
            char text[700];
            incline = low + way * 1e-3;
            double rate = g * sin(incline) - mu * (g * cos(incline) + c);
            slide_rate = way > 0 ? rate : 0;
            snprintf(text, sizeof text,
                     "carom: 1\nparameters: {a: %.17g}\ncoordinates: {x: 0, y: 0, z: 0}\n"
                     "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 10*(z*cos(a) - x*sin(a))\n"
                     "contacts: {ground: {law: cohesive, gap: z, slip: [\"x'\"%s], friction: 0.3, restitution: 0, "
                     "cohesion: 3}}\n",
                     incline, space ? ", \"y'\"" : "");
            carom_model *model = parse(text);
            run_all(model, 2, slid);
            carom_model_free(model);
        }
}
END_TEST

/* ---- anisotropic friction: u' = -g S^2 u/|S u| ---- */
static double mu[2] = {0.1, 0.4};

static void rate_of(const double *u, double *out)
{
    double n = hypot(mu[0] * u[0], mu[1] * u[1]);
    for (int i = 0; i < 2; i++)
        out[i] = -10 * mu[i] * mu[i] * u[i] / n;
}

static void slanted(const carom_state *s, double accuracy)
{
    enum { STEPS = 20000 };
    double x[2] = {0, 0}, u[2] = {1, 1}, h = s->t / STEPS;
    for (int k = 0; k < STEPS; k++) { /* Runge and Kutta's method of order 4 */
        double a[4][2], w[2];
        rate_of(u, a[0]);
        for (int i = 1; i < 4; i++) {
            for (int j = 0; j < 2; j++)
                w[j] = u[j] + (i < 3 ? h / 2 : h) * a[i - 1][j];
            rate_of(w, a[i]);
        }
        for (int j = 0; j < 2; j++) {
            x[j] += h * u[j] + h * h / 6 * (a[0][j] + a[1][j] + a[2][j]);
            u[j] += h / 6 * (a[0][j] + 2 * a[1][j] + 2 * a[2][j] + a[3][j]);
        }
    }
    printf("off by %.1e %.1e, slip (%.4f %.4f)\n", s->q[0] - x[0], s->v[1] - u[1], u[0], u[1]);
    for (int j = 0; j < 2; j++) {
        CHECK_NEAR(s->q[j], x[j], accuracy);
        CHECK_NEAR(s->v[j], u[j], accuracy);
    }
    CHECK_AT_LEAST(fabs(u[0] - u[1]), 0.1); /* it turns: opposite friction would keep it straight */
}

START_TEST(a_point_on_a_grooved_plane_turns_as_the_ellipse_of_friction_says)
{
    carom_model *model = parse("carom: 1\ncoordinates: {x: 0, y: 0, z: 0}\nvelocities: {x: 1, y: 1}\n"
                               "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 10*z\n"
                               "contacts: {ground: {law: anisotropic, gap: z, slip: [\"x'\", \"y'\"], restitution: 0, "
                               "friction_1: 0.1, friction_2: 0.4}}\n");
    run_all(model, 0.3, slanted);
    carom_model_free(model);
}
END_TEST

static void halted(const carom_state *s, double accuracy)
{
    (void)accuracy;
    printf("v %.1e %.1e\n", s->v[0], s->v[1]);
    CHECK_NEAR(hypot(s->v[0], s->v[1]), 0, 1e-12);
    ck_assert_int_eq(s->mode[0], CAROM_STICK);
}

START_TEST(a_point_on_a_grooved_plane_stops)
{
    carom_model *model = parse("carom: 1\ncoordinates: {x: 0, y: 0, z: 0}\nvelocities: {x: 1, y: 1}\n"
                               "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 10*z\n"
                               "contacts: {ground: {law: anisotropic, gap: z, slip: [\"x'\", \"y'\"], restitution: 0, "
                               "friction_1: 0.1, friction_2: 0.4}}\n");
    run_all(model, 3, halted);
    carom_model_free(model);
}
END_TEST

/* ---- the toy: v(0) = +1 stops after v^2/(2 f g) = 1/4, v(0) = -1 after 1/(2 b g) = 1/8 ---- */
static double ratchet_way;

static void ratcheted(const carom_state *s, double accuracy)
{
    printf("%.12g\n", s->q[0]);
    CHECK_NEAR(s->q[0], ratchet_way > 0 ? 0.25 : -0.125, accuracy);
    ck_assert_int_eq(s->mode[0], CAROM_STICK);
}

START_TEST(a_toy_law_runs_in_every_scheme_that_asks_laws)
{
    for (ratchet_way = -1; ratchet_way <= 1; ratchet_way += 2) {
        char text[400];
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {x: 0, y: 0}\nvelocities: {x: %g}\nkinetic: (x'^2 + y'^2)/2\n"
                 "potential: 10*y\ncontacts: {ground: {law: ratchet, gap: y, slip: \"x'\", restitution: 0, "
                 "friction_1: 0.2, friction_2: 0.4}}\n", ratchet_way);
        carom_model *model = parse(text);
        run_all(model, 1, ratcheted);
        carom_model_free(model);
    }
}
END_TEST

/* ---- every law with every scheme ---- */
static carom_model *with_law(const carom_law *law)
{
    static const char *const slips[] = {"", ", slip: \"x'\"", ", slip: [\"x'\", \"y'\"]"};
    char text[600], fields[200] = "";
    for (const carom_field *f = law->method.fields; f->name; f++)
        snprintf(fields + strlen(fields), sizeof fields - strlen(fields), ", %s: 0.5", f->name);
    snprintf(text, sizeof text,
             "carom: 1\ncoordinates: {x: 0, y: 0, z: 0.1}\nvelocities: {x: 1}\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
             "potential: 10*z\ncontacts: {ground: {law: %s, %s: z%s%s}}\n",
             law->method.name, carom_law_can(law, CAROM_OPEN) ? "gap" : "along", slips[law->rows - 1], fields);
    return parse(text);
}

START_TEST(every_scheme_takes_a_law_or_refuses_it_by_name)
{
    for (int l = 0; carom_law_list(l); l++)
        for (int i = 0; carom_scheme_method(i); i++) {
            const carom_law *law = carom_law_list(l);
            if (carom_law_can(law, CAROM_CLOSED) && !carom_law_can(law, CAROM_OPEN))
                continue; /* joints have a section of their own */
            const char *scheme = carom_scheme_method(i)->name;
            carom_model *model = with_law(law);
            carom_options o = carom_options_default();
            carom_error error = {0};
            carom_sim *sim;
            CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
            carom_status status = carom_sim_new(&sim, model, &o, &error);
            bool named = strstr(error.text, law->method.name) && strstr(error.text, "'ground'");
            if (status == CAROM_OK)
                ck_assert_msg((carom_law_needs(law) & ~carom_scheme_find(scheme)->laws) == 0, "%s takes %s", scheme,
                              law->method.name);
            else
                ck_assert_msg(status == CAROM_UNSUPPORTED && (named || carom_law_plain(law)), "%s: %s", scheme,
                              error.text);
            carom_sim_free(status == CAROM_OK ? sim : NULL);
            carom_model_free(model);
        }
}
END_TEST

/* Pulled by 4, held by static friction up to 3, by 2 when it slips: x' = 2 t from the first step on. */
START_TEST(friction_is_that_of_slip_in_the_step_that_breaks_loose)
{
    static const char *const schemes[] = {"kern", "moreau-jean", "moreau-jean-projected"};
    carom_model *model = parse("carom: 1\ncoordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y\n"
                               "forces: {x: 4}\ncontacts: {ground: {gap: y, slip: \"x'\", friction: 0.2, "
                               "friction_static: 0.3, restitution: 0}}\n");
    for (int i = 0; i < CAROM_COUNT(schemes); i++)
        for (int k = 1; k < 4; k++) {
            run r = begin(model, schemes[i], 1e-6, 0.125, 1);
            ck_assert_int_eq(carom_sim_run(r.sim, 0.125 * k), CAROM_OK);
            CHECK_NEAR(carom_sim_state(r.sim)->v[0], 0.25 * k, 1e-12);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

/* The spring pulls a block back until it moves with the belt; there it pulls with 0.199, more than mu N = 0.186 and
 * less than mu_s N = 0.486. Wherever in a step the two speeds meet, the block is caught. */
START_TEST(slip_that_turns_back_is_caught_by_static_friction_wherever_in_a_step)
{
    static const char *const schemes[] = {"tolerance", "mixed", "crank-nicolson", "dg-minus", "dg-plus", "kern",
                                          "moreau-jean", "moreau-jean-projected", "schatzman-paoli"};
    carom_model *model = parse_text(
        "carom: 1\nparameters: {k: 1.1}\ncoordinates: {x: 0.6928, y: 0}\nkinetic: (x'^2 + y'^2)/2\n"
        "potential: k*x^2/2 + 10*y\ncontacts: {belt: {gap: y, slip: \"x' - 0.09\", friction: 0.0186, "
        "friction_static: 0.0486, restitution: 0}}\n");
    for (int i = 0; i < CAROM_COUNT(schemes); i++)
        for (int n = 0; n < (SANITIZED ? 20 : 200); n++) {
            carom_error error;
            const char *name = "k";
            double k = 1.05 + 0.0005 * n;
            CHECK_OK(carom_model_set(model, &name, &k, 1, &error), error);
            run r = run_whole(model, schemes[i], 1e-8, 0.01, 5);
            ck_assert_msg(carom_sim_state(r.sim)->mode[0] == CAROM_STICK, "%s, k = %g: slips with x' = %g", schemes[i],
                          k, carom_sim_state(r.sim)->v[0]);
            CHECK_NEAR(carom_sim_state(r.sim)->v[0], 0.09, 1e-9);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("laws in motion", dry_friction_in_a_joint_stays_when_another_force_jumps,
                 an_oscillator_with_dry_friction_in_its_joint_moves_on_half_circles_and_stops,
                 a_glued_ball_lifts_off_where_the_pull_exceeds_weight_and_cohesion_and_flies_without_it,
                 a_glued_block_slips_where_its_weight_exceeds_friction_and_cohesion,
                 a_point_on_a_grooved_plane_turns_as_the_ellipse_of_friction_says, a_point_on_a_grooved_plane_stops,
                 a_toy_law_runs_in_every_scheme_that_asks_laws, every_scheme_takes_a_law_or_refuses_it_by_name,
                 friction_is_that_of_slip_in_the_step_that_breaks_loose,
                 slip_that_turns_back_is_caught_by_static_friction_wherever_in_a_step)
