/* test_orbit.c: periodic orbits, multipliers, sensitivities and bifurcations against closed forms and independent
 * values.
 *
 * BB  ball on a table at Gamma sin(t - 1), g = 1: an impact per period at t = 1 + th, Gamma cos th = pi (1-e)/(1+e),
 *     multipliers
 *     mu^2 - (1 + e^2 - (1+e)^2 Gamma sin th) mu + e^2 = 0
 * CH  two masses in a row, the second before a stop        PE  driven pendulum before a wall
 * BE  block with negative damping on a belt                DH, FS  driven block with dry friction */
#include <complex.h>
#include <string.h>

#include "analysis/orbit/orbit.h"
#include "testing.h"

static const char *const BB =
    "carom: 1\nparameters: {Gamma: 1.2, e: 0.5}\ncoordinates: {y: 0.6}\nvelocities: {y: 3.3}\n"
    "mass: {y: 1}\nforce: {y: -1}\ncontacts: {table: {gap: y - Gamma*sin(t - 1), "
    "restitution: e}}\nperiod: 2*pi\n";
static const char *const CH =
    "carom: 1\nparameters: {w: 1.4, e: 0.8, d: 0.5, a: 1, b: 0.1}\ncoordinates: {x1: -0.16, x2: -1.47}\nvelocities: "
    "{x1: 0.35, x2: -0.21}\n"
    "mass: {x1: 1, x2: 1}\n"
    "force: {x1: -2*x1 + x2 + b*(-2*x1' + x2') + a*cos(w*t), x2: x1 - x2 + b*(x1' - x2')}\n"
    "contacts: {stop: {gap: d - x2, restitution: e}}\nperiod: 2*pi/w\n";
static const char *const PE =
    "carom: 1\nparameters: {w: 2.4, A: 0.8, thw: 0, e: 0.7, c: 0.1}\ncoordinates: {th: 0.067}\nvelocities: {th: 0.51}\n"
    "mass: {th: 1}\nforce: {th: -c*th' - sin(th) + A*cos(w*t)}\ncontacts: {wall: {gap: th - thw, restitution: "
    "e}}\nperiod: 2*pi/w\n";
static const char *const BE =
    "carom: 1\nparameters: {c: 0.1, vb: 1, f: 0.5}\ncoordinates: {x: 0, y: 0}\nvelocities: {x: 0, y: 0}\n"
    "mass: {x: 1, y: 1}\nforce: {x: c*x' - x, y: -1}\n"
    "contacts: {belt: {gap: y, restitution: 0, slip: [\"x' - vb\"], friction: f}}\nrun: {t_end: 30}\n";
static const char *const DRY = /* DH (c = 0) and FS */
    "carom: 1\nparameters: {w: 0.7, a: 1, f: 0.2, c: 0}\ncoordinates: {x: 1, y: 0}\nvelocities: {x: 0.3, y: 0}\n"
    "mass: {x: 1, y: 1}\nforce: {x: -x - c*x' + a*cos(w*t), y: -1}\n"
    "contacts: {floor: {gap: y, restitution: 0, slip: [x'], friction: f}}\nperiod: 2*pi/w\n";

static const char *const CARTESIAN = /* PE as a point on a circle */
    "carom: 1\nparameters: {w: 2.4, A: 0.8, thw: 0, e: 0.7, c: 0.1}\ncoordinates: {x: sin(0.067), y: -cos(0.067)}\n"
    "velocities: {x: 0.51*cos(0.067), y: 0.51*sin(0.067)}\nmass: {x: 1, y: 1}\n"
    "force: {x: -c*x' - A*cos(w*t)*y, y: -c*y' - 1 + A*cos(w*t)*x}\nconstraints: {rod: x^2 + y^2 - 1}\n"
    "contacts: {wall: {gap: \"atan2(x, -y) - thw\", restitution: e}}\nperiod: 2*pi/w\n";

typedef struct setting {
    const char *name;
    double value;
} setting;

static carom_error error;

static carom_model *make(const char *text, const setting *set)
{
    carom_model *model;
    const char *names[16];
    double values[16];
    int n = 0;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    for (; set && set[n].name; n++)
        names[n] = set[n].name, values[n] = set[n].value;
    CHECK_OK(carom_model_set(model, names, values, n, &error), error);
    return model;
}

