/* test_galerkin.c: the Galerkin families without contacts: coefficients, orders 2 4 4 6 6 8 8 10, changing degrees,
 * strong damping, dense output. */
#include "galerkin_testing.h"
#include "reference.h"
#include "schemes/galerkin/table.h"
#include "systems.h"

/* ---- coefficients ---- */
static void check_weights(const double *row, const double *expected, int n)
{
    for (int k = 0; k < n; k++)
        CHECK_NEAR(row[k], expected[k], 2e-16);
}

START_TEST(the_coefficients_have_the_published_values)
{
    carom_galerkin_table m, p;
    carom_galerkin_table_build(&m, false, 3);
    carom_galerkin_table_build(&p, true, 3);
    check_weights(m.beta, (double[]){1.0 / 18, 4.0 / 9, 4.0 / 9, 1.0 / 18}, 4);
    check_weights(m.A[1],
                  (double[]){0.10243055555555555, 0.16319444444444445, -0.024305555555555556, 0.008680555555555556}, 4);
    check_weights(m.Av[1], (double[]){0.1111111111111111, 0.14583333333333334, -0.006944444444444444, 0}, 4);
    check_weights(m.Av[3], (double[]){0.1111111111111111, 0.3333333333333333, 0.5555555555555556, 0}, 4);
    check_weights(p.Av[1],
                  (double[]){0.05555555555555555, 0.2569444444444444, -0.11805555555555555, 0.05555555555555555}, 4);
    carom_galerkin_table_build(&m, false, 8);
    carom_galerkin_table_build(&p, true, 8);
    const double beta[] = {0.007936507936507936, 0.07310932460800908, 0.13968253968253969, 0.1808589293602449,
                           0.19682539682539682,  0.1808589293602449,  0.13968253968253969, 0.07310932460800908,
                           0.007936507936507936};
    const double A[] = {0.013299339017321785,  0.061002579087781575, 0.15851788614537363,
                        0.08578800973034613,   -0.014811162089693134, 0.008114110179375614,
                        -0.005838099198918284, 0.004911281928546021, -0.002325660982678215};
    const double minus[] = {0.015625, 0.05635125712242515, 0.16316920811073005, 0.0811366877649897,
                            -0.010159840124336704, 0.0034627882140191844, -0.0011867772335618532,
                            0.00025995996318959073, 0};
    const double plus[] = {0.007936507936507936, 0.07172824124940927, 0.14779222398374592,
                           0.09651367189197382, -0.025536824251320832, 0.01883977234100331,
                           -0.01656376136054598, 0.01563694409017372, -0.007688492063492063};
    check_weights(m.beta, beta, 9);
    check_weights(m.A[3], A, 9);
    check_weights(m.Av[3], minus, 9);
    check_weights(p.Av[3], plus, 9);
}
END_TEST

START_TEST(the_coefficients_satisfy_their_identities)
{
    for (int M = 1; M <= CAROM_GALERKIN_DEGREE; M++)
        for (int plus = 0; plus < 2; plus++) {
            carom_galerkin_table t;
            carom_galerkin_table_build(&t, plus, M);
            double weights = 0, shape = 0;
            for (int k = 0; k <= M; k++) {
                double column = 0, moment = 0, delta = 0;
                weights += t.beta[k];
                shape += t.beta[k] * t.s[k];
                for (int l = 0; l <= M; l++) {
                    column += t.beta[l] * t.Av[l][k];
                    moment += t.A[k][l] * t.c[l];
                    delta += (double)t.chebyshev[l][k] * cos(l * acos(1 - 2 * t.c[k / 2]));
                }
                CHECK_NEAR(column, t.beta[k] * (1 - t.c[k]), 4e-15);    /* v' = v + h sum beta a + M^-1 P */
                CHECK_NEAR(t.A[M][k], t.beta[k], 4e-15);
                CHECK_NEAR(moment, M > 1 ? t.c[k] * t.c[k] / 2 : moment, 4e-15);
                CHECK_NEAR(delta, k == k / 2, 4e-15);                   /* dense output meets the stages */
            }
            CHECK_NEAR(weights, 1, 4e-15);
            CHECK_NEAR(shape, 0, 4e-15);                                /* q' does not feel P */
            CHECK_NEAR(t.s[M], plus, 4e-15);
        }
}
END_TEST

