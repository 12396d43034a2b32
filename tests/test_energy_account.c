/* test_energy_account.c: where energy goes: dry friction in forces is told from damping; steps of the Galerkin families
 * keep the energy of elastic impacts when they are asked to, and redundant joints carry forces once. */
#include <string.h>

#include "core/core.h"
#include "tolerance_testing.h"

/* x'' = -x - 0.3 sign(x'): turning points 2.05, -1.45, 0.85, -0.25, where it stays: a path of 6.9 */
static void force(const carom_point *at, double *F)
{
    F[0] = -at->q[0] - 0.3 * ((at->v[0] > 0) - (at->v[0] < 0));
}

static void mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1;
}

static void potential(const carom_point *at, double *V)
{
    V[0] = at->q[0] * at->q[0] / 2;
}

START_TEST(dry_friction_in_forces_takes_its_force_times_the_path_and_is_no_damping)
{
    static const char *const schemes[] = {"tolerance", "mixed:rk=radau5", "crank-nicolson"};
    NEEDS_MODELS;
    carom_model *model = parse_text("carom: 1\ncoordinates: {x: 2.05}\nkinetic: x'^2/2\npotential: x^2/2\n"
                               "forces: {x: -0.3*sign(x')}\n");
    for (int i = 0; i < CAROM_COUNT(schemes); i++) {
        double tol = i < 2 ? 1e-7 : 2e-2;
        run r = run_whole(model, schemes[i], 1e-10, 1e-3, 12);
        const carom_info *k = carom_sim_info(r.sim);
        printf("%s: dry %.12g, viscous %.3g, balance %.1e\n", schemes[i], k->dissipated_dry, k->dissipated_viscous,
               k->balance_error);
        CHECK_NEAR(k->dissipated_dry, 0.3 * 6.9, tol);
        CHECK_NEAR(k->dissipated_viscous, 0, 1e-15);
        CHECK_NEAR(k->balance_error, 0, tol);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(dry_friction_of_callbacks_and_of_mass_and_force_is_told_as_well)
{
    const double q = 2.05, v = 0;
    const carom_model native = {.size = sizeof native, .name = "native", .nq = 1, .nv = 1, .q = &q, .v = &v,
                                .constant = CAROM_MASS, .mass = mass, .force = force, .potential = potential};
    run r = run_whole(&native, "dg-minus", 1e-10, 1e-4, 3.1); /* within the first swing */
    double x = carom_sim_state(r.sim)->q[0];
    CHECK_NEAR(carom_sim_info(r.sim)->dissipated_dry, 0.3 * (q - x), 1e-3);
    CHECK_NEAR(carom_sim_info(r.sim)->dissipated_viscous, 0, 1e-15);
    end(&r);
    NEEDS_MODELS;
    carom_model *model = parse_text("carom: 1\ncoordinates: {x: 2.05}\nmass: {x: 1}\nforce: {x: \"-x - 0.1*x' + "
                               "if(x' > 0, -0.3, if(x' < 0, 0.3, 0))\"}\n");
    r = run_whole(model, "tolerance", 1e-11, 0, 3);
    const carom_info *k = carom_sim_info(r.sim);
    x = carom_sim_state(r.sim)->q[0];
    CHECK_NEAR(k->dissipated_dry, 0.3 * (q - x), 1e-8); /* to the left all the way */
    CHECK_AT_LEAST(k->dissipated_viscous, 0.1);
    CHECK_NEAR(k->balance_error, 0, 1e-9);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* ---- an elastic oscillator against a wall ---- */
static const char elastic[] = "carom: 1\nparameters: {m: 1}\ncoordinates: {x: 1}\nkinetic: m*x'^2/2\n"
                              "potential: m*(x^2/2 + x)\n"
                              "contacts: {wall: {gap: x + 0.3, restitution: 1}}\n";

START_TEST(bounded_steps_keep_the_energy_of_elastic_impacts)
{
    static const struct { const char *scheme; double m, least, most; } list[] = {
        {"dg-minus:degree=1", 1, 1.6, 1e300}, {"dg-minus:degree=1:bounded=1", 1, 1.49, 1.51},
        {"dg-minus:degree=1:bounded=1", 1e-3, 1.49, 1.51}, {"dg-plus:degree=3", 1, 1.55, 1e300},
        {"dg-plus:degree=3:bounded=1", 1, 1.49, 1.51}, {"dg-plus:degree=2:bounded=1", 1, 1.49, 1.51}};
    carom_error error;
    NEEDS_MODELS;
    carom_model *model = parse_text(elastic);
    for (int i = 0; i < CAROM_COUNT(list); i++) {
        double m = list[i].m;
        CHECK_OK(carom_model_set(model, (const char *const[]){"m"}, &m, 1, &error), error);
        run r = run_whole(model, list[i].scheme, 1e-8, 0.05, 3500);
        double energy = carom_sim_info(r.sim)->energy_final / m;
        printf("%s, m = %g: energy 1.5 m -> %.6g m\n", list[i].scheme, m, energy);
        CHECK_AT_LEAST(energy, list[i].least);
        CHECK_AT_MOST(energy, list[i].most);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

START_TEST(a_bounce_that_is_bounded_falls_by_its_restitution_alone)
{
    NEEDS_MODELS;
    carom_model *model = parse_text("carom: 1\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: 10*y\n"
                               "contacts: {ground: {gap: y, restitution: 0.8}}\n");
    run r = run_whole(model, "dg-minus:bounded=1", 1e-8, 1e-4, 1.5); /* two impacts: 10 -> 6.4 -> 4.096 */
    CHECK_NEAR(carom_sim_info(r.sim)->energy_final, 4.096, 3e-3);
    end(&r);
    carom_model_free(model);
}
END_TEST

/* ---- a platform on three parallel cranks: six joints, one of them follows from the others ---- */
START_TEST(redundant_joints_do_not_contradict_each_other_at_the_stages)
{
    static const char *const schemes[] = {"dg-minus", "dg-plus", "dg-minus:degree=1"};
    NEEDS_MODELS;
    carom_model *model = parse_text(
        "carom: 1\nparameters: {l: 1, m: 2, mc: 0.3, g: 9.81, a0: 0.5}\n"
        "coordinates: {x: l*sin(a0), y: -l*cos(a0), p: 0, a: a0, b: a0, c: a0}\n"
        "kinetic: m*(x'^2+y'^2)/2 + m*0.1*p'^2 + mc*l^2/6*(a'^2+b'^2+c'^2)\n"
        "potential: m*g*y - mc*g*l/2*(cos(a)+cos(b)+cos(c))\nconstraints:\n  ax: l*sin(a) - 1 = x - cos(p)\n"
        "  ay: -l*cos(a) = y - sin(p)\n  bx: l*sin(b) = x\n  by: -l*cos(b) = y\n  cx: l*sin(c) + 1 = x + cos(p)\n"
        "  cy: -l*cos(c) = y + sin(p)\n");
    /* all cranks together: (m l^2 + mc l^2) a'' = -(m + 3 mc/2) g l sin(a) */
    double a = 0.5, w = 0, h = 1e-3, k = (2 + 0.45) * 9.81 / 2.3;
    for (int i = 0; i < 3000; i++) {
        double k1 = w, l1 = -k * sin(a), k2 = w + h / 2 * l1, l2 = -k * sin(a + h / 2 * k1);
        double k3 = w + h / 2 * l2, l3 = -k * sin(a + h / 2 * k2), k4 = w + h * l3, l4 = -k * sin(a + h * k3);
        a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    for (int i = 0; i < CAROM_COUNT(schemes); i++) {
        run r = run_whole(model, schemes[i], 1e-8, 1e-3, 3);
        printf("%s: off by %.1e\n", schemes[i], carom_sim_state(r.sim)->q[4] - a);
        CHECK_NEAR(carom_sim_state(r.sim)->q[4], a, i < 2 ? 1e-8 : 1e-5);
        end(&r);
    }
    carom_model_free(model);
}
END_TEST

TEST_MAIN("energy account", dry_friction_in_forces_takes_its_force_times_the_path_and_is_no_damping,
          dry_friction_of_callbacks_and_of_mass_and_force_is_told_as_well,
          bounded_steps_keep_the_energy_of_elastic_impacts, a_bounce_that_is_bounded_falls_by_its_restitution_alone,
          redundant_joints_do_not_contradict_each_other_at_the_stages)