static carom_options sharp(const carom_model *model)
{
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_from_model(&options, model, &error), error);
    options.rtol = options.atol = 1e-12;
    return options;
}

/* An orbit near the model's start, or near what is left after a transient. */
static void find(carom_orbits *orbits, const carom_model *model, const int *which, int np, double transient)
{
    const carom_options options = sharp(model);
    CHECK_OK(carom_orbits_new(orbits, model, &options, which, np, &error), error);
    CHECK_OK(carom_orbit_guess(orbits, &options, transient, &error), error);
    CHECK_OK(carom_orbit_find(orbits, &error), error);
}

typedef struct found {
    double value[CAROM_BRANCH_EVENTS];
    int n[CAROM_BRANCH_EVENTS];
} found;
static found follow(const char *text, const setting *set, const char *name, double from, double to, double step,
                    double transient);

typedef struct expected {
    const char *text;
    setting set[8];
    double transient;
    int n;          /* entries of x that are known */
    double x[4];
    int nmultiplier; /* all of them, but zeros at the end */
    double complex multiplier[4];
    double tolerance;
} expected;

static const expected table[] = {
    {CH, {{NULL, 0}}, 0, 4, {-.164730606491, -1.471705195044, .355473806487, -.214739398985}, 4,
     {-.269582738677 + .596550274039 * I, -.269582738677 - .596550274039 * I, .122985805266 + .611085998447 * I,
      .122985805266 - .611085998447 * I}, 1e-9},
    {CH, {{"w", 1.1}, {"e", .6}, {"d", .2}, {"q.x1", -.2}, {"q.x2", -2.37}, {"v.x1", 1.27}, {"v.x2", 1.2}}, 0, 4,
     {-.20441264086, -2.371684279553, 1.273376465932, 1.203650725712}, 4,
     {-.633756587554, -.495797854611, .421657951874 + .169354107025 * I, .421657951874 - .169354107025 * I}, 1e-9},
    {CH, {{"w", 1.7}, {"d", 0}, {"q.x1", -.6}, {"q.x2", -2.03}, {"v.x1", 1.12}, {"v.x2", -1.02}}, 0, 4,
     {-.599134191487, -2.034379593537, 1.125250525039, -1.019754986124}, 4,
     {-1.22903359943, .605213068283 + .163360818351 * I, .605213068283 - .163360818351 * I, -.43723271668}, 1e-9},
    {CH, {{"w", .8}, {"e", 0}, {"d", .2}, {"q.x1", -.525}, {"q.x2", -.78}, {"v.x1", 1.35}, {"v.x2", 1.82}}, 0, 4,
     {-.525222825909, -.781303449835, 1.351272215487, 1.8176002028}, 4, {.52831323865, .37723130942, 0, 0}, 1e-9},
    {CH, {{"w", .5}, {"e", .3}, {"d", .3}, {"q.x1", 1.246}, {"q.x2", .29}, {"v.x1", -.075}, {"v.x2", -.057}}, 0, 4,
     {1.246393001858, .290776308152, -.074755349628, -.056850303113}, 4,
     {-.03182968126 + .03011847825 * I, -.03182968126 - .03011847825 * I, 0, 0}, 1e-9},
    {PE, {{NULL, 0}}, 0, 2, {.067081023815, .514726007115}, 2,
     {-.203338735601 + .579473390869 * I, -.203338735601 - .579473390869 * I}, 1e-9},
    {PE, {{"w", 2}, {"thw", .3}, {"q.th", .765}, {"v.th", 1.13}}, 0, 2, {.764807131914, 1.128229655739}, 2,
     {-.070150879118 + .594117978833 * I, -.070150879118 - .594117978833 * I}, 1e-9},
    {PE, {{"w", 1.2}, {"q.th", .295}, {"v.th", .185}}, 0, 2, {.294887859912, .184812181585}, 2, {-.886384985909,
     -.327474607238}, 1e-9},
    {DRY, {{NULL, 0}}, 100, 0, {0}, 2, {-.58308899193 + .288451224974 * I, -.58308899193 - .288451224974 * I}, 1e-9},
    {DRY, {{"w", 1.3}, {"f", .3}}, 200, 0, {0}, 2, {.107714547764 + .754532361266 * I,
     .107714547764 - .754532361266 * I}, 1e-9},
    {DRY, {{"w", .5}, {"f", .6}, {"c", .1}}, 20, 0, {0}, 1, {.00102397950}, 1e-9},
};