START_TEST(the_shapes_and_the_linear_family_are_those_of_the_paper)
{
    carom_galerkin_table t;
    const double shape[4][5] = {{-1, 1}, {1, -0.5, 1}, {-1, 1, -1, 1}, {1, -0.875, 1, -0.875, 1}};
    for (int M = 1; M <= 4; M++) {
        carom_galerkin_table_build(&t, true, M);
        check_weights(t.s, shape[M - 1], M + 1);
    }
    carom_galerkin_table_build(&t, true, 1);                            /* Algorithm 3.3 */
    check_weights(t.Av[0], (double[]){0.5, -0.5}, 2);
    check_weights(t.Av[1], (double[]){0.5, 0.5}, 2);
    carom_galerkin_table_build(&t, false, 1);                           /* Algorithm 3.4 */
    check_weights(t.Av[0], (double[]){0, 0}, 2);
    check_weights(t.Av[1], (double[]){1, 0}, 2);
}
END_TEST

/* ---- smooth motion ---- */
static void duffing_force(const carom_point *at, double *F)
{
    double q = at->q[0];
    F[0] = -0.2 * at->v[0] + q - q * q * q + 0.3 * cos(1.2 * at->t);
}

static const double duffing_start[] = {1}, at_rest[] = {0, 0};

static carom_model duffing(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "Duffing", .nq = 1, .nv = 1, .q = duffing_start,
                         .v = at_rest, .constant = CAROM_MASS,
                         .mass = unit_mass, .force = duffing_force};
}

static carom_model free_double(void)
{
    carom_model m = double_pendulum();
    m.ncontact = 0;
    return m;
}

/* Classical Runge-Kutta with sums in long double, so that rounding does not add up: good to about 1e-14. */
static void fine_run(const carom_model *m, double t, double t_end, long double *x)
{
    int n = 2 * m->nv, steps = (int)ceil((t_end - t) / 1.5e-4);
    long double h = ((long double)t_end - t) / steps;
    for (int s = 0; s < steps; s++) {
        double k[4][2 * REFERENCE_MAX], z[2 * REFERENCE_MAX];
        const double c[] = {0, 0.5, 0.5, 1};
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < n; i++)
                z[i] = (double)(x[i] + (j ? h * c[j] * k[j - 1][i] : 0));
            reference_acceleration(m, (double)(t + (s + c[j]) * h), z, k[j]);
        }
        for (int i = 0; i < n; i++)
            x[i] += h * ((long double)k[0][i] + 2 * (long double)k[1][i] + 2 * (long double)k[2][i] + k[3][i]) / 6;
    }
}

/* The largest error of q and v at the nodes; *at_end the errors at T. */
static double largest_error(const carom_model *m, const char *scheme, double T, int steps, double at_end[2])
{
    long double x[2 * REFERENCE_MAX] = {0};
    double t = 0, most = 0;
    int n = m->nv;
    for (int i = 0; i < n; i++)
        x[i] = m->q[i], x[n + i] = m->v ? m->v[i] : 0;
    carom_sim *sim = start_fields(m, scheme, T / steps);
    const carom_state *s = carom_sim_state(sim);
    for (int k = 0; k < steps; k++) {
        STEP(sim);
        fine_run(m, t, s->t, x), t = s->t;
        at_end[0] = at_end[1] = 0;
        for (int i = 0; i < n; i++) {
            at_end[0] = fmax(at_end[0], fabs(s->q[i] - (double)x[i]));
            at_end[1] = fmax(at_end[1], fabs(s->v[i] - (double)x[n + i]));
        }
        most = fmax(most, fmax(at_end[0], at_end[1]));
    }
    carom_sim_free(sim);
    return most;
}

