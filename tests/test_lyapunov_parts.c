/* test_lyapunov_parts.c: averages, QR, displaced copies, admissible states; and what each scheme's tangent makes of
 * an impact.
 *
 * A ball under constant gravity that strikes the floor once: with flight F(s) = [[1, s], [0, 1]] and impact S the
 * derivative of the flow over T is F(T - t) S F(t). The exact S is [[-e, 0], [(1 + e) g/w, -e]], w the speed of the
 * impact; a scheme with S = -e I has a lower left entry of 0 for every step size. */
#include <float.h>
#include <string.h>

#include "analysis/admissible.h"
#include "analysis/lyapunov/lyapunov.h"
#include "testing.h"

static const char ball[] =
    "carom: 1\nname: ball\nparameters: {g: 2, e: 0.8}\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: g*y\n"
    "contacts: {floor: {gap: y, restitution: e}}\nperiod: 2\n";

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *m = NULL;
    CHECK_OK(carom_model_parse(&m, "test", text, strlen(text), NULL, &error), error);
    return m;
}

/* ---- statistics ---- */

enum { BLOCKS = 100 };

static bool average(double (*term)(long k), long n, double *mean, double *error)
{
    double memory[CAROM_AVERAGES_DOUBLES(1, BLOCKS)];
    carom_averages a;
    ck_assert_uint_eq(carom_averages_doubles(1, BLOCKS), CAROM_COUNT(memory));
    carom_averages_begin(&a, 1, BLOCKS, n, memory);
    for (long k = 0; k < n; k++) {
        double x = term(k);
        carom_averages_add(&a, &x);
    }
    ck_assert_int_eq(a.marks, (int)CAROM_MIN(BLOCKS, n));
    return carom_averages_end(&a, mean, error);
}

static double rotating(long k)
{
    return 3 + log(1.5 + cos(0.7 + 1.2345 * (double)k));
}

static double noise(long k) /* uniform in [0, 1), independent */
{
    unsigned long long z = (unsigned long long)k * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

START_TEST(averages_of_a_rotation_are_exact_far_beyond_the_plain_mean)
{
    double mean, error, exact = 3 + log((1.5 + sqrt(1.25)) / 2); /* mean of ln(a + cos x) */
    ck_assert(average(rotating, 1000, &mean, &error));
    CHECK_NEAR(mean, exact, 1e-10);
    CHECK_AT_MOST(error, 1e-8);
}
END_TEST

START_TEST(averages_of_noise_have_the_error_bar_of_independent_terms)
{
    double mean, error;
    ck_assert(!average(noise, 20000, &mean, &error));
    CHECK_NEAR(error, sqrt(1 / 12.0 / 20000), 0.25 * sqrt(1 / 12.0 / 20000));
    CHECK_NEAR(mean, 0.5, 3 * error);
    ck_assert(!average(noise, 37, &mean, &error));
    CHECK_NEAR(error, sqrt(1 / 12.0 / 37), 0.4 * sqrt(1 / 12.0 / 37));
}
END_TEST

/* Sequences with a memory, all with known means; coverage is counted over phases and seeds. */
typedef double generator(double x, unsigned seed, long k); /* x: turns in the run, or terms that are remembered */
typedef struct coverage {
    double one, two, size; /* parts that one and two error bars cover; bars (squares) over errors (squares) */
} coverage;

static double rotation(double turns_per_term, unsigned seed, long k)
{
    return log(1.5 + cos(2 * 3.14159265358979 * (noise(7 * (long)seed) + turns_per_term * (double)k))) -
           log((1.5 + sqrt(1.25)) / 2);
}

static double remembered(double terms, unsigned seed, long k)
{
    static double z;
    double fresh = 0, keep = exp(-1 / terms);
    for (long i = 0; i < 12; i++)
        fresh += noise(((long)seed * 20000 + k) * 12 + i) - 0.5;
    return z = k ? keep * z + sqrt(1 - keep * keep) * fresh : fresh;
}

static coverage cover(generator *term, double x, long n)
{
    enum { SEEDS = 200 };
    double memory[CAROM_AVERAGES_DOUBLES(1, BLOCKS)], mean, error, bars = 0, errors = 0;
    coverage c = {0};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        carom_averages a;
        carom_averages_begin(&a, 1, BLOCKS, n, memory);
        for (long k = 0; k < n; k++)
            carom_averages_add(&a, (const double[]){term(x, seed, k)});
        carom_averages_end(&a, &mean, &error);
        c.one += (fabs(mean) <= error) / (double)SEEDS;
        c.two += (fabs(mean) <= 2 * error) / (double)SEEDS;
        bars += error * error, errors += mean * mean;
    }
    c.size = sqrt(bars / errors);
    return c;
}

