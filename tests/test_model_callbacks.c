/* test_model_callbacks.c: models filled by hand: differences against exact derivatives, lanes, and what is refused. */
#include "model/check.h"
#include "model_testing.h"

/* Two masses on a plane curve with a moving floor: M(q), F(t,q,v), a joint, a contact with planar friction.
 * p = {m, k, c}. Written so that all derivatives can be given or left out. */
static void mass(const carom_point *at, double *M)
{
    double m = at->p[0];
    M[0] = m * (2 + sin(at->q[1])), M[1] = M[2] = m * 0.3 * cos(at->q[0]), M[3] = 1 + at->q[0] * at->q[0];
}

static void force(const carom_point *at, double *F)
{
    double k = at->p[1], c = at->p[2];
    F[0] = -k * at->q[0] - c * at->v[0] * at->v[1] + sin(3 * at->t);
    F[1] = -k * sin(at->q[1]) * at->q[0] - c * at->v[1];
}

static void potential(const carom_point *at, double *V)
{
    V[0] = at->p[1] * (at->q[0] * at->q[0] / 2 + at->q[1]) + at->t * at->q[0];
}

static void gap(const carom_point *at, double *g)
{
    double a = at->q[0], b = at->q[1], m = at->p[0];
    g[0] = a * a * b + m * sin(b) - 0.1 * sin(at->t);     /* joint */
    g[1] = 2 + a + b * b * a + 0.2 * cos(2 * at->t) * b;  /* contact */
}

static void slip(const carom_point *at, double *u)
{
    u[0] = cos(at->q[1]) * at->v[0] + at->p[0] * at->q[0] * at->v[1] - 0.5 * sin(at->t);
}

static void jacobian(const carom_point *at, double *G)
{
    double a = at->q[0], b = at->q[1], m = at->p[0];
    G[0] = 2 * a * b, G[1] = a * a + m * cos(b);
    G[2] = 1 + b * b, G[3] = 2 * a * b + 0.2 * cos(2 * at->t);
    G[4] = cos(b), G[5] = m * a;
}

static void offset(const carom_point *at, double *w)
{
    w[0] = -0.1 * cos(at->t);
    w[1] = -0.4 * sin(2 * at->t) * at->q[1];
    w[2] = -0.5 * sin(at->t);
}

static void gamma_rows(const carom_point *at, double *out)
{
    double a = at->q[0], b = at->q[1], m = at->p[0], ad = at->v[0], bd = at->v[1], t = at->t;
    out[0] = 2 * b * ad * ad + 4 * a * ad * bd - m * sin(b) * bd * bd + 0.1 * sin(t);
    out[1] = 4 * b * ad * bd + 2 * a * bd * bd - 0.8 * cos(2 * t) * b - 0.8 * sin(2 * t) * bd;
    out[2] = -sin(b) * bd * ad + m * ad * bd - 0.5 * cos(t);
}

static void force_q(const carom_point *at, double *F_q)
{
    double k = at->p[1];
    F_q[0] = -k, F_q[1] = 0;
    F_q[2] = -k * sin(at->q[1]), F_q[3] = -k * cos(at->q[1]) * at->q[0];
}

static void force_v(const carom_point *at, double *F_v)
{
    double c = at->p[2];
    F_v[0] = -c * at->v[1], F_v[1] = -c * at->v[0], F_v[2] = 0, F_v[3] = -c;
}

static const double start_q[2] = {0.5, -0.3}, start_v[2] = {0.2, 0.1}, start_p[3] = {1.5, 4, 0.3};
static const carom_contact contact[1] = {
    {.name = "floor", .directions = 1, .restitution = 0.5, .restitution_t = 0.1, .friction = 0.2}};