/* The slope of all errors between rounding and `coarse`, over many numbers of steps. */
static double smooth_order(const carom_model *m, const char *scheme, double T, int first, double coarse)
{
    enum { MOST = 40 };
    double h[MOST], error[MOST], end[2];
    int n = 0;
    for (int steps = first; n < MOST; steps += 1 + steps / 6) {
        error[n] = largest_error(m, scheme, T, steps, end);
        h[n] = T / steps;
        if (error[n] < 4e-13 || steps > 400)
            break;
        n += error[n] < coarse;
    }
    ck_assert_int_ge(n, 4);
    return fitted_order(n, h, error);
}

START_TEST(smooth_orders_are_2_4_4_6_6_8_8_10)
{
    const carom_model models[] = {pendulum(), duffing(), free_double()};
    const double T[] = {2, 6, 1}, tolerance[] = {0.1, 0.1, 0.15, 0.3, 0.3, 0.8, 1.2, 0.8};
    const double coarse[3][5] = {
        {1e-2, 1e-4, 1e-4, 1e-4, 1e-4}, {1e-2, 1e-4, 1e-4, 1e-6, 1e-6}, {1e-2, 1e-4, 1e-4, 1e-4, 1e-6}};
    const int expected[] = {2, 4, 4, 6, 6, 8, 8, 10};
    for (int m = 0; m < 3; m++)
        for (int f = 0; f < 2; f++)
            for (int M = 1; M <= 8; M++) {
                char scheme[64];
                double smooth, impact;
                snprintf(scheme, sizeof scheme, "%s:degree=%d", families[f], M);
                double order = smooth_order(&models[m], scheme, T[m], 3, coarse[m][M / 2]);
                printf("%s %s: order %.3f\n", models[m].name, scheme, order);
                CHECK_NEAR(order, expected[M - 1], tolerance[M - 1]);
                carom_options o = carom_options_default();
                carom_options_set(&o, "scheme", scheme, NULL);
                carom_scheme_orders(&o, &smooth, &impact);
                CHECK_NEAR(smooth, expected[M - 1], 0);
                CHECK_NEAR(impact, 1, 0);
            }
}
END_TEST

START_TEST(errors_have_the_published_size)
{
    const carom_model p = pendulum(), d = duffing();
    const struct { const carom_model *m; int f, M, steps; double q, v; } rows[] = {
        {&p, 0, 1, 64, 1.101575e-03, 6.112426e-03}, {&p, 0, 2, 32, 2.340538e-07, 2.630338e-06},
        {&p, 0, 3, 32, 6.296720e-07, 1.904937e-06}, {&p, 0, 4, 16, 6.265708e-09, 6.700114e-08},
        {&p, 0, 5, 16, 1.512407e-09, 1.209762e-09}, {&p, 0, 6, 8, 8.475683e-10, 1.384370e-09},
        {&p, 0, 8, 4, 2.287985e-08, 1.091690e-07},  {&p, 1, 1, 64, 1.101575e-03, 6.112426e-03},
        {&p, 1, 3, 32, 5.508029e-07, 2.185684e-06}, {&p, 1, 4, 16, 1.966092e-09, 8.040494e-08},
        {&p, 1, 7, 6, 1.163985e-08, 9.805765e-09},  {&d, 0, 1, 64, 2.456599e-05, 3.611568e-05},
        {&d, 0, 2, 16, 2.449341e-07, 5.241743e-07}, {&d, 0, 4, 8, 1.953235e-09, 5.990606e-09},
        {&d, 1, 1, 64, 2.420095e-05, 3.491662e-05}, {&d, 1, 2, 16, 2.350668e-07, 4.974621e-07},
        {&d, 1, 3, 16, 6.457526e-08, 1.156310e-07}, {&d, 1, 4, 8, 2.384836e-09, 5.379338e-09}};
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        char scheme[64];
        double end[2];
        snprintf(scheme, sizeof scheme, "%s:degree=%d", families[rows[i].f], rows[i].M);
        largest_error(rows[i].m, scheme, 2, rows[i].steps, end);
        CHECK_NEAR(end[0], rows[i].q, 6e-7 * rows[i].q + 1e-13);
        CHECK_NEAR(end[1], rows[i].v, 6e-7 * rows[i].v + 1e-13);
    }
}
END_TEST