START_TEST(orbits_and_multipliers_agree_with_independent_values)
{
    for (int k = 0; k < CAROM_COUNT(table); k++) {
        const expected *e = &table[k];
        carom_model *model = make(e->text, e->set);
        carom_orbits orbits;
        find(&orbits, model, NULL, 0, e->transient);
        double worst = 0, worst_multiplier = 0;
        for (int i = 0; i < e->n; i++)
            worst = fmax(worst, fabs(orbits.orbit.x[i] - e->x[i]));
        for (int i = 0; i < orbits.orbit.nmultiplier; i++)
            worst_multiplier =
                fmax(worst_multiplier, cabs(orbits.orbit.multiplier[i] - (i < e->nmultiplier ? e->multiplier[i] : 0)));
        printf("orbit %d: x off by %.1e, multipliers by %.1e, residual %.1e after %d steps\n", k, worst,
               worst_multiplier, orbits.orbit.residual, orbits.orbit.iterations);
        CHECK_AT_MOST(worst, e->tolerance);
        CHECK_AT_MOST(worst_multiplier, e->tolerance);
        carom_orbits_free(&orbits);
        carom_model_free(model);
    }
}
END_TEST

START_TEST(an_orbit_with_a_joint_is_that_of_the_angle)
{
    const double th = .067081023815, rate = .514726007115, x[] = {sin(th), -cos(th), rate * cos(th), rate * sin(th)};
    carom_model *model = make(CARTESIAN, NULL);
    carom_orbits orbits;
    find(&orbits, model, NULL, 0, 0);
    ck_assert_int_eq(orbits.orbit.nmultiplier, 2);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(orbits.orbit.x[i], x[i], 1e-9);
    CHECK_AT_MOST(cabs(orbits.orbit.multiplier[0] - (-.203338735601 + .579473390869 * I)), 1e-9);
    carom_orbits_free(&orbits);
    carom_model_free(model);
    found f = follow(CARTESIAN, NULL, "thw", 0, -.15, .01, 100);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], -.0879043282, 1e-8);
}
END_TEST

START_TEST(the_bouncing_ball_has_the_multipliers_of_its_quadratic_equation)
{
    const double e = .5, Gamma = 1.2, th = acos(M_PI * (1 - e) / (1 + e) / Gamma);
    carom_model *model = make(BB, NULL);
    carom_orbits orbits;
    find(&orbits, model, NULL, 0, 100);
    ck_assert_int_eq((int)orbits.orbit.passage.impacts, 1);
    CHECK_NEAR(orbits.orbit.passage.impact[0].t, 1 + th, 1e-10);
    CHECK_NEAR(orbits.orbit.passage.impact[0].speed, -2 * M_PI / (1 + e), 1e-10);
    const double half = 0.5 * (1 + e * e - (1 + e) * (1 + e) * Gamma * sin(th));
    CHECK_NEAR(creal(orbits.orbit.multiplier[0]), half, 1e-10);
    CHECK_NEAR(cimag(orbits.orbit.multiplier[0]), sqrt(e * e - half * half), 1e-10);
    carom_orbits_free(&orbits);
    carom_model_free(model);
}
END_TEST

/* c, vb, f; then slip and stick as in the closed form: T */
START_TEST(stick_slip_on_a_belt_has_its_period_and_loses_a_direction)
{
    const double cases[][4] = {{.1, 1, .5, 6.439474890105}, {.3, .5, .6, 7.154982169274}};
    for (int k = 0; k < CAROM_COUNT(cases); k++) {
        carom_model *model =
            make(BE, (setting[]){{"c", cases[k][0]}, {"vb", cases[k][1]}, {"f", cases[k][2]}, {NULL, 0}});
        carom_orbits orbits;
        find(&orbits, model, NULL, 0, 3);
        CHECK_NEAR(orbits.orbit.T, cases[k][3], 1e-9);
        for (int i = 0; i < orbits.orbit.nmultiplier; i++)
            CHECK_AT_MOST(cabs(orbits.orbit.multiplier[i]), 1e-9);
        carom_orbits_free(&orbits);
        carom_model_free(model);
    }
}
END_TEST