static carom_model plain_model(void)
{
    return (carom_model){.size = sizeof(carom_model), .name = "plain",
                         .nq = 2,
                         .nv = 2,
                         .np = 3,
                         .njoint = 1,
                         .ncontact = 1,
                         .contact = contact,
                         .q = start_q,
                         .v = start_v,
                         .p = start_p,
                         .mass = mass,
                         .force = force,
                         .gap = gap,
                         .slip = slip,
                         .potential = potential};
}

static carom_model full_model(void)
{
    carom_model m = plain_model();
    m.jacobian = jacobian, m.offset = offset, m.gamma = gamma_rows, m.force_q = force_q, m.force_v = force_v;
    return m;
}

#ifndef CAROM_NO_YAML
/* The same system in the expression language. */
static const char text[] = "carom: 1\n"
                           "parameters: {m: 1.5, k: 4, c: 0.3}\n"
                           "coordinates: {a: 0, b: 0}\n"
                           "velocities: {a: 0, b: 0.1/1.5}\n"
                           "mass: [[m*(2 + sin(b)), m*0.3*cos(a)], [m*0.3*cos(a), 1 + a^2]]\n"
                           "force: {a: -k*a - c*a'*b' + sin(3*t), b: -k*sin(b)*a - c*b'}\n"
                           "constraints: {rod: a^2*b + m*sin(b) - 0.1*sin(t)}\n"
                           "contacts: {floor: {gap: 2 + a + b^2*a + 0.2*cos(2*t)*b, slip: [\"cos(b)*a' + m*a*b' - "
                           "0.5*sin(t)\"], friction: 0.2,\n"
                           "                   restitution: 0.5, restitution_t: 0.1}}\n";

static void compare(carom_model *m, const carom_model *exact, unsigned want, double tolerance)
{
    carom_probe k = probe_of(m, want), e = probe_of(exact, want);
    uint64_t state = 11;
    for (int point = 0; point < 40; point++) {
        output_array found[OUTPUT_ARRAYS], expected[OUTPUT_ARRAYS];
        scatter_point(&e, &state);
        copy_point(&k, &e);
        carom_probe_eval(&e);
        carom_probe_eval(&k);
        output_arrays(m, &k.at, found);
        output_arrays(exact, &e.at, expected);
        for (int i = 0; i < OUTPUT_ARRAYS; i++)
            for (int j = 0; want & found[i].bit && j < found[i].n; j++)
                ck_assert_msg(
                    fabs((*found[i].at)[j] - (*expected[i].at)[j]) <= tolerance * (10 + fabs((*expected[i].at)[j])),
                    "%s[%d] = %.17g, expected %.17g", found[i].name, j, (*found[i].at)[j], (*expected[i].at)[j]);
    }
    carom_probe_free(&e);
    carom_probe_free(&k);
}

START_TEST(differences_agree_with_exact_derivatives)
{
    carom_model plain = plain_model(), full = full_model(), *exact = model_of(text);
    compare(&full, exact, CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, 1e-13);
    compare(&full, exact,
            CAROM_R_Q | CAROM_R_V | CAROM_R_P | CAROM_U_Q | CAROM_U_P | CAROM_A_Q | CAROM_A_V | CAROM_A_P, 1e-10);
    compare(&plain, exact, CAROM_JACOBIAN, 1e-11);
    compare(&plain, exact, CAROM_GAMMA, 1e-8);
    compare(&plain, exact, CAROM_R_Q | CAROM_R_V | CAROM_R_P | CAROM_U_Q | CAROM_U_P, 3e-8);
    compare(&plain, exact, CAROM_A_Q | CAROM_A_V | CAROM_A_P, 1e-6);
    carom_model_free(exact);
}
END_TEST
#endif

