/* test_law_speeds.c: coefficients that depend on speeds: e(approach) against its recursion, mu(slip) against an
 * independent integration, orders of steps, derivatives, and who refuses them. */
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "analysis/tangent/tangent.h"
#include "schemes/scheme.h"
#include "tolerance_testing.h"

/* ---- a ball with e = exp(-v/v0): v_(n+1) = v_n exp(-v_n/v0), flights of 2 v/g; sideways it does not matter ---- */
static const char ball[] = "carom: 1\nparameters: {g: 10, v0: 5}\ncoordinates: {y: 1}\nkinetic: y'^2/2\n"
                           "potential: g*y\ncontacts: {ground: {gap: y, restitution: exp(-approach/v0)}}\n";

/* y, y' and the energy lost at t, and how often it has hit. */
static int bounced(double t, double *y, double *v, double *lost)
{
    double at = sqrt(0.2), u = sqrt(20);
    int n = 0;
    *lost = 0;
    if (t < at) {
        *y = 1 - 5 * t * t, *v = -10 * t;
        return 0;
    }
    for (;; at += u / 5, n++) {
        double next = u * exp(-u / 5);
        *lost += 0.5 * (u * u - next * next);
        u = next;
        if (t < at + u / 5)
            break;
    }
    *y = u * (t - at) - 5 * (t - at) * (t - at), *v = u - 10 * (t - at);
    return n + 1;
}