START_TEST(orbits_move_with_parameters_as_independent_values_say)
{
    /* d(x1 x2 v1 v2)/d(a, d, e, b) of CH */
    static const double known[4][4] = {{-1.344198665582, 2.358936118183, -.099477421635, .688248400776},
                                       {-2.325164990091, 1.706919590095, -.181414434612, 3.343263226137},
                                       {.195469348743, .320008915487, -.317898667874, 2.319146712085},
                                       {-.027927484715, -.37362382854, .086067462128, -1.578479220513}};
    const int which[] = {3, 2, 1, 4}; /* a d e b among w e d a b */
    carom_model *model = make(CH, NULL);
    carom_orbits orbits;
    find(&orbits, model, which, 4, 0);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(orbits.orbit.x_p[i * 4 + k], known[i][k], 1e-9);
        /* scaling: a x_a + d x_d = x */
        CHECK_NEAR(orbits.orbit.x_p[i * 4] * 1 + orbits.orbit.x_p[i * 4 + 1] * 0.5, orbits.orbit.x[i], 1e-9);
    }
    carom_orbits_free(&orbits);
    carom_model_free(model);
}
END_TEST

/* ---- branches ---- */

static bool note(void *user, const carom_branch_point *at)
{
    found *f = user;
    if (at->kind >= 0 && f->n[at->kind]++ == 0)
        f->value[at->kind] = at->estimate;
    return true;
}

static found follow(const char *text, const setting *set, const char *name, double from, double to, double step,
                    double transient)
{
    found result = {0};
    setting all[8] = {{name, from}};
    for (int i = 0; i < 7 && set && set[i].name; i++)
        all[i + 1] = set[i];
    carom_model *model = make(text, all);
    int which = 0;
    for (int i = 0; i < model->np; i++)
        if (!strcmp(model->p_name[i], name))
            which = i;
    carom_orbits orbits;
    find(&orbits, model, &which, 1, transient);
    carom_branch branch = {.from = from, .to = to, .step = step, .most = 500, .point = note, .user = &result};
    CHECK_OK(carom_orbit_follow(&orbits, &branch, &error), error);
    printf("%s: PD %.12g SN %.12g grazing %.12g; %s\n", name, result.value[0], result.value[1], result.value[2],
           branch.reason);
    carom_orbits_free(&orbits);
    carom_model_free(model);
    return result;
}

START_TEST(the_bouncing_ball_doubles_its_period_and_folds_where_closed_forms_say)
{
    const double e[] = {.5, .8, .9}, start[] = {1.3, .7, .6};
    for (int k = 0; k < 3; k++) {
        const double fold = M_PI * (1 - e[k]) / (1 + e[k]), force = 2 * (1 + e[k] * e[k]) / ((1 + e[k]) * (1 + e[k]));
        const double th = acos(fold / start[k]);
        const double left = 2 * M_PI - 1 - th; /* from an impact, which leaves with pi, to the next t = 0 */
        const setting set[] = {{"e", e[k]},
                               {"q.y", start[k] * sin(th) + M_PI * left - 0.5 * left * left},
                               {"v.y", M_PI - left},
                               {NULL, 0}};
        found up = follow(BB, set, "Gamma", start[k], 2, .05, 0),
              down = follow(BB, set, "Gamma", start[k], 0.5 * fold, .05, 0);
        CHECK_NEAR(up.value[CAROM_BRANCH_PERIOD_DOUBLING], sqrt(fold * fold + force * force), 1e-8);
        CHECK_NEAR(down.value[CAROM_BRANCH_SADDLE_NODE], fold, 1e-8);
    }
}
END_TEST