START_TEST(energy_without_a_potential_counts_all_force_as_power)
{
    carom_model m = full_model();
    carom_probe k = probe_of(&m, CAROM_ENERGY);
    uint64_t state = 12;
    scatter_point(&k, &state);
    carom_probe_eval(&k);
    carom_point at = {k.t, k.q, k.v, k.p, NULL, k.model, NULL}, still = at;
    double M[4], F[2], F0[2], V, zero[2] = {0, 0};
    still.v = zero;
    mass(&at, M), force(&at, F), force(&still, F0), potential(&at, &V);
    double T = (M[0] * k.v[0] * k.v[0] + 2 * M[1] * k.v[0] * k.v[1] + M[3] * k.v[1] * k.v[1]) / 2;
    double m0 = k.p[0]; /* v^T Mdot v / 2 by hand */
    double rate = (m0 * cos(k.q[1]) * k.v[1] * k.v[0] * k.v[0] - 2 * m0 * 0.3 * sin(k.q[0]) * k.v[0] * k.v[0] * k.v[1] +
                   2 * k.q[0] * k.v[0] * k.v[1] * k.v[1]) / 2;
    double power = F0[0] * k.v[0] + F0[1] * k.v[1];
    double V_rate = k.p[1] * (k.q[0] * k.v[0] + k.v[1]) + k.t * k.v[0] + k.q[0];
    CHECK_NEAR(k.at.energy[0], T, 1e-13);
    CHECK_NEAR(k.at.energy[1], V, 1e-13);
    CHECK_NEAR(k.at.energy[2], power + V_rate, 1e-10);
    CHECK_NEAR(k.at.energy[3], (F[0] - F0[0]) * k.v[0] + (F[1] - F0[1]) * k.v[1] + rate, 1e-10);
    m.potential = NULL;
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.energy[1], 0, 0);
    CHECK_NEAR(k.at.energy[2], power, 1e-13);
    carom_probe_free(&k);
}
END_TEST

static void eight_lanes_equal_one(carom_model m)
{
    enum { LANES = 8 };
    carom_probe one = probe_of(&m, ALL);
    const carom_evaluator *evaluator = carom_model_evaluator(&m);
    double t[8], s[8], q[16], v[16], p[24], a[16], x[24], store[OUTPUT_ARRAYS][8 * 16];
    uint64_t state = 13;
    for (int i = 0; i < 8; i++)
        t[i] = uniform(&state), s[i] = uniform(&state);
    for (int i = 0; i < 16; i++)
        q[i] = uniform(&state), v[i] = uniform(&state), a[i] = uniform(&state);
    for (int i = 0; i < 24; i++)
        p[i] = 1 + uniform(&state) / 2, x[i] = uniform(&state);
    carom_eval e = {.want = ALL, .lanes = LANES, .t = t, .q = q, .v = v, .p = p, .a = a, .x = x, .s = s};
    double **out[OUTPUT_ARRAYS] = {&e.M, &e.F, &e.g, &e.G, &e.w, &e.gamma, &e.law, &e.energy, &e.outputs,
                                   &e.stop, &e.R_q, &e.R_v, &e.R_p, &e.U_q, &e.U_p, &e.A_q, &e.A_v, &e.A_p};
    for (int i = 0; i < OUTPUT_ARRAYS; i++)
        *out[i] = store[i];
    void *work = malloc(evaluator->work_bytes(&m, LANES));
    evaluator->begin(&m, LANES, p, work);
    evaluator->eval(&m, &e, work);
    for (int lane = 0; lane < LANES; lane++) {
        output_array list[OUTPUT_ARRAYS];
        one.t = t[lane], one.s = s[lane];
        for (int i = 0; i < 2; i++)
            one.q[i] = q[8 * i + lane], one.v[i] = v[8 * i + lane], one.a[i] = a[8 * i + lane];
        for (int i = 0; i < 3; i++)
            one.p[i] = p[8 * i + lane], one.x[i] = x[8 * i + lane];
        carom_probe_eval(&one);
        output_arrays(&m, &one.at, list);
        for (int i = 0; i < OUTPUT_ARRAYS; i++)
            for (int j = 0; j < list[i].n; j++)
                ck_assert_msg(memcmp(&store[i][8 * j + lane], &(*list[i].at)[j], sizeof(double)) == 0,
                              "%s[%d] of lane %d is %.17g, alone %.17g", list[i].name, j, lane, store[i][8 * j + lane],
                              (*list[i].at)[j]);
    }
    free(work);
    carom_probe_free(&one);
}

