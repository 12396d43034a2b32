/* test_model_derive.c: what is derived from energies and gaps equals what a person derives by hand. */
#include "model/check.h"
#include "model_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

static const char double_pendulum[] =
    "carom: 1\n"
    "parameters: {m1: 1.3, m2: 0.7, l1: 0.9, l2: 1.1, g: 9.81, c: 0.2, mu: 0.3}\n"
    "coordinates: {a: 0.3, b: -0.2}\n"
    "let:\n"
    "  xd: l1*cos(a)*a' + l2*cos(b)*b'\n"
    "  yd: l1*sin(a)*a' + l2*sin(b)*b'\n"
    "kinetic: m1*l1^2*a'^2/2 + m2*(xd^2 + yd^2)/2\n"
    "potential: -m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b))\n"
    "forces: {a: -c*a', b: sin(t)}\n"
    "contacts:\n"
    "  wall: {gap: l1*sin(a) + l2*sin(b) + 2 + sin(t)/10, slip: [yd], friction: mu, restitution: 0.5}\n";

START_TEST(a_double_pendulum_from_energies_equals_the_one_derived_by_hand)
{
    carom_model *m = model_of(double_pendulum);
    carom_probe k = probe_of(m, ALL);
    uint64_t state = 1;
    const double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.1, g = 9.81, c = 0.2;
    for (int point = 0; point < 200; point++) {
        scatter_point(&k, &state);
        carom_probe_eval(&k);
        double a = k.q[0], b = k.q[1], ad = k.v[0], bd = k.v[1], coupling = m2 * l1 * l2;
        double M[4] = {(m1 + m2) * l1 * l1, coupling * cos(a - b), coupling * cos(a - b), m2 * l2 * l2};
        double F[2] = {-coupling * sin(a - b) * bd * bd - (m1 + m2) * g * l1 * sin(a) - c * ad,
                       coupling * sin(a - b) * ad * ad - m2 * g * l2 * sin(b) + sin(k.t)};
        double G[4] = {l1 * cos(a), l2 * cos(b), l1 * sin(a), l2 * sin(b)};
        double w[2] = {cos(k.t) / 10, 0};
        double gamma[2] = {-l1 * sin(a) * ad * ad - l2 * sin(b) * bd * bd - sin(k.t) / 10,
                           l1 * cos(a) * ad * ad + l2 * cos(b) * bd * bd};
        CHECK_ARRAY(k.at.M, M, 4, 1e-14);
        CHECK_ARRAY(k.at.F, F, 2, 1e-14);
        CHECK_ARRAY(k.at.G, G, 4, 1e-14);
        CHECK_ARRAY(k.at.w, w, 2, 1e-14);
        CHECK_ARRAY(k.at.gamma, gamma, 2, 1e-14);
        double T = (M[0] * ad * ad + 2 * M[1] * ad * bd + M[3] * bd * bd) / 2;
        double V = -m1 * g * l1 * cos(a) - m2 * g * (l1 * cos(a) + l2 * cos(b));
        double energy[4] = {T, V, sin(k.t) * bd, -c * ad * ad};
        CHECK_ARRAY(k.at.energy, energy, 4, 1e-14);
        double R_q[4] = {/* of M a - s F - G^T x by hand */
            -coupling * sin(a - b) * k.a[1] + k.s * (coupling * cos(a - b) * bd * bd + (m1 + m2) * g * l1 * cos(a)) +
                l1 * sin(a) * k.x[0] - l1 * cos(a) * k.x[1],
            coupling * sin(a - b) * k.a[1] - k.s * coupling * cos(a - b) * bd * bd,
            -coupling * sin(a - b) * k.a[0] - k.s * coupling * cos(a - b) * ad * ad,
            coupling * sin(a - b) * k.a[0] + k.s * (coupling * cos(a - b) * ad * ad + m2 * g * l2 * cos(b)) +
                l2 * sin(b) * k.x[0] - l2 * cos(b) * k.x[1]};
        double R_v[4] = {k.s * c, 2 * k.s * coupling * sin(a - b) * bd, -2 * k.s * coupling * sin(a - b) * ad, 0};
        CHECK_ARRAY(k.at.R_q, R_q, 4, 1e-14);
        CHECK_ARRAY(k.at.R_v, R_v, 4, 1e-14);
    }
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(the_slider_crank_equals_the_one_derived_by_hand)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "slider-crank", NULL, &error), error);
    carom_probe k = probe_of(m, BASE);
    uint64_t state = 2;
    const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001, m1 = 0.038, m2 = 0.038, m3 = 0.076;
    const double J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81;
    for (int point = 0; point < 200; point++) {
        scatter_point(&k, &state);
        carom_probe_eval(&k);
        double s1 = sin(k.q[0]), c1 = cos(k.q[0]), s2 = sin(k.q[1]), c2 = cos(k.q[1]), s3 = sin(k.q[2]),
               c3 = cos(k.q[2]);
        double coupling = (m2 / 2 + m3) * l1 * l2, w1 = k.v[0], w2 = k.v[1];
        double cosine = coupling * (c1 * c2 + s1 * s2), sine = coupling * (s1 * c2 - c1 * s2);
        double M[9] = {J1 + (m1 / 4 + m2 + m3) * l1 * l1, cosine, 0, cosine, J2 + (m2 / 4 + m3) * l2 * l2, 0, 0, 0, J3};
        double F[3] = {-sine * w2 * w2 - (m1 / 2 + m2 + m3) * g * l1 * c1,
                       sine * w1 * w1 - (m2 / 2 + m3) * g * l2 * c2, 0};
        double y = l1 * s1 + l2 * s2, y1 = b * c3 - a * s3, y2 = b * c3 + a * s3;
        double gap[4] = {b + c - y - y1, b + c - y - y2, b + c + y - y2, b + c + y - y1};
        double G[24] = {-l1 * c1, -l2 * c2, b * s3 + a * c3, -l1 * s1, -l2 * s2, -y1,
                        -l1 * c1, -l2 * c2, b * s3 - a * c3, -l1 * s1, -l2 * s2, -y2,
                        l1 * c1, l2 * c2, b * s3 - a * c3, -l1 * s1, -l2 * s2, y2,
                        l1 * c1, l2 * c2, b * s3 + a * c3, -l1 * s1, -l2 * s2, y1};
        CHECK_ARRAY(k.at.M, M, 9, 1e-14);
        CHECK_ARRAY(k.at.F, F, 3, 2e-14); /* sin(th1 - th2) here by the addition theorem */
        CHECK_ARRAY(k.at.g, gap, 4, 1e-14);
        CHECK_ARRAY(k.at.G, G, 24, 1e-14);
    }
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