START_TEST(error_bars_cover_the_mean_of_terms_that_remember_each_other)
{
    const double terms[] = {0.1, 1, 3, 10};
    const long lengths[] = {100, 150, 1000, 3000};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            if ((double)lengths[k] < 30 * terms[i])
                continue;
            const coverage c = cover(remembered, terms[i], lengths[k]);
            printf("memory %4g of %ld terms: %.2f %.2f, %.2f\n", terms[i], lengths[k], c.one, c.two, c.size);
            /* 0.68 and 0.95 are due to a normal distribution; 200 seeds know them to 0.03 */
            CHECK_AT_LEAST(c.one, 0.6);
            CHECK_AT_LEAST(c.two, 0.9);
            CHECK_AT_MOST(c.size, 1.35);
        }
}
END_TEST

START_TEST(error_bars_cover_the_mean_of_a_rotation_after_half_a_turn)
{
    const double turns[] = {0.5, 0.7, 1.2, 1.4, 1.8, 2.9, 4.5, 7.3};
    const long lengths[] = {16, 32, 64, 100, 150, 1000};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++) {
            const coverage c = cover(rotation, turns[i] / (double)lengths[k], lengths[k]);
            printf("%3g turns in %ld terms: %.2f %.2f, %.2f\n", turns[i], lengths[k], c.one, c.two, c.size);
            CHECK_AT_LEAST(c.one, 0.9);
            CHECK_AT_LEAST(c.two, 0.98);
            CHECK_AT_MOST(c.size, 30); /* whole turns would have no error at all */
        }
}
END_TEST

START_TEST(weighted_averages_of_a_rotation_are_covered_too)
{
    const double turns[] = {0.0123, 0.037, 0.081, 0.23, 0.4142};
    const long lengths[] = {500, 1000, 5000};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            const coverage c = cover(rotation, turns[i], lengths[k]);
            printf("%g turns a term, %ld terms: %.3f, %.2f\n", turns[i], lengths[k], c.one, c.size);
            CHECK_AT_LEAST(c.one, 0.99);
        }
}
END_TEST

static double constant(long k)
{
    (void)k;
    return -0.3;
}

START_TEST(a_constant_is_regular_and_known_to_rounding)
{
    double mean, error;
    ck_assert(average(constant, 777, &mean, &error));
    CHECK_NEAR(mean, -0.3, 2e-16);
    CHECK_AT_MOST(error, 2e-14);
    CHECK_AT_LEAST(error, 1e-16);
}
END_TEST

START_TEST(an_interrupted_run_has_blocks_enough_for_an_error_bar)
{
    double memory[CAROM_AVERAGES_DOUBLES(1, BLOCKS)], mean, error;
    carom_averages a;
    carom_averages_begin(&a, 1, BLOCKS, 1000000000, memory);
    for (long k = 0; k < 1234; k++)
        carom_averages_add(&a, (const double[]){noise(k)});
    ck_assert(!carom_averages_end(&a, &mean, &error));
    ck_assert_int_ge(a.block_count, BLOCKS / 2);
    CHECK_NEAR(error, sqrt(1 / 12.0 / 1234), 0.25 * sqrt(1 / 12.0 / 1234));
    for (long k = 1234; k < 1235; k++)
        carom_averages_add(&a, (const double[]){-INFINITY});
    ck_assert(!carom_averages_end(&a, &mean, &error));
    ck_assert(mean == -INFINITY && isnan(error));
}
END_TEST

START_TEST(the_kaplan_yorke_dimension_counts_whole_directions_and_a_part)
{
    CHECK_NEAR(carom_kaplan_yorke(2, (const double[]){.8613, -2.9035}), 1 + .8613 / 2.9035, 1e-15);
    CHECK_NEAR(carom_kaplan_yorke(3, (const double[]){.9056, 0, -14.5723}), 2 + .9056 / 14.5723, 1e-15);
    CHECK_NEAR(carom_kaplan_yorke(2, (const double[]){-.1, -.2}), 0, 0);
    CHECK_NEAR(carom_kaplan_yorke(2, (const double[]){.2, -.1}), 2, 0);
    CHECK_NEAR(carom_kaplan_yorke(2, (const double[]){.2, -INFINITY}), 1, 0);
    CHECK_NEAR(carom_kaplan_yorke(2, (const double[]){-INFINITY, -INFINITY}), 0, 0);
}
END_TEST