START_TEST(eight_lanes_give_the_bits_of_one)
{
    eight_lanes_equal_one(full_model());
    eight_lanes_equal_one(plain_model());
}
END_TEST

/* Forces of all lanes at once, one more in the first row so that it is seen who was asked. */
static unsigned all_forces(const carom_model *m, const carom_eval *e)
{
    for (int lane = 0; lane < e->lanes && e->want & CAROM_FORCE; lane++) {
        double q[2] = {e->q[lane], e->q[e->lanes + lane]}, v[2] = {e->v[lane], e->v[e->lanes + lane]}, p[3], F[2];
        for (int i = 0; i < 3; i++)
            p[i] = e->p[i * e->lanes + lane];
        force(&(carom_point){e->t[lane], q, v, p, m->user, m, NULL}, F);
        e->F[lane] = F[0] + 1, e->F[e->lanes + lane] = F[1];
    }
    return e->want & CAROM_FORCE;
}

START_TEST(what_is_given_for_all_lanes_is_taken_and_the_rest_asked_for)
{
    carom_model m = full_model(), wide = m;
    wide.lanes = all_forces;
    enum { LANES = 8 };
    const carom_evaluator *evaluator = carom_model_evaluator(&m);
    double t[LANES], q[2 * LANES], v[2 * LANES], p[3 * LANES], F[2][2 * LANES], M[2][4 * LANES];
    for (int i = 0; i < 3 * LANES; i++) {
        p[i] = 1 + 0.01 * i;
        if (i < 2 * LANES)
            q[i] = 0.1 * i, v[i] = 1 - 0.05 * i;
        if (i < LANES)
            t[i] = 0.2 * i;
    }
    for (int k = 0; k < 2; k++) {
        const carom_model *one = k ? &wide : &m;
        void *work = calloc(1, evaluator->work_bytes(one, LANES));
        const carom_eval at = {.want = CAROM_MASS | CAROM_FORCE, .lanes = LANES, .t = t, .q = q, .v = v, .p = p,
                               .F = F[k], .M = M[k]};
        evaluator->begin(one, LANES, p, work);
        evaluator->eval(one, &at, work);
        free(work);
    }
    for (int i = 0; i < 2 * LANES; i++)
        CHECK_NEAR(F[1][i], F[0][i] + (i < LANES), 0);
    for (int i = 0; i < 4 * LANES; i++)
        CHECK_NEAR(M[1][i], M[0][i], 0);
}
END_TEST

START_TEST(a_copy_has_values_of_its_own_that_are_set_by_name)
{
    static const char *const names[] = {"p1", "q.q0", "v.q1"}, *const wrong[] = {"p9"};
    const carom_model m = full_model();
    const double values[] = {7, 0.25, -3}, before = m.p[1];
    carom_error error;
    carom_model *copy;
    ck_assert_int_eq(carom_model_copy(&copy, &m, &error), CAROM_OK);
    ck_assert_int_eq(carom_model_set(copy, names, values, 3, &error), CAROM_OK);
    CHECK_NEAR(copy->p[1], 7, 0);
    CHECK_NEAR(copy->q[0], 0.25, 0);
    CHECK_NEAR(copy->v[1], -3, 0);
    CHECK_NEAR(copy->p[0], m.p[0], 0);
    CHECK_NEAR(m.p[1], before, 0);
    ck_assert_int_eq(carom_model_set(copy, wrong, values, 1, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "no parameter 'p9'"));
    carom_model_free(copy);
    carom_model empty = m;
    empty.q = NULL;
    ck_assert_int_eq(carom_model_copy(&copy, &empty, &error), CAROM_BAD_MODEL);
    ck_assert_ptr_null(copy);
    ck_assert_int_eq(carom_model_set(&empty, names, values, 1, &error), CAROM_BAD_ARGUMENT);
}
END_TEST