/* Pendulum whose pivot moves up and down: T has parts of degree 2, 1 and 0 in the velocity, and time in it. */
static const char shaken[] =
    "carom: 1\n"
    "parameters: {m: 2, l: 0.5, g: 9.81, A: 0.3, w: 4, c: 0.1}\n"
    "coordinates: {th: 0.4}\n"
    "velocities: {th: 1}\n"
    "kinetic: m*((l*cos(th)*th')^2 + (l*sin(th)*th' + A*w*cos(w*t))^2)/2\n"
    "potential: m*g*(A*sin(w*t) - l*cos(th))\n"
    "forces: {th: -c*th' + sin(th)*t}\n";

START_TEST(time_and_lower_degrees_of_the_kinetic_energy_are_kept)
{
    carom_model *m = model_of(shaken);
    carom_probe k = probe_of(m, BASE);
    uint64_t state = 3;
    const double mass = 2, l = 0.5, g = 9.81, A = 0.3, w = 4, c = 0.1;
    for (int point = 0; point < 200; point++) {
        scatter_point(&k, &state);
        carom_probe_eval(&k);
        double th = k.q[0], thd = k.v[0], t = k.t;
        /* m l^2 th'' = -m l (g - A w^2 sin wt) sin th + f */
        double M = mass * l * l, F = -mass * l * (g - A * w * w * sin(w * t)) * sin(th) - c * thd + sin(th) * t;
        CHECK_NEAR(k.at.M[0], M, 1e-14 * M);
        CHECK_NEAR(k.at.F[0], F, 1e-13 * (1 + fabs(F)));
        double T2 = M * thd * thd / 2, T0 = mass * pow(A * w * cos(w * t), 2) / 2;
        CHECK_NEAR(k.at.energy[0], T2, 1e-14 * (1 + T2));
        CHECK_NEAR(k.at.energy[1], mass * g * (A * sin(w * t) - l * cos(th)) - T0, 1e-13 * (10 + T0));
        CHECK_NEAR(k.at.energy[3], -c * thd * thd, 1e-14 * (1 + thd * thd));
    }
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

/* Polar coordinates with a rotating frame, and `idle` further coordinates: F by hand, whichever way it is derived. */
static void check_polar(int idle)
{
    char text[8000];
    int n = snprintf(text, sizeof text, "carom: 1\nparameters: {m: 2, w: 0.7}\ncoordinates: {r: 1, th: 0");
    for (int i = 0; i < idle; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ", z%d: 0", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "}\nkinetic: m/2*(1 + t)*(r'^2 + r^2*(th' + w)^2)");
    for (int i = 0; i < idle; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " + z%d'^2", i);
    snprintf(text + n, sizeof text - (size_t)n, "\n");
    carom_model *m = model_of(text);
    carom_probe k = probe_of(m, BASE);
    uint64_t state = 9;
    for (int point = 0; point < 20; point++) {
        scatter_point(&k, &state);
        carom_probe_eval(&k);
        double mass = 2 * (1 + k.t), r = k.q[0], rd = k.v[0], turn = k.v[1] + 0.7;
        double F[2] = {mass * r * turn * turn - 2 * rd, -2 * mass * r * rd * turn - 2 * r * r * turn};
        CHECK_ARRAY(k.at.F, F, 2, 1e-14);
    }
    carom_probe_free(&k);
    carom_model_free(m);
}

START_TEST(polar_coordinates_in_a_rotating_frame_equal_the_ones_derived_by_hand)
{
    check_polar(0);
    check_polar(60);
}
END_TEST

/* d/dt (T2 - T0 + V) along a motion through (q, v, a = M^-1 F), by a fourth-order difference. */
static void check_power(const char *text, uint64_t seed)
{
    carom_model *m = model_of(text);
    carom_probe k = probe_of(m, BASE), moved = probe_of(m, BASE);
    uint64_t state = seed;
    for (int point = 0; point < 50; point++) {
        scatter_point(&k, &state);
        carom_probe_eval(&k);
        double *M = k.at.M, *F = k.at.F, *a = k.a;
        if (m->nv == 1) {
            a[0] = F[0] / M[0];
        } else {
            double det = M[0] * M[3] - M[1] * M[2];
            a[0] = (M[3] * F[0] - M[1] * F[1]) / det;
            a[1] = (M[0] * F[1] - M[2] * F[0]) / det;
        }
        const double h = 1e-3, weight[5] = {1, -8, 0, 8, -1};
        double rate = 0, size = fabs(k.at.energy[0]) + fabs(k.at.energy[1]) + 1;
        for (int i = 0; i < 5; i++) {
            double s = (i - 2) * h;
            moved.t = k.t + s;
            for (int j = 0; j < m->nv; j++) {
                moved.q[j] = k.q[j] + s * k.v[j] + s * s / 2 * a[j];
                moved.v[j] = k.v[j] + s * a[j];
            }
            carom_probe_eval(&moved);
            rate += weight[i] / (12 * h) * (moved.at.energy[0] + moved.at.energy[1]);
        }
        CHECK_NEAR(k.at.energy[2] + k.at.energy[3], rate, 1e-7 * size);
    }
    carom_probe_free(&moved);
    carom_probe_free(&k);
    carom_model_free(m);
}

START_TEST(power_is_the_rate_of_energy_along_the_motion)
{
    check_power(double_pendulum, 4);
    check_power(shaken, 5);
    check_power("carom: 1\n" /* mass and force as written: Coriolis terms are in F */
                "parameters: {m: 2, k: 3}\n"
                "coordinates: {r: 1, th: 0}\n"
                "mass: [[m, 0], [0, m*(r^2 + 1)]]\n"
                "force: {r: m*r*th'^2 - k*r - r', th: -2*m*r*r'*th' + cos(t)}\n", 6);
}
END_TEST

START_TEST(derivatives_of_every_built_in_model_agree_with_finite_differences)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_model *m = NULL;
        carom_error error = {0};
        carom_verdict verdict[CAROM_VERDICTS];
        int n = 0;
        CHECK_OK(carom_model_load(&m, carom_builtin_name(i), NULL, &error), error);
        CHECK_OK(carom_model_verify(m, 5, 7, verdict, &n, &error), error);
        ck_assert_int_ge(n, 3);
        for (int j = 0; j < n; j++)
            ck_assert_msg(verdict[j].ok && verdict[j].error < 1e-5, "%s: %s is off by %.2g", carom_builtin_name(i),
                          verdict[j].name, verdict[j].error);
        carom_model_free(m);
    }
}
END_TEST