START_TEST(end_states_agree_to_all_known_digits)
{
    const carom_model p = pendulum(), d = duffing();
    for (int f = 0; f < 2; f++) {
        carom_sim *a = start(&p, f, 12, 0.25), *b = start(&d, f, 4, 0.02);
        RUN(a, 2);
        RUN(b, 2);
        CHECK_NEAR(carom_sim_state(a)->q[0], 0.84553324, 5e-9);
        CHECK_NEAR(carom_sim_state(a)->v[0], 1.63213028, 5e-9);
        CHECK_NEAR(carom_sim_state(b)->q[0], 1.07451073, 5e-9);
        CHECK_NEAR(carom_sim_state(b)->v[0], -0.21393999, 5e-9);
        carom_sim_free(a), carom_sim_free(b);
    }
}
END_TEST

START_TEST(alternating_degrees_converge_with_the_lower_order)
{
    const struct { const char *fields; int order; } cases[] = {
        {"degree=1:alternate=4", 2}, {"degree=4:alternate=1", 2}, {"degree=2:alternate=5", 4},
        {"degree=6:alternate=0", 1}, {"degree=4:alternate=5", 6}};
    const double coarse[] = {0, 0.3, 1e-2, 0, 1e-4, 0, 1e-7}; /* by order */
    const carom_model m = free_double();
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 5; i++) {
            char scheme[64];
            double smooth, impact;
            snprintf(scheme, sizeof scheme, "%s:%s", families[f], cases[i].fields);
            double order = smooth_order(&m, scheme, 1, 16, coarse[cases[i].order]);
            printf("%s: order %.3f\n", scheme, order);
            CHECK_NEAR(order, cases[i].order, 0.3);
            carom_options o = carom_options_default();
            carom_options_set(&o, "scheme", scheme, NULL);
            carom_scheme_orders(&o, &smooth, &impact);
            CHECK_NEAR(smooth, cases[i].order, 0);
        }
}
END_TEST

START_TEST(degree_zero_is_the_explicit_and_the_implicit_scheme_of_moreau_and_jean)
{
    const carom_model models[] = {pendulum(), duffing(), free_double()};
    for (int f = 0; f < 2; f++)
        for (int m = 0; m < 2; m++) { /* of M(q) the two freeze different points */
            carom_sim *a = start(&models[m], f, 0, 0.01);
            carom_sim *b = start_fields(&models[m], f ? "moreau-jean:theta=1" : "moreau-jean:theta=0", 0.01);
            for (int k = 0; k < 200; k++) {
                STEP(a);
                STEP(b);
                CHECK_NEAR(carom_sim_state(a)->q[0], carom_sim_state(b)->q[0], 1e-12);
                CHECK_NEAR(carom_sim_state(a)->v[0], carom_sim_state(b)->v[0], 1e-12);
            }
            carom_sim_free(a), carom_sim_free(b);
        }
    for (int f = 0; f < 2; f++)
        CHECK_NEAR(smooth_order(&models[2], f ? "dg-plus:degree=0" : "dg-minus:degree=0", 1, 16, 0.3), 1, 0.2);
}
END_TEST

/* ---- stiff forces: sweeps diverge, Newton's method does not ---- */
START_TEST(strong_damping_is_left_to_Newton_and_to_the_implicit_family)
{
    point_store store;
    const double c = 1e4, force = -10;
    carom_model m = point_model(&store, 1, force, 0, c, 0.5, 100, 1);
    m.ncontact = 0, m.jacobian = NULL;
    for (int M = 0; M <= 8; M++) {
        carom_sim *sim = start(&m, 1, M, 0.01);
        RUN(sim, 1);
        const carom_state *s = carom_sim_state(sim);
        CHECK_AT_LEAST(carom_sim_info(sim)->newton_iterations, 10);
        CHECK_NEAR(s->v[0], force / c, 1e-9);
        CHECK_NEAR(s->q[0], 100 + 1 / c + force / c, 0.02); /* the fast part is not resolved */
        carom_sim_free(sim);
    }
}
END_TEST