static void flat_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] + 2 * at->q[1] + 3;
    g[1] = at->q[1] - at->t;
}

static void flat_slip(const carom_point *at, double *u)
{
    u[0] = at->v[0] - 1;
}

START_TEST(constant_rows_have_no_gamma_and_no_derivatives)
{
    carom_model m = plain_model();
    m.gap = flat_gap, m.slip = flat_slip, m.constant = CAROM_JACOBIAN;
    carom_probe k = probe_of(&m, ALL);
    uint64_t state = 14;
    scatter_point(&k, &state);
    carom_probe_eval(&k);
    const double G[6] = {1, 2, 0, 1, 1, 0}, w[3] = {0, -1, -1};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(k.at.G[i], G[i], 1e-12);
        CHECK_NEAR(k.at.U_q[i], 0, 0);
        CHECK_NEAR(k.at.A_q[i], 0, 0);
        CHECK_NEAR(k.at.A_v[i], 0, 0);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(k.at.w[i], w[i], 1e-12);
        CHECK_NEAR(k.at.gamma[i], 0, 0);
    }
    carom_probe_free(&k);
}
END_TEST

START_TEST(it_is_known_what_comes_from_differences)
{
    carom_model plain = plain_model(), full = full_model();
    ck_assert_uint_eq(carom_model_differenced(&plain) & (CAROM_JACOBIAN | CAROM_GAMMA | CAROM_R_V),
                      CAROM_JACOBIAN | CAROM_GAMMA | CAROM_R_V);
    ck_assert_uint_eq(carom_model_differenced(&full) & (CAROM_JACOBIAN | CAROM_GAMMA | CAROM_R_V), 0);
    ck_assert_uint_ne(carom_model_differenced(&full) & CAROM_R_Q, 0); /* M and G depend on q */
    full.constant = CAROM_MASS | CAROM_JACOBIAN;
    ck_assert_uint_eq(carom_model_differenced(&full) & CAROM_R_Q, 0);
}
END_TEST

START_TEST(the_check_passes_callbacks_and_finds_a_wrong_jacobian)
{
    carom_model m = full_model();
    carom_verdict verdict[CAROM_VERDICTS];
    carom_error error = {0};
    int n = 0;
    CHECK_OK(carom_model_verify(&m, 4, 1, verdict, &n, &error), error);
    for (int i = 0; i < n; i++)
        ck_assert_msg(verdict[i].ok, "%s is off by %.2g", verdict[i].name, verdict[i].error);
    m.offset = NULL; /* now the moving floor and joint are forgotten */
    CHECK_OK(carom_model_verify(&m, 4, 1, verdict, &n, &error), error);
    for (int i = 0; i < n; i++)
        if (strcmp(verdict[i].name, "w") == 0)
            ck_assert(!verdict[i].ok);
}
END_TEST

/* ---- what is refused ---- */
static void simple_gap(const carom_point *at, double *g)
{
    g[0] = at->q[0] - at->q[0];
    g[1] = at->q[1] + 1;
}

static void indefinite(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1, M[1] = M[2] = 2, M[3] = 1;
}

static void lopsided(const carom_point *at, double *M)
{
    (void)at;
    M[0] = 1, M[1] = 0.1, M[2] = 0.2, M[3] = 1;
}

static void not_finite(const carom_point *at, double *F)
{
    F[0] = 1 / (at->q[0] - at->q[0]);
    F[1] = 0;
}

static void check_refused(carom_model m, carom_status status, const char *words)
{
    carom_error error = {0};
    carom_status found = carom_model_validate(&m, &error);
    ck_assert_msg(found == status && strstr(error.text, words), "expected %s, '%s'; found %s: %s",
                  carom_status_text(status), words, carom_status_text(found), error.text);
}

