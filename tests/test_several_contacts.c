/* test_several_contacts.c: several contacts that are reached, hold or let go together. */
#include "tolerance_testing.h"

static run of_scheme(const char *text, const char *set, const char *scheme, double tol, double h, double t_end)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    for (char key[32]; *set; set += strcspn(set, " "), set += strspn(set, " ")) {
        double value;
        ck_assert_msg(sscanf(set, "%31[^=]=%lf", key, &value) == 2, "cannot read '%s'", set);
        CHECK_OK(carom_model_set(model, &(const char *){key}, &value, 1, &error), error);
    }
    run r = begin(model, scheme, tol, h, t_end);
    r.loaded = model;
    ck_assert_msg(carom_sim_run(r.sim, t_end) == CAROM_OK, "%s: %s", scheme, carom_sim_error(r.sim)->text);
    return r;
}

static const char flat[] =
    "carom: 1\nparameters: {mu: 0.757, e: 0.927, w: 2.09, h: 0.901, drop: 1.996}\n"
    "coordinates: {x: 0, y: h/2 + drop, phi: 0}\n"
    "let:\n  ray: -w/2*sin(phi) - h/2*cos(phi)\n  rby: w/2*sin(phi) - h/2*cos(phi)\n"
    "kinetic: (x'^2 + y'^2)/2 + (w^2 + h^2)/24*phi'^2\npotential: 9.81*y\ncontacts:\n"
    "  a: {gap: y + ray, slip: \"x' - ray*phi'\", friction: mu, restitution: e}\n"
    "  b: {gap: y + rby, slip: \"x' - rby*phi'\", friction: mu, restitution: e}\n";

/* Rounding of an impact, times the flight, parts the gaps of the next landing. */
START_TEST(a_box_that_lands_flat_stays_flat)
{
    const char *schemes[] = {"tolerance", "crank-nicolson", "mixed"};
    unsigned seed = 1;
    for (int k = 0; k < 120; k++) {
        double part[4];
        char set[160];
        for (int i = 0; i < 4; i++)
            seed = seed * 1103515245u + 12345u, part[i] = (seed >> 8 & 0xffff) / 65536.0;
        snprintf(set, sizeof set, "e=%.3f w=%.3f h=%.3f drop=%.3f mu=%.3f", 0.6 + 0.39 * part[0], 0.3 + 2 * part[1],
                 0.3 + 2 * part[2], 0.5 + 3 * part[3], part[0]);
        run r = of_scheme(flat, set, schemes[k % 3], 1e-7, 4e-3, 4);
        ck_assert_msg(fabs(carom_sim_state(r.sim)->q[2]) < 1e-9, "%s, %s: phi = %g", schemes[k % 3], set,
                      carom_sim_state(r.sim)->q[2]);
        end(&r);
    }
}
END_TEST

/* The force changes its side: one of the opposed contacts carries, the other nothing. x by an independent quadrature:
 * x' = max(0, ...) is integrated where 2 t exceeds the friction. */
static const char guide[] =
    "carom: 1\nparameters: {w: 0}\ncoordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\n"
    "forces: {x: 2*t, y: 10*cos(w*t)}\ncontacts:\n"
    "  lower: {gap: y, slip: \"x'\", friction: 0.3, restitution: 0}\n"
    "  upper: {gap: -y, slip: \"x'\", friction: 0.3, restitution: 0}\n";

static double along_guide(double w, double t_end)
{
    enum { N = 300000 };
    double x = 0, v = 0, h = t_end / N;
    for (int i = 0; i < N; i++) {
        double t = (i + 0.5) * h, push = 2 * t, friction = 3 * fabs(cos(w * t)), before = v;
        if (v > 0 || push > friction)
            v = fmax(0, v + h * (push - friction));
        x += 0.5 * h * (before + v);
    }
    return x;
}

START_TEST(of_two_opposed_contacts_one_carries_the_friction)
{
    const struct {
        const char *scheme;
        double most;
    } cases[] = {{"crank-nicolson", 1e-4}, {"tolerance", 1e-6}, {"mixed", 1e-6}, {"moreau-jean", 1e-2}};
    for (int k = 0; k < 4; k++)
        for (double w = 0; w < 4; w += 3) {
            run r = of_scheme(guide, w > 0 ? "w=3" : "w=0", cases[k].scheme, 1e-8, 3e-3, 3);
            CHECK_NEAR(carom_sim_state(r.sim)->q[0], along_guide(w, 3), cases[k].most);
            end(&r);
        }
}
END_TEST

static const char yoke[] =
    "carom: 1\ncoordinates: {a: 0.5, y: 0}\nvelocities: {a: 20}\n"
    "kinetic: 0.025*a'^2 + (0.1*sin(a)*a')^2/2 + y'^2/2\npotential: 9.81*y\n"
    "contacts: {floor: {gap: y, slip: \"-0.1*sin(a)*a'\", friction: 0.3, restitution: 0}}\n";

/* At a dead centre the slip turns round while the wheel goes on: the row of friction vanishes there. */
START_TEST(a_dead_centre_does_not_stop_a_flywheel)
{
    run r = of_scheme(yoke, "", "tolerance", 1e-10, 0, 2), s = of_scheme(yoke, "", "crank-nicolson", 1e-6, 1e-3, 2);
    CHECK_NEAR(carom_sim_state(s.sim)->q[0], carom_sim_state(r.sim)->q[0], 1e-3);
    CHECK_NEAR(carom_sim_state(s.sim)->v[0], carom_sim_state(r.sim)->v[0], 1e-3);
    end(&r), end(&s);
}
END_TEST

/* Each impact takes a fifth of the velocity of the last: soon the depth that it stands for is below the tolerance. */
static const char decay[] =
    "carom: 1\ncoordinates: {x: 0}\nvelocities: {x: 1.001}\nkinetic: x'^2/2\npotential: x^2/2\n"
    "contacts: {wall: {gap: 1 - x, restitution: 0.8}}\n";

START_TEST(impacts_that_decay_to_grazing_are_noted)
{
    run r = of_scheme(decay, "", "tolerance", 1e-6, 0, 300), s = of_scheme(decay, "", "tolerance", 1e-6, 0, 10);
    ck_assert_msg(strstr(carom_sim_note(r.sim), "graze") != NULL, "the note is '%s'", carom_sim_note(r.sim));
    CHECK_AT_LEAST(carom_sim_info(r.sim)->grazing, 0.01);
    ck_assert_str_eq(carom_sim_note(s.sim), "");
    end(&r), end(&s);
}
END_TEST

static const char press[] = "carom: 1\ncoordinates: {x: 0}\nkinetic: x'^2/2\ncontacts:\n"
                            "  left: {gap: x + 1 - t, restitution: 0.5}\n  right: {gap: 1 - t - x, restitution: 0.5}\n";

START_TEST(jaws_that_meet_are_told_with_their_time)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "press", press, strlen(press), NULL, &error), error);
    run r = begin(model, "tolerance", 1e-6, 0, 2);
    r.loaded = model;
    ck_assert_int_ne(carom_sim_run(r.sim, 2), CAROM_OK);
    ck_assert_msg(strstr(carom_sim_error(r.sim)->text, "t = 1:") != NULL, "%s", carom_sim_error(r.sim)->text);
    end(&r);
}
END_TEST

TEST_MAIN_MODELS("several contacts", impacts_that_decay_to_grazing_are_noted, jaws_that_meet_are_told_with_their_time,
                 a_box_that_lands_flat_stays_flat,
                 of_two_opposed_contacts_one_carries_the_friction, a_dead_centre_does_not_stop_a_flywheel)