START_TEST(columns_become_orthonormal_even_when_nearly_dependent)
{
    double X[12], r[3], before[12];
    for (int i = 0; i < 4; i++) {
        X[3 * i] = 1 + i;
        X[3 * i + 1] = 1 + i + 1e-9 * noise(i);
        X[3 * i + 2] = noise(10 + i);
    }
    memcpy(before, X, sizeof X);
    carom_orthonormalize(4, 3, X, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 4; k++)
                dot += X[3 * k + i] * X[3 * k + j];
            CHECK_NEAR(dot, i == j, 4e-15);
        }
    CHECK_NEAR(r[0], sqrt(30), 1e-14);
    CHECK_AT_MOST(r[1], 2e-9);
}
END_TEST

/* ---- the tangent of an impact, as each scheme has it ---- */

static void derivative(const char *scheme, double height, double steps, double epsilon, double X[4])
{
    carom_model *m = parse(ball);
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    carom_displaced *d;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = 2 / steps;
    options.rtol = options.atol = 1e-12;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    ck_assert_int_eq(carom_sim_restart(sim, &height, NULL, NULL), CAROM_OK);
    CHECK_OK(carom_displaced_new(&d, sim, 2, epsilon, &error), error);
    memcpy(X, (const double[]){1, 0, 0, 1}, sizeof(double) * 4);
    CHECK_OK(carom_displaced_run(d, 1.7, X, &error), error);
    carom_displaced_free(d);
    carom_sim_free(sim);
    carom_model_free(m);
}

START_TEST(displaced_copies_have_the_exact_derivative_of_an_impact)
{
    NEEDS_MODELS;
    const char *const schemes[] = {"tolerance", "exact"};
    /* drop from 1: impact at 1 with speed 2 */
    const double e = .8, g = 2, t = 1, w = 2, s = .7, shear = (1 + e) * g / w;
    for (int k = 0; k < 2; k++) {
        double X[4];
        derivative(schemes[k], 1, 1000, 1e-5, X);
        CHECK_NEAR(X[0], -e + s * shear, 5e-5);
        CHECK_NEAR(X[1], (-e + s * shear) * t - e * s, 5e-5);
        CHECK_NEAR(X[2], shear, 5e-5);
        CHECK_NEAR(X[3], shear * t - e, 5e-5);
    }
}
END_TEST

START_TEST(the_corrected_scheme_has_the_shear_of_an_impact)
{
    NEEDS_MODELS;
    double X[4];
    derivative("crank-nicolson:variant=consistent", 1, 2000, 1e-5, X);
    CHECK_NEAR(X[2], 1.8, 1e-3);
    CHECK_NEAR(X[3], 1, 1e-3);
    derivative("crank-nicolson:variant=printed", 1, 2000, 1e-3, X);
    CHECK_NEAR(X[2], 1.8, 5e-2);
}
END_TEST

START_TEST(the_initial_scheme_has_the_tangent_minus_e_for_every_step)
{
    NEEDS_MODELS;
    const double steps[] = {100, 1000, 10000};
    for (int k = 0; k < 3; k++) {
        double X[4], h = 2 / steps[k];
        /* small enough to stay in the same step of the grid */
        derivative("schatzman-paoli:theta=0", 1.17, steps[k], 0.02 * h, X);
        CHECK_NEAR(X[0], -.8, 1e-6);
        CHECK_NEAR(X[1], -.8 * 1.7, 3 * h); /* the outgoing line is late by two steps */
        CHECK_NEAR(X[2], 0, 1e-6); /* exact: (1 + e) g/w = 1.66 */
        CHECK_NEAR(X[3], -.8, 1e-6);
    }
}
END_TEST