START_TEST(rebounds_follow_the_recursion_of_e_that_depends_on_the_approach)
{
    static const char *const schemes[] = {"tolerance", "mixed:rk=radau5", "crank-nicolson",
                                          "crank-nicolson:variant=printed"};
    carom_model *model = parse_text(ball);
    for (int i = 0; i < CAROM_COUNT(schemes); i++) {
        double y, v, lost;
        int n = bounced(2, &y, &v, &lost);
        run r = run_whole(model, schemes[i], 1e-11, 1e-3, 2);
        const carom_state *s = carom_sim_state(r.sim);
        const carom_info *info = carom_sim_info(r.sim);
        double tol = i < 3 ? 1e-9 : 2e-2; /* as printed it is of order 1 */
        printf("%s: %ld impacts of %d, off by %.1e %.1e, lost %.1e\n", schemes[i],
               info->events[CAROM_EVENT_IMPACT], n, s->q[0] - y, s->v[0] - v, info->dissipated_impact - lost);
        ck_assert_int_eq(info->events[CAROM_EVENT_IMPACT], n);
        CHECK_NEAR(s->q[0], y, tol);
        CHECK_NEAR(s->v[0], v, 10 * tol);
        CHECK_NEAR(info->dissipated_impact, lost, i < 3 ? 1e-9 : 1e-1);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(steps_converge_to_rebounds_with_the_velocity_before_the_step)
{
    static const char *const schemes[] = {"kern", "moreau-jean", "moreau-jean-projected", "dg-minus", "dg-plus"};
    carom_model *model = parse_text(ball);
    for (int i = 0; i < CAROM_COUNT(schemes); i++)
        for (int k = 0; k < 2; k++) {
            double y, v, lost, h = k ? 1e-5 : 1e-3;
            bounced(1.4, &y, &v, &lost);
            run r = run_whole(model, schemes[i], 1e-8, h, 1.4);
            printf("%s h = %g: off by %.1e\n", schemes[i], h, carom_sim_state(r.sim)->q[0] - y);
            CHECK_NEAR(carom_sim_state(r.sim)->q[0], y, 20 * h);
            end(&r);
        }
    carom_model_free(model);
}
END_TEST

/* ---- a block on a belt: m x'' = -k x + N mu(|vb - x'|) sign(vb - x'), sticks while k |x| <= N mu(0) ---- */
static const char stribeck[] =
    "carom: 1\nparameters: {m: 1, k: 1, N: 1, vb: 0.3, mus: 0.6, muk: 0.3, vs: 0.2, c: 0.05}\n"
    "coordinates: {x: -0.2, y: 0}\nvelocities: {x: vb}\nkinetic: m*(x'^2 + y'^2)/2\npotential: k*x^2/2 + N*y\n"
    "contacts:\n  belt: {gap: y, slip: \"x' - vb\", restitution: 0,\n"
    "         friction: muk + (mus - muk)*exp(-(slip/vs)^2) + c*slip}\n";

static double friction_of(double s)
{
    return 0.3 + 0.3 * exp(-s * s / 0.04) + 0.05 * s;
}

/* Acceleration while it slips to this side. */
static double pulled(double x, double v, double side)
{
    return -x + side * friction_of(side * (0.3 - v));
}

static void runge_kutta(double h, double side, double *x, double *v)
{
    double k1 = *v, l1 = pulled(*x, *v, side), k2 = *v + h / 2 * l1, l2 = pulled(*x + h / 2 * k1, k2, side);
    double k3 = *v + h / 2 * l2, l3 = pulled(*x + h / 2 * k2, k3, side);
    double k4 = *v + h * l3, l4 = pulled(*x + h * k3, k4, side);
    *x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), *v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
}

/* From stick at x0 with the belt, until t. Returns how often it has begun to slip. */
static int on_the_belt(double t, double *x, double *v)
{
    int slips = 0;
    *x = -0.2, *v = 0.3;
    for (;; slips++) {
        double sticks = (0.6 - *x) / 0.3, h = 2e-4;
        *x += 0.3 * fmin(sticks, t);
        t -= sticks;
        if (t <= 0)
            return slips;
        for (*v = 0.3; t > 0;) {
            double x0 = *x, v0 = *v, step = fmin(h, t);
            runge_kutta(step, 1, x, v);
            if (*v < 0.3) {
                t -= step;
                continue;
            }
            double low = 0, high = step; /* slip ends in this step */
            for (int i = 0; i < 60; i++) {
                double middle = 0.5 * (low + high);
                *x = x0, *v = v0;
                runge_kutta(middle, 1, x, v);
                *(*v < 0.3 ? &low : &high) = middle;
            }
            t -= high, *v = 0.3;
            break;
        }
        if (t <= 0)
            return slips + 1;
    }
}

START_TEST(a_block_on_a_belt_sticks_and_slips_as_an_independent_integration_says)
{
    static const struct { const char *scheme; double h, tol; } list[] = {
        {"tolerance", 0, 2e-8}, {"mixed:rk=radau5", 2e-3, 2e-6}, {"crank-nicolson", 2e-3, 2e-5},
        {"moreau-jean", 1e-3, 2e-2}, {"kern", 1e-3, 2e-2}, {"dg-minus", 1e-3, 2e-2}};
    carom_model *model = parse_text(stribeck);
    double x, v;
    int slips = on_the_belt(20, &x, &v);
    ck_assert_int_eq(slips, 3);
    for (int i = 0; i < CAROM_COUNT(list); i++) {
        run r = run_whole(model, list[i].scheme, 1e-11, list[i].h, 20);
        const carom_state *s = carom_sim_state(r.sim);
        printf("%s: off by %.1e %.1e, balance %.1e\n", list[i].scheme, s->q[0] - x, s->v[0] - v,
               carom_sim_info(r.sim)->balance_error);
        CHECK_NEAR(s->q[0], x, list[i].tol);
        CHECK_NEAR(s->v[0], v, list[i].tol);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, list[i].tol);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

/* mu rises to 0.60008 at the slip 1/300 before it falls: more than at both ends of a step across it. */
START_TEST(every_tolerance_goes_over_the_top_of_the_curve)
{
    carom_model *model = parse_text(stribeck);
    double x, v;
    on_the_belt(20, &x, &v);
    for (double tol = 1e-4; tol > 5e-13; tol /= 10) {
        run r = run_whole(model, "tolerance", tol, 0, 20);
        CHECK_NEAR(carom_sim_state(r.sim)->q[0], x, 10 * tol + 1e-10);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(a_contact_sticks_at_the_value_of_slip_0_and_no_less)
{
    carom_model *model = parse_text(
        "carom: 1\nparameters: {F: 5.9}\ncoordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y\n"
        "forces: {x: F*t}\ncontacts: {floor: {gap: y, slip: \"x'\", friction: \"if(slip > 0, 0.4, 0.6)\", "
        "restitution: 0}}\n");
    /* breaks loose at F t = 6; then x'' = F t - 4 */
    double t1 = 6 / 5.9, t = 2, d = t - t1, x = 5.9 * (t1 * d * d / 2 + d * d * d / 6) - 2 * d * d;
    run r = run_whole(model, "tolerance", 1e-11, 0, t);
    CHECK_NEAR(carom_sim_state(r.sim)->q[0], x, 1e-8);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* ---- a sled stops: x'' = -10 mu(x'), steps take mu of their beginning ---- */
static const char sled[] =
    "carom: 1\ncoordinates: {x: 0, z: 0}\nvelocities: {x: 3}\nkinetic: (x'^2 + z'^2)/2\npotential: 10*z\n"
    "contacts: {ice: {gap: z, slip: \"x'\", friction: 0.05 + 0.1*exp(-slip), restitution: 0}}\n";
static const char disc[] =
    "carom: 1\ncoordinates: {x: 0, y: 0, z: 0}\nvelocities: {x: 2, y: 1}\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
    "potential: 10*z\ncontacts: {ice: {gap: z, slip: [\"x' - 0.5*y\", \"y' + 0.5*x\"],\n"
    "    friction: 0.05 + 0.1*exp(-slip), restitution: 0}}\n";

static void slides(double t, double v0, double *x, double *v)
{
    enum { STEPS = 20000 };
    double h = t / STEPS;
    *x = 0, *v = v0;
    for (int i = 0; i < STEPS; i++) {
        double w = *v, k[4], a[4];
        for (int j = 0; j < 4; j++) {
            k[j] = w, a[j] = -0.5 - exp(-w);
            w = *v + (j == 2 ? h : h / 2) * a[j];
        }
        *x += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]), *v += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
}

START_TEST(steps_through_slip_have_order_1_with_mu_of_their_beginning_and_keep_theirs_where_it_is_followed)
{
    static const struct { const char *scheme; double order; } list[] = {
        {"kern", 1}, {"moreau-jean", 1}, {"moreau-jean-projected", 1}, {"crank-nicolson", 2}, {"dg-minus", 4},
        {"dg-plus", 4}, {"dg-minus:degree=1", 2}, {"mixed:rk=radau3", 3}, {"mixed:rk=erk4", 4}};
    carom_model *model = parse_text(sled);
    double x, v;
    slides(2, 3, &x, &v);
    for (int i = 0; i < CAROM_COUNT(list); i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            run r = run_whole(model, list[i].scheme, 1e-13, (list[i].order > 3 ? 5 : 1) * (k ? 0.05 : 0.1), 2);
            const carom_state *s = carom_sim_state(r.sim);
            error[k] = fmax(fabs(s->q[0] - x), fabs(s->v[0] - v));
            end(&r);
        }
        double order = log2(error[0] / error[1]);
        printf("%s: errors %.1e %.1e, order %.2f\n", list[i].scheme, error[0], error[1], order);
        CHECK_AT_LEAST(order, list[i].order - 0.35);
        CHECK_AT_MOST(order, list[i].order == 1 ? 1.35 : INFINITY);
    }
    run r = run_whole(model, "tolerance", 1e-11, 0, 2);
    CHECK_NEAR(carom_sim_state(r.sim)->q[0], x, 1e-9);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* In space, on ground that turns: against Runge and Kutta with the direction of slip. */
START_TEST(slip_in_space_has_the_friction_of_its_speed)
{
    enum { STEPS = 20000 };
    double s[4] = {0, 0, 2, 1}, h = 2.0 / STEPS, k[4][4];
    for (int i = 0; i < STEPS; i++) {
        for (int j = 0; j < 4; j++) {
            double y[4];
            for (int l = 0; l < 4; l++)
                y[l] = s[l] + (j == 0 ? 0 : j == 3 ? h : h / 2) * (j ? k[j - 1][l] : 0);
            double u = y[2] - 0.5 * y[1], w = y[3] + 0.5 * y[0], size = hypot(u, w), mu = 0.05 + 0.1 * exp(-size);
            k[j][0] = y[2], k[j][1] = y[3], k[j][2] = -10 * mu * u / size, k[j][3] = -10 * mu * w / size;
        }
        for (int l = 0; l < 4; l++)
            s[l] += h / 6 * (k[0][l] + 2 * k[1][l] + 2 * k[2][l] + k[3][l]);
    }
    carom_model *model = parse_text(disc);
    static const struct { const char *scheme; double tol; } list[] = {
        {"tolerance", 1e-9}, {"mixed:rk=radau5", 1e-9}, {"crank-nicolson", 1e-6}, {"moreau-jean", 1e-2},
        {"kern", 1e-2}};
    for (int i = 0; i < CAROM_COUNT(list); i++) {
        run r = run_whole(model, list[i].scheme, 1e-11, 2e-3, 2);
        const carom_state *state = carom_sim_state(r.sim);
        printf("%s: off by %.1e %.1e\n", list[i].scheme, state->q[0] - s[0], state->q[1] - s[1]);
        CHECK_NEAR(state->q[0], s[0], list[i].tol);
        CHECK_NEAR(state->q[1], s[1], list[i].tol);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

/* ---- derivatives ---- */
START_TEST(derivatives_follow_coefficients_that_change_with_speeds)
{
    static const struct { const char *text, *of; double t; const char *name[4]; } list[] = {
        {ball, "y", 2, {"v0", "g", "q.y", "v.y"}},
        {stribeck, "x", 12, {"vb", "mus", "vs", "c"}},
        {disc, "x + y", 1.5, {"v.x", "v.y", "q.x", "q.y"}}};
    for (int i = 0; i < CAROM_COUNT(list); i++) {
        double slope[4], difference[4];
        carom_error error = {0};
        carom_model *model = parse_text(list[i].text);
        carom_options o = carom_options_default();
        o.rtol = o.atol = 1e-11, o.t_end = list[i].t;
        carom_gradient g = {.size = sizeof g, .name = list[i].name, .n = 4, .check = true, .slope = slope,
                            .difference = difference, .of = list[i].of};
        CHECK_OK(carom_gradient_run(&g, model, &o, &error), error);
        for (int k = 0; k < 4; k++) {
            printf("d/d %s = %.12g, by differences %.12g\n", list[i].name[k], slope[k], difference[k]);
            CHECK_NEAR(slope[k], difference[k], 1e-8 * (1 + fabs(slope[k])));
        }
        carom_model_free(model);
    }
}
END_TEST

/* One coordinate that hits once: u+ = -e(u) u at the surface x = 0: det = (u+/u-) d(u e)/du. */
START_TEST(volumes_shrink_by_the_derivative_of_the_rebound)
{
    carom_error error = {0};
    carom_model *model = parse_text(ball);
    carom_options o = carom_options_default();
    o.rtol = o.atol = 1e-11, o.t_end = 0.6;
    carom_sim *sim;
    carom_tangent *t;
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    CHECK_OK(carom_tangent_new(&t, sim, 2, &error), error);
    CHECK_OK(carom_sim_run(sim, 0.6), *carom_sim_error(sim));
    double u = sqrt(20), e = exp(-u / 5), sum = log(e) + log(fabs(e - u / 5 * e));
    const carom_tangent_info *info = carom_tangent_report(t);
    ck_assert_int_eq(info->impacts, 1);
    printf("ln det = %.12g, expected %.12g\n", info->log_det, sum);
    CHECK_NEAR(info->log_det, sum, 1e-9);
    carom_tangent_free(t);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

/* ---- refused ---- */
static void refused(const char *contact, const char *words)
{
    char text[500];
    carom_model *model = NULL;
    carom_error error = {0};
    snprintf(text, sizeof text, "carom: 1\nparameters: {g: 10}\ncoordinates: {x: 0, y: 1}\nkinetic: (x'^2 + y'^2)/2\n"
             "potential: g*y\ncontacts: {ground: {gap: y, %s}}\n", contact);
    carom_status status = carom_model_parse(&model, "text", text, strlen(text), NULL, &error);
    ck_assert_msg(status == CAROM_BAD_MODEL && strstr(error.text, words), "%s: %s", contact, error.text);
    carom_model_free(model);
}

/* ---- laws of bodies ---- */
#define LAW "friction: 0.1 + 0.2*exp(-slip), restitution: 0.8/(1 + approach)"
static const char ball_of_bodies[] =
    "carom: 1\nspace: planar\ngravity: [0, -10]\nbodies:\n  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
    "  ball: {shape: {circle: 0.1}, mass: 1, at: [0, 1.1], velocity: [1, 0]}\nlaws: {ball floor: {" LAW "}}\n";

START_TEST(laws_of_bodies_depend_on_speeds_as_those_of_formulas_do)
{
    static const char *const schemes[] = {"tolerance", "crank-nicolson", "moreau-jean"};
    carom_model *bodies = parse_text(ball_of_bodies), *formulas = parse_text(
        "carom: 1\ncoordinates: {x: 0, y: 1.1, p: 0}\nvelocities: {x: 1}\nkinetic: (x'^2 + y'^2)/2 + 0.005/2*p'^2\n"
        "potential: 10*y\ncontacts: {g: {gap: y - 0.1, slip: \"x' + 0.1*p'\", " LAW "}}\n");
    for (int i = 0; i < CAROM_COUNT(schemes); i++)
        for (double t = 0.5; t < 1; t += 0.1) {
            run a = run_whole(bodies, schemes[i], 1e-10, 1e-3, t), b = run_whole(formulas, schemes[i], 1e-10, 1e-3, t);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(carom_sim_state(a.sim)->q[k], carom_sim_state(b.sim)->q[k], 1e-11);
                CHECK_NEAR(carom_sim_state(a.sim)->v[k], carom_sim_state(b.sim)->v[k], 1e-11);
            }
            ck_assert_int_ge(carom_sim_info(a.sim)->events[CAROM_EVENT_IMPACT], 1);
            end(&a), end(&b);
        }
    carom_model_free(bodies), carom_model_free(formulas);
}
END_TEST

START_TEST(laws_of_contacts_that_are_found_are_constant_and_say_so)
{
    carom_error error = {0};
    carom_model *model = NULL;
    char text[1000];
    snprintf(text, sizeof text, "%scontacts: found\n", ball_of_bodies);
    ck_assert_int_ne(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), CAROM_OK);
    printf("%s\n", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "the law of 'ball floor' depends on approach"));
    ck_assert_ptr_nonnull(strstr(error.text, ":7:20:"));
}
END_TEST

START_TEST(what_cannot_be_meant_is_refused_in_words)
{
    refused("slip: \"x'\", friction: 0.1 + slip, friction_static: 0.5, restitution: 0", "its value at slip = 0");
    refused("slip: \"x'\", friction: 0.1 + slip + x', restitution: 0", "must not depend on velocities");
    refused("restitution: 0.5 + y'", "must not depend on velocities");
    refused("restitution: 1/(1 + slip)", "slip");
    refused("restitution: 1/(1 + aproach)", "did you mean 'approach'?");
    static const char *const never[] = {"schatzman-paoli", "exact"};
    const char *const models[] = {ball, stribeck};
    for (int i = 0; i < 4; i++) {
        carom_model *model = parse_text(models[i / 2]);
        carom_options o = carom_options_default();
        carom_error error = {0};
        carom_sim *sim = NULL;
        CHECK_OK(carom_options_set(&o, "scheme", never[i % 2], &error), error);
        carom_status status = carom_sim_new(&sim, model, &o, &error);
        ck_assert_msg(status == CAROM_UNSUPPORTED && strstr(error.text, i / 2 ? "slip" : "approach"), "%s: %s",
                      never[i % 2], error.text);
        carom_model_free(model);
    }
}
END_TEST

START_TEST(a_restitution_that_leaves_its_range_stops_every_scheme)
{
    carom_model *model = parse_text("carom: 1\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: 10*y\n"
                               "contacts: {ground: {gap: y, restitution: 0.5 + approach/5}}\n");
    for (int i = 0; carom_scheme_method(i); i++) {
        const char *scheme = carom_scheme_method(i)->name;
        if (!(carom_scheme_find(scheme)->laws & CAROM_LAW_BY_APPROACH))
            continue;
        run r = begin(model, scheme, 1e-8, 1e-3, 1);
        carom_status status = carom_sim_run(r.sim, 1);
        const char *text = carom_sim_error(r.sim)->text;
        ck_assert_msg(status == CAROM_BAD_MODEL && strstr(text, "restitution of contact 'ground'"), "%s: %s", scheme,
                      text);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("coefficients that depend on speeds", rebounds_follow_the_recursion_of_e_that_depends_on_the_approach,
                 steps_converge_to_rebounds_with_the_velocity_before_the_step,
                 a_block_on_a_belt_sticks_and_slips_as_an_independent_integration_says,
                 every_tolerance_goes_over_the_top_of_the_curve,
                 a_contact_sticks_at_the_value_of_slip_0_and_no_less,
                 steps_through_slip_have_order_1_with_mu_of_their_beginning_and_keep_theirs_where_it_is_followed,
                 slip_in_space_has_the_friction_of_its_speed, derivatives_follow_coefficients_that_change_with_speeds,
                 volumes_shrink_by_the_derivative_of_the_rebound,
                 laws_of_bodies_depend_on_speeds_as_those_of_formulas_do,
                 laws_of_contacts_that_are_found_are_constant_and_say_so, what_cannot_be_meant_is_refused_in_words,
                 a_restitution_that_leaves_its_range_stops_every_scheme)