/* An evaluator that has one entry wrong. */
static const carom_evaluator *right;
static unsigned wrong_bit;

static void wrong_eval(const carom_model *m, const carom_eval *e, void *work)
{
    right->eval(m, e, work);
    output_array list[OUTPUT_ARRAYS];
    output_arrays(m, e, list);
    for (int i = 0; i < OUTPUT_ARRAYS; i++)
        if (e->want & wrong_bit && list[i].bit == wrong_bit && e->want & CAROM_R_Q) /* only beside the derivatives */
            (*list[i].at)[list[i].n - 1] += 1e-3;
}

START_TEST(the_check_finds_a_single_wrong_entry_of_any_derivative)
{
    carom_model *m = model_of(double_pendulum);
    right = m->evaluator;
    const carom_evaluator wrong = {right->prepare, right->work_bytes, right->begin, wrong_eval};
    const unsigned bits[] = {CAROM_GAMMA, CAROM_R_Q, CAROM_R_V, CAROM_R_P, CAROM_U_Q,
                             CAROM_U_P,   CAROM_A_Q, CAROM_A_V, CAROM_A_P, CAROM_ENERGY};
    m->evaluator = &wrong;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        carom_verdict verdict[CAROM_VERDICTS];
        carom_error error = {0};
        int n = 0, bad = 0;
        wrong_bit = bits[i];
        CHECK_OK(carom_model_verify(m, 3, 8, verdict, &n, &error), error);
        for (int j = 0; j < n; j++)
            bad += !verdict[j].ok;
        ck_assert_msg(bad == 1, "%d verdicts are bad for bit %x", bad, bits[i]);
    }
    m->evaluator = right;
    carom_model_free(m);
}
END_TEST

