/* test_tolerance_stiff.c: stiff motion under error control: found out, solved implicitly, through impacts too. */
#include <complex.h>
#include <string.h>

#include "core/tableau.h"
#include "stepping.h"

static carom_sim *begin(const carom_model *m, const char *method, double tol, double T)
{
    carom_error error;
    carom_sim *sim;
    char spec[60];
    carom_options o = carom_options_default();
    snprintf(spec, sizeof spec, "tolerance:method=%s", method);
    CHECK_OK(carom_options_set(&o, "scheme", spec, &error), error);
    o.rtol = o.atol = tol, o.t_end = T, o.h = T / 1000;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    return sim;
}

typedef struct result {
    double q[2], v[2];
    long evaluations, steps;
} result;

static result run(const carom_model *m, const char *method, double tol, double T)
{
    carom_sim *sim = begin(m, method, tol, T);
    RUN(sim, T);
    const carom_state *s = carom_sim_state(sim);
    const carom_info *info = carom_sim_info(sim);
    result r = {.evaluations = info->rhs_evaluations, .steps = info->steps};
    for (int i = 0; i < m->nv; i++)
        r.q[i] = s->q[i], r.v[i] = s->v[i];
    printf("%-14s %-7s tol %.0e: %ld evaluations, %ld steps, q = %.12g\n", m->name, method, tol, r.evaluations, r.steps,
           r.q[0]);
    carom_sim_free(sim);
    return r;
}

/* q'' = -10 - k q - c q' from 1 at rest, overdamped, at T. */
static double damped(double k, double c, double T)
{
    double root = sqrt(c * c / 4 - k), fast = -c / 2 - root, slow = k / fast, rest = -10 / k;
    return rest + (1 - rest) * (fast * exp(slow * T) - slow * exp(fast * T)) / (fast - slow);
}

START_TEST(stiff_damping_is_found_out_and_costs_little)
{
    static const struct { double k, c, gain; } cases[] = {{1e6, 1e4, 5}, {1e8, 1e5, 40}};
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-3) {
            point_store store;
            double k = cases[i].k, c = cases[i].c;
            carom_model m = point_model(&store, 1, -10, k, c, 0, 1, 0);
            m.ncontact = 0, m.gap = m.jacobian = NULL;
            result chosen = run(&m, "auto", tol, 1), implicit = run(&m, "radau5", tol, 1),
                   explicit = run(&m, "dp5", tol, 1);
            if (tol < 1e-6 && tol > 1e-8) /* a variable-step Radau IIA 5 takes 590 and 1024 */
                CHECK_AT_MOST((double)chosen.evaluations, 2.5 * (i == 0 ? 590 : 1024));
            CHECK_NEAR(chosen.q[0], damped(k, c, 1), tol);
            CHECK_NEAR(implicit.q[0], damped(k, c, 1), tol);
            CHECK_AT_MOST(cases[i].gain * (double)chosen.evaluations, (double)explicit.evaluations);
        }
}
END_TEST

START_TEST(errors_of_the_implicit_method_follow_the_tolerance)
{
    carom_model m = pendulum();
    double x[] = {1, 0.5};
    reference_run(&m, 0, 5, 1e-3, x);
    for (double tol = 1e-3; tol > 1e-10; tol *= 0.1) {
        result r = run(&m, "radau5", tol, 5);
        CHECK_NEAR(r.q[0], x[0], 2 * tol);
        CHECK_NEAR(r.v[0], x[1], 4 * tol);
    }
}
END_TEST

/* The embedded estimate of Hairer and Wanner for w' = i w, w = q - i v, from 1. */
static double complex estimate(const carom_tableau *T, double h)
{
    const double root6 = sqrt(6), d[] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};
    const double g = 30 / (6 + cbrt(81) - cbrt(9)); /* their real eigenvalue */
    double complex Y[3] = {1, 1, 1}, sum = I;
    for (int k = 0; k < 200; k++) /* h is small: the iteration converges */
        for (int i = 0; i < 3; i++) {
            double complex y = 1;
            for (int j = 0; j < 3; j++)
                y += I * h * T->a[i][j] * Y[j];
            Y[i] = y;
        }
    for (int i = 0; i < 3; i++)
        sum += d[i] * (Y[i] - 1) / h;
    return sum / (g / h - I);
}