START_TEST(the_phase_space_of_two_steps_has_a_velocity_for_each_coordinate)
{
    NEEDS_MODELS;
    carom_model *m = parse("carom: 1\ncoordinates: {x: 0, y: 1}\nvelocities: {x: 3}\nkinetic: (x'^2 + y'^2)/2\n"
                           "potential: y\n");
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    carom_displaced *d;
    double X[16] = {0};
    CHECK_OK(carom_options_set(&options, "scheme", "schatzman-paoli", &error), error);
    options.h = 0.01;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_displaced_new(&d, sim, 4, 1e-4, &error), error);
    for (int i = 0; i < 4; i++)
        X[5 * i] = 1;
    CHECK_OK(carom_displaced_run(d, 0.25, X, &error), error);
    for (int i = 0; i < 4; i++) /* free flight: q + t v, and v */
        for (int j = 0; j < 4; j++)
            CHECK_NEAR(X[4 * i + j], i == j ? 1 : j == i + 2 ? 0.25 : 0, 1e-9);
    carom_displaced_free(d);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(a_displacement_into_a_wall_is_turned_around)
{
    NEEDS_MODELS;
    carom_model *m = parse(ball);
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    carom_displaced *d;
    double X[4] = {-1, 0, 0, 1};
    options.rtol = options.atol = 1e-12;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    ck_assert_int_eq(carom_sim_restart(sim, (const double[]){1e-7}, (const double[]){1}, NULL), CAROM_OK);
    CHECK_OK(carom_displaced_new(&d, sim, 2, 1e-5, &error), error);
    CHECK_OK(carom_displaced_run(d, 0.25, X, &error), error);
    CHECK_NEAR(X[0], -1, 1e-9); /* free flight: had it gone through the floor, it would have jumped */
    CHECK_NEAR(X[2], 0, 1e-9);
    CHECK_NEAR(X[1], 0.25, 1e-9);
    carom_displaced_free(d);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* ---- admissible states ---- */

START_TEST(states_are_moved_onto_joints_and_out_of_walls)
{
    NEEDS_MODELS;
    carom_model *m = parse("carom: 1\nname: bead\ncoordinates: {x: 1, y: 0}\nkinetic: (x'^2 + y'^2)/2\npotential: y\n"
                           "constraints: {ring: x^2 + y^2 = 1}\ncontacts: {wall: {gap: x - 0.5, restitution: 0}}\n");
    carom_admissible a;
    carom_error error = {0};
    double q[] = {.2, 1.1}, v[] = {1, .3};
    CHECK_OK(carom_admissible_new(&a, m, &error), error);
    ck_assert_int_eq(a.joints, 1);
    CHECK_OK(carom_admissible_move(&a, 0, q, v, m->p, &error), error);
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1], 1, 1e-14);
    CHECK_AT_LEAST(q[0], .5 - 1e-15);
    CHECK_NEAR(q[0] * v[0] + q[1] * v[1], 0, 1e-14);
    CHECK_NEAR(carom_admissible_gap(&a, 0, q, v, m->p), 0, 1e-14);
    double X[4] = {1, 1, 0, 0};
    X[2] = .3, X[3] = -.7;
    carom_admissible_columns(&a, 0, q, v, m->p, 1, X);
    CHECK_NEAR(q[0] * X[0] + q[1] * X[1], 0, 1e-14);
    CHECK_NEAR(q[0] * X[2] + q[1] * X[3] + v[0] * X[0] + v[1] * X[1], 0, 1e-14);
    carom_admissible_free(&a);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("lyapunov parts", averages_of_a_rotation_are_exact_far_beyond_the_plain_mean,
          averages_of_noise_have_the_error_bar_of_independent_terms,
          error_bars_cover_the_mean_of_terms_that_remember_each_other,
          error_bars_cover_the_mean_of_a_rotation_after_half_a_turn, weighted_averages_of_a_rotation_are_covered_too,
          a_constant_is_regular_and_known_to_rounding, an_interrupted_run_has_blocks_enough_for_an_error_bar,
          the_kaplan_yorke_dimension_counts_whole_directions_and_a_part,
          columns_become_orthonormal_even_when_nearly_dependent,
          displaced_copies_have_the_exact_derivative_of_an_impact, the_corrected_scheme_has_the_shear_of_an_impact,
          the_initial_scheme_has_the_tangent_minus_e_for_every_step,
          the_phase_space_of_two_steps_has_a_velocity_for_each_coordinate, a_displacement_into_a_wall_is_turned_around,
          states_are_moved_onto_joints_and_out_of_walls)