START_TEST(a_struct_that_is_not_sound_is_refused_with_the_reason)
{
    static const double bad_q[2] = {0.5, NAN}, deep[2] = {0.5, -3};
    static const carom_contact sticky[1] = {{.name = "floor", .directions = 3}};
    static const carom_contact bouncy[1] = {{.name = "floor", .restitution = 1.5}};
    static const char *const no_names[2] = {"a", NULL};
    carom_model good = full_model(), m;
    carom_error error = {0};
    good.gap = simple_gap, good.jacobian = NULL, good.offset = NULL, good.gamma = NULL;
    CHECK_OK(carom_model_validate(&good, &error), error);
#define REFUSED(change, status, words)                                                                 \
    m = good;                                                                                          \
    change;                                                                                            \
    check_refused(m, status, words)
    REFUSED(m.nq = 0, CAROM_BAD_MODEL, "nq = 0");
    REFUSED(m.nv = 3, CAROM_BAD_MODEL, "must be equal");
    REFUSED(m.np = -1, CAROM_BAD_MODEL, "np = -1");
    REFUSED(m.q = NULL, CAROM_BAD_MODEL, "no initial values");
    REFUSED(m.p = NULL, CAROM_BAD_MODEL, "p is NULL");
    REFUSED(m.contact = NULL, CAROM_BAD_MODEL, "contact is NULL");
    REFUSED(m.contact = sticky, CAROM_BAD_MODEL, "3 directions");
    REFUSED(m.contact = bouncy, CAROM_BAD_MODEL, "restitution of contact 'floor' is 1.5");
    REFUSED(m.mass = NULL, CAROM_BAD_MODEL, "callback mass is missing");
    REFUSED(m.force = NULL, CAROM_BAD_MODEL, "callback force is missing");
    REFUSED(m.gap = NULL, CAROM_BAD_MODEL, "callback gap is missing");
    REFUSED(m.slip = NULL, CAROM_BAD_MODEL, "callback slip is missing");
    REFUSED(m.noutput = 1, CAROM_BAD_MODEL, "callback outputs is missing");
    REFUSED(m.q_name = no_names, CAROM_BAD_MODEL, "name of coordinate 1");
    REFUSED(m.period = -1, CAROM_BAD_MODEL, "period");
    REFUSED(m.q = bad_q, CAROM_NOT_FINITE, "'q1' is nan");
    REFUSED(m.q = deep, CAROM_BAD_MODEL, "gap of contact 'floor' is -2");
    REFUSED(m.mass = indefinite, CAROM_SINGULAR_MASS, "smallest pivot is -3");
    REFUSED(m.mass = lopsided, CAROM_BAD_MODEL, "not symmetric");
    REFUSED(m.force = not_finite, CAROM_NOT_FINITE, "force on 'q0'");
    REFUSED(m.gap = gap, CAROM_BAD_MODEL, "constraint 'joint0' is violated");
    REFUSED(m.evaluator = &(carom_evaluator){0}, CAROM_BAD_MODEL, "evaluator is incomplete");
}
END_TEST

#ifdef CAROM_NO_YAML
#define WITH_TEXT energy_without_a_potential_counts_all_force_as_power
#else
#define WITH_TEXT differences_agree_with_exact_derivatives, energy_without_a_potential_counts_all_force_as_power
#endif
TEST_MAIN("model: callbacks", WITH_TEXT, eight_lanes_give_the_bits_of_one,
          what_is_given_for_all_lanes_is_taken_and_the_rest_asked_for,
          a_copy_has_values_of_its_own_that_are_set_by_name,
          constant_rows_have_no_gamma_and_no_derivatives, it_is_known_what_comes_from_differences,
          the_check_passes_callbacks_and_finds_a_wrong_jacobian, a_struct_that_is_not_sound_is_refused_with_the_reason)