START_TEST(newton_needs_two_iterations_where_forces_are_linear)
{
    point_store store;
    carom_model m = point_model(&store, 1, -10, 400, 2000, 0.5, 1, 0); /* h^2 k = 1, h c = 100 */
    m.ncontact = 0, m.jacobian = NULL;
    for (int M = 0; M <= 4; M++) {
        carom_sim *sim = start(&m, 1, M, 0.05);
        for (int k = 0; k < 40; k++)
            STEP(sim);
        CHECK_AT_LEAST(carom_sim_info(sim)->newton_iterations, 40);
        CHECK_AT_MOST(carom_sim_info(sim)->newton_iterations, 80);
        carom_sim_free(sim);
    }
}
END_TEST

static void thick_air(const carom_point *at, double *F)
{
    F[0] = -1000 * at->v[0], F[1] = -9.81 - 1000 * at->v[1];
}

START_TEST(newton_knows_what_joints_carry)
{
    cartesian_store store;
    carom_model m = cartesian_pendulum(&store);
    m.force = thick_air;
    for (int M = 0; M <= 4; M++) {
        carom_sim *sim = start(&m, 1, M, 0.05);
        for (int k = 0; k < 40; k++)
            STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        CHECK_AT_MOST(carom_sim_info(sim)->newton_iterations, 800);
        CHECK_NEAR(hypot(s->q[0], s->q[1]), 1, 1e-14);
        CHECK_NEAR(s->v[0] * s->q[1] - s->v[1] * s->q[0], 9.81 / 1000 * s->q[0], 1e-4); /* weight, air */
        carom_sim_free(sim);
    }
}
END_TEST

/* ---- dense output ---- */
START_TEST(dense_output_has_the_order_of_its_degree)
{
    const carom_model m = pendulum();
    for (int f = 0; f < 2; f++)
        for (int M = 1; M <= 4; M++) {
            double h[4], error_q[4], error_v[4];
            for (int k = 0; k < 4; k++) {
                carom_error error;
                carom_trajectory *tr;
                carom_sim *sim = start(&m, f, M, h[k] = 0.1 / (1 << k));
                CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
                RUN(sim, 1);
                long double x[2] = {pendulum_start[0], pendulum_speed[0]};
                double t = 0, q, v;
                error_q[k] = error_v[k] = 0;
                for (int i = 1; i <= 37; i++) {
                    double at = i * 0.027;
                    fine_run(&m, t, at, x), t = at;
                    ck_assert_int_eq(carom_trajectory_at(tr, at, 1, &q, &v), CAROM_OK);
                    error_q[k] = fmax(error_q[k], fabs(q - (double)x[0]));
                    error_v[k] = fmax(error_v[k], fabs(v - (double)x[1]));
                }
                carom_trajectory_free(tr);
                carom_sim_free(sim);
            }
            CHECK_AT_LEAST(fitted_order(4, h, error_v), M + 1 - 0.3);
            CHECK_AT_LEAST(fitted_order(4, h, error_q), fmin(M + 2, M % 2 ? M + 1 : M + 2) - 0.4);
        }
}
END_TEST

TEST_MAIN("Galerkin", the_coefficients_have_the_published_values, the_coefficients_satisfy_their_identities,
          the_shapes_and_the_linear_family_are_those_of_the_paper, smooth_orders_are_2_4_4_6_6_8_8_10,
          errors_have_the_published_size,
          end_states_agree_to_all_known_digits, alternating_degrees_converge_with_the_lower_order,
          degree_zero_is_the_explicit_and_the_implicit_scheme_of_moreau_and_jean,
          strong_damping_is_left_to_Newton_and_to_the_implicit_family,
          newton_needs_two_iterations_where_forces_are_linear, newton_knows_what_joints_carry,
          dense_output_has_the_order_of_its_degree)