START_TEST(steps_follow_the_embedded_estimate)
{
    point_store store;
    carom_model m = point_model(&store, 1, 0, 1, 0, 0, 1, 0);
    m.ncontact = 0, m.gap = m.jacobian = NULL;
    const double tol = 1e-5, T = 100, h = T / 1000;
    double complex e = estimate(carom_tableau_list(CAROM_TABLEAU_RADAU5), h);
    double norm = fmax(fabs(creal(e)) / (2 * tol), fabs(cimag(e)) / (tol * (1 + sin(h))));
    carom_sim *sim = begin(&m, "radau5", tol, T);
    const carom_state *s = carom_sim_state(sim);
    STEP(sim);
    CHECK_NEAR(s->t, h, 1e-15);
    double factor = 0.9 * pow(norm, -0.25);
    printf("|e| = %g, factor %g\n", norm, factor);
    ck_assert(norm < 1 && factor < 5);
    STEP(sim);
    CHECK_NEAR(s->t - h, h * factor, 1e-9 * h);
    carom_sim_free(sim);
}
END_TEST

START_TEST(motion_that_is_not_stiff_stays_explicit_to_the_bit)
{
    point_store store;
    const carom_model models[] = {pendulum(), double_pendulum(), point_model(&store, 1, -10, 1e6, 10, 0.5, 1, 0)};
    const double T[] = {20, 3, 0.05}; /* the last: before its motion falls below the tolerance */
    for (int i = 0; i < 3; i++) {
        result a = run(&models[i], "auto", 1e-7, T[i]), b = run(&models[i], "dp5", 1e-7, T[i]);
        ck_assert(memcmp(a.q, b.q, sizeof a.q) == 0 && memcmp(a.v, b.v, sizeof a.v) == 0 && a.steps == b.steps);
        CHECK_AT_MOST((double)a.evaluations, 1.06 * (double)b.evaluations); /* watching costs little */
    }
}
END_TEST

/* Two masses over each other, a stiff damper and a spring between them, the lower one bounces: p = {k, c, length} */
static void legs_force(const carom_point *at, double *F)
{
    double f = at->p[0] * (at->q[1] - at->q[0] - at->p[2]) + at->p[1] * (at->v[1] - at->v[0]);
    F[0] = -9.81 + f, F[1] = -9.81 - f;
}

static void legs_mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = M[3] = 1, M[1] = M[2] = 0;
}

static void legs_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0];
}

START_TEST(stiff_bodies_bounce_as_they_do_with_the_explicit_method)
{
    static const carom_contact ground = {.name = "ground", .restitution = 0.5};
    static const double q[] = {0.3, 0.8}, p[] = {1e5, 2e3, 0.5};
    carom_model m = {.size = sizeof m, .name = "legs", .nq = 2, .nv = 2, .np = 3, .ncontact = 1, .contact = &ground,
                     .q = q, .p = p,
                     .constant = CAROM_MASS | CAROM_LAW, .mass = legs_mass, .force = legs_force, .gap = legs_gap};
    for (double T = 0.5; T < 2; T += 1) { /* in motion, at rest */
        result good = run(&m, "dp5", 1e-11, T);
        for (double tol = 1e-4; tol > 1e-8; tol *= 1e-2) {
            result a = run(&m, "auto", tol, T), b = run(&m, "radau5", tol, T);
            CHECK_AT_MOST(b.evaluations, 25 * b.steps); /* gradients that know the contact: few iterations */
            for (int i = 0; i < 2; i++) {
                CHECK_NEAR(a.q[i], good.q[i], 2 * tol);
                CHECK_NEAR(b.q[i], good.q[i], 2 * tol);
            }
        }
    }
}
END_TEST

START_TEST(saved_and_loaded_in_stiff_motion_it_goes_on_with_the_same_bits)
{
    point_store store;
    carom_model m = point_model(&store, 1, -10, 1e6, 1e4, 0.5, 1, 0);
    for (int before = 5; before < 100; before += 20) {
        check_restart(&m, "tolerance", 1e-3, before, 40);
        check_restart(&m, "tolerance:method=radau5", 1e-3, before, 40);
    }
}
END_TEST

TEST_MAIN("stiff", stiff_damping_is_found_out_and_costs_little, errors_of_the_implicit_method_follow_the_tolerance,
          steps_follow_the_embedded_estimate, motion_that_is_not_stiff_stays_explicit_to_the_bit,
          stiff_bodies_bounce_as_they_do_with_the_explicit_method,
          saved_and_loaded_in_stiff_motion_it_goes_on_with_the_same_bits)