static unsigned constants_of(const char *text)
{
    carom_model *m = model_of(text);
    unsigned mask = m->constant;
    carom_model_free(m);
    return mask;
}

START_TEST(what_depends_on_parameters_alone_is_known_to_be_constant)
{
    const unsigned interesting =
        CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW | CAROM_R_Q | CAROM_R_V | CAROM_U_Q;
    ck_assert_uint_eq(
        constants_of("carom: 1\nparameters: {m: 1, e: 0.5}\ncoordinates: {y: 1}\nkinetic: m*y'^2/2\npotential: m*9*y\n"
                     "contacts: {ground: {gap: y, restitution: e}}\n") &
            interesting,
        interesting);
    /* a linear spring and damper: F changes, its gradients do not */
    ck_assert_uint_eq(
        constants_of("carom: 1\nparameters: {k: 1}\ncoordinates: {y: 1}\nkinetic: y'^2/2\npotential: k*y^2/2\n"
                     "forces: {y: -k*y' + sin(t)}\n"
                     "contacts: {ground: {gap: y - sin(t), restitution: abs(cos(y))}}\n") &
            interesting,
        CAROM_MASS | CAROM_R_Q | CAROM_R_V | CAROM_U_Q);
    ck_assert_uint_eq(constants_of(double_pendulum) & interesting, CAROM_LAW);
}
END_TEST

START_TEST(products_of_velocities_that_cancel_are_gone)
{
    carom_model *m = model_of(double_pendulum);
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK_OK(carom_model_describe(m, file, &error), error);
    fclose(file);
    ck_assert_msg(strstr(text, "M[b, a] = ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "b'^2") != NULL, "%s", text);
    char *forces = strstr(text, "F[a]");
    ck_assert_ptr_nonnull(forces);
    *strchr(forces, '\n') = 0;
    ck_assert_msg(strstr(forces, "a'*b'") == NULL && strstr(forces, "b'*a'") == NULL, "%s", forces);
    free(text);
    carom_model_free(m);
}
END_TEST

TEST_MAIN("model: derivation", a_double_pendulum_from_energies_equals_the_one_derived_by_hand,
          the_slider_crank_equals_the_one_derived_by_hand, time_and_lower_degrees_of_the_kinetic_energy_are_kept,
          polar_coordinates_in_a_rotating_frame_equal_the_ones_derived_by_hand,
          power_is_the_rate_of_energy_along_the_motion,
          derivatives_of_every_built_in_model_agree_with_finite_differences,
          the_check_finds_a_single_wrong_entry_of_any_derivative,
          what_depends_on_parameters_alone_is_known_to_be_constant, products_of_velocities_that_cancel_are_gone)
#endif