START_TEST(branches_double_fold_and_graze_at_independent_values)
{
    const setting ch[] = {{"w", 1.7}, {"q.x1", -.6}, {"q.x2", -2.03}, {"v.x1", 1.12}, {"v.x2", -1.02}, {NULL, 0}};
    found f = follow(CH, ch, "d", 0, -.1, .01, 0);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], -.0438012111, 1e-8);
    /* the motion without impacts: |X2| of the linear response */
    f = follow(CH, (setting[]){{"w", 1.7}, {NULL, 0}}, "d", 1, .5, .05, 100);
    CHECK_NEAR(f.value[CAROM_BRANCH_GRAZING], .775146952208, 1e-8);
    f = follow(CH, NULL, "d", .5, 1, .05, 100);
    CHECK_NEAR(f.value[CAROM_BRANCH_GRAZING], .849032171808, 1e-8);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], .6211600314, 1e-8);
    f = follow(PE, NULL, "thw", 0, -.15, .01, 100);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], -.0879043282, 1e-8);
    f = follow(PE, (setting[]){{"q.th", .2}, {"v.th", 0}, {NULL, 0}}, "thw", -.4, 0, .02, 300);
    CHECK_NEAR(f.value[CAROM_BRANCH_GRAZING], -.167726687, 1e-8);
    const setting slow[] = {{"w", 1.2}, {"q.th", .295}, {"v.th", .185}, {NULL, 0}};
    f = follow(PE, slow, "thw", 0, .2, .01, 0);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], .0330262648, 1e-8);
    CHECK_NEAR(f.value[CAROM_BRANCH_GRAZING], .1258638134, 1e-8);
    f = follow(PE, slow, "thw", 0, -.6, .02, 0);
    CHECK_NEAR(f.value[CAROM_BRANCH_SADDLE_NODE], -.5472075775, 1e-8);
}
END_TEST

START_TEST(the_impact_oscillator_doubles_folds_and_grazes_at_published_values)
{
    static const char *const IO =
        "carom: 1\nparameters: {w: 2.5, alpha: 0.25, e: 0.8, umin: 0, a: 1}\ncoordinates: {u: umin + 0.5}\nmass: {u: "
        "1}\n"
        "force: {u: -u - 2*alpha*u' + a*cos(w*t)}\ncontacts: {stop: {gap: u - umin, restitution: e}}\nperiod: 2*pi/w\n";
    found f = follow(IO, (setting[]){{"alpha", 0}, {NULL, 0}}, "w", 2.3, 2.8, .02, 400);
    CHECK_NEAR(f.value[CAROM_BRANCH_PERIOD_DOUBLING], 2.6533477279, 1e-8);
    f = follow(IO, NULL, "umin", 0, .6, .02, 400);
    CHECK_NEAR(f.value[CAROM_BRANCH_SADDLE_NODE], .4698415285, 1e-8);
    const double w2 = 2.5 * 2.5, grazing = sqrt((1 - w2) * (1 - w2) + 4 * .25 * .25 * w2); /* umin = -1 */
    f = follow(IO, (setting[]){{"umin", -1}, {NULL, 0}}, "a", 4, 6, .1, 100);
    CHECK_NEAR(f.value[CAROM_BRANCH_GRAZING], grazing, 1e-8);
}
END_TEST

START_TEST(a_search_that_cannot_succeed_says_so)
{
    static const char *const flight =
        "carom: 1\ncoordinates: {y: 0}\nvelocities: {y: 1}\nmass: {y: 1}\nforce: {y: 1}\nperiod: 1\n";
    carom_model *model = make(flight, NULL);
    carom_orbits orbits;
    const carom_options options = sharp(model);
    CHECK_OK(carom_orbits_new(&orbits, model, &options, NULL, 0, &error), error);
    ck_assert_int_eq(carom_orbit_find(&orbits, &error), CAROM_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(error.text, "P(x) - x"));
    carom_orbits_free(&orbits);
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("orbit", orbits_and_multipliers_agree_with_independent_values,
                 an_orbit_with_a_joint_is_that_of_the_angle,
                 the_bouncing_ball_has_the_multipliers_of_its_quadratic_equation,
                 stick_slip_on_a_belt_has_its_period_and_loses_a_direction,
                 orbits_move_with_parameters_as_independent_values_say,
                 the_bouncing_ball_doubles_its_period_and_folds_where_closed_forms_say,
                 branches_double_fold_and_graze_at_independent_values,
                 the_impact_oscillator_doubles_folds_and_grazes_at_published_values,
                 a_search_that_cannot_succeed_says_so)
